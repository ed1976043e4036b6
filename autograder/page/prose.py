"""Text and code as HTML. What all students' pages share is made once a process.

Only the course's own Markdown is read as Markdown. What a person typed, student or not, is shown as it was
typed, and its formulas are set.
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
from autograder.page.formulas import Display, Renderer, mathml, together
from autograder.page.words import words
from secant.language import Language
from secant.visible import visible

# What is longer is a student's own, and would fill the memory; of the rest a whole course's cells are kept.
KEPT_CHARS = 8_000
KEPT = 1_000
FORMULAS = 50  # of what one person typed in one place that are set
# As Pandoc has it, so that "$5 and $6" is no formula; of bounded length, for the library's time.
_FORMULA = re.compile(r"\$\$([^$]{1,200})\$\$|\$(?! )([^$\n]{1,200})(?<! )\$(?!\d)")
# Of a length of ten or more, or with sizes within sizes, a formula would fill pages.
_VAST = re.compile(r'(?:width|height|depth|voffset)="[+-]?\d{2}|mathsize.*mathsize', re.DOTALL)
_TEXT = '<div style="white-space: pre-wrap">{}</div>'
_CODE = "<pre>{}</pre>"
_REMARK = "<div><em>{}</em></div>"
_PICTURE = "![{}](attachment:{})"
# What `harmless` makes of one part; the text of a student has neither line ends nor brackets there.
_PART = re.compile(
    r'<div style="white-space: pre-wrap">(?P<text>[^<]*)</div>|<pre>(?P<code>[^<]*)</pre>'
    r"|<div><em>(?P<remark>[^<]*)</em></div>|!\[(?P<alt>[^\]]*)\]\(attachment:(?P<picture>picture-\d+)\)"
)
_NOT_IN_ALT = re.compile(r"[\[\]()\\`*_$<>&\"'\n]+")


def harmless(markdown: str) -> str:
    """Return a student's prose as Markdown that shows it as it was typed; a notebook still sets its formulas.

    It is not rendered: that is a parser's work on a stranger's text, with HTML and links as its result.
    """
    return _TEXT.format(_escaped(markdown))


def harmless_parts(
    parts: Sequence[Part], language: Language, first: int = 1
) -> tuple[str, dict[str, dict[str, str]]]:
    """Return what a student wrote in words as Markdown that shows it as it was typed, and its attachments.

    Args:
        parts: the text, the code and the pictures.
        language: of the sentences about what is not shown.
        first: the number of the first picture in the notebook.
    """
    lines: list[str] = []
    attachments: dict[str, dict[str, str]] = {}
    say = words(language)
    for part in parts:
        match part.kind:
            case "text":
                lines.append(harmless(part.text))
            case "code":
                lines.append(_CODE.format(_escaped(part.text)))
            case "picture":
                name = f"picture-{first + len(attachments)}"
                alt = " ".join(_NOT_IN_ALT.sub(" ", visible(part.name)).split())
                alt = alt or say["picture"].format(number=first + len(attachments))
                attachments[name] = {
                    "image/png": part.text
                }  # whatever it is: it is decoded before it is shown
                lines.append(_PICTURE.format(alt, name))
            case "missing":
                lines.append(_missing(part.name, part.text, language))
            case "cut":
                lines.append(_REMARK.format(_escaped(say["cut"])))
    return "\n\n".join(lines), attachments


def with_remarks(markdown: str, pictures: Mapping[str, Mapping[str, str]], language: Language) -> str:
    """Return what `harmless_parts` made, with a sentence for each picture that is not shown, or not whole.

    Args:
        markdown: the source of the cell.
        pictures: what became of each picture, by name; see `autograder.page.pictures`.
        language: of the sentences.
    """
    lines = []
    for line in markdown.split("\n\n"):
        found = _PART.fullmatch(line)
        picture = pictures.get(found["picture"] or "", {}) if found else {}
        if found and "missing" in picture:
            lines.append(_missing(found["alt"], picture["missing"], language))
        else:
            lines.append(line)
        if "remark" in picture:
            lines.append(_REMARK.format(_escaped(words(language)[picture["remark"]])))
    return "\n\n".join(lines)


def _missing(name: str, reason: str, language: Language) -> str:
    say = words(language)
    told = say[reason].format(most=MAX_PICTURES)
    return _REMARK.format(_escaped(say["missing"].format(name=f'"{name}"' if name else "", reason=told)))


def _escaped(text: str) -> str:
    # Without brackets, for which nbconvert's search for links takes time that grows with their square.
    return html.escape(visible(text, prose=True)).replace("\n", "&#10;").replace("[", "&#91;")


def prose(markdown: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> Markup:
    """Return a cell of text as HTML: the course's own, or what was made of a student's.

    Args:
        markdown: the cell's source.
        attachments: pictures that were decoded and encoded again, by name and type.
    """
    parts = _as_parts(markdown)
    if parts is None:
        return _rendered(markdown)
    return Markup("\n").join(_part(part, attachments or {}) for part in parts)


def _part(part: re.Match[str], attachments: Mapping[str, Mapping[str, str]]) -> Markup:
    """Return one part of what a student wrote as HTML."""
    if part["picture"]:
        bundle = attachments.get(part["picture"], {})
        image = Markup('<img class="picture" src="data:{};base64,{}" alt="{}">')
        return Markup().join(image.format(kind, data, part["alt"]) for kind, data in bundle.items())
    if part["code"] is not None:
        return Markup('<pre class="code" tabindex="0">{}</pre>').format(html.unescape(part["code"]))
    if part["remark"] is not None:
        return Markup('<p class="remark">{}</p>').format(html.unescape(part["remark"]))
    return Markup('<div class="typed">{}</div>').format(typed(html.unescape(part["text"])))


def _as_parts(markdown: str) -> list[re.Match[str]] | None:
    """Return the parts of a cell that `harmless` or `harmless_parts` made; None of the course's own text."""
    found = [_PART.fullmatch(line) for line in markdown.split("\n\n")]
    parts = [part for part in found if part is not None]
    return parts if len(parts) == len(found) else None


def as_typed(markdown: str) -> str | None:
    """Return what a student typed, of a cell that `harmless` made; None of the course's own text."""
    parts = _as_parts(markdown)
    if parts is None:
        return None
    return "\n\n".join(html.unescape(part["text"] or part["code"] or part["alt"] or "") for part in parts)


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
