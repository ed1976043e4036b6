"""Measure how much hostile submissions slow down the students who are graded at the same time.

The first measurement uses two workers. One worker grades an honest submission, which in each task computes
for four fifths of the time limit. Meanwhile, the other worker grades a hostile submission again and again.
The table row has the name of the hostile submission. For the baseline (the peer), the other worker grades an
honest submission instead. The baseline shows the slowdown that is caused by a neighbour that takes only its
fair share.

The second measurement uses as many workers as there are processors. They grade a class first without and then
with hostile submissions. In both measurements, the time limits are lower than usual (tests/hostile/crowd.py),
but the ratios between the measured times stay the same.

    python -m benchmarks.neighbours [--json FILE] [--rounds 5] [--honest 40] [--hostile 20] [--spinners 0]
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from nbformat import v4

from autograder.intake.submission import Submission
from autograder.intake.take_in import take_in
from autograder.workers import worker
from autograder.workers.jobs import Examined, Job
from benchmarks.rows import row, show
from tests.hostile.cases import load_all, write
from tests.hostile.crowd import FULL, LIMITS, QuickWorkers, grade_class, make_class
from tests.hostile.neighbours import busy_answers
from tests.hostile.stock import variant_of
from tests.hostile.world import LESSON, World
from tests.support.busy import busy_machine

#: The ids of hostile cases in tests/hostile, keyed by the cases' names in the table of results.
HOSTILE_CASES = {
    "output without end in a task": "X109",
    "output without end in a cell": "X110",
    "answers without end": "X111",
    "cells that never end": "X37",
    "a swarm of processes": "X91",
    "a storm of pages": "X95",
}
PEER = "an honest neighbour"


def job(world: World, submission: Any) -> Job:
    """Return the job that makes a worker grade a submission."""
    with tempfile.TemporaryDirectory() as name:
        write(submission, Path(name, LESSON))
        result = take_in(Path(name, LESSON), LESSON, world.releases, Path(name))
    assert isinstance(result, Submission)
    return Job("", LESSON, v4.writes(world.source), result.script, b"secret", ())


def seconds_with_neighbour(workers: QuickWorkers, honest_job: Job, neighbour_job: Job) -> float:
    """Return the time in seconds to grade an honest submission while the other worker grades a neighbour.

    The neighbour (another submission) is graded again and again until the honest submission is done.
    """
    neighbour_grading = workers.submit(worker.work, neighbour_job)
    start = time.perf_counter()
    student_grading = workers.submit(worker.work, honest_job)
    while not student_grading.done():
        if neighbour_grading.done():
            neighbour_grading = submit_again(workers, neighbour_grading, neighbour_job)
        time.sleep(0.002)
    seconds = time.perf_counter() - start
    neighbour_grading.result()
    for future in (student_grading, neighbour_grading):
        workers.settle(future)
    result = student_grading.result()
    assert isinstance(result, Examined), result
    assert result.report.score == FULL, result.report
    return seconds


def submit_again(workers: QuickWorkers, before: Future[Any], job_of_neighbour: Job) -> Future[Any]:
    """Resubmit the job that grades the neighbour, and return its future."""
    workers.settle(before)
    return workers.submit(worker.work, job_of_neighbour)


def rows(rounds: int) -> list[dict[str, Any]]:
    """Measure the effect of each hostile neighbour on an honest student, and return a table row for each."""
    with tempfile.TemporaryDirectory() as name:
        world, cases = World.create(Path(name), bait=False), load_all()
        honest_job = job(world, world.notebook(busy_answers(0.8 * LIMITS["QUESTION_SECONDS"])))
        neighbour_jobs = {"peer": honest_job} | {
            case: job(world, cases[id].make(world, cases[id].answers(variant_of(cases[id]))))
            for case, id in HOSTILE_CASES.items()
        }
        workers = QuickWorkers(2)
        try:
            seconds_with_neighbour(workers, honest_job, honest_job)  # warms up both workers
            turns = [
                {
                    case: seconds_with_neighbour(workers, honest_job, neighbour_job)
                    for case, neighbour_job in neighbour_jobs.items()
                }
                for _ in range(rounds)
            ]
        finally:
            workers.close(kill=True)
    medians = {case: statistics.median(turn[case] for turn in turns) for case in neighbour_jobs}
    peer = medians.pop("peer")
    return [row(f"honest student beside {case}", seconds, PEER, peer) for case, seconds in medians.items()]


def measure(honest_count: int, hostile_count: int, spinners: int) -> dict[str, Any]:
    """Grade one class and return its timings and outcomes.

    Args:
        honest_count: the number of honest students.
        hostile_count: the number of hostile submissions.
        spinners: the number of unrelated processes that keep the machine busy during the grading.
    """
    with tempfile.TemporaryDirectory() as name, busy_machine(spinners):
        course = make_class(Path(name), hostile_count, honest_count)
        start = time.perf_counter()
        summary, megabytes = grade_class(course)
        seconds = time.perf_counter() - start
    honest_rows = [submission for submission in summary.as_json() if "honest" in submission["student"]]
    outcomes = [task["outcome"] for submission in summary.as_json() for task in submission["tasks"]]
    return {
        "honest": honest_count,
        "hostile": hostile_count,
        "spinners": spinners,
        "seconds": seconds,
        "honest seconds": statistics.median(_seconds(submission) for submission in honest_rows),
        "slowest honest seconds": max(_seconds(submission) for submission in honest_rows),
        "honest points lost": sum(FULL - submission["score"] for submission in honest_rows),
        "examiner's megabytes": round(megabytes),
        "grader_failure": outcomes.count("grader_failure"),
    }


def _seconds(submission: Mapping[str, Any]) -> float:
    return float(sum(task["seconds"] for task in submission["tasks"]))


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--honest", type=int, default=40)
    parser.add_argument("--hostile", type=int, default=20)
    parser.add_argument("--spinners", type=int, default=0)
    options = parser.parse_args()
    results = rows(options.rounds)
    without_hostile, with_hostile = (
        measure(options.honest, number, options.spinners) for number in (0, options.hostile)
    )
    print(without_hostile, with_hostile, sep="\n")
    figure = f"honest student of a class of {options.honest} and {options.hostile} hostile"
    results.append(
        row(figure, with_hostile["honest seconds"], "without them", without_hostile["honest seconds"])
    )
    show(results, options.json)


if __name__ == "__main__":
    main()
