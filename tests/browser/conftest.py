"""One browser and one JupyterLab of each language for all tests that need them.

Without Chromium these skip, or fail where it is required.
"""

import contextlib
import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

from secant.workspace_state import OWN_WORKSPACE
from tests.support import jupyterlab as lab
from tests.support.preview_site import preview_site
from tests.support.warm import write_kernel

# As `make lab` has it: kernels are forks of a process that has imported what a lesson imports.
WARM = "--ServerApp.jpserver_extensions={'autograder.kernels.server_extension': True}"


# Playwright's own 5 s are too short for a page on a machine that does much else.
expect.set_options(timeout=30_000)


@contextlib.contextmanager
def learners_lab(language: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """Start a JupyterLab over an empty folder, with a learner who has made no progress yet."""
    place = tmp_path_factory.mktemp(f"lab-{language}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECANT_DATA", str(tmp_path_factory.mktemp("progress")))
        patch.setenv(OWN_WORKSPACE, str(place))
        with lab.jupyterlab(place, language=language, flags=[WARM]) as address:
            yield SimpleNamespace(language=language, address=address, place=place)


def require(program: str | None, reason: str) -> None:
    """Skip the test if a program is missing, or fail it where a missing browser is a failure."""
    if program is not None:
        return
    if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


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
def playwright() -> Iterator[Any]:
    """One for this package alone: while it runs, no other test of the process can have an event loop."""
    with lab.playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Any) -> Iterator[Any]:
    """Chromium."""
    require(lab.chromium_path(), "Chromium is not installed (apt install chromium)")
    with lab.launch_chromium(playwright) as launched:
        yield launched


@pytest.fixture(scope="package")
def firefox(playwright: Any) -> Iterator[Any]:
    require(lab.firefox_path(), "Firefox is not installed (apt install firefox-esr)")
    with lab.launch_firefox(playwright) as launched:
        yield launched


@pytest.fixture(scope="package")
def static_page(python: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page as `make preview` writes it; its kernel is a fork of a warm process."""
    kernels = tmp_path_factory.mktemp("kernels")
    write_kernel(kernels, python)
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("JUPYTER_PATH", str(kernels))
            address = stack.enter_context(preview_site(tmp_path_factory.mktemp("preview")))
        yield address


@pytest.fixture(scope="package", params=["en", "ko"])
def served(
    request: pytest.FixtureRequest, browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A JupyterLab in one language over a folder, in which each module has folders of its own.

    Its learner has made no progress yet.
    """
    with learners_lab(request.param, tmp_path_factory) as server:
        yield SimpleNamespace(**vars(server), browser=browser)


@pytest.fixture(scope="package")
def other_learner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """An English JupyterLab for Firefox and WebKit, whose learner's progress no test in Chromium sees."""
    with learners_lab("en", tmp_path_factory) as server:
        yield server


@pytest.fixture(scope="package")
def window(served: Any) -> Iterator[Any]:
    """That JupyterLab in one page, which each module leaves as it was, and every address asked for there."""
    asked: list[str] = []
    with lab.open_lab(served.browser, served.address, asked=asked) as page:
        yield SimpleNamespace(page=page, asked=asked)
