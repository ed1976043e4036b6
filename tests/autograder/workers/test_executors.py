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


def echo(job: str) -> str:
    return job


def job_source(jobs: list[Any]) -> Callable[[], Any]:
    remaining = iter(jobs)
    return lambda: next(remaining, None)


@pytest.fixture
def local_workers() -> Iterator[LocalWorkers]:
    pool = LocalWorkers(2)
    yield pool
    pool.close(kill=True)


def test_job_of_a_killed_worker_is_repeated(local_workers: LocalWorkers, tmp_path: Path) -> None:
    jobs = [tmp_path / str(number) for number in range(3)]
    results = dict(run(die_once, job_source(jobs), local_workers))
    assert set(results) == set(jobs)
    assert all("pid" in result for result in results.values())


def test_job_that_kills_twice_is_given_up_and_costs_no_other(local_workers: LocalWorkers) -> None:
    results = list(run(die_for_a, job_source(["a", "b", "c", "d"]), local_workers))
    assert {job: isinstance(result, Failed) for job, result in results} == {
        "a": True,
        "b": False,
        "c": False,
        "d": False,
    }


class ThreadWorkers:
    """Workers that are threads of this process."""

    slots = 2

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


class RecordingJobs:
    """Jobs that record which jobs are running at the end of each attempt."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.attempts: list[tuple[str, set[str]]] = []
        self.lock = threading.Lock()

    def do(self, job: str) -> Any:
        with self.lock:
            self.running.add(job)
        time.sleep(0.05)
        with self.lock:
            self.attempts.append((job, set(self.running)))
            self.running.discard(job)
            tries = [name for name, _ in self.attempts].count(job)
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
    recording_jobs = RecordingJobs()
    thread_workers = ThreadWorkers()
    jobs = ["fails", "busy", "a", "fails twice", "b", "busy once", "c", "d"]
    results = dict(run(recording_jobs.do, job_source(jobs), thread_workers))
    thread_workers.close()
    assert results == {
        "fails": Failed("broken"),
        "busy": Failed("no processor"),
        "fails twice": 3,
        "busy once": 2,
        **dict.fromkeys("abcd", 1),
    }
    tries = {job: [running for name, running in recording_jobs.attempts if name == job] for job in jobs}
    assert {job: len(tries[job]) for job in jobs[:2]} == {"fails": 3, "busy": 2}
    for job in ("fails", "busy", "fails twice", "busy once"):
        assert tries[job][-1] == {job}
    assert {job for job, _ in recording_jobs.attempts[-4:]} == {"fails", "busy", "fails twice", "busy once"}


def report_processors(seconds: float) -> set[int]:
    time.sleep(seconds)  # stay busy, so that the other worker takes the next job
    return os.sched_getaffinity(0)


@pytest.mark.whole
def test_each_worker_gets_its_own_processor_if_there_are_enough() -> None:
    all_processors = os.sched_getaffinity(0)
    for places, enough in ((len(all_processors), True), (len(all_processors) + 1, False)):
        local_workers = LocalWorkers(places)
        try:
            results = [
                processors
                for _, processors in run(report_processors, job_source([0.2] * places), local_workers)
            ]
        finally:
            local_workers.close(kill=True)
        expected = [{processor} for processor in all_processors] if enough else [all_processors] * places
        assert sorted(map(sorted, results)) == sorted(map(sorted, expected))


def test_exception_in_a_job_is_a_grader_failure(local_workers: LocalWorkers, tmp_path: Path) -> None:
    assert list(run(fail, job_source([tmp_path]), local_workers)) == [(tmp_path, Failed("ValueError: unfit"))]


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
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary_folder:  # the path of a socket must be short
        result = subprocess.run(
            [sys.executable, script],
            env=os.environ | {"TMPDIR": temporary_folder},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        pid, *files = result.stdout.split() or [result.stderr]
        assert files, pid
        for _ in range(100):
            if has_ended(int(pid)) and not os.listdir(temporary_folder):
                return
            time.sleep(0.1)
        assert has_ended(int(pid))
        assert not os.listdir(temporary_folder)


@pytest.mark.whole
def test_closing_an_unused_worker_pool_leaves_no_process() -> None:
    local_workers = LocalWorkers(1)
    server_pid = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    local_workers.close()
    assert has_ended(server_pid)
    local_workers = LocalWorkers(1)
    assert list(run(echo, job_source(["a"]), local_workers)) == [("a", "a")]
    local_workers.close()


@pytest.mark.whole
def test_other_process_with_preloaded_workers_keeps_its_exit_code() -> None:
    """Starting the server that forks workers does not change the exit code of the process that starts it."""
    code = (
        "from autograder.workers import executors, preloaded; executors._start_server(); raise SystemExit(3)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 3


def has_ended(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().split(")")[1]
    except OSError:
        return True


def print_in_wall(word: str) -> str:
    with _wall(()).candidate() as candidate:
        return candidate.load([("cell", f"print({word!r})")], timeout=30.0).cells[0].output


@pytest.mark.whole
@pytest.mark.slow  # two templates import torch
def test_workers_share_one_wall_and_replace_it_if_it_dies() -> None:
    template = start_preparations()
    outside_options, inside_options = (
        WallOptions(plain=False, hidden=["/nowhere"]),
        WallOptions(plain=False, hidden=[str(Path(pytest.__file__).parent)]),
    )
    assert template is not None
    assert template.adopt_options(outside_options)
    assert not template.adopt_options(inside_options)
    assert not template.adopt_options(WallOptions(plain=True, hidden=["/nowhere"]))
    local_workers = LocalWorkers(2, hidden=(), template=template)
    try:
        assert local_workers._template is template
        assert {output for _, output in run(print_in_wall, job_source(["a", "b"]), local_workers)} == {
            "a\n",
            "b\n",
        }
        first_template = local_workers._template
        assert len(local_workers._idle) == 2
        first_template.process.kill()
        assert not first_template.is_running(10)
        assert [output for _, output in run(print_in_wall, job_source(["c"]), local_workers)] == ["c\n"]
        assert local_workers._template is not first_template
    finally:
        local_workers.close(kill=True)
    assert not local_workers._template.is_running()


@pytest.mark.parametrize(
    ("files", "names", "expected"),
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
    files: dict[str, str], names: list[str], expected: bool, tmp_path: Path
) -> None:
    for path, content in files.items():
        (file := tmp_path / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert needs_no_torch(tmp_path / "source", names, ["hw1", "hw2"]) == expected
