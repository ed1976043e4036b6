"""Text that a student added to a lesson: which of it answers a note, and what is shown of the rest."""

import keyword
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from nbformat import NotebookNode

from autograder.course.cells import grade_id, text_id
from autograder.intake.parse import Cell

# Of text that answers no note. A page sets the formulas in it, which takes longer than anything in code.
MAX_ADDED = 100
MAX_ADDED_CHARS = 50_000
MAX_ADDED_CELL_CHARS = 10_000

_LESSONS_OWN = re.compile(r"[0-9a-f]{12}")  # as the build names text; no notebook program names cells so
_COPIES = 4  # of one text in a lesson, which the build numbers
_MAX_CHANGED_LINES = 50  # of a cell that are compared letter by letter; of more, each is shown whole
_TELLING = 8  # characters of a line that another text would not have by chance
_FEWEST_LETTERS = 2  # of an addition: a box that was ticked has one
_STRING_OR_COMMENT = re.compile(r"(\"{3}|'{3})[\s\S]*?\1|\"[^\"\n]*+\"|'[^'\n]*+'|#[^\n]*+")
_WORD = re.compile(r"[^\W\d_]{2,}+")
_NAMES_IN_A_ROW = re.compile(r"(?<!\w)([^\W\d]\w*+)[ \t]+(?=([^\W\d]\w*+))")
_KEYWORDS = {*keyword.kwlist, *keyword.softkwlist, "print"}
_NAME = re.compile(r"[^\W\d]\w*+")
_SAYING = {"print", "display", "Markdown", "f", "r"}
_MOST_CODE = 2_000  # characters of a cell that are looked at
_MOST_TEXT = 400_000  # of a text cell of the lesson
_FEWEST_WORDS = 3


def added_text(unclaimed: list[Cell], texts: Collection[str]) -> list[Cell]:
    """Return the text that the student added: not the lesson's own in another edition or language.

    Args:
        unclaimed: cells that are no cell of the lesson.
        texts: the text of the lesson's cells, in every language.
    """
    known = set(texts)
    return [
        cell
        for cell in unclaimed
        if cell.kind != "code" and _says_something(cell) and cell.source.strip() not in known
        if not _is_of_another_edition(cell)
    ]


def _says_something(cell: Cell) -> bool:
    return bool(cell.source.strip() or cell.attachments)


def _is_of_another_edition(cell: Cell) -> bool:
    """Return whether a text is as another edition of the lesson had it: its id is a hash of the text."""
    if not _LESSONS_OWN.fullmatch(cell.id):
        return False
    source = cell.source
    before, _, last = source.rpartition("\n\n")  # the last text of a release ends with a link
    forms = (source, before) if "](http" in last and "\n" not in last else (source,)
    ids = {text_id(kind, form) for kind in ("markdown", "code", "raw") for form in forms}
    ids |= {text_id("", f"{each} {number}") for each in tuple(ids) for number in range(1, _COPIES)}
    return cell.id in ids


def additions(cell: Cell, lesson_text: str) -> Cell | None:
    """Return what a student typed into a text cell of the lesson, as a cell; None if nothing.

    A line counts if the lesson's cell does not have it. Of a line that only goes on, the new part counts.
    """
    if cell.source.strip() == lesson_text.strip():
        return None
    source = cell.source[:_MOST_TEXT]
    known = {line.strip(): None for line in lesson_text.splitlines()}
    telling = [line for line in known if len(line) >= _TELLING]
    found: list[str] = []
    changed = 0
    for line in source.splitlines():
        if line.strip() in known:
            if found and not line.strip():
                found.append("")  # a blank line between two paragraphs of the student's
            continue
        changed += 1
        new = _new_part(line.strip(), telling) if changed <= _MAX_CHANGED_LINES else line
        if sum(map(str.isalnum, new)) >= _FEWEST_LETTERS or "](" in new or "<img" in new:
            found.append(new)
    text = "\n".join(found).strip()
    attachments = {name: data for name, data in cell.attachments.items() if name in text}
    return replace(cell, source=text, attachments=attachments) if text else None


def _new_part(line: str, known: Sequence[str]) -> str:
    """Return a line without what it shares with the line of the lesson that it is most like."""
    best = line
    for other in known:
        head = _shared(line, other)
        end = max(head, len(line) - len(other))
        tail = _shared(line[end:][::-1], other[head:][::-1])
        if head + tail >= max(_TELLING, len(other) // 2) and len(line) - head - tail < len(best):
            best = line[head : len(line) - tail]
    return best.strip()


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    differing = (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(differing, min(len(one), len(other)))


def is_words(source: str) -> bool:
    """Return whether a cell of code holds sentences in place of code.

    They stand in comments, or in strings that are at most printed or given a name; or they are no Python at
    all. The text is not parsed; see `pairing`. In Python, no two names stand side by side.
    """
    source = source[:_MOST_CODE]
    if len(_WORD.findall(source)) < _FEWEST_WORDS or source.lstrip().startswith(("%", "!")):
        return False
    code = _STRING_OR_COMMENT.sub(" ", source)
    pairs = _NAMES_IN_A_ROW.findall(code)
    only_says = len({*_NAME.findall(code)} - _SAYING) <= ("=" in code) and not re.search(r"\d", code)
    said = len(_WORD.findall(source)) - len(_WORD.findall(code))
    return (only_says and said >= _FEWEST_WORDS) or any(not _KEYWORDS.intersection(pair) for pair in pairs)


def in_place_of(
    index: int, cells: list[Cell], claims: Mapping[int, list[Cell]], added: list[Cell]
) -> list[Cell]:
    """Return the added cells in the place of a lesson's cell: around its copies, or where the lesson has it.

    That is between the nearest cells of the lesson. If the cell is gone, the one before it has to be the one
    before it in the lesson, or the one behind it the next: else this may be any place.
    """
    here = {cell.number for cell in claims[index]}
    wanted = {cell.number for cell in added}
    found = []
    for before, after, between in _gaps(cells, claims, index):
        if here:
            is_place = any(cell.number in here for cell in between)
        else:
            is_place = 0 <= before == index - 1 or index + 1 == after < len(claims)
        found += [cell for cell in between if is_place and cell.number in wanted]
    return found


def in_section_of(
    index: int,
    lesson: list[NotebookNode],
    cells: list[Cell],
    claims: Mapping[int, list[Cell]],
    added: list[Cell],
) -> list[Cell]:
    """Return the added cells in the section of a note, which begins behind the last graded cell before it.

    The section ends with the lesson's next text, at whose head a student may have typed.

    Args:
        added: cells of the student's own, and of the lesson's own with what the student typed into them.
    """
    first = max((at for at in range(index) if grade_id(lesson[at])), default=-1) + 1
    last = index + 1 if index + 1 < len(lesson) and not grade_id(lesson[index + 1]) else index
    places = {cell.number: at for at, claimed in claims.items() for cell in claimed}
    wanted = {cell.number: cell for cell in added}
    found, at = [], -1
    for cell in cells:
        if cell.number in places:
            at = places[cell.number]
            is_inside = first <= at <= last
        else:
            is_inside = at >= 0 and (first - 1 <= at < last or at == index)
        if is_inside and cell.number in wanted:
            found.append(wanted[cell.number])
    return found


def _gaps(
    cells: list[Cell], claims: Mapping[int, list[Cell]], index: int
) -> Iterator[tuple[int, int, list[Cell]]]:
    """Yield the cells between two cells of the lesson other than this one, with the positions of both."""
    places = {cell.number: at for at, claimed in claims.items() for cell in claimed if at != index}
    before, between = -1, list[Cell]()
    for cell in cells:
        if cell.number not in places:
            between.append(cell)
            continue
        yield before, places[cell.number], between
        before, between = places[cell.number], []
    yield before, len(claims), between


def shown(added: list[Cell]) -> dict[int, Cell]:
    """Return what is shown of added text, by the cell's number: the first cells, long ones cut short."""
    left, found = MAX_ADDED_CHARS, {}
    for cell in added[:MAX_ADDED]:
        most = min(left, MAX_ADDED_CELL_CHARS)
        cut = cell if len(cell.source) <= most else replace(cell, source=cell.source[:most] + " …")
        left -= min(len(cell.source), most)
        found[cell.number] = cut
    return found
