"""A real JupyterHub with the settings of deploy/hub on this machine, for users of the operating system.

Only root can start the hub. Python may lie in root's home folder, as with pyenv. In that case the hub runs in
a view of the file system in which every user may enter that folder, but sees nothing there except Python.
"""

import contextlib
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from tests.support.lessons import LESSONS, ROOT, copy_lessons
from tests.support.processes import children
from tests.support.scan_cache import lend_cache
from tests.support.small_class import answered_notebook, solutions

LESSON = "01_what_autograd_does"
PATH = f"{LESSON}/{LESSON}.ipynb"
BIN = Path(sys.prefix) / "bin"

_SETTINGS = """
import json, os
from jupyterhub.spawner import LocalProcessSpawner, set_user_setuid

told = json.loads(os.environ["SECANT_TEST_HUB"])
c = get_config()
load_subconfig(told["settings"])


class AtHome(LocalProcessSpawner):  # in a home of the test's, since these users' own are the system's
    def user_env(self, environment):
        home = told["homes"][self.user.name]
        cache = {"TORCHINDUCTOR_CACHE_DIR": f"{home}/.cache/torch/inductor"}
        return super().user_env(environment) | {"HOME": home} | cache

    def make_preexec_fn(self, name):
        return set_user_setuid(name, chdir=False)

    def start(self):
        self.popen_kwargs = {"cwd": told["homes"][self.user.name]}
        self.notebook_dir = self.notebook_dir.replace("~", told["homes"][self.user.name])
        return super().start()


hub, proxy, api = (f"http://127.0.0.1:{port}" for port in told["ports"])
c.JupyterHub.spawner_class = AtHome
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.bind_url, c.JupyterHub.hub_bind_url = proxy, hub
c.JupyterHub.db_url = "sqlite:///:memory:"
c.JupyterHub.cleanup_servers = True
c.ConfigurableHTTPProxy.api_url = api
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 0}  # servers start side by side
# This proxy, the one in Python, takes an answer of more than 20 s for a failure otherwise.
c.ConfigurableHTTPProxy.command = [told["proxy"], "--proxy-timeout", "120000"]
c.JupyterHub.services = [{"name": "tests", "api_token": told["token"]}]
c.JupyterHub.load_roles = [
    {"name": "tests", "services": ["tests"], "scopes": ["admin:users", "admin:servers", "tokens"]}
]
"""


@dataclass(frozen=True)
class User:
    """A user of the hub, with a home folder and a server.

    Attributes:
        name: the name of the operating system's user.
        home: the user's home folder.
        token: a token that gives access to the user's server.
    """

    name: str
    home: Path
    token: str

    @property
    def uid(self) -> int:
        """The operating system's id of the user."""
        return pwd.getpwnam(self.name).pw_uid


class Hub:
    """A running JupyterHub, with methods that send it requests."""

    def __init__(self, address: str, course: Path, token: str, homes: dict[str, Path]) -> None:
        self.address, self.course, self._token, self._homes = address, course, token, homes

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to the hub's API as its administrator, and return the answer's JSON."""
        status, answer = self.ask(f"/hub/api/{path}", body, self._token, method)
        assert status < 300, answer
        return json.loads(answer or "null")

    def begin(self, name: str) -> User:
        """Create a user and a token, and request the start of the user's server, without waiting for it."""
        self.api("POST", f"users/{name}")
        token = self.api("POST", f"users/{name}/tokens", {})["token"]
        self.api("POST", f"users/{name}/server")
        return User(name, self._homes[name], token)

    def wait(self, user: User) -> None:
        """Wait until a user's server answers."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            if self.visit(user, "api/status")[0] == 200:
                return
            time.sleep(0.1)
        raise AssertionError(f"the server of {user.name} does not answer")

    def ask(self, path: str, body: Any = None, token: str = "", method: str = "") -> tuple[int, str]:
        """Send a request through the hub's proxy; return the status and the answer's text."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"token {token}"} if token else {}
        )
        request = urllib.request.Request(
            f"{self.address}{path}", data, headers, method=method or ("GET" if data is None else "POST")
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def visit(
        self, owner: User, path: str, body: Any = None, requester: User | None = None
    ) -> tuple[int, str]:
        """Send a request to the owner's server, with the requester's token (by default the owner's)."""
        return self.ask(f"/user/{owner.name}/{path}", body, (requester or owner).token)

    def save(self, user: User, answers: dict[str, str], path: str = PATH) -> None:
        """Save the lesson as JupyterLab does, with these answers and, in all other tasks, its solutions."""
        notebook = answered_notebook(ROOT, solutions(ROOT, LESSON) | answers, "en", LESSON)
        body = {"type": "notebook", "format": "json", "content": json.loads(nbformat.writes(notebook))}
        status, text = self.ask(f"/user/{user.name}/api/contents/{path}", body, user.token, method="PUT")
        assert status in (200, 201), text

    def check(self, user: User, path: str, task: str | None = None) -> list[dict[str, Any]]:
        """Run a check on a user's server and return its events."""
        status, text = self.visit(user, "secant/api/check", {"path": path, "task": task, "agree": True})
        assert status == 200, text
        return [json.loads(line) for line in text.splitlines()]


@contextlib.contextmanager
def hub(names: list[str], **environment: str) -> Iterator[Hub]:
    """Start a hub with a course of lesson 1 for these users; the last user is the instructor."""
    root = Path(tempfile.mkdtemp(prefix="secant-hub-"))
    root.chmod(0o755)
    homes = {name: root / name for name in names}
    for name, home in homes.items():
        home.mkdir(mode=0o700)
        if name == names[-1]:
            lend_cache(home)
        _change_owner(home, name)
    exchange, course = root / "exchange", root / "course"
    exchange.mkdir()
    exchange.chmod(0o1777)
    _write_course(course)
    _change_owner(course, names[-1])
    ports = _free_ports(3)
    settings = {
        "settings": str(ROOT / "deploy" / "hub" / "jupyterhub_config.py"),
        "homes": {name: str(home) for name, home in homes.items()},
        "ports": ports,
        "proxy": str(BIN / "configurable-http-proxy"),
        "token": secrets.token_hex(16),
    }
    (root / "hub").mkdir(mode=0o700)
    (root / "hub" / "settings.py").write_text(_SETTINGS)
    variables = {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "SECANT_HUB_COURSE": str(course),
        "SECANT_HUB_EXCHANGE": str(exchange),
        "SECANT_HUB_INSTRUCTORS": names[-1],
        "SECANT_HUB_STUDENTS": str(BIN),
        "SECANT_HUB_TEACHERS": str(BIN),
        "SECANT_TEST_HUB": json.dumps(settings),
    }
    wrapper = bwrap_command()
    try:
        with (root / "hub" / "log.txt").open("w") as log:
            process = subprocess.Popen(
                [*wrapper, sys.executable, "-m", "jupyterhub", "-f", "settings.py"],
                cwd=root / "hub",
                env=os.environ | variables | environment,
                stdout=log,
                stderr=log,
            )
        running_hub = Hub(f"http://127.0.0.1:{ports[1]}", course, str(settings["token"]), homes)
        try:
            _wait_for(running_hub, process, root / "hub" / "log.txt")
            yield running_hub
        finally:
            for pid in children(process.pid) if wrapper else [process.pid]:
                os.kill(pid, signal.SIGTERM)  # the hub then stops its users' servers, too
            process.wait(60)
    finally:
        shutil.rmtree(root)


def _wait_for(running_hub: Hub, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            if running_hub.ask("/hub/api")[0] == 200:
                return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterHub did not start:\n{log.read_text()[-3000:]}")


def _write_course(course: Path) -> None:
    """Write a course folder with lesson 1 only."""
    course.mkdir(mode=0o700)
    copy_lessons(LESSONS[:1], course)
    for file in ("constraints.txt", "course/syllabus.toml"):
        shutil.copy(ROOT / file, course / file)


def _change_owner(folder: Path, name: str) -> None:
    """Make a user the owner of a folder and everything in it."""
    user = pwd.getpwnam(name)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid)


def bwrap_command() -> list[str]:
    """Return a `bwrap` command in which every user can reach Python, or [] if every user can anyway.

    Python may lie in a folder that other users may not enter.
    """
    required = [Path(sys.base_prefix), Path(sys.prefix), ROOT]
    closed_folders = {
        path for target in required for path in target.parents if not path.stat().st_mode & 0o001
    }
    if not closed_folders:
        return []
    command = ["bwrap", "--die-with-parent", "--cap-add", "ALL", "--dev-bind", "/", "/"]
    for top in sorted(closed_folders):
        command += ["--perms", "0755", "--tmpfs", str(top)]
    for target in required:
        if closed_folders.isdisjoint(target.parents):
            continue
        for folder in sorted(path for path in target.parents if not closed_folders.isdisjoint(path.parents)):
            command += ["--perms", "0755", "--dir", str(folder)]
        command += ["--dev-bind", str(target), str(target)]
    return [*command, "--"]


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for sock in sockets:
            sock.bind(("127.0.0.1", 0))
        return [sock.getsockname()[1] for sock in sockets]
