"""Where a slider's picture is drawn: what stands still once, as an image, and what moves as strokes.

A figure drawn anew costs 30 ms to 140 ms, which is no drag a hand can follow. A frame is a few kilobytes of
paths instead: the page has the image already, and strokes them over it.
"""

import asyncio
import io
import math
import time
from collections.abc import Callable, Sequence

from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from secant.explorers.kit.strokes import Recorder, Stroke

WIDTH, HEIGHT = 9.0, 4.0  # inches
DPI = 100  # the page's pixels to the inch
SHARP, SHARPEST = 2, 4  # dots to the page's pixel: a picture on a narrow page stays sharp, too
READING = 0.2  # seconds that a number stands in a drag, so that an eye can read it


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """Return an empty figure for a stage, in inches, known to no pyplot and to no backend but Agg."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


class Stage:
    """A figure redrawn fast enough to follow a slider: what stands still once, what moves on every frame."""

    def __init__(self, figure: Figure, moving: Sequence[Artist], density: float = 1) -> None:
        """Take a figure of `new_figure`, those of its axes' artists that move, and the screen's density."""
        self.figure = figure
        self.moving = sorted(moving, key=lambda artist: artist.get_zorder())
        for artist in self.moving:
            artist.set_animated(True)  # a canvas draws animated artists only when asked, or when saving
        self.canvas = FigureCanvasAgg(figure)
        figure.set_dpi(DPI * min(max(density, SHARP), SHARPEST))

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and height of the still image in its pixels, the unit of the strokes."""
        width, height = self.canvas.get_width_height(physical=True)
        return width, height

    def still(self) -> bytes:
        """Return what stands still, as a PNG."""
        self.canvas.draw()
        pixels = Image.frombuffer("RGBX", self.size, self.canvas.buffer_rgba(), "raw", "RGBX", 0, 1)
        encoded = io.BytesIO()
        pixels.convert("RGB").save(encoded, "PNG", compress_level=1)
        return encoded.getvalue()

    def frame(self) -> list[Stroke]:
        """Return what moves, in pixels of the still image, from below."""
        recorder = Recorder(*self.size, self.figure.dpi)
        for artist in self.moving:
            if artist.axes is not None and artist.axes.get_visible():
                artist.draw(recorder)
        return recorder.strokes


def event_loop() -> asyncio.AbstractEventLoop | None:
    """Return the kernel's loop; where there is none, there is no page to look at either."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def soon(action: Callable[[], None]) -> Callable[[], None]:
    """Return a call of `action` that acts once the kernel has answered its page, once for many calls.

    A page's slider waits for the answer: so its next value is on its way while this one's frame is drawn.
    """
    waiting = False

    def act() -> None:
        nonlocal waiting
        waiting = False
        action()

    def call() -> None:
        nonlocal waiting
        if (loop := event_loop()) is None:
            act()
        elif not waiting:
            waiting = True
            loop.call_soon(act)

    return call


def seldom(action: Callable[[], None], seconds: float = READING) -> Callable[[], None]:
    """Return a call of `action`, for what is read, not watched, that acts at most once in so many seconds.

    The first call takes effect at once, the last one always. Each message saved leaves time for a frame, and
    a screen reader is not flooded.
    """
    last = -math.inf
    waiting = False

    def act() -> None:
        nonlocal last, waiting
        last, waiting = time.monotonic(), False
        action()

    def call() -> None:
        nonlocal waiting
        pause = last + seconds - time.monotonic()
        loop = event_loop()
        if pause <= 0 or loop is None:
            act()
        elif not waiting:
            waiting = True
            loop.call_later(pause, act)

    return call


def png(figure: Figure) -> bytes:
    """Return a figure, its moving artists included, as a PNG."""
    encoded = io.BytesIO()
    figure.savefig(encoded, format="png", dpi=DPI)
    return encoded.getvalue()
