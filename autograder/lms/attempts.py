"""What one person handed in at once, and what became of each file of it."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from autograder.course.clock import to_utc
from autograder.intake.kinds import Kind
from autograder.lms.archive import Archive, Member, Unreadable
from autograder.lms.exported import Handed

# Blackboard's receipt begins so: "Name: Kim Minji (kim_minji)", in the language of the site.
_RECEIPT = re.compile(r"[^:]*:\s*(?P<name>.+?)\s*\((?P<user>[^()]+)\)")

#: What became of a file, and whether somebody has to look at it.
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
    """What became of a file of an archive.

    Attributes:
        path: its name in the archive; empty if this is about the archive.
        file: what of it the student has named; empty if that is not known.
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
        """Whether somebody has to look at it."""
        return OUTCOMES[self.outcome]

    def say(self, outcome: str, message: str) -> None:
        """Settle what became of the file."""
        self.outcome, self.message = outcome, message


@dataclass
class File:
    """A file of an archive.

    Attributes:
        readings: each way in which the system can have written the file's path.
        handed: the reading that holds, once the owner is known; until then the first one.
        lesson: the lesson that the file's cells belong to.
        problem: why a notebook cannot be read.
        kind: what a file without a notebook's name is, if that is known.
    """

    line: Line
    member: Member
    readings: Sequence[Handed]
    handed: Handed = field(init=False)
    lesson: str = ""
    refused: str = ""
    problem: str = ""
    kind: Kind | None = None

    def __post_init__(self) -> None:
        self.handed = self.readings[0]

    def undecided(self, why: str) -> None:
        """Say that the owner is not known."""
        self.line.student = ""
        self.line.say("whose?", why)


@dataclass
class Attempt:
    """What one person handed in at once, for one lesson.

    Attributes:
        zone: the zone of the system's clock; None for this machine's.
        when: in UTC; None if that is not known.
    """

    student: str
    handed: Handed
    files: list[File] = field(default_factory=list)
    lesson: str = ""
    zone: tzinfo | None = None

    @property
    def when(self) -> datetime | None:
        """When it was handed in, by the system's own clock."""
        return to_utc(self.handed.when, self.zone) if self.handed.when else None

    def settle(self, outcome: str, message: str) -> None:
        """Say what became of all files that would otherwise be collected."""
        for file in self.files:
            if file.line.outcome == "collected":
                file.line.say(outcome, message)

    def remark(self, text: str) -> None:
        """Add something to what is said of each file."""
        for file in self.files:
            file.line.message = f"{file.line.message} {text}".strip()


def is_notebook(file: File) -> bool:
    """Return whether a file has a notebook's name, however programs have lengthened it."""
    return ".ipynb" in file.handed.file.casefold()


def with_receipts(archive: Archive, files: Sequence[File]) -> Sequence[File]:
    """Settle Blackboard's usernames by its receipts, which begin with "Name: Kim Minji (kim_minji)"."""
    known: dict[str, Handed] = {}
    receipts = [file for file in files if file.handed.system == "blackboard" and not file.handed.file]
    for file in sorted(receipts, key=lambda file: file.member.size):
        with suppress(Unreadable):
            first = archive.read(file.member).decode("utf-8-sig", "replace").partition("\n")[0]
            if found := _RECEIPT.fullmatch(first.strip()):
                for one in file.readings:
                    if one.keys == (found["user"],):
                        known[_attempt_label(one)] = replace(one, name=found["name"].strip())
    for file in files:
        if told := known.get(_attempt_label(file.handed)):
            file.handed = replace(file.handed, group=told.group, keys=told.keys, name=told.name)
            file.readings = (file.handed,)
    return files


def _attempt_label(handed: Handed) -> str:
    """What the names of all files of one attempt have in common."""
    if handed.system not in ("brightspace", "blackboard"):
        return ""
    return handed.label if handed.file else handed.label.removesuffix(".txt")


def attempts_of(files: Sequence[File], zone: tzinfo | None) -> list[Attempt]:
    """Group what was handed in at once. Where the name holds no time, an archive has one attempt of each.

    Args:
        files: the files whose owners are known.
        zone: the zone of the system's clock; None for this machine's.
    """
    found: dict[tuple[str, ...], Attempt] = {}
    for file in files:
        key = (file.handed.group, file.line.student, _attempt_label(file.handed))
        found.setdefault(key, Attempt(file.line.student, file.handed, zone=zone)).files.append(file)
    return list(found.values())
