"""Stand-ins for explorers and pictures of graphs, which are never shown during grading.

To draw them, their packages compute what lessons ask for: difference quotients, gradients, second
derivatives, and the nodes of a graph. So these packages do not exist inside the sandbox or during `autograder
check`, and no answer can call them.
"""

import sys
from typing import Any, Self

import secant

PACKAGES = ("secant.explorers", "secant.graph")


class DrawingStub:
    """A stand-in for an explorer (a figure with sliders) or for a picture of a graph.

    Reading an attribute of the stand-in, or calling it, returns the stand-in itself.
    """

    def __call__(self, *_: Any, **__: Any) -> Self:
        """Return the stand-in itself."""
        return self

    def __getattr__(self, name: str) -> Self:
        if name[:1] == "_":
            raise AttributeError(name)
        return self

    def _ipython_display_(self) -> None:
        """Show nothing."""


def exclude_drawing() -> None:
    """Prevent drawing packages from being imported.

    Notebooks can still import the names that `secant` provides from these packages, but get stand-ins for
    them.
    """
    for name, module in secant.HOMES.items():
        if module.startswith(PACKAGES):
            setattr(secant, name, DrawingStub())
    for name in [name for name in sys.modules if name.startswith(PACKAGES)]:
        del sys.modules[name]
    for package in PACKAGES:
        vars(secant).pop(package.partition(".")[2], None)
        sys.modules[package] = None  # type: ignore[assignment]
