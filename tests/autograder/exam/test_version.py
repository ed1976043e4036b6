"""Tests of the grader version, which changes with any file that decides verdicts and with no other file."""

import ast
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from autograder.exam.version import DECIDING, DECIDING_PLAIN, files_of, torch_version
from tests.support.lessons import LESSONS, ROOT, questions


@pytest.fixture(scope="module")
def changes_version(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bool]:
    """Return a function that tells whether a change to a file changes the version."""
    copy = tmp_path_factory.mktemp("code")
    for package in ("autograder", "secant"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import sys
from pathlib import Path
from autograder.exam.version import grader_version
before = grader_version()
for name in sys.argv[1:]:
    file = Path(name)
    old = file.read_bytes()
    file.write_bytes(old + b"# changed\\n")
    grader_version.cache_clear()
    print(name, grader_version() != before)
    file.write_bytes(old)
"""
    files = sorted(str(path.relative_to(copy)) for path in copy.rglob("*.py"))
    result = subprocess.run(
        [sys.executable, "-c", code, *files], cwd=copy, capture_output=True, text=True, check=True
    )
    outcomes = dict(line.split() for line in result.stdout.splitlines())
    return lambda name: {"True": True, "False": False}[outcomes[name]]


@pytest.mark.parametrize(
    "name",
    [
        "autograder/course/cells.py",
        "autograder/intake/pairing.py",
        "autograder/sandbox/wall.py",
        "autograder/sandbox/inside/wire.py",
        "autograder/exam/words.py",
        "autograder/gradebook/result.py",
        "secant/checking/check.py",
        "secant/checking/comparison.py",
        "secant/checking/values.py",
        "secant/language.py",
    ],
)
def test_a_file_that_decides_verdicts_changes_the_version(
    changes_version: Callable[[str], bool], name: str
) -> None:
    assert changes_version(name)


@pytest.mark.parametrize(
    "name",
    [
        "autograder/cli.py",
        "autograder/build/builder.py",
        "autograder/course/minutes.py",
        "autograder/exam/selfcheck.py",
        "autograder/grading/feedback.py",
        "secant/explorers/tangent.py",
        "secant/explorers/kit/canvas.py",
        "secant/graph/draw.py",
        "secant/lab/launch.py",
    ],
)
def test_a_file_that_decides_nothing_keeps_the_version(
    changes_version: Callable[[str], bool], name: str
) -> None:
    assert not changes_version(name)


@pytest.mark.parametrize("installed", ["2.13.0", "2.13.0+cpu", "2.13.0+cu130"])
def test_another_build_of_the_same_torch_version_causes_no_regrading(
    monkeypatch: pytest.MonkeyPatch, installed: str
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: installed)
    assert torch_version() == "2.13.0"


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the modules of this project that a file imports."""
    return imports_in(path.read_text(encoding="utf-8"))


def imports_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name for name in names if name.partition(".")[0] in ("autograder", "secant"))


def defining_module(name: str) -> str:
    """Return the module that defines a name imported from the package secant."""
    from secant import HOMES

    package, _, rest = name.partition(".")
    if package == "secant" and rest in HOMES:
        return HOMES[rest]
    return "secant.language" if name in ("secant.language", "secant.say") else name


def decides(name: str, deciding: Iterable[str] = DECIDING) -> bool:
    return any(f"{defining_module(name)}.".startswith(f"{package}.") for package in deciding)


def test_verdict_code_imports_nothing_outside_the_version() -> None:
    # None of these imports decides a verdict. The template imports most of secant, so that no candidate has
    # to import it. The examiner reads in `secant` which modules judge. The wall needs packages' folders, and
    # the leak scan caches its results in a file. Only notebooks in source/ need the course's folder. The
    # time of a submission affects only a late penalty, which is subtracted without grading again.
    outside_imports = {
        (path, name) for _, path in files_of(DECIDING) for name in imported_modules(path) if not decides(name)
    }
    assert {(path.name, name) for path, name in outside_imports} == {
        ("catalogue.py", "secant.where.course_above"),
        ("examiner.py", "secant"),
        ("pictures.py", "secant"),
        ("template.py", "secant"),
        ("timestamp.py", "autograder.course.clock.Clock"),
        ("timestamp.py", "autograder.course.clock.Reading"),
        ("visible.py", "autograder"),
        ("visible.py", "secant"),
        ("leak_scan.py", "secant.files.locked"),
        ("leak_scan.py", "secant.files.read_json"),
        ("leak_scan.py", "secant.files.replace_file"),
    }


def test_examination_code_of_a_worker_counts_in_the_version() -> None:
    worker = ROOT / "autograder" / "workers" / "worker.py"
    outside_imports = {name for name in imported_modules(worker) if not decides(name, DECIDING_PLAIN)}
    # Jobs, pages, the search for leaked lessons and the modules to preload decide no verdict.
    allowed_prefixes = (
        "autograder.workers.jobs.",
        "autograder.page.",
        "autograder.exam.leaks.",
        "autograder.exam.preload.",
    )
    assert all(name.startswith(allowed_prefixes) for name in outside_imports), outside_imports


def test_lesson_tests_import_nothing_outside_the_version() -> None:
    sources = [task.test.source for lesson in LESSONS for task in questions(lesson)]
    names = {name for source in sources for name in imports_in(source)}
    assert names
    assert [name for name in sorted(names) if not decides(name)] == []


@pytest.mark.parametrize(
    "line", ["import secant.graph", "from secant import tangent", "from secant.explorers.kit import plots"]
)
def test_import_of_an_explorer_counts_as_outside_the_deciding_packages(line: str) -> None:
    assert not any(decides(name) for name in imports_in(line))


def test_every_deciding_package_can_be_imported() -> None:
    assert all(importlib.util.find_spec(name) for name in DECIDING)
