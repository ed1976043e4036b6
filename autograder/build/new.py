"""Write a new lesson for an author to start from: small, complete and correct, in English and Korean."""

import re
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson, english_hash, find_lessons

_NAME = re.compile(r"(?P<number>\d\d)_[a-z0-9_]+")
_TEMPLATE = Path(__file__).parent / "template"
#: The file names in a lesson's folder, keyed by the template that each file is made from.
_FILES = {
    "lesson.txt": "{name}.py",
    "hints.txt": "hints.toml",
    "right.txt": "right_answers.py",
    "wrong.txt": "wrong_answers.py",
    "solutions.txt": "solutions.py",
}


def new_lesson(root: Path, name: str) -> Lesson:
    """Write the folder of a new lesson with two tasks, an explorer, hints, recorded answers and solutions.

    Args:
        root: the course directory.
        name: the name of the folder, like "11_my_lesson".

    Raises:
        CourseError: the name is not valid, its number is taken, or there is no folder course/ or no template.
    """
    match = _NAME.fullmatch(name)
    if not match:
        raise CourseError(f'"{name}" is not a valid lesson name. A valid name is, for example, 11_my_lesson.')
    if not (root / "course").is_dir():
        raise CourseError(f"{root} has no folder course/. Write lessons in a copy of Secant's repository.")
    if not _TEMPLATE.is_dir():
        raise CourseError("A class's edition holds no template: write lessons in a copy of the repository.")
    existing = [lesson for lesson in find_lessons(root) if lesson.name[:2] == match["number"]]
    if existing:
        raise CourseError(
            f"Lesson {match['number']} exists already: {existing[0].folder}. Choose another number."
        )
    lesson = Lesson(name, root / "course" / name)
    lesson.folder.mkdir()
    marks = {"N": str(int(match["number"])), "TITLE": _title(name)}
    for template, file in _FILES.items():
        path = lesson.folder / file.format(name=name)
        path.write_text(_fill_template(template, marks), encoding="utf-8")
    return lesson


def _title(name: str) -> str:
    words = name.partition("_")[2].replace("_", " ")
    return words[:1].upper() + words[1:]


def _fill_template(template: str, marks: dict[str, str]) -> str:
    """Fill in a template's placeholders, including the hash of the English text in each Korean cell."""
    text = (_TEMPLATE / template).read_text(encoding="utf-8")
    for mark, value in marks.items():
        text = text.replace(f"@{mark}@", value)
    cells = re.split(r"(?m)^(?=# %%)", text)
    for before, index in zip(cells, range(1, len(cells)), strict=False):
        english = re.search(r'r"""\n(.*?)\n"""', before, re.DOTALL)
        if english:
            cells[index] = cells[index].replace("@HASH@", english_hash(english[1]))
    return "".join(cells)
