"""Check a user's own notebook with the same intake and examiner as in grading, but without the sandbox.

    with Checker() as checker:
        report = checker.check(Path("01_what_autograd_does.ipynb"))

The code runs with the user's permissions, in a separate process. Nothing is sent anywhere, and the notebook
is not changed. In the class edition of the course (without hidden tests), only the visible tests are run.
Without a course, the notebook's own tests are run.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Self

from autograder.course.assignment import Assignment
from autograder.exam.checked_notebook import CheckedNotebook, CheckError, NotebookReader
from autograder.exam.examiner import Examiner, RunTasks
from autograder.exam.pool import Pool, WarmPool
from autograder.exam.report import Report, TaskResult
from autograder.sandbox.client import CandidateClient
from secant.language import say


class OwnProcesses:
    """The substitute for the sandbox in a self-check: ordinary processes of the user."""

    def __init__(self, pool: Pool, kind: type[CandidateClient] = CandidateClient) -> None:
        self._pool = pool
        self._kind = kind

    def candidate(self) -> CandidateClient:
        """Return a new candidate, to be used in a `with` statement."""
        return self._kind(self._pool.take)


class Checker:
    """A checker of notebooks that keeps its processes, and the courses it has read, for the next notebook.

    Args:
        pool: the pool of processes to use.
        keep_warm: whether to start the next process after each check.
        run_tasks: the function that runs several tasks; by default, they run one after another.
        kind: the class of the client that sends questions to the candidate.
    """

    def __init__(
        self,
        pool: Pool | None = None,
        *,
        keep_warm: bool = True,
        run_tasks: RunTasks | None = None,
        kind: type[CandidateClient] = CandidateClient,
    ) -> None:
        self._pool = pool or WarmPool()
        self._wall = OwnProcesses(self._pool, kind)
        self._keep_warm = keep_warm
        self._run_tasks = run_tasks
        self.reader = NotebookReader()
        self._examiners: dict[tuple[Path, str], tuple[Assignment, Examiner]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that are still waiting for a notebook."""
        self._pool.close()

    @property
    def pool(self) -> Pool:
        """The pool from which the checker takes its processes."""
        return self._pool

    def check(self, notebook: Path) -> Report:
        """Grade a notebook as the class's own grading would.

        Raises:
            CheckError: the file is not a notebook of this course.
            WallError: no process could be started.
        """
        return self.examine(self.reader.read(notebook))

    def examine(
        self,
        notebook: CheckedNotebook,
        only: str | None = None,
        on_result: Callable[[TaskResult], object] = lambda result: None,
    ) -> Report:
        """Grade a notebook that has already been read, or only one of its tasks.

        Args:
            notebook: the notebook.
            only: the id of the task to grade; None for all tasks.
            on_result: called with each task's result as soon as it is known.

        Raises:
            CheckError: the notebook's own tests cannot be read.
            WallError: no process could be started.
        """
        examiner = self.examiner(notebook)
        try:
            return examiner.grade(
                self._wall, notebook.script, only=only, run_tasks=self._run_tasks, on_result=on_result
            )
        finally:
            if self._keep_warm:
                self._pool.refill()

    def examiner(self, notebook: CheckedNotebook) -> Examiner:
        """Return the examiner for a notebook. Notebooks of the same lesson share one examiner.

        Raises:
            CheckError: the notebook's own tests cannot be read.
        """
        assignment = notebook.assignment
        if notebook.root is None:
            try:
                return Examiner(assignment.lesson, assignment.source, hidden=False)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                raise CheckError(
                    say(
                        en=f"The tests in this notebook cannot be read ({error}). Was a test cell changed?",
                        ko=f"이 노트북의 테스트를 읽을 수 없습니다({error}). 테스트 셀을 고치지 않았나요?",
                    )
                ) from None
        key = (notebook.root, assignment.lesson)
        if key not in self._examiners or self._examiners[key][0] is not assignment:
            self._examiners[key] = (
                assignment,
                Examiner(assignment.lesson, assignment.source, hidden=notebook.hidden),
            )
        return self._examiners[key][1]
