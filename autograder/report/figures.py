"""The figures of a report, for one lesson and for the whole course.

Difficulty and discrimination are those of classical test theory (L. Crocker and J. Algina, Introduction to
Classical and Modern Test Theory, 1986, chapter 14). Difficulty is the mean share of a task's points.
Discrimination is the correlation of that share with the share of the points of all other tasks (the corrected
item-total correlation). Both are computed over the students who tried the task.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.tokens import tokens
from autograder.gradebook.result import GradedTask
from autograder.report.reading import Work
from autograder.report.told import Answer, Told

HALF = 0.5
ENOUGH = 10  # students who must have tried a task, at least; with fewer, a correlation means next to nothing
EXAMPLES = 3  # examples shown for each misconception, at most
_FAILED = ("wrong", "crashed", "timed_out")
_BINS = 10


def credit(task: GradedTask) -> float:
    """Return the share of a task's points that was earned, without extra credit.

    For a task without points, the share is 1 if the task was passed and 0 otherwise.
    """
    return min(1.0, task.points / task.max_points) if task.max_points else float(task.outcome == "passed")


def is_tried(task: GradedTask) -> bool:
    """Return whether a task has a grade for an answer that was handed in."""
    return task.auto is not None and task.outcome not in ("not_attempted", "grader_failure")


def is_failed(task: GradedTask) -> bool:
    """Return whether the tests rejected the answer and no person has since given it full points."""
    return task.outcome in _FAILED and credit(task) < 1


# --- One lesson ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Distribution:
    """The distribution of students' shares of the points, from 0 to 1.

    Attributes:
        counts: the number of shares in each tenth; a share of 1 is in the last tenth.
        mean, median: the mean and the median of all shares.
    """

    counts: Sequence[int]
    mean: float
    median: float


def distribution(shares: Sequence[float]) -> Distribution | None:
    """Return how shares are distributed, or None if the list is empty."""
    if not shares:
        return None
    found = Counter(min(int(share * _BINS + 1e-9), _BINS - 1) for share in shares)
    return Distribution(
        [found[place] for place in range(_BINS)], statistics.fmean(shares), statistics.median(shares)
    )


@dataclass(frozen=True)
class TaskFigures:
    """The results of a class in one task.

    Attributes:
        id, title: the task's id and title.
        handed: the number of students with a readable and graded submission of the lesson.
        tried: the number of these students with a grade for an answer.
        passed: the number of these answers that earned all points.
        waiting: the number of answers that wait for manual grading.
        visible, hidden: the number of answers that failed before or in the visible tests, and the number that
            failed only in the hidden tests.
        difficulty: the mean share of the points among students who tried the task: the higher, the easier.
            None if no student tried it.
        discrimination: see the module's docstring. None if fewer than ENOUGH students can be compared, or if
            all of them have the same share.
    """

    id: str
    title: str
    handed: int
    tried: int
    passed: int
    waiting: int
    visible: int
    hidden: int
    difficulty: float | None
    discrimination: float | None

    @property
    def left(self) -> int:
        """The number of students who did not try the task."""
        return self.handed - self.tried - self.waiting


def task_figures(task: str, title: str, works: Sequence[Work]) -> TaskFigures:
    """Return the figures of a task.

    Args:
        task, title: the task's id and title.
        works: the graded work of each student.
    """
    rows = [(work, row) for work in works for row in work.tasks if row.id == task]
    tried = [(work, row) for work, row in rows if is_tried(row)]
    failed = [row for _, row in tried if is_failed(row)]
    credits = [credit(row) for _, row in tried]
    return TaskFigures(
        id=task,
        title=title,
        handed=len(rows),
        tried=len(tried),
        passed=sum(each >= 1 for each in credits),
        waiting=sum(row.auto is None for _, row in rows),
        visible=sum(not row.hidden for row in failed),
        hidden=sum(row.hidden for row in failed),
        difficulty=statistics.fmean(credits) if credits else None,
        discrimination=_discrimination(tried),
    )


def _discrimination(tried: Sequence[tuple[Work, GradedTask]]) -> float | None:
    compared = [(credit(row), rest) for work, row in tried if (rest := _rest(work, row)) is not None]
    if len(compared) < ENOUGH:
        return None
    try:
        return statistics.correlation(*zip(*compared, strict=True))
    except statistics.StatisticsError:  # raised if all students have the same share
        return None


def _rest(work: Work, left_out: GradedTask) -> float | None:
    """Return a student's share of the points of the other tasks, or None if no other task was graded."""
    others = [task for task in work.tasks if task.id != left_out.id and task.auto is not None]
    most = sum(task.max_points for task in others)
    return sum(task.points for task in others) / most if most else None


@dataclass(frozen=True)
class Example:
    """Code of a student who ran into a misconception, and the number of students with equivalent code."""

    student: str
    lines: Sequence[str]
    alike: int


@dataclass(frozen=True)
class Misconception:
    """A recorded mistake, identified by the name of its hint and therefore the same in every language.

    Attributes:
        scope: the id of the task that the hint belongs to, `all` for a hint that the lesson's tasks share, or
            "" for a hint that all lessons share.
        name: the name of the hint.
        tasks: the number of students who made the mistake, by task.
        students: the students who made the mistake.
        visible, hidden: the number of answers that failed in the visible tests, and the number that failed
            only in the hidden tests.
        examples: code of some of these students, the most common first.
    """

    scope: str
    name: str
    tasks: Mapping[str, int]
    students: Sequence[str]
    visible: int
    hidden: int
    examples: Sequence[Example]

    @property
    def key(self) -> str:
        """The key of the misconception within its lesson."""
        return f"{self.scope}.{self.name}"


def misconceptions(works: Iterable[Work], told: Told) -> list[Misconception]:
    """Return the recorded mistakes that students made, the most common first."""
    rows_by_hint: dict[tuple[str, str], list[tuple[Work, GradedTask]]] = {}
    for work in works:
        for task in work.tasks:
            if is_failed(task) and task.hint:
                rows_by_hint.setdefault((told.hint_scope(task.id, task.hint), task.hint), []).append(
                    (work, task)
                )
    result = [_misconception(*named, rows, told) for named, rows in rows_by_hint.items()]
    return sorted(result, key=lambda one: (-len(one.students), one.scope, one.name))


def _misconception(
    scope: str, name: str, rows: Sequence[tuple[Work, GradedTask]], told: Told
) -> Misconception:
    hidden = sum(task.hidden for _, task in rows)
    return Misconception(
        scope,
        name,
        Counter(task.id for _, task in rows),
        sorted({work.student for work, _ in rows}),
        len(rows) - hidden,
        hidden,
        examples([(work, task.id) for work, task in rows], told),
    )


def examples(answers: Iterable[tuple[Work, str]], told: Told) -> list[Example]:
    """Return what students wrote, the most common code first. Answers that compute alike count as one."""
    alike: dict[tuple[str, ...], list[Example]] = {}
    for work, task in answers:
        answer = work.answers.get(task)
        if answer and answer.is_code and (lines := own_lines(answer, told.stubs[task])):
            alike.setdefault(tokens(answer.text), []).append(Example(work.student, lines, 1))
    groups = sorted(alike.values(), key=lambda group: (-len(group), len(group[0].lines), group[0].student))
    return [Example(group[0].student, group[0].lines, len(group)) for group in groups[:EXAMPLES]]


def own_lines(answer: Answer, stubs: Iterable[str]) -> list[str]:
    """Return the lines of an answer that are not in the cell as it was released."""
    released = {line.strip() for stub in stubs for line in stub.split("\n")}
    return [line for line in answer.text.split("\n") if line.strip() and line.strip() not in released]


@dataclass(frozen=True)
class LessonFigures:
    """All figures of one lesson.

    Attributes:
        works: the work of each student.
        shares: the distribution of the shares of the points, among students with any grade.
        tasks: the figures of the tasks, in the order of the lesson.
        misconceptions: the students' misconceptions, the most common first.
        unnamed: the number of answers that failed without a recorded hint, by task.
        struggling: the work of students with less than half of the points graded so far, the lowest first.
        absent: the students who handed in nothing.
        unread: the students with a submission that cannot be read.
        ungraded: the students with a submission that is not graded yet.
        several: the students who handed in several notebooks, of which only one counts.
        notes: the number of answers that wait for manual grading, by student.
    """

    works: Sequence[Work]
    shares: Distribution | None
    tasks: Sequence[TaskFigures]
    misconceptions: Sequence[Misconception]
    unnamed: Mapping[str, int]
    struggling: Sequence[Work]
    absent: Sequence[str]
    unread: Sequence[str]
    ungraded: Sequence[str]
    several: Sequence[str]
    notes: Mapping[str, int]


def lesson_figures(works: Sequence[Work], told: Told) -> LessonFigures:
    """Compute all figures of a lesson."""
    graded = [work for work in works if work.state == "graded"]
    by_share = sorted((share, work.student, work) for work in graded if (share := work.share) is not None)
    failed = (task for work in graded for task in work.tasks if is_failed(task) and not task.hint)
    return LessonFigures(
        works=works,
        shares=distribution([share for share, _, _ in by_share]),
        tasks=[task_figures(task, title, graded) for task, title in told.tasks.items()],
        misconceptions=misconceptions(graded, told),
        unnamed=Counter(task.id for task in failed),
        struggling=[work for share, _, work in by_share if share < HALF],
        absent=[work.student for work in works if work.state == "absent"],
        unread=[work.student for work in works if work.state == "unread"],
        ungraded=[work.student for work in works if work.state == "ungraded"],
        several=[work.student for work in works if work.several],
        notes={work.student: len(work.waiting) for work in graded if work.waiting},
    )


# --- The course ---------------------------------------------------------------------------------------------

# by how much the last lesson must lie below the earlier ones: a share of the points, relative to the class
FALLING = 0.2
BEFORE = 2  # earlier lessons with which the last one is compared, at least


@dataclass(frozen=True)
class Drifting:
    """A student who takes part less than before.

    Attributes:
        missing: the due lessons since the last one that the student handed in.
        last: the last due lesson that the student handed in; empty if there is no such lesson.
        fall: how far the share of the points in the last lesson lies below the mean of the earlier lessons,
            all relative to the class; None if that is less than FALLING or cannot be computed.
    """

    student: str
    missing: Sequence[str]
    last: str
    fall: float | None


@dataclass(frozen=True)
class CourseFigures:
    """All figures of a course.

    Attributes:
        lessons: the work of each student, for each lesson that any student has handed in, in order.
        means: the mean share of the points, for each lesson with grades.
        due: the lessons that at least half of the active students have handed in.
        drifting: the students who take part less than before, those who missed most first.
        never: the students who have handed in nothing at all.
    """

    lessons: Mapping[str, Sequence[Work]]
    means: Mapping[str, float]
    due: Sequence[str]
    drifting: Sequence[Drifting]
    never: Sequence[str]


def course_figures(lessons: Mapping[str, Sequence[Work]]) -> CourseFigures:
    """Compute the figures of a course from the students' work on each of its lessons, in order."""
    handed_in = {name: works for name, works in lessons.items() if any(map(_is_handed_in, works))}
    by_student: dict[str, dict[str, Work]] = {
        work.student: {} for works in lessons.values() for work in works
    }
    shares: dict[str, list[float]] = {}
    for name, works in handed_in.items():
        for work in works:
            by_student[work.student][name] = work
            if (share := work.share) is not None:
                shares.setdefault(name, []).append(share)
    active = [who for who in sorted(by_student) if any(map(_is_handed_in, by_student[who].values()))]
    means = {name: statistics.fmean(found) for name, found in shares.items()}
    due = [name for name, works in handed_in.items() if 2 * sum(map(_is_handed_in, works)) >= len(active)]
    found = [_drifting(student, by_student[student], due, means) for student in active]
    drifting = sorted(
        filter(None, found), key=lambda one: (-len(one.missing), -(one.fall or 0.0), one.student)
    )
    return CourseFigures(handed_in, means, due, drifting, sorted(by_student.keys() - set(active)))


def _is_handed_in(work: Work) -> bool:
    return work.state != "absent"


def _drifting(
    student: str, works: Mapping[str, Work], due: Sequence[str], means: Mapping[str, float]
) -> Drifting | None:
    handed = [name for name in due if name in works and _is_handed_in(works[name])]
    last = due.index(handed[-1]) if handed else -1
    missing = due[last + 1 :]
    relative = [share - means[name] for name in handed if (share := works[name].share) is not None]
    fall = None
    if len(relative) > BEFORE:
        fall = statistics.fmean(relative[:-1]) - relative[-1]
    is_falling = fall is not None and fall >= FALLING
    if not missing and not is_falling:
        return None
    return Drifting(student, missing, handed[-1] if handed else "", fall if is_falling else None)
