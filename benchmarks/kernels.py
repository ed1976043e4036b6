"""Measure how long a lesson's kernel takes from its start until it has imported torch and secant.

`python -m benchmarks.kernels [--json FILE]` alternately starts warm kernels and stock kernels. A warm kernel
is forked from a template process, which is already running, as on a server that was started a few seconds
ago. Private memory is the memory that a kernel shares with no other process after the imports.
"""

import statistics
import sys
import time
from typing import Any

from autograder.kernels import provisioner
from autograder.kernels.provisioner import ForkedKernel
from benchmarks.memory import private_bytes
from benchmarks.rows import parser_of, row, show
from tests.support.kernels import STOCK, kernel

PEER = "stock kernel"
ROUNDS = 7
REST_SECONDS = 1.0


def measure(name: str) -> tuple[float, float]:
    """Start a kernel, and return its start-up time in seconds and its private memory in megabytes."""
    time.sleep(REST_SECONDS)
    start = time.perf_counter()
    with kernel(name, wait=False) as running_kernel:
        answer = running_kernel.client.execute("import torch, secant", reply=True, timeout=60)
        seconds = time.perf_counter() - start
        assert answer["content"]["status"] == "ok", answer
        assert isinstance(running_kernel.process, ForkedKernel) == (name == provisioner.NAME), (
            "not the kernel meant"
        )
        return seconds, private_bytes(running_kernel.process.pid) / 2**20


def rows() -> list[dict[str, Any]]:
    """Run the measurements and return the benchmark's table rows."""
    command = [sys.executable, "-m", "ipykernel_launcher"]
    provisioner.template_for(command)
    with kernel() as first:  # waits until the template is running
        first.run("1")
    pairs = [(measure(provisioner.NAME), measure(STOCK)) for _ in range(ROUNDS)]
    provisioner.close_template()
    (our_time, our_memory), (peer_time, peer_memory) = (
        [statistics.median(values) for values in zip(*results, strict=True)]
        for results in zip(*pairs, strict=True)
    )
    return [
        row("kernel ready", our_time, PEER, peer_time),
        row("kernel, private memory", our_memory, PEER, peer_memory, "MB"),
    ]


def main() -> None:
    """Run the benchmark with the options from the command line."""
    show(rows(), parser_of(__doc__).parse_args().json)


if __name__ == "__main__":
    main()
