"""The global state of torch in a process that runs a student's code: switches, seed, and attributes.

Only a process that has imported torch imports this module; see candidate.py.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.func
import torch.nn.functional

#: The modules and classes of torch that tests and the grader's own code use.
SHARED: tuple[Any, ...] = (
    *(torch, torch.nn, torch.nn.functional, torch.autograd, torch.linalg, torch.func),
    *(torch.Tensor, torch.nn.Module, torch.nn.Parameter, torch.autograd.Function),
)


def _reset_switches() -> None:
    """Reset some of torch's global switches, but only if they have changed, because setting them is slow."""
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


#: Functions that undo changes to torch's global state.
RESETS: tuple[Callable[[], object], ...] = (
    lambda: torch.set_default_dtype(torch.float32),
    lambda: torch.set_default_device(None),
    lambda: torch.set_grad_enabled(True),
    lambda: torch.autograd.set_detect_anomaly(False),
    _reset_switches,
    lambda: torch.set_printoptions(profile="default"),
)


def seed(number: int) -> None:
    """Seed torch's random number generator."""
    # torch.manual_seed is avoided, because it also looks for accelerators. In a fork, that would touch many
    # pages that are still shared with the parent process.
    torch.default_generator.manual_seed(number)
