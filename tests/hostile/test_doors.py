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
from tests.support.doors import TIMESTAMP, Server, give_to_instructor, server
from tests.support.people import SEPARATE
from tests.support.small_class import STEPS

pytestmark = [
    pytest.mark.slow,  # nbgrader starts three times
    pytest.mark.skipif(not SEPARATE or sys.platform != "linux", reason="only root may become other users"),
]
SECRET, EARLIER, NOTEBOOK = "the secret of another", "what was handed in before", f"{STEPS}.ipynb"
LATER = "2027-01-01 12:00:00.000000 UTC"
HONEST = [f"honest{number:02}" for number in range(30)]


def link_notebook_to(target: Callable[[Server], Path | str]) -> Callable[[Server, Path], None]:
    """Return a trick that puts a link in place of the notebook."""
    return lambda exchange, folder: (folder / NOTEBOOK).symlink_to(target(exchange))


def hand_in(folder: Path) -> None:
    folder.mkdir()
    (folder / NOTEBOOK).write_text("x")


def nest_folders(exchange: Server, folder: Path) -> None:
    current = folder
    for _ in range(200):
        current = current / "deeper"
        current.mkdir()


def make_many_files(exchange: Server, folder: Path) -> None:
    for number in range(1_200):
        (folder / f"{number}.txt").touch()


def make_huge_files(exchange: Server, folder: Path) -> None:
    for number in range(6):  # sparse files, which take no room until they are copied
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(50_000_000)


def bind_socket(exchange: Server, folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        os.chdir(folder)
        sock.bind(NOTEBOOK)


def close_folder(exchange: Server, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o000)


def hard_link_own_file(exchange: Server, folder: Path) -> None:
    (folder / NOTEBOOK).write_text("{}")
    os.link(folder / NOTEBOOK, folder / "other.ipynb")


#: Tricks by name: a function that fills the student's folder, and words that the collector prints about it.
TRICKS: dict[str, tuple[Callable[[Server, Path], None], str]] = {
    "source": (link_notebook_to(lambda exchange: exchange.course / "source" / STEPS / NOTEBOOK), "is a link"),
    "neighbour": (
        link_notebook_to(lambda exchange: exchange.course / "submitted" / "victim" / STEPS / NOTEBOOK),
        "is a link",
    ),
    "gradebook": (link_notebook_to(lambda exchange: exchange.course / "gradebook.db"), "is a link"),
    "tree": (link_notebook_to(lambda exchange: exchange.course / "source"), "is a link"),
    "dangling": (link_notebook_to(lambda exchange: "nowhere"), "is a link"),
    "pipe": (lambda exchange, folder: os.mkfifo(folder / NOTEBOOK), "is a pipe"),
    "socket": (bind_socket, "is a socket"),
    "twins": (hard_link_own_file, "hard link"),
    "deep": (nest_folders, "nested more than 20 deep"),
    "many": (make_many_files, "more than 1,000 files"),
    "huge": (make_huge_files, "larger than 100 MB"),
    "closed": (close_folder, "Permission denied"),
    "shut": (lambda exchange, folder: folder.chmod(0o000), "Permission denied"),
}
#: Forged submissions (a false owner or name, or a link), with words that the collector prints about each.
FORGED = {
    "hardlink": "hard link",
    "mallory": "It claims to be victim's, but belongs to mallory.",
    "folderlink": "It is a link, not a folder.",
    "unknown": "It claims to be unknown's, but belongs to mallory.",
    "badtime": "Its name is not",
}


class Collection:
    """The server after a single collection of the submissions, with the collector's output."""

    def __init__(self, exchange: Server) -> None:
        self.server = exchange
        for name in ("victim", *HONEST):
            exchange.submit(name, f'"{name}"')
        for name, (trick, _) in TRICKS.items():
            exchange.act(name, partial(self._play_trick, name, trick))
        self._forge()
        for name in TRICKS:
            self._add_earlier_submission(name)
        secret = exchange.course / "source" / STEPS / NOTEBOOK
        secret.parent.mkdir(parents=True)
        secret.write_text(SECRET)
        self._add_earlier_submission("victim", SECRET)
        os.link(secret, exchange.folder("hardlink") / NOTEBOOK)
        give_to_instructor(exchange.course)
        self.output = exchange.nbgrader("collect", "--update", STEPS)

    def _play_trick(self, name: str, trick: Callable[[Server, Path], None]) -> None:
        folder = self.server.folder(name)
        folder.mkdir()
        trick(self.server, folder)

    def _forge(self) -> None:
        exchange = self.server
        exchange.act("hardlink", exchange.folder("hardlink").mkdir)
        for name in ("victim", "unknown"):
            forged_folder = exchange.folder(name, timestamp=LATER)
            exchange.act("mallory", partial(hand_in, forged_folder))
        exchange.act(
            "folderlink", lambda: exchange.folder("folderlink").symlink_to(exchange.course / "source")
        )
        for number in range(100):
            exchange.act("flooder", (exchange.inbound / f"{number}+{STEPS}+soon").mkdir)
        for name_format in ("badtime+{}+soon", "..+{}+2027-01-01", "a+b+{}+2027-01-01 10:00+z", "+{}+"):
            exchange.act("badtime", (exchange.inbound / name_format.format(STEPS)).mkdir)

    def _add_earlier_submission(self, name: str, text: str = EARLIER) -> None:
        folder = self.server.course / "submitted" / name / STEPS
        folder.mkdir(parents=True)
        (folder / NOTEBOOK).write_text(text)
        (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")

    def has_line(self, text: str, name: str) -> bool:
        """Return whether the collector's table has a line that contains these words and a student's name."""
        return any(name in line and text in line for line in self.output.splitlines())


@pytest.fixture(scope="module")
def collection() -> Iterator[Collection]:
    names = ["victim", "mallory", "hardlink", "folderlink", "badtime", "flooder", *TRICKS, *HONEST]
    with server(names) as exchange:
        yield Collection(exchange)


def test_honest_submissions_are_collected_despite_hostile_folders(collection: Collection) -> None:
    for name in ("victim", *HONEST):
        assert collection.server.collected_text(name) == f'"{name}"', collection.output


@pytest.mark.parametrize("name", TRICKS)
def test_hostile_exchange_folder_is_reported_and_the_earlier_submission_kept(
    collection: Collection, name: str
) -> None:
    assert collection.has_line(TRICKS[name][1], name), collection.output
    folder = collection.server.course / "submitted" / name / STEPS
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        NOTEBOOK: EARLIER,
        "timestamp.txt": "2026-01-01 00:00:00 UTC",
    }


@pytest.mark.parametrize("name", FORGED)
def test_forged_exchange_folder_is_reported_and_collected_for_no_student(
    collection: Collection, name: str
) -> None:
    assert FORGED[name] in collection.output
    assert collection.server.collected_text(name) is None


def test_collecting_leaves_no_course_file_or_partial_file_in_submitted(collection: Collection) -> None:
    submitted = collection.server.course / "submitted"
    assert {path.name for path in submitted.iterdir()} == {"victim", *HONEST, *TRICKS}
    assert not any(path.is_symlink() for path in submitted.rglob("*"))
    assert not any(SECRET in path.read_text() for path in submitted.rglob("*") if path.is_file())
    assert not (collection.server.course / STEPS).exists()


@pytest.mark.whole
def test_listing_the_inbound_folder_follows_no_link_and_never_blocks(collection: Collection) -> None:
    output = collection.server.nbgrader("list", "--inbound", STEPS)
    assert all(f"{name} {STEPS}" in output for name in HONEST)
    assert not any(f"secant {name} {STEPS}" in output for name in ("pipe", "source", "dangling"))


#: Ten kinds of hostile folders, one per student; "claims" submits in other students' names.
HOSTILE_KINDS = (
    "source",
    "neighbour",
    "gradebook",
    "dangling",
    "pipe",
    "socket",
    "deep",
    "many",
    "huge",
    "claims",
)


@pytest.mark.whole
def test_ten_hostile_folders_in_a_class_of_forty_cost_no_honest_student_a_file() -> None:
    kinds = {f"hostile{number}": kind for number, kind in enumerate(HOSTILE_KINDS)}
    with server([*HONEST, *kinds]) as exchange:
        for name in HONEST[::2]:
            exchange.submit(name, f'"{name}"')
        for name, kind in kinds.items():
            folder = exchange.folder(name)
            exchange.act(name, folder.mkdir)
            if kind == "claims":
                for victim in HONEST:
                    exchange.act(name, partial(hand_in, exchange.folder(victim, timestamp=LATER)))
            else:
                exchange.act(name, partial(TRICKS[kind][0], exchange, folder))
        for name in HONEST[1::2]:
            exchange.submit(name, f'"{name}"')
        output = exchange.nbgrader("collect", STEPS)
        assert len(list((exchange.course / "submitted").iterdir())) == len(HONEST) + 1
        for name in HONEST:
            assert exchange.collected_text(name) == f'"{name}"', output
        for name, kind in kinds.items():
            if kind in TRICKS:
                assert exchange.collected_text(name) is None
                assert any(name in line and TRICKS[kind][1] in line for line in output.splitlines()), output
        assert "belongs to hostile9" in output


#: Folders that nbgrader cannot list, or whose names it would print unescaped: the name's start and the files.
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
def test_odd_folder_names_neither_stop_the_listing_nor_control_the_terminal() -> None:
    with server(["ann", "eve"]) as exchange:
        exchange.submit("ann")
        for number, (prefix, files) in enumerate(UNLISTED.values()):
            folder = os.fsencode(exchange.inbound) + b"/" + prefix + f"+{STEPS}+{TIMESTAMP}+{number}".encode()
            exchange.act("eve", partial(_write_bytes, folder, {NOTEBOOK.encode(): b"{}", **files}))
        unreadable, large = exchange.folder("eve4"), exchange.folder("eve5")
        for path in (unreadable, large):
            exchange.act("eve", partial(hand_in, path))
        exchange.act("eve", partial((unreadable / NOTEBOOK).chmod, 0o000))
        exchange.act("eve", partial(os.truncate, large / NOTEBOOK, 30_000_000))
        output = exchange.nbgrader("list", "--inbound", STEPS)
    lines = output.splitlines()
    assert sum("secant ann" in line and "Not listed" not in line for line in lines) == 1
    assert sum("Not listed" in line for line in lines) == len(UNLISTED) + 2
    assert not any(char in output for char in "\x1b\x07\u202e")


def _write_bytes(folder: bytes, files: dict[bytes, bytes | None]) -> None:
    """Make a folder with these files; a file whose content is None becomes a subfolder."""
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
    with server(["ann"]) as exchange:
        exchange.submit("ann", "x")
        exchange.inbound.rename(exchange.root / "large-disk")
        exchange.inbound.symlink_to(exchange.root / "large-disk")
        exchange.nbgrader("collect", STEPS)
        assert exchange.collected_text("ann") == "x"


def test_file_swapped_for_a_link_during_collection_is_never_followed(tmp_path: Path) -> None:
    with server(["racer"]) as exchange:
        secret = exchange.course / NOTEBOOK
        secret.write_text(SECRET)
        exchange.submit("racer", '"racer"')
        racer = os.fork()
        if racer == 0:
            _swap(exchange, exchange.folder("racer"), secret)
        texts = set()
        try:
            for number in range(2_000):
                target = tmp_path / str(number)
                with suppress(NotCopied, OSError), open_folder(str(exchange.folder("racer"))) as folder:
                    copy_folder(folder, target, Limits(1_000, lambda name, status: name != NOTEBOOK))
                    texts |= {path.read_text() for path in target.iterdir()}
        finally:
            os.kill(racer, signal.SIGKILL)
            os.waitpid(racer, 0)
        assert texts == {'"racer"'}


def _swap(exchange: Server, folder: Path, secret: Path) -> None:
    """Swap the notebook for a link and back repeatedly, as the student, until this process is killed."""
    try:
        os.setgid(exchange.students["racer"])
        os.setuid(exchange.students["racer"])
        notebook, link, file = folder / NOTEBOOK, folder / "link", folder / "file"
        link.symlink_to(secret)
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline:
            notebook.rename(file)
            link.rename(notebook)
            notebook.rename(link)
            file.rename(notebook)
    finally:
        os._exit(1)


@pytest.mark.whole
def test_class_without_user_accounts_can_disable_the_owner_check() -> None:
    with server(["shared"], "c.ExchangeCollect.check_owner = False\n") as exchange:
        for name in ("ann", "bob"):
            folder = exchange.folder(name)
            exchange.act("shared", partial(hand_in, folder))
        eve = exchange.folder("eve")
        exchange.act("shared", eve.mkdir)
        exchange.act("shared", partial(os.mkfifo, eve / NOTEBOOK))
        odd_names = ("ann+tag@school.kr", "two words", unicodedata.normalize("NFD", "김민지"))
        for name in odd_names:
            exchange.act("shared", partial(hand_in, exchange.folder(name)))
        output = exchange.nbgrader("collect", STEPS)
        assert output.count("no student id") == len(odd_names)
        assert "Give the student another user name" in output
        assert [exchange.collected_text(name) for name in ("ann", "bob", "eve")] == ["x", "x", None]
        assert "eve" in output
        assert "is a pipe" in output
