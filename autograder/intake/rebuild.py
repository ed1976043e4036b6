"""The notebook that is graded: our cells, the student's answers, and the student's extra code where it stood.

- Every other code cell of the student's runs where it stands: extra cells, changed cells of the lesson,
  earlier copies of an answer. So, as in the student's own "Run all", the last definition is graded.
- A stub does not run when an answer was written, and test cells never do.
- In a lesson with a note for a person to grade, text that the student added stays where it stands, too.
- The imports of the lesson's own cells run first, always: who deleted that cell loses nothing. Any other
  cell of the lesson that was changed or deleted stays so.
"""

import copy

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.course.cells import grade_id, imports, is_answer, is_manual, is_test
from autograder.intake.added import shown
from autograder.intake.pairing import Pairing, is_written
from autograder.intake.parse import Cell
from autograder.intake.pictures import output_of
from autograder.intake.submission import Step

EXTRA = "extra-"  # what the id of a cell begins with that is not the lesson's


def layout_of(pairing: Pairing) -> list[tuple[Cell, int | None]]:
    """The submitted cells that are kept, each with the position of the lesson cell that it stands for.

    None marks an extra cell. Left out are stubs beside an answer, copies of tests, and other prose.
    """
    stands_for = {cell.number: index for index, cell in reversed(pairing.answers.items())}
    dropped = set()
    for index, claims in pairing.claims.items():
        lesson_cell = pairing.lesson[index]
        if is_answer(lesson_cell):
            dropped |= {cell.number for cell in claims if not is_written(cell, lesson_cell)}
        elif claims:
            stands_for.setdefault(claims[0].number, index)
            dropped |= {cell.number for cell in claims if is_test(lesson_cell)}
    text = shown(pairing.added) if any(map(is_manual, pairing.lesson)) else {}
    kept: list[tuple[Cell, int | None]] = []
    for cell in pairing.cells:
        place = stands_for.get(cell.number)
        if place is not None:
            kept.append((pairing.answers.get(place, cell), place))
        elif cell.number in text or (cell.kind == "code" and cell.number not in dropped):
            kept.append((text.get(cell.number, cell), None))
    return kept


def steps_of(pairing: Pairing, layout: list[tuple[Cell, int | None]]) -> list[Step]:
    steps = [Step("imports", imports(pairing.lesson), 0)]
    for cell, index in layout:
        ours = None if index is None else pairing.lesson[index]
        runs = cell.kind == "code" if ours is None else ours.cell_type == "code" and not is_test(ours)
        if not cell.source.strip() or not runs:
            continue
        task = grade_id(ours) if ours is not None and is_answer(ours) else ""
        steps.append(
            Step(f"answer {task}" if task else f"cell {cell.number}", cell.source, cell.number, task)
        )
    return steps


def notebook_of(
    release: NotebookNode, pairing: Pairing, layout: list[tuple[Cell, int | None]]
) -> NotebookNode:
    """The lesson's notebook in the student's order, with the student's answers, code and pictures."""
    cells: list[NotebookNode] = []
    places: dict[int, NotebookNode] = {}
    for cell, index in layout:
        if index is None:
            new = new_code_cell if cell.kind == "code" else new_markdown_cell
            cells.append(new(cell.source, id=f"{EXTRA}{cell.number}"))
        else:
            places[index] = _our_cell(pairing.lesson[index], cell.source)
            cells.append(places[index])
        if cells[-1].cell_type == "code" and not is_test(cells[-1]):
            cells[-1].outputs = list(map(output_of, cell.pictures))
    for index, ours in enumerate(pairing.lesson):
        if index not in places:  # what is missing goes behind the cell that it follows in the lesson
            places[index] = _our_cell(ours, ours.source)
            before = next((i for i, cell in enumerate(cells) if cell is places.get(index - 1)), -1)
            cells.insert(before + 1, places[index])
    return NotebookNode({**release, "metadata": copy.deepcopy(release.metadata), "cells": cells})


def _our_cell(ours: NotebookNode, source: str) -> NotebookNode:
    """A copy of a lesson's cell, with this source if it is the student's to write."""
    cell = copy.deepcopy(ours)
    if is_answer(cell) or (cell.cell_type == "code" and not is_test(cell)):
        cell.source = source
    return cell


def is_extra_text(cell: NotebookNode) -> bool:
    """Whether a cell of a rebuilt notebook is text that the student added: a stranger's, not the lesson's."""
    return bool(cell.cell_type == "markdown" and cell.id.startswith(EXTRA))
