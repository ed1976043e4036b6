"""Tests of explorers' recordings for static pages: the recorded control values, and the compressed frames."""

import gzip
import json
import re
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
import torch

from scripts.preview import record
from scripts.preview.grid import Axis, canonical_state, grid, moves_of_choices, questions, states
from scripts.preview.pack import PackedTexts, pack
from scripts.preview.page import SCRIPTS
from secant import (
    explore,
    explore_arrows,
    explore_backward,
    explore_buffer,
    explore_chain,
    explore_cut,
    explore_engine,
    explore_paths,
    explore_saved,
    explore_second,
)
from secant.explorers.kit.widget import Panel

EXPLORERS = [
    explore, explore_chain, explore_buffer, explore_paths, explore_arrows,
    explore_cut, explore_saved, explore_backward, explore_second, explore_engine,
]  # fmt: skip
TOTAL_BYTES = 300_000  # upper bound in bytes for a lesson's compressed recordings and scripts


@pytest.fixture(scope="module")
def small_explorer() -> Any:
    """Return an explorer with few states."""
    return explore({"log x": torch.log}, h=0.1)


def by_name(axes: list[Axis]) -> dict[str, Axis]:
    return {axis.name: axis for axis in axes}


def unpack(packed: PackedTexts, shape: tuple[int, ...]) -> list[str]:
    """Unpack texts as `frames.js` does on the page, and return all of them."""

    def cumulative_sums(steps: list[int]) -> list[int]:
        return [sum(steps[: i + 1]) for i in range(len(steps))]

    def column(encoded: Any) -> list[str]:
        if isinstance(encoded, str):
            return encoded.split(" ")
        return [
            f"{number / 10 ** encoded['places']:.{encoded['places']}f}"
            for number in cumulative_sums(encoded["steps"])
        ]

    indices, kinds = cumulative_sums(packed.which), cumulative_sums(packed.kinds)
    columns = [[column(encoded) for encoded in template["columns"]] for template in packed.templates]
    texts = []
    for number, kind in enumerate(kinds):
        row = kinds[:number].count(kind)
        first, *words = packed.templates[kind]["words"]
        texts.append(first + "".join(c[row] + word for c, word in zip(columns[kind], words, strict=True)))
    result = []
    for state in product(*map(range, shape)):
        index = 0
        for axis in packed.axes:
            index = index * shape[axis] + state[axis]
        result.append(texts[indices[index]])
    return result


@pytest.mark.parametrize(
    "texts",
    [
        ["a 1.5 b", "a 2.5 b", "a -0.5 b", "a 1.5 b", "a 2.5 b", "a -0.5 b"],
        ["1e-05 of 007", "1.25e-08 of 007", "0.1 of 7", "nothing", "", "-0.0"],
        ["12345678901.5", "0.5", "1", "2", "3", "4"],
    ],
)
def test_packed_texts_are_unpacked_exactly(texts: list[str]) -> None:
    assert unpack(pack(texts, (2, 3)), (2, 3)) == texts


def test_recording_stores_a_text_once_for_the_axes_that_it_depends_on() -> None:
    packed = pack([f"x = {x}" for _ in range(4) for x in range(3) for _ in range(5)], (4, 3, 5))
    assert packed.axes == [1]
    assert len(packed.which) == len(packed.kinds) == 3
    assert packed.templates == [{"words": ["x = ", ""], "columns": [{"places": 0, "steps": [0, 1, 1]}]}]


@pytest.mark.parametrize("make", EXPLORERS)
def test_recorded_points_include_those_that_the_lesson_mentions(make: Callable[[], Panel[Any]]) -> None:
    """The explorer's start and each question's state are recorded exactly, in all controls."""
    panel = make()
    axes = grid(panel, 7000)
    starts = [panel.start, *({**panel.start, **question.state} for question in panel.questions)]
    indices = [[axis.current_index(panel) for axis in axes], *questions(panel, axes)]
    assert len(indices) == 1 + len(panel.questions) >= 4
    for start, state in zip(starts, indices, strict=True):
        for axis, index in zip(axes, state, strict=True):
            axis.put(panel, index)
        assert panel.state == start
        panel.choose(panel.start)


@pytest.mark.parametrize("make", EXPLORERS)
def test_slider_points_are_many_ordered_and_distinct(make: Callable[[], Panel[Any]]) -> None:
    panel = make()
    axes = grid(panel, 7000)
    for axis in axes:
        assert len(set(axis.points)) == len(axis.points) == len(axis.texts) == len(set(axis.texts))
        if axis.kind == "slider":
            assert all(a < b for a, b in pairwise(axis.points))
            assert len(axis.points) >= {"x": 9, "h": 10}.get(axis.name, 3), axis
    assert axes[-1].name == "h"
    count = len({canonical_state(axes, state) for state in states(axes)})
    assert 1000 < count < 12_000


def test_recorded_choice_starts_at_an_instructive_place() -> None:
    """When a function is chosen, lesson 8's explorer moves x to the function's kink."""
    panel = explore_backward()
    axes = grid(panel, 7000)
    function_axis, x = by_name(axes)["function"], by_name(axes)["x"]
    moves = moves_of_choices(panel, axes)[axes.index(function_axis)]
    relu = str(function_axis.points.index("relu(x)"))
    assert x.points[moves[relu]["x"]] == 0
    assert panel.state == panel.start


def test_control_without_effect_is_recorded_once() -> None:
    axes = grid(explore_saved(), 7000)
    a, spoiler = (axes.index(by_name(axes)[name]) for name in ("a", "spoiler"))
    state = [0] * len(axes)
    state[a] = 2
    assert canonical_state(axes, state)[a] == 0
    state[spoiler] = by_name(axes)["spoiler"].points.index("hook")
    assert canonical_state(axes, state)[a] == 2


def test_every_recorded_series_of_calls_is_reachable_by_buttons() -> None:
    calls = by_name(grid(explore_buffer(), 7000))["calls"]
    assert calls.points[0] == ()
    assert ("x²", "x³") in calls.points
    assert ("x²",) * 4 in calls.points
    assert all(point[:-1] in calls.points for point in calls.points[1:])


@pytest.mark.costly("every state of a recording is drawn again")
def test_recording_has_the_words_and_strokes_of_the_explorer(small_explorer: Panel[Any]) -> None:
    axes = grid(small_explorer, 60)
    shape = tuple(len(axis.points) for axis in axes)
    recording = record.recording_of(small_explorer, 60)
    assert recording["start"] == [axis.current_index(small_explorer) for axis in axes]
    assert f"{shape[-1]} points of h" in recording["caption"]
    texts = {name: unpack(PackedTexts(**part), shape) for name, part in recording["parts"].items()}
    names = [f"stroke{number}" for number in range(len(recording["of"]))]
    for number, state in list(enumerate(states(axes)))[::7]:
        for axis, index in zip(axes, state, strict=True):
            axis.put(small_explorer, index)
        assert texts["alt"][number] == small_explorer.alt()
        assert texts["words"][number] == small_explorer.words().replace(
            ' role="status" aria-live="polite"', ""
        )
        small_explorer.view.look = {"dark": False, "background": "#ffffff", "density": 2}
        small_explorer._draw()
        strokes = [stroke for name in names for stroke in json.loads(texts[name][number])]
        assert strokes == json.loads(re.sub(r"-0\.0\b", "0.0", json.dumps(small_explorer.view.strokes)))
        small_explorer.view.look = {}
    small_explorer.choose(small_explorer.start)


@pytest.mark.costly("it records the largest explorers")
def test_largest_recording_loses_states_if_the_total_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panel = explore_second({"log x": torch.log})
    first, second = record.recordings_within_limit([panel, panel], 100)
    assert first == second
    monkeypatch.setattr(record, "BYTES", len(first) + len(second) - 1)
    smaller, unchanged = record.recordings_within_limit([panel, panel], 100)
    assert len(smaller) < len(first) == len(unchanged)


def test_preview_scripts_stay_within_their_size_budget() -> None:
    scripts = sum(len(gzip.compress(script.read_bytes(), 9)) for script in SCRIPTS)
    assert record.BYTES + scripts < TOTAL_BYTES


@pytest.mark.deep
@pytest.mark.parametrize("make", EXPLORERS)
def test_every_explorers_recording_fits_the_size_limit(make: Callable[[], Panel[Any]]) -> None:
    assert len(record.compress(record.recording_of(make(), record.STATES))) < record.BYTES


@pytest.mark.parametrize(
    ("explorer", "slider", "number"),
    [
        (explore_backward, "x", 0.01),
        (explore_saved, "a", 1.0),
        (explore_arrows, "v", 0.0),
        (explore_arrows, "v", 90.0),
        (explore_arrows, "u", 8.0),
    ],
)
def test_numbers_named_in_questions_are_recorded_points(
    explorer: Callable[..., Panel[Any]], slider: str, number: float
) -> None:
    assert number in by_name(grid(explorer(), 3000))[slider].points
