"""The states of an explorer that a page shows: all combinations of a few positions of each control."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from secant.explorers.kit.controls import Choice, Slider, StepSlider, round_to_six_digits
from secant.explorers.kit.widget import Panel, with_value
from secant.language import say

Kind = Literal["list", "slider", "calls"]

#: The maximum number of positions of every slider except x and h; a few are enough to show what such a slider
#: does.
FEW = {"a": 4, "first": 3, "second": 3, "v": 6, "u": 3}
#: The possible distances between positions of log10 h. `_decades` uses the smallest one that does not give
#: too many positions.
DECADES = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0)
#: The minimum and maximum number of positions of x. The number of positions of h is limited, so that x can
#: have at least the minimum.
FEWEST, MOST = 9, 33
#: The sliders that have an effect only if another control has one of the values given here. Otherwise all
#: positions of the slider give the same state, which is recorded once.
EFFECTIVE_WHEN: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "a": ("spoiler", ("data", "hook")),
    "u": ("along", (True,)),
}
#: Slider values that the text of an explorer's questions mentions, in addition to the values that the
#: questions set.
MENTIONED: Mapping[str, Mapping[str, set[float]]] = {
    "backward": {"x": {0.01}},
    "saved": {"a": {1.0}},
    # at 8 degrees, the vector u is perpendicular to the Jacobian-vector product
    "jacobian": {"v": {0.0, 90.0}, "u": {8.0}},
}
CALLS = 3  # maximum number of backward() calls in a recorded state; a question may begin with more
ROUND = (1.0, 2.0, 2.5, 5.0)  # the distance between a slider's positions is one of these times a power of ten
TURNS = (15.0, 30.0, 45.0, 60.0, 90.0, 120.0)  # possible step sizes, in degrees, of a slider for a full turn


@dataclass(frozen=True)
class Axis:
    """A control of an explorer, with the positions (points) that a page shows.

    Attributes:
        name: the control's name, as passed to the explorer's `_control`.
        label: the control's label in the page.
        kind: the type of control: "list", "slider", or "calls" for buttons that make calls.
        points: the choices of a list, the numbers of a slider, or the sequences of calls that the buttons
            can make.
        texts: the text that a page shows for each position.
    """

    name: str
    label: str
    kind: Kind
    points: tuple[Any, ...]
    texts: tuple[str, ...]

    def put(self, panel: Panel[Any], index: int) -> None:
        """Set the explorer's control to the position with this index."""
        point = self.points[index]
        if self.kind == "calls":
            panel.choose({"calls": point})
        elif self.kind == "list":
            panel._control(self.name).value = point
        else:
            panel._control(self.name).choose(point)

    def current_index(self, panel: Panel[Any]) -> int:
        """Return the index of the control's current position.

        For a slider, this is the listed position nearest to its current number.
        """
        if self.kind == "calls":
            return self.points.index(tuple(panel.state["calls"]))
        if self.kind == "list":
            return self.points.index(panel._control(self.name).value)
        number = panel._control(self.name).number
        return min(range(len(self.points)), key=lambda i: abs(self.points[i] - number))


def grid(panel: Panel[Any], max_states: int) -> list[Axis]:
    """Return an explorer's controls with their positions.

    The positions include those of the explorer's initial state, and of every state to which a question or a
    choice leads. Lists come first and h last, so that consecutive frames in a recording are alike.

    Args:
        panel: the explorer.
        max_states: the approximate maximum number of combinations.
    """
    lists = [*_calls(panel), *_lists(panel)]
    anchors = _anchors(panel, lists)
    sliders = {name: slider for name, slider in _controls(panel, Slider) if name not in ("x", "h")}
    slider_axes = [_slider(name, slider, anchors[name], FEW[name]) for name, slider in sliders.items()]
    budget = int(max_states / _cost([*lists, *slider_axes]))
    h = _decades(panel, anchors["h"], budget // FEWEST if hasattr(panel, "x") else budget)
    axes = [*lists, *slider_axes]
    if hasattr(panel, "x"):
        count = min(max(budget // len(h.points), 3), MOST)
        axes.append(_slider("x", panel.x, anchors["x"], count))
    return [*axes, h]


def _cost(axes: Sequence[Axis]) -> float:
    """Return the number of different states that all combinations of these controls' positions give."""
    cost = float(math.prod(len(axis.points) for axis in axes))
    for axis in axes:
        if axis.name in EFFECTIVE_WHEN:
            name, values = EFFECTIVE_WHEN[axis.name]
            points = next(other for other in axes if other.name == name).points
            share = sum(point in values for point in points) / len(points)
            cost *= share + (1 - share) / len(axis.points)
    return cost


def canonical_state(axes: Sequence[Axis], state: Sequence[int]) -> tuple[int, ...]:
    """Return the equivalent state in which each control without effect is at its first position."""
    points = {axis.name: axis.points[index] for axis, index in zip(axes, state, strict=True)}

    def has_effect(axis: Axis) -> bool:
        name, values = EFFECTIVE_WHEN.get(axis.name, (axis.name, (points[axis.name],)))
        return points[name] in values

    return tuple(index if has_effect(axis) else 0 for axis, index in zip(axes, state, strict=True))


def states(axes: Iterable[Axis]) -> Iterator[tuple[int, ...]]:
    """Yield every combination of positions as a tuple of indices, with the last control changing fastest."""
    return product(*(range(len(axis.points)) for axis in axes))


def moves_of_choices(panel: Panel[Any], axes: list[Axis]) -> list[dict[str, dict[str, int]]]:
    """Return the controls that each choice in a list moves, and their new positions.

    The result has one dictionary for each axis, keyed by the index of a choice. Each value is a dictionary of
    the controls that this choice moves: its keys are the controls' names, and its values are the indices of
    their new positions.
    """
    moves: list[dict[str, dict[str, int]]] = []
    for axis in axes:
        moves.append({})
        if axis.kind != "list":
            continue
        for index in range(len(axis.points)):
            panel.choose(panel.start)
            axis.put(panel, (index + 1) % len(axis.points))
            for _, slider in _controls(panel, Slider):
                # No choice sets a slider to its maximum, so a slider that leaves its maximum was moved by the
                # choice.
                slider.choose(slider.max)
            before = _numbers(panel)
            axis.put(panel, index)
            moved_names = {name for name, number in _numbers(panel).items() if number != before[name]}
            if moved_names:
                moves[-1][str(index)] = {
                    axis.name: axis.current_index(panel) for axis in axes if axis.name in moved_names
                }
    panel.choose(panel.start)
    return moves


def questions(panel: Panel[Any], axes: list[Axis]) -> list[list[int]]:
    """Return the initial state of each question, as a list with the index of each control's position."""
    starts = []
    for question in panel.questions:
        panel.choose({**panel.start, **question.state})
        starts.append([axis.current_index(panel) for axis in axes])
    panel.choose(panel.start)
    return starts


def _controls(panel: Panel[Any], kind: type) -> Iterator[tuple[str, Any]]:
    for attribute, control in vars(panel).items():
        if isinstance(control, kind):
            yield {"log_h": "h"}.get(attribute, attribute), control


def _lists(panel: Panel[Any]) -> list[Axis]:
    """Return the explorer's visible lists (controls with choices) as axes.

    Hidden lists offer no choice.
    """
    visible_controls = set(with_value(panel.children))
    return [
        Axis(
            name,
            control.description,
            "list",
            *zip(*((value, text) for text, value in _options(control)), strict=True),
        )
        for name, control in _controls(panel, Choice)
        if control in visible_controls
    ]


def _options(choice: Choice) -> Iterator[tuple[str, Any]]:
    yield from zip(choice._options_labels, choice._options_values, strict=True)


def _calls(panel: Panel[Any]) -> list[Axis]:
    """Return the buttons of lesson 3's explorer as a list of one axis, or [] for other explorers.

    The positions on the axis are the sequences of calls that the buttons can make.
    """
    if not hasattr(panel, "buttons"):
        return []
    names = [*panel.buttons]
    points = {calls: None for count in range(CALLS + 1) for calls in product(names, repeat=count)}
    for question in panel.questions:
        calls = tuple(question.state["calls"])
        points |= {calls[:count]: None for count in range(len(calls) + 1)}
    label = say(en="calls", ko="호출")
    return [Axis("calls", label, "calls", tuple(points), tuple(" + ".join(calls) or "—" for calls in points))]


def _numbers(panel: Panel[Any]) -> dict[str, float]:
    return {name: slider.number for name, slider in _controls(panel, Slider)}


def _anchors(panel: Panel[Any], lists: list[Axis]) -> Mapping[str, set[float]]:
    """Return the numbers that must be among the positions of each slider, keyed by the slider's name."""
    states_of_sliders = [_numbers(panel)]
    for question in panel.questions:
        panel.choose({**panel.start, **question.state})
        states_of_sliders.append(_numbers(panel))
    for axis in lists:
        panel.choose(panel.start)
        for index in reversed(range(len(axis.points))):
            axis.put(panel, index)
            states_of_sliders.append(_numbers(panel))
    panel.choose(panel.start)
    extra_anchors = MENTIONED.get(type(panel).__module__.rpartition(".")[2], {})
    return {
        name: {numbers[name] for numbers in states_of_sliders} | extra_anchors.get(name, set())
        for name in states_of_sliders[0]
    }


def _slider(name: str, slider: Slider, anchors: set[float], count: int) -> Axis:
    """Return a slider as an axis with positions at a round distance from each other.

    Args:
        name: the name of the slider.
        slider: the slider.
        anchors: the numbers that must be among the positions.
        count: the approximate number of positions.
    """
    low, high = round_to_six_digits(slider.min), round_to_six_digits(slider.max)
    is_full_turn = high - low == 360
    steps = TURNS if is_full_turn else tuple(10.0**k * factor for k in range(-4, 4) for factor in ROUND)
    step = next(
        step for step in steps if (high - low) / step + 1 <= count + is_full_turn or step == steps[-1]
    )
    points = {
        round_to_six_digits(k * step) for k in range(math.ceil(low / step), math.floor(high / step) + 1)
    }
    if is_full_turn:
        points.discard(low)  # on a full turn, the lower end gives the same direction as the upper end
    elif len(points) < count:
        points |= {low, high}
    return _slider_axis(name, slider, _spaced_points(points, anchors, step))


def _decades(panel: Panel[Any], anchors: set[float], count: int) -> Axis:
    """Return the axis of log10 h, with evenly spaced positions and the anchors (required positions).

    The step is the smallest one in DECADES that gives at most `count` evenly spaced positions, or the largest
    one if none does.
    """
    slider: StepSlider = panel.log_h
    width = slider.max - slider.min
    step = next((step for step in DECADES if width / step + 1 <= count), DECADES[-1])
    points = {k * step for k in range(math.ceil(slider.min / step), math.floor(slider.max / step) + 1)}
    return _slider_axis("h", slider, _spaced_points(points, anchors, step))


def _spaced_points(points: set[float], anchors: set[float], step: float) -> list[float]:
    """Return all anchors (required positions), and those points that are not too close to an anchor."""
    distant_points = {
        point for point in points if all(abs(point - anchor) > 0.3 * step for anchor in anchors)
    }
    return sorted(distant_points | anchors)


def _slider_axis(name: str, slider: Slider, points: list[float]) -> Axis:
    digits = 3 if isinstance(slider, StepSlider) else 6
    texts = tuple(f"{slider.argument_at(point):.{digits}g}" for point in points)
    return Axis(name, slider.name, "slider", tuple(points), texts)
