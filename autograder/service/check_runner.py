"""The class that checks notebooks for the worker, and the imports that checks need.

Importing this module imports the examiner, torch, and the modules that tests would otherwise import late. So
the first check does not have to wait for them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import secant
from autograder.exam.checked_notebook import CheckedNotebook, NotebookReader
from autograder.exam.examiner import one_by_one
from autograder.exam.own_plain import run_visible_tests
from autograder.exam.pool import Pool
from autograder.exam.report import TaskResult
from autograder.exam.selfcheck import Checker
from autograder.sandbox.client import CandidateClient
from autograder.sandbox.inside import pages
from autograder.sandbox.inside.template import import_compiler
from autograder.service.describe import plain_end, plain_rows, row, task_texts

with pages.frozen_imports():
    import torch.func

    for _name in ("check", "graphs", "recipes", "observe", "operations", "formula", "polynomial", "watch"):
        getattr(secant, _name)

import_compiler()
torch.set_num_threads(1)  # a forked process can hang if its parent computes with several threads


class CheckRunner:
    """The worker's examiner of notebooks. Candidates (processes that run students' code) come from a pool.

    Args:
        pool: the pool that candidates come from.
        reader: the `NotebookReader` that reads the notebooks to examine.
        side_by_side: whether several tasks may be tested at the same time.
    """

    def __init__(self, pool: Pool, reader: NotebookReader, *, side_by_side: bool) -> None:
        run_tasks, kind = one_by_one, CandidateClient
        if side_by_side:
            from autograder.exam import side_by_side as forked

            run_tasks, kind = forked.side_by_side, forked.SharedCandidate
        self._checker = Checker(pool, run_tasks=run_tasks, kind=kind)
        self._checker.reader = reader

    def prepare(self, notebook: CheckedNotebook) -> None:
        """Prepare a lesson's tests once for all checks of that lesson's notebook."""
        if notebook.root is not None:
            self._checker.examiner(notebook)

    def examine(
        self, notebook: CheckedNotebook, only: str | None, on_row: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """Examine a notebook and return the score.

        Each task's verdict is passed to `on_row` as soon as it is known.
        """
        texts = task_texts(notebook)

        def pass_on(result: TaskResult) -> None:
            on_row(row(result, len(texts[result.id].hints) if result.id in texts else 0))

        report = self._checker.examine(notebook, only, pass_on)
        return {"score": report.score, "max_score": report.max_score}

    def run_plain(
        self, notebook: Path, below: Path, on_row: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """Run a notebook's own nbgrader tests, and return the data of the check's last event.

        The data of each cell that gives points is passed to `on_row`.
        """
        try:
            report = run_visible_tests(notebook, self._checker.pool, below=below)
        finally:
            self._checker.pool.refill()
        for plain_row in plain_rows(report):
            on_row(plain_row)
        return plain_end(report)
