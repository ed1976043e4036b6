"""Tests of the report link in the last cell of a released lesson."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from traitlets.config import Config

from autograder.build.report_link import ReportLink
from autograder.course.errors import CourseError
from secant.address import urls
from tests.support.lessons import LESSONS, ROOT

RESOURCES = {"nbgrader": {"assignment": "11_mine"}}


@pytest.mark.parametrize("language", ["en", "ko"])
def test_each_released_lesson_ends_with_a_report_link(language: str) -> None:
    for lesson in LESSONS:
        path = ROOT / "release" / language / lesson.name / f"{lesson.name}.ipynb"
        (url,) = re.findall(r"\]\((\S+/new\?\S+)\)\.?$", nbformat.read(path, as_version=4).cells[-1].source)
        assert url.startswith(urls()["Issues"])
        body = parse_qs(urlsplit(url).query)["body"][0]
        assert re.fullmatch(rf"Lesson: {lesson.name}\nVersion: text [0-9a-f]{{8}}\n\n", body)


def add_report_link(*cells: nbformat.NotebookNode, problems: object = "") -> nbformat.NotebookNode:
    config = Config({"Secant": {"problems": problems}} if problems else {})
    notebook = new_notebook(cells=list(cells), metadata={"lang": "en"})
    return ReportLink(config=config).release(notebook, RESOURCES)[0]


def test_report_link_uses_the_address_configured_by_the_class() -> None:
    graded_cell = new_markdown_cell("My note", metadata={"nbgrader": {"solution": True}})
    cells = new_markdown_cell("The beginning"), new_markdown_cell("The end"), new_code_cell("1"), graded_cell
    notebook = add_report_link(*cells, problems="mailto:me@example.org")
    first, text_with_link, *rest = (cell.source for cell in notebook.cells)
    assert "(mailto:me@example.org?subject=11_mine" in unquote(text_with_link)
    assert [first, *rest] == ["The beginning", "1", "My note"]


def test_report_link_version_depends_on_the_lesson_text() -> None:
    first, other, repeated = (
        add_report_link(new_markdown_cell(text)).cells[0].source[-60:] for text in ("a", "b", "a")
    )
    assert first == repeated != other


def test_notebook_without_prose_gets_no_report_link() -> None:
    assert add_report_link(new_code_cell("1")).cells[0].source == "1"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "me@example.org", 3, "https://a\nb"])
def test_report_link_to_a_malformed_address_is_refused(address: object) -> None:
    with pytest.raises(CourseError, match=r"c\.Secant\.problems is an address"):
        add_report_link(new_markdown_cell("The end"), problems=address)
