"""One browser for all tests that need one. Without Chromium they skip, or fail where it is required."""

import os

import pytest

from benchmarks import lab


@pytest.fixture(scope="session")
def browser():
    if lab.chromium_path() is None:
        reason = "Chromium is not installed (apt install chromium)"
        if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with lab.chromium() as started:
        yield started
