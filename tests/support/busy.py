"""A machine that is busy with other things."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def busy_machine(processes: int) -> Iterator[None]:
    """Have so many processes compute from outside, each in a session of its own."""
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin, start_new_session=True) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@contextlib.contextmanager
def one_processor() -> Iterator[None]:
    """Keep this thread, and what it starts, to one processor: busy, it is a busy machine at less cost."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
