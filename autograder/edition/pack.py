"""`autograder pack`: make the zip of the class edition (the course without answers and hidden tests)."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode, v4

from autograder.course.assignment import built_lessons
from autograder.course.cells import is_answer, is_installer, is_manual
from autograder.course.errors import CourseError
from autograder.course.settings import load_config, problem_address
from autograder.edition.leaks import Secrets
from autograder.edition.wheel import make_wheel, make_zip
from secant.files import replace_file
from secant.lab.workspace import read_if_file, released_files
from secant.language import Language
from secant.where import tried_versions

# The settings file of a class edition. A folder counts as a course only if it contains such a file (see
# secant/where.py). The course's own settings are not packed, because they may name its database.
_SETTINGS = '"""A class\'s edition of Secant: lessons with their visible tests. It grades nothing."""\n'
_MAX_LEAKS = 5  # maximum number of leaks that the error message lists


@dataclass(frozen=True)
class PackedEdition:
    """A zip that was written: its path, the number of lessons in it, and its size in bytes."""

    path: Path
    lessons: int
    bytes: int


def pack(root: Path, languages: Sequence[Language], output: Path) -> PackedEdition:
    """Write the class edition of a course, after searching it for anything that students must not have.

    Args:
        root: the course directory; its lessons must be built.
        languages: the languages of the lessons to pack.
        output: the folder for the zip. The zip's name contains a hash of its contents, and an existing file
            with other contents is never replaced.

    Raises:
        CourseError: a lesson is not released, the zip would contain a secret line, or a file with other
            contents already has the zip's name.
        OSError: the zip cannot be written.
    """
    names = built_lessons(root)
    if not names:
        raise CourseError(f"There is no lesson in {root / 'source'}: run `autograder build`.")
    for language in languages:
        if missing := sorted(set(names) - set(built_lessons(root, f"release/{language}"))):
            raise CourseError(
                f"release/{language} does not hold {', '.join(missing)}: run `autograder build`."
            )
    data = make_edition(root, languages)
    _refuse_leaks(root, data)
    suffix = "both" if len(languages) > 1 else languages[0]
    path = output / f"secant-class-{suffix}-{hashlib.sha256(data).hexdigest()[:8]}.zip"
    if path.exists() and read_if_file(path) != data:
        raise CourseError(f"{path} exists already with other contents: move it, or choose another --output.")
    output.mkdir(parents=True, exist_ok=True)
    replace_file(path, data)
    return PackedEdition(path, len(names), len(data))


def make_edition(root: Path, languages: Sequence[Language]) -> bytes:
    """Return the zip of a class edition.

    The zip contains a README in each language, a wheel of Secant, the lessons and, if the course has it, the
    list of the package versions that Secant was tested with.

    Raises:
        CourseError: a lesson does not contain the address for problem reports that `c.Secant.problems` sets,
            or a file in release/ was not written by the build.
    """
    address = problem_address(load_config(root))
    course = dict(course_files(root, languages))
    for name, data in course.items():
        if address and name.endswith(".ipynb") and json.dumps(address)[1:-1].encode() not in data:
            raise CourseError(f"{name} is older than c.Secant.problems: release the lessons again.")
    wheel, data = make_wheel(course, problems=address)
    files = {wheel: data}
    if "requirements.txt" in course:
        files["requirements.txt"] = course["requirements.txt"]
    for number, language in enumerate(languages):
        name = "README.md" if number == 0 else f"README.{language}.md"
        files[name] = readme(language, wheel, "requirements.txt" in course).encode()
    lessons = {name: data for name, data in course.items() if name.startswith("release/")}
    files |= {f"lessons/{name.removeprefix('release/')}": data for name, data in lessons.items()}
    return make_zip({f"secant-class/{name}": data for name, data in files.items()})


def course_files(root: Path, languages: Sequence[Language]) -> Iterator[tuple[str, bytes]]:
    """Yield the course files for a class: settings, syllabus, tested package versions and released lessons.

    Raises:
        CourseError: a file in a released lesson's folder differs from the one that the build put there.
    """
    yield "nbgrader_config.py", _SETTINGS.encode()
    syllabus, versions = root / "course/syllabus.toml", tried_versions(root)
    yield "course/syllabus.toml", syllabus.read_bytes() if syllabus.is_file() else b""
    if versions.is_file():
        yield "requirements.txt", versions.read_bytes()
    for language in languages:
        for lesson in built_lessons(root):
            folder = root / "release" / language / lesson
            for name in released_files(folder):
                data = (folder / name).read_bytes()
                if name == f"{lesson}.ipynb":
                    data = _strip_installer(folder / name, data, root / "source" / lesson / name)
                else:
                    _refuse_foreign_file(folder / name, data, root / "source" / lesson / name)
                yield f"release/{language}/{lesson}/{name}", data


def _refuse_foreign_file(released: Path, data: bytes, source: Path) -> None:
    """Refuse a file that the build did not copy from the lesson's folder in source/.

    Raises:
        CourseError: the file differs from the one in source/, or source/ has no such file.
    """
    if not (source.is_file() and source.read_bytes() == data):
        raise CourseError(
            f"Nothing was packed: {released} is not what `autograder build` copies from {source.parent}. "
            "Move it elsewhere, or build the lessons again."
        )


def _strip_installer(path: Path, data: bytes, source: Path) -> bytes:
    """Return a released lesson without its first cell, which would install all of Secant, answers included.

    Raises:
        CourseError: the file is not a notebook, contains an answer, or contains an output that the notebook
            in source/ does not contain. The last two errors occur if a student's notebook has replaced
            the file.
    """
    try:
        notebook, source_notebook = v4.reads(data.decode()), v4.reads(source.read_text(encoding="utf-8"))
        is_unanswered = all(
            "NotImplementedError" in cell.source for cell in notebook.cells if _is_code_answer(cell)
        )
        is_clean = is_unanswered and _output_lines(notebook) <= _output_lines(source_notebook)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise CourseError(
            f"Nothing was packed: {path} is not a notebook. Build the lessons again."
        ) from error
    if not is_clean:
        raise CourseError(
            f"Nothing was packed: {path} has answers or outputs that are not in {source}. "
            "Build the lessons again."
        )
    notebook.cells = [cell for cell in notebook.cells if not is_installer(cell)]
    return f"{v4.writes(notebook)}\n".encode()


def _is_code_answer(cell: NotebookNode) -> bool:
    return is_answer(cell) and not is_manual(cell)


def _output_lines(notebook: NotebookNode) -> set[str]:
    """Return the lines of all outputs of a notebook, including pictures and HTML."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    texts = (text for output in outputs for text in _texts(output))
    return {line.strip() for text in texts for line in text.splitlines()}


def _texts(output: NotebookNode) -> Iterator[str]:
    """Yield the parts of an output as strings. Data that is not a string is converted to JSON."""
    yield output.get("text", "")
    yield from output.get("traceback", ())
    yield from (
        data if isinstance(data, str) else json.dumps(data) for data in output.get("data", {}).values()
    )


def readme(language: Language, wheel: str, has_versions: bool) -> str:
    """Return the README for students: how to install and start the edition, check answers and hand them in.

    Args:
        language: the language of the README.
        wheel: the wheel's file name.
        has_versions: whether the zip also contains requirements.txt.
    """
    text = Path(__file__).with_name(f"README.{language}.md").read_text(encoding="utf-8")
    return text.replace("{install}", f"./{wheel}" + (" -c requirements.txt" if has_versions else ""))


def _refuse_leaks(root: Path, archive: bytes) -> None:
    leaks = Secrets(root).leaks(archive)
    if leaks:
        lines = [
            f"{leak.file.strip('/')}: {leak.line.kind} of {leak.line.lesson}: {leak.line.text}"
            for leak in leaks
        ]
        remainder = f"\nand {len(leaks) - _MAX_LEAKS} more" if len(leaks) > _MAX_LEAKS else ""
        raise CourseError(
            "Nothing was packed: it would give this away.\n" + "\n".join(lines[:_MAX_LEAKS]) + remainder
        )
