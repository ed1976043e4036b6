"""Sliders and dropdown lists that screen readers can name; each slider also has a text box for its number."""

import math
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
from traitlets import CFloat

from secant.explorers.kit import buttons, words
from secant.explorers.kit.canvas import throttled
from secant.explorers.kit.ranges import LOG_H, Range, clamp
from secant.language import say

NAME = {"description_width": "60px"}
# Controls are side by side if there is room, otherwise one below another, and never wider than the page.
LIST = {"flex": "1 1 190px", "width": "auto", "max_width": "220px"}
ROW = {"flex": "1 1 270px", "max_width": "420px"}
TRACK = {"flex": "1 1 110px", "width": "auto", "max_width": "260px"}
STEP = 1 / 16  # distance between adjacent positions of the slider for h, in decades


def button(text: str, action: Callable[[], None], tooltip: str = "") -> widgets.Button:
    """Return a button labelled with the code that it runs, in a monospaced font."""
    widget = buttons.button(text, action, tooltip)
    widget.style.font_family = "monospace"
    return widget


class Choice(widgets.Dropdown):
    """A dropdown list whose selection is an argument of an explorer's call."""

    @property
    def first(self) -> Any:
        """The value of the first option."""
        return self._options_values[0]

    @property
    def argument(self) -> Any:
        """The selected value, as an argument of the explorer's call."""
        return self.value

    @argument.setter
    def argument(self, value: Any) -> None:
        self.value = value


class Slider(widgets.FloatSlider):
    """A slider whose value the kernel does not echo to the page, to save one message per frame."""

    value = CFloat(0.0).tag(sync=True, echo_update=False)
    exact_position = 0.0
    name = ""  # the label of the slider's text box
    # A function that tells the user that an argument is out of range, and which value is used instead.
    refuse: Callable[[float], None]

    @staticmethod
    def position_of(argument: float) -> float:
        """Return the position of the slider's handle for an argument of the explorer's call."""
        return argument

    @staticmethod
    def argument_at(position: float) -> float:
        """Return the argument of the explorer's call for a position of the slider's handle."""
        return position

    def choose(self, number: float) -> None:
        """Set the slider to a given position, which may lie between two steps.

        The page moves the handle to the nearest step, but `number` keeps returning the given position.
        """
        self.exact_position = number
        if self.value == number:
            self.notify_change(
                {"name": "value", "type": "change", "owner": self, "old": number, "new": number}
            )
        self.value = number

    @property
    def number(self) -> float:
        """The position last given to `choose`, or that of the handle if the handle has since been moved."""
        steps = math.floor((self.exact_position - self.min) / self.step + 0.5)
        nearest = min(self.min + steps * self.step, self.max)
        is_at_step = self.value == self.exact_position or abs(self.value - nearest) < 1e-6 * self.step
        if is_at_step:
            return self.exact_position
        # The page computes in floating point, and may send 1e-17 for 0.
        return 0.0 if abs(self.value) < 1e-6 * self.step else round_to_six_digits(self.value)

    @property
    def argument(self) -> float:
        """The chosen value, as an argument of the explorer's call."""
        return self.argument_at(self.number)

    @argument.setter
    def argument(self, value: float) -> None:
        position = self.position_of(value)
        nearest = clamp(position, (self.min, self.max))
        self.choose(nearest)
        if nearest != position:
            self.refuse(value)

    @property
    def arguments(self) -> Range:
        """The smallest and the largest argument that the slider can choose."""
        return round_to_six_digits(self.argument_at(self.min)), round_to_six_digits(
            self.argument_at(self.max)
        )

    @property
    def display_value(self) -> float:
        """The argument as shown in the text box."""
        return round_to_six_digits(self.argument)

    def move_by(self, steps: int) -> None:
        """Move the handle by a number of steps, but not past the ends."""
        self.move_to(self.value + steps * self.step)

    def move_to(self, value: float) -> None:
        """Move the handle to the step nearest to a position, as a drag does."""
        nearest = self.min + round((value - self.min) / self.step) * self.step
        self.choose(round_to_six_digits(clamp(nearest, (self.min, self.max))))


class StepSlider(Slider):
    """A logarithmic slider for h: its position is log10(h), and its text box and argument hold h."""

    @staticmethod
    def position_of(argument: float) -> float:
        return log_of(argument) if argument > 0 else -math.inf

    @staticmethod
    def argument_at(position: float) -> float:
        return float(10**position)

    @property
    def display_value(self) -> float:
        """The value of h in the text box, rounded to three digits if log10(h) is a multiple of STEP."""
        steps = self.number / STEP
        return float(f"{self.argument:.3g}") if steps == round(steps) else round_to_six_digits(self.argument)


def choice(name: str, options: list[str] | list[tuple[str, Any]], value: Any) -> Choice:
    """Return a dropdown list. Unlike toggle buttons, it gives a screen reader its name and its selection.

    Args:
        name: the label in front of the list.
        options: the labels of the options, or (label, value) pairs.
        value: the initially selected value.
    """
    return Choice(options=options, value=value, description=name, style=NAME, layout=LIST)


def slider(
    name: str, value: float, ends: Range, step: float | None = None, kind: type[Slider] = Slider
) -> tuple[Slider, widgets.Widget]:
    """Return a slider, and a row of widgets that holds the slider and a text box for its number.

    The label belongs to the text box, because a screen reader finds no name on a slider's handle. A typed
    number outside the range is refused, and an initial value outside the range is moved to the nearest end. A
    message below the slider reports either case.

    Args:
        name: the label of the text box.
        value: the initial argument.
        ends: the first and the last position of the slider.
        step: the distance between adjacent positions; by default a power of ten that makes 400 to 4000 steps.
        kind: the class of the slider.
    """
    step = step or _round_step(*ends)
    handle = kind(readout=False, layout=TRACK, min=ends[0], max=ends[1], step=step)
    handle.name = name
    low, high = handle.arguments
    box = widgets.FloatText(
        step=step if kind is Slider else None,
        description=name,
        tooltip=say(en=f"{name}: from {low:g} to {high:g}", ko=f"{name}: {low:g}에서 {high:g}까지"),
        style=NAME,
        layout={"width": "150px"},
    )
    note = widgets.HTML()

    def show_message(message: str) -> None:
        note.value = message
        note.layout.display = None if message else "none"

    def refuse(number: float) -> None:
        show_message(_refusal(name, number, (low, high), handle.display_value))

    def update_box() -> None:
        box.value = handle.display_value

    def update_slider(_: object) -> None:
        if box.value == handle.display_value:
            return
        position = handle.position_of(box.value)
        if clamp(position, ends) == position:
            handle.choose(position)
        else:
            refuse(box.value)
            update_box()

    show_message("")
    handle.refuse = refuse
    handle.argument = value
    update_box()
    # The kernel links the slider to the text box, because a link in the page would also send each change of
    # the text box to the kernel.
    throttled_update_box = throttled(update_box)
    handle.observe(lambda _: throttled_update_box(), "value")
    handle.observe(lambda _: show_message(""), "value")
    box.observe(update_slider, "value")
    pair = widgets.HBox([box, handle], layout={"flex_flow": "row wrap"})
    return handle, widgets.VBox([pair, note], layout=ROW)


def _refusal(name: str, number: float, ends: Range, current: float) -> str:
    low, high, number, current = map(round_to_six_digits, (*ends, number, current))
    sentence = say(
        en=f"{name} = {number:g} is out of range: here it goes from {low:g} to {high:g}. "
        f"Now it is {current:g}.",
        ko=f"{name} = {number:g}: 범위를 벗어납니다. 여기서는 {low:g}에서 {high:g}까지 고를 수 있습니다. "
        f"지금 값은 {current:g}입니다.",
    )
    return words.problems([sentence])


def step_slider(h: float, log_h: Range = LOG_H) -> tuple[Slider, widgets.Widget]:
    """Return a slider for h, and the row of widgets that holds it; see `slider`."""
    return slider("h", h, log_h, STEP, StepSlider)


def log_of(h: float) -> float:
    """Return log10(h), or the slider's nearest position if that gives the same h to six digits."""
    log_h = math.log10(h)
    step = round(log_h / STEP) * STEP
    return step if abs(log_h - step) < 3e-6 else log_h


def _round_step(low: float, high: float) -> float:
    """Return a power of ten that divides a range into 400 to 4000 steps."""
    return float(10.0 ** math.floor(math.log10((high - low) / 400)))


def round_to_six_digits(number: float) -> float:
    """Round a number to six digits, because the page's slider may send 5.3500000000000005 for 5.35."""
    return float(f"{number:.6g}")
