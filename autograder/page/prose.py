"""Text and code as HTML. What all students' pages share is made once a process.

Only the course's own Markdown is read as Markdown. What a person typed, student or not, is shown as it was
typed, and its formulas are set.
"""

import html
import re
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.page.formulas import Display, Renderer, mathml, together
from secant.visible import visible

# What is longer is a student's own, and would fill the memory; of the rest a whole course's cells are kept.
KEPT_CHARS = 8_000
KEPT = 1_000
FORMULAS = 50  # of what one person typed in one place that are set
# As Pandoc has it, so that "$5 and $6" is no formula; of bounded length, for the library's time.
_FORMULA = re.compile(r"\$\$([^$]{1,200})\$\$|\$(?! )([^$\n]{1,200})(?<! )\$(?!\d)")
# Of a length of ten or more, or with sizes within sizes, a formula would fill pages.
_VAST = re.compile(r'(?:width|height|depth|voffset)="[+-]?\d{2}|mathsize.*mathsize', re.DOTALL)
_OPEN, _CLOSE = '<div style="white-space: pre-wrap">', "</div>"


def harmless(markdown: str) -> str:
    """Return a student's prose as Markdown that shows it as it was typed; a notebook still sets its formulas.

    It is not rendered: that is a parser's work on a stranger's text, with HTML and links as its result.
    """
    # Without brackets, for which nbconvert's search for links takes time that grows with their square.
    escaped = html.escape(visible(markdown, prose=True)).replace("\n", "&#10;").replace("[", "&#91;")
    return f"{_OPEN}{escaped}{_CLOSE}"


def prose(markdown: str) -> Markup:
    """Return a cell of text as HTML: the course's own, or what `harmless` made of a student's."""
    text = as_typed(markdown)
    return _rendered(markdown) if text is None else Markup('<div class="typed">{}</div>').format(typed(text))


def as_typed(markdown: str) -> str | None:
    """Return what a student typed, of a cell that `harmless` made; None of the course's own text."""
    if markdown.startswith(_OPEN) and markdown.endswith(_CLOSE):
        return html.unescape(markdown[len(_OPEN) : -len(_CLOSE)])
    return None


def typed(text: str) -> Markup:
    """Return what a person typed: letter by letter, formulas set but for vast ones."""
    parts: list[Markup] = []
    end = 0
    for number, found in enumerate(_FORMULA.finditer(visible(text, prose=True))):
        if number == FORMULAS:
            break
        display: Display = "block" if found[1] else "inline"
        try:
            formula = mathml(found[1] or found[2], display)
        except ValueError:
            continue
        if _VAST.search(formula):
            continue
        parts += [escape(found.string[end : found.start()]), Markup(_scrollable(formula, display))]
        end = found.end()
    return Markup().join([*parts, escape(visible(text, prose=True)[end:])])


def code(source: str, coloured: bool) -> Markup:
    """Return code as HTML.

    Args:
        source: whose ever.
        coloured: whether it is highlighted as Python.
    """
    if not coloured:
        return escape(source)
    return (_kept_code if len(source) <= KEPT_CHARS else _highlighted)(source)


class _Prose(Renderer):
    """A lesson's headings below the page's own, and wide formulas and code that the keyboard can scroll."""

    def block_code(self, code: str, info: str | None = None) -> str:
        return str(super().block_code(code, info)).replace("<pre>", '<pre tabindex="0">', 1)

    def formula(self, latex: str, display: Display) -> str:
        return _scrollable(super().formula(latex, display), display)

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        return str(super().heading(text, min(level + 1, 6), **attrs))


def _scrollable(formula: str, display: Display) -> str:
    return f'<span class="formula" tabindex="0">{formula}</span>' if display == "block" else formula


_markdown = MarkdownWithMath(_Prose(escape=False, exclude_anchor_links=True))


@lru_cache(KEPT)
def _rendered(markdown: str) -> Markup:
    return Markup(together(_markdown.render(markdown)))


def _highlighted(source: str) -> Markup:
    return Markup(highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)))


_kept_code = lru_cache(KEPT)(_highlighted)
