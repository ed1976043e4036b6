"""The figure of lesson 1's explorer, drawn with ipympl, which sends the page only the changed pixels.

ipympl is matplotlib's canvas for notebooks.
"""

from typing import Any

import matplotlib.pyplot as plt
from IPython.display import display

from benchmarks.slider.peers import lines, picture
from benchmarks.slider.peers.picture import Moving


def show() -> None:
    """Show the sliders and the figure in the cell's output."""
    with plt.ioff():
        fig, drawn = lines.figure()
    canvas: Any = fig.canvas
    canvas.header_visible = canvas.footer_visible = canvas.toolbar_visible = False

    def draw(moving: Moving) -> None:
        lines.move(drawn, moving)
        canvas.draw_idle()

    display(picture.panel(canvas, draw))
