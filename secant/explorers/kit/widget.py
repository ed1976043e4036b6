"""The widget that every explorer is: controls over a picture that follows them, a legend, and the numbers.

What is wrong with a learner's function stands between the controls and the picture. Of the picture, only
what can be shown is shown; where nothing can, neither it nor the numbers are.
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import ipywidgets as widgets
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from secant.explorers.kit import words
from secant.explorers.kit.canvas import Stage, one_thread, png, seldom
from secant.explorers.kit.difference import FunctionProblem
from secant.explorers.kit.words import Row
from secant.language import say


@dataclass(kw_only=True)
class Findings:
    """What an explorer has found out, besides its numbers.

    `problems` tell what is wrong with a function, `remarks` what a reader should know of the numbers, and
    `filled`, for each axes of the picture, whether there is something to show in it.
    """

    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    filled: tuple[bool, ...] = (True,)

    def problem(self, *, en: str, ko: str) -> None:
        """Note what is wrong with a function."""
        self.problems.append(say(en=en, ko=ko))

    def remark(self, *, en: str, ko: str) -> None:
        """Note what a reader should know of the numbers."""
        self.remarks.append(say(en=en, ko=ko))

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        """Note a function's problem, once, and go on."""
        try:
            yield
        except FunctionProblem as problem:
            if str(problem) not in self.problems:
                self.problems.append(str(problem))


ReadingT = TypeVar("ReadingT", bound=Findings)
Read_contra = TypeVar("Read_contra", contravariant=True)


class Picture(Protocol[Read_contra]):
    """A figure and how to set it. `moving` are the artists that differ from one frame to the next."""

    figure: Figure

    @property
    def moving(self) -> Sequence[Artist]: ...

    def set_scene(self, reading: Read_contra) -> None:
        """Set what stands still while a slider moves: curves, limits, ticks."""

    def move(self, reading: Read_contra) -> None:
        """Set what moves."""


class Panel(widgets.VBox, Generic[ReadingT]):
    """The widget that an explorer returns. It shows itself; places without a front end get one figure.

    A subclass makes its controls, then calls this constructor, and answers `read`, `rows` and `alt`.
    `reading`, whatever `read` returned last, goes through all of them and both methods of the picture.
    """

    reading: ReadingT

    def __init__(
        self,
        make_picture: Callable[[], Picture[ReadingT]],
        rows: Iterable[Sequence[widgets.Widget]],
        legend: str,
    ) -> None:
        """Take how to make the picture, the rows of controls as they are to stand, and what `legend` made.

        Every control with a value in the rows, also inside boxes, is listened to; a button is not.
        """
        self.make_picture = make_picture
        self.picture = make_picture()
        self.stage = Stage(self.picture.figure, self.picture.moving)
        self.message, self.text = widgets.HTML(), widgets.HTML()
        self.legend = widgets.HTML(words.STYLE + legend)
        self._scene: Hashable = None
        self._write_seldom = seldom(self._write)
        rows = [list(row) for row in rows]
        for control in _with_value(widget for row in rows for widget in row):
            control.observe(self.update, "value")
        boxes = [
            widgets.Box(row, layout=widgets.Layout(display="flex", flex_flow="row wrap")) for row in rows
        ]
        children = [*boxes, self.message, self.stage.image, self.legend, self.text]
        super().__init__(children, layout={"max_width": "920px"})
        self.add_class("secant-explorer")
        self.update()

    def read(self) -> ReadingT:
        """Work out from the controls all that is shown. Never raises for a student's faulty function."""
        raise NotImplementedError

    def scene(self) -> Hashable:
        """Return what the still part of the picture depends on; while it stays the same, it stands."""
        return None

    def rows(self) -> Iterable[Row]:
        """Return the numbers to show."""
        raise NotImplementedError

    def alt(self) -> str:
        """Return the picture in words, for those who cannot see it."""
        raise NotImplementedError

    @property
    def shows(self) -> bool:
        """Whether there is a picture to show."""
        return any(self.reading.filled)

    def problems(self) -> list[str]:
        """Return what is wrong with the function, for the learner who wrote it."""
        return self.reading.problems or ([] if self.shows else [words.no_value()])

    def words(self) -> str:
        """Return the numbers and remarks as HTML; with what is wrong above, what is no number is left out."""
        if not self.shows:
            return ""
        with quietly():
            known = [row for row in self.rows() if not self.reading.problems or "nan" not in row.number]
        return words.numbers(known, self.reading.remarks)

    def update(self, _: object = None) -> None:
        """Show what the controls say now."""
        with quietly():
            self.reading = self.read()
            if self.shows:
                self._draw()
        for part in (self.stage.image, self.legend, self.text):
            part.layout.display = None if self.shows else "none"
        if self.shows:
            self.stage.show(self._alt)
        self._write_seldom()

    def _draw(self) -> None:
        scene = (self.scene(), self.reading.filled)
        if self._scene != scene:
            _set_scene(self.picture, self.reading)
            self.stage.set_scene()
            self._scene = scene
        self.picture.move(self.reading)

    def _alt(self) -> str:
        with quietly():
            return " ".join(self.problems()) or self.alt()

    def _write(self) -> None:
        found = self.problems()
        self.message.value = words.problems(found) if found else ""
        self.text.value = self.words()

    def static_figure(self) -> Figure:
        """Return what is shown now as an ordinary figure."""
        with quietly():
            picture = self.make_picture()
            _set_scene(picture, self.reading)
            if self.shows:
                picture.move(self.reading)
        for axes in picture.figure.axes:
            if axes.get_legend_handles_labels()[0]:
                axes.legend(
                    loc="lower center", bbox_to_anchor=(0.5, 1), ncols=5, frameon=False, fontsize="small"
                )
        return picture.figure

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs) or {}
        if self.shows:
            bundle["image/png"] = png(self.static_figure())
        else:
            bundle["text/html"] = words.problems(self.problems())
        return bundle


def _set_scene(picture: Picture[ReadingT], reading: ReadingT) -> None:
    for axes, filled in zip(picture.figure.axes, reading.filled, strict=False):
        axes.set_visible(filled)
    if any(reading.filled):
        picture.set_scene(reading)


def _with_value(controls: Iterable[widgets.Widget]) -> Iterator[widgets.Widget]:
    for control in controls:
        if isinstance(control, widgets.Box):
            yield from _with_value(control.children)
        elif control.has_trait("value") and not isinstance(control, widgets.FloatText | widgets.HTML):
            yield control  # the box beside a slider moves the slider, which is listened to


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep what a function prints or warns of, a thousand times a frame, out of the notebook."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), one_thread():
        warnings.simplefilter("ignore")
        yield
