"""The notebook that formgrader shows to staff, and the feedback page for the student.

Both are built from the course's own cells. Text written by a student is inserted as plain text of limited
length. A student's outputs never affect a score: every test cell whose test was not proven to pass gets an
error output made by the autograder.
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
from autograder.gradebook.recorded_grades import RecordedGrades
from autograder.gradebook.result import CellOutput, GradedTask, Result
from autograder.grading.additional_files import AdditionalFiles
from autograder.intake.files import EXCHANGE_SECRET
from autograder.intake.pictures import is_picture
from autograder.intake.rebuild import is_extra_text
from autograder.intake.submission import Rejected, Submission
from autograder.overrides.hide_tests import ClearTests, HideTests
from autograder.page.facts import PageHead, TaskRow
from autograder.page.prose import as_typed_markdown, parts_as_markdown
from autograder.sandbox.results import CellResult
from autograder.workers.jobs import Page
from secant.headings import task_heading
from secant.language import Language
from secant.visible import visible

CELL_CHARS = 10_000  # maximum number of characters shown from one cell's output
PAGE_CHARS = 200_000  # maximum number of characters shown from all outputs together
# Maximum number of characters shown from a line of code. The highlighter takes minutes for some longer lines.
LINE_CHARS = 500
# Maximum number of characters in a code cell that is highlighted. Longer cells are shown without colours.
COLOURED_CELL_CHARS = 20_000
COLOURED_PAGE_CHARS = 100_000  # maximum number of characters highlighted in all code cells together
_LEFT_OUT = (
    "# Not shown: the page could not be made with what is in this cell.\n"
    "# What you handed in is unchanged.\n"
    "# 표시하지 않음: 이 셀의 내용으로는 페이지를 만들 수 없었습니다.\n# 제출한 파일은 그대로 있습니다."
)


# --- Making the notebook for staff ----------------------------------------------------------------------


def graded_notebook(
    assignment: Assignment, submission: Submission | None, result: Result, words: Words
) -> NotebookNode:
    """Return the notebook for staff: the submitted cells, with the results and pictures as outputs.

    The pictures in the student's text cells are raw data that still has to be decoded safely; see
    `autograder.page.pictures`.

    Args:
        assignment: the lesson.
        submission: the submission as read by the intake; None if it was rejected. The submission's notebook
            is modified.
        result: the result of the submission.
        words: an explanation of each task's solution, shown if the student passed the task.
    """
    notebook: NotebookNode = (
        submission.notebook if submission else copy.deepcopy(next(iter(assignment.releases.values())))
    )
    tests = {grade_id(cell): cell.source for cell in assignment.source.cells if is_test(cell)}
    prose = set(submission.answers) - submission.unwritten if submission else set()
    pictures = 0
    tasks = {task.cell: task for task in result.tasks}
    cells_by_index = {cell_output.place: cell_output.cell for cell_output in result.cells}
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = list(filter(is_picture, cell.outputs)), None
            # The code is shortened for readers only. The full code ran, and submitted/ still contains it.
            cell.source = clip_lines(visible(cell.source))
        name = grade_id(cell)
        if is_test(cell):
            cell.source = tests[name]
            cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
            task = tasks[name]
            explanation = words.get(task.id, {}).get(submission.language, "") if submission else ""
            cell.outputs = [_verdict_output(task, explanation.replace("**", ""))]
        elif index in cells_by_index:
            cell.outputs = outputs_of(cells_by_index[index]) + cell.outputs
        elif submission and cell.id in submission.parts:
            parts = submission.parts[cell.id]
            cell.source, attachments = parts_as_markdown(parts, submission.language, pictures + 1)
            pictures += len(attachments)
            if attachments:
                cell.attachments = attachments
        elif is_extra_text(cell) or (cell.cell_type == "markdown" and is_answer(cell) and name in prose):
            cell.source = as_typed_markdown(cell.source)
    choose_colours(notebook)
    if result.flags or submission is None:
        notebook.metadata["autograder"] = {"flags": list(result.flags)}
    return notebook


def _verdict_output(task: GradedTask, explanation: str) -> NotebookNode:
    """Return the output of a test cell. If the test passed, the output includes `explanation`.

    nbgrader gives no points for an error output, and full points for any other output.
    """
    if task.outcome == "passed":
        return output(
            "stream", name="stdout", text="\n\n".join(filter(None, [task.message, explanation])) + "\n"
        )
    head = f"{task.outcome}: {task.message}" if task.outcome != "wrong" else task.message
    # HideTests leaves an error named CheckFailed unchanged, because its traceback contains no stack frames.
    return output("error", ename="CheckFailed", evalue=head.split("\n")[0], traceback=head.split("\n"))


def locate_outputs(submission: Submission, cells: Sequence[CellResult]) -> list[CellOutput]:
    """Return the position and the output of each of the student's cells; long outputs are cut.

    The cells ran in the order of the notebook. Lesson cells that the student had deleted did not run.
    """
    sources = {step.label: step.source for step in submission.steps if step.number}
    run_cells = [(cell, sources[cell.label]) for cell in cells if cell.label in sources]
    chars_left = PAGE_CHARS
    outputs = []
    for index, node in enumerate(submission.notebook.cells):
        if node.cell_type != "code" or is_test(node):
            continue
        number = next((i for i, (_, source) in enumerate(run_cells) if source == node.source), None)
        if number is not None:
            cell = run_cells[number][0]
            output = visible(cell.output[:CELL_CHARS])[: min(chars_left, CELL_CHARS)]
            chars_left -= len(output)
            outputs.append(CellOutput(index, replace(cell, output=output)))
            del run_cells[: number + 1]
    return outputs


def outputs_of(cell: CellResult) -> list[NotebookNode]:
    """Return a cell's printed text and its error as notebook outputs."""
    outputs = [output("stream", name="stdout", text=cell.output)] if cell.output else []
    if cell.error:
        name, head = visible(cell.error), visible(f"{cell.error}: {cell.message}")
        lines = [visible(f"  {line.cell}:{line.number}: {line.text.strip()}") for line in cell.trace]
        outputs.append(output("error", ename=name, evalue=head, traceback=[*lines, *head.split("\n")]))
    return outputs


def output(kind: str, **fields: Any) -> NotebookNode:
    """Return an output as nbformat's `new_output` does, but without its slow validation against a schema."""
    return NotebookNode(output_type=kind, **fields)


def clip_lines(code: str) -> str:
    """Return code with overlong lines cut to `LINE_CHARS` characters."""
    lines = code.split("\n")
    return "\n".join(line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 3] + "..." for line in lines)


def choose_colours(notebook: NotebookNode) -> None:
    """Choose how each code cell is highlighted: as Python, or not at all if that could take too long.

    Each highlighted token becomes an HTML element of about twenty times its length, so only a limited number
    of characters is highlighted. A cell is highlighted as Python even if IPython would treat it as another
    language (such as `%%ruby`).
    """
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    chars_left = COLOURED_PAGE_CHARS
    for cell in notebook.cells:
        if cell.cell_type == "code":
            is_short = len(cell.source) <= min(chars_left, COLOURED_CELL_CHARS)
            chars_left -= len(cell.source) if is_short else 0
            cell.metadata["magics_language"] = "python3" if is_short else "text"


# --- Making the feedback page ---------------------------------------------------------------------------


class _Grades(GetGrades):
    """A replacement for nbgrader's GetGrades: scores and comments come from a `RecordedGrades` object."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        names = resources["nbgrader"]
        grades: RecordedGrades = names["recorded_grades"]
        for cell in nb.cells:
            if is_solution(cell) or is_task(cell):
                cell.metadata.nbgrader["comment"] = grades.comments[grade_id(cell)]
            if is_grade(cell) or is_task(cell):
                score, max_points = grades.scores[grade_id(cell)]
                cell.metadata.nbgrader |= {"score": score, "points": max_points}
        score = grades.score - grades.penalty
        names |= {"score": score, "max_score": grades.max_score, "late_penalty": grades.penalty}
        return nb, resources


class Pages:
    """A converter that prepares feedback pages with nbgrader's own preprocessors and settings.

    Args:
        coursedir: nbgrader's object for the course directory.
        config: nbgrader's configuration.
    """

    def __init__(self, coursedir: CourseDirectory, config: Config) -> None:
        converter = GenerateFeedback(coursedir=coursedir, config=config)
        # It is enough to clear the hidden tests from the test cells (ClearTests). The outputs need not be
        # searched for them (HideTests), because the student's process receives only the tests' probes: the
        # functions that run in that process. Any other line of a hidden test was written by the student.
        replacements = {GetGrades: _Grades, HideTests: ClearTests}
        steps = [replacements.get(step, step) for step in converter.preprocessors]
        # A feedback page already has a style sheet, so CSSHTMLHeaderPreprocessor would only waste time.
        self._steps = [step(config=config) for step in steps if step is not CSSHTMLHeaderPreprocessor]
        self._db_url = coursedir.db_url

    def page(
        self,
        notebook: NotebookNode,
        grades: RecordedGrades,
        head: PageHead,
        student: str,
        lesson: str,
        name: str = "",
    ) -> Page:
        """Return the job with which a worker makes a student's feedback page.

        Args:
            notebook: the notebook from `graded_notebook`. It is modified.
            grades: the gradebook's entries for this notebook.
            head: the head from `page_head`.
            student: the student's id.
            lesson: the name of the lesson or assignment.
            name: the notebook's name; empty for the notebook that has the assignment's name.
        """
        # The page shows only text; pictures from a student's file are for staff only.
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = [cell_output for cell_output in cell.outputs if not is_picture(cell_output)]
        names = {"student": student, "assignment": lesson, "db_url": self._db_url}
        names["notebook"] = name or lesson
        names |= {"recorded_grades": grades}
        resources: Any = {"nbgrader": names, "unique_key": lesson, "output_files_dir": f"{lesson}_files"}
        for step in self._steps:
            notebook, resources = step(notebook, resources)
        return Page(student, lesson, json.dumps(notebook), head, name=name)


def page_head(
    assignment: Assignment,
    submission: Submission | Rejected,
    result: Result,
    grades: RecordedGrades,
    solutions: Mapping[str, WorkedSolution],
    released: bool = False,
    times: tuple[str, ...] | None = None,
) -> PageHead:
    """Return the head of a feedback page: scores, tasks and comments.

    Args:
        assignment: the lesson.
        submission: the submission as read by the intake, or its rejection.
        result: the result of the submission.
        grades: the gradebook's entries for the submission.
        solutions: the worked solution of each task; a student who passed a task sees the solution's
            explanation.
        released: True if all students see the complete solutions.
        times: the time of submission and the due date if points were deducted for lateness; otherwise None.
    """
    page_language = submission.language if isinstance(submission, Submission) else result.language

    def head(language: Language) -> PageHead:
        titles, rows = (
            headings(assignment.releases.get(language) or next(iter(assignment.releases.values()))),
            [],
        )
        for task in result.tasks:
            row = row_of(task, titles.get(task.id, task.id), result, grades)
            worked_solution = solutions.get(task.id) if released or task.outcome == "passed" else None
            if worked_solution and page_language:
                row = replace(
                    row,
                    why=worked_solution.words.get(page_language, ""),
                    solution=worked_solution.code if released else "",
                )
            rows.append(row)
        return PageHead(
            titles.get("", assignment.lesson),
            language,
            grades.score,
            grades.max_score,
            grades.penalty,
            rows,
            ""
            if isinstance(submission, Submission)
            else visible({"en": submission.en, "ko": submission.ko}[language]),
            next(result.flag_subjects("counted"), ""),
            earlier_points=result.earlier_points,
            times=times,
        )

    return head(page_language) if page_language else replace(head("en"), korean=head("ko"))


def row_of(task: GradedTask, title: str, result: Result, grades: RecordedGrades) -> TaskRow:
    """Return a task's row in the table of a feedback page.

    Args:
        task: the result of the task.
        title: the task's title.
        result: the result of the submission.
        grades: the gradebook's entries for the task's notebook.
    """
    points, max_points = grades.scores.get(task.cell, (task.points, task.max_points))
    automatic_comment = result.comments.get(task.id)
    comment = grades.comments.get(task.name) or ""
    is_waiting = task.cell in grades.waiting
    extra, auto = grades.extra.get(task.cell, 0.0), grades.auto.get(task.cell)
    by_hand = task.outcome == "rejected" or not isclose(points - extra, auto or 0.0, abs_tol=1e-6)
    shows_verdict = task.outcome not in ("passed", "manual", "rejected") and not task.is_note
    return TaskRow(
        task=task.name,
        title=title,
        points=points,
        max_points=max_points,
        extra=extra,
        outcome="manual" if by_hand and not is_waiting else task.outcome,
        needs_grading=is_waiting,
        verdict=task.verdict if shows_verdict else None,
        comment=comment if comment != automatic_comment else "",
    )


def headings(release: NotebookNode) -> dict[str, str]:
    """Return the tasks' titles, keyed by task id, and the notebook's title under the key ""."""
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


def bare_page(page: Page) -> Page:
    """Return a job to replace the failed job `page`. The new job omits the student's text and outputs."""
    notebook = nbformat.from_dict(json.loads(page.notebook))
    for cell in notebook.cells:
        if not is_test(cell) and (cell.cell_type == "code" or is_answer(cell) or is_extra_text(cell)):
            cell.pop("attachments", None)
            if cell.cell_type == "code":
                cell.source, cell.outputs = _LEFT_OUT, []
            else:
                cell.source = as_typed_markdown(_LEFT_OUT)
    return replace(page, notebook=json.dumps(notebook), bare=True)


# --- Writing the folders --------------------------------------------------------------------------------


def replace_folder(
    folder: Path,
    files: Mapping[str, str],
    additional: AdditionalFiles,
    extra: Path,
    mode: int,
    shared: bool = False,
) -> None:
    """Replace a folder with a new one that contains the given files.

    Args:
        folder: the path of the folder.
        files: the contents of text files, keyed by file name.
        additional: nbgrader's files and the student's own files. A student's file never replaces another
            file.
        extra: a folder of the course; all its files except notebooks are added.
        mode: the permissions of the files.
        shared: True if a group of instructors may write to the files.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    new, old = folder.parent / f".new-{folder.name}", folder.parent / f".old-{folder.name}"
    for temporary in (new, old):
        shutil.rmtree(temporary, ignore_errors=True)
    new.mkdir(mode=0o700)
    skip = shutil.ignore_patterns("*.ipynb", ".*", "__pycache__")
    names = os.listdir(extra) if extra.is_dir() else []
    has_extra = len(skip(str(extra), names)) < len(names)
    if has_extra:
        shutil.copytree(extra, new, ignore=skip, dirs_exist_ok=True)
    texts = {**additional.exchange, **files}
    for name, text in texts.items():
        (new / name).write_text(text, encoding="utf-8")
    for path, data in additional.side_files.items():
        # Skip a student's file if the course already has a file at the same path.
        with suppress(FileExistsError, NotADirectoryError):
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            with (new / path).open("xb") as file:
                file.write(data)
    # Most submissions have only the files in `texts`, so there is no need to search the folder for others.
    written_paths = new.rglob("*") if has_extra or additional.side_files else [new / name for name in texts]
    for written_path in written_paths:
        os.chmod(
            written_path,
            (0o2770 if shared else 0o755) if written_path.is_dir() else (0o664 if shared else mode),
        )
    # Only instructors may read the secret: anyone who knows the secret can fetch the student's page.
    os.chmod(new / EXCHANGE_SECRET, 0o660 if shared else 0o600)
    os.chmod(new, 0o2770 if shared else 0o755)
    if folder.exists():
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)


def as_text(notebook: NotebookNode) -> str:
    """Return a notebook as JSON with one cell per line; the json module's own indentation would be slower."""
    cells = ",\n".join(json.dumps(cell, ensure_ascii=False, sort_keys=True) for cell in notebook.cells)
    other_fields = {name: value for name, value in notebook.items() if name != "cells"}
    return f'{{"cells": [\n{cells}\n],\n{json.dumps(other_fields, ensure_ascii=False, sort_keys=True)[1:]}\n'
