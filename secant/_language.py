"""Which of the course's two languages a string is shown in."""

import os
from typing import Literal, get_args

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _initial() -> Language:
    return "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"


_current: Language = _initial()


def language(name: Language | None = None) -> Language:
    """Choose the language of everything Secant shows, or ask which it is.

    Args:
        name: "en" or "ko"; None changes nothing.

    Returns:
        The language now in use. The start value is the environment's SECANT_LANG, else "en".

    Raises:
        ValueError: for any other name.
    """
    global _current
    if name is not None:
        if name not in LANGUAGES:
            raise ValueError(f'language is "en" or "ko", not {name!r}')
        _current = name
    return _current


def say(*, en: str, ko: str) -> str:
    """Return the text in the language in use. Both must be given, so that neither is forgotten."""
    return ko if _current == "ko" else en
