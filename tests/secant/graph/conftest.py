"""Tests of the graph: a drawing searches all objects of the process for hooks."""

import gc

import pytest


@pytest.fixture(scope="module", autouse=True)
def _few_objects() -> None:
    """Leave out of that search the millions of objects that earlier files left: seconds a test."""
    gc.collect()
    gc.freeze()
