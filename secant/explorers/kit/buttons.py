"""The buttons below an explorer's controls, including one for each of the lesson's questions."""

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets

from secant.language import say


@dataclass(frozen=True)
class LessonQuestion:
    """A lesson's question (Markdown with formulas), and the control values that its button sets."""

    state: Mapping[str, Any]
    en: str
    ko: str

    def as_html(self, number: int) -> str:
        """Return the question and its number as HTML; the page typesets its $...$ formulas."""
        text = html.escape(say(en=self.en, ko=self.ko), quote=False)
        text = re.sub("`([^`]+)`", r"<code>\1</code>", text)
        text = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
        return f'<div class="secant-question" role="status"><b>{number}.</b> {text}</div>'


def button(text: str, action: Callable[[], None] | None, tooltip: str) -> widgets.Button:
    """Return a small button. If `action` is None, the page handles the click."""
    widget = widgets.Button(description=text, tooltip=tooltip, layout={"width": "auto"})
    if action is not None:
        widget.on_click(lambda _: action())
    return widget


def ask(
    number: int, question: LessonQuestion, choose: Callable[[int, LessonQuestion], None]
) -> widgets.Button:
    """Return the button of a question; a click shows the question and sets the controls for it."""
    state = question.state.items()
    texts = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in state}
    settings = ", ".join(f"{name} = {text}" for name, text in texts.items())
    name = say(en=f"question {number}", ko=f"질문 {number}")
    return button(str(number), lambda: choose(number, question), f"{name}: {settings}")
