"""Tests of which versions of PyTorch count as tested."""

import importlib.metadata
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from secant.tested import NEWEST_TORCH, OLDEST_TORCH, is_untested_torch, untested_torch_line
from tests.support.lessons import ROOT


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.13.0", False),
        ("2.13.0+cu130", False),
        ("2.14.1+cpu", False),
        ("2.14.9", False),
        ("2.9.1", False),  # comes after 2.14 if compared as text
        ("2.15.0", True),
        ("2.15.0+cu130", True),
        ("2.15.0a0+ecf3bae40a.nv26.10", True),
        ("2.100.0", True),  # comes before 2.14 if compared as text
        ("3.0.0", True),
        ("my own build", False),
    ],
)
def test_torch_is_untested_from_the_minor_version_after_the_newest_tested_one(
    version: str, expected: bool
) -> None:
    assert is_untested_torch(version) == expected


def test_line_names_the_installed_and_the_tested_versions(
    both_languages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: {"torch": "2.15.0+cpu"}[name])
    line = untested_torch_line()
    assert re.findall(r"\d[\d.]*(?:\+cpu)?", line) == ["2.15.0+cpu", str(OLDEST_TORCH), str(NEWEST_TORCH)]
    assert "\n" not in line
    assert ("결과가" in line) == (both_languages == "ko")


def test_there_is_no_line_about_a_tested_or_missing_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: {"torch": "2.14.1+cpu"}[name])
    assert untested_torch_line() == ""

    def raise_not_found(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", raise_not_found)
    assert untested_torch_line() == ""


def test_tested_range_begins_with_the_lower_bound_and_holds_the_pinned_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    torch = next(
        requirement
        for requirement in map(Requirement, project["dependencies"])
        if requirement.name == "torch"
    )
    assert str(torch.specifier) == f">={OLDEST_TORCH}"
    match = re.search(r"^torch==(.+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert match
    assert Version(match[1]) >= OLDEST_TORCH
    assert not is_untested_torch(match[1])


def test_docs_name_the_newest_tested_version() -> None:
    assert f"PyTorch {OLDEST_TORCH} to {NEWEST_TORCH}" in (ROOT / "docs/support.md").read_text(
        encoding="utf-8"
    )
