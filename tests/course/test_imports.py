"""Tests of `imported_later`, which predicts the modules that a lesson makes torch import late.

A grading run can then import these modules once, instead of once per submission.
"""

import json
import os
import subprocess
import sys

import pytest

from autograder.course.lesson import Lesson
from autograder.workers.worker import imported_later
from tests.support.lessons import LESSONS, ROOT
from tests.support.lessons import source as source_of

_RUN = """
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
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # a template has one thread
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=cells,
        cwd=ROOT,
        env=alone,
        capture_output=True,
        text=True,
        check=True,
    )
    found = done.stdout.splitlines()[-1].split()
    needed = "compiler" if "torch._dynamo" in found else "symbols" if found else None
    # The prediction must not name too much: an unneeded import costs a single regrade half a second.
    assert imported_later(*(cell.source for cell in notebook.cells)) == needed
