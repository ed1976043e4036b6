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


def _graded(name: str, *, test: Any = False, points: Any = 0.0, manual: Any = False) -> Any:
    marks = {"grade_id": name, "grade": test or manual, "solution": not test, "locked": test}
    return {"nbgrader": {**marks, "schema_version": 3, "task": False, "points": points}}


def release(lang: str = "en") -> Any:
    """Return a small released notebook with two tested tasks and one answer in prose."""
    prose = {"en": "# What autograd does", "ko": "# 오토그래드가 하는 일"}[lang]
    cells = [
        new_markdown_cell(prose, id=f"title-{lang}"),
        new_code_cell("import math\nimport torch\nfrom secant import language\nseed = 1", id="setup"),
        new_code_cell("torch.ones(3).sum()", id="demo"),
        new_code_cell(STUB, id="grad_square", metadata=_graded("grad_square")),
        new_code_cell(TEST, id="test_grad_square", metadata=_graded("test_grad_square", test=True, points=2)),
        new_code_cell("class Cube:\n    raise NotImplementedError", id="Cube", metadata=_graded("Cube")),
        new_code_cell("check(Cube())", id="test_Cube", metadata=_graded("test_Cube", test=True, points=3)),
        new_markdown_cell("Why?", id="why", metadata=_graded("why", manual=True, points=1)),
    ]
    kernel = {"name": "python3", "display_name": "Python 3"}
    return new_notebook(cells=cells, metadata={"lang": lang, "kernelspec": kernel})


RELEASES = {"en": release("en"), "ko": release("ko")}


def answered(lang: str = "en", square: Any = RIGHT) -> Any:
    """Return the submission of a student who answered everything."""
    notebook = release(lang)
    cell_of(notebook, "grad_square").source = square
    cell_of(notebook, "Cube").source = CUBE
    cell_of(notebook, "why").source = "Because."
    return notebook


def cell_of(notebook: NotebookNode, name: str) -> Any:
    return next(cell for cell in notebook.cells if cell.id == name)


def take(content: Any, folder: Path | None = None, name: str = f"{LESSON}.ipynb") -> Any:
    """Run the intake on one submitted file, given as a notebook, a JSON value, text or bytes."""
    if folder is None:
        with tempfile.TemporaryDirectory() as fresh:
            return take(content, Path(fresh), name)
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    data = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(data)
    return take_in(folder, LESSON, RELEASES)


def accepted(content: Any, **options: Any) -> Any:
    result = take(content, **options)
    assert isinstance(result, Submission), result
    nbformat.validate(result.notebook)
    marks = [c.metadata.get("nbgrader", {}).get("grade_id") for c in result.notebook.cells]
    names = [mark for mark in marks if mark]
    assert sorted(names) == sorted({"grad_square", "test_grad_square", "Cube", "test_Cube", "why"})
    sources = [step.source for step in result.steps]
    assert TEST not in sources
    return result


def rejected(content: Any, reason: Any, **options: Any) -> Any:
    result = take(content, **options)
    assert isinstance(result, Rejected), result
    assert result.reason == reason
    assert result.message == result.en != result.ko
    assert result.en.endswith((".", "?"))
    return result


def run(result: Any) -> Any:
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
    result = accepted(answered())
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
    assert result.notebook == answered()
    assert len(result.script.digest) == 64


def test_the_unchanged_release_is_noted() -> None:
    result = accepted(release())
    assert result.notes == ["unchanged"]
    assert result.answers["grad_square"] == STUB


def test_intake_does_not_change_the_release_version() -> None:
    before = copy.deepcopy(RELEASES)
    accepted(answered())
    assert before == RELEASES


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_intake_uses_the_submissions_own_language(lang: str) -> None:
    assert accepted(answered(lang)).language == lang


def test_language_without_metadata_is_read_from_the_prose() -> None:
    notebook = answered("ko")
    del notebook.metadata["lang"]
    assert accepted(notebook).language == "ko"
    notebook.cells[0].source = "# What autograd does. This text is also there in Korean: 한국어"
    assert accepted(notebook).language == "en"


def test_a_lesson_may_be_released_in_one_language(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text(json.dumps(answered("ko")))
    result = take_in(tmp_path, LESSON, {"en": RELEASES["en"]})
    assert result.language == "en"
    assert result.answers["grad_square"] == RIGHT


def test_a_file_may_be_given_instead_of_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(json.dumps(answered()))
    assert isinstance(take_in(path, LESSON, RELEASES), Submission)


# --- Malformed files ------------------------------------------------------------------------------------


def test_d01_truncated_json_is_rejected() -> None:
    text = json.dumps(answered(), indent=1)[:-700]
    result = rejected(text, "not_a_notebook")
    assert f"line {text.count(chr(10)) + 1}" in result.en
    assert f"{text.count(chr(10)) + 1}번째 줄" in result.ko


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"\0" * 100])
def test_d02_empty_file_is_rejected(data: bytes) -> None:
    rejected(data, "empty")


@pytest.mark.parametrize("text", ["[]", "3", "null", '"cells"', "{}", '{"cells": 5}', '{"worksheets": {}}'])
def test_d03_json_that_is_not_a_notebook_is_rejected(text: str) -> None:
    rejected(text, "not_a_notebook")


@pytest.mark.parametrize("form", [99, 5, 2, 1, -1, "NaN", "Infinity", "9" * 5000])
def test_d05_unknown_notebook_format_is_rejected(form: int | str) -> None:
    text = json.dumps(answered()).replace('"nbformat": 4', f'"nbformat": {form}')
    rejected(text, "format")


@pytest.mark.parametrize("form", [None, "4", True, [], 4.5])
def test_d05_a_damaged_format_number_is_tolerated(form: Any) -> None:
    accepted({**answered(), "nbformat": form, "nbformat_minor": "x"})


def test_d05_format_3_is_upgraded() -> None:
    cells = []
    for cell in answered().cells:
        cell = {**cell, "metadata": dict(cell.metadata)}
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
        cells.append(cell)
    cells.append({"cell_type": "heading", "level": 1, "source": "The end"})
    sheets = [{"cells": cells[:4]}, {"cells": cells[4:]}, {"cells": 7}, 7]
    result = accepted({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": sheets})
    assert result.notes == ["old_format"]
    assert result.answers["grad_square"] == RIGHT


@pytest.mark.parametrize("metadata", [None, 5, [], {}])
def test_d06_missing_notebook_metadata_is_tolerated(metadata: Any) -> None:
    notebook = {**answered(), "metadata": metadata}
    assert accepted(notebook).notebook.metadata == release().metadata
    del notebook["metadata"]
    accepted(notebook)


@pytest.mark.parametrize("broken", [None, 5, "x", [], {"nbgrader": 7}, {"nbgrader": {"grade_id": [1]}}])
def test_d07_cells_without_usable_metadata_or_ids_are_tolerated(broken: Any) -> None:
    notebook = json.loads(json.dumps(answered()))
    for cell in notebook["cells"]:
        cell["metadata"] = broken
        del cell["id"]
    result = accepted(notebook)
    assert result.answers == {"grad_square": RIGHT, "Cube": CUBE, "why": "Because."}
    assert "found_by_name:grad_square" in result.notes
    assert "found_by_place:why" in result.notes
    for cell in notebook["cells"]:
        del cell["metadata"]
    accepted(notebook)


def test_d07_cells_without_metadata_are_known_by_their_ids() -> None:
    notebook = json.loads(json.dumps(answered()))
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    assert accepted(notebook).answers["why"] == "Because."


def test_d07_duplicate_cell_ids_are_tolerated() -> None:
    notebook = answered()
    for cell in notebook.cells:
        cell.id = "same"
    assert accepted(notebook).answers["grad_square"] == RIGHT


def test_d07_notebook_without_any_cell_of_the_lesson_is_rejected() -> None:
    result = rejected({"nbformat": 4, "cells": [new_code_cell("x = 1"), 5]}, "wrong_notebook")
    assert LESSON in result.en


@pytest.mark.parametrize("bracket", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [5_000, 200_000, 3_000_000])
def test_d09_deeply_nested_json_is_rejected(bracket: str, depth: int) -> None:
    rejected(bracket * depth, "too_deep")


def test_d09_deeply_nested_valid_json_is_rejected() -> None:
    rejected("[" * 5_000 + "]" * 5_000, "too_deep")


def test_d09_brackets_inside_a_string_do_not_count_as_nesting() -> None:
    assert isinstance(take(json.dumps(answered()).replace("Because", "[{" * 5_000 + '\\"[')), Submission)


def test_d09_too_many_lists_for_the_memory_are_rejected() -> None:
    rejected("[" + "[]," * parse.MAX_BRACKETS + "0]", "too_deep")


def test_d09_deep_nesting_in_an_ignored_field_raises_no_error() -> None:
    deep = json.dumps(answered()).replace(
        '"metadata": {', '"metadata": {"deep": ' + "[" * 900 + "]" * 900 + ", ", 1
    )
    assert isinstance(take(deep), Submission | Rejected)


def test_d10_text_that_is_not_utf8_is_rejected() -> None:
    data = json.dumps(answered()).encode().replace(b"Because", b"Bec\xffuse")
    where = data.index(b"\xff") + 1
    result = rejected(data, "encoding")
    assert f"byte {where:,} is 0xFF" in result.en
    assert f"{where:,}번째 바이트가 0xFF" in result.ko


def test_d10_text_in_korean_windows_encoding_is_rejected() -> None:
    notebook = answered()
    cell_of(notebook, "why").source = "왜냐하면"
    rejected(json.dumps(notebook, ensure_ascii=False).encode("cp949"), "encoding")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_d11_byte_order_marks_and_wide_encodings_are_read(encoding: str) -> None:
    notebook = answered("ko")
    cell_of(notebook, "why").source = "왜냐하면"
    data = json.dumps(notebook, ensure_ascii=False).encode(encoding)
    assert accepted(data).answers["why"] == "왜냐하면"


def test_d13_nan_infinity_and_huge_numbers_are_ignored() -> None:
    text = (
        json.dumps(answered())
        .replace('"points": 2', '"points": NaN')
        .replace('"points": 3', '"points": -Infinity')
    )
    text = text.replace('"nbformat_minor": 5', '"nbformat_minor": ' + "9" * 1_000_000)
    text = text.replace('"schema_version": 3', '"schema_version": 1.' + "0" * 38 + "e5", 1)
    result = accepted(text)
    assert cell_of(result.notebook, "test_grad_square").metadata.nbgrader.points == 2
    assert "changed_metadata:test_grad_square" in result.notes


def test_d13_the_last_of_duplicate_keys_counts() -> None:
    text = json.dumps(answered())
    key = '"source": ' + json.dumps(RIGHT)
    assert accepted(text.replace(key, '"source": "x = 1", ' + key)).answers["grad_square"] == RIGHT


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
    notebook = answered()
    output = nbformat.v4.new_output("display_data", {"image/png": "A" * 15_000_000})
    cell_of(notebook, "demo").outputs = [output]
    assert cell_of(accepted(notebook).notebook, "demo").outputs == []


def test_d14_too_many_cells_are_refused_and_long_ones_left_out() -> None:
    notebook = answered()
    rejected({**notebook, "cells": [*notebook.cells, *[{}] * 1000]}, "too_many_cells")
    notebook.cells.append(new_code_cell("#" * 100_001))
    assert accepted(notebook).notes == []
    notebook.cells[8:] = [new_code_cell("#" * size) for size in (400_000, 399_999, 399_998)]
    result = accepted(notebook)
    assert result.notes == ["left_out:cell 9"]
    assert [len(step.source) for step in result.steps[-2:]] == [399_999, 399_998]


@pytest.mark.parametrize("name", ["bash", "evil", "../../x", 7, None])
def test_d16_submitted_kernelspec_is_replaced_by_the_lessons(name: int | str | None) -> None:
    notebook = answered()
    notebook.metadata["kernelspec"] = {"name": name, "display_name": "x"}
    assert accepted(notebook).notebook.metadata.kernelspec.name == "python3"


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
    assert accepted(answered(), name=name).notes == ["renamed"]


@pytest.mark.parametrize("name", ["notes.txt", "ipynb", f"{LESSON}.py", f"._{LESSON}.ipynb", f"{LESSON}.pdf"])
def test_d17_folder_without_a_notebook_is_rejected(name: str) -> None:
    refused = rejected(answered(), "no_notebook", name=name)
    assert f"{LESSON}.ipynb" in refused.en
    if not name.startswith("."):
        assert f": {name} (a notebook under another name). Rename it" in refused.en
        assert f": {name} (이름만 바뀐 노트북). 이름이" in refused.ko


def test_d17_empty_or_missing_folder_is_rejected(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing", tmp_path / "missing" / "too"):
        result = take_in(folder, LESSON, RELEASES)
        assert isinstance(result, Rejected)
        assert result.reason == "no_notebook"


def test_d18_the_exactly_named_of_two_notebooks_counts(tmp_path: Path) -> None:
    names = (f"{LESSON}-Copy1.ipynb", f"{LESSON} (3).ipynb", "other.ipynb")
    for name in names:
        (tmp_path / name).write_text(json.dumps(answered(square=WRONG)))
    result = accepted(answered(), folder=tmp_path)
    assert result.answers["grad_square"] == RIGHT
    others = [f"other_answers:{name}" for name in names]
    assert result.notes == ["several_notebooks", f"counted:{LESSON}.ipynb", *others]


def test_d18_a_copy_with_answers_counts_before_a_stub(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON} (1).ipynb").write_text(json.dumps(answered()))
    (tmp_path / "other lesson.ipynb").write_text(json.dumps(new_notebook(cells=[new_code_cell("1")])))
    result = accepted(release(), folder=tmp_path)
    assert result.answers["grad_square"] == RIGHT
    assert result.file == f"{LESSON} (1).ipynb"
    assert result.notes == ["several_notebooks", f"counted:{LESSON} (1).ipynb"]


@pytest.mark.parametrize(
    "pattern", ["Copy of {}{}.ipynb", "{}-{}.ipynb", "{}{}의 사본.ipynb", "{}.ipynb{}의 사본"]
)
def test_d18_the_answered_one_of_two_copies_counts(tmp_path: Path, pattern: str) -> None:
    marks = ("1", "2") if "-" in pattern else ("", " copy") if pattern.endswith(".ipynb") else ("", "의 사본")
    for blank, written in (marks, marks[::-1]):
        (tmp_path / pattern.format(LESSON, blank)).write_text(json.dumps(release()))
        name = pattern.format(LESSON, written)
        result = accepted(answered(), folder=tmp_path, name=name)
        assert (result.answers["grad_square"], result.file) == (RIGHT, name)


def test_d18_a_readable_copy_of_an_unreadable_notebook_counts(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text('{"cells": [')
    result = accepted(answered(), folder=tmp_path, name=f"{LESSON} (1).ipynb")
    assert result.notes == ["several_notebooks", f"counted:{LESSON} (1).ipynb"]


def test_d18_one_of_two_attempts_counts_as_a_whole(tmp_path: Path) -> None:
    """Points never come from two notebooks. The one with the lesson's name counts, even if it is worse."""
    half = release()
    cell_of(half, "grad_square").source = WRONG
    (tmp_path / f"{LESSON} (1).ipynb").write_text(json.dumps(answered()))
    result = accepted(half, folder=tmp_path)
    assert result.unwritten == {"Cube", "why"}
    assert (result.file, result.answers["grad_square"]) == (f"{LESSON}.ipynb", WRONG)
    assert f"other_answers:{LESSON} (1).ipynb" in result.notes


def test_d18_an_earlier_save_of_the_same_answers_is_ignored(tmp_path: Path) -> None:
    half = release()
    cell_of(half, "grad_square").source = RIGHT
    (tmp_path / f"{LESSON} (1).ipynb").write_text(json.dumps(half))
    assert accepted(answered(), folder=tmp_path).notes == ["several_notebooks"]


def test_d18_a_flood_of_notebooks_is_read_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        (tmp_path / f"{LESSON} ({number}).ipynb").write_text(json.dumps(answered()))
    (tmp_path / f"{LESSON}.ipynb").write_text(json.dumps(release()))
    found = find_file(tmp_path, LESSON)
    assert isinstance(found, SubmittedFile)
    assert len(found.others) == files.MAX_NOTEBOOKS - 1
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 2 * len(found.others[0].data))
    found = find_file(tmp_path, LESSON)
    assert isinstance(found, SubmittedFile)
    assert len(found.others) == 2  # together no larger than one file may be


def in_languages(folder: Path, english: Any, korean: Any) -> Any:
    for name, notebook in ((f"{LESSON}.ipynb", english), (f"{LESSON}.ko.ipynb", korean)):
        (folder / name).write_text(json.dumps(notebook))
    found = take_in(folder, LESSON, RELEASES)
    assert isinstance(found, Submission)
    return found


def test_answered_one_of_two_language_versions_counts(tmp_path: Path) -> None:
    english = in_languages(tmp_path, answered(), release("ko"))
    assert (english.file, english.language, english.notes) == (f"{LESSON}.ipynb", "en", [])
    korean = in_languages(tmp_path, release(), answered("ko"))
    assert (korean.file, korean.language, korean.notes) == (f"{LESSON}.ko.ipynb", "ko", [])
    assert korean.answers["grad_square"] == RIGHT
    assert english.script.digest != korean.script.digest
    both = in_languages(tmp_path, answered(square=WRONG), answered("ko"))
    assert both.language == "en"
    assert both.notes == [
        "two_languages",
        f"counted:{LESSON}.ipynb",
        f"other_answers:{LESSON}.ko.ipynb",
    ]
    same = in_languages(tmp_path, answered(), answered("ko"))
    assert (same.language, same.notes) == ("en", ["two_languages"])
    fresh = in_languages(tmp_path, release(), release("ko"))
    assert (fresh.language, fresh.notes) == ("en", ["unchanged"])
    (tmp_path / f"{LESSON}.ipynb").unlink()
    alone = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(alone, Submission)
    assert (alone.language, alone.notes) == ("ko", ["unchanged"])


def test_unreadable_language_version_does_not_spoil_the_other(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text("{")
    (tmp_path / f"{LESSON}.ko.ipynb").write_text(json.dumps(answered("ko")))
    found = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(found, Submission)
    assert found.language == "ko"
    (tmp_path / f"{LESSON}.ipynb").unlink()
    (tmp_path / f"{LESSON}.ipynb").symlink_to(tmp_path / f"{LESSON}.ko.ipynb")
    assert isinstance(take_in(tmp_path, LESSON, RELEASES), Submission)
    (tmp_path / f"{LESSON}.ko.ipynb").write_text("{")
    refused = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(refused, Rejected)


DAMAGED = {
    "cut short": json.dumps(answered())[:-50],
    "empty": "",
    "no cells": json.dumps({**answered(), "cells": []}),
    "a zip": "PK\3\4",
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("blank", [f"{LESSON}.ko.ipynb", f"{LESSON} (1).ipynb", f"{LESSON}.ko (1).ipynb"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_blank_notebook_does_not_stand_for_one_that_cannot_be_read(
    tmp_path: Path, damage: str, blank: str, swapped: bool
) -> None:
    bad, good = (blank, f"{LESSON}.ipynb") if swapped else (f"{LESSON}.ipynb", blank)
    (tmp_path / good).write_text(json.dumps(release("ko")))
    alone = take(DAMAGED[damage])
    refused = rejected(DAMAGED[damage], alone.reason, folder=tmp_path, name=bad)
    assert (refused.en, refused.ko) == (f"{bad}: {alone.en}", f"{bad}: {alone.ko}")
    (tmp_path / good).write_text(json.dumps(answered("ko")))
    result = take_in(tmp_path, LESSON, RELEASES)
    assert isinstance(result, Submission)
    assert (result.file, len(result.answers)) == (good, 3)
    assert f"counted:{good}" in result.notes


def test_a_blank_notebook_does_not_stand_for_one_that_is_not_even_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    korean = tmp_path / f"{LESSON}.ko.ipynb"
    blank = accepted(release(), folder=tmp_path)
    assert blank.notes == ["unchanged"]
    korean.symlink_to("nowhere")
    refused = take_in(tmp_path, LESSON, RELEASES)
    assert (refused.reason, refused.en[: len(korean.name)]) == ("link", korean.name)
    found = find_file(tmp_path, LESSON)  # the blank notebook, and the reason why the other was not read
    assert isinstance(found, SubmittedFile)
    assert found.digest != blank.script.digest, "the grade of the blank one would be kept"
    assert accepted(answered(), folder=tmp_path).notes == [f"counted:{LESSON}.ipynb"]
    korean.unlink()
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 20_000)
    korean.write_text(" " * 20_001)
    assert rejected(release(), "too_large", folder=tmp_path).en.startswith(korean.name)
    large = find_file(tmp_path, LESSON)
    assert isinstance(large, SubmittedFile)
    assert large.data == found.data
    assert large.digest != found.digest


def test_a_notebook_of_another_lesson_may_lie_beside_a_blank_one(tmp_path: Path) -> None:
    (tmp_path / "scratch.ipynb").write_text(json.dumps(new_notebook(cells=[new_code_cell("1")])))
    assert accepted(release(), folder=tmp_path).notes == ["several_notebooks", "unchanged"]


def test_d18_the_last_of_several_copies_counts(tmp_path: Path) -> None:
    (tmp_path / f"{LESSON} (2).ipynb").write_text(json.dumps(answered(square=WRONG)))
    result = accepted(answered(), folder=tmp_path, name=f"{LESSON} (10).ipynb")
    assert result.answers["grad_square"] == RIGHT
    assert result.notes == [
        "renamed",
        "several_notebooks",
        f"counted:{LESSON} (10).ipynb",
        f"other_answers:{LESSON} (2).ipynb",
    ]


def test_d18_no_guess_is_made_between_two_unknown_names(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("{}")
    (tmp_path / "notes.txt").write_text("")
    refused = rejected(answered(), "no_notebook", folder=tmp_path, name="b.ipynb")
    assert ": a.ipynb, b.ipynb. " in refused.en
    assert f"Rename the one with your answers to {LESSON}.ipynb" in refused.en
    assert ": a.ipynb, b.ipynb. " in refused.ko
    assert f"이름을 {LESSON}.ipynb로 바꾸고" in refused.ko


def test_d19_a_link_is_not_followed(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text(json.dumps(answered()))
    folder = tmp_path / "student"
    folder.mkdir()
    for target in (str(real), "/etc/passwd", "nowhere", f"{LESSON}.ipynb"):
        link = folder / f"{LESSON}.ipynb"
        link.symlink_to(target)
        for path in (folder, link):
            result = take_in(path, LESSON, RELEASES)
            assert isinstance(result, Rejected)
            assert result.reason == "link"
        link.unlink()


def test_d19_a_linked_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real" / LESSON).mkdir(parents=True)
    (tmp_path / "real" / LESSON / f"{LESSON}.ipynb").write_text(json.dumps(answered()))
    submitted = tmp_path / "submitted"
    submitted.mkdir()
    (submitted / "ann").symlink_to(tmp_path / "real")
    (submitted / "bob").mkdir()
    (submitted / "bob" / LESSON).symlink_to(tmp_path / "real" / LESSON)
    for student in ("ann", "bob"):
        result = take_in(submitted / student / LESSON, LESSON, RELEASES, root=submitted)
        assert isinstance(result, Rejected)
        assert result.reason == "link"
    assert take_in(submitted / "bob" / LESSON, LESSON, RELEASES).reason == "link"
    # Links above the root are the instructor's own.
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert isinstance(
        take_in(tmp_path / "alias" / LESSON, LESSON, RELEASES, root=tmp_path / "alias"), Submission
    )


def test_d19_special_files_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / f"{LESSON}.ipynb"
    server = socket.socket(socket.AF_UNIX)
    home = os.getcwd()
    os.chdir(tmp_path)  # the path of a socket must be short

    def make_socket() -> None:
        server.bind(path.name)

    kinds = [lambda: os.mkfifo(path), path.mkdir, make_socket]
    if os.geteuid() == 0:
        kinds.append(lambda: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5)))  # /dev/zero
    try:
        for make in kinds:
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
        os.chdir(home)
        server.close()


def test_d19_a_hard_link_is_noted(tmp_path: Path) -> None:
    result = accepted(answered(), folder=tmp_path)
    os.link(tmp_path / f"{LESSON}.ipynb", tmp_path / "other.bin")
    result = take_in(tmp_path, LESSON, RELEASES)
    assert "hard_link" in result.notes


def test_d22_similarly_named_notebooks_do_not_displace_the_exact_one(tmp_path: Path) -> None:
    for name in (f"{LESSON.upper()}.ipynb", f"{LESSON}.ipynb\u200b", f"{LESSON}.IPYNB"):
        (tmp_path / name).write_text(json.dumps(answered(square=WRONG)))
    result = accepted(answered(), folder=tmp_path)
    assert result.answers["grad_square"] == RIGHT
    assert result.notes[:2] == ["several_notebooks", f"counted:{LESSON}.ipynb"]
    assert len(result.notes) == 5


def test_d22_file_name_that_is_not_valid_text_is_escaped(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\x1b[2J.ipynb")
    (tmp_path / name).write_text(json.dumps(answered()))
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
    assert accepted(answered(), folder=tmp_path).notes == []
    (tmp_path / "torch.py").write_text("evil = True")
    assert accepted(answered(), folder=tmp_path).notes == ["side_files"]


def test_d25_an_unchanged_lesson_file_is_not_noted_as_a_side_file(tmp_path: Path) -> None:
    given, handed = tmp_path / "given", tmp_path / "handed"
    for folder in (given, handed):
        folder.mkdir()
        (folder / "numbers.csv").write_text("1,2")
    (handed / f"{LESSON}.ipynb").write_text(json.dumps(answered()))

    def notes() -> Any:
        taken = take_in(handed, LESSON, RELEASES, released_files=given)
        assert isinstance(taken, Submission)
        return taken.notes

    assert notes() == []
    (handed / "numbers.csv").write_text("1,3")
    assert notes() == ["side_files"]
    (handed / "numbers.csv").unlink()
    (handed / "numbers.csv").symlink_to(given / "numbers.csv")
    assert notes() == ["side_files"]


def test_a_zip_with_a_notebooks_name_is_called_a_zip() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{LESSON}.ipynb", json.dumps(answered()))
    assert "It is a zip archive." in rejected(packed.getvalue(), "not_a_notebook").message


def test_d26_attachments_and_widget_state_are_discarded() -> None:
    notebook = answered()
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": 5}
    notebook.cells[0]["attachments"] = [7]
    cell_of(notebook, "demo")["outputs"] = "garbage"
    cell_of(notebook, "demo")["execution_count"] = {}
    assert accepted(notebook).notebook == answered()


def test_d27_line_ends_tabs_and_form_feeds_are_understood() -> None:
    source = 'def grad_square(x):\r\n\ttext = """\r\n%time\r\n"""\r\n\f\r\n\treturn 2 * x'
    result = accepted(answered(square=source))
    assert "\r" not in result.answers["grad_square"]
    assert run(result)["grad_square"](3) == 6
    assert accepted(answered(square=RIGHT.replace("\n", "\r"))).answers["grad_square"] == RIGHT
    text = json.dumps(answered(), indent=1).replace("\n", "\r\n")
    assert accepted(text).answers["grad_square"] == RIGHT


@pytest.mark.parametrize("source", [RIGHT.splitlines(keepends=True), [RIGHT, 5, None, []]])
def test_d27_cell_source_given_as_a_list_is_joined(source: Any) -> None:
    notebook = json.loads(json.dumps(answered()))
    notebook["cells"][3]["source"] = source
    assert accepted(notebook).answers["grad_square"] == RIGHT


@pytest.mark.parametrize("source", [None, 5, {}, [[RIGHT]]])
def test_d27_a_source_that_is_no_string_is_read_as_empty(source: Any) -> None:
    notebook = json.loads(json.dumps(answered()))
    notebook["cells"][3]["source"] = source
    assert accepted(notebook).answers["grad_square"] == ""


def test_d27_lone_surrogates_become_question_marks() -> None:
    text = json.dumps(answered(square="x = '\ud800'"))
    assert accepted(text).answers["grad_square"] == "x = '?'"


def test_d29_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / f"{LESSON}.ipynb"
    versions = [json.dumps(answered(square=source)).encode() for source in (RIGHT, WRONG)]
    path.write_bytes(versions[0])
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            for version in versions:
                other = tmp_path / "other"
                other.write_bytes(version)
                other.replace(path)

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(50):
            result = take_in(path, LESSON, RELEASES)
            assert isinstance(result, Submission)
            source = result.answers["grad_square"]
            assert source in (RIGHT, WRONG)
            assert result.script.digest == take(versions[source == WRONG]).script.digest
            assert cell_of(result.notebook, "grad_square").source == source
    finally:
        stop.set()
        thread.join()


def test_d29_file_that_grows_while_it_is_read_takes_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / f"{LESSON}.ipynb", "wb") as file:
        file.truncate(200_000_000)
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 100_000)
    real = os.fstat
    # Report the size that the file had a moment ago.
    monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result([*real(fd)[:6], 10, *real(fd)[7:]]))
    tracemalloc.start()
    result = take_in(tmp_path, LESSON, RELEASES)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.reason == "too_large"
    assert peak < 1_000_000


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_d29_a_file_that_is_swapped_after_the_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    submitted = tmp_path / "student"
    real = tmp_path / "real"
    real.mkdir()
    path = real / f"{LESSON}.ipynb"
    path.write_text(json.dumps(answered()))
    looks = []

    def lstat(folder: Path, name: str, look: Any = files._lstat) -> Any:
        """Return the old status at the first look at each name, and the current status afterwards."""
        looks.append(name)
        first = looks.count(name) == 1
        return os.stat(real if name == submitted.name else path) if first else look(folder, name)

    if kind == "folder":
        submitted.symlink_to(real)
        monkeypatch.setattr(files, "_lstat", lambda folder, name: os.stat(real))
    else:
        submitted.mkdir()
        bad = submitted / path.name
        os.mkfifo(bad) if kind == "pipe" else bad.symlink_to(path)
        monkeypatch.setattr(files, "_lstat", lstat)
    result = take_in(submitted, LESSON, RELEASES)
    assert isinstance(result, Rejected)
    assert result.reason == {"link": "link", "pipe": "not_a_file", "folder": "no_notebook"}[kind]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_unreadable_permissions_are_a_grader_failure(tmp_path: Path) -> None:
    accepted(answered(), folder=tmp_path)
    (tmp_path / f"{LESSON}.ipynb").chmod(0)
    with pytest.raises(PermissionError):
        take_in(tmp_path, LESSON, RELEASES)


# --- Text that a student added --------------------------------------------------------------------------


def noted(*cells: Any, where: int = 8, stub: bool = True, lang: str = "en") -> Any:
    """Return a submission with all code answered and cells inserted at index `where`.

    The note `why` has index 7. With `stub=False`, its own cell is missing.
    """
    notebook = answered(lang)
    notebook.cells.append(new_markdown_cell("## The end", id="end"))
    cell_of(notebook, "why").source = "Why?"
    if not stub:
        notebook.cells = [cell for cell in notebook.cells if cell.id != "why"]
    notebook.cells[where:where] = cells
    return notebook


def noted_release(lang: str) -> Any:
    released = release(lang)
    released.cells.append(new_markdown_cell("## The end", id="end"))
    return released


def take_noted(notebook: Any, releases: Any = None) -> Any:
    released = releases or {lang: noted_release(lang) for lang in ("en", "ko")}
    result = parse_submission(
        SubmittedFile(f"{LESSON}.ipynb", json.dumps(notebook).encode(), []), LESSON, released
    )
    assert isinstance(result, Submission), result
    nbformat.validate(result.notebook)
    return result


TEXT = [new_markdown_cell("Because it *adds*.\n", id="5e1f-1"), new_markdown_cell(" So.", id="5e1f-2")]


@pytest.mark.parametrize(
    ("stub", "where"),
    [(True, 8), (True, 7), (False, 7)],
    ids=["below the stub", "above the stub", "instead of it"],
)
def test_a_note_in_cells_of_the_students_own_is_found_by_its_place(stub: bool, where: int) -> None:
    result = take_noted(
        noted(TEXT[0], new_code_cell("1"), new_markdown_cell(" "), TEXT[1], where=where, stub=stub)
    )
    assert result.answers["why"] == "Because it *adds*.\n\nSo."
    assert cell_of(result.notebook, "why").source == result.answers["why"]
    assert result.unwritten == set()
    assert result.notes == ["found_by_place:why"]
    assert [c.id for c in result.notebook.cells if c.cell_type == "markdown"] == ["title-en", "why", "end"]
    assert [step.source for step in result.steps if "Because" in step.source] == []


def test_note_text_below_its_emptied_cell_is_found() -> None:
    notebook = noted(TEXT[0])
    cell_of(notebook, "why").source = " "
    assert take_noted(notebook).answers["why"] == "Because it *adds*."


def test_a_note_is_found_below_any_copy_of_its_stub() -> None:
    notebook = noted(TEXT[0])
    notebook.cells += [copy.deepcopy(cell_of(notebook, "why")), TEXT[1]]
    result = take_noted(notebook)
    assert result.answers["why"] == "Because it *adds*.\n\nSo."
    assert result.notes == ["found_by_place:why", "duplicate:why"]


def test_text_added_to_an_answered_note_is_a_part_of_it() -> None:
    notebook = noted(*TEXT)
    cell_of(notebook, "why").source = "See below."
    result = take_noted(notebook)
    assert (result.answers["why"], result.notes) == ("See below.\n\nBecause it *adds*.\n\nSo.", [])
    assert [cell.id for cell in result.notebook.cells][-2:] == ["why", "end"]


@pytest.mark.parametrize("where", [0, 1, 2, 4, -1])
@pytest.mark.parametrize("stub", [True, False])
def test_text_far_from_a_note_is_shown_in_place_but_no_answer(where: int, stub: bool) -> None:
    notebook = noted(*TEXT, where=where if where >= 0 else 9 if stub else 8, stub=stub)
    result = take_noted(notebook)
    assert result.unwritten == {"why"}
    assert result.notes == ([] if stub else ["missing_answer:why"])
    shown = [cell for cell in result.notebook.cells if cell.id.startswith("extra-")]
    assert [cell.source for cell in shown] == [cell.source for cell in TEXT]
    assert {cell.cell_type for cell in shown} == {"markdown"}
    sources = [cell.source for cell in notebook.cells if cell.id != "why"]
    assert [cell.source for cell in result.notebook.cells if cell.id != "why"] == sources


@pytest.mark.parametrize("gone", ["test_Cube", "end"])
def test_one_neighbouring_cell_is_enough_to_locate_a_note(gone: str) -> None:
    notebook = noted(*TEXT, stub=False, where=7)
    notebook.cells = [cell for cell in notebook.cells if cell.id != gone]
    notebook.cells.append(notebook.cells.pop(0))  # a cell moved elsewhere makes no difference
    assert take_noted(notebook).answers["why"] == "Because it *adds*.\n\nSo."


def test_text_is_no_answer_if_all_cells_around_the_note_are_gone() -> None:
    notebook = noted(*TEXT, stub=False, where=7)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in ("test_Cube", "end")]
    result = take_noted(notebook)
    assert {"why"} == result.unwritten
    assert "missing_answer:why" in result.notes


def test_the_lessons_own_text_of_another_edition_or_language_is_no_answer() -> None:
    old = new_markdown_cell("An older text.", id=text_id("markdown", "An older text."))
    korean = new_markdown_cell(noted_release("ko").cells[0].source, id="5e1f-1")
    for cells in ([old], [korean]):
        result = take_noted(noted(*cells))
        assert result.unwritten == {"why"}
        assert result.notebook == take_noted(noted()).notebook


def test_added_text_is_shown_only_in_lessons_with_a_note() -> None:
    released = release()
    released.cells.pop()
    notebook = answered()
    notebook.cells[-1] = TEXT[0]
    result = take_noted(notebook, {"en": released})
    assert result.notebook.cells == answered().cells[:-1]


def test_a_foreign_notebook_is_not_taken_for_a_note() -> None:
    rejected(new_notebook(cells=TEXT), "wrong_notebook")
    first = release()
    first.cells = first.cells[-1:] + first.cells[:-1]
    foreign = json.dumps(new_notebook(cells=TEXT)).encode()
    assert isinstance(
        parse_submission(SubmittedFile("x.ipynb", foreign, []), LESSON, {"en": first}), Rejected
    )


def test_added_text_is_bounded() -> None:
    many = [new_markdown_cell(f"{number} " + "x" * 100) for number in range(900)]
    result = take_noted(noted(*many, where=1))
    assert len([cell for cell in result.notebook.cells if cell.id.startswith("extra-")]) == 100
    result = take_noted(noted(*[new_markdown_cell("x" * 90_000) for _ in range(90)], where=1))
    shown = [cell.source for cell in result.notebook.cells if cell.id.startswith("extra-")]
    assert (shown[0], shown[-1]) == ("x" * 10_000 + " …", " …")
    assert sum(map(len, shown)) < 51_000
    started = time.monotonic()
    assert take_noted(noted(*many)).answers["why"].count("x") == 900 * 100
    assert time.monotonic() - started < 5


# --- Forging --------------------------------------------------------------------------------------------


def test_a25_a26_tags_are_ignored() -> None:
    notebook = answered(square=WRONG)
    cell_of(notebook, "test_grad_square").metadata["tags"] = ["skip-execution"]
    result = accepted(notebook)
    assert "tags" not in cell_of(result.notebook, "test_grad_square").metadata
    assert result.notes == ["changed_metadata:test_grad_square"]


def test_a35_an_edited_test_cell_is_restored() -> None:
    notebook = answered()
    cell_of(notebook, "test_grad_square").source = "forged = True"
    result = accepted(notebook)
    assert cell_of(result.notebook, "test_grad_square").source == TEST
    assert "forged" not in run(result)
    assert result.notes == ["changed_test:test_grad_square"]


@pytest.mark.parametrize("typed", [f"{TEST}\n\n{RIGHT}", f"{RIGHT}\n{TEST}", RIGHT])
def test_an_answer_typed_into_a_test_cell_counts_like_one_in_any_other(typed: str) -> None:
    notebook = answered(square=STUB)
    cell_of(notebook, "test_grad_square").source = typed
    result = accepted(notebook)
    assert result.answers["grad_square"] == RIGHT
    assert run(result)["grad_square"](3) == 6
    assert cell_of(result.notebook, "grad_square").source == RIGHT
    assert cell_of(result.notebook, "test_grad_square").source == TEST
    assert set(result.notes) == {"found_by_name:grad_square", "changed_test:test_grad_square"}


def test_a_test_that_was_edited_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    released = release()
    cell_of(released, "test_grad_square").source = f"{TEST}\ncheck.close(grad_square(1.0), 2.0)"
    notebook = answered(square=STUB)
    edited = f"{RIGHT}\n{TEST}\ncheck.close(grad_square(1.0), 9.0)"
    cell_of(notebook, "test_grad_square").source = edited
    (tmp_path / f"{LESSON}.ipynb").write_text(json.dumps(notebook))
    result = take_in(tmp_path, LESSON, {"en": released})
    assert isinstance(result, Submission)
    assert result.unwritten == {"grad_square"}
    assert result.notes == ["changed_test:test_grad_square"]
    assert not [step for step in result.steps if TEST in step.source]


def test_answer_cell_takes_precedence_over_code_in_a_test_cell() -> None:
    notebook = answered()
    cell_of(notebook, "test_grad_square").source = f"{TEST}\n{WRONG}"
    assert run(accepted(notebook))["grad_square"](3) == 6


def test_a36_a37_changed_points_and_flags_are_restored() -> None:
    notebook = answered()
    marks = cell_of(notebook, "test_grad_square").metadata.nbgrader
    marks.update(points=1e6, solution=True, grade=False, locked=False)
    result = accepted(notebook)
    assert cell_of(result.notebook, "test_grad_square") == cell_of(release(), "test_grad_square")
    assert result.notes == ["changed_metadata:test_grad_square"]


def test_a38_a_copied_test_is_dropped() -> None:
    notebook = answered()
    notebook.cells.append(copy.deepcopy(cell_of(notebook, "test_grad_square")))
    bare = new_code_cell(TEST, id="bare")
    notebook.cells.append(bare)
    result = accepted(notebook)
    assert len(result.notebook.cells) == 8
    assert result.notes == ["duplicate:test_grad_square"]


def test_a38_of_copied_answers_the_last_written_one_counts() -> None:
    notebook = answered(square=WRONG)
    for source in (RIGHT, STUB, ""):
        copied = copy.deepcopy(cell_of(notebook, "grad_square"))
        notebook.cells.append(copied)
        copied.source = source
    result = accepted(notebook)
    assert result.answers["grad_square"] == RIGHT
    assert [s.label for s in result.steps][-3:] == ["cell 4", "answer Cube", "answer grad_square"]
    assert run(result)["grad_square"](3) == 6
    assert result.notes == ["defined_twice:grad_square", "duplicate:grad_square"]
    assert [c.id for c in result.notebook.cells][-1] == "grad_square"


def test_a40_cell_with_an_unknown_grade_id_is_matched_by_id_or_definition() -> None:
    notebook = answered()
    cell = cell_of(notebook, "grad_square")
    cell.metadata.nbgrader["grade_id"] = "nope"
    assert accepted(notebook).answers["grad_square"] == RIGHT  # by its cell id
    cell.id = "nope"
    assert accepted(notebook).answers["grad_square"] == RIGHT  # by its definition
    cell.source = "x = 1"
    result = accepted(notebook)
    assert "grad_square" not in result.answers
    assert "missing_answer:grad_square" in result.notes
    assert cell_of(result.notebook, "grad_square").source == STUB
    assert "cell 4" in [step.label for step in result.steps]


def test_a41_deleted_test_cells_are_restored() -> None:
    notebook = answered()
    notebook.cells = [c for c in notebook.cells if not c.id.startswith("test_")]
    result = accepted(notebook)
    assert result.notebook.cells == answered().cells
    assert result.notes == ["missing_test:test_grad_square", "missing_test:test_Cube"]


def test_a42_a_changed_cell_type_is_restored() -> None:
    notebook = json.loads(json.dumps(answered()))
    for cell in notebook["cells"][3:]:
        cell["cell_type"] = "markdown" if cell["cell_type"] == "code" else "code"
    result = accepted(notebook)
    assert run(result)["grad_square"](3) == 6
    assert result.notebook == answered()
    assert "changed_type:grad_square" in result.notes
    assert "Because." not in [step.source for step in result.steps]


def test_a43_outputs_are_discarded() -> None:
    notebook = answered()
    outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "3"}, execution_count=1)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = outputs, 1
    assert accepted(notebook).notebook == answered()


def test_a45_the_last_definition_counts() -> None:
    notebook = answered(square=WRONG)
    notebook.cells.append(new_code_cell(RIGHT))
    result = accepted(notebook)
    assert run(result)["grad_square"](3) == 6
    assert result.answers["grad_square"] == cell_of(result.notebook, "grad_square").source == RIGHT
    assert result.notes == ["found_by_name:grad_square", "defined_twice:grad_square"]


@pytest.mark.parametrize("place", [0, 8])
def test_a45_an_answer_in_another_cell_than_the_stub_is_found(place: int) -> None:
    notebook = answered(square=STUB)
    notebook.cells.insert(place, new_code_cell(RIGHT))
    result = accepted(notebook)
    assert run(result)["grad_square"](3) == 6
    assert result.answers["grad_square"] == RIGHT
    assert result.notes == ["found_by_name:grad_square"]


@pytest.mark.parametrize(
    "source", ["%%script bash\ntouch x", "!touch x", "%pip install x", "def f(:", "(" * 9000]
)
def test_a46_magics_and_syntax_errors_are_passed_on(source: str) -> None:
    notebook = answered(square=f"{source}\n{RIGHT}")
    notebook.cells.append(new_code_cell(source))
    result = accepted(notebook)
    assert result.steps[-1] == Step("cell 9", source, 9)
    assert result.answers["grad_square"].startswith(source)


def test_one_cell_may_answer_two_tasks() -> None:
    notebook = answered()
    notebook.cells = [c for c in notebook.cells if c.id not in ("grad_square", "Cube")]
    notebook.cells.insert(1, new_code_cell(f"{RIGHT}\n\n{CUBE}"))
    result = accepted(notebook)
    assert {"grad_square", "Cube"} <= run(result).keys()
    assert [s.source for s in result.steps].count(f"{RIGHT}\n\n{CUBE}") == 1


# --- Honest but unusual ----------------------------------------------------------------------------------


def test_e01_deleted_import_cell_is_restored() -> None:
    notebook = answered(square="def grad_square(x):\n    return math.prod([2, x])")
    notebook.cells = [c for c in notebook.cells if c.id != "setup"]
    result = accepted(notebook)
    assert result.steps[0].source == "import math\nimport torch\nfrom secant import language"
    assert run(result)["grad_square"](3) == 6
    assert [c.id for c in result.notebook.cells][:2] == ["title-en", "setup"]


def test_a_changed_cell_of_the_lesson_runs_as_the_student_left_it() -> None:
    notebook = answered()
    cell_of(notebook, "setup").source += "\nseed = 2"
    result = accepted(notebook)
    assert run(result)["seed"] == 2
    assert cell_of(result.notebook, "setup").source.endswith("seed = 2")


def test_a_cell_of_the_lesson_turned_into_prose_does_not_run() -> None:
    notebook = json.loads(json.dumps(answered()))
    notebook["cells"][2].update(cell_type="markdown", source="text")
    result = accepted(notebook)
    assert "cell 3" not in [step.label for step in result.steps]
    assert cell_of(result.notebook, "demo") == cell_of(release(), "demo")


def test_reordered_and_extra_cells_stay_where_they_stood() -> None:
    notebook = answered()
    notebook.cells.reverse()
    notebook.cells.insert(2, new_code_cell("extra = 1", metadata={"tags": ["x"]}))
    notebook.cells.insert(2, new_markdown_cell("<script>alert(1)</script>"))
    result = accepted(notebook)
    ids = [c.id for c in result.notebook.cells]
    assert ids == [
        *("why", "test_Cube", "extra-3", "extra-4", "Cube", "test_grad_square"),
        *("grad_square", "demo", "setup", "title-en"),
    ]
    assert [result.notebook.cells[place].metadata for place in (2, 3)] == [{}, {}]
    assert [s.number for s in result.steps] == [0, 4, 5, 7, 8, 9]


def test_e35_identifiers_in_any_script_are_accepted() -> None:
    source = "def grad_square(x):  # 제곱 🙂\n    값 = 2 * x\n    return 값"
    assert run(accepted(answered(square=source)))["grad_square"](3) == 6


def test_e37_the_same_bytes_give_the_same_result() -> None:
    assert take(answered()) == take(answered())


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
    _is_outcome(take(data))


@pytest.mark.costly("200 documents drawn at random")
@given(JSON)
@settings(max_examples=200, deadline=None)
def test_any_json_is_taken_in_or_rejected(value: Any) -> None:
    _is_outcome(take(value))


@pytest.mark.costly("300 notebooks drawn at random")
@given(NOTEBOOKS)
@settings(max_examples=300, deadline=None)
def test_any_notebook_is_taken_in_or_rejected(value: Any) -> None:
    _is_outcome(take(value))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_randomly_damaged_file_is_taken_in_or_rejected(data: Any) -> None:
    content = bytearray(json.dumps(answered("ko"), ensure_ascii=False, indent=1).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        where = data.draw(st.integers(0, len(content) - 1))
        content[where : where + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=8))
    _is_outcome(take(bytes(content)))


@pytest.mark.whole
def test_the_worst_json_within_the_bounds_is_bounded() -> None:
    # Measure the memory of a separate process: tracing each allocation would take three times as long.
    code = f"import {__name__} as here; here.take_the_worst()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    print(done.stdout.decode())
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 4
    assert all(took["megabytes"] < 600 and took["seconds"] < 60 for took in found)


def take_the_worst() -> None:
    """Take in the worst texts, and print for each the time and this process's growth in memory until then."""
    before, size = _most_memory(), files.MAX_FILE_BYTES - 100
    texts = [
        "[" + "[]," * (parse.MAX_BRACKETS - 10) + "0]",
        '{"cells":[' + "1," * (size // 2) + "0]}",
        '{"a":[' + '"",' * (size // 3) + "0]}",
        "{" + ",".join(f'"{i:x}":0' for i in range(size // 12)) + "}",
    ]
    for text in texts:
        started = time.monotonic()
        _is_outcome(take(text))
        took = {"seconds": time.monotonic() - started, "megabytes": _most_memory() - before}
        print(json.dumps({"text": text[:12]} | took))


def _most_memory() -> float:
    """Return the peak memory of this process in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def test_each_flag_of_the_intake_is_documented() -> None:
    """Compare the flags in docs/grading.md with those in the docstring of `parse_submission`."""
    said = set(re.findall(r"`([a-z_]+)(?=[:`])", inspect.getdoc(parse_submission) or ""))
    table = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8").partition("## What the flags mean")[2]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`([a-z_]+)(?::[A-Z]+)?`", row.split("|")[1])}
    assert told == said | {"rejected", "odd_student_id", "grader_failure"}


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
        result = accepted(answered(), folder=folder, name=name.format(LESSON))
        assert result.file == name.format(LESSON)
        assert result.unwritten == frozenset()


@pytest.mark.parametrize("name", ["{}_final.ipynb", "my {}.ipynb", "{}.ipynb.url", "{}.ipynb.bak", "{}.txt"])
def test_files_with_other_names_do_not_count_as_copies(name: str) -> None:
    assert not is_named_after(LESSON, name.format(LESSON))


def test_long_names_of_copies_are_read_at_once() -> None:
    begun = time.process_time()
    for part in (" copy", " (copy", "-1", "의 사본", " (1)", "copy of ", "- ", " copy (", "(conflict"):
        is_named_after(LESSON, part * (240 // len(part)) + ".ipynb")
    assert time.process_time() - begun < 0.5
