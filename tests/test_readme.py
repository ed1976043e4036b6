"""Tests that everything that the two READMEs mention exists."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli import app

ROOT = Path(__file__).resolve().parent.parent
READMES = ["README.md", "README.ko.md"]


@pytest.fixture(params=READMES)
def readme(request: pytest.FixtureRequest) -> str:
    return (ROOT / request.param).read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """Return all code in a text: the lines of its shell blocks, and the pieces in backquotes."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line] + re.findall(
        r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)
    )


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))


def test_every_make_target_exists(readme: str) -> None:
    names = {name for line in commands(readme) for name in re.findall(r"\bmake ([a-z]+)", line)}
    assert {"lab", "test", "build"} <= names <= targets()


def test_every_make_variable_exists(readme: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for line in commands(readme):
        if "make " in line:
            for name in re.findall(r"(\w+)=", line.partition("make ")[2].partition('"')[0]):
                assert re.search(rf"^{name} \?=", makefile, re.M), name


def test_every_program_is_installed_by_the_package(readme: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    programs = {*project["scripts"], "nbgrader", "jupyter"}
    assert any(name.startswith("nbgrader") for name in project["dependencies"])
    names = {name for line in commands(readme) for name in re.findall(r"\.venv/bin/([\w-]+)", line)}
    assert names
    assert names <= programs


def test_every_autograder_command_exists(readme: str) -> None:
    names = {name for line in commands(readme) for name in re.findall(r"bin/autograder ([a-z]+)", line)}
    for name in names:
        assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0, name


def test_every_relative_link_resolves(readme: str) -> None:
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", readme) if "://" not in link]
    assert links
    assert [link for link in links if not resolves(link, readme)] == []


def resolves(link: str, readme: str) -> bool:
    """Return whether a link's file exists and, if the link names a heading, contains that heading."""
    name, _, anchor = link.partition("#")
    if not anchor:
        return (ROOT / name).exists()
    text = (ROOT / name).read_text(encoding="utf-8") if name else readme
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return anchor in {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_folder_and_lesson_that_is_named_exists(readme: str) -> None:
    generated = {"workspace", "preview", "build", "submitted", "autograded", "feedback"}
    folders = {name for line in commands(readme) for name in re.findall(r"^([a-z]+)/", line)}
    assert {name for name in folders - generated if not (ROOT / name).is_dir()} == set()
    lessons = set(re.findall(r"\b\d\d_\w+", readme))
    assert {name for name in lessons if not (ROOT / "course" / name).is_dir()} == set()


def test_english_and_korean_readme_have_the_same_structure() -> None:
    """Both have the same numbers of headings, table rows, code blocks, pictures and .venv/bin commands."""
    shapes = []
    for name in READMES:
        text = (ROOT / name).read_text(encoding="utf-8")
        patterns = (r"^#+ ", r"^\|", r"^```", r"^!\[", r"\.venv/bin/\S+ \S+")
        shapes.append([len(re.findall(pattern, text, re.M)) for pattern in patterns])
    assert shapes[0] == shapes[1]


def test_help_names_every_target() -> None:
    output = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True).stdout
    assert set(re.findall(r"^make (\w+)", output, re.M)) == targets() - {"help"}
