"""nbgrader's real formgrader: a Jupyter server with separate settings, in a course directory."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.support.ports import free_port
from tests.support.scan_cache import shared_cache


class Formgrader:
    """A running formgrader server.

    Attributes:
        pid: the id of the server's process.
        address: the address of formgrader's first page.
    """

    def __init__(self, port: int, pid: int) -> None:
        self.pid = pid
        self.address = f"http://127.0.0.1:{port}/formgrader"

    def __call__(self, path: str, post: bool = False) -> str:
        """Request a path below formgrader's address and return the answer's text."""
        request = urllib.request.Request(f"{self.address}/{path}", b"" if post else None)
        with urllib.request.urlopen(request, timeout=600) as answer:
            return str(answer.read().decode())


@contextlib.contextmanager
def formgrader(root: Path) -> Iterator[Formgrader]:
    """Start formgrader in a course directory and wait until it answers; stop it at the end."""
    with tempfile.TemporaryDirectory() as home:
        port = free_port()
        names = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
        flags = ["--no-browser", f"--ServerApp.port={port}", "--IdentityProvider.token=", "--allow-root"]
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *flags, "--ServerApp.disable_check_xsrf=True"],
            cwd=root,
            env=os.environ | dict.fromkeys(names, home) | shared_cache(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            server = Formgrader(port, process.pid)
            for _ in range(300):
                try:
                    server("api/status")
                    break
                except (urllib.error.URLError, ConnectionError):
                    time.sleep(0.2)
            yield server
        finally:
            process.terminate()
            process.wait(30)
