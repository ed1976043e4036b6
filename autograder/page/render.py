"""Render a feedback page as HTML that needs no network: it has no script, and loads no picture or style.

Everything that is inserted is escaped, except for the HTML that `prose` and `code` return. A
Content-Security-Policy in the page makes the browser block any harmful content that is inserted nevertheless.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from autograder.course.cells import is_installer
from autograder.page.facts import PageHead, TaskRow
from autograder.page.prose import code, prose, typed_html
from autograder.page.words import words
from secant.visible import visible

_HERE = Path(__file__).parent
#: Pygments styles with a contrast of at least 4.5 between text and the page's background, light and dark.
_LIGHT, _DARK = "xcode", "github-dark"


def page_html(student: str, head: PageHead, notebook: Sequence[Mapping[str, Any]], bare: bool = False) -> str:
    """Return a feedback page.

    Args:
        student: the student's id.
        head: the data above the notebook.
        notebook: the cells, with text outputs only and without hidden tests. The page omits the cells if the
            student's file could not be read, because they would not show the student's work.
        bare: whether everything that the student typed had to be removed from the cells; the page then
            mentions this.
    """
    rows = {row.task: row for row in head.rows}
    heads = [head, *([head.korean] if head.korean else [])]
    return _template().render(
        student=student,
        language=head.language,
        blocks=[(page_head, words(page_head.language)) for page_head in heads],
        cells=[] if head.rejected else [_cell(cell, rows) for cell in notebook if not is_installer(cell)],
        extra=sum(row.extra for row in head.rows),
        waiting=sum(row.max_points for row in head.rows if row.needs_grading),
        unread=bool(head.rejected) and not head.score and any(row.needs_grading for row in head.rows),
        bare=bare,
        words=words(head.language),
        style=_style(),
    )


def _cell(cell: Mapping[str, Any], rows: Mapping[str, TaskRow]) -> dict[str, Any]:
    metadata = cell["metadata"]
    grading = metadata.get("nbgrader", {})
    name = str(grading.get("grade_id", ""))
    fields: dict[str, Any] = {"answer": name if grading.get("solution") else None}
    fields["anchor"] = name if name in rows else ""
    if cell["cell_type"] != "code":
        return fields | {"markdown": cell["source"], "attachments": cell.get("attachments", {})}
    is_test = grading.get("grade") and not grading.get("solution")
    return fields | {
        "source": cell["source"],
        "coloured": metadata.get("magics_language") != "text",
        "row": rows.get(name, rows.get(name.removeprefix("test_"))) if is_test else None,
        "outputs": list(map(_text, cell["outputs"])),
    }


def _text(output: Mapping[str, Any]) -> str:
    """Return the text of an output with an escape for each invisible character.

    The notebook may lack these escapes, because another version of Secant may have written it.
    """
    return visible(output["text"] if output["output_type"] == "stream" else "\n".join(output["traceback"]))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "code": code,
        "fill": _fill,
        "prose": prose,
        "typed": typed_html,
    }
    return environment.get_template("page.html.j2")


def _fill(text: str, **points: float) -> str:
    """Insert numbers of points into a sentence, with at most two decimals and without trailing zeros."""
    return text.format(**{name: f"{round(value, 2):g}" for name, value in points.items()})


@cache
def _style() -> Markup:
    """Return the style sheet, including the colours of code. Printed pages use the light colours."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{_code_colours(_DARK)}\n}}"
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    return Markup("\n".join([style, _code_colours(_LIGHT), dark]))


def _code_colours(name: str) -> str:
    """Return a Pygments style's CSS rules for code, except those for the background and the line height."""
    rules: Iterable[str] = HtmlFormatter(style=name).get_style_defs("pre").splitlines()
    return "\n".join(rule for rule in rules if rule.startswith("pre ."))
