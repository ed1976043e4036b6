"""Tests of the student's page: the results come first, and the page has no script and loads nothing."""

import re
import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from nbgrader.api import Gradebook

from autograder.course.errors import CourseError
from autograder.gradebook import recorded_grades
from autograder.grading.batch import make_pages
from autograder.workers.jobs import Page
from secant.language import Language
from tests.support.small_class import (
    STEPS,
    WRONG,
    InProcessWorkers,
    answered_notebook,
    build_course,
    hand_in,
    run,
    solutions,
)

NAMES = {"en": ["Task 1: double", "Task 2: Counter"], "ko": ["과제 1: double", "과제 2: Counter"]}
INJECTED_HTML = "<img src=x onerror=alert(1)>"
NOTE = f"It is <b>so</b>, since $\\frac{{a}}{{b}} < c$ and $\\text{{{INJECTED_HTML}}}$; it cost $5 and $6."
ODD_LINE = 'print("<script>alert(1)</script>\x0c\x1b[31m")'


@pytest.fixture(scope="module")
def course_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded class: ann and kim have a wrong answer and a note, eve has an unreadable file."""
    root = tmp_path_factory.mktemp("page")
    build_course(root)
    correct_answers = solutions(root)
    answers = correct_answers | WRONG | {"why": NOTE}
    del answers["Counter"]
    for student, language in (("ann", "en"), ("kim", "ko")):
        hand_in(root, student, answered_notebook(root, answers, language))
    notebook = answered_notebook(root, correct_answers, "en")
    notebook.cells[2].source += f"\n{ODD_LINE}"
    hand_in(root, "bob", notebook)
    hand_in(root, "eve", "{ no notebook <script>")
    run(root)
    return root


def page(root: Path, student: str) -> BeautifulSoup:
    text = (root / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def rows(soup: BeautifulSoup) -> list[Tag]:
    return soup.select(".tasks > li")


EN = ["Wrong", "Not attempted", "Waiting for a person", "likely cause: you squared the number"]
KO = ["틀림", "풀지 않음", "사람의 채점을 기다림", "짐작되는 원인: 수를 제곱했습니다"]


@pytest.mark.parametrize(("student", "language", "words"), [("ann", "en", EN), ("kim", "ko", KO)])
def test_tasks_come_first_by_name_with_verdict_and_likely_cause(
    course_root: Path, student: str, language: Language, words: list[str]
) -> None:
    soup = page(course_root, student)
    assert soup.html["lang"] == language
    first, second, note = rows(soup)
    names = [row.select_one("a").text for row in (first, second)]
    assert names == NAMES[language]
    *verdicts, cause = words
    assert [row.select_one(".verdict").text for row in (first, second, note)] == verdicts
    assert first.select_one("strong").text.strip() == cause
    assert "0 / 2" in first.select_one(".points").text
    end_of_tasks = str(soup).index("</ol>")
    assert end_of_tasks < str(soup).index('class="notebook"')


def test_each_task_leads_to_its_cell(course_root: Path) -> None:
    soup = page(course_root, "ann")
    anchors = [link["href"].removeprefix("#") for link in soup.select('a[href^="#"]')]
    assert {"answer-double", "answer-Counter", "answer-why", "tasks"} == set(anchors)
    assert all(len(soup.find_all(id=anchor)) == 1 for anchor in anchors)


def test_a_rejected_file_has_its_reason_on_top_in_two_blocks_of_one_language_each(course_root: Path) -> None:
    soup = page(course_root, "eve")
    english, korean = soup.select("main > div[lang]")
    assert (english["lang"], korean["lang"]) == ("en", "ko")
    assert "not a notebook" in english.select_one(".rejected p").text
    assert "노트북" in korean.select_one(".rejected p").text
    assert not re.search("[가-힣]", english.text)
    assert "Task" not in korean.text
    for block, title in ((english, "Task 1: double"), (korean, "과제 1: double")):
        assert str(block).index('class="rejected"') < str(block).index('class="tasks"')
        assert block.select_one(".tasks .name").text == title
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert not soup.select(".notebook"), "an empty notebook that is not theirs"


def test_rejection_is_in_the_language_of_the_earlier_submission(course_root: Path, tmp_path: Path) -> None:
    course = Path(shutil.copytree(course_root, tmp_path / "class"))
    for text in ("{", "[", ""):
        hand_in(course, "kim", text)
        run(course, InProcessWorkers(), force=text == "[")
        soup = page(course, "kim")
        assert [block["lang"] for block in soup.select("main > div[lang]")] == ["ko"]
        assert soup.html["lang"] == "ko"
        assert "파일을 읽을 수 없었습니다" in soup.text
        assert "could not be read" not in soup.text


def test_task_awaiting_manual_grading_shows_no_points(course_root: Path) -> None:
    soup = page(course_root, "eve")
    assert "0 of 6" not in soup.select_one("header").text
    english, korean = (score.text for score in soup.select(".score"))
    assert "No points yet, out of 6: a person has to look at your file" in english
    assert "6점 중 아직 받은 점수 없음" in korean
    assert {row.select_one(".points").text[:3] for row in rows(soup)} == {"– /"}
    *_, note = rows(page(course_root, "ann"))
    assert note.select_one(".points").text == "– / 1 points"


def test_manual_points_are_not_shown_as_a_verdict_of_the_tests(course_root: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(course_root, tmp_path / "class"))
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        for student, points in (("bob", 1.5), ("eve", 0.0), ("kim", 2.0)):
            grade = book.find_grade("test_double", STEPS, STEPS, student)
            grade.manual_score, grade.needs_manual_grade = points, False
        book.find_grade("test_Counter", STEPS, STEPS, "bob").extra_credit = 0.1
        book.db.commit()
    run(root)
    assert [row.select_one(".verdict").text for row in rows(page(root, "bob"))][:2] == [
        "Graded by a person",
        "Passed",  # with extra credit
    ]
    assert "1.5 / 2" in rows(page(root, "bob"))[0].select_one(".points").text
    assert rows(page(root, "kim"))[0].select_one(".verdict").text == "사람이 채점함"
    first, second, *_ = rows(page(root, "eve"))
    assert "Graded by a person" in first.select_one(".verdict").text
    assert "0 / 2" in first.select_one(".points").text
    assert "Waiting for a person" in second.select_one(".verdict").text


@pytest.mark.parametrize("student", ["ann", "kim", "bob", "eve"])
def test_a_page_runs_nothing_and_fetches_nothing(course_root: Path, student: str) -> None:
    soup = page(course_root, student)
    assert not soup.select("script, iframe, object, embed, link, base, form, img:not([src^='data:'])")
    assert not [tag for tag in soup.find_all(True) for name in tag.attrs if name.startswith("on")]
    assert not re.search(r"url\(|@import", str(soup.style))
    policy = soup.select_one('meta[http-equiv="Content-Security-Policy"]')["content"].split("; ")
    assert policy[:3] == ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]


def test_student_prose_and_output_are_shown_as_text(course_root: Path) -> None:
    note = page(course_root, "ann").select_one("#answer-why .typed")
    assert "It is <b>so</b>" in note.text
    assert "it cost $5 and $6." in note.text
    assert len(note.select("math")) == 2
    assert note.select("math")[1].text.replace("\xa0", " ") == INJECTED_HTML
    text = (course_root / "feedback" / "bob" / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert not set(text) & {"\x0c", "\x1b", "\r", "\x00"}
    outputs = [output.text for output in page(course_root, "bob").select("pre.output")]
    assert r"<script>alert(1)</script>\x0c\x1b[31m" in outputs[0]


def test_formulas_of_the_lesson_are_typeset(course_root: Path) -> None:
    soup = page(course_root, "ann")
    assert soup.select_one(".notebook math mfrac")
    assert r"\frac" not in soup.text


def test_test_code_is_folded(course_root: Path) -> None:
    code_blocks = page(course_root, "ann").select(".notebook details:not([open]) > pre")
    assert len(code_blocks) == 2
    assert "check.close" in code_blocks[0].text
    assert "BEGIN HIDDEN" not in str(page(course_root, "ann"))


def test_credit_penalty_and_comments_are_shown_on_the_page(course_root: Path, tmp_path: Path) -> None:
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        book.find_grade("test_Counter", STEPS, STEPS, "bob").extra_credit = 0.5
        book.find_submission_notebook(STEPS, STEPS, "bob").late_submission_penalty = 1.0
        book.find_comment("double", STEPS, STEPS, "bob").manual_comment = "Neat: $x^2$. <i>No</i> & so on"
        book.db.commit()
    run(course_root)
    soup = page(course_root, "bob")
    assert soup.select_one(".score").text == "4.5 of 6 points"
    header = " ".join(paragraph.text for paragraph in soup.select("header p"))
    assert "Points taken off for late submission: 1" in header
    assert "Extra credit included: 0.5" in header
    assert "Points still to be graded by a person: up to 1." in header
    comment = rows(soup)[0].select_one(".comment")
    assert "<i>No</i> & so on" in comment.text
    assert comment.select_one("msup")
    assert "including 0.5 extra credit" in rows(soup)[1].text


def test_unanswered_note_is_labelled_in_the_language_of_the_submission(course_root: Path) -> None:
    """The English comment "No response." comes from nbgrader, not from a person, and is left out."""
    hand_in(
        course_root, "lee", answered_notebook(course_root, {"double": solutions(course_root)["double"]}, "ko")
    )
    run(course_root)
    note = rows(page(course_root, "lee"))[2]
    assert (note.select_one(".verdict").text, note.select(".comment")) == ("풀지 않음", [])
    assert "No response" not in page(course_root, "lee").text


def test_new_page_version_remakes_pages_without_regrading(
    course_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(course_root)
    assert [job for job in _jobs(course_root) if isinstance(job, Page)] == []
    monkeypatch.setattr(recorded_grades, "page_version", lambda: "another")
    jobs = _jobs(course_root)
    assert len(jobs) >= 4
    assert all(isinstance(job, Page) for job in jobs)


def _jobs(course_root: Path) -> list[object]:
    workers = InProcessWorkers()
    run(course_root, workers)
    return list(workers.jobs)


def test_students_line_that_equals_a_hidden_test_line_is_kept(course_root: Path) -> None:
    """Hidden lines never reach the student's process, so an equal line in its output is the student's own.

    When such lines were removed from pages, verdicts were hidden and students could confirm their guesses.
    """
    line = "assert isinstance(len(double([1])), int)"
    answer = f'print("{line}")\ndef double(x):\n    raise ValueError("{line}")'
    hand_in(course_root, "mal", answered_notebook(course_root, solutions(course_root) | {"double": answer}))
    run(course_root)
    soup = page(course_root, "mal")
    verdict = rows(soup)[0]
    assert verdict.select_one(".verdict").text == "Wrong"
    assert line in verdict.text
    assert soup.text.count(line) >= 4  # twice in the cell, once in its output and once in the test's output


def test_worked_solutions_are_shown_only_once_released(course_root: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(course_root, tmp_path / "class"))
    text = (root / "feedback/ann" / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    assert "return 2 * x" not in text
    assert "A number and itself" not in text
    (root / "nbgrader_config_local.py").write_text('c = get_config()\nc.Secant.solutions = ["1"]\n')
    workers = InProcessWorkers()
    summary, _ = run(root, workers, action=make_pages)
    student_count = len(list((root / "feedback").iterdir()))
    assert (summary.pages, workers.examined) == (student_count, [])  # no student's code runs for new pages
    soup = page(root, "ann")
    double, counter, note = (row.select_one("details.solution") for row in rows(soup))
    assert "return 2 * x" in double.pre.text
    assert "A number and itself make twice the number." in double.text
    assert double.summary.text == "Worked solution"
    assert "self.n += 1" in counter.pre.text
    assert note is None  # the written task has no worked solution
    korean_solution = rows(page(root, "kim"))[0].select_one("details.solution")
    assert (korean_solution.summary.text, "두 배가 됩니다" in korean_solution.text) == ("모범 풀이", True)
    assert not page(root, "eve").select("details.solution")  # eve's file is unreadable
    assert run(root, action=make_pages)[0].pages == 0
    (root / "nbgrader_config_local.py").unlink()
    assert run(root, action=make_pages)[0].pages == student_count
    assert not page(root, "ann").select("details.solution")


@pytest.mark.parametrize("setting", ['"1"', '["9"]'])
def test_solutions_setting_with_an_unknown_lesson_is_refused(
    course_root: Path, tmp_path: Path, setting: str
) -> None:
    root = Path(shutil.copytree(course_root, tmp_path / "class"))
    (root / "nbgrader_config_local.py").write_text(f"c = get_config()\nc.Secant.solutions = {setting}\n")
    with pytest.raises(CourseError, match=r"list of lessons|no lesson \"9\""):
        run(root, action=make_pages)
