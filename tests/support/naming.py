"""What a screen reader is told of an explorer's controls."""

from playwright.sync_api import Locator

_UNNAMED = "node => [...node.querySelectorAll('input, select')].filter(e => !e.labels[0]?.innerText).length"


def unnamed(explorer: Locator) -> int:
    """Return how many of its boxes and lists have no name."""
    return int(explorer.evaluate(_UNNAMED))
