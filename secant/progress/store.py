"""The file that holds a learner's progress, in the platform's data folder. It is replaced atomically."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from secant.files import blocking_file, move_aside, replace_file
from secant.language import Language
from secant.progress.facts import VERSION, Facts, empty_facts, from_json

FILE = "progress.json"
LOCK_TIMEOUT = 0.5  # seconds to wait while another process writes, which takes milliseconds
_MAX_NAMED = 5  # maximum number of unreadable entries that a message names
_RESET_ADVICE: dict[Language, str] = {
    "en": "`secant progress reset` keeps that file under another name and starts a new one; what you have "
    "exported before comes back with `secant progress import FILE`.",
    "ko": "`secant progress reset`을 실행하면 그 파일은 다른 이름으로 남겨 두고 새로 시작합니다. "
    "내보내 둔 기록은 `secant progress import 파일`로 다시 가져올 수 있습니다.",
}


class StoreError(Exception):
    """The error for progress that could not be read or saved, with a sentence in each language."""

    def __init__(self, en: str, ko: str) -> None:
        super().__init__(en)
        self.reason: dict[Language, str] = {"en": en, "ko": ko}
        self.advice: dict[Language, str] = {"en": "", "ko": ""}

    def sentence(self, language: Language) -> str:
        """Return the sentence in the given language, followed by advice on what to do, if there is any."""
        return f"{self.reason[language]} {self.advice[language]}".strip()


class Unreadable(StoreError):
    """The error for a progress file that is damaged or was not written by Secant."""


def path() -> Path:
    """Return the path of the progress file. The environment variable SECANT_DATA overrides its folder."""
    folder = os.environ.get("SECANT_DATA")
    return (Path(folder) if folder else platformdirs.user_data_path("secant", appauthor=False)) / FILE


def now() -> str:
    """Return the current time in the format that the progress file uses."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def parse(content: bytes, file: Path, left_out: list[str] | None = None) -> Facts:
    """Return the facts about a learner's progress that a file holds.

    Args:
        content: the file's bytes.
        file: the file's path, for a message.
        left_out: a list; if given, an entry that cannot be read is skipped, and its name is added to the
            list.

    Raises:
        StoreError: if a newer version of Secant wrote the file.
        Unreadable: if the file is damaged or was not written by Secant.
    """
    try:
        data = json.loads(content)
        version = data["version"]
        if type(version) is int and version > VERSION:
            raise StoreError(
                en=f"{file} was written by a newer Secant. It stays as it is: please update Secant.",
                ko=f"{file} 파일은 더 새 버전이 만든 것이라 그대로 두었습니다. Secant를 업데이트하세요.",
            )
        if type(version) is not int or version < 1:
            raise ValueError("no version of ours")
        return from_json(data, left_out)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable(
            en=f"{file} does not contain readable progress.",
            ko=f"{file} 파일에서 진행 상황을 읽을 수 없습니다.",
        ) from error


def read(left_out: list[str] | None = None) -> Facts:
    """Return the stored progress, excluding unreadable entries; empty progress if there is no file.

    Args:
        left_out: a list that receives the names of the entries that cannot be read.

    Raises:
        StoreError: if the file cannot be read at all.
    """
    try:
        return parse(path().read_bytes(), path(), [] if left_out is None else left_out)
    except FileNotFoundError:
        return empty_facts()
    except Unreadable as error:
        error.advice = _RESET_ADVICE
        raise
    except OSError as error:
        store_error = _store_error(error, en="read", ko="읽지")
        if os.path.exists(path()):
            store_error.advice = _RESET_ADVICE
        raise store_error from error


def incomplete_message(left_out: list[str], message_language: Language) -> str:
    """Return a sentence about entries of the file that were skipped; an empty string if there are none."""
    if not left_out:
        return ""
    names = ", ".join(left_out[:_MAX_NAMED]) + (", ..." if len(left_out) > _MAX_NAMED else "")
    words: dict[Language, str] = {
        "en": f"Not all of {path()} could be read. Left out ({len(left_out)}): {names}.",
        "ko": f"{path()} 파일의 일부를 읽을 수 없어 뺐습니다({len(left_out)}개): {names}.",
    }
    return words[message_language]


def update(change: Callable[[Facts], Facts]) -> Path | None:
    """Change the stored progress while no other process can write it.

    Args:
        change: a function that returns the changed facts.

    Returns:
        The path to which a damaged file was renamed; None if the file was not damaged. The new file contains
        the readable part of the damaged one.

    Raises:
        StoreError: if nothing could be written; the old file is then unchanged.
    """
    place, renamed_path = path(), None
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _lock(place):
            left_out: list[str] = []
            try:
                facts = read(left_out)
            except Unreadable:
                facts, renamed_path = empty_facts(), move_aside(place, "unreadable")
            if left_out:
                renamed_path = move_aside(place, "unreadable")
            replace_file(place, dump(change(facts)), private=True)
    except Timeout as error:
        raise StoreError(
            en=f"Progress could not be saved just now: another program is using {place}.",
            ko=f"지금은 진행 상황을 저장하지 못했습니다. 다른 프로그램이 {place} 파일을 쓰고 있습니다.",
        ) from error
    except (OSError, NotImplementedError) as error:
        raise _store_error(error, en="saved", ko="저장하지") from error
    return renamed_path


def reset(today: str) -> Path | None:
    """Rename the progress file, to start over, and return its new path; None if there is no file.

    Raises:
        StoreError: if the file cannot be renamed.
    """
    place = path()
    try:
        if not place.exists():
            return None
        with _lock(place):
            return move_aside(place, f"until {today}")
    except (OSError, NotImplementedError) as error:
        raise _store_error(error, en="reset", ko="지우지") from error


def dump(facts: Facts) -> bytes:
    """Return the content of the progress file for these facts, as bytes."""
    return json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "replace") + b"\n"


def _lock(place: Path) -> FileLock:
    return FileLock(place.with_name(f"{place.name}.lock"), timeout=LOCK_TIMEOUT)


def _store_error(error: Exception, en: str, ko: str) -> StoreError:
    folder = path().parent
    if os.environ.get("SECANT_DATA") and blocking_file(folder):
        return StoreError(
            en=f"Progress could not be {en}: SECANT_DATA names {folder}, which is not a folder.",
            ko=f"진행 상황을 {ko} 못했습니다. SECANT_DATA에 지정한 {folder} 경로는 폴더가 아닙니다.",
        )
    reason = getattr(error, "strerror", None) or type(error).__name__
    return StoreError(
        en=f"Progress could not be {en} in {path()}: {reason}.",
        ko=f"{path()}에서 진행 상황을 {ko} 못했습니다. ({reason})",
    )
