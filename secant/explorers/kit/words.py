"""The HTML around a figure: problems above the figure, and the legend and the table of numbers below it.

Figures contain only symbols and numbers. Sentences are in HTML, so that Korean needs no font in the figure
and a screen reader finds them.
"""

import html
import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from secant.explorers.kit.colours import DARK, INK, SECANT, TANGENT
from secant.language import say

STYLE = """<style>
.secant-legend { display: flex; flex-wrap: wrap; gap: 0 24px; line-height: 1.4;
  word-break: keep-all; overflow-wrap: anywhere; }
.secant-legend > div { flex: 1 1 250px; }
.secant-legend > div > div { padding-left: 44px; text-indent: -44px; }
.secant-legend svg { width: 38px; height: 14px; vertical-align: -2px;
  margin-right: 6px; }
.secant-words { margin: 8px 0 0 3px; line-height: 1.5; container-type: inline-size; }
.secant-numbers { display: grid; gap: 0 18px;
  grid-template-columns: max-content minmax(min-content, max-content) 1fr; }
.secant-numbers output { font-family: var(--jp-code-font-family, monospace); font-weight: 600;
  white-space: nowrap; }
@container (max-width: 480px) {
  .secant-numbers { grid-template-columns: fit-content(60%%) 1fr; }
  .secant-numbers span:nth-child(3n + 1) { grid-column: 1 / -1; }
  .secant-numbers output { white-space: normal; }
}
.secant-remarks { min-height: 3.2em; }
@media (max-height: 800px) { .secant-remarks { min-height: 0; } }
.secant-remarks p { margin: 4px 0 0; }
.secant-problems { margin: 8px 3px; padding: 6px 12px; line-height: 1.5;
  border-left: 4px solid var(--jp-error-color1, #D55E00); }
.secant-problems p { margin: 0; }
%s
</style>"""
# On a dark page, the legend's drawings have the same lighter colours as the figure.
STYLE %= "\n".join(
    f'.secant-dark .secant-legend [{part}="{light}"] {{ {part}: {dark}; }}'
    for light, dark in DARK.items()
    for part in ("stroke", "fill")
)


class Row(NamedTuple):
    """A row of the table of numbers. Its number has the CSS class `secant-KEY`, by which tests find it."""

    key: str
    label: str  # the meaning of the number, as HTML
    formula: str  # a formula, or a remark in symbols, as HTML
    number: str


# Maximum number of significant digits to show: for a difference quotient in each dtype (float32 holds about 7
# digits, float64 about 16), and for a number without a rounding error. More digits would be harder to read.
MAX_DIGITS = {"float32": 7, "float64": 10}
MAX_EXACT_DIGITS = 8
# Number of significant digits that distinguish any two numbers of the dtype.
UNIQUE_DIGITS = {"float32": 9, "float64": 17}


def digits(number: float, noise: float = 0.0, max_digits: int = MAX_EXACT_DIGITS, min_digits: int = 2) -> str:
    """Format a number with the digits that are correct despite its rounding error, and one more.

    Args:
        number: the number to format.
        noise: the approximate size of its rounding error.
        max_digits: the largest number of significant digits.
        min_digits: the smallest number of significant digits, however large the noise.
    """
    places = max_digits
    ratio = abs(float(number)) / float(noise) if noise > 0 else 0.0
    if 0 < ratio < math.inf:
        places = min(1 + math.floor(math.log10(ratio)), max_digits)
    return f"{number:.{max(places, min_digits)}g}"


def quotient_digits(number: float, noise: float, dtype: str = "float64", min_digits: int = 2) -> str:
    """Format a difference quotient, or its distance from a slope, with as many digits as rounding permits."""
    return digits(number, noise, MAX_DIGITS[dtype], min_digits)


def compared_digits(
    quotient: float, slope: float, noise: float, dtype: str = "float64"
) -> tuple[str, str, str]:
    """Format a difference quotient, a slope, and their distance, with enough digits to show the distance."""
    error = abs(float(quotient) - float(slope))  # Python floats, because NumPy would warn about inf - inf
    min_digits = _distinguishing_digits(quotient, error, dtype)
    return (
        quotient_digits(quotient, noise, dtype, min_digits),
        digits(slope, max_digits=min(MAX_EXACT_DIGITS, MAX_DIGITS[dtype]), min_digits=min_digits),
        quotient_digits(error, noise, dtype),
    )


def _distinguishing_digits(number: float, distance: float, dtype: str = "float64") -> int:
    """Return how many significant digits two numbers need so that their distance is visible.

    Args:
        number: one of the numbers.
        distance: its distance from the other number.
        dtype: the dtype of both numbers.
    """
    ratio = abs(float(number)) / float(distance) if distance else 0.0
    if not 0 < ratio < math.inf:
        return 2
    return min(max(2, 2 + math.floor(math.log10(ratio))), UNIQUE_DIGITS[dtype])


def rounded(values: Iterable[float], places: int = 4, between: str = ", ") -> str:
    """Format numbers on one line, each with `places` significant digits."""
    return between.join(f"{value:.{places}g}" for value in values)


def quotient_row(formula: str, number: str) -> Row:
    """Return the table row for the difference quotient."""
    return Row("quotient", say(en="difference quotient", ko="차분몫"), formula, number)


def gradient_row(number: str) -> Row:
    """Return the table row for autograd's gradient."""
    return Row("gradient", say(en="autograd's gradient", ko="autograd의 gradient"), "x.grad", number)


def error_row(number: str, h: float) -> Row:
    """Return the table row for the distance between the quotient and the gradient."""
    label = say(en="difference between quotient and gradient", ko="차분몫과 gradient의 차이")
    return Row("error", label, step(h), number)


def step(h: float) -> str:
    """Return the chosen step as text, such as "h = 0.01"."""
    return f"h = {h:.6g}"


def plain(row: Row) -> str:
    """Return a table row as plain text, without markup."""
    label, formula, number = (html.unescape(re.sub("<[^>]*>", "", part)) for part in row[1:])
    return f"{label}, {formula}: {number}" if formula else f"{label}: {number}"


def is_finite(row: Row) -> bool:
    """Return whether a table row contains neither nan nor inf."""
    return not re.search(r"\b(nan|inf)\b", plain(row))


def not_finite() -> str:
    """Return a general explanation of nan and inf, for an explorer that has no specific remark."""
    return say(
        en="nan and inf stand where there is no finite number: the function, or its slope, has none "
        "at one of the points compared.",
        ko="nan과 inf는 유한한 수가 없다는 뜻입니다. 비교하는 점 가운데 함수의 값이나 기울기가 "
        "유한하지 않은 곳이 있습니다.",
    )


def numbers(rows: Iterable[Row], remarks: Iterable[str] = ()) -> str:
    """Return the HTML of a table of numbers, followed by remarks that are given as plain text."""
    cells = "".join(
        f'<span>{label}</span><span>{formula}</span><output class="secant-{key}">{number}</output>'
        for key, label, formula, number in rows
    )
    return (
        '<div class="secant-words" role="status" aria-live="polite">'
        f'<div class="secant-numbers">{cells}</div>'
        f'<div class="secant-remarks">{_paragraphs(remarks)}</div></div>'
    )


def problems(sentences: Iterable[str]) -> str:
    """Return the HTML of the problems with a function; `sentences` holds them as plain text."""
    return f'<div class="secant-problems" role="status" aria-live="polite">{_paragraphs(sentences)}</div>'


def no_kernel() -> str:
    """Return the message for an explorer whose kernel has stopped."""
    return say(
        en="The kernel has stopped or was restarted: run this cell again to continue.",
        ko="커널이 멈추었거나 다시 시작되었습니다. 이 셀을 다시 실행하면 이어서 쓸 수 있습니다.",
    )


def show_numbers() -> str:
    """Return the label of the button that shows the numbers."""
    return say(en="show the numbers", ko="값 보기")


def or_move() -> str:
    """Return the hint next to the button that shows the numbers: moving a control also shows them."""
    return say(en="or move something", ko="슬라이더를 움직여도 값이 나타납니다")


def no_value() -> str:
    """Return the message about a function that raises no error but has no finite value in the whole range."""
    return say(
        en="The function has no finite value anywhere in this range, so there is nothing to show.",
        ko="이 범위 어디에서도 함수의 값이 유한하지 않아 보여 줄 것이 없습니다.",
    )


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)


# Drawing the legend

# A legend entry, as three HTML strings: a drawing made by `sample` or `line`, and its text in English and in
# Korean.
Entry = tuple[str, str, str]


def legend(*columns: Iterable[Entry]) -> str:
    """Return the HTML of a legend: the meaning of each kind of line and marker in a figure."""
    body = "".join(
        "<div>" + "".join(f"<div>{drawing}{say(en=en, ko=ko)}</div>" for drawing, en, ko in column) + "</div>"
        for column in columns
    )
    return f'<div class="secant-legend">{body}</div>'


def line(color: str, width: float, dashes: str = "", mark: str = "") -> str:
    """Return the SVG of a line for `legend`, with SVG dashes and an optional marker in the middle."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    path = f'<path d="M3 7H35" stroke="{color}" fill="none" stroke-width="{width}"{dashed}/>'
    return sample(path + mark)


def sample(mark: str) -> str:
    """Return an SVG drawing, for `legend`, that contains the given SVG shape."""
    return f'<svg viewBox="0 0 38 14" aria-hidden="true">{mark}</svg>'


def disc(color: str, radius: float, fill: str = "none") -> str:
    """Return the SVG shape of a disc, hollow unless a fill is given."""
    return f'<circle cx="19" cy="7" r="{radius}" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def square(color: str) -> str:
    """Return the SVG shape of a filled square."""
    return f'<path d="M16 4h6v6h-6z" fill="{color}"/>'


def triangle(color: str, *, down: bool = False) -> str:
    """Return the SVG shape of a triangle that points up or down."""
    return f'<path d="{"M19 11 22.5 4h-7z" if down else "M19 3 22.5 10h-7z"}" fill="{color}"/>'


def cross(color: str) -> str:
    """Return the SVG shape of a thick plus sign."""
    return f'<path d="M18 3h2v3h3v2h-3v3h-2v-3h-3v-2h3z" fill="{color}"/>'


def frame(color: str) -> str:
    """Return the SVG shape of a hollow square."""
    return f'<path d="M15 3h8v8h-8z" fill="none" stroke="{color}" stroke-width="2"/>'


def diamond(color: str, fill: str = "none") -> str:
    """Return the SVG shape of a diamond, hollow unless a fill is given."""
    return f'<path d="M19 1.5 24.5 7 19 12.5 13.5 7z" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def bar(color: str, opacity: float = 1) -> str:
    """Return the SVG shape of a thick bar."""
    return f'<path d="M5 3h28v8h-28z" fill="{color}" fill-opacity="{opacity}"/>'


def arrow(color: str, width: float, dashes: str = "", *, closed: bool = False) -> str:
    """Return the SVG of an arrow that has an open or a triangular head, for `legend`."""
    path = f"M28 2.5 35 7 28 11.5{'z' if closed else ''}"
    return line(color, width, dashes, f'<path d="{path}" stroke="{color}" stroke-width="2" fill="none"/>')


SECANT_LINE, TANGENT_LINE = line(SECANT, 4), line(TANGENT, 2.5, "7 4")
CURVE_LINE = line(INK, 2)
# Legend drawings for the left plot of nearly every explorer.
LINES = {"curve": CURVE_LINE, "secant": SECANT_LINE, "slope": TANGENT_LINE}
POINTS = sample(disc(INK, 3.5, INK)) + sample(diamond(SECANT))
STEP_LINE = line(INK, 1.5, "2 2", disc(INK, 4.5))
