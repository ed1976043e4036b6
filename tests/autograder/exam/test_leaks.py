"""Tests of which files give a lesson's answers or hidden tests away, and which do not."""

import copy
import html
import importlib.util
import zipfile
from functools import cache
from pathlib import Path

import pytest
from nbformat import v4

from autograder.course.cells import is_answer, split_solution, split_tests, tasks
from autograder.course.lesson import Lesson
from autograder.exam import leaks
from tests.support.lessons import LESSONS, ROOT, assignment, source
from tests.support.renaming import rename_identifiers


@cache
def get_secrets(lesson: Lesson) -> leaks.LessonSecrets:
    return leaks.LessonSecrets(lesson.name, source(lesson))


def repository_path(lesson: Lesson, *parts: str) -> Path:
    return ROOT.joinpath(*(part.replace("NAME", lesson.name) for part in parts))


@pytest.mark.parametrize("lesson", LESSONS, ids=str)
def test_author_files_expose_a_lesson_and_releases_do_not(lesson: Lesson) -> None:
    files = ("NAME.py", "right_answers.py", "wrong_answers.py", "solutions.py")
    paths = [repository_path(lesson, "course", "NAME", name) for name in files]
    paths.append(repository_path(lesson, "source", "NAME", "NAME.ipynb"))
    assert [path for path in paths if not get_secrets(lesson).is_leaked_by("x", path.read_bytes())] == []
    for language in ("en", "ko"):
        release = repository_path(lesson, "release", language, "NAME", "NAME.ipynb").read_bytes()
        assert [other.name for other in LESSONS if get_secrets(other).is_leaked_by("x", release)] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=str)
def test_exposed_task_is_recognised_by_its_test_or_its_answer(lesson: Lesson) -> None:
    """Search copies of one task's test or answer alone, as a script and as an HTML page."""
    for task, secret in zip(tasks(source(lesson)), get_secrets(lesson)._secrets, strict=True):
        assert secret.task == task.id
        hidden = split_tests(task.test.source)[1] if task.test else task.answer.source
        script = f"def {task.id}(): ...\n{hidden}".encode()
        page = f"<!doctype html><html><b>{task.id}</b><pre>{html.escape(hidden)}</pre>".encode()
        secrets = get_secrets(lesson)
        is_leaked = secrets.is_leaked_by("notes", script) and secrets.is_leaked_by("notes.html", page)
        assert is_leaked, f"{task.id}: its hidden test or answer is too short to be known again in a copy"


@pytest.mark.parametrize("lesson", LESSONS, ids=str)
def test_answers_and_hidden_tests_with_other_names_expose_a_lesson(lesson: Lesson) -> None:
    secrets = get_secrets(lesson)
    pairs = list(zip(tasks(source(lesson)), secrets._shapes, strict=True))
    tasks_with_answers = [task for task, shape in pairs if shape.answer]
    tasks_with_tests = [task for task, shape in pairs if len(shape.pairs) >= 3]
    assert len(tasks_with_answers) + len(tasks_with_tests) >= len(pairs)
    for task in tasks_with_answers:
        _, body = split_solution(task.answer.source)
        assert secrets.is_leaked_by(
            "notes.py", f"from secant import x\n{rename_identifiers(body)}".encode()
        ), task.id
    for task in tasks_with_tests:
        notebook = v4.new_notebook(
            cells=[v4.new_code_cell(rename_identifiers(split_tests(task.test.source)[1]))]
        )
        notebook.cells.append(v4.new_code_cell("from secant import ask as a"))
        assert secrets.is_leaked_by("notes.ipynb", v4.writes(notebook).encode()), task.id


def test_installed_secant_and_nbgrader_expose_no_lesson() -> None:
    nbgrader_path = importlib.util.find_spec("nbgrader").submodule_search_locations[0]
    files = [
        path
        for folder in (ROOT / "secant", Path(nbgrader_path))
        for path in folder.rglob("*")
        if path.is_file()
    ]
    assert len(files) > 500
    for lesson in LESSONS:
        assert get_secrets(lesson).first_leak(map(str, files)) is None


def test_answered_notebook_exposes_its_lesson_alone() -> None:
    lesson = LESSONS[1]
    notebook = copy.deepcopy(assignment(lesson).releases["en"])
    assert not get_secrets(lesson).is_leaked_by("a.ipynb", v4.writes(notebook).encode())
    next(cell for cell in notebook.cells if is_answer(cell)).source = "def mine():\n    return 7"
    assert get_secrets(lesson).is_leaked_by("a.ipynb", v4.writes(notebook).encode())
    assert not get_secrets(LESSONS[2]).is_leaked_by("a.ipynb", v4.writes(notebook).encode())


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"cells": 1}', '{"cells": [1]}', "[" * 100_000, '{"cells": [{}]}']
)
def test_malformed_notebook_exposes_no_lesson(text: str) -> None:
    secrets = get_secrets(LESSONS[0])
    assert not secrets.is_leaked_by("a.ipynb", (text + " forward_difference").encode())


def test_archives_git_indexes_and_bytecode_expose_a_lesson(tmp_path: Path) -> None:
    lesson = LESSONS[0]
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(ROOT / "LICENSE", "LICENSE")
        archive.write(repository_path(lesson, "source", "NAME", "NAME.ipynb"), "secant/_course/n.ipynb")
    assert get_secrets(lesson).first_leak([str(wheel)]) == f"{wheel}: secant/_course/n.ipynb"
    index = tmp_path / ".git/index"
    index.parent.mkdir()
    index.write_bytes(b"DIRC\0\0" + f"source/{lesson.name}/{lesson.name}.ipynb\0".encode())
    assert get_secrets(lesson).first_leak([str(tmp_path / "gone"), str(index)]) == str(index)
    assert get_secrets(LESSONS[1]).first_leak([str(index)]) is None
    bytecode = tmp_path / f"{lesson.name}.cpython-311.pyc"
    bytecode.write_bytes(b"\0\0")
    assert get_secrets(lesson).first_leak([str(bytecode)]) == str(bytecode)
    assert get_secrets(LESSONS[1]).first_leak([str(bytecode)]) is None
