"""Group D: files that are damaged, odd, or not what they claim to be.

tests/autograder/intake tests them, too. Those tests check what the intake makes of a file; these cases check
the final score.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.hostile.cases import Link, Maker, Submission, add_rejected, add_right
from tests.hostile.world import LESSON, World, graded_cells

NAME = f"{LESSON}.ipynb"


def raw_file(data: bytes) -> Maker:
    """Return a function that makes a submission of one file with these bytes."""
    return lambda world, answers: data


def change_notebook(change: Callable[[dict[str, Any]], None]) -> Maker:
    """Return a function that makes a notebook and applies this change to it."""

    def make(world: World, answers: Any) -> Submission:
        notebook = world.notebook(answers)
        change(notebook)
        return notebook

    return make


def change_bytes(change: Callable[[bytes], bytes]) -> Maker:
    """Return a function that makes a notebook and applies this change to the bytes of its file."""
    return lambda world, answers: change(json.dumps(world.notebook(answers), ensure_ascii=False).encode())


def under_names(*names: str) -> Maker:
    """Return a function that makes a submission with one notebook under each of these file names."""
    return lambda world, answers: {name: json.dumps(world.notebook(answers)).encode() for name in names}


add_rejected("D01", "truncated JSON", raw_file(b'{"cells": ['), "not_a_notebook", message="line 1")
add_rejected("D02", "empty file", raw_file(b""), "empty")
add_rejected("D03", "JSON, but not an object", raw_file(b"[]"), "not_a_notebook")
add_rejected("D05", "nbformat 99", change_notebook(lambda nb: nb.update(nbformat=99)), "format", message="99")
add_right("D06", "no notebook metadata", change_notebook(lambda nb: nb.pop("metadata")))


def _strip_metadata(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        cell.pop("metadata")
        cell["id"] = "same"


add_right("D07", "cells without metadata, and with the same id", change_notebook(_strip_metadata))
add_rejected("D09", "200,000 nested lists", raw_file(b"[" * 200_000), "too_deep|not_a_notebook")
add_rejected(
    "D10",
    "not UTF-8",
    change_bytes(lambda data: data.replace(b"Squares", b"Squ\xffres", 1)),
    "encoding",
    message="0xFF",
)
add_right("D11", "UTF-8 with a byte order mark", change_bytes(lambda data: b"\xef\xbb\xbf" + data))


def _odd_json(data: bytes) -> bytes:
    return data.replace(b'"points": 3.0', b'"points": NaN, "points": Infinity').replace(
        b'"points": 3', b'"points": NaN, "points": -Infinity'
    )


add_right("D13", "NaN and repeated keys", change_bytes(_odd_json))
add_rejected(
    "D14",
    "huge notebook",
    change_notebook(
        lambda nb: graded_cells(nb)[0].update(outputs=[{"output_type": "stream", "text": "x" * 30_000_000}])
    ),
    "too_large",
)
add_right(
    "D16",
    "another kernel's name",
    change_notebook(
        lambda nb: nb["metadata"].update(
            kernelspec={"name": "bash", "display_name": "x", "argv": ["/bin/sh"]},
            language_info={"name": "bash"},
        )
    ),
)
add_right("D17", "another file name", under_names(f"{LESSON} (1).ipynb"), flags=("renamed",))
add_right("D18", "two notebooks", under_names(NAME, f"{LESSON}-Copy1.ipynb"), flags=("several_notebooks",))
add_rejected("D19", "a link for a notebook", lambda world, answers: {NAME: Link("/etc/passwd")}, "link")


def _zip_slip(world: World, answers: Any) -> Submission:
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../gradebook.db", b"pwned")
        archive.writestr("/tmp/SECANT-pwned", b"pwned")
        archive.writestr("C:\\pwned", b"pwned")
        archive.writestr(NAME, json.dumps(world.notebook(answers)))
    return {f"{LESSON}.zip": packed.getvalue()}


add_rejected("D21", "zip-slip", _zip_slip, "no_notebook")
add_right(
    "D22",
    "names that collide",
    under_names(NAME, NAME.upper(), NAME + "\u200b", "e\u0301.ipynb", "\u00e9.ipynb"),
    flags=("several_notebooks",),
)
add_right(
    "D25",
    "back-dated timestamp",
    lambda world, answers: {
        NAME: json.dumps(world.notebook(answers)).encode(),
        "timestamp.txt": b"2001-01-01 00:00:00 UTC",
    },
)


def _add_garbage(notebook: dict[str, Any]) -> None:
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": 5}
    for cell in notebook["cells"]:
        cell["attachments"] = {"a.png": 7}
    notebook["cells"] += [None, 5, "x", {}, {"cell_type": 3, "source": {"a": 1}}]


add_right("D26", "attachments and widget state that are garbage", change_notebook(_add_garbage))


def _odd_text(world: World, answers: Any) -> Submission:
    odd_answers = {
        "grad_square": "def grad_square(x):\r\n\treturn 2 * x\r\n",
        "slope_at": "\x0cdef slope_at(x):\n    text = '''\n% not a magic\n! nor this\n'''\n    return 2.0*x",
        "doubled": answers["doubled"].replace("\n", "\r"),
    }
    return world.notebook(odd_answers)


add_right("D27", "line ends, tabs, form feeds, % in column 0", _odd_text)
add_rejected(
    "D29", "a pipe that somebody writes to meanwhile", lambda world, answers: {NAME: Link()}, "not_a_file"
)
