"""The server's side of the worker process, which is started on demand and restarted after it has ended.

The worker ends by itself when it has been idle for a long time. A command that arrives at that moment goes to
the next worker. A worker that does not answer a command is killed and replaced.
"""

import asyncio
import atexit
import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

import autograder
from autograder.kernels.provisioner import CannotFork, ForkedModule, fork_module

WORKER_EXITED = {"gone": True}  # the answer that a command receives if the worker has ended
_MODULE = "autograder.service.worker"
_WORKER = [sys.executable, "-P", "-m", _MODULE]
# Environment variables that the worker's forks need before anything is imported: one thread each, no windows
# for plots, and a fixed hash seed, so that sets of strings are always iterated in the same sequence.
_ENVIRONMENT = {"MKL_NUM_THREADS": "1", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
ANSWER_SECONDS = 30.0  # seconds to wait for the first answer to a command
# Seconds to wait for the first answer to a check. If this answer says that the check must wait for the import
# of torch, the check has the same number of seconds again in which to begin.
CHECK_SECONDS = 180.0
Process = subprocess.Popen[bytes] | ForkedModule
_EXIT_SECONDS = 8.0  # seconds for the worker to end by itself when the server ends


class WorkerClient:
    """The server's only worker process. It ends when its standard input closes, even if the server is killed.

    Args:
        folder: the folder in which the worker runs: the server's root.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._process: Process | None = None
        self._orders: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        # maps the number of each pending command to the worker process that received the command
        self._processes: dict[int, Process] = {}
        self._numbers = itertools.count(1)
        self._write_lock = threading.Lock()
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """The worker's process id, or None if no worker is running."""
        return self._process.pid if self._process and self._process.poll() is None else None

    async def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Return the worker's single answer to a command."""
        async for answer in self.follow(order):
            return answer
        return WORKER_EXITED

    async def follow(self, order: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Yield the worker's answers to a command.

        The last answer contains the key `last`, or it is WORKER_EXITED if the worker has ended.
        """
        number = next(self._numbers)
        answers = self._orders[number] = asyncio.Queue()
        try:
            answer = await self._first_answer({**order, "id": number}, answers)
            while not answer.get("last") and "gone" not in answer:
                yield answer
                answer = await self._next_answer(answer, number, answers)
            yield answer
        finally:
            del self._orders[number]
            self._processes.pop(number, None)

    async def _first_answer(
        self, order: dict[str, Any], answers: asyncio.Queue[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the first answer to a command.

        If the worker ended before it answered, the command is sent once more.
        """
        seconds = CHECK_SECONDS if order["do"] == "check" else ANSWER_SECONDS
        for _ in range(2):
            try:
                async with asyncio.timeout(seconds):
                    if not await asyncio.to_thread(self._send, order, asyncio.get_running_loop()):
                        return WORKER_EXITED
                    answer = await answers.get()
            except TimeoutError:
                self._kill(self._processes.get(order["id"]))
                return WORKER_EXITED
            if "gone" not in answer:
                break
        return answer

    async def _next_answer(
        self, answer: dict[str, Any], number: int, answers: asyncio.Queue[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the next answer to a command.

        There is no time limit, unless the command is a check that has not begun yet.
        """
        is_waiting = answer.get("event") == {"event": "waits"}
        try:
            async with asyncio.timeout(CHECK_SECONDS if is_waiting else None):
                return await answers.get()
        except TimeoutError:
            self._kill(self._processes.get(number))
            return WORKER_EXITED

    def _kill(self, process: Process | None) -> None:
        """Kill a worker that does not answer. All of its pending commands then receive WORKER_EXITED."""
        if process is not None and process.stdin is not None:
            if self._process is process:
                self._process = None
            process.kill()
            with contextlib.suppress(OSError):
                process.stdin.close()

    def _send(self, order: dict[str, Any], loop: asyncio.AbstractEventLoop) -> bool:
        """Send a command to the worker, and return whether this succeeded.

        If the worker has just ended, a new worker is started, and receives the command.
        """
        for _ in range(2):
            try:
                with self._write_lock:
                    process = self._ensure_running(loop)
                    self._processes[order["id"]] = process
                    stdin = process.stdin
                    assert stdin is not None
                    stdin.write(json.dumps(order).encode() + b"\n")
                    stdin.flush()
            except OSError:
                self.close()
            else:
                return True
        return False

    def _ensure_running(self, loop: asyncio.AbstractEventLoop) -> Process:
        if self._process is None or self._process.poll() is not None:
            self._process = self._start()
            threading.Thread(target=self._read_answers, args=(self._process, loop), daemon=True).start()
        return self._process

    def _start(self) -> Process:
        """Start a worker: if possible, as a fork of the kernels' template, which has imported torch."""
        package = str(Path(autograder.__file__).resolve().parents[1])
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        # By default, torch's cache is in /tmp, where other users could read it or create it first.
        cache = {"TORCHINDUCTOR_CACHE_DIR": str(user_cache_path("secant") / "torch")}
        environment = cache | os.environ | _ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(paths)}
        try:
            return fork_module(_MODULE, paths, self._folder, environment)
        except (CannotFork, OSError):
            return subprocess.Popen(
                _WORKER, cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )

    def _read_answers(self, process: Process, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on a worker's answers in a thread, until the worker has ended.

        The commands that the worker has not answered then receive WORKER_EXITED.
        """
        assert process.stdout is not None
        with contextlib.suppress(RuntimeError):  # the event loop is closed, so the server is shutting down
            with process.stdout:
                for line in process.stdout:
                    if not line.endswith(b"\n"):
                        break  # the worker was killed while it wrote this line
                    loop.call_soon_threadsafe(self._deliver, json.loads(line))
            loop.call_soon_threadsafe(self._on_exit, process)
        process.wait()

    def _deliver(self, answer: dict[str, Any]) -> None:
        if answers := self._orders.get(answer.pop("id")):
            answers.put_nowait(answer)

    def _on_exit(self, process: Process) -> None:
        if self._process is process:
            self._process = None
        for number, owner in list(self._processes.items()):
            if owner is process:
                del self._processes[number]
                if answers := self._orders.get(number):
                    answers.put_nowait(WORKER_EXITED)

    def close(self) -> None:
        """End the worker, if one is running, but first give it a few seconds to record its verdicts."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(_EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
