"""The start page, lesson 1, the Check panel and a static page in WebKit, Safari's engine."""

from typing import Any

import nbformat
import pytest

from tests.browser.conftest import require
from tests.support import lessons as course
from tests.support import webkit

pytestmark = pytest.mark.browser

LESSON = course.LESSONS[0]


@pytest.fixture(scope="module", autouse=True)
def require_webkit() -> None:
    missing = webkit.missing_program()
    require(None if missing else "WebKit", missing)


def test_a_static_page_is_drawn_and_follows_the_keys(static_page: str) -> None:
    observations = webkit.drive("static", static_page)
    assert observations["painted"]
    assert observations["moved"]
    assert "Your choice was right" in observations["answer"]


def test_lesson_1_runs_is_copied_and_is_checked(other_learner: Any) -> None:
    answers = {task.id: task.answer.source for task in course.questions(LESSON)}
    notebook = course.with_answers(course.assignment(LESSON).releases[other_learner.language], answers)
    (other_learner.folder / "webkit").mkdir()
    nbformat.write(notebook, other_learner.folder / "webkit" / "lesson.ipynb")
    observations = webkit.drive("lesson", other_learner.address, "webkit/lesson.ipynb")
    points = sum(task.points for task in course.questions(LESSON))
    assert observations["cards"] == len(course.LESSONS)
    assert "Your choice is" in observations["prediction"]
    assert observations["copied"] == "Copied."
    assert observations["total"] == f"{points:g} of {points:g} points"
