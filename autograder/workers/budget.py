"""The number of workers for which this machine has enough processors and memory."""

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from autograder.sandbox import cgroup
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.workers.worker import EXTRA_BYTES
from secant.language import counted

_MEGABYTE = 2**20
_GIGABYTE = 2**30
#: Bytes of memory for a worker: its own process, and the template process from which its containers are
#: forked (see benchmarks/memory.py).
WORKER_BYTES = 600 * _MEGABYTE
#: Bytes of memory reserved for the process that starts the workers, and for other programs, which may need
#: more memory later.
RESERVE_BYTES = 512 * _MEGABYTE


@dataclass(frozen=True)
class Budget:
    """The processors and the memory that this machine can spare.

    Attributes:
        cores: the number of processors that this process may use.
        free: bytes of free memory.
        worker_bytes: maximum number of bytes that one worker needs. This includes all the memory that its
            submission may use.
    """

    cores: int
    free: int
    worker_bytes: int

    @classmethod
    def of_this_machine(cls) -> Self:
        """Return the processors and the memory that this machine can spare now."""
        worker_bytes = WORKER_BYTES + EXTRA_BYTES + ContainerLimits().memory_mb * _MEGABYTE
        return cls(_cores(), _free_memory(), worker_bytes)

    @property
    def max_workers(self) -> int:
        """The number of workers for which there is enough memory."""
        return max(0, self.free - RESERVE_BYTES) // self.worker_bytes

    @property
    def workers(self) -> int:
        """The number of workers to start; at least one, even if memory is short."""
        return max(1, min(self.cores, self.max_workers))

    def __str__(self) -> str:
        free, needed = self.free / _GIGABYTE, self.worker_bytes / _GIGABYTE
        return (
            f"{counted(self.cores, 'core')}, {free:.1f} GB of memory free, at most {needed:.1f} GB a worker"
        )

    def allow(self, requested: int, submissions: int) -> tuple[int, str]:
        """Return how many workers may be started, and a sentence that explains the number.

        Args:
            requested: the number of workers that the user asked for; 0 to let this method choose.
            submissions: the number of submissions to grade.
        """
        count = min(requested, max(1, self.max_workers)) if requested else self.workers
        if count < requested:
            return (
                count,
                f"{counted(count, 'worker')} instead of {requested}, "
                f"for which memory may be too small: {self}.",
            )
        count = min(count, submissions)
        return count, f"{counted(count, 'worker')}: {self}."


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = cgroup.processors_allowed()
    return cores if allowed is None else min(cores, math.ceil(allowed))


def _free_memory() -> int:
    """Return the number of bytes of free memory.

    The number is the kernel's own estimate. If this process has a memory limit, the number does not exceed
    what is left of this limit.
    """
    limit = cgroup.memory_left()
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            available = int(line.split()[1]) * 1024
            return available if limit is None else min(available, limit)
    raise OSError("/proc/meminfo says nothing of available memory")
