"""Simulations of a busy machine for tests."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def busy_machine(processes: int) -> Iterator[None]:
    """Keep the processors busy with this many computing processes, each in a separate session."""
    command = [sys.executable, "-c", "while True: pass"]
    spinners = [subprocess.Popen(command, start_new_session=True) for _ in range(processes)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


@contextlib.contextmanager
def one_processor() -> Iterator[None]:
    """Restrict this thread, and the processes it starts, to one processor.

    To simulate a busy machine, a test then has to keep only that one processor busy.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
