"""A class edition, installed and used by a student, who then looks for the answers."""

import json
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from autograder.edition.leaks import Secrets
from secant.where import INSIDE
from tests.packaging.conftest import ROOT, Environment
from tests.packaging.test_wheel import LESSON, NOTEBOOK, solve
from tests.secant.lab.test_real_start import wait_for_address
from tests.support.ports import free_port

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(student: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start `secant lab` in an empty home folder, and yield its address with the token."""
    log, port = tmp_path_factory.mktemp("log") / "log.txt", free_port()
    process = student.start("secant", "lab", "--no-browser", "--port", str(port), "--lang", "en", out=log)
    try:
        yield wait_for_address(process, log, port)
    finally:
        process.terminate()
        process.wait(30)


def ask(address: str, name: str, body: Any = None) -> tuple[int, list[Any]]:
    """Return the status and the lines that an endpoint of the service answers with."""
    base, token = address.split("/lab", 1)[0], address.rpartition("token=")[2]
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{base}/secant/api/{name}", data, {"Authorization": f"token {token}"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, [json.loads(line) for line in answer.read().splitlines()]
    except urllib.error.HTTPError as refusal:
        return refusal.code, [json.loads(refusal.read())]


def names_without_version(wheel: zipfile.ZipFile) -> dict[str, str]:
    """Map the name of each file in a wheel, without Secant's version, to the full name."""
    return {re.sub(r"^secant-[^/]*\.d", "secant.d", name): name for name in wheel.namelist()}


def test_class_wheel_differs_from_the_wheel_only_in_its_course(wheel: Path, pack: Path) -> None:
    (class_wheel,) = pack.glob("*.whl")
    with zipfile.ZipFile(class_wheel) as class_archive, zipfile.ZipFile(wheel) as full_archive:
        files, all_files = (names_without_version(archive) for archive in (class_archive, full_archive))
        # The template for authors contains answers, and students do not need it.
        excluded = (f"{INSIDE}/", "autograder/build/template/")
        rest = {name for name in all_files if not name.startswith(excluded)}
        assert {name for name in files if not name.startswith(f"{INSIDE}/")} == rest
        changed = {
            name for name in rest if class_archive.read(files[name]) != full_archive.read(all_files[name])
        }
        assert changed <= {f"secant.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL")}
        class_metadata, metadata = (
            Parser().parsestr(archive.read(names["secant.dist-info/METADATA"]).decode())
            for archive, names in ((class_archive, files), (full_archive, all_files))
        )
    requirements = {
        Requirement(text) for text in metadata.get_all("Requires-Dist", []) if "extra ==" not in text
    }
    assert set(map(Requirement, class_metadata.get_all("Requires-Dist", []))) == requirements
    assert class_metadata["Version"].startswith(f"{metadata['Version']}+class.")


def test_check_runs_visible_tests_in_the_panel_and_the_terminal(
    student: Environment, address: str, tmp_path: Path
) -> None:
    lessons = student.home / "secant-lessons/en"
    solve(lessons / NOTEBOOK, lessons / NOTEBOOK)
    _, [lesson] = ask(address, f"lesson?path={NOTEBOOK}")
    assert (lesson["lesson"], lesson["hidden"], lesson["agreed"]) == (LESSON, False, True)
    _, events = ask(address, "check", {"path": NOTEBOOK, "task": None, "agree": False})
    rows = [event["task"] for event in events if event["event"] == "task"]
    assert {row["outcome"] for row in rows} == {"passed"}
    assert {row["message"] for row in rows} == {
        "The visible tests pass. The hidden ones are not on this computer."
    }
    assert [event["hidden"] for event in events if event["event"] == "begin"] == [False]
    assert events[-1]["gained"]["xp"] == 80
    assert events[-1]["gained"]["achievements"] == []
    logs = [tmp_path / name for name in ("check", "solution", "progress")]
    commands = (
        ("autograder", "check", LESSON),
        ("autograder", "check", "1", "--solution", "forward_difference", "--give-up"),
        ("secant", "progress"),
    )
    processes = [
        student.start(*command, out=log, cwd=lessons) for command, log in zip(commands, logs, strict=True)
    ]
    assert [process.wait(120) for process in processes] == [0, 2, 0]
    check, solution, progress = (" ".join(log.read_text().split()) for log in logs)
    assert "Visible tests passed in 6 of 6 tasks." in check
    assert "Only the visible tests were run." in check
    assert "Your instructor releases them with the feedback." in solution
    assert "6 of 6 tasks" in progress
    assert "Only the visible tests are here" in progress
    for output in (check, progress, (lessons / "START.md").read_text()):
        assert not re.search(r"\d+ / 10|all tests|--solution", output)


def test_class_edition_gives_a_curious_student_no_answer(student: Environment, address: str) -> None:
    """Neither the server's replies nor the installed files contain an answer, even after a run."""
    assert ask(address, "lesson?path=" + NOTEBOOK)[0] == 200
    status, [reply] = ask(address, "solution", {"path": NOTEBOOK, "task": "forward_difference"})
    assert status == 422
    assert reply["message"].startswith("Worked solutions are not on this computer. Your instructor releases")
    secrets, count, leaks = Secrets(ROOT), 0, []
    folders = [path for name in ("secant", "autograder", "secant-*") for path in student.packages.glob(name)]
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        count += 1
        code = path.suffix in (".py", ".pyc", ".js") and "_course" not in path.parts
        leaks += [
            (path, line)
            for line in secrets.lines_in(path.read_bytes().decode(errors="replace"), is_code=code)
        ]
    assert count > 200
    assert leaks == []
    course_folder = student.packages / INSIDE
    assert {path.name for path in course_folder.iterdir()} == {
        "course", "release", "nbgrader_config.py", "requirements.txt"
    }  # fmt: skip
