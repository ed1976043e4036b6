"""Tests of the findings about the names that a notebook's cells bind; here, no kernel runs the cells."""

import builtins
import linecache
import weakref
from typing import Any

import pytest

from secant import language
from secant.bindings import BUILTINS, REBOUND, Bindings, Finding, bindings, describe, describe_finding
from secant.language import LANGUAGES
from tests.support.settings import in_english  # noqa: F401


def run_cells(*cells: str, imports: int = -1) -> tuple[dict[str, Any], Bindings]:
    """Run cells labelled "cell 0", "cell 1" and so on; return their names and the record of the names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    record = Bindings(names, lambda frame: "cell" if frame.f_globals is names else "")
    record.begin((f"cell {number}", source) for number, source in enumerate(cells))
    for number, source in enumerate(cells):
        label = f"cell {number}"
        linecache.cache[label] = len(source), None, source.splitlines(True), label
        try:
            exec(compile(source, label, "exec"), names)
        except Exception as error:
            record.fail(label, error, 1, source.splitlines()[0], f"{type(error).__name__}: {error}")
        record.note(label, imports=number == imports)
    return names, record


def explain_failure(names: dict[str, Any], record: Bindings, call: str) -> list[Finding]:
    try:
        eval(call, names)
    except Exception as error:
        return record.explain_error(error)
    raise AssertionError(f"{call} raises nothing")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = y = 1\nx += 1", {"x": 2, "y": 1}),
        ("a, (b, *c) = 1, (2, 3)", {"a": 1, "b": 1, "c": 1}),
        ("for i in ():\n    j = i", {"i": 1, "j": 2}),
        ("import a.b, c as d\nfrom e import f as g, h", {"a": 1, "d": 1, "g": 2, "h": 2}),
        ("def f(x):\n    y = x\n    def g(): pass", {"f": 1}),
        ("class A:\n    b = 1\n    def c(self): pass", {"A": 1}),
        ("def f():\n    global x\n    x = 1", {"f": 1, "x": 2}),
        (
            "with open('a') as b:\n    pass\ntry:\n    c = 1\nexcept E as d:\n    pass",
            {"b": 1, "c": 4, "d": 5},
        ),
        ("match 1:\n    case [a, *b] | c:\n        pass", {"a": 2, "b": 2, "c": 2}),
        ("if (n := 1):\n    del m", {"n": 1, "m": 2}),
        ("print(x)", {}),
        ("def f(x)\n    return 1\ny = 2\nimport a.b as c, d", {"f": 1, "y": 3, "c": 4, "d": 4}),
    ],
)
def test_the_names_that_code_binds_are_found_with_their_lines(source: str, names: dict[str, int]) -> None:
    assert bindings(source) == names


def test_class_that_extends_the_imported_one_is_not_rebound() -> None:
    """Lesson 10 asks for `class Value(Value)`. A class that only has the same name is another class."""
    lesson = "from decimal import Decimal"
    subclass_cells = run_cells(
        lesson, "class Decimal(Decimal):\n    pass", "class Decimal(Decimal):\n    x = 1", imports=0
    )
    redefinition_cells = run_cells(lesson, "class Decimal:\n    pass", imports=0)
    assert list(subclass_cells[1].rebound()) == []
    assert subclass_cells[1].used_by("Decimal", "cell 1", {}) == []
    assert list(redefinition_cells[1].rebound()) == ["Decimal"]


def test_a_name_counts_as_used_only_where_it_is_read_as_a_global() -> None:
    """An attribute, an argument or a local variable of the same name does not count."""
    names, record = run_cells(
        "def attribute(x):\n    return x.sum()",
        "def argument(sum):\n    return sum(1)",
        "def local():\n    sum = 3\n    return sum",
        "def helper():\n    return [sum(x) for x in ()]\ndef caller():\n    return helper()",
        "class Thing:\n    @property\n    def whole(self):\n        return sum(())",
        "sum = 0",
    )
    rebound_names = record.rebound()
    assert list(rebound_names) == ["sum"]
    usage = {
        name: bool(record.used_by(name, "", rebound_names)) for name in names if not name.startswith("_")
    }
    users = {"helper", "caller", "Thing", "sum"}
    assert {name for name, is_used in usage.items() if is_used} == users


def test_an_answer_that_defines_another_name_than_its_task_is_found_by_its_cell() -> None:
    _, record = run_cells("class Value:\n    def add(self):\n        return sum(())", "sum = 0")
    assert [finding.name for finding in record.used_by("value_add", "cell 0", record.rebound())] == ["sum"]


def test_rebound_name_is_blamed_only_in_the_failing_expression() -> None:
    names, record = run_cells("str = 1\nlen = 2", "def f(x):\n    return [len,\n        str(x)]")
    assert [finding.name for finding in explain_failure(names, record, "f(1)")] == ["str"]
    names, record = run_cells("str = 1", "def f(x):\n    return 1 / 0, str")
    assert explain_failure(names, record, "f(1)") == []


def test_a_value_of_another_type_is_named_and_one_of_the_same_type_is_not() -> None:
    names, record = run_cells("rate = 0.1", "def f(x):\n    return rate[0]", "rate = [0.1]", "rate = 0.2")
    (finding,) = explain_failure(names, record, "f(1)")
    assert (finding.kind, finding.cell, finding.more) == ("own", "cell 3", "float (0.2)")
    names, record = run_cells("rate = 0.1", "def f(x):\n    return rate[0]", "rate = 0.2")
    assert explain_failure(names, record, "f(1)") == []


def test_a_function_defined_again_is_no_cause() -> None:
    names, record = run_cells("def f(x):\n    return 1 / x", "def f(x):\n    return 2 / x")
    assert record.rebound() == {}
    assert explain_failure(names, record, "f(0)") == []


def test_bindings_keep_no_object_of_the_notebook_alive() -> None:
    """A lesson observes when torch frees a graph, so nothing else may keep the graph alive."""
    names, record = run_cells("class A: pass\na = A()\nb = 1 / 0")
    reference = weakref.ref(names["a"])
    del names["a"]
    assert reference() is None
    record.note("cell 1")
    assert [finding.kind for finding in record.explain_missing("a")] == ["deleted"]


def test_name_that_is_bound_again_no_longer_counts_as_deleted() -> None:
    _, record = run_cells("x = 1", "del x", "x = 2", "import nothing_like_this\ny = 1")
    assert record.explain_missing("x")[0].kind != "deleted"
    assert [finding.kind for finding in record.explain_missing("y")] == ["stopped"]
    assert record.explain_missing("z") == []


def test_a_name_in_code_that_did_not_run_is_found_and_one_deleted_at_once_counts_as_deleted() -> None:
    _, record = run_cells("if False:\n    x = 1", "y = 1\ndel y", "[z for z in ()]")
    assert [
        (finding.kind, finding.line) for finding in record.explain_missing("x") + record.explain_missing("y")
    ] == [
        ("branch", 2),
        ("deleted", 2),
    ]
    assert record.explain_missing("z") == []


def test_a_hostile_object_is_described_by_its_type() -> None:
    class Odd:
        __name__ = property(lambda self: 1 / 0)

        def __call__(self) -> None:
            pass

        def __eq__(self, other: object) -> bool:
            raise ValueError

    names, record = run_cells("x = 1", "def f(x):\n    return sum(x)")
    names["sum"] = Odd()
    record.note("cell 2")
    assert [finding.more for finding in record.rebound().values()] == ["Odd"]


@pytest.mark.parametrize(
    ("value", "description"),
    [
        (80, "int (80)"),
        (None, "None"),
        ("a" * 100, f"str ('{'a' * 39})"),
        ([1], "list"),
        (builtins, "module (builtins)"),
        (len, "function (len)"),
        (int, "class (int)"),
    ],
)
def test_a_value_is_described_in_a_few_words(value: object, description: str) -> None:
    assert describe(value) == description


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_finding_about_names_has_texts_in_both_languages(lang: Any) -> None:
    language(lang)
    kinds = (
        *REBOUND,
        "deleted",
        "stopped",
        "perhaps",
        "branch",
        "magic",
        "inside",
        "comment",
        "text",
        "below",
        "endless",
    )
    sentences = {describe_finding(Finding("f", kind, "cell 7", 3, "def f():", "int (80)")) for kind in kinds}
    assert len(sentences) == len(kinds)
    for sentence in sentences:
        assert "`f`" in sentence
        assert sentence.endswith("cell 7, line 3: def f():" if lang == "en" else "cell 7, 3번째 줄: def f():")


def test_builtins_are_those_of_a_fresh_interpreter() -> None:
    assert BUILTINS["len"] is len
    assert {"str", "sum", "super", "ValueError"} <= BUILTINS.keys()
