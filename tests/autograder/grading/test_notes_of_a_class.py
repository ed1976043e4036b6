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
from autograder.workers.jobs import Done, Failed, Job, Page
from tests.support.pictures import picture
from tests.support.small_class import STEPS, Here, answered, hand_in, run, solutions, told

SECRET = b"<script>alert('a polyglot')</script>"


def unexamined(job: Job | Page) -> Done | None:
    """Replace the examiner's result, which does not matter here, and let real pages be made."""
    return told(job) if isinstance(job, Job) else None


def polyglot() -> str:
    file = io.BytesIO()
    Image.new("RGB", (60, 40), "orange").save(file, "JPEG", comment=SECRET)
    return base64.b64encode(file.getvalue() + SECRET).decode()


def note_of(notebook: NotebookNode) -> Any:
    return next(cell for cell in notebook.cells if grade_id(cell) == "why")


@pytest.fixture
def room(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "class"))


@pytest.fixture
def work(room: Path) -> NotebookNode:
    return answered(room, {name: text for name, text in solutions(room).items() if name != "why"})


def shown_note(room: Path, student: str) -> Any:
    path = room / "autograded" / student / STEPS / f"{STEPS}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return note_of(notebook)


def page_text(room: Path, student: str) -> str:
    return (room / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")


def answer_on_page(room: Path, student: str) -> Any:
    return BeautifulSoup(page_text(room, student), "html.parser").select_one("#answer-why")


def waits(room: Path, student: str) -> bool:
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as book:
        return bool(book.find_grade("why", STEPS, STEPS, student).needs_manual_grade)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_pictures_of_a_note_are_decoded_for_the_grader_and_the_page(room: Path, language: str) -> None:
    work = answered(room, {}, language)
    note = note_of(work)
    note.source = (
        f"Before.\n\n![own](attachment:a.png)\n\n![](data:image/jpeg;base64,{polyglot()})\n\n"
        "![](curve.png)\n\n![](attachment:bad.png)\n\nAfter."
    )
    note.attachments = {"a.png": {"image/png": picture(80, 40)}, "bad.png": {"image/png": "AAAA"}}
    half = new_code_cell("print(1)", metadata=copy.deepcopy(note.metadata), id="half")
    work.cells.insert(work.cells.index(note) + 1, half)
    path = hand_in(room, "ann", work)
    (path.parent / "curve.png").write_bytes(base64.b64decode(picture(50, 30)))
    summary, _ = run(room, Here(unexamined))
    assert not summary.failed
    assert waits(room, "ann")

    kept = shown_note(room, "ann")
    data = [base64.b64decode(text) for bundle in kept.attachments.values() for text in bundle.values()]
    assert [Image.open(io.BytesIO(each)).size for each in data] == [(80, 40), (60, 40), (50, 30)]
    assert [each for each in data if SECRET in each] == []
    names = [
        f"![{alt}](attachment:picture-{at})" for at, alt in zip((1, 3), ("own", "curve.png"), strict=True)
    ]
    assert [name for name in names if name not in kept.source] == []

    answer = answer_on_page(room, "ann")
    tags = [tag.name for tag in answer.find_all(["div", "img", "p", "pre"]) if tag.get("class") != ["label"]]
    assert tags == ["div", "img", "img", "img", "p", "div", "pre"]
    sentence = {"en": "is not shown: it is damaged", "ko": "표시하지 못했습니다. 파일이 손상"}[language]
    assert sentence in answer.select_one(".remark").text
    sources = [image["src"] for image in answer.select("img")]
    assert sources == [
        f"data:{kind};base64,{text}" for bundle in kept.attachments.values() for kind, text in bundle.items()
    ]
    assert all(image["alt"] for image in answer.select("img"))


def test_written_answer_with_only_a_picture_needs_manual_grading(room: Path, work: NotebookNode) -> None:
    note_of(work).source = f"![](data:image/png;base64,{picture(80, 40)})"
    hand_in(room, "ann", work)
    run(room, Here(unexamined))
    assert waits(room, "ann")
    assert len(answer_on_page(room, "ann").select("img")) == 1


def test_a_page_that_is_made_again_shows_the_pictures_again(room: Path, work: NotebookNode) -> None:
    note_of(work).source = f"![](data:image/png;base64,{picture(80, 40)})"
    hand_in(room, "ann", work)
    run(room, Here(unexamined))
    before, kept = page_text(room, "ann"), shown_note(room, "ann")
    run(room, Here(unexamined), act=make_pages, force=True)
    assert (page_text(room, "ann"), shown_note(room, "ann")) == (before, kept)


def test_failed_page_leaves_no_picture_data_in_the_graded_note(room: Path, work: NotebookNode) -> None:
    note_of(work).source = f"Words.\n\n![](data:image/jpeg;base64,{polyglot()})"
    hand_in(room, "ann", work)

    def spoil(job: Job | Page) -> Done | None:
        return Failed("it ended") if isinstance(job, Page) and not job.bare else unexamined(job)

    summary, _ = run(room, Here(spoil))
    assert not summary.failed
    kept = shown_note(room, "ann")
    assert "attachments" not in kept
    assert "Words." in kept.source
    assert "is not shown: decoding it took too long or failed." in kept.source


def test_all_parts_of_a_split_note_reach_the_grader_and_the_page(room: Path, work: NotebookNode) -> None:
    note = note_of(work)
    at = work.cells.index(note)
    parts = ["It **doubles**.", "<b>Twice</b>.", "Third."]
    work.cells[at : at + 1] = [copy.deepcopy(note) for _ in parts]
    for cell, part in zip(work.cells[at:], parts, strict=True):
        cell.source = part
    hand_in(room, "ann", work)
    _, said = run(room, Here(unexamined))
    assert said == [f"ann/{STEPS}: duplicate:why"]
    assert waits(room, "ann")
    assert [part.text for part in answer_on_page(room, "ann").select(".typed")] == parts
    assert "&lt;b&gt;Twice" in shown_note(room, "ann").source


def test_graded_notebook_and_page_show_the_answer_cell_that_counted(room: Path, work: NotebookNode) -> None:
    answer = next(cell for cell in work.cells if grade_id(cell) == "double")
    rest = copy.deepcopy(answer)
    rest.source, rest.id = "# checked by hand: 12.002", "rest"
    work.cells.insert(work.cells.index(answer) + 1, rest)
    hand_in(room, "ann", work)
    run(room, Here(unexamined))
    found = BeautifulSoup(page_text(room, "ann"), "html.parser").select_one("#answer-double pre")
    assert found is not None
    assert found.text.strip() == answer.source
