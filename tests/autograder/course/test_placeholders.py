"""Tests of the text that replaces placeholders in a lesson, in each language."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.course.placeholders import fill, without_spans, with_placeholders


def fill_text(text: str, lang: str, *answers: str, points: float = 2) -> str:
    """Return a text after its placeholders are filled in, in a lesson with these answers.

    The lesson's first cell is in English and has a line with difficulty marks, minutes and points.
    """
    cells = [new_markdown_cell("●●○ · ★☆☆ · 7 min · {{points}}", metadata={"lang": "en"})]
    cells.append(new_markdown_cell(text, metadata={"lang": lang}))
    for number, answer in enumerate(answers):
        common = {"schema_version": 3, "locked": False, "task": False, "grade_id": f"t{number}"}
        cells.append(new_code_cell(answer, metadata={"nbgrader": {**common, "solution": True, "grade": False}}))
        test = {**common, "grade_id": f"test_t{number}", "solution": False, "grade": True, "points": points}
        cells.append(new_code_cell("", metadata={"nbgrader": test}))
    fill(cells, 7, 10)
    return without_spans(cells[1].source)


F, G, C, D = "def f(x):", "def g(x):", "class C:", "class D:"


@pytest.mark.parametrize(
    ("answers", "english", "korean"),
    [
        ((F,), "A function", "함수 하나"),
        ((F, G), "Two functions", "함수 두 개"),
        ((F, G, C), "Two functions and a class", "함수 두 개와 클래스 하나"),
        ((C, D), "Two classes", "클래스 두 개"),
        ((C, C, F), "Three tasks", "세 문제"),
    ],
)
def test_tasks_are_counted_in_words(answers: tuple[str, ...], english: str, korean: str) -> None:
    assert fill_text("{{tasks}}.", "en", *answers) == f"{english}."
    assert fill_text("{{tasks}}.", "ko", *answers) == f"{korean}."
    assert fill_text("{{tasks}}.", "ja", *answers) == f"{len(answers)}."


def test_points_are_those_of_the_task_in_the_heading_or_else_all() -> None:
    assert fill_text("## Task 7.1 · `t1`\n\n{{points}}", "en", F, G, points=1).endswith("1 point")
    assert fill_text("{{points}}", "en", F, G, points=1.5) == "3 points"
    assert fill_text("{{points}}", "ko", F, G) == "4점"
    assert fill_text("{{points}}", "ja", F, G) == "4"


def test_translation_takes_stars_and_minutes_from_the_english() -> None:
    assert fill_text("{{marks}}분", "ko", F) == "●●○ · ★☆☆ · 7분"


def test_header_has_the_lessons_number_and_minutes() -> None:
    text = "Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min"
    assert fill_text(text, "en", F) == "Lesson 07 of 10 · ~10 min"


def test_placeholders_are_restored_from_filled_text_and_other_braces_stay() -> None:
    text = r'{{points}} of {{tasks}}, $\frac{{a}}{{b}}$, `f"{{{points}}}"`, {points}'
    cell = new_markdown_cell(text, metadata={"lang": "en"})
    fill([cell], 1, 1)
    assert cell.source != text
    assert with_placeholders(cell.source) == text
    assert without_spans(cell.source).endswith(r'$\frac{{a}}{{b}}$, `f"{{{points}}}"`, {points}')
