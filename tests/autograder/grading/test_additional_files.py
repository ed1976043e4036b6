"""Tests of the files next to a notebook and its page: the exchange's own and a student's additional files."""

import os
import stat
from pathlib import Path

import pytest
from nbgrader.utils import notebook_hash

from autograder.intake import files
from tests.support.small_class import STEPS, InProcessWorkers, answered_notebook, fake_result, hand_in, run

SECRET = "5f" * 64  # as `nbgrader submit` writes it
SUBMITTED_AT = "2026-11-01 10:00:00.123456 UTC"
SIDE_FILES = {
    "predictions.json": b"{}",
    "plot.png": b"\x89PNG",
    "more/table.csv": b"1,2\n",
    "code.txt": b"x = 1\n",
}
GRADER_FILES = {"timestamp.txt", "submission_secret.txt", "data/points.csv"}


@pytest.fixture
def submission_folder(course_root: Path, correct_answers: dict[str, str]) -> Path:
    """Return the folder of a submission that came through nbgrader's exchange, with additional files."""
    folder = hand_in(
        course_root, "ann", answered_notebook(course_root, correct_answers), timestamp=SUBMITTED_AT
    ).parent
    (folder / "submission_secret.txt").write_text(SECRET)
    for name, data in SIDE_FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def read_files(course_root: Path, student: str = "ann", step: str = "feedback") -> dict[str, bytes]:
    """Return the files in a student's folder, by path."""
    folder = course_root / step / student / STEPS
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("step", "main_file"), [("autograded", f"{STEPS}.ipynb"), ("feedback", f"{STEPS}.html")]
)
def test_exchange_and_side_files_are_copied_to_the_graded_folders(
    course_root: Path, submission_folder: Path, step: str, main_file: str
) -> None:
    run(course_root, InProcessWorkers(fake_result))
    contents = read_files(course_root, step=step)
    assert set(contents) == GRADER_FILES | {main_file} | set(SIDE_FILES)
    assert {name: contents[name] for name in SIDE_FILES} == SIDE_FILES
    assert contents["submission_secret.txt"].decode() == SECRET
    assert contents["timestamp.txt"].decode() == SUBMITTED_AT


@pytest.mark.parametrize(("shared", "modes"), [(False, (0o444, 0o644, 0o600)), (True, (0o664, 0o664, 0o660))])
def test_copied_secret_has_owner_only_permissions(
    course_root: Path, submission_folder: Path, shared: bool, modes: tuple[int, int, int]
) -> None:
    with (course_root / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.groupshared = {shared}\n")
    os.chmod(submission_folder / "submission_secret.txt", 0o644)
    run(course_root, InProcessWorkers(fake_result))

    def mode(step: str, name: str) -> int:
        return stat.S_IMODE((course_root / step / "ann" / STEPS / name).stat().st_mode)

    assert (mode("autograded", f"{STEPS}.ipynb"), mode("feedback", f"{STEPS}.html")) == modes[:2]
    assert (mode("autograded", "plot.png"), mode("feedback", "plot.png")) == modes[:2]
    for step in ("autograded", "feedback"):
        assert mode(step, "submission_secret.txt") == modes[2]


def test_submission_without_an_exchange_secret_gets_a_new_one(
    course_root: Path, submission_folder: Path
) -> None:
    for name, data in (("bob", None), ("cho", b"short"), ("dee", b"\xff" * 64), ("eve", b"s" * 10_000)):
        folder = hand_in(course_root, name, "{").parent
        if data is not None:
            (folder / "submission_secret.txt").write_bytes(data)
    (hand_in(course_root, "fay", "{").parent / "submission_secret.txt").symlink_to(
        submission_folder / "submission_secret.txt"
    )
    run(course_root, InProcessWorkers(fake_result))
    students = ["bob", "cho", "dee", "eve", "fay"]
    secrets = {name: read_files(course_root, name)["submission_secret.txt"].decode() for name in students}
    assert all(len(secret) == 64 for secret in secrets.values())
    assert len({SECRET, *secrets.values()}) == 6
    assert all(notebook_hash(secret=secret, notebook_id=STEPS) for secret in secrets.values())
    assert read_files(course_root, "bob")["timestamp.txt"] == b""
    autograded_secrets = {
        name: read_files(course_root, name, "autograded")["submission_secret.txt"].decode()
        for name in students
    }
    assert autograded_secrets == secrets


def test_student_files_that_resemble_graded_files_are_left_out(
    course_root: Path, submission_folder: Path
) -> None:
    names = [f"{STEPS}.html", "other.HTML", "x.htm", "x.svg", "x.xhtml", "x.xml", "x.mht", "x.html.gz"]
    names += ["data:,x.html", "data:x.svg", "a:b.html"]  # mimetypes reads such a name as a URL
    names += [".hidden", "other.ipynb", "x\u202e.png", "feedback/x.csv", "data/points.csv", "old.pyc"]
    # Python would run these files when a grader opens the notebook.
    names += ["importlib.py", "json/__init__.PY", "ipykernel_launcher.so"]
    for name in names:
        (submission_folder / name).parent.mkdir(exist_ok=True)
        (submission_folder / name).write_bytes(b"<script>")
    run(course_root, InProcessWorkers(fake_result))
    for step, main_file in (("autograded", f"{STEPS}.ipynb"), ("feedback", f"{STEPS}.html")):
        contents = read_files(course_root, step=step)
        assert set(contents) == GRADER_FILES | {main_file} | set(SIDE_FILES)
        assert b"<script>" not in {contents["data/points.csv"], contents[main_file]}


@pytest.mark.parametrize("name", ["data", "timestamp.txt", f"{STEPS}.html"])
def test_side_file_in_the_place_of_a_grader_folder_breaks_nothing(
    course_root: Path, submission_folder: Path, name: str
) -> None:
    """Put a file where the grader writes a folder, and a folder where the grader writes a file."""
    (submission_folder / "timestamp.txt").unlink()
    if name == "data":
        (submission_folder / name).write_text("a file")
    else:
        (submission_folder / name).mkdir()
        (submission_folder / name / "x.csv").write_text("1")
    summary, _ = run(course_root, InProcessWorkers(fake_result))
    assert not summary.failed
    assert (course_root / "feedback" / "ann" / STEPS / f"{STEPS}.html").is_file()
    assert read_files(course_root)["data/points.csv"] != b"a file"


def test_side_files_that_are_links_devices_or_too_many_are_left_out(
    course_root: Path, submission_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_SIDE_FILES", 10)
    monkeypatch.setattr(files, "MAX_SIDE_FOLDERS", 3)
    (course_root / "private.txt").write_text("the instructor's")
    (submission_folder / "a_link.txt").symlink_to(course_root / "private.txt")
    os.link(course_root / "private.txt", submission_folder / "b_hard.txt")
    (submission_folder / "c_folder").symlink_to(course_root / "source")
    os.mkfifo(submission_folder / "d_pipe")
    for number in range(20):
        (submission_folder / f"e{number:02}").mkdir()
        (submission_folder / f"e{number:02}" / "x.csv").write_text("1")
        (submission_folder / f"f{number:02}.csv").write_text("1")
    _, messages = run(course_root, InProcessWorkers(fake_result))
    contents = read_files(course_root)
    assert len(contents) == len(GRADER_FILES) + 1 + 10
    assert b"the instructor's" not in contents.values()
    assert not [name for name in contents if name.startswith(("a_", "b_", "c_", "d_"))]
    assert "files beside the notebook that were not copied (links, too many, too large): 38" in messages[1]


def test_all_side_files_together_are_bounded(
    course_root: Path, submission_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 3 * (submission_folder / f"{STEPS}.ipynb").stat().st_size
    monkeypatch.setattr(files, "MAX_FILE_BYTES", size)
    for name in ("x1.csv", "x2.csv"):
        (submission_folder / name).write_bytes(b"1" * (size * 2 // 3))
    run(course_root, InProcessWorkers(fake_result))
    assert {"x1.csv", "x2.csv"} & set(read_files(course_root)) == {"x1.csv"}
