"""The usual errors have a cause in words, held against what torch and Python really raise."""

import warnings

import pytest

from secant import language
from secant.causes import CAUSES, likely
from tests.secant.provoked import PROVOKED


def raised(name: str) -> tuple[str, str]:
    code, _ = PROVOKED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code()
        except Exception as error:
            return type(error).__name__, str(error)
    raise AssertionError(f"{name} raised nothing")


@pytest.fixture(params=["en", "ko"])
def spoken(request: pytest.FixtureRequest) -> object:
    before = language()
    language(request.param)
    yield request.param
    language(before)


@pytest.mark.parametrize("name", PROVOKED)
def test_what_is_provoked_has_its_cause(name: str, spoken: str) -> None:
    kind, message = raised(name)
    cause = likely(kind, message)
    assert cause, f"{kind}: {message}"
    assert not cause.endswith(".")
    if spoken == "en":
        assert PROVOKED[name][1] in cause, cause
    else:
        assert any("가" <= letter <= "힣" for letter in cause)


def test_every_entry_of_the_catalogue_is_provoked() -> None:
    told = {likely(*raised(name)) for name in PROVOKED}
    assert [cause.en for cause in CAUSES if cause.en not in told] == []


def test_what_is_unknown_has_no_cause_and_a_long_message_costs_nothing() -> None:
    assert likely("RuntimeError", "something else") == ""
    assert likely("MyError", "NoneType") == ""
    assert likely("RuntimeError", "x" * 10_000_000) == ""
