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
from tests.support.processes import command, parent, pids_of_users
from tests.support.small_class import solutions
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.skipif(not SEPARATE or sys.platform != "linux", reason="only root may become other users"),
    pytest.mark.slow,  # a hub with three servers
]
TASKS = list(solutions(ROOT, LESSON))


class Classroom:
    """A hub with two students and their instructor."""

    def __init__(self, running_hub: Hub, names: list[str]) -> None:
        self.hub = running_hub
        self.ann, self.bob, self.instructor = (running_hub.begin(name) for name in names)
        for user in (self.ann, self.bob, self.instructor):
            running_hub.wait(user)
        self.ask_formgrader(f"assignment/{LESSON}/release", "POST")

    def ask_formgrader(self, path: str, method: str = "GET") -> Any:
        """Send the request of one of formgrader's buttons, and return the reply."""
        body: dict[str, Any] | None = {} if method == "POST" else None
        status, text = self.hub.visit(self.instructor, f"formgrader/api/{path}", body)
        assert status == 200, text
        reply = json.loads(text)
        assert method == "GET" or reply["success"], reply
        return reply

    def press(self, student: User, action: str) -> list[dict[str, Any]]:
        """Send the request of a button in the assignment list, and return the new list."""
        body = {"assignment_id": LESSON, "course_id": "secant"}
        status, text = self.hub.visit(student, f"assignments/{action}", body)
        reply = json.loads(text)
        assert (status, reply["success"]) == (200, True), text
        return reply["value"]


@pytest.fixture(scope="module")
def classroom() -> Iterator[Classroom]:
    # The first two users are left out, because other tests may run as them at the same time.
    users = sorted((user.pw_uid, user.pw_name) for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)
    names = [name for _, name in users[2:5]]
    with hub(names) as running_hub:
        yield Classroom(running_hub, names)


def test_lesson_1_is_released_checked_and_graded_through_the_hub(classroom: Classroom) -> None:
    hub, ann, bob, instructor = classroom.hub, classroom.ann, classroom.bob, classroom.instructor
    page = hub.visit(ann, "lab")[1]
    assert '"name": "secant"' in page

    (lesson,) = find_lessons(hub.course)
    wrong_answer = wrong_answers(find_lessons(ROOT)[0])[0]
    for student, answers in ((ann, {}), (bob, {wrong_answer.task: wrong_answer.source})):
        classroom.press(student, "fetch")
        assert (student.home / PATH).is_file()
        hub.save(student, answers)
        _, text = hub.visit(student, f"secant/api/lesson?path={PATH}")
        assert json.loads(text)["lesson"] == lesson.name
        events = hub.check(student, PATH)
        expected = dict.fromkeys(TASKS, "passed") | dict.fromkeys(answers, "wrong")
        assert outcomes(events) == expected
        classroom.press(student, "submit")

    classroom.ask_formgrader(f"assignment/{LESSON}/collect", "POST")
    for student in (ann, bob):
        classroom.ask_formgrader(f"submission/{LESSON}/{student.name}/autograde", "POST")
    scores = {
        submission["student"]: submission["score"]
        for submission in classroom.ask_formgrader(f"submissions/{LESSON}")
    }
    assert scores == {ann.name: 10.0, bob.name: 8.0}
    classroom.ask_formgrader(f"assignment/{LESSON}/generate_feedback", "POST")
    classroom.ask_formgrader(f"assignment/{LESSON}/release_feedback", "POST")
    for student in (ann, bob):
        classroom.press(student, "fetch_feedback")
        (feedback,) = (student.home / LESSON / "feedback").rglob(f"{LESSON}.html")
        assert f"{scores[student.name]:g} of 10 points" in feedback.read_text()

    assert hub.visit(instructor, "formgrader/manage_assignments")[0] == 200
    assert hub.visit(ann, "formgrader/manage_assignments")[0] == 404
    assert hub.visit(instructor, "formgrader/manage_assignments", requester=ann)[0] == 403


# --- Isolation of users ---


@pytest.fixture
def kernel(classroom: Classroom) -> Iterator[tuple[BlockingKernelClient, Path]]:
    """Start a kernel for Ann, and yield its client and its connection file."""
    _, text = classroom.hub.visit(classroom.ann, "api/kernels", {"name": "python3"})
    kernel_id = json.loads(text)["id"]
    (file,) = classroom.ann.home.rglob(f"kernel-{kernel_id}.json")
    client = BlockingKernelClient(connection_file=str(file))
    client.load_connection_file()
    client.start_channels(hb=False)  # with a heartbeat, a slow kernel would count as dead
    client.wait_for_ready(timeout=60)
    yield client, file
    client.stop_channels()
    classroom.hub.ask(
        f"/user/{classroom.ann.name}/api/kernels/{kernel_id}", None, classroom.ann.token, "DELETE"
    )


@pytest.fixture
def running_check(classroom: Classroom, kernel: Any) -> Iterator[None]:
    """Run the test while a check of Ann's notebook takes 10 s; her kernel is started before the check."""
    ann = classroom.ann
    classroom.hub.save(ann, {TASKS[0]: ENDLESS.format(TASKS[0])}, "endless.ipynb")
    check = threading.Thread(target=classroom.hub.check, args=(ann, "endless.ipynb", TASKS[0]))
    check.start()
    try:
        assert wait_for(
            lambda: [folder for folder in Path("/tmp").glob("secant-check-*") if owner(folder) == ann.uid]
        )
        yield
    finally:
        classroom.hub.visit(ann, "secant/api/stop", {"path": "endless.ipynb"})
        check.join()


def owner(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.lstat().st_uid
    return -1


def socket_inodes(pids: list[int]) -> set[str]:
    """Return the inodes of the sockets that processes have open."""
    targets = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    targets.add(os.readlink(descriptor))
    return {link[len("socket:[") : -1] for link in targets if link.startswith("socket:[")}


def listening_ports(pids: list[int]) -> list[int]:
    """Return the TCP ports at which processes listen."""
    inodes = socket_inodes(pids)
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(line[1].split(":")[1], 16) for line in lines if line[3] == "0A" and line[9] in inodes]


def socket_names(pids: list[int]) -> list[str]:
    """Return the names of processes' named Unix sockets; an abstract name begins with @."""
    inodes = socket_inodes(pids)
    lines = [
        line.split(maxsplit=7) for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()[1:]
    ]
    return [line[7] for line in lines if len(line) == 8 and line[6] in inodes]


def run_as(user: User, function: Callable[[], Any]) -> Any:
    """Run a function as another user and return its result."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            become(user.name)
            os.write(writer, json.dumps(function()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        output = pipe.read()
    os.waitpid(child, 0)
    return json.loads(output)


def succeeds(action: Callable[[], Any]) -> bool:
    """Return whether a function runs without an OSError."""
    try:
        action()
    except OSError:  # no permission, or the process has exited
        return False
    return True


@pytest.mark.usefixtures("running_check")
def test_users_cannot_access_other_users_processes_and_files(classroom: Classroom, kernel: Any) -> None:
    hub, ann, bob = classroom.hub, classroom.ann, classroom.bob
    (template,) = (
        pid
        for pid in pids_of_users({ann.uid})
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
    files = [Path(top, name) for top in ("/tmp", "/var/tmp", "/dev/shm") for name in os.listdir(top)]
    private_paths = [str(path) for path in [*files, ann.home] if owner(path) == ann.uid]
    assert [path for path in private_paths if "secant-check-" in path]

    command_lines: dict[int, str] = {}

    def find_accessible() -> list[str]:
        accessible = [path for path in private_paths if os.access(path, os.R_OK) or os.access(path, os.W_OK)]
        for pid in command_lines:
            attempts = {
                f"/proc/{pid}/fd": lambda pid=pid: os.listdir(f"/proc/{pid}/fd"),
                f"signal to {pid}": lambda pid=pid: os.kill(pid, 0),
            }
            for name in ("environ", "mem", "maps"):
                path = f"/proc/{pid}/{name}"
                attempts[path] = lambda path=path: os.close(os.open(path, os.O_RDONLY))
            accessible += [name for name, attempt in attempts.items() if succeeds(attempt)]
        return accessible

    def owner_has_access() -> bool:  # may be False while a process starts or exits
        command_lines.clear()
        command_lines.update({pid: command(pid) for pid in pids_of_users({ann.uid})})
        # Ann's six kinds of process: server, template, kernel, worker, check, and parent of candidates.
        return len(command_lines) >= 6 and len(run_as(ann, find_accessible)) > 4 * len(command_lines)

    assert wait_for(owner_has_access)
    assert run_as(bob, find_accessible) == []
    assert not [line for line in command_lines.values() for secret in secrets if secret in line]
    inbound = hub.course.parent / "exchange" / "secant" / "inbound"
    assert succeeds(lambda: os.listdir(inbound))
    for folder in (hub.course, inbound):
        assert not run_as(bob, partial(succeeds, partial(os.listdir, folder)))


@pytest.mark.usefixtures("running_check")
def test_sockets_and_ports_are_accessible_only_to_their_owner(classroom: Classroom, kernel: Any) -> None:
    hub, ann, bob = classroom.hub, classroom.ann, classroom.bob
    client, file = kernel
    pids = pids_of_users({ann.uid})
    assert socket_names(pids) == []  # the template, the worker and candidates have sockets without a name
    connection_info = json.loads(file.read_text())
    zeromq = {number for name, number in connection_info.items() if name.endswith("_port")}
    ports = listening_ports(pids)
    assert zeromq < set(ports)
    endpoints = ["api/contents", "secant/api/lesson?path=endless.ipynb", "api/kernels", "lab"]

    def get_status(port: int, path: str, token: str) -> int:
        request = f"GET /user/{ann.name}/{path} HTTP/1.0\r\n{token}\r\n"
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.sendall(request.encode())
            return int(connection.recv(100).split()[1])

    def get_statuses(token: str) -> list[int]:
        return [get_status(server, path, token) for path in endpoints]

    (server,) = listening_ports([pid for pid in pids if "singleuser" in command(pid)])
    for token in ("", f"Authorization: token {bob.token}\r\n"):
        statuses = run_as(bob, partial(get_statuses, token))
        assert set(statuses) <= {302, 403}  # redirected to the hub's login, or refused
    assert get_status(server, endpoints[1], f"Authorization: token {ann.token}\r\n") == 200
    for name in ("check", "stop", "hint", "solution"):
        assert hub.visit(ann, f"secant/api/{name}", {"path": PATH, "task": TASKS[0]}, requester=bob)[0] in (
            403,
            405,
        )

    def listen() -> bool:
        with zmq.Context() as context, context.socket(zmq.SUB) as listener:
            listener.linger = 0
            listener.subscribe(b"")
            listener.connect(f"tcp://127.0.0.1:{connection_info['iopub_port']}")
            marker.write_text("")
            return bool(listener.poll(3000))

    marker = hub.course.parent / "listening"
    marker.touch()
    os.chown(marker, bob.uid, -1)
    results: list[bool] = []
    thread = threading.Thread(target=lambda: results.append(run_as(bob, listen)))
    thread.start()
    outputs: list[str] = []
    time.sleep(0.5)
    while thread.is_alive():
        client.execute_interactive(
            "print('a secret')",
            timeout=30,
            output_hook=lambda message: outputs.append(message["content"].get("text", "")),
        )
    assert "a secret\n" in outputs
    assert results == [False]
