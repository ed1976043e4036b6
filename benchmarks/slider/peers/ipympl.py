"""The figure of lesson 1's explorer, drawn with ipympl, which sends the page only the changed pixels.

ipympl is matplotlib's canvas for notebooks.
"""

from typing import Any

import matplotlib.pyplot as plt
from IPython.display import display

from benchmarks.slider.peers import lines, picture
from benchmarks.slider.peers.picture import FrameData


def show() -> None:
    """Show the sliders and the figure in the cell's output."""
    with plt.ioff():
        fig, plot_lines = lines.figure()
    canvas: Any = fig.canvas
    canvas.header_visible = canvas.footer_visible = canvas.toolbar_visible = False

    def draw(data: FrameData) -> None:
        lines.move(plot_lines, data)
        canvas.draw_idle()

    display(picture.panel(canvas, draw))
