"""Tables as CSV in which no cell is a formula, so that a spreadsheet may open them."""

import csv
import io
import re
from dataclasses import dataclass

# Signs that begin a formula: https://owasp.org/www-community/attacks/CSV_Injection. A spreadsheet splits a
# line at the separator of its language, wherever the quotes are, so a formula may also follow a separator.
_FORMULA = re.compile(
    r"""((?:^|[,;\t|])[\s"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])([^,;\t|]*)"""
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?)?|\+\d+(?:[ -]\(?\d+\)?)+")  # or a telephone's
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


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


def as_csv(sheet: Sheet) -> bytes:
    """A table as UTF-8, in which no cell is a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=sheet.separator, lineterminator="\r\n")
    writer.writerows([harmless(cell) for cell in row] for row in (sheet.head, *sheet.rows))
    return text.getvalue().encode("utf-8-sig" if sheet.bom else "utf-8")


def harmless(cell: str) -> str:
    """Return a cell that stays one cell, and that no spreadsheet takes for a formula.

    An apostrophe goes before the sign of a formula, a space replaces a line's end, and an escape replaces a
    character that controls the direction or the terminal. A number, a telephone number and a lone sign stay.
    """
    text = _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), _LINE_END.sub(" ", cell))
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(_quoted, text)


def _quoted(found: re.Match[str]) -> str:
    before, formula = found.groups()
    return found[0] if _NUMBER.fullmatch(formula.rstrip()) else f"{before}'{formula}"
