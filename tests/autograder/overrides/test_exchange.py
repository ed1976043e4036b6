"""Tests of nbgrader's exchange: each notebook gets its page, and no user can take over the class's folder."""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import v4
from nbgrader.apps import CollectApp, FetchFeedbackApp, ReleaseAssignmentApp, ReleaseFeedbackApp

from autograder.overrides import exchange
from tests.support.small_class import STEPS, InProcessWorkers, answered_notebook, fake_result, hand_in, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the exchange is Linux's")

SECRET, TIMESTAMP = "f" * 128, "2026-10-10 12:00:00.000000 UTC"


def submit(course_root: Path, home: Path, text: str, *names: str) -> None:
    """Submit notebooks with these names for Ann, and copy her submission into her cache, as nbgrader does."""
    path = hand_in(course_root, "ann", text, timestamp=TIMESTAMP)
    for name in names:
        shutil.copy(path, path.with_name(name))
    path.unlink()
    (path.parent / "submission_secret.txt").write_text(SECRET)
    shutil.copytree(path.parent, home / "cache" / "secant" / f"ann+{STEPS}+{TIMESTAMP}", dirs_exist_ok=True)


def fetch_feedback(course_root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Release the feedback, fetch Ann's pages, and return the pages by file name."""
    for app, folder in ((ReleaseFeedbackApp(), course_root), (FetchFeedbackApp(), home)):
        monkeypatch.chdir(folder)
        app.initialize([STEPS])
        app.start()
    return {page.name: page.read_text() for page in (home / STEPS / "feedback").glob("*/*.html")}


@pytest.mark.parametrize(
    "names",
    [
        ["homework.ipynb"],
        ["나의\u202f답 (2).ipynb"],
        [f"{STEPS}.ko.ipynb", f"{STEPS} (1).ipynb", f"{STEPS}.ipynb.ipynb"],
    ],
)
def test_a_renamed_notebook_gets_its_page(
    course_root: Path,
    correct_answers: dict[str, str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
) -> None:
    submit(course_root, home, notebook_text(course_root, correct_answers), *names)
    run(course_root, InProcessWorkers(fake_result))
    page = (course_root / "feedback" / "ann" / STEPS / f"{STEPS}.html").read_text()
    assert fetch_feedback(course_root, home, monkeypatch) == {
        f"{name.removesuffix('.ipynb')}.html": page for name in names
    }


def test_pages_of_an_assignment_with_two_notebooks_keep_their_names(
    course_root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(course_root, home, "{}", "problem1.ipynb", "problem2.ipynb")
    pages = {f"problem{number}.html": f"page {number}" for number in (1, 2)}
    folder = course_root / "feedback" / "ann" / STEPS
    folder.mkdir(parents=True)
    for name, text in {**pages, "submission_secret.txt": SECRET, "timestamp.txt": TIMESTAMP}.items():
        (folder / name).write_text(text)
    assert fetch_feedback(course_root, home, monkeypatch) == pages


def test_undecodable_names_and_many_notebooks_do_not_stop_feedback(
    course_root: Path, correct_answers: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = notebook_text(course_root, correct_answers)
    submit(course_root, home, text, *(f"00{number:02}.ipynb" for number in range(100)), f"{STEPS} (1).ipynb")
    (course_root / "submitted" / "ann" / STEPS / "bad\udcff.ipynb").write_text(text)
    run(course_root, InProcessWorkers(fake_result))
    pages = fetch_feedback(course_root, home, monkeypatch)
    assert f"{STEPS} (1).html" in pages
    assert len(pages) == 20


def notebook_text(course_root: Path, correct_answers: dict[str, str]) -> str:
    return v4.writes(answered_notebook(course_root, correct_answers))


def release(course_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Release the lesson, as `nbgrader release_assignment` does."""
    monkeypatch.chdir(course_root)
    app = ReleaseAssignmentApp()
    app.initialize([STEPS])
    app.start()


def test_release_sets_the_sticky_bit_on_exchange_folders(
    course_root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange_folder = home.parent / "exchange"
    exchange_folder.chmod(0o777)
    release(course_root, monkeypatch)
    for folder in (exchange_folder, exchange_folder / "secant" / "inbound"):
        assert folder.stat().st_mode & stat.S_ISVTX
    assert stat.S_IMODE(exchange_folder.stat().st_mode) == 0o1777
    assert not (exchange_folder / "secant").stat().st_mode & 0o022


@pytest.mark.parametrize("command", [release, fetch_feedback])
def test_release_through_a_linked_exchange_folder_is_refused(
    course_root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., object]
) -> None:
    outside_folder = home.parent / "elsewhere"
    outside_folder.mkdir()
    (home.parent / "exchange" / "secant").symlink_to(outside_folder)
    with pytest.raises(SystemExit):
        command(course_root, monkeypatch) if command is release else command(course_root, home, monkeypatch)
    assert not list(outside_folder.iterdir())


def test_full_disk_while_collecting_is_not_reported_as_the_students_fault(
    course_root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fill_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (home.parent / "exchange" / "secant" / "inbound" / f"ann+{STEPS}+{TIMESTAMP}+x").mkdir(parents=True)
    monkeypatch.setattr(exchange, "copy_folder", fill_disk)
    monkeypatch.chdir(course_root)
    app = CollectApp()
    app.log.addHandler(caplog.handler)
    app.initialize([STEPS, "--ExchangeCollect.check_owner=False"])
    app.start()
    (line,) = [line for line in caplog.text.splitlines() if "ann" in line and "No space left" in line]
    assert "Make room on the disk of the course" in line
    assert "Ask the student" not in line


def test_size_of_a_folder_to_list_is_read_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b"four")
    (tmp_path / "b.ipynb").symlink_to(tmp_path / "missing")
    (tmp_path / "c.txt").write_bytes(b"not read by nbgrader")
    link_size = (tmp_path / "b.ipynb").lstat().st_size
    assert exchange._listed_size(str(tmp_path)) == 4 + link_size
