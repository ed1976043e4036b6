"""The modules that a template for lessons imports, except `secant` and pyplot."""

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

#: Groups of modules that torch imports only when it first needs them. Most notebooks never need them; see
#: template.py.
ImportGroup = Literal["symbols", "compiler"]
