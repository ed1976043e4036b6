"""What one person handed in at once, and what became of each file of it."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from autograder.grading.exported import Handed
from autograder.lms.archive import Archive, Member, Unreadable

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
    """A file of an archive whose owner is known."""

    line: Line
    member: Member
    handed: Handed
    lesson: str = ""  # the one that its cells are of
    refused: str = ""


@dataclass
class Attempt:
    """What one person handed in at once, for one lesson.

    Attributes:
        when: in UTC; None if that is not known.
    """

    student: str
    handed: Handed
    files: list[File] = field(default_factory=list)
    lesson: str = ""

    @property
    def when(self) -> datetime | None:
        """When it was handed in; a system shows its own clock, which is taken to be this machine's."""
        return self.handed.when.astimezone(UTC).replace(tzinfo=None) if self.handed.when else None

    def settle(self, outcome: str, message: str) -> None:
        """Say what became of all files that would otherwise be collected."""
        for file in self.files:
            if file.line.outcome == "collected":
                file.line.say(outcome, message)

    def remark(self, text: str) -> None:
        """Add something to what is said of each file."""
        for file in self.files:
            file.line.message = f"{file.line.message} {text}".strip()


def with_receipts(archive: Archive, files: Sequence[File]) -> list[File]:
    """Correct what Blackboard's names say by its receipts, which begin with "Name: Kim Minji (kim_minji)"."""
    known: dict[str, Handed] = {}
    for file in files:
        if file.handed.system != "blackboard" or file.handed.file:
            continue
        with suppress(Unreadable):
            first = archive.read(file.member).decode("utf-8-sig", "replace").partition("\n")[0]
            found = _RECEIPT.fullmatch(first.strip())
            before = file.handed.label.partition("_attempt_")[0]
            if found and before.endswith(f"_{found['user']}"):
                group = before.removesuffix(f"_{found['user']}")
                known[_attempt_label(file.handed)] = replace(
                    file.handed, group=group, keys=(found["user"],), name=found["name"].strip()
                )
    for file in files:
        if told := known.get(_attempt_label(file.handed)):
            file.handed = replace(file.handed, group=told.group, keys=told.keys, name=told.name)
    return list(files)


def _attempt_label(handed: Handed) -> str:
    """What the names of all files of one attempt have in common."""
    if handed.system not in ("brightspace", "blackboard"):
        return ""
    return handed.label if handed.file else handed.label.removesuffix(".txt")


def attempts_of(files: Sequence[File]) -> list[Attempt]:
    """What was handed in at once. Where the name holds no time, an archive has one attempt of each."""
    found: dict[tuple[str, ...], Attempt] = {}
    for file in files:
        key = (file.handed.group, file.line.student, _attempt_label(file.handed))
        found.setdefault(key, Attempt(file.line.student, file.handed)).files.append(file)
    return list(found.values())
