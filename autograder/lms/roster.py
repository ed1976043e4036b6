"""Rosters: find a student by the ids and names that an LMS, a roster file or the gradebook uses."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.gradebook.tables import Table
from autograder.intake.files import valid_student_id
from autograder.lms.filenames import SYSTEMS, System
from autograder.lms.tables import read_table
from secant.language import say

# Titles of id columns, normalized by `tables.plain`: first the titles in hand-made rosters, then the titles
# in LMS exports.
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
_ANONYMOUS = ("identifier", "식별자")  # titles of Moodle's id column for anonymous students
# Titles of columns with the id that an LMS itself assigns to a person, keyed by LMS.
_NUMBER: Mapping[System, Sequence[str]] = {
    "moodle": (*_ANONYMOUS, "participant", "moodle", "moodleid"),
    "canvas": ("canvas", "canvasid"),
    "brightspace": ("brightspace", "brightspaceid"),
    "blackboard": ("blackboard", "blackboardid"),
}
_ANY_NUMBER = ("lmsid", "lmsuserid")
_NAME = ("fullname", "name", "student", "studentname", "성명", "전체이름", "학생이름")
_FIRST, _LAST = ("firstname", "givenname", "이름"), ("lastname", "surname", "familyname", "성")
_MAIL = ("email", "emailaddress", "mail", "이메일", "이메일주소", "전자우편", "메일")
# Matches a long number that Excel has shortened, such as 2.02E+09.
_EXCEL = re.compile(r"\d(?:[.,]\d+)?E\+\d+", re.IGNORECASE)
# Matches a whole number saved with decimals, such as 2024.0, as by pandas if a column has empty cells.
_DECIMAL = re.compile(r"\d+[.,]0+")
# Matches a label such as "Participant 123456". Moodle shows this label in the language of the site.
_MOODLE_NUMBER = re.compile(r"\D+ (\d+)")


@dataclass(frozen=True)
class Person:
    """A person in a roster.

    Attributes:
        id: nbgrader's student id; it is also the name of the student's folder in submitted/.
        keys: other ids of this person that were not assigned by an LMS, such as an e-mail address.
        numbers: the ids that LMSs assigned to this person, keyed by LMS; a Moodle id is valid in one
            assignment only.
        lms_id: the one LMS id to enter into the gradebook, valid for all lessons; empty if there is none.
    """

    id: str
    name: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    keys: frozenset[str] = frozenset()
    numbers: Mapping[System, str] = field(default_factory=dict)
    lms_id: str = ""

    def contradicts(self, system: System, keys: Iterable[str]) -> bool:
        """Return whether this person's id in the LMS is known and differs from all given ids."""
        number = self.numbers.get(system, "")
        return bool(number) and _key(number) not in map(_key, keys)


class Ambiguous(Exception):
    """Raised if an id or a name may belong to several people."""


@dataclass(frozen=True)
class Roster:
    """The people in a roster, indexed by id, by LMS number and by name."""

    people: Sequence[Person]
    _by_key: dict[str, set[int]] = field(default_factory=dict)
    _by_number: dict[tuple[System, str], set[int]] = field(default_factory=dict)
    _by_name: dict[str, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, person in enumerate(self.people):
            for key in {person.id, person.email, *person.keys} - {""}:
                self._by_key.setdefault(_key(key), set()).add(number)
            for system, lms_id in person.numbers.items():
                self._by_number.setdefault((system, _key(lms_id)), set()).add(number)
            for name in name_forms(person.name) | name_forms(f"{person.first_name} {person.last_name}"):
                self._by_name.setdefault(name, set()).add(number)

    def find(self, keys: Sequence[str], name: str, system: System | None = None) -> Person | None:
        """Return the person with these ids and this name; None if there is no such person.

        Args:
            keys: ids as the LMS shows them.
            name: the name as the LMS shows it.
            system: the LMS. The LMS's own numbers take precedence over other ids. A Moodle number differs
                between assignments, so it is never compared with other ids.

        Raises:
            Ambiguous: if several people match, or if the ids and the name belong to different people.
        """
        by_key = self.with_keys(keys, system)
        by_name = self.with_name(name)
        matches = by_key & by_name or (by_key if not by_name else by_name if not by_key else by_key | by_name)
        if len(matches) > 1:
            raise Ambiguous(" / ".join(sorted(self.people[number].id for number in matches)))
        return self.people[matches.pop()] if matches else None

    def with_keys(self, keys: Sequence[str], system: System | None) -> set[int]:
        """Return the indices of the people with one of these ids; see `find` for the precedence of ids."""
        by_number = self.with_number(keys, *([system] if system else SYSTEMS))
        return by_number or (set() if system == "moodle" else self.with_id(keys))

    def with_number(self, keys: Iterable[str], *systems: System) -> set[int]:
        """Return the indices of the people who have one of these ids in one of these LMSs."""
        pairs = ((system, _key(key)) for key in keys for system in systems)
        return set().union(*(self._by_number.get(pair, set()) for pair in pairs))

    def with_id(self, keys: Iterable[str]) -> set[int]:
        """Return the indices of the people with one of these ids, ignoring ids assigned by an LMS."""
        return set().union(*(self._by_key.get(_key(key), set()) for key in keys))

    def with_name(self, name: str) -> set[int]:
        """Return the indices of the people with this name."""
        return set().union(*(self._by_name.get(form, set()) for form in name_forms(name)))


def _key(text: str) -> str:
    """Normalize an id for comparison: "Participant 12" (Moodle) and "#12" (Brightspace) become "12"."""
    text = unicodedata.normalize("NFKC", text).strip().lstrip("#").casefold()
    match = _MOODLE_NUMBER.fullmatch(text)
    return match[1] if match else text


def name_forms(name: str) -> set[str]:
    """Return the forms of a name that LMSs use (last name first or last), without spaces and punctuation."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", name.replace("_", " ")).casefold())
    return {"".join(words), "".join([*words[-1:], *words[:-1]]), "".join([*words[1:], *words[:1]])} - {""}


def read_roster(path: Path) -> Roster:
    """Read a roster file: a hand-made list, or a list of participants exported from an LMS.

    Raises:
        CourseError: if there is no column of ids or names, an id occurs twice, or an id cannot be a folder's
            name.
    """
    table = read_table(path)
    id_column = table.column(*_ID)
    if id_column is None and table.column(*_NAME, *_FIRST, *_LAST) is None:
        id_column = table.column(*_ANONYMOUS)
    if id_column is None and table.column(*_NAME, *_LAST) is None:
        raise CourseError(
            say(
                en=f"{path} has no column of ids or names. Its columns: {', '.join(table.head)}. "
                "Name one `id` and one `name`.",
                ko=f"{path}: 학번이나 이름 열이 없습니다. 있는 열: {', '.join(table.head)}. "
                "`학번`과 `이름` 열을 만드세요.",
            )
        )
    people = [person for row in table.rows if (person := _person(table, row, id_column)) is not None]
    _refuse(path, people)
    return Roster(people)


def _person(table: Table, row: list[str], id_column: int | None) -> Person | None:
    """Return the person in a row; None for Canvas's "Points Possible" row."""

    def cell(names: Sequence[str]) -> str:
        column = table.column(*names)
        return "" if column is None else row[column].strip()

    first, last = cell(_FIRST), cell(_LAST)
    name = cell(_NAME)
    # In a Korean list without a last-name column, the column 이름 contains full names.
    if not last and not name:
        first, name = "", first
    if "Points Possible" in name:
        return None
    keys = {row[index] for key in _ID if (index := table.column(key)) is not None and row[index].strip()}
    row_id = "" if id_column is None else row[id_column].strip().lstrip("#")
    if id_column is not None and id_column == table.column(*_ANONYMOUS):
        # The column contains labels such as "Participant 123"; make valid student ids from them.
        row_id = student_id(row_id)
    canvas_titles = _NUMBER["canvas"] if table.column("section") is None else (*_NUMBER["canvas"], "id")
    numbers = {
        system: number
        for system in SYSTEMS
        if (number := cell(canvas_titles if system == "canvas" else _NUMBER[system]) or cell(_ANY_NUMBER))
    }
    return Person(
        id=unicodedata.normalize("NFKC", row_id) if row_id else student_id(name or f"{last} {first}"),
        name=name or f"{first} {last}".strip(),
        first_name=first,
        last_name=last or ("" if first else name),
        email=cell(_MAIL),
        lms_id=cell(_ANY_NUMBER) or numbers.get("canvas", ""),
        keys=frozenset(keys),
        numbers=numbers,
    )


def _refuse(path: Path, people: Sequence[Person]) -> None:
    """Raise CourseError if an id occurs twice in the roster or cannot be a folder's name."""
    seen: set[str] = set()
    for person in people:
        _refuse_spoilt_numbers(path, person)
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


def _refuse_spoilt_numbers(path: Path, person: Person) -> None:
    """Raise CourseError if a spreadsheet has turned an id into a number such as 2.02E+09 or 2024.0."""
    ids = sorted({person.id, *person.keys, *person.numbers.values()})
    if short := next(filter(_EXCEL.fullmatch, ids), None):
        raise CourseError(
            say(
                en=f"{path}: {short} is a long number as Excel shortens it; its digits are lost. "
                "Give the column the format Text, enter the ids again and save.",
                ko=f"{path}: {short}: Excel이 줄여 쓴 긴 숫자라서 자릿수를 알 수 없습니다. "
                "열의 서식을 텍스트로 바꾸고 학번을 다시 입력해 저장하세요.",
            )
        )
    if decimal := next(filter(_DECIMAL.fullmatch, ids), None):
        raise CourseError(
            say(
                en=f"{path}: {decimal} is an id that a program has taken for a number with decimals. "
                "Give the column the format Text and save again.",
                ko=f"{path}: {decimal}: 프로그램이 학번을 소수로 바꾸었습니다. "
                "열의 서식을 텍스트로 바꾸고 다시 저장하세요.",
            )
        )


def student_id(name: str) -> str:
    """Return a student id made from a name, such as Kim_Minji or 김민지; empty if that is impossible."""
    plain = re.sub(r"\s+", "_", unicodedata.normalize("NFKC", name).strip())
    plain = re.sub(r"[^\w.@-]|\.(?=\.)", "", plain).lstrip("_.@-")[:64].rstrip(".")
    return plain if valid_student_id(plain) else ""
