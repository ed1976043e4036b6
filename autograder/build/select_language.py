"""A step from source to release: keep one of the languages."""

import ast
import os
import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode
from traitlets import Unicode, default

from autograder.build.lesson_step import LessonStep
from autograder.course.assignment import languages_of
from autograder.course.cells import HEADER_MARKS, is_ordinary
from autograder.course.placeholders import plain

#: The call in a lesson's setup cell that says which language the notebook is in.
LANGUAGE_CALL = re.compile(r"""\blanguage\((["'])(?:[a-z]{2,3})\1\)""")
SAY = re.compile(r"\bsay\(")
#: The name in an import of several, which a cell that is all in one language no longer needs.
IMPORTED_SAY = re.compile(r"(?m)(?<=import )say, |(?<=, )say, |, say$")


class SelectLanguage(LessonStep):
    """Keep the cells that are in one language or in none, and have the setup cell say which it is.

    The language is the first of those that the notebook names (see `autograder add`), or else `lang`.

    In code that nobody grades, what is said in both languages becomes a plain string in this one. Graded
    cells are the same in both releases, so that one gradebook takes submissions in either.
    """

    lang = Unicode(help="The language to keep; by default SECANT_LANG, else en.").tag(config=True)

    @default("lang")
    def _lang_default(self) -> str:
        return "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook in one language."""
        if any("lang" in cell.metadata and "nbgrader" in cell.metadata for cell in nb.cells):
            raise ValueError("a graded cell must not carry a language")
        lang = next(iter(languages_of(nb)), self.lang)
        written = {cell.metadata["lang"] for cell in nb.cells if "lang" in cell.metadata}
        if written and lang not in written:
            raise ValueError(f"no cell is written in {lang!r}")
        nb.cells = [cell for cell in nb.cells if cell.metadata.get("lang", lang) == lang]
        for cell in nb.cells:
            _settle(cell, lang)
        ours = [cell for cell in nb.cells if is_ordinary(cell)]
        if not any(SAY.search(cell.source) for cell in ours):
            for cell in ours:
                cell.source = IMPORTED_SAY.sub("", cell.source)
        nb.metadata.pop("secant", None)
        nb.metadata["lang"] = lang
        return nb, resources


def _settle(cell: NotebookNode, lang: str) -> None:
    # The marks have done their work, and a student need not see them.
    for mark in ("lang", "en", *HEADER_MARKS):
        cell.metadata.pop(mark, None)
    cell.source = plain(cell.source)
    if is_ordinary(cell):
        cell.source = LANGUAGE_CALL.sub(f'language("{lang}")', said(cell.source, lang))


def said(source: str, language: str) -> str:
    """Return code with each `say(en=..., ko=...)` replaced by what it says in a language.

    A learner reads the code, too, and there the other language is noise. Left as they are: code that does not
    parse, such as a magic, and a call inside an f-string, whose place Python 3.11 does not know.
    """
    try:
        calls = list(_says(ast.parse(source)))
    except SyntaxError:
        return source
    text = source.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr) -> slice:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return slice(starts[node.lineno - 1] + node.col_offset, starts[last - 1] + column)

    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset), reverse=True):
        texts = {word.arg: word.value for word in call.keywords}
        chosen = texts.get(language) or texts["en"]
        words = text[span(chosen)]
        place = span(call)
        if b"\n" in words or not isinstance(chosen, ast.Constant | ast.JoinedStr):  # it needs the brackets
            inside = text[place].removeprefix(b"say(").removesuffix(b")")
            before, after = inside[: -len(inside.lstrip())], inside[len(inside.rstrip()) :]
            words = b"(" + before + words + after + b")"
        text = text[: place.start] + words + text[place.stop :]
    return text.decode()


def _says(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of `say` below a node that are not in an f-string."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
        yield node
    elif not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _says(child)
