"""What a report knows of a lesson or an assignment before it looks at anybody's work, and an answer."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course.hints import Catalogue
from secant.catalogue import SHARED, Texts, usual
from secant.language import Language


@dataclass(frozen=True)
class Answer:
    """What a student wrote in the answer cell of a task."""

    text: str
    is_code: bool = True


@dataclass(frozen=True)
class Told:
    """What the course says of a lesson, in one language.

    Attributes:
        name, title: the lesson's.
        tasks: the titles of its tasks, by id, in order.
        stubs: what each answer cell held when it was released, in any language.
        hints: the lesson's own, by task.
        texts: all that a student may have read, and the course's own answers.
        code: the code among it.
        answer_cells: of an assignment with ordinary nbgrader tests, the notebook and the grade_id of each
            answer that a task is about; of a lesson, nothing.
    """

    name: str
    title: str
    tasks: Mapping[str, str]
    stubs: Mapping[str, frozenset[str]]
    hints: Catalogue
    texts: Sequence[str]
    code: Sequence[str]
    answer_cells: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def tasks_named(self, tasks: Collection[str]) -> str:
        """The titles of some tasks, in a line and in the order of the lesson."""
        return ", ".join(title for task, title in self.tasks.items() if task in tasks)

    def hint_scope(self, task: str, name: str) -> str:
        """Where a hint is recorded: for a task, for all tasks of the lesson, or (empty) for all lessons."""
        return next((scope for scope in (task, SHARED) if name in self.hints.get(scope, {})), "")

    def hint_key(self, task: str, name: str) -> str:
        """Return the key of a hint within its lesson, as `Misconception.key` has it."""
        return f"{self.hint_scope(task, name)}.{name}"

    def hint_text(self, scope: str, name: str, language: Language) -> str:
        """Return a hint's text with "…" for the values of a single answer; empty for an unknown hint."""
        texts: Texts = self.hints.get(scope, {}) if scope else usual()
        text = texts.get(name, "")
        text = text if isinstance(text, str) else text.get(language, text["en"])
        return re.sub(r"\{\w*\}", "…", text)
