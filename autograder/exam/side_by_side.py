"""Examine several tasks at once, each in its own fork of the examiner and of the candidate.

A test cell seeds random generators and records calls only in its own fork, so the verdicts are the same as
when the tasks run one after another. This works on Linux only, in a process with a single thread.
"""

import dataclasses
import json
import os
import select
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.course.cells import Task
from autograder.exam.examiner import RunTask
from autograder.exam.report import TaskResult
from autograder.sandbox.client import CandidateClient, TaskClient
from autograder.sandbox.container import Container
from autograder.sandbox.results import Crashed, WallError

MAX_CHILDREN = min(4, len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else 1


class SharedCandidate(CandidateClient):
    """A candidate that runs several copies of the loaded process at once.

    When a copy is killed, the loaded process is not asked to reap it, because all forks of the examiner share
    one channel to the loaded process.
    """

    def _ending_of_task(self, container: Container) -> Crashed:
        # The cause is not determined, because the message for a crash states one only in the sandbox.
        return Crashed("unknown")

    def _end_task(self, container: Container, child: int) -> None:
        container.kill_children(child)


class _ForkedAway(BaseException):
    """Raised in the parent process after a fork, so that only the child continues the task."""

    def __init__(self, child: "_ChildTask") -> None:
        super().__init__()
        self.child = child


@dataclass(frozen=True)
class _ChildTask:
    """A fork of the examiner that runs one task.

    Attributes:
        pid: the fork's process id.
        pipe: the descriptor from which the fork's result is read.
        copy: the copy of the candidate's loaded process in which this task runs.
    """

    pid: int
    pipe: int
    copy: TaskClient

    def result(self, candidate: CandidateClient) -> TaskResult:
        """Read the fork's result, and reap the process.

        Raises:
            WallError: the fork failed, or ended without a result.
        """
        with open(self.pipe, "rb") as pipe:
            data = pipe.read()
        os.waitpid(self.pid, 0)
        self.copy.close()
        if not data:
            raise WallError("the process that asked a task has ended")
        reply = json.loads(data)
        if "error" in reply:
            raise WallError(reply["error"])
        candidate.spent += reply["spent"]
        return TaskResult.from_json(reply["result"])


class _ForkOnTask:
    """A stand-in for the loaded candidate that forks the examiner when a task requests a copy.

    Attributes:
        spent_before: the seconds that the candidate had used when the task began.
        result_descriptor: in the fork, the descriptor to which the result is written.
    """

    def __init__(self, candidate: CandidateClient) -> None:
        self._candidate = candidate
        self.spent_before = self.spent
        self.result_descriptor: int | None = None

    @property
    def spent(self) -> float:
        return self._candidate.spent

    def task(self, seed: int = 0, *, last: bool = False) -> TaskClient:
        # `last` is not passed on: it would let this task use up the loaded process, which other tasks need
        copy = self._candidate.task(seed)
        result_pipe, result_descriptor = os.pipe()
        pid = os.fork()
        if pid:
            os.close(result_descriptor)
            raise _ForkedAway(_ChildTask(pid, result_pipe, copy))
        os.close(result_pipe)
        self.spent_before, self.result_descriptor = self.spent, result_descriptor
        return copy

    def send(self, data: dict[str, object]) -> None:
        """Send the result from the fork to its parent, and exit."""
        assert self.result_descriptor is not None
        with open(self.result_descriptor, "wb") as pipe:
            pipe.write(json.dumps(data).encode())
        os._exit(0)


def side_by_side(
    run_task: RunTask, candidate: CandidateClient, chosen_tasks: Sequence[Task]
) -> Iterator[TaskResult]:
    """Run up to `MAX_CHILDREN` tasks at once, and yield each result as soon as its task has finished."""
    queue, children = deque(chosen_tasks), dict[int, _ChildTask]()
    while queue or children:
        while queue and len(children) < MAX_CHILDREN:
            outcome = _start(run_task, candidate, queue.popleft())
            if isinstance(outcome, TaskResult):
                yield outcome
            else:
                children[outcome.pipe] = outcome
        if children:
            for pipe in select.select(list(children), [], [])[0]:
                yield children.pop(pipe).result(candidate)


def _start(run_task: RunTask, candidate: CandidateClient, task: Task) -> _ChildTask | TaskResult:
    """Start a task; return its fork or, if the task has no questions for the candidate, its result."""
    candidate_stand_in = _ForkOnTask(candidate)
    try:
        result = run_task(candidate_stand_in, task)
    except _ForkedAway as fork:
        return fork.child
    except BaseException as error:
        if candidate_stand_in.result_descriptor is None:
            raise
        candidate_stand_in.send({"error": f"{type(error).__name__}: {error}"})
        raise
    if candidate_stand_in.result_descriptor is not None:
        candidate_stand_in.send(
            {
                "result": dataclasses.asdict(result),
                "spent": candidate_stand_in.spent - candidate_stand_in.spent_before,
            }
        )
    return result
