"""Data types for a report: the text of a lesson or an assignment, and a student's answer."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course.hints import Catalogue
from secant.catalogue import SHARED, Texts, shared_hints
from secant.language import Language


@dataclass(frozen=True)
class SubmittedAnswer:
    """A student's text in the answer cell of a task."""

    text: str
    is_code: bool = True


@dataclass(frozen=True)
class LessonText:
    """The parts of a lesson's or an assignment's text that a report uses, with titles in one language.

    Attributes:
        name, title: the lesson's name and title.
        tasks: the titles of the lesson's tasks, keyed by id, in order.
        stubs: the released contents of each answer cell, in every language.
        hints: the lesson's own hints, keyed by task.
        texts: all text that a student may have read, and the course's own answers.
        code: the entries of `texts` that are code.
        answer_cells: for a plain nbgrader assignment, the notebook and the grade_id of each answer cell,
            keyed by the task that the cell belongs to; empty for a lesson.
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
        """Return the titles of the given tasks, joined by commas, in the order of the lesson."""
        return ", ".join(title for task, title in self.tasks.items() if task in tasks)

    def hint_scope(self, task: str, name: str) -> str:
        """Return the scope of a hint: the task's id, `all` for the whole lesson, or "" for all lessons."""
        return next((scope for scope in (task, SHARED) if name in self.hints.get(scope, {})), "")

    def hint_key(self, task: str, name: str) -> str:
        """Return the key of a hint within its lesson, in the format of `Misconception.key`."""
        return f"{self.hint_scope(task, name)}.{name}"

    def hint_text(self, scope: str, name: str, language: Language) -> str:
        """Return a hint's text, with "…" for each value that depends on the answer; "" for unknown hints."""
        texts: Texts = self.hints.get(scope, {}) if scope else shared_hints()
        text = texts.get(name, "")
        text = text if isinstance(text, str) else text.get(language, text["en"])
        return re.sub(r"\{\w*\}", "…", text)
