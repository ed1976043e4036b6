"""Tests of recording progress on a disk with all kinds of faults: no error is raised, and nothing is lost."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from secant.progress import record, store
from secant.progress.facts import nothing

LESSON = "08_your_own_backward"
WRITER = """
import sys
from secant.progress import record
who, times = sys.argv[1], int(sys.argv[2])
sys.stdin.readline()
for number in range(times):
    row = {"id": f"{who}{number}", "outcome": "passed", "points": 1, "message": ""}
    assert record.check("08_your_own_backward", [row]).problem is None
"""


def row(task: str, outcome: str = "passed") -> dict[str, Any]:
    points = {"at_the_kink": 1.0, "MyLayerNorm": 3.0}.get(task, 2.0)
    return {
        "id": task,
        "points": points,
        "max_points": points,
        "outcome": outcome,
        "message": "",
        "seconds": 0.1,
    }


def kept(data: Path) -> Any:
    return json.loads((data / "progress.json").read_text())


def test_check_is_stored_and_earns_points_only_once(data: Path) -> None:
    first = record.check(LESSON, [row("backward_is_right")])
    assert (first.new, first.problem) == (["first_pass", "bug_found"], None)
    assert record.check(LESSON, [row("backward_is_right")]).new == []
    assert kept(data)["lessons"][LESSON]["backward_is_right"]["points"] == 2
    assert kept(data)["version"] == 1


def test_recorded_check_returns_points_and_level() -> None:
    first = record.check(LESSON, [row(f"task{number}") for number in range(4)])
    assert (first.xp, first.level) == (96, None)
    record.prediction("8 where", "A", None)
    second = record.check(LESSON, [row("another")], message_language="ko")
    assert second.level is not None
    assert (second.xp, second.level.number, second.level.title) == (24, 2, "접선")
    again = record.check(LESSON, [row("another", "wrong")])
    assert (again.xp, again.level) == (0, None)


def test_a_hint_after_the_pass_is_kept_and_costs_nothing(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    record.hint(LESSON, "MyPow", 1)
    task = kept(data)["lessons"][LESSON]["MyPow"]
    assert (task["hints"], task["passed"]["hints"]) == ([1], 0)


def test_hints_solutions_and_predictions_are_kept(data: Path) -> None:
    record.hint(LESSON, "MyPow", 1)
    record.hint(LESSON, "MyPow", 1)
    record.solution(LESSON, "MyPow")
    record.prediction("8 where", "A", None)
    record.prediction("8 where", "B", "B")
    task = kept(data)["lessons"][LESSON]["MyPow"]
    assert (task["hints"], task["solution"], task["passed"]) == ([1], True, None)
    prediction = kept(data)["predictions"]["8 where"]
    assert (prediction["first"], prediction["right"]) == ("A", "B")


def test_a_whole_lesson_of_the_course_is_recognised() -> None:
    tasks = ["MyPow", "backward_is_right", "StableSoftplus", "safe_sqrt", "at_the_kink", "MyLayerNorm"]
    record.prediction("8 where", "A", None)  # B is right in the lesson's notebook
    assert "understood" in record.check(LESSON, [row(task) for task in tasks]).new


def test_two_writers_at_once_lose_nothing(data: Path) -> None:
    command = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen([*command, who, "6"], stdin=subprocess.PIPE, text=True, stderr=subprocess.PIPE)
        for who in "ab"
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=60)[1] for writer in writers] == ["", ""]
    assert set(kept(data)["lessons"][LESSON]) == {f"{who}{number}" for who in "ab" for number in range(6)}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b'{"version": 1}', b"\xff", b"[" * 100_000])
def test_damaged_progress_file_is_moved_aside(data: Path, content: bytes) -> None:
    data.mkdir()
    (data / "progress.json").write_bytes(content)
    found = record.check(LESSON, [row("MyPow")])
    assert found.new == ["first_pass"]
    assert "progress (unreadable 1).json" in str(found.problem)
    assert (data / "progress (unreadable 1).json").read_bytes() == content
    assert "MyPow" in kept(data)["lessons"][LESSON]
    assert record.check(LESSON, [row("MyPow")]).problem is None


def test_readable_part_of_damaged_progress_is_used_and_the_file_kept(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    facts = kept(data)
    facts["predictions"]["8 where"] = {"first": "A", "right": None, "when": "2026-11-01"}
    content = json.dumps(facts).encode()
    (data / "progress.json").write_bytes(content)
    found = record.check(LESSON, [row("safe_sqrt")])
    assert "progress (unreadable 1).json" in str(found.problem)
    assert (data / "progress (unreadable 1).json").read_bytes() == content
    assert set(kept(data)["lessons"][LESSON]) == {"MyPow", "safe_sqrt"}
    assert record.check(LESSON, [row("MyPow")]).problem is None


def test_progress_file_of_a_newer_version_is_not_changed(data: Path) -> None:
    data.mkdir()
    newer = json.dumps({"version": 2, "something": "else"})
    (data / "progress.json").write_text(newer)
    found = record.check(LESSON, [row("MyPow")], message_language="ko")
    assert found.new == []
    assert "Secant를 업데이트하세요" in str(found.problem)
    assert (data / "progress.json").read_text() == newer


def test_progress_unsaved_on_a_full_disk_is_saved_later(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    record.check(LESSON, [row("MyPow", "wrong")])
    with monkeypatch.context() as full:
        full.setattr(os, "replace", refuse)
        found = record.check(LESSON, [row("MyPow")])
        record.hint(LESSON, "safe_sqrt", 1)
    assert found.new == []
    assert "No space left on device" in str(found.problem)
    assert kept(data)["lessons"][LESSON]["MyPow"]["outcome"] == "wrong"
    assert record.check(LESSON, [row("at_the_kink")]).new == ["first_pass"]
    assert set(kept(data)["lessons"][LESSON]) == {"MyPow", "safe_sqrt", "at_the_kink"}
    assert kept(data)["lessons"][LESSON]["MyPow"]["passed"]
    assert {path.name for path in data.iterdir()} <= {"progress.json", "progress.json.lock"}


def test_progress_folder_blocked_by_a_file_is_reported(data: Path) -> None:
    data.write_text("a file is in the way")
    found = record.check(LESSON, [row("MyPow")])
    assert found.problem is not None
    assert str(data) in found.problem
    assert data.read_text() == "a file is in the way"


def test_progress_folder_without_permission_is_reported(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # as for a user without permission: no lock, no file
    found = record.check(LESSON, [row("MyPow")])
    monkeypatch.undo()
    assert "Permission denied" in str(found.problem)


def test_held_lock_delays_a_record_only_briefly(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.05)
    data.mkdir()
    with FileLock(data / "progress.json.lock"):
        begin = time.monotonic()
        found = record.check(LESSON, [row("MyPow")])
        assert time.monotonic() - begin < 0.5
        assert "another program" in str(found.problem)
    assert record.hint(LESSON, "safe_sqrt", 1) == record.Recorded(["first_pass"], xp=24)
    assert kept(data)["lessons"][LESSON]["MyPow"]["passed"]


def test_lock_of_a_dead_process_does_not_block(data: Path) -> None:
    data.mkdir()
    die = "import os, sys, filelock; filelock.FileLock(sys.argv[1]).acquire(); os._exit(1)"
    subprocess.run([sys.executable, "-c", die, str(data / "progress.json.lock")], check=False)
    assert record.check(LESSON, [row("MyPow")]).problem is None


def test_progress_is_stored_in_the_platforms_data_folder_by_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECANT_DATA")
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "platform")
    assert store.path() == tmp_path / "platform" / "progress.json"


def test_progress_messages_exist_in_korean(data: Path) -> None:
    data.write_text("")
    assert "저장하지 못했습니다" in str(record.check(LESSON, [row("MyPow")], message_language="ko").problem)


def test_merging_earns_achievements_of_the_combined_progress(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    other = nothing()
    other["lessons"] = {LESSON: {"backward_is_right": kept(data)["lessons"][LESSON]["MyPow"]}}
    assert record.merge(other).new == ["bug_found"]
    assert set(kept(data)["lessons"][LESSON]) == {"MyPow", "backward_is_right"}
