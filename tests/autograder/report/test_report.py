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
from tests.support.gradebooks import hurried
from tests.support.graded_class import Fate, Student, course_of, enter
from tests.support.lessons import LESSONS, questions
from tests.support.settings import in_english  # noqa: F401
from tests.support.small_class import hand_in

LESSON = LESSONS[1]
NAME = LESSON.name
RIGHT = {task.id: task.answer.source for task in questions(LESSON)}
EVIL = "<script>alert(1)</script>"
SQUARE = (
    f'def classify(t):  # {EVIL} by Kim_Minji\n    return "Kim_Minji" if t.grad_fn else Kim_Minji[20231234]\n'
)
PEOPLE = {
    "Kim_Minji": Student({"classify": Fate("wrong", "leaf")}, RIGHT | {"classify": SQUARE}, "ko"),
    "Lee_Ann": Student({"classify": Fate("wrong", "leaf", hidden=True)}, RIGHT),
    "Zoe_Quill": Student({task: Fate("not_attempted") for task in RIGHT}),
    "Park_Ho": Student({"graph_nodes": Fate("wrong", "endless"), "leaves_of": Fate("timed_out")}, RIGHT),
}
SAID = [*PEOPLE, "Cho_Nothing", "Kim", "Minji", "Quill", "20231234", "example.edu"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course of lesson 2 with an empty gradebook, which nbgrader is slow to create."""
    root = tmp_path_factory.mktemp("built")
    course_of(root, [LESSON])
    graded(root, {})
    return root


@pytest.fixture(scope="module")
def full(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the class of PEOPLE, plus one student without a submission and one with an ungraded file."""
    root = Path(shutil.copytree(built, tmp_path_factory.mktemp("full") / "class"))
    graded(root, PEOPLE)
    with hurried(), Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        book.update_or_create_student("Cho_Nothing", first_name="Cho", email="cho@example.edu")
        book.update_or_create_student("Zoe_Quill", first_name="Zoe", last_name="Quill")
    hand_in(root, "new", "{}", NAME)
    return root


def course_in_gradebook(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy a course, make the copy the working folder, set English as the language, and return the copy."""
    room = Path(shutil.copytree(course, tmp_path / "class"))
    monkeypatch.chdir(room)
    monkeypatch.setenv("SECANT_LANG", "en")
    return room


@pytest.fixture
def room(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return course_in_gradebook(built, tmp_path, monkeypatch)


@pytest.fixture
def term(full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return course_in_gradebook(full, tmp_path, monkeypatch)


def graded(room: Path, students: Mapping[str, Student]) -> None:
    course = Course.at(room)
    with hurried(), Book(course.directory, course.config) as book:
        enter(course, book, read_assignment(room, NAME), students)


def report(*words: str) -> None:
    with hurried():
        done = CliRunner().invoke(app, ["report", *words])
    assert done.exit_code == 0, (done.output, done.exception)


def page(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def section(shown: BeautifulSoup, name: str) -> str:
    """Return the text of a section with single spaces, or "" if the page lacks the section."""
    found = shown.select_one(f"section[aria-labelledby={name}]")
    return " ".join(found.text.split()) if found else ""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_report_page_shows_the_figures_of_the_class(term: Path) -> None:
    report("2")
    shown = page(term / "report" / f"{NAME}.html")
    assert "5 of 6" in section(shown, "glance")
    assert "4 of 5" in section(shown, "glance")
    help_ = section(shown, "help")
    assert "Zoe_Quill (Zoe Quill)" in help_
    assert "Lee_Ann" not in help_
    left = section(shown, "open")
    assert "Handed in nothing, 1 student: Cho_Nothing (Cho)" in left
    assert "not graded yet, 1 student: new" in left
    first, *_ = shown.select("section[aria-labelledby=mistakes] .mistake")
    assert first.h3.text == "it is tracked, but no operation was recorded for it: its grad_fn is None"
    assert "2 students: Kim_Minji, Lee_Ann" in first.text  # one mistake, made in notebooks of two languages
    assert "Failed in the visible test: 1; only in the hidden test: 1. Task 2.1" in first.text
    assert EVIL in first.pre.text
    assert "Begin with Task 2.1 · classify: of the 3 who tried it, 1 passed." in section(shown, "lecture")
    assert "`" not in section(shown, "lecture")


def test_changed_answer_with_overruled_points_needs_manual_grading(room: Path) -> None:
    graded(room, {"ann": Student({}, RIGHT)})
    report("2")
    assert "everything is graded" in section(page(room / "report" / f"{NAME}.html"), "open")
    with hurried(), Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as book:
        grade = book.find_grade("test_classify", NAME, NAME, "ann")
        grade.manual_score, grade.needs_manual_grade = 1.0, True
        book.db.commit()
    report("2")
    left = section(page(room / "report" / f"{NAME}.html"), "open")
    assert "Answers waiting for a person, 1 answer: ann" in left
    (row,) = rows(room / "report" / f"{NAME}.csv")
    assert row["waiting"] == "1"


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", ["classify: it is tracked, but no operation", "a mistake whose hint (older) is no longer"]),
        (
            "ko",
            ["classify: 추적되는데 만든 연산은 기록되어 있지", "지금은 수업에 없는 힌트(older)를 받은 실수"],
        ),
    ],
)
def test_report_describes_common_mistakes_in_words(room: Path, lang: str, said: list[str]) -> None:
    fates = {"classify": Fate("wrong", "leaf"), "graph_nodes": Fate("wrong", "older")}
    graded(
        room, {"ann": Student(fates | {task: Fate("not_attempted") for task in RIGHT if task not in fates})}
    )
    report("2", "--lang", lang)
    shown = page(room / "report" / f"{NAME}{'' if lang == 'en' else '.ko'}.html")
    assert [words for words in said if words not in section(shown, "help")] == []
    assert "leaf" not in [code.text for code in shown.select("section[aria-labelledby=mistakes] p code")]


def test_value_of_a_single_answer_is_left_out_of_a_hint() -> None:
    hints = {"all": {"plain": {"en": "the result is {kind}. Return a float", "ko": "{kind}입니다"}}}
    told = LessonText("x", "x", {}, {}, hints, [], [])
    assert told.hint_text("all", "plain", "en") == "the result is …. Return a float"


def test_report_table_has_a_row_for_every_student(term: Path) -> None:
    report("2")
    found = {row["student"]: row for row in rows(term / "report" / f"{NAME}.csv")}
    assert list(found) == sorted([*PEOPLE, "Cho_Nothing", "new"])
    assert found["Kim_Minji"]["classify"] == "wrong"
    assert found["Kim_Minji"]["classify hint"] == "leaf"
    assert [found["Zoe_Quill"][column] for column in ("last_name", "points", "needs_help")] == [
        "Quill",
        "0",
        "yes",
    ]
    assert [found[who]["state"] for who in ("Cho_Nothing", "new")] == ["absent", "ungraded"]
    report()
    found = {row["student"]: row for row in rows(term / "report" / "course.csv")}
    assert [found[who][NAME] for who in ("Lee_Ann", "Cho_Nothing", "new")] == ["80", "", "ungraded"]


@pytest.mark.parametrize("words", [["2"], []])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_anonymous_report_names_nobody(term: Path, words: list[str], lang: str) -> None:
    report(*words, "--anonymous", "--lang", lang, "--out", "shared")
    files = [*(term / "shared").iterdir(), *(term / "report").rglob("*.json")]
    assert len(files) >= 2
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert [name for name in SAID if name in text or name in path.name] == []


def test_pseudonyms_are_the_same_in_every_report_and_in_another_order_than_names(term: Path) -> None:
    report("2", "--anonymous")
    report("--anonymous", "--lang", "ko")
    one, all_ = (rows(term / "report" / f"{name}.anonymous.csv") for name in (NAME, "course"))
    students = [row["student"] for row in one]
    assert students == [row["student"] for row in all_] == sorted(students)
    by_hint = {row["student"] for row in one if row["classify hint"] == "leaf"}
    assert len(by_hint) == 2
    assert all(name in page(term / "report" / f"{NAME}.anonymous.html").text for name in by_hint)


def test_near_copies_are_shown_side_by_side(room: Path) -> None:
    steps = [f"    step{n} = t.size() + {n} * t.dim() - t.numel()" for n in range(5)]
    own = "\n".join(["def classify(t):", *steps, '    return "leaf"'])
    copied = own.replace("step", "kim") + "  # mine"
    graded(room, {f"s{n}": Student({}, RIGHT | {"classify": own if n == 1 else copied}) for n in (1, 2)})
    report("2")
    shown = page(room / "report" / f"{NAME}.html").select_one("section[aria-labelledby=copies]")
    assert "s1 and s2" in shown.text
    assert "100% of what the course does not explain" in shown.text
    assert [pre.select("mark")[0].text.strip() for pre in shown.select("pre")] == [
        f"{name}0 = t.size() + 0 * t.dim() - t.numel()" for name in ("step", "kim")
    ]
    report("2", "--anonymous")
    shown = page(room / "report" / f"{NAME}.anonymous.html").select_one("section[aria-labelledby=copies]")
    assert len(shown.select("pre")) == 2
    assert not re.search("s1|s2|kim|mine", shown.text)


def test_next_report_names_the_changes_since_the_last(term: Path) -> None:
    report("2")
    assert "first report" in section(page(term / "report" / f"{NAME}.html"), "changes")
    report("2", "--anonymous")
    assert "first report" in section(page(term / "report" / f"{NAME}.anonymous.html"), "changes")
    graded(
        term, {"Zoe_Quill": Student({}, RIGHT), "Kim_Minji": Student({}, RIGHT), "late": Student({}, RIGHT)}
    )
    for words, name, better in (
        ([], "", "Kim_Minji, Zoe_Quill (Zoe Quill)"),
        (["--anonymous"], ".anonymous", "-"),
    ):
        report("2", *words)  # each kind of report is compared with the last of its kind
        said = section(page(term / "report" / f"{NAME}{name}.html"), "changes")
        assert f"Compared with the report of {datetime.now():%Y-%m-%d}" in said
        assert "1 more student has handed in." in said
        assert better in said
        assert "Task 2.1 · classify: passed by 4 (before: 1)." in said
        assert "its grad_fn is None: made by 1 (before: 2)." in said
    assert "Lower" not in said


@pytest.mark.whole
@pytest.mark.parametrize("kept", ["", "{", "[1]", '[{"when": "x"}]', "null"])
def test_damaged_record_of_the_last_report_is_replaced(term: Path, kept: str) -> None:
    place = term / "report" / ".last" / f"{NAME}.json"
    place.parent.mkdir(parents=True)
    place.write_text(kept)
    report("2")
    assert "first report" in section(page(term / "report" / f"{NAME}.html"), "changes")
    assert len(json.loads(place.read_text())) == 1


def test_report_files_are_readable_only_by_their_owner(term: Path) -> None:
    report("2", "--anonymous")
    assert {path.stat().st_mode & 0o077 for path in (term / "report").rglob("*.*") if path.is_file()} == {0}


PERFECT = {f"s{number}": Student({}, RIGHT) for number in range(12)}
EMPTY = "Nothing has been graded yet."


@pytest.mark.whole
@pytest.mark.parametrize(
    ("students", "says", "says_not"),
    [
        ({}, ["0 of 0", EMPTY], ["Mean", "Misconceptions", "Tasks"]),
        ({"ann": Student({}, RIGHT)}, ["1 of 1", "100%", "1 passed"], [EMPTY, "Very similar"]),
        ({"ann": Student({}, RIGHT), "bob": Student()}, ["2 of 2", "100%"], [EMPTY]),
        (
            PERFECT,
            ["12 of 12", "everybody who tried one passed it", "at least half", "Nobody ran into"],
            [EMPTY],
        ),
    ],
)
def test_a_class_of_any_size_has_a_sensible_page(
    room: Path, students: Mapping[str, Student], says: list[str], says_not: list[str]
) -> None:
    graded(room, students)
    for words, name in ((["2"], NAME), ([], "course")):
        for lang in LANGUAGES:
            report(*words, "--lang", lang)
            suffix = "" if lang == "en" else f".{lang}"
            shown = page(room / "report" / f"{name}{suffix}.html")
            assert shown.html["lang"] == lang
            assert "None" not in shown.main.text.replace("grad_fn is None", "")
            assert not re.search("[{<]", shown.main.text)
    text = " ".join(page(room / "report" / f"{NAME}.html").main.text.split())
    assert [word for word in says if word not in text] == []
    assert [word for word in says_not if word in text] == []


def test_the_page_on_all_lessons_counts_them(term: Path) -> None:
    report()
    shown = page(term / "report" / "course.html")
    (row,) = shown.select("section[aria-labelledby=lessons] tbody tr")
    assert [cell.text for cell in row.select("th, td")] == [
        "2. The computational graph and grad_fn",
        "5 of 6",
        "52%",  # of 10 points each: 8, 8, 5 and 0
    ]
    assert section(shown, "never").endswith("1 student: Cho_Nothing (Cho)")
    assert section(shown, "drifting").endswith("Nobody.")


def test_report_without_graded_work_says_what_to_do(room: Path) -> None:
    for who in ("ann", "bob"):
        hand_in(room, who, "{}", NAME)
    report("2")
    shown = page(room / "report" / f"{NAME}.html")
    assert EMPTY in shown.main.text
    assert "not graded yet, 2 students: ann, bob" in section(shown, "open")
    assert section(shown, "tasks") == ""


@pytest.mark.parametrize(
    ("words", "says"), [(["7"], "There is no lesson"), (["2", "--out", "taken/x"], "taken")]
)
def test_report_that_cannot_be_made_is_explained_in_a_sentence(
    term: Path,
    words: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from autograder.cli import main

    (term / "taken").write_text("")
    monkeypatch.setattr("sys.argv", ["autograder", "report", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_english_and_korean_report_texts_have_the_same_fields() -> None:
    named = re.compile(r"\{(\w+)\}")
    for name, (english_, korean) in _WORDS.items():
        assert set(named.findall(english_)) | {"n"} == set(named.findall(korean)) | {"n"}, name
        assert not re.search("[가-힣]", english_), name
