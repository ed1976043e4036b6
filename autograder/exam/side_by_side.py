"""Asking several tasks at a time: for each a fork of the examiner, and a fork of the candidate as ever.

What a test cell sets (generators, the calls it names) is set in its own fork, so the verdicts are those of
one task after another. Linux only, and only in a process with a single thread.
"""

import dataclasses
import json
import os
import select
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.course.cells import Task
from autograder.exam.examiner import Ask
from autograder.exam.report import TaskResult
from autograder.sandbox.client import CandidateClient, TaskClient
from autograder.sandbox.container import Container
from autograder.sandbox.results import Crashed, WallError

LANES = min(4, len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else 1


class SharedCandidate(CandidateClient):
    """A candidate of which several copies live at a time. Ending one asks nothing of the loaded process."""

    def _ending_of_task(self, container: Container) -> Crashed:
        return Crashed("unknown")  # of a process without a wall, every end is told in the same words

    def _end_task(self, container: Container, child: int) -> None:
        container.sweep(child)


class _Parted(BaseException):
    """Leaves a task in the parent, while the fork goes on with it."""

    def __init__(self, lane: "_Lane") -> None:
        super().__init__()
        self.lane = lane


@dataclass
class _Lane:
    """A fork of the examiner that asks one task."""

    pid: int
    pipe: int
    copy: TaskClient

    def result(self, candidate: CandidateClient) -> TaskResult:
        """Read what it found out, and bury it."""
        with open(self.pipe, "rb") as pipe:
            said = pipe.read()
        os.waitpid(self.pid, 0)
        self.copy.close()
        if not said:
            raise WallError("the process that asked a task has ended")
        found = json.loads(said)
        if "error" in found:
            raise WallError(found["error"])
        candidate.spent += found["spent"]
        return TaskResult.from_json(found["result"])


class _Parting:
    """Stands for the loaded candidate: when a task asks for its copy, the examiner forks."""

    def __init__(self, candidate: CandidateClient) -> None:
        self._candidate = candidate
        self.begun = self.spent
        self.out: int | None = None  # in the fork: where the result goes

    @property
    def spent(self) -> float:
        return self._candidate.spent

    def task(self, seed: int = 0, *, last: bool = False) -> TaskClient:
        copy = self._candidate.task(seed)  # the last one too: others are still under way
        back, out = os.pipe()
        pid = os.fork()
        if pid:
            os.close(out)
            raise _Parted(_Lane(pid, back, copy))
        os.close(back)
        self.begun, self.out = self.spent, out
        return copy

    def send(self, found: dict[str, object]) -> None:
        """In the fork: hand over what was found, and end."""
        assert self.out is not None
        with open(self.out, "wb") as pipe:
            pipe.write(json.dumps(found).encode())
        os._exit(0)


def side_by_side(ask: Ask, candidate: CandidateClient, wanted: Sequence[Task]) -> Iterator[TaskResult]:
    """Ask as many tasks at a time as there are processors; results come as they are decided."""
    waiting, lanes = deque(wanted), dict[int, _Lane]()
    while waiting or lanes:
        while waiting and len(lanes) < LANES:
            begun = _begin(ask, candidate, waiting.popleft())
            if isinstance(begun, TaskResult):
                yield begun
            else:
                lanes[begun.pipe] = begun
        if lanes:
            for pipe in select.select(list(lanes), [], [])[0]:
                yield lanes.pop(pipe).result(candidate)


def _begin(ask: Ask, candidate: CandidateClient, task: Task) -> _Lane | TaskResult:
    """Begin a task: a fork that asks it, or its result where there is nothing to ask."""
    parting = _Parting(candidate)
    try:
        result = ask(parting, task)
    except _Parted as parted:
        return parted.lane
    except BaseException as error:
        if parting.out is None:
            raise
        parting.send({"error": f"{type(error).__name__}: {error}"})
        raise
    if parting.out is not None:
        parting.send({"result": dataclasses.asdict(result), "spent": parting.spent - parting.begun})
    return result
