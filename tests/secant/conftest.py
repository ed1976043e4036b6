"""What the tests of several explorers need."""

from collections.abc import Iterator

import pytest

import secant


@pytest.fixture(params=["en", "ko"])
def both_languages(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test in each language, and go back to the one before."""
    before = secant.language()
    secant.language(request.param)
    yield request.param
    secant.language(before)
