"""Tests of achievements, experience points and levels, which are earned only by learning."""

from collections.abc import Callable

import pytest

from secant.language import LANGUAGES
from secant.progress.rewards import ACHIEVEMENTS, LEVELS, earn, experience, level
from tests.secant.progress.diary import COURSE, SPECIAL, Diary


def click_through(diary: Diary) -> None:
    """Do all that needs only clicks: predict, check empty and wrong answers, read hints and solutions."""
    for lesson in COURSE:
        for name in ("one", "two"):
            diary.predict(lesson.number, name, "A")
        for task in lesson.graded:
            for _ in range(5):
                diary.check(lesson.number, task.id, "not_attempted")
                diary.check(lesson.number, task.id, "wrong", answer="return 0")
                diary.take_hint(lesson.number, task.id)
                diary.read_solution(lesson.number, task.id)


def copy_solutions(diary: Diary) -> None:
    click_through(diary)
    for lesson in COURSE:
        diary.pass_lesson(lesson.number)


def pass_visible_tests(diary: Diary) -> None:
    for lesson in COURSE:
        for name in ("one", "two"):
            diary.predict(lesson.number, name, "A")
        diary.pass_lesson(lesson.number, hidden=False)


def pass_nearly_all(diary: Diary) -> None:
    """Pass all tasks of each lesson except the most important one, and only then make the predictions."""
    for lesson in COURSE:
        missing = SPECIAL.get(lesson.number, "hard").split()[-1]
        diary.pass_lesson(lesson.number, except_task=missing)
        for name in ("one", "two"):
            diary.predict(lesson.number, name, "A")


@pytest.mark.parametrize("act", [click_through, copy_solutions, pass_visible_tests])
def test_clicking_and_copying_earn_no_achievement(act: Callable[[Diary], None]) -> None:
    diary = Diary()
    act(diary)
    assert earn(diary.facts, COURSE, "now") == []


def test_lessons_without_their_key_task_earn_only_the_first_pass() -> None:
    diary = Diary()
    pass_nearly_all(diary)
    assert earn(diary.facts, COURSE, "now") == ["first_pass"]


def test_completing_every_lesson_earns_each_achievement_once() -> None:
    diary = Diary()
    for lesson in COURSE:
        diary.predict(lesson.number, "one", "A")
        diary.predict(lesson.number, "two", "B")
    for answer in ("return 1", "return 2", "return 3"):
        diary.check(1, "hard", "wrong", answer)
    for lesson in COURSE:
        diary.pass_lesson(lesson.number)
    assert earn(diary.facts, COURSE, "now") == [achievement.id for achievement in ACHIEVEMENTS]
    assert len(ACHIEVEMENTS) == len(diary.facts["earned"]) == 13
    assert earn(diary.facts, COURSE, "later") == []
    assert set(diary.facts["earned"].values()) == {"now"}


def test_three_wrong_tries_are_three_different_answers() -> None:
    diary = Diary()
    for answer in ("return x", "return x  # again", "return  (x)", "return 2 * x"):
        diary.check(1, "hard", "wrong", answer)
    diary.check(1, "hard")
    assert not diary.has_earned("after_wrong_tries")
    for outcome, answer in (("wrong", "a = 1"), ("crashed", "a = 2"), ("timed_out", "a = 3")):
        diary.check(2, "hard", outcome, answer)
    assert not diary.has_earned("after_wrong_tries")
    diary.check(2, "hard")
    assert diary.has_earned("after_wrong_tries")


def test_wrong_answers_after_the_pass_count_for_nothing() -> None:
    diary = Diary()
    diary.check(1, "hard")
    for answer in ("1", "2", "3"):
        diary.check(1, "hard", "wrong", answer)
    diary.check(1, "hard")
    assert not diary.has_earned("after_wrong_tries")


def test_wrong_tries_before_the_solution_was_shown_earn_nothing() -> None:
    diary = Diary()
    for answer in ("1", "2", "3"):
        diary.check(1, "hard", "wrong", answer)
    diary.read_solution(1, "hard")
    diary.check(1, "hard")
    assert not diary.has_earned("after_wrong_tries")
    assert not diary.has_earned("first_pass")


def test_a_hint_or_a_solution_after_the_pass_takes_nothing_away() -> None:
    diary = Diary()
    diary.pass_lesson(3)
    diary.take_hint(3, "easy")
    diary.read_solution(3, "easy")
    diary.check(3, "easy", "wrong")
    assert all(diary.has_earned(name) for name in ("first_pass", "whole_lesson", "without_hints"))


def test_one_hint_or_solution_forfeits_the_achievement_without_hints() -> None:
    diary = Diary()
    diary.take_hint(3, "easy")
    diary.pass_lesson(3)
    assert diary.has_earned("whole_lesson")
    assert not diary.has_earned("without_hints")
    diary.read_solution(5, "easy")
    diary.pass_lesson(5)
    assert not diary.has_earned("without_hints")


def test_a_lesson_needs_all_its_tasks() -> None:
    diary = Diary()
    diary.pass_lesson(2, except_task="hard")
    assert not diary.has_earned("whole_lesson")
    diary.check(2, "hard")
    assert diary.has_earned("whole_lesson")


def test_predictions_come_before_the_first_task() -> None:
    diary = Diary()
    diary.predict(2, "one", "A")
    diary.pass_lesson(2)
    diary.predict(2, "two", "B")
    assert not diary.has_earned("predicted_first")
    for name in ("one", "two"):
        diary.predict(3, name, "B")
    assert not diary.has_earned("predicted_first")
    diary.pass_lesson(3)
    assert diary.has_earned("predicted_first")


def test_understood_achievement_needs_a_wrong_first_choice() -> None:
    diary = Diary()
    diary.predict(2, "one", "B")
    diary.predict(2, "one", "A")  # only the first choice counts
    diary.pass_lesson(2)
    diary.predict(3, "one", "A")
    diary.predict(3, "one", "B")
    assert not diary.has_earned("understood")
    diary.pass_lesson(3)
    assert diary.has_earned("understood")


def test_choice_after_the_tasks_does_not_earn_understood() -> None:
    diary = Diary()
    diary.pass_lesson(2)
    diary.predict(2, "one", "A")
    diary.pass_lesson(2)
    assert not diary.has_earned("understood")


@pytest.mark.parametrize(
    ("name", "number", "tasks"),
    [
        ("valley", 1, "best_step"),
        ("all_paths", 4, "total_derivative"),
        ("nan_found", 7, "first_bad_op"),
        ("bug_found", 8, "backward_is_right"),
        ("second_order", 9, "second_derivative hvp"),
        ("own_engine", 10, "easy hard"),
    ],
)
def test_achievement_of_one_lesson_needs_its_tasks_without_solutions(
    name: str, number: int, tasks: str
) -> None:
    diary, cheater = Diary(), Diary()
    for task in tasks.split():
        assert not diary.has_earned(name)
        diary.check(number, task)
        cheater.read_solution(number, task)
        cheater.check(number, task)
    assert diary.has_earned(name)
    assert not cheater.has_earned(name)


def test_all_lessons_achievement_allows_few_solutions() -> None:
    diary, cheater = Diary(), Diary()
    for lesson in COURSE:
        for student, tasks in ((diary, ("easy",)), (cheater, ("easy", "hard", "best_step"))):
            for task in tasks:
                student.read_solution(lesson.number, task)
        diary.pass_lesson(lesson.number, except_task="hard" if lesson.number == 10 else "")
        cheater.pass_lesson(lesson.number)
    assert not diary.has_earned("all_lessons")
    diary.check(10, "hard")
    assert diary.has_earned("all_lessons")
    assert not cheater.has_earned("all_lessons")


def test_achievements_are_earned_without_a_course() -> None:
    diary = Diary()
    diary.pass_lesson(8)
    assert earn(diary.facts, (), "now") == ["first_pass", "bug_found"]


# --- Experience points and levels ---


def test_experience_points_are_earned_only_once() -> None:
    diary = Diary()
    assert experience(diary.facts) == 0
    diary.check(1, "easy")
    assert experience(diary.facts) == 24
    for _ in range(3):
        diary.check(1, "easy")
        diary.check(1, "easy", "wrong")
        diary.predict(1, "one", "A")
        diary.predict(1, "one", "B")
    assert experience(diary.facts) == 24 + 5
    diary.read_solution(1, "hard")
    diary.check(1, "hard")
    assert experience(diary.facts) == 24 + 5 + 8


def test_visible_tests_alone_are_worth_less_and_no_achievement() -> None:
    diary = Diary()
    diary.check(1, "easy", hidden=False)
    assert experience(diary.facts) == 16
    assert earn(diary.facts, (), "now") == []
    diary.check(1, "easy", "wrong", hidden=False)
    diary.read_solution(1, "easy")
    assert experience(diary.facts) == 16
    diary.check(1, "easy")  # after reading the solution, which takes no points away
    assert experience(diary.facts) == 16
    diary.check(1, "hard", hidden=False)
    diary.check(1, "hard")
    assert experience(diary.facts) == 16 + 24


def test_experience_points_give_the_level() -> None:
    assert [level(xp, "en").number for xp in (0, 119, 120, 239, 240, 1199, 1200, 9999)] == [
        1,
        1,
        2,
        2,
        3,
        10,
        11,
        11,
    ]
    second, top = level(130, "en"), level(5000, "ko")
    assert (second.title, second.from_xp, second.to_xp) == ("Tangent", 120, 240)
    assert (top.title, top.from_xp, top.to_xp) == ("엔진", 1200, None)


def test_every_achievement_text_exists_in_both_languages() -> None:
    texts = [
        *LEVELS,
        *(achievement.title for achievement in ACHIEVEMENTS),
        *(achievement.how for achievement in ACHIEVEMENTS),
    ]
    assert all(text[language] for text in texts for language in LANGUAGES)
    assert (
        len({achievement.id for achievement in ACHIEVEMENTS})
        == len({achievement.title["ko"] for achievement in ACHIEVEMENTS})
        == 13
    )
