"""The figure of lesson 1's explorer, drawn with Plotly's FigureWidget: one message updates all lines.

The page draws the lines as SVG.
"""

import math
from dataclasses import fields
from typing import Any

import plotly.graph_objects as go
from IPython.display import display
from plotly.subplots import make_subplots

from benchmarks.slider.peers import picture
from benchmarks.slider.peers.picture import FrameData
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT, TANGENT


def _dots(color: str, symbol: str, size: int) -> dict[str, Any]:
    return {"mode": "markers", "marker": {"color": color, "symbol": symbol, "size": size, "line_width": 2}}


def _line(color: str, width: float, dash: str = "solid") -> dict[str, Any]:
    return {"mode": "lines", "line": {"color": color, "width": width, "dash": dash}}


LOOKS: dict[str, dict[str, Any]] = {
    "secant": _line(SECANT, 4),
    "tangent": _line(TANGENT, 2, "dash"),
    "ends": _dots(SECANT, "diamond-open", 12),
    "point": _dots(INK, "circle", 7),
    "float32": {
        **_line(PURPLE, 1.2, "dashdot"),
        "mode": "lines+markers",
        "marker": {"symbol": "square", "size": 4, "maxdisplayed": 17},
    },
    "float64": {**_line(GREEN, 2.2), "mode": "lines+markers", "marker": {"size": 6, "maxdisplayed": 17}},
    "zeros32": _dots(PURPLE, "triangle-down", 6),
    "zeros64": _dots(GREEN, "triangle-down", 6),
    "step": _line(INK, 1.2, "dot"),
    "median": _dots(INK, "circle-open", 10),
    "here": _dots(SECANT, "diamond", 7),
    "nothing": _dots(SECANT, "x", 10),
}
NAMES = {"secant", "tangent", "float32", "float64", "median", "here"}  # the elements that the legend lists


def show() -> None:
    """Show the sliders and the figure in the cell's output."""
    figure = go.FigureWidget(make_subplots(1, 2))
    figure.add_scatter(
        x=picture.curve[0].tolist(), y=picture.curve[1].tolist(), name="f", **_line(INK, 1.6), row=1, col=1
    )
    for number, (name, look) in enumerate(LOOKS.items()):
        figure.add_scatter(name=name, showlegend=name in NAMES, **look, row=1, col=1 + (number >= 4))
    (x, y), (h, error) = picture.LABELS
    figure.update_xaxes(title=x, range=picture.x_limits, row=1, col=1)
    figure.update_yaxes(title=y, range=picture.y_limits, row=1, col=1)
    figure.update_xaxes(title=h, type="log", range=_logs(picture.h_limits), exponentformat="e", row=1, col=2)
    figure.update_yaxes(
        title=error, type="log", range=_logs(picture.error_limits), exponentformat="e", row=1, col=2
    )
    figure.for_each_xaxis(lambda axis: axis.update(showgrid=True))
    figure.for_each_yaxis(lambda axis: axis.update(showgrid=True))
    figure.update_layout(
        width=picture.WIDTH,
        height=picture.HEIGHT,
        margin={"l": 50, "r": 10, "t": 10, "b": 40},
        template="simple_white",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )
    traces = dict(zip(LOOKS, figure.data[1:], strict=True))

    def draw(data: FrameData) -> None:
        with figure.batch_update():
            for field in fields(data):
                x, y = getattr(data, field.name)
                # Send lists, not arrays: when the page's reply arrives, Plotly 7.1 tests `if value`, which
                # fails for an array.
                traces[field.name].update(x=x.tolist(), y=y.tolist())

    display(picture.panel(figure, draw))


def _logs(limits: tuple[float, float]) -> list[float]:
    return [math.log10(end) for end in limits]
