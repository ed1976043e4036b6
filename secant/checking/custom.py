"""Operations with a custom backward, and records of their calls.

Such an operation is defined by formulas, or written by a student.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from secant.checking.functions import formula
from secant.checking.graphs import strided
from secant.checking.observe import observe
from secant.language import say

Operation = Callable[..., Any]
#: The key that stands for an operation's result in mappings keyed by the names of its inputs.
RESULT = "y"


class _Names(TorchDispatchMode):
    """A dispatch mode that records the operations that torch runs in the body of a `with` statement.

    Attributes:
        names: the names of the operations, such as "log".
        passes: the ids of the backward passes in which an operation ran. They include -1 if an operation ran
            outside any backward pass.
        forward_mode: whether forward-mode AD ran one of the operations.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.passes: set[int] = set()
        self.forward_mode = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(func.__name__.partition(".")[0])
        self.passes.add(torch._C._current_graph_task_id())
        self.forward_mode |= torch.autograd.forward_ad._current_level >= 0
        return func(*args, **(kwargs or {}))


def operation(forward: str, *backward: str, names: str = "xq") -> Operation:
    """Return an operation with a backward that is computed by formulas, which may be wrong on purpose.

    Args:
        forward: the formula for the result, in terms of the inputs' names and torch.
        *backward: for each input, the formula for its gradient, in which g is the gradient of the result.
        names: the names of the inputs, one letter each.
    """

    def computed(text: str, values: Sequence[Tensor], g: Any = None) -> Any:
        return formula(text, g=g, **dict(zip(names, values, strict=False)))(None)

    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Tensor) -> Any:
            ctx.save_for_backward(*inputs)
            try:
                return computed(forward, inputs)
            except NameError:
                # An input is missing. Python's error would not help the student, because it would name an
                # input of the formula.
                raise ValueError(_too_few(len(backward), len(inputs))) from None

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return tuple(computed(text, ctx.saved_tensors, g) for text in backward)

    return Formula.apply


def _too_few(needed: int, got: int) -> str:
    return say(
        en=f"fn takes {needed} inputs and was called with {got}",
        ko=f"fn에는 입력이 {needed}개 필요한데 {got}개로 호출했습니다",
    )


def walk_back(
    apply: Operation,
    inputs: Mapping[str, Tensor],
    tracked: Sequence[str],
    g: Tensor | None,
    apart: bool = False,
) -> dict[str, Any]:
    """Call an operation, call it again on other inputs, then run the backward pass of the first call twice.

    Args:
        apply: the operation.
        inputs: the operation's arguments, keyed by name.
        tracked: the names of the inputs that are to be leaves which require grad.
        g: the gradient of the result, with the result's shape; None for no backward pass.
        apart: whether to use tensors that are not contiguous in memory. The inputs are then slices, and g is
            expanded if all its elements are equal, else transposed.

    Returns:
        Plain data with these entries:

        - value: a copy of the result.
        - node: the type name of the result's grad_fn; "" if no backward pass was attempted.
        - gradients, again: the gradients of the tracked inputs, keyed by name, from the first and from the
          second backward pass; empty if there was no such pass.
        - alone: the gradients from a separate call, directly followed by its backward pass.
        - changed: the gradients that `gradients_after_change` returns.
        - operations: the names of the torch operations that the first backward pass ran.
        - delegated: whether the operation's backward called autograd, so that the first backward pass
          contained another backward pass or forward-mode AD.
        - returned: the names of the inputs for which the result's grad_fn returned a gradient instead of
          None. These names are meaningful only if the operation itself defines that grad_fn.
        - error: the error that stopped a backward pass.
        - walked: the number of backward passes that were completed.
        - changes: the changes to the inputs and to grad_output, as `observe` records them.
    """
    if apart:
        inputs, g = (
            {name: _strided(value) for name, value in inputs.items()},
            None if g is None else _strided_gradient(g),
        )
    leaves = {name: value.detach().requires_grad_(name in tracked) for name, value in inputs.items()}
    calls = observe(**leaves, **({} if g is None else {"grad_output": g}))
    y = calls(apply, *leaves.values())
    # The inputs are multiplied by 2, so that an integer exponent stays an integer, as the task requires.
    apply(*(2 * value.detach() for value in leaves.values()))
    tracks = isinstance(y, Tensor) and y.requires_grad
    accepts_g = g is not None and tracks and y.shape == g.shape and y.dtype == g.dtype
    names = _Names()
    walks: list[dict[str, Any]] = [{}, {}]
    returned_names: list[str] = []
    own_passes = {-1}  # -1 means that no backward pass is running

    def note(gradients: Any, _: Any) -> None:
        own_passes.add(torch._C._current_graph_task_id())
        returned_names[:] = [
            name for name, value in zip(leaves, gradients, strict=False) if value is not None
        ]

    if accepts_g and y.grad_fn is not None:
        y.grad_fn.register_hook(note)
    error = ""
    for walk, mode in zip(walks, (names, _Names()), strict=True):
        if accepts_g and not error:
            try:
                with mode:
                    gradients = calls(_gradients, y, [leaves[name] for name in tracked], g)
                walk.update(zip(tracked, map(_copy, gradients), strict=True))
            except NotImplementedError:
                raise
            except RuntimeError as exception:
                error = str(exception).partition("\n")[0].partition(" Hint: ")[0]
            except (AttributeError, LookupError, TypeError, ValueError) as exception:
                # An error in the first pass is raised again, so that the student's own lines are shown.
                if mode is names:
                    raise
                error = f"{type(exception).__name__}: {exception}".partition("\n")[0]
    data = calls.data()
    single_gradients = _separate_gradients(apply, inputs, tracked, g) if accepts_g and g is not None else {}
    return {
        "alone": single_gradients,
        "changed": gradients_after_change(apply, inputs, tracked, g)
        if single_gradients and g is not None
        else {},
        "value": data["results"][0],
        "node": type(getattr(y, "grad_fn", None)).__name__ if accepts_g else "",
        "gradients": walks[0],
        "again": walks[1],
        "operations": names.names,
        "delegated": names.forward_mode or not names.passes <= own_passes,
        "returned": returned_names,
        "error": error,
        "walked": sum(map(bool, walks)),
        "changes": data["changes"],
    }


def _strided(value: Tensor) -> Tensor:
    return strided(value.mT).mT if value.ndim > 1 else strided(value)


def _strided_gradient(g: Tensor) -> Tensor:
    first = g.flatten()[:1]
    if bool((g == first).all()):
        return first.reshape([]).expand(g.shape) if first.numel() else g
    return g.mT.contiguous().mT if g.ndim > 1 else strided(g)


def _separate_gradients(
    apply: Operation, inputs: Mapping[str, Tensor], tracked: Sequence[str], g: Tensor
) -> dict[str, Tensor | None]:
    leaves = {name: value.detach().clone().requires_grad_(name in tracked) for name, value in inputs.items()}
    with contextlib.suppress(AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        gradients = _gradients(apply(*leaves.values()), [leaves[name] for name in tracked], g.clone())
        return dict(zip(tracked, map(_copy, gradients), strict=True))
    return {}


def gradients_after_change(
    apply: Operation, inputs: Mapping[str, Tensor], tracked: Sequence[str], g: Tensor
) -> dict[str, dict[str, Tensor | None]]:
    """Return the gradients of the tracked inputs if a tensor is changed before the backward pass.

    Each input in turn, and then the result, is changed in place. The returned gradients are keyed by the name
    of the tensor that was changed, with RESULT for the result. A change is skipped if torch refuses to run
    the backward pass after it.
    """
    gradients_by_name = {}
    for changed_name in (*inputs, RESULT):
        leaves = {
            name: value.detach().clone().requires_grad_(name in tracked) for name, value in inputs.items()
        }
        copies = {name: leaf * 1 for name, leaf in leaves.items()}
        y = apply(*copies.values())
        # The change is a multiplication, because adding 1 to the input of a layer norm would change nothing.
        {**copies, RESULT: y.detach()}[changed_name].mul_(2)
        try:
            gradients = _gradients(y, [leaves[name] for name in tracked], g)
        except NotImplementedError:
            raise
        except RuntimeError:
            continue
        gradients_by_name[changed_name] = dict(zip(tracked, map(_copy, gradients), strict=True))
    return gradients_by_name


def _gradients(y: Tensor, leaves: Sequence[Tensor], g: Tensor) -> tuple[Tensor | None, ...]:
    return torch.autograd.grad(y, leaves, g, retain_graph=True, allow_unused=True)


def _copy(value: Tensor | None) -> Tensor | None:
    return None if value is None else value.detach().clone()
