"""Which code decides a verdict: a change to it grades everybody again, a change to anything else nobody."""

import hashlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from packaging.version import Version

#: Packages, with all that is in them, and modules.
DECIDING = (
    "autograder.course.cells",
    "autograder.course.tokens",
    "autograder.exam.examiner",
    "autograder.exam.exposed",
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

#: What decides the scores of assignments with ordinary nbgrader tests, and of no lesson.
DECIDING_PLAIN = (
    *DECIDING,
    "autograder.course.plain",
    "autograder.exam.plain",
    "autograder.exam.plain_report",
    "autograder.grading.plain",
)


def torch_version() -> str:
    """Return torch's installed version without its build, such as "+cpu": on a CPU, builds compute alike."""
    return Version(importlib.metadata.version("torch")).public


@cache
def grader_version() -> str:
    """Return a hash of the code that decides verdicts, and of the versions of torch and Python."""
    return digest(DECIDING, torch_version(), *map(str, sys.version_info[:2]))


@cache
def plain_version() -> str:
    """Return what `grader_version` is for assignments with ordinary nbgrader tests."""
    return digest(DECIDING_PLAIN, torch_version(), *map(str, sys.version_info[:2]))


def digest(modules: Iterable[str], *versions: str) -> str:
    """Return a hash of the files of some modules and packages, and of versions of other software."""
    found = hashlib.sha256(" ".join(versions).encode())
    for name, path in sorted(files_of(modules)):
        found.update(name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def files_of(modules: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield each file of some modules and packages, with a name that does not say where it is installed."""
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
