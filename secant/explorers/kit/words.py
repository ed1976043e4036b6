"""What stands in HTML around a picture: its legend, the numbers below it, and what is wrong above it.

Figures carry symbols and numbers only. Words stand here, so that Korean needs no font and a screen reader
finds them.
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
# On a dark page the legend's drawings have the colours of the picture's.
STYLE %= "\n".join(
    f'.secant-dark .secant-legend [{part}="{light}"] {{ {part}: {dark}; }}'
    for light, dark in DARK.items()
    for part in ("stroke", "fill")
)


class Row(NamedTuple):
    """A number with what it is. Its class is `secant-KEY`, which tests and screen readers go by."""

    key: str
    label: str  # HTML
    formula: str  # or a remark in symbols, HTML
    number: str


# Significant digits of a quotient at most, of the 7 and 16 that a dtype holds, and of a number that is right
# to the last: more are only in the way of reading.
MOST = {"float32": 7, "float64": 10}
PLENTY = 8
TELLING = {"float32": 9, "float64": 17}  # that tell any two numbers of a dtype apart


def digits(number: float, noise: float = 0.0, most: int = PLENTY, least: int = 2) -> str:
    """Return a number to one digit more than rounding errors leave right, but to `least` at least.

    Args:
        number: what to show.
        noise: about how large the rounding error in it is.
        most: how many digits to show of a number with little noise in it.
        least: how many to show of one with much, as `apart` says.
    """
    places = most
    ratio = abs(float(number)) / float(noise) if noise > 0 else 0.0
    if 0 < ratio < math.inf:
        places = min(1 + math.floor(math.log10(ratio)), most)
    return f"{number:.{max(places, least)}g}"


def quotient_digits(number: float, noise: float, dtype: str = "float64", least: int = 2) -> str:
    """Return the digits of a quotient, or of its distance from a slope, that rounding errors leave right."""
    return digits(number, noise, MOST[dtype], least)


def compared(quotient: float, slope: float, noise: float, dtype: str = "float64") -> tuple[str, str, str]:
    """Return the digits of a quotient and of a slope, as many as show how far they are apart, and of that."""
    error = abs(float(quotient) - float(slope))  # numpy would warn of inf - inf
    least = _apart(quotient, error, dtype)
    return (
        quotient_digits(quotient, noise, dtype, least),
        digits(slope, most=min(PLENTY, MOST[dtype]), least=least),
        quotient_digits(error, noise, dtype),
    )


def _apart(number: float, distance: float, dtype: str = "float64") -> int:
    """Return to how many digits a number and another, so far from it, differ as their distance says."""
    ratio = abs(float(number)) / float(distance) if distance else 0.0
    if not 0 < ratio < math.inf:
        return 2
    return min(max(2, 2 + math.floor(math.log10(ratio))), TELLING[dtype])


def rounded(values: Iterable[float], places: int = 4, between: str = ", ") -> str:
    """Return numbers to so many significant digits, in one line of text."""
    return between.join(f"{value:.{places}g}" for value in values)


def quotient_row(formula: str, number: str) -> Row:
    """Return the row of the difference quotient."""
    return Row("quotient", say(en="difference quotient", ko="차분몫"), formula, number)


def gradient_row(number: str) -> Row:
    """Return the row of autograd's gradient."""
    return Row("gradient", say(en="autograd's gradient", ko="autograd의 gradient"), "x.grad", number)


def error_row(number: str, h: float) -> Row:
    """Return the row of how far the quotient and the gradient are apart."""
    label = say(en="difference between quotient and gradient", ko="차분몫과 gradient의 차이")
    return Row("error", label, step(h), number)


def step(h: float) -> str:
    """Return the step that was chosen, as text."""
    return f"h = {h:.6g}"


def plain(row: Row) -> str:
    """Return a row as text, without markup."""
    label, formula, number = (html.unescape(re.sub("<[^>]*>", "", part)) for part in row[1:])
    return f"{label}, {formula}: {number}" if formula else f"{label}: {number}"


def is_finite(row: Row) -> bool:
    """Return whether a row has neither nan nor inf in it."""
    return not re.search(r"\b(nan|inf)\b", plain(row))


def not_finite() -> str:
    """Return what nan and inf among the numbers mean, where an explorer says nothing more special."""
    return say(
        en="nan and inf stand where there is no finite number: the function, or its slope, has none "
        "at one of the points compared.",
        ko="nan과 inf는 유한한 수가 없다는 뜻입니다. 비교하는 점 가운데 함수의 값이나 기울기가 "
        "유한하지 않은 곳이 있습니다.",
    )


def numbers(rows: Iterable[Row], remarks: Iterable[str] = ()) -> str:
    """Return a table of numbers with remarks (plain text) below, as HTML."""
    cells = "".join(
        f'<span>{label}</span><span>{formula}</span><output class="secant-{key}">{number}</output>'
        for key, label, formula, number in rows
    )
    return (
        '<div class="secant-words" role="status" aria-live="polite">'
        f'<div class="secant-numbers">{cells}</div>'
        f'<div class="secant-remarks">{_paragraphs(remarks)}</div></div>'
    )


def problems(found: Iterable[str]) -> str:
    """Return what is wrong with a function (plain text), as HTML."""
    return f'<div class="secant-problems" role="status" aria-live="polite">{_paragraphs(found)}</div>'


def no_kernel() -> str:
    """Return what to say where nothing answers a hand any more."""
    return say(
        en="The kernel has stopped or was restarted: run this cell again to continue.",
        ko="커널이 멈추었거나 다시 시작되었습니다. 이 셀을 다시 실행하면 이어서 쓸 수 있습니다.",
    )


def show_numbers() -> str:
    """Return what the button says that shows the numbers."""
    return say(en="show the numbers", ko="값 보기")


def or_move() -> str:
    """Return what else shows them."""
    return say(en="or move something", ko="슬라이더를 움직여도 값이 나타납니다")


def no_value() -> str:
    """Return what is wrong with a function that nothing can be shown of, though it raises nothing."""
    return say(
        en="The function has no finite value anywhere in this range, so there is nothing to show.",
        ko="이 범위 어디에서도 함수의 값이 유한하지 않아 보여 줄 것이 없습니다.",
    )


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)


# Legends

Entry = tuple[str, str, str]  # what `sample` or `line` made; words in English and in Korean, HTML


def legend(*columns: Iterable[Entry]) -> str:
    """Return what the lines and markers mean, as HTML."""
    body = "".join(
        "<div>" + "".join(f"<div>{drawing}{say(en=en, ko=ko)}</div>" for drawing, en, ko in column) + "</div>"
        for column in columns
    )
    return f'<div class="secant-legend">{body}</div>'


def line(color: str, width: float, dashes: str = "", mark: str = "") -> str:
    """Return a small drawing of a line (its dashes as in SVG) with a marker (an SVG shape), for `legend`."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    path = f'<path d="M3 7H35" stroke="{color}" fill="none" stroke-width="{width}"{dashed}/>'
    return sample(path + mark)


def sample(mark: str) -> str:
    """Return a small drawing of a marker (an SVG shape), for `legend`."""
    return f'<svg viewBox="0 0 38 14" aria-hidden="true">{mark}</svg>'


def disc(color: str, radius: float, fill: str = "none") -> str:
    """Return a disc, hollow without a fill."""
    return f'<circle cx="19" cy="7" r="{radius}" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def square(color: str) -> str:
    """Return a square."""
    return f'<path d="M16 4h6v6h-6z" fill="{color}"/>'


def triangle(color: str, *, down: bool = False) -> str:
    """Return a triangle that points up, or down."""
    return f'<path d="{"M19 11 22.5 4h-7z" if down else "M19 3 22.5 10h-7z"}" fill="{color}"/>'


def cross(color: str) -> str:
    """Return a broad cross."""
    return f'<path d="M18 3h2v3h3v2h-3v3h-2v-3h-3v-2h3z" fill="{color}"/>'


def frame(color: str) -> str:
    """Return a hollow square."""
    return f'<path d="M15 3h8v8h-8z" fill="none" stroke="{color}" stroke-width="2"/>'


def diamond(color: str, fill: str = "none") -> str:
    """Return a diamond, hollow without a fill."""
    return f'<path d="M19 1.5 24.5 7 19 12.5 13.5 7z" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def bar(color: str, opacity: float = 1) -> str:
    """Return a broad bar."""
    return f'<path d="M5 3h28v8h-28z" fill="{color}" fill-opacity="{opacity}"/>'


def arrow(color: str, width: float, dashes: str = "", *, closed: bool = False) -> str:
    """Return a small drawing of an arrow, its head open or closed to a triangle, for `legend`."""
    path = f"M28 2.5 35 7 28 11.5{'z' if closed else ''}"
    return line(color, width, dashes, f'<path d="{path}" stroke="{color}" stroke-width="2" fill="none"/>')


SECANT_LINE, TANGENT_LINE = line(SECANT, 4), line(TANGENT, 2.5, "7 4")
CURVE_LINE = line(INK, 2)
LINES = {"curve": CURVE_LINE, "secant": SECANT_LINE, "slope": TANGENT_LINE}  # of nearly every left picture
POINTS = sample(disc(INK, 3.5, INK)) + sample(diamond(SECANT))
STEP_LINE = line(INK, 1.5, "2 2", disc(INK, 4.5))
