"""What a worker needs, imported once in the process that all workers of this machine are forked from."""

import atexit
import contextlib
import os
from multiprocessing import forkserver

from autograder.sandbox.inside import pages

with pages.kept():
    import torch

    import autograder.exam.examiner
    import autograder.grading.exporter
    import autograder.grading.worker  # noqa: F401

torch.set_num_threads(1)


def _clear(server: int) -> None:
    """Remove this process's socket and its folder, which a coordinator that was killed could not."""
    path = forkserver._forkserver._forkserver_address  # type: ignore[attr-defined]
    if path and os.getpid() == server:
        with contextlib.suppress(OSError):
            os.remove(path)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(path))


atexit.register(_clear, os.getpid())  # this process ends after the coordinator and all workers
