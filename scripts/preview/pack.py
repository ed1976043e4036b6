"""Texts on a grid, packed: what differs is kept once, for the axes that it depends on, and numbers apart.

A recording is thousands of frames that are nearly alike. gzip finds that only within 32 KB, so a part's texts
are first taken apart: into templates, which are few, and columns of the numbers in them. `frames.js` puts
them together again, letter for letter.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")
PLACES = 2  # decimals of a number that is kept as its distance from the one before, at most


@dataclass(frozen=True)
class Packed:
    """One part of all frames.

    Attributes:
        axes: those that it depends on.
        which: for each point of them, the last axis first, a number of a text, as distances.
        kinds: for each text its template, as distances.
        templates: what stands around the numbers, and a column for each of them.
    """

    axes: list[int]
    which: list[int]
    kinds: list[int]
    templates: list[dict[str, Any]]


def pack(texts: Sequence[str], shape: Sequence[int]) -> Packed:
    """Pack the texts of one part, one for each point of a grid, the last axis first."""
    known: dict[str, int] = {}
    which = np.array([known.setdefault(text, len(known)) for text in texts]).reshape(shape)
    axes = [axis for axis in range(len(shape)) if (which != which.take([0], axis)).any()]
    for axis in set(range(len(shape))) - set(axes):
        which = which.take([0], axis)
    kinds: dict[tuple[str, ...], int] = {}
    rows: list[list[list[str]]] = []
    of_text = []
    for text in known:
        words = _NUMBER.split(text)
        kind = kinds.setdefault(tuple(words[::2]), len(kinds))
        if kind == len(rows):
            rows.append([])
        rows[kind].append(words[1::2])
        of_text.append(kind)
    templates = [
        _template(literals, columns) for (literals, _), columns in zip(kinds.items(), rows, strict=True)
    ]
    return Packed(axes, distances(which.ravel().tolist()), distances(of_text), templates)


def distances(numbers: Sequence[int]) -> list[int]:
    """Return each number's distance from the one before, the first one's from 0."""
    return [b - a for a, b in zip([0, *numbers], numbers, strict=False)]


def _template(literals: tuple[str, ...], rows: list[list[str]]) -> dict[str, Any]:
    """Return a template: numbers that are always the same go into it."""
    words, columns = [literals[0]], []
    for numbers, literal in zip(zip(*rows, strict=True), literals[1:], strict=True):
        if len(set(numbers)) == 1:
            words[-1] += numbers[0] + literal
        else:
            words.append(literal)
            columns.append(_column(numbers))
    return {"words": words, "columns": columns}


def _column(numbers: Sequence[str]) -> Any:
    """Return numbers as decimals and distances, if that brings each of them back; else as they are."""
    places = max(len(number.partition(".")[2]) for number in numbers)
    if places <= PLACES:
        whole = [round(float(number) * 10**places) for number in numbers]
        if all(f"{one / 10**places:.{places}f}" == text for one, text in zip(whole, numbers, strict=True)):
            return {"places": places, "steps": distances(whole)}
    return " ".join(numbers)
