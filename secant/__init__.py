"""The names that Secant's notebooks import."""

from typing import TYPE_CHECKING, Any

from secant.language import language, say
from secant.tracebacks import install

if TYPE_CHECKING:
    from secant.catalogue import hints
    from secant.checking import check, engines, graphs, recipes
    from secant.checking.ask import ask, leaf, tensor
    from secant.checking.credit import PartialCredit
    from secant.checking.expect_error import expect_error
    from secant.checking.functions import formula, polynomial
    from secant.checking.observe import observe
    from secant.checking.operations import operations
    from secant.checking.probe import probe
    from secant.checking.watch import watch
    from secant.explorers.backward import explore_backward
    from secant.explorers.buffer import explore_buffer
    from secant.explorers.chain import explore_chain
    from secant.explorers.cut import explore_cut
    from secant.explorers.engine import explore_engine
    from secant.explorers.jacobian import explore_arrows
    from secant.explorers.paths import explore_paths
    from secant.explorers.saved import explore_saved
    from secant.explorers.second import explore_second
    from secant.explorers.tangent import explore
    from secant.graph.draw import draw_graph
    from secant.memory import peak_memory
    from secant.predictions import predict, predicted
    from secant.tensors import tensor_info
    from secant.value import TorchValue, Value

__all__ = [
    "PartialCredit",
    "TorchValue",
    "Value",
    "ask",
    "check",
    "draw_graph",
    "engines",
    "expect_error",
    "explore",
    "explore_arrows",
    "explore_backward",
    "explore_buffer",
    "explore_chain",
    "explore_cut",
    "explore_engine",
    "explore_paths",
    "explore_saved",
    "explore_second",
    "formula",
    "graphs",
    "hints",
    "language",
    "leaf",
    "observe",
    "operations",
    "peak_memory",
    "polynomial",
    "predict",
    "predicted",
    "probe",
    "recipes",
    "say",
    "tensor",
    "tensor_info",
    "watch",
]

# The module that defines each public name. Modules load on first use, so that the server and the launcher do
# not wait for torch and matplotlib to load.
HOMES = {
    "PartialCredit": "secant.checking.credit",
    "TorchValue": "secant.value",
    "Value": "secant.value",
    "ask": "secant.checking.ask",
    "check": "secant.checking.check",
    "draw_graph": "secant.graph.draw",
    "engines": "secant.checking.engines",
    "expect_error": "secant.checking.expect_error",
    "explore": "secant.explorers.tangent",
    "explore_arrows": "secant.explorers.jacobian",
    "explore_backward": "secant.explorers.backward",
    "explore_buffer": "secant.explorers.buffer",
    "explore_chain": "secant.explorers.chain",
    "explore_cut": "secant.explorers.cut",
    "explore_engine": "secant.explorers.engine",
    "explore_paths": "secant.explorers.paths",
    "explore_second": "secant.explorers.second",
    "explore_saved": "secant.explorers.saved",
    "formula": "secant.checking.functions",
    "graphs": "secant.checking.graphs",
    "hints": "secant.catalogue",
    "leaf": "secant.checking.ask",
    "observe": "secant.checking.observe",
    "peak_memory": "secant.memory",
    "polynomial": "secant.checking.functions",
    "operations": "secant.checking.operations",
    "predict": "secant.predictions",
    "predicted": "secant.predictions",
    "probe": "secant.checking.probe",
    "recipes": "secant.checking.recipes",
    "tensor": "secant.checking.ask",
    "tensor_info": "secant.tensors",
    "watch": "secant.checking.watch",
}
#: The modules from which test cells import their checks. A grader never imports these modules into a process
#: that runs a student's code.
JUDGES = (
    "secant.checking.ask",
    "secant.checking.check",
    "secant.checking.credit",
    "secant.checking.recipes",
    "secant.checking.walks",
)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in HOMES:
        raise AttributeError(f"module 'secant' has no attribute {name!r}")
    module = import_module(HOMES[name])
    return module if name in ("check", "engines", "graphs", "recipes") else getattr(module, name)


install()
