"""Hints in test cells: notebooks in source/ have them in every language, students' notebooks in only one."""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping

from nbformat import NotebookNode

from autograder.course.cells import is_test
from secant.catalogue import Texts, of_task, shared_hints

#: The maximum line length, in characters, of code written into a released test cell.
WIDTH = 100
_CALL = re.compile(r'(?m)^hint = hints\("(\w+)"(.*)\)$')
_PLACEHOLDER = re.compile(r"\{\w*\}")
_NAME = re.compile(r"\bhint\.([a-z]\w*)")

Catalogue = Mapping[str, Texts]


def contains_hint(message: str, hint: str) -> bool:
    """Return whether a message contains a hint's text, with any values in place of its {placeholders}."""
    return all(piece in message for piece in _PLACEHOLDER.split(hint))


def catalogue_of(notebook: NotebookNode) -> Catalogue:
    """Return the hints stored in a notebook in source/, keyed by task, hint name and language."""
    hints: Catalogue = notebook.metadata.get("secant", {}).get("hints", {})
    return hints


def with_all_languages(source: str, catalogue: Catalogue) -> str:
    """Return a test cell's source with the hints of its task filled in, in every language."""
    return _CALL.sub(lambda call: f'hint = hints("{call[1]}", {of_task(catalogue, call[1])!r})', source)


def with_hints(notebook: NotebookNode) -> NotebookNode:
    """Insert the hints stored in a notebook into its test cells, and return the notebook."""
    catalogue = catalogue_of(notebook)
    for cell in filter(is_test, notebook.cells):
        cell.source = with_all_languages(cell.source, catalogue)
    return notebook


def in_one_language(source: str, language: str) -> str:
    """Reduce the hints in a test cell to one language, and to those that the cell uses.

    The cell's hints must have been written by `with_all_languages`.
    """

    def render_call(call: re.Match[str]) -> str:
        texts = ast.literal_eval(call[2].removeprefix(", "))
        lines = [
            line
            for name in used_hints(source)
            if name in texts
            for line in _argument(name, texts[name].get(language) or texts[name]["en"])
        ]
        return "\n".join(["hint = hints(", *lines, ")"]) if lines else "hint = hints()"

    return _CALL.sub(render_call, source)


def unknown_hints(source: str, catalogue: Catalogue) -> Iterator[str]:
    """Yield a message that lists the undefined hints in a test cell; nothing if there are none.

    A hint may be defined for the cell's task or for all lessons.
    """
    call = _CALL.search(source)
    definitions = {**shared_hints(), **(of_task(catalogue, call[1]) if call else {})}
    names = [name for name in used_hints(source) if name not in definitions]
    if names:
        location = f"of {call[1]}" if call else '(hint = hints("TASK") is missing)'
        yield f"hints.toml has no {', '.join(names)} {location}"


def used_hints(source: str) -> list[str]:
    """Return the names of the hints that a test cell uses, in the order of their first use."""
    return list(dict.fromkeys(_NAME.findall(source)))


def _argument(name: str, text: str) -> Iterator[str]:
    """Yield the lines of a keyword argument's source code, wrapped to the maximum line length."""
    first, rest = f"    {name}=", "    "
    pieces = textwrap.wrap(
        text,
        WIDTH - len(first) - 4,
        replace_whitespace=False,
        drop_whitespace=False,
        break_on_hyphens=False,
    )
    for index, piece in enumerate(pieces):
        end = "," if index == len(pieces) - 1 else ""
        yield (rest if index else first) + _quote(piece) + end


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    return f"'{escaped}'" if '"' in text and "'" not in text else '"' + escaped.replace('"', '\\"') + '"'
