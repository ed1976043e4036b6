"""A verdict on an answer as data: the parts of the message, each of a known kind, and the whole message.

The checks and the examiner compose the message parts. The Check panel and the feedback page show each part by
its kind, so no code has to recognise a kind from the text. In the message, a line that begins with one of
Secant's labels, such as "expected:", always begins a part of the kind that the label names. The prefix `| `
precedes every further line of a part, and every other line that begins like a label.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal, Self

from secant.language import Language, language, say
from secant.visible import visible

LIMIT = 4_000  # maximum number of characters in one part of a message, and in a whole message
#: The kinds of parts of a verdict. credit: the points for each part of a test cell. head: a sentence about
#: the task. call: the call, followed by the code that it needs, one line each. text: what is wrong with the
#: call's result. trace: an error. place: the position in the student's code, followed by a `code` part with
#: that line. plain: lines shown as they are, such as a stored message.
Kind = Literal[
    "credit", "head", "call", "text", "expected", "got", "trace", "place", "code", "cause", "note", "plain"
]
_LABELS: Mapping[str, Mapping[Language, str]] = {
    "expected": {"en": "expected", "ko": "기대한 값"},
    "got": {"en": "got", "ko": "나온 값"},
    "cause": {"en": "likely cause", "ko": "짐작되는 원인"},
    "note": {"en": "note", "ko": "참고"},
}
_WORDS = "|".join(label for labels in _LABELS.values() for label in labels.values())
_LIKE_A_LABEL = re.compile(rf"\s*(?:(?:{_WORDS}|위치)\s*:|at (?:.*, )?line \d+:)", re.IGNORECASE)
_AT_THE_MARGIN = ("credit", "head", "call", "plain")


@dataclass(frozen=True)
class Part:
    """A part of a verdict's message, such as the call or the likely cause.

    The text is cut to LIMIT characters, and characters that would be invisible are shown as escapes.
    """

    kind: Kind
    text: str

    def __post_init__(self) -> None:
        text = self.text[: LIMIT + 1]
        # Most strings are plain ASCII and skip this step. This saves time when a failing check tries many
        # inputs.
        if not (text.isascii() and text.isprintable()):
            text = visible(text).replace("\t", " ")
        object.__setattr__(self, "text", text if len(text) <= LIMIT else text[: LIMIT - 3] + "...")


Parts = tuple[Part, ...]


@dataclass(frozen=True)
class Verdict:
    """A verdict on an answer. `str` returns its message, the same for notebook, terminal and gradebook.

    Attributes:
        parts: the parts, in the order in which the message shows them.
        hint: the name of the hint that the verdict gives. The hint is in the lesson's catalogue or in the
            shared one, under the same name in every language.
        language: the language of the labels.
    """

    parts: Parts
    hint: str = ""
    language: Language = field(default_factory=language)

    @classmethod
    def plain(cls, text: str, hint: str = "") -> Self:
        """Return a verdict whose whole message is this text, shown unchanged."""
        return cls((Part("plain", text),), hint)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the verdict from the plain data that `dataclasses.asdict` produced."""
        return cls(**{**data, "parts": tuple(Part(**part) for part in data["parts"])})

    def __str__(self) -> str:
        message = "\n".join(text for _, text in self.message_texts())
        return message if len(message) <= LIMIT else message[: LIMIT - 3] + "..."

    def message_texts(self) -> Iterator[tuple[Kind, str]]:
        """Yield the kind of each part, and the text that the message shows for the part.

        A `place` part is not yielded separately: its text is put in front of the text of the `code` part that
        follows it.
        """
        place = ""
        for part, next_part in zip_longest(self.parts, self.parts[1:]):
            first, *other_lines = part.text.split("\n")
            if part.kind in _LABELS:
                first = f"{_LABELS[part.kind][self.language]}: {first}"
            elif part.kind not in ("place", "plain") and not place:
                first = _marked(first)
            margin = "" if part.kind in _AT_THE_MARGIN else "    " if part.kind == "code" else "  "
            mark = {"call": "    ", "plain": ""}.get(part.kind, f"{margin}| ")
            other_lines = [mark + (_marked(line) if part.kind == "call" else line) for line in other_lines]
            text = "\n".join([(place or margin) + first, *other_lines])
            text += ":" if part.kind == "call" and next_part and next_part.kind == "head" else ""
            place = f"{text} " if part.kind == "place" else ""
            if not place:
                yield part.kind, text + ("\n" if part.kind == "credit" else "")


def _marked(line: str) -> str:
    return f"| {line}" if _LIKE_A_LABEL.match(line) else line


class Note(str):
    """A note that Secant adds to an exception, as opposed to notes that the student's code adds."""


def head(*, en: str, ko: str) -> Parts:
    """Return a message part with a sentence about the task, in the current language."""
    return (Part("head", say(en=en, ko=ko)),)


def call_part(call: str) -> Parts:
    """Return a message part with a call and, below the call, the lines of code that it needs."""
    return (Part("call", call.replace("\n    ", "\n")),) if call else ()


def cause_part(cause: str) -> Parts:
    """Return a message part with a likely cause, or an empty tuple if the cause is unknown."""
    return (Part("cause", cause),) if cause else ()


def named_error(name: str, message: str) -> Part:
    """Return a message part with the name and the text of an error."""
    return Part("trace", f"{name}: {message}" if message else name)


def line_parts(location: str, number: int, code: str) -> Parts:
    """Return the two parts of a verdict that locate a line of code and quote it.

    Args:
        location: the cell or the function that holds the line; empty if neither is known.
        number: the number of the line.
        code: the text of the line.
    """
    place = " ".join(location.split()) + (location and ", ")
    place = say(en=f"at {place}line {number}:", ko=f"위치: {place}{number}번째 줄:")
    return Part("place", place), Part("code", code.strip())


def parts_of(failure: BaseException) -> Parts:
    """Return the message parts for an exception: those of a failed check's verdict, or its name and text."""
    verdict = getattr(failure, "verdict", None)
    return (
        verdict.parts
        if isinstance(verdict, Verdict)
        else (named_error(type(failure).__name__, str(failure)),)
    )
