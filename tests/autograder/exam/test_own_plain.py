"""Tests of checking a notebook with ordinary nbgrader tests.

The check runs the visible tests as they are in the file, and gives no grade.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograder import check
from autograder.check_plain import PlainCheckOutcome, check_plain, show
from autograder.exam.checked_notebook import CheckError
from autograder.exam.own_plain import OwnReport, run_visible_tests
from autograder.exam.plain_report import Grade
from autograder.exam.pool import Pool, WarmPool
from secant.language import language
from tests.support.lessons import save
from tests.support.own_processes import Forks
from tests.support.plain_course import HOMEWORK, answer, code, graded, locked, manual, notebook, task
from tests.support.warm import warm


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Provide a pool of processes, which start quickly if the platform can fork."""
    if sys.platform != "linux":
        with closing(WarmPool()) as warm_pool:
            yield warm_pool
        return
    with warm(["ipywidgets", "matplotlib.pyplot", "networkx", "torch.func"]) as python:
        yield Forks(python)


def run_tests(pool: Pool, folder: Path, *cells: NotebookNode, timeout: float = 30.0) -> OwnReport:
    return run_visible_tests(save(notebook(*cells), folder / "hw.ipynb"), pool, timeout)


def get_only_test(report: OwnReport) -> Grade:
    (test,) = report.tests
    return test


OUTCOMES = {
    "right": ("assert x == 1", 1, "passed", ""),
    "wrong": ("assert x == 2, 'not two'", 0, "failed", "AssertionError"),
    "part": ("2 * x", 2, "partial", ""),
    "error": ("x / 0", 0, "failed", "ZeroDivisionError"),
    "prints": ("print('all is well')", 1, "passed", ""),
    "stderr": ("import sys\nprint('hm', file=sys.stderr)", 0, "failed", ""),
    "syntax": ("assert (x", 0, "failed", "SyntaxError"),
    "exits": ("import os\nos._exit(1)", 0, "crashed", ""),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_visible_test_has_the_outcome_that_nbgrader_would_give_it(
    pool: Pool, tmp_path: Path, name: str
) -> None:
    source, points, outcome, error = OUTCOMES[name]
    max_points = 3 if name == "part" else 1
    test = get_only_test(run_tests(pool, tmp_path, answer("x", "x = 1"), graded("t", source, max_points)))
    assert (test.points, test.max_points, test.outcome, test.error) == (points, max_points, outcome, error)


def test_endless_test_is_interrupted_and_the_next_one_runs(pool: Pool, tmp_path: Path) -> None:
    cells = (graded("t", "while True: pass"), graded("u", "assert True"))
    report = run_tests(pool, tmp_path, *cells, timeout=0.5)
    assert [test.outcome for test in report.tests] == ["timed_out", "passed"]


def test_tests_run_in_order_and_see_the_cells_above(pool: Pool, tmp_path: Path) -> None:
    cells = (
        answer("a", "x = 1"),
        graded("t", "assert x == 1"),
        answer("b", "x = 2"),
        graded("u", "assert x == 2"),
    )
    report = run_tests(pool, tmp_path, *cells)
    assert [(test.id, test.outcome) for test in report.tests] == [("t", "passed"), ("u", "passed")]


def test_test_cell_and_locked_cell_count_as_they_stand_in_the_file(pool: Pool, tmp_path: Path) -> None:
    cells = (locked("given", "y = 7  # the student's"), graded("t", "assert y == 7"))
    assert get_only_test(run_tests(pool, tmp_path, *cells)).outcome == "passed"


def test_tests_use_a_builtin_name_as_the_notebook_binds_it(pool: Pool, tmp_path: Path) -> None:
    cells = (answer("a", "def sum(xs):\n    return 42"), graded("t", "assert sum([1]) == 42"))
    assert get_only_test(run_tests(pool, tmp_path, *cells)).outcome == "passed"


def test_files_next_to_the_notebook_can_be_read_and_are_copies(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("X = 5")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("five")
    (tmp_path / "link.txt").symlink_to("helper.py")
    source = "import os, helper\nassert helper.X == 5 and open('data/a.txt').read() == 'five'\n"
    source += "assert not os.path.exists('link.txt')\nopen('made.txt', 'w').close()"
    report = run_tests(pool, tmp_path, graded("t", source))
    assert get_only_test(report).outcome == "passed"
    assert report.left_out == 1
    assert not (tmp_path / "made.txt").exists()


def test_notebook_knows_that_nbgrader_validates_it(pool: Pool, tmp_path: Path) -> None:
    source = "import os\nassert os.environ['NBGRADER_EXECUTION'] == 'validate'"
    assert get_only_test(run_tests(pool, tmp_path, graded("t", source))).outcome == "passed"
    assert "NBGRADER_EXECUTION" not in os.environ


def test_manual_answers_and_tasks_are_left_to_manual_grading(pool: Pool, tmp_path: Path) -> None:
    cells = (
        manual("why", "Because."),
        manual("f", "x = 1", kind="code"),
        task("plot", "Draw."),
        graded("t", "1"),
    )
    report = run_tests(pool, tmp_path, *cells)
    assert [cell.id for cell in report.manual] == ["why", "f", "plot"]
    assert [test.id for test in report.tests] == ["t"]


def test_cells_that_stop_with_an_error_are_named(pool: Pool, tmp_path: Path) -> None:
    (cell,) = run_tests(pool, tmp_path, code("undefined"), answer("a", "x = 1"), graded("t", "x")).stopped
    assert (cell.label, cell.error) == ("cell 1", "NameError")


def test_test_that_awaits_is_refused_in_a_sentence(pool: Pool, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="The tests cannot be run here"):
        run_tests(pool, tmp_path, graded("t", "import asyncio\nawait asyncio.sleep(0)"))


# --- Printed output --------------------------------------------------------------------------------------


CELLS = (
    answer("x", "x = 1"),
    graded("right", "assert x == 1", 2),
    graded("wrong", "print('so far')\nassert x == 2, 'not \\x1b[2Jtwo'", 3),
    manual("why", "Because."),
)


def get_output(pool: Pool, folder: Path, capsys: pytest.CaptureFixture[str], lang: str) -> str:
    language("ko" if lang == "ko" else "en")
    show(check_plain(save(notebook(*CELLS), folder / "hw.ipynb"), pool))
    language("en")
    return capsys.readouterr().out


def test_table_claims_no_more_than_visible_tests(
    pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = get_output(pool, tmp_path, capsys, "en")
    rows = {line.split("│")[1].strip(): line for line in text.splitlines() if line.startswith("│")}
    assert list(rows) == ["right", "wrong", "why"]
    assert "2 / 2" in rows["right"]
    assert "no error" in rows["right"]
    assert "0 / 3" in rows["wrong"]
    assert "a person grades this" in rows["why"]
    assert "1 of 2 visible tests in this notebook ran without an error" in text
    assert "This is no grade" in text
    assert "as they stand in this file" in text
    assert "there may be hidden ones" in text
    assert "so far" in text
    assert "AssertionError: not" in text
    assert "\x1b[2J" not in text
    assert "passed" not in text


def test_korean_output_of_a_plain_check_matches_the_english(
    pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = get_output(pool, tmp_path, capsys, "ko")
    for part in (
        "오류 없음",
        "실패",
        "사람이 채점",
        "보이는 테스트 2개 가운데 1개",
        "성적이 아닙니다",
        "숨은 테스트",
    ):
        assert part in text
    assert "통과" not in text


def test_json_says_that_hidden_tests_took_no_part(pool: Pool, tmp_path: Path) -> None:
    result = check_plain(save(notebook(*CELLS), tmp_path / "hw.ipynb"), pool)
    data = json.loads(json.dumps(result.as_json()))
    assert not result.all_right
    assert (data["notebook"], data["hidden"]) == ("hw.ipynb", False)
    assert [(test["id"], test["outcome"]) for test in data["tests"]] == [
        ("right", "no_error"),
        ("wrong", "failed"),
    ]
    assert data["manual"] == [{"id": "why", "max_points": 2.0}]


@pytest.mark.costly("starts a process that imports torch, as the command does")
def test_check_runs_the_tests_of_an_assignment(tmp_path: Path) -> None:
    path = save(HOMEWORK, tmp_path / "hw1.ipynb")
    before = path.read_bytes()
    result = check.check(path)
    assert isinstance(result, PlainCheckOutcome)
    assert result.all_right
    assert {test.id: test.points for test in result.report.tests} == {
        "test_determinant": 2,
        "cell-77aa01b2": 3,
    }
    assert path.read_bytes() == before
