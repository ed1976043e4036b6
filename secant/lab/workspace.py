"""Lessons in a workspace: copied once, never overwritten.

A file that stands in the workspace belongs to the learner: nothing here ever writes over it.
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

#: In the learner's home, where the course came in the package.
HOME_FOLDER = "secant-lessons"


class LabError(Exception):
    """Something that the learner can put right; its text is the one sentence that they see."""


def workspace_for(root: Path, lang: Language, chosen: Path | None = None) -> Path:
    """The folder of the learner's lessons in a language.

    Args:
        root: the course; if it came in the package, lessons go to the learner's home, else beside it.
        lang: the lessons' language.
        chosen: the folder to use instead.

    Raises:
        LabError: nobody knows where the learner's home is.
    """
    try:
        place = chosen or (Path.home() / HOME_FOLDER if is_installed(root) else root / "workspace")
        return Path(os.path.abspath(place.expanduser())) / lang
    except RuntimeError as error:  # a container's user without a name
        raise LabError(
            say(
                en="You have no home folder here: name a folder for the lessons with --workspace.",
                ko="홈 폴더를 찾을 수 없습니다. --workspace 옵션으로 수업 파일을 둘 폴더를 지정해 주세요.",
            )
        ) from error


def command(root: Path, lang: Language, workspace: Path) -> str:
    """What to type to come back to the lessons in a workspace."""
    try:
        usual = workspace == workspace_for(root, lang)
    except LabError:
        usual = False
    if usual and not is_installed(root) and os.name != "nt":
        return "make lab" + (f" lang={lang}" if lang != "en" else "")
    return f"secant lab --lang {lang}" + ("" if usual else f' --workspace "{workspace.parent}"')


@dataclass(frozen=True)
class Copied:
    """Where one file of a release stands in the workspace; names have forward slashes."""

    name: str
    edited: bool
    beside: str | None  # the newer version that stands next to it


def write_state(workspace: Path, state: State) -> None:
    """Replace the state in one step, so that a crash leaves the old one whole.

    Raises:
        LabError: its folder is a link, which may lead out of the workspace.
        OSError: it cannot be written.
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
    """Write a new file and return True; return False, touching nothing, if something has that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = path.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(content)
    except BaseException:
        path.unlink()  # half a file would pass for the learner's own next time
        raise
    return True


def content_of(path: Path) -> bytes | None:
    """The file's bytes, or None where there is no file to read (nothing, a folder, a broken link)."""
    return path.read_bytes() if path.is_file() else None


def put_beside(path: Path, content: bytes, today: date) -> Path:
    """Write a newer version next to the learner's file, under the first name that is free or holds it."""
    for number in count(1):
        mark = f"new {today}" if number == 1 else f"new {today} {number}"
        candidate = path.with_name(f"{path.stem} ({mark}){path.suffix}")
        if create(candidate, content) or content_of(candidate) == content:
            break
    return candidate


def copy_file(source: Path, name: str, workspace: Path, state: State, today: date) -> Copied:
    """Copy one file of a release, or, where that name is taken, put a changed one beside it."""
    content, path = source.read_bytes(), workspace / name
    released, entry = fingerprint(content), state.setdefault(name, {})
    if create(path, content) or content_of(path) == content:
        state[name] = {"copied": released}
        return Copied(name, edited=False, beside=None)
    own = content_of(path)
    edited = own is None or fingerprint(own) != entry.get("copied")
    if released == entry.get("copied"):
        return Copied(name, edited, beside=None)
    # A version is put beside once: a learner who has thrown it away does not find it again at each start.
    if released != entry.get("offered"):
        entry["beside"] = put_beside(path, content, today).relative_to(workspace).as_posix()
        entry["offered"] = released
    beside = entry.get("beside", "")
    there = beside and os.path.isfile(workspace / beside)  # which says no to a name that cannot be one
    return Copied(name, edited, beside if there else None)


def released_files(release: Path) -> Iterator[str]:
    """Names of the files to copy, without what editors and Python leave behind."""
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release)
        if path.is_file() and not any(part.startswith((".", "__")) for part in name.parts):
            yield name.as_posix()


def copy_lessons(release: Path, workspace: Path, today: date) -> list[Copied]:
    """Bring a workspace up to date with a release without changing any file that is there."""
    state = read_state(workspace)
    copied = [copy_file(release / name, name, workspace, state, today) for name in released_files(release)]
    write_state(workspace, state)
    return copied
