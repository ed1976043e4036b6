"""The time of a submission, read from the timestamp file in its folder. The file is read as hostile bytes."""

import codecs
import os
from pathlib import Path

from autograder.course.clock import Clock, Reading
from autograder.intake.files import TIMESTAMP, read_small_file

_MAX_BYTES = 200


def submission_time(folder: Path, root: Path, clock: Clock) -> Reading:
    """Read the time at which a submission was handed in.

    Args:
        folder: the submitted folder.
        root: a folder above `folder` that the autograder created.
        clock: the class's time zones.
    """
    data = read_small_file(folder / TIMESTAMP, root, _MAX_BYTES)
    if data is None and os.path.lexists(folder / TIMESTAMP):
        return clock.read("")
    return parse(data, clock) if data else Reading()


def parse(data: bytes, clock: Clock) -> Reading:
    """Parse the bytes of a timestamp file. An empty file is treated as no timestamp."""
    # UTF-16 is accepted, because the Windows shell writes text files in this encoding.
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if is_utf16 else "utf-8-sig", "replace").strip()
    return clock.read(text) if text else Reading()
