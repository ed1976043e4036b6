"""What a process that others are forked from imports: what lessons import, save `secant` and pyplot."""

LIBRARIES = (
    "ipywidgets",
    "networkx",
    "numpy",
    "torch.func",
    "torch.nn.functional",
    "torch.optim",
    "torch.utils.data",
)
