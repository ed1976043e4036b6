"""Marking translations as checked: a translated cell stores a hash of the English that it follows."""

import re
from pathlib import Path

from autograder.course.lesson import Lesson, cell_lines, english_hash, read_text
from autograder.course.solutions import FILE

_HASH = re.compile(r' en="[^"]*"')


def accept_translations(lesson: Lesson) -> list[str]:
    """Write into each translated cell the hash of its English, since its author says that it follows.

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
    cells = read_text(path).cells
    changed = []
    english = None
    for cell, start in zip(cells, cell_lines(path, len(cells)), strict=True):
        lang = cell.metadata.get("lang")
        if lang in (None, "en"):
            english = cell if lang else None
        elif english is not None and cell.metadata.get("en") != (want := english_hash(english.source)):
            header = _HASH.sub("", lines[start - 1].rstrip())
            lines[start - 1] = f'{header} en="{want}"\n'
            changed.append(start)
    if changed:
        path.write_text("".join(lines), encoding="utf-8")
    return changed
