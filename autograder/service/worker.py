"""The worker: a process next to the Jupyter server that keeps an examiner ready.

    python -m autograder.service.worker

It reads orders from its standard input, one line of JSON each. It writes answers to its standard output, one
line of JSON each, with the order's `id`. The last answer to an order has `last`.

When its input ends, it ends with everything it has started, whatever it is doing: a separate thread reads the
orders, and no order may take longer than a limit. It also ends after a long idle time (SECANT_IDLE_MINUTES),
so that its memory is free. With the next order, the server starts another worker.

On Linux, each check is a fork of this process. So nothing that a check does stays, several notebooks are
checked at the same time, and a check is stopped by killing its process. Elsewhere, checks run one after
another.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from autograder.course.errors import CourseError
from autograder.exam.pool import ForkPool, Pool, WarmPool
from autograder.exam.sheet import CheckedNotebook, NoLesson, NotebookReader, PlainNotebook
from autograder.sandbox.inside import pages
from autograder.sandbox.results import WallError
from autograder.service import consent, describe, last
from autograder.service.noting import note
from autograder.service.running import Examine, Forked, Leash, Running, Threaded
from secant.address import report_text, report_url
from secant.language import LANGUAGES, Language, language, say
from secant.progress import record
from secant.visible import visible

# seconds for one order; most take milliseconds, and a check only has to begin within this time
ORDER_SECONDS = 20
IDLE_MINUTES = 10.0  # minutes without an order, unless SECANT_IDLE_MINUTES sets another limit
_END_SECONDS = 5.0  # seconds from the end of the orders to the forced end of the process

Answer = Callable[[dict[str, Any]], None]
Noted = Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]]


class Worker:
    """The part of the worker process that executes orders. It answers all orders except checks at once.

    A check that arrives before torch is imported is reported as waiting. Other orders are executed meanwhile.

    Args:
        write: the function that sends an answer to the server.
        kind: the class of the checks: `Forked` or `Threaded`.
        idle: the number of idle seconds after which the worker ends; None for no limit.
    """

    def __init__(
        self, write: Callable[[dict[str, Any]], None], kind: type[Running], idle: float | None = None
    ) -> None:
        self._write = write
        self._idle = idle
        self._reader = NotebookReader()
        self._kind = kind
        self._pool: Pool | None = None if kind is Forked else Leash(WarmPool())
        self._running: dict[Path, Running] = {}
        self._kitchen: Any = None
        self._orders: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        # checks that arrived before everything was imported; None afterwards
        self._early: list[dict[str, Any]] | None = []
        self._early_lock = threading.Lock()
        self._order_lock = threading.Lock()
        threading.Thread(target=self._prepare, daemon=True).start()

    def listen(self, lines: Iterable[bytes]) -> None:
        """Read orders in a thread until there are no more, then make sure that this process ends."""
        for line in lines:
            self._orders.put(json.loads(line))
        self._orders.put(None)
        time.sleep(_END_SECONDS)
        os._exit(1)  # the process is still running, so it must be busy

    def serve(self) -> None:
        """Execute orders until there are no more, or until the worker has been idle for long."""
        while (order := self._next()) is not None:
            with self._order_lock, _limited(ORDER_SECONDS):
                self.obey(order)

    def _next(self) -> dict[str, Any] | None:
        while True:
            try:
                return self._orders.get(timeout=self._idle)
            except Empty:
                if not self._running and self._early is None:
                    return None

    def _prepare(self) -> None:
        """Get ready for checks in a thread, then queue those that arrived meanwhile."""
        self._warm()
        with self._early_lock:
            early, self._early = self._early or [], None
        for order in early:
            self._orders.put(order)

    def _postpone(self, order: dict[str, Any]) -> bool:
        """Save a check for later if not everything is imported yet, and return whether it was saved."""
        with self._early_lock:
            if self._early is not None:
                self._early.append(order)
            return self._early is not None

    def _is_busy(self, path: str) -> bool:
        """Return whether a notebook is being checked, or has a check that waits."""
        with self._early_lock:
            early = [order["path"] for order in self._early or []]
        return Path(path) in self._running or path in early

    def _drop_waiting(self, path: str) -> bool:
        """Stop the waiting checks of a notebook, and return whether there were any."""
        with self._early_lock:
            waiting = [order for order in self._early or [] if order["path"] == path]
            for order in waiting:
                self._early = [other for other in self._early or [] if other is not order]
        for order in waiting:
            self._write({"id": order["id"], "event": {"event": "stopped"}, "last": True})
        return bool(waiting)

    def _warm(self) -> None:
        """Import what a check needs, while a page already gets its lesson's data."""
        from autograder.service.kitchen import Kitchen

        if self._pool is None:
            try:
                self._pool = self._fork_pool()
            except (OSError, WallError) as error:
                print(f"Checks will be slower: {error}.", file=sys.stderr)
                self._kind, self._pool = Threaded, Leash(WarmPool())
        self._kitchen = Kitchen(self._pool, self._reader, side_by_side=self._kind is Forked)

    def _fork_pool(self) -> ForkPool:
        """Return a pool that shares this process's memory.

        Raises:
            OSError, WallError: the pool cannot be made.
        """
        # collapse() makes forks quick, but it copies memory that is shared with kernels. On a hub memory is
        # scarce, so it is not called there.
        if "JUPYTERHUB_USER" not in os.environ:
            pages.collapse()
        # otherwise the fork would keep for ever what a running order holds, such as open files
        with self._order_lock:
            pool = ForkPool(fork=True)
        try:
            pool.wait()
        except WallError:
            pool.close()
            raise
        return pool

    def obey(self, order: dict[str, Any]) -> None:
        """Answer an order, or begin the check that it asks for."""

        def answer(found: dict[str, Any]) -> None:
            self._write({"id": order["id"], **found})

        language(_language(order.get("lang")))
        try:
            self._execute(order, answer)
        except NoLesson as error:
            answer(_refusal(404, str(error)))
        except CourseError as error:
            answer(_refusal(422, str(error)))
        except OSError as error:
            answer(_refusal(404, f"{Path(order['path']).name}: {error.strerror}."))
        except Exception:  # a fault of Secant's own with one notebook; others must still be checked
            traceback.print_exc()
            answer(_refusal(500, _fault()))

    def _execute(self, order: dict[str, Any], answer: Answer) -> None:
        try:
            match order["do"]:
                case "stop":
                    running = self._running.get(Path(order["path"]))
                    stopped = self._drop_waiting(order["path"]) or (running is not None and running.stop())
                    answer({"last": True, "ok": {"stopped": stopped}})
                case "check":
                    self._check(order, answer)
                case _:
                    answer({"last": True, "ok": self._tell(order)})
        except PlainNotebook as plain:
            self._execute_plain(order, answer, plain)

    def _tell(self, order: dict[str, Any]) -> dict[str, Any]:
        sheet = self._read(order)
        match order["do"]:
            case "lesson":
                return {
                    "lesson": sheet.assignment.lesson,
                    "number": describe.lesson_number(sheet),
                    "language": sheet.language,
                    "title": describe.lesson_title(sheet),
                    "hidden": sheet.hidden,
                    "tasks": describe.tasks_of(sheet),
                    "report": report_url(sheet.assignment.lesson),
                    "about": report_text(sheet.assignment.lesson),
                    "last": last.recall(sheet),
                    "agreed": consent.is_agreed(sheet.path),
                }
            case "hint":
                return _hint(sheet, order["task"], order["number"])
            case "solution":
                return _solution(sheet, order["task"])
        raise ValueError(order["do"])

    def _read(self, order: dict[str, Any]) -> CheckedNotebook:
        """Read the order's notebook, and switch to its language."""
        sheet = self._reader.read(Path(order["path"]), Path(order["below"]))
        language(sheet.language)
        return sheet

    def _execute_plain(self, order: dict[str, Any], answer: Answer, plain: PlainNotebook) -> None:
        """Answer an order about a notebook with ordinary nbgrader tests: describe it, or run those tests."""
        path = Path(order["path"])
        if plain.has_tests and order["do"] == "lesson":
            found = {"plain": True, "name": visible(path.name), "agreed": consent.is_agreed(path)}
            answer({"last": True, "ok": found})
        elif plain.has_tests and order["do"] == "check" and order.get("plain"):
            self._check_plain(order, answer)
        else:
            answer(_refusal(415, str(plain)))

    def _check_plain(self, order: dict[str, Any], answer: Answer) -> None:
        """Run the visible tests of a plain assignment. They earn nothing, so no progress is recorded."""
        path, below = Path(order["path"]), Path(order["below"])
        if self._may_run(order, path, answer) and not self._must_wait(order, answer):
            answer({"event": {"event": "begin", "plain": True}})
            self._run(
                path,
                answer,
                lambda tell: self._kitchen.run_plain(path, below, tell),
                lambda end, rows: {},
            )

    def _check(self, order: dict[str, Any], answer: Answer) -> None:
        if self._is_refused_as_busy(order, answer):
            return
        sheet = self._read(order)
        if not self._may_run(order, sheet.path, answer):
            return
        wanted = [task.id for task in sheet.tasks if order["task"] in (None, task.id)]
        if not wanted:
            answer(_refusal(404, _no_task(order["task"])))
            return
        if self._must_wait(order, answer):
            return
        self._kitchen.prepare(sheet)
        begin = {"event": "begin", "lesson": sheet.assignment.lesson, "language": sheet.language}
        answer({"event": {**begin, "hidden": sheet.hidden, "tasks": wanted}})

        def noted(end: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
            if rows or end["event"] == "end":  # verdicts reached before a stop count as well
                return note(sheet, rows, whole=order["task"] is None)
            return {}

        self._run(
            Path(order["path"]),
            answer,
            lambda tell: self._kitchen.examine(sheet, order["task"], tell),
            noted,
        )

    def _is_refused_as_busy(self, order: dict[str, Any], answer: Answer) -> bool:
        """Refuse an order about a notebook that is being checked, and return whether it was refused."""
        busy = self._is_busy(order["path"])
        if busy:
            message = say(
                en="This notebook is already being checked.", ko="이 노트북을 이미 확인하고 있습니다."
            )
            answer(_refusal(409, message))
        return busy

    def _may_run(self, order: dict[str, Any], path: Path, answer: Answer) -> bool:
        """Return whether the user has agreed to run a notebook; refuse the order if not."""
        if order.get("agree"):
            consent.agree(path)
        elif not consent.is_agreed(path):
            answer(_refusal(428, _not_agreed(path.name)))
            return False
        return True

    def _must_wait(self, order: dict[str, Any], answer: Answer) -> bool:
        """Postpone a check until everything is imported, and return whether it was postponed."""
        is_postponed = self._postpone(order)
        if is_postponed:
            answer({"event": {"event": "waits"}})
        return is_postponed

    def _run(self, path: Path, answer: Answer, examine: Examine, noted: Noted) -> None:
        """Begin a check.

        Args:
            path: the path of the notebook.
            answer: the function that sends an answer to the order.
            examine: the function that does the check; see `Running`.
            noted: the function that records the results, in a thread of the check, and returns additions to
                the last event.
        """

        def finish(end: dict[str, Any], rows: list[dict[str, Any]]) -> None:
            end |= noted(end, rows)
            self._running.pop(path, None)
            answer({"event": end, "last": True})

        running = self._kind(examine, lambda event: answer({"event": event}), finish)
        self._running[path] = running
        assert self._pool is not None
        running.start(self._pool)

    def close(self) -> None:
        """Stop all checks, and end the processes that wait in the pool."""
        ending = list(self._running.values())
        for running in ending:
            running.stop()
        for running in ending:
            running.wait()
        if self._pool is not None:
            self._pool.close()


@contextlib.contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """Kill this process if the body takes longer.

    The kernel does it, since a thread of Python might never get a turn. The server then starts another
    worker. On Windows, only the server enforces the limit.
    """
    if not hasattr(signal, "alarm"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _hint(sheet: CheckedNotebook, task: str, number: int) -> dict[str, Any]:
    task_text = describe.told(sheet).get(task)
    if task_text is None:
        raise NoLesson(_no_task(task))
    if not 1 <= number <= len(task_text.hints):
        raise NoLesson(
            say(en=f"{task} has no hint {number}.", ko=f"{task}에는 {number}번째 힌트가 없습니다.")
        )
    record.hint(sheet.assignment.lesson, task, number)
    title, text = task_text.hints[number - 1]
    return {"title": title, "text": text, "number": number, "of": len(task_text.hints)}


def _solution(sheet: CheckedNotebook, task: str) -> dict[str, Any]:
    worked = sheet.solution(task)
    before = last.recall(sheet)
    passed = {row["id"] for row in before["rows"] if row["outcome"] == "passed"} if before else set()
    record.solution(sheet.assignment.lesson, task)
    return {"code": worked.code, "words": worked.words[sheet.language], "noted": task not in passed}


def _not_agreed(name: str) -> str:
    return say(
        en=f"{name} is not one of the lessons that Secant put here, and a check runs all of its code.",
        ko=f"{name}은(는) Secant가 넣어 둔 수업이 아닌데, 확인하면 그 안의 코드가 모두 실행됩니다.",
    )


def _fault() -> str:
    return say(
        en="Secant failed with this notebook. The server's log says more",
        ko="이 노트북을 처리하다가 Secant에 오류가 났습니다. 자세한 내용은 서버의 로그에 있습니다",
    )


def _no_task(task: object) -> str:
    return say(en=f'There is no task "{task}" in this notebook.', ko=f'이 노트북에 "{task}" 과제가 없습니다.')


def _refusal(status: int, message: str) -> dict[str, Any]:
    return {"last": True, "refused": status, "message": message}


def _idle_seconds(setting: str) -> float | None:
    """Return how many seconds a worker may be idle, or None for no limit, from a setting in minutes."""
    try:
        minutes = float(setting or IDLE_MINUTES)
    except ValueError:
        minutes = -1
    if not 0 <= minutes < 10**6:
        print(
            f"SECANT_IDLE_MINUTES is {setting!r}: a number of minutes was expected, or 0 for never. "
            f"The checker ends after {IDLE_MINUTES:g}.",
            file=sys.stderr,
        )
        minutes = IDLE_MINUTES
    return minutes * 60 or None


def _language(name: object) -> Language:
    return next((known for known in LANGUAGES if known == name), "en")


def main() -> None:
    """Execute the orders on standard input."""
    # Python warns that a fork may inherit a lock held by a thread. The worker's threads only read and write
    # pipes.
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # anything else that prints goes to the server's log
    write_lock = threading.Lock()

    def write(answer: dict[str, Any]) -> None:
        line = json.dumps(answer).encode() + b"\n"
        with write_lock, contextlib.suppress(OSError):
            out.write(line)
            out.flush()

    idle = _idle_seconds(os.environ.get("SECANT_IDLE_MINUTES", ""))
    worker = Worker(write, Forked if sys.platform == "linux" else Threaded, idle)
    threading.Thread(target=worker.listen, args=(sys.stdin.buffer,), daemon=True).start()
    try:
        worker.serve()
    except KeyboardInterrupt:  # Ctrl+C in the server's terminal
        pass
    except BaseException:
        traceback.print_exc()  # os._exit below would hide the error
    finally:
        worker.close()
        os._exit(0)


if __name__ == "__main__":
    main()
