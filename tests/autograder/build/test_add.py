"""Tests of `autograder add`, which copies lessons into another course and overwrites no changed lesson."""

import re
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from autograder.build.add import add_lesson, already_added, find_user_course
from autograder.cli import app
from autograder.course.assignment import read_assignment
from autograder.course.cells import grade_id
from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson, find_lessons
from autograder.course.settings import Course, load_config
from secant.causes import STUB
from tests.support.lessons import LESSONS, ROOT, copy_lessons
from tests.support.plain_course import HOMEWORK, release_files, write_assignment

NAME = LESSONS[0].name
SOURCE = Path("source", NAME, f"{NAME}.ipynb")
SETTINGS = "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
LINE = "from autograder.configure import use_secant; use_secant(c)\n"


@pytest.fixture
def user_course(tmp_path: Path) -> Path:
    """Return a course whose configuration calls `use_secant` and keeps nbgrader's usual folders."""
    root = tmp_path / "mine"
    root.mkdir()
    (root / "nbgrader_config.py").write_text(SETTINGS + LINE)
    return root


@pytest.fixture
def newer_lesson(tmp_path: Path) -> Lesson:
    """Return a later version of the lesson, with changes to its notebook and its hints file."""
    root = tmp_path / "newer"
    root.mkdir()
    copy_lessons([LESSONS[0]], root)
    notebook = nbformat.read(root / SOURCE, as_version=4)
    notebook.cells[0].source += "\nNewer."
    nbformat.write(notebook, root / SOURCE)
    with (root / "course" / NAME / "hints.toml").open("a") as hints:
        hints.write("\n# newer\n")
    (lesson,) = find_lessons(root)
    return lesson


def contents(root: Path) -> dict[str, bytes]:
    """Return the contents of each file below a folder, by the file's path relative to the folder."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def edit(root: Path, text: str) -> None:
    """Add a line to the first cell of the source notebook."""
    notebook = nbformat.read(root / SOURCE, as_version=4)
    notebook.cells[0].source += f"\n{text}"
    nbformat.write(notebook, root / SOURCE)


def test_lesson_is_copied_with_hints_and_solutions_and_without_recorded_answers(user_course: Path) -> None:
    assert add_lesson(user_course, LESSONS[0]).outcome == "copied"
    names = {"nbgrader_config.py", str(SOURCE), "course/added.json"}
    names |= {f"course/{NAME}/{name}" for name in ("hints.toml", "solutions.py")}
    assert set(contents(user_course)) == names
    assert [lesson.name for lesson in already_added(user_course, LESSONS)] == [NAME]


def test_second_run_writes_nothing(user_course: Path) -> None:
    add_lesson(user_course, LESSONS[0], ["ko"])
    before = contents(user_course)
    assert add_lesson(user_course, LESSONS[0]).outcome == "unchanged"
    assert contents(user_course) == before


def test_untouched_lesson_is_updated_and_keeps_its_language(user_course: Path, newer_lesson: Lesson) -> None:
    add_lesson(user_course, LESSONS[0], ["ko"])
    result = add_lesson(user_course, newer_lesson)
    assert (result.outcome, len(result.files)) == ("updated", 2)
    notebook = nbformat.read(user_course / SOURCE, as_version=4)
    assert notebook.cells[0].source.endswith("Newer.")
    assert notebook.metadata.secant.languages == ["ko"]
    assert add_lesson(user_course, newer_lesson).outcome == "unchanged"


def test_notebook_that_was_only_run_and_saved_is_updated(user_course: Path, newer_lesson: Lesson) -> None:
    add_lesson(user_course, LESSONS[0])
    notebook = nbformat.read(user_course / SOURCE, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, user_course / SOURCE)
    assert add_lesson(user_course, newer_lesson).outcome == "updated"


def test_changed_lesson_is_not_overwritten(user_course: Path, newer_lesson: Lesson) -> None:
    add_lesson(user_course, LESSONS[0])
    edit(user_course, "Mine.")
    before = contents(user_course)
    for lesson, outcome in ((LESSONS[0], "edited"), (newer_lesson, "left")):
        result = add_lesson(user_course, lesson)
        assert (result.outcome, list(result.files)) == (outcome, [SOURCE])
        assert contents(user_course) == before
    (user_course / SOURCE).rename(user_course / "source/mine.ipynb")  # as the command's message advises
    assert add_lesson(user_course, newer_lesson).outcome == "updated"


def test_other_language_is_not_written_over_a_changed_lesson(user_course: Path) -> None:
    add_lesson(user_course, LESSONS[0])
    edit(user_course, "Mine.")
    before = contents(user_course)
    assert add_lesson(user_course, LESSONS[0], ["ko"]).outcome == "left"
    assert contents(user_course) == before


def test_assignment_with_a_lessons_name_is_not_overwritten(user_course: Path) -> None:
    write_assignment(user_course / "source", NAME, {NAME: HOMEWORK})
    before = contents(user_course)
    assert add_lesson(user_course, LESSONS[0]).outcome == "left"
    assert contents(user_course) == before


def test_release_has_the_chosen_language_and_its_hints(user_course: Path) -> None:
    add_lesson(user_course, LESSONS[0], ["en"])
    files = release_files(user_course, NAME, load_config(user_course), "release")
    assert set(files) == {f"{NAME}.ipynb"}
    text = files[f"{NAME}.ipynb"].decode().replace(STUB, "")
    assert not re.search("[가-힣]", text)
    assert "BEGIN HIDDEN TESTS" not in text
    expected = nbformat.read(ROOT / "release/en" / NAME / f"{NAME}.ipynb", as_version=4)
    actual = nbformat.reads(files[f"{NAME}.ipynb"].decode(), as_version=4)
    assert [cell.source for cell in actual.cells] == [cell.source for cell in expected.cells]


def test_two_languages_are_two_notebooks_of_one_assignment(user_course: Path) -> None:
    add_lesson(user_course, LESSONS[0], ["ko", "en"])
    files = release_files(user_course, NAME, load_config(user_course), "release")
    assert set(files) == {f"{NAME}.ipynb", f"{NAME}.en.ipynb"}
    main, other = (nbformat.reads(files[name].decode(), as_version=4) for name in sorted(files, key=len))
    assert (main.metadata.lang, other.metadata.lang) == ("ko", "en")
    assert list(map(grade_id, main.cells)) == list(map(grade_id, other.cells))
    assert "BEGIN HIDDEN TESTS" not in files[f"{NAME}.en.ipynb"].decode()
    assert list(read_assignment(user_course, NAME).releases) == ["en", "ko"]


def test_reading_an_unreleased_lesson_names_the_release_command(user_course: Path) -> None:
    add_lesson(user_course, LESSONS[0])
    with pytest.raises(CourseError, match=f"run `nbgrader generate_assignment {NAME}`"):
        read_assignment(user_course, NAME)


def test_language_without_any_cells_is_refused(user_course: Path) -> None:
    with pytest.raises(CourseError, match="not written in 'ja', only in en, ko"):
        add_lesson(user_course, LESSONS[0], ["ja"])


def test_course_root_defaults_to_the_folder_of_its_settings(
    user_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user_course / "source").mkdir()
    monkeypatch.chdir(user_course / "source")
    assert Course.at(user_course).root == user_course
    assert find_user_course(Path.cwd()) == user_course


def test_command_names_the_missing_line_and_ends_with_1_if_a_lesson_was_left(
    user_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(user_course)
    first_result = CliRunner().invoke(app, ["add", "1"])
    assert (first_result.exit_code, LINE.strip() in first_result.output) == (0, False)
    edit(user_course, "Mine.")
    (user_course / "nbgrader_config.py").write_text(SETTINGS)
    second_result = CliRunner().invoke(app, ["add", "--lang", "ko"])
    assert second_result.exit_code == 1
    assert LINE.strip() in second_result.output
    assert "move these files elsewhere" in second_result.output


@pytest.mark.parametrize(
    ("command", "message"), [("build", "no lessons to build"), ("new 11_mine", "has no folder course/")]
)
def test_author_commands_change_nothing_in_a_course_without_lessons(
    user_course: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    write_assignment(user_course / "source", "hw1", {"hw1": HOMEWORK})
    before = contents(user_course)
    monkeypatch.chdir(user_course)
    result = CliRunner().invoke(app, command.split())
    assert isinstance(result.exception, CourseError)
    assert message in str(result.exception)
    assert contents(user_course) == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("c.CourseDirectory.release_directory = 'out'", "release_directory must be"),
        ("c.CourseDirectory.source_directory = 'src'", "source_directory must be"),
        ("c.CourseDirectory.root = '/'", "as the course's root"),
    ],
)
def test_course_with_other_folders_is_refused(user_course: Path, line: str, message: str) -> None:
    (user_course / "nbgrader_config.py").write_text(f"{SETTINGS}{line}\n")
    with pytest.raises(CourseError, match=message):
        find_user_course(user_course)


def test_secants_own_course_and_a_folder_without_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="Secant's own course"):
        find_user_course(ROOT)
    with pytest.raises(CourseError, match="is not in a nbgrader course"):
        find_user_course(tmp_path)
