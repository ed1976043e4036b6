"""Random damage to intact files: to the JSON structure of notebooks, and to the bytes of archives."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

_ODD_VALUES: list[Any] = [
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


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four places damaged."""
    for _ in range(rng.randint(1, 4)):
        data = rng.choice(_BYTE_DAMAGE)(data, rng)
    return data


def damaged_notebook(data: bytes, rng: random.Random) -> bytes:
    """Return a notebook that is damaged in its bytes or, more often, in its JSON structure."""
    if rng.random() < 0.35:
        return damaged(data, rng)
    document = json.loads(data)
    for _ in range(rng.randint(1, 5)):
        document = _change_item(document, rng)
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5)
    return text.encode(rng.choice(["utf-8"] * 6 + ["utf-16", "utf-8-sig", "utf-32-le"]), "surrogatepass")


def damaged_archive(data: bytes, rng: random.Random) -> bytes:
    """Return an archive that is damaged in arbitrary bytes or, more often, in its entries' header fields."""
    if rng.random() < 0.4:
        return damaged(data, rng)
    for _ in range(rng.randint(1, 3)):
        header = rng.choice(
            [header for signature in _SIGNATURES for header in _find_all(data, signature)] or [0]
        )
        start = header + rng.randint(4, 46)
        value = rng.choice([b"\xff" * 4, b"\0" * 4, b"\xff" * 2, b"\x01", rng.randbytes(4), rng.randbytes(2)])
        data = data[:start] + value + data[start + len(value) :]
    return data


def _find_all(data: bytes, signature: bytes) -> list[int]:
    positions, position = [], data.find(signature)
    while position >= 0:
        positions.append(position)
        position = data.find(signature, position + 1)
    return positions


def _change_item(document: Any, rng: random.Random) -> Any:
    """Return a copy of a document with one item, at a random depth, replaced, deleted, repeated or nested."""
    result = copy.deepcopy(document)
    node = result
    while isinstance(node, dict | list) and node:
        key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if rng.random() < 0.4 or not isinstance(node[key], dict | list) or not node[key]:
            match rng.randrange(4):
                case 0:
                    node[key] = copy.deepcopy(rng.choice(_ODD_VALUES))
                case 1:
                    del node[key]
                case 2 if isinstance(node, list):
                    node.extend([node[key]] * rng.choice([1, 3, 1_100]))
                case _:
                    node[key] = [node[key]] if rng.random() < 0.5 else {"0": node[key]}
            return result
        node = node[key]
    return copy.deepcopy(rng.choice(_ODD_VALUES))


def _flip_bits(data: bytes, rng: random.Random) -> bytes:
    result = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if result:
            result[rng.randrange(len(result))] ^= 1 << rng.randrange(8)
    return bytes(result)


def _cut_end(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))]


def _cut_start(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randint(0, len(data)) :]


def _cut_out(data: bytes, rng: random.Random) -> bytes:
    start = rng.randint(0, len(data))
    return data[:start] + data[start + rng.randint(1, 2_000) :]


def _overwrite(data: bytes, rng: random.Random) -> bytes:
    start, length = rng.randint(0, len(data)), rng.randint(1, 300)
    return data[:start] + rng.choice([bytes(length), rng.randbytes(length)]) + data[start + length :]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start = rng.randint(0, len(data))
    return data[:start] + data[start : start + 5_000] + data[start:]


_BYTE_DAMAGE: list[Callable[[bytes, random.Random], bytes]] = [
    _flip_bits,
    _flip_bits,
    _cut_end,
    _cut_start,
    _cut_out,
    _overwrite,
    _repeat,
]
