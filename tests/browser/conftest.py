"""A browser for the tests that need one. Without Chromium they skip, or fail where it is required."""

import os

import pytest

from tests.support import jupyterlab as lab


@pytest.fixture(scope="module")
def browser():
    """One for each module: while it runs, no other test of the process can have an event loop."""
    if lab.chromium_path() is None:
        reason = "Chromium is not installed (apt install chromium)"
        if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with lab.chromium() as started:
        yield started
