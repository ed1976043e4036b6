"""The figure of lesson 1's explorer, drawn with `interact` and inline matplotlib: one PNG per move."""

import matplotlib.pyplot as plt
from ipywidgets import interact

from benchmarks.slider.peers import lines, picture


def show() -> None:
    """Show the sliders and the figure in the cell's output."""
    x, log_h, _ = picture.sliders()

    def draw(x: float, log_h: float) -> None:
        reading = picture.read(x, 10**log_h)
        _, plot_lines = lines.figure()
        lines.move(plot_lines, picture.frame_data(reading))
        plt.show()
        print(picture.words(reading))

    interact(draw, x=x, log_h=log_h)
