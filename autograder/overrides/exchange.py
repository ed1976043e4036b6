"""Subclasses of nbgrader's exchange classes: they release notebooks in all languages, and follow no links."""

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import (
    Exchange,
    ExchangeCollect,
    ExchangeList,
    ExchangeReleaseAssignment,
    ExchangeReleaseFeedback,
)
from nbgrader.utils import notebook_hash

from autograder.course.clock import Clock
from autograder.intake.files import EXCHANGE_SECRET, MAX_FILE_BYTES, valid_student_id
from autograder.intake.timestamp import submission_time
from autograder.overrides.copying import Limits, NotCopied, copy_folder, is_plain, open_folder
from secant.language import LANGUAGES, say
from secant.visible import visible

# Maximum number of copies of one feedback page. Each copy is another file in the exchange, and a student may
# submit many notebooks.
_MAX_COPIES = 20
# Disk-full errors. Only the course's own disk can cause them, because students' files are only read.
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT)
_MAX_ROWS = 50  # maximum number of rows in the table of folders that were not collected
_SUBMIT_AGAIN = ("Ask the student to submit again.", "다시 제출하라고 하세요.")


class ReleaseLanguages(ExchangeReleaseAssignment):
    """nbgrader's release step, extended to release a lesson in all its languages.

    For example, it releases 03_x.ipynb and 03_x.ko.ipynb.

    `nbgrader release_assignment` and formgrader use this class if the configuration names it. If a student
    submits both notebooks, the intake chooses the one that the student worked on.
    """

    def ensure_root(self) -> None:
        """Create the exchange's folder. All users may write to it, but may not rename other users' files."""
        super().ensure_root()
        self._make_sticky(self.root)

    def init_dest(self) -> None:
        """Create the course's folders in the exchange."""
        _refuse_link(self)
        super().init_dest()
        self._make_sticky(self.inbound_path)

    def _make_sticky(self, folder: str) -> None:
        """Set a folder's sticky bit if the bit is missing and the current user may set it.

        With the sticky bit, only the owner of a file or of the folder may rename or delete the file.
        """
        status = os.stat(folder)
        if not status.st_mode & stat.S_ISVTX and os.geteuid() in (0, status.st_uid):
            os.chmod(folder, stat.S_IMODE(status.st_mode) | stat.S_ISVTX)

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        """Copy a release, and copy its versions in other languages from release/LANGUAGE.

        Permissions are set later.
        """
        super().do_copy(src, dest, log=log)
        folder = Path(src)
        name, release = folder.name, folder.parent.parent
        for language in LANGUAGES:
            notebook = release / language / name / f"{name}.ipynb"
            if language != folder.parent.name and folder.parent.name in LANGUAGES and notebook.is_file():
                shutil.copy(notebook, Path(dest, f"{name}.{language}.ipynb"))
                self.log.info("Released with it: %s", notebook)


@dataclass(frozen=True)
class _UncollectedFolder:
    """A submission folder that was not collected from the exchange's inbound folder.

    Attributes:
        owner: the user id of the folder's owner; -1 if unknown.
        student: the student in the folder's name, or the whole name if it cannot be parsed.
        reason: the reason why the folder was not collected.
        to_do: advice for the instructor.
    """

    owner: int
    student: str
    reason: str
    to_do: str


class CollectFiles(ExchangeCollect):
    """nbgrader's collector, made safe for folders that students control.

    It follows no link, and an error in one folder does not affect the others. A folder is copied completely
    or not at all, and the earlier submission stays until the copy is complete. By default, `check_owner` is
    on: a folder is not collected if the student in its name is not its owner.
    """

    @cached_property
    def _clock(self) -> Clock:
        return Clock.of(self.config)

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """Return nbgrader's record for a folder, derived from the folder's name.

        A folder that will not be collected gets a record under its full name, so that nbgrader does not take
        it for a newer submission of the student.
        """
        name = os.path.basename(path)
        student, owner = name, -1
        try:
            status = os.lstat(path)
            owner = status.st_uid
            student, timestamp = self._parse_name(name)
            self._check_owner(student, status)
        except (NotCopied, OSError) as error:
            record = {"username": name, "timestamp": datetime.min, "why": (student, error)}
            return {**record, "filename": name, "owner": owner}
        return {"username": student, "filename": name, "timestamp": timestamp, "owner": owner}

    def _parse_name(self, name: str) -> tuple[str, datetime]:
        """Return the student and the time of submission from a folder's name.

        Raises:
            NotCopied: if the name does not have the format that `nbgrader submit` writes.
        """
        student, _, rest = name.partition(f"+{self.coursedir.assignment_id}+")
        if not valid_student_id(student):
            raise _InvalidStudentId(
                say(
                    en="Its student's name is no student id: letters (composed ones), digits and _.@- only, "
                    "64 at most.",
                    ko="학생 이름을 학생 ID로 쓸 수 없습니다. 글자(NFC), 숫자, _.@-만 최대 64자까지 됩니다.",
                )
            )
        # Depending on `add_random_string`, a plus sign and a random string may follow the timestamp. Because
        # the timestamp's UTC offset may also have a plus sign, try to read the timestamp both with and
        # without the part after the last plus sign.
        for text in (rest, rest.rpartition("+")[0]):
            if (earliest := self._clock.read(text).earliest) is not None:
                return student, earliest
        raise NotCopied(
            say(
                en="Its name is not STUDENT+LESSON+TIME as nbgrader writes it.",
                ko="이름이 nbgrader가 쓰는 형식(학생+수업+시각)이 아닙니다.",
            )
        )

    def _check_owner(self, student: str, status: os.stat_result) -> None:
        """Check that a folder belongs to the student in its name.

        Raises:
            NotCopied: if the folder belongs to another user.
        """
        if not self.check_owner or sys.platform == "win32":
            return
        import pwd

        try:
            owner = pwd.getpwuid(status.st_uid).pw_name
        except KeyError:
            owner = say(en=f"user {status.st_uid}", ko=f"사용자 {status.st_uid}")
        if owner != student:
            raise _WrongOwner(
                say(
                    en=f"It claims to be {student}'s, but belongs to {owner}.",
                    ko=f"{student}의 제출이라고 되어 있지만 소유자는 {owner}입니다.",
                )
            )

    def copy_files(self) -> None:
        """Collect all folders that can be collected, then log a table of the others."""
        if not self.src_records:
            self.log.warning("No submissions of '%s' to collect", self.coursedir.assignment_id)
            return
        self.log.info(
            "Processing %s submissions of '%s' for course '%s'",
            len(self.src_records),
            self.coursedir.assignment_id,
            self.coursedir.course_id,
        )
        uncollected = []
        # The path of the inbound folder may contain links: the instructor owns this folder, and may have put
        # it on another disk.
        with open_folder(os.path.realpath(self.inbound_path)) as inbound:
            for record in self.src_records:
                student, error = record.get("why") or (record["username"], None)
                try:
                    if error is not None:
                        raise error
                    self._collect(inbound, record)
                except (NotCopied, OSError) as failure:
                    uncollected.append(_describe_uncollected(record["owner"], student, failure))
        if uncollected:
            self.log.warning(_as_table(uncollected))

    def _collect(self, inbound: int, record: dict[str, Any]) -> None:
        """Collect a student's submission if the `update` and `before_duedate` settings require it.

        Raises:
            NotCopied, OSError: if the submission cannot be collected.
        """
        student, lesson = record["username"], self.coursedir.assignment_id
        target = Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, lesson))
        exists = target.is_dir()
        if exists and not self._is_due(target, record["timestamp"]):
            message = (
                "No newer submission to collect"
                if self.update
                else ("Submission already exists, use --update to update")
            )
            self.log.info("%s: %s %s", message, student, lesson)
            return
        with open_folder(record["filename"], inbound) as folder:
            self._check_owner(student, os.fstat(folder))
            self._place(folder, target)
        self.log.info("%s submission: %s %s", "Updated" if exists else "Collected", student, lesson)

    def _is_due(self, target: Path, timestamp: datetime) -> bool:
        """Return whether, by nbgrader's rules, a submission replaces the one that was already collected."""
        earlier = submission_time(target, target.parent, self._clock).earliest
        if self.update and (earlier is None or timestamp > earlier):
            return True
        return bool(self.before_duedate and earlier != timestamp)

    def _place(self, folder: int, target: Path) -> None:
        """Copy an open folder to a temporary folder in submitted/, then move the copy to its final path."""
        submitted = Path(self.coursedir.root, self.coursedir.submitted_directory)
        submitted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".new-", dir=submitted, ignore_cleanup_errors=True
        ) as temp_folder:
            new, old = Path(temp_folder, "new"), Path(temp_folder, "old")
            copy_folder(folder, new, self._limits())
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                new.rename(target)
                return
            target.rename(old)
            try:
                new.rename(target)
            except OSError:
                old.rename(target)
                raise

    def _limits(self) -> Limits:
        """Return the limits that nbgrader's settings put on the files to copy."""
        settings = self.coursedir

        def skips(name: str, status: os.stat_result) -> bool:
            if any(fnmatch(name, pattern) for pattern in settings.ignore):
                return True
            if not stat.S_ISREG(status.st_mode):
                return False
            if settings.include and not any(fnmatch(name, pattern) for pattern in settings.include):
                return True
            is_large = bool(settings.max_file_size) and status.st_size > 1000 * settings.max_file_size
            if is_large:
                self.log.warning("Left out, because it is larger than max_file_size: %s", visible(name))
            return is_large

        return Limits(1000 * settings.max_dir_size, skips, settings.groupshared)


class _WrongOwner(NotCopied):
    """Raised if a folder belongs to a user other than the student in its name."""


class _InvalidStudentId(NotCopied):
    """Raised if the student name in a folder's name is not a valid student id."""


def _listed_size(folder: str) -> int:
    """Return the total size, in bytes, of the files that `nbgrader list` may read in a folder."""
    with os.scandir(folder) as entries:
        files = (entry for entry in entries if entry.name.endswith(".ipynb") or entry.name == EXCHANGE_SECRET)
        return sum(entry.stat(follow_symlinks=False).st_size for entry in files)


def _describe_uncollected(owner: int, student: str, error: Exception) -> _UncollectedFolder:
    """Return the table row for a folder that was not collected, with advice that depends on the error."""
    student_name = visible(student)[:60]
    if isinstance(error, _WrongOwner):
        to_do = say(
            en="Ask both. If students are not users of this machine: c.ExchangeCollect.check_owner = False",
            ko="두 사람에게 확인하세요. 학생이 이 컴퓨터의 사용자가 아니라면: "
            "c.ExchangeCollect.check_owner = False.",
        )
    elif isinstance(error, _InvalidStudentId):
        to_do = say(
            en="Give the student another user name, then ask for a new submission.",
            ko="학생에게 다른 사용자 이름을 준 뒤 다시 제출하라고 하세요.",
        )
    elif isinstance(error, OSError) and error.errno in _DISK_FULL_ERRORS:
        to_do = say(
            en="Make room on the disk of the course, then collect again.",
            ko="수업 폴더가 있는 디스크에 공간을 만든 뒤 다시 걷으세요.",
        )
    else:
        to_do = say(en=_SUBMIT_AGAIN[0], ko=_SUBMIT_AGAIN[1])
    if isinstance(error, OSError):
        error = NotCopied(
            say(en=f"It could not be copied: {error.strerror}.", ko=f"복사할 수 없습니다: {error.strerror}.")
        )
    return _UncollectedFolder(owner, student_name, str(error), to_do)


def _as_table(rows: list[_UncollectedFolder]) -> str:
    """Return a table of the folders that were not collected, one folder per line.

    If there are too many folders, the table shows only the first few folders of each owner, so that one
    user's folders cannot displace those of others.
    """
    listed = sorted(_interleave_owners(rows)[:_MAX_ROWS], key=lambda row: row.student)
    width = max(len(row.student) for row in listed)
    head = say(
        en=f"Not collected: {len(rows)}. Earlier submissions of these students stay as they are.",
        ko=f"걷지 못한 제출: {len(rows)}개. 이 학생들이 전에 낸 것은 그대로 있습니다.",
    )
    lines = [f"  {row.student:<{width}}  {row.reason} {row.to_do}" for row in listed]
    if len(rows) > _MAX_ROWS:
        lines.append(
            say(en=f"  … and {len(rows) - _MAX_ROWS} more", ko=f"  … 그 밖에 {len(rows) - _MAX_ROWS}개")
        )
    return "\n".join([head, *lines])


def _interleave_owners(rows: list[_UncollectedFolder]) -> list[_UncollectedFolder]:
    """Return the rows in rounds: the first row of each owner, then the second row of each, and so on."""
    count = Counter[int]()
    turns = []
    for row in sorted(rows, key=lambda row: row.student):
        turns.append((count[row.owner], row))
        count[row.owner] += 1
    return [row for _, row in sorted(turns, key=lambda turn: turn[0])]


class ListPlain(ExchangeList):
    """nbgrader's list command, limited to inbound folders that can be listed without risk.

    Folders with links or other special files are not listed, because nbgrader would follow a link and could
    be blocked by a special file.

    A student controls a folder's name and content. A folder is not listed if it would make the list command
    fail, or if its name contains terminal control characters.
    """

    assignments: list[str]  # paths of the inbound folders to list; set by nbgrader's base class

    def init_dest(self) -> None:
        """Find the folders to list, and skip those that nbgrader cannot list."""
        super().init_dest()
        if not self.inbound:
            return
        listable = []
        for path in self.assignments:
            if self._can_list(path):
                listable.append(path)
            else:
                visible_path = visible(path).replace("\n", "\\n")
                self.log.warning("Not listed, because nbgrader could not read or show it: %s", visible_path)
        self.assignments = listable

    def _can_list(self, path: str) -> bool:
        """Return whether nbgrader can list a folder; to find out, list the folder alone."""
        name = os.path.basename(path)
        if not (name.isprintable() and visible(name) == name and is_plain(path)):
            return False
        self.assignments = [path]
        try:
            if _listed_size(path) > MAX_FILE_BYTES:
                return False
            self.parse_assignments()
        except Exception:  # Any exception is possible, because nbgrader parses a student's files.
            return False
        return True


class ReleasePages(ExchangeReleaseFeedback):
    """nbgrader's release of feedback, extended to release a page under each submitted notebook's name.

    `nbgrader fetch_feedback` looks for a page for every submitted notebook, and warns about each missing
    page. A lesson's submission has one page, even if it has notebooks in two languages, a renamed notebook or
    several notebooks. A plain assignment has a page for each of its notebooks, and each page is released
    under its own name only.
    """

    def init_dest(self) -> None:
        """Find the folder in the exchange to which the feedback pages are released."""
        _refuse_link(self)
        super().init_dest()

    def copy_files(self) -> None:
        """Release the feedback pages.

        Each submitted notebook that has no page gets a copy of the submission's page.
        """
        super().copy_files()
        for page in map(Path, glob(f"{self.src_path}/*.html")):
            student, secret = page.parent.parent.name, (page.parent / EXCHANGE_SECRET).read_text()
            settings = self.coursedir
            submission = Path(settings.format_path(settings.submitted_directory, student, page.parent.name))
            released_page = self._release_path(secret, page.stem)
            for name in _notebooks(submission, page.stem):
                if released_page.is_file() and not page.with_name(f"{name}.html").is_file():
                    shutil.copy(released_page, temp_path := self._release_path(secret, f"{name}-tmp"))
                    temp_path.replace(self._release_path(secret, name))

    def _release_path(self, secret: str, notebook: str) -> Path:
        """Return the path in the exchange at which nbgrader looks for a notebook's page."""
        return Path(self.dest_path, f"{notebook_hash(secret=secret, notebook_id=notebook)}.html")


def _refuse_link(exchange: Exchange) -> None:
    """Stop a release if the course's folder is a link, because nbgrader would write through the link."""
    course = os.path.join(exchange.root, exchange.coursedir.course_id)
    if os.path.islink(course):
        exchange.fail(f"{course} is a link, which a student may have made. Delete it, then release again.")


def _notebooks(folder: Path, lesson: str) -> list[str]:
    """Return the names, without the suffix, of submitted notebooks that are not named after the lesson.

    At most `_MAX_COPIES` names are returned, starting with those that begin with the lesson's name.
    """
    try:
        paths = [Path(entry.name) for entry in os.scandir(folder) if entry.is_file()]
    except OSError:  # The path no longer exists, or is not that of a folder.
        return []
    names = {path.stem for path in paths if path.suffix == ".ipynb" and _is_text(path.name)} - {lesson}
    return sorted(names, key=lambda name: (not name.startswith(lesson), name))[:_MAX_COPIES]


def _is_text(name: str) -> bool:
    """Return whether a name is valid text; nbgrader cannot hash a name with undecodable bytes."""
    return not any("\ud800" <= char <= "\udfff" for char in name)
