"""Run recorded answers against their test cells, as a quick check for the author of the cells.

The code is the author's own, so no sandbox is used. Each answer runs in a separate process, which is forked
from the current one.
"""

import contextlib
import multiprocessing
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from autograder.course.cells import Task, imports, split_tests, tasks
from autograder.course.errors import CourseError
from autograder.course.hints import contains_hint, unknown_hints, with_hints
from autograder.course.lesson import Answer, Lesson, read_lesson, right_answers, wrong_answers
from secant import PartialCredit, check
from secant.catalogue import read_hints
from secant.language import Language, language

_MAX_CHILDREN = os.cpu_count() or 1
_ANSWER_SECONDS = 120.0  # maximum number of seconds that an answer may take

Kind = Literal["own", "right", "wrong"]


@dataclass(frozen=True)
class TriedAnswer:
    """A recorded answer and the result of its test.

    Attributes:
        task: the task that the answer is for.
        kind: `own` for the course's own answer, otherwise `right` or `wrong`.
        message: the message that a student would read; empty for a pass.
        hint: the name of the hint in the message; empty if the message has no hint from a catalogue.
        mismatch: how the result differs from the recorded one; empty if it does not.
        passes_visible: whether the answer is wrong but passes the visible part of the test.
        earned: the points that a wrong answer earns if the task gives partial credit.
    """

    task: Task
    kind: Kind
    answer: Answer
    message: str
    hint: str
    mismatch: str
    passes_visible: bool = False
    earned: float = 0.0


def try_answers(lesson: Lesson, task: str, lang: Language) -> Iterator[TriedAnswer]:
    """Run the course's own answer to a task and all recorded answers against the task's test cell.

    Args:
        lesson: the lesson in course/; it need not be built.
        task: the task's id; empty for all tasks.
        lang: the language of the messages.

    Raises:
        CourseError: there is no such task, a test cell names a hint that no catalogue has, or the system
            cannot fork.
    """
    import_code, chosen_tasks = tasks_to_try(lesson, task)
    recorded_answers: list[tuple[Kind, Answer]] = [("right", answer) for answer in right_answers(lesson)]
    recorded_answers += [("wrong", answer) for answer in wrong_answers(lesson)]
    pending = deque[tuple[Task, Kind, Answer, Child]]()
    for chosen_task in chosen_tasks:
        assert chosen_task.test is not None
        own_answer = Answer("the course's own answer", chosen_task.id, chosen_task.answer.source)
        for kind, answer in [
            ("own", own_answer),
            *((k, a) for k, a in recorded_answers if a.task == chosen_task.id),
        ]:
            # A student has only the visible part of a test, so a wrong answer is also run against that part
            # alone.
            visible = split_tests(chosen_task.test.source)[0] if kind == "wrong" else ""
            child = Child(
                _run_and_send, f"{import_code}\n{answer.source}", chosen_task.test.source, visible, lang
            )
            pending.append((chosen_task, kind, answer, child))
            if len(pending) > _MAX_CHILDREN:
                yield _collect(*pending.popleft(), lang)
    for entry in pending:
        yield _collect(*entry, lang)


def tasks_to_try(lesson: Lesson, task: str) -> tuple[str, list[Task]]:
    """Execute a lesson's imports; return the code of the imports, and the tasks that `task` selects.

    The hints are filled into the test cells of these tasks. See `try_answers` for the arguments and errors.
    """
    if not hasattr(os, "fork"):
        raise CourseError("Answers are tried on Linux and macOS; on Windows use WSL 2.")
    notebook = read_lesson(lesson)
    catalogue = read_hints(lesson.folder)
    notebook.metadata["secant"] = {"hints": catalogue}
    chosen_tasks = [
        candidate
        for candidate in tasks(with_hints(notebook))
        if candidate.test is not None and task in ("", candidate.id)
    ]
    if not chosen_tasks:
        names = ", ".join(candidate.id for candidate in tasks(notebook) if candidate.test is not None)
        raise CourseError(f'Lesson {lesson.name} has no task "{task}" with a test cell; it has {names}.')
    missing = [
        text
        for chosen_task in chosen_tasks
        for text in unknown_hints(chosen_task.test.source if chosen_task.test else "", catalogue)
    ]
    if missing:
        raise CourseError(f"{', '.join(missing)}.")
    import_code = imports(notebook.cells)
    exec(import_code, {})  # importing takes about a second, so it is done once, before the forks
    return import_code, chosen_tasks


def _collect(task: Task, kind: Kind, answer: Answer, child: "Child", lang: Language) -> TriedAnswer:
    result = child.result()
    message, hint, passes_visible, earned = (result, "", False, 0.0) if isinstance(result, str) else result
    if kind != "wrong":
        return TriedAnswer(task, kind, answer, message, hint, "this answer must pass" if message else "")
    expected = answer.hint_name or answer.hint.get(lang, "")
    if answer.hint_name and not answer.hint:
        expected = f"{expected}, which hints.toml does not have for {task.id}"
    is_as_recorded = contains_hint(message, answer.hint.get(lang, "\0")) and hint in (
        "",
        answer.hint_name or hint,
    )
    mismatch = "" if is_as_recorded else f"recorded is: {expected}"
    if earned != answer.points:
        mismatch = f'it earns points="{earned:g}", and recorded are {answer.points:g}'
    return TriedAnswer(task, kind, answer, message, hint, mismatch, passes_visible, earned)


def summarize_rejections(tried_answers: Sequence[TriedAnswer]) -> tuple[str, bool]:
    """Count the wrong answers that the visible tests reject, and check that there are enough of them.

    At least two thirds of the wrong answers must be rejected, because students believe an answer to be right
    if it passes the visible tests.

    Returns:
        A sentence that states the number; True if enough wrong answers are rejected.
    """
    wrong = [tried_answer for tried_answer in tried_answers if tried_answer.kind == "wrong"]
    passing_names = [tried_answer.answer.name for tried_answer in wrong if tried_answer.passes_visible]
    sentence = f"The visible part refuses {len(wrong) - len(passing_names)} of {len(wrong)} wrong answers"
    if 3 * len(passing_names) <= len(wrong):
        return f"{sentence}.", True
    return f"{sentence}, but must refuse at least two thirds. These pass: {', '.join(passing_names)}.", False


class Child:
    """A process, forked from the current one, that runs an answer and sends one result.

    Args:
        target: the function to call in the process. It receives a connection for sending the result, followed
            by `arguments`.
    """

    def __init__(self, target: Callable[..., None], *arguments: object) -> None:
        context = multiprocessing.get_context("fork")
        self._connection, remote = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(target=target, args=(remote, *arguments), daemon=True)
        self._process.start()
        remote.close()

    def result(self) -> Any:
        """Return the object that the process sent, or a string with the reason why it sent nothing."""
        try:
            has_result = self._connection.poll(_ANSWER_SECONDS)
            result = self._connection.recv() if has_result else f"it did not end within {_ANSWER_SECONDS:g} s"
        except EOFError:
            result = "its process ended"
        self._process.kill()
        self._process.join()
        return result


def _run_and_send(connection: Connection, answer: str, test: str, visible: str, lang: Language) -> None:
    """Run an answer against its test, and send the result.

    The result is a tuple: the message (empty for a pass), the hint in the message, whether a wrong answer
    passes the visible tests, and the partial credit.
    """
    message, hint, earned = _run(answer, test, lang)
    passes_visible = bool(visible) and (not message or not _run(answer, visible, lang)[0])
    connection.send((message, hint, passes_visible, earned))


@contextlib.contextmanager
def quiet(lang: Language) -> Iterator[None]:
    """Set the language; in the `with` block, discard output and turn warnings into errors."""
    language(lang)
    with open(os.devnull, "w") as devnull, contextlib.redirect_stdout(devnull), warnings.catch_warnings():
        warnings.simplefilter("error")
        # DeprecationWarnings in torch's own code are ignored
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="torch")
        yield


def _run(answer: str, test: str, lang: Language) -> tuple[str, str, float]:
    """Run an answer and its test; return the message (empty for a pass), its hint and the partial credit."""
    earned = 0.0
    names: dict[str, object] = {"__name__": "__main__"}
    check.seed(os.urandom(8))
    with quiet(lang):
        try:
            exec(compile(answer, "answer", "exec"), names)
            exec(compile(test, "test", "exec"), names)
            if credit := PartialCredit.failed_in(names):
                earned = credit.earned
                raise credit.failure
        except check.CheckFailed as failure:
            return str(failure), failure.verdict.hint, earned
        except BaseException as error:  # an answer may raise any error, and the author needs to see it
            # the error's notes name the failed call, among other things
            notes = getattr(error, "__notes__", [])
            return "\n".join([f"{type(error).__name__}: {error}", *notes]), "", earned
    return "", "", earned
