"""Draw one-line faults in the product code, and count which suite notices them: `make mutants`.

There are four stages: the quick tests of the fault's room, the quick suite, all tests of the room, and the
whole suite. Each stage tries the faults that no stage before it has noticed. A room's tests run for one fault
at a time, a suite for all of them at once. The tests run in a clone of the last commit, in .mutants/.

Each verdict is recorded there at once, so an interrupted run goes on where it stopped. After a new commit,
the faults that no test has noticed are tried again, and the other faults keep their verdicts.
"""

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks import peers
from scripts.mutants.faults import Fault, cosmic_ray_mutations, draw, product_files
from scripts.mutants.search import noticed
from scripts.mutants.tree import Tree, commit_of
from secant.files import replace_file
from tests.test_architecture import room as room_of_module

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".mutants"
FOLDERS = ("autograder", "scripts", "secant")
WHOLE = "--whole"
#: The stages: a name, pytest's options, and whether only the tests of the fault's room run.
STAGES: dict[str, tuple[list[str], bool]] = {
    "quick, room": ([], True),
    "quick": ([], False),
    "whole, room": ([WHOLE], True),
    "whole": ([WHOLE], False),
}


class State:
    """The verdicts, in a file that is written after each of them.

    Attributes:
        verdicts: for each fault, the stage and the test that noticed it, or the stages that did not.
        broken: for each stage, the tests that fail without a fault; for a room also its tests' seconds.
    """

    def __init__(self, path: Path, commit: str) -> None:
        self._path, self._commit = path, commit
        self.verdicts: dict[str, dict[str, Any]] = {}
        self.broken: dict[str, Any] = {}
        with suppress(FileNotFoundError):
            data = json.loads(path.read_text(encoding="utf-8"))
            self.verdicts = data["verdicts"]
            self.broken = data["broken"] if data["commit"] == commit else {}

    def stage_of(self, fault: Fault) -> str | None:
        """Return the stage that noticed a fault, if one did."""
        return self.verdicts.get(fault.name, {}).get("noticed")

    def is_open(self, fault: Fault, stage: str) -> bool:
        """Tell whether a fault is still to be tried in a stage."""
        verdict = self.verdicts.get(fault.name, {})
        tried = verdict.get("passed", []) if verdict.get("commit") == self._commit else []
        return "noticed" not in verdict and stage not in tried

    def record(self, fault: Fault, stage: str, test: str | None) -> None:
        """Record that a stage noticed a fault by a test, or that it did not."""
        verdict = self.verdicts.get(fault.name, {})
        passed = verdict.get("passed", []) if verdict.get("commit") == self._commit else []
        result = {"noticed": stage, "test": test} if test else {"passed": [*passed, stage]}
        self.verdicts[fault.name] = {"fault": str(fault), "commit": self._commit, **result}
        self.save()

    def save(self) -> None:
        """Write the file."""
        data = {"commit": self._commit, "broken": self.broken, "verdicts": self.verdicts}
        replace_file(self._path, json.dumps(data, indent=1, ensure_ascii=False).encode())


class Trial:
    """The faults, the clone in which they are tried, and what has been found."""

    def __init__(self, tree: Tree, state: State, faults: list[Fault], options: Sequence[str]) -> None:
        self.tree, self.state, self.faults, self._options = tree, state, faults, options

    def run(self, stage: str) -> None:
        """Try in a stage all faults that no earlier stage has noticed."""
        options, is_rooms = STAGES[stage]
        faults = [fault for fault in self.faults if self.state.is_open(fault, stage)]
        print(f"{stage}: {len(faults)} faults", flush=True)
        (self._one_by_one if is_rooms else self._together)(stage, [*self._options, *options], faults)

    def _one_by_one(self, stage: str, options: list[str], faults: list[Fault]) -> None:
        for number, fault in enumerate(faults, 1):
            start = time.monotonic()
            test = self._noticed_by(stage, options, fault)
            self.state.record(fault, stage, test)
            seconds = time.monotonic() - start
            print(f"{number}/{len(faults)} {seconds:4.0f} s  {fault}\n      {test or '-'}", flush=True)

    def _noticed_by(self, stage: str, options: list[str], fault: Fault) -> str | None:
        """Return a test of the fault's room that notices it. The file named like the module runs first."""
        room = room_of(fault.path)
        broken, seconds = self._without_faults(stage, options, room)
        left_out = [f"--deselect={test}" for test in broken]
        self.tree.write([fault])
        tests = tests_of(self.tree.root, room)
        namesake = [path for path in tests if path.endswith(f"/test_{Path(fault.path).stem}.py")]
        for paths in filter(None, (namesake, tests)):
            if failed := self.tree.failures([*options, *left_out, *paths], (), True, 60 + 5 * seconds):
                return failed[0]
        return None

    def _without_faults(self, stage: str, options: list[str], room: str) -> tuple[list[str], float]:
        """Return the tests of a room that fail without a fault, and the seconds that all of them take."""
        key = f"{stage}: {room}"
        if key not in self.state.broken:
            self.tree.write([])
            start = time.monotonic()
            broken = self.tree.failures([*options, *tests_of(self.tree.root, room)])
            self.state.broken[key] = [broken, time.monotonic() - start]
            self.state.save()
            print(
                f"      without a fault, {self.state.broken[key][1]:.0f} s: {room} {broken or ''}", flush=True
            )
        broken, seconds = self.state.broken[key]
        return broken, seconds

    def _together(self, stage: str, options: list[str], faults: list[Fault]) -> None:
        broken = set(self.state.broken.get(stage, []))

        def run(some: Sequence[Fault], tests: Sequence[str], first: bool = False) -> list[str]:
            self.tree.write(some)
            left_out = [f"--deselect={test}" for test in broken]
            return self.tree.failures([*options, *left_out], tests, first)

        def run_to_first(some: Sequence[Fault], tests: Sequence[str]) -> list[str]:
            return run(some, tests, True)

        for fault, test in noticed(faults, run, run_to_first, broken):
            self.state.record(fault, stage, test)
            print(f"      {fault}\n      {test}", flush=True)
        for fault in faults:
            if self.state.is_open(fault, stage):
                self.state.record(fault, stage, None)
        self.state.broken[stage] = sorted(broken)
        self.state.save()


def room_of(path: str) -> str:
    """Return the room of a file, as tests/test_architecture.py names it, or else the file's top folder."""
    parts = Path(path).with_suffix("").parts
    return room_of_module(".".join(parts)) if parts[0] in ("autograder", "secant") else parts[0]


def tests_of(root: Path, room: str) -> list[str]:
    """List the test files of a room: those in the folder that mirrors it, or in the nearest folder above."""
    folder = Path("tests", *room.split("."))
    while not (root / folder).is_dir():
        folder = folder.parent
    return sorted(path.relative_to(root).as_posix() for path in (root / folder).glob("test_*.py"))


def table(faults: Sequence[Fault], state: State) -> str:
    """Return the table by room, as it stands in CONTRIBUTING.md."""
    stages = list(STAGES)
    noticed_by = ("its quick tests", "other quick tests", "the whole suite alone", "no test")
    rows = [f"| noticed by: | faults | {' | '.join(noticed_by)} |", "|---" + 5 * "|---:" + "|"]
    counts: dict[str, Counter[str | None]] = {}
    for fault in faults:
        for row in (room_of(fault.path), "**all**"):
            counts.setdefault(row, Counter())[state.stage_of(fault)] += 1
    for name in sorted(counts):
        count = counts[name]
        cells = (
            count.total(),
            count[stages[0]],
            count[stages[1]],
            count[stages[2]] + count[stages[3]],
            count[None],
        )
        rows.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def import_tool() -> None:
    """Make Cosmic Ray importable, and install it into .venv-bench first if it is not there.

    Raises:
        SystemExit: it cannot be installed.
    """
    absent = peers.environment("mutants", print)[1]
    if absent:
        sys.exit("\n".join(f"{name} cannot be installed: {reason}" for name, reason in absent.items()))
    sys.path.append(str(peers.packages()))


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description=__doc__.partition(":")[0])
    parser.add_argument("--number", type=int, default=120, help="how many faults to draw")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other faults")
    parser.add_argument("--workers", default="auto", help="processes that run tests (pytest's -n)")
    parser.add_argument("--last-stage", choices=STAGES, default="whole", help="stop after this stage")
    asked = parser.parse_args(arguments)
    # A shell has what it starts in the background ignore Ctrl-C, and tests of Ctrl-C would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the tests that run, too
    import_tool()
    commit = commit_of(ROOT)
    tree = Tree(PLACE / "tree", PLACE / "last-run.txt")
    tree.check_out(ROOT, commit)
    tree.install()
    files = [path for path in product_files(tree.root, FOLDERS) if not path.startswith("scripts/mutants/")]
    faults = draw(tree.root, files, asked.seed, asked.number, cosmic_ray_mutations)
    trial = Trial(tree, State(PLACE / "verdicts.json", commit), faults, ["-n", asked.workers])
    for stage in list(STAGES)[: list(STAGES).index(asked.last_stage) + 1]:
        trial.run(stage)
    print(table(faults, trial.state))
    print(*(fault for fault in faults if not trial.state.stage_of(fault)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
