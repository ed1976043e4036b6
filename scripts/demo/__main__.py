"""Grade a class of invented students and show what a lecturer sees: `make demo`.

Each demo deletes and recreates the class's course folder, build/demo. For a few lessons, in both languages,
the students submit solutions, recorded answers (right and wrong), and unsolved tasks. Some students try to
cheat, one copies another's answers, and some submissions are faulty.
"""

import argparse
import csv
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import v4
from rich.console import Console
from rich.progress import track
from rich.table import Table

from autograder.course.assignment import read_assignment
from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson, choose_lessons, find_lessons
from autograder.page.words import words
from autograder.report.write import page_name
from scripts.demo.people import ROWS, DemoStudent, DemoSubmission, make_students, submissions
from secant.language import escape_unencodable, language, say, terminal_language
from tests.support.lessons import copy_lessons, with_answers
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "demo"
LESSONS = ("1", "2", "3")
MARK = ".secant-demo"  # a file that marks the folder as made by a demo, so that a later demo may delete it
RESULTS, LOG = "results.json", "formgrader.log"
SETTINGS = """c = get_config()
c.CourseDirectory.course_id = "demo"
c.Exchange.root = {exchange!r}
"""
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "SECANT_DATA")

_TYPICAL = 0.6  # a typical student earns about this fraction of all points

Row = Mapping[str, Any]  # the entry of a submission in the output of `grade --json`

console = Console(highlight=False, soft_wrap=True)


class DemoError(Exception):
    """An error that ends the demo; its text is the sentence that the user sees."""


def prepare_folder(folder: Path) -> None:
    """Make the folder, or empty it if an earlier demo made it.

    Raises:
        DemoError: if the folder contains something other than a demo.
    """
    if folder.exists() and not (folder / MARK).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise DemoError(
            say(
                en=f"{folder} contains something other than a demo: choose a new folder with --folder.",
                ko=f"{folder}에는 데모가 아닌 것이 있습니다. --folder로 새 폴더를 지정해 주세요.",
            )
        )
    if folder.exists():
        shutil.rmtree(folder)
    # Only the user may read the folder; otherwise each command would warn that others can read the files.
    folder.mkdir(mode=0o700, parents=True)
    (folder / MARK).touch()


def make_course(folder: Path, lessons: Sequence[Lesson]) -> None:
    """Make a course with the lessons, and with settings that keep it out of a real class's exchange."""
    copy_lessons(lessons, folder)
    exchange = folder / "exchange"
    exchange.mkdir()  # formgrader would warn if the exchange folder did not exist
    (folder / "nbgrader_config_local.py").write_text(SETTINGS.format(exchange=str(exchange)))


def enroll(folder: Path, students: Sequence[DemoStudent]) -> None:
    """Add the students to the gradebook with the command that docs/teaching.md describes."""
    with (folder / "students.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "first_name", "last_name"])
        table.writerows([student.id, *student.name(language())] for student in students)
    command = [sys.executable, "-m", "autograder.cli", "enroll", "students.csv"]
    subprocess.run(command, cwd=folder, env=_environment(folder), check=True, stdout=subprocess.DEVNULL)


def hand_in(folder: Path, students: Sequence[DemoStudent], lessons: Sequence[Lesson]) -> None:
    """Put the notebooks of all students into submitted/."""
    assignments = {lesson.name: read_assignment(folder, lesson.name) for lesson in lessons}
    all_submissions = list(submissions(students, lessons))
    title = say(en="Handing in", ko="제출물 만들기")
    for student, lesson, submission in track(all_submissions, title, console=console, transient=True):
        lesson_folder = folder / "submitted" / student.id / lesson.name
        lesson_folder.mkdir(parents=True)
        release = assignments[lesson.name].releases[student.language]
        for name, text in _files(submission, lesson.name, release).items():
            (lesson_folder / name).write_text(text, encoding="utf-8")


def _files(submission: DemoSubmission, lesson: str, release: Any) -> dict[str, str]:
    """Return the text of each file of a submission, keyed by file name."""
    texts = [v4.writes(with_answers(release, answers)) for answers in submission.notebooks]
    names = [f"{lesson}.ipynb", f"{lesson} copy.ipynb"]
    if submission.damaged:
        texts = [text[: len(text) // 2] for text in texts]
    return dict(zip(names, texts, strict=False))


def run(folder: Path, *command: str, allowed: Sequence[int] = (0,)) -> None:
    """Run a command of the autograder in the class's folder and show its output to the user.

    Args:
        folder: the class's folder.
        command: the command's arguments after `autograder`.
        allowed: the exit codes that do not end the demo.

    Raises:
        DemoError: if the command exits with another code; the command has printed the reason.
    """
    console.print(f"$ autograder {' '.join(command)}", style="bold")
    python = [sys.executable, "-m", "autograder.cli"]
    process = subprocess.run([*python, *command], cwd=folder, env=_environment(folder))
    if process.returncode not in allowed:
        raise DemoError(say(en="The demo ends here.", ko="데모를 여기서 마칩니다."))


def _environment(folder: Path) -> dict[str, str]:
    """Return environment variables that keep commands from using the user's own settings and progress."""
    python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | dict.fromkeys(FOLDERS, str(folder / ".home")) | {"PYTHONPATH": python_path}


def tricks_table(rows: Sequence[Row], students: Sequence[DemoStudent]) -> Table:
    """Return a table of the students who tried to cheat, with the verdict and the points for each trick."""
    verdicts = words(language())
    table = Table(
        *say(en="Student|Instead of an answer|Verdict|Points", ko="학생|답 대신 낸 것|결과|점수").split("|")
    )
    tricks = {student.id: student.trick for student in students if student.trick}
    for row in rows:
        if trick := tricks.get(row["student"]):
            task = row["tasks"][0]
            points = f"{task['points']:g} / {task['max_points']:g}"
            table.add_row(row["student"], say(en=trick.en, ko=trick.ko), verdicts[task["outcome"]], points)
    return table


def typical_student(rows: Sequence[Row], students: Sequence[DemoStudent]) -> str:
    """Return the id of an honest student with right and wrong answers.

    A student whose notebook is in the user's language is preferred.
    """
    honest_students = {student.id: student for student in students if student.trick is None}

    def distance(row: Row) -> tuple[bool, float]:
        other_language = honest_students[row["student"]].language != language()
        return other_language, abs(row["score"] - _TYPICAL * row["max_score"])

    return str(
        min((row for row in rows if row["student"] in honest_students and row["max_score"]), key=distance)[
            "student"
        ]
    )


def show(pages: Sequence[Path], open_browser: bool) -> None:
    """Print the paths of the pages, and open the pages if there is a display for a browser."""
    for page in pages:
        console.print(f"  {page}")
    has_screen = sys.platform != "linux" or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    )
    if open_browser and has_screen:
        for page in pages:
            webbrowser.open(page.as_uri())  # if no browser opens, the printed path is enough


def serve(folder: Path) -> None:
    """Serve formgrader until Ctrl+C.

    Raises:
        DemoError: if formgrader did not start.
    """
    port = free_port()
    token = secrets.token_hex(16)
    settings: Mapping[str, object] = {
        "Application.log_level": "ERROR",
        "ServerApp.answer_yes": True,  # so that a single Ctrl+C ends the server
        # By default, Jupyter refuses to run as root, but in a container the user is often root.
        "ServerApp.allow_root": True,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.open_browser": False,
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    flags = [f"--{name}={value}" for name, value in settings.items()]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *flags],
        cwd=folder,
        env=_environment(folder) | {"JUPYTER_TOKEN": token},
        stdout=subprocess.DEVNULL,
        stderr=(folder / LOG).open("w"),
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that SIGTERM also ends the server
    try:
        while server.poll() is None and not _answers(port):
            time.sleep(0.1)
        if server.poll() is not None:
            raise DemoError(
                say(
                    en=f"Formgrader did not start: {folder / LOG} says why.",
                    ko=f"Formgrader를 시작하지 못했습니다. {folder / LOG}에서 이유를 확인하세요.",
                )
            )
        console.print(f"  http://127.0.0.1:{port}/formgrader?token={token}")
        console.print(
            say(
                en=f"Ctrl+C ends formgrader. To remove the class, delete {folder}.",
                ko=f"Ctrl+C를 누르면 formgrader가 끝납니다. 데모를 지우려면 {folder}를 삭제하세요.",
            )
        )
        server.wait()
    except KeyboardInterrupt:
        console.print()
    finally:
        server.terminate()
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


@dataclass(frozen=True)
class GradedClass:
    """A graded class.

    Attributes:
        students: the students.
        rows: the entries of all submissions in the output of `grade --json`.
        seconds: the time that grading took.
    """

    students: Sequence[DemoStudent]
    rows: Sequence[Row]
    seconds: float

    def rows_of(self, lesson: Lesson) -> list[Row]:
        """Return the entries of one lesson's submissions in the output of `grade --json`."""
        return [row for row in self.rows if row["lesson"] == lesson.name]


def grade_class(folder: Path, lessons: Sequence[Lesson], count: int = len(ROWS)) -> GradedClass:
    """Make the class and grade it."""
    prepare_folder(folder)
    console.print(
        say(
            en=f"Making a class of {count} students and {len(lessons)} lessons in {folder}.",
            ko=f"{folder} 폴더에 학생 {count}명이 수업 {len(lessons)}개를 듣는 학급을 만듭니다.",
        )
    )
    make_course(folder, lessons)
    students = make_students(count)
    enroll(folder, students)
    hand_in(folder, students, lessons)
    # Exit code 1 means that some submissions could not be graded. This is expected, because one student
    # of the full class submits a damaged file.
    start = time.monotonic()
    run(folder, "grade", "--json", RESULTS, allowed=(0, 1))
    seconds = time.monotonic() - start
    return GradedClass(students, json.loads((folder / RESULTS).read_bytes()), seconds)


def demonstrate(folder: Path, lessons: Sequence[Lesson], count: int) -> list[Path]:
    """Make the class, grade it, write the reports, and return the pages to show."""
    graded_class = grade_class(folder, lessons, count)
    rows = graded_class.rows_of(lessons[0])
    console.print(tricks_table(rows, graded_class.students), soft_wrap=False)
    run(folder, "report", lessons[0].name[:2], "--lang", language())
    if len(lessons) > 1:
        run(folder, "report", "--lang", language())
    console.print(
        say(
            en=f"{count} students were graded in {graded_class.seconds:.0f} s. Report and feedback:",
            ko=f"학생 {count}명을 {graded_class.seconds:.0f}초 만에 채점했습니다. 보고서와 피드백:",
        ),
        style="bold",
    )
    name = lessons[0].name
    page = folder / "feedback" / typical_student(rows, graded_class.students) / name / f"{name}.html"
    return [folder / "report" / page_name(name, language()), page]


def main() -> int:
    """Run the demo with the options from the command line and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.demo", description=__doc__)
    parser.add_argument("--folder", type=Path, default=PLACE, help="the folder for the class")
    parser.add_argument("--students", type=int, default=len(ROWS), metavar="N", help=f"1 to {len(ROWS)}")
    parser.add_argument("--lessons", nargs="+", default=LESSONS, help="lessons, by number or name")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    parser.add_argument("--no-serve", action="store_true", help="do not start formgrader")
    options = parser.parse_args()
    if not 1 <= options.students <= len(ROWS):
        parser.error(f"--students is a number from 1 to {len(ROWS)}")
    escape_unencodable()
    language(terminal_language())
    folder = options.folder.absolute()
    try:
        lessons = choose_lessons(find_lessons(ROOT), list(options.lessons))
        show(demonstrate(folder, lessons, options.students), not options.no_open)
        if not options.no_serve:
            console.print("Formgrader:", style="bold")
            serve(folder)
    except (DemoError, CourseError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
