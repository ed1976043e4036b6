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


def test_lessons_are_copied_and_a_second_start_changes_nothing(house: Path) -> None:
    page = prepare(house)
    workspace = house / "workspace/en"
    before = tree(workspace)
    assert set(before) == {NOTEBOOK, f"{FOLDER}/picture.png", "START.md"}
    assert "| new |" in page
    assert prepare(house) == page
    assert tree(workspace) == before


def test_an_edited_file_is_never_touched(house: Path) -> None:
    prepare(house)
    own = write(house / "workspace/en" / NOTEBOOK, b"my answers")
    page = prepare(house)
    assert own.read_bytes() == b"my answers"
    assert notebooks(house) == {NOTEBOOK}
    assert "| in progress |" in page


def test_new_lesson_version_is_added_once_and_announced(house: Path) -> None:
    prepare(house)
    own = write(house / "workspace/en" / NOTEBOOK, b"my answers")
    release(house, b"lesson, second version")
    beside = f"{FOLDER}/{FOLDER} (new 2026-11-21).ipynb"
    for day in (DAY, DAY, date(2026, 12, 24)):
        page = prepare(house, day)
        assert notebooks(house) == {NOTEBOOK, beside}
        assert "| new version beside yours |" in page
        assert f"({FOLDER}/{FOLDER}%20%28new%202026-11-21%29.ipynb)" in page
    assert own.read_bytes() == b"my answers"
    assert (house / "workspace/en" / beside).read_bytes() == b"lesson, second version"


def test_a_file_that_was_not_edited_is_not_overwritten_either(house: Path) -> None:
    prepare(house)
    release(house, b"lesson, second version")
    prepare(house)
    assert (house / "workspace/en" / NOTEBOOK).read_bytes() == b"lesson, first version"
    assert len(notebooks(house)) == 2


def test_two_versions_of_one_day_lie_side_by_side(house: Path) -> None:
    prepare(house)
    for version in (b"second", b"third"):
        release(house, version)
        page = prepare(house)
    assert notebooks(house) == {
        NOTEBOOK,
        f"{FOLDER}/{FOLDER} (new 2026-11-21).ipynb",
        f"{FOLDER}/{FOLDER} (new 2026-11-21 2).ipynb",
    }
    assert "%202%29.ipynb" in page


def test_a_new_version_that_was_thrown_away_does_not_come_back(house: Path) -> None:
    prepare(house)
    release(house, b"second")
    prepare(house)
    (house / "workspace/en" / FOLDER / f"{FOLDER} (new 2026-11-21).ipynb").unlink()
    page = prepare(house)
    assert notebooks(house) == {NOTEBOOK}
    assert "New versions" not in page


def test_adopted_new_version_is_no_longer_announced(house: Path) -> None:
    prepare(house)
    release(house, b"second")
    prepare(house)
    beside = house / "workspace/en" / FOLDER / f"{FOLDER} (new 2026-11-21).ipynb"
    beside.replace(house / "workspace/en" / NOTEBOOK)
    page = prepare(house)
    assert notebooks(house) == {NOTEBOOK}
    assert "| new |" in page
    release(house, b"third")
    assert "| new version beside yours |" in prepare(house)


def test_deleted_lesson_is_copied_again(house: Path) -> None:
    prepare(house)
    (house / "workspace/en" / NOTEBOOK).unlink()
    prepare(house)
    assert (house / "workspace/en" / NOTEBOOK).read_bytes() == b"lesson, first version"


@pytest.mark.parametrize(
    "spoilt",
    [None, b"", b"{", b"[]", b"3", b'{"a": 3}', b"\xff\x00", b'{"x": {"copied": null}}', b"[" * 100000],
)
def test_missing_or_corrupt_state_file_costs_no_work(house: Path, spoilt: bytes | None) -> None:
    prepare(house)
    own = write(house / "workspace/en" / NOTEBOOK, b"my answers")
    state = house / "workspace/en" / STATE_FOLDER / "state.json"
    if spoilt is None:
        state.unlink()
    else:
        state.write_bytes(spoilt)
    for _ in range(2):
        prepare(house)
        assert own.read_bytes() == b"my answers"
        # It is unknown which version the answers were written for, so the current one is put next to them.
        assert len(notebooks(house)) == 2
    assert json.loads(state.read_bytes())


@pytest.mark.parametrize("kind", ["folder", "dangling link", "link"])
def test_entry_with_the_name_of_a_lesson_is_left_alone(house: Path, kind: str) -> None:
    name = house / "workspace/en" / NOTEBOOK
    name.parent.mkdir(parents=True)
    elsewhere = house / "elsewhere.ipynb"
    if kind == "folder":
        name.mkdir()
    else:
        name.symlink_to(elsewhere)
    if kind == "link":
        elsewhere.write_bytes(b"my answers")
    prepare(house)
    assert name.is_dir() if kind == "folder" else name.is_symlink()
    assert elsewhere.exists() == (kind == "link")
    assert kind != "link" or elsewhere.read_bytes() == b"my answers"


def test_leftovers_of_a_release_are_not_copied(house: Path) -> None:
    write(house / "release/en" / FOLDER / ".ipynb_checkpoints/old.ipynb", b"")
    write(house / "release/en" / FOLDER / "__pycache__/x.pyc", b"")
    prepare(house)
    assert notebooks(house) == {NOTEBOOK}
    assert len(tree(house / "workspace/en")) == 3


def test_a_disk_that_fills_up_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    def open_full(path: Path, _: str) -> Full:
        path.touch()
        return Full()

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space"):
        workspace.create(tmp_path / "a.ipynb", b"lesson")
    assert list(tmp_path.iterdir()) == []


def test_state_is_not_written_through_a_link(house: Path) -> None:
    prepare(house)
    folder = house / "workspace/en" / STATE_FOLDER
    outside = write(house / "outside.json", b"mine")
    for name in ("state.json.new", "state.json"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(outside)
    prepare(house)
    assert outside.read_bytes() == b"mine"
    assert not (folder / "state.json").is_symlink()
    for path in (*folder.iterdir(), folder):
        path.rmdir() if path.is_dir() else path.unlink()
    place = write(house / "elsewhere/state.json", b"mine").parent
    folder.symlink_to(place)
    with pytest.raises(LabError, match="is a link"):
        prepare(house)
    assert (place / "state.json").read_bytes() == b"mine"


def test_impossible_file_name_in_the_state_does_not_stop_the_start(house: Path) -> None:
    prepare(house)
    write(house / "workspace/en" / NOTEBOOK, b"my answers")
    release(house, b"lesson, second version")
    prepare(house)
    state = house / "workspace/en" / STATE_FOLDER / "state.json"
    entry = json.loads(state.read_bytes())
    assert entry[NOTEBOOK]["beside"]
    entry[NOTEBOOK]["beside"] = "a" * 5_000
    state.write_text(json.dumps(entry))
    prepare(house)


@pytest.mark.skipif(os.name != "posix", reason="pipes with names are POSIX's")
def test_fifo_in_place_of_a_lesson_does_not_block_the_start(house: Path) -> None:
    place = house / "workspace/en" / NOTEBOOK
    place.parent.mkdir(parents=True)
    os.mkfifo(place)
    starting = threading.Thread(target=prepare, args=(house,), daemon=True)
    starting.start()
    starting.join(10.0)
    assert not starting.is_alive()


def test_two_starts_at_once_both_succeed(house: Path) -> None:
    prepare(house)
    place = house / "workspace/en"
    state = read_state(place)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write_state(place, state), range(200)))
    assert read_state(place) == state


def test_fifo_in_place_of_the_state_does_not_block_the_start(house: Path) -> None:
    prepare(house)
    state = house / "workspace/en" / STATE_FOLDER / "state.json"
    state.unlink()
    os.mkfifo(state)
    assert read_state(house / "workspace/en") == {}
