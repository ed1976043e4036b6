"""What axe-core finds in a part of a page."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")


def faults(page: Page, where: str) -> list[str]:
    """Return what is seriously wrong in a part of the page, given by a CSS selector."""
    found = Axe().run(page, context={"include": [[where]]}).response["violations"]
    return [
        f"{each['id']}: {node['html']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
