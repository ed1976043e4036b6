"""Tests that a second run grades only what has changed."""

import gc
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Base
from sqlalchemy import Engine, event

from autograder.course.assignment import read_assignment
from autograder.gradebook import freshness
from autograder.grading import batch, lessons
from autograder.workers.jobs import Job, JobResult, Page
from tests.support.small_class import STEPS, InProcessWorkers, answered_notebook, fake_result, hand_in, run

MORE = "02_more"


@pytest.fixture
def graded_class(course_root: Path, correct_answers: dict[str, str]) -> Path:
    """Return a class of two students and two lessons that is completely graded."""
    add_lesson(course_root)
    for student in ("ann", "bob"):
        for lesson in (STEPS, MORE):
            hand_in(
                course_root, student, answered_notebook(course_root, correct_answers, lesson=lesson), lesson
            )
    assert grade_again(course_root) == ["ann", "bob", "ann", "bob"]
    return course_root


def add_lesson(course_root: Path) -> None:
    """Add a second lesson, a copy of the first under another name."""
    for folder in ("course", "source", "release/en", "release/ko"):
        shutil.copytree(course_root / folder / STEPS, course_root / folder / MORE)
        for path in (course_root / folder / MORE).glob(f"{STEPS}.*"):
            path.rename(path.with_stem(MORE))


def grade_again(course_root: Path, lessons: tuple[str, ...] = (STEPS, MORE)) -> list[str]:
    """Run the grading again, and return the students whose code ran."""
    workers = InProcessWorkers(fake_result)
    summary, _ = run(course_root, workers, lessons=lessons)
    assert not summary.failed
    assert summary.done == 2 * len(lessons)
    assert summary.graded_before == summary.done - len(workers.examined)
    return workers.examined


def edit(course_root: Path, lesson: str, change: Callable[[nbformat.NotebookNode], None]) -> None:
    """Change the built notebooks of a lesson, as a build does after an edit."""
    for folder in ("source", "release/en", "release/ko"):
        path = course_root / folder / lesson / f"{lesson}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        change(notebook)
        nbformat.write(notebook, path)


def test_run_without_changes_grades_no_submission(graded_class: Path) -> None:
    before = (graded_class / "gradebook.db").read_bytes()
    assert grade_again(graded_class) == []
    assert (graded_class / "gradebook.db").read_bytes() == before


def test_changed_prose_or_examples_regrade_no_submission(graded_class: Path) -> None:
    def reword(notebook: nbformat.NotebookNode) -> None:
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell("A new beginning.", id="new"))
        notebook.cells[1].source += "\n\nMore words."
        example = next(cell for cell in notebook.cells if cell.source.startswith("from secant import lang"))
        example.source += "\n\nprint('an explorer with other numbers')"

    edit(graded_class, STEPS, reword)
    assert grade_again(graded_class) == []


def test_rewritten_folder_keeps_outputs_with_their_cells(graded_class: Path) -> None:
    edit(
        graded_class,
        STEPS,
        lambda notebook: notebook.cells.insert(0, nbformat.v4.new_markdown_cell("New.", id="n")),
    )
    shutil.rmtree(graded_class / "autograded" / "ann" / STEPS)
    assert grade_again(graded_class) == []
    graded_notebook = nbformat.read(
        graded_class / "autograded" / "ann" / STEPS / f"{STEPS}.ipynb", as_version=4
    )
    (cell,) = [cell for cell in graded_notebook.cells if "printed" in str(cell.get("outputs", ""))]
    assert cell.source.startswith("from secant import language")


def test_changed_test_regrades_its_lesson_alone(graded_class: Path) -> None:
    def make_harder(notebook: nbformat.NotebookNode) -> None:
        for cell in notebook.cells:
            cell.source = cell.source.replace("_counts(3), [1, 2, 3]", "_counts(4), [1, 2, 3, 4]")

    edit(graded_class, MORE, make_harder)
    workers = InProcessWorkers(fake_result)
    run(graded_class, workers, lessons=[STEPS, MORE])
    assert [(job.student, job.lesson) for job in workers.jobs if isinstance(job, Job)] == [
        ("ann", MORE),
        ("bob", MORE),
    ]


@pytest.mark.parametrize(
    "change",
    [("return 2 * x", "return x * 2"), ("test_Counter", "test_Counter "), ('"points": 2', '"points": 4')],
    ids=["solution", "name", "points"],
)
def test_digest_changes_with_tests_and_not_with_solutions(course_root: Path, change: tuple[str, str]) -> None:
    before = read_assignment(course_root, STEPS).digest
    source = course_root / "source" / STEPS / f"{STEPS}.ipynb"
    source.write_text(source.read_text().replace(*change))
    assert (read_assignment(course_root, STEPS).digest == before) == (change[0] == "return 2 * x")


def test_digest_changes_with_stubs_and_imports(course_root: Path) -> None:
    def digest_with(old: str, new: str) -> str:
        path = course_root / "release" / "ko" / STEPS / f"{STEPS}.ipynb"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        digest = read_assignment(course_root, STEPS).digest
        path.write_text(text)
        return digest

    unchanged_digest = digest_with("def double(x)", "def double(x)")
    assert digest_with("def double(x)", "def double(y)") != unchanged_digest
    assert (
        digest_with("from secant import language", "from secant import say as language") != unchanged_digest
    )


def test_new_lesson_regrades_no_other_lesson(course_root: Path, correct_answers: dict[str, str]) -> None:
    for student in ("ann", "bob"):
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))
    assert grade_again(course_root, (STEPS,)) == ["ann", "bob"]
    add_lesson(course_root)
    assert grade_again(course_root, (STEPS,)) == []


def test_new_grader_version_regrades_every_submission(
    graded_class: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "grader_version", lambda: "another")
    assert grade_again(graded_class) == ["ann", "bob", "ann", "bob"]


def test_damaged_files_are_looked_at_once(graded_class: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(graded_class, "ann", "{")
    run(graded_class, InProcessWorkers(fake_result))
    monkeypatch.delattr(lessons, "parse_submission")
    assert grade_again(graded_class, (STEPS,)) == []


@pytest.mark.whole
def test_large_class_needs_few_questions_and_little_memory(
    graded_class: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = answered_notebook(graded_class, correct_answers)
    monkeypatch.setattr(batch, "_BATCH_SIZE", 10)
    students = [f"s{number:02}" for number in range(20)]
    for student in students:
        hand_in(graded_class, student, notebook)
    row_counts: list[int] = []

    def count_rows(job: Job | Page) -> JobResult:
        if job.student == students[-1]:
            row_counts.append(sum(issubclass(type(item), Base) for item in gc.get_objects()))
        return fake_result(job)

    summary, _ = run(graded_class, InProcessWorkers(count_rows))
    assert not summary.failed
    assert max(row_counts) < 3 * 12, "somebody's rows stay in memory"  # one student has about a dozen rows
    statements: list[str] = []

    def record_statement(_: object, __: object, statement: str, *rest: object) -> None:
        statements.append(" ".join(statement.split()))

    event.listen(Engine, "before_cursor_execute", record_statement)
    try:
        summary, _ = run(graded_class, InProcessWorkers(fake_result))
    finally:
        event.remove(Engine, "before_cursor_execute", record_statement)
    assert summary.graded_before == len(students) + 2
    record_queries = [
        statement for statement in statements if "FROM autograder_record" in statement.replace("\n", " ")
    ]
    assert len(record_queries) == 3
    assert not [statement for statement in statements if statement.startswith(("INSERT", "DELETE"))]
    assert len(statements) <= 40
    assert [row["student"] for row in json.loads(json.dumps(summary.as_json()))] == ["ann", "bob", *students]


def test_undecodable_student_name_costs_no_other_student_a_grade(graded_class: Path) -> None:
    os.makedirs(os.path.join(os.fsencode(graded_class / "submitted"), b"caf\xe9", os.fsencode(STEPS)))
    workers = InProcessWorkers(fake_result)
    summary, _ = run(graded_class, workers)
    assert workers.examined == []
    assert not summary.failed
    last_row = summary.as_json()[-1]
    assert (last_row["student"], last_row["flags"]) == ("caf\\udce9", ["odd_student_id"])
