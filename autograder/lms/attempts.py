"""Data classes for the contents of an LMS export: attempts, their files, and the outcome of each file."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from autograder.course.clock import to_utc
from autograder.intake.kinds import Kind
from autograder.lms.archive import Archive, Member, Unreadable
from autograder.lms.filenames import PathReading

# A pattern for the first line of a Blackboard receipt, such as "Name: Kim Minji (kim_minji)". The word before
# the colon is in the site's language.
_RECEIPT = re.compile(r"[^:]*:\s*(?P<name>.+?)\s*\((?P<user>[^()]+)\)")

#: The possible outcomes for a file of an archive. The value is True if the instructor has to act on the file.
OUTCOMES = {
    "collected": False,
    "unchanged": False,
    "kept aside": False,
    "ignored": False,
    "could not be read": True,
    "whose?": True,
    "which lesson?": True,
    "not written": True,
}


@dataclass
class Line:
    """The report line for one file of an archive: its path and its outcome.

    Attributes:
        path: the file's name in the archive; empty if the line is about the archive as a whole.
        file: the part of the path that the student chose; empty if unknown.
    """

    archive: str
    path: str
    outcome: str = "collected"
    student: str = ""
    lesson: str = ""
    message: str = ""
    file: str = ""

    @property
    def needs_a_person(self) -> bool:
        """True if the instructor has to act on this file."""
        return OUTCOMES[self.outcome]

    def set_outcome(self, outcome: str, message: str) -> None:
        """Set the outcome of the file and the message that explains it."""
        self.outcome, self.message = outcome, message


@dataclass
class File:
    """A file of an archive, and what is known so far about the file's owner and content.

    Attributes:
        readings: the possible interpretations of the file's path; see `filenames.readings`.
        reading: the correct interpretation of the path once the owner is known; until then, the first
            possible one.
        lesson: the lesson that the file's cells belong to.
        problem: the reason why a notebook cannot be parsed.
        kind: the type of a file that is not named like a notebook, if the type is known.
    """

    line: Line
    member: Member
    readings: Sequence[PathReading]
    reading: PathReading = field(init=False)
    lesson: str = ""
    refusal: str = ""
    problem: str = ""
    kind: Kind | None = None

    def __post_init__(self) -> None:
        self.reading = self.readings[0]

    def mark_owner_unknown(self, reason: str) -> None:
        """Set the outcome "whose?" because the owner of the file is unknown."""
        self.line.student = ""
        self.line.set_outcome("whose?", reason)


@dataclass
class Attempt:
    """The files that one student submitted together, for one lesson.

    Attributes:
        zone: the time zone of the LMS's clock; None for this machine's time zone.
        when: the submission time in UTC; None if the path contains no time.
    """

    student: str
    reading: PathReading
    files: list[File] = field(default_factory=list)
    lesson: str = ""
    zone: tzinfo | None = None

    @property
    def when(self) -> datetime | None:
        """The submission time, converted from the LMS's time zone to UTC; None if the path has no time."""
        return to_utc(self.reading.when, self.zone) if self.reading.when else None

    def settle(self, outcome: str, message: str) -> None:
        """Set the outcome and message of all files in this attempt whose outcome is still "collected"."""
        for file in self.files:
            if file.line.outcome == "collected":
                file.line.set_outcome(outcome, message)

    def remark(self, text: str) -> None:
        """Append a sentence to the message of each file of this attempt."""
        for file in self.files:
            file.line.message = f"{file.line.message} {text}".strip()


def is_notebook(file: File) -> bool:
    """Return whether a file is named like a notebook, even with a suffix added, as in `x.ipynb.txt`."""
    return ".ipynb" in file.reading.file.casefold()


def with_receipts(archive: Archive, files: Sequence[File]) -> Sequence[File]:
    """Replace guessed Blackboard usernames with those in Blackboard's receipts.

    A receipt begins with a line such as "Name: Kim Minji (kim_minji)".
    """
    by_label: dict[str, PathReading] = {}
    receipts = [file for file in files if file.reading.system == "blackboard" and not file.reading.file]
    for file in sorted(receipts, key=lambda file: file.member.size):
        with suppress(Unreadable):
            first_line = archive.read(file.member).decode("utf-8-sig", "replace").partition("\n")[0]
            if match := _RECEIPT.fullmatch(first_line.strip()):
                for reading in file.readings:
                    if reading.keys == (match["user"],):
                        by_label[_attempt_label(reading)] = replace(reading, name=match["name"].strip())
    for file in files:
        if receipt_reading := by_label.get(_attempt_label(file.reading)):
            file.reading = replace(
                file.reading,
                group=receipt_reading.group,
                keys=receipt_reading.keys,
                name=receipt_reading.name,
            )
            file.readings = (file.reading,)
    return files


def _attempt_label(reading: PathReading) -> str:
    """Return the part of the path that all files of one attempt share; empty if the path has no such part."""
    if reading.system not in ("brightspace", "blackboard"):
        return ""
    return reading.label if reading.file else reading.label.removesuffix(".txt")


def attempts_of(files: Sequence[File], zone: tzinfo | None) -> list[Attempt]:
    """Group files into attempts, one for each submission by each student.

    If the LMS does not mark attempts in file names, all files of a student for an assignment form one
    attempt.

    Args:
        files: the files with a known owner.
        zone: the time zone of the LMS's clock; None for this machine's time zone.
    """
    attempts: dict[tuple[str, ...], Attempt] = {}
    for file in files:
        key = (file.reading.group, file.line.student, _attempt_label(file.reading))
        attempts.setdefault(key, Attempt(file.line.student, file.reading, zone=zone)).files.append(file)
    return list(attempts.values())
