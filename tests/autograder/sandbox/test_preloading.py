"""Tests of importing a module in a fork on trial, before the template imports it."""

import sys

import pytest

from autograder.sandbox.inside.preloading import try_import
from tests.support.small_packages import Packages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the template runs on Linux")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("X = 1", ""),
        ("import time\ntime.sleep(60)", "its import takes longer than 0.5 s"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "its import ends the process"),
        ("raise ValueError('ä' * 10_000)", "ValueError: "),
    ],
    ids=["fine", "hangs", "dies", "long message"],
)
def test_trial_import_reports_why_a_module_cannot_be_imported(source: str, reason: str) -> None:
    with Packages() as packages:
        name = packages.write(source)
        problem = try_import(name, 30.0 if "longer" not in reason else 0.5)
        assert name not in sys.modules
    assert problem.startswith(reason)
    assert bool(problem) == bool(reason)
    assert len(problem) <= 2000
