"""Fixtures and a context manager that restore settings of the process, which an answer may leave changed."""

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator

import pytest
import torch

from secant import language


@contextlib.contextmanager
def preserve_settings() -> Iterator[None]:
    """Restore the environment, language, torch's settings, recursion limit and warning filters."""
    environment = dict(os.environ)
    previous_language, recursion_limit, threads = language(), sys.getrecursionlimit(), torch.get_num_threads()
    with warnings.catch_warnings():
        try:
            yield
        finally:
            if os.environ != environment:
                os.environ.clear()
                os.environ.update(environment)
            language(previous_language)
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)
            torch.autograd.set_detect_anomaly(False)
            torch.set_num_threads(threads)
            sys.setrecursionlimit(recursion_limit)


@pytest.fixture
def preserved_signals() -> Iterator[None]:
    """Restore the signal handlers, which a server replaces for the whole process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def preserved_settings() -> Iterator[None]:
    """Restore the settings that an answer may change, in the modules that import this fixture."""
    with preserve_settings():
        yield


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """Start each test in English and restore the language, where a module or folder imports this fixture."""
    before = language()
    language("en")
    yield
    language(before)
