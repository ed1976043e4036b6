"""Tests of the address for reporting a problem, which contains nothing of the learner's work."""

import importlib.metadata
import tomllib
from email.message import Message
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import secant
from secant import address
from secant.address import report_url, urls, version
from tests.support.lessons import ROOT


@pytest.fixture
def installed_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Message:
    """Make Secant look like a package that pip has installed, and return its metadata."""
    monkeypatch.setattr(secant, "__file__", str(tmp_path / "secant/__init__.py"))
    metadata = Message()
    metadata["Version"] = "3.1"
    metadata["Project-URL"] = "Issues, https://example.org/it/issues"
    metadata["Project-URL"] = "Documentation, https://example.org/it, in two parts"
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: metadata)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: metadata["Version"])
    return metadata


def test_a_checkout_reads_its_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (urls(), version()) == (project["urls"], project["version"])
    assert {"Repository", "Issues", "Documentation"} == urls().keys()


@pytest.mark.usefixtures("installed_metadata")
def test_a_wheel_reads_its_metadata() -> None:
    assert urls() == {
        "Issues": "https://example.org/it/issues",
        "Documentation": "https://example.org/it, in two parts",
    }
    assert version() == "3.1"


def test_pyproject_of_another_project_is_ignored(installed_metadata: Message, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "thesis"\nversion = "7"\n')
    assert version() == installed_metadata["Version"]
    (tmp_path / "pyproject.toml").write_text("no table")
    assert version() == installed_metadata["Version"]


def test_an_issue_names_lesson_task_and_version_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        address, "project", lambda: {"version": "1.2", "urls": {"Issues": "https://a.org/issues"}}
    )
    url = urlsplit(report_url("01_what_autograd_does", "central_difference"))
    assert url._replace(query="").geturl() == "https://a.org/issues/new"
    assert parse_qs(url.query) == {
        "title": ["01_what_autograd_does, central_difference: "],
        "body": ["Lesson: 01_what_autograd_does\nTask: central_difference\nVersion: 1.2\n\n"],
    }
    assert parse_qs(urlsplit(report_url()).query)["body"] == ["Version: 1.2\n\n"]


def test_report_url_uses_the_address_of_a_class() -> None:
    url = urlsplit(report_url("exam & co", address="mailto:me@example.org"))
    assert (url.scheme, url.path) == ("mailto", "me@example.org")
    assert "+" not in url.query  # a mail program would show the "+"
    assert parse_qs(url.query)["body"] == [f"Lesson: exam & co\nVersion: {version()}\n\n"]
    assert report_url("x", address="https://example.org/forum") == "https://example.org/forum"
