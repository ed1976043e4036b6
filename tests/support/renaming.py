"""New names for the identifiers of code, as a student would choose them to hide that the code is copied."""

import keyword
import re

_NAME = re.compile(r"(?<![.\w\"'])[A-Za-z_]\w*(?![\w\"'])")


def rename_identifiers(code: str) -> str:
    """Return code in which every identifier that is not a keyword or an attribute has another name."""
    return _NAME.sub(lambda match: match[0] if keyword.iskeyword(match[0]) else f"{match[0]}9", code)
