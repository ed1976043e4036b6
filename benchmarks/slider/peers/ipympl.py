"""Lesson 1's picture drawn with ipympl: matplotlib's canvas in the page receives the changed pixels."""

from typing import Any

import matplotlib.pyplot as plt
from IPython.display import display

from benchmarks.slider.peers import lines, picture
from benchmarks.slider.peers.picture import Moving


def show() -> None:
    """Show the picture in the cell's output."""
    with plt.ioff():
        fig, drawn = lines.figure()
    canvas: Any = fig.canvas
    canvas.header_visible = canvas.footer_visible = canvas.toolbar_visible = False

    def draw(moving: Moving) -> None:
        lines.move(drawn, moving)
        canvas.draw_idle()

    display(picture.panel(canvas, draw))
