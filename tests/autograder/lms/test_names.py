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
from tests.support.exports import blackboard, brightspace, canvas, good, moodle, write
from tests.support.small_class import STEPS

DATE, OTHER = "Oct 10, 2026 1022 AM", "Jan 1, 2020 1000 AM"
WHEN, OTHER_WHEN = "2026-11-23-10-00-00", "2020-01-01-10-00-00"
# Parts of names as the systems write them, some with the numbers of the three users below.
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
        f" - {OTHER}",
        "N5 - ",
        "_attempt_" + OTHER_WHEN,
        "_5_assignsubmission_file_",
        "5-4711 - Bo",
        "anon_abcde",
    ),
    *("text.html", "김", "(bo)"),
)
evil = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
NUMBERS = (5, 66, 7)
USERNAMES = {5: "bo", 66: "eve_bo", 7: "1_bo"}


@dataclass(frozen=True)
class Sent:
    """A file of a user, with the path that the system gives it."""

    user: int
    written_name: str
    path: str


def sent(system: System, user: int, name: str, file: str, nth: int, late: bool) -> Sent:
    """Return a file as a system exports it, by the rules of its code (see `autograder.lms.filenames`)."""
    if system == "canvas":
        plain = re.sub(r"_(\d+)_", r"\1", name).lower()
        label = re.sub(r"\W", "", "_".join([plain, *(["LATE"] if late else []), str(user)]))
        return Sent(user, plain, f"{label}_{7000 + nth}_{re.sub(r'[/:*?<>|]+', '_', file)}")
    if system == "moodle":
        plain = re.sub(r"[/:*?<>|'&]", "", name.replace("_", " "))
        folder = f"{plain}_{user}_assignsubmission_file"
        return Sent(user, plain, f"{folder}_{file}" if late else f"{folder}/{file}")
    if system == "brightspace":
        plain = re.sub(r"[/:*?<>|]", "_", name)
        folder = f"{user}-4711 - {plain} - {DATE}"
        return Sent(user, plain, f"{folder} - {file}" if late else f"{folder}/{file}")
    return Sent(user, name, f"HW{'_1' if late else ''}_{USERNAMES[user]}_attempt_{WHEN}_{file}")


def owners(room: Path, files: list[Sent], roster: Roster | None, system: System) -> list[Line]:
    """Collect an archive of these files, and return the lines about the files."""
    with zipfile.ZipFile(room / "a.zip", "w") as archive:
        for file in files:
            archive.writestr(file.path, "")
        for user in {file.user: file for file in files if system == "blackboard"}.values():
            receipt = f"{user.path.partition(WHEN)[0]}{WHEN}.txt"
            archive.writestr(receipt, f"Name: {user.written_name} ({USERNAMES[user.user]})\n")
    done = collect(Course.at(room), [room / "a.zip"], roster, system=system)
    return list(done.lines)


@pytest.mark.parametrize("system", ["moodle", "canvas", "brightspace", "blackboard"])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    names=st.lists(evil, min_size=3, max_size=3),
    files=st.lists(evil.map(lambda text: text + "x.ipynb"), min_size=3, max_size=4),
    late=st.booleans(),
    roster_has=st.sampled_from(["nothing", "names", "numbers"]),
)
def test_collected_file_goes_to_its_owner_or_to_no_student(
    places: Path, system: System, roster_has: str, names: list[str], files: list[str], late: bool
) -> None:
    made = [sent(system, NUMBERS[n % 3], names[n % 3], f"{file}{n}", n, late) for n, file in enumerate(files)]
    roster = None
    if roster_has != "nothing":
        known = NUMBERS if roster_has == "names" else NUMBERS[:2]  # the third user is not in the roster
        roster = Roster(
            [
                Person(
                    USERNAMES[user] if system == "blackboard" else f"s{user}",
                    name=names[n],
                    numbers={system: USERNAMES[user] if system == "blackboard" else str(user)}
                    if roster_has == "numbers"
                    else {},
                )
                for n, user in enumerate(known)
            ]
        )
    lines = {line.path: line for line in owners(places, made, roster, system)}
    for file in made:
        line = lines[file.path]
        own = {f"s{file.user}", str(file.user), USERNAMES[file.user]}
        if roster is None and system in ("moodle", "brightspace"):
            own = {student_id(file.written_name), student_id(re.sub(r"^\w*\d - ", "", file.written_name))}
        assert line.student in own | {""}, (file, line)
        assert line.student or line.outcome in ("whose?", "could not be read", "ignored"), (file, line)


def collected(room: Path, files: dict[str, str], roster: str = "", lesson: str = "") -> dict[str, Line]:
    """Collect an archive of these files, with a roster given as text, and return the lines by path."""
    known = None
    if roster:
        (room / "roster.csv").write_text(roster, encoding="utf-8")
        known = read_roster(room / "roster.csv")
    done = collect(Course.at(room), [write(room / "a.zip", files)], known, lesson)
    return {line.path: line for line in done.lines}


def test_a_display_name_with_a_number_puts_nothing_into_another_users_attempt(room: Path) -> None:
    posing, honest = canvas("eve_5", 66, 7, "x.ipynb"), canvas("leebo", 5, 8)
    lines = collected(room, {posing: "{}", honest: good(room)})
    assert [lines[path].student for path in (posing, honest)] == ["", "5"]
    assert "5 / 66" in lines[posing].message
    assert "--roster" in lines[posing].message
    roster = "id,name,canvas\nbo,Bo Lee,5\neve,eve_5,66\n"
    assert collected(room, {posing: "{}", honest: good(room)}, roster)[posing].outcome == "whose?"


def test_a_roster_with_ids_and_names_tells_an_imitated_name_from_a_numbered_file(room: Path) -> None:
    roster = "id,name,canvas\nbo,Bo Lee,5\n"
    numbered = canvas("bolee", 5, 8, "2026_11_10_x.ipynb")
    assert collected(room, {numbered: good(room)})[numbered].outcome == "whose?"
    assert collected(room, {numbered: good(room)}, roster)[numbered].student == "bo"
    stranger = canvas("bolee_5", 66, 7, "x.ipynb")
    lines = collected(room, {numbered: good(room), stranger: "{}"}, roster)
    assert {line.outcome for line in lines.values()} == {"whose?"}


def test_lesson_number_is_not_taken_for_a_canvas_id(room: Path) -> None:
    (room / "source/10_more").mkdir()
    shutil.copy(room / f"source/{STEPS}/{STEPS}.ipynb", room / "source/10_more/10_more.ipynb")
    shutil.copytree(room / f"course/{STEPS}", room / "course/10_more")
    (room / f"course/10_more/{STEPS}.py").rename(room / "course/10_more/10_more.py")
    path = canvas("bo", 72, 9, "10_more-2.ipynb")
    assert collected(room, {path: good(room)}, lesson=STEPS)[path].student == "72"


def test_a_date_or_an_id_in_a_display_name_is_part_of_the_name(room: Path) -> None:
    dated = brightspace(f"Eve - {OTHER}", 66, DATE)
    (found,) = readings(dated, "brightspace")
    assert (found.name, str(found.when)) == (f"Eve - {OTHER}", "2026-10-10 10:22:00")
    posing, honest = brightspace("2026001 - Eve", 66, DATE), brightspace("Bo", 5, DATE)
    roster = "id,name,brightspace\n2026001,Bo,5\n2026002,Eve,66\n"
    lines = collected(room, {posing: "{}", honest: good(room)}, roster)
    assert (lines[posing].student, lines[honest].student) == ("2026002", "2026001")
    by_name = "id,name\n2026001,Bo\n2026002,Eve\n"
    assert collected(room, {posing: "{}", honest: good(room)}, by_name)[posing].outcome == "whose?"


def test_file_name_impossible_for_canvas_gets_no_owner(room: Path) -> None:
    """ILIAS, Google Drive and people put a date into file names where Canvas puts the user's number."""
    for paths in (
        [f"{who}_2026_11_10_01_x.ipynb" for who in ("Ann_Lee", "Bo_Kim")],
        [f"hw/{who}/01_steps_20261110_101010_final.ipynb" for who in ("ann", "bo")],
        [f"{who}/steps_20261110_101010_final.ipynb" for who in ("ann", "bo")],
        [f"{who}_2026_1110_final.ipynb" for who in ("ann", "bo")],
    ):
        lines = collected(room, dict.fromkeys(paths, good(room)))
        assert {line.outcome for line in lines.values()} == {"whose?"}
        assert all("submitted/STUDENT/LESSON/" in line.message for line in lines.values())
    assert not (room / "submitted").exists()


def test_name_with_a_new_number_gets_no_owner_without_a_roster(room: Path) -> None:
    first, second = moodle("Kim Minji", 311), moodle("Kim Minji", 400)
    assert collected(room, {first: good(room)})[first].student == "Kim_Minji"
    line = collected(room, {second: good(room).replace("\n", "\n\n", 1)})[second]
    assert (line.student, line.outcome) == ("", "whose?")
    assert "311" in line.message
    assert "column `moodle`" in line.message
    roster = "id,name,moodle\nKim_Minji,Kim Minji,400\n"
    assert collected(room, {second: good(room)}, roster)[second].outcome == "unchanged"


def test_moodle_participant_number_is_not_taken_for_a_student_id(room: Path) -> None:
    path = moodle("Mallory", 7)
    assert collected(room, {path: good(room)}, "id,name\n7,Bo Lee\n")[path].outcome == "whose?"


def test_username_with_underscores_is_certain_only_with_a_receipt(room: Path) -> None:
    path, receipt = (blackboard("kim_minji", WHEN, file) for file in (f"{STEPS}.ipynb", ""))
    roster = "id,name\nminji,Minji Oh\n"
    assert collected(room, {path: good(room)}, roster)[path].outcome == "whose?"
    spoof = {path: good(room), receipt: "Name: Eve (minji) (kim_minji)\n"}
    assert collected(room, spoof)[path].student == "kim_minji"


def test_an_archive_that_could_be_two_systems_asks_for_the_system(room: Path) -> None:
    """A display name on Brightspace imitates the part that Moodle writes, with another student's number."""
    path = brightspace("a_5_assignsubmission_file_x", 66, DATE)
    roster = "id,name,moodle,brightspace\nbo,Bo,5,5\neve,Eve,66,66\n"
    line = collected(room, {path: good(room)}, roster)[path]
    assert (line.student, line.outcome) == ("", "whose?")
    assert "--from" in line.message


def test_moodle_anonymous_worksheet_serves_as_a_roster(room: Path) -> None:
    paths = [moodle("Participant", 311), moodle("Participant", 312)]
    roster = "Identifier,Status,Grade,Maximum Grade\nParticipant 311,,,6\nParticipant 312,,,6\n"
    lines = collected(room, dict.fromkeys(paths, good(room)), roster)
    assert [lines[path].student for path in paths] == ["Participant_311", "Participant_312"]


def test_long_numbers_that_excel_has_shortened_are_named(room: Path) -> None:
    with pytest.raises(CourseError, match="Excel"):
        collected(room, {}, "id,name\n2.02612E+11,Ann\n")


def with_second_lesson(room: Path) -> str:
    """Add a second lesson to the small course; return a notebook, as JSON, with that lesson's cells alone."""
    other = "02_more"
    (room / f"source/{other}").mkdir()
    text = (room / f"source/{STEPS}/{STEPS}.ipynb").read_text().replace("double", "treble")
    (room / f"source/{other}/{other}.ipynb").write_text(text)
    shutil.copytree(room / f"course/{STEPS}", room / f"course/{other}")
    (room / f"course/{other}/{STEPS}.py").rename(room / f"course/{other}/{other}.py")
    cells = json.loads(text)
    cells["cells"] = [cell for cell in cells["cells"] if "treble" in str(cell["metadata"])]
    return json.dumps(cells)


def test_one_students_many_notebooks_do_not_decide_the_lesson(room: Path) -> None:
    other = with_second_lesson(room)
    honest = {canvas(f"s{n}", n, 100 + n): good(room) for n in range(1, 6)}
    nine = {canvas("eve", 66, 200 + n, f"n{n}.ipynb"): other for n in range(9)}
    lines = collected(room, honest | nine)
    assert {line.outcome for line in lines.values()} == {"which lesson?"}
    message = next(iter(lines.values())).message
    assert f"{STEPS} (5 students), 02_more (1 student)" in message
    assert f"--lesson {STEPS}" in message
    assert not (room / "submitted").exists()
    lines = collected(room, honest | nine, lesson=STEPS)
    assert {lines[path].lesson for path in honest} == {STEPS}
    both = {canvas("eve", 66, 300): good(room), canvas("eve", 66, 301, "n.ipynb"): other}
    assert {line.lesson for line in collected(room, honest | both).values()} == {STEPS}


@pytest.fixture(scope="module")
def places(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course folder that all generated examples share, because they write nothing."""
    root = tmp_path_factory.mktemp("names")
    for name in ("source", "nbgrader_config.py", "course"):
        (root / name).symlink_to(built / name)
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
def test_other_naming_schemes_are_not_taken_for_canvas(room: Path, tmp_path: Path, names: list[str]) -> None:
    files = dict.fromkeys(names, good(room))
    done = collect(Course.at(room), [write(tmp_path / "a.zip", files)], None, STEPS, "canvas")
    assert {line.outcome for line in done.lines} == {"whose?"}
    assert all("submitted/STUDENT/LESSON/" in line.message for line in done.lines)
    assert not (room / "submitted").exists()


def test_roster_decides_about_numbers_that_may_be_a_date(room: Path, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name,canvas\nann,Ann Lee,2026\nbo,Bo Kim,9\n")
    roster = read_roster(tmp_path / "roster.csv")
    files = {"leeann_2026_11_10_x.ipynb": good(room), "kimbo_9_12_x.ipynb": good(room)}
    done = collect(Course.at(room), [write(tmp_path / "a.zip", files)], roster, STEPS)
    assert {line.student: line.outcome for line in done.lines} == {"ann": "collected", "bo": "collected"}
