"""A browser, and a JupyterLab in each language, shared by all tests that need them.

Without Chromium, these tests are skipped, or fail if SECANT_REQUIRE_BROWSER is 1.
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

# As with `make lab`, kernels are forks of a process that has already imported the modules of a lesson.
WARM = "--ServerApp.jpserver_extensions={'autograder.kernels.server_extension': True}"


# Playwright's default of 5 s is too short for a page on a busy machine.
expect.set_options(timeout=30_000)


@contextlib.contextmanager
def start_lab(language: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """Start a JupyterLab in an empty folder, for a learner who has made no progress yet."""
    folder = tmp_path_factory.mktemp(f"lab-{language}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECANT_DATA", str(tmp_path_factory.mktemp("progress")))
        patch.setenv(OWN_WORKSPACE, str(folder))
        with lab.jupyterlab(folder, language=language, flags=[WARM]) as address:
            yield SimpleNamespace(language=language, address=address, folder=folder)


def require(program: str | None, reason: str) -> None:
    """Skip the test if a program is missing, or fail it if SECANT_REQUIRE_BROWSER is 1."""
    if program is not None:
        return
    if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Test each lesson in one language only, and leave the other language to the deep tests.

    Lessons with odd numbers, and tests without a lesson, run in English; lessons with even numbers in Korean.
    """
    for item in items:
        params = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        if "lab_server" in params:
            number = int(params["name"][:2]) if "name" in params else 1
            if number % 2 != (params["lab_server"] == "en"):
                item.add_marker(pytest.mark.deep)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Any]:
    """Start Playwright for this package only: while it runs, no other test in the process can use asyncio."""
    with lab.playwright() as driver:
        yield driver


@pytest.fixture(scope="package")
def browser(playwright: Any) -> Iterator[Any]:
    """Yield a running Chromium."""
    require(lab.chromium_path(), "Chromium is not installed (apt install chromium)")
    with lab.launch_chromium(playwright) as instance:
        yield instance


@pytest.fixture(scope="package")
def firefox(playwright: Any) -> Iterator[Any]:
    require(lab.firefox_path(), "Firefox is not installed (apt install firefox-esr)")
    with lab.launch_firefox(playwright) as instance:
        yield instance


@pytest.fixture(scope="package")
def static_page(python: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a page as `make preview` writes it.

    The page's cells run in a fork of a process that has already imported the modules of a lesson.
    """
    kernels = tmp_path_factory.mktemp("kernels")
    write_kernel(kernels, python)
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("JUPYTER_PATH", str(kernels))
            address = stack.enter_context(preview_site(tmp_path_factory.mktemp("preview")))
        yield address


@pytest.fixture(scope="package", params=["en", "ko"])
def lab_server(
    request: pytest.FixtureRequest, browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """Yield a running JupyterLab in one language, with its folder and a browser.

    Each test module works in separate subfolders. The learner has made no progress yet.
    """
    with start_lab(request.param, tmp_path_factory) as server:
        yield SimpleNamespace(**vars(server), browser=browser)


@pytest.fixture(scope="package")
def other_learner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield an English JupyterLab for Firefox and WebKit; its progress is separate from that in Chromium."""
    with start_lab("en", tmp_path_factory) as server:
        yield server


@pytest.fixture(scope="package")
def window(lab_server: Any) -> Iterator[Any]:
    """Yield a page with the JupyterLab of `lab_server`, and a list of the addresses that the page requested.

    Every test module leaves the page as it found it.
    """
    requested: list[str] = []
    with lab.open_lab(lab_server.browser, lab_server.address, requested=requested) as page:
        yield SimpleNamespace(page=page, requested=requested)
