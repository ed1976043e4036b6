"""Tests that a person who grades sees all of a student's text, and no character that hides or reorders it."""

import base64
import json
import time
import unicodedata
from dataclasses import replace

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

from autograder.course.cells import grade_id, is_manual, is_test
from autograder.course.lesson import Lesson
from autograder.gradebook.result import GradedTask, Result
from autograder.grading.feedback import (
    COLOURED_CELL_CHARS,
    COLOURED_PAGE_CHARS,
    as_text,
    choose_colours,
    graded_notebook,
    locate_outputs,
)
from autograder.intake.pictures import MAX_OUTPUT_PICTURES
from autograder.intake.rebuild import is_extra_text
from autograder.intake.submission import Submission
from autograder.intake.take_in import SubmittedFile, parse_submission
from autograder.page.facts import PageHead, TaskRow
from autograder.page.prose import as_typed_markdown
from autograder.page.render import page_html
from autograder.sandbox.results import CellResult, TraceLine
from secant.verdict import Verdict
from tests.support.lessons import LESSONS, assignment, with_answers
from tests.support.pictures import image_output, picture

LESSON = LESSONS[0]
ODD_CHARACTERS = "\x1b[2J\x07\0\x9b\u202e\u2066\u200b\ufeff\u3164\U000e0041"
ESCAPED = r"\x1b[2J\x07\x00\x9b\u202e\u2066\u200b\ufeff\u3164\U000e0041"
CODE = f"allowed = True  # {ODD_CHARACTERS} x"


@pytest.fixture(scope="module")
def submission() -> Submission:
    release = assignment(LESSON).releases["en"]
    notebook = NotebookNode({**release, "cells": [*release.cells, new_code_cell(CODE)]})
    result = parse_submission(
        SubmittedFile(f"a{ODD_CHARACTERS}.ipynb", writes(notebook).encode(), []),
        LESSON.name,
        assignment(LESSON).releases,
    )
    assert isinstance(result, Submission)
    return result


def make_graded_notebook(submission: Submission) -> NotebookNode:
    source = assignment(LESSON)
    tasks = [
        GradedTask(
            name.removeprefix("test_"), 0.0, 2.0, "wrong", Verdict.plain(f"got {ODD_CHARACTERS}"), cell=name
        )
        for name in map(grade_id, source.source.cells)
        if name.startswith("test_")
    ]
    cell_result = CellResult(
        submission.steps[-1].label,
        f"E{ODD_CHARACTERS}",
        ODD_CHARACTERS,
        (TraceLine("c", 1, "f", ODD_CHARACTERS),),
        ODD_CHARACTERS,
        0.1,
    )
    result = Result("ann", LESSON.name, tasks, cells=locate_outputs(submission, [cell_result]))
    submission_copy = replace(
        submission, notebook=json.loads(json.dumps(submission.notebook), object_hook=NotebookNode)
    )
    return graded_notebook(source, submission_copy, result, {})


def find_hidden_characters(text: str) -> set[str]:
    control_characters = {
        character for character in text if unicodedata.category(character) in ("Cc", "Cf", "Cs")
    } - {*"\n\t"}
    return control_characters | ({"\u3164"} & {*text})


def test_feedback_contains_no_hidden_or_steering_characters(submission: Submission) -> None:
    notebook = make_graded_notebook(submission)
    names = [grade_id(cell).removeprefix("test_") for cell in filter(is_test, notebook.cells)]
    rows = [
        TaskRow(name, name, 0.0, 2.0, outcome="wrong", verdict=Verdict.plain(f"got {ODD_CHARACTERS}"))
        for name in names
    ]
    page = page_html("ann", PageHead("n", "en", 0.0, 2.0, rows=rows), notebook.cells)
    before = find_hidden_characters("".join(cell.source for cell in assignment(LESSON).source.cells))
    assert (find_hidden_characters(as_text(notebook)) - before, find_hidden_characters(page) - before) == (
        set(),
        set(),
    )
    assert notebook.cells[-1].source == f"allowed = True  # {ESCAPED} x"
    stream, error = notebook.cells[-1].outputs
    assert (stream.text, ESCAPED in error.evalue, f"  c:1: {ESCAPED}" in error.traceback) == (
        ESCAPED,
        True,
        True,
    )
    assert page.count("u202e") >= 4


def test_graded_code_keeps_the_characters_as_written(submission: Submission) -> None:
    assert submission.steps[-1].source == CODE
    assert submission.notebook.cells[-1].source == CODE
    assert submission.file == f"a{ESCAPED}.ipynb"


def test_prose_keeps_its_letters_and_an_emoji_its_parts() -> None:
    for text in ("한글과 ㅋㅋ", "👩‍💻 ❤️ 🏳️‍🌈 👩🏽‍💻", "שלום", "é x² ∂f/∂x → 0", "tab\tstays"):
        assert as_typed_markdown(text) == f'<div style="white-space: pre-wrap">{text}</div>'
    assert r"a\u200db" in as_typed_markdown("a\u200db")
    assert r"\ud800" in as_typed_markdown("\ud800")


def test_graded_copy_keeps_pictures_and_no_other_submitted_output() -> None:
    release = assignment(LESSON).releases["en"]
    plot = picture(40, 20)
    outputs = [
        image_output(plot[:30] + "\n" + plot[30:]),  # notebooks break base64 into lines
        image_output("no base64"),
        image_output(base64.b64encode(b"<svg onload=alert(1)>").decode()),
        image_output(picture(40, 20, "JPEG")),
        image_output(picture(4001, 1)),
        new_output("stream", text="Score: 10/10"),
    ]
    drawing = new_code_cell("plt.show()", outputs=outputs)
    many = new_code_cell("1", outputs=[image_output(plot)] * 50)
    cells = [
        NotebookNode({**cell, "outputs": [image_output(plot)]}) if is_test(cell) else cell
        for cell in release.cells
    ]
    notebook = NotebookNode({**release, "cells": [*cells, drawing, many]})
    result = parse_submission(
        SubmittedFile("a.ipynb", writes(notebook).encode(), []), LESSON.name, assignment(LESSON).releases
    )
    assert isinstance(result, Submission)
    *other_cells, graded_plot, graded_many = make_graded_notebook(result).cells
    pictures = [output.data for output in graded_plot.outputs if output.output_type == "display_data"]
    assert pictures == [{"image/png": plot}]
    many_pictures = [output for output in graded_many.outputs if output.output_type == "display_data"]
    assert len(many_pictures) == MAX_OUTPUT_PICTURES - 1 - sum(map(is_test, release.cells))
    assert "display_data" not in json.dumps(other_cells), "a test cell's output is the verdict alone"
    assert "Score: 10/10" not in json.dumps(graded_plot)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_note_is_found_in_a_copy_whose_cells_lost_their_marks(language: str) -> None:
    """A notebook that went through Colab loses nbgrader's metadata and the cells' ids in this way."""
    lesson = next(lesson for lesson in LESSONS if any(map(is_manual, assignment(lesson).source.cells)))
    releases = assignment(lesson).releases
    notebook = with_answers(releases[language], {"two_curves": "One stays, the other grows."})
    cells = [{**cell, "metadata": {}, "id": f"aZ{index}"} for index, cell in enumerate(notebook.cells)]
    notebook_text = json.dumps({**notebook, "cells": cells, "metadata": {}})
    result = parse_submission(SubmittedFile("a.ipynb", notebook_text.encode(), []), lesson.name, releases)
    assert isinstance(result, Submission)
    assert result.answers["two_curves"] == "One stays, the other grows."
    assert list(result.notes) == ["found_by_place:two_curves"]
    assert result.notebook.cells == notebook.cells


@pytest.mark.whole
def test_a_page_of_much_added_text_takes_no_longer_than_one_of_much_code() -> None:
    cells = [new_markdown_cell(f"{'$' + 'x^2' * 60 + '$ '}" * 50) for _ in range(900)]
    lesson = next(lesson for lesson in LESSONS if any(map(is_manual, assignment(lesson).source.cells)))
    release = assignment(lesson).releases["en"]
    notebook = NotebookNode({**release, "cells": [release.cells[0], *cells, *release.cells[1:]]})
    submitted_file = SubmittedFile("a.ipynb", writes(notebook).encode(), [])
    result = parse_submission(submitted_file, lesson.name, assignment(lesson).releases)
    assert isinstance(result, Submission)
    graded_copy = graded_notebook(assignment(lesson), result, _make_ungraded_result(lesson), {})
    started = time.process_time()
    page_html(
        "ann", PageHead("n", "en", 0.0, 2.0), [cell for cell in graded_copy.cells if is_extra_text(cell)]
    )
    assert time.process_time() - started < 5


def _make_ungraded_result(lesson: Lesson) -> Result:
    names = filter(str, (grade_id(cell) for cell in assignment(lesson).source.cells))
    verdict = Verdict.plain("No.")
    return Result(
        "ann", lesson.name, [GradedTask(name, 0.0, 2.0, "wrong", verdict, cell=name) for name in names]
    )


def test_code_is_highlighted_up_to_a_length_for_each_cell_and_for_the_page() -> None:
    most = COLOURED_PAGE_CHARS // COLOURED_CELL_CHARS
    lengths = [COLOURED_CELL_CHARS + 1, *most * [COLOURED_CELL_CHARS], 1]
    notebook = new_notebook(cells=[new_markdown_cell(), *(new_code_cell(n * "x") for n in lengths)])
    choose_colours(notebook)
    languages = [cell.metadata["magics_language"] for cell in notebook.cells[1:]]
    assert languages == ["text", *most * ["python3"], "text"]
    assert "magics_language" not in notebook.cells[0].metadata
