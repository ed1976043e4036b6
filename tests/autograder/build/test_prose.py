"""What a lesson says of its tasks cannot drift from its cells: lesson 7, changed as an instructor would."""

import copy
import re

import pytest
from nbformat import NotebookNode

from autograder.build.prose import numbered, prose_problems
from autograder.course.cells import grade_id, grading
from autograder.course.lesson import Lesson, english_hash
from tests.support.lessons import LESSONS, source

COURSE = {int(lesson.name[:2]): numbered(lesson.text.read_text(encoding="utf-8")) for lesson in LESSONS}
(SEVENTH,) = [lesson for lesson in LESSONS if lesson.name.startswith("07")]
(THIRD,) = [lesson for lesson in LESSONS if lesson.name.startswith("03")]


def problems(notebook: NotebookNode, number: int = 7) -> list[str]:
    return [text for _, text in prose_problems(notebook, number, COURSE, len(LESSONS))]


def changed(old: str, new: str, lesson: Lesson = SEVENTH) -> list[str]:
    """The problems of a lesson in which one text is another."""
    notebook = copy.deepcopy(source(lesson))
    found = [cell for cell in notebook.cells if re.search(old, cell.source)]
    assert found
    for cell in found:
        cell.source = re.sub(old, new, cell.source)
    return problems(notebook, int(lesson.name[:2]))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_prose_of_every_lesson_agrees_with_its_tasks(lesson: Lesson) -> None:
    assert problems(source(lesson), int(lesson.name[:2])) == []


def test_prose_with_outdated_points_is_reported() -> None:
    notebook = copy.deepcopy(source(SEVENTH))
    (cell,) = [cell for cell in notebook.cells if grade_id(cell) == "test_clip_hook"]
    grading(cell)["points"] = 3
    assert problems(notebook) == [
        "its line of marks says 2 points, but clip_hook is worth 3",
        "its line of marks says 2 points, but clip_hook is worth 3",
        "it says 14 points, but its tasks are worth 15",
        "it says 14 points, but its tasks are worth 15",
    ]


def test_prose_with_wrong_points_of_a_note_is_reported() -> None:
    marks = r"5( min|분) · 2( points|점), (\*\*graded|\*\*사람)"
    assert (
        changed(marks, r"5\1 · 3\2, \3", THIRD)
        == ["its line of marks says 3 points, but two_curves is worth 2"] * 2
    )


def test_prose_problems_use_the_singular_for_one_point_or_task() -> None:
    marks = r"5( min|분) · 2( points|점), (\*\*graded|\*\*사람)"
    said = changed(marks, r"5\1 · 1\2, \3", THIRD)
    assert said == ["its line of marks says 1 point, but two_curves is worth 2"] * 2
    for old, new in (
        ("Seven functions, 14 points", "Seven functions, 1 point"),
        ("합해서 14점", "합해서 1점"),
    ):
        assert changed(old, new) == ["it says 1 point, but its tasks are worth 14"]
    notebook = copy.deepcopy(source(SEVENTH))
    names = {grade_id(cell).removeprefix("test_") for cell in notebook.cells if grade_id(cell)} - {
        "clip_hook"
    }
    notebook.cells = [c for c in notebook.cells if grade_id(c).removeprefix("test_") not in names]
    assert 'it says "Seven functions", but the lesson has 1 task' in problems(notebook)


def test_prose_that_counts_a_dropped_task_is_reported() -> None:
    notebook = copy.deepcopy(source(SEVENTH))
    first = next(i for i, cell in enumerate(notebook.cells) if "## Task 7.7" in cell.source)
    last = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell) == "test_find_culprit")
    del notebook.cells[first : last + 1]
    course = {**COURSE, 7: COURSE[7] - {"7.7"}}
    found = [text for _, text in prose_problems(notebook, 7, course, len(LESSONS))]
    assert sorted(found) == sorted(
        [
            'it says "Seven functions", but the lesson has 6 tasks',
            "it says 14 points, but its tasks are worth 11",
            "the list of what hidden tests look for has task 7.7, which does not exist",
            'it says "함수 일곱 개", but the lesson has 6 tasks',
            "it says 14 points, but its tasks are worth 11",
            "the list of what hidden tests look for has task 7.7, which does not exist",
        ]
    )


def test_heading_left_of_a_dropped_task_is_reported() -> None:
    notebook = copy.deepcopy(source(SEVENTH))
    notebook.cells = [cell for cell in notebook.cells if not grade_id(cell).endswith("find_culprit")]
    found = problems(notebook)
    assert "its heading says Task 7.7 · `find_culprit`, which does not exist" in found
    assert "its heading says 과제 7.7 · `find_culprit`, which does not exist" in found


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r"## Task 7\.2 · ", "## Task 7.3 · ", "Task 7.3 · `saved_shapes`, but next is 7.2 · `saved_shapes`"),
        (r"## 과제 7\.2 · `saved_shapes`", "## 과제 7.2 · `shapes`", "but next is 7.2 · `saved_shapes`"),
        (r"## Task 7\.7 · `find_culprit`", "## The last", "no heading follows for task 7.7 · `find_culprit`"),
        ("Seven functions, 14 points", "Seven functions", "0 sentences (en) say how many tasks"),
        ("Seven functions", "Eight functions", 'it says "Eight functions", but the lesson has 7 tasks'),
        ("합해서 14점", "합해서 10점", "it says 10 points, but its tasks are worth 14"),
        (r"- \*\*7\.4\*\*", "- **7.5**", "has 0 lines for task 7.4"),
        ("Task 7.6 finds", "Tasks 7.5 and 7.8 find", "it mentions task 7.8, which does not exist"),
        ("과제 7.6에서", "과제 7.6과 11.2에서", "it mentions task 11.2, which does not exist"),
        (
            "· 4분 ·",
            "· 5분 ·",
            "its line of marks says ●●○○○ · ★★★★★ · 5 min, but in English ●●○○○ · ★★★★★ · 4",
        ),
        ("Lesson 07 of", "Lesson 08 of", "its header says lesson 08, but its folder 07"),
        ("수업 07 / 10", "수업 07 / 11", "its header says 11 lessons, but course/syllabus.toml lists 10"),
    ],
)
def test_each_slip_in_prose_is_found(old: str, new: str, says: str) -> None:
    found = changed(old, new)
    assert any(says in text for text in found), found


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("The 85 minutes", "The 90 minutes", 'it says "The 90 minutes", but the header says 85'),
        ("85분에 들지", "80분에 들지", 'it says "80분에 들", but the header says 85'),
        (r"<details>(<summary>Hint 1: the idea</summary>\n\nThe path from)", r"\1", "Task 4.4 has 1 hints"),
    ],
)
def test_wrong_minutes_or_hint_count_in_prose_is_reported(old: str, new: str, says: str) -> None:
    (fourth,) = [lesson for lesson in LESSONS if lesson.name.startswith("04")]
    (found,) = changed(old, new, fourth)
    assert says in found


def test_one_more_lesson_makes_no_translation_stale() -> None:
    assert english_hash("# A\n\nLesson 02 of 10 · ~5 min · a") == english_hash(
        "# A\n\nLesson 02 of 11 · ~5 min · a"
    )
    assert english_hash("# A\n\nLesson 02 of 10 · ~5 min · a") != english_hash(
        "# A\n\nLesson 02 of 10 · ~9 min · a"
    )


def test_lesson_whose_prose_names_no_tasks_has_no_problems(steps: Lesson) -> None:
    assert list(prose_problems(source(steps), 1, {1: set()}, None)) == []


def test_lesson_may_refer_to_lessons_missing_from_the_course() -> None:
    alone = {7: COURSE[7]}
    for total in (None, 10):
        assert list(prose_problems(source(SEVENTH), 7, alone, total)) == []
