"""Notebooks whose own variables shadow names of Python and of the checking kit."""

import builtins
from collections.abc import Iterable

from secant.checking import situation

#: Names that a notebook cannot assign (`None = 1` is not valid Python), and names that belong to IPython.
_NOT_ASSIGNABLE = {"True", "False", "None", "__debug__", "display", "get_ipython", "__IPYTHON__"}
BUILTIN_NAMES = [name for name in dir(builtins) if name.isidentifier() and name not in _NOT_ASSIGNABLE]
#: Names that the checking kit uses in a notebook.
KIT_NAMES = ["torch", "nn", "math", *(name for name in situation._KIT if name not in dir(builtins))]
ALL_NAMES = list(dict.fromkeys([*BUILTIN_NAMES, *KIT_NAMES]))


def binding_cell(names: Iterable[str] = ALL_NAMES) -> str:
    """Return a scratch cell that binds each of these names to a string."""
    return "\n".join(f"{name} = 'mine'" for name in names)


def isolated_answer(answer: str) -> str:
    """Return an answer cell whose functions live in another module and so use none of the notebook's names.

    The names that the answer defines, and no others, are also bound in the notebook.
    """
    return f"""\
import types
_mine = types.ModuleType("mine")
_mine.__dict__.update(globals())
_before = dict(_mine.__dict__)
exec({answer!r}, _mine.__dict__)
globals().update({{n: v for n, v in _mine.__dict__.items() if _before.get(n) is not v}})
"""
