"""Tests of whether the submission or the wall is at fault when a container ends."""

import errno
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.container import WalledContainer
from autograder.sandbox.inside import supervisor
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.inside.stopwatch import Stopwatch
from autograder.sandbox.results import WallError


class Scene:
    """A container whose supervisor is played by the test."""

    def __init__(self) -> None:
        self.channel, self.candidate = socket.socketpair()
        container_socket, self.supervisor = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.wall_stands = True
        self.container = WalledContainer(
            self.channel, container_socket, ContainerLimits(), lambda: self.wall_stands
        )

    def ending(self, **message: object) -> tuple[str, int]:
        self.supervisor.send(json.dumps(message).encode())
        return self.close_supervisor()

    def close_supervisor(self) -> tuple[str, int]:
        self.supervisor.close()
        crash = self.container.ending()
        return crash.reason, crash.detail

    def close(self) -> None:
        self.supervisor.close()
        self.candidate.close()
        self.container.close()


@pytest.fixture
def scene() -> Iterator[Scene]:
    new_scene = Scene()
    yield new_scene
    new_scene.close()


@pytest.mark.parametrize(
    ("over", "reason"),
    [(0, ("exit", 0)), (-11, ("signal", 11)), ("memory", ("memory", 0)), ("used up", ("unknown", 0))],
)
def test_reason_given_by_the_supervisor_is_charged_to_the_submission(
    scene: Scene, over: object, reason: tuple[str, int]
) -> None:
    assert scene.ending(over=over) == reason


def test_supervisor_exit_without_reason_is_charged_to_the_submission(scene: Scene) -> None:
    assert scene.close_supervisor() == ("unknown", 0)


def test_supervisor_killed_for_lack_of_memory_reports_the_reason(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "memory.events").write_text("oom 3\noom_kill 1\n")
    scene.container._cgroup = Cgroup([tmp_path])
    assert scene.close_supervisor() == ("memory", 0)
    (tmp_path / "memory.events").unlink()


def test_supervisor_ended_with_its_wall_is_not_the_submissions_fault(scene: Scene) -> None:
    scene.wall_stands = False
    with pytest.raises(WallError, match="the wall with it"):
        scene.close_supervisor()


def test_internal_error_of_the_supervisor_is_a_wall_error(scene: Scene) -> None:
    with pytest.raises(WallError, match="KeyError"):
        scene.ending(error="KeyError: 'x'")


def test_unanswering_supervisor_counts_as_not_cleaned_up(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.sandbox.container.CONTAINER_SECONDS", 0.05)
    assert not scene.container.kill_children(0)
    scene.supervisor.close()
    assert not scene.container.kill_children(0)


@pytest.mark.parametrize(
    ("error", "report"),
    [
        (MemoryError(), "memory"),
        (OSError(errno.ENOMEM, ""), "used up"),
        (OSError(errno.EMFILE, ""), "used up"),
        (OSError(errno.EIO, ""), None),
        (KeyError("x"), None),
    ],
    ids=repr,
)
def test_supervisor_that_cannot_watch_its_processes_ends_the_container(
    error: Exception, report: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def watch(*_: object) -> None:
        raise error

    monkeypatch.setattr(supervisor, "_watch", watch)
    container_socket, supervisor_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with container_socket, supervisor_socket:
        if report is None:
            with pytest.raises(type(error)):
                supervisor.watch(supervisor_socket, 0, ContainerLimits())
        else:
            supervisor.watch(supervisor_socket, 0, ContainerLimits())
            assert json.loads(container_socket.recv(100)) == {"over": report}


def test_counting_memory_uses_only_a_share_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting memory is not charged to the submission's processor share, and takes longer for more pages."""
    pauses, end_times = [], [0.0]

    def count(limit: int) -> int:
        pauses.append(time.monotonic() - end_times[-1])
        end_time = time.process_time() + 0.1
        while time.process_time() < end_time:
            pass
        end_times.append(time.monotonic())
        return 0

    for name in ("_reap_orphans", "kill_headless"):
        monkeypatch.setattr(supervisor, name, lambda *_: None)
    monkeypatch.setattr(Stopwatch, "look", lambda self: None)
    monkeypatch.setattr(supervisor, "memory_in_use", count)
    container_socket, supervisor_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with container_socket, supervisor_socket, subprocess.Popen(["sleep", "60"]) as candidate:
        threading.Timer(1.5, container_socket.close).start()
        supervisor._watch(supervisor_socket, candidate.pid, ContainerLimits())
        candidate.kill()
    assert min(pauses) > 0.3
