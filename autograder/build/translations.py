"""Marking translations as checked: a Korean cell stores a hash of the English that it follows."""

import re
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.lesson import Lesson, cell_lines, english_hash, read_text
from autograder.course.solutions import FILE

_HASH = re.compile(r' en="[^"]*"')


def accept_translations(lesson: Lesson) -> list[str]:
    """Write into each Korean cell the hash of the English before it, since its author says that it follows.

    Returns:
        The places that changed, as "file:line".
    """
    changed = []
    for path in (lesson.text, lesson.folder / FILE):
        if path.is_file():
            changed += [f"{path.relative_to(lesson.root)}:{line}" for line in _accept(path)]
    return changed


def _accept(path: Path) -> list[int]:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    cells, starts = read_text(path).cells, cell_lines(path)
    changed = []
    for before, cell, start in zip(cells[:-1], cells[1:], starts[1:], strict=True):
        want = english_hash(before.source)
        if _follows(before, cell) and cell.metadata.get("en") != want:
            header = _HASH.sub("", lines[start - 1].rstrip())
            lines[start - 1] = f'{header} en="{want}"\n'
            changed.append(start)
    if changed:
        path.write_text("".join(lines), encoding="utf-8")
    return changed


def _follows(before: NotebookNode, cell: NotebookNode) -> bool:
    return (before.metadata.get("lang"), cell.metadata.get("lang")) == ("en", "ko")
