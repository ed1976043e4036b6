"""Partial credit: the points of a test cell's parts, as stock nbgrader and the examiner count them."""

import pytest

from secant import PartialCredit, check
from secant.verdict import Part


def failed(message: str) -> check.CheckFailed:
    return check.CheckFailed((Part("plain", message),))


def of_parts(**failures: Exception | None) -> PartialCredit:
    """Return the credit of a cell whose parts `forward` (1 point) and `gradient` (2) may fail."""
    credit = PartialCredit(forward=1, gradient=2)
    for name in ("forward", "gradient"):
        with credit.part(name):
            if failure := failures.get(name):
                raise failure
    return credit


def test_all_parts_passed_leave_the_points_to_nbgrader(capsys: pytest.CaptureFixture[str]) -> None:
    credit = of_parts()
    check.visible_passed(credit)
    assert credit.points() is None
    assert capsys.readouterr().out.startswith("Visible tests passed")


def test_one_failed_part_costs_its_own_points_and_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    credit = of_parts(gradient=failed("expected 3, got 4"))
    check.visible_passed(credit)
    assert credit.points() == 1
    out = capsys.readouterr().out
    assert out == "1 of 3 points: forward passed, gradient did not.\n\nexpected 3, got 4\n"


def test_summary_names_the_parts_in_both_languages(both_languages: str) -> None:
    summary = of_parts(forward=ValueError()).summary().text
    in_words = {
        "en": "2 of 3 points: gradient passed, forward did not.",
        "ko": "3점 중 2점: gradient 통과, forward 실패.",
    }
    assert summary == in_words[both_languages]


def test_first_failure_is_raised_if_every_part_failed() -> None:
    first = failed("first")
    with pytest.raises(check.CheckFailed) as caught:
        of_parts(forward=first, gradient=ValueError("second")).points()
    assert caught.value is first


def test_part_that_fails_in_the_hidden_tests_alone_loses_its_points() -> None:
    credit = of_parts()
    with credit.part("gradient"):
        raise failed("a hidden case")
    assert credit.points() == 1


@pytest.mark.parametrize("failure", [MemoryError(), KeyboardInterrupt()])
def test_what_is_not_the_answers_failure_ends_the_cell(failure: BaseException) -> None:
    with pytest.raises(type(failure)), PartialCredit(whole=1).part("whole"):
        raise failure


def test_part_that_the_cell_does_not_have_is_refused() -> None:
    with pytest.raises(KeyError), PartialCredit(whole=1).part("hole"):
        pass
