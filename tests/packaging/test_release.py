"""A release: the same bytes from the same commit, one version, and workflows that do what they say."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts import version
from tests.packaging.conftest import ROOT

WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").glob("*.yml")
}
#: The jobs that may do more than read the repository, with their permissions.
WRITES = {
    ("release", "publish"): {"id-token": "write"},
    ("release", "announce"): {"contents": "write", "id-token": "write", "attestations": "write"},
    ("pages", "deploy"): {"pages": "write", "id-token": "write"},
}


def steps(workflow: str, job: str) -> list[dict[str, Any]]:
    return WORKFLOWS[workflow]["jobs"][job].get("steps", [])


def all_steps() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (name, job, step)
        for name, workflow in WORKFLOWS.items()
        for job in workflow["jobs"]
        for step in steps(name, job)
    ]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Copy the repository's current files, except those that git ignores, to a folder without .git."""
    folder = tmp_path / "first"
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def build(folder: Path, umask: int) -> dict[str, str]:
    """Build the distributions and return their hashes by name."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", "dist"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1790000000"}
    subprocess.run(command, cwd=folder, env=environment, umask=umask, check=True, capture_output=True)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "dist").iterdir()}


def test_building_the_same_commit_twice_gives_equal_files(export: Path, tmp_path: Path) -> None:
    """The second build has other file times, folders and permissions; the third is made from the sdist."""
    second = Path(shutil.copytree(export, tmp_path / "second"))
    for path in second.rglob("*"):
        os.utime(path, (1, 1))
        if path.is_file():
            path.chmod(0o600)
    first = build(export, 0o022)
    assert len(first) == 2
    assert build(second, 0o077) == first
    (sdist,) = (export / "dist").glob("*.tar.gz")
    subprocess.run(["tar", "-xf", sdist], cwd=tmp_path, check=True)
    third = build(tmp_path / sdist.name.removesuffix(".tar.gz"), 0o022)
    (wheel,) = (name for name in first if name.endswith(".whl"))
    assert third[wheel] == first[wheel]


# --- The version ---


def test_every_file_that_names_the_version_agrees() -> None:
    assert version.problems(ROOT) == []
    current = version.current_version(ROOT)
    assert version.problems(ROOT, "v0.0.1") == [
        f"The tag v0.0.1 is not that of version {current}, which is v{current}."
    ]


def test_beginning_a_new_version_updates_every_file(export: Path) -> None:
    old_notes = version.notes(export, version.current_version(export))
    changelog = export / "CHANGELOG.md"
    changelog.write_text(
        re.sub(
            r"(?s)## Unreleased\n.*?(?=\n## )", "## Unreleased\n\nA word.\n", changelog.read_text(), count=1
        )
    )
    version.begin_version(export, "9.0.0rc1")
    assert version.problems(export, "v9.0.0rc1") == []
    assert version.notes(export, "9.0.0rc1") == "A word."
    assert version.notes(export, "Unreleased") == ""
    assert version.notes(export, version.current_version(ROOT)) == old_notes
    (export / "CITATION.cff").write_text("version: 8.0.0\n")
    assert version.problems(export) == ["CITATION.cff names 8.0.0, pyproject.toml 9.0.0rc1."]


@pytest.mark.parametrize("word", ["next", "1.0", version.current_version(ROOT)])
def test_invalid_new_version_changes_no_file(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        version.main([word])
    assert f"{word} is not a new version" in capsys.readouterr().err
    assert version.problems(ROOT) == []


# --- The workflows ---


def test_the_tests_run_on_every_system_and_python() -> None:
    matrix = WORKFLOWS["test"]["jobs"]["learner"]["strategy"]["matrix"]
    assert [name.partition("-")[0] for name in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_release_workflow_publishes_only_tested_builds_with_least_rights() -> None:
    release = WORKFLOWS["release"]["jobs"]
    assert set(release["publish"]["needs"]) == {"test", "build"}
    assert release["test"]["uses"] == "./.github/workflows/test.yml"
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}
        for job, settings in workflow["jobs"].items():
            assert settings.get("permissions", {}) == WRITES.get((name, job), {})
            assert set(settings.get("needs", [])) <= workflow["jobs"].keys()
    (publish,) = (step for step in steps("release", "publish") if "pypi-publish" in step["uses"])
    assert publish["with"] == {"attestations": True}  # and no password
    assert any("attest-build-provenance" in step.get("uses", "") for step in steps("release", "announce"))


def test_every_step_is_one_that_github_understands() -> None:
    assert len(all_steps()) > 15
    for _, _, step in all_steps():
        assert ("run" in step) != ("uses" in step)
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step["uses"])
        else:
            # An expression in a script would insert, for example, a branch's name, which the shell could run.
            assert "${{" not in step["run"]
            subprocess.run(["bash", "-n", "-c", step["run"]], check=True)


def test_every_file_and_target_that_a_step_names_is_there() -> None:
    scripts = [step["run"] for _, _, step in all_steps() if "run" in step]
    words = [word for script in scripts for word in script.split()]
    for word in words:
        if word.startswith(("tests/", ".ci/")):
            assert (ROOT / word).exists(), word
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text())
    assert {words[index + 1] for index, word in enumerate(words) if word == "make"} <= set(targets)


def test_the_release_is_built_as_its_workflow_says(export: Path) -> None:
    """Each script of the job `build` runs in turn in a new repository; only pip's download is left out."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *arguments], cwd=export, check=True)
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(export.parent),
        "GITHUB_REF_NAME": f"v{version.current_version(ROOT)}",
    }
    step_names = []
    for step in steps("release", "build"):
        if "run" in step and not step["run"].startswith("python -m pip install"):
            result = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", step["run"]],
                cwd=export,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert result.returncode == 0, result.stderr
            step_names.append(step["name"])
    assert len(step_names) == 3
    hashes = (export / "SHA256SUMS").read_text().splitlines()
    assert sorted(line.rpartition(".")[2] for line in hashes) == ["gz", "whl"]
    assert (export / "notes.md").read_text().strip() == version.notes(ROOT, version.current_version(ROOT))
