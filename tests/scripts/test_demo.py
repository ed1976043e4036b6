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
from scripts.demo.people import ROWS, DemoStudent, make_students, submissions
from scripts.demo.tricks import Trick

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
    works = list(submissions(students, LESSONS))
    assert works == list(submissions(make_students(len(ROWS)), LESSONS))
    first = [work.notebooks[0] for _, lesson, work in works if lesson == LESSONS[0]]
    assert 10 < sum(student.language == "ko" for student in students) < 30
    assert sum(student.trick is not None for student in students) == 6
    assert len(first) == 40
    assert any(work.damaged for *_, work in works)
    assert any(len(work.notebooks) == 2 for *_, work in works)
    # Some students hand in the course's own answers. Of the other students, only
    # two have the same answers: one copied them from the other.
    course_answers = {task.id: task.answer.source for task in tasks(read_lesson(LESSONS[0]))}
    other_answers = [tuple(answers.items()) for answers in first if answers != course_answers]
    assert sum(other_answers.count(answers) > 1 for answers in other_answers) == 2


def test_typical_student_is_honest_and_in_the_users_language_with_right_and_wrong_answers(
    both_languages: str,
) -> None:
    trick = next(student.trick for student in make_students(len(ROWS)) if student.trick)
    scores: dict[tuple[str, str, Trick | None], float] = {
        ("cheat", "", trick): 6.0,
        ("korean", "이름", None): 6.0,
        ("strong", "", None): 10.0,
        ("typical", "", None): 5.0,
    }
    students = [DemoStudent(id, korean, 0.5, trick) for id, korean, trick in scores]
    rows = [{"student": id, "score": score, "max_score": 10.0} for (id, *_), score in scores.items()]
    expected = {"en": "typical", "ko": "korean"}
    assert demo.typical_student(rows, students) == expected[both_languages]
    assert demo.typical_student(rows[:2], students) == "korean"


def test_notes_differ_between_students_and_are_in_their_languages() -> None:
    student_notes: dict[str, list[str]] = {"en": [], "ko": []}
    count = 0
    manual_tasks = {
        (lesson, task.id)
        for lesson in find_lessons(ROOT)
        for task in tasks(read_lesson(lesson))
        if task.test is None
    }
    assert manual_tasks
    for student, lesson, work in submissions(
        make_students(len(ROWS)), sorted({lesson for lesson, _ in manual_tasks}, key=str)
    ):
        for name, task in manual_tasks:
            if name == lesson:
                count += 1
                student_notes[student.language] += filter(None, [work.notebooks[0].get(task)])
    all_notes = [*student_notes["en"], *student_notes["ko"]]
    assert not any("SOLUTION" in note for note in all_notes)
    # One student copies another student's note. All other notes differ, and a few students write none.
    assert len(set(all_notes)) == len(all_notes) - 1 < count
    assert all(re.search("[가-힣]", note) for note in student_notes["ko"])
    assert not any(re.search("[가-힣]", note) for note in student_notes["en"])
    for task, language in ((task, language) for _, task in manual_tasks for language in ("en", "ko")):
        notes = NOTES[task][language]
        for group in (notes.good, notes.fair, notes.poor):
            assert 3 <= len(set(group) & set(student_notes[language])) <= len(set(group)) == len(group)


@pytest.mark.whole
@pytest.mark.slow
def test_a_small_class_is_graded_and_formgrader_shows_it(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    flags = ["--students", "4", "--lessons", "1", "--no-open", "--folder", str(folder)]
    process = subprocess.Popen([sys.executable, "-m", "scripts.demo", *flags], cwd=ROOT, stdout=-1, text=True)
    assert process.stdout is not None
    lines = []
    try:
        for line in process.stdout:
            lines.append(line.strip())
            if "Ctrl+C" in line:
                break
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        page = browser.open(lines[-2], timeout=60).read().decode()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert "Manage Assignments" in page
    assert "alert-warning" not in page
    assert process.returncode == 0
    text = "\n".join(lines)
    assert "chmod" not in text  # other users cannot read the class's files, so no advice is shown
    assert "4 submissions graded" in text
    assert re.search(r"replaces the checks +│ Wrong +│ 0 / 2", text)
    pages = [Path(line) for line in lines if line.startswith("/")]
    assert {page.name for page in pages} == {"01_what_autograd_does.html"}
    assert all(page.is_file() and page.is_relative_to(folder) for page in pages)
