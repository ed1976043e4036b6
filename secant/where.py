"""Where the course is: lessons, their tests, and what a student is given."""

from pathlib import Path

import secant
from secant.language import say

# Where a wheel brings the course, beside this package (see pyproject.toml): in what grades, which no notebook
# can see behind the wall.
INSIDE = "autograder/_course"


class NoCourseError(LookupError):
    """There is no course anywhere; the text is one sentence for a person."""


def is_course(folder: Path) -> bool:
    """Whether a folder holds a course."""
    return (folder / "course").is_dir() and (folder / "nbgrader_config.py").is_file()


def course_above(start: Path) -> Path | None:
    """The course directory that `start` is, or lies in."""
    return next((folder for folder in (start, *start.parents) if is_course(folder)), None)


def course_root(*starts: Path) -> Path:
    """The folder with course/, source/, release/ and nbgrader_config.py.

    It is the one that a start, else the current folder, lies in; else the repository that this package is
    installed from; else the wheel's own.

    Raises:
        NoCourseError: there is none.
    """
    package = Path(secant.__file__).resolve().parent
    for start in (*starts, Path.cwd()):
        if found := course_above(start):
            return found
    for place in (package.parent, package.parent / INSIDE):
        if is_course(place):
            return place
    raise NoCourseError(
        say(
            en="No lessons were found: install Secant again, or run this in the folder of its repository.",
            ko="수업 파일을 찾을 수 없습니다. Secant를 다시 설치하거나 Secant 저장소 폴더에서 실행해 주세요.",
        )
    )


def is_installed(root: Path) -> bool:
    """Whether this course came with the package, where nobody works and an update replaces it."""
    return root == Path(secant.__file__).resolve().parent.parent / INSIDE
