r"""Escapes for characters in untrusted text that are invisible or change how the text is displayed.

A control character rings a bell or moves a terminal's cursor. A direction character makes code appear in a
different order from the one in which it runs (Trojan Source, CVE-2021-42574). Other characters take up no
room at all. Each is shown as Python would write it, `\x1b` or `\u202e`. Nothing is removed, so that two
strings that differ also look different.

- Line ends and tabs stay. Korean needs no other exceptions, because its text has no joiners.
- The characters that join the parts of an emoji (U+200D, U+FE0F) stay between these parts, because no name
  can contain an emoji. Elsewhere they would be invisible, so they are escaped.
- A byte order mark, a soft hyphen and the fillers of Hangul (U+3164 is a valid name in Python) are also
  invisible.
- An unusual space, which Python refuses, is escaped. The escape tells the student why the code fails.
- Letters that are written from right to left reorder the characters around them, so they are escaped in code.
  In prose they stay.
"""

import re
import unicodedata

# Characters that take up no room: https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
_PICTURE = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_TONE = "\U0001f3fb-\U0001f3ff"
# The characters that may need an escape. Printable ASCII and Korean syllables never do, so most strings are
# checked quickly.
_CANDIDATES = re.compile(rf"[^ -~\n\t가-힣ㄱ-ㅣ]|[{_FILLERS}]")
_JOINED = re.compile(
    rf"(?<=[{_PICTURE}])\ufe0f?(?:\u200d(?=[{_PICTURE}]))?|(?<=[{_TONE}])\u200d(?=[{_PICTURE}])"
)
_HIDDEN = re.compile(f"[{_FILLERS}]")
_FROM_RIGHT = ("R", "AL", "AN")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
# Maximum number of combining marks on a letter. Vietnamese needs two; more would cover other lines.
_MAX_MARKS = 2


def visible(text: str, *, prose: bool = False) -> str:
    """Return text with an escape for each character that is invisible or changes how the text is displayed.

    Args:
        text: text from any source; it may contain lone surrogates.
        prose: whether letters that are written from right to left stay as they are.
    """
    joiners = {place for sequence in _JOINED.finditer(text) for place in range(*sequence.span())}

    def escape(match: re.Match[str]) -> str:
        char = match[0]
        is_visible = char.isprintable() and not _HIDDEN.match(char)
        is_visible = is_visible and (prose or unicodedata.bidirectional(char) not in _FROM_RIGHT)
        preceding_text = text[max(match.start() - _MAX_MARKS, 0) : match.start() + 1]
        is_visible = is_visible and not (
            len(preceding_text) > _MAX_MARKS and all(map(unicodedata.combining, preceding_text))
        )
        return char if is_visible or match.start() in joiners else char.encode("unicode_escape").decode()

    return _CANDIDATES.sub(escape, text)


def without_markup(text: str) -> str:
    """Return stored text, such as a person's name, with `<` replaced wherever it would begin an HTML tag.

    Pages may then print the text unescaped. HTML takes a `<` for the beginning of a tag only before a letter,
    `/`, `!` or `?`. Such a `<` becomes `‹`; "Sons <3" stays as it is.
    """
    return _TAG.sub("\u2039", text)
