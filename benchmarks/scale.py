"""What a cluster costs: a class graded by two workers of a Dask cluster, beside two local workers.

The same class of real submissions of lesson 1 is graded from submitted/ to gradebook, autograded/ and
feedback/, in turns, by workers that are warm. Scheduler and workers are processes of this machine with
folders of their own: what is measured is Dask's share, not a network's. Also shown, for docs/scale.md: the
processor time of all processes for one submission, and that of the one process that writes.

    python -m benchmarks.scale [--json FILE] [--students 60] [--rounds 3]
"""

import argparse
import contextlib
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autograder.course.settings import Course
from autograder.grading.batch import grade
from autograder.grading.cluster import cluster
from autograder.grading.entries import find_submissions
from autograder.grading.executors import LocalWorkers, Workers
from benchmarks.classroom import a_class
from benchmarks.rows import row
from tests.support.cluster import cluster_of
from tests.support.lessons import LESSONS

WORKERS = 2
_ACCOUNT = Path(f"/sys/fs/cgroup/cpuacct/secant-benchmark-{os.getpid()}")


class Cost(NamedTuple):
    """Of one submission.

    Attributes:
        seconds: from the clock on the wall.
        everybody: processor seconds of all processes, students' and Dask's included.
        writer: processor seconds of the one process that takes in and writes.
        scheduler: processor seconds of Dask's scheduler.
    """

    seconds: float
    everybody: float
    writer: float
    scheduler: float


def busy_seconds() -> float:
    """The processor seconds that have been used: by this command, where that is counted, else by all."""
    if (_ACCOUNT / "cpuacct.usage").exists():
        return int((_ACCOUNT / "cpuacct.usage").read_text()) / 1e9
    user, nice, system, _, _, interrupts, soft = (
        int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    )
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def accounted() -> Iterator[None]:
    """Have the kernel count what this process and all that it starts use, where it can (cpuacct)."""
    own = str(os.getpid())
    with contextlib.suppress(OSError):
        _ACCOUNT.mkdir()
        (_ACCOUNT / "cgroup.procs").write_text(own)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (_ACCOUNT.parent / "cgroup.procs").write_text(own)
            _ACCOUNT.rmdir()


def used_by(pid: int) -> float:
    """The processor seconds of one process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(course: Course, workers: Workers, scheduler: int) -> Cost:
    """Grade the whole class; scheduler: Dask's process."""
    entries = find_submissions(course, [LESSONS[0].name])

    def now() -> Cost:
        return Cost(time.perf_counter(), busy_seconds(), time.process_time(), used_by(scheduler))

    start = now()
    summary = grade(course, entries, workers, force=True)
    end = now()
    assert not summary.failed
    assert len(summary.results) == len(entries)
    return Cost(*((after - before) / len(entries) for before, after in zip(start, end, strict=True)))


def kilobytes(course: Course, students: int) -> dict[str, float]:
    """What a submission takes on the disk, by where."""
    return {
        name: sum(file.stat().st_size for file in (place, *place.rglob("*")) if file.is_file())
        / 1024
        / students
        for name in ("autograded", "feedback", "gradebook.db")
        for place in [course.root / name]
    }


def costs(students: int, rounds: int) -> tuple[Cost, Cost]:
    """The medians: of two local workers, and of two on a cluster."""
    with tempfile.TemporaryDirectory() as name:
        room = Path(name, "room")
        a_class(room, LESSONS[0], students)
        course = Course.at(room)
        with cluster_of(Path(name, "cluster"), *(f"worker {number}" for number in range(WORKERS))) as dask:
            local, far = LocalWorkers(WORKERS), cluster(dask.address)
            pid = dask.scheduler.pid
            for workers in (local, far):
                measure(course, workers, pid)  # which warms them
            found = [(measure(course, local, pid), measure(course, far, pid)) for _ in range(rounds)]
            local.close()
            far.close()
        disk = ", ".join(f"{size:.0f} KB {where}" for where, size in kilobytes(course, students).items())
        print(f"on the disk, a submission: {disk}")
    ours, theirs = (
        Cost(*(statistics.median(values) for values in zip(*each, strict=True)))
        for each in zip(*found, strict=True)
    )
    return ours, theirs


def main() -> None:
    """Measure and show; see the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with accounted():
        local, far = costs(arguments.students, arguments.rounds)
    for name, cost in (("local", local), ("Dask", far)):
        print(
            f"{name:6} {1 / cost.seconds:.2f} submissions a second; processor seconds of one: in all "
            f"{cost.everybody:.3f}, the writer's {cost.writer:.3f}, the scheduler's {cost.scheduler:.4f}"
        )
    rates = 1 / far.seconds, "two local workers", 1 / local.seconds
    rows = [row("grading by two Dask workers", *rates, "submissions/s", more=True)]
    print(f"Dask's workers reach {rows[0]['ratio']} of the local rate")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
