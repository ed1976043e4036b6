"""The plots of a report as SVG. Matplotlib draws them, and the style sheet of the page colours them."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

#: Names of the style sheet's colours, which differ in light mode, in dark mode and on paper. Each is drawn as
#: a placeholder colour that is replaced afterwards.
_NAMES = ("--page", "--ink", "--line", "--good", "--bad", "--hand")
_PLACEHOLDERS = {f"#01020{number}": name for number, name in enumerate(_NAMES)}
_PAGE, _INK, _LINE, _GOOD, _BAD, _HAND = _PLACEHOLDERS
_WIDTH = 3.6  # width of a plot in inches; narrow enough that letters stay readable on a phone
_READABLE = 0.06  # a bar shorter than this fraction of the plot's width has no room for its number
_ID = re.compile(r' id="[^"]*"')


@contextmanager
def _drawing(height: float) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure and its axes, without a frame and with tick labels in a placeholder colour."""
    with mpl.rc_context({"svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
        # no tick marks, because each would become a `<use>` element with an id
        axes.tick_params(length=0, labelcolor=_INK)
        yield figure, axes


def _svg(figure: Figure, label: str, words: Mapping[str, str]) -> Markup:
    """Return a figure as SVG for the page.

    Args:
        figure: the matplotlib figure.
        label: the description for screen readers.
        words: the strings of the page. They replace placeholders such as `@axis_students` in the figure.
    """
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    # Remove Matplotlib's style sheet, which would apply to the whole page, and its ids, which are the same in
    # every plot.
    svg = re.sub(r"<metadata>.*?</metadata>|<defs>.*?</defs>", "", svg, flags=re.DOTALL)
    svg = _ID.sub("", svg)
    for colour, name in _PLACEHOLDERS.items():
        svg = svg.replace(colour, f"var({name})")
    # Matplotlib's fonts may lack Korean glyphs. So Matplotlib draws placeholders such as "@axis_percent", and
    # the axis labels replace them here, after the figure has been rendered.
    svg = re.sub(r"@(\w+)", lambda match: str(escape(words[match[1]])), svg)
    head = f'<svg role="img" aria-label="{escape(label)}" '
    return Markup(re.sub(r'^<svg [^>]*?viewBox="([^"]*)"[^>]*>', rf'{head}viewBox="\1">', svg))


def _number(axes: Axes, text: str, point: tuple[float, float], colour: str) -> None:
    """Write a number just above a point of the plot."""
    axes.annotate(text, point, (0, 3), textcoords="offset points", ha="center", color=colour)


def histogram(counts: Sequence[int], label: str, words: Mapping[str, str]) -> Markup:
    """Draw a histogram of the students' scores as fractions of the maximum, with one bar for each tenth."""
    with _drawing(1.9) as (figure, axes):
        middles = [10 * index + 5 for index in range(len(counts))]
        axes.bar(middles, counts, width=9, color=_HAND, clip_on=False)
        axes.axhline(0, color=_INK, linewidth=0.8, clip_on=False)
        for middle, count in zip(middles, counts, strict=True):
            if count:
                _number(axes, str(count), (middle, count), _INK)
        axes.set(xlim=(0, 100), xticks=range(0, 101, 20), yticks=[], ylim=(0, max(1, *counts) * 1.12))
        axes.set_xlabel("@axis_percent", color=_INK)
        return _svg(figure, label, words)


def stacked_bars(rows: Mapping[str, Sequence[int]], label: str, words: Mapping[str, str]) -> Markup:
    """Draw a bar for each task, divided into the students who passed, failed and skipped the task.

    Args:
        rows: the numbers of students who passed, failed and skipped a task, keyed by the task's name. If the
            name is not ASCII, the plot shows the task's position in `rows` instead.
        label: the description for screen readers.
        words: the strings of the page.
    """
    with _drawing(0.55 + 0.3 * len(rows)) as (figure, axes):
        names = [name if name.isascii() else str(number) for number, name in enumerate(rows, 1)]
        positions = range(len(names))
        offsets = [0] * len(names)
        longest = max(1, *map(sum, rows.values()))
        for part, (colour, number) in enumerate(((_GOOD, _PAGE), (_BAD, _PAGE), (_LINE, _INK))):
            lengths = [row[part] for row in rows.values()]
            bars = axes.barh(
                positions, lengths, left=offsets, height=0.7, color=colour, edgecolor=_PAGE, clip_on=False
            )
            bar_labels = [str(length) if length >= _READABLE * longest else "" for length in lengths]
            axes.bar_label(bars, bar_labels, label_type="center", color=number)
            offsets = [start + length for start, length in zip(offsets, lengths, strict=True)]
        axes.set(yticks=positions, yticklabels=names, xlim=(0, longest), ylim=(len(names) - 0.5, -0.5))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_xlabel("@axis_students", color=_INK)
        return _svg(figure, label, words)


def course(
    rows: Mapping[str, tuple[int, float | None]], students: int, label: str, words: Mapping[str, str]
) -> Markup:
    """Draw the percentage of students who handed in each lesson, and the lesson's mean score.

    Args:
        rows: for each lesson, keyed by its number, the number of students who handed it in, and their mean
            score as a fraction of the points; the mean is None if nothing was graded.
        students: the number of students in the class.
        label: the description for screen readers.
        words: the strings of the page.
    """
    with _drawing(2.0) as (figure, axes):
        submitted = [100 * count / max(1, students) for count, _ in rows.values()]
        positions = range(len(rows))
        axes.bar(positions, submitted, width=0.8, color=_LINE, clip_on=False)
        axes.axhline(0, color=_INK, linewidth=0.8, clip_on=False)
        means = [
            (position, 100 * mean) for position, (_, mean) in enumerate(rows.values()) if mean is not None
        ]
        for position, mean in means:
            axes.hlines(mean, position - 0.4, position + 0.4, color=_GOOD, linewidth=2, clip_on=False)
            _number(axes, f"{mean:.0f}", (position, mean), _GOOD)
        axes.set(xticks=positions, xticklabels=list(rows), ylim=(0, 108), yticks=range(0, 101, 50))
        axes.set_xlabel("@axis_lesson", color=_INK)
        axes.set_ylabel("@axis_percent_short", color=_INK)
        return _svg(figure, label, words)
