"""A PostgreSQL server for tests, in a temporary folder and on a Unix socket; it is removed at the end."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg

_USER = "postgres"  # user created by Debian's package; the server refuses to run as root
#: Settings that trade safety in a power cut for speed, because no data is kept. Memory and connections are
#: limited, because only one test uses the server.
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "shared_buffers": "32MB",
    "max_connections": "20",
    "autovacuum": "off",
}


def programs() -> Path | None:
    """Return the folder with the server's programs, or None if PostgreSQL is not installed."""
    executable = shutil.which("postgres")
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return Path(executable).parent if executable else candidates[-1].parent if candidates else None


class Server:
    """A PostgreSQL server that can be stopped and started again."""

    def __init__(self, folder: Path, programs: Path, settings: Mapping[str, str]) -> None:
        self._folder = folder
        self._programs = programs
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def initialise(self) -> None:
        """Create the files of an empty database server."""
        options = ["--auth=trust", "--username=secant", "--no-sync", "--encoding=UTF8", "--locale=C"]
        command = [*_as_user(), str(self._programs / "initdb"), "-D", str(self._folder / "data"), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder)

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        settings = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        paths = ["-D", str(self._folder / "data"), "-k", str(self._folder)]
        command = [*_as_user(), str(self._programs / "postgres"), *paths]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([*command, *settings], stdout=log, stderr=log, cwd=self._folder)
        for _ in range(300):
            try:
                psycopg.connect(self._plain("postgres")).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise AssertionError((self._folder / "log").read_text())

    def stop(self) -> None:
        """Stop the server at once, as in a failure of its machine, so that all connections are lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
            self._process = None

    def database(self, name: str, like: str = "template1") -> str:
        """Create a database as a copy of the database `like`; return its URL, as in nbgrader_config.py."""
        with psycopg.connect(self._plain("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return f"postgresql+psycopg://secant@/{name}?host={self._folder}"

    def _plain(self, name: str) -> str:
        return f"postgresql://secant@/{name}?host={self._folder}"


def _as_user() -> list[str]:
    """Return a command prefix: the program then ends with this process and, for root, runs as `_USER`."""
    options = [f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *options, "--pdeathsig=QUIT"]


@contextmanager
def server(**settings: str) -> Iterator[Server]:
    """Start a server and yield it; stop it at the end. `settings` override the default settings."""
    folder = programs()
    assert folder is not None, "PostgreSQL is not installed: apt-get install postgresql"
    # A short name, because the path of the socket in this folder must be short.
    with tempfile.TemporaryDirectory(prefix="secant-postgres-") as name:
        if os.geteuid() == 0:
            user = pwd.getpwnam(_USER)
            os.chown(name, user.pw_uid, user.pw_gid)
        database_server = Server(Path(name), folder, _SETTINGS | settings)
        database_server.initialise()
        database_server.start()
        try:
            yield database_server
        finally:
            database_server.stop()
