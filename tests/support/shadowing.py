"""Notebooks that call their own things by names of Python's and of the kit's."""

import builtins
from collections.abc import Iterable

from secant.checking import situation

#: Python's own names that a notebook can bind: `None = 1` is no Python.
_NOT_ASSIGNABLE = {"True", "False", "None", "__debug__", "display", "get_ipython", "__IPYTHON__"}
PYTHONS = [name for name in dir(builtins) if name.isidentifier() and name not in _NOT_ASSIGNABLE]
#: What the kit calls its own.
KITS = ["torch", "nn", "math", *(name for name in situation._KIT if name not in dir(builtins))]
EVERY = list(dict.fromkeys([*PYTHONS, *KITS]))


def bound(names: Iterable[str] = EVERY) -> str:
    """Return a scratch cell that binds each of these names to a string."""
    return "\n".join(f"{name} = 'mine'" for name in names)


def untouched(answer: str) -> str:
    """Return an answer cell whose functions use no name of the notebook: they live in another module.

    What the answer defines is bound in the notebook, too, and nothing else.
    """
    return f"""\
import types
_mine = types.ModuleType("mine")
_mine.__dict__.update(globals())
_before = dict(_mine.__dict__)
exec({answer!r}, _mine.__dict__)
globals().update({{n: v for n, v in _mine.__dict__.items() if _before.get(n) is not v}})
"""
