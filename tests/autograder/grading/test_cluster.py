"""A real scheduler and real workers, killed in the middle: the gradebook is the one of a run on this machine."""

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.grading import remote
from autograder.grading.batch import Entry, find_submissions, grade
from autograder.grading.cluster import ClusterWorkers, cluster
from autograder.grading.executors import run as run_jobs
from autograder.grading.jobs import Busy, Examined, Failed, NoWall, Page, Rendered
from tests.support.cluster import Processes, cluster_of, wait_until
from tests.support.small_class import STEPS, WRONG, Here, answered, build_course, hand_in, run, solutions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading others' work needs Linux")
STUDENTS = 6


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a class, of which every second student is wrong."""
    root = tmp_path_factory.mktemp("room")
    build_course(root)
    right = solutions(root)
    for number in range(STUDENTS):
        hand_in(root, f"s{number}", answered(root, right | WRONG if number % 2 else right))
    return root


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler with one worker."""
    with cluster_of(tmp_path_factory.mktemp("cluster"), "first") as made:
        yield made


@pytest.fixture(scope="module")
def here(room: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The same class as this process grades it: another folder, the same secret."""
    root = tmp_path_factory.mktemp("here") / "course"
    shutil.copytree(room, root)
    return without_time(run(root, Here())[0].as_json())


def without_time(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for row in rows:
        for task in row["tasks"]:
            del task["seconds"]
    return rows
