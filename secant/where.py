"""The location of the course: its lessons, their tests, and the files that students receive.

A course is code: its settings and its test cells run with the rights of the user. So a course that is found
in a parent folder counts only if it belongs to this user or to root, as with git's `safe.directory`
(CVE-2022-24765).
"""

import os
from collections.abc import Callable
from pathlib import Path

import secant
from secant.language import say

# The folder of the course in a wheel, relative to the folder that contains this package (see pyproject.toml).
# The course is inside the autograder's package, which a notebook in the sandbox cannot see.
INSIDE = "autograder/_course"


# The environment variable that lists the folders of other users' courses whose code may run. The list is
# separated as in PATH.
TRUST = "SECANT_TRUST"
# The environment variables that `secant lab` sets for its child processes.
COURSE, WORKSPACE = "SECANT_COURSE", "SECANT_WORKSPACE"


class NoCourseError(LookupError):
    """The error for a missing course; its text is one sentence for the user."""


def is_course(folder: Path) -> bool:
    """Return whether a folder holds a course."""
    return (folder / "course").is_dir() and (folder / "nbgrader_config.py").is_file()


def has_hidden_tests(root: Path) -> bool:
    """Return whether a course includes answers and hidden tests.

    An edition for a class, which the command `autograder pack` makes, does not include them.
    """
    return (root / "source").is_dir()


def tried_versions(root: Path) -> Path:
    """Return the file that lists the package versions with which a course was tested.

    In a wheel, this file is called requirements.txt.
    """
    limits = root / "constraints.txt"
    return limits if limits.is_file() else root / "requirements.txt"


def course_above(start: Path) -> Path | None:
    """Return the nearest course, in `start` or a folder above it.

    The result is None if there is no course, or if the nearest course is not trusted.
    """
    course = nearest(start, is_course)
    return course if course is not None and is_trusted(course) else None


def nearest(start: Path, accepts: Callable[[Path], bool]) -> Path | None:
    """Return the first of `start` and the folders above it for which `accepts` is true; None if none is."""
    return next((folder for folder in (start, *start.parents) if accepts(folder)), None)


def is_trusted(root: Path) -> bool:
    """Return whether a course's code may run: this user or root owns it, or SECANT_TRUST names its folder.

    On Windows every course is trusted, because Python cannot read who owns a file there.
    """
    if os.name != "posix" or root.resolve() in _folders_in(TRUST):
        return True
    users = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        users.add(int(os.environ["SUDO_UID"]))
    names = ("", "nbgrader_config.py", "nbgrader_config_local.py", "course", "source", "release")
    return all(_owners(root / name) <= users for name in names)


def _owners(path: Path) -> set[int]:
    """Return the users who control what is found at a path: the owners of a link and of the link's target."""
    try:
        return {path.lstat().st_uid, path.stat().st_uid}
    except OSError:
        return set()


def _folders_in(variable: str) -> list[Path]:
    """Return the absolute folders listed in an environment variable."""
    folders = map(Path, os.environ.get(variable, "").split(os.pathsep))
    return [folder.resolve() for folder in folders if folder.is_absolute()]


def remember_course(root: Path, workspace: Path) -> None:
    """Set environment variables that tell child processes which course a workspace was copied from."""
    os.environ |= {COURSE: str(root), WORKSPACE: str(workspace)}


def _remembered_course(start: Path) -> Path | None:
    """Return the course that the workspace around `start` was copied from, if the environment names it."""
    for root, workspace in zip(_folders_in(COURSE), _folders_in(WORKSPACE), strict=False):
        if start.resolve().is_relative_to(workspace) and is_course(root):
            return root
    return None


def course_root(*starts: Path) -> Path:
    """Return the folder with course/, source/, release/ and nbgrader_config.py.

    The folders in `starts`, and then the current folder, are tried in order. A folder inside a known
    workspace leads to the course from which the workspace was copied; any other folder leads to the course
    that contains it. If no folder leads to a course, the course that comes with this package is returned,
    from its repository or from the wheel.

    Raises:
        NoCourseError: if there is no course.
    """
    for start in (*starts, Path.cwd()):
        if course := _remembered_course(start) or course_above(start):
            return course
    if course := package_course():
        return course
    raise NoCourseError(
        say(
            en="No lessons were found: install Secant again, or run this in the folder of its repository.",
            ko="수업 파일을 찾을 수 없습니다. Secant를 다시 설치하거나 Secant 저장소 폴더에서 실행해 주세요.",
        )
    )


def package_course() -> Path | None:
    """Return the course that comes with this package, in its repository or wheel; None if there is none."""
    parent = Path(secant.__file__).resolve().parent.parent
    return next((place for place in (parent, parent / INSIDE) if is_course(place)), None)


def is_installed(root: Path) -> bool:
    """Return whether a course is the copy in the installed wheel.

    Users do not edit this copy, and an update replaces it.
    """
    return root == Path(secant.__file__).resolve().parent.parent / INSIDE
