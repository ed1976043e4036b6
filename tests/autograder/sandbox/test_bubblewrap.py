"""Tests of asking bubblewrap for its options."""

import subprocess
from typing import Any

import pytest

from autograder.sandbox import bubblewrap


def test_options_of_bubblewrap_are_queried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building a wall needs bubblewrap's options, and each submission may have its own wall."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, "--size BYTES", "")

    bubblewrap._help.cache_clear()
    monkeypatch.setattr("autograder.sandbox.bubblewrap.subprocess.run", run)
    monkeypatch.setattr(bubblewrap, "bwrap_path", lambda: "/usr/bin/bwrap")
    for disk in (16, 32):
        options = bubblewrap.bwrap_options("single", [], "en", disk)
        assert str(disk * 2**20) in options
    assert commands == [["/usr/bin/bwrap", "--help"]]
    bubblewrap._help.cache_clear()


def test_first_process_of_a_sandbox_is_the_container_only_if_there_is_one_container() -> None:
    options = {kind: bubblewrap.bwrap_options(kind, [], "en", 16) for kind in ("single", "forked")}
    assert [kind for kind in options if "--as-pid-1" in options[kind]] == ["single"]
