"""The widget that shows an explorer's figure in the page; picture.js is the widget's code in the browser.

A page that displays the figure sends its `look`, such as its theme. Until then, nothing has to be drawn.
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
    """An image that reports to the kernel where the pointer drags on it and which arrow keys are pressed."""

    # The JavaScript and the CSS are given as strings, because anywidget watches a file given as a path, and
    # then never frees the widget.
    _esm = (HERE / "picture.js").read_text(encoding="utf-8")
    _css = (HERE / "picture.css").read_text(encoding="utf-8")

    still = Bytes().tag(sync=True)  # the static image, as a data URL, at the screen's resolution
    # Width and height of the static image in pixels. The strokes use the same unit. The page does not use the
    # image's natural size, because browsers disagree about the natural size of an SVG.
    size: Any = List([1, 1]).tag(sync=True)
    strokes: Any = List().tag(sync=True)  # the moving artists, as paths to draw over the image
    dark = Bool().tag(sync=True)  # whether the image and the strokes are drawn for a dark page
    alt = Unicode().tag(sync=True)  # the figure's text alternative, for screen readers
    text = Unicode().tag(sync=True)  # the explorer's call and its numbers, for the copy button
    copied = Unicode().tag(sync=True)  # the confirmation that the page shows after it has copied `text`
    gone = Unicode().tag(sync=True)  # the message that the page shows once the kernel has stopped
    label = Unicode().tag(sync=True)  # the figure's accessible name, which explains the arrow keys
    ratio = Float(1.0).tag(sync=True)
    areas: Any = List().tag(sync=True)  # axes in which the pointer moves a control, as returned by `area`
    strides: Any = List().tag(sync=True)  # slider steps per press of a horizontal and of a vertical arrow key
    # The page sets the following values, so the kernel does not echo them.
    look = Dict().tag(sync=True, echo_update=False)
    grip = Dict().tag(sync=True, echo_update=False)
    steps = List([0, 0]).tag(sync=True, echo_update=False)

    def show(self, png: bytes, size: tuple[int, int], *, dark: bool) -> None:
        """Replace the static image with a PNG of `size` (width, height) pixels."""
        self.still, self.dark = b"data:image/png;base64," + base64.b64encode(png), dark
        self.size = list(size)


def area(axes: Axes, horizontal: str, vertical: str) -> dict[str, Any]:
    """Return the position of an axes in the figure, and the controls that the pointer moves there.

    Args:
        axes: the axes.
        horizontal: the name of the control for the horizontal direction, or "" for no control.
        vertical: the name of the control for the vertical direction, or "" for no control.

    Returns:
        A dict with the axes' "box": left, top, right and bottom, as fractions of the figure from its upper
        left corner. For each direction with a control, "across" or "up" holds the control's name and its
        values at both ends of the axis (log10 on a logarithmic axis).
    """
    (left, bottom), (right, top) = axes.get_position().get_points().tolist()
    description: dict[str, Any] = {"box": [left, 1 - top, right, 1 - bottom]}
    for direction, control, axis in (("across", horizontal, axes.xaxis), ("up", vertical, axes.yaxis)):
        if control:
            ends = np.array(axis.get_view_interval())
            ends = np.log10(ends) if axis.get_scale() == "log" else ends
            description[direction] = {"control": control, "ends": ends.tolist()}
    return description
