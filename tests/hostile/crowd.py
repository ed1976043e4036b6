"""A class of hostile students, and of honest students whose answers nearly reach the time limits.

The hostile students want the honest ones to lose points. The time limits are lowered, so that a submission
that reaches them ends soon.
"""

import os
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from autograder.course.settings import Course
from autograder.exam import examiner
from autograder.gradebook.entries import find_submissions
from autograder.grading.batch import RunOutcome, grade
from autograder.workers import worker
from autograder.workers.executors import LocalWorkers
from autograder.workers.jobs import Job, JobResult, Page
from tests.hostile.cases import load_all, write
from tests.hostile.neighbours import busy_answers
from tests.hostile.stock import variant_of
from tests.hostile.world import LESSON, POINTS, World

FULL = sum(POINTS.values())
#: Lowered time limits of the examiner, in seconds. Honest answers come near these limits. The time that an
#: answer has used is measured ten times a second.
LIMITS = {"QUESTION_SECONDS": 1.0, "TASK_SECONDS": 2.0, "LOAD_SECONDS": 3.0}
#: Cases of a few kinds: harm to processors and memory, and an answer, a side file and a page that take long.
FEW = ("X92", "X96", "X87", "X55", "X84", "X85")
#: Cases of all kinds, including cells that never end.
HOSTILE = (
    *("X91", "X92", "X93", "X94", "X95", "X96", "X97", "X98", "X99", "C08", "X32", "X87", "X88", "X90"),
    *("X55", "X60", "X65", "X80", "X84", "X85", "X86", "X37"),
    *("X100", "X101", "X102", "X103", "X104", "X107", "X109", "X110", "X111"),
)


def with_quick_limits(job: Job | Page) -> JobResult:
    """Do a job in a worker process, as `work` does, but with the lower time limits."""
    for name, seconds in LIMITS.items():
        setattr(examiner, name, seconds)
    return worker.work(job)


def peak_megabytes(job: None) -> float:
    """Return the peak memory of this worker process in megabytes.

    The number comes from VmHWM, because a new process's ru_maxrss starts with its parent's peak.
    """
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


class QuickWorkers(LocalWorkers):
    """Worker processes on this machine with the lower time limits."""

    def submit(self, work: Any, job: Any) -> Future[Any]:
        return super().submit(with_quick_limits if work is worker.work else work, job)


def make_class(root: Path, hostile: int, honest: int, kinds: Sequence[str] = HOSTILE) -> Course:
    """Make a course with these numbers of hostile and honest submissions, evenly mixed by student id."""
    world = World.create(root, bait=False)
    honest_submission = world.notebook(busy_answers(0.8 * LIMITS["QUESTION_SECONDS"]))
    cases = load_all()
    for number in range(hostile):
        case = cases[kinds[number % len(kinds)]]
        submission = case.make(world, case.answers(variant_of(case)))
        write(
            submission, root / "submitted" / f"{number * (hostile + honest) // hostile:03}-{case.id}" / LESSON
        )
    for number in range(honest):
        position = number * (hostile + honest) // honest
        write(honest_submission, root / "submitted" / f"{position:03}-honest-{number}" / LESSON)
    return Course.at(root)


def grade_class(course: Course) -> tuple[RunOutcome, float]:
    """Grade the whole course, with one worker for each processor, behind one wall.

    Return the outcome, and the highest peak memory of a worker in megabytes.
    """
    workers = QuickWorkers(os.cpu_count() or 1, course.hidden)
    try:
        summary = grade(course, find_submissions(course, [LESSON]), workers)
        peaks = [workers.submit(peak_megabytes, None) for _ in range(workers.slots)]
        return summary, max(peak.result() for peak in peaks)
    finally:
        workers.close(kill=True)
