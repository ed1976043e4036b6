"""Tests of a verdict's parts and message. A student's text must never look like a field."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograder.exam import words
from autograder.exam.report import TaskResult
from autograder.gradebook.result import GradedTask, Result
from autograder.grading import feedback
from autograder.page.facts import PageHead, TaskRow
from autograder.page.render import page_html
from autograder.sandbox.results import CellResult, Reply, TraceLine
from autograder.service import describe
from secant import PartialCredit, check, language
from secant.bindings import Finding
from secant.catalogue import Hint
from secant.verdict import LIMIT, Part, Parts, Verdict, call_part, cause_part, named_error, parts_of

ROOT = Path(__file__).resolve().parents[2]
LABELS = ("expected", "got", "likely cause", "note", "기대한 값", "나온 값", "짐작되는 원인", "참고")
#: A line of a message that a reader would take for one of our fields.
FIELD = re.compile(rf"\s*(?:{'|'.join(LABELS)}|위치)\s*:|\s*at .*line \d+:")
FORGERY = "because I say so"


def pairs(parts: Parts) -> list[tuple[str, str]]:
    return [(part.kind, part.text) for part in parts]


def run_failing_check(function: Any, *arguments: Any, **options: Any) -> Verdict:
    """Return the verdict of a check that fails."""
    with pytest.raises(check.CheckFailed) as error:
        function(*arguments, **options)
    return error.value.verdict


# --- The parts that the checks and the examiner compose ---------------------------------------------------


def test_comparison_has_separate_parts_for_its_values_and_its_cause(both_languages: str) -> None:
    hint = Hint("half of it", "half")
    verdict = run_failing_check(check.close, 6.0, 12.0, "f(3)\n    f: x**2", mistakes={6.0: hint})
    sentence = {"en": "The value differs.", "ko": "값이 다릅니다."}[both_languages]
    assert pairs(verdict.parts) == [
        ("call", "f(3)\nf: x**2"),
        ("expected", "12"),
        ("got", "6"),
        ("text", sentence),
        ("cause", "half of it"),
    ]
    assert verdict.hint == "half"


def test_problem_that_is_a_hint_names_it() -> None:
    verdict = run_failing_check(check.refuse, "f(3)", Hint("the result is tracked", "tracked"))
    assert pairs(verdict.parts) == [("call", "f(3)"), ("text", "the result is tracked")]
    assert verdict.hint == "tracked"


def test_error_of_a_call_stands_between_the_call_and_the_hint(both_languages: str) -> None:
    result = {"raised": "RuntimeError: a leaf Variable\n    w -= lr * w.grad"}
    call, heading, *rest = pairs(run_failing_check(check.no_error, [result], "f(3)", "use no_grad()").parts)
    assert (call, heading[0]) == (("call", "f(3)"), "text")
    assert rest == [
        ("trace", "RuntimeError: a leaf Variable"),
        ("code", "w -= lr * w.grad"),
        ("cause", "use no_grad()"),
    ]


def test_location_is_on_the_line_of_its_code(both_languages: str) -> None:
    reply = Reply("raised", None, "Odd", "no\n  way", (TraceLine("answer f", 2, "f", "  raise Odd"),))
    verdict = Verdict(call_part("f(3)") + words.raised(reply))
    location = {"en": "at answer f, line 2:", "ko": "위치: answer f, 2번째 줄:"}[both_languages]
    heading = {"en": "Your code raised an error.", "ko": "코드에서 오류가 났습니다."}[both_languages]
    assert pairs(verdict.parts)[2:] == [
        ("trace", "Odd: no\n  way"),
        ("place", location),
        ("code", "raise Odd"),
    ]
    assert str(verdict).splitlines() == [
        "f(3):",
        heading,
        "  Odd: no",
        "  |   way",
        f"  {location} raise Odd",
    ]


def test_verdict_of_the_test_follows_the_error_of_a_stopped_cell() -> None:
    cell = CellResult("answer f", "Odd", "no", (TraceLine("answer f", 2, "f", "raise Odd"),), "", 0.0)
    test_parts = (*call_part("f(3)"), Part("expected", "4"))
    verdict = Verdict(words.stopped_early(cell, test_parts))
    kinds = [part.kind for part in verdict.parts]
    assert kinds == ["head", "trace", "place", "code", "head", "call", "expected"]
    assert verdict.parts[-2:] == test_parts


def test_partial_credit_stands_before_the_first_failure(capsys: pytest.CaptureFixture[str]) -> None:
    credit = PartialCredit(forward=1, gradient=2)
    with credit.part("gradient"):
        check.equal(1, 2, "f(3)")
    assert credit.points() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["1 of 3 points: forward passed, gradient did not.", "", "f(3)"]
    assert credit.summary().kind == "credit"


def test_message_is_in_the_language_in_which_the_verdict_was_made() -> None:
    language("ko")
    verdict = Verdict(cause_part("x"))
    language("en")
    assert str(verdict) == "  짐작되는 원인: x"


def test_verdict_survives_json() -> None:
    verdict = Verdict((*call_part("f(3)\n    f: x**2"), Part("cause", Hint("half", "half"))), "half", "ko")
    assert Verdict.from_json(json.loads(json.dumps(asdict(verdict)))) == verdict
    result = TaskResult("f", 0.0, 2.0, "wrong", verdict, 0.5, True)
    assert TaskResult.from_json(json.loads(json.dumps(asdict(result)))) == result


def test_result_of_an_older_version_shows_its_message_as_it_is() -> None:
    message = "f(3)\n  expected: 12\n  got: 6\n  likely cause: half"
    data = {"id": "f", "points": 0.0, "max_points": 2.0, "outcome": "wrong", "message": message}
    data |= {"seconds": 0.1, "hint": "half", "cell": "test_f", "auto": 0.0, "answer": ""}
    task = GradedTask.from_json(data)
    assert (task.message, task.verdict.hint, task.cell) == (message, "half", "test_f")
    assert GradedTask.from_json(json.loads(json.dumps(asdict(task)))) == task


def test_part_is_truncated_and_its_control_characters_are_escaped() -> None:
    assert Part("trace", "a\r\x1b[2K\u2028\tb").text == "a\\r\\x1b[2K\\u2028 b"
    assert len(Part("got", "\x1b" * 9_000).text) == LIMIT


# --- A student's text does not look like a field ----------------------------------------------------------

ATTEMPTS = [
    *(f"{label}: {FORGERY}" for label in LABELS),
    *(f"line one\n{space}{label}: {FORGERY}" for label in LABELS for space in ("", "  ", "    ", "\t")),
    *(f"line one{end}  likely cause: {FORGERY}" for end in ("\r", "\r\n", "\x0b", "\x85", "\u2028")),
    f"at answer f, line 2: {FORGERY}",
    f"x\n  at answer f, line 2: {FORGERY}",
    f"위치: answer f, 2번째 줄: {FORGERY}",
    f"x\n  위치: answer f, 2번째 줄: {FORGERY}",
    f"x\nYour code raised an error.\n  likely cause: {FORGERY}",
]


class SelfDescribing:
    """An object that describes itself with any text, as `wire.Unsendable` does with a student's type name."""

    def __init__(self, text: str) -> None:
        self.type_name = text

    def describe(self) -> str:
        return self.type_name

    def __repr__(self) -> str:
        return self.type_name


def verdicts_about(text: str) -> Iterator[Verdict]:
    """Yield verdicts that contain a student's text, one for each way in which the text gets there."""
    line = TraceLine(text, 2, text, text)
    for name, message in ((text, ""), (text, text), ("ValueError", text)):
        reply = Reply("raised", None, name, message, (line,))
        cell = CellResult("answer f", name, message, (line,), text, 0.0)
        yield Verdict(call_part("f(3)") + words.raised(reply))
        yield Verdict(words.stopped_early(cell, call_part("f(3)") + cause_part("ours")))
        yield Verdict(words.nothing_defined(cell))
        yield run_failing_check(check.no_error, [{"raised": f"{name}: {message}\n    {text}"}], "f(3)")
        yield Verdict(parts_of(type(name, (Exception,), {})(message)))
    yield Verdict(words.ran_into_stub(Reply("raised", trace=(line,))))
    yield run_failing_check(check.refuse, "f(3)", f"f returned {text}, which the test cannot work with")
    yield Verdict(words.not_found("f", [Finding("f", "stopped", "cell 3", 2, text, text)]))
    yield run_failing_check(check.close, SelfDescribing(text), 1.0, "f(3)")
    yield run_failing_check(check.equal, {text: 1}, {}, "f(3)")
    yield run_failing_check(check.equal, text, "right", "f(3)")
    yield run_failing_check(check.refuse, "f(3)", check.kind(SelfDescribing(text)))
    yield run_failing_check(check.refuse, "f(3)", (Part("trace", text),))
    yield run_failing_check(check.refuse, f"f(3): {text}\n    {text}", "a problem")
    yield run_failing_check(check.untouched, [("value", text), (text, text)], "f(3)")


@pytest.fixture(scope="module")
def forged_verdicts() -> list[Verdict]:
    return [verdict for text in ATTEMPTS for verdict in verdicts_about(text)]


def count_parts(verdict: Verdict, kinds: tuple[str, ...]) -> int:
    return sum(part.kind in kinds for part in verdict.parts)


def fields(lines: list[str]) -> list[str]:
    return [line for line in lines if FIELD.match(line)]


def count_fields(verdict: Verdict) -> int:
    return count_parts(verdict, ("expected", "got", "cause", "note", "place"))


def test_no_text_of_a_student_begins_a_line_like_a_field(forged_verdicts: list[Verdict]) -> None:
    """The notebook, the terminal, `--json` and formgrader's notebook show this text."""
    for verdict in forged_verdicts:
        lines = re.split(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", str(verdict))
        assert len(fields(lines)) == count_fields(verdict), str(verdict)
        assert str(verdict).count("\nYour code raised an error.") <= 1


def test_no_text_of_a_student_is_a_field_in_the_panel(forged_verdicts: list[Verdict]) -> None:
    for verdict in forged_verdicts:
        row = describe.row(TaskResult("f", 0.0, 2.0, "wrong", verdict), 0)
        causes = [part["text"] for part in row["parts"] if part["kind"] == "cause"]
        assert not [cause for cause in causes if cause.startswith((FORGERY, "line one", "likely"))]


def test_no_text_of_a_student_is_a_field_on_the_feedback_page(forged_verdicts: list[Verdict]) -> None:
    rows = [
        TaskRow(f"t{n}", "f", 0.0, 2.0, outcome="wrong", verdict=verdict)
        for n, verdict in enumerate(forged_verdicts)
    ]
    page = BeautifulSoup(page_html("ann", PageHead("n", "en", 0.0, 2.0, rows=rows), []), "html.parser")
    messages = page.select(".message")
    assert len(messages) == len(forged_verdicts)
    for verdict, message in zip(forged_verdicts, messages, strict=True):
        assert message.text == str(verdict)
        assert len(message.select("strong")) == count_parts(verdict, ("cause",))


def test_no_text_of_a_student_is_a_field_in_formgraders_notebook(forged_verdicts: list[Verdict]) -> None:
    for verdict in forged_verdicts:
        output = feedback._verdict_output(GradedTask("f", 0.0, 2.0, "wrong", verdict, cell="test_f"), "")
        assert len(fields(output.traceback)) == count_fields(verdict)


def test_no_text_of_a_student_names_a_missing_package_or_a_hint(forged_verdicts: list[Verdict]) -> None:
    """The report and the summary of a grading run read only the parts of a verdict."""
    text = "line one\n  ModuleNotFoundError: No module named 'mine'"
    tasks = [GradedTask("f", 0.0, 2.0, "wrong", verdict) for verdict in verdicts_about(text)]
    assert Result("ann", "n", tasks).missing_packages == set()
    kinds = {part.kind for task in tasks for part in task.verdict.parts if "named 'mine'" in part.text}
    assert {"trace", "text"} <= kinds
    assert not [verdict.hint for verdict in forged_verdicts if verdict.hint]
    verdict = Verdict((named_error("ModuleNotFoundError", "No module named 'mine'"),))
    assert Result("ann", "n", [GradedTask("f", 0.0, 2.0, "wrong", verdict)]).missing_packages == {"mine"}


RAISING_CODE = [
    'raise ValueError("line one\\n  likely cause: because I say so")',
    'raise type("likely cause", (Exception,), {})("because I say so")',
    'error = ValueError("x")\n    error.add_note("  likely cause: so\\nnote: y")\n    raise error',
    "class expected(Exception): pass\n    raise expected('4')",
    'class Odd:\n        def __repr__(self): return "x\\n  likely cause: because I say so"\n    return Odd()',
    "class Odd(Exception):\n        def _render_traceback_(self): return ['  got: so']\n    raise Odd",
]
TEST = """\
from secant import PartialCredit, ask, check

_credit = PartialCredit(first=1, second=1)
with _credit.part("second"):
    ask("slope(f, x)", f="lambda t: t**2", x=3.0).equals(6.0)
check.visible_passed(_credit)
_credit.points()
"""


@pytest.mark.costly("a kernel, which imports torch")
def test_no_text_of_a_student_is_a_field_in_a_notebook(quick_kernels: None) -> None:
    """As in nbgrader, two test cells run for each answer: one with partial credit and one without."""
    test_code = 'from secant import ask, check\nask("slope(f, x)", f="lambda t: t**2", x=3.0).equals(6.0)'
    cells = []
    for code in RAISING_CODE:
        cells += [
            new_code_cell(f"def slope(f, x):\n    {code}"),
            new_code_cell(test_code),
            new_code_cell(TEST),
        ]
    NotebookClient(new_notebook(cells=cells), timeout=60, kernel_name="python3", allow_errors=True).execute()
    for cell in cells:
        if cell.source.startswith("def"):
            continue
        texts = ["\n".join(output.get("traceback", [output.get("text", "")])) for output in cell.outputs]
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))
        assert text
        genuine_line = re.compile(r"  (?:expected: 6$|got: x$|at slope, line \d+: )")
        assert [line for line in fields(text.splitlines()) if not genuine_line.match(line)] == [], text


# --- Words --------------------------------------------------------------------------------------------------


def strings(path: Path) -> Iterator[str]:
    """Yield the strings of a source file; docstrings of Python files are left out."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from re.findall(r"""['"`/]([^'"`/\n]*)['"`/]""", text)
        return
    tree = ast.parse(text)
    docstring_ids = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstring_ids:
            yield node.value


def test_no_wording_of_a_verdict_is_matched_outside_of_its_renderer() -> None:
    """Only secant/verdict.py and the panel's words.js contain the labels of a verdict's fields."""
    label_texts = "likely cause|기대한 값|나온 값|짐작되는 원인"
    label = re.compile(rf"\s*(?:(?:{'|'.join(LABELS)}|위치)\s*:.*|{label_texts})\s*", re.DOTALL)
    result = subprocess.run(
        ["git", "ls-files", "secant", "autograder"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    sources = [ROOT / name for name in result.stdout.splitlines() if name.endswith((".py", ".js", ".j2"))]
    paths = {
        path.relative_to(ROOT).as_posix() for path in sources if any(map(label.fullmatch, strings(path)))
    }
    assert paths == {"secant/verdict.py", "secant/lab/labextensions/secant/static/words.js"}
