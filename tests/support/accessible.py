"""A search for accessibility problems in a part of a page, with axe-core."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")
# The only rules of axe that depend on the page's theme. They take most of axe's time on a long page.
_COLOURS = ("color-contrast", "link-in-text-block")
_OPTIONS: dict[str, Any] = {
    "all": {},
    "colours": {"runOnly": _COLOURS},
    "all but colours": {"rules": {rule: {"enabled": False} for rule in _COLOURS}},
}
Rules = Literal["all", "colours", "all but colours"]


def faults(page: Page, selector: str, *, rules: Rules = "all", include_minor: bool = False) -> list[str]:
    """Return the accessibility problems in a part of the page, each with the HTML of its element.

    Args:
        page: the page to check.
        selector: the CSS selector of the part to check.
        rules: the group of axe's rules to apply.
        include_minor: whether to include problems that axe does not rate as serious or critical.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(
        "([where, options]) => axe.run({include: [[where]]}, options).then(({violations}) => violations)",
        [selector, {"resultTypes": ["violations"], **_OPTIONS[rules]}],
    )
    return [
        f"{violation['id']}: {node['html']}"
        for violation in violations
        if include_minor or violation["impact"] in SERIOUS
        for node in violation["nodes"]
    ]
