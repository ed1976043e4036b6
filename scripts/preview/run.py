"""Run a released lesson without answers, and keep the states of its widgets for a page without a kernel."""

import json
import os
import tempfile
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from autograder.course.cells import is_installer, is_test
from scripts.preview.record import STATES

SECONDS = 1200  # time limit in seconds for one cell; the last cell records the explorers, which is slow
SKIPPED = "skip-execution"  # makes nbclient skip test cells, which would only report that answers are missing
ROOT = Path(__file__).resolve().parents[2]
# The last cell to run: it calls `record.recorded_states` in the kernel that has made the widgets.
RECORDING_CELL = """import json, sys
sys.path.append({root!r})
from scripts.preview.record import recorded_states
print(json.dumps(recorded_states({max_states})))"""

#: The states of the kernel's widgets, keyed by model id.
Widgets = Mapping[str, Mapping[str, Any]]


class PreviewError(Exception):
    """Raised if a page cannot be made; the message is the reason."""


def run(notebook: NotebookNode, language: str, max_states: int = STATES) -> tuple[NotebookNode, Widgets]:
    """Run a copy of a notebook, except its test cells, in a temporary folder.

    Args:
        notebook: a released lesson.
        language: the language of its explorers and predictions.
        max_states: the approximate maximum number of recorded states of an explorer.

    Returns:
        The copy with its outputs, and the states of its widgets.

    Raises:
        PreviewError: if a cell fails, or prints to stderr.
    """
    copy = deepcopy(notebook)
    copy.cells = [cell for cell in copy.cells if not is_installer(cell)]
    for cell in filter(is_test, copy.cells):
        cell.metadata["tags"] = [SKIPPED]
    copy.cells.append(nbformat.v4.new_code_cell(RECORDING_CELL.format(root=str(ROOT), max_states=max_states)))
    with tempfile.TemporaryDirectory(prefix="secant-preview-") as place:
        environment = {
            "SECANT_LANG": language,
            "SECANT_DATA": place,
            "IPYTHONDIR": str(Path(place, "ipython")),
        }
        client = NotebookClient(
            copy,
            timeout=SECONDS,
            kernel_name="python3",
            store_widget_state=False,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            resources={"metadata": {"path": place}},
        )
        try:
            client.execute(env={**os.environ, **environment})
        except CellExecutionError as error:
            raise PreviewError(f"a cell fails: {error.ename}: {error.evalue}") from error
    recorder_cell = copy.cells.pop()
    for output in (output for cell in copy.cells for output in cell.get("outputs", [])):
        if output.get("name") == "stderr":
            raise PreviewError(f"a cell prints to stderr: {output.text.strip()}")
    return copy, json.loads("".join(output.text for output in recorder_cell.outputs))
