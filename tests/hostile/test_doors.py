"""The exchange: folders that students put into it as users of the system, and their collection."""

import os
import signal
import socket
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from autograder.overrides.copying import Limits, NotCopied, copy_folder, open_folder
from tests.support.doors import WHEN, Server, own, server
from tests.support.people import SEPARATE
from tests.support.small_class import STEPS

pytestmark = [
    pytest.mark.slow,  # nbgrader starts three times
    pytest.mark.skipif(not SEPARATE or sys.platform != "linux", reason="only root may become other users"),
]
SECRET, EARLIER, NOTEBOOK = "the secret of another", "what was handed in before", f"{STEPS}.ipynb"
LATER = "2027-01-01 12:00:00.000000 UTC"
HONEST = [f"honest{number:02}" for number in range(30)]


def linked(target: Callable[[Server], Path | str]) -> Callable[[Server, Path], None]:
    """Return a trick that puts a link in place of the notebook."""
    return lambda there, folder: (folder / NOTEBOOK).symlink_to(target(there))


def handed_in(folder: Path) -> None:
    folder.mkdir()
    (folder / NOTEBOOK).write_text("x")


def deep(there: Server, folder: Path) -> None:
    place = folder
    for _ in range(200):
        place = place / "deeper"
        place.mkdir()


def many(there: Server, folder: Path) -> None:
    for number in range(1_200):
        (folder / f"{number}.txt").touch()


def huge(there: Server, folder: Path) -> None:
    for number in range(6):  # sparse files, which take no room until they are copied
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(50_000_000)


def bound(there: Server, folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        os.chdir(folder)
        end.bind(NOTEBOOK)


def closed(there: Server, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o000)


def own_hard_link(there: Server, folder: Path) -> None:
    (folder / NOTEBOOK).write_text("{}")
    os.link(folder / NOTEBOOK, folder / "other.ipynb")


#: Tricks by name: a function that fills the student's own folder, and words of the collector's line about it.
TRICKS: dict[str, tuple[Callable[[Server, Path], None], str]] = {
    "source": (linked(lambda there: there.course / "source" / STEPS / NOTEBOOK), "is a link"),
    "neighbour": (
        linked(lambda there: there.course / "submitted" / "victim" / STEPS / NOTEBOOK),
        "is a link",
    ),
    "gradebook": (linked(lambda there: there.course / "gradebook.db"), "is a link"),
    "tree": (linked(lambda there: there.course / "source"), "is a link"),
    "dangling": (linked(lambda there: "nowhere"), "is a link"),
    "pipe": (lambda there, folder: os.mkfifo(folder / NOTEBOOK), "is a pipe"),
    "socket": (bound, "is a socket"),
    "twins": (own_hard_link, "hard link"),
    "deep": (deep, "nested more than 20 deep"),
    "many": (many, "more than 1,000 files"),
    "huge": (huge, "larger than 100 MB"),
    "closed": (closed, "Permission denied"),
    "shut": (lambda there, folder: folder.chmod(0o000), "Permission denied"),
}
#: Submissions that are not simply a student's own folder, with words of the collector's line about each.
FORGED = {
    "hardlink": "hard link",
    "mallory": "It claims to be victim's, but belongs to mallory.",
    "folderlink": "It is a link, not a folder.",
    "unknown": "It claims to be unknown's, but belongs to mallory.",
    "badtime": "Its name is not",
}


class Collected:
    """The server after its only collection, with the collector's output (`said`)."""

    def __init__(self, there: Server) -> None:
        self.server = there
        for name in ("victim", *HONEST):
            there.submit(name, f'"{name}"')
        for name, (trick, _) in TRICKS.items():
            there.act(name, partial(self._play, name, trick))
        self._forge()
        for name in TRICKS:
            self._hand_in_before(name)
        secret = there.course / "source" / STEPS / NOTEBOOK
        secret.parent.mkdir(parents=True)
        secret.write_text(SECRET)
        self._hand_in_before("victim", SECRET)
        os.link(secret, there.folder("hardlink") / NOTEBOOK)
        own(there.course)
        self.said = there.nbgrader("collect", "--update", STEPS)

    def _play(self, name: str, trick: Callable[[Server, Path], None]) -> None:
        folder = self.server.folder(name)
        folder.mkdir()
        trick(self.server, folder)

    def _forge(self) -> None:
        there = self.server
        there.act("hardlink", there.folder("hardlink").mkdir)
        for name in ("victim", "unknown"):
            forged = there.folder(name, when=LATER)
            there.act("mallory", partial(handed_in, forged))
        there.act("folderlink", lambda: there.folder("folderlink").symlink_to(there.course / "source"))
        for number in range(100):
            there.act("flooder", (there.inbound / f"{number}+{STEPS}+soon").mkdir)
        for odd in ("badtime+{}+soon", "..+{}+2027-01-01", "a+b+{}+2027-01-01 10:00+z", "+{}+"):
            there.act("badtime", (there.inbound / odd.format(STEPS)).mkdir)

    def _hand_in_before(self, name: str, text: str = EARLIER) -> None:
        folder = self.server.course / "submitted" / name / STEPS
        folder.mkdir(parents=True)
        (folder / NOTEBOOK).write_text(text)
        (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")

    def line(self, words: str, name: str) -> bool:
        """Return whether the collector's table has a line that contains these words and a student's name."""
        return any(name in line and words in line for line in self.said.splitlines())


@pytest.fixture(scope="module")
def collected() -> Iterator[Collected]:
    names = ["victim", "mallory", "hardlink", "folderlink", "badtime", "flooder", *TRICKS, *HONEST]
    with server(names) as there:
        yield Collected(there)


def test_honest_submissions_are_collected_despite_hostile_folders(collected: Collected) -> None:
    for name in ("victim", *HONEST):
        assert collected.server.collected(name) == f'"{name}"', collected.said


@pytest.mark.parametrize("name", TRICKS)
def test_hostile_exchange_folder_is_reported_and_the_earlier_submission_kept(
    collected: Collected, name: str
) -> None:
    assert collected.line(TRICKS[name][1], name), collected.said
    folder = collected.server.course / "submitted" / name / STEPS
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        NOTEBOOK: EARLIER,
        "timestamp.txt": "2026-01-01 00:00:00 UTC",
    }


@pytest.mark.parametrize("name", FORGED)
def test_forged_exchange_folder_is_reported_and_collected_for_no_student(
    collected: Collected, name: str
) -> None:
    assert FORGED[name] in collected.said
    assert collected.server.collected(name) is None


def test_collecting_leaves_no_course_file_or_partial_file_in_submitted(collected: Collected) -> None:
    submitted = collected.server.course / "submitted"
    assert {path.name for path in submitted.iterdir()} == {"victim", *HONEST, *TRICKS}
    assert not any(path.is_symlink() for path in submitted.rglob("*"))
    assert not any(SECRET in path.read_text() for path in submitted.rglob("*") if path.is_file())
    assert not (collected.server.course / STEPS).exists()


@pytest.mark.whole
def test_listing_the_inbound_folder_follows_no_link_and_never_blocks(collected: Collected) -> None:
    said = collected.server.nbgrader("list", "--inbound", STEPS)
    assert all(f"{name} {STEPS}" in said for name in HONEST)
    assert not any(f"secant {name} {STEPS}" in said for name in ("pipe", "source", "dangling"))


#: Ten kinds of hostile folders, one per student; "claims" submits in other students' names.
TEN = ("source", "neighbour", "gradebook", "dangling", "pipe", "socket", "deep", "many", "huge", "claims")


@pytest.mark.whole
def test_ten_hostile_folders_in_a_class_of_forty_cost_no_honest_student_a_file() -> None:
    kinds = {f"hostile{number}": kind for number, kind in enumerate(TEN)}
    with server([*HONEST, *kinds]) as there:
        for name in HONEST[::2]:
            there.submit(name, f'"{name}"')
        for name, kind in kinds.items():
            folder = there.folder(name)
            there.act(name, folder.mkdir)
            if kind == "claims":
                for victim in HONEST:
                    there.act(name, partial(handed_in, there.folder(victim, when=LATER)))
            else:
                there.act(name, partial(TRICKS[kind][0], there, folder))
        for name in HONEST[1::2]:
            there.submit(name, f'"{name}"')
        said = there.nbgrader("collect", STEPS)
        assert len(list((there.course / "submitted").iterdir())) == len(HONEST) + 1
        for name in HONEST:
            assert there.collected(name) == f'"{name}"', said
        for name, kind in kinds.items():
            if kind in TRICKS:
                assert there.collected(name) is None
                assert any(name in line and TRICKS[kind][1] in line for line in said.splitlines()), said
        assert "belongs to hostile9" in said


#: Folders that nbgrader cannot list, or would print unescaped: the beginning of the name, and the files.
UNLISTED: dict[str, tuple[bytes, dict[bytes, bytes | None]]] = {
    "escapes": (b"eve\x1b]0;pwned\x07", {}),
    "direction": ("eve\u202e".encode(), {}),
    "two lines": (b"eve\nsecant ann", {}),
    "bytes": (b"eve\xff", {}),
    "bytes of a notebook": (b"eve1", {b"\xff.ipynb": b"{}"}),
    "bytes of a secret": (b"eve2", {b"submission_secret.txt": b"\xff"}),
    "folder": (b"eve3", {b"x.ipynb": None}),
}


@pytest.mark.whole
def test_no_folder_ends_the_list_of_the_inbound_folder_or_steers_the_terminal() -> None:
    with server(["ann", "eve"]) as there:
        there.submit("ann")
        for number, (begin, files) in enumerate(UNLISTED.values()):
            folder = os.fsencode(there.inbound) + b"/" + begin + f"+{STEPS}+{WHEN}+{number}".encode()
            there.act("eve", partial(_write_bytes, folder, {NOTEBOOK.encode(): b"{}", **files}))
        closed, large = there.folder("eve4"), there.folder("eve5")
        for path in (closed, large):
            there.act("eve", partial(handed_in, path))
        there.act("eve", partial((closed / NOTEBOOK).chmod, 0o000))
        there.act("eve", partial(os.truncate, large / NOTEBOOK, 30_000_000))
        said = there.nbgrader("list", "--inbound", STEPS)
    lines = said.splitlines()
    assert sum("secant ann" in line and "Not listed" not in line for line in lines) == 1
    assert sum("Not listed" in line for line in lines) == len(UNLISTED) + 2
    assert not any(char in said for char in "\x1b\x07\u202e")


def _write_bytes(folder: bytes, files: dict[bytes, bytes | None]) -> None:
    """Make a folder with these files; None stands for a folder."""
    os.mkdir(folder)
    for name, content in files.items():
        path = os.path.join(folder, name)
        if content is None:
            os.mkdir(path)
        else:
            with open(path, "wb") as file:
                file.write(content)


@pytest.mark.whole
def test_inbound_folder_that_lies_on_another_disk_is_collected() -> None:
    with server(["ann"]) as there:
        there.submit("ann", "x")
        there.inbound.rename(there.place / "large-disk")
        there.inbound.symlink_to(there.place / "large-disk")
        there.nbgrader("collect", STEPS)
        assert there.collected("ann") == "x"


def test_file_swapped_for_a_link_during_collection_never_wins(tmp_path: Path) -> None:
    with server(["racer"]) as there:
        secret = there.course / NOTEBOOK
        secret.write_text(SECRET)
        there.submit("racer", '"racer"')
        racer = os.fork()
        if racer == 0:
            _swap(there, there.folder("racer"), secret)
        texts = set()
        try:
            for number in range(2_000):
                target = tmp_path / str(number)
                with suppress(NotCopied, OSError), open_folder(str(there.folder("racer"))) as folder:
                    copy_folder(folder, target, Limits(1_000, lambda name, status: name != NOTEBOOK))
                    texts |= {path.read_text() for path in target.iterdir()}
        finally:
            os.kill(racer, signal.SIGKILL)
            os.waitpid(racer, 0)
        assert texts == {'"racer"'}


def _swap(there: Server, folder: Path, secret: Path) -> None:
    """Swap the notebook for a link and back repeatedly, as the student, until this process is killed."""
    try:
        os.setgid(there.students["racer"])
        os.setuid(there.students["racer"])
        notebook, link, file = folder / NOTEBOOK, folder / "link", folder / "file"
        link.symlink_to(secret)
        until = time.monotonic() + 100
        while time.monotonic() < until:
            notebook.rename(file)
            link.rename(notebook)
            notebook.rename(link)
            file.rename(notebook)
    finally:
        os._exit(1)


@pytest.mark.whole
def test_class_without_user_accounts_can_disable_the_owner_check() -> None:
    with server(["shared"], "c.ExchangeCollect.check_owner = False\n") as there:
        for name in ("ann", "bob"):
            folder = there.folder(name)
            there.act("shared", partial(handed_in, folder))
        eve = there.folder("eve")
        there.act("shared", eve.mkdir)
        there.act("shared", partial(os.mkfifo, eve / NOTEBOOK))
        odd = ("ann+tag@school.kr", "two words", unicodedata.normalize("NFD", "김민지"))
        for name in odd:
            there.act("shared", partial(handed_in, there.folder(name)))
        said = there.nbgrader("collect", STEPS)
        assert said.count("no student id") == len(odd)
        assert "Give the student another user name" in said
        assert [there.collected(name) for name in ("ann", "bob", "eve")] == ["x", "x", None]
        assert "eve" in said
        assert "is a pipe" in said
