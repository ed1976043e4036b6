"""The quick page is nbconvert's page."""

import copy
import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters.html import HTMLExporter
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from autograder.course.cells import is_test
from autograder.grading import exporter
from autograder.grading.worker import _exporter
from secant.language import LANGUAGES, Language
from tests.support.lessons import LESSONS, assignment


def shown(language: Language) -> tuple[NotebookNode, dict[str, Any]]:
    """A lesson as the exporter gets it: with scores, verdicts and a student's prose."""
    notebook = copy.deepcopy(assignment(LESSONS[0]).releases[language])
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.metadata["magics_language"] = "python3" if number % 5 else "text"
        if is_test(cell):
            cell.metadata.nbgrader |= {"score": 0.0, "points": 2.0}
            cell.outputs = [new_output("error", ename="E", evalue="<b>", traceback=["\x1b[31m<b>&\x1b[0m"])]
        elif cell.cell_type == "code":
            cell.outputs = [new_output("stream", name="stdout", text="1 < 2 & 3\n")]
    notebook.cells.append(new_markdown_cell('<div style="white-space: pre-wrap">a &lt; b</div> $x<y$'))
    resources: Any = {"nbgrader": {"notebook": "n", "score": 0.0, "max_score": 2.0, "late_penalty": 0.0}}
    shown, resources = CSSHTMLHeaderPreprocessor()(notebook, resources | {"metadata": {"path": ""}})
    return shown, resources


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_quick_page_is_the_page(language: Language) -> None:
    quick = _exporter(json.dumps({}))
    stock = HTMLExporter(config=quick.config)
    notebook, resources = shown(language)
    expected, _ = stock.from_notebook_node(notebook, resources=copy.deepcopy(resources))
    for _ in range(2):  # the second is made of what was kept
        page, _ = quick.from_notebook_node(notebook, resources=copy.deepcopy(resources))
        assert str(BeautifulSoup(page, features="html.parser")) == expected


def test_every_image_of_a_lesson_is_described() -> None:
    """That is what the step did that is left out."""
    quick = _exporter(json.dumps({}))
    context: Any = {"cell": {}, "resources": {}}
    for lesson in LESSONS:
        for release in assignment(lesson).releases.values():
            for cell in release.cells:
                if cell.cell_type == "markdown" and ("![" in cell.source or "<img" in cell.source):
                    page = BeautifulSoup(quick.markdown2html(context, cell.source), features="html.parser")
                    assert not page.select("img:not([alt])"), cell.source


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporter, "KEPT", 3)
    quick = exporter.PageExporter()
    context: Any = {"cell": {}, "resources": {}}
    for number in range(10):
        assert f"<p>{number}</p>" in quick.markdown2html(context, str(number))
        assert len(quick._markdown) <= 3
    long = "x" * (exporter.KEPT_CHARS + 1)
    quick.markdown2html(context, long)
    assert long not in quick._markdown
