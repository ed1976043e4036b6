"""Tests that nbgrader's own commands, and so nbconvert and nbclient, use warm kernels if only that is set."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import v4

from autograder.kernels import provisioner
from tests.support.small_class import STEPS, answered_notebook, build_course, hand_in, solutions
from tests.support.stock_engine import use_stock_engine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm kernels are Linux's")

PRINT_PARENT_CODE = "import os; print(open(f'/proc/{os.getppid()}/cmdline').read().replace(chr(0), ' '))"


def outputs(notebook: Path) -> str:
    """Return everything that a notebook's cells printed."""
    return "".join(
        output.get("text", "")
        for cell in v4.reads(notebook.read_text()).cells
        for output in cell.get("outputs", ())
    )


@pytest.mark.whole
@pytest.mark.slow  # starts nbgrader and a template that imports torch
def test_nbgrader_grades_in_forks_of_a_template(python: list[str], gradebook: Path, tmp_path: Path) -> None:
    shutil.copy(gradebook, tmp_path)
    build_course(tmp_path)
    use_stock_engine(tmp_path)
    with (tmp_path / "nbgrader_config.py").open("a") as config:
        config.write("\nc.WarmProvisioner.patience = 120  # on a busy machine, too\n")
    correct_answers = solutions(tmp_path)
    for student in ("ann", "bob"):
        notebook = answered_notebook(tmp_path, correct_answers)
        notebook.cells.append(v4.new_code_cell(PRINT_PARENT_CODE))
        hand_in(tmp_path, student, notebook)
    environment = {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime")}
    environment["JUPYTER_DEFAULT_PROVISIONER_NAME"] = provisioner.NAME

    def nbgrader(*arguments: str) -> str:
        result = subprocess.run(
            [*python, "nbgrader", *arguments],
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert result.returncode == 0, result.stderr[-3000:]
        return result.stderr

    nbgrader("generate_assignment", "--create", "--force", STEPS)
    log = nbgrader("autograde", "--create", STEPS)
    assert "not a warm one" not in log
    for student in ("ann", "bob"):
        graded_notebook = tmp_path / "autograded" / student / STEPS / f"{STEPS}.ipynb"
        assert "kernels/template.py" in outputs(graded_notebook), json.loads(graded_notebook.read_text())[
            "cells"
        ][-1]
