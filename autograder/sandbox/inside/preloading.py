"""A preloader for modules that submissions import but lessons do not. The template runs it on request.

Each module is first imported in a fork of the template, to try it out. A module that fails, ends the process,
hangs or starts a thread is not preloaded. A notebook that imports such a module gets the same result as
without preloading.
"""

import contextlib
import importlib
import os
import select
import signal
import sys
from collections.abc import Iterable

from autograder.sandbox.inside import pages
from autograder.sandbox.inside.limits import MESSAGE_LIMIT

TRIAL_SECONDS = 30.0  # seconds allowed for importing one module in a fork
_DONE = b"imported"


class Preloader:
    """An importer that loads modules into this process, and remembers those that it could not import."""

    def __init__(self) -> None:
        self._refusals: dict[str, str] = {}

    def load(self, modules: Iterable[str]) -> dict[str, str]:
        """Import modules.

        Returns:
            The reasons why modules were not imported, keyed by module.

        Raises:
            RuntimeError: the import of a module started a thread in this process. The earlier trial import in
                a fork had started none.
        """
        names = list(modules)
        new = [module for module in names if module not in sys.modules and module not in self._refusals]
        for module in new:
            if reason := try_import(module):
                self._refusals[module] = reason
            else:
                self._import(module)
        return {module: self._refusals[module] for module in names if module in self._refusals}

    def _import(self, module: str) -> None:
        environment = dict(os.environ)
        try:
            with pages.frozen_imports():
                importlib.import_module(module)
        except BaseException as error:  # the import failed here, although it succeeded in the fork
            self._refusals[module] = _describe(error)
        finally:
            os.environ.clear()
            os.environ.update(environment)
        if (threads := _thread_count()) != 1:
            raise RuntimeError(f"the template has {threads} threads after importing {module}, not one")


def try_import(module: str, seconds: float = TRIAL_SECONDS) -> str:
    """Import a module in a fork of this process, to find out whether the import is safe.

    Returns:
        The reason why the module must not be imported in this process; an empty string if it may be imported.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        _try(module, write_end)
    os.close(write_end)
    try:
        reply = _read(read_end, seconds)
    finally:
        os.close(read_end)
        # The child may not have entered its own process group yet, so it is also killed directly.
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(child, signal.SIGKILL)
        # Raised if SIGCHLD is ignored, because the kernel then reaps children itself.
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
    if reply is None:
        return f"its import takes longer than {seconds:g} s"
    if not reply:
        return "its import ends the process"
    return "" if reply == _DONE else reply.decode(errors="replace")


def _try(module: str, write_end: int) -> None:
    reply = b""
    try:
        os.setpgid(0, 0)
        importlib.import_module(module)
        threads = _thread_count()
        reply = _DONE if threads == 1 else b"its import starts a thread, which a fork would not have"
    except BaseException as error:
        reply = _describe(error).encode(errors="replace")
    finally:
        os.write(write_end, reply)
        os._exit(0)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:MESSAGE_LIMIT]


def _read(read_end: int, seconds: float) -> bytes | None:
    """Return the child's reply, which is empty if the child ended without replying.

    The result is None if the time limit was reached.
    """
    ready, _, _ = select.select([read_end], [], [], seconds)
    return os.read(read_end, 4 * MESSAGE_LIMIT) if ready else None


def _thread_count() -> int:
    return len(os.listdir("/proc/self/task"))
