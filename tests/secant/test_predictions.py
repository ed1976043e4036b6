"""Tests of predictions: the learner's choice is stored next to the notebook, and then gets a reply."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from secant import predict, predicted
from secant.predictions import FILE, Prediction, read, save_choice
from secant.progress import record, store

CHOICES = {"A": "4 and 12", "B": "`x.grad` is 16"}
REPLIES = {"A": "that would need a reset.", "B": "the buffer adds."}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the notebook's folder, next to the folder of the learner's progress, and return it."""
    notebook_folder = tmp_path / "notebook"
    notebook_folder.mkdir()
    monkeypatch.chdir(notebook_folder)
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    return notebook_folder


def click(question: Prediction, letter: str) -> None:
    """Make a choice as a front end does, with a message to the kernel."""
    question.buttons.set_state({"index": list(question.choices).index(letter)})


def plain_text(widget: object) -> str:
    return widget._repr_mimebundle_()["text/plain"]  # type: ignore[attr-defined]


@pytest.mark.skipif(os.name != "posix", reason="pipes with names are POSIX's")
def test_fifo_in_place_of_the_predictions_file_does_not_block(folder: Path) -> None:
    os.mkfifo(folder / FILE)
    thread = threading.Thread(target=read, args=(folder,), daemon=True)
    thread.start()
    thread.join(5.0)
    assert not thread.is_alive()


def test_prediction_stores_the_first_and_the_latest_choice(folder: Path, both_languages: str) -> None:
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


def test_answer_appears_after_a_choice_and_follows_its_changes() -> None:
    question, answer = predict("3 wait", **CHOICES), predicted("3 wait", right="B", **REPLIES)
    assert "have not answered" in answer.words.value
    question.buttons.value = "B"
    assert "first choice" not in answer.words.value
    question, answer = predict("3 change", **CHOICES), predicted("3 change", right="B", **REPLIES)
    question.buttons.value = "A"
    assert "You chose A" in answer.words.value
    assert REPLIES["A"] in answer.words.value
    assert "<code>x.grad</code> is 16" in answer.words.value
    assert answer.show.layout.display == "none"
    question.buttons.value = "B"
    assert "Your choice was right" in answer.words.value
    assert "Your first choice was A" in answer.words.value
    assert REPLIES["A"] not in answer.words.value


def test_answer_is_available_without_a_choice(folder: Path) -> None:
    answer = predicted("3 skipped", right="B", **REPLIES)
    answer.show.click()
    assert REPLIES["B"] in answer.words.value
    assert read(folder) == {}


def test_prediction_without_a_front_end_is_text(both_languages: str) -> None:
    assert "A. 4 and 12" in plain_text(predict("3 text", **CHOICES))
    text = plain_text(predicted("3 text", right="B", **REPLIES))
    assert all(reply in text for reply in REPLIES.values())


def test_choice_text_is_escaped() -> None:
    answer = predicted("3 markup", right="A", A="<b>bold</b>", B="no")
    answer.show.click()
    assert "&lt;b&gt;" in answer.words.value


def test_choices_of_two_notebooks_are_stored_in_one_file(folder: Path) -> None:
    save_choice(folder, "3 one", "A")
    save_choice(folder, "4 other", "B")
    assert set(read(folder)) == {"3 one", "4 other"}
    assert [path.name for path in folder.iterdir()] == [FILE]


DAMAGED_CONTENTS = [
    "{",
    "[]",
    '{"3 one": "A"}',
    '{"3 one": {"choice": "A"}}',
    "[" * 100_000,
    " " * 1_000_000 + "{}",
]


@pytest.mark.parametrize("content", DAMAGED_CONTENTS, ids=lambda content: content[:30].strip() or "large")
def test_damaged_file_is_renamed_and_kept(folder: Path, content: str) -> None:
    (folder / FILE).write_text(content)
    question = predict("3 one", **CHOICES)
    assert "damaged" in question.note.value
    question.buttons.value = "A"
    assert "It is saved" in question.note.value
    assert read(folder) == {"3 one": {"first": "A", "choice": "A"}}
    assert (folder / "predictions (unreadable 1).json").read_text() == content


WRITER = """
import sys
from pathlib import Path
from secant.predictions import save_choice
print(flush=True)
sys.stdin.readline()
for number in range(60):
    save_choice(Path(), f"{sys.argv[1]} {number}", "A")
"""


def test_two_notebooks_that_write_at_once_keep_every_choice(folder: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in ("one", "other")
    ]
    for writer in writers:
        writer.stdout.readline()
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
    assert len(read(folder)) == 120
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_choice_is_stored_although_no_lock_is_available(folder: Path) -> None:
    (folder.parent / "data").write_text("in the way")
    save_choice(folder, "3 one", "A")
    assert set(read(folder)) == {"3 one"}


def test_lone_surrogate_in_a_prediction_name_is_stored(folder: Path) -> None:
    save_choice(folder, "3 \udc80", "A")
    save_choice(folder, "3 one", "A")
    assert len(read(folder)) == 2


def test_unwritable_prediction_is_reported_to_the_learner(monkeypatch: pytest.MonkeyPatch) -> None:
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


# --- In the learner's progress ---


def test_a_click_is_noted_with_its_first_choice() -> None:
    question = predict("3 noted", **CHOICES)
    click(question, "A")
    assert store.read()["predictions"]["3 noted"]["right"] is None
    predicted("3 noted", right="B", **REPLIES)
    click(question, "B")
    entry = store.read()["predictions"]["3 noted"]
    assert (entry["first"], entry["right"]) == ("A", "B")


def test_choice_set_by_code_is_not_recorded_as_progress(folder: Path) -> None:
    question = predict("3 code", **CHOICES)
    question.buttons.value = "A"
    answer = predicted("3 code", right="B", **REPLIES)
    answer.show.click()
    predict("3 code", **CHOICES)
    predicted("3 code", right="B", **REPLIES)
    assert not (folder.parent / "data" / store.FILE).exists()


def test_choice_after_reading_the_answer_is_no_prediction(folder: Path) -> None:
    question = predict("3 told", **CHOICES)
    predicted("3 told", right="B", **REPLIES).show.click()
    click(question, "B")
    assert "Your choice is B" in question.note.value
    assert not (folder.parent / "data" / store.FILE).exists()


def test_failing_progress_record_does_not_stop_the_notebook(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.parent / "data").write_text("in the way")
    question = predict("3 in the way", **CHOICES)
    click(question, "A")
    assert "Your choice is A" in question.note.value

    def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(record, "prediction", fail)
    click(question, "B")
    assert read(folder)["3 in the way"]["choice"] == "B"


def test_a_notebook_loads_nothing_of_progress_before_a_click() -> None:
    code = "import sys, secant; secant.predict('3 x', A='a', B='b'); print('secant.progress' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
