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


def course(folder: Path) -> Path:
    (folder / "course").mkdir(parents=True)
    (folder / "nbgrader_config.py").touch()
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make Secant look installed, enter an empty folder, and return the folder of the package."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    place = tmp_path / "python/site-packages/secant"
    monkeypatch.setattr(secant, "__file__", str(place / "__init__.py"))
    return place


def test_nearest_course_above_a_folder_is_used(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NoCourseError, match="install Secant again"):
        course_root(tmp_path)
    with pytest.raises(CourseError, match="install Secant again"):
        find_course(tmp_path)
    wheels = course(package.parent / where.INSIDE)
    assert course_root(tmp_path) == find_course(tmp_path) == wheels
    assert is_installed(wheels)
    repository = course(package.parent)
    assert course_root(tmp_path) == repository
    assert not is_installed(repository)
    here = course(tmp_path / "class")
    (here / "deep").mkdir()
    monkeypatch.chdir(here / "deep")
    assert course_root(tmp_path) == here
    start = course(tmp_path / "start")
    assert course_root(tmp_path / "nothing", start / "workspace/en") == start


class TestSomebodyElses:
    """Tests with another user's course, which is not used because a course is code (CVE-2022-24765)."""

    @pytest.fixture
    def planted(self, package: Path, tmp_path: Path) -> Path:
        """Make a course next to the package, and one that contains a folder `mine`; return the second one."""
        course(package.parent)
        (course(tmp_path / "planted") / "mine").mkdir()
        return tmp_path / "planted"

    @pytest.fixture
    def owners(self, monkeypatch: pytest.MonkeyPatch) -> dict[Path, int]:
        """Replace the owners of files by those in the returned dictionary; this user, 1000, owns the rest."""
        found: dict[Path, int] = {}
        monkeypatch.setattr(where, "_owners", lambda path: {found.get(path, 1000)})
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        return found

    @pytest.mark.parametrize(
        "part", ["", "nbgrader_config.py", "nbgrader_config_local.py", "course", "source", "release"]
    )
    def test_a_course_of_another_user_is_not_used(
        self, planted: Path, package: Path, owners: dict[Path, int], part: str
    ) -> None:
        assert find_root(planted / "mine") == course_root(planted / "mine") == planted
        owners[planted / part] = 0
        assert find_root(planted / "mine") == planted
        owners[planted / part] = 1001
        assert course_root(planted / "mine") == package.parent
        with pytest.raises(CourseError, match="belongs to another user") as refused:
            find_root(planted / "mine")
        assert f"SECANT_TRUST={planted}" in str(refused.value)

    def test_course_of_another_user_is_used_if_trusted(
        self, planted: Path, owners: dict[Path, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owners[planted] = 1001
        monkeypatch.setenv("SECANT_TRUST", f"/other:{planted}")
        assert find_root(planted / "mine") == planted
        for unfit in ("", ".", "planted", str(planted.parent)):
            monkeypatch.setenv("SECANT_TRUST", unfit)
            with pytest.raises(CourseError):
                find_root(planted / "mine")

    def test_course_of_the_sudo_user_is_used_by_root(
        self, planted: Path, owners: dict[Path, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        with pytest.raises(CourseError):
            find_root(planted)
        monkeypatch.setenv("SUDO_UID", "1000")
        assert find_root(planted) == planted

    def test_the_variable_of_sudo_means_nothing_to_another_user(
        self, planted: Path, owners: dict[Path, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owners[planted] = 1001
        monkeypatch.setenv("SUDO_UID", "1001")
        with pytest.raises(CourseError):
            find_root(planted)

    def test_owners_of_a_link_include_its_target(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("/")
        assert where._owners(tmp_path / "link") == {os.getuid(), os.stat("/").st_uid}
        assert where._owners(tmp_path / "nothing") == set()
