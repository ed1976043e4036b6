"""What hostile submissions cost the class: the time of all, of each honest student, and memory.

The class is graded without them and then with them, on as many workers as there are processors. The honest
compute for four fifths of each limit of time; the limits are lower than usual (tests/hostile/cases.py), which
changes no ratio.

    python -m benchmarks.neighbours --json FILE [--honest 40] [--hostile 20] [--spinners 0]
"""

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.hostile.crowd import FULL, a_class, graded
from tests.support.busy import busy_machine


def measure(honest: int, hostile: int, spinners: int) -> dict[str, Any]:
    """Grade one class, beside so many processes that compute from outside."""
    with tempfile.TemporaryDirectory() as name, busy_machine(spinners):
        course = a_class(Path(name), hostile, honest)
        start = time.perf_counter()
        summary, megabytes = graded(course)
        seconds = time.perf_counter() - start
    rows = [row for row in summary.as_json() if "honest" in row["student"]]
    outcomes = [task["outcome"] for row in summary.as_json() for task in row["tasks"]]
    return {
        "honest": honest,
        "hostile": hostile,
        "spinners": spinners,
        "seconds": round(seconds, 1),
        "honest seconds": round(
            statistics.median(sum(task["seconds"] for task in row["tasks"]) for row in rows), 2
        ),
        "slowest honest seconds": round(
            max(sum(task["seconds"] for task in row["tasks"]) for row in rows), 2
        ),
        "honest points lost": sum(FULL - row["score"] for row in rows),
        "examiner's megabytes": round(megabytes),
        "grader_failure": outcomes.count("grader_failure"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--honest", type=int, default=40)
    parser.add_argument("--hostile", type=int, default=20)
    parser.add_argument("--spinners", type=int, default=0)
    given = parser.parse_args()
    found = [measure(given.honest, number, given.spinners) for number in (0, given.hostile)]
    ratio = found[1]["seconds"] / found[0]["seconds"]
    slower = found[1]["honest seconds"] / found[0]["honest seconds"]
    given.json.write_text(json.dumps({"runs": found, "class": ratio, "honest": slower}, indent=2))
    for row in found:
        print(row)
    print(f"the class takes {ratio:.2f} times as long, an honest student {slower:.2f} times")


if __name__ == "__main__":
    main()
