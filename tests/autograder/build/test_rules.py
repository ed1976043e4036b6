"""Tests of every rule of the lesson contract, each broken by one slip in an otherwise valid lesson."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder.build import rules
from autograder.course.cells import split_tests
from autograder.course.lesson import Lesson, find_lessons, read_lesson, read_text
from tests.support.lessons import ROOT

TEST = '"grade_id": "test_double", "solution": false, "grade": true, "locked": true, "points": 2'

# name: (the correct text, the text with the slip, the cell that the refusal names, words of the refusal)
SLIPS = {
    "graded cell with a language": (
        '# %% nbgrader={"grade_id": "double"',
        '# %% lang="en" nbgrader={"grade_id": "double"',
        "cell double",
        "must not carry a language",
    ),
    "language on code": ("# %%\nfrom secant", '# %% lang="en"\nfrom secant', "cell 3", "must not carry lang"),
    "answer that is a test": (
        "# %%\nfrom secant",
        '# %% answer="f" test="f"\nfrom secant',
        "cell f",
        "an answer or a test, not both",
    ),
    "points of no task": ("# %%\nfrom secant", "# %% points=2\nfrom secant", "cell 3", "points need answer="),
    "no such language": ('lang="en"\nr"""\n# Steps', 'lang="fr"\nr"""\n# Steps', "cell 1", "not 'fr'"),
    "text without a language": (
        '[markdown] lang="en"\nr"""\n# Steps',
        '[markdown]\nr"""\n# Steps',
        "cell 1",
        'needs lang="en" or lang="ko"',
    ),
    "misspelt mark": (
        'lang="ko" en="1728a197"',
        'lang="ko" eng="1728a197"',
        "cell 5",
        "its header line has eng, but only these",
    ),
    "title on a cell": (
        "# %%\nfrom secant",
        "# %% Setup\nfrom secant",
        "cell 3",
        "its header line has title, but only these",
    ),
    "no Korean": (
        '# %% [markdown] lang="ko" en="1728a197"\n"""\n## 과제 1',
        '# %%\n"""\n## 과제 1',
        'cell 4 ("## Task 1: `double` Return")',
        "no Korean cell follows",
    ),
    "no English": (
        '# %% [markdown] lang="en"\n"""\n## Task 2: `Counter`\n"""\n',
        "",
        "cell 8",
        "no English cell comes right before",
    ),
    "no setup": ('language("en")', "", "01_steps.py:", "found 0 such calls"),
    "two setups": ("from secant import language", 'language("en")', "01_steps.py:", "found 2 such calls"),
    "Korean setup": ('language("en")', 'language("ko")', "cell 3", 'write language("en")'),
    "same grade_id": ('"grade_id": "Counter"', '"grade_id": "double"', "cell double", "2 cells have this"),
    "no grade_id": ('"grade_id": "why", ', "", "cell 12", "needs a grade_id"),
    "no points": (', "points": 3', "", "cell test_Counter", "needs points"),
    "zero points": ('"points": 1', '"points": 0', "cell why", "needs points"),
    "points in words": ('"points": 2', '"points": "2"', "cell test_double", "needs points"),
    "old metadata": (
        '"schema_version": 3, "task": false, "cell_type": "markdown"',
        '"schema_version": 2',
        "why",
        "2",
    ),
    "no grade flag": ('"solution": true, "grade": false, "l', '"solution": true, "l', "double", "'grade'"),
    "solution outside": (
        "from secant import language",
        "### BEGIN SOLUTION",
        "cell 3",
        "outside an answer cell",
    ),
    "hidden tests outside": (
        "    self.n = 0",
        "    ### BEGIN HIDDEN TESTS",
        "Counter",
        "outside a test cell",
    ),
    "solution never ends": (
        "        return self.n\n        ### END SOLUTION",
        "        return self.n",
        "Counter",
        "not in pairs",
    ),
    "hidden tests never end": (
        "### END HIDDEN TESTS\n\n# %% [markdown] lang",
        "\n\n# %% [markdown] lang",
        "test_double",
        "not in pairs",
    ),
    "no solution": (
        "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        "    return 2 * x",
        "cell double",
        "no ### BEGIN SOLUTION",
    ),
    "answer is not Python": ("return 2 * x", "return 2 * ", "cell double", "line 4 is not Python"),
    "answer without a name": ("def double(x):\n", "if True:\n", "cell double", "the def or class line of"),
    "answer without a test": (
        '"test_Counter"',
        '"test_counter"',
        "cell Counter",
        "no test cell has the grade_id",
    ),
    "test without an answer": (
        '"test_Counter"',
        '"test_counter"',
        "test_counter",
        "no answer cell has the grade_id",
    ),
    "test not named so": ('"test_double"', '"check_double"', "cell check_double", "is test_<task>"),
    "test not locked": (
        TEST,
        TEST.replace('"locked": true', '"locked": false'),
        "test_double",
        "must be locked",
    ),
    "no hidden tests": (
        "### BEGIN HIDDEN TESTS\n_ONCE",
        "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS\n_ONCE",
        "test_Counter",
        "no hidden tests",
    ),
    "no visible tests": (
        "from secant import check, say\n\ncheck.close(double(3.0)",
        "### BEGIN HIDDEN TESTS\nfrom secant import check, say\n\ncheck.close(double(3.0)",
        "test_double",
        "no visible tests",
    ),
    "too many visible lines": (
        "from secant import check, say\n\ncheck.close(double(3.0)",
        "from secant import check, say\n\n" + "check.holds(True, '', '')\n" * 30 + "check.close(double(3.0)",
        "test_double",
        "but at most 30 are allowed",
    ),
    "a wide line of code": (
        "check.close(double(3.0)",
        "_wide = " + "1 + " * 30 + "1\ncheck.close(double(3.0)",
        "test_double",
        "more than 110 characters",
    ),
    "something after the hidden tests": (
        "### END HIDDEN TESTS\n\n# %% [markdown] lang",
        "### END HIDDEN TESTS\nprint(1)\n\n# %% [markdown] lang",
        "test_double",
        "nothing may follow",
    ),
    "points that no line returns": (
        "from secant import check, say\n\ncheck.close(double(3.0)",
        "from secant import PartialCredit, check, say\n\n"
        "credit = PartialCredit(whole=1)\ncheck.close(double(3.0)",
        "test_double",
        "`credit.points()` alone must follow the hidden tests",
    ),
    "points of parts that are not the cell's": (
        "from secant import check, say\n\ncheck.close(double(3.0)",
        "from secant import PartialCredit, check, say\n\n"
        "credit = PartialCredit(a=2, b=2.5)\ncheck.close(double(3.0)",
        "test_double",
        "its parts have 4.5 points together, and the cell has",
    ),
    # Names that a test cell may not use.
    "test is not Python": (
        "check.equal(_counts(1), [1])",
        "check.equal(_counts(1), [1]",
        "test_Counter",
        "not Python",
    ),
    "name of another cell": (
        "_counts(1), [1]",
        "_counts(1), [start]",
        "test_Counter",
        "it uses start, which",
    ),
    "name in a function": (
        "_counts(1), [1]",
        "(lambda: begin)(), [1]",
        "test_Counter",
        "it uses begin, which",
    ),
    "name of the hidden part": (
        "_counts(1), [1]",
        "_counts(1), [_ONCE]",
        "test_Counter",
        "it uses _ONCE, which",
    ),
    "another task": ("_counts(1), [1]", "_counts(1), [double(1)]", "test_Counter", "it uses double, which"),
    "binds the student's name": ("_ONCE = say", "Counter = 1\n_ONCE = say", "test_Counter", "binds Counter"),
    "binds a name of its own without _": (
        "_ONCE = say",
        "once = 1\n_ONCE = say",
        "test_Counter",
        "it binds once: begin",
    ),
    "star import": ("import check, probe, say", "import *", "test_Counter", "not import *"),
    "stores the student's name": (
        "_x = check.draw(",
        "_f = double\n_x = check.draw(",
        "test_double",
        "only call double",
    ),
    "passes the student's name": (
        "double(3.0), 6.0",
        "map(double, [3.0]), 6.0",
        "test_double",
        "only call double",
    ),
    "attribute of the student's name": (
        "_counts(1), [1]",
        "Counter.n, [1]",
        "test_Counter",
        "only call Counter",
    ),
    "probe with a variable": (
        "    counter = Counter()",
        "    counter = Counter() or _ONCE",
        "test_Counter",
        "the probe _counts uses _ONCE, neither",
    ),
    "probe with a plain function": (
        "@probe\ndef _counts(n):\n    counter = Counter()",
        "def other():\n    return 1\n\n\n@probe\ndef _counts(n):\n    other()\n    counter = Counter()",
        "test_Counter",
        "the probe _counts uses other, neither",
    ),
    "probe with a default": (
        "@probe\ndef _counts(n):",
        "start = 1\n\n\n@probe\ndef _counts(n=start):",
        "test_Counter",
        "the probe _counts uses start, neither",
    ),
    "two probes of one name": (
        "check.equal(_counts(3)",
        "@probe\ndef _counts(n):\n    return [1, 2, 3]\n\n\ncheck.equal(_counts(3)",
        "test_Counter",
        "2 probes named _counts",
    ),
    "probe inside a block": (
        "check.equal(_counts(3)",
        "if True:\n    @probe\n    def more(n):\n        return [1, 2, 3]\n\ncheck.equal(_counts(3)",
        "test_Counter",
        "the probe more must be an ordinary function",
    ),
    "probe that is a class": (
        "check.equal(_counts(3)",
        "@probe\nclass More:\n    pass\n\n\ncheck.equal(_counts(3)",
        "test_Counter",
        "the probe More must be an ordinary function",
    ),
}


def find_problems(steps: Lesson, old: Any, new: Any, count: Any = 1) -> Any:
    text = steps.text.read_text()
    assert old in text
    steps.text.write_text(text.replace(old, new, count))
    return rules.notebook_problems(read_lesson(steps), steps.text.relative_to(steps.root))


def test_fixture_lesson_breaks_no_rule(steps: Lesson) -> None:
    assert rules.lesson_problems(steps) == []


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("Lessons 1~4, then\nlessons 5~9.", True),
        ("It is ~~not~~ so.", True),
        ("- ~5 min, 3~4", True),
        ("Lessons 1~4, then 5\\~9.", False),
        ("Lessons 1~4.\n\nThen 5~9.", False),
        ("- 1~4\n- 5~9", False),
        ("`~a` and `~b`, 1~4", False),
        ("```text\n1~4\n5~9\n```", False),
        ("~~~text\n1~4\n5~9\n~~~", False),
        ("$a~b$ and $c~d$, 1~4", False),
        ("a ~ b ~ c", False),
    ],
)
def test_tildes_that_markdown_reads_as_strikethrough_are_refused(
    steps: Lesson, text: str, is_refused: bool
) -> None:
    problems = find_problems(steps, "A small lesson for the tests", text)
    assert any("its tildes strike text through" in problem for problem in problems) is is_refused, problems


@pytest.mark.parametrize("name", SLIPS)
def test_every_broken_lesson_rule_is_reported_in_a_sentence(steps: Lesson, name: str) -> None:
    old, new, cell, message = SLIPS[name]
    problems = find_problems(steps, old, new)
    matching_problems = [problem for problem in problems if cell in problem and message in problem]
    assert matching_problems, problems
    assert all(
        problem.startswith("course/01_steps/01_steps.py") and problem.endswith(".") for problem in problems
    )
    assert all("\n" not in problem for problem in problems)


LONG_HEADER = "●●○○○ · ★★★★★ · 95 min · 2 points"


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("Lesson 01 of 10 · ~75 min · steps", "but the count is"),
        (f"Lesson 01 of 10 · ~100 min · steps\n\n{LONG_HEADER}", "at most 90 are allowed"),
    ],
)
def test_faulty_lesson_header_is_reported(steps: Lesson, header: str, message: str) -> None:
    problems = find_problems(steps, "A small lesson for the tests", header)
    assert any(message in problem for problem in problems), problems


def test_lesson_header_with_the_right_duration_is_accepted(steps: Lesson) -> None:
    problems = find_problems(steps, "A small lesson for the tests", "Lesson 01 of 10 · ~5 min · steps")
    assert not [problem for problem in problems if "count" in problem]


def test_all_problems_are_reported_at_once(steps: Lesson) -> None:
    text = steps.text.read_text().replace('lang="en"', 'lang="fr"', 1).replace(', "points": 3', "")
    steps.text.write_text(text)
    problems = rules.lesson_problems(steps)
    assert len(problems) == 3
    assert ["cell 1" in problems[0], "cell 2" in problems[1], "test_Counter" in problems[2]] == [True] * 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Any part of a test cell may call the student's function; a probe may use that function in any way.
        ("_counts(1), [1]", "(lambda: Counter().count())(), 1"),
        ("    counter = Counter()", "    kinds = [Counter, Counter.count]\n    counter = kinds[0]()"),
        # A probe may use its own names, imports, builtins and other probes.
        (
            "@probe\ndef _counts(n):",
            "@probe\ndef _one():\n    return sum([1])\n\n\n"
            "@probe\ndef _counts(n, *rest: int):\n    n *= _one()",
        ),
        ("    counter = Counter()", "    counter = [Counter() for check in range(1)][0]"),
        # The hidden part may use names that it binds itself.
        ("_ONCE = say(", "def _helper():\n    return [_ONCE]\n\n\n_ONCE = say("),
        ("_counts(1), [1]", "_counts(1), [_y := 1]"),
    ],
)
def test_allowed_code_in_a_test_cell_is_not_refused(steps: Lesson, old: str, new: str) -> None:
    assert find_problems(steps, old, new) == []


def test_answer_may_be_a_class_with_another_name_than_its_task(steps: Lesson) -> None:
    # The tasks of lesson 10 build one class in several steps.
    text = (
        steps.text.read_text().replace('"Counter"', '"count_on"').replace('"test_Counter"', '"test_count_on"')
    )
    steps.text.write_text(text)
    assert rules.notebook_problems(read_lesson(steps), steps.text) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "wrong",
            'task="Counter"',
            'task="count"',
            'there is no task "count"; the tasks are: Counter, double, why.',
        ),
        (
            "wrong",
            ' ko="수를 제곱했습니다"',
            "",
            '"squares it": a wrong answer needs its hint in both languages',
        ),
        ("wrong", ' en="', ' hint="no_such" en="', "hints.toml has no `no_such` of double."),
        ("wrong", "# %% adds three", "# %% squares it", '"squares it": 2 answers have this name.'),
        (
            "wrong",
            "# %% drops the sign task=",
            "# %% task=",
            "cell 3: the header line must begin with a name.",
        ),
        ("wrong", "    return x + 3", "    return x +", '"adds three": its line 2 is not Python'),
        ("right", 'task="double"', 'task="doubled"', '"adds it to itself": there is no task "doubled"'),
    ],
)
def test_broken_rule_in_recorded_answers_is_reported(
    steps: Lesson, file: str, old: str, new: str, message: str
) -> None:
    path = steps.folder / f"{file}_answers.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    problems = rules.lesson_problems(steps)
    assert any(f"course/01_steps/{file}_answers.py" in text and message in text for text in problems), (
        problems
    )


def test_reported_problem_names_the_line_of_its_cell(steps: Lesson) -> None:
    text = steps.text.read_text().replace(', "points": 3', "")
    steps.text.write_text(text)
    (problem,) = rules.lesson_problems(steps)
    match = re.match(r"course/01_steps/01_steps\.py:(\d+), cell test_Counter", problem)
    assert match
    assert '"grade_id": "test_Counter"' in text.splitlines()[int(match[1]) - 1]


def test_the_syllabus_has_the_headers_minutes(steps: Lesson) -> None:
    text = steps.text.read_text()
    header = "Lesson 01 of 1 · ~5 min · steps"
    steps.text.write_text(text.replace("A small lesson for the tests", header, 1))
    syllabus = steps.root / "course" / "syllabus.toml"
    for minutes, expected in (
        (5, []),
        (10, [f"{steps.name} has minutes = 10, but the lesson's own count is 5."]),
    ):
        syllabus.write_text(f'[[lesson]]\nfolder = "{steps.name}"\nminutes = {minutes}\n')
        problems = [text for text in rules.lesson_problems(steps) if text.startswith("course/syllabus.toml")]
        assert problems == [f"course/syllabus.toml: {text}" for text in expected]
    syllabus.write_text("[[lesson]")
    assert any("syllabus.toml: it is not TOML" in text for text in rules.lesson_problems(steps))


def test_course_folder_without_a_lesson_is_reported(steps: Lesson) -> None:
    steps.text.unlink()
    (problem,) = rules.lesson_problems(steps)
    assert "01_steps.py cannot be read" in problem


def test_release_with_solutions_or_hidden_tests_is_refused(steps: Lesson) -> None:
    problems = rules.release_problems(read_text(steps.text), steps.text)
    assert [problem.partition("cell ")[2] for problem in problems] == [
        "double: a solution would be released.",
        "test_double: hidden tests would be released.",
        "Counter: a solution would be released.",
        "test_Counter: hidden tests would be released.",
        "why: a solution would be released.",
        "test_double: it has a line of more than 100 characters, "
        'check.close(double(-_x), -2 * _x, f"doub....',
    ]


def test_task_without_recorded_wrong_or_right_answers_is_reported(steps: Lesson) -> None:
    for name in ("wrong_answers.py", "right_answers.py"):
        file = steps.folder / name
        file.write_text(file.read_text(encoding="utf-8").partition("# %% ")[0], encoding="utf-8")
    report = "\n".join(rules.lesson_problems(steps))
    assert "wrong_answers.py: it has 0 for double: record at least 3 for each task." in report
    assert "right_answers.py: it has 0 for Counter: record at least 1 for each task." in report


def test_hints_count_toward_the_limit_of_visible_test_lines(steps: Lesson) -> None:
    notebook = read_text(steps.text)
    (test,) = [cell for cell in notebook.cells if cell.source.count("check.close(double(3.0)")]
    test.source = "hint = hints(\n" + '    a="b",\n' * 44 + ")\n" + split_tests(test.source)[0]
    problems = rules.release_problems(notebook, steps.text)
    assert any(
        "cell test_double: its visible part has" in problem and "at most 40" in problem
        for problem in problems
    )


def test_all_leftovers_of_a_dropped_task_are_reported_together(tmp_path: Path) -> None:
    """Check what docs/grading.md promises to instructors who drop a task: one report of all leftovers."""
    name, task = "09_gradients_of_gradients", "second_derivative"
    shutil.copytree(ROOT / "course", tmp_path / "course")
    lesson = next(lesson for lesson in find_lessons(tmp_path) if lesson.name == name)
    cells = re.split(r"(?m)^(?=# %%)", lesson.text.read_text(encoding="utf-8"))
    remaining_cells = [cell for cell in cells if not re.match(rf'# %%.*"(?:test_)?{task}"', cell)]
    assert len(cells) - len(remaining_cells) == 2
    lesson.text.write_text("".join(remaining_cells), encoding="utf-8")
    report = "\n".join(rules.lesson_problems(lesson))
    for file in ("hints.toml", "wrong_answers.py", "right_answers.py", "solutions.py"):
        assert f"{name}/{file}" in report
    for problem in (
        "its heading says Task 9.1",
        "its heading says 과제 9.1",
        "hidden tests",
    ):
        assert problem in report
