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
from tests.support.plain_course import HOMEWORK, released, write_assignment

NAME = LESSONS[0].name
SOURCE = Path("source", NAME, f"{NAME}.ipynb")
SETTINGS = "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
LINE = "from autograder.configure import use_secant; use_secant(c)\n"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return a course whose configuration calls `use_secant` and keeps nbgrader's usual folders."""
    root = tmp_path / "mine"
    root.mkdir()
    (root / "nbgrader_config.py").write_text(SETTINGS + LINE)
    return root


@pytest.fixture
def newer(tmp_path: Path) -> Lesson:
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
    """Return the contents of all files by path."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def edit(root: Path, text: str) -> None:
    """Add a line to the first cell of the source notebook."""
    notebook = nbformat.read(root / SOURCE, as_version=4)
    notebook.cells[0].source += f"\n{text}"
    nbformat.write(notebook, root / SOURCE)


def test_lesson_is_copied_with_hints_and_solutions_and_without_recorded_answers(mine: Path) -> None:
    assert add_lesson(mine, LESSONS[0]).outcome == "copied"
    names = {"nbgrader_config.py", str(SOURCE), "course/added.json"}
    names |= {f"course/{NAME}/{name}" for name in ("hints.toml", "solutions.py")}
    assert set(contents(mine)) == names
    assert [lesson.name for lesson in already_added(mine, LESSONS)] == [NAME]


def test_second_run_writes_nothing(mine: Path) -> None:
    add_lesson(mine, LESSONS[0], ["ko"])
    before = contents(mine)
    assert add_lesson(mine, LESSONS[0]).outcome == "unchanged"
    assert contents(mine) == before


def test_untouched_lesson_is_updated_and_keeps_its_language(mine: Path, newer: Lesson) -> None:
    add_lesson(mine, LESSONS[0], ["ko"])
    added = add_lesson(mine, newer)
    assert (added.outcome, len(added.files)) == ("updated", 2)
    notebook = nbformat.read(mine / SOURCE, as_version=4)
    assert notebook.cells[0].source.endswith("Newer.")
    assert notebook.metadata.secant.languages == ["ko"]
    assert add_lesson(mine, newer).outcome == "unchanged"


def test_notebook_that_was_only_run_and_saved_is_updated(mine: Path, newer: Lesson) -> None:
    add_lesson(mine, LESSONS[0])
    notebook = nbformat.read(mine / SOURCE, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, mine / SOURCE)
    assert add_lesson(mine, newer).outcome == "updated"


def test_changed_lesson_is_left_as_it_is(mine: Path, newer: Lesson) -> None:
    add_lesson(mine, LESSONS[0])
    edit(mine, "Mine.")
    before = contents(mine)
    for lesson, outcome in ((LESSONS[0], "edited"), (newer, "left")):
        added = add_lesson(mine, lesson)
        assert (added.outcome, list(added.files)) == (outcome, [SOURCE])
        assert contents(mine) == before
    (mine / SOURCE).rename(mine / "source/mine.ipynb")  # as the command's message advises
    assert add_lesson(mine, newer).outcome == "updated"


def test_other_language_is_not_written_over_a_changed_lesson(mine: Path) -> None:
    add_lesson(mine, LESSONS[0])
    edit(mine, "Mine.")
    before = contents(mine)
    assert add_lesson(mine, LESSONS[0], ["ko"]).outcome == "left"
    assert contents(mine) == before


def test_assignment_with_a_lessons_name_is_not_overwritten(mine: Path) -> None:
    write_assignment(mine / "source", NAME, {NAME: HOMEWORK})
    before = contents(mine)
    assert add_lesson(mine, LESSONS[0]).outcome == "left"
    assert contents(mine) == before


def test_release_has_the_chosen_language_and_its_hints(mine: Path) -> None:
    add_lesson(mine, LESSONS[0], ["en"])
    files = released(mine, NAME, load_config(mine), "release")
    assert set(files) == {f"{NAME}.ipynb"}
    text = files[f"{NAME}.ipynb"].decode().replace(STUB, "")
    assert not re.search("[가-힣]", text)
    assert "BEGIN HIDDEN TESTS" not in text
    built = nbformat.read(ROOT / "release/en" / NAME / f"{NAME}.ipynb", as_version=4)
    ours = nbformat.reads(files[f"{NAME}.ipynb"].decode(), as_version=4)
    assert [cell.source for cell in ours.cells] == [cell.source for cell in built.cells]


def test_two_languages_are_two_notebooks_of_one_assignment(mine: Path) -> None:
    add_lesson(mine, LESSONS[0], ["ko", "en"])
    files = released(mine, NAME, load_config(mine), "release")
    assert set(files) == {f"{NAME}.ipynb", f"{NAME}.en.ipynb"}
    main, other = (nbformat.reads(files[name].decode(), as_version=4) for name in sorted(files, key=len))
    assert (main.metadata.lang, other.metadata.lang) == ("ko", "en")
    assert list(map(grade_id, main.cells)) == list(map(grade_id, other.cells))
    assert "BEGIN HIDDEN TESTS" not in files[f"{NAME}.en.ipynb"].decode()
    assert list(read_assignment(mine, NAME).releases) == ["en", "ko"]


def test_lesson_that_was_not_released_says_how(mine: Path) -> None:
    add_lesson(mine, LESSONS[0])
    with pytest.raises(CourseError, match=f"run `nbgrader generate_assignment {NAME}`"):
        read_assignment(mine, NAME)


def test_language_that_no_cell_is_written_in_is_refused(mine: Path) -> None:
    with pytest.raises(CourseError, match="not written in 'ja', only in en, ko"):
        add_lesson(mine, LESSONS[0], ["ja"])


def test_settings_without_a_root_mean_the_folder_that_they_lie_in(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mine / "source").mkdir()
    monkeypatch.chdir(mine / "source")
    assert Course.at(mine).root == mine
    assert find_user_course(Path.cwd()) == mine


def test_command_names_the_missing_line_and_ends_with_1_if_a_lesson_was_left(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine)
    added = CliRunner().invoke(app, ["add", "1"])
    assert (added.exit_code, LINE.strip() in added.output) == (0, False)
    edit(mine, "Mine.")
    (mine / "nbgrader_config.py").write_text(SETTINGS)
    left = CliRunner().invoke(app, ["add", "--lang", "ko"])
    assert left.exit_code == 1
    assert LINE.strip() in left.output
    assert "move these files elsewhere" in left.output


@pytest.mark.parametrize(
    ("command", "said"), [("build", "no lessons to build"), ("new 11_mine", "has no folder course/")]
)
def test_author_commands_change_nothing_in_a_course_without_lessons(
    mine: Path, monkeypatch: pytest.MonkeyPatch, command: str, said: str
) -> None:
    write_assignment(mine / "source", "hw1", {"hw1": HOMEWORK})
    before = contents(mine)
    monkeypatch.chdir(mine)
    refused = CliRunner().invoke(app, command.split())
    assert isinstance(refused.exception, CourseError)
    assert said in str(refused.exception)
    assert contents(mine) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("c.CourseDirectory.release_directory = 'out'", "release_directory must be"),
        ("c.CourseDirectory.source_directory = 'src'", "source_directory must be"),
        ("c.CourseDirectory.root = '/'", "as the course's root"),
    ],
)
def test_course_with_other_folders_is_refused(mine: Path, line: str, said: str) -> None:
    (mine / "nbgrader_config.py").write_text(f"{SETTINGS}{line}\n")
    with pytest.raises(CourseError, match=said):
        find_user_course(mine)


def test_secants_own_course_and_a_folder_without_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="Secant's own course"):
        find_user_course(ROOT)
    with pytest.raises(CourseError, match="is not in a nbgrader course"):
        find_user_course(tmp_path)
