"""Tests of `make mutants`: choosing and inserting faults, and tracing a suite's failures to single faults."""

import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from scripts.mutants import __main__ as mutants
from scripts.mutants.faults import Fault, Mutation, draw, product_files, write
from scripts.mutants.search import noticed_faults
from scripts.mutants.tree import WHOLE_RUN, Tree, commit_of

SOURCE = '''"""Add 1 to numbers."""

STEP = 1


def add(number: int | None = 1) -> int:
    # A comment with a 1 in it.
    total = number + 1
    return total
'''


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with a package whose module is committed, and return its path."""
    root = tmp_path / "repository"
    (root / "package").mkdir(parents=True)
    (root / "package" / "numbers.py").write_text(SOURCE)
    (root / "package" / "data.txt").write_text("1")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *command], cwd=root, check=True)
    return root


def increments(source: str) -> dict[int, list[Mutation]]:
    """Return mutations by line number; each replaces a line's first 1 with a 2, even in a string."""
    lines = source.splitlines(keepends=True)

    def mutated(index: int) -> str:
        return "".join([*lines[:index], lines[index].replace("1", "2", 1), *lines[index + 1 :]])

    return {
        index + 1: [partial(mutated, index), lambda: None] for index, line in enumerate(lines) if "1" in line
    }


def draw_faults(root: Path, seed: int = 1, number: int = 9) -> list[Fault]:
    return draw(root, product_files(root, ["package"]), seed, number, increments)


def test_drawn_faults_are_those_that_change_the_bytecode(repository: Path) -> None:
    changes = {(fault.line, fault.new) for fault in draw_faults(repository)}
    assert changes == {
        (1, '"""Add 2 to numbers."""\n'),
        (3, "STEP = 2\n"),
        (6, "def add(number: int | None = 2) -> int:\n"),
        (8, "    total = number + 2\n"),
    }


def test_a_fault_in_an_annotation_is_not_drawn(repository: Path) -> None:
    def without_default(source: str) -> dict[int, list[Mutation]]:
        return {
            6: [lambda: source.replace("int | None", "int & None")],
            3: [lambda: source.replace("STEP =", "STEP")],
        }

    assert draw(repository, ["package/numbers.py"], 1, 9, without_default) == []


def test_the_same_seed_draws_the_same_faults_and_another_seed_others(repository: Path) -> None:
    (repository / "package" / "numbers.py").write_text("".join(f"A{i} = 1\n" for i in range(50)))
    assert draw_faults(repository, 1, 5) == draw_faults(repository, 1, 5)
    assert draw_faults(repository, 1, 5) != draw_faults(repository, 2, 5)


def test_drawn_faults_stay_the_same_when_other_lines_change(repository: Path) -> None:
    module = repository / "package" / "numbers.py"
    module.write_text("".join(f"A{i} = 1\n" for i in range(50)))
    before = {fault.name for fault in draw_faults(repository, 1, 10)}
    module.write_text("import sys\n\n" + module.read_text().replace("A7 = 1", "A7 = 3"))
    assert len(before & {fault.name for fault in draw_faults(repository, 1, 10)}) >= 9


def test_several_faults_of_a_file_are_written_at_once(repository: Path) -> None:
    faults = [*draw_faults(repository), Fault("x", "package/numbers.py", 9, "    return total\n", "")]
    write(repository, faults)
    lines = (repository / "package" / "numbers.py").read_text().splitlines()
    assert lines[2:] == [
        "STEP = 2",
        "",
        "",
        "def add(number: int | None = 2) -> int:",
        *lines[6:7],
        "    total = number + 2",
    ]


def test_a_fault_is_not_written_over_another_line(repository: Path) -> None:
    with pytest.raises(ValueError, match=r"numbers\.py:3 "):
        write(repository, [Fault("x", "package/numbers.py", 3, "STEP = 5\n", "STEP = 6\n")])


# --- which faults a suite notices ---


class Suite:
    """A suite whose tests each fail with certain faults; `calls` counts its runs."""

    def __init__(self, **tests: str) -> None:
        self.tests, self.calls, self.baseline = tests, 0, dict[str, bool]()

    def run(self, faults: Sequence[Fault], tests: Sequence[str], first: bool = False) -> list[str]:
        self.calls += 1
        names = {fault.name for fault in faults}
        candidates = [test for test in tests or self.tests if not self.baseline.get(test)]
        failures = [
            test
            for test in candidates
            if any(names >= set(combination) for combination in self.tests[test].split("|"))
        ]
        return failures[:1] if first and not tests else failures

    def find_noticed(self, letters: str) -> dict[str, str]:
        faults = [Fault(letter, "module.py", line, "", "") for line, letter in enumerate(letters, 1)]
        results = noticed_faults(faults, self.run, partial(self.run, first=True), self.baseline)
        return {fault.name: test for fault, test in results}


def test_a_suite_that_passes_with_all_faults_runs_once() -> None:
    suite = Suite(one="x", two="y")
    assert suite.find_noticed("abcdefgh") == {}
    assert suite.calls == 1


def test_each_fault_that_fails_a_test_is_found_with_its_test() -> None:
    suite = Suite(one="c", two="g|b", three="a", four="x")
    assert suite.find_noticed("abcdefgh") == {"a": "three", "b": "two", "c": "one", "g": "two"}


def test_a_test_that_fails_without_faults_finds_none() -> None:
    suite = Suite(one="", two="d")
    assert suite.find_noticed("abcd") == {"d": "two"}
    assert suite.baseline == {"one": True, "two": False}


def test_faults_that_fail_a_test_only_together_are_not_noticed() -> None:
    assert Suite(one="bd", two="e").find_noticed("abcdef") == {"e": "two"}


def test_a_fault_behind_another_is_found_in_the_next_round() -> None:
    class Hiding(Suite):
        def run(self, faults: Sequence[Fault], tests: Sequence[str], first: bool = False) -> list[str]:
            crashed = "c" in {fault.name for fault in faults}
            return [WHOLE_RUN] if crashed else super().run(faults, tests, first)

    assert Hiding(one="e").find_noticed("abcdef") == {"c": WHOLE_RUN, "e": "one"}


def test_no_suite_is_run_if_there_are_no_faults() -> None:
    suite = Suite(one="a")
    assert suite.find_noticed("") == {}
    assert suite.calls == 0


# --- the clone, the verdicts, the table ---


@pytest.mark.whole
def test_run_in_the_clone_names_failing_tests_and_keeps_the_working_tree(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test is slow, because it starts pytest seven times."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    tests = "from package.numbers import STEP, add\n\n\ndef test_step():\n    assert STEP == 1\n\n\n"
    (repository / "test_numbers.py").write_text(tests + "def test_add():\n    assert add(1) == 2\n")
    for command in (
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "Test"],
    ):
        subprocess.run(["git", *command], cwd=repository, check=True)
    (repository / "package" / "numbers.py").write_text("the user is still typing")
    tree = Tree(tmp_path / "tree", tmp_path / "log", sys.executable)
    tree.check_out(repository, commit_of(repository))
    step, add = (fault for fault in draw_faults(tree.root) if fault.line in (3, 8))
    options = ["-c", "/dev/null", "--rootdir=."]

    tree.write([])
    assert tree.failures(options) == []
    tree.write([step, add])
    assert tree.failures(options) == ["test_numbers.py::test_step", "test_numbers.py::test_add"]
    failures = tree.failures(options, ["test_numbers.py::test_add", "test_numbers.py::test_step"], first=True)
    assert failures[0] == "test_numbers.py::test_step"
    assert tree.failures([*options, "-p", "xdist", "-n", "1"], first=True) == ["test_numbers.py::test_step"]
    tree.write([add])
    assert tree.failures(options, ["test_numbers.py::test_step"]) == []
    tree.write([Fault("", step.path, step.line, step.old, "1 / 0\n")])
    assert tree.failures(options) == ["test_numbers.py"]
    assert tree.failures(["no_such_file.py"]) == [WHOLE_RUN]
    assert (repository / "package" / "numbers.py").read_text() == "the user is still typing"


def test_verdicts_outlive_a_run_and_open_ones_are_tried_again_after_a_commit(tmp_path: Path) -> None:
    open_fault, killed_fault = (
        Fault(name, "secant/files.py", line, "", "") for line, name in enumerate("ab", 1)
    )
    state = mutants.State(tmp_path / "verdicts.json", "commit 1")
    state.record(open_fault, "quick, file", None)
    state.record(killed_fault, "quick, file", "tests/test_it.py::test_it")

    same_commit = mutants.State(tmp_path / "verdicts.json", "commit 1")
    assert not same_commit.is_open(open_fault, "quick, file")
    assert same_commit.is_open(open_fault, "quick")
    next_commit = mutants.State(tmp_path / "verdicts.json", "commit 2")
    assert next_commit.is_open(open_fault, "quick, file")
    assert not next_commit.is_open(killed_fault, "quick")
    assert mutants.table([open_fault, killed_fault], next_commit).splitlines()[2:] == [
        "| **all** | 2 | 1 | 0 | 0 | 1 |",
        "| secant | 2 | 1 | 0 | 0 | 1 |",
    ]


def test_each_product_file_belongs_to_a_folder_with_tests(root: Path) -> None:
    paths = product_files(root, mutants.FOLDERS)
    folders = {mutants.room_of(Fault("", path, 1, "", "")) for path in paths}
    assert {"secant", "secant.explorers.kit", "autograder.sandbox.inside", "scripts"} <= folders
    assert [folder for folder in folders if not mutants.tests_of(root, folder)] == []
    assert "tests/autograder/sandbox/test_wall.py" in mutants.tests_of(root, "autograder.sandbox.inside")
    assert not any("checking" in path for path in mutants.tests_of(root, "secant"))
