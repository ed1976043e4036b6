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
from tests.support.small_class import STEPS, Here, answered, hand_in, run, told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the exchange is Linux's")

SECRET, WHEN = "f" * 128, "2026-10-10 12:00:00.000000 UTC"


def submitted(room: Path, home: Path, text: str, *names: str) -> None:
    """Submit notebooks with these names for Ann, and put a copy into her cache, as nbgrader does."""
    path = hand_in(room, "ann", text, timestamp=WHEN)
    for name in names:
        shutil.copy(path, path.with_name(name))
    path.unlink()
    (path.parent / "submission_secret.txt").write_text(SECRET)
    shutil.copytree(path.parent, home / "cache" / "secant" / f"ann+{STEPS}+{WHEN}", dirs_exist_ok=True)


def fetched(room: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Release the feedback, fetch Ann's pages, and return the pages by file name."""
    for app, place in ((ReleaseFeedbackApp(), room), (FetchFeedbackApp(), home)):
        monkeypatch.chdir(place)
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
    room: Path, right: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    submitted(room, home, answered_text(room, right), *names)
    run(room, Here(told))
    page = (room / "feedback" / "ann" / STEPS / f"{STEPS}.html").read_text()
    assert fetched(room, home, monkeypatch) == {f"{name.removesuffix('.ipynb')}.html": page for name in names}


def test_pages_of_an_assignment_with_two_notebooks_keep_their_names(
    room: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(room, home, "{}", "problem1.ipynb", "problem2.ipynb")
    pages = {f"problem{number}.html": f"page {number}" for number in (1, 2)}
    folder = room / "feedback" / "ann" / STEPS
    folder.mkdir(parents=True)
    for name, text in {**pages, "submission_secret.txt": SECRET, "timestamp.txt": WHEN}.items():
        (folder / name).write_text(text)
    assert fetched(room, home, monkeypatch) == pages


def test_undecodable_names_and_many_notebooks_do_not_stop_feedback(
    room: Path, right: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = answered_text(room, right)
    submitted(room, home, text, *(f"00{number:02}.ipynb" for number in range(100)), f"{STEPS} (1).ipynb")
    (room / "submitted" / "ann" / STEPS / "bad\udcff.ipynb").write_text(text)
    run(room, Here(told))
    pages = fetched(room, home, monkeypatch)
    assert f"{STEPS} (1).html" in pages
    assert len(pages) == 20


def answered_text(room: Path, right: dict[str, str]) -> str:
    return v4.writes(answered(room, right))


def release(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Release the lesson, as `nbgrader release_assignment` does."""
    monkeypatch.chdir(room)
    app = ReleaseAssignmentApp()
    app.initialize([STEPS])
    app.start()


def test_release_sets_the_sticky_bit_on_exchange_folders(
    room: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = home.parent / "exchange"
    exchange.chmod(0o777)
    release(room, monkeypatch)
    for folder in (exchange, exchange / "secant" / "inbound"):
        assert folder.stat().st_mode & stat.S_ISVTX
    assert stat.S_IMODE(exchange.stat().st_mode) == 0o1777
    assert not (exchange / "secant").stat().st_mode & 0o022


@pytest.mark.parametrize("act", [release, fetched])
def test_release_through_a_linked_exchange_folder_is_refused(
    room: Path, home: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    elsewhere = home.parent / "elsewhere"
    elsewhere.mkdir()
    (home.parent / "exchange" / "secant").symlink_to(elsewhere)
    with pytest.raises(SystemExit):
        act(room, monkeypatch) if act is release else act(room, home, monkeypatch)
    assert not list(elsewhere.iterdir())


def test_full_disk_while_collecting_is_not_reported_as_the_students_fault(
    room: Path, home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fill_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (home.parent / "exchange" / "secant" / "inbound" / f"ann+{STEPS}+{WHEN}+x").mkdir(parents=True)
    monkeypatch.setattr(exchange, "copy_folder", fill_disk)
    monkeypatch.chdir(room)
    app = CollectApp()
    app.log.addHandler(caplog.handler)
    app.initialize([STEPS, "--ExchangeCollect.check_owner=False"])
    app.start()
    (line,) = [line for line in caplog.text.splitlines() if "ann" in line and "No space left" in line]
    assert "Make room on the disk of the course" in line
    assert "Ask the student" not in line
