"""What an explorer shows: its text, read as a screen reader would, and its picture."""

import base64
import io
import re
from typing import Any

from PIL import Image


def text(explorer: Any, name: str) -> str:
    """Return what stands in the place of that name."""
    found = re.search(rf'<(?:output|span) class="secant-{name}">([^<]*)<', explorer.text.value)
    assert found, f"nothing is called {name}"
    return found.group(1)


def shown(explorer: Any, name: str) -> float:
    return float(text(explorer, name))


def problems(explorer: Any) -> str:
    """Return what is said above the picture to be wrong with the function, as HTML, if anything."""
    return str(explorer.message.value)


def remarks(explorer: Any) -> str:
    """Return the sentences below the numbers, as HTML."""
    found = re.search(r'<div class="secant-remarks">(.*)</div></div>', explorer.text.value)
    assert found
    return found.group(1)


def picture(widget: Any) -> Image.Image:
    """Return what an explorer's view shows, from its data URL."""
    kind, data = bytes(widget.value).split(b",", 1)
    assert kind == b"data:image/jpeg;base64"
    return Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
