"""Functions that run a single node of autograd's graph by the rules of the autograd engine."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction, Function

ACCUMULATOR = "torch::autograd::AccumulateGrad"

Gradients = Sequence[Tensor | None]


def is_custom(node: Any) -> bool:
    """Return whether the node belongs to a custom `torch.autograd.Function`, a class written in Python."""
    return isinstance(node, BackwardCFunction)


def backward_of(node: Any) -> Any:
    """Return the Python function that computes a custom Function's backward: `backward` or `vjp`."""
    function_class = node._forward_cls
    return function_class.backward if function_class.vjp is Function.vjp else function_class.vjp


def count_of_results(node: Any) -> int:
    """Return the number of results that the node's forward operation returned."""
    return 1 if node.name() == ACCUMULATOR else len(node._input_metadata)


def gradient_of_ones(node: Any, number: int) -> Tensor:
    """Return a gradient of ones for the node's result with this index."""
    if node.name() == ACCUMULATOR:
        return torch.ones_like(node.variable)
    metadata = node._input_metadata[number]
    return torch.ones(tuple(metadata.shape), dtype=metadata.dtype, device=metadata.device)


def call_node(node: Any, gradients: Gradients, ctx: Any = None) -> list[Tensor | None]:
    """Call a node and return a gradient for each of its `next_functions`.

    No hook is called, and the gradients have not passed through `fit_to_inputs`.

    Args:
        node: any node except AccumulateGrad, which adds to a leaf's .grad.
        gradients: one gradient for each of the node's results; None where no gradient arrives.
        ctx: the object that a backward written in Python receives instead of the node.

    Raises:
        RuntimeError: if the engine would refuse the result. A backward written in Python may raise any error.
    """
    if is_custom(node):
        return _results_of_inputs(node, _call_python_backward(node, gradients, ctx or node))
    outgoing = node(*gradients)
    return [*(outgoing if isinstance(outgoing, tuple) else (outgoing,))]


def fit_to_inputs(node: Any, gradients: Gradients) -> list[Tensor | None]:
    """Return one gradient for each input of the node, with that input's shape and dtype.

    Like the engine, sum a gradient over the dimensions along which its input was broadcast.
    """
    pairs = zip_longest(node.next_functions, gradients[: len(node.next_functions)])
    return [_fit(gradient, *edge) for edge, gradient in pairs]


def _call_python_backward(node: Any, gradients: Gradients, ctx: Any) -> Any:
    function_class = node._forward_cls
    if not _keeps_none(function_class):
        filled_gradients = [
            0 * gradient_of_ones(node, k) if gradient is None else gradient
            for k, gradient in enumerate(gradients)
        ]
        gradients = filled_gradients
    boxed = getattr(function_class, "boxed_grads_call", False)
    return backward_of(node)(ctx, *([list(gradients)] if boxed else gradients))


def _keeps_none(function_class: type[Function]) -> bool:
    """Return whether a Function asks for None instead of zeros where no gradient arrives.

    The node does not show this, so the code of `forward` and `setup_context` is searched for
    `set_materialize_grads`.
    """
    methods = (function_class.forward, function_class.setup_context)
    codes = (getattr(method, "__code__", None) for method in methods)
    return any(code is not None and "set_materialize_grads" in code.co_names for code in codes)


def _results_of_inputs(node: Any, results: Any) -> list[Tensor | None]:
    """Return the results of a backward written in Python that belong to the node's `next_functions`.

    Such a backward returns one result for every argument of forward. `next_functions` has an entry only for
    each tensor, and that entry has no node if the tensor needs no gradient.
    """
    results = results if isinstance(results, tuple) else (results,)
    needs_grad = node.needs_input_grad
    if len(results) < len(needs_grad) or any(result is not None for result in results[len(needs_grad) :]):
        raise RuntimeError("incorrect number of gradients")
    if not all(result is None or isinstance(result, Tensor) for result in results):
        raise RuntimeError("a gradient is not a tensor")
    results_of_inputs = iter(
        [result for result, is_needed in zip(results, needs_grad, strict=False) if is_needed]
    )
    extra_count = sum(
        result is not None for result, is_needed in zip(results, needs_grad, strict=False) if not is_needed
    )
    if extra_count > sum(next_node is None for next_node, _ in node.next_functions):
        raise RuntimeError("a gradient for an argument that is not a tensor")
    return [None if next_node is None else next(results_of_inputs) for next_node, _ in node.next_functions]


def result_metadata(node: Any, number: int) -> Any:
    """Return an object with the shape and dtype of a node's result, or the leaf of an AccumulateGrad node."""
    return node.variable if node.name() == ACCUMULATOR else node._input_metadata[number]


def _fit(gradient: Tensor | None, next_node: Any, number: int) -> Tensor | None:
    if gradient is None or next_node is None:
        return None
    metadata = result_metadata(next_node, number)
    if gradient.shape != metadata.shape:
        gradient = gradient.sum_to_size(metadata.shape)
    if gradient.is_complex() and not metadata.dtype.is_complex:
        gradient = gradient.real
    return gradient.to(metadata.dtype)
