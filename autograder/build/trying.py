"""What each recorded answer is told by the test cell of its task: quick, for who writes the cell.

The code is the author's own, so there is no wall; each answer has a process of its own, forked from this one.
"""

import contextlib
import multiprocessing
import os
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Literal

from autograder.course.cells import Task, imports, tasks
from autograder.course.errors import CourseError
from autograder.course.hints import with_hints
from autograder.course.lesson import Answer, Lesson, read_lesson, right_answers, wrong_answers
from secant import check
from secant.catalogue import name_of, read_hints
from secant.language import Language, language

_LANES = os.cpu_count() or 1
_SECONDS = 120.0  # that an answer may take

Kind = Literal["own", "right", "wrong"]


@dataclass(frozen=True)
class Tried:
    """An answer, and what came of it.

    Attributes:
        kind: the course's own answer, a right one, or a wrong one.
        message: what a student would read; nothing for a pass.
        hint: the name of the hint that the message gives, if a catalogue has it.
        amiss: what is not as recorded.
    """

    kind: Kind
    answer: Answer
    message: str
    hint: str
    amiss: str


def try_answers(lesson: Lesson, task: str, tongue: Language) -> Iterator[Tried]:
    """Give the course's own answer to a task, and those recorded beside the lesson, to its test cell.

    Args:
        lesson: as it stands in course/, built or not.
        task: its id; all tasks if it is empty.
        tongue: the language of the messages.

    Raises:
        CourseError: there is no such task, or the system cannot fork.
    """
    if not hasattr(os, "fork"):
        raise CourseError("Answers are tried on Linux and macOS; on Windows use WSL 2.")
    notebook = read_lesson(lesson)
    notebook.metadata["secant"] = {"hints": read_hints(lesson.folder)}
    chosen = [one for one in tasks(with_hints(notebook)) if one.test is not None and task in ("", one.id)]
    if not chosen:
        names = ", ".join(one.id for one in tasks(notebook) if one.test is not None)
        raise CourseError(f'Lesson {lesson.name} has no task "{task}" with a test cell; it has {names}.')
    recorded: list[tuple[Kind, Answer]] = [("right", one) for one in right_answers(lesson)]
    recorded += [("wrong", one) for one in wrong_answers(lesson)]
    first, begun = imports(notebook.cells), deque[tuple[Kind, Answer, _Asked]]()
    exec(first, {})  # which takes a second, and once here is often enough
    for one in chosen:
        own = Answer("the course's own answer", one.id, one.answer.source)
        for kind, answer in [("own", own), *((k, a) for k, a in recorded if a.task == one.id)]:
            begun.append((kind, answer, _Asked(one, f"{first}\n{answer.source}", tongue)))
            if len(begun) > _LANES:
                yield _tried(*begun.popleft(), tongue)
    for kind, answer, asked in begun:
        yield _tried(kind, answer, asked, tongue)


def _tried(kind: Kind, answer: Answer, asked: "_Asked", tongue: Language) -> Tried:
    message, hint = asked.told()
    if kind != "wrong":
        return Tried(kind, answer, message, hint, "it has to pass" if message else "")
    want = answer.hint_name or answer.hint.get(tongue, "")
    told = answer.hint.get(tongue, "\0") in message and hint in ("", answer.hint_name or hint)
    return Tried(kind, answer, message, hint, "" if told else f"recorded is: {want}")


class _Asked:
    """An answer in a process of its own."""

    def __init__(self, task: Task, answer: str, tongue: Language) -> None:
        assert task.test is not None
        context = multiprocessing.get_context("fork")
        self._here, there = context.Pipe(duplex=False)
        arguments = there, answer, task.test.source, tongue
        self._process: BaseProcess = context.Process(target=_ask, args=arguments, daemon=True)
        self._process.start()
        there.close()

    def told(self) -> tuple[str, str]:
        """Return the message, empty for a pass, and the name of its hint."""
        try:
            found = self._here.recv() if self._here.poll(_SECONDS) else (f"no end in {_SECONDS:g} s", "")
        except EOFError:
            found = "its process ended", ""
        self._process.kill()
        self._process.join()
        message, hint = found
        return message, hint


def _ask(there: Connection, answer: str, test: str, tongue: Language) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    language(tongue)
    check.seed(os.urandom(8))
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="torch")  # about its own code
        try:
            exec(compile(answer, "answer", "exec"), names)
            exec(compile(test, "test", "exec"), names)
        except check.CheckFailed as failure:
            there.send((str(failure), name_of(names.get("hint"), failure.cause)))
        except BaseException as error:  # whatever an answer raises is what its author wants to read
            there.send((f"{type(error).__name__}: {error}", ""))
        else:
            there.send(("", ""))
