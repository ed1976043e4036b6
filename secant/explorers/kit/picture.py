"""The picture as a widget in the page; its other half is picture.js.

Until a page has told its `look` nobody sees the picture, and none need be drawn.
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
    """An image that a hand moves: its page says where the pointer holds it and which keys were pressed."""

    # As text: of a path anywidget watches the file, and holds every widget for ever.
    _esm = (HERE / "picture.js").read_text(encoding="utf-8")
    _css = (HERE / "picture.css").read_text(encoding="utf-8")

    still = Bytes().tag(sync=True)  # what stands still: a data URL, which is sharp enough for the screen
    # Pixels across and down of `still`, the unit of `strokes`. Browsers disagree about an SVG's natural size.
    size: Any = List([1, 1]).tag(sync=True)
    strokes: Any = List().tag(sync=True)  # what moves over it
    dark = Bool().tag(sync=True)  # whether both are drawn for a dark page
    alt = Unicode().tag(sync=True)  # the picture in words
    text = Unicode().tag(sync=True)  # copied by the button: the call and the numbers
    copied = Unicode().tag(sync=True)  # the page's reply once it has copied `text`
    gone = Unicode().tag(sync=True)  # what to say once there is no kernel to follow a hand
    label = Unicode().tag(sync=True)  # what the keys do
    ratio = Float(1.0).tag(sync=True)
    areas: Any = List().tag(sync=True)  # of `area`, one for each axes in which something can be moved
    strides: Any = List().tag(sync=True)  # how many steps an arrow key goes: left and right, up and down
    # What the page says, which need not come back to it.
    look = Dict().tag(sync=True, echo_update=False)
    grip = Dict().tag(sync=True, echo_update=False)
    steps = List([0, 0]).tag(sync=True, echo_update=False)

    def show(self, png: bytes, size: tuple[int, int], *, dark: bool) -> None:
        """Show another still image, of `size` pixels across and down."""
        self.still, self.dark = b"data:image/png;base64," + base64.b64encode(png), dark
        self.size = list(size)


def area(axes: Axes, across: str, up: str) -> dict[str, Any]:
    """Return where an axes is in the picture, and which control each of its directions moves, if any.

    The ends are those of the control: powers of ten where the scale is logarithmic.
    """
    (left, bottom), (right, top) = axes.get_position().get_points().tolist()
    found: dict[str, Any] = {"box": [left, 1 - top, right, 1 - bottom]}
    for direction, control, axis in (("across", across, axes.xaxis), ("up", up, axes.yaxis)):
        if control:
            ends = np.array(axis.get_view_interval())
            ends = np.log10(ends) if axis.get_scale() == "log" else ends
            found[direction] = {"control": control, "ends": ends.tolist()}
    return found
