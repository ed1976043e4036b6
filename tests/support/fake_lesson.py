"""A lesson for tests in a browser: its tasks' answers tell `fake_service` which outcome to return."""

from pathlib import Path

import nbformat

from tests.support.fake_service import TASKS

FLAGS = ["--ServerApp.jpserver_extensions={'tests.support.fake_service': True, 'autograder.service': False}"]


def write(path: Path) -> Path:
    """Write the lesson's notebook, with far more text than fits in a window; return its path."""
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    for task, outcome in TASKS.items():
        notebook.cells.append(nbformat.v4.new_markdown_cell(f"## {task}\n\n" + "Much to read.\n\n" * 8))
        answer = nbformat.v4.new_code_cell(f"# {outcome}\ndef {task}(f, x): ...")
        test = nbformat.v4.new_code_cell(f"{task}(abs, 1)\n" * 5)
        for cell, grade_id in ((answer, task), (test, f"test_{task}")):
            cell.metadata["nbgrader"] = {"grade_id": grade_id}
        notebook.cells += [answer, test]
    notebook.cells.append(_prediction_cell())
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def _prediction_cell() -> nbformat.NotebookNode:
    """Return a cell with the output of a prediction, made by a kernel that no longer runs."""
    view = {"model_id": "0" * 32, "version_major": 2, "version_minor": 0}
    data = {"application/vnd.jupyter.widget-view+json": view, "text/plain": "Choose:\n  A. 4\n  B. 12"}
    output = nbformat.v4.new_output("execute_result", data, execution_count=1)
    return nbformat.v4.new_code_cell(
        'predict(\n    "7 which",\n    A="4", B="12"\n)', outputs=[output], execution_count=1
    )
