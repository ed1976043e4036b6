"""Find the text that a student added to a lesson, and the parts of it that belong to a written answer."""

import keyword
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from nbformat import NotebookNode

from autograder.course.cells import grade_id, text_id
from autograder.intake.parse import Cell

# Limits on added text that belongs to no written answer: the number of cells, the number of characters in all
# cells, and the number of characters in one cell. The feedback page typesets the formulas in this text, which
# takes longer than showing code.
MAX_ADDED = 100
MAX_ADDED_CHARS = 50_000
MAX_ADDED_CELL_CHARS = 10_000

# Matches an id that the build gives to a text cell. No notebook program makes such ids.
_BUILT_ID = re.compile(r"[0-9a-f]{12}")
# Maximum number of cells with the same text in a lesson. The build gives each of them its own id.
_MAX_COPIES = 4
# Maximum number of changed lines of a cell that are compared character by character. Further lines are shown
# in full.
_MAX_CHANGED_LINES = 50
# Minimum length, in characters, of a line that is unlikely to occur in unrelated text by chance.
_DISTINCTIVE_CHARS = 8
# Minimum number of letters and digits in added text that has no link or picture. Shorter text is ignored: for
# example, ticking a check box adds only an x.
_MIN_LETTERS = 2
_STRING_OR_COMMENT = re.compile(r"(\"{3}|'{3})[\s\S]*?\1|\"[^\"\n]*+\"|'[^'\n]*+'|#[^\n]*+")
_WORD = re.compile(r"[^\W\d_]{2,}+")
_NAMES_IN_A_ROW = re.compile(r"(?<!\w)([^\W\d]\w*+)[ \t]+(?=([^\W\d]\w*+))")
_KEYWORDS = {*keyword.kwlist, *keyword.softkwlist, "print"}
_NAME = re.compile(r"[^\W\d]\w*+")
_OUTPUT_NAMES = {"print", "display", "Markdown", "f", "r"}
_MAX_CODE_CHARS = 2_000  # maximum number of characters of a code cell that are searched for sentences
_MAX_TEXT_CHARS = 400_000  # maximum number of characters compared in one of the lesson's text cells
_MIN_WORDS = 3


def added_text(unclaimed: list[Cell], texts: Collection[str]) -> list[Cell]:
    """Return the text cells that the student added, excluding text from any version of the lesson.

    Args:
        unclaimed: the submitted cells that match no cell of the lesson.
        texts: the text of the lesson's cells, in every language.
    """
    known_texts = set(texts)
    return [
        cell
        for cell in unclaimed
        if cell.kind != "code" and _has_content(cell) and cell.source.strip() not in known_texts
        if not _is_of_another_edition(cell)
    ]


def _has_content(cell: Cell) -> bool:
    return bool(cell.source.strip() or cell.attachments)


def _is_of_another_edition(cell: Cell) -> bool:
    """Return whether a cell's text comes from another version of the lesson, such as an earlier one.

    The build gave such a cell an id that is a hash of its text.
    """
    if not _BUILT_ID.fullmatch(cell.id):
        return False
    source = cell.source
    before, _, last = source.rpartition("\n\n")  # releasing a notebook adds a link to its last text cell
    forms = (source, before) if "](http" in last and "\n" not in last else (source,)
    ids = {text_id(kind, form) for kind in ("markdown", "code", "raw") for form in forms}
    ids |= {
        text_id("", f"{text_hash} {number}") for text_hash in tuple(ids) for number in range(1, _MAX_COPIES)
    }
    return cell.id in ids


def additions(cell: Cell, lesson_text: str) -> Cell | None:
    """Return a new cell with the text that a student typed into a lesson's cell; None if nothing was typed.

    A line counts if the lesson's cell does not contain it. If a line extends one of the lesson's lines, only
    the new part counts.
    """
    if cell.source.strip() == lesson_text.strip():
        return None
    source = cell.source[:_MAX_TEXT_CHARS]
    lesson_lines = {line.strip(): None for line in lesson_text.splitlines()}
    distinctive_lines = [line for line in lesson_lines if len(line) >= _DISTINCTIVE_CHARS]
    new_lines: list[str] = []
    changed_count = 0
    for line in source.splitlines():
        if line.strip() in lesson_lines:
            if new_lines and not line.strip():
                new_lines.append("")  # keeps a blank line between two of the student's paragraphs
            continue
        changed_count += 1
        new_text = _new_part(line.strip(), distinctive_lines) if changed_count <= _MAX_CHANGED_LINES else line
        if sum(map(str.isalnum, new_text)) >= _MIN_LETTERS or "](" in new_text or "<img" in new_text:
            new_lines.append(new_text)
    text = "\n".join(new_lines).strip()
    attachments = {name: data for name, data in cell.attachments.items() if name in text}
    return replace(cell, source=text, attachments=attachments) if text else None


def _new_part(line: str, lesson_lines: Sequence[str]) -> str:
    """Return a line without the parts that it shares with the most similar line of the lesson."""
    best = line
    for other in lesson_lines:
        head = _common_prefix_length(line, other)
        end = max(head, len(line) - len(other))
        tail = _common_prefix_length(line[end:][::-1], other[head:][::-1])
        if head + tail >= max(_DISTINCTIVE_CHARS, len(other) // 2) and len(line) - head - tail < len(best):
            best = line[head : len(line) - tail]
    return best.strip()


def _common_prefix_length(text: str, other: str) -> int:
    """Return the length of the common prefix of two strings."""
    differences = (
        index for index, (left, right) in enumerate(zip(text, other, strict=False)) if left != right
    )
    return next(differences, min(len(text), len(other)))


def is_words(source: str) -> bool:
    """Return whether a code cell contains sentences instead of code.

    The sentences are comments, or strings that are only printed or assigned to a name, or plain text that is
    not Python. Two names next to each other are a sign of plain text, because Python has no such syntax.
    The text is not parsed, for the reasons given in `pairing._defines`.
    """
    source = source[:_MAX_CODE_CHARS]
    if len(_WORD.findall(source)) < _MIN_WORDS or source.lstrip().startswith(("%", "!")):
        return False
    code = _STRING_OR_COMMENT.sub(" ", source)
    pairs = _NAMES_IN_A_ROW.findall(code)
    only_prints = len({*_NAME.findall(code)} - _OUTPUT_NAMES) <= ("=" in code) and not re.search(r"\d", code)
    quoted_words = len(_WORD.findall(source)) - len(_WORD.findall(code))
    return (only_prints and quoted_words >= _MIN_WORDS) or any(
        not _KEYWORDS.intersection(pair) for pair in pairs
    )


def in_place_of(
    index: int, cells: list[Cell], claims: Mapping[int, list[Cell]], added: list[Cell]
) -> list[Cell]:
    """Return the cells that were added near a cell of the lesson, or near its place if it was deleted.

    The search covers gaps. A gap is a run of submitted cells between two cells that match other cells of the
    lesson. If the submission has the lesson's cell or copies of it, the gaps that contain them are searched.
    If not, the gaps right after the lesson's previous cell and right before its next cell are searched.

    Args:
        index: the position of the cell in the lesson.
        cells: the submitted cells.
        claims: the submitted cells that match a cell of the lesson, keyed by the lesson cell's position.
        added: the cells to choose from.
    """
    own_numbers = {cell.number for cell in claims[index]}
    added_numbers = {cell.number for cell in added}
    matching_cells = []
    for before, after, gap in _gaps(cells, claims, index):
        if own_numbers:
            is_in_place = any(cell.number in own_numbers for cell in gap)
        else:
            is_in_place = 0 <= before == index - 1 or index + 1 == after < len(claims)
        matching_cells += [cell for cell in gap if is_in_place and cell.number in added_numbers]
    return matching_cells


def in_section_of(
    index: int,
    lesson: list[NotebookNode],
    cells: list[Cell],
    claims: Mapping[int, list[Cell]],
    added: list[Cell],
) -> list[Cell]:
    """Return the added cells in the section of the lesson that a written answer belongs to.

    The section begins after the last graded cell before the written answer. It ends with the lesson's cell
    right after the answer, because a student may have typed at the top of that cell. If that cell is graded,
    the section ends with the answer.

    Args:
        index: the position of the written answer's cell in the lesson.
        lesson: the cells of the lesson.
        cells: the submitted cells.
        claims: the submitted cells that match a cell of the lesson, keyed by the lesson cell's position.
        added: cells that the student added, and additions to the lesson's own cells.
    """
    first = (
        max((lesson_index for lesson_index in range(index) if grade_id(lesson[lesson_index])), default=-1) + 1
    )
    last = index + 1 if index + 1 < len(lesson) and not grade_id(lesson[index + 1]) else index
    lesson_indexes = {
        cell.number: lesson_index
        for lesson_index, claiming_cells in claims.items()
        for cell in claiming_cells
    }
    by_number = {cell.number: cell for cell in added}
    matching_cells, lesson_index = [], -1
    for cell in cells:
        if cell.number in lesson_indexes:
            lesson_index = lesson_indexes[cell.number]
            is_inside = first <= lesson_index <= last
        else:
            is_inside = lesson_index >= 0 and (first - 1 <= lesson_index < last or lesson_index == index)
        if is_inside and cell.number in by_number:
            matching_cells.append(by_number[cell.number])
    return matching_cells


def _gaps(
    cells: list[Cell], claims: Mapping[int, list[Cell]], index: int
) -> Iterator[tuple[int, int, list[Cell]]]:
    """Yield each run of unmatched cells, with the lesson positions of the matched cells before and after it.

    The position before the first run is -1, and the position after the last run is `len(claims)`. Cells that
    match the lesson's cell at `index` are treated as unmatched.
    """
    lesson_indexes = {
        cell.number: lesson_index
        for lesson_index, claiming_cells in claims.items()
        for cell in claiming_cells
        if lesson_index != index
    }
    before, gap = -1, list[Cell]()
    for cell in cells:
        if cell.number not in lesson_indexes:
            gap.append(cell)
            continue
        yield before, lesson_indexes[cell.number], gap
        before, gap = lesson_indexes[cell.number], []
    yield before, len(claims), gap


def text_to_show(added: list[Cell]) -> dict[int, Cell]:
    """Return the first few added cells, keyed by cell number, with long text cut short."""
    chars_left, result = MAX_ADDED_CHARS, {}
    for cell in added[:MAX_ADDED]:
        limit = min(chars_left, MAX_ADDED_CELL_CHARS)
        shown_cell = cell if len(cell.source) <= limit else replace(cell, source=cell.source[:limit] + " …")
        chars_left -= min(len(cell.source), limit)
        result[cell.number] = shown_cell
    return result
