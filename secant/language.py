"""In which language a string is shown: one of Secant's two, or another of the course's own."""

import contextlib
import locale
import os
import re
import sys
from typing import Literal, get_args, overload

#: The languages of Secant's own words. A course may have more: see autograder/course/lesson.py.
Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _initial() -> Language:
    return "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"


_current: str = _initial()


@overload
def language() -> Language: ...
@overload
def language(name: str) -> None: ...
def language(name: str | None = None) -> Language | None:
    """Choose the language of everything Secant shows; without a name, ask which it is.

    Args:
        name: "en", "ko", or the code of another language of the course, such as "ja". Then Secant's own words
            are English, and `say` returns what the course says in it.

    Returns:
        The language in use, if it was asked for; nothing after a choice, so that a notebook shows nothing.
        The start value is the environment's SECANT_LANG, else "en".

    Raises:
        ValueError: for what is no code of a language.
    """
    global _current
    if name is None:
        return ours(_current)
    if not is_language(name):
        raise ValueError(f'language is "en", "ko" or another code of two or three letters, not {name!r}')
    _current = name
    return None


def is_language(name: str) -> bool:
    """Whether this is the code of a language (ISO 639)."""
    return bool(re.fullmatch("[a-z]{2,3}", name))


def ours(name: str) -> Language:
    """Return the language of Secant's own words in a language: English, if it has none."""
    return next((known for known in LANGUAGES if known == name), "en")


def say(*, en: str, ko: str, **others: str) -> str:
    """Return the text in the language in use; in English, if it is not given in that.

    Secant's two must be given, so that neither is forgotten.
    """
    return {"en": en, "ko": ko, **others}.get(_current, en)


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


def counted(number: int, noun: str) -> str:
    """Return a number of things in English: 1 point, 2 points."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
