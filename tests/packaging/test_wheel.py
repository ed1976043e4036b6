"""The wheel, installed where there is no repository, as after `pip install`."""

import json
import re
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from secant.where import INSIDE
from tests.packaging.conftest import ROOT, Environment
from tests.secant.lab.test_real_start import wait_for_address
from tests.support.ports import free_port

pytestmark = pytest.mark.slow

LESSON = "01_what_autograd_does"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"


@pytest.fixture(scope="module")
def address(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start `secant lab` in an empty home folder, and yield its address with the token."""
    log, port = tmp_path_factory.mktemp("log") / "log.txt", free_port()
    command = ("secant", "lab", "--no-browser", "--port", str(port), "--lang", "en")
    process = environment.start(*command, out=log)
    try:
        yield wait_for_address(process, log, port)
    finally:
        process.terminate()
        process.wait(30)


def ask(address: str, path: str) -> str:
    """Return the text that the server sends to its learner's browser."""
    base, token = address.split("/lab", 1)[0], address.rpartition("token=")[2]
    request = urllib.request.Request(f"{base}/{path}", headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def test_wheel_contains_the_lessons_and_no_test_suite(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    course_files = [name.removeprefix(f"{INSIDE}/") for name in names if name.startswith(f"{INSIDE}/")]
    lessons = [path.parent.name for path in ROOT.glob("course/*/solutions.py")]
    assert len(lessons) == 10
    for name in lessons:
        notebooks = {f"{part}/{name}/{name}.ipynb" for part in ("source", "release/en", "release/ko")}
        assert notebooks <= set(course_files)
        assert {f"course/{name}/{name}.py", f"course/{name}/solutions.py"} <= set(course_files)
    assert {"course/syllabus.toml", "nbgrader_config.py", "requirements.txt"} <= set(course_files)
    assert [
        name for name in names if "_answers" in name or name.startswith(("tests", "course", "release"))
    ] == []


def test_installed_lab_serves_the_lessons_and_loads_its_extensions(
    environment: Environment, address: str
) -> None:
    assert (environment.home / "secant-lessons/en" / NOTEBOOK).is_file()
    notebook = json.loads(ask(address, f"api/contents/{NOTEBOOK}"))["content"]
    assert any("difference quotient" in cell["source"] for cell in notebook["cells"])
    page = ask(address, "lab")
    config = json.loads(re.search(r'id="jupyter-config-data"[^>]*>\s*(\{.*?\})\s*</script>', page, re.S)[1])
    extensions = {entry["name"] for entry in config["federated_extensions"]}
    assert extensions >= {"@jupyter-widgets/jupyterlab-manager", *shared_names("share/jupyter/labextensions")}
    # Secant's server extension sends this setting to the page (see secant.lab.server_extension).
    assert "comm_msg" in config["untracked_message_types"]


def shared_names(folder: str) -> list[str]:
    """Return the names under which pyproject.toml installs files into a folder of the environment."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    return [
        target.removeprefix(f"{folder}/")
        for target in data["shared-data"].values()
        if target.startswith(f"{folder}/")
    ]


def test_the_lessons_are_checked_with_their_hidden_tests(
    environment: Environment, address: str, tmp_path: Path
) -> None:
    """Check lesson 1 unchanged and with the course's answers, both at once, because each takes seconds."""
    solved = tmp_path / f"{LESSON}.ipynb"
    solve(environment.home / "secant-lessons/en" / NOTEBOOK, solved)
    logs = [tmp_path / "fresh.json", tmp_path / "solved.json"]
    lessons = environment.home / "secant-lessons/en"
    processes = [
        environment.start("autograder", "check", path, "--json", out=log)
        for path, log in zip((lessons / LESSON, solved), logs, strict=True)
    ]
    codes = [process.wait(120) for process in processes]
    fresh_report, solved_report = (json.loads(log.read_text()) for log in logs)
    assert codes == [1, 0]
    assert {task["outcome"] for task in fresh_report["tasks"]} == {"not_attempted"}
    assert {task["outcome"] for task in solved_report["tasks"]} == {"passed"}
    assert (fresh_report["score"], solved_report["score"]) == (0, solved_report["max_score"])
    assert solved_report["max_score"] > 0


def solve(release: Path, target: Path) -> None:
    """Write a copy of a learner's notebook with the course's answers in it."""
    source = nbformat.read(ROOT / "source" / NOTEBOOK, as_version=4)
    answers = {
        cell.metadata.nbgrader.grade_id: cell.source for cell in source.cells if "nbgrader" in cell.metadata
    }
    notebook = nbformat.read(release, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = answers[cell.metadata.nbgrader.grade_id]
    nbformat.write(notebook, target)


def test_installed_commands_exist_and_answer_quickly(environment: Environment, tmp_path: Path) -> None:
    python, log = "python", tmp_path / "log.txt"
    assert environment.start(python, "-c", "import secant; print(secant.__file__)", out=log).wait(60) == 0
    assert Path(log.read_text().strip()).is_relative_to(environment.programs.parent)
    assert environment.start("secant", "--help", out=log).wait(60) == 0
    assert re.search(r"lab +Open the lessons.*doctor", log.read_text(), re.S)
    assert environment.start("secant", "doctor", "--json", out=log).wait(120) == 0
    assert json.loads(log.read_text())["ready"] is True
