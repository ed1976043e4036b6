"""Tests of the demo, which grades an example class in a separate folder and shows it."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from autograder.course.cells import tasks
from autograder.course.lesson import find_lessons, read_lesson
from scripts.demo import __main__ as demo
from scripts.demo.notes import NOTES
from scripts.demo.people import ROWS, make_students, submissions

ROOT = Path(__file__).resolve().parents[2]
LESSONS = find_lessons(ROOT)[:2]


def test_demo_does_not_touch_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text("a term's grades")
    with pytest.raises(demo.DemoError, match="--folder"):
        demo.prepare_folder(tmp_path)
    assert (tmp_path / "gradebook.db").read_text() == "a term's grades"


def test_a_demo_replaces_an_earlier_one(tmp_path: Path) -> None:
    demo.prepare_folder(tmp_path / "class")
    (tmp_path / "class" / "gradebook.db").touch()
    demo.prepare_folder(tmp_path / "class")
    assert [path.name for path in (tmp_path / "class").iterdir()] == [demo.MARK]


def test_the_class_is_the_same_each_time_and_has_all_kinds_of_students() -> None:
    students = make_students(len(ROWS))
    assert len({student.id for student in students}) == len(ROWS) == 40
    found = list(submissions(students, LESSONS))
    assert found == list(submissions(make_students(len(ROWS)), LESSONS))
    first = [work.notebooks[0] for _, lesson, work in found if lesson == LESSONS[0]]
    assert 10 < sum(student.language == "ko" for student in students) < 30
    assert sum(student.trick is not None for student in students) == 6
    assert len(first) == 40
    assert any(work.damaged for *_, work in found)
    assert any(len(work.notebooks) == 2 for *_, work in found)
    # Some students hand in the course's own answers. Of the others, only the copier has the same answers as
    # another student.
    own = {task.id: task.answer.source for task in tasks(read_lesson(LESSONS[0]))}
    others = [tuple(answers.items()) for answers in first if answers != own]
    assert sum(others.count(one) > 1 for one in others) == 2


def test_notes_are_the_students_own_good_and_bad_in_both_languages() -> None:
    written: dict[str, list[str]] = {"en": [], "ko": []}
    handed_in = 0
    by_a_person = {
        (lesson, task.id)
        for lesson in find_lessons(ROOT)
        for task in tasks(read_lesson(lesson))
        if task.test is None
    }
    assert by_a_person
    for student, lesson, work in submissions(
        make_students(len(ROWS)), sorted({lesson for lesson, _ in by_a_person}, key=str)
    ):
        for name, task in by_a_person:
            if name == lesson:
                handed_in += 1
                written[student.language] += filter(None, [work.notebooks[0].get(task)])
    every = [*written["en"], *written["ko"]]
    assert not any("SOLUTION" in note for note in every)
    # One student copies another student's note. All other notes differ, and a few students write none.
    assert len(set(every)) == len(every) - 1 < handed_in
    assert all(re.search("[가-힣]", note) for note in written["ko"])
    assert not any(re.search("[가-힣]", note) for note in written["en"])
    for task, language in ((task, language) for _, task in by_a_person for language in ("en", "ko")):
        notes = NOTES[task][language]
        for kind in (notes.good, notes.fair, notes.poor):
            assert 3 <= len(set(kind) & set(written[language])) <= len(set(kind)) == len(kind)


@pytest.mark.whole
@pytest.mark.slow
def test_a_small_class_is_graded_and_formgrader_shows_it(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    flags = ["--students", "4", "--lessons", "1", "--no-open", "--folder", str(folder)]
    shown = subprocess.Popen([sys.executable, "-m", "scripts.demo", *flags], cwd=ROOT, stdout=-1, text=True)
    assert shown.stdout is not None
    said = []
    try:
        for line in shown.stdout:
            said.append(line.strip())
            if "Ctrl+C" in line:
                break
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        page = browser.open(said[-2], timeout=60).read().decode()
    finally:
        shown.send_signal(signal.SIGINT)
        shown.communicate(timeout=60)
    assert "Manage Assignments" in page
    assert "alert-warning" not in page
    assert shown.returncode == 0
    text = "\n".join(said)
    assert "chmod" not in text  # no advice, because other users cannot read the class's files
    assert "4 submissions graded" in text
    assert re.search(r"replaces the checks +│ Wrong +│ 0 / 2", text)
    pages = [Path(line) for line in said if line.startswith("/")]
    assert {page.name for page in pages} == {"01_what_autograd_does.html"}
    assert all(page.is_file() and page.is_relative_to(folder) for page in pages)
