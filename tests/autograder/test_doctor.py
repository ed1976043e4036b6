"""What the doctor says of a course and of the wall around it."""

import importlib.metadata
import shutil
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from autograder import doctor
from tests.support.small_class import STEPS, build_course

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading others' work needs Linux")


@pytest.mark.parametrize(("version", "ok"), [("2.1", True), ("2.2rc1", True), ("2.0", False)])
def test_a_package_is_new_enough_also_before_its_release(
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
def test_a_torch_newer_than_the_tested_ones_is_fine_and_named(
    version: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    finding = doctor._package(Requirement("torch>=2.13"), optional=False)
    assert (finding.ok, finding.detail, finding.fix) == (True, detail, "")


def test_a_copy_of_a_lesson_inside_the_wall_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_course(tmp_path / "class")
    copy, files = tmp_path / "notes", list[str]()
    monkeypatch.setattr(doctor, "suspects", lambda seen: files)
    (finding,) = doctor._exposed(tmp_path / "class")
    assert finding.ok
    assert "lessons searched for: 1" in finding.detail
    shutil.copy(tmp_path / "class/course" / STEPS / f"{STEPS}.py", copy)
    files.append(str(copy))
    (finding,) = doctor._exposed(tmp_path / "class")
    assert not finding.ok
    assert finding.needed
    assert finding.detail == f"{copy} holds answers or hidden tests of {STEPS}"
    assert "Move it" in finding.fix
    assert doctor._exposed(tmp_path) == []  # no course to grade
