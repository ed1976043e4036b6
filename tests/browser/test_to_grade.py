"""The button on formgrader's pages that goes to the next answer that needs a manual grade."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import Page, expect

from tests.support.formgrader import formgrader
from tests.support.small_class import STEPS, answered_notebook, build_course, hand_in, run, solutions

NOTE = "why"


@pytest.fixture(scope="module")
def course_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a class of three students: two have notes (written answers) to grade, the third has none."""
    root = tmp_path_factory.mktemp("class")
    build_course(root)
    for student_id, note in (("ann", "The curve bends."), ("bob", "It bends down."), ("cem", "")):
        answers = {task: text for task, text in solutions(root).items() if task != NOTE}
        hand_in(root, student_id, answered_notebook(root, answers | ({NOTE: note} if note else {})))
    summary, _ = run(root)
    assert not summary.failed
    return root


@pytest.fixture
def page(browser: Any, course_root: Path) -> Iterator[Page]:
    """Open the list of submissions offline, and therefore without MathJax."""
    with formgrader(course_root) as server:
        page = browser.new_page(viewport={"width": 1200, "height": 700})
        page.route(re.compile("^https:"), lambda route: route.abort())
        page.goto(f"{server.address}/gradebook/{STEPS}/{STEPS}")
        yield page
        page.close()


def needs_grading(course_root: Path) -> list[bool]:
    with Gradebook(f"sqlite:///{course_root / 'gradebook.db'}", "secant") as book:
        notebooks = [
            book.find_submission_notebook(STEPS, STEPS, student_id) for student_id in ("ann", "bob", "cem")
        ]
        return [bool(notebook.needs_manual_grade) for notebook in notebooks]


def test_formgrader_button_visits_each_note_that_needs_manual_grading(page: Page, course_root: Path) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    button, note = page.locator(".secant-to-grade"), page.locator(f"#{NOTE}")
    expect(button).to_have_text("Next answer to grade (2 notebooks left)")
    button.click()
    expect(note).to_be_focused(timeout=30_000)
    expect(note).to_be_in_viewport()
    first = page.url.partition("?")[0]

    # Use only the keyboard: type a score, which must be saved before the next page opens.
    page.keyboard.type("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: "/submissions/" in url and not url.startswith(first))
    expect(note).to_be_focused(timeout=30_000)
    assert needs_grading(course_root).count(True) == 1
    expect(button).to_have_text("Next answer to grade (1 notebook left)")

    page.locator(".full-credit").last.click()
    expect(button).to_have_text("No answer waits for a grade")
    expect(button).to_be_disabled()
    assert needs_grading(course_root) == [False] * 3
    assert errors == []
