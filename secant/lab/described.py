"""An nbconvert preprocessor that includes the alternative text of pictures in exported HTML.

nbconvert's own templates ignore the alternative text in a picture's metadata.

JupyterLab's menu uses this preprocessor through `server_extension`, and `jupyter nbconvert` uses it through
jupyter_nbconvert_config.json, which is installed among Jupyter's settings.
"""

import html
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode


class DescribePictures(Preprocessor):
    """A preprocessor that turns each picture with alternative text into an <img> that includes the text."""

    enabled = True

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the cell with alternative text in its pictures, or unchanged if the HTML is to be sanitised.

        nbconvert exports a copy of the notebook, so the cell can be changed in place.
        """
        if not resources.get("should_sanitize_html"):
            for output in cell.get("outputs", []):
                _describe(output)
        return cell, resources


def _describe(output: NotebookNode) -> None:
    data, alt = output.get("data", {}), output.get("metadata", {}).get("image/png", {}).get("alt")
    if isinstance(alt, str) and "image/png" in data and "text/html" not in data:
        picture = html.escape(data["image/png"].strip())
        data["text/html"] = f'<img src="data:image/png;base64,{picture}" alt="{html.escape(alt)}">'
