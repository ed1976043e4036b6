"""Functions that read the text of the explorers from .toml files.

Each explorer's module has a .toml file of the same name. The file holds the figure's text alternative, the
legend, and the options, labels, remarks and questions.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from secant.explorers.kit.buttons import LessonQuestion
from secant.explorers.kit.words import Entry
from secant.language import say


def questions(file: str, name: str = "question") -> list[LessonQuestion]:
    """Return the questions listed under `name` in an explorer's .toml file, in the order of the file."""
    return [LessonQuestion(**question) for question in _texts(file)[name]]


def legend(file: str, *columns: Mapping[str, str]) -> list[list[Entry]]:
    """Return the columns of a legend, each with its entries in the order of the explorer's .toml file.

    Args:
        file: the explorer's module file, which has the .toml file next to it.
        columns: for each column, a mapping from its entries' names in the .toml file to their drawings.
    """
    texts = _texts(file)["legend"]
    return [
        [(column[name], texts[name]["en"], texts[name]["ko"]) for name in texts if name in column]
        for column in columns
    ]


def remarks(file: str) -> dict[str, dict[str, str]]:
    """Return the remarks in an explorer's .toml file, keyed by name and language; see `Findings.remark`."""
    texts: dict[str, dict[str, str]] = _texts(file)["remark"]
    return texts


def label(file: str, name: str) -> str:
    """Return the label of the row `name` in the table of numbers, from the explorer's .toml file."""
    return say(**_texts(file)["row"][name])


def options(file: str, name: str) -> list[tuple[str, str]]:
    """Return the options of the dropdown `name` as (label, value) pairs, from the explorer's .toml file."""
    return [(say(**words), value) for value, words in _texts(file)["choice"][name].items()]


def alt(file: str, name: str = "alt") -> str:
    """Return the figure's text alternative from the .toml file, with {...} placeholders for numbers."""
    return say(**_texts(file)[name])


@cache
def _texts(file: str) -> dict[str, Any]:
    return tomllib.loads(Path(file).with_suffix(".toml").read_text(encoding="utf-8"))
