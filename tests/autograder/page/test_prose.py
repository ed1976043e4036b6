"""Tests of text on a page: Markdown, formulas and code of the course are rendered; a person's are not."""

import pytest
from bs4 import BeautifulSoup

from autograder.exam.version import files_of
from autograder.page import prose as prose_module
from autograder.page.formulas import mathml
from autograder.page.prose import as_typed_markdown, code, prose, typed_html
from autograder.page.version import MAKING
from autograder.page.words import _WORDS, words
from tests.support.lessons import LESSONS, assignment

HOSTILE_LATEX = [
    r"\text{<script>alert(1)</script>}",
    r"\href{javascript:x()}{x}",
    r"\style{color:red}{y}",
    "a&b<c",
]


@pytest.mark.parametrize("latex", HOSTILE_LATEX)
def test_typeset_formula_contains_no_script_and_no_unknown_attribute(latex: str) -> None:
    soup = BeautifulSoup(mathml(latex, "inline"), "html.parser")
    assert not soup.select("script")
    attributes = {name for tag in soup.find_all(True) for name in tag.attrs}
    assert attributes <= {"xmlns", "display", "mathvariant", "stretchy"}


@pytest.mark.parametrize("latex", [r"\nonsense{x}", r"\frac{", "{" * 2_000, r"\sqrt{" * 400])
def test_formula_that_cannot_be_typeset_is_shown_as_typed(latex: str) -> None:
    with pytest.raises(ValueError, match="cannot be set"):
        mathml(latex, "inline")
    assert "<math" not in typed_html(f"${latex[:150]}$")
    assert typed_html(f"${latex[:150]}$ and $x$").count("<math") == 1


def test_mathematical_symbols_are_typeset_as_symbols() -> None:
    assert BeautifulSoup(mathml(r"a < b \to \infty", "inline"), "html.parser").text == "a<b→∞"


def test_function_names_are_set_apart_by_spaces() -> None:
    assert count_spaces(r"x \cos x + 2\sin^2 x") == 4
    assert count_spaces(r"\cos(x) + xy + \log_2 n") == 1


def count_spaces(latex: str) -> int:
    return mathml(latex, "inline").count("<mspace")


def test_a_long_formula_in_a_line_may_be_broken_after_its_relations() -> None:
    latex = r"\sin x + x \approx 0.909 - 0.832 = 0.077"
    soup = BeautifulSoup(mathml(latex, "inline"), "html.parser")
    assert [part.text for part in soup.find_all("math")] == ["sinx+x≈", "0.909−0.832=", "0.077"]
    assert len(soup.find_all("wbr")) == 2
    assert mathml(latex, "block").count("<math") == 1
    assert mathml("y = x^3", "inline").count("<math") == 1


@pytest.mark.parametrize(
    "latex",
    [
        r"\rule{1em}{99999em}",
        r"\hspace{3000em}x",
        r"\smash{\raise 788em{x}}",
        r"\raise -40em{x}",
        r"\Huge{\Huge x}",
    ],
)
def test_oversized_formula_is_shown_as_typed(latex: str) -> None:
    assert "<math" not in typed_html(f"${latex}$")
    assert "<math" in typed_html(r"$a \quad b \qquad c \hspace{2em} \smash{d} \raise 0.5em{e} \large f$")


def test_student_prose_is_shown_exactly_as_typed() -> None:
    text = 'a <b>bold</b> "quote" & [link](http://x)\n# no heading\n\n$5 and $6; 한글'
    soup = BeautifulSoup(prose(as_typed_markdown(text)), "html.parser")
    assert soup.text == text
    assert [tag.name for tag in soup.find_all(True)] == ["div"]


def test_number_of_formulas_typeset_per_student_is_bounded() -> None:
    assert typed_html("$x$ " * 200).count("<math") == prose_module.MAX_FORMULAS
    assert "<math" not in typed_html(f"${'x' * 300}$")


@pytest.mark.whole
def test_every_lesson_is_shown_without_a_formula_or_picture_missing() -> None:
    for lesson in LESSONS:
        for release in assignment(lesson).releases.values():
            for cell in release.cells:
                if cell.cell_type == "markdown":
                    soup = BeautifulSoup(prose(cell.source), "html.parser")
                    assert not soup.select("h1, img:not([alt]), img:not([src^='data:']), script"), cell.source
                    for formula in soup.find_all("code"):
                        assert not formula.text.startswith("\\"), formula


def test_text_written_from_right_to_left_is_shown_as_typed() -> None:
    text = "\u05e9\u05dc\u05d5\u05dd (peace), \u0633\u0644\u0627\u0645"
    assert BeautifulSoup(prose(as_typed_markdown(text)), "html.parser").text.strip() == text


def test_highlighted_code_that_is_long_is_not_cached() -> None:
    prose_module._cached_code.cache_clear()
    long_code = "x = 1\n" * prose_module.MAX_CACHED_CHARS
    assert code(long_code, coloured=True).count("<span") > prose_module.MAX_CACHED_CHARS
    assert code("a < b", coloured=False) == "a &lt; b"
    assert prose_module._cached_code.cache_info().currsize == 0
    assert code("a < b", coloured=True) == code("a < b", coloured=True)
    assert (prose_module._cached_code.cache_info().currsize, prose_module._cached_code.cache_info().hits) == (
        1,
        1,
    )


def test_feedback_texts_exist_in_both_languages() -> None:
    for name, (english, korean) in _WORDS.items():
        assert {*_fields(english)} == {*_fields(korean)}, name
    assert words("ko")["wrong"] == "틀림"
    assert words("en")["wrong"] == "Wrong"


def _fields(text: str) -> list[str]:
    return [part.partition("}")[0] for part in text.split("{")[1:]]


def test_code_that_makes_pages_includes_template_and_style() -> None:
    names = {name for name, _ in files_of(MAKING)}
    page_files = {f"autograder.page/{name}" for name in ("page.html.j2", "page.css", "render.py")}
    assert {*page_files, "autograder.grading.feedback", "secant.visible"} <= names
    assert not any("__pycache__" in name for name in names)
