"""A student's hand on the explorer of lesson 1, in JupyterLab in a real browser."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.support import jupyterlab as lab
from tests.support.naming import unnamed

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LESSON = "01_what_autograd_does"
TINY = ("from secant import explore", "explore()")
X, LOG_H = 0, 1  # the sliders' numbers in the explorer


@pytest.fixture(scope="module")
def opened(served: Any) -> Iterator[Any]:
    """Lesson 1 as a student opens it, all cells run; a notebook with the explorer alone until it is built."""
    place = served.place / "explorer"
    lesson = ROOT / "release" / served.language / LESSON
    if (lesson / f"{LESSON}.ipynb").exists():
        shutil.copytree(lesson, place)
        name = f"explorer/{LESSON}.ipynb"
    else:
        place.mkdir()
        name = "explorer/explorer.ipynb"
        lab.write_notebook(served.place / name, TINY)
    asked: list[str] = []
    with lab.run_notebook(served.browser, served.address, name, asked=asked) as page:
        page.locator(".secant-explorer img").first.wait_for(timeout=60_000)
        # The lesson begins with float32, in which a small move of x need not show in the quotient.
        page.locator(".secant-explorer").first.locator("select").nth(1).select_option("float64")
        lab.wait_until_still(page.locator(".secant-explorer").first)
        yield SimpleNamespace(
            page=page,
            explorer=page.locator(".secant-explorer").first,
            language=served.language,
            asked=asked,
        )


def number(opened: Any, name: str) -> Any:
    """What the kernel wrote, never the slider's own readout."""
    return float(opened.explorer.locator(f".secant-{name}").inner_text())


def box(opened: Any, which: Any) -> Any:
    return opened.explorer.locator("input[type=number]").nth(which)


def handle(opened: Any, which: Any) -> Any:
    found = opened.explorer.locator(".noUi-handle").nth(which)
    found.scroll_into_view_if_needed()
    return found


def wait_for_kernel(opened: Any, name: str, changed_from: Any) -> None:
    """Wait until the kernel has written another number, and then until it writes no more."""
    opened.page.wait_for_function(
        "([name, old]) => document.querySelector(`.secant-explorer .secant-${name}`).innerText !== old",
        arg=[name, changed_from],
    )
    opened.page.wait_for_timeout(600)


def wait_for_rest(opened: Any) -> None:
    """Wait until neither the sliders nor the kernel's words move any more: on a busy machine a drag lags."""
    before = None
    while before != (
        before := [box(opened, X).input_value(), box(opened, LOG_H).input_value(), words(opened)]
    ):
        opened.page.wait_for_timeout(600)


def words(opened: Any) -> Any:
    return opened.explorer.locator(".secant-words").inner_text()


def text(opened: Any, name: str) -> Any:
    return opened.explorer.locator(f".secant-{name}").inner_text()


def test_dragging_x_moves_the_tangent(opened: Any) -> None:
    before = text(opened, "gradient")
    lab.drag(opened.page, handle(opened, X), 0.25, steps=30)
    wait_for_kernel(opened, "gradient", before)
    x = float(box(opened, X).input_value())
    assert x == pytest.approx(3, abs=0.3)
    assert number(opened, "gradient") == pytest.approx(3 / x, rel=1e-7)  # of 8 digits


def test_dragging_h_down_to_1e_5_brings_the_quotient_to_the_gradient(opened: Any) -> None:
    """From h = 3 the secant turns into the tangent; the last value of the drag is the one that stays."""
    lab.drag(opened.page, handle(opened, LOG_H), 1.0)
    opened.page.wait_for_timeout(600)
    far = number(opened, "error")
    before = text(opened, "error")
    lab.drag(opened.page, handle(opened, LOG_H), (15.5 - 5) / 16, steps=40)
    wait_for_kernel(opened, "error", before)
    assert float(box(opened, LOG_H).input_value()) == pytest.approx(-5, abs=0.2)
    assert number(opened, "error") < 1e-4 < 0.01 < far
    assert number(opened, "quotient") == pytest.approx(number(opened, "gradient"), rel=1e-4)


def test_the_picture_follows_and_says_what_it_shows(opened: Any) -> None:
    picture = opened.explorer.locator("img")
    before, words = picture.get_attribute("src"), picture.get_attribute("title")
    lab.drag(opened.page, handle(opened, X), 0.75)
    opened.page.wait_for_function("([e, old]) => e.title !== old", arg=[picture.element_handle(), words])
    assert picture.get_attribute("src") != before
    assert bool(re.search("[가-힣]", words)) == (opened.language == "ko")


def test_at_rest_the_picture_is_sharp(opened: Any) -> None:
    """Two image pixels for one of the page's."""
    lab.drag(opened.page, handle(opened, X), 0.5)
    opened.page.wait_for_function(
        "() => document.querySelector('.secant-explorer img').naturalWidth === 1800", timeout=10_000
    )


@pytest.mark.parametrize(
    ("which", "key", "way"), [(X, "ArrowRight", 1), (X, "ArrowLeft", -1), (LOG_H, "ArrowLeft", -1)]
)
def test_the_arrow_keys_move_a_slider(opened: Any, which: Any, key: str, way: int) -> None:
    wait_for_rest(opened)
    before = float(box(opened, which).input_value())
    old = text(opened, "quotient")
    handle(opened, which).focus()
    for _ in range(3):
        opened.page.keyboard.press(key)
    wait_for_kernel(opened, "quotient", old)
    assert (float(box(opened, which).input_value()) - before) * way > 0


def test_a_typed_number_is_taken(opened: Any) -> None:
    old = text(opened, "gradient")
    box(opened, X).fill("2")
    box(opened, X).press("Enter")
    wait_for_kernel(opened, "gradient", old)
    assert number(opened, "gradient") == 1.5


def test_every_control_but_the_handles_has_a_name(opened: Any) -> None:
    """A screen reader is given the boxes' and the lists' labels."""
    assert unnamed(opened.explorer) == 0


def test_where_the_quotient_has_no_meaning_the_page_says_so(opened: Any) -> None:
    opened.explorer.locator("select").nth(1).select_option("float32")
    box(opened, LOG_H).fill("-8")
    box(opened, LOG_H).press("Enter")
    expect(opened.explorer.locator(".secant-quotient")).to_have_text("nan")
    assert "0/0" in text(opened, "remarks")


def test_no_request_leaves_the_machine(opened: Any) -> None:
    """Runs last, when everything has been asked for."""
    strangers = [
        address
        for address in opened.asked
        if urlsplit(address).scheme not in ("data", "blob")
        and urlsplit(address).hostname not in ("127.0.0.1", "localhost")
    ]
    assert strangers == []
    assert any(urlsplit(address).scheme == "ws" for address in opened.asked)
