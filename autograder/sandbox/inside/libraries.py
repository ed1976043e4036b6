"""What a process that others are forked from imports: what lessons import, save `secant` and pyplot."""

from typing import Literal

LIBRARIES = (
    "ipywidgets",
    "networkx",
    "numpy",
    "torch.func",
    "torch.nn.functional",
    "torch.optim",
    "torch.utils.data",
)

#: What torch imports only when it is first used, and most can do without; see template.py.
Later = Literal["symbols", "compiler"]
