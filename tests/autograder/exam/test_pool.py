"""Tests of the warm processes for checking one's own notebook, on machines that cannot start them."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from autograder.exam import pool
from autograder.exam.pool import ForkPool, WarmPool
from autograder.sandbox.results import WallError

ROOT = Path(__file__).resolve().parents[3]


def test_pool_reports_a_failed_start_once_and_still_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_to_start(language: str) -> None:
        raise WallError("no candidate could be started")

    monkeypatch.setattr(pool, "start_bare", fail_to_start)
    monkeypatch.setattr(pool, "_POOL_SIZE", 3)  # as on macOS and Windows; two more starts fail as well
    warm_pool = WarmPool()
    with pytest.raises(WallError, match="could be started"):
        warm_pool.take()
    warm_pool.close()


@pytest.mark.whole
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_machine_without_room_for_a_fork_costs_that_check_alone() -> None:
    """The process that forks candidates survives, and no answer is reported as crashed."""
    code = """
        import errno, os, socket, sys
        from autograder.exam import forks
        fork, forks.os.fork = os.fork, lambda: full()
        def full():
            forks.os.fork = fork
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        forks.serve_forever(socket.socket(fileno=int(sys.argv[1])), None)
    """
    control, child_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with child_control:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), str(child_control.fileno())],
            pass_fds=[child_control.fileno()],
        )
    fork_pool = ForkPool.__new__(ForkPool)
    fork_pool._control, fork_pool._process, fork_pool._ready = control, process, True
    try:
        with contextlib.closing(fork_pool.take()) as candidate:
            assert candidate.channel.recv(1) == b""
            with pytest.raises(WallError, match="temporarily unavailable"):
                candidate.ending()
        fork_pool.take().close()
        assert process.poll() is None
    finally:
        fork_pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_pool_closed_during_imports_ends_at_once_in_its_own_group() -> None:
    fork_pool = ForkPool()
    group = os.getpgid(fork_pool._process.pid)
    fork_pool.close()
    assert group != os.getpgrp()
    assert fork_pool._process.returncode == -signal.SIGKILL


@pytest.mark.whole
def test_check_without_linux_is_refused_in_a_sentence() -> None:
    """Run the whole command as on a machine that can neither fork nor start Python."""
    notebook = ROOT / "release/en/01_what_autograd_does/01_what_autograd_does.ipynb"
    code = """
        import sys
        from autograder.exam import pool
        from autograder.sandbox import container

        class Elsewhere:
            def __getattr__(self, name):
                return {"platform": "win32", "executable": "/bin/false"}.get(name) or getattr(sys, name)

        container.sys = pool.sys = Elsewhere()
        pool._POOL_SIZE = 3
        from autograder.cli import main
        sys.argv = ["autograder", "check", NOTEBOOK]
        main()
    """
    result = subprocess.run(
        [sys.executable, "-c", f"NOTEBOOK = {json.dumps(str(notebook))}\n{textwrap.dedent(code)}"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.stderr.startswith("The notebook could not be run: no candidate could be started")
    assert "Traceback" not in result.stderr
    assert result.returncode == 2
