"""Tests of `autograder report`, as an instructor runs it, on a class that took lesson 2 of the course."""

import csv
import json
import re
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course.assignment import read_assignment
from autograder.course.settings import Course
from autograder.gradebook.book import Book
from autograder.report.lesson_text import LessonText
from autograder.report.words import _WORDS
from secant.language import LANGUAGES
from tests.support.gradebooks import without_fsync
from tests.support.graded_class import Fate, Student, course_of, enter
from tests.support.lessons import LESSONS, questions
from tests.support.settings import in_english  # noqa: F401
from tests.support.small_class import hand_in

LESSON = LESSONS[1]
NAME = LESSON.name
CORRECT_ANSWERS = {task.id: task.answer.source for task in questions(LESSON)}
SCRIPT = "<script>alert(1)</script>"
KIM_ANSWER = (
    f"def classify(t):  # {SCRIPT} by Kim_Minji\n"
    '    return "Kim_Minji" if t.grad_fn else Kim_Minji[20231234]\n'
)
PEOPLE = {
    "Kim_Minji": Student(
        {"classify": Fate("wrong", "leaf")}, CORRECT_ANSWERS | {"classify": KIM_ANSWER}, "ko"
    ),
    "Lee_Ann": Student({"classify": Fate("wrong", "leaf", hidden=True)}, CORRECT_ANSWERS),
    "Zoe_Quill": Student({task: Fate("not_attempted") for task in CORRECT_ANSWERS}),
    "Park_Ho": Student(
        {"graph_nodes": Fate("wrong", "endless"), "leaves_of": Fate("timed_out")}, CORRECT_ANSWERS
    ),
}
PRIVATE_WORDS = [*PEOPLE, "Cho_Nothing", "Kim", "Minji", "Quill", "20231234", "example.edu"]


@pytest.fixture(scope="module")
def built_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course of lesson 2 with an empty gradebook, which nbgrader is slow to create."""
    root = tmp_path_factory.mktemp("built")
    course_of(root, [LESSON])
    enter_grades(root, {})
    return root


@pytest.fixture(scope="module")
def full_class(built_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the class of PEOPLE, plus one student without a submission and one with an ungraded file."""
    root = Path(shutil.copytree(built_course, tmp_path_factory.mktemp("full") / "class"))
    enter_grades(root, PEOPLE)
    with without_fsync(), Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        book.update_or_create_student("Cho_Nothing", first_name="Cho", email="cho@example.edu")
        book.update_or_create_student("Zoe_Quill", first_name="Zoe", last_name="Quill")
    hand_in(root, "new", "{}", NAME)
    return root


def work_in_copy(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy a course, make the copy the working folder, set English as the language, and return the copy."""
    course_root = Path(shutil.copytree(course, tmp_path / "class"))
    monkeypatch.chdir(course_root)
    monkeypatch.setenv("SECANT_LANG", "en")
    return course_root


@pytest.fixture
def course_root(built_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return work_in_copy(built_course, tmp_path, monkeypatch)


@pytest.fixture
def class_copy(full_class: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return work_in_copy(full_class, tmp_path, monkeypatch)


def enter_grades(course_root: Path, students: Mapping[str, Student]) -> None:
    course = Course.at(course_root)
    with without_fsync(), Book(course.directory, course.config) as book:
        enter(course, book, read_assignment(course_root, NAME), students)


def report(*arguments: str) -> None:
    with without_fsync():
        result = CliRunner().invoke(app, ["report", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)


def page(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def section(soup: BeautifulSoup, name: str) -> str:
    """Return the text of a section with single spaces, or "" if the page lacks the section."""
    element = soup.select_one(f"section[aria-labelledby={name}]")
    return " ".join(element.text.split()) if element else ""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_report_page_shows_the_figures_of_the_class(class_copy: Path) -> None:
    report("2")
    soup = page(class_copy / "report" / f"{NAME}.html")
    assert "5 of 6" in section(soup, "glance")
    assert "4 of 5" in section(soup, "glance")
    help_text = section(soup, "help")
    assert "Zoe_Quill (Zoe Quill)" in help_text
    assert "Lee_Ann" not in help_text
    open_text = section(soup, "open")
    assert "Handed in nothing, 1 student: Cho_Nothing (Cho)" in open_text
    assert "not graded yet, 1 student: new" in open_text
    first, *_ = soup.select("section[aria-labelledby=mistakes] .mistake")
    assert first.h3.text == "it is tracked, but no operation was recorded for it: its grad_fn is None"
    assert "2 students: Kim_Minji, Lee_Ann" in first.text  # they made the same mistake in two languages
    assert "Failed in the visible test: 1; only in the hidden test: 1. Task 2.1" in first.text
    assert SCRIPT in first.pre.text
    assert "Begin with Task 2.1 · classify: of the 3 who tried it, 1 passed." in section(soup, "lecture")
    assert "`" not in section(soup, "lecture")
    assert len(soup.select("svg")) >= 2
    assert not soup.select("svg use")  # each would refer to an id, and ids repeat from plot to plot


def test_changed_answer_with_overruled_points_needs_manual_grading(course_root: Path) -> None:
    enter_grades(course_root, {"ann": Student({}, CORRECT_ANSWERS)})
    report("2")
    assert "everything is graded" in section(page(course_root / "report" / f"{NAME}.html"), "open")
    with without_fsync(), Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        grade = book.find_grade("test_classify", NAME, NAME, "ann")
        grade.manual_score, grade.needs_manual_grade = 1.0, True
        book.db.commit()
    report("2")
    open_text = section(page(course_root / "report" / f"{NAME}.html"), "open")
    assert "Answers waiting for a person, 1 answer: ann" in open_text
    (row,) = rows(course_root / "report" / f"{NAME}.csv")
    assert row["waiting"] == "1"


@pytest.mark.parametrize(
    ("lang", "phrases"),
    [
        ("en", ["classify: it is tracked, but no operation", "a mistake whose hint (older) is no longer"]),
        (
            "ko",
            ["classify: 추적되는데 만든 연산은 기록되어 있지", "지금은 수업에 없는 힌트(older)를 받은 실수"],
        ),
    ],
)
def test_report_describes_common_mistakes_in_words(course_root: Path, lang: str, phrases: list[str]) -> None:
    fates = {"classify": Fate("wrong", "leaf"), "graph_nodes": Fate("wrong", "older")}
    enter_grades(
        course_root,
        {
            "ann": Student(
                fates | {task: Fate("not_attempted") for task in CORRECT_ANSWERS if task not in fates}
            )
        },
    )
    report("2", "--lang", lang)
    soup = page(course_root / "report" / f"{NAME}{'' if lang == 'en' else '.ko'}.html")
    assert [phrase for phrase in phrases if phrase not in section(soup, "help")] == []
    assert "leaf" not in [code.text for code in soup.select("section[aria-labelledby=mistakes] p code")]


def test_value_of_a_single_answer_is_left_out_of_a_hint() -> None:
    hints = {"all": {"plain": {"en": "the result is {kind}. Return a float", "ko": "{kind}입니다"}}}
    lesson_text = LessonText("x", "x", {}, {}, hints, [], [])
    assert lesson_text.hint_text("all", "plain", "en") == "the result is …. Return a float"


def test_report_table_has_a_row_for_every_student(class_copy: Path) -> None:
    report("2")
    rows_by_student = {row["student"]: row for row in rows(class_copy / "report" / f"{NAME}.csv")}
    assert list(rows_by_student) == sorted([*PEOPLE, "Cho_Nothing", "new"])
    assert rows_by_student["Kim_Minji"]["classify"] == "wrong"
    assert rows_by_student["Kim_Minji"]["classify hint"] == "leaf"
    assert [rows_by_student["Zoe_Quill"][column] for column in ("last_name", "points", "needs_help")] == [
        "Quill",
        "0",
        "yes",
    ]
    assert [rows_by_student[student]["state"] for student in ("Cho_Nothing", "new")] == ["absent", "ungraded"]
    report()
    rows_by_student = {row["student"]: row for row in rows(class_copy / "report" / "course.csv")}
    assert [rows_by_student[student][NAME] for student in ("Lee_Ann", "Cho_Nothing", "new")] == [
        "80",
        "",
        "ungraded",
    ]


@pytest.mark.parametrize("arguments", [["2"], []])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_anonymous_report_names_nobody(class_copy: Path, arguments: list[str], lang: str) -> None:
    report(*arguments, "--anonymous", "--lang", lang, "--out", "shared")
    files = [*(class_copy / "shared").iterdir(), *(class_copy / "report").rglob("*.json")]
    assert len(files) >= 2
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert [name for name in PRIVATE_WORDS if name in text or name in path.name] == []


def test_pseudonyms_are_the_same_in_every_report_and_in_another_order_than_names(class_copy: Path) -> None:
    report("2", "--anonymous")
    report("--anonymous", "--lang", "ko")
    lesson_rows, course_rows = (
        rows(class_copy / "report" / f"{name}.anonymous.csv") for name in (NAME, "course")
    )
    students = [row["student"] for row in lesson_rows]
    assert students == [row["student"] for row in course_rows] == sorted(students)
    students_with_hint = {row["student"] for row in lesson_rows if row["classify hint"] == "leaf"}
    assert len(students_with_hint) == 2
    assert all(
        name in page(class_copy / "report" / f"{NAME}.anonymous.html").text for name in students_with_hint
    )


def test_near_copies_are_shown_side_by_side(course_root: Path) -> None:
    steps = [f"    step{n} = t.size() + {n} * t.dim() - t.numel()" for n in range(5)]
    answer = "\n".join(["def classify(t):", *steps, '    return "leaf"'])
    copy = answer.replace("step", "kim") + "  # mine"
    enter_grades(
        course_root,
        {f"s{n}": Student({}, CORRECT_ANSWERS | {"classify": answer if n == 1 else copy}) for n in (1, 2)},
    )
    report("2")
    soup = page(course_root / "report" / f"{NAME}.html").select_one("section[aria-labelledby=copies]")
    assert "s1 and s2" in soup.text
    assert "100% of what the course does not explain" in soup.text
    assert [pre.select("mark")[0].text.strip() for pre in soup.select("pre")] == [
        f"{name}0 = t.size() + 0 * t.dim() - t.numel()" for name in ("step", "kim")
    ]
    report("2", "--anonymous")
    soup = page(course_root / "report" / f"{NAME}.anonymous.html").select_one(
        "section[aria-labelledby=copies]"
    )
    assert len(soup.select("pre")) == 2
    assert not re.search("s1|s2|kim|mine", soup.text)


def test_next_report_names_the_changes_since_the_last(class_copy: Path) -> None:
    report("2")
    assert "first report" in section(page(class_copy / "report" / f"{NAME}.html"), "changes")
    report("2", "--anonymous")
    assert "first report" in section(page(class_copy / "report" / f"{NAME}.anonymous.html"), "changes")
    enter_grades(
        class_copy,
        {
            "Zoe_Quill": Student({}, CORRECT_ANSWERS),
            "Kim_Minji": Student({}, CORRECT_ANSWERS),
            "late": Student({}, CORRECT_ANSWERS),
        },
    )
    for arguments, name, improved_students in (
        ([], "", "Kim_Minji, Zoe_Quill (Zoe Quill)"),
        (["--anonymous"], ".anonymous", "-"),
    ):
        report("2", *arguments)  # compared with the last report of the same kind
        changes = section(page(class_copy / "report" / f"{NAME}{name}.html"), "changes")
        assert f"Compared with the report of {datetime.now():%Y-%m-%d}" in changes
        assert "1 more student has handed in." in changes
        assert improved_students in changes
        assert "Task 2.1 · classify: passed by 4 (before: 1)." in changes
        assert "its grad_fn is None: made by 1 (before: 2)." in changes
    assert "Lower" not in changes


@pytest.mark.whole
@pytest.mark.parametrize("record", ["", "{", "[1]", '[{"when": "x"}]', "null"])
def test_damaged_record_of_the_last_report_is_replaced(class_copy: Path, record: str) -> None:
    path = class_copy / "report" / ".last" / f"{NAME}.json"
    path.parent.mkdir(parents=True)
    path.write_text(record)
    report("2")
    assert "first report" in section(page(class_copy / "report" / f"{NAME}.html"), "changes")
    assert len(json.loads(path.read_text())) == 1


def test_report_files_are_readable_only_by_their_owner(class_copy: Path) -> None:
    report("2", "--anonymous")
    assert {
        path.stat().st_mode & 0o077 for path in (class_copy / "report").rglob("*.*") if path.is_file()
    } == {0}


PERFECT_CLASS = {f"s{number}": Student({}, CORRECT_ANSWERS) for number in range(12)}
NOTHING_GRADED = "Nothing has been graded yet."


@pytest.mark.whole
@pytest.mark.parametrize(
    ("students", "expected", "unexpected"),
    [
        ({}, ["0 of 0", NOTHING_GRADED], ["Mean", "Misconceptions", "Tasks"]),
        (
            {"ann": Student({}, CORRECT_ANSWERS)},
            ["1 of 1", "100%", "1 passed"],
            [NOTHING_GRADED, "Very similar"],
        ),
        ({"ann": Student({}, CORRECT_ANSWERS), "bob": Student()}, ["2 of 2", "100%"], [NOTHING_GRADED]),
        (
            PERFECT_CLASS,
            ["12 of 12", "everybody who tried one passed it", "at least half", "Nobody ran into"],
            [NOTHING_GRADED],
        ),
    ],
)
def test_a_class_of_any_size_has_a_sensible_page(
    course_root: Path, students: Mapping[str, Student], expected: list[str], unexpected: list[str]
) -> None:
    enter_grades(course_root, students)
    for arguments, name in ((["2"], NAME), ([], "course")):
        for lang in LANGUAGES:
            report(*arguments, "--lang", lang)
            suffix = "" if lang == "en" else f".{lang}"
            soup = page(course_root / "report" / f"{name}{suffix}.html")
            assert soup.html["lang"] == lang
            assert "None" not in soup.main.text.replace("grad_fn is None", "")
            assert not re.search("[{<]", soup.main.text)
    text = " ".join(page(course_root / "report" / f"{NAME}.html").main.text.split())
    assert [word for word in expected if word not in text] == []
    assert [word for word in unexpected if word in text] == []


def test_the_page_on_all_lessons_counts_them(class_copy: Path) -> None:
    report()
    soup = page(class_copy / "report" / "course.html")
    (row,) = soup.select("section[aria-labelledby=lessons] tbody tr")
    assert [cell.text for cell in row.select("th, td")] == [
        "2. The computational graph and grad_fn",
        "5 of 6",
        "52%",  # the mean of 8, 8, 5 and 0 out of 10 points
    ]
    assert section(soup, "never").endswith("1 student: Cho_Nothing (Cho)")
    assert section(soup, "drifting").endswith("Nobody.")


def test_report_without_graded_work_says_what_to_do(course_root: Path) -> None:
    for student in ("ann", "bob"):
        hand_in(course_root, student, "{}", NAME)
    report("2")
    soup = page(course_root / "report" / f"{NAME}.html")
    assert NOTHING_GRADED in soup.main.text
    assert "not graded yet, 2 students: ann, bob" in section(soup, "open")
    assert section(soup, "tasks") == ""


@pytest.mark.parametrize(
    ("arguments", "message"), [(["7"], "There is no lesson"), (["2", "--out", "taken/x"], "taken")]
)
def test_report_that_cannot_be_made_is_explained_in_a_sentence(
    class_copy: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from autograder.cli import main

    (class_copy / "taken").write_text("")
    monkeypatch.setattr("sys.argv", ["autograder", "report", *arguments])
    with pytest.raises(SystemExit) as error:
        main()
    assert error.value.code == 2
    assert message in capsys.readouterr().err


def test_english_and_korean_report_texts_have_the_same_fields() -> None:
    field_pattern = re.compile(r"\{(\w+)\}")
    for name, (english, korean) in _WORDS.items():
        assert set(field_pattern.findall(english)) | {"n"} == set(field_pattern.findall(korean)) | {"n"}, name
        assert not re.search("[가-힣]", english), name
