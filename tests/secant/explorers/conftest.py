"""Widgets are gone after a test of an explorer, or each would make the next slower."""

from collections.abc import Iterator

import pytest
from ipywidgets.widgets import widget


@pytest.fixture(autouse=True)
def _widgets_go() -> Iterator[None]:
    """Close what a test made: ipywidgets keeps every widget for ever, and here each holds a figure."""
    before = set(widget._instances)
    yield
    for made in [one for key, one in widget._instances.items() if key not in before]:
        made.close()
