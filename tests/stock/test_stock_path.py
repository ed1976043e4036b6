"""Tests of the whole path with unmodified nbgrader alone: it releases, grades and gives feedback.

Each lesson takes the path once, in a separate course directory. Both languages are released there, and graded
with one gradebook. These notebooks are handed in:

- in the first language, the solution with all of the lesson's cells, and the release without any answer;
- in the second language, right answers in another style;
- in each language, one wrong answer to each task.

Answers to different tasks share a notebook, because nbgrader grades each task by its own cell. A task without
an answer stays as it was released. Other tests check without nbgrader that every answer gets its verdict, and
each wrong answer its hint, in both languages: tests/course in one language, and the examiner's tests
(tests/autograder/exam) in the other.

`make test-deep` hands in all answers, and the solution in both languages. It then takes the path again with
the languages exchanged; in that round, each wrong answer to lesson 1 is handed in alone. nbgrader and its
kernels are forked from a warm process, which saves their imports.
"""

import html
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder.build.builder import build
from autograder.course.cells import is_test, split_tests, tasks
from autograder.course.hints import contains_hint
from autograder.course.lesson import Answer, Lesson, find_lessons
from tests.support.lessons import (
    LESSONS,
    ROOT,
    minimal_notebook,
    questions,
    right_answers,
    side_by_side,
    source,
    with_answers,
    wrong_answers,
)
from tests.support.stock_engine import use_stock_engine
from tests.support.warm import write_kernel

# How many notebooks with right and with wrong answers are handed in; the deep tests hand in all of them.
STYLES, ROUNDS = 1, 2
# The lesson in tests/fixtures has a test that fails with a traceback, and a task that a person grades.
ALL_LESSONS = [*LESSONS, *find_lessons(ROOT / "tests" / "fixtures")]


@dataclass
class Submission:
    """A notebook to hand in: the language of the release it was written in, and its answers by task."""

    language: str
    answers: Mapping[str, str] = field(default_factory=dict)
    mistakes: Mapping[str, Answer] = field(default_factory=dict)
    whole: bool = False


@dataclass
class Classroom:
    """A course directory in which nbgrader's own commands run."""

    path: Path
    lesson: Lesson
    python: list[str]

    def run(self, command: str, language: str) -> None:
        """Run an nbgrader command on the lesson."""
        arguments = [*self.python, "nbgrader", command, self.lesson.name, "--force"]
        result = subprocess.run(
            arguments, cwd=self.path, env=self._environment(language), capture_output=True, text=True
        )
        assert result.returncode == 0, f"nbgrader {command}: {result.stderr[-3000:]}"
        assert "Cell output is" not in result.stderr, "what a test cell shows is read as points"

    def _environment(self, language: str) -> dict[str, str]:
        # No settings but the course's apply. A kernel has one thread, because several share the machine.
        variables = {"SECANT_LANG": language, "OMP_NUM_THREADS": "1"}
        names = ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "JUPYTER_PATH")
        variables |= {name: str(self.path / ".jupyter") for name in names}
        return {**os.environ, **variables}

    def release(self, language: str) -> NotebookNode:
        """Return the released notebook that a student opens."""
        return nbformat.read(self._notebook("release", language), as_version=4)

    def release_bytes(self, language: str) -> bytes:
        """Return the bytes of the released notebook's file."""
        return self._notebook("release", language).read_bytes()

    def submit(self, student: str, notebook: NotebookNode) -> None:
        """Write a student's notebook to the path at which nbgrader looks for it."""
        path = self._notebook("submitted", student)
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)

    def feedback(self, student: str) -> str:
        """Return the HTML of the feedback page that a student gets."""
        return self._notebook("feedback", student).with_suffix(".html").read_text(encoding="utf-8")

    def scores(self) -> dict[str, dict[str, float | None]]:
        """Return the automatic scores by student and task."""
        with Gradebook(f"sqlite:///{self.path / 'gradebook.db'}") as book:
            return {
                submission.student.id: {
                    grade.cell.name.removeprefix("test_"): grade.auto_score
                    for notebook in submission.notebooks
                    for grade in notebook.grades
                }
                for submission in book.assignment_submissions(self.lesson.name)
            }

    def _notebook(self, *folders: str) -> Path:
        return self.path.joinpath(*folders, self.lesson.name, f"{self.lesson.name}.ipynb")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "languages", [("en", "ko"), pytest.param(("ko", "en"), marks=pytest.mark.deep)], ids="-".join
)
@pytest.mark.parametrize("lesson", ALL_LESSONS, ids=lambda lesson: lesson.name)
def test_stock_nbgrader_releases_grades_and_gives_feedback(
    lesson: Lesson,
    languages: tuple[str, str],
    python: list[str],
    gradebook: Path,
    tmp_path: Path,
    deep: bool,
) -> None:
    shutil.copy(gradebook, tmp_path)
    classroom = open_classroom(Classroom(tmp_path, lesson, python), languages)
    submissions = dict(all_submissions(lesson, languages, deep))
    for student, submission in submissions.items():
        classroom.submit(student, make_notebook(classroom, submission))
    classroom.run("autograde", languages[0])
    classroom.run("generate_feedback", languages[0])

    scores = classroom.scores()
    problems = [
        f"{student} ({submission.language}): {problem}"
        for student, submission in submissions.items()
        for problem in [
            *score_problems(lesson, submission, scores[student]),
            *feedback_problems(lesson, submission, classroom, student),
        ]
    ]
    assert not problems, "\n".join(["", *problems])


def open_classroom(classroom: Classroom, languages: tuple[str, str]) -> Classroom:
    """Make a course directory with this lesson, released in the second language and then in the first."""
    shutil.copy(ROOT / "nbgrader_config.py", classroom.path)
    use_stock_engine(classroom.path)
    shutil.copytree(classroom.lesson.folder, classroom.path / "course" / classroom.lesson.name)
    write_kernel(classroom.path / ".jupyter", classroom.python)
    build(classroom.path, find_lessons(classroom.path))
    released = {name: classroom.release_bytes(name) for name in languages}
    for language in reversed(languages):
        classroom.run("generate_assignment", language)
    assert {name: classroom.release_bytes(name) for name in languages} == released, (
        "nbgrader's release is another"
    )
    assert stored_cells(classroom.release("en")) == stored_cells(classroom.release("ko")), (
        "the languages need two gradebooks"
    )
    return classroom


def stored_cells(notebook: NotebookNode) -> list[tuple[dict[str, Any], str]]:
    """Return the metadata and sources of the cells that the gradebook stores.

    The checksums, and the sources of test cells, are left out, because they depend on the language.
    """
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    metadata = [{**cell.metadata["nbgrader"], "checksum": is_test(cell) or None} for cell in cells]
    return [
        (entry, "" if is_test(cell) else cell.source) for entry, cell in zip(metadata, cells, strict=True)
    ]


def all_submissions(
    lesson: Lesson, languages: tuple[str, str], deep: bool
) -> Iterator[tuple[str, Submission]]:
    """Yield the submissions, each with its student's id."""
    solution = {task.id: task.answer.source for task in questions(lesson)}
    solution |= dict.fromkeys(manual_tasks(lesson), "A note for a person to read.")
    for language in languages if deep else languages[:1]:
        yield f"right_{language}", Submission(language, solution, whole=language == languages[0])
    yield "untouched", Submission(languages[0], whole=deep)
    styles = side_by_side(right_answers(lesson))
    for number, answers in enumerate(styles if deep else styles[:STYLES]):
        yield f"another_style_{number}", Submission(languages[1 - number % 2], sources(answers))
    one_by_one = lesson.name.startswith("01") and languages[0] == "ko"
    all_wrong = wrong_answers(lesson)
    rounds = [{answer.task: answer} for answer in all_wrong] if one_by_one else side_by_side(all_wrong)
    for number, answers in enumerate(rounds if deep else rounds[:ROUNDS]):
        yield f"wrong_{number}", Submission(languages[number % 2], sources(answers), answers)


def make_notebook(classroom: Classroom, submission: Submission) -> NotebookNode:
    """Return the notebook to hand in, reduced to the cells that its answers need if it is not `whole`."""
    notebook = with_answers(classroom.release(submission.language), submission.answers)
    return notebook if submission.whole else minimal_notebook(notebook)


def manual_tasks(lesson: Lesson) -> list[str]:
    """Return the ids of the tasks that a person grades."""
    return [task.id for task in tasks(source(lesson)) if task.test is None]


def sources(answers: Mapping[str, Answer]) -> dict[str, str]:
    return {task: answer.source for task, answer in answers.items()}


def score_problems(lesson: Lesson, submission: Submission, scores: dict[str, float | None]) -> Iterator[str]:
    """Yield each task with unexpected points. Right answers get all, wrong answers the recorded points."""
    for task in questions(lesson):
        wrong_answer = submission.mistakes.get(task.id)
        is_right = task.id in submission.answers and wrong_answer is None
        want = task.points if is_right else wrong_answer.points if wrong_answer else 0.0
        if scores[task.id] != want:
            yield f"{task.id} got {scores[task.id]} points, not {want}{answer_note(submission, task.id)}"
    for task_id in manual_tasks(lesson):
        if task_id in submission.answers and scores[task_id] is not None:
            yield f"{task_id} got {scores[task_id]} points from a machine"


def answer_note(submission: Submission, task: str) -> str:
    return f', for "{submission.mistakes[task].name}"' if task in submission.mistakes else ""


def feedback_problems(
    lesson: Lesson, submission: Submission, classroom: Classroom, student: str
) -> Iterator[str]:
    """Yield each hint that is missing from the feedback, and each hidden line that is in it."""
    page = classroom.feedback(student)
    errors = plain_text("\n".join(re.findall(r'output_error">(.*?)</pre>', page, flags=re.DOTALL)))
    for answer in submission.mistakes.values():
        hint = answer.hint[submission.language]
        if not contains_hint(plain_text(page) if answer.points else errors, hint):  # partial credit prints it
            yield f'{answer.task}: "{answer.name}" is not told "{hint}" but: {errors}'
    text = plain_text(page)
    visible_tests = [split_tests(task.test.source)[0] for task in questions(lesson) if task.test is not None]
    submitted_sources = [cell.source for cell in make_notebook(classroom, submission).cells]
    known_text = " ".join(" ".join([*submitted_sources, *visible_tests]).split())
    for line in hidden_lines(lesson):
        if line in text and line not in known_text:
            yield f"the feedback shows the hidden line {line}"


def hidden_lines(lesson: Lesson) -> set[str]:
    """Return the lines of the hidden tests, except short ones, which may also occur elsewhere."""
    hidden_tests = [split_tests(task.test.source)[1] for task in questions(lesson) if task.test is not None]
    lines = {" ".join(line.split()) for source in hidden_tests for line in source.splitlines()}
    return {line for line in lines if len(line) >= 8}


def plain_text(page: str) -> str:
    """Return a page's text, with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())
