"""Tests of the build from course/ to source/ and release/."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupytext import TextFileContentsManager
from typer.testing import CliRunner

from autograder.build import builder
from autograder.cli import app, main
from autograder.course.cells import HEADER_MARKS, grade_id
from autograder.course.lesson import find_lessons

NOTEBOOKS = [Path(folder, "01_steps", "01_steps.ipynb") for folder in ("release/en", "release/ko", "source")]
TABLES = [path.with_name("data") / "points.csv" for path in NOTEBOOKS]


def build(course: Path, **options: Any) -> Any:
    return builder.build(course, find_lessons(course), **options)


def contents(course: Path) -> Any:
    return {
        path: path.read_bytes()
        for folder in ("source", "release")
        for path in (course / folder).rglob("*")
        if path.is_file()
    }


def read_notebook(course: Path, folder: Any) -> Any:
    return nbformat.read(course / folder / "01_steps" / "01_steps.ipynb", as_version=4)


def edit(course: Path, old: Any = "Because", new: Any = "Just because") -> None:
    """Change the text of the source notebook, as a user of JupyterLab would."""
    path = course / NOTEBOOKS[2]
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def built_course(course: Path) -> Any:
    build(course)
    return course


@pytest.fixture
def run(course: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs `autograder build` in the course."""
    monkeypatch.chdir(course)

    def call(*arguments: Any) -> Any:
        result = CliRunner().invoke(app, ["build", *arguments], catch_exceptions=False)
        return result.exit_code, result.output

    return call


def test_the_first_build_writes_everything(course: Path) -> None:
    assert sorted(build(course).written) == sorted(NOTEBOOKS + TABLES)


def test_the_next_build_writes_nothing(built_course: Path) -> None:
    modification_times = {path: path.stat().st_mtime_ns for path in contents(built_course)}
    assert build(built_course).written == []
    assert {path: path.stat().st_mtime_ns for path in contents(built_course)} == modification_times


def test_the_same_text_gives_the_same_bytes(built_course: Path) -> None:
    first = contents(built_course)
    shutil.rmtree(built_course / "source")
    shutil.rmtree(built_course / "release")
    build(built_course)
    assert contents(built_course) == first


def test_the_instructors_notebook_has_both_languages_and_everything_hidden(built_course: Path) -> None:
    text = (built_course / NOTEBOOKS[2]).read_text()
    assert all(part in text for part in ("# Steps", "# 스텝", "BEGIN SOLUTION", "BEGIN HIDDEN TESTS"))


@pytest.mark.parametrize(
    ("lang", "heading", "other_heading"), [("en", "# Steps", "# 스텝"), ("ko", "# 스텝", "# Steps")]
)
def test_a_release_has_one_language_and_nothing_hidden(
    built_course: Path, lang: str, heading: str, other_heading: str
) -> None:
    text = (built_course / f"release/{lang}/01_steps/01_steps.ipynb").read_text()
    assert heading in text
    assert json.dumps(f'language("{lang}")') in text
    assert not any(
        part in text
        for part in (other_heading, "SOLUTION", "HIDDEN", "2 * x", "SQUARE", "Because", '"secant": {')
    )
    assert "Write your answer here / 여기에 답을 쓰세요" in text
    assert read_notebook(built_course, f"release/{lang}").metadata.lang == lang


def test_both_releases_have_the_same_graded_cells(built_course: Path) -> None:
    graded_cells = [
        [cell for cell in read_notebook(built_course, f"release/{lang}").cells if "nbgrader" in cell.metadata]
        for lang in ("en", "ko")
    ]
    assert graded_cells[0] == graded_cells[1]
    assert all(len(cell.metadata.nbgrader.checksum) == 32 for cell in graded_cells[0])


def test_release_contains_no_answers(built_course: Path) -> None:
    (built_course / "course/01_steps/__pycache__").mkdir()
    (built_course / "course/01_steps/__pycache__/wrong_answers.pyc").write_bytes(b"")
    build(built_course)
    assert sorted(path.relative_to(built_course) for path in contents(built_course)) == sorted(
        NOTEBOOKS + TABLES
    )


def test_build_neither_makes_nor_changes_a_gradebook(course: Path) -> None:
    (course / "gradebook.db").write_bytes(b"the instructor's")
    build(course)
    assert (course / "gradebook.db").read_bytes() == b"the instructor's"
    assert {path.name for path in course.iterdir()} == {
        "course", "gradebook.db", "nbgrader_config.py", "release", "source",
    }  # fmt: skip


def test_built_files_are_readable_by_every_user(built_course: Path) -> None:
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in contents(built_course))


def test_build_of_one_language_writes_no_file_of_the_other(course: Path) -> None:
    assert sorted(build(course, languages=["ko"]).written) == sorted(
        path for path in NOTEBOOKS + TABLES if "en" not in path.parts
    )


def test_build_writes_only_the_requested_lessons(course: Path) -> None:
    shutil.copytree(course / "course/01_steps", course / "course/02_more")
    (course / "course/02_more/01_steps.py").rename(course / "course/02_more/02_more.py")
    builder.build(course, find_lessons(course)[1:])
    assert {path.parent.name for path in contents(course) if path.suffix == ".ipynb"} == {"02_more"}


def test_a_build_reports_each_of_its_steps(course: Path) -> None:
    steps = []
    build(course, step=lambda: steps.append(1))
    assert len(steps) == 3


def test_a_problem_in_a_lesson_stops_the_build_before_anything_is_written(course: Path) -> None:
    path = course / "course/01_steps/01_steps.py"
    path.write_text(path.read_text().replace(', "points": 3', ""))
    with pytest.raises(builder.BuildError, match="needs points"):
        build(course)
    assert contents(course) == {}


def test_refusal_by_nbgrader_is_reported_in_one_sentence(course: Path) -> None:
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + '\nc.IncludeHeaderFooter.header = "/no/header.ipynb"\n')
    with pytest.raises(builder.BuildError) as error:
        build(course)
    assert error.value.problems == [
        f"course/01_steps: nbgrader cannot release it in {lang}: FileNotFoundError: "
        "[Errno 2] No such file or directory: '/no/header.ipynb'"
        for lang in ("en", "ko")
    ]


def test_a_write_that_fails_leaves_the_old_file(built_course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(built_course)
    edit_text(built_course)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        build(built_course)
    assert contents(built_course) == before


def edit_text(course: Path, old: Any = "return 2 * x", new: Any = "return x * 2") -> None:
    path = course / "course/01_steps/01_steps.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# Comparison with a fresh build (`--check`).


def test_check_accepts_a_fresh_build(built_course: Path) -> None:
    assert build(built_course, check=True) == builder.BuildResult(lessons=1)


def test_build_check_names_stale_files_and_writes_nothing(built_course: Path) -> None:
    edit_text(built_course)
    (built_course / TABLES[0]).unlink()
    (built_course / "release/ko/01_steps/old.png").write_bytes(b"")
    (built_course / "source/09_gone").mkdir()
    (built_course / "source/09_gone/09_gone.ipynb").write_text("{}")
    (built_course / "source/01_steps/.ipynb_checkpoints").mkdir()
    (built_course / "source/01_steps/.ipynb_checkpoints/x.ipynb").write_text("{}")
    before = contents(built_course)
    stale_files = build(built_course, check=True).stale
    assert {(str(file.path), file.reason) for file in stale_files} == {
        ("source/01_steps/01_steps.ipynb", "differs"),
        ("release/en/01_steps/data/points.csv", "missing"),
        ("release/ko/01_steps/old.png", "extra"),
        ("source/09_gone/09_gone.ipynb", "extra"),
    }
    assert contents(built_course) == before


def test_files_of_a_removed_lesson_are_kept_and_reported(built_course: Path) -> None:
    shutil.rmtree(built_course / "course/01_steps")
    result = build(built_course)
    assert result.written == []
    assert {file.path for file in result.stale} == set(NOTEBOOKS + TABLES)
    assert (built_course / NOTEBOOKS[0]).exists()


def test_check_of_one_lesson_ignores_other_stale_lessons(built_course: Path) -> None:
    shutil.copytree(built_course / "course/01_steps", built_course / "course/02_more")
    assert builder.build(built_course, find_lessons(built_course)[:1], check=True).stale == []


# Edits of the source notebook.


def test_edited_source_notebook_is_not_overwritten(built_course: Path) -> None:
    edit(built_course)
    before = contents(built_course)
    with pytest.raises(
        builder.BuildError, match=r"01_steps\.ipynb was edited after it was built.*jupytext --sync"
    ):
        build(built_course)
    assert contents(built_course) == before


def test_edited_source_notebook_is_not_overwritten_even_if_its_text_changed(built_course: Path) -> None:
    edit(built_course)
    edit_text(built_course)
    with pytest.raises(builder.BuildError, match="was edited after it was built"):
        build(built_course)


def test_force_discards_an_edit(built_course: Path) -> None:
    before = contents(built_course)
    edit(built_course)
    build(built_course, force=True)
    assert contents(built_course) == before


def test_check_reports_an_edit(built_course: Path) -> None:
    edit(built_course)
    assert build(built_course, check=True).stale == [builder.StaleFile(NOTEBOOKS[2], "differs")]


def test_edit_synced_to_the_text_is_built(built_course: Path) -> None:
    edit(built_course)
    edit_text(built_course, "Because", "Just because")
    assert build(built_course).written == [NOTEBOOKS[2]]


def test_outputs_and_kernel_metadata_do_not_count_as_an_edit(built_course: Path) -> None:
    edit(built_course, '"kernelspec"', '"language_info": {"name": "python"}, "kernelspec"')
    edit(
        built_course,
        '"outputs": []',
        '"outputs": [{"name": "stdout", "output_type": "stream", "text": "hi"}]',
    )
    assert build(built_course).written == [NOTEBOOKS[2]]


def test_build_does_not_overwrite_a_file_that_is_not_a_notebook(course: Path) -> None:
    path = course / NOTEBOOKS[2]
    path.parent.mkdir(parents=True)
    path.write_text("not a notebook")
    with pytest.raises(builder.BuildError, match="is not a notebook"):
        build(course)


def test_source_notebook_gets_the_modification_time_of_its_text(built_course: Path) -> None:
    assert (built_course / NOTEBOOKS[2]).stat().st_mtime_ns == (
        built_course / "course/01_steps/01_steps.py"
    ).stat().st_mtime_ns


def test_jupytext_syncs_an_edit_of_the_notebook_to_the_text(built_course: Path, root: Path) -> None:
    shutil.copy(root / "jupytext.toml", built_course)
    edit(built_course)
    os.utime(built_course / NOTEBOOKS[2])
    jupytext = [sys.executable, "-m", "jupytext", "--sync", str(NOTEBOOKS[2])]
    subprocess.run(jupytext, cwd=built_course, check=True, capture_output=True)
    assert "Just because." in (built_course / "course/01_steps/01_steps.py").read_text()
    assert NOTEBOOKS[2] in build(built_course).written


def shorten_headers(course: Path) -> Path:
    """Write the small lesson's headers in the short form that authors use; return the path of its text."""
    text_path = course / "course" / "01_steps" / "01_steps.py"
    short_headers = [
        *('answer="double"', 'test="double" points=2', 'answer="Counter"', 'test="Counter" points=3'),
        'answer="why" points=1',
    ]
    pieces = re.split(r"nbgrader=\{.*\}", text_path.read_text(encoding="utf-8"))
    new_text = "".join(piece + header for piece, header in zip(pieces, [*short_headers, ""], strict=True))
    text_path.write_text(new_text, encoding="utf-8")
    return text_path


def test_short_headers_build_the_same_files_as_nbgraders_long_ones(built_course: Path) -> None:
    before = contents(built_course)
    shorten_headers(built_course)
    assert build(built_course).written == []
    assert contents(built_course) == before


def test_jupytext_carries_short_headers_in_both_directions(built_course: Path, root: Path) -> None:
    shutil.copy(root / "jupytext.toml", built_course)
    text_path = shorten_headers(built_course)
    headers = set(re.findall("# %% .*(?:answer|test)=.*", text_path.read_text(encoding="utf-8")))
    build(built_course)
    jupytext = [sys.executable, "-m", "jupytext", "--sync", str(NOTEBOOKS[2])]

    edit(built_course)
    os.utime(built_course / NOTEBOOKS[2])
    subprocess.run(jupytext, cwd=built_course, check=True, capture_output=True)
    assert "Just because." in text_path.read_text(encoding="utf-8")
    synced_headers = re.findall("# %% .*(?:answer|test)=.*", text_path.read_text(encoding="utf-8"))
    assert {frozenset(line.split()) for line in synced_headers} == {
        frozenset(line.split()) for line in headers
    }

    edit_text(built_course, "Just because", "Simply because")
    subprocess.run(jupytext, cwd=built_course, check=True, capture_output=True)
    notebook = read_notebook(built_course, "source")
    assert "Simply because." in notebook.cells[-1].source
    assert [grade_id(cell) for cell in notebook.cells if grade_id(cell)] == [
        *("double", "test_double", "Counter", "test_Counter", "why")
    ]


def save_in_jupyterlab(course: Path) -> None:
    """Open the source notebook as JupyterLab with jupytext does, edit its last cell, and save it."""
    manager = TextFileContentsManager(root_dir=str(course))
    model = manager.get(str(NOTEBOOKS[2]), type="notebook", content=True)
    cell = model["content"]["cells"][-1]
    cell["source"] = cell["source"].replace("Because", "Just because")
    manager.save(model, str(NOTEBOOKS[2]))


def test_notebook_saved_in_jupyterlab_keeps_headers_and_metadata(built_course: Path, root: Path) -> None:
    shutil.copy(root / "jupytext.toml", built_course)
    text_path = shorten_headers(built_course)
    build(built_course)
    before = text_path.read_text(encoding="utf-8")
    save_in_jupyterlab(built_course)
    assert text_path.read_text(encoding="utf-8") == before.replace("Because", "Just because")
    assert build(built_course).written == [NOTEBOOKS[2]]


def add_placeholders(course: Path) -> Path:
    """Put placeholders for numbers into the small lesson's text, build it, and return the text's path."""
    edit_text(
        course,
        "A small lesson",
        "Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · steps\n\nA small lesson",
    )
    edit_text(course, "Return twice the number.", "Return twice the number, for {{points}} of {{tasks}}.")
    edit_text(course, "수의 두 배를", "{{points}}: 수의 두 배를")
    shorten_headers(course)
    build(course)
    return course / "course" / "01_steps" / "01_steps.py"


def read_prose(course: Path, folder: str) -> str:
    return "\n".join(cell.source for cell in read_notebook(course, folder).cells)


def test_placeholders_are_filled_marked_in_source_and_plain_in_a_release(course: Path) -> None:
    text_path = add_placeholders(course)
    release_prose = read_prose(course, "release/en")
    assert "Lesson 01 of 1 · ~5 min · steps" in release_prose
    assert "for 5 points of A function and a class." in release_prose
    assert "5점: 수의 두 배를" in read_prose(course, "release/ko")
    assert 'for <span class="points">5 points</span> of' in read_prose(course, "source")
    assert "for {{points}} of {{tasks}}." in text_path.read_text(encoding="utf-8")


@pytest.mark.parametrize("save_method", ["sync", "jupyterlab"])
def test_placeholders_survive_saving_the_notebook(course: Path, root: Path, save_method: str) -> None:
    text_path = add_placeholders(course)
    before, release_prose = text_path.read_text(encoding="utf-8"), read_prose(course, "release/en")
    shutil.copy(root / "jupytext.toml", course)
    if save_method == "sync":
        edit(course)
        os.utime(course / NOTEBOOKS[2])
        jupytext = [sys.executable, "-m", "jupytext", "--sync", str(NOTEBOOKS[2])]
        subprocess.run(jupytext, cwd=course, check=True, capture_output=True)
    else:
        save_in_jupyterlab(course)
    assert NOTEBOOKS[2] in build(course).written
    after = text_path.read_text(encoding="utf-8")
    assert "Just because." in after
    assert re.findall("{{.*}}", after) == re.findall("{{.*}}", before)
    assert "<span" not in after
    assert read_prose(course, "release/en") == release_prose
    assert "Just because." in read_prose(course, "source")


def test_points_changed_in_the_source_notebook_name_the_header_to_write(built_course: Path) -> None:
    text_path = shorten_headers(built_course)
    path = built_course / NOTEBOOKS[2]
    notebook = read_notebook(built_course, "source")
    notebook.cells[10].metadata["nbgrader"]["points"] = 4
    nbformat.write(notebook, path)
    with pytest.raises(
        builder.BuildError, match=r'test_Counter: .*: write test="Counter" points=4 in its header'
    ):
        build(built_course)
    new_text = text_path.read_text(encoding="utf-8").replace('"Counter" points=3', '"Counter" points=4')
    text_path.write_text(new_text, encoding="utf-8")
    assert NOTEBOOKS[0] in build(built_course).written


def test_edited_notebook_of_an_earlier_version_names_no_headers(built_course: Path) -> None:
    notebook = read_notebook(built_course, "source")
    for cell in notebook.cells:
        for mark in HEADER_MARKS:
            cell.metadata.pop(mark, None)
    notebook.cells[-1].source += " Really."
    nbformat.write(notebook, built_course / NOTEBOOKS[2])
    with pytest.raises(builder.BuildError) as error:
        build(built_course)
    assert len(error.value.problems) == 1


# The command line.


def test_the_command_builds_and_then_checks(run: Any) -> None:
    exit_code, output = run("1")
    assert exit_code == 0
    assert "wrote    release/ko/01_steps/01_steps.ipynb" in output
    assert "1 lesson: 6 files written." in output
    assert run("--check") == (0, "1 lesson: 0 stale files.\n")


def test_the_command_fails_on_stale_files(run: Any, built_course: Path) -> None:
    (built_course / TABLES[0]).write_text("other")
    assert run("--check") == (
        1, "differs  release/en/01_steps/data/points.csv\n1 lesson: 1 stale file.\n"
    )  # fmt: skip


def test_the_command_lists_every_problem(run: Any, course: Path) -> None:
    path = course / "course/01_steps/01_steps.py"
    path.write_text(path.read_text().replace(', "points": 3', "").replace('language("en")', ""))
    exit_code, output = run()
    assert exit_code == 1
    assert "needs points" in output
    assert "found 0 such calls" in output
    assert "Nothing was built: 2 problems." in output


def test_build_command_can_build_one_language(run: Any, course: Path) -> None:
    assert run("--lang", "ko")[0] == 0
    assert not (course / "release/en").exists()


@pytest.mark.parametrize("arguments", [["--lang", "fr"], ["--chek"], ["7"]])
def test_build_with_bad_arguments_prints_no_traceback(
    arguments: Any, course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stderr = run_refused_build(course, arguments, monkeypatch, capsys)
    assert "Traceback" not in stderr
    assert stderr.strip()


def test_build_of_an_unknown_lesson_lists_the_known_ones(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run_refused_build(course, ["7"], monkeypatch, capsys)
        == 'There is no lesson "7"; the lessons are: 01_steps.\n'
    )


def test_build_outside_a_course_is_refused(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not in a course directory" in run_refused_build(course.parent, [], monkeypatch, capsys)


def test_build_with_an_unloadable_config_is_refused(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "nbgrader_config.py").write_text("1 / 0")
    assert "nbgrader_config.py cannot be loaded: division by zero." in run_refused_build(
        course, [], monkeypatch, capsys
    )


def test_build_into_an_unwritable_place_is_refused(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "source").write_text("a file")
    assert "source" in run_refused_build(course, [], monkeypatch, capsys)


def run_refused_build(
    folder: Path, arguments: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Run a build command that must be refused, and return what it writes to stderr."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["autograder", "build", *arguments])
    with pytest.raises(SystemExit) as error:
        main()
    assert error.value.code == 2
    return capsys.readouterr().err


# This repository.


@pytest.mark.costly("it builds all ten lessons, and nothing else shows that a built one is stale")
def test_source_and_release_are_up_to_date(root: Path) -> None:
    stale_files = builder.build(root, find_lessons(root), check=True).stale
    assert not stale_files, "run `autograder build`"
