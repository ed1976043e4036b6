"""Tests of `select_language`, the first step from a source notebook to a release."""

from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.build.select_language import SelectLanguage


def select_language(cells: Any, **traits: Any) -> Any:
    notebook = new_notebook(cells=cells, metadata={"secant": {"built": "x"}})
    return SelectLanguage(**traits).release(notebook, {})[0]


def make_cells() -> Any:
    english = new_markdown_cell("Hello", metadata={"lang": "en"})
    korean = new_markdown_cell("안녕", metadata={"lang": "ko", "en": "12345678"})
    return [english, korean, new_code_cell("a = 1", metadata={"tags": ["x"]})]


@pytest.mark.parametrize(("lang", "text"), [("en", "Hello"), ("ko", "안녕")])
def test_one_language_is_kept_and_code_is_shared(lang: str, text: str) -> None:
    notebook = select_language(make_cells(), lang=lang)
    assert [cell.source for cell in notebook.cells] == [text, "a = 1"]
    assert [cell.metadata for cell in notebook.cells] == [{}, {"tags": ["x"]}]
    assert notebook.metadata == {"lang": lang}


@pytest.mark.parametrize(("value", "text"), [(None, "Hello"), ("ko", "안녕"), ("fr", "Hello")])
def test_environment_variable_selects_the_language(
    monkeypatch: pytest.MonkeyPatch, value: str | None, text: str
) -> None:
    monkeypatch.delenv("SECANT_LANG", raising=False)
    if value is not None:
        monkeypatch.setenv("SECANT_LANG", value)
    assert select_language(make_cells()).cells[0].source == text


def test_setup_cell_sets_the_released_language() -> None:
    cells = select_language([new_code_cell("language('en')\nmy_language(\"en\")")], lang="ko").cells
    assert cells[0].source == 'language("ko")\nmy_language("en")'


def test_language_selection_leaves_graded_cells_unchanged() -> None:
    graded_cell = new_code_cell('language("en")', metadata={"nbgrader": {"grade_id": "x"}})
    assert select_language([graded_cell], lang="ko").cells[0].source == 'language("en")'


def test_a_language_that_no_cell_is_written_in_is_an_error() -> None:
    with pytest.raises(ValueError, match="no cell is written in 'fr'"):
        select_language(make_cells(), lang="fr")


def test_a_graded_cell_with_a_language_is_an_error() -> None:
    with pytest.raises(ValueError, match="must not carry a language"):
        select_language([new_code_cell("", metadata={"nbgrader": {}, "lang": "en"})])


@pytest.mark.parametrize(
    ("code", "english"),
    [
        ('print(say(en="one", ko="하나"), 1)', 'print("one", 1)'),
        ('print("가", say(en="b", ko="나"), say(ko=f"{n}", en=f"{n + 1}"))', 'print("가", "b", f"{n + 1}")'),
        (
            'predict(\n    A=say(\n        en="a "\n        "b",\n        ko="가",\n    ),\n)',
            'predict(\n    A=(\n        "a "\n        "b"\n    ),\n)',
        ),
        (
            "text = say(en='yes' if a else 'no', ko='네') if b else c",
            "text = ('yes' if a else 'no') if b else c",
        ),
        ("essay(en='a', ko='b')", "essay(en='a', ko='b')"),
        ("%matplotlib inline\nsay(en='a', ko='b')", "%matplotlib inline\nsay(en='a', ko='b')"),
        ("f\"{say(en='a', ko='b')}\"", "f\"{say(en='a', ko='b')}\""),
    ],
)
def test_say_calls_become_strings_of_the_selected_language(code: str, english: str) -> None:
    assert select_language([new_code_cell(code)], lang="en").cells[0].source == english


def test_graded_cell_keeps_its_bilingual_say_call() -> None:
    graded_cell = new_code_cell('say(en="one", ko="하나")', metadata={"nbgrader": {"grade_id": "x"}})
    assert select_language([graded_cell], lang="ko").cells[0].source == 'say(en="one", ko="하나")'


@pytest.mark.parametrize(
    ("import_line", "expected"),
    [
        ("from secant import say, language", "from secant import language"),
        ("from secant import a, say, language", "from secant import a, language"),
        ("from secant import language, say", "from secant import language"),
    ],
)
def test_import_of_say_is_dropped_once_no_call_needs_it(import_line: str, expected: str) -> None:
    cells = [new_code_cell(import_line), new_code_cell('print(say(en="one", ko="하나"))')]
    assert select_language(cells).cells[0].source == expected
    cells = [new_code_cell(import_line), new_code_cell("f\"{say(en='a', ko='b')}\"")]
    assert select_language(cells).cells[0].source == import_line
