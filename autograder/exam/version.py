"""The version of the grader: a hash of the code that decides verdicts.

After a change to this code, all submissions are graded again. Changes to other code have no such effect.
"""

import hashlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from packaging.version import Version

#: The modules and packages that decide verdicts. A package stands for everything in it.
DECIDING = (
    "autograder.course.cells",
    "autograder.course.tokens",
    "autograder.exam.examiner",
    "autograder.exam.leaks",
    "autograder.exam.report",
    "autograder.exam.words",
    "autograder.gradebook.result",
    "autograder.intake",
    "autograder.sandbox",
    "secant.bindings",
    "secant.catalogue",
    "secant.causes",
    "secant.checking",
    "secant.language",
    "secant.quiet",
    "secant.value",
    "secant.verdict",
    "secant.visible",
)

#: The modules and packages that decide the scores of plain nbgrader assignments. Those that are not also
#: in `DECIDING` do not affect lessons.
DECIDING_PLAIN = (
    *DECIDING,
    "autograder.course.plain",
    "autograder.exam.plain",
    "autograder.exam.plain_report",
    "autograder.grading.plain",
)


def torch_version() -> str:
    """Return the installed version of torch without its build tag, such as "+cpu".

    On a CPU, all builds compute the same results.
    """
    return Version(importlib.metadata.version("torch")).public


@cache
def grader_version() -> str:
    """Return a hash of the code that decides verdicts and of the versions of torch and Python."""
    return digest(DECIDING, torch_version(), *map(str, sys.version_info[:2]))


@cache
def plain_version() -> str:
    """Return the grader's version for assignments with ordinary nbgrader tests; see `grader_version`."""
    return digest(DECIDING_PLAIN, torch_version(), *map(str, sys.version_info[:2]))


def digest(modules: Iterable[str], *versions: str) -> str:
    """Return a hash of modules and packages, and of other version strings.

    Args:
        modules: the names of the modules and packages; the hash covers their files.
        versions: the versions of other software.
    """
    hasher = hashlib.sha256(" ".join(versions).encode())
    for name, path in sorted(files_of(modules)):
        hasher.update(name.encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()


def files_of(modules: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield a name and the path for each file of the modules and packages.

    The name is the same in every installation.
    """
    for name in modules:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        if spec.submodule_search_locations is None:
            yield name, Path(spec.origin)
            continue
        folder = Path(spec.origin).parent
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{name}/{path.relative_to(folder).as_posix()}", path
