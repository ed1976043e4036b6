"""The rebuilt notebook that is graded: the lesson's cells with the student's answers and extra code.

- Code cells that are not chosen as answers run in their original place: extra cells, changed cells of the
  lesson, and earlier copies of an answer. So the last definition is graded, as in the student's own
  "Run all".
- A released stub does not run if the answer was written elsewhere. Test cells never run.
- In a lesson with written answers, which are graded by hand, text that the student added stays in its place
  as well. A written answer that spans several cells is shown as one cell.
- The imports of the lesson's own cells always run first, so a student who deleted such a cell loses
  nothing. Any other cell of the lesson that was changed or deleted stays changed or deleted.
"""

import copy
import re
from collections.abc import Mapping

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.course.cells import grade_id, imports, is_answer, is_manual, is_ordinary, is_test
from autograder.intake.extra_text import text_to_show
from autograder.intake.notes import MAX_PICTURES, Sources, is_plain, split
from autograder.intake.pairing import Pairing, is_written, names_defined
from autograder.intake.parse import Cell
from autograder.intake.pictures import output_of
from autograder.intake.submission import Part, Step

EXTRA = "extra-"  # prefix of the ids of cells that the student added


Layout = list[tuple[Cell, int | None]]


def layout_of(pairing: Pairing) -> Layout:
    """Return the submitted cells for the rebuilt notebook, each with the position of its cell in the lesson.

    The position is None for an extra cell. Stubs of tasks that have another answer, copies of tests, and
    prose that is not shown do not go into the rebuilt notebook.
    """
    ordinary_numbers = {
        cell.number
        for index, claims in pairing.claims.items()
        for cell in claims
        if is_ordinary(pairing.lesson[index])
    }
    lesson_indexes = {
        cell.number: index
        for index, cell in reversed(pairing.answers.items())
        # A written answer typed into one of the lesson's code cells does not replace that cell, because the
        # cell's code must still run.
        if index not in pairing.notes or cell.number not in ordinary_numbers
    }
    dropped_numbers = set()
    for index, claims in pairing.claims.items():
        lesson_cell = pairing.lesson[index]
        if is_answer(lesson_cell):
            dropped_numbers |= {cell.number for cell in claims if not is_written(cell, lesson_cell)}
        elif claims:
            lesson_indexes.setdefault(claims[0].number, index)
            dropped_numbers |= {cell.number for cell in claims if is_test(lesson_cell)}
    text = text_to_show(_text_cells_to_show(pairing))
    hidden_numbers = dropped_numbers | {cell.number for cells in pairing.notes.values() for cell in cells}
    layout: Layout = []
    for cell in pairing.cells:
        lesson_index = lesson_indexes.get(cell.number)
        if lesson_index is not None:
            answer = pairing.answers.get(lesson_index)
            shown_cell = answer if answer is not None and answer.number == cell.number else cell
            layout.append(
                (
                    shown_cell
                    if lesson_index in pairing.notes
                    else pairing.left_out.get(cell.number, shown_cell),
                    lesson_index,
                )
            )
        if cell.number in text:
            layout.append((text[cell.number], None))
        elif lesson_index is None and cell.kind == "code" and cell.number not in hidden_numbers:
            layout.append((pairing.left_out.get(cell.number, cell), None))
    return layout


def _text_cells_to_show(pairing: Pairing) -> list[Cell]:
    """Return the text cells that the student added and that the rebuilt notebook shows.

    If the lesson has written answers, all added text cells are shown. Otherwise, an added text cell is shown
    only if it contains the code of a task's function or class.
    """
    if any(map(is_manual, pairing.lesson)):
        return pairing.added
    names = [name for cell in pairing.lesson if is_answer(cell) for name in names_defined(cell)]
    pattern = re.compile(rf"^[ \t]*(?:def|class)[ \t]+(?:{'|'.join(map(re.escape, names))})\b", re.MULTILINE)
    return [cell for cell in pairing.added if names and pattern.search(cell.source)]


def steps_of(pairing: Pairing, layout: Layout) -> list[Step]:
    """Return the code to run, in the order of the submitted cells."""
    steps = {0: Step("imports", imports(pairing.lesson), 0)}
    for cell, index in layout:
        lesson_cell = None if index is None else pairing.lesson[index]
        is_run = (
            cell.kind == "code"
            if lesson_cell is None
            else lesson_cell.cell_type == "code" and not is_test(lesson_cell)
        )
        task = grade_id(lesson_cell) if lesson_cell is not None and is_answer(lesson_cell) else ""
        is_comment = cell.number in pairing.left_out and not task
        if not cell.source.strip() or not is_run or is_comment:
            continue
        label = f"answer {task}" if task else f"cell {cell.number}"
        steps[cell.number] = Step(label, cell.source, cell.number, task)
    for cell in pairing.cells:
        is_half = cell.number in pairing.halves_of_code and cell.number not in pairing.left_out
        if is_half and cell.source.strip():
            steps[cell.number] = Step(f"cell {cell.number}", cell.source, cell.number)
    return [step for _, step in sorted(steps.items())]


def notebook_of(release: NotebookNode, pairing: Pairing, layout: Layout) -> NotebookNode:
    """Return the lesson's notebook in the student's order, with the student's answers, code and pictures."""
    cells: list[NotebookNode] = []
    rebuilt_cells: dict[int, NotebookNode] = {}
    for cell, index in layout:
        if index is None:
            make_cell = new_code_cell if cell.kind == "code" else new_markdown_cell
            cells.append(make_cell(cell.source, id=f"{EXTRA}{cell.number}"))
        else:
            rebuilt_cells[index] = _copy_cell(pairing.lesson[index], cell.source)
            cells.append(rebuilt_cells[index])
        if cells[-1].cell_type == "code" and not is_test(cells[-1]):
            cells[-1].outputs = list(map(output_of, cell.pictures))
    for index, lesson_cell in enumerate(pairing.lesson):
        if index not in rebuilt_cells:  # a missing cell is inserted after its predecessor in the lesson
            answer = pairing.answers.get(index)  # the answer's cell may also answer another task
            rebuilt_cells[index] = _copy_cell(
                lesson_cell, lesson_cell.source if answer is None else answer.source
            )
            before = next((i for i, cell in enumerate(cells) if cell is rebuilt_cells.get(index - 1)), -1)
            cells.insert(before + 1, rebuilt_cells[index])
    return NotebookNode({**release, "metadata": copy.deepcopy(release.metadata), "cells": cells})


def parts_of(pairing: Pairing, layout: Layout, files: Mapping[str, bytes]) -> dict[str, list[Part]]:
    """Return the pieces (text, code, pictures) of the student's text cells, keyed by cell id.

    Cells that consist of text only are skipped, because the rebuilt notebook already shows this text.
    """
    text_cells = {pairing.lesson[index].id: cells for index, cells in pairing.notes.items()}
    text_cells |= {
        f"{EXTRA}{cell.number}": [cell] for cell, index in layout if index is None and cell.kind != "code"
    }
    result: dict[str, list[Part]] = {}
    attachments = {name: data for cell in pairing.cells for name, data in cell.attachments.items()}
    pictures_left = MAX_PICTURES
    for name, cells in text_cells.items():
        parts = split(cells, Sources(files, attachments))
        for part_index, part in enumerate(parts):
            if part.kind == "picture":
                pictures_left -= 1
                parts[part_index] = part if pictures_left >= 0 else Part("missing", "too_many", part.name)
        if not is_plain(parts):
            result[name] = parts
    return result


def _copy_cell(lesson_cell: NotebookNode, source: str) -> NotebookNode:
    """Return a copy of a lesson's cell. If it is an answer or ordinary code, `source` replaces its text."""
    cell = copy.deepcopy(lesson_cell)
    if is_answer(cell) or (cell.cell_type == "code" and not is_test(cell)):
        cell.source = source
    return cell


def is_extra_text(cell: NotebookNode) -> bool:
    """Return whether a text cell of a rebuilt notebook was added by the student."""
    return bool(cell.cell_type == "markdown" and cell.id.startswith(EXTRA))
