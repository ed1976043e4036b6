"""A session without a network: an installed course works, and no process tries to use a network."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.jupyterlab import chromium_path

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_A_NETWORK = ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the record of a session without a network; see tests/support/offline.py."""
    if chromium_path() is None or shutil.which("bwrap") is None:
        reason = "Chromium or bubblewrap is not installed"
        if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("offline")
    result = subprocess.run(
        [*WITHOUT_A_NETWORK, sys.executable, "-m", "tests.support.offline", folder],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    record: dict[str, Any] = json.loads(result.stdout)
    assert record["cut off"]
    return record


def test_lesson_works_without_a_network(session: dict[str, Any]) -> None:
    observations = session["seen"]
    assert observations["formulas"] > 20  # MathJax's fonts and code are on this machine
    assert observations["before"] != observations["after"]


def test_browser_requests_stay_on_this_machine_and_succeed(session: dict[str, Any]) -> None:
    (server,) = set(re.findall(r"^http(://[^/]+/)", session["address"]))
    allowed_prefixes = (f"http{server}", f"ws{server}", "data:", "blob:")
    assert len(session["asked"]) > 50
    assert [address for address in session["asked"] if not address.startswith(allowed_prefixes)] == []
    assert session["failed"] == []


def test_no_python_process_connects_to_another_machine(session: dict[str, Any]) -> None:
    """No server, kernel or check connects to another machine, not even to resolve a name."""
    assert session["called"] != []
    local_address = r"127\.0\.0\.1|localhost|::1|None|^socket\.connect /"
    assert [line for line in session["called"] if not re.search(local_address, line)] == []


def test_answers_are_checked_without_a_network(session: dict[str, Any]) -> None:
    *tasks, end = session["seen"]["checked"]
    assert end["event"] == "end"
    outcomes = {event["task"]["outcome"] for event in tasks if event["event"] == "task"}
    assert outcomes == {"not_attempted"}
