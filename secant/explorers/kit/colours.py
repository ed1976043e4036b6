"""The explorers' colours, from the colour-blind safe palettes of Okabe and Ito and of Paul Tol."""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.figure import Figure

INK, SECANT, TANGENT = "#000000", "#D55E00", "#0072B2"
PURPLE, GREEN, SKY, AMBER = "#882255", "#009E73", "#56B4E9", "#E69F00"
GRID, PAPER = "#B8B8B8", "#ffffff"

#: The colours on a dark page: the same hues, but lighter, with a contrast of at least 6:1 against
#: JupyterLab's background. Only the grid is darker, so that it stays faint.
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
    """Return a table that maps the original colours to the colours for a page with the given background."""
    # A figure can be recoloured more than once. If its background became exactly INK, the next recolouring
    # would turn the background light.
    paper = NEARLY_BLACK if background == INK else background
    return {**DARK, PAPER: paper} if dark else {PAPER: paper}


def recolour(figure: Figure, table: dict[str, str]) -> None:
    """Recolour a figure's artists; the table maps each old colour to the new one."""
    changes = {light.lower(): dark for light, dark in table.items() if light.lower() != dark.lower()}
    # On a white page no colour changes, so skip the search of all artists. The search would take a fifth of
    # the time that drawing the artists takes.
    if not changes:
        return
    for axes in figure.axes:
        # `tick_params` also colours the ticks that matplotlib creates later.
        axes.tick_params(which="both", colors=changes.get(INK, INK))
    for artist in figure.findobj():
        parts = (artist, getattr(artist, "arrow_patch", None), getattr(artist, "_bbox_patch", None))
        for part in filter(None, parts):  # `findobj` does not return the arrow and the box of a text artist
            _recolour(part, changes)


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
