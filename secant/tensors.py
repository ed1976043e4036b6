"""A tensor's autograd state, as a table."""

from html import escape
from typing import Any

import torch

from secant.quiet import quietly


class TensorInfo:
    """A table of six attributes that autograd keeps for a tensor, with one row for each tensor.

    A notebook shows it as an HTML table. `rows` holds the same cells as plain strings, with the tensors in
    the order given.
    """

    columns = ("requires_grad", "is_leaf", "retains_grad", "grad_fn", "grad", "value")

    def __init__(self, rows: dict[str, dict[str, str]]) -> None:
        self.rows = rows

    def __str__(self) -> str:
        lines = [["", *self.columns]] + [[name, *row.values()] for name, row in self.rows.items()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded_lines = ([c.ljust(w) for c, w in zip(line, widths, strict=True)] for line in lines)
        return "\n".join("  ".join(cells).rstrip() for cells in padded_lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "<td></td>" + "".join(f"<th>{name}</th>" for name in self.columns)
        body = "".join(
            f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row.values())}</tr>"
            for name, row in self.rows.items()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def tensor_info(**tensors: torch.Tensor) -> TensorInfo:
    """Return a table of the autograd state of some tensors: `tensor_info(x=x, y=y)`.

    Every attribute is read from the tensor. PyTorch's warning about the `.grad` of an intermediate tensor is
    dropped here, because the table shows `retains_grad` as well.

    Raises:
        TypeError: if one of the arguments is not a tensor.
    """
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"tensor_info shows tensors; {name} is a {type(tensor).__name__}")
    return TensorInfo({name: _row(tensor) for name, tensor in tensors.items()})


def _row(tensor: torch.Tensor) -> dict[str, str]:
    with quietly():
        grad = tensor.grad
    cells = (
        str(tensor.requires_grad),
        str(tensor.is_leaf),
        str(tensor.retains_grad),
        "None" if tensor.grad_fn is None else tensor.grad_fn.name(),
        _short_text(grad),
        _short_text(tensor),
    )
    return dict(zip(TensorInfo.columns, cells, strict=True))


def _short_text(tensor: Any) -> str:
    if tensor is None:
        return "None"
    values = tensor.detach()
    if values.numel() > 12:
        return f"{str(values.dtype).removeprefix('torch.')} {tuple(values.shape)}"
    return repr(values).removeprefix("tensor(").removesuffix(")")
