"""Tests of names that imitate a learning system's parts of a path: no file is filed under another student."""

import json
import re
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.lms.attempts import Line
from autograder.lms.collect import collect
from autograder.lms.filenames import System, readings
from autograder.lms.roster import Person, Roster, read_roster, student_id
from tests.support.exports import blackboard, brightspace, canvas, moodle, solved_notebook, write
from tests.support.small_class import STEPS

DATE, OTHER_DATE = "Oct 10, 2026 1022 AM", "Jan 1, 2020 1000 AM"
TIMESTAMP, OTHER_TIMESTAMP = "2026-11-23-10-00-00", "2020-01-01-10-00-00"
# Parts of file names as learning systems write them, some with the numbers of the three users below.
PIECES = (
    *(
        "_",
        "-",
        " - ",
        " ",
        "'",
        "5",
        "66",
        "7",
        "01",
        "bo",
        "eve",
        "Bo",
        "LATE",
        "_5_",
        "_66_",
        "_5-_",
        "5_66",
    ),
    *(
        f" - {OTHER_DATE}",
        "N5 - ",
        "_attempt_" + OTHER_TIMESTAMP,
        "_5_assignsubmission_file_",
        "5-4711 - Bo",
        "anon_abcde",
    ),
    *("text.html", "김", "(bo)"),
)
hostile_names = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
NUMBERS = (5, 66, 7)
USERNAMES = {5: "bo", 66: "eve_bo", 7: "1_bo"}


@dataclass(frozen=True)
class ExportedFile:
    """A user's file, with the path that the learning system gives it in an export."""

    user: int
    written_name: str
    path: str


def export_file(system: System, user: int, name: str, file: str, index: int, late: bool) -> ExportedFile:
    """Return a file named by the learning system's own export rules (see `autograder.lms.filenames`)."""
    if system == "canvas":
        written_name = re.sub(r"_(\d+)_", r"\1", name).lower()
        label = re.sub(r"\W", "", "_".join([written_name, *(["LATE"] if late else []), str(user)]))
        return ExportedFile(user, written_name, f"{label}_{7000 + index}_{re.sub(r'[/:*?<>|]+', '_', file)}")
    if system == "moodle":
        written_name = re.sub(r"[/:*?<>|'&]", "", name.replace("_", " "))
        folder = f"{written_name}_{user}_assignsubmission_file"
        return ExportedFile(user, written_name, f"{folder}_{file}" if late else f"{folder}/{file}")
    if system == "brightspace":
        written_name = re.sub(r"[/:*?<>|]", "_", name)
        folder = f"{user}-4711 - {written_name} - {DATE}"
        return ExportedFile(user, written_name, f"{folder} - {file}" if late else f"{folder}/{file}")
    return ExportedFile(user, name, f"HW{'_1' if late else ''}_{USERNAMES[user]}_attempt_{TIMESTAMP}_{file}")


def collect_files(
    course_root: Path, files: list[ExportedFile], roster: Roster | None, system: System
) -> list[Line]:
    """Collect an archive of these files, and return the lines about the files."""
    with zipfile.ZipFile(course_root / "a.zip", "w") as archive:
        for file in files:
            archive.writestr(file.path, "")
        for user in {file.user: file for file in files if system == "blackboard"}.values():
            receipt = f"{user.path.partition(TIMESTAMP)[0]}{TIMESTAMP}.txt"
            archive.writestr(receipt, f"Name: {user.written_name} ({USERNAMES[user.user]})\n")
    result = collect(Course.at(course_root), [course_root / "a.zip"], roster, system=system)
    return list(result.lines)


@pytest.mark.parametrize("system", ["moodle", "canvas", "brightspace", "blackboard"])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    names=st.lists(hostile_names, min_size=3, max_size=3),
    files=st.lists(hostile_names.map(lambda text: text + "x.ipynb"), min_size=3, max_size=4),
    late=st.booleans(),
    roster_has=st.sampled_from(["nothing", "names", "numbers"]),
)
def test_collected_file_goes_to_its_owner_or_to_no_student(
    shared_course: Path, system: System, roster_has: str, names: list[str], files: list[str], late: bool
) -> None:
    exported_files = [
        export_file(system, NUMBERS[n % 3], names[n % 3], f"{file}{n}", n, late)
        for n, file in enumerate(files)
    ]
    roster = None
    if roster_has != "nothing":
        # Only a roster with names lists the third user.
        listed_users = NUMBERS if roster_has == "names" else NUMBERS[:2]
        roster = Roster(
            [
                Person(
                    USERNAMES[user] if system == "blackboard" else f"s{user}",
                    name=names[n],
                    numbers={system: USERNAMES[user] if system == "blackboard" else str(user)}
                    if roster_has == "numbers"
                    else {},
                )
                for n, user in enumerate(listed_users)
            ]
        )
    lines = {line.path: line for line in collect_files(shared_course, exported_files, roster, system)}
    for file in exported_files:
        line = lines[file.path]
        possible_ids = {f"s{file.user}", str(file.user), USERNAMES[file.user]}
        if roster is None and system in ("moodle", "brightspace"):
            possible_ids = {
                student_id(file.written_name),
                student_id(re.sub(r"^\w*\d - ", "", file.written_name)),
            }
        assert line.student in possible_ids | {""}, (file, line)
        assert line.student or line.outcome in ("whose?", "could not be read", "ignored"), (file, line)


def collect_by_path(
    course_root: Path, files: dict[str, str], roster: str = "", lesson: str = ""
) -> dict[str, Line]:
    """Collect an archive of these files, with a roster given as text, and return the lines by path."""
    parsed_roster = None
    if roster:
        (course_root / "roster.csv").write_text(roster, encoding="utf-8")
        parsed_roster = read_roster(course_root / "roster.csv")
    result = collect(Course.at(course_root), [write(course_root / "a.zip", files)], parsed_roster, lesson)
    return {line.path: line for line in result.lines}


def test_a_display_name_with_a_number_puts_nothing_into_another_users_attempt(course_root: Path) -> None:
    imitation, honest_path = canvas("eve_5", 66, 7, "x.ipynb"), canvas("leebo", 5, 8)
    lines = collect_by_path(course_root, {imitation: "{}", honest_path: solved_notebook(course_root)})
    assert [lines[path].student for path in (imitation, honest_path)] == ["", "5"]
    assert "5 / 66" in lines[imitation].message
    assert "--roster" in lines[imitation].message
    roster = "id,name,canvas\nbo,Bo Lee,5\neve,eve_5,66\n"
    assert (
        collect_by_path(course_root, {imitation: "{}", honest_path: solved_notebook(course_root)}, roster)[
            imitation
        ].outcome
        == "whose?"
    )


def test_a_roster_with_ids_and_names_tells_an_imitated_name_from_a_numbered_file(course_root: Path) -> None:
    roster = "id,name,canvas\nbo,Bo Lee,5\n"
    numbered_path = canvas("bolee", 5, 8, "2026_11_10_x.ipynb")
    assert (
        collect_by_path(course_root, {numbered_path: solved_notebook(course_root)})[numbered_path].outcome
        == "whose?"
    )
    assert (
        collect_by_path(course_root, {numbered_path: solved_notebook(course_root)}, roster)[
            numbered_path
        ].student
        == "bo"
    )
    imitation = canvas("bolee_5", 66, 7, "x.ipynb")
    lines = collect_by_path(
        course_root, {numbered_path: solved_notebook(course_root), imitation: "{}"}, roster
    )
    assert {line.outcome for line in lines.values()} == {"whose?"}


def test_lesson_number_is_not_taken_for_a_canvas_id(course_root: Path) -> None:
    (course_root / "source/10_more").mkdir()
    shutil.copy(course_root / f"source/{STEPS}/{STEPS}.ipynb", course_root / "source/10_more/10_more.ipynb")
    shutil.copytree(course_root / f"course/{STEPS}", course_root / "course/10_more")
    (course_root / f"course/10_more/{STEPS}.py").rename(course_root / "course/10_more/10_more.py")
    path = canvas("bo", 72, 9, "10_more-2.ipynb")
    assert (
        collect_by_path(course_root, {path: solved_notebook(course_root)}, lesson=STEPS)[path].student == "72"
    )


def test_a_date_or_an_id_in_a_display_name_is_part_of_the_name(course_root: Path) -> None:
    dated_path = brightspace(f"Eve - {OTHER_DATE}", 66, DATE)
    (reading,) = readings(dated_path, "brightspace")
    assert (reading.name, str(reading.when)) == (f"Eve - {OTHER_DATE}", "2026-10-10 10:22:00")
    imitation, honest_path = brightspace("2026001 - Eve", 66, DATE), brightspace("Bo", 5, DATE)
    roster = "id,name,brightspace\n2026001,Bo,5\n2026002,Eve,66\n"
    lines = collect_by_path(course_root, {imitation: "{}", honest_path: solved_notebook(course_root)}, roster)
    assert (lines[imitation].student, lines[honest_path].student) == ("2026002", "2026001")
    name_roster = "id,name\n2026001,Bo\n2026002,Eve\n"
    assert (
        collect_by_path(
            course_root, {imitation: "{}", honest_path: solved_notebook(course_root)}, name_roster
        )[imitation].outcome
        == "whose?"
    )


def test_file_name_impossible_for_canvas_gets_no_owner(course_root: Path) -> None:
    """In these file names, a date stands where Canvas would put the user's number."""
    for paths in (
        [f"{student}_2026_11_10_01_x.ipynb" for student in ("Ann_Lee", "Bo_Kim")],
        [f"hw/{student}/01_steps_20261110_101010_final.ipynb" for student in ("ann", "bo")],
        [f"{student}/steps_20261110_101010_final.ipynb" for student in ("ann", "bo")],
        [f"{student}_2026_1110_final.ipynb" for student in ("ann", "bo")],
    ):
        lines = collect_by_path(course_root, dict.fromkeys(paths, solved_notebook(course_root)))
        assert {line.outcome for line in lines.values()} == {"whose?"}
        assert all("submitted/STUDENT/LESSON/" in line.message for line in lines.values())
    assert not (course_root / "submitted").exists()


def test_name_with_a_new_number_gets_no_owner_without_a_roster(course_root: Path) -> None:
    first, second = moodle("Kim Minji", 311), moodle("Kim Minji", 400)
    assert collect_by_path(course_root, {first: solved_notebook(course_root)})[first].student == "Kim_Minji"
    line = collect_by_path(course_root, {second: solved_notebook(course_root).replace("\n", "\n\n", 1)})[
        second
    ]
    assert (line.student, line.outcome) == ("", "whose?")
    assert "311" in line.message
    assert "column `moodle`" in line.message
    roster = "id,name,moodle\nKim_Minji,Kim Minji,400\n"
    assert (
        collect_by_path(course_root, {second: solved_notebook(course_root)}, roster)[second].outcome
        == "unchanged"
    )


def test_moodle_participant_number_is_not_taken_for_a_student_id(course_root: Path) -> None:
    path = moodle("Mallory", 7)
    assert (
        collect_by_path(course_root, {path: solved_notebook(course_root)}, "id,name\n7,Bo Lee\n")[
            path
        ].outcome
        == "whose?"
    )


def test_username_with_underscores_is_certain_only_with_a_receipt(course_root: Path) -> None:
    path, receipt = (blackboard("kim_minji", TIMESTAMP, file) for file in (f"{STEPS}.ipynb", ""))
    roster = "id,name\nminji,Minji Oh\n"
    assert (
        collect_by_path(course_root, {path: solved_notebook(course_root)}, roster)[path].outcome == "whose?"
    )
    files = {path: solved_notebook(course_root), receipt: "Name: Eve (minji) (kim_minji)\n"}
    assert collect_by_path(course_root, files)[path].student == "kim_minji"


def test_an_archive_that_could_be_two_systems_asks_for_the_system(course_root: Path) -> None:
    """A Brightspace display name imitates Moodle's file names and contains another student's number."""
    path = brightspace("a_5_assignsubmission_file_x", 66, DATE)
    roster = "id,name,moodle,brightspace\nbo,Bo,5,5\neve,Eve,66,66\n"
    line = collect_by_path(course_root, {path: solved_notebook(course_root)}, roster)[path]
    assert (line.student, line.outcome) == ("", "whose?")
    assert "--from" in line.message


def test_moodle_anonymous_worksheet_serves_as_a_roster(course_root: Path) -> None:
    paths = [moodle("Participant", 311), moodle("Participant", 312)]
    roster = "Identifier,Status,Grade,Maximum Grade\nParticipant 311,,,6\nParticipant 312,,,6\n"
    lines = collect_by_path(course_root, dict.fromkeys(paths, solved_notebook(course_root)), roster)
    assert [lines[path].student for path in paths] == ["Participant_311", "Participant_312"]


def test_long_numbers_that_excel_has_shortened_are_named(course_root: Path) -> None:
    with pytest.raises(CourseError, match="Excel"):
        collect_by_path(course_root, {}, "id,name\n2.02612E+11,Ann\n")


def add_second_lesson(course_root: Path) -> str:
    """Add a second lesson to the small course; return a notebook, as JSON, with that lesson's cells alone."""
    lesson = "02_more"
    (course_root / f"source/{lesson}").mkdir()
    text = (course_root / f"source/{STEPS}/{STEPS}.ipynb").read_text().replace("double", "treble")
    (course_root / f"source/{lesson}/{lesson}.ipynb").write_text(text)
    shutil.copytree(course_root / f"course/{STEPS}", course_root / f"course/{lesson}")
    (course_root / f"course/{lesson}/{STEPS}.py").rename(course_root / f"course/{lesson}/{lesson}.py")
    notebook = json.loads(text)
    notebook["cells"] = [cell for cell in notebook["cells"] if "treble" in str(cell["metadata"])]
    return json.dumps(notebook)


def test_one_students_many_notebooks_do_not_decide_the_lesson(course_root: Path) -> None:
    other_notebook = add_second_lesson(course_root)
    honest_files = {canvas(f"s{n}", n, 100 + n): solved_notebook(course_root) for n in range(1, 6)}
    nine_notebooks = {canvas("eve", 66, 200 + n, f"n{n}.ipynb"): other_notebook for n in range(9)}
    lines = collect_by_path(course_root, honest_files | nine_notebooks)
    assert {line.outcome for line in lines.values()} == {"which lesson?"}
    message = next(iter(lines.values())).message
    assert f"{STEPS} (5 students), 02_more (1 student)" in message
    assert f"--lesson {STEPS}" in message
    assert not (course_root / "submitted").exists()
    lines = collect_by_path(course_root, honest_files | nine_notebooks, lesson=STEPS)
    assert {lines[path].lesson for path in honest_files} == {STEPS}
    two_notebooks = {
        canvas("eve", 66, 300): solved_notebook(course_root),
        canvas("eve", 66, 301, "n.ipynb"): other_notebook,
    }
    assert {line.lesson for line in collect_by_path(course_root, honest_files | two_notebooks).values()} == {
        STEPS
    }


@pytest.fixture(scope="module")
def shared_course(built_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course folder that all generated examples share; no example writes to the folder."""
    root = tmp_path_factory.mktemp("names")
    for name in ("source", "nbgrader_config.py", "course"):
        (root / name).symlink_to(built_course / name)
    return root


@pytest.mark.parametrize(
    "names",
    [
        ["ann_2026_11_10_homework.ipynb"],
        ["ann_2026_11_10_homework.ipynb", "bo_2025_12_31_homework.ipynb"],
        ["ann_20261110_101010_homework.ipynb", "bo_20261111_0930_homework.ipynb"],
        ["ann_7_1_homework.ipynb", "bo_7_2_homework.ipynb"],
        ["Ann_Lee_2026_11_10_01_steps.ipynb", "Bo_Kim_2026_11_10_01_steps.ipynb"],
    ],
)
def test_other_naming_schemes_are_not_taken_for_canvas(
    course_root: Path, tmp_path: Path, names: list[str]
) -> None:
    files = dict.fromkeys(names, solved_notebook(course_root))
    result = collect(Course.at(course_root), [write(tmp_path / "a.zip", files)], None, STEPS, "canvas")
    assert {line.outcome for line in result.lines} == {"whose?"}
    assert all("submitted/STUDENT/LESSON/" in line.message for line in result.lines)
    assert not (course_root / "submitted").exists()


def test_roster_decides_about_numbers_that_may_be_a_date(course_root: Path, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name,canvas\nann,Ann Lee,2026\nbo,Bo Kim,9\n")
    roster = read_roster(tmp_path / "roster.csv")
    files = {
        "leeann_2026_11_10_x.ipynb": solved_notebook(course_root),
        "kimbo_9_12_x.ipynb": solved_notebook(course_root),
    }
    result = collect(Course.at(course_root), [write(tmp_path / "a.zip", files)], roster, STEPS)
    assert {line.student: line.outcome for line in result.lines} == {"ann": "collected", "bo": "collected"}
