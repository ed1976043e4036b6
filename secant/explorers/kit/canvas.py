"""Fast redrawing for figures with sliders: the moving parts are redrawn over an image of the static parts.

Redrawing a whole figure takes 30 ms to 140 ms, which is too slow to follow a slider. The page therefore keeps
an image of the static artists. Each frame contains only the moving artists, as a few kilobytes of paths
(called strokes), which the page draws over the image.
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

WIDTH, HEIGHT = 9.0, 4.0  # size of a figure in inches
DPI = 100  # CSS pixels per inch
# Bounds on the device pixels per CSS pixel. With at least 2, a figure stays sharp on a narrow page.
MIN_DENSITY, MAX_DENSITY = 2, 4
# Minimum number of seconds between updates of the displayed numbers while a slider is dragged. More frequent
# updates could not be read.
READING_SECONDS = 0.2


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """Return an empty figure that has the Agg backend and is not registered with pyplot.

    Args:
        width: the width in inches.
        height: the height in inches.
    """
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


class Stage:
    """A figure that can follow a slider: a static image, over which only the moving artists are redrawn."""

    def __init__(self, figure: Figure, moving: Sequence[Artist], density: float = 1) -> None:
        """Mark the moving artists as animated, and set the figure's resolution for the screen.

        Args:
            figure: a figure made by `new_figure`.
            moving: the artists that differ between frames.
            density: the screen's device pixels per CSS pixel.
        """
        self.figure = figure
        self.moving = sorted(moving, key=lambda artist: artist.get_zorder())
        for artist in self.moving:
            # Matplotlib skips animated artists when it draws a figure, but includes them when it saves one.
            artist.set_animated(True)
        self.canvas = FigureCanvasAgg(figure)
        figure.set_dpi(DPI * min(max(density, MIN_DENSITY), MAX_DENSITY))

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the static image in pixels; the strokes use the same unit."""
        width, height = self.canvas.get_width_height(physical=True)
        return width, height

    def static_png(self) -> bytes:
        """Return the static part of the figure as a PNG."""
        self.canvas.draw()
        pixels = Image.frombuffer("RGBX", self.size, self.canvas.buffer_rgba(), "raw", "RGBX", 0, 1)
        buffer = io.BytesIO()
        pixels.convert("RGB").save(buffer, "PNG", compress_level=1)
        return buffer.getvalue()

    def frame(self) -> list[Stroke]:
        """Return the visible moving artists, bottom first, as strokes: paths in pixels of the image."""
        recorder = Recorder(*self.size, self.figure.dpi)
        for artist in self.moving:
            if artist.axes is not None and artist.axes.get_visible():
                artist.draw(recorder)
        return recorder.strokes


def event_loop() -> asyncio.AbstractEventLoop | None:
    """Return the kernel's event loop, or None if no loop is running. In that case no page is connected."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def after_reply(action: Callable[[], None]) -> Callable[[], None]:
    """Return a function that schedules `action` to run after the kernel's reply to the page.

    If the returned function is called several times before the reply, `action` runs only once. If no page is
    connected, `action` runs at once.

    The page's slider sends its next value when it receives the reply. That value is therefore already on its
    way while the frame for the current value is drawn.
    """
    is_scheduled = False

    def run() -> None:
        nonlocal is_scheduled
        is_scheduled = False
        action()

    def schedule() -> None:
        nonlocal is_scheduled
        if (loop := event_loop()) is None:
            run()
        elif not is_scheduled:
            is_scheduled = True
            loop.call_soon(run)

    return schedule


def throttled(action: Callable[[], None], seconds: float = READING_SECONDS) -> Callable[[], None]:
    """Return a function that runs `action` at most once every `seconds`, so that its output stays readable.

    The first call runs `action` at once, and the last call is never dropped. Having fewer messages leaves
    time for frames, and keeps a screen reader from being flooded.
    """
    last_time = -math.inf
    is_scheduled = False

    def run() -> None:
        nonlocal last_time, is_scheduled
        last_time, is_scheduled = time.monotonic(), False
        action()

    def schedule() -> None:
        nonlocal is_scheduled
        pause = last_time + seconds - time.monotonic()
        loop = event_loop()
        if pause <= 0 or loop is None:
            run()
        elif not is_scheduled:
            is_scheduled = True
            loop.call_later(pause, run)

    return schedule


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG, including the moving artists."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    return buffer.getvalue()
