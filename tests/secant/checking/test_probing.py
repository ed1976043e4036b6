import re
import sys
import warnings
from typing import Any

import pytest
import torch
from torch import nn

from secant import check, probe, watch
from tests.support.settings import preserve_settings


def test_probe_returns_the_function_unchanged() -> None:
    def f() -> int:
        return 3

    assert probe(f) is f


def test_call_without_side_effects_reports_no_change() -> None:
    x = torch.tensor([1.0, float("nan")], requires_grad=True)
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
    with watch(x=x, model=model) as watcher, torch.no_grad():
        model(x + 1)
    # Dropout draws random numbers, but only setting a seed would count as a change.
    assert watcher.changes == []


def spoil_value(x: torch.Tensor, model: nn.Module) -> None:
    x.data[0] = 5


def fill_grad(x: torch.Tensor, model: nn.Module) -> None:
    x.sum().backward()


def stop_tracking(x: torch.Tensor, model: nn.Module) -> None:
    x.requires_grad_(False)


def leave_hook(x: torch.Tensor, model: nn.Module) -> None:
    x.register_hook(lambda g: g)


def change_mode(x: torch.Tensor, model: nn.Module) -> None:
    model.eval()


def change_parameter(x: torch.Tensor, model: nn.Module) -> None:
    model[0].weight.data.mul_(2)


def seed(x: torch.Tensor, model: nn.Module) -> None:
    torch.manual_seed(0)


def turn_gradients_off(x: torch.Tensor, model: nn.Module) -> None:
    torch.set_grad_enabled(False)


def raise_the_recursion_limit(x: torch.Tensor, model: nn.Module) -> None:
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)


def silence_warnings(x: torch.Tensor, model: nn.Module) -> None:
    warnings.simplefilter("ignore")


def replace_warn(x: torch.Tensor, model: nn.Module) -> None:
    warnings.warn = lambda *_, **__: None


def replace_showwarning(x: torch.Tensor, model: nn.Module) -> None:
    warnings.showwarning = lambda *_, **__: None


def warn_always(x: torch.Tensor, model: nn.Module) -> None:
    torch.set_warn_always(True)


def take_more_threads(x: torch.Tensor, model: nn.Module) -> None:
    torch.set_num_threads(torch.get_num_threads() + 1)


def look_for_anomalies(x: torch.Tensor, model: nn.Module) -> None:
    torch.autograd.set_detect_anomaly(True)


def pack_from_now_on(x: torch.Tensor, model: nn.Module) -> None:
    torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t).__enter__()


def change_default(x: torch.Tensor, model: nn.Module) -> None:
    torch.set_default_dtype(torch.float64)


@pytest.mark.parametrize(
    ("side_effect", "change"),
    [
        (spoil_value, ("value", "x")),
        (fill_grad, ("grad", "x")),
        (stop_tracking, ("requires_grad", "x")),
        (leave_hook, ("hooks", "x")),
        (change_mode, ("training", "model")),
        (change_parameter, ("value", "model.0.weight")),
        (seed, ("random_seed", "")),
        (turn_gradients_off, ("grad_mode", "")),
        (change_default, ("default_dtype", "")),
        (raise_the_recursion_limit, ("recursion_limit", "")),
        (silence_warnings, ("warning_filters", "")),
        (replace_warn, ("warning_functions", "")),
        (replace_showwarning, ("warning_functions", "")),
        (warn_always, ("warn_always", "")),
        (take_more_threads, ("threads", "")),
        (look_for_anomalies, ("anomaly_mode", "")),
        (pack_from_now_on, ("saved_hooks", "")),
    ],
)
def test_each_side_effect_is_detected_and_reported(side_effect: Any, change: tuple[str, str]) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    model = nn.Sequential(nn.Linear(2, 2))
    with preserve_settings(), watch(x=x, model=model) as watcher:
        side_effect(x, model)
    assert change in watcher.changes
    with pytest.raises(check.CheckFailed, match=change[1] or "changed|left"):
        check.untouched(watcher.changes, "f(x)")


def test_settings_of_the_process_are_put_back() -> None:
    def settings() -> tuple[object, ...]:
        filters = list(warnings.filters)
        warning = filters, warnings.warn, warnings.showwarning, torch.is_warn_always_enabled()
        return sys.getrecursionlimit(), warning, torch.get_num_threads(), torch.is_anomaly_enabled()

    packed_tensors: list[torch.Tensor] = []

    def pack(t: torch.Tensor) -> torch.Tensor:
        packed_tensors.append(t)
        return t

    before = settings()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        with watch():
            for side_effect in (
                raise_the_recursion_limit,
                silence_warnings,
                take_more_threads,
                look_for_anomalies,
            ):
                side_effect(torch.ones(1), nn.Module())
            for side_effect in (replace_warn, replace_showwarning, warn_always):
                side_effect(torch.ones(1), nn.Module())
            pack_from_now_on(torch.ones(1), nn.Module())
        torch.ones(1, requires_grad=True).exp()
    assert settings() == before
    assert len(packed_tensors) == 1  # packed by the hooks that were set before `watch`


def test_a_library_may_add_filters_of_its_own() -> None:
    with watch() as watcher:
        warnings.filterwarnings("ignore", message="of a library")
        warnings.filterwarnings("ignore", module="library")
    assert watcher.changes == []


def test_a_filter_for_the_warning_about_a_grad_alone_is_detected() -> None:
    y = torch.ones(1, requires_grad=True) * 2
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        _ = y.grad
    with preserve_settings(), watch() as watcher:
        warnings.filterwarnings("ignore", message=re.escape(str(caught_warnings[0].message)[:40]))
    assert watcher.changes == [("warning_filters", "")]


def test_repeated_side_effect_is_detected_each_time() -> None:
    try:
        for _ in range(2):
            with watch() as watcher:
                torch.set_grad_enabled(False)
            assert watcher.changes == [("grad_mode", "")]
    finally:
        torch.set_grad_enabled(True)


def test_an_error_in_the_body_passes_through() -> None:
    with pytest.raises(ZeroDivisionError), watch():
        _ = 1 / 0


def test_a_tensor_of_one_number_is_watched_whatever_its_stride() -> None:
    x = torch.tensor([1.0, 2.0])[::2]
    assert x.stride() == (2,)
    with watch(x=x) as watcher:
        x.add_(1)
    assert watcher.changes == [("value", "x")]


def test_setting_changed_again_by_a_later_call_is_detected() -> None:
    limit = sys.getrecursionlimit()
    with preserve_settings():
        for _ in range(2):
            with watch() as watcher:
                sys.setrecursionlimit(limit + 50)
                warnings.simplefilter("ignore")
            assert {kind for kind, _ in watcher.changes} == {"recursion_limit", "warning_filters"}
            sys.setrecursionlimit(limit + 50)
            warnings.simplefilter("ignore")


def test_warning_filters_that_were_all_taken_away_are_put_back() -> None:
    before = list(warnings.filters)
    with watch() as watcher:
        warnings.resetwarnings()
    assert watcher.changes == [("warning_filters", "")]
    assert list(warnings.filters) == before
