"""Measure how long `autograder report` takes for a large class, including the command's start-up time.

The gradebook and autograded/ are filled without running a grader. For each task, a student has one of the
lesson's recorded answers, right or wrong, with the recorded hint. The variables in each answer are renamed
and a line is added. One student in fifty has the same answers as the previous student. Then the command
reports on one lesson, and on all lessons.

    python -m benchmarks.report [--json FILE] [--students 1000] [--lesson 2] [--lessons 10]
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.course.assignment import read_assignment
from autograder.course.lesson import Lesson
from autograder.gradebook.book import Book
from benchmarks.rows import parser_of, row, show
from secant.language import LANGUAGES
from tests.support.gradebooks import without_fsync
from tests.support.graded_class import Fate, Student, course_of, enter
from tests.support.lessons import LESSONS, ROOT, questions, right_answers, wrong_answers

_COPY_EVERY = 50  # one in this many students has the same answers as the previous student
_LOCAL_NAMES = re.compile(r"\b(seen|todo|node|names|leaves|out|total|step|found|result)\b")


def class_of_students(lesson: Lesson, students: int) -> dict[str, Student]:
    """Return students with a wide range of answers; every call returns the same students."""
    chance = random.Random(lesson.name)
    answers_of_task: dict[str, list[tuple[str, Fate]]] = {}
    for task in questions(lesson):
        answers_of_task[task.id] = [(task.answer.source, Fate())] * 4
        answers_of_task[task.id] += [
            (answer.source, Fate()) for answer in right_answers(lesson) if answer.task == task.id
        ]
        answers_of_task[task.id] += [
            (answer.source, Fate("wrong", answer.hint_name, chance.random() < 0.3))
            for answer in wrong_answers(lesson)
            if answer.task == task.id
        ]
    members: dict[str, Student] = {}
    for number in range(students):
        name = f"s{number:05}"
        if number and number % _COPY_EVERY == 0:
            members[name] = members[f"s{number - 1:05}"]
            continue
        choices = {task: chance.choice(answers) for task, answers in answers_of_task.items()}
        texts = {task: _reword(text, chance) for task, (text, _) in choices.items()}
        fates = {task: fate for task, (_, fate) in choices.items()}
        members[name] = Student(fates, texts, LANGUAGES[number % 2])
    return members


def _reword(text: str, chance: random.Random) -> str:
    """Return an answer as another student might write it: with other variable names and a useless line."""
    suffix = chance.choice("abcdefgh")
    numbers = ", ".join(str(chance.randrange(100)) for _ in range(6))
    return _LOCAL_NAMES.sub(rf"\1_{suffix}", text) + f"\n_mine = [{numbers}]\n"


def make_course(room: Path, lessons: list[Lesson], students: int) -> None:
    """Make a course directory in which the given number of students have been graded in these lessons."""
    course = course_of(room, lessons)
    with without_fsync(), Book(course.directory, course.config) as book:
        for lesson in lessons:
            enter(course, book, read_assignment(room, lesson.name), class_of_students(lesson, students))


def time_report(room: Path, *words: str) -> tuple[float, float]:
    """Run `autograder report` and return its processor seconds and its elapsed seconds.

    Args:
        room: the course directory.
        words: the command's arguments.
    """
    command = [sys.executable, "-m", "autograder.cli", "report", *words]
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=room, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def compare_reports(students: int, lesson: int, lessons: int) -> Iterator[dict[str, Any]]:
    """Measure the report on one lesson and on several lessons, and yield the benchmark's table rows.

    Args:
        students: the number of students.
        lesson: the number of the lesson for the report on a single lesson.
        lessons: the number of lessons in the course, and in the report on several lessons.
    """
    chosen_lessons = [candidate for candidate in LESSONS if int(candidate.name[:2]) == lesson]
    chosen_lessons += [candidate for candidate in LESSONS if candidate not in chosen_lessons][: lessons - 1]
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        make_course(room, sorted(chosen_lessons, key=lambda item: item.name), students)
        for title, words in ((f"lesson {lesson}", [str(lesson)]), (f"{len(chosen_lessons)} lessons", [])):
            busy, seconds = time_report(room, *words)
            yield row(f"report on {title}, {students} students, processor", busy)
            yield row(f"report on {title}, {students} students", seconds)


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--students", type=int, default=1000)
    parser.add_argument("--lesson", type=int, default=2)
    parser.add_argument("--lessons", type=int, default=10)
    options = parser.parse_args()
    show(compare_reports(options.students, options.lesson, options.lessons), options.json)


if __name__ == "__main__":
    main()
