"""The widget that shows an explorer's picture in the page; picture.js is the part in the browser.

Until a page has sent its `look`, the picture is not visible, so nothing has to be drawn.
"""

import base64
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
from matplotlib.axes import Axes
from traitlets import Bool, Bytes, Dict, Float, List, Unicode

HERE = Path(__file__).parent


class View(anywidget.AnyWidget):
    """The image of a picture, which reports where the pointer holds it and which arrow keys were pressed."""

    # As text, because anywidget watches a file given as a path, and then keeps every widget in memory.
    _esm = (HERE / "picture.js").read_text(encoding="utf-8")
    _css = (HERE / "picture.css").read_text(encoding="utf-8")

    still = Bytes().tag(sync=True)  # the static part, as a data URL
    # Width and height of `still` in pixels, the unit of `strokes`. Browsers disagree about an SVG's natural
    # size.
    size: Any = List([1, 1]).tag(sync=True)
    strokes: Any = List().tag(sync=True)  # the moving artists, as strokes over `still`
    dark = Bool().tag(sync=True)  # whether `still` and `strokes` are drawn for a dark page
    alt = Unicode().tag(sync=True)  # the text alternative of the picture
    text = Unicode().tag(sync=True)  # the call and the numbers, for the copy button
    copied = Unicode().tag(sync=True)  # the confirmation that the page shows after it has copied `text`
    gone = Unicode().tag(sync=True)  # the message that the page shows once the kernel has stopped
    label = Unicode().tag(sync=True)  # the accessible name of the picture, which explains its keys
    ratio = Float(1.0).tag(sync=True)
    areas: Any = List().tag(sync=True)  # see `area`; one for each axes in which the pointer moves something
    strides: Any = List().tag(sync=True)  # slider steps per press of an arrow key: horizontal, vertical
    # Set by the page. The kernel need not echo these values.
    look = Dict().tag(sync=True, echo_update=False)
    grip = Dict().tag(sync=True, echo_update=False)
    steps = List([0, 0]).tag(sync=True, echo_update=False)

    def show(self, png: bytes, size: tuple[int, int], *, dark: bool) -> None:
        """Replace the static image by a PNG of `size` (width, height) pixels."""
        self.still, self.dark = b"data:image/png;base64," + base64.b64encode(png), dark
        self.size = list(size)


def area(axes: Axes, across: str, up: str) -> dict[str, Any]:
    """Return the position of an axes in the picture, and the controls that the pointer moves there.

    Args:
        axes: the axes.
        across: the name of the control for the horizontal direction, or "".
        up: the name of the control for the vertical direction, or "".

    Returns:
        A dict with the axes' "box" (left, top, right, bottom, as fractions of the picture from its upper left
            corner) and, for each direction with a control, "across" or "up": the control's name and the axis
            limits in its unit, which on a logarithmic axis is log10.
    """
    (left, bottom), (right, top) = axes.get_position().get_points().tolist()
    found: dict[str, Any] = {"box": [left, 1 - top, right, 1 - bottom]}
    for direction, control, axis in (("across", across, axes.xaxis), ("up", up, axes.yaxis)):
        if control:
            ends = np.array(axis.get_view_interval())
            ends = np.log10(ends) if axis.get_scale() == "log" else ends
            found[direction] = {"control": control, "ends": ends.tolist()}
    return found
