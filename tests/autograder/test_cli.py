"""The command line, as a person or a script uses it: real processes, a real wall."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.build import builder as build
from autograder.course.lesson import find_lessons
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.wall import Wall
from tests.support.small_class import STEPS, WRONG, answered, hand_in, solutions

ROOT = Path(__file__).resolve().parents[2]
AUTOGRADER = [sys.executable, "-c", "from autograder.cli import main; main()"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small course, built once."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "tests" / "fixtures" / "course", root / "course")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    build.build(root, find_lessons(root))
    return root


@pytest.fixture
def room(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "class")
    return tmp_path / "class"


@pytest.fixture(scope="module")
def can_wall() -> None:
    try:
        Wall().close()
        with Wall():
            pass
    except WallUnavailable as error:
        pytest.skip(f"no wall: {error.reason}")


def call(cwd: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*AUTOGRADER, *arguments],
        cwd=cwd,
        env=os.environ | {"COLUMNS": "100"} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def save(notebook: nbformat.NotebookNode, path: Path) -> Path:
    nbformat.write(notebook, path)
    return path


# --- check ------------------------------------------------------------------------------------------------


def test_check_prints_a_table_and_what_failed(room: Path) -> None:
    path = save(answered(room, solutions(room) | WRONG, "ko"), room / "mine.ipynb")
    done = call(room, "check", "mine.ipynb")
    assert done.returncode == 1
    assert done.stderr == ""
    assert "수를 제곱했습니다" in done.stdout
    assert "3 / 5" in done.stdout
    assert "보내지 않았습니다" in done.stdout
    assert path.exists()


def test_check_passes(room: Path) -> None:
    save(answered(room, solutions(room)), room / "mine.ipynb")
    done = call(room, "check", "mine.ipynb")
    assert done.returncode == 0
    assert "nothing was sent anywhere" in done.stdout


def test_check_json_is_json_and_nothing_else(room: Path) -> None:
    noisy = answered(room, solutions(room) | WRONG)
    noisy.cells.append(nbformat.v4.new_code_cell("import os; os.write(1, b'noise'); print('noise')"))
    save(noisy, room / "mine.ipynb")
    done = call(room, "check", "--json", "mine.ipynb")
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(found) == ["lesson", "score", "max_score", "tasks"]
    assert (found["lesson"], found["score"], found["max_score"]) == (STEPS, 3.0, 5.0)
    assert [task["id"] for task in found["tasks"]] == ["double", "Counter", "why"]
    fields = {"id", "points", "max_points", "outcome", "message", "seconds"}
    assert all(set(task) == fields for task in found["tasks"])


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_check_says_in_a_sentence_what_cannot_be_checked(room: Path, extra: list[str]) -> None:
    done = call(room, "check", *extra, "missing.ipynb")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "There is no missing.ipynb.\n")


# --- grade ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("can_wall")
def test_grade_a_class(room: Path) -> None:
    right = solutions(room)
    peeping = answered(room, right)
    peeping.cells.append(nbformat.v4.new_code_cell(f"import os; print(os.listdir({str(room)!r}))"))
    hand_in(room, "ann", answered(room, right))
    hand_in(room, "bob", answered(room, right | WRONG, "ko"))
    hand_in(room, "eve", peeping)
    hand_in(room, "bad", "{")
    done = call(room, "grade", "--json", "results.json", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "4 submissions graded, 0 of them before; 0 failed." in done.stdout
    assert f"bad/{STEPS}: rejected:not_a_notebook" in done.stderr
    results = {result["student"]: result for result in json.loads((room / "results.json").read_text())}
    assert {name: result["score"] for name, result in results.items()} == {
        "ann": 5,
        "bad": 0,
        "bob": 3,
        "eve": 5,
    }
    peeped = nbformat.read(room / "autograded" / "eve" / STEPS / f"{STEPS}.ipynb", as_version=4).cells[-1]
    assert [output.ename for output in peeped.outputs] == ["FileNotFoundError"]
    again = call(room, "grade", "1", "--student", "ann")
    assert "1 submission graded, 1 of them before; 0 failed." in again.stdout


@pytest.mark.usefixtures("can_wall")
def test_stopped_by_hand_and_run_again(room: Path) -> None:
    right = solutions(room)
    hand_in(room, "ann", answered(room, right))
    slow = answered(room, right)
    slow.cells.append(nbformat.v4.new_code_cell("import time; time.sleep(50)"))
    hand_in(room, "bob", slow)
    running = subprocess.Popen(
        [*AUTOGRADER, "grade", "--workers", "1"], cwd=room, stderr=subprocess.PIPE, text=True
    )
    page = room / "feedback" / "ann" / STEPS / f"{STEPS}.html"
    deadline = time.monotonic() + 120
    while not page.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert said == "Stopped. What was graded is kept; the same command goes on from here.\n"
    hand_in(room, "bob", answered(room, right))
    done = call(room, "grade", "--workers", "1")
    assert "2 submissions graded, 1 of them before; 0 failed." in done.stdout


def test_grade_without_a_wall_is_refused(room: Path, tmp_path: Path) -> None:
    hand_in(room, "ann", answered(room, solutions(room)))
    (tmp_path / "sitecustomize.py").write_text(
        "import shutil\nwhich = shutil.which\n"
        "shutil.which = lambda name, *a, **k: None if name == 'bwrap' else which(name, *a, **k)\n"
    )
    done = call(room, "grade", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "bubblewrap (the program bwrap) is not installed." in done.stderr
    assert "apt install bubblewrap" in done.stderr
    assert not (room / "autograded").exists()


def test_empty_classroom_is_said(room: Path) -> None:
    done = call(room, "grade")
    assert done.returncode == 0
    assert "Nothing was found in" in done.stdout


def test_grade_outside_of_a_course(tmp_path: Path) -> None:
    done = call(tmp_path, "grade")
    assert done.returncode == 2
    assert "not in a course directory" in done.stderr


def test_scheduler_without_distributed(room: Path) -> None:
    hand_in(room, "ann", answered(room, solutions(room)))
    (room / "distributed.py").write_text("raise ImportError")
    done = call(room, "grade", "--scheduler", "tcp://127.0.0.1:1", PYTHONPATH=str(room))
    assert done.returncode == 2
    assert "secant[scale]" in done.stderr


# --- doctor -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("can_wall")
def test_doctor(room: Path) -> None:
    done = call(room, "doctor")
    assert done.returncode == 0, done.stdout
    assert "Grading is possible here." in done.stdout


def test_doctor_without_bubblewrap(room: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import shutil\nwhich = shutil.which\n"
        "shutil.which = lambda name, *a, **k: None if name == 'bwrap' else which(name, *a, **k)\n"
    )
    done = call(room, "doctor", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "cannot be graded here" in done.stdout
