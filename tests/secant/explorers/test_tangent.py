"""The explorer, driven by its widgets' values as the page would."""

import math
import re
import time
import warnings

import pytest
import torch

from secant.explorers.tangent import DTYPES, Setting, explore, explore_figure
from tests.support.reading import picture, remarks, shown


def test_it_starts_with_the_lesson_s_function():
    explorer = explore()
    assert shown(explorer, "quotient") == pytest.approx(3 * math.log(7 / 5) / 2)
    assert shown(explorer, "gradient") == 0.6
    assert remarks(explorer) == ""
    assert picture(explorer.stage.image).size == (675, 300)


def test_the_text_has_every_digit_of_its_dtype():
    explorer = explore(h=1e-2)
    numbers = explorer.reading
    assert shown(explorer, "quotient") == numbers.quotient
    assert shown(explorer, "error") == numbers.error
    explorer.dtype.value = "float32"
    assert torch.tensor(shown(explorer, "quotient")).item() == explorer.reading.quotient
    assert len(re.search(r'secant-quotient">([^<]*)<', explorer.text.value).group(1)) <= 11


def test_the_quotient_nears_the_gradient_and_then_leaves_it():
    explorer = explore()
    errors = {}
    for k in (0, -5, -12, -15.5):
        explorer.log_h.value = k
        errors[k] = explorer.reading.median
    assert errors[-5] < 1e-6 < errors[-12] < errors[0]
    assert math.isnan(errors[-15.5])


def test_each_control_redraws_the_picture():
    explorer = explore(x=3)
    for control, value in (
        (explorer.x, 7.0),
        (explorer.log_h, -3.0),
        (explorer.dtype, "float32"),
        (explorer.scheme, "central"),
        (explorer.scheme, "complex"),
        (explorer.function, "x³ + 2 sin x"),
    ):
        before = explorer.stage.image.value
        control.value = value
        assert explorer.stage.image.value != before


def test_the_axes_stay_while_h_and_x_move():
    explorer = explore()
    picture = explorer.picture
    limits = picture.left.axis(), picture.right.axis()
    for k in (-14.0, -3.0, 0.5):
        explorer.log_h.value = k
    for x in (1.0, 9.0):
        explorer.x.value = x
    assert (picture.left.axis(), picture.right.axis()) == limits


def test_where_x_plus_h_is_x_it_says_so(both_languages):
    explorer = explore(dtype=torch.float32, h=1e-8)
    assert "0/0" in remarks(explorer)
    assert not explorer.picture.secant.get_visible()
    assert explorer.picture.nothing.get_visible()


def test_an_error_of_exactly_zero_stands_on_the_bottom_line(both_languages):
    explorer = explore({"line": lambda x: 2 * x}, h=2.0, x=4.0)
    picture = explorer.picture
    assert explorer.reading.error == 0
    assert "▼" in remarks(explorer)
    assert picture.here.get_ydata()[0] == picture.low
    assert picture.here.get_marker() == "v"
    assert len(picture.zeros["float64"].get_xdata()) > 0
    low, high = picture.right.get_ylim()
    assert low < picture.low < high


def stops(x):
    raise RuntimeError("<b>broken</b>")


class Counter(torch.nn.Module):
    """A model in float32, which does not take float64."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def forward(self, x):
        return self.layer(x.reshape(-1, 1)).reshape(x.shape)


BAD = {
    "raises": stops,
    "a number": 3,
    "None": lambda x: None,
    "a float": lambda x: math.sin(x),
    "NumPy": lambda x: torch.from_numpy(x.numpy() ** 2),
    "one for all": lambda x: torch.ones(7),
    "nan": lambda x: x * torch.nan,
    "infinite": lambda x: x / 0,
    "integers": lambda x: x.long(),
    "constant": lambda x: torch.tensor(3.0),
    "cut": lambda x: x.detach() ** 2,
    "two arguments": lambda x, y: x + y,
    "an index": lambda x: x[0] ** 2,
    "in place": lambda x: x.add_(1),
    "float32 model": Counter(),
    "no end": lambda x: BAD["no end"](x),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", BAD)
def test_a_bad_function_gets_words_and_the_sliders_go_on(name, both_languages, capsys):
    explorer = explore({name: BAD[name], "good": torch.sin})
    assert remarks(explorer) != ""
    assert "Traceback" not in explorer.text.value
    assert "<b>broken" not in explorer.text.value
    if both_languages == "ko" and name != "float32 model":
        assert re.search("[가-힣]", remarks(explorer))
    for scheme in ("central", "complex", "forward"):
        explorer.scheme.value = scheme
    explorer.dtype.value = "float32"
    explorer.x.value, explorer.log_h.value = 2.5, -4.0
    explorer.function.value = "good"
    assert remarks(explorer) == ""
    assert shown(explorer, "gradient") == pytest.approx(math.cos(2.5), rel=1e-6)
    assert capsys.readouterr() == ("", "")


def test_a_function_with_an_if_takes_the_slower_road():
    def branch(x):
        return x**2 if x > 5 else 3 * x

    explorer = explore(branch, x=6.0, h=1e-3)
    assert shown(explorer, "gradient") == 12
    assert "one x at a time" in remarks(explorer)
    assert explorer.reading.curves["float64"].isfinite().any()
    start = time.perf_counter()
    explorer.x.value = 3.0
    assert time.perf_counter() - start < 1
    assert shown(explorer, "gradient") == 3


def test_a_slow_function_does_not_freeze_the_slider():
    def slow(x):
        if x > 0:
            time.sleep(0.002)
        return x**2

    explorer = explore(slow)
    start = time.perf_counter()
    explorer.x.value = 3.0
    assert time.perf_counter() - start < 2


def test_the_chosen_x_may_be_outside_the_function_s_domain():
    explorer = explore(torch.log, x_range=(-2, 2), x=-1)
    assert "no finite value" in remarks(explorer)
    explorer.x.value = 1.0
    assert remarks(explorer) == ""
    assert shown(explorer, "gradient") == 1


def test_what_a_function_prints_or_warns_of_stays_out_of_the_notebook(capsys):
    def chatty(x):
        print("hello")
        warnings.warn("careful", stacklevel=1)
        return x**2

    with warnings.catch_warnings(record=True) as caught:
        explore(chatty)._repr_mimebundle_()
    assert not caught
    assert capsys.readouterr().out == ""


def test_functions_come_alone_or_by_name():
    def square(x):
        return x**2

    assert list(explore(square).function.options) == [("square", "square")]
    assert list(explore(lambda x: x).function.options) == [("f(x)", "f(x)")]
    assert [name for name, _ in explore({"a": square, "b": torch.sin}).function.options] == ["a", "b"]
    assert [name for name, _ in explore([square, torch.sin]).function.options] == ["square", "sin"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"functions": {}},
        {"x_range": (3, 3)},
        {"x_range": (5, 1)},
        {"x_range": (0, math.inf)},
        {"dtype": torch.int64},
        {"scheme": "backward"},
        {"x": math.nan},
        {"h": 0},
        {"h": -1e-3},
    ],
)
def test_arguments_that_make_no_sense_are_refused(wrong, both_languages):
    with pytest.raises(ValueError, match=r"\w"):
        explore(**wrong)


def test_start_values_are_moved_into_range():
    assert explore(x=100, h=1e9).setting == Setting("log(x³)", 9.0, 10**0.5, "float64", "forward")


def test_dtype_may_be_torch_s():
    for name, dtype in DTYPES.items():
        assert explore(dtype=dtype).dtype.value == name


def test_the_words_are_in_the_language_in_use(both_languages):
    explorer = explore()
    texts = explorer.text.value + explorer.children[-2].value + explorer.stage.image.tooltip
    assert bool(re.search("[가-힣]", texts)) == (both_languages == "ko")
    assert 'aria-live="polite"' in explorer.text.value
    assert "0.6" in explorer.stage.image.tooltip


def test_without_a_front_end_there_is_one_ordinary_picture():
    bundle = explore()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["image/png"].startswith(b"\x89PNG")


def test_the_static_figure_has_a_legend_of_symbols():
    figure = explore_figure(h=1e-3, dtype="float32")
    labels = [text.get_text() for axes in figure.axes for text in axes.get_legend().get_texts()]
    assert {"$f$", "$f'(x)$", "float32", "float64"} <= set(labels)
    assert all(text.isascii() for text in labels)


def test_an_update_s_numbers_cost_little():
    """2 ms is the aim; a busy machine gets leeway."""
    subject, setting = explore().subject, explore().setting
    times = []
    for k in range(30):
        start = time.perf_counter()
        subject.read(Setting(setting.name, 3 + k / 10, setting.h, setting.dtype, setting.scheme))
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01
