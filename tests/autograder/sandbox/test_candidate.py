"""Tests of the code inside a container, run in this process with harmless cells."""

import builtins
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from ipywidgets import Widget

from autograder.sandbox.inside import candidate, wire
from autograder.sandbox.inside import shell as cells
from autograder.sandbox.inside.limits import OUTPUT_LIMIT
from secant.bindings import Bindings


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    main = sys.modules["__main__"]  # IPython puts the notebook's module in its place
    original_open = Widget.open
    yield cells.make_shell()
    Widget.open = original_open
    cells.Shell.clear_instance()
    sys.modules["__main__"], sys.modules["builtins"] = main, builtins


def test_truncated_output_keeps_its_beginning() -> None:
    output = cells.Output()
    for _ in range(3):
        assert output.write("x" * OUTPUT_LIMIT) == OUTPUT_LIMIT
    output.write("\ud800")
    assert output.text() == "x" * OUTPUT_LIMIT
    with pytest.raises(TypeError):
        output.write(b"x")


def test_any_output_can_be_sent_to_the_examiner() -> None:
    output = cells.Output()
    output.write("\ud800 한국어")
    assert output.text() == "? 한국어"
    wire.encode(output.text(), exact=True)


def test_an_error_shows_only_the_students_lines(shell: Any) -> None:
    report = cells.run_cell(shell, "grad", "def f(n):\n    return f(n + 1)\nf(0)")
    assert report["error"] == "RecursionError"
    assert {line[0] for line in report["trace"]} == {"grad"}
    assert len(report["trace"]) <= cells.TRACE_LIMIT
    assert report["trace"][0] == ("grad", 3, "<module>", "f(0)")


def test_a_syntax_error_names_its_line(shell: Any) -> None:
    report = cells.run_cell(shell, "grad", "x = 1\ny = = 2")
    assert report["error"] == "SyntaxError"
    assert report["trace"] == [("grad", 2, "", "y = = 2")]


@pytest.mark.parametrize("last_line", ["slider", "display(slider)", "display(slider, slider)"])
def test_widget_leaves_no_text_in_the_output(shell: Any, last_line: str) -> None:
    """A page cannot show the widget, and the widget's text form would tell a reader nothing."""
    report = cells.run_cell(
        shell, "1", f"from ipywidgets import IntSlider\nslider = IntSlider()\n{last_line}"
    )
    assert (report["output"], report["error"]) == ("", "")
    assert cells.run_cell(shell, "1", "display(3)\n4")["output"] == "3\nOut[0]: 4\n"


def test_warnings_and_prints_are_output_not_errors(shell: Any) -> None:
    source = "import sys, warnings; warnings.warn('careful'); print('out'); print('err', file=sys.stderr)"
    with pytest.warns(UserWarning, match="careful"):  # pytest captures the warning
        report = cells.run_cell(shell, "a", source)
    assert report["error"] == ""
    assert report["output"] == "out\nerr\n"


def test_reset_restores_process_settings_changed_by_a_notebook() -> None:
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImportWarning)
        candidate.reset()
        candidate.seed(5)
        first = torch.rand(2)
        assert ("error", None, ImportWarning, None, 0) not in warnings.filters
    candidate.seed(5)
    assert torch.equal(first, torch.rand(2))
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()


def answer_requests(names: dict[str, Any], *requests: dict[str, Any]) -> list[Any]:
    return [candidate._task_answer(request, names, Bindings(names, cells._label)) for request in requests]


def ask_request(name: str, *args: Any) -> dict[str, Any]:
    return {"do": "ask", "name": name, "args": list(args), "kwargs": {}}


def test_probes_see_the_students_names_and_leave_them_alone() -> None:
    student_names: dict[str, Any] = {}
    exec("scale = 2\ndef f(x):\n    return scale * x", student_names)
    names = dict(student_names)
    define_request = {"do": "define", "source": "import math\nscale = 100\ndef p(x): return f(x) + scale"}
    answers = answer_requests(
        names, define_request, ask_request("p", 1.0), ask_request("f", 1.0), ask_request("nobody")
    )
    assert answers[0] == {"kind": "value", "value": None}
    assert answers[1]["value"] == 102.0  # the probe and the student's function each use their own `scale`
    assert answers[2]["value"] == 2.0
    assert answers[3] == {"kind": "missing"}
    assert "math" not in student_names


def test_a_probe_may_define_a_dataclass() -> None:
    source = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\ndef p(): return P(3).x"
    answers = answer_requests({}, {"do": "define", "source": source}, ask_request("p"))
    assert answers[1]["value"] == 3


def test_calling_an_answer_that_is_no_function_raises_type_error() -> None:
    (answer,) = answer_requests({"f": 5}, ask_request("f", 1))
    assert (answer["kind"], answer["error"]) == ("raised", "TypeError")


def test_candidate_serves_questions_over_a_socket(shell: Any) -> None:
    examiner_socket, candidate_socket = socket.socketpair()

    def serve() -> None:
        try:
            candidate.serve(candidate_socket, shell)
        except wire.WireClosed:
            candidate_socket.close()

    # Only the main thread may set signal handlers, as reset() tries to do. reset() ignores that failure.
    thread = threading.Thread(target=serve)
    thread.start()
    with examiner_socket:
        wire.send(
            examiner_socket,
            {"do": "load", "seed": 1, "cells": [["a", "x = 1 + 1\nx"], ["b", "1/0"]], "answers": {}},
        )
        replies = [wire.recv(examiner_socket, time.monotonic() + 30) for _ in range(3)]
    thread.join(30)
    assert replies[0]["output"] == "Out[0]: 2\n"
    assert replies[1]["error"] == "ZeroDivisionError"
    assert replies[2]["threads"] >= 1
