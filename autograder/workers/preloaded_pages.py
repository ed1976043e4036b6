"""What a worker needs for pages, imported once in the process that this machine's workers are forked from."""

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
    from autograder.page.facts import PageHead
    from autograder.workers.jobs import Page
    from autograder.workers.worker import render


def nothing() -> Page:
    """A page of nothing."""
    cells = [v4.new_markdown_cell("*One* cell, `x`."), v4.new_code_cell("x = 1")]
    return Page("", "", json.dumps(v4.new_notebook(cells=cells)), PageHead("", "en", 0.0, 0.0))


with pages.kept(), contextlib.suppress(Exception):  # whoever gets a real page is told what is wrong
    render(nothing())  # what it imports and compiles, each worker finds


def _end(server: int) -> None:
    """Remove this process's socket and its folder, which a coordinator that was killed could not; then end.

    At once, since taking torch apart takes a fifth of a second, and the kernel does it as well.
    """
    ours: Any = forkserver._forkserver
    if os.getpid() != server or ours._forkserver_pid or not ours._forkserver_address:
        return  # a worker, or who has imported this for another reason: both have more to do
    with contextlib.suppress(OSError):
        os.remove(ours._forkserver_address)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(ours._forkserver_address))
    os._exit(0)


atexit.register(_end, os.getpid())  # this process ends after the coordinator and all workers
