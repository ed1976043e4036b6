"""What a worker needs for pages, imported once in the process that this machine's workers are forks of."""

import atexit
import contextlib
import json
import os
from multiprocessing import forkserver

from autograder.sandbox.inside import pages

with pages.kept():
    from nbformat import v4

    import autograder.page.render  # noqa: F401
    from autograder.grading.jobs import Page
    from autograder.grading.worker import render
    from autograder.page.facts import Head


def nothing() -> Page:
    """A page of nothing."""
    cells = [v4.new_markdown_cell("*One* cell, `x`."), v4.new_code_cell("x = 1")]
    return Page("", "", json.dumps(v4.new_notebook(cells=cells)), Head("", "en", 0.0, 0.0))


with pages.kept(), contextlib.suppress(Exception):  # whoever gets a real page is told what is wrong
    render(nothing())  # what it imports and compiles, each worker finds


def _clear(server: int) -> None:
    """Remove this process's socket and its folder, which a coordinator that was killed could not."""
    path = forkserver._forkserver._forkserver_address  # type: ignore[attr-defined]
    if path and os.getpid() == server:
        with contextlib.suppress(OSError):
            os.remove(path)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(path))


atexit.register(_clear, os.getpid())  # this process ends after the coordinator and all workers
