"""Tests that characters that are invisible, or change how text is displayed, are shown as escapes."""

import sys
import unicodedata
from html.parser import HTMLParser

import pytest

from secant.visible import visible, without_markup


@pytest.mark.whole
def test_visible_text_has_no_control_or_direction_characters() -> None:
    all_characters = "".join(map(chr, range(sys.maxunicode + 1)))
    text = visible(all_characters)
    characters = set(text)
    assert {c for c in characters if not c.isprintable()} == {"\n", "\t"}
    assert not {
        c for c in characters if unicodedata.bidirectional(c) in ("R", "AL", "AN", "RLO", "LRO", "RLI")
    }
    assert visible(text) == text
    assert (
        eval(f"'''{visible(all_characters[14:34] + all_characters[0x7F:0xA1])}'''")
        == all_characters[14:34] + all_characters[0x7F:0xA1]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("한글, ㅋㅋ é x² → 0\n\tplain", None),
        ("👩‍💻 👩🏽‍💻 ❤️ 🏳️‍🌈", None),
        ("x\u200d = x\ufe0f", r"x\u200d = x\ufe0f"),
        ("👩\u200dx ❤️\ufe0f", "👩\\u200dx ❤️\\ufe0f"),
        ("ㅤ = \u1160 + \ud800", r"\u3164 = \u1160 + \ud800"),
        ("a\xadb\ufeffc\xa0d", r"a\xadb\ufeffc\xa0d"),
        ("if 'א' == 1", r"if '\u05d0' == 1"),
        ("e\u0301\u0323\u0301\u0301", "e\u0301\u0323\\u0301\\u0301"),
    ],
)
def test_visible_keeps_harmless_and_escapes_other_characters(text: str, expected: str | None) -> None:
    assert visible(text) == (text if expected is None else expected)


def test_prose_keeps_right_to_left_letters_and_escapes_direction_marks() -> None:
    assert visible("שלום \u202e", prose=True) == "שלום \\u202e"


@pytest.mark.parametrize("name", ["O'Brien & Sons <3", "a < b > c", "김민지", 'Kim "MJ" Minji', "<", "x <"])
def test_name_without_markup_is_unchanged(name: str) -> None:
    assert without_markup(name) == name


@pytest.mark.parametrize(
    "tag", ["<img src=x onerror=hit()>", "</td><b>", "<!--", "<?xml", "<<script>", "<svg/onload"]
)
def test_name_that_would_be_a_tag_is_text_for_every_parser(tag: str) -> None:
    class TextParser(HTMLParser):
        text = ""

        def handle_data(self, data: str) -> None:
            self.text += data

    parser = TextParser()
    parser.feed(without_markup(tag) + " end")
    parser.close()
    assert parser.text == without_markup(tag) + " end"
    assert without_markup(tag).replace("‹", "<") == tag
