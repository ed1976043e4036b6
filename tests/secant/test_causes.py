"""Tests of the likely causes of common errors, with the errors that torch and Python really raise."""

import warnings

import pytest

from secant.causes import CAUSES, likely_cause
from tests.secant.provoked import PROVOKED_ERRORS


def provoke(name: str) -> tuple[str, str]:
    code, _ = PROVOKED_ERRORS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code()
        except Exception as error:
            return type(error).__name__, str(error)
    raise AssertionError(f"{name} raised nothing")


@pytest.mark.parametrize("name", PROVOKED_ERRORS)
def test_each_provoked_error_gets_its_likely_cause(name: str, both_languages: str) -> None:
    kind, message = provoke(name)
    cause = likely_cause(kind, message)
    assert cause, f"{kind}: {message}"
    assert not cause.endswith(".")
    if both_languages == "en":
        assert PROVOKED_ERRORS[name][1] in cause, cause
    else:
        assert any("가" <= letter <= "힣" for letter in cause)


def test_every_entry_of_the_catalogue_is_provoked() -> None:
    causes = {likely_cause(*provoke(name)) for name in PROVOKED_ERRORS}
    assert [cause.en for cause in CAUSES if cause.en not in causes] == []


def test_unknown_error_gets_no_cause_even_if_very_long() -> None:
    assert likely_cause("RuntimeError", "something else") == ""
    assert likely_cause("MyError", "NoneType") == ""
    assert likely_cause("RuntimeError", "x" * 10_000_000) == ""


@pytest.mark.parametrize(
    "message",
    [
        "math domain error",  # up to Python 3.13
        "expected a nonnegative input, got -1.0",  # from 3.14 on, each function has its own message
        "expected a positive input",
        "expected a positive input, got 0.0",
        "expected a number in range from -1 up to 1, got 2.0",
        "expected a number between -1 and 1, got 2.0",
        "expected argument value > -1, got -2.0",
        "expected argument value not less than 1, got 0.5",
        "expected a noninteger or positive integer, got -1.0",
        "expected a finite input, got inf",
    ],
)
def test_a_number_outside_the_domain_has_a_cause_in_the_words_of_every_python(message: str) -> None:
    assert "sqrt takes 0 and above" in likely_cause("ValueError", message)
