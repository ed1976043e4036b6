"""Sliders and lists, each with a name that a screen reader finds and a box to type the same number into."""

import math
from typing import Any

import ipywidgets as widgets
from traitlets import CFloat

from secant.explorers.kit.canvas import seldom
from secant.explorers.kit.ranges import LOG_H, Range

NAME = {"description_width": "60px"}


def choice(name: str, options: list[str] | list[tuple[str, Any]], value: Any) -> widgets.Dropdown:
    """Return a list to choose from, which tells a screen reader its name and choice, as buttons do not.

    Args:
        name: what stands before it.
        options: what is shown, or (what is shown, what `value` then is).
        value: what is chosen at first.
    """
    return widgets.Dropdown(
        options=options, value=value, description=name, style=NAME, layout={"width": "220px"}
    )


def button(text: str) -> widgets.Button:
    """Return a button that says in code what it does."""
    return widgets.Button(description=text, layout={"width": "auto"}, style={"font_family": "monospace"})


class _Slider(widgets.FloatSlider):
    """A slider whose value does not come back to the page: one message less for each frame."""

    value = CFloat(0.0).tag(sync=True, echo_update=False)


def slider(
    name: str, value: float, ends: Range, step: float | None = None
) -> tuple[widgets.FloatSlider, widgets.Widget]:
    """Return a slider and a row that holds it beside a box to type the same number into.

    The box carries the label: a screen reader finds no name on the handle of a slider. Read the slider's
    number through `short`. Without a step there are some hundreds of round ones.
    """
    limits = {"value": short(value), "min": ends[0], "max": ends[1], "step": step or _round_step(*ends)}
    handle = _Slider(readout=False, layout={"width": "260px"}, **limits)
    box = widgets.BoundedFloatText(description=name, style=NAME, layout={"width": "150px"}, **limits)

    def follow() -> None:
        box.value = short(handle.value)

    def lead(_: object) -> None:
        if box.value != short(handle.value):
            handle.value = box.value

    # Linked here, not in the page: there the box would send its every change to the kernel too.
    follow_seldom = seldom(follow)
    handle.observe(lambda _: follow_seldom(), "value")
    box.observe(lead, "value")
    return handle, widgets.HBox([box, handle])


def step_slider(h: float, log_h: Range = LOG_H) -> tuple[widgets.FloatSlider, widgets.Widget]:
    """Return the slider for log10 h and its row; see `slider`."""
    return slider("log₁₀ h", math.log10(h), log_h, 1 / 16)


def _round_step(low: float, high: float) -> float:
    """Return a power of ten that divides a range into some hundreds of steps."""
    return float(10.0 ** math.floor(math.log10((high - low) / 400)))


def short(number: float) -> float:
    """Undo the page's rounding: its slider counts in per cent, and may say 5.3500000000000005 for 5.35."""
    return float(f"{number:.6g}")


def step_of(log_h: widgets.FloatSlider) -> float:
    """Return the step h that a slider of `step_slider` stands at."""
    return float(10 ** short(log_h.value))
