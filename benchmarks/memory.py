"""Compare the private memory of a running submission with that of a stock kernel running the same notebook.

Private memory is the memory that a process shares with no other process, so it would be freed if the process
ended. Linux's count of private memory is read many times a second for all processes in a submission's
container, including the container's supervisor. The result is the largest sum over these processes. The
process that has loaded the notebook forks child processes for the tasks, and shares memory with them. The
shared memory is private to none of these processes, but it belongs to the submission. So if control groups
are available and report a larger peak, that peak is used instead.

Each lesson's solution is graded, and the table shows the lesson that needs the most memory. It also shows the
memory of a worker and of its template.

    python -m benchmarks.memory [--json FILE]
"""

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nbformat import v4

from autograder.course.lesson import Lesson
from autograder.exam.examiner import Examiner
from autograder.intake.submission import Script, Submission
from autograder.intake.take_in import take_in
from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.inside.processes import process_ids, stat_fields, sum_fields
from autograder.sandbox.wall import Wall
from autograder.workers.worker import guess_import_group
from benchmarks.rows import parser_of, row, show
from tests.support.kernels import STOCK, kernel
from tests.support.lessons import LESSONS, assignment, questions, source, with_answers

PEER = "stock kernel"
_MEGABYTE = 2**20


def private_bytes(pid: int) -> int:
    """Return the bytes of memory that only this process uses, or 0 if the process has ended."""
    return sum_fields(f"/proc/{pid}/smaps_rollup", ("Private_Clean:", "Private_Dirty:", "Private_Hugetlb:"))


def process_tree(ancestor: int) -> list[int]:
    """Return the ids of a process and all its descendants."""
    parents = {pid: int(fields[1]) for pid in process_ids() if (fields := stat_fields(pid))}
    processes, children = set[int](), {ancestor}
    while children:
        processes |= children
        children = {pid for pid, parent in parents.items() if parent in children} - processes
    return sorted(processes)


def in_containers(ancestor: int) -> list[int]:
    """Return the ids of a process's descendants that run in a container.

    Such a descendant is nested two PID namespaces deeper than the process. The outer one of the two belongs
    to the sandbox, the inner one to the container.
    """
    return [pid for pid in process_tree(ancestor) if _depth(pid) >= _depth(ancestor) + 2]


def _depth(pid: int) -> int:
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        return len(status.split("NSpid:")[1].splitlines()[0].split())
    return 0


@contextlib.contextmanager
def peak_private_memory(processes: Callable[[], list[int]]) -> Iterator[list[int]]:
    """Sample the private memory of these processes until the `with` block ends.

    Yields:
        a list whose only item is the largest total so far, in bytes.
    """
    peak, stop_event = [0], threading.Event()

    def sample() -> None:
        while not stop_event.is_set():
            peak[0] = max(peak[0], sum(map(private_bytes, processes())))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield peak
    finally:
        stop_event.set()
        thread.join()


@contextlib.contextmanager
def group_peaks() -> Iterator[list[int]]:
    """Record the peak memory of each control group in bytes, just before the group is removed.

    Yields:
        the list to which the peaks are added.
    """
    peaks: list[int] = []
    remove = Cgroup.remove

    def record_peak(group: Cgroup) -> None:
        for name in ("memory.peak", "memory.max_usage_in_bytes"):
            with contextlib.suppress(OSError, IndexError):
                peaks.append(int((group._folders[0] / name).read_text()))
        remove(group)

    Cgroup.remove = record_peak  # type: ignore[method-assign,assignment]
    try:
        yield peaks
    finally:
        Cgroup.remove = remove  # type: ignore[method-assign]


def solution(lesson: Lesson) -> Script:
    """Return the script that the intake (the stage that reads submissions) makes from a lesson's solution."""
    notebook = with_answers(
        assignment(lesson).releases["en"], {task.id: task.answer.source for task in questions(lesson)}
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, lesson.name)
        folder.mkdir()
        (folder / f"{lesson.name}.ipynb").write_text(v4.writes(notebook), "utf-8")
        result = take_in(folder, lesson.name, assignment(lesson).releases, Path(name))
    assert isinstance(result, Submission)
    return result.script


def container_peak(wall: Wall, lesson: Lesson) -> int:
    """Grade a lesson's solution and return the peak memory of its container in bytes."""
    examiner = Examiner(lesson.name, assignment(lesson).source)
    if (modules := guess_import_group(v4.writes(assignment(lesson).source))) is not None:
        wall.prepare(modules)  # a worker also prepares its sandbox like this before it grades
    with peak_private_memory(lambda: in_containers(os.getpid())) as peak_sample, group_peaks() as peaks:
        report = examiner.grade(wall, solution(lesson), b"secret")
    assert all(task.outcome in ("passed", "manual") for task in report.tasks), report
    peaks_text = ", ".join(f"{peak / _MEGABYTE:.0f} MB" for peak in peaks) or "nothing"
    print(f"{lesson.name}: {peak_sample[0] / _MEGABYTE:.0f} MB; its control group counted {peaks_text}")
    return max(peak_sample + peaks)


def stock_kernel_peak(lesson: Lesson) -> int:
    """Run a lesson's notebook and tests in a stock kernel; return its peak private memory in bytes."""
    with (
        kernel(STOCK) as running_kernel,
        peak_private_memory(lambda: process_tree(running_kernel.process.pid)) as peak,
    ):
        for cell in source(lesson).cells:
            if cell.cell_type == "code":
                running_kernel.run(cell.source)
    return peak[0]


def rows() -> list[dict[str, Any]]:
    """Run the measurements and return the benchmark's table rows."""
    with Wall() as wall:
        peaks = {lesson: container_peak(wall, lesson) for lesson in LESSONS}
        template = sum(private_bytes(pid) for pid in process_tree(os.getpid()) if pid != os.getpid())
        worker = private_bytes(os.getpid())
        print(f"a worker: {worker / _MEGABYTE:.0f} MB, its template {template / _MEGABYTE:.0f} MB")
    largest_lesson = max(LESSONS, key=lambda lesson: peaks[lesson])
    megabytes, peer = peaks[largest_lesson] / _MEGABYTE, stock_kernel_peak(largest_lesson) / _MEGABYTE
    return [row("submission, private memory", megabytes, PEER, peer, "MB")]


def main() -> None:
    """Run the benchmark with the options from the command line."""
    show(rows(), parser_of(__doc__).parse_args().json)


if __name__ == "__main__":
    main()
