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
from autograder.check import CheckOutcome, show
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
from tests.support.small_class import STEPS, WRONG, answered_notebook, hand_in, solutions
from tests.support.small_class import run as grade
from tests.support.warm import warm

ROOT = Path(__file__).resolve().parents[2]
COLD_COMMAND = [sys.executable, "-c", "from autograder.cli import main; main()"]
IMPORTS = [
    *("nbgrader.apps.nbgraderapp", "nbclient", "filelock", "rich.progress", "rich.table"),
    *("sqlalchemy.dialects.sqlite", "torch.func"),
]


def test_control_characters_in_messages_are_escaped_on_the_terminal() -> None:
    text = "a\x1b[2J\x9b1m\u202e한글"
    table = Table(text)
    table.add_row(Text(text))
    for console in (out, err):
        with console.capture() as capture:
            console.print(text, style="red")
            console.print(table)
        assert capture.get().startswith(r"a\x1b[2J\x9b1m\u202e한글")
        assert not {"\x1b", "\x9b", "\u202e"} & {*capture.get()}


@pytest.fixture(scope="module")
def autograder() -> Iterator[list[str]]:
    """Provide the command that starts `autograder`; on Linux, each start is a fork of a warm process."""
    if sys.platform != "linux":
        yield COLD_COMMAND
        return
    with warm(IMPORTS) as python:
        yield [*python, "autograder.cli"]


@pytest.fixture
def course_root(built_course: Path, tmp_path: Path) -> Path:
    shutil.copytree(built_course, tmp_path / "class")
    return tmp_path / "class"


@pytest.fixture(scope="module")
def require_wall() -> None:
    """Skip the test if this machine cannot start an empty wall."""
    try:
        command = [bwrap_path(), *bwrap_options("forked", [], "en", 16), "--", sys.executable, "-c", "pass"]
    except WallUnavailable as error:
        pytest.skip(f"no wall: {error.reason}")
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        pytest.skip(f"no wall: {result.stderr}")


def start(command: list[str], cwd: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command, *arguments],
        cwd=cwd,
        env=os.environ | {"COLUMNS": "100"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        stdout, stderr = process.communicate(timeout=240)
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def call(
    command: list[str], cwd: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return finish(start(command, cwd, *arguments, **environment))


# --- check ------------------------------------------------------------------------------------------------


@pytest.mark.costly("the first program to start here imports torch")
def test_check_prints_a_table_and_what_failed(autograder: list[str], course_root: Path) -> None:
    path = save(
        answered_notebook(course_root, solutions(course_root) | WRONG, "ko"), course_root / "mine.ipynb"
    )
    result = call(autograder, course_root, "check", "mine.ipynb")
    assert result.returncode == 1
    assert result.stderr == ""
    assert "수를 제곱했습니다" in result.stdout
    assert "3 / 5" in result.stdout
    assert "보내지 않았습니다" in result.stdout
    assert "--solution double" in result.stdout  # `double` is the task that failed
    assert path.exists()


def test_check_suggests_the_solution_of_the_first_failed_task(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {"one": "passed", "two": "wrong", "three": "timed_out"}
    rows = [
        {"id": id, "outcome": outcome, "points": 0.0, "max_points": 1.0, "seconds": 0.0, "message": "why"}
        for id, outcome in outcomes.items()
    ]
    show(CheckOutcome("01_x", None, True, rows, 1.0, 3.0, None, {"achievements": []}))
    assert "--solution two" in capsys.readouterr().out


@pytest.mark.whole
def test_check_of_right_answers_exits_with_0(autograder: list[str], course_root: Path) -> None:
    save(answered_notebook(course_root, solutions(course_root)), course_root / "mine.ipynb")
    result = call(autograder, course_root, "check", "mine.ipynb", SECANT_DATA=str(course_root / "data"))
    assert result.returncode == 0
    assert "nothing was sent anywhere" in result.stdout
    assert "A person grades why." in result.stdout
    assert "★ New achievement: " in result.stdout


@pytest.mark.costly("a program of its own, which imports torch")
def test_check_json_is_json_and_nothing_else(autograder: list[str], course_root: Path) -> None:
    notebook = answered_notebook(course_root, solutions(course_root) | WRONG)
    notebook.cells.append(nbformat.v4.new_code_cell("import os; os.write(1, b'noise'); print('noise')"))
    save(notebook, course_root / "mine.ipynb")
    result = call(autograder, course_root, "check", "--json", "mine.ipynb")
    report: dict[str, Any] = json.loads(result.stdout)
    assert result.returncode == 1
    assert list(report) == ["lesson", "score", "max_score", "tasks"]
    assert (report["lesson"], report["score"], report["max_score"]) == (STEPS, 3.0, 5.0)
    assert [task["id"] for task in report["tasks"]] == ["double", "Counter", "why"]
    fields = {"id", "points", "max_points", "outcome", "message", "seconds"}
    assert all(set(task) == fields for task in report["tasks"])


def test_check_of_a_missing_notebook_is_refused_in_a_sentence(
    autograder: list[str], course_root: Path
) -> None:
    processes = [
        start(autograder, course_root, "check", *options, "missing.ipynb") for options in ([], ["--json"])
    ]
    for result in map(finish, processes):
        assert (result.returncode, result.stdout, result.stderr) == (2, "", "There is no missing.ipynb.\n")


def test_watch_yields_once_per_finished_save(tmp_path: Path) -> None:
    file, other = tmp_path / "mine.ipynb", tmp_path / "other"
    file.write_text("1")
    actions: list[Callable[[], object]] = [
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
    changes = watch_file(file, lambda: actions.pop(0)())
    next(changes)
    assert len(actions) == 9
    next(changes)
    assert (file.read_text(), len(actions)) == ("1234", 4)
    next(changes)
    assert actions == []


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """Return a process's output up to and including the first line that contains these words."""
    lines = []
    for line in process.stdout or ():
        lines.append(line)
        if text in line:
            break
    return "".join(lines)


@pytest.mark.whole
@pytest.mark.slow
def test_a_watched_notebook_is_checked_when_it_is_saved(course_root: Path) -> None:
    path = save(answered_notebook(course_root, {}), course_root / "mine.ipynb")
    with start(COLD_COMMAND, course_root, "check", "--watch", "mine.ipynb") as process:
        try:
            first = read_until(process, "Watching mine.ipynb")
            path.write_text("{")
            read_until(process, "Watching mine.ipynb")
            save(answered_notebook(course_root, solutions(course_root) | WRONG), path)
            second = read_until(process, "Watching mine.ipynb")
            path.touch()
            third = read_until(process, "Watching mine.ipynb")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0
            errors = process.stderr.read() if process.stderr else ""
        finally:
            process.kill()
    assert "│ double  │  0 / 2 │ not attempted" in first
    assert "double  not attempted → wrong\ndouble(" in second
    assert "you squared the number\nCounter  not attempted → passed\n1 task as before." in second
    assert "Nothing changed. 3 / 5 points." in third
    assert "the file is cut short or damaged" in errors
    assert "Traceback" not in errors


@pytest.fixture
def student_dir(built_course: Path, tmp_path: Path) -> Path:
    """Return the folder of a student's notebooks in a class edition of the small course."""
    for name, data in course_files(built_course, LANGUAGES):
        path = tmp_path / "edition" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "edition/mine").mkdir()
    return tmp_path / "edition/mine"


@pytest.mark.whole
def test_class_edition_runs_only_visible_tests_and_says_so(
    autograder: list[str], built_course: Path, student_dir: Path
) -> None:
    # The visible tests accept this wrong answer; hidden tests would refuse it.
    answers = solutions(built_course) | {"double": "def double(x):\n    return 6.0"}
    save(answered_notebook(built_course, answers, "ko"), student_dir / "ko.ipynb")
    for cell in (
        tampered_notebook := answered_notebook(
            built_course, answers | {"double": "def double(x):\n    return 5.0"}
        )
    ).cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "test_double":
            cell.source = "print('passed')"
    save(tampered_notebook, student_dir / "en.ipynb")
    processes = [
        start(autograder, student_dir, "check", *arguments, SECANT_DATA=str(student_dir / name))
        for name, arguments in {"a": ["ko.ipynb"], "b": ["en.ipynb"], "c": ["--json", "ko.ipynb"]}.items()
    ]
    korean, english, json_result = map(finish, processes)
    assert (korean.returncode, english.returncode, json_result.returncode) == (0, 1, 0)
    assert re.search("double +│ +– / 2 │ 보이는 테스트 통과", korean.stdout)
    assert "과제 2개 가운데 2개가 보이는 테스트를 통과했습니다." in korean.stdout
    assert "강사가 피드백과 함께 공개합니다" in korean.stdout
    assert "why 문항은 사람이 채점합니다." in korean.stdout
    assert re.search("double +│ +– / 2 │ wrong", english.stdout)  # by the released test, not the tampered one
    assert "Visible tests passed in 1 of 2 tasks." in english.stdout
    assert "Only the visible tests were run." in english.stdout
    for output in (korean.stdout, english.stdout):
        assert not re.search(r"--solution|\d (points|점)|all tests|모든 테스트", output)
    report = json.loads(json_result.stdout)
    assert list(report) == ["lesson", "score", "max_score", "tasks", "hidden"]
    assert (report["lesson"], report["hidden"]) == (STEPS, False)
    progress = json.loads((student_dir / "a/progress.json").read_text())["lessons"][STEPS]
    assert progress["double"]["passed"] is None
    assert progress["double"]["visible"]["points"] == 2.0
    assert progress["double"]["points"] == 0.0


def test_class_edition_refuses_solutions_even_with_give_up(
    autograder: list[str], built_course: Path, student_dir: Path
) -> None:
    save(answered_notebook(built_course, {}), student_dir / "mine.ipynb")
    result = call(autograder, student_dir, "check", "--solution", "double", "--give-up", "mine.ipynb")
    assert (result.returncode, result.stdout) == (2, "")
    assert "Your instructor releases them with the feedback." in result.stderr


@pytest.mark.whole
def test_pack_prints_the_path_of_the_edition(autograder: list[str], course_root: Path) -> None:
    result = call(autograder, course_root, "pack", "--lang", "ko", "--output", "out")
    (path,) = (course_root / "out").iterdir()
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"out/{path.name}: 1 lesson, ")
    assert "No line of an answer" in result.stdout


def test_watch_cannot_be_combined_with_json(autograder: list[str], course_root: Path) -> None:
    result = call(autograder, course_root, "check", "--watch", "--json", "mine.ipynb")
    assert (result.returncode, result.stdout) == (2, "")
    assert "cannot be used with --json" in result.stderr


def test_check_help_is_korean_if_secant_lang_is_ko(course_root: Path) -> None:
    environment = {**os.environ, "SECANT_LANG": "ko", "PYTHONUTF8": "1", "COLUMNS": "100"}
    command = [*COLD_COMMAND, "check", "--help"]
    help_text = subprocess.run(
        command, cwd=course_root, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "이 컴퓨터에서만" in help_text
    english_words = ("Usage", "Options", "Arguments", "message", "OPTIONS", "default", "your")
    assert [word for word in english_words if word in help_text] == []


def test_check_messages_are_in_the_language_of_the_locale(course_root: Path) -> None:
    environment = {**os.environ, "LC_ALL": "ko_KR.UTF-8", "PYTHONIOENCODING": "utf-8"}
    environment.pop("SECANT_LANG", None)
    result = subprocess.run(
        [*COLD_COMMAND, "check", "7"], cwd=course_root, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 2
    assert "수업 7 폴더가 없습니다" in result.stderr


@pytest.mark.whole
def test_a_worked_solution_is_shown_on_request(autograder: list[str], course_root: Path) -> None:
    (course_root / STEPS).mkdir()
    save(answered_notebook(course_root, {}, "ko"), course_root / STEPS / f"{STEPS}.ipynb")
    arguments = ("check", "1", "--solution")
    data = {"SECANT_DATA": str(course_root / "data")}
    # The task is not passed yet, and there is no terminal to ask in.
    process = start(autograder, course_root, *arguments, "double", **data)
    unknown_task = finish(start(autograder, course_root, *arguments, "x", **data))
    result = finish(process)
    assert (result.returncode, result.stdout) == (2, "")
    assert "아직 통과하지 못한 과제입니다" in result.stderr
    assert "--give-up" in result.stderr
    solution = call(autograder, course_root, *arguments, "double", "--give-up", **data)
    assert (solution.returncode, solution.stderr) == (0, "")
    progress = json.loads((course_root / "data" / "progress.json").read_text())
    assert progress["lessons"][STEPS]["double"]["solution"]
    # The solution has been shown before.
    assert call(autograder, course_root, *arguments, "double", **data).stdout == solution.stdout
    assert "def double(x):" in solution.stdout
    assert "SOLUTION" not in solution.stdout
    assert "두 배가 됩니다" in solution.stdout
    assert (unknown_task.returncode, unknown_task.stdout) == (2, "")
    assert (
        unknown_task.stderr == 'There is no worked solution of "x". Tasks that have one: double, Counter.\n'
    )


# --- grade ------------------------------------------------------------------------------------------------


@pytest.mark.costly("a class from the command line to the gradebook")
@pytest.mark.usefixtures("require_wall")
def test_a_class_is_graded_stopped_by_hand_and_run_again(autograder: list[str], course_root: Path) -> None:
    correct_answers = solutions(course_root)
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    slow_notebook = answered_notebook(course_root, correct_answers)
    slow_notebook.cells.append(nbformat.v4.new_code_cell("import time; time.sleep(50)"))
    hand_in(course_root, "bob", slow_notebook)
    process = start(COLD_COMMAND, course_root, "grade", "--workers", "1")
    page = course_root / "feedback" / "ann" / STEPS / f"{STEPS}.html"
    deadline = time.monotonic() + 120
    while not page.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr.lstrip() == "Stopped. Finished grades are kept; run the same command to continue.\n"

    probing_notebook = answered_notebook(course_root, correct_answers)
    probing_notebook.cells.append(
        nbformat.v4.new_code_cell(f"import os; print(os.listdir({str(course_root)!r}))")
    )
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers | WRONG, "ko"))
    hand_in(course_root, "eve", probing_notebook)
    hand_in(course_root, "bad", "{")
    result = call(autograder, course_root, "grade", "--json", "results.json", "--workers", "1")
    assert result.returncode == 1, result.stderr
    assert "could not be read" in result.stdout
    assert "cut short or damaged" in " ".join(result.stdout.split())
    assert "1 note in" in result.stdout or "notes in" in result.stdout
    assert result.stdout.startswith("1 worker: ")
    assert "3 submissions graded, 1 of them earlier; 0 failed, 1 could not be read." in result.stdout
    assert f"bad/{STEPS}: rejected:not_a_notebook" in result.stderr
    results = {row["student"]: row for row in json.loads((course_root / "results.json").read_text())}
    assert {name: row["score"] for name, row in results.items()} == {
        "ann": 5,
        "bad": 0,
        "bob": 3,
        "eve": 5,
    }
    last_cell = nbformat.read(
        course_root / "autograded" / "eve" / STEPS / f"{STEPS}.ipynb", as_version=4
    ).cells[-1]
    assert [output.ename for output in last_cell.outputs] == ["FileNotFoundError"]
    second_run = call(
        autograder, course_root, "grade", "1", *(f"--student={name}" for name in ("ann", "bad", "bob"))
    )
    assert "2 submissions graded, 2 of them earlier; 0 failed, 1 could not be read." in second_run.stdout


@pytest.mark.whole
def test_feedback_command_works_without_a_wall(autograder: list[str], course_root: Path) -> None:
    result = call(autograder, course_root, "feedback")
    assert result.returncode == 0
    assert "No submission was found in" in result.stdout
    hand_in(course_root, "ann", "{")
    result = call(autograder, course_root, "feedback", "1", "--student", "ann")
    assert result.returncode == 1
    assert "0 pages updated, 0 already up to date; 1 failed." in result.stdout
    assert f"Grade it: `autograder grade {STEPS} --student ann`" in result.stderr
    grade(course_root)
    page = course_root / "feedback" / "ann" / STEPS / f"{STEPS}.html"
    page.unlink()
    result = call(autograder, course_root, "feedback", PATH="")  # with this PATH, bubblewrap is not found
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "1 page updated, 0 already up to date; 0 failed.\n"
    assert page.is_file()
    assert call(autograder, course_root, "feedback", "--student", "nobody").returncode == 1


@pytest.mark.costly("a program of its own, which imports torch")
def test_grade_without_a_wall_is_refused(course_root: Path, tmp_path: Path) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, solutions(course_root)))
    (tmp_path / "sitecustomize.py").write_text(
        "import shutil\nwhich = shutil.which\n"
        "shutil.which = lambda name, *a, **k: None if name == 'bwrap' else which(name, *a, **k)\n"
    )
    command = [sys.executable, "-m", "autograder.cli"]  # a new process, which imports sitecustomize.py
    path = os.pathsep.join(filter(None, [str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH")]))
    result = call(command, course_root, "grade", "--workers", "1", PYTHONPATH=path)
    assert result.returncode == 2
    assert "bubblewrap (the program bwrap) is not installed." in result.stderr
    assert "apt install bubblewrap" in result.stderr
    assert not (course_root / "autograded").exists()


@pytest.mark.parametrize("command", ["grade", "feedback", "collect x.zip", "export --for moodle"])
def test_grading_on_windows_points_to_wsl(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    result = CliRunner().invoke(app, command.split())
    assert "is graded only on Linux: use WSL 2" in str(result.exception)


def test_grade_of_an_empty_class_reports_no_submission(autograder: list[str], course_root: Path) -> None:
    result = call(autograder, course_root, "grade")
    assert result.returncode == 0
    assert "No submission was found in" in result.stdout


def test_grade_of_a_student_without_submission_names_the_student(
    autograder: list[str], course_root: Path
) -> None:
    result = call(autograder, course_root, "grade", "--student", "nobody")
    assert result.returncode == 1
    assert "No submission of student nobody was found in" in result.stdout


def test_new_command_prints_how_to_build_and_test_the_lesson(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new, "new_lesson", lambda root, name: None)
    monkeypatch.chdir(course)
    result = CliRunner().invoke(app, ["new", "12_my_lesson"])
    assert "`autograder preview 12` runs" in result.output
    assert "`make test lesson=12`" in result.output


def test_advice_follows_the_entries_it_concerns(capsys: pytest.CaptureFixture[str]) -> None:
    unread = {"ann/01_x": "The file is empty.", "bob/01_x": "The file is empty."}
    several = {"cho/01_x": "a counted"}
    show_summary(
        RunSummary(1, (0, 0), (0, 0), unread, several, {}, {"01_x": ["dan"]}, {"eve": "Rename it."}), {}
    )
    output = capsys.readouterr().out
    order = [
        output.index(word) for word in ("bob/01_x", "Ask for it again", "cho/01_x", "unknown student", "dan")
    ]
    assert order == sorted(order)


def test_summary_counts_notes_and_overruled_tasks_separately(capsys: pytest.CaptureFixture[str]) -> None:
    show_summary(RunSummary(3, (2, 1), (1, 1), {}, {}, {}, {}, {}), {})
    output = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert output.count("needs manual grading") == 2
    assert "2 notes in 1" in output
    assert "1 overruled" in output


def test_summary_counts_how_many_students_need_which_package(capsys: pytest.CaptureFixture[str]) -> None:
    packages = {"seaborn": ["ann", "bob"], "google": ["cho"]}
    show_summary(RunSummary(3, (0, 0), (0, 0), {}, {}, {}, {}, {}, packages), {})
    output = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "not installed here" in output
    assert "seaborn: 2 students" in output
    assert "google: 1 student" in output


def test_grade_outside_a_course_is_refused(autograder: list[str], tmp_path: Path) -> None:
    result = call(autograder, tmp_path, "grade")
    assert result.returncode == 2
    assert "not in a course directory" in result.stderr


@pytest.mark.parametrize("cached", [False, True])
def test_first_scan_of_the_machine_is_announced(
    course_root: Path, monkeypatch: pytest.MonkeyPatch, cached: bool, tmp_path: Path
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, {}))
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "bwrap" else f"/usr/bin/{name}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if cached:
        (tmp_path / "cache" / "secant").mkdir(parents=True)
        (tmp_path / "cache" / "secant" / "visible.json").touch()
    monkeypatch.chdir(course_root)
    result = CliRunner().invoke(app, ["grade"])
    assert ("First run on this machine" in result.output) != cached
    assert "Nothing is graded without a sandbox" in str(result.exception)


def test_scheduler_option_without_distributed_installed_is_refused(
    autograder: list[str], course_root: Path
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, solutions(course_root)))
    (course_root / "distributed.py").write_text("raise ImportError")
    result = call(
        autograder, course_root, "grade", "--scheduler", "tcp://127.0.0.1:1", PYTHONPATH=str(course_root)
    )
    assert result.returncode == 2
    assert "secant[scale]" in result.stderr


# --- doctor -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("require_wall")
def test_doctor_reports_that_grading_is_possible(autograder: list[str], course_root: Path) -> None:
    result = call(autograder, course_root, "doctor")
    assert result.returncode == 0, result.stdout
    assert "Grading is possible here." in result.stdout
    assert "GB a worker" in " ".join(result.stdout.split())


def test_doctor_reports_missing_bubblewrap(course_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "bwrap" else f"/usr/bin/{name}")
    monkeypatch.chdir(course_root)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "cannot be graded here" in result.output


def test_help_groups_every_command_by_who_uses_it() -> None:
    help_text = CliRunner().invoke(app, ["--help"]).output
    titles = [STUDENTS, CLASS, AUTHORS]
    assert sorted(titles, key=help_text.index) == titles
    assert {command.rich_help_panel for command in app.registered_commands} == set(titles)
