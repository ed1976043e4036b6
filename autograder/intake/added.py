"""Text that a student added to a lesson: which of it answers a note, and what is shown of the rest."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from autograder.intake.parse import Cell

# Of text that answers no note. A page sets the formulas in it, which takes longer than anything in code.
MAX_ADDED = 100
MAX_ADDED_CHARS = 50_000
MAX_ADDED_CELL_CHARS = 10_000

_LESSONS_OWN = re.compile(r"[0-9a-f]{12}")  # as the build names text; no notebook program names cells so


def added_text(unclaimed: list[Cell], texts: Collection[str]) -> list[Cell]:
    """The text that the student added: what a lesson has in another edition or language is none.

    Args:
        unclaimed: cells that are no cell of the lesson.
        texts: what stands in the lesson's cells, in every language.
    """
    known = {"", *texts}
    return [
        cell
        for cell in unclaimed
        if cell.kind != "code" and cell.source.strip() not in known and not _LESSONS_OWN.fullmatch(cell.id)
    ]


def in_place_of(
    index: int, cells: list[Cell], claims: Mapping[int, list[Cell]], added: list[Cell]
) -> list[Cell]:
    """The added text in a note's place: around its stub, or where the lesson has it.

    That is between the nearest cells of the lesson. If the stub is gone, the one before it has to be the one
    before the note in the lesson, or the one behind it the next: else this may be any place.
    """
    here = {cell.number for cell in claims[index]}
    text = {cell.number for cell in added}
    found = []
    for before, after, between in _gaps(cells, claims, index):
        if here:
            is_place = any(cell.number in here for cell in between)
        else:
            is_place = 0 <= before == index - 1 or index + 1 == after < len(claims)
        found += [cell for cell in between if is_place and cell.number in text]
    return found


def _gaps(
    cells: list[Cell], claims: Mapping[int, list[Cell]], index: int
) -> Iterator[tuple[int, int, list[Cell]]]:
    """What stands between two cells of the lesson other than this one, and the positions of both in it."""
    places = {cell.number: at for at, claimed in claims.items() for cell in claimed if at != index}
    before, between = -1, list[Cell]()
    for cell in cells:
        if cell.number not in places:
            between.append(cell)
            continue
        yield before, places[cell.number], between
        before, between = places[cell.number], []
    yield before, len(claims), between


def joined(cells: list[Cell]) -> Cell:
    """Several cells as the first one, with the text of all."""
    return replace(cells[0], source="\n\n".join(cell.source.strip() for cell in cells))


def shown(added: list[Cell]) -> dict[int, Cell]:
    """What is shown of added text, by the cell's number: the first cells, long ones cut short."""
    left, found = MAX_ADDED_CHARS, {}
    for cell in added[:MAX_ADDED]:
        most = min(left, MAX_ADDED_CELL_CHARS)
        cut = cell if len(cell.source) <= most else replace(cell, source=cell.source[:most] + " …")
        left -= min(len(cell.source), most)
        found[cell.number] = cut
    return found
