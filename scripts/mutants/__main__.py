"""Choose one-line faults in the product code at random, and count which tests notice them: `make mutants`.

There are five stages. The first three run quick tests: those in the file named after the fault's module,
those of the fault's room (its group of modules, see `room_of`), and all quick tests. The last two run the
tests that only the whole suite contains: those of the fault's room, and all such tests. Each stage tries the
faults that no earlier stage has noticed. The tests run in a clone of the last commit, in .mutants/.

The verdict on each fault is recorded in .mutants/ immediately, so an interrupted run continues where it
stopped. After a new commit, the faults that no test has noticed are tried again, and the other faults keep
their verdicts.
"""

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks import peers
from scripts.mutants.faults import Fault, cosmic_ray_mutations, draw, product_files
from scripts.mutants.search import noticed_faults
from scripts.mutants.tree import Tree, commit_of
from secant.files import replace_file
from tests.test_architecture import package_of as room_of_module

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".mutants"
FOLDERS = ("autograder", "scripts", "secant")
WHOLE = "--whole-alone"
TEST_SECONDS = 120  # time limit of a test, because a fault often makes tests wait for ever
FEW_TESTS = 5  # so few tests run in one process, because starting pytest's workers would take longer


class Scope(Enum):
    """The set of tests to run for a fault; it also determines which faults are tried together."""

    FILE = "the test file named like the fault's module, for one fault at a time"
    ROOM = "the tests of the fault's room, for the faults of a room together"
    SUITE = "all tests, for all faults together"


#: The stages, each with pytest's options and the scope of the tests.
STAGES: dict[str, tuple[list[str], Scope]] = {
    "quick, file": (["-n", "0"], Scope.FILE),  # a file would go to one worker anyway
    "quick, room": ([], Scope.ROOM),
    "quick": ([], Scope.SUITE),
    "whole, room": ([WHOLE], Scope.ROOM),
    "whole": ([WHOLE], Scope.SUITE),
}
#: The columns of the table, each with the stages whose noticed faults it counts. None stands for the faults
#: that no stage noticed.
COLUMNS: dict[str, tuple[str | None, ...]] = {
    "its quick tests": ("quick, file", "quick, room"),
    "other quick tests": ("quick",),
    "the whole suite alone": ("whole, room", "whole"),
    "no test": (None,),
}


class State:
    """The verdicts on faults, which are saved to a file after each change.

    Attributes:
        verdicts: for each fault, the stage and the test that noticed it, or the stages that missed it.
        baseline: for each test that failed while the code had faults, whether it also fails without a fault.
    """

    def __init__(self, path: Path, commit: str) -> None:
        self._path, self._commit = path, commit
        self.verdicts: dict[str, dict[str, Any]] = {}
        self.baseline: dict[str, bool] = {}
        with suppress(FileNotFoundError):
            data = json.loads(path.read_text(encoding="utf-8"))
            self.verdicts = data["verdicts"]
            self.baseline = data["baseline"] if data["commit"] == commit else {}

    def stage_of(self, fault: Fault) -> str | None:
        """Return the stage that noticed a fault, or None if no stage did."""
        return self.verdicts.get(fault.name, {}).get("noticed")

    def is_open(self, fault: Fault, stage: str) -> bool:
        """Return whether a fault is still to be tried in a stage."""
        return self.stage_of(fault) is None and stage not in self._missed_stages(fault)

    def record(self, fault: Fault, stage: str, test: str | None) -> None:
        """Record which test noticed a fault in this stage; None means that no test did."""
        verdict = (
            {"noticed": stage, "test": test} if test else {"passed": [*self._missed_stages(fault), stage]}
        )
        self.verdicts[fault.name] = {"fault": str(fault), "commit": self._commit, **verdict}
        data = {"commit": self._commit, "baseline": self.baseline, "verdicts": self.verdicts}
        replace_file(self._path, json.dumps(data, indent=1, ensure_ascii=False).encode())

    def _missed_stages(self, fault: Fault) -> list[str]:
        """Return the stages that tried a fault at the current commit without noticing it."""
        verdict = self.verdicts.get(fault.name, {})
        return list(verdict.get("passed", [])) if verdict.get("commit") == self._commit else []


class Trial:
    """A runner that tries faults in a clone of the repository and records the verdict on each fault.

    Args:
        tree: the clone.
        state: the verdicts.
        faults: the faults to try.
        options: the options passed to pytest in every stage.
    """

    def __init__(self, tree: Tree, state: State, faults: list[Fault], options: Sequence[str]) -> None:
        self._tree, self._state, self._faults, self._options = tree, state, faults, options

    def run(self, stage: str) -> None:
        """Run a stage: try all faults that no earlier stage has noticed."""
        options, scope = STAGES[stage]
        faults = [fault for fault in self._faults if self._state.is_open(fault, stage)]
        tried_count = 0
        for paths, batch in self._batches(scope, faults):
            self._run_batch(stage, [*self._options, *options, *paths], batch)
            tried_count += len(batch)
            print(f"{time.strftime('%X')} {stage}: {tried_count} of {len(faults)} faults tried", flush=True)

    def _batches(self, scope: Scope, faults: list[Fault]) -> Iterator[tuple[list[str], list[Fault]]]:
        """Yield each group of faults to be tried together, with the paths of the tests to run."""
        if scope is Scope.SUITE:
            yield [], faults
        elif scope is Scope.ROOM:
            for room, faults_of_room in groupby(sorted(faults, key=room_of), room_of):
                yield tests_of(self._tree.root, room), list(faults_of_room)
        else:
            for fault in faults:
                name = f"test_{Path(fault.path).stem}.py"
                tests = tests_of(self._tree.root, room_of(fault))
                if paths := [path for path in tests if Path(path).name == name]:
                    yield paths, [fault]

    def _run_batch(self, stage: str, options: list[str], faults: list[Fault]) -> None:
        baseline = self._state.baseline

        def run(batch: Sequence[Fault], tests: Sequence[str], first: bool = False) -> list[str]:
            self._tree.write(batch)
            deselections = [f"--deselect={test}" for test, is_broken in baseline.items() if is_broken]
            workers = ["-n", "0"] if 0 < len(tests) <= FEW_TESTS else []
            return self._tree.failures([*options, *deselections, *workers], tests, first)

        for fault, test in noticed_faults(faults, run, partial(run, first=True), baseline):
            self._state.record(fault, stage, test)
            print(f"    {fault}\n        {test}", flush=True)
        for fault in faults:
            if self._state.is_open(fault, stage):
                self._state.record(fault, stage, None)


def room_of(fault: Fault) -> str:
    """Return the room (group of modules) that contains a fault's module, or else the module's top folder.

    tests/test_architecture.py defines the rooms.
    """
    parts = Path(fault.path).with_suffix("").parts
    return room_of_module(".".join(parts)) if parts[0] in ("autograder", "secant") else parts[0]


def tests_of(root: Path, room: str) -> list[str]:
    """List the test files of a room (group of modules).

    They are in the test folder with the room's name, or else in the nearest folder above that exists.
    """
    folder = Path("tests", *room.split("."))
    while not (root / folder).is_dir():
        folder = folder.parent
    return sorted(path.relative_to(root).as_posix() for path in (root / folder).glob("test_*.py"))


def table(faults: Sequence[Fault], state: State) -> str:
    """Return a table that counts each room's faults, in the format of CONTRIBUTING.md.

    A room is a group of modules.
    """
    counts: dict[str, Counter[str | None]] = {}
    for fault in faults:
        for name in (room_of(fault), "**all**"):
            counts.setdefault(name, Counter())[state.stage_of(fault)] += 1
    rows = [f"| noticed by: | faults | {' | '.join(COLUMNS)} |", "|---" + 5 * "|---:" + "|"]
    for name, count in sorted(counts.items()):
        cells = [count.total(), *(sum(count[stage] for stage in stages) for stages in COLUMNS.values())]
        rows.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def import_tool() -> None:
    """Make Cosmic Ray importable; install it into .venv-bench first if necessary.

    Raises:
        SystemExit: if Cosmic Ray cannot be installed.
    """
    failures = peers.environment("mutants", print)[1]
    if failures:
        sys.exit("\n".join(f"{name} cannot be installed: {reason}" for name, reason in failures.items()))
    sys.path.append(str(peers.packages()))


def main(arguments: list[str] | None = None) -> int:
    """Choose the faults at random, run the stages named on the command line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description=__doc__.partition(":")[0])
    parser.add_argument("--number", type=int, default=120, help="how many faults to draw")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other faults")
    parser.add_argument("--workers", default="auto", help="processes that run tests (pytest's -n)")
    parser.add_argument("--last-stage", choices=STAGES, default="whole", help="stop after this stage")
    options = parser.parse_args(arguments)
    # A process that a shell runs in the background ignores Ctrl-C. The processes that it starts would ignore
    # Ctrl-C too, and the tests that use Ctrl-C would fail.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that SIGTERM also ends the tests
    import_tool()
    commit = commit_of(ROOT)
    tree = Tree(PLACE / "tree", PLACE / "last-run.txt")
    tree.check_out(ROOT, commit)
    tree.install()
    files = [path for path in product_files(tree.root, FOLDERS) if not path.startswith("scripts/mutants/")]
    faults = draw(tree.root, files, options.seed, options.number, cosmic_ray_mutations)
    state = State(PLACE / "verdicts.json", commit)
    pytest_options = ["-n", options.workers, "--no-loadscope-reorder", f"--timeout={TEST_SECONDS}"]
    trial = Trial(tree, state, faults, pytest_options)
    for stage in list(STAGES)[: list(STAGES).index(options.last_stage) + 1]:
        trial.run(stage)
    print(table(faults, state))
    print(*(fault for fault in faults if not state.stage_of(fault)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
