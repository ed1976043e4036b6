"""Rewards for a learner's progress: experience points, levels and achievements.

Clicking or repeating earns nothing. A task counts when all its tests, including the hidden ones, pass for the
first time. *On your own* means that the learner had not looked at the worked solution before. In the class
edition of the course (without hidden tests), a task earns experience points when its visible tests pass, but
achievements cannot be earned.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from secant.language import Language
from secant.progress.course import Course, SyllabusLesson
from secant.progress.facts import Facts, PassRecord, number_of

# Experience points for each point of a task passed without looking at its worked solution, for each point of
# a task passed after looking at it, and for each prediction.
POINT, POINT_AFTER_SOLUTION, PREDICTION = 12, 4, 5
# Experience points for each point of a task if only visible tests, which catch two thirds of the mistakes,
# were run.
POINT_VISIBLE = 8
LEVEL = 120  # experience points from one level to the next; about as many as a lesson gives
#: The levels' titles. Level 1 is the start; level n + 1 is named after the topic of lesson n.
LEVELS: tuple[dict[Language, str], ...] = (
    {"en": "Secant", "ko": "할선"},
    {"en": "Tangent", "ko": "접선"},
    {"en": "Graph", "ko": "계산 그래프"},
    {"en": "Gradient", "ko": "gradient"},
    {"en": "Fan-out", "ko": "팬아웃"},
    {"en": "Jacobian", "ko": "야코비 행렬"},
    {"en": "Detach", "ko": "detach"},
    {"en": "Hook", "ko": "hook"},
    {"en": "Backward", "ko": "backward"},
    {"en": "Hessian", "ko": "헤세 행렬"},
    {"en": "Engine", "ko": "엔진"},
)


@dataclass(frozen=True)
class Level:
    """A learner's level, numbered from 1.

    It covers `from_xp` to `to_xp` experience points. The last level has no upper limit.
    """

    number: int
    title: str
    xp: int
    from_xp: int
    to_xp: int | None


def experience(facts: Facts) -> int:
    """Return the experience points of all tasks passed and all predictions made."""
    entries = [task for tasks in facts["lessons"].values() for task in tasks.values()]
    tasks = sum(
        max(_xp_of_pass(task["passed"], POINT), _xp_of_pass(task["visible"], POINT_VISIBLE))
        for task in entries
    )
    return round(tasks) + PREDICTION * len(facts["predictions"])


def _xp_of_pass(passed: PassRecord | None, point: int) -> float:
    if passed is None:
        return 0.0
    return passed["points"] * (POINT_AFTER_SOLUTION if passed["solution"] else point)


def level(xp: int, language: Language) -> Level:
    """Return the level for a number of experience points."""
    number = min(xp // LEVEL + 1, len(LEVELS))
    top = number == len(LEVELS)
    return Level(
        number, LEVELS[number - 1][language], xp, (number - 1) * LEVEL, None if top else number * LEVEL
    )


# --- Helpers for the rules of achievements ---


def _passes(facts: Facts) -> Iterable[PassRecord]:
    return (
        task["passed"] for tasks in facts["lessons"].values() for task in tasks.values() if task["passed"]
    )


def _pass(facts: Facts, lesson: str, task: str) -> PassRecord | None:
    entry = facts["lessons"].get(lesson, {}).get(task)
    return entry["passed"] if entry else None


def _passes_of(facts: Facts, lesson: SyllabusLesson) -> list[PassRecord]:
    """Return the pass records of all graded tasks of a lesson; an empty list if one of them is not passed."""
    entries = [_pass(facts, lesson.folder, task.id) for task in lesson.graded]
    passes = [entry for entry in entries if entry]
    return passes if len(passes) == len(entries) else []


def _unaided_passes(facts: Facts, lesson: SyllabusLesson) -> list[PassRecord]:
    """Return the pass records of a lesson's tasks.

    The list is empty unless all tasks were passed without looking at a worked solution.
    """
    passes = _passes_of(facts, lesson)
    return [] if any(entry["solution"] for entry in passes) else passes


def _tasks(number: int, *tasks: str) -> Callable[[Facts, Course], bool]:
    """Return a rule that holds once these tasks have been passed without looking at a worked solution.

    Args:
        number: the lesson's number.
        *tasks: the ids of the lesson's tasks.
    """

    def rule(facts: Facts, course: Course) -> bool:
        lessons = [name for name in facts["lessons"] if number_of(name) == number]
        passes = [_pass(facts, lesson, task) for lesson in lessons for task in tasks]
        return sum(1 for entry in passes if entry and not entry["solution"]) >= len(tasks)

    return rule


# --- The rules of achievements ---


def first_pass(facts: Facts, course: Course) -> bool:
    """Return whether any task was passed without looking at its worked solution."""
    return any(not entry["solution"] for entry in _passes(facts))


def after_wrong_tries(facts: Facts, course: Course) -> bool:
    """Return whether a task was passed after three different wrong answers.

    The learner must not have looked at the task's worked solution before passing it.
    """
    return any(entry["tries"] >= 3 and not entry["solution"] for entry in _passes(facts))


def whole_lesson(facts: Facts, course: Course) -> bool:
    """Return whether a whole lesson was passed without looking at a worked solution."""
    return any(_unaided_passes(facts, lesson) for lesson in course)


def without_hints(facts: Facts, course: Course) -> bool:
    """Return whether a whole lesson was passed without looking at a worked solution or a hint."""
    return any(
        passes and not any(entry["hints"] for entry in passes)
        for passes in (_unaided_passes(facts, lesson) for lesson in course)
    )


def predicted_first(facts: Facts, course: Course) -> bool:
    """Return whether, in at least one lesson, all predictions were made before any of its tasks was passed.

    All tasks of that lesson must have been passed since, without looking at a worked solution.
    """
    return any(_all_predicted(facts, lesson) for lesson in course)


def _all_predicted(facts: Facts, lesson: SyllabusLesson) -> bool:
    predictions = [facts["predictions"].get(name) for name in lesson.notebook.predictions]
    start = min((entry["when"] for entry in _unaided_passes(facts, lesson)), default="")
    return bool(predictions) and all(entry is not None and entry["when"] < start for entry in predictions)


def wrong_then_passed(facts: Facts, course: Course) -> bool:
    """Return whether, in at least one lesson, a wrong prediction was made before the first task was passed.

    All tasks of that lesson must have been passed since, without looking at a worked solution.
    """
    return any(_wrong_then_passed(facts, lesson) for lesson in course)


def _wrong_then_passed(facts: Facts, lesson: SyllabusLesson) -> bool:
    start = min((entry["when"] for entry in _unaided_passes(facts, lesson)), default="")
    return any(
        prediction["first"] != (prediction["right"] or right) and prediction["when"] < start
        for name, right in lesson.notebook.predictions.items()
        if (prediction := facts["predictions"].get(name))
    )


def own_engine(facts: Facts, course: Course) -> bool:
    """Return whether all of lesson 10 was passed without looking at a worked solution."""
    return any(_unaided_passes(facts, lesson) for lesson in course if lesson.number == 10)


def all_lessons(facts: Facts, course: Course) -> bool:
    """Return whether all tasks of all lessons were passed.

    More than half of them must have been passed without looking at a worked solution. The course must have at
    least ten lessons.
    """
    passes = [_passes_of(facts, lesson) for lesson in course]
    unaided_passes = sum(not entry["solution"] for lesson in passes for entry in lesson)
    return len(passes) >= 10 and all(passes) and 2 * unaided_passes > sum(map(len, passes))


@dataclass(frozen=True)
class Achievement:
    """An achievement: the rule for earning it, and its title and description in both languages."""

    id: str
    is_earned: Callable[[Facts, Course], bool]
    title: dict[Language, str]
    how: dict[Language, str]


ACHIEVEMENTS = (
    Achievement(
        "first_pass",
        first_pass,
        {"en": "First tangent", "ko": "첫 접선"},
        {
            "en": "Pass a task, hidden tests and all, before you look at its worked solution.",
            "ko": "모범 풀이를 보지 않고 과제 하나를 숨은 테스트까지 통과합니다.",
        },
    ),
    Achievement(
        "after_wrong_tries",
        after_wrong_tries,
        {"en": "Converged", "ko": "수렴"},
        {
            "en": "Pass a task after at least three different wrong answers, without its worked solution.",
            "ko": "서로 다른 오답을 세 번 이상 낸 뒤, 모범 풀이 없이 과제를 통과합니다.",
        },
    ),
    Achievement(
        "whole_lesson",
        whole_lesson,
        {"en": "One lesson, every hidden test", "ko": "수업 하나, 숨은 테스트 전부"},
        {
            "en": "Pass every task of a lesson without a worked solution.",
            "ko": "모범 풀이 없이 한 수업의 모든 과제를 통과합니다.",
        },
    ),
    Achievement(
        "without_hints",
        without_hints,
        {"en": "Under your own steam", "ko": "힌트 없이"},
        {
            "en": "Pass every task of a lesson without asking for a hint or a worked solution.",
            "ko": "힌트도 모범 풀이도 보지 않고 한 수업의 모든 과제를 통과합니다.",
        },
    ),
    Achievement(
        "predicted_first",
        predicted_first,
        {"en": "Predict first", "ko": "예상부터"},
        {
            "en": "Make all predictions of a lesson before its first task, then pass every task on your own.",
            "ko": "한 수업의 예상을 과제보다 먼저 모두 고르고, 그 수업의 과제를 모두 스스로 통과합니다.",
        },
    ),
    Achievement(
        "understood",
        wrong_then_passed,
        {"en": "Wrong, then understood", "ko": "틀리고, 이해하고"},
        {
            "en": "Predict wrongly, then pass every task of that lesson on your own.",
            "ko": "예상이 빗나간 수업에서 과제를 모두 스스로 통과합니다.",
        },
    ),
    Achievement(
        "valley",
        _tasks(1, "best_step"),
        {"en": "Bottom of the V", "ko": "V의 바닥"},
        {
            "en": "Lesson 1: find the step where truncation and round-off balance (best_step).",
            "ko": "수업 01: 절단 오차와 반올림 오차가 맞서는 간격을 찾습니다(best_step).",
        },
    ),
    Achievement(
        "all_paths",
        _tasks(4, "total_derivative"),
        {"en": "2⁴⁰ paths", "ko": "경로 2⁴⁰개"},
        {
            "en": "Lesson 4: sum over all paths of a graph without following each one (total_derivative).",
            "ko": "수업 04: 경로를 하나씩 지나지 않고 모든 경로의 기울기를 더합니다(total_derivative).",
        },
    ),
    Achievement(
        "nan_found",
        _tasks(7, "first_bad_op"),
        {"en": "Where the nan began", "ko": "nan이 시작된 곳"},
        {
            "en": "Lesson 7: find the operation that spoils a gradient (first_bad_op).",
            "ko": "수업 07: gradient를 망가뜨린 연산을 찾아냅니다(first_bad_op).",
        },
    ),
    Achievement(
        "bug_found",
        _tasks(8, "backward_is_right"),
        {"en": "Caught by the quotient", "ko": "차분몫이 잡은 버그"},
        {
            "en": "Lesson 8: tell a wrong backward from a right one by its quotient (backward_is_right).",
            "ko": "수업 08: 차분몫으로 잘못된 backward를 가려냅니다(backward_is_right).",
        },
    ),
    Achievement(
        "second_order",
        _tasks(9, "second_derivative", "hvp"),
        {"en": "Differentiated twice", "ko": "두 번 미분"},
        {
            "en": "Lesson 9: a second derivative, and a Hessian's product without the Hessian "
            "(second_derivative, hvp).",
            "ko": "수업 09: 이계 미분계수를 구하고, 헤세 행렬 없이 HVP를 구합니다(second_derivative, hvp).",
        },
    ),
    Achievement(
        "own_engine",
        own_engine,
        {"en": "Your own autograd", "ko": "나만의 autograd"},
        {
            "en": "Lesson 10: build the engine and train a line on it, without a worked solution.",
            "ko": "수업 10: 모범 풀이 없이 엔진을 만들고, 그 엔진으로 직선을 학습시킵니다.",
        },
    ),
    Achievement(
        "all_lessons",
        all_lessons,
        {"en": "All lessons, every hidden test", "ko": "모든 수업, 숨은 테스트 전부"},
        {
            "en": "Pass every task of all lessons, more than half of them on your own.",
            "ko": "모든 수업의 과제를 빠짐없이, 그 절반 넘게는 스스로 통과합니다.",
        },
    ),
)


def earn(facts: Facts, course: Course, timestamp: str) -> list[str]:
    """Add newly earned achievements to the facts, and return their ids. An achievement is never lost."""
    new_ids = [
        achievement.id
        for achievement in ACHIEVEMENTS
        if achievement.id not in facts["earned"] and achievement.is_earned(facts, course)
    ]
    facts["earned"].update(dict.fromkeys(new_ids, timestamp))
    return new_ids
