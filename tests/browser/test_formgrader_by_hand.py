"""An instructor's clicks in formgrader on JupyterLab, from the student version to the feedback."""

import re
from pathlib import Path
from typing import Any

import pytest
from nbformat import v4
from playwright.sync_api import FrameLocator, Locator, expect

from tests.support import jupyterlab as lab
from tests.support.people import Student, class_with_exchange
from tests.support.pictures import image_output, picture
from tests.support.small_class import STEPS, WRONG, answered_notebook, solutions

AUTOGRADE_SECONDS = 60


class FormgraderPage:
    """Formgrader's page, as JupyterLab shows it."""

    def __init__(self, frame: FrameLocator) -> None:
        self.frame = frame

    def row(self, name: str) -> Locator:
        """Return the row of the displayed table that contains this text."""
        return self.frame.locator("tr", has_text=name)

    def press(self, row: str, button: str) -> str:
        """Press a button of a row, close the dialog that opens, and return the dialog's text."""
        self.row(row).locator(f".{button} a").click()
        dialog = self.frame.locator(".modal.in")
        expect(dialog).to_be_visible(timeout=AUTOGRADE_SECONDS * 1000)
        text = dialog.inner_text()
        dialog.locator(".modal-footer button").first.click()
        expect(dialog).to_have_count(0)
        return text


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_class_is_graded_through_formgraders_buttons(python: list[str], browser: Any) -> None:
    with class_with_exchange(python) as (root, (ann, _)):
        click_through(root, ann, browser)


def click_through(root: Path, ann: Student, browser: Any) -> None:
    answers = solutions(root) | WRONG | {"why": "The curve in my plot bends down."}
    with lab.jupyterlab(root) as address, lab.open_lab(browser, address, width=1500, height=1100) as page:
        page.get_by_role("menuitem", name="Nbgrader").click()
        page.get_by_role("menuitem", name="Formgrader").click()
        formgrader = FormgraderPage(page.frame_locator("iframe"))

        assert "Successfully created the student version" in formgrader.press(STEPS, "assign")
        assert "Successfully released" in formgrader.press(STEPS, "release")
        expect(formgrader.row(STEPS).locator(".status")).to_have_text("released")

        ann.nbgrader("fetch_assignment", STEPS)
        notebook = answered_notebook(root, answers)
        notebook.cells.insert(-1, v4.new_code_cell("plt.show()", outputs=[image_output(picture(240, 120))]))
        (ann.home / STEPS / f"{STEPS}.ipynb").write_text(v4.writes(notebook), encoding="utf-8")
        ann.nbgrader("submit", STEPS)

        assert "Successfully collected" in formgrader.press(STEPS, "collect")
        formgrader.row(STEPS).locator(".num-submissions a").click()
        assert "Successfully autograded" in formgrader.press(ann.id, "autograde")
        row = formgrader.row(ann.id)
        expect(row.locator(".status")).to_have_text("needs manual grading")
        expect(row.locator(".score")).to_have_text(re.compile(r"^3 / "))

        # The note is graded with the student's plot on the same page.
        formgrader.frame.get_by_role("link", name="Manual Grading").click()
        formgrader.frame.get_by_role("link", name=STEPS).click()
        formgrader.frame.get_by_role("link", name=STEPS).last.click()
        formgrader.frame.get_by_role("link", name="Submission #1").click()
        plot = formgrader.frame.locator(".output_png img")
        expect(plot).to_have_count(1)
        assert plot.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [240, 120]
        comment = formgrader.frame.locator("textarea.comment").last
        # Formgrader sets the placeholder and then resets the field, so wait for the placeholder first.
        expect(comment).to_have_attribute("placeholder", re.compile("comments"))
        formgrader.frame.locator("input.score").last.fill("1")
        # Wait for the response, because the sign that the comment is saved appears only for a second.
        with page.expect_response("**/formgrader/api/comment/*"):
            comment.fill("Well seen.")
            comment.press("Tab")

        formgrader.frame.get_by_role("link", name="Manual Grading").first.click()
        formgrader.frame.get_by_role("link", name="Manage Assignments").click()
        assert "Successfully generated feedback" in formgrader.press(STEPS, "generate-feedback")
        assert "Successfully released feedback" in formgrader.press(STEPS, "release-feedback")
    ann.nbgrader("fetch_feedback", STEPS)
    (fetched,) = (ann.home / STEPS / "feedback").glob(f"*/{STEPS}.html")
    assert "Well seen." in fetched.read_text(encoding="utf-8")
    assert re.search(r"<p class=\"score\">4 of \d+ points</p>", fetched.read_text(encoding="utf-8"))
