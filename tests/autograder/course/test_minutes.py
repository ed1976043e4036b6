"""Tests of the estimate of how many minutes a lesson takes."""

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.course import minutes


def text_cell(source: str, lang: str = "en") -> NotebookNode:
    return new_markdown_cell(source, metadata={"lang": lang})


def prose_cell(count: int) -> NotebookNode:
    return text_cell("word " * count)


def test_prose_code_explorers_and_tasks_are_counted() -> None:
    assert minutes.minutes([prose_cell(360)]) == pytest.approx(2)
    assert minutes.minutes([new_code_cell("print(1)")]) == minutes.CELL_MINUTES
    explorer = new_code_cell("def f(x):\n    return x\n\nexplore(f)")
    assert minutes.minutes([explorer]) == minutes.CELL_MINUTES + minutes.EXPLORER_MINUTES
    task = text_cell("## Task 1.1\n\n●●○○○ · ★★★★★ · 6 min · 2 points")
    assert 6 < minutes.minutes([task]) < 6.2


def test_explorer_of_a_first_look_counts_fewer_minutes_than_a_later_one() -> None:
    first_look, explorer = text_cell("## First look"), new_code_cell("explore()")
    section = text_cell("<details>What you saw</details>\n\n## 1. A section")
    assert minutes.minutes([first_look, explorer]) - minutes.minutes([first_look]) == pytest.approx(2.75)
    assert minutes.minutes([first_look, section, explorer]) - minutes.minutes(
        [first_look, section]
    ) == pytest.approx(5.75)


def test_hints_korean_text_and_graded_cells_add_no_minutes() -> None:
    hint = text_cell("<details><summary>Hint</summary>\n\n" + "word " * 180 + "\n\n</details>")
    graded_cell = new_code_cell("def f(): ...", metadata={"nbgrader": {"grade_id": "f", "solution": True}})
    assert minutes.minutes([hint, text_cell("낱말 " * 180, "ko"), graded_cell, new_code_cell("")]) == 0


def test_minutes_skip_an_optional_section_with_its_subsections() -> None:
    cells = [
        text_cell("## 7. Complex numbers (optional)"),
        prose_cell(180),
        text_cell("### More"),
        prose_cell(180),
    ]
    assert minutes.minutes(cells) == 0
    assert minutes.minutes([*cells, text_cell("## 8. Next"), prose_cell(180)]) == pytest.approx(1, abs=0.1)


def test_stated_minutes_are_rounded_up_to_a_multiple_of_five() -> None:
    assert [minutes.round_minutes(value) for value in (70.0, 70.1, 74.9)] == [70, 75, 75]
    header = text_cell("# Title\n\nLesson 03 of 10 · ~80 min · grad")
    korean = text_cell("# 제목\n\n수업 03 / 10 · 약 85분 · grad", "ko")
    assert minutes.stated_minutes([header, korean, text_cell("It takes ~5 min.")]) == [80, 85]
