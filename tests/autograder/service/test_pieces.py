"""Tests of the service's parts without a server: parts of messages, last verdicts and running checks."""

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
from autograder.service.running import CancellablePool, Forked, Running, Stopped, Threaded
from secant import language
from secant.progress import store
from secant.verdict import Part, Verdict
from tests.support.plain_course import HOMEWORK
from tests.support.small_class import answered, solutions

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
    nbformat.write(answered(ROOT, solutions(ROOT, LESSON), "en", LESSON), tmp_path / "mine.ipynb")
    monkeypatch.chdir(ROOT)
    notebook = NotebookReader().read(tmp_path / "mine.ipynb")
    first, second, *others = (task.id for task in notebook.tasks)
    rows = [{"id": task.id, "points": 2.0, "outcome": "passed"} for task in notebook.tasks]
    last_verdicts.save(notebook, rows)
    source = copy.deepcopy(notebook.assignment.source)
    source.cells = [cell for cell in source.cells if grade_id(cell) not in (first, f"test_{first}")]
    next(cell for cell in source.cells if grade_id(cell) == f"test_{second}").source += "\nassert True"
    found = last_verdicts.load(replace(notebook, assignment=replace(notebook.assignment, source=source)))
    assert found is not None
    assert [row["id"] for row in found["rows"]] == [second, *others]
    assert [row["id"] for row in found["rows"] if row["changed"]] == [second]
    before = last_verdicts.load(notebook)
    assert before is not None
    assert [row["id"] for row in before["rows"]] == [first, second, *others]  # the old edition keeps its rows


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
    nbformat.write(answered(ROOT, solutions(ROOT, LESSON), "en", LESSON), tmp_path / "mine.ipynb")
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
    leash = CancellablePool(pool)
    ends: list[dict[str, Any]] = []
    begun, over = threading.Event(), threading.Semaphore(0)

    def endless(tell: Any) -> dict[str, Any]:
        leash.take()
        begun.set()
        assert pool.killed.wait(10)
        tell({"id": "never told"})
        return {}

    def quick(tell: Any) -> dict[str, Any]:
        leash.take()
        tell({"id": "told"})
        return {"score": 1.0, "max_score": 1.0}

    def finish(end: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        ends.append({**end, "rows": [row["id"] for row in rows]})
        over.release()

    first = Threaded(endless, lambda event: None, finish)
    second = Threaded(quick, lambda event: None, finish)
    first.start(leash)
    assert begun.wait(10)
    second.start(leash)
    assert not ends
    assert first.stop()
    assert over.acquire(timeout=10)
    assert over.acquire(timeout=10)
    assert sorted(end["event"] for end in ends) == ["end", "stopped"]
    assert {tuple(end["rows"]) for end in ends} == {(), ("told",)}
    assert not first.stop()


def test_cancelled_pool_hands_out_no_process() -> None:
    leash = CancellablePool(Containers())
    leash.cancel()
    with pytest.raises(Stopped):
        leash.take()


# --- A worker with a stand-in for the examiner ----------------------------------------------------------


class Ordered:
    """A worker for a notebook with right answers.

    `heard` has the messages that the worker sends, and `examine` replaces its examiner.
    """

    def __init__(self, folder: Path, kind: type[Running]) -> None:
        self.path = folder / "mine.ipynb"
        nbformat.write(answered(ROOT, solutions(ROOT, LESSON), "en", LESSON), self.path)
        self.heard: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.examine: Callable[[Any], Any] = lambda tell: {}
        self.worker = worker.Worker(self.hear, kind)
        while self.worker._early_checks is not None:
            time.sleep(0.001)
        self.worker._pool = self.worker._pool or Containers()
        self.worker._check_runner = SimpleNamespace(
            prepare=lambda notebook: None, examine=lambda notebook, only, tell: self.examine(tell)
        )

    def hear(self, answer: dict[str, Any]) -> None:
        self.heard.append(answer)
        if answer.get("last") and "event" in answer:
            self.over.set()

    def order(self, do: str, **more: Any) -> list[dict[str, Any]]:
        """Give the worker an order and return everything that it has sent since it started."""
        place = {"path": str(self.path), "below": str(self.path.parent), "agree": True}
        self.worker.execute({"id": 1, "do": do, **place, **more})
        return self.heard


@pytest.fixture
def ordered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Ordered]:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(worker, "WarmPool", Containers)
    monkeypatch.setattr(worker.Worker, "_import_examiner", lambda self: None)
    before = language()
    yield Ordered(tmp_path, request.param)
    language(before)


def decided(task: str, outcome: str = "passed") -> dict[str, Any]:
    points = 2.0 if outcome == "passed" else 0.0
    return {"id": task, "points": points, "max_points": 2.0, "outcome": outcome, "message": ""}


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
@pytest.mark.parametrize("end", ["stopped", "error", "closed"])
def test_verdicts_before_an_early_end_of_a_check_are_kept(ordered: Ordered, end: str) -> None:
    task = list(solutions(ROOT, LESSON))[1]
    told = threading.Event()

    def examine(tell: Any) -> dict[str, Any]:
        tell(decided(task))
        told.set()
        if end == "error":
            raise WallError("no room")
        while True:
            ordered.worker._pool.take()  # raises an error once the check is stopped
            time.sleep(0.01)

    ordered.examine = examine
    ordered.order("check", task=None)
    assert told.wait(10)
    if end == "stopped":
        ordered.order("stop")
    elif end == "closed":  # the server ends
        ordered.worker.close()
        assert ordered.over.is_set()
    assert ordered.over.wait(10)
    event = [answer for answer in ordered.heard if "event" in answer][-1]["event"]
    assert event["event"] == ("error" if end == "error" else "stopped")
    assert event["gained"]["xp"] == 24
    facts = store.read()
    assert [name for name, known in facts["lessons"][LESSON].items() if known["passed"]] == [task]
    assert facts["last"] is not None
    assert facts["last"]["task"] is None  # a check of the whole lesson leads to its first open task
    assert "whole_lesson" not in facts["earned"]
    found = ordered.order("lesson")[-1]["ok"]["last"]
    assert [(row["id"], row["changed"]) for row in found["rows"]] == [(task, False)]


@pytest.mark.parametrize("ordered", [Forked, Threaded], indirect=True)
def test_check_without_room_for_a_fork_is_refused_and_leaves_no_process(
    ordered: Ordered, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def fuller(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    open_before = os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else []
    with monkeypatch.context() as machine:
        machine.setattr(os, "fork", full, raising=False)
        machine.setattr(threading.Thread, "start", fuller)
        for _ in range(2):
            *_, begin, end = ordered.order("check", task=None)
            assert (begin["event"]["event"], end["last"]) == ("begin", True)
            assert end["event"]["event"] == "error"
            assert "could not start another process" in end["event"]["message"]
        assert ordered.order("stop")[-1]["ok"] == {"stopped": False}
    assert not os.path.exists("/proc/self/fd") or len(os.listdir("/proc/self/fd")) == len(open_before)
    ordered.over.clear()
    ordered.examine = lambda tell: {"score": 0.0, "max_score": 10.0}
    ordered.order("check", task=None)
    assert ordered.over.wait(10)
    assert ordered.heard[-1]["event"]["event"] == "end"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("ordered", [Forked], indirect=True)
def test_a_check_whose_thread_cannot_start_leaves_no_process(
    ordered: Ordered, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    begun: list[int] = []
    fork = os.fork

    def noted() -> int:
        begun.append(fork())
        return begun[-1]

    ordered.examine = lambda tell: time.sleep(60)
    with monkeypatch.context() as machine:
        machine.setattr(os, "fork", noted)
        machine.setattr(threading.Thread, "start", full)
        end = ordered.order("check", task=None)[-1]
    assert end["event"]["event"] == "error"
    (pid,) = begun
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
def test_tests_that_cannot_be_taken_apart_are_refused_before_a_check_begins(ordered: Ordered) -> None:
    def broken(notebook: Any) -> None:
        raise CourseError("the tests are damaged")

    ordered.worker._check_runner.prepare = broken
    assert ordered.order("check", task=None) == [
        {"id": 1, "last": True, "refused": 422, "message": "the tests are damaged"}
    ]


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
def test_worker_survives_an_error_with_one_notebook(
    ordered: Ordered, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fault(_: object) -> None:
        raise KeyError("of ours")

    with monkeypatch.context() as broken:
        broken.setattr(describe, "tasks_of", fault)
        refused = ordered.order("lesson")[-1]
    assert (refused["refused"], refused["last"]) == (500, True)
    assert "KeyError" in capsys.readouterr().err
    assert ordered.order("lesson")[-1]["ok"]["lesson"] == LESSON


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
def test_notebook_with_hostile_metadata_is_still_described_as_json(ordered: Ordered) -> None:
    """Infinite points are not valid JSON, and a lone surrogate cannot be encoded as text."""
    notebook = nbformat.read(ordered.path, 4)
    for cell in notebook.cells:
        if marks := cell.metadata.get("nbgrader"):
            marks |= {"grade_id": f"{marks.grade_id}\ud800", "points": 1e308}
    ordered.path.write_text(json.dumps(notebook))
    found = ordered.order("lesson")[-1]
    json.dumps(found, allow_nan=False).encode()
    assert found["last"]
    own = own_assignment(ordered.path)
    assert isinstance(own, Assignment)
    json.dumps(sum([task.points for task in tasks(own.source)]), allow_nan=False)


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
def test_notebook_with_ordinary_tests_is_described_as_such(ordered: Ordered) -> None:
    nbformat.write(HOMEWORK, ordered.path)
    found = ordered.order("lesson")[-1]["ok"]
    assert found == {"plain": True, "name": ordered.path.name, "agreed": False}
    for order in ("check", "hint", "solution"):  # from a page or a command that cannot show ordinary tests
        refused = ordered.order(order, task="determinant", number=1)[-1]
        assert refused["refused"] == 415
        assert f"`autograder check {ordered.path.name}` runs the visible ones" in refused["message"]


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
def test_ordinary_tests_run_once_agreed_one_run_at_a_time_and_earn_nothing(ordered: Ordered) -> None:
    nbformat.write(HOMEWORK, ordered.path)
    may_end = threading.Event()

    def run(notebook: Path, below: Path, tell: Any) -> dict[str, Any]:
        assert (notebook, below) == (ordered.path, ordered.path.parent)
        tell({"kind": "test", "id": "t", "outcome": "no_error"})
        assert may_end.wait(10)
        return {"said": "This is no grade."}

    ordered.worker._check_runner = SimpleNamespace(run_plain=run)
    assert ordered.order("check", plain=True, agree=False)[-1]["refused"] == 428
    ordered.order("check", plain=True)
    assert ordered.order("check", plain=True)[-1]["refused"] == 409
    may_end.set()
    assert ordered.over.wait(10)
    begin, row, end = (answer["event"] for answer in ordered.heard if "event" in answer)
    assert begin == {"event": "begin", "plain": True}
    assert row["task"]["id"] == "t"
    assert (end.pop("seconds") >= 0, end) == (True, {"event": "end", "said": "This is no grade."})
    assert store.read()["lessons"] == {}
    assert ordered.order("lesson")[-1]["ok"]["agreed"] is True


def test_rows_of_ordinary_tests_keep_claims_of_the_process_apart() -> None:
    claims = {
        "error": "E\u202e",
        "message": "x\x1b[31m",
        "output": '{"event": "end", "said": "All right."}\n',
    }
    failed, crashed = (Grade("t", 0.0, 2.0, outcome, **claims) for outcome in ("failed", "crashed"))
    report = OwnReport("hw.ipynb", [failed, crashed], [Grade("why", None, 3.0, "manual")], [], 0)
    first, second, manual = describe.plain_rows(report)
    assert (first["said"], first["error"], first["message"]) == ("", "E\\u202e", "x\\x1b[31m")
    assert first["output"] == claims["output"].rstrip()
    assert (second["error"], second["message"]) == ("", "")
    assert second["said"].startswith("The Python process ended")
    assert manual == {"kind": "manual", "id": "why", "max_points": 3.0}
    assert describe.plain_end(report)["said"].startswith("0 of 2 visible tests in this notebook")


@pytest.mark.parametrize("ordered", [Threaded], indirect=True)
def test_check_during_the_import_of_torch_blocks_no_request(
    ordered: Ordered, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = threading.Event()
    monkeypatch.setattr(worker.Worker, "_import_examiner", lambda self: ready.wait(10))
    ordered.worker._early_checks = []
    threading.Thread(target=ordered.worker._prepare, daemon=True).start()
    assert ordered.order("check", task=None) == [{"id": 1, "event": {"event": "waits"}}]
    assert ordered.order("check", task=None)[-1]["refused"] == 409
    assert ordered.order("lesson")[-1]["ok"]["lesson"] == LESSON
    *_, ended, stopped = ordered.order("stop")
    assert (ended["event"], stopped["ok"]) == ({"event": "stopped"}, {"stopped": True})
    heard = len(ordered.order("check", task=None))
    ready.set()
    order = ordered.worker._orders.get(timeout=10)
    ordered.worker.execute(order)
    assert ordered.over.wait(10)
    assert ordered.heard[heard]["event"]["event"] == "begin"


@pytest.mark.parametrize(
    ("said", "seconds"), [("", 600), ("0.5", 30), ("0", None), ("-1", 600), ("nan", 600), ("soon", 600)]
)
def test_idle_timeout_of_a_worker_is_configurable(
    said: str, seconds: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert worker._idle_seconds(said) == seconds
    assert (f"SECANT_IDLE_MINUTES is {said!r}" in capsys.readouterr().err) == (said in ("-1", "nan", "soon"))


# --- A worker that does not answer ----------------------------------------------------------------------

_STUCK = """
import re

def stuck(*_):  # in C, where no thread of Python's gets a turn
    re.match("(a+)+$", "a" * 60 + "b")
"""
_FAKE = (
    _STUCK
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
    monkeypatch.setattr(worker_client, "_WORKER", [sys.executable, "-c", _FAKE])
    monkeypatch.setattr(worker_client, "ANSWER_SECONDS", 1.0)
    kept = worker_client.WorkerClient(str(tmp_path))

    async def ask() -> list[Any]:
        first = await kept.ask({"do": "lesson"})
        stuck = asyncio.ensure_future(kept.ask({"do": "stick"}))
        await asyncio.sleep(0.5)
        honest = asyncio.ensure_future(kept.ask({"do": "lesson"}))
        return [first["pid"], await stuck, (await honest)["pid"]]

    first, stuck, second = asyncio.run(ask())
    kept.close()
    assert stuck == worker_client.WORKER_EXITED
    assert first != second
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_a_worker_that_is_busy_for_ever_ends_with_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_client, "_WORKER", [sys.executable, "-c", _FAKE])
    monkeypatch.setattr(worker_client, "_EXIT_SECONDS", 0.2)
    kept = worker_client.WorkerClient(str(tmp_path))

    async def begin() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(kept.ask({"do": "stick"}), 0.5)

    asyncio.run(begin())
    process = kept._process
    assert process is not None
    kept.close()
    assert process.wait(5) == -signal.SIGKILL


@pytest.mark.whole
@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="Windows: there the server alone ends it")
def test_the_kernel_ends_a_worker_whose_server_was_killed_while_it_was_stuck() -> None:
    code = f"""{_STUCK}
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
    """No request for the worker's next answer is pending when the stream of answers is closed."""
    monkeypatch.setattr(handlers, "_HEARTBEAT_SECONDS", 0.01)
    written: list[str] = []

    async def flush() -> None:
        if written[-1] == " ":
            raise StreamClosedError

    async def answers() -> Any:
        yield {"event": {"event": "begin"}}
        await asyncio.Event().wait()

    async def check_and_leave() -> None:
        following = answers()
        page: Any = SimpleNamespace(write=written.append, flush=flush)
        with pytest.raises(StreamClosedError):
            await handlers.Check._stream(page, await anext(following), following)
        await following.aclose()

    asyncio.run(check_and_leave())
    assert written[-1] == " "
