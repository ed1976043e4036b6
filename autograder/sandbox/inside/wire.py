"""The format in which the student's process answers the examiner: values as bytes, sent over a socket.

The process that encodes a value runs the student's code, so nothing that it claims about itself is trusted.
The process that decodes it checks every length, count and name before using it. It builds only plain data and
tensors of a listed dtype, and never evaluates or unpickles anything. For any bytes, `decode` returns a value
or raises `WireError`. A value that exceeds a limit is not decoded. Instead, `decode` raises `TooMuch`, with a
description taken from the header of the value.

A frame on the socket is a 4-byte length and a body; a body is the version byte and one value:

    value  = tag (1 byte), then
      N T F            None, True, False
      i  u16 n         n bytes, a signed integer
      f                8 bytes, IEEE 754
      s  u32 n         n bytes of UTF-8
      b  u32 n         n bytes; only if the limits allow bytes
      t  u8 dtype, u8 dims, dims x u64, u64 n, n raw bytes; only if the limits allow tensors
      l u  u32 n       n values: a list, a tuple
      d  u32 n         n times a key and a value
      o  u8 note, u8 k, k x u64, u16 n  n bytes of UTF-8: a size and a type's name, see Unsendable

All numbers are little-endian.

This module does not import torch. The code for tensors is in tensors.py. It is loaded when a tensor is read,
or when a value is written in a process that has imported torch.
"""

import contextlib
import marshal
import math
import re
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from secant.language import say

VERSION = 1

# Notes that say why an object is not sent as it is. The list is fixed, so that a note never contains text
# from the student. A note is sent as its position in this list, so new notes may only be appended.
NOTES: tuple[str, ...] = (
    "type",  # an object that is not plain data
    "dtype",  # a tensor of a dtype that is not listed
    "sparse",
    "quantised",
    "meta",
    "nested",
    "keys",  # a dict with a key that is not plain data
    "text",  # a string that is not valid Unicode, because it contains a lone surrogate
    "too_deep",  # an object that is nested too deeply, or that contains itself
    "too_large",
    "unreadable",  # an object that raised an error when it was read, or has no memory to read
    "large_tensor",
)
_TOO_MUCH = ("too_deep", "too_large", "large_tensor")

#: A deadline for a whole frame: a `time.monotonic()` timestamp, or a function that returns the seconds left.
Deadline = float | Callable[[], float]

_TYPE_NAME = re.compile(r"[\w.<>\[\]]{1,120}")
# Each tensor counts as this many items, because it takes as much memory as about ten small numbers.
_TENSOR_COST = 10
_CHUNK = 1 << 16
# Seconds to sleep after a short read, so that a slow sender costs this process no processor time.
_PAUSE_SECONDS = 0.001


class WireError(ValueError):
    """The bytes are not a frame that this module would have written, or they exceed a limit."""


class WireClosed(WireError):
    """The other side closed the connection before the frame was complete."""


class WireTimeout(WireError):
    """The deadline passed before the frame was complete."""


@dataclass(frozen=True)
class Limits:
    """The limits on the content of one frame.

    Both sides respect them, but only the decoder's checks protect the examiner.
    """

    total_bytes: int = 64 * 2**20
    items: int = 100_000
    depth: int = 32
    # Maximum total number of keys in all dicts. There is a limit because building a dict takes quadratic time
    # if the keys' hashes collide.
    keys: int = 1_000
    dims: int = 16
    # Maximum total number of elements in all tensors; a dimension of size 0 counts as 1.
    numbers: int = 64 * 2**20
    int_bits: int = 4096
    # Maximum total number of bytes in all strings. Python may need four bytes of memory for each of these
    # bytes.
    text_bytes: int = 2**20
    raw_bytes: bool = False  # whether `bytes` may be sent as they are
    tensors: bool = True  # whether tensors may be sent; to read one, a process imports torch


LIMITS = Limits()
# The limits on a candidate's answer. Correct solutions of the lessons need at most 113 kB, 6,700 items, 67
# keys, 10,200 numbers and 80 kB of text. Each of these numbers is at most about a fifth of its limit. The
# tensors in these solutions have at most 6 dimensions.
ANSWER_LIMITS = Limits(total_bytes=2 * 2**20, depth=16, keys=500, dims=8, numbers=50_000)
# The limits on the messages about a plain assignment (one with ordinary nbgrader tests). Answers must not
# contain tensors, because reading a tensor makes the examiner import torch. That would take more memory than
# a submission may add to the examiner.
PLAIN_LIMITS = Limits(raw_bytes=True, tensors=False)
PLAIN_ANSWER_LIMITS = replace(ANSWER_LIMITS, tensors=False)


@dataclass(frozen=True)
class Unsendable:
    """A stand-in that is sent in place of an object.

    Attributes:
        type_name: the name of the object's type, such as `numpy.ndarray`. The candidate supplies it, so only
            harmless characters are allowed.
        note: the reason why the object is not sent, one of NOTES.
        size: the shape of a `large_tensor`, or the length of an object that is `too_large`; empty if unknown.
    """

    type_name: str
    note: str
    size: tuple[int, ...] = ()

    @property
    def is_too_much(self) -> bool:
        """True if the object exceeds a limit. No genuine test requests an object this large."""
        return self.note in _TOO_MUCH

    def describe(self) -> str:
        """Return a description of the object, for a sentence such as "expected a tensor, got ..."."""
        name = self.type_name
        texts = {
            "large_tensor": _large_tensor(self.size),
            "too_large": _too_large(name, self.size),
            "type": (f"an object of type {name}", f"{name} 타입의 객체"),
            "dtype": (f"a tensor of an unsupported dtype ({name})", f"지원하지 않는 dtype의 텐서({name})"),
            "sparse": ("a sparse tensor", "희소(sparse) 텐서"),
            "quantised": ("a quantised tensor", "양자화된 텐서"),
            "meta": ("a meta tensor, which has no values", "값이 없는 meta 텐서"),
            "nested": ("a nested tensor", "nested 텐서"),
            "keys": (f"a {name} whose keys are not plain data", f"키가 단순한 값이 아닌 {name}"),
            "text": ("a string that is not valid Unicode", "올바른 유니코드가 아닌 문자열"),
            "too_deep": (
                f"a {name} that is nested too deeply or contains itself",
                f"너무 깊이 중첩되었거나 자기 자신을 담고 있는 {name}",
            ),
            "unreadable": (f"a {name} whose values cannot be read", f"값을 읽을 수 없는 {name}"),
        }
        en, ko = texts[self.note]
        return say(en=en, ko=ko)


def _large_tensor(shape: tuple[int, ...]) -> tuple[str, str]:
    numbers = math.prod(shape)
    count = f"{numbers:,}" if numbers < 10**18 else "10**18+"
    if len(shape) > ANSWER_LIMITS.dims:
        plural = "" if numbers == 1 else "s"
        en = f"a tensor with {len(shape)} dimensions and {count} element{plural}, far more than is asked for"
        return en, f"{len(shape)}차원에 원소가 {count}개인 텐서(문제에서 요구하는 것보다 훨씬 큽니다)"
    en = f"a tensor of shape {shape} with {count} elements, far more than is asked for"
    return en, f"shape가 {shape}이고 원소가 {count}개인 텐서(문제에서 요구하는 것보다 훨씬 큽니다)"


def _too_large(name: str, size: tuple[int, ...]) -> tuple[str, str]:
    article = "an" if name[0] in "aeiou" else "a"
    if not size:
        en = f"{article} {name} that is far larger than is asked for"
        return en, f"{name}(문제에서 요구하는 것보다 훨씬 큽니다)"
    en = f"{article} {name} of length {size[0]:,}, far more than is asked for"
    return en, f"길이가 {size[0]:,}인 {name}(문제에서 요구하는 것보다 훨씬 깁니다)"


class TooMuch(WireError):
    """The frame exceeds a limit.

    Attributes:
        stand_in: a stand-in for the object that exceeds the limit.
    """

    def __init__(self, stand_in: Unsendable) -> None:
        super().__init__(f"{stand_in.note}: {stand_in.type_name} {stand_in.size}")
        self.stand_in = stand_in


class CannotSend(Exception):
    """An object cannot be sent as it is.

    Attributes:
        note: the reason, one of NOTES.
        detail: a string to append to the name of the object's type.
        size: the object's shape or length, if it is part of the reason.
    """

    def __init__(self, note: str, detail: str = "", size: tuple[int, ...] = ()) -> None:
        super().__init__(note)
        self.note = note
        self.detail = detail
        self.size = size


class _LimitReached(Exception):
    """A value exceeds a limit on the whole frame, so no part of the value is sent.

    Attributes:
        stand_in: a stand-in for the longest of the objects that were being encoded when the limit was
            reached.
    """

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.stand_in = Unsendable("object", note)

    def add_enclosing(self, value: object) -> None:
        """Record that the limit was reached inside this object.

        This is called for each enclosing object, from the innermost to the outermost.
        """
        size = _length(value) if issubclass(type(value), list | tuple | dict) else ()
        if size > self.stand_in.size or not self.stand_in.size:
            self.stand_in = Unsendable(_type_name(value), self.stand_in.note, size)


# --- Encoding values ----------------------------------------------------------------------------------


def encode(value: object, limits: Limits = LIMITS, *, exact: bool = False) -> bytes:
    """Encode a value as bytes.

    A subclass of a plain type is sent as its base value, and a tensor as a dense copy on the CPU. An object
    that cannot be sent, or that exceeds a limit by itself, is replaced by an `Unsendable`. If the value is a
    list, tuple or dict, and one of its items makes the frame exceed a limit, that item is replaced. If this
    is not enough, the whole value is replaced.

    Args:
        value: any object.
        limits: the limits on the frame.
        exact: True if the value itself has to arrive. Then an error is raised instead of sending an
            `Unsendable`.

    Raises:
        WireError: `exact` is True, and the value cannot be sent as it is.
    """
    try:
        writer = _Writer(limits, exact)
        writer.value(value, 0)
        writer.check_size(0)
        return bytes(writer.out)
    except _LimitReached as error:
        error.add_enclosing(value)
        stand_in = error.stand_in
    except (RecursionError, MemoryError):
        stand_in = Unsendable(_type_name(value), "too_large", _length(value))
    if exact:
        raise WireError(f"cannot send a {stand_in.type_name}: {stand_in.note}")
    writer = _Writer(limits, exact)
    writer.unsendable(stand_in)
    return bytes(writer.out)


def _type_name(value: object) -> str:
    kind = type(value)
    try:
        prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        name = prefix + kind.__qualname__
        return re.sub(r"[^\w.<>\[\]]", "_", name)[:120] or "object"
    except Exception:  # a metaclass may return nonsense or raise an error
        return "object"


def _length(value: object) -> tuple[int, ...]:
    """Return the length of a list, tuple, dict or str as a 1-tuple; an empty tuple for any other object.

    It is the true length, even if the object's class overrides __len__.
    """
    kinds: tuple[Any, ...] = (list, tuple, dict, str)
    return next(((kind.__len__(value),) for kind in kinds if issubclass(type(value), kind)), ())


_LITERALS = {None: b"N", True: b"T", False: b"F"}
_TAGGED_DOUBLE, _TAGGED_SHORT, _TAGGED_WORD = (struct.Struct(form) for form in ("<cd", "<cH", "<cI"))
# Upper bounds for values that `_write_quick` encodes: the number of characters in a string, and the number of
# bits of an int. For tensors, see tensors.py.
_SHORT_TEXT, _SMALL_INT = 1_000, 62
_QUICK_BYTES = 2_000  # upper bound for the number of bytes of any value that `_write_quick` encodes
_tensors: Any = None  # the module tensors.py, once it is loaded


def _tensor_module() -> Any:
    """Return the module tensors.py.

    The result is None if this process has no tensors because it has not imported torch.
    """
    if _tensors is None and "torch" in sys.modules:
        with contextlib.suppress(Exception):  # The import fails if a notebook has replaced torch.
            load_tensors()
    return _tensors


def load_tensors() -> Any:
    """Return the module tensors.py. Import it, and with it torch, unless it has already been imported."""
    global _tensors
    if _tensors is None:
        from autograder.sandbox.inside import tensors

        _tensors = tensors
    return _tensors


class _Writer:
    """A buffer to which values are appended. It counts everything that has a limit."""

    def __init__(self, limits: Limits, exact: bool) -> None:
        self.limits = limits
        self.exact = exact
        self.out = bytearray([VERSION])
        # While the counts are below these bounds, any value that `_write_quick` encodes fits.
        self.quick_bytes = limits.total_bytes - _QUICK_BYTES
        self.quick_items = limits.items - _TENSOR_COST
        self.items = 0
        self.keys = 0
        self.numbers = 0
        self.text_bytes = 0

    def value(self, value: object, depth: int) -> None:
        """Append one value, or an `Unsendable` in its place."""
        if self._write_quick(value, depth):
            return
        start, counts = len(self.out), (self.items, self.keys, self.numbers, self.text_bytes)
        try:
            self._value(value, depth)
        except _LimitReached as error:
            # Only a top-level item of the encoded value is replaced individually. Replacing something that is
            # nested deeper would not help, because its neighbours would exceed the limit as well.
            error.add_enclosing(value)
            if depth != 1:
                raise
            stand_in = error.stand_in
        except CannotSend as error:
            stand_in = Unsendable((_type_name(value) + error.detail)[:120], error.note, error.size)
        except (RecursionError, MemoryError):
            raise
        except Exception:  # an odd object may raise any error when it is read
            stand_in = Unsendable(_type_name(value), "unreadable")
        else:
            return
        if self.exact:
            raise WireError(f"cannot send a {stand_in.type_name}: {stand_in.note}")
        del self.out[start:]
        self.items, self.keys, self.numbers, self.text_bytes = counts
        self._count(1)
        self.unsendable(stand_in)

    def _write_quick(self, value: Any, depth: int) -> bool:
        """Append a value of a common type, if it certainly fits the limits. Return whether it was appended.

        All other values are left to the slower `_value`. It would append the same bytes for a common value.
        """
        kind, out = type(value), self.out
        if kind is dict or kind is list or kind is tuple or depth > self.limits.depth:
            return False
        if self.items > self.quick_items or len(out) > self.quick_bytes:
            return False
        if kind is str:
            size = len(value)
            if size > _SHORT_TEXT or not value.isascii() or self.text_bytes + size > self.limits.text_bytes:
                return False
            self.text_bytes += size
            out += _TAGGED_WORD.pack(b"s", size)
            out += value.encode()
        elif kind is float:
            out += _TAGGED_DOUBLE.pack(b"f", value)
        elif value is None or value is True or value is False:
            out += _LITERALS[value]
        elif kind is int and (bits := value.bit_length()) <= min(_SMALL_INT, self.limits.int_bits):
            size = bits // 8 + 1
            out += _TAGGED_SHORT.pack(b"i", size)
            out += value.to_bytes(size, "little", signed=True)
        elif (
            self.limits.tensors
            and (tensors := _tensor_module())
            and kind is tensors.Tensor
            and (encoded := tensors.encode_small(value, self.limits))
        ):
            if self.numbers + encoded[1] > self.limits.numbers:
                return False
            out += encoded[0]
            self.numbers += encoded[1]
            self.items += _TENSOR_COST - 1
        else:
            return False
        self.items += 1
        return True

    def unsendable(self, value: Unsendable) -> None:
        """Append an `Unsendable` to the buffer."""
        name, size = value.type_name.encode(), value.size
        head = struct.pack(f"<cBB{len(size)}QH", b"o", NOTES.index(value.note), len(size), *size, len(name))
        self.out += head + name

    def _value(self, value: Any, depth: int) -> None:
        if depth > self.limits.depth:
            raise _LimitReached("too_deep")
        self._count(1)
        kind = type(value)  # isinstance is avoided, because it asks the object for its __class__
        if issubclass(kind, dict):
            self._dict(value, depth)
        elif issubclass(kind, list):
            self._sequence(b"l", list.__getitem__(value, slice(None)), depth)
        elif issubclass(kind, tuple):
            self._sequence(b"u", list(tuple.__iter__(value)), depth)
        elif value is None:
            self.out += b"N"
        elif issubclass(kind, bool):
            self.out += b"T" if value else b"F"
        elif issubclass(kind, int):
            self._int(int.__pos__(value))
        elif issubclass(kind, float):
            self.out += struct.pack("<cd", b"f", float.__pos__(value))
        elif issubclass(kind, str):
            self.out += b"s"
            self._string(str.__str__(value))
        elif issubclass(kind, bytes) and self.limits.raw_bytes:
            self._bytes(bytes.__getitem__(value, slice(None)))
        elif self.limits.tensors and (tensors := _tensor_module()) and issubclass(kind, tensors.Tensor):
            self._tensor(value)
        elif issubclass(kind, Unsendable):
            self.unsendable(value)
        else:
            raise CannotSend("type")

    def _count(self, items: int) -> None:
        self.items += items
        if self.items > self.limits.items:
            raise _LimitReached("too_large")
        self.check_size(0)

    def check_size(self, extra_bytes: int) -> None:
        """Raise _LimitReached if this many more bytes would make the frame too large."""
        if len(self.out) + extra_bytes > self.limits.total_bytes:
            raise _LimitReached("too_large")

    def _int(self, value: int) -> None:
        if value.bit_length() > self.limits.int_bits:
            raise CannotSend("too_large")
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        self.out += struct.pack("<cH", b"i", len(data)) + data

    def _string(self, value: str) -> None:
        if len(value) > self.limits.text_bytes:  # checked before `encode` copies the string
            raise CannotSend("too_large", size=_length(value))
        try:
            data = value.encode()
        except UnicodeEncodeError:
            raise CannotSend("text") from None
        if self.text_bytes + len(data) > self.limits.text_bytes:
            raise CannotSend("too_large", size=_length(value))
        self.text_bytes += len(data)
        self.out += struct.pack("<I", len(data)) + data

    def _sequence(self, tag: bytes, values: list[Any], depth: int) -> None:
        self.out += struct.pack("<cI", tag, len(values))
        for value in values:
            self.value(value, depth + 1)

    def _dict(self, value: dict[Any, Any], depth: int) -> None:
        pairs = list(dict.items(value))
        self.keys += len(pairs)
        if self.keys > self.limits.keys:
            raise _LimitReached("too_large")
        self.out += struct.pack("<cI", b"d", len(pairs))
        for key, item in pairs:
            if not (type(key) is str or _is_key(key)):
                raise CannotSend("keys")
            self.value(key, depth + 1)
            self.value(item, depth + 1)

    def _bytes(self, value: bytes) -> None:
        self.check_size(len(value))
        self.out += struct.pack("<cI", b"b", len(value)) + value

    def _tensor(self, tensor: Any) -> None:
        self._count(_TENSOR_COST - 1)
        plain, numbers = _tensors.detach(tensor, self.limits)
        self.numbers += numbers
        if self.numbers > self.limits.numbers:
            raise _LimitReached("too_large")
        data = _tensors.encode(plain)
        self.check_size(len(data))
        self.out += data


def _is_key(key: Any) -> bool:
    if issubclass(type(key), tuple):
        return all(_is_key(part) for part in tuple.__iter__(key))
    return key is None or issubclass(type(key), int | float | str)


# --- Decoding values ----------------------------------------------------------------------------------


def decode(data: bytes | bytearray, limits: Limits = LIMITS) -> Any:
    """Decode bytes from an untrusted sender, and return their value.

    Raises:
        TooMuch: the value claims to be larger than the limits allow.
        WireError: the bytes are not exactly one complete value.
    """
    if len(data) > limits.total_bytes:
        raise TooMuch(Unsendable("object", "too_large", (len(data),)))
    reader = _Reader(data, limits)
    if reader.number(_BYTE) != VERSION:
        raise WireError("unknown version")
    value = reader.value(0)
    if reader.position != len(data):
        raise WireError("bytes after the value")
    if reader.items > _FEW_ITEMS:
        _refuse_colliding(value)
    return value


# Maximum number of items in a frame that is not searched for colliding hashes. A set with so few items is
# built quickly even if the hashes collide.
_FEW_ITEMS = 1_000
# Maximum number of different values that may have the same hash. Some collisions are natural: the hashes of
# -1 and -2 are equal, and so are those of 67 powers of two.
_MAX_SAME_HASH = 100


def _refuse_colliding(value: Any) -> None:
    """Raise TooMuch if many different values have the same hash.

    Making a set of such values takes quadratic time. This many collisions do not occur by accident: the hash
    of an int, for example, is the int's value modulo 2**61 - 1.
    """
    # The hashes are sorted instead of being collected in a set or dict, because colliding hashes would make a
    # set or dict slow as well.
    hashes = sorted(number for number, _ in _hashes(value))
    repeated_hashes = (
        value_hash
        for value_hash, later_hash in zip(hashes, hashes[_MAX_SAME_HASH:], strict=False)
        if value_hash == later_hash
    )
    same_hash: dict[int, set[bytes]] = {number: set() for number in repeated_hashes}
    for number, part in _hashes(value) if same_hash else ():
        if (encodings := same_hash.get(number)) is not None:
            # Version 2 of marshal's format writes no references, so equal values give equal bytes.
            encodings.add(marshal.dumps(_plain(part), 2))
            if len(encodings) > _MAX_SAME_HASH:
                raise TooMuch(Unsendable(type(value).__name__, "too_large"))


# The types of the values that may be items of a set. Tensors are not among them: the hash of a tensor is its
# address, which the sender cannot choose.
_HASHABLE_TYPES = frozenset({type(None), bool, int, float, str, bytes, tuple, Unsendable})


def _hashes(value: Any) -> Iterator[tuple[int, Any]]:
    """Yield (hash, item) for the value and for each nested item, if the item can be in a set.

    Tensors are skipped. The hash of a tensor is its address, which the sender cannot choose.
    """
    todo = [value]
    while todo:
        part = todo.pop()
        if type(part) is dict:
            todo += [*part, *part.values()]
        elif type(part) is list or type(part) is tuple:
            todo += part
        if type(part) in _HASHABLE_TYPES:
            with contextlib.suppress(TypeError):  # raised for a tuple with a list in it: lists have no hash
                yield hash(part), part


def _plain(value: Any) -> Any:
    """Return a value as plain data that `marshal` can write.

    A tensor is replaced by its id, and an `Unsendable` by a tuple.
    """
    if type(value) is tuple:
        return tuple(map(_plain, value))
    if type(value) is Unsendable:
        return value.type_name, value.note, value.size
    return value if type(value) in _HASHABLE_TYPES else id(value)


_BYTE, _SHORT, _WORD, _LONG, _DOUBLE = (struct.Struct(f"<{form}") for form in "BHIQd")


class _Reader:
    """A reader of untrusted bytes. It never reads past their end, and checks each count before using it."""

    def __init__(self, data: bytes | bytearray, limits: Limits) -> None:
        self.view = memoryview(data)
        self.length = len(data)
        self.limits = limits
        self.position = 0
        self.items = 0
        self.keys = 0
        self.numbers = 0
        self.text_bytes = 0

    def take(self, count: int) -> memoryview:
        """Return the next `count` bytes. Raise WireError if fewer remain."""
        if count > self.length - self.position:
            raise WireError("the frame is cut short")
        self.position += count
        return self.view[self.position - count : self.position]

    def number(self, form: struct.Struct) -> Any:
        """Read a number that is stored in the given struct format."""
        start = self.position
        if form.size > self.length - start:
            raise WireError("the frame is cut short")
        self.position = start + form.size
        return form.unpack_from(self.view, start)[0]

    def value(self, depth: int) -> Any:
        """Read a value that is nested `depth` levels deep."""
        if depth > self.limits.depth:
            raise TooMuch(Unsendable("object", "too_deep"))
        self.items += 1
        if self.items > self.limits.items:
            raise TooMuch(Unsendable("object", "too_large"))
        if self.position >= self.length:
            raise WireError("the frame is cut short")
        self.position += 1
        match self.view[self.position - 1]:
            case 0x73:  # tag s: a string
                return self._string()
            case 0x66:  # tag f: a float
                return self.number(_DOUBLE)
            case 0x6C:  # tag l: a list
                return self._list(depth, "list")
            case 0x74 if self.limits.tensors:  # tag t: a tensor
                return self._tensor()
            case 0x46:  # tag F: False
                return False
            case 0x54:  # tag T: True
                return True
            case 0x4E:  # tag N: None
                return None
            case 0x64:  # tag d: a dict
                return self._dict(depth)
            case 0x75:  # tag u: a tuple
                return tuple(self._list(depth, "tuple"))
            case 0x69:  # tag i: an int
                return self._int()
            case 0x6F:  # tag o: an Unsendable
                return self._unsendable()
            case 0x62 if self.limits.raw_bytes:  # tag b: bytes
                return bytes(self.take(self.number(_WORD)))
        raise WireError("unknown tag")

    def _count(self, items: int) -> None:
        self.items += items
        if self.items > self.limits.items:
            raise TooMuch(Unsendable("object", "too_large"))

    def _int(self) -> int:
        value = int.from_bytes(self.take(self.number(_SHORT)), "little", signed=True)
        if value.bit_length() > self.limits.int_bits:
            raise TooMuch(Unsendable("int", "too_large"))
        return value

    def _string(self) -> str:
        count = self.number(_WORD)
        self.text_bytes += count
        if self.text_bytes > self.limits.text_bytes:
            raise TooMuch(Unsendable("str", "too_large", (count,)))
        return self._text(count)

    def _text(self, count: int) -> str:
        try:
            return str(self.take(count), "utf-8")
        except UnicodeDecodeError:
            raise WireError("the string is not UTF-8") from None

    def _list(self, depth: int, name: str) -> list[Any]:
        count = self.number(_WORD)
        if self.items + count > self.limits.items:
            raise TooMuch(Unsendable(name, "too_large", (count,)))
        # Each value takes at least one byte, so decoding a false count fails when the bytes run out.
        return [self.value(depth + 1) for _ in range(count)]

    def _dict(self, depth: int) -> dict[Any, Any]:
        count = self.number(_WORD)
        self.keys += count
        if self.keys > self.limits.keys:
            raise TooMuch(Unsendable("dict", "too_large", (count,)))
        result: dict[Any, Any] = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if not (type(key) is str or _is_key(key)) or key in result:
                raise WireError("a key is repeated or not plain data")
            result[key] = self.value(depth + 1)
        return result

    def _unsendable(self) -> Unsendable:
        note, sizes = self.number(_BYTE), self.number(_BYTE)
        size = struct.unpack(f"<{sizes}Q", self.take(8 * sizes))
        name = self._text(self.number(_SHORT))
        if note >= len(NOTES) or not _TYPE_NAME.fullmatch(name):
            raise WireError("an unknown note, or not a type's name")
        return Unsendable(name, NOTES[note], size)

    def _tensor(self) -> Any:
        self._count(_TENSOR_COST - 1)
        tensors = load_tensors()
        number, dims = self.take(2)
        if number >= len(tensors.DTYPES):
            raise WireError("unknown dtype")
        dtype = tensors.DTYPES[number]
        shape = struct.unpack(f"<{dims}Q", self.take(8 * dims)) if dims else ()
        count = self.number(_LONG)
        if tensors.exceeds_limits(shape, dtype, self.limits):
            raise TooMuch(Unsendable("torch.Tensor", "large_tensor", shape))
        self.numbers += tensors.padded_size(shape)
        if self.numbers > self.limits.numbers:
            raise TooMuch(Unsendable("object", "too_large"))
        if math.prod(shape) * dtype.itemsize != count:
            raise WireError("the shape does not fit the bytes")
        return tensors.read(self.take(count), shape, dtype)


# --- Sending and receiving frames ---------------------------------------------------------------------


def send(
    sock: socket.socket,
    value: object,
    deadline: Deadline | None = None,
    limits: Limits = LIMITS,
    *,
    exact: bool = False,
) -> None:
    """Send one value as a frame. The arguments are those of `encode` and `send_body`."""
    send_body(sock, encode(value, limits, exact=exact), deadline)


def send_body(sock: socket.socket, body: bytes, deadline: Deadline | None = None) -> None:
    """Send a result of `encode` as a frame.

    Like `recv`, this function raises WireTimeout and WireClosed.
    """
    try:
        remaining = memoryview(struct.pack("<I", len(body)) + body)
        while remaining:
            if deadline is not None:
                sock.settimeout(_seconds_left(deadline))
            with contextlib.suppress(BlockingIOError, TimeoutError):
                remaining = remaining[sock.send(remaining) :]
    except TimeoutError:
        raise WireTimeout("the other side does not read") from None
    except OSError as error:
        raise WireClosed(f"the connection is gone: {error.strerror}") from None


def recv(sock: socket.socket, deadline: Deadline | None = None, limits: Limits = LIMITS) -> Any:
    """Receive one value.

    Args:
        sock: a connected stream socket.
        deadline: the deadline for the whole frame (see `Deadline`); None for no deadline.
        limits: the limits on the frame.

    Raises:
        WireClosed: the connection ended before the frame was complete.
        WireTimeout: the deadline passed before the frame was complete, even if bytes kept arriving.
        TooMuch: the frame exceeds the limits. A frame that is too long is not read.
        WireError: the frame is not a value.
    """
    (length,) = struct.unpack("<I", _recv_bytes(sock, 4, deadline))
    if length > LIMITS.total_bytes:  # no encoder of this module makes such a long frame
        raise WireError("the frame is too large")
    if length > limits.total_bytes:
        raise TooMuch(Unsendable("object", "too_large", (length,)))
    return decode(_recv_bytes(sock, length, deadline), limits)


def _recv_bytes(sock: socket.socket, count: int, deadline: Deadline | None) -> bytearray:
    """Receive exactly `count` bytes.

    The buffer grows as bytes arrive. The announced length is not allocated in advance.
    """
    data = bytearray()
    try:
        while len(data) < count:
            if deadline is not None:
                sock.settimeout(_seconds_left(deadline))
            with contextlib.suppress(BlockingIOError, TimeoutError):
                part = sock.recv(min(count - len(data), _CHUNK))
                if not part:
                    raise WireClosed("the connection was closed")
                data += part
                if len(data) < count and len(part) < _CHUNK:
                    time.sleep(_PAUSE_SECONDS)
    except TimeoutError:
        raise WireTimeout("no complete frame before the deadline") from None
    except OSError as error:
        raise WireClosed(f"the connection is gone: {error.strerror}") from None
    return data


def _seconds_left(deadline: Deadline) -> float:
    seconds = deadline() if callable(deadline) else deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
