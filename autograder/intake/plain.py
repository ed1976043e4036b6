"""The intake for plain nbgrader assignments: reads their notebooks and the student's accompanying files.

The files are read as hostile bytes, like those of a lesson. Unlike a lesson's notebook, these notebooks run
with the student's own files, as in nbgrader. If a notebook is missing, grading goes on without it. If one
cannot be read, the submission waits until a person has looked at it.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path, PurePosixPath

from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, read_plain_notebooks, read_side_files
from autograder.intake.parse import Cell, parse
from autograder.intake.submission import Refused, Rejected


@dataclass(frozen=True)
class SubmittedNotebooks:
    """The files of a submission, read but not yet parsed.

    Attributes:
        notebooks: the bytes of the submitted notebooks, keyed by name.
        files: the bytes of the student's other files, keyed by path.
        notes: remarks for staff; see `read_plain_notebooks`. `side_files_left_out:` gives the number of files
            that were not read.
    """

    notebooks: Mapping[str, bytes]
    files: Mapping[str, bytes]
    notes: Sequence[str]

    @cached_property
    def digest(self) -> str:
        """A hash of all submitted notebooks and files."""
        hashes = [
            [[name, hashlib.sha256(data).hexdigest()] for name, data in sorted(files.items())]
            for files in (self.notebooks, self.files)
        ]
        return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def find_notebooks(
    folder: Path, names: Sequence[str], root: Path, ignore: Sequence[str] = ()
) -> SubmittedNotebooks | Rejected:
    """Find and read a submission's notebooks and the student's other files.

    Args:
        folder: the submitted folder.
        names: the names of the assignment's notebooks, without .ipynb.
        root: a folder above `folder` that the autograder created.
        ignore: nbgrader's glob patterns for file names that are ignored.

    Raises:
        OSError: this machine could not read a file, which is not the student's fault.
    """
    folder, root = Path(os.path.abspath(folder)), Path(os.path.abspath(root))
    try:
        notebooks, notes = read_plain_notebooks(folder, names, root)
    except Refused as refusal:
        return refusal.outcome

    def is_wanted(path: PurePosixPath) -> bool:
        is_exchange_file = path.parts[0] in (TIMESTAMP, EXCHANGE_SECRET)
        is_ignored = any(fnmatch(path.name, pattern) for pattern in ignore)
        return not is_exchange_file and not is_ignored and path.suffix != ".ipynb" and path.name.isprintable()

    files, left_out = read_side_files(folder, root, is_wanted)
    if left_out:
        notes.append(f"side_files_left_out:{left_out}")
    return SubmittedNotebooks(notebooks, {path.as_posix(): data for path, data in files.items()}, notes)


def read_cells(submitted: SubmittedNotebooks) -> dict[str, list[Cell]] | Rejected:
    """Return the cells of each notebook, or the rejection if a notebook cannot be read."""
    cells: dict[str, list[Cell]] = {}
    for name, data in submitted.notebooks.items():
        try:
            cells[name] = last_of_each(parse(data).cells)
        except Refused as refusal:
            rejection = refusal.outcome
            return replace(rejection, en=f"{name}.ipynb: {rejection.en}", ko=f"{name}.ipynb: {rejection.ko}")
    return cells


def last_of_each(cells: Sequence[Cell]) -> list[Cell]:
    """If several cells have the same grade_id, remove the id from all but the last, as nbgrader does."""
    last = {cell.grade_id: cell.number for cell in cells}
    return [cell if last[cell.grade_id] == cell.number else replace(cell, grade_id="") for cell in cells]
