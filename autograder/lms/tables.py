"""Read CSV tables saved by people or LMSs, in any common encoding and with any common separator."""

import csv
import io
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.gradebook.tables import Table
from autograder.intake.kinds import of_bytes, of_text
from secant.language import say

MAX_BYTES = 20_000_000


def read_table(path: Path) -> Table:
    """Read a CSV table; the separator is the one that occurs most often in the first line.

    Raises:
        CourseError: if the file does not exist, is too large, or is not a text table.
    """
    if not path.is_file():
        raise CourseError(say(en=f"{path}: there is no such file.", ko=f"{path}: 없는 파일입니다."))
    if path.stat().st_size > MAX_BYTES:
        raise CourseError(
            say(en=f"{path} is too large for a table.", ko=f"{path}: 표라고 보기에는 너무 큽니다.")
        )
    data = path.read_bytes()
    text = _decode(data)
    if kind := of_bytes(data) or (of_text(text) if text.lstrip().startswith("<") else None):
        raise CourseError(
            say(
                en=f"{path} is no text table. It is {kind.name[0]}. Save it as CSV UTF-8.",
                ko=f"{path}: 텍스트로 된 표가 아니라 {kind.name[1]}입니다. CSV UTF-8로 저장하세요.",
            )
        )
    first_line = text.lstrip("\r\n").partition("\n")[0]
    separator = max(",;\t", key=first_line.count)
    try:
        rows = [
            row
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
            if any(map(str.strip, row))
        ]
    except csv.Error as error:
        raise CourseError(
            say(en=f"{path} is not a text table: {error}.", ko=f"{path}: 텍스트로 된 표가 아닙니다({error}).")
        ) from None
    if not rows:
        raise CourseError(say(en=f"{path} is empty.", ko=f"{path}: 비어 있습니다."))
    head, *body = rows
    return Table(
        [title.strip() for title in head],
        [(row + [""] * len(head))[: len(head)] for row in body],
        separator,
        data[:3] == b"\xef\xbb\xbf",
    )


def _decode(data: bytes) -> str:
    # Excel's "Unicode text" files begin with one of these byte order marks.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "cp949"):  # cp949 is the encoding of CSV files from Korean Excel.
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
