"""Code as somebody who hides where it is from would write it: with other names."""

import keyword
import re

_NAME = re.compile(r"(?<![.\w\"'])[A-Za-z_]\w*(?![\w\"'])")


def renamed(code: str) -> str:
    """Return code with another name in the place of each one that is no attribute and no keyword."""
    return _NAME.sub(lambda found: found[0] if keyword.iskeyword(found[0]) else f"{found[0]}9", code)
