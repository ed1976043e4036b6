"""Tests of what differs on Windows, as far as they can run on other systems."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.sandbox.container import _receive_exactly
from secant import files

#: The modules that a learner's commands, notebooks and checks load.
MODULES = """
    secant.cli secant.lab.launch secant.lab.doctor secant.lab.server_extension secant.progress.commands
    secant.progress.record secant.predictions secant.explorers.tangent autograder.cli
    autograder.exam.selfcheck autograder.exam.pool autograder.sandbox.inside.candidate autograder.doctor
    """


@pytest.mark.whole
@pytest.mark.slow
def test_learner_modules_import_on_windows_and_grading_refuses() -> None:
    program = f"""
import importlib, sys
for name in {MODULES.split()}:
    importlib.import_module(name)
from autograder.cli import main
sys.argv = ["autograder", "grade"]
main()
"""
    command = [sys.executable, "-m", "tests.support.windows", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "use WSL 2" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.returncode == 2


def test_token_read_in_pieces_is_joined() -> None:
    receiver, sender = socket.socketpair()
    with receiver, sender:
        receiver.settimeout(5)

        def send_slowly() -> None:
            for chunk in (b"to", b"ken", b"more"):
                sender.sendall(chunk)
                time.sleep(0.01)

        thread = threading.Thread(target=send_slowly)
        thread.start()
        assert _receive_exactly(receiver, 5) == b"token"
        thread.join()
        sender.shutdown(socket.SHUT_WR)
        assert _receive_exactly(receiver, 9) == b"more"


@pytest.mark.parametrize("times", [0, 2, 99])
def test_file_in_use_on_windows_is_replaced_on_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    failures = [True] * times

    def replace(temporary: str, path: Path) -> None:
        if failures:
            failures.pop()
            raise PermissionError(13, "The process cannot access the file")
        Path(temporary).replace(path)

    monkeypatch.setattr(files, "os", SimpleNamespace(**{**vars(os), "name": "nt", "replace": replace}))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    target = tmp_path / "kept.json"
    target.write_bytes(b"old")
    if times == 99:
        with pytest.raises(PermissionError):
            files.replace_file(target, b"new")
    else:
        files.replace_file(target, b"new")
    assert target.read_bytes() == (b"old" if times == 99 else b"new")
    assert list(tmp_path.iterdir()) == [target]
