"""Tests of a real `secant lab` in Korean, which is started once, as a learner uses it."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from secant.lab import launch
from tests.secant.lab.house import FOLDER, NOTEBOOK, build_course, write
from tests.support.ports import free_port

TINY = f"{FOLDER}/tiny.ipynb"
AUDIT = """
import os, sys
def audit(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        with open(os.environ["AUDIT"], "a") as file:
            print(event, arguments[1] if event == "socket.connect" else arguments[0], file=file)
sys.addaudithook(audit)
"""


@dataclass(frozen=True)
class Server:
    """A running server, for a learner who knows its token."""

    address: str
    base: str
    token: str
    log: Path

    def ask(self, path: str, body: object = None, method: str | None = None) -> str:
        """Send a request, a POST if it has a body, and return the answer's text."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.read().decode()

    @contextlib.asynccontextmanager
    async def connect(self, path: str) -> AsyncIterator[WebSocketClientConnection]:
        """Open a websocket; at the end, close it and wait until the server has closed it, too."""
        address = f"{self.base.replace('http', 'ws', 1)}{path}"
        request = HTTPRequest(address, headers={"Authorization": f"token {self.token}"})
        client = await websocket_connect(request)
        try:
            yield client
        finally:
            client.close()
            async with asyncio.timeout(30):
                while await client.read_message() is not None:
                    pass


def wait_for_address(process: subprocess.Popen[bytes], log: Path, port: int) -> str:
    """Return the address that Jupyter prints, as soon as Jupyter also listens there."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        match = re.search(rf"http://127.0.0.1:{port}/\S+token=\w+", log.read_text())
        with socket.socket() as client:
            if match and client.connect_ex(("127.0.0.1", port)) == 0:
                return match[0]
        time.sleep(0.05)
    pytest.fail(f"nobody listens:\n{log.read_text()}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the server on a free port with a new home; at the end, stop it and check its network use."""
    folder = tmp_path_factory.mktemp("start")
    course, log, audit, port = (
        build_course(folder / "house"),
        folder / "log.txt",
        folder / "audit.txt",
        free_port(),
    )
    write(folder / "site/sitecustomize.py", AUDIT.encode())
    paths = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    home = {"HOME": str(folder / "home"), "AUDIT": str(audit), "PYTHONPATH": paths}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "secant", "lab", "--no-browser", "--lang", "ko", "--port", str(port)],
            cwd=course,
            env={**os.environ, **home},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    try:
        address = wait_for_address(process, log, port)
        base, token = re.fullmatch(r"(http://[^/]+)/\S+token=(\w+)", address).groups()
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 1")])
        nbformat.write(notebook, course / "workspace/ko" / TINY)
        yield Server(address, base, token, log)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        connections = audit.read_text().splitlines() if audit.exists() else []
        assert [line for line in connections if not re.search(r"127\.0\.0\.1|localhost|::1|None", line)] == []
    finally:
        process.kill()
        process.wait()


def page_config(server: Server) -> dict[str, Any]:
    """Return the configuration that JupyterLab's page receives."""
    page = server.ask("/lab/tree/START.md")
    return json.loads(re.search(r'id="jupyter-config-data"[^>]*>\s*(\{.*?\})\s*</script>', page, re.S)[1])


def test_lab_opens_at_the_start_page(server: Server) -> None:
    assert server.address.startswith(f"{server.base}/lab/tree/START.md?token=")
    settings = json.loads(server.ask("/lab/api/settings/@jupyterlab/docmanager-extension:plugin"))
    assert settings["schema"]["properties"]["defaultViewers"]["default"] == {"markdown": "Markdown Preview"}
    config = page_config(server)
    assert (config["secantStart"], config["secantLanguage"]) == ("START.md", "ko")
    assert [extension["name"] for extension in config["federated_extensions"]].count("secant") == 1
    path = Path(launch.__file__).with_name("labextensions") / "secant/static/plugin.js"
    assert server.ask("/lab/extensions/secant/static/plugin.js") == path.read_text()
    assert "Autograd가" in json.loads(server.ask("/api/contents/START.md?type=file"))["content"]


def test_news_and_instructor_panels_are_disabled(server: Server) -> None:
    data = page_config(server)
    assert data["news"] == {"disabled": True}
    assert set(launch.HIDDEN_PANELS) <= set(data["disabledExtensions"])
    server.ask("/lab/api/update")


def test_workspace_contains_the_lessons_and_no_settings(server: Server) -> None:
    server.ask(f"/api/contents/{NOTEBOOK}?type=file")
    names = {entry["name"] for entry in json.loads(server.ask("/api/contents/"))["content"]}
    assert names == {FOLDER, "START.md"}


def test_server_refuses_requests_without_the_token(server: Server) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{server.base}/api/contents", timeout=30)


def test_the_page_knows_which_messages_are_not_tracked(server: Server) -> None:
    """The extension lists untracked types, so that pages do not redraw the kernel's status for them."""
    assert "comm_msg" in page_config(server)["untracked_message_types"]


# --- kernels, terminals and the server's log ---


async def run_code(
    client: WebSocketClientConnection, code: str, kind: str = "execute_reply"
) -> dict[str, Any]:
    """Run code in the kernel behind a websocket; return the kernel's first reply of this kind."""
    message_id = uuid.uuid4().hex
    message = {
        "channel": "shell",
        "header": {"msg_id": message_id, "msg_type": "execute_request", "session": "test", "username": ""},
        "parent_header": {},
        "metadata": {},
        "content": {"code": code, "silent": False},
    }
    await client.write_message(json.dumps(message))
    return await next_reply(client, message_id, kind)


async def next_reply(client: WebSocketClientConnection, message_id: str, kind: str) -> dict[str, Any]:
    """Return the next message of this kind that replies to the message with this id."""
    async with asyncio.timeout(60):
        while True:
            message = json.loads(await client.read_message() or "null")
            if message["parent_header"].get("msg_id") == message_id and message["msg_type"] == kind:
                return message


async def run_kernel_session(server: Server) -> list[str]:
    """Start a kernel, run code, interrupt it, restart it and run code again; return how each run ended."""
    session = {"path": TINY, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
    kernel = f"/api/kernels/{json.loads(server.ask('/api/sessions', session))['kernel']['id']}"
    channels = f"{kernel}/channels?session_id=test"
    try:
        async with server.connect(channels) as client:
            first_reply = await run_code(client, "here = 1")
            stream_message = await run_code(
                client, "import time; print('asleep', flush=True); time.sleep(60)", "stream"
            )
            server.ask(f"{kernel}/interrupt", {})
            interrupt_reply = await next_reply(
                client, stream_message["parent_header"]["msg_id"], "execute_reply"
            )
        server.ask(f"{kernel}/restart", {})
        async with server.connect(channels) as client:
            restart_reply = await run_code(client, "here")
            last_reply = await run_code(client, "1")
        return [
            reply["content"].get("ename", "ok")
            for reply in (first_reply, interrupt_reply, restart_reply, last_reply)
        ]
    finally:
        server.ask(kernel, method="DELETE")


@pytest.mark.costly("a real kernel")
def test_starting_a_kernel_prints_no_warning(server: Server) -> None:
    """Learners cannot encrypt a kernel's connections over TCP, so a warning would not help them."""
    assert asyncio.run(run_kernel_session(server)) == ["ok", "KeyboardInterrupt", "NameError", "ok"]
    assert "encryption" not in server.log.read_text()


def test_validate_prints_no_warning(server: Server) -> None:
    reply = json.loads(server.ask("/assignments/validate", {"path": TINY}))
    assert reply["success"], reply["value"]
    assert "encryption" not in server.log.read_text()


async def type_line(server: Server, line: str, pattern: str) -> str:
    """Type a line into a new terminal; return the group that `pattern` matches in the output."""
    terminal = json.loads(server.ask("/api/terminals", {}))["name"]
    try:
        async with server.connect(f"/terminals/websocket/{terminal}") as client:
            await client.write_message(json.dumps(["stdin", f"{line}\r"]))
            output = ""
            async with asyncio.timeout(30):
                while not (match := re.search(pattern, output)):
                    kind, *chunks = json.loads(await client.read_message() or "null")
                    output += "".join(chunks) if kind == "stdout" else ""
        return match[1]
    finally:
        server.ask(f"/api/terminals/{terminal}", method="DELETE")


def test_a_terminal_finds_autograder(server: Server) -> None:
    """A server that was not started in a terminal opens login shells. /etc/profile replaces their PATH."""
    path = asyncio.run(type_line(server, 'echo "found=$(command -v autograder)."', r"found=([^$\s]*)\.\r"))
    assert path == str(Path(sys.executable).parent / "autograder")
