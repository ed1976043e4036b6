"""A class on a shared server: students write into nbgrader's exchange, each as a separate Unix user.

The users' names exist only in the /etc/passwd that the instructor's commands see. Only
root can set up such a class.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.hub import bwrap_command
from tests.support.lessons import ROOT
from tests.support.small_class import STEPS

TIMESTAMP = "2026-10-10 12:00:00.000000 UTC"
_TEACHER, _FIRST = 64_000, 64_001


@dataclass(frozen=True)
class Server:
    """The server's exchange and, next to it, the instructor's course.

    Attributes:
        root: the folder that contains both.
        students: the students' Unix user ids, by name.
    """

    root: Path
    students: dict[str, int]

    @property
    def course(self) -> Path:
        """The folder of the instructor's course."""
        return self.root / "class"

    @property
    def inbound(self) -> Path:
        """The exchange's folder that students submit to."""
        return self.root / "exchange" / "secant" / "inbound"

    def folder(self, student: str, lesson: str = STEPS, timestamp: str = TIMESTAMP) -> Path:
        """Return the path of the folder that a student's `nbgrader submit` creates in the exchange."""
        return self.inbound / f"{student}+{lesson}+{timestamp}+c2VjcmV0"

    def act(self, student: str, action: Callable[[], None]) -> None:
        """Call a function in a child process that runs as a student's Unix user."""
        self.as_user(self.students[student], action)

    def as_user(self, uid: int, action: Callable[[], None]) -> None:
        """Call a function in a child process that runs as a Unix user; fail if it raises an error."""
        if (child := os.fork()) == 0:
            code = 1
            try:
                os.setgroups([])
                os.setgid(uid)
                os.setuid(uid)
                os.umask(0o022)
                action()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0

    def submit(self, student: str, text: str = "{}", timestamp: str = TIMESTAMP) -> None:
        """Write a submission into the exchange as a student, in the layout that `nbgrader submit` uses."""
        folder = self.folder(student, timestamp=timestamp)

        def write() -> None:
            folder.mkdir()
            (folder / f"{STEPS}.ipynb").write_text(text)
            (folder / "timestamp.txt").write_text(timestamp)
            folder.chmod(0o777)

        self.act(student, write)

    def nbgrader(self, *arguments: str) -> str:
        """Run an nbgrader command in the course as the instructor; return its log from standard error."""
        passwd = self.root / "passwd"
        users = {"teacher": _TEACHER, **self.students}
        passwd.write_text(
            Path("/etc/passwd").read_text()
            + "".join(f"{name}:x:{uid}:{uid}::/nonexistent:/bin/sh\n" for name, uid in users.items())
        )
        passwd.chmod(0o644)
        view_command = (bwrap_command() or ["bwrap", "--dev-bind", "/", "/", "--cap-add", "ALL", "--"])[:-1]
        result = subprocess.run(
            [
                *view_command,
                *("--ro-bind", str(passwd), "/etc/passwd", "--chdir", str(self.course), "--"),
                *(sys.executable, "-m", "tests.support.people", "teacher", "nbgrader", *arguments),
            ],
            env=os.environ | {"HOME": str(self.course), "PYTHONPATH": str(ROOT), "SECANT_LANG": "en"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert result.returncode == 0, result.stderr[-3000:]
        return result.stderr

    def collected_text(self, student: str) -> str | None:
        """Return the text of a student's collected notebook, or None if there is none."""
        path = self.course / "submitted" / student / STEPS / f"{STEPS}.ipynb"
        return path.read_text() if path.exists() else None


@contextmanager
def server(names: list[str], settings: str = "") -> Iterator[Server]:
    """Set up a server for students with these names; `settings` are further lines of nbgrader settings."""
    root = Path(tempfile.mkdtemp(prefix="secant-doors-"))
    try:
        exchange_server = Server(root, {name: _FIRST + number for number, name in enumerate(names)})
        root.chmod(0o755)
        exchange_server.inbound.mkdir(parents=True)
        exchange_server.inbound.parents[1].chmod(0o1777)
        exchange_server.inbound.chmod(0o3733)
        for folder in (exchange_server.inbound, exchange_server.inbound.parent):
            os.chown(folder, _TEACHER, _TEACHER)
        exchange_server.course.mkdir(mode=0o700)
        shutil.copy(ROOT / "nbgrader_config.py", exchange_server.course)
        exchange = str(root / "exchange")
        config = f"c = get_config()\nc.Exchange.root = {exchange!r}\n{settings}"
        (exchange_server.course / "nbgrader_config_local.py").write_text(config)
        give_to_instructor(exchange_server.course)
        yield exchange_server
    finally:
        shutil.rmtree(root)


def give_to_instructor(folder: Path) -> None:
    """Make the instructor the owner of a folder and everything in it."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, _TEACHER, _TEACHER, follow_symlinks=False)
