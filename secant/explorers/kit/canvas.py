"""Where a slider's picture is drawn: a background once, then only what moves.

A figure drawn anew costs 30 ms to 140 ms, which is no drag a hand can follow. Here one frame is a copy of
the background's pixels, the few artists that move, and one small image for the browser: 3 ms. When the hand
rests, one sharp image follows.
"""

import asyncio
import base64
import contextlib
import io
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ipywidgets as widgets
import torch
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from traitlets import Unicode

WIDTH, HEIGHT = 9.0, 4.0  # inches
# Dots to the inch: of the page; of a frame in a drag, quick to draw and no softer to the eye; at rest.
DPI, QUICK_DPI, SHARP_DPI = 100, 90, 200
REST = 0.25  # seconds without a frame until the hand is taken to rest
READING = 0.2  # seconds that a number stands in a drag, so that an eye can read it
# Of the JPEG in a drag: half the work and two thirds of the bytes of the one at rest.
QUICK = {"quality": 80, "subsampling": "4:2:0"}
SHARP = {"quality": 92, "subsampling": "4:4:4"}


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """Return an empty figure for a stage, in inches, known to no pyplot and to no backend but Agg."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


class Frame(widgets.Image):
    """An image whose `tooltip` reaches the page, as the only text for those who cannot see it.

    ipywidgets' own image has no alt, and its view fails on a tooltip for want of a description to look at.
    """

    description = Unicode("").tag(sync=True)


class Stage:
    """A figure shown in an image widget, `image`, and redrawn fast enough to follow a slider.

    Call `set_scene` after a change to anything that stands still, `show` after a change to what moves.
    """

    def __init__(self, figure: Figure, moving: Sequence[Artist]) -> None:
        """Take a figure of `new_figure` and those of its axes' artists that move between frames."""
        self.figure = figure
        self.moving = sorted(moving, key=lambda artist: artist.get_zorder())
        for artist in self.moving:
            artist.set_animated(True)  # a canvas draws animated artists only when asked, or when saving
        self.canvas = FigureCanvasAgg(figure)
        figure.set_dpi(QUICK_DPI)
        width = round(DPI * figure.get_figwidth())
        self.image = Frame(
            format="url", layout={"width": "100%", "max_width": f"{width}px", "height": "auto"}
        )
        self._rest: asyncio.TimerHandle | None = None

    def set_scene(self) -> None:
        """Draw what stands still and keep its pixels."""
        self.canvas.draw()
        self._background = self.canvas.copy_from_bbox(self.figure.bbox)

    def frame(self) -> bytes:
        """Return the scene with everything that moves drawn over it, as a JPEG."""
        self.canvas.restore_region(self._background)
        return self._drawn_over(QUICK)

    def sharp(self) -> bytes:
        """Return the same with more dots to the inch, everything in its place."""
        layout = self.figure.get_layout_engine()
        self.figure.set_layout_engine("none")  # letters of another size would move the axes by some pixels
        self.figure.set_dpi(SHARP_DPI)
        self.canvas.draw()
        image = self._drawn_over(SHARP)
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

    def show(self, alt: Callable[[], str]) -> None:
        """Send a frame to the browser; at rest a sharp one and `alt`, for those who cannot see it."""
        self.image.value = _url(self.frame())
        if self._rest is not None:
            self._rest.cancel()
        if loop := _event_loop():
            self._rest = loop.call_later(REST, self._sharpen, alt)
        else:
            self.image.tooltip = alt()

    def _sharpen(self, alt: Callable[[], str]) -> None:
        with self.image.hold_sync():  # one message for both
            self.image.tooltip = alt()
            self.image.value = _url(self.sharp())


def _url(jpeg: bytes) -> bytes:
    """Return an image as an address that holds it: a blob's address costs the page and the browser 5 ms."""
    return b"data:image/jpeg;base64," + base64.b64encode(jpeg)


def _event_loop() -> asyncio.AbstractEventLoop | None:
    """Return the kernel's loop; where there is none, there is no page to look at either."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


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
        loop = _event_loop()
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
