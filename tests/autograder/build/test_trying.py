"""Tests of `autograder try`, which reports recorded answers' outcomes and differences from the record."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from autograder.build.values import literal
from autograder.course.lesson import Lesson

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")


def tried(lesson: Lesson, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process, because it forks, and pytest's process may have threads."""
    command = [sys.executable, "-m", "autograder.cli", "try", "1", *arguments]
    return subprocess.run(command, cwd=lesson.root, capture_output=True, text=True, check=False, timeout=240)


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_the_recorded_outcome_of_each_answer(steps: Lesson) -> None:
    done = tried(steps, "--lang", "ko")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert {"double", "Counter"} <= set(lines)
    assert lines.count("  the course's own answer: passed") == 2
    assert "  right: adds it to itself: passed" in lines
    (squares,) = [line for line in lines if line.startswith("  wrong: squares it: ")]
    assert "수를 제곱했습니다" in squares
    assert re.fullmatch(r"\d+ answers: 0 not as recorded\.", lines[-1])


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_answers_whose_outcome_differs_from_the_record(steps: Lesson) -> None:
    wrong = steps.folder / "wrong_answers.py"
    changed(wrong, 'en="you squared the number"', 'en="you cubed it"')
    changed(wrong, "    return x + 3", "    return 2 * x")
    changed(wrong, "    return 2 * abs(x)", "    import os\n\n    os._exit(3)")
    changed(steps.text, "assert isinstance(", 'with check.asking("double([1])"):\n    assert isinstance(')
    changed(steps.text, "    return 2 * x\n    ### END SOLUTION", "    return 3 * x\n    ### END SOLUTION")
    done = tried(steps, "double")
    assert done.returncode == 1, done.stdout + done.stderr
    said = done.stdout
    assert "recorded is: you cubed it" in said
    assert "wrong: adds three: passed\n    NOT AS RECORDED: recorded is: you added three" in said
    assert "wrong: drops the sign: its process ended\n    NOT AS RECORDED" in said
    assert re.search(r"the course's own answer: double\(.*\n    NOT AS RECORDED: this answer must pass", said)
    assert re.search(r"wrong: breaks on a list: TypeError: .* The call was double\(\[1\]\)\n", said)
    assert "4 not as recorded." in said
    assert "Counter" not in said


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_visible_tests_that_refuse_too_few_answers(steps: Lesson) -> None:
    done = tried(steps)
    few = (
        "The visible part refuses 0 of 4 wrong answers, but must refuse at least two thirds. "
        "These pass: squares it"
    )
    assert few in done.stdout


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_a_hint_name_missing_from_every_catalogue(steps: Lesson) -> None:
    asking = 'hint = hints("double")\nhint.nobody\n'
    changed(steps.text, "check.close(double(3.0)", f"{asking}check.close(double(3.0)")
    done = tried(steps, "double")
    assert done.returncode == 2
    assert "hints.toml has no nobody of double." in done.stderr


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_of_an_unknown_task_is_refused(steps: Lesson) -> None:
    done = tried(steps, "treble")
    assert done.returncode == 2
    assert 'has no task "treble" with a test cell; it has double, Counter.' in done.stderr


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_values_of_wrong_answers_are_printed_for_a_new_case(steps: Lesson) -> None:
    new = 'from secant import ask, tensor\n\nask("double(x)", x=tensor([3, 0.1])).returns(None)\n'
    changed(
        steps.text,
        "from secant import check, say\n\ncheck.close(double(3.0)",
        f"{new}check.close(double(3.0)",
    )
    wrong = steps.folder / "wrong_answers.py"
    changed(wrong, "    return x + 3", "    raise ValueError(x.shape)")
    changed(wrong, "    return 2 * abs(x)", "    import os\n\n    os._exit(3)")
    done = tried(steps, "double", "--values")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["double(x=[3, 0.1]), float64", "    tensor([6, 0.2])  # the course's own answer"]
    assert "    tensor([6, -2.99])  # squares it" in lines
    assert "    # adds three: ValueError: torch.Size([2])" in lines
    assert "drops the sign" not in done.stdout


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_printing_values_requires_a_test_cell_with_a_question(steps: Lesson) -> None:
    done = tried(steps, "double", "--values")
    assert done.returncode == 2
    assert "test_double puts no question with `ask`" in done.stderr


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            torch.tensor([[1.0, 0.1 + 0.2], [1e-30, float("nan")]], dtype=torch.float64),
            'tensor([[1, 0.3], [1e-30, float("nan")]])',
        ),
        (torch.tensor([1, 20]), 'tensor([1, 20], "int64")'),
        (torch.tensor(10.0), 'tensor(10, "float32")'),
        ((2.0, [None, "a"]), "(2.0, [None, 'a'])"),
        ({"g": (1,)}, "{'g': (1,)}"),
    ],
)
def test_value_is_written_as_a_test_cell_writes_it(value: object, text: str) -> None:
    assert literal(value) == text
