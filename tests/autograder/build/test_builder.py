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

NOTEBOOKS = [Path(home, "01_steps", "01_steps.ipynb") for home in ("release/en", "release/ko", "source")]
TABLES = [path.with_name("data") / "points.csv" for path in NOTEBOOKS]


def build(course: Path, **options: Any) -> Any:
    return builder.build(course, find_lessons(course), **options)


def contents(course: Path) -> Any:
    return {
        p: p.read_bytes() for home in ("source", "release") for p in (course / home).rglob("*") if p.is_file()
    }


def read(course: Path, home: Any) -> Any:
    return nbformat.read(course / home / "01_steps" / "01_steps.ipynb", as_version=4)


def edit(course: Path, old: Any = "Because", new: Any = "Just because") -> None:
    """Change the text of the source notebook, as a user of JupyterLab would."""
    path = course / NOTEBOOKS[2]
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def built(course: Path) -> Any:
    build(course)
    return course


@pytest.fixture
def run(course: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs `autograder build` in the course."""
    monkeypatch.chdir(course)

    def call(*words: Any) -> Any:
        result = CliRunner().invoke(app, ["build", *words], catch_exceptions=False)
        return result.exit_code, result.output

    return call


def test_the_first_build_writes_everything(course: Path) -> None:
    assert sorted(build(course).written) == sorted(NOTEBOOKS + TABLES)


def test_the_next_build_writes_nothing(built: Path) -> None:
    ages = {path: path.stat().st_mtime_ns for path in contents(built)}
    assert build(built).written == []
    assert {path: path.stat().st_mtime_ns for path in contents(built)} == ages


def test_the_same_text_gives_the_same_bytes(built: Path) -> None:
    first = contents(built)
    shutil.rmtree(built / "source")
    shutil.rmtree(built / "release")
    build(built)
    assert contents(built) == first


def test_the_instructors_notebook_has_both_languages_and_everything_hidden(built: Path) -> None:
    text = (built / NOTEBOOKS[2]).read_text()
    assert all(part in text for part in ("# Steps", "# 스텝", "BEGIN SOLUTION", "BEGIN HIDDEN TESTS"))


@pytest.mark.parametrize(
    ("lang", "there", "gone"), [("en", "# Steps", "# 스텝"), ("ko", "# 스텝", "# Steps")]
)
def test_a_release_has_one_language_and_nothing_hidden(built: Path, lang: str, there: str, gone: str) -> None:
    text = (built / f"release/{lang}/01_steps/01_steps.ipynb").read_text()
    assert there in text
    assert json.dumps(f'language("{lang}")') in text
    assert not any(
        part in text for part in (gone, "SOLUTION", "HIDDEN", "2 * x", "SQUARE", "Because", '"secant": {')
    )
    assert "Write your answer here / 여기에 답을 쓰세요" in text
    assert read(built, f"release/{lang}").metadata.lang == lang


def test_both_releases_have_the_same_graded_cells(built: Path) -> None:
    graded = [
        [cell for cell in read(built, f"release/{lang}").cells if "nbgrader" in cell.metadata]
        for lang in ("en", "ko")
    ]
    assert graded[0] == graded[1]
    assert all(len(cell.metadata.nbgrader.checksum) == 32 for cell in graded[0])


def test_release_contains_no_answers(built: Path) -> None:
    (built / "course/01_steps/__pycache__").mkdir()
    (built / "course/01_steps/__pycache__/wrong_answers.pyc").write_bytes(b"")
    build(built)
    assert sorted(path.relative_to(built) for path in contents(built)) == sorted(NOTEBOOKS + TABLES)


def test_building_makes_no_gradebook_and_leaves_one_alone(course: Path) -> None:
    (course / "gradebook.db").write_bytes(b"the instructor's")
    build(course)
    assert (course / "gradebook.db").read_bytes() == b"the instructor's"
    assert {path.name for path in course.iterdir()} == {
        "course", "gradebook.db", "nbgrader_config.py", "release", "source",
    }  # fmt: skip


def test_built_files_are_readable_by_every_user(built: Path) -> None:
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in contents(built))


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
    with pytest.raises(builder.BuildError) as refusal:
        build(course)
    assert refusal.value.problems == [
        f"course/01_steps: nbgrader cannot release it in {lang}: FileNotFoundError: "
        "[Errno 2] No such file or directory: '/no/header.ipynb'"
        for lang in ("en", "ko")
    ]


def test_a_write_that_fails_leaves_the_old_file(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(built)
    edit_text(built)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        build(built)
    assert contents(built) == before


def edit_text(course: Path, old: Any = "return 2 * x", new: Any = "return x * 2") -> None:
    path = course / "course/01_steps/01_steps.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# Comparison with a fresh build (`--check`).


def test_check_accepts_a_fresh_build(built: Path) -> None:
    assert build(built, check=True) == builder.Built(lessons=1)


def test_build_check_names_stale_files_and_writes_nothing(built: Path) -> None:
    edit_text(built)
    (built / TABLES[0]).unlink()
    (built / "release/ko/01_steps/old.png").write_bytes(b"")
    (built / "source/09_gone").mkdir()
    (built / "source/09_gone/09_gone.ipynb").write_text("{}")
    (built / "source/01_steps/.ipynb_checkpoints").mkdir()
    (built / "source/01_steps/.ipynb_checkpoints/x.ipynb").write_text("{}")
    before = contents(built)
    found = build(built, check=True).stale
    assert {(str(stale.path), stale.why) for stale in found} == {
        ("source/01_steps/01_steps.ipynb", "differs"),
        ("release/en/01_steps/data/points.csv", "missing"),
        ("release/ko/01_steps/old.png", "extra"),
        ("source/09_gone/09_gone.ipynb", "extra"),
    }
    assert contents(built) == before


def test_files_of_a_removed_lesson_are_kept_and_reported(built: Path) -> None:
    shutil.rmtree(built / "course/01_steps")
    found = build(built)
    assert found.written == []
    assert {stale.path for stale in found.stale} == set(NOTEBOOKS + TABLES)
    assert (built / NOTEBOOKS[0]).exists()


def test_check_of_one_lesson_ignores_other_stale_lessons(built: Path) -> None:
    shutil.copytree(built / "course/01_steps", built / "course/02_more")
    assert builder.build(built, find_lessons(built)[:1], check=True).stale == []


# Edits of the source notebook.


def test_an_edit_of_the_source_notebook_is_not_destroyed(built: Path) -> None:
    edit(built)
    before = contents(built)
    with pytest.raises(
        builder.BuildError, match=r"01_steps\.ipynb was edited after it was built.*jupytext --sync"
    ):
        build(built)
    assert contents(built) == before


def test_edited_source_notebook_is_not_overwritten_even_if_its_text_changed(built: Path) -> None:
    edit(built)
    edit_text(built)
    with pytest.raises(builder.BuildError, match="was edited after it was built"):
        build(built)


def test_force_discards_an_edit(built: Path) -> None:
    before = contents(built)
    edit(built)
    build(built, force=True)
    assert contents(built) == before


def test_check_reports_an_edit(built: Path) -> None:
    edit(built)
    assert build(built, check=True).stale == [builder.Stale(NOTEBOOKS[2], "differs")]


def test_edit_synced_to_the_text_is_built(built: Path) -> None:
    edit(built)
    edit_text(built, "Because", "Just because")
    assert build(built).written == [NOTEBOOKS[2]]


def test_outputs_and_kernel_metadata_do_not_count_as_an_edit(built: Path) -> None:
    edit(built, '"kernelspec"', '"language_info": {"name": "python"}, "kernelspec"')
    edit(built, '"outputs": []', '"outputs": [{"name": "stdout", "output_type": "stream", "text": "hi"}]')
    assert build(built).written == [NOTEBOOKS[2]]


def test_build_does_not_overwrite_a_file_that_is_not_a_notebook(course: Path) -> None:
    path = course / NOTEBOOKS[2]
    path.parent.mkdir(parents=True)
    path.write_text("not a notebook")
    with pytest.raises(builder.BuildError, match="is not a notebook"):
        build(course)


def test_source_notebook_gets_the_modification_time_of_its_text(built: Path) -> None:
    assert (built / NOTEBOOKS[2]).stat().st_mtime_ns == (
        built / "course/01_steps/01_steps.py"
    ).stat().st_mtime_ns


def test_jupytext_syncs_an_edit_of_the_notebook_to_the_text(built: Path, root: Path) -> None:
    shutil.copy(root / "jupytext.toml", built)
    edit(built)
    os.utime(built / NOTEBOOKS[2])
    jupytext = [sys.executable, "-m", "jupytext", "--sync", str(NOTEBOOKS[2])]
    subprocess.run(jupytext, cwd=built, check=True, capture_output=True)
    assert "Just because." in (built / "course/01_steps/01_steps.py").read_text()
    assert NOTEBOOKS[2] in build(built).written


def shorten_headers(course: Path) -> Path:
    """Write the small lesson's headers in the short form that authors use; return the path of its text."""
    text = course / "course" / "01_steps" / "01_steps.py"
    short = [
        *('answer="double"', 'test="double" points=2', 'answer="Counter"', 'test="Counter" points=3'),
        'answer="why" points=1',
    ]
    pieces = re.split(r"nbgrader=\{.*\}", text.read_text(encoding="utf-8"))
    whole = "".join(piece + mark for piece, mark in zip(pieces, [*short, ""], strict=True))
    text.write_text(whole, encoding="utf-8")
    return text


def test_short_headers_build_what_nbgraders_long_ones_do(built: Path) -> None:
    before = contents(built)
    shorten_headers(built)
    assert build(built).written == []
    assert contents(built) == before


def test_jupytext_carries_short_headers_in_both_directions(built: Path, root: Path) -> None:
    shutil.copy(root / "jupytext.toml", built)
    text = shorten_headers(built)
    headers = set(re.findall("# %% .*(?:answer|test)=.*", text.read_text(encoding="utf-8")))
    build(built)
    jupytext = [sys.executable, "-m", "jupytext", "--sync", str(NOTEBOOKS[2])]

    edit(built)
    os.utime(built / NOTEBOOKS[2])
    subprocess.run(jupytext, cwd=built, check=True, capture_output=True)
    assert "Just because." in text.read_text(encoding="utf-8")
    written = re.findall("# %% .*(?:answer|test)=.*", text.read_text(encoding="utf-8"))
    assert {frozenset(line.split()) for line in written} == {frozenset(line.split()) for line in headers}

    edit_text(built, "Just because", "Simply because")
    subprocess.run(jupytext, cwd=built, check=True, capture_output=True)
    saved = read(built, "source")
    assert "Simply because." in saved.cells[-1].source
    assert [grade_id(cell) for cell in saved.cells if grade_id(cell)] == [
        *("double", "test_double", "Counter", "test_Counter", "why")
    ]


def save_in_jupyterlab(course: Path) -> None:
    """Open the source notebook as JupyterLab with jupytext does, edit its last cell, and save it."""
    manager = TextFileContentsManager(root_dir=str(course))
    model = manager.get(str(NOTEBOOKS[2]), type="notebook", content=True)
    cell = model["content"]["cells"][-1]
    cell["source"] = cell["source"].replace("Because", "Just because")
    manager.save(model, str(NOTEBOOKS[2]))


def test_notebook_saved_in_jupyterlab_keeps_headers_and_metadata(built: Path, root: Path) -> None:
    shutil.copy(root / "jupytext.toml", built)
    text = shorten_headers(built)
    build(built)
    before = text.read_text(encoding="utf-8")
    save_in_jupyterlab(built)
    assert text.read_text(encoding="utf-8") == before.replace("Because", "Just because")
    assert build(built).written == [NOTEBOOKS[2]]


def with_placeholders(course: Path) -> Path:
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


def prose(course: Path, home: str) -> str:
    return "\n".join(cell.source for cell in read(course, home).cells)


def test_placeholders_are_filled_marked_in_source_and_plain_in_a_release(course: Path) -> None:
    text = with_placeholders(course)
    released = prose(course, "release/en")
    assert "Lesson 01 of 1 · ~5 min · steps" in released
    assert "for 5 points of A function and a class." in released
    assert "5점: 수의 두 배를" in prose(course, "release/ko")
    assert 'for <span class="points">5 points</span> of' in prose(course, "source")
    assert "for {{points}} of {{tasks}}." in text.read_text(encoding="utf-8")


@pytest.mark.parametrize("way", ["sync", "jupyterlab"])
def test_placeholders_outlive_a_notebook_that_is_saved(course: Path, root: Path, way: str) -> None:
    text = with_placeholders(course)
    before, released = text.read_text(encoding="utf-8"), prose(course, "release/en")
    shutil.copy(root / "jupytext.toml", course)
    if way == "sync":
        edit(course)
        os.utime(course / NOTEBOOKS[2])
        jupytext = [sys.executable, "-m", "jupytext", "--sync", str(NOTEBOOKS[2])]
        subprocess.run(jupytext, cwd=course, check=True, capture_output=True)
    else:
        save_in_jupyterlab(course)
    assert NOTEBOOKS[2] in build(course).written
    after = text.read_text(encoding="utf-8")
    assert "Just because." in after
    assert re.findall("{{.*}}", after) == re.findall("{{.*}}", before)
    assert "<span" not in after
    assert prose(course, "release/en") == released
    assert "Just because." in prose(course, "source")


def test_points_changed_in_the_source_notebook_name_the_header_to_write(built: Path) -> None:
    text = shorten_headers(built)
    path = built / NOTEBOOKS[2]
    notebook = read(built, "source")
    notebook.cells[10].metadata["nbgrader"]["points"] = 4
    nbformat.write(notebook, path)
    with pytest.raises(
        builder.BuildError, match=r'test_Counter: .*: write test="Counter" points=4 in its header'
    ):
        build(built)
    shorter = text.read_text(encoding="utf-8").replace('"Counter" points=3', '"Counter" points=4')
    text.write_text(shorter, encoding="utf-8")
    assert NOTEBOOKS[0] in build(built).written


def test_edited_notebook_of_an_earlier_version_names_no_headers(built: Path) -> None:
    notebook = read(built, "source")
    for cell in notebook.cells:
        for mark in HEADER_MARKS:
            cell.metadata.pop(mark, None)
    notebook.cells[-1].source += " Really."
    nbformat.write(notebook, built / NOTEBOOKS[2])
    with pytest.raises(builder.BuildError) as refused:
        build(built)
    assert len(refused.value.problems) == 1


# The command line.


def test_the_command_builds_and_then_checks(run: Any) -> None:
    code, text = run("1")
    assert code == 0
    assert "wrote    release/ko/01_steps/01_steps.ipynb" in text
    assert "1 lesson: 6 files written." in text
    assert run("--check") == (0, "1 lesson: 0 stale files.\n")


def test_the_command_fails_on_stale_files(run: Any, built: Path) -> None:
    (built / TABLES[0]).write_text("other")
    assert run("--check") == (
        1, "differs  release/en/01_steps/data/points.csv\n1 lesson: 1 stale file.\n"
    )  # fmt: skip


def test_the_command_lists_every_problem(run: Any, course: Path) -> None:
    path = course / "course/01_steps/01_steps.py"
    path.write_text(path.read_text().replace(', "points": 3', "").replace('language("en")', ""))
    code, text = run()
    assert code == 1
    assert "needs points" in text
    assert "found 0 such calls" in text
    assert "Nothing was built: 2 problems." in text


def test_build_command_can_build_one_language(run: Any, course: Path) -> None:
    assert run("--lang", "ko")[0] == 0
    assert not (course / "release/en").exists()


@pytest.mark.parametrize("words", [["--lang", "fr"], ["--chek"], ["7"]])
def test_build_with_bad_arguments_prints_no_traceback(
    words: Any, course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = fails(course, words, monkeypatch, capsys)
    assert "Traceback" not in text
    assert text.strip()


def test_build_of_an_unknown_lesson_lists_the_known_ones(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fails(course, ["7"], monkeypatch, capsys) == 'There is no lesson "7"; the lessons are: 01_steps.\n'


def test_build_outside_a_course_is_refused(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not in a course directory" in fails(course.parent, [], monkeypatch, capsys)


def test_build_with_an_unloadable_config_is_refused(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "nbgrader_config.py").write_text("1 / 0")
    assert "nbgrader_config.py cannot be loaded: division by zero." in fails(course, [], monkeypatch, capsys)


def test_build_into_an_unwritable_place_is_refused(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "source").write_text("a file")
    assert "source" in fails(course, [], monkeypatch, capsys)


def fails(
    folder: Path, words: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Run a build command that must be refused, and return what it writes to stderr."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["autograder", "build", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    return capsys.readouterr().err


# This repository.


@pytest.mark.costly("it builds all ten lessons, and nothing else shows that a built one is stale")
def test_source_and_release_are_up_to_date(root: Path) -> None:
    stale = builder.build(root, find_lessons(root), check=True).stale
    assert not stale, "run `autograder build`"
