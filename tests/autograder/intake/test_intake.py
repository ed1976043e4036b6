"""Tests of the intake: any file leads to a submission or to a rejection in a sentence, never to a crash.

The number in a test's name (d01, a35, e37) is that of a case in tests/hostile/ids.txt and docs/trust.md.
tests/hostile sends the same cases through the grader: the tests here check the intake's result, and the tests
there check the student's score.
"""

import copy
import inspect
import io
import json
import os
import re
import resource
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.cells import text_id
from autograder.intake import files, parse
from autograder.intake.files import is_named_after, valid_student_id
from autograder.intake.submission import Rejected, Step, Submission
from autograder.intake.take_in import SubmittedFile, find_file, parse_submission, take_in

ROOT = Path(__file__).resolve().parents[3]
LESSON = "01_what_autograd_does"
STUB = "def grad_square(x):\n    raise NotImplementedError"
RIGHT = "def grad_square(x):\n    return 2 * x"
WRONG = "def grad_square(x):\n    return x * 0"
CUBE = "class Cube:\n    pass"
TEST = "check.close(grad_square(3.0), 6.0)"


def _make_metadata(name: str, *, test: Any = False, points: Any = 0.0, manual: Any = False) -> Any:
    flags = {"grade_id": name, "grade": test or manual, "solution": not test, "locked": test}
    return {"nbgrader": {**flags, "schema_version": 3, "task": False, "points": points}}


def make_release(lang: str = "en") -> Any:
    """Return a small released notebook with two tested tasks and one answer in prose."""
    prose = {"en": "# What autograd does", "ko": "# 오토그래드가 하는 일"}[lang]
    cells = [
        new_markdown_cell(prose, id=f"title-{lang}"),
        new_code_cell("import math\nimport torch\nfrom secant import language\nseed = 1", id="setup"),
        new_code_cell("torch.ones(3).sum()", id="demo"),
        new_code_cell(STUB, id="grad_square", metadata=_make_metadata("grad_square")),
        new_code_cell(
            TEST, id="test_grad_square", metadata=_make_metadata("test_grad_square", test=True, points=2)
        ),
        new_code_cell(
            "class Cube:\n    raise NotImplementedError", id="Cube", metadata=_make_metadata("Cube")
        ),
        new_code_cell(
            "check(Cube())", id="test_Cube", metadata=_make_metadata("test_Cube", test=True, points=3)
        ),
        new_markdown_cell("Why?", id="why", metadata=_make_metadata("why", manual=True, points=1)),
    ]
    kernel = {"name": "python3", "display_name": "Python 3"}
    return new_notebook(cells=cells, metadata={"lang": lang, "kernelspec": kernel})


RELEASES = {"en": make_release("en"), "ko": make_release("ko")}


def make_answered(lang: str = "en", square: Any = RIGHT) -> Any:
    """Return the submission of a student who answered everything."""
    notebook = make_release(lang)
    find_cell(notebook, "grad_square").source = square
    find_cell(notebook, "Cube").source = CUBE
    find_cell(notebook, "why").source = "Because."
    return notebook


def find_cell(notebook: NotebookNode, name: str) -> Any:
    return next(cell for cell in notebook.cells if cell.id == name)


def take_in_content(content: Any, folder: Path | None = None, name: str = f"{LESSON}.ipynb") -> Any:
    """Run the intake on one submitted file, given as a notebook, a JSON value, text or bytes."""
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary_folder:
            return take_in_content(content, Path(temporary_folder), name)
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    data = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(data)
    return take_in(folder, LESSON, RELEASES)


def expect_accepted(content: Any, **options: Any) -> Any:
    result = take_in_content(content, **options)
    assert isinstance(result, Submission), result
    nbformat.validate(result.notebook)
    marks = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in result.notebook.cells]
    names = [mark for mark in marks if mark]
    assert sorted(names) == sorted({"grad_square", "test_grad_square", "Cube", "test_Cube", "why"})
    sources = [step.source for step in result.steps]
    assert TEST not in sources
    return result


def expect_rejected(content: Any, reason: Any, **options: Any) -> Any:
    result = take_in_content(content, **options)
    assert isinstance(result, Rejected), result
    assert result.reason == reason
    assert result.message == result.en != result.ko
    assert result.en.endswith((".", "?"))
    return result


def run_steps(result: Any) -> Any:
    """Run the steps like the candidate: a failing step does not stop the next. Return the bound names."""
    names: dict[str, Any] = {}
    for step in result.steps:
        try:
            exec(step.source, names)
        except Exception:
            names.setdefault("failed", []).append(step.label)
    return names


# --- An ordinary submission ----------------------------------------------------------------------------


def test_an_answered_notebook_is_taken_in_whole() -> None:
    result = expect_accepted(make_answered())
    assert [step.label for step in result.steps] == [
        "imports",
        "cell 2",
        "cell 3",
        "answer grad_square",
        "answer Cube",
    ]
    assert result.steps[3].task == "grad_square"
    assert result.answers == {"grad_square": RIGHT, "Cube": CUBE, "why": "Because."}
    assert result.notes == []
    assert result.language == "en"
    assert result.file == f"{LESSON}.ipynb"
    assert result.notebook == make_answered()
    assert len(result.script.digest) == 64


def test_the_unchanged_release_is_noted() -> None:
    result = expect_accepted(make_release())
    assert result.notes == ["unchanged"]
    assert result.answers["grad_square"] == STUB


def test_intake_does_not_change_the_release_version() -> None:
    before = copy.deepcopy(RELEASES)
    expect_accepted(make_answered())
    assert before == RELEASES


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_intake_uses_the_submissions_own_language(lang: str) -> None:
    assert expect_accepted(make_answered(lang)).language == lang


def test_language_without_metadata_is_read_from_the_prose() -> None:
    notebook = make_answered("ko")
    del notebook.metadata["lang"]
    assert expect_accepted(notebook).language == "ko"
    notebook.cells[0].source = "# What autograd does. This text is also there in Korean: 한국어"
    assert expect_accepted(notebook).language == "en"


def test_a_lesson_may_be_released_in_one_language(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text(json.dumps(make_answered("ko")))
    result = take_in(tmp_path, LESSON, {"en": RELEASES["en"]})
    assert result.language == "en"
    assert result.answers["grad_square"] == RIGHT


def test_submission_may_be_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(json.dumps(make_answered()))
    assert isinstance(take_in(path, LESSON, RELEASES), Submission)


# --- Malformed files ------------------------------------------------------------------------------------


def test_d01_truncated_json_is_rejected() -> None:
    text = json.dumps(make_answered(), indent=1)[:-700]
    result = expect_rejected(text, "not_a_notebook")
    assert f"line {text.count(chr(10)) + 1}" in result.en
    assert f"{text.count(chr(10)) + 1}번째 줄" in result.ko


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"\0" * 100])
def test_d02_empty_file_is_rejected(data: bytes) -> None:
    expect_rejected(data, "empty")


@pytest.mark.parametrize("text", ["[]", "3", "null", '"cells"', "{}", '{"cells": 5}', '{"worksheets": {}}'])
def test_d03_json_that_is_not_a_notebook_is_rejected(text: str) -> None:
    expect_rejected(text, "not_a_notebook")


@pytest.mark.parametrize("format_number", [99, 5, 2, 1, -1, "NaN", "Infinity", "9" * 5000])
def test_d05_unknown_notebook_format_is_rejected(format_number: int | str) -> None:
    text = json.dumps(make_answered()).replace('"nbformat": 4', f'"nbformat": {format_number}')
    expect_rejected(text, "format")


@pytest.mark.parametrize("format_number", [None, "4", True, [], 4.5])
def test_d05_a_damaged_format_number_is_tolerated(format_number: Any) -> None:
    expect_accepted({**make_answered(), "nbformat": format_number, "nbformat_minor": "x"})


def test_d05_format_3_is_upgraded() -> None:
    cells = []
    for cell in make_answered().cells:
        cell = {**cell, "metadata": dict(cell.metadata)}
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
        cells.append(cell)
    cells.append({"cell_type": "heading", "level": 1, "source": "The end"})
    sheets = [{"cells": cells[:4]}, {"cells": cells[4:]}, {"cells": 7}, 7]
    result = expect_accepted({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": sheets})
    assert result.notes == ["old_format"]
    assert result.answers["grad_square"] == RIGHT


@pytest.mark.parametrize("metadata", [None, 5, [], {}])
def test_d06_missing_notebook_metadata_is_tolerated(metadata: Any) -> None:
    notebook = {**make_answered(), "metadata": metadata}
    assert expect_accepted(notebook).notebook.metadata == make_release().metadata
    del notebook["metadata"]
    expect_accepted(notebook)


@pytest.mark.parametrize("metadata", [None, 5, "x", [], {"nbgrader": 7}, {"nbgrader": {"grade_id": [1]}}])
def test_d07_cells_without_usable_metadata_or_ids_are_tolerated(metadata: Any) -> None:
    notebook = json.loads(json.dumps(make_answered()))
    for cell in notebook["cells"]:
        cell["metadata"] = metadata
        del cell["id"]
    result = expect_accepted(notebook)
    assert result.answers == {"grad_square": RIGHT, "Cube": CUBE, "why": "Because."}
    assert "found_by_name:grad_square" in result.notes
    assert "found_by_place:why" in result.notes
    for cell in notebook["cells"]:
        del cell["metadata"]
    expect_accepted(notebook)


def test_d07_cells_without_metadata_are_known_by_their_ids() -> None:
    notebook = json.loads(json.dumps(make_answered()))
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    assert expect_accepted(notebook).answers["why"] == "Because."


def test_d07_duplicate_cell_ids_are_tolerated() -> None:
    notebook = make_answered()
    for cell in notebook.cells:
        cell.id = "same"
    assert expect_accepted(notebook).answers["grad_square"] == RIGHT


def test_d07_notebook_without_any_cell_of_the_lesson_is_rejected() -> None:
    result = expect_rejected({"nbformat": 4, "cells": [new_code_cell("x = 1"), 5]}, "wrong_notebook")
    assert LESSON in result.en


@pytest.mark.parametrize("bracket", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [5_000, 200_000, 3_000_000])
def test_d09_deeply_nested_json_is_rejected(bracket: str, depth: int) -> None:
    expect_rejected(bracket * depth, "too_deep")


def test_d09_deeply_nested_valid_json_is_rejected() -> None:
    expect_rejected("[" * 5_000 + "]" * 5_000, "too_deep")


def test_d09_brackets_inside_a_string_do_not_count_as_nesting() -> None:
    assert isinstance(
        take_in_content(json.dumps(make_answered()).replace("Because", "[{" * 5_000 + '\\"[')), Submission
    )


def test_d09_too_many_lists_for_the_memory_are_rejected() -> None:
    expect_rejected("[" + "[]," * parse.MAX_BRACKETS + "0]", "too_deep")


def test_d09_deep_nesting_in_an_ignored_field_raises_no_error() -> None:
    text = json.dumps(make_answered()).replace(
        '"metadata": {', '"metadata": {"deep": ' + "[" * 900 + "]" * 900 + ", ", 1
    )
    assert isinstance(take_in_content(text), Submission | Rejected)


def test_d10_text_that_is_not_utf8_is_rejected() -> None:
    data = json.dumps(make_answered()).encode().replace(b"Because", b"Bec\xffuse")
    position = data.index(b"\xff") + 1
    result = expect_rejected(data, "encoding")
    assert f"byte {position:,} is 0xFF" in result.en
    assert f"{position:,}번째 바이트가 0xFF" in result.ko


def test_d10_text_in_korean_windows_encoding_is_rejected() -> None:
    notebook = make_answered()
    find_cell(notebook, "why").source = "왜냐하면"
    expect_rejected(json.dumps(notebook, ensure_ascii=False).encode("cp949"), "encoding")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_d11_byte_order_marks_and_wide_encodings_are_read(encoding: str) -> None:
    notebook = make_answered("ko")
    find_cell(notebook, "why").source = "왜냐하면"
    data = json.dumps(notebook, ensure_ascii=False).encode(encoding)
    assert expect_accepted(data).answers["why"] == "왜냐하면"


def test_d13_nan_infinity_and_huge_numbers_are_ignored() -> None:
    text = (
        json.dumps(make_answered())
        .replace('"points": 2', '"points": NaN')
        .replace('"points": 3', '"points": -Infinity')
    )
    text = text.replace('"nbformat_minor": 5', '"nbformat_minor": ' + "9" * 1_000_000)
    text = text.replace('"schema_version": 3', '"schema_version": 1.' + "0" * 38 + "e5", 1)
    result = expect_accepted(text)
    assert find_cell(result.notebook, "test_grad_square").metadata.nbgrader.points == 2
    assert "changed_metadata:test_grad_square" in result.notes


def test_d13_the_last_of_duplicate_keys_counts() -> None:
    text = json.dumps(make_answered())
    key = '"source": ' + json.dumps(RIGHT)
    assert expect_accepted(text.replace(key, '"source": "x = 1", ' + key)).answers["grad_square"] == RIGHT


def test_d14_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with open(tmp_path / f"{LESSON}.ipynb", "wb") as file:
        file.truncate(500_000_000)
    tracemalloc.start()
    result = take_in(tmp_path, LESSON, RELEASES)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(result, Rejected)
    assert result.reason == "too_large"
    assert peak < 1_000_000


def test_d14_a_large_output_is_let_through() -> None:
    notebook = make_answered()
    output = nbformat.v4.new_output("display_data", {"image/png": "A" * 15_000_000})
    find_cell(notebook, "demo").outputs = [output]
    assert find_cell(expect_accepted(notebook).notebook, "demo").outputs == []


def test_d14_too_many_cells_are_refused_and_long_ones_left_out() -> None:
    notebook = make_answered()
    expect_rejected({**notebook, "cells": [*notebook.cells, *[{}] * 1000]}, "too_many_cells")
    notebook.cells.append(new_code_cell("#" * 100_001))
    assert expect_accepted(notebook).notes == []
    notebook.cells[8:] = [new_code_cell("#" * size) for size in (400_000, 399_999, 399_998)]
    result = expect_accepted(notebook)
    assert result.notes == ["left_out:cell 9"]
    assert [len(step.source) for step in result.steps[-2:]] == [399_999, 399_998]


@pytest.mark.parametrize("name", ["bash", "evil", "../../x", 7, None])
def test_d16_submitted_kernelspec_is_replaced_by_the_lessons(name: int | str | None) -> None:
    notebook = make_answered()
    notebook.metadata["kernelspec"] = {"name": name, "display_name": "x"}
    assert expect_accepted(notebook).notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize(
    "name",
    [
        f"{LESSON} (1).ipynb",
        f"{LESSON}(2).ipynb",
        f"{LESSON}.ipynb.txt",
        f"{LESSON} (1).ipynb.txt",
        f"{LESSON}.ipynb.json",
        f"{LESSON}.IPYNB",
        f"{LESSON.upper()}.ipynb",
        f"{LESSON}-Copy1.ipynb",
        f"{LESSON}-Copy1-Copy2.ipynb",
        f"{LESSON} - Copy.ipynb",
        f"{LESSON} - Copy (2).ipynb",
        f"{LESSON} copy 2.ipynb",
        f"{LESSON} - 복사본.ipynb",
        f"{LESSON} 복사본 2.ipynb",
        f"{LESSON}의 사본.ipynb",
        f"{LESSON}.ipynb의 사본",
        f"Copy of {LESSON}.ipynb",
        f"Copy of Copy of {LESSON}.ipynb",
        f"복사본 {LESSON}.ipynb",
        f"{LESSON}-1.ipynb",
        f"{LESSON}-12-1.ipynb",
        f"{LESSON}.ipynb\u200b",
        "homework.ipynb",
        "Untitled.ipynb",
    ],
)
def test_d17_a_renamed_notebook_is_accepted(name: str) -> None:
    assert expect_accepted(make_answered(), name=name).notes == ["renamed"]


@pytest.mark.parametrize("name", ["notes.txt", "ipynb", f"{LESSON}.py", f"._{LESSON}.ipynb", f"{LESSON}.pdf"])
def test_d17_folder_without_a_notebook_is_rejected(name: str) -> None:
    rejection = expect_rejected(make_answered(), "no_notebook", name=name)
    assert f"{LESSON}.ipynb" in rejection.en
    if not name.startswith("."):
        assert f": {name} (a notebook under another name). Rename it" in rejection.en
        assert f": {name} (이름만 바뀐 노트북). 이름이" in rejection.ko


def test_d17_empty_or_missing_folder_is_rejected(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing", tmp_path / "missing" / "too"):
        result = take_in(folder, LESSON, RELEASES)
        assert isinstance(result, Rejected)
        assert result.reason == "no_notebook"


def test_d18_the_exactly_named_of_two_notebooks_counts(tmp_path: Path) -> None:
    names = (f"{LESSON}-Copy1.ipynb", f"{LESSON} (3).ipynb", "other.ipynb")
    for name in names:
        (tmp_path / name).write_text(json.dumps(make_answered(square=WRONG)))
    result = expect_accepted(make_answered(), folder=tmp_path)
    assert result.answers["grad_square"] == RIGHT
    other_flags = [f"other_answers:{name}" for name in names]
    assert result.notes == ["several_notebooks", f"counted:{LESSON}.ipynb", *other_flags]


def test_d18_a_copy_with_answers_counts_before_a_stub(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON} (1).ipynb").write_text(json.dumps(make_answered()))
    (tmp_path / "other lesson.ipynb").write_text(json.dumps(new_notebook(cells=[new_code_cell("1")])))
    result = expect_accepted(make_release(), folder=tmp_path)
    assert result.answers["grad_square"] == RIGHT
    assert result.file == f"{LESSON} (1).ipynb"
    assert result.notes == ["several_notebooks", f"counted:{LESSON} (1).ipynb"]


@pytest.mark.parametrize(
    "pattern", ["Copy of {}{}.ipynb", "{}-{}.ipynb", "{}{}의 사본.ipynb", "{}.ipynb{}의 사본"]
)
def test_d18_the_answered_one_of_two_copies_counts(tmp_path: Path, pattern: str) -> None:
    marks = ("1", "2") if "-" in pattern else ("", " copy") if pattern.endswith(".ipynb") else ("", "의 사본")
    for blank_mark, answered_mark in (marks, marks[::-1]):
        (tmp_path / pattern.format(LESSON, blank_mark)).write_text(json.dumps(make_release()))
        name = pattern.format(LESSON, answered_mark)
        result = expect_accepted(make_answered(), folder=tmp_path, name=name)
        assert (result.answers["grad_square"], result.file) == (RIGHT, name)


def test_d18_a_readable_copy_of_an_unreadable_notebook_counts(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text('{"cells": [')
    result = expect_accepted(make_answered(), folder=tmp_path, name=f"{LESSON} (1).ipynb")
    assert result.notes == ["several_notebooks", f"counted:{LESSON} (1).ipynb"]


def test_d18_one_of_two_attempts_counts_as_a_whole(tmp_path: Path) -> None:
    """Points never come from two notebooks. The one with the lesson's name counts, even if it is worse."""
    half_answered = make_release()
    find_cell(half_answered, "grad_square").source = WRONG
    (tmp_path / f"{LESSON} (1).ipynb").write_text(json.dumps(make_answered()))
    result = expect_accepted(half_answered, folder=tmp_path)
    assert result.unwritten == {"Cube", "why"}
    assert (result.file, result.answers["grad_square"]) == (f"{LESSON}.ipynb", WRONG)
    assert f"other_answers:{LESSON} (1).ipynb" in result.notes


def test_d18_an_earlier_save_of_the_same_answers_is_ignored(tmp_path: Path) -> None:
    half_answered = make_release()
    find_cell(half_answered, "grad_square").source = RIGHT
    (tmp_path / f"{LESSON} (1).ipynb").write_text(json.dumps(half_answered))
    assert expect_accepted(make_answered(), folder=tmp_path).notes == ["several_notebooks"]


def test_d18_a_flood_of_notebooks_is_read_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        (tmp_path / f"{LESSON} ({number}).ipynb").write_text(json.dumps(make_answered()))
    (tmp_path / f"{LESSON}.ipynb").write_text(json.dumps(make_release()))
    submitted_file = find_file(tmp_path, LESSON)
    assert isinstance(submitted_file, SubmittedFile)
    assert len(submitted_file.other_files) == files.MAX_NOTEBOOKS - 1
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 2 * len(submitted_file.other_files[0].data))
    submitted_file = find_file(tmp_path, LESSON)
    assert isinstance(submitted_file, SubmittedFile)
    assert len(submitted_file.other_files) == 2  # the limit for one file also bounds their total size


def take_in_languages(folder: Path, english: Any, korean: Any) -> Any:
    for name, notebook in ((f"{LESSON}.ipynb", english), (f"{LESSON}.ko.ipynb", korean)):
        (folder / name).write_text(json.dumps(notebook))
    submission = take_in(folder, LESSON, RELEASES)
    assert isinstance(submission, Submission)
    return submission


def test_answered_one_of_two_language_versions_counts(tmp_path: Path) -> None:
    english = take_in_languages(tmp_path, make_answered(), make_release("ko"))
    assert (english.file, english.language, english.notes) == (f"{LESSON}.ipynb", "en", [])
    korean = take_in_languages(tmp_path, make_release(), make_answered("ko"))
    assert (korean.file, korean.language, korean.notes) == (f"{LESSON}.ko.ipynb", "ko", [])
    assert korean.answers["grad_square"] == RIGHT
    assert english.script.digest != korean.script.digest
    both_answered = take_in_languages(tmp_path, make_answered(square=WRONG), make_answered("ko"))
    assert both_answered.language == "en"
    assert both_answered.notes == [
        "two_languages",
        f"counted:{LESSON}.ipynb",
        f"other_answers:{LESSON}.ko.ipynb",
    ]
    same_answers = take_in_languages(tmp_path, make_answered(), make_answered("ko"))
    assert (same_answers.language, same_answers.notes) == ("en", ["two_languages"])
    neither_answered = take_in_languages(tmp_path, make_release(), make_release("ko"))
    assert (neither_answered.language, neither_answered.notes) == ("en", ["unchanged"])
    (tmp_path / f"{LESSON}.ipynb").unlink()
    korean_alone = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(korean_alone, Submission)
    assert (korean_alone.language, korean_alone.notes) == ("ko", ["unchanged"])


def test_unreadable_language_version_does_not_spoil_the_other(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text("{")
    (tmp_path / f"{LESSON}.ko.ipynb").write_text(json.dumps(make_answered("ko")))
    submission = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(submission, Submission)
    assert submission.language == "ko"
    (tmp_path / f"{LESSON}.ipynb").unlink()
    (tmp_path / f"{LESSON}.ipynb").symlink_to(tmp_path / f"{LESSON}.ko.ipynb")
    assert isinstance(take_in(tmp_path, LESSON, RELEASES), Submission)
    (tmp_path / f"{LESSON}.ko.ipynb").write_text("{")
    rejection = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(rejection, Rejected)


DAMAGED_TEXTS = {
    "cut short": json.dumps(make_answered())[:-50],
    "empty": "",
    "no cells": json.dumps({**make_answered(), "cells": []}),
    "a zip": "PK\3\4",
}


@pytest.mark.parametrize("damage", DAMAGED_TEXTS)
@pytest.mark.parametrize(
    "blank_name", [f"{LESSON}.ko.ipynb", f"{LESSON} (1).ipynb", f"{LESSON}.ko (1).ipynb"]
)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_blank_notebook_does_not_stand_for_one_that_cannot_be_read(
    tmp_path: Path, damage: str, blank_name: str, is_swapped: bool
) -> None:
    damaged_name, readable_name = (
        (blank_name, f"{LESSON}.ipynb") if is_swapped else (f"{LESSON}.ipynb", blank_name)
    )
    (tmp_path / readable_name).write_text(json.dumps(make_release("ko")))
    expected = take_in_content(DAMAGED_TEXTS[damage])
    rejection = expect_rejected(DAMAGED_TEXTS[damage], expected.reason, folder=tmp_path, name=damaged_name)
    assert (rejection.en, rejection.ko) == (
        f"{damaged_name}: {expected.en}",
        f"{damaged_name}: {expected.ko}",
    )
    (tmp_path / readable_name).write_text(json.dumps(make_answered("ko")))
    result = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(result, Submission)
    assert (result.file, len(result.answers)) == (readable_name, 3)
    assert f"counted:{readable_name}" in result.notes


def test_a_blank_notebook_does_not_stand_for_one_that_is_not_even_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    korean = tmp_path / f"{LESSON}.ko.ipynb"
    blank = expect_accepted(make_release(), folder=tmp_path)
    assert blank.notes == ["unchanged"]
    korean.symlink_to("nowhere")
    rejection = take_in(tmp_path, LESSON, RELEASES)
    assert (rejection.reason, rejection.en[: len(korean.name)]) == ("link", korean.name)
    file_beside_link = find_file(
        tmp_path, LESSON
    )  # the blank notebook, and the reason why the other was not read
    assert isinstance(file_beside_link, SubmittedFile)
    assert file_beside_link.digest != blank.script.digest, "the grade of the blank one would be kept"
    assert expect_accepted(make_answered(), folder=tmp_path).notes == [f"counted:{LESSON}.ipynb"]
    korean.unlink()
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 20_000)
    korean.write_text(" " * 20_001)
    assert expect_rejected(make_release(), "too_large", folder=tmp_path).en.startswith(korean.name)
    file_beside_large = find_file(tmp_path, LESSON)
    assert isinstance(file_beside_large, SubmittedFile)
    assert file_beside_large.data == file_beside_link.data
    assert file_beside_large.digest != file_beside_link.digest


def test_a_notebook_of_another_lesson_may_lie_beside_a_blank_one(tmp_path: Path) -> None:
    (tmp_path / "scratch.ipynb").write_text(json.dumps(new_notebook(cells=[new_code_cell("1")])))
    assert expect_accepted(make_release(), folder=tmp_path).notes == ["several_notebooks", "unchanged"]


def test_d18_the_last_of_several_copies_counts(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON} (2).ipynb").write_text(json.dumps(make_answered(square=WRONG)))
    result = expect_accepted(make_answered(), folder=tmp_path, name=f"{LESSON} (10).ipynb")
    assert result.answers["grad_square"] == RIGHT
    assert result.notes == [
        "renamed",
        "several_notebooks",
        f"counted:{LESSON} (10).ipynb",
        f"other_answers:{LESSON} (2).ipynb",
    ]


def test_d18_two_notebooks_with_unknown_names_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("{}")
    (tmp_path / "notes.txt").write_text("")
    rejection = expect_rejected(make_answered(), "no_notebook", folder=tmp_path, name="b.ipynb")
    assert ": a.ipynb, b.ipynb. " in rejection.en
    assert f"Rename the one with your answers to {LESSON}.ipynb" in rejection.en
    assert ": a.ipynb, b.ipynb. " in rejection.ko
    assert f"이름을 {LESSON}.ipynb로 바꾸고" in rejection.ko


def test_d19_a_link_is_not_followed(tmp_path: Path) -> None:
    real_path = tmp_path / "real.json"
    real_path.write_text(json.dumps(make_answered()))
    folder = tmp_path / "student"
    folder.mkdir()
    for target in (str(real_path), "/etc/passwd", "nowhere", f"{LESSON}.ipynb"):
        link = folder / f"{LESSON}.ipynb"
        link.symlink_to(target)
        for path in (folder, link):
            result = take_in(path, LESSON, RELEASES)
            assert isinstance(result, Rejected)
            assert result.reason == "link"
        link.unlink()


def test_d19_a_linked_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real" / LESSON).mkdir(parents=True)
    (tmp_path / "real" / LESSON / f"{LESSON}.ipynb").write_text(json.dumps(make_answered()))
    submitted_folder = tmp_path / "submitted"
    submitted_folder.mkdir()
    (submitted_folder / "ann").symlink_to(tmp_path / "real")
    (submitted_folder / "bob").mkdir()
    (submitted_folder / "bob" / LESSON).symlink_to(tmp_path / "real" / LESSON)
    for student in ("ann", "bob"):
        result = take_in(submitted_folder / student / LESSON, LESSON, RELEASES, root=submitted_folder)
        assert isinstance(result, Rejected)
        assert result.reason == "link"
    assert take_in(submitted_folder / "bob" / LESSON, LESSON, RELEASES).reason == "link"
    # Links above the root are the instructor's own.
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert isinstance(
        take_in(tmp_path / "alias" / LESSON, LESSON, RELEASES, root=tmp_path / "alias"), Submission
    )


def test_d19_special_files_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / f"{LESSON}.ipynb"
    server = socket.socket(socket.AF_UNIX)
    previous_folder = os.getcwd()
    os.chdir(tmp_path)  # the path of a socket must be short

    def make_socket() -> None:
        server.bind(path.name)

    makers = [lambda: os.mkfifo(path), path.mkdir, make_socket]
    if os.geteuid() == 0:
        makers.append(lambda: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5)))  # /dev/zero
    try:
        for make in makers:
            make()
            started = time.monotonic()
            result = take_in(tmp_path, LESSON, RELEASES)
            assert isinstance(result, Rejected)
            assert result.reason == "not_a_file"
            assert time.monotonic() - started < 1
            path.rmdir() if path.is_dir() else path.unlink()
    except PermissionError:
        pytest.skip("this machine makes no device files")
    finally:
        os.chdir(previous_folder)
        server.close()


def test_d19_a_hard_link_is_noted(tmp_path: Path) -> None:
    result = expect_accepted(make_answered(), folder=tmp_path)
    os.link(tmp_path / f"{LESSON}.ipynb", tmp_path / "other.bin")
    result = take_in(tmp_path, LESSON, RELEASES)
    assert "hard_link" in result.notes


def test_d22_similarly_named_notebooks_do_not_displace_the_exact_one(tmp_path: Path) -> None:
    for name in (f"{LESSON.upper()}.ipynb", f"{LESSON}.ipynb\u200b", f"{LESSON}.IPYNB"):
        (tmp_path / name).write_text(json.dumps(make_answered(square=WRONG)))
    result = expect_accepted(make_answered(), folder=tmp_path)
    assert result.answers["grad_square"] == RIGHT
    assert result.notes[:2] == ["several_notebooks", f"counted:{LESSON}.ipynb"]
    assert len(result.notes) == 5


def test_d22_file_name_that_is_not_valid_text_is_escaped(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\x1b[2J.ipynb")
    (tmp_path / name).write_text(json.dumps(make_answered()))
    result = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(result, Submission)
    assert result.file == r"\udcff\x1b[2J.ipynb"


@pytest.mark.parametrize("name", ["ann", "2024-12345", "a.b_c", "Ann@school.edu", "x" * 64, "김철수", "Zoë"])
def test_d23_valid_student_ids_are_accepted(name: str) -> None:
    assert valid_student_id(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "a/b", "a\\b", "a;rm", "[*]", "a*", "x" * 65, "-rf", ".ssh", "a b", "a\n"),
        *(
            "a..b",
            "a+b",
            "a.",
            unicodedata.normalize("NFD", "김철수"),
            "ａ",
            "a\0b",
            "$(id)",
            "a'b",
            "\u202ea",
        ),
    ],
)
def test_d23_odd_student_ids_are_refused(name: Any) -> None:
    assert not valid_student_id(name)


def test_d25_files_beside_the_notebook_count_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "timestamp.txt").write_text("2001-01-01 00:00:00 UTC")
    (tmp_path / "submission_secret.txt").write_text("5" * 128)
    (tmp_path / "data").mkdir()
    assert expect_accepted(make_answered(), folder=tmp_path).notes == []
    (tmp_path / "torch.py").write_text("evil = True")
    assert expect_accepted(make_answered(), folder=tmp_path).notes == ["side_files"]


def test_d25_an_unchanged_lesson_file_is_not_noted_as_a_side_file(tmp_path: Path) -> None:
    released_folder, submitted_folder = tmp_path / "given", tmp_path / "handed"
    for folder in (released_folder, submitted_folder):
        folder.mkdir()
        (folder / "numbers.csv").write_text("1,2")
    (submitted_folder / f"{LESSON}.ipynb").write_text(json.dumps(make_answered()))

    def read_notes() -> Any:
        result = take_in(submitted_folder, LESSON, RELEASES, released_files=released_folder)
        assert isinstance(result, Submission)
        return result.notes

    assert read_notes() == []
    (submitted_folder / "numbers.csv").write_text("1,3")
    assert read_notes() == ["side_files"]
    (submitted_folder / "numbers.csv").unlink()
    (submitted_folder / "numbers.csv").symlink_to(released_folder / "numbers.csv")
    assert read_notes() == ["side_files"]


def test_a_zip_with_a_notebooks_name_is_called_a_zip() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{LESSON}.ipynb", json.dumps(make_answered()))
    assert "It is a zip archive." in expect_rejected(buffer.getvalue(), "not_a_notebook").message


def test_d26_attachments_and_widget_state_are_discarded() -> None:
    notebook = make_answered()
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": 5}
    notebook.cells[0]["attachments"] = [7]
    find_cell(notebook, "demo")["outputs"] = "garbage"
    find_cell(notebook, "demo")["execution_count"] = {}
    assert expect_accepted(notebook).notebook == make_answered()


def test_d27_line_ends_tabs_and_form_feeds_are_understood() -> None:
    source = 'def grad_square(x):\r\n\ttext = """\r\n%time\r\n"""\r\n\f\r\n\treturn 2 * x'
    result = expect_accepted(make_answered(square=source))
    assert "\r" not in result.answers["grad_square"]
    assert run_steps(result)["grad_square"](3) == 6
    assert expect_accepted(make_answered(square=RIGHT.replace("\n", "\r"))).answers["grad_square"] == RIGHT
    text = json.dumps(make_answered(), indent=1).replace("\n", "\r\n")
    assert expect_accepted(text).answers["grad_square"] == RIGHT


@pytest.mark.parametrize("source", [RIGHT.splitlines(keepends=True), [RIGHT, 5, None, []]])
def test_d27_cell_source_given_as_a_list_is_joined(source: Any) -> None:
    notebook = json.loads(json.dumps(make_answered()))
    notebook["cells"][3]["source"] = source
    assert expect_accepted(notebook).answers["grad_square"] == RIGHT


@pytest.mark.parametrize("source", [None, 5, {}, [[RIGHT]]])
def test_d27_a_source_that_is_no_string_is_read_as_empty(source: Any) -> None:
    notebook = json.loads(json.dumps(make_answered()))
    notebook["cells"][3]["source"] = source
    assert expect_accepted(notebook).answers["grad_square"] == ""


def test_d27_lone_surrogates_become_question_marks() -> None:
    text = json.dumps(make_answered(square="x = '\ud800'"))
    assert expect_accepted(text).answers["grad_square"] == "x = '?'"


def test_d29_a_file_that_changes_while_it_is_read_is_taken_in_whole(tmp_path: Path) -> None:
    path = tmp_path / f"{LESSON}.ipynb"
    versions = [json.dumps(make_answered(square=source)).encode() for source in (RIGHT, WRONG)]
    path.write_bytes(versions[0])
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            for version in versions:
                new_file = tmp_path / "other"
                new_file.write_bytes(version)
                new_file.replace(path)

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(50):
            result = take_in(path, LESSON, RELEASES)
            assert isinstance(result, Submission)
            source = result.answers["grad_square"]
            assert source in (RIGHT, WRONG)
            assert result.script.digest == take_in_content(versions[source == WRONG]).script.digest
            assert find_cell(result.notebook, "grad_square").source == source
    finally:
        stop.set()
        thread.join()


def test_d29_file_that_grows_while_it_is_read_takes_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / f"{LESSON}.ipynb", "wb") as file:
        file.truncate(200_000_000)
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 100_000)
    fstat = os.fstat
    # Let fstat report 10 bytes, as if the file had grown since then.
    monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result([*fstat(fd)[:6], 10, *fstat(fd)[7:]]))
    tracemalloc.start()
    result = take_in(tmp_path, LESSON, RELEASES)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.reason == "too_large"
    assert peak < 1_000_000


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_d29_a_file_that_is_swapped_after_it_was_checked_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    submitted_folder = tmp_path / "student"
    real_folder = tmp_path / "real"
    real_folder.mkdir()
    path = real_folder / f"{LESSON}.ipynb"
    path.write_text(json.dumps(make_answered()))
    checked_names = []

    def lstat(folder: Path, name: str, real_lstat: Any = files._lstat) -> Any:
        """Return the status before the file is swapped at the first call for a name, then the current one."""
        checked_names.append(name)
        is_first = checked_names.count(name) == 1
        return (
            os.stat(real_folder if name == submitted_folder.name else path)
            if is_first
            else real_lstat(folder, name)
        )

    if kind == "folder":
        submitted_folder.symlink_to(real_folder)
        monkeypatch.setattr(files, "_lstat", lambda folder, name: os.stat(real_folder))
    else:
        submitted_folder.mkdir()
        bad_path = submitted_folder / path.name
        os.mkfifo(bad_path) if kind == "pipe" else bad_path.symlink_to(path)
        monkeypatch.setattr(files, "_lstat", lstat)
    result = take_in(submitted_folder, LESSON, RELEASES)
    assert isinstance(result, Rejected)
    assert result.reason == {"link": "link", "pipe": "not_a_file", "folder": "no_notebook"}[kind]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_unreadable_permissions_are_a_grader_failure(tmp_path: Path) -> None:
    expect_accepted(make_answered(), folder=tmp_path)
    (tmp_path / f"{LESSON}.ipynb").chmod(0)
    with pytest.raises(PermissionError):
        take_in(tmp_path, LESSON, RELEASES)


# --- Text that a student added --------------------------------------------------------------------------


def make_notebook_with_cells(*cells: Any, index: int = 8, stub: bool = True, lang: str = "en") -> Any:
    """Return a submission with all code answered and cells inserted at `index`.

    The cell of the note `why` has index 7. With `stub=False`, the submission lacks this cell.
    """
    notebook = make_answered(lang)
    notebook.cells.append(new_markdown_cell("## The end", id="end"))
    find_cell(notebook, "why").source = "Why?"
    if not stub:
        notebook.cells = [cell for cell in notebook.cells if cell.id != "why"]
    notebook.cells[index:index] = cells
    return notebook


def make_release_with_ending(lang: str) -> Any:
    notebook = make_release(lang)
    notebook.cells.append(new_markdown_cell("## The end", id="end"))
    return notebook


def take_in_with_ending(notebook: Any, releases: Any = None) -> Any:
    releases_by_language = releases or {lang: make_release_with_ending(lang) for lang in ("en", "ko")}
    result = parse_submission(
        SubmittedFile(f"{LESSON}.ipynb", json.dumps(notebook).encode(), []), LESSON, releases_by_language
    )
    assert isinstance(result, Submission), result
    nbformat.validate(result.notebook)
    return result


TEXT = [new_markdown_cell("Because it *adds*.\n", id="5e1f-1"), new_markdown_cell(" So.", id="5e1f-2")]


@pytest.mark.parametrize(
    ("stub", "index"),
    [(True, 8), (True, 7), (False, 7)],
    ids=["below the stub", "above the stub", "instead of it"],
)
def test_a_note_in_cells_of_the_students_own_is_found_by_its_place(stub: bool, index: int) -> None:
    result = take_in_with_ending(
        make_notebook_with_cells(
            TEXT[0], new_code_cell("1"), new_markdown_cell(" "), TEXT[1], index=index, stub=stub
        )
    )
    assert result.answers["why"] == "Because it *adds*.\n\nSo."
    assert find_cell(result.notebook, "why").source == result.answers["why"]
    assert result.unwritten == set()
    assert result.notes == ["found_by_place:why"]
    assert [cell.id for cell in result.notebook.cells if cell.cell_type == "markdown"] == [
        "title-en",
        "why",
        "end",
    ]
    assert [step.source for step in result.steps if "Because" in step.source] == []


def test_note_text_below_its_emptied_cell_is_found() -> None:
    notebook = make_notebook_with_cells(TEXT[0])
    find_cell(notebook, "why").source = " "
    assert take_in_with_ending(notebook).answers["why"] == "Because it *adds*."


def test_a_note_is_found_below_any_copy_of_its_stub() -> None:
    notebook = make_notebook_with_cells(TEXT[0])
    notebook.cells += [copy.deepcopy(find_cell(notebook, "why")), TEXT[1]]
    result = take_in_with_ending(notebook)
    assert result.answers["why"] == "Because it *adds*.\n\nSo."
    assert result.notes == ["found_by_place:why", "duplicate:why"]


def test_text_added_to_an_answered_note_is_a_part_of_it() -> None:
    notebook = make_notebook_with_cells(*TEXT)
    find_cell(notebook, "why").source = "See below."
    result = take_in_with_ending(notebook)
    assert (result.answers["why"], result.notes) == ("See below.\n\nBecause it *adds*.\n\nSo.", [])
    assert [cell.id for cell in result.notebook.cells][-2:] == ["why", "end"]


@pytest.mark.parametrize("index", [0, 1, 2, 4, -1])
@pytest.mark.parametrize("stub", [True, False])
def test_text_far_from_a_note_is_shown_in_place_but_no_answer(index: int, stub: bool) -> None:
    notebook = make_notebook_with_cells(*TEXT, index=index if index >= 0 else 9 if stub else 8, stub=stub)
    result = take_in_with_ending(notebook)
    assert result.unwritten == {"why"}
    assert result.notes == ([] if stub else ["missing_answer:why"])
    extra_cells = [cell for cell in result.notebook.cells if cell.id.startswith("extra-")]
    assert [cell.source for cell in extra_cells] == [cell.source for cell in TEXT]
    assert {cell.cell_type for cell in extra_cells} == {"markdown"}
    sources = [cell.source for cell in notebook.cells if cell.id != "why"]
    assert [cell.source for cell in result.notebook.cells if cell.id != "why"] == sources


@pytest.mark.parametrize("missing_id", ["test_Cube", "end"])
def test_one_neighbouring_cell_is_enough_to_locate_a_note(missing_id: str) -> None:
    notebook = make_notebook_with_cells(*TEXT, stub=False, index=7)
    notebook.cells = [cell for cell in notebook.cells if cell.id != missing_id]
    notebook.cells.append(notebook.cells.pop(0))  # a cell moved elsewhere makes no difference
    assert take_in_with_ending(notebook).answers["why"] == "Because it *adds*.\n\nSo."


def test_text_is_no_answer_if_all_cells_around_the_note_are_gone() -> None:
    notebook = make_notebook_with_cells(*TEXT, stub=False, index=7)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in ("test_Cube", "end")]
    result = take_in_with_ending(notebook)
    assert {"why"} == result.unwritten
    assert "missing_answer:why" in result.notes


def test_the_lessons_own_text_of_another_edition_or_language_is_no_answer() -> None:
    old_cell = new_markdown_cell("An older text.", id=text_id("markdown", "An older text."))
    korean_cell = new_markdown_cell(make_release_with_ending("ko").cells[0].source, id="5e1f-1")
    for cells in ([old_cell], [korean_cell]):
        result = take_in_with_ending(make_notebook_with_cells(*cells))
        assert result.unwritten == {"why"}
        assert result.notebook == take_in_with_ending(make_notebook_with_cells()).notebook


def test_added_text_is_shown_only_in_lessons_with_a_note() -> None:
    release = make_release()
    release.cells.pop()
    notebook = make_answered()
    notebook.cells[-1] = TEXT[0]
    result = take_in_with_ending(notebook, {"en": release})
    assert result.notebook.cells == make_answered().cells[:-1]


def test_a_foreign_notebook_is_not_taken_for_a_note() -> None:
    expect_rejected(new_notebook(cells=TEXT), "wrong_notebook")
    release = make_release()
    release.cells = release.cells[-1:] + release.cells[:-1]
    foreign_text = json.dumps(new_notebook(cells=TEXT)).encode()
    assert isinstance(
        parse_submission(SubmittedFile("x.ipynb", foreign_text, []), LESSON, {"en": release}), Rejected
    )


def test_added_text_is_bounded() -> None:
    cells = [new_markdown_cell(f"{number} " + "x" * 100) for number in range(900)]
    result = take_in_with_ending(make_notebook_with_cells(*cells, index=1))
    assert len([cell for cell in result.notebook.cells if cell.id.startswith("extra-")]) == 100
    result = take_in_with_ending(
        make_notebook_with_cells(*[new_markdown_cell("x" * 90_000) for _ in range(90)], index=1)
    )
    extra_texts = [cell.source for cell in result.notebook.cells if cell.id.startswith("extra-")]
    assert (extra_texts[0], extra_texts[-1]) == ("x" * 10_000 + " …", " …")
    assert sum(map(len, extra_texts)) < 51_000
    started = time.monotonic()
    assert take_in_with_ending(make_notebook_with_cells(*cells)).answers["why"].count("x") == 900 * 100
    assert time.monotonic() - started < 5


# --- Forging --------------------------------------------------------------------------------------------


def test_a25_a26_tags_are_ignored() -> None:
    notebook = make_answered(square=WRONG)
    find_cell(notebook, "test_grad_square").metadata["tags"] = ["skip-execution"]
    result = expect_accepted(notebook)
    assert "tags" not in find_cell(result.notebook, "test_grad_square").metadata
    assert result.notes == ["changed_metadata:test_grad_square"]


def test_a35_an_edited_test_cell_is_restored() -> None:
    notebook = make_answered()
    find_cell(notebook, "test_grad_square").source = "forged = True"
    result = expect_accepted(notebook)
    assert find_cell(result.notebook, "test_grad_square").source == TEST
    assert "forged" not in run_steps(result)
    assert result.notes == ["changed_test:test_grad_square"]


@pytest.mark.parametrize("source", [f"{TEST}\n\n{RIGHT}", f"{RIGHT}\n{TEST}", RIGHT])
def test_an_answer_typed_into_a_test_cell_counts_like_one_in_any_other(source: str) -> None:
    notebook = make_answered(square=STUB)
    find_cell(notebook, "test_grad_square").source = source
    result = expect_accepted(notebook)
    assert result.answers["grad_square"] == RIGHT
    assert run_steps(result)["grad_square"](3) == 6
    assert find_cell(result.notebook, "grad_square").source == RIGHT
    assert find_cell(result.notebook, "test_grad_square").source == TEST
    assert set(result.notes) == {"found_by_name:grad_square", "changed_test:test_grad_square"}


def test_a_test_that_was_edited_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    release = make_release()
    find_cell(release, "test_grad_square").source = f"{TEST}\ncheck.close(grad_square(1.0), 2.0)"
    notebook = make_answered(square=STUB)
    edited_test = f"{RIGHT}\n{TEST}\ncheck.close(grad_square(1.0), 9.0)"
    find_cell(notebook, "test_grad_square").source = edited_test
    (tmp_path / f"{LESSON}.ipynb").write_text(json.dumps(notebook))
    result = take_in(tmp_path, LESSON, {"en": release})
    assert isinstance(result, Submission)
    assert result.unwritten == {"grad_square"}
    assert result.notes == ["changed_test:test_grad_square"]
    assert not [step for step in result.steps if TEST in step.source]


def test_answer_cell_takes_precedence_over_code_in_a_test_cell() -> None:
    notebook = make_answered()
    find_cell(notebook, "test_grad_square").source = f"{TEST}\n{WRONG}"
    assert run_steps(expect_accepted(notebook))["grad_square"](3) == 6


def test_a36_a37_changed_points_and_flags_are_restored() -> None:
    notebook = make_answered()
    metadata = find_cell(notebook, "test_grad_square").metadata.nbgrader
    metadata.update(points=1e6, solution=True, grade=False, locked=False)
    result = expect_accepted(notebook)
    assert find_cell(result.notebook, "test_grad_square") == find_cell(make_release(), "test_grad_square")
    assert result.notes == ["changed_metadata:test_grad_square"]


def test_a38_a_copied_test_is_dropped() -> None:
    notebook = make_answered()
    notebook.cells.append(copy.deepcopy(find_cell(notebook, "test_grad_square")))
    bare_copy = new_code_cell(TEST, id="bare")
    notebook.cells.append(bare_copy)
    result = expect_accepted(notebook)
    assert len(result.notebook.cells) == 8
    assert result.notes == ["duplicate:test_grad_square"]


def test_a38_of_copied_answers_the_last_written_one_counts() -> None:
    notebook = make_answered(square=WRONG)
    for source in (RIGHT, STUB, ""):
        copied_cell = copy.deepcopy(find_cell(notebook, "grad_square"))
        notebook.cells.append(copied_cell)
        copied_cell.source = source
    result = expect_accepted(notebook)
    assert result.answers["grad_square"] == RIGHT
    assert [step.label for step in result.steps][-3:] == ["cell 4", "answer Cube", "answer grad_square"]
    assert run_steps(result)["grad_square"](3) == 6
    assert result.notes == ["defined_twice:grad_square", "duplicate:grad_square"]
    assert [cell.id for cell in result.notebook.cells][-1] == "grad_square"


def test_a40_cell_with_an_unknown_grade_id_is_matched_by_id_or_definition() -> None:
    notebook = make_answered()
    cell = find_cell(notebook, "grad_square")
    cell.metadata.nbgrader["grade_id"] = "nope"
    assert expect_accepted(notebook).answers["grad_square"] == RIGHT  # found by its cell id
    cell.id = "nope"
    assert expect_accepted(notebook).answers["grad_square"] == RIGHT  # found by the function it defines
    cell.source = "x = 1"
    result = expect_accepted(notebook)
    assert "grad_square" not in result.answers
    assert "missing_answer:grad_square" in result.notes
    assert find_cell(result.notebook, "grad_square").source == STUB
    assert "cell 4" in [step.label for step in result.steps]


def test_a41_deleted_test_cells_are_restored() -> None:
    notebook = make_answered()
    notebook.cells = [cell for cell in notebook.cells if not cell.id.startswith("test_")]
    result = expect_accepted(notebook)
    assert result.notebook.cells == make_answered().cells
    assert result.notes == ["missing_test:test_grad_square", "missing_test:test_Cube"]


def test_a42_a_changed_cell_type_is_restored() -> None:
    notebook = json.loads(json.dumps(make_answered()))
    for cell in notebook["cells"][3:]:
        cell["cell_type"] = "markdown" if cell["cell_type"] == "code" else "code"
    result = expect_accepted(notebook)
    assert run_steps(result)["grad_square"](3) == 6
    assert result.notebook == make_answered()
    assert "changed_type:grad_square" in result.notes
    assert "Because." not in [step.source for step in result.steps]


def test_a43_outputs_are_discarded() -> None:
    notebook = make_answered()
    outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "3"}, execution_count=1)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = outputs, 1
    assert expect_accepted(notebook).notebook == make_answered()


def test_a45_the_last_definition_counts() -> None:
    notebook = make_answered(square=WRONG)
    notebook.cells.append(new_code_cell(RIGHT))
    result = expect_accepted(notebook)
    assert run_steps(result)["grad_square"](3) == 6
    assert result.answers["grad_square"] == find_cell(result.notebook, "grad_square").source == RIGHT
    assert result.notes == ["found_by_name:grad_square", "defined_twice:grad_square"]


@pytest.mark.parametrize("index", [0, 8])
def test_a45_an_answer_in_another_cell_than_the_stub_is_found(index: int) -> None:
    notebook = make_answered(square=STUB)
    notebook.cells.insert(index, new_code_cell(RIGHT))
    result = expect_accepted(notebook)
    assert run_steps(result)["grad_square"](3) == 6
    assert result.answers["grad_square"] == RIGHT
    assert result.notes == ["found_by_name:grad_square"]


@pytest.mark.parametrize(
    "source", ["%%script bash\ntouch x", "!touch x", "%pip install x", "def f(:", "(" * 9000]
)
def test_a46_magics_and_syntax_errors_are_passed_on(source: str) -> None:
    notebook = make_answered(square=f"{source}\n{RIGHT}")
    notebook.cells.append(new_code_cell(source))
    result = expect_accepted(notebook)
    assert result.steps[-1] == Step("cell 9", source, 9)
    assert result.answers["grad_square"].startswith(source)


def test_one_cell_may_answer_two_tasks() -> None:
    notebook = make_answered()
    notebook.cells = [cell for cell in notebook.cells if cell.id not in ("grad_square", "Cube")]
    notebook.cells.insert(1, new_code_cell(f"{RIGHT}\n\n{CUBE}"))
    result = expect_accepted(notebook)
    assert {"grad_square", "Cube"} <= run_steps(result).keys()
    assert [step.source for step in result.steps].count(f"{RIGHT}\n\n{CUBE}") == 1


# --- Honest but unusual ----------------------------------------------------------------------------------


def test_e01_deleted_import_cell_is_restored() -> None:
    notebook = make_answered(square="def grad_square(x):\n    return math.prod([2, x])")
    notebook.cells = [cell for cell in notebook.cells if cell.id != "setup"]
    result = expect_accepted(notebook)
    assert result.steps[0].source == "import math\nimport torch\nfrom secant import language"
    assert run_steps(result)["grad_square"](3) == 6
    assert [cell.id for cell in result.notebook.cells][:2] == ["title-en", "setup"]


def test_a_changed_cell_of_the_lesson_runs_as_the_student_left_it() -> None:
    notebook = make_answered()
    find_cell(notebook, "setup").source += "\nseed = 2"
    result = expect_accepted(notebook)
    assert run_steps(result)["seed"] == 2
    assert find_cell(result.notebook, "setup").source.endswith("seed = 2")


def test_a_cell_of_the_lesson_turned_into_prose_does_not_run() -> None:
    notebook = json.loads(json.dumps(make_answered()))
    notebook["cells"][2].update(cell_type="markdown", source="text")
    result = expect_accepted(notebook)
    assert "cell 3" not in [step.label for step in result.steps]
    assert find_cell(result.notebook, "demo") == find_cell(make_release(), "demo")


def test_reordered_and_extra_cells_stay_where_they_stood() -> None:
    notebook = make_answered()
    notebook.cells.reverse()
    notebook.cells.insert(2, new_code_cell("extra = 1", metadata={"tags": ["x"]}))
    notebook.cells.insert(2, new_markdown_cell("<script>alert(1)</script>"))
    result = expect_accepted(notebook)
    ids = [cell.id for cell in result.notebook.cells]
    assert ids == [
        *("why", "test_Cube", "extra-3", "extra-4", "Cube", "test_grad_square"),
        *("grad_square", "demo", "setup", "title-en"),
    ]
    assert [result.notebook.cells[index].metadata for index in (2, 3)] == [{}, {}]
    assert [step.number for step in result.steps] == [0, 4, 5, 7, 8, 9]


def test_e35_identifiers_in_any_script_are_accepted() -> None:
    source = "def grad_square(x):  # 제곱 🙂\n    값 = 2 * x\n    return 값"
    assert run_steps(expect_accepted(make_answered(square=source)))["grad_square"](3) == 6


def test_e37_the_same_bytes_give_the_same_result() -> None:
    assert take_in_content(make_answered()) == take_in_content(make_answered())


# --- Random input ----------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=15,
)
NAMES = st.sampled_from(["grad_square", "test_grad_square", "Cube", "test_Cube", "why", "setup", "demo", "x"])
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | JSON,
        "source": st.sampled_from([RIGHT, WRONG, STUB, TEST, CUBE]) | st.text() | JSON,
        "input": JSON,
        "id": NAMES | JSON,
        "metadata": st.fixed_dictionaries({"nbgrader": st.fixed_dictionaries({"grade_id": NAMES | JSON})})
        | JSON,
    },
)
NOTEBOOKS = st.fixed_dictionaries(
    {"cells": st.lists(CELLS | JSON, max_size=12) | JSON},
    optional={"nbformat": st.sampled_from([3, 4, 5]) | JSON, "metadata": JSON, "worksheets": JSON},
)


def _is_outcome(result: Any) -> None:
    if isinstance(result, Submission):
        nbformat.validate(result.notebook)
        json.dumps(result.notebook, ensure_ascii=False).encode()
        for step in result.steps:
            step.source.encode()
    else:
        assert isinstance(result, Rejected)


@given(st.binary(max_size=2000))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_taken_in_or_rejected(data: Any) -> None:
    _is_outcome(take_in_content(data))


@pytest.mark.costly("200 documents drawn at random")
@given(JSON)
@settings(max_examples=200, deadline=None)
def test_any_json_is_taken_in_or_rejected(value: Any) -> None:
    _is_outcome(take_in_content(value))


@pytest.mark.costly("300 notebooks drawn at random")
@given(NOTEBOOKS)
@settings(max_examples=300, deadline=None)
def test_any_notebook_is_taken_in_or_rejected(value: Any) -> None:
    _is_outcome(take_in_content(value))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_randomly_damaged_file_is_taken_in_or_rejected(data: Any) -> None:
    content = bytearray(json.dumps(make_answered("ko"), ensure_ascii=False, indent=1).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position : position + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=8))
    _is_outcome(take_in_content(bytes(content)))


@pytest.mark.whole
def test_the_worst_json_within_the_bounds_is_bounded() -> None:
    # Measure the memory of a separate process: tracing each allocation would take three times as long.
    code = f"import {__name__} as here; here.take_the_worst()"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    print(result.stdout.decode())
    measurements = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(measurements) == 4
    assert all(measurement["megabytes"] < 600 and measurement["seconds"] < 60 for measurement in measurements)


def take_the_worst() -> None:
    """Take in the worst texts; after each one, print its time and this process's memory growth so far."""
    before, size = _most_memory(), files.MAX_FILE_BYTES - 100
    texts = [
        "[" + "[]," * (parse.MAX_BRACKETS - 10) + "0]",
        '{"cells":[' + "1," * (size // 2) + "0]}",
        '{"a":[' + '"",' * (size // 3) + "0]}",
        "{" + ",".join(f'"{i:x}":0' for i in range(size // 12)) + "}",
    ]
    for text in texts:
        started = time.monotonic()
        _is_outcome(take_in_content(text))
        measurement = {"seconds": time.monotonic() - started, "megabytes": _most_memory() - before}
        print(json.dumps({"text": text[:12]} | measurement))


def _most_memory() -> float:
    """Return the peak memory of this process in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def test_each_flag_of_the_intake_is_documented() -> None:
    """Compare the flags in docs/grading.md with those in the docstring of `parse_submission`."""
    docstring_flags = set(re.findall(r"`([a-z_]+)(?=[:`])", inspect.getdoc(parse_submission) or ""))
    table = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8").partition("## What the flags mean")[2]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    documented_flags = {
        name for row in rows for name in re.findall(r"`([a-z_]+)(?::[A-Z]+)?`", row.split("|")[1])
    }
    assert documented_flags == docstring_flags | {"rejected", "odd_student_id", "grader_failure"}


COPIES = """
Copy of {}.ipynb
Copy of Copy of {}.ipynb
Copy (2) of {}.ipynb
{} - Copy.ipynb
{} - Copy (2).ipynb
{} – Copy.ipynb
{} copy.ipynb
{} copy 2.ipynb
{}의 사본.ipynb
{}.ipynb의 사본
{}.ipynb의 사본 (1)
{}.ipynb의 사본.ipynb
{} 복사본.ipynb
{} 복사본 2.ipynb
{} - 복사본.ipynb
{} - 복사본 (2).ipynb
복사본 {}.ipynb
복사본 - {}.ipynb
복사본 (2) - {}.ipynb
{} 사본 2.ipynb
{}-1.ipynb
{}-2.ipynb
{}-Copy1.ipynb
{}-Copy1-Copy2.ipynb
{}(1).ipynb
{} (1) (1).ipynb
{} 2.ipynb
{} (copy).ipynb
{} (another copy).ipynb
{} (3rd copy).ipynb
{} (복사본).ipynb
{} (또 다른 복사본).ipynb
{}.ipynb (1)
{}.ipynb - Copy
{}.ipynb.txt
{}.ipynb.ipynb
Copy of {}.ipynb (1).ipynb
{} (Ann's conflicted copy 2026-11-01).ipynb
{} (Ann의 충돌된 사본 2026-11-01).ipynb
{}.ko (1).ipynb
{}-1.ko.ipynb
{}-1-2.ko.ipynb
""".strip().splitlines()


@pytest.mark.parametrize("name", COPIES)
def test_written_one_of_two_copies_counts_however_they_are_named(tmp_path: Path, name: str) -> None:
    """Neither copy has the lesson's own name; one of the two is blank."""
    for number, other in enumerate((f"{LESSON}-7.ipynb", f"{LESSON} (4th copy).ipynb")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / other).write_text(json.dumps(RELEASES["en"]))
        result = expect_accepted(make_answered(), folder=folder, name=name.format(LESSON))
        assert result.file == name.format(LESSON)
        assert result.unwritten == frozenset()


@pytest.mark.parametrize("name", ["{}_final.ipynb", "my {}.ipynb", "{}.ipynb.url", "{}.ipynb.bak", "{}.txt"])
def test_files_with_other_names_do_not_count_as_copies(name: str) -> None:
    assert not is_named_after(LESSON, name.format(LESSON))


def test_long_names_of_copies_are_read_at_once() -> None:
    started = time.process_time()
    for part in (" copy", " (copy", "-1", "의 사본", " (1)", "copy of ", "- ", " copy (", "(conflict"):
        is_named_after(LESSON, part * (240 // len(part)) + ".ipynb")
    assert time.process_time() - started < 0.5
