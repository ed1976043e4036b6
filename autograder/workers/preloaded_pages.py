"""Imports of all modules that workers need for pages, made in the process that workers are forked from."""

import atexit
import contextlib
import json
import os
from multiprocessing import forkserver
from typing import Any

from autograder.sandbox.inside import pages

with pages.kept():
    from nbformat import v4

    import autograder.page.render  # noqa: F401
    from autograder.page.facts import Head
    from autograder.workers.jobs import Page
    from autograder.workers.worker import render


def nothing() -> Page:
    """Return the job for a small page, which is made only to warm up."""
    cells = [v4.new_markdown_cell("*One* cell, `x`."), v4.new_code_cell("x = 1")]
    return Page("", "", json.dumps(v4.new_notebook(cells=cells)), Head("", "en", 0.0, 0.0))


with pages.kept(), contextlib.suppress(Exception):  # an error will be reported for the first real page
    render(nothing())  # each worker inherits what this imports and compiles


def _end(server: int) -> None:
    """Remove this process's socket and its folder, because a killed coordinator could not; then end.

    The process ends at once: taking torch apart takes a fifth of a second, and the kernel frees the memory
    anyway.
    """
    ours: Any = forkserver._forkserver
    if os.getpid() != server or ours._forkserver_pid or not ours._forkserver_address:
        # This is a worker, or a process that imported this module for another purpose: both have more to do
        # at their end.
        return
    with contextlib.suppress(OSError):
        os.remove(ours._forkserver_address)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(ours._forkserver_address))
    os._exit(0)


atexit.register(_end, os.getpid())  # this process ends after the coordinator and all workers
