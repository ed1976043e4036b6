"""Functions to try an answer on, written as the formula that the message shows."""

from collections.abc import Callable
from typing import Any

import torch


def formula(text: str, **constants: Any) -> Callable[..., Any]:
    """Return the function of t that a formula in Python stands for.

    Args:
        text: an expression in t, torch and the constants: "A @ t", or one that ignores t: "c.view(2, 1)".
        **constants: what its other names stand for.
    """
    function: Callable[..., Any] = eval(f"lambda t: ({text})", {"torch": torch, **constants})
    return function
