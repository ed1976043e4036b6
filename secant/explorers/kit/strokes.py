"""A matplotlib renderer that records paths instead of drawing them; the page's canvas draws these paths."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import to_hex
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Transform

Stroke = dict[str, Any]  # a path with its style and its positions, in the format that picture.js reads

LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C", Path.CLOSEPOLY: "Z"}
CAPS = {"butt": "butt", "round": "round", "projecting": "square"}
ORIGIN = [[0.0, 0.0]]
BEYOND = 100.0  # distance beyond the edge of the figure, in pixels, at which a long line is cut off


class Recorder(RendererBase):
    """A renderer that records strokes (styled paths) in pixels from the figure's lower left corner."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__()
        self.size = width, height
        self.scale = dpi / 72  # pixels per point
        self.strokes: list[Stroke] = []

    def draw_path(
        self, gc: GraphicsContextBase, path: Path, transform: Transform, rgbFace: Any = None
    ) -> None:
        """Record a path."""
        self._note(gc, self._svg(path, transform, filled=rgbFace is not None), ORIGIN, rgbFace)

    def draw_markers(
        self,
        gc: GraphicsContextBase,
        marker_path: Path,
        marker_trans: Transform,
        path: Path,
        trans: Transform,
        rgbFace: Any = None,
    ) -> None:
        """Record a marker's shape once, with all of its positions."""
        vertices = trans.transform(path.vertices)
        points = vertices[np.isfinite(vertices).all(axis=1)].round(1).tolist()
        if points:
            self._note(gc, _shape(marker_path, marker_trans.get_matrix().tobytes()), points, rgbFace)

    def points_to_pixels(self, points: Any) -> Any:
        return points * self.scale

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self.size

    def flipy(self) -> bool:
        return False  # the y axis points up, as in matplotlib

    def _svg(self, path: Path, transform: Transform, *, filled: bool) -> str:
        width, height = self.size
        clip = None if filled else (-BEYOND, -BEYOND, width + BEYOND, height + BEYOND)
        simplify = path.should_simplify and not filled
        return "".join(_words(path.cleaned(transform, True, clip, simplify=simplify, curves=True)))

    def _note(self, gc: Any, path: str, points: list[list[float]], face: Any) -> None:
        stroke: Stroke = {"path": path, "at": points}
        if clip := self._clip(gc):
            stroke["clip"] = clip
        if face is not None and (fill := _colour(gc, face)):
            stroke["fill"] = fill
        if (line := _colour(gc, gc.get_rgb())) and gc.get_linewidth() > 0:
            stroke |= {"line": line, "thick": round(self.points_to_pixels(gc.get_linewidth()), 2)}
            stroke |= {"cap": CAPS[gc.get_capstyle()], "join": gc.get_joinstyle()}
            start, dashes = gc.get_dashes()
            if dashes is not None:
                stroke["dash"] = [round(self.points_to_pixels(part), 2) for part in dashes]
                stroke["start"] = self.points_to_pixels(start)
        if path and ("fill" in stroke or "line" in stroke):
            self.strokes.append(stroke)

    def _clip(self, gc: Any) -> str:
        path, transform = gc.get_clip_path()
        if path is not None:
            return self._svg(path, transform, filled=True)
        box = gc.get_clip_rectangle()
        if box is None:
            return ""
        (left, low), (right, high) = box.get_points().tolist()
        return f"M{left:.1f} {low:.1f} L{right:.1f} {low:.1f} {right:.1f} {high:.1f} {left:.1f} {high:.1f} Z"


@lru_cache(maxsize=256)
def _shape(path: Path, matrix: bytes) -> str:
    """Return the SVG path of a marker's shape.

    The affine matrix is given as bytes, because the cache needs hashable arguments.
    """
    transform = Affine2D(np.frombuffer(matrix).reshape(3, 3))
    return "".join(_words(path.cleaned(transform, True, curves=True)))


def _words(path: Path) -> Iterator[str]:
    """Yield the tokens of a cleaned path in SVG syntax: coordinates, and a letter for each new command."""
    before = None
    codes, vertices = np.asarray(path.codes).tolist(), np.asarray(path.vertices).tolist()
    for code, (x, y) in zip(codes, vertices, strict=True):
        if code == Path.STOP:
            return
        if code != before or code == Path.MOVETO:
            yield LETTERS[code]
        if code != Path.CLOSEPOLY:
            yield f"{x:.1f} {y:.1f} "
        before = code


def _colour(gc: Any, rgb: Any) -> str:
    """Return a colour in CSS notation, or "" if it is fully transparent."""
    alpha = gc.get_alpha() if len(rgb) == 3 or gc.get_forced_alpha() else rgb[3]
    return _hex(*rgb[:3], alpha) if alpha > 0 else ""


@lru_cache(maxsize=256)
def _hex(red: float, green: float, blue: float, alpha: float) -> str:
    return to_hex((red, green, blue, alpha), keep_alpha=True)
