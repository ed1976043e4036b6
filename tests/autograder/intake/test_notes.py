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

NOTED = LESSONS[2]
NOTE = "two_curves"
WORDS = "One curve stays near the minimum, the other overshoots."
PNG = picture(40, 20)
STUB = "Write your answer here / 여기에 답을 쓰세요"


def released(language: str = "en", lesson: Any = NOTED) -> NotebookNode:
    return copy.deepcopy(assignment(lesson).releases[language])


def at(notebook: NotebookNode, name: str) -> int:
    return next(index for index, cell in enumerate(notebook.cells) if grade_id(cell) == name)


def note_of(notebook: NotebookNode) -> NotebookNode:
    return notebook.cells[at(notebook, NOTE)]


def take(notebook: Any, files: Mapping[str, bytes] | None = None, lesson: Any = NOTED) -> Submission:
    found = SubmittedFile(f"{lesson.name}.ipynb", json.dumps(notebook).encode(), [], pictures=files or {})
    taken = parse_submission(found, lesson.name, assignment(lesson).releases)
    assert isinstance(taken, Submission), taken
    return taken


def answer(taken: Submission, name: str = NOTE) -> NotebookNode:
    return next(cell for cell in taken.notebook.cells if grade_id(cell) == name)


def without_marks(notebook: NotebookNode) -> NotebookNode:
    """Remove all metadata and replace the cells' ids, as some editors do; return the notebook."""
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = NotebookNode(), f"aZ{number}"
    notebook.metadata = NotebookNode()
    return notebook


# --- A note in several cells --------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("keeps_marks", [True, False], ids=["marks kept", "marks lost in the new cells"])
def test_a_note_split_into_cells_is_one_note_in_order(count: int, keeps_marks: bool) -> None:
    notebook = released()
    place = at(notebook, NOTE)
    pieces = [f"{number}. {WORDS}" for number in range(count)]
    split_cells = [copy.deepcopy(note_of(notebook)) for _ in pieces]
    for cell, piece in zip(split_cells, pieces, strict=True):
        cell.source = piece
        if cell is not split_cells[0]:
            cell.id = f"split-{piece[0]}"
            cell.metadata = cell.metadata if keeps_marks else NotebookNode()
    notebook.cells[place : place + 1] = split_cells
    taken = take(notebook)
    assert taken.answers[NOTE] == "\n\n".join(pieces)
    assert answer(taken).source == taken.answers[NOTE]
    assert NOTE not in taken.unwritten
    assert [cell.id for cell in taken.notebook.cells if cell.id.startswith("extra-")] == []


def test_half_of_a_note_in_a_code_cell_belongs_to_the_note_and_still_runs() -> None:
    notebook = released()
    place = at(notebook, NOTE)
    note_of(notebook).source = WORDS
    half = new_code_cell("print('0.8 then 0.64')", id="half", metadata=note_of(notebook).metadata)
    notebook.cells.insert(place + 1, half)
    taken = take(notebook)
    assert taken.parts[NOTE] == [Part("text", WORDS), Part("code", "print('0.8 then 0.64')")]
    assert [step.source for step in taken.steps].count(half.source) == 1
    assert half.source not in [cell.source for cell in taken.notebook.cells]


def test_copies_of_one_text_are_shown_once() -> None:
    notebook = released()
    note_of(notebook).source = WORDS
    notebook.cells.insert(at(notebook, NOTE), copy.deepcopy(note_of(notebook)))
    assert take(notebook).answers[NOTE] == WORDS


# --- Text typed into the lesson's cells or into code cells --------------------------------------------------


def typed(source: str, where: str) -> str:
    first, _, rest = source.partition("\n")
    return {
        "end": f"{source}\n\n{WORDS}",
        "head": f"{WORDS}\n\n{source}",
        "middle": f"{first}\n{WORDS}\n{rest}",
        "in a line": source.rstrip() + f" {WORDS}",
    }[where]


@pytest.mark.parametrize("where", ["end", "head", "middle", "in a line"])
@pytest.mark.parametrize("beside", [-1, 1], ids=["the task's text", "the next text"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_answer_typed_into_the_lessons_text_waits_for_a_person(
    where: str, beside: int, language: str
) -> None:
    notebook = released(language)
    cell = notebook.cells[at(notebook, NOTE) + beside]
    lesson_text, cell.source = cell.source, typed(cell.source, where)
    taken = take(notebook)
    assert taken.answers[NOTE] == WORDS
    assert NOTE not in taken.unwritten
    assert f"found_by_place:{NOTE}" in taken.notes
    assert answer(taken).source == WORDS
    assert lesson_text in [each.source for each in taken.notebook.cells]
    assert len(taken.notebook.cells) == len(notebook.cells)


def test_words_typed_into_the_lessons_text_beside_a_written_note_are_shown() -> None:
    notebook = released()
    note_of(notebook).source = "See above."
    question = notebook.cells[at(notebook, NOTE) - 1]
    question.source += f"\n\n{WORDS}"
    taken = take(notebook)
    assert taken.answers[NOTE] == "See above."
    extra = [cell for cell in taken.notebook.cells if cell.id.startswith("extra-")]
    assert [cell.source for cell in extra] == [WORDS]
    assert taken.notebook.cells.index(extra[0]) == at(taken.notebook, NOTE) - 1


def test_a_note_merged_with_its_question_waits_for_a_person() -> None:
    notebook = released()
    place = at(notebook, NOTE)
    notebook.cells[place - 1].source += f"\n\n{STUB}\n{WORDS}"
    del notebook.cells[place]
    taken = take(notebook)
    assert WORDS in taken.answers[NOTE]
    assert [flag for flag in taken.notes if NOTE in flag] == [f"found_by_place:{NOTE}"]


@pytest.mark.parametrize("behind", [-4, -3, -2], ids=["before the plot", "below its text", "below the plot"])
def test_text_elsewhere_in_a_notes_section_counts_as_its_answer(behind: int) -> None:
    notebook = released()
    notebook.cells.insert(at(notebook, NOTE) + behind + 1, new_markdown_cell(WORDS, id="own"))
    taken = take(notebook)
    assert taken.answers[NOTE] == WORDS
    assert NOTE not in taken.unwritten


@pytest.mark.parametrize(
    ("source", "waits"),
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
def test_sentences_in_a_code_cell_answer_a_note_but_code_does_not(source: str, waits: bool) -> None:
    notebook = released()
    notebook.cells.insert(at(notebook, NOTE) + 1, new_code_cell(source, id="own"))
    taken = take(notebook)
    assert (NOTE not in taken.unwritten) == waits
    assert (source in [cell.source for cell in taken.notebook.cells if cell.id.startswith("extra-")]) != waits


def test_sentences_in_the_plots_own_code_are_an_answer_and_the_code_still_runs() -> None:
    notebook = released()
    plot = notebook.cells[at(notebook, NOTE) - 2]
    assert plot.cell_type == "code"
    plot.source += f"\n# {WORDS}"
    taken = take(notebook)
    assert taken.answers[NOTE] == f"# {WORDS}"
    assert [step.source for step in taken.steps].count(plot.source) == 1
    assert [cell.source for cell in taken.notebook.cells].count(plot.source) == 1
    assert taken.parts[NOTE] == [Part("code", f"# {WORDS}")]
    plot.source = plot.source.replace(f"\n# {WORDS}", "").replace("1.0, 0.1", "2.0, 0.3")
    assert NOTE in take(notebook).unwritten


def test_half_of_a_note_in_a_code_cell_without_metadata_belongs_to_the_note() -> None:
    notebook = released()
    note_of(notebook).source = WORDS
    notebook.cells.insert(
        at(notebook, NOTE) + 1, new_code_cell("Second it overshoots the minimum.", id="half")
    )
    taken = take(notebook)
    assert [part.kind for part in taken.parts[NOTE]] == ["text", "code"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_lessons_own_text_as_released_is_no_answer(language: str) -> None:
    notebook = released(language)
    assert take(notebook).notebook.cells == notebook.cells
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and not grade_id(cell):
            cell.source = "\n".join(
                f"{line}  " for line in cell.source.replace("- [ ]", "- [x]").splitlines()
            )
    taken = take(notebook)
    assert NOTE in taken.unwritten
    assert [cell.id for cell in taken.notebook.cells if cell.id.startswith("extra-")] == []


def test_text_of_another_edition_is_the_lessons_own_until_somebody_types_into_it() -> None:
    old = "An older text of the lesson."
    notebook = released()
    cell = new_markdown_cell(old, id=text_id("markdown", old))
    notebook.cells.insert(at(notebook, NOTE) + 1, cell)
    assert NOTE in take(notebook).unwritten
    cell.source += f"\n\n{WORDS}"
    assert WORDS in take(notebook).answers[NOTE]


def test_untouched_note_counts_as_unwritten() -> None:
    taken = take(released())
    assert NOTE in taken.unwritten
    assert "unchanged" in taken.notes


# --- Pictures -----------------------------------------------------------------------------------------------


def attached(cell: NotebookNode, name: str = "image.png", data: str = PNG) -> None:
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
    notebook = released()
    note_of(notebook).source = text + source
    attached(note_of(notebook))
    taken = take(notebook)
    assert NOTE not in taken.unwritten
    words = [part.text for part in taken.parts[NOTE] if part.kind == "text"]
    assert "".join(words).strip() == text.strip()
    assert [part.text for part in taken.parts[NOTE] if part.kind == "picture"] == [PNG]


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
    notebook = released()
    note_of(notebook).source = f"{WORDS}\n\n{source.format(PNG)}"
    taken = take(notebook)
    assert taken.parts[NOTE] == [
        Part("text", WORDS),
        Part("picture", PNG, "image.png" if "image.png" in source else ""),
    ]
    assert len(answer(taken).source) < 200


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
    notebook = released()
    note_of(notebook).source = source
    folder = tmp_path / "ann" / NOTED.name
    (folder / path).parent.mkdir(parents=True)
    (folder / f"{NOTED.name}.ipynb").write_text(json.dumps(notebook))
    (folder / path).write_bytes(b"a picture")
    (folder / "other.png").write_bytes(b"nobody names it")
    found = find_file(folder, NOTED.name, tmp_path)
    assert isinstance(found, SubmittedFile)
    assert found.pictures == {path: b"a picture"}
    taken = parse_submission(found, NOTED.name, assignment(NOTED).releases)
    assert isinstance(taken, Submission)
    shown = [part.text for part in taken.parts[NOTE] if part.kind == "picture"]
    assert shown == [base64.b64encode(b"a picture").decode()]
    digest, answers = found.digest, taken.answers[NOTE]
    (folder / path).write_bytes(b"another picture")
    again = find_file(folder, NOTED.name, tmp_path)
    assert isinstance(again, SubmittedFile)
    changed = parse_submission(again, NOTED.name, assignment(NOTED).releases)
    assert isinstance(changed, Submission)
    assert (again.digest != digest, changed.answers[NOTE] != answers) == (True, True)


def test_a_link_beside_the_notebook_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"a secret")
    notebook = released()
    note_of(notebook).source = "![](curve.png) ![](../secret.png) ![](/etc/passwd)"
    folder = tmp_path / "ann" / NOTED.name
    folder.mkdir(parents=True)
    (folder / f"{NOTED.name}.ipynb").write_text(json.dumps(notebook))
    (folder / "curve.png").symlink_to(tmp_path / "secret.png")
    found = find_file(folder, NOTED.name, tmp_path)
    assert isinstance(found, SubmittedFile)
    assert found.pictures == {}
    taken = parse_submission(found, NOTED.name, assignment(NOTED).releases)
    assert isinstance(taken, Submission)
    assert [part.kind for part in taken.parts[NOTE]] == ["missing", "missing", "text"]


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
    notebook = released()
    note_of(notebook).source = f"Before {source} after."
    parts = take(notebook).parts[NOTE]
    assert [part.kind for part in parts] == ["text", "missing", "text"]
    assert parts[1].text == reason


def test_pictures_in_text_next_to_a_note_belong_to_the_note() -> None:
    notebook = released()
    place = at(notebook, NOTE)
    below = new_markdown_cell("![image.png](attachment:image.png)", id="below")
    attached(below)
    notebook.cells.insert(place + 1, below)
    assert [part.kind for part in take(notebook).parts[NOTE]] == ["picture"]
    question = new_markdown_cell("![x](attachment:image.png)", id="far")
    attached(question)
    notebook.cells.insert(2, question)
    taken = take(notebook)
    assert [part.kind for part in taken.parts["extra-3"]] == ["picture"]


def test_a_picture_that_a_split_left_in_the_other_cell_is_found() -> None:
    notebook = released()
    place = at(notebook, NOTE)
    first, second = note_of(notebook), copy.deepcopy(note_of(notebook))
    first.source, second.source, second.id = WORDS, "![image.png](attachment:my%20image.png)", "half"
    attached(first, "my image.png")
    notebook.cells.insert(place + 1, second)
    kinds = [part.kind for part in take(notebook).parts[NOTE]]
    assert kinds == ["text", "picture"]


def test_two_pictures_in_the_halves_of_a_note_are_both_shown() -> None:
    notebook = released()
    first, second = note_of(notebook), copy.deepcopy(note_of(notebook))
    other = picture(20, 30)
    first.source, second.source = (f"![](data:image/png;base64,{data})" for data in (PNG, other))
    second.id = "half"
    notebook.cells.insert(at(notebook, NOTE) + 1, second)
    assert [part.text for part in take(notebook).parts[NOTE]] == [PNG, other]


def test_number_of_pictures_shown_per_submission_is_bounded() -> None:
    notebook = released()
    note_of(notebook).source = f"![](data:image/png;base64,{PNG})\n" * (MAX_PICTURES + 2)
    kinds = [part.kind for part in take(notebook).parts[NOTE]]
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


@pytest.mark.parametrize("place", ["the note", "below the note", "a text of the lesson", "far away"])
def test_large_picture_affects_only_its_own_cell(place: str) -> None:
    source = assignment(NOTED).source
    notebook = with_answers(released(), {task.id: task.answer.source for task in tasks(source)})
    picture_text = f"{WORDS}\n\n![image.png](data:image/png;base64,{'A' * 4_000_000})"
    index = at(notebook, NOTE)
    if place == "the note":
        note_of(notebook).source = picture_text
    elif place == "a text of the lesson":
        notebook.cells[index - 1].source += f"\n\n{picture_text}"
    else:
        cell = new_markdown_cell(picture_text, id="own")
        notebook.cells.insert(index + 1 if place == "below the note" else 2, cell)
    taken = take(notebook)
    assert not taken.unwritten
    shown = [part for parts in taken.parts.values() for part in parts if part.kind == "picture"]
    assert [len(part.text) for part in shown] == [4_000_000]


def test_long_note_is_cut_and_marked_as_cut() -> None:
    notebook = released()
    note_of(notebook).source = "Words. " * 300_000
    parts = take(notebook).parts[NOTE]
    assert (len(parts[0].text), parts[1]) == (MAX_CHARS, Part("cut"))


@pytest.mark.parametrize("language", ["en", "ko"])
def test_code_that_is_too_long_is_left_out_with_a_sentence(language: str) -> None:
    source = assignment(NOTED).source
    solutions = {task.id: task.answer.source for task in tasks(source)}
    notebook = with_answers(released(language), solutions)
    notebook.cells.append(new_code_cell(f'data = "{"x" * 1_200_000}"'))
    notebook.cells.append(new_code_cell("kept = 1"))
    taken = take(notebook)
    number = len(notebook.cells) - 1
    assert taken.notes == [f"left_out:cell {number}"]
    sources = [step.source for step in taken.steps]
    assert "kept = 1" in sources
    assert {solutions[task] for task in solutions if task != NOTE} <= set(sources)
    (left_out,) = [cell.source for cell in taken.notebook.cells if "1,200,0" in cell.source]
    assert left_out.startswith("# This cell was not run" if language == "en" else "# 이 셀은 실행하지")


def test_source_sent_for_many_long_cells_is_bounded() -> None:
    notebook = released()
    notebook.cells += [new_code_cell("#" * 3_000 + str(number)) for number in range(900)]
    taken = take(notebook)
    sent = sum(len(step.source.encode()) + len(step.label) for step in taken.steps)
    assert 900_000 < sent < 1_010_000  # one frame of the wire has room for 1,048,576 bytes


def test_an_answer_that_is_too_long_costs_its_own_task_alone() -> None:
    notebook = released()
    for name in ("accumulate", "all_grads"):
        notebook.cells[at(notebook, name)].source = f"def {name}():\n    pass"
    notebook.cells[at(notebook, "accumulate")].source += f'\n"""{"x" * 1_000_000}"""'
    steps = {step.task: step.source for step in take(notebook).steps if step.task}
    assert steps["accumulate"].startswith("raise MemoryError('This cell was not run")
    assert steps["all_grads"] == "def all_grads():\n    pass"


def repeated(text: str) -> str:
    return text * (6_000_000 // 900 // len(text))


@pytest.mark.parametrize(
    "cell", first_of(["copies of a text", "code of definitions", "code of indents", "text of links"], 1)
)
def test_notebook_of_hostile_cells_is_analysed_in_bounded_time(cell: str) -> None:
    notebook = released()
    question = notebook.cells[at(notebook, NOTE) - 1]
    if cell == "copies of a text":
        text = question.source + ("\n" + "**What did " * 10) * 160
        cells = [NotebookNode({**question, "source": f"{text}{number}"}) for number in range(900)]
    elif cell == "text of links":
        cells = [new_markdown_cell(repeated("![a](data:image/png;base64,AAAA) ")) for _ in range(900)]
    else:
        make = repeated("def a\n" if cell == "code of definitions" else " \n")
        cells = [new_code_cell(make) for _ in range(900)]
    notebook.cells[at(notebook, NOTE) + 1 : at(notebook, NOTE) + 1] = cells
    data = json.dumps(notebook).encode()
    started = time.process_time()
    parse_submission(SubmittedFile("a.ipynb", data, []), NOTED.name, assignment(NOTED).releases)
    assert time.process_time() - started < 4


# --- The cell that counted ----------------------------------------------------------------------------------


def solved(lesson: Any, language: str = "en") -> tuple[NotebookNode, dict[str, str]]:
    source = assignment(lesson).source
    solutions = {task.id: task.answer.source for task in tasks(source)}
    return with_answers(released(language, lesson), solutions), solutions


def test_split_answer_shows_the_cell_that_defines_the_function() -> None:
    lesson = LESSONS[0]
    notebook, solutions = solved(lesson)
    name = next(iter(solutions))
    place = at(notebook, name)
    rest = copy.deepcopy(notebook.cells[place])
    rest.source, rest.id = "# checked by hand: 12.002", "rest"
    notebook.cells.insert(place + 1, rest)
    taken = take(notebook, lesson=lesson)
    assert answer(taken, name).source == taken.answers[name] == solutions[name]
    assert [step.source for step in taken.steps if step.source == rest.source] == [rest.source]


def test_two_answers_merged_into_one_cell_are_shown_for_both_tasks_and_run_once() -> None:
    lesson = LESSONS[0]
    notebook, solutions = solved(lesson)
    first, second = list(solutions)[:2]
    merged = notebook.cells[at(notebook, first)]
    merged.source += f"\n\n\n{solutions[second]}"
    del notebook.cells[at(notebook, second)]
    taken = take(notebook, lesson=lesson)
    assert answer(taken, first).source == answer(taken, second).source == merged.source
    assert [step.source for step in taken.steps].count(merged.source) == 1
    assert [flag for flag in taken.notes if "missing" in flag] == []
    assert not taken.unwritten


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name[:2])
def test_each_answer_is_shown_in_a_notebook_that_lost_its_marks(lesson: Any) -> None:
    notebook, solutions = solved(lesson)
    taken = take(without_marks(notebook), lesson=lesson)
    shown = {grade_id(cell): cell.source for cell in taken.notebook.cells if is_answer(cell)}
    assert {name: source.strip() for name, source in shown.items()} == {
        name: source.strip() for name, source in solutions.items()
    }
    assert not taken.unwritten
    assert [flag for flag in taken.notes if "missing_answer" in flag] == []


def test_a_renamed_function_in_a_notebook_that_lost_its_marks_is_shown() -> None:
    lesson = LESSONS[0]
    notebook, solutions = solved(lesson)
    name = next(iter(solutions))
    cell = notebook.cells[at(notebook, name)]
    cell.source = cell.source.replace(name, "another_name")
    taken = take(without_marks(notebook), lesson=lesson)
    assert answer(taken, name).source == cell.source
    assert f"found_by_place:{name}" in taken.notes


@pytest.mark.parametrize("prefix", ["    ", "\t", ">>> "])
def test_an_indented_definition_counts_as_it_does_in_ipython(prefix: str) -> None:
    lesson = LESSONS[0]
    notebook, solutions = solved(lesson)
    name = next(iter(solutions))
    rest = prefix if prefix.isspace() else "... "
    first, *lines = solutions[name].splitlines()
    source = "\n".join([prefix + first, *(rest + line for line in lines)])
    notebook.cells[at(notebook, name)].source = source
    taken = take(without_marks(notebook), lesson=lesson)
    assert answer(taken, name).source == source


def test_a_lambda_below_the_stub_is_shown() -> None:
    lesson = LESSONS[0]
    notebook = released(lesson=lesson)
    name = next(iter(solved(lesson)[1]))
    notebook.cells.insert(at(notebook, name) + 1, new_code_cell(f"{name} = lambda f, x, h: 0", id="own"))
    taken = take(notebook, lesson=lesson)
    assert answer(taken, name).source == f"{name} = lambda f, x, h: 0"


@pytest.mark.parametrize("magic", ["%%writefile a.py", "%%html", "%%timeit", "%%debug"])
def test_a_definition_that_no_magic_runs_does_not_replace_the_answer(magic: str) -> None:
    lesson = LESSONS[0]
    notebook, solutions = solved(lesson)
    name = next(iter(solutions))
    notebook.cells.append(new_code_cell(f"{magic}\n{solutions[name]}", id="own"))
    taken = take(notebook, lesson=lesson)
    assert answer(taken, name).source == solutions[name]


@pytest.mark.parametrize("lesson", [LESSONS[0], LESSONS[9]], ids=["a function", "a class of all tasks"])
def test_an_answer_that_became_text_is_shown_in_a_lesson_without_a_note(lesson: Any) -> None:
    notebook, solutions = solved(lesson)
    name = next(iter(solutions))
    place = at(notebook, name)
    notebook.cells[place] = new_markdown_cell(solutions[name], id="own")
    taken = take(notebook, lesson=lesson)
    extra = [cell.source for cell in taken.notebook.cells if cell.id.startswith("extra-")]
    assert extra == [solutions[name]]
    merged, solutions = solved(lesson)
    place = at(merged, name)
    merged.cells[place - 1].source += f"\n\n{solutions[name]}"
    del merged.cells[place]
    extra = [
        cell.source for cell in take(merged, lesson=lesson).notebook.cells if cell.id.startswith("extra-")
    ]
    assert len(extra) == 1
    assert solutions[name].splitlines()[0] in extra[0]
