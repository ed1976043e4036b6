"""Archives as learning management systems export them, and malformed or hostile ones."""

import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode, v4

from tests.support.small_class import answered_notebook, solutions


@dataclass(frozen=True)
class Raw:
    """An entry of a ZIP archive whose header fields may be false; fields that are None get true values."""

    name: bytes
    data: bytes = b"x"
    flags: int = 0
    method: int = 8
    mode: int = 0
    size: int | None = None
    packed: bytes | None = None
    extra: bytes = b""
    crc: int | None = None


def write(path: Path, files: Mapping[str, bytes | str] | Iterable[tuple[str, bytes | str]]) -> Path:
    """Write a well-formed ZIP archive; return its path."""
    pairs = files.items() if isinstance(files, Mapping) else files
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in pairs:
            with warnings.catch_warnings(action="ignore"):  # a warning about a duplicate name
                archive.writestr(name, data)
    return path


def write_raw(path: Path, entries: Iterable[Raw]) -> Path:
    """Write a ZIP archive whose entries may have false header fields; return its path."""
    body, table, count = bytearray(), bytearray(), 0
    for raw in entries:
        count += 1
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = raw.packed
        if packed is None:
            packed = deflate.compress(raw.data) + deflate.flush() if raw.method == 8 else raw.data
        size = len(raw.data) if raw.size is None else raw.size
        crc = zlib.crc32(raw.data) if raw.crc is None else raw.crc
        offset, sizes = len(body), (crc, len(packed), size)
        body += struct.pack("<4s5H3L2H", b"PK\3\4", 20, raw.flags, raw.method, 0, 0, *sizes, len(raw.name), 0)
        body += raw.name + packed
        table += struct.pack("<4s6H3L", b"PK\1\2", (3 << 8) | 20, 20, raw.flags, raw.method, 0, 0, *sizes)
        table += struct.pack("<5H2L", len(raw.name), len(raw.extra), 0, 0, 0, raw.mode << 16, offset)
        table += raw.name + raw.extra
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, len(table), len(body), 0)
    path.write_bytes(bytes(body + table) + end)
    return path


def text(notebook: NotebookNode) -> str:
    return str(v4.writes(notebook))


def solved_notebook(root: Path, language: str = "en") -> str:
    """Return the text of a notebook in which every answer is right."""
    return text(answered_notebook(root, solutions(root), language))


def moodle(name: str, number: int, file: str = "01_steps.ipynb") -> str:
    return f"{name}_{number}_assignsubmission_file_/{file}"


def canvas(name: str, user: int, number: int, file: str = "01_steps.ipynb", late: bool = False) -> str:
    return f"{name}_{'LATE_' if late else ''}{user}_{number}_{file}"


def brightspace(name: str, user: int, timestamp: str, file: str = "01_steps.ipynb") -> str:
    return f"{user}-4711 - {name} - {timestamp}/{file}"


def blackboard(
    user: str, timestamp: str, file: str = "01_steps.ipynb", assignment: str = "Homework 1"
) -> str:
    return f"{assignment}_{user}_attempt_{timestamp}" + (f"_{file}" if file else ".txt")
