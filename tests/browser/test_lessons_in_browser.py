"""Each lesson as a student sees it in JupyterLab, in both languages: run to the end, its explorers alive."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course.lesson import find_lessons
from tests.support import jupyterlab as lab
from tests.support.naming import unnamed

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LESSONS = [lesson.name for lesson in find_lessons(ROOT)]
# What the page knows of its cells: JupyterLab draws only those in view.
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code')"
DONE = f"() => {CELLS}.every(cell => cell.model.executionCount)"
TROUBLE = f"""() => {CELLS}.flatMap(cell => cell.model.outputs.toJSON())
  .filter(output => output.output_type === 'error' || output.name === 'stderr')"""
EXPLORERS = f"() => {CELLS}.filter(cell => /^explore/m.test(cell.model.sharedModel.getSource())).length"
SHOW = f"""async (number) => {{
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const cell = {CELLS}.filter(cell => /^explore/m.test(cell.model.sharedModel.getSource()))[number];
  notebook.activeCellIndex = notebook.widgets.indexOf(cell);
  await notebook.scrollToCell(cell);
}}"""


@pytest.fixture(scope="module")
def lessons(served: Any) -> Any:
    """The released lessons down to their tasks, in a folder of the server's."""
    place = served.place / "lessons"
    place.mkdir()
    for name in LESSONS:
        notebook = nbformat.read(ROOT / "release" / served.language / name / f"{name}.ipynb", as_version=4)
        tasks = [i for i, cell in enumerate(notebook.cells) if re.match("# (Tasks|과제)$", cell.source, re.M)]
        del notebook.cells[tasks[0] :]
        notebook.metadata.kernelspec.name = "warm"  # lesson 1 runs in a cold one in the test of its explorer
        nbformat.write(notebook, place / f"{name}.ipynb")
    return place.name


@pytest.fixture(scope="module")
def page(served: Any) -> Iterator[Any]:
    """One page for all lessons, which are opened in it one after another."""
    with lab.open_lab(served.browser, served.address, height=1200) as page:
        yield page


@pytest.mark.parametrize("name", LESSONS)
def test_the_lesson_runs_and_its_explorers_follow_the_hand(
    served: Any, lessons: Any, page: Any, name: str
) -> None:
    with lab.running(page, served.address, f"{lessons}/{name}.ipynb"):
        page.wait_for_function(DONE, timeout=90_000)
        assert page.evaluate(TROUBLE) == []
        count = page.evaluate(EXPLORERS)
        assert count >= 1
        for number in range(count):
            page.evaluate(SHOW, number)
            follows_the_hand(page, page.locator(".jp-mod-active .secant-explorer"), served.language)


def follows_the_hand(page: Any, explorer: Any, language: str) -> None:
    explorer.locator("img").wait_for(timeout=60_000)
    lab.wait_until_still(explorer)
    page.wait_for_function("e => e.querySelector('img').alt", arg=explorer.element_handle(), timeout=10_000)
    before = explorer.locator(".secant-words").inner_text()
    assert korean(before) == (language == "ko")
    assert korean(explorer.locator("img").get_attribute("alt")) == (language == "ko")
    assert unnamed(explorer) == 0
    lab.drag(page, explorer.locator(".noUi-handle").first, 0.3)
    page.wait_for_function(
        "([e, old]) => e.querySelector('.secant-words').innerText !== old",
        arg=[explorer.element_handle(), before],
        timeout=10_000,
    )


def korean(text: str) -> bool:
    return bool(re.search("[가-힣]", text))
