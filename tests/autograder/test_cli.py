"""Tests of the command line as a person or a script uses it, with real processes and a real wall."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from autograder.build import new
from autograder.cli import AUTHORS, CLASS, STUDENTS, app
from autograder.course.file_watch import watch_file
from autograder.edition.pack import course_files
from autograder.grading.run_summary import RunSummary
from autograder.run import show_summary
from autograder.sandbox.bubblewrap import bwrap_options, bwrap_path
from autograder.sandbox.results import WallUnavailable
from autograder.terminal import err, out
from secant.language import LANGUAGES
from tests.support.lessons import save
from tests.support.small_class import STEPS, WRONG, answered, hand_in, solutions
from tests.support.small_class import run as grade
from tests.support.warm import warm

ROOT = Path(__file__).resolve().parents[2]
COLD = [sys.executable, "-c", "from autograder.cli import main; main()"]
IMPORTS = [
    *("nbgrader.apps.nbgraderapp", "nbclient", "filelock", "rich.progress", "rich.table"),
    *("sqlalchemy.dialects.sqlite", "torch.func"),
]


def test_control_characters_in_messages_are_escaped_on_the_terminal() -> None:
    odd = "a\x1b[2J\x9b1m\u202e한글"
    table = Table(odd)
    table.add_row(Text(odd))
    for console in (out, err):
        with console.capture() as captured:
            console.print(odd, style="red")
            console.print(table)
        assert captured.get().startswith(r"a\x1b[2J\x9b1m\u202e한글")
        assert not {"\x1b", "\x9b", "\u202e"} & {*captured.get()}


@pytest.fixture(scope="module")
def autograder() -> Iterator[list[str]]:
    """Provide the command that starts `autograder`; on Linux, each start is a fork of a warm process."""
    if sys.platform != "linux":
        yield COLD
        return
    with warm(IMPORTS) as python:
        yield [*python, "autograder.cli"]


@pytest.fixture
def room(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "class")
    return tmp_path / "class"


@pytest.fixture(scope="module")
def can_wall() -> None:
    """Skip the test if this machine cannot start an empty wall."""
    try:
        command = [bwrap_path(), *bwrap_options("forked", [], "en", 16), "--", sys.executable, "-c", "pass"]
    except WallUnavailable as error:
        pytest.skip(f"no wall: {error.reason}")
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no wall: {done.stderr}")


def start(command: list[str], cwd: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command, *arguments],
        cwd=cwd,
        env=os.environ | {"COLUMNS": "100"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(running: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        out, err = running.communicate(timeout=240)
    finally:
        running.kill()
    return subprocess.CompletedProcess(running.args, running.returncode, out, err)


def call(
    command: list[str], cwd: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return end(start(command, cwd, *arguments, **environment))


# --- check ------------------------------------------------------------------------------------------------


@pytest.mark.costly("the first program to start here imports torch")
def test_check_prints_a_table_and_what_failed(autograder: list[str], room: Path) -> None:
    path = save(answered(room, solutions(room) | WRONG, "ko"), room / "mine.ipynb")
    done = call(autograder, room, "check", "mine.ipynb")
    assert done.returncode == 1
    assert done.stderr == ""
    assert "수를 제곱했습니다" in done.stdout
    assert "3 / 5" in done.stdout
    assert "보내지 않았습니다" in done.stdout
    assert "--solution double" in done.stdout  # `double` is the task that failed
    assert path.exists()


@pytest.mark.whole
def test_check_of_right_answers_exits_with_0(autograder: list[str], room: Path) -> None:
    save(answered(room, solutions(room)), room / "mine.ipynb")
    done = call(autograder, room, "check", "mine.ipynb", SECANT_DATA=str(room / "data"))
    assert done.returncode == 0
    assert "nothing was sent anywhere" in done.stdout
    assert "A person grades why." in done.stdout
    assert "★ New achievement: " in done.stdout


@pytest.mark.costly("a program of its own, which imports torch")
def test_check_json_is_json_and_nothing_else(autograder: list[str], room: Path) -> None:
    noisy = answered(room, solutions(room) | WRONG)
    noisy.cells.append(nbformat.v4.new_code_cell("import os; os.write(1, b'noise'); print('noise')"))
    save(noisy, room / "mine.ipynb")
    done = call(autograder, room, "check", "--json", "mine.ipynb")
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(found) == ["lesson", "score", "max_score", "tasks"]
    assert (found["lesson"], found["score"], found["max_score"]) == (STEPS, 3.0, 5.0)
    assert [task["id"] for task in found["tasks"]] == ["double", "Counter", "why"]
    fields = {"id", "points", "max_points", "outcome", "message", "seconds"}
    assert all(set(task) == fields for task in found["tasks"])


def test_check_of_a_missing_notebook_is_refused_in_a_sentence(autograder: list[str], room: Path) -> None:
    both = [start(autograder, room, "check", *extra, "missing.ipynb") for extra in ([], ["--json"])]
    for done in map(end, both):
        assert (done.returncode, done.stdout, done.stderr) == (2, "", "There is no missing.ipynb.\n")


def test_watch_yields_once_per_finished_save(tmp_path: Path) -> None:
    file, other = tmp_path / "mine.ipynb", tmp_path / "other"
    file.write_text("1")
    acts: list[Callable[[], object]] = [
        lambda: None,
        lambda: file.write_text("12"),  # several saves in quick succession
        lambda: file.write_text("123"),
        lambda: file.write_text("1234"),
        lambda: None,
        lambda: file.unlink(),
        lambda: other.write_text("1234"),
        lambda: other.replace(file),  # editors save a file by replacing it
        lambda: None,
    ]
    found = watch_file(file, lambda: acts.pop(0)())
    next(found)
    assert len(acts) == 9
    next(found)
    assert (file.read_text(), len(acts)) == ("1234", 4)
    next(found)
    assert acts == []


def until(running: subprocess.Popen[str], words: str) -> str:
    """Return a process's output up to and including the first line that contains these words."""
    lines = []
    for line in running.stdout or ():
        lines.append(line)
        if words in line:
            break
    return "".join(lines)


@pytest.mark.whole
@pytest.mark.slow
def test_a_watched_notebook_is_checked_when_it_is_saved(room: Path) -> None:
    path = save(answered(room, {}), room / "mine.ipynb")
    with start(COLD, room, "check", "--watch", "mine.ipynb") as running:
        try:
            first = until(running, "Watching mine.ipynb")
            path.write_text("{")
            until(running, "Watching mine.ipynb")
            save(answered(room, solutions(room) | WRONG), path)
            second = until(running, "Watching mine.ipynb")
            path.touch()
            third = until(running, "Watching mine.ipynb")
            running.send_signal(signal.SIGINT)
            assert running.wait(timeout=30) == 0
            errors = running.stderr.read() if running.stderr else ""
        finally:
            running.kill()
    assert "│ double  │  0 / 2 │ not attempted" in first
    assert "double  not attempted → wrong\ndouble(" in second
    assert "you squared the number\nCounter  not attempted → passed\n1 task as before." in second
    assert "Nothing changed. 3 / 5 points." in third
    assert "the file is cut short or damaged" in errors
    assert "Traceback" not in errors


@pytest.fixture
def student(built: Path, tmp_path: Path) -> Path:
    """Return the folder of a student's notebooks in a class edition of the small course."""
    for name, data in course_files(built, LANGUAGES):
        place = tmp_path / "edition" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (tmp_path / "edition/mine").mkdir()
    return tmp_path / "edition/mine"


@pytest.mark.whole
def test_class_edition_checks_visible_tests_and_names_them_so(
    autograder: list[str], built: Path, student: Path
) -> None:
    lucky = solutions(built) | {"double": "def double(x):\n    return 6.0"}  # hidden tests would refuse this
    save(answered(built, lucky, "ko"), student / "ko.ipynb")
    for cell in (forged := answered(built, lucky | {"double": "def double(x):\n    return 5.0"})).cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "test_double":
            cell.source = "print('passed')"
    save(forged, student / "en.ipynb")
    runs = [
        start(autograder, student, "check", *words, SECANT_DATA=str(student / name))
        for name, words in {"a": ["ko.ipynb"], "b": ["en.ipynb"], "c": ["--json", "ko.ipynb"]}.items()
    ]
    korean, english, data = map(end, runs)
    assert (korean.returncode, english.returncode, data.returncode) == (0, 1, 0)
    assert re.search("double +│ +– / 2 │ 보이는 테스트 통과", korean.stdout)
    assert "과제 2개 가운데 2개가 보이는 테스트를 통과했습니다." in korean.stdout
    assert "강사가 피드백과 함께 공개합니다" in korean.stdout
    assert "why 문항은 사람이 채점합니다." in korean.stdout
    assert re.search("double +│ +– / 2 │ wrong", english.stdout)  # by the released test, not the student's
    assert "Visible tests passed in 1 of 2 tasks." in english.stdout
    assert "Only the visible tests were run." in english.stdout
    for words in (korean.stdout, english.stdout):
        assert not re.search(r"--solution|\d (points|점)|all tests|모든 테스트", words)
    found = json.loads(data.stdout)
    assert list(found) == ["lesson", "score", "max_score", "tasks", "hidden"]
    assert (found["lesson"], found["hidden"]) == (STEPS, False)
    facts = json.loads((student / "a/progress.json").read_text())["lessons"][STEPS]
    assert facts["double"]["passed"] is None
    assert facts["double"]["visible"]["points"] == 2.0
    assert facts["double"]["points"] == 0.0


def test_class_edition_refuses_solutions_even_with_give_up(
    autograder: list[str], built: Path, student: Path
) -> None:
    save(answered(built, {}), student / "mine.ipynb")
    done = call(autograder, student, "check", "--solution", "double", "--give-up", "mine.ipynb")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Your instructor releases them with the feedback." in done.stderr


@pytest.mark.whole
def test_pack_prints_the_path_of_the_edition(autograder: list[str], room: Path) -> None:
    done = call(autograder, room, "pack", "--lang", "ko", "--output", "out")
    (path,) = (room / "out").iterdir()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"out/{path.name}: 1 lesson, ")
    assert "No line of an answer" in done.stdout


def test_watch_cannot_be_combined_with_json(autograder: list[str], room: Path) -> None:
    done = call(autograder, room, "check", "--watch", "--json", "mine.ipynb")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be used with --json" in done.stderr


def test_checks_help_is_korean_where_the_course_is(room: Path) -> None:
    korean = {**os.environ, "SECANT_LANG": "ko", "PYTHONUTF8": "1", "COLUMNS": "100"}
    command = [*COLD, "check", "--help"]
    shown = subprocess.run(command, cwd=room, env=korean, capture_output=True, text=True, check=True).stdout
    assert "이 컴퓨터에서만" in shown
    english = ("Usage", "Options", "Arguments", "message", "OPTIONS", "default", "your")
    assert [word for word in english if word in shown] == []


def test_check_answers_in_the_machines_language(room: Path) -> None:
    korean = {**os.environ, "LC_ALL": "ko_KR.UTF-8", "PYTHONIOENCODING": "utf-8"}
    korean.pop("SECANT_LANG", None)
    done = subprocess.run([*COLD, "check", "7"], cwd=room, env=korean, capture_output=True, text=True)
    assert done.returncode == 2
    assert "수업 7 폴더가 없습니다" in done.stderr


@pytest.mark.whole
def test_a_worked_solution_is_shown_on_request(autograder: list[str], room: Path) -> None:
    (room / STEPS).mkdir()
    save(answered(room, {}, "ko"), room / STEPS / f"{STEPS}.ipynb")
    asks = ("check", "1", "--solution")
    data = {"SECANT_DATA": str(room / "data")}
    refused = start(autograder, room, *asks, "double", **data)  # not passed yet, and no terminal to ask in
    none = end(start(autograder, room, *asks, "x", **data))
    done = end(refused)
    assert (done.returncode, done.stdout) == (2, "")
    assert "아직 통과하지 못한 과제입니다" in done.stderr
    assert "--give-up" in done.stderr
    shown = call(autograder, room, *asks, "double", "--give-up", **data)
    assert (shown.returncode, shown.stderr) == (0, "")
    noted = json.loads((room / "data" / "progress.json").read_text())
    assert noted["lessons"][STEPS]["double"]["solution"]
    assert call(autograder, room, *asks, "double", **data).stdout == shown.stdout  # it has been shown before
    assert "def double(x):" in shown.stdout
    assert "SOLUTION" not in shown.stdout
    assert "두 배가 됩니다" in shown.stdout
    assert (none.returncode, none.stdout) == (2, "")
    assert none.stderr == 'There is no worked solution of "x". Tasks that have one: double, Counter.\n'


# --- grade ------------------------------------------------------------------------------------------------


@pytest.mark.costly("a class from the command line to the gradebook")
@pytest.mark.usefixtures("can_wall")
def test_a_class_is_graded_stopped_by_hand_and_run_again(autograder: list[str], room: Path) -> None:
    right = solutions(room)
    hand_in(room, "ann", answered(room, right))
    slow = answered(room, right)
    slow.cells.append(nbformat.v4.new_code_cell("import time; time.sleep(50)"))
    hand_in(room, "bob", slow)
    running = start(COLD, room, "grade", "--workers", "1")
    page = room / "feedback" / "ann" / STEPS / f"{STEPS}.html"
    deadline = time.monotonic() + 120
    while not page.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert said.lstrip() == "Stopped. Finished grades are kept; run the same command to continue.\n"

    peeping = answered(room, right)
    peeping.cells.append(nbformat.v4.new_code_cell(f"import os; print(os.listdir({str(room)!r}))"))
    hand_in(room, "bob", answered(room, right | WRONG, "ko"))
    hand_in(room, "eve", peeping)
    hand_in(room, "bad", "{")
    done = call(autograder, room, "grade", "--json", "results.json", "--workers", "1")
    assert done.returncode == 1, done.stderr
    assert "could not be read" in done.stdout
    assert "cut short or damaged" in " ".join(done.stdout.split())
    assert "1 note in" in done.stdout or "notes in" in done.stdout
    assert done.stdout.startswith("1 worker: ")
    assert "3 submissions graded, 1 of them earlier; 0 failed, 1 could not be read." in done.stdout
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
    again = call(autograder, room, "grade", "1", *(f"--student={name}" for name in ("ann", "bad", "bob")))
    assert "2 submissions graded, 2 of them earlier; 0 failed, 1 could not be read." in again.stdout


@pytest.mark.whole
def test_feedback_command_works_without_a_wall(autograder: list[str], room: Path) -> None:
    done = call(autograder, room, "feedback")
    assert done.returncode == 0
    assert "No submission was found in" in done.stdout
    hand_in(room, "ann", "{")
    done = call(autograder, room, "feedback", "1", "--student", "ann")
    assert done.returncode == 1
    assert "0 pages updated, 0 already up to date; 1 failed." in done.stdout
    assert f"Grade it: `autograder grade {STEPS} --student ann`" in done.stderr
    grade(room)
    page = room / "feedback" / "ann" / STEPS / f"{STEPS}.html"
    page.unlink()
    done = call(autograder, room, "feedback", PATH="")  # so that bubblewrap is not found
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 page updated, 0 already up to date; 0 failed.\n"
    assert page.is_file()
    assert call(autograder, room, "feedback", "--student", "nobody").returncode == 1


@pytest.mark.costly("a program of its own, which imports torch")
def test_grade_without_a_wall_is_refused(room: Path, tmp_path: Path) -> None:
    hand_in(room, "ann", answered(room, solutions(room)))
    (tmp_path / "sitecustomize.py").write_text(
        "import shutil\nwhich = shutil.which\n"
        "shutil.which = lambda name, *a, **k: None if name == 'bwrap' else which(name, *a, **k)\n"
    )
    anew = [sys.executable, "-m", "autograder.cli"]  # a new process, which imports sitecustomize.py
    path = os.pathsep.join(filter(None, [str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH")]))
    done = call(anew, room, "grade", "--workers", "1", PYTHONPATH=path)
    assert done.returncode == 2
    assert "bubblewrap (the program bwrap) is not installed." in done.stderr
    assert "apt install bubblewrap" in done.stderr
    assert not (room / "autograded").exists()


@pytest.mark.parametrize("command", ["grade", "feedback", "collect x.zip", "export --for moodle"])
def test_grading_on_windows_points_to_wsl(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    done = CliRunner().invoke(app, command.split())
    assert "is graded only on Linux: use WSL 2" in str(done.exception)


def test_grade_of_an_empty_class_reports_no_submission(autograder: list[str], room: Path) -> None:
    done = call(autograder, room, "grade")
    assert done.returncode == 0
    assert "No submission was found in" in done.stdout


def test_grade_of_a_student_without_submission_names_the_student(autograder: list[str], room: Path) -> None:
    done = call(autograder, room, "grade", "--student", "nobody")
    assert done.returncode == 1
    assert "No submission of student nobody was found in" in done.stdout


def test_new_command_prints_how_to_build_and_test_the_lesson(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new, "new_lesson", lambda root, name: None)
    monkeypatch.chdir(course)
    done = CliRunner().invoke(app, ["new", "12_my_lesson"])
    assert "`autograder preview 12` runs" in done.output
    assert "`make test lesson=12`" in done.output


def test_advice_follows_the_entries_it_concerns(capsys: pytest.CaptureFixture[str]) -> None:
    unread = {"ann/01_x": "The file is empty.", "bob/01_x": "The file is empty."}
    several = {"cho/01_x": "a counted"}
    show_summary(
        RunSummary(1, (0, 0), (0, 0), unread, several, {}, {"01_x": ["dan"]}, {"eve": "Rename it."}), {}
    )
    said = capsys.readouterr().out
    order = [
        said.index(word) for word in ("bob/01_x", "Ask for it again", "cho/01_x", "unknown student", "dan")
    ]
    assert order == sorted(order)


def test_summary_counts_notes_and_overruled_tasks_separately(capsys: pytest.CaptureFixture[str]) -> None:
    show_summary(RunSummary(3, (2, 1), (1, 1), {}, {}, {}, {}, {}), {})
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert said.count("needs manual grading") == 2
    assert "2 notes in 1" in said
    assert "1 overruled" in said


def test_summary_counts_how_many_students_need_which_package(capsys: pytest.CaptureFixture[str]) -> None:
    packages = {"seaborn": ["ann", "bob"], "google": ["cho"]}
    show_summary(RunSummary(3, (0, 0), (0, 0), {}, {}, {}, {}, {}, packages), {})
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "not installed here" in said
    assert "seaborn: 2 students" in said
    assert "google: 1 student" in said


def test_grade_outside_a_course_is_refused(autograder: list[str], tmp_path: Path) -> None:
    done = call(autograder, tmp_path, "grade")
    assert done.returncode == 2
    assert "not in a course directory" in done.stderr


@pytest.mark.parametrize("known", [False, True])
def test_first_scan_of_the_machine_is_announced(
    room: Path, monkeypatch: pytest.MonkeyPatch, known: bool, tmp_path: Path
) -> None:
    hand_in(room, "ann", answered(room, {}))
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "bwrap" else f"/usr/bin/{name}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if known:
        (tmp_path / "cache" / "secant").mkdir(parents=True)
        (tmp_path / "cache" / "secant" / "visible.json").touch()
    monkeypatch.chdir(room)
    done = CliRunner().invoke(app, ["grade"])
    assert ("First run on this machine" in done.output) != known
    assert "Nothing is graded without a sandbox" in str(done.exception)


def test_scheduler_option_without_distributed_installed_is_refused(autograder: list[str], room: Path) -> None:
    hand_in(room, "ann", answered(room, solutions(room)))
    (room / "distributed.py").write_text("raise ImportError")
    done = call(autograder, room, "grade", "--scheduler", "tcp://127.0.0.1:1", PYTHONPATH=str(room))
    assert done.returncode == 2
    assert "secant[scale]" in done.stderr


# --- doctor -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("can_wall")
def test_doctor_reports_that_grading_is_possible(autograder: list[str], room: Path) -> None:
    done = call(autograder, room, "doctor")
    assert done.returncode == 0, done.stdout
    assert "Grading is possible here." in done.stdout
    assert "GB a worker" in " ".join(done.stdout.split())


def test_doctor_reports_missing_bubblewrap(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "bwrap" else f"/usr/bin/{name}")
    monkeypatch.chdir(room)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 1
    assert "cannot be graded here" in done.output


def test_help_groups_every_command_by_who_uses_it() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    titles = [STUDENTS, CLASS, AUTHORS]
    assert sorted(titles, key=shown.index) == titles
    assert {command.rich_help_panel for command in app.registered_commands} == set(titles)
