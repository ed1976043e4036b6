"""The intake: a submitted path in; a rebuilt notebook, or a plain sentence why there is none, out.

A submitted file is hostile bytes. It is opened without following links, read once within a bound, hashed,
and only that copy is looked at. Of what it says, nothing counts but the text of its cells, their order, and
the marks that tell which cell is which: metadata, tags, outputs, the kernel's name and files beside it
change no point.

Which text is which:

- A cell claims a cell of the lesson by its grade_id, or else by its cell id, or else by having its text.
- The answer to a task is the last cell that claims it and holds something other than the released stub;
  nbgrader keeps the last copy too. If there is none, it is the last unclaimed code cell that defines the
  task's function or class; if there is none either, it is the stub.
- Every other code cell of the student's runs where it stands: extra cells, changed cells of the lesson,
  earlier copies of an answer. So, as in the student's own "Run all", the last definition is graded.
- A stub does not run when an answer was written, and test cells never do.
- The imports of the lesson's own cells run first, always: who deleted that cell loses nothing. Any other
  cell of the lesson that was changed or deleted stays so.

The submission must be one notebook in one folder. Archives are not opened.
"""

import ast
import copy
import hashlib
import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.lesson import grade_id, grading, is_answer, is_test
from secant._language import LANGUAGES, Language, say

MAX_FILE_BYTES = 20_000_000
MAX_BRACKETS = 2_000_000  # an empty list costs thirty times its two bytes once it is parsed
MAX_CELLS = 1_000
MAX_CELL_CHARS = 100_000
MAX_SOURCE_BYTES = 1_000_000  # of all cells together, so that they fit one frame of the wire
MAX_FOLDER_ENTRIES = 1_000

_STUDENT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
# What browsers, editors and file managers add to a name.
# No two parts may match the same characters, or a long name of copies of copies is tried in 2**50 ways.
_COPY_MARK = re.compile(r"(?:[ _-]*(?:copy|복사본)(?:[ _]*\d+)?|\s*\(\d+\))+[ _]*$")
_KINDS = ("code", "markdown", "raw")
_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows has none of these three
_O_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_BINARY = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Rejected:
    """A file that cannot be graded, and what to tell the student."""

    reason: str
    en: str
    ko: str

    @property
    def message(self) -> str:
        """The sentence in the language in use."""
        return say(en=self.en, ko=self.ko)


@dataclass(frozen=True)
class Step:
    """Code to run in the student's process.

    Attributes:
        label: what to call it in a message: `imports`, `cell 7` or `answer grad_square`.
        source: the code, magics included.
        number: its place among the cells of the submitted file, from 1; 0 for the imports.
        task: the task that it answers, or an empty string.
    """

    label: str
    source: str
    number: int
    task: str = ""


@dataclass(frozen=True)
class Submission:
    """A submission that can be graded.

    Attributes:
        steps: the code to run, in order.
        answers: the text of each task's answer that was found, by task id.
        notebook: our cells with the student's answers, extra code cells and order. Its tests are the
            released ones, so nothing hidden is in it.
        language: the language of the submission.
        digest: the SHA-256 of the file's bytes, in hexadecimal.
        file: the name of the file that was read.
        notes: what staff may want to know, such as `changed_test:grad_square`; see `take_in`.
    """

    steps: list[Step]
    answers: dict[str, str]
    notebook: NotebookNode
    language: Language
    digest: str
    file: str
    notes: list[str] = field(default_factory=list)


class _Refused(Exception):
    """Ends the intake with this outcome."""

    def __init__(self, reason: str, *, en: str, ko: str) -> None:
        super().__init__(reason)
        self.outcome = Rejected(reason, en, ko)


def valid_student_id(name: str) -> bool:
    """Whether a student id may name a folder: ASCII letters, digits and `_.@-`, 64 at most.

    Anything else could mean something to a path, a shell, a glob or nbgrader's own names.
    """
    return bool(_STUDENT_ID.fullmatch(name)) and ".." not in name and not name.endswith(".")


def take_in(
    path: Path,
    lesson: str,
    releases: Mapping[Language, NotebookNode],
    root: Path | None = None,
) -> Submission | Rejected:
    """Read a submission.

    In a folder, the notebook is the one called like the lesson. If there is none, it is the one whose name
    differs only as browsers and file managers change names (the last of several, by length and then by
    name), or else the only notebook there is.

    Notes are words, some with the id of the cell they are about: `renamed`, `several_notebooks`,
    `side_files`, `hard_link`, `old_format`, `unchanged` (every answer is the released stub);
    `duplicate:`, `changed_test:`, `missing_test:`, `changed_metadata:`, `changed_type:`, `missing_answer:`,
    `found_by_name:`, `defined_twice:` (several written cells define what the task asks for).

    Args:
        path: the submitted folder, or a notebook file.
        lesson: the lesson's name.
        releases: the released notebook in each language: what the student was given.
        root: a folder above `path` that we made ourselves. Every folder below it must be a real one;
            without it, only `path` itself must.

    Raises:
        OSError: this machine could not read the file, which is not the student's fault.
    """
    path = Path(os.path.abspath(path))
    root = None if root is None else Path(os.path.abspath(root))
    try:
        name, data, notes = _read(path, lesson, root)
        submitted = _parse(data)
        language, pairing = _settle(submitted, lesson, releases)
    except _Refused as refusal:
        return refusal.outcome
    layout = _layout(pairing)
    return Submission(
        steps=_steps(pairing, layout),
        answers={grade_id(pairing.lesson[index]): cell.source for index, cell in pairing.answers.items()},
        notebook=_notebook(releases[language], pairing, layout),
        language=language,
        digest=hashlib.sha256(data).hexdigest(),
        file="".join(c if c.isprintable() else "?" for c in name),
        notes=[*notes, *(["old_format"] if submitted.old_format else []), *pairing.notes],
    )


# --- The file -----------------------------------------------------------------------------------------


def _read(path: Path, lesson: str, root: Path | None) -> tuple[str, bytes, list[str]]:
    """Choose the notebook, and return its name, its bytes and notes."""
    with _folder(path.parent, root) as parent:
        mode = _lstat(parent, path.name).st_mode
        if not stat.S_ISDIR(mode):
            data, notes = _read_file(parent, path.name)
            return path.name, data, notes
    with _folder(path, path.parent if root is None else root) as folder:
        name, notes = _choose(_names(folder), lesson)
        data, more = _read_file(folder, name)
        return name, data, notes + more


@dataclass(frozen=True)
class _Folder:
    """An open folder. The descriptor pins it, so that no name above it can be swapped for a link."""

    path: Path
    descriptor: int | None  # None where the system has no openat: Windows

    def at(self, name: str) -> str:
        return str(self.path / name) if self.descriptor is None else name


@contextmanager
def _folder(path: Path, root: Path | None) -> Iterator[_Folder]:
    """Open a folder; below root, by real folders only."""
    if os.open not in os.supports_dir_fd:
        yield _Folder(path, None)
        return
    parts = path.relative_to(root).parts if root is not None else ()
    descriptor = _open_existing(str(path if root is None else root), os.O_RDONLY | _O_DIRECTORY, None)
    try:
        for part in parts:
            _refuse_link(_lstat(_Folder(path, descriptor), part))
            below = _open_existing(part, os.O_RDONLY | _O_DIRECTORY | _O_NOFOLLOW, descriptor)
            os.close(descriptor)
            descriptor = below
        yield _Folder(path, descriptor)
    finally:
        os.close(descriptor)


def _open_existing(name: str, flags: int, folder: int | None) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        raise _no_notebook() from None


def _no_notebook(lesson: str = "") -> _Refused:
    name = f" {lesson}.ipynb" if lesson else ""
    return _Refused(
        "no_notebook",
        en=f"No notebook{name} was found in what you handed in.",
        ko=f"제출한 폴더에서 노트북{name}을(를) 찾을 수 없습니다.",
    )


def _lstat(folder: _Folder, name: str) -> os.stat_result:
    try:
        return os.stat(folder.at(name), dir_fd=folder.descriptor, follow_symlinks=False)
    except FileNotFoundError:
        raise _no_notebook() from None


def _refuse_link(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _Refused(
            "link",
            en="You handed in a link, not a file. Hand in the notebook itself.",
            ko="파일이 아니라 링크를 제출했습니다. 노트북 파일 자체를 제출하세요.",
        )


def _refuse_special(status: os.stat_result) -> None:
    _refuse_link(status)
    if not stat.S_ISREG(status.st_mode):
        raise _Refused(
            "not_a_file",
            en="What you handed in under the notebook's name is not an ordinary file.",
            ko="노트북 이름으로 제출한 것이 일반 파일이 아닙니다.",
        )


def _names(folder: _Folder) -> list[str]:
    """The names in a folder, sorted; of a huge folder, only some."""
    target = folder.path if folder.descriptor is None else folder.descriptor
    with os.scandir(target) as entries:
        # macOS puts a ._name beside each file it copies; such names are nobody's notebook.
        return sorted(entry.name for entry in islice(entries, MAX_FOLDER_ENTRIES) if entry.name[0] != ".")


def _choose(names: list[str], lesson: str) -> tuple[str, list[str]]:
    """Which file is the notebook, and notes."""
    notebooks = [name for name in names if _stem(name) is not None]
    notes = ["several_notebooks"] if len(notebooks) > 1 else []
    if any(Path(name).suffix for name in {*names} - {*notebooks} - {"timestamp.txt"}):
        notes.append("side_files")
    exact = f"{lesson}.ipynb"
    if exact in names:
        return exact, notes
    alike = [name for name in notebooks if _stem(name) == lesson.casefold()]
    if alike:
        return max(alike, key=lambda name: (len(name), name)), ["renamed", *notes]
    if len(notebooks) == 1:
        return notebooks[0], ["renamed", *notes]
    raise _no_notebook(lesson)


def _stem(name: str) -> str | None:
    """A notebook's name without what programs add to names; None for another kind of file."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    found = re.fullmatch(r"(.*?)\.ipynb(?:\.txt|\.json)?", plain.casefold().strip(), re.DOTALL)
    return _COPY_MARK.sub("", found[1].strip()) if found else None


def _read_file(folder: _Folder, name: str) -> tuple[bytes, list[str]]:
    """The bytes of a regular file, read once, and notes."""
    _refuse_special(_lstat(folder, name))  # so that a device is not even opened
    flags = os.O_RDONLY | _O_NOFOLLOW | _O_NONBLOCK | _BINARY
    try:
        descriptor = _open_existing(folder.at(name), flags, folder.descriptor)
    except OSError:
        # The file became something else after the look above.
        _refuse_special(_lstat(folder, name))
        raise
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _refuse_special(status)
        data = b"" if status.st_size > MAX_FILE_BYTES else file.read(MAX_FILE_BYTES + 1)
    if max(status.st_size, len(data)) > MAX_FILE_BYTES:
        megabytes = MAX_FILE_BYTES // 1_000_000
        raise _Refused(
            "too_large",
            en=f"The file is larger than {megabytes} MB. Clear the outputs, save and hand in again.",
            ko=f"파일이 {megabytes} MB보다 큽니다. 출력을 모두 지우고 저장한 뒤 다시 제출하세요.",
        )
    return data, ["hard_link"] if status.st_nlink > 1 else []


# --- The JSON -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    """A submitted cell, with everything in it of the right type."""

    number: int
    kind: str
    source: str
    id: str
    grade_id: str
    marks: tuple[Any, ...]  # what nbgrader's metadata claim, and whether there are tags


@dataclass(frozen=True)
class _Notebook:
    """A submitted notebook, whatever its format was."""

    cells: list[_Cell]
    lang: str
    old_format: bool


def _parse(data: bytes) -> _Notebook:
    """The cells of a submitted file."""
    document = _json(_decode(data))
    if not isinstance(document, dict):
        raise _not_a_notebook("It holds JSON, but not a notebook.", "JSON이지만 노트북이 아닙니다.")
    raw, old = _raw_cells(document)
    if len(raw) > MAX_CELLS:
        raise _Refused(
            "too_many_cells",
            en=f"The notebook has {len(raw):,} cells; at most {MAX_CELLS:,} can be graded.",
            ko=f"노트북의 셀이 {len(raw):,}개입니다. 최대 {MAX_CELLS:,}개까지 채점할 수 있습니다.",
        )
    cells = [_cell(entry, number) for number, entry in enumerate(raw, 1) if isinstance(entry, dict)]
    return _Notebook(cells, str(_mapping(document.get("metadata")).get("lang", ""))[:8], old)


def _not_a_notebook(en: str, ko: str) -> _Refused:
    return _Refused(
        "not_a_notebook",
        en=f"The file is not a notebook. {en}",
        ko=f"노트북 파일이 아닙니다. {ko}",
    )


def _decode(data: bytes) -> str:
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise _Refused(
            "empty",
            en="The file is empty. Save the notebook and hand it in again.",
            ko="파일이 비어 있습니다. 노트북을 저장한 뒤 다시 제출하세요.",
        )
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        where, byte, name = error.start + 1, f"0x{data[error.start]:02X}", encoding.upper()
        raise _Refused(
            "encoding",
            en=f"The file is not {name} text: byte {where:,} is {byte}. Save it as UTF-8.",
            ko=f"파일이 {name} 텍스트가 아닙니다. {where:,}번째 바이트가 {byte}입니다. UTF-8로 저장하세요.",
        ) from None


def _json(text: str) -> Any:
    too_deep = _Refused(
        "too_deep",
        en="The file is nested far deeper than a notebook is.",
        ko="파일이 노트북이라고 볼 수 없을 만큼 깊이 중첩되어 있습니다.",
    )
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise too_deep
    try:
        return json.loads(text, parse_int=_int, parse_float=_float)
    except RecursionError:
        raise too_deep from None
    except json.JSONDecodeError as error:
        raise _not_a_notebook(
            f"Reading it stopped at line {error.lineno}: the file is cut short or damaged.",
            f"{error.lineno}번째 줄에서 읽기를 멈췄습니다. 파일이 잘렸거나 손상되었습니다.",
        ) from None


def _int(digits: str) -> int:
    # No number that matters is long, and int() refuses more than 4300 digits.
    return int(digits) if len(digits) < 20 else 0


def _float(digits: str) -> float:
    return float(digits) if len(digits) < 40 else 0.0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _raw_cells(document: dict[str, Any]) -> tuple[list[Any], bool]:
    """The list of cells, from format 4 or 3."""
    form = document.get("nbformat")
    if isinstance(form, int | float) and not isinstance(form, bool) and not 3 <= form < 5:
        raise _Refused(
            "format",
            en=f"The notebook is in format {form:.0f}, which cannot be read. Save it with JupyterLab 4.",
            ko=f"읽을 수 없는 노트북 형식({form:.0f})입니다. JupyterLab 4로 저장하세요.",
        )
    if isinstance(document.get("cells"), list):
        return document["cells"], False
    sheets = document.get("worksheets")
    if isinstance(sheets, list):
        lists = [_mapping(sheet).get("cells") for sheet in sheets]
        return [cell for cells in lists if isinstance(cells, list) for cell in cells], True
    raise _not_a_notebook("It has no list of cells.", "셀 목록이 없습니다.")


def _cell(raw: dict[str, Any], number: int) -> _Cell:
    kind = raw.get("cell_type")
    if kind == "heading":  # format 3
        kind = "markdown"
    metadata = _mapping(raw.get("metadata"))
    marks = _mapping(metadata.get("nbgrader"))
    return _Cell(
        number=number,
        kind=kind if kind in _KINDS else "raw",
        source=_text(raw.get("source", raw.get("input"))),  # format 3 says input
        id=_word(raw.get("id")),
        grade_id=_word(marks.get("grade_id")),
        marks=_marks(marks, metadata),
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text(source: Any) -> str:
    """A cell's text with the line ends that Python would read, and without lone surrogates."""
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode("utf-8")


def _marks(marks: Mapping[str, Any], metadata: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a cell says of itself that a student has no reason to change."""
    return (
        *(marks.get(key) for key in ("points", "grade", "solution", "locked")),
        bool(metadata.get("tags")),
    )


# --- Pairing: which submitted cell is which cell of the lesson -----------------------------------------


@dataclass(frozen=True)
class _Pairing:
    """The lesson's cells and the submitted ones, and who claims what."""

    lesson: list[NotebookNode]
    cells: list[_Cell]
    claims: dict[int, list[_Cell]]  # by the lesson cell's position
    unclaimed: list[_Cell]
    answers: dict[int, _Cell]  # the chosen answers, by the position of the lesson's answer cell
    notes: list[str]


def _pair(cells: list[_Cell], lesson: list[NotebookNode]) -> _Pairing:
    by_grade_id = {grade_id(cell): index for index, cell in enumerate(lesson) if grade_id(cell)}
    by_id = {cell.get("id"): index for index, cell in enumerate(lesson)}
    by_text = {_look(cell.cell_type, cell.source): index for index, cell in reversed([*enumerate(lesson)])}
    claims: dict[int, list[_Cell]] = {index: [] for index in range(len(lesson))}
    unclaimed: list[_Cell] = []
    for cell in cells:
        index = by_grade_id.get(cell.grade_id)
        if index is None:
            index = by_id.get(cell.id)
            if index is not None and not grade_id(lesson[index]) and lesson[index].cell_type != cell.kind:
                index = None
        if index is None and cell.source.strip():
            index = by_text.get(_look(cell.kind, cell.source))
        (unclaimed if index is None else claims[index]).append(cell)
    pairing = _Pairing(lesson, cells, claims, unclaimed, {}, [])
    _choose_answers(pairing)
    _flag(pairing)
    return pairing


def _look(kind: str, source: str) -> tuple[str, str]:
    return kind, source.strip()


def _choose_answers(pairing: _Pairing) -> None:
    """Settle which cell answers each task, by the rule in the module's docstring."""
    for index, stub in enumerate(pairing.lesson):
        if not is_answer(stub):
            continue
        name, claims = grade_id(stub), pairing.claims[index]
        written = [cell for cell in claims if _is_written(cell, stub)]
        named = [cell for cell in pairing.unclaimed if _defines(cell, name)]
        candidates = written or named or claims
        if not candidates:
            pairing.notes.append(f"missing_answer:{name}")
            continue
        pairing.answers[index] = candidates[-1]
        if named and not written:
            pairing.notes.append(f"found_by_name:{name}")
        if len([cell for cell in (*written, *named) if _defines(cell, name)]) > 1:
            pairing.notes.append(f"defined_twice:{name}")


def _is_written(cell: _Cell, stub: NotebookNode) -> bool:
    return cell.source.strip() not in ("", stub.source.strip())


def _defines(cell: _Cell, name: str) -> bool:
    """Whether a code cell defines a function or class, by its text.

    The text is not parsed: Python's parser may end the process on a hostile text, and a cell with magics
    or a slip in it does not parse but is an answer all the same.
    """
    pattern = rf"^(?:async[ \t]+def|def|class)[ \t]+{re.escape(name)}\b"
    return cell.kind == "code" and bool(re.search(pattern, cell.source, re.MULTILINE))


def _flag(pairing: _Pairing) -> None:
    """Note what was done to graded cells."""
    for index, cell in enumerate(pairing.lesson):
        name, claims = grade_id(cell), pairing.claims[index]
        if not name:
            continue
        marks = _marks(grading(cell), cell.metadata)
        seen = {
            "duplicate": len(claims) > 1,
            "missing_test": is_test(cell) and not claims,
            "changed_test": is_test(cell) and any(_is_written(claim, cell) for claim in claims),
            "changed_type": any(claim.kind != cell.cell_type for claim in claims),
            "changed_metadata": any(claim.grade_id and claim.marks != marks for claim in claims),
        }
        pairing.notes.extend(f"{word}:{name}" for word, is_so in seen.items() if is_so)


# --- Rebuilding ---------------------------------------------------------------------------------------


def _settle(
    submitted: _Notebook, lesson: str, releases: Mapping[Language, NotebookNode]
) -> tuple[Language, _Pairing]:
    """Pair a submission with the release in its language."""
    language = _language(submitted)
    if language not in releases:
        language = next(iter(releases))
    pairing = _pair(submitted.cells, releases[language].cells)
    graded = [index for index, cell in enumerate(pairing.lesson) if is_answer(cell) or is_test(cell)]
    if not any(index in pairing.answers or pairing.claims[index] for index in graded):
        raise _Refused(
            "wrong_notebook",
            en=f"The notebook has no graded cell of lesson {lesson}. Is it the right file?",
            ko=f"노트북에 {lesson} 단원의 채점 셀이 없습니다. 맞는 파일인지 확인하세요.",
        )
    if not any(_is_written(cell, pairing.lesson[index]) for index, cell in pairing.answers.items()):
        pairing.notes.append("unchanged")
    _refuse_long(pairing)
    return language, pairing


def _language(submitted: _Notebook) -> Language:
    for language in LANGUAGES:
        if submitted.lang == language:
            return language
    prose = "".join(cell.source for cell in submitted.cells if cell.kind == "markdown")
    korean = len(re.findall("[가-힣]", prose))
    latin = len(re.findall("[A-Za-z]", prose))
    # Korean prose about code is full of Latin words; English prose holds a Korean word at most.
    return "ko" if korean > latin / 5 else "en"


def _refuse_long(pairing: _Pairing) -> None:
    """Bound the text that is kept: of code cells and answers."""
    answers = {cell.number for cell in pairing.answers.values()}
    kept = [cell for cell in pairing.cells if cell.kind == "code" or cell.number in answers]
    for cell in kept:
        if len(cell.source) > MAX_CELL_CHARS:
            raise _Refused(
                "too_long",
                en=f"Cell {cell.number} is longer than {MAX_CELL_CHARS:,} characters.",
                ko=f"{cell.number}번째 셀이 {MAX_CELL_CHARS:,}자보다 깁니다.",
            )
    if sum(len(cell.source.encode()) for cell in kept) > MAX_SOURCE_BYTES:
        raise _Refused(
            "too_long",
            en=f"The code cells together are longer than {MAX_SOURCE_BYTES:,} bytes.",
            ko=f"코드 셀을 모두 합하면 {MAX_SOURCE_BYTES:,}바이트보다 깁니다.",
        )


def _layout(pairing: _Pairing) -> list[tuple[_Cell, int | None]]:
    """The submitted cells that are kept, each with the position of the lesson cell that it stands for.

    None marks an extra code cell. Left out are stubs beside an answer, copies of tests, and other prose.
    """
    stands_for = {cell.number: index for index, cell in reversed(pairing.answers.items())}
    dropped = set()
    for index, claims in pairing.claims.items():
        lesson_cell = pairing.lesson[index]
        if is_answer(lesson_cell):
            dropped |= {cell.number for cell in claims if not _is_written(cell, lesson_cell)}
        elif claims:
            stands_for[claims[0].number] = index
            dropped |= {cell.number for cell in claims if is_test(lesson_cell)}
    kept: list[tuple[_Cell, int | None]] = []
    for cell in pairing.cells:
        place = stands_for.get(cell.number)
        if place is not None or (cell.kind == "code" and cell.number not in dropped):
            kept.append((cell, place))
    return kept


def _steps(pairing: _Pairing, layout: list[tuple[_Cell, int | None]]) -> list[Step]:
    steps = [Step("imports", _imports(pairing.lesson), 0)]
    for cell, index in layout:
        ours = None if index is None else pairing.lesson[index]
        if not cell.source.strip() or (ours is not None and (is_test(ours) or ours.cell_type != "code")):
            continue
        task = grade_id(ours) if ours is not None and is_answer(ours) else ""
        steps.append(
            Step(f"answer {task}" if task else f"cell {cell.number}", cell.source, cell.number, task)
        )
    return steps


def _imports(lesson: list[NotebookNode]) -> str:
    """The import statements of the lesson's own code cells, each once."""
    lines: dict[str, None] = {}
    for cell in lesson:
        if cell.cell_type == "code" and not grade_id(cell):
            with suppress(SyntaxError):  # a cell with magics
                statements = ast.parse(cell.source).body
                lines |= {
                    ast.unparse(s): None for s in statements if isinstance(s, ast.Import | ast.ImportFrom)
                }
    return "\n".join(lines)


def _notebook(
    release: NotebookNode, pairing: _Pairing, layout: list[tuple[_Cell, int | None]]
) -> NotebookNode:
    """The lesson's notebook in the student's order, with the student's answers and code."""
    cells: list[NotebookNode] = []
    places: dict[int, NotebookNode] = {}
    for cell, index in layout:
        if index is None:
            cells.append(new_code_cell(cell.source, id=f"extra-{cell.number}"))
        else:
            places[index] = _our_cell(pairing.lesson[index], cell.source)
            cells.append(places[index])
    for index, ours in enumerate(pairing.lesson):
        if index not in places:  # what is missing goes behind the cell that it follows in the lesson
            places[index] = _our_cell(ours, ours.source)
            before = next((i for i, cell in enumerate(cells) if cell is places.get(index - 1)), -1)
            cells.insert(before + 1, places[index])
    return NotebookNode({**release, "metadata": copy.deepcopy(release.metadata), "cells": cells})


def _our_cell(ours: NotebookNode, source: str) -> NotebookNode:
    """A copy of a lesson's cell, with this source if it is the student's to write."""
    cell = copy.deepcopy(ours)
    if is_answer(cell) or (cell.cell_type == "code" and not is_test(cell)):
        cell.source = source
    return cell
