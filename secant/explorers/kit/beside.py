"""The words beside an explorer, in a .toml of its name: picture, legend, lists, rows, remarks, questions."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from secant.explorers.kit.buttons import Question
from secant.explorers.kit.words import Entry
from secant.language import say


def questions(file: str, name: str = "question") -> list[Question]:
    """Return the questions of one list of that name in an explorer's .toml file, in their order."""
    return [Question(**question) for question in _beside(file)[name]]


def legend(file: str, *columns: Mapping[str, str]) -> list[list[Entry]]:
    """Return the columns of a legend: drawings by names, with words beside an explorer, in their order."""
    said = _beside(file)["legend"]
    return [
        [(one[name], said[name]["en"], said[name]["ko"]) for name in said if name in one] for one in columns
    ]


def remarks(file: str) -> dict[str, dict[str, str]]:
    """Return the remarks beside an explorer's file, by name, in every language; see `Findings.remark`."""
    found: dict[str, dict[str, str]] = _beside(file)["remark"]
    return found


def label(file: str, name: str) -> str:
    """Return what a number of that name is called, in the words beside an explorer's file."""
    return say(**_beside(file)["row"][name])


def options(file: str, name: str) -> list[tuple[str, str]]:
    """Return what can be chosen from a list, as the words beside an explorer's file say it: text, value."""
    return [(say(**words), value) for value, words in _beside(file)["choice"][name].items()]


def alt(file: str, name: str = "alt") -> str:
    """Return the description of a picture in an explorer's .toml file, with {...} where numbers go."""
    return say(**_beside(file)[name])


@cache
def _beside(file: str) -> dict[str, Any]:
    return tomllib.loads(Path(file).with_suffix(".toml").read_text(encoding="utf-8"))
