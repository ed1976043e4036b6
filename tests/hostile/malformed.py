"""Group D: files that are damaged, odd, or not what they claim to be.

tests/autograder/intake tests them, too. Those tests check what the intake makes of a file; these cases check
the final score.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.hostile.cases import Link, Made, Maker, rejected, right
from tests.hostile.world import LESSON, World, graded

NAME = f"{LESSON}.ipynb"


def raw(data: bytes) -> Maker:
    """Return a maker of a file with these bytes."""
    return lambda world, answers: data


def changed(change: Callable[[dict[str, Any]], None]) -> Maker:
    """Return a maker that applies this change to a notebook."""

    def make(world: World, answers: Any) -> Made:
        notebook = world.notebook(answers)
        change(notebook)
        return notebook

    return make


def encoded(change: Callable[[bytes], bytes]) -> Maker:
    """Return a maker that applies this change to a notebook's bytes."""
    return lambda world, answers: change(json.dumps(world.notebook(answers), ensure_ascii=False).encode())


def named(*names: str) -> Maker:
    """Return a maker that stores the notebook under each of these file names."""
    return lambda world, answers: {name: json.dumps(world.notebook(answers)).encode() for name in names}


rejected("D01", "truncated JSON", raw(b'{"cells": ['), "not_a_notebook", says="line 1")
rejected("D02", "empty file", raw(b""), "empty")
rejected("D03", "JSON, but not an object", raw(b"[]"), "not_a_notebook")
rejected("D05", "nbformat 99", changed(lambda nb: nb.update(nbformat=99)), "format", says="99")
right("D06", "no notebook metadata", changed(lambda nb: nb.pop("metadata")))


def _stripped(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        cell.pop("metadata")
        cell["id"] = "same"


right("D07", "cells without metadata, and with the same id", changed(_stripped))
rejected("D09", "200,000 nested lists", raw(b"[" * 200_000), "too_deep|not_a_notebook")
rejected(
    "D10",
    "not UTF-8",
    encoded(lambda data: data.replace(b"Squares", b"Squ\xffres", 1)),
    "encoding",
    says="0xFF",
)
right("D11", "UTF-8 with a byte order mark", encoded(lambda data: b"\xef\xbb\xbf" + data))


def _odd_json(data: bytes) -> bytes:
    return data.replace(b'"points": 3.0', b'"points": NaN, "points": Infinity').replace(
        b'"points": 3', b'"points": NaN, "points": -Infinity'
    )


right("D13", "NaN and repeated keys", encoded(_odd_json))
rejected(
    "D14",
    "huge notebook",
    changed(lambda nb: graded(nb)[0].update(outputs=[{"output_type": "stream", "text": "x" * 30_000_000}])),
    "too_large",
)
right(
    "D16",
    "another kernel's name",
    changed(
        lambda nb: nb["metadata"].update(
            kernelspec={"name": "bash", "display_name": "x", "argv": ["/bin/sh"]},
            language_info={"name": "bash"},
        )
    ),
)
right("D17", "another file name", named(f"{LESSON} (1).ipynb"), flags=("renamed",))
right("D18", "two notebooks", named(NAME, f"{LESSON}-Copy1.ipynb"), flags=("several_notebooks",))
rejected("D19", "a link for a notebook", lambda world, answers: {NAME: Link("/etc/passwd")}, "link")


def _slip(world: World, answers: Any) -> Made:
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../gradebook.db", b"pwned")
        archive.writestr("/tmp/SECANT-pwned", b"pwned")
        archive.writestr("C:\\pwned", b"pwned")
        archive.writestr(NAME, json.dumps(world.notebook(answers)))
    return {f"{LESSON}.zip": packed.getvalue()}


rejected("D21", "zip-slip", _slip, "no_notebook")
right(
    "D22",
    "names that collide",
    named(NAME, NAME.upper(), NAME + "\u200b", "e\u0301.ipynb", "\u00e9.ipynb"),
    flags=("several_notebooks",),
)
right(
    "D25",
    "back-dated timestamp",
    lambda world, answers: {
        NAME: json.dumps(world.notebook(answers)).encode(),
        "timestamp.txt": b"2001-01-01 00:00:00 UTC",
    },
)


def _garbage(notebook: dict[str, Any]) -> None:
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": 5}
    for cell in notebook["cells"]:
        cell["attachments"] = {"a.png": 7}
    notebook["cells"] += [None, 5, "x", {}, {"cell_type": 3, "source": {"a": 1}}]


right("D26", "attachments and widget state that are garbage", changed(_garbage))


def _odd_text(world: World, answers: Any) -> Made:
    odd = {
        "grad_square": "def grad_square(x):\r\n\treturn 2 * x\r\n",
        "slope_at": "\x0cdef slope_at(x):\n    text = '''\n% not a magic\n! nor this\n'''\n    return 2.0*x",
        "doubled": answers["doubled"].replace("\n", "\r"),
    }
    return world.notebook(odd)


right("D27", "line ends, tabs, form feeds, % in column 0", _odd_text)
rejected(
    "D29", "a pipe that somebody writes to meanwhile", lambda world, answers: {NAME: Link()}, "not_a_file"
)
