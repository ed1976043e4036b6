"""Parse the file names in LMS exports: find each file's owner in its path.

A student types a display name and a file's name, and both can imitate the parts that the LMS writes. Parsing
therefore starts from the part of the path that the LMS writes. A path that the LMS could have written for any
of several people has several interpretations (`readings`), and the correct one is always among them. All
files of an archive come from the same LMS.

- Moodle: `Full Name_123456_assignsubmission_file_/x.ipynb`. Since version 4.1, the folder's name ends without
  an underscore. There may also be no folder. Moodle replaces underscores in the full name with spaces
  (mod/assign/classes/downloader.php), so the number follows the first underscore. It is the participant's
  number, which is different in each assignment.
- Canvas: `lastfirst_LATE_123_456_x.ipynb`, with the user's number and the file's number, without folders. The
  user's name is in lower case, without spaces or punctuation. It may contain underscores and digits
  (lib/content_zipper.rb), as may the file's name: `eve_5_66_7_x.ipynb` may belong to user 5 or to user 66.
- Brightspace: `123-456 - Full Name - Oct 10, 2026 1022 AM/x.ipynb`, with one folder for each attempt. The
  folder's name starts with the number and ends with the timestamp. Some institutions put an id before the
  full name.
- Blackboard: `Assignment_username_attempt_2026-11-23-10-00-00_x.ipynb`, and a receipt for each attempt.
  Students type neither the assignment's name nor the username, but both may contain underscores.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

System = Literal["moodle", "brightspace", "canvas", "blackboard"]
SYSTEMS: tuple[System, ...] = get_args(System)

_MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<key>[0-9]+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_BLACKBOARD = re.compile(
    r"(?P<before>.+?)_attempt_(?P<when>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)",
    re.DOTALL,
)
_BRIGHTSPACE = re.compile(r"(?P<key>[0-9]+)-[0-9]+ - (?P<rest>.+)", re.DOTALL)
_TIME = re.compile(r"[^-/]*\b[0-9]{4}\b[^-/]*")
_TIME_AND_FILE = re.compile(r"(?P<when>[^-/]*\b[0-9]{4}\b[^-/]*?) - (?P<file>.+)", re.DOTALL)
_WITH_ID = re.compile(r"(?P<id>[A-Za-z]*[0-9]+) - (?P<name>.+)", re.DOTALL)
# Unlike the number of a lesson, as in 01_x.ipynb, a Canvas id has no leading zero.
_CANVAS = re.compile(
    r"_(?P<late>LATE_)?(?P<key>0|[1-9][0-9]*)_(?:(?P<number>0|[1-9][0-9]*)_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<later>LATE_)?(?P<key>[A-Za-z0-9]{5})_(?P<number>[0-9]+)_(?P<file>.+)",
    re.DOTALL,
)
# Characters that Canvas removes from names: all ASCII characters except a-z, 0-9 and _.
_NOT_IN_A_CANVAS_NAME = re.compile(r"[\x00-/:-^`{-\x7f]")
# Patterns of text that only the LMS writes into a path. They show that the LMS wrote a path even if other
# parts of the path cannot be parsed.
_LMS_PATTERNS: Mapping[System, re.Pattern[str]] = {
    "moodle": re.compile("_assignsubmission_"),
    "brightspace": re.compile(r"^[0-9]+-[0-9]+ - "),
    "canvas": re.compile(r"_[0-9]+_[0-9]+_"),
    "blackboard": re.compile(r"_attempt_[0-9]{4}-"),
}
# Names that Moodle shows for every student of an anonymous assignment.
_ANONYMOUS_NAMES = ("Participant", "참가자", "참여자")
_DATE = re.compile(r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4}) (\d{1,2}):?(\d\d) ?([AP])M")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class PathReading:
    """One possible interpretation of a path in an LMS export: its owner and its file name.

    Attributes:
        group: the part of the path that all files of one assignment share; empty if the path does not show
            the assignment.
        keys: the person's ids in the LMS; the id that the LMS itself assigned comes last.
        name: the person's name as the LMS writes it; empty if the path contains no name.
        label: the beginning of the file or folder name. When feedback is uploaded under this label, the LMS
            assigns the feedback to the right submission.
        file: the path that the student gave the file; empty for files that the LMS made.
        when: the submission time on the LMS's clock; None if the path contains no timestamp.
        late: True if the path marks the submission as late.
        number: the LMS's own number for the file; empty if the path contains none.
    """

    system: System
    group: str
    keys: tuple[str, ...]
    name: str
    label: str
    file: str
    when: datetime | None = None
    late: bool = False
    number: str = ""


def system_of(paths: Iterable[str]) -> System | None:
    """Return the LMS that most of these paths come from; None if none matches, or in case of a tie.

    A file name chosen by a student can make a path look as if it came from another LMS.
    """
    counts = dict.fromkeys(SYSTEMS, 0)
    for path in paths:
        for system in SYSTEMS:
            counts[system] += read_path(path, system) is not None
    best_count = max(counts.values())
    best = [system for system in SYSTEMS if counts[system] == best_count > 0]
    return best[0] if len(best) == 1 else None


def is_exported(name: str) -> bool:
    """Return whether a file or folder is named like an export of one of the supported LMSs."""
    return any(readings(unicodedata.normalize("NFC", name), system) for system in SYSTEMS)


def read_path(path: str, system: System) -> PathReading | None:
    """Return the first possible interpretation of a path; None if the LMS writes no such paths."""
    return next(iter(readings(path, system)), None)


def readings(path: str, system: System) -> list[PathReading]:
    """Return all possible interpretations of a path in an LMS export."""
    parts = path.split("/")
    for index, part in enumerate(parts):
        below = parts[index + 1 :]
        if matches := list(_READERS[system](part, below)):
            above = "/".join(parts[:index])
            return [
                replace(reading, group="/".join(filter(None, (above, reading.group)))) for reading in matches
            ]
        if _LMS_PATTERNS[system].search(part) or (system == "canvas" and index):
            # Stop here: the student chose all names below the LMS's own part, or below a folder made by a
            # browser.
            break
    return []


def _moodle(part: str, below: list[str]) -> Iterator[PathReading]:
    """Yield the interpretation of a file or folder name, if the name has Moodle's format."""
    if match := _MOODLE.fullmatch(part):
        name, label, parts = match["name"].strip(), part, []
        if match["file"]:
            label, parts = part[: match.start("file")], [match["file"]]
        yield PathReading(
            system="moodle",
            group="",
            keys=(match["key"],),
            name="" if name in _ANONYMOUS_NAMES else name,
            label=label.rstrip("_"),
            file="/".join([*parts, *below]) if match["kind"] == "file" else "",
        )


def _blackboard(part: str, below: list[str]) -> Iterator[PathReading]:
    """Yield an interpretation of a file or folder name for each underscore that may precede the username.

    The underscores are tried from right to left.
    """
    match = _BLACKBOARD.fullmatch(part)
    words = match["before"].split("_") if match else []
    for index in range(len(words) - 1, 0, -1):
        group, key = "_".join(words[:index]), "_".join(words[index:])
        if match and group and key:
            yield PathReading(
                system="blackboard",
                group=group,
                keys=(key,),
                name="",
                label=part[: match.start("file")].rstrip("_") if match["file"] else part,
                file="/".join([match["file"], *below]) if match["file"] else "",
                when=_parse_time(match["when"]),
            )


def _brightspace(part: str, below: list[str]) -> Iterator[PathReading]:
    """Yield an interpretation of a file or folder name for each part that may be the timestamp.

    If an institution's id may precede the student's name, also yield an interpretation with this id.
    """
    match = _BRIGHTSPACE.fullmatch(part)
    if not match:
        return
    key, rest = match["key"], match["rest"]
    for name, when, file in _names_and_times(rest, is_folder=bool(below)):
        id_match = _WITH_ID.fullmatch(name)
        reading = PathReading(
            system="brightspace",
            group="",
            keys=(key,),
            name=name,
            label=part.removesuffix(file).removesuffix(" - ") if file else part,
            file="/".join([file, *below] if file else below),
            when=_parse_time(when),
        )
        if id_match:
            yield replace(reading, keys=(id_match["id"], key), name=id_match["name"].strip())
        yield reading


def _names_and_times(rest: str, is_folder: bool) -> Iterator[tuple[str, str, str]]:
    """Yield each way to split the text after Brightspace's number into person, time and file name."""
    dashes = [index for index, char in enumerate(rest) if char == "-"]
    matches = []
    if not is_folder:
        matches = [(index, match) for index in dashes if (match := _TIME_AND_FILE.fullmatch(rest, index + 1))]
    for index, match in matches:
        yield rest[:index].strip(), match["when"], match["file"]
    if not matches and dashes and _TIME.fullmatch(rest, dashes[-1] + 1):
        yield rest[: dashes[-1]].strip(), rest[dashes[-1] + 1 :], ""


def _canvas(part: str, below: list[str]) -> Iterator[PathReading]:
    """Yield an interpretation of a file name for each pair of numbers that may be the user's and the file's.

    The pairs are tried from left to right.
    """
    if below:
        return
    if match := _CANVAS_ANONYMOUS.fullmatch(part):
        yield PathReading(
            system="canvas",
            group="",
            keys=(match["key"],),
            name="",
            label=part[: match.start("file") - 1],
            file=match["file"],
            late=bool(match["late"] or match["later"]),
            number=match["number"],
        )
    for index, char in enumerate(part):
        if _NOT_IN_A_CANVAS_NAME.match(char):
            return
        if char == "_" and (match := _CANVAS.fullmatch(part, index)):
            file = match["file"] or ""
            # When feedback is uploaded, Canvas takes the first two numbers of a label to be the user's number
            # and the file's number.
            begin = index + 1 if any(word.isdecimal() for word in part[:index].split("_")) else 0
            yield PathReading(
                system="canvas",
                group="",
                keys=(match["key"],),
                name=part[:index],
                label=part[begin : match.start("file") - 1] if file else part[begin:],
                file=file,
                late=bool(match["late"]),
                number=match["number"] or "",
            )


_READERS: Mapping[System, Callable[[str, list[str]], Iterator[PathReading]]] = {
    "moodle": _moodle,
    "brightspace": _brightspace,
    "canvas": _canvas,
    "blackboard": _blackboard,
}


def _parse_time(text: str) -> datetime | None:
    """Parse a timestamp in a path; return None if it is not in a format that an LMS uses."""
    try:
        if match := _DATE.fullmatch(text.strip()):
            month, day, year, hour, minute, half = match.groups()
            hours = int(hour) % 12 + (12 if half == "P" else 0)
            return datetime(int(year), _MONTHS.index(month) + 1, int(day), hours, int(minute))
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None
