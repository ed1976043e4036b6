"""Tests of the service's code without a server: parts of messages, stored verdicts and running checks."""

import asyncio
import copy
import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from tornado.iostream import StreamClosedError

from autograder.course.assignment import Assignment
from autograder.course.cells import grade_id, tasks
from autograder.course.errors import CourseError
from autograder.exam.checked_notebook import NotebookReader
from autograder.exam.own_plain import OwnReport
from autograder.exam.own_tests import own_assignment
from autograder.exam.plain_report import Grade
from autograder.exam.report import TaskResult
from autograder.sandbox.results import WallError
from autograder.service import describe, handlers, last_verdicts, worker, worker_client
from autograder.service.running import CancellablePool, ForkedCheck, RunningCheck, Stopped, ThreadedCheck
from secant import language
from secant.progress import store
from secant.verdict import Part, Verdict
from tests.support.plain_course import HOMEWORK
from tests.support.small_class import answered_notebook, solutions

ROOT = Path(__file__).resolve().parents[3]
LESSON = "01_what_autograd_does"


def test_row_has_the_parts_of_its_verdict() -> None:
    verdict = Verdict((Part("call", "f(3)"), Part("cause", "half of it")), "half")
    row = describe.row(TaskResult("f", 0.0, 2.0, "wrong", verdict), 2)
    assert row["parts"] == [{"kind": "call", "text": "f(3)"}, {"kind": "cause", "text": "half of it"}]
    assert (row["message"], row["hints"]) == ("f(3)\n  likely cause: half of it", 2)


def test_new_edition_keeps_verdicts_and_marks_changed_tests_as_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    nbformat.write(answered_notebook(ROOT, solutions(ROOT, LESSON), "en", LESSON), tmp_path / "mine.ipynb")
    monkeypatch.chdir(ROOT)
    notebook = NotebookReader().read(tmp_path / "mine.ipynb")
    first, second, *others = (task.id for task in notebook.tasks)
    rows = [{"id": task.id, "points": 2.0, "outcome": "passed"} for task in notebook.tasks]
    last_verdicts.save(notebook, rows)
    source = copy.deepcopy(notebook.assignment.source)
    source.cells = [cell for cell in source.cells if grade_id(cell) not in (first, f"test_{first}")]
    next(cell for cell in source.cells if grade_id(cell) == f"test_{second}").source += "\nassert True"
    new_verdicts = last_verdicts.load(
        replace(notebook, assignment=replace(notebook.assignment, source=source))
    )
    assert new_verdicts is not None
    assert [row["id"] for row in new_verdicts["rows"]] == [second, *others]
    assert [row["id"] for row in new_verdicts["rows"] if row["changed"]] == [second]
    old_verdicts = last_verdicts.load(notebook)
    assert old_verdicts is not None
    # The verdicts of the notebook's old edition keep their rows.
    assert [row["id"] for row in old_verdicts["rows"]] == [first, second, *others]


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b"5", b"[" * 10**5, b"\xff", b"{}"),
        *(b'{"path": "PATH", "hidden": true, "when": "", "rows": [5]}',),
        *(b'{"path": "PATH", "hidden": true, "when": "", "rows": [{"id": "f"}]}',),
        *(b'{"path": "PATH", "hidden": true, "rows": []}', b'{"path": "PATH", "hidden": true, "when": ""}'),
    ],
)
def test_damaged_file_of_verdicts_is_ignored_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    nbformat.write(answered_notebook(ROOT, solutions(ROOT, LESSON), "en", LESSON), tmp_path / "mine.ipynb")
    monkeypatch.chdir(ROOT)
    notebook = NotebookReader().read(tmp_path / "mine.ipynb")
    rows = [{"id": notebook.tasks[0].id, "points": 2.0, "outcome": "passed"}]
    last_verdicts.save(notebook, rows)
    (file,) = tmp_path.glob("**/checks/*.json")
    file.write_bytes(damage.replace(b"PATH", os.fsencode(notebook.path)))
    assert last_verdicts.load(notebook) is None
    last_verdicts.save(notebook, rows)
    assert last_verdicts.load(notebook) is not None


class Containers:
    """A pool whose containers only record that they were killed."""

    def __init__(self) -> None:
        self.killed = threading.Event()

    def take(self) -> Any:
        return type("Container", (), {"kill": lambda _: self.killed.set()})()

    def refill(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_check_in_a_thread_is_stopped_and_the_next_waits_for_it() -> None:
    pool = Containers()
    cancellable_pool = CancellablePool(pool)
    ends: list[dict[str, Any]] = []
    started, finished = threading.Event(), threading.Semaphore(0)

    def run_endlessly(tell: Any) -> dict[str, Any]:
        cancellable_pool.take()
        started.set()
        assert pool.killed.wait(10)
        tell({"id": "never told"})
        return {}

    def run_quickly(tell: Any) -> dict[str, Any]:
        cancellable_pool.take()
        tell({"id": "told"})
        return {"score": 1.0, "max_score": 1.0}

    def finish(end: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        ends.append({**end, "rows": [row["id"] for row in rows]})
        finished.release()

    first = ThreadedCheck(run_endlessly, lambda event: None, finish)
    second = ThreadedCheck(run_quickly, lambda event: None, finish)
    first.start(cancellable_pool)
    assert started.wait(10)
    second.start(cancellable_pool)
    assert not ends
    assert first.stop()
    assert finished.acquire(timeout=10)
    assert finished.acquire(timeout=10)
    assert sorted(end["event"] for end in ends) == ["end", "stopped"]
    assert {tuple(end["rows"]) for end in ends} == {(), ("told",)}
    assert not first.stop()


def test_cancelled_pool_hands_out_no_process() -> None:
    cancellable_pool = CancellablePool(Containers())
    cancellable_pool.cancel()
    with pytest.raises(Stopped):
        cancellable_pool.take()


# --- A worker with a stand-in for the examiner ----------------------------------------------------------


class WorkerHarness:
    """A worker for a notebook with right answers.

    `messages` has the messages that the worker sends, and `examine` replaces its examiner.
    """

    def __init__(self, folder: Path, kind: type[RunningCheck]) -> None:
        self.path = folder / "mine.ipynb"
        nbformat.write(answered_notebook(ROOT, solutions(ROOT, LESSON), "en", LESSON), self.path)
        self.messages: list[dict[str, Any]] = []
        self.finished = threading.Event()
        self.examine: Callable[[Any], Any] = lambda tell: {}
        self.worker = worker.Worker(self.receive, kind)
        while self.worker._early_checks is not None:
            time.sleep(0.001)
        self.worker._pool = self.worker._pool or Containers()
        self.worker._check_runner = SimpleNamespace(
            prepare=lambda notebook: None, examine=lambda notebook, only, tell: self.examine(tell)
        )

    def receive(self, answer: dict[str, Any]) -> None:
        self.messages.append(answer)
        if answer.get("last") and "event" in answer:
            self.finished.set()

    def order(self, do: str, **options: Any) -> list[dict[str, Any]]:
        """Give the worker an order and return everything that it has sent since it started."""
        location = {"path": str(self.path), "below": str(self.path.parent), "agree": True}
        self.worker.execute({"id": 1, "do": do, **location, **options})
        return self.messages


@pytest.fixture
def harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[WorkerHarness]:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(worker, "WarmPool", Containers)
    monkeypatch.setattr(worker.Worker, "_import_examiner", lambda self: None)
    old_language = language()
    yield WorkerHarness(tmp_path, request.param)
    language(old_language)


def task_row(task: str, outcome: str = "passed") -> dict[str, Any]:
    points = 2.0 if outcome == "passed" else 0.0
    return {"id": task, "points": points, "max_points": 2.0, "outcome": outcome, "message": ""}


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
@pytest.mark.parametrize("end", ["stopped", "error", "closed"])
def test_verdicts_before_an_early_end_of_a_check_are_kept(harness: WorkerHarness, end: str) -> None:
    task = list(solutions(ROOT, LESSON))[1]
    row_sent = threading.Event()

    def examine(tell: Any) -> dict[str, Any]:
        tell(task_row(task))
        row_sent.set()
        if end == "error":
            raise WallError("no room")
        while True:
            harness.worker._pool.take()  # raises an error once the check is stopped
            time.sleep(0.01)

    harness.examine = examine
    harness.order("check", task=None)
    assert row_sent.wait(10)
    if end == "stopped":
        harness.order("stop")
    elif end == "closed":  # as when the server ends
        harness.worker.close()
        assert harness.finished.is_set()
    assert harness.finished.wait(10)
    event = [answer for answer in harness.messages if "event" in answer][-1]["event"]
    assert event["event"] == ("error" if end == "error" else "stopped")
    assert event["gained"]["xp"] == 24
    progress = store.read()
    assert [name for name, state in progress["lessons"][LESSON].items() if state["passed"]] == [task]
    assert progress["last"] is not None
    assert progress["last"]["task"] is None  # a check of the whole lesson leads to its first open task
    assert "whole_lesson" not in progress["earned"]
    last = harness.order("lesson")[-1]["ok"]["last"]
    assert [(row["id"], row["changed"]) for row in last["rows"]] == [(task, False)]


@pytest.mark.parametrize("harness", [ForkedCheck, ThreadedCheck], indirect=True)
def test_check_without_room_for_a_fork_is_refused_and_leaves_no_process(
    harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_fork(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def fail_to_start_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    descriptors_before = os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else []
    with monkeypatch.context() as patch:
        patch.setattr(os, "fork", fail_to_fork, raising=False)
        patch.setattr(threading.Thread, "start", fail_to_start_thread)
        for _ in range(2):
            *_, begin, end = harness.order("check", task=None)
            assert (begin["event"]["event"], end["last"]) == ("begin", True)
            assert end["event"]["event"] == "error"
            assert "could not start another process" in end["event"]["message"]
        assert harness.order("stop")[-1]["ok"] == {"stopped": False}
    assert not os.path.exists("/proc/self/fd") or len(os.listdir("/proc/self/fd")) == len(descriptors_before)
    harness.finished.clear()
    harness.examine = lambda tell: {"score": 0.0, "max_score": 10.0}
    harness.order("check", task=None)
    assert harness.finished.wait(10)
    assert harness.messages[-1]["event"]["event"] == "end"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("harness", [ForkedCheck], indirect=True)
def test_a_check_whose_thread_cannot_start_leaves_no_process(
    harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_start_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    pids: list[int] = []
    real_fork = os.fork

    def recording_fork() -> int:
        pids.append(real_fork())
        return pids[-1]

    harness.examine = lambda tell: time.sleep(60)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fork", recording_fork)
        patch.setattr(threading.Thread, "start", fail_to_start_thread)
        end = harness.order("check", task=None)[-1]
    assert end["event"]["event"] == "error"
    (pid,) = pids
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
def test_damaged_tests_are_refused_before_a_check_begins(harness: WorkerHarness) -> None:
    def raise_course_error(notebook: Any) -> None:
        raise CourseError("the tests are damaged")

    harness.worker._check_runner.prepare = raise_course_error
    assert harness.order("check", task=None) == [
        {"id": 1, "last": True, "refused": 422, "message": "the tests are damaged"}
    ]


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
def test_worker_survives_an_error_with_one_notebook(
    harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def raise_error(_: object) -> None:
        raise KeyError("of ours")

    with monkeypatch.context() as patch:
        patch.setattr(describe, "tasks_of", raise_error)
        answer = harness.order("lesson")[-1]
    assert (answer["refused"], answer["last"]) == (500, True)
    assert "KeyError" in capsys.readouterr().err
    assert harness.order("lesson")[-1]["ok"]["lesson"] == LESSON


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
def test_notebook_with_hostile_metadata_is_still_described_as_json(harness: WorkerHarness) -> None:
    """Infinite points are not valid JSON, and a lone surrogate cannot be encoded as text."""
    notebook = nbformat.read(harness.path, 4)
    for cell in notebook.cells:
        if marks := cell.metadata.get("nbgrader"):
            marks |= {"grade_id": f"{marks.grade_id}\ud800", "points": 1e308}
    harness.path.write_text(json.dumps(notebook))
    answer = harness.order("lesson")[-1]
    json.dumps(answer, allow_nan=False).encode()
    assert answer["last"]
    own_tests = own_assignment(harness.path)
    assert isinstance(own_tests, Assignment)
    json.dumps(sum([task.points for task in tasks(own_tests.source)]), allow_nan=False)


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
def test_notebook_with_ordinary_tests_is_described_as_such(harness: WorkerHarness) -> None:
    nbformat.write(HOMEWORK, harness.path)
    answer = harness.order("lesson")[-1]["ok"]
    assert answer == {"plain": True, "name": harness.path.name, "agreed": False}
    for order in ("check", "hint", "solution"):  # these orders need a lesson of the course
        refusal = harness.order(order, task="determinant", number=1)[-1]
        assert refusal["refused"] == 415
        assert f"`autograder check {harness.path.name}` runs the visible ones" in refusal["message"]


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
def test_ordinary_tests_run_once_agreed_one_run_at_a_time_and_earn_nothing(harness: WorkerHarness) -> None:
    nbformat.write(HOMEWORK, harness.path)
    may_end = threading.Event()

    def run(notebook: Path, below: Path, tell: Any) -> dict[str, Any]:
        assert (notebook, below) == (harness.path, harness.path.parent)
        tell({"kind": "test", "id": "t", "outcome": "no_error"})
        assert may_end.wait(10)
        return {"said": "This is no grade."}

    harness.worker._check_runner = SimpleNamespace(run_plain=run)
    assert harness.order("check", plain=True, agree=False)[-1]["refused"] == 428
    harness.order("check", plain=True)
    assert harness.order("check", plain=True)[-1]["refused"] == 409
    may_end.set()
    assert harness.finished.wait(10)
    begin, row, end = (answer["event"] for answer in harness.messages if "event" in answer)
    assert begin == {"event": "begin", "plain": True}
    assert row["task"]["id"] == "t"
    assert (end.pop("seconds") >= 0, end) == (True, {"event": "end", "said": "This is no grade."})
    assert store.read()["lessons"] == {}
    assert harness.order("lesson")[-1]["ok"]["agreed"] is True


def test_rows_of_ordinary_tests_keep_claims_of_the_process_apart() -> None:
    claims = {
        "error": "E\u202e",
        "message": "x\x1b[31m",
        "output": '{"event": "end", "said": "All right."}\n',
    }
    failed_grade, crashed_grade = (
        Grade("t", 0.0, 2.0, outcome, **claims) for outcome in ("failed", "crashed")
    )
    report = OwnReport("hw.ipynb", [failed_grade, crashed_grade], [Grade("why", None, 3.0, "manual")], [], 0)
    first, second, manual = describe.plain_rows(report)
    assert (first["said"], first["error"], first["message"]) == ("", "E\\u202e", "x\\x1b[31m")
    assert first["output"] == claims["output"].rstrip()
    assert (second["error"], second["message"]) == ("", "")
    assert second["said"].startswith("The Python process ended")
    assert manual == {"kind": "manual", "id": "why", "max_points": 3.0}
    assert describe.plain_end(report)["said"].startswith("0 of 2 visible tests in this notebook")


@pytest.mark.parametrize("harness", [ThreadedCheck], indirect=True)
def test_check_during_the_import_of_torch_blocks_no_request(
    harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = threading.Event()
    monkeypatch.setattr(worker.Worker, "_import_examiner", lambda self: ready.wait(10))
    harness.worker._early_checks = []
    threading.Thread(target=harness.worker._prepare, daemon=True).start()
    assert harness.order("check", task=None) == [{"id": 1, "event": {"event": "waits"}}]
    assert harness.order("check", task=None)[-1]["refused"] == 409
    assert harness.order("lesson")[-1]["ok"]["lesson"] == LESSON
    *_, stop_event, stop_answer = harness.order("stop")
    assert (stop_event["event"], stop_answer["ok"]) == ({"event": "stopped"}, {"stopped": True})
    message_count = len(harness.order("check", task=None))
    ready.set()
    order = harness.worker._orders.get(timeout=10)
    harness.worker.execute(order)
    assert harness.finished.wait(10)
    assert harness.messages[message_count]["event"]["event"] == "begin"


@pytest.mark.parametrize(
    ("setting", "seconds"), [("", 600), ("0.5", 30), ("0", None), ("-1", 600), ("nan", 600), ("soon", 600)]
)
def test_idle_timeout_of_a_worker_is_configurable(
    setting: str, seconds: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert worker._idle_seconds(setting) == seconds
    assert (f"SECANT_IDLE_MINUTES is {setting!r}" in capsys.readouterr().err) == (
        setting in ("-1", "nan", "soon")
    )


# --- A worker that does not answer ----------------------------------------------------------------------

_STUCK_CODE = """
import re

def stuck(*_):  # in C, where no thread of Python's gets a turn
    re.match("(a+)+$", "a" * 60 + "b")
"""
_FAKE_WORKER = (
    _STUCK_CODE
    + """
import json, os, sys
for line in sys.stdin:
    order = json.loads(line)
    if order["do"] == "stick":
        stuck()
    print(json.dumps({"id": order["id"], "last": True, "pid": os.getpid()}), flush=True)
"""
)


def test_an_order_without_an_answer_ends_the_worker_and_others_are_answered_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_client, "_WORKER", [sys.executable, "-c", _FAKE_WORKER])
    monkeypatch.setattr(worker_client, "ANSWER_SECONDS", 1.0)
    client = worker_client.WorkerClient(str(tmp_path))

    async def send_orders() -> list[Any]:
        first_answer = await client.ask({"do": "lesson"})
        stuck_answer = asyncio.ensure_future(client.ask({"do": "stick"}))
        await asyncio.sleep(0.5)
        next_answer = asyncio.ensure_future(client.ask({"do": "lesson"}))
        return [first_answer["pid"], await stuck_answer, (await next_answer)["pid"]]

    first_pid, stuck_answer, second_pid = asyncio.run(send_orders())
    client.close()
    assert stuck_answer == worker_client.WORKER_EXITED
    assert first_pid != second_pid
    with pytest.raises(ProcessLookupError):
        os.kill(first_pid, 0)


def test_a_worker_that_is_busy_for_ever_ends_with_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_client, "_WORKER", [sys.executable, "-c", _FAKE_WORKER])
    monkeypatch.setattr(worker_client, "_EXIT_SECONDS", 0.2)
    client = worker_client.WorkerClient(str(tmp_path))

    async def begin() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.ask({"do": "stick"}), 0.5)

    asyncio.run(begin())
    process = client._process
    assert process is not None
    client.close()
    assert process.wait(5) == -signal.SIGKILL


@pytest.mark.whole
@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="Windows: there the server alone ends it")
def test_the_kernel_ends_a_worker_whose_server_was_killed_while_it_was_stuck() -> None:
    code = f"""{_STUCK_CODE}
from autograder.service import worker
worker.ORDER_SECONDS = 1
worker.Worker._import_examiner = lambda self: None
worker.Worker._answer_query = stuck
worker.main()
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    order = {"id": 1, "do": "lesson", "path": "x", "below": "/"}
    process.communicate(json.dumps(order).encode() + b"\n", timeout=60)  # this also closes the worker's input
    assert process.returncode == -signal.SIGALRM


# --- A check's answers on their way to the page ---------------------------------------------------------


def test_page_closed_during_a_check_stops_reading_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for the worker's next answer any more when the stream of answers is closed."""
    monkeypatch.setattr(handlers, "_HEARTBEAT_SECONDS", 0.01)
    chunks: list[str] = []

    async def flush() -> None:
        if chunks[-1] == " ":
            raise StreamClosedError

    async def answers() -> Any:
        yield {"event": {"event": "begin"}}
        await asyncio.Event().wait()

    async def check_and_leave() -> None:
        answer_stream = answers()
        page: Any = SimpleNamespace(write=chunks.append, flush=flush)
        with pytest.raises(StreamClosedError):
            await handlers.Check._stream(page, await anext(answer_stream), answer_stream)
        await answer_stream.aclose()

    asyncio.run(check_and_leave())
    assert chunks[-1] == " "
