"""What the service is made of, without a server: a message in its parts, last verdicts, checks in threads."""

import copy
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course.cells import grade_id
from autograder.exam import words
from autograder.exam.sheet import Reader
from autograder.sandbox.results import Line, Reply
from autograder.service import last
from autograder.service.describe import parts
from autograder.service.running import Leash, Stopped, Threaded
from secant import check, language
from tests.support.small_class import answered, solutions

ROOT = Path(__file__).resolve().parents[3]
LESSON = "01_what_autograd_does"


@pytest.fixture(params=["en", "ko"])
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    before = language()
    language(request.param)
    yield request.param
    language(before)


def split(message: str) -> list[tuple[str, str]]:
    return [(part["kind"], part["text"]) for part in parts(message)]


def told(of: Any, *arguments: Any, **options: Any) -> list[tuple[str, str]]:
    """What a check that fails says, in its parts."""
    with pytest.raises(check.CheckFailed) as failed:
        of(*arguments, **options)
    return split(str(failed.value))


def test_a_comparison_in_its_parts(spoken: str) -> None:
    found = told(check.close, 6.0, 12.0, "f(3)\n    f: x**2", mistakes={6.0: "half of it"})
    differs = {"en": "The value differs.", "ko": "값이 다릅니다."}[spoken]
    assert found == [
        ("call", "f(3)\nf: x**2"),
        ("expected", "12"),
        ("got", "6"),
        ("text", differs),
        ("cause", "half of it"),
    ]


def test_a_call_and_what_is_wrong_with_it_stand_apart() -> None:
    call = "g([t**2, sin(t)], f=lambda t: w * t)['a'], float32"
    error = "TypeError: 'NoneType' object is not iterable"
    assert told(check.that, False, f"{call}: the result is tracked") == [
        ("call", call),
        ("text", "the result is tracked"),
    ]
    assert told(check.that, False, f"{call}, tracked: x: {error}\n  a hint") == [
        ("call", f"{call}, tracked: x"),
        ("trace", error),
        ("text", "a hint"),
    ]
    assert told(check.that, False, f"{call}: [3, 2]\n  a hint") == [
        ("call", f"{call}: [3, 2]"),
        ("text", "a hint"),
    ]
    for question in ("a + b, a = Value(2.0)", "f(x), g(t) = sin(t), x = (1, 2)"):
        assert told(check.that, False, f"{question}: it is old") == [
            ("call", question),
            ("text", "it is old"),
        ]
    assert told(check.equal, [], {}, "the keys of f()")[0] == ("call", "the keys of f()")
    for sentence in ("backward() must run: once", "no call at all: nothing", "(a, b): a pair"):
        assert told(check.that, False, sentence) == [("text", sentence)]


def test_an_error_of_a_call_stands_between_the_call_and_the_hint(spoken: str) -> None:
    raised = {"raised": "RuntimeError: a leaf Variable\n    w -= lr * w.grad"}
    call, says, *others = told(check.no_error, [raised], "f(3)", "use no_grad()")
    assert (call, says[0]) == (("call", "f(3)"), "text")
    assert others == [
        ("trace", "RuntimeError: a leaf Variable"),
        ("code", "w -= lr * w.grad"),
        ("cause", "use no_grad()"),
    ]


def test_an_error_in_its_parts(spoken: str) -> None:
    reply = Reply("raised", None, "Odd", "no\n  way", (Line("answer f", 2, "f", "raise Odd"),))
    call, says, *others = split(words.at_the_call(words.raised(reply), "f(3)"))
    assert (call, says[0]) == (("call", "f(3)"), "text")
    place = {"en": "at answer f, line 2:", "ko": "위치: answer f, 2번째 줄:"}[spoken]
    assert others == [("trace", "Odd: no\nway"), ("text", place), ("code", "raise Odd")]


def test_a_new_edition_keeps_what_it_still_asks_and_doubts_what_it_tests_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    nbformat.write(answered(ROOT, solutions(ROOT, LESSON), "en", LESSON), tmp_path / "mine.ipynb")
    monkeypatch.chdir(ROOT)
    sheet = Reader().read(tmp_path / "mine.ipynb")
    first, second, *others = (task.id for task in sheet.tasks)
    rows = [{"id": task.id, "points": 2.0, "outcome": "passed"} for task in sheet.tasks]
    last.keep(sheet, rows)
    source = copy.deepcopy(sheet.assignment.source)
    source.cells = [cell for cell in source.cells if grade_id(cell) not in (first, f"test_{first}")]
    next(cell for cell in source.cells if grade_id(cell) == f"test_{second}").source += "\nassert True"
    found = last.recall(replace(sheet, assignment=replace(sheet.assignment, source=source)))
    assert found is not None
    assert [row["id"] for row in found["rows"]] == [second, *others]
    assert [row["id"] for row in found["rows"] if row["changed"]] == [second]
    before = last.recall(sheet)
    assert before is not None
    assert [row["id"] for row in before["rows"]] == [first, second, *others]  # nothing is lost


class Containers:
    """A pool whose containers only note that they were killed."""

    def __init__(self) -> None:
        self.killed = threading.Event()

    def take(self) -> Any:
        return type("Container", (), {"kill": lambda _: self.killed.set()})()

    def refill(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_check_in_a_thread_is_stopped_and_the_next_waits_for_it() -> None:
    pool = Containers()
    leash = Leash(pool)
    ends: list[dict[str, Any]] = []
    begun, over = threading.Event(), threading.Semaphore(0)

    def endless(tell: Any) -> dict[str, Any]:
        leash.take()
        begun.set()
        assert pool.killed.wait(10)
        tell({"id": "never told"})
        return {}

    def quick(tell: Any) -> dict[str, Any]:
        leash.take()
        tell({"id": "told"})
        return {"score": 1.0, "max_score": 1.0}

    def finish(end: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        ends.append({**end, "rows": [row["id"] for row in rows]})
        over.release()

    first = Threaded(endless, lambda event: None, finish)
    second = Threaded(quick, lambda event: None, finish)
    first.start(leash)
    assert begun.wait(10)
    second.start(leash)
    assert not ends
    assert first.stop()
    assert over.acquire(timeout=10)
    assert over.acquire(timeout=10)
    assert sorted(end["event"] for end in ends) == ["end", "stopped"]
    assert {tuple(end["rows"]) for end in ends} == {(), ("told",)}
    assert not first.stop()


def test_a_leash_that_was_pulled_gives_nothing() -> None:
    leash = Leash(Containers())
    leash.pull()
    with pytest.raises(Stopped):
        leash.take()
