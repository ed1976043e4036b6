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
from tests.support.naming import count_unlabelled

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
CELLS = (
    "from secant import explore, predict",
    "explore()",
    'predict("which", A="the one", B="the other")',
)
X, H = 0, 1  # the sliders' indices in the explorer


@pytest.fixture(scope="module")
def view(lab_server: Any, window: Any) -> Iterator[Any]:
    """Open a notebook that contains only an explorer and a prediction; other tests open whole lessons.

    The server and the page are left as they were, because other modules use them too.
    """
    (lab_server.folder / "explorer").mkdir()
    name = "explorer/explorer.ipynb"
    lab.write_notebook(lab_server.folder / name, CELLS)
    page = window.page
    errors: list[str] = []
    with lab.running(page, lab_server.address, name):
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.locator(".secant-explorer img[src]").first.wait_for(timeout=60_000)
        # The explorer starts with float32, in which a small move of x may leave the shown quotient unchanged.
        page.locator(".secant-explorer").first.locator("select").nth(1).select_option("float64")
        lab.wait_until_still(page.locator(".secant-explorer").first)
        assert [session["path"] for session in lab.sessions(lab_server.address)] == [name]
        yield SimpleNamespace(
            page=page,
            explorer=page.locator(".secant-explorer").first,
            language=lab_server.language,
            requested=window.requested,
            errors=errors,
        )
    assert lab.sessions(lab_server.address) == []


def number(view: Any, name: str) -> Any:
    """Return a number that the kernel displays, such as the difference quotient (not a slider's value)."""
    return float(view.explorer.locator(f".secant-{name}").inner_text())


def box(view: Any, index: Any) -> Any:
    return view.explorer.locator("input[type=number]").nth(index)


def handle(view: Any, index: Any) -> Any:
    locator = view.explorer.locator(".noUi-handle").nth(index)
    locator.scroll_into_view_if_needed()
    return locator


def wait_for_kernel(view: Any, name: str, old: Any) -> None:
    """Wait until the kernel has changed the number with this name, and 600 ms more for its last update."""
    view.page.wait_for_function(
        "([name, old]) => document.querySelector(`.secant-explorer .secant-${name}`).innerText !== old",
        arg=[name, old],
    )
    view.page.wait_for_timeout(600)


def wait_for_rest(view: Any) -> None:
    """Wait until the sliders and the kernel's text stop changing, because a drag lags on a busy machine."""
    before = None
    while before != (before := [box(view, X).input_value(), box(view, H).input_value(), words(view)]):
        view.page.wait_for_timeout(600)


def position(view: Any, index: int) -> float:
    """Return a slider's position: x, or log10 of h."""
    value = float(box(view, index).input_value())
    return math.log10(value) if index == H else value


def words(view: Any) -> Any:
    return view.explorer.locator(".secant-words").inner_text()


def text(view: Any, name: str) -> Any:
    return view.explorer.locator(f".secant-{name}").inner_text()


def test_dragging_x_moves_the_tangent(view: Any) -> None:
    before = text(view, "gradient")
    lab.drag(view.page, handle(view, X), 0.25, steps=30)
    wait_for_kernel(view, "gradient", before)
    x = float(box(view, X).input_value())
    assert x == pytest.approx(3, abs=0.3)
    assert number(view, "gradient") == pytest.approx(3 / x, rel=1e-7)  # shown with 8 digits


def test_dragging_h_down_to_1e_5_brings_the_quotient_to_the_gradient(view: Any) -> None:
    """As h shrinks from about 3, the secant turns into the tangent; after the drag, the last value stays."""
    lab.drag(view.page, handle(view, H), 1.0)
    view.page.wait_for_timeout(600)
    far = number(view, "error")
    before = text(view, "error")
    lab.drag(view.page, handle(view, H), (15.5 - 5) / 16, steps=40)
    wait_for_kernel(view, "error", before)
    assert position(view, H) == pytest.approx(-5, abs=0.2)
    assert number(view, "error") < 1e-4 < 0.01 < far
    assert number(view, "quotient") == pytest.approx(number(view, "gradient"), rel=1e-4)


#: JavaScript that draws a part of the picture on a new canvas, and returns the pixels as a data URL.
PIXELS = """part => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [900, 400];
  canvas.getContext('2d').drawImage(document.querySelector(`.secant-picture ${part}`), 0, 0, 900, 400);
  return canvas.toDataURL();
}"""


def test_drag_redraws_the_overlay_and_updates_the_alt_text(view: Any) -> None:
    picture = view.explorer.locator("img")
    alt = picture.get_attribute("alt")
    before = {part: view.page.evaluate(PIXELS, part) for part in ("img", "canvas")}
    lab.drag(view.page, handle(view, X), 0.75)
    view.page.wait_for_function("([e, old]) => e.alt !== old", arg=[picture.element_handle(), alt])
    assert view.page.evaluate(PIXELS, "canvas") != before["canvas"]
    assert view.page.evaluate(PIXELS, "img") == before["img"]
    assert bool(re.search("[가-힣]", alt)) == (view.language == "ko")


def test_picture_has_the_screens_pixel_density(view: Any) -> None:
    """The image has two pixels per CSS pixel, and the canvas has exactly one per pixel of the screen."""
    assert view.page.evaluate("() => document.querySelector('.secant-explorer img').naturalWidth") == 1800
    assert view.page.evaluate(
        """() => [...document.querySelectorAll('.secant-picture canvas')].every(
          canvas => canvas.width === Math.round(canvas.clientWidth * devicePixelRatio))"""
    )


@pytest.mark.parametrize(
    ("index", "key", "direction"), [(X, "ArrowRight", 1), (X, "ArrowLeft", -1), (H, "ArrowLeft", -1)]
)
def test_the_arrow_keys_move_a_slider(view: Any, index: Any, key: str, direction: int) -> None:
    wait_for_rest(view)
    before = float(box(view, index).input_value())
    old = text(view, "quotient")
    handle(view, index).focus()
    for _ in range(3):
        view.page.keyboard.press(key)
    wait_for_kernel(view, "quotient", old)
    assert (float(box(view, index).input_value()) - before) * direction > 0


def test_number_typed_into_a_box_moves_the_explorer(view: Any) -> None:
    old = text(view, "gradient")
    box(view, X).fill("2")
    box(view, X).press("Enter")
    wait_for_kernel(view, "gradient", old)
    assert number(view, "gradient") == 1.5


def on_picture(view: Any, across: float, down: float = 0.5) -> tuple[float, float]:
    """Return the page coordinates of a point that is given in fractions of the picture's width and height."""
    picture = view.explorer.locator(".secant-picture img")
    picture.scroll_into_view_if_needed()
    bounds = lab.box(picture)
    return bounds["x"] + across * bounds["width"], bounds["y"] + down * bounds["height"]


def test_dragging_the_left_plot_moves_x_and_the_right_plot_h(view: Any) -> None:
    mouse = view.page.mouse
    for index, fractions in ((X, (0.3, 0.2)), (H, (0.9, 0.8))):
        before, old = position(view, index), text(view, "quotient")
        mouse.move(*on_picture(view, fractions[0]))
        mouse.down()
        for step in range(1, 21):
            mouse.move(*on_picture(view, fractions[0] + (fractions[1] - fractions[0]) * step / 20))
        mouse.up()
        wait_for_kernel(view, "quotient", old)
        after = position(view, index)
        assert after != before
        # The x axis goes from 0.6 to 9.4, and the axis of log10 h from -15.8 to 0.8; labels take the rest.
        assert after == pytest.approx(3.5, abs=0.3) if index == X else after == pytest.approx(-6.9, abs=0.5)


def test_arrow_keys_on_the_picture_move_x_and_h(view: Any) -> None:
    wait_for_rest(view)
    before = [position(view, index) for index in (X, H)]
    old = text(view, "quotient")
    view.explorer.locator(".secant-picture").focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowLeft", "ArrowUp"):
        view.page.keyboard.press(key)
    wait_for_kernel(view, "quotient", old)
    wait_for_rest(view)
    after = [position(view, index) for index in (X, H)]
    # The arrow keys move h by whole steps of its slider.
    assert after == pytest.approx([before[0] + 0.19, before[1] + 0.25], abs=0.04)


LAST_MODIFIED = "() => window.jupyterapp.shell.currentWidget.context.contentsModel.last_modified"


def save_by_key(view: Any) -> None:
    """Press Ctrl+S until the notebook is saved: JupyterLab ignores the key during an earlier save."""
    before = view.page.evaluate(LAST_MODIFIED)
    for _ in range(40):
        view.page.keyboard.press("Control+s")
        view.page.wait_for_timeout(250)
        if view.page.evaluate(LAST_MODIFIED) != before:
            return
    pytest.fail("Ctrl+S does not save")


@pytest.mark.parametrize("selector", [".secant-picture", "input[type=number]", "select", ".noUi-handle"])
def test_ctrl_s_saves_wherever_the_focus_is_in_an_explorer(view: Any, selector: str) -> None:
    view.explorer.locator(selector).first.focus()
    save_by_key(view)


def test_ctrl_s_saves_at_a_prediction_and_a_letter_is_no_command(view: Any) -> None:
    count = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
    cells = view.page.evaluate(count)
    view.page.locator(".secant-prediction input[type=radio]").first.focus()
    view.page.keyboard.press("b")
    save_by_key(view)
    assert view.page.evaluate(count) == cells


def test_unused_key_on_the_picture_reaches_jupyterlab(view: Any) -> None:
    """The picture uses the arrow keys, so they do not change the active cell; J and K do."""
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    view.page.mouse.click(*on_picture(view, 0.25))
    before = view.page.evaluate(active)
    for key in ("ArrowDown", "Shift+ArrowDown", "ArrowUp"):
        view.page.keyboard.press(key)
    wait_for_rest(view)
    assert view.page.evaluate(active) == before
    for key, cell in (("j", before + 1), ("k", before)):
        view.page.keyboard.press(key)
        view.page.wait_for_function(f"cell => ({active})() === cell", arg=cell)


def test_play_moves_h_until_a_control_is_touched(view: Any) -> None:
    """Play in the large steps of the reduced-motion setting, because a busy page lags behind small steps."""
    view.page.emulate_media(reduced_motion="reduce")
    view.page.wait_for_timeout(300)  # until the kernel has received the setting
    view.explorer.locator(".widget-toggle-button").click()
    handle(view, X).focus()
    for condition in ("> 0.1", "< 0.1"):  # play sets h to 1 first, whatever its value
        view.page.wait_for_function(
            f"() => document.querySelectorAll('.secant-explorer input[type=number]')[1].value {condition}",
            timeout=20_000,
        )
    view.page.keyboard.press("ArrowRight")
    play = view.explorer.locator(".widget-toggle-button")
    # Without the key press, play would end at h = 1e-4.
    expect(play).not_to_have_class(re.compile("mod-active"), timeout=20_000)
    wait_for_rest(view)
    assert 1.5e-4 < float(box(view, H).input_value()) < 0.1
    view.page.emulate_media(reduced_motion="no-preference")


def test_the_picture_follows_the_page_s_theme(view: Any) -> None:
    corner_colour = """() => {
      const image = document.querySelector('.secant-picture img'), canvas = document.createElement('canvas');
      canvas.getContext('2d').drawImage(image, 0, 0, 1, 1, 0, 0, 1, 1);
      return canvas.getContext('2d').getImageData(0, 0, 1, 1).data[0];
    }"""
    assert view.page.evaluate(corner_colour) == 255
    for theme, colour in (("Dark", 17), ("Light", 255)):
        change = f"jupyterapp.commands.execute('apputils:change-theme', {{theme: 'JupyterLab {theme}'}})"
        view.page.evaluate(change)
        view.page.wait_for_function(f"() => Math.abs(({corner_colour})() - {colour}) < 3", timeout=20_000)
    assert view.explorer.locator(".secant-legend").is_visible()


def test_class_change_on_the_body_redraws_nothing(view: Any) -> None:
    """A held slider changes the class of the page's body; a redraw for that would lag behind the drag."""
    script = """async () => {
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
    assert view.page.evaluate(script) == [0, True]


def test_copy_puts_call_and_numbers_into_the_clipboard(view: Any) -> None:
    view.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view.explorer.get_by_role("button", name="복사" if view.language == "ko" else "copy").click()
    # The confirmation appears next to the button.
    expect(view.explorer.locator(".secant-copied .secant-note")).not_to_be_empty()
    lines = view.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].startswith(f"explore(x={box(view, X).input_value()}")
    assert any(text(view, "gradient") in line for line in lines[1:])


def test_every_control_but_the_handles_has_a_name(view: Any) -> None:
    """A screen reader reads the labels of the number boxes and the drop-down lists."""
    assert count_unlabelled(view.explorer) == 0


def test_axe_finds_no_serious_fault(view: Any) -> None:
    assert faults(view.page, ".secant-explorer") == []


def test_undefined_quotient_is_explained_on_the_page(view: Any) -> None:
    quotient = view.explorer.locator(".secant-quotient")
    before = quotient.inner_text()
    view.explorer.locator("select").nth(1).select_option("float32")
    # Without this wait, the kernel's update may arrive between typing and Enter.
    expect(quotient).not_to_have_text(before)
    box(view, H).fill("1e-8")
    box(view, H).press("Enter")
    expect(quotient).to_have_text("nan")
    assert "0/0" in text(view, "remarks")


def test_arrow_keys_choose_at_a_prediction_and_stay_in_its_cell(view: Any) -> None:
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    view.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(0)")
    buttons = view.page.locator(".secant-prediction").first.locator("input[type=radio]")
    buttons.nth(0).focus()
    before = view.page.evaluate(active)
    view.page.keyboard.press("ArrowDown")
    expect(buttons.nth(1)).to_be_checked()
    expect(buttons.nth(1)).to_be_focused()
    assert view.page.evaluate(active) == before
    view.page.keyboard.press("Shift+Enter")
    view.page.wait_for_function(f"before => ({active})() === before + 1", arg=before)


def test_escape_leads_from_a_box_to_its_cell(view: Any) -> None:
    box(view, X).focus()
    view.page.keyboard.press("Escape")
    expect(view.page.locator(".jp-Cell:focus .secant-explorer")).to_have_count(1)


def test_in_a_narrow_window_the_numbers_stay_inside(view: Any) -> None:
    view.page.set_viewport_size({"width": 720, "height": 800})
    view.page.wait_for_function("() => document.querySelector('.secant-words').clientWidth < 440")
    overflow = "words => words.scrollWidth - words.clientWidth"
    assert view.explorer.locator(".secant-words").evaluate(overflow) <= 0
    view.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_question_and_its_figure_fit_on_one_screen(view: Any) -> None:
    """On a laptop, the numbers must fit too; on a smaller screen, everything down to the legend."""
    page, explorer = view.page, view.explorer
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    for width, height, with_numbers in ((1440, 900, True), (1024, 768, False)):
        page.set_viewport_size({"width": width, "height": height})
        explorer.get_by_role("button", name="4", exact=True).click()
        expect(explorer.locator(".secant-question mjx-container").first).to_be_visible()
        expect(explorer.locator(".secant-words")).to_be_hidden()
        if with_numbers:
            explorer.get_by_role("button", name="값 보기" if view.language == "ko" else "show the").click()
            expect(explorer.locator(".secant-words")).to_be_visible()
        expect(explorer.locator(".secant-picture")).not_to_have_class(re.compile("secant-stacked"))
        lab.wait_until_still(explorer, 0.3)
        available_height = lab.box(page.locator(".jp-NotebookPanel-notebook >> visible=true"))["height"]
        assert lab.box(explorer)["height"] <= available_height
        assert lab.box(explorer.locator(".secant-picture"))["width"] >= 600
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    explorer.get_by_role("button", name="처음으로" if view.language == "ko" else "reset").click()
    expect(explorer.locator(".secant-question")).to_be_hidden()


def test_in_a_narrow_cell_the_plots_stand_one_above_another(view: Any) -> None:
    picture = view.explorer.locator(".secant-picture")
    view.page.set_viewport_size({"width": 640, "height": 800})
    expect(picture).to_have_class(re.compile("secant-stacked"))
    picture_box = lab.box(picture)
    assert picture_box["height"] > 1.3 * picture_box["width"]
    controls = view.explorer.locator("input[type=number], select, .noUi-base")
    right_edge = picture_box["x"] + view.explorer.evaluate("explorer => explorer.clientWidth")
    assert all(bounds["x"] + bounds["width"] <= right_edge for bounds in map(lab.box, controls.all()))
    view.page.set_viewport_size({"width": 1280, "height": 800})
    expect(picture).not_to_have_class(re.compile("secant-stacked"))


def test_no_request_leaves_the_machine(view: Any) -> None:
    """Runs last, after all the page's requests. The page must also have reported no error of Secant."""
    assert [error for error in view.errors if "secant" in error or "anywidget" in error] == []
    external = [
        address
        for address in view.requested
        if urlsplit(address).scheme not in ("data", "blob")
        and urlsplit(address).hostname not in ("127.0.0.1", "localhost")
    ]
    assert external == []
    assert any(urlsplit(address).scheme == "ws" for address in view.requested)
