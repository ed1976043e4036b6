"""Pictures, as a plot leaves them in a notebook."""

import base64
import io

from nbformat import NotebookNode
from nbformat.v4 import new_output
from PIL import Image


def picture(width: int, height: int, kind: str = "PNG") -> str:
    """Return a picture of so many pixels in base64."""
    data = io.BytesIO()
    Image.new("RGB", (width, height), "steelblue").save(data, kind)
    return base64.b64encode(data.getvalue()).decode()


def shown(text: str) -> NotebookNode:
    """Return the output of a cell that shows this, which claims to be a PNG file in base64."""
    return new_output("display_data", {"image/png": text, "text/html": "<script>alert(1)</script>"})
