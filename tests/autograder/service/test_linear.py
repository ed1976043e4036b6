"""Tests that the time for reading untrusted input grows no faster than the input's length."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from autograder.exam import checked_notebook
from autograder.grading.feedback import clip_lines
from autograder.intake import files
from autograder.intake.parse import parse
from autograder.page.prose import as_typed_markdown, typed_html
from autograder.service import describe
from secant import predictions
from secant.headings import task_heading
from secant.verdict import Part, Verdict
from secant.visible import visible
from tests.support.growth import growth

LINEAR = 128.0  # upper bound on the growth for 16 times the length (linear: 16, quadratic: 256)


def _hints(text: str) -> object:
    return list(describe.hints_in(text))


def _message(text: str) -> object:
    return str(Verdict((Part("trace", text),)))


CASES: dict[str, tuple[Callable[[str], object], str, str, str]] = {
    # Each value: the function that reads the text, then the text's beginning, its repeated part and its end
    "half-open hints": (
        lambda text: list(describe.hints_in(text)),
        "",
        "<details><summary>Hint 1</summary>",
        "",
    ),
    "open hints": (_hints, "", "<details><summary>Hint 1", ""),
    "open summaries": (
        lambda text: list(describe.hints_in(text)),
        "<details>",
        "<summary>Hint 1 ",
        "</details>",
    ),
    "headings": (task_heading, "", "## a\n", ""),
    "a verdict of lines": (_message, "", "got: 1\n", ""),
    "a verdict of places": (_message, "at ", "a, line 1", ""),
    "prose": (as_typed_markdown, "", "[a](<b>", ""),
    "prose on a page": (typed_html, "", "a$b$ \\frac{a}$$", ""),
    "half-open formulas": (typed_html, "", "$a", ""),
    "code": (clip_lines, "", "x\n", ""),
    "control characters": (visible, "", "\x1b[", ""),
    "marks on a letter": (visible, "e", "\u0301", ""),
    "parts of an emoji": (visible, "", "\U0001f469\u200d", ""),
    "a student's id": (files._STUDENT_ID.fullmatch, "", "a.", "/"),
    "nested JSON": (lambda text: _assert_refused(text.encode()), "", "[", ""),
    "cells without an end": (lambda text: _assert_refused(text.encode()), '{"cells": [', '{"source": "', ""),
    "choices in backquotes": (predictions._html, "", "`a", ""),
}


def _assert_refused(data: bytes) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011  (which one does not matter here)
        parse(data)


@pytest.mark.whole
@pytest.mark.parametrize("name", CASES)
def test_checking_time_grows_at_most_with_the_length(name: str) -> None:
    work, begin, repeated_part, end = CASES[name]
    assert growth(work, lambda size: begin + repeated_part * size + end) < LINEAR


@pytest.mark.parametrize(
    "repeated_part", ['"grade_id": "a", ', '"grade_id"', '"grade_id":         ', '"grade_id":"']
)
def test_the_marks_of_a_file_are_found_in_linear_time(tmp_path: Path, repeated_part: str) -> None:
    def make(size: int) -> Path:
        path = tmp_path / "x.ipynb"
        path.write_text(repeated_part * size)
        return path

    assert growth(checked_notebook._grade_ids, make) < LINEAR


@pytest.mark.whole
def test_description_of_a_notebook_is_no_larger_than_its_file(tmp_path: Path) -> None:
    """Opening a notebook with 450 tasks below a one-megabyte heading once made a response of a gigabyte."""
    long_text = "\u202e" * 20_000
    hints = f"<details><summary>Hint 1 {long_text}</summary>{long_text}</details>" * 30
    cells = [v4.new_markdown_cell(f"# {long_text}"), v4.new_markdown_cell(f"## {long_text}\n{hints}")]
    for number in range(100):
        solution, test = v4.new_code_cell("def f(): pass"), v4.new_code_cell("from secant import check")
        solution.metadata.nbgrader = {"grade_id": f"f{number}", "solution": True, "grade": False}
        test.metadata.nbgrader = {
            "grade_id": f"test_f{number}",
            "solution": False,
            "grade": True,
            "points": 1,
            "locked": True,
        }
        cells += [solution, test]
    path = tmp_path / "sent.ipynb"
    nbformat.write(v4.new_notebook(cells=cells), path)
    notebook = checked_notebook.NotebookReader().read(path)
    descriptions = [
        describe.lesson_title(notebook),
        describe.tasks_of(notebook),
        describe.task_texts(notebook)["f0"].hints,
    ]
    assert len(descriptions[1]) == 100
    assert len(str(descriptions)) < path.stat().st_size
