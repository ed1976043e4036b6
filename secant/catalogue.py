"""A lesson's hints, by name: course/LESSON/hints.toml holds them in every language, side by side."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from secant.language import say
from secant.where import course_above

#: A hint's text, or its texts by language.
Texts = Mapping[str, str | Mapping[str, str]]
#: The section of hints that several tasks of a lesson share.
SHARED = "all"


class Hints:
    """The hints of a task, as attributes: `hint.mean`. Those that it does not have are the kit's own."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        text = self._texts.get(name) or usual().get(name, "")
        return text if isinstance(text, str) else say(**{"ko": text["en"], **text})


def hints(task: str = "", texts: Texts | None = None, /, **chosen: str) -> Hints:
    """Return the hints of a task.

    Args:
        task: whose hints they are. A built notebook holds their texts; a notebook of source/ finds them in
            the course that it stands in, and without one a hint says nothing.
        texts: all of them, by name, then by language: what a grader and the gradebook use.
        **chosen: those that a released test cell needs, in its language.
    """
    return Hints(texts if texts is not None else chosen or of_task(_catalogue(), task))


def name_of(hints: object, text: str) -> str:
    """Return the name of the hint that says this, in whatever language; nothing if none does."""
    known = {**usual(), **(hints._texts if isinstance(hints, Hints) else {})}
    said = ((name, [one] if isinstance(one, str) else one.values()) for name, one in known.items())
    return next((name for name, texts in said if text in texts), "") if text else ""


@cache
def usual() -> Texts:
    """Return the hints that tests of every lesson share: by name, then by language."""
    return tomllib.loads((Path(__file__).parent / "hints.toml").read_text(encoding="utf-8"))


def of_task(catalogue: Mapping[str, Texts], task: str) -> Texts:
    """Return the hints of a task in a lesson's catalogue, and those that all its tasks share."""
    return {**catalogue.get(SHARED, {}), **catalogue.get(task, {})}


def read_hints(lesson: Path) -> dict[str, Texts]:
    """Return the catalogue in a lesson's folder: by task, by name, by language; empty if there is none.

    Raises:
        ValueError: it is not TOML.
    """
    path = lesson / "hints.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _catalogue() -> dict[str, Texts]:
    here = Path.cwd()
    root = course_above(here)
    return read_hints(root / "course" / here.name) if root else {}
