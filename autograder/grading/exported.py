"""What learning management systems call a submission in what they export: whose it is, from its path.

The system writes the beginning of such a name and the student its end, so each pattern takes the first
place where it fits. One archive comes from one system: else a student could hand in a file whose name looks,
to another system's pattern, like somebody else's submission.

- Moodle: `Full Name_123456_assignsubmission_file_/x.ipynb`, from 4.1 on without the last underscore, or flat.
  The number is the participant's in this one assignment (mod/assign/feedback/file/importziplib.php).
- Canvas: `lastfirst_LATE_123_456_x.ipynb`, the user's number and the file's (lib/content_zipper.rb).
- Brightspace: `123-456 - Full Name - Oct 10, 2026 1022 AM/x.ipynb`, one folder an attempt.
- Blackboard: `Assignment_username_attempt_2026-11-23-10-00-00_x.ipynb`, and a receipt for each attempt.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

System = Literal["moodle", "brightspace", "canvas", "blackboard"]
SYSTEMS: tuple[System, ...] = get_args(System)

_MOODLE = re.compile(r"(?P<name>[^_]*)_(?P<key>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?")
_BRIGHTSPACE = re.compile(
    r"(?P<key>\d+)-\d+ - (?:(?P<org>[A-Za-z]*\d+) - )?(?P<name>.+?) ?- "
    r"(?P<when>[^-/]*\b\d{4}\b[^-/]*?)(?: - (?P<file>.+))?"
)
_BLACKBOARD = re.compile(
    r"(?P<group>.+?)_(?P<key>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<receipt>\.txt))"
)
_CANVAS = re.compile(
    r"(?P<name>.+?)_(?:(?P<late>LATE)_)?(?P<key>\d+)_(?:(?P<number>\d+)_(?P<file>.+)|(?P<kind>text|link)\.html)"
)
_ANONYMOUS = re.compile(
    r"(?P<name>anon)_(?:(?P<late>LATE)_)?(?P<key>[A-Za-z0-9]{5})_(?P<number>\d+)_(?P<file>.+)"
)
_PATTERNS: dict[System, Sequence[re.Pattern[str]]] = {
    "moodle": (_MOODLE,),
    "brightspace": (_BRIGHTSPACE,),
    "canvas": (_ANONYMOUS, _CANVAS),
    "blackboard": (_BLACKBOARD,),
}
_DATE = re.compile(r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4}) (\d{1,2}):?(\d\d) ?([AP])M")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Handed:
    """Whose file this is, as the system's name for it says.

    Attributes:
        group: what the files of one assignment have in common; the whole archive, if that is not said.
        keys: the system's ids of the person.
        name: the person's, as the system writes it; empty if it does not.
        label: the beginning of the name, which the system knows again when feedback is uploaded.
        file: the path that the student gave it; empty for what is no file of the student's.
        when: as the system's own clock showed it; None if the name does not say.
        late: whether the name says that it is.
    """

    system: System
    group: str
    keys: tuple[str, ...]
    name: str
    label: str
    file: str
    when: datetime | None = None
    late: bool = False


def system_of(paths: Iterable[str]) -> System | None:
    """The system that most of these paths come from; None if they come from none."""
    counts = dict.fromkeys(SYSTEMS, 0)
    for path in paths:
        for system in SYSTEMS:
            counts[system] += read_path(path, system) is not None
    best = max(SYSTEMS, key=lambda system: counts[system])
    return best if counts[best] else None


def is_exported(name: str) -> bool:
    """Whether a file or folder has a name that some system gives to what it exports."""
    return system_of([unicodedata.normalize("NFC", name)]) is not None


def read_path(path: str, system: System) -> Handed | None:
    """Read a path in a system's archive; None if the system does not name anything so."""
    parts = path.split("/")
    for index, part in enumerate(parts):
        for pattern in _PATTERNS[system]:
            if found := pattern.fullmatch(part):
                return _handed(system, "/".join(parts[:index]), found, parts[index + 1 :])
    return None


def _handed(system: System, above: str, found: re.Match[str], below: list[str]) -> Handed | None:
    has = found.groupdict()
    own = [has["file"]] if has.get("file") else []
    is_file = not has.get("receipt") and (system != "moodle" or has["kind"] == "file")
    label = found.string[: found.start("file")] if own else found.string
    return Handed(
        system=system,
        group="/".join(filter(None, (above, has.get("group")))),
        keys=tuple(key for key in (has.get("org"), has["key"]) if key),
        name="" if has.get("name") in (None, "anon", "Participant") else has["name"].strip(),
        label=label.removesuffix(" - ").rstrip("_"),
        file="/".join([*own, *below]) if is_file else "",
        when=_when(has.get("when") or ""),
        late=bool(has.get("late")),
    )


def _when(text: str) -> datetime | None:
    """The time in a name; None if it is not one that the systems write."""
    try:
        if found := _DATE.fullmatch(text.strip()):
            month, day, year, hour, minute, half = found.groups()
            hours = int(hour) % 12 + (12 if half == "P" else 0)
            return datetime(int(year), _MONTHS.index(month) + 1, int(day), hours, int(minute))
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None
