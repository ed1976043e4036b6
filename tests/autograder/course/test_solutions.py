"""Tests of reading and checking worked solutions."""

from pathlib import Path

import pytest

from autograder.course.lesson import Lesson, english_hash, read_lesson
from autograder.course.solutions import solution_problems, worked_solutions

TEXT = """# %% [markdown] task="double" lang="en"
r'''
**Why it works.** Twice.
'''

# %% [markdown] task="double" lang="ko" en="{hash}"
r'''
**왜 맞을까요?** 두 배입니다.
'''
"""
LESSON = """# %% nbgrader={"grade_id": "double", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    folder = tmp_path / "course" / "01_x"
    folder.mkdir(parents=True)
    (folder / "01_x.py").write_text(LESSON)
    return Lesson("01_x", folder)


def write(lesson: Lesson, text: str) -> None:
    (lesson.folder / "solutions.py").write_text(text)


def test_worked_solution_shows_the_lessons_own_answer(lesson: Lesson) -> None:
    write(lesson, TEXT.format(hash=english_hash("**Why it works.** Twice.")))
    solution = worked_solutions(lesson, read_lesson(lesson))["double"]
    assert solution.code == "def double(x):\n    return 2 * x"
    assert solution.words["en"].startswith("**Why it works.**")
    assert "두 배" in solution.words["ko"]
    assert solution_problems(lesson, {"double"}) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.partition('# %% [markdown] task="double" lang="ko"')[0],
            "double needs words in English and Korean",
        ),
        (TEXT.replace("double", "triple"), 'there is no task "triple"'),
        (TEXT.replace('lang="en"', 'lang="ko"'), "no English words on double"),
    ],
    ids=["one language", "unknown task", "no English"],
)
def test_malformed_solution_text_is_reported(lesson: Lesson, text: str, message: str) -> None:
    write(lesson, text)
    assert any(message in problem for problem in solution_problems(lesson, {"double"}))


def test_lesson_without_solution_texts_has_none(lesson: Lesson) -> None:
    assert solution_problems(lesson, {"double"}) == []
    assert worked_solutions(lesson, read_lesson(lesson)) == {}
