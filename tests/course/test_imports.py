"""Tests of `guess_import_group`, which predicts the modules that a lesson makes torch import late.

A grading run can then import these modules once, instead of once per submission.
"""

import json
import os
import subprocess
import sys

import pytest

from autograder.course.lesson import Lesson
from autograder.workers.worker import guess_import_group
from tests.support.lessons import LESSONS, ROOT
from tests.support.lessons import source as source_of

_PROGRAM = """
import json, sys
from autograder.sandbox.inside.template import import_everything
shell = import_everything()
for source in json.load(sys.stdin):
    shell.run_cell(source, store_history=False)
print(*{"sympy", "torch._dynamo"} & set(sys.modules), file=sys.__stdout__)
"""


@pytest.mark.deep
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_imports_of_each_lesson_are_known_in_advance(lesson: Lesson) -> None:
    notebook = source_of(lesson)
    cells = json.dumps([cell.source for cell in notebook.cells if cell.cell_type == "code"])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # a template has one thread
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=cells,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    modules = result.stdout.splitlines()[-1].split()
    expected = "compiler" if "torch._dynamo" in modules else "symbols" if modules else None
    # The prediction must not name too much: an unneeded import costs a single regrade half a second.
    assert guess_import_group(*(cell.source for cell in notebook.cells)) == expected
