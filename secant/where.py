"""Where the course is: lessons, their tests, and what a student is given.

A course is code: its settings and its test cells run as whoever uses it. So one that is found in a folder
above counts only if it belongs to this user or to root, as with git's `safe.directory` (CVE-2022-24765).
"""

import os
from collections.abc import Callable
from pathlib import Path

import secant
from secant.language import say

# Where a wheel brings the course, beside this package (see pyproject.toml): in what grades, which no notebook
# can see behind the wall.
INSIDE = "autograder/_course"


TRUST = "SECANT_TRUST"  # names courses of other people that may be used, as PATH names folders
COURSE, WORKSPACE = "SECANT_COURSE", "SECANT_WORKSPACE"  # set by `secant lab` for what it starts


class NoCourseError(LookupError):
    """There is no course anywhere; the text is one sentence for a person."""


def is_course(folder: Path) -> bool:
    """Whether a folder holds a course."""
    return (folder / "course").is_dir() and (folder / "nbgrader_config.py").is_file()


def has_hidden_tests(root: Path) -> bool:
    """Whether a course holds answers and hidden tests; a class's edition (`autograder pack`) does not."""
    return (root / "source").is_dir()


def tried_versions(root: Path) -> Path:
    """Return the file of the versions that a course was tried with, which a wheel calls requirements.txt."""
    limits = root / "constraints.txt"
    return limits if limits.is_file() else root / "requirements.txt"


def course_above(start: Path) -> Path | None:
    """The course directory that `start` is, or lies in, if it may be believed."""
    found = nearest(start, is_course)
    return found if found is not None and is_trusted(found) else None


def nearest(start: Path, is_one: Callable[[Path], bool]) -> Path | None:
    """Return the first of `start` and the folders above it that `is_one` accepts."""
    return next((folder for folder in (start, *start.parents) if is_one(folder)), None)


def is_trusted(root: Path) -> bool:
    """Whether a course's code may run: it is this user's or root's, or SECANT_TRUST names its folder.

    On Windows, whose files have no owner that Python could tell, every course may.
    """
    if os.name != "posix" or root.resolve() in _folders_in(TRUST):
        return True
    users = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        users.add(int(os.environ["SUDO_UID"]))
    names = ("", "nbgrader_config.py", "nbgrader_config_local.py", "course", "source", "release")
    return all(_owners(root / name) <= users for name in names)


def _owners(path: Path) -> set[int]:
    """Who may have chosen what stands at a path: the owners of a link and of what it leads to."""
    try:
        return {path.lstat().st_uid, path.stat().st_uid}
    except OSError:
        return set()


def _folders_in(variable: str) -> list[Path]:
    """The absolute folders that an environment variable names."""
    named = map(Path, os.environ.get(variable, "").split(os.pathsep))
    return [folder.resolve() for folder in named if folder.is_absolute()]


def remember_course(root: Path, workspace: Path) -> None:
    """Let what is started from here take the course that a workspace was copied from."""
    os.environ |= {COURSE: str(root), WORKSPACE: str(workspace)}


def _remembered(start: Path) -> Path | None:
    """The course that the workspace around `start` was copied from, if this process was told."""
    for root, workspace in zip(_folders_in(COURSE), _folders_in(WORKSPACE), strict=False):
        if start.resolve().is_relative_to(workspace) and is_course(root):
            return root
    return None


def course_root(*starts: Path) -> Path:
    """The folder with course/, source/, release/ and nbgrader_config.py.

    It is the one that the workspace around a start, else around the current folder, was copied from, or that
    it lies in; else the repository that this package is installed from; else the wheel's own.

    Raises:
        NoCourseError: there is none.
    """
    for start in (*starts, Path.cwd()):
        if found := _remembered(start) or course_above(start):
            return found
    if found := package_course():
        return found
    raise NoCourseError(
        say(
            en="No lessons were found: install Secant again, or run this in the folder of its repository.",
            ko="수업 파일을 찾을 수 없습니다. Secant를 다시 설치하거나 Secant 저장소 폴더에서 실행해 주세요.",
        )
    )


def package_course() -> Path | None:
    """Return the course that this package brings: that of its repository, or the wheel's own."""
    above = Path(secant.__file__).resolve().parent.parent
    return next((place for place in (above, above / INSIDE) if is_course(place)), None)


def is_installed(root: Path) -> bool:
    """Whether this course came with the package, where nobody works and an update replaces it."""
    return root == Path(secant.__file__).resolve().parent.parent / INSIDE
