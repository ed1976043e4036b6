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
def _rare_garbage_collection() -> Iterator[None]:
    """Collect garbage less often, and only among the objects that these tests create.

    Figures consist of so many objects that collections took a fifth of the tests' time. Full collections
    still run, because a worker process would otherwise grow by 600 MB. They skip the frozen objects of
    imported modules.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 5, 2)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _close_widgets() -> Iterator[None]:
    """Close the widgets that a test has made: ipywidgets keeps every open widget, and each holds a figure."""
    before = set(widget._instances)
    yield
    for instance in [value for key, value in widget._instances.items() if key not in before]:
        instance.close()


@pytest.fixture(autouse=True, scope="package")
def _shared_formula_parser() -> Iterator[None]:
    """Let all renderers share one formula parser, so that each label is parsed only once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend_agg, "MathTextParser", cache(MathTextParser))
        yield


LOOK = {"dark": False, "background": "#ffffff", "density": 1, "still": False}


@pytest.fixture(autouse=True, scope="package")
def _shown_views() -> Iterator[None]:
    """Create every view as if a page showed it, because a view that no page shows draws nothing."""
    with pytest.MonkeyPatch.context() as patch:
        original_init = View.__init__
        patch.setattr(
            View, "__init__", lambda view, **options: original_init(view, **{"look": LOOK, **options})
        )
        yield


@cache
def blank_png(width: int, height: int) -> bytes:
    """Return an empty image as a PNG. It is cached, because encoding it takes as long as a dozen frames."""
    stream = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture(autouse=True)
def no_static_drawing() -> Iterator[pytest.MonkeyPatch]:
    """Keep pictures from drawing their static parts, the axes and their layout, which take 90 % of the time.

    All state is still computed and the moving parts are drawn, so tests can examine numbers, words and
    frames.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Axes, "draw", lambda axes, renderer: None)
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: None)
        patch.setattr(Stage, "static_png", lambda stage: blank_png(*stage.canvas.get_width_height()))
        yield patch


@pytest.fixture
def full_drawing(no_static_drawing: pytest.MonkeyPatch) -> None:
    """Draw pictures completely, as a learner sees them."""
    no_static_drawing.undo()


@pytest.fixture
def no_comms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep widgets from opening a comm, since no page listens: that saves a third of an explorer's cost."""
    monkeypatch.setattr(widget.Widget, "open", lambda self: None)
