"""Copy Secant's lessons into an instructor's own nbgrader course: `autograder add`.

A lesson has two folders. nbgrader releases source/LESSON. The folder course/LESSON marks the assignment as a
lesson, and contains text for feedback pages. course/added.json records the version of each copied file, so
that a later version of Secant replaces a lesson only if its files were not changed in the course.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nbformat

from autograder.build.builder import Files, fingerprint
from autograder.course.assignment import built_lessons, languages_of, read_notebook
from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson, find_lessons
from autograder.course.settings import Course
from autograder.course.solutions import FILE as SOLUTIONS
from secant.files import read_json, replace_file
from secant.where import TRUST, has_hidden_tests, is_trusted, nearest, package_course

#: The line in a course's nbgrader_config.py that makes nbgrader release and grade lessons.
LINE = "from autograder.configure import use_secant; use_secant(c)"
_SETTINGS = "nbgrader_config.py"
_RECORD = Path("course", "added.json")
# names of the files in course/LESSON that instructors and feedback pages need
_COURSE_FILES = ("hints.toml", SOLUTIONS)
_FOLDERS = {"source_directory": "source", "release_directory": "release"}

Versions = Mapping[str, str]


@dataclass(frozen=True)
class AddResult:
    """The outcome of adding a lesson to a course.

    Attributes:
        outcome: `copied` if the course did not have the lesson; `updated` if another version in the course
            was replaced; `unchanged` if the course already had this version; `edited` if the lesson's files
            were changed in the course and Secant has nothing newer; `left` if they were changed in the course
            and Secant has a different version, which was not copied.
        files: for `copied` and `updated`, the files that were written; for `edited` and `left`, the files
            that were changed in the course; otherwise empty.
    """

    lesson: str
    outcome: Literal["copied", "updated", "unchanged", "edited", "left"]
    files: Sequence[Path]


def find_user_course(start: Path) -> Path:
    """Return the root of the nbgrader course that a folder belongs to.

    Raises:
        CourseError: there is no such course, it is Secant's own, it belongs to another user and is not
            trusted, or its settings name folders other than nbgrader's defaults.
    """
    root = nearest(start, lambda folder: (folder / _SETTINGS).is_file())
    if root is None:
        raise CourseError(
            f"{start} is not in a nbgrader course: there is no {_SETTINGS}. "
            "`nbgrader quickstart NAME` makes a course."
        )
    if root == package_course():
        raise CourseError(
            f"{root} is Secant's own course and has all lessons. Run this in a course of yours."
        )
    if not is_trusted(root):
        raise CourseError(
            f"The course in {root} belongs to another user. If you trust it, set {TRUST}={root}."
        )
    _refuse_other_folders(root)
    return root


def is_user_course(root: Path) -> bool:
    """Return whether a course is a user's own.

    The result is true if `add_lesson` has added a lesson to the course, or if there is no course/ folder yet.
    """
    return (root / _RECORD).is_file() or not (root / "course").is_dir()


def find_installed_course() -> tuple[Path, list[Lesson]]:
    """Return the course that is installed with Secant, and its lessons.

    Raises:
        CourseError: no course is installed with Secant, or it has no hidden tests.
    """
    root = package_course()
    if root is None or not has_hidden_tests(root):
        raise CourseError(
            "This is a class's edition of Secant, without answers and hidden tests. Install Secant itself."
        )
    return root, find_lessons(root)


def already_added(root: Path, lessons: Sequence[Lesson]) -> list[Lesson]:
    """Return those of the given lessons that a course already contains."""
    existing = built_lessons(root)
    return [lesson for lesson in lessons if lesson.name in existing]


def add_lesson(root: Path, lesson: Lesson, languages: Sequence[str] = ()) -> AddResult:
    """Copy a lesson into a course, or update it if it was not changed there.

    Args:
        root: the course directory.
        lesson: a lesson of the course that is installed with Secant.
        languages: the languages to release, the main one first. If empty, an existing lesson keeps the
            languages that it has in the course, and a new lesson is released in English.

    Raises:
        CourseError: a notebook cannot be read, or the lesson is not written in one of the languages.
        OSError: a file cannot be written.
    """
    files = _files(lesson, languages or _current_languages(root, lesson.name) or ["en"])
    record: dict[str, Versions] = read_json(root / _RECORD, _parse_record, {})
    recorded_versions, versions = (
        record.get(lesson.name, {}),
        {str(path): _version(path, files[path]) for path in files},
    )
    existing_versions = {
        path: _version(path, (root / path).read_bytes()) for path in files if (root / path).is_file()
    }
    outdated = [path for path in files if existing_versions.get(path) != versions[str(path)]]
    changed_paths = [
        path
        for path in outdated
        if path in existing_versions and existing_versions[path] != recorded_versions.get(str(path))
    ]
    if changed_paths:
        return AddResult(lesson.name, "edited" if recorded_versions == versions else "left", changed_paths)
    for path in outdated:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(root / path, files[path])
    if recorded_versions != versions:
        text = json.dumps({**record, lesson.name: versions}, indent=1, sort_keys=True)
        replace_file(root / _RECORD, f"{text}\n".encode())
    if not outdated:
        return AddResult(lesson.name, "unchanged", [])
    return AddResult(lesson.name, "updated" if existing_versions else "copied", outdated)


def _files(lesson: Lesson, languages: Sequence[str]) -> Files:
    """Return the contents of the files that a course needs for a lesson, keyed by path."""
    home = Path("source", lesson.name)
    folder = lesson.root / home
    notebook = read_notebook(folder / f"{lesson.name}.ipynb")
    languages_of_lesson = sorted(
        {str(cell.metadata["lang"]) for cell in notebook.cells if "lang" in cell.metadata}
    )
    if unknown := [language for language in languages if language not in languages_of_lesson]:
        raise CourseError(
            f"{lesson.name} is not written in {unknown[0]!r}, only in {', '.join(languages_of_lesson)}."
        )
    notebook.metadata["secant"]["languages"] = list(languages)
    files = {home / f"{lesson.name}.ipynb": f"{nbformat.writes(notebook)}\n".encode()}
    files |= {home / path: (folder / path).read_bytes() for path in lesson.extra_files}
    sources = {Path("course", lesson.name, name): lesson.folder / name for name in _COURSE_FILES}
    return files | {path: source.read_bytes() for path, source in sources.items() if source.is_file()}


def _current_languages(root: Path, name: str) -> list[str]:
    path = root / "source" / name / f"{name}.ipynb"
    return languages_of(read_notebook(path)) if path.is_file() else []


def _version(path: Path, content: bytes) -> str:
    """Return a hash of those parts of a file that its author wrote.

    The hash of a notebook does not change if the notebook is only run and saved.
    """
    try:
        if path.suffix == ".ipynb":
            notebook = nbformat.reads(content.decode(), as_version=4)
            mark = json.dumps(notebook.metadata.get("secant"), sort_keys=True)
            content = f"{fingerprint(notebook)} {mark}".encode()
    # if the file is not a notebook, its bytes are hashed unchanged
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    return hashlib.sha256(content).hexdigest()


def _parse_record(record: Any) -> dict[str, Versions]:
    return {
        str(name): {str(path): str(version) for path, version in versions.items()}
        for name, versions in record.items()
    }


def _refuse_other_folders(root: Path) -> None:
    """Refuse a course if its settings name folders other than those that Secant expects.

    Raises:
        CourseError: the settings name another root, source folder or release folder.
    """
    directory = Course.at(root).directory
    if Path(directory.root).resolve() != root.resolve():
        raise CourseError(
            f"{_SETTINGS} names {directory.root} as the course's root: it must lie there itself."
        )
    for setting, default in _FOLDERS.items():
        if getattr(directory, setting) != default:
            raise CourseError(f'CourseDirectory.{setting} must be nbgrader\'s own, "{default}", for lessons.')
