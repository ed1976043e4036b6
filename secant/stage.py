"""Where a slider's picture is drawn: a background once, then only what moves.

A figure drawn anew costs 30 ms to 140 ms, which is no drag a hand can follow. Here one frame is a copy of
the background's pixels, the few artists that move, and one small image for the browser: 3 ms. When the hand
rests, one sharp image follows.
"""

import asyncio
import contextlib
import io
from collections.abc import Iterator, Sequence

import ipywidgets as widgets
import torch
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from traitlets import Unicode

WIDTH, HEIGHT = 9.0, 4.0  # inches
DPI = 100  # of a frame in a drag: one image pixel for one of the page's
SHARPER = 2  # times as many dots when at rest, for a dense screen
REST = 0.25  # seconds without a frame until the hand is taken to rest
QUALITY = 90  # of the JPEG; with full colour resolution its artefacts are hard to find


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
        width = round(DPI * figure.get_figwidth())
        self.image = Frame(
            format="jpeg", layout={"width": "100%", "max_width": f"{width}px", "height": "auto"}
        )
        self._rest: asyncio.TimerHandle | None = None

    def set_scene(self) -> None:
        """Draw what stands still and keep its pixels."""
        self.canvas.draw()
        self._background = self.canvas.copy_from_bbox(self.figure.bbox)

    def frame(self) -> bytes:
        """Return the scene with everything that moves drawn over it, as a JPEG."""
        self.canvas.restore_region(self._background)
        return self._drawn_over()

    def sharp(self) -> bytes:
        """Return the same with more dots to the inch. Costs as much as a new scene."""
        self.figure.set_dpi(DPI * SHARPER)
        self.canvas.draw()
        image = self._drawn_over()
        self.figure.set_dpi(DPI)
        return image

    def _drawn_over(self) -> bytes:
        for artist in self.moving:
            if artist.axes is not None:
                artist.axes.draw_artist(artist)
        size = self.canvas.get_width_height(physical=True)
        pixels = Image.frombuffer("RGBX", size, self.canvas.buffer_rgba(), "raw", "RGBX", 0, 1)
        encoded = io.BytesIO()
        pixels.save(encoded, "JPEG", quality=QUALITY, subsampling=0)
        return encoded.getvalue()

    def show(self, alt: str = "") -> None:
        """Send the frame to the browser with a text for those who cannot see it; a sharp one at rest."""
        with self.image.hold_sync():  # one message for both
            self.image.tooltip = alt
            self.image.value = self.frame()
        if self._rest is not None:
            self._rest.cancel()
        with contextlib.suppress(RuntimeError):  # no event loop, so no page to look at
            self._rest = asyncio.get_running_loop().call_later(REST, self._sharpen)

    def _sharpen(self) -> None:
        self.image.value = self.sharp()


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
