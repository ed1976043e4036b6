"""Find stale translations, and accept translations that their author has checked.

A translated cell stores a hash of its English original. It is stale if the original has another hash now.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from autograder.course.lesson import (
    Lesson,
    cell_lines,
    course_languages,
    english_hash,
    language_name,
    read_text,
)
from autograder.course.solutions import FILE
from secant.catalogue import read_hints

_HASH = re.compile(r' en="[^"]*"')


def stale_translations(lesson: Lesson) -> list[str]:
    """Return, for each stale or missing translation, its location and what to do about it."""
    messages = []
    for path in _text_paths(lesson):
        file = path.relative_to(lesson.root)
        for line, expected_hash, has_hash in _stale_cells(path):
            reason = "the English has changed since" if has_hash else "it is not marked as checked"
            messages.append(
                f'{file}:{line}: {reason}: check this translation, then write en="{expected_hash}", or run '
                "`autograder build --accept-translations` with the lesson's number for all its cells."
            )
    file = lesson.folder.relative_to(lesson.root) / "hints.toml"
    return messages + [f"{file}: {hint}." for hint in _untranslated_hints(lesson)]


def accept_translations(lesson: Lesson) -> list[str]:
    """Mark all translations of a lesson as checked: store the hash of the English in each translated cell.

    Returns:
        The locations of the cells that changed, as "file:line".
    """
    return [
        f"{path.relative_to(lesson.root)}:{line}" for path in _text_paths(lesson) for line in _accept(path)
    ]


def _text_paths(lesson: Lesson) -> list[Path]:
    return [path for path in (lesson.text, lesson.folder / FILE) if path.is_file()]


def _stale_cells(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield each stale cell's line, the hash that it should store, and whether it stores a hash at all."""
    cells = read_text(path).cells
    english = None
    for cell, line in zip(cells, cell_lines(path, len(cells)), strict=True):
        lang = cell.metadata.get("lang")
        if lang in (None, "en"):
            english = cell if lang else None
        elif english is not None and cell.metadata.get("en") != (
            expected_hash := english_hash(english.source)
        ):
            yield line, expected_hash, bool(cell.metadata.get("en"))


def _untranslated_hints(lesson: Lesson) -> Iterator[str]:
    languages = course_languages(lesson.root)
    for task, hints in read_hints(lesson.folder).items():
        for name, texts in hints.items():
            if missing := [language_name(language) for language in languages if language not in texts]:
                yield f"{task}.{name} has no text in {' and '.join(missing)}"


def _accept(path: Path) -> list[int]:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    stale_cells = list(_stale_cells(path))
    for line, expected_hash, _ in stale_cells:
        lines[line - 1] = f'{_HASH.sub("", lines[line - 1].rstrip())} en="{expected_hash}"\n'
    if stale_cells:
        path.write_text("".join(lines), encoding="utf-8")
    return [line for line, _, _ in stale_cells]
