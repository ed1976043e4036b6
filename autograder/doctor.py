"""Check what this machine can and cannot do for a course, and what has to be installed."""

import contextlib
import os
import shutil
import sqlite3
import sys
from pathlib import Path

from packaging.requirements import Requirement

from autograder.course.assignment import built_lessons, read_assignment
from autograder.course.errors import CourseError
from autograder.course.lesson import find_root
from autograder.course.permissions import Risk, exchange_risk, open_to_others
from autograder.course.settings import Course, sqlite_file
from autograder.exam.leaks import LessonSecrets
from autograder.sandbox.leak_scan import suspects
from autograder.sandbox.machine import CheckResult, probe_machine
from autograder.sandbox.visible import visible_files
from autograder.workers.budget import Budget
from secant.requirements import installed, requirements
from secant.tested import NEWEST_TORCH, OLDEST_TORCH, is_untested_torch

_DISK_GB = 1.0


def run_checks(start: Path) -> list[CheckResult]:
    """Check Python and its packages, the course directory that contains `start`, and the sandbox.

    This starts a real sandbox, which takes a few seconds.
    """
    return [
        _python(),
        *_packages(),
        *_course(start),
        *_check_other_users(start),
        *_workers(),
        *probe_machine(),
        *_visible_leaks(start),
    ]


def can_grade(findings: list[CheckResult]) -> bool:
    """Return whether other people's work may be graded on this machine."""
    return all(finding.ok for finding in findings if finding.needed)


def _python() -> CheckResult:
    ok = sys.version_info >= (3, 11)
    return CheckResult("Python", ok, sys.version.split()[0], "" if ok else "Install Python 3.11 or newer.")


def _packages() -> list[CheckResult]:
    """Compare the installed packages with those that Secant requires."""
    needed, always_shown = requirements(), ("torch", "nbgrader", "distributed")
    findings = [
        _package(requirement, optional=requirement not in needed) for requirement in requirements("scale")
    ]
    return [finding for finding in findings if not finding.ok or finding.name in always_shown]


def _package(requirement: Requirement, optional: bool) -> CheckResult:
    fix = "`pip install 'secant[scale]'`, for --scheduler" if optional else f"`pip install '{requirement}'`"
    version, ok = installed(requirement)
    detail = version or "not installed"
    if version and not ok:
        detail = f"{version}; {requirement.specifier} is needed"
    if ok and requirement.name == "torch" and is_untested_torch(version):
        detail = f"{version}; the lessons were tested with {OLDEST_TORCH} to {NEWEST_TORCH}"
    return CheckResult(requirement.name, ok, detail, "" if ok else fix, needed=not optional)


def _course(start: Path) -> list[CheckResult]:
    try:
        root = find_root(start)
    except CourseError as error:
        return [CheckResult("course", False, str(error), "Run this in a course directory.")]
    free = shutil.disk_usage(root).free / 1e9
    has_space = free >= _DISK_GB
    disk = CheckResult(
        "disk", has_space, f"{free:.1f} GB free", "" if has_space else f"Free at least {_DISK_GB:g} GB."
    )
    try:
        gradebook = _gradebook(Course.at(root).directory.db_url)
    except CourseError as error:
        gradebook = CheckResult("gradebook", False, str(error), "Correct nbgrader_config.py.")
    return [CheckResult("course", True, str(root)), gradebook, disk]


def _check_other_users(start: Path) -> list[CheckResult]:
    """Check whether other users of this machine can read the class's files or tamper with the exchange."""
    try:
        course = Course.at(find_root(start))
    except CourseError:  # the result named "course" reports this error
        return []
    all_clear = "they cannot read the class's files"
    findings = [_risk_finding("other users", open_to_others(course), all_clear)]
    if course.exchange.is_dir():
        findings.append(_risk_finding("exchange", exchange_risk(course), str(course.exchange)))
    return findings


def _risk_finding(name: str, risk: Risk | None, detail: str) -> CheckResult:
    return CheckResult(
        name, not risk, risk.detail if risk else detail, risk.fix if risk else "", needed=False
    )


def _visible_leaks(start: Path) -> list[CheckResult]:
    """Search everything that is visible inside the sandbox for answers and hidden tests of the course."""
    if sys.platform != "linux":
        return []
    try:
        course = Course.at(find_root(start))
        names = built_lessons(course.root, course.directory.source_directory)
        sources = {}
        for name in names:
            # lessons that are not built or released yet are skipped here, because `grade` reports them
            with contextlib.suppress(CourseError):
                sources[name] = read_assignment(course.root, name).source
    except CourseError:  # the result named "course" reports this error
        return []
    files = suspects(visible_files(course.hidden))
    results = [(name, LessonSecrets(name, source).first_leak(files)) for name, source in sources.items()]
    leaks = [f"{file} holds answers or hidden tests of {name}" for name, file in results if file]
    fix = "Move it or delete it: every notebook that is graded could read it."
    detail = "nothing was searched for: this course has no lesson that can be graded"
    if results:
        detail = (
            f"no answer or hidden test is visible inside the sandbox (lessons searched for: {len(results)})"
        )
    return [
        CheckResult("what the sandbox shows", not leaks, "; ".join(leaks) or detail, fix if leaks else "")
    ]


def _workers() -> list[CheckResult]:
    """Report how many submissions can be graded at once, given this machine's processors and memory."""
    if sys.platform != "linux":
        return []
    budget = Budget.of_this_machine()
    ok = budget.max_workers > 0
    fix = "" if ok else "Close other programs: a submission that takes much memory may not get it."
    return [CheckResult("workers", ok, f"{budget.workers}: {budget}", fix, needed=False)]


def _gradebook(db_url: str) -> CheckResult:
    """Check that the gradebook can be written to. Databases other than SQLite are checked only by `grade`."""
    path = sqlite_file(db_url)
    if path is None:
        return CheckResult("gradebook", True, "not an SQLite file: `autograder grade` tries it")
    if not path.exists():
        folder, ok = path.parent, os.access(path.parent, os.W_OK)
        return CheckResult(
            "gradebook", ok, f"{path} will be made" if ok else f"{folder} cannot be written to"
        )
    try:
        with sqlite3.connect(path, timeout=2.0) as book:
            book.execute("BEGIN IMMEDIATE")
            book.rollback()
        book.close()
    except sqlite3.Error as error:
        return CheckResult("gradebook", False, f"{path}: {error}", "Close other programs that write to it.")
    return CheckResult("gradebook", True, f"{path} can be written to")
