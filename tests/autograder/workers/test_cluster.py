"""Tests with a real scheduler and killed workers: the gradebook equals that of a run on this machine."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.course.errors import CourseError
from autograder.course.settings import SECRET, Course
from autograder.exam.report import Report, TaskResult
from autograder.gradebook.entries import find_submissions
from autograder.grading.batch import grade
from autograder.intake.submission import Script, Step
from autograder.page.facts import PageHead, TaskRow
from autograder.sandbox.results import CellResult, TraceLine
from autograder.workers import cluster as cluster_module
from autograder.workers import remote
from autograder.workers.cluster import ClusterWorkers, cluster
from autograder.workers.executors import run as run_jobs
from autograder.workers.jobs import Busy, Examined, Failed, Job, JobResult, NoWall, Page, Rendered
from autograder.workers.worker import work
from secant.verdict import Part, Verdict
from tests.support.cluster import Processes, cluster_of
from tests.support.small_class import (
    STEPS,
    WRONG,
    InProcessWorkers,
    answered_notebook,
    build_course,
    hand_in,
    run,
    solutions,
)

VERDICT = Verdict((Part("call", "f(x)\ny"), Part("got", "3")), "slip", "ko")
ROW = TaskRow("double", "Task 1", 1.0, 2.0, outcome="wrong", verdict=VERDICT)
KOREAN = PageHead("단계", "ko", 1.0, 2.0, rejected="아니요.")
PAGE = Page("ann", STEPS, "{}", PageHead("Steps", "en", 1.0, 2.0, rows=(ROW,), rejected="No.", korean=KOREAN))


# --- Real processes -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def correct_answers(course_root: Path) -> dict[str, str]:
    return solutions(course_root)


@pytest.fixture(scope="module")
def course_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course with a class of four, in which every second student has wrong answers."""
    root = tmp_path_factory.mktemp("room")
    build_course(root)
    (root / SECRET).write_bytes(bytes(range(32)))
    correct_answers = solutions(root)
    for number in range(4):
        hand_in(
            root,
            f"s{number}",
            answered_notebook(root, correct_answers | WRONG if number % 2 else correct_answers),
        )
    return root


@pytest.fixture(scope="module")
def local_course(course_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the same class, graded in this process alone."""
    root = tmp_path_factory.mktemp("alone") / "course"
    shutil.copytree(course_root, root)
    assert run(root, InProcessWorkers())[0].failed == {}
    return root


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory, local_course: Path) -> Iterator[Processes]:
    """Provide a scheduler with one worker."""
    with cluster_of(tmp_path_factory.mktemp("cluster"), "first") as cluster_processes:
        yield cluster_processes


def grade_on_cluster(
    processes: Processes, root: Path, patience: float, on_first_grade: Callable[[], object]
) -> Any:
    """Grade a class on the cluster, and call `on_first_grade` when the first submission is graded."""
    entries = find_submissions(Course.at(root), [STEPS])
    workers = cluster(processes.address, patience)
    graded_entries: list[str] = []

    def tell(entry: object, text: str) -> None:
        if not text:
            graded_entries.append(str(entry))
            if len(graded_entries) == 1:
                on_first_grade()

    try:
        return grade(Course.at(root), entries, workers, on_message=tell)
    finally:
        workers.close(kill=True)


def gradebook(root: Path) -> dict[tuple[str, str], Any]:
    """Return all students' scores and comments."""
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        submissions = book.assignment_submissions(STEPS)
        grades = {
            (submission.student.id, grade.name): (
                grade.auto_score,
                grade.manual_score,
                grade.needs_manual_grade,
            )
            for submission in submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
        }
        comments = {
            (submission.student.id, f"comment {comment.name}"): comment.auto_comment
            for submission in submissions
            for notebook in submission.notebooks
            for comment in notebook.comments
        }
    return grades | comments


def output_files(root: Path) -> dict[str, bytes]:
    """Return all files written for staff and students, by path."""
    steps = [root / name for name in ("autograded", "feedback")]
    paths = [path for step in steps for path in step.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


@pytest.mark.slow
def test_job_of_a_killed_worker_is_repeated_by_another(
    course_root: Path, local_course: Path, processes: Processes
) -> None:
    def replace_worker() -> None:
        processes.hire("second")
        processes.kill(processes.workers["first"])

    summary = grade_on_cluster(processes, course_root, 60.0, replace_worker)
    assert summary.failed == {}
    assert gradebook(course_root) == gradebook(local_course)
    assert output_files(course_root) == output_files(local_course)


@pytest.mark.slow
def test_worker_of_another_version_grades_nothing(
    course_root: Path, correct_answers: dict[str, str], processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = gradebook(course_root)
    hand_in(course_root, "late0", answered_notebook(course_root, correct_answers))
    other_versions = remote.versions() | {"torch": "1.13"}
    monkeypatch.setattr(remote, "versions", lambda: other_versions)
    message_pattern = r"worker .* has .*torch (?!1\.13).* this command has .*torch 1\.13.* graded nothing"
    with pytest.raises(CourseError, match=message_pattern):
        grade_on_cluster(processes, course_root, 60.0, lambda: None)
    assert gradebook(course_root) == before


@pytest.mark.slow
def test_run_without_workers_ends_and_can_be_continued(
    course_root: Path, correct_answers: dict[str, str], processes: Processes
) -> None:
    for number in range(4):
        hand_in(course_root, f"late{number}", answered_notebook(course_root, correct_answers))
    with pytest.raises(CourseError, match=r"no worker for 1 s.*run the same command to continue"):
        grade_on_cluster(processes, course_root, 1.0, lambda: processes.kill(processes.workers["second"]))
    scores = {name: score for (name, _), score in gradebook(course_root).items() if "late" in name}
    assert 0.0 not in [score[0] for score in scores.values() if score is not None]
    summary, _ = run(course_root)
    assert 4 < summary.graded_before < 8
    assert {row["score"] for row in summary.as_json() if "late" in row["student"]} == {5.0}


@pytest.mark.slow
def test_scheduler_that_vanishes_ends_the_run_with_advice(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = cluster(processes.address)
    threading.Timer(0.5, processes.kill, [processes.scheduler]).start()
    jobs = iter([PAGE, PAGE])
    with pytest.raises(CourseError, match=r"no longer answers.*run the same command to continue"):
        list(run_jobs(work, lambda: next(jobs, None), workers))
    workers.close(kill=True)
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
    with pytest.raises(CourseError, match=f"No Dask scheduler answers at {processes.address}"):
        cluster(processes.address)


@pytest.mark.parametrize("address", ["nonsense://a:1", "tcp://127.0.0.1:notaport", "not an address"])
def test_malformed_scheduler_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
    with pytest.raises(CourseError, match="No Dask scheduler answers at"):
        cluster(address)


def test_cluster_needs_distributed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CourseError, match=r"secant\[scale\]"):
        cluster("tcp://127.0.0.1:1")


# --- Jobs and results as bytes --------------------------------------------------------------------------

LINE = TraceLine("cell 7", 1, "f", "1 / 0")
CELL = CellResult("cell 7", "ZeroDivisionError", "division by zero \ud800", (LINE,), "0\n", 0.25)
EXAMINED = Examined(
    Report(STEPS, (TaskResult("double", 1.0, 2.0, "passed", VERDICT),), (CELL,), "ko"), "forked"
)
SCRIPT = Script((Step("cell 7", "1 / 0", 7),), "en", "ab", ("double",))
JOB = Job("ann", STEPS, "{}", SCRIPT, b"\0\xff", ("/course",))


@pytest.mark.parametrize(
    "result", [EXAMINED, Rendered("<p>"), NoWall("no bwrap", "install it"), Failed("why"), Busy("why")]
)
@pytest.mark.parametrize("job", [JOB, PAGE])
def test_job_and_result_survive_packing_unchanged(job: Job | Page, result: JobResult) -> None:
    jobs: list[Job | Page] = []

    def do(job: Job | Page) -> JobResult:
        jobs.append(job)
        return result

    assert remote.unpack(remote.do(do, remote.pack(job))) == result
    assert jobs == [job]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"points": 1.0', '"points": "1.0"'),
        ('"points": 1.0', '"points": true'),
        ('"points": 1.0', '"points": NaN'),
        ('"points": 1.0', '"points": 1.0, "more": 1'),
        ('"points": 1.0, ', ""),
        ('"passed"', '"excellent"'),
        ('"ko"', '"fr"'),
        ('"Examined"', '"Job"'),
        ('"number": 1', '"number": 1.5'),
        ('"forked"', "null"),
        ('"tasks": [', '"tasks": [1, '),
    ],
)
def test_result_of_another_shape_is_refused(old: str, new: str) -> None:
    answer = remote.do(lambda job: EXAMINED, remote.pack(JOB))
    assert old.encode() in answer
    with pytest.raises(ValueError, match=r"of the type|something else"):
        remote.unpack(answer.replace(old.encode(), new.encode(), 1))


def test_unpacking_refuses_anything_but_bytes() -> None:
    with pytest.raises(ValueError, match="not bytes"):
        remote.unpack(EXAMINED)


def test_worker_with_several_threads_does_one_job_at_a_time() -> None:
    counts: list[int] = []
    running_count = 0

    def do(job: Job | Page) -> JobResult:
        nonlocal running_count
        running_count += 1
        counts.append(running_count)
        time.sleep(0.02)
        running_count -= 1
        return Rendered("")

    threads = [threading.Thread(target=remote.do, args=(do, remote.pack(PAGE))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [1, 1, 1]


def test_scheduler_without_autograder_installed_is_reported() -> None:
    class Client:
        """A cluster whose scheduler cannot import the grader."""

        def nthreads(self) -> dict[str, int]:
            return {"a": 1, "b": 4}

        def get_executor(self, **_: object) -> Any:
            return self

        def submit(self, *_: object) -> Future[bytes]:
            future: Future[bytes] = Future()
            future.set_exception(RuntimeError("Error during deserialization of the task graph. This ..."))
            return future

    workers = ClusterWorkers(Client(), "tcp://a:1", 1.0)
    assert workers.slots == 4
    with pytest.raises(CourseError, match=r"tcp://a:1 needs secant \d.* install it there"):
        workers.submit(work, PAGE).result()
