"""The class `Case`, and the list of all cases; each group of cases is in a separate file.

A case makes a submission in a folder, in one or more variants (`wrong`, `right`), and states the outcome that
each variant must get. Without the trick, the variant `wrong` gets no points, and the variant `right` gets all
points; by default, the trick must not change these points.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hostile.world import LESSON, RIGHT, TASKS, WRONG, World

#: The content of a submission: a notebook, a notebook file's bytes, or files by name (bytes or a Link).
Submission = dict[str, Any] | bytes | Mapping[str, "bytes | Link"]
Maker = Callable[[World, Mapping[str, str]], Submission]


@dataclass(frozen=True)
class Link:
    """A symbolic link to the path `target`, or a FIFO if `target` is empty."""

    target: str = ""


@dataclass(frozen=True)
class Case:
    """One trick, as a submission, and the result that the grader must give.

    Attributes:
        id: A01 to E38 as in ids.txt, X.. for cases added later; the package's docstring explains the letters.
        make: the function that makes the submission, from a world and the answers.
        expected: by variant (`wrong`, `right`), the outcome of each task, or one outcome for all tasks.
        flags: integrity flags that staff must see.
        message: a text that must occur in the messages of the report.
        limits: time limits to lower for this case, in seconds, by the name of the examiner's constant.
        container_limits: fields of ContainerLimits to lower for this case.
        reason: the reason of an expected rejection; alternatives are separated by `|`.
        repeat: whether to grade the submission a second time and compare the results; False for cases that
            wait for a time limit, or whose output varies.
    """

    id: str
    title: str
    make: Maker
    expected: dict[str, str | tuple[str, ...]]
    flags: tuple[str, ...] = ()
    message: str = ""
    limits: dict[str, float] = field(default_factory=dict)
    container_limits: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    repeat: bool = True

    @property
    def group(self) -> str:
        """The letter of the case's group."""
        return self.id[0]

    def outcomes(self, variant: str) -> tuple[str, ...]:
        """Return the expected outcome of each task; alternatives are separated by `|`."""
        expected = self.expected[variant]
        return (expected,) * len(TASKS) if isinstance(expected, str) else expected

    def answers(self, variant: str) -> Mapping[str, str]:
        """Return a variant's answers, without the trick."""
        return RIGHT if variant == "right" else WRONG


CASES: dict[str, Case] = {}

#: Lowered time limits in seconds, for cases that wait for a time limit.
QUICK = {"QUESTION_SECONDS": 0.6, "TASK_SECONDS": 1.2, "LOAD_SECONDS": 2.0}


def add(case: Case) -> None:
    """Add a case to `CASES`."""
    assert case.id not in CASES, case.id
    CASES[case.id] = case


def add_both(id: str, title: str, make: Maker, **options: Any) -> None:
    """Add a trick that must neither help a wrong answer nor hurt a right one."""
    add(Case(id, title, make, {"wrong": "wrong", "right": "passed"}, **options))


def add_wrong(
    id: str, title: str, make: Maker, expected: str | tuple[str, ...] = "wrong", **options: Any
) -> None:
    """Add a trick with a wrong answer, or with an answer that cannot be right."""
    add(Case(id, title, make, {"wrong": expected}, **options))


def add_right(
    id: str, title: str, make: Maker, expected: str | tuple[str, ...] = "passed", **options: Any
) -> None:
    """Add a right answer with something odd about it."""
    add(Case(id, title, make, {"right": expected}, **options))


def add_rejected(id: str, title: str, make: Maker, reason: str, **options: Any) -> None:
    """Add a file that cannot be graded."""
    add(Case(id, title, make, {"right": "rejected"}, reason=reason, **options))


def prelude(code: str) -> Maker:
    """Return a function that makes a submission with the trick in a separate cell before the answers."""
    return lambda world, answers: world.notebook(answers, first=code.replace("ROOT", str(world.root)))


def write(submission: Submission, folder: Path) -> None:
    """Put a submission into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{LESSON}.ipynb"
    if isinstance(submission, bytes):
        files: Mapping[str, Any] = {name: submission}
    elif "cells" in submission or "worksheets" in submission:
        files = {name: json.dumps(submission).encode()}
    else:
        files = submission
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link) and content.target:
            path.symlink_to(content.target)
        elif isinstance(content, Link):
            import os

            os.mkfifo(path)
        else:
            path.write_bytes(content)


def load_all() -> dict[str, Case]:
    """Return every case by its id, in the order of the ids."""
    from tests.hostile import (  # noqa: F401
        exhausting,
        forging,
        honest,
        inventive,
        leaking,
        malformed,
        neighbours,
        shared,
    )

    return dict(sorted(CASES.items()))
