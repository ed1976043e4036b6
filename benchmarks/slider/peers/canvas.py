"""The figure of lesson 1's explorer on a bare canvas: the kernel sends numbers, and the page draws lines.

The numbers for one frame take about a kilobyte.
"""

from dataclasses import fields
from pathlib import Path

import anywidget
import numpy as np
from IPython.display import display
from traitlets import Bytes, Dict

from benchmarks.slider.peers import picture
from benchmarks.slider.peers.picture import FrameData


class Canvas(anywidget.AnyWidget):
    """A widget with two plots.

    Attributes:
        scene: the data of the elements that do not move.
        numbers: for each moving element, the number of its points, all their x coordinates, and all their
            y coordinates.
    """

    _esm = Path(__file__).with_suffix(".js")
    scene = Dict().tag(sync=True)
    numbers = Bytes().tag(sync=True)


def show() -> None:
    """Show the sliders and the figure in the cell's output."""
    scene = {
        "width": picture.WIDTH,
        "height": picture.HEIGHT,
        "curve": [part.tolist() for part in picture.curve],
        "limits": [picture.x_limits, picture.y_limits, picture.h_limits, picture.error_limits],
        "labels": picture.LABELS,
        "every": picture.EVERY,
    }
    canvas = Canvas(scene=scene)

    def draw(data: FrameData) -> None:
        curves = [getattr(data, field.name) for field in fields(data)]
        canvas.numbers = np.concatenate([part for x, y in curves for part in ([len(x)], x, y)]).tobytes()

    display(picture.panel(canvas, draw))
