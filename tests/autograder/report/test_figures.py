"""Tests of a report's figures with classes so small that the correct figures are worked out by hand."""

from collections.abc import Mapping, Sequence

import pytest

from autograder.exam.report import Outcome
from autograder.gradebook.result import GradedTask
from autograder.report.advice import advice
from autograder.report.figures import course_figures, lesson_figures
from autograder.report.lesson_text import LessonText, SubmittedAnswer
from autograder.report.reading import Work
from secant.verdict import Verdict

LESSON_TEXT = LessonText(
    name="01_steps",
    title="Steps",
    tasks={"a": "Task 1", "b": "Task 2", "note": "Task 3"},
    stubs={
        "a": frozenset({"def a(x):\n    ..."}),
        "b": frozenset({"def b(x):\n    ..."}),
        "note": frozenset({""}),
    },
    hints={
        "a": {"square": {"en": "squared", "ko": "제곱"}},
        "all": {"sign": {"en": "the sign", "ko": "부호"}},
    },
    texts=[],
    code=[],
)


def row(
    task: str, outcome: Outcome = "passed", hint: str = "", hidden: bool = False, points: float | None = None
) -> GradedTask:
    """Return the result of a task that is worth two points."""
    score = (2.0 if outcome == "passed" else 0.0) if points is None else points
    auto = None if outcome in ("manual", "rejected") and points is None else score
    return GradedTask(task, score, 2.0, outcome, Verdict.plain("", hint), 0.0, hidden, f"test_{task}", auto)


def work(student: str, *rows: GradedTask, **kwargs: object) -> Work:
    return Work(student, "graded", rows, **kwargs)


def class_of(a: str, b: str) -> list[Work]:
    """Return a class from its results in two tasks: passed (+), failed (-) or skipped (.) by each student."""
    outcomes: Mapping[str, Outcome] = {"+": "passed", "-": "wrong", ".": "not_attempted"}
    return [
        work(f"s{number:02}", row("a", outcomes[outcome_a]), row("b", outcomes[outcome_b]))
        for number, (outcome_a, outcome_b) in enumerate(zip(a, b, strict=True))
    ]


def test_difficulty_and_discrimination_are_those_of_classical_test_theory() -> None:
    figures = lesson_figures(class_of("+++++-----..", "++++-+----++"), LESSON_TEXT)
    first, second, note = figures.tasks
    assert (first.submitted, first.attempted, first.passed, first.skipped) == (12, 10, 5, 2)
    assert first.difficulty == 0.5  # 5 of the 10 students who tried the task
    # Of 10 students, 4 passed both tasks, 1 only a, 1 only b, 4 neither: (4·4 - 1·1) / (5·5)
    assert first.discrimination == pytest.approx(0.6)
    assert (second.attempted, second.passed) == (12, 7)
    # Of 12 students, 4 passed both tasks, 1 only a, 3 only b, 4 neither: (4·4 - 1·3) / √(5·7·7·5)
    assert second.discrimination == pytest.approx(13 / 35)
    assert (note.submitted, note.difficulty, note.discrimination) == (0, None, None)


def test_a_task_that_strong_students_fail_discriminates_below_zero() -> None:
    first, *_ = lesson_figures(class_of("-----+++++", "+++++-----"), LESSON_TEXT).tasks
    assert first.discrimination == pytest.approx(-1)


@pytest.mark.parametrize(("a", "b"), [("+" * 9, "+-" * 4 + "+"), ("+" * 12, "+-" * 6), ("+-" * 6, "+" * 12)])
def test_discrimination_needs_enough_and_differing_scores(a: str, b: str) -> None:
    first, *_ = lesson_figures(class_of(a, b), LESSON_TEXT).tasks
    assert first.discrimination is None


def test_score_shares_count_graded_work_in_tenths() -> None:
    works = [
        work("all", row("a"), row("b")),
        work("half", row("a"), row("b", "wrong")),
        work("none", row("a", "wrong"), row("b", "not_attempted")),
        work("waits", row("a"), row("note", "manual")),
        work("extra", row("a", points=3.0), row("b")),
        Work("absent"),
        Work("unread", "unread", [row("a", "rejected")]),
        Work("later", "ungraded"),
    ]
    figures = lesson_figures(works, LESSON_TEXT)
    assert figures.shares is not None
    assert figures.shares.counts == [1, 0, 0, 0, 0, 1, 0, 0, 0, 3]
    assert figures.shares.mean == pytest.approx((1 + 0.5 + 0 + 1 + 1.25) / 5)
    assert figures.shares.median == 1
    assert [student_work.student for student_work in figures.struggling] == ["none"]
    assert (figures.absent, figures.unread, figures.ungraded) == (["absent"], ["unread"], ["later"])
    assert figures.notes == {"waits": 1}


def test_manual_points_count_but_not_as_a_misconception() -> None:
    kim_work = work("kim", row("a", "wrong", "square", points=2.0), row("note", "manual", points=1.0))
    first, _, note = lesson_figures([kim_work], LESSON_TEXT).tasks
    assert (first.attempted, first.passed, first.visible) == (1, 1, 0)
    assert (note.attempted, note.passed, note.difficulty) == (1, 0, 0.5)
    assert lesson_figures([kim_work], LESSON_TEXT).misconceptions == []


def code(*lines: str) -> dict[str, SubmittedAnswer]:
    return {"a": SubmittedAnswer("\n".join(["def a(x):", *lines]))}


def test_misconceptions_are_counted_by_name_with_what_students_wrote() -> None:
    square = row("a", "wrong", "square")
    works = [
        work("ann", square, answers=code("    return x * x")),
        work("김민지", square, answers=code("    return x*x  # 제곱")),
        work("bob", row("a", "wrong", "square", hidden=True), answers=code("    y = x", "    return y ** 2")),
        work("cho", row("a", "wrong", "sign"), row("b", "wrong", "sign", hidden=True)),
        work("dan", row("a", "crashed"), row("b", "wrong")),
    ]
    figures = lesson_figures(works, LESSON_TEXT)
    first, second = figures.misconceptions
    assert (first.scope, first.name, first.students) == ("a", "square", ["ann", "bob", "김민지"])
    assert (first.visible, first.hidden, first.tasks) == (2, 1, {"a": 3})
    assert [(example.student, example.lines, example.alike) for example in first.examples] == [
        ("ann", ["    return x * x"], 2),
        ("bob", ["    y = x", "    return y ** 2"], 1),
    ]
    assert (second.scope, second.students, second.tasks) == ("all", ["cho"], {"a": 1, "b": 1})
    assert (second.visible, second.hidden, second.examples) == (1, 1, [])
    assert figures.unnamed == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("works", "names"),
    [
        ([], []),
        ([Work("ann"), Work("bob", "ungraded")], []),
        ([work("ann", row("a", "not_attempted"), row("b", "not_attempted"))], []),
        (class_of("+", "+"), ["say_all_passed", "say_no_mistake", "say_best"]),
        (class_of("+-", "++"), ["say_hardest", "say_unnamed", "say_best"]),
        (class_of("+..", "+++"), ["say_all_passed", "say_no_mistake", "say_left"]),
        ([*class_of("++", "++"), *map(Work, "xyz")], ["say_all_passed", "say_no_mistake", "say_absent"]),
        (
            [work(name, row("a", "wrong", "square", hidden=True)) for name in "xyz"],
            ["say_hardest", "say_mistake", "say_hidden"],
        ),
    ],
)
def test_three_sentences_for_the_lecture_follow_from_the_figures(
    works: Sequence[Work], names: Sequence[str]
) -> None:
    assert [sentence.name for sentence in advice(lesson_figures(works, LESSON_TEXT))] == names


def test_the_sentences_are_on_the_hardest_task_and_the_most_common_mistake() -> None:
    works = [
        work("ann", row("a", "wrong", "sign"), row("b", "wrong", "sign")),
        work("bob", row("a"), row("b", "wrong", "sign", hidden=True)),
        work("cho", row("a", "wrong", "square"), row("b", "wrong")),
    ]
    task, mistake, _ = advice(lesson_figures(works, LESSON_TEXT))
    assert (task.task, task.numbers) == ("Task 2", {"n": 0, "of": 3})
    assert (mistake.mistake, mistake.numbers) == ("all.sign", {"n": 2})


# --- The course ---------------------------------------------------------------------------------------------


def course_work(**shares: str) -> dict[str, list[Work]]:
    """Return the work of all students in each of up to four lessons.

    A student's string has one character per lesson: how many tenths of the points, or - for no submission.
    """
    lessons: dict[str, list[Work]] = {}
    for student, scores in shares.items():
        for number, tenths in enumerate(scores, 1):
            points = None if tenths == "-" else 2.0 * int(tenths) / 10
            student_work = (
                Work(student) if points is None else work(student, row("a", "wrong", points=points))
            )
            lessons.setdefault(f"{number:02}_x", []).append(student_work)
    return lessons


def test_students_who_stop_or_fall_behind_are_listed_as_drifting() -> None:
    figures = course_figures(
        course_work(ann="8888", bob="888-", cho="88--", dan="8883", eve="5555", fay="----")
    )
    assert figures.due == ["01_x", "02_x", "03_x", "04_x"]
    assert figures.never == ["fay"]
    assert [(entry.student, list(entry.missing), entry.last) for entry in figures.drifting] == [
        ("cho", ["03_x", "04_x"], "02_x"),
        ("bob", ["04_x"], "03_x"),
        ("dan", [], "04_x"),
    ]
    # The lessons' means are 0.74, 0.74, 0.725 and 16/30. dan is 0.06, 0.06 and 0.075 above the first three
    # means and 7/30 below the last.
    assert figures.drifting[2].fall == pytest.approx((0.06 + 0.06 + 0.075) / 3 + 7 / 30)
    assert figures.drifting[1].fall is None


def test_lesson_hard_for_all_marks_no_student_as_drifting() -> None:
    assert course_figures(course_work(ann="994", bob="883", cho="883")).drifting == []


def test_lesson_that_few_students_have_submitted_does_not_count_as_due() -> None:
    figures = course_figures(course_work(ann="88", bob="8-", cho="8-"))
    assert (figures.due, figures.drifting) == (["01_x"], [])
    assert list(figures.lessons) == ["01_x", "02_x"]


def test_a_course_without_work_has_no_figures() -> None:
    figures = course_figures({"01_x": [Work("ann")], "02_x": []})
    assert (figures.lessons, figures.means, figures.due, figures.drifting) == ({}, {}, [], [])
    assert figures.never == ["ann"]
