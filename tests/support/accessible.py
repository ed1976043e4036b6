"""What axe-core finds in a part of a page."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")
# All that depends on a page's theme, and the dearest: on a long page most of axe's time.
_COLOURS = ("color-contrast", "link-in-text-block")
_OPTIONS: dict[str, Any] = {
    "all": {},
    "colours": {"runOnly": _COLOURS},
    "all but colours": {"rules": {rule: {"enabled": False} for rule in _COLOURS}},
}
Rules = Literal["all", "colours", "all but colours"]


def faults(page: Page, where: str, *, rules: Rules = "all", slight: bool = False) -> list[str]:
    """Return what is wrong in a part of the page, given by a CSS selector: what is serious, or all of it."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        "([where, options]) => axe.run({include: [[where]]}, options).then(({violations}) => violations)",
        [where, {"resultTypes": ["violations"], **_OPTIONS[rules]}],
    )
    return [
        f"{each['id']}: {node['html']}"
        for each in found
        if slight or each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
