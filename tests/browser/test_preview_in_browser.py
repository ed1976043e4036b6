"""An explorer on a static page, used without a kernel: it shows the numbers that torch computed."""

import json
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from scripts.preview.pack import pack
from tests.support import jupyterlab as lab
from tests.support.accessible import faults

pytestmark = pytest.mark.browser

FUNCTIONS = {"log x³": lambda x: (x**3).log(), "sin x": torch.sin}
TALL = {"width": 1000, "height": 700}
SEARCHED = """async words => {
  const { search } = await import('/search/en/pagefind.js');
  return Promise.all((await search(words)).results.map(async hit => (await hit.data()).meta));
}"""
# JavaScript that records the quotient shown below the picture each time a slider moves.
NOTE_QUOTIENTS = """() => {
  window.quotients = [];
  const note = () => quotients.push(document.querySelector('figure.live .secant-quotient').innerText);
  document.addEventListener('input', note);
}"""


@pytest.fixture
def opened(browser: Any, static_page: str) -> Iterator[SimpleNamespace]:
    """Open the page and scroll to its first explorer; fail at the end if the page reported any message."""
    context = browser.new_context(viewport=TALL, has_touch=True)
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda said: trouble.append(said.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(static_page)
    yield SimpleNamespace(page=page, explorer=explorer(page, 0), trouble=trouble)
    assert trouble == []
    context.close()


def explorer(page: Any, number: int) -> Any:
    """Scroll to an explorer, wait until it is interactive, and return it."""
    found = page.locator("figure[data-frames]").nth(number)
    found.scroll_into_view_if_needed()
    page.locator(f"figure.live >> nth={number}").locator("img[src]").wait_for(timeout=30_000)
    return found


def slider(opened: Any, name: str) -> Any:
    found = opened.explorer.locator(f"input[data-control={name}]")
    found.scroll_into_view_if_needed()
    return found


def said(opened: Any) -> dict[str, str]:
    """Return the texts that the page shows: the values of x and h, and the numbers below the picture."""
    opened.page.wait_for_timeout(400)
    found = {name: slider(opened, name).get_attribute("aria-valuetext") for name in ("x", "h")}
    for name in ("quotient", "gradient", "error"):
        found[name] = opened.explorer.locator(f".secant-{name}").inner_text()
    return found


def is_torchs(opened: Any) -> bool:
    """Return True if the page shows the numbers that torch computes here; otherwise fail.

    The gradient must agree in all digits shown, and the quotient up to rounding.
    """
    function, dtype, scheme = (
        box.evaluate("box => box.selectedOptions[0].text") for box in opened.explorer.locator("select").all()
    )
    assert scheme == "forward"
    words, f = said(opened), FUNCTIONS[function]
    x = torch.tensor(float(words["x"]), dtype=getattr(torch, dtype), requires_grad=True)
    h = 10 ** (round(4 * math.log10(float(words["h"]))) / 4)  # the page shows only three digits of h
    there = x.detach() + h
    quotient = ((f(there) - f(x.detach())) / (there - x.detach())).item()
    f(x).backward()
    assert words["gradient"] == digits(x.grad.item(), words["gradient"])
    assert float(words["quotient"]) == pytest.approx(quotient, rel=1e-6)
    return True


def digits(number: float, like: str) -> str:
    """Return a number as text, with as many significant digits as another text has."""
    mantissa = like.lower().partition("e")[0].lstrip("-0.").replace(".", "")
    return f"{number:.{max(len(mantissa), 1)}g}"


def drag(opened: Any, name: str, start: float, end: float) -> None:
    """Drag a slider with the mouse from one fraction of its track to another."""
    box, mouse = lab.box(slider(opened, name)), opened.page.mouse
    y = box["y"] + box["height"] / 2
    mouse.move(box["x"] + 8 + start * (box["width"] - 16), y)
    mouse.down()
    for step in range(1, 21):
        mouse.move(box["x"] + 8 + (start + (end - start) * step / 20) * (box["width"] - 16), y)
    mouse.up()


def test_preview_drag_shows_the_numbers_that_torch_computed(opened: Any) -> None:
    opened.explorer.locator("select").nth(1).select_option(label="float64")
    before = said(opened)
    drag(opened, "x", 0.5, 0.2)
    drag(opened, "h", 1, 0.6)
    after = said(opened)
    assert float(after["x"]) < float(before["x"])
    assert float(after["h"]) == 1e-4
    assert is_torchs(opened)
    assert float(after["error"]) < 1e-4


def test_preview_keys_and_lists_show_the_numbers_that_torch_computed(opened: Any) -> None:
    opened.explorer.locator("select").nth(0).select_option(label="sin x")
    opened.explorer.locator("select").nth(1).select_option(label="float64")
    before = said(opened)
    slider(opened, "x").focus()
    opened.page.keyboard.press("ArrowRight")
    slider(opened, "h").focus()
    for _ in range(2):
        opened.page.keyboard.press("ArrowLeft")
    after = said(opened)
    assert float(after["x"]) > float(before["x"])
    assert float(after["h"]) < float(before["h"])
    assert is_torchs(opened)
    opened.explorer.locator(".secant-picture").focus()
    opened.page.keyboard.press("ArrowLeft")
    opened.page.keyboard.press("ArrowUp")
    moved = said(opened)
    assert moved["x"] == before["x"]
    assert after["h"] != moved["h"]
    assert is_torchs(opened)


def test_two_quick_presses_each_show_their_own_numbers(opened: Any) -> None:
    slider(opened, "h").focus()
    opened.page.evaluate(NOTE_QUOTIENTS)
    for _ in range(2):
        opened.page.keyboard.press("ArrowLeft")
    first, second = opened.page.evaluate("quotients")
    assert first != second == said(opened)["quotient"]


def test_preview_drag_updates_overlay_and_alt_text(opened: Any) -> None:
    """The still picture below stays the same; where float32 loses h, the text explains why."""
    picture = opened.explorer.locator("img")
    seen = [opened.page.evaluate(SEEN), picture.get_attribute("src"), picture.get_attribute("alt")]
    drag(opened, "h", 1, 0.3)
    opened.page.wait_for_timeout(400)
    now = [opened.page.evaluate(SEEN), picture.get_attribute("src"), picture.get_attribute("alt")]
    assert [a == b for a, b in zip(seen, now, strict=True)] == [False, True, False]
    assert "lost in rounding" in opened.explorer.locator(".secant-remarks").inner_text()
    assert "PyTorch" in opened.explorer.locator("figcaption").inner_text()


SEEN = "() => document.querySelector('.secant-picture canvas').toDataURL()"


def test_touch_drag_moves_the_preview_picture(opened: Any) -> None:
    before = said(opened)
    picture = opened.explorer.locator(".secant-picture")
    picture.scroll_into_view_if_needed()
    place = lab.box(picture)
    opened.page.touchscreen.tap(place["x"] + 0.7 * place["width"], place["y"] + 0.5 * place["height"])
    after = said(opened)
    assert after["x"] == before["x"]
    assert float(after["h"]) < float(before["h"]) / 100


def test_preview_buttons_show_further_calls_of_backward(opened: Any) -> None:
    buffer = explorer(opened.page, 1)
    gradient = buffer.locator(".secant-gradient")
    assert float(gradient.inner_text()) == 2 * 2 + 3 * 2**2
    buffer.get_by_text("x.grad = None").click()
    for text in ("(x³).backward()", "(x³).backward()"):
        buffer.get_by_text(text).click()
    opened.page.wait_for_timeout(400)
    assert float(gradient.inner_text()) == 2 * 3 * 2**2
    buffer.get_by_role("button", name="reset").click()
    opened.page.wait_for_timeout(400)
    assert float(gradient.inner_text()) == 2 * 2 + 3 * 2**2
    buffer.get_by_role("button", name="question 1").click()
    assert buffer.locator(".secant-question").is_visible()


def test_a_choice_is_answered_and_kept_in_the_browser(opened: Any) -> None:
    page = opened.page
    answer = page.locator("[data-answers]")
    assert "not answered" in answer.locator(".not-yet").inner_text()
    page.get_by_label("B. down").check()
    for _ in range(2):
        assert "You chose B (down). a sign" in answer.inner_text()
        assert "The answer is A (up)." in answer.inner_text()
        assert not answer.locator(".not-yet").is_visible()
        assert "B" in page.locator("fieldset .note").inner_text()
        page.reload()
    page.get_by_label("A. up").check()
    assert "Your choice was right" in answer.inner_text()


def test_play_of_h_stops_at_its_end_or_at_a_touch(opened: Any) -> None:
    """If the system asks for reduced motion, each point is shown for at least a second and a half."""
    page, play = opened.page, opened.explorer.get_by_role("button", name="play h")
    page.emulate_media(reduced_motion="reduce")
    page.clock.install()
    play.click()
    assert play.get_attribute("aria-pressed") == "true"
    began = slider(opened, "h").get_attribute("aria-valuetext")
    page.clock.run_for(1400)
    assert slider(opened, "h").get_attribute("aria-valuetext") == began
    page.clock.run_for(30_000)
    assert play.get_attribute("aria-pressed") == "false"
    assert slider(opened, "h").get_attribute("aria-valuetext") == "1e-12"
    play.click()
    slider(opened, "x").press("ArrowRight")
    assert play.get_attribute("aria-pressed") == "false"


def test_play_from_the_first_value_of_h_moves_at_once(opened: Any) -> None:
    play, h = opened.explorer.get_by_role("button", name="play h"), slider(opened, "h")
    start = h.get_attribute("aria-valuetext")
    assert start == "1"
    opened.page.clock.install()
    play.click()
    assert float(h.get_attribute("aria-valuetext")) < float(start)
    play.click()


def test_the_picture_follows_the_theme(opened: Any) -> None:
    picture = opened.explorer.locator(".secant-picture")
    assert picture.evaluate("box => box.style.filter") == ""
    opened.page.locator("button.theme").click()
    opened.page.wait_for_function("() => document.querySelector('.secant-picture').style.filter !== ''")


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_page_fits_a_phone_and_is_accessible(browser: Any, static_page: str, look: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=look)
    page.goto(static_page)
    for number in range(2):
        explorer(page, number)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    picture = lab.box(page.locator(".secant-picture").first)
    assert picture["height"] > picture["width"]  # the plots are stacked
    page.locator(".numbers").first.scroll_into_view_if_needed()
    # The slider stays in view with the numbers that it changes.
    assert 0 <= lab.box(page.locator("input[data-control=h]").first)["y"] < 200
    for where in ("figure[data-frames]", "fieldset", "[data-answers]"):
        assert faults(page, where) == []
    page.close()


def test_without_javascript_the_still_picture_is_shown(browser: Any, static_page: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(static_page)
    assert page.locator("figure.still img").count() == 2
    assert page.locator(".secant-gradient").first.inner_text() == "0.6"
    assert page.locator("[data-answers] details").is_visible()
    context.close()


def test_browser_unpacks_recordings_exactly(opened: Any) -> None:
    texts = [
        f"{x / 10:.1f} and {10.0**-h} of {x * h}, {'' if x % 2 else '-0.25'}"
        for x in range(7)
        for h in range(9)
    ]
    packed = json.loads(json.dumps(pack(texts, (7, 9)).__dict__))
    found = opened.page.evaluate(
        """async (packed) => {
          const { Part } = await import("../frames.js");
          const part = new Part(packed, [7, 9]);
          return [...Array(63).keys()].map((i) => part.at([Math.floor(i / 9), i % 9]));
        }""",
        packed,
    )
    assert found == texts


def asked_for(page: Any, words: str) -> list[str]:
    """Search in the open dialog, and return the addresses of the hits, the best first."""
    page.locator("pagefind-modal input").fill(words)
    page.locator("pagefind-results a").first.wait_for()
    return [link.get_attribute("href") for link in page.locator("pagefind-results a").all()]


def test_search_finds_lessons_and_documents(opened: Any) -> None:
    page = opened.page
    page.keyboard.press("Control+k")
    found = asked_for(page, "untrusted submission gradebook")
    assert found
    assert all(address.startswith("/docs/") for address in found)
    assert faults(page, "pagefind-modal") == []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("pagefind-modal dialog").wait_for(state="hidden")


def test_search_does_not_index_picture_data(opened: Any) -> None:
    """Pagefind stores the address of the first picture after a heading.

    When this address was a data URL, its letters made the page rank above all others.
    """
    found = opened.page.evaluate(SEARCHED, "a")
    assert len(found) > 1
    assert [one for one in found if one.get("image")] == []


def test_a_search_that_cannot_be_fetched_says_so_and_can_be_asked_again(
    browser: Any, static_page: str
) -> None:
    page = browser.new_page()
    page.goto(static_page)
    page.route("**/pagefind-component-ui.js", lambda route: route.abort())
    page.click(".search")
    page.get_by_role("button", name="could not be loaded").wait_for()
    page.unroute_all()
    page.click(".search")
    assert asked_for(page, "untrusted submission gradebook")
    assert page.locator(".search").inner_text() == "Search"
    page.close()


def test_search_finds_korean_words_with_particles_and_english_documents(
    browser: Any, static_page: str
) -> None:
    page = browser.new_page()
    page.goto(static_page.replace("/en/", "/ko/"))
    page.click(".search")
    assert asked_for(page, "할선") == ["/ko/page.html"]
    page.locator("pagefind-modal input").fill("gradebook")
    page.locator("pagefind-results a[href^='/docs/']").first.wait_for()
    page.close()


def test_a_document_fits_a_phone_and_is_accessible(browser: Any, static_page: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    for name in ("index", "teaching", "trust"):
        page.goto(static_page.replace("en/page", f"docs/{name}"))
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert [one for one in faults(page, "body") if "scrollable-region-focusable" not in one] == []
    context.close()
