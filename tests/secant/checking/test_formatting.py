import struct
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.secant.checking.test_check import complaint
from tests.support.settings import in_english  # noqa: F401


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1.0


class FakeUnsendable:
    """A stand-in like `wire.Unsendable`, which is sent in place of an object that cannot be sent."""

    type_name = "torch.Tensor"

    def describe(self) -> str:
        return "a tensor with 15 dimensions"


# Answers far from the expected ones. A message may examine only the beginning of such an answer. Each answer
# is created only when a test needs it, because all answers together take a gigabyte.
WRONG_VALUES: dict[str, Callable[[], Any]] = {
    "dimensions": lambda: torch.zeros((3,) * 15, dtype=torch.uint8),
    "ones": lambda: torch.ones((1,) * 64),
    "empty": lambda: torch.empty(0, 10**9),
    "empty rows": lambda: torch.empty(10**7, 0),
    "expanded": lambda: torch.zeros(1).expand(10**12),
    "tensors": lambda: [torch.zeros((3,) * 12, dtype=torch.uint8)] * 10**5,
    "text": lambda: "y" * 10**8,
    "deep": lambda: nested(900),
    "wide": lambda: [[[[0] * 10**6] * 10**6] * 10**6] * 10**6,
    "pairs": lambda: (dict.fromkeys(range(1000), "y" * 10**6),) * 10**6,
    "keys": lambda: {n * (2**61 - 1): n for n in range(1000)},
    "long keys": lambda: {str(n) * 10**6: n for n in range(20)},
    "integer": lambda: 2**4000,
    "nan": lambda: struct.unpack("d", b"\x01\x02\x03\x04\x05\x06\xf8\x7f")[0],
    "not sent": lambda: (FakeUnsendable(),) * 10**6,
}
EXPECTED: list[Any] = [
    torch.tensor([2.0, 4.0]),
    torch.tensor(1, dtype=torch.uint8),
    2.0,
    "text",
    None,
    [1.0, [2.0]],
    (torch.tensor([1.0]), 2.0),
    {"a": 1.0},
]


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_formatting_a_huge_wrong_value_takes_bounded_time(name: str) -> None:
    got = WRONG_VALUES[name]()
    tracemalloc.start()
    start = time.process_time()
    messages = [complaint(got, want, mistakes=[(want, "no")]) for want in EXPECTED]
    messages += [complaint([got], [want]) for want in EXPECTED]
    messages += [complaint({"a": got}, {"a": want}) for want in EXPECTED]
    seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seconds < 2
    assert peak < 2_000_000
    assert max(map(len, messages)) < 1_200


def test_unsendable_value_is_described_in_the_message() -> None:
    message = complaint((FakeUnsendable(), 1.0), (torch.ones(2), 1.0))
    assert "got: (a tensor with 15 dimensions, 1.0)" in message
    assert "The result is a tensor with 15 dimensions; a float32 tensor was expected" in message


def test_message_names_an_objects_type_and_ignores_its_describe_method() -> None:
    class Table:
        def describe(self) -> str:
            return "a right answer"

    assert "The result is a Table; a float32 tensor was expected" in complaint(Table(), torch.ones(2))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "[]"),
        ((), "()"),
        ((1,), "(1,)"),
        ({}, "{}"),
        ({"a": [1, (2.5, None)], 3: "b'"}, "{'a': [1, (2.5, None)], 3: \"b'\"}"),
        ([torch.tensor([1.0, 2.0])], "[tensor([1., 2.])]"),
        ([torch.zeros(300)], "[a tensor of shape (300,)]"),
        (torch.zeros(0), "[]  (float32)"),
        (torch.zeros(13), "a tensor of shape (13,)  (float32)"),
        ("y" * 198, "'" + "y" * 198 + "'"),
        ("y" * 199, "'" + "y" * 196 + "..."),
    ],
)
def test_a_value_is_shown_as_python_shows_it(value: Any, text: str) -> None:
    assert f"  got: {text}\n" in complaint(value, 1)


def test_minus_zero_is_shown_as_zero() -> None:
    assert "got: 0" in complaint(-0.0, 1.0)
    assert "got: [0, 1]" in complaint(torch.tensor([-0.0, 1.0]), torch.tensor([1.0, 1.0]))
