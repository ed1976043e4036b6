"""nbgrader preprocessors that keep the hidden tests of a release out of feedback pages."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests

from autograder.course.cells import is_test, split_tests

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Minimum length of a line that could reveal a hidden test. Shorter lines, such as a lone bracket, occur
# everywhere.
_MIN_REVEALING_CHARS = 8


class ClearTests(ClearHiddenTests):
    """A preprocessor that clears the hidden tests from test cells.

    This is enough if the hidden tests ran in another process, because then outputs cannot quote them.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        """Clear the hidden tests from a test cell, and leave other cells alone.

        In a cell that the student wrote, nbgrader's markers are ordinary text, and clearing them could raise
        an error.
        """
        if not is_test(cell):
            return cell, resources
        cleared: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared


class HideTests(ClearTests):
    """A preprocessor for nbgrader's own engine. It clears hidden tests, and outputs that quote them.

    The output of a failed check shows only a message. The output of any other exception shows stack frames,
    and the frame of a test cell shows the cell's code. Therefore, only the frames in the student's cells and
    the last line of the traceback are kept. This preprocessor prevents accidental disclosure. It does not
    stop a student's code from printing the tests in disguise while they run; for that, the tests have to run
    in another process.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Remove all hidden tests from the notebook, and all output strings that quote them."""
        all_text = "\n".join(text for cell in nb.cells for text in _texts(cell))
        secret_lines = {line for line in hidden_lines(nb) if line in all_text}
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                if output.output_type == "error" and is_test(cell):
                    output.traceback = _student_frames(output, cell.execution_count)
                _censor(output, secret_lines)
        cleared: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        return cleared


def _texts(cell: NotebookNode) -> Iterator[str]:
    """Yield the strings in a cell's outputs after removing colour codes."""
    for output in cell.get("outputs", []):
        texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", ())]
        yield from (_COLOUR.sub("", str(text)) for text in [*texts, *output.get("data", {}).values()])


def hidden_lines(nb: NotebookNode) -> set[str]:
    """Return the lines of code in hidden tests that are long enough to reveal something."""
    return {line for cell in nb.cells if is_test(cell) for line in _revealing_lines(cell.source)}


@lru_cache(maxsize=64)
def _revealing_lines(test: str) -> frozenset[str]:
    lines = (line.strip() for line in split_tests(test)[1].splitlines())
    return frozenset(line for line in lines if len(line) >= _MIN_REVEALING_CHARS)


def _student_frames(output: NotebookNode, test_number: int | None) -> list[str]:
    """Return an error's traceback without the frames of the test cell and of libraries."""
    if output.ename == "CheckFailed":
        return list(output.traceback)
    frames = []
    for entry in output.traceback:
        cell = re.match(r"(?:Cell In|Input In )\[(\d+)\]", _COLOUR.sub("", entry))
        if cell and int(cell[1]) != test_number:
            frames.append(entry)
    return [*frames, f"{output.ename}: {output.evalue}"]


def _blank_if_secret(secret_lines: set[str], text: Any) -> Any:
    """Return a string unchanged, or an empty string if the string contains a hidden line."""
    plain = _COLOUR.sub("", str(text))
    return "" if any(line in plain for line in secret_lines) else text


def _censor(output: NotebookNode, secret_lines: set[str]) -> None:
    """Replace each of an output's strings with an empty string if the string contains a hidden line."""
    if output.output_type == "stream":
        output.text = _blank_if_secret(secret_lines, output.text)
    elif output.output_type == "error":
        output.evalue = _blank_if_secret(secret_lines, output.evalue)
        output.traceback = [_blank_if_secret(secret_lines, entry) for entry in output.traceback]
    else:
        output.data = NotebookNode(
            {kind: _blank_if_secret(secret_lines, text) for kind, text in output.data.items()}
        )
