"""Tests of what a page does to an explorer, and of what the explorer shows about its state."""

import asyncio
import io
import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import secant
from secant.explorers.kit import play
from secant.explorers.kit.controls import STEP
from secant.explorers.kit.picture import View
from secant.explorers.kit.widget import MAX_FIGURES
from tests.secant.explorers.conftest import LOOK
from tests.secant.explorers.kinds import EXPLORERS, Kind, kind_cases
from tests.support.reading import picture, static_picture
from tests.support.suites import first_of

DARK = {**LOOK, "dark": True, "background": "#111111"}


def explorer_functions() -> dict[str, Any]:
    """Return the explore functions by name, for evaluating the call that an explorer shows."""
    return {name: getattr(secant, name) for name in secant.__all__ if name.startswith("explore")}


def reevaluate(explorer: Any, **names: Any) -> Any:
    """Evaluate the call that an explorer shows, and return the new explorer."""
    return eval(explorer.call, explorer_functions() | {"torch": torch, **names})


def same_state(explorer: Any, other: Any) -> bool:
    return explorer.state.keys() == other.state.keys() and all(
        value == (pytest.approx(other.state[name], rel=1e-12) if name in "xhpvua" else other.state[name])
        for name, value in explorer.state.items()
    )


@pytest.mark.parametrize("kind", kind_cases(EXPLORERS))
def test_shown_call_restores_the_explorers_state(kind: Kind) -> None:
    explorer = kind.explore()
    assert same_state(explorer, reevaluate(explorer))
    for name in kind.dropdowns:
        dropdown = getattr(explorer, name)
        dropdown.index = len(dropdown.options) - 1
    for n, name in enumerate(kind.sliders, 3):
        getattr(explorer, name).move_by(-n)
    if kind.name == "buffer":
        explorer.buttons["x³"].click()
    restored = reevaluate(explorer)
    assert same_state(explorer, restored)
    assert restored.text.value == explorer.text.value
    assert not same_state(explorer, kind.explore())


def test_shown_call_names_functions_and_omits_defaults() -> None:
    def mine(x: torch.Tensor) -> torch.Tensor:
        return x**2

    assert secant.explore(dtype="float32", h=1e-3).call == 'explore(x=5, h=0.001, dtype="float32")'
    explorer = secant.explore([mine, torch.sin], x_range=(-2, 2), x=0.5)
    assert explorer.call == "explore([mine, torch.sin], x_range=(-2, 2), x=0.5)"
    explorer.function.value = "sin"
    assert same_state(explorer, reevaluate(explorer, mine=mine))
    assert secant.explore(lambda x: x).call == "explore(..., x=5)"


@pytest.mark.parametrize("kind", kind_cases(EXPLORERS))
def test_question_button_sets_its_state_and_reset_restores_it(kind: Kind) -> None:
    explorer = kind.explore()
    before = explorer.state
    assert [button.description for button in explorer.question_buttons] == [
        *map(str, range(1, len(explorer.questions) + 1))
    ]
    assert len(explorer.questions) >= 3
    assert all(button.tooltip.count(button.description) for button in explorer.question_buttons)
    calls = []
    for button in explorer.question_buttons:
        button.click()
        calls.append(explorer.call)
        assert explorer.message.value == ""
        assert same_state(explorer, reevaluate(explorer))
    assert len(set(calls)) == len(explorer.question_buttons)
    explorer.bar.children[0].click()
    assert explorer.state == before


def is_displayed(widget: Any) -> bool:
    return widget.layout.display != "none"


@pytest.mark.parametrize("kind", kind_cases(EXPLORERS))
def test_numbers_stay_covered_under_a_question_until_a_control_moves(kind: Kind) -> None:
    explorer = kind.explore()
    children = list(explorer.children)
    assert (
        children.index(explorer.view) - children.index(explorer.question) == 2
    )  # only the problem message stands between the question and the picture
    assert (is_displayed(explorer.question), is_displayed(explorer.cover), is_displayed(explorer.text)) == (
        False,
        False,
        True,
    )
    for n, button in enumerate(explorer.question_buttons, 1):
        button.click()
        assert f"<b>{n}.</b>" in explorer.question.value
        assert [
            ("mod-active" in question_button._dom_classes) for question_button in explorer.question_buttons
        ].index(True) == n - 1
        assert (
            is_displayed(explorer.question),
            is_displayed(explorer.cover),
            is_displayed(explorer.text),
        ) == (True, True, False)
        explorer.log_h.move_by(-3 if explorer.log_h.value > explorer.log_h.min + 1 else 3)
        assert (
            is_displayed(explorer.question),
            is_displayed(explorer.cover),
            is_displayed(explorer.text),
        ) == (True, False, True)
    explorer.question_buttons[0].click()
    explorer.cover.children[0].click()
    assert (is_displayed(explorer.cover), is_displayed(explorer.text)) == (False, True)
    explorer.reset_all()
    assert not is_displayed(explorer.question)
    assert not [
        question_button
        for question_button in explorer.question_buttons
        if "mod-active" in question_button._dom_classes
    ]


def test_slider_rounding_by_the_page_does_not_uncover_the_numbers() -> None:
    explorer = secant.explore_saved()
    explorer.question_buttons[2].click()
    explorer.x.value = explorer.x.value + 1e-12
    assert is_displayed(explorer.cover)
    explorer.x.move_by(1)
    assert not is_displayed(explorer.cover)


def test_a_question_is_in_the_language_in_use_with_its_code_and_its_formulas(both_languages: str) -> None:
    explorer = secant.explore_cut()
    explorer.question_buttons[1].click()
    assert "<code>x · (x²).detach()</code>" in explorer.question.value
    assert "$x^3$" in explorer.question.value
    assert ("Choose" in explorer.question.value) == (both_languages == "en")
    explorer = secant.explore()
    explorer.question_buttons[3].click()
    assert ("<em>중앙</em>" if both_languages == "ko" else "<em>central</em>") in explorer.question.value


@pytest.mark.parametrize("kind", first_of(EXPLORERS, 3))
def test_on_a_narrow_page_the_plots_stand_one_above_another(
    kind: Kind, no_static_drawing: pytest.MonkeyPatch
) -> None:
    explorer = kind.explore()
    no_static_drawing.undo()  # from here on, every new picture is drawn completely
    explorer.view.look = {**LOOK, "narrow": True}
    positions = [axes.get_position() for axes in explorer.picture.figure.axes]
    assert all(above.y0 > below.y1 for above, below in itertools.pairwise(positions))
    assert all(position.width > 0.6 for position in positions)
    assert picture(explorer.view).width < picture(explorer.view).height
    explorer.view.look = LOOK
    assert picture(explorer.view).size == (1800, 800)


def test_explorer_of_a_learners_function_has_no_questions(both_languages: str) -> None:
    explorer = secant.explore(torch.sin)
    assert (is_displayed(explorer.cover), is_displayed(explorer.text)) == (False, True)
    descriptions = [child.description for child in explorer.bar.children if child.description]
    assert descriptions == (
        ["처음으로", "h 재생", "복사"] if both_languages == "ko" else ["reset", "play h", "copy"]
    )


@pytest.mark.parametrize("kind", kind_cases(EXPLORERS))
def test_dragging_each_handle_moves_its_slider(kind: Kind, full_drawing: None) -> None:
    explorer = kind.explore()
    names = []
    for area in explorer.view.areas:
        left, top, right, bottom = area["box"]
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1
        for direction in {"across", "up"} & set(area):
            name, (low, high) = area[direction]["control"], area[direction]["ends"]
            names.append(name)
            slider = explorer._control(name)
            assert low <= slider.min + 0.3
            assert slider.max - 0.3 <= high
            position = slider.min + 0.37 * (slider.max - slider.min)
            explorer.view.grip = {name: position, "count": len(names)}
            assert slider.value == pytest.approx(position, abs=slider.step)
            explorer.view.grip = {name: high + 1, "count": -1}
            assert slider.value == slider.max
    assert names == ["x"] if kind.name == "buffer" else "h" in names


def test_arrow_keys_move_both_sliders_by_every_key_press() -> None:
    explorer = secant.explore(x=5, h=1e-3)
    explorer.view._trait_values.pop("steps", None)  # as if no page had read `steps` yet
    explorer.view.steps = [10, 0]
    explorer.view.steps = [9, -8]
    assert explorer.x.number == pytest.approx(5.09)
    assert explorer.log_h.number == -3.5


def test_an_explorer_without_a_view_reads_and_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    original_init = View.__init__
    monkeypatch.setattr(View, "__init__", lambda self, **options: original_init(self, **options, look={}))
    monkeypatch.setattr(
        "secant.explorers.tangent.TangentExplorer.read", lambda self: pytest.fail("it was read")
    )
    explorer = secant.explore()
    explorer.x.value = 3.0
    assert explorer.view.strokes == []
    monkeypatch.undo()
    explorer.view.look = LOOK
    assert picture(explorer.view).size == (1800, 800)
    assert explorer.view.alt.startswith("Left: log(x³) at x = 3 ")


@pytest.mark.costly("each picture is drawn whole, in two themes")
@pytest.mark.parametrize("kind", first_of(EXPLORERS, 3))
def test_picture_on_a_dark_page_has_no_dark_strokes(
    kind: Kind, no_static_drawing: pytest.MonkeyPatch
) -> None:
    """The picture for an export stays light, because an export has no theme."""
    explorer = kind.explore()
    no_static_drawing.undo()  # from here on, every new picture is drawn completely
    explorer.view.look = DARK
    assert "secant-dark" in explorer._dom_classes
    brightness = np.asarray(picture(explorer.view)).max(axis=-1)
    assert brightness.min() == np.median(brightness) == 0x11
    assert (brightness > 90).sum() > 1000  # pixels of lines and letters
    assert (
        Image.open(io.BytesIO(explorer._repr_mimebundle_()[0]["image/png"])).getpixel((0, 0))[:3]
        == (255,) * 3
    )
    explorer.view.look = LOOK
    assert "secant-dark" not in explorer._dom_classes
    assert picture(explorer.view).getpixel((0, 0)) == (255, 255, 255)


def test_picture_has_the_pixel_density_of_the_screen() -> None:
    explorer = secant.explore()
    for density, width in ((1, 1800), (2, 1800), (3, 2700), (9, 3600)):
        explorer.view.look = {**LOOK, "density": density}
        assert static_picture(explorer.view).width == width
        assert explorer.view.strokes[0]["thick"] == pytest.approx(1.2 * width / 9 / 72, abs=0.01)


def test_a_scene_and_its_strokes_come_in_one_message_and_a_move_sends_no_scene(
    monkeypatch: pytest.MonkeyPatch, full_drawing: None
) -> None:
    explorer = secant.explore()
    messages: list[set[str]] = []
    monkeypatch.setattr(
        View,
        "send_state",
        lambda self, key=None: messages.append({key} if isinstance(key, str) else set(key)),
    )
    explorer.x.value = 3.0
    explorer.function.value = explorer.function.options[1]
    pictures = [keys for keys in messages if "strokes" in keys]
    assert ["still" in keys for keys in pictures] == [False, True]


async def record_play(explorer: Any, until: float) -> list[float]:
    values: list[float] = []

    def record(change: Any) -> None:
        values.append(change.new)

    explorer.log_h.observe(record, "value")
    explorer.play.button.value = True
    while explorer.play.button.value and explorer.log_h.value > until:
        await asyncio.sleep(0)
    explorer.log_h.unobserve(record, "value")
    return values


def test_play_goes_from_1_to_1e_4_and_on_to_1e_12(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "PACE", {-math.inf: 0.0})
    explorer = secant.explore()
    for end, steps in ((-4, 65), (-12, 129), (-4, 65)):
        values = asyncio.run(record_play(explorer, -99))
        assert values[-1] == end
        assert len(values) == steps
        assert not explorer.play.button.value


def test_play_shows_the_secant_turn_in_five_seconds() -> None:
    seconds: float = sum(STEP * play._decade_seconds(-step * STEP) for step in range(64))
    assert seconds == pytest.approx(5, abs=0.1)


def test_play_stops_at_a_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "PACE", {-math.inf: 0.0})
    explorer = secant.explore()

    async def touch() -> None:
        await record_play(explorer, -3)
        explorer.log_h.value = explorer.log_h.value + 1e-9  # a page may round the value
        assert explorer.play.button.value
        explorer.x.value = 3.0
        assert not explorer.play.button.value
        log_h = explorer.log_h.value
        await asyncio.sleep(0.01)
        assert explorer.log_h.value == log_h

    asyncio.run(touch())


def test_play_goes_by_decades_where_less_motion_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "SLOW", (1.0, 0.0))
    explorer = secant.explore_paths(h=0.5)
    explorer.view.look = {**LOOK, "still": True}
    assert asyncio.run(record_play(explorer, -99)) == [0, -1, -2, -3, -4]
    assert asyncio.run(record_play(explorer, -99)) == [-4, -5, -6]


def test_the_text_to_copy_is_the_call_and_the_numbers_without_markup(both_languages: str) -> None:
    explorer = secant.explore_paths()
    explorer._write()
    lines = explorer.view.text.splitlines()
    assert lines[0] == "explore_paths(x=5)"
    assert len(lines) == 7
    assert "x.grad: 1.6" in lines[5]
    assert not any("<" in line for line in lines)


def test_picture_on_a_black_page_is_drawn_in_light_colours(full_drawing: None) -> None:
    explorer = secant.explore()
    explorer.view.look = {**DARK, "background": "#000000"}
    for name in explorer.subject.functions:  # each function has a separate scene
        explorer.function.value = name
        assert np.median(np.asarray(picture(explorer.view))) == 1


def test_few_figures_stay_in_memory_however_often_a_cell_is_run() -> None:
    explorers = [secant.explore() for _ in range(MAX_FIGURES + 3)]
    assert [hasattr(explorer, "picture") for explorer in explorers] == [False] * 3 + [True] * MAX_FIGURES
    before = explorers[0].view.strokes
    explorers[0].x.value = 3
    assert explorers[0].view.strokes != before
    assert hasattr(explorers[0], "picture")
    assert not hasattr(explorers[3], "picture")


@pytest.mark.parametrize("kind", kind_cases(EXPLORERS))
def test_the_play_buttons_tooltip_names_the_last_step(kind: Kind) -> None:
    explorer = kind.explore()
    end = float(explorer.play.button.tooltip.split()[-1])
    assert np.log10(end) == pytest.approx(max(explorer.log_h.min, play.END))
