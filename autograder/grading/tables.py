"""Tables as people and systems save them, in any usual encoding, with commas, semicolons or tabs."""

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import CourseError
from secant.language import say

MAX_BYTES = 20_000_000
# What a spreadsheet would run: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?)?")


@dataclass(frozen=True)
class Sheet:
    """A table: its head, its rows, each as long as the head, and what stands between cells."""

    head: list[str]
    rows: list[list[str]]
    separator: str = ","
    bom: bool = False

    def column(self, *names: str) -> int | None:
        """The first column with one of these names, the first name first; None if there is none."""
        known = [plain(title) for title in self.head]
        return next((known.index(name) for name in names if name in known), None)


def plain(title: str) -> str:
    """A column's name without what programs and people write differently: case, spaces, dashes, marks."""
    return "".join(char for char in title.casefold() if char.isalnum())


def read_sheet(path: Path) -> Sheet:
    """Read a table.

    Raises:
        CourseError: it is none.
    """
    if not path.is_file():
        raise CourseError(say(en=f"{path}: there is no such file.", ko=f"{path}: 없는 파일입니다."))
    if path.stat().st_size > MAX_BYTES:
        raise CourseError(
            say(en=f"{path} is too large for a table.", ko=f"{path}: 표라고 보기에는 너무 큽니다.")
        )
    text = _decoded(path.read_bytes())
    first = text.lstrip("\r\n").partition("\n")[0]
    separator = max(",;\t", key=first.count)
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
    return Sheet(
        [title.strip() for title in head],
        [(row + [""] * len(head))[: len(head)] for row in body],
        separator,
        path.read_bytes()[:3] == b"\xef\xbb\xbf",
    )


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # Excel's "Unicode text"
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "cp949"):  # the second is Korean Excel's
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def as_csv(sheet: Sheet) -> bytes:
    """A table as UTF-8, in which no cell is a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=sheet.separator, lineterminator="\r\n")
    writer.writerows([harmless(cell) for cell in row] for row in (sheet.head, *sheet.rows))
    return text.getvalue().encode("utf-8-sig" if sheet.bom else "utf-8")


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; a number and a lone sign stay as they are."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
