"""Kill the main process of a grading run at random moments, and check that a second run completes it.

A small class is graded once from the command line without interruption, with workers and their sandboxes.
Then, repeatedly and always from the same state, `autograder grade` is started and receives SIGKILL at some
moment between its first import and its end. When no process that it started is left, the command is run once
more. The content of every table of the gradebook, every byte of autograded/ and feedback/, and the output of
`--json` must be the same as after the uninterrupted run.

    python -m benchmarks.kills --json FILE [--kills 30] [--seed 0]
"""

import argparse
import contextlib
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook

from autograder.course.settings import SECRET
from benchmarks.rows import row
from tests.support.gradebooks import content, without_durations
from tests.support.kills import files
from tests.support.lessons import ROOT
from tests.support.small_class import WRONG, answered_notebook, build_course, hand_in, solutions

_PR_SET_CHILD_SUBREAPER = 36
_LINGER_SECONDS = 30.0


def make_class(room: Path) -> None:
    """Make a course with one small lesson, an empty gradebook and the submissions of seven students."""
    build_course(room)
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant"):
        pass
    (room / SECRET).write_bytes(bytes(range(32)))
    answers = solutions(room)
    hand_in(room, "ann", answered_notebook(room, answers), timestamp="2026-11-01 10:00:00.000000 UTC")
    hand_in(room, "bob", answered_notebook(room, answers | WRONG, "ko"))
    hand_in(room, "cho", answered_notebook(room, {}))
    hand_in(room, "dee", "{")
    hand_in(
        room,
        "eve",
        answered_notebook(room, answers | {"double": "def double(x):\n    import os\n    os._exit(3)"}),
    )
    printing_notebook = answered_notebook(room, answers)
    printing_notebook.cells.extend(nbformat.v4.new_code_cell("print('words')") for _ in range(3))
    hand_in(room, "fay", printing_notebook)
    hand_in(room, "gus", answered_notebook(room, {"double": answers["double"]}))


def start(room: Path) -> subprocess.Popen[bytes]:
    """Start `autograder grade` as an instructor would."""
    (room / "tmp").mkdir(exist_ok=True)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(room / "tmp")}
    words = [sys.executable, "-m", "autograder.cli", "grade", "--workers", "2", "--json", "results.json"]
    return subprocess.Popen(words, cwd=room, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def finish(room: Path) -> float:
    """Run `autograder grade` to its end and return the elapsed seconds."""
    start_time = time.monotonic()
    process = start(room)
    output, _ = process.communicate()
    if process.returncode not in (0, 1):  # exit code 1 means that a submission cannot be read
        raise SystemExit(f"`autograder grade` ended with {process.returncode}:\n{output.decode()}")
    return time.monotonic() - start_time


def grading_state(room: Path) -> tuple[object, ...]:
    """Return everything that a grading run produces: the gradebook's content, the files and the results."""
    results = without_durations(json.loads((room / "results.json").read_text()))
    file_contents = files(room / "autograded", room / "feedback")
    return content(f"sqlite:///{room}/gradebook.db"), file_contents, results


def orphans() -> int:
    """Return how many of the processes that the coordinator (the main process) started are still running.

    When their parent dies, they become children of this process, which is a subreaper.
    """
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if pid == 0:
            return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def wait_for(room: Path, process: subprocess.Popen[bytes], count: int, seconds: float) -> None:
    """Wait until the given number of students are autograded, then wait for the given number of seconds.

    Stop waiting if the process exits earlier.
    """
    while process.poll() is None and len(list(room.glob("autograded/*"))) < count:
        time.sleep(0.002)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def kill(process: subprocess.Popen[bytes]) -> float:
    """Kill the coordinator and return the seconds until all processes that it started are gone."""
    start_time = time.monotonic()
    process.send_signal(signal.SIGKILL)
    process.wait()
    while left := orphans():
        if time.monotonic() - start_time > _LINGER_SECONDS:
            raise SystemExit(f"{left} processes outlive the coordinator")
        time.sleep(0.01)
    process.communicate()
    return time.monotonic() - start_time


def measure(kills: int, seed: int) -> dict[str, Any]:
    """Kill the coordinator the given number of times and return the outcomes and durations."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    draw = random.Random(seed)
    linger_seconds, unchanged_count, entered_counts, temporary_files, finished_early = [], 0, [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        room = Path(name, "class")
        room.mkdir()
        make_class(room)
        initial_room = Path(name, "begun")
        shutil.copytree(room, initial_room)
        run_seconds = finish(room)
        expected_state = grading_state(room)
        for number in range(kills):
            shutil.rmtree(room)
            shutil.copytree(initial_room, room)
            process = start(room)
            # Spread the kills over the run. About a third occur before the first of the seven students is
            # entered in the gradebook. The rest are spread equally over the intervals after each student's
            # entry.
            first = max(0, 7 - 10 * (kills - 1 - number) // kills)
            wait_for(room, process, first, draw.uniform(0.0, 0.1 if first else 0.7) * run_seconds)
            finished_early += process.poll() is not None
            linger_seconds.append(kill(process))
            entered_counts.append(len(content(f"sqlite:///{room}/gradebook.db").get("autograder_record", ())))
            temporary_files += len(list((room / "tmp").iterdir()))
            finish(room)
            unchanged_count += grading_state(room) == expected_state
            print(
                f"killed {number + 1} of {kills}: {entered_counts[-1]} of 7 entered, "
                f"{unchanged_count} the same",
                flush=True,
            )
    return {
        "kills": kills,
        "the same": unchanged_count,
        "ended before the kill": finished_early,
        "entered when killed": entered_counts,
        "seconds of a run": round(run_seconds, 1),
        "longest seconds until nothing was left": round(max(linger_seconds), 2),
        "temporary files left": temporary_files,
    }


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    results = measure(options.kills, options.seed)
    print(json.dumps(results, indent=1))
    rows = [row("kills survived", results["the same"], "kills", options.kills, "runs", more_is_better=True)]
    options.json.write_text(json.dumps(rows, indent=2) + "\n")
    if results["the same"] != options.kills:
        raise SystemExit("A killed run has left something else than an undisturbed one.")


if __name__ == "__main__":
    main()
