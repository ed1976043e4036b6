"""Compare the cost of grading a class with two workers of a Dask cluster and with two local workers.

Workers of both kinds, already warmed up, take turns grading the same class of real submissions of lesson 1,
from submitted/ to gradebook, autograded/ and feedback/. Scheduler and workers are processes on this machine
with separate folders, so the figures include the cost of Dask but not that of a network. For docs/scale.md,
the benchmark also shows two processor times per submission: that of all processes, and that of the
coordinator, the one process that writes the results.

The rate at which the coordinator alone writes results is measured as well, because no cluster can be faster
than the coordinator. To measure it, the same class is graded by workers that immediately return the recorded
results of real workers. The results are written alternately into an empty SQLite gradebook and an empty
PostgreSQL gradebook. The PostgreSQL server has its usual settings, so it confirms a change only after it has
written the change to the disk.

    python -m benchmarks.scale [--json FILE] [--students 60] [--rounds 3]
"""

import contextlib
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from autograder.course.assignment import read_assignment
from autograder.course.settings import Course
from autograder.gradebook.book import Book
from autograder.gradebook.entries import find_submissions
from autograder.gradebook.tasks import register
from autograder.grading.batch import grade
from autograder.sandbox.inside.processes import stat_fields
from autograder.workers.cluster import cluster
from autograder.workers.executors import LocalWorkers, Workers
from autograder.workers.jobs import Job, JobResult, Page
from benchmarks.classroom import make_class
from benchmarks.rows import parser_of, row
from tests.support.cluster import cluster_of
from tests.support.lessons import LESSONS, ROOT
from tests.support.postgres import Server, server

WORKERS = 2
_ACCOUNT = Path(f"/sys/fs/cgroup/cpuacct/secant-benchmark-{os.getpid()}")


class Cost(NamedTuple):
    """The cost of grading one submission.

    Attributes:
        seconds: elapsed seconds.
        all_processes: processor seconds of all processes, including those that run students' code and those
            of Dask.
        writer: processor seconds of the process that reads the submissions and writes the results.
        scheduler: processor seconds of Dask's scheduler.
    """

    seconds: float
    all_processes: float
    writer: float
    scheduler: float


def busy_seconds() -> float:
    """Return the processor seconds used so far by this command and the processes it started.

    If Linux does not count these separately (see `counted_by_cgroup`), return the total of the whole machine.
    """
    if (_ACCOUNT / "cpuacct.usage").exists():
        return int((_ACCOUNT / "cpuacct.usage").read_text()) / 1e9
    user, nice, system, _, _, interrupts, soft = (
        int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    )
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def counted_by_cgroup() -> Iterator[None]:
    """Make Linux count the processor time of this process and its descendants, if cpuacct is available."""
    pid = str(os.getpid())
    with contextlib.suppress(OSError):
        _ACCOUNT.mkdir()
        (_ACCOUNT / "cgroup.procs").write_text(pid)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (_ACCOUNT.parent / "cgroup.procs").write_text(pid)
            _ACCOUNT.rmdir()


def processor_seconds(pid: int) -> float:
    """Return the processor seconds used by one process."""
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(course: Course, workers: Workers, scheduler: int) -> Cost:
    """Grade the whole class and return the cost per submission.

    Args:
        course: the course.
        workers: the workers that grade the class.
        scheduler: the process id of Dask's scheduler.
    """
    entries = find_submissions(course, [LESSONS[0].name])

    def current_cost() -> Cost:
        return Cost(time.perf_counter(), busy_seconds(), time.process_time(), processor_seconds(scheduler))

    start = current_cost()
    summary = grade(course, entries, workers, force=True)
    end = current_cost()
    assert not summary.failed
    assert len(summary.results) == len(entries)
    return Cost(*((after - before) / len(entries) for before, after in zip(start, end, strict=True)))


def kilobytes(course: Course, students: int) -> dict[str, float]:
    """Return the kilobytes per submission that autograded/, feedback/ and gradebook.db take up, by name."""
    return {
        name: sum(file.stat().st_size for file in (place, *place.rglob("*")) if file.is_file())
        / 1024
        / students
        for name in ("autograded", "feedback", "gradebook.db")
        for place in [course.root / name]
    }


class ReplayingWorkers:
    """Workers that immediately return a recorded result if they have done the same job before.

    If all results are recorded, all time is spent in the coordinator.

    Attributes:
        start: the value of `time.perf_counter()` when the first job was submitted, or 0 before that.
    """

    def __init__(self, workers: LocalWorkers) -> None:
        self.start = 0.0
        self.slots = workers.slots
        self._workers = workers
        self._keys: dict[Future[JobResult], tuple[type, str]] = {}
        self._results: dict[tuple[type, str], JobResult] = {}

    def submit(self, work: Callable[[Any], JobResult], job: Job | Page) -> Future[JobResult]:
        """Return the recorded result of a job; if there is none, submit the job to the workers."""
        self.start = self.start or time.perf_counter()
        key = type(job), job.student
        if key in self._results:
            replayed_future: Future[JobResult] = Future()
            replayed_future.set_result(self._results[key])
            return replayed_future
        future = self._workers.submit(work, job)
        self._keys[future] = key
        return future

    def check_workers(self) -> None:
        """Check that the workers are alive."""
        self._workers.check_workers()

    def settle(self, future: Future[JobResult]) -> None:
        """Record the result of a job that the workers have done."""
        if future in self._keys:
            self._results[self._keys.pop(future)] = future.result()
            self._workers.settle(future)

    def close(self, kill: bool = False) -> None:
        """Close the workers; if `kill` is true, kill those that are still working."""
        self._workers.close(kill)


def course_with_gradebook(room: Path, url: str) -> Course:
    """Return the course in a folder, configured to use the gradebook with this URL."""
    settings = (ROOT / "nbgrader_config.py").read_text()
    (room / "nbgrader_config.py").write_text(f"{settings}\nc.CourseDirectory.db_url = {url!r}\n")
    return Course.at(room)


def results_per_second(course: Course, workers: ReplayingWorkers) -> float:
    """Return how many results per second are written into an empty gradebook and empty folders.

    The measurement starts when the first job is submitted.
    """
    for name in ("autograded", "feedback"):
        shutil.rmtree(course.root / name)
    entries = find_submissions(course, [LESSONS[0].name])
    workers.start = 0.0
    summary = grade(course, entries, workers)
    seconds = time.perf_counter() - workers.start
    assert not summary.failed
    assert (len(summary.results), summary.graded_before) == (len(entries), 0)
    return len(entries) / seconds


def writing_rates(
    room: Path, workers: ReplayingWorkers, postgres: Server, rounds: int
) -> tuple[float, float]:
    """Return the median numbers of results written per second into SQLite and into PostgreSQL."""
    empty_database = room / "empty.db"
    for url in (f"sqlite:///{empty_database}", postgres.database("empty")):
        course = course_with_gradebook(room, url)
        with Book(course.directory, course.config) as book:
            register(book, read_assignment(room, LESSONS[0].name))
    rates_of_rounds = []
    for number in range(rounds):
        copy_path = shutil.copy(empty_database, room / f"copy{number}.db")
        urls = f"sqlite:///{copy_path}", postgres.database(f"copy{number}", like="empty")
        rates_of_rounds.append(
            [results_per_second(course_with_gradebook(room, url), workers) for url in urls]
        )
    sqlite_rate, postgres_rate = (statistics.median(rates) for rates in zip(*rates_of_rounds, strict=True))
    return sqlite_rate, postgres_rate


class Medians(NamedTuple):
    """The medians over all rounds of the benchmark.

    Attributes:
        local: the cost of a submission with two local workers.
        remote: the cost of a submission with two workers of a Dask cluster.
        sqlite: the results per second that the coordinator alone writes into SQLite.
        postgres: the results per second that the coordinator alone writes into PostgreSQL.
    """

    local: Cost
    remote: Cost
    sqlite: float
    postgres: float


def compare_workers(students: int, rounds: int) -> Medians:
    """Grade a class with local workers and with Dask workers, then measure the coordinator alone."""
    durable = {"fsync": "on", "full_page_writes": "on"}
    with tempfile.TemporaryDirectory() as name, server(**durable) as postgres:
        room = Path(name, "room")
        make_class(room, LESSONS[0], students)
        course = Course.at(room)
        with cluster_of(Path(name, "cluster"), *(f"worker {number}" for number in range(WORKERS))) as dask:
            local, remote = LocalWorkers(WORKERS), cluster(dask.address)
            pid = dask.scheduler.pid
            replaying = ReplayingWorkers(local)
            for workers in (replaying, remote):
                measure(course, workers, pid)  # warms up the workers
            costs = [(measure(course, local, pid), measure(course, remote, pid)) for _ in range(rounds)]
            local.close()
            remote.close()
        disk = ", ".join(f"{size:.0f} KB {part}" for part, size in kilobytes(course, students).items())
        print(f"on the disk, a submission: {disk}")
        rates = writing_rates(room, replaying, postgres, rounds)
    local_cost, remote_cost = (
        Cost(*(statistics.median(values) for values in zip(*costs_of_rounds, strict=True)))
        for costs_of_rounds in zip(*costs, strict=True)
    )
    return Medians(local_cost, remote_cost, *rates)


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with counted_by_cgroup():
        local, remote, sqlite, postgres = compare_workers(arguments.students, arguments.rounds)
    for name, cost in (("local", local), ("Dask", remote)):
        print(
            f"{name:6} {1 / cost.seconds:.2f} submissions a second; processor seconds of one: in all "
            f"{cost.all_processes:.3f}, the writer's {cost.writer:.3f}, the scheduler's {cost.scheduler:.4f}"
        )
    rates = 1 / remote.seconds, "two local workers", 1 / local.seconds
    rows = [
        row("grading by two Dask workers", *rates, "submissions/s", more_is_better=True),
        row("results written by one coordinator, SQLite", sqlite, unit="submissions/s"),
        row(
            "results written by one coordinator, PostgreSQL",
            *(postgres, "SQLite", sqlite),
            "submissions/s",
            more_is_better=True,
        ),
    ]
    print(f"results that a coordinator alone writes a second: SQLite {sqlite:.1f}, PostgreSQL {postgres:.1f}")
    print(f"Dask's workers reach {rows[0]['ratio']} of the local rate")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
