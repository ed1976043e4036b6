"""Tests of the consent that a notebook needs before a click runs it."""

import json
import os
import stat
from pathlib import Path

import pytest

from autograder.service.consent import FILE, agree, is_agreed
from secant.predictions import predict
from secant.progress import store
from secant.workspace_state import OWN_WORKSPACE, STATE_FOLDER


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace for lessons, and put the learner's data into a folder next to it."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    folder = tmp_path / "workspace"
    (folder / STATE_FOLDER).mkdir(parents=True)
    return folder


def test_notebook_in_the_learners_workspace_needs_no_consent(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_WORKSPACE, str(workspace))
    notebook = workspace / "01/01.ipynb"
    notebook.parent.mkdir()
    notebook.touch()
    assert is_agreed(notebook)
    assert not is_agreed(workspace / "01/gone.ipynb")
    monkeypatch.setattr(os, "geteuid", lambda: notebook.stat().st_uid + 1)
    assert not is_agreed(notebook)  # the file belongs to another user
    assert not is_agreed(workspace.parent / "01/01.ipynb")


def test_file_delivered_with_a_notebook_gives_no_consent(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OWN_WORKSPACE, raising=False)
    notebook = workspace / "01/01.ipynb"
    for name in (FILE, f"{STATE_FOLDER}/{FILE}", f"{STATE_FOLDER}/own"):
        (workspace / name).write_text(json.dumps([str(notebook)]))
    assert not is_agreed(notebook)


def test_consent_is_remembered_per_notebook(workspace: Path) -> None:
    first, second = workspace / "one.ipynb", workspace / "other.ipynb"
    agree(first)
    agree(second)
    agree(first)
    assert is_agreed(first)
    assert is_agreed(second)
    assert not is_agreed(workspace / "third.ipynb")
    consent_file = workspace.parent / "data" / FILE
    assert len(json.loads(consent_file.read_bytes())) == 2


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"{}", b"[1, {}]", b""])
def test_a_damaged_note_is_no_consent(workspace: Path, content: bytes) -> None:
    path = workspace.parent / "data" / FILE
    path.parent.mkdir()
    path.write_bytes(content)
    assert not is_agreed(workspace / "one.ipynb")
    agree(workspace / "one.ipynb")
    assert is_agreed(workspace / "one.ipynb")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_learner_data_has_owner_only_permissions(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others must not be able to read a learner's progress and consents, even if the home folder is open."""
    monkeypatch.chdir(workspace)  # the prediction is stored in the working folder
    old_umask = os.umask(0o022)
    try:
        predict("1 a name", A="1", B="2").buttons.set_state({"index": 1})
        agree(workspace / "01/01.ipynb")
    finally:
        os.umask(old_umask)
    data = store.path().parent
    assert {path.name for path in data.iterdir() if path.stat().st_size} == {FILE, store.FILE}
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert {stat.S_IMODE((data / name).stat().st_mode) for name in (FILE, store.FILE)} == {0o600}
