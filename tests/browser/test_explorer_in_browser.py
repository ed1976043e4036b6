"""The explorer of lesson 1, used with the mouse and the keyboard in JupyterLab in a real browser."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.support import jupyterlab as lab
from tests.support.accessible import faults
from tests.support.naming import unnamed

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
TINY = (
    "from secant import explore, predict",
    "explore()",
    'predict("which", A="the one", B="the other")',
)
X, H = 0, 1  # the sliders' indices in the explorer


@pytest.fixture(scope="module")
def opened(served: Any, window: Any) -> Iterator[Any]:
    """Open a notebook that contains only an explorer and a prediction; other tests open whole lessons.

    The server and the page are left as they were, because other modules use them too.
    """
    (served.place / "explorer").mkdir()
    name = "explorer/explorer.ipynb"
    lab.write_notebook(served.place / name, TINY)
    page = window.page
    trouble: list[str] = []
    with lab.running(page, served.address, name):
        page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.locator(".secant-explorer img[src]").first.wait_for(timeout=60_000)
        # The explorer starts with float32, in which a small move of x may leave the shown quotient unchanged.
        page.locator(".secant-explorer").first.locator("select").nth(1).select_option("float64")
        lab.wait_until_still(page.locator(".secant-explorer").first)
        assert [session["path"] for session in lab.sessions(served.address)] == [name]
        yield SimpleNamespace(
            page=page,
            explorer=page.locator(".secant-explorer").first,
            language=served.language,
            asked=window.asked,
            trouble=trouble,
        )
    assert lab.sessions(served.address) == []


def number(opened: Any, name: str) -> Any:
    """Return a number that the kernel wrote, as opposed to the slider's readout."""
    return float(opened.explorer.locator(f".secant-{name}").inner_text())


def box(opened: Any, which: Any) -> Any:
    return opened.explorer.locator("input[type=number]").nth(which)


def handle(opened: Any, which: Any) -> Any:
    found = opened.explorer.locator(".noUi-handle").nth(which)
    found.scroll_into_view_if_needed()
    return found


def wait_for_kernel(opened: Any, name: str, changed_from: Any) -> None:
    """Wait until the kernel has written a different number, and then 600 ms longer, for its last update."""
    opened.page.wait_for_function(
        "([name, old]) => document.querySelector(`.secant-explorer .secant-${name}`).innerText !== old",
        arg=[name, changed_from],
    )
    opened.page.wait_for_timeout(600)


def wait_for_rest(opened: Any) -> None:
    """Wait until the sliders and the kernel's text stop changing, because a drag lags on a busy machine."""
    before = None
    while before != (before := [box(opened, X).input_value(), box(opened, H).input_value(), words(opened)]):
        opened.page.wait_for_timeout(600)


def position(opened: Any, which: int) -> float:
    """Return a slider's position: x, or log10 of h."""
    shown = float(box(opened, which).input_value())
    return math.log10(shown) if which == H else shown


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
    assert number(opened, "gradient") == pytest.approx(3 / x, rel=1e-7)  # shown with 8 digits


def test_dragging_h_down_to_1e_5_brings_the_quotient_to_the_gradient(opened: Any) -> None:
    """As h shrinks from about 3, the secant turns into the tangent; the page keeps the drag's last value."""
    lab.drag(opened.page, handle(opened, H), 1.0)
    opened.page.wait_for_timeout(600)
    far = number(opened, "error")
    before = text(opened, "error")
    lab.drag(opened.page, handle(opened, H), (15.5 - 5) / 16, steps=40)
    wait_for_kernel(opened, "error", before)
    assert position(opened, H) == pytest.approx(-5, abs=0.2)
    assert number(opened, "error") < 1e-4 < 0.01 < far
    assert number(opened, "quotient") == pytest.approx(number(opened, "gradient"), rel=1e-4)


#: JavaScript that draws a part of the picture on a new canvas, and returns the pixels as a data URL.
SEEN = """part => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [900, 400];
  canvas.getContext('2d').drawImage(document.querySelector(`.secant-picture ${part}`), 0, 0, 900, 400);
  return canvas.toDataURL();
}"""


def test_drag_redraws_the_overlay_and_updates_the_alt_text(opened: Any) -> None:
    picture = opened.explorer.locator("img")
    words = picture.get_attribute("alt")
    before = {part: opened.page.evaluate(SEEN, part) for part in ("img", "canvas")}
    lab.drag(opened.page, handle(opened, X), 0.75)
    opened.page.wait_for_function("([e, old]) => e.alt !== old", arg=[picture.element_handle(), words])
    assert opened.page.evaluate(SEEN, "canvas") != before["canvas"]
    assert opened.page.evaluate(SEEN, "img") == before["img"]
    assert bool(re.search("[가-힣]", words)) == (opened.language == "ko")


def test_picture_has_the_screens_pixel_density(opened: Any) -> None:
    """The image has two pixels per CSS pixel, and the canvas has exactly one per pixel of the screen."""
    assert opened.page.evaluate("() => document.querySelector('.secant-explorer img').naturalWidth") == 1800
    assert opened.page.evaluate(
        """() => [...document.querySelectorAll('.secant-picture canvas')].every(
          canvas => canvas.width === Math.round(canvas.clientWidth * devicePixelRatio))"""
    )


@pytest.mark.parametrize(
    ("which", "key", "way"), [(X, "ArrowRight", 1), (X, "ArrowLeft", -1), (H, "ArrowLeft", -1)]
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


def test_number_typed_into_a_box_moves_the_explorer(opened: Any) -> None:
    old = text(opened, "gradient")
    box(opened, X).fill("2")
    box(opened, X).press("Enter")
    wait_for_kernel(opened, "gradient", old)
    assert number(opened, "gradient") == 1.5


def on_picture(opened: Any, across: float, down: float = 0.5) -> tuple[float, float]:
    """Return the position on the page of a point given in fractions of the picture."""
    picture = opened.explorer.locator(".secant-picture img")
    picture.scroll_into_view_if_needed()
    place = lab.box(picture)
    return place["x"] + across * place["width"], place["y"] + down * place["height"]


def test_dragging_the_left_plot_moves_x_and_the_right_plot_h(opened: Any) -> None:
    mouse = opened.page.mouse
    for which, places in ((X, (0.3, 0.2)), (H, (0.9, 0.8))):
        before, old = position(opened, which), text(opened, "quotient")
        mouse.move(*on_picture(opened, places[0]))
        mouse.down()
        for step in range(1, 21):
            mouse.move(*on_picture(opened, places[0] + (places[1] - places[0]) * step / 20))
        mouse.up()
        wait_for_kernel(opened, "quotient", old)
        now = position(opened, which)
        assert now != before
        # The axis of x goes from 0.6 to 9.4, that of log10 h from -15.8 to 0.8; labels take the rest.
        assert now == pytest.approx(3.5, abs=0.3) if which == X else now == pytest.approx(-6.9, abs=0.5)


def test_arrow_keys_on_the_picture_move_x_and_h(opened: Any) -> None:
    wait_for_rest(opened)
    before = [position(opened, which) for which in (X, H)]
    old = text(opened, "quotient")
    opened.explorer.locator(".secant-picture").focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowLeft", "ArrowUp"):
        opened.page.keyboard.press(key)
    wait_for_kernel(opened, "quotient", old)
    wait_for_rest(opened)
    after = [position(opened, which) for which in (X, H)]
    # The arrow keys move h by whole steps of its slider.
    assert after == pytest.approx([before[0] + 0.19, before[1] + 0.25], abs=0.04)


SAVED = "() => window.jupyterapp.shell.currentWidget.context.contentsModel.last_modified"


def save_by_key(opened: Any) -> None:
    """Press Ctrl+S until the notebook is saved: JupyterLab ignores the key during an earlier save."""
    before = opened.page.evaluate(SAVED)
    for _ in range(40):
        opened.page.keyboard.press("Control+s")
        opened.page.wait_for_timeout(250)
        if opened.page.evaluate(SAVED) != before:
            return
    pytest.fail("Ctrl+S does not save")


@pytest.mark.parametrize("place", [".secant-picture", "input[type=number]", "select", ".noUi-handle"])
def test_ctrl_s_saves_wherever_the_focus_is_in_an_explorer(opened: Any, place: str) -> None:
    opened.explorer.locator(place).first.focus()
    save_by_key(opened)


def test_ctrl_s_saves_at_a_prediction_and_a_letter_is_no_command(opened: Any) -> None:
    count = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
    cells = opened.page.evaluate(count)
    opened.page.locator(".secant-prediction input[type=radio]").first.focus()
    opened.page.keyboard.press("b")
    save_by_key(opened)
    assert opened.page.evaluate(count) == cells


def test_unused_key_on_the_picture_reaches_jupyterlab(opened: Any) -> None:
    """The picture uses the arrow keys, so they do not change the active cell; J and K do."""
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    opened.page.mouse.click(*on_picture(opened, 0.25))
    before = opened.page.evaluate(active)
    for key in ("ArrowDown", "Shift+ArrowDown", "ArrowUp"):
        opened.page.keyboard.press(key)
    wait_for_rest(opened)
    assert opened.page.evaluate(active) == before
    for key, cell in (("j", before + 1), ("k", before)):
        opened.page.keyboard.press(key)
        opened.page.wait_for_function(f"cell => ({active})() === cell", arg=cell)


def test_play_moves_h_until_a_control_is_touched(opened: Any) -> None:
    """Play in the large steps of reduced motion, because a page on a busy machine lags behind small ones."""
    opened.page.emulate_media(reduced_motion="reduce")
    opened.page.wait_for_timeout(300)  # until the kernel has received the setting
    opened.explorer.locator(".widget-toggle-button").click()
    handle(opened, X).focus()
    for passed in ("> 0.1", "< 0.1"):  # play sets h to 1 first, whatever its value
        opened.page.wait_for_function(
            f"() => document.querySelectorAll('.secant-explorer input[type=number]')[1].value {passed}",
            timeout=20_000,
        )
    opened.page.keyboard.press("ArrowRight")
    play = opened.explorer.locator(".widget-toggle-button")
    # Without the key press, play would end at h = 1e-4.
    expect(play).not_to_have_class(re.compile("mod-active"), timeout=20_000)
    wait_for_rest(opened)
    assert 1.5e-4 < float(box(opened, H).input_value()) < 0.1
    opened.page.emulate_media(reduced_motion="no-preference")


def test_the_picture_follows_the_page_s_theme(opened: Any) -> None:
    corner = """() => {
      const image = document.querySelector('.secant-picture img'), canvas = document.createElement('canvas');
      canvas.getContext('2d').drawImage(image, 0, 0, 1, 1, 0, 0, 1, 1);
      return canvas.getContext('2d').getImageData(0, 0, 1, 1).data[0];
    }"""
    assert opened.page.evaluate(corner) == 255
    for theme, colour in (("Dark", 17), ("Light", 255)):
        change = f"jupyterapp.commands.execute('apputils:change-theme', {{theme: 'JupyterLab {theme}'}})"
        opened.page.evaluate(change)
        opened.page.wait_for_function(f"() => Math.abs(({corner})() - {colour}) < 3", timeout=20_000)
    assert opened.explorer.locator(".secant-legend").is_visible()


def test_class_change_on_the_body_redraws_nothing(opened: Any) -> None:
    """A held slider changes the body's class; a redraw for this would come late, after each drag."""
    drawn = """async () => {
      const canvas = document.querySelector('.secant-picture canvas'), pen = canvas.getContext('2d');
      let times = 0;
      pen.clearRect = (...box) => {
        times += 1;
        CanvasRenderingContext2D.prototype.clearRect.apply(pen, box);
      };
      document.body.classList.toggle('marked');
      await new Promise(done => setTimeout(done, 600));  // it looks at once and after 300 ms
      const marked = times;
      canvas.style.width = '50%';
      canvas.closest('.secant-explorer').style.width = '80%';
      await new Promise(done => setTimeout(done, 300));
      canvas.closest('.secant-explorer').style.width = canvas.style.width = '';
      delete pen.clearRect;
      return [marked, times > marked];
    }"""
    assert opened.page.evaluate(drawn) == [0, True]


def test_copy_puts_call_and_numbers_into_the_clipboard(opened: Any) -> None:
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.explorer.get_by_role("button", name="복사" if opened.language == "ko" else "copy").click()
    # The confirmation appears next to the button.
    expect(opened.explorer.locator(".secant-copied .secant-note")).not_to_be_empty()
    lines = opened.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].startswith(f"explore(x={box(opened, X).input_value()}")
    assert any(text(opened, "gradient") in line for line in lines[1:])


def test_every_control_but_the_handles_has_a_name(opened: Any) -> None:
    """A screen reader reads the labels of the number boxes and the drop-down lists."""
    assert unnamed(opened.explorer) == 0


def test_axe_finds_no_serious_fault(opened: Any) -> None:
    assert faults(opened.page, ".secant-explorer") == []


def test_undefined_quotient_is_explained_on_the_page(opened: Any) -> None:
    quotient = opened.explorer.locator(".secant-quotient")
    before = quotient.inner_text()
    opened.explorer.locator("select").nth(1).select_option("float32")
    # Otherwise the kernel's answer may arrive between typing and Enter.
    expect(quotient).not_to_have_text(before)
    box(opened, H).fill("1e-8")
    box(opened, H).press("Enter")
    expect(quotient).to_have_text("nan")
    assert "0/0" in text(opened, "remarks")


def test_arrow_keys_choose_at_a_prediction_and_stay_in_its_cell(opened: Any) -> None:
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    opened.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(0)")
    buttons = opened.page.locator(".secant-prediction").first.locator("input[type=radio]")
    buttons.nth(0).focus()
    before = opened.page.evaluate(active)
    opened.page.keyboard.press("ArrowDown")
    expect(buttons.nth(1)).to_be_checked()
    expect(buttons.nth(1)).to_be_focused()
    assert opened.page.evaluate(active) == before
    opened.page.keyboard.press("Shift+Enter")
    opened.page.wait_for_function(f"before => ({active})() === before + 1", arg=before)


def test_escape_leads_from_a_box_to_its_cell(opened: Any) -> None:
    box(opened, X).focus()
    opened.page.keyboard.press("Escape")
    expect(opened.page.locator(".jp-Cell:focus .secant-explorer")).to_have_count(1)


def test_in_a_narrow_window_the_numbers_stay_inside(opened: Any) -> None:
    opened.page.set_viewport_size({"width": 720, "height": 800})
    opened.page.wait_for_function("() => document.querySelector('.secant-words').clientWidth < 440")
    over = "words => words.scrollWidth - words.clientWidth"
    assert opened.explorer.locator(".secant-words").evaluate(over) <= 0
    opened.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_question_and_its_figure_fit_on_one_screen(opened: Any) -> None:
    """A laptop has room for the numbers too; a small screen has room down to the legend."""
    page, explorer = opened.page, opened.explorer
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    for width, height, numbers in ((1440, 900, True), (1024, 768, False)):
        page.set_viewport_size({"width": width, "height": height})
        explorer.get_by_role("button", name="4", exact=True).click()
        expect(explorer.locator(".secant-question mjx-container").first).to_be_visible()
        expect(explorer.locator(".secant-words")).to_be_hidden()
        if numbers:
            explorer.get_by_role("button", name="값 보기" if opened.language == "ko" else "show the").click()
            expect(explorer.locator(".secant-words")).to_be_visible()
        expect(explorer.locator(".secant-picture")).not_to_have_class(re.compile("secant-stacked"))
        lab.wait_until_still(explorer, 0.3)
        room = lab.box(page.locator(".jp-NotebookPanel-notebook >> visible=true"))["height"]
        assert lab.box(explorer)["height"] <= room
        assert lab.box(explorer.locator(".secant-picture"))["width"] >= 600
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    explorer.get_by_role("button", name="처음으로" if opened.language == "ko" else "reset").click()
    expect(explorer.locator(".secant-question")).to_be_hidden()


def test_in_a_narrow_cell_the_plots_stand_one_above_another(opened: Any) -> None:
    picture = opened.explorer.locator(".secant-picture")
    opened.page.set_viewport_size({"width": 640, "height": 800})
    expect(picture).to_have_class(re.compile("secant-stacked"))
    narrow = lab.box(picture)
    assert narrow["height"] > 1.3 * narrow["width"]
    controls = opened.explorer.locator("input[type=number], select, .noUi-base")
    right = narrow["x"] + opened.explorer.evaluate("explorer => explorer.clientWidth")
    assert all(place["x"] + place["width"] <= right for place in map(lab.box, controls.all()))
    opened.page.set_viewport_size({"width": 1280, "height": 800})
    expect(picture).not_to_have_class(re.compile("secant-stacked"))


def test_no_request_leaves_the_machine(opened: Any) -> None:
    """Runs last, after all the page's requests. The page must also have reported no error of Secant."""
    assert [said for said in opened.trouble if "secant" in said or "anywidget" in said] == []
    strangers = [
        address
        for address in opened.asked
        if urlsplit(address).scheme not in ("data", "blob")
        and urlsplit(address).hostname not in ("127.0.0.1", "localhost")
    ]
    assert strangers == []
    assert any(urlsplit(address).scheme == "ws" for address in opened.asked)
