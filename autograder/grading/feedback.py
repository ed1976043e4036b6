"""What people see of a grading: the notebook that formgrader shows to staff, and the page for the student.

Both are built from our own cells. A student's words get in as bounded plain text. A student's outputs never
carry a score: every test cell that was not proven to pass gets an error output of ours.
"""

import copy
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import GetGrades
from nbgrader.utils import compute_checksum, is_grade, is_solution, is_task
from traitlets.config import Config

from autograder.course.assignment import Assignment
from autograder.course.cells import grade_id, is_answer, is_test
from autograder.course.solutions import Words, WorkedSolution
from autograder.gradebook.entered import Entered
from autograder.gradebook.result import GradedTask, Printed, Result
from autograder.grading.beside import Beside
from autograder.intake.files import EXCHANGE_SECRET
from autograder.intake.pictures import is_picture
from autograder.intake.rebuild import is_extra_text
from autograder.intake.submission import Rejected, Submission
from autograder.overrides.hide_tests import ClearTests, HideTests
from autograder.page.facts import Head, Row
from autograder.page.prose import harmless, harmless_parts
from autograder.sandbox.results import CellResult
from autograder.workers.jobs import Page
from secant.headings import task_heading
from secant.language import Language
from secant.visible import visible

CELL_CHARS = 10_000  # of a cell's output that are shown
PAGE_CHARS = 200_000  # of all outputs together
LINE_CHARS = 500  # of a line of code that are shown: the highlighter takes minutes for some longer ones
CELL_COLOURED = 20_000  # characters of a cell of code that is highlighted; a longer one is shown as it is
PAGE_COLOURED = 100_000  # of all that are
_LEFT_OUT = (
    "# Not shown: the page could not be made with what is in this cell.\n"
    "# What you handed in is unchanged.\n"
    "# 표시하지 않음: 이 셀의 내용으로는 페이지를 만들 수 없었습니다.\n# 제출한 파일은 그대로 있습니다."
)


# --- The notebook ---------------------------------------------------------------------------------------


def graded_notebook(
    assignment: Assignment, submission: Submission | None, result: Result, words: Words
) -> NotebookNode:
    """Return the notebook with what became of it written in as outputs, beside the pictures that it shows.

    The pictures of notes are the student's own bytes as yet; see `autograder.page.pictures`.

    Args:
        assignment: the lesson.
        submission: what the intake made of the file; None if it was rejected. Its notebook is used up.
        result: what became of it.
        words: what is said about each task's solution to those who passed it.
    """
    notebook: NotebookNode = (
        submission.notebook if submission else copy.deepcopy(next(iter(assignment.releases.values())))
    )
    tests = {grade_id(cell): cell.source for cell in assignment.source.cells if is_test(cell)}
    prose = set(submission.answers) - submission.unwritten if submission else set()
    pictures = 0
    found = {task.cell: task for task in result.tasks}
    printed = {printed.place: printed.cell for printed in result.cells}
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = list(filter(is_picture, cell.outputs)), None
            cell.source = clipped(visible(cell.source))  # for people: what ran, and submitted/, have the rest
        name = grade_id(cell)
        if is_test(cell):
            cell.source = tests[name]
            cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
            task = found[name]
            why = words.get(task.id, {}).get(submission.language, "") if submission else ""
            cell.outputs = [_verdict(task, why.replace("**", ""))]
        elif place in printed:
            cell.outputs = outputs_of(printed[place]) + cell.outputs
        elif submission and cell.id in submission.parts:
            parts = submission.parts[cell.id]
            cell.source, attachments = harmless_parts(parts, submission.language, pictures + 1)
            pictures += len(attachments)
            if attachments:
                cell.attachments = attachments
        elif is_extra_text(cell) or (cell.cell_type == "markdown" and is_answer(cell) and name in prose):
            cell.source = harmless(cell.source)
    choose_colours(notebook)
    if result.flags or submission is None:
        notebook.metadata["autograder"] = {"flags": list(result.flags)}
    return notebook


def _verdict(task: GradedTask, why: str) -> NotebookNode:
    """A test cell's output: nbgrader reads none of the points from an error, and all from anything else.

    Who has passed is told why the course's own solution is right, too.
    """
    if task.outcome == "passed":
        return output("stream", name="stdout", text="\n\n".join(filter(None, [task.message, why])) + "\n")
    head = f"{task.outcome}: {task.message}" if task.outcome != "wrong" else task.message
    # The name that HideTests knows for a message without frames.
    return output("error", ename="CheckFailed", evalue=head.split("\n")[0], traceback=head.split("\n"))


def placed(submission: Submission, cells: Sequence[CellResult]) -> list[Printed]:
    """Return what the student's cells printed or raised, bounded, each with its place in the notebook.

    The cells ran in the notebook's order, but those of ours that the student deleted did not run.
    """
    sources = {step.label: step.source for step in submission.steps if step.number}
    ran = [(cell, sources[cell.label]) for cell in cells if cell.label in sources]
    left = PAGE_CHARS
    found = []
    for place, ours in enumerate(submission.notebook.cells):
        if ours.cell_type != "code" or is_test(ours):
            continue
        number = next((i for i, (_, source) in enumerate(ran) if source == ours.source), None)
        if number is not None:
            cell = ran[number][0]
            output = visible(cell.output[:CELL_CHARS])[: min(left, CELL_CHARS)]
            left -= len(output)
            found.append(Printed(place, replace(cell, output=output)))
            del ran[: number + 1]
    return found


def outputs_of(cell: CellResult) -> list[NotebookNode]:
    """Return what a cell printed or raised as a notebook's outputs."""
    outputs = [output("stream", name="stdout", text=cell.output)] if cell.output else []
    if cell.error:
        name, head = visible(cell.error), visible(f"{cell.error}: {cell.message}")
        lines = [visible(f"  {at.cell}:{at.number}: {at.text.strip()}") for at in cell.trace]
        outputs.append(output("error", ename=name, evalue=head, traceback=[*lines, *head.split("\n")]))
    return outputs


def output(kind: str, **fields: Any) -> NotebookNode:
    """Return an output, as nbformat's `new_output`, which holds each against a schema."""
    return NotebookNode(output_type=kind, **fields)


def clipped(code: str) -> str:
    """Return code with its longest lines cut short."""
    lines = code.split("\n")
    return "\n".join(line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 3] + "..." for line in lines)


def choose_colours(notebook: NotebookNode) -> None:
    """Say for each cell of code how it is highlighted: as Python, or not at all where that could take long.

    What takes long is their number: each sign that has a colour is a piece of the page, twenty times as long
    as itself. As Python also where IPython's rules would hand a cell to those of another language (`%%ruby`).
    """
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    left = PAGE_COLOURED
    for cell in notebook.cells:
        if cell.cell_type == "code":
            short = len(cell.source) <= min(left, CELL_COLOURED)
            left -= len(cell.source) if short else 0
            cell.metadata["magics_language"] = "python3" if short else "text"


# --- The page -------------------------------------------------------------------------------------------


class _Grades(GetGrades):
    """nbgrader's step that writes scores and comments into a notebook; they have been read already."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        names = resources["nbgrader"]
        entered: Entered = names["entered"]
        for cell in nb.cells:
            if is_solution(cell) or is_task(cell):
                cell.metadata.nbgrader["comment"] = entered.comments[grade_id(cell)]
            if is_grade(cell) or is_task(cell):
                score, most = entered.scores[grade_id(cell)]
                cell.metadata.nbgrader |= {"score": score, "points": most}
        score = entered.score - entered.penalty
        names |= {"score": score, "max_score": entered.max_score, "late_penalty": entered.penalty}
        return nb, resources


class Pages:
    """Prepares feedback pages with nbgrader's own steps and settings.

    Args:
        coursedir, config: nbgrader's settings.
    """

    def __init__(self, coursedir: CourseDirectory, config: Config) -> None:
        converter = GenerateFeedback(coursedir=coursedir, config=config)
        # Of hidden lines only probes are sent to the student's process: any other is the student's own.
        ours = {GetGrades: _Grades, HideTests: ClearTests}
        steps = [ours.get(step, step) for step in converter.preprocessors]
        # A page has a style of its own, so that step would only take time.
        self._steps = [step(config=config) for step in steps if step is not CSSHTMLHeaderPreprocessor]
        self._db_url = coursedir.db_url

    def page(
        self, notebook: NotebookNode, entered: Entered, head: Head, student: str, lesson: str, name: str = ""
    ) -> Page:
        """Return the page to make for a student, with what the gradebook says.

        Args:
            notebook: see `graded_notebook`. It is used up.
            entered: what the gradebook says.
            head: see `page_head`.
            student, lesson: whose, and of what.
            name: which notebook it is; empty for the one with the assignment's name.
        """
        for cell in notebook.cells:  # a page is of text: what a student's file shows is a person's to see
            if cell.cell_type == "code":
                cell.outputs = [one for one in cell.outputs if not is_picture(one)]
        names = {"student": student, "assignment": lesson, "db_url": self._db_url}
        names["notebook"] = name or lesson
        names |= {"entered": entered}
        resources: Any = {"nbgrader": names, "unique_key": lesson, "output_files_dir": f"{lesson}_files"}
        for step in self._steps:
            notebook, resources = step(notebook, resources)
        return Page(student, lesson, json.dumps(notebook), head, name=name)


def page_head(
    assignment: Assignment,
    taken: Submission | Rejected,
    result: Result,
    entered: Entered,
    solutions: Mapping[str, WorkedSolution],
    released: bool = False,
    times: tuple[str, ...] | None = None,
) -> Head:
    """Return what stands above the notebook of a page.

    Args:
        assignment: the lesson.
        taken: what the intake made of the file.
        result: what became of it.
        entered: what the gradebook says.
        solutions: by task; what is said about each goes to those who passed it.
        released: whether all of each goes to everybody.
        times: when it was handed in and when it was due, if points were taken off.
    """
    known = taken.language if isinstance(taken, Submission) else result.language

    def head(language: Language) -> Head:
        titles, rows = (
            headings(assignment.releases.get(language) or next(iter(assignment.releases.values()))),
            [],
        )
        for task in result.tasks:
            row = row_of(task, titles.get(task.id, task.id), result, entered)
            worked = solutions.get(task.id) if released or task.outcome == "passed" else None
            if worked and known:
                row = replace(row, why=worked.words.get(known, ""), solution=worked.code if released else "")
            rows.append(row)
        return Head(
            titles.get("", assignment.lesson),
            language,
            entered.score,
            entered.max_score,
            entered.penalty,
            rows,
            "" if isinstance(taken, Submission) else visible({"en": taken.en, "ko": taken.ko}[language]),
            next(result.flagged("counted"), ""),
            before=result.before,
            times=times,
        )

    return head(known) if known else replace(head("en"), korean=head("ko"))


def row_of(task: GradedTask, title: str, result: Result, entered: Entered) -> Row:
    """Return what a page's table says of a task.

    Args:
        task: the task.
        title: its title.
        result: what became of the submission.
        entered: what the gradebook says of the task's notebook.
    """
    points, most = entered.scores.get(task.cell, (task.points, task.max_points))
    automatic = result.comments.get(task.id)
    comment = entered.comments.get(task.name) or ""
    waits = task.cell in entered.waiting
    extra, auto = entered.extra.get(task.cell, 0.0), entered.auto.get(task.cell)
    by_hand = task.outcome == "rejected" or not isclose(points - extra, auto or 0.0, abs_tol=1e-6)
    said = task.outcome not in ("passed", "manual", "rejected") and not task.is_note
    return Row(
        task=task.name,
        title=title,
        points=points,
        most=most,
        extra=extra,
        outcome="manual" if by_hand and not waits else task.outcome,
        waits=waits,
        verdict=task.verdict if said else None,
        comment=comment if comment != automatic else "",
    )


def headings(release: NotebookNode) -> dict[str, str]:
    """A notebook's title, under an empty name, and each task's."""
    titles: dict[str, str] = {}
    title = ""
    for cell in release.cells:
        if is_answer(cell):
            titles[grade_id(cell)] = title or grade_id(cell)
        elif cell.cell_type == "markdown":
            title = task_heading(cell.source) or title
            if "" not in titles and cell.source.startswith("# "):
                titles[""] = cell.source.partition("\n")[0].removeprefix("# ").replace("`", "")
    return titles


def bare(page: Page) -> Page:
    """Return a page without what the student wrote and printed, for one that could not be made."""
    notebook = nbformat.from_dict(json.loads(page.notebook))
    for cell in notebook.cells:
        if not is_test(cell) and (cell.cell_type == "code" or is_answer(cell) or is_extra_text(cell)):
            cell.pop("attachments", None)
            if cell.cell_type == "code":
                cell.source, cell.outputs = _LEFT_OUT, []
            else:
                cell.source = harmless(_LEFT_OUT)
    return replace(page, notebook=json.dumps(notebook), bare=True)


# --- The folders ----------------------------------------------------------------------------------------


def replace_folder(
    folder: Path, files: Mapping[str, str], beside: Beside, extra: Path, mode: int, shared: bool = False
) -> None:
    """Put a folder with these files in the place of the old one.

    Args:
        folder: where.
        files: texts by name.
        beside: what goes with them; a student's file has the place of none of ours.
        extra: a folder of the course whose files, other than notebooks, go with them.
        mode: the permissions of a file.
        shared: whether a group of people may write.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    new, old = folder.parent / f".new-{folder.name}", folder.parent / f".old-{folder.name}"
    for left_over in (new, old):
        shutil.rmtree(left_over, ignore_errors=True)
    new.mkdir(mode=0o700)
    if extra.is_dir():
        skip = shutil.ignore_patterns("*.ipynb", ".*", "__pycache__")
        shutil.copytree(extra, new, ignore=skip, dirs_exist_ok=True)
    for name, text in {**beside.exchange, **files}.items():
        (new / name).write_text(text, encoding="utf-8")
    for path, data in beside.side_files.items():
        with suppress(FileExistsError, NotADirectoryError):  # of ours
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            with (new / path).open("xb") as file:
                file.write(data)
    for place in new.rglob("*"):
        os.chmod(place, (0o2770 if shared else 0o755) if place.is_dir() else (0o664 if shared else mode))
    # Who knows it can fetch the student's page.
    os.chmod(new / EXCHANGE_SECRET, 0o660 if shared else 0o600)
    os.chmod(new, 0o2770 if shared else 0o755)
    if folder.exists():
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)


def as_text(notebook: NotebookNode) -> str:
    """Return a notebook as the text of a file, a cell a line: json's own indenting takes long."""
    cells = ",\n".join(json.dumps(cell, ensure_ascii=False, sort_keys=True) for cell in notebook.cells)
    others = {name: value for name, value in notebook.items() if name != "cells"}
    return f'{{"cells": [\n{cells}\n],\n{json.dumps(others, ensure_ascii=False, sort_keys=True)[1:]}\n'
