"""How long a learner waits for verdicts, beside nbgrader's Validate of the same notebook on the same server.

The button is timed from the request that it makes to the last line of the answer; nbgrader's is the request
that its Validate button makes. Both are asked of one Jupyter server that has been asked before: ours has its
worker then, nbgrader starts a kernel each time. The commands are timed as a person types them, ours with
that server running and without one. Both run every cell of the lesson; nbgrader runs the visible tests alone,
for a student's notebook has no others. The times are medians, and before each the machine has a rest.

    python -m benchmarks.selfcheck [--lesson NAME | --all] --json FILE
"""

import argparse
import copy
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import v4

from autograder.course.assignment import read_assignment
from autograder.course.cells import grade_id, is_answer, tasks
from autograder.course.lesson import find_lessons, read_lesson

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
REST_SECONDS = 2.0  # between two checks: nobody checks again at once
EXTENSIONS = ("autograder.service", "nbgrader.server_extensions.validate_assignment")


def solved(lesson: str, folder: Path) -> Path:
    """Write the lesson as a student who is done would hand it in."""
    (found,) = [entry for entry in find_lessons(ROOT) if entry.name == lesson]
    answers = {task.id: task.answer.source for task in tasks(read_lesson(found))}
    notebook = copy.deepcopy(read_assignment(ROOT, lesson).releases["en"])
    for cell in filter(is_answer, notebook.cells):
        cell.source = answers[grade_id(cell)]
    path = folder / f"{lesson}.ipynb"
    path.write_text(v4.writes(notebook), encoding="utf-8")
    return path


def seconds(do: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median wall time of doing something, after a rest each time."""
    taken = []
    for _ in range(rounds):
        time.sleep(REST_SECONDS)
        start = time.perf_counter()
        do()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


@dataclass
class Server:
    """A Jupyter server with both buttons' endpoints, and the environment in which it is found."""

    port: int
    environment: dict[str, str]

    def post(self, place: str, body: dict[str, Any]) -> list[Any]:
        """Send what a button sends; return the answer's lines."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)) as connection:
            connection.request("POST", place, json.dumps(body), {"Authorization": "token benchmark"})
            answer = connection.getresponse()
            lines = [json.loads(line) for line in answer.read().splitlines()]
            if answer.status != http.client.OK:
                raise RuntimeError(f"{place}: {answer.status} {lines}")
            return lines

    def check(self, path: Path, task: str | None = None) -> dict[str, Any]:
        """Check a solved notebook, or one task of it, and return the last event."""
        *_, end = self.post("/secant/api/check", {"path": path.name, "task": task})
        if end["event"] != "end" or end["score"] != end["max_score"]:
            raise RuntimeError(f"the solution does not pass: {end}")
        return dict(end)

    def validate(self, path: Path) -> None:
        """Have nbgrader validate it."""
        (found,) = self.post("/assignments/validate", {"path": path.name})
        if not found["success"] or "failed" in found["value"]:
            raise RuntimeError(f"nbgrader: {found}")

    def command(self, *words: str) -> Callable[[], None]:
        """A command line, run as a process of its own, that finds this server."""

        def call() -> None:
            subprocess.run(
                words, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, check=True, timeout=300
            )

        return call


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """Start one in a folder, and end it."""
    with socket.socket() as free, tempfile.TemporaryDirectory() as home:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        extensions = {name: True for name in EXTENSIONS}
        config = {"ServerApp": {"jpserver_extensions": extensions}}
        Path(home, "jupyter_server_config.json").write_text(json.dumps(config))
        places = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "SECANT_DATA")
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = os.environ | dict.fromkeys(places, home) | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"}
        flags = ["--no-browser", f"--port={port}", "--allow-root", "--IdentityProvider.token=benchmark"]
        running = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *flags],
            cwd=folder,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(port)
            yield Server(port, environment)
        finally:
            running.terminate()
            running.wait(30)


def wait_for(port: int) -> None:
    """Wait until somebody listens there."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the server did not start")


def button(running: Server, path: Path) -> tuple[float, float, list[float]]:
    """The times of a whole lesson, of nbgrader's Validate, and of each task alone."""
    running.check(path)
    running.validate(path)
    names = [task.id for task in tasks(read_assignment(ROOT, path.stem).source) if task.test is not None]
    whole = seconds(lambda: running.check(path))
    alone = [seconds(lambda name=name: running.check(path, name), 1) for name in names]  # type: ignore[misc]
    return whole, seconds(lambda: running.validate(path), 3), alone


def rows(lessons: list[str], lesson: str) -> list[dict[str, Any]]:
    """Measure, and return the rows: those of one lesson, then the others' buttons."""
    nbgrader = str(Path(sys.executable).parent / "nbgrader")
    found = []
    with tempfile.TemporaryDirectory() as name, server(Path(name)) as running:
        path = solved(lesson, Path(name))
        whole, peer, alone = button(running, path)
        found.append(row("check button, task", statistics.median(alone), "nbgrader's Validate button", peer))
        found.append(row("check button, lesson", whole, "nbgrader's Validate button", peer))
        ours = running.command(sys.executable, "-m", "autograder.cli", "check", str(path))
        warm = seconds(ours, 3)
        peer_command = seconds(running.command(nbgrader, "validate", str(path)), 3)
        found.append(row("autograder check", warm, "nbgrader validate", peer_command))
        nowhere = Server(0, running.environment | {"JUPYTER_RUNTIME_DIR": str(Path(name, "none"))})
        cold = seconds(nowhere.command(sys.executable, "-m", "autograder.cli", "check", str(path)), 3)
        found.append(row("check latency, command line", cold, "nbgrader validate", peer_command))
        for other in lessons:
            whole, peer, alone = button(running, solved(other, Path(name)))
            found.append(row(f"check button, lesson {int(other[:2])}", whole, "nbgrader's Validate", peer))
            median, most = statistics.median(alone), max(alone)
            found.append(row(f"check button, task of {int(other[:2])}", median, "nbgrader's Validate", peer))
            found.append(row(f"check button, slowest task of {int(other[:2])}", most, "", None))
    return found


def row(figure: str, ours: float, peer: str, value: float | None) -> dict[str, Any]:
    """A row; ratio says how many times better ours is."""
    ratio = None if value is None else round(value / ours, 2)
    peer_value = None if value is None else round(value, 3)
    return {
        "figure": figure,
        "ours": round(ours, 3),
        "peer": peer,
        "peer_value": peer_value,
        "ratio": ratio,
        "unit": "s",
    }


def main() -> None:
    """Measure and show; see the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    parser.add_argument("--lesson", default="01_what_autograd_does", help="which lesson to check")
    parser.add_argument("--all", action="store_true", help="then also all the others")
    arguments = parser.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    others = [lesson.name for lesson in find_lessons(ROOT)] if arguments.all else []
    found = rows(others, arguments.lesson)
    for entry in found:
        peer = f"{entry['peer']} {entry['peer_value']} s, {entry['ratio']} times" if entry["peer"] else ""
        print(f"{entry['figure']:36} {entry['ours']:.3f} s   {peer}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
