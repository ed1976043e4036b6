"""Tests of a worker next to warm kernels: it needs little memory, ends when idle, and is soon replaced."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.memory import private_bytes
from tests.autograder.service.conftest import Server, start
from tests.autograder.service.test_service import TASKS, outcomes, stored_outcomes
from tests.support.processes import children, command, family
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
    pytest.mark.slow,  # a separate server and two workers
]
IDLE_MINUTES = "0.1"  # long enough to find the worker on a busy machine


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, home = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("home")
    new_server = start(folder, home, "autograder.kernels.server_extension", SECANT_IDLE_MINUTES=IDLE_MINUTES)
    try:
        yield new_server
    finally:
        new_server.process.terminate()
        new_server.process.wait(20)


@pytest.fixture(scope="module")
def template(server: Server) -> int:
    """Wait until the process that forks kernels and workers has a worker; return that process's id."""
    path = server.save("asked.ipynb", {})
    (pid,) = (pid for pid in children(server.process.pid) if "template.py" in command(pid))

    def has_a_worker() -> bool:
        if not server.workers():
            assert server.ask("GET", "lesson", path=path)[0] == 200
        return bool(children(pid))

    assert wait_for(has_a_worker, 60)
    return pid


@pytest.mark.whole
def test_an_idle_worker_ends_and_the_next_check_starts_another(server: Server, template: int) -> None:
    path = server.save("checked.ipynb", {})
    first = server.check(path)
    (worker,) = children(template)  # the worker is a fork of the template
    members = family(worker)
    assert len(members) == 2  # the worker, and the process that forks candidates
    # Two separate imports of torch would take 500 MB.
    assert sum(map(private_bytes, members)) < private_bytes(server.process.pid)
    assert wait_for(lambda: not [pid for pid in members if Path(f"/proc/{pid}").exists()])
    assert children(template) == []
    wait_event, *second = server.check_all(path)
    assert wait_event == {"event": "waits"}
    assert outcomes(second) == outcomes(first) == dict.fromkeys(TASKS, "passed")
    assert stored_outcomes(server, path) == outcomes(second)


@pytest.mark.whole
def test_worker_is_not_idle_during_a_long_check(server: Server) -> None:
    seconds = float(IDLE_MINUTES) * 60
    answer = f"def {TASKS[0]}(f, x, h):\n    import time\n    time.sleep({seconds + 1})"
    start_time = time.monotonic()
    end = server.check(server.save("long.ipynb", {TASKS[0]: answer}), TASKS[0])[-1]
    assert time.monotonic() - start_time > seconds
    assert end["event"] == "end"
