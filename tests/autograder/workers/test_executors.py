"""Tests of local workers: jobs that fail or kill a worker, and processes that must end."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest

from autograder.sandbox.template import WallOptions
from autograder.workers.executors import LocalWorkers, needs_no_torch, run, start_preparations
from autograder.workers.jobs import Busy, Failed
from autograder.workers.worker import _wall


def die_once(path: Path) -> dict[str, Any]:
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"pid": os.getpid()}


def die_for_a(job: str) -> dict[str, Any]:
    if job == "a":
        os._exit(0)
    return {"pid": os.getpid()}


def fail(path: Path) -> dict[str, Any]:
    raise ValueError("unfit")


def say(job: str) -> str:
    return job


def serve(jobs: list[Any]) -> Callable[[], Any]:
    left = iter(jobs)
    return lambda: next(left, None)


@pytest.fixture
def crew() -> Iterator[LocalWorkers]:
    made = LocalWorkers(2)
    yield made
    made.close(kill=True)


def test_job_of_a_killed_worker_is_repeated(crew: LocalWorkers, tmp_path: Path) -> None:
    jobs = [tmp_path / str(number) for number in range(3)]
    found = dict(run(die_once, serve(jobs), crew))
    assert set(found) == set(jobs)
    assert all("pid" in result for result in found.values())


def test_job_that_kills_twice_is_given_up_and_costs_no_other(crew: LocalWorkers) -> None:
    found = list(run(die_for_a, serve(["a", "b", "c", "d"]), crew))
    assert {job: isinstance(result, Failed) for job, result in found} == {
        "a": True,
        "b": False,
        "c": False,
        "d": False,
    }


class Threads:
    """Workers that are threads of this process."""

    places = 2

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(2)

    def check_workers(self) -> None:
        pass

    def submit(self, work: Callable[[Any], Any], job: Any) -> Future[Any]:
        return self.pool.submit(work, job)

    def settle(self, future: Future[Any]) -> None:
        pass

    def close(self, kill: bool = False) -> None:
        self.pool.shutdown()


class Watched:
    """Jobs that record which jobs are running at the end of each attempt."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.seen: list[tuple[str, set[str]]] = []
        self.lock = threading.Lock()

    def do(self, job: str) -> Any:
        with self.lock:
            self.running.add(job)
        time.sleep(0.05)
        with self.lock:
            self.seen.append((job, set(self.running)))
            self.running.discard(job)
            tries = [name for name, _ in self.seen].count(job)
        match job:
            case "fails":
                return Failed("broken")
            case "fails twice" if tries <= 2:
                return Failed("for now")
            case "busy":
                return Busy("no processor")
            case "busy once" if tries == 1:
                return Busy("for now")
        return tries


def test_job_that_failed_twice_or_starved_is_retried_alone() -> None:
    watched = Watched()
    crew = Threads()
    jobs = ["fails", "busy", "a", "fails twice", "b", "busy once", "c", "d"]
    found = dict(run(watched.do, serve(jobs), crew))
    crew.close()
    assert found == {
        "fails": Failed("broken"),
        "busy": Failed("no processor"),
        "fails twice": 3,
        "busy once": 2,
        **dict.fromkeys("abcd", 1),
    }
    tries = {job: [others for name, others in watched.seen if name == job] for job in jobs}
    assert {job: len(tries[job]) for job in jobs[:2]} == {"fails": 3, "busy": 2}
    for job in ("fails", "busy", "fails twice", "busy once"):
        assert tries[job][-1] == {job}
    assert {job for job, _ in watched.seen[-4:]} == {"fails", "busy", "fails twice", "busy once"}


def processors(seconds: float) -> set[int]:
    time.sleep(seconds)  # so that the other worker gets the other job
    return os.sched_getaffinity(0)


@pytest.mark.whole
def test_each_worker_gets_its_own_processor_if_there_are_enough() -> None:
    everywhere = os.sched_getaffinity(0)
    for places, own in ((len(everywhere), True), (len(everywhere) + 1, False)):
        crew = LocalWorkers(places)
        try:
            found = [where for _, where in run(processors, serve([0.2] * places), crew)]
        finally:
            crew.close(kill=True)
        expected = [{one} for one in everywhere] if own else [everywhere] * places
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected))


def test_exception_in_a_job_is_a_grader_failure(crew: LocalWorkers, tmp_path: Path) -> None:
    assert list(run(fail, serve([tmp_path]), crew)) == [(tmp_path, Failed("ValueError: unfit"))]


def test_workers_for_pages_start_late_need_no_torch_and_end_with_their_parent(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys, time\n"
        "from autograder.workers.executors import LocalWorkers\n"
        "if __name__ == '__main__':\n"
        "    crew = LocalWorkers(1, pages_only=True)\n"
        "    assert not os.listdir(os.environ['TMPDIR'])\n"
        "    worker = crew._start_worker(None)\n"
        "    assert not worker.submit(eval, \"'torch' in __import__('sys').modules\").result()\n"
        "    pid = worker.submit(os.getpid).result()\n"
        "    print(pid, *os.listdir(os.environ['TMPDIR']), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:  # the path of a socket must be short
        done = subprocess.run(
            [sys.executable, script],
            env=os.environ | {"TMPDIR": temporary},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        pid, *made = done.stdout.split() or [done.stderr]
        assert made, pid
        for _ in range(100):
            if has_ended(int(pid)) and not os.listdir(temporary):
                return
            time.sleep(0.1)
        assert has_ended(int(pid))
        assert not os.listdir(temporary)


@pytest.mark.whole
def test_closing_an_unused_worker_pool_leaves_no_process() -> None:
    crew = LocalWorkers(1)
    origin = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    crew.close()
    assert has_ended(origin)
    crew = LocalWorkers(1)
    assert list(run(say, serve(["a"]), crew)) == [("a", "a")]
    crew.close()


@pytest.mark.whole
def test_other_process_with_preloaded_workers_keeps_its_exit_code() -> None:
    """A process that imports the workers' modules and starts the workers' server keeps its own exit code."""
    code = (
        "from autograder.workers import executors, preloaded; executors._start_server(); raise SystemExit(3)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 3


def has_ended(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().split(")")[1]
    except OSError:
        return True


def say_in_the_wall(word: str) -> str:
    with _wall(()).candidate() as candidate:
        return candidate.load([("cell", f"print({word!r})")], timeout=30.0).cells[0].output


@pytest.mark.whole
@pytest.mark.slow  # two templates import torch
def test_workers_share_one_wall_and_replace_it_if_it_dies() -> None:
    template = start_preparations()
    elsewhere, within = WallOptions(["/nowhere"]), WallOptions([str(Path(pytest.__file__).parent)])
    assert template is not None
    assert template.adopt_options(elsewhere)
    assert not template.adopt_options(within)
    assert not template.adopt_options(WallOptions(["/nowhere"], plain=True))
    crew = LocalWorkers(2, hidden=(), template=template)
    try:
        assert crew._template is template
        assert {found for _, found in run(say_in_the_wall, serve(["a", "b"]), crew)} == {"a\n", "b\n"}
        first = crew._template
        assert len(crew._idle) == 2
        first.process.kill()
        assert not first.is_running(10)
        assert [found for _, found in run(say_in_the_wall, serve(["c"]), crew)] == ["c\n"]
        assert crew._template is not first
    finally:
        crew.close(kill=True)
    assert not crew._template.is_running()


@pytest.mark.parametrize(
    ("written", "names", "expected"),
    [
        ({"hw1/hw1.ipynb": "import numpy", "hw1/data.csv": "torch"}, ["hw1"], True),
        ({"hw1/hw1.ipynb": "import numpy", "hw2/hw2.ipynb": "import torch"}, ["hw1"], True),
        ({"hw1/hw1.ipynb": "import numpy", "hw2/hw2.ipynb": "import torch"}, ["hw1", "hw2"], False),
        ({"hw1/hw1.ipynb": "import helper", "hw1/lib/helper.py": "import torch"}, ["hw1"], False),
        ({"hw1/hw1.ipynb": "import numpy"}, ["hw1", "01_lesson"], False),
        ({"hw1/hw1.ipynb/folder": ""}, ["hw1"], False),
    ],
    ids=["numpy", "other mentions", "mentions", "helper", "lesson", "unreadable"],
)
def test_only_assignments_that_do_not_mention_torch_need_none(
    written: dict[str, str], names: list[str], expected: bool, tmp_path: Path
) -> None:
    for path, content in written.items():
        (file := tmp_path / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert needs_no_torch(tmp_path / "source", names, ["hw1", "hw2"]) == expected
