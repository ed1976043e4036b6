"""Tests of `letters`, which reduces a text to the characters that survive copying."""

import json

import pytest

from autograder.course.tokens import letters

LINE = 'check.close(f(x_0), 2.5, hint="정답은 둘")  # 값 “하나”'


@pytest.mark.parametrize(
    "copy",
    [LINE, json.dumps(LINE), json.dumps(LINE, ensure_ascii=False), f"> {LINE}\n\xa0", LINE.replace(" ", "")],
)
def test_compared_letters_ignore_quotes_escapes_and_spaces(copy: str) -> None:
    assert letters(copy.encode()) == "checkclosefx025hint정답은둘값하나"


def test_compared_letters_keep_line_feeds_on_request_and_drop_invalid_bytes() -> None:
    assert letters(b"a b\n\xff\xfec-d\n", lines=True) == "ab\ncd\n"
    assert letters("가 나\n“다”".encode(), lines=True) == "가나\n다"
    assert letters(b"\\ud83d\\ude00 x") == "x"  # a surrogate pair, as JSON escapes an emoji
