"""Formgrader's templates as this server's extension rewrites them, without a browser."""

import re
from pathlib import Path
from typing import Any

import nbgrader
import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader
from nbconvert.exporters import HTMLExporter
from traitlets.config import Config

from autograder.service.formgrader import HANDLERS, EscapedValues, protect_formgrader

TEMPLATES = Path(nbgrader.__file__).parent / "server_extensions/formgrader/templates"
TAG = "</script><img src=x onerror=hit()>"


def settings() -> dict[str, Any]:
    """What nbgrader's extension leaves in a server's settings."""
    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES)]
    return {
        "nbgrader_formgrader": object(),
        "nbgrader_jinja2_env": Environment(loader=FileSystemLoader([TEMPLATES])),
        "nbgrader_exporter": HTMLExporter(config=config),
    }


def rendered(source: str, **values: object) -> str:
    environment = Environment(loader=DictLoader({"x": source}), extensions=[EscapedValues])
    return environment.get_template("x").render(**values)


@pytest.mark.parametrize("name", [path.name for path in TEMPLATES.glob("*.tpl") if "404" not in path.name])
def test_page_shows_every_value_as_text(name: str) -> None:
    found = settings()
    protect_formgrader(found)
    page = (
        found["nbgrader_jinja2_env"]
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


def test_values_in_a_script_are_the_same_text_there() -> None:
    page = rendered('<script>var a = "{{ a }}", b = "{{ r.b }}/x";</script>', a="\\", r={"b": "'\n</script>"})
    assert page.endswith('>var a = "\\\\", b = "\\u0027\\n\\u003c/script\\u003e/x";</script>')


def test_name_in_the_page_of_a_submission_is_text() -> None:
    found = settings()
    protect_formgrader(found)
    macros = found["nbgrader_exporter"].environment.get_template("formgrade_macros.html.j2")
    keys = ("notebook_id", "assignment_id", "submission_id", "last_name", "first_name", "notebook_path")
    resources = {**dict.fromkeys(keys, TAG), "index": 0, "total": 1}
    page = macros.module.header(resources) + macros.module.nav(resources)
    assert "<img" not in page
    assert "&lt;/script&gt;&lt;img src=x onerror=hit()&gt;, &lt;/script" in page


def test_policy_knows_every_handler_of_nbgraders_templates() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*") if path.is_file())
    assert set(re.findall(r'\son\w+="([^"]*)"', sources, re.IGNORECASE)) == set(HANDLERS)


def test_server_without_formgrader_is_left_alone() -> None:
    protect_formgrader({})
