"""Tests of copying lessons into a workspace, whose files belong to the learner."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from secant.lab import workspace
from secant.lab.workspace import LabError, write_state
from secant.workspace_state import STATE_FOLDER, read_state
from tests.secant.lab.house import DAY, FOLDER, NOTEBOOK, notebooks, prepare, release, tree, write


def test_lessons_are_copied_and_a_second_start_changes_nothing(small_course: Path) -> None:
    page = prepare(small_course)
    workspace = small_course / "workspace/en"
    before = tree(workspace)
    assert set(before) == {NOTEBOOK, f"{FOLDER}/picture.png", "START.md"}
    assert "| new |" in page
    assert prepare(small_course) == page
    assert tree(workspace) == before


def test_an_edited_file_is_never_touched(small_course: Path) -> None:
    prepare(small_course)
    notebook = write(small_course / "workspace/en" / NOTEBOOK, b"my answers")
    page = prepare(small_course)
    assert notebook.read_bytes() == b"my answers"
    assert notebooks(small_course) == {NOTEBOOK}
    assert "| in progress |" in page


def test_new_lesson_version_is_added_once_and_announced(small_course: Path) -> None:
    prepare(small_course)
    notebook = write(small_course / "workspace/en" / NOTEBOOK, b"my answers")
    release(small_course, b"lesson, second version")
    new_version = f"{FOLDER}/{FOLDER} (new 2026-11-21).ipynb"
    for day in (DAY, DAY, date(2026, 12, 24)):
        page = prepare(small_course, day)
        assert notebooks(small_course) == {NOTEBOOK, new_version}
        assert "| new version beside yours |" in page
        assert f"({FOLDER}/{FOLDER}%20%28new%202026-11-21%29.ipynb)" in page
    assert notebook.read_bytes() == b"my answers"
    assert (small_course / "workspace/en" / new_version).read_bytes() == b"lesson, second version"


def test_a_file_that_was_not_edited_is_not_overwritten_either(small_course: Path) -> None:
    prepare(small_course)
    release(small_course, b"lesson, second version")
    prepare(small_course)
    assert (small_course / "workspace/en" / NOTEBOOK).read_bytes() == b"lesson, first version"
    assert len(notebooks(small_course)) == 2


def test_two_versions_of_one_day_get_different_names(small_course: Path) -> None:
    prepare(small_course)
    for version in (b"second", b"third"):
        release(small_course, version)
        page = prepare(small_course)
    assert notebooks(small_course) == {
        NOTEBOOK,
        f"{FOLDER}/{FOLDER} (new 2026-11-21).ipynb",
        f"{FOLDER}/{FOLDER} (new 2026-11-21 2).ipynb",
    }
    assert "%202%29.ipynb" in page


def test_a_new_version_that_was_thrown_away_does_not_come_back(small_course: Path) -> None:
    prepare(small_course)
    release(small_course, b"second")
    prepare(small_course)
    (small_course / "workspace/en" / FOLDER / f"{FOLDER} (new 2026-11-21).ipynb").unlink()
    page = prepare(small_course)
    assert notebooks(small_course) == {NOTEBOOK}
    assert "New versions" not in page


def test_adopted_new_version_is_no_longer_announced(small_course: Path) -> None:
    prepare(small_course)
    release(small_course, b"second")
    prepare(small_course)
    new_version = small_course / "workspace/en" / FOLDER / f"{FOLDER} (new 2026-11-21).ipynb"
    new_version.replace(small_course / "workspace/en" / NOTEBOOK)
    page = prepare(small_course)
    assert notebooks(small_course) == {NOTEBOOK}
    assert "| new |" in page
    release(small_course, b"third")
    assert "| new version beside yours |" in prepare(small_course)


def test_deleted_lesson_is_copied_again(small_course: Path) -> None:
    prepare(small_course)
    (small_course / "workspace/en" / NOTEBOOK).unlink()
    prepare(small_course)
    assert (small_course / "workspace/en" / NOTEBOOK).read_bytes() == b"lesson, first version"


@pytest.mark.parametrize(
    "content",
    [None, b"", b"{", b"[]", b"3", b'{"a": 3}', b"\xff\x00", b'{"x": {"copied": null}}', b"[" * 100000],
)
def test_missing_or_corrupt_state_file_costs_no_work(small_course: Path, content: bytes | None) -> None:
    prepare(small_course)
    notebook = write(small_course / "workspace/en" / NOTEBOOK, b"my answers")
    state = small_course / "workspace/en" / STATE_FOLDER / "state.json"
    if content is None:
        state.unlink()
    else:
        state.write_bytes(content)
    for _ in range(2):
        prepare(small_course)
        assert notebook.read_bytes() == b"my answers"
        # It is unknown to which version the notebook belongs, so the current version is added next to it.
        assert len(notebooks(small_course)) == 2
    assert json.loads(state.read_bytes())


@pytest.mark.parametrize("kind", ["folder", "dangling link", "link"])
def test_entry_with_the_name_of_a_lesson_is_left_alone(small_course: Path, kind: str) -> None:
    path = small_course / "workspace/en" / NOTEBOOK
    path.parent.mkdir(parents=True)
    target = small_course / "elsewhere.ipynb"
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(target)
    if kind == "link":
        target.write_bytes(b"my answers")
    prepare(small_course)
    assert path.is_dir() if kind == "folder" else path.is_symlink()
    assert target.exists() == (kind == "link")
    assert kind != "link" or target.read_bytes() == b"my answers"


def test_leftovers_of_a_release_are_not_copied(small_course: Path) -> None:
    write(small_course / "release/en" / FOLDER / ".ipynb_checkpoints/old.ipynb", b"")
    write(small_course / "release/en" / FOLDER / "__pycache__/x.pyc", b"")
    prepare(small_course)
    assert notebooks(small_course) == {NOTEBOOK}
    assert len(tree(small_course / "workspace/en")) == 3


def test_a_disk_that_fills_up_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullFile:
        def __enter__(self) -> "FullFile":
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    def open_full(path: Path, _: str) -> FullFile:
        path.touch()
        return FullFile()

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space"):
        workspace.create(tmp_path / "a.ipynb", b"lesson")
    assert list(tmp_path.iterdir()) == []


def test_state_is_not_written_through_a_link(small_course: Path) -> None:
    prepare(small_course)
    folder = small_course / "workspace/en" / STATE_FOLDER
    target = write(small_course / "outside.json", b"mine")
    for name in ("state.json.new", "state.json"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    prepare(small_course)
    assert target.read_bytes() == b"mine"
    assert not (folder / "state.json").is_symlink()
    for path in (*folder.iterdir(), folder):
        path.rmdir() if path.is_dir() else path.unlink()
    target_folder = write(small_course / "elsewhere/state.json", b"mine").parent
    folder.symlink_to(target_folder)
    with pytest.raises(LabError, match="is a link"):
        prepare(small_course)
    assert (target_folder / "state.json").read_bytes() == b"mine"


def test_impossible_file_name_in_the_state_does_not_stop_the_start(small_course: Path) -> None:
    prepare(small_course)
    write(small_course / "workspace/en" / NOTEBOOK, b"my answers")
    release(small_course, b"lesson, second version")
    prepare(small_course)
    state = small_course / "workspace/en" / STATE_FOLDER / "state.json"
    entry = json.loads(state.read_bytes())
    assert entry[NOTEBOOK]["beside"]
    entry[NOTEBOOK]["beside"] = "a" * 5_000
    state.write_text(json.dumps(entry))
    prepare(small_course)


@pytest.mark.skipif(os.name != "posix", reason="pipes with names are POSIX's")
def test_fifo_in_place_of_a_lesson_does_not_block_the_start(small_course: Path) -> None:
    path = small_course / "workspace/en" / NOTEBOOK
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    thread = threading.Thread(target=prepare, args=(small_course,), daemon=True)
    thread.start()
    thread.join(10.0)
    assert not thread.is_alive()


def test_two_starts_at_once_both_succeed(small_course: Path) -> None:
    prepare(small_course)
    folder = small_course / "workspace/en"
    state = read_state(folder)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write_state(folder, state), range(200)))
    assert read_state(folder) == state


def test_fifo_in_place_of_the_state_does_not_block_the_start(small_course: Path) -> None:
    prepare(small_course)
    state = small_course / "workspace/en" / STATE_FOLDER / "state.json"
    state.unlink()
    os.mkfifo(state)
    assert read_state(small_course / "workspace/en") == {}
