"""The examiner of ordinary nbgrader tests gives the scores that stock nbgrader gives."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat.v4 import writes

from autograder.course.plain import PlainSource, read_plain
from autograder.exam.plain import PlainExaminer, PlainReport
from autograder.sandbox.wall import Wall
from tests.autograder.exam.plain_cases import CASES, Case, ids
from tests.support.plain_course import notebook, write_assignment
from tests.support.stock_scores import stock_scores


@pytest.fixture(scope="module")
def wall() -> Iterator[Wall]:
    with Wall() as made:
        yield made


def source_of(case: Case, root: Path) -> PlainSource:
    write_assignment(root / "source", "hw", {"hw": notebook(*case.cells)})
    return read_plain(root, "hw").notebooks[0]


def examined(case: Case, wall: Wall, root: Path) -> PlainReport:
    examiner = PlainExaminer(source_of(case, root), case.timeout)
    return examiner.grade(wall.open_container, writes(case.submitted()).encode(), case.files)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_score_of_each_cell_is_nbgraders(case: Case, wall: Wall, tmp_path: Path) -> None:
    report = examined(case, wall, tmp_path)
    assert {grade.id: grade.points for grade in report.grades} == dict(case.scores), report


@pytest.mark.whole
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_scores_of_the_table_are_those_of_stock_nbgrader(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    source = source_of(case, tmp_path)
    found = stock_scores(source, case.submitted(), case.files, max(case.timeout, 2.0), folder)
    assert found == dict(case.scores)
