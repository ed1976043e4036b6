"""A course with one small lesson in both languages, and functions that release, prepare and read it."""

from datetime import date
from pathlib import Path

from secant.lab import launch
from secant.workspace_state import STATE_FOLDER

ROOT = Path(__file__).resolve().parents[3]
FOLDER = "01_what_autograd_does"
NOTEBOOK = f"{FOLDER}/{FOLDER}.ipynb"
DAY = date(2026, 11, 21)


def write(path: Path, content: bytes) -> Path:
    """Write a file, create the folders above it if needed, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def build_course(folder: Path) -> Path:
    """Write the course into a folder, and return the folder."""
    write(folder / "course/syllabus.toml", (ROOT / "course/syllabus.toml").read_bytes())
    write(folder / "nbgrader_config.py", b"")
    (folder / "source").mkdir(parents=True)
    for name in ("en", "ko"):
        write(folder / "release" / name / NOTEBOOK, b"lesson, first version")
        write(folder / "release" / name / FOLDER / "picture.png", b"picture")
    return folder


def release(course: Path, content: bytes) -> None:
    """Release another version of the lesson."""
    write(course / "release/en" / NOTEBOOK, content)


def prepare(course: Path, day: date = DAY) -> str:
    """Prepare the workspace as `secant lab` does before JupyterLab starts; return the start page's text."""
    workspace, page = launch.prepare(course, day)
    return (workspace / page).read_text()


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of every file that the learner sees in a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and STATE_FOLDER not in path.parts
    }


def notebooks(course: Path) -> set[str]:
    """Return the names of the learner's notebooks."""
    return {name for name in tree(course / "workspace/en") if name.endswith(".ipynb")}
