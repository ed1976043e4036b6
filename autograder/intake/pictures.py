"""The pictures that a submitted cell shows, for the person who grades a note about them.

The grader draws none: students' code runs without a display, and its process sends text alone. So these are
the student's claim. They are PNG files of bounded size, and nothing else that an output may hold.
"""

import base64
import binascii
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from nbformat import NotebookNode

MOST = 30  # of a submission
MOST_CHARS = 3_000_000  # of a submission's pictures in base64; a plot of a lesson has some 40,000
_LONGEST_SIDE = 4_000  # pixels: a browser needs 64 MB for a picture of 4,000 by 4,000
_HEAD = struct.Struct(">8sI4sII")


def pictures_of(raw: Mapping[str, Any]) -> Iterator[str]:
    """Yield the pictures among a cell's outputs, in base64, whatever else the outputs are.

    Args:
        raw: a cell of a notebook of format 3 or 4, as its JSON says.
    """
    outputs = raw.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        # Format 3 has them in the output itself, under another name.
        found = data.get("image/png") if isinstance(data, dict) else output.get("png")
        text = "".join(found) if isinstance(found, list) and all(isinstance(p, str) for p in found) else found
        if isinstance(text, str) and len(text) <= MOST_CHARS and _is_png(text := "".join(text.split())):
            yield text


def _is_png(text: str) -> bool:
    """Whether this is base64 of what begins as a PNG file of a bearable size."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return False
    if len(data) < _HEAD.size:
        return False
    signature, _, kind, width, height = _HEAD.unpack_from(data)
    bearable = 0 < width <= _LONGEST_SIDE and 0 < height <= _LONGEST_SIDE
    return bool(signature == b"\x89PNG\r\n\x1a\n" and kind == b"IHDR" and bearable)


def output_of(picture: str) -> NotebookNode:
    """Return a picture as the output of a cell."""
    return NotebookNode(output_type="display_data", data={"image/png": picture}, metadata={})


def is_picture(output: NotebookNode) -> bool:
    """Whether an output is one that `output_of` made."""
    return bool(output.output_type == "display_data")
