"""Measure how long a learner waits for verdicts, compared with nbgrader's Validate in the same JupyterLab.

Both buttons are clicked and timed in a page of headless Chromium. Our button is timed until the last
requested verdict is in the panel, and nbgrader's button until its dialog is shown. Both buttons save the
notebook first. Both are clicked once before the measurement. The process that runs our checks is therefore
running when the measurement begins, while nbgrader starts a kernel for each click. The commands are timed as
a user would run them. Our command is timed twice: while the JupyterLab server is running, and without a
server. nbgrader runs only the visible tests, because a student's notebook has no others. The times are
medians, with a pause before each measurement.

    python -m benchmarks.selfcheck [--lesson NAME | --all] --json FILE
"""

import copy
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import v4
from playwright.sync_api import Page

from autograder.course.assignment import read_assignment
from autograder.course.cells import grade_id, is_answer, tasks
from autograder.course.lesson import find_lessons, read_lesson
from benchmarks.rows import parser_of, row, show
from tests.support import jupyterlab as lab
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
REST_SECONDS = 2.0  # pause in seconds before each measurement, because no learner checks again immediately
EXTENSIONS = ("autograder.service", "nbgrader.server_extensions.validate_assignment")
# A script that clicks a button and returns the seconds until the page is about to draw the frame that shows
# the result of the click.
CLICK = """async ([button, seen, wanted]) => {
  const found = [...document.querySelectorAll(button)].find(each => each.checkVisibility());
  const start = performance.now();
  found.click();
  do await new Promise(requestAnimationFrame);
  while (Boolean(document.querySelector(seen)) !== wanted);
  return (performance.now() - start) / 1000;
}"""
VALIDATE = "jp-button.validate-button, .validate-button jp-button"


def write_solved(lesson: str, folder: Path) -> Path:
    """Write the lesson's notebook with all answers filled in and return its path."""
    (lesson_source,) = [entry for entry in find_lessons(ROOT) if entry.name == lesson]
    answers = {task.id: task.answer.source for task in tasks(read_lesson(lesson_source))}
    notebook = copy.deepcopy(read_assignment(ROOT, lesson).releases["en"])
    for cell in filter(is_answer, notebook.cells):
        cell.source = answers[grade_id(cell)]
    path = folder / f"{lesson}.ipynb"
    path.write_text(v4.writes(notebook), encoding="utf-8")
    return path


def seconds(action: Callable[[], float | None], rounds: int = ROUNDS) -> float:
    """Return the median time in seconds that a function takes, with a pause before each call.

    Args:
        action: the function. If it returns a number, that number is used as the time of the call in seconds.
        rounds: the number of calls.
    """
    measured_seconds = []
    for _ in range(rounds):
        time.sleep(REST_SECONDS)
        start = time.perf_counter()
        reported_seconds = action()
        measured_seconds.append(time.perf_counter() - start if reported_seconds is None else reported_seconds)
    return statistics.median(measured_seconds)


@dataclass(frozen=True)
class Buttons:
    """The check button and the Validate button of the notebook that a page shows."""

    page: Page

    def agree(self) -> None:
        """Check the notebook for the first time and confirm that it may run.

        Secant asks for confirmation because Secant itself did not place this notebook in the folder.
        """
        self.page.locator(".secant-check:visible").first.click()
        self.page.get_by_role("button", name="Run and check").click()
        self.page.locator(".secant-row[data-outcome=passed]").first.wait_for(timeout=120_000)
        self.page.locator(".secant-panel[aria-busy=false]").wait_for()

    def check(self, task: str | None = None) -> float:
        """Click our check button for the solved notebook, or for one of its tasks.

        Return the seconds until the verdicts are shown.
        """
        button = f".secant-row[data-task={task}] .secant-buttons button" if task else ".secant-check"
        elapsed: float = self.page.evaluate(CLICK, [button, ".secant-row[data-outcome=waiting]", False])
        self.page.locator(".secant-panel[aria-busy=false]").wait_for()
        rows = self.page.locator(".secant-row")
        passed_rows = self.page.locator(".secant-row:is([data-outcome=passed], [data-outcome=manual])")
        if task is None and rows.count() != passed_rows.count():
            raise RuntimeError(f"the solution does not pass: {rows.all_inner_texts()}")
        return elapsed

    def validate(self) -> float:
        """Click nbgrader's Validate button and return the seconds until its dialog is shown."""
        elapsed: float = self.page.evaluate(CLICK, [VALIDATE, ".jp-Dialog", True])
        dialog = self.page.locator(".jp-Dialog")
        message = dialog.inner_text()
        if "Success" not in message:
            raise RuntimeError(f"nbgrader: {message}")
        dialog.get_by_role("button").last.click()
        dialog.wait_for(state="detached")
        return elapsed


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Start JupyterLab in a folder.

    Yields:
        the address of the server, and the environment variables that let commands find the server.
    """
    with tempfile.TemporaryDirectory() as config_folder:
        port = free_port()
        config = {"ServerApp": {"jpserver_extensions": dict.fromkeys(EXTENSIONS, True)}}
        Path(config_folder, "jupyter_server_config.json").write_text(json.dumps(config))
        places = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "SECANT_DATA")
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = (
            os.environ | dict.fromkeys(places, config_folder) | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"}
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *lab.SERVER_FLAGS, f"--port={port}"],
            cwd=folder,
            env=environment | {"JUPYTERLAB_WORKSPACES_DIR": f"{config_folder}/workspaces"},
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}", environment
        finally:
            process.terminate()
            process.wait(30)


def wait_for(port: int) -> None:
    """Wait until a server listens on this port of the local machine.

    Raises:
        RuntimeError: if no server listens after a minute.
    """
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the server did not start")


def command_runner(environment: dict[str, str], *words: str) -> Callable[[], None]:
    """Return a function that runs a command as a separate process with these environment variables."""

    def run() -> None:
        subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True, timeout=300)

    return run


def time_buttons(page: Page, path: Path, rounds: int) -> tuple[list[float], float, float]:
    """Return the seconds to check each task alone, to check the lesson, and to run nbgrader's Validate."""
    page.evaluate(lab.OPEN, path.name)
    page.evaluate("() => window.jupyterapp.shell.activateById('secant-panel')")
    page.locator(".secant-row").first.wait_for()
    buttons = Buttons(page)
    buttons.agree()
    buttons.check()
    buttons.validate()
    names = [task.id for task in tasks(read_assignment(ROOT, path.stem).source) if task.test is not None]
    task_seconds = [seconds(lambda name=name: buttons.check(name), rounds) for name in names]  # type: ignore[misc]
    lesson_seconds, validate_seconds = (
        seconds(buttons.check, rounds),
        seconds(buttons.validate, min(rounds, 3)),
    )
    page.evaluate(lab.DISPOSE)
    return task_seconds, lesson_seconds, validate_seconds


def rows(lesson: str, other_lessons: list[str]) -> list[dict[str, Any]]:
    """Time checks of one lesson by button and command, and of other lessons by button; return table rows."""
    results = []
    with (
        tempfile.TemporaryDirectory() as name,
        server(Path(name)) as (address, environment),
        lab.chromium() as browser,
        lab.open_lab(browser, address) as page,
    ):
        path = write_solved(lesson, Path(name))
        task_seconds, lesson_seconds, peer = time_buttons(page, path, ROUNDS)
        results.append(
            row("check button, task", statistics.median(task_seconds), "nbgrader's Validate button", peer)
        )
        results.append(row("check button, lesson", lesson_seconds, "nbgrader's Validate button", peer))
        check = [sys.executable, "-m", "autograder.cli", "check", str(path)]
        validate = [str(Path(sys.executable).parent / "nbgrader"), "validate", str(path)]
        warm_seconds = seconds(command_runner(environment, *check), 3)
        peer = seconds(command_runner(environment, *validate), 3)
        results.append(row("autograder check", warm_seconds, "nbgrader validate", peer))
        without_service = environment | {"JUPYTER_RUNTIME_DIR": str(Path(name, "none"))}
        cold_seconds = seconds(command_runner(without_service, *check), 3)
        results.append(row("autograder check, no service", cold_seconds, "nbgrader validate", peer))
        for lesson_name in other_lessons:
            number = int(lesson_name[:2])
            task_seconds, lesson_seconds, peer = time_buttons(page, write_solved(lesson_name, Path(name)), 3)
            median, slowest = statistics.median(task_seconds), max(task_seconds)
            results.append(
                row(f"check button, lesson {number}", lesson_seconds, "nbgrader's Validate button", peer)
            )
            results.append(row(f"check button, task of {number}", median, "nbgrader's Validate button", peer))
            results.append(row(f"check button, slowest task of {number}", slowest))
    return results


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--lesson", default="01_what_autograd_does", help="which lesson to check")
    parser.add_argument("--all", action="store_true", help="then also all the others")
    arguments = parser.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    names = [lesson.name for lesson in find_lessons(ROOT)]
    other_lessons = [name for name in names if name != arguments.lesson] if arguments.all else []
    show(rows(arguments.lesson, other_lessons), arguments.json)


if __name__ == "__main__":
    main()
