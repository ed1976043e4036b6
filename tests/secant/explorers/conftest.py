"""What keeps tests of explorers quick: widgets go after a test, and what stands still is drawn on request."""

import gc
import io
from collections.abc import Iterator
from functools import cache

import pytest
from ipywidgets.widgets import widget
from matplotlib.axes import Axes
from matplotlib.backends import backend_agg
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.mathtext import MathTextParser
from PIL import Image

from secant.explorers.kit.canvas import Stage
from secant.explorers.kit.picture import View


@pytest.fixture(autouse=True, scope="package")
def _collected_seldom() -> Iterator[None]:
    """Collect garbage less often, and only what these tests make.

    A figure is so many objects that collections cost a fifth of the time. Without full collections, which
    skip the frozen objects of the imports, a worker grows by 600 MB.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 5, 2)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _widgets_go() -> Iterator[None]:
    """Close what a test made: ipywidgets keeps every widget for ever, and here each holds a figure."""
    before = set(widget._instances)
    yield
    for made in [one for key, one in widget._instances.items() if key not in before]:
        made.close()


@pytest.fixture(autouse=True, scope="package")
def _parsed_once() -> Iterator[None]:
    """Let all renderers share a parser of formulas: each has its own, which parses the same labels anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend_agg, "MathTextParser", cache(MathTextParser))
        yield


LOOK = {"dark": False, "background": "#ffffff", "density": 1, "still": False}


@pytest.fixture(autouse=True, scope="package")
def _looked_at() -> Iterator[None]:
    """Let every view begin with a page that looks at it: without one nothing is drawn."""
    with pytest.MonkeyPatch.context() as patch:
        made = View.__init__
        patch.setattr(View, "__init__", lambda view, **options: made(view, **{"look": LOOK, **options}))
        yield


@cache
def blank(width: int, height: int) -> bytes:
    """Return an empty image as a PNG: encoding one takes as long as a dozen frames."""
    encoded = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(encoded, "PNG")
    return encoded.getvalue()


@pytest.fixture(autouse=True)
def undrawn() -> Iterator[pytest.MonkeyPatch]:
    """Leave out of a picture what stands still, axes and their layout: nine tenths of its time.

    Everything is set as ever, and what moves is drawn, so numbers, words and frames can be looked at.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Axes, "draw", lambda axes, renderer: None)
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: None)
        patch.setattr(Stage, "static_png", lambda stage: blank(*stage.canvas.get_width_height()))
        yield patch


@pytest.fixture
def drawn(undrawn: pytest.MonkeyPatch) -> None:
    """Draw pictures whole, as a learner sees them."""
    undrawn.undo()


@pytest.fixture
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open no channel to a page, where nobody listens: a third of what an explorer costs here."""
    monkeypatch.setattr(widget.Widget, "open", lambda self: None)
