"""The path, proven with stock tools: nbgrader alone releases, grades and gives feedback.

Each lesson takes the path twice, in two course directories, one for each language, so that two workers can
share the work. In the first lesson each wrong answer is handed in alone; in the others wrong answers to
different tasks share a notebook, which takes a quarter of the time. Both languages are graded from one
gradebook.
"""

import html
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder.build.builder import build
from autograder.course.cells import Task, split_tests, tasks
from autograder.course.lesson import (
    Answer,
    Lesson,
    find_lessons,
    read_lesson,
    right_answers,
    with_answers,
    wrong_answers,
)

ROOT = Path(__file__).resolve().parents[2]
OTHER = {"en": "ko", "ko": "en"}
HALVES = [(lesson, language) for lesson in find_lessons(ROOT) for language in OTHER]
# The small lesson has a test that fails with a traceback, and a task that a person grades; half will do.
HALVES += [(lesson, "en") for lesson in find_lessons(ROOT / "tests" / "fixtures")]
NAMES = [f"{lesson.name}-{language}" for lesson, language in HALVES]


@dataclass
class Submission:
    """A notebook to hand in: the language of the release it was written in, and its answers by task."""

    language: str
    answers: Mapping[str, str] = field(default_factory=dict)
    wrong: list[Answer] = field(default_factory=list)
    stub: bool = False


@dataclass
class Classroom:
    """A course directory, and nbgrader's own commands."""

    path: Path
    lesson: Lesson

    def run(self, command: str, language: str) -> None:
        """Run an nbgrader command on the lesson."""
        words = [sys.executable, "-m", "nbgrader", command, self.lesson.name, "--force"]
        done = subprocess.run(
            words, cwd=self.path, env=self._environment(language), capture_output=True, text=True
        )
        assert done.returncode == 0, f"nbgrader {command}: {done.stderr[-3000:]}"

    def _environment(self, language: str) -> dict[str, str]:
        # Nobody's settings but the course's, and one thread a kernel, since kernels share the machine.
        own = {"SECANT_LANG": language, "OMP_NUM_THREADS": "1"}
        own |= {name: str(self.path / ".jupyter") for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR")}
        return {**os.environ, **own}

    def release(self, language: str) -> NotebookNode:
        """Read what a student opens."""
        return nbformat.read(self._notebook("release", language), as_version=4)

    def release_bytes(self, language: str) -> bytes:
        """Read it as it is in the file."""
        return self._notebook("release", language).read_bytes()

    def submit(self, student: str, notebook: NotebookNode) -> None:
        """Put a student's notebook where nbgrader collects."""
        path = self._notebook("submitted", student)
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)

    def feedback(self, student: str) -> str:
        """Read the page that a student gets back."""
        return self._notebook("feedback", student).with_suffix(".html").read_text(encoding="utf-8")

    def scores(self) -> dict[str, dict[str, float | None]]:
        """Read the points by student and task."""
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


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("lesson", "language"), HALVES, ids=NAMES)
def test_the_path(lesson: Lesson, language: str, tmp_path: Path):
    room = open_classroom(lesson, tmp_path, language)
    submissions = dict(all_submissions(lesson, language))
    for student, submission in submissions.items():
        room.submit(student, handed_in(room, submission))
    room.run("autograde", language)
    room.run("generate_feedback", language)

    scores = room.scores()
    problems = [
        f"{student} ({submission.language}): {problem}"
        for student, submission in submissions.items()
        for problem in [
            *score_problems(lesson, submission, scores[student]),
            *feedback_problems(lesson, submission, room, student),
        ]
    ]
    assert not problems, "\n".join(["", *problems])


def open_classroom(lesson: Lesson, path: Path, language: str) -> Classroom:
    """Make a course directory with this lesson, released in the other language first and then in this one."""
    shutil.copy(ROOT / "nbgrader_config.py", path)
    shutil.copytree(lesson.folder, path / "course" / lesson.name)
    room = Classroom(path, lesson)
    build(path, find_lessons(path))
    built = {name: room.release_bytes(name) for name in OTHER}
    room.run("generate_assignment", OTHER[language])
    room.run("generate_assignment", language)
    assert {name: room.release_bytes(name) for name in OTHER} == built, "nbgrader's release is another"
    assert graded(room.release("en")) == graded(room.release("ko")), "the languages need two gradebooks"
    return room


def graded(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the cells that the gradebook keeps, checksums included."""
    return [cell for cell in notebook.cells if "nbgrader" in cell.metadata]


def all_submissions(lesson: Lesson, language: str) -> Iterator[tuple[str, Submission]]:
    """Return the submissions of one half by student."""
    right = {task.id: task.answer.source for task in questions(lesson)}
    right |= dict.fromkeys(notes(lesson), "A note for a person to read.")
    yield "right", Submission(language, right)
    yield "right_in_the_other_language", Submission(OTHER[language], right)
    yield "untouched", Submission(language, stub=True)
    for number, answers in enumerate(side_by_side(right_answers(lesson))):
        yield f"another_style_{number}", Submission(language, right | sources(answers))
    wrong = wrong_answers(lesson)
    together = [[answer] for answer in wrong] if lesson.name.startswith("01") else side_by_side(wrong)
    for number, answers in enumerate(together):
        yield f"wrong_{number}", Submission(language, right | sources(answers), answers)


def handed_in(room: Classroom, submission: Submission) -> NotebookNode:
    """Return the notebook with its answers; beside wrong ones only what they need, which saves time."""
    notebook = with_answers(room.release(submission.language), submission.answers)
    if submission.wrong:
        notebook.cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata or imports(cell)]
    return notebook


def imports(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(re.search(r"^(import|from) ", cell.source, flags=re.MULTILINE))


def questions(lesson: Lesson) -> list[Task]:
    """Return the tasks that a machine grades."""
    return [task for task in tasks(read_lesson(lesson)) if task.test is not None]


def notes(lesson: Lesson) -> list[str]:
    """Return the ids of the tasks that a person grades."""
    return [task.id for task in tasks(read_lesson(lesson)) if task.test is None]


def sources(answers: list[Answer]) -> dict[str, str]:
    return {answer.task: answer.source for answer in answers}


def side_by_side(answers: list[Answer]) -> list[list[Answer]]:
    """Return the first answer to each task, then the second to each, and so on."""
    by_task: dict[str, list[Answer]] = {}
    for answer in answers:
        by_task.setdefault(answer.task, []).append(answer)
    return [[answer for answer in row if answer] for row in zip_longest(*by_task.values())]


def score_problems(lesson: Lesson, submission: Submission, scores: dict[str, float | None]) -> Iterator[str]:
    """Say which task did not get the points it should: all, or none for a stub or a wrong answer."""
    lost = {answer.task for answer in submission.wrong}
    for task in questions(lesson):
        want = 0.0 if submission.stub or task.id in lost else task.points
        if scores[task.id] != want:
            yield f"{task.id} got {scores[task.id]} points, not {want}{named(submission, task.id)}"
    for task_id in [] if submission.stub else notes(lesson):
        if scores[task_id] is not None:
            yield f"{task_id} got {scores[task_id]} points from a machine"


def named(submission: Submission, task: str) -> str:
    return "".join(f', for "{answer.name}"' for answer in submission.wrong if answer.task == task)


def feedback_problems(lesson: Lesson, submission: Submission, room: Classroom, student: str) -> Iterator[str]:
    """Say which hint is not in the feedback, and which hidden line is."""
    page = room.feedback(student)
    errors = plain("\n".join(re.findall(r'output_error">(.*?)</pre>', page, flags=re.DOTALL)))
    for answer in submission.wrong:
        hint = answer.hint[submission.language]
        if hint not in errors:
            yield f'{answer.task}: "{answer.name}" is not told "{hint}" but: {errors}'
    shown = plain(page)
    known = " ".join(" ".join(cell.source for cell in handed_in(room, submission).cells).split())
    for line in hidden_lines(lesson):
        if line in shown and line not in known:
            yield f"the feedback shows the hidden line {line}"


def hidden_lines(lesson: Lesson) -> set[str]:
    """Return what the hidden tests say, line by line; a short line may well stand elsewhere too."""
    hidden = [split_tests(task.test.source)[1] for task in questions(lesson) if task.test is not None]
    lines = {" ".join(line.split()) for source in hidden for line in source.splitlines()}
    return {line for line in lines if len(line) >= 8}


def plain(page: str) -> str:
    """Return a page's text, with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())
