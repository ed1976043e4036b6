"""The explorers' colours: Okabe and Ito's and one of Tol's, which differ to colour-blind eyes too."""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.figure import Figure

INK, SECANT, TANGENT = "#000000", "#D55E00", "#0072B2"
PURPLE, GREEN, SKY, AMBER = "#882255", "#009E73", "#56B4E9", "#E69F00"
GRID, PAPER = "#B8B8B8", "#ffffff"

#: What each becomes on a dark page: the same hue, lighter, 6 to 1 or more against JupyterLab's background.
DARK = {
    INK: "#E6E6E6",
    SECANT: "#FF8B3D",
    TANGENT: "#4FA8F7",
    PURPLE: "#E583B4",
    GREEN: "#33CFA0",
    SKY: "#A5DCFF",
    AMBER: "#FFC84A",
    GRID: "#5C5C5C",
}

NEARLY_BLACK = "#010101"

_PROPERTIES = ("color", "markeredgecolor", "markerfacecolor", "facecolor", "edgecolor")


def on_page(background: str, *, dark: bool) -> dict[str, str]:
    """Return what colours become on a page with this background."""
    # A figure is recoloured more than once: what has turned into ink would turn light the next time.
    paper = NEARLY_BLACK if background == INK else background
    return {**DARK, PAPER: paper} if dark else {PAPER: paper}


def recolour(figure: Figure, table: dict[str, str]) -> None:
    """Give everything in a figure that has a colour of the table the one that stands there for it."""
    known = {light.lower(): dark for light, dark in table.items() if light.lower() != dark.lower()}
    if not known:  # a white page: looking at each artist takes a fifth as long as drawing it
        return
    for axes in figure.axes:
        axes.tick_params(which="both", colors=known.get(INK, INK))  # ticks to come, too
    for artist in figure.findobj():
        parts = (artist, getattr(artist, "arrow_patch", None), getattr(artist, "_bbox_patch", None))
        for part in filter(None, parts):  # a text's arrow and box are nobody's children
            _recolour(part, known)


def _recolour(artist: Artist, table: dict[str, str]) -> None:
    for name in _PROPERTIES:
        colour: Any = getattr(artist, f"get_{name}", str)()
        if isinstance(colour, str) and colour in ("", "none", "auto"):
            continue
        before = to_rgba_array(colour)
        after = before.copy()
        for row in after:
            if other := table.get(to_hex(row)):
                row[:3] = to_rgba_array(other)[0, :3]
        if not np.array_equal(before, after):
            getattr(artist, f"set_{name}")([*map(tuple, after)] if len(after) > 1 else tuple(after[0]))
