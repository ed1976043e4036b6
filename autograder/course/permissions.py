"""Check whether other users of this machine can read a class's files or intercept its submissions."""

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from autograder.course.settings import Course, sqlite_file
from secant.language import say


class Risk(NamedTuple):
    """A security risk from other users of the machine, and its remedy."""

    detail: str
    fix: str

    def __str__(self) -> str:
        return f"{self.detail} {self.fix}"


def open_to_others(course: Course) -> Risk | None:
    """Return a risk that lists the class's world-readable files and folders; None if there are none."""
    settings = course.directory
    database = sqlite_file(settings.db_url)
    names = ("submitted", "autograded", "feedback", "source")
    folders = [course.root / getattr(settings, f"{name}_directory") for name in names]
    open_paths = [path for path in (*([database] if database else []), *folders) if _is_open(path)]
    if sys.platform == "win32" or not open_paths:
        return None
    listing = ", ".join(path.name for path in open_paths)
    is_inside = all(path.is_relative_to(course.root) for path in open_paths)
    paths_to_close = [course.root] if is_inside else open_paths
    arguments = " ".join(map(str, paths_to_close))
    return Risk(
        say(
            en=f"Every user of this machine can read the class's {listing}.",
            ko=f"이 컴퓨터의 모든 사용자가 수업의 {listing}을(를) 읽을 수 있습니다.",
        ),
        say(en=f"Run: chmod o= {arguments}", ko=f"실행하세요: chmod o= {arguments}"),
    )


def exchange_risk(course: Course) -> Risk | None:
    """Return a risk if other users could replace the exchange's folders, or None if they could not.

    Only root and the instructor should be able to rename the folders above the class's folders. A user who
    renames `inbound` and replaces it receives the class's submissions. A user who replaces `outbound` decides
    which lessons students receive.
    """
    root = course.exchange.absolute()
    if sys.platform == "win32" or course.directory.groupshared or not root.is_dir():
        return None
    trusted_uids = {0, os.geteuid()}
    folder = root / course.directory.course_id
    for path in (*reversed(root.parents), root):
        status = path.stat()
        if status.st_uid not in trusted_uids:
            return _owner_risk(path)
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            return _renaming_risk(path)
    if not os.path.lexists(folder):
        return Risk(
            say(
                en=f"A student can make {folder} before you do, and then receives all submissions.",
                ko=f"학생이 {folder} 폴더를 먼저 만들어 제출물을 모두 가로챌 수 있습니다.",
            ),
            say(en=f"Run: mkdir -m 755 {folder}", ko=f"실행하세요: mkdir -m 755 {folder}"),
        )
    for path in filter(
        os.path.lexists, (folder, *(folder / name for name in ("inbound", "outbound", "feedback")))
    ):
        status = path.lstat()
        if status.st_uid not in trusted_uids or not stat.S_ISDIR(status.st_mode):
            return _owner_risk(path)
        if path.name != "inbound" and status.st_mode & 0o022:
            return _renaming_risk(path)
    return None


def _is_open(path: Path) -> bool:
    """Return whether users outside of the owner's group can read a file or enter a folder."""
    try:
        required_bits = [(parent, 0o001) for parent in path.absolute().parents]
        required_bits.append((path, 0o001 if path.is_dir() else 0o004))
        return all(checked_path.stat().st_mode & bits for checked_path, bits in required_bits)
    except OSError:
        return False


def _owner_risk(path: Path) -> Risk:
    return Risk(
        say(
            en=f"{path} is a link, or belongs to neither you nor root: its owner can replace what students "
            "submit and receive.",
            ko=f"{path}: 링크이거나 소유자가 자신도 root도 아닙니다. 소유자가 제출물과 배포한 수업을 바꿀 수 "
            "있습니다.",
        ),
        say(
            en="Look at it, then make it again as yourself or as root.",
            ko="살펴본 뒤 직접 또는 root로 다시 만드세요.",
        ),
    )


def _renaming_risk(path: Path) -> Risk:
    return Risk(
        say(
            en=f"Every user who may write to {path} can rename what is in it, and so receive submissions.",
            ko=f"{path}에 쓸 수 있는 사용자는 누구나 그 안의 이름을 바꾸어 제출물을 모두 가로챌 수 있습니다.",
        ),
        say(en=f"As its owner, run: chmod +t {path}", ko=f"소유자가 실행하세요: chmod +t {path}"),
    )
