"""Read submitted files safely: no link is followed, and each file is read once, up to a size limit."""

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

# files that nbgrader's exchange adds to a submission
TIMESTAMP, EXCHANGE_SECRET = "timestamp.txt", "submission_secret.txt"
MAX_FILE_BYTES = 20_000_000
MAX_FOLDER_ENTRIES = 1_000
MAX_SIDE_FILES = 100
MAX_SIDE_FOLDERS = 20
PICTURES = (".png", ".jpg", ".jpeg", ".jfif", ".gif", ".webp")
# Maximum number of notebooks to read from one submission. All notebooks without the lesson's own name share
# the size limit of a single notebook.
MAX_NOTEBOOKS = 6

_STUDENT_ID = re.compile(r"[^\W_][\w.@-]{0,63}")
_NOT_SUBMITTED = ("timestamp.txt", "submission_secret.txt", "collect.txt")
_PICTURE_NAME = re.compile(rb"\.(?:png|jpe?g|jfif|gif|webp)\b", re.IGNORECASE)
_MAX_LISTED = 3  # maximum number of file names listed in a message
# Marks that browsers, editors, file managers, cloud drives and Canvas add to the name of a copy. They occur
# at the end of the name ("x copy 2", "x-1", "x (1)", "x 2", "x - 복사본", "x의 사본", "x (another copy)") or
# at its beginning ("Copy of x").
_COPY_MARK = re.compile(
    r"(?:[ _–—-]*(?:copy|복사본|사본)[ _]*\d{0,9}|의 사본| *\(\d{1,9}\)|[ -]\d{1,3}"
    r"| *\([^()]*(?:copy|복사본|사본|conflict|충돌)[^()]*\))[ _]*$"
)
_COPY_OF = re.compile(r"(?:copy(?: \d+| \(\d+\))? of |복?사본 (?:\(\d+\) )?(?:[-–—] )?)")
_ENDINGS = (".txt", ".json")  # endings that editors and browsers append to .ipynb
_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows defines neither this flag nor the next two
_O_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def valid_student_id(name: str) -> bool:
    """Return whether a student id may name a folder: at most 64 letters of any script, digits and `_.@-`.

    Other characters could have a meaning in a path, a shell, a glob or nbgrader's own names. A name that is
    not in Unicode's normal form NFKC could look like another student's.
    """
    is_well_formed = bool(_STUDENT_ID.fullmatch(name)) and ".." not in name and not name.endswith(".")
    return is_well_formed and unicodedata.is_normalized("NFKC", name)


ReadNotebook = tuple[str, bytes, list[str]]  # a file's name, its bytes, and remarks for staff
UnreadNotebook = tuple[str, Rejected]  # a file's name, and why it was not read


def read_lesson_notebooks(
    path: Path, lesson: str, root: Path | None, released_files: Path | None = None
) -> tuple[list[ReadNotebook], list[UnreadNotebook]]:
    """Read a submission's notebooks, and return them in order of preference.

    Args:
        path: the submitted folder, or a notebook file.
        lesson: the lesson's name.
        root: a folder above `path` that the autograder created. No part of `path` below `root` may be a link.
            Without `root`, only the last part of `path` is checked.
        released_files: a folder with the files that students receive with the lesson.

    Returns:
        The notebooks that were read, and the notebooks that could not be read.

    Raises:
        Refused: there is no notebook, or none can be read.
    """
    with _folder(path.parent, root) as parent:
        mode = _lstat(parent, path.name).st_mode
        if not stat.S_ISDIR(mode):
            data, notes = _read_file(parent, path.name, MAX_FILE_BYTES)
            return [(path.name, data, notes)], []
    with _folder(path, path.parent if root is None else root) as folder:
        names = _names(folder)
        versions = [name for name in names_of(lesson) if name in names]
        name, notes = _choose(
            folder, [file_name for file_name in names if file_name not in versions[1:]], lesson, versions
        )
        if any(_is_students_own(folder, file_name, released_files) for file_name in names):
            notes.append("side_files")
        preferred_names = versions or [name]
        notebooks: list[ReadNotebook] = []
        refusals: list[tuple[str, Refused]] = []
        bytes_left = MAX_FILE_BYTES
        for file_name in [*preferred_names, *_copies(names, lesson, preferred_names)][:MAX_NOTEBOOKS]:
            try:
                data, file_notes = _read_file(
                    folder, file_name, MAX_FILE_BYTES if file_name in preferred_names else bytes_left
                )
            except Refused as refusal:
                refusals.append((file_name, refusal))
                continue
            bytes_left -= 0 if file_name in preferred_names else len(data)
            notebooks.append((file_name, data, notes + file_notes))
        if not notebooks:
            raise refusals[0][1]
        return notebooks, [(file_name, refusal.outcome) for file_name, refusal in refusals]


def read_plain_notebooks(path: Path, names: Sequence[str], root: Path) -> tuple[dict[str, bytes], list[str]]:
    """Read the notebooks submitted for an assignment that may consist of several notebooks.

    If a notebook is missing, a file whose name marks it as a copy of that notebook is read instead.

    Args:
        path: the submitted folder.
        names: the notebooks' names, without .ipynb.
        root: a folder above `path` that the autograder created.

    Returns:
        The bytes of the notebooks found, keyed by name, and remarks for staff: `renamed:`, `missing:` and
        `hard_link:` with the notebook's name, and `ignored:` with the name of a notebook file that is not
        part of the assignment.

    Raises:
        Refused: no notebook was found, or one cannot be read.
    """
    notebooks: dict[str, bytes] = {}
    notes: list[str] = []
    bytes_left = MAX_FILE_BYTES
    with _folder(path, root) as folder:
        folder_names = _names(folder)
        exact_names = {f"{name}.ipynb" for name in names}
        used_files = set()
        for name in names:
            copies = [
                file_name
                for file_name in folder_names
                if file_name not in exact_names and _stem(file_name) == _stem(f"{name}.ipynb")
            ]
            file = f"{name}.ipynb" if f"{name}.ipynb" in folder_names else ""
            file = file or max(copies, key=lambda file_name: (len(file_name), file_name), default="")
            if not file:
                notes.append(f"missing:{name}")
                continue
            notebooks[name], file_notes = _read_file(folder, file, bytes_left)
            bytes_left -= len(notebooks[name])
            used_files.add(file)
            notes += [
                f"{note}:{name}" for note in (*file_notes, *(["renamed"] if file not in exact_names else []))
            ]
        notes += [
            f"ignored:{visible(file_name)}"
            for file_name in folder_names
            if _stem(file_name) is not None and file_name not in used_files
        ]
        if not notebooks:
            other_names = [file_name for file_name in folder_names if file_name not in _NOT_SUBMITTED]
            raise _no_notebook(names[0], other_names, _kinds(folder, other_names[:_MAX_LISTED]))
    return notebooks, notes


def is_named_after(lesson: str, name: str) -> bool:
    """Return whether a notebook has the lesson's name, in any language, or a name that marks a copy of it."""
    return _stem(name) in map(_stem, names_of(lesson))


def names_of(lesson: str) -> list[str]:
    """Return the names of a lesson's released notebooks, one without a language and one per language."""
    return [f"{lesson}.ipynb", *(f"{lesson}.{language}.ipynb" for language in LANGUAGES)]


@dataclass(frozen=True)
class _Folder:
    """An open folder.

    Except on Windows, files are opened relative to the descriptor. So replacing a folder above this one with
    a link has no effect.

    Attributes:
        path: the folder's path.
        descriptor: the open descriptor; None on Windows, which has no openat.
    """

    path: Path
    descriptor: int | None

    def at(self, name: str) -> str:
        return str(self.path / name) if self.descriptor is None else name


@contextmanager
def _folder(path: Path, root: Path | None) -> Iterator[_Folder]:
    """Open a folder without following links below `root`.

    Raises:
        Refused: the folder does not exist, or a part of its path below `root` is a link.
    """
    if os.open not in os.supports_dir_fd:
        yield _Folder(path, None)
        return
    parts = path.relative_to(root).parts if root is not None else ()
    descriptor = _open_existing(str(path if root is None else root), os.O_RDONLY | _O_DIRECTORY, None)
    try:
        for part in parts:
            _refuse_link(_lstat(_Folder(path, descriptor), part))
            child = _open_existing(part, os.O_RDONLY | _O_DIRECTORY | _O_NOFOLLOW, descriptor)
            os.close(descriptor)
            descriptor = child
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
    """Return the exception to raise for a folder that contains no notebook.

    Args:
        lesson: the lesson's name.
        names: the names of the files in the folder.
        kinds: the file types recognised for the first few of these files, keyed by file name.
    """
    name = f" {lesson}.ipynb" if lesson else ""
    name_lists = [
        _name_list(names, {file: kind.name[index] for file, kind in kinds.items()}) for index in (0, 1)
    ]
    advice = [f" {next(iter(kinds.values())).to_do[index]}" if kinds else "" for index in (0, 1)]
    return Refused(
        "no_notebook",
        en=f"No notebook{name} was found in what you handed in{f': {name_lists[0]}' if names else ''}."
        f"{advice[0]}",
        ko=f"제출한 폴더에 있어야 할 노트북{name} 파일이 없습니다."
        + (f" 제출한 것: {name_lists[1]}." if names else "")
        + advice[1],
    )


def _ambiguous_notebook(lesson: str, notebooks: Sequence[str]) -> Refused:
    name_list = _name_list(notebooks)
    return Refused(
        "no_notebook",
        en=f"You handed in {len(notebooks)} notebooks, and none is named {lesson}.ipynb: {name_list}. "
        f"Rename the one with your answers to {lesson}.ipynb and hand in again.",
        ko=f"제출한 노트북 {len(notebooks)}개 가운데 이름이 {lesson}.ipynb인 것이 없습니다: {name_list}. "
        f"답을 쓴 노트북의 이름을 {lesson}.ipynb로 바꾸고 다시 제출하세요.",
    )


def _name_list(names: Sequence[str], kinds: Mapping[str, str] = MappingProxyType({})) -> str:
    labels = [
        visible(file_name)[:60] + (f" ({kinds[file_name]})" if file_name in kinds else "")
        for file_name in names
    ]
    return ", ".join(labels[:_MAX_LISTED]) + (", …" if len(labels) > _MAX_LISTED else "")


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
    """Return the sorted names in a folder, excluding names that begin with a dot.

    For a huge folder, return only some of the names.
    """
    target = folder.path if folder.descriptor is None else folder.descriptor
    with os.scandir(target) as entries:
        # macOS adds a file ._NAME for each file that it copies. Such a file is never a notebook.
        return sorted(entry.name for entry in islice(entries, MAX_FOLDER_ENTRIES) if entry.name[0] != ".")


def _choose(folder: _Folder, names: list[str], lesson: str, versions: list[str]) -> tuple[str, list[str]]:
    """Choose the file that is the submitted notebook, and return its name and remarks for staff.

    Args:
        folder: the submitted folder.
        names: the names of the files in it.
        lesson: the lesson's name.
        versions: those names of the lesson's released notebooks that occur in the folder.

    Raises:
        Refused: the folder has no notebook, or it has several but none is named after the lesson.
    """
    notebooks = [name for name in names if _stem(name) is not None]
    notes = ["several_notebooks"] if len(notebooks) > 1 else []
    if versions:
        return versions[0], notes
    copies = [name for name in notebooks if is_named_after(lesson, name)]
    if copies:
        return max(copies, key=lambda name: (len(name), name)), ["renamed", *notes]
    if len(notebooks) == 1:
        return notebooks[0], ["renamed", *notes]
    if notebooks:
        raise _ambiguous_notebook(lesson, notebooks)
    other_names = [name for name in names if name not in _NOT_SUBMITTED]
    raise _no_notebook(lesson, other_names, _kinds(folder, other_names[:_MAX_LISTED]))


def _kinds(folder: _Folder, names: Sequence[str]) -> dict[str, Kind]:
    """Return the type of each file that can be read and is not a notebook, keyed by file name."""
    kinds = {}
    for name in names:
        with suppress(Refused, OSError):
            data, _ = _read_file(folder, name, MAX_FILE_BYTES)
            if kind := kind_of(data):
                kinds[name] = kind
    return kinds


def _copies(names: list[str], lesson: str, first: list[str]) -> list[str]:
    """Return the notebooks in `names`, except those in `first`, in the order in which to read them.

    Copies of the lesson's notebook precede all others. Within each of these two groups, longer names come
    first, and names of equal length are in descending order.
    """
    other_notebooks = [name for name in names if _stem(name) is not None and name not in first]
    return sorted(
        other_notebooks, key=lambda name: (is_named_after(lesson, name), len(name), name), reverse=True
    )


def _is_students_own(folder: _Folder, name: str, released_files: Path | None) -> bool:
    """Return whether a file is the student's own, or a released file that the student changed.

    Notebooks, files without an extension and the files of nbgrader's exchange do not count.
    """
    if not Path(name).suffix or _stem(name) is not None or name in (TIMESTAMP, EXCHANGE_SECRET):
        return False
    if released_files is None or not (released_files / name).is_file():
        return True
    try:
        return _read_file(folder, name, MAX_FILE_BYTES)[0] != (released_files / name).read_bytes()
    except (Refused, OSError):
        return True


def _stem(name: str) -> str | None:
    """Return a notebook's name without its extension and without marks of a copy; None for other files."""
    normalized_name = "".join(
        c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf"
    )
    text, _, ending = normalized_name.casefold().strip().rpartition(".ipynb")
    if not text or not (ending in _ENDINGS or _without_marks(ending) == ""):
        return None
    base, dot, language = _without_marks(text).rpartition(".")
    # Canvas marks a copy with a number before the first dot, as in 03_x-1.ko.ipynb.
    return f"{_without_marks(base)}{dot}{language}" if language in LANGUAGES else f"{base}{dot}{language}"


def _without_marks(text: str) -> str:
    """Remove the marks of a copy, such as " (1)", from a part of a file's name."""
    text = text.strip()
    while mark := _COPY_MARK.search(text) or _COPY_OF.match(text):
        text = (text[: mark.start()] + text[mark.end() :]).strip().removesuffix(".ipynb")
    return text.removesuffix(".ipynb")


def read_small_file(path: Path, root: Path, limit: int) -> bytes | None:
    """Return the bytes of a small file next to a notebook; None if the file is missing or unreadable."""
    try:
        with _folder(path.parent, root) as folder:
            return _read_file(folder, path.name, limit)[0]
    except (Refused, OSError):
        return None


def read_named_pictures(folder: Path, root: Path | None, notebooks: Sequence[bytes]) -> dict[str, bytes]:
    """Read the picture files in a submitted folder that the folder's notebooks refer to.

    In a reference, the file's name may be escaped as in JSON or as in a URL.

    Args:
        folder: the submitted folder. If it is a notebook file instead, no pictures are read.
        root: a folder above `folder` that the autograder created.
        notebooks: the bytes of the notebooks in the folder.
    """
    referring_notebooks = [data for data in notebooks if _PICTURE_NAME.search(data)]

    def is_wanted(path: PurePosixPath) -> bool:
        is_picture = path.suffix.casefold() in PICTURES
        return (is_picture or not path.suffix) and any(
            name in data for name in _spellings(path.name) for data in lowered_notebooks
        )

    if not referring_notebooks or not folder.is_dir():
        return {}
    lowered_notebooks = [data.lower() for data in referring_notebooks]
    files, _ = read_side_files(folder, folder if root is None else root, is_wanted)
    return {str(path): data for path, data in sorted(files.items()) if path.suffix.casefold() in PICTURES}


def _spellings(name: str) -> set[bytes]:
    """Return all spellings of a file's name that a notebook may contain, as lower-case bytes.

    Each of the Unicode forms NFC and NFD is included as it is, escaped as in JSON, and escaped as in a URL.
    """
    forms = {unicodedata.normalize(form, name.lower()) for form in ("NFC", "NFD")}
    spellings = forms | {json.dumps(form)[1:-1] for form in forms} | {quote(form) for form in forms}
    return {spelling.encode("utf-8", "replace").lower() for spelling in spellings}


def read_side_files(
    folder: Path, root: Path, is_wanted: Callable[[PurePosixPath], bool]
) -> tuple[dict[PurePosixPath, bytes], int]:
    """Read the regular files next to a notebook, up to a limit on their number and their total size.

    Args:
        folder: the submitted folder.
        root: a folder above `folder` that the autograder created.
        is_wanted: called with the path of each file and folder, relative to the submitted folder; returns
            whether to read it.

    Returns:
        The files' bytes, keyed by relative path, and the number of files and folders that were not read,
        such as links, devices, and those that exceed a limit.
    """
    contents: dict[PurePosixPath, bytes] = {}
    bytes_left, left_out = MAX_FILE_BYTES, 0
    folders = [PurePosixPath()]
    for subfolder in folders:  # the list grows while it is iterated
        try:
            with _folder(folder / subfolder, root) as open_folder:
                for path in filter(is_wanted, (subfolder / name for name in _names(open_folder))):
                    is_folder = stat.S_ISDIR(_lstat(open_folder, path.name).st_mode)
                    if is_folder and len(folders) < MAX_SIDE_FOLDERS:
                        folders.append(path)
                    elif (
                        is_folder
                        or len(contents) == MAX_SIDE_FILES
                        or (data := _side_file(open_folder, path, bytes_left)) is None
                    ):
                        left_out += 1
                    else:
                        contents[path], bytes_left = data, bytes_left - len(data)
        except (Refused, OSError):
            # the submitted folder itself may be missing
            left_out += bool(subfolder.parts)
    return contents, left_out


def _side_file(folder: _Folder, path: PurePosixPath, limit: int) -> bytes | None:
    """Return a file's bytes; None if it is too large, is not a regular file, or has other hard links."""
    try:
        data, other_names = _read_file(folder, path.name, limit)
    except (Refused, OSError):
        return None
    return None if other_names else data


def _read_file(folder: _Folder, name: str, limit: int) -> tuple[bytes, list[str]]:
    """Read a regular file once, and return its bytes and remarks for staff.

    Raises:
        Refused: the file is not a regular file, or it is larger than `limit` bytes.
    """
    _refuse_special(_lstat(folder, name))  # checked first, so that a device is never opened
    flags = os.O_RDONLY | _O_NOFOLLOW | _O_NONBLOCK | _BINARY
    try:
        descriptor = _open_existing(folder.at(name), flags, folder.descriptor)
    except OSError:
        # The file was replaced by something else after the check above.
        _refuse_special(_lstat(folder, name))
        raise
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _refuse_special(status)
        data = b"" if status.st_size > limit else file.read(limit + 1)
    if max(status.st_size, len(data)) > limit:
        megabytes = limit // 1_000_000
        raise Refused(
            "too_large",
            en=f"The file is larger than {megabytes} MB. Clear the outputs, make pasted pictures "
            "smaller, save and hand in again.",
            ko=f"파일이 {megabytes} MB보다 큽니다. 출력을 모두 지우고, 붙여 넣은 그림이 있으면 "
            "크기를 줄인 뒤 저장해서 다시 제출하세요.",
        )
    return data, ["hard_link"] if status.st_nlink > 1 else []
