"""Advice for the next lecture: three sentences, each based on one figure of the report."""

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.report.figures import LessonFigures, TaskFigures

_SEVERAL = 2  # minimum number of students who must have a problem before the advice mentions it


@dataclass(frozen=True)
class Sentence:
    """A sentence of the advice: its name in `autograder.report.words` and the values to fill in.

    Attributes:
        task: the title of the task that the sentence is about, if any.
        mistake: the key of the misconception that the sentence is about, if any.
    """

    name: str
    numbers: Mapping[str, int]
    task: str = ""
    mistake: str = ""


def advice(figures: LessonFigures) -> list[Sentence]:
    """Return three sentences (on a task, a mistake and another problem), or [] if nothing is graded."""
    attempted_tasks = [task for task in figures.tasks if task.attempted]
    if not attempted_tasks:
        return []
    return [
        _task_sentence(attempted_tasks),
        _mistake_sentence(figures),
        _remaining_sentence(figures, attempted_tasks),
    ]


def _task_sentence(attempted_tasks: list[TaskFigures]) -> Sentence:
    hardest = min(attempted_tasks, key=lambda task: (task.difficulty or 0.0, -task.attempted))
    if hardest.passed == hardest.attempted:
        return Sentence("say_all_passed", {"n": max(task.attempted for task in attempted_tasks)})
    return Sentence("say_hardest", {"n": hardest.passed, "of": hardest.attempted}, hardest.title)


def _mistake_sentence(figures: LessonFigures) -> Sentence:
    if figures.misconceptions:
        worst = figures.misconceptions[0]
        return Sentence("say_mistake", {"n": len(worst.students)}, mistake=worst.key)
    if failed := sum(figures.unnamed.values()):
        return Sentence("say_unnamed", {"n": failed})
    return Sentence("say_no_mistake", {})


def _remaining_sentence(figures: LessonFigures, attempted_tasks: list[TaskFigures]) -> Sentence:
    """Return a sentence on the most common remaining problem, or on the easiest task if none is common.

    The remaining problems are answers that only the hidden tests reject, a skipped task and missing
    submissions.
    """
    hidden = max(attempted_tasks, key=lambda task: task.hidden)
    skipped = max(figures.tasks, key=lambda task: task.skipped)
    problems = [
        Sentence("say_hidden", {"n": sum(task.hidden for task in attempted_tasks)}, hidden.title),
        Sentence("say_left", {"n": skipped.skipped, "of": skipped.submitted}, skipped.title),
        Sentence("say_absent", {"n": len(figures.absent)}),
    ]
    most_common = max(problems, key=lambda sentence: sentence.numbers["n"])
    if most_common.numbers["n"] >= _SEVERAL:
        return most_common
    best = max(attempted_tasks, key=lambda task: (task.difficulty or 0.0, task.attempted))
    return Sentence("say_best", {"n": best.passed, "of": best.attempted}, best.title)
