"""Tests that the examiner of ordinary nbgrader tests gives the same scores as stock nbgrader."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import writes
from traitlets.config import Config

from autograder.course.errors import CourseError
from autograder.course.plain import PlainSource, merge_files, read_plain
from autograder.exam.plain import PlainExaminer
from autograder.exam.plain_report import PlainReport
from autograder.sandbox.plain import CellRun, PlainClient, TestCode
from autograder.sandbox.wall import Wall
from tests.autograder.exam.plain_cases import CASES, SQUARES, STUB, Case, ids, single_answer
from tests.autograder.exam.plain_forgeries import FORGERIES, Forgery
from tests.autograder.exam.plain_forgeries import ids as forgery_ids
from tests.support.plain_course import (
    HOMEWORK,
    PROBLEM,
    answer,
    code,
    graded,
    in_format_4_0,
    notebook,
    write_assignment,
)
from tests.support.stock_scores import stock_scores


@pytest.fixture(scope="module")
def wall() -> Iterator[Wall]:
    with Wall(plain=True) as new_wall:  # no assignment here mentions torch
        yield new_wall


def read_source(case: Case, root: Path) -> PlainSource:
    write_assignment(root / "source", "hw", {"hw": notebook(*case.cells)})
    return read_plain(root, "hw").notebooks[0]


def examine(case: Case, wall: Wall, root: Path) -> PlainReport:
    examiner = PlainExaminer(read_source(case, root), case.timeout)
    return examiner.grade(wall.open_container, writes(case.submission()).encode(), case.files)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_each_cell_gets_the_score_that_nbgrader_gives(case: Case, wall: Wall, tmp_path: Path) -> None:
    report = examine(case, wall, tmp_path)
    assert {grade.id: grade.points for grade in report.grades} == dict(case.scores), report
    assert all(grade.seconds >= 0 for grade in report.grades)


@pytest.mark.whole
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_recorded_scores_are_those_of_stock_nbgrader(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    source = read_source(case, tmp_path)
    scores = stock_scores(source, case.submission(), case.files, max(case.timeout, 2.0), folder)
    assert scores == dict(case.scores)


def test_partial_credit_above_the_maximum_needs_manual_grading(wall: Wall, tmp_path: Path) -> None:
    """If partial credit is above the maximum, stock nbgrader does not grade the submission at all."""
    report = examine(Case("", single_answer("x"), {"x": "x = 30"}, {}), wall, tmp_path)
    assert [(grade.points, grade.outcome) for grade in report.grades] == [(None, "manual")]
    assert report.needs_manual_grade


@pytest.mark.parametrize(
    "ending", ["import os\nos._exit(3)", "import os\nos.kill(os.getpid(), 9)"], ids=["exit", "signal"]
)
def test_cell_that_ends_the_process_is_left_out_of_a_second_run(
    wall: Wall, tmp_path: Path, ending: str
) -> None:
    cells = (
        answer("x", STUB),
        graded("t", "assert x == 1", 1),
        answer("y", STUB),
        graded("u", "assert x", 1),
    )
    report = examine(Case("", cells, {"x": "x = 1", "y": ending}, {}), wall, tmp_path)
    assert [grade.points for grade in report.grades] == [1, 1]


def test_test_runs_in_a_copy_once_and_the_last_test_never(
    wall: Wall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    run_test_in_copy = PlainClient.run_test_in_copy

    def record(client: PlainClient, label: str, test: TestCode, seconds: float) -> CellRun:
        copied.append(label)
        return run_test_in_copy(client, label, test, seconds)

    monkeypatch.setattr(PlainClient, "run_test_in_copy", record)
    cells = (answer("x", STUB), graded("t", "assert x", 1), answer("y", STUB), graded("u", "assert x", 1))
    ending = "import os\nos._exit(0)"  # makes a second run necessary
    report = examine(Case("", cells, {"x": "x = 1", "y": ending}, {}), wall, tmp_path)
    assert [grade.points for grade in report.grades] == [1, 1]
    assert copied == ["test t"]


def test_test_that_ends_its_process_costs_its_own_points_alone(wall: Wall, tmp_path: Path) -> None:
    cells = (answer("x", STUB), graded("t", "x()", 1), graded("u", "assert callable(x)", 1))
    report = examine(Case("", cells, {"x": "import os\ndef x():\n    os._exit(0)"}, {}), wall, tmp_path)
    assert [(grade.points, grade.outcome) for grade in report.grades] == [(0, "crashed"), (1, "passed")]


def test_cell_that_cannot_be_interrupted_is_left_out_of_a_second_run(
    wall: Wall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.sandbox.plain._GRACE_SECONDS", 0.2)
    uninterruptible = """while True:
    try:
        while True:
            pass
    except KeyboardInterrupt:
        pass"""
    cells = (
        answer("x", STUB),
        graded("t", "assert x == 1", 1),
        answer("y", STUB),
        graded("u", "assert x", 1),
    )
    report = examine(Case("", cells, {"x": "x = 1", "y": uninterruptible}, {}, timeout=0.5), wall, tmp_path)
    assert [grade.points for grade in report.grades] == [1, 1]


def test_threads_that_a_notebook_left_cost_no_score(wall: Wall, tmp_path: Path) -> None:
    code_with_thread = (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nx = 1"
    )
    cells = (answer("x", STUB), graded("t", "assert x == 1\ny = 2", 1), graded("u", "assert y == 2", 1))
    report = examine(Case("", cells, {"x": code_with_thread}, {}), wall, tmp_path)
    assert [grade.points for grade in report.grades] == [1, 1]


SPY = """import sys
seen = []
def x():
    frame = sys._getframe(1)
    seen.append(repr(frame.f_code.co_consts))
    print(seen)
    open("/tmp/seen", "w").write(seen[0])
    raise ValueError(seen[0])
"""


def test_nothing_that_could_quote_a_hidden_test_is_returned(wall: Wall, tmp_path: Path) -> None:
    hidden = "### BEGIN HIDDEN TESTS\nassert x() == 'SECRET'\n### END HIDDEN TESTS"
    printing_cell = code("print(seen, open('/tmp/seen').read())")
    cells = (
        answer("x", STUB),
        graded("t", hidden, 1),
        printing_cell,
        graded("u", "raise ValueError(seen)", 1),
    )
    report = examine(Case("", cells, {"x": SPY}, {}), wall, tmp_path)
    assert [grade.points for grade in report.grades] == [0, 0]
    assert all(grade.hidden for grade in report.grades)
    assert "SECRET" not in repr(report)


def test_hidden_tests_are_recognised_by_the_courses_own_marker(tmp_path: Path) -> None:
    cells = (
        graded("t", "assert 1\n### MINE\nassert 2"),
        graded("u", "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS"),
    )
    write_assignment(tmp_path / "source", "hw", {"hw": notebook(*cells)})
    config = Config({"ClearHiddenTests": {"begin_test_delimeter": "MINE"}})
    (source,) = read_plain(tmp_path, "hw", config).notebooks
    assert [cell.has_hidden_part for cell in source.cells] == [True, False]


def test_cell_that_is_too_long_to_be_sent_costs_itself_alone(wall: Wall, tmp_path: Path) -> None:
    cells = (
        answer("x", STUB),
        graded("t", "assert x == 1", 1),
        answer("y", STUB),
        graded("u", "assert y", 1),
    )
    report = examine(Case("", cells, {"x": "x = 1", "y": f"y = '{'a' * 2_000_000}'"}, {}), wall, tmp_path)
    assert [grade.points for grade in report.grades] == [1, 0]


def test_error_and_output_of_a_visible_test_are_returned(wall: Wall, tmp_path: Path) -> None:
    cells = single_answer("print('tried')\nassert x == 2, 'it is 2'", 1)
    (grade,) = examine(Case("", cells, {"x": "x = 1"}, {}), wall, tmp_path).grades
    assert (grade.error, grade.message, grade.output) == ("AssertionError", "it is 2", "tried\n")


def test_candidate_process_holds_no_source_text_of_a_test(wall: Wall, tmp_path: Path) -> None:
    spy = """import linecache
def x():
    texts = (repr(entry) for entry in linecache.cache.values())
    return any("ZEB" + "RA" in text for text in texts)"""
    cells = (answer("x", STUB), graded("t", "# a ZEBRA\nassert not x()", 1))
    (grade,) = examine(Case("", cells, {"x": spy}, {}), wall, tmp_path).grades
    assert grade.points == 1


def test_cell_may_write_a_file_of_the_assignment_which_the_test_then_reads(
    wall: Wall, tmp_path: Path
) -> None:
    files = {"data/a": b"the assignment's"}
    cells = single_answer("assert open('data/a').read() == 'mine'", 1)
    writing_code = "with open('data/a', 'w') as file:\n    file.write('mine')\nx = 1"
    (grade,) = examine(Case("", cells, {"x": writing_code}, {}, files=files), wall, tmp_path).grades
    assert grade.points == 1, grade


def test_assignment_file_reaches_the_candidate_unchanged(wall: Wall, tmp_path: Path) -> None:
    case = Case(
        "",
        single_answer("assert len(open('data/a').read()) == x", 1),
        {"x": "x = 9_000_001"},
        {},
        files={"data/a": b"a" * 9_000_001},
    )
    (grade,) = examine(case, wall, tmp_path).grades
    assert grade.points == 1, grade


def test_unchanged_answers_are_listed(wall: Wall, tmp_path: Path) -> None:
    report = examine(Case("", SQUARES, {}, {}), wall, tmp_path)
    assert report.unanswered == ["squares"]
    assert (report.score, report.max_score) == (0, 2)


# --- Refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ((graded("t", "### AUTOTEST x"),), "cell t: AUTOTEST cannot be graded"),
        ((graded("t", "1"), graded("t", "2")), "hw.ipynb cannot be read: Duplicate grade id: t"),
        ((graded("t", "await x()"),), "cell t: a test that awaits"),
        ((code("### BEGIN SOLUTION\n1\n### END SOLUTION"),), "solution"),
    ],
    ids=["autotest", "duplicate", "await", "solution"],
)
def test_ungradable_assignment_is_refused_with_its_reason(
    tmp_path: Path, cells: tuple[NotebookNode, ...], reason: str
) -> None:
    with pytest.raises(CourseError, match=reason):
        PlainExaminer(read_source(Case("", cells, {}, {}), tmp_path))


def test_notebook_of_another_language_is_refused_by_name(tmp_path: Path) -> None:
    r_notebook = notebook(*SQUARES)
    r_notebook.metadata.kernelspec = {"name": "ir", "display_name": "R", "language": "R"}
    write_assignment(tmp_path / "source", "hw", {"hw": r_notebook})
    with pytest.raises(CourseError, match=r"hw\.ipynb is a notebook of R"):
        read_plain(tmp_path, "hw")


def test_assignment_is_read_with_its_notebooks_points_and_files(tmp_path: Path) -> None:
    write_assignment(tmp_path / "source", "hw", {"b": PROBLEM, "a": in_format_4_0(HOMEWORK)})
    (tmp_path / "source/hw/data").mkdir()
    (tmp_path / "source/hw/data/n.txt").write_text("1")
    (tmp_path / "source/hw/__pycache__").mkdir()
    (tmp_path / "source/hw/__pycache__/n.pyc").write_text("1")
    assignment = read_plain(tmp_path, "hw")
    assert [source.name for source in assignment.notebooks] == ["a", "b"]
    assert [(cell.kind, cell.points) for cell in assignment.notebooks[0].cells] == [
        ("answer", 0),
        ("test", 2),
        ("answer", 0),
        ("test", 3),
        ("manual", 2),
        ("task", 2),
    ]
    assert assignment.files == {"data/n.txt": b"1"}
    digest = assignment.digest
    (tmp_path / "source/hw/data/n.txt").write_text("2")
    assert read_plain(tmp_path, "hw").digest != digest


def test_student_files_are_replaced_by_the_assignments_unless_they_are_kept() -> None:
    assignment_files, student_files = {"a": b"ours", "b": b"ours"}, {"b": b"theirs", "c": b"theirs"}
    assert merge_files(assignment_files, student_files) == {"a": b"ours", "b": b"ours", "c": b"theirs"}
    assert merge_files(assignment_files, student_files, ["b"]) == {
        "a": b"ours",
        "b": b"theirs",
        "c": b"theirs",
    }


# --- Forgeries -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forgery", FORGERIES, ids=forgery_ids)
def test_forgery_gains_what_trust_md_says(forgery: Forgery, wall: Wall, tmp_path: Path) -> None:
    assert forgery.gains(examine(forgery.case, wall, tmp_path).score, forgery.wall_points)


@pytest.mark.whole
@pytest.mark.parametrize("forgery", FORGERIES, ids=forgery_ids)
def test_forgery_gains_with_stock_nbgrader_what_trust_md_says(forgery: Forgery, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    case = forgery.case
    scores = stock_scores(read_source(case, tmp_path), case.submission(), {}, case.timeout, folder)
    assert forgery.gains(sum(points or 0.0 for points in scores.values()), forgery.stock_points)
