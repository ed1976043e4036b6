"""Plain assignments: ordinary nbgrader assignments of the course's own, which are no lessons of Secant's.

A plain assignment is a folder of source/ without a folder of the same name in course/.
"""

import json
from pathlib import Path

from autograder.course.assignment import is_built


def is_plain(root: Path, name: str, source: str = "source") -> bool:
    """Return whether a course has a plain assignment of this name.

    A folder whose notebook the build wrote is what is left of a lesson, and no plain assignment.
    """
    if (root / "course" / name).is_dir() or Path(name).name != name:
        return False
    written = [_is_written_by_hand(path) for path in notebooks(root / source / name)]
    return bool(written) and all(written)


def notebooks(folder: Path) -> list[Path]:
    """Return the notebooks of an assignment's folder, in the order in which nbgrader takes them."""
    return sorted(path for path in folder.glob("*.ipynb") if not path.name.startswith("."))


def _is_written_by_hand(path: Path) -> bool:
    """Return whether a file is a notebook that the build did not write."""
    try:
        found = json.loads(path.read_bytes())
        return "cells" in found and not is_built(found | {"metadata": dict(found.get("metadata", {}))})
    except (OSError, ValueError, TypeError, RecursionError):
        return False
