"""Asking the service of a Jupyter server that runs already, from the command line.

It is found by the file that a server leaves in Jupyter's runtime folder, which only its owner reads. One that
does not answer within a moment is passed over.
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
BEGIN_SECONDS = 20.0  # its worker may have to import torch first
SILENCE_SECONDS = 10.0  # while a check runs, the server sends something every two seconds


class NoAnswer(Exception):
    """The server could not be asked, or fell silent: the notebook has still to be checked."""


def servers(notebook: Path) -> Iterator[dict[str, Any]]:
    """Yield what is known of the running servers that show a notebook."""
    for file in sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json")):
        if server := read_json(file, partial(_shows, notebook), None):
            yield server


def _shows(notebook: Path, server: dict[str, Any]) -> dict[str, Any] | None:
    """Return a server with the notebook's path in it; None if it does not show the notebook, or has ended."""
    root, url = Path(server["root_dir"]).resolve(), urlsplit(server["url"])
    if notebook.is_relative_to(root) and url.scheme == "http" and url.port and _lives(server["pid"]):
        return server | {"path": notebook.relative_to(root).as_posix()}
    return None


def _lives(pid: int) -> bool:
    if os.name == "nt":  # there the same call would end it; who does not answer is passed over anyway
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return False  # another person's
    except OSError:
        return False
    return True


def check(notebook: Path, language: str) -> dict[str, Any] | None:
    """Have a running server check a notebook; None if there is none that can.

    Returns:
        Its events' essence: lesson, language, hidden, tasks (the rows in order), score, max_score, problem.
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
        connection.request("GET", f"{url.path}api/status", headers=headers)  # whether anybody is there
        connection.getresponse().read()
        connection.close()
        connection.timeout = BEGIN_SECONDS
        # Who types the command has named the notebook to run.
        body = json.dumps({"path": server["path"], "task": None, "lang": language, "agree": True})
        connection.request("POST", f"{url.path}secant/api/check", body, headers)
        answer = connection.getresponse()
        if answer.status == http.HTTPStatus.CONFLICT:
            raise Busy(json.loads(answer.read(10_000))["message"])
        if answer.status != http.HTTPStatus.OK:
            raise NoAnswer
        if connection.sock is not None:
            connection.sock.settimeout(SILENCE_SECONDS)
        return _follow(answer)
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        raise NoAnswer from error
    finally:
        connection.close()  # which also stops a check that is under way


class Busy(Exception):
    """The notebook is being checked already. The message says so."""


def _headers(server: dict[str, Any]) -> dict[str, str]:
    if server.get("token"):
        return {"Authorization": f"token {server['token']}"}
    mark = secrets.token_hex(16)  # without a token, what a page does: the same mark in cookie and header
    return {"Cookie": f"_xsrf={mark}", "X-XSRFToken": mark}


def _follow(answer: http.client.HTTPResponse) -> dict[str, Any]:
    found: dict[str, Any] = {}
    rows: dict[str, dict[str, Any]] = {}
    for line in answer:
        event = json.loads(line)
        match event["event"]:
            case "begin":
                found = event
            case "task":
                rows[event["task"]["id"]] = event["task"]
            case "end":
                whole: dict[str, Any] = found | event
                return whole | {"tasks": [rows[name] for name in found["tasks"]]}
            case "stopped" | "error":
                break
    raise NoAnswer
