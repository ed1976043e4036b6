"""Tests of the search for the course."""

import os
from pathlib import Path

import pytest

import secant
from autograder.course.assignment import find_course
from autograder.course.errors import CourseError
from autograder.course.lesson import find_root
from secant import where
from secant.where import NoCourseError, course_root, is_installed


def make_course(folder: Path) -> Path:
    (folder / "course").mkdir(parents=True)
    (folder / "nbgrader_config.py").touch()
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make Secant look installed, enter an empty folder, and return the folder of the package."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    folder = tmp_path / "python/site-packages/secant"
    monkeypatch.setattr(secant, "__file__", str(folder / "__init__.py"))
    return folder


def test_nearest_course_above_a_folder_is_used(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NoCourseError, match="install Secant again"):
        course_root(tmp_path)
    with pytest.raises(CourseError, match="install Secant again"):
        find_course(tmp_path)
    installed_course = make_course(package.parent / where.INSIDE)
    assert course_root(tmp_path) == find_course(tmp_path) == installed_course
    assert is_installed(installed_course)
    repository = make_course(package.parent)
    assert course_root(tmp_path) == repository
    assert not is_installed(repository)
    class_course = make_course(tmp_path / "class")
    (class_course / "deep").mkdir()
    monkeypatch.chdir(class_course / "deep")
    assert course_root(tmp_path) == class_course
    start_course = make_course(tmp_path / "start")
    assert course_root(tmp_path / "nothing", start_course / "workspace/en") == start_course


class TestForeignCourse:
    """Tests with another user's course, which is not used because a course is code (CVE-2022-24765)."""

    @pytest.fixture
    def foreign_course(self, package: Path, tmp_path: Path) -> Path:
        """Make a course next to the package, and return another course, which has a folder `mine`."""
        make_course(package.parent)
        (make_course(tmp_path / "planted") / "mine").mkdir()
        return tmp_path / "planted"

    @pytest.fixture
    def owners(self, monkeypatch: pytest.MonkeyPatch) -> dict[Path, int]:
        """Return a dictionary in which tests set owners of paths; this user (1000) owns all others."""
        uids: dict[Path, int] = {}
        monkeypatch.setattr(where, "_owners", lambda path: {uids.get(path, 1000)})
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        return uids

    @pytest.mark.parametrize(
        "name", ["", "nbgrader_config.py", "nbgrader_config_local.py", "course", "source", "release"]
    )
    def test_a_course_of_another_user_is_not_used(
        self, foreign_course: Path, package: Path, owners: dict[Path, int], name: str
    ) -> None:
        assert find_root(foreign_course / "mine") == course_root(foreign_course / "mine") == foreign_course
        owners[foreign_course / name] = 0
        assert find_root(foreign_course / "mine") == foreign_course
        owners[foreign_course / name] = 1001
        assert course_root(foreign_course / "mine") == package.parent
        with pytest.raises(CourseError, match="belongs to another user") as error:
            find_root(foreign_course / "mine")
        assert f"SECANT_TRUST={foreign_course}" in str(error.value)

    def test_course_of_another_user_is_used_if_trusted(
        self, foreign_course: Path, owners: dict[Path, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owners[foreign_course] = 1001
        monkeypatch.setenv("SECANT_TRUST", f"/other:{foreign_course}")
        assert find_root(foreign_course / "mine") == foreign_course
        for value in ("", ".", "planted", str(foreign_course.parent)):
            monkeypatch.setenv("SECANT_TRUST", value)
            with pytest.raises(CourseError):
                find_root(foreign_course / "mine")

    def test_course_of_the_sudo_user_is_used_by_root(
        self, foreign_course: Path, owners: dict[Path, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        with pytest.raises(CourseError):
            find_root(foreign_course)
        monkeypatch.setenv("SUDO_UID", "1000")
        assert find_root(foreign_course) == foreign_course

    def test_the_variable_of_sudo_means_nothing_to_another_user(
        self, foreign_course: Path, owners: dict[Path, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owners[foreign_course] = 1001
        monkeypatch.setenv("SUDO_UID", "1001")
        with pytest.raises(CourseError):
            find_root(foreign_course)

    def test_owners_of_a_link_include_its_target(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("/")
        assert where._owners(tmp_path / "link") == {os.getuid(), os.stat("/").st_uid}
        assert where._owners(tmp_path / "nothing") == set()
