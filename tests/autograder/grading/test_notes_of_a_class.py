"""Tests of notes with pictures or in several cells, as the person who grades and the student see them."""

import base64
import copy
import io
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from PIL import Image

from autograder.course.cells import grade_id
from autograder.grading.batch import make_pages
from autograder.workers.jobs import Failed, Job, JobResult, Page
from tests.support.pictures import picture
from tests.support.small_class import (
    STEPS,
    InProcessWorkers,
    answered_notebook,
    fake_result,
    hand_in,
    run,
    solutions,
)

SECRET = b"<script>alert('a polyglot')</script>"


def skip_examination(job: Job | Page) -> JobResult | None:
    """Replace the examiner's result, which does not matter here, and let real pages be made."""
    return fake_result(job) if isinstance(job, Job) else None


def make_polyglot() -> str:
    file = io.BytesIO()
    Image.new("RGB", (60, 40), "orange").save(file, "JPEG", comment=SECRET)
    return base64.b64encode(file.getvalue() + SECRET).decode()


def get_note(notebook: NotebookNode) -> Any:
    return next(cell for cell in notebook.cells if grade_id(cell) == "why")


@pytest.fixture
def course_root(built_course: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_course, tmp_path / "class"))


@pytest.fixture
def submission(course_root: Path) -> NotebookNode:
    return answered_notebook(
        course_root, {name: text for name, text in solutions(course_root).items() if name != "why"}
    )


def read_graded_note(course_root: Path, student: str) -> Any:
    path = course_root / "autograded" / student / STEPS / f"{STEPS}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return get_note(notebook)


def read_page(course_root: Path, student: str) -> str:
    return (course_root / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")


def find_answer_on_page(course_root: Path, student: str) -> Any:
    return BeautifulSoup(read_page(course_root, student), "html.parser").select_one("#answer-why")


def needs_manual_grading(course_root: Path, student: str) -> bool:
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        return bool(book.find_grade("why", STEPS, STEPS, student).needs_manual_grade)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_pictures_of_a_note_are_decoded_for_the_grader_and_the_page(course_root: Path, language: str) -> None:
    submission = answered_notebook(course_root, {}, language)
    note = get_note(submission)
    note.source = (
        f"Before.\n\n![own](attachment:a.png)\n\n![](data:image/jpeg;base64,{make_polyglot()})\n\n"
        "![](curve.png)\n\n![](attachment:bad.png)\n\nAfter."
    )
    note.attachments = {"a.png": {"image/png": picture(80, 40)}, "bad.png": {"image/png": "AAAA"}}
    second_half = new_code_cell("print(1)", metadata=copy.deepcopy(note.metadata), id="half")
    submission.cells.insert(submission.cells.index(note) + 1, second_half)
    path = hand_in(course_root, "ann", submission)
    (path.parent / "curve.png").write_bytes(base64.b64decode(picture(50, 30)))
    summary, _ = run(course_root, InProcessWorkers(skip_examination))
    assert not summary.failed
    assert needs_manual_grading(course_root, "ann")

    graded_note = read_graded_note(course_root, "ann")
    pictures = [
        base64.b64decode(text) for bundle in graded_note.attachments.values() for text in bundle.values()
    ]
    assert [Image.open(io.BytesIO(content)).size for content in pictures] == [(80, 40), (60, 40), (50, 30)]
    assert [content for content in pictures if SECRET in content] == []
    names = [
        f"![{alt}](attachment:picture-{number})"
        for number, alt in zip((1, 3), ("own", "curve.png"), strict=True)
    ]
    assert [name for name in names if name not in graded_note.source] == []

    answer = find_answer_on_page(course_root, "ann")
    tags = [tag.name for tag in answer.find_all(["div", "img", "p", "pre"]) if tag.get("class") != ["label"]]
    assert tags == ["div", "img", "img", "img", "p", "div", "pre"]
    sentence = {"en": "is not shown: it is damaged", "ko": "표시하지 못했습니다. 파일이 손상"}[language]
    assert sentence in answer.select_one(".remark").text
    sources = [image["src"] for image in answer.select("img")]
    assert sources == [
        f"data:{kind};base64,{text}"
        for bundle in graded_note.attachments.values()
        for kind, text in bundle.items()
    ]
    assert all(image["alt"] for image in answer.select("img"))


def test_written_answer_with_only_a_picture_needs_manual_grading(
    course_root: Path, submission: NotebookNode
) -> None:
    get_note(submission).source = f"![](data:image/png;base64,{picture(80, 40)})"
    hand_in(course_root, "ann", submission)
    run(course_root, InProcessWorkers(skip_examination))
    assert needs_manual_grading(course_root, "ann")
    assert len(find_answer_on_page(course_root, "ann").select("img")) == 1


def test_a_page_that_is_made_again_shows_the_pictures_again(
    course_root: Path, submission: NotebookNode
) -> None:
    get_note(submission).source = f"![](data:image/png;base64,{picture(80, 40)})"
    hand_in(course_root, "ann", submission)
    run(course_root, InProcessWorkers(skip_examination))
    first_page, graded_note = read_page(course_root, "ann"), read_graded_note(course_root, "ann")
    run(course_root, InProcessWorkers(skip_examination), action=make_pages, force=True)
    assert (read_page(course_root, "ann"), read_graded_note(course_root, "ann")) == (first_page, graded_note)


def test_failed_page_leaves_no_picture_data_in_the_graded_note(
    course_root: Path, submission: NotebookNode
) -> None:
    get_note(submission).source = f"Words.\n\n![](data:image/jpeg;base64,{make_polyglot()})"
    hand_in(course_root, "ann", submission)

    def override(job: Job | Page) -> JobResult | None:
        return Failed("it ended") if isinstance(job, Page) and not job.bare else skip_examination(job)

    summary, _ = run(course_root, InProcessWorkers(override))
    assert not summary.failed
    graded_note = read_graded_note(course_root, "ann")
    assert "attachments" not in graded_note
    assert "Words." in graded_note.source
    assert "is not shown: decoding it took too long or failed." in graded_note.source


def test_all_parts_of_a_split_note_reach_the_grader_and_the_page(
    course_root: Path, submission: NotebookNode
) -> None:
    note = get_note(submission)
    index = submission.cells.index(note)
    parts = ["It **doubles**.", "<b>Twice</b>.", "Third."]
    submission.cells[index : index + 1] = [copy.deepcopy(note) for _ in parts]
    for cell, part in zip(submission.cells[index:], parts, strict=True):
        cell.source = part
    hand_in(course_root, "ann", submission)
    _, messages = run(course_root, InProcessWorkers(skip_examination))
    assert messages == [f"ann/{STEPS}: duplicate:why"]
    assert needs_manual_grading(course_root, "ann")
    assert [part.text for part in find_answer_on_page(course_root, "ann").select(".typed")] == parts
    assert "&lt;b&gt;Twice" in read_graded_note(course_root, "ann").source


def test_graded_notebook_and_page_show_the_answer_cell_that_counted(
    course_root: Path, submission: NotebookNode
) -> None:
    answer = next(cell for cell in submission.cells if grade_id(cell) == "double")
    extra_cell = copy.deepcopy(answer)
    extra_cell.source, extra_cell.id = "# checked by hand: 12.002", "rest"
    submission.cells.insert(submission.cells.index(answer) + 1, extra_cell)
    hand_in(course_root, "ann", submission)
    run(course_root, InProcessWorkers(skip_examination))
    answer_element = BeautifulSoup(read_page(course_root, "ann"), "html.parser").select_one(
        "#answer-double pre"
    )
    assert answer_element is not None
    assert answer_element.text.strip() == answer.source
