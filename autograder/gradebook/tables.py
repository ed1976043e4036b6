"""Write tables as CSV that is safe to open in a spreadsheet: no cell is interpreted as a formula."""

import csv
import io
import re
from dataclasses import dataclass

# Characters that begin a formula: https://owasp.org/www-community/attacks/CSV_Injection. A spreadsheet splits
# a line at the separator of its locale, even inside quotes, so a formula may also follow a separator.
_FORMULA = re.compile(
    r"""((?:^|[,;\t|])[\s"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])([^,;\t|]*)"""
)
# Matches a number (including a telephone number) and a lone + or -. Such text is not escaped, although it may
# begin with the same character as a formula.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?)?|\+\d+(?:[ -]\(?\d+\)?)+")
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROL_CHARS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True)
class Table:
    """A table of text cells, in which each row has as many cells as there are column titles.

    Attributes:
        head: the column titles.
        rows: the rows below the titles.
        separator: the character between two cells in the file.
        bom: True if the file begins with a byte order mark.
    """

    head: list[str]
    rows: list[list[str]]
    separator: str = ","
    bom: bool = False

    def column(self, *names: str) -> int | None:
        """Return the index of the column with one of these normalized titles; None if there is none.

        If the table has several such columns, the title that comes first in `names` decides.
        """
        titles = [normalize_title(title) for title in self.head]
        return next((titles.index(name) for name in names if name in titles), None)


def normalize_title(title: str) -> str:
    """Normalize a column title: remove differences in case, spaces, dashes and punctuation."""
    return "".join(char for char in title.casefold() if char.isalnum())


def as_csv(table: Table) -> bytes:
    """Return a table as UTF-8 CSV in which no cell is a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=table.separator, lineterminator="\r\n")
    writer.writerows([escape_cell(cell) for cell in row] for row in (table.head, *table.rows))
    return text.getvalue().encode("utf-8-sig" if table.bom else "utf-8")


def escape_cell(cell: str) -> str:
    """Escape a cell's text so that no spreadsheet splits the cell or interprets it as a formula.

    An apostrophe is put before a formula, and a line break becomes a space. An escape sequence replaces a
    character that controls the text direction or the terminal. Numbers, telephone numbers and a lone + or -
    are not changed.
    """
    text = _CONTROL_CHARS.sub(
        lambda match: match[0].encode("unicode_escape").decode(), _LINE_END.sub(" ", cell)
    )
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(_quote_formula, text)


def _quote_formula(match: re.Match[str]) -> str:
    before, formula = match.groups()
    return match[0] if _NUMBER.fullmatch(formula.rstrip()) else f"{before}'{formula}"
