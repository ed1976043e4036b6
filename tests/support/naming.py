"""A check of the accessible names of an explorer's controls, which a screen reader reads out."""

from playwright.sync_api import Locator

_COUNT_UNLABELLED = (
    "node => [...node.querySelectorAll('input, select')].filter(e => !e.labels[0]?.innerText).length"
)


def count_unlabelled(explorer: Locator) -> int:
    """Return how many of an explorer's input boxes and drop-down lists have no visible label."""
    return int(explorer.evaluate(_COUNT_UNLABELLED))
