"""Tests of the stage, which draws the static parts of a picture once and the moving parts on every frame."""

import asyncio
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from secant.explorers.kit import canvas as stage
from secant.explorers.kit.canvas import Stage, new_figure


@pytest.fixture
def dot(drawn: None) -> Any:
    """Return a stage with one red dot that moves along an axis from 0 to 1."""
    figure = new_figure(2, 1)
    figure.set_layout_engine(None)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
    (line,) = axes.plot([0.25], [0.5], "o", color="red", ms=20)
    made: Any = Stage(figure, [line])
    made.line = line
    return made


def pixels(image: Any) -> Any:
    """Return the pixels of an encoded image."""
    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB")).astype(int)


def red_columns(image: Any) -> Any:
    dots = pixels(image)
    red = (dots[:, :, 0] > 200) & (dots[:, :, 1] < 90)
    return np.flatnonzero(red.any(axis=0)) / dots.shape[1]


def test_frame_draws_the_moving_dot_over_the_still_scene(dot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = dot.static_png()
    assert pixels(scene).shape == (200, 400, 3)
    assert not red_columns(scene).size
    monkeypatch.setattr(dot.canvas, "draw", lambda: pytest.fail("drew everything again"))
    (stroke,) = dot.frame()
    assert stroke["at"] == [[100, 100]]
    dot.line.set_xdata([0.75])
    assert dot.frame() == [{**stroke, "at": [[300, 100]]}]


def test_throttled_runs_only_the_first_and_last_of_many_calls() -> None:
    done = []
    value = 0
    write = stage.throttled(lambda: done.append(value), 0.05)

    async def drag() -> None:
        nonlocal value
        for value in range(20):  # noqa: B007
            write()
        await asyncio.sleep(0.2)

    asyncio.run(drag())
    assert done == [0, 19]


def test_throttled_runs_every_call_without_an_event_loop() -> None:
    done = []
    write = stage.throttled(lambda: done.append(1), 60)
    write()
    write()
    assert done == [1, 1]


def test_after_reply_runs_once_per_turn_of_the_event_loop() -> None:
    done = []
    act = stage.after_reply(lambda: done.append(len(done)))

    async def drag() -> None:
        act()
        act()
        assert done == []
        await asyncio.sleep(0)
        assert done == [0]

    asyncio.run(drag())
    act()
    act()
    assert done == [0, 1, 2]


def test_static_figure_includes_the_moving_parts(dot: Any) -> None:
    assert red_columns(stage.png(dot.figure)).mean() == pytest.approx(0.25, abs=0.02)
