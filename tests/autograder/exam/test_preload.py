"""Tests of preloading: the modules that submissions need are learnt from the instructor's notebooks.

The template imports each module once for all submissions.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from nbformat.v4 import writes
from traitlets.config import Config

from autograder.course.errors import CourseError
from autograder.course.plain import read_plain
from autograder.exam.plain import PlainExaminer
from autograder.exam.preload import MAX_MODULES, imported_modules, modules_to_preload, preload_warnings
from autograder.sandbox.wall import Wall
from tests.support.plain_course import HOMEWORK, PROBLEM, code, graded, notebook, write_assignment
from tests.support.small_packages import Packages

IMPORTS = """%matplotlib inline
import os, json
import networkx as nx
import torch.nn.functional as F
from torch import nn, tensor
from matplotlib import pyplot as plt
import helpers
import no_such_package
def later():
    import sympy
"""


def learn_modules(root: Path, *sources: str) -> list[str]:
    write_assignment(root / "source", "hw", {"hw": notebook(*map(code, sources))})
    return imported_modules([root / "source/hw"])


def test_installed_modules_that_cells_import_are_learnt(tmp_path: Path) -> None:
    modules = set(learn_modules(tmp_path, IMPORTS))
    assert modules == {"networkx", "torch.nn.functional", "torch.nn", "torch", "matplotlib.pyplot"}


def test_modules_beside_a_notebook_are_not_learnt(tmp_path: Path) -> None:
    write_assignment(tmp_path, "hw", {"hw": notebook(code("import networkx, numpy"))})
    (tmp_path / "hw/networkx.py").write_text("")
    assert imported_modules([tmp_path / "hw"]) == ["numpy"]


def test_learnt_modules_are_limited_and_the_most_common_come_first(tmp_path: Path) -> None:
    names = [path.stem for path in Path(torch.nn.modules.__file__).parent.glob("*.py")]
    many_imports = notebook(
        code("\n".join(f"import torch.nn.modules.{name}" for name in names if name != "__init__"))
    )
    usual_import = notebook(code("import numpy"))
    write_assignment(tmp_path, "hw", {"a": many_imports, "b": usual_import, "c": usual_import})
    modules = imported_modules([tmp_path / "hw"])
    assert len(modules) == MAX_MODULES
    assert modules[0] == "numpy"


def test_cells_with_invalid_python_are_skipped_when_learning_modules(tmp_path: Path) -> None:
    assert learn_modules(tmp_path, "import numpy", "def broken(:\n", "x = 1 +") == ["numpy"]


def test_unreadable_notebook_adds_no_modules_to_preload(tmp_path: Path) -> None:
    (tmp_path / "hw.ipynb").write_text("{")
    assert imported_modules([tmp_path]) == []


def test_course_adds_modules_to_those_that_are_learnt(tmp_path: Path) -> None:
    write_assignment(tmp_path / "source", "hw1", {"hw1": HOMEWORK})
    config = Config()
    config.Secant.preload = ["scipy.stats", "numpy"]
    assert modules_to_preload(tmp_path, ["hw1"], config) == ["scipy.stats", "numpy"]
    config.Secant.preload = []
    assert modules_to_preload(tmp_path, ["hw1"], config) == ["numpy"]
    config.Secant.preload_learnt = False
    assert modules_to_preload(tmp_path, ["hw1"], config) == []


def test_lessons_preload_nothing_whatever_the_course_says(tmp_path: Path) -> None:
    write_assignment(tmp_path / "source", "01_lesson", {"01_lesson": HOMEWORK})
    (tmp_path / "course/01_lesson").mkdir(parents=True)
    config = Config()
    config.Secant.preload = ["scipy.stats"]
    assert modules_to_preload(tmp_path, ["01_lesson"], config) == []


@pytest.mark.parametrize("value", ["pandas", [1], ["no module"], ["a/b"], ["x" * 300], ["a"] * 101])
def test_setting_of_a_wrong_type_is_refused_by_its_name(tmp_path: Path, value: object) -> None:
    config = Config()
    config.Secant.preload = value
    with pytest.raises(CourseError, match=r"c\.Secant\.preload"):
        modules_to_preload(tmp_path, [], config)


# --- In the wall -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wall() -> Iterator[Wall]:
    with Wall() as new_wall:
        yield new_wall


@pytest.fixture
def packages() -> Iterator[Packages]:
    with Packages() as new_packages:
        yield new_packages


def run_cell(wall: Wall, source: str) -> str:
    """Return what a cell prints or raises in a new container."""
    with wall.candidate() as candidate:
        (cell,) = candidate.load([("c", source)], 20.0).cells
    return f"{cell.error}: {cell.message}" if cell.error else cell.output.strip()


def test_module_is_imported_once_for_all_submissions(wall: Wall, packages: Packages) -> None:
    name = packages.write("import os\nPROCESS = os.getpid()")
    assert run_cell(wall, f"import sys; print({name!r} in sys.modules)") == "False"
    assert wall.preload([name]) == {}
    assert run_cell(wall, f"import sys; print({name!r} in sys.modules)") == "True"
    process_ids = {run_cell(wall, f"import {name}; print({name}.PROCESS)") for _ in range(2)}
    assert len(process_ids) == 1


BAD = {
    "raises": ("raise RuntimeError('no licence')", "RuntimeError: no licence", "RuntimeError: no licence"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3", "SystemExit: 3"),
    "dies": ("import os\nos._exit(3)", "its import ends the process", ""),
    "threads": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "its import starts a thread, which a fork would not have",
        "imported",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_module_that_cannot_be_preloaded_is_reported_and_harms_nothing(
    wall: Wall, packages: Packages, name: str
) -> None:
    source, reason, when_imported = BAD[name]
    bad, good = packages.write(source), packages.write("")
    for _ in range(2):
        assert wall.preload([bad, good]) == {bad: reason}
    assert (
        run_cell(wall, f"import sys; print({bad!r} in sys.modules, {good!r} in sys.modules)") == "False True"
    )
    if when_imported:
        assert run_cell(wall, f"import {bad}; print('imported')") == when_imported


def test_module_that_is_not_installed_is_reported_in_a_sentence(wall: Wall) -> None:
    assert preload_warnings(wall.preload(["no_such_package"])) == [
        "The module no_such_package was not imported in advance, so submissions import it themselves: "
        "ModuleNotFoundError: No module named 'no_such_package'."
    ]


def test_environment_changes_of_a_preloaded_module_are_undone(wall: Wall, packages: Packages) -> None:
    name = packages.write("import os\nos.environ['OMP_NUM_THREADS'] = '8'\nos.environ['LEFT'] = '1'")
    wall.preload([name])
    assert (
        run_cell(wall, "import os; print(os.environ['OMP_NUM_THREADS'], 'LEFT' in os.environ)") == "1 False"
    )


def test_another_process_that_shares_the_template_gets_the_same_answer(
    wall: Wall, packages: Packages
) -> None:
    bad, good = packages.write("1 / 0"), packages.write("")
    assert wall._template is not None
    handle = wall._template.wait()
    assert wall._template.preload([bad, good]) == {bad: "ZeroDivisionError: division by zero"}
    joined_wall = Wall.join(handle)
    assert joined_wall.preload([bad, good]) == {bad: "ZeroDivisionError: division by zero"}
    assert run_cell(wall, f"import sys; print({good!r} in sys.modules)") == "True"


def test_submission_whose_import_is_slow_costs_nothing_once_it_is_preloaded(
    wall: Wall, packages: Packages, tmp_path: Path
) -> None:
    name = packages.write("import time\ntime.sleep(1.5)\nX = 5")
    submission = notebook(code(f"import {name}"), graded("t", f"assert {name}.X == 5", 1))
    write_assignment(tmp_path / "source", "hw", {"hw": submission})
    names = modules_to_preload(tmp_path, ["hw"], Config())
    assert names == [name]
    examiner = PlainExaminer(read_plain(tmp_path, "hw").notebooks[0])
    seconds = []
    for preload in (False, True):
        if preload:
            assert wall.preload(names) == {}
        started = time.perf_counter()
        assert examiner.grade(wall.open_container, writes(submission).encode()).score == 1
        seconds.append(time.perf_counter() - started)
    assert seconds[1] < seconds[0] - 1


def test_assignment_that_imports_nothing_preloads_nothing(tmp_path: Path) -> None:
    write_assignment(tmp_path / "source", "ps1", {"problem1": PROBLEM})
    assert modules_to_preload(tmp_path, ["ps1"], Config()) == []
