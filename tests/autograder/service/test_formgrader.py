"""Tests of formgrader's templates as our server extension rewrites them, without a browser."""

import re
from pathlib import Path
from typing import Any

import nbgrader
import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader
from nbconvert.exporters import HTMLExporter
from nbformat import v4
from traitlets.config import Config

from autograder.service.formgrader import HANDLERS, EscapedValues, protect_formgrader

TEMPLATES = Path(nbgrader.__file__).parent / "server_extensions/formgrader/templates"
TAG = "</script><img src=x onerror=hit()>"


def server_settings() -> dict[str, Any]:
    """Return the settings that nbgrader's extension adds to a server."""
    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES)]
    return {
        "nbgrader_formgrader": object(),
        "nbgrader_jinja2_env": Environment(loader=FileSystemLoader([TEMPLATES])),
        "nbgrader_exporter": HTMLExporter(config=config),
    }


def render(source: str, **values: object) -> str:
    environment = Environment(loader=DictLoader({"x": source}), extensions=[EscapedValues])
    return environment.get_template("x").render(**values)


@pytest.mark.parametrize("name", [path.name for path in TEMPLATES.glob("*.tpl") if "404" not in path.name])
def test_page_shows_every_value_as_text(name: str) -> None:
    settings = server_settings()
    protect_formgrader(settings)
    page = (
        settings["nbgrader_jinja2_env"]
        .get_template(name)
        .render(
            **dict.fromkeys(
                ("student_id", "assignment_id", "notebook_id", "course_dir", "current_config", "error_code"),
                TAG,
            ),
            base_url="",
        )
    )
    assert "<img" not in page
    assert (
        len(re.findall("<script", page))
        == len(re.findall('<script nonce="', page))
        == page.count("</script>")
    )


def test_values_in_a_script_are_escaped_as_its_strings() -> None:
    page = render('<script>var a = "{{ a }}", b = "{{ r.b }}/x";</script>', a="\\", r={"b": "'\n</script>"})
    assert page.endswith('>var a = "\\\\", b = "\\u0027\\n\\u003c/script\\u003e/x";</script>')


def test_name_in_the_page_of_a_submission_is_text() -> None:
    settings = server_settings()
    protect_formgrader(settings)
    macros = settings["nbgrader_exporter"].environment.get_template("formgrade_macros.html.j2")
    keys = ("notebook_id", "assignment_id", "submission_id", "last_name", "first_name", "notebook_path")
    resources = {**dict.fromkeys(keys, TAG), "index": 0, "total": 1}
    page = macros.module.header(resources) + macros.module.nav(resources)
    assert "<img" not in page
    assert "&lt;/script&gt;&lt;img src=x onerror=hit()&gt;, &lt;/script" in page


def submission(*cells: Any) -> str:
    """Return the page of a submission with these cells."""
    settings = server_settings()
    protect_formgrader(settings)
    resources = {"index": 0, "total": 1}
    page, _ = settings["nbgrader_exporter"].from_notebook_node(v4.new_notebook(cells=list(cells)), resources)
    return str(page)


def test_script_that_is_an_output_gets_no_nonce() -> None:
    outputs = [v4.new_output("display_data", data={"application/javascript": "hit()"})]
    assert "hit()" not in submission(v4.new_code_cell("1", outputs=outputs))


@pytest.mark.parametrize(
    ("markdown", "forbidden"),
    [
        (
            '<li class="previous"><a data-html="true" title="<b>">x</a></li>',
            ["data-html", 'class="previous"><a'],
        ),
        ('<a data-toggle="modal" data-target="#m" href="https://example.org">x</a>', ["data-target"]),
        ('<button class="full-credit" style="position: fixed">x</button>', ['<button class="full-credit"']),
        ('<span class="full-credit" style="position: fixed" id="why">x</span>', ["position", 'id="why"']),
        (
            "<div class='nbgrader_cell'><input class=score></div>",
            ['class="nbgrader_cell"', '<input class="score"'],
        ),
        ("<form action=x><base href=x><meta><link><style>x</style>", ["<form", "<base", "<style>x"]),
        ("[x](javascript:hit()) <img src=javascript:hit() onerror=hit()>", ["onerror", 'src="javascript']),
    ],
)
def test_markdown_cannot_trigger_scripts_of_formgrader(markdown: str, forbidden: list[str]) -> None:
    pages = submission(v4.new_markdown_cell("x")), submission(v4.new_markdown_cell(markdown))
    assert [part for part in forbidden if pages[1].count(part) > pages[0].count(part)] == []


def test_markdown_of_a_lesson_keeps_its_formatting() -> None:
    picture = "data:image/png;base64,iVBORw0KGgo="
    page = submission(
        v4.new_markdown_cell("# Title\n\n$a<b$ and `x < y`\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n"),
        v4.new_markdown_cell("<details><summary>Hint</summary>\n\n*more*\n\n</details>"),
        v4.new_markdown_cell("```python\nx = 1\n```"),
        v4.new_markdown_cell('<div style="white-space: pre-wrap">a&#10;b</div>'),
        v4.new_markdown_cell(f"![plot]({picture})"),
    )
    for part in (
        "<h1>Title",
        'class="anchor-link"',
        "$a&lt;b$",
        "<code>x &lt; y</code>",
        "<table>",
        "text-align:right",
        "<details><summary>Hint</summary>",
        "<em>more</em>",
        '<span class="n">x</span>',
        "white-space: pre-wrap",
        f'src="{picture}"',
    ):
        assert part in page, part


def test_policy_knows_every_handler_of_nbgraders_templates() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*") if path.is_file())
    assert set(re.findall(r'\son\w+="([^"]*)"', sources, re.IGNORECASE)) == set(HANDLERS)


def test_server_without_formgrader_is_left_alone() -> None:
    protect_formgrader({})
