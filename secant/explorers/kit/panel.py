"""What every explorer is made of: controls over a picture that follows them, a legend, and the numbers.

Figures carry symbols and numbers only. Words stand in HTML beside them, so that Korean needs no font and a
screen reader finds them.
"""

import contextlib
import html
import io
import math
import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NoReturn, Protocol

import ipywidgets as widgets
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from traitlets import CFloat

from secant.explorers.kit.canvas import Stage, one_thread, png, seldom
from secant.language import say

LOG_H = (-15.5, 0.5)  # a step's slider, log10: 16 wide in steps of 1/16, all exact in the page too

# Okabe and Ito's colours and one of Tol's, which differ to colour-blind eyes too.
INK, SECANT, TANGENT = "#000000", "#D55E00", "#0072B2"
PURPLE, GREEN, SKY, AMBER = "#882255", "#009E73", "#56B4E9", "#E69F00"


class Picture(Protocol):
    """A figure and how to set it. `moving` are the artists that differ from one frame to the next."""

    figure: Figure

    @property
    def moving(self) -> Sequence[Artist]: ...

    def set_scene(self, reading: Any) -> None:
        """Set what stands still while a slider moves: curves, limits, ticks."""

    def move(self, reading: Any) -> None:
        """Set what moves."""


class Panel(widgets.VBox):
    """The widget that an explorer returns. It shows itself; places without a front end get one figure.

    A subclass makes its controls, then calls this constructor, and answers `read`, `words` and `alt`.
    `reading`, whatever `read` returned last, goes through all of them and both methods of the picture.
    """

    reading: Any

    def __init__(self, picture: Picture, rows: Iterable[Sequence[widgets.Widget]], legend: str) -> None:
        """Take the picture, the rows of controls as they are to stand, and what `legend` made.

        Every control with a value in the rows, also inside boxes, is listened to; a button is not.
        """
        self.picture = picture
        self.stage = Stage(picture.figure, picture.moving)
        self.text = widgets.HTML()
        self._scene: Hashable = None
        self._write_seldom = seldom(self._write)
        rows = [list(row) for row in rows]
        for control in _with_value(widget for row in rows for widget in row):
            control.observe(self.update, "value")
        boxes = [
            widgets.Box(row, layout=widgets.Layout(display="flex", flex_flow="row wrap")) for row in rows
        ]
        children = [*boxes, self.stage.image, widgets.HTML(_STYLE + legend), self.text]
        super().__init__(children, layout={"max_width": "920px"})
        self.add_class("secant-explorer")
        self.update()

    def read(self) -> Any:
        """Work out from the controls all that is shown. Never raises for a student's faulty function."""
        raise NotImplementedError

    def scene(self) -> Hashable:
        """Return what the still part of the picture depends on; while it stays the same, it stands."""
        return None

    def words(self) -> str:
        """Return the numbers and remarks as HTML: see `numbers`."""
        raise NotImplementedError

    def alt(self) -> str:
        """Return the picture in words, for those who cannot see it."""
        raise NotImplementedError

    def fresh_picture(self) -> Picture:
        """Return a picture like this one, to be saved with a legend of symbols."""
        return type(self.picture)()

    def update(self, _: object = None) -> None:
        """Show what the controls say now."""
        with quietly():
            self.reading = self.read()
            scene = (self.scene(),)
            if self._scene != scene:
                self.picture.set_scene(self.reading)
                self.stage.set_scene()
                self._scene = scene
            self.picture.move(self.reading)
        self.stage.show(self.alt)
        self._write_seldom()

    def _write(self) -> None:
        self.text.value = self.words()

    def static_figure(self) -> Figure:
        """Return what is shown now as an ordinary figure."""
        with quietly():
            picture = self.fresh_picture()
            picture.set_scene(self.reading)
            picture.move(self.reading)
        for axes in picture.figure.axes:
            if axes.get_legend_handles_labels()[0]:
                axes.legend(
                    loc="lower center", bbox_to_anchor=(0.5, 1), ncols=5, frameon=False, fontsize="small"
                )
        return picture.figure

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs) or {}
        bundle["image/png"] = png(self.static_figure())
        return bundle


def _with_value(controls: Iterable[widgets.Widget]) -> Iterator[widgets.Widget]:
    for control in controls:
        if isinstance(control, widgets.Box):
            yield from _with_value(control.children)
        elif control.has_trait("value") and not isinstance(control, widgets.BoundedFloatText | widgets.HTML):
            yield control  # the box beside a slider moves the slider, which is listened to


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep what a function prints or warns of, a thousand times a frame, out of the notebook."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), one_thread():
        warnings.simplefilter("ignore")
        yield


def refuse(*, en: str, ko: str) -> NoReturn:
    """Raise ValueError for an argument that makes no sense."""
    raise ValueError(say(en=en, ko=ko))


# Controls


def choice(name: str, options: list[tuple[str, Any]], value: Any) -> widgets.Dropdown:
    """Return a list to choose from, which tells a screen reader its name and choice, as buttons do not.

    Args:
        name: what stands before it.
        options: (what is shown, what `value` then is).
        value: what is chosen at first.
    """
    return widgets.Dropdown(
        options=options,
        value=value,
        description=name,
        style={"description_width": "60px"},
        layout={"width": "220px"},
    )


class _Slider(widgets.FloatSlider):
    """A slider whose value does not come back to the page: one message less for each frame."""

    value = CFloat(0.0).tag(sync=True, echo_update=False)


def slider(
    name: str, value: float, low: float, high: float, step: float
) -> tuple[widgets.FloatSlider, widgets.Widget]:
    """Return a slider and a row that holds it beside a box to type the same number into.

    The box carries the label: a screen reader finds no name on the handle of a slider. Read the slider's
    number through `short`.
    """
    value = short(value)
    handle = _Slider(value=value, min=low, max=high, step=step, readout=False, layout={"width": "260px"})
    box = widgets.BoundedFloatText(
        value=value,
        min=low,
        max=high,
        step=step,
        description=name,
        style={"description_width": "60px"},
        layout={"width": "150px"},
    )

    def follow() -> None:
        box.value = short(handle.value)

    def lead(_: object) -> None:
        if box.value != short(handle.value):
            handle.value = box.value

    # Linked here, not in the page: there the box would send its every change to the kernel too.
    follow_seldom = seldom(follow)
    handle.observe(lambda _: follow_seldom(), "value")
    box.observe(lead, "value")
    return handle, widgets.HBox([box, handle])


def step_slider(h: float) -> tuple[widgets.FloatSlider, widgets.Widget]:
    """Return the slider for log10 h and its row; see `slider`."""
    return slider("log₁₀ h", math.log10(h), *LOG_H, 1 / 16)


def round_step(low: float, high: float) -> float:
    """Return a power of ten that divides a range into some hundreds of steps, for `slider`."""
    return float(10.0 ** math.floor(math.log10((high - low) / 400)))


def short(number: float) -> float:
    """Undo the page's rounding: its slider counts in per cent, and may say 5.3500000000000005 for 5.35."""
    return float(f"{number:.6g}")


# Words


def digits(number: float, dtype: str = "float64") -> str:
    """Return every digit that the number has in its dtype, and no more."""
    return str(np.float32(number)) if dtype == "float32" else repr(float(number))


def numbers(rows: Iterable[tuple[str, str, str, str]], remarks: Iterable[str] = ()) -> str:
    """Return a table of numbers with remarks below, as HTML.

    Args:
        rows: for each number a key (its class is then `secant-KEY`, which tests and screen readers go by), a
            label (HTML), a formula or remark in symbols (HTML), and the number as text.
        remarks: sentences, as plain text.
    """
    cells = "".join(
        f'<span>{label}</span><span>{formula}</span><output class="secant-{key}">{number}</output>'
        for key, label, formula, number in rows
    )
    paragraphs = "".join(f"<p>{html.escape(remark)}</p>" for remark in remarks)
    return (
        '<div class="secant-words" role="status" aria-live="polite">'
        f'<div class="secant-numbers">{cells}</div><div class="secant-remarks">{paragraphs}</div></div>'
    )


_STYLE = """<style>
.secant-legend { display: flex; flex-wrap: wrap; gap: 0 24px; line-height: 1.5; }
.secant-legend > div { flex: 1 1 360px; }
.secant-legend svg { width: 38px; height: 14px; background: #fff; border-radius: 3px; vertical-align: -2px;
  margin-right: 6px; }
.secant-words { margin: 8px 0 0 3px; line-height: 1.5; }
.secant-numbers { display: grid; grid-template-columns: max-content max-content 1fr; gap: 0 18px; }
.secant-numbers output { font-family: var(--jp-code-font-family, monospace); font-weight: 600; }
.secant-remarks { min-height: 3.2em; }
.secant-remarks p { margin: 4px 0 0; }
</style>"""


def sample(color: str, line: str = "", mark: str = "") -> str:
    """Return a small drawing of a line (its SVG attributes) or a marker (its SVG shape), for `legend`."""
    stroke = f'<path d="M3 7H35" stroke="{color}" fill="none" {line}/>' if line else ""
    return f'<svg viewBox="0 0 38 14" aria-hidden="true">{stroke}{mark}</svg>'


def disc(color: str, fill: str, radius: float) -> str:
    """Return a disc for `sample`; a fill of "none" makes it hollow."""
    return f'<circle cx="19" cy="7" r="{radius}" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def square(color: str) -> str:
    """Return a square for `sample`."""
    return f'<path d="M16 4h6v6h-6z" fill="{color}"/>'


def diamond(color: str, fill: str) -> str:
    """Return a diamond for `sample`; a fill of "none" makes it hollow."""
    return f'<path d="M19 1.5 24.5 7 19 12.5 13.5 7z" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def bar(color: str, opacity: float = 1) -> str:
    """Return a broad bar for `sample`."""
    return f'<path d="M5 3h28v8h-28z" fill="{color}" fill-opacity="{opacity}"/>'


def legend(*columns: Iterable[tuple[str, str]]) -> str:
    """Return what the lines and markers mean, as HTML: a `sample` and words (HTML) for each."""
    body = "".join(
        "<div>" + "".join(f"<div>{drawing}{words}</div>" for drawing, words in column) + "</div>"
        for column in columns
    )
    return f'<div class="secant-legend">{body}</div>'


# Pictures


def tidy(*all_axes: Axes) -> None:
    """Give axes the house's light grid and no box."""
    for axes in all_axes:
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)


def marker(
    axes: Axes, shape: str, color: str, *, size: float, hollow: bool = False, label: str = ""
) -> Line2D:
    """Return points, none yet, of a matplotlib marker's shape."""
    face = "none" if hollow else color
    (line,) = axes.plot(
        [], [], ls="none", marker=shape, ms=size, mec=color, mfc=face, mew=2, label=label or "_", zorder=5
    )
    return line


def set_line(line: Any, x: float, y: float, slope: float) -> None:
    """Move an infinite line (of `axline`), or hide it where it has no place or no slope."""
    line.set_visible(math.isfinite(x) and math.isfinite(y) and math.isfinite(slope))
    if line.get_visible():
        line.set_xy1((x, y))
        line.set_slope(slope)


def limits(y: np.ndarray) -> tuple[float, float]:
    """Return limits for a curve; a pole does not flatten the rest."""
    y = y[np.isfinite(y)]
    if not len(y):
        return -1.0, 1.0
    low, high = y.min(), y.max()
    inner_low, inner_high = np.quantile(y, [0.05, 0.95])
    if high - low > 8 * (inner_high - inner_low) > 0:
        low, high = inner_low, inner_high
    pad = 0.08 * (high - low) or max(1.0, abs(low))
    return float(low - pad), float(high + pad)


def error_axes(axes: Axes, label: str) -> None:
    """Make a picture of errors against h: logarithmic both, h over the slider's range."""
    axes.set_xlabel("$h$")
    axes.set_ylabel(label)
    axes.set(xscale="log", yscale="log", xlim=(10 ** (LOG_H[0] - 0.3), 10 ** (LOG_H[1] + 0.3)))
    axes.set_xticks([10.0**k for k in range(-15, 1, 3)])


def error_limits(axes: Axes, lowest: float, highest: float) -> float:
    """Set their limits to powers of ten; return the line below, where errors of exactly 0 stand."""
    zero = lowest / 10
    axes.set_ylim(zero / 2, highest)
    decades = range(round(math.log10(lowest)), round(math.log10(highest)) + 1)
    every = max(1, math.ceil(len(decades) / 7))
    shown = [k for k in decades if k % every == 0]
    axes.set_yticks([zero, *(10.0**k for k in shown)], ["0", *(f"$10^{{{k}}}$" for k in shown)])
    axes.minorticks_off()
    return zero
