"""A search for settings that a test leaves changed in its process, where they would affect later tests."""

import builtins
import contextlib
import locale
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch

from secant import language

#: Environment variables that no test sets: pytest sets the first two, and torch the third when its compiler
#: is first imported.
_IGNORED_VARIABLES = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "TORCHINDUCTOR_CACHE_DIR")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _IGNORED_VARIABLES}


def _umask() -> int:
    """Return the umask, which can only be read by changing it."""
    mask = os.umask(0o77)
    os.umask(mask)
    return mask


def _signals() -> dict[str, Any]:
    """Return the signal handlers, except that of SIGALRM, which pytest-timeout sets and restores."""
    return {number.name: signal.getsignal(number) for number in signal.Signals if number.name != "SIGALRM"}


def _modules() -> dict[str, int]:
    """Return the `id` of each imported module of this repository, by the module's name.

    A test that imports a module again leaves two versions of its classes in the process.
    """
    packages = ("secant", "autograder")
    return {name: id(module) for name, module in sys.modules.items() if name.startswith(packages)}


def _builtins() -> dict[str, int]:
    return {name: id(value) for name, value in vars(builtins).items() if name != "_"}


#: Functions that read a setting, by the setting's name.
_READERS: Mapping[str, Callable[[], Any]] = {
    "os.environ": _environment,
    "the working directory": os.getcwd,
    "sys.path": lambda: list(sys.path),
    "sys.modules": _modules,
    "builtins": _builtins,
    "the umask": _umask,
    "the signal handlers": _signals,
    "the recursion limit": sys.getrecursionlimit,
    "the locale": lambda: locale.setlocale(locale.LC_ALL),
    "secant.language()": language,
    "torch's gradient mode": torch.is_grad_enabled,
    "torch's default dtype": torch.get_default_dtype,
    "torch's number of threads": torch.get_num_threads,
    "torch's anomaly detection": torch.is_anomaly_enabled,
    "torch's deterministic algorithms": torch.are_deterministic_algorithms_enabled,
}


def settings() -> dict[str, Any]:
    """Return the value of every setting of the process, or the error's text if it cannot be read."""
    return {name: _read(reader) for name, reader in _READERS.items()}


def _read(reader: Callable[[], Any]) -> Any:
    try:
        return reader()
    except OSError as error:  # the working directory may have been removed
        return str(error)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return a line for each setting that differs; newly imported modules do not count as a difference."""
    return [
        f"{name}: {difference}"
        for name, old in before.items()
        if (difference := _difference(old, after[name]))
    ]


def _difference(old: Any, new: Any) -> str:
    if isinstance(old, dict):
        names = [name for name in old if old[name] != new.get(name)]
        names += [name for name in new if name not in old and not isinstance(new[name], int)]
        return ", ".join(names)
    return "" if old == new else f"{old!r} became {new!r}"


def restore_settings(before: Mapping[str, Any]) -> None:
    """Restore the settings that matter most to later tests, so that one fault fails only one test."""
    os.environ.clear()
    os.environ.update(before["os.environ"])
    with contextlib.suppress(OSError):
        os.chdir(before["the working directory"])
    sys.path[:] = before["sys.path"]
    os.umask(before["the umask"])
    sys.setrecursionlimit(before["the recursion limit"])
    language(before["secant.language()"])
    torch.set_grad_enabled(before["torch's gradient mode"])
    torch.set_default_dtype(before["torch's default dtype"])
    torch.set_num_threads(before["torch's number of threads"])
    torch.autograd.set_detect_anomaly(before["torch's anomaly detection"])
    for name, handler in before["the signal handlers"].items():
        if handler is not None and signal.getsignal(getattr(signal, name)) is not handler:
            signal.signal(getattr(signal, name), handler)
