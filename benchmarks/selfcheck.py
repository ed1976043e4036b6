"""How long a learner waits for the verdicts of a whole notebook, beside `nbgrader validate` of the same one.

Warm: what can be ready is ready. For us that is a Checker that has checked a notebook before, with the next
process waiting; for nbgrader, a Validator in a process that has imported everything (it starts a new kernel
each time). Cold: the two commands as a person types them. Both run every cell of the lesson; nbgrader runs
the visible tests alone, for a student's notebook has no others.

    python -m benchmarks.selfcheck --json FILE
"""

import argparse
import contextlib
import copy
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbformat import v4
from nbgrader.validator import Validator

from autograder.course.assignment import read_assignment
from autograder.course.cells import grade_id, is_answer, tasks
from autograder.course.lesson import find_lessons, read_lesson
from autograder.exam.selfcheck import Checker

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
REST_SECONDS = 5.0  # between two checks: nobody checks again at once


def solved(lesson: str, folder: Path) -> Path:
    """Write the lesson as a student who is done would hand it in."""
    (found,) = [entry for entry in find_lessons(ROOT) if entry.name == lesson]
    answers = {task.id: task.answer.source for task in tasks(read_lesson(found))}
    notebook = copy.deepcopy(read_assignment(ROOT, lesson).releases["en"])
    for cell in filter(is_answer, notebook.cells):
        cell.source = answers[grade_id(cell)]
    path = folder / f"{lesson}.ipynb"
    path.write_text(v4.writes(notebook), encoding="utf-8")
    return path


def seconds(do: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median wall time of doing something, after a rest each time."""
    taken = []
    for _ in range(rounds):
        time.sleep(REST_SECONDS)
        start = time.perf_counter()
        do()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def command(*arguments: str) -> Callable[[], None]:
    """A command line, run as a process of its own."""

    def call() -> None:
        subprocess.run(arguments, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    return call


def rows(lesson: str) -> list[dict[str, Any]]:
    """Measure, and return the rows."""
    binaries = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as name, Checker() as checker:
        path = solved(lesson, Path(name))
        report = checker.check(path)
        assert report.score == report.max_score, "the solution does not pass"
        slowest = max(task.seconds for task in checker.check(path).tasks)
        ours = seconds(lambda: checker.check(path))
        validator = Validator()
        result = validator.validate(str(path))
        assert "failed" not in result, result
        peer = seconds(lambda: quiet(validator, path))
        cold = seconds(command(sys.executable, "-m", "autograder.cli", "check", str(path)), 3)
        peer_cold = seconds(command(str(binaries / "nbgrader"), "validate", str(path)), 3)
    return [
        row("check latency", ours, "nbgrader's Validator", peer),
        row("check latency, command line", cold, "nbgrader validate", peer_cold),
        row("slowest task alone", slowest, "", None),
    ]


def quiet(validator: Validator, path: Path) -> None:
    """Validate without a word."""
    with contextlib.redirect_stdout(io.StringIO()):
        validator.validate(str(path))


def row(figure: str, ours: float, peer: str, value: float | None) -> dict[str, Any]:
    """A row; ratio says how many times better ours is."""
    ratio = None if value is None else round(value / ours, 2)
    peer_value = None if value is None else round(value, 3)
    return {
        "figure": figure,
        "ours": round(ours, 3),
        "peer": peer,
        "peer_value": peer_value,
        "ratio": ratio,
        "unit": "s",
    }


def main() -> None:
    """Measure and show; see the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    parser.add_argument("--lesson", default="01_what_autograd_does", help="which lesson to check")
    arguments = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    found = rows(arguments.lesson)
    for entry in found:
        peer = f"{entry['peer']} {entry['peer_value']} s, {entry['ratio']} times" if entry["peer"] else ""
        print(f"{entry['figure']:30} {entry['ours']:.3f} s   {peer}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
