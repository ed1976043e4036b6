"""Record every state of an explorer in its lesson's kernel: torch's numbers and matplotlib's drawings."""

import base64
import dataclasses
import gc
import gzip
import html
import io
import json
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import matplotlib
import torch
from ipywidgets import Widget
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from autograder.page.formulas import mathml
from scripts.preview.grid import Axis, canonical_state, grid, moves_of_choices, questions, states
from scripts.preview.pack import pack
from secant import predictions
from secant.explorers.kit import words
from secant.explorers.kit.canvas import Stage
from secant.explorers.kit.strokes import Recorder
from secant.explorers.kit.widget import Panel, set_scene
from secant.language import say
from secant.quiet import quietly

# Maximum number of bytes in a lesson's recordings. Recordings and scripts together stay below 300,000 bytes.
BYTES = 285_000
STATES = 7_000  # approximate number of recorded states of an explorer; fewer if BYTES would be exceeded
SHRINK = 0.8

_LIVE_REGION = re.compile(r' (role="status"|aria-live="polite")')
_FORMULA = re.compile(r"\$([^$]+)\$")
_PATH = re.compile(r' d="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{3,}")
_ZERO = re.compile(r"-(0(?:\.0+)?)(?![\d.])")
# Matches an SVG's width and height, which matplotlib writes in points. A page needs them in pixels.
_SIZE = re.compile(r'width="[\d.]+pt" height="[\d.]+pt"')


def recorded_states(max_states: int = STATES) -> dict[str, Any]:
    """Return the states of this kernel's widgets, keyed by model id, with additional data for a page.

    An explorer's state gets a recording and a description of its picture in words. The explorer itself sends
    the description only when the user pauses. A prediction's state gets its choices, and the state of its
    reply gets the replies to all choices.

    Args:
        max_states: the approximate maximum number of states of an explorer.
    """
    widget_states: dict[str, Any] = Widget.get_manager_state()["state"]
    # Do not use a widget manager: it would keep widgets that have been replaced by running a cell again.
    objects = gc.get_objects()
    panels = [candidate for candidate in objects if issubclass(type(candidate), Panel)]
    for panel, recording in zip(panels, recordings_within_limit(panels, max_states), strict=True):
        widget_states[panel.model_id]["state"]["alt"] = panel.alt()
        widget_states[panel.model_id]["state"]["frames"] = base64.b64encode(recording).decode()
    for candidate in objects:
        if issubclass(type(candidate), predictions.Prediction):
            widget_states[candidate.model_id]["state"] |= {
                "name": candidate.name,
                "choices": predictions.as_html(candidate.choices),
            }
        if issubclass(type(candidate), predictions.PredictionReply):
            widget_states[candidate.model_id]["state"] |= {
                "name": candidate.name,
                "answers": predictions.replies_as_html(candidate),
            }
    return widget_states


def recordings_within_limit(panels: Sequence[Panel[Any]], max_states: int) -> list[bytes]:
    """Return the compressed recordings of a lesson's explorers, with at most BYTES bytes in total.

    While they are too large, the largest recording is made again with fewer states.
    """
    counts = [max_states for _ in panels]
    recordings = [compress(recording_of(panel, max_states)) for panel in panels]
    while (size := sum(map(len, recordings))) > BYTES:
        largest = max(range(len(recordings)), key=lambda i: len(recordings[i]))
        counts[largest] = int(counts[largest] * min(SHRINK, BYTES / size))
        if not counts[largest]:
            raise ValueError(f"recordings of {size} bytes have no points to lose")
        recordings[largest] = compress(recording_of(panels[largest], counts[largest]))
    return recordings


def compress(recording: dict[str, Any]) -> bytes:
    """Return a recording as compressed JSON, the form in which a page fetches it.

    The same recording always gives the same bytes.
    """
    text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def recording_of(panel: Panel[Any], max_states: int) -> dict[str, Any]:
    """Return an explorer's recording for `explorer.js`: its controls, and the frames of all states.

    Args:
        panel: the explorer.
        max_states: the approximate maximum number of states.
    """
    # An empty `look` means that no page shows the explorer. The explorer then draws nothing by itself.
    look, panel.view.look = panel.view.look, {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the arrays are small, so threads would only wait for each other
    try:
        axes = grid(panel, max_states)
        shape = [len(axis.points) for axis in axes]
        camera = FrameCamera(panel)
        frames = [camera.frame(axes, canonical_state(axes, state)) for state in states(axes)]
        parts = {name: pack([frame[name] for frame in frames], shape) for name in frames[0]}
        return {
            "axes": [_axis_data(*pair) for pair in zip(axes, moves_of_choices(panel, axes), strict=True)],
            "start": [axis.current_index(panel) for axis in axes],
            "questions": questions(panel, axes),
            "arrows": panel.arrows,
            "label": panel.view.label,
            "size": camera.size,
            "of": camera.axes_of_artists,
            "caption": caption(axes),
            "asks": [_with_formulas(question.as_html(n)) for n, question in enumerate(panel.questions, 1)],
            "words": {
                "reset": say(en="reset", ko="처음으로"),
                "play": say(en="play h", ko="h 재생"),
                "question": say(en="question", ko="질문"),
            },
            "parts": {name: dataclasses.asdict(part) for name, part in parts.items()},
        }
    finally:
        torch.set_num_threads(threads)
        panel.choose(panel.start)
        panel.view.look = look


def _with_formulas(text: str) -> str:
    """Return a question's HTML with formulas as MathML.

    Omit the attributes of a live region, which would make screen readers announce changes of the question.
    """
    text = _FORMULA.sub(lambda match: mathml(html.unescape(match[1]), "inline"), text)
    return _LIVE_REGION.sub("", text)


def _axis_data(axis: Axis, moves: dict[str, dict[str, int]]) -> dict[str, Any]:
    data = {
        "name": axis.name,
        "label": axis.label,
        "kind": axis.kind,
        "texts": axis.texts,
        "leads": moves,
    }
    return data | ({"points": axis.points} if axis.kind != "list" else {})


class Pen(Recorder):
    """A recorder that stores shapes separately from their positions.

    A ring that moves, for example, has the same shape in every frame.
    """

    def draw_path_collection(
        self,
        gc: Any,
        master_transform: Any,
        paths: Any,
        all_transforms: Any,
        offsets: Any,
        offset_trans: Any,
        *styles: Any,
        **keywords: Any,
    ) -> None:
        """Record each shape and its position, using matplotlib's helper methods for renderers."""
        helpers: Any = self
        shapes = list(helpers._iter_collection_raw_paths(master_transform, paths, all_transforms))
        items = helpers._iter_collection(gc, shapes, offsets, offset_trans, *styles, **keywords)
        for x, y, (path, transform), properties, face in items:
            if math.isfinite(x) and math.isfinite(y):
                self._note(
                    properties, self._svg(path, transform, filled=True), [[round(x, 1), round(y, 1)]], face
                )


class FrameCamera:
    """A recorder of an explorer's frames, which hold the drawings and the text of each state.

    The recorder draws a new copy of the explorer's figure. A `Stage` divides this copy into a static image
    and the moving artists.
    """

    def __init__(self, panel: Panel[Any]) -> None:
        self.panel = panel
        self.picture = panel.make_picture()
        self.figure: Figure = self.picture.figure
        self.stage = Stage(self.figure, self.picture.moving)
        self.size = self.stage.size
        # For each moving artist, the index of its axes in the figure. A narrow page needs these indices in
        # order to stack the axes vertically.
        places: list[Any] = self.figure.axes
        self.axes_of_artists = [places.index(artist.axes) for artist in self.stage.moving]
        self._scenes: dict[Any, dict[str, str]] = {}
        self._drawn_scene: Any = None
        self._drawn_state: tuple[int, ...] = ()
        self._frames: dict[tuple[int, ...], dict[str, str]] = {}

    def frame(self, axes: Sequence[Axis], state: tuple[int, ...]) -> dict[str, str]:
        """Return the parts of one state's frame as strings, keyed by name; strokes are encoded as JSON."""
        if state not in self._frames:
            self._frames[state] = self._frame(axes, state)
        return self._frames[state]

    def _frame(self, axes: Sequence[Axis], state: tuple[int, ...]) -> dict[str, str]:
        # Set the first control whose position changes and all controls after it, because setting a list may
        # move the controls after it.
        first_changed = next(
            (i for i, pair in enumerate(zip(state, self._drawn_state, strict=False)) if len({*pair}) > 1), 0
        )
        for axis, index in list(zip(axes, state, strict=True))[first_changed:]:
            axis.put(self.panel, index)
        self._drawn_state, panel = state, self.panel
        is_shown = panel.has_content
        parts = {"alt": panel._alt(), "words": _LIVE_REGION.sub("", panel.words()), "problems": ""}
        if problems := panel.problems():
            parts["problems"] = _LIVE_REGION.sub("", words.problems(problems))
        with quietly():
            parts |= self._scene() if is_shown else {"still": "", "areas": "[]", "panes": "[]"}
            if is_shown:
                self.picture.move(panel.reading)
        for number, artist in enumerate(self.stage.moving):
            parts[f"stroke{number}"] = self._strokes(artist) if is_shown else "[]"
        return parts

    def _strokes(self, artist: Artist) -> str:
        if artist.axes is None or not artist.axes.get_visible():
            return "[]"
        recorder = Pen(*self.size, self.figure.dpi)
        artist.draw(recorder)
        return _ZERO.sub(r"\1", json.dumps(recorder.strokes, separators=(",", ":")))

    def _scene(self) -> dict[str, str]:
        """Draw the parts of the figure that do not move, and return them as strings, keyed by name.

        The strings contain the image, the areas in which the mouse can drag, and the panes into which a page
        can split the figure.
        """
        scene = (self.panel.scene(), self.panel.reading.visible_axes)
        if self._drawn_scene != scene:
            self._drawn_scene = scene
            self.figure.set_layout_engine("constrained")
            set_scene(self.picture, self.panel.reading)
            self.stage.canvas.draw()
            # Keep this layout. In an SVG, text has other widths, so a new layout would move the axes.
            self.figure.set_layout_engine("none")
            self.panel.picture = self.picture
            self._scenes[scene] = {
                "still": self._svg(),
                "areas": json.dumps(self.panel._areas()),
                "panes": json.dumps(self._panes()),
            }
        return self._scenes[scene]

    def _svg(self) -> str:
        """Return an SVG of the parts that do not move: smaller than a PNG and sharp at any pixel density.

        The SVG canvas skips the moving artists and draws all others once; `savefig` would draw them twice.
        """
        canvas, dpi = self.figure.canvas, self.figure.dpi
        grounds: list[Any] = [self.figure, *self.figure.axes]
        for ground in grounds:
            ground.set_facecolor("none")
        output = io.StringIO()
        with matplotlib.rc_context({"svg.hashsalt": "secant"}):
            no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            FigureCanvasSVG(self.figure).print_svg(output, metadata=no_metadata)
        self.figure.set_canvas(canvas)
        self.figure.set_dpi(dpi)
        width, height = self.size
        text = _PATH.sub(lambda path: _LONG.sub(_round, path[0]), output.getvalue())
        return _SIZE.sub(f'width="{width}" height="{height}"', text, count=1)

    def _panes(self) -> list[tuple[int, int] | None]:
        """Return the left and right edge in pixels of each axes' pane, or None for axes that are not visible.

        A pane is a vertical strip of the figure that contains one axes with its labels. Together, the panes
        cover the whole figure.
        """
        boxes = {axes: axes.get_tightbbox() for axes in self.figure.axes if axes.get_visible()}
        ends = [(box.x0, box.x1) for box in boxes.values() if box is not None]
        boundaries = [round((a[1] + b[0]) / 2) for a, b in pairwise(ends)]
        sides = iter(zip([0, *boundaries], [*boundaries, self.size[0]], strict=True))
        return [next(sides) if axes in boxes else None for axes in self.figure.axes]


def _round(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"


def caption(axes: Sequence[Axis]) -> str:
    """Return a caption that describes the recorded positions of each slider."""
    points = ", ".join(_points(axis) for axis in axes if axis.kind == "slider")
    version = torch.__version__.partition("+")[0]
    return say(
        en=f"This page has {points}. PyTorch {version} computed every number and every line at each of these "
        "points when the page was built. In JupyterLab you can also choose any number in between, and your "
        "own functions.",
        ko=f"이 페이지에는 {points}의 점이 있습니다. 모든 수와 선은 페이지를 만들 때 이 점 "
        f"하나하나에서 계산했습니다(PyTorch {version}). "
        "JupyterLab에서는 그 사이의 수도, 직접 쓴 함수도 고를 수 있습니다.",
    )


def _points(axis: Axis) -> str:
    count, low, high = len(axis.points), axis.texts[0], axis.texts[-1]
    return say(
        en=f"{count} points of {axis.label} from {low} to {high}",
        ko=f"{axis.label} {low}부터 {high}까지 {count}개",
    )
