"""Measure how fast a class with a plain numpy homework is graded, compared with stock nbgrader.

    python -m benchmarks.plain [--students 40] [--stock 40] [--imports pandas sklearn] [--json FILE]

The homework has two tests, one of which has a hidden part. It also has an answer cell and a task cell that
are graded by hand. The figures for the sandbox alone come from one examiner (the part that decides scores) in
one process, which writes no gradebook, no folders and no feedback pages. The last figure is for `autograder
grade` from its start to its end. Like `nbgrader autograde` and `nbgrader generate_feedback` together, this
command writes the gradebook, the folders and the feedback pages. All tools grade the same submissions with
stock settings. With --imports, the notebooks also import the given modules, and the sandbox is measured with
and without preloading those modules.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbformat.v4 import writes
from traitlets.config import Config

from autograder.course.plain import read_plain
from autograder.exam.plain import PlainExaminer
from autograder.exam.preload import modules_to_preload, preload_warnings
from autograder.sandbox.wall import Wall
from benchmarks.rows import parser_of, row, show
from tests.support.plain_course import HOMEWORK, code, write_assignment

NAME = "hw1"


def make_course(root: Path, students: int, imports: Sequence[str]) -> None:
    """Make a stock nbgrader course in which the given number of students have submitted right answers."""
    HOMEWORK.cells[1:1] = [code(f"import {module}") for module in imports]
    write_assignment(root / "source", NAME, {NAME: HOMEWORK})
    (root / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.root = "{root}"\n')
    for number in range(students):
        write_assignment(root / "submitted" / f"student{number:03}", NAME, {NAME: HOMEWORK})


def measure_autograder(root: Path, students: int, modules: Sequence[str] = ()) -> tuple[float, float]:
    """Return two times in seconds: to start the sandbox and preload modules, and to grade a submission."""
    start = time.perf_counter()
    submitted = writes(HOMEWORK).encode()
    examiner = PlainExaminer(read_plain(root, NAME).notebooks[0])
    with Wall() as wall:
        for sentence in preload_warnings(wall.preload(modules)):
            print(sentence)
        grading_start = time.perf_counter()
        for _ in range(students):
            assert examiner.grade(wall.open_container, submitted).score == 5
        return grading_start - start, (time.perf_counter() - grading_start) / students


def measure_full_run(root: Path, students: int) -> float:
    """Return the seconds that `autograder grade` takes per submission, including its start-up time."""
    (root / "course").mkdir()  # an empty folder: the course has no lessons in the autograder's format
    start = time.perf_counter()
    command = [sys.executable, "-m", "autograder.cli", "grade", NAME]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    assert len(list((root / "feedback").glob("*/*/*.html"))) == students
    for name in ("course", "autograded", "feedback"):  # so that nbgrader does not find our results
        shutil.rmtree(root / name)
    (root / "gradebook.db").unlink()
    return seconds / students


def measure_nbgrader(root: Path, students: int) -> tuple[float, float]:
    """Return the seconds that stock nbgrader takes to grade one submission, and to make one feedback page.

    The time that each command takes to start is included.
    """
    _nbgrader(root, ["generate_assignment", NAME, "--create"])
    start = time.perf_counter()
    _nbgrader(root, ["autograde", NAME])
    autograde_end = time.perf_counter()
    _nbgrader(root, ["generate_feedback", NAME])
    feedback_end = time.perf_counter()
    assert len(list((root / "feedback").glob("*/*/*.html"))) == students
    return (autograde_end - start) / students, (feedback_end - autograde_end) / students


def _nbgrader(root: Path, words: Sequence[str]) -> None:
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "nbgrader", *words]
    subprocess.run(command, cwd=root, env=env, check=True, capture_output=True)


def rows(students: int, stock_students: int, imports: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Grade the class with each tool, and yield the benchmark's table rows."""
    with TemporaryDirectory() as name:
        root = Path(name)
        make_course(root, students, imports)
        start, seconds = measure_autograder(root, students)
        yield row("plain homework, start of the sandbox", start)
        if imports:
            preload = modules_to_preload(root, [NAME], Config())
            figure = f"plain homework with {', '.join(preload)}, sandbox alone"
            yield row(
                figure,
                measure_autograder(root, students, preload)[1],
                "without preloading",
                seconds,
                "s/submission",
            )
        else:
            yield row("plain homework, sandbox alone", seconds, unit="s/submission")
        full_run_seconds = measure_full_run(root, students)
        for folder in sorted((root / "submitted").iterdir())[stock_students:]:
            shutil.rmtree(folder)
        peer = sum(measure_nbgrader(root, stock_students)) if stock_students else None
        yield row(
            "plain homework, gradebook and pages",
            1 / full_run_seconds,
            "nbgrader autograde, generate_feedback" if peer else "",
            1 / peer if peer else None,
            "submissions/s",
            more_is_better=True,
        )


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--stock", type=int, default=40, help="how many of them nbgrader grades")
    parser.add_argument("--imports", nargs="*", default=[], metavar="MODULE")
    options = parser.parse_args()
    show(rows(options.students, options.stock, options.imports), options.json)


if __name__ == "__main__":
    main()
