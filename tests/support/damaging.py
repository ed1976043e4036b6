"""Random damage to intact files: to the JSON structure of notebooks, and to the bytes of archives."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

_ODD: list[Any] = [
    None,
    True,
    -1,
    1e300,
    10**30,
    "",
    "\ud800",
    "\x00",
    "김",
    [],
    {},
    [[]],
    {"": ""},
    "x" * 50_000,
]
_SIGNATURES = (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7")


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Return the bytes with one to four places damaged."""
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(_BYTES)(data, draw)
    return data


def damaged_notebook(data: bytes, draw: random.Random) -> bytes:
    """Return a notebook that is damaged in its bytes or, more often, in its JSON structure."""
    if draw.random() < 0.35:
        return damaged(data, draw)
    document = json.loads(data)
    for _ in range(draw.randint(1, 5)):
        document = _spoilt(document, draw)
    text = json.dumps(document, ensure_ascii=draw.random() < 0.5)
    return text.encode(draw.choice(["utf-8"] * 6 + ["utf-16", "utf-8-sig", "utf-32-le"]), "surrogatepass")


def damaged_archive(data: bytes, draw: random.Random) -> bytes:
    """Return an archive that is damaged in any bytes or, more often, in the header fields of its entries."""
    if draw.random() < 0.4:
        return damaged(data, draw)
    for _ in range(draw.randint(1, 3)):
        at = draw.choice([at for sign in _SIGNATURES for at in _places(data, sign)] or [0])
        where = at + draw.randint(4, 46)
        value = draw.choice(
            [b"\xff" * 4, b"\0" * 4, b"\xff" * 2, b"\x01", draw.randbytes(4), draw.randbytes(2)]
        )
        data = data[:where] + value + data[where + len(value) :]
    return data


def _places(data: bytes, sign: bytes) -> list[int]:
    found, at = [], data.find(sign)
    while at >= 0:
        found.append(at)
        at = data.find(sign, at + 1)
    return found


def _spoilt(document: Any, draw: random.Random) -> Any:
    """Return a copy of a document with one item, at a random depth, replaced, deleted, repeated or nested."""
    whole = copy.deepcopy(document)
    at = whole
    while isinstance(at, dict | list) and at:
        key = draw.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if draw.random() < 0.4 or not isinstance(at[key], dict | list) or not at[key]:
            match draw.randrange(4):
                case 0:
                    at[key] = copy.deepcopy(draw.choice(_ODD))
                case 1:
                    del at[key]
                case 2 if isinstance(at, list):
                    at.extend([at[key]] * draw.choice([1, 3, 1_100]))
                case _:
                    at[key] = [at[key]] if draw.random() < 0.5 else {"0": at[key]}
            return whole
        at = at[key]
    return copy.deepcopy(draw.choice(_ODD))


def _flipped(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 8)):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randint(0, len(data))]


def _begun_late(data: bytes, draw: random.Random) -> bytes:
    return data[draw.randint(0, len(data)) :]


def _lost(data: bytes, draw: random.Random) -> bytes:
    start = draw.randint(0, len(data))
    return data[:start] + data[start + draw.randint(1, 2_000) :]


def _written_over(data: bytes, draw: random.Random) -> bytes:
    start, length = draw.randint(0, len(data)), draw.randint(1, 300)
    return data[:start] + draw.choice([bytes(length), draw.randbytes(length)]) + data[start + length :]


def _twice(data: bytes, draw: random.Random) -> bytes:
    start = draw.randint(0, len(data))
    return data[:start] + data[start : start + 5_000] + data[start:]


_BYTES: list[Callable[[bytes, random.Random], bytes]] = [
    _flipped,
    _flipped,
    _cut,
    _begun_late,
    _lost,
    _written_over,
    _twice,
]
