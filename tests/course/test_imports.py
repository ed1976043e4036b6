"""What a lesson makes torch import at the first use is imported once a run, not once a submission."""

import json
import subprocess
import sys

import pytest
from nbformat import v4

from autograder.course.lesson import Lesson
from autograder.grading.worker import lesson_imports_more
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
def test_it_is_known_beforehand(lesson: Lesson) -> None:
    notebook = source_of(lesson)
    cells = json.dumps([cell.source for cell in notebook.cells if cell.cell_type == "code"])
    done = subprocess.run(
        [sys.executable, "-c", _RUN], input=cells, cwd=ROOT, capture_output=True, text=True, check=True
    )
    if found := done.stdout.splitlines()[-1].split():
        assert lesson_imports_more(v4.writes(notebook)), found
