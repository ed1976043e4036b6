"""Throw damaged frames at the decoder: python -m tests.autograder.sandbox.fuzz_wire --seconds 60.

Whatever the bytes are, `decode` must return plain data or raise WireError, quickly and in bounded memory.
The seed of a failure is printed, and `--seed` repeats it.
"""

import argparse
import random
import resource
import struct
import time
from typing import Any

import torch

from autograder.sandbox.inside import wire
from autograder.sandbox.inside.tensors import DTYPES

SEEDS: list[Any] = [
    None,
    [True, False, 0, -1, 2**100, 0.5, float("nan"), "text", "글자"],
    {"a": 1, 2: [3.0], (4, None): {}, False: ()},
    torch.arange(6.0).reshape(2, 3),
    [torch.empty(0, 4), torch.tensor(True), torch.tensor(1 + 2j), torch.ones(3, dtype=torch.bfloat16)],
    [[[[[[[[1]]]]]]]],
    wire.Unsendable("numpy.ndarray", "type"),
    [b"", b"raw bytes"],
]

_NUMBERS = [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1]
_TAGS = b"NTFifsbtlduo"
_PLAIN = (type(None), bool, int, float, str, bytes, torch.Tensor, list, tuple, dict, wire.Unsendable)
_LIMITS = wire.Limits(raw_bytes=True)


def random_value(rng: random.Random, depth: int = 4) -> Any:
    """Return a random value that the wire can carry."""
    kind = rng.randrange(9 if depth else 6)
    if kind < 3:
        return rng.choice(
            [None, True, rng.getrandbits(rng.randrange(1, 200)), rng.random(), "가" * rng.randrange(9)]
        )
    if kind < 5:
        shape = [rng.randrange(4) for _ in range(rng.randrange(4))]
        return torch.zeros(shape, dtype=rng.choice(DTYPES))
    if kind == 5:
        return wire.Unsendable("a.B", rng.choice(wire.NOTES))
    values = [random_value(rng, depth - 1) for _ in range(rng.randrange(5))]
    return [values, tuple(values), dict(enumerate(values))][kind - 6]


def mutate(data: bytes, rng: random.Random, other: bytes = b"") -> bytes:
    """Return a damaged copy: flipped bits, false lengths, cuts, splices, repeats or swapped tags."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
        offset = rng.randrange(len(out)) if out else 0
        length = rng.choice([1, 2, 4, 8, rng.randrange(1, 40)])
        match rng.randrange(8):
            case 0 if out:
                out[offset] ^= 1 << rng.randrange(8)
            case 1 if out:
                out[offset] = rng.choice(_TAGS)
            case 2:
                form = rng.choice(["<B", "<H", "<I", "<Q"])
                number = struct.pack(form, rng.choice(_NUMBERS) % 2 ** (8 * struct.calcsize(form)))
                out[offset : offset + len(number)] = number
            case 3:
                del out[offset:]
            case 4:
                del out[offset : offset + length]
            case 5:
                out[offset:offset] = bytes(rng.getrandbits(8) for _ in range(length))
            case 6:
                out[offset:offset] = out[offset : offset + length] * rng.choice([1, 3, 50])
            case _:
                start = rng.randrange(len(other)) if other else 0
                out[offset : offset + rng.randrange(20)] = other[start : start + length]
    return bytes(out)


def try_decode(data: bytes) -> bool:
    """Return whether a frame can be decoded.

    Raise an error if decoding gives neither a plain value nor a WireError.
    """
    try:
        value = wire.decode(data, _LIMITS)
    except wire.WireError:
        return False
    check_plain(value)
    # A decoded value can be encoded, and the result can be decoded again.
    wire.decode(wire.encode(value, _LIMITS, exact=True), _LIMITS)
    return True


def check_plain(value: Any) -> None:
    """Assert that a value is made of exactly the plain types, and that its tensors can be used."""
    assert type(value) in _PLAIN, type(value)
    if isinstance(value, torch.Tensor):
        assert value.dtype in DTYPES
        assert value.is_contiguous()
        value.clone()
    elif isinstance(value, list | tuple):
        for item in value:
            check_plain(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            check_plain(key)
            check_plain(item)


def main() -> None:
    """Fuzz for a while and report."""
    parser = argparse.ArgumentParser(description="Throw damaged frames at the decoder of the wire.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
    first_seed = random.SystemRandom().getrandbits(32) if options.seed is None else options.seed
    end_time = time.monotonic() + options.seconds
    frame_count = value_count = 0
    slowest = 0.0
    pool = [wire.encode(seed, _LIMITS) for seed in SEEDS]
    while time.monotonic() < end_time:
        rng = random.Random(first_seed + frame_count)
        frame = wire.encode(random_value(rng)) if rng.random() < 0.5 else rng.choice(pool)
        data = mutate(frame, rng, rng.choice(pool))
        start_time = time.monotonic()
        try:
            value_count += try_decode(data)
        except BaseException:
            print(f"failed: --seed {first_seed + frame_count}, {data[:200]!r}")
            raise
        slowest = max(slowest, time.monotonic() - start_time)
        frame_count += 1
        if options.seed is not None:
            break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{frame_count:,} frames, {value_count:,} of them values, "
        f"slowest {slowest * 1000:.1f} ms, peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
