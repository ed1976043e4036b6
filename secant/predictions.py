"""Predictions: questions that a lesson asks before an explanation and answers further down.

`predict` shows the choices, and `predicted` shows the reply to the choice that was made. The choice is saved
in a file next to the notebook. Without a front end, both are plain text. Nothing is graded. A choice that the
learner clicks is recorded in the progress. A choice that is set by code, for example while a notebook is
being checked, is not recorded.
"""

import contextlib
import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from secant.files import locked, move_aside, replace_file
from secant.language import say

FILE = "predictions.json"
# Maximum size of the file of choices in bytes; hundreds of times what all lessons write.
MAX_BYTES = 1_000_000
LOCK_TIMEOUT = 2.0  # seconds to wait while another notebook writes, which takes milliseconds

# The style wraps choices that are too long for one line, and makes the radio buttons visible on dark pages.
_STYLE = """<style>
.secant-prediction .widget-radio-box { min-width: 0; margin: 0; }
.secant-prediction .widget-radio-box label { display: flex; align-items: flex-start; height: auto;
  margin: 3px 0; line-height: 18px; white-space: normal; overflow-wrap: anywhere; }
.secant-prediction .widget-radio-box input { flex: none; order: -1; box-sizing: border-box; width: 16px;
  height: 16px; margin: 1px 8px 1px 1px; appearance: none; border-radius: 50%;
  border: 2px solid var(--jp-ui-font-color1, currentColor); }
.secant-prediction .widget-radio-box input:checked { border-color: var(--jp-brand-color1, #1976d2);
  background: radial-gradient(circle, var(--jp-brand-color1, #1976d2) 4px, transparent 5px); }
.secant-prediction .widget-radio-box input:focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2);
  outline-offset: 2px; }
@media (forced-colors: active) { .secant-prediction .widget-radio-box input { appearance: auto; } }
</style>"""

SavedChoices = dict[str, dict[str, str]]

# For each prediction: the choices that this kernel has shown, and the functions to call when the learner
# picks one of these choices.
_choices_shown: dict[str, Mapping[str, str]] = {}
_callbacks: dict[str, list[Callable[[], None]]] = {}
# The correct letter of each prediction whose answer this kernel has shown, and the names of the predictions
# whose answer it showed before the learner had made a choice.
_right_letters: dict[str, str] = {}
_answered_early: set[str] = set()


def read(folder: Path) -> SavedChoices:
    """Return the `first` and the last `choice` saved for each prediction; empty if the file is unreadable."""
    return _parse(_content(folder)) or {}


def save_choice(folder: Path, name: str, choice: str) -> None:
    """Save a choice in one step, and keep other notebooks' choices; rename a damaged file first.

    Raises:
        OSError: if the file cannot be written.
    """
    with _write_lock():
        choices = _parse(_content(folder))
        if choices is None:
            move_aside(folder / FILE, "unreadable")
            choices = {}
        choices[name] = {"first": choices.get(name, {}).get("first", choice), "choice": choice}
        text = json.dumps(choices, ensure_ascii=False, indent=1, sort_keys=True)
        replace_file(folder / FILE, text.encode("utf-8", "replace"))


def _content(folder: Path) -> bytes:
    """Return the file's content, up to one byte more than allowed; empty if there is no file to read."""
    try:
        if not (folder / FILE).is_file():  # reading a pipe might never end
            return b""
        with (folder / FILE).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError:
        return b""


def _parse(content: bytes) -> SavedChoices | None:
    """Return the choices that a file holds, or None if it is damaged and must not be overwritten."""
    if not content.strip():
        return {}
    try:
        data: Any = json.loads(content) if len(content) <= MAX_BYTES else []
        return {
            name: {"first": str(entry["first"]), "choice": str(entry["choice"])}
            for name, entry in data.items()
        }
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return None


@contextlib.contextmanager
def _write_lock() -> Iterator[None]:
    """Let only one notebook at a time write the file of choices.

    The lock file is next to the learner's progress, not among the learner's notebooks. If no lock can be
    acquired, the choice is saved without one.
    """
    from secant.progress import store

    with locked(store.path().with_name(FILE), LOCK_TIMEOUT):
        yield


class _TextWidget(widgets.VBox):
    """A widget that can also be shown as plain text, for viewers that cannot display widgets."""

    def plain(self) -> str:
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": self.plain()}


class _Choices(widgets.RadioButtons):
    """Radio buttons that distinguish a click from a choice that code sets.

    The front end reports a click in a message, and only such messages call `set_state`.
    """

    clicked = False

    def set_state(self, sync_data: dict[str, Any]) -> None:
        self.clicked = True
        try:
            super().set_state(sync_data)
        finally:
            self.clicked = False


class Prediction(_TextWidget):
    """A widget in which the learner picks one of the choices of a prediction."""

    def __init__(self, name: str, choices: Mapping[str, str]) -> None:
        self.name = name
        self.choices = _choices_shown[name] = dict(choices)
        saved_choice = read(Path()).get(name, {}).get("choice")
        self.buttons = _Choices(
            options=[(f"{letter}.  {_plain(text)}", letter) for letter, text in choices.items()],
            value=saved_choice if saved_choice in choices else None,
            layout={"width": "auto"},
        )
        self.note = widgets.HTML(self._note(self.buttons.value))
        self.buttons.observe(self._choose, "value")
        style = widgets.HTML(_STYLE, layout={"display": "none"})
        super().__init__([self.buttons, self.note, style])
        self.add_class("secant-prediction")

    def _choose(self, change: Mapping[str, Any]) -> None:
        choice = change["new"]
        if choice is None:
            return
        try:
            save_choice(Path(), self.name, choice)
        except OSError as error:
            reason = html.escape(error.strerror or type(error).__name__)
            self.note.value = say(
                en=f"Your choice is {choice}. It could not be saved in {FILE} ({reason}), so note it down.",
                ko=f"고른 답은 {choice}입니다. {FILE}에 저장하지 못했으니({reason}) 따로 적어 두세요.",
            )
        else:
            self.note.value = self._note(choice)
        for callback in _callbacks.get(self.name, []):
            callback()
        if self.buttons.clicked and self.name not in _answered_early:
            _record(self.name, choice)

    def _note(self, choice: str | None) -> str:
        if choice is None and _parse(_content(Path())) is None:
            return say(
                en=f"{FILE} beside this notebook is damaged, so earlier choices cannot be shown. When you "
                "choose, it is kept under another name and a new file begins.",
                ko=f"노트북 옆의 {FILE} 파일이 손상되어 전에 고른 답을 보여 줄 수 없습니다. 답을 고르면 "
                "그 파일은 다른 이름으로 남겨 두고 새 파일을 만듭니다.",
            )
        if choice is None:
            return say(en="Choose one before you read on.", ko="하나를 고른 뒤에 계속 읽으세요.")
        return say(
            en=f"Your choice is {choice}. It is saved, and the lesson comes back to it.",
            ko=f"고른 답은 {choice}입니다. 저장해 두었습니다. 뒤에서 다시 다룹니다.",
        )

    def plain(self) -> str:
        """Return the choices as plain text."""
        head = say(en="Choose one before you read on:", ko="하나를 고른 뒤에 계속 읽으세요.")
        return "\n".join([head, *(f"  {letter}. {_plain(text)}" for letter, text in self.choices.items())])


class PredictionReply(_TextWidget):
    """A widget with the reply to the choice that the learner made."""

    def __init__(self, name: str, right: str, replies: Mapping[str, str]) -> None:
        self.name, self.right, self.replies = name, right, dict(replies)
        _right_letters[name] = right
        self.words = widgets.HTML()
        self.show = widgets.Button(
            description=say(en="Show the answer without choosing", ko="고르지 않고 답 보기"),
            # Without this setting, the button would be as wide as the page.
            layout={"width": "auto", "align_self": "flex-start"},
        )
        self.show.on_click(lambda _: self._write(reveal=True))
        super().__init__([self.words, self.show])
        self.add_class("secant-answer")
        _callbacks[name] = [self._write]  # when the cell runs again, the new reply replaces the old one
        self._write()

    @property
    def choice(self) -> str | None:
        """The learner's last choice; None if no valid choice was made."""
        choice = read(Path()).get(self.name, {}).get("choice")
        return choice if choice in self.replies else None

    def _write(self, reveal: bool = False) -> None:
        has_choice = self.choice is not None
        if reveal and not has_choice:
            _answered_early.add(self.name)
        self.show.layout.display = "none" if has_choice or reveal else None
        lines = self.lines() if has_choice or reveal else [self._not_yet()]
        body = "".join(f'<p style="margin: 4px 0">{_html(line)}</p>' for line in lines)
        self.words.value = f'<div class="secant-words" role="status" aria-live="polite">{body}</div>'

    def _not_yet(self) -> str:
        return say(
            en="You have not answered the prediction above yet. "
            "Choose an answer there; the explanation appears here.",
            ko="위의 예상에서 아직 답을 고르지 않았습니다. 먼저 고르면 여기에 설명이 나옵니다.",
        )

    def lines(self) -> list[str]:
        """Return the lines of the reply, including the right answer, with code in backticks."""
        if self.choice is None:
            return [self._answer()]
        reply = self.reply_to(self.choice)
        if self.choice == self.right and (first := read(Path())[self.name]["first"]) != self.right:
            en = f"Your first choice was {first}. Your progress records that one."
            reply.append(say(en=en, ko=f"진행 상황에는 처음 고른 답({first})이 기록되어 있습니다."))
        return reply

    def reply_to(self, choice: str) -> list[str]:
        """Return the lines of the reply to a choice, regardless of what was chosen before."""
        reply = self._choice_and_reply(choice)
        if choice == self.right:
            return [say(en=f"Your choice was right: {reply}", ko=f"맞게 골랐습니다. {reply}")]
        return [say(en=f"You chose {reply}", ko=f"고른 답: {reply}"), self._answer()]

    def _answer(self) -> str:
        reply = self._choice_and_reply(self.right)
        return say(en=f"The answer is {reply}", ko=f"정답은 {reply}")

    def _choice_and_reply(self, letter: str) -> str:
        choice = _choices_shown.get(self.name, {}).get(letter)
        return f"{letter}" + (f" ({choice})" if choice else "") + f". {self.replies[letter]}"

    def plain(self) -> str:
        """Return the reply as plain text; if no choice was made, the right answer and all replies."""
        if self.choice is not None:
            return "\n".join(map(_plain, self.lines()))
        other_replies = [self._choice_and_reply(letter) for letter in self.replies if letter != self.right]
        return "\n".join(map(_plain, [*self.lines(), *other_replies]))


def _record(name: str, choice: str) -> None:
    """Record a choice in the learner's progress; errors are ignored, so that the notebook continues."""
    with contextlib.suppress(Exception):
        from secant.progress import record  # imported late, so that no notebook waits for the import

        record.prediction(name, choice, _right_letters.get(name))


def predict(name: str, **choices: str) -> Prediction:
    """Show the choices of a prediction, and save the learner's choice in a file next to the notebook.

    Args:
        name: the prediction's name, unique among all lessons, such as "3 two calls".
        **choices: the choices, keyed by letter, such as A="4 and 12". Text in `backquotes` is code.

    Raises:
        ValueError: if there are fewer than two choices.
    """
    if len(choices) < 2:
        raise ValueError("A prediction needs at least two choices.")
    return Prediction(name, choices)


def predicted(name: str, right: str, **replies: str) -> PredictionReply:
    """Show the reply to the choice that was made for a prediction, and update it when the choice changes.

    Args:
        name: the prediction's name, as in `predict`.
        right: the letter of the right choice.
        **replies: the reply to each choice, keyed by letter: what is right about the choice, or which
            misconception leads to it.

    Raises:
        ValueError: if the right choice has no reply, or the letters are not those of the prediction.
    """
    if right not in replies or (name in _choices_shown and set(_choices_shown[name]) != set(replies)):
        raise ValueError(f"The prediction {name!r} needs one reply for each of its choices.")
    return PredictionReply(name, right, replies)


def as_html(choices: Mapping[str, str]) -> dict[str, str]:
    """Return the choices as HTML, keyed by letter."""
    return {letter: _html(text) for letter, text in choices.items()}


def replies_as_html(reply: PredictionReply) -> dict[str, list[str]]:
    """Return the reply to each choice as lines of HTML, keyed by letter, for a page without a kernel."""
    return {letter: [*map(_html, reply.reply_to(letter))] for letter in reply.replies}


def _plain(text: str) -> str:
    return text.replace("`", "")


def _html(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))
