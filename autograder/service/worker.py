"""The worker: a process next to the Jupyter server that keeps an examiner ready.

    python -m autograder.service.worker

It reads commands from its standard input, one line of JSON each. It writes answers to its standard output,
one line of JSON each, with the command's `id`. The last answer to a command has the key `last`.

When its input ends, the worker ends, and so does everything that it has started, even if a command is still
being executed. This works because a separate thread reads the commands, and because each command has a time
limit. The worker also ends after a long idle time (SECANT_IDLE_MINUTES), to free its memory. At the next
command, the server starts another worker.

On Linux, each check is a fork of this process. So a check leaves nothing behind in the worker, several
notebooks can be checked at the same time, and a check is stopped by killing its process. Elsewhere, checks
run one after another.
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
from autograder.exam.checked_notebook import CheckedNotebook, NoLesson, NotebookReader, PlainNotebook
from autograder.exam.pool import ForkPool, Pool, WarmPool
from autograder.sandbox.inside import pages
from autograder.sandbox.results import WallError
from autograder.service import consent, describe, last_verdicts
from autograder.service.running import CancellablePool, Examine, ForkedCheck, RunningCheck, ThreadedCheck
from autograder.service.save_results import save_results
from secant.address import report_text, report_url
from secant.language import LANGUAGES, Language, language, say
from secant.progress import record
from secant.visible import visible

# maximum number of seconds for one command; most take milliseconds, and a check only has to begin within this
# time
ORDER_SECONDS = 20
# minutes without a command after which the worker ends, unless SECANT_IDLE_MINUTES sets another limit
IDLE_MINUTES = 10.0
_EXIT_SECONDS = 5.0  # seconds from the end of the input to the forced end of the process

SendAnswer = Callable[[dict[str, Any]], None]
SaveResults = Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]]


class Worker:
    """The part of the worker process that executes commands.

    It answers every command except a check immediately. A check that arrives before torch is imported is
    reported as waiting. In the meantime, other commands are executed.

    Args:
        write: the function that sends an answer to the server.
        kind: the class of the checks: `ForkedCheck` or `ThreadedCheck`.
        idle: the number of idle seconds after which the worker ends; None for no limit.
    """

    def __init__(
        self, write: Callable[[dict[str, Any]], None], kind: type[RunningCheck], idle: float | None = None
    ) -> None:
        self._write = write
        self._idle = idle
        self._reader = NotebookReader()
        self._kind = kind
        self._pool: Pool | None = None if kind is ForkedCheck else CancellablePool(WarmPool())
        self._running: dict[Path, RunningCheck] = {}
        self._check_runner: Any = None
        self._orders: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        # checks that arrived before everything was imported; None afterwards
        self._early_checks: list[dict[str, Any]] | None = []
        self._early_lock = threading.Lock()
        self._order_lock = threading.Lock()
        threading.Thread(target=self._prepare, daemon=True).start()

    def listen(self, lines: Iterable[bytes]) -> None:
        """Read commands in a thread until there are no more, then make sure that this process ends."""
        for line in lines:
            self._orders.put(json.loads(line))
        self._orders.put(None)
        time.sleep(_EXIT_SECONDS)
        os._exit(1)  # the process has not ended by itself, so a command or a check is still running

    def serve(self) -> None:
        """Execute commands until there are no more, or until the worker has been idle for a long time."""
        while (order := self._next()) is not None:
            with self._order_lock, _limited(ORDER_SECONDS):
                self.execute(order)

    def _next(self) -> dict[str, Any] | None:
        while True:
            try:
                return self._orders.get(timeout=self._idle)
            except Empty:
                if not self._running and self._early_checks is None:
                    return None

    def _prepare(self) -> None:
        """Import everything that checks need, then queue the checks that have arrived so far.

        This runs in a thread, so that the worker can execute other commands in the meantime.
        """
        self._import_examiner()
        with self._early_lock:
            early, self._early_checks = self._early_checks or [], None
        for order in early:
            self._orders.put(order)

    def _postpone(self, order: dict[str, Any]) -> bool:
        """Set a check aside if not everything is imported yet, and return whether it was set aside."""
        with self._early_lock:
            if self._early_checks is not None:
                self._early_checks.append(order)
            return self._early_checks is not None

    def _is_busy(self, path: str) -> bool:
        """Return whether a notebook is being checked, or is waiting to be checked."""
        with self._early_lock:
            early = [order["path"] for order in self._early_checks or []]
        return Path(path) in self._running or path in early

    def _drop_waiting(self, path: str) -> bool:
        """Stop the waiting checks of a notebook, and return whether there were any."""
        with self._early_lock:
            waiting = [order for order in self._early_checks or [] if order["path"] == path]
            for order in waiting:
                self._early_checks = [other for other in self._early_checks or [] if other is not order]
        for order in waiting:
            self._write({"id": order["id"], "event": {"event": "stopped"}, "last": True})
        return bool(waiting)

    def _import_examiner(self) -> None:
        """Import the modules that a check needs, while other commands are already being executed."""
        from autograder.service.check_runner import CheckRunner

        if self._pool is None:
            try:
                self._pool = self._fork_pool()
            except (OSError, WallError) as error:
                print(f"Checks will be slower: {error}.", file=sys.stderr)
                self._kind, self._pool = ThreadedCheck, CancellablePool(WarmPool())
        self._check_runner = CheckRunner(self._pool, self._reader, side_by_side=self._kind is ForkedCheck)

    def _fork_pool(self) -> ForkPool:
        """Return a pool of forked processes, which share this process's memory.

        Raises:
            OSError, WallError: the pool cannot be made.
        """
        # collapse() moves memory into large pages. This makes forks quick, but it copies memory that is
        # shared with kernels. On a JupyterHub, memory is scarce, so collapse() is not called there.
        if "JUPYTERHUB_USER" not in os.environ:
            pages.collapse()
        # no command may run during the fork; otherwise the fork would keep the command's open files for ever
        with self._order_lock:
            pool = ForkPool(fork=True)
        try:
            pool.wait()
        except WallError:
            pool.close()
            raise
        return pool

    def execute(self, order: dict[str, Any]) -> None:
        """Answer a command, or begin the check that it asks for."""

        def answer(data: dict[str, Any]) -> None:
            self._write({"id": order["id"], **data})

        language(_language(order.get("lang")))
        try:
            self._dispatch(order, answer)
        except NoLesson as error:
            answer(_refusal(404, str(error)))
        except CourseError as error:
            answer(_refusal(422, str(error)))
        except OSError as error:
            answer(_refusal(404, f"{Path(order['path']).name}: {error.strerror}."))
        except Exception:  # an error in Secant; the worker must stay alive for other notebooks
            traceback.print_exc()
            answer(_refusal(500, _fault_message()))

    def _dispatch(self, order: dict[str, Any], answer: SendAnswer) -> None:
        try:
            match order["do"]:
                case "stop":
                    running = self._running.get(Path(order["path"]))
                    stopped = self._drop_waiting(order["path"]) or (running is not None and running.stop())
                    answer({"last": True, "ok": {"stopped": stopped}})
                case "check":
                    self._check(order, answer)
                case _:
                    answer({"last": True, "ok": self._answer_query(order)})
        except PlainNotebook as plain:
            self._dispatch_plain(order, answer, plain)

    def _answer_query(self, order: dict[str, Any]) -> dict[str, Any]:
        notebook = self._read_notebook(order)
        match order["do"]:
            case "lesson":
                return {
                    "lesson": notebook.assignment.lesson,
                    "number": describe.lesson_number(notebook),
                    "language": notebook.language,
                    "title": describe.lesson_title(notebook),
                    "hidden": notebook.hidden,
                    "tasks": describe.tasks_of(notebook),
                    "report": report_url(notebook.assignment.lesson),
                    "about": report_text(notebook.assignment.lesson),
                    "last": last_verdicts.load(notebook),
                    "agreed": consent.is_agreed(notebook.path),
                }
            case "hint":
                return _hint(notebook, order["task"], order["number"])
            case "solution":
                return _solution(notebook, order["task"])
        raise ValueError(order["do"])

    def _read_notebook(self, order: dict[str, Any]) -> CheckedNotebook:
        """Read the notebook that a command names, and switch to the notebook's language."""
        notebook = self._reader.read(Path(order["path"]), Path(order["below"]))
        language(notebook.language)
        return notebook

    def _dispatch_plain(self, order: dict[str, Any], answer: SendAnswer, plain: PlainNotebook) -> None:
        """Answer a command about a notebook with ordinary nbgrader tests: describe it, or run those tests."""
        path = Path(order["path"])
        if plain.has_tests and order["do"] == "lesson":
            description = {"plain": True, "name": visible(path.name), "agreed": consent.is_agreed(path)}
            answer({"last": True, "ok": description})
        elif plain.has_tests and order["do"] == "check" and order.get("plain"):
            self._check_plain(order, answer)
        else:
            answer(_refusal(415, str(plain)))

    def _check_plain(self, order: dict[str, Any], answer: SendAnswer) -> None:
        """Run the visible tests of an assignment with ordinary nbgrader tests.

        The learner earns no points by passing these tests, so no progress is recorded.
        """
        path, below = Path(order["path"]), Path(order["below"])
        if self._may_run(order, path, answer) and not self._must_wait(order, answer):
            answer({"event": {"event": "begin", "plain": True}})
            self._run(
                path,
                answer,
                lambda on_row: self._check_runner.run_plain(path, below, on_row),
                lambda end, rows: {},
            )

    def _check(self, order: dict[str, Any], answer: SendAnswer) -> None:
        if self._is_refused_as_busy(order, answer):
            return
        notebook = self._read_notebook(order)
        if not self._may_run(order, notebook.path, answer):
            return
        task_ids = [task.id for task in notebook.tasks if order["task"] in (None, task.id)]
        if not task_ids:
            answer(_refusal(404, _no_task_message(order["task"])))
            return
        if self._must_wait(order, answer):
            return
        self._check_runner.prepare(notebook)
        begin = {"event": "begin", "lesson": notebook.assignment.lesson, "language": notebook.language}
        answer({"event": {**begin, "hidden": notebook.hidden, "tasks": task_ids}})

        def save(end: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
            if rows or end["event"] == "end":  # the verdicts of a stopped check are recorded as well
                return save_results(notebook, rows, whole=order["task"] is None)
            return {}

        self._run(
            Path(order["path"]),
            answer,
            lambda on_row: self._check_runner.examine(notebook, order["task"], on_row),
            save,
        )

    def _is_refused_as_busy(self, order: dict[str, Any], answer: SendAnswer) -> bool:
        """Refuse a command if its notebook is being checked, and return whether the command was refused."""
        busy = self._is_busy(order["path"])
        if busy:
            message = say(
                en="This notebook is already being checked.", ko="이 노트북을 이미 확인하고 있습니다."
            )
            answer(_refusal(409, message))
        return busy

    def _may_run(self, order: dict[str, Any], path: Path, answer: SendAnswer) -> bool:
        """Return whether the user has agreed to run a notebook; if not, refuse the command."""
        if order.get("agree"):
            consent.agree(path)
        elif not consent.is_agreed(path):
            answer(_refusal(428, _consent_message(path.name)))
            return False
        return True

    def _must_wait(self, order: dict[str, Any], answer: SendAnswer) -> bool:
        """Postpone a check if not everything is imported yet, and return whether it was postponed."""
        is_postponed = self._postpone(order)
        if is_postponed:
            answer({"event": {"event": "waits"}})
        return is_postponed

    def _run(self, path: Path, answer: SendAnswer, examine: Examine, save: SaveResults) -> None:
        """Begin a check.

        Args:
            path: the path of the notebook.
            answer: a function that sends a reply to the command that asked for the check.
            examine: the function that does the check; see `RunningCheck`.
            save: a function that records the results, and returns extra fields for the check's final event.
                The check's thread calls it, or this method does if the check cannot be started.
        """

        def finish(end: dict[str, Any], rows: list[dict[str, Any]]) -> None:
            end |= save(end, rows)
            self._running.pop(path, None)
            answer({"event": end, "last": True})

        running = self._kind(examine, lambda event: answer({"event": event}), finish)
        self._running[path] = running
        assert self._pool is not None
        running.start(self._pool)

    def close(self) -> None:
        """Stop all checks, and end the processes that wait in the pool."""
        running_checks = list(self._running.values())
        for running in running_checks:
            running.stop()
        for running in running_checks:
            running.wait()
        if self._pool is not None:
            self._pool.close()


@contextlib.contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """Kill this process if the body of the `with` statement takes longer than `seconds`.

    The operating system's alarm kills it, because a Python thread might never be scheduled. The server then
    starts another worker. Windows has no such alarm, so only the server enforces the limit there.
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


def _hint(notebook: CheckedNotebook, task: str, number: int) -> dict[str, Any]:
    task_text = describe.task_texts(notebook).get(task)
    if task_text is None:
        raise NoLesson(_no_task_message(task))
    if not 1 <= number <= len(task_text.hints):
        raise NoLesson(
            say(en=f"{task} has no hint {number}.", ko=f"{task}에는 {number}번째 힌트가 없습니다.")
        )
    record.hint(notebook.assignment.lesson, task, number)
    title, text = task_text.hints[number - 1]
    return {"title": title, "text": text, "number": number, "of": len(task_text.hints)}


def _solution(notebook: CheckedNotebook, task: str) -> dict[str, Any]:
    solution = notebook.solution(task)
    verdicts = last_verdicts.load(notebook)
    passed = {row["id"] for row in verdicts["rows"] if row["outcome"] == "passed"} if verdicts else set()
    record.solution(notebook.assignment.lesson, task)
    return {"code": solution.code, "words": solution.words[notebook.language], "noted": task not in passed}


def _consent_message(name: str) -> str:
    return say(
        en=f"{name} is not one of the lessons that Secant put here, and a check runs all of its code.",
        ko=f"{name}은(는) Secant가 넣어 둔 수업이 아닌데, 확인하면 그 안의 코드가 모두 실행됩니다.",
    )


def _fault_message() -> str:
    return say(
        en="Secant failed with this notebook. The server's log says more",
        ko="이 노트북을 처리하다가 Secant에 오류가 났습니다. 자세한 내용은 서버의 로그에 있습니다",
    )


def _no_task_message(task: object) -> str:
    return say(en=f'There is no task "{task}" in this notebook.', ko=f'이 노트북에 "{task}" 과제가 없습니다.')


def _refusal(status: int, message: str) -> dict[str, Any]:
    return {"last": True, "refused": status, "message": message}


def _idle_seconds(setting: str) -> float | None:
    """Convert a setting in minutes into the seconds that a worker may be idle; None means no limit."""
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
    return next((supported for supported in LANGUAGES if supported == name), "en")


def main() -> None:
    """Execute the commands that arrive on standard input."""
    # Python warns that a fork may inherit a lock held by a thread. The warning is switched off, because the
    # worker's threads only read and write pipes.
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # everything else that this process prints goes to the server's log
    write_lock = threading.Lock()

    def write(answer: dict[str, Any]) -> None:
        line = json.dumps(answer).encode() + b"\n"
        with write_lock, contextlib.suppress(OSError):
            out.write(line)
            out.flush()

    idle = _idle_seconds(os.environ.get("SECANT_IDLE_MINUTES", ""))
    worker = Worker(write, ForkedCheck if sys.platform == "linux" else ThreadedCheck, idle)
    threading.Thread(target=worker.listen, args=(sys.stdin.buffer,), daemon=True).start()
    try:
        worker.serve()
    except KeyboardInterrupt:  # the user pressed Ctrl+C in the server's terminal
        pass
    except BaseException:
        traceback.print_exc()  # os._exit below would hide the error
    finally:
        worker.close()
        os._exit(0)


if __name__ == "__main__":
    main()
