"""The pictures in the outputs of submitted cells, for the person who grades a written answer about them.

The autograder does not create these pictures: students' code runs without a display, and its process sends
only text. The pictures come from the student's file, so they do not prove that the student's code made them.
Only PNG pictures of limited size are kept. Any other output is dropped.
"""

import base64
import binascii
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from nbformat import NotebookNode

MAX_OUTPUT_PICTURES = 30  # maximum number of pictures per submission; further pictures are dropped
# Maximum total number of base64 characters of a submission's pictures. A typical plot takes about 40,000.
MAX_PICTURE_CHARS = 3_000_000
# Maximum width and height in pixels. A browser needs 64 MB of memory for a picture of 4,000 by 4,000 pixels.
_MAX_SIDE = 4_000
_HEAD = struct.Struct(">8sI4sII")


def pictures_of(raw: Mapping[str, Any]) -> Iterator[str]:
    """Yield the PNG pictures in a cell's outputs, in base64.

    Args:
        raw: a cell of a notebook in format 3 or 4, as parsed from JSON.
    """
    outputs = raw.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        # Notebook format 3 stores a picture in the output itself, under the name "png".
        value = data.get("image/png") if isinstance(data, dict) else output.get("png")
        text = "".join(value) if isinstance(value, list) and all(isinstance(p, str) for p in value) else value
        if (
            isinstance(text, str)
            and len(text) <= MAX_PICTURE_CHARS
            and _is_png(text := "".join(text.split()))
        ):
            yield text


def _is_png(text: str) -> bool:
    """Return whether a string is base64 data that begins like a PNG file of acceptable width and height."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return False
    if len(data) < _HEAD.size:
        return False
    signature, _, kind, width, height = _HEAD.unpack_from(data)
    has_valid_size = 0 < width <= _MAX_SIDE and 0 < height <= _MAX_SIDE
    return bool(signature == b"\x89PNG\r\n\x1a\n" and kind == b"IHDR" and has_valid_size)


def output_of(picture: str) -> NotebookNode:
    """Return a picture as a cell's output."""
    return NotebookNode(output_type="display_data", data={"image/png": picture}, metadata={})


def is_picture(output: NotebookNode) -> bool:
    """Return whether an output was made by `output_of`."""
    return bool(output.output_type == "display_data")
