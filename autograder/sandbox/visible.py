"""The files of this machine that are visible inside the sandbox, and the paths that the sandbox hides.

Only an allow-list is visible: the system's folders, and those in which Python is installed. In these folders,
the sandbox hides everything that belongs to Secant: a course, a class, the grader, and files of an older
version that pip left behind. Other copies of a course are found by their content (see leak_scan.py).
"""

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatch
from functools import cache
from glob import glob
from pathlib import Path
from typing import NamedTuple

import autograder
import secant
from autograder.sandbox.results import WallError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts", "localtime")
_NEEDED = ("torch", "numpy", "matplotlib", "IPython", "ipywidgets", "anywidget", "networkx")
# The parts of Python's prefix (its installation folder) that Python needs. Anything else in that folder may
# be, for example, a clone of the repository or another environment.
_PREFIX_PARTS = ("bin", "lib", "lib32", "lib64", "pyvenv.cfg", "share/zoneinfo")
# System folders that no notebook needs and where users may keep their own files. One of them is nbgrader's
# exchange.
_UNNEEDED = (
    *("/usr/local/etc", "/usr/local/share/jupyter", "/usr/local/share/nbgrader", "/usr/share/jupyter"),
    *("/usr/local/src", "/usr/src"),
)
_SECANT_PATTERNS = ("autograder", "secant", "secant-*.dist-info", "_secant.pth")
# Folders of the package `secant` (which all notebooks import) that are hidden inside the sandbox. In older
# wheels, `_course` contained the course. The drawing code in the other folders computes answers to tasks (see
# inside/pictures.py).
OLD_COURSE = "_course"
_COVERED = (OLD_COURSE, "explorers", "graph")


class VisibleFiles(NamedTuple):
    """The files and folders of this machine that are visible inside the sandbox.

    Attributes:
        shown: files and folders that are visible under their own names.
        masked: paths in `shown` folders that are empty inside the sandbox, except for `shown` paths below
            them.
        package: the folder of the package `secant`, which is visible under another name.
    """

    shown: tuple[str, ...]
    masked: tuple[str, ...]
    package: str


def visible_files(hidden: Iterable[str]) -> VisibleFiles:
    """Return the files that are visible inside a sandbox that hides the given paths.

    Raises:
        WallError: the package secant was not imported from a folder.
    """
    package = _package()
    paths = [path for path in SYSTEM if os.path.exists(path)]
    paths += [*_python(), *(path for folder in extra_packages() for path in _pip_paths(folder))]
    paths += [f"/etc/{name}" for name in _SETTINGS if os.path.exists(f"/etc/{name}")]
    secant_paths = [*_UNNEEDED, *_installed_paths(), *_clone(package)]
    folders = {folder: Path(os.path.realpath(folder)) for folder in paths if not os.path.islink(folder)}
    masked = [visible_path for path in (*hidden, *secant_paths) for visible_path in _within(path, folders)]
    masked += [path for name in _COVERED if os.path.isdir(path := f"{package}/{name}")]
    return VisibleFiles(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(masked)), package)


def _package() -> str:
    if not secant.__file__ or not os.path.isfile(secant.__file__):
        raise WallError("the package secant is not installed in a folder")
    return os.path.dirname(os.path.abspath(secant.__file__))


def _python() -> list[str]:
    """Return the paths of the virtual environment, and of the Python installation that it was made from."""
    paths = [f"{prefix}/{name}" for prefix in _prefixes() for name in _PREFIX_PARTS]
    paths += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [os.path.dirname(os.path.realpath(sys.executable))]
    existing = [path for path in dict.fromkeys(paths) if os.path.exists(path) and not is_inside(path, SYSTEM)]
    return [path for path in existing if not is_inside(path, [other for other in existing if other != path])]


def _prefixes() -> list[str]:
    executable = os.path.realpath(sys.executable)
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.dirname(executable))]
    return [path for path in dict.fromkeys(prefixes) if path not in ("/", "/usr")]


@cache
def extra_packages() -> tuple[str, ...]:
    """Return the folders with packages that notebooks need, except folders that belong to Python itself.

    An example is a folder that `pip install --target` has filled.
    """
    known_folders = [*SYSTEM, *_python()]
    folders = []
    for name in _NEEDED:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            folder = os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))
            if not is_inside(folder, known_folders):
                folders.append(folder)
    return tuple(dict.fromkeys(folders))


@cache
def _pip_paths(folder: str) -> tuple[str, ...]:
    """Return the paths in a folder that pip has installed or that belong to packages that notebooks need.

    Anything else in the folder is not made visible inside the sandbox, because it may be a user's own file.
    """
    names = {*_NEEDED}
    for record in glob(f"{folder}/*.dist-info/RECORD"):
        with suppress(OSError), open(record, encoding="utf-8", errors="replace") as lines:
            names |= {line.split(",")[0].split("/")[0].strip('"') for line in lines}
    packages = {name for name in names if not any(fnmatch(name, pattern) for pattern in _SECANT_PATTERNS)} - {
        "",
        ".",
        "..",
        "bin",
    }
    return tuple(path for name in sorted(packages) if os.path.exists(path := f"{folder}/{name}"))


def _installed_paths() -> Iterator[str]:
    """Yield the paths of all parts of Secant that are installed for any Python on this machine."""
    libraries = [path for path in (*SYSTEM, "/usr/local/lib", "/usr/lib", *_python()) if "lib" in path]
    folders = [package_folder for path in libraries for package_folder in glob(f"{path}/python*/*-packages")]
    folders += [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *extra_packages()]
    folders += [str(Path(path).parent) for path in (_package(), *autograder.__path__)]
    for folder in dict.fromkeys(folders):
        for name in _SECANT_PATTERNS:
            yield from glob(f"{folder}/{name}")


def _clone(package: str) -> list[str]:
    """Return a list with the repository from which this code runs, or an empty list if there is none."""
    parent = Path(package).parent
    return [str(parent)] if (parent / "nbgrader_config.py").is_file() and (parent / "course").is_dir() else []


def _within(path: str, folders: Mapping[str, Path]) -> Iterator[str]:
    """Yield the names under which a path is visible inside the given visible folders.

    Nothing is yielded for a path that is itself one of these folders, because such a path cannot be hidden.

    Args:
        path: the path.
        folders: the visible folders that are not links, each mapped to its real path.
    """
    real_path = Path(os.path.realpath(path))
    for folder, target in folders.items():
        if real_path != target and real_path.is_relative_to(target) and real_path.exists():
            yield os.path.join(folder, real_path.relative_to(target))


def is_inside(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path is one of the given folders or lies inside one of them."""
    return any(Path(path).is_relative_to(folder) for folder in folders)
