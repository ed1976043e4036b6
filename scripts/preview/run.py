"""Run a released lesson as a student finds it; of its widgets, keep what a page without a kernel can show."""

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

SECONDS = 300  # that one cell may take
SKIPPED = "skip-execution"  # nbclient's tag; on test cells, which could only say that there is no answer yet
# Run last. An explorer is asked for its picture in words, which it sends to a page only when a hand rests.
ASK = """import gc, json
from ipywidgets import Widget
from secant.explorers.kit.widget import Panel
states = Widget.get_manager_state()["state"]
for panel in (found for found in gc.get_objects() if issubclass(type(found), Panel)):
    states[panel.model_id]["state"]["alt"] = panel.alt()
print(json.dumps(states))"""

#: What the kernel knows of its widgets, by model id.
Widgets = Mapping[str, Mapping[str, Any]]


class PreviewError(Exception):
    """A lesson that cannot be shown, and why."""


def run(notebook: NotebookNode, language: str) -> tuple[NotebookNode, Widgets]:
    """Run a copy of a notebook in a folder of its own, all but its test cells.

    Returns:
        The copy with its outputs, and its widgets.

    Raises:
        PreviewError: if a cell fails, or prints to stderr.
    """
    copy = deepcopy(notebook)
    copy.cells = [cell for cell in copy.cells if not is_installer(cell)]
    for cell in filter(is_test, copy.cells):
        cell.metadata["tags"] = [SKIPPED]
    copy.cells.append(nbformat.v4.new_code_cell(ASK))
    with tempfile.TemporaryDirectory(prefix="secant-preview-") as place:
        own = {"SECANT_LANG": language, "SECANT_DATA": place, "IPYTHONDIR": str(Path(place, "ipython"))}
        client = NotebookClient(
            copy,
            timeout=SECONDS,
            kernel_name="python3",
            store_widget_state=False,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            resources={"metadata": {"path": place}},
        )
        try:
            client.execute(env={**os.environ, **own})
        except CellExecutionError as error:
            raise PreviewError(f"a cell fails: {error.ename}: {error.evalue}") from error
    asked = copy.cells.pop()
    for output in (output for cell in copy.cells for output in cell.get("outputs", [])):
        if output.get("name") == "stderr":
            raise PreviewError(f"a cell prints to stderr: {output.text.strip()}")
    return copy, json.loads(asked.outputs[0].text)
