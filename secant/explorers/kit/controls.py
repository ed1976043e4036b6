"""Sliders and lists, each with a name that a screen reader finds and a box to type the same number into."""

import math
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
from traitlets import CFloat

from secant.explorers.kit import buttons, words
from secant.explorers.kit.canvas import seldom
from secant.explorers.kit.ranges import LOG_H, Range, clamp
from secant.language import say

NAME = {"description_width": "60px"}
# Side by side as long as there is room, then below one another, and never wider than the page.
LIST = {"flex": "1 1 190px", "width": "auto", "max_width": "220px"}
ROW = {"flex": "1 1 270px", "max_width": "420px"}
TRACK = {"flex": "1 1 110px", "width": "auto", "max_width": "260px"}
STEP = 1 / 16  # of a step's slider, in powers of ten


def button(text: str, action: Callable[[], None], tooltip: str = "") -> widgets.Button:
    """Return a button that says in code what it does."""
    made = buttons.button(text, action, tooltip)
    made.style.font_family = "monospace"
    return made


class Choice(widgets.Dropdown):
    """A list to choose from."""

    @property
    def first(self) -> Any:
        """What stands first in it."""
        return self._options_values[0]

    @property
    def argument(self) -> Any:
        """What was chosen, as an explorer's argument."""
        return self.value

    @argument.setter
    def argument(self, value: Any) -> None:
        self.value = value


class Slider(widgets.FloatSlider):
    """A slider whose value does not come back to the page: one message less for each frame."""

    value = CFloat(0.0).tag(sync=True, echo_update=False)
    chosen = 0.0
    name = ""  # as its box says
    refuse: Callable[[float], None]  # says of an argument that it is out of range, and where it went instead

    @staticmethod
    def position_of(argument: float) -> float:
        """Return where the handle stands for an argument."""
        return argument

    @staticmethod
    def argument_at(position: float) -> float:
        """Return the argument for which the handle stands at a position."""
        return position

    def choose(self, number: float) -> None:
        """Take a position as it was given or typed, beside which the page's handle finds a whole step."""
        self.chosen = number
        if self.value == number:
            self.notify_change(
                {"name": "value", "type": "change", "owner": self, "old": number, "new": number}
            )
        self.value = number

    @property
    def number(self) -> float:
        """The chosen position, as long as the page's handle stands where it puts it; else the handle's."""
        steps = math.floor((self.chosen - self.min) / self.step + 0.5)
        nearest = min(self.min + steps * self.step, self.max)
        at_it = self.value == self.chosen or abs(self.value - nearest) < 1e-6 * self.step
        if at_it:
            return self.chosen
        # The page counts in floats, and may say 1e-17 where it means 0.
        return 0.0 if abs(self.value) < 1e-6 * self.step else short(self.value)

    @property
    def argument(self) -> float:
        """What was chosen, as an explorer's argument."""
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
        """The arguments at both ends."""
        return short(self.argument_at(self.min)), short(self.argument_at(self.max))

    @property
    def shown(self) -> float:
        """The argument as the box shows it."""
        return short(self.argument)

    def go(self, steps: int) -> None:
        """Go so many steps from where it stands, as far as it goes."""
        self.put(self.value + steps * self.step)

    def put(self, value: float) -> None:
        """Go to the step that is nearest to a position, as the handle does."""
        nearest = self.min + round((value - self.min) / self.step) * self.step
        self.choose(short(clamp(nearest, (self.min, self.max))))


class StepSlider(Slider):
    """A logarithmic slider for h: its position is log10 h, its box and its argument are h."""

    @staticmethod
    def position_of(argument: float) -> float:
        return log_of(argument) if argument > 0 else -math.inf

    @staticmethod
    def argument_at(position: float) -> float:
        return float(10**position)

    @property
    def shown(self) -> float:
        """h, to three digits where it is a step of the slider: more would only be in the way of reading."""
        steps = self.number / STEP
        return float(f"{self.argument:.3g}") if steps == round(steps) else short(self.argument)


def choice(name: str, options: list[str] | list[tuple[str, Any]], value: Any) -> Choice:
    """Return a list to choose from, which tells a screen reader its name and choice, as buttons do not.

    Args:
        name: what stands before it.
        options: what is shown, or (what is shown, what `value` then is).
        value: what is chosen at first.
    """
    return Choice(options=options, value=value, description=name, style=NAME, layout=LIST)


def slider(
    name: str, value: float, ends: Range, step: float | None = None, kind: type[Slider] = Slider
) -> tuple[Slider, widgets.Widget]:
    """Return a slider and a row that holds it beside a box to type the same number into.

    The box carries the label: a screen reader finds no name on the handle of a slider. What is typed outside
    the ends is refused in words below, and a value given outside is moved to an end, in words too. Without a
    step there are some hundreds of round ones.
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

    def write(said: str) -> None:
        note.value = said
        note.layout.display = None if said else "none"

    def refuse(number: float) -> None:
        write(_refusal(name, number, (low, high), handle.shown))

    def follow() -> None:
        box.value = handle.shown

    def lead(_: object) -> None:
        if box.value == handle.shown:
            return
        position = handle.position_of(box.value)
        if clamp(position, ends) == position:
            handle.choose(position)
        else:
            refuse(box.value)
            follow()

    write("")
    handle.refuse = refuse
    handle.argument = value
    follow()
    # Linked here, not in the page: there the box would send its every change to the kernel too.
    follow_seldom = seldom(follow)
    handle.observe(lambda _: follow_seldom(), "value")
    handle.observe(lambda _: write(""), "value")
    box.observe(lead, "value")
    pair = widgets.HBox([box, handle], layout={"flex_flow": "row wrap"})
    return handle, widgets.VBox([pair, note], layout=ROW)


def _refusal(name: str, number: float, ends: Range, now: float) -> str:
    low, high, number, now = map(short, (*ends, number, now))
    sentence = say(
        en=f"{name} = {number:g} is out of range: here it goes from {low:g} to {high:g}. Now it is {now:g}.",
        ko=f"{name} = {number:g}: 범위를 벗어납니다. 여기서는 {low:g}에서 {high:g}까지 고를 수 있습니다. "
        f"지금 값은 {now:g}입니다.",
    )
    return words.problems([sentence])


def step_slider(h: float, log_h: Range = LOG_H) -> tuple[Slider, widgets.Widget]:
    """Return the slider for h and its row; see `slider`."""
    return slider("h", h, log_h, STEP, StepSlider)


def log_of(h: float) -> float:
    """Return log10 h; a step of the slider, where h is one to the six digits that are shown of it."""
    log_h = math.log10(h)
    step = round(log_h / STEP) * STEP
    return step if abs(log_h - step) < 3e-6 else log_h


def _round_step(low: float, high: float) -> float:
    """Return a power of ten that divides a range into some hundreds of steps."""
    return float(10.0 ** math.floor(math.log10((high - low) / 400)))


def short(number: float) -> float:
    """Undo the page's rounding: its slider counts in per cent, and may say 5.3500000000000005 for 5.35."""
    return float(f"{number:.6g}")
