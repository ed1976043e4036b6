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


def build(place: Path) -> Path:
    """Write the course into a folder, and return the folder."""
    write(place / "course/syllabus.toml", (ROOT / "course/syllabus.toml").read_bytes())
    write(place / "nbgrader_config.py", b"")
    (place / "source").mkdir(parents=True)
    for name in ("en", "ko"):
        write(place / "release" / name / NOTEBOOK, b"lesson, first version")
        write(place / "release" / name / FOLDER / "picture.png", b"picture")
    return place


def release(house: Path, content: bytes) -> None:
    """Release another version of the lesson."""
    write(house / "release/en" / NOTEBOOK, content)


def prepare(house: Path, day: date = DAY) -> str:
    """Prepare the workspace as `secant lab` does before JupyterLab starts; return the start page's text."""
    workspace, page = launch.prepare(house, day)
    return (workspace / page).read_text()


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder that the learner sees, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and STATE_FOLDER not in path.parts
    }


def notebooks(house: Path) -> set[str]:
    """Return the names of the learner's notebooks."""
    return {name for name in tree(house / "workspace/en") if name.endswith(".ipynb")}
