"""The parts of a student's written answer: text, code, and the pictures that the text refers to.

In the text, a picture is an attachment of the cell, a data URI, or the name of a file next to the notebook.
Pictures are not decoded here. They stay in base64, as submitted, until the feedback page is made.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from unicodedata import normalize
from urllib.parse import unquote

from autograder.intake.files import PICTURES
from autograder.intake.parse import Cell
from autograder.intake.submission import Part

# Maximum number of characters shown of one written answer. Some characters take microseconds each to escape.
MAX_CHARS = 200_000
MAX_PICTURES = 20  # maximum number of pictures shown per submission
_ALT_CHARS = 80

# A match must not extend past the beginning of another picture reference. Otherwise, searching text that
# consists only of such beginnings would take quadratic time.
_IN_MARKDOWN = (
    r"!\[(?P<alt>[^\[\]\n]{0,300}+)\]\(\s{0,9}"
    r"(?P<target><[^<>\n]{1,600}+>|[^()\n]{1,600}+(?:\([^()\n]{0,100}+\)[^()\n]{0,100}+)?+)\s{0,9}\)"
)
_IN_HTML = r"<img\b(?P<attributes>[^<>]{1,2000}+)>"
_BY_REFERENCE = r"!\[(?P<text>[^\[\]\n]{0,300}+)\](?:\[(?P<label>[^\[\]\n]{0,100}+)\])?"
_PASTED = r"(?P<pasted>attachment:pasted-\d{1,6}+)"
_PICTURE = re.compile("|".join([_IN_MARKDOWN, _IN_HTML, _BY_REFERENCE, _PASTED]), re.IGNORECASE)
_REFERENCE = re.compile(_BY_REFERENCE)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\[\]\n]{1,100}+)\]:[ \t]{0,9}"
    r"(?P<target><[^<>\n]{1,600}+>|[^\s<>]{1,600}+)[^\n]*+$",
    re.MULTILINE,
)
_ATTRIBUTE = re.compile(
    r"\b(src|alt)\s{0,9}=\s{0,9}(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE
)
_OTHER_PICTURES = (".svg", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".pdf", ".eps")
_TITLE = re.compile(r"\s(?:\"[^\"]*+\"|'[^']*+')$")


@dataclass(frozen=True)
class Sources:
    """The pictures that the text of a submission can refer to.

    Attributes:
        files: the contents of the picture files next to the notebook, keyed by path.
        attachments: the attachments of all cells, keyed by name. A cell that was split off may refer to an
            attachment of the cell that it came from.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    attachments: Mapping[str, str] = field(default_factory=dict)


def split(cells: Sequence[Cell], sources: Sources) -> list[Part]:
    """Split the contents of text and code cells into parts, in order.

    An attached picture that no cell refers to any longer is shown below the text of the cell it is attached
    to, unless that cell shows another picture.
    """
    parts_of_cells: list[list[Part]] = []
    shown_paths: set[str] = set()
    chars_left = MAX_CHARS
    for original in cells:
        cell = replace(original, source=original.source[:chars_left])
        chars_left -= len(cell.source)
        is_code = cell.kind == "code"
        cell_parts = (
            [Part("code", cell.source.strip("\n"))]
            if is_code
            else list(_parts_of(cell, sources, shown_paths))
        )
        parts_of_cells.append(cell_parts)
        if cell.source != original.source:
            cell_parts.append(Part("cut"))
            break
    shown_pictures = {
        part.text for cell_parts in parts_of_cells for part in cell_parts if part.kind == "picture"
    }
    for cell, cell_parts in zip(cells, parts_of_cells, strict=False):
        if all(part.kind in ("text", "cut") for part in cell_parts):
            unused_attachments = {
                name: data for name, data in cell.attachments.items() if data not in shown_pictures
            }
            cell_parts += [Part("picture", data, name) for name, data in unused_attachments.items()]
    parts = [part for cell_parts in parts_of_cells for part in cell_parts]
    return [*parts, *_mentioned_pictures(parts, sources.files, shown_paths)]


def _mentioned_pictures(parts: list[Part], files: Mapping[str, bytes], shown_paths: set[str]) -> list[Part]:
    """Return the picture files that the text mentions by name and that are not shown yet."""
    words = normalize("NFC", "".join(part.text for part in parts if part.kind == "text")).casefold()
    names = {path: normalize("NFC", PurePosixPath(path).name).casefold() for path in files}
    return [
        _picture_file(path, files)
        for path, name in names.items()
        if path not in shown_paths and name in words
    ]


def is_plain(parts: Sequence[Part]) -> bool:
    """Return whether the parts consist of a single piece of text."""
    return len(parts) == 1 and parts[0].kind == "text"


def join_cells(cells: Sequence[Cell]) -> Cell:
    """Merge several cells into one: a copy of the first cell, with the text of all the cells."""
    return replace(cells[0], source="\n\n".join(cell.source.strip() for cell in cells))


def _parts_of(cell: Cell, sources: Sources, shown_paths: set[str]) -> Iterator[Part]:
    """Yield the parts of a text cell.

    Args:
        cell: the cell.
        sources: the pictures of the submission.
        shown_paths: the paths of the files shown so far; the files that this cell shows are added to it.
    """
    source, targets = _without_definitions(cell.source)
    sources = replace(sources, attachments={**sources.attachments, **cell.attachments})
    text, end = "", 0
    for match in _PICTURE.finditer(source):
        alt, target = _alt_and_target(match, targets)
        picture = _picture(alt, target, sources, shown_paths) if target else None
        if picture is None:
            continue
        text += source[end : match.start()]
        if text.strip():
            yield Part("text", text.strip("\n"))
        text, end = "", match.end()
        yield picture
    text += source[end:]
    if text.strip():
        yield Part("text", text.strip("\n"))


def _without_definitions(source: str) -> tuple[str, dict[str, str]]:
    """Remove definitions of picture references from text; return the text, and addresses keyed by label."""
    used_labels = {(match["label"] or match["text"]).casefold() for match in _REFERENCE.finditer(source)}
    targets: dict[str, str] = {}

    def remove_definition(line: re.Match[str]) -> str:
        if line["label"].casefold() not in used_labels:
            return line[0]
        targets[line["label"].casefold()] = line["target"]
        return ""

    return (_DEFINITION.sub(remove_definition, source) if used_labels else source), targets


def _alt_and_target(match: re.Match[str], targets: Mapping[str, str]) -> tuple[str, str]:
    """Return a picture's description and address. The address is empty if the match is not a picture."""
    if match["target"]:
        return match["alt"], match["target"]
    if match["attributes"]:
        attributes = {
            attribute[1].casefold(): attribute[2] or attribute[3] or attribute[4] or ""
            for attribute in _ATTRIBUTE.finditer(match[0])
        }
        return attributes.get("alt", ""), attributes.get("src", "")
    if match["pasted"]:
        return "", match["pasted"]
    return match["text"] or "", targets.get((match["label"] or match["text"] or "").casefold(), "")


def _picture(alt: str, target: str, sources: Sources, shown_paths: set[str]) -> Part | None:
    """Return the picture at an address, or the reason why it is missing.

    If the address is not that of a picture, return None.
    """
    raw_address = _TITLE.sub("", target.strip()).strip().removeprefix("<").removesuffix(">").strip()
    address = unquote(raw_address)
    name = (alt.strip() or address.rsplit("/", 1)[-1])[:_ALT_CHARS]
    if address.casefold().startswith("attachment:"):
        names = (raw_address.partition(":")[2], address.partition(":")[2])
        data = next(
            (sources.attachments[candidate] for candidate in names if candidate in sources.attachments), ""
        )
        label = alt.strip()[:_ALT_CHARS] or ("" if "pasted-" in address else name.partition(":")[2])
        return Part("picture", data, label) if data else Part("missing", "not_there", label)
    if address.casefold().startswith("file:"):
        address = address.partition(":")[2].lstrip("/")
    if re.match(r"(?:[a-z][a-z0-9+.-]+:)?//", address, re.IGNORECASE):
        return Part("missing", "elsewhere", name)
    if address.casefold().startswith("data:"):
        return Part("missing", "not_a_picture", alt.strip()[:_ALT_CHARS])
    path = _path(address, sources.files)
    if path is None and address.casefold().endswith((*PICTURES, *_OTHER_PICTURES)):
        is_shown = address.casefold().endswith(PICTURES)
        return Part("missing", "not_there" if is_shown else "not_a_picture", name)
    if path is None:
        return None
    shown_paths.add(path)
    return replace(_picture_file(path, sources.files), name=name)


def _path(address: str, files: Mapping[str, bytes]) -> str | None:
    """Return the path of the file that an address refers to; None if the file cannot be identified.

    If no file has this path, but exactly one file has the same name, that file's path is returned. Upper and
    lower case are treated as equal, as on Windows and macOS.
    """
    wanted_path = normalize("NFC", address.replace("\\", "/").partition("?")[0]).casefold()
    paths = {normalize("NFC", path).casefold(): path for path in files}
    exact = paths.get(str(PurePosixPath(wanted_path)))
    matching_paths = [
        path for form, path in paths.items() if PurePosixPath(form).name == PurePosixPath(wanted_path).name
    ]
    return exact or (matching_paths[0] if len(matching_paths) == 1 else None)


def _picture_file(path: str, files: Mapping[str, bytes]) -> Part:
    return Part("picture", base64.b64encode(files[path]).decode(), PurePosixPath(path).name[:_ALT_CHARS])
