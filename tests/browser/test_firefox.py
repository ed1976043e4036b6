"""The start page, lesson 1, the Check panel and a static page in Firefox."""

import re
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.support import jupyterlab as lab
from tests.support import lessons as course

pytestmark = pytest.mark.browser

LESSON = course.LESSONS[0]
PHONE = {"width": 390, "height": 800}
START = "() => window.jupyterapp.restored.then(() => window.jupyterapp.commands.execute('secant:start'))"
PAINTED = """picture => {
  const canvas = picture.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value, i) => i % 4 === 3 && value > 0);
}"""


@pytest.fixture(scope="module")
def page(other_learner: Any, firefox: Any) -> Iterator[Page]:
    """Provide JupyterLab with the start page, and with lesson 1 run with its right answers."""
    answers = {task.id: task.answer.source for task in course.questions(LESSON)}
    notebook = course.with_answers(course.assignment(LESSON).releases[other_learner.language], answers)
    name = f"firefox/{LESSON.name}.ipynb"
    (other_learner.folder / "firefox").mkdir()
    nbformat.write(notebook, other_learner.folder / name)
    with lab.open_lab(firefox, other_learner.address) as lab_page:
        lab_page.set_default_timeout(60_000)
        lab_page.evaluate(START)
        expect(lab_page.locator(".secant-card")).to_have_count(len(course.LESSONS))
        with lab.running(lab_page, other_learner.address, name):
            yield lab_page


def test_arrow_keys_choose_at_a_prediction(page: Page) -> None:
    prediction = page.locator(".secant-prediction").first
    prediction.scroll_into_view_if_needed()
    first = prediction.locator("input").first
    first.focus()
    # On a busy machine, JupyterLab may still be moving the focus to the cell that ran last.
    expect(first).to_be_focused()
    page.wait_for_timeout(500)
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(prediction).to_contain_text("Your choice is B.")


def test_an_explorer_is_drawn_follows_the_keys_and_is_copied(page: Page) -> None:
    explorer = page.locator(".secant-explorer").first
    explorer.locator("img[src]").wait_for()
    lab.wait_until_still(explorer)
    assert explorer.locator(".secant-picture").evaluate(PAINTED)
    quotient = explorer.locator(".secant-quotient")
    before = quotient.text_content()
    explorer.locator(".secant-picture").focus()
    page.keyboard.press("ArrowDown")
    expect(quotient).not_to_have_text(before or "")
    explorer.locator(".secant-copy").click()
    expect(explorer.locator(".secant-note")).to_have_text("Copied.")


def test_the_panel_checks_the_lesson(page: Page) -> None:
    page.locator(".secant-check >> visible=true").click()
    expect(page.locator(".secant-panel")).to_have_attribute("aria-busy", "true")
    expect(page.locator(".secant-panel")).to_have_attribute("aria-busy", "false")
    points = sum(task.points for task in course.questions(LESSON))
    expect(page.locator(".secant-total")).to_have_text(f"{points:g} of {points:g} points")


def test_a_static_page_fits_a_phone_and_its_picture_follows_the_keys(firefox: Any, static_page: str) -> None:
    with firefox.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(static_page)
        figure = page.locator("figure[data-frames]").first
        figure.scroll_into_view_if_needed()
        figure.locator(".secant-picture img").wait_for()
        page.wait_for_timeout(400)
        assert figure.locator(".secant-picture").evaluate(PAINTED)
        assert page.evaluate("document.documentElement.scrollWidth === document.documentElement.clientWidth")
        quotient = figure.locator(".secant-quotient")
        before = quotient.inner_text()
        figure.locator("input[data-control=h]").focus()
        page.keyboard.press("ArrowLeft")
        assert quotient.inner_text() != before
        page.get_by_label("B. down").focus()
        page.keyboard.press("ArrowUp")
        assert re.search("Your choice was right", page.locator("[data-answers]").inner_text())
