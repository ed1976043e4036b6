"""Tests of the stage, which draws the static parts of a picture once and the moving parts on every frame."""

import asyncio
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from secant.explorers.kit import canvas as stage
from secant.explorers.kit import plots
from secant.explorers.kit.canvas import Stage, new_figure


@pytest.fixture
def dot_stage(full_drawing: None) -> Any:
    """Return a stage with one red dot that moves along an axis from 0 to 1."""
    figure = new_figure(2, 1)
    figure.set_layout_engine(None)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
    (line,) = axes.plot([0.25], [0.5], "o", color="red", ms=20)
    stage_with_dot: Any = Stage(figure, [line])
    stage_with_dot.line = line
    return stage_with_dot


def pixels(image: Any) -> Any:
    """Return the pixels of an encoded image."""
    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB")).astype(int)


def red_columns(image: Any) -> Any:
    colors = pixels(image)
    is_red = (colors[:, :, 0] > 200) & (colors[:, :, 1] < 90)
    return np.flatnonzero(is_red.any(axis=0)) / colors.shape[1]


def test_frame_draws_the_moving_dot_over_the_still_scene(
    dot_stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = dot_stage.static_png()
    assert pixels(scene).shape == (200, 400, 3)
    assert not red_columns(scene).size
    monkeypatch.setattr(dot_stage.canvas, "draw", lambda: pytest.fail("drew everything again"))
    (stroke,) = dot_stage.frame()
    assert stroke["at"] == [[100, 100]]
    dot_stage.line.set_xdata([0.75])
    assert dot_stage.frame() == [{**stroke, "at": [[300, 100]]}]


def test_throttled_runs_only_the_first_and_last_of_many_calls() -> None:
    calls = []
    value = 0
    write = stage.throttled(lambda: calls.append(value), 0.05)

    async def drag() -> None:
        nonlocal value
        for value in range(20):  # noqa: B007
            write()
        await asyncio.sleep(0.2)

    asyncio.run(drag())
    assert calls == [0, 19]


def test_throttled_runs_every_call_without_an_event_loop() -> None:
    calls = []
    write = stage.throttled(lambda: calls.append(1), 60)
    write()
    write()
    assert calls == [1, 1]


def test_after_reply_runs_once_per_turn_of_the_event_loop() -> None:
    calls = []
    call = stage.after_reply(lambda: calls.append(len(calls)))

    async def drag() -> None:
        call()
        call()
        assert calls == []
        await asyncio.sleep(0)
        assert calls == [0]

    asyncio.run(drag())
    call()
    call()
    assert calls == [0, 1, 2]


def test_static_figure_includes_the_moving_parts(dot_stage: Any) -> None:
    assert red_columns(stage.png(dot_stage.figure)).mean() == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("lowest", "highest"), [(1e-16, 10.0), (1e-3, 1e2)])
def test_error_axis_labels_zero_and_a_few_evenly_spaced_powers_of_ten(lowest: float, highest: float) -> None:
    axes = new_figure(4, 3).add_subplot()
    plots.ErrorPlot(axes, "error", log_h=(-12, 0), tick_step=3, pad=0.1).set_decades(lowest, highest)
    zero, *ticks = axes.get_yticks()
    exponents = np.log10(ticks)
    assert zero < lowest
    assert 4 <= len(ticks) <= 7
    assert np.ptp(np.diff(exponents)) < 1e-9
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["0", *(f"$10^{{{round(k)}}}$" for k in exponents)]
