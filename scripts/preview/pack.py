"""A compact format for the strings of an explorer's frames: each distinct string is stored only once.

A recording has thousands of frames that are nearly alike, but gzip finds repetitions only within 32 KB. A
frame has several parts, such as its text and each moving line, and each part is a string. The strings of a
part are split into a few templates and the columns of numbers that fill them. If a part does not depend on a
control, it is not stored again for each position of that control. `frames.js` restores the exact strings.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")
PLACES = 2  # maximum number of decimals of numbers that are stored as differences; others are stored as text


@dataclass(frozen=True)
class PackedTexts:
    """The packed strings of one part of a frame (such as its text), for all frames.

    Attributes:
        axes: the axes of the grid (the indices of the controls) that the part depends on.
        which: the index of the string at each grid point of these axes, with the last axis changing fastest.
            Each index is stored as its difference from the previous one.
        kinds: the index of each string's template, stored in the same way.
        templates: for each template, the text around its numbers, and a column with the values of each
            number.
    """

    axes: list[int]
    which: list[int]
    kinds: list[int]
    templates: list[dict[str, Any]]


def pack(texts: Sequence[str], shape: Sequence[int]) -> PackedTexts:
    """Pack the strings of one part of a frame, for all frames.

    Args:
        texts: one string for each point of the grid, with the last axis changing fastest.
        shape: the number of grid points along each axis.
    """
    index_of: dict[str, int] = {}
    indices = np.array([index_of.setdefault(text, len(index_of)) for text in texts]).reshape(shape)
    axes = [axis for axis in range(len(shape)) if (indices != indices.take([0], axis)).any()]
    for axis in set(range(len(shape))) - set(axes):
        indices = indices.take([0], axis)
    kinds: dict[tuple[str, ...], int] = {}
    rows: list[list[list[str]]] = []
    kind_of_text = []
    for text in index_of:
        words = _NUMBER.split(text)
        kind = kinds.setdefault(tuple(words[::2]), len(kinds))
        if kind == len(rows):
            rows.append([])
        rows[kind].append(words[1::2])
        kind_of_text.append(kind)
    templates = [
        _template(literals, columns) for (literals, _), columns in zip(kinds.items(), rows, strict=True)
    ]
    return PackedTexts(axes, distances(indices.ravel().tolist()), distances(kind_of_text), templates)


def distances(numbers: Sequence[int]) -> list[int]:
    """Return the differences between successive numbers; the first number is compared with 0."""
    return [b - a for a, b in zip([0, *numbers], numbers, strict=False)]


def _template(literals: tuple[str, ...], rows: list[list[str]]) -> dict[str, Any]:
    """Return a template: its text, and a column for each number that varies.

    A number that is always the same becomes part of the text.
    """
    words, columns = [literals[0]], []
    for numbers, literal in zip(zip(*rows, strict=True), literals[1:], strict=True):
        if len(set(numbers)) == 1:
            words[-1] += numbers[0] + literal
        else:
            words.append(literal)
            columns.append(_column(numbers))
    return {"words": words, "columns": columns}


def _column(numbers: Sequence[str]) -> Any:
    """Return a column of numbers as integer differences, or as text if differences would not be exact."""
    places = max(len(number.partition(".")[2]) for number in numbers)
    if places <= PLACES:
        integers = [round(float(number) * 10**places) for number in numbers]
        if all(
            f"{integer / 10**places:.{places}f}" == text
            for integer, text in zip(integers, numbers, strict=True)
        ):
            return {"places": places, "steps": distances(integers)}
    return " ".join(numbers)
