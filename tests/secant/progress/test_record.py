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
from secant.progress.facts import empty_facts

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


def read_progress(data: Path) -> Any:
    return json.loads((data / "progress.json").read_text())


def test_check_is_stored_and_earns_points_only_once(data: Path) -> None:
    first = record.check(LESSON, [row("backward_is_right")])
    assert (first.new, first.problem) == (["first_pass", "bug_found"], None)
    assert record.check(LESSON, [row("backward_is_right")]).new == []
    assert read_progress(data)["lessons"][LESSON]["backward_is_right"]["points"] == 2
    assert read_progress(data)["version"] == 1


def test_recorded_check_returns_points_and_level() -> None:
    first = record.check(LESSON, [row(f"task{number}") for number in range(4)])
    assert (first.xp, first.level) == (96, None)
    record.prediction("8 where", "A", None)
    second = record.check(LESSON, [row("another")], message_language="ko")
    assert second.level is not None
    assert (second.xp, second.level.number, second.level.title) == (24, 2, "접선")
    third = record.check(LESSON, [row("another", "wrong")])
    assert (third.xp, third.level) == (0, None)


def test_a_hint_after_the_pass_is_kept_and_costs_nothing(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    record.hint(LESSON, "MyPow", 1)
    task = read_progress(data)["lessons"][LESSON]["MyPow"]
    assert (task["hints"], task["passed"]["hints"]) == ([1], 0)


def test_hints_solutions_and_predictions_are_kept(data: Path) -> None:
    record.hint(LESSON, "MyPow", 1)
    record.hint(LESSON, "MyPow", 1)
    record.solution(LESSON, "MyPow")
    record.prediction("8 where", "A", None)
    record.prediction("8 where", "B", "B")
    task = read_progress(data)["lessons"][LESSON]["MyPow"]
    assert (task["hints"], task["solution"], task["passed"]) == ([1], True, None)
    prediction = read_progress(data)["predictions"]["8 where"]
    assert (prediction["first"], prediction["right"]) == ("A", "B")


def test_a_whole_lesson_of_the_course_is_recognised() -> None:
    tasks = ["MyPow", "backward_is_right", "StableSoftplus", "safe_sqrt", "at_the_kink", "MyLayerNorm"]
    record.prediction("8 where", "A", None)  # B is right in the lesson's notebook
    assert "understood" in record.check(LESSON, [row(task) for task in tasks]).new


def test_two_writers_at_once_lose_nothing(data: Path) -> None:
    command = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen([*command, prefix, "6"], stdin=subprocess.PIPE, text=True, stderr=subprocess.PIPE)
        for prefix in "ab"
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=60)[1] for writer in writers] == ["", ""]
    assert set(read_progress(data)["lessons"][LESSON]) == {
        f"{prefix}{number}" for prefix in "ab" for number in range(6)
    }


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b'{"version": 1}', b"\xff", b"[" * 100_000])
def test_damaged_progress_file_is_moved_aside(data: Path, content: bytes) -> None:
    data.mkdir()
    (data / "progress.json").write_bytes(content)
    result = record.check(LESSON, [row("MyPow")])
    assert result.new == ["first_pass"]
    assert "progress (unreadable 1).json" in str(result.problem)
    assert (data / "progress (unreadable 1).json").read_bytes() == content
    assert "MyPow" in read_progress(data)["lessons"][LESSON]
    assert record.check(LESSON, [row("MyPow")]).problem is None


def test_readable_part_of_damaged_progress_is_used_and_the_file_kept(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    facts = read_progress(data)
    facts["predictions"]["8 where"] = {"first": "A", "right": None, "when": "2026-11-01"}
    content = json.dumps(facts).encode()
    (data / "progress.json").write_bytes(content)
    result = record.check(LESSON, [row("safe_sqrt")])
    assert "progress (unreadable 1).json" in str(result.problem)
    assert (data / "progress (unreadable 1).json").read_bytes() == content
    assert set(read_progress(data)["lessons"][LESSON]) == {"MyPow", "safe_sqrt"}
    assert record.check(LESSON, [row("MyPow")]).problem is None


def test_progress_file_of_a_newer_version_is_not_changed(data: Path) -> None:
    data.mkdir()
    content = json.dumps({"version": 2, "something": "else"})
    (data / "progress.json").write_text(content)
    result = record.check(LESSON, [row("MyPow")], message_language="ko")
    assert result.new == []
    assert "Secant를 업데이트하세요" in str(result.problem)
    assert (data / "progress.json").read_text() == content


def test_progress_unsaved_on_a_full_disk_is_saved_later(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    record.check(LESSON, [row("MyPow", "wrong")])
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        result = record.check(LESSON, [row("MyPow")])
        record.hint(LESSON, "safe_sqrt", 1)
    assert result.new == []
    assert "No space left on device" in str(result.problem)
    assert read_progress(data)["lessons"][LESSON]["MyPow"]["outcome"] == "wrong"
    assert record.check(LESSON, [row("at_the_kink")]).new == ["first_pass"]
    assert set(read_progress(data)["lessons"][LESSON]) == {"MyPow", "safe_sqrt", "at_the_kink"}
    assert read_progress(data)["lessons"][LESSON]["MyPow"]["passed"]
    assert {path.name for path in data.iterdir()} <= {"progress.json", "progress.json.lock"}


def test_progress_folder_blocked_by_a_file_is_reported(data: Path) -> None:
    data.write_text("a file is in the way")
    result = record.check(LESSON, [row("MyPow")])
    assert result.problem is not None
    assert str(data) in result.problem
    assert data.read_text() == "a file is in the way"


def test_progress_folder_without_permission_is_reported(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # as for a user without permission: no lock, no file
    result = record.check(LESSON, [row("MyPow")])
    monkeypatch.undo()
    assert "Permission denied" in str(result.problem)


def test_held_lock_delays_a_record_only_briefly(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.05)
    data.mkdir()
    with FileLock(data / "progress.json.lock"):
        start = time.monotonic()
        result = record.check(LESSON, [row("MyPow")])
        assert time.monotonic() - start < 0.5
        assert "another program" in str(result.problem)
    assert record.hint(LESSON, "safe_sqrt", 1) == record.RecordResult(["first_pass"], xp=24)
    assert read_progress(data)["lessons"][LESSON]["MyPow"]["passed"]


def test_lock_of_a_dead_process_does_not_block(data: Path) -> None:
    data.mkdir()
    program = "import os, sys, filelock; filelock.FileLock(sys.argv[1]).acquire(); os._exit(1)"
    subprocess.run([sys.executable, "-c", program, str(data / "progress.json.lock")], check=False)
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
    other = empty_facts()
    other["lessons"] = {LESSON: {"backward_is_right": read_progress(data)["lessons"][LESSON]["MyPow"]}}
    assert record.merge(other).new == ["bug_found"]
    assert set(read_progress(data)["lessons"][LESSON]) == {"MyPow", "backward_is_right"}
