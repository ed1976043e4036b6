"""Tests of submitted files that contain hidden tests, as no release does.

A person must grade such a file, and no page shows the hidden tests.
"""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from nbformat import v4

from autograder.course.assignment import read_assignment
from autograder.course.cells import split_tests, tasks
from autograder.course.lesson import Lesson, find_lessons, right_answers, wrong_answers
from autograder.exam.leaks import LessonSecrets
from tests.support.lessons import ROOT
from tests.support.renaming import rename_identifiers
from tests.support.small_class import STEPS, InProcessWorkers, answered_notebook, fake_result, hand_in, run

SOURCE = f"source/{STEPS}/{STEPS}.ipynb"


def hidden_lines(root: Path) -> list[str]:
    """Return the lines of the small lesson's hidden tests, the longest first."""
    cells = [task.test for task in tasks(read_assignment(root, STEPS).source) if task.test]
    lines = [line.strip() for cell in cells for line in split_tests(cell.source)[1].splitlines()]
    return sorted(lines, key=len, reverse=True)


def read_result_texts(course_root: Path, student: str) -> str:
    """Return the text of all files in a student's result folders, except the graded notebook."""
    folders = [course_root / step / student for step in ("autograded", "feedback")]
    return "\n".join(
        path.read_text()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.name != f"{STEPS}.ipynb"
    )


@pytest.mark.parametrize("method", ["copied", "hard link", "another name", "compact", "beside"])
def test_submitted_instructor_notebook_needs_manual_grading(
    course_root: Path, correct_answers: dict[str, str], method: str
) -> None:
    path = hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    source = course_root / SOURCE
    if method == "another name":
        shutil.copy(source, path.with_name("homework.ipynb"))
    elif method == "beside":
        path.with_name("homework.ipynb").write_bytes(source.read_bytes())
        shutil.copy(source, path.with_name(f"{STEPS}.ko.ipynb"))
    elif method == "compact":
        path.write_text(json.dumps(json.loads(source.read_text()), ensure_ascii=False))
    else:
        path.unlink()
        (os.link if method == "hard link" else shutil.copy)(source, path)
    workers = InProcessWorkers(fake_result)
    summary, _ = run(course_root, workers)
    (result,) = summary.results.values()
    assert not workers.examined
    assert {task.outcome for task in result.tasks} == {"rejected"}
    assert all(task.auto is None for task in result.tasks)
    assert "rejected:hidden_tests" in result.flags
    assert "double" in result.tasks[0].message
    assert not any(line in read_result_texts(course_root, "ann") for line in hidden_lines(course_root)[:5])


def test_hidden_tests_in_any_cell_or_side_file_are_detected(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    notebook = answered_notebook(course_root, correct_answers)
    lines = hidden_lines(course_root)
    notebook.cells.append(v4.new_code_cell("\n".join(lines)))
    hand_in(course_root, "ann", notebook)
    path = hand_in(course_root, "bob", answered_notebook(course_root, correct_answers))
    path.with_name("notes.txt").write_text("\n".join(lines))
    workers = InProcessWorkers(fake_result)
    run(course_root, workers)
    assert workers.examined == ["bob"]
    assert not any(line in read_result_texts(course_root, "bob") for line in lines[:5])


def test_two_hidden_test_lines_in_a_submission_are_tolerated(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    notebook = answered_notebook(course_root, correct_answers)
    notebook.cells.append(v4.new_code_cell("\n".join(hidden_lines(course_root)[:2])))
    hand_in(course_root, "ann", notebook)
    workers = InProcessWorkers(fake_result)
    run(course_root, workers)
    assert workers.examined == ["ann"]


@pytest.mark.whole
@pytest.mark.parametrize("lesson", find_lessons(ROOT), ids=lambda lesson: lesson.name)
def test_no_recorded_answer_is_taken_for_a_hidden_test(lesson: Lesson) -> None:
    assignment = read_assignment(ROOT, lesson.name)
    secrets = LessonSecrets(lesson.name, assignment.source)
    assert secrets.hidden_tests_in(v4.writes(assignment.source).encode())
    for release in assignment.releases.values():
        assert not secrets.hidden_tests_in(v4.writes(release).encode())
    answers = [*right_answers(lesson), *wrong_answers(lesson)]
    assert answers
    texts = "\n".join(answer.source for answer in answers)  # even all answers together contain no hidden test
    assert not secrets.hidden_tests_in(json.dumps(texts).encode())


@pytest.mark.parametrize("lesson", find_lessons(ROOT), ids=lambda lesson: lesson.name)
def test_hidden_tests_with_other_names_are_found_and_no_honest_text_is(lesson: Lesson) -> None:
    assignment = read_assignment(ROOT, lesson.name)
    secrets = LessonSecrets(lesson.name, assignment.source)
    hidden = "\n".join(split_tests(task.test.source)[1] for task in tasks(assignment.source) if task.test)
    notebook = v4.new_notebook(cells=[v4.new_code_cell(rename_identifiers(hidden))])
    for text in (rename_identifiers(hidden), v4.writes(notebook), json.dumps(rename_identifiers(hidden))):
        assert secrets.hidden_tests_in(text.encode())
    for answer in (*right_answers(lesson), *wrong_answers(lesson)):
        assert not secrets.hidden_tests_in(answer.source.encode()), answer
    for other in find_lessons(ROOT):
        for release in read_assignment(ROOT, other.name).releases.values():
            assert not secrets.hidden_tests_in(v4.writes(release).encode())


def test_looking_for_renamed_tests_takes_little_time_for_a_huge_file() -> None:
    assignment = read_assignment(ROOT, find_lessons(ROOT)[1].name)
    secrets = LessonSecrets("02", assignment.source)
    huge = "\n".join(f"x{number} = f(y{number}, {number})" for number in range(400_000)).encode()
    before = time.process_time()
    assert not secrets.hidden_tests_in(huge)
    assert time.process_time() - before < 2
