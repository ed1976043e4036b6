"""Measure how fast a class is graded, from submitted/ to gradebook and feedback, compared with nbgrader.

The class submits notebooks of one lesson in both languages: solutions, recorded right and wrong answers, and
unsolved notebooks (benchmarks/classroom.py). `autograder grade` uses as many workers as there are processors
and grades each submission in a sandbox. It does the same as `nbgrader autograde` and `nbgrader
generate_feedback` together: it produces the gradebook, autograded/ and feedback/. Every command is run as an
instructor runs it, so its start-up time is included.

The floor is the minimum cost, which no grader can avoid. It is the processor time of each notebook's own
cells and of all tests, run in a fork of a process that has imported everything. For each additional
submission, `autograder grade` needs more processor time than the floor; the difference is the overhead. To
measure the overhead, two classes of different sizes are graded and compared.

otter-grader, if it is installed, grades the same notebooks, with the same tests in its own format
(benchmarks/otter_peer.py). Without containers, `otter run` grades one notebook after another and starts a new
process for each. Starting these processes takes half of the time that `otter run` needs. otter-grader has no
sandbox, and writes no gradebook and no feedback pages.

    python -m benchmarks.grading [--lesson 1] [--students 60] [--stock 60] [--otter 12] [--json FILE]
"""

import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4

from autograder.course.cells import is_test, tasks
from autograder.course.lesson import Lesson, choose_lessons
from benchmarks import otter_peer
from benchmarks.classroom import make_class
from benchmarks.rows import parser_of, row, show
from tests.support.lessons import LESSONS, ROOT, assignment
from tests.support.stock_engine import use_stock_engine

FEW = 12  # number of students in the small class: two for each of the six kinds of submission
PLACES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "SECANT_DATA")


@dataclass(frozen=True)
class CommandCost:
    """The cost of a measured command: elapsed seconds (`seconds`) and core-seconds (`work`)."""

    seconds: float
    work: float


class Meter:
    """A counter of the core-seconds of commands and all their descendants, whichever process reaps them.

    If the user may create a control group, Linux counts the core-seconds of that group. Otherwise the
    core-seconds of the whole machine are counted, so nothing else should run on it.
    """

    def __init__(self) -> None:
        self._group = Path(f"/sys/fs/cgroup/cpuacct/secant-meter-{os.getpid()}")
        with contextlib.suppress(OSError):
            self._group.mkdir()

    def words(self, command: list[str]) -> list[str]:
        """Return a command line that runs a command, in this meter's control group if the meter has one."""
        script = f'echo $$ >{self._group}/cgroup.procs; exec "$@"' if self._group.exists() else 'exec "$@"'
        return ["/bin/sh", "-c", script, "sh", *command]

    def read(self) -> float:
        """Return the core-seconds counted so far."""
        if self._group.exists():
            return int((self._group / "cpuacct.usage").read_text()) / 1e9
        user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split()[1:11])
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Remove the control group, unless it still contains processes."""
        with contextlib.suppress(OSError):
            self._group.rmdir()


def measure_commands(folder: Path, *commands: list[str]) -> CommandCost:
    """Run commands one after another, and return the seconds and core-seconds that they take together.

    Raises:
        RuntimeError: if a command fails; the message contains the end of its output.
    """
    environment = os.environ | dict.fromkeys(PLACES, str(folder / ".home"))
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    meter = Meter()
    start, work_before = time.perf_counter(), meter.read()
    try:
        for command in commands:
            words = meter.words(command)
            process = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
            if process.returncode:
                raise RuntimeError(
                    f"{' '.join(command[1:4])}: {process.stdout[-1000:]}{process.stderr[-2000:]}"
                )
        return CommandCost(time.perf_counter() - start, meter.read() - work_before)
    finally:
        meter.close()


@contextlib.contextmanager
def classroom(lesson: Lesson, students: int) -> Iterator[Path]:
    """Make a temporary course directory with a class, a released lesson and a gradebook."""
    with tempfile.TemporaryDirectory(prefix="secant-class-") as name:
        make_class(Path(name), lesson, students)
        command = ["generate_assignment", "--create", "--force", lesson.name]
        measure_commands(Path(name), [sys.executable, "-m", "nbgrader", *command])
        yield Path(name)


def grade_with_autograder(lesson: Lesson, students: int) -> CommandCost:
    """Grade a class with `autograder grade` and return the command's cost in seconds and core-seconds."""
    with classroom(lesson, students) as folder:
        cost = measure_commands(folder, [sys.executable, "-m", "autograder.cli", "grade", lesson.name[:2]])
        pages = list(folder.glob("feedback/*/*/*.html"))
        if len(pages) != students:
            raise RuntimeError(f"autograder: {len(pages)} pages for {students} students")
        return cost


def grade_with_nbgrader(lesson: Lesson, students: int) -> CommandCost:
    """Grade a class with `nbgrader autograde` and `nbgrader generate_feedback`; return their total cost.

    The cost is measured in seconds and core-seconds.
    """
    nbgrader = [sys.executable, "-m", "nbgrader"]
    with classroom(lesson, students) as folder:
        use_stock_engine(folder)
        cost = measure_commands(
            folder,
            [*nbgrader, "autograde", "--create", lesson.name],
            [*nbgrader, "generate_feedback", lesson.name],
        )
        pages = list(folder.glob("feedback/*/*/*.html"))
        if len(pages) != students:
            raise RuntimeError(f"nbgrader: {len(pages)} pages for {students} students")
        return cost


def grade_with_otter(lesson: Lesson, students: int) -> CommandCost:
    """Grade a class with `otter run`, check the points that otter-grader gave, and return the cost.

    The cost is that of the `otter run` commands alone, in seconds and core-seconds.
    """
    with tempfile.TemporaryDirectory(prefix="secant-class-") as name:
        folder = Path(name)
        make_class(folder, lesson, students)
        otter_peer.write_otter_tests(folder, lesson)
        measure_commands(folder, otter_peer.generate_command())
        cost = measure_commands(folder, *otter_peer.run_commands(folder))
        otter_peer.verify(folder, lesson)
        return cost


# --- Measuring the minimum cost of a submission ------------------------------------------------------------


def floor(lesson: Lesson, students: int) -> float:
    """Return the mean core-seconds of a submission's cells and tests, excluding imports and the sandbox."""
    source = assignment(lesson).source
    tests = {task.id: task.test.source for task in tasks(source) if task.test is not None}
    core_seconds = 0.0
    with classroom(lesson, students) as folder:
        for path in sorted(folder.glob("submitted/*/*/*.ipynb")):
            notebook = v4.reads(path.read_text("utf-8"))
            for cell in filter(is_test, notebook.cells):
                cell.source = tests[cell.metadata.nbgrader.grade_id.removeprefix("test_")]
            core_seconds += cell_seconds_in_fork(notebook)
    return core_seconds / students


def cell_seconds_in_fork(notebook: NotebookNode) -> float:
    """Run a notebook's code cells in a forked process and return the core-seconds of the cells alone."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write_end, repr(run_cells(notebook)).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with open(read_end) as pipe:
        seconds = float(pipe.read())
    os.waitpid(child, 0)
    return seconds


def run_cells(notebook: NotebookNode) -> float:
    """Run a notebook's code cells in this process's IPython shell and return their core-seconds."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                shell.run_cell(cell.source, store_history=False)
    return time.process_time() - start


def import_everything_needed() -> None:
    """Import everything that a notebook needs, as the sandbox's template process does."""
    from autograder.sandbox.inside import pages
    from autograder.sandbox.inside.template import import_everything

    os.environ["MPLBACKEND"] = "Agg"
    import_everything()
    pages.collapse()


def floor_in_own_process(lesson: Lesson, students: int) -> float:
    """Run `floor` in a separate process and return its result.

    That process has only one thread, so that it can fork safely.
    """
    command = [sys.executable, "-m", "benchmarks.grading", "--lesson", lesson.name[:2]]
    command += ["--students", str(students), "--floor"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return float(process.stdout.split()[-1])


# --- Making the table of results ---------------------------------------------------------------------------


def rows(lesson: Lesson, students: int, stock_students: int, otter_students: int) -> Iterator[dict[str, Any]]:
    """Run the measurements and yield the benchmark's table rows."""
    small, large = grade_with_autograder(lesson, FEW), grade_with_autograder(lesson, students)
    rate = students / large.seconds
    peer = grade_with_nbgrader(lesson, stock_students)
    peer_rate = stock_students / peer.seconds
    names = "nbgrader autograde, generate_feedback"
    yield row("grading throughput", rate, names, peer_rate, "submissions/s", more_is_better=True)
    if importlib.util.find_spec("otter"):
        otter_rate = otter_students / grade_with_otter(lesson, otter_students).seconds
        yield row("grading throughput", rate, "otter run", otter_rate, "submissions/s", more_is_better=True)
    work, peer_work = large.work / students, peer.work / stock_students
    yield row("grading, core-seconds", work, names, peer_work, "core-s/submission")
    floor_seconds = floor_in_own_process(lesson, students)
    marginal_cost = (large.work - small.work) / (students - FEW)
    yield row("grading, one more submission", marginal_cost, "the floor", floor_seconds, "core-s")
    yield row("grading overhead", marginal_cost - floor_seconds, unit="core-s/submission")
    start = max(0.0, small.seconds - FEW * (large.seconds - small.seconds) / (students - FEW))
    yield row("grading, start", start)


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--lesson", default="1", help="which lesson")
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--stock", type=int, default=60, help="how many of them nbgrader grades")
    parser.add_argument("--otter", type=int, default=FEW, help="how many of them otter-grader grades")
    parser.add_argument("--floor", action="store_true", help="only say the floor")
    options = parser.parse_args()
    (lesson,) = choose_lessons(LESSONS, [options.lesson])
    if options.floor:
        import_everything_needed()
        print(floor(lesson, options.students))
        return
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    show(rows(lesson, options.students, options.stock, options.otter), options.json)


if __name__ == "__main__":
    main()
