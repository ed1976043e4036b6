"""Fixtures that make tests of explorers fast: they close widgets, and draw static parts only on request."""

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
    """Collect garbage less often, and only among the objects that these tests create.

    Figures consist of so many objects that collections take a fifth of the time. Full collections remain,
    because without them a worker process grows by 600 MB. They skip the frozen objects of imported modules.
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
    """Close the widgets that a test has made: ipywidgets keeps every open widget, and each holds a figure."""
    before = set(widget._instances)
    yield
    for made in [one for key, one in widget._instances.items() if key not in before]:
        made.close()


@pytest.fixture(autouse=True, scope="package")
def _parsed_once() -> Iterator[None]:
    """Let all renderers share one parser of formulas; separate parsers would parse the same labels again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend_agg, "MathTextParser", cache(MathTextParser))
        yield


LOOK = {"dark": False, "background": "#ffffff", "density": 1, "still": False}


@pytest.fixture(autouse=True, scope="package")
def _looked_at() -> Iterator[None]:
    """Create every view as if a page showed it, because a view that no page shows draws nothing."""
    with pytest.MonkeyPatch.context() as patch:
        initialise = View.__init__
        patch.setattr(View, "__init__", lambda view, **options: initialise(view, **{"look": LOOK, **options}))
        yield


@cache
def blank(width: int, height: int) -> bytes:
    """Return an empty image as a PNG. It is cached, because encoding it takes as long as a dozen frames."""
    encoded = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(encoded, "PNG")
    return encoded.getvalue()


@pytest.fixture(autouse=True)
def undrawn() -> Iterator[pytest.MonkeyPatch]:
    """Keep pictures from drawing their static parts, the axes and their layout, which take 90 % of the time.

    All state is still computed and the moving parts are drawn, so tests can examine numbers, words and
    frames.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Axes, "draw", lambda axes, renderer: None)
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: None)
        patch.setattr(Stage, "static_png", lambda stage: blank(*stage.canvas.get_width_height()))
        yield patch


@pytest.fixture
def drawn(undrawn: pytest.MonkeyPatch) -> None:
    """Draw pictures completely, as a learner sees them."""
    undrawn.undo()


@pytest.fixture
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep widgets from opening a comm, since no page listens: that saves a third of an explorer's cost."""
    monkeypatch.setattr(widget.Widget, "open", lambda self: None)
