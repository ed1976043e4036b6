"""Tests that every explorer must pass, whatever the learner's function does and wherever it is shown."""

import contextlib
import html
import io
import pkgutil
import random
import re
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
import pytest
import torch
from matplotlib import rcParams
from PIL import Image

import secant
from secant import explorers
from secant.explorers.kit.picture import View
from secant.explorers.kit.ranges import LOG_H
from secant.explorers.kit.widget import Panel
from tests.secant.explorers.kinds import BAD, EXPLORERS, HALF, KINDS, Kind, each
from tests.support.reading import picture, problems, remarks, text
from tests.support.suites import case

pytestmark = pytest.mark.slow

HANGUL = re.compile("[가-힣]")


@pytest.fixture(scope="module", params=each(EXPLORERS))
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return each explorer in turn."""
    found: Kind = request.param
    return found


@pytest.fixture(scope="module")
def started(kind: Kind) -> Any:
    """Return the explorer as a lesson shows it, for tests that leave it as it was."""
    secant.language("en")
    return kind.explore()


@contextlib.contextmanager
def secant_in(language: str) -> Iterator[None]:
    """Set Secant's language for the `with` block, and restore the previous language at the end."""
    before = secant.language()
    secant.language(language)
    yield
    secant.language(before)


def parts(explorer: Any) -> list[str]:
    """Return the names of the widget's visible parts from top to bottom."""
    names = {
        explorer.message: "message" if explorer.message.value else "",
        explorer.view: "picture",
        explorer.legend: "legend",
        explorer.text: "numbers",
    }
    shown = [child for child in explorer.children if child.layout.display != "none"]
    return [names.get(child, "controls") for child in shown if names.get(child) != ""]


def visible(figure: Any) -> tuple[bool, ...]:
    return tuple(axes.get_visible() for axes in figure.axes)


def words_of(explorer: Any) -> str:
    """Return all texts of an explorer, its alternative text included, without their markup."""
    legend = re.sub("<style>.*</style>", "", explorer.legend.value, flags=re.DOTALL)
    every = explorer.message.value, explorer.text.value, legend, explorer.view.alt or ""
    return re.sub("<[^>]*>", " ", " ".join(every))


def controls(explorer: Any) -> Iterator[Any]:
    todo = list(explorer.children)
    while todo:
        one = todo.pop(0)
        if isinstance(one, widgets.Box):
            todo[:0] = one.children
        elif not isinstance(one, widgets.HTML | widgets.HTMLMath | widgets.Label | View):
            yield one


# Learners' functions


#: Every pair of a kind and a bad function. Every third pair is quick, so each kind and each function occurs.
MISTAKES = [
    case(kind, name, quick=(row + column) % 3 == 0, id=f"{kind}-{name}")
    for row, kind in enumerate(KINDS)
    for column, name in enumerate(BAD)
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("kind", "name"), MISTAKES)
def test_function_problem_is_shown_above_the_picture(
    kind: Kind, name: str, unsent: None, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Panel, "_draw", lambda panel: None)  # in Korean, only the words are tested
        in_korean = see_what_is_wrong(kind, name, "ko")
    if name in HALF:  # otherwise the picture is hidden, or shows an earlier step
        request.getfixturevalue("drawn")
    explorer = see_what_is_wrong(kind, name, "en")
    assert explorer.has_content == in_korean.has_content
    if explorer.has_content:
        if name == "cut":  # for one function only, because a PNG takes as long as all the rest
            assert explorer._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")
    elif name == "raises":
        assert not any(visible(explorer.static_figure()))
    assert capsys.readouterr() == ("", "")


def see_what_is_wrong(kind: Kind, name: str, language: str) -> Any:
    """Check what an explorer of a faulty function shows in a language, and return the explorer."""
    with secant_in(language):
        explorer = kind.of(BAD[name])
        said = problems(explorer)
        assert re.search(r"<p>.*\w{3}", said)
        assert 'role="status" aria-live="polite"' in said
        assert "Traceback" not in words_of(explorer)
        assert "<b>broken" not in said
        assert "<z>" not in said
        assert bool(HANGUL.search(said)) == (language == "ko")

        above = ["controls"] * parts(explorer).count("controls") + ["message"]
        if explorer.has_content:
            assert name in HALF or kind.name == "chain's second step"
            assert parts(explorer) == [*above, "picture", "legend", "numbers"]
            if language == "en":
                assert visible(explorer.picture.figure) == explorer.reading.visible_axes
        else:
            assert parts(explorer) == above
            assert explorer.text.value == ""
            bundle, _ = explorer._repr_mimebundle_()
            assert "image/png" not in bundle
            assert bundle["text/html"] == said
        assert "nan" not in re.findall(r"<output[^>]*>([^<]*)", explorer.text.value)

        for slider in kind.sliders:
            control = getattr(explorer, slider)
            control.value = control.min + 0.3 * (control.max - control.min)
        assert problems(explorer)
        return explorer


@pytest.mark.parametrize("name", ["raises", "None", "one for all", "integers", "nan", "infinite"])
def test_explorer_without_values_shows_no_picture(kind: Kind, name: str, unsent: None) -> None:
    assert not kind.of(BAD[name]).has_content


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", each(kind for kind in KINDS if kind.beside))
def test_good_function_is_shown_after_a_bad_one(
    kind: Kind, unsent: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kind.beside
    assert kind.choose
    explorer = kind.beside({"bad": BAD["raises"], **BAD, "good": torch.sin})
    explorer.x.value, explorer.log_h.value = explorer.x.max - 0.5, -4.0
    for name in BAD:
        kind.choose(explorer, name)
        assert problems(explorer), name
        kind.choose(explorer, "good")
        assert problems(explorer) == "", name
        assert parts(explorer)[-3:] == ["picture", "legend", "numbers"]
        assert all(visible(explorer.picture.figure))
        slope = re.search(r'secant-gradient">([^<]*)<', explorer.text.value)
        assert slope
        assert float(slope.group(1)) == pytest.approx(np.cos(explorer.x.value), rel=1e-6)
    assert capsys.readouterr() == ("", "")


def below_one(x: torch.Tensor) -> torch.Tensor:
    """Return x², but raise an error if x, or the first coordinate of x, is below 1."""
    if float(x.detach().reshape(-1)[0]) < 1:
        raise ValueError("below 1")
    return x**2


@pytest.mark.parametrize("kind", each(KINDS))
def test_function_that_fails_at_one_x_is_shown_well_elsewhere(
    kind: Kind, both_languages: str, unsent: None
) -> None:
    explorer = kind.of(below_one, x=0.5, x_range=(0.25, 3.0), h=1e-2)
    slider = getattr(explorer, kind.places[0])
    if kind.name == "buffer":  # the call failed, so there is no sum
        assert not explorer.has_content
    else:
        assert explorer.has_content
        assert visible(explorer.picture.figure) == explorer.reading.visible_axes
        assert explorer.view.alt in html.unescape(problems(explorer))
    assert "below 1" in problems(explorer)
    assert "nan" not in explorer.text.value
    slider.value = 2.0
    assert problems(explorer) == ""
    assert explorer.has_content
    assert all(visible(explorer.picture.figure))
    slider.value = 0.5
    assert "below 1" in problems(explorer)


def test_a_slow_function_does_not_freeze_the_sliders(kind: Kind) -> None:
    def slow(x: torch.Tensor) -> torch.Tensor:
        if float(x.detach().reshape(-1)[0]) > -9:
            time.sleep(0.001)
        return x**2

    explorer = kind.of(slow)
    slider = getattr(explorer, kind.places[0])
    start = time.perf_counter()
    slider.value = 1.5
    assert time.perf_counter() - start < 1
    assert explorer.has_content


def test_a_function_with_an_if_is_right_on_both_sides(kind: Kind, unsent: None) -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x.reshape(-1)[0] > 1 else 3 * x

    explorer = kind.of(branch, x=1.5, x_range=(0.25, 3.0), h=1e-3)
    right = kind.of(lambda x: x**2, x=1.5, x_range=(0.25, 3.0), h=1e-3)
    assert numbers(explorer) == pytest.approx(numbers(right), rel=1e-6)
    for one in (explorer, right):
        getattr(one, kind.places[0]).value = 0.75
    wrong = numbers(right)
    left = kind.of(lambda x: 3 * x, x=0.75, x_range=(0.25, 3.0), h=1e-3)
    assert numbers(explorer) == pytest.approx(numbers(left), rel=1e-6)
    assert numbers(explorer) != pytest.approx(wrong, rel=1e-2)


def numbers(explorer: Any) -> list[float]:
    """Return the displayed quotients and slopes, which do not depend on rounding."""
    found = re.findall(r'secant-(?:quotient\d?|gradient|slope\d|jvp|backward)">([^<]*)<', explorer.text.value)
    return [float(number) for entry in found for number in entry.split(", ")]


@pytest.mark.parametrize("warn", [True, False], ids=["warns", "prints"])
def test_prints_and_warnings_of_a_drawn_function_are_dropped(
    kind: Kind, warn: bool, unsent: None, capsys: pytest.CaptureFixture[str]
) -> None:
    def chatty(x: torch.Tensor) -> torch.Tensor:
        if warn:
            warnings.warn("careful", stacklevel=1)
        else:
            print("hello")
        return x**2

    with warnings.catch_warnings(record=True) as caught:
        explorer = kind.of(chatty)
        getattr(explorer, kind.places[0]).value = 1.5
        explorer._repr_mimebundle_()
    assert not caught
    assert capsys.readouterr() == ("", "")


def shared_by_threads() -> tuple[object, ...]:
    """Return the state that a kernel's threads share, as a new thread sees it."""
    found: list[tuple[object, ...]] = []

    def look() -> None:
        print("a line of a cell")
        # Only filters without a pattern for the message are compared. Filters with one may precede them.
        filters = [one for one in warnings.filters if one[1] is None]
        found.append((sys.stdout, filters, warnings.showwarning, torch.get_num_threads(), dict(rcParams)))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return found[0]


def random_states() -> tuple[object, ...]:
    return torch.get_rng_state().tolist(), random.getstate(), repr(np.random.get_state())


def test_drawing_changes_no_global_seen_by_other_threads(
    kind: Kind, unsent: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """In JupyterLab, a kernel may handle widgets in one thread while a cell runs in another."""
    torch.set_num_threads(3)  # a number that neither an explorer nor these tests set
    before, seen, states = shared_by_threads(), list[tuple[object, ...]](), random_states()

    def curious(x: torch.Tensor) -> torch.Tensor:
        if len(seen) < 40:
            seen.append(shared_by_threads())
        return x**2

    try:
        explorer = kind.of(curious)
        getattr(explorer, kind.places[0]).value = 1.5
        explorer._repr_mimebundle_()
    finally:
        torch.set_num_threads(1)
    assert len(seen) > 1
    assert all(one == before for one in seen)
    assert random_states() == states
    assert capsys.readouterr() == ("a line of a cell\n" * (1 + len(seen)), "")


# Arguments


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        case(kind, number, quick=kind.name == "paths" or number == 0, id=f"{kind}-{number}")
        for kind in EXPLORERS
        for number in range(len(kind.refused))
    ],
)
def test_arguments_that_make_no_sense_are_refused(kind: Kind, number: int, both_languages: str) -> None:
    wrong = kind.refused[number]
    with pytest.raises(ValueError, match=r"\w") as refusal:
        kind.explore(**wrong)
    assert bool(HANGUL.search(str(refusal.value))) == (both_languages == "ko")


@pytest.mark.parametrize("end", ["min", "max"])
def test_start_values_are_moved_into_range(kind: Kind, end: str, unsent: None) -> None:
    far = {"min": -1e9, "max": 1e9}[end]
    place = {"p": (far, far)} if kind.name == "arrows" else {"x": far}
    explorer = kind.explore(**place, h={"min": 1e-300, "max": 1e9}[end])
    for name in (*kind.places, "log_h"):
        slider = getattr(explorer, name)
        assert slider.value == pytest.approx(getattr(slider, end))
    assert explorer.log_h.min >= LOG_H[0]
    assert explorer.log_h.max <= LOG_H[1]


# Controls


def test_every_control_has_a_name_and_every_slider_a_box(kind: Kind, started: Any) -> None:
    named = [one for one in controls(started) if not isinstance(one, widgets.FloatSlider)]
    assert all(one.description.strip() for one in named)
    boxes = [one for one in named if isinstance(one, widgets.FloatText)]
    assert len(boxes) == len(kind.sliders)
    assert len({box.description for box in boxes}) == len(boxes)
    lists = [one for one in named if isinstance(one, widgets.Dropdown)]
    assert lists == [getattr(started, name) for name in kind.lists]


def test_a_number_typed_moves_the_slider_and_a_slider_the_number(kind: Kind, started: Any) -> None:
    boxes = [one for one in controls(started) if isinstance(one, widgets.FloatText)]
    for name, box in zip(kind.sliders, boxes, strict=True):
        slider = getattr(started, name)
        first = slider.value
        position = slider.min + slider.step
        box.value = slider.argument_at(position)
        assert slider.value == pytest.approx(position)
        slider.value = slider.max
        assert box.value == pytest.approx(slider.argument_at(slider.max), rel=1e-3)
        slider.value = first


def test_a_number_typed_out_of_range_is_refused_in_words(kind: Kind, both_languages: str) -> None:
    explorer = kind.explore()
    boxes = [one for one in controls(explorer) if isinstance(one, widgets.FloatText)]
    notes = [row.children[1] for box in explorer.children for row in getattr(box, "children", ())
             if isinstance(row, widgets.VBox)]  # fmt: skip
    for name, box, note in zip(kind.sliders, boxes, notes, strict=True):
        slider = getattr(explorer, name)
        before = slider.value, box.value
        assert note.layout.display == "none"
        for outside in (slider.argument_at(slider.min - 1), slider.argument_at(slider.max + 1), -1e9):
            box.value = outside
            assert (slider.value, box.value) == before
            assert note.layout.display is None
            assert f"= {outside:g}" in note.value
            assert bool(HANGUL.search(note.value)) == (both_languages == "ko")
        box.value = slider.argument_at(slider.min)
        assert slider.value == slider.min
        assert note.layout.display == "none"


def test_a_start_out_of_range_is_moved_in_and_words_say_so() -> None:
    explorer = secant.explore(x=0)
    assert explorer.setting.x == 1
    assert "x = 0 is out of range" in explorer.children[1].children[0].children[1].value
    quiet = secant.explore(torch.sin, x_range=(-2, 2))  # no x was given, so no note appears
    assert quiet.setting.x == 2
    assert quiet.children[1].children[0].children[1].layout.display == "none"


def test_a_state_out_of_range_is_moved_in_and_words_say_so() -> None:
    explorer = secant.explore(x_range=(-2, 2))
    note = explorer.children[1].children[0].children[1]
    explorer.choose({"x": 3.0})
    assert explorer.setting.x == 2
    assert "x = 3 is out of range" in note.value
    assert note.layout.display is None
    explorer.reset_all()
    assert note.layout.display == "none"


def test_start_value_between_slider_steps_is_kept() -> None:
    """The page's handle stops only at whole steps, and reports the step where it stops."""
    explorer = secant.explore(h=2.0, x=1.2345)
    explorer.log_h.value, explorer.x.value = 0.3125, 1.23
    assert (explorer.setting.h, explorer.setting.x) == (2.0, 1.2345)
    assert "h = 2<" in explorer.text.value
    explorer.log_h.value, explorer.x.value = 0.25, 1.24
    assert explorer.setting.h == pytest.approx(10**0.25)
    assert explorer.setting.x == 1.24


def test_every_step_of_a_slider_changes_picture_and_numbers(kind: Kind, started: Any) -> None:
    for name in kind.sliders:
        slider = getattr(started, name)
        first = slider.value
        for step in range(1, 4):
            before = started.view.strokes, started.text.value
            slider.value = first - step * slider.step if first > slider.min else first + step * slider.step
            assert started.view.strokes != before[0]
            assert started.text.value != before[1]
        slider.value = first


@pytest.mark.parametrize("kind", each(kind for kind in EXPLORERS if kind.compared), indirect=True)
def test_shown_quotient_and_slope_differ_by_the_shown_error(kind: Kind, started: Any) -> None:
    first = started.log_h.value
    for started.log_h.value in (-3, -8):
        quotient, slope, said = (float(text(started, name)) for name in kind.compared)
        assert abs(quotient - slope) == pytest.approx(said, rel=0.3)  # all three numbers are rounded
    started.log_h.value = first


def test_every_drop_down_list_changes_the_picture(kind: Kind, drawn: None) -> None:
    explorer = kind.explore()
    for name in kind.lists:
        choice = getattr(explorer, name)
        for value in [one for _, one in choice._options_full if one != choice.value]:
            before = explorer.view.strokes
            choice.value = value
            assert explorer.view.strokes != before


# Pictures and words


def test_explorer_texts_are_in_the_current_language(kind: Kind, both_languages: str) -> None:
    explorer = kind.explore()
    assert kind.says in explorer.view.alt
    for said in (explorer.text.value, explorer.legend.value, explorer.view.alt):
        assert bool(HANGUL.search(said)) == (both_languages == "ko")
    assert 'role="status" aria-live="polite"' in explorer.text.value
    assert problems(explorer) == ""
    assert remarks(explorer) == "" or kind.name == "paths"
    assert not re.search(r"None|\{|\}", words_of(explorer))


def test_both_languages_show_the_same_numbers_and_legend(kind: Kind, unsent: None) -> None:
    found = {}
    for language in ("en", "ko"):
        secant.language(language)
        explorer = kind.explore()
        drawings = re.findall("<svg.*?</svg>", explorer.legend.value)
        found[language] = re.findall(r'class="secant-[^"]*">[-\d.e+]+<', explorer.text.value), drawings
    secant.language("en")
    assert found["en"] == found["ko"]


def test_picture_has_a_white_background_and_only_symbols(kind: Kind, started: Any, drawn: None) -> None:
    images = [picture(started.view)]
    images.append(Image.open(io.BytesIO(started._repr_mimebundle_()[0]["image/png"])))
    for image in images:
        colours = image.convert("RGB").getcolors(maxcolors=2**20)
        assert max(colours)[1] == (255, 255, 255)
    assert started.stage.figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)
    figure = started.static_figure()
    legends = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    labels = [text.get_text() for one in legends for text in one.get_texts()]
    assert labels
    labels += [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel())]
    assert not any(HANGUL.search(label) for label in labels)
    assert not any(
        re.search(r"[A-Za-z]{4,}", re.sub(r"\\\w+|float\d+|autograd|x\.grad|loss", "", label))
        for label in labels
    )


def test_explorer_without_a_front_end_is_one_png(started: Any, drawn: None) -> None:
    bundle, _ = started._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert Image.open(io.BytesIO(bundle["image/png"])).size == (900, 400)
    assert "text/html" not in bundle


def test_strokes_over_the_still_scene_equal_a_full_drawing(kind: Kind, started: Any, drawn: None) -> None:
    # The explorer was made while drawing was switched off, so its image of the static parts is made again.
    started.view.show(started.stage.static_png(), started.stage.size, dark=False)
    for name in kind.sliders:
        slider = getattr(started, name)
        first = slider.value
        slider.value = slider.min + 0.4 * (slider.max - slider.min)
        started.stage.canvas.draw()
        renderer = started.stage.canvas.get_renderer()
        for artist in started.stage.moving:
            artist.draw(renderer)
        both = picture(started.view), Image.fromarray(np.asarray(renderer.buffer_rgba()))
        small = [image.convert("L").resize((225, 100), Image.Resampling.BOX) for image in both]
        apart = np.abs(np.subtract(*(np.asarray(image, dtype=float) for image in small)))
        assert apart.mean() < 0.4  # Agg moves edges to whole pixels, a canvas does not
        assert apart.max() < 60
        slider.value = first


def test_on_a_dark_page_every_colour_of_the_legend_is_another(started: Any) -> None:
    legend = re.sub("<style>.*</style>", "", started.legend.value, flags=re.DOTALL)
    for part, colour in re.findall('(stroke|fill)="(#.{6})"', legend):
        rule = re.search(
            rf'\.secant-dark \.secant-legend \[{part}="{colour}"\] {{ {part}: (#.{{6}}); }}',
            started.legend.value,
        )
        assert rule
        assert rule.group(1) != colour


def test_an_untrusted_notebook_has_one_picture_to_show(started: Any) -> None:
    """JupyterLab shows only the PNG if it does not trust the notebook."""
    bundle, _ = started._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"}


def test_stored_picture_has_the_alternative_text_of_the_live_one(started: Any) -> None:
    _, metadata = started._repr_mimebundle_()
    assert metadata == {"image/png": {"alt": started.view.alt}}
    assert len(started.view.alt) > 40


def test_a_frame_costs_a_fraction_of_a_new_picture(kind: Kind, started: Any) -> None:
    """A frame took 3 to 6 ms, a new picture 30 to 140 ms; benchmarks/slider measures drags in a browser."""
    slider = getattr(started, kind.places[0])
    first = slider.value
    places = [slider.min + (slider.max - slider.min) * (k + 0.5) / 20 for k in range(20)]
    frame = min(seconds(partial(setattr, slider, "value", place)) for place in places)
    anew = min(seconds(started._repr_mimebundle_) for _ in range(3))
    slider.value = first
    assert frame < anew / 3


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time that an action takes in this process; other programs do not count."""
    start = time.process_time()
    action()
    return time.process_time() - start


@pytest.mark.costly("a process of its own, which imports torch")
def test_no_explorer_needs_pyplot() -> None:
    """The global state of pyplot would make the figure appear a second time below the cell."""
    names = ", ".join(f"secant.explorers.{name}" for _, name, _ in pkgutil.iter_modules(explorers.__path__))
    code = f"import sys, {names}; print('matplotlib.pyplot' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"
