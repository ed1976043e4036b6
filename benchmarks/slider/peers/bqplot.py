"""The figure of lesson 1's explorer, drawn with bqplot: each line is a widget that D3 draws as SVG."""

from typing import Any

import bqplot as bq
import ipywidgets as widgets
import numpy as np
from IPython.display import display

from benchmarks.slider.peers import picture
from benchmarks.slider.peers.picture import EVERY, FrameData
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT, TANGENT


def show() -> None:
    """Show the sliders and the figure in the cell's output."""
    left = {"x": bq.LinearScale(**_ends(picture.x_limits)), "y": bq.LinearScale(**_ends(picture.y_limits))}
    right = {"x": bq.LogScale(**_ends(picture.h_limits)), "y": bq.LogScale(**_ends(picture.error_limits))}

    def line(scales: dict[str, Any], color: str, width: float, name: str = "", **look: Any) -> Any:
        legend_options = {"labels": [name], "display_legend": True} if name else {}
        return bq.Lines(
            x=[], y=[], scales=scales, colors=[color], stroke_width=width, **legend_options, **look
        )

    def dots(scales: dict[str, Any], color: str, marker: str, size: int, name: str = "", **look: Any) -> Any:
        legend_options = {"name": name, "display_legend": True} if name else {}
        return bq.Scatter(
            x=[],
            y=[],
            scales=scales,
            colors=[color],
            marker=marker,
            default_size=size,
            **legend_options,
            **look,
        )

    curve = line(left, INK, 1.6, "f")
    curve.x, curve.y = picture.curve
    marks = {
        "secant": line(left, SECANT, 4, "secant"),
        "tangent": line(left, TANGENT, 2, "tangent", line_style="dashed"),
        "ends": dots(left, SECANT, "diamond", 120, fill=False, stroke_width=2),
        "point": dots(left, INK, "circle", 50, "x"),
        "float32": line(right, PURPLE, 1.2, "float32", line_style="dash_dotted"),
        "marks32": dots(right, PURPLE, "square", 20),
        "float64": line(right, GREEN, 2.2, "float64"),
        "marks64": dots(right, GREEN, "circle", 40),
        "zeros32": dots(right, PURPLE, "triangle-down", 40),
        "zeros64": dots(right, GREEN, "triangle-down", 40),
        "step": line(right, INK, 1.2, line_style="dotted"),
        "median": dots(right, INK, "circle", 100, "median", fill=False, stroke_width=2),
        "nothing": dots(right, SECANT, "cross", 100),
        # `draw` moves this marker last. The benchmark therefore counts a frame when this marker changes.
        "here": dots(right, SECANT, "diamond", 50, "at this x"),
    }

    def draw(data: FrameData) -> None:
        for name, mark in marks.items():
            x, y = getattr(data, name.replace("marks", "float"))
            if isinstance(mark, bq.Scatter):  # bqplot's Scatter does not accept NaN
                mask = np.isfinite(y)
                mask[np.arange(len(x)) % EVERY > 0] &= "marks" not in name
                x, y = x[mask], y[mask]
            with mark.hold_sync():  # sends x and y in one message
                mark.x, mark.y = x, y

    all_marks = list(marks.values())
    figures = [
        _figure([curve, *all_marks[:4]], left, picture.LABELS[0], [range(0, 10, 2), range(-2, 8, 2)], "d"),
        _figure(all_marks[4:], right, picture.LABELS[1], [_decades(-15), _decades(-18)], ".0e"),
    ]
    display(picture.panel(widgets.HBox(figures), draw))


def _ends(limits: tuple[float, float]) -> dict[str, float]:
    return {"min": limits[0], "max": limits[1]}


def _decades(lowest: int) -> list[float]:
    return [10.0**k for k in range(lowest, 1, 3)]


def _figure(
    marks: list[Any], scales: dict[str, Any], labels: tuple[str, str], ticks: list[Any], tick_format: str
) -> Any:
    axes = [
        bq.Axis(
            scale=scales[axis],
            label=label,
            orientation=orientation,
            tick_values=list(tick_values),
            tick_format=tick_format,
        )
        for axis, orientation, label, tick_values in zip(
            "xy", ("horizontal", "vertical"), labels, ticks, strict=True
        )
    ]
    size = {"width": f"{picture.WIDTH // 2}px", "height": f"{picture.HEIGHT}px"}
    margin = {"top": 10, "bottom": 45, "left": 60, "right": 10}
    return bq.Figure(marks=marks, axes=axes, layout=size, fig_margin=margin, legend_location="bottom-right")
