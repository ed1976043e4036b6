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
_TEXT_SUFFIXES = {".py", ".md", ".toml", ".js"}

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


@dataclass(frozen=True)
class Item:
    """A row of docs/sources.md.

    Attributes:
        name: the item of the source.
        lesson: the number of the lesson that uses the item.
        cell: a piece of the cell's text, which identifies the cell.
        output: what the cell prints, in backquotes; "a picture" if the cell draws one; or "".
    """

    name: str
    lesson: int
    cell: str
    output: str

    def find_problem(self, notebook: NotebookNode) -> str:
        """Return a message about what an executed lesson lacks for this item, or "" if it lacks nothing."""
        cells = [cell for cell in notebook.cells if self.cell in collapse_spaces(cell.source)]
        if not cells:
            return f"{self.name}: no cell holds {self.cell}"
        if self.output == "a picture":
            return "" if any(map(has_picture, cells)) else f"{self.name}: no picture"
        outputs = [collapse_spaces(printed_text(cell)) for cell in cells]
        missing = [text for text in code_pieces(self.output) if not any(text in output for output in outputs)]
        return f"{self.name}: {missing} not in {outputs}" if missing else ""


def read_sources() -> list[Item]:
    """Return the rows of docs/sources.md, which list where the course uses each item of its sources."""
    lines = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if re.match(r"\| .* \| \d+ \| ", line)]
    return [Item(row[0], int(row[1]), code_pieces(row[2])[0], "".join(row[3:])) for row in rows]


def code_pieces(text: str) -> list[str]:
    """Return the pieces of a Markdown text that are code, with single spaces."""
    return [collapse_spaces(code) for _, code in re.findall(r"(`+)(.+?)(?<!`)\1(?!`)", text)]


def collapse_spaces(text: str) -> str:
    return " ".join(text.split())


def printed_text(cell: NotebookNode) -> str:
    outputs = cell.get("outputs", [])
    return "".join(
        output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs
    )


def has_picture(cell: NotebookNode) -> bool:
    """Return whether a cell's output contains a picture: an image, or HTML with an image in it."""
    bundles = [output.get("data", {}) for output in cell.get("outputs", [])]
    html = "".join("".join(bundle.get("text/html", "")) for bundle in bundles)
    image_types = {"image/png", "image/svg+xml"} & {kind for bundle in bundles for kind in bundle}
    return bool(image_types) or "<svg" in html or "<img" in html


def run(lesson: Lesson) -> NotebookNode:
    """Run all cells of a lesson with warnings as errors, and return the executed notebook."""
    notebook = copy.deepcopy(source(lesson))
    warnings_cell = nbformat.v4.new_code_cell("import warnings\nwarnings.simplefilter('error')")
    notebook.cells.insert(0, warnings_cell)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    return notebook


@pytest.mark.whole
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
@pytest.mark.usefixtures("quick_kernels")
def test_lesson_runs_and_shows_the_results_of_its_sources(lesson: Lesson) -> None:
    notebook = run(lesson)
    items = [item for item in read_sources() if item.lesson == int(lesson.name[:2])]
    assert not [problem for item in items if (problem := item.find_problem(notebook))]


def test_every_program_and_exercise_of_the_sources_is_in_a_lesson() -> None:
    names = "\n".join(item.name for item in read_sources())
    assert set(map(int, re.findall(r"^Code (\d+)", names, re.M))) == set(range(1, 23))
    assert len(re.findall(r"^[123]: exercise", names, re.M)) == 3
    assert {item.lesson for item in read_sources()} == set(range(1, 11))


@each_lesson
def test_each_idea_has_one_korean_word_in_all_lessons(lesson: Lesson) -> None:
    glossary = tomllib.loads((ROOT / "course" / "glossary.toml").read_text(encoding="utf-8"))["term"]
    text = lesson.text.read_text(encoding="utf-8")
    problems = [
        f"{word} (write {term['use']})" for term in glossary for word in term["avoid"] if word in text
    ]
    assert not problems


@pytest.mark.parametrize("folder", [*(f"course/{lesson.name}" for lesson in LESSONS), "docs", "secant", "."])
def test_each_idea_has_one_english_word_in_all_texts(folder: str) -> None:
    """Each word is the one in PyTorch's documentation, because readers search for it."""
    glossary = tomllib.loads((ROOT / "course" / "glossary.toml").read_text(encoding="utf-8"))["english"]
    candidates = (ROOT / folder).glob("*") if folder == "." else (ROOT / folder).rglob("*")
    paths = (path for path in candidates if path.suffix in _TEXT_SUFFIXES and path.name != "CHANGELOG.md")
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    assert texts
    problems = [
        f"{path.relative_to(ROOT)}: {match[0]} (write {entry['use']})"
        for path, text in texts.items()
        for entry in glossary
        for word in entry["avoid"]
        for match in re.finditer(word, text, re.IGNORECASE)
    ]
    assert not problems


@each_lesson
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_first_cell_agrees_with_the_syllabus(lesson: Lesson, lang: str) -> None:
    syllabus = tomllib.loads((ROOT / "course" / "syllabus.toml").read_text(encoding="utf-8"))["lesson"]
    entry = next((entry for entry in syllabus if entry["folder"] == lesson.name), None)
    assert entry, f'course/syllabus.toml has no [[lesson]] with folder = "{lesson.name}"'
    number, minutes, tags = lesson.name[:2], entry["minutes"], ", ".join(entry["tags"][lang])
    first = next(cell for cell in source(lesson).cells if cell.metadata.get("lang") == lang)
    header = {
        "en": f"Lesson {number} of {len(LESSONS)} · ~{minutes} min · {tags}",
        "ko": f"수업 {number} / {len(LESSONS)} · 약 {minutes}분 · {tags}",
    }
    expected = f"# {entry['title'][lang]}\n\n{header[lang]}\n"
    assert first.source.startswith(expected), f"by the syllabus {lesson.text.name} begins with\n{expected}"


@each_lesson
def test_the_first_explorer_is_reached_within_three_minutes(lesson: Lesson) -> None:
    """Reading takes at most 2.5 minutes, by our estimate; the rest is for seeing the quotient converge."""
    cells = source(lesson).cells
    intro = itertools.takewhile(lambda cell: not re.search(r"^explore\w*\(", cell.source, re.M), cells)
    assert 0 < minutes(intro) < 2.5


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
    predictions = [name for call, name in calls if call == "predict"]
    answers = [name for call, name in calls if call == "predicted"]
    assert 2 <= len(predictions) <= 4, (
        f"{lesson.text.name} asks {len(predictions)} predictions, not two to four"
    )
    prefix = f"{int(lesson.name[:2])} "
    misnamed = [name for name in predictions if not name.startswith(prefix)]
    assert not misnamed, (
        f'the name of a prediction begins with its lesson\'s number, as "{prefix}...": {misnamed}'
    )
    assert sorted(predictions) == sorted(answers), f"asked are {predictions}, but answered {answers}"
    misordered = [
        name for name in predictions if calls.index(("predict", name)) > calls.index(("predicted", name))
    ]
    assert not misordered, f"answered before it is asked: {misordered}"


@each_lesson
def test_each_task_has_a_worked_solution(lesson: Lesson) -> None:
    notebook = source(lesson)
    solutions = worked_solutions(lesson, notebook)
    tested_tasks = [task for task in tasks(notebook) if task.test is not None]
    incomplete = [
        task.id for task in tested_tasks if not all(solutions[task.id].words.get(t) for t in ("en", "ko"))
    ]
    assert not incomplete, f"{lesson.name}/solutions.py lacks words, in one language or both, on {incomplete}"


@each_lesson
def test_visible_tests_are_short(lesson: Lesson) -> None:
    tests = [split_tests(cell.source)[0] for cell in source(lesson).cells if is_test(cell)]
    lines = [sum(bool(line.strip()) for line in visible.splitlines()) for visible in tests]
    assert statistics.median(lines) <= 25, f"visible tests of so many lines: {lines}"


@each_lesson
def test_explorer_questions_are_those_of_its_lesson(lesson: Lesson) -> None:
    """Explorers show their questions far from the lesson's text, so both must use the same wording."""
    cells = source(lesson).cells
    count = 0
    for index, cell in enumerate(cells):
        call = re.match(r"(explore\w*)\(", cell.source)
        if not call:
            continue
        with contextlib.suppress(NameError):  # a call with a lesson's function has no questions
            explorer_questions = eval(cell.source, {call[1]: getattr(secant, call[1])}).questions
            count += bool(explorer_questions)
            for language in LANGUAGES:
                text = [cell.source for cell in cells[:index] if cell.metadata.get("lang") == language][-1]
                questions = [getattr(question, language) for question in explorer_questions]
                if cell.source.endswith(".first_look()"):
                    (question,) = questions
                    assert question in collapse_spaces(text.replace("**", ""))
                else:
                    items = re.findall(r"(?ms)^\d\. (.*?)(?=^\d\. |\n\n|\Z)", text)
                    assert questions == [collapse_spaces(item) for item in items]
    assert count, f"{lesson.text.name}: no code cell begins with a call of an explorer, as explore() is one"
