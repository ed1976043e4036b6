"""Pictures in a note (a written answer), in formgrader and on a feedback page, graded by either engine."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook

from autograder.course.cells import grade_id
from tests.support.accessible import faults
from tests.support.formgrader import formgrader
from tests.support.pictures import picture
from tests.support.small_class import STEPS, answered_notebook, build_course, hand_in, run

SIZES = "images => images.map(image => [image.naturalWidth > 0, image.width <= innerWidth])"


def with_pictures(root: Path, language: str) -> NotebookNode:
    """Return a notebook whose note has two pictures: an attachment, and a wide data URL in the text."""
    notebook = answered_notebook(root, {}, language)
    note = next(cell for cell in notebook.cells if grade_id(cell) == "why")
    note.source = f"![a](attachment:a.png)\n\n![b](data:image/png;base64,{picture(3000, 300)})"
    note.attachments = {"a.png": {"image/png": picture(80, 40)}}
    return notebook


@pytest.fixture(scope="module")
def course_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pictures")
    build_course(root)
    for student, language in (("ann", "en"), ("ben", "ko"), ("stock", "en")):
        hand_in(root, student, with_pictures(root, language))
    summary, _ = run(root)
    assert not summary.failed
    # nbgrader's own engine leaves the student's notebook in autograded/, with its pictures unchanged.
    shutil.copy(
        root / f"submitted/stock/{STEPS}/{STEPS}.ipynb", root / f"autograded/stock/{STEPS}/{STEPS}.ipynb"
    )
    return root


@pytest.fixture(scope="module")
def address(course_root: Path) -> Iterator[str]:
    with formgrader(course_root) as server:
        yield server.address


@pytest.mark.parametrize("student", ["ann", "ben", "stock"])
def test_formgrader_shows_the_pictures_of_a_note_within_their_column(
    student: str, course_root: Path, address: str, browser: Any
) -> None:
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        submission_id = book.find_submission_notebook(STEPS, STEPS, student).id
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    try:
        page.route("https:", lambda route: route.abort())
        page.goto(f"{address}/submissions/{submission_id}/", wait_until="domcontentloaded")
        images = page.locator(".nbgrader_cell img[src^='data:image/png']")
        images.last.wait_for()
        assert images.evaluate_all(SIZES) == [[True, True]] * 2
    finally:
        page.close()


@pytest.mark.parametrize(("student", "language"), [("ann", "en"), ("ben", "ko")])
def test_a_page_with_pictures_fits_a_phone_and_is_accessible(
    student: str, language: str, course_root: Path, browser: Any
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    try:
        page.goto((course_root / "feedback" / student / STEPS / f"{STEPS}.html").as_uri())
        images = page.locator("#answer-why img")
        assert images.evaluate_all(SIZES) == [[True, True]] * 2
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert faults(page, "#answer-why", rules="all") == []
        assert page.get_attribute("html", "lang") == language
    finally:
        page.close()


def test_nbformat_reads_graded_notebooks_with_pictures(course_root: Path) -> None:
    for student in ("ann", "ben"):
        graded = (course_root / "autograded" / student / STEPS / f"{STEPS}.ipynb").read_text(encoding="utf-8")
        note = next(cell for cell in v4.reads(graded).cells if grade_id(cell) == "why")
        assert list(note.attachments) == ["picture-1", "picture-2"]
