"""Tests of small JSON files that may be damaged, and of the lock next to a file."""

import os
from pathlib import Path

import pytest

from secant.files import locked, read_json


def parse(data: dict[str, str]) -> list[str]:
    """Return the words in a file's data; raise an error if the data have another form, as real readers do."""
    return [data["first"], data["second"].upper()]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"first": "a"}', b'{"first": 1, "second": 2}', b"\xff", b"[" * 10**5],
)
def test_damaged_json_gives_the_default(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "state.json"
    file.write_bytes(content)
    assert read_json(file, parse, ["default"]) == ["default"]


def test_json_of_the_right_form_is_converted(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_bytes(b'{"first": "a", "second": "b"}')
    assert read_json(file, parse, []) == ["a", "B"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are of POSIX")
def test_missing_file_folder_and_pipe_give_the_default(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path, tmp_path / "pipe"):
        assert read_json(path, parse, ["default"]) == ["default"]


def test_lock_creates_its_folder_and_is_released_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "new" / "state.json"
    for _ in range(2):
        with locked(file, 0.1):
            assert file.with_name("state.json.lock").exists()


def test_file_that_cannot_have_a_lock_is_written_without_one(tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    calls = []
    with locked(tmp_path / "a file" / "state.json", 0.1):
        calls.append(True)
    assert calls
