"""A class of two on a JupyterHub with the settings of deploy/hub: lesson 1, and the isolation of users."""

import contextlib
import json
import os
import pwd
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zmq
from jupyter_client.blocking.client import BlockingKernelClient

from autograder.course.lesson import find_lessons, wrong_answers
from tests.autograder.service.test_service import ENDLESS, outcomes
from tests.support.hub import LESSON, PATH, Hub, User, hub
from tests.support.lessons import ROOT
from tests.support.people import SEPARATE, become
from tests.support.processes import command, of_users, parent
from tests.support.small_class import solutions
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.skipif(not SEPARATE or sys.platform != "linux", reason="only root may become other users"),
    pytest.mark.slow,  # a hub with three servers
]
TASKS = list(solutions(ROOT, LESSON))


class Class:
    """A hub with two students and their instructor."""

    def __init__(self, started: Hub, names: list[str]) -> None:
        self.hub = started
        self.ann, self.bob, self.instructor = (started.begin(name) for name in names)
        for user in (self.ann, self.bob, self.instructor):
            started.wait(user)
        self.formgrader(f"assignment/{LESSON}/release", "POST")

    def formgrader(self, path: str, method: str = "GET") -> Any:
        """Send the request of one of formgrader's buttons, and return the reply."""
        body: dict[str, Any] | None = {} if method == "POST" else None
        status, said = self.hub.visit(self.instructor, f"formgrader/api/{path}", body)
        assert status == 200, said
        found = json.loads(said)
        assert method == "GET" or found["success"], found
        return found

    def press(self, student: User, action: str) -> list[dict[str, Any]]:
        """Send the request of a button in the assignment list, and return the new list."""
        body = {"assignment_id": LESSON, "course_id": "secant"}
        status, said = self.hub.visit(student, f"assignments/{action}", body)
        found = json.loads(said)
        assert (status, found["success"]) == (200, True), said
        return found["value"]


@pytest.fixture(scope="module")
def classroom() -> Iterator[Class]:
    # The first two users are left out, because other tests may run as them at the same time.
    users = sorted((user.pw_uid, user.pw_name) for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)
    names = [name for _, name in users[2:5]]
    with hub(names) as started:
        yield Class(started, names)


def test_lesson_1_is_released_checked_and_graded_through_the_hub(classroom: Class) -> None:
    hub, ann, bob, instructor = classroom.hub, classroom.ann, classroom.bob, classroom.instructor
    page = hub.visit(ann, "lab")[1]
    assert '"name": "secant"' in page

    (lesson,) = find_lessons(hub.course)
    wrong = wrong_answers(find_lessons(ROOT)[0])[0]
    for student, answers in ((ann, {}), (bob, {wrong.task: wrong.source})):
        classroom.press(student, "fetch")
        assert (student.home / PATH).is_file()
        hub.save(student, answers)
        _, said = hub.visit(student, f"secant/api/lesson?path={PATH}")
        assert json.loads(said)["lesson"] == lesson.name
        events = hub.checked(student, PATH)
        expected = dict.fromkeys(TASKS, "passed") | dict.fromkeys(answers, "wrong")
        assert outcomes(events) == expected
        classroom.press(student, "submit")

    classroom.formgrader(f"assignment/{LESSON}/collect", "POST")
    for student in (ann, bob):
        classroom.formgrader(f"submission/{LESSON}/{student.name}/autograde", "POST")
    scores = {found["student"]: found["score"] for found in classroom.formgrader(f"submissions/{LESSON}")}
    assert scores == {ann.name: 10.0, bob.name: 8.0}
    classroom.formgrader(f"assignment/{LESSON}/generate_feedback", "POST")
    classroom.formgrader(f"assignment/{LESSON}/release_feedback", "POST")
    for student in (ann, bob):
        classroom.press(student, "fetch_feedback")
        (told,) = (student.home / LESSON / "feedback").rglob(f"{LESSON}.html")
        assert f"{scores[student.name]:g} of 10 points" in told.read_text()

    assert hub.visit(instructor, "formgrader/manage_assignments")[0] == 200
    assert hub.visit(ann, "formgrader/manage_assignments")[0] == 404
    assert hub.visit(instructor, "formgrader/manage_assignments", who=ann)[0] == 403


# --- Isolation of users ---


@pytest.fixture
def kernel(classroom: Class) -> Iterator[tuple[BlockingKernelClient, Path]]:
    """Start a kernel for Ann, and yield its client and its connection file."""
    _, said = classroom.hub.visit(classroom.ann, "api/kernels", {"name": "python3"})
    number = json.loads(said)["id"]
    (file,) = classroom.ann.home.rglob(f"kernel-{number}.json")
    client = BlockingKernelClient(connection_file=str(file))
    client.load_connection_file()
    client.start_channels(hb=False)  # with a heartbeat, a slow kernel would count as dead
    client.wait_for_ready(timeout=60)
    yield client, file
    client.stop_channels()
    classroom.hub.ask(f"/user/{classroom.ann.name}/api/kernels/{number}", None, classroom.ann.token, "DELETE")


@pytest.fixture
def checking(classroom: Class, kernel: Any) -> Iterator[None]:
    """Run the test during a check of Ann's notebook, which takes 10 s; her kernel has started before."""
    ann = classroom.ann
    classroom.hub.save(ann, {TASKS[0]: ENDLESS.format(TASKS[0])}, "endless.ipynb")
    check = threading.Thread(target=classroom.hub.checked, args=(ann, "endless.ipynb", TASKS[0]))
    check.start()
    try:
        assert wait_for(
            lambda: [each for each in Path("/tmp").glob("secant-check-*") if owner(each) == ann.uid]
        )
        yield
    finally:
        classroom.hub.visit(ann, "secant/api/stop", {"path": "endless.ipynb"})
        check.join()


def owner(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.lstat().st_uid
    return -1


def sockets(pids: list[int]) -> set[str]:
    """Return the inodes of the sockets that processes have open."""
    found = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for each in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    found.add(os.readlink(each))
    return {link[len("socket:[") : -1] for link in found if link.startswith("socket:[")}


def listening(pids: list[int]) -> list[int]:
    """Return the TCP ports at which processes listen."""
    inodes = sockets(pids)
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(line[1].split(":")[1], 16) for line in lines if line[3] == "0A" and line[9] in inodes]


def named(pids: list[int]) -> list[str]:
    """Return the names of processes' named Unix sockets; an abstract name begins with @."""
    inodes = sockets(pids)
    lines = [
        line.split(maxsplit=7) for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()[1:]
    ]
    return [line[7] for line in lines if len(line) == 8 and line[6] in inodes]


def as_user(user: User, look: Callable[[], Any]) -> Any:
    """Run a function as another user and return its result."""
    back, out = os.pipe()
    if (child := os.fork()) == 0:
        try:
            become(user.name)
            os.write(out, json.dumps(look()).encode())
        finally:
            os._exit(0)
    os.close(out)
    with open(back, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said)


def works(act: Callable[[], Any]) -> bool:
    """Return whether a function runs without an OSError."""
    try:
        act()
    except OSError:  # no permission, or the process has exited
        return False
    return True


@pytest.mark.usefixtures("checking")
def test_users_cannot_access_other_users_processes_and_files(classroom: Class, kernel: Any) -> None:
    hub, ann, bob = classroom.hub, classroom.ann, classroom.bob
    (template,) = (
        pid
        for pid in of_users({ann.uid})
        if "template.py" in command(pid) and "singleuser" in command(parent(pid))
    )
    secrets = [
        ann.token,
        *(
            line.partition("=")[2]
            for line in Path(f"/proc/{template}/environ").read_text().split("\0")
            if "TOKEN" in line
        ),
        json.loads(kernel[1].read_text())["key"],
    ]
    assert len(secrets) >= 3
    files = [Path(top, each) for top in ("/tmp", "/var/tmp", "/dev/shm") for each in os.listdir(top)]
    mine = [str(path) for path in [*files, ann.home] if owner(path) == ann.uid]
    assert [path for path in mine if "secant-check-" in path]

    said: dict[int, str] = {}

    def look() -> list[str]:
        reached = [path for path in mine if os.access(path, os.R_OK) or os.access(path, os.W_OK)]
        for pid in said:
            tried = {
                f"/proc/{pid}/fd": lambda pid=pid: os.listdir(f"/proc/{pid}/fd"),
                f"signal to {pid}": lambda pid=pid: os.kill(pid, 0),
            }
            for name in ("environ", "mem", "maps"):
                path = f"/proc/{pid}/{name}"
                tried[path] = lambda path=path: os.close(os.open(path, os.O_RDONLY))
            reached += [name for name, act in tried.items() if works(act)]
        return reached

    def reaches_her_own() -> bool:  # may be False while a process starts or exits
        said.clear()
        said.update({pid: command(pid) for pid in of_users({ann.uid})})
        # The server, the template and its kernel, the worker and its check, and the parent of candidates.
        return len(said) >= 6 and len(as_user(ann, look)) > 4 * len(said)

    assert wait_for(reaches_her_own)
    assert as_user(bob, look) == []
    assert not [line for line in said.values() for secret in secrets if secret in line]
    inbound = hub.course.parent / "exchange" / "secant" / "inbound"
    assert works(lambda: os.listdir(inbound))
    for closed in (hub.course, inbound):
        assert not as_user(bob, partial(works, partial(os.listdir, closed)))


@pytest.mark.usefixtures("checking")
def test_sockets_and_ports_are_accessible_only_to_their_owner(classroom: Class, kernel: Any) -> None:
    hub, ann, bob = classroom.hub, classroom.ann, classroom.bob
    client, file = kernel
    pids = of_users({ann.uid})
    assert named(pids) == []  # the template, the worker and candidates have sockets without a name
    told = json.loads(file.read_text())
    zeromq = {number for name, number in told.items() if name.endswith("_port")}
    ports = listening(pids)
    assert zeromq < set(ports)
    endpoints = ["api/contents", "secant/api/lesson?path=endless.ipynb", "api/kernels", "lab"]

    def ask(port: int, path: str, token: str) -> int:
        request = f"GET /user/{ann.name}/{path} HTTP/1.0\r\n{token}\r\n"
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.sendall(request.encode())
            return int(connection.recv(100).split()[1])

    def ask_all(token: str) -> list[int]:
        return [ask(server, path, token) for path in endpoints]

    (server,) = listening([pid for pid in pids if "singleuser" in command(pid)])
    for token in ("", f"Authorization: token {bob.token}\r\n"):
        found = as_user(bob, partial(ask_all, token))
        assert set(found) <= {302, 403}  # redirected to the hub's login, or refused
    assert ask(server, endpoints[1], f"Authorization: token {ann.token}\r\n") == 200
    for name in ("check", "stop", "hint", "solution"):
        assert hub.visit(ann, f"secant/api/{name}", {"path": PATH, "task": TASKS[0]}, who=bob)[0] in (
            403,
            405,
        )

    def listen() -> bool:
        with zmq.Context() as context, context.socket(zmq.SUB) as listener:
            listener.linger = 0
            listener.subscribe(b"")
            listener.connect(f"tcp://127.0.0.1:{told['iopub_port']}")
            ready.write_text("")
            return bool(listener.poll(3000))

    ready = hub.course.parent / "listening"
    ready.touch()
    os.chown(ready, bob.uid, -1)
    heard: list[bool] = []
    bobs = threading.Thread(target=lambda: heard.append(as_user(bob, listen)))
    bobs.start()
    outputs: list[str] = []
    time.sleep(0.5)
    while bobs.is_alive():
        client.execute_interactive(
            "print('a secret')",
            timeout=30,
            output_hook=lambda message: outputs.append(message["content"].get("text", "")),
        )
    assert "a secret\n" in outputs
    assert heard == [False]
