"""A parser for untrusted notebook JSON. It ensures that each value in the parsed cells has the right type."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from typing import Any
from urllib.parse import unquote

from autograder.intake.kinds import Kind, of_bytes, of_json, of_text, of_undecodable
from autograder.intake.pictures import MAX_OUTPUT_PICTURES, MAX_PICTURE_CHARS, pictures_of
from autograder.intake.submission import Refused

# maximum number of opening brackets; an empty list takes thirty times as much memory as its two bytes of JSON
MAX_BRACKETS = 2_000_000
MAX_DEPTH = 950  # maximum nesting depth of lists and dicts, within Python's recursion limit
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]+|\\.)*"?|[\[\]{}]', re.DOTALL)
MAX_CELLS = 1_000
MAX_ATTACHMENTS = 100  # maximum number of attachments read from one cell
# prefix of the names given to attachments that were data URIs
PASTED = "pasted-"

_KINDS = ("code", "markdown", "raw")
_RASTER = ("image/png", "image/jpeg", "image/webp", "image/gif")
# Matches a base64 data URI of any declared type. Data in another encoding is taken to be a vector picture,
# which is not shown.
_DATA_URI = re.compile(r"data:[\w.+/-]{1,80}+(?:;[\w.=-]{1,80}+){0,8}?;base64,([A-Za-z0-9+/=%_-]++)")


@dataclass(frozen=True)
class Cell:
    """A submitted cell, in which every value has the right type.

    Attributes:
        number: the cell's position in the submitted file, from 1.
        kind: `code`, `markdown` or `raw`.
        source: the cell's text.
        id: the cell's id in the notebook.
        grade_id: the grade_id in the cell's nbgrader metadata.
        marks: values from the nbgrader metadata, and whether the cell has tags; see `marks_of`.
        pictures: the pictures in the cell's outputs, in base64.
        attachments: the attachments of a text cell in base64, keyed by name, including the data URIs in the
            text.
    """

    number: int
    kind: str
    source: str
    id: str
    grade_id: str
    marks: tuple[Any, ...]
    pictures: tuple[str, ...] = ()
    attachments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedNotebook:
    """A submitted notebook, represented in the same way for every nbformat version.

    Attributes:
        cells: the cells, in order.
        lang: the language in the notebook's metadata; an empty string if the metadata contains none.
        old_format: whether the notebook was in format 3.
    """

    cells: list[Cell]
    lang: str
    old_format: bool


def parse(data: bytes) -> ParsedNotebook:
    """Parse a submitted file.

    Raises:
        Refused: the file is not a notebook that can be read.
    """
    document = _json(_decode(data))
    if not isinstance(document, dict):
        raise _wrong_kind(of_json(document))
    raw, is_old_format = _raw_cells(document)
    if len(raw) > MAX_CELLS:
        raise Refused(
            "too_many_cells",
            en=f"The notebook has {len(raw):,} cells; at most {MAX_CELLS:,} can be graded.",
            ko=f"노트북의 셀이 {len(raw):,}개입니다. 최대 {MAX_CELLS:,}개까지 채점할 수 있습니다.",
        )
    numbered_entries = [(number, entry) for number, entry in enumerate(raw, 1) if isinstance(entry, dict)]
    cells = _add_pictures(
        [_cell(entry, number) for number, entry in numbered_entries], [entry for _, entry in numbered_entries]
    )
    return ParsedNotebook(cells, str(_mapping(document.get("metadata")).get("lang", ""))[:8], is_old_format)


def _not_a_notebook(en: str, ko: str) -> Refused:
    return Refused(
        "not_a_notebook",
        en=f"The file is not a notebook. {en}",
        ko=f"노트북 파일이 아닙니다. {ko}",
    )


def _wrong_kind(kind: Kind) -> Refused:
    return _not_a_notebook(kind.en, kind.ko)


def _decode(data: bytes) -> str:
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise Refused(
            "empty",
            en="The file is empty. Save the notebook and hand it in again.",
            ko="파일이 비어 있습니다. 노트북을 저장한 뒤 다시 제출하세요.",
        )
    if kind := of_bytes(data):
        raise _wrong_kind(kind)
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if kind := of_undecodable(data):
            raise _wrong_kind(kind) from None
        offset, byte, name = error.start + 1, f"0x{data[error.start]:02X}", encoding.upper()
        raise Refused(
            "encoding",
            en=f"The file is not {name} text: byte {offset:,} is {byte}. Save it as UTF-8.",
            ko=f"파일이 {name} 텍스트가 아닙니다. {offset:,}번째 바이트가 {byte}입니다. UTF-8로 저장하세요.",
        ) from None


def _depth(text: str) -> int:
    """Return the nesting depth of a JSON text.

    This parser has its own limit on the depth, because the json module's limit depends on the version of
    Python.
    """
    tokens = (match[0] for match in _STRING_OR_BRACKET.finditer(text))
    return max(accumulate((part in "[{") - (part in "]}") for part in tokens), default=0)


def _json(text: str) -> Any:
    too_deep = Refused(
        "too_deep",
        en="The file is nested far deeper than a notebook is.",
        ko="파일이 노트북이라고 볼 수 없을 만큼 깊이 중첩되어 있습니다.",
    )
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_BRACKETS or (brackets > MAX_DEPTH and _depth(text) > MAX_DEPTH):
        raise too_deep
    try:
        return json.loads(text, parse_int=_int, parse_float=_float)
    except RecursionError:
        raise too_deep from None
    except json.JSONDecodeError as error:
        if kind := of_text(text):
            raise _wrong_kind(kind) from None
        if error.msg == "Extra data":
            raise _not_a_notebook(
                f"Something else follows the end of the notebook, from line {error.lineno} on. Delete it.",
                f"노트북이 끝난 뒤에 다른 내용이 있습니다({error.lineno}번째 줄부터). 그 부분을 지우세요.",
            ) from None
        raise _not_a_notebook(
            f"Reading it stopped at line {error.lineno}: the file is cut short or damaged.",
            f"{error.lineno}번째 줄에서 읽기를 멈췄습니다. 파일이 잘렸거나 손상되었습니다.",
        ) from None


def _int(digits: str) -> int:
    # An integer of 20 or more digits has no meaning in a notebook, and int() raises an error for more than
    # 4300 digits.
    return int(digits) if len(digits) < 20 else 0


def _float(digits: str) -> float:
    return float(digits) if len(digits) < 40 else 0.0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _raw_cells(document: dict[str, Any]) -> tuple[list[Any], bool]:
    """Return a notebook's list of cells, and whether the notebook is in format 3 rather than 4.

    Raises:
        Refused: the document has another format, or no list of cells.
    """
    form = document.get("nbformat")
    if isinstance(form, int | float) and not isinstance(form, bool) and not 3 <= form < 5:
        raise Refused(
            "format",
            en=f"The notebook is in format {form:.0f}, which cannot be read. Save it with JupyterLab 4.",
            ko=f"읽을 수 없는 노트북 형식({form:.0f})입니다. JupyterLab 4로 저장하세요.",
        )
    if isinstance(document.get("cells"), list):
        return document["cells"], False
    sheets = document.get("worksheets")
    if isinstance(sheets, list):
        lists = [_mapping(sheet).get("cells") for sheet in sheets]
        return [cell for cells in lists if isinstance(cells, list) for cell in cells], True
    if form is None:
        raise _wrong_kind(of_json(document))
    raise _not_a_notebook("It has no list of cells.", "셀 목록이 없습니다.")


def _cell(raw: dict[str, Any], number: int) -> Cell:
    kind = raw.get("cell_type")
    if kind == "heading":  # a cell type that exists only in notebook format 3
        kind = "markdown"
    metadata = _mapping(raw.get("metadata"))
    marks = _mapping(metadata.get("nbgrader"))
    kind = kind if kind in _KINDS else "raw"
    source = _text(raw.get("source", raw.get("input")))  # notebook format 3 names the source "input"
    attachments: dict[str, str] = {}
    if kind != "code":
        source, attachments = without_data_uris(source, _attachments(raw))
    return Cell(
        number=number,
        kind=kind,
        source=source,
        id=_string(raw.get("id")),
        grade_id=_string(marks.get("grade_id")),
        marks=marks_of(marks, metadata),
        attachments=attachments,
    )


def without_data_uris(source: str, attachments: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Replace the data URIs in a cell's text with references to attachments.

    The text and all attachments are returned. Colab writes a pasted picture into the text, which
    then has hundreds of thousands of characters.

    Args:
        source: the cell's text.
        attachments: the cell's own attachments, keyed by name.
    """
    all_attachments = dict(attachments)

    def name(uri: re.Match[str]) -> str:
        number = len(all_attachments) + 1
        while f"{PASTED}{number}" in all_attachments:
            number += 1
        all_attachments[f"{PASTED}{number}"] = unquote(uri[1])
        return f"attachment:{PASTED}{number}"

    return (_DATA_URI.sub(name, source), all_attachments) if "data:" in source else (source, all_attachments)


def _attachments(raw: dict[str, Any]) -> dict[str, str]:
    """Return the base64 data of a cell's attachments, keyed by name.

    If an attachment is stored in several media types, a raster picture is preferred.
    """
    attachments = {}
    for name, bundle in islice(_mapping(raw.get("attachments")).items(), MAX_ATTACHMENTS):
        forms = _mapping(bundle)
        data = next((data for kind in (*_RASTER, *forms) if (data := _base64(forms.get(kind)))), "")
        if data:
            attachments[_unicode(name)] = data
    return attachments


def _base64(data: Any) -> str:
    """Join a JSON value's strings into base64 without whitespace; return "" if the result is not ASCII."""
    parts = data if isinstance(data, list) else [data]
    text = "".join("".join(part for part in parts if isinstance(part, str)).split())
    return text if text.isascii() else ""


def _add_pictures(cells: list[Cell], raw: list[dict[str, Any]]) -> list[Cell]:
    """Add to each code cell the pictures in its outputs, up to the limits for a submission.

    Args:
        cells: the parsed cells.
        raw: the same cells as they are in the notebook's JSON.
    """
    pictures_left, chars_left = MAX_OUTPUT_PICTURES, MAX_PICTURE_CHARS
    illustrated_cells = []
    for cell, entry in zip(cells, raw, strict=True):
        pictures = []
        for picture in pictures_of(entry) if cell.kind == "code" and pictures_left else ():
            if pictures_left and len(picture) <= chars_left:
                pictures.append(picture)
                pictures_left, chars_left = pictures_left - 1, chars_left - len(picture)
        illustrated_cells.append(replace(cell, pictures=tuple(pictures)) if pictures else cell)
    return illustrated_cells


def _string(value: Any) -> str:
    return _unicode(value) if isinstance(value, str) else ""


def _unicode(text: str) -> str:
    """Replace lone surrogates in a string. JSON can contain them, but files and hashes cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _text(source: Any) -> str:
    """Return a cell's text with line feeds as line ends and without lone surrogates."""
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str))
    return _unicode(text.replace("\r\n", "\n").replace("\r", "\n"))


def marks_of(marks: Mapping[str, Any], metadata: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the parts of a cell's metadata that a student has no reason to change.

    Args:
        marks: the cell's nbgrader metadata.
        metadata: all of the cell's metadata.
    """
    return (
        *(marks.get(key) for key in ("points", "grade", "solution", "locked")),
        bool(metadata.get("tags")),
    )
