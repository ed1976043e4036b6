"""A feedback page in a browser: on a phone and on a desktop, in both languages, light and dark."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.course.cells import tasks
from autograder.page.facts import PageHead, TaskRow
from autograder.page.render import page_html
from secant.language import LANGUAGES, Language
from secant.verdict import Part, Verdict
from tests.support.accessible import Rules, faults
from tests.support.lessons import LESSONS, assignment

WIDE = "\\begin{matrix}" + " & ".join(["x_{12345}"] * 40) + "\\end{matrix}"
PARTS = (Part("call", "f(1)"), Part("expected", "1"), Part("cause", "long" * 60), Part("head", "a" * 400))


def feedback_html(language: Language | None) -> str:
    """Return a page with many kinds of verdict or, without a language, the page of an unreadable file."""
    release = copy.deepcopy(assignment(LESSONS[0]).releases[language or "en"])
    outcomes = [("passed", False), ("wrong", False), ("timed_out", False), ("not_attempted", False)]
    outcomes += [("crashed", False), ("manual", True), ("manual", False), ("rejected", False)]
    ids = [task.id for task in tasks(assignment(LESSONS[0]).source)]
    verdict_fields = (Verdict(PARTS), f"$${WIDE}$$", "**Since** $x^2$.")
    rows = [
        TaskRow(task, f"Task {task}", 1.0, 2.0, 0.5, outcome, needs_grading, *verdict_fields)
        for task, (outcome, needs_grading) in zip([*ids, "one", "two"], outcomes, strict=True)
    ]
    for cell in release.cells:
        if cell.cell_type == "code":
            cell.outputs = [{"output_type": "stream", "text": "printed\n" + "x" * 400}]
    head = PageHead("Slopes", language or "en", 7.5, 12.0, 1.0, rows, "" if language else "No notebook.")
    if language is None:
        head = replace(head, korean=replace(head, language="ko", rejected="노트북이 아닙니다."))
    return page_html("ann", head, release.cells)


@pytest.mark.parametrize("language", [*LANGUAGES, None])
def test_a_page_fits_a_phone_and_is_accessible(
    browser: Any, tmp_path: Path, language: Language | None
) -> None:
    """Colours do not depend on the language, so they are not checked again on the Korean page."""
    file = tmp_path / "page.html"
    file.write_text(feedback_html(language), encoding="utf-8")
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="light")
    try:
        events: list[str] = []
        page.on("console", lambda message: events.append(message.text))
        page.on("request", lambda request: events.append(request.url))
        page.goto(file.as_uri())
        assert events == [file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        rules: Rules = "all but colours" if language == "ko" else "all"
        assert faults(page, "html", rules=rules) == []
        page.set_viewport_size({"width": 1280, "height": 900})
        assert faults(page, "html", rules=rules) == []
        if language:
            page.click(".tasks a >> nth=1")
            assert page.locator(".answer:target").is_visible()
        assert page.locator(".tasks li").first.bounding_box()["y"] < 900
        if language != "ko":
            page.emulate_media(color_scheme="dark")
            assert faults(page, "html", rules="colours") == []
            page.set_viewport_size({"width": 360, "height": 740})
            assert faults(page, "html", rules="colours") == []
    finally:
        page.close()


def test_raised_formula_does_not_paint_over_the_page(browser: Any, tmp_path: Path) -> None:
    """A formula raised by 9 em (140 pixels) would reach the line above it, which shows the points."""
    release = copy.deepcopy(assignment(LESSONS[0]).releases["en"])
    formula = r"$\smash{\raise 9em{\color{red}\text{████████████}}}$"
    row = TaskRow("one", "Task 1", 0.0, 2.0, 0.0, "manual", True, None, formula * 4, "")
    file = tmp_path / "page.html"
    file.write_text(
        page_html("ann", PageHead("Slopes", "en", 0.0, 2.0, 0.0, [row], ""), release.cells[:1]), "utf-8"
    )
    page = browser.new_page(viewport={"width": 800, "height": 600})
    try:
        page.goto(file.as_uri())
        assert page.locator(".typed math").count() == 4
        box = page.locator(".typed").bounding_box()
        above = {"x": 0, "y": 0, "width": 800, "height": box["y"]}
        painted = page.screenshot(clip=above)
        page.evaluate("document.querySelector('.typed').style.visibility = 'hidden'")
        assert page.screenshot(clip=above) == painted
    finally:
        page.close()


def test_injected_script_does_not_run_on_a_feedback_page(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    injected = "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
    file.write_text(feedback_html("en").replace("</main>", f"{injected}</main>"), encoding="utf-8")
    page = browser.new_page()
    try:
        page.goto(file.as_uri())
        assert page.title() == "Slopes · ann"
        assert page.locator("main script").count() == 1
    finally:
        page.close()
