"""A button that plays a step's slider from 1 down to 1e-12 or its end, in the kernel's loop, till touched."""

import asyncio
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from secant.explorers.kit.canvas import event_loop
from secant.explorers.kit.controls import STEP, Slider
from secant.explorers.kit.ranges import clamp
from secant.language import say

START, END = 0.0, -12.0  # log10 of h
PACE = STEP, 1 / 24  # how far, and after how many seconds: a decade takes two thirds of one
SLOW = 1.0, 1.5  # for those whose system asks for less motion


class Play:
    """The button, and what it does to the slider."""

    def __init__(self, slider: Slider, slow: Callable[[], bool]) -> None:
        """Take a slider for log10 h, and how to learn whether less motion is asked for."""
        self.slider, self.slow = slider, slow
        end = f"{10**self._low:.3g}"
        self.button = widgets.ToggleButton(
            description=say(en="play h", ko="h 재생"),
            tooltip=say(en=f"h from 1 down to {end}", ko=f"h를 1에서 {end}까지"),
            icon="play",
            layout={"width": "auto"},
        )
        self.button.observe(self._pressed, "value")
        self._moving, self._at = False, START
        self._next: asyncio.TimerHandle | None = None

    @property
    def _low(self) -> float:
        return max(float(self.slider.min), END)

    def touched(self, change: Any) -> None:
        """Stop, as a control has changed; a page that rounds where the slider was put is no touch."""
        own = getattr(change, "owner", None) is self.slider and abs(change.new - self._at) < STEP / 2
        if self.button.value and not self._moving and not own:
            self.button.value = False

    def _pressed(self, change: Any) -> None:
        self.button.icon = "stop" if change.new else "play"
        if self._next is not None:
            self._next.cancel()
        if change.new:
            self._put(START)

    def _put(self, log_h: float) -> None:
        """Put the slider there, and go on from there after a while."""
        self._at = clamp(log_h, (self._low, self.slider.max))
        self._moving = True
        try:
            self.slider.put(self._at)
        finally:
            self._moving = False
        loop = event_loop()
        if loop is None or self._at <= self._low:
            self.button.value = False
            return
        far, wait = SLOW if self.slow() else PACE
        self._next = loop.call_later(wait, self._put, self._at - far)
