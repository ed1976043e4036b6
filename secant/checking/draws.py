"""Random inputs for tests, repeatable from a seed and short enough to retype."""

import hashlib
import math
import random

import torch

_random = random.Random()


def seed(value: bytes) -> None:
    """Make the numbers that `draw` returns repeatable: the same bytes give the same numbers."""
    _random.seed(hashlib.sha256(value).digest())


def draw(low: float, high: float) -> float:
    """Return a random number between low and high, with three decimals so that it is easy to retype."""
    return round(_random.uniform(low, high), 3)


def draws(n: int, low: float, high: float) -> list[float]:
    """Return n distinct random numbers between low and high, with three decimals each."""
    if (high - low) * 1000 < 2 * n:
        raise ValueError(f"{low}..{high} is too narrow for {n} different numbers of three decimals")
    distinct: set[float] = set()
    while len(distinct) < n:
        distinct.add(draw(low, high))
    numbers = sorted(distinct)
    _random.shuffle(numbers)
    return numbers


def draw_tensor(*shape: int, low: float = -3, high: float = 3) -> torch.Tensor:
    """Return a float64 tensor of distinct random numbers between low and high."""
    return torch.tensor(draws(math.prod(shape), low, high), dtype=torch.float64).reshape(shape)


def draw_layouts() -> list[tuple[str, str, list[list[float]]]]:
    """Return, for each layout of `ask.leaf`, its name, a dtype, and two rows of three random numbers."""
    return [
        ("slice", "float32", [draws(3, -3, 3), draws(3, -3, 3)]),
        ("transposed", "float64", [draws(3, -3, 3), draws(3, -3, 3)]),
        ("expanded", "float32", [[draw(1, 3)] * 3, [draw(-3, -1)] * 3]),
    ]


def draw_again(**shapes: tuple[int, ...]) -> tuple[list[torch.Tensor], str]:
    """Return float64 tensors of random numbers, and the line of code that recreates them.

    Use this function for tensors that are too large to be shown. The keyword arguments are the shapes of two
    or more tensors.
    """
    seed, rng = _random.randrange(10_000), torch.Generator()
    rng.manual_seed(seed)
    # The numbers are generated in float64. Numbers generated in float32 would not reveal an answer that
    # converts to float32.
    tensors = [torch.randn(shape, generator=rng, dtype=torch.float64) for shape in shapes.values()]
    sizes = f"({', '.join(map(str, shapes.values()))})"
    code = f"[torch.randn(s, dtype=torch.float64) for s in {sizes}]"
    return tensors, f"torch.manual_seed({seed}); {', '.join(shapes)} = {code}"
