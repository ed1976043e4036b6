"""Check a lesson against the lesson contract.

Each problem is one sentence that names the file and the cell.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from jsonschema import ValidationError
from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator, SchemaTooNewError, SchemaTooOldError

from autograder.build import prose
from autograder.build.scopes import bound_names, used_names
from autograder.build.select_language import LANGUAGE_CALL, SAY
from autograder.course import hints, minutes
from autograder.course import lesson as lessons
from autograder.course.cells import (
    BEGIN_HIDDEN,
    BEGIN_SOLUTION,
    END_HIDDEN,
    END_SOLUTION,
    grade_id,
    grading,
    is_answer,
    is_manual,
    is_ordinary,
    is_test,
    split_solution,
    split_tests,
    tasks,
)
from autograder.course.errors import CourseError
from autograder.course.lesson import CELL_METADATA, Answer, Lesson, language_name
from autograder.course.solutions import solution_problems
from secant.catalogue import SHARED, read_hints
from secant.language import LANGUAGES

Found = Iterator[tuple[int, str]]
Names = set[str]

# Limits on the size of a lesson's code, so that a reader can take it in at a glance. Blank lines do not
# count. Lines in Markdown cells have no limit.
WIDTH = 110  # maximum number of characters in a line of code
VISIBLE_LINES = 30  # maximum number of lines in the visible part of a test
# limits on the size of a released test: number of lines (including the hints), and characters in a line
RELEASED_LINES, RELEASED_WIDTH = 40, 100

# minimum number of wrong answers, and of right answers, that must be recorded for each task
WRONG_ANSWERS, RIGHT_ANSWERS = 3, 1

# JupyterLab's Markdown strikes through text between two tildes in the same block, even single tildes, except
# in code and in maths. A block ends with an empty line, or where a list item or a heading begins.
_VERBATIM = re.compile(r"^(```|~~~).*?^\1|(`+).*?\2|\$\$.*?\$\$|\$[^$]*\$|\\.", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"\n\s*(?:\n|(?=[-*+>#|] |\d+\. ))")
_STRUCK = re.compile(r"(?<!~)(~~?)(?=[^\s~]).*?[^\s~]\1(?!~)", re.DOTALL)


def lesson_problems(lesson: Lesson) -> list[str]:
    """Return all violations of the lesson contract in a lesson's folder."""
    try:
        notebook = lessons.read_lesson(lesson)
        wrong, right = lessons.wrong_answers(lesson), lessons.right_answers(lesson)
        languages = lessons.course_languages(lesson.root)
    except CourseError as error:
        return [str(error)]
    folder = lesson.folder.relative_to(lesson.root)
    known = {task.id for task in tasks(notebook)}
    tested = [task.id for task in tasks(notebook) if task.test is not None]
    lines = lessons.cell_lines(lesson.text, len(notebook.cells))
    return [
        *notebook_problems(notebook, folder / lesson.text.name, lines, languages),
        *_prose_problems(lesson, notebook, folder / lesson.text.name, lines),
        *_syllabus_problems(lesson, notebook),
        *_hint_problems(lesson, notebook, folder),
        *_answer_problems(wrong, folder / "wrong_answers.py", known, languages),
        *_answer_problems(right, folder / "right_answers.py", known),
        *_too_few(lesson, "wrong_answers.py", wrong, tested, WRONG_ANSWERS),
        *_too_few(lesson, "right_answers.py", right, tested, RIGHT_ANSWERS),
        *solution_problems(lesson, set(tested), languages),
    ]


def _prose_problems(lesson: Lesson, notebook: NotebookNode, file: Path, lines: Sequence[int]) -> list[str]:
    others = lessons.find_lessons(lesson.root)
    course = {int(other.name[:2]): prose.numbered(lessons.lesson_text(other)) for other in others}
    text_of_lesson = lessons.read_text(lesson.text)
    problems = [
        *prose.prose_problems(notebook, int(lesson.name[:2]), course, lessons.listed_lessons(lesson.root)),
        *prose.literal_problems(text_of_lesson),
    ]
    return [f"{_place(file, notebook, index, lines)}: {text}." for index, text in problems]


def _too_few(
    lesson: Lesson, name: str, answers: list[Answer], tested: Sequence[str], least: int
) -> Iterator[str]:
    """Yield a problem for each task with too few recorded answers.

    If the file of recorded answers is missing, yield nothing.
    """
    file = lesson.folder / name
    recorded = Counter(answer.task for answer in answers)
    for task in tested if file.is_file() else ():
        if recorded[task] < least:
            problem = f"it has {recorded[task]} for {task}: record at least {least} for each task."
            yield f"{file.relative_to(lesson.root)}: {problem}"


def _syllabus_problems(lesson: Lesson, notebook: NotebookNode) -> Iterator[str]:
    file = Path("course", "syllabus.toml")
    if not (lesson.root / file).is_file():
        return
    try:
        listed = tomllib.loads((lesson.root / file).read_text(encoding="utf-8")).get("lesson", [])
    except ValueError as error:
        yield f"{file}: it is not TOML: {error}."
        return
    listed = [entry.get("minutes") for entry in listed if entry.get("folder") == lesson.name]
    want = minutes.round_minutes(minutes.minutes(notebook.cells))
    if listed and minutes.stated_minutes(notebook.cells) and listed[0] != want:
        yield f"{file}: {lesson.name} has minutes = {listed[0]}, but the lesson's own count is {want}."


def _hint_problems(lesson: Lesson, notebook: NotebookNode, folder: Path) -> list[str]:
    try:
        catalogue = read_hints(lesson.folder)
    except ValueError as error:
        return [f"{folder / 'hints.toml'}: it is not TOML: {error}."]
    tests = {grade_id(c).removeprefix("test_"): c.source for c in notebook.cells if is_test(c)}
    listed = [(task, name, texts) for task, found in catalogue.items() for name, texts in found.items()]
    missing = [
        f"{folder / lesson.text.name}, cell test_{task}: {problem}."
        for task, source in tests.items()
        for problem in hints.unknown_hints(source, catalogue)
    ]
    without_text = [
        f"{folder / 'hints.toml'}: {task}.{name} needs its text in English, as en."
        for task, name, texts in listed
        if not isinstance(texts, dict) or "en" not in texts
    ]
    idle = [
        f"{folder / 'hints.toml'}: no test uses {task}.{name}."
        for task, name, _ in listed
        if name not in hints.used_hints("\n".join(tests.values()) if task == SHARED else tests.get(task, ""))
    ]
    return missing + without_text + idle


def notebook_problems(
    notebook: NotebookNode, file: Path, lines: Sequence[int] = (), languages: Sequence[str] = LANGUAGES
) -> list[str]:
    """Return all violations of the lesson contract in a lesson's notebook, in the order of its cells.

    Args:
        notebook: the instructor's notebook.
        file: the file that the messages name.
        lines: the line number at which each cell begins in that file, if the messages are to give line
            numbers.
        languages: the languages of the course, English first.
    """
    rules: list[Callable[[list[NotebookNode]], Found]] = [
        partial(_marks, languages),
        _minutes,
        partial(_translations, languages),
        _tildes,
        _setup,
        _grading,
        _regions,
        _answer_cells,
        _test_cells,
        _widths,
    ]
    found = [(index, text) for rule in rules for index, text in rule(notebook.cells)]
    found.sort(key=lambda f: f[0])
    return [f"{_place(file, notebook, index, lines)}: {text}." for index, text in found]


def release_problems(notebook: NotebookNode, file: Path) -> list[str]:
    """Return the problems of a released notebook, such as a solution or a hidden test in it.

    A call to `say` with texts in several languages is also a problem, and so are a test with too many lines
    and a line of a test that is too long.
    """
    regions = {BEGIN_SOLUTION: "a solution", END_SOLUTION: "a solution"}
    regions |= {BEGIN_HIDDEN: "hidden tests", END_HIDDEN: "hidden tests"}
    found = [
        f"{_place(file, notebook, index)}: {what} would be released."
        for index, cell in enumerate(notebook.cells)
        for what in sorted({what for mark, what in regions.items() if mark in cell.source})
    ]
    found += [
        f"{_place(file, notebook, index)}: its say(...) is in both languages: take it out of the f-string."
        for index, cell in enumerate(notebook.cells)
        if is_ordinary(cell) and SAY.search(cell.source)
    ]
    return found + [
        f"{_place(file, notebook, index)}: {text}."
        for index, cell in enumerate(notebook.cells)
        if is_test(cell)
        for text in (*_too_long(cell.source, RELEASED_LINES), *_too_wide(cell.source, RELEASED_WIDTH))
    ]


def _too_long(visible: str, limit: int) -> Iterator[str]:
    """Yield a problem if the visible part of a test has more than `limit` lines."""
    if (lines := sum(bool(line.strip()) for line in visible.splitlines())) > limit:
        yield f"its visible part has {lines} lines, but at most {limit} are allowed"


def _too_wide(source: str, limit: int = WIDTH) -> Iterator[str]:
    if wide := [line.strip() for line in source.splitlines() if len(line) > limit]:
        yield f"it has a line of more than {limit} characters, {wide[0][:40]}..."


def _place(file: Path, notebook: NotebookNode, index: int, lines: Sequence[int] = ()) -> str:
    if index < 0:
        return str(file)
    cell = notebook.cells[index]
    words = " ".join(cell.source.split()[:5])
    line = f":{lines[index]}" if lines else ""
    return f"{file}{line}, cell " + (grade_id(cell) or f'{index + 1} ("{words}")')


# Rules for the header line of a cell.


def _marks(languages: Sequence[str], cells: list[NotebookNode]) -> Found:
    either = " or ".join(f'"{name}"' for name in languages)
    for index, cell in enumerate(cells):
        lang = cell.metadata.get("lang")
        if unknown := sorted(set(cell.metadata) - CELL_METADATA):
            yield (
                index,
                f"its header line has {', '.join(unknown)}, but only these are allowed: "
                + ", ".join(sorted(CELL_METADATA)),
            )
        if "answer" in cell.metadata and "test" in cell.metadata:
            yield index, "it is an answer or a test, not both"
        elif "points" in cell.metadata and "nbgrader" not in cell.metadata:
            yield index, 'points need answer="..." or test="..." before them'
        if lang is not None and "nbgrader" in cell.metadata:
            yield index, "a graded cell must not carry a language, since all releases share one gradebook"
        elif lang is not None and cell.cell_type != "markdown":
            yield index, "code is shared by all languages, so its cell must not carry lang"
        elif lang is not None and lang not in languages:
            yield index, f"lang is {either}, not {lang!r}"
        elif lang is None and cell.cell_type == "markdown" and "nbgrader" not in cell.metadata:
            yield index, "a text cell needs " + " or ".join(f'lang="{name}"' for name in languages)


def _minutes(cells: list[NotebookNode]) -> Found:
    estimate = minutes.minutes(cells)
    want = minutes.round_minutes(estimate)
    wrong = [said for said in minutes.stated_minutes(cells) if said != want]
    if wrong:
        yield (
            -1,
            f"its header says {wrong[0]} minutes, but the count is {estimate:.1f}: write {want}, "
            "rounded up to a multiple of five, in each language; optional parts do not count",
        )
    if minutes.stated_minutes(cells) and want > minutes.MAX_MINUTES:
        yield (
            -1,
            f"it takes {estimate:.0f} minutes by its own count, but at most {minutes.MAX_MINUTES} are "
            'allowed; parts with "optional" in their heading do not count',
        )


def _translations(languages: Sequence[str], cells: list[NotebookNode]) -> Found:
    langs = [cell.metadata.get("lang") for cell in cells]
    for index, lang in enumerate(langs):
        if lang == "en":
            for place, other in enumerate(languages[1:], index + 1):
                if langs[place : place + 1] != [other]:
                    yield (
                        index,
                        f"no {language_name(other)} cell follows this English one: as long as nobody has "
                        f'translated it, put a copy of it there with lang="{other}" en="00000000"',
                    )
        elif lang in languages:
            english = index - languages.index(lang)
            if english < 0 or langs[english] != "en":
                yield index, f"no English cell comes right before this {language_name(lang)} one"


def _tildes(cells: list[NotebookNode]) -> Found:
    for index, cell in enumerate(cells):
        blocks = _BLOCK.split(_VERBATIM.sub("", cell.source)) if cell.cell_type == "markdown" else []
        if struck := next(filter(None, map(_STRUCK.search, blocks)), None):
            words = " ".join(struck[0].split())
            yield index, f'its tildes strike text through, "{words}": write one of them as \\~ or in words'


def _setup(cells: list[NotebookNode]) -> Found:
    ordinary = [i for i, c in enumerate(cells) if is_ordinary(c)]
    calls = [(i, call[0]) for i in ordinary for call in LANGUAGE_CALL.finditer(cells[i].source)]
    if len(calls) != 1:
        yield (
            -1,
            f'exactly one ungraded code cell must call language("en"), once; found {len(calls)} such calls',
        )
    elif "en" not in calls[0][1]:
        yield calls[0][0], 'write language("en"); the Korean release is given language("ko")'


# Rules for graded cells, as nbgrader needs them.


def _grading(cells: list[NotebookNode]) -> Found:
    seen: Counter[str] = Counter(grade_id(cell) for cell in cells if grade_id(cell))
    for index, cell in enumerate(cells):
        if "nbgrader" not in cell.metadata:
            continue
        if seen[grade_id(cell)] > 1:
            yield index, f"{seen[grade_id(cell)]} cells have this grade_id"
        if not grade_id(cell):
            yield index, "a graded cell needs a grade_id"
        elif (is_test(cell) or is_manual(cell)) and not _is_points(grading(cell).get("points")):
            yield index, "it needs points, a number above 0"
        elif complaint := _schema_complaint(cell):
            yield index, f"nbgrader refuses its metadata: {complaint}"


def _is_points(points: object) -> bool:
    return isinstance(points, int | float) and not isinstance(points, bool) and points > 0


def _schema_complaint(cell: NotebookNode) -> str:
    try:
        MetadataValidator().validate_cell(cell)
    except ValidationError as error:
        return str(error.message).rstrip(".")
    except (SchemaTooOldError, SchemaTooNewError) as error:
        return str(error).rstrip(".")
    except KeyError as error:
        return f"{error} is missing"
    return ""


def _regions(cells: list[NotebookNode]) -> Found:
    for index, cell in enumerate(cells):
        solution, hidden = BEGIN_SOLUTION in cell.source, BEGIN_HIDDEN in cell.source
        if solution and not is_answer(cell):
            yield index, "a solution is outside an answer cell"
        if hidden and not is_test(cell):
            yield index, "hidden tests are outside a test cell"
        for begin, end in ((BEGIN_SOLUTION, END_SOLUTION), (BEGIN_HIDDEN, END_HIDDEN)):
            marks = re.findall(f"{begin}|{end}", cell.source)
            if marks != [begin, end] * (len(marks) // 2):
                yield index, f"### {begin} and ### {end} are not in pairs"


def _answer_cells(cells: list[NotebookNode]) -> Found:
    tests = {grade_id(cell): index for index, cell in enumerate(cells) if is_test(cell)}
    for index, cell in enumerate(cells):
        if not is_answer(cell):
            continue
        if cell.cell_type == "code" and BEGIN_SOLUTION not in cell.source:
            yield index, "the answer has no ### BEGIN SOLUTION ... ### END SOLUTION"
        if cell.cell_type == "code" and (error := _syntax_error(cell.source)):
            yield index, error
        if is_manual(cell):
            continue
        test = tests.get(f"test_{grade_id(cell)}")
        if test is None:
            yield index, f"no test cell has the grade_id test_{grade_id(cell)}"
        elif test < index:
            yield index, "its test cell comes before it, but must follow it"
        if cell.cell_type == "code" and not _syntax_error(cell.source) and not _given_names(cell):
            yield index, f"the def or class line of {grade_id(cell)} must stand outside the solution"


def _test_cells(cells: list[NotebookNode]) -> Found:
    answers = {f"test_{grade_id(c)}": c for c in cells if is_answer(c) and not is_manual(c)}
    for index, cell in enumerate(cells):
        if not is_test(cell):
            continue
        visible, hidden = split_tests(cell.source)
        if not grading(cell).get("locked"):
            yield index, "a test cell must be locked"
        if not grade_id(cell).startswith("test_"):
            yield index, "the grade_id of a test cell is test_<task>"
        elif grade_id(cell) not in answers:
            yield index, f"no answer cell has the grade_id {grade_id(cell).removeprefix('test_')}"
        if not hidden.strip():
            yield index, "it has no hidden tests (### BEGIN HIDDEN TESTS ... ### END HIDDEN TESTS)"
        if not visible.strip():
            yield index, "it has no visible tests"
        yield from ((index, text) for text in _too_long(visible, VISIBLE_LINES))
        yield from ((index, text) for text in _too_wide(visible, RELEASED_WIDTH))
        yield from ((index, text) for text in _credit_complaints(cell))
        answer = answers.get(grade_id(cell))
        own = _given_names(answer) if answer else set()
        complaints = dict.fromkeys([*_name_complaints(cell.source, own), *_name_complaints(visible, own)])
        yield from ((index, complaint) for complaint in complaints)


def _credit_complaints(cell: NotebookNode) -> Iterator[str]:
    """Yield the problems with a test cell's partial credit, and with code that follows its hidden tests."""
    last = cell.source.rpartition(END_HIDDEN)[2].strip()
    made = re.search(r"^(\w+) = PartialCredit\((.*)\)$", cell.source, re.MULTILINE)
    if made is None:
        if last:
            yield "nothing may follow the hidden tests"
        return
    name, parts = made.groups()
    if last != f"{name}.points()":
        yield f"`{name}.points()` alone must follow the hidden tests: its result is the points"
    if f"check.visible_passed({name})" not in cell.source:
        yield f"the visible tests must end with `check.visible_passed({name})`"
    shares = [float(share) for share in re.findall(r"\w+=([\d.]+)", parts)]
    points = grading(cell).get("points")
    if sum(shares) != points:
        yield f"its parts have {sum(shares):g} points together, and the cell has {points}"


def _widths(cells: list[NotebookNode]) -> Found:
    for index, cell in enumerate(cells):
        if cell.cell_type == "code":
            yield from ((index, text) for text in _too_wide(cell.source))


# Rules for the names in a test cell.


def _name_complaints(source: str, own: Names) -> Iterator[str]:
    """Yield a problem for each name that a test cell may not use or bind.

    Args:
        source: the code of the cell, either whole or without its hidden part.
        own: the names of the functions and classes that the student completes.
    """
    if error := _syntax_error(source):
        yield error
        return
    tree = ast.parse(source)
    functions = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    marked = [f for f in functions if any(_is_name(d, "probe") for d in f.decorator_list)]
    probes = [f for f in marked if isinstance(f, ast.FunctionDef) and f in tree.body]
    imports = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    imported = {(a.asname or a.name).partition(".")[0] for n in imports for a in n.names}
    bound = bound_names(tree)

    if "*" in imported:
        yield "it must name what it imports, not import *"
    for name in sorted(bound & own):
        yield f"it binds {name}, the student's own name"
    for name in sorted(n for n in bound - imported - own if not n.startswith("_") and n != "hint"):
        yield f"it binds {name}: begin the name with _, or it overwrites what a student calls {name}"
    yield from _unknown(used_names(tree) - bound - own, "it uses")
    for function in marked:
        if function not in probes:
            yield f"the probe {function.name} must be an ordinary function at the cell's top level"
    for name, times in Counter(p.name for p in probes).items():
        if times > 1:
            yield f"it has {times} probes named {name}"
    allowed = imported | own | {p.name for p in probes}
    for probe in probes:
        unfit = used_names(ast.Module([probe], [])) & bound - allowed
        yield from _unknown(unfit, f"the probe {probe.name} uses", "neither imported here nor a probe")
    for name in sorted(_passed_around(tree, probes) & own):
        yield f"outside a probe it may only call {name}, not store it, pass it on or take its attributes"


def _unknown(names: Names, who: str, why: str = "which this cell neither imports nor binds") -> Iterator[str]:
    if names:
        yield f"{who} {', '.join(sorted(names))}, {why}"


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _passed_around(tree: ast.Module, probes: Iterable[ast.AST]) -> Names:
    """Return the names that a test cell uses without calling them. Uses inside probes do not count."""
    inside = {node for probe in probes for node in ast.walk(probe)}
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if node not in inside and node not in called}


def _given_names(answer: NotebookNode) -> Names:
    """Return the names of the functions or classes that a student completes.

    If one of them has the same name as the task, return only that name.
    """
    given, _ = split_solution(answer.source)
    names = set(re.findall(r"^(?:def|class) +(\w+)", given, flags=re.MULTILINE))
    return {grade_id(answer)} & names or names


def _syntax_error(source: str) -> str:
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"its line {error.lineno} is not Python: {error.msg}"
    return ""


# Rules for the answers that are recorded in a lesson's folder.


def _answer_problems(
    answers: list[Answer], file: Path, tasks: set[str], languages: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the problems found in recorded answers.

    Args:
        answers: the recorded answers.
        file: the file that contains the answers.
        tasks: the ids of the lesson's tasks.
        languages: the languages of the course if every answer must have a hint, otherwise empty. No hint is
            required in a language that Secant does not support.
    """
    hinted = {name for name in LANGUAGES if name in languages}
    names = Counter(answer.name for answer in answers)
    for index, answer in enumerate(answers):
        place = f"{file}:{answer.line}, cell " + (f'"{answer.name}"' if answer.name else str(index + 1))
        if not answer.name:
            yield f"{place}: the header line must begin with a name."
        elif names[answer.name] > 1:
            yield f"{place}: {names[answer.name]} answers have this name."
        if answer.task not in tasks:
            task_names = ", ".join(sorted(tasks)) or "none"
            yield f'{place}: there is no task "{answer.task}"; the tasks are: {task_names}.'
        if hinted and answer.hint_name and not answer.hint:
            yield f"{place}: hints.toml has no `{answer.hint_name}` of {answer.task}."
        elif hinted and not hinted <= set(answer.hint):
            yield f"{place}: a wrong answer needs its hint in both languages, en and ko."
        if error := _syntax_error(answer.source):
            yield f"{place}: {error}."
        yield from (f"{place}: {text}." for text in _too_wide(answer.source))
