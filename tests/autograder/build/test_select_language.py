"""The first step from source to release."""

from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.build.select_language import SelectLanguage


def selected(cells: Any, **traits: Any) -> Any:
    notebook = new_notebook(cells=cells, metadata={"secant": {"built": "x"}})
    return SelectLanguage(**traits).preprocess(notebook, {})[0]


def texts() -> Any:
    english = new_markdown_cell("Hello", metadata={"lang": "en"})
    korean = new_markdown_cell("안녕", metadata={"lang": "ko", "en": "12345678"})
    return [english, korean, new_code_cell("a = 1", metadata={"tags": ["x"]})]


@pytest.mark.parametrize(("lang", "text"), [("en", "Hello"), ("ko", "안녕")])
def test_one_language_is_kept_and_code_is_shared(lang: str, text: str) -> None:
    notebook = selected(texts(), lang=lang)
    assert [cell.source for cell in notebook.cells] == [text, "a = 1"]
    assert [cell.metadata for cell in notebook.cells] == [{}, {"tags": ["x"]}]
    assert notebook.metadata == {"lang": lang}


@pytest.mark.parametrize(("value", "text"), [(None, "Hello"), ("ko", "안녕"), ("fr", "Hello")])
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, value: str | None, text: str) -> None:
    monkeypatch.delenv("SECANT_LANG", raising=False)
    if value is not None:
        monkeypatch.setenv("SECANT_LANG", value)
    assert selected(texts()).cells[0].source == text


def test_the_setup_cell_says_the_language() -> None:
    cells = selected([new_code_cell("language('en')\nmy_language(\"en\")")], lang="ko").cells
    assert cells[0].source == 'language("ko")\nmy_language("en")'


def test_graded_cells_stay_the_same() -> None:
    graded = new_code_cell('language("en")', metadata={"nbgrader": {"grade_id": "x"}})
    assert selected([graded], lang="ko").cells[0].source == 'language("en")'


def test_a_graded_cell_with_a_language_is_an_error() -> None:
    with pytest.raises(ValueError, match="must not carry a language"):
        selected([new_code_cell("", metadata={"nbgrader": {}, "lang": "en"})])
