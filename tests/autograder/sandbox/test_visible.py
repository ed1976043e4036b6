"""Tests of which files of a machine the wall shows, and which it masks."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest

import secant
from autograder.sandbox import visible as visible_module
from autograder.sandbox.visible import visible_files


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a Python installation that contains Secant and another environment."""
    root = tmp_path / "python"
    for name in ("bin", "lib/python3.11/site-packages", "include", "envs/other/lib"):
        (root / name).mkdir(parents=True)
    (root / "pyvenv.cfg").touch()
    (root / "lib64").symlink_to("lib")
    for name in ("prefix", "base_prefix", "exec_prefix"):
        monkeypatch.setattr(sys, name, str(root))
    packages = root / "lib/python3.11/site-packages"
    monkeypatch.setattr(sys, "executable", str(root / "bin/python"))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(packages))
    monkeypatch.setattr(secant, "__file__", str(packages / "secant/__init__.py"))
    monkeypatch.setattr(visible_module, "extra_packages", lambda: ())
    (packages / "secant").mkdir()
    (packages / "secant/__init__.py").touch()
    return root


def test_wall_shows_only_the_python_parts_of_a_prefix(prefix: Path) -> None:
    paths = [path for path in visible_files([]).shown if path.startswith(str(prefix))]
    assert paths == [f"{prefix}/{name}" for name in ("bin", "lib", "lib64", "pyvenv.cfg")]


def test_installed_secant_packages_are_masked(prefix: Path) -> None:
    packages = prefix / "lib/python3.11/site-packages"
    other_packages = prefix / "lib/python3.12/site-packages"
    for folder in ("autograder", "secant/_course", "secant-0.1.0.dist-info"):
        (packages / folder).mkdir(parents=True)
    (other_packages / "secant").mkdir(parents=True)
    (packages / "_secant.pth").touch()
    names = ("autograder", "secant", "secant-0.1.0.dist-info", "_secant.pth", "secant/_course")
    expected = {f"{packages}/{name}" for name in names} | {f"{other_packages}/secant"}
    assert {path for path in visible_files([]).masked if path.startswith(str(prefix))} == expected


def test_class_and_clone_below_a_shown_folder_are_masked(prefix: Path) -> None:
    clone, gradebook = prefix / "lib/class", prefix / "lib/books/gradebook.db"
    (clone / "course").mkdir(parents=True)
    gradebook.parent.mkdir()
    gradebook.touch()
    view = visible_files(
        [str(clone), str(gradebook), str(prefix / "lib/none"), str(prefix), str(prefix / "lib")]
    )
    masked_paths = [
        path for path in view.masked if path.startswith(f"{prefix}/lib/") and "site-packages" not in path
    ]
    assert masked_paths == [str(clone), str(gradebook)]


def test_class_folder_is_masked_under_each_of_its_names(prefix: Path, tmp_path: Path) -> None:
    (prefix / "lib/class/course").mkdir(parents=True)
    (tmp_path / "other").symlink_to(prefix)
    assert f"{prefix}/lib/class" in visible_files([str(tmp_path / "other/lib/class")]).masked


def test_running_clone_is_masked_if_its_folder_is_shown(
    prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = prefix / "lib/src/secant"
    (clone / "course").mkdir(parents=True)
    (clone / "secant").mkdir()
    for name in ("nbgrader_config.py", "secant/__init__.py"):
        (clone / name).touch()
    monkeypatch.setattr(secant, "__file__", str(clone / "secant/__init__.py"))
    view = visible_files([])
    assert str(clone) in view.masked
    assert view.package == str(clone / "secant")


def test_extra_package_folder_shows_only_pip_installed_files(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    for name in ("torch", "nvidia/lib", "sympy-1.0.dist-info", "secant", "autograder", "course", "private"):
        (target / name).mkdir(parents=True)
    (target / "six.py").touch()
    record = (
        "sympy/a.py,,\nnvidia/lib/b.so,sha256=x,1\nsix.py,,\n../../bin/x,,\nsympy-1.0.dist-info/RECORD,,\n"
    )
    (target / "sympy-1.0.dist-info/RECORD").write_text(record + "secant/a.py,,\nautograder/a.py,,\n")
    monkeypatch.setattr(visible_module, "extra_packages", lambda: (str(target),))
    view = visible_files([])
    names = ("nvidia", "six.py", "sympy-1.0.dist-info", "torch")
    assert [path for path in view.shown if path.startswith(str(tmp_path / "target"))] == [
        f"{target}/{name}" for name in names
    ]


def test_packages_outside_the_prefix_are_found_where_they_are_imported_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target/a_package_in_a_target").mkdir(parents=True)
    (tmp_path / "target/a_package_in_a_target/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "target")
    monkeypatch.setattr(visible_module, "_NEEDED", ("torch", "a_package_in_a_target", "not_installed"))
    folders = visible_module.extra_packages.__wrapped__()
    assert folders[-1] == str(tmp_path / "target")


def test_needless_system_folders_are_masked(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder /usr/local/share/nbgrader receives all submissions, and every user may write there."""
    assert {"/usr/local/share/nbgrader", "/usr/src", "/usr/local/src"} <= set(visible_module._UNNEEDED)
    exchange = tmp_path / "usr/local/share/nbgrader"
    exchange.mkdir(parents=True)
    monkeypatch.setattr(visible_module, "SYSTEM", (*visible_module.SYSTEM, str(tmp_path / "usr")))
    monkeypatch.setattr(visible_module, "_UNNEEDED", (str(exchange),))
    assert str(exchange) in visible_files([]).masked


def test_every_path_the_wall_shows_exists() -> None:
    view = visible_files([])
    assert all(os.path.exists(path) for path in (*view.shown, *view.masked, view.package))
    assert all(os.path.exists(f"{view.package}/{name}") for name in ("__init__.py", "checking"))
