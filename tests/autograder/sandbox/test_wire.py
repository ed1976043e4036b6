"""Tests of the wire: values arrive exactly, and no bytes can cause anything worse than a WireError."""

import collections
import enum
import math
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox.inside import wire
from autograder.sandbox.inside.tensors import DTYPES
from autograder.sandbox.inside.wire import (
    ANSWER_LIMITS,
    LIMITS,
    Limits,
    TooMuch,
    Unsendable,
    WireClosed,
    WireError,
    WireTimeout,
    decode,
    encode,
)
from secant.language import language
from tests.autograder.sandbox import fuzz_wire

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
INTS = st.integers() | st.integers(-(2**4095), 2**4095)
KEYS = st.recursive(
    st.none() | st.booleans() | INTS | FLOATS | st.text(), lambda inner: st.tuples(inner, inner), max_leaves=4
)


@st.composite
def tensors(draw: Any) -> Any:
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    count = math.prod(shape)
    if dtype == torch.bool:
        return (
            torch.tensor(draw(st.lists(st.booleans(), min_size=count, max_size=count))).bool().reshape(shape)
        )
    data = bytearray(draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize)))
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if count else torch.empty(shape, dtype=dtype)


VALUES = st.recursive(
    st.none() | st.booleans() | INTS | FLOATS | st.text() | tensors(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=20,
)


def same(a: Any, b: Any) -> Any:
    """Return whether two values have the same types and are equal bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and byte_values(a) == byte_values(b)
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(map(same, a.items(), b.items()))
    return a == b


def byte_values(tensor: Any) -> Any:
    return tensor.contiguous().reshape(-1).view(torch.uint8).tolist() if tensor.numel() else []


def round_trip(value: Any, **options: Any) -> Any:
    return decode(encode(value, **options), **options)


# --- Values --------------------------------------------------------------------------------------------


@given(VALUES)
@settings(deadline=None, max_examples=300)
def test_plain_values_come_back_exactly(value: Any) -> None:
    assert same(round_trip(value), value)
    assert encode(value, exact=True) == encode(value)


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", None, -0.0, math.inf, math.nan, 0, -1, -128, 2**64])
def test_values_of_similar_types_keep_their_type(value: Any) -> None:
    assert same(round_trip(value), value)


class Colour(enum.IntEnum):
    RED = 3


class LyingString(str):
    def __str__(self) -> Any:
        return "no"

    def encode(self, *_: Any) -> Any:
        return b"no"


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "base"),
    [
        (np.float64(2.5), 2.5),
        (np.str_("a"), "a"),
        (Colour.RED, 3),
        (LyingString("yes"), "yes"),
        (Point(1, 2), (1, 2)),
        (torch.ones(2, 3).shape, (2, 3)),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.defaultdict(list, a=[1]), {"a": [1]}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
    ],
)
def test_a_subclass_is_sent_as_its_base(value: Any, base: Any) -> None:
    assert same(round_trip(value), base)


def test_result_of_torch_max_is_sent_as_a_tuple_of_tensors() -> None:
    assert same(round_trip(torch.eye(2).max(dim=0)), (torch.ones(2), torch.tensor([0, 1])))


class LyingTensor(torch.Tensor):
    """A tensor that gives false answers about its shape and its values."""

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return torch.ones(3)

    @property
    def shape(self) -> Any:  # type: ignore[override]
        return torch.Size([99])

    def detach(self) -> Any:
        return torch.ones(3)

    numpy = tolist = contiguous = cpu = detach  # type: ignore[assignment]


X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (X.clone().requires_grad_(), X),
        (X.clone().requires_grad_() * 1, X),
        (X.t(), torch.tensor([[1.0, 3.0], [2.0, 4.0]])),
        (X[:, 1], torch.tensor([2.0, 4.0])),
        (X[0].expand(2, 2), torch.tensor([[1.0, 2.0], [1.0, 2.0]])),
        (X[:1, ::2][:, :1], torch.tensor([[1.0]])),
        (torch.tensor(5), torch.tensor(5)),
        (torch.tensor(2.5, dtype=torch.bfloat16), torch.tensor(2.5, dtype=torch.bfloat16)),
        (torch.empty(0, 3), torch.empty(0, 3)),
        (torch.tensor([1 + 2j]).conj(), torch.tensor([1 - 2j])),
        (torch.tensor([1 + 2j]).conj().imag, torch.tensor([-2.0])),
        (torch.nn.Parameter(X.clone()), X),
        (torch.nn.Buffer(X.clone()), X),
        (X.as_subclass(LyingTensor), X),
        (X.clone().share_memory_(), X),
    ],
)
def test_odd_tensors_are_sent_as_plain_ones(tensor: Any, expected: Any) -> None:
    result = round_trip(tensor)
    assert type(result) is torch.Tensor
    assert same(result, expected.contiguous())
    assert not result.requires_grad


def test_a_leaf_of_inference_mode_is_sent() -> None:
    with torch.inference_mode():
        leaf = torch.ones(2)
        assert same(round_trip(leaf), torch.ones(2))
    assert same(round_trip(leaf), torch.ones(2))


def test_active_torch_function_mode_does_not_change_encoding() -> None:
    class ZerosMode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return torch.zeros(7)

    with ZerosMode():
        data = encode([X])
    assert same(decode(data), [X])


def test_tensor_that_leaves_a_transform_is_sent_if_it_can_be_read() -> None:
    transform_tensors = []

    def f(x: Any) -> Any:
        transform_tensors.append(x)
        return x.sum()

    torch.func.grad(f)(torch.ones(3))
    torch.vmap(f)(torch.ones(2, 3))
    first, second = round_trip(transform_tensors)
    assert same(first, torch.ones(3))
    assert second == Unsendable("torch.Tensor", "unreadable")


def test_decoded_tensors_are_writable_and_share_no_memory() -> None:
    first, second = round_trip([X, X])
    first.zero_()
    assert same(second, X)


def unsendable_values() -> Any:
    cyclic_list: list[Any] = []
    cyclic_list.append(cyclic_list)
    wide_list: list[Any] = []
    for _ in range(60):
        wide_list = [wide_list, wide_list]
    cyclic_dict: dict[str, Any] = {}
    cyclic_dict["me"] = cyclic_dict
    fake_mode = torch._subclasses.FakeTensorMode()
    empty_tensor = torch.ones(4)
    empty_tensor.untyped_storage().resize_(0)

    class RaisingMeta(type):
        __module__ = property(lambda cls: 1 / 0)

    class Explosive(metaclass=RaisingMeta):
        def __getattribute__(self, name: str) -> None:
            raise KeyboardInterrupt

    return [
        (np.ones(3), Unsendable("numpy.ndarray", "type")),
        (np.int64(3), Unsendable("numpy.int64", "type")),
        (1j, Unsendable("complex", "type")),
        (b"x", Unsendable("bytes", "type")),
        ({1}, Unsendable("set", "type")),
        (range(3), Unsendable("range", "type")),
        (len, Unsendable("builtin_function_or_method", "type")),
        (torch, Unsendable("module", "type")),
        (torch.float32, Unsendable("torch.dtype", "type")),
        (X.sum, Unsendable("builtin_function_or_method", "type")),
        (torch.nn.Linear(1, 1), Unsendable("torch.nn.modules.linear.Linear", "type")),
        (Explosive(), Unsendable("object", "type")),
        (X.to_sparse(), Unsendable("torch.Tensor", "sparse")),
        (X.to_sparse_csr(), Unsendable("torch.Tensor", "sparse")),
        (X.to("meta"), Unsendable("torch.Tensor", "meta")),
        (torch.quantize_per_tensor(X, 0.1, 0, torch.qint8), Unsendable("torch.Tensor", "quantised")),
        (torch.nested.nested_tensor([X, X[0:1]]), Unsendable("torch.Tensor", "nested")),
        (
            torch.nested.nested_tensor([X, X[0:1]], layout=torch.jagged),
            Unsendable("torch.nested._internal.nested_tensor.NestedTensor", "nested"),
        ),
        (X.to(torch.float8_e4m3fn), Unsendable("torch.Tensor[float8_e4m3fn]", "dtype")),
        (X.to(torch.uint16), Unsendable("torch.Tensor[uint16]", "dtype")),
        (fake_mode.from_tensor(X), Unsendable("torch._subclasses.fake_tensor.FakeTensor", "unreadable")),
        (empty_tensor, Unsendable("torch.Tensor", "unreadable")),
        (torch.zeros(1).expand(10**12), Unsendable("torch.Tensor", "large_tensor", (10**12,))),
        (torch.empty(0, 10**12), Unsendable("torch.Tensor", "large_tensor", (0, 10**12))),
        (torch.ones([1] * 17), Unsendable("torch.Tensor", "large_tensor", (1,) * 17)),
        (2**5000, Unsendable("int", "too_large")),
        ("a" * 2_000_000, Unsendable("str", "too_large", (2_000_000,))),
        ("가" * 400_000, Unsendable("str", "too_large", (400_000,))),
        ("\ud800", Unsendable("str", "text")),
        ({X: 1}, Unsendable("dict", "keys")),
        ({(1, b""): 1}, Unsendable("dict", "keys")),
        (dict.fromkeys(range(1001)), Unsendable("dict", "too_large", (1001,))),
        (cyclic_list, [Unsendable("list", "too_deep", (1,))]),
        (cyclic_dict, {"me": Unsendable("dict", "too_deep", (1,))}),
        (wide_list, [Unsendable("list", "too_deep", (2,))] * 2),
        ([0] * 100_001, Unsendable("list", "too_large", (100_001,))),
        ([[0] * 100_001, 1], [Unsendable("list", "too_large", (100_001,)), 1]),
        (
            [torch.zeros(5_000_000)] * 5,
            [torch.zeros(5_000_000)] * 3 + [Unsendable("torch.Tensor", "too_large")] * 2,
        ),
        (
            [1, np.ones(1), {"a": b""}],
            [1, Unsendable("numpy.ndarray", "type"), {"a": Unsendable("bytes", "type")}],
        ),
        (Unsendable("x", "type"), Unsendable("x", "type")),
    ]


@pytest.mark.filterwarnings("ignore")
def test_unsendable_value_is_described_by_name() -> None:
    for value, expected in unsendable_values():
        assert same(round_trip(value), expected), expected
        if type(value) is not Unsendable:
            with pytest.raises(WireError, match="cannot send"):
                encode(value, exact=True)


def test_a_type_name_is_made_harmless() -> None:
    names = ["<script>alert(1)</script>", "a\nb\x1b[2J\u202e", "이름", "x" * 5000]
    for name in names:
        result = round_trip(type(name, (), {})())
        assert len(result.type_name) <= 120
        assert not set(result.type_name) & set("/()\n\x1b\u202e \"'&")
    assert round_trip(type("이름", (), {})()).type_name.endswith("이름")


def test_encoding_works_near_the_end_of_the_stack() -> None:
    def encode_at_depth(depth: Any) -> Any:
        try:
            return encode_at_depth(depth + 1)
        except RecursionError:
            return encode([[[[[[1]]]]]])

    assert isinstance(decode(encode_at_depth(0)), list | Unsendable)


def test_every_note_is_described_in_both_languages() -> None:
    try:
        for note in wire.NOTES:
            unsendable = Unsendable("some.Type", note)
            language("en")
            english = unsendable.describe()
            language("ko")
            assert unsendable.describe() != english
    finally:
        language("en")


# --- Hostile bytes ---------------------------------------------------------------------------------------


def body(*parts: Any) -> Any:
    return bytes([wire.VERSION]) + b"".join(parts)


def tensor_bytes(dtype: Any, shape: Any, count: Any, data: Any) -> Any:
    return body(struct.pack(f"<cBB{len(shape)}QQ", b"t", dtype, len(shape), *shape, count), data)


HUGE = 2**64 - 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes([wire.VERSION]),
        b"\x00N",
        b"\x02N",
        body(b"N", b"N"),
        body(b"?"),
        body(b"i"),
        body(b"i\xff\xff"),
        body(b"i\xff\xff", b"\x01" * 65535),
        body(b"f123"),
        body(b"s\xff\xff\xff\xff"),
        body(b"s\x02\x00\x00\x00a"),
        body(b"s\x01\x00\x00\x00\xff"),
        body(b"s\x03\x00\x00\x00\xed\xa0\x80"),  # a surrogate
        body(b"l\xff\xff\xff\xff"),
        body(b"l\xff\xff\xff\xff", b"N" * 200_000),
        body(b"u\xff\xff\xff\xff"),
        body(b"l\x01\x00\x00\x00" * 5000),
        body(b"d\xff\xff\xff\xff"),
        body(b"d\x01\x00\x00\x00" * 5000),
        body(b"d\x02\x00\x00\x00", b"TN", b"i\x01\x00\x01N"),  # True and 1 are one key
        body(b"d\x01\x00\x00\x00", b"l\x00\x00\x00\x00N"),
        body(b"d\x01\x00\x00\x00", b"t\x00\x00\x01\0\0\0\0\0\0\0\x01", b"N"),
        body(b"o\xff\x00\x01\x00a"),
        body(b"o\x00\x00\x00\x00"),
        body(b"o\x00\x00\x03\x00<b "),
        body(b"o\x00\x00\x79\x00", b"a" * 121),
        body(b"o\x00\xff\x01\x00a"),  # the announced sizes do not follow
        tensor_bytes(99, (1,), 4, b"0000"),
        tensor_bytes(8, (1,) * 17, 4, b"0000"),
        tensor_bytes(8, (2,), 4, b"0000"),
        tensor_bytes(8, (1,), 8, b"00000000"),
        tensor_bytes(8, (HUGE, HUGE), 4, b"0000"),
        tensor_bytes(8, (2**32, 2**32), 0, b""),  # the element count overflows to 0 in 64 bits
        tensor_bytes(8, (2**30,), 2**32, b"0000"),
        tensor_bytes(8, (0, HUGE), 0, b""),
        tensor_bytes(8, (0, 2**40), 0, b""),
        tensor_bytes(8, (), 0, b""),
        tensor_bytes(0, (2,), 2, b"\x01\x02"),  # a bool tensor with the byte 2
    ],
)
def test_a_broken_frame_is_refused(data: Any) -> None:
    tracemalloc.start()
    with pytest.raises(WireError):
        decode(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_frame_truncated_at_any_byte_is_refused() -> None:
    data = encode(fuzz_wire.SEEDS)
    for end in range(len(data)):
        with pytest.raises(WireError):
            decode(data[:end])


def test_tensors_of_sixty_megabytes_fit_a_frame() -> None:
    tensor = torch.ones(60 * 2**20, dtype=torch.uint8)
    assert torch.equal(decode(encode(tensor)), tensor)


def test_tensors_are_refused_where_the_limits_forbid_them() -> None:
    for value in (torch.ones(2), [torch.ones(300)], {"a": torch.empty(0)}):
        with pytest.raises(WireError, match="unknown tag"):
            decode(encode(value), wire.PLAIN_ANSWER_LIMITS)
        assert "torch" in repr(round_trip(value, limits=wire.PLAIN_ANSWER_LIMITS))


def test_bytes_are_sent_only_where_the_limits_allow_them() -> None:
    for value in (b"", b"\0\xff" * 5, [b"a" * 2_000_000, {"b": b"c"}]):
        assert same(round_trip(value, limits=wire.PLAIN_LIMITS), value)
        with pytest.raises(WireError):
            decode(encode(value, wire.PLAIN_LIMITS))
    assert same(round_trip(b"a"), Unsendable("bytes", "type"))
    limits = Limits(total_bytes=1000, raw_bytes=True)
    assert same(round_trip(b"a" * 1000, limits=limits), Unsendable("bytes", "too_large"))


@pytest.mark.parametrize("data", [body(b"b\xff\xff\xff\xff"), body(b"b\2\0\0\0a"), body(b"b")])
def test_truncated_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(WireError, match="cut short"):
        decode(data, wire.PLAIN_LIMITS)


def test_no_bytes_make_the_decoder_of_a_plain_answer_import_torch() -> None:
    program = (
        "import sys\n"
        "from autograder.sandbox.inside.wire import PLAIN_ANSWER_LIMITS, WireError, decode\n"
        "from autograder.sandbox.inside.wire import encode\n"
        f"for data in ({encode(torch.ones(2))!r}, {encode([[torch.ones(2)]])!r}):\n"
        "    try:\n"
        "        decode(data, PLAIN_ANSWER_LIMITS)\n"
        "        raise SystemExit('decoded')\n"
        "    except WireError:\n"
        "        pass\n"
        "assert decode(encode(list(range(2000)))) == list(range(2000))\n"
        "assert decode(encode(object())).note == 'type'\n"
        "sys.exit('torch' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_decoder_uses_the_limits_of_the_caller() -> None:
    limits = Limits(total_bytes=1000, items=30, depth=3, keys=2, dims=2, int_bits=8, text_bytes=10)
    for value in (
        ["x" * 6] * 2,
        [[[[[1]]]]],
        [0] * 31,
        {1: 1, 2: 2, 3: 3},
        torch.ones(1, 1, 1),
        torch.ones(300),
        [torch.ones(1)] * 3,
        300,
    ):
        assert "Unsendable" in repr(round_trip(value, limits=limits))
        with pytest.raises(WireError):
            decode(encode(value), limits)


# Values that no answer may be. Each has the code for the value, words of the value's description, and the
# frame or tensor header with which a forger would announce the value.
TOO_LARGE_VALUES = [
    ("torch.zeros((3,) * 15, dtype=torch.uint8)", "15 dimensions and 14,348,907 elements", (1, (3,) * 15)),
    ("torch.ones((1,) * 64)", "64 dimensions and 1 element,", (8, (1,) * 64)),
    ("torch.ones((1,) * 9)", "9 dimensions and 1 element,", (8, (1,) * 9)),
    ("torch.empty(0, 10**9)", "shape (0, 1000000000) with 0 elements", (8, (0, 10**9))),
    ("torch.empty(10**9, 0)", "shape (1000000000, 0) with 0 elements", (8, (10**9, 0))),
    ("torch.zeros(1).expand(2**50)", f"shape ({2**50},) with {2**50:,} elements", (8, (2**50,))),
    ("torch.zeros(50_001)", "shape (50001,) with 50,001 elements", (8, (50_001,))),
    ("[torch.zeros(50)] * 1001", "a list of length 1,001", b"l" + struct.pack("<I", 10**9)),
    ("[None] * 100_001", "a list of length 100,001", b"l" + struct.pack("<I", 100_001)),
    ("(None,) * 100_001", "a tuple of length 100,001", b"u" + struct.pack("<I", 100_001)),
    ("{n * (2**61 - 1): 0 for n in range(501)}", "a dict of length 501", b"d" + struct.pack("<I", 501)),
    ("'a' * (2**20 + 1)", "a str of length 1,048,577", b"s" + struct.pack("<I", 2**20 + 1)),
    ("'\U0001f642' * 300_000", "a str of length 300,000", b"s" + struct.pack("<I", 2**32 - 1)),
    ("2**4097", "an int that is far larger", b"i" + struct.pack("<H", 600) + b"\x7f" * 600),
    ("[2**4000] * 9_000", "a list of length 9,000", b"l" + struct.pack("<I", 2**32 - 1)),
    ("{'kept': [(0,), [torch.zeros(50)] * 1001]}", "a list of length 1,001", b"l" + struct.pack("<I", 10**9)),
    ("nested(16)", "a list that is nested too deeply", b"l\x01\0\0\0" * 10_000),
]


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


@pytest.mark.parametrize(
    ("code", "words", "forgery"), TOO_LARGE_VALUES, ids=[code for code, _, _ in TOO_LARGE_VALUES]
)
def test_value_beyond_the_answer_limits_is_described_in_words(code: str, words: str, forgery: Any) -> None:
    stand_in = decode(encode({"value": eval(code)}, ANSWER_LIMITS), ANSWER_LIMITS)["value"]
    assert stand_in.is_too_much
    assert words in stand_in.describe()
    data = (
        body(forgery) if isinstance(forgery, bytes) else tensor_bytes(forgery[0], forgery[1], 2**64 - 1, b"")
    )
    tracemalloc.start()
    with pytest.raises(TooMuch) as error:
        decode(data, ANSWER_LIMITS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    assert len(error.value.stand_in.describe()) < 200
    if not isinstance(forgery, bytes):
        assert error.value.stand_in == stand_in


def test_huge_forged_sizes_can_be_described() -> None:
    with pytest.raises(TooMuch) as error:
        decode(tensor_bytes(8, (HUGE,) * 255, 0, b""), ANSWER_LIMITS)
    assert "255 dimensions and 10**18+ elements" in error.value.stand_in.describe()
    unsendable = decode(body(b"o", bytes([wire.NOTES.index("large_tensor"), 0]), b"\x01\0a"))
    assert unsendable.describe()


@pytest.mark.whole
@pytest.mark.parametrize(
    "frame",
    [
        body(b"l" + struct.pack("<I", 9_000), b"t\x08\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" * 9_000),
        body(b"l" + struct.pack("<I", 4_000), (b"i\x00\x02" + b"\x7f" * 512) * 4_000),
        body(b"l" + struct.pack("<I", 99_999), b"d\x00\x00\x00\x00" * 99_999),
        body(b"l" + struct.pack("<I", 99_999), b"l\x00\x00\x00\x00" * 99_999),
        body(b"s" + struct.pack("<I", 2**20), b"a" * (2**20 - 4) + "🙂".encode()),
        tensor_bytes(11, (50_000,), 800_000, bytes(800_000)),
    ],
    ids=["tensors", "integers", "dicts", "lists", "text", "numbers"],
)
def test_decoding_within_the_answer_limits_takes_little_memory(frame: bytes) -> None:
    tracemalloc.start()
    assert decode(frame, ANSWER_LIMITS) is not None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000


_P = 2**61 - 1  # the hash of an int is its value modulo this number


def test_colliding_dict_keys_are_decoded_quickly() -> None:
    keys = [i * _P for i in range(ANSWER_LIMITS.keys - 1)]
    start_time = time.monotonic()
    round_trip(dict.fromkeys(keys))
    assert time.monotonic() - start_time < 2


@pytest.mark.parametrize(
    "value",
    [
        [n * _P for n in range(90_000)] + [[]],
        [(0, n * _P, "x") for n in range(20_000)],
        [[[n * _P for n in range(m, m + 500)]] for m in range(0, 90_000, 500)],
        {"order": [n * _P for n in range(2_000)]},
    ],
    ids=["ints", "tuples", "many lists", "in a dict"],
)
def test_lists_of_colliding_numbers_are_refused_quickly(value: Any) -> None:
    """Decoding the first of these lists once took 50 s, and so did each question sent with the list."""
    with pytest.raises(TooMuch):
        decode(encode(value, ANSWER_LIMITS), ANSWER_LIMITS)


@pytest.mark.parametrize(
    "value",
    [
        [-1, -2, 0, False, 0.0, -0.0, 1, True, 1.0] * 1_000,
        [math.nan] * 5_000,
        [2**n for n in range(4_000)],
        [(n, str(n), 1 / (n + 1)) for n in range(5_000)],
        [torch.ones(2)] * 200 + [(torch.zeros(1), 1)] * 100,
        [[]] * 2_000,
    ],
    ids=["alike", "nan", "powers", "tuples", "tensors", "empty"],
)
def test_lists_of_many_equal_values_are_decoded(value: Any) -> None:
    assert len(decode(encode(value, ANSWER_LIMITS), ANSWER_LIMITS)) == len(value)


@given(st.binary(max_size=300))
@settings(deadline=None, max_examples=500)
def test_any_bytes_give_a_value_or_a_wire_error(data: Any) -> None:
    for start in (b"", bytes([wire.VERSION])):
        fuzz_wire.try_decode(start + data)


@pytest.mark.costly("messages damaged at random")
@given(VALUES, st.integers(0, 2**32))
@settings(deadline=None, max_examples=500)
def test_any_damage_gives_a_value_or_a_wire_error(value: Any, seed: Any) -> None:
    rng = random.Random(seed)
    fuzz_wire.try_decode(fuzz_wire.mutate(encode(value), rng))


@pytest.mark.whole
def test_memory_is_bounded_by_the_limits() -> None:
    frames = [
        body(b"l" + struct.pack("<I", 99_999), b"N" * 99_999),
        body(b"l" + struct.pack("<I", 9_000), b"t\x08\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" * 9_000),
        body(b"l" + struct.pack("<I", 90_000), (b"i\x00\x02" + b"\x7f" * 512) * 90_000),
        body(b"l" + struct.pack("<I", 99_999), b"d\x00\x00\x00\x00" * 99_999),
        body(b"s" + struct.pack("<I", 1_000_000), b"a" * 999_996 + "🙂".encode()),
        tensor_bytes(0, (60_000_000,), 60_000_000, b"\x01" * 60_000_000),
    ]
    for frame in frames:
        tracemalloc.start()
        value = decode(frame)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert value is not None
        assert peak < 70_000_000 + len(frame)


# --- The socket ------------------------------------------------------------------------------------------


@pytest.fixture
def pair() -> Iterator[Any]:
    a, b = socket.socketpair()
    with a, b:
        yield a, b


def deadline_in(seconds: Any = 5.0) -> Any:
    return time.monotonic() + seconds


def test_frames_cross_a_socket(pair: Any) -> None:
    values = [None, {"a": [torch.arange(5)]}, "가", torch.zeros(3_000_000)]

    def send_all() -> None:
        for value in values:
            wire.send(pair[0], value)

    thread = threading.Thread(target=send_all)
    thread.start()
    for value in values:
        assert same(wire.recv(pair[1], deadline_in()), value)
    thread.join()


@pytest.mark.parametrize("data", [b"", b"\x05", b"\x05\0\0\0", b"\x05\0\0\0\x01N"])
def test_receiving_from_a_closed_connection_raises_wire_closed(pair: Any, data: bytes) -> None:
    pair[0].sendall(data)
    pair[0].close()
    with pytest.raises(WireClosed):
        wire.recv(pair[1], deadline_in())


def test_sending_to_a_closed_connection_raises_wire_closed(pair: Any) -> None:
    pair[1].close()
    with pytest.raises(WireClosed):
        wire.send(pair[0], torch.zeros(1_000_000))
    pair[0].close()
    for call in (lambda: wire.send(pair[0], 1), lambda: wire.recv(pair[0], deadline_in())):
        with pytest.raises(WireClosed):
            call()


def test_a_reset_connection_is_closed(pair: Any) -> None:
    pair[1].sendall(b"unread")
    pair[1].close()
    pair[0].recv(6)
    with pytest.raises(WireClosed):
        wire.recv(pair[0], deadline_in())


def test_an_announced_length_is_checked_before_anything_is_read(pair: Any) -> None:
    pair[0].sendall(struct.pack("<I", LIMITS.total_bytes + 1))
    with pytest.raises(WireError, match="too large"):
        wire.recv(pair[1], deadline_in())


def test_oversized_frame_is_refused_before_reading(pair: Any) -> None:
    pair[0].sendall(struct.pack("<I", ANSWER_LIMITS.total_bytes + 1))
    with pytest.raises(TooMuch) as error:
        wire.recv(pair[1], deadline_in(), ANSWER_LIMITS)
    assert error.value.stand_in == Unsendable("object", "too_large", (ANSWER_LIMITS.total_bytes + 1,))


def test_announced_frame_length_allocates_no_memory_in_advance(pair: Any) -> None:
    pair[0].sendall(struct.pack("<I", LIMITS.total_bytes) + b"x")
    tracemalloc.start()
    with pytest.raises(WireTimeout):
        wire.recv(pair[1], deadline_in(0.2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_receiving_times_out_if_the_peer_sends_nothing(pair: Any) -> None:
    start_time = time.monotonic()
    for deadline in (deadline_in(0.2), deadline_in(0), deadline_in(-1)):
        with pytest.raises(WireTimeout):
            wire.recv(pair[1], deadline)
    assert time.monotonic() - start_time < 1


def test_dripping_bytes_do_not_move_the_deadline(pair: Any) -> None:
    stop = threading.Event()
    frame = struct.pack("<I", 1000) + bytes(1000)

    def drip() -> None:
        for byte in frame:
            if stop.wait(0.02):
                return
            pair[0].sendall(bytes([byte]))

    thread = threading.Thread(target=drip)
    thread.start()
    start_time = time.monotonic()
    try:
        with pytest.raises(WireTimeout):
            wire.recv(pair[1], deadline_in(0.3))
        assert time.monotonic() - start_time < 1
    finally:
        stop.set()
        thread.join()


def test_sending_to_a_peer_that_does_not_read_times_out(pair: Any) -> None:
    start_time = time.monotonic()
    with pytest.raises(WireTimeout):
        wire.send(pair[0], torch.zeros(10_000_000), deadline_in(0.2))
    assert time.monotonic() - start_time < 2


def test_descriptors_sent_along_are_not_kept(pair: Any) -> None:
    frame = encode(1)
    socket.send_fds(pair[0], [struct.pack("<I", len(frame)) + frame], [pair[0].fileno()])
    assert wire.recv(pair[1], deadline_in()) == 1
    pair[0].close()
    with pytest.raises(WireClosed):  # a kept descriptor would hold the connection open
        wire.recv(pair[1], deadline_in())


DRIP_CODE = """
import ctypes, socket, struct, sys
end, pause = socket.socket(fileno=int(sys.argv[1])), ctypes.CDLL(None).usleep
end.sendall(struct.pack("<I", 2**20))
try:
    while True:
        end.send(b"l")
        pause(1)
except OSError:
    pass
"""


def test_bytes_that_drip_in_cost_the_sender_more_than_the_reader() -> None:
    reader_socket, sender_socket = socket.socketpair()
    number = sender_socket.fileno()
    with (
        reader_socket,
        subprocess.Popen([sys.executable, "-c", DRIP_CODE, str(number)], pass_fds=[number]) as sender,
    ):
        sender_socket.close()
        reader_socket.recv(4)
        sender_before, reader_before = processor_seconds(sender.pid), time.thread_time()
        with pytest.raises(wire.WireTimeout):
            wire._recv_bytes(reader_socket, 2**20, time.monotonic() + 1.5)
        reader_seconds, sender_seconds = (
            time.thread_time() - reader_before,
            processor_seconds(sender.pid) - sender_before,
        )
        reader_socket.close()
    assert reader_seconds < 0.4 * sender_seconds


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) * 1e-9
