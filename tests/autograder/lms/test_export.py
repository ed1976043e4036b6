"""Tests of exporting grades in the format of each learning system: a missing grade never becomes a zero."""

import csv
import io
import re
import shutil
import unicodedata
import zipfile
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.dbapp import DbAssignmentAddApp

from autograder import transfer
from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.gradebook.book import Book
from autograder.gradebook.class_list import enter_people, people
from autograder.gradebook.tables import as_csv, escape_cell
from autograder.lms.collect import collect
from autograder.lms.export import ExportResult, ExportSystem, export
from autograder.lms.filenames import readings
from autograder.lms.roster import read_roster
from tests.support.exports import canvas, moodle, solved_notebook, text, write
from tests.support.lessons import ROOT
from tests.support.small_class import (
    STEPS,
    WRONG,
    InProcessWorkers,
    answered_notebook,
    fake_result,
    run,
    solutions,
)

PEOPLE = {"Kim Minji": 311, "Ann B": 312, "Cho": 313, "Dee": 314}


@pytest.fixture
def moodle_class(course_root: Path, tmp_path: Path) -> Path:
    """Return a class from Moodle with full points, lost points, an ungraded note and an unreadable file."""
    notebook = answered_notebook(course_root, solutions(course_root) | WRONG)
    texts = {
        "Kim Minji": solved_notebook(course_root),
        "Ann B": text(notebook),
        "Cho": solved_notebook(course_root),
        "Dee": "{",
    }
    files = {moodle(name, number): texts[name] for name, number in PEOPLE.items()}
    collection = collect(Course.at(course_root), [write(tmp_path / "a.zip", files)])
    course = Course.at(course_root)
    with Book(course.directory, course.config) as book:
        rows = [
            {"id": person.id, "last_name": person.last_name, "email": f"{person.id}@x.kr"}
            for person in collection.people
        ]
        enter_people(book, rows)
        enter_people(book, [{"id": "Eve", "last_name": "=cmd|' /C calc'!A0"}])
    run(course_root, InProcessWorkers(lambda job: None))
    settle(course_root, {"Kim_Minji": 1.0, "Ann_B": 0.0})
    return course_root


def settle(course_root: Path, points: dict[str, float]) -> None:
    """Enter each student's points for all cells that wait for a person, as in formgrader."""
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as gradebook:
        for student, score in points.items():
            for grade in gradebook.find_submission_notebook(STEPS, STEPS, student).grades:
                if grade.needs_manual_grade:
                    grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.db.commit()


def table_rows(result: ExportResult) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(result.table).decode("utf-8-sig"))))


def page_names(result: ExportResult) -> list[str]:
    """Return the names of the feedback pages in an export."""
    assert result.feedback is not None
    with zipfile.ZipFile(io.BytesIO(result.feedback)) as archive:
        return archive.namelist()


def run_export(course_root: Path, system: ExportSystem, fill: str = "", column: str = "") -> ExportResult:
    path = None
    if fill:
        path = course_root / "fill.csv"
        path.write_text(fill, encoding="utf-8-sig")
    return export(Course.at(course_root), system, STEPS, path, column)


HEAD = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments"
WORKSHEET = f"""{HEAD}
"Participant 312","Ann B",ann@x.kr,Submitted,,10.00,-,
"Participant 311","Kim Minji",kim@x.kr,Submitted,0.50,10.00,-,"=1+1"
"Participant 313",Cho,cho@x.kr,Submitted,,10.00,-,
"Participant 314",Dee,dee@x.kr,Submitted,,10.00,-,
"Participant 999","Somebody Else",else@x.kr,"No submission",3.00,10.00,-,
"""


@pytest.mark.costly("the first export of the file, which imports what the others use")
def test_moodle_worksheet_is_filled_with_its_other_columns_unchanged(moodle_class: Path) -> None:
    result = run_export(moodle_class, "moodle", WORKSHEET)
    before = list(csv.DictReader(io.StringIO(WORKSHEET)))
    after = table_rows(result)
    grades = {row["Full name"]: row["Grade"] for row in after}
    assert grades["Kim Minji"] == "6"
    assert 0 < float(grades["Ann B"]) < 6
    assert (grades["Cho"], grades["Dee"], grades["Somebody Else"]) == ("", "", "3.00")
    assert set(result.blank) == {"Cho", "Dee"}
    assert "manual grading" in result.blank["Cho"]
    assert "not be read" in result.blank["Dee"]
    assert any("6 points" in note for note in result.notes)
    other_columns = [column for column in before[0] if column not in ("Grade", "Feedback comments")]
    assert [[row[column] for column in other_columns] for row in after] == [
        [row[column] for column in other_columns] for row in before
    ]
    assert after[1]["Feedback comments"] == "'=1+1"


def test_moodles_feedback_has_the_folders_of_the_download(moodle_class: Path) -> None:
    result = run_export(moodle_class, "moodle", WORKSHEET)
    with zipfile.ZipFile(io.BytesIO(result.feedback)) as archive:
        assert archive.namelist() == sorted(
            f"{name}_{number}_assignsubmission_file/{STEPS}.html" for name, number in PEOPLE.items()
        )
        page = moodle_class / "feedback/Kim_Minji" / STEPS / f"{STEPS}.html"
        assert archive.read(f"Kim Minji_311_assignsubmission_file/{STEPS}.html") == page.read_bytes()


def test_moodle_worksheet_is_made_from_collected_submissions(moodle_class: Path) -> None:
    result = run_export(moodle_class, "moodle")
    rows = {row["Full name"]: row for row in table_rows(result)}
    assert set(rows) == {*PEOPLE}
    assert rows["Kim Minji"]["Identifier"] == "Participant 311"
    assert (rows["Kim Minji"]["Grade"], rows["Cho"]["Grade"]) == ("6", "")
    (moodle_class / "collected" / f"{STEPS}.json").unlink()
    with pytest.raises(CourseError, match="--fill"):
        run_export(moodle_class, "moodle")


def test_canvas_table_is_filled_with_its_other_columns_unchanged(moodle_class: Path) -> None:
    fill = (
        f"Student,ID,SIS User ID,SIS Login ID,Section,{STEPS} (7001),Other (7002)\n"
        "    Points Possible,,,,,6,10\n"
        "B Ann,5,,Ann_B,A,1,9\nKim Minji,6,Kim_Minji,,A,,8\nCho,7,,Cho,A,4,7\nMallory,8,,mal,A,2,6\n"
    )
    result = run_export(moodle_class, "canvas", fill)
    rows = {row["Student"]: row for row in table_rows(result)}
    assert rows["Kim Minji"][f"{STEPS} (7001)"] == "6"
    assert float(rows["B Ann"][f"{STEPS} (7001)"]) < 6
    assert (rows["Cho"][f"{STEPS} (7001)"], rows["Mallory"][f"{STEPS} (7001)"]) == ("4", "2")  # unchanged
    assert rows["    Points Possible"][f"{STEPS} (7001)"] == "6"
    assert {name: row["Other (7002)"] for name, row in rows.items()}["Cho"] == "7"
    other_fill = fill.replace(STEPS, "Homework")
    with pytest.raises(CourseError, match=r"Homework \(7001\); Other \(7002\)"):
        run_export(moodle_class, "canvas", other_fill)
    assert {
        row["Homework (7001)"]
        for row in table_rows(run_export(moodle_class, "canvas", other_fill, "Homework"))
    } >= {"6"}


def test_export_without_a_table_makes_one_for_canvas_and_brightspace(moodle_class: Path) -> None:
    rows = table_rows(run_export(moodle_class, "canvas"))
    assert list(rows[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", STEPS]
    assert {row["SIS Login ID"]: row[STEPS] for row in rows}["Kim_Minji"] == "6"
    assert {row["SIS Login ID"]: row["Student"] for row in rows}["Eve"].startswith("'=cmd")
    result = run_export(moodle_class, "brightspace")
    rows = table_rows(result)
    assert list(rows[0]) == ["OrgDefinedId", f"{STEPS} Points Grade", "End-of-Line Indicator"]
    assert {row["OrgDefinedId"]: row[f"{STEPS} Points Grade"] for row in rows} | {"Ann_B": ""} == {
        "Ann_B": "",
        "Cho": "",
        "Dee": "",
        "Eve": "",
        "Kim_Minji": "6",
    }
    assert {row["End-of-Line Indicator"] for row in rows} == {"#"}
    assert result.feedback is None
    fill = (
        "OrgDefinedId,Username,Lesson 1 Points Grade <Numeric MaxPoints:6>,End-of-Line Indicator\n"
        "#Kim_Minji,#kim,,#\n#Cho,#cho,,#\n"
    )
    filled_rows = table_rows(run_export(moodle_class, "brightspace", fill))
    assert [list(row.values()) for row in filled_rows] == [
        ["#Kim_Minji", "#kim", "6", "#"],
        ["#Cho", "#cho", "", "#"],
    ]


def test_canvas_feedback_files_are_named_as_in_the_download(course_root: Path, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.zip", {canvas("kimminji", 71, 8, late=True): solved_notebook(course_root)})
    roster = tmp_path / "r.csv"
    roster.write_text("id,name,canvas\nminji,Kim Minji,71\n")
    course = Course.at(course_root)
    collection = collect(course, [archive], read_roster(roster))
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": person.id} for person in collection.people])
    run(course_root, InProcessWorkers(fake_result))
    result = run_export(course_root, "canvas")
    with zipfile.ZipFile(io.BytesIO(result.feedback)) as feedback:
        assert feedback.namelist() == [f"kimminji_LATE_71_8_{STEPS}.html"]
    assert {row["ID"] for row in table_rows(result)} == {"71"}


def test_a_late_penalty_is_taken_off_and_a_changed_file_is_not_exported(moodle_class: Path) -> None:
    with Gradebook(f"sqlite:///{moodle_class}/gradebook.db", "secant") as gradebook:
        gradebook.find_submission_notebook(STEPS, STEPS, "Kim_Minji").late_submission_penalty = 2.0
        gradebook.db.commit()
    assert {row["Full name"]: row["Grade"] for row in table_rows(run_export(moodle_class, "moodle"))}[
        "Kim Minji"
    ] == "4"
    course = Course.at(moodle_class)
    with Book(course.directory, course.config) as book:
        book.mark_stale("Kim_Minji", STEPS, "another file")
    result = run_export(moodle_class, "moodle")
    assert {row["Full name"]: row["Grade"] for row in table_rows(result)}["Kim Minji"] == ""
    assert "not graded yet" in result.blank["Kim_Minji"]
    assert not any("Kim Minji" in name for name in page_names(result))


def test_ambiguous_row_is_left_unchanged(moodle_class: Path) -> None:
    course = Course.at(moodle_class)
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": "other", "first_name": "Kim", "last_name": "Minji"}])
    labels = moodle_class / "collected" / f"{STEPS}.json"
    labels.unlink()
    result = run_export(moodle_class, "moodle", WORKSHEET)
    assert {row["Full name"]: row["Grade"] for row in table_rows(result)}["Kim Minji"] == "0.50"
    assert any("Kim_Minji / other" in note for note in result.notes)


def moodle_rows(*rows: str) -> str:
    """Return a Moodle worksheet of these participants, each given as number and name ("999 Kim Minji")."""
    cells = [row.partition(" ") for row in rows]
    return f"{HEAD}\n" + "".join(
        f'"Participant {number}","{name}",,,,10.00,-,\n' for number, _, name in cells
    )


def grade_column(result: ExportResult, column: str = "Grade") -> list[str]:
    return [row[column] for row in table_rows(result)]


def test_a_row_with_another_id_does_not_get_the_grade_of_its_name(moodle_class: Path) -> None:
    """An impostor's display name sorts before Kim Minji's and equals it if punctuation is ignored."""
    result = run_export(moodle_class, "moodle", moodle_rows("999 'Kim Minji", "311 Kim Minji"))
    assert grade_column(result) == ["", "6"]
    assert page_names(result).count(f"Kim Minji_311_assignsubmission_file/{STEPS}.html") == 1
    assert not any("999" in name for name in page_names(result))
    (note,) = [note for note in result.notes if "'Kim Minji" in note]
    assert "999" in note
    assert "Kim_Minji" in note
    fill = (
        f"Student,ID,SIS User ID,SIS Login ID,Section,{STEPS} (7001)\n"
        "'Kim Minji,9,,mal,A,\nKim Minji,6,,Kim_Minji,A,\n"
    )
    result = run_export(moodle_class, "canvas", fill)
    assert grade_column(result, f"{STEPS} (7001)") == ["", "6"]
    assert any("'Kim Minji" in note and "9" in note for note in result.notes)


def test_id_of_a_row_wins_over_its_name(moodle_class: Path) -> None:
    result = run_export(moodle_class, "moodle", moodle_rows("311 Ann B", "312 Kim Minji"))
    kim, ann = grade_column(result)
    assert kim == "6"
    assert float(ann) < 6
    assert f"Ann B_312_assignsubmission_file/{STEPS}.html" in page_names(result)


def test_ids_that_contradict_each_other_get_no_grade_and_a_line(moodle_class: Path) -> None:
    rows = (
        '"Participant 312","Ann B",Kim_Minji@x.kr,,,10.00,-,\n"Participant 999",Eve,Ann_B@x.kr,,,10.00,-,\n'
    )
    result = run_export(moodle_class, "moodle", f"{HEAD}\n{rows}")
    assert grade_column(result) == ["", ""]
    assert sum("contradict each other" in note for note in result.notes) == 2


def test_address_of_another_student_does_not_decide_against_the_name(moodle_class: Path) -> None:
    result = run_export(moodle_class, "moodle", f'{HEAD}\n"",Ann B,Kim_Minji@x.kr,,,10.00,-,\n')
    assert grade_column(result) == [""]
    assert any("the name of one student and an id" in note and "Ann_B" in note for note in result.notes)


def test_second_row_for_a_student_stays_blank_and_is_reported(moodle_class: Path) -> None:
    result = run_export(moodle_class, "moodle", moodle_rows("311 Kim Minji", "311 Kim Minji"))
    assert grade_column(result) == ["", ""]
    assert sum("Several rows could be Kim_Minji's" in note for note in result.notes) == 2
    rows = '"Participant 311",,,,,10.00,-,\n"",,Kim_Minji@x.kr,,,10.00,-,\n'
    result = run_export(moodle_class, "moodle", f"{HEAD}\n{rows}")
    assert grade_column(result) == ["6", ""]  # the system's own number is the most reliable id
    assert any("Line 3 of the table" in note for note in result.notes)


@pytest.mark.parametrize(
    ("names", "grades"), [(["Kim Minji"], ["6"]), (["'Kim Minji", "Kim Minji"], ["", ""])]
)
def test_name_identifies_a_student_only_in_one_row_without_an_id(
    moodle_class: Path, names: list[str], grades: list[str]
) -> None:
    rows = "".join(f'"",{name},,,,10.00,-,\n' for name in names)
    result = run_export(moodle_class, "moodle", f"{HEAD}\n{rows}")
    assert grade_column(result) == grades
    assert len([note for note in result.notes if "Several rows" in note]) == (2 if len(names) > 1 else 0)


def test_row_named_points_possible_belongs_to_a_student_if_its_id_does(moodle_class: Path) -> None:
    head = f"Student,ID,SIS User ID,SIS Login ID,Section,{STEPS} (7)"
    result = run_export(moodle_class, "canvas", f"{head}\nPoints Possible,6,,Kim_Minji,A,\n")
    assert grade_column(result, f"{STEPS} (7)") == ["6"]


def test_a_canvas_label_shows_the_owners_number_first() -> None:
    """Canvas takes the first two numbers between underscores for the user and the file."""
    labels = [reading.label for reading in readings("eve_5_66_7_x.ipynb", "canvas")]
    assert labels == ["eve_5_66", "66_7"]


def test_a_grade_of_an_earlier_file_is_not_exported(moodle_class: Path, tmp_path: Path) -> None:
    archive = write(tmp_path / "b.zip", {moodle("Kim Minji", 311): text(answered_notebook(moodle_class, {}))})
    assert transfer.collect(moodle_class, [archive], None, "", "", None) == 0
    result = run_export(moodle_class, "moodle", WORKSHEET)
    assert "not graded yet" in result.blank["Kim_Minji"]
    assert {row["Full name"]: row["Grade"] for row in table_rows(result)}["Kim Minji"] == "0.50"
    run(moodle_class, InProcessWorkers(lambda job: None))
    assert "not graded yet" not in run_export(moodle_class, "moodle", WORKSHEET).blank.get("Kim_Minji", "")


@pytest.mark.whole
def test_file_that_replaces_an_unreadable_one_is_not_graded_yet(moodle_class: Path, tmp_path: Path) -> None:
    archive = write(tmp_path / "b.zip", {moodle("Dee", 314): solved_notebook(moodle_class)})
    assert transfer.collect(moodle_class, [archive], None, "", "", None) == 0
    assert "not graded yet" in run_export(moodle_class, "moodle", WORKSHEET).blank["Dee"]
    run(moodle_class, InProcessWorkers(lambda job: None))
    # The note is still ungraded.
    assert "manual grading" in run_export(moodle_class, "moodle", WORKSHEET).blank["Dee"]


@pytest.mark.whole
@pytest.mark.parametrize("new_text", ["{}", ""])
def test_points_and_page_of_a_replaced_file_are_not_exported(moodle_class: Path, new_text: str) -> None:
    path = moodle_class / "submitted/Kim_Minji" / STEPS / f"{STEPS}.ipynb"
    old_text = path.read_text()
    page_path = f"Kim Minji_311_assignsubmission_file/{STEPS}.html"
    path.write_text(new_text)
    result = run_export(moodle_class, "moodle", WORKSHEET)
    assert "changed since it was graded" in result.blank["Kim_Minji"]
    assert {row["Full name"]: row["Grade"] for row in table_rows(result)}["Kim Minji"] == "0.50"
    assert page_path not in page_names(result)
    assert len(page_names(result)) == len(PEOPLE) - 1
    run(moodle_class, InProcessWorkers(lambda job: None))
    result = run_export(moodle_class, "moodle", WORKSHEET)
    assert "changed since" not in result.blank["Kim_Minji"]
    assert page_path in page_names(result)  # the page says that the file is unreadable
    path.write_text(old_text)
    run(moodle_class, InProcessWorkers(lambda job: None))
    settle(moodle_class, {"Kim_Minji": 1.0})
    shutil.rmtree(moodle_class / "submitted")  # after a term, staff may delete submitted/
    result = run_export(moodle_class, "moodle", WORKSHEET)
    assert {row["Full name"]: row["Grade"] for row in table_rows(result)}["Kim Minji"] == "6"
    assert page_path in page_names(result)


def test_page_of_an_earlier_file_is_not_exported_after_a_collection(
    moodle_class: Path, tmp_path: Path
) -> None:
    archive = write(tmp_path / "b.zip", {moodle("Kim Minji", 311): text(answered_notebook(moodle_class, {}))})
    assert transfer.collect(moodle_class, [archive], None, "", "", None) == 0
    assert not any("Kim Minji" in name for name in page_names(run_export(moodle_class, "moodle", WORKSHEET)))


def test_rows_of_students_missing_from_the_gradebook_are_listed(moodle_class: Path) -> None:
    (note,) = [
        note for note in run_export(moodle_class, "moodle", WORKSHEET).notes if "not in the gradebook" in note
    ]
    assert note.endswith(": Somebody Else.")
    rows = [
        "    Points Possible,,,,,10",
        "Kim Minji,,Kim_Minji,Kim_Minji,,",
        '"Student, Test",,,x,,',
        ",,,,,",
    ]
    head = f"Student,ID,SIS User ID,SIS Login ID,Section,{STEPS} (7)"
    result = run_export(moodle_class, "canvas", "\n".join([head, *rows, "Zoe,99,,,,"]) + "\n")
    (note,) = [note for note in result.notes if "not in the gradebook" in note]
    assert note.endswith(": Zoe.")


@pytest.mark.whole
def test_long_list_of_names_ends_with_the_number_of_further_ones(moodle_class: Path) -> None:
    strangers = "".join(f'"Participant {9000 + n}",Nobody {n},,,,10.00,-,\n' for n in range(30))
    notes = run_export(moodle_class, "moodle", f"{HEAD}\n{strangers}").notes
    assert any("Nobody 19 and 10 more." in note for note in notes)
    graded_notes = [note for note in notes if note.startswith("Graded, but not in the table")]
    assert "more" not in graded_notes[0]


def test_export_creates_no_folder_but_the_default_one(tmp_path: Path) -> None:
    transfer._write(tmp_path / "exported" / "grades.csv", b"", None)
    assert (tmp_path / "exported" / "grades.csv").exists()
    with pytest.raises(FileNotFoundError):
        transfer._write(tmp_path / "away" / "grades.csv", b"", None)


def test_name_with_a_tag_is_entered_into_the_gradebook_as_text(course_root: Path) -> None:
    course = Course.at(course_root)
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": "zed", "first_name": "<img src=x>", "last_name": "O'Brien & Sons <3"}])
        (zed,) = (person for person in people(book) if person["id"] == "zed")
    assert (zed["first_name"], zed["last_name"]) == ("‹img src=x>", "O'Brien & Sons <3")


def test_exported_cell_that_looks_like_a_formula_is_quoted() -> None:
    formulas = ["=1", "+1+1", "-1+1", "@x", "-cmd", "=HYPERLINK()", "＝1", "＋1+1", "－1+1", "＠x", "﹦1"]
    assert [escape_cell(cell) for cell in formulas] == [f"'{cell}" for cell in formulas]
    plain_cells = [
        "-",
        "-1.5",
        "+3",
        "3",
        "",
        "a=1",
        "김",
        "+82 10-1234-5678",
        "Kim, -",
        "Lee; Ann",
        "علی\u200cرضا",
        "'=1",
    ]
    assert [escape_cell(cell) for cell in plain_cells] == plain_cells


@pytest.mark.parametrize("separator", [",", ";", "|"])
@pytest.mark.parametrize("formula", ["=HYPERLINK(1)", "＝1+1", " @x", '"=1+1"', "-cmd|x"])
def test_no_exported_cell_hides_a_formula_behind_a_separator(separator: str, formula: str) -> None:
    cell = f"Kim{separator}{formula}"
    parts = re.split("[,;|]", escape_cell(cell))
    assert [part for part in parts if part.strip(' "')[:1] in tuple("=@-＝")] == []
    assert escape_cell(cell).replace("'", "") == cell
    assert escape_cell(escape_cell(cell)) == escape_cell(cell)


def test_exported_text_stays_in_one_cell_one_line_and_one_direction() -> None:
    assert escape_cell("Kim\r\nAnn;100\n=1") == "Kim Ann;100 =1"
    assert escape_cell("\r=1") == " '=1"
    assert escape_cell("\tx\x1b[2J\u202egpj") == r"\tx\x1b[2J\u202egpj"
    output = escape_cell("".join(map(chr, [*range(0x100), *range(0x2000, 0x2070)])))
    assert not {char for char in output if unicodedata.category(char) in ("Cc", "Zl", "Zp")}
    assert not {unicodedata.bidirectional(char) for char in output} & {
        "LRE",
        "RLE",
        "LRO",
        "RLO",
        "PDF",
        "LRI",
        "RLI",
        "FSI",
        "PDI",
    }


def _python_block(page: str) -> str:
    return re.search(r"```python\n(from nbgrader\.api.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)[
        1
    ]


def test_late_policy_of_each_system_works_as_documented(
    moodle_class: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Use Moodle, whose download has no times: set a due date, a submission time and an extension."""
    page = (ROOT / "docs/lms.md").read_text(encoding="utf-8")
    (time,) = re.findall(r"```\n(\d{4}-.*)\n```", page)
    due = re.search(r'--duedate="(.*)"', (ROOT / "docs/teaching.md").read_text())[1]
    config = moodle_class / "nbgrader_config_local.py"
    config.write_text('c = get_config()\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    monkeypatch.chdir(moodle_class)
    add_app = DbAssignmentAddApp()
    add_app.initialize([STEPS, f"--duedate={due}"])
    add_app.start()
    timestamp_path = moodle_class / "submitted" / "Kim_Minji" / STEPS / "timestamp.txt"
    timestamp_path.write_text(time + "\n")

    def grade() -> str:
        workers = InProcessWorkers(lambda job: None)
        run(moodle_class, workers)
        assert workers.examined == []
        return {row["Full name"]: row["Grade"] for row in table_rows(run_export(moodle_class, "moodle"))}[
            "Kim Minji"
        ]

    assert grade() == "0"
    archive = write(tmp_path / "again.zip", {moodle("Kim Minji", 311): solved_notebook(moodle_class)})
    assert collect(Course.at(moodle_class), [archive]).counts == {"unchanged": 1}
    assert timestamp_path.is_file()
    names = {"01_what_autograd_does": STEPS, '"ann"': '"Kim_Minji"'}
    code = _python_block("teaching.md")
    for old, new in names.items():
        code = code.replace(old, new)
    exec(code, {})
    assert grade() == "6"
