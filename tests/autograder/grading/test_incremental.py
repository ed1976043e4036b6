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
from autograder.workers.jobs import Done, Job, Page
from tests.support.small_class import STEPS, Here, answered, hand_in, run, told

MORE = "02_more"


@pytest.fixture
def two(room: Path, right: dict[str, str]) -> Path:
    """Return a class of two students and two lessons that is completely graded."""
    add_lesson(room)
    for student in ("ann", "bob"):
        for lesson in (STEPS, MORE):
            hand_in(room, student, answered(room, right, lesson=lesson), lesson)
    assert examined(room) == ["ann", "bob", "ann", "bob"]
    return room


def add_lesson(room: Path) -> None:
    """Add a second lesson, a copy of the first under another name."""
    for folder in ("course", "source", "release/en", "release/ko"):
        shutil.copytree(room / folder / STEPS, room / folder / MORE)
        for path in (room / folder / MORE).glob(f"{STEPS}.*"):
            path.rename(path.with_stem(MORE))


def examined(room: Path, lessons: tuple[str, ...] = (STEPS, MORE)) -> list[str]:
    """Run the grading again, and return the students whose code ran."""
    workers = Here(told)
    summary, _ = run(room, workers, lessons=lessons)
    assert not summary.failed
    assert summary.done == 2 * len(lessons)
    assert summary.graded_before == summary.done - len(workers.examined)
    return workers.examined


def edit(room: Path, lesson: str, change: Callable[[nbformat.NotebookNode], None]) -> None:
    """Change the built notebooks of a lesson, as a build does after an edit."""
    for folder in ("source", "release/en", "release/ko"):
        path = room / folder / lesson / f"{lesson}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        change(notebook)
        nbformat.write(notebook, path)


def test_run_without_changes_grades_no_submission(two: Path) -> None:
    before = (two / "gradebook.db").read_bytes()
    assert examined(two) == []
    assert (two / "gradebook.db").read_bytes() == before


def test_changed_prose_or_examples_regrade_no_submission(two: Path) -> None:
    def reword(notebook: nbformat.NotebookNode) -> None:
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell("A new beginning.", id="new"))
        notebook.cells[1].source += "\n\nMore words."
        example = next(cell for cell in notebook.cells if cell.source.startswith("from secant import lang"))
        example.source += "\n\nprint('an explorer with other numbers')"

    edit(two, STEPS, reword)
    assert examined(two) == []


def test_rewritten_folder_keeps_outputs_with_their_cells(two: Path) -> None:
    edit(two, STEPS, lambda notebook: notebook.cells.insert(0, nbformat.v4.new_markdown_cell("New.", id="n")))
    shutil.rmtree(two / "autograded" / "ann" / STEPS)
    assert examined(two) == []
    written = nbformat.read(two / "autograded" / "ann" / STEPS / f"{STEPS}.ipynb", as_version=4)
    (cell,) = [cell for cell in written.cells if "printed" in str(cell.get("outputs", ""))]
    assert cell.source.startswith("from secant import language")


def test_changed_test_regrades_its_lesson_alone(two: Path) -> None:
    def harder(notebook: nbformat.NotebookNode) -> None:
        for cell in notebook.cells:
            cell.source = cell.source.replace("_counts(3), [1, 2, 3]", "_counts(4), [1, 2, 3, 4]")

    edit(two, MORE, harder)
    workers = Here(told)
    run(two, workers, lessons=[STEPS, MORE])
    assert [(job.student, job.lesson) for job in workers.jobs if isinstance(job, Job)] == [
        ("ann", MORE),
        ("bob", MORE),
    ]


@pytest.mark.parametrize(
    "change",
    [("return 2 * x", "return x * 2"), ("test_Counter", "test_Counter "), ('"points": 2', '"points": 4')],
    ids=["solution", "name", "points"],
)
def test_digest_changes_with_tests_and_not_with_solutions(room: Path, change: tuple[str, str]) -> None:
    before = read_assignment(room, STEPS).digest
    source = room / "source" / STEPS / f"{STEPS}.ipynb"
    source.write_text(source.read_text().replace(*change))
    assert (read_assignment(room, STEPS).digest == before) == (change[0] == "return 2 * x")


def test_digest_changes_with_stubs_and_imports(room: Path) -> None:
    def digest_with(old: str, new: str) -> str:
        path = room / "release" / "ko" / STEPS / f"{STEPS}.ipynb"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        digest = read_assignment(room, STEPS).digest
        path.write_text(text)
        return digest

    same = digest_with("def double(x)", "def double(x)")
    assert digest_with("def double(x)", "def double(y)") != same
    assert digest_with("from secant import language", "from secant import say as language") != same


def test_new_lesson_regrades_no_other_lesson(room: Path, right: dict[str, str]) -> None:
    for student in ("ann", "bob"):
        hand_in(room, student, answered(room, right))
    assert examined(room, (STEPS,)) == ["ann", "bob"]
    add_lesson(room)
    assert examined(room, (STEPS,)) == []


def test_new_grader_version_regrades_every_submission(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "grader_version", lambda: "another")
    assert examined(two) == ["ann", "bob", "ann", "bob"]


def test_damaged_files_are_looked_at_once(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(two, "ann", "{")
    run(two, Here(told))
    monkeypatch.delattr(lessons, "parse_submission")
    assert examined(two, (STEPS,)) == []


@pytest.mark.whole
def test_large_class_needs_few_questions_and_little_memory(
    two: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = answered(two, right)
    monkeypatch.setattr(batch, "_BATCH_SIZE", 10)
    students = [f"s{number:02}" for number in range(20)]
    for student in students:
        hand_in(two, student, notebook)
    held: list[int] = []

    def last(job: Job | Page) -> Done:
        if job.student == students[-1]:
            held.append(sum(issubclass(type(thing), Base) for thing in gc.get_objects()))
        return told(job)

    summary, _ = run(two, Here(last))
    assert not summary.failed
    assert max(held) < 3 * 12, "somebody's rows stay in memory"  # one student has about a dozen rows
    asked: list[str] = []

    def note(_: object, __: object, statement: str, *rest: object) -> None:
        asked.append(" ".join(statement.split()))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        summary, _ = run(two, Here(told))
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert summary.graded_before == len(students) + 2
    about_them = [
        statement for statement in asked if "FROM autograder_record" in statement.replace("\n", " ")
    ]
    assert len(about_them) == 3
    assert not [statement for statement in asked if statement.startswith(("INSERT", "DELETE"))]
    assert len(asked) <= 40
    assert [row["student"] for row in json.loads(json.dumps(summary.as_json()))] == ["ann", "bob", *students]


def test_undecodable_student_name_costs_no_other_student_a_grade(two: Path) -> None:
    os.makedirs(os.path.join(os.fsencode(two / "submitted"), b"caf\xe9", os.fsencode(STEPS)))
    workers = Here(told)
    summary, _ = run(two, workers)
    assert workers.examined == []
    assert not summary.failed
    last = summary.as_json()[-1]
    assert (last["student"], last["flags"]) == ("caf\\udce9", ["odd_student_id"])
