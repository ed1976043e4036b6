"""Read a lesson's source text as a notebook, and the recorded answers stored with it."""

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from autograder.course.cells import HEADER_MARKS, fill_metadata, grade_id, is_answer, text_id
from autograder.course.errors import CourseError
from autograder.course.placeholders import fill, with_placeholders, without_spans
from autograder.course.plain import is_plain
from autograder.course.variants import variant
from secant.catalogue import Texts, of_task, read_hints, shared_hints
from secant.language import LANGUAGES, is_language
from secant.where import TRUST, is_course, is_trusted, nearest

#: The metadata keys that a cell in a lesson's source may have. rules.py reports any other key as a mistake.
CELL_METADATA = frozenset({"en", "lang", "nbgrader", "tags", *HEADER_MARKS})
#: The folders of a lesson whose files are released to students together with the notebook.
EXTRA_FOLDERS = ("data", "images")
#: The value of `base` in the header of a recorded answer that consists of changes to the course's own answer.
OWN = "own"

_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# Matches a call to use_secant that is not commented out. It does not match an import, because the name is not
# followed by a parenthesis there.
_CALL = re.compile(r"^[^#\n]*\buse_secant\(", re.MULTILINE)
_LESSON_COUNT = re.compile(r"^(Lesson \d+ of) \d+", re.MULTILINE)
# Metadata in which jupytext records the layout of a py:percent file. It is removed, because it does not
# describe the notebook.
_LAYOUT = ("cell_marker", "lines_to_next_cell", "lines_to_end_of_cell_marker", "skipline", "noskipline")


@dataclass(frozen=True)
class Lesson:
    """A lesson's folder in course/. It contains the lesson's text, course/NN_x/NN_x.py."""

    name: str
    folder: Path

    @property
    def root(self) -> Path:
        """The course directory."""
        return self.folder.parent.parent

    @property
    def text(self) -> Path:
        """The path of the lesson's py:percent file."""
        return self.folder / f"{self.name}.py"

    @property
    def extra_files(self) -> list[Path]:
        """The paths of the files released with the notebook, relative to the lesson's folder."""
        files = [p for name in EXTRA_FOLDERS for p in (self.folder / name).rglob("*") if p.is_file()]
        return sorted(p for p in (q.relative_to(self.folder) for q in files) if not _is_by_product(p))


@dataclass(frozen=True)
class Answer:
    """A recorded answer to a task: a correct one, or a wrong one with the hint that it must receive.

    Attributes:
        name: the title of the answer.
        task: the task's id.
        source: the answer's code.
        hint: the text of the hint, keyed by language; empty for a correct answer.
        hint_name: the hint's name in a catalogue, if the answer refers to the hint by name. If no catalogue
            contains this name, `hint` is empty.
        line: the line at which the answer begins in its file.
        points: the points that a wrong answer earns in a task with partial credit.
    """

    name: str
    task: str
    source: str
    hint: Mapping[str, str] = field(default_factory=dict)
    hint_name: str = ""
    line: int = 1
    points: float = 0.0


def find_root(start: Path) -> Path:
    """Return the course directory that contains `start`.

    This is the nearest folder that contains a folder course/ and an nbgrader_config.py, or only an
    nbgrader_config.py that calls use_secant. An nbgrader course has no folder course/ before its first
    `autograder add`.

    Raises:
        CourseError: there is no course directory, or it belongs to another user.
    """
    root = nearest(start, lambda folder: is_course(folder) or calls_use_secant(folder))
    if root is None:
        raise CourseError(
            f"{start} is not in a course directory: there is no nbgrader_config.py that calls use_secant(c), "
            "and none beside a folder course/."
        )
    if not is_trusted(root):
        raise CourseError(
            f"The course in {root} belongs to another user, and its settings and tests would run as you. "
            f"If you trust it, set {TRUST}={root} and run this again."
        )
    return root


def calls_use_secant(folder: Path) -> bool:
    """Return whether a folder's nbgrader_config.py calls use_secant. The file is searched but not run."""
    try:
        settings = (folder / "nbgrader_config.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return _CALL.search(settings) is not None


def find_lessons(root: Path) -> list[Lesson]:
    """Return the lessons in course/, sorted by name."""
    folders = sorted(p for p in (root / "course").glob("[0-9][0-9]_*") if p.is_dir())
    return [Lesson(p.name, p) for p in folders]


def course_languages(root: Path) -> list[str]:
    """Return the languages of a course's lessons, as listed by `languages` in course/syllabus.toml.

    The first language is English, from which the others are translated. The default is English and Korean.

    Raises:
        CourseError: the setting is not a list of distinct language codes that begins with "en".
    """
    file = root / "course" / "syllabus.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except ValueError:  # an invalid syllabus.toml is ignored here, because the build reports it
        table = {}
    setting = table.get("languages", list(LANGUAGES))
    names = [str(name) for name in setting] if isinstance(setting, list) else []
    if names[:1] != ["en"] or not all(map(is_language, names)) or len(set(names)) != len(names):
        raise CourseError(f'{file}: languages is a list like ["en", "ko", "ja"], and begins with "en".')
    return names


def language_name(language: str) -> str:
    """Return "English" or "Korean", or the code of any other language in quotation marks."""
    return {"en": "English", "ko": "Korean"}.get(language, f'"{language}"')


def choose_lessons(lessons: list[Lesson], words: list[str]) -> list[Lesson]:
    """Return the lessons that `words` selects. If `words` is empty, all lessons are selected.

    A word is a lesson's number ("1" or "01") or its folder's name.
    """
    chosen_lessons = [_choose(lessons, word) for word in words]
    return [lesson for lesson in lessons if lesson in chosen_lessons] if words else lessons


def _choose(lessons: list[Lesson], word: str) -> Lesson:
    for lesson in lessons:
        if word == lesson.name or (word.isdecimal() and int(word) == int(lesson.name[:2])):
            return lesson
    names = ", ".join(lesson.name for lesson in lessons) or "none yet"
    message = f'There is no lesson "{word}"; the lessons are: {names}.'
    if lessons and is_plain(lessons[0].root, word):
        message += (
            f" {word} is an assignment with ordinary nbgrader tests, which `autograder grade {word}` grades."
        )
    raise CourseError(message)


def lesson_text(lesson: Lesson) -> str:
    """Return a lesson's text, or an empty string if it cannot be read."""
    try:
        return lesson.text.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def read_text(path: Path) -> NotebookNode:
    """Read a py:percent file into a notebook. Files with the same text give the same notebook and cell ids.

    Raises:
        CourseError: the file cannot be read or is not a py:percent file.
    """
    import jupytext  # imported here because it is slow: it imports half of a Jupyter server

    try:
        document = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}.") from error
    except Exception as error:  # jupytext raises errors of many types, YAML's included
        raise CourseError(f"{path} is not a py:percent text: {str(error).splitlines()[0]}") from error
    for cell in document.cells:
        for key in _LAYOUT:
            cell.metadata.pop(key, None)
        fill_metadata(cell)
    _name_cells(document.cells)
    notebook: NotebookNode = new_notebook(cells=document.cells, metadata={"kernelspec": dict(_KERNEL)})
    return notebook


def cell_lines(path: Path, count: int) -> list[int]:
    """Return the number of the line at which each cell of a py:percent file begins.

    Args:
        path: the file.
        count: the number of cells in the file.
    """
    text = path.read_text(encoding="utf-8").splitlines()
    lines = [number for number, line in enumerate(text, 1) if line.startswith("# %%")]
    return [1] * (count - len(lines)) + lines  # text before the first cell marker is also a cell


def read_lesson(lesson: Lesson, *, mark_values: bool = False) -> NotebookNode:
    """Read a lesson's source text into a notebook, with its placeholders filled in.

    Args:
        lesson: the lesson.
        mark_values: whether to mark the filled-in values, as in the instructor's notebook.
    """
    notebook = read_text(lesson.text)
    total = syllabus_lesson_count(lesson.root) or len(find_lessons(lesson.root))
    fill(notebook.cells, int(lesson.name[:2]), total)
    _name_cells(notebook.cells)
    for cell in () if mark_values else notebook.cells:
        cell.source = without_spans(cell.source)
    return notebook


def syllabus_lesson_count(root: Path) -> int | None:
    """Return the number of lessons in a course's syllabus; None if the course has no syllabus."""
    syllabus = root / "course" / "syllabus.toml"
    return syllabus.read_text(encoding="utf-8").count("[[lesson]]") if syllabus.is_file() else None


def _name_cells(cells: list[NotebookNode]) -> None:
    """Give each cell an id that stays the same when other cells of the lesson are edited."""
    name_counts: Counter[str] = Counter()
    for cell in cells:
        graded_id = re.sub(r"[^A-Za-z0-9_-]", "-", grade_id(cell))[:64]
        name = graded_id or text_id(cell.cell_type, without_spans(cell.source))
        cell.id = _digest(f"{name} {name_counts[name]}", 12) if name_counts[name] else name
        name_counts[name] += 1


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def english_hash(source: str) -> str:
    """Return the hash of an English cell. Its translations store the hash, so that stale ones are detected.

    The lesson count ("of 10") is removed before hashing, so that a new lesson makes no translation stale.
    """
    return _digest(_LESSON_COUNT.sub(r"\1", with_placeholders(source).strip()), 8)


def wrong_answers(lesson: Lesson) -> list[Answer]:
    """Return a lesson's recorded wrong answers, each with the hint that it must receive."""
    return _answers(lesson, "wrong_answers.py", read_hints(lesson.folder))


def right_answers(lesson: Lesson) -> list[Answer]:
    """Return a lesson's recorded correct answers. They differ in style from the course's own answers."""
    return _answers(lesson, "right_answers.py")


def _answers(lesson: Lesson, name: str, hints: Mapping[str, Texts] | None = None) -> list[Answer]:
    path = lesson.folder / name
    if not path.is_file():
        return []
    cells = read_text(path).cells
    cells_with_lines = zip(cells, cell_lines(path, len(cells)), strict=True)
    # A cell without metadata is not an answer. It holds code shared by the answers, such as imports for the
    # linter.
    code = [(cell, line) for cell, line in cells_with_lines if cell.cell_type == "code" and cell.metadata]
    answers = [_answer(cell, line, hints or {}) for cell, line in code]
    return _complete(lesson, path, answers, [str(cell.metadata.get("base", "")) for cell, _ in code])


def _complete(lesson: Lesson, path: Path, answers: list[Answer], bases: list[str]) -> list[Answer]:
    """Complete the answers that contain only changes to a base.

    The base is the course's own answer or an earlier recorded answer, and is named in `bases`.

    Raises:
        CourseError: there is no earlier answer with the base's name, or the changes cannot be applied to it.
    """
    sources: dict[tuple[str, str], str] = {}
    if OWN in bases:
        cells = read_lesson(lesson).cells
        sources = {(grade_id(cell), OWN): cell.source for cell in cells if is_answer(cell)}
    completed_answers = []
    for answer, base in zip(answers, bases, strict=True):
        if base:
            location = f'{path.relative_to(lesson.root)}:{answer.line}, cell "{answer.name}"'
            if (answer.task, base) not in sources:
                raise CourseError(f'{location}: no answer "{base}" to {answer.task} stands before it.')
            try:
                source = variant(sources[answer.task, base], answer.source)
            except ValueError as error:
                raise CourseError(f'{location}: it cannot start from "{base}": {error}.') from error
            answer = replace(answer, source=source)
        sources[answer.task, answer.name] = answer.source
        completed_answers.append(answer)
    return completed_answers


def _answer(cell: NotebookNode, line: int, hints: Mapping[str, Texts]) -> Answer:
    data = cell.metadata
    task = str(data.get("task", ""))
    # An answer refers to a hint by its name in the lesson's catalogue or in the catalogue of all lessons. If
    # neither catalogue contains the hint, the answer quotes a part of the hint's text instead.
    name = str(data.get("hint", ""))
    texts = {**shared_hints(), **of_task(hints, task)}.get(name)
    hint = {language: str(data[language]) for language in ("en", "ko") if data.get(language)}
    if name:
        hint = dict(texts) if isinstance(texts, dict) else {}
        # If the hint has no translation, its English text is expected in every language.
        if "en" in hint:
            hint = dict.fromkeys(LANGUAGES, hint["en"]) | hint
    return Answer(_title(data), task, cell.source, hint, name, line, float(data.get("points", 0)))


def _title(data: Mapping[str, str | None]) -> str:
    """Return an answer's title, including words such as .grad or h=0 that jupytext takes for metadata."""
    words = [data.get("title", ""), data.get("incorrectly_encoded_metadata", "")]
    words += [key for key, value in data.items() if value is None]
    return " ".join(word for word in words if word)


def _is_by_product(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)
