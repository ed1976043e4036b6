"""Measure what `torch.compile` gains in a forward and a backward pass, and what its first call costs.

The measured function applies sin, a product and a sum ten times over: thirty element-wise operations on
100,000 elements, on one thread. Lesson 1 quotes the figures. `torch.compile` needs a C++ compiler on the
machine.

    python -m benchmarks.compiled [--json FILE]
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from benchmarks.rows import parser_of, row, show

ELEMENTS = 100_000
ROUNDS = 30


def chain(x: Tensor) -> Tensor:
    """Apply thirty element-wise operations to x of shape (n,) and return the sum of the result."""
    for _ in range(10):
        x = torch.sin(x) * x + 1
    return x.sum()


def seconds(function: Callable[[Tensor], Tensor], x: Tensor) -> float:
    """Return the time in seconds that a forward and a backward pass of the function take together."""
    start = time.perf_counter()
    function(x).backward()
    return time.perf_counter() - start


def rows() -> Iterator[dict[str, Any]]:
    """Run the measurements and yield the benchmark's table rows."""
    torch.set_num_threads(1)
    x = torch.randn(ELEMENTS, requires_grad=True)
    with tempfile.TemporaryDirectory(prefix="secant-bench-") as cache:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache  # an empty cache, so that torch must compile
        compiled = torch.compile(chain)
        first = seconds(compiled, x)
        pairs = [(seconds(compiled, x), seconds(chain, x)) for _ in range(ROUNDS)]
    compiled_time, eager_time = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
    yield row("torch.compile: a forward and a backward pass", compiled_time, "not compiled", eager_time, "ms")
    yield row("torch.compile: the first call, which compiles", first)


def main() -> None:
    """Run the benchmark with the options from the command line."""
    show(rows(), parser_of(__doc__).parse_args().json)


if __name__ == "__main__":
    main()
