"""Build lessons: first source/ from the text in course/, then release/LANGUAGE from source/.

Both folders are first built in a temporary course directory without a gradebook. There, nbgrader's own
generate_assignment turns source/ into release/. The result is then compared with the files in the course, or
written over them.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log

from autograder.build import rules
from autograder.build.translations import stale_translations
from autograder.course.cells import HEADER_MARKS, grade_id, header_marks
from autograder.course.lesson import CELL_METADATA, Lesson, course_languages, find_lessons, read_lesson
from autograder.course.placeholders import with_placeholders
from autograder.course.plain import is_plain
from autograder.course.settings import load_config
from secant.catalogue import read_hints
from secant.files import replace_file

#: The contents of each file, keyed by its path in the course directory.
Files = dict[Path, bytes]

_IGNORED = (".ipynb_checkpoints", "__pycache__", ".gitkeep", ".DS_Store")


class BuildError(Exception):
    """An error that lists everything that prevents lessons from being built."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class StaleFile:
    """A file that does not match the lessons: it is missing, is out of date, or belongs to no lesson."""

    path: Path
    reason: Literal["missing", "differs", "extra"]


@dataclass(frozen=True)
class BuildResult:
    """The result of a build: the files that were written, and the files and translations that are stale."""

    lessons: int = 0
    written: list[Path] = field(default_factory=list)
    stale: list[StaleFile] = field(default_factory=list)
    stale_translations: list[str] = field(default_factory=list)


def build(
    root: Path,
    lessons: list[Lesson],
    languages: Iterable[str] | None = None,
    *,
    check: bool = False,
    strict: bool = False,
    force: bool = False,
    step: Callable[[], None] = lambda: None,
) -> BuildResult:
    """Build lessons, and write the files that changed.

    Args:
        root: the course directory.
        lessons: the lessons to build; the files of other lessons are neither read nor touched.
        languages: the languages to release; default: all of the course's languages.
        check: write nothing, but compare the result with the files in the course. `BuildResult.stale` then
            lists every file that is missing, is out of date, or belongs to no lesson. Without `check`, it
            lists only the files that belong to no lesson, because a build never deletes them.
        strict: refuse stale translations, as a build with `check` does. Otherwise, they are listed in
            `BuildResult.stale_translations`.
        force: overwrite a source notebook even if it was edited after it was built.
        step: a function to call after each step of the build, for a progress bar. The build has
            len(lessons) * (1 + number of languages) steps.

    Raises:
        BuildError: something is wrong with the lessons. The error lists everything that is wrong, and nothing
            in source/ or release/ has been written.
    """
    languages = course_languages(root) if languages is None else list(languages)
    if problems := [problem for lesson in lessons for problem in rules.lesson_problems(lesson)]:
        raise BuildError(problems)
    translations = [problem for lesson in lessons for problem in stale_translations(lesson)]
    if translations and (check or strict):
        raise BuildError(translations)
    for lesson in () if check else lessons:
        _restore_placeholders(lesson)
    files = _build_all(root, lessons, languages, step)
    extra = [StaleFile(path, "extra") for path in _extra_files(root, lessons, languages, files)]
    if check:
        return BuildResult(len(lessons), [], [*_differences(root, files), *extra])
    if not force and (problems := [p for lesson in lessons for p in _lost_edits(root, lesson, files)]):
        raise BuildError(problems)
    changed_paths = [stale.path for stale in _differences(root, files)]
    for path in changed_paths:
        _write(root / path, files[path])
    for lesson in lessons:
        _limit_notebook_mtime(lesson)
    return BuildResult(len(lessons), changed_paths, extra, translations)


def source_files(lesson: Lesson) -> Files:
    """Return a lesson's files in source/: the instructor's notebook and the lesson's extra files."""
    folder = Path("source", lesson.name)
    notebook = read_lesson(lesson, mark_values=True)
    # The fingerprint lets a later build find out whether the notebook was edited after it was built.
    notebook.metadata["secant"] = {"built": fingerprint(notebook), "hints": read_hints(lesson.folder)}
    files = {folder / f"{lesson.name}.ipynb": (nbformat.writes(notebook) + "\n").encode()}
    return files | {folder / path: (lesson.folder / path).read_bytes() for path in lesson.extra_files}


def _build_all(root: Path, lessons: list[Lesson], languages: list[str], step: Callable[[], None]) -> Files:
    files: Files = {}
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="secant-build-") as name:
        build_root = Path(name)
        for lesson in lessons:
            source = source_files(lesson)
            files |= source
            for path, content in source.items():
                _write(build_root / path, content)
            step()
            for language in languages:
                problems += _generate(root, build_root, lesson, language)
                files |= _read_tree(build_root, Path("release", language, lesson.name))
                step()
        problems += _release_problems(files)
    if problems:
        raise BuildError(problems)
    return files


def _generate(root: Path, build_root: Path, lesson: Lesson, language: str) -> list[str]:
    """Run nbgrader's generate_assignment in a temporary course with the settings of the real course."""
    config = load_config(root)
    config.CourseDirectory.root = str(build_root)
    config.CourseDirectory.release_directory = f"release/{language}"
    config.CourseDirectory.assignment_id = lesson.name
    config.SelectLanguage.lang = language
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    result = capture_log(converter)
    if result["success"]:
        return []
    return [f"course/{lesson.name}: nbgrader cannot release it in {language}: {_reason(result)}"]


def _reason(result: dict[str, str]) -> str:
    """Return the last line of nbgrader's log that names an exception; if no line does, the last line."""
    lines = (result.get("log") or result["error"]).splitlines()
    errors = [line.strip() for line in lines if re.match(r"\s*[\w.]+(Error|Exception): ", line)]
    return (errors or lines)[-1]


def _release_problems(files: Files) -> list[str]:
    notebooks = [p for p in files if p.parts[0] == "release" and p.suffix == ".ipynb"]
    return [
        problem
        for path in notebooks
        for problem in rules.release_problems(nbformat.reads(files[path].decode(), as_version=4), path)
    ]


def _read_tree(base: Path, folder: Path) -> Files:
    return {path.relative_to(base): path.read_bytes() for path in _files_in(base / folder)}


def _files_in(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(p for p in files if not set(p.relative_to(folder).parts) & set(_IGNORED))


def _differences(root: Path, files: Files) -> list[StaleFile]:
    stale = []
    for path, content in sorted(files.items()):
        if not (root / path).is_file():
            stale.append(StaleFile(path, "missing"))
        elif (root / path).read_bytes() != content:
            stale.append(StaleFile(path, "differs"))
    return stale


def _extra_files(root: Path, lessons: list[Lesson], languages: list[str], files: Files) -> list[Path]:
    """Return the files in source/ and release/ that belong neither to a lesson nor to another assignment."""
    folders = [Path("source"), *(Path("release", language) for language in languages)]
    chosen_names = {lesson.name for lesson in lessons}
    other_names = {lesson.name for lesson in find_lessons(root)} - chosen_names
    extra = []
    for folder in folders:
        for path in (p.relative_to(root) for p in _files_in(root / folder)):
            name = path.relative_to(folder).parts[0]
            if name not in other_names and path not in files and not is_plain(root, name):
                extra.append(path)
    return extra


def _lost_edits(root: Path, lesson: Lesson, files: Files) -> list[str]:
    """Return the edits to the source notebook that a build would overwrite, as problems to report."""
    path = Path("source", lesson.name, f"{lesson.name}.ipynb")
    if not (root / path).is_file():
        return []
    try:
        existing = nbformat.read(root / path, as_version=4)
    except Exception:  # a file that cannot be read as a notebook was not written by the build
        return [f"{path} is not a notebook: move it elsewhere, or overwrite it with --force."]
    new = nbformat.reads(files[path].decode(), as_version=4)
    built_fingerprint = existing.metadata.get("secant", {}).get("built")
    if fingerprint(existing) in (built_fingerprint, fingerprint(new)):
        return []
    return [
        f"{path} was edited after it was built, and now differs from course/{lesson.name}. "
        f"Run `jupytext --sync {path}` to keep the newer of the two, or add --force to discard the edit.",
        *_unmarked_cells(path, existing),
    ]


def _unmarked_cells(path: Path, notebook: NotebookNode) -> Iterator[str]:
    """Yield a problem for each cell whose nbgrader metadata was changed only in the notebook.

    Each problem states the header that the author must write in the lesson's text.
    """
    # jupytext does not copy nbgrader's metadata into the headers of the lesson's text. Notebooks built by an
    # earlier version of Secant record no headers, so there is nothing to compare.
    has_marks = any(key in cell.metadata for cell in notebook.cells for key in HEADER_MARKS)
    for cell in notebook.cells if has_marks else ():
        marks = header_marks(cell)
        if marks != {key: cell.metadata[key] for key in marks if key in cell.metadata}:
            header = " ".join(f"{key}={json.dumps(value)}" for key, value in marks.items())
            yield f"{path}, cell {grade_id(cell)}: nbgrader's metadata changed: write {header} in its header."


def _restore_placeholders(lesson: Lesson) -> None:
    """Put placeholders back into a lesson's text if saving a notebook has replaced them with values."""
    text = lesson.text.read_text(encoding="utf-8")
    if (restored_text := with_placeholders(text)) != text:
        lesson.text.write_text(restored_text, encoding="utf-8")


def _limit_notebook_mtime(lesson: Lesson) -> None:
    """Make the source notebook no newer than the lesson's text; otherwise jupytext opens neither of them."""
    path = lesson.root / "source" / lesson.name / f"{lesson.name}.ipynb"
    text_mtime = lesson.text.stat().st_mtime_ns
    if path.stat().st_mtime_ns > text_mtime:
        os.utime(path, ns=(text_mtime, text_mtime))


def fingerprint(notebook: NotebookNode) -> str:
    """Return a hash of an author's work in a notebook, excluding outputs, ids and other tools' metadata."""
    # the metadata that records a cell's header is not hashed, because it only repeats nbgrader's metadata
    keys = CELL_METADATA.difference(HEADER_MARKS)
    cells = [
        [
            cell.cell_type,
            with_placeholders(cell.source),
            {k: cell.metadata[k] for k in keys if k in cell.metadata},
        ]
        for cell in notebook.cells
    ]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()[:16]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
