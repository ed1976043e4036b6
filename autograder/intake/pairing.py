"""Pair the submitted cells with the lesson's cells, and choose the cells that answer each task.

- A submitted cell claims a cell of the lesson by its grade_id. If that fails, it claims one by its cell id,
  and if that fails as well, by having the same text.
- The answer to a task is the cell that takes effect when the notebook runs. This is the last code cell,
  anywhere, that defines the task's function or class and is not the released stub. If there is no such cell,
  the first of these that exists is the answer:
  1. the last code cell that assigns a value, such as a lambda, to the task's name;
  2. the last cell that claims the task and is not the stub;
  3. a definition of the function or class in a test cell, if it can be distinguished from the released test;
  4. a code cell where the task's own cell was;
  5. the stub.
- A note is a written answer, graded by hand. It consists of everything that the student wrote in its
  place, from top to bottom: in the note's cell, in copies of it that arise when a cell is split, and in cells
  that the student added (extra_text.py). If all of these are empty, the note is the student's text elsewhere
  in the section, including additions to the lesson's own text.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from textwrap import dedent

from nbformat import NotebookNode

from autograder.course.cells import grade_id, grading, is_answer, is_manual, is_ordinary, is_test
from autograder.intake.extra_text import added_text, additions, in_place_of, in_section_of, is_words
from autograder.intake.notes import join_cells
from autograder.intake.parse import Cell, ParsedNotebook, marks_of, without_data_uris
from autograder.intake.submission import Refused
from secant.language import LANGUAGES, Language, supported_language

_MAX_COMPARED = 3  # maximum number of copies of a lesson's cell that are compared with it
# Minimum length, in characters, of a line that is unlikely to occur in unrelated text by chance.
_DISTINCTIVE_CHARS = 8
_MAX_DEFINITIONS = 50  # maximum number of definitions that are read from one text cell
# Maximum total bytes of all code cells, so that they fit into one message to the sandbox.
MAX_SOURCE_BYTES = 1_000_000
_MAX_INDENTED = 100_000  # maximum length, in characters, of a cell that is dedented
# Matches a cell magic, such as %%bash, that keeps its cell from defining names in the notebook's namespace.
_FOREIGN_MAGIC = re.compile(r"\s*%%(?!(?:time|capture|prun)\b)")


def _definition(before: str, name: str = r"\w+") -> re.Pattern[str]:
    """Return a pattern for a line that begins a definition of a function or class.

    Args:
        before: the pattern of the text before the definition.
        name: the pattern of the name.
    """
    return re.compile(rf"^{before}(?:async[ \t]+def|def|class)[ \t]+({name})\b", re.MULTILINE)


_UNINDENTED, _INDENTED = "(?:>>> )?", "[ \t]+"  # IPython strips >>> prompts from code
_HEAD, _METHOD = _definition(_UNINDENTED), _definition(_INDENTED)
_DEFINITION = _definition("[ \t]*", r"\w{1,100}")


@dataclass(frozen=True)
class Pairing:
    """The lesson's cells, the submitted cells, and the claims that pair them.

    Attributes:
        lesson: the cells of the release.
        cells: the submitted cells.
        claims: the submitted cells that match a cell of the lesson, keyed by the lesson cell's position.
        unclaimed: the submitted cells that match no cell of the lesson.
        added: text by the student that is part of no written answer, including additions to the lesson's
            text.
        answers: the chosen answers, keyed by the position of the lesson's answer cell.
        notes: the cells that make up each written answer, keyed by the position of its cell in the lesson.
        flags: remarks for staff; see `take_in.parse_submission`.
        left_out: the cells that replace code cells that are too long to run, keyed by the cell's number.
    """

    lesson: list[NotebookNode]
    cells: list[Cell]
    claims: dict[int, list[Cell]]
    unclaimed: list[Cell]
    added: list[Cell]
    answers: dict[int, Cell] = field(default_factory=dict)
    notes: dict[int, list[Cell]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    left_out: dict[int, Cell] = field(default_factory=dict)

    @property
    def halves_of_code(self) -> set[int]:
        """The numbers of the code cells that run although they are part of a written answer."""
        split_notes = [cells for cells in self.notes.values() if len(cells) > 1]
        return {cell.number for cells in split_notes for cell in cells if cell.kind == "code"}


def _pair(
    cells: list[Cell], lesson: list[NotebookNode], texts: Collection[str], language: Language
) -> Pairing:
    by_grade_id = {grade_id(cell): index for index, cell in enumerate(lesson) if grade_id(cell)}
    by_id = {cell.get("id"): index for index, cell in enumerate(lesson)}
    by_text = {
        _text_key(cell.cell_type, cell.source): index for index, cell in reversed([*enumerate(lesson)])
    }
    claims: dict[int, list[Cell]] = {index: [] for index in range(len(lesson))}
    unclaimed: list[Cell] = []
    for cell in cells:
        index = by_grade_id.get(cell.grade_id)
        if index is None:
            index = by_id.get(cell.id)
            if index is not None and not grade_id(lesson[index]) and lesson[index].cell_type != cell.kind:
                index = None
        if index is None and cell.source.strip():
            index = by_text.get(_text_key(cell.kind, cell.source))
        (unclaimed if index is None else claims[index]).append(cell)
    added = [*added_text(unclaimed, texts), *_typed_into_text(claims, lesson)]
    pairing = Pairing(lesson, cells, claims, unclaimed, sorted(added, key=lambda cell: cell.number))
    _leave_out_long(pairing, language)
    _choose_answers(pairing, texts)
    _flag(pairing)
    return pairing


def _typed_into_text(claims: Mapping[int, list[Cell]], lesson: list[NotebookNode]) -> list[Cell]:
    """Return the student's additions to the lesson's own text cells."""
    new_cells = (
        additions(cell, lesson[index].source)
        for index, claiming_cells in claims.items()
        for cell in claiming_cells[:_MAX_COMPARED]
        if lesson[index].cell_type == "markdown" and not grade_id(lesson[index])
    )
    return [cell for cell in new_cells if cell is not None]


def _text_key(kind: str, source: str) -> tuple[str, str]:
    return kind, source.strip()


def _choose_answers(pairing: Pairing, texts: Collection[str]) -> None:
    """Choose the cell that answers each task, according to the rules in the module's docstring."""
    code = [
        cell
        for cell in _code_of_students(pairing)
        if cell.number not in pairing.left_out and cell.source.strip() not in texts
    ]
    for index, stub in enumerate(pairing.lesson):
        if not is_answer(stub):
            continue
        if is_manual(stub) and stub.cell_type == "markdown":
            _choose_note(pairing, index)
        else:
            _choose_code(pairing, index, code)


def _choose_note(pairing: Pairing, index: int) -> None:
    note, claims = pairing.lesson[index], pairing.claims[index]
    written_cells = _without_copies([cell for cell in claims if is_written(cell, note)])
    words = [cell for cell in pairing.unclaimed if cell.kind == "code" and is_words(cell.source)]
    cells_in_place = in_place_of(index, pairing.cells, pairing.claims, [*pairing.added, *words])
    answer_cells = sorted([*written_cells, *cells_in_place], key=lambda cell: cell.number)
    if not answer_cells:
        words += _words_in_our_code(pairing)
        added = [*pairing.added, *words]
        answer_cells = in_section_of(index, pairing.lesson, pairing.cells, pairing.claims, added)
    if answer_cells:
        numbers = {cell.number for cell in answer_cells}
        pairing.added[:] = [cell for cell in pairing.added if cell.number not in numbers]
        pairing.notes[index] = [_as_note(cell) for cell in answer_cells]
        is_single = len(answer_cells) == 1 and bool(written_cells)
        pairing.answers[index] = pairing.notes[index][0] if is_single else join_cells(pairing.notes[index])
        if not written_cells:
            pairing.flags.append(f"found_by_place:{grade_id(note)}")
    elif claims:
        pairing.answers[index] = claims[-1]
    else:
        pairing.flags.append(f"missing_answer:{grade_id(note)}")


def _without_copies(cells: list[Cell]) -> list[Cell]:
    """Keep only the last of several cells that have the same text and pictures."""
    unique_cells = {(cell.source.strip(), *sorted(cell.attachments.items())): cell for cell in cells}
    return list(unique_cells.values())


def _words_in_our_code(pairing: Pairing) -> list[Cell]:
    """Return the sentences that a student typed into the lesson's own code cells, such as a plot cell."""
    new_cells = (
        additions(cell, pairing.lesson[index].source)
        for index, claims in pairing.claims.items()
        for cell in claims[:_MAX_COMPARED]
        if is_ordinary(pairing.lesson[index]) and cell.kind == "code"
    )
    return [cell for cell in new_cells if cell is not None and is_words(cell.source)]


def _as_note(cell: Cell) -> Cell:
    """Return a copy of a written answer's cell (text or code) with its data URIs turned into attachments."""
    source, attachments = without_data_uris(cell.source, cell.attachments)
    return replace(cell, source=source, attachments=attachments)


def _choose_code(pairing: Pairing, index: int, code: list[Cell]) -> None:
    """Choose the code cell that answers a task.

    Args:
        pairing: the lesson's and the submitted cells.
        index: the position of the task's answer cell in the lesson.
        code: the code cells that differ from the released ones.
    """
    stub, claims = pairing.lesson[index], pairing.claims[index]
    name = grade_id(stub)
    written_cells = [cell for cell in claims if is_written(cell, stub)]
    short_cells = [cell for cell in written_cells if cell.number not in pairing.left_out]
    claim_numbers = {cell.number for cell in claims}
    other_cells = [cell for cell in code if cell.number not in claim_numbers]
    by_number = {cell.number: cell for cell in (*short_cells, *other_cells)}
    defining_cells = [cell for _, cell in sorted(by_number.items()) if _defines(cell, stub)]
    matching_cells = (
        defining_cells
        or [cell for _, cell in sorted(by_number.items()) if _assigns(cell, name)]
        or written_cells
        or [cell for cell in _typed_into_tests(pairing) if _defines(cell, stub)]
    )
    renamed_cells = [cell for cell in other_cells if _HEAD.search(cell.source)]
    cells_by_place = (
        [] if matching_cells or claims else in_place_of(index, pairing.cells, pairing.claims, renamed_cells)
    )
    candidates = matching_cells or cells_by_place or claims
    if not candidates:
        pairing.flags.append(f"missing_answer:{name}")
        return
    pairing.answers[index] = candidates[-1]
    if cells_by_place:
        pairing.flags.append(f"found_by_place:{name}")
    elif matching_cells and matching_cells[-1] not in written_cells:
        pairing.flags.append(f"found_by_name:{name}")
    if len(defining_cells) > 1:
        pairing.flags.append(f"defined_twice:{name}")


def _code_of_students(pairing: Pairing) -> list[Cell]:
    """Return the code cells that may answer a task, whether or not they match a cell of the lesson."""
    cells = [cell for cell in pairing.unclaimed if cell.kind == "code"]
    for index, claims in pairing.claims.items():
        if not is_test(pairing.lesson[index]):
            cells += [cell for cell in claims if cell.kind == "code"]
    return sorted(cells, key=lambda cell: cell.number)


def _typed_into_tests(pairing: Pairing) -> list[Cell]:
    """Return the code that the student typed into test cells, without the released tests, which never run."""
    cells = []
    for index, test in enumerate(pairing.lesson):
        if is_test(test):
            cells += [
                replace(cell, source=_outside_test(cell.source, test.source))
                for cell in pairing.claims[index]
            ]
    return cells


def _outside_test(source: str, test: str) -> str:
    """Return the code that a submitted test cell contains in addition to the released test.

    If the cell contains only parts of the test, return an empty string, because the student's own code cannot
    be distinguished from them.
    """
    if test.strip() in source:
        return source.replace(test.strip(), "", 1).strip()
    test_lines = {line.strip() for line in test.splitlines() if len(line.strip()) >= _DISTINCTIVE_CHARS}
    return "" if any(line.strip() in test_lines for line in source.splitlines()) else source


def is_written(cell: Cell, stub: NotebookNode) -> bool:
    """Return whether a cell is neither empty nor the released stub.

    A text cell with an attached picture always counts as written.
    """
    has_picture = stub.cell_type == "markdown" and bool(cell.attachments)
    return has_picture or cell.source.strip() not in ("", stub.source.strip())


def _defines(cell: Cell, stub: NotebookNode) -> bool:
    """Return whether a code cell's text defines the function or class of a task.

    If the class in the released stub is not named after the task, as in lesson 10, the class and one of its
    methods must be defined. The text is not parsed, for two reasons. A hostile text can crash Python's
    parser, and with it the process. A cell with magics or a syntax error does not parse, but it is still an
    answer.
    """
    source = cell.source
    if _FOREIGN_MAGIC.match(source):
        return False
    if source[:1] in (" ", "\t") and len(source) <= _MAX_INDENTED:
        source = dedent(source)  # IPython also dedents a cell that begins with an indented line
    if _defines_any(source, _UNINDENTED, [grade_id(stub)]):
        return True
    heads, methods = _HEAD.findall(stub.source), _METHOD.findall(stub.source)
    has_other_name = grade_id(stub) not in heads and bool(methods)
    return has_other_name and _defines_any(source, "", heads) and _defines_any(source, _INDENTED, methods)


def names_defined(stub: NotebookNode) -> list[str]:
    """Return the names of the functions and classes that an answer to a task defines."""
    return [grade_id(stub), *_HEAD.findall(stub.source)]


def _defines_any(source: str, before: str, names: Collection[str]) -> bool:
    """Return whether code defines one of the names.

    Args:
        source: the code.
        before: the pattern of the text before the definition.
        names: the names to look for.
    """
    return bool(names) and bool(_definition(before, "|".join(map(re.escape, names))).search(source))


def _assigns(cell: Cell, name: str) -> bool:
    """Return whether a code cell assigns a value, such as a lambda, to the task's name."""
    return bool(re.search(rf"^{re.escape(name)}[ \t]*(?::[^=\n]*)?=(?!=)", cell.source, re.MULTILINE))


def _flag(pairing: Pairing) -> None:
    """Record remarks for staff about graded cells that the student changed, copied or deleted."""
    for index, cell in enumerate(pairing.lesson):
        name, claims = grade_id(cell), pairing.claims[index]
        if not name:
            continue
        marks = marks_of(grading(cell), cell.metadata)
        changes = {
            "duplicate": len(claims) > 1,
            "missing_test": is_test(cell) and not claims,
            "changed_test": is_test(cell) and any(is_written(claim, cell) for claim in claims),
            "changed_type": any(claim.kind != cell.cell_type for claim in claims),
            "changed_metadata": any(claim.grade_id and claim.marks != marks for claim in claims),
        }
        pairing.flags.extend(f"{word}:{name}" for word, has_changed in changes.items() if has_changed)


def pair_with_release(
    submitted: ParsedNotebook, lesson: str, releases: Mapping[str, NotebookNode]
) -> tuple[str, Pairing]:
    """Pair a submission with the release in its language.

    Args:
        submitted: the submitted notebook.
        lesson: the lesson's name.
        releases: the released notebooks that students received, keyed by language.

    Returns:
        The language of the release, and the pairing.

    Raises:
        Refused: the notebook has no graded cell of the lesson.
    """
    language = submitted.lang if submitted.lang in releases else _language(submitted)
    if language not in releases:
        language = next(iter(releases))
    texts = {cell.source.strip() for release in releases.values() for cell in release.cells}
    pairing = _pair(submitted.cells, releases[language].cells, texts, supported_language(language))
    graded_indexes = [index for index, cell in enumerate(pairing.lesson) if is_answer(cell) or is_test(cell)]
    if not any(index in pairing.answers or pairing.claims[index] for index in graded_indexes):
        raise Refused(
            "wrong_notebook",
            en=f"The notebook has no graded cell of lesson {lesson}. Is it the right file?",
            ko=f"노트북에 {lesson} 수업의 채점 셀이 없습니다. 맞는 파일인지 확인하세요.",
        )
    if not _written_tasks(pairing):
        pairing.flags.append("unchanged")
    return language, pairing


def unwritten(pairing: Pairing) -> frozenset[str]:
    """Return the tasks whose answer is missing, empty, or the released stub."""
    return frozenset(grade_id(cell) for cell in filter(is_answer, pairing.lesson)) - _written_tasks(pairing)


def text_definitions(pairing: Pairing) -> dict[str, int]:
    """Return the functions and classes that text cells define, each with the number of its cell.

    Such a cell was a code cell until the student converted it (with the key M) or merged it with the text
    above it.
    """
    lesson_texts = {cell.source.strip() for cell in pairing.lesson}
    code = {cell.number for cell in pairing.answers.values()}
    return {
        name: cell.number
        for cell in pairing.cells
        if cell.kind != "code" and cell.number not in code and cell.source.strip() not in lesson_texts
        for name in _DEFINITION.findall(cell.source)[:_MAX_DEFINITIONS]
    }


def _written_tasks(pairing: Pairing) -> set[str]:
    answers = pairing.answers.items()
    return {grade_id(pairing.lesson[i]) for i, cell in answers if is_written(cell, pairing.lesson[i])}


def _language(submitted: ParsedNotebook) -> Language:
    for language in LANGUAGES:
        if submitted.lang == language:
            return language
    prose = "".join(cell.source for cell in submitted.cells if cell.kind == "markdown")
    korean = len(re.findall("[가-힣]", prose))
    latin = len(re.findall("[A-Za-z]", prose))
    # Korean prose about code contains many words in Latin letters; English prose contains one Korean word at
    # most. So a small fraction of Korean letters is enough to recognise Korean.
    return "ko" if korean > latin / 5 else "en"


def _leave_out_long(pairing: Pairing, language: Language) -> None:
    """Skip code cells until the remaining ones fit in one message to the sandbox.

    The longest cells are skipped first. Answers are skipped only after all other cells.
    """
    lesson = pairing.lesson
    answer_indexes = [
        index for index, cell in enumerate(lesson) if is_answer(cell) and cell.cell_type == "code"
    ]
    answers = {cell.number for index in answer_indexes for cell in pairing.claims[index]}
    code = [cell for cell in pairing.cells if cell.kind == "code" or cell.number in answers]
    sizes = {cell.number: len(cell.source.encode()) for cell in code}
    total = sum(sizes.values())
    for cell in sorted(code, key=lambda cell: (cell.number in answers, -sizes[cell.number])):
        if total <= MAX_SOURCE_BYTES:
            return
        total -= sizes[cell.number]
        pairing.left_out[cell.number] = replace(
            cell, source=_replacement_code(cell, cell.number in answers, language)
        )
        pairing.flags.append(f"left_out:cell {cell.number}")


def _replacement_code(cell: Cell, is_answer: bool, language: Language) -> str:
    """Return the code that replaces an overlong cell: a comment or, for an answer, a `raise` statement."""
    message = {
        "en": f"This cell was not run: it has {len(cell.source):,} characters, and all code cells together "
        f"may have {MAX_SOURCE_BYTES:,} bytes.",
        "ko": f"이 셀은 실행하지 않았습니다. 글자 수가 {len(cell.source):,}자인데, 코드 셀을 모두 합해 "
        f"{MAX_SOURCE_BYTES:,}바이트까지만 실행합니다.",
    }[language]
    return f"raise MemoryError({message!r})" if is_answer else f"# {message}"
