"""Where a slider's picture is drawn: a background once, then only what moves.

A figure drawn anew costs 30 ms to 140 ms, which is no drag a hand can follow. Here one frame is a copy of
the background's pixels, the few artists that move, and one small image for the browser: 3 ms. When the hand
rests, one sharp image follows.
"""

import asyncio
import contextlib
import io
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

WIDTH, HEIGHT = 9.0, 4.0  # inches
# Dots to the inch: of the page; of a frame in a drag, quick to draw and no softer to the eye.
DPI, QUICK_DPI = 100, 90
SHARP, SHARPEST = 2, 4  # dots to the page's pixel at rest: a picture on a narrow page stays sharp, too
REST = 0.25  # seconds without a frame until the hand is taken to rest
READING = 0.2  # seconds that a number stands in a drag, so that an eye can read it
# Of the JPEG in a drag: half the work and two thirds of the bytes of the one at rest.
QUICK = {"quality": 80, "subsampling": "4:2:0"}
FINE = {"quality": 92, "subsampling": "4:4:4"}


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """Return an empty figure for a stage, in inches, known to no pyplot and to no backend but Agg."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


class Stage:
    """A figure redrawn fast enough to follow a slider: what stands still once, what moves on every frame."""

    def __init__(self, figure: Figure, moving: Sequence[Artist]) -> None:
        """Take a figure of `new_figure` and those of its axes' artists that move between frames."""
        self.figure = figure
        self.moving = sorted(moving, key=lambda artist: artist.get_zorder())
        for artist in self.moving:
            artist.set_animated(True)  # a canvas draws animated artists only when asked, or when saving
        self.canvas = FigureCanvasAgg(figure)
        figure.set_dpi(QUICK_DPI)

    def set_scene(self) -> None:
        """Draw what stands still and keep its pixels."""
        self.canvas.draw()
        self._background = self.canvas.copy_from_bbox(self.figure.bbox)

    def frame(self) -> bytes:
        """Return the scene with everything that moves drawn over it, as a JPEG."""
        self.canvas.restore_region(self._background)
        return self._drawn_over(QUICK)

    def sharp(self, density: float = 1) -> bytes:
        """Return the same for a screen of so many dots to the page's pixel, everything in its place."""
        layout = self.figure.get_layout_engine()
        self.figure.set_layout_engine("none")  # letters of another size would move the axes by some pixels
        self.figure.set_dpi(DPI * min(max(density, SHARP), SHARPEST))
        self.canvas.draw()
        image = self._drawn_over(FINE)
        self.figure.set_dpi(QUICK_DPI)
        self.figure.set_layout_engine(layout)
        return image

    def _drawn_over(self, options: Mapping[str, Any]) -> bytes:
        renderer = self.canvas.get_renderer()
        for artist in self.moving:
            if artist.axes is not None and artist.axes.get_visible():
                artist.draw(renderer)
        size = self.canvas.get_width_height(physical=True)
        pixels = Image.frombuffer("RGBX", size, self.canvas.buffer_rgba(), "raw", "RGBX", 0, 1)
        encoded = io.BytesIO()
        pixels.save(encoded, "JPEG", **options)
        return encoded.getvalue()


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


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch to one thread for a while: on a frame's small tensors, waiting for a second costs 10 ms."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
