"""Who is who: people by the ids and names that systems, rosters and the gradebook have for them."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.grading.tables import Sheet, read_sheet
from autograder.intake.files import valid_student_id
from secant.language import say

# Columns as `tables.plain` writes them: of a roster of one's own, and of what the systems export.
_ID = (
    *(
        "studentid",
        "학번",
        "학생번호",
        "학생id",
        "idnumber",
        "id번호",
        "orgdefinedid",
        "sisuserid",
        "sisloginid",
    ),
    *(
        "username",
        "사용자이름",
        "사용자아이디",
        "아이디",
        "login",
        "loginid",
        "id",
        "email",
        "emailaddress",
        "이메일",
    ),
)
_KEYS = (
    *_ID,
    *("identifier", "식별자", "participant", "moodle", "moodleid", "canvas", "canvasid"),
    *("brightspace", "brightspaceid", "blackboard", "blackboardid", "lmsid", "lmsuserid"),
)
_NAME = ("fullname", "name", "student", "studentname", "성명", "전체이름", "학생이름")
_FIRST, _LAST = ("firstname", "givenname", "이름"), ("lastname", "surname", "familyname", "성")
_MAIL = ("email", "emailaddress", "mail", "이메일", "이메일주소", "전자우편", "메일")
_MOODLE_NUMBER = re.compile(r"\D+ (\d+)")  # "Participant 123456", in the language of the site


@dataclass(frozen=True)
class Person:
    """Somebody in a roster.

    Attributes:
        id: nbgrader's, which names the folder in submitted/.
        keys: every id that a system has for this person.
        lms_id: the system's own id that stays the same from lesson to lesson; empty if it has none.
    """

    id: str
    name: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    keys: frozenset[str] = frozenset()
    lms_id: str = ""


class Ambiguous(Exception):
    """More than one person may be meant."""


@dataclass(frozen=True)
class Roster:
    """People, found by id or name."""

    people: Sequence[Person]
    _by_key: dict[str, set[int]] = field(default_factory=dict)
    _by_name: dict[str, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, person in enumerate(self.people):
            for key in {person.id, person.email, *person.keys} - {""}:
                self._by_key.setdefault(_key(key), set()).add(number)
            for name in _written(person.name) | _written(f"{person.first_name} {person.last_name}"):
                self._by_name.setdefault(name, set()).add(number)

    def find(self, keys: Iterable[str], name: str) -> Person | None:
        """Return whom these ids and this name mean; None if nobody.

        Raises:
            Ambiguous: several people, or the ids mean another than the name.
        """
        by_key = set().union(*(self._by_key.get(_key(key), set()) for key in keys))
        by_name = set().union(*(self._by_name.get(written, set()) for written in _written(name)))
        found = by_key & by_name or (by_key if not by_name else by_name if not by_key else by_key | by_name)
        if len(found) > 1:
            raise Ambiguous(" / ".join(sorted(self.people[number].id for number in found)))
        return self.people[found.pop()] if found else None


def _key(text: str) -> str:
    """An id as it is compared: Moodle's "Participant 12" is 12, and so is Brightspace's "#12"."""
    text = unicodedata.normalize("NFKC", text).strip().lstrip("#").casefold()
    found = _MOODLE_NUMBER.fullmatch(text)
    return found[1] if found else text


def _written(name: str) -> set[str]:
    """A name as systems write it: with the last name first or last, with or without spaces and signs."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", name.replace("_", " ")).casefold())
    return {"".join(words), "".join([*words[-1:], *words[:-1]]), "".join([*words[1:], *words[:1]])} - {""}


def read_roster(path: Path) -> Roster:
    """Read a roster: a list of one's own, or what a system exports of a course.

    Raises:
        CourseError: it has no column of ids or names, an id twice, or one that can name no folder.
    """
    sheet = read_sheet(path)
    id_column = sheet.column(*_ID)
    if id_column is None and sheet.column(*_NAME, *_LAST) is None:
        raise CourseError(
            say(
                en=f"{path} has no column of ids or names. Its columns: {', '.join(sheet.head)}. "
                "Name one `id` and one `name`.",
                ko=f"{path}: 학번이나 이름 열이 없습니다. 있는 열: {', '.join(sheet.head)}. "
                "`학번`과 `이름` 열을 만드세요.",
            )
        )
    people = [person for row in sheet.rows if (person := _person(sheet, row, id_column)) is not None]
    _refuse(path, people)
    return Roster(people)


def _person(sheet: Sheet, row: list[str], id_column: int | None) -> Person | None:
    """Who stands in a row; None in one of Canvas's rows of points."""

    def cell(names: Sequence[str]) -> str:
        column = sheet.column(*names)
        return "" if column is None else row[column].strip()

    first, last = cell(_FIRST), cell(_LAST)
    name = cell(_NAME)
    if not last and not name:  # a Korean list with 이름 alone means the whole name
        first, name = "", first
    if "Points Possible" in name:
        return None
    keys = {row[index] for key in _KEYS if (index := sheet.column(key)) is not None and row[index].strip()}
    own = "" if id_column is None else row[id_column].strip().lstrip("#")
    return Person(
        id=unicodedata.normalize("NFKC", own) if own else student_id(name or f"{last} {first}"),
        name=name or f"{first} {last}".strip(),
        first_name=first,
        last_name=last or ("" if first else name),
        email=cell(_MAIL),
        keys=frozenset(keys),
    )


def _refuse(path: Path, people: Sequence[Person]) -> None:
    """Refuse a roster in which an id is there twice, or is none."""
    seen: set[str] = set()
    for person in people:
        if not valid_student_id(person.id):
            raise CourseError(
                say(
                    en=f"{path}: {person.id or person.name!r} cannot be a folder's name. "
                    "An id has letters, digits and _.@- only, 64 at most.",
                    ko=f"{path}: {person.id or person.name!r}: 폴더 이름으로 쓸 수 없습니다. "
                    "학번에는 글자, 숫자, _.@-만 최대 64자까지 쓸 수 있습니다.",
                )
            )
        if person.id in seen:
            raise CourseError(
                say(
                    en=f"{path}: the id {person.id} appears twice.",
                    ko=f"{path}: 학번 {person.id}이(가) 두 번 있습니다.",
                )
            )
        seen.add(person.id)


def student_id(name: str) -> str:
    """An id made of a name, such as Kim_Minji or 김민지; empty if none can be."""
    plain = re.sub(r"\s+", "_", unicodedata.normalize("NFKC", name).strip())
    plain = re.sub(r"[^\w.@-]|\.(?=\.)", "", plain).lstrip("_.@-")[:64].rstrip(".")
    return plain if valid_student_id(plain) else ""
