"""An explorer in the learner's own notebook, which is exported, restarted from another tab, and reopened."""

import html
import json
import re
import urllib.request
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support import jupyterlab as lab

pytestmark = pytest.mark.browser

NAME = "own/own.ipynb"
CELLS = (
    "from secant import explore, predict\nimport ipywidgets",
    "explore(lambda x: x**2)",
    'predict("which", A="the one", B="the other")',
    "ipywidgets.IntSlider()",
)
RUN_AGAIN = {"en": "run this cell again", "ko": "이 셀을 다시 실행하면"}
SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"


@pytest.fixture(scope="module")
def notebook(lab_server: Any, window: Any) -> Iterator[Any]:
    """Run the notebook in the page and save it."""
    (lab_server.folder / "own").mkdir()
    lab.write_notebook(lab_server.folder / NAME, CELLS)
    with lab.running(window.page, lab_server.address, NAME):
        window.page.locator(".secant-explorer img[src]").first.wait_for(timeout=60_000)
        window.page.locator(".jp-OutputArea .widget-slider").last.wait_for()
        lab.wait_until_still(window.page.locator(".secant-explorer"))
        window.page.evaluate(SAVE)
        yield SimpleNamespace(
            page=window.page,
            address=lab_server.address,
            folder=lab_server.folder,
            language=lab_server.language,
        )


def test_exported_html_has_the_alternative_text(notebook: Any) -> None:
    alt = notebook.page.locator(".secant-picture img").get_attribute("alt")
    assert len(alt) > 40
    with urllib.request.urlopen(f"{notebook.address}/nbconvert/html/{NAME}", timeout=60) as answer:
        page = answer.read().decode()
    pictures = [html.unescape(text) for text in re.findall(r'<img[^>]* alt="([^"]*)"', page)]
    assert pictures == [alt]


def test_kernel_restart_in_another_tab_is_explained_at_the_explorer(notebook: Any) -> None:
    problem = notebook.page.locator(
        ".secant-explorer .secant-problems", has_text=RUN_AGAIN[notebook.language]
    )
    picture = notebook.page.locator(".secant-picture img")
    before = picture.get_attribute("alt")
    notebook.page.locator(".secant-picture").press("ArrowRight")
    expect(picture).not_to_have_attribute("alt", before)  # the running kernel's answer has arrived
    lab.wait_until_still(notebook.page.locator(".secant-explorer"))
    assert problem.count() == 0
    (kernel,) = (
        session["kernel"]["id"] for session in lab.sessions(notebook.address) if session["path"] == NAME
    )
    restart = urllib.request.Request(f"{notebook.address}/api/kernels/{kernel}/restart", method="POST")
    urllib.request.urlopen(restart, timeout=60).close()
    # Jupyter Server subscribes to the new kernel's messages again within a fraction of a second. A message
    # that the kernel sent earlier would be lost, and ipywidgets would send nothing until it had received that
    # message.
    notebook.page.wait_for_timeout(3000)
    notebook.page.locator(".secant-picture").press("ArrowRight")
    expect(problem).to_be_visible()


def test_a_reopened_notebook_shows_the_stored_picture(notebook: Any) -> None:
    notebook.page.evaluate(lab.DISPOSE)
    lab.shut_down(notebook.address, NAME)
    output = json.loads((notebook.folder / NAME).read_text())["cells"][1]["outputs"][0]
    notebook.page.evaluate(
        lab.RUN_ALL.replace("await app.commands.execute('notebook:run-all-cells');", ""), NAME
    )
    placeholders = notebook.page.locator(".secant-remains")
    expect(placeholders).to_have_count(2)  # for the explorer and for the prediction
    expect(placeholders.first).to_contain_text("Shift+Enter")
    assert placeholders.locator("img").get_attribute("alt") == output["metadata"]["image/png"]["alt"]
    assert placeholders.locator("img").evaluate("image => image.naturalWidth") == 900
    # For another library's widget, JupyterLab's own message still appears.
    expect(notebook.page.locator(".jp-OutputArea-output", has_text="model not found")).to_have_count(1)
