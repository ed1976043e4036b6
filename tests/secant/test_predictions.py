"""Predictions: what is chosen is kept beside the notebook, and answered."""

import os
from pathlib import Path

import pytest

from secant import predict, predicted
from secant.predictions import FILE, keep, read

CHOICES = {"A": "4 and 12", "B": "`x.grad` is 16"}
REPLIES = {"A": "that would need a reset.", "B": "the buffer adds."}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(widget: object) -> str:
    return widget._repr_mimebundle_()["text/plain"]  # type: ignore[attr-defined]


def test_a_choice_is_kept_and_the_first_one_too(folder: Path, both_languages: str) -> None:
    question = predict("3 calls", **CHOICES)
    question.buttons.value = "A"
    question.buttons.value = "B"
    assert read(folder) == {"3 calls": {"first": "A", "choice": "B"}}
    assert "B" in question.note.value
    assert predict("3 calls", **CHOICES).buttons.value == "B"


def test_nothing_is_written_without_a_choice(folder: Path) -> None:
    predict("3 calls", **CHOICES)
    predicted("3 calls", right="B", **REPLIES)
    assert not list(folder.iterdir())


def test_the_answer_waits_for_a_choice_and_follows_it() -> None:
    question, answer = predict("3 wait", **CHOICES), predicted("3 wait", right="B", **REPLIES)
    assert "not chosen" in answer.words.value
    question.buttons.value = "A"
    assert "You chose A" in answer.words.value
    assert REPLIES["A"] in answer.words.value
    assert "<code>x.grad</code> is 16" in answer.words.value
    assert answer.show.layout.display == "none"
    question.buttons.value = "B"
    assert "Your choice was right" in answer.words.value
    assert REPLIES["A"] not in answer.words.value


def test_the_answer_can_be_had_without_a_choice(folder: Path) -> None:
    answer = predicted("3 skipped", right="B", **REPLIES)
    answer.show.click()
    assert REPLIES["B"] in answer.words.value
    assert read(folder) == {}


def test_without_a_front_end_there_is_text(both_languages: str) -> None:
    assert "A. 4 and 12" in shown(predict("3 text", **CHOICES))
    text = shown(predicted("3 text", right="B", **REPLIES))
    assert all(reply in text for reply in REPLIES.values())


def test_what_learners_typed_is_no_markup() -> None:
    answer = predicted("3 markup", right="A", A="<b>bold</b>", B="no")
    answer.show.click()
    assert "&lt;b&gt;" in answer.words.value


def test_choices_of_two_notebooks_stand_side_by_side(folder: Path) -> None:
    keep(folder, "3 one", "A")
    keep(folder, "4 other", "B")
    assert set(read(folder)) == {"3 one", "4 other"}
    assert [path.name for path in folder.iterdir()] == [FILE]


@pytest.mark.parametrize("content", ["{", "[]", '{"3 one": "A"}', '{"3 one": {"choice": "A"}}'])
def test_a_damaged_file_is_put_aside_not_lost(folder: Path, content: str) -> None:
    (folder / FILE).write_text(content)
    assert read(folder) == {}
    keep(folder, "3 one", "A")
    assert read(folder) == {"3 one": {"first": "A", "choice": "A"}}
    assert (folder / "predictions (unreadable 1).json").read_text() == content


def test_where_nothing_can_be_written_the_learner_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    question = predict("3 full", **CHOICES)
    question.buttons.value = "A"
    assert "No space left" in question.note.value
    assert not list(Path().iterdir())


def test_every_choice_needs_a_reply() -> None:
    predict("3 replies", **CHOICES)
    with pytest.raises(ValueError, match="one reply"):
        predicted("3 replies", right="B", B="only this")
    with pytest.raises(ValueError, match="two choices"):
        predict("3 one", A="alone")
