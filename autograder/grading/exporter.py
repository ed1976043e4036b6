"""nbgrader's feedback page, made quickly: what all students' pages share is rendered once.

nbconvert reads each finished page as HTML again, to describe images that nobody described and to mark the
cells of JupyterLab's template. In a page of ours there are neither (tests/autograder/grading/test_exporter.py
sees to it), so that step, two thirds of the time, is left out.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import pass_context
from nbconvert.exporters.html import HTMLExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat import NotebookNode

# What is longer is a student's own, and would fill the memory; of the rest a whole course's cells are kept.
KEPT_CHARS = 8_000
KEPT = 1_000


class PageExporter(HTMLExporter):
    """Makes pages of notebooks whose code is Python and whose outputs are text."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._markdown: dict[str, str] = {}
        if "highlight_code" not in self.filters:
            self.register_filter("highlight_code", _highlighter(self))

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Return the HTML of a markdown cell; what is attached to a cell belongs to that cell alone."""
        if len(source) > KEPT_CHARS or context.get("cell", {}).get("attachments"):
            return str(super().markdown2html(context, source))
        if source not in self._markdown:
            if len(self._markdown) == KEPT:
                self._markdown.clear()
            self._markdown[source] = super().markdown2html(context, source)
        return self._markdown[source]

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page."""
        resources = self._init_resources(resources)
        data_type = WidgetsDataTypeFilter(notebook_metadata=nb.metadata, parent=self, resources=resources)
        self.register_filter("filter_data_type", data_type)
        made: tuple[str, dict[str, Any]] = super(HTMLExporter, self).from_notebook_node(nb, resources, **kw)
        return made


def _highlighter(exporter: HTMLExporter) -> Callable[..., str]:
    """Return nbconvert's filter for code, which remembers."""
    plain = Highlight2HTML(pygments_lexer="ipython3", parent=exporter)

    def highlight(source: str, magics: str | None) -> str:
        return str(plain(source, metadata={"magics_language": magics} if magics else {}))

    remembered = lru_cache(KEPT)(highlight)

    def chosen(source: str, language: None = None, metadata: Mapping[str, Any] | None = None) -> str:
        magics = (metadata or {}).get("magics_language")
        return (remembered if len(source) <= KEPT_CHARS else highlight)(source, magics)

    return chosen
