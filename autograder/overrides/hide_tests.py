"""A step towards the feedback page: what is hidden in a release stays hidden."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests

from autograder.course.cells import is_test, split_tests

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Shorter lines, like a lone bracket, are everywhere and give nothing away.
_TELLING = 8


class ClearTests(ClearHiddenTests):
    """Clear the hidden tests. What was graded while they ran in another process needs no more."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        """Clear a test cell; in a student's own, nbgrader's marks are words, and would end in an error."""
        if not is_test(cell):
            return cell, resources
        cleared: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared


class HideTests(ClearTests):
    """Clear the hidden tests, and whatever in an output repeats their lines: for nbgrader's own engine.

    A check that fails renders only its message. Any other exception renders its frames, and those of a
    test cell show its code: of them only the student's own frames and the last line are kept. This stops
    accidents, not a student who prints the tests in disguise while they run: for that, keep them out of
    the student's process.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook without hidden tests."""
        everything = "\n".join(text for cell in nb.cells for text in _texts(cell))
        secret = {line for line in hidden_lines(nb) if line in everything}
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                if output.output_type == "error" and is_test(cell):
                    output.traceback = _own_frames(output, cell.execution_count)
                _censor(output, secret)
        cleared: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        return cleared


def _texts(cell: NotebookNode) -> Iterator[str]:
    """What a cell's outputs show, without colours."""
    for output in cell.get("outputs", []):
        texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", ())]
        yield from (_COLOUR.sub("", str(text)) for text in [*texts, *output.get("data", {}).values()])


def hidden_lines(nb: NotebookNode) -> set[str]:
    """Return the lines of code of the hidden tests that are long enough to give something away."""
    return {line for cell in nb.cells if is_test(cell) for line in _telling_lines(cell.source)}


@lru_cache(maxsize=64)
def _telling_lines(test: str) -> frozenset[str]:
    lines = (line.strip() for line in split_tests(test)[1].splitlines())
    return frozenset(line for line in lines if len(line) >= _TELLING)


def _own_frames(output: NotebookNode, test_number: int | None) -> list[str]:
    """Return a traceback without the frames of the test cell and of libraries."""
    if output.ename == "CheckFailed":
        return list(output.traceback)
    frames = []
    for entry in output.traceback:
        cell = re.match(r"(?:Cell In|Input In )\[(\d+)\]", _COLOUR.sub("", entry))
        if cell and int(cell[1]) != test_number:
            frames.append(entry)
    return [*frames, f"{output.ename}: {output.evalue}"]


def _without(secret: set[str], text: Any) -> Any:
    """Return a text, or an empty one if it shows a hidden line."""
    plain = _COLOUR.sub("", str(text))
    return "" if any(line in plain for line in secret) else text


def _censor(output: NotebookNode, secret: set[str]) -> None:
    """Empty each text of an output that shows a hidden line."""

    if output.output_type == "stream":
        output.text = _without(secret, output.text)
    elif output.output_type == "error":
        output.evalue = _without(secret, output.evalue)
        output.traceback = [_without(secret, entry) for entry in output.traceback]
    else:
        output.data = NotebookNode({kind: _without(secret, text) for kind, text in output.data.items()})
