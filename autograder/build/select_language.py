"""A step of the release process: keep only one of a lesson's languages."""

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
from autograder.course.placeholders import without_spans

#: The call in a lesson's setup cell that sets the language of the notebook.
LANGUAGE_CALL = re.compile(r"""\blanguage\((["'])(?:[a-z]{2,3})\1\)""")
SAY = re.compile(r"\bsay\(")
#: A pattern for the name `say` in an import of several names. Released cells do not import `say` if none of
#: them calls it.
IMPORTED_SAY = re.compile(r"(?m)(?<=import )say, |(?<=, )say, |, say$")


class SelectLanguage(LessonStep):
    """A step that removes all cells except those in one language and those in no particular language.

    It also sets that language in the setup cell. The language is the first in the list that `autograder add`
    writes into the notebook. If the notebook contains no such list, the trait `lang` gives the language.

    In ungraded code, a call `say(en=..., ko=...)` becomes a plain string in that language. Graded cells are
    the same in all releases, so that one gradebook accepts submissions in every language.
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
        languages = {cell.metadata["lang"] for cell in nb.cells if "lang" in cell.metadata}
        if languages and lang not in languages:
            raise ValueError(f"no cell is written in {lang!r}")
        nb.cells = [cell for cell in nb.cells if cell.metadata.get("lang", lang) == lang]
        for cell in nb.cells:
            _localize_cell(cell, lang)
        code_cells = [cell for cell in nb.cells if is_ordinary(cell)]
        if not any(SAY.search(cell.source) for cell in code_cells):
            for cell in code_cells:
                cell.source = IMPORTED_SAY.sub("", cell.source)
        nb.metadata.pop("secant", None)
        nb.metadata["lang"] = lang
        return nb, resources


def _localize_cell(cell: NotebookNode, lang: str) -> None:
    # The metadata for the build is no longer needed, and a student need not see it.
    for mark in ("lang", "en", *HEADER_MARKS):
        cell.metadata.pop(mark, None)
    cell.source = without_spans(cell.source)
    if is_ordinary(cell):
        cell.source = LANGUAGE_CALL.sub(f'language("{lang}")', in_language(cell.source, lang))


def in_language(source: str, language: str) -> str:
    """Return code with each `say(en=..., ko=...)` replaced by its text in one language.

    Learners read the code too, and the other language would distract them. Code that does not parse, such as
    an IPython magic, is left as it is. A call inside an f-string is also left as it is, because Python 3.11
    does not report the position of such a call.
    """
    try:
        calls = list(_say_calls(ast.parse(source)))
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
        texts = {keyword.arg: keyword.value for keyword in call.keywords}
        chosen_node = texts.get(language) or texts["en"]
        replacement = text[span(chosen_node)]
        call_span = span(call)
        # the call's brackets are removed, so an expression or a string on several lines needs new ones
        if b"\n" in replacement or not isinstance(chosen_node, ast.Constant | ast.JoinedStr):
            arguments = text[call_span].removeprefix(b"say(").removesuffix(b")")
            before, after = arguments[: -len(arguments.lstrip())], arguments[len(arguments.rstrip()) :]
            replacement = b"(" + before + replacement + after + b")"
        text = text[: call_span.start] + replacement + text[call_span.stop :]
    return text.decode()


def _say_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls to `say` below a node of the syntax tree, except those in f-strings."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
        yield node
    elif not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _say_calls(child)
