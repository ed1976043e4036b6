"""Functions that read what an explorer shows: its text and its picture."""

import base64
import io
import re
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, IdentityTransform, TransformedPath
from PIL import Image


def text(explorer: Any, name: str) -> str:
    """Return the text of the element with the CSS class `secant-NAME` in an explorer."""
    match = re.search(rf'<(?:output|span) class="secant-{name}">([^<]*)<', explorer.text.value)
    assert match, f"nothing is called {name}"
    return match.group(1)


def displayed_number(explorer: Any, name: str) -> float:
    return float(text(explorer, name))


def problems(explorer: Any) -> str:
    """Return the HTML of the message above an explorer's picture about problems with its function."""
    return str(explorer.message.value)


def remarks(explorer: Any) -> str:
    """Return the HTML of the sentences below an explorer's numbers."""
    match = re.search(r'<div class="secant-remarks">(.*)</div></div>', explorer.text.value)
    assert match
    return match.group(1)


def static_picture(widget: Any) -> Image.Image:
    """Return the picture of the static parts of an explorer's view, decoded from its data URL."""
    kind, data = bytes(widget.still).split(b",", 1)
    assert kind == b"data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(data, validate=True))).convert("RGB")


def picture(widget: Any) -> Image.Image:
    """Return the whole picture of an explorer's view: Agg draws its strokes as picture.js does."""
    image = static_picture(widget)
    renderer = RendererAgg(*image.size, 72)
    paths = {stroke["clip"]: _path(stroke["clip"]) for stroke in widget.strokes if "clip" in stroke}
    clips = {text: TransformedPath(path, IdentityTransform()) for text, path in paths.items()}
    for stroke in widget.strokes:
        pen = renderer.new_gc()
        # Agg recognises a clip path by its address, so equal paths must be one object.
        pen.set_clip_path(clips.get(stroke.get("clip", "")))
        pen.set_linewidth(stroke.get("thick", 0))
        pen.set_foreground(stroke.get("line", "#00000000"))
        pen.set_capstyle({"square": "projecting"}.get(stroke.get("cap"), stroke.get("cap", "butt")))
        pen.set_joinstyle(stroke.get("join", "miter"))
        pen.set_dashes(stroke.get("start", 0), stroke.get("dash"))
        fill = to_rgba(stroke["fill"]) if "fill" in stroke else None
        for offset in stroke["at"]:
            renderer.draw_path(pen, _path(stroke["path"]), Affine2D().translate(*offset), fill)
    image.paste(overlay := Image.fromarray(np.asarray(renderer.buffer_rgba())), mask=overlay.getchannel("A"))
    return image


KINDS = {"M": (Path.MOVETO, 1), "L": (Path.LINETO, 1), "Q": (Path.CURVE3, 2), "C": (Path.CURVE4, 3)}


def _path(text: str) -> Path:
    """Return a matplotlib path for the SVG path of a stroke, which consists of M, L, Q, C and Z."""
    vertices: list[Any] = []
    codes: list[Any] = []
    for letter, numbers in re.findall(r"([MLQCZ])([^MLQCZ]*)", text):
        if letter == "Z":
            vertices.append((0, 0))
            codes.append(Path.CLOSEPOLY)
            continue
        coordinates = np.array(numbers.split(), float).reshape(-1, 2)
        code, count = KINDS[letter]
        assert len(coordinates) % count == 0
        vertices.extend(coordinates)
        codes.extend([code] * len(coordinates))
    return Path(vertices, codes)
