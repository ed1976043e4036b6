"""A lesson's text, read: the notebook it stands for, its tasks, and the answers kept beside it."""

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
from autograder.course.placeholders import fill, plain, short
from autograder.course.plain import is_plain
from autograder.course.variants import variant
from secant.catalogue import Texts, of_task, read_hints, usual
from secant.language import LANGUAGES, is_language
from secant.where import TRUST, is_course, is_trusted, nearest

#: What a lesson's cell may say about itself. Everything else is a slip of the pen (see rules.py).
CELL_METADATA = frozenset({"en", "lang", "nbgrader", "tags", *HEADER_MARKS})
#: The folders of a lesson whose files a student gets too.
EXTRA_FOLDERS = ("data", "images")
#: How a recorded answer names the course's own answer as the one that it starts from.
OWN = "own"

_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# Not after a #: the line may be switched off. The import has no bracket.
_CALL = re.compile(r"^[^#\n]*\buse_secant\(", re.MULTILINE)
_OF_SO_MANY = re.compile(r"^(Lesson \d+ of) \d+", re.MULTILINE)
# How jupytext remembers the look of the text; it says nothing about the notebook.
_LAYOUT = ("cell_marker", "lines_to_next_cell", "lines_to_end_of_cell_marker", "skipline", "noskipline")


@dataclass(frozen=True)
class Lesson:
    """A folder of course/, named like its text: course/NN_x/NN_x.py."""

    name: str
    folder: Path

    @property
    def root(self) -> Path:
        """The course directory."""
        return self.folder.parent.parent

    @property
    def text(self) -> Path:
        """The lesson as text."""
        return self.folder / f"{self.name}.py"

    @property
    def extra_files(self) -> list[Path]:
        """The files that a student gets beside the notebook, relative to the lesson's folder."""
        found = [p for name in EXTRA_FOLDERS for p in (self.folder / name).rglob("*") if p.is_file()]
        return sorted(p for p in (q.relative_to(self.folder) for q in found) if not _is_by_product(p))


@dataclass(frozen=True)
class Answer:
    """An answer to a task: a right one, or a wrong one with the hint (by language) that it must receive.

    Attributes:
        hint_name: the hint's in a catalogue, if it was recorded by it; where none has it, `hint` is empty.
        line: where it begins in its file.
        points: what a wrong answer earns, of a task that gives partial credit.
    """

    name: str
    task: str
    source: str
    hint: Mapping[str, str] = field(default_factory=dict)
    hint_name: str = ""
    line: int = 1
    points: float = 0.0


def find_root(start: Path) -> Path:
    """Return the course directory that `start` is in.

    Its nbgrader_config.py lies beside course/ or calls use_secant: before the first `autograder add`, a
    nbgrader course has no course/.

    Raises:
        CourseError: there is none, or it belongs to another user.
    """
    found = nearest(start, lambda folder: is_course(folder) or calls_use_secant(folder))
    if found is None:
        raise CourseError(
            f"{start} is not in a course directory: there is no nbgrader_config.py that calls use_secant(c), "
            "and none beside a folder course/."
        )
    if not is_trusted(found):
        raise CourseError(
            f"The course in {found} belongs to another user, and its settings and tests would run as you. "
            f"If you trust it, set {TRUST}={found} and run this again."
        )
    return found


def calls_use_secant(folder: Path) -> bool:
    """Return whether a folder has a nbgrader_config.py that calls use_secant. The file is not run."""
    try:
        settings = (folder / "nbgrader_config.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return _CALL.search(settings) is not None


def find_lessons(root: Path) -> list[Lesson]:
    """Return the lessons of course/, in order."""
    folders = sorted(p for p in (root / "course").glob("[0-9][0-9]_*") if p.is_dir())
    return [Lesson(p.name, p) for p in folders]


def course_languages(root: Path) -> list[str]:
    """Return the languages that a course's lessons are written in: `languages` of course/syllabus.toml.

    The first one is English, from which the others are translated. The default is English and Korean.

    Raises:
        CourseError: the setting is something else.
    """
    file = root / "course" / "syllabus.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except ValueError:  # which the build says, of the lessons that it lists
        table = {}
    said = table.get("languages", list(LANGUAGES))
    names = [str(one) for one in said] if isinstance(said, list) else []
    if names[:1] != ["en"] or not all(map(is_language, names)) or len(set(names)) != len(names):
        raise CourseError(f'{file}: languages is a list like ["en", "ko", "ja"], and begins with "en".')
    return names


def named(language: str) -> str:
    """Return a language's name in English, or else its code."""
    return {"en": "English", "ko": "Korean"}.get(language, f'"{language}"')


def choose_lessons(lessons: list[Lesson], words: list[str]) -> list[Lesson]:
    """Return the lessons that the words mean ("1", "01" or the folder's name); all of them for no word."""
    chosen = [_choose(lessons, word) for word in words]
    return [lesson for lesson in lessons if lesson in chosen] if words else lessons


def _choose(lessons: list[Lesson], word: str) -> Lesson:
    for lesson in lessons:
        if word == lesson.name or (word.isdecimal() and int(word) == int(lesson.name[:2])):
            return lesson
    names = ", ".join(lesson.name for lesson in lessons) or "none yet"
    said = f'There is no lesson "{word}"; the lessons are: {names}.'
    if lessons and is_plain(lessons[0].root, word):
        said += (
            f" {word} is an assignment with ordinary nbgrader tests, which `autograder grade {word}` grades."
        )
    raise CourseError(said)


def text_of(lesson: Lesson) -> str:
    """Return a lesson's text; nothing if it cannot be read."""
    try:
        return lesson.text.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def read_text(path: Path) -> NotebookNode:
    """Read a py:percent text into a notebook. The same text always gives the same notebook, ids included."""
    import jupytext  # which imports half of a Jupyter server: too slow for a command that reads no lesson

    try:
        read = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}.") from error
    except Exception as error:  # jupytext lets YAML's and its own errors through
        raise CourseError(f"{path} is not a py:percent text: {str(error).splitlines()[0]}") from error
    for cell in read.cells:
        for key in _LAYOUT:
            cell.metadata.pop(key, None)
        fill_metadata(cell)
    _name_cells(read.cells)
    notebook: NotebookNode = new_notebook(cells=read.cells, metadata={"kernelspec": dict(_KERNEL)})
    return notebook


def cell_lines(path: Path, count: int) -> list[int]:
    """Return the line of a py:percent text in which each of its cells begins; `count` is how many it has."""
    text = path.read_text(encoding="utf-8").splitlines()
    lines = [number for number, line in enumerate(text, 1) if line.startswith("# %%")]
    return [1] * (count - len(lines)) + lines  # what has no mark stands before the first


def read_lesson(lesson: Lesson, *, marked: bool = False) -> NotebookNode:
    """Read a lesson's text into a notebook, with its placeholders filled.

    Args:
        lesson: the lesson.
        marked: whether what was filled in is marked, as in the notebook that an instructor sees.
    """
    notebook = read_text(lesson.text)
    total = listed_lessons(lesson.root) or len(find_lessons(lesson.root))
    fill(notebook.cells, int(lesson.name[:2]), total)
    _name_cells(notebook.cells)
    for cell in () if marked else notebook.cells:
        cell.source = plain(cell.source)
    return notebook


def listed_lessons(root: Path) -> int | None:
    """Return how many lessons a course's syllabus lists; None if the course has no syllabus."""
    syllabus = root / "course" / "syllabus.toml"
    return syllabus.read_text(encoding="utf-8").count("[[lesson]]") if syllabus.is_file() else None


def _name_cells(cells: list[NotebookNode]) -> None:
    """Give each cell an id that an edit elsewhere in the lesson does not change."""
    seen: Counter[str] = Counter()
    for cell in cells:
        named = re.sub(r"[^A-Za-z0-9_-]", "-", grade_id(cell))[:64]
        name = named or text_id(cell.cell_type, plain(cell.source))
        cell.id = _digest(f"{name} {seen[name]}", 12) if seen[name] else name
        seen[name] += 1


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def english_hash(source: str) -> str:
    """Return what a translated cell stores of its English twin, so that a stale translation is noticed.

    How many lessons there are is no matter of translation.
    """
    return _digest(_OF_SO_MANY.sub(r"\1", short(source).strip()), 8)


def wrong_answers(lesson: Lesson) -> list[Answer]:
    """Return the wrong answers kept beside a lesson, each with the hint that it must receive."""
    return _answers(lesson, "wrong_answers.py", read_hints(lesson.folder))


def right_answers(lesson: Lesson) -> list[Answer]:
    """Return the right answers in another style kept beside a lesson."""
    return _answers(lesson, "right_answers.py")


def _answers(lesson: Lesson, name: str, hints: Mapping[str, Texts] | None = None) -> list[Answer]:
    path = lesson.folder / name
    if not path.is_file():
        return []
    cells = read_text(path).cells
    places = zip(cells, cell_lines(path, len(cells)), strict=True)
    # A cell that says nothing of itself holds what the answers share, such as imports for the linter's eye.
    code = [(cell, line) for cell, line in places if cell.cell_type == "code" and cell.metadata]
    answers = [_answer(cell, line, hints or {}) for cell, line in code]
    return _completed(lesson, path, answers, [str(cell.metadata.get("base", "")) for cell, _ in code])


def _completed(lesson: Lesson, path: Path, answers: list[Answer], bases: list[str]) -> list[Answer]:
    """Complete the answers that are variants of the course's own one, "own", or of one recorded before."""
    known: dict[tuple[str, str], str] = {}
    if OWN in bases:
        cells = read_lesson(lesson).cells
        known = {(grade_id(cell), OWN): cell.source for cell in cells if is_answer(cell)}
    whole = []
    for answer, base in zip(answers, bases, strict=True):
        if base:
            place = f'{path.relative_to(lesson.root)}:{answer.line}, cell "{answer.name}"'
            if (answer.task, base) not in known:
                raise CourseError(f'{place}: no answer "{base}" to {answer.task} stands before it.')
            try:
                source = variant(known[answer.task, base], answer.source)
            except ValueError as error:
                raise CourseError(f'{place}: it cannot start from "{base}": {error}.') from error
            answer = replace(answer, source=source)
        known[answer.task, answer.name] = answer.source
        whole.append(answer)
    return whole


def _answer(cell: NotebookNode, line: int, hints: Mapping[str, Texts]) -> Answer:
    data = cell.metadata
    task = str(data.get("task", ""))
    # By its name in the lesson's catalogue or the kit's; or a part of a message that no catalogue holds.
    name = str(data.get("hint", ""))
    named = {**usual(), **of_task(hints, task)}.get(name)
    said = {language: str(data[language]) for language in ("en", "ko") if data.get(language)}
    if name:
        said = dict(named) if isinstance(named, dict) else {}
        if "en" in said:  # a message gives it where a hint has no other text
            said = dict.fromkeys(LANGUAGES, said["en"]) | said
    return Answer(_title(data), task, cell.source, said, name, line, float(data.get("points", 0)))


def _title(data: Mapping[str, str | None]) -> str:
    """Return the words before the marks; jupytext takes some of them, like .grad or h=0, for marks."""
    words = [data.get("title", ""), data.get("incorrectly_encoded_metadata", "")]
    words += [key for key, value in data.items() if value is None]
    return " ".join(word for word in words if word)


def _is_by_product(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)
