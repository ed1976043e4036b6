"""Sample classes of students with their submissions.

A student submits the lesson's solution, recorded answers (right or wrong), or the unsolved notebook.
"""

from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path

from nbformat import v4

from autograder.course.lesson import Answer, Lesson
from secant.language import LANGUAGES
from tests.support.lessons import (
    assignment,
    copy_lessons,
    questions,
    right_answers,
    side_by_side,
    with_answers,
    wrong_answers,
)

Answers = Mapping[str, str]


def make_class(folder: Path, lesson: Lesson, students: int) -> list[str]:
    """Make a course directory with one lesson and its submissions, and return the students' names.

    Of every six students, one submits the lesson's solution and one the unchanged release version. Two submit
    the right answers that are recorded for the lesson; a task without such an answer gets its solution. Two
    submit the solution with recorded wrong answers to half of the tasks. English and Korean notebooks
    alternate.
    """
    copy_lessons([lesson], folder)
    names = []
    for number, answers in enumerate(islice(_all_answers(lesson), students)):
        release = assignment(lesson).releases[LANGUAGES[number % 2]]
        lesson_folder = folder / "submitted" / f"student{number:05}" / lesson.name
        lesson_folder.mkdir(parents=True)
        (lesson_folder / f"{lesson.name}.ipynb").write_text(
            v4.writes(with_answers(release, answers)), "utf-8"
        )
        names.append(lesson_folder.parent.name)
    return names


def _all_answers(lesson: Lesson) -> Iterator[Answers]:
    solution = {task.id: task.answer.source for task in questions(lesson)}
    right_cycle = cycle(side_by_side(right_answers(lesson)))
    wrong_cycle = cycle(side_by_side(wrong_answers(lesson)))
    while True:
        yield solution
        yield _with_answers(solution, next(right_cycle))
        yield _half_replaced(solution, next(wrong_cycle), 0)
        yield {}
        yield _half_replaced(solution, next(wrong_cycle), 1)
        yield _with_answers(solution, next(right_cycle))


def _with_answers(solution: Answers, replacements: Mapping[str, Answer]) -> Answers:
    return {**solution, **{task: answer.source for task, answer in replacements.items()}}


def _half_replaced(solution: Answers, replacements: Mapping[str, Answer], parity: int) -> Answers:
    replaced_tasks = [task for number, task in enumerate(solution) if number % 2 == parity]
    return _with_answers(
        solution, {task: replacements[task] for task in replaced_tasks if task in replacements}
    )
