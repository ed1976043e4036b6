"""Students on the instructor's machine. If root runs the tests, each student is a separate Unix user.

    python -m tests.support.people USER MODULE WORDS...  # as root: `python -m MODULE` as the user

Without root, processes cannot change their user, so the students differ only by nbgrader's `student_id`.
"""

import os
import pwd
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.lessons import ROOT
from tests.support.small_class import build_course

_PAGE = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
_SETTINGS = re.compile(
    r"^```python\n(c = get_config\(\)\nc\.Exchange\.root[^`]*course_id[^`]*)^```", re.MULTILINE
)

#: Whether each student is a separate user of the operating system.
SEPARATE = os.geteuid() == 0


@dataclass(frozen=True)
class Student:
    """A student with a home folder, who knows nothing about the course except the exchange's folder."""

    id: str
    home: Path
    python: Sequence[str]

    def nbgrader(self, *arguments: str) -> str:
        """Run an nbgrader command in the student's home folder; return its log from standard error."""
        names = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        prefix = [__name__, self.id] if SEPARATE else []
        result = subprocess.run(
            [*self.python, *prefix, "nbgrader", *arguments],
            cwd=self.home,
            env=os.environ | dict.fromkeys(names, str(self.home)),
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, f"{self.id}: nbgrader {' '.join(arguments)}: {result.stderr[-3000:]}"
        return result.stderr

    def may_read(self, path: Path) -> bool:
        """Return whether this student's Unix user may read a path."""
        if (child := os.fork()) == 0:
            code = 2
            try:
                become(self.id)
                code = 0 if os.access(path, os.R_OK) else 1
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 1)
        return code == 0


@contextmanager
def class_with_exchange(python: Sequence[str], settings: str = "") -> Iterator[tuple[Path, list[Student]]]:
    """Make a course with the fixture lesson and an exchange, for an instructor and two students.

    Args:
        python: the command that replaces `python -m`.
        settings: further lines for the course's `nbgrader_config_local.py`.

    Yields:
        The course's folder and the students. The exchange is the folder `exchange` next to the course.
    """
    base = Path(tempfile.mkdtemp(prefix="secant-term-"))  # other users cannot enter pytest's own folders
    try:
        base.chmod(0o755)
        exchange, root = base / "exchange", base / "class"
        exchange.mkdir()
        exchange.chmod(0o1777)
        root.mkdir(mode=0o700)
        build_course(root)
        config = f"c = get_config()\nc.Exchange.root = {str(exchange)!r}\n{settings}"
        (root / "nbgrader_config_local.py").write_text(config)
        yield root, students(base, exchange, python)
    finally:
        shutil.rmtree(base)


def settings_of_a_student(exchange: Path) -> str:
    """Return the `nbgrader_config.py` that docs/teaching.md recommends to students, with this exchange."""
    (recommended,) = _SETTINGS.findall(_PAGE)
    return str(recommended).replace("/srv/nbgrader/exchange", str(exchange))


def students(base: Path, exchange: Path, python: Sequence[str]) -> list[Student]:
    """Return two students with home folders in `base`, which every user may enter."""
    users = sorted((user.pw_uid, user.pw_name) for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)
    members = []
    for number, name in enumerate(("ann", "bob")):
        home = base / name
        home.mkdir(mode=0o700)
        settings = settings_of_a_student(exchange)
        if SEPARATE:
            uid, name = users[number]
            os.chown(home, uid, pwd.getpwuid(uid).pw_gid)
        else:
            settings += f"c.CourseDirectory.student_id = {name!r}\n"
        (home / "nbgrader_config.py").write_text(settings)
        members.append(Student(name, home, python))
    return members


def become(name: str) -> None:
    """Make the current process run as another user from now on."""
    user = pwd.getpwnam(name)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


if __name__ == "__main__":
    become(sys.argv[1])
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
