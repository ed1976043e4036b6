"""Which of the course's two languages a string is shown in."""

import os
from typing import Literal, get_args, overload

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _initial() -> Language:
    return "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"


_current: Language = _initial()


@overload
def language() -> Language: ...
@overload
def language(name: Language) -> None: ...
def language(name: Language | None = None) -> Language | None:
    """Choose the language of everything Secant shows; without a name, ask which it is.

    Args:
        name: "en" or "ko".

    Returns:
        The language in use, if it was asked for; nothing after a choice, so that a notebook shows nothing.
        The start value is the environment's SECANT_LANG, else "en".

    Raises:
        ValueError: for any other name.
    """
    global _current
    if name is None:
        return _current
    if name not in LANGUAGES:
        raise ValueError(f'language is "en" or "ko", not {name!r}')
    _current = name
    return None


def say(*, en: str, ko: str) -> str:
    """Return the text in the language in use. Both must be given, so that neither is forgotten."""
    return ko if _current == "ko" else en
