"""Feed randomly damaged files to the intake (the stage that reads submissions) and to `autograder collect`.

Half of the files are notebooks for the intake. The other half are archives for `autograder collect`, each
with the work of three students. A few dozen additional notebooks are graded by the examiner in one batch. The
benchmark checks that no error is raised, that the intake accepts each notebook or refuses it with a reason,
that collecting an archive reports its outcome, and that no file is written outside the expected folders.

    python -m benchmarks.damaged --json FILE [--count 10000] [--seed 0] [--graded 60]
"""

import argparse
import json
import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.settings import Course
from autograder.intake.submission import Rejected
from autograder.intake.take_in import take_in
from autograder.lms.attempts import OUTCOMES
from autograder.lms.collect import collect
from benchmarks.rows import row
from tests.support.damaging import damaged_archive, damaged_notebook
from tests.support.exports import blackboard, brightspace, canvas, moodle, solved_notebook, write
from tests.support.small_class import STEPS, build_course, hand_in, run

NAMES: list[Callable[[int], str]] = [
    lambda n: moodle(f"Kim {'ABC'[n]}", 300 + n),
    lambda n: f"Kim {'ABC'[n]}_{n}_assignsubmission_file_x.ipynb",
    lambda n: canvas("kim", 70 + n, n),
    lambda n: brightspace(f"Kim {'ABC'[n]}", 50 + n, f"Oct 1{n}, 2026 1022 AM"),
    lambda n: blackboard(f"kim{n}", f"2026-11-2{n}-10-00-00"),
]


class Tally:
    """Counts of the outcomes when damaged files are read or collected."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.unexplained = 0
        self.wrongly_collected = 0

    def count_error(self, step: str, error: Exception) -> None:
        """Count an error under a text that names the step, the error, and the function that raised it."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        self.errors[
            f"{step}: {type(error).__name__} in {Path(place.filename).name}:{place.name}: {error}"[:160]
        ] += 1


def notebook(data: bytes, assignment: Assignment, place: Path, tally: Tally) -> None:
    """Let the intake (the stage that reads submissions) read a damaged notebook, and count the outcome."""
    place.write_bytes(data)
    try:
        result = take_in(place, STEPS, assignment.releases)
    except Exception as error:
        tally.count_error("intake", error)
        return
    if isinstance(result, Rejected):
        tally.outcomes[f"refused: {result.reason}"] += 1
        tally.unexplained += not (result.en.strip() and result.ko.strip())
    else:
        tally.outcomes["a submission"] += 1


def archive(data: bytes, intact_notebooks: list[bytes], course: Course, place: Path, tally: Tally) -> None:
    """Collect a damaged archive; count its outcome and the damaged notebooks that end up in submitted/."""
    place.write_bytes(data)
    before = {path.name for path in course.root.parent.iterdir()}
    try:
        result = collect(course, [place])
        tally.wrongly_collected += sum(
            path.read_bytes() not in intact_notebooks for path in course.submitted.rglob("*.ipynb")
        )
    except Exception as error:
        tally.count_error("collect", error)
        return
    finally:
        tally.unexplained += {path.name for path in course.root.parent.iterdir()} != before
        for folder in ("submitted", "collected"):
            shutil.rmtree(course.root / folder, ignore_errors=True)
    tally.outcomes[
        " + ".join(sorted({line.outcome for line in result.lines})) or "an archive of nothing"
    ] += 1
    without_message = [line for line in result.lines if OUTCOMES[line.outcome] and not line.message]
    tally.unexplained += bool(without_message) or not result.lines


def measure(room: Path, count: int, seed: int, graded_count: int = 0) -> dict[str, Any]:
    """Damage files at random, pass them to the intake or to `autograder collect`, and return the outcomes.

    Args:
        room: the folder of a built course that contains the small lesson used in the tests. Its parent folder
            must contain nothing else.
        count: the total number of notebooks and archives.
        seed: the seed of the random damage.
        graded_count: the number of additional damaged notebooks that are graded as one batch.
    """
    draw, tally = random.Random(seed), Tally()
    assignment, course = read_assignment(room, STEPS), Course.at(room)
    intact_notebooks = [solved_notebook(room, language).encode() for language in ("en", "ko")]
    start_of_all, slowest = time.monotonic(), 0.0
    for number in range(count):
        start = time.monotonic()
        if number % 2:
            name = draw.choice(NAMES)
            zip_path = write(
                room / "whole.zip",
                {name(copy_number): draw.choice(intact_notebooks) for copy_number in range(3)},
            )
            archive(
                damaged_archive(zip_path.read_bytes(), draw),
                intact_notebooks,
                course,
                room / "damaged.zip",
                tally,
            )
        else:
            notebook(
                damaged_notebook(draw.choice(intact_notebooks), draw),
                assignment,
                room / "damaged.ipynb",
                tally,
            )
        slowest = max(slowest, time.monotonic() - start)
    seconds = time.monotonic() - start_of_all
    for number in range(graded_count):
        path = hand_in(room, f"s{number}", "")
        path.write_bytes(damaged_notebook(draw.choice(intact_notebooks), draw))
    summary, _ = run(room) if graded_count else (None, [])
    outcomes = (
        Counter(task.outcome for result in summary.results.values() for task in result.tasks)
        if summary
        else {}
    )
    return {
        "damaged": count,
        "raised": sum(tally.errors.values()),
        "errors": dict(tally.errors.most_common(20)),
        "without a sentence": tally.unexplained,
        "damaged files collected as whole": tally.wrongly_collected,
        "outcomes": dict(tally.outcomes.most_common()),
        "seconds": round(seconds, 1),
        "slowest": round(slowest, 3),
        "graded": len(summary.results) if summary else 0,
        "grading failed": {str(entry): reason for entry, reason in summary.failed.items()} if summary else {},
        "tasks": dict(outcomes),
    }


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--graded", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        room = Path(name, "class")
        room.mkdir()
        build_course(room)
        counts = measure(room, options.count, options.seed, options.graded)
    print(json.dumps(counts, indent=1, ensure_ascii=False))
    good_count = (
        counts["damaged"]
        - counts["raised"]
        - counts["without a sentence"]
        - counts["damaged files collected as whole"]
    )
    rows = [
        row(
            "damaged files that end in an outcome",
            good_count,
            "damaged",
            counts["damaged"],
            "files",
            more_is_better=True,
        )
    ]
    options.json.write_text(json.dumps(rows, indent=2) + "\n")
    if good_count != counts["damaged"] or counts["grading failed"]:
        raise SystemExit("A damaged file stopped something, or got no outcome.")


if __name__ == "__main__":
    main()
