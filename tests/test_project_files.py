"""Tests of the project's files: dependencies and their licences, the citation, issue forms, and links."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from benchmarks import peers

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*-*.yml"))
#: Licences, each with a pattern that finds it in a package's metadata or licence files.
FAMILIES = {
    "Apache": r"Apache",
    "BSD": r"BSD",
    "LGPL": r"LGPL|Lesser General Public",
    "MIT": r"\bMIT\b",
    "MIT-CMU": r"MIT-CMU|HPND",
    "MPL": r"MPL|Mozilla Public",
    "PSF": r"PSF|Python Software Foundation",
    "0BSD": r"0BSD",
    "Zlib": r"(?i)zlib",
    "CC0": r"CC0",
    "BSL": r"BSL|Boost",
}


def rows(file: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without the table's head."""
    part = (ROOT / "docs" / file).read_text().split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    table = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
    return table[2:]


def names(requirements: list[str]) -> set[str]:
    return {Requirement(requirement).name for requirement in requirements}


def test_every_dependency_is_listed_in_the_documentation() -> None:
    required = names(PROJECT["dependencies"])
    assert {row[0] for row in rows("dependencies.md", "To take and to grade the lessons")} == required
    extras = {name: names(requirements) for name, requirements in PROJECT["optional-dependencies"].items()}
    assert {row[0]: set(row[1].split(", ")) for row in rows("dependencies.md", "Extras")} == {
        package: {extra for extra, packages in extras.items() if package in packages}
        for package in set.union(*extras.values())
    }
    tools = {row[0] for row in rows("dependencies.md", "Installed when a command first needs it")}
    assert tools == {requirement.name for requirement in peers.requirements_of("mutants")}
    pinned = names([line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line])
    documented = {row[0] for row in rows("dependencies.md", "Pinned because results or bytes depend on them")}
    assert documented == pinned - required


def listed_licences() -> Iterator[tuple[str, str]]:
    """Yield each package of three tables in dependencies.md, with the licence that the table names."""
    yield from ((row[0], row[1]) for row in rows("dependencies.md", "To take and to grade the lessons"))
    yield from ((row[0], row[2]) for row in rows("dependencies.md", "Extras"))
    part = "Pinned because results or bytes depend on them"
    yield from ((row[0], row[1]) for row in rows("dependencies.md", part))


@pytest.mark.parametrize(("package", "listed_licence"), list(listed_licences()))
def test_listed_licences_match_the_installed_packages(package: str, listed_licence: str) -> None:
    distribution = importlib.metadata.distribution(package)
    licences = [
        *distribution.metadata.get_all("License-Expression", []),
        *distribution.metadata.get_all("License", []),
    ]
    licences += [
        classifier
        for classifier in distribution.metadata.get_all("Classifier", [])
        if classifier.startswith("License")
    ]
    files = [str(file) for file in distribution.files or [] if re.search(r"(?i)licen[sc]e", file.name)]
    licences += [
        (distribution.read_text(name.split(".dist-info/")[-1]) or "")[:300]
        for name in files
        if ".dist-info/" in name
    ]
    families = re.findall("|".join(sorted(FAMILIES, key=len, reverse=True)), listed_licence)
    assert families
    assert [name for name in families if not re.search(FAMILIES[name], "\n".join(licences))] == []


def test_citation_file_names_the_current_version_and_address() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == PROJECT["version"]
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]
    assert citation["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()


#: Issue forms about a failed command. They ask for the output of a `doctor` command, which contains the
#: versions.
ABOUT_PROGRAMS = {"grading-failed", "cannot-install"}


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_each_issue_form_asks_for_versions(form: Path) -> None:
    """GitHub hides a form that breaks its rules for forms, and reports no error."""
    content = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= content.keys()
    ids = [field["id"] for field in content["body"]]
    assert len(ids) == len(set(ids))
    assert (
        {"doctor", "output"} < set(ids) if form.stem in ABOUT_PROGRAMS else {"lesson", "version"} < set(ids)
    )
    for field in content["body"]:
        assert field["type"] in ("input", "textarea", "dropdown", "checkboxes", "markdown")
        assert field["attributes"]["label"]


def test_there_is_a_form_for_each_kind_of_report() -> None:
    assert {form.stem for form in FORMS} == {
        *ABOUT_PROGRAMS,
        "wrong-answer-passed",
        "right-answer-failed",
        "misleading-sentence",
    }
    # Lessons prefill their reports as blank issues (without a form).
    assert yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/config.yml").read_text())["blank_issues_enabled"]


def test_links_between_documents_lead_to_existing_files() -> None:
    broken = [
        (path.name, target)
        for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/*.md"))
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", path.read_text())
        if not (path.parent / target).exists()
    ]
    assert broken == []


@pytest.mark.parametrize("program", ["secant", "autograder"])
def test_both_commands_print_the_version(program: str) -> None:
    code = f"from {program}.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"{PROJECT['version']}\n"
