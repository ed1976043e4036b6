"""The settings of the whole process, which an answer may leave changed."""

import contextlib
import sys
import warnings
from collections.abc import Iterator

import pytest
import torch

from secant import language


@contextlib.contextmanager
def settings_kept() -> Iterator[None]:
    """Put back the language, torch's settings, the recursion limit and the warning filters."""
    tongue, limit, threads = language(), sys.getrecursionlimit(), torch.get_num_threads()
    with warnings.catch_warnings():
        try:
            yield
        finally:
            language(tongue)
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)
            torch.autograd.set_detect_anomaly(False)
            torch.set_num_threads(threads)
            sys.setrecursionlimit(limit)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Give back what an answer may spoil, in the modules that import this fixture."""
    with settings_kept():
        yield
