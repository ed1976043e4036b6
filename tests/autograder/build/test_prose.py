"""Tests of the rules for a lesson's prose. Most of the tests change a copy of lesson 7.

The prose may name only tasks that exist, and must not repeat numbers for which there are placeholders.
"""

import copy
import re

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.build.prose import literal_problems, prose_problems, task_numbers
from autograder.course.cells import grade_id
from autograder.course.lesson import Lesson, english_hash
from tests.support.lessons import LESSONS, source

TASKS_BY_LESSON = {
    int(lesson.name[:2]): task_numbers(lesson.text.read_text(encoding="utf-8")) for lesson in LESSONS
}
(LESSON_7,) = [lesson for lesson in LESSONS if lesson.name.startswith("07")]


def find_problems(notebook: NotebookNode, number: int = 7) -> list[str]:
    return [text for _, text in prose_problems(notebook, number, TASKS_BY_LESSON, len(LESSONS))]


def problems_after_replacing(old: str, new: str, lesson: Lesson = LESSON_7) -> list[str]:
    """Return the problems of a lesson after one text in it has been replaced with another."""
    notebook = copy.deepcopy(source(lesson))
    matching_cells = [cell for cell in notebook.cells if re.search(old, cell.source)]
    assert matching_cells
    for cell in matching_cells:
        cell.source = re.sub(old, new, cell.source)
    return find_problems(notebook, int(lesson.name[:2]))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_prose_of_every_lesson_agrees_with_its_tasks(lesson: Lesson) -> None:
    assert find_problems(source(lesson), int(lesson.name[:2])) == []


def test_list_of_hidden_tests_with_a_dropped_task_is_reported() -> None:
    notebook = copy.deepcopy(source(LESSON_7))
    first = next(i for i, cell in enumerate(notebook.cells) if "## Task 7.7" in cell.source)
    last = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell) == "test_find_culprit")
    del notebook.cells[first : last + 1]
    tasks_by_lesson = {**TASKS_BY_LESSON, 7: TASKS_BY_LESSON[7] - {"7.7"}}
    problems = [text for _, text in prose_problems(notebook, 7, tasks_by_lesson, len(LESSONS))]
    assert sorted(problems) == sorted(
        [
            "the list of what hidden tests look for has task 7.7, which does not exist",
            "the list of what hidden tests look for has task 7.7, which does not exist",
        ]
    )


def test_remaining_heading_of_a_dropped_task_is_reported() -> None:
    notebook = copy.deepcopy(source(LESSON_7))
    notebook.cells = [cell for cell in notebook.cells if not grade_id(cell).endswith("find_culprit")]
    problems = find_problems(notebook)
    assert "its heading says Task 7.7 · `find_culprit`, which does not exist" in problems
    assert "its heading says 과제 7.7 · `find_culprit`, which does not exist" in problems


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r"## Task 7\.2 · ", "## Task 7.3 · ", "Task 7.3 · `saved_shapes`, but next is 7.2 · `saved_shapes`"),
        (r"## 과제 7\.2 · `saved_shapes`", "## 과제 7.2 · `shapes`", "but next is 7.2 · `saved_shapes`"),
        (r"## Task 7\.7 · `find_culprit`", "## The last", "no heading follows for task 7.7 · `find_culprit`"),
        (r"- \*\*7\.4\*\*", "- **7.5**", "has 0 lines for task 7.4"),
        ("Task 7.6 finds", "Tasks 7.5 and 7.8 find", "it mentions task 7.8, which does not exist"),
        ("과제 7.6에서", "과제 7.6과 11.2에서", "it mentions task 11.2, which does not exist"),
    ],
)
def test_each_kind_of_error_in_lesson_prose_is_reported(old: str, new: str, message: str) -> None:
    problems = problems_after_replacing(old, new)
    assert any(message in text for text in problems), problems


def test_task_without_two_hints_is_reported() -> None:
    (lesson_4,) = [lesson for lesson in LESSONS if lesson.name.startswith("04")]
    (problem,) = problems_after_replacing(
        r"<details>(<summary>Hint 1: the idea</summary>\n\nThe path from)", r"\1", lesson_4
    )
    assert "Task 4.4 has 1 hints" in problem


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("Lesson 07 of {{lessons}} · ~{{minutes}} min", "{{lesson}}"),
        ("Lesson 07 · ~{{minutes}} min", "{{lesson}}"),
        ("수업 {{lesson}} / 10 · 약 {{minutes}}분", "{{lessons}}"),
        ("Lesson {{lesson}} of {{lessons}} · ~85 min", "{{minutes}}"),
        ("수업 {{lesson}} / {{lessons}} · 약 85분", "{{minutes}}"),
        ("The 85 minutes do not include it.", "{{minutes}}"),
        ("이 부분은 85분에 들지 않습니다.", "{{minutes}}"),
        ("●○○ · ★☆☆ · 3 min · 2 points", "{{points}}"),
        ("{{marks}}분 · 2점", "{{points}}"),
        ("Three functions and a class, 10 points.", "{{tasks}}, {{points}}"),
        ("함수 세 개와 클래스 하나, 합해서 10점입니다.", "{{tasks}}, 합해서 {{points}}"),
    ],
)
def test_number_of_the_lessons_own_is_refused_in_favour_of_its_placeholder(
    text: str, placeholder: str
) -> None:
    cell = new_markdown_cell(f"Text.\n\n{text}", metadata={"lang": "en"})
    ((_, problem),) = literal_problems(new_notebook(cells=[cell]))
    assert f"write {placeholder} there" in problem


def test_translation_that_repeats_placeholder_marks_is_refused() -> None:
    cell = new_markdown_cell("●○○ · ★☆☆ · 3분 · {{points}}", metadata={"lang": "ko"})
    ((_, problem),) = literal_problems(new_notebook(cells=[cell]))
    assert "write {{marks}} there" in problem


def test_unknown_placeholder_is_reported_and_other_braces_are_not() -> None:
    text = r"$x^{2}$, $\frac{{a + 1}}{b}$, `f\"{{{x}}}\"`, {{points}}, {{point}}"
    cell = new_markdown_cell(text, metadata={"lang": "en"})
    ((_, problem),) = literal_problems(new_notebook(cells=[cell]))
    assert problem.startswith("there is no placeholder {{point}}, only lesson, ")


def test_number_of_lessons_makes_no_translation_stale() -> None:
    assert english_hash("# A\n\nLesson 02 of 10 · ~5 min · a") == english_hash(
        "# A\n\nLesson 02 of 11 · ~5 min · a"
    )
    assert english_hash("# A\n\nLesson 02 of 10 · ~5 min · a") != english_hash(
        "# A\n\nLesson 02 of 10 · ~9 min · a"
    )


def test_lesson_whose_prose_names_no_tasks_has_no_problems(steps: Lesson) -> None:
    assert list(prose_problems(source(steps), 1, {1: set()}, None)) == []


def test_lesson_may_refer_to_lessons_missing_from_the_course() -> None:
    only_lesson_7 = {7: TASKS_BY_LESSON[7]}
    for total in (None, 10):
        assert list(prose_problems(source(LESSON_7), 7, only_lesson_7, total)) == []
