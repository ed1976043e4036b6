"""A button that moves the slider for h on a timer, until the user touches a control.

The first press moves h from 1 to 1e-4, where the secant looks like the tangent. A press while h is 1e-4 moves
h on to 1e-12, where rounding errors are visible.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from secant.explorers.kit.canvas import event_loop
from secant.explorers.kit.controls import STEP, Slider
from secant.explorers.kit.ranges import clamp
from secant.language import say

# log10(h) at three points of the animation: where it starts, where it ends after the first press of the play
# button, and where it ends after the second press.
START, NEAR, END = 0.0, -4.0, -12.0
#: Seconds per decade of h. Each key is a lower limit of log10(h), and the first key below log10(h) applies.
#: The animation is slow while the secant visibly differs from the tangent.
PACE = {-2.0: 1.75, NEAR: 0.75, -math.inf: 0.67}
SLOW = 1.0, 1.5  # decades per step and seconds between steps, if the system asks for reduced motion


class Play:
    """The play button, and the timer that moves the slider."""

    def __init__(self, slider: Slider, reduced_motion: Callable[[], bool]) -> None:
        """Create the button.

        Args:
            slider: the slider for h.
            reduced_motion: a function that returns whether the system asks for reduced motion.
        """
        self.slider, self.reduced_motion = slider, reduced_motion
        self.button = widgets.ToggleButton(
            description=say(en="play h", ko="h 재생"),
            tooltip=self._tooltip(),
            icon="play",
            layout={"width": "auto"},
        )
        self.button.observe(self._on_press, "value")
        self._is_moving, self._position, self._goal = False, START, NEAR
        self._timer: asyncio.TimerHandle | None = None

    @property
    def _near_end(self) -> float:
        return max(self._far_end, NEAR)

    @property
    def _far_end(self) -> float:
        return max(float(self.slider.min), END)

    def _tooltip(self) -> str:
        near, end = f"{10**self._near_end:.3g}", f"{10**self._far_end:.3g}"
        first = say(en=f"h from 1 down to {near}", ko=f"h를 1에서 {near}까지")
        if self._far_end >= self._near_end:
            return first
        return first + say(en=f"; press again to go on down to {end}", ko=f", 다시 누르면 이어서 {end}까지")

    def on_change(self, change: Any) -> None:
        """Stop playing when a control changes, unless the page has merely rounded the slider's position."""
        is_own_change = (
            getattr(change, "owner", None) is self.slider and abs(change.new - self._position) < STEP / 2
        )
        if self.button.value and not self._is_moving and not is_own_change:
            self.button.value = False

    def _on_press(self, change: Any) -> None:
        self.button.icon = "stop" if change.new else "play"
        if self._timer is not None:
            self._timer.cancel()
        if change.new:
            continues = self._far_end < self._near_end and abs(self.slider.value - self._near_end) < STEP / 2
            self._goal = self._far_end if continues else self._near_end
            self._move_on(self.slider.value if continues else START)

    def _move_on(self, log_h: float) -> None:
        """Set the slider to a position, and schedule the next step."""
        self._position = clamp(log_h, (self._far_end, self.slider.max))
        self._is_moving = True
        try:
            self.slider.move_to(self._position)
        finally:
            self._is_moving = False
        loop = event_loop()
        if loop is None or self._position <= self._goal:
            self.button.value = False
            return
        distance, wait = SLOW if self.reduced_motion() else (STEP, STEP * _decade_seconds(self._position))
        self._timer = loop.call_later(wait, self._move_on, self._position - distance)


def _decade_seconds(log_h: float) -> float:
    return next(seconds for low, seconds in PACE.items() if log_h > low)
