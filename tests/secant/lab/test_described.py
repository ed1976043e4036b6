"""Tests of the alternative text of an explorer's picture in HTML that nbconvert exports."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from traitlets.config import Config

from secant import lab

ALT = "the secant of f(x) from 5 to 8 & its tangent <at> 5"
PNG = "iVBORw0KGgoAAAANSUhEUg=="
SETTINGS = Path(lab.__file__).with_name("jupyter_nbconvert_config.json")


def make_notebook(data: dict[str, str], alt: str | None = ALT) -> NotebookNode:
    """Return a notebook with one stored picture, in the form in which a kernel stores it."""
    metadata = {} if alt is None else {"image/png": {"alt": alt}}
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("explore()", outputs=[output])])


def export(notebook: NotebookNode, **options: bool) -> list[str]:
    """Export a notebook to HTML with the installed settings; return its pictures' alternative texts."""
    exporter = HTMLExporter(config=Config(json.loads(SETTINGS.read_text())), **options)
    body, _ = exporter.from_notebook_node(notebook)
    return [html.unescape(alt) for alt in re.findall(r'<img[^>]* alt="([^"]*)"', body)]


def test_export_has_the_alternative_text() -> None:
    notebook = make_notebook({"image/png": PNG, "text/plain": "explore(x=5)"})
    assert export(notebook) == [ALT]
    assert "text/html" not in notebook.cells[0].outputs[0].data, "the notebook itself stays as it is"


def test_pictures_without_alternative_text_and_other_html_stay_unchanged() -> None:
    assert export(make_notebook({"image/png": PNG}, None)) == [
        "No description has been provided for this image"
    ]
    notebook = make_notebook({"image/png": PNG, "text/html": '<img src="x.png" alt="theirs">'})
    assert export(notebook) == ["theirs"]


def test_a_sanitised_export_keeps_the_picture() -> None:
    notebook = make_notebook({"image/png": PNG})
    assert export(notebook, sanitize_html=True) == ["No description has been provided for this image"]


@pytest.mark.whole
def test_command_of_nbconvert_uses_the_installed_settings(tmp_path: Path) -> None:
    nbformat.write(make_notebook({"image/png": PNG}), tmp_path / "own.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "own.ipynb"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert "from 5 to 8" in (tmp_path / "own.html").read_text()
