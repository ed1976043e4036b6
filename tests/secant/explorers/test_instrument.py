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
from tests.secant.explorers.kinds import EXPLORERS, Kind, each
from tests.support.reading import picture, still
from tests.support.suites import first_of

DARK = {**LOOK, "dark": True, "background": "#111111"}


def explorers() -> dict[str, Any]:
    """Return the names that a notebook needs to evaluate an explorer's call."""
    return {name: getattr(secant, name) for name in secant.__all__ if name.startswith("explore")}


def again(explorer: Any, **names: Any) -> Any:
    """Return the explorer that results from evaluating another explorer's call."""
    return eval(explorer.call, explorers() | {"torch": torch, **names})


def same(one: Any, other: Any) -> bool:
    return one.state.keys() == other.state.keys() and all(
        value == (pytest.approx(other.state[name], rel=1e-12) if name in "xhpvua" else other.state[name])
        for name, value in one.state.items()
    )


@pytest.mark.parametrize("kind", each(EXPLORERS))
def test_shown_call_restores_the_explorers_state(kind: Kind) -> None:
    explorer = kind.explore()
    assert same(explorer, again(explorer))
    for name in kind.lists:
        explorer_list = getattr(explorer, name)
        explorer_list.index = len(explorer_list.options) - 1
    for n, name in enumerate(kind.sliders, 3):
        getattr(explorer, name).move_by(-n)
    if kind.name == "buffer":
        explorer.buttons["x³"].click()
    moved = again(explorer)
    assert same(explorer, moved)
    assert moved.text.value == explorer.text.value
    assert not same(explorer, kind.explore())


def test_shown_call_names_functions_and_omits_defaults() -> None:
    def mine(x: torch.Tensor) -> torch.Tensor:
        return x**2

    assert secant.explore(dtype="float32", h=1e-3).call == 'explore(x=5, h=0.001, dtype="float32")'
    explorer = secant.explore([mine, torch.sin], x_range=(-2, 2), x=0.5)
    assert explorer.call == "explore([mine, torch.sin], x_range=(-2, 2), x=0.5)"
    explorer.function.value = "sin"
    assert same(explorer, again(explorer, mine=mine))
    assert secant.explore(lambda x: x).call == "explore(..., x=5)"


@pytest.mark.parametrize("kind", each(EXPLORERS))
def test_question_button_sets_its_state_and_reset_restores_it(kind: Kind) -> None:
    explorer = kind.explore()
    before = explorer.state
    assert [one.description for one in explorer.question_buttons] == [
        *map(str, range(1, len(explorer.questions) + 1))
    ]
    assert len(explorer.questions) >= 3
    assert all(one.tooltip.count(one.description) for one in explorer.question_buttons)
    seen = []
    for button in explorer.question_buttons:
        button.click()
        seen.append(explorer.call)
        assert explorer.message.value == ""
        assert same(explorer, again(explorer))
    assert len(set(seen)) == len(explorer.question_buttons)
    explorer.bar.children[0].click()
    assert explorer.state == before


def shown(widget: Any) -> bool:
    return widget.layout.display != "none"


@pytest.mark.parametrize("kind", each(EXPLORERS))
def test_numbers_stay_covered_under_a_question_until_a_control_moves(kind: Kind) -> None:
    explorer = kind.explore()
    order = list(explorer.children)
    assert (
        order.index(explorer.view) - order.index(explorer.question) == 2
    )  # the message about problems is between them
    assert (shown(explorer.question), shown(explorer.cover), shown(explorer.text)) == (False, False, True)
    for n, button in enumerate(explorer.question_buttons, 1):
        button.click()
        assert f"<b>{n}.</b>" in explorer.question.value
        assert [("mod-active" in one._dom_classes) for one in explorer.question_buttons].index(True) == n - 1
        assert (shown(explorer.question), shown(explorer.cover), shown(explorer.text)) == (True, True, False)
        explorer.log_h.move_by(-3 if explorer.log_h.value > explorer.log_h.min + 1 else 3)
        assert (shown(explorer.question), shown(explorer.cover), shown(explorer.text)) == (True, False, True)
    explorer.question_buttons[0].click()
    explorer.cover.children[0].click()
    assert (shown(explorer.cover), shown(explorer.text)) == (False, True)
    explorer.reset_all()
    assert not shown(explorer.question)
    assert not [one for one in explorer.question_buttons if "mod-active" in one._dom_classes]


def test_slider_rounding_by_the_page_does_not_uncover_the_numbers() -> None:
    explorer = secant.explore_saved()
    explorer.question_buttons[2].click()
    explorer.x.value = explorer.x.value + 1e-12
    assert shown(explorer.cover)
    explorer.x.move_by(1)
    assert not shown(explorer.cover)


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
def test_on_a_narrow_page_the_plots_stand_one_above_another(kind: Kind, undrawn: pytest.MonkeyPatch) -> None:
    explorer = kind.explore()
    undrawn.undo()  # from here on, every new picture is drawn completely
    explorer.view.look = {**LOOK, "narrow": True}
    places = [axes.get_position() for axes in explorer.picture.figure.axes]
    assert all(above.y0 > below.y1 for above, below in itertools.pairwise(places))
    assert all(place.width > 0.6 for place in places)
    assert picture(explorer.view).width < picture(explorer.view).height
    explorer.view.look = LOOK
    assert picture(explorer.view).size == (1800, 800)


def test_explorer_of_a_learners_function_has_no_questions(both_languages: str) -> None:
    explorer = secant.explore(torch.sin)
    assert (shown(explorer.cover), shown(explorer.text)) == (False, True)
    said = [one.description for one in explorer.bar.children if one.description]
    assert said == (["처음으로", "h 재생", "복사"] if both_languages == "ko" else ["reset", "play h", "copy"])


@pytest.mark.parametrize("kind", each(EXPLORERS))
def test_dragging_each_handle_moves_its_slider(kind: Kind, drawn: None) -> None:
    explorer = kind.explore()
    controls = []
    for area in explorer.view.areas:
        left, top, right, bottom = area["box"]
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1
        for way in {"across", "up"} & set(area):
            name, (low, high) = area[way]["control"], area[way]["ends"]
            controls.append(name)
            slider = explorer._control(name)
            assert low <= slider.min + 0.3
            assert slider.max - 0.3 <= high
            place = slider.min + 0.37 * (slider.max - slider.min)
            explorer.view.grip = {name: place, "count": len(controls)}
            assert slider.value == pytest.approx(place, abs=slider.step)
            explorer.view.grip = {name: high + 1, "count": -1}
            assert slider.value == slider.max
    assert controls == ["x"] if kind.name == "buffer" else "h" in controls


def test_arrow_keys_move_both_sliders_by_every_key_press() -> None:
    explorer = secant.explore(x=5, h=1e-3)
    explorer.view._trait_values.pop("steps", None)  # as if no page had read it yet
    explorer.view.steps = [10, 0]
    explorer.view.steps = [9, -8]
    assert explorer.x.number == pytest.approx(5.09)
    assert explorer.log_h.number == -3.5


def test_an_explorer_without_a_view_reads_and_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = View.__init__
    monkeypatch.setattr(View, "__init__", lambda self, **options: looked_at(self, **options, look={}))
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
def test_picture_on_a_dark_page_has_no_dark_strokes(kind: Kind, undrawn: pytest.MonkeyPatch) -> None:
    """The picture for an export stays light, because an export has no theme."""
    explorer = kind.explore()
    undrawn.undo()  # from here on, every new picture is drawn completely
    explorer.view.look = DARK
    assert "secant-dark" in explorer._dom_classes
    light = np.asarray(picture(explorer.view)).max(axis=-1)
    assert light.min() == np.median(light) == 0x11
    assert (light > 90).sum() > 1000  # pixels of lines and letters
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
        assert still(explorer.view).width == width
        assert explorer.view.strokes[0]["thick"] == pytest.approx(1.2 * width / 9 / 72, abs=0.01)


def test_a_scene_and_its_strokes_come_in_one_message_and_a_move_sends_no_scene(
    monkeypatch: pytest.MonkeyPatch, drawn: None
) -> None:
    explorer = secant.explore()
    sent: list[set[str]] = []
    monkeypatch.setattr(
        View, "send_state", lambda self, key=None: sent.append({key} if isinstance(key, str) else set(key))
    )
    explorer.x.value = 3.0
    explorer.function.value = explorer.function.options[1]
    pictures = [keys for keys in sent if "strokes" in keys]
    assert ["still" in keys for keys in pictures] == [False, True]


async def played(explorer: Any, until: float) -> list[float]:
    seen: list[float] = []

    def see(change: Any) -> None:
        seen.append(change.new)

    explorer.log_h.observe(see, "value")
    explorer.play.button.value = True
    while explorer.play.button.value and explorer.log_h.value > until:
        await asyncio.sleep(0)
    explorer.log_h.unobserve(see, "value")
    return seen


def test_play_goes_from_1_to_1e_4_and_on_to_1e_12(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "PACE", {-math.inf: 0.0})
    explorer = secant.explore()
    for end, steps in ((-4, 65), (-12, 129), (-4, 65)):
        seen = asyncio.run(played(explorer, -99))
        assert seen[-1] == end
        assert len(seen) == steps
        assert not explorer.play.button.value


def test_play_shows_the_secant_turn_in_five_seconds() -> None:
    seconds: float = sum(STEP * play._decade_seconds(-step * STEP) for step in range(64))
    assert seconds == pytest.approx(5, abs=0.1)


def test_play_stops_at_a_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "PACE", {-math.inf: 0.0})
    explorer = secant.explore()

    async def touch() -> None:
        await played(explorer, -3)
        explorer.log_h.value = explorer.log_h.value + 1e-9  # a page may round the value
        assert explorer.play.button.value
        explorer.x.value = 3.0
        assert not explorer.play.button.value
        at = explorer.log_h.value
        await asyncio.sleep(0.01)
        assert explorer.log_h.value == at

    asyncio.run(touch())


def test_play_goes_by_decades_where_less_motion_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "SLOW", (1.0, 0.0))
    explorer = secant.explore_paths(h=0.5)
    explorer.view.look = {**LOOK, "still": True}
    assert asyncio.run(played(explorer, -99)) == [0, -1, -2, -3, -4]
    assert asyncio.run(played(explorer, -99)) == [-4, -5, -6]


def test_the_text_to_copy_is_the_call_and_the_numbers_without_markup(both_languages: str) -> None:
    explorer = secant.explore_paths()
    explorer._write()
    lines = explorer.view.text.splitlines()
    assert lines[0] == "explore_paths(x=5)"
    assert len(lines) == 7
    assert "x.grad: 1.6" in lines[5]
    assert not any("<" in line for line in lines)


def test_picture_on_a_black_page_is_drawn_in_light_colours(drawn: None) -> None:
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


@pytest.mark.parametrize("kind", each(EXPLORERS))
def test_the_play_buttons_tooltip_names_the_last_step(kind: Kind) -> None:
    explorer = kind.explore()
    end = float(explorer.play.button.tooltip.split()[-1])
    assert np.log10(end) == pytest.approx(max(explorer.log_h.min, play.END))
