"""Measure how long a submission with ordinary nbgrader tests takes, in our wall and with stock nbgrader.

    python -m benchmarks.plain [--students 10] [--no-stock] [--imports pandas sklearn.linear_model]

The homework uses numpy. It has an answer, two tests, one of them with a hidden part, and a task that is
graded by hand. Our first figure is that of one examiner in one process, without gradebook, folders and pages.
The second is that of `autograder grade`, from its start to its end, with gradebook, folders and pages. Stock
nbgrader has three figures: `nbgrader autograde` writes gradebook and folders, `nbgrader generate_feedback`
makes the pages, and the sum of both is compared with our second figure. All of them grade the same
submissions with stock settings. With --imports, the notebooks also import these modules, and our first figure
is given without and with preloading.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from nbformat.v4 import writes
from traitlets.config import Config

from autograder.course.plain import read_plain
from autograder.exam.plain import PlainExaminer
from autograder.exam.preload import preloaded, told
from autograder.sandbox.wall import Wall
from tests.support.plain_course import HOMEWORK, code, write_assignment

NAME = "hw1"


def make_course(root: Path, students: int, imports: Sequence[str]) -> None:
    """Make a stock nbgrader course in which the given number of students have submitted right answers."""
    HOMEWORK.cells[1:1] = [code(f"import {module}") for module in imports]
    write_assignment(root / "source", NAME, {NAME: HOMEWORK})
    (root / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.root = "{root}"\n')
    for number in range(students):
        write_assignment(root / "submitted" / f"student{number:03}", NAME, {NAME: HOMEWORK})


def ours(root: Path, students: int, modules: Sequence[str] = ()) -> tuple[float, float]:
    """Return the seconds to start the wall, preloading included, and the seconds for each submission."""
    started = time.perf_counter()
    submitted = writes(HOMEWORK).encode()
    examiner = PlainExaminer(read_plain(root, NAME).notebooks[0])
    with Wall() as wall:
        for sentence in told(wall.preload(modules)):
            print(sentence)
        begun = time.perf_counter()
        for _ in range(students):
            assert examiner.grade(wall.open_container, submitted).score == 5
        return begun - started, (time.perf_counter() - begun) / students


def whole(root: Path, students: int) -> float:
    """Return the seconds that `autograder grade` takes per submission, its start included."""
    (root / "course").mkdir()  # an empty folder: the course has no lessons in the autograder's format
    started = time.perf_counter()
    command = [sys.executable, "-m", "autograder.cli", "grade", NAME]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    took = time.perf_counter() - started
    assert len(list((root / "feedback").glob("*/*/*.html"))) == students
    for written in ("course", "autograded", "feedback"):  # stock nbgrader must not find our results
        shutil.rmtree(root / written)
    (root / "gradebook.db").unlink()
    return took / students


def stock(root: Path, students: int) -> tuple[float, float]:
    """Return the seconds that stock nbgrader takes to grade one submission, and to make one feedback page.

    The time that each command takes to start is included.
    """
    _nbgrader(root, ["generate_assignment", NAME, "--create"])
    started = time.perf_counter()
    _nbgrader(root, ["autograde", NAME])
    graded = time.perf_counter()
    _nbgrader(root, ["generate_feedback", NAME])
    ended = time.perf_counter()
    assert len(list((root / "feedback").glob("*/*/*.html"))) == students
    return (graded - started) / students, (ended - graded) / students


def _nbgrader(root: Path, words: Sequence[str]) -> None:
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "nbgrader", *words]
    subprocess.run(command, cwd=root, env=env, check=True, capture_output=True)


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=10)
    parser.add_argument("--no-stock", action="store_true")
    parser.add_argument("--imports", nargs="*", default=[], metavar="MODULE")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        root = Path(name)
        make_course(root, options.students, options.imports)
        start, each = ours(root, options.students)
        print(f"ours: {each:.2f} s a submission, after {start:.1f} s for the wall")
        modules = preloaded(root, [NAME], Config())
        if options.imports:
            start, each = ours(root, options.students, modules)
            print(f"ours, {', '.join(modules)} preloaded: {each:.2f} s, after {start:.1f} s for the wall")
        graded = whole(root, options.students)
        print(f"ours, with gradebook, folders and pages: {graded:.2f} s a submission, the start included")
        if not options.no_stock:
            autograde, feedback = stock(root, options.students)
            both = autograde + feedback
            print(f"nbgrader autograde: {autograde:.2f} s a submission, {autograde / each:.1f} times ours")
            print(f"nbgrader generate_feedback: {feedback:.2f} s a submission")
            print(f"both: {both:.2f} s, {both / graded:.1f} times ours with gradebook, folders and pages")


if __name__ == "__main__":
    main()
