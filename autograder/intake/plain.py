"""The intake of an assignment with ordinary nbgrader tests: notebooks, and the student's files beside them.

The files are hostile bytes, read as those of a lesson are. Unlike a lesson's, the notebooks run with the
student's own files beside them, as nbgrader has it. A notebook that is missing is no reason to wait for a
person; one that cannot be read is.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path, PurePosixPath

from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, read_notebooks, read_side_files
from autograder.intake.parse import Cell, parse
from autograder.intake.submission import Refused, Rejected


@dataclass(frozen=True)
class FoundNotebooks:
    """What was handed in, read and not looked at yet.

    Attributes:
        notebooks: the bytes of those that are there, by name.
        files: the student's own files beside them, by path.
        notes: what staff may want to know; see `read_notebooks`. `side_files_left_out:` has their number.
    """

    notebooks: Mapping[str, bytes]
    files: Mapping[str, bytes]
    notes: Sequence[str]

    @cached_property
    def digest(self) -> str:
        """Return a hash of all of it."""
        hashes = [
            [[name, hashlib.sha256(data).hexdigest()] for name, data in sorted(files.items())]
            for files in (self.notebooks, self.files)
        ]
        return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def find_notebooks(
    folder: Path, names: Sequence[str], root: Path, ignore: Sequence[str] = ()
) -> FoundNotebooks | Rejected:
    """Find and read what was handed in.

    Args:
        folder: the submitted folder.
        names: the assignment's notebooks, without their ending.
        root: a folder above it that we made ourselves.
        ignore: nbgrader's globs of names that count for nothing.

    Raises:
        OSError: this machine could not read a file, which is not the student's fault.
    """
    folder, root = Path(os.path.abspath(folder)), Path(os.path.abspath(root))
    try:
        notebooks, notes = read_notebooks(folder, names, root)
    except Refused as refusal:
        return refusal.outcome

    def wanted(path: PurePosixPath) -> bool:
        ours = path.parts[0] in (TIMESTAMP, EXCHANGE_SECRET)
        ignored = any(fnmatch(path.name, pattern) for pattern in ignore)
        return not ours and not ignored and path.suffix != ".ipynb" and path.name.isprintable()

    files, left_out = read_side_files(folder, root, wanted)
    if left_out:
        notes.append(f"side_files_left_out:{left_out}")
    return FoundNotebooks(notebooks, {path.as_posix(): data for path, data in files.items()}, notes)


def read_cells(found: FoundNotebooks) -> dict[str, list[Cell]] | Rejected:
    """Return the cells of each notebook; why the submission cannot be graded if one cannot be read."""
    cells: dict[str, list[Cell]] = {}
    for name, data in found.notebooks.items():
        try:
            cells[name] = last_of_each(parse(data).cells)
        except Refused as refusal:
            why = refusal.outcome
            return replace(why, en=f"{name}.ipynb: {why.en}", ko=f"{name}.ipynb: {why.ko}")
    return cells


def last_of_each(cells: Sequence[Cell]) -> list[Cell]:
    """Return a submission's cells; of several with one id, only the last keeps it, as nbgrader decides."""
    last = {cell.grade_id: cell.number for cell in cells}
    return [cell if last[cell.grade_id] == cell.number else replace(cell, grade_id="") for cell in cells]
