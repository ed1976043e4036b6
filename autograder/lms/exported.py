"""Learning management systems' names for submissions: the owner of a file, read from its path in an export.

A student types a display name and a file's name, and both can imitate what the system writes. So a path is
read from the side that the system writes. A path that the system can have written for several people has
several readings (`readings`), and the true one is always among them. One archive comes from one system.

- Moodle: `Full Name_123456_assignsubmission_file_/x.ipynb`, from 4.1 on without the last underscore, or flat.
  Underscores in the name become spaces (mod/assign/classes/downloader.php), so the number stands after the
  first underscore. It is the participant's number in this one assignment.
- Canvas: `lastfirst_LATE_123_456_x.ipynb`, the user's number and the file's, without folders. The name has
  small letters and neither spaces nor signs, but underscores and digits may be in it (lib/content_zipper.rb)
  as in the file's name: `eve_5_66_7_x.ipynb` is user 5's or user 66's.
- Brightspace: `123-456 - Full Name - Oct 10, 2026 1022 AM/x.ipynb`, one folder an attempt. The number stands
  first in the name and the time last. Some institutions put an id of their own before the full name.
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
# An id of Canvas has no leading zero; the number of a lesson, as in 01_x.ipynb, has one.
_CANVAS = re.compile(
    r"_(?P<late>LATE_)?(?P<key>0|[1-9][0-9]*)_(?:(?P<number>0|[1-9][0-9]*)_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<later>LATE_)?(?P<key>[A-Za-z0-9]{5})_(?P<number>[0-9]+)_(?P<file>.+)",
    re.DOTALL,
)
_NOT_IN_A_CANVAS_NAME = re.compile(r"[\x00-/:-^`{-\x7f]")  # of ASCII, only a-z, 0-9 and _ are left
_ITS_OWN: Mapping[System, re.Pattern[str]] = {  # a part of a path that the system made, however odd
    "moodle": re.compile("_assignsubmission_"),
    "brightspace": re.compile(r"^[0-9]+-[0-9]+ - "),
    "canvas": re.compile(r"_[0-9]+_[0-9]+_"),
    "blackboard": re.compile(r"_attempt_[0-9]{4}-"),
}
_NOBODY = ("Participant", "참가자", "참여자")  # Moodle's name for each student of an anonymous assignment
_DATE = re.compile(r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4}) (\d{1,2}):?(\d\d) ?([AP])M")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Handed:
    """One reading of a path: the owner and the file, as the system's name shows them.

    Attributes:
        group: what the files of one assignment have in common; the whole archive, if that is not said.
        keys: the system's ids of the person, the system's own last.
        name: the person's name, as the system writes it; empty if it does not.
        label: the beginning of the name, which the system knows again when feedback is uploaded.
        file: the path that the student gave the file; empty for files that the system made.
        when: the time on the system's clock; None if the name does not say.
        late: whether the name says that the submission is late.
        number: the system's own number of the file; empty if the name does not say.
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
    """Return the system that most of these paths come from; None if it is none or could be several.

    A student's own names can make a path look like another system's, too.
    """
    counts = dict.fromkeys(SYSTEMS, 0)
    for path in paths:
        for system in SYSTEMS:
            counts[system] += read_path(path, system) is not None
    most = max(counts.values())
    best = [system for system in SYSTEMS if counts[system] == most > 0]
    return best[0] if len(best) == 1 else None


def is_exported(name: str) -> bool:
    """Return whether a file or folder has a name that some system gives to its exports."""
    return any(readings(unicodedata.normalize("NFC", name), system) for system in SYSTEMS)


def read_path(path: str, system: System) -> Handed | None:
    """Return the first reading of a path; None if the system does not name anything so."""
    return next(iter(readings(path, system)), None)


def readings(path: str, system: System) -> list[Handed]:
    """Return each way in which a system can have written a path."""
    parts = path.split("/")
    for index, part in enumerate(parts):
        below = parts[index + 1 :]
        if found := list(_READERS[system](part, below)):
            above = "/".join(parts[:index])
            return [replace(one, group="/".join(filter(None, (above, one.group)))) for one in found]
        if _ITS_OWN[system].search(part) or (system == "canvas" and index):
            break  # below the system's own part, or one folder of a browser's, all names are the student's
    return []


def _moodle(part: str, below: list[str]) -> Iterator[Handed]:
    """Yield the reading of a folder's or file's name of Moodle."""
    if found := _MOODLE.fullmatch(part):
        name, label, own = found["name"].strip(), part, []
        if found["file"]:
            label, own = part[: found.start("file")], [found["file"]]
        yield Handed(
            system="moodle",
            group="",
            keys=(found["key"],),
            name="" if name in _NOBODY else name,
            label=label.rstrip("_"),
            file="/".join([*own, *below]) if found["kind"] == "file" else "",
        )


def _blackboard(part: str, below: list[str]) -> Iterator[Handed]:
    """Yield a reading for each underscore that the username may begin after, the last one first."""
    found = _BLACKBOARD.fullmatch(part)
    words = found["before"].split("_") if found else []
    for at in range(len(words) - 1, 0, -1):
        group, key = "_".join(words[:at]), "_".join(words[at:])
        if found and group and key:
            yield Handed(
                system="blackboard",
                group=group,
                keys=(key,),
                name="",
                label=part[: found.start("file")].rstrip("_") if found["file"] else part,
                file="/".join([found["file"], *below]) if found["file"] else "",
                when=_when(found["when"]),
            )


def _brightspace(part: str, below: list[str]) -> Iterator[Handed]:
    """Yield a reading for each time that the name may end with, with and without an institution's id."""
    found = _BRIGHTSPACE.fullmatch(part)
    if not found:
        return
    key, rest = found["key"], found["rest"]
    for name, when, file in _names_and_times(rest, is_folder=bool(below)):
        with_id = _WITH_ID.fullmatch(name)
        whole = Handed(
            system="brightspace",
            group="",
            keys=(key,),
            name=name,
            label=part.removesuffix(file).removesuffix(" - ") if file else part,
            file="/".join([file, *below] if file else below),
            when=_when(when),
        )
        if with_id:
            yield replace(whole, keys=(with_id["id"], key), name=with_id["name"].strip())
        yield whole


def _names_and_times(rest: str, is_folder: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the time and the file that the rest of a name of Brightspace may contain."""
    dashes = [at for at, char in enumerate(rest) if char == "-"]
    flat = []
    if not is_folder:
        flat = [(at, found) for at in dashes if (found := _TIME_AND_FILE.fullmatch(rest, at + 1))]
    for at, found in flat:
        yield rest[:at].strip(), found["when"], found["file"]
    if not flat and dashes and _TIME.fullmatch(rest, dashes[-1] + 1):
        yield rest[: dashes[-1]].strip(), rest[dashes[-1] + 1 :], ""


def _canvas(part: str, below: list[str]) -> Iterator[Handed]:
    """Yield a reading for each pair of numbers that may be the user's and the file's, the first one first."""
    if below:
        return
    if found := _CANVAS_ANONYMOUS.fullmatch(part):
        yield Handed(
            system="canvas",
            group="",
            keys=(found["key"],),
            name="",
            label=part[: found.start("file") - 1],
            file=found["file"],
            late=bool(found["late"] or found["later"]),
            number=found["number"],
        )
    for at, char in enumerate(part):
        if _NOT_IN_A_CANVAS_NAME.match(char):
            return
        if char == "_" and (found := _CANVAS.fullmatch(part, at)):
            file = found["file"] or ""
            # Canvas takes the first two numbers of a label for the user's and the file's.
            begin = at + 1 if any(word.isdecimal() for word in part[:at].split("_")) else 0
            yield Handed(
                system="canvas",
                group="",
                keys=(found["key"],),
                name=part[:at],
                label=part[begin : found.start("file") - 1] if file else part[begin:],
                file=file,
                late=bool(found["late"]),
                number=found["number"] or "",
            )


_READERS: Mapping[System, Callable[[str, list[str]], Iterator[Handed]]] = {
    "moodle": _moodle,
    "brightspace": _brightspace,
    "canvas": _canvas,
    "blackboard": _blackboard,
}


def _when(text: str) -> datetime | None:
    """Return the time in a name; None if the systems do not write times so."""
    try:
        if found := _DATE.fullmatch(text.strip()):
            month, day, year, hour, minute, half = found.groups()
            hours = int(hour) % 12 + (12 if half == "P" else 0)
            return datetime(int(year), _MONTHS.index(month) + 1, int(day), hours, int(minute))
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None
