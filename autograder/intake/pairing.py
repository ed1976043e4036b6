"""Which submitted cell is which cell of the lesson, and which of them answers a task.

- A cell claims a cell of the lesson by its grade_id, or else by its cell id, or else by having its text.
- The answer to a task is the last cell that claims it and holds something other than the released stub;
  nbgrader keeps the last copy too. If there is none, it is the last unclaimed code cell that defines the
  task's function or class; then what was typed into a test cell and defines it, where the released test can
  be told from it; and if there is none either, it is the stub.
- The answer to a note, which a person grades, may also be text that the student added in its place
  (added.py).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from autograder.course.cells import grade_id, grading, is_answer, is_manual, is_test
from autograder.intake.added import added_text, in_place_of, joined
from autograder.intake.parse import Cell, Submitted, marks_of
from autograder.intake.submission import Refused
from secant.language import LANGUAGES, Language

_TELLING = 8  # characters of a line that another text would not have by chance
_DEFINITION = re.compile(r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w{1,100})\b", re.MULTILINE)
_MOST_DEFINITIONS = 50  # of a text cell that are looked at
MAX_CELL_CHARS = 100_000
MAX_SOURCE_BYTES = 1_000_000  # of all cells together, so that they fit one frame of the wire


@dataclass(frozen=True)
class Pairing:
    """The lesson's cells and the submitted ones, and who claims what."""

    lesson: list[NotebookNode]
    cells: list[Cell]
    claims: dict[int, list[Cell]]  # by the lesson cell's position
    unclaimed: list[Cell]
    added: list[Cell]  # text of the student's own that answers no note
    answers: dict[int, Cell]  # the chosen answers, by the position of the lesson's answer cell
    notes: list[str]


def _pair(cells: list[Cell], lesson: list[NotebookNode], texts: Collection[str]) -> Pairing:
    by_grade_id = {grade_id(cell): index for index, cell in enumerate(lesson) if grade_id(cell)}
    by_id = {cell.get("id"): index for index, cell in enumerate(lesson)}
    by_text = {_look(cell.cell_type, cell.source): index for index, cell in reversed([*enumerate(lesson)])}
    claims: dict[int, list[Cell]] = {index: [] for index in range(len(lesson))}
    unclaimed: list[Cell] = []
    for cell in cells:
        index = by_grade_id.get(cell.grade_id)
        if index is None:
            index = by_id.get(cell.id)
            if index is not None and not grade_id(lesson[index]) and lesson[index].cell_type != cell.kind:
                index = None
        if index is None and cell.source.strip():
            index = by_text.get(_look(cell.kind, cell.source))
        (unclaimed if index is None else claims[index]).append(cell)
    pairing = Pairing(lesson, cells, claims, unclaimed, added_text(unclaimed, texts), {}, [])
    _choose_answers(pairing)
    _flag(pairing)
    return pairing


def _look(kind: str, source: str) -> tuple[str, str]:
    return kind, source.strip()


def _choose_answers(pairing: Pairing) -> None:
    """Settle which cell answers each task, by the rule in the module's docstring."""
    for index, stub in enumerate(pairing.lesson):
        if not is_answer(stub):
            continue
        name, claims = grade_id(stub), pairing.claims[index]
        written = [cell for cell in claims if is_written(cell, stub)]
        if not written and _take_text(pairing, index):
            continue
        named = [cell for cell in pairing.unclaimed if _defines(cell, name)]
        named = named or [cell for cell in _typed_into_tests(pairing) if _defines(cell, name)]
        candidates = written or named or claims
        if not candidates:
            pairing.notes.append(f"missing_answer:{name}")
            continue
        pairing.answers[index] = candidates[-1]
        if named and not written:
            pairing.notes.append(f"found_by_name:{name}")
        if len([cell for cell in (*written, *named) if _defines(cell, name)]) > 1:
            pairing.notes.append(f"defined_twice:{name}")


def _take_text(pairing: Pairing, index: int) -> bool:
    """Take the text that was added in a note's place as its answer; whether there is any."""
    note = pairing.lesson[index]
    if not is_manual(note) or note.cell_type != "markdown":
        return False
    found = in_place_of(index, pairing.cells, pairing.claims, pairing.added)
    if found:
        taken = {cell.number for cell in found}
        pairing.added[:] = [cell for cell in pairing.added if cell.number not in taken]
        pairing.answers[index] = joined(found)
        pairing.notes.append(f"found_by_place:{grade_id(note)}")
    return bool(found)


def _typed_into_tests(pairing: Pairing) -> list[Cell]:
    """What the student typed into test cells: of the tests themselves nothing runs."""
    found = []
    for index, ours in enumerate(pairing.lesson):
        if is_test(ours):
            found += [
                replace(cell, source=_beside(cell.source, ours.source)) for cell in pairing.claims[index]
            ]
    return found


def _beside(source: str, test: str) -> str:
    """What a cell holds beside a test that stands in it whole, or not at all; else nothing."""
    if test.strip() in source:
        return source.replace(test.strip(), "", 1).strip()
    kept = {line.strip() for line in test.splitlines() if len(line.strip()) >= _TELLING}
    return "" if any(line.strip() in kept for line in source.splitlines()) else source


def is_written(cell: Cell, stub: NotebookNode) -> bool:
    return cell.source.strip() not in ("", stub.source.strip())


def _defines(cell: Cell, name: str) -> bool:
    """Whether a code cell defines a function or class, by its text.

    The text is not parsed: Python's parser may end the process on a hostile text, and a cell with magics
    or a slip in it does not parse but is an answer all the same.
    """
    pattern = rf"^(?:async[ \t]+def|def|class)[ \t]+{re.escape(name)}\b"
    return cell.kind == "code" and bool(re.search(pattern, cell.source, re.MULTILINE))


def _flag(pairing: Pairing) -> None:
    """Note what was done to graded cells."""
    for index, cell in enumerate(pairing.lesson):
        name, claims = grade_id(cell), pairing.claims[index]
        if not name:
            continue
        marks = marks_of(grading(cell), cell.metadata)
        seen = {
            "duplicate": len(claims) > 1,
            "missing_test": is_test(cell) and not claims,
            "changed_test": is_test(cell) and any(is_written(claim, cell) for claim in claims),
            "changed_type": any(claim.kind != cell.cell_type for claim in claims),
            "changed_metadata": any(claim.grade_id and claim.marks != marks for claim in claims),
        }
        pairing.notes.extend(f"{word}:{name}" for word, is_so in seen.items() if is_so)


def settle(submitted: Submitted, lesson: str, releases: Mapping[str, NotebookNode]) -> tuple[str, Pairing]:
    """Pair a submission with the release in its language."""
    language = submitted.lang if submitted.lang in releases else _language(submitted)
    if language not in releases:
        language = next(iter(releases))
    texts = {cell.source.strip() for release in releases.values() for cell in release.cells}
    pairing = _pair(submitted.cells, releases[language].cells, texts)
    graded = [index for index, cell in enumerate(pairing.lesson) if is_answer(cell) or is_test(cell)]
    if not any(index in pairing.answers or pairing.claims[index] for index in graded):
        raise Refused(
            "wrong_notebook",
            en=f"The notebook has no graded cell of lesson {lesson}. Is it the right file?",
            ko=f"노트북에 {lesson} 수업의 채점 셀이 없습니다. 맞는 파일인지 확인하세요.",
        )
    if not _written(pairing):
        pairing.notes.append("unchanged")
    _refuse_long(pairing)
    return language, pairing


def unwritten(pairing: Pairing) -> frozenset[str]:
    """The tasks whose answer is missing, empty, or the released stub."""
    return frozenset(grade_id(cell) for cell in filter(is_answer, pairing.lesson)) - _written(pairing)


def text_definitions(pairing: Pairing) -> dict[str, int]:
    """Return the functions and classes whose code stands in a text cell, with the cell's number.

    Such a cell was code before somebody pressed M on it, or was merged with the text above it.
    """
    known = {cell.source.strip() for cell in pairing.lesson}
    code = {cell.number for cell in pairing.answers.values()}
    return {
        name: cell.number
        for cell in pairing.cells
        if cell.kind != "code" and cell.number not in code and cell.source.strip() not in known
        for name in _DEFINITION.findall(cell.source)[:_MOST_DEFINITIONS]
    }


def _written(pairing: Pairing) -> set[str]:
    chosen = pairing.answers.items()
    return {grade_id(pairing.lesson[i]) for i, cell in chosen if is_written(cell, pairing.lesson[i])}


def _language(submitted: Submitted) -> Language:
    for language in LANGUAGES:
        if submitted.lang == language:
            return language
    prose = "".join(cell.source for cell in submitted.cells if cell.kind == "markdown")
    korean = len(re.findall("[가-힣]", prose))
    latin = len(re.findall("[A-Za-z]", prose))
    # Korean prose about code is full of Latin words; English prose holds a Korean word at most.
    return "ko" if korean > latin / 5 else "en"


def _refuse_long(pairing: Pairing) -> None:
    """Bound the text that is kept: of code cells and answers."""
    answers = {cell.number: cell for cell in pairing.answers.values() if cell.kind != "code"}
    kept = [
        answers.get(cell.number, cell)
        for cell in pairing.cells
        if cell.kind == "code" or cell.number in answers
    ]
    for cell in kept:
        if len(cell.source) > MAX_CELL_CHARS:
            raise Refused(
                "too_long",
                en=f"Cell {cell.number} is longer than {MAX_CELL_CHARS:,} characters.",
                ko=f"{cell.number}번째 셀이 {MAX_CELL_CHARS:,}자보다 깁니다.",
            )
    if sum(len(cell.source.encode()) for cell in kept) > MAX_SOURCE_BYTES:
        raise Refused(
            "too_long",
            en=f"The code cells together are longer than {MAX_SOURCE_BYTES:,} bytes.",
            ko=f"코드 셀을 모두 합하면 {MAX_SOURCE_BYTES:,}바이트보다 깁니다.",
        )
