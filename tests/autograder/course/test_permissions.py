"""Tests of the risks from other users of a machine: they may read a class's files or replace its exchange."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import doctor, terminal
from autograder.course.permissions import exchange_risk, open_to_others
from autograder.course.settings import Course

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")


@pytest.fixture
def shared_folder(tmp_path: Path) -> Iterator[Path]:
    """Provide a folder that every user can reach through its parents, as on a shared server."""
    parents = [path for path in tmp_path.parents if path.stat().st_uid == os.geteuid() and path != Path("/")]
    modes = {path: path.stat().st_mode for path in parents}
    for path in (*parents, tmp_path):
        path.chmod(path.stat().st_mode | 0o055)
    yield tmp_path
    for path, mode in modes.items():
        path.chmod(mode)


@pytest.fixture
def course(shared_folder: Path) -> Course:
    """Return a course with the permissions of umask 022 and an exchange set up as in docs/hub.md."""
    root, exchange = shared_folder / "class", shared_folder / "exchange"
    for folder in (root / "submitted", root / "course", exchange / "secant" / "inbound"):
        folder.mkdir(parents=True)
    (root / "gradebook.db").touch()
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    exchange.chmod(0o1777)
    (exchange / "secant" / "inbound").chmod(0o3733)
    settings = (
        f"c = get_config()\nc.CourseDirectory.root = {str(root)!r}\nc.Exchange.root = {str(exchange)!r}\n"
    )
    (root / "nbgrader_config.py").write_text(f"{settings}c.CourseDirectory.course_id = 'secant'\n")
    return Course.at(root)


def test_class_with_the_usual_umask_is_open_to_every_user(course: Course) -> None:
    risk = open_to_others(course)
    assert risk is not None
    assert "gradebook.db, submitted" in risk.detail
    assert risk.fix == f"Run: chmod o= {course.root}"


@pytest.mark.parametrize("closed_folder", ["class", "."])
def test_readable_files_inside_a_closed_folder_are_not_reported(course: Course, closed_folder: str) -> None:
    path = course.root.parent / closed_folder
    path.chmod(0o750)
    assert open_to_others(course) is None


def test_permission_risk_names_only_open_files(course: Course) -> None:
    (course.root / "gradebook.db").chmod(0o640)
    risk = open_to_others(course)
    assert risk is not None
    assert "gradebook" not in risk.detail


def test_exchange_set_up_as_documented_has_no_permission_risk(course: Course) -> None:
    assert exchange_risk(course) is None


def test_exchange_without_the_sticky_bit_is_a_risk(course: Course) -> None:
    course.exchange.chmod(0o777)
    risk = exchange_risk(course)
    assert risk is not None
    assert risk.fix.endswith(f"chmod +t {course.exchange}")


def test_writable_parent_of_the_exchange_is_reported(course: Course) -> None:
    course.exchange.parent.chmod(0o777)
    risk = exchange_risk(course)
    assert risk is not None
    assert str(course.exchange.parent) in risk.fix


def test_link_instead_of_the_exchange_folder_is_a_risk(course: Course) -> None:
    class_folder = course.exchange / "secant"
    class_folder.rename(course.exchange / "away")
    class_folder.symlink_to(course.exchange / "away")
    risk = exchange_risk(course)
    assert risk is not None
    assert "is a link" in risk.detail


def test_missing_class_folder_in_the_exchange_is_a_risk(course: Course) -> None:
    (course.exchange / "secant").rename(course.exchange.parent / "elsewhere")
    risk = exchange_risk(course)
    assert risk is not None
    assert "mkdir -m 755" in risk.fix


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
@pytest.mark.parametrize("name", ["secant", "secant/inbound", "."])
def test_exchange_folder_of_another_user_is_a_risk(course: Course, name: str) -> None:
    os.chown(course.exchange / name, 64_001, 64_001)
    risk = exchange_risk(course)
    assert risk is not None
    assert "belongs to neither you nor root" in risk.detail


@pytest.mark.skipif(sys.platform != "linux", reason="the doctor looks at a grader's machine")
def test_doctor_and_commands_warn_of_open_permissions(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    course.exchange.chmod(0o777)
    findings = {finding.name: finding for finding in doctor._check_other_users(course.root)}
    assert not findings["other users"].ok
    assert not findings["exchange"].ok
    assert not any(finding.needed for finding in findings.values())
    terminal.warn_of_readable_files(course)
    assert f"chmod o= {course.root}" in capsys.readouterr().err
    course.exchange.chmod(0o1777)
    course.root.chmod(0o700)
    assert all(finding.ok for finding in doctor._check_other_users(course.root))
    terminal.warn_of_readable_files(course)
    assert not capsys.readouterr().err
