"""The figure of lesson 1's explorer in matplotlib, for the compared libraries that use matplotlib."""

from dataclasses import fields

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.slider.peers import picture
from benchmarks.slider.peers.picture import FrameData
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT, TANGENT

LEFT = {
    "secant": {"color": SECANT, "lw": 4, "label": "secant"},
    "tangent": {"color": TANGENT, "lw": 2, "ls": (0, (5, 3)), "label": "tangent"},
    "ends": {"ls": "", "marker": "D", "color": SECANT, "mfc": "none", "ms": 11, "mew": 2},
    "point": {"ls": "", "marker": "o", "color": INK, "ms": 7, "label": "x"},
}
RIGHT = {
    "float32": {"color": PURPLE, "ls": "-.", "marker": "s", "ms": 4, "lw": 1.2, "label": "float32"},
    "float64": {"color": GREEN, "marker": "o", "ms": 6, "lw": 2.2, "label": "float64"},
    "zeros32": {"ls": "", "marker": "v", "color": PURPLE, "ms": 6},
    "zeros64": {"ls": "", "marker": "v", "color": GREEN, "ms": 6},
    "step": {"color": INK, "lw": 1.2, "ls": ":"},
    "median": {"ls": "", "marker": "o", "color": INK, "mfc": "none", "ms": 10, "mew": 2, "label": "median"},
    "here": {"ls": "", "marker": "D", "color": SECANT, "ms": 7, "label": "at this x"},
    "nothing": {"ls": "", "marker": "x", "color": SECANT, "ms": 10, "mew": 2},
}


def figure() -> tuple[Figure, dict[str, Line2D]]:
    """Return a figure with the elements that do not change, and a dict of the lines that `move` updates."""
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(picture.WIDTH / 100, picture.HEIGHT / 100), dpi=100, layout="constrained"
    )
    left.plot(*picture.curve, color=INK, lw=1.6, label="f")
    lines = {name: left.plot([], [], **look)[0] for name, look in LEFT.items()}
    lines |= {name: right.plot([], [], **look)[0] for name, look in RIGHT.items()}
    for name in picture.DTYPES:
        lines[name].set_markevery(picture.EVERY)
    left.set(xlim=picture.x_limits, ylim=picture.y_limits)
    right.set(xscale="log", yscale="log", xlim=picture.h_limits, ylim=picture.error_limits)
    for axes, (x, y) in zip((left, right), picture.LABELS, strict=True):
        axes.set(xlabel=x, ylabel=y)
        axes.grid(alpha=0.25)
        axes.legend(loc="lower right", fontsize="small")
    return fig, lines


def move(lines: dict[str, Line2D], data: FrameData) -> None:
    """Set the coordinates of the lines that change from one frame to the next."""
    for field in fields(data):
        lines[field.name].set_data(*getattr(data, field.name))
