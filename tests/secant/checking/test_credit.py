"""Tests of partial credit: the points of a test cell's parts, as nbgrader and the examiner count them."""

import pytest

from secant import PartialCredit, check
from secant.verdict import Part


def make_failure(message: str) -> check.CheckFailed:
    return check.CheckFailed((Part("plain", message),))


def make_credit(**failures: Exception | None) -> PartialCredit:
    """Return the credit of a cell whose parts `forward` (1 point) and `gradient` (2 points) may fail."""
    credit = PartialCredit(forward=1, gradient=2)
    for name in ("forward", "gradient"):
        with credit.part(name):
            if failure := failures.get(name):
                raise failure
    return credit


def test_all_parts_passed_leave_the_points_to_nbgrader(capsys: pytest.CaptureFixture[str]) -> None:
    credit = make_credit()
    check.visible_passed(credit)
    assert credit.points() is None
    assert capsys.readouterr().out.startswith("Visible tests passed")


def test_one_failed_part_costs_its_own_points_and_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    credit = make_credit(gradient=make_failure("expected 3, got 4"))
    check.visible_passed(credit)
    assert credit.points() == 1
    out = capsys.readouterr().out
    assert out == "1 of 3 points: forward passed, gradient did not.\n\nexpected 3, got 4\n"


def test_summary_names_the_parts_in_both_languages(both_languages: str) -> None:
    summary = make_credit(forward=ValueError()).summary().text
    sentences = {
        "en": "2 of 3 points: gradient passed, forward did not.",
        "ko": "3점 중 2점: gradient 통과, forward 실패.",
    }
    assert summary == sentences[both_languages]


def test_first_failure_is_raised_if_every_part_failed() -> None:
    first = make_failure("first")
    with pytest.raises(check.CheckFailed) as error:
        make_credit(forward=first, gradient=ValueError("second")).points()
    assert error.value is first


def test_part_that_fails_in_the_hidden_tests_alone_loses_its_points() -> None:
    credit = make_credit()
    with credit.part("gradient"):
        raise make_failure("a hidden case")
    assert credit.points() == 1


def test_a_failure_costs_the_points_of_all_parts_that_its_block_names() -> None:
    credit = PartialCredit(forward=1, gradient=2, shape=1)
    with credit.part("forward", "gradient"):
        raise check.CheckFailed("no tuple")
    assert credit.earned == 1


def test_failure_in_an_inner_credit_block_costs_only_that_block() -> None:
    credit = PartialCredit(forward=1, gradient=2)
    with credit.part("forward", "gradient"):
        with credit.part("forward"):
            raise check.CheckFailed("expected 3, got 4")
        with credit.part("gradient"):
            pass
    assert credit.earned == 2


@pytest.mark.parametrize("failure", [MemoryError(), KeyboardInterrupt()])
def test_error_that_is_not_the_answers_failure_ends_the_cell(failure: BaseException) -> None:
    with pytest.raises(type(failure)), PartialCredit(whole=1).part("whole"):
        raise failure


def test_part_that_the_cell_does_not_have_is_refused() -> None:
    with pytest.raises(KeyError), PartialCredit(whole=1).part("hole"):
        pass


def test_case_of_several_parts_runs_once_for_each_part_that_has_not_failed() -> None:
    credit, calls = PartialCredit(forward=1, gradient=2), []

    @credit.each
    def inner(case: int) -> str:
        calls.append((credit.now, case))
        check.holds(credit.now == "forward" or case != 2, "call", "a wrong gradient")
        return "an answer"

    @credit.each
    def outer(case: int) -> None:
        assert inner(case) == "an answer"

    for case in (1, 2, 3):
        outer(case)
    assert inner(4) is None
    forward, gradient = ([case for part, case in calls if part == name] for name in ("forward", "gradient"))
    assert (forward, gradient) == ([1, 2, 3, 4], [1, 2])
    assert credit.now is None
    assert credit.points() == 1


def test_smallest_case_is_found_within_a_part() -> None:
    credit = PartialCredit(value=1, gradient=1)

    def compare(x: float) -> None:
        check.holds(credit.now == "value", f"f({x})", "a wrong gradient")

    credit.each(check.smallest)(compare, 1.2345)
    assert list(credit.failures) == ["gradient"]
    assert str(credit.failure).startswith("f(1")
    assert "1.2345" not in str(credit.failure)
