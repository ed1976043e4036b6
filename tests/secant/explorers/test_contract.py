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
from tests.secant.explorers.kinds import BAD_FUNCTIONS, EXPLORERS, KINDS, WITHOUT_SLOPE, Kind, kind_cases
from tests.support.reading import picture, problems, remarks, text
from tests.support.suites import case

pytestmark = pytest.mark.slow

HANGUL = re.compile("[가-힣]")


@pytest.fixture(scope="module", params=kind_cases(EXPLORERS))
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return each explorer in turn."""
    param: Kind = request.param
    return param


@pytest.fixture(scope="module")
def shared_explorer(kind: Kind) -> Any:
    """Return the explorer as a lesson shows it, for tests that leave it as it was."""
    secant.language("en")
    return kind.explore()


@contextlib.contextmanager
def secant_language(language: str) -> Iterator[None]:
    """Set Secant's language for the `with` block, and restore the previous language at the end."""
    before = secant.language()
    secant.language(language)
    yield
    secant.language(before)


def visible_parts(explorer: Any) -> list[str]:
    """Return the names of the widget's visible parts from top to bottom."""
    names = {
        explorer.message: "message" if explorer.message.value else "",
        explorer.view: "picture",
        explorer.legend: "legend",
        explorer.text: "numbers",
    }
    children = [child for child in explorer.children if child.layout.display != "none"]
    return [names.get(child, "controls") for child in children if names.get(child) != ""]


def axes_visibility(figure: Any) -> tuple[bool, ...]:
    return tuple(axes.get_visible() for axes in figure.axes)


def all_text(explorer: Any) -> str:
    """Return all texts of an explorer, its alternative text included, without their markup."""
    legend = re.sub("<style>.*</style>", "", explorer.legend.value, flags=re.DOTALL)
    texts = explorer.message.value, explorer.text.value, legend, explorer.view.alt or ""
    return re.sub("<[^>]*>", " ", " ".join(texts))


def controls(explorer: Any) -> Iterator[Any]:
    queue = list(explorer.children)
    while queue:
        widget = queue.pop(0)
        if isinstance(widget, widgets.Box):
            queue[:0] = widget.children
        elif not isinstance(widget, widgets.HTML | widgets.HTMLMath | widgets.Label | View):
            yield widget


# Learners' functions


#: Every kind with every bad function. The quick suite runs every third pair: each kind and function occurs.
MISTAKE_CASES = [
    case(kind, name, quick=(row + column) % 3 == 0, id=f"{kind}-{name}")
    for row, kind in enumerate(KINDS)
    for column, name in enumerate(BAD_FUNCTIONS)
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("kind", "name"), MISTAKE_CASES)
def test_function_problem_is_shown_above_the_picture(
    kind: Kind, name: str, no_comms: None, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Panel, "_draw", lambda panel: None)  # the Korean picture is not tested
        korean_explorer = check_problem_display(kind, name, "ko")
    if name in WITHOUT_SLOPE:  # otherwise the picture is hidden, or shows an earlier step
        request.getfixturevalue("full_drawing")
    explorer = check_problem_display(kind, name, "en")
    assert explorer.has_content == korean_explorer.has_content
    if explorer.has_content:
        if name == "cut":  # only here, because a PNG takes as long as the rest of the test
            assert explorer._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")
    elif name == "raises":
        assert not any(axes_visibility(explorer.static_figure()))
    assert capsys.readouterr() == ("", "")


def check_problem_display(kind: Kind, name: str, language: str) -> Any:
    """Check what an explorer of a faulty function shows in a language, and return the explorer."""
    with secant_language(language):
        explorer = kind.explore_function(BAD_FUNCTIONS[name])
        message = problems(explorer)
        assert re.search(r"<p>.*\w{3}", message)
        assert 'role="status" aria-live="polite"' in message
        assert "Traceback" not in all_text(explorer)
        assert "<b>broken" not in message
        assert "<z>" not in message
        assert bool(HANGUL.search(message)) == (language == "ko")

        top_parts = ["controls"] * visible_parts(explorer).count("controls") + ["message"]
        if explorer.has_content:
            assert name in WITHOUT_SLOPE or kind.name == "chain's second step"
            assert visible_parts(explorer) == [*top_parts, "picture", "legend", "numbers"]
            if language == "en":
                assert axes_visibility(explorer.picture.figure) == explorer.reading.visible_axes
        else:
            assert visible_parts(explorer) == top_parts
            assert explorer.text.value == ""
            bundle, _ = explorer._repr_mimebundle_()
            assert "image/png" not in bundle
            assert bundle["text/html"] == message
        assert "nan" not in re.findall(r"<output[^>]*>([^<]*)", explorer.text.value)

        for slider in kind.sliders:
            control = getattr(explorer, slider)
            control.value = control.min + 0.3 * (control.max - control.min)
        assert problems(explorer)
        return explorer


@pytest.mark.parametrize("name", ["raises", "None", "one for all", "integers", "nan", "infinite"])
def test_explorer_without_values_shows_no_picture(kind: Kind, name: str, no_comms: None) -> None:
    assert not kind.explore_function(BAD_FUNCTIONS[name]).has_content


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", kind_cases(kind for kind in KINDS if kind.explore_functions))
def test_good_function_is_shown_after_a_bad_one(
    kind: Kind, no_comms: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kind.explore_functions
    assert kind.choose
    explorer = kind.explore_functions({"bad": BAD_FUNCTIONS["raises"], **BAD_FUNCTIONS, "good": torch.sin})
    explorer.x.value, explorer.log_h.value = explorer.x.max - 0.5, -4.0
    for name in BAD_FUNCTIONS:
        kind.choose(explorer, name)
        assert problems(explorer), name
        kind.choose(explorer, "good")
        assert problems(explorer) == "", name
        assert visible_parts(explorer)[-3:] == ["picture", "legend", "numbers"]
        assert all(axes_visibility(explorer.picture.figure))
        slope = re.search(r'secant-gradient">([^<]*)<', explorer.text.value)
        assert slope
        assert float(slope.group(1)) == pytest.approx(np.cos(explorer.x.value), rel=1e-6)
    assert capsys.readouterr() == ("", "")


def below_one(x: torch.Tensor) -> torch.Tensor:
    """Return x², but raise an error if x, or the first coordinate of x, is below 1."""
    if float(x.detach().reshape(-1)[0]) < 1:
        raise ValueError("below 1")
    return x**2


@pytest.mark.parametrize("kind", kind_cases(KINDS))
def test_function_that_fails_at_one_x_is_shown_well_elsewhere(
    kind: Kind, both_languages: str, no_comms: None
) -> None:
    explorer = kind.explore_function(below_one, x=0.5, x_range=(0.25, 3.0), h=1e-2)
    slider = getattr(explorer, kind.places[0])
    if kind.name == "buffer":  # f failed, so there is no sum to show
        assert not explorer.has_content
    else:
        assert explorer.has_content
        assert axes_visibility(explorer.picture.figure) == explorer.reading.visible_axes
        assert explorer.view.alt in html.unescape(problems(explorer))
    assert "below 1" in problems(explorer)
    assert "nan" not in explorer.text.value
    slider.value = 2.0
    assert problems(explorer) == ""
    assert explorer.has_content
    assert all(axes_visibility(explorer.picture.figure))
    slider.value = 0.5
    assert "below 1" in problems(explorer)


def test_a_slow_function_does_not_freeze_the_sliders(kind: Kind) -> None:
    def slow(x: torch.Tensor) -> torch.Tensor:
        if float(x.detach().reshape(-1)[0]) > -9:
            time.sleep(0.001)
        return x**2

    explorer = kind.explore_function(slow)
    slider = getattr(explorer, kind.places[0])
    start = time.perf_counter()
    slider.value = 1.5
    assert time.perf_counter() - start < 1
    assert explorer.has_content


def test_a_function_with_an_if_is_right_on_both_sides(kind: Kind, no_comms: None) -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x.reshape(-1)[0] > 1 else 3 * x

    explorer = kind.explore_function(branch, x=1.5, x_range=(0.25, 3.0), h=1e-3)
    square = kind.explore_function(lambda x: x**2, x=1.5, x_range=(0.25, 3.0), h=1e-3)
    assert numbers(explorer) == pytest.approx(numbers(square), rel=1e-6)
    for panel in (explorer, square):
        getattr(panel, kind.places[0]).value = 0.75
    wrong_numbers = numbers(square)
    triple = kind.explore_function(lambda x: 3 * x, x=0.75, x_range=(0.25, 3.0), h=1e-3)
    assert numbers(explorer) == pytest.approx(numbers(triple), rel=1e-6)
    assert numbers(explorer) != pytest.approx(wrong_numbers, rel=1e-2)


def numbers(explorer: Any) -> list[float]:
    """Return the quotients and slopes that an explorer displays, but no errors, which depend on rounding."""
    matches = re.findall(
        r'secant-(?:quotient\d?|gradient|slope\d|jvp|backward)">([^<]*)<', explorer.text.value
    )
    return [float(number) for entry in matches for number in entry.split(", ")]


@pytest.mark.parametrize("warn", [True, False], ids=["warns", "prints"])
def test_prints_and_warnings_of_a_drawn_function_are_dropped(
    kind: Kind, warn: bool, no_comms: None, capsys: pytest.CaptureFixture[str]
) -> None:
    def chatty(x: torch.Tensor) -> torch.Tensor:
        if warn:
            warnings.warn("careful", stacklevel=1)
        else:
            print("hello")
        return x**2

    with warnings.catch_warnings(record=True) as caught_warnings:
        explorer = kind.explore_function(chatty)
        getattr(explorer, kind.places[0]).value = 1.5
        explorer._repr_mimebundle_()
    assert not caught_warnings
    assert capsys.readouterr() == ("", "")


def state_shared_by_threads() -> tuple[object, ...]:
    """Return the state that a kernel's threads share, as a new thread sees it."""
    states: list[tuple[object, ...]] = []

    def record_state() -> None:
        print("a line of a cell")
        # Filters with a message pattern may be added at the front, so only the other filters are compared.
        filters = [entry for entry in warnings.filters if entry[1] is None]
        states.append((sys.stdout, filters, warnings.showwarning, torch.get_num_threads(), dict(rcParams)))

    thread = threading.Thread(target=record_state)
    thread.start()
    thread.join()
    return states[0]


def random_state() -> tuple[object, ...]:
    return torch.get_rng_state().tolist(), random.getstate(), repr(np.random.get_state())


def test_drawing_changes_no_global_seen_by_other_threads(
    kind: Kind, no_comms: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """In JupyterLab, a kernel may handle widgets in one thread while a cell runs in another."""
    torch.set_num_threads(3)  # a number that neither an explorer nor these tests set
    before, shared_states, random_before = (
        state_shared_by_threads(),
        list[tuple[object, ...]](),
        random_state(),
    )

    def recording(x: torch.Tensor) -> torch.Tensor:
        if len(shared_states) < 40:
            shared_states.append(state_shared_by_threads())
        return x**2

    try:
        explorer = kind.explore_function(recording)
        getattr(explorer, kind.places[0]).value = 1.5
        explorer._repr_mimebundle_()
    finally:
        torch.set_num_threads(1)
    assert len(shared_states) > 1
    assert all(state == before for state in shared_states)
    assert random_state() == random_before
    assert capsys.readouterr() == ("a line of a cell\n" * (1 + len(shared_states)), "")


# Arguments


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        case(kind, number, quick=kind.name == "paths" or number == 0, id=f"{kind}-{number}")
        for kind in EXPLORERS
        for number in range(len(kind.bad_options))
    ],
)
def test_arguments_that_make_no_sense_are_refused(kind: Kind, number: int, both_languages: str) -> None:
    options = kind.bad_options[number]
    with pytest.raises(ValueError, match=r"\w") as error:
        kind.explore(**options)
    assert bool(HANGUL.search(str(error.value))) == (both_languages == "ko")


@pytest.mark.parametrize("end", ["min", "max"])
def test_start_values_are_moved_into_range(kind: Kind, end: str, no_comms: None) -> None:
    value = {"min": -1e9, "max": 1e9}[end]
    options = {"p": (value, value)} if kind.name == "arrows" else {"x": value}
    explorer = kind.explore(**options, h={"min": 1e-300, "max": 1e9}[end])
    for name in (*kind.places, "log_h"):
        slider = getattr(explorer, name)
        assert slider.value == pytest.approx(getattr(slider, end))
    assert explorer.log_h.min >= LOG_H[0]
    assert explorer.log_h.max <= LOG_H[1]


# Controls


def test_every_control_has_a_name_and_every_slider_a_box(kind: Kind, shared_explorer: Any) -> None:
    named_controls = [
        control for control in controls(shared_explorer) if not isinstance(control, widgets.FloatSlider)
    ]
    assert all(control.description.strip() for control in named_controls)
    boxes = [control for control in named_controls if isinstance(control, widgets.FloatText)]
    assert len(boxes) == len(kind.sliders)
    assert len({box.description for box in boxes}) == len(boxes)
    dropdowns = [control for control in named_controls if isinstance(control, widgets.Dropdown)]
    assert dropdowns == [getattr(shared_explorer, name) for name in kind.dropdowns]


def test_a_number_typed_moves_the_slider_and_a_slider_the_number(kind: Kind, shared_explorer: Any) -> None:
    boxes = [control for control in controls(shared_explorer) if isinstance(control, widgets.FloatText)]
    for name, box in zip(kind.sliders, boxes, strict=True):
        slider = getattr(shared_explorer, name)
        first = slider.value
        position = slider.min + slider.step
        box.value = slider.argument_at(position)
        assert slider.value == pytest.approx(position)
        slider.value = slider.max
        assert box.value == pytest.approx(slider.argument_at(slider.max), rel=1e-3)
        slider.value = first


def test_a_number_typed_out_of_range_is_refused_with_a_note(kind: Kind, both_languages: str) -> None:
    explorer = kind.explore()
    boxes = [control for control in controls(explorer) if isinstance(control, widgets.FloatText)]
    notes = [row.children[1] for box in explorer.children for row in getattr(box, "children", ())
             if isinstance(row, widgets.VBox)]  # fmt: skip
    for name, box, note in zip(kind.sliders, boxes, notes, strict=True):
        slider = getattr(explorer, name)
        before = slider.value, box.value
        assert note.layout.display == "none"
        for number in (slider.argument_at(slider.min - 1), slider.argument_at(slider.max + 1), -1e9):
            box.value = number
            assert (slider.value, box.value) == before
            assert note.layout.display is None
            assert f"= {number:g}" in note.value
            assert bool(HANGUL.search(note.value)) == (both_languages == "ko")
        box.value = slider.argument_at(slider.min)
        assert slider.value == slider.min
        assert note.layout.display == "none"


def test_a_start_value_out_of_range_is_moved_into_range_with_a_note() -> None:
    explorer = secant.explore(x=0)
    assert explorer.setting.x == 1
    assert "x = 0 is out of range" in explorer.children[1].children[0].children[1].value
    default_explorer = secant.explore(torch.sin, x_range=(-2, 2))  # no x was given, so no note appears
    assert default_explorer.setting.x == 2
    assert default_explorer.children[1].children[0].children[1].layout.display == "none"


def test_a_state_out_of_range_is_moved_into_range_with_a_note() -> None:
    explorer = secant.explore(x_range=(-2, 2))
    note = explorer.children[1].children[0].children[1]
    explorer.choose({"x": 3.0})
    assert explorer.setting.x == 2
    assert "x = 3 is out of range" in note.value
    assert note.layout.display is None
    explorer.reset_all()
    assert note.layout.display == "none"


def test_start_value_between_slider_steps_is_kept() -> None:
    """On the page, a slider's handle stops only at whole steps, and the page reports the step."""
    explorer = secant.explore(h=2.0, x=1.2345)
    explorer.log_h.value, explorer.x.value = 0.3125, 1.23
    assert (explorer.setting.h, explorer.setting.x) == (2.0, 1.2345)
    assert "h = 2<" in explorer.text.value
    explorer.log_h.value, explorer.x.value = 0.25, 1.24
    assert explorer.setting.h == pytest.approx(10**0.25)
    assert explorer.setting.x == 1.24


def test_every_step_of_a_slider_changes_picture_and_numbers(kind: Kind, shared_explorer: Any) -> None:
    for name in kind.sliders:
        slider = getattr(shared_explorer, name)
        first = slider.value
        for step in range(1, 4):
            before = shared_explorer.view.strokes, shared_explorer.text.value
            slider.value = first - step * slider.step if first > slider.min else first + step * slider.step
            assert shared_explorer.view.strokes != before[0]
            assert shared_explorer.text.value != before[1]
        slider.value = first


@pytest.mark.parametrize("kind", kind_cases(kind for kind in EXPLORERS if kind.compared_rows), indirect=True)
def test_shown_quotient_and_slope_differ_by_the_shown_error(kind: Kind, shared_explorer: Any) -> None:
    first = shared_explorer.log_h.value
    for shared_explorer.log_h.value in (-3, -8):
        quotient, slope, error = (float(text(shared_explorer, name)) for name in kind.compared_rows)
        assert abs(quotient - slope) == pytest.approx(error, rel=0.3)  # the page rounds all three
    shared_explorer.log_h.value = first


def test_every_drop_down_list_changes_the_picture(kind: Kind, full_drawing: None) -> None:
    explorer = kind.explore()
    for name in kind.dropdowns:
        choice = getattr(explorer, name)
        for value in [option for _, option in choice._options_full if option != choice.value]:
            before = explorer.view.strokes
            choice.value = value
            assert explorer.view.strokes != before


# Pictures and words


def test_explorer_texts_are_in_the_current_language(kind: Kind, both_languages: str) -> None:
    explorer = kind.explore()
    assert kind.alt_number in explorer.view.alt
    for content in (explorer.text.value, explorer.legend.value, explorer.view.alt):
        assert bool(HANGUL.search(content)) == (both_languages == "ko")
    assert 'role="status" aria-live="polite"' in explorer.text.value
    assert problems(explorer) == ""
    assert remarks(explorer) == "" or kind.name == "paths"
    assert not re.search(r"None|\{|\}", all_text(explorer))


def test_both_languages_show_the_same_numbers_and_legend(kind: Kind, no_comms: None) -> None:
    results = {}
    for language in ("en", "ko"):
        secant.language(language)
        explorer = kind.explore()
        drawings = re.findall("<svg.*?</svg>", explorer.legend.value)
        results[language] = re.findall(r'class="secant-[^"]*">[-\d.e+]+<', explorer.text.value), drawings
    secant.language("en")
    assert results["en"] == results["ko"]


def test_picture_has_a_white_background_and_only_symbols(
    kind: Kind, shared_explorer: Any, full_drawing: None
) -> None:
    images = [picture(shared_explorer.view)]
    images.append(Image.open(io.BytesIO(shared_explorer._repr_mimebundle_()[0]["image/png"])))
    for image in images:
        colours = image.convert("RGB").getcolors(maxcolors=2**20)
        assert max(colours)[1] == (255, 255, 255)
    assert shared_explorer.stage.figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)
    figure = shared_explorer.static_figure()
    legends = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    labels = [text.get_text() for legend in legends for text in legend.get_texts()]
    assert labels
    labels += [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel())]
    assert not any(HANGUL.search(label) for label in labels)
    assert not any(
        re.search(r"[A-Za-z]{4,}", re.sub(r"\\\w+|float\d+|autograd|x\.grad|loss", "", label))
        for label in labels
    )


def test_explorer_without_a_front_end_is_one_png(shared_explorer: Any, full_drawing: None) -> None:
    bundle, _ = shared_explorer._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert Image.open(io.BytesIO(bundle["image/png"])).size == (900, 400)
    assert "text/html" not in bundle


def test_strokes_over_the_still_scene_equal_a_full_drawing(
    kind: Kind, shared_explorer: Any, full_drawing: None
) -> None:
    # The explorer was made while drawing was switched off, so its image of the static parts is made again.
    shared_explorer.view.show(shared_explorer.stage.static_png(), shared_explorer.stage.size, dark=False)
    for name in kind.sliders:
        slider = getattr(shared_explorer, name)
        first = slider.value
        slider.value = slider.min + 0.4 * (slider.max - slider.min)
        shared_explorer.stage.canvas.draw()
        renderer = shared_explorer.stage.canvas.get_renderer()
        for artist in shared_explorer.stage.moving:
            artist.draw(renderer)
        images = picture(shared_explorer.view), Image.fromarray(np.asarray(renderer.buffer_rgba()))
        thumbnails = [image.convert("L").resize((225, 100), Image.Resampling.BOX) for image in images]
        differences = np.abs(np.subtract(*(np.asarray(image, dtype=float) for image in thumbnails)))
        assert differences.mean() < 0.4  # Agg snaps edges to whole pixels, but a canvas does not
        assert differences.max() < 60
        slider.value = first


def test_every_legend_colour_changes_on_a_dark_page(shared_explorer: Any) -> None:
    legend = re.sub("<style>.*</style>", "", shared_explorer.legend.value, flags=re.DOTALL)
    for part, colour in re.findall('(stroke|fill)="(#.{6})"', legend):
        rule = re.search(
            rf'\.secant-dark \.secant-legend \[{part}="{colour}"\] {{ {part}: (#.{{6}}); }}',
            shared_explorer.legend.value,
        )
        assert rule
        assert rule.group(1) != colour


def test_an_untrusted_notebook_has_one_picture_to_show(shared_explorer: Any) -> None:
    """JupyterLab shows only the PNG if it does not trust the notebook."""
    bundle, _ = shared_explorer._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"}


def test_stored_picture_has_the_alternative_text_of_the_live_one(shared_explorer: Any) -> None:
    _, metadata = shared_explorer._repr_mimebundle_()
    assert metadata == {"image/png": {"alt": shared_explorer.view.alt}}
    assert len(shared_explorer.view.alt) > 40


def test_a_frame_costs_a_fraction_of_a_new_picture(kind: Kind, shared_explorer: Any) -> None:
    """A frame took 3 to 6 ms, a new picture 30 to 140 ms; benchmarks/slider measures drags in a browser."""
    slider = getattr(shared_explorer, kind.places[0])
    first = slider.value
    positions = [slider.min + (slider.max - slider.min) * (k + 0.5) / 20 for k in range(20)]
    frame_seconds = min(seconds(partial(setattr, slider, "value", position)) for position in positions)
    full_seconds = min(seconds(shared_explorer._repr_mimebundle_) for _ in range(3))
    slider.value = first
    assert frame_seconds < full_seconds / 3


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
