"""One browser and one JupyterLab of each language for all tests that need them.

Without Chromium these skip, or fail where it is required.
"""

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from secant.placed import OWN_WORKSPACE
from tests.support import jupyterlab as lab

# As `make lab` has it: kernels are forks of a process that has imported what a lesson imports.
WARM = "--ServerApp.jpserver_extensions={'autograder.kernels.server_extension': True}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The lessons take turns between the languages; what the other language repeats is for the deep tests.

    Of the first lesson's explorer that is all Korean: in Korean the lessons with even numbers are opened.
    """
    for item in items:
        params = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        if "served" in params:
            number = int(params["name"][:2]) if "name" in params else 1
            if number % 2 != (params["served"] == "en"):
                item.add_marker(pytest.mark.deep)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """One for this package alone: while it runs, no other test of the process can have an event loop."""
    if lab.chromium_path() is None:
        reason = "Chromium is not installed (apt install chromium)"
        if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with lab.chromium() as started:
        yield started


@pytest.fixture(scope="package", params=["en", "ko"])
def served(
    request: pytest.FixtureRequest, browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A JupyterLab in one language over a folder, in which each module has folders of its own.

    Its learner has made no progress yet.
    """
    place = tmp_path_factory.mktemp(f"lab-{request.param}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECANT_DATA", str(tmp_path_factory.mktemp("progress")))
        patch.setenv(OWN_WORKSPACE, str(place))
        with lab.jupyterlab(place, language=request.param, flags=[WARM]) as address:
            yield SimpleNamespace(language=request.param, address=address, browser=browser, place=place)


@pytest.fixture(scope="package")
def window(served: Any) -> Iterator[Any]:
    """That JupyterLab in one page, which each module leaves as it was, and every address asked for there."""
    asked: list[str] = []
    with lab.open_lab(served.browser, served.address, asked=asked) as page:
        yield SimpleNamespace(page=page, asked=asked)
