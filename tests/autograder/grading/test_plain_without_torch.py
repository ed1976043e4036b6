"""Tests that plain assignments are graded without torch, unless they or the students' answers use torch."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import writes

from autograder.course.plain import read_plain
from autograder.exam.plain import PlainExaminer
from autograder.sandbox.wall import Wall
from tests.support.plain_course import HOMEWORK, answer, graded, notebook, write_assignment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading others' work needs Linux")

STUB = "### BEGIN SOLUTION\n### END SOLUTION"
# The word torch is written in two parts, because an assignment that mentions it is graded with torch.
_NO_TORCH = """import sys
assert not {"tor" "ch", "networkx", "secant.value", "secant.checking"} & sys.modules.keys()"""
# An answer that sends a tensor of one element in place of a reply.
_SENDS_A_TENSOR = """import struct, sys
frame = sys._getframe()
while "channel" not in frame.f_locals:
    frame = frame.f_back
body = bytes([1]) + struct.pack("<cBBQQf", b"t", 8, 1, 1, 4, 0.5)
frame.f_locals["channel"].sendall(struct.pack("<I", len(body)) + body)
"""
# A program that grades submissions in a worker, and prints whether the worker has imported torch, whether
# the template has ended, and the scores.
_PROGRAM = """import json, sys
from pathlib import Path
from autograder.course.plain import read_plain
from autograder.workers.executors import LocalWorkers, needs_no_torch, run, start_preparations
from autograder.workers.jobs import PlainJob
from autograder.workers.worker import work

if __name__ == "__main__":
    root = Path(sys.argv[1])
    assert needs_no_torch(root / "source", ["hw"], ["hw"])
    template = start_preparations(plain=True)
    crew = LocalWorkers(1, hidden=(), template=template, plain=True)
    assert crew._template is template
    assignment = read_plain(root, "hw")
    files = {path.stem: path.read_bytes() for path in sorted(root.glob("*.ipynb"))}
    jobs = [PlainJob(name, "hw", assignment, {"hw": data}, {}, (), 30.0, ()) for name, data in files.items()]
    left = iter(jobs)
    done = {job.student: done for job, done in run(work, lambda: next(left, None), crew)}
    (pool,) = crew._idle
    has_torch = pool.submit(eval, "'torch' in __import__('sys').modules").result()
    crew.close()
    grades = {
        name: [(grade.points, grade.outcome) for grade in one.report[0].grades] for name, one in done.items()
    }
    print(json.dumps([has_torch, template.process.returncode is not None, grades]))
"""


@pytest.mark.costly("starts a template and workers of its own")
def test_workers_and_template_import_no_torch_whatever_a_notebook_sends(tmp_path: Path) -> None:
    honest = notebook(answer("a", STUB), graded("t", _NO_TORCH, 1))
    write_assignment(tmp_path / "source", "hw", {"hw": honest})
    hostile = notebook(answer("a", _SENDS_A_TENSOR), graded("t", _NO_TORCH, 1))
    (tmp_path / "honest.ipynb").write_text(writes(honest))
    (tmp_path / "hostile.ipynb").write_text(writes(hostile))
    (program := tmp_path / "program.py").write_text(_PROGRAM)
    result = subprocess.run(
        [sys.executable, program, tmp_path],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    has_torch, has_ended, grades = json.loads(result.stdout)
    assert not has_torch
    assert has_ended
    assert grades["honest"] == [[1.0, "passed"]]
    assert grades["hostile"] == [[1.0, "passed"]]  # the reply was garbage, so a second run left out the cell


@pytest.fixture(scope="module")
def wall() -> Iterator[Wall]:
    with Wall(plain=True) as new_wall:
        yield new_wall


def score(wall: Wall, root: Path, submission: NotebookNode) -> float:
    """Return the score of a submission that is equal to the instructor's notebook."""
    write_assignment(root / "source", "hw", {"hw": submission})
    examiner = PlainExaminer(read_plain(root, "hw").notebooks[0])
    return examiner.grade(wall.open_container, writes(submission).encode()).score


TORCH = notebook(
    answer("a", "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()"),
    graded("t", "import torch\nassert torch.allclose(x.grad, torch.full((2,), 2.0))", 2),
    graded("u", "assert torch.get_num_threads() == 1", 1),
)


def test_students_own_import_of_torch_works_without_preloading(wall: Wall, tmp_path: Path) -> None:
    assert score(wall, tmp_path, notebook(answer("a", STUB), graded("t", _NO_TORCH, 1))) == 1
    assert score(wall, tmp_path / "torch", TORCH) == 3


def test_names_of_secant_can_be_imported_without_preloading(wall: Wall, tmp_path: Path) -> None:
    cells = (
        answer("a", "from secant import *\ny = Value(2.0)\ny.draw, explore(1)\ncheck, tensor_info, leaf"),
        graded("t", "assert y.data == 2.0", 1),
    )
    assert score(wall, tmp_path, notebook(*cells)) == 1


def test_wall_of_a_single_container_has_no_torch(tmp_path: Path) -> None:
    with Wall(plain=True, mode="single") as single_wall:
        assert score(single_wall, tmp_path, notebook(answer("a", STUB), graded("t", _NO_TORCH, 1))) == 1
        assert score(single_wall, tmp_path / "numpy", HOMEWORK) == 5


def test_torch_that_an_assignment_imports_is_preloaded_reset_and_restored(tmp_path: Path) -> None:
    cells = (
        answer("a", "import torch\nfirst = torch.rand(3)\ntorch.allclose = lambda *a, **k: True"),
        graded("t", "assert not torch.allclose(torch.zeros(2), torch.ones(2))", 1),
        graded(
            "u", "assert torch.get_num_threads() == 1\nassert torch.get_default_dtype() == torch.float32", 1
        ),
        graded("v", "torch.manual_seed(torch.initial_seed())\nassert torch.equal(first, torch.rand(3))", 1),
    )
    with Wall(plain=True) as torch_wall:
        assert torch_wall.preload(["torch"]) == {}
        is_loaded = "import sys\nassert 'torch' in sys.modules"
        assert score(torch_wall, tmp_path, notebook(answer("a", STUB), graded("t", is_loaded, 1))) == 1
        assert score(torch_wall, tmp_path / "torch", TORCH) == 3
        assert score(torch_wall, tmp_path / "patched", notebook(*cells)) == 3
