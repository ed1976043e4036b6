"""Students' names in a report: ids or, for `--anonymous`, pseudonyms that cannot be traced back.

A pseudonym is derived from the id with the course's secret (HMAC, RFC 2104). A student therefore has the same
pseudonym in every report of a course, and without the secret, pseudonyms cannot be computed from a list of
ids. Code is shown with only the vocabulary of the course, Python and PyTorch, because a comment, a string or
a variable may contain a name.
"""

import builtins
import hashlib
import hmac
import keyword
import re
from collections.abc import Collection, Iterable

from autograder.course.tokens import TOKEN, is_name, is_string

# The alphabet of pseudonyms has no vowels, so that no words appear by accident, and no digits that look like
# letters.
_LETTERS = "BCDFGHJKMNPQRSTVWXZ23456789"
# letters in a pseudonym, from an alphabet of 27; among 10,000 students, the chance that two have the same
# pseudonym is about 1 in 5,000
_LENGTH = 8
_PYTHON = frozenset(
    (
        *(*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls"),
        *(name for kind in (list, dict, set, str, float) for name in dir(kind)),
    )
)
# A number with more digits than this pattern allows is replaced by 0, because it may be a student's id.
_PLAIN_NUMBER = re.compile(r"([0-9]{1,3}(\.[0-9]{0,3})?|\.[0-9]{1,3})(e-?[0-9]{1,2})?")


def pseudonym(secret: bytes, student: str) -> str:
    """Return a student's pseudonym, which is the same in all reports of the course that has this secret."""
    digest = hmac.new(secret, b"pseudonym\0" + student.encode(), hashlib.sha256).digest()
    number = int.from_bytes(digest)
    letters = []
    for _ in range(_LENGTH):
        number, index = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[index])
    return "".join(letters[:4]) + "-" + "".join(letters[4:])


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """Return the names and strings in the course's code, and Python's own names."""
    tokens = (token for text in texts for token in TOKEN.findall(text) if is_name(token) or is_string(token))
    return _PYTHON | frozenset(token.lstrip(".") for token in tokens)


def without_names(code: str, public: Collection[str]) -> str:
    """Return code with the same structure but without any text that its author chose.

    Comments are removed. Strings that are not in `public` become `"…"`, names become `name1`, `name2` and so
    on, and long numbers become `0`. Other characters that are not ASCII become `?`.
    """
    renamed: dict[str, str] = {}

    def replacement(match: re.Match[str]) -> str:
        token = match[0]
        if token.startswith("#"):
            return ""
        if is_string(token):
            return token if token in public else '"…"'
        if is_name(token):
            dot, name = token[: token.startswith(".")], token.lstrip(".")
            return dot + (name if name in public else renamed.setdefault(name, f"name{len(renamed) + 1}"))
        if token[0].isdigit() or (token[0] == "." and len(token) > 1):
            return token if _PLAIN_NUMBER.fullmatch(token) else "0"
        return token if token.isascii() else "?"

    return "\n".join(line.rstrip() for line in TOKEN.sub(replacement, code).split("\n"))
