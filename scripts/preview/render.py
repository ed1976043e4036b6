"""The parts that all pages share: the templates, the style sheet, and the conversion of Markdown to HTML."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from pygments.formatters import HtmlFormatter

from autograder.page.formulas import Display, Renderer, mathml
from scripts.preview.run import PreviewError
from scripts.preview.words import words
from secant.address import urls
from secant.explorers import kit as explorers
from secant.language import LANGUAGES, language

HERE = Path(__file__).parent
KIT = Path(explorers.__file__).parent
NAMES = {"en": "English", "ko": "한국어"}
#: Pygments' styles for the light and the dark page. The contrast ratio of their text with the page is at
#: least 4.5 to 1.
LIGHT, DARK = "xcode", "github-dark"
# Matches the characters that GitHub omits from a heading's anchor.
_LEFT_OUT = re.compile(r"[^\w\- ]")
_TAG = re.compile(r"<[^>]+>")


class PageRenderer(Renderer):
    """A Markdown renderer for one page; it gives each heading an anchor and lists second-level headings.

    It raises PreviewError for a formula that it cannot render.
    """

    def __init__(self) -> None:
        super().__init__(escape=False, exclude_anchor_links=True)
        self.titled = False
        #: The anchor and the HTML text of each second-level heading.
        self.contents: list[tuple[str, str]] = []
        self._anchors: set[str] = set()

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        """Render a heading; a first-level heading that is not the page's first becomes second-level."""
        level, self.titled = (2 if level == 1 and self.titled else level), True
        anchor = self._anchor(text)
        if level == 2:
            self.contents.append((anchor, text))
        return f'<h{level} id="{anchor}">{text}</h{level}>\n'

    def _anchor(self, text: str) -> str:
        """Return a heading's anchor, formed as on GitHub and unique within the page."""
        name = _LEFT_OUT.sub("", _TAG.sub("", text).lower().strip()).replace(" ", "-")
        number = 0
        while (anchor := f"{name}-{number}" if number else name) in self._anchors:
            number += 1
        self._anchors.add(anchor)
        return anchor

    def formula(self, latex: str, display: Display) -> str:
        """Return a formula as MathML."""
        return formula(latex, display)


def with_contents(page: str, renderer: PageRenderer) -> str:
    """Return a page; if it has at least three sections, add a table of contents below its title."""
    if len(renderer.contents) < 3:
        return page
    contents = render("contents.html.j2", headings=renderer.contents)
    before, title, after = page.partition("</h1>")
    return f"{before}{title}\n{contents}{after}"


def formula(latex: str, display: Display) -> str:
    """Return a formula as MathML.

    Raises:
        PreviewError: if the formula cannot be converted.
    """
    try:
        return mathml(latex, display)
    except ValueError as error:
        raise PreviewError(str(error)) from error


def render(template: str, **values: Any) -> str:
    """Return a template rendered with these values in the current language."""
    return environment().get_template(template).render(words=words(), **values)


@cache
def environment() -> Environment:
    """Return the Jinja environment that loads the templates of the pages."""
    templates = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    templates.globals |= {"names": NAMES, "repository": urls()["Repository"]}
    return templates


def common_values() -> dict[str, Any]:
    """Return the template values that every page needs: its language, and the other language of the site."""
    other = next(name for name in LANGUAGES if name != language())
    return {"language": language(), "other": other}


def style() -> str:
    """Return the style sheet of the pages; a printed page always has the light theme."""
    dark = (HERE / "dark.css").read_text(encoding="utf-8") + _code_colours(DARK)
    return "\n".join(
        [
            (KIT / "picture.css").read_text(encoding="utf-8"),
            (HERE / "style.css").read_text(encoding="utf-8"),
            _code_colours(LIGHT),
            f'@media screen {{\n:root[data-theme="dark"] {{\n{dark}\n}}\n}}',
            '@media screen and (prefers-color-scheme: dark) {\n:root:not([data-theme="light"]) {\n'
            f"{dark}\n}}\n}}\n",
        ]
    )


def _code_colours(name: str) -> str:
    """Return a Pygments style's CSS rules for code, except those for the background and the line height."""
    rules = HtmlFormatter(style=name).get_style_defs(".highlight").splitlines()
    return "\n".join(rule for rule in rules if rule.startswith(".highlight ."))
