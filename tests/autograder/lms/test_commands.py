"""Tests of `autograder collect` and `export` as users type them, and of all commands in docs/lms.md."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.find_assignments import Gradable
from autograder.grading.run_summary import unknown_folders
from autograder.lms.attempts import OUTCOMES
from autograder.lms.filenames import is_exported
from tests.support.exports import moodle, solved_notebook, write
from tests.support.lessons import ROOT
from tests.support.small_class import EMPTY, STEPS
from tests.support.warm import warm

#: Modules of other packages that these commands import; none of these modules needs torch.
IMPORTS = [
    "nbgrader.apps.nbgraderapp",
    "filelock",
    "rich.table",
    "sqlalchemy.dialects.sqlite",
]
FILES = {
    "roster.csv": "id,name\nminji,Kim Minji\nann,Ann B\n",
    "worksheet.csv": "Identifier,Full name,Grade,Last modified (grade)\nParticipant 311,Kim Minji,,-\n",
    "gradebook.csv": "Student,ID,SIS Login ID,Section,Homework 1 (7)\nKim Minji,9,minji,A,\n",
}


@pytest.fixture(scope="module")
def autograder() -> Iterator[list[str]]:
    if sys.platform != "linux":
        yield [sys.executable, "-m", "autograder.cli"]
        return
    with warm(IMPORTS) as python:
        yield [*python, "autograder.cli"]


@pytest.fixture
def course_with_download(course_root: Path) -> Path:
    """Return a course folder that contains a download and tables from Moodle."""
    write(
        course_root / "download.zip",
        {moodle("Kim Minji", 311): solved_notebook(course_root), moodle("Ann B", 312): "{"},
    )
    for name, text in FILES.items():
        (course_root / name).write_text(text)
    return course_root


def call(
    command: list[str], course_root: Path, *arguments: str, **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *arguments],
        cwd=course_root,
        env=os.environ | {"COLUMNS": "100"} | env,
        capture_output=True,
        text=True,
    )


@pytest.mark.whole
def test_every_command_in_the_lms_documentation_runs(
    autograder: list[str], course_with_download: Path
) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/lms.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) >= 8
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == ".venv/bin/autograder"
        if arguments[0] == "collect":  # each `collect` starts from an empty course
            for folder in ("submitted", "collected"):
                shutil.rmtree(course_with_download / folder, ignore_errors=True)
            shutil.copy(course_with_download / EMPTY, course_with_download / "gradebook.db")
        result = call(autograder, course_with_download, *arguments)
        # One notebook is damaged, so `autograder grade` exits with 1 until a person has decided about it.
        assert result.returncode == (1 if arguments[0] == "grade" else 0), (
            f"{line}: {result.stdout}{result.stderr}"
        )
    names = {path.name for path in (course_with_download / "exported").iterdir()}
    assert names == {
        *(f"{STEPS}.{system}.csv" for system in ("moodle", "canvas", "brightspace")),
        f"{STEPS}.moodle.feedback.zip",
    }
    assert {line["outcome"] for line in json.loads((course_with_download / "lines.json").read_text())} == {
        "collected"
    }


def test_lms_documentation_names_every_outcome() -> None:
    text = (ROOT / "docs/lms.md").read_text(encoding="utf-8")
    assert [outcome for outcome in OUTCOMES if f"| {outcome} |" not in text] == []


@pytest.mark.costly("a process of its own, which imports torch")
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_failing_lms_command_explains_itself_in_a_sentence(
    lang: str, autograder: list[str], course_with_download: Path
) -> None:
    commands = [
        ["collect", "none.zip"],
        ["collect", "submitted"],
        ["collect", "download.zip", "--from", "x"],
        ["collect", "download.zip", "--lesson", "9"],
        ["collect", "download.zip", "--roster", "download.zip"],
        ["export", "--for", "moodle"],
        ["export", "--for", "canvas", "--lesson", "1", "--fill", "roster.csv"],
        ["export", "--for", "moodle", "--lesson", "1", "--fill", "roster.csv"],
    ]
    (course_with_download / "submitted").mkdir()
    for arguments in commands:
        result = call(autograder, course_with_download, *arguments, SECANT_LANG=lang)
        assert result.returncode == 2, arguments
        assert result.stderr.strip()
        assert "Traceback" not in result.stderr
    assert not any((course_with_download / "submitted").iterdir())


def test_entries_that_need_attention_come_first_and_set_the_exit_code(
    autograder: list[str], course_with_download: Path
) -> None:
    (course_with_download / "roster.csv").write_text("id,name\nminji,Kim Minji\n")
    options = ["--roster", "roster.csv", "--json", "lines.json"]
    result = call(autograder, course_with_download, "collect", "download.zip", *options)
    assert result.returncode == 1
    lines = json.loads((course_with_download / "lines.json").read_text())
    assert [line["outcome"] for line in lines] == ["collected", "whose?"]
    assert result.stdout.index("Ann B is not in the roster") < result.stdout.index("minji/")
    assert "2 lines, 1 student: 1 collected, 1 whose?." in result.stdout


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_collect_of_no_archive_exits_with_2_and_suggests_no_grading(
    lang: str, autograder: list[str], course_with_download: Path
) -> None:
    (course_with_download / "nozip.zip").write_text("no zip")
    write(course_with_download / "empty.zip", {})
    for name in ("nozip.zip", "empty.zip"):
        result = call(autograder, course_with_download, "collect", name, SECANT_LANG=lang)
        assert result.returncode == 2, result.stdout
        assert "autograder grade" not in result.stdout
    (course_with_download / "nobody.csv").write_text("id,name\nzoe,Zoe Z\n")
    result = call(autograder, course_with_download, "collect", "download.zip", "--roster", "nobody.csv")
    assert result.returncode == 1
    assert "autograder grade" not in result.stdout  # nothing was collected
    mixed_result = call(
        autograder, course_with_download, "collect", "nozip.zip", "download.zip", SECANT_LANG=lang
    )
    assert mixed_result.returncode == 1
    assert "autograder grade" in mixed_result.stdout


@pytest.mark.whole
def test_ids_unknown_to_the_gradebook_cause_a_warning(
    autograder: list[str], course_with_download: Path
) -> None:
    first = call(autograder, course_with_download, "collect", "download.zip")
    assert "--roster" not in first.stderr  # an empty gradebook has no ids to compare with
    shutil.copy(course_with_download / EMPTY, course_with_download / "gradebook.db")
    rows = "id,name\nminji,Kim Minji\nann,Ann B\nlee,Lee C\n"
    (course_with_download / "roster.csv").write_text(rows)
    call(autograder, course_with_download, "collect", "download.zip", "--roster", "roster.csv")
    result = call(autograder, course_with_download, "collect", "download.zip")
    assert "knows 3 students, but not 2 of the 2 in this archive (Ann_B, Kim_Minji)" in result.stderr.replace(
        "\n", " "
    )
    assert "--roster" in result.stderr
    assert result.returncode == 0
    roster_result = call(
        autograder, course_with_download, "collect", "download.zip", "--roster", "roster.csv"
    )
    assert roster_result.stderr == ""


def test_a_download_unpacked_into_submitted_is_named(course_root: Path) -> None:
    names = ["Kim Minji_311_assignsubmission_file_", "12-34 - Kim - Oct 10, 2026 1022 AM"]
    for name in names:
        (course_root / "submitted" / name).mkdir(parents=True)
        (course_root / "submitted" / name / "x.ipynb").write_text("{}")
    (course_root / "submitted/kim_71_8_x.ipynb").write_text("{}")
    # This folder is not reported, because its name may be a student's id.
    (course_root / "submitted/kim_71_8_x" / STEPS).mkdir(parents=True)
    advice = dict(unknown_folders(course_root / "submitted", Gradable([STEPS], []), is_exported))
    assert set(advice) == {*names, "kim_71_8_x.ipynb"}
    assert all("autograder collect" in text for text in advice.values())
