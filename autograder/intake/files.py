"""The submitted file: found in its folder, opened without following links, read once within a bound."""

import json
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from urllib.parse import quote

from autograder.intake.kinds import Kind, kind_of
from autograder.intake.submission import Refused, Rejected
from secant.language import LANGUAGES
from secant.visible import visible

TIMESTAMP, EXCHANGE_SECRET = "timestamp.txt", "submission_secret.txt"  # nbgrader's exchange leaves them
MAX_FILE_BYTES = 20_000_000
MAX_FOLDER_ENTRIES = 1_000
MAX_SIDE_FILES = 100
MAX_SIDE_FOLDERS = 20
PICTURES = (".png", ".jpg", ".jpeg", ".jfif", ".gif", ".webp")
MAX_NOTEBOOKS = (
    6  # of a submission that are read; beside the lesson's own they are no larger than one together
)

_STUDENT_ID = re.compile(r"[^\W_][\w.@-]{0,63}")
_NOT_THE_STUDENTS = ("timestamp.txt", "submission_secret.txt", "collect.txt")
_PICTURE_NAME = re.compile(rb"\.(?:png|jpe?g|jfif|gif|webp)\b", re.IGNORECASE)
_NAMED = 3  # of the files that came instead of a notebook
# What browsers, editors, file managers, cloud drives and Canvas add to a name: at its end ("x copy 2", "x-1",
# "x (1)", "x 2", "x - 복사본", "x의 사본", "x (another copy)") or at its beginning ("Copy of x").
_COPY_MARK = re.compile(
    r"(?:[ _–—-]*(?:copy|복사본|사본)[ _]*\d{0,9}|의 사본| *\(\d{1,9}\)|[ -]\d{1,3}"
    r"| *\([^()]*(?:copy|복사본|사본|conflict|충돌)[^()]*\))[ _]*$"
)
_COPY_OF = re.compile(r"(?:copy(?: \d+| \(\d+\))? of |복?사본 (?:\(\d+\) )?(?:[-–—] )?)")
_ENDINGS = (".txt", ".json")  # which editors and browsers put behind .ipynb
_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows has none of these three
_O_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def valid_student_id(name: str) -> bool:
    """Whether a student id may name a folder: letters of any script, digits and `_.@-`, 64 at most.

    Anything else could mean something to a path, a shell, a glob or nbgrader's own names. A name that is not
    composed (NFC) would look like another that is.
    """
    plain = bool(_STUDENT_ID.fullmatch(name)) and ".." not in name and not name.endswith(".")
    return plain and unicodedata.is_normalized("NFKC", name)


Read = tuple[str, bytes, list[str]]  # a file's name, its bytes, and notes
Unread = tuple[str, Rejected]  # a file's name, and why it was not read


def read(
    path: Path, lesson: str, root: Path | None, given: Path | None = None
) -> tuple[list[Read], list[Unread]]:
    """Read the notebook that counts before all others and, if there are several, each of the others.

    Those that cannot be read are returned as well, unless there is no other.
    `given` is a folder of the files that students get with the lesson.
    """
    with _folder(path.parent, root) as parent:
        mode = _lstat(parent, path.name).st_mode
        if not stat.S_ISDIR(mode):
            data, notes = _read_file(parent, path.name, MAX_FILE_BYTES)
            return [(path.name, data, notes)], []
    with _folder(path, path.parent if root is None else root) as folder:
        names = _names(folder)
        versions = [name for name in names_of(lesson) if name in names]
        name, notes = _choose(folder, [each for each in names if each not in versions[1:]], lesson, versions)
        if any(_is_of_the_student(folder, each, given) for each in names):
            notes.append("side_files")
        first = versions or [name]
        found: list[Read] = []
        refused: list[tuple[str, Refused]] = []
        left = MAX_FILE_BYTES
        for each in [*first, *_copies(names, lesson, first)][:MAX_NOTEBOOKS]:
            try:
                data, more = _read_file(folder, each, MAX_FILE_BYTES if each in first else left)
            except Refused as refusal:
                refused.append((each, refusal))
                continue
            left -= 0 if each in first else len(data)
            found.append((each, data, notes + more))
        if not found:
            raise refused[0][1]
        return found, [(each, refusal.outcome) for each, refusal in refused]


def read_notebooks(path: Path, names: Sequence[str], root: Path) -> tuple[dict[str, bytes], list[str]]:
    """Read the notebooks of an assignment that may have several.

    A name that is missing may be there as a copy, as browsers and file managers name copies.

    Args:
        path: the submitted folder.
        names: the notebooks' names, without their ending.
        root: a folder above it that we made ourselves.

    Returns:
        The bytes of those that are there, by name, and notes: `renamed:`, `missing:` and `hard_link:` with
        the notebook's name, `ignored:` with the name of a file that is none of them.

    Raises:
        Refused: none is there, or one cannot be read.
    """
    found: dict[str, bytes] = {}
    notes: list[str] = []
    left = MAX_FILE_BYTES
    with _folder(path, root) as folder:
        there = _names(folder)
        exact = {f"{name}.ipynb" for name in names}
        taken = set()
        for name in names:
            copies = [each for each in there if each not in exact and _stem(each) == _stem(f"{name}.ipynb")]
            file = f"{name}.ipynb" if f"{name}.ipynb" in there else ""
            file = file or max(copies, key=lambda each: (len(each), each), default="")
            if not file:
                notes.append(f"missing:{name}")
                continue
            found[name], more = _read_file(folder, file, left)
            left -= len(found[name])
            taken.add(file)
            notes += [f"{note}:{name}" for note in (*more, *(["renamed"] if file not in exact else []))]
        notes += [
            f"ignored:{visible(each)}" for each in there if _stem(each) is not None and each not in taken
        ]
        if not found:
            others = [each for each in there if each not in _NOT_THE_STUDENTS]
            raise _no_notebook(names[0], others, _kinds(folder, others[:_NAMED]))
    return found, notes


def is_named_after(lesson: str, name: str) -> bool:
    """Whether a notebook has the lesson's name in some language, or is a copy of one that has."""
    return _stem(name) in map(_stem, names_of(lesson))


def names_of(lesson: str) -> list[str]:
    """The names that a lesson's notebook is released under: its own and, beside it, one for each language."""
    return [f"{lesson}.ipynb", *(f"{lesson}.{language}.ipynb" for language in LANGUAGES)]


@dataclass(frozen=True)
class _Folder:
    """An open folder. The descriptor pins it, so that no name above it can be swapped for a link."""

    path: Path
    descriptor: int | None  # None where the system has no openat: Windows

    def at(self, name: str) -> str:
        return str(self.path / name) if self.descriptor is None else name


@contextmanager
def _folder(path: Path, root: Path | None) -> Iterator[_Folder]:
    """Open a folder; below root, by real folders only."""
    if os.open not in os.supports_dir_fd:
        yield _Folder(path, None)
        return
    parts = path.relative_to(root).parts if root is not None else ()
    descriptor = _open_existing(str(path if root is None else root), os.O_RDONLY | _O_DIRECTORY, None)
    try:
        for part in parts:
            _refuse_link(_lstat(_Folder(path, descriptor), part))
            below = _open_existing(part, os.O_RDONLY | _O_DIRECTORY | _O_NOFOLLOW, descriptor)
            os.close(descriptor)
            descriptor = below
        yield _Folder(path, descriptor)
    finally:
        os.close(descriptor)


def _open_existing(name: str, flags: int, folder: int | None) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        raise _no_notebook() from None


def _no_notebook(
    lesson: str = "", names: Sequence[str] = (), kinds: Mapping[str, Kind] = MappingProxyType({})
) -> Refused:
    """Return the refusal of a folder without a notebook.

    Args:
        lesson: the lesson's name.
        names: the files that are there.
        kinds: what the first of these files are.
    """
    name = f" {lesson}.ipynb" if lesson else ""
    listed = [_listed(names, {file: kind.name[at] for file, kind in kinds.items()}) for at in (0, 1)]
    to_do = [f" {next(iter(kinds.values())).to_do[at]}" if kinds else "" for at in (0, 1)]
    return Refused(
        "no_notebook",
        en=f"No notebook{name} was found in what you handed in{f': {listed[0]}' if names else ''}.{to_do[0]}",
        ko=f"제출한 폴더에 있어야 할 노트북{name} 파일이 없습니다."
        + (f" 제출한 것: {listed[1]}." if names else "")
        + to_do[1],
    )


def _which_notebook(lesson: str, notebooks: Sequence[str]) -> Refused:
    listed = _listed(notebooks)
    return Refused(
        "no_notebook",
        en=f"You handed in {len(notebooks)} notebooks, and none is named {lesson}.ipynb: {listed}. "
        f"Rename the one with your answers to {lesson}.ipynb and hand in again.",
        ko=f"제출한 노트북 {len(notebooks)}개 가운데 이름이 {lesson}.ipynb인 것이 없습니다: {listed}. "
        f"답을 쓴 노트북의 이름을 {lesson}.ipynb로 바꾸고 다시 제출하세요.",
    )


def _listed(names: Sequence[str], kinds: Mapping[str, str] = MappingProxyType({})) -> str:
    shown = [visible(each)[:60] + (f" ({kinds[each]})" if each in kinds else "") for each in names]
    return ", ".join(shown[:_NAMED]) + (", …" if len(shown) > _NAMED else "")


def _lstat(folder: _Folder, name: str) -> os.stat_result:
    try:
        return os.stat(folder.at(name), dir_fd=folder.descriptor, follow_symlinks=False)
    except FileNotFoundError:
        raise _no_notebook() from None


def _refuse_link(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise Refused(
            "link",
            en="You handed in a link, not a file. Hand in the notebook itself.",
            ko="파일이 아니라 링크를 제출했습니다. 노트북 파일 자체를 제출하세요.",
        )


def _refuse_special(status: os.stat_result) -> None:
    _refuse_link(status)
    if not stat.S_ISREG(status.st_mode):
        raise Refused(
            "not_a_file",
            en="What you handed in under the notebook's name is not an ordinary file.",
            ko="노트북 이름으로 제출한 것이 일반 파일이 아닙니다.",
        )


def _names(folder: _Folder) -> list[str]:
    """The names in a folder, sorted; of a huge folder, only some."""
    target = folder.path if folder.descriptor is None else folder.descriptor
    with os.scandir(target) as entries:
        # macOS puts a ._name beside each file it copies; such names are nobody's notebook.
        return sorted(entry.name for entry in islice(entries, MAX_FOLDER_ENTRIES) if entry.name[0] != ".")


def _choose(folder: _Folder, names: list[str], lesson: str, versions: list[str]) -> tuple[str, list[str]]:
    """Which file is the notebook, and notes. Versions have a name that a release has."""
    notebooks = [name for name in names if _stem(name) is not None]
    notes = ["several_notebooks"] if len(notebooks) > 1 else []
    if versions:
        return versions[0], notes
    alike = [name for name in notebooks if is_named_after(lesson, name)]
    if alike:
        return max(alike, key=lambda name: (len(name), name)), ["renamed", *notes]
    if len(notebooks) == 1:
        return notebooks[0], ["renamed", *notes]
    if notebooks:
        raise _which_notebook(lesson, notebooks)
    others = [name for name in names if name not in _NOT_THE_STUDENTS]
    raise _no_notebook(lesson, others, _kinds(folder, others[:_NAMED]))


def _kinds(folder: _Folder, names: Sequence[str]) -> dict[str, Kind]:
    """Return what files are that can be read and are no notebooks."""
    found = {}
    for name in names:
        with suppress(Refused, OSError):
            data, _ = _read_file(folder, name, MAX_FILE_BYTES)
            if kind := kind_of(data):
                found[name] = kind
    return found


def _copies(names: list[str], lesson: str, first: list[str]) -> list[str]:
    """The other notebooks, in the order in which they would count: copies of the lesson's, the last first."""
    others = [name for name in names if _stem(name) is not None and name not in first]
    return sorted(others, key=lambda name: (is_named_after(lesson, name), len(name), name), reverse=True)


def _is_of_the_student(folder: _Folder, name: str, given: Path | None) -> bool:
    """Whether a file beside the notebooks is the student's own, and not as it was given out."""
    if not Path(name).suffix or _stem(name) is not None or name in (TIMESTAMP, EXCHANGE_SECRET):
        return False
    if given is None or not (given / name).is_file():
        return True
    try:
        return _read_file(folder, name, MAX_FILE_BYTES)[0] != (given / name).read_bytes()
    except (Refused, OSError):
        return True


def _stem(name: str) -> str | None:
    """Return a notebook's name without the marks of copies; None for another kind of file."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    text, _, ending = plain.casefold().strip().rpartition(".ipynb")
    if not text or not (ending in _ENDINGS or _without_marks(ending) == ""):
        return None
    base, dot, language = _without_marks(text).rpartition(".")
    # Canvas puts its mark behind the first dot's word: 03_x-1.ko.ipynb.
    return f"{_without_marks(base)}{dot}{language}" if language in LANGUAGES else f"{base}{dot}{language}"


def _without_marks(text: str) -> str:
    """Return a part of a name without the marks of copies."""
    text = text.strip()
    while found := _COPY_MARK.search(text) or _COPY_OF.match(text):
        text = (text[: found.start()] + text[found.end() :]).strip().removesuffix(".ipynb")
    return text.removesuffix(".ipynb")


def read_beside(path: Path, root: Path, most: int) -> bytes | None:
    """The bytes of a small file beside a notebook; None if there is none that can be read."""
    try:
        with _folder(path.parent, root) as folder:
            return _read_file(folder, path.name, most)[0]
    except (Refused, OSError):
        return None


def read_named_pictures(folder: Path, root: Path | None, notebooks: Sequence[bytes]) -> dict[str, bytes]:
    """Read the pictures beside a notebook that a notebook names, also as JSON and addresses spell names.

    Args:
        folder: the submitted folder; a notebook file has nothing beside it.
        root: a folder above it that we made ourselves.
        notebooks: the bytes of the notebooks in it.
    """
    naming = [data for data in notebooks if _PICTURE_NAME.search(data)]

    def wanted(path: PurePosixPath) -> bool:
        is_picture = path.suffix.casefold() in PICTURES
        return (is_picture or not path.suffix) and any(
            name in data for name in _spellings(path.name) for data in lowered
        )

    if not naming or not folder.is_dir():
        return {}
    lowered = [data.lower() for data in naming]
    files, _ = read_side_files(folder, folder if root is None else root, wanted)
    return {str(path): data for path, data in sorted(files.items()) if path.suffix.casefold() in PICTURES}


def _spellings(name: str) -> set[bytes]:
    """Return how a notebook may spell a file's name: in either form of its letters, in JSON or an address."""
    forms = {unicodedata.normalize(form, name.lower()) for form in ("NFC", "NFD")}
    spelled = forms | {json.dumps(form)[1:-1] for form in forms} | {quote(form) for form in forms}
    return {each.encode("utf-8", "replace").lower() for each in spelled}


def read_side_files(
    folder: Path, root: Path, wanted: Callable[[PurePosixPath], bool]
) -> tuple[dict[PurePosixPath, bytes], int]:
    """Read what lies beside a notebook: ordinary files, few of them, all together no larger than a notebook.

    Args:
        folder: the submitted folder.
        root: a folder above it that we made ourselves.
        wanted: asked for each file and folder, by its path in the submitted folder.

    Returns:
        The files' bytes by that path, and how many were left out: links, devices, and what is too much.
    """
    found: dict[PurePosixPath, bytes] = {}
    left, left_out = MAX_FILE_BYTES, 0
    folders = [PurePosixPath()]
    for at in folders:  # which grows
        try:
            with _folder(folder / at, root) as opened:
                for path in filter(wanted, (at / name for name in _names(opened))):
                    is_folder = stat.S_ISDIR(_lstat(opened, path.name).st_mode)
                    if is_folder and len(folders) < MAX_SIDE_FOLDERS:
                        folders.append(path)
                    elif (
                        is_folder
                        or len(found) == MAX_SIDE_FILES
                        or (data := _side_file(opened, path, left)) is None
                    ):
                        left_out += 1
                    else:
                        found[path], left = data, left - len(data)
        except (Refused, OSError):
            left_out += bool(at.parts)  # without a folder there is nothing beside
    return found, left_out


def _side_file(folder: _Folder, path: PurePosixPath, most: int) -> bytes | None:
    """The bytes of a file that has this name alone; None if it is none, or too large."""
    try:
        data, other_names = _read_file(folder, path.name, most)
    except (Refused, OSError):
        return None
    return None if other_names else data


def _read_file(folder: _Folder, name: str, most: int) -> tuple[bytes, list[str]]:
    """The bytes of a regular file, read once, and notes."""
    _refuse_special(_lstat(folder, name))  # so that a device is not even opened
    flags = os.O_RDONLY | _O_NOFOLLOW | _O_NONBLOCK | _BINARY
    try:
        descriptor = _open_existing(folder.at(name), flags, folder.descriptor)
    except OSError:
        # The file became something else after the look above.
        _refuse_special(_lstat(folder, name))
        raise
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _refuse_special(status)
        data = b"" if status.st_size > most else file.read(most + 1)
    if max(status.st_size, len(data)) > most:
        megabytes = most // 1_000_000
        raise Refused(
            "too_large",
            en=f"The file is larger than {megabytes} MB. Clear the outputs, make pasted pictures "
            "smaller, save and hand in again.",
            ko=f"파일이 {megabytes} MB보다 큽니다. 출력을 모두 지우고, 붙여 넣은 그림이 있으면 "
            "크기를 줄인 뒤 저장해서 다시 제출하세요.",
        )
    return data, ["hard_link"] if status.st_nlink > 1 else []
