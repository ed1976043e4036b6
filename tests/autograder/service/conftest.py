"""A real Jupyter server with the service's worker process, shared by all tests of the service."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import nbformat
import pytest

from tests.support.ports import free_port
from tests.support.processes import children, command
from tests.support.small_class import answered_notebook, solutions

ROOT = Path(__file__).resolve().parents[3]
LESSON = "01_what_autograd_does"
TOKEN = "a-token-of-the-tests"


@dataclass
class Server:
    """A running Jupyter server, with methods that send it requests."""

    port: int
    folder: Path
    data: Path
    process: subprocess.Popen[bytes]
    environment: dict[str, str]

    def open(
        self, method: str, name: str, body: Any = None, headers: dict[str, str] | None = None, **query: Any
    ) -> http.client.HTTPConnection:
        """Send a request; the caller reads the answer from the returned connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        request_headers = {"Authorization": f"token {TOKEN}"} if headers is None else headers
        if name == "check" and isinstance(body, dict):
            body = {"agree": True} | body
        data = json.dumps(body).encode() if isinstance(body, dict | list) else body
        connection.request(method, f"/secant/api/{name}?{urlencode(query)}", data, request_headers)
        return connection

    def ask(self, method: str, name: str, body: Any = None, **query: Any) -> tuple[int, Any]:
        """Send a request and return the answer's status and JSON."""
        with contextlib.closing(self.open(method, name, body, **query)) as connection:
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def status(
        self, method: str, name: str, body: Any = None, headers: dict[str, str] | None = None, **query: Any
    ) -> int:
        """Send a request and return the answer's status."""
        with contextlib.closing(self.open(method, name, body, headers, **query)) as connection:
            return connection.getresponse().status

    def check(self, path: str, task: str | None = None) -> list[dict[str, Any]]:
        """Run a check and return its events, without a `waits` event at the start."""
        events = self.check_all(path, task)
        return events[events[0] == {"event": "waits"} :]

    def check_all(self, path: str, task: str | None = None) -> list[dict[str, Any]]:
        """Run a check and return all its events; `waits` comes first if the check waits for its worker."""
        with contextlib.closing(self.open("POST", "check", {"path": path, "task": task})) as connection:
            response = connection.getresponse()
            assert response.status == 200, response.read()
            return [json.loads(line) for line in response.read().splitlines()]

    def save(self, name: str, answers: dict[str, str], language: str = "en") -> str:
        """Save lesson 1 with these answers, and with its solutions in all other tasks; return its path."""
        notebook = answered_notebook(ROOT, solutions(ROOT, LESSON) | answers, language, LESSON)
        nbformat.write(notebook, self.folder / name)
        return name

    def workers(self) -> list[int]:
        """Return the ids of the server's worker processes."""
        return [pid for pid in children(self.process.pid) if "service.worker" in command(pid)]


def start(folder: Path, home: Path, *extensions: str, **environment: str) -> Server:
    """Start a Jupyter server with the service and wait until it listens.

    Args:
        folder: the folder that the server shows.
        home: the folder for the server's settings, data and log.
        extensions: further server extensions.
        environment: further environment variables.
    """
    port = free_port()
    config = {"ServerApp": {"jpserver_extensions": dict.fromkeys(["autograder.service", *extensions], True)}}
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
    environment = {
        **os.environ,
        **environment,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_DATA_DIR": str(home / "jupyter"),
        "SECANT_DATA": str(home / "data"),
        "SECANT_LANG": "en",
    }
    flags = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root", "--port-retries=0"]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *flags, f"--IdentityProvider.token={TOKEN}"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return Server(port, folder, home / "data", process, environment)
        time.sleep(0.05)
    raise RuntimeError((home / "log").read_text()[-2000:])


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, home = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("home")
    new_server = start(folder, home)
    try:
        yield new_server
    finally:
        new_server.process.terminate()
        new_server.process.wait(20)
