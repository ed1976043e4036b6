"""Normal forms of text that are compared to find copies: letters and digits, or tokens of code.

The tokenizer accepts any text, so even an answer that does not compile can be compared.
"""

import keyword
import re

#: Matches a comment, a string, a name with the dot before it, a number, or any other single character. The
#: length of a string is limited, so that no student's text can make matching slow.
TOKEN = re.compile(
    r"#[^\n]*"
    r"|(?:\b[rbfuRBFU]{1,2})?"
    r"(?:\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''|\"(?:\\.|[^\"\\\n]){0,500}+\"|'(?:\\.|[^'\\\n]){0,500}+')"
    r"|\.?[^\W\d]\w*"
    r"|\.?\d(?:[eE][+-]?\d|[\w.])*"
    r"|\S"
)
_ESCAPED = re.compile(rb"\\u([0-9a-fA-F]{4})")
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_IN_LINES = _SIGNS.replace(b"\n", b"")
MAX_CHARS = 20_000  # maximum number of characters of an answer that are compared


def tokens(text: str, is_code: bool = True, max_chars: int = MAX_CHARS) -> tuple[str, ...]:
    """Return the tokens of an answer.

    Args:
        text: the answer.
        is_code: whether the answer is code. In code, comments are skipped. All variable names are replaced
            with one token and all strings with another, because a writer is free to choose them.
            Attributes, keywords, numbers and symbols are kept. In prose, every word counts.
        max_chars: the maximum number of characters to read.
    """
    matches = TOKEN.findall(text[:max_chars])
    return tuple(_normalize(token) for token in matches if token[0] != "#") if is_code else tuple(matches)


def letters(text: bytes, *, lines: bool = False) -> str:
    """Return the letters and digits in UTF-8 text, in any script.

    JSON's Unicode escapes are decoded, so that a passage can be compared with its copy in a JSON string.

    Args:
        text: the bytes of the text. They may be invalid UTF-8, because students submit them.
        lines: whether to keep line feeds.
    """
    text = _ESCAPED.sub(lambda escape: chr(int(escape[1], 16)).encode(errors="replace"), text)
    plain = text.translate(None, _IN_LINES if lines else _SIGNS).decode(errors="replace")
    return plain if plain.isascii() else re.sub(r"[^\w\n]+", "", plain)


def is_string(token: str) -> bool:
    """Return whether a token is a complete string."""
    return len(token) > 1 and token[-1] in "'\""


def is_name(token: str) -> bool:
    """Return whether a token is a name, with or without a dot before it."""
    return token.lstrip(".")[:1].isidentifier()


def _normalize(token: str) -> str:
    if is_string(token):
        return '""'
    return "name" if is_name(token) and token[0] != "." and not keyword.iskeyword(token) else token
