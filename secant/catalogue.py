"""The hints of a lesson's tasks. course/LESSON/hints.toml holds them, keyed by name, in every language."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Self

from secant.language import say
from secant.where import course_above

#: Hints, keyed by name. Each hint is one string, or a mapping of strings keyed by language.
Texts = Mapping[str, str | Mapping[str, str]]
#: The section of hints.toml for hints that several tasks of a lesson share.
SHARED = "all"


class Hint(str):
    """The text of a hint: a string that keeps the hint's name when it is formatted or joined with others.

    Attributes:
        name: the hint's name in the catalogue, the same in every language.
    """

    name: str

    def __new__(cls, text: str, name: str) -> Self:
        """Create a hint from its text and its name."""
        hint = super().__new__(cls, text)
        hint.name = name
        return hint

    def format(self, *args: object, **kwargs: object) -> "Hint":
        """Return the formatted text as a hint with the same name."""
        return Hint(super().format(*args, **kwargs), self.name)

    def __add__(self, end: str) -> "Hint":
        """Return a hint with the same name and with `end` added at the end."""
        return Hint(super().__add__(end), self.name)

    def __radd__(self, start: str) -> "Hint":
        """Return a hint with the same name and with `start` added in front."""
        return Hint(start + str(self), self.name)


class Hints:
    """The hints of a task, as attributes: `hint.mean`.

    A name that the task lacks is looked up among the hints that all lessons share.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def __getattr__(self, name: str) -> Hint:
        if name.startswith("__"):
            raise AttributeError(name)
        text = self._texts.get(name) or shared_hints().get(name, "")
        return Hint(text if isinstance(text, str) else say(**{"ko": text["en"], **text}), name)


def hints(task: str = "", texts: Texts | None = None, /, **task_hints: str) -> Hints:
    """Return the hints of a task.

    Args:
        task: the task's id. A built notebook contains its hints. A notebook in source/ reads them from the
            course that contains it, and every hint is empty if there is no such course.
        texts: all hints, keyed by name, then by language. A grader and the gradebook pass hints in this form.
        **task_hints: the hints that a released test cell needs, in its language.
    """
    return Hints(texts if texts is not None else task_hints or of_task(_catalogue(), task))


def name_of(text: str) -> str:
    """Return the name of the hint if the text is a `Hint`, and an empty string if it is a plain string."""
    return text.name if isinstance(text, Hint) else ""


@cache
def shared_hints() -> Texts:
    """Return the hints that the tests of all lessons share, keyed by name, then by language."""
    return tomllib.loads((Path(__file__).parent / "hints.toml").read_text(encoding="utf-8"))


def of_task(catalogue: Mapping[str, Texts], task: str) -> Texts:
    """Return a task's hints from a lesson's catalogue, and the hints that all tasks of the lesson share."""
    return {**catalogue.get(SHARED, {}), **catalogue.get(task, {})}


def read_hints(lesson: Path) -> dict[str, Texts]:
    """Return the hints in a lesson's folder, keyed by task, name and language; empty if there are none.

    Raises:
        ValueError: if hints.toml is not valid TOML.
    """
    path = lesson / "hints.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _catalogue() -> dict[str, Texts]:
    lesson = Path.cwd()
    root = course_above(lesson)
    return read_hints(root / "course" / lesson.name) if root else {}
