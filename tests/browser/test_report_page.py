"""The lecturer's report in a browser: on a phone, a desktop and paper, in both languages, light and dark."""

from pathlib import Path
from typing import Any

import pytest

from autograder.gradebook.result import GradedTask
from autograder.report.advice import advice
from autograder.report.copies import Pair
from autograder.report.figures import course_figures, lesson_figures
from autograder.report.lesson_text import LessonText, SubmittedAnswer
from autograder.report.page import PageSettings, course_page, lesson_page
from autograder.report.previous_report import Changes
from autograder.report.reading import Work
from secant.language import LANGUAGES, Language
from secant.verdict import Verdict
from tests.support.accessible import Rules, faults

NAMES = [f"task_{number}_with_a_long_name" for number in range(1, 7)]
FIRST, *_, NOTE = NAMES
LONG = f"def {FIRST}(x):\n    return " + " + ".join(f"x.detach({n})" for n in range(60))
LESSON_TEXT = LessonText(
    name="01_x",
    title="Slopes",
    tasks={name: f"Task 1 · {name}" for name in NAMES},
    stubs=dict.fromkeys(NAMES, frozenset({""})),
    hints={"all": {"sign": {"en": "the `sign`", "ko": "`부호`"}}},
    texts=[],
    code=[],
)


def row(task: str, index: int, is_right: bool) -> GradedTask:
    outcome, hint, points = ("passed", "", 2.0) if is_right else ("wrong", "sign", 0.0)
    return GradedTask(task, points, 2.0, outcome, Verdict.plain("", hint), 0.0, index % 2 == 1, task, points)


def works(lesson: int = 1) -> list[Work]:
    """Return the work of about a hundred students, with enough variety to fill every part of the report."""
    result = [Work("absent"), Work("unread", "unread"), Work("later", "ungraded")]
    for number in range(100):
        name = f"student{number}"
        if lesson == 4 and number % 9 == 0:
            result.append(Work(name))
            continue
        rows = [
            row(task, index, (number * lesson + 7 * index) % 100 > 30 + 5 * index)
            for index, task in enumerate(NAMES)
        ]
        rows[-1] = GradedTask(NOTE, 0.0, 2.0, "manual", Verdict(()), cell=NOTE)
        result.append(Work(name, "graded", rows, number == 7, {FIRST: SubmittedAnswer(LONG)}))
    return result


def report_html(language: Language, name: str) -> str:
    head = PageSettings(language, "2026-11-26 10:00", {"student1": "Kim Minji"}, False, str)
    if name == "course":
        lessons = {f"{number:02}_x": works(number) for number in range(1, 5)}
        return course_page(
            head, {title: f"{title[:2]}. A lesson's title" for title in lessons}, course_figures(lessons)
        )
    figures = lesson_figures(works(), LESSON_TEXT)
    assert len(advice(figures)) == 3
    better = [f"student{number}" for number in range(50)]
    changes = Changes(
        "2026-11-20 10:00", 3, (0.5, 0.6), better, ["student99"], {FIRST: (1, 2)}, {"all.sign": (5, 9)}
    )
    pairs = [Pair(("student1", "student2"), 90, (90, 120), [FIRST])] * 3
    return lesson_page(head, LESSON_TEXT, figures, changes, pairs)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["lesson", "course"])
def test_a_report_fits_a_phone_and_is_accessible(
    browser: Any, tmp_path: Path, name: str, language: Language
) -> None:
    """Minor faults count too. Colours do not depend on the language, so only the English page is checked."""
    file = tmp_path / "report.html"
    file.write_text(report_html(language, name), encoding="utf-8")
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="light")
    try:
        events: list[str] = []
        page.on("console", lambda message: events.append(message.text))
        page.on("request", lambda request: events.append(request.url))
        page.goto(file.as_uri())
        assert events == [file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        rules: Rules = "all" if language == "en" else "all but colours"
        assert faults(page, "html", rules=rules, include_minor=True) == []
        if language == "en":
            page.emulate_media(color_scheme="dark")
            assert faults(page, "html", rules="colours", include_minor=True) == []
        page.set_viewport_size({"width": 1280, "height": 900})
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        if language == "en":
            assert faults(page, "html", rules="colours", include_minor=True) == []
            page.emulate_media(color_scheme="light")
        assert faults(page, "html", rules=rules, include_minor=True) == []
        assert page.locator("svg[role=img][aria-label]").count() == (2 if name == "lesson" else 1)
    finally:
        page.close()


def test_every_part_is_reached_by_keyboard_and_printed(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(report_html("en", "lesson"), encoding="utf-8")
    page = browser.new_page(viewport={"width": 360, "height": 740})
    try:
        page.goto(file.as_uri())
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash") == "#lecture"
        folded = page.locator("details .answers pre").first
        assert not folded.is_visible()
        wide = page.locator(".wide").first
        wide.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(500)  # a page that allows no scripts cannot be polled
        assert wide.evaluate("node => node.scrollLeft") > 0
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": 700, "height": 900})
        assert folded.bounding_box()["height"] > 20
        assert not page.locator("nav").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("document.documentElement.scrollWidth") == 700
    finally:
        page.close()
