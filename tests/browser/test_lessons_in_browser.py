"""Each lesson as a student sees it in JupyterLab, in both languages: run to the end, its explorers alive."""

import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from autograder.lesson import find_lessons
from benchmarks import lab

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LESSONS = [lesson.name for lesson in find_lessons(ROOT)]
DONE = """() => {
  const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')].map(e => e.innerText);
  return prompts.length > 0 && prompts.every(prompt => /\\[\\d+\\]/.test(prompt));
}"""


@pytest.fixture(scope="module", params=["en", "ko"])
def served(request, browser, tmp_path_factory):
    """A JupyterLab in one language, over the released lessons without what a student fills in."""
    place = tmp_path_factory.mktemp(f"lab-{request.param}")
    for name in LESSONS:
        notebook = nbformat.read(ROOT / "release" / request.param / name / f"{name}.ipynb", as_version=4)
        notebook.cells = [c for c in notebook.cells if c.cell_type != "code" or "nbgrader" not in c.metadata]
        nbformat.write(notebook, place / f"{name}.ipynb")
    with lab.jupyterlab(place, language=request.param) as address:
        yield SimpleNamespace(language=request.param, address=address, browser=browser)


@pytest.mark.parametrize("name", LESSONS)
def test_the_lesson_runs_and_its_explorers_follow_the_hand(served, name):
    with lab.run_notebook(served.browser, served.address, f"{name}.ipynb", height=30_000) as page:
        page.wait_for_function(DONE, timeout=90_000)
        bad = ".jp-OutputArea-output:is([data-mime-type$='stderr'], [data-mime-type$='error'])"
        assert page.locator(bad).count() == 0
        explorers = page.locator(".secant-explorer")
        assert explorers.count() >= 1
        for number in range(explorers.count()):
            explorer = explorers.nth(number)
            picture, words = explorer.locator("img"), explorer.locator(".secant-words")
            picture.wait_for(timeout=60_000)
            page.wait_for_function("e => e.title !== ''", arg=picture.element_handle(), timeout=10_000)
            assert korean(picture.get_attribute("title")) == (served.language == "ko")
            assert korean(words.inner_text()) == (served.language == "ko")
            assert unnamed(explorer) == 0
            before = words.inner_text()
            lab.wait_until_still(explorer)
            lab.drag(page, explorer.locator(".noUi-handle").first, 0.3)
            page.wait_for_function(
                "([e, old]) => e.querySelector('.secant-words').innerText !== old",
                arg=[explorer.element_handle(), before],
                timeout=10_000,
            )


def korean(text: str) -> bool:
    return bool(re.search("[가-힣]", text))


def unnamed(explorer) -> int:
    """Return how many of its controls a screen reader would find without a name."""
    return explorer.evaluate(
        "node => [...node.querySelectorAll('input, select')].filter(e => !e.labels[0]?.innerText).length"
    )
