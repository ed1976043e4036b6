"""The buttons below an explorer's controls."""

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

from secant.language import say


def button(text: str, action: Callable[[], None], tooltip: str) -> widgets.Button:
    """Return a small button."""
    made = widgets.Button(description=text, tooltip=tooltip, layout={"width": "auto"})
    made.on_click(lambda _: action())
    return made


def preset(
    number: int, state: Mapping[str, Any], choose: Callable[[Mapping[str, Any]], None]
) -> widgets.Button:
    """Return the button of a question, which sets what it starts from."""
    texts = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in state.items()}
    sets = ", ".join(f"{name} = {text}" for name, text in texts.items())
    question = say(en=f"question {number}", ko=f"질문 {number}")
    return button(str(number), lambda: choose(state), f"{question}: {sets}")
