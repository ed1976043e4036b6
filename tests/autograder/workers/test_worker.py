"""Tests of a worker: its memory limit, which its children can lift, refused walls and prepared pages."""

import resource
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from autograder.intake.submission import Script
from autograder.sandbox.template import TemplateHandle, WallOptions
from autograder.workers import preloaded_pages, worker
from autograder.workers.jobs import Job, NoWall
from autograder.workers.worker import memory_limit, render
from tests.support.small_class import STEPS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading others' work needs Linux")
MEGABYTE = 2**20


def test_memory_limit_fails_the_allocation_that_exceeds_it() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with memory_limit(64 * MEGABYTE):
        with pytest.raises(MemoryError):
            bytearray(500 * MEGABYTE)
        with pytest.raises(RuntimeError, match="memory"):
            torch.zeros(500 * MEGABYTE)
        assert len(bytearray(16 * MEGABYTE)) == 16 * MEGABYTE
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert len(bytearray(100 * MEGABYTE)) == 100 * MEGABYTE


def test_memory_limit_ends_after_an_error() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(KeyError), memory_limit(64 * MEGABYTE):
        raise KeyError
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_narrower_existing_memory_limit_is_kept() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        with memory_limit(512 * MEGABYTE):
            narrow_limit = resource.getrlimit(resource.RLIMIT_DATA)
            with memory_limit(1024 * MEGABYTE):
                assert resource.getrlimit(resource.RLIMIT_DATA) == narrow_limit
            assert resource.getrlimit(resource.RLIMIT_DATA) == narrow_limit
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def test_child_process_can_lift_the_memory_limit() -> None:
    code = (
        "import resource\n"
        "from autograder.sandbox.inside.privileges import lift_memory_limit\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_DATA)\n"
        "assert soft != hard\n"
        "lift_memory_limit()\n"
        "assert resource.getrlimit(resource.RLIMIT_DATA) == (hard, hard)\n"
    )
    with memory_limit(256 * MEGABYTE):
        subprocess.run([sys.executable, "-c", code], check=True)


def test_grading_is_refused_if_a_lesson_is_readable_in_the_wall(
    built_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (built_course / "source" / STEPS / f"{STEPS}.ipynb").read_text()
    (copy := tmp_path / "notes").write_text(text)
    fake_wall = SimpleNamespace(suspects=(str(tmp_path / "none"), str(copy)))
    monkeypatch.setattr(worker, "_wall", lambda hidden: fake_wall)
    result = worker.examine(Job("ann", STEPS, text, Script((), "en", ""), b"", ()))
    assert isinstance(result, NoWall)
    assert (
        f"every notebook could read {copy}, which holds answers or hidden tests of {STEPS}" in result.reason
    )
    assert "Move it" in result.fix


def test_lesson_never_runs_behind_a_wall_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_walls", {})
    monkeypatch.setattr(worker, "_join_wall", lambda handle: handle and f"shared {handle.options.plain}")
    monkeypatch.setattr(worker, "_build_wall", lambda hidden, plain: f"own {plain}")
    with socket.socket() as control:
        plain_handle, full_handle = (
            TemplateHandle(control, WallOptions(plain=is_plain), ()) for is_plain in (True, False)
        )
        monkeypatch.setattr(worker, "_handles", {("a",): plain_handle, ("b",): full_handle})
        walls = [worker._wall((hidden,), plain=is_plain) for hidden in "abc" for is_plain in (True, False)]
    assert walls == [
        *("shared True", "own False"),
        *("shared False", "shared False"),
        *("own False", "own False"),
    ]


def test_page_made_in_advance_can_be_rendered() -> None:
    assert "<em>One</em> cell" in render(preloaded_pages.warm_up_page()).html
