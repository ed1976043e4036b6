"""Tests of stable pseudonyms that reveal nothing, and of code from which all names are removed."""

import re

import pytest

from autograder.report.names import pseudonym, vocabulary, without_names

SECRET, OTHER_SECRET = b"s" * 32, b"t" * 32
CODE = '''def classify(t, kim=20231234):  # by Kim Minji
    """Written by Kim Minji."""
    kimminji_name = f"kim {t.kim}" + 'leaf' + r'kim'
    return t.grad_fn.minji(0.25, 1e-3, 김민지) + 12.5 * 3 if t is None else "kim'''


def test_pseudonym_depends_on_the_student_and_the_course() -> None:
    pseudonyms = {pseudonym(SECRET, f"s{number}") for number in range(2000)}
    assert len(pseudonyms) == 2000
    assert all(re.fullmatch(r"[B-Z2-9]{4}-[B-Z2-9]{4}", name) for name in pseudonyms)
    assert pseudonym(SECRET, "ann") == pseudonym(SECRET, "ann") != pseudonym(OTHER_SECRET, "ann")


def test_anonymised_code_keeps_only_words_of_the_course_and_python() -> None:
    words = vocabulary(["def classify(t):\n    # kim\n    return t.grad_fn, 'leaf'"])
    assert without_names(CODE, words).split("\n") == [
        "def classify(t, name1=0):",
        '    "…"',
        '    name2 = "…" + \'leaf\' + "…"',
        '    return t.grad_fn.name3(0.25, 1e-3, name4) + 12.5 * 3 if t is None else "name1',
    ]


@pytest.mark.parametrize(
    "text", ["# Kim", '"Kim"', "'''Kim\nKim'''", '"""Kim', "b'Kim'", "x.Kim", "Kim", "Kim Kim"]
)
def test_name_is_removed_from_every_kind_of_code(text: str) -> None:
    assert "Kim" not in without_names(text, vocabulary([]))
