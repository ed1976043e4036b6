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

Problems = Iterator[tuple[int, str]]
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
    task_ids = {task.id for task in tasks(notebook)}
    tested_ids = [task.id for task in tasks(notebook) if task.test is not None]
    lines = lessons.cell_lines(lesson.text, len(notebook.cells))
    return [
        *notebook_problems(notebook, folder / lesson.text.name, lines, languages),
        *_prose_problems(lesson, notebook, folder / lesson.text.name, lines),
        *_syllabus_problems(lesson, notebook),
        *_hint_problems(lesson, notebook, folder),
        *_answer_problems(wrong, folder / "wrong_answers.py", task_ids, languages),
        *_answer_problems(right, folder / "right_answers.py", task_ids),
        *_too_few(lesson, "wrong_answers.py", wrong, tested_ids, WRONG_ANSWERS),
        *_too_few(lesson, "right_answers.py", right, tested_ids, RIGHT_ANSWERS),
        *solution_problems(lesson, set(tested_ids), languages),
    ]


def _prose_problems(lesson: Lesson, notebook: NotebookNode, file: Path, lines: Sequence[int]) -> list[str]:
    course_lessons = lessons.find_lessons(lesson.root)
    course = {
        int(course_lesson.name[:2]): prose.task_numbers(lessons.lesson_text(course_lesson))
        for course_lesson in course_lessons
    }
    text_of_lesson = lessons.read_text(lesson.text)
    problems = [
        *prose.prose_problems(
            notebook, int(lesson.name[:2]), course, lessons.syllabus_lesson_count(lesson.root)
        ),
        *prose.literal_problems(text_of_lesson),
    ]
    return [f"{_location(file, notebook, index, lines)}: {text}." for index, text in problems]


def _too_few(
    lesson: Lesson, name: str, answers: list[Answer], task_ids: Sequence[str], minimum: int
) -> Iterator[str]:
    """Yield a problem for each task with too few recorded answers.

    If the file of recorded answers is missing, yield nothing.
    """
    file = lesson.folder / name
    recorded = Counter(answer.task for answer in answers)
    for task in task_ids if file.is_file() else ():
        if recorded[task] < minimum:
            problem = f"it has {recorded[task]} for {task}: record at least {minimum} for each task."
            yield f"{file.relative_to(lesson.root)}: {problem}"


def _syllabus_problems(lesson: Lesson, notebook: NotebookNode) -> Iterator[str]:
    file = Path("course", "syllabus.toml")
    if not (lesson.root / file).is_file():
        return
    try:
        entries = tomllib.loads((lesson.root / file).read_text(encoding="utf-8")).get("lesson", [])
    except ValueError as error:
        yield f"{file}: it is not TOML: {error}."
        return
    values = [entry.get("minutes") for entry in entries if entry.get("folder") == lesson.name]
    expected = minutes.round_minutes(minutes.minutes(notebook.cells))
    if values and minutes.stated_minutes(notebook.cells) and values[0] != expected:
        yield f"{file}: {lesson.name} has minutes = {values[0]}, but the lesson's own count is {expected}."


def _hint_problems(lesson: Lesson, notebook: NotebookNode, folder: Path) -> list[str]:
    try:
        catalogue = read_hints(lesson.folder)
    except ValueError as error:
        return [f"{folder / 'hints.toml'}: it is not TOML: {error}."]
    tests = {grade_id(c).removeprefix("test_"): c.source for c in notebook.cells if is_test(c)}
    entries = [
        (task, name, texts) for task, task_hints in catalogue.items() for name, texts in task_hints.items()
    ]
    missing = [
        f"{folder / lesson.text.name}, cell test_{task}: {problem}."
        for task, source in tests.items()
        for problem in hints.unknown_hints(source, catalogue)
    ]
    without_text = [
        f"{folder / 'hints.toml'}: {task}.{name} needs its text in English, as en."
        for task, name, texts in entries
        if not isinstance(texts, dict) or "en" not in texts
    ]
    unused = [
        f"{folder / 'hints.toml'}: no test uses {task}.{name}."
        for task, name, _ in entries
        if name not in hints.used_hints("\n".join(tests.values()) if task == SHARED else tests.get(task, ""))
    ]
    return missing + without_text + unused


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
    rules: list[Callable[[list[NotebookNode]], Problems]] = [
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
    problems = [(index, text) for rule in rules for index, text in rule(notebook.cells)]
    problems.sort(key=lambda f: f[0])
    return [f"{_location(file, notebook, index, lines)}: {text}." for index, text in problems]


def release_problems(notebook: NotebookNode, file: Path) -> list[str]:
    """Return the problems of a released notebook, such as a solution or a hidden test in it.

    A call to `say` with texts in several languages is also a problem, and so are a test with too many lines
    and a line of a test that is too long.
    """
    regions = {BEGIN_SOLUTION: "a solution", END_SOLUTION: "a solution"}
    regions |= {BEGIN_HIDDEN: "hidden tests", END_HIDDEN: "hidden tests"}
    problems = [
        f"{_location(file, notebook, index)}: {content} would be released."
        for index, cell in enumerate(notebook.cells)
        for content in sorted({content for mark, content in regions.items() if mark in cell.source})
    ]
    problems += [
        f"{_location(file, notebook, index)}: its say(...) is in both languages: take it out of the f-string."
        for index, cell in enumerate(notebook.cells)
        if is_ordinary(cell) and SAY.search(cell.source)
    ]
    return problems + [
        f"{_location(file, notebook, index)}: {text}."
        for index, cell in enumerate(notebook.cells)
        if is_test(cell)
        for text in (*_too_long(cell.source, RELEASED_LINES), *_too_wide(cell.source, RELEASED_WIDTH))
    ]


def _too_long(visible: str, limit: int) -> Iterator[str]:
    """Yield a problem if the visible part of a test has more than `limit` lines."""
    if (lines := sum(bool(line.strip()) for line in visible.splitlines())) > limit:
        yield f"its visible part has {lines} lines, but at most {limit} are allowed"


def _too_wide(source: str, limit: int = WIDTH) -> Iterator[str]:
    if wide_lines := [line.strip() for line in source.splitlines() if len(line) > limit]:
        yield f"it has a line of more than {limit} characters, {wide_lines[0][:40]}..."


def _location(file: Path, notebook: NotebookNode, index: int, lines: Sequence[int] = ()) -> str:
    if index < 0:
        return str(file)
    cell = notebook.cells[index]
    words = " ".join(cell.source.split()[:5])
    line = f":{lines[index]}" if lines else ""
    return f"{file}{line}, cell " + (grade_id(cell) or f'{index + 1} ("{words}")')


# Rules for the header line of a cell.


def _marks(languages: Sequence[str], cells: list[NotebookNode]) -> Problems:
    choices = " or ".join(f'"{name}"' for name in languages)
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
            yield index, f"lang is {choices}, not {lang!r}"
        elif lang is None and cell.cell_type == "markdown" and "nbgrader" not in cell.metadata:
            yield index, "a text cell needs " + " or ".join(f'lang="{name}"' for name in languages)


def _minutes(cells: list[NotebookNode]) -> Problems:
    estimate = minutes.minutes(cells)
    expected = minutes.round_minutes(estimate)
    wrong_numbers = [number for number in minutes.stated_minutes(cells) if number != expected]
    if wrong_numbers:
        yield (
            -1,
            f"its header says {wrong_numbers[0]} minutes, but the count is {estimate:.1f}: write {expected}, "
            "rounded up to a multiple of five, in each language; optional parts do not count",
        )
    if minutes.stated_minutes(cells) and expected > minutes.MAX_MINUTES:
        yield (
            -1,
            f"it takes {estimate:.0f} minutes by its own count, but at most {minutes.MAX_MINUTES} are "
            'allowed; parts with "optional" in their heading do not count',
        )


def _translations(languages: Sequence[str], cells: list[NotebookNode]) -> Problems:
    langs = [cell.metadata.get("lang") for cell in cells]
    for index, lang in enumerate(langs):
        if lang == "en":
            for position, language in enumerate(languages[1:], index + 1):
                if langs[position : position + 1] != [language]:
                    yield (
                        index,
                        f"no {language_name(language)} cell follows this English one: as long as nobody has "
                        f'translated it, put a copy of it there with lang="{language}" en="00000000"',
                    )
        elif lang in languages:
            english_index = index - languages.index(lang)
            if english_index < 0 or langs[english_index] != "en":
                yield index, f"no English cell comes right before this {language_name(lang)} one"


def _tildes(cells: list[NotebookNode]) -> Problems:
    for index, cell in enumerate(cells):
        blocks = _BLOCK.split(_VERBATIM.sub("", cell.source)) if cell.cell_type == "markdown" else []
        if match := next(filter(None, map(_STRUCK.search, blocks)), None):
            words = " ".join(match[0].split())
            yield index, f'its tildes strike text through, "{words}": write one of them as \\~ or in words'


def _setup(cells: list[NotebookNode]) -> Problems:
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


def _grading(cells: list[NotebookNode]) -> Problems:
    id_counts: Counter[str] = Counter(grade_id(cell) for cell in cells if grade_id(cell))
    for index, cell in enumerate(cells):
        if "nbgrader" not in cell.metadata:
            continue
        if id_counts[grade_id(cell)] > 1:
            yield index, f"{id_counts[grade_id(cell)]} cells have this grade_id"
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


def _regions(cells: list[NotebookNode]) -> Problems:
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


def _answer_cells(cells: list[NotebookNode]) -> Problems:
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
        if cell.cell_type == "code" and not _syntax_error(cell.source) and not _student_names(cell):
            yield index, f"the def or class line of {grade_id(cell)} must stand outside the solution"


def _test_cells(cells: list[NotebookNode]) -> Problems:
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
        student_names = _student_names(answer) if answer else set()
        complaints = dict.fromkeys(
            [*_name_complaints(cell.source, student_names), *_name_complaints(visible, student_names)]
        )
        yield from ((index, complaint) for complaint in complaints)


def _credit_complaints(cell: NotebookNode) -> Iterator[str]:
    """Yield the problems with a test cell's partial credit, and with code that follows its hidden tests."""
    rest = cell.source.rpartition(END_HIDDEN)[2].strip()
    match = re.search(r"^(\w+) = PartialCredit\((.*)\)$", cell.source, re.MULTILINE)
    if match is None:
        if rest:
            yield "nothing may follow the hidden tests"
        return
    name, parts = match.groups()
    if rest != f"{name}.points()":
        yield f"`{name}.points()` alone must follow the hidden tests: its result is the points"
    if f"check.visible_passed({name})" not in cell.source:
        yield f"the visible tests must end with `check.visible_passed({name})`"
    shares = [float(share) for share in re.findall(r"\w+=([\d.]+)", parts)]
    points = grading(cell).get("points")
    if sum(shares) != points:
        yield f"its parts have {sum(shares):g} points together, and the cell has {points}"


def _widths(cells: list[NotebookNode]) -> Problems:
    for index, cell in enumerate(cells):
        if cell.cell_type == "code":
            yield from ((index, text) for text in _too_wide(cell.source))


# Rules for the names in a test cell.


def _name_complaints(source: str, student_names: Names) -> Iterator[str]:
    """Yield a problem for each name that a test cell may not use or bind.

    Args:
        source: the code of the cell, either whole or without its hidden part.
        student_names: the names of the functions and classes that the student completes.
    """
    if error := _syntax_error(source):
        yield error
        return
    tree = ast.parse(source)
    functions = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    probe_functions = [f for f in functions if any(_is_name(d, "probe") for d in f.decorator_list)]
    probes = [f for f in probe_functions if isinstance(f, ast.FunctionDef) and f in tree.body]
    imports = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    imported_names = {(a.asname or a.name).partition(".")[0] for n in imports for a in n.names}
    bound = bound_names(tree)

    if "*" in imported_names:
        yield "it must name what it imports, not import *"
    for name in sorted(bound & student_names):
        yield f"it binds {name}, the student's own name"
    for name in sorted(
        n for n in bound - imported_names - student_names if not n.startswith("_") and n != "hint"
    ):
        yield f"it binds {name}: begin the name with _, or it overwrites what a student calls {name}"
    yield from _unknown_names(used_names(tree) - bound - student_names, "it uses")
    for function in probe_functions:
        if function not in probes:
            yield f"the probe {function.name} must be an ordinary function at the cell's top level"
    for name, times in Counter(p.name for p in probes).items():
        if times > 1:
            yield f"it has {times} probes named {name}"
    allowed_names = imported_names | student_names | {p.name for p in probes}
    for probe in probes:
        forbidden_names = used_names(ast.Module([probe], [])) & bound - allowed_names
        yield from _unknown_names(
            forbidden_names, f"the probe {probe.name} uses", "neither imported here nor a probe"
        )
    for name in sorted(_uncalled_names(tree, probes) & student_names):
        yield f"outside a probe it may only call {name}, not store it, pass it on or take its attributes"


def _unknown_names(
    names: Names, subject: str, reason: str = "which this cell neither imports nor binds"
) -> Iterator[str]:
    if names:
        yield f"{subject} {', '.join(sorted(names))}, {reason}"


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _uncalled_names(tree: ast.Module, probes: Iterable[ast.AST]) -> Names:
    """Return the names that a test cell uses without calling them. Uses inside probes do not count."""
    probe_nodes = {node for probe in probes for node in ast.walk(probe)}
    called_nodes = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if node not in probe_nodes and node not in called_nodes}


def _student_names(answer: NotebookNode) -> Names:
    """Return the names of the functions or classes that a student completes.

    If one of them has the same name as the task, return only that name.
    """
    stub, _ = split_solution(answer.source)
    names = set(re.findall(r"^(?:def|class) +(\w+)", stub, flags=re.MULTILINE))
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
    hint_languages = {name for name in LANGUAGES if name in languages}
    names = Counter(answer.name for answer in answers)
    for index, answer in enumerate(answers):
        location = f"{file}:{answer.line}, cell " + (f'"{answer.name}"' if answer.name else str(index + 1))
        if not answer.name:
            yield f"{location}: the header line must begin with a name."
        elif names[answer.name] > 1:
            yield f"{location}: {names[answer.name]} answers have this name."
        if answer.task not in tasks:
            task_names = ", ".join(sorted(tasks)) or "none"
            yield f'{location}: there is no task "{answer.task}"; the tasks are: {task_names}.'
        if hint_languages and answer.hint_name and not answer.hint:
            yield f"{location}: hints.toml has no `{answer.hint_name}` of {answer.task}."
        elif hint_languages and not hint_languages <= set(answer.hint):
            yield f"{location}: a wrong answer needs its hint in both languages, en and ko."
        if error := _syntax_error(answer.source):
            yield f"{location}: {error}."
        yield from (f"{location}: {text}." for text in _too_wide(answer.source))
