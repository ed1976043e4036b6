"""Tests of the lessons' content.

Each lesson runs without warnings, shows the results of its sources, and uses one word for each idea.
"""

import contextlib
import copy
import itertools
import re
import statistics
import tomllib
from dataclasses import dataclass

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

import secant
from autograder.course.cells import is_test, split_tests, tasks
from autograder.course.lesson import Lesson
from autograder.course.minutes import minutes
from autograder.course.solutions import worked_solutions
from secant.language import LANGUAGES
from tests.support.lessons import LESSONS, ROOT, source

#: Suffixes of the files whose words are checked. CHANGELOG.md is left out, because it describes the past.
_OF_WORDS = {".py", ".md", ".toml", ".js"}

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


@dataclass(frozen=True)
class Item:
    """A row of docs/sources.md.

    Attributes:
        name: the item of the source.
        lesson: the number of the lesson that uses the item.
        cell: a piece of the cell's text, which identifies the cell.
        shows: what the cell prints, in backquotes; "a picture" if the cell draws one; or "".
    """

    name: str
    lesson: int
    cell: str
    shows: str

    def missing(self, notebook: NotebookNode) -> str:
        """Return a sentence about what an executed lesson does not show of this item, or ""."""
        cells = [cell for cell in notebook.cells if self.cell in flat(cell.source)]
        if not cells:
            return f"{self.name}: no cell holds {self.cell}"
        if self.shows == "a picture":
            return "" if any(map(draws, cells)) else f"{self.name}: no picture"
        shown = [flat(printed(cell)) for cell in cells]
        lacks = [text for text in in_code(self.shows) if not any(text in one for one in shown)]
        return f"{self.name}: {lacks} not in {shown}" if lacks else ""


def sources() -> list[Item]:
    """Return the rows of docs/sources.md, which list where the course uses each item of its sources."""
    lines = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if re.match(r"\| .* \| \d+ \| ", line)]
    return [Item(row[0], int(row[1]), in_code(row[2])[0], "".join(row[3:])) for row in rows]


def in_code(text: str) -> list[str]:
    """Return the pieces of a Markdown text that are code, with single spaces."""
    return [flat(code) for _, code in re.findall(r"(`+)(.+?)(?<!`)\1(?!`)", text)]


def flat(text: str) -> str:
    return " ".join(text.split())


def printed(cell: NotebookNode) -> str:
    outputs = cell.get("outputs", [])
    return "".join(one.get("text", "") or one.get("data", {}).get("text/plain", "") for one in outputs)


def draws(cell: NotebookNode) -> bool:
    """Return whether a cell's output contains a picture: an image, or HTML with an image in it."""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    html = "".join("".join(data.get("text/html", "")) for data in shown)
    drawn = {"image/png", "image/svg+xml"} & {kind for data in shown for kind in data}
    return bool(drawn) or "<svg" in html or "<img" in html


def run(lesson: Lesson) -> NotebookNode:
    """Run all cells of a lesson with warnings as errors, and return the executed notebook."""
    notebook = copy.deepcopy(source(lesson))
    strict = nbformat.v4.new_code_cell("import warnings\nwarnings.simplefilter('error')")
    notebook.cells.insert(0, strict)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    return notebook


@pytest.mark.whole
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
@pytest.mark.usefixtures("quick_kernels")
def test_lesson_runs_and_shows_the_results_of_its_sources(lesson: Lesson) -> None:
    notebook = run(lesson)
    items = [item for item in sources() if item.lesson == int(lesson.name[:2])]
    assert not [problem for item in items if (problem := item.missing(notebook))]


def test_every_program_and_exercise_of_the_sources_is_in_a_lesson() -> None:
    names = "\n".join(item.name for item in sources())
    assert set(map(int, re.findall(r"^Code (\d+)", names, re.M))) == set(range(1, 23))
    assert len(re.findall(r"^[123]: exercise", names, re.M)) == 3
    assert {item.lesson for item in sources()} == set(range(1, 11))


@each_lesson
def test_each_idea_has_one_korean_word_in_all_lessons(lesson: Lesson) -> None:
    glossary = tomllib.loads((ROOT / "course" / "glossary.toml").read_text(encoding="utf-8"))["term"]
    korean = lesson.text.read_text(encoding="utf-8")
    found = [f"{word} (write {term['use']})" for term in glossary for word in term["avoid"] if word in korean]
    assert not found


@pytest.mark.parametrize("folder", [*(f"course/{lesson.name}" for lesson in LESSONS), "docs", "secant", "."])
def test_each_idea_has_one_english_word_in_all_texts(folder: str) -> None:
    """Each word is the one in PyTorch's documentation, because readers search for it."""
    glossary = tomllib.loads((ROOT / "course" / "glossary.toml").read_text(encoding="utf-8"))["english"]
    below = (ROOT / folder).glob("*") if folder == "." else (ROOT / folder).rglob("*")
    read = (path for path in below if path.suffix in _OF_WORDS and path.name != "CHANGELOG.md")
    texts = {path: path.read_text(encoding="utf-8") for path in read}
    assert texts
    found = [
        f"{path.relative_to(ROOT)}: {match[0]} (write {entry['use']})"
        for path, text in texts.items()
        for entry in glossary
        for word in entry["avoid"]
        for match in re.finditer(word, text, re.IGNORECASE)
    ]
    assert not found


@each_lesson
@pytest.mark.parametrize("tongue", ["en", "ko"])
def test_first_cell_agrees_with_the_syllabus(lesson: Lesson, tongue: str) -> None:
    syllabus = tomllib.loads((ROOT / "course" / "syllabus.toml").read_text(encoding="utf-8"))["lesson"]
    entry = next((entry for entry in syllabus if entry["folder"] == lesson.name), None)
    assert entry, f'course/syllabus.toml has no [[lesson]] with folder = "{lesson.name}"'
    number, minutes, tags = lesson.name[:2], entry["minutes"], ", ".join(entry["tags"][tongue])
    first = next(cell for cell in source(lesson).cells if cell.metadata.get("lang") == tongue)
    header = {
        "en": f"Lesson {number} of {len(LESSONS)} · ~{minutes} min · {tags}",
        "ko": f"수업 {number} / {len(LESSONS)} · 약 {minutes}분 · {tags}",
    }
    want = f"# {entry['title'][tongue]}\n\n{header[tongue]}\n"
    assert first.source.startswith(want), f"by the syllabus {lesson.text.name} begins with\n{want}"


@each_lesson
def test_the_first_explorer_is_reached_within_three_minutes(lesson: Lesson) -> None:
    """Reading takes at most 2.5 minutes, by our estimate; the rest is for seeing the quotient converge."""
    cells = source(lesson).cells
    before = itertools.takewhile(lambda cell: not re.search(r"^explore\w*\(", cell.source, re.M), cells)
    assert 0 < minutes(before) < 2.5


@each_lesson
def test_every_lesson_has_all_its_parts(lesson: Lesson) -> None:
    cells = [cell.source for cell in source(lesson).cells if cell.metadata.get("lang") == "en"]
    text = "\n".join(cells)
    parts = ("Predict first", "A real bug", "# Tasks", "## What the hidden tests look for")
    missing = [part for part in (*parts, "## Checklist", "## Links") if part not in text]
    assert not missing, f'{lesson.text.name} says nowhere "{missing[0]}": every lesson has this part.'
    assert text.index("## Checklist") < text.index("## Links"), "the checklist comes before the links"
    task = f"## Task {int(lesson.name[:2])}."
    headers = [cell for cell in cells if cell.startswith(task)]
    assert headers, f'no text cell begins with "{task}1 · `name`", the heading of its first task'
    for header in headers:
        name = header.partition("\n")[0]
        marks = re.search(r"^●+○* · ★+☆* · \d+ min · \d+ points?(?: \([^()]+\))?$", header, re.M)
        assert marks, f'{name}: below it stands no line like "●●○○○ · ★★★★☆ · 5 min · 2 points"'
        hints = header.count("<summary>Hint")
        assert hints == 2, f"{name}: it has {hints} hints, and a task has two"


@each_lesson
def test_every_prediction_is_answered_later(lesson: Lesson) -> None:
    code = "\n".join(cell.source for cell in source(lesson).cells if cell.cell_type == "code")
    calls = re.findall(r'^(?:secant\.)?(predict|predicted)\(\s*"(.+?)"', code, re.M)
    asked = [name for call, name in calls if call == "predict"]
    told = [name for call, name in calls if call == "predicted"]
    assert 2 <= len(asked) <= 4, f"{lesson.text.name} asks {len(asked)} predictions, not two to four"
    own = f"{int(lesson.name[:2])} "
    strange = [name for name in asked if not name.startswith(own)]
    assert not strange, f'the name of a prediction begins with its lesson\'s number, as "{own}...": {strange}'
    assert sorted(asked) == sorted(told), f"asked are {asked}, but answered {told}"
    early = [name for name in asked if calls.index(("predict", name)) > calls.index(("predicted", name))]
    assert not early, f"answered before it is asked: {early}"


@each_lesson
def test_each_task_has_a_worked_solution(lesson: Lesson) -> None:
    notebook = source(lesson)
    found = worked_solutions(lesson, notebook)
    graded = [task for task in tasks(notebook) if task.test is not None]
    silent = [task.id for task in graded if not all(found[task.id].words.get(t) for t in ("en", "ko"))]
    assert not silent, f"{lesson.name}/solutions.py lacks words, in one language or both, on {silent}"


@each_lesson
def test_visible_tests_are_short(lesson: Lesson) -> None:
    tests = [split_tests(cell.source)[0] for cell in source(lesson).cells if is_test(cell)]
    lines = [sum(bool(line.strip()) for line in visible.splitlines()) for visible in tests]
    assert statistics.median(lines) <= 25, f"visible tests of so many lines: {lines}"


@each_lesson
def test_explorer_questions_are_those_of_its_lesson(lesson: Lesson) -> None:
    """The wording is the same, because the explorer's buttons show the questions far from that text."""
    cells = source(lesson).cells
    asking = 0
    for place, cell in enumerate(cells):
        call = re.match(r"(explore\w*)\(", cell.source)
        if not call:
            continue
        with contextlib.suppress(NameError):  # from calls with a lesson's function, which have no questions
            asked = eval(cell.source, {call[1]: getattr(secant, call[1])}).questions
            asking += bool(asked)
            for language in LANGUAGES:
                text = [cell.source for cell in cells[:place] if cell.metadata.get("lang") == language][-1]
                questions = [getattr(question, language) for question in asked]
                if cell.source.endswith(".first_look()"):
                    (question,) = questions
                    assert question in flat(text.replace("**", ""))
                else:
                    items = re.findall(r"(?ms)^\d\. (.*?)(?=^\d\. |\n\n|\Z)", text)
                    assert questions == [flat(item) for item in items]
    assert asking, f"{lesson.text.name}: no code cell begins with a call of an explorer, as explore() is one"
