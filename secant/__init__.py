"""What a Secant notebook imports."""

from typing import TYPE_CHECKING, Any

from secant._language import language, say

if TYPE_CHECKING:
    from secant import check
    from secant.arrows import explore_arrows
    from secant.buffer import explore_buffer
    from secant.chain import explore_chain
    from secant.errors import expect_error
    from secant.explorer import explore
    from secant.graph import draw_graph
    from secant.paths import explore_paths
    from secant.probing import probe, watch
    from secant.tensors import tensor_info

__all__ = [
    "check",
    "draw_graph",
    "expect_error",
    "explore",
    "explore_arrows",
    "explore_buffer",
    "explore_chain",
    "explore_paths",
    "language",
    "probe",
    "say",
    "tensor_info",
    "watch",
]

# Loaded when first used, so that the server and the launcher need not wait for torch and matplotlib.
_HOMES = {
    "check": "secant.check",
    "draw_graph": "secant.graph",
    "expect_error": "secant.errors",
    "explore": "secant.explorer",
    "explore_arrows": "secant.arrows",
    "explore_buffer": "secant.buffer",
    "explore_chain": "secant.chain",
    "explore_paths": "secant.paths",
    "probe": "secant.probing",
    "tensor_info": "secant.tensors",
    "watch": "secant.probing",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'secant' has no attribute {name!r}")
    module = import_module(_HOMES[name])
    return module if name == "check" else getattr(module, name)
