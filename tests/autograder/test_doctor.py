"""Tests of the findings of `autograder doctor` about a course and its wall."""

import importlib.metadata
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from autograder import doctor
from autograder.sandbox.machine import CheckResult
from secant.requirements import requirements
from tests.support.small_class import STEPS, build_course

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading others' work needs Linux")


@pytest.mark.parametrize(("version", "ok"), [("2.1", True), ("2.2rc1", True), ("2.0", False)])
def test_prerelease_of_the_required_version_counts_as_new_enough(
    version: str, ok: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    finding = doctor._package(Requirement("torch>=2.1"), optional=False)
    assert (finding.ok, finding.detail) == (ok, version if ok else "2.0; >=2.1 is needed")


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        ("2.13.0+cu130", "2.13.0+cu130"),
        ("2.14.1", "2.14.1"),
        ("2.15.0", "2.15.0; the lessons were tested with 2.13 to 2.14"),
    ],
)
def test_torch_newer_than_tested_versions_is_accepted_and_mentioned(
    version: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    finding = doctor._package(Requirement("torch>=2.13"), optional=False)
    assert (finding.ok, finding.detail, finding.fix) == (True, detail, "")


def gradebook_finding(db_url: str, course: Path) -> CheckResult:
    """Return the doctor's finding about the gradebook of a course whose settings name this database."""
    (course / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.db_url = "{db_url}"\n')
    return next(finding for finding in doctor._course(course) if finding.name == "gradebook")


def test_gradebook_is_the_one_that_the_settings_name(tmp_path: Path) -> None:
    course, database = tmp_path / "class", tmp_path / "used.db"
    (course / "course").mkdir(parents=True)
    (course / "course/syllabus.toml").touch()
    with sqlite3.connect(database, isolation_level=None) as connection:
        connection.execute("CREATE TABLE grade (id INTEGER)")
        finding = gradebook_finding(f"sqlite:///{database}", course)
        assert (finding.ok, finding.detail) == (True, f"{database} can be written to")
        connection.execute("BEGIN IMMEDIATE")
        finding = gradebook_finding(f"sqlite:///{database}", course)
        assert (finding.ok, finding.detail) == (False, f"{database}: database is locked")
    connection.close()
    assert (
        gradebook_finding(f"sqlite:///{tmp_path}/new.db", course).detail == f"{tmp_path}/new.db will be made"
    )
    missing_folder = gradebook_finding(f"sqlite:///{tmp_path}/none/new.db", course)
    assert (missing_folder.ok, missing_folder.detail) == (False, f"{tmp_path}/none cannot be written to")
    postgres = gradebook_finding("postgresql://u:hidden@host/grades", course)
    assert (postgres.ok, "hidden" in postgres.detail) == (True, False)


def test_settings_that_cannot_be_loaded_are_named(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course/syllabus.toml").touch()
    (tmp_path / "nbgrader_config.py").write_text("c = (")
    _, finding, _ = doctor._course(tmp_path)
    assert not finding.ok
    assert "nbgrader_config.py cannot be loaded" in finding.detail


def test_packages_of_other_extras_are_not_looked_for() -> None:
    assert {finding.name for finding in doctor._packages()} >= {"torch", "nbgrader", "distributed"}
    assert [
        requirement.name for requirement in requirements("scale") if requirement not in requirements()
    ] == ["distributed"]


def test_a_copy_of_a_lesson_inside_the_wall_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_course(tmp_path / "class")
    copy, files = tmp_path / "notes", list[str]()
    monkeypatch.setattr(doctor, "suspects", lambda visible: files)
    (finding,) = doctor._visible_leaks(tmp_path / "class")
    assert finding.ok
    assert "lessons searched for: 1" in finding.detail
    shutil.copy(tmp_path / "class/course" / STEPS / f"{STEPS}.py", copy)
    files.append(str(copy))
    (finding,) = doctor._visible_leaks(tmp_path / "class")
    assert not finding.ok
    assert finding.needed
    assert finding.detail == f"{copy} holds answers or hidden tests of {STEPS}"
    assert "Move it" in finding.fix
    assert doctor._visible_leaks(tmp_path) == []  # not a course, so nothing to search for


def test_course_without_lessons_has_nothing_to_search_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nbgrader_config.py").write_text("use_secant = print\nuse_secant('a course')\n")
    monkeypatch.setattr(doctor, "suspects", lambda visible: [])
    (finding,) = doctor._visible_leaks(tmp_path)
    assert finding.ok
    assert "nothing was searched for" in finding.detail
