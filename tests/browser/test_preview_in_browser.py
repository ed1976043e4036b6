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
SEARCH = """async words => {
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
def view(browser: Any, static_page: str) -> Iterator[SimpleNamespace]:
    """Open the page and scroll to its first explorer; fail at the end if the page reported any message."""
    context = browser.new_context(viewport=TALL, has_touch=True)
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(static_page)
    yield SimpleNamespace(page=page, explorer=explorer(page, 0), messages=messages)
    assert messages == []
    context.close()


def explorer(page: Any, number: int) -> Any:
    """Scroll to an explorer, wait until it is interactive, and return it."""
    figure = page.locator("figure[data-frames]").nth(number)
    figure.scroll_into_view_if_needed()
    page.locator(f"figure.live >> nth={number}").locator("img[src]").wait_for(timeout=30_000)
    return figure


def slider(view: Any, name: str) -> Any:
    control = view.explorer.locator(f"input[data-control={name}]")
    control.scroll_into_view_if_needed()
    return control


def displayed_texts(view: Any) -> dict[str, str]:
    """Return the texts that the page shows: the values of x and h, and the numbers below the picture."""
    view.page.wait_for_timeout(400)
    texts = {name: slider(view, name).get_attribute("aria-valuetext") for name in ("x", "h")}
    for name in ("quotient", "gradient", "error"):
        texts[name] = view.explorer.locator(f".secant-{name}").inner_text()
    return texts


def assert_shows_torch_numbers(view: Any) -> bool:
    """Return True if the page shows the numbers that torch computes here; otherwise fail.

    The gradient must agree in all digits shown, and the quotient up to rounding.
    """
    function, dtype, scheme = (
        box.evaluate("box => box.selectedOptions[0].text") for box in view.explorer.locator("select").all()
    )
    assert scheme == "forward"
    texts, f = displayed_texts(view), FUNCTIONS[function]
    x = torch.tensor(float(texts["x"]), dtype=getattr(torch, dtype), requires_grad=True)
    h = 10 ** (round(4 * math.log10(float(texts["h"]))) / 4)  # the page shows only three digits of h
    shifted = x.detach() + h
    quotient = ((f(shifted) - f(x.detach())) / (shifted - x.detach())).item()
    f(x).backward()
    assert texts["gradient"] == digits(x.grad.item(), texts["gradient"])
    assert float(texts["quotient"]) == pytest.approx(quotient, rel=1e-6)
    return True


def digits(number: float, sample: str) -> str:
    """Return a number as text, with as many significant digits as another text has."""
    mantissa = sample.lower().partition("e")[0].lstrip("-0.").replace(".", "")
    return f"{number:.{max(len(mantissa), 1)}g}"


def drag(view: Any, name: str, start: float, end: float) -> None:
    """Drag a slider with the mouse from one fraction of its track to another."""
    box, mouse = lab.box(slider(view, name)), view.page.mouse
    y = box["y"] + box["height"] / 2
    mouse.move(box["x"] + 8 + start * (box["width"] - 16), y)
    mouse.down()
    for step in range(1, 21):
        mouse.move(box["x"] + 8 + (start + (end - start) * step / 20) * (box["width"] - 16), y)
    mouse.up()


def test_preview_drag_shows_the_numbers_that_torch_computed(view: Any) -> None:
    view.explorer.locator("select").nth(1).select_option(label="float64")
    before = displayed_texts(view)
    drag(view, "x", 0.5, 0.2)
    drag(view, "h", 1, 0.6)
    after = displayed_texts(view)
    assert float(after["x"]) < float(before["x"])
    assert float(after["h"]) == 1e-4
    assert assert_shows_torch_numbers(view)
    assert float(after["error"]) < 1e-4


def test_preview_keys_and_lists_show_the_numbers_that_torch_computed(view: Any) -> None:
    view.explorer.locator("select").nth(0).select_option(label="sin x")
    view.explorer.locator("select").nth(1).select_option(label="float64")
    before = displayed_texts(view)
    slider(view, "x").focus()
    view.page.keyboard.press("ArrowRight")
    slider(view, "h").focus()
    for _ in range(2):
        view.page.keyboard.press("ArrowLeft")
    after = displayed_texts(view)
    assert float(after["x"]) > float(before["x"])
    assert float(after["h"]) < float(before["h"])
    assert assert_shows_torch_numbers(view)
    view.explorer.locator(".secant-picture").focus()
    view.page.keyboard.press("ArrowLeft")
    view.page.keyboard.press("ArrowUp")
    last = displayed_texts(view)
    assert last["x"] == before["x"]
    assert after["h"] != last["h"]
    assert assert_shows_torch_numbers(view)


def test_two_quick_presses_each_show_their_own_numbers(view: Any) -> None:
    slider(view, "h").focus()
    view.page.evaluate(NOTE_QUOTIENTS)
    for _ in range(2):
        view.page.keyboard.press("ArrowLeft")
    first, second = view.page.evaluate("quotients")
    assert first != second == displayed_texts(view)["quotient"]


def test_preview_drag_updates_overlay_and_alt_text(view: Any) -> None:
    """The picture under the overlay stays the same. The text says that rounding to float32 loses h."""
    picture = view.explorer.locator("img")
    before = [view.page.evaluate(OVERLAY), picture.get_attribute("src"), picture.get_attribute("alt")]
    drag(view, "h", 1, 0.3)
    view.page.wait_for_timeout(400)
    after = [view.page.evaluate(OVERLAY), picture.get_attribute("src"), picture.get_attribute("alt")]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False]
    assert "lost in rounding" in view.explorer.locator(".secant-remarks").inner_text()
    assert "PyTorch" in view.explorer.locator("figcaption").inner_text()


OVERLAY = "() => document.querySelector('.secant-picture canvas').toDataURL()"


def test_touch_drag_moves_the_preview_picture(view: Any) -> None:
    before = displayed_texts(view)
    picture = view.explorer.locator(".secant-picture")
    picture.scroll_into_view_if_needed()
    bounds = lab.box(picture)
    view.page.touchscreen.tap(bounds["x"] + 0.7 * bounds["width"], bounds["y"] + 0.5 * bounds["height"])
    after = displayed_texts(view)
    assert after["x"] == before["x"]
    assert float(after["h"]) < float(before["h"]) / 100


def test_preview_buttons_show_further_calls_of_backward(view: Any) -> None:
    buffer = explorer(view.page, 1)
    gradient = buffer.locator(".secant-gradient")
    assert float(gradient.inner_text()) == 2 * 2 + 3 * 2**2
    buffer.get_by_text("x.grad = None").click()
    for text in ("(x³).backward()", "(x³).backward()"):
        buffer.get_by_text(text).click()
    view.page.wait_for_timeout(400)
    assert float(gradient.inner_text()) == 2 * 3 * 2**2
    buffer.get_by_role("button", name="reset").click()
    view.page.wait_for_timeout(400)
    assert float(gradient.inner_text()) == 2 * 2 + 3 * 2**2
    buffer.get_by_role("button", name="question 1").click()
    assert buffer.locator(".secant-question").is_visible()


def test_a_choice_is_answered_and_kept_in_the_browser(view: Any) -> None:
    page = view.page
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


def test_play_of_h_stops_at_its_end_or_at_a_touch(view: Any) -> None:
    """If the system asks for reduced motion, each point is shown for at least a second and a half."""
    page, play = view.page, view.explorer.get_by_role("button", name="play h")
    page.emulate_media(reduced_motion="reduce")
    page.clock.install()
    play.click()
    assert play.get_attribute("aria-pressed") == "true"
    start = slider(view, "h").get_attribute("aria-valuetext")
    page.clock.run_for(1400)
    assert slider(view, "h").get_attribute("aria-valuetext") == start
    page.clock.run_for(30_000)
    assert play.get_attribute("aria-pressed") == "false"
    assert slider(view, "h").get_attribute("aria-valuetext") == "1e-12"
    play.click()
    slider(view, "x").press("ArrowRight")
    assert play.get_attribute("aria-pressed") == "false"


def test_play_from_the_first_value_of_h_moves_at_once(view: Any) -> None:
    play, h = view.explorer.get_by_role("button", name="play h"), slider(view, "h")
    start = h.get_attribute("aria-valuetext")
    assert start == "1"
    view.page.clock.install()
    play.click()
    assert float(h.get_attribute("aria-valuetext")) < float(start)
    play.click()


def test_the_picture_follows_the_theme(view: Any) -> None:
    picture = view.explorer.locator(".secant-picture")
    assert picture.evaluate("box => box.style.filter") == ""
    view.page.locator("button.theme").click()
    view.page.wait_for_function("() => document.querySelector('.secant-picture').style.filter !== ''")


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_a_page_fits_a_phone_and_is_accessible(browser: Any, static_page: str, colour_scheme: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=colour_scheme)
    page.goto(static_page)
    for number in range(2):
        explorer(page, number)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    picture = lab.box(page.locator(".secant-picture").first)
    assert picture["height"] > picture["width"]  # the plots are stacked
    page.locator(".numbers").first.scroll_into_view_if_needed()
    # The slider stays in view with the numbers that it changes.
    assert 0 <= lab.box(page.locator("input[data-control=h]").first)["y"] < 200
    for selector in ("figure[data-frames]", "fieldset", "[data-answers]"):
        assert faults(page, selector) == []
    page.close()


def test_without_javascript_the_still_picture_is_shown(browser: Any, static_page: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(static_page)
    assert page.locator("figure.still img").count() == 2
    assert page.locator(".secant-gradient").first.inner_text() == "0.6"
    assert page.locator("[data-answers] details").is_visible()
    context.close()


def test_browser_unpacks_recordings_exactly(view: Any) -> None:
    texts = [
        f"{x / 10:.1f} and {10.0**-h} of {x * h}, {'' if x % 2 else '-0.25'}"
        for x in range(7)
        for h in range(9)
    ]
    packed = json.loads(json.dumps(pack(texts, (7, 9)).__dict__))
    unpacked = view.page.evaluate(
        """async (packed) => {
          const { Part } = await import("../frames.js");
          const part = new Part(packed, [7, 9]);
          return [...Array(63).keys()].map((i) => part.at([Math.floor(i / 9), i % 9]));
        }""",
        packed,
    )
    assert unpacked == texts


def search(page: Any, query: str) -> list[str]:
    """Search in the open dialog, and return the addresses of the hits, the best first."""
    page.locator("pagefind-modal input").fill(query)
    page.locator("pagefind-results a").first.wait_for()
    return [link.get_attribute("href") for link in page.locator("pagefind-results a").all()]


def test_search_finds_lessons_and_documents(view: Any) -> None:
    page = view.page
    page.keyboard.press("Control+k")
    addresses = search(page, "untrusted submission gradebook")
    assert addresses
    assert all(address.startswith("/docs/") for address in addresses)
    assert faults(page, "pagefind-modal") == []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("pagefind-modal dialog").wait_for(state="hidden")


def test_search_does_not_index_picture_data(view: Any) -> None:
    """Pagefind stores the address of the first picture after a heading.

    When this address was a data URL, its letters made the page rank above all others.
    """
    results = view.page.evaluate(SEARCH, "a")
    assert len(results) > 1
    assert [result for result in results if result.get("image")] == []


def test_search_that_fails_to_load_reports_it_and_can_be_retried(browser: Any, static_page: str) -> None:
    page = browser.new_page()
    page.goto(static_page)
    page.route("**/pagefind-component-ui.js", lambda route: route.abort())
    page.click(".search")
    page.get_by_role("button", name="could not be loaded").wait_for()
    page.unroute_all()
    page.click(".search")
    assert search(page, "untrusted submission gradebook")
    assert page.locator(".search").inner_text() == "Search"
    page.close()


def test_search_finds_korean_words_with_particles_and_english_documents(
    browser: Any, static_page: str
) -> None:
    page = browser.new_page()
    page.goto(static_page.replace("/en/", "/ko/"))
    page.click(".search")
    assert search(page, "할선") == ["/ko/page.html"]
    page.locator("pagefind-modal input").fill("gradebook")
    page.locator("pagefind-results a[href^='/docs/']").first.wait_for()
    page.close()


def test_a_document_fits_a_phone_and_is_accessible(browser: Any, static_page: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    for name in ("index", "teaching", "trust"):
        page.goto(static_page.replace("en/page", f"docs/{name}"))
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert [fault for fault in faults(page, "body") if "scrollable-region-focusable" not in fault] == []
    context.close()
