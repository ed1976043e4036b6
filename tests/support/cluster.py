"""A Dask cluster for tests: a scheduler process, and worker processes that can be started and killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.lessons import ROOT
from tests.support.scan_cache import shared_cache

START_SECONDS = 60.0


class Processes:
    """A scheduler process and named worker processes, each with a separate folder for the files it writes.

    The workers share this process's cache about the files that are visible behind the wall, because reading
    all these files takes seconds.

    Args:
        folder: the folder that contains the processes' folders.
        python: the Python that the processes run; by default the current one, with this repository's code.

    Attributes:
        address: the scheduler's address.
        scheduler: the scheduler's process.
        workers: the workers' processes, by name.
    """

    def __init__(self, folder: Path, python: Path | None = None) -> None:
        self._folder = folder
        self._python = python
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        scheduler_file = folder / "scheduler.json"
        self.scheduler = self._start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(scheduler_file)),
        )
        wait_until(lambda: bool(_address(scheduler_file)), self.scheduler)
        self.address = _address(scheduler_file)

    def hire(self, name: str) -> None:
        """Start a worker; it joins the cluster a moment later."""
        self.workers[name] = self._start(
            *("worker", self.address, "--host", "127.0.0.1", "--name", name, "--nthreads", "1", "--no-nanny"),
            *("--memory-limit", "0", "--no-dashboard", "--death-timeout", "60"),
        )

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process with SIGKILL, as the kernel's out-of-memory killer does."""
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for process in (*self.workers.values(), self.scheduler):
            self.kill(process)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        folder = self._folder / str(len(self.workers)) / arguments[0]
        (folder / "tmp").mkdir(parents=True)
        python_path = "" if self._python else str(ROOT)
        variables = {
            "HOME": str(folder),
            "TMPDIR": str(folder / "tmp"),
            "PYTHONPATH": python_path,
        } | shared_cache()
        with (folder / "log").open("wb") as log:
            return subprocess.Popen(
                [self._python or sys.executable, "-m", "dask", *arguments],
                cwd=folder,
                env=os.environ | variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


def _address(scheduler_file: Path) -> str:
    """Return the address from a scheduler's file, or "" until the scheduler has written the whole file."""
    try:
        return str(json.loads(scheduler_file.read_text())["address"])
    except (OSError, ValueError):
        return ""


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until a condition is true; fail if the process exits before that, or after START_SECONDS."""
    deadline = time.monotonic() + START_SECONDS
    while not condition():
        assert process.poll() is None, f"{process.args!r} has ended"
        assert time.monotonic() < deadline, f"{process.args!r} is too slow"
        time.sleep(0.02)


@contextlib.contextmanager
def cluster_of(folder: Path, *names: str, python: Path | None = None) -> Iterator[Processes]:
    """Start a scheduler with workers of these names, and kill all of them at the end."""
    processes = Processes(folder, python)
    try:
        for name in names:
            processes.hire(name)
        yield processes
    finally:
        processes.close()
