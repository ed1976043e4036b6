"""Which of the course's two languages a string is shown in."""

import contextlib
import locale
import os
import sys
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


def of_this_machine() -> Language:
    """The language that somebody at a terminal expects: SECANT_LANG's, else the machine's, else English.

    English, too, where the terminal cannot show Korean.
    """
    wanted = os.environ.get("SECANT_LANG") or _locale()
    return "ko" if wanted.lower().startswith("ko") and _shows_korean() else "en"


def _locale() -> str:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value
    return (locale.getlocale()[0] or "") if os.name == "nt" else ""  # such as "Korean_Korea"


def _shows_korean() -> bool:
    try:
        "한글".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def print_whatever_comes() -> None:
    """Let no character that the terminal does not know end a command: its number stands for it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(OSError):  # a file that is written to by others, too
                stream.reconfigure(errors="backslashreplace")
