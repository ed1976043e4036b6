"""Functions on which students' answers are tested, built from the formulas that messages show."""

from collections.abc import Callable, Sequence
from typing import Any

import torch


def formula(text: str, **constants: Any) -> Callable[..., Any]:
    """Return the function of t that a Python formula defines.

    Args:
        text: an expression in t, torch and the constants, such as "A @ t". It may also ignore t:
            "c.view(2, 1)".
        **constants: the values of the other names in the expression.
    """
    function: Callable[..., Any] = eval(f"lambda t: ({text})", {"torch": torch, **constants})
    return function


def polynomial(coefficients: Sequence[float]) -> str:
    """Return the formula of a polynomial in t, with the constant first: "1 + 2 * t - 3 * t**2".

    The formula of a constant polynomial has the factor t**0, so that the function returns a tensor.
    """
    if not any(coefficients[1:]):
        return f"{coefficients[0]} * t**0"
    powers = ("", " * t", *(f" * t**{k}" for k in range(2, len(coefficients))))
    terms = [f"{c}{power}" for c, power in zip(coefficients, powers, strict=True) if c]
    return " + ".join(terms).replace("+ -", "- ")


class RecordedFunction:
    """A wrapper that records the calls to a function of one argument.

    Each call also adds the function's name to the list `call_names`.

    Attributes:
        records: for each call, the requires_grad, dtype, shape and grad_fn of the argument, as plain data.
            For an argument that is not a tensor, dtype is the name of its type.
    """

    def __init__(self, function: Callable[[Any], Any], name: str, call_names: list[str]) -> None:
        self._function, self._name, self._call_names = function, name, call_names
        self.records: list[dict[str, Any]] = []

    def __call__(self, t: Any) -> Any:
        """Record the argument t, and return the function's value."""
        grad_fn = getattr(t, "grad_fn", None)
        self._call_names.append(self._name)
        self.records.append(
            {
                "requires_grad": getattr(t, "requires_grad", False),
                "dtype": str(getattr(t, "dtype", type(t).__name__)).removeprefix("torch."),
                "shape": list(getattr(t, "shape", ())),
                "grad_fn": "" if grad_fn is None else type(grad_fn).__name__,
            }
        )
        return self._function(t)
