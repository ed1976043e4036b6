"""A lesson's assignment: the tests that the examiner runs, and the notebooks that students received."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat.v4
from nbformat import NotebookNode

from autograder.course.cells import grade_id, imports, is_test, tasks
from autograder.course.errors import CourseError
from autograder.course.hints import with_hints
from secant.language import LANGUAGES
from secant.testcells import judges
from secant.where import NoCourseError, course_root, has_hidden_tests


@dataclass(frozen=True)
class Assignment:
    """The notebooks with which submissions of a lesson are graded.

    Attributes:
        lesson: the lesson's name.
        source: the instructor's notebook, hidden tests included.
        releases: the released notebooks that students received, keyed by language.
    """

    lesson: str
    source: NotebookNode
    releases: Mapping[str, NotebookNode]

    @cached_property
    def digest(self) -> str:
        """A hash of everything that affects a grade: the tests, points, stubs and import statements.

        The hash does not cover the lesson's prose, examples or explorers.
        """
        tests = [[task.id, task.points, task.test.source if task.test else ""] for task in tasks(self.source)]
        release_parts = [_compared_parts(notebook) for notebook in self.releases.values()]
        return hashlib.sha256(json.dumps([tests, release_parts]).encode()).hexdigest()


def _compared_parts(release: NotebookNode) -> list[Any]:
    """Return a released notebook's stubs and imports. Submissions are compared with them."""
    graded_cells = [cell for cell in release.cells if grade_id(cell)]
    stubs = [[grade_id(cell), cell.cell_type, "" if is_test(cell) else cell.source] for cell in graded_cells]
    return [stubs, imports(release.cells)]


def read_assignment(root: Path, lesson: str, source: str = "source") -> Assignment:
    """Read a lesson's built notebooks.

    Args:
        root: the course directory.
        lesson: the lesson's name.
        source: the folder of the instructor's notebooks.

    Raises:
        CourseError: a notebook is missing or damaged, or `autograder build` did not write it.
    """
    releases = read_releases(root, lesson)
    if not releases:
        # A lesson copied by `autograder add` has no source text, so `autograder build` cannot build it.
        has_text = (root / "course" / lesson / f"{lesson}.py").is_file()
        command = "autograder build" if has_text else f"nbgrader generate_assignment {lesson}"
        raise CourseError(f"{root / 'release'} does not hold lesson {lesson}: run `{command}`.")
    notebook = read_notebook(root / source / lesson / f"{lesson}.ipynb")
    # the class edition of the course (without hidden tests) has no source/, only released notebooks
    is_released = "lang" in notebook.metadata
    tests = [cell.source for cell in notebook.cells if is_test(cell)]
    if not (is_built(notebook) or is_released) or not all(map(judges, tests)):
        raise NotBuilt(not_built_message(lesson))
    return Assignment(lesson, with_hints(notebook), releases)


def read_releases(root: Path, lesson: str) -> dict[str, NotebookNode]:
    """Return a lesson's released notebooks, keyed by language, with Secant's own languages first.

    The files are release/LANGUAGE/NAME/NAME.ipynb. In a course with nbgrader's own folders, they are
    release/NAME/NAME.ipynb and release/NAME/NAME.LANGUAGE.ipynb.

    Raises:
        CourseError: a notebook is damaged.
    """
    releases = dict(_read_by_folder(root, lesson)) or dict(_read_by_metadata(root, lesson))
    return dict(sorted(releases.items(), key=lambda item: (item[0] not in LANGUAGES, item[0])))


def release_paths(root: Path, lesson: str) -> list[Path]:
    """Return the paths of a lesson's released notebooks, in either folder layout."""
    release = root / "release"
    return sorted([*release.glob(f"*/{lesson}/{lesson}.ipynb"), *release.glob(f"{lesson}/*.ipynb")])


def _read_by_folder(root: Path, lesson: str) -> Iterator[tuple[str, NotebookNode]]:
    for path in (root / "release").glob(f"*/{lesson}/{lesson}.ipynb"):
        yield path.parents[1].name, read_notebook(path)


def _read_by_metadata(root: Path, lesson: str) -> Iterator[tuple[str, NotebookNode]]:
    for path in (root / "release" / lesson).glob("*.ipynb"):
        notebook = read_notebook(path)
        if language := str(notebook.metadata.get("lang", "")):
            yield language, notebook


class NotBuilt(CourseError):
    """Raised for an assignment that has a lesson's name but was not written by `autograder build`."""


def is_built(notebook: Mapping[str, Any]) -> bool:
    """Return whether a notebook in source/ was written by `autograder build`."""
    mark = notebook["metadata"].get("secant")
    return isinstance(mark, dict) and "built" in mark


def languages_of(notebook: Mapping[str, Any]) -> list[str]:
    """Return the languages that a notebook in source/ lists for its release, or an empty list."""
    mark = notebook["metadata"].get("secant")
    return [str(language) for language in mark.get("languages", [])] if isinstance(mark, dict) else []


def not_built_message(name: str) -> str:
    """Return the advice shown for an assignment that has a lesson's name but is not a built lesson."""
    return (
        f"{name} cannot be released or graded as a lesson: `autograder build` did not write source/{name}, "
        f"or its tests do not use Secant's checks. If course/{name} is a lesson, run `autograder build`. If "
        f"{name} is an assignment with ordinary nbgrader tests, delete course/{name}."
    )


def built_lessons(root: Path, source: str = "source") -> list[str]:
    """Return the names of the lessons that have been built, sorted.

    The class edition of the course (without hidden tests) does not contain the source texts of lessons.
    There, every notebook that has a lesson's name counts as built.
    """
    names = sorted(
        path.stem for path in (root / source).glob("[0-9][0-9]_*/*.ipynb") if is_named_like_folder(path)
    )
    return [name for name in names if not has_hidden_tests(root) or (root / "course" / name).is_dir()]


def is_named_like_folder(notebook: Path) -> bool:
    """Return whether a notebook has the same name as its folder."""
    return notebook.stem == notebook.parent.name


def read_notebook(path: Path) -> NotebookNode:
    """Read one of the course's own notebooks, without repeating the checks made when it was built.

    Raises:
        CourseError: the notebook is missing or cannot be read.
    """
    try:
        notebook: NotebookNode = nbformat.v4.reads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{path} is missing: run `autograder build`.") from None
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    return notebook


def find_course(*starts: Path) -> Path:
    """Return the course directory that contains one of the given paths, or the course installed with Secant.

    Raises:
        CourseError: no course directory is found.
    """
    try:
        return course_root(*starts)
    except NoCourseError as error:
        raise CourseError(str(error)) from None
