"""The endpoints under `secant/api`. They check the caller and the notebook, and send or stream responses."""

import asyncio
import json
import os
import sys
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

from jupyter_core.paths import is_hidden
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.iostream import StreamClosedError

from autograder.service.worker_client import WorkerClient
from secant.language import LANGUAGES, Language, language

MAX_BODY_BYTES = 10_000
_LONGEST_PATH = 2_000  # maximum number of characters in a path
_LONGEST_NAME = 200
_DOCTOR_SECONDS = 120.0
# Idle seconds after which a space is sent on a stream, so that both sides notice a closed connection.
_HEARTBEAT_SECONDS = 2.0
SETTING = "secant_service"
_WORKER_ENDED = {
    "en": "The process that checks has ended. Please try again.",
    "ko": "확인하는 프로세스가 끝났습니다. 다시 시도해 주세요.",
}


def add_handlers(server: Any) -> None:
    """Add the endpoints to a server. The worker process starts at the first request."""
    worker = server.web_app.settings[SETTING] = WorkerClient(_root(server.contents_manager))
    base = server.web_app.settings["base_url"]
    handlers = {
        "lesson": Lesson,
        "check": Check,
        "stop": Stop,
        "hint": Hint,
        "solution": Solution,
        "progress": Progress,
        "review": Review,
        "anew": ResetProgress,
        "facts": Facts,
    }
    routes = [
        (url_path_join(base, "secant/api", name), kind, {"worker": worker}) for name, kind in handlers.items()
    ]
    server.web_app.add_handlers(".*$", routes)


def _root(contents: Any) -> str:
    """Return the root folder of the files that the server serves."""
    return str(getattr(contents, "root_dir", "") or os.getcwd())


class Refusal(web.HTTPError):
    """An error response with a status and a sentence for the user."""

    def __init__(self, status: int, sentence: str) -> None:
        # the sentence is passed as an argument of the log format, because a path in it may contain a percent
        # sign
        super().__init__(status, "%s", sentence)
        self.sentence = sentence


class _Handler(APIHandler):
    """The base class of all endpoints. It answers an invalid request with a sentence and a 4xx status."""

    def initialize(self, worker: WorkerClient) -> None:
        self.worker = worker

    async def prepare(self) -> None:  # type: ignore[override]
        """Refuse GET requests that do not come from Secant's own page.

        A GET request can have an effect: opening a hint is recorded. The address of a picture in a notebook
        could cause such a request.
        """
        await super().prepare()
        if self.request.method != "GET" or self.token_authenticated:
            return
        # If the request is for an <img> or a whole page, browsers send a Sec-Fetch-Dest other than "empty".
        if self.request.headers.get("Sec-Fetch-Dest", "empty") != "empty":
            raise web.HTTPError(403)
        if self.settings.get("disable_check_xsrf", False):
            return
        site = self.request.headers.get("Sec-Fetch-Site")  # every browser has sent Sec-Fetch-Site since 2023
        if site not in ("same-origin", "none") and (site or not self.check_referer()):
            raise web.HTTPError(403)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send the sentence of a refusal, or the default response for any other error."""
        _, error, _ = kwargs.get("exc_info", (None, None, None))
        if isinstance(error, Refusal):
            self.finish(json.dumps({"message": error.sentence}))
        else:
            super().write_error(status_code, **kwargs)

    def refuse(self, status: int, *, en: str, ko: str) -> "Refusal":
        """Return an error with a sentence in the reader's language."""
        return Refusal(status, {"en": en, "ko": ko}[self.language])

    @property
    def language(self) -> Language:
        """The language that the request names, or else the language of the environment."""
        code = self.parameters.get("lang")
        return next((supported for supported in LANGUAGES if supported == code), language())

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the request, from its query or its JSON body."""
        if self.request.method == "GET":
            return {name: self.get_query_argument(name) for name in self.request.query_arguments}
        if not hasattr(self, "_body"):
            self._body: dict[str, Any] = {}
            self._body = self._read_body()
        return self._body

    def _read_body(self) -> dict[str, Any]:
        if len(self.request.body) > MAX_BODY_BYTES:
            raise self.refuse(413, en="The request is too large.", ko="요청이 너무 큽니다.")
        try:
            body = json.loads(self.request.body)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise self.refuse(400, en="The request is not a JSON object.", ko="요청이 JSON 객체가 아닙니다.")
        return body

    def name(self, key: str) -> str:
        """Return a short string from the request's parameters.

        Raises:
            Refusal: there is no such string, or it is too long.
        """
        value = self.parameters.get(key)
        if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME:
            raise self.refuse(400, en=f"The request has no {key}.", ko=f"요청에 {key} 값이 없습니다.")
        return value

    def order(self, action: str, **fields: Any) -> dict[str, Any]:
        """Return a command for the worker about the notebook that the request names.

        Raises:
            Refusal: the path is not that of a notebook under the server's root, or the contents API would not
                show it.
        """
        path = self.parameters.get("path")
        if not isinstance(path, str) or not 0 < len(path) <= _LONGEST_PATH:
            raise self.refuse(400, en="The request has no path.", ko="요청에 path 값이 없습니다.")
        root = Path(_root(self.contents_manager)).resolve()
        not_found = self.refuse(404, en=f"There is no notebook {path}.", ko=f"{path} 노트북이 없습니다.")
        parts = PurePosixPath(path.strip("/")).parts
        # on Windows, backslashes and colons allow other spellings of a path
        is_ambiguous = os.sep != "/" and any(c in path for c in "\\:")
        if "\0" in path or ".." in parts or is_ambiguous or not path.endswith(".ipynb"):
            raise not_found
        requested = root.joinpath(*parts)
        try:
            notebook = requested.resolve(strict=True)
            is_allowed = notebook.is_relative_to(root) and notebook.is_file() and notebook.suffix == ".ipynb"
            is_allowed = (
                is_allowed
                and not is_hidden(str(notebook), str(root))
                and not is_hidden(str(requested), str(root))
            )
        # the file is gone, its path is too long, or symbolic links form a loop
        except (OSError, ValueError, RuntimeError):
            is_allowed = False
        if not is_allowed:
            raise not_found
        return {"do": action, "path": str(notebook), "below": str(root), "lang": self.language, **fields}

    async def ask_worker(self, order: dict[str, Any]) -> dict[str, Any]:
        """Send a command to the worker and return its answer.

        Raises:
            Refusal: the worker refuses the command or has ended.
        """
        return self.checked_answer(await self.worker.ask(order))["ok"]  # type: ignore[no-any-return]

    def checked_answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the worker's answer if it is not a refusal.

        Raises:
            Refusal: the worker refuses the command or has ended.
        """
        if "gone" in answer:
            raise self.refuse(503, **_WORKER_ENDED)
        if "refused" in answer:
            raise Refusal(answer["refused"], answer["message"])
        return answer

    def send(self, content: Any) -> None:
        """Send data as a JSON response that must not be cached."""
        self.set_header("Cache-Control", "no-store")
        self.finish(json.dumps(content))


class Lesson(_Handler):
    """The endpoint for the tasks of a notebook and the results of its last check."""

    auth_resource = "contents"

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the notebook's tasks and the results of its last check."""
        self.send(await self.ask_worker(self.order("lesson")))


class Check(_Handler):
    """The endpoint that checks a notebook and streams each event, as it happens, as a line of JSON."""

    auth_resource = "kernels"
    _order: dict[str, Any] | None = None

    @web.authenticated
    @authorized("execute", "kernels")  # type: ignore[untyped-decorator]
    async def post(self) -> None:
        """Check the notebook, and stream its events."""
        task = None if self.parameters.get("task") is None else self.name("task")
        agree, plain = (self.parameters.get(name) is True for name in ("agree", "plain"))
        order = self.order("check", task=task, agree=agree, plain=plain)
        answers = self.worker.follow(order)
        first = self.checked_answer(await anext(answers))
        self._order = order
        self.set_header("Content-Type", "application/x-ndjson")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Accel-Buffering", "no")  # tells nginx not to buffer the stream
        if self.request.connection is not None:
            self.request.connection.stream.set_nodelay(True)  # type: ignore[attr-defined]
        try:
            await self._stream(first, answers)
        except StreamClosedError:  # the page was closed, so it cannot receive the response
            await self._stop()
            return
        finally:
            await answers.aclose()  # type: ignore[attr-defined]
        self._order = None
        await self.finish(set_content_type="application/x-ndjson")

    async def _stream(self, answer: dict[str, Any], answers: Any) -> None:
        while True:
            # An answer without an event is a refusal, or reports that the worker has ended. Even a check that
            # had to wait may still be refused.
            event = answer.get("event") or {
                "event": "error",
                "message": answer.get("message") or _WORKER_ENDED[self.language],
            }
            self.write(json.dumps(event) + "\n")
            await self.flush()
            if answer.get("last") or "gone" in answer:
                return
            next_answer = asyncio.ensure_future(anext(answers))
            try:
                while not (await asyncio.wait([next_answer], timeout=_HEARTBEAT_SECONDS))[0]:
                    self.write(" ")  # spaces before a line of JSON are ignored
                    await self.flush()
            finally:  # `answers` cannot be closed while its next answer is awaited, so cancel the wait first
                next_answer.cancel()
                await asyncio.wait([next_answer])
            answer = next_answer.result()

    def on_connection_close(self) -> None:
        """Stop the check when its page is closed, because its result is no longer needed."""
        super().on_connection_close()
        if self._order is not None:
            self._stopping = asyncio.ensure_future(self._stop())

    async def _stop(self) -> None:
        if order := self._order:
            self._order = None
            await self.worker.ask({**order, "do": "stop"})


class Stop(_Handler):
    """The endpoint that stops a notebook's check."""

    auth_resource = "kernels"

    @web.authenticated
    @authorized("execute", "kernels")  # type: ignore[untyped-decorator]
    async def post(self) -> None:
        """Stop the notebook's check, and send whether a check was under way."""
        self.send(await self.ask_worker(self.order("stop")))


class Hint(_Handler):
    """The endpoint for one hint of a task."""

    auth_resource = "contents"

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send a hint."""
        number = self.parameters.get("number", "1")
        if not number.isdecimal() or len(number) > 3:
            raise self.refuse(400, en="A hint's number is 1 or more.", ko="힌트 번호는 1 이상입니다.")
        self.send(await self.ask_worker(self.order("hint", task=self.name("task"), number=int(number))))


class Solution(_Handler):
    """The endpoint for the worked solution of a task."""

    auth_resource = "contents"

    @web.authenticated
    @authorized("read", "contents")  # type: ignore[untyped-decorator]
    async def post(self) -> None:
        """Send a worked solution."""
        self.send(await self.ask_worker(self.order("solution", task=self.name("task"))))


class Progress(_Handler):
    """The endpoint for everything that the start page shows."""

    auth_resource = "contents"

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the learner's progress in all lessons."""
        try:
            self.send(await asyncio.to_thread(_overview, _root(self.contents_manager), self.language))
        except (OSError, ValueError, KeyError, TypeError):
            raise self.refuse(
                404,
                en="There is no course here that the start page could show.",
                ko="시작 페이지에 보여 줄 수업을 찾지 못했습니다.",
            ) from None


class Review(_Handler):
    """The endpoint for reviews, in which the start page repeats earlier prediction questions."""

    auth_resource = "contents"

    @web.authenticated
    @authorized("read", "contents")  # type: ignore[untyped-decorator]
    async def post(self) -> None:
        """Record whether a prediction in a review was right, or whether the learner wants reviews.

        Send a sentence about what went wrong while recording this, or null if nothing did.
        """
        from secant.progress import record

        if isinstance(wants_reviews := self.parameters.get("wanted"), bool):
            recorded = await asyncio.to_thread(record.reviewing, wants_reviews)
        else:
            name, is_right = self.name("name"), self.parameters.get("right") is True
            recorded = await asyncio.to_thread(lambda: record.review(name, right=is_right))
        self.send({"problem": recorded.problem})


class ResetProgress(_Handler):
    """The endpoint that renames the file with the stored progress and starts a new one."""

    auth_resource = "contents"

    @web.authenticated
    @authorized("write", "contents")  # type: ignore[untyped-decorator]
    async def post(self) -> None:
        """Reset the progress, and send the page the new path of the renamed file.

        The path is null if there was no file.
        """
        from secant.progress import store

        try:
            new_path = await asyncio.to_thread(store.reset, date.today().isoformat())
        except store.StoreError as error:
            raise Refusal(500, error.sentence(self.language)) from None
        self.send({"aside": None if new_path is None else str(new_path)})


class Facts(_Handler):
    """The endpoint for the results of `secant doctor` on this computer, as text for a problem report."""

    auth_resource = "contents"
    _doctor_lock = asyncio.Lock()  # one process at a time, because each imports torch

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Run `secant doctor`, and send its output."""
        command = [sys.executable, "-P", "-m", "secant.lab.problem", self.language]
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        async with self._doctor_lock:
            doctor = await asyncio.create_subprocess_exec(*command, stdin=null, stdout=pipe, stderr=null)
            try:
                output, _ = await asyncio.wait_for(doctor.communicate(), _DOCTOR_SECONDS)
            except TimeoutError:
                doctor.kill()
                await doctor.wait()
                output = b""
        self.send({"facts": output.decode("utf-8", "replace").strip()})


def _overview(workspace: str, language: Language) -> dict[str, Any]:
    from secant.progress.course import find_course
    from secant.progress.overview import overview

    root = find_course()
    if root is None:
        raise FileNotFoundError("there is no course")
    return overview(root, Path(workspace), language)
