"""The worker: a process beside the Jupyter server that keeps an examiner warm.

    python -m autograder.service.worker

It reads orders, JSON a line, from its standard input, and writes answers, JSON a line with the order's `id`,
to its standard output. An order's last answer says `last`. When its input ends, it ends with all it started.

On Linux each check is a fork of this process, so that nothing a check does stays, several notebooks are
checked side by side, and to stop a check is to end its process. Elsewhere checks run one after another.
"""

import contextlib
import json
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.course.errors import CourseError
from autograder.exam.pool import ForkPool, Pool, WarmPool
from autograder.exam.sheet import NoLesson, Reader, Sheet
from autograder.sandbox.results import WallError
from autograder.service import describe, last
from autograder.service.noting import note
from autograder.service.running import Forked, Leash, Running, Threaded
from secant.language import LANGUAGES, Language, language, say
from secant.progress import record

Answer = Callable[[dict[str, Any]], None]


class Worker:
    """Obeys orders, one after another: all but a check is answered at once.

    The first check waits until torch is imported, and whatever is ordered meanwhile waits with it.
    """

    def __init__(self, write: Callable[[dict[str, Any]], None], kind: type[Running]) -> None:
        self._write = write
        self._reader = Reader()
        self._kind = kind
        self._pool: Pool = ForkPool() if kind is Forked else Leash(WarmPool())
        self._running: dict[Path, Running] = {}
        self._kitchen: Any = None
        self._warming = threading.Thread(target=self._warm, daemon=True)
        self._warming.start()

    def _warm(self) -> None:
        """Import what a check needs, while a page is told about its lesson."""
        from autograder.service.kitchen import Kitchen

        if isinstance(self._pool, ForkPool):
            try:
                self._pool.wait()
            except WallError as error:
                print(f"Checks will be slower: {error}.", file=sys.stderr)
                self._pool.close()
                self._kind, self._pool = Threaded, Leash(WarmPool())
        self._kitchen = Kitchen(self._pool, self._reader, side_by_side=self._kind is Forked)

    def obey(self, order: dict[str, Any]) -> None:
        """Answer an order, or begin to."""

        def answer(found: dict[str, Any]) -> None:
            self._write({"id": order["id"], **found})

        language(_language(order.get("lang")))
        try:
            match order["do"]:
                case "stop":
                    running = self._running.get(Path(order["path"]))
                    answer({"last": True, "ok": {"stopped": running is not None and running.stop()}})
                case "check":
                    self._check(order, answer)
                case _:
                    answer({"last": True, "ok": self._tell(order)})
        except NoLesson as error:
            answer(_refused(404, str(error)))
        except CourseError as error:
            answer(_refused(422, str(error)))
        except OSError as error:
            answer(_refused(404, f"{Path(order['path']).name}: {error.strerror}."))

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
                    "last": last.recall(sheet),
                }
            case "hint":
                return _hint(sheet, order["task"], order["number"])
            case "solution":
                return _solution(sheet, order["task"])
        raise ValueError(order["do"])

    def _read(self, order: dict[str, Any]) -> Sheet:
        """Read the order's notebook; from here on, its language is spoken."""
        sheet = self._reader.read(Path(order["path"]), Path(order["below"]))
        language(sheet.language)
        return sheet

    def _check(self, order: dict[str, Any], answer: Answer) -> None:
        path = Path(order["path"])
        if path in self._running:
            answer(
                _refused(
                    409,
                    say(
                        en="This notebook is being checked already.", ko="이 노트북을 이미 확인하고 있습니다."
                    ),
                )
            )
            return
        sheet = self._read(order)
        wanted = [task.id for task in sheet.tasks if order["task"] in (None, task.id)]
        if not wanted:
            answer(_refused(404, _no_task(order["task"])))
            return
        self._warming.join()
        self._kitchen.prepare(sheet)
        begin = {"event": "begin", "lesson": sheet.assignment.lesson, "language": sheet.language}
        answer({"event": {**begin, "hidden": sheet.hidden, "tasks": wanted}})

        def finish(end: dict[str, Any], rows: list[dict[str, Any]]) -> None:
            """In a thread of the check's own."""
            if rows or end["event"] == "end":  # what was decided before a stop counts as well
                end |= note(sheet, rows, whole=order["task"] is None)
            self._running.pop(path, None)
            answer({"event": end, "last": True})

        running = self._kind(
            lambda tell: self._kitchen.examine(sheet, order["task"], tell),
            lambda event: answer({"event": event}),
            finish,
        )
        self._running[path] = running
        running.start(self._pool)

    def close(self) -> None:
        """End every check, and the processes that wait."""
        ending = list(self._running.values())
        for running in ending:
            running.stop()
        for running in ending:
            running.wait()
        self._pool.close()


def _hint(sheet: Sheet, task: str, number: int) -> dict[str, Any]:
    told = describe.told(sheet).get(task)
    if told is None:
        raise NoLesson(_no_task(task))
    if not 1 <= number <= len(told.hints):
        raise NoLesson(
            say(en=f"{task} has no hint {number}.", ko=f"{task}에는 {number}번째 힌트가 없습니다.")
        )
    record.hint(sheet.assignment.lesson, task, number)
    title, text = told.hints[number - 1]
    return {"title": title, "text": text, "number": number, "of": len(told.hints)}


def _solution(sheet: Sheet, task: str) -> dict[str, Any]:
    worked = sheet.solution(task)
    before = last.recall(sheet)
    passed = {row["id"] for row in before["rows"] if row["outcome"] == "passed"} if before else set()
    record.solution(sheet.assignment.lesson, task)
    return {"code": worked.code, "words": worked.words[sheet.language], "noted": task not in passed}


def _no_task(task: object) -> str:
    return say(en=f'There is no task "{task}" in this notebook.', ko=f'이 노트북에 "{task}" 과제가 없습니다.')


def _refused(status: int, message: str) -> dict[str, Any]:
    return {"last": True, "refused": status, "message": message}


def _language(name: object) -> Language:
    return next((known for known in LANGUAGES if known == name), "en")


def main() -> None:
    """Obey what comes in."""
    # A fork that takes over a thread's locks would be one; these threads only read and write pipes.
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints by itself, prints to the server's log
    alone = threading.Lock()

    def write(answer: dict[str, Any]) -> None:
        line = json.dumps(answer).encode() + b"\n"
        with alone, contextlib.suppress(OSError):
            out.write(line)
            out.flush()

    worker = Worker(write, Forked if sys.platform == "linux" else Threaded)
    try:
        while line := sys.stdin.buffer.readline():
            worker.obey(json.loads(line))
    except KeyboardInterrupt:  # of the server's terminal
        pass
    except BaseException:
        traceback.print_exc()  # which leaving at once would not show
    finally:
        worker.close()
        os._exit(0)


if __name__ == "__main__":
    main()
