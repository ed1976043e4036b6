"""Tests of the files next to a notebook and its page: the exchange's own and a student's additional files."""

import os
import stat
from pathlib import Path

import pytest
from nbgrader.utils import notebook_hash

from autograder.intake import files
from tests.support.small_class import STEPS, Here, answered, hand_in, run, told

SECRET = "5f" * 64  # as `nbgrader submit` writes it
WHEN = "2026-11-01 10:00:00.123456 UTC"
SIDE = {"predictions.json": b"{}", "plot.png": b"\x89PNG", "more/table.csv": b"1,2\n", "code.txt": b"x = 1\n"}
OURS = {"timestamp.txt", "submission_secret.txt", "data/points.csv"}


@pytest.fixture
def handed(room: Path, right: dict[str, str]) -> Path:
    """Return the folder of a submission that came through nbgrader's exchange, with additional files."""
    folder = hand_in(room, "ann", answered(room, right), timestamp=WHEN).parent
    (folder / "submission_secret.txt").write_text(SECRET)
    for name, data in SIDE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def graded(room: Path, student: str = "ann", step: str = "feedback") -> dict[str, bytes]:
    """Return the files in a student's folder, by path."""
    folder = room / step / student / STEPS
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("step", "own"), [("autograded", f"{STEPS}.ipynb"), ("feedback", f"{STEPS}.html")])
def test_exchange_and_side_files_are_copied_to_the_graded_folders(
    room: Path, handed: Path, step: str, own: str
) -> None:
    run(room, Here(told))
    found = graded(room, step=step)
    assert set(found) == OURS | {own} | set(SIDE)
    assert {name: found[name] for name in SIDE} == SIDE
    assert found["submission_secret.txt"].decode() == SECRET
    assert found["timestamp.txt"].decode() == WHEN


@pytest.mark.parametrize(("shared", "modes"), [(False, (0o444, 0o644, 0o600)), (True, (0o664, 0o664, 0o660))])
def test_copied_secret_has_owner_only_permissions(
    room: Path, handed: Path, shared: bool, modes: tuple[int, int, int]
) -> None:
    with (room / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.groupshared = {shared}\n")
    os.chmod(handed / "submission_secret.txt", 0o644)
    run(room, Here(told))

    def mode(step: str, name: str) -> int:
        return stat.S_IMODE((room / step / "ann" / STEPS / name).stat().st_mode)

    assert (mode("autograded", f"{STEPS}.ipynb"), mode("feedback", f"{STEPS}.html")) == modes[:2]
    assert (mode("autograded", "plot.png"), mode("feedback", "plot.png")) == modes[:2]
    for step in ("autograded", "feedback"):
        assert mode(step, "submission_secret.txt") == modes[2]


def test_submission_without_an_exchange_secret_gets_a_new_one(room: Path, handed: Path) -> None:
    for name, said in (("bob", None), ("cho", b"short"), ("dee", b"\xff" * 64), ("eve", b"s" * 10_000)):
        folder = hand_in(room, name, "{").parent
        if said is not None:
            (folder / "submission_secret.txt").write_bytes(said)
    (hand_in(room, "fay", "{").parent / "submission_secret.txt").symlink_to(handed / "submission_secret.txt")
    run(room, Here(told))
    others = ["bob", "cho", "dee", "eve", "fay"]
    secrets = {name: graded(room, name)["submission_secret.txt"].decode() for name in others}
    assert all(len(secret) == 64 for secret in secrets.values())
    assert len({SECRET, *secrets.values()}) == 6
    assert all(notebook_hash(secret=secret, notebook_id=STEPS) for secret in secrets.values())
    assert graded(room, "bob")["timestamp.txt"] == b""
    again = {name: graded(room, name, "autograded")["submission_secret.txt"].decode() for name in others}
    assert again == secrets


def test_student_files_that_resemble_graded_files_are_left_out(room: Path, handed: Path) -> None:
    names = [f"{STEPS}.html", "other.HTML", "x.htm", "x.svg", "x.xhtml", "x.xml", "x.mht", "x.html.gz"]
    names += ["data:,x.html", "data:x.svg", "a:b.html"]  # mimetypes reads such a name as a URL
    names += [".hidden", "other.ipynb", "x\u202e.png", "feedback/x.csv", "data/points.csv", "old.pyc"]
    # Python would run these files when a grader opens the notebook.
    names += ["importlib.py", "json/__init__.PY", "ipykernel_launcher.so"]
    for name in names:
        (handed / name).parent.mkdir(exist_ok=True)
        (handed / name).write_bytes(b"<script>")
    run(room, Here(told))
    for step, own in (("autograded", f"{STEPS}.ipynb"), ("feedback", f"{STEPS}.html")):
        found = graded(room, step=step)
        assert set(found) == OURS | {own} | set(SIDE)
        assert b"<script>" not in {found["data/points.csv"], found[own]}


@pytest.mark.parametrize("name", ["data", "timestamp.txt", f"{STEPS}.html"])
def test_side_file_in_the_place_of_a_grader_folder_breaks_nothing(
    room: Path, handed: Path, name: str
) -> None:
    """Put a file where the grader writes a folder, and a folder where the grader writes a file."""
    (handed / "timestamp.txt").unlink()
    if name == "data":
        (handed / name).write_text("a file")
    else:
        (handed / name).mkdir()
        (handed / name / "x.csv").write_text("1")
    summary, _ = run(room, Here(told))
    assert not summary.failed
    assert (room / "feedback" / "ann" / STEPS / f"{STEPS}.html").is_file()
    assert graded(room)["data/points.csv"] != b"a file"


def test_side_files_that_are_links_devices_or_too_many_are_left_out(
    room: Path, handed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_SIDE_FILES", 10)
    monkeypatch.setattr(files, "MAX_SIDE_FOLDERS", 3)
    (room / "private.txt").write_text("the instructor's")
    (handed / "a_link.txt").symlink_to(room / "private.txt")
    os.link(room / "private.txt", handed / "b_hard.txt")
    (handed / "c_folder").symlink_to(room / "source")
    os.mkfifo(handed / "d_pipe")
    for number in range(20):
        (handed / f"e{number:02}").mkdir()
        (handed / f"e{number:02}" / "x.csv").write_text("1")
        (handed / f"f{number:02}.csv").write_text("1")
    _, said = run(room, Here(told))
    found = graded(room)
    assert len(found) == len(OURS) + 1 + 10
    assert b"the instructor's" not in found.values()
    assert not [name for name in found if name.startswith(("a_", "b_", "c_", "d_"))]
    assert "files beside the notebook that were not copied (links, too many, too large): 38" in said[1]


def test_all_side_files_together_are_bounded(
    room: Path, handed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 3 * (handed / f"{STEPS}.ipynb").stat().st_size
    monkeypatch.setattr(files, "MAX_FILE_BYTES", size)
    for name in ("x1.csv", "x2.csv"):
        (handed / name).write_bytes(b"1" * (size * 2 // 3))
    run(room, Here(told))
    assert {"x1.csv", "x2.csv"} & set(graded(room)) == {"x1.csv"}
