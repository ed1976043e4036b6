"""Checks that a user's function has no side effects, so that it is safe to call while drawing.

The checks read the function's bytecode and err on the safe side: a function does not pass if it loads an
object that it could change, such as a list, a dictionary or a model.
"""

import builtins
import dis
import functools
import re
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
import torch.amp.autocast_mode
import torch.utils._contextlib

_CONSTANTS = (
    *(int, float, complex, str, bytes, type(None), type(...), slice, range),
    *(torch.dtype, torch.device, torch.layout),
)
_LIBRARIES = {"torch", "math", "cmath", "numpy", "operator", "builtins"}
#: The files that define wrappers such as `once_differentiable` and `no_grad`. Instead of such a wrapper, the
#: wrapped function is checked.
_WRAPPERS = {
    module.__file__ for module in (torch.autograd.function, torch.utils._contextlib, torch.amp.autocast_mode)
}
#: The names of functions and methods that generate random numbers or change something outside themselves.
_DENIED = re.compile(
    "backward|save|savez|savetxt|tofile|set_.*|seed|manual_seed|register_.*|retain_grad|rand.*|normal|bernoulli"
    "|multinomial|.*dropout.*|open|exec|eval|compile|input|breakpoint|__import__|setattr|delattr|globals"
    "|locals|vars|checkpoint.*|.*_hooks?"
)
_STORES = {"STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"}
_OUTSIDE = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"}


def only_computes(function: Any, *, may_write: bool = True, seen: frozenset[int] = frozenset()) -> bool:
    """Return whether a function's code shows that calling the function changes nothing outside it.

    Args:
        function: any callable.
        may_write: whether the function may write into its arguments, because they are copies.
        seen: the ids of functions that are already being checked, so that recursion ends.
    """
    if isinstance(function, functools.partial):
        values = (*function.args, *function.keywords.values())
        return all(_is_harmless(value, may_write, seen) for value in (function.func, *values))
    if not isinstance(function, FunctionType):
        return _is_of_library(function)
    if id(function) in seen:
        return True
    return _reads_only(function, may_write, seen | {id(function)})


def returns_nothing(hook: Any) -> bool:
    """Return whether a hook only reads gradients: a torch multi-grad hook, or a method like list.append."""
    if isinstance(hook, FunctionType):
        return hook.__code__.co_filename == torch.autograd.graph.__file__
    return isinstance(hook, BuiltinFunctionType) and hook.__name__ in ("append", "add", "appendleft")


def copy_of(value: Any) -> Any:
    """Return a copy of a tensor or an array, or of a tuple, list, set or dictionary of such values.

    Numbers, other constants and functions without side effects are returned unchanged.

    Raises:
        TypeError: if the value is anything else, including a function that may have side effects.
    """
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: copy_of(item) for key, item in value.items()}
    if isinstance(value, list | set):
        return type(value)(map(copy_of, value))
    if isinstance(value, tuple) and not isinstance(value, torch.Size):
        return tuple(map(copy_of, value))
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (*_CONSTANTS, torch.Size)) or only_computes(value):
        return value
    raise TypeError(f"a {type(value).__name__} is not copied")


def _reads_only(function: FunctionType, may_write: bool, seen: frozenset[int]) -> bool:
    code = function.__code__
    try:
        cells = {
            name: cell.cell_contents
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
    except ValueError:  # a variable of the enclosing function has no value yet
        return False
    if code.co_filename in _WRAPPERS and "backward" not in code.co_names:
        wrapped = [value for value in cells.values() if isinstance(value, FunctionType)]
        return all(only_computes(value, may_write=may_write, seen=seen) for value in wrapped)
    steps = [*_steps(code)]
    if any(_has_side_effect(step, cells) for step in steps):
        return False
    has_writes = any(map(_writes, steps))
    loaded_values = [
        _global(function, step.argval) for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    ]
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    values = (*loaded_values, *cells.values(), *defaults)
    return (may_write or not has_writes) and all(
        _is_harmless(value, not has_writes, seen) for value in values
    )


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of a function and of the functions defined inside it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _steps(constant)


def _has_side_effect(step: dis.Instruction, cells: dict[str, Any]) -> bool:
    if step.opname in _OUTSIDE:
        return "GLOBAL" in step.opname or step.argval in cells
    if step.opname == "IMPORT_NAME":
        return step.argval.partition(".")[0] not in _LIBRARIES
    loads_name = step.opname.startswith(
        ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME", "IMPORT_FROM")
    )
    return loads_name and _DENIED.fullmatch(step.argval) is not None


def _writes(step: dis.Instruction) -> bool:
    """Return whether an instruction changes an object in place: a store, `+=` or a method such as mul_."""
    if step.opname == "BINARY_OP":
        return step.argrepr.endswith("=")
    loads_attribute = step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD"))
    return step.opname in _STORES or (
        loads_attribute and step.argval.endswith("_") and step.argval[-2:] != "__"
    )


def _global(function: FunctionType, name: str) -> Any:
    return function.__globals__.get(name, getattr(builtins, name, _global))


def _is_harmless(value: Any, tensors: bool, seen: frozenset[int]) -> bool:
    """Return whether a function that loads this value cannot change anything through it.

    Args:
        value: the value that the function loads.
        tensors: whether a tensor or an array counts as harmless.
        seen: the ids of functions that are already being checked.
    """
    if isinstance(value, torch.Tensor | np.ndarray):
        return tensors
    if isinstance(value, tuple):
        return all(_is_harmless(item, tensors, seen) for item in value)
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in _LIBRARIES
    if isinstance(value, type) and issubclass(value, torch.autograd.Function):
        return tensors and _is_harmless_class(value, seen)
    if isinstance(value, FunctionType) and (value.__module__ or "").partition(".")[0] in _LIBRARIES:
        return True
    return isinstance(value, _CONSTANTS) or only_computes(value, seen=seen)


def _is_harmless_class(function_class: type[torch.autograd.Function], seen: frozenset[int]) -> bool:
    """Return whether a function that loads an autograd Function's class cannot change anything through it.

    That is the case if the class holds no mutable objects, and if its forward and its setup_context have no
    side effects.
    """
    kinds = (staticmethod, classmethod, FunctionType, *_CONSTANTS)
    names = [name for name in vars(function_class) if not name.startswith("__")]
    members = [vars(function_class)[name] for name in names if name != "_backward_cls"]
    methods = (function_class.forward, function_class.setup_context)
    return all(isinstance(value, kinds) for value in members) and all(
        only_computes(method, seen=seen) for method in methods
    )


def _is_of_library(function: Any) -> bool:
    """Return whether a callable without bytecode comes from a known library and is free of side effects.

    It counts as free of side effects if its name does not match _DENIED and it is not bound to an object.
    """
    owner = getattr(function, "__self__", None)
    bound = owner is not None and not isinstance(owner, ModuleType | type)
    module = getattr(function, "__module__", None) or getattr(owner, "__module__", None) or "builtins"
    is_known = module.partition(".")[0] in _LIBRARIES
    kind = isinstance(function, type | BuiltinFunctionType) or type(function).__name__ == "method_descriptor"
    return kind and is_known and not bound and _DENIED.fullmatch(function.__name__) is None
