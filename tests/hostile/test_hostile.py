"""Every case against the grader, and conditions that must hold whatever a submission does.

After each case, the machine must be as it was before. After every few cases, a good student is graded behind
the same wall, and must get full points again. The deep tests do that after each case. They also grade each
case a second time, and must get the same result.
"""

import contextlib
import gc
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.course.cells import is_answer
from autograder.exam import examiner
from autograder.exam.report import Report
from autograder.intake.files import valid_student_id
from autograder.intake.submission import Rejected
from autograder.intake.take_in import take_in
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.results import Crashed, WallError, WallUnavailable
from autograder.sandbox.wall import Wall
from autograder.workers.worker import EXTRA_BYTES, memory_limit
from secant import check
from tests.hostile import scene
from tests.hostile.cases import Case, load_all, write
from tests.hostile.world import BAIT, HERE, LESSON, POINTS, RIGHT, TASKS, World
from tests.support import suites
from tests.support.examined import examine_submission
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow

SECRET = b"of the class"
MOST_MEGABYTES = 64  # the most memory that one submission may add to the examiner's process
CASES = load_all()
#: Number of cases between two gradings of the good student, except in the deep tests.
CASES_BETWEEN = 8
#: Seconds that a slow machine may take, after a verdict, until the submission's last process is reaped.
REAP_SECONDS = 2.0

#: Cases in ids.txt without a submission, and the tests below that cover them.
ELSEWHERE = {
    "D23": "test_odd_student_ids_are_refused",
    "E38": "test_without_a_wall_nothing_is_graded, test_grader_failure_gives_no_verdict",
}
#: Cases in ids.txt that cannot be made here, and the reasons.
NOT_HERE = {
    "B12": "There is nothing hidden to leak: no test and no expected value is in the student's process. "
    "How often somebody may hand in is for the exchange or the learning platform to limit.",
}


def test_every_case_in_ids_txt_is_tested_or_documented() -> None:
    listed_ids = [line.split()[0] for line in (HERE / "ids.txt").read_text().splitlines()]
    tested_ids = {id for id in CASES if not id.startswith("X")}
    assert len(listed_ids) == len(set(listed_ids)) == 133
    assert set(listed_ids) == tested_ids | ELSEWHERE.keys() | NOT_HERE.keys()
    assert not tested_ids & (ELSEWHERE.keys() | NOT_HERE.keys())
    for names in ELSEWHERE.values():
        assert all(name in globals() for name in names.split(", "))


# --- Every case ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Make a course directory with bait, and run services that a submission may talk to."""
    world = World.create(tmp_path_factory.mktemp("hostile"))
    with world.services():
        yield world


@pytest.fixture(scope="session")
def wall(world: World) -> Iterator[Wall]:
    """Provide one wall for all cases of this process, as there is one for all students of a class."""
    with Wall(hidden=[world.root]) as wall:
        yield wall


@pytest.fixture(scope="session")
def check_machine(
    world: World, wall: Wall, deep: bool, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], None]]:
    """Provide a function to call after each case, which asserts that the machine is as at the beginning."""
    folder = tmp_path_factory.mktemp("good")
    write(world.notebook(RIGHT), folder)
    first = grade(world, wall, folder)
    assert first.score == first.max_score == sum(POINTS.values())
    gc.collect()  # this closes files that earlier tests have left open
    before = scene.snapshot(world, wall)
    since: list[str] = []

    def check_good_student() -> None:
        assert verdict(grade(world, wall, folder)) == verdict(first), f"one of {since} has done harm"
        since.clear()

    def check_machine(case: str) -> None:
        wait_for(lambda: len(scene.processes_inside(wall)) == before["processes"], REAP_SECONDS)
        assert scene.snapshot(world, wall) == before
        since.append(case)
        if deep or len(since) == CASES_BETWEEN:
            check_good_student()

    yield check_machine
    check_good_student()


def grade(world: World, wall: Wall, folder: Path) -> Report:
    """Grade the submission in a folder."""
    submission = take_in(folder, LESSON, world.releases, root=folder.parent)
    return examine_submission(world.examiner, wall, submission, SECRET)


def verdict(report: Report) -> list[tuple[Any, ...]]:
    """Return the parts of a report that must be the same whenever the same file is graded."""
    return [(task.id, task.outcome, task.points, task.message) for task in report.tasks]


#: Cases that take several seconds; some of them wait for a time limit that no case lowers.
PATIENT = {"C04", "C05", "C21", "C26", "E19", "E30", "X10", "X37", "X38", "X89", "X102", "X106", "X108"}
#: Cases with lowered limits. The quick suite contains the first of them in each group. Of the cases without
#: lowered limits, it has every second case of group X and all cases of other groups, except patient ones.
LIMITED = {id: case for id, case in CASES.items() if case.limits or case.container_limits}
GROUP_X = [id for id, case in CASES.items() if case.group == "X" and id not in LIMITED]
FIRST = {case.group: id for id, case in reversed(LIMITED.items())}
QUICK = CASES.keys() - LIMITED.keys() - PATIENT - set(GROUP_X[1::2]) | set(FIRST.values())
#: All variants of all cases. The quick suite takes one variant of each quick case; the variants alternate.
VARIANTS = [
    suites.case(
        case,
        variant,
        quick=case.id in QUICK and index == number % len(case.expected),
        id=f"{case.id}-{variant}",
    )
    for number, case in enumerate(CASES.values())
    for index, variant in enumerate(case.expected)
]


@pytest.mark.costly("a case that exhausts a limit computes until it is stopped")
@pytest.mark.parametrize(("case", "variant"), VARIANTS)
def test_hostile_submission_gets_the_verdict_it_earned(
    case: Case,
    variant: str,
    world: World,
    wall: Wall,
    check_machine: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: Any,
    deep: bool,
) -> None:
    for name, seconds in case.limits.items():
        monkeypatch.setattr(examiner, name, seconds)
    if case.container_limits:
        monkeypatch.setattr(wall, "limits", ContainerLimits(**case.container_limits))
    folder = tmp_path / "submission"
    write(case.make(world, case.answers(variant)), folder)
    submission = take_in(folder, LESSON, world.releases, root=tmp_path)
    scene.reset_peak()
    before = scene.memory("VmRSS")
    with memory_limit(EXTRA_BYTES):  # a worker process grades with the same limit
        report = examine_submission(world.examiner, wall, submission, SECRET)
    assert scene.memory("VmHWM") - before < MOST_MEGABYTES

    if case.reason:
        assert isinstance(submission, Rejected)
        assert submission.reason in case.reason.split("|")
    messages = "\n".join(task.message for task in report.tasks)
    for task, expected in zip(report.tasks, case.outcomes(variant), strict=True):
        assert task.outcome in expected.split("|"), f"{task.outcome} instead of {expected}: {messages}"
        assert task.points == (POINTS[task.id] if task.outcome == "passed" else 0.0)
    assert [task.id for task in report.tasks] == list(TASKS)
    assert set(case.flags) <= set(() if isinstance(submission, Rejected) else submission.notes)
    assert case.message in messages
    assert_reveals_nothing(world, report)
    if case.repeat and deep:
        assert verdict(examine_submission(world.examiner, wall, submission, SECRET)) == verdict(report)
    monkeypatch.undo()  # the good student gets the usual limits
    check_machine(case.id)


def assert_reveals_nothing(world: World, report: Report) -> None:
    """Assert that a report shows no bait or hidden line, and that its messages are short and printable."""
    text = json.dumps(
        [[asdict(task) for task in report.tasks], [(cell.output, cell.message) for cell in report.cells]],
        ensure_ascii=False,
    )
    assert BAIT not in text
    assert "SEEN" not in text
    assert [line for line in world.hidden_lines() if line in text] == []
    for task in report.tasks:
        assert len(task.message) <= 4_000
        assert not [c for c in task.message if not c.isprintable() and c != "\n"]


# --- Cases without a submission ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../x", "a;rm -rf", "[*]", "a b", "x" * 300, "", ".", "..", "a/b", "-rf", "a\nb", "e\u0301", "~root"],
)
def test_odd_student_ids_are_refused(name: str) -> None:
    assert not valid_student_id(name)


def test_without_a_wall_nothing_is_graded(monkeypatch: Any) -> None:
    monkeypatch.setattr("shutil.which", lambda *a, **k: None)
    with pytest.raises(WallUnavailable) as error, Wall():
        pass
    assert "install" in error.value.fix.lower()


def test_grader_failure_gives_no_verdict(world: World, wall: Wall, tmp_path: Path, monkeypatch: Any) -> None:
    """If the container breaks in the middle of a task, the grader must fail, and not give a score of zero."""
    from autograder.sandbox.client import TaskClient

    def fail(*a: Any, **k: Any) -> Any:
        raise WallError("the wall fell down")

    write(world.notebook(RIGHT), tmp_path / "one")
    submission = take_in(tmp_path / "one", LESSON, world.releases)
    monkeypatch.setattr(TaskClient, "ask", fail)
    with pytest.raises(WallError):
        examine_submission(world.examiner, wall, submission, SECRET)


def test_messages_show_no_question_of_another_student(
    world: World, wall: Wall, tmp_path: Path, monkeypatch: Any
) -> None:
    """A task may end before its test has asked its first question."""
    from autograder.sandbox.client import TaskClient

    def crash(*a: Any, **k: Any) -> Any:
        raise Crashed("exit")

    write(world.notebook(RIGHT), tmp_path / "one")
    submission = take_in(tmp_path / "one", LESSON, world.releases)
    with contextlib.suppress(Crashed), check.asking(f"f({BAIT})"):
        crash()
    monkeypatch.setattr(TaskClient, "define", crash)
    report = examine_submission(world.examiner, wall, submission, SECRET)
    assert {task.outcome for task in report.tasks} == {"crashed"}
    assert not [task.message for task in report.tasks if BAIT in task.message]


def test_answer_too_large_to_judge_is_a_wrong_answer(
    world: World, wall: Wall, tmp_path: Path, monkeypatch: Any
) -> None:
    from autograder.sandbox.client import TaskClient

    write(world.notebook(RIGHT), tmp_path / "one")
    submission = take_in(tmp_path / "one", LESSON, world.releases)
    for return_huge in (lambda *a, **k: bytearray(10**9), lambda *a, **k: torch.zeros(10**9)):
        with monkeypatch.context() as patch, memory_limit(EXTRA_BYTES):
            patch.setattr(TaskClient, "ask", return_huge)
            report = examine_submission(world.examiner, wall, submission, SECRET)
        assert {task.outcome for task in report.tasks} == {"wrong"}
    assert grade(world, wall, tmp_path / "one").score == sum(POINTS.values())


def test_the_same_file_is_graded_the_same_every_time(
    world: World, wall: Wall, tmp_path: Path, deep: bool
) -> None:
    answers = {**RIGHT, "slope_at": "def slope_at(x):\n    import random\n    return random.random() * x"}
    write(world.notebook(answers), tmp_path / "one")
    verdicts = {json.dumps(verdict(grade(world, wall, tmp_path / "one"))) for _ in range(50 if deep else 3)}
    assert len(verdicts) == 1


def test_hostile_cases_replace_the_stub_of_every_task(world: World) -> None:
    assert {cell.metadata.nbgrader.grade_id for cell in world.source.cells if is_answer(cell)} == set(TASKS)
