"""Have a notebook checked, from the command line, by a Jupyter server that is already running.

Each running server is found by its file in Jupyter's runtime folder. Only the user who owns the folder can
read this file. A server that does not answer quickly is skipped.
"""

import contextlib
import http.client
import json
import os
import secrets
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jupyter_core.paths import jupyter_runtime_dir

from secant.files import read_json

CONNECT_SECONDS = 1.0
BEGIN_SECONDS = 20.0  # seconds to wait for a check to begin; the worker may have to import torch first
# seconds without data after which a server counts as unresponsive; during a check, it sends data every two
# seconds
SILENCE_SECONDS = 10.0


class NoAnswer(Exception):
    """The error for a server that cannot be reached, refuses the check, or does not finish it."""


def servers(notebook: Path) -> Iterator[dict[str, Any]]:
    """Yield the data of each running server whose root folder contains the given notebook."""
    for file in sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json")):
        if server := read_json(file, partial(_match_server, notebook), None):
            yield server


def _match_server(notebook: Path, server: dict[str, Any]) -> dict[str, Any] | None:
    """Return a server's data with the notebook's path added, or None if the server cannot serve it."""
    root, url = Path(server["root_dir"]).resolve(), urlsplit(server["url"])
    if notebook.is_relative_to(root) and url.scheme == "http" and url.port and _is_running(server["pid"]):
        return server | {"path": notebook.relative_to(root).as_posix()}
    return None


def _is_running(pid: int) -> bool:
    # On Windows, os.kill would end the process, so this function assumes that the process is running. If it
    # is not, the server does not answer and is skipped.
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return False  # another user's process has this id, so it is not the server
    except OSError:
        return False
    return True


def check(notebook: Path, language: str) -> dict[str, Any] | None:
    """Have a running server check a notebook; return None if no server can.

    Returns:
        The data that the server sent: lesson, language, hidden, tasks (the verdicts in order), score,
        max_score, problem, gained.
    """
    for server in servers(notebook.resolve()):
        with contextlib.suppress(NoAnswer):
            return _ask(server, language)
    return None


def _ask(server: dict[str, Any], language: str) -> dict[str, Any]:
    url = urlsplit(server["url"])
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=CONNECT_SECONDS)
    try:
        headers = _headers(server)
        # the time limit of this first request is short, so that a server that does not answer is soon skipped
        connection.request("GET", f"{url.path}api/status", headers=headers)
        connection.getresponse().read()
        connection.close()
        connection.timeout = BEGIN_SECONDS
        # The user need not be asked for consent, because the command line names the notebook.
        body = json.dumps({"path": server["path"], "task": None, "lang": language, "agree": True})
        connection.request("POST", f"{url.path}secant/api/check", body, headers)
        answer = connection.getresponse()
        if answer.status == http.HTTPStatus.CONFLICT:
            raise AlreadyChecking(json.loads(answer.read(10_000))["message"])
        if answer.status != http.HTTPStatus.OK:
            raise NoAnswer
        if connection.sock is not None:
            connection.sock.settimeout(SILENCE_SECONDS)
        return _read_events(answer)
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        raise NoAnswer from error
    finally:
        connection.close()  # closing the connection also stops a check that is under way


class AlreadyChecking(Exception):
    """The error for a notebook that is already being checked, with a message for the user."""


def _headers(server: dict[str, Any]) -> dict[str, str]:
    if server.get("token"):
        return {"Authorization": f"token {server['token']}"}
    # without a token, the cookie and the header must carry the same XSRF value, as in a request from a page
    xsrf = secrets.token_hex(16)
    return {"Cookie": f"_xsrf={xsrf}", "X-XSRFToken": xsrf}


def _read_events(answer: http.client.HTTPResponse) -> dict[str, Any]:
    begin: dict[str, Any] = {}
    rows: dict[str, dict[str, Any]] = {}
    for line in answer:
        event = json.loads(line)
        match event["event"]:
            case "begin":
                begin = event
            case "task":
                rows[event["task"]["id"]] = event["task"]
            case "end":
                result: dict[str, Any] = begin | event
                return result | {"tasks": [rows[name] for name in begin["tasks"]]}
            case "stopped" | "error":
                break
    raise NoAnswer
