"""The language of everything that Secant shows: English, Korean, or another language that a course adds."""

import contextlib
import locale
import os
import re
import sys
from typing import Literal, get_args, overload

#: The languages in which Secant's own messages and labels are written. A course may have more languages: see
#: autograder/course/lesson.py.
Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _initial_language() -> Language:
    return "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"


_current_language: str = _initial_language()


@overload
def language() -> Language: ...
@overload
def language(name: str) -> None: ...
def language(name: str | None = None) -> Language | None:
    """Choose the language of everything Secant shows; without a name, return the current language.

    Args:
        name: "en", "ko", or the code of another language of the course, such as "ja". With another language,
            Secant's own messages are in English, and `say` returns the course's text in that language.

    Returns:
        The language of Secant's own messages if no name was given. Otherwise None, so that a notebook shows
        nothing. The initial language is the value of the environment variable SECANT_LANG, by default "en".

    Raises:
        ValueError: if the name is not a language code.
    """
    global _current_language
    if name is None:
        return supported_language(_current_language)
    if not is_language(name):
        raise ValueError(f'language is "en", "ko" or another code of two or three letters, not {name!r}')
    _current_language = name
    return None


def is_language(name: str) -> bool:
    """Return whether a string looks like a language code (ISO 639)."""
    return bool(re.fullmatch("[a-z]{2,3}", name))


def supported_language(name: str) -> Language:
    """Return the given language if Secant's own messages are written in it, else English."""
    return next((candidate for candidate in LANGUAGES if candidate == name), "en")


def say(*, en: str, ko: str, **others: str) -> str:
    """Return the text in the current language, or in English if it does not exist in that language.

    Text in both of Secant's languages is required, so that neither is forgotten.
    """
    return {"en": en, "ko": ko, **others}.get(_current_language, en)


def terminal_language() -> Language:
    """Return the language for a user at this terminal: from SECANT_LANG or the locale, else English.

    The result is also English if the terminal cannot show Korean.
    """
    language_name = os.environ.get("SECANT_LANG") or _locale()
    return "ko" if language_name.lower().startswith("ko") and _shows_korean() else "en"


def _locale() -> str:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value
    return (locale.getlocale()[0] or "") if os.name == "nt" else ""  # e.g. "Korean_Korea" on Windows


def _shows_korean() -> bool:
    try:
        "한글".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def escape_unencodable() -> None:
    """Make stdout and stderr escape characters that the terminal cannot encode, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(OSError):  # reconfigure() flushes the stream, and that may fail
                stream.reconfigure(errors="backslashreplace")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in English: 1 point, 2 points."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
