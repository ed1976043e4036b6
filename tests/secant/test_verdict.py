"""Tests of a verdict's parts and message. In no medium may a student's text look like one of our fields."""

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
from secant.verdict import LIMIT, Part, Parts, Verdict, because, called, named_error, parts_of

ROOT = Path(__file__).resolve().parents[2]
LABELS = ("expected", "got", "likely cause", "note", "기대한 값", "나온 값", "짐작되는 원인", "참고")
#: A line of a message that a reader would take for one of our fields.
FIELD = re.compile(rf"\s*(?:{'|'.join(LABELS)}|위치)\s*:|\s*at .*line \d+:")
FORGED = "because I say so"


def pairs(parts: Parts) -> list[tuple[str, str]]:
    return [(part.kind, part.text) for part in parts]


def failed(judge: Any, *arguments: Any, **options: Any) -> Verdict:
    """Return the verdict of a check that fails."""
    with pytest.raises(check.CheckFailed) as caught:
        judge(*arguments, **options)
    return caught.value.verdict


# --- The parts that the checks and the examiner compose ---------------------------------------------------


def test_comparison_has_its_values_and_its_cause_apart(both_languages: str) -> None:
    half = Hint("half of it", "half")
    verdict = failed(check.close, 6.0, 12.0, "f(3)\n    f: x**2", mistakes={6.0: half})
    differs = {"en": "The value differs.", "ko": "값이 다릅니다."}[both_languages]
    assert pairs(verdict.parts) == [
        ("call", "f(3)\nf: x**2"),
        ("expected", "12"),
        ("got", "6"),
        ("text", differs),
        ("cause", "half of it"),
    ]
    assert verdict.hint == "half"


def test_problem_that_is_a_hint_names_it() -> None:
    verdict = failed(check.refuse, "f(3)", Hint("the result is tracked", "tracked"))
    assert pairs(verdict.parts) == [("call", "f(3)"), ("text", "the result is tracked")]
    assert verdict.hint == "tracked"


def test_error_of_a_call_stands_between_the_call_and_the_hint(both_languages: str) -> None:
    raised = {"raised": "RuntimeError: a leaf Variable\n    w -= lr * w.grad"}
    call, says, *others = pairs(failed(check.no_error, [raised], "f(3)", "use no_grad()").parts)
    assert (call, says[0]) == (("call", "f(3)"), "text")
    assert others == [
        ("trace", "RuntimeError: a leaf Variable"),
        ("code", "w -= lr * w.grad"),
        ("cause", "use no_grad()"),
    ]


def test_place_shares_the_line_of_its_code(both_languages: str) -> None:
    reply = Reply("raised", None, "Odd", "no\n  way", (TraceLine("answer f", 2, "f", "  raise Odd"),))
    verdict = Verdict(called("f(3)") + words.raised(reply))
    place = {"en": "at answer f, line 2:", "ko": "위치: answer f, 2번째 줄:"}[both_languages]
    head = {"en": "Your code raised an error.", "ko": "코드에서 오류가 났습니다."}[both_languages]
    assert pairs(verdict.parts)[2:] == [("trace", "Odd: no\n  way"), ("place", place), ("code", "raise Odd")]
    assert str(verdict).splitlines() == ["f(3):", head, "  Odd: no", "  |   way", f"  {place} raise Odd"]


def test_verdict_of_the_test_follows_the_error_of_a_stopped_cell() -> None:
    cell = CellResult("answer f", "Odd", "no", (TraceLine("answer f", 2, "f", "raise Odd"),), "", 0.0)
    tested = (*called("f(3)"), Part("expected", "4"))
    verdict = Verdict(words.stopped_early(cell, tested))
    kinds = [part.kind for part in verdict.parts]
    assert kinds == ["head", "trace", "place", "code", "head", "call", "expected"]
    assert verdict.parts[-2:] == tested


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
    verdict = Verdict(because("x"))
    language("en")
    assert str(verdict) == "  짐작되는 원인: x"


def test_verdict_survives_json() -> None:
    verdict = Verdict((*called("f(3)\n    f: x**2"), Part("cause", Hint("half", "half"))), "half", "ko")
    assert Verdict.from_json(json.loads(json.dumps(asdict(verdict)))) == verdict
    result = TaskResult("f", 0.0, 2.0, "wrong", verdict, 0.5, True)
    assert TaskResult.from_json(json.loads(json.dumps(asdict(result)))) == result


def test_result_of_an_older_version_shows_its_message_as_it_is() -> None:
    message = "f(3)\n  expected: 12\n  got: 6\n  likely cause: half"
    old = {"id": "f", "points": 0.0, "max_points": 2.0, "outcome": "wrong", "message": message}
    old |= {"seconds": 0.1, "hint": "half", "cell": "test_f", "auto": 0.0, "answer": ""}
    graded = GradedTask.from_json(old)
    assert (graded.message, graded.verdict.hint, graded.cell) == (message, "half", "test_f")
    assert GradedTask.from_json(json.loads(json.dumps(asdict(graded)))) == graded


def test_part_is_cut_and_shows_what_steers_as_an_escape() -> None:
    assert Part("trace", "a\r\x1b[2K\u2028\tb").text == "a\\r\\x1b[2K\\u2028 b"
    assert len(Part("got", "\x1b" * 9_000).text) == LIMIT


# --- A student's text does not look like a field ----------------------------------------------------------

ATTEMPTS = [
    *(f"{label}: {FORGED}" for label in LABELS),
    *(f"line one\n{space}{label}: {FORGED}" for label in LABELS for space in ("", "  ", "    ", "\t")),
    *(f"line one{end}  likely cause: {FORGED}" for end in ("\r", "\r\n", "\x0b", "\x85", "\u2028")),
    f"at answer f, line 2: {FORGED}",
    f"x\n  at answer f, line 2: {FORGED}",
    f"위치: answer f, 2번째 줄: {FORGED}",
    f"x\n  위치: answer f, 2번째 줄: {FORGED}",
    f"x\nYour code raised an error.\n  likely cause: {FORGED}",
]


class Described:
    """An object that describes itself with any text, as `wire.Unsendable` does with a student's type name."""

    def __init__(self, text: str) -> None:
        self.type_name = text

    def describe(self) -> str:
        return self.type_name

    def __repr__(self) -> str:
        return self.type_name


def verdicts_about(text: str) -> Iterator[Verdict]:
    """Yield a verdict for each way in which a student's text gets into one."""
    line = TraceLine(text, 2, text, text)
    for name, message in ((text, ""), (text, text), ("ValueError", text)):
        reply = Reply("raised", None, name, message, (line,))
        cell = CellResult("answer f", name, message, (line,), text, 0.0)
        yield Verdict(called("f(3)") + words.raised(reply))
        yield Verdict(words.stopped_early(cell, called("f(3)") + because("ours")))
        yield Verdict(words.nothing_defined(cell))
        yield failed(check.no_error, [{"raised": f"{name}: {message}\n    {text}"}], "f(3)")
        yield Verdict(parts_of(type(name, (Exception,), {})(message)))
    yield Verdict(words.ran_into_stub(Reply("raised", trace=(line,))))
    yield failed(check.refuse, "f(3)", f"f returned {text}, which the test cannot work with")
    yield Verdict(words.not_found("f", [Finding("f", "stopped", "cell 3", 2, text, text)]))
    yield failed(check.close, Described(text), 1.0, "f(3)")
    yield failed(check.equal, {text: 1}, {}, "f(3)")
    yield failed(check.equal, text, "right", "f(3)")
    yield failed(check.refuse, "f(3)", check.kind(Described(text)))
    yield failed(check.refuse, "f(3)", (Part("trace", text),))
    yield failed(check.refuse, f"f(3): {text}\n    {text}", "a problem")
    yield failed(check.untouched, [("value", text), (text, text)], "f(3)")


@pytest.fixture(scope="module")
def forged() -> list[Verdict]:
    return [verdict for text in ATTEMPTS for verdict in verdicts_about(text)]


def shown_as(verdict: Verdict, kinds: tuple[str, ...]) -> int:
    return sum(part.kind in kinds for part in verdict.parts)


def fields(lines: list[str]) -> list[str]:
    return [line for line in lines if FIELD.match(line)]


def genuine(verdict: Verdict) -> int:
    return shown_as(verdict, ("expected", "got", "cause", "note", "place"))


def test_no_text_of_a_student_begins_a_line_like_a_field(forged: list[Verdict]) -> None:
    """The notebook, the terminal, `--json` and formgrader's notebook show this text."""
    for verdict in forged:
        lines = re.split(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", str(verdict))
        assert len(fields(lines)) == genuine(verdict), str(verdict)
        assert str(verdict).count("\nYour code raised an error.") <= 1


def test_no_text_of_a_student_is_a_field_in_the_panel(forged: list[Verdict]) -> None:
    for verdict in forged:
        row = describe.row(TaskResult("f", 0.0, 2.0, "wrong", verdict), 0)
        causes = [part["text"] for part in row["parts"] if part["kind"] == "cause"]
        assert not [cause for cause in causes if cause.startswith((FORGED, "line one", "likely"))]


def test_no_text_of_a_student_is_a_field_on_the_feedback_page(forged: list[Verdict]) -> None:
    rows = [TaskRow(f"t{n}", "f", 0.0, 2.0, outcome="wrong", verdict=each) for n, each in enumerate(forged)]
    page = BeautifulSoup(page_html("ann", PageHead("n", "en", 0.0, 2.0, rows=rows), []), "html.parser")
    messages = page.select(".message")
    assert len(messages) == len(forged)
    for verdict, message in zip(forged, messages, strict=True):
        assert message.text == str(verdict)
        assert len(message.select("strong")) == shown_as(verdict, ("cause",))


def test_no_text_of_a_student_is_a_field_in_formgraders_notebook(forged: list[Verdict]) -> None:
    for verdict in forged:
        output = feedback._verdict(GradedTask("f", 0.0, 2.0, "wrong", verdict, cell="test_f"), "")
        assert len(fields(output.traceback)) == genuine(verdict)


def test_no_text_of_a_student_names_a_missing_package_or_a_hint(forged: list[Verdict]) -> None:
    """The report and the summary of a grading run read only the parts of a verdict."""
    text = "line one\n  ModuleNotFoundError: No module named 'mine'"
    tasks = [GradedTask("f", 0.0, 2.0, "wrong", each) for each in verdicts_about(text)]
    assert Result("ann", "n", tasks).missing_packages == set()
    kinds = {part.kind for task in tasks for part in task.verdict.parts if "named 'mine'" in part.text}
    assert {"trace", "text"} <= kinds
    assert not [verdict.hint for verdict in forged if verdict.hint]
    told = Verdict((named_error("ModuleNotFoundError", "No module named 'mine'"),))
    assert Result("ann", "n", [GradedTask("f", 0.0, 2.0, "wrong", told)]).missing_packages == {"mine"}


RAISING = [
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
    """A test cell without and one with partial credit test each answer, as in nbgrader's own engine."""
    judging = 'from secant import ask, check\nask("slope(f, x)", f="lambda t: t**2", x=3.0).equals(6.0)'
    cells = []
    for code in RAISING:
        cells += [new_code_cell(f"def slope(f, x):\n    {code}"), new_code_cell(judging), new_code_cell(TEST)]
    NotebookClient(new_notebook(cells=cells), timeout=60, kernel_name="python3", allow_errors=True).execute()
    for cell in cells:
        if cell.source.startswith("def"):
            continue
        texts = ["\n".join(output.get("traceback", [output.get("text", "")])) for output in cell.outputs]
        shown = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))
        assert shown
        ours = re.compile(r"  (?:expected: 6$|got: x$|at slope, line \d+: )")
        assert [line for line in fields(shown.splitlines()) if not ours.match(line)] == [], shown


# --- Words --------------------------------------------------------------------------------------------------


def strings(path: Path) -> Iterator[str]:
    """Yield the strings of a source file; docstrings of Python files are left out."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from re.findall(r"""['"`/]([^'"`/\n]*)['"`/]""", text)
        return
    tree = ast.parse(text)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


def test_no_wording_of_a_verdict_is_matched_outside_of_its_renderer() -> None:
    """Only secant/verdict.py and the panel's words contain the labels and the word for a place."""
    bare = "likely cause|기대한 값|나온 값|짐작되는 원인"
    label = re.compile(rf"\s*(?:(?:{'|'.join(LABELS)}|위치)\s*:.*|{bare})\s*", re.DOTALL)
    listed = subprocess.run(
        ["git", "ls-files", "secant", "autograder"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    sources = [ROOT / name for name in listed.stdout.splitlines() if name.endswith((".py", ".js", ".j2"))]
    found = {
        path.relative_to(ROOT).as_posix() for path in sources if any(map(label.fullmatch, strings(path)))
    }
    assert found == {"secant/verdict.py", "secant/lab/labextensions/secant/static/words.js"}
