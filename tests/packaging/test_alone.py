"""A lesson opened without its repository, in an environment without Secant, as in Colab."""

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement

from autograder.course.cells import is_answer, is_test
from scripts import links
from secant.address import urls
from tests.packaging.conftest import ROOT, Environment, make_environment

pytestmark = pytest.mark.slow

LESSON = "01_what_autograd_does"
RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, allow_errors=True).execute()
nbformat.write(notebook, sys.argv[1])
"""


def run(environment: Environment, notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    path, log = folder / "lesson.ipynb", folder / "log.txt"
    nbformat.write(notebook, path)
    assert environment.start("python", "-c", RUN, path, out=log, cwd=folder).wait(300) == 0, log.read_text()
    return nbformat.read(path, as_version=4)


def errors(cell: nbformat.NotebookNode) -> list[str]:
    return [output.ename for output in cell.get("outputs", []) if output.output_type == "error"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_released_notebook_installs_secant_and_runs(
    wheel: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, language: str
) -> None:
    """Secant's JupyterLab extension is not used. A wheel replaces the repository: tests work offline."""
    environment = make_environment(tmp_path_factory)
    notebook = nbformat.read(ROOT / f"release/{language}/{LESSON}/{LESSON}.ipynb", as_version=4)
    first = notebook.cells[0]
    install_command = f"install --quiet 'secant @ git+{urls()['Repository']}'"
    assert install_command in first.source
    first.source = first.source.replace(install_command, f"install --quiet --no-deps --no-index '{wheel}'")
    result = run(environment, notebook, tmp_path)
    assert (environment.packages / "secant").is_dir()
    code = [cell for cell in result.cells if cell.cell_type == "code"]
    assert [errors(cell) for cell in code if not (is_answer(cell) or is_test(cell))] == [[]] * sum(
        not (is_answer(cell) or is_test(cell)) for cell in code
    )
    # Each test cell fails only because its answer is still to be written.
    assert {name for cell in code if is_test(cell) for name in errors(cell)} == {"NotImplementedError"}
    output_types = {kind for cell in code for output in cell.outputs for kind in output.get("data", {})}
    assert "application/vnd.jupyter.widget-view+json" in output_types


@pytest.mark.parametrize(("language", "text"), [("en", "Secant's folder"), ("ko", "Secant 폴더")])
def test_first_cell_explains_a_failed_installation(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, language: str, text: str
) -> None:
    notebook = nbformat.read(ROOT / f"release/{language}/{LESSON}/{LESSON}.ipynb", as_version=4)
    notebook.cells = notebook.cells[:1]
    missing_url = (tmp_path / "nowhere").as_uri()
    notebook.cells[0].source = notebook.cells[0].source.replace("git+https", f"git+{missing_url}/https")
    outputs = run(make_environment(tmp_path_factory), notebook, tmp_path).cells[0].outputs
    (error,) = [output for output in outputs if output.output_type == "error"]
    assert error.ename == "ModuleNotFoundError"
    assert urls()["Repository"] in error.evalue
    assert text in error.evalue
    assert "`pip install -r requirements.txt`" in error.evalue


def test_first_cell_does_nothing_if_secant_is_installed(environment: Environment, tmp_path: Path) -> None:
    notebook = nbformat.read(ROOT / f"release/en/{LESSON}/{LESSON}.ipynb", as_version=4)
    notebook.cells = notebook.cells[:1]
    assert run(environment, notebook, tmp_path).cells[0].outputs == []


def test_the_first_cell_is_short_folded_and_the_same_in_each_lesson() -> None:
    for language in ("en", "ko"):
        cells = [nbformat.read(path, 4).cells[0] for path in ROOT.glob(f"release/{language}/*/*.ipynb")]
        assert len(cells) == 10
        assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == 1
        assert len(cells[0].source.splitlines()) <= 14
        assert cells[0].metadata["jupyter"] == {"source_hidden": True}


# --- In a clone ---


def test_requirements_bring_everything_that_a_lesson_needs(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """All other packages are already there, in this environment's versions, because tests work offline."""
    clone, environment = tmp_path / "clone", make_environment(tmp_path_factory)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/", "benchmarks/")):
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    limits = [
        Requirement(line) for line in (clone / "constraints.txt").read_text().splitlines() if "==" in line
    ]
    pins = [f"{requirement.name}=={importlib.metadata.version(requirement.name)}" for requirement in limits]
    (clone / "constraints.txt").write_text("\n".join(pins))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(environment.programs / "python"),
        "install",
        "--quiet",
    ]
    options = ["--no-index", "--no-build-isolation", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, *options, "-r", "requirements.txt"], cwd=clone, check=True)
    lesson = nbformat.read(clone / f"release/en/{LESSON}/{LESSON}.ipynb", as_version=4)
    result = run(environment, lesson, tmp_path)
    code = [
        cell for cell in result.cells if cell.cell_type == "code" and not (is_answer(cell) or is_test(cell))
    ]
    assert [errors(cell) for cell in code] == [[]] * len(code)
    assert result.cells[0].outputs == []
    command = [environment.programs / "python", "-c", "import secant; print(secant.__file__)"]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert Path(output.strip()) == clone / "secant/__init__.py"


# --- Where lessons are opened ---


def test_links_to_online_services_lead_to_lessons_that_exist() -> None:
    for path, text in links.updated_texts().items():
        assert path.read_text() == text, f"{path.name}: run `python -m scripts.links`"
    text = (ROOT / links.ONLINE).read_text()
    paths = re.findall(r"colab\.research\.google\.com/github/[^/]+/[^/]+/blob/main/([^)]+)\)", text)
    assert len(set(paths)) == 20
    assert all((ROOT / path).is_file() and path.startswith("release/") for path in paths)
    assert text.count("kaggle.com/kernels/welcome?src=https%3A%2F%2F") == 20


def test_dev_container_and_binder_install_the_current_requirements() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert "-r requirements.txt" in container["postCreateCommand"]
    requires_python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    versions = [container["image"].rpartition(":")[2], (ROOT / ".binder/runtime.txt").read_text().strip()[7:]]
    strategy = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"]["learner"][
        "strategy"
    ]
    assert requires_python == ">=3.11"
    assert set(versions) <= set(strategy["matrix"]["python"])
    lines = (ROOT / ".binder/requirements.txt").read_text().splitlines()
    (constraints,) = (line.removeprefix("-c ") for line in lines if line.startswith("-c "))
    assert (ROOT / ".binder" / constraints).resolve() == ROOT / "constraints.txt"
    assert lines[-1] == "."
