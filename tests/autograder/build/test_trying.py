"""Tests of `autograder try`, which runs recorded answers and compares the outcomes with the recorded ones."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from autograder.build.values import literal
from autograder.course.lesson import Lesson

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")


def run_try(lesson: Lesson, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process, because the command forks, and pytest's process may have threads."""
    command = [sys.executable, "-m", "autograder.cli", "try", "1", *arguments]
    return subprocess.run(command, cwd=lesson.root, capture_output=True, text=True, check=False, timeout=240)


def replace_text(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_the_recorded_outcome_of_each_answer(steps: Lesson) -> None:
    result = run_try(steps, "--lang", "ko")
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert {"double", "Counter"} <= set(lines)
    assert lines.count("  the course's own answer: passed") == 2
    assert "  right: adds it to itself: passed" in lines
    (squares_line,) = [line for line in lines if line.startswith("  wrong: squares it: ")]
    assert "수를 제곱했습니다" in squares_line
    assert re.fullmatch(r"\d+ answers: 0 not as recorded\.", lines[-1])


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_answers_whose_outcome_differs_from_the_record(steps: Lesson) -> None:
    wrong_path = steps.folder / "wrong_answers.py"
    replace_text(wrong_path, 'en="you squared the number"', 'en="you cubed it"')
    replace_text(wrong_path, "    return x + 3", "    return 2 * x")
    replace_text(wrong_path, "    return 2 * abs(x)", "    import os\n\n    os._exit(3)")
    replace_text(
        steps.text, "assert isinstance(", 'with check.asking("double([1])"):\n    assert isinstance('
    )
    replace_text(
        steps.text, "    return 2 * x\n    ### END SOLUTION", "    return 3 * x\n    ### END SOLUTION"
    )
    result = run_try(steps, "double")
    assert result.returncode == 1, result.stdout + result.stderr
    output = result.stdout
    assert "recorded is: you cubed it" in output
    assert "wrong: adds three: passed\n    NOT AS RECORDED: recorded is: you added three" in output
    assert "wrong: drops the sign: its process ended\n    NOT AS RECORDED" in output
    assert re.search(
        r"the course's own answer: double\(.*\n    NOT AS RECORDED: this answer must pass", output
    )
    assert re.search(r"wrong: breaks on a list: TypeError: .* The call was double\(\[1\]\)\n", output)
    assert "4 not as recorded." in output
    assert "Counter" not in output


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_visible_tests_that_refuse_too_few_answers(steps: Lesson) -> None:
    result = run_try(steps)
    message = (
        "The visible part refuses 0 of 4 wrong answers, but must refuse at least two thirds. "
        "These pass: squares it"
    )
    assert message in result.stdout


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_reports_a_hint_name_missing_from_every_catalogue(steps: Lesson) -> None:
    hint_code = 'hint = hints("double")\nhint.nobody\n'
    replace_text(steps.text, "check.close(double(3.0)", f"{hint_code}check.close(double(3.0)")
    result = run_try(steps, "double")
    assert result.returncode == 2
    assert "hints.toml has no nobody of double." in result.stderr


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_try_of_an_unknown_task_is_refused(steps: Lesson) -> None:
    result = run_try(steps, "treble")
    assert result.returncode == 2
    assert 'has no task "treble" with a test cell; it has double, Counter.' in result.stderr


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_values_of_wrong_answers_are_printed_for_a_new_case(steps: Lesson) -> None:
    question = 'from secant import ask, tensor\n\nask("double(x)", x=tensor([3, 0.1])).returns(None)\n'
    replace_text(
        steps.text,
        "from secant import check, say\n\ncheck.close(double(3.0)",
        f"{question}check.close(double(3.0)",
    )
    wrong_path = steps.folder / "wrong_answers.py"
    replace_text(wrong_path, "    return x + 3", "    raise ValueError(x.shape)")
    replace_text(wrong_path, "    return 2 * abs(x)", "    import os\n\n    os._exit(3)")
    result = run_try(steps, "double", "--values")
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert lines[:2] == ["double(x=[3, 0.1]), float64", "    tensor([6, 0.2])  # the course's own answer"]
    assert "    tensor([6, -2.99])  # squares it" in lines
    assert "    # adds three: ValueError: torch.Size([2])" in lines
    assert "drops the sign" not in result.stdout


@pytest.mark.costly("the command runs in a fork of its own, which imports what a lesson needs")
def test_printing_values_requires_a_test_cell_with_a_question(steps: Lesson) -> None:
    result = run_try(steps, "double", "--values")
    assert result.returncode == 2
    assert "test_double puts no question with `ask`" in result.stderr


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
