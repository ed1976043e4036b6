"""The time of a submission, from the file beside the notebook. That file is hostile bytes, too."""

import codecs
import os
from pathlib import Path

from autograder.course.clock import Clock, Reading
from autograder.intake.files import TIMESTAMP, read_beside

_MAX_BYTES = 200


def handed_in(folder: Path, root: Path, clock: Clock) -> Reading:
    """Return when a submission was handed in.

    Args:
        folder: the submitted folder.
        root: a folder above it that we made ourselves.
        clock: the clock of the class.
    """
    data = read_beside(folder / TIMESTAMP, root, _MAX_BYTES)
    if data is None and os.path.lexists(folder / TIMESTAMP):
        return clock.read("")
    return parse(data, clock) if data else Reading()


def parse(data: bytes, clock: Clock) -> Reading:
    """Read the bytes of a timestamp; an empty one says nothing."""
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # Windows' shell writes it
    text = data.decode("utf-16" if is_utf16 else "utf-8-sig", "replace").strip()
    return clock.read(text) if text else Reading()
