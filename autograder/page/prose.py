"""Render text and code as HTML. Parts that all students' pages share are rendered once per process.

Only the course's own Markdown is rendered as Markdown. Text that a student or another person typed is shown
as typed, but with its formulas typeset.
"""

import html
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.intake.notes import MAX_PICTURES
from autograder.intake.submission import Part
from autograder.page.formulas import Display, Renderer, keep_together, mathml
from autograder.page.words import words
from secant.language import Language
from secant.visible import visible

# Limits of the caches of rendered cells: the maximum length of a code cell in characters, and the maximum
# number of cells. Longer code is a student's own and would fill the memory. The number of cells is enough for
# a whole course.
MAX_CACHED_CHARS = 8_000
CACHED_CELLS = 1_000
MAX_FORMULAS = 50  # maximum number of formulas to typeset in one string; further ones are shown as typed
# Patterns for formulas as Pandoc recognises them, so that "$5 and $6" is not a formula. They limit the length
# of a formula, because latex2mathml takes more time for a longer one.
_FORMULA = re.compile(r"\$\$([^$]{1,200})\$\$|\$(?! )([^$\n]{1,200})(?<! )\$(?!\d)")
# A pattern for a formula that could fill pages: it contains a width, height, depth or offset of 10 or more in
# any unit, or one change of the font size inside another.
_OVERSIZED = re.compile(r'(?:width|height|depth|voffset)="[+-]?\d{2}|mathsize.*mathsize', re.DOTALL)
_TEXT = '<div style="white-space: pre-wrap">{}</div>'
_CODE = "<pre>{}</pre>"
_REMARK = "<div><em>{}</em></div>"
_PICTURE = "![{}](attachment:{})"
# A pattern for one part (text, code, remark or picture) of the Markdown that `as_typed_markdown` or
# `parts_as_markdown` makes. These functions escape line ends and "[" in a student's text, so that no part can
# end early or begin inside the text.
_PART = re.compile(
    r'<div style="white-space: pre-wrap">(?P<text>[^<]*)</div>|<pre>(?P<code>[^<]*)</pre>'
    r"|<div><em>(?P<remark>[^<]*)</em></div>|!\[(?P<alt>[^\]]*)\]\(attachment:(?P<picture>picture-\d+)\)"
)
_NOT_IN_ALT = re.compile(r"[\[\]()\\`*_$<>&\"'\n]+")


def as_typed_markdown(markdown: str) -> str:
    """Return a student's prose as Markdown that shows it as it was typed, but with its formulas typeset.

    The prose is not rendered here: rendering would run a Markdown parser on the student's text and produce
    HTML and links.
    """
    return _TEXT.format(_escape(markdown))


def parts_as_markdown(
    parts: Sequence[Part], language: Language, first: int = 1
) -> tuple[str, dict[str, dict[str, str]]]:
    """Return a student's written answer as Markdown that shows it as typed, together with its attachments.

    Args:
        parts: the text, the code and the pictures of the answer.
        language: the language of the sentences about parts that are not shown.
        first: the number of the answer's first picture; all pictures of a notebook are numbered from 1.
    """
    lines: list[str] = []
    attachments: dict[str, dict[str, str]] = {}
    wording = words(language)
    for part in parts:
        match part.kind:
            case "text":
                lines.append(as_typed_markdown(part.text))
            case "code":
                lines.append(_CODE.format(_escape(part.text)))
            case "picture":
                name = f"picture-{first + len(attachments)}"
                alt = " ".join(_NOT_IN_ALT.sub(" ", visible(part.name)).split())
                alt = alt or wording["picture"].format(number=first + len(attachments))
                attachments[name] = {
                    "image/png": part.text
                }  # the type of the picture is unknown here; it is decoded before it is shown
                lines.append(_PICTURE.format(alt, name))
            case "missing":
                lines.append(_missing_remark(part.name, part.text, language))
            case "cut":
                lines.append(_REMARK.format(_escape(wording["cut"])))
    return "\n\n".join(lines), attachments


def with_remarks(markdown: str, pictures: Mapping[str, Mapping[str, str]], language: Language) -> str:
    """Return the Markdown of `parts_as_markdown` with a sentence for each picture that is not shown in full.

    Args:
        markdown: the source of the cell.
        pictures: the result for each picture, keyed by name; see `autograder.page.pictures`.
        language: the language of the sentences.
    """
    lines = []
    for line in markdown.split("\n\n"):
        part = _PART.fullmatch(line)
        picture = pictures.get(part["picture"] or "", {}) if part else {}
        if part and "missing" in picture:
            lines.append(_missing_remark(part["alt"], picture["missing"], language))
        else:
            lines.append(line)
        if "remark" in picture:
            lines.append(_REMARK.format(_escape(words(language)[picture["remark"]])))
    return "\n\n".join(lines)


def _missing_remark(name: str, reason: str, language: Language) -> str:
    wording = words(language)
    explanation = wording[reason].format(most=MAX_PICTURES)
    return _REMARK.format(
        _escape(wording["missing"].format(name=f'"{name}"' if name else "", reason=explanation))
    )


def _escape(text: str) -> str:
    # Brackets are escaped, because nbconvert's search for links takes time quadratic in their number.
    return html.escape(visible(text, prose=True)).replace("\n", "&#10;").replace("[", "&#91;")


def prose(markdown: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> Markup:
    """Return a text cell as HTML: either the course's own text, or Markdown made from a student's answer.

    Args:
        markdown: the cell's source.
        attachments: pictures that were decoded and encoded again, keyed by name and then by media type.
    """
    parts = _as_parts(markdown)
    if parts is None:
        return _render(markdown)
    return Markup("\n").join(_part(part, attachments or {}) for part in parts)


def _part(part: re.Match[str], attachments: Mapping[str, Mapping[str, str]]) -> Markup:
    """Return one part of a student's written answer as HTML."""
    if part["picture"]:
        bundle = attachments.get(part["picture"], {})
        image = Markup('<img class="picture" src="data:{};base64,{}" alt="{}">')
        return Markup().join(image.format(kind, data, part["alt"]) for kind, data in bundle.items())
    if part["code"] is not None:
        return Markup('<pre class="code" tabindex="0">{}</pre>').format(html.unescape(part["code"]))
    if part["remark"] is not None:
        return Markup('<p class="remark">{}</p>').format(html.unescape(part["remark"]))
    return Markup('<div class="typed">{}</div>').format(typed_html(html.unescape(part["text"])))


def _as_parts(markdown: str) -> list[re.Match[str]] | None:
    """Return the parts of a cell that `parts_as_markdown` made, or None for the course's own text."""
    matches = [_PART.fullmatch(line) for line in markdown.split("\n\n")]
    parts = [part for part in matches if part is not None]
    return parts if len(parts) == len(matches) else None


def typed_text(markdown: str) -> str | None:
    """Return the text that a student typed in a cell, or None if the cell is the course's own."""
    parts = _as_parts(markdown)
    if parts is None:
        return None
    return "\n\n".join(html.unescape(part["text"] or part["code"] or part["alt"] or "") for part in parts)


def typed_html(text: str) -> Markup:
    """Return a person's text as HTML that shows it as typed, with formulas typeset unless they are huge."""
    parts: list[Markup] = []
    end = 0
    for number, match in enumerate(_FORMULA.finditer(visible(text, prose=True))):
        if number == MAX_FORMULAS:
            break
        display: Display = "block" if match[1] else "inline"
        try:
            formula = mathml(match[1] or match[2], display)
        except ValueError:
            continue
        if _OVERSIZED.search(formula):
            continue
        parts += [escape(match.string[end : match.start()]), Markup(_scrollable(formula, display))]
        end = match.end()
    return Markup().join([*parts, escape(visible(text, prose=True)[end:])])


def code(source: str, coloured: bool) -> Markup:
    """Return code as HTML.

    Args:
        source: the code, written by the course's author or by a student.
        coloured: whether to highlight the code as Python.
    """
    if not coloured:
        return escape(source)
    return (_cached_code if len(source) <= MAX_CACHED_CHARS else _highlight)(source)


class _Prose(Renderer):
    """A renderer that sets a lesson's headings one level below the headings of the page.

    It also makes code and wide formulas scrollable with the keyboard.
    """

    def block_code(self, code: str, info: str | None = None) -> str:
        return str(super().block_code(code, info)).replace("<pre>", '<pre tabindex="0">', 1)

    def formula(self, latex: str, display: Display) -> str:
        return _scrollable(super().formula(latex, display), display)

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        return str(super().heading(text, min(level + 1, 6), **attrs))


def _scrollable(formula: str, display: Display) -> str:
    return f'<span class="formula" tabindex="0">{formula}</span>' if display == "block" else formula


_markdown = MarkdownWithMath(_Prose(escape=False, exclude_anchor_links=True))


@lru_cache(CACHED_CELLS)
def _render(markdown: str) -> Markup:
    return Markup(keep_together(_markdown.render(markdown)))


def _highlight(source: str) -> Markup:
    return Markup(highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)))


_cached_code = lru_cache(CACHED_CELLS)(_highlight)
