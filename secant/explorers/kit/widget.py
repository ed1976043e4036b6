"""The base class of every explorer's widget: controls, a figure that follows them, a legend and numbers.

Problems with a learner's function are shown between the controls and the figure. Plots with nothing to show
are hidden. If all plots are hidden, the legend and the numbers are hidden too.
"""

import contextlib
import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import ipywidgets as widgets
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from secant.explorers.kit import buttons, controls, plots, texts, words
from secant.explorers.kit.buttons import LessonQuestion
from secant.explorers.kit.canvas import HEIGHT, WIDTH, Stage, after_reply, png, throttled
from secant.explorers.kit.colours import PAPER, on_page, recolour
from secant.explorers.kit.controls import Choice
from secant.explorers.kit.difference import FunctionProblem
from secant.explorers.kit.picture import View, area
from secant.explorers.kit.play import Play
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.words import Entry, Row
from secant.language import say
from secant.quiet import quietly

# Number of explorers whose figures stay in memory, at 8 MB each. Any other explorer takes 0.1 s to show its
# next frame, because its figure must be made again.
MAX_FIGURES = 8
# Number of slider steps per press of an arrow key. FEW_STEPS is for the logarithmic slider of h: four presses
# multiply or divide h by 10.
STEPS, FEW_STEPS = 10, 4


@dataclass(kw_only=True)
class Findings:
    """The problems and remarks about an explorer's numbers, and which axes have something to show.

    Attributes:
        problems: what is wrong with a function, as sentences.
        remarks: what a reader should know about the numbers, as sentences.
        visible_axes: for each axes of the figure, whether it has something to show.
    """

    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    visible_axes: tuple[bool, ...] = (True,)

    def problem(self, *, en: str, ko: str, **values: object) -> None:
        """Add a problem with a function; `values` replace the {...} placeholders in its text."""
        self.problems.append(_fill(say(en=en, ko=ko), values))

    def remark(self, *, en: str, ko: str, **values: object) -> None:
        """Add a remark about the numbers; `values` replace the {...} placeholders in its text."""
        self.remarks.append(_fill(say(en=en, ko=ko), values))

    def with_remarks(self, remark: Callable[[Self], None]) -> Self:
        """If there are no problems yet, call `remark` to add remarks or problems. Return this object."""
        if not self.problems:
            remark(self)
        return self

    @contextlib.contextmanager
    def collecting_problems(self) -> Iterator[None]:
        """Suppress a FunctionProblem raised in the block. Add its message to the problems if it is new."""
        try:
            yield
        except FunctionProblem as problem:
            if str(problem) not in self.problems:
                self.problems.append(str(problem))


def _fill(text: str, values: Mapping[str, object]) -> str:
    return text.format(**values) if values else text


State = Mapping[str, Any]  # arguments of the call that makes an explorer
ReadingT = TypeVar("ReadingT", bound=Findings)
Read_co = TypeVar("Read_co", covariant=True)
Read_contra = TypeVar("Read_contra", contravariant=True)


class Subject(Protocol[Read_co]):
    """The functions that an explorer shows, with the results computed from them so far."""

    def read(self, setting: Any) -> Read_co:
        """Compute all numbers that the explorer shows for a setting of its controls.

        An error in a student's function is recorded as a problem instead of being raised.
        """


class Ranged(Protocol):
    """An object with a range of x and a range of log10(h)."""

    ends: Range
    log_h: Range


class Picture(Protocol[Read_contra]):
    """A figure with methods that update it; `moving` holds the artists that differ between frames."""

    figure: Figure
    moving: list[Artist]

    def set_scene(self, reading: Read_contra) -> None:
        """Update the static parts, which do not change while a slider moves: curves, limits and ticks."""

    def move(self, reading: Read_contra) -> None:
        """Update the artists that move with the sliders."""


class Panel(widgets.VBox, Generic[ReadingT]):
    """The base class of the widgets that explorers return.

    A subclass creates its controls, calls this constructor, and implements `rows`. `reading` is the result of
    the subject's `read` for the current setting. The result is passed to both methods of `Picture`. Nothing
    is computed before it is needed, and nothing is drawn before a page displays the widget. A program without
    a front end for widgets shows a single static figure instead.
    """

    #: The look (theme, background, pixel density and so on) that a page has sent most recently. If many cells
    #: run at once, the look for a new figure arrives only after all of them have run. Until then, the figure
    #: uses this look.
    last_look: ClassVar[dict[str, Any]] = {"dark": False, "background": PAPER, "density": 1, "still": False}
    #: The explorers whose figures are in memory, in the order in which they were last drawn. The list
    #: limits the memory in use, because ipywidgets keeps every widget ever made, including its figure.
    live_panels: ClassVar[list["Panel[Any]"]] = []
    #: The names of those arguments of the explorer's call that have controls. Each control is an attribute
    #: with the name of its argument, except that the control for h is `log_h`.
    arguments: ClassVar[tuple[str, ...]] = ("x", "h")
    #: The name of the list that holds the lesson's questions in the explorer's .toml file.
    questions_name = "question"
    #: For each axes, the names of the two controls that a drag moves: the first when the pointer moves
    #: horizontally, the second when it moves vertically. The name "" means that no control moves.
    drag_controls: ClassVar[tuple[tuple[str, str], ...]] = (("x", ""), ("h", ""))
    #: The controls that the arrow keys move: one with left and right, the other with up and down.
    arrows: ClassVar[tuple[str, str]] = ("x", "h")

    def __init__(
        self,
        subject: Subject[ReadingT],
        start: Any,
        make_picture: Callable[[], Picture[ReadingT]],
        rows: Iterable[Sequence[widgets.Widget]],
        legend: Iterable[Iterable[Entry]],
    ) -> None:
        """Build the widget, and observe every control in `rows` that has a value, including those in boxes.

        Args:
            subject: the functions to explore.
            start: the initial setting. Only its type is used, because the controls hold its values.
            make_picture: a function that returns a new `Picture`.
            rows: the rows of controls, which may include buttons.
            legend: the columns of the legend.
        """
        self.subject: Any = subject
        self.settings = type(start)
        self.make_picture = make_picture
        self.view = View(
            label=self._label(),
            gone=words.no_kernel(),
            copied=say(en="Copied.", ko="복사했습니다."),
            ratio=WIDTH / HEIGHT,
        )
        self.message, self.text = widgets.HTML(), widgets.HTML()
        self.legend = widgets.HTML(words.STYLE + words.legend(*legend))
        self.play = Play(self._control("h"), lambda: bool(self.view.look.get("still")))
        self.view.strides = [FEW_STEPS if name == "h" else STEPS for name in self.arrows]
        self.call_of: Callable[[State], str] = str
        self._is_stale = True
        self._steps = [0, 0]
        self._scene: Hashable = None
        self._drawn_look: tuple[dict[str, str], float, bool] | None = None
        self._schedule_show, self._write_throttled = after_reply(self._show), throttled(self._write)
        rows = [list(row) for row in rows]
        for control in with_value(widget for row in rows for widget in row):
            control.observe(self.update, "value")
        self.view.observe(self._on_look, "look")
        self.view.observe(self._on_grip, "grip")
        self.view.observe(self._on_steps, "steps")
        self.bar, self.question = _row([]), widgets.HTMLMath(layout={"display": "none"})
        # After a question is asked, the numbers stay hidden until a control changes, so that the learner
        # makes a prediction first.
        self._covered_state: State | None = None
        self._visibility: tuple[bool, bool] | None = None
        show_button = buttons.button(words.show_numbers(), self._show_numbers, words.show_numbers())
        self.cover = _row([show_button, widgets.Label(words.or_move())])
        self._update_visibility()
        super().__init__(
            [
                *map(_row, rows),
                self.bar,
                self.question,
                self.message,
                self.view,
                self.legend,
                self.cover,
                self.text,
            ],
            layout={"max_width": "920px"},
        )
        self.add_class("secant-explorer")
        self.update()

    def set_call(
        self,
        call: Callable[[State], str],
        questions: Sequence[LessonQuestion] = (),
        first_look: Sequence[LessonQuestion] = (),
    ) -> None:
        """Store the explorer's call and questions, and fill the bar of buttons.

        Args:
            call: a function that returns the source text of the call that makes the explorer in a state.
            questions: the lesson's questions.
            first_look: the questions to offer after `first_look()` has been called.
        """
        self.call_of, self.start, self.questions = call, self.state, questions
        self._first_look = first_look
        reset = buttons.button(say(en="reset", ko="처음으로"), self.reset_all, call(self.start))
        # The page itself copies the text, because Safari permits copying only during the click, not after the
        # kernel's reply.
        copy = buttons.button(say(en="copy", ko="복사"), None, say(en="numbers, call", ko="값과 호출"))
        copy.add_class("secant-copy")
        self.question_buttons = [
            buttons.ask(n, question, self._ask) for n, question in enumerate(questions, 1)
        ]
        confirmation = widgets.HTML()  # shows the page's confirmation that the text was copied
        confirmation.add_class("secant-copied")
        label = widgets.Label(say(en="question", ko="질문"))
        question_buttons = [widgets.HBox([label, *self.question_buttons])] if questions else []
        # The confirmation comes last, so that the buttons do not move when it appears.
        self.bar.children = [reset, self.play.button, copy, *question_buttons, confirmation]

    def first_look(self) -> Self:
        """Offer only the questions meant for a first look at the explorer, and return the explorer."""
        self.set_call(self.call_of, self._first_look, self._first_look)
        return self

    def x_and_h(self, start: Any, subject: Ranged) -> Sequence[widgets.Widget]:
        """Create the sliders for x and h, and return their row."""
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h, subject.log_h)
        return x_row, h_row

    @property
    def setting(self) -> Any:
        """The values of the controls, as an instance of the explorer's own Setting class."""
        return self.settings(**self.state)

    @property
    def state(self) -> dict[str, Any]:
        """The values of the controls, as arguments of the call that makes the explorer."""
        return {name: self._control(name).argument for name in self.arguments}

    @property
    def default_options(self) -> State:
        """The first option of each dropdown, keyed by the name of its argument."""
        controls = {name: self._control(name) for name in self.arguments}
        return {name: control.first for name, control in controls.items() if isinstance(control, Choice)}

    def choose(self, state: State) -> None:
        """Set the controls to the given arguments of the explorer's call."""
        for name in self.arguments:
            if name in state:
                self._control(name).argument = state[name]

    @property
    def call(self) -> str:
        """The source text of the call that makes an explorer in the current state."""
        return self.call_of(self.state)

    def __repr__(self) -> str:
        return self.call  # the default repr of a box lists everything that is nested in it

    @property
    def reading(self) -> ReadingT:
        """The numbers for the current values of the controls, computed when they are first needed."""
        if self._is_stale:
            with quietly():
                self._reading: ReadingT = self.read()
            self._is_stale = False
        return self._reading

    def read(self) -> ReadingT:
        """Compute all numbers that are shown for the current values of the controls."""
        reading: ReadingT = self.subject.read(self.setting)
        return reading

    def scene(self) -> Hashable:
        """Return the values on which the figure's static part depends; by default, the dropdowns' values."""
        state = self.state
        return tuple(state[name] for name in self.default_options)

    def rows(self) -> Iterable[Row]:
        """Return the rows of the table that shows the explorer's numbers."""
        raise NotImplementedError

    def row(self, name: str, formula: str, number: str) -> Row:
        """Return a row of the table of numbers, with its label from the explorer's .toml file."""
        return Row(name, texts.label(inspect.getfile(type(self)), name), formula, number)

    def alt(self) -> str:
        """Return the figure's text alternative for blind users, from the explorer's .toml file."""
        return texts.alt(inspect.getfile(type(self))).format(**self.alt_fields())

    def alt_fields(self) -> dict[str, Any]:
        """Return a dict of values for the {...} placeholders of the text alternative."""
        return {"reading": self.reading, "setting": self.setting}

    @property
    def has_content(self) -> bool:
        """True if the figure has anything to show."""
        return any(self.reading.visible_axes)

    def problems(self) -> list[str]:
        """Return the problems with the function, as sentences for the learner who wrote it."""
        return self.reading.problems or ([] if self.has_content else [words.no_value()])

    def words(self) -> str:
        """Return the numbers and remarks as HTML. If there are problems, omit table rows that contain NaN."""
        if not self.has_content:
            return ""
        with quietly():
            rows = [row for row in self.rows() if not self.reading.problems or "nan" not in row.number]
        no_messages = not (self.reading.problems or self.reading.remarks)
        is_unexplained = no_messages and not all(map(words.is_finite, rows))
        return words.numbers(rows, [words.not_finite()] if is_unexplained else self.reading.remarks)

    def update(self, change: object = None) -> None:
        """Schedule a redraw for the current values of the controls."""
        self.play.on_change(change)
        if self._covered_state is not None and self._covered_state != self.state:
            self._covered_state = None
        self._is_stale = True
        self._schedule_show()

    def _show(self) -> None:
        if not self.view.look:
            return
        if self.has_content:
            self._draw()
        self._update_visibility()
        self._write_throttled()

    def _update_visibility(self) -> None:
        """Show or hide the figure, legend and numbers. Compute nothing until a page shows the widget."""
        has_content, is_covered = not self.view.look or self.has_content, self._covered_state is not None
        if self._visibility == (has_content, is_covered):
            return
        self._visibility = has_content, is_covered
        parts = {self.view: True, self.legend: True, self.cover: is_covered, self.text: not is_covered}
        for part, is_shown in parts.items():
            part.layout.display = None if is_shown and has_content else "none"

    def _hide_numbers(self) -> None:
        """Hide the numbers until a control is moved, or the user asks for them."""
        self._covered_state = self.state
        self._update_visibility()

    def _show_numbers(self) -> None:
        self._covered_state = None
        self._update_visibility()

    def _draw(self) -> None:
        with quietly():
            self._set_stage()
            scene = (self.scene(), self.reading.visible_axes)
            static_png = self._draw_static() if self._scene != scene else b""
            self.picture.move(self.reading)
            strokes = self.stage.frame()
        # The strokes and the static image are sent in one message, because they belong together.
        with self.view.hold_sync():
            if static_png:
                self.view.show(static_png, self.stage.size, dark=self.view.look["dark"])
                self.view.areas = self._areas()
            self.view.strokes = strokes
        self._scene = scene

    def _set_stage(self) -> None:
        """Ensure that there is a figure in the page's colours, pixel density and layout."""
        look = self.view.look
        colours = on_page(look["background"], dark=look["dark"])
        look_key = (colours, look["density"], look.get("narrow", False))
        if self._drawn_look != look_key:
            self.picture = self.make_picture()
            if look.get("narrow"):
                plots.stack(self.picture.figure)
            self.stage = Stage(self.picture.figure, self.picture.moving, look["density"])
            self._drawn_look, self._scene = look_key, None
        self._limit_figures()

    def _draw_static(self) -> bytes:
        look = self.view.look
        set_scene(self.picture, self.reading)
        recolour(self.picture.figure, on_page(look["background"], dark=look["dark"]))
        return self.stage.static_png()

    def _limit_figures(self) -> None:
        """Move this explorer to the end of `live_panels`, and drop all but the last MAX_FIGURES figures.

        Each run of a cell makes another explorer, so there can be many explorers.
        """
        if self not in Panel.live_panels[-1:]:
            Panel.live_panels = [explorer for explorer in Panel.live_panels if explorer is not self] + [self]
            for explorer in Panel.live_panels[:-MAX_FIGURES]:
                explorer._drawn_look = None
                del explorer.picture, explorer.stage
            del Panel.live_panels[:-MAX_FIGURES]

    def _areas(self) -> list[dict[str, Any]]:
        pairs = zip(self.picture.figure.axes, self.drag_controls, strict=False)
        return [area(axes, *names) for axes, names in pairs if any(names) and axes.get_visible()]

    def _alt(self) -> str:
        with quietly():
            return " ".join(self.problems()) or self.alt()

    def _write(self) -> None:
        problems = self.problems()
        self.message.value = words.problems(problems) if problems else ""
        self.text.value = self.words()
        self.view.alt = self._alt()
        self.view.text = self._copied_text()

    # Handling input from the page

    def _control(self, name: str) -> Any:
        return getattr(self, {"h": "log_h"}.get(name, name))

    def _label(self) -> str:
        first, second = (self._control(name).name for name in self.arrows)
        return say(
            en=f"picture: the left and right arrow keys move {first}, up and down move {second}; "
            "with Shift, a little",
            ko=f"그림: 좌우 화살표 키로 {first}, 위아래 화살표 키로 {second} 조절. "
            "Shift를 함께 누르면 조금씩",
        )

    def _on_look(self, _: object) -> None:
        Panel.last_look = self.view.look
        (self.add_class if self.view.look.get("dark") else self.remove_class)("secant-dark")
        self._schedule_show()

    def _on_grip(self, change: Any) -> None:
        for name in {grip for pair in self.drag_controls for grip in pair if grip} & set(change.new):
            self._control(name).move_to(change.new[name])

    def _on_steps(self, change: Any) -> None:
        # `change.old` is not reliable: traitlets fills it only after the trait has been read once.
        for name, old, new in zip(self.arrows, self._steps, change.new, strict=True):
            if new != old:
                self._control(name).move_by(new - old)
        self._steps = change.new

    def reset_all(self) -> None:
        """Set the controls to the arguments of the call that made the explorer, and hide any question."""
        self.choose(self.start)
        self._show_question(0, "")

    def _ask(self, number: int, question: LessonQuestion) -> None:
        self.choose({**self.start, **question.state})
        self._show_question(number, question.as_html(number))
        self._hide_numbers()

    def _show_question(self, number: int, text: str) -> None:
        for n, button in enumerate(self.question_buttons, 1):
            (button.add_class if n == number else button.remove_class)("mod-active")
        self.question.value = text
        self.question.layout.display = None if text else "none"

    def _copied_text(self) -> str:
        """Return the explorer's call, numbers and problems as lines of plain text, for the copy button."""
        with quietly():
            rows = [] if not self.has_content else self.rows()
        return "\n".join([self.call, *map(words.plain, rows), *self.problems()])

    def static_figure(self) -> Figure:
        """Return a new matplotlib figure that shows the explorer's current state and has legends."""
        with quietly():
            picture = self.make_picture()
            set_scene(picture, self.reading)
            if self.has_content:
                picture.move(self.reading)
        for axes in picture.figure.axes:
            if visible_artists := [
                artist for artist in axes.get_legend_handles_labels()[0] if artist.get_visible()
            ]:
                axes.legend(
                    handles=visible_artists,
                    loc="lower center",
                    bbox_to_anchor=(0.5, 1),
                    ncols=5,
                    frameon=False,
                    fontsize="small",
                )
        return picture.figure

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget's notebook output, including a PNG of the figure and its text alternative.

        If the figure has nothing to show, the PNG is replaced by the problems as HTML.
        """
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs) or {}
        if not self.view.look:
            self.view.look = self.last_look
        self._write()
        if not self.has_content:
            return bundle | {"text/html": words.problems(self.problems())}, {}
        return bundle | {"image/png": png(self.static_figure())}, {"image/png": {"alt": self.view.alt}}


def set_scene(picture: Picture[ReadingT], reading: ReadingT) -> None:
    """Hide the axes that have nothing to show, and update the static part of the others."""
    for axes, is_visible in zip(picture.figure.axes, reading.visible_axes, strict=False):
        axes.set_visible(is_visible)
    if any(reading.visible_axes):
        picture.set_scene(reading)


def _row(children: Sequence[widgets.Widget]) -> widgets.Box:
    return widgets.Box(children, layout={"display": "flex", "flex_flow": "row wrap"})


def with_value(controls: Iterable[widgets.Widget]) -> Iterator[widgets.Widget]:
    """Yield the controls that have a value, including those inside boxes, but not a slider's text box."""
    for control in controls:
        if isinstance(control, widgets.Box):
            yield from with_value(control.children)
        elif control.has_trait("value") and not isinstance(control, widgets.FloatText | widgets.HTML):
            # A slider's text box is skipped, because a change of the box also changes the slider's value.
            yield control
