"""A feedback page as HTML, in nobody's network: no script, no picture or style from elsewhere.

All that is inserted is escaped, unless it is HTML that was made here (`prose`, `code`). A policy in the page
itself has the browser refuse what should get in all the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from autograder.course.cells import is_installer
from autograder.page.facts import Head, Row
from autograder.page.prose import code, prose, typed
from autograder.page.words import words
from secant.visible import visible

_HERE = Path(__file__).parent
#: Pygments' styles whose letters have a contrast of 4.5 or more on the page's grounds, light and dark.
_LIGHT, _DARK = "xcode", "github-dark"


def page_html(student: str, head: Head, notebook: Sequence[Mapping[str, Any]], bare: bool = False) -> str:
    """Return a page.

    Args:
        student: whose.
        head: what stands above the notebook.
        notebook: the cells, with outputs of text alone, and without hidden tests. They are left out if the
            file could not be read: they would be nobody's.
        bare: whether what the student wrote had to be left out of the cells.
    """
    rows = {row.task: row for row in head.rows}
    heads = [head, *([head.korean] if head.korean else [])]
    return _template().render(
        student=student,
        language=head.language,
        blocks=[(each, words(each.language)) for each in heads],
        cells=[] if head.rejected else [_cell(cell, rows) for cell in notebook if not is_installer(cell)],
        extra=sum(row.extra for row in head.rows),
        waiting=sum(row.most for row in head.rows if row.waits),
        unread=bool(head.rejected) and not head.score and any(row.waits for row in head.rows),
        bare=bare,
        words=words(head.language),
        style=_style(),
    )


def _cell(cell: Mapping[str, Any], rows: Mapping[str, Row]) -> dict[str, Any]:
    metadata = cell["metadata"]
    grading = metadata.get("nbgrader", {})
    name = str(grading.get("grade_id", ""))
    shown: dict[str, Any] = {"answer": name if grading.get("solution") else None}
    shown["anchor"] = name if name in rows else ""
    if cell["cell_type"] != "code":
        return shown | {"markdown": cell["source"], "attachments": cell.get("attachments", {})}
    tested = grading.get("grade") and not grading.get("solution")
    return shown | {
        "source": cell["source"],
        "coloured": metadata.get("magics_language") != "text",
        "row": rows.get(name, rows.get(name.removeprefix("test_"))) if tested else None,
        "outputs": list(map(_text, cell["outputs"])),
    }


def _text(output: Mapping[str, Any]) -> str:
    """What an output shows, once more without what steers: it may be of another version."""
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
        "typed": typed,
    }
    return environment.get_template("page.html.j2")


def _fill(text: str, **points: float) -> str:
    """Write points into words, without more decimals than there are."""
    return text.format(**{name: f"{round(value, 2):g}" for name, value in points.items()})


@cache
def _style() -> Markup:
    """The style sheet, with the colours of code. Paper is light."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{_code_colours(_DARK)}\n}}"
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    return Markup("\n".join([style, _code_colours(_LIGHT), dark]))


def _code_colours(name: str) -> str:
    """A Pygments style's rules for letters, without its ground and its line height."""
    rules: Iterable[str] = HtmlFormatter(style=name).get_style_defs("pre").splitlines()
    return "\n".join(rule for rule in rules if rule.startswith("pre ."))
