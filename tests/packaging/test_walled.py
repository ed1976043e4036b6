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
from tests.packaging.conftest import ROOT, Place
from tests.support.cluster import cluster_of
from tests.support.lessons import bare
from tests.support.scan_cache import lend_cache

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")]

REAL = "02_graph_and_grad_fn"
GRADE_SECONDS = 1200
#: The cases of groups A (forging) and B (leaking). The deep tests take all, the other tests every twelfth.
CHOSEN = [case for case in load_all().values() if case.group in "AB" and not case.limits and not case.room]

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
class Graded:
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
        shutil.copytree(ROOT / folder / REAL, root / folder / REAL)
    cases = {f"{case.id}-{variant_of(case)}": case for case in CHOSEN[:: 1 if deep else 12]}
    for student, case in cases.items():
        made = case.make(world, case.answers(variant_of(case)))
        write(made, root / "submitted" / student / LESSON)
    write(world.notebook(RIGHT, last="# CANARY-other"), root / "submitted/honest" / LESSON)
    write(world.notebook(WRONG), root / "submitted/wrong" / LESSON)
    thief = root / "submitted/thief" / REAL / f"{REAL}.ipynb"
    thief.parent.mkdir(parents=True)
    nbformat.write(stealing(), thief)
    return root, cases


def stealing() -> Any:
    """Return a real lesson in which every answer is an `exec` of stolen code."""
    notebook = bare(nbformat.read(ROOT / "release/en" / REAL / f"{REAL}.ipynb", as_version=4))
    for cell in filter(is_answer, notebook.cells):
        cell.source = f"exec(stolen({grade_id(cell)!r}))"
    notebook.cells.insert(1, new_code_cell(f"LESSON = {REAL!r}{_STEAL}"))
    return notebook


@pytest.fixture(scope="module", params=["here", "cluster"])
def graded(
    request: pytest.FixtureRequest,
    course: tuple[Path, dict[str, Case]],
    installed: Place,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Graded]:
    """Grade the class with the wheel; on this machine, the wheel has replaced an older one."""
    folder = tmp_path_factory.mktemp(request.param)
    root, cases = folder / "class", course[1]
    shutil.copytree(course[0], root)
    lend_cache(installed.home)
    if request.param == "here":
        with left_by_an_older_wheel(installed):
            yield Graded(root, cases, grade(installed, root, "--workers", "1"))
        return
    with pytest.MonkeyPatch.context() as patch:  # reuses the scan of the run above
        patch.setenv("XDG_CACHE_HOME", str(installed.home / ".cache"))
        with cluster_of(folder, "first", python=installed.programs / "python") as processes:
            yield Graded(root, cases, grade(installed, root, "--scheduler", processes.address))


@contextlib.contextmanager
def left_by_an_older_wheel(installed: Place) -> Iterator[None]:
    """Add files that an update with pip leaves behind, and remove them afterwards for other tests."""
    old = installed.packages / "secant/_course"
    (old / "source" / REAL).mkdir(parents=True)
    try:
        shutil.copy(ROOT / "source" / REAL / f"{REAL}.ipynb", old / "source" / REAL)
        yield
    finally:
        shutil.rmtree(old)


def grade(installed: Place, root: Path, *words: str) -> dict[tuple[str, str], dict[str, Any]]:
    out, log = root.parent / "rows.json", root.parent / "log.txt"
    process = installed.start("autograder", "grade", *words, "--json", out, out=log, cwd=root)
    assert process.wait(GRADE_SECONDS) == 0, log.read_text()
    return {(row["student"], row["lesson"]): row for row in json.loads(out.read_text())}


def test_each_hostile_student_gets_the_earned_score(graded: Graded) -> None:
    scores = {student: row["score"] for (student, lesson), row in graded.rows.items() if lesson == LESSON}
    assert (scores.pop("honest"), scores.pop("wrong")) == (sum(POINTS.values()), 0)
    assert scores.keys() == graded.cases.keys()
    assert unearned(graded.cases, scores) == {}


def test_notebook_finds_no_answer_on_the_machine(graded: Graded) -> None:
    row = graded.rows["thief", REAL]
    assert row["score"] == 0
    assert {task["outcome"] for task in row["tasks"]} == {"wrong"}
    assert all("LookupError" in task["message"] for task in row["tasks"])
    page = (graded.root / "feedback/thief" / REAL / f"{REAL}.html").read_text()
    assert "SEEN /" not in page


def test_no_message_or_page_contains_hidden_tests(graded: Graded) -> None:
    lines = World(graded.root).hidden_lines()
    for student in graded.cases:
        page = (graded.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        told = page + json.dumps(graded.rows[student, LESSON], ensure_ascii=False)
        assert [secret for secret in (f"{BAIT}other", f"{BAIT}hidden") if secret in told] == []
        assert [line for line in lines if line in told] == []


def test_renamed_copy_of_a_lesson_is_found_by_its_content(
    installed: Place, course: tuple[Path, dict[str, Case]], tmp_path: Path
) -> None:
    copy = installed.packages / "notes.txt"
    root, log = tmp_path / "class", tmp_path / "log.txt"
    shutil.copytree(course[0], root, ignore=lambda *_: [*course[1], "honest", "wrong"])
    try:
        shutil.copy(ROOT / "source" / REAL / f"{REAL}.ipynb", copy)
        words = ("autograder", "grade", "--workers", "1", "--force")
        assert installed.start(*words, out=log, cwd=root).wait(GRADE_SECONDS) == 2
        said = "".join(log.read_text().split())  # a long path is wrapped
        assert f"everynotebookcouldread{copy},whichholdsanswersorhiddentestsof{REAL}.Moveit" in said
        assert "Traceback" not in said
    finally:
        copy.unlink(missing_ok=True)


def test_course_lies_in_a_folder_that_the_wall_masks(installed: Place) -> None:
    assert (installed.packages / INSIDE / "source" / REAL / f"{REAL}.ipynb").is_file()
