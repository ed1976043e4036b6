"""A class of hostile students, graded with an installed wheel: on this machine, and by a cluster's worker.

No answer and no hidden test may lie where a notebook can import or open it.
"""

import contextlib
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograder.course.cells import grade_id, is_answer
from secant.where import INSIDE
from tests.hostile.cases import Case, load_all, write
from tests.hostile.stock import unearned, variant_of
from tests.hostile.world import BAIT, LESSON, POINTS, RIGHT, WRONG, World
from tests.packaging.conftest import ROOT, Environment
from tests.support.cluster import cluster_of
from tests.support.lessons import minimal_notebook
from tests.support.scan_cache import lend_cache

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")]

REAL_LESSON = "02_graph_and_grad_fn"
GRADE_SECONDS = 1200
#: The cases of groups A (forging) and B (leaking). The deep tests run all of them, other runs every twelfth.
CASES = [
    case
    for case in load_all().values()
    if case.group in "AB" and not case.limits and not case.container_limits
]

#: Code that searches all folders, as a student might; its `stolen` returns the source of a task's cell.
_STEAL = """
import json, os
seen = []
for top, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if top != "/" or name not in ("proc", "dev", "sys")]
    for name in names:
        if LESSON in name or "_answers" in name or "_course" in top:
            seen.append(os.path.join(top, name))
            print("SEEN", seen[-1])
def stolen(task):
    for path in seen:
        if os.path.basename(path) == LESSON + ".ipynb":
            for cell in json.load(open(path))["cells"]:
                if cell["metadata"].get("nbgrader", {}).get("grade_id") == task:
                    return "".join(cell["source"])
    raise LookupError(task)
"""


@dataclass
class GradedClass:
    """The class after the grading run."""

    root: Path
    cases: dict[str, Case]
    rows: dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, deep: bool) -> tuple[Path, dict[str, Case]]:
    """Make a class directory with the hostile cases' small lesson, a real lesson and submissions."""
    root = tmp_path_factory.mktemp("class")
    world = World.create(root, bait=False)
    for folder in ("course", "source", "release/en", "release/ko"):
        shutil.copytree(ROOT / folder / REAL_LESSON, root / folder / REAL_LESSON)
    cases = {f"{case.id}-{variant_of(case)}": case for case in CASES[:: 1 if deep else 12]}
    for student, case in cases.items():
        submission = case.make(world, case.answers(variant_of(case)))
        write(submission, root / "submitted" / student / LESSON)
    write(world.notebook(RIGHT, last="# CANARY-other"), root / "submitted/honest" / LESSON)
    write(world.notebook(WRONG), root / "submitted/wrong" / LESSON)
    thief_path = root / "submitted/thief" / REAL_LESSON / f"{REAL_LESSON}.ipynb"
    thief_path.parent.mkdir(parents=True)
    nbformat.write(make_thief_notebook(), thief_path)
    return root, cases


def make_thief_notebook() -> Any:
    """Return a real lesson in which every answer is an `exec` of stolen code."""
    notebook = minimal_notebook(
        nbformat.read(ROOT / "release/en" / REAL_LESSON / f"{REAL_LESSON}.ipynb", as_version=4)
    )
    for cell in filter(is_answer, notebook.cells):
        cell.source = f"exec(stolen({grade_id(cell)!r}))"
    notebook.cells.insert(1, new_code_cell(f"LESSON = {REAL_LESSON!r}{_STEAL}"))
    return notebook


@pytest.fixture(scope="module", params=["here", "cluster"])
def graded_class(
    request: pytest.FixtureRequest,
    course: tuple[Path, dict[str, Case]],
    environment: Environment,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[GradedClass]:
    """Grade the class with the wheel; on this machine, the wheel has replaced an older one."""
    folder = tmp_path_factory.mktemp(request.param)
    root, cases = folder / "class", course[1]
    shutil.copytree(course[0], root)
    lend_cache(environment.home)
    if request.param == "here":
        with older_wheel_files(environment):
            yield GradedClass(root, cases, grade(environment, root, "--workers", "1"))
        return
    with pytest.MonkeyPatch.context() as patch:  # shares the first run's cached scan
        patch.setenv("XDG_CACHE_HOME", str(environment.home / ".cache"))
        with cluster_of(folder, "first", python=environment.programs / "python") as processes:
            yield GradedClass(root, cases, grade(environment, root, "--scheduler", processes.address))


@contextlib.contextmanager
def older_wheel_files(environment: Environment) -> Iterator[None]:
    """Add files of an older wheel that a pip update leaves behind, and remove them after the `with` block."""
    folder = environment.packages / "secant/_course"
    (folder / "source" / REAL_LESSON).mkdir(parents=True)
    try:
        shutil.copy(ROOT / "source" / REAL_LESSON / f"{REAL_LESSON}.ipynb", folder / "source" / REAL_LESSON)
        yield
    finally:
        shutil.rmtree(folder)


def grade(environment: Environment, root: Path, *options: str) -> dict[tuple[str, str], dict[str, Any]]:
    out, log = root.parent / "rows.json", root.parent / "log.txt"
    process = environment.start("autograder", "grade", *options, "--json", out, out=log, cwd=root)
    assert process.wait(GRADE_SECONDS) == 0, log.read_text()
    return {(row["student"], row["lesson"]): row for row in json.loads(out.read_text())}


def test_each_hostile_student_gets_the_earned_score(graded_class: GradedClass) -> None:
    scores = {
        student: row["score"] for (student, lesson), row in graded_class.rows.items() if lesson == LESSON
    }
    assert (scores.pop("honest"), scores.pop("wrong")) == (sum(POINTS.values()), 0)
    assert scores.keys() == graded_class.cases.keys()
    assert unearned(graded_class.cases, scores) == {}


def test_notebook_finds_no_answer_on_the_machine(graded_class: GradedClass) -> None:
    row = graded_class.rows["thief", REAL_LESSON]
    assert row["score"] == 0
    assert {task["outcome"] for task in row["tasks"]} == {"wrong"}
    assert all("LookupError" in task["message"] for task in row["tasks"])
    page = (graded_class.root / "feedback/thief" / REAL_LESSON / f"{REAL_LESSON}.html").read_text()
    assert "SEEN /" not in page


def test_no_message_or_page_contains_hidden_tests(graded_class: GradedClass) -> None:
    lines = World(graded_class.root).hidden_lines()
    for student in graded_class.cases:
        page = (graded_class.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        text = page + json.dumps(graded_class.rows[student, LESSON], ensure_ascii=False)
        assert [secret for secret in (f"{BAIT}other", f"{BAIT}hidden") if secret in text] == []
        assert [line for line in lines if line in text] == []


def test_renamed_copy_of_a_lesson_is_found_by_its_content(
    environment: Environment, course: tuple[Path, dict[str, Case]], tmp_path: Path
) -> None:
    copy = environment.packages / "notes.txt"
    root, log = tmp_path / "class", tmp_path / "log.txt"
    shutil.copytree(course[0], root, ignore=lambda *_: [*course[1], "honest", "wrong"])
    try:
        shutil.copy(ROOT / "source" / REAL_LESSON / f"{REAL_LESSON}.ipynb", copy)
        command = ("autograder", "grade", "--workers", "1", "--force")
        assert environment.start(*command, out=log, cwd=root).wait(GRADE_SECONDS) == 2
        output = "".join(log.read_text().split())  # a long path is wrapped
        assert f"everynotebookcouldread{copy},whichholdsanswersorhiddentestsof{REAL_LESSON}.Moveit" in output
        assert "Traceback" not in output
    finally:
        copy.unlink(missing_ok=True)


def test_course_lies_in_a_folder_that_the_wall_masks(environment: Environment) -> None:
    assert (environment.packages / INSIDE / "source" / REAL_LESSON / f"{REAL_LESSON}.ipynb").is_file()
