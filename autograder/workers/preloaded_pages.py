"""Imports of the modules that workers need for feedback pages.

The imports are made once, in the process that forks the workers.
"""

import atexit
import contextlib
import json
import os
from multiprocessing import forkserver
from typing import Any

from autograder.sandbox.inside import pages

with pages.frozen_imports():
    from nbformat import v4

    import autograder.page.render  # noqa: F401
    from autograder.page.facts import PageHead
    from autograder.workers.jobs import Page
    from autograder.workers.worker import render


def warm_up_page() -> Page:
    """Return the job for a tiny page, which only serves to warm up this process."""
    cells = [v4.new_markdown_cell("*One* cell, `x`."), v4.new_code_cell("x = 1")]
    return Page("", "", json.dumps(v4.new_notebook(cells=cells)), PageHead("", "en", 0.0, 0.0))


with pages.frozen_imports(), contextlib.suppress(Exception):  # the first real page will report any error
    render(warm_up_page())  # each worker inherits what this call imports and compiles


def _end(server: int) -> None:
    """Remove this process's socket and the socket's folder, and exit.

    If the coordinator (the process that starts the workers) is killed, it does not remove them. This process
    exits at once, because unloading torch would take a fifth of a second, and the kernel frees the memory
    anyway.
    """
    server_process: Any = forkserver._forkserver
    if os.getpid() != server or server_process._forkserver_pid or not server_process._forkserver_address:
        # This process is a worker, or it imported this module for another reason. In either case, it has to
        # end normally.
        return
    with contextlib.suppress(OSError):
        os.remove(server_process._forkserver_address)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(server_process._forkserver_address))
    os._exit(0)


atexit.register(_end, os.getpid())  # this process outlives the coordinator and all workers
