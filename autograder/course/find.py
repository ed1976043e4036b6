"""Which notebook a learner means: a path, a folder with one notebook, or a lesson's number."""

from pathlib import Path

from autograder.course.assignment import is_home
from autograder.course.errors import CourseError


def find_notebook(word: str, here: Path) -> Path:
    """Return the notebook that a word means, seen from a folder.

    Args:
        word: a notebook's path, a folder's, or a lesson's number such as 3 or 03.
        here: the folder that the learner is in: a lesson's, or the one that holds the lessons.

    Raises:
        CourseError: there is none, or more than one.
    """
    path = here / word
    if word.isdecimal() and not path.exists():
        path = _folder(int(word), here)
    if not path.is_dir():
        if not path.exists():
            raise CourseError(f"There is no {word}.")
        return path
    found = sorted(p for p in path.resolve().glob("*.ipynb") if not p.name.startswith("."))
    home = [p for p in found if is_home(p)] or found
    if len(home) != 1:
        names = ", ".join(p.name for p in home) or "none"
        raise CourseError(f"Which notebook of {path} is meant? There: {names}. Name one.")
    return home[0]


def _folder(number: int, here: Path) -> Path:
    here = here.resolve()
    prefix = f"{number:02}_"
    found = [p for p in (here, *sorted(here.glob(f"{prefix}*"))) if p.name.startswith(prefix) and p.is_dir()]
    if not found:
        raise CourseError(f"There is no folder of lesson {number} in {here}.")
    return found[0]
