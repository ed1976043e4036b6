"""Tests that no written answer is lost, in whichever cell it is, and that the cell that counted is shown."""

import base64
import copy
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.course.cells import grade_id, is_answer, tasks, text_id
from autograder.intake.notes import MAX_CHARS, MAX_PICTURES, Sources, split
from autograder.intake.parse import Cell
from autograder.intake.submission import Part, Submission
from autograder.intake.take_in import SubmittedFile, find_file, parse_submission
from tests.support.lessons import LESSONS, assignment, with_answers
from tests.support.pictures import picture
from tests.support.suites import first_of

NOTE_LESSON = LESSONS[2]
NOTE = "two_curves"
WORDS = "One curve stays near the minimum, the other overshoots."
PNG = picture(40, 20)
STUB = "Write your answer here / 여기에 답을 쓰세요"


def copy_release(language: str = "en", lesson: Any = NOTE_LESSON) -> NotebookNode:
    return copy.deepcopy(assignment(lesson).releases[language])


def find_index(notebook: NotebookNode, name: str) -> int:
    return next(index for index, cell in enumerate(notebook.cells) if grade_id(cell) == name)


def get_note(notebook: NotebookNode) -> NotebookNode:
    return notebook.cells[find_index(notebook, NOTE)]


def take_in_notebook(
    notebook: Any, files: Mapping[str, bytes] | None = None, lesson: Any = NOTE_LESSON
) -> Submission:
    submitted_file = SubmittedFile(
        f"{lesson.name}.ipynb", json.dumps(notebook).encode(), [], pictures=files or {}
    )
    submission = parse_submission(submitted_file, lesson.name, assignment(lesson).releases)
    assert isinstance(submission, Submission), submission
    return submission


def get_answer(submission: Submission, name: str = NOTE) -> NotebookNode:
    return next(cell for cell in submission.notebook.cells if grade_id(cell) == name)


def strip_marks(notebook: NotebookNode) -> NotebookNode:
    """Remove all metadata and replace the cells' ids, as some editors do; return the notebook."""
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = NotebookNode(), f"aZ{number}"
    notebook.metadata = NotebookNode()
    return notebook


# --- A note in several cells --------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("keeps_marks", [True, False], ids=["marks kept", "marks lost in the new cells"])
def test_a_note_split_into_cells_is_one_note_in_order(count: int, keeps_marks: bool) -> None:
    notebook = copy_release()
    index = find_index(notebook, NOTE)
    pieces = [f"{number}. {WORDS}" for number in range(count)]
    split_cells = [copy.deepcopy(get_note(notebook)) for _ in pieces]
    for cell, piece in zip(split_cells, pieces, strict=True):
        cell.source = piece
        if cell is not split_cells[0]:
            cell.id = f"split-{piece[0]}"
            cell.metadata = cell.metadata if keeps_marks else NotebookNode()
    notebook.cells[index : index + 1] = split_cells
    submission = take_in_notebook(notebook)
    assert submission.answers[NOTE] == "\n\n".join(pieces)
    assert get_answer(submission).source == submission.answers[NOTE]
    assert NOTE not in submission.unwritten
    assert [cell.id for cell in submission.notebook.cells if cell.id.startswith("extra-")] == []


def test_half_of_a_note_in_a_code_cell_belongs_to_the_note_and_still_runs() -> None:
    notebook = copy_release()
    index = find_index(notebook, NOTE)
    get_note(notebook).source = WORDS
    second_half = new_code_cell("print('0.8 then 0.64')", id="half", metadata=get_note(notebook).metadata)
    notebook.cells.insert(index + 1, second_half)
    submission = take_in_notebook(notebook)
    assert submission.parts[NOTE] == [Part("text", WORDS), Part("code", "print('0.8 then 0.64')")]
    assert [step.source for step in submission.steps].count(second_half.source) == 1
    assert second_half.source not in [cell.source for cell in submission.notebook.cells]


def test_copies_of_one_text_are_shown_once() -> None:
    notebook = copy_release()
    get_note(notebook).source = WORDS
    notebook.cells.insert(find_index(notebook, NOTE), copy.deepcopy(get_note(notebook)))
    assert take_in_notebook(notebook).answers[NOTE] == WORDS


# --- Text typed into the lesson's cells or into code cells --------------------------------------------------


def insert_words(source: str, position: str) -> str:
    first_line, _, rest = source.partition("\n")
    return {
        "end": f"{source}\n\n{WORDS}",
        "head": f"{WORDS}\n\n{source}",
        "middle": f"{first_line}\n{WORDS}\n{rest}",
        "in a line": source.rstrip() + f" {WORDS}",
    }[position]


@pytest.mark.parametrize("position", ["end", "head", "middle", "in a line"])
@pytest.mark.parametrize("offset", [-1, 1], ids=["the task's text", "the next text"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_answer_typed_into_the_lessons_text_waits_for_a_person(
    position: str, offset: int, language: str
) -> None:
    notebook = copy_release(language)
    cell = notebook.cells[find_index(notebook, NOTE) + offset]
    lesson_text, cell.source = cell.source, insert_words(cell.source, position)
    submission = take_in_notebook(notebook)
    assert submission.answers[NOTE] == WORDS
    assert NOTE not in submission.unwritten
    assert f"found_by_place:{NOTE}" in submission.notes
    assert get_answer(submission).source == WORDS
    assert lesson_text in [submitted_cell.source for submitted_cell in submission.notebook.cells]
    assert len(submission.notebook.cells) == len(notebook.cells)


def test_words_typed_into_the_lessons_text_beside_a_written_note_are_shown() -> None:
    notebook = copy_release()
    get_note(notebook).source = "See above."
    question = notebook.cells[find_index(notebook, NOTE) - 1]
    question.source += f"\n\n{WORDS}"
    submission = take_in_notebook(notebook)
    assert submission.answers[NOTE] == "See above."
    extra = [cell for cell in submission.notebook.cells if cell.id.startswith("extra-")]
    assert [cell.source for cell in extra] == [WORDS]
    assert submission.notebook.cells.index(extra[0]) == find_index(submission.notebook, NOTE) - 1


def test_a_note_merged_with_its_question_waits_for_a_person() -> None:
    notebook = copy_release()
    index = find_index(notebook, NOTE)
    notebook.cells[index - 1].source += f"\n\n{STUB}\n{WORDS}"
    del notebook.cells[index]
    submission = take_in_notebook(notebook)
    assert WORDS in submission.answers[NOTE]
    assert [flag for flag in submission.notes if NOTE in flag] == [f"found_by_place:{NOTE}"]


@pytest.mark.parametrize("offset", [-4, -3, -2], ids=["before the plot", "below its text", "below the plot"])
def test_text_elsewhere_in_a_notes_section_counts_as_its_answer(offset: int) -> None:
    notebook = copy_release()
    notebook.cells.insert(find_index(notebook, NOTE) + offset + 1, new_markdown_cell(WORDS, id="own"))
    submission = take_in_notebook(notebook)
    assert submission.answers[NOTE] == WORDS
    assert NOTE not in submission.unwritten


@pytest.mark.parametrize(
    ("source", "is_note"),
    [
        (f"# {WORDS}", True),
        (f'"""{WORDS}"""', True),
        (WORDS, True),
        ("잔차가 줄어들지 않고 커진다 (0.8, 0.64)", True),
        ("The curve (without a reset) overshoots.\nSee 0.64 = 0.8 ** 2.", True),
        (f'print("{WORDS}")', True),
        (f'answer = """{WORDS}"""', True),
        (f'plt.title("{WORDS}")\nplt.show()', False),
        ("train5(1.0, 0.1, True)", False),
        ("for lr in (0.1, 0.2):\n    print(train5(1.0, lr, False))  # another try with more steps", False),
        ("import torch\nfrom math import sin as sine_of_x", False),
        ("%timeit train5(1.0, 0.1, True)  # how long does it take", False),
        ("", False),
    ],
)
def test_sentences_in_a_code_cell_answer_a_note_but_code_does_not(source: str, is_note: bool) -> None:
    notebook = copy_release()
    notebook.cells.insert(find_index(notebook, NOTE) + 1, new_code_cell(source, id="own"))
    submission = take_in_notebook(notebook)
    assert (NOTE not in submission.unwritten) == is_note
    assert (
        source in [cell.source for cell in submission.notebook.cells if cell.id.startswith("extra-")]
    ) != is_note


def test_sentences_in_the_plots_own_code_are_an_answer_and_the_code_still_runs() -> None:
    notebook = copy_release()
    plot = notebook.cells[find_index(notebook, NOTE) - 2]
    assert plot.cell_type == "code"
    plot.source += f"\n# {WORDS}"
    submission = take_in_notebook(notebook)
    assert submission.answers[NOTE] == f"# {WORDS}"
    assert [step.source for step in submission.steps].count(plot.source) == 1
    assert [cell.source for cell in submission.notebook.cells].count(plot.source) == 1
    assert submission.parts[NOTE] == [Part("code", f"# {WORDS}")]
    plot.source = plot.source.replace(f"\n# {WORDS}", "").replace("1.0, 0.1", "2.0, 0.3")
    assert NOTE in take_in_notebook(notebook).unwritten


def test_half_of_a_note_in_a_code_cell_without_metadata_belongs_to_the_note() -> None:
    notebook = copy_release()
    get_note(notebook).source = WORDS
    notebook.cells.insert(
        find_index(notebook, NOTE) + 1, new_code_cell("Second it overshoots the minimum.", id="half")
    )
    submission = take_in_notebook(notebook)
    assert [part.kind for part in submission.parts[NOTE]] == ["text", "code"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_lessons_own_text_as_released_is_no_answer(language: str) -> None:
    notebook = copy_release(language)
    assert take_in_notebook(notebook).notebook.cells == notebook.cells
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and not grade_id(cell):
            cell.source = "\n".join(
                f"{line}  " for line in cell.source.replace("- [ ]", "- [x]").splitlines()
            )
    submission = take_in_notebook(notebook)
    assert NOTE in submission.unwritten
    assert [cell.id for cell in submission.notebook.cells if cell.id.startswith("extra-")] == []


def test_text_of_another_edition_is_the_lessons_own_until_somebody_types_into_it() -> None:
    old_text = "An older text of the lesson."
    notebook = copy_release()
    cell = new_markdown_cell(old_text, id=text_id("markdown", old_text))
    notebook.cells.insert(find_index(notebook, NOTE) + 1, cell)
    assert NOTE in take_in_notebook(notebook).unwritten
    cell.source += f"\n\n{WORDS}"
    assert WORDS in take_in_notebook(notebook).answers[NOTE]


def test_untouched_note_counts_as_unwritten() -> None:
    submission = take_in_notebook(copy_release())
    assert NOTE in submission.unwritten
    assert "unchanged" in submission.notes


# --- Pictures -----------------------------------------------------------------------------------------------


def attach_picture(cell: NotebookNode, name: str = "image.png", data: str | list[str] = PNG) -> None:
    cell.attachments = {name: {"image/png": data}}


@pytest.mark.parametrize(
    "source",
    [
        "![image.png](attachment:image.png)",
        '<img alt="image.png" src="attachment:image.png" width="300">',
        "<img src='attachment:image.png'/>",
        "![image.png][one]\n\n[one]: attachment:image.png",
    ],
)
@pytest.mark.parametrize("text", ["", f"{WORDS}\n\n"], ids=["only a picture", "words and a picture"])
def test_an_attachment_is_a_part_of_the_note(source: str, text: str) -> None:
    notebook = copy_release()
    get_note(notebook).source = text + source
    attach_picture(get_note(notebook))
    submission = take_in_notebook(notebook)
    assert NOTE not in submission.unwritten
    words = [part.text for part in submission.parts[NOTE] if part.kind == "text"]
    assert "".join(words).strip() == text.strip()
    assert [part.text for part in submission.parts[NOTE] if part.kind == "picture"] == [PNG]


def test_an_attachment_in_several_lines_is_a_part_of_the_note() -> None:
    notebook = copy_release()
    get_note(notebook).source = "![image.png](attachment:image.png)"
    attach_picture(get_note(notebook), data=[f"{PNG[:40]}\n", PNG[40:]])
    assert [part.text for part in take_in_notebook(notebook).parts[NOTE]] == [PNG]


@pytest.mark.parametrize(
    "source",
    [
        "![image.png](data:image/png;base64,{})",
        "![image.png](data:image/png;name=a.png;base64,{} 'title')",
        '<img src="data:image/png;base64,{}" />',
        "![][image1]\n\n[image1]: <data:image/png;base64,{}>",
        "data:image/png;base64,{}",
    ],
)
def test_a_picture_in_the_text_itself_is_a_part_of_the_note(source: str) -> None:
    notebook = copy_release()
    get_note(notebook).source = f"{WORDS}\n\n{source.format(PNG)}"
    submission = take_in_notebook(notebook)
    assert submission.parts[NOTE] == [
        Part("text", WORDS),
        Part("picture", PNG, "image.png" if "image.png" in source else ""),
    ]
    assert len(get_answer(submission).source) < 200


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("![](curve.png)", "curve.png"),
        ("![my curve](./my%20curve.JPG)", "my curve.JPG"),
        ("![](my curve (1).png)", "my curve (1).png"),
        ('<img src="pictures/curve.webp">', "pictures/curve.webp"),
        (r"![](C:\Users\ann\curve.gif)", "curve.gif"),
        ("![](/content/curve.png)", "curve.png"),
        ("See [my drawing](곡선.png).", "곡선.png"),
        ("I drew it: curve.jpeg", "curve.jpeg"),
        ("![](Curve.PNG)", "curve.png"),
        ("![](file:///C:/Users/ann/curve.png)", "curve.png"),
        ("![](Plot%20%E2%84%96%201.png)", "plot № 1.png"),
    ],
)
def test_a_picture_beside_the_notebook_that_the_note_names_is_shown(
    source: str, path: str, tmp_path: Path
) -> None:
    notebook = copy_release()
    get_note(notebook).source = source
    folder = tmp_path / "ann" / NOTE_LESSON.name
    (folder / path).parent.mkdir(parents=True)
    (folder / f"{NOTE_LESSON.name}.ipynb").write_text(json.dumps(notebook))
    (folder / path).write_bytes(b"a picture")
    (folder / "other.png").write_bytes(b"nobody names it")
    submitted_file = find_file(folder, NOTE_LESSON.name, tmp_path)
    assert isinstance(submitted_file, SubmittedFile)
    assert submitted_file.pictures == {path: b"a picture"}
    submission = parse_submission(submitted_file, NOTE_LESSON.name, assignment(NOTE_LESSON).releases)
    assert isinstance(submission, Submission)
    pictures = [part.text for part in submission.parts[NOTE] if part.kind == "picture"]
    assert pictures == [base64.b64encode(b"a picture").decode()]
    digest, answers = submitted_file.digest, submission.answers[NOTE]
    (folder / path).write_bytes(b"another picture")
    changed_file = find_file(folder, NOTE_LESSON.name, tmp_path)
    assert isinstance(changed_file, SubmittedFile)
    changed_submission = parse_submission(changed_file, NOTE_LESSON.name, assignment(NOTE_LESSON).releases)
    assert isinstance(changed_submission, Submission)
    assert (changed_file.digest != digest, changed_submission.answers[NOTE] != answers) == (True, True)


def test_a_link_beside_the_notebook_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"a secret")
    notebook = copy_release()
    get_note(notebook).source = "![](curve.png) ![](../secret.png) ![](/etc/passwd)"
    folder = tmp_path / "ann" / NOTE_LESSON.name
    folder.mkdir(parents=True)
    (folder / f"{NOTE_LESSON.name}.ipynb").write_text(json.dumps(notebook))
    (folder / "curve.png").symlink_to(tmp_path / "secret.png")
    submitted_file = find_file(folder, NOTE_LESSON.name, tmp_path)
    assert isinstance(submitted_file, SubmittedFile)
    assert submitted_file.pictures == {}
    submission = parse_submission(submitted_file, NOTE_LESSON.name, assignment(NOTE_LESSON).releases)
    assert isinstance(submission, Submission)
    assert [part.kind for part in submission.parts[NOTE]] == ["missing", "missing", "text"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("![](attachment:gone.png)", "not_there"),
        ("![](gone.png)", "not_there"),
        ("![](https://example.org/a.png)", "elsewhere"),
        ("![](//example.org/a.png)", "elsewhere"),
        ("![](drawing.svg)", "not_a_picture"),
        ("![](data:image/svg+xml;utf8,%3Csvg%3E)", "not_a_picture"),
        ("![](photo.HEIC)", "not_a_picture"),
    ],
)
def test_a_picture_that_is_not_there_leaves_a_reason_in_its_place(source: str, reason: str) -> None:
    notebook = copy_release()
    get_note(notebook).source = f"Before {source} after."
    parts = take_in_notebook(notebook).parts[NOTE]
    assert [part.kind for part in parts] == ["text", "missing", "text"]
    assert parts[1].text == reason


def test_pictures_in_text_next_to_a_note_belong_to_the_note() -> None:
    notebook = copy_release()
    index = find_index(notebook, NOTE)
    cell_below = new_markdown_cell("![image.png](attachment:image.png)", id="below")
    attach_picture(cell_below)
    notebook.cells.insert(index + 1, cell_below)
    assert [part.kind for part in take_in_notebook(notebook).parts[NOTE]] == ["picture"]
    distant_cell = new_markdown_cell("![x](attachment:image.png)", id="far")
    attach_picture(distant_cell)
    notebook.cells.insert(2, distant_cell)
    submission = take_in_notebook(notebook)
    assert [part.kind for part in submission.parts["extra-3"]] == ["picture"]


def test_a_picture_that_a_split_left_in_the_other_cell_is_found() -> None:
    notebook = copy_release()
    index = find_index(notebook, NOTE)
    first, second = get_note(notebook), copy.deepcopy(get_note(notebook))
    first.source, second.source, second.id = WORDS, "![image.png](attachment:my%20image.png)", "half"
    attach_picture(first, "my image.png")
    notebook.cells.insert(index + 1, second)
    kinds = [part.kind for part in take_in_notebook(notebook).parts[NOTE]]
    assert kinds == ["text", "picture"]


def test_two_pictures_in_the_halves_of_a_note_are_both_shown() -> None:
    notebook = copy_release()
    first, second = get_note(notebook), copy.deepcopy(get_note(notebook))
    other_picture = picture(20, 30)
    first.source, second.source = (f"![](data:image/png;base64,{data})" for data in (PNG, other_picture))
    second.id = "half"
    notebook.cells.insert(find_index(notebook, NOTE) + 1, second)
    assert [part.text for part in take_in_notebook(notebook).parts[NOTE]] == [PNG, other_picture]


def test_number_of_pictures_shown_per_submission_is_bounded() -> None:
    notebook = copy_release()
    get_note(notebook).source = f"![](data:image/png;base64,{PNG})\n" * (MAX_PICTURES + 2)
    kinds = [part.kind for part in take_in_notebook(notebook).parts[NOTE]]
    assert (kinds.count("picture"), kinds.count("missing")) == (MAX_PICTURES, 2)


@pytest.mark.parametrize(
    "hostile",
    ["![", "![](", "<img ", "![a][", "[a]: ", "attachment:pasted-", "data:image/png;", "data:a;b;", "((", "!["
     "a](b(c)"],
)  # fmt: skip
def test_splitting_a_hostile_text_takes_no_time(hostile: str) -> None:
    cell = Cell(1, "markdown", hostile * (2 * MAX_CHARS // len(hostile)), "", "", ())
    started = time.process_time()
    parts = split([cell], Sources())
    assert time.process_time() - started < 2
    assert parts[-1] == Part("cut")


# --- Bounds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("location", ["the note", "below the note", "a text of the lesson", "far away"])
def test_large_picture_affects_only_its_own_cell(location: str) -> None:
    source = assignment(NOTE_LESSON).source
    notebook = with_answers(copy_release(), {task.id: task.answer.source for task in tasks(source)})
    picture_text = f"{WORDS}\n\n![image.png](data:image/png;base64,{'A' * 4_000_000})"
    index = find_index(notebook, NOTE)
    if location == "the note":
        get_note(notebook).source = picture_text
    elif location == "a text of the lesson":
        notebook.cells[index - 1].source += f"\n\n{picture_text}"
    else:
        cell = new_markdown_cell(picture_text, id="own")
        notebook.cells.insert(index + 1 if location == "below the note" else 2, cell)
    submission = take_in_notebook(notebook)
    assert not submission.unwritten
    pictures = [part for parts in submission.parts.values() for part in parts if part.kind == "picture"]
    assert [len(part.text) for part in pictures] == [4_000_000]


def test_long_note_is_cut_and_marked_as_cut() -> None:
    notebook = copy_release()
    get_note(notebook).source = "Words. " * 300_000
    parts = take_in_notebook(notebook).parts[NOTE]
    assert (len(parts[0].text), parts[1]) == (MAX_CHARS, Part("cut"))


@pytest.mark.parametrize("language", ["en", "ko"])
def test_code_that_is_too_long_is_left_out_with_a_sentence(language: str) -> None:
    source = assignment(NOTE_LESSON).source
    solutions = {task.id: task.answer.source for task in tasks(source)}
    notebook = with_answers(copy_release(language), solutions)
    notebook.cells.append(new_code_cell(f'data = "{"x" * 1_200_000}"'))
    notebook.cells.append(new_code_cell("kept = 1"))
    submission = take_in_notebook(notebook)
    number = len(notebook.cells) - 1
    assert submission.notes == [f"left_out:cell {number}"]
    sources = [step.source for step in submission.steps]
    assert "kept = 1" in sources
    assert {solutions[task] for task in solutions if task != NOTE} <= set(sources)
    (left_out,) = [cell.source for cell in submission.notebook.cells if "1,200,0" in cell.source]
    assert left_out.startswith("# This cell was not run" if language == "en" else "# 이 셀은 실행하지")


def test_source_sent_for_many_long_cells_is_bounded() -> None:
    notebook = copy_release()
    notebook.cells += [new_code_cell("#" * 3_000 + str(number)) for number in range(900)]
    submission = take_in_notebook(notebook)
    sent_bytes = sum(len(step.source.encode()) + len(step.label) for step in submission.steps)
    assert 900_000 < sent_bytes < 1_010_000  # one message frame holds 1,048,576 bytes


def test_an_answer_that_is_too_long_costs_its_own_task_alone() -> None:
    notebook = copy_release()
    for name in ("accumulate", "all_grads"):
        notebook.cells[find_index(notebook, name)].source = f"def {name}():\n    pass"
    notebook.cells[find_index(notebook, "accumulate")].source += f'\n"""{"x" * 1_000_000}"""'
    steps = {step.task: step.source for step in take_in_notebook(notebook).steps if step.task}
    assert steps["accumulate"].startswith("raise MemoryError('This cell was not run")
    assert steps["all_grads"] == "def all_grads():\n    pass"


def repeat_to_limit(text: str) -> str:
    return text * (6_000_000 // 900 // len(text))


@pytest.mark.parametrize(
    "cell", first_of(["copies of a text", "code of definitions", "code of indents", "text of links"], 1)
)
def test_notebook_of_hostile_cells_is_analysed_in_bounded_time(cell: str) -> None:
    notebook = copy_release()
    question = notebook.cells[find_index(notebook, NOTE) - 1]
    if cell == "copies of a text":
        text = question.source + ("\n" + "**What did " * 10) * 160
        cells = [NotebookNode({**question, "source": f"{text}{number}"}) for number in range(900)]
    elif cell == "text of links":
        cells = [new_markdown_cell(repeat_to_limit("![a](data:image/png;base64,AAAA) ")) for _ in range(900)]
    else:
        source = repeat_to_limit("def a\n" if cell == "code of definitions" else " \n")
        cells = [new_code_cell(source) for _ in range(900)]
    notebook.cells[find_index(notebook, NOTE) + 1 : find_index(notebook, NOTE) + 1] = cells
    data = json.dumps(notebook).encode()
    started = time.process_time()
    parse_submission(SubmittedFile("a.ipynb", data, []), NOTE_LESSON.name, assignment(NOTE_LESSON).releases)
    assert time.process_time() - started < 4


# --- The cell that counted ----------------------------------------------------------------------------------


def make_solved_notebook(lesson: Any, language: str = "en") -> tuple[NotebookNode, dict[str, str]]:
    source = assignment(lesson).source
    solutions = {task.id: task.answer.source for task in tasks(source)}
    return with_answers(copy_release(language, lesson), solutions), solutions


def test_split_answer_shows_the_cell_that_defines_the_function() -> None:
    lesson = LESSONS[0]
    notebook, solutions = make_solved_notebook(lesson)
    name = next(iter(solutions))
    index = find_index(notebook, name)
    extra_cell = copy.deepcopy(notebook.cells[index])
    extra_cell.source, extra_cell.id = "# checked by hand: 12.002", "rest"
    notebook.cells.insert(index + 1, extra_cell)
    submission = take_in_notebook(notebook, lesson=lesson)
    assert get_answer(submission, name).source == submission.answers[name] == solutions[name]
    assert [step.source for step in submission.steps if step.source == extra_cell.source] == [
        extra_cell.source
    ]


def test_two_answers_merged_into_one_cell_are_shown_for_both_tasks_and_run_once() -> None:
    lesson = LESSONS[0]
    notebook, solutions = make_solved_notebook(lesson)
    first, second = list(solutions)[:2]
    merged_cell = notebook.cells[find_index(notebook, first)]
    merged_cell.source += f"\n\n\n{solutions[second]}"
    del notebook.cells[find_index(notebook, second)]
    submission = take_in_notebook(notebook, lesson=lesson)
    assert get_answer(submission, first).source == get_answer(submission, second).source == merged_cell.source
    assert [step.source for step in submission.steps].count(merged_cell.source) == 1
    assert [flag for flag in submission.notes if "missing" in flag] == []
    assert not submission.unwritten


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name[:2])
def test_each_answer_is_shown_in_a_notebook_that_lost_its_marks(lesson: Any) -> None:
    notebook, solutions = make_solved_notebook(lesson)
    submission = take_in_notebook(strip_marks(notebook), lesson=lesson)
    shown_answers = {grade_id(cell): cell.source for cell in submission.notebook.cells if is_answer(cell)}
    assert {name: source.strip() for name, source in shown_answers.items()} == {
        name: source.strip() for name, source in solutions.items()
    }
    assert not submission.unwritten
    assert [flag for flag in submission.notes if "missing_answer" in flag] == []


def test_a_renamed_function_in_a_notebook_that_lost_its_marks_is_shown() -> None:
    lesson = LESSONS[0]
    notebook, solutions = make_solved_notebook(lesson)
    name = next(iter(solutions))
    cell = notebook.cells[find_index(notebook, name)]
    cell.source = cell.source.replace(name, "another_name")
    submission = take_in_notebook(strip_marks(notebook), lesson=lesson)
    assert get_answer(submission, name).source == cell.source
    assert f"found_by_place:{name}" in submission.notes


@pytest.mark.parametrize("prefix", ["    ", "\t", ">>> "])
def test_an_indented_definition_counts_as_it_does_in_ipython(prefix: str) -> None:
    lesson = LESSONS[0]
    notebook, solutions = make_solved_notebook(lesson)
    name = next(iter(solutions))
    continuation = prefix if prefix.isspace() else "... "
    first_line, *other_lines = solutions[name].splitlines()
    source = "\n".join([prefix + first_line, *(continuation + line for line in other_lines)])
    notebook.cells[find_index(notebook, name)].source = source
    submission = take_in_notebook(strip_marks(notebook), lesson=lesson)
    assert get_answer(submission, name).source == source


def test_a_lambda_below_the_stub_is_shown() -> None:
    lesson = LESSONS[0]
    notebook = copy_release(lesson=lesson)
    name = next(iter(make_solved_notebook(lesson)[1]))
    notebook.cells.insert(
        find_index(notebook, name) + 1, new_code_cell(f"{name} = lambda f, x, h: 0", id="own")
    )
    submission = take_in_notebook(notebook, lesson=lesson)
    assert get_answer(submission, name).source == f"{name} = lambda f, x, h: 0"


@pytest.mark.parametrize("magic", ["%%writefile a.py", "%%html", "%%timeit", "%%debug"])
def test_a_definition_that_no_magic_runs_does_not_replace_the_answer(magic: str) -> None:
    lesson = LESSONS[0]
    notebook, solutions = make_solved_notebook(lesson)
    name = next(iter(solutions))
    notebook.cells.append(new_code_cell(f"{magic}\n{solutions[name]}", id="own"))
    submission = take_in_notebook(notebook, lesson=lesson)
    assert get_answer(submission, name).source == solutions[name]


@pytest.mark.parametrize("lesson", [LESSONS[0], LESSONS[9]], ids=["a function", "a class of all tasks"])
def test_an_answer_that_became_text_is_shown_in_a_lesson_without_a_note(lesson: Any) -> None:
    notebook, solutions = make_solved_notebook(lesson)
    name = next(iter(solutions))
    index = find_index(notebook, name)
    notebook.cells[index] = new_markdown_cell(solutions[name], id="own")
    submission = take_in_notebook(notebook, lesson=lesson)
    extra_texts = [cell.source for cell in submission.notebook.cells if cell.id.startswith("extra-")]
    assert extra_texts == [solutions[name]]
    merged_notebook, solutions = make_solved_notebook(lesson)
    index = find_index(merged_notebook, name)
    merged_notebook.cells[index - 1].source += f"\n\n{solutions[name]}"
    del merged_notebook.cells[index]
    extra_texts = [
        cell.source
        for cell in take_in_notebook(merged_notebook, lesson=lesson).notebook.cells
        if cell.id.startswith("extra-")
    ]
    assert len(extra_texts) == 1
    assert solutions[name].splitlines()[0] in extra_texts[0]
