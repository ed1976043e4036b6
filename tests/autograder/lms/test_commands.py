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
from tests.support.exports import good, moodle, write
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
def download(room: Path) -> Path:
    """Return a course folder that contains a download and tables from Moodle."""
    write(room / "download.zip", {moodle("Kim Minji", 311): good(room), moodle("Ann B", 312): "{"})
    for name, text in FILES.items():
        (room / name).write_text(text)
    return room


def call(command: list[str], room: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *words],
        cwd=room,
        env=os.environ | {"COLUMNS": "100"} | env,
        capture_output=True,
        text=True,
    )


@pytest.mark.whole
def test_every_command_in_the_lms_documentation_runs(autograder: list[str], download: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/lms.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) >= 8
    for line in lines:
        program, *words = shlex.split(line)
        assert program == ".venv/bin/autograder"
        if words[0] == "collect":  # each `collect` starts from an empty course
            for old in ("submitted", "collected"):
                shutil.rmtree(download / old, ignore_errors=True)
            shutil.copy(download / EMPTY, download / "gradebook.db")
        done = call(autograder, download, *words)
        # One notebook is damaged, and grading exits with 1 until a person has settled that.
        assert done.returncode == (1 if words[0] == "grade" else 0), f"{line}: {done.stdout}{done.stderr}"
    made = {path.name for path in (download / "exported").iterdir()}
    assert made == {
        *(f"{STEPS}.{system}.csv" for system in ("moodle", "canvas", "brightspace")),
        f"{STEPS}.moodle.feedback.zip",
    }
    assert {line["outcome"] for line in json.loads((download / "lines.json").read_text())} == {"collected"}


def test_lms_documentation_names_every_outcome() -> None:
    text = (ROOT / "docs/lms.md").read_text(encoding="utf-8")
    assert [outcome for outcome in OUTCOMES if f"| {outcome} |" not in text] == []


@pytest.mark.costly("a process of its own, which imports torch")
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_failing_lms_command_explains_itself_in_a_sentence(
    lang: str, autograder: list[str], download: Path
) -> None:
    lines = [
        ["collect", "none.zip"],
        ["collect", "submitted"],
        ["collect", "download.zip", "--from", "x"],
        ["collect", "download.zip", "--lesson", "9"],
        ["collect", "download.zip", "--roster", "download.zip"],
        ["export", "--for", "moodle"],
        ["export", "--for", "canvas", "--lesson", "1", "--fill", "roster.csv"],
        ["export", "--for", "moodle", "--lesson", "1", "--fill", "roster.csv"],
    ]
    (download / "submitted").mkdir()
    for words in lines:
        done = call(autograder, download, *words, SECANT_LANG=lang)
        assert done.returncode == 2, words
        assert done.stderr.strip()
        assert "Traceback" not in done.stderr
    assert not any((download / "submitted").iterdir())


def test_entries_that_need_attention_come_first_and_set_the_exit_code(
    autograder: list[str], download: Path
) -> None:
    (download / "roster.csv").write_text("id,name\nminji,Kim Minji\n")
    done = call(autograder, download, "collect", "download.zip", "--roster", "roster.csv")
    assert done.returncode == 1
    assert done.stdout.index("Ann B is not in the roster") < done.stdout.index("minji/")
    assert "2 lines, 1 student: 1 collected, 1 whose?." in done.stdout


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_collect_of_no_archive_exits_with_2_and_suggests_no_grading(
    lang: str, autograder: list[str], download: Path
) -> None:
    (download / "nozip.zip").write_text("no zip")
    write(download / "empty.zip", {})
    for name in ("nozip.zip", "empty.zip"):
        done = call(autograder, download, "collect", name, SECANT_LANG=lang)
        assert done.returncode == 2, done.stdout
        assert "autograder grade" not in done.stdout
    (download / "nobody.csv").write_text("id,name\nzoe,Zoe Z\n")
    done = call(autograder, download, "collect", "download.zip", "--roster", "nobody.csv")
    assert done.returncode == 1
    assert "autograder grade" not in done.stdout  # nothing was collected
    both = call(autograder, download, "collect", "nozip.zip", "download.zip", SECANT_LANG=lang)
    assert both.returncode == 1
    assert "autograder grade" in both.stdout


@pytest.mark.whole
def test_ids_that_the_gradebook_does_not_know_are_warned_of(autograder: list[str], download: Path) -> None:
    first = call(autograder, download, "collect", "download.zip")
    assert "--roster" not in first.stderr  # an empty gradebook has no ids to compare with
    shutil.copy(download / EMPTY, download / "gradebook.db")
    rows = "id,name\nminji,Kim Minji\nann,Ann B\nlee,Lee C\n"
    (download / "roster.csv").write_text(rows)
    call(autograder, download, "collect", "download.zip", "--roster", "roster.csv")
    done = call(autograder, download, "collect", "download.zip")
    assert "knows 3 students, but not 2 of the 2 in this archive (Ann_B, Kim_Minji)" in done.stderr.replace(
        "\n", " "
    )
    assert "--roster" in done.stderr
    assert done.returncode == 0
    by_roster = call(autograder, download, "collect", "download.zip", "--roster", "roster.csv")
    assert by_roster.stderr == ""


def test_a_download_unpacked_into_submitted_is_named(room: Path) -> None:
    names = ["Kim Minji_311_assignsubmission_file_", "12-34 - Kim - Oct 10, 2026 1022 AM"]
    for name in names:
        (room / "submitted" / name).mkdir(parents=True)
        (room / "submitted" / name / "x.ipynb").write_text("{}")
    (room / "submitted/kim_71_8_x.ipynb").write_text("{}")
    (room / "submitted/kim_71_8_x" / STEPS).mkdir(parents=True)  # this folder's name may be a student's id
    found = dict(unknown_folders(room / "submitted", Gradable([STEPS], []), is_exported))
    assert set(found) == {*names, "kim_71_8_x.ipynb"}
    assert all("autograder collect" in to_do for to_do in found.values())
