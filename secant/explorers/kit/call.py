"""The source text of the call that recreates an explorer in its current state."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import torch

from secant.explorers.kit import texts
from secant.explorers.kit.controls import log_of
from secant.explorers.kit.widget import Panel, State

P = ParamSpec("P")
PanelT = TypeVar("PanelT", bound=Panel[Any])


@dataclass(frozen=True)
class Call:
    """The function that made an explorer, and the arguments of its call."""

    name: str
    signature: inspect.Signature
    arguments: State
    default_options: State  # for each dropdown, its first option, which is selected if the argument is None

    def text(self, state: State) -> str:
        """Return the source text of the call that makes the explorer in the given state.

        Arguments that equal their defaults are omitted.
        """
        arguments = []
        for parameter in self.signature.parameters.values():
            name = parameter.name
            value = state.get(name, self.arguments.get(name, parameter.default))
            if value == (self.default_options.get(name) if parameter.default is None else parameter.default):
                continue
            text = _digits(value, h=name == "h") if isinstance(value, float) else _text(value)
            arguments.append(text if parameter.kind is not parameter.KEYWORD_ONLY else f"{name}={text}")
        return f"{self.name}({', '.join(arguments)})"


def with_call(make: Callable[P, PanelT]) -> Callable[P, PanelT]:
    """Decorate a function that makes an explorer, so that the explorer stores the call that made it.

    The explorer also gets the lesson's questions, unless the call passes functions to explore, because the
    questions are about the built-in functions. The questions are read from the .toml file named after the
    explorer's module.
    """
    signature = inspect.signature(make)
    first, file = next(iter(signature.parameters)), inspect.getfile(make)

    @functools.wraps(make)
    def explore(*args: P.args, **kwargs: P.kwargs) -> PanelT:
        panel = make(*args, **kwargs)
        arguments = signature.bind(*args, **kwargs).arguments
        call = Call(make.__name__, signature, arguments, panel.default_options)
        if arguments.get(first) is None:
            lists = (texts.questions(file, name) for name in (panel.questions_name, "look"))
            panel.set_call(call.text, *lists)
        else:
            panel.set_call(call.text)
        return panel

    return explore


def _digits(value: float, *, h: bool) -> str:
    """Return the shortest decimal notation that Python reads as exactly the given number.

    If the number is the step h, return the shortest notation that sets the slider for h to the same position.
    """
    candidates = (f"{value:.{places}g}" for places in range(1, 18))
    equal_texts = (
        text for text in candidates if (float(10 ** log_of(float(text))) if h else float(text)) == value
    )
    return next(equal_texts, repr(value))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return _digits(value, h=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = ", ".join(map(_text, value))
        return f"[{items}]" if isinstance(value, list) else f"({items})"
    if callable(value):
        name = str(getattr(value, "__name__", "<lambda>"))
        if getattr(torch, name, None) is value:
            return f"torch.{name}"
        return name if name.isidentifier() else "..."  # a lambda has no name that could appear in the call
    return repr(value).replace("'", '"') if isinstance(value, str) else repr(value)
