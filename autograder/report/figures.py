"""The statistics of a report, for one lesson and for the whole course.

Difficulty and discrimination are those of classical test theory (L. Crocker and J. Algina, Introduction to
Classical and Modern Test Theory, 1986, chapter 14). Difficulty is the mean fraction of a task's points that
students earned. Discrimination is the correlation between this fraction and the fraction earned in all other
tasks of the lesson (the corrected item-total correlation). Both are computed over the students who tried the
task.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.tokens import tokens
from autograder.gradebook.result import GradedTask
from autograder.report.lesson_text import LessonText, SubmittedAnswer
from autograder.report.reading import Work

STRUGGLING_BELOW = 0.5
MIN_ATTEMPTS = (
    10  # minimum number of students who must have tried a task for its correlation to be meaningful
)
MAX_EXAMPLES = 3  # maximum number of examples shown for each misconception
_FAILED = ("wrong", "crashed", "timed_out")
_BINS = 10


def credit(task: GradedTask) -> float:
    """Return the fraction of a task's points that a student earned, excluding extra credit.

    For a task that gives no points, the fraction is 1 if the task was passed and 0 otherwise.
    """
    return min(1.0, task.points / task.max_points) if task.max_points else float(task.outcome == "passed")


def is_attempted(task: GradedTask) -> bool:
    """Return whether an answer to a task was handed in and has been graded."""
    return task.auto is not None and task.outcome not in ("not_attempted", "grader_failure")


def is_failed(task: GradedTask) -> bool:
    """Return whether the tests rejected the answer and no person has since given it full points."""
    return task.outcome in _FAILED and credit(task) < 1


# --- The statistics of one lesson ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Distribution:
    """The distribution of the students' scores, as fractions of the maximum score.

    Attributes:
        counts: the number of scores in each tenth of the range from 0 to 1; a score of 1 counts in the last
            tenth.
        mean, median: the mean and the median of all scores.
    """

    counts: Sequence[int]
    mean: float
    median: float


def distribution(shares: Sequence[float]) -> Distribution | None:
    """Return the distribution of scores between 0 and 1, or None if there are no scores."""
    if not shares:
        return None
    bins = Counter(min(int(share * _BINS + 1e-9), _BINS - 1) for share in shares)
    return Distribution(
        [bins[index] for index in range(_BINS)], statistics.fmean(shares), statistics.median(shares)
    )


@dataclass(frozen=True)
class TaskFigures:
    """The results of a class on one task.

    Attributes:
        id, title: the task's id and title.
        submitted: the number of students with a readable and graded submission of the lesson.
        attempted: the number of these students who answered the task and whose answer has been graded.
        passed: the number of these graded answers that earned all points.
        pending: the number of answers that wait for manual grading.
        visible, hidden: the number of answers that failed in the visible tests or before them, and the number
            that failed only in the hidden tests.
        difficulty: the mean fraction of the task's points that students who tried it earned. An easy task has
            a high value. None if no student tried the task.
        discrimination: the correlation between the fraction of points earned on this task and the fraction
            earned on the lesson's other tasks. None if fewer than MIN_ATTEMPTS students can be compared, or
            if one of the two fractions is the same for all of them.
    """

    id: str
    title: str
    submitted: int
    attempted: int
    passed: int
    pending: int
    visible: int
    hidden: int
    difficulty: float | None
    discrimination: float | None

    @property
    def skipped(self) -> int:
        """The number of students who did not try the task."""
        return self.submitted - self.attempted - self.pending


def task_figures(task: str, title: str, works: Sequence[Work]) -> TaskFigures:
    """Compute the statistics of a class's results on one task.

    Args:
        task, title: the task's id and title.
        works: the graded work of each student.
    """
    rows = [(work, row) for work in works for row in work.tasks if row.id == task]
    attempted = [(work, row) for work, row in rows if is_attempted(row)]
    failed = [row for _, row in attempted if is_failed(row)]
    credits = [credit(row) for _, row in attempted]
    return TaskFigures(
        id=task,
        title=title,
        submitted=len(rows),
        attempted=len(attempted),
        passed=sum(share >= 1 for share in credits),
        pending=sum(row.auto is None for _, row in rows),
        visible=sum(not row.hidden for row in failed),
        hidden=sum(row.hidden for row in failed),
        difficulty=statistics.fmean(credits) if credits else None,
        discrimination=_discrimination(attempted),
    )


def _discrimination(attempted: Sequence[tuple[Work, GradedTask]]) -> float | None:
    fractions = [
        (credit(row), other_share)
        for work, row in attempted
        if (other_share := _other_share(work, row)) is not None
    ]
    if len(fractions) < MIN_ATTEMPTS:
        return None
    try:
        return statistics.correlation(*zip(*fractions, strict=True))
    # the correlation is undefined if all students earned the same fraction
    except statistics.StatisticsError:
        return None


def _other_share(work: Work, excluded: GradedTask) -> float | None:
    """Return the fraction of points that a student earned in the graded tasks other than `excluded`.

    The result is None if these tasks give no points.
    """
    other_tasks = [task for task in work.tasks if task.id != excluded.id and task.auto is not None]
    available = sum(task.max_points for task in other_tasks)
    return sum(task.points for task in other_tasks) / available if available else None


@dataclass(frozen=True)
class Example:
    """A student's code that shows a misconception, and the number of students with equivalent code."""

    student: str
    lines: Sequence[str]
    alike: int


@dataclass(frozen=True)
class Misconception:
    """A mistake for which the tests gave a hint, identified by the hint's name (the same in every language).

    Attributes:
        scope: the id of the task that the hint belongs to, `all` for a hint that the lesson's tasks share, or
            "" for a hint that all lessons share.
        name: the name of the hint.
        tasks: the number of students who made the mistake, keyed by task.
        students: the students who made the mistake.
        visible, hidden: the number of answers that failed in the visible tests, and the number that failed
            only in the hidden tests.
        examples: code of some of these students, the most common code first.
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


def misconceptions(works: Iterable[Work], text: LessonText) -> list[Misconception]:
    """Return the mistakes for which the tests gave students a hint, the most common mistake first."""
    rows_by_hint: dict[tuple[str, str], list[tuple[Work, GradedTask]]] = {}
    for work in works:
        for task in work.tasks:
            if is_failed(task) and task.hint:
                rows_by_hint.setdefault((text.hint_scope(task.id, task.hint), task.hint), []).append(
                    (work, task)
                )
    result = [_misconception(*scope_and_name, rows, text) for scope_and_name, rows in rows_by_hint.items()]
    return sorted(
        result,
        key=lambda misconception: (-len(misconception.students), misconception.scope, misconception.name),
    )


def _misconception(
    scope: str, name: str, rows: Sequence[tuple[Work, GradedTask]], text: LessonText
) -> Misconception:
    hidden = sum(task.hidden for _, task in rows)
    return Misconception(
        scope,
        name,
        Counter(task.id for _, task in rows),
        sorted({work.student for work, _ in rows}),
        len(rows) - hidden,
        hidden,
        examples([(work, task.id) for work, task in rows], text),
    )


def examples(answers: Iterable[tuple[Work, str]], text: LessonText) -> list[Example]:
    """Return at most MAX_EXAMPLES examples of students' code, the most common code first.

    Students with equivalent code share one example.
    """
    by_tokens: dict[tuple[str, ...], list[Example]] = {}
    for work, task in answers:
        answer = work.answers.get(task)
        if answer and answer.is_code and (lines := own_lines(answer, text.stubs[task])):
            by_tokens.setdefault(tokens(answer.text), []).append(Example(work.student, lines, 1))
    groups = sorted(
        by_tokens.values(), key=lambda group: (-len(group), len(group[0].lines), group[0].student)
    )
    return [Example(group[0].student, group[0].lines, len(group)) for group in groups[:MAX_EXAMPLES]]


def own_lines(answer: SubmittedAnswer, stubs: Iterable[str]) -> list[str]:
    """Return the lines of an answer that were not in the released cell."""
    released = {line.strip() for stub in stubs for line in stub.split("\n")}
    return [line for line in answer.text.split("\n") if line.strip() and line.strip() not in released]


@dataclass(frozen=True)
class LessonFigures:
    """All statistics of one lesson.

    Attributes:
        works: the work of each student.
        shares: the distribution of scores, as fractions of the points graded so far. Students without any
            grade are excluded.
        tasks: the statistics of each task, in the order of the lesson.
        misconceptions: the students' misconceptions, the most common first.
        unnamed: the number of failed answers for which the tests gave no hint, keyed by task.
        struggling: the work of students who earned less than half of the points graded so far, with the
            lowest score first.
        absent: the students who handed in nothing.
        unread: the students with a submission that cannot be read.
        ungraded: the students with a submission that is not graded yet.
        several: the students who handed in several notebooks, of which only one counts.
        notes: the number of answers that wait for manual grading, keyed by student.
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


def lesson_figures(works: Sequence[Work], text: LessonText) -> LessonFigures:
    """Compute all statistics of a lesson."""
    graded = [work for work in works if work.state == "graded"]
    by_share = sorted((share, work.student, work) for work in graded if (share := work.share) is not None)
    failed = (task for work in graded for task in work.tasks if is_failed(task) and not task.hint)
    return LessonFigures(
        works=works,
        shares=distribution([share for share, _, _ in by_share]),
        tasks=[task_figures(task, title, graded) for task, title in text.tasks.items()],
        misconceptions=misconceptions(graded, text),
        unnamed=Counter(task.id for task in failed),
        struggling=[work for share, _, work in by_share if share < STRUGGLING_BELOW],
        absent=[work.student for work in works if work.state == "absent"],
        unread=[work.student for work in works if work.state == "unread"],
        ungraded=[work.student for work in works if work.state == "ungraded"],
        several=[work.student for work in works if work.several],
        notes={work.student: len(work.waiting) for work in graded if work.waiting},
    )


# --- The statistics of the whole course ---------------------------------------------------------------------

# A student counts as falling behind if the score on the last lesson is this much below the mean of the
# student's scores on earlier lessons. Each score is a fraction of the points, minus the class mean.
MIN_FALL = 0.2
MIN_EARLIER_LESSONS = 2  # minimum number of earlier lessons that a comparison with the last lesson needs


@dataclass(frozen=True)
class DriftingStudent:
    """A student who has missed the latest due lessons, or whose score has fallen.

    Attributes:
        missing: the due lessons that come after the last one that the student handed in.
        last: the last due lesson that the student handed in; empty if there is no such lesson.
        fall: how far the student's score on the last lesson is below the mean of their scores on earlier
            lessons. Each score is a fraction of the points, minus the class mean. None if the score has
            fallen by less than MIN_FALL, or if the fall cannot be computed.
    """

    student: str
    missing: Sequence[str]
    last: str
    fall: float | None


@dataclass(frozen=True)
class CourseFigures:
    """All statistics of a course.

    Attributes:
        lessons: the work of each student, keyed by lesson. Only lessons that at least one student has handed
            in are included, in the order of the course.
        means: the mean score as a fraction of the points, keyed by lesson, for the lessons with grades.
        due: the lessons that at least half of the active students (those who have handed in any lesson) have
            handed in.
        drifting: the students who have missed the latest due lessons, or whose score has fallen. Those who
            missed the most lessons come first.
        never: the students who have handed in nothing at all.
    """

    lessons: Mapping[str, Sequence[Work]]
    means: Mapping[str, float]
    due: Sequence[str]
    drifting: Sequence[DriftingStudent]
    never: Sequence[str]


def course_figures(lessons: Mapping[str, Sequence[Work]]) -> CourseFigures:
    """Compute the statistics of a course.

    Args:
        lessons: the students' work, keyed by lesson in the order of the course.
    """
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
    active = [
        student for student in sorted(by_student) if any(map(_is_handed_in, by_student[student].values()))
    ]
    means = {name: statistics.fmean(values) for name, values in shares.items()}
    due = [name for name, works in handed_in.items() if 2 * sum(map(_is_handed_in, works)) >= len(active)]
    drifts = [_find_drift(student, by_student[student], due, means) for student in active]
    drifting = sorted(
        filter(None, drifts), key=lambda drift: (-len(drift.missing), -(drift.fall or 0.0), drift.student)
    )
    return CourseFigures(handed_in, means, due, drifting, sorted(by_student.keys() - set(active)))


def _is_handed_in(work: Work) -> bool:
    return work.state != "absent"


def _find_drift(
    student: str, works: Mapping[str, Work], due: Sequence[str], means: Mapping[str, float]
) -> DriftingStudent | None:
    submitted = [name for name in due if name in works and _is_handed_in(works[name])]
    last = due.index(submitted[-1]) if submitted else -1
    missing = due[last + 1 :]
    relative_shares = [share - means[name] for name in submitted if (share := works[name].share) is not None]
    fall = None
    if len(relative_shares) > MIN_EARLIER_LESSONS:
        fall = statistics.fmean(relative_shares[:-1]) - relative_shares[-1]
    is_falling = fall is not None and fall >= MIN_FALL
    if not missing and not is_falling:
        return None
    return DriftingStudent(student, missing, submitted[-1] if submitted else "", fall if is_falling else None)
