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
    def broken(language: str) -> None:
        raise WallError("no candidate could be started")

    monkeypatch.setattr(pool, "start_bare", broken)
    monkeypatch.setattr(pool, "_POOL_SIZE", 3)  # the size on other systems; two more starts fail as well
    warm = WarmPool()
    with pytest.raises(WallError, match="could be started"):
        warm.take()
    warm.close()


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
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), str(theirs.fileno())], pass_fds=[theirs.fileno()]
        )
    forking = ForkPool.__new__(ForkPool)
    forking._control, forking._process, forking._ready = control, process, True
    try:
        with contextlib.closing(forking.take()) as none:
            assert none.channel.recv(1) == b""
            with pytest.raises(WallError, match="temporarily unavailable"):
                none.ending()
        forking.take().close()
        assert process.poll() is None
    finally:
        forking.close()


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_pool_closed_during_imports_ends_at_once_in_its_own_group() -> None:
    forking = ForkPool()
    group = os.getpgid(forking._process.pid)
    forking.close()
    assert group != os.getpgrp()
    assert forking._process.returncode == -signal.SIGKILL


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
    done = subprocess.run(
        [sys.executable, "-c", f"NOTEBOOK = {json.dumps(str(notebook))}\n{textwrap.dedent(code)}"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr.startswith("The notebook could not be run: no candidate could be started")
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
