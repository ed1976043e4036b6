"""Functions that copy lessons into a workspace, each version only once.

Every file in the workspace belongs to the learner, so this module never overwrites one.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path

from secant.files import replace_file
from secant.language import Language, say
from secant.where import is_installed
from secant.workspace_state import STATE_FOLDER, State, fingerprint, read_state

#: Name of the lessons' folder in the learner's home, for a course that was installed with the package.
HOME_FOLDER = "secant-lessons"


class LabError(Exception):
    """An error for a problem that the learner can solve; the learner sees only its text."""


def workspace_for(root: Path, lang: Language, folder: Path | None = None) -> Path:
    """Return the folder for the learner's lessons in a language.

    Args:
        root: the course's folder. If the course was installed with the package, the lessons go to the
            learner's home, and otherwise to the subfolder `workspace` of this folder.
        lang: the lessons' language.
        folder: the folder to use instead of the usual one.

    Raises:
        LabError: if the learner's home folder cannot be determined.
    """
    try:
        place = folder or (Path.home() / HOME_FOLDER if is_installed(root) else root / "workspace")
        return Path(os.path.abspath(place.expanduser())) / lang
    except RuntimeError as error:  # the home folder is unknown, for example in some containers
        raise LabError(
            say(
                en="You have no home folder here: name a folder for the lessons with --workspace.",
                ko="홈 폴더를 찾을 수 없습니다. --workspace 옵션으로 수업 파일을 둘 폴더를 지정해 주세요.",
            )
        ) from error


def command(root: Path, lang: Language, workspace: Path) -> str:
    """Return the command that opens the lessons of a workspace again."""
    try:
        is_default = workspace == workspace_for(root, lang)
    except LabError:
        is_default = False
    if is_default and not is_installed(root) and os.name != "nt":
        return "make lab" + (f" lang={lang}" if lang != "en" else "")
    return f"secant lab --lang {lang}" + ("" if is_default else f' --workspace "{workspace.parent}"')


@dataclass(frozen=True)
class CopyResult:
    """The result of copying one file of a release into the workspace; its paths use forward slashes."""

    name: str
    is_edited: bool
    newer_version: str | None  # name of the newer version next to the file, if there is one


def write_state(workspace: Path, state: State) -> None:
    """Replace the workspace's state file in one step, so that a crash leaves the old one intact.

    Raises:
        LabError: if the state's folder is a link, which may lead out of the workspace.
        OSError: if the state cannot be written.
    """
    folder = workspace / STATE_FOLDER
    if folder.is_symlink():
        raise LabError(
            say(
                en=f"{folder} is a link, and a file behind it could be overwritten: delete the link, "
                "then start again.",
                ko=f"{folder} 경로가 링크여서 그 너머의 파일을 덮어쓸 수 있습니다. "
                "링크를 지운 뒤 다시 시작하세요.",
            )
        )
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "state.json", json.dumps(state, indent=1, sort_keys=True).encode())


def create(path: Path, content: bytes) -> bool:
    """Write a new file and return True; if the name is taken, change nothing and return False."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = path.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(content)
    except BaseException:
        path.unlink()  # otherwise the next start would take a half-written file for the learner's own
        raise
    return True


def read_if_file(path: Path) -> bytes | None:
    """Return a file's bytes, or None if the path does not exist, or is a folder or a broken link."""
    return path.read_bytes() if path.is_file() else None


def write_new_version(path: Path, content: bytes, today: date) -> Path:
    """Write a newer version next to the learner's file and return its path.

    The file gets the first name that is free, or under which this version already exists.
    """
    for number in count(1):
        mark = f"new {today}" if number == 1 else f"new {today} {number}"
        candidate = path.with_name(f"{path.stem} ({mark}){path.suffix}")
        if create(candidate, content) or read_if_file(candidate) == content:
            break
    return candidate


def copy_file(source: Path, name: str, workspace: Path, state: State, today: date) -> CopyResult:
    """Copy one file of a release; if the name is taken, put a newer version next to the learner's file."""
    content, path = source.read_bytes(), workspace / name
    new_fingerprint, entry = fingerprint(content), state.setdefault(name, {})
    if create(path, content) or read_if_file(path) == content:
        state[name] = {"copied": new_fingerprint}
        return CopyResult(name, is_edited=False, newer_version=None)
    own_content = read_if_file(path)
    is_edited = own_content is None or fingerprint(own_content) != entry.get("copied")
    if new_fingerprint == entry.get("copied"):
        return CopyResult(name, is_edited, newer_version=None)
    # Each version is offered only once, so that a learner who deletes it does not find it again at every
    # start.
    if new_fingerprint != entry.get("offered"):
        entry["beside"] = write_new_version(path, content, today).relative_to(workspace).as_posix()
        entry["offered"] = new_fingerprint
    newer_version = entry.get("beside", "")
    exists = newer_version and os.path.isfile(
        workspace / newer_version
    )  # isfile() returns False for an invalid name
    return CopyResult(name, is_edited, newer_version if exists else None)


def released_files(release: Path) -> Iterator[str]:
    """Yield the names of a release's files to copy, excluding files that editors and Python leave behind."""
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release)
        if path.is_file() and not any(part.startswith((".", "__")) for part in name.parts):
            yield name.as_posix()


def copy_lessons(release: Path, workspace: Path, today: date) -> list[CopyResult]:
    """Bring a workspace up to date with a release, without changing any existing file."""
    state = read_state(workspace)
    results = [copy_file(release / name, name, workspace, state, today) for name in released_files(release)]
    write_state(workspace, state)
    return results
