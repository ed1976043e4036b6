"""Tests of the number of workers for a machine: by default, no more than its memory allows."""

import os

import pytest

from autograder.sandbox import cgroup
from autograder.workers.budget import RESERVE_BYTES, Budget

GIGABYTE = 2**30


def make_budget(cores: int, workers_in_memory: float) -> Budget:
    return Budget(cores, RESERVE_BYTES + int(workers_in_memory * 2 * GIGABYTE), 2 * GIGABYTE)


def test_one_worker_a_core_where_memory_allows() -> None:
    assert make_budget(4, 9.5).allow(0, 30)[0] == 4
    assert make_budget(4, 3.5).allow(0, 30)[0] == 3
    assert make_budget(4, 3.5).allow(0, 2)[0] == 2


def test_one_worker_even_where_memory_is_short() -> None:
    assert make_budget(4, 0.5).allow(0, 30)[0] == 1
    assert make_budget(4, -1).allow(3, 30)[0] == 1


def test_more_workers_than_memory_allows_are_warned_about() -> None:
    workers, message = make_budget(2, 3.5).allow(8, 30)
    assert workers == 3
    assert message == (
        "3 workers instead of 8, for which memory may be too small: "
        "2 cores, 7.5 GB of memory free, at most 2.0 GB a worker."
    )
    workers, message = make_budget(2, 9).allow(8, 30)
    assert (workers, message.split(":")[0]) == (8, "8 workers")


@pytest.mark.parametrize(("processors_allowed", "cores"), [(None, 4), (0.3, 1), (2.5, 3), (16.0, 4)])
def test_a_part_of_a_processor_counts_as_one(
    processors_allowed: float | None, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)), raising=False)
    monkeypatch.setattr(cgroup, "processors_allowed", lambda: processors_allowed)
    assert Budget.of_this_machine().cores == cores


def test_this_machines_budget_is_plausible() -> None:
    budget = Budget.of_this_machine()
    assert budget.cores >= 1
    assert GIGABYTE < budget.worker_bytes < 4 * GIGABYTE
    assert 0 < budget.free < 2**50
