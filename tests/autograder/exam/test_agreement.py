"""Tests that the examiner, which asks questions, agrees with stock nbgrader, which uses one namespace.

Here, the examiner passes every right answer recorded with a lesson and refuses every wrong one with its hint.
tests/course shows the same for the cells in one namespace, and tests/stock for nbgrader itself.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nbformat import v4

from autograder.course.assignment import built_lessons
from autograder.course.cells import grade_id
from autograder.course.hints import catalogue_of, contains_hint
from autograder.course.lesson import Answer, Lesson
from autograder.exam.examiner import Examiner, _Test
from autograder.exam.pool import WarmPool
from autograder.exam.report import Report
from autograder.intake.submission import Submission
from autograder.intake.take_in import take_in
from autograder.sandbox.client import Candidates
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.wall import Wall
from secant import catalogue
from secant.language import LANGUAGES
from tests.support import lessons
from tests.support.examined import examine_submission
from tests.support.lessons import (
    ROOT,
    assignment,
    examiner_language,
    questions,
    right_answers,
    side_by_side,
    with_answers,
    wrong_answers,
)
from tests.support.settings import preserved_settings  # noqa: F401

LESSONS = [lesson for lesson in lessons.LESSONS if lesson.name in built_lessons(ROOT)]

#: The rounds of the quick suite. For all other answers, test_answers.py tests the verdicts without a wall.
QUICK = ("solution", "wrong-1")

# The k-th recorded answer to each task, all in one notebook. Tasks with fewer answers are not attempted.
Round = Mapping[str, Answer]


def recorded_rounds() -> Iterator[tuple[Lesson, str, int, Round]]:
    for lesson in LESSONS:
        yield lesson, "solution", int(lesson.name[:2]), {}
        for kind, answers in (("right", right_answers(lesson)), ("wrong", wrong_answers(lesson))):
            for number, round_answers in enumerate(side_by_side(answers), 1):
                yield lesson, f"{kind}-{number}", number, round_answers


def rounds_in_both_languages() -> Iterator[Any]:
    """Yield every round in both languages as a test parameter.

    Rounds alternate between the languages. A round in its other language is marked `deep`, because
    test_answers.py already tests the messages in that language.
    """
    for lesson, name, number, round_answers in recorded_rounds():
        for lang in LANGUAGES:
            marks = [] if lang == examiner_language(number) else [pytest.mark.deep]
            marks += [] if name in QUICK else [pytest.mark.whole]
            yield pytest.param(
                lesson, name, round_answers, lang, marks=marks, id=f"{lesson.name}-{name}-{lang}"
            )


@pytest.fixture(scope="module")
def wall() -> Iterator[Candidates]:
    try:
        with Wall() as new_wall:
            new_wall.prepare("compiler")  # otherwise each answer's fork would import its lesson's modules
            yield new_wall
    except WallUnavailable:
        from autograder.exam.selfcheck import OwnProcesses

        warm_pool = WarmPool()
        yield OwnProcesses(warm_pool)
        warm_pool.close()


@cache
def make_examiner(lesson: Lesson) -> Examiner:
    return Examiner(lesson.name, lessons.source(lesson))


def grade(wall: Candidates, lesson: Lesson, answers: Mapping[str, str], lang: str, folder: Path) -> Report:
    return examine_submission(make_examiner(lesson), wall, make_submission(lesson, answers, lang, folder))


def make_submission(lesson: Lesson, answers: Mapping[str, str], lang: str, folder: Path) -> Submission:
    """Return a submission with the graded cells alone, for speed: the lesson's other cells draw pictures."""
    releases = assignment(lesson).releases
    notebook = with_answers(releases[lang], answers)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell)]
    notebook.metadata["lang"] = lang
    path = folder / f"{lesson.name}.ipynb"
    path.write_text(v4.writes(notebook), encoding="utf-8")
    submission = take_in(path, lesson.name, releases)
    assert isinstance(submission, Submission)
    assert submission.language == lang
    return submission


def find_record_problem(lesson: Lesson, answer: Answer, hint_name: str) -> str:
    """Return a message if a wrong answer's record does not name the catalogue hint that the answer got.

    Otherwise, return an empty string. `hint_name` is empty if the answer got no hint from the catalogue.
    """
    hints = {
        **catalogue.shared_hints(),
        **catalogue.of_task(catalogue_of(lessons.source(lesson)), answer.task),
    }
    names = [name for name, texts in hints.items() if texts == answer.hint]
    if names and hint_name not in {"", *names}:
        return f'"{answer.name}" is recorded with hint="{names[0]}", but the test gives hint `{hint_name}`'
    texts = hints.get(hint_name)
    contains_texts = isinstance(texts, Mapping) and all(
        text in texts[lang] for lang, text in answer.hint.items()
    )
    if contains_texts and not names:
        problem = (
            f'recorded with en/ko words, but the test gives hint `{hint_name}`: write hint="{hint_name}"'
        )
        return f'"{answer.name}" is {problem}'
    return ""


def test_hint_text_in_place_of_a_hint_name_is_found() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name.startswith("04"))
    (name, texts), (other, _), *_ = catalogue_of(lessons.source(lesson))["total_derivative"].items()
    assert isinstance(texts, Mapping)
    answer_by_text = Answer(
        "slips", "total_derivative", "", {lang: text[:12] for lang, text in texts.items()}
    )
    assert find_record_problem(lesson, answer_by_text, name).endswith(
        f'gives hint `{name}`: write hint="{name}"'
    )
    assert not find_record_problem(lesson, answer_by_text, "")
    answer_by_name = Answer("slips", "total_derivative", "", texts)
    assert not find_record_problem(lesson, answer_by_name, name)
    assert find_record_problem(lesson, answer_by_name, other).endswith(f"gives hint `{other}`")


@pytest.mark.costly("a lesson's own answers, all of them, through the wall")
@pytest.mark.parametrize(("lesson", "name", "round_answers", "lang"), list(rounds_in_both_languages()))
def test_examiner_agrees_with_the_recorded_verdict(
    wall: Candidates, tmp_path: Path, lesson: Lesson, name: str, round_answers: Round, lang: str
) -> None:
    answers = {task_id: answer.source for task_id, answer in round_answers.items()}
    if not round_answers:
        answers = {task.id: task.answer.source for task in questions(lesson)}
    report = grade(wall, lesson, answers, lang, tmp_path)
    results = {task.id: task for task in report.tasks if task.outcome != "manual"}
    for task in questions(lesson):
        if task.id not in answers:
            assert results[task.id].outcome == "not_attempted"
            continue
        passed = results[task.id].outcome == "passed"
        answer = round_answers.get(task.id)
        if answer is not None and answer.hint:
            assert not passed
            assert results[task.id].points == answer.points
            assert contains_hint(results[task.id].message, answer.hint[lang])
            problem = find_record_problem(lesson, answer, results[task.id].hint)
            assert not problem, problem
        else:
            assert passed, results[task.id]


@pytest.mark.parametrize("lang", ["en", pytest.param("ko", marks=pytest.mark.whole)])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_unchanged_stub_counts_as_not_attempted(
    wall: Candidates, tmp_path: Path, lesson: Lesson, lang: str
) -> None:
    report = grade(wall, lesson, {}, lang, tmp_path)
    assert {task.outcome for task in report.tasks} <= {"not_attempted", "manual"}


#: The modules of `secant.checking` that the student's process imports; they ask questions and judge nothing.
CANDIDATE_MODULES = (
    "custom draws engines expect_error functions graphs observe operations probe situation values watch"
)
LIST_IMPORTS = """
import sys
def imported():
    return sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith("secant.checking."))
"""


def test_candidate_process_does_not_import_the_examiner(wall: Candidates) -> None:
    """Look at the imports after the process has received all lessons' test cells and answered a question."""
    with wall.candidate() as candidate:
        candidate.load([("1", LIST_IMPORTS)], 20.0)
        with candidate.task() as copy:
            for lesson in LESSONS:
                for task in questions(lesson):
                    assert copy.define(_Test(task).candidate_code, 20.0).kind == "value"
            assert copy.ask("__put__", ({"text": "1", "arguments": {}},)).value == {"result": 1}
            assert copy.ask("imported", ()).value == CANDIDATE_MODULES.split()
