"""Export a lesson's grades as a table that an LMS can import, and pack the feedback pages for upload.

The table is either a new table in the LMS's format, or a table that the LMS exported, with the grades filled
in. A blank cell does not mean zero. A submission that needs manual grading, could not be read or does not
exist gets no points, and a note gives the reason. If the LMS's table already has a grade for the submission,
that grade stays in the table, because Canvas would delete the grade if its cell were empty.

- Moodle: `mod/assign/feedback/offline/importgradeslib.php`, the columns Identifier, Grade and Last modified
  (grade); `mod/assign/feedback/file/importziplib.php`, the folders of the feedback.
- Canvas: `lib/gradebook_importer.rb`; for the feedback `generate_comments_from_files`: ..._USER_FILE_name.
- Brightspace: https://community.d2l.com/brightspace/kb/articles/3538-importing-grades
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from autograder.course.errors import CourseError
from autograder.course.plain import is_plain, notebooks
from autograder.course.settings import Course
from autograder.gradebook import class_list
from autograder.gradebook.book import Book
from autograder.gradebook.entries import Entry
from autograder.gradebook.freshness import CurrentSubmissions
from autograder.gradebook.tables import Table
from autograder.lms.placing import recorded_names
from autograder.lms.roster import Person, Roster
from autograder.lms.tables import read_table
from secant.language import say
from secant.visible import visible

EXPORTED = "exported"  # the course's folder for exported grades and feedback

ExportSystem = Literal["moodle", "canvas", "brightspace"]

_NOT_IN_FOLDER_NAMES = re.compile(r'[/\\:*?"<>|]')  # characters that cannot occur in a folder's name
# Matches the name in a row of Canvas's table that does not belong to a student.
_CANVAS_SPECIAL_ROWS = re.compile(r"^\s*Points Possible|^Student, Test$")
_MAX_LISTED_NAMES = 20  # maximum number of names listed in one note; the others are only counted
_END_OF_LINE = "End-of-Line Indicator"
_GRADE_COLUMNS = (
    "grade",
    "성적",
    "점수",
    "평점",
)  # titles of Moodle's column for the grade, in English and Korean
_MAXIMUM_COLUMNS = ("maximumgrade", "최고성적", "최대점수", "최고점수")
_IDENTIFIER_COLUMNS = ("identifier", "식별자")
_NAME_COLUMNS = ("fullname", "student", "이름", "성명", "전체이름")
# Titles of columns that contain the number that an LMS assigns to a person, and titles of columns that
# contain other ids.
_NUMBER_COLUMNS: Mapping[str, Sequence[str]] = {"moodle": _IDENTIFIER_COLUMNS, "canvas": ("id",)}
_ID_COLUMNS = (
    *("idnumber", "학번", "id번호", "emailaddress", "email", "이메일주소", "이메일"),
    *("sisuserid", "sisloginid", "orgdefinedid", "username", "사용자이름"),
)


@dataclass(frozen=True)
class Grade:
    """A student's grade for a lesson according to the gradebook.

    Attributes:
        points: the points after the late penalty; None if there is no grade to export (see `reason`).
        max_points: the maximum points of the lesson.
        reason: the reason why there is no grade to export; empty if there is one.
        current: False if the submission in submitted/ has not been graded, so that the feedback page is
            missing or outdated.
    """

    student: str
    points: float | None
    max_points: float
    reason: str = ""
    current: bool = True


@dataclass(frozen=True)
class ExportResult:
    """The files to upload to an LMS, and the facts that the instructor should know before the upload.

    Attributes:
        table: the table of grades.
        feedback: the archive of feedback pages; None if the LMS accepts no pages, or none exist.
        graded: the number of students with points in the table.
        blank: the reason why a student in the table has no points, keyed by student id.
        notes: other remarks for the instructor.
    """

    table: Table
    feedback: bytes | None
    graded: int
    blank: Mapping[str, str]
    notes: Sequence[str]


def export(
    course: Course, system: ExportSystem, lesson: str, fill: Path | None = None, column: str = ""
) -> ExportResult:
    """Export a lesson's grades and feedback pages in an LMS's format.

    Args:
        course: the course directory.
        system: the LMS.
        lesson: the lesson's name.
        fill: a table exported by the LMS, to be filled in; None to make a new table in the same format.
        column: the name of the assignment in Canvas or Brightspace.

    Raises:
        CourseError: if the table has no column for the grade, or the gradebook cannot be opened.
        GradebookBusy: if the gradebook could not be read.
    """
    lms_records = recorded_names(course, lesson)
    with Book(course.directory, course.config) as book:
        people = {
            row["id"]: _person(row, lms_records.get(row["id"], {}), system) for row in class_list.people(book)
        }
        grades = _grades(course, book, lesson, sorted(people))
    table = read_table(fill) if fill else _blank_table(system, lesson, column, people, grades, lms_records)
    writer = _Writer(system, lesson, column, Roster(list(people.values())), grades)
    filled, blank, notes = writer.fill(table)
    labels = {
        **_labels(table, writer),
        **{student: row["label"] for student, row in lms_records.items() if row["system"] == system},
    }
    current = {
        student: label for student, label in labels.items() if student in grades and grades[student].current
    }
    pages = _pack_pages(course, system, lesson, current)
    return ExportResult(filled, pages, len(writer.row_by_student) - len(blank), blank, notes)


def _person(row: Mapping[str, str], record: Mapping[str, str], system: ExportSystem) -> Person:
    """Return a student of the gradebook; include the student's number in the LMS if it is known."""
    number = record.get("key", "") if record.get("system") == system else ""
    if system != "moodle":  # Moodle's number differs between assignments, so a stored number is useless.
        number = number or row["lms_user_id"]
    return Person(
        id=row["id"],
        name=record.get("name", ""),
        first_name=row["first_name"],
        last_name=row["last_name"],
        email=row["email"],
        keys=frozenset({row["lms_user_id"]} - {""}),
        numbers={system: number} if number else {},
    )


def _grades(course: Course, book: Book, lesson: str, students: Sequence[str]) -> dict[str, Grade]:
    """Return each student's grade for the lesson, keyed by student id."""
    submissions = CurrentSubmissions(course, lesson)
    grades: dict[str, Grade] = {}
    for start in range(0, len(students), 50):
        results = book.stored_results([Entry(student, lesson) for student in students[start : start + 50]])
        for student in students[start : start + 50]:
            stored = results.get((student, lesson))
            if stored is None:
                ungraded = student in submissions.students
                reason = _not_graded_reason() if ungraded else _not_handed_in_reason()
                grades[student] = Grade(student, None, 0.0, reason, current=not ungraded)
                continue
            recorded_grades = stored.recorded_grades
            tasks = stored.result.with_gradebook_points(recorded_grades.scores, recorded_grades.waiting).tasks
            reason, newer = "", submissions.is_newer(student, stored)
            if stored.stale:
                reason = _not_graded_reason()
            elif newer:
                reason = _changed_reason()
            elif any(task.outcome == "rejected" and task.auto is None for task in tasks):
                reason = say(en="It could not be read.", ko="읽을 수 없는 제출물입니다.")
            elif recorded_grades.waiting:
                reason = say(
                    en="It needs manual grading in formgrader.", ko="사람이 채점해야 합니다(formgrader)."
                )
            points = None if reason else max(0.0, recorded_grades.score - recorded_grades.penalty)
            current = not (stored.stale or newer)
            grades[student] = Grade(student, points, recorded_grades.max_score, reason, current)
    return grades


def _join_names(names: Sequence[str]) -> str:
    """Join names on one line; if there are many, list only the first few and say how many more there are."""
    listed, rest = ", ".join(map(visible, names[:_MAX_LISTED_NAMES])), len(names) - _MAX_LISTED_NAMES
    return listed if rest <= 0 else say(en=f"{listed} and {rest} more", ko=f"{listed} 외 {rest}명")


def _not_graded_reason() -> str:
    return say(en="It is not graded yet: autograder grade.", ko="아직 채점하지 않았습니다: autograder grade.")


def _changed_reason() -> str:
    return say(
        en="The submission, its tests or the grader has changed since it was graded: autograder grade.",
        ko="채점한 뒤에 제출물이나 테스트, 채점기가 바뀌었습니다: autograder grade.",
    )


def _not_handed_in_reason() -> str:
    return say(en="Nothing was handed in.", ko="제출하지 않았습니다.")


@dataclass(frozen=True)
class _Claim:
    """A table row's claim to a student's grade, or the reason why the row gets no grade.

    Attributes:
        label: the name or id that the row shows.
        student: the student's id; empty if the row gets no grade.
        strength: how reliably the row identifies the student: by the LMS's own number (3), by another id (2),
            or only by name (1).
        reason: the reason why the row gets no grade; empty if it gets a grade, and for rows without a
            student.
        unknown_id: a note for a row whose name is in the gradebook but whose id is not; empty for other rows.
            The note contains the row's label and id, and the ids of the students with this name.
        is_strange: True if neither an id nor the name of the row is in the gradebook.
    """

    label: str
    student: str = ""
    strength: int = 0
    reason: str = ""
    unknown_id: str = ""
    is_strange: bool = False


class _Writer:
    """A writer of grades into an LMS's table.

    A grade goes into the row that has the student's id. A name is used only if the row has no id.
    """

    def __init__(
        self, system: ExportSystem, lesson: str, column: str, roster: Roster, grades: Mapping[str, Grade]
    ) -> None:
        self._system, self._lesson, self._column = system, lesson, column
        self._roster, self._grades = roster, grades
        self.row_by_student: dict[str, int] = {}  # the index of each student's row in the table

    def fill(self, table: Table) -> tuple[Table, dict[str, str], list[str]]:
        """Return the filled table, the reason for each student's blank grade, and notes for the user."""
        target = self._target(table)
        blank: dict[str, str] = {}
        claims = [self._claim(table, row) for row in table.rows]
        self.row_by_student, refusal_notes = _resolve_claims(claims)
        rows = [list(row) for row in table.rows]
        for student, number in self.row_by_student.items():
            grade = self._grades[student]
            if grade.points is None:
                blank[student] = grade.reason
            else:
                rows[number][target] = f"{grade.points:.6g}"
        notes = [claim.reason for claim in claims if claim.reason] + refusal_notes
        if unknown_rows := [claim.unknown_id for claim in claims if claim.unknown_id]:
            notes.append(_unknown_ids_note("; ".join(unknown_rows)))
        missing_students = [
            student
            for student, grade in self._grades.items()
            if grade.points is not None and student not in self.row_by_student
        ]
        if missing_students:
            names = _join_names(missing_students)
            notes.append(
                say(en=f"Graded, but not in the table: {names}.", ko=f"채점했지만 표에 없습니다: {names}.")
            )
        if strange_labels := [claim.label for claim in claims if claim.is_strange]:
            names = _join_names(strange_labels)
            notes.append(
                say(
                    en=f"In the table, but not in the gradebook, so left as they were: {names}.",
                    ko=f"표에는 있지만 성적부에 없어 그대로 두었습니다: {names}.",
                )
            )
        notes.extend(self._maximum_warnings(table))
        return Table(table.head, rows, table.separator, table.bom), blank, notes

    def _target(self, table: Table) -> int:
        """Return the index of the column for the grade.

        Raises:
            CourseError: if no column matches, or if several columns match.
        """
        if self._system == "moodle":
            column = table.column(*_GRADE_COLUMNS)
            if column is None or table.column(*_IDENTIFIER_COLUMNS) is None:
                raise CourseError(
                    say(
                        en="This is not a Moodle grading worksheet: it has no Identifier or no Grade column.",
                        ko="Moodle의 채점 워크시트가 아닙니다. 식별자 열이나 성적 열이 없습니다.",
                    )
                )
            return column
        titles = {index: title for index, title in enumerate(table.head) if self._is_item(title)}
        matches = [index for index, title in titles.items() if self._fits(title)]
        if len(matches) != 1:
            choices = "; ".join(titles.values()) or "-"
            raise CourseError(
                say(
                    en=f"Which column is lesson {self._lesson}? Name it with --column, one of: {choices}.",
                    ko=f"{self._lesson} 수업은 어느 열인가요? --column으로 지정하세요: {choices}.",
                )
            )
        return matches[0]

    def _is_item(self, title: str) -> bool:
        """Return whether a column with this title contains the grades of an assignment."""
        if self._system == "brightspace":
            return "Points Grade" in title
        return bool(re.search(r"\(\d+\)$", title)) or title == (self._column or self._lesson)

    def _fits(self, title: str) -> bool:
        name = re.sub(r" Points Grade.*$| \(\d+\)$", "", title)
        if self._column:
            return self._column in (name, title)
        number = self._lesson[:2]
        if name == self._lesson or not number.isdecimal():
            return name == self._lesson
        return bool(re.match(rf"(?:lesson|단원|수업)?\s*0?{int(number)}\b", name, re.IGNORECASE))

    def _claim(self, table: Table, row: Sequence[str]) -> _Claim:
        """Return a row's claim to a grade, based on the row's ids or, if the row has no ids, on its name."""

        def cells(names: Sequence[str]) -> list[str]:
            columns = (table.column(name) for name in names)
            return [row[index].strip() for index in columns if index is not None and row[index].strip()]

        numbers = cells(_NUMBER_COLUMNS.get(self._system, ()))
        ids = cells(_ID_COLUMNS)
        name = " ".join(cells(_NAME_COLUMNS)[:1]) or " ".join([*cells(("firstname",)), *cells(("lastname",))])
        label = name or next(iter([*ids, *numbers]), "")
        by_number = self._roster.with_number(numbers, self._system)
        by_id = self._roster.with_id(ids or (numbers if self._system == "canvas" else ()))
        people_with_name = [self._roster.people[index] for index in sorted(self._roster.with_name(name))]
        if matches := by_number | by_id:
            (person, *other_people) = [self._roster.people[index] for index in sorted(matches)]
            if other_people or (numbers and person.contradicts(self._system, numbers)):
                people = " / ".join(sorted(candidate.id for candidate in (person, *other_people)))
                return _Claim(label, reason=_contradiction_note(visible(label), people))
            if not by_number and people_with_name and person not in people_with_name:
                people = " / ".join([person.id, *(candidate.id for candidate in people_with_name)])
                return _Claim(label, reason=_conflicting_name_note(visible(label), people))
            return _Claim(label, person.id, 3 if by_number else 2)
        if not people_with_name:
            return _Claim(label, is_strange=bool(label) and not _CANVAS_SPECIAL_ROWS.search(name))
        people = " / ".join(person.id for person in people_with_name)
        if numbers or ids:
            row_id = visible((numbers + ids)[0])
            return _Claim(label, unknown_id=f"{visible(label)} ({row_id}) = {people}?")
        if len(people_with_name) > 1:
            return _Claim(label, reason=_ambiguous_name_note(visible(label), people))
        return _Claim(label, people_with_name[0].id, 1)

    def _maximum_warnings(self, table: Table) -> Iterator[str]:
        """Yield a warning for each maximum in Moodle's worksheet that differs from the lesson's maximum.

        Moodle skips grades above its own maximum without a message.
        """
        points = max((grade.max_points for grade in self._grades.values()), default=0.0)
        column = table.column(*_MAXIMUM_COLUMNS) if self._system == "moodle" else None
        maxima = (
            {row[column].strip().replace(",", ".") for row in table.rows if row[column].strip()}
            if column is not None
            else set()
        )
        for maximum in maxima:
            if points and re.fullmatch(r"\d+(\.\d+)?", maximum) and float(maximum) != points:
                yield say(
                    en=f"The lesson has {points:g} points, but Moodle's assignment has {float(maximum):g}: "
                    f"set its maximum to {points:g}.",
                    ko=f"수업은 {points:g}점, Moodle 과제는 {float(maximum):g}점입니다. "
                    f"과제의 최고 점수를 {points:g}점으로 바꾸세요.",
                )


def _resolve_claims(claims: Sequence[_Claim]) -> tuple[dict[str, int], list[str]]:
    """Return the index of each student's row, and a note for each row with an unsuccessful claim.

    If several rows claim a student's grade, the row with the strongest claim gets it. If there is no single
    strongest claim, no row gets the grade.
    """
    by_student: dict[str, list[int]] = {}
    for number, claim in enumerate(claims):
        if claim.student:
            by_student.setdefault(claim.student, []).append(number)
    row_by_student: dict[str, int] = {}
    notes: list[str] = []
    for student, numbers in by_student.items():
        max_strength = max(claims[number].strength for number in numbers)
        best = [number for number in numbers if claims[number].strength == max_strength]
        if len(best) == 1 and (max_strength > 1 or len(numbers) == 1):
            row_by_student[student] = best[0]
        losing_rows = [number for number in numbers if number != row_by_student.get(student)]
        notes += [
            _duplicate_claim_note(visible(claims[number].label), number + 2, student)
            for number in losing_rows
        ]
    return row_by_student, notes


def _contradiction_note(row: str, people: str) -> str:
    """Return the note about a row whose ids belong to different people."""
    return say(
        en=f"The row of {row} has ids that contradict each other ({people}), so it was left as it was.",
        ko=f"{row}의 행은 id들이 서로 어긋나서({people}) 그대로 두었습니다.",
    )


def _conflicting_name_note(row: str, people: str) -> str:
    """Return the note about a row that has the id of one student and the name of another."""
    return say(
        en=f"The row of {row} has the name of one student and an id, perhaps an email address, of another "
        f"({people}), so it was left as it was.",
        ko=f"{row}의 행에 있는 이름과 id(이메일 주소일 수 있음)가 서로 다른 학생의 것이어서({people}) "
        "그대로 두었습니다.",
    )


def _ambiguous_name_note(row: str, people: str) -> str:
    """Return the note about a row whose name belongs to several students."""
    return say(
        en=f"The row of {row} could be any of {people}, so it was left as it was.",
        ko=f"{row}의 행은 {people} 가운데 누구인지 알 수 없어 그대로 두었습니다.",
    )


def _unknown_ids_note(rows: str) -> str:
    """Return the note about rows that have students' names but ids that are not in the gradebook."""
    return say(
        en="The gradebook does not know the ids of these rows, and a name alone does not decide, so they "
        f"were left as they were: {rows}. For those that are right, write a table with the columns id and "
        "email (or lms_user_id), run `autograder enroll TABLE.csv`, and export again.",
        ko=f"성적부에 없는 id가 있는 행이고 이름만으로는 정하지 않으므로 그대로 두었습니다: {rows}. "
        "맞는 행이면 id 열과 email 열(또는 lms_user_id 열)이 있는 표를 만들어 "
        "`autograder enroll 표.csv`를 실행한 뒤 다시 내보내세요.",
    )


def _duplicate_claim_note(row: str, number: int, student: str) -> str:
    """Return the note about one of several rows that claim the same student's grade."""
    return say(
        en=f"Several rows could be {student}'s. Line {number} of the table, {row}, was left as it was.",
        ko=f"{student}의 것일 수 있는 행이 여럿입니다. 표의 {number}번째 줄({row})은 그대로 두었습니다.",
    )


def _blank_table(
    system: ExportSystem,
    lesson: str,
    column: str,
    people: Mapping[str, Person],
    grades: Mapping[str, Grade],
    lms_records: Mapping[str, Mapping[str, str]],
) -> Table:
    """Return a table without grades in the format of the LMS's own export.

    Raises:
        CourseError: if Moodle's numbers for the students are unknown.
    """
    students = sorted(people)
    if system == "moodle":
        head = ["Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)"]
        numbered_students = [
            student for student in students if lms_records.get(student, {}).get("system") == "moodle"
        ]
        if not numbered_students:
            raise CourseError(
                say(
                    en=f"Moodle's numbers for {lesson} are not known, since nothing was collected from "
                    "Moodle. Download the grading worksheet and add: --fill WORKSHEET.csv",
                    ko=f"{lesson} 수업은 Moodle에서 옮긴 것이 없어 참가자 번호를 모릅니다. "
                    "채점 워크시트를 내려받아 --fill 워크시트.csv로 지정하세요.",
                )
            )
        rows = [
            [
                f"Participant {lms_records[student]['key']}",
                lms_records[student]["name"] or _full_name(people[student]),
                people[student].email,
                "",
                f"{grades[student].max_points:g}",
                "",
            ]
            for student in numbered_students
        ]
        return Table(head, rows)
    if system == "canvas":
        head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column or lesson]
        ids = {
            student: lms_records[student]["key"]
            for student in students
            if lms_records.get(student, {}).get("system") == "canvas"
        }
        logins = {student: "" if student in ids else student for student in students}
        rows = [[_full_name(people[s]), ids.get(s, ""), logins[s], logins[s], "", ""] for s in students]
        return Table(head, rows)
    head = ["OrgDefinedId", f"{column or lesson} Points Grade", _END_OF_LINE]
    return Table(head, [[student, "", "#"] for student in students])


def _full_name(person: Person) -> str:
    return f"{person.first_name} {person.last_name}".strip() or person.name


def _labels(table: Table, writer: _Writer) -> dict[str, str]:
    """Return the names of the students' feedback folders in Moodle, made from the worksheet's rows."""
    identifier, name = table.column(*_IDENTIFIER_COLUMNS), table.column(*_NAME_COLUMNS)
    if identifier is None:
        return {}
    labels = {}
    for student, index in writer.row_by_student.items():
        number = re.search(r"\d+$", table.rows[index][identifier].strip())
        if number:
            display_name = (
                _NOT_IN_FOLDER_NAMES.sub("", table.rows[index][name].replace("_", " ")).strip()
                if name is not None
                else ""
            )
            labels[student] = f"{display_name or 'Participant'}_{number[0]}_assignsubmission_file"
    return labels


def _pack_pages(course: Course, system: ExportSystem, lesson: str, labels: Mapping[str, str]) -> bytes | None:
    """Return the feedback pages as a zip in the LMS's layout; None if the LMS accepts none, or none exist."""
    layouts: dict[str, Callable[[str, str], str]] = {
        "moodle": lambda label, name: f"{label}/{name}",
        "canvas": lambda label, name: f"{label}_{name}",
    }
    buffer, count = io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, label in sorted(labels.items()):
            for page in _page_paths(course, student, lesson) if system in layouts else ():
                # A ZipInfo has a constant default timestamp, so the same pages always give the same archive.
                name = zipfile.ZipInfo(layouts[system](label, page.name))
                archive.writestr(name, page.read_bytes(), zipfile.ZIP_DEFLATED)
                count += 1
    return buffer.getvalue() if count else None


def _page_paths(course: Course, student: str, lesson: str) -> list[Path]:
    """Return the paths of a student's feedback pages, one for each notebook of the assignment."""
    folder = course.folder("feedback", student, lesson)
    names, source = [lesson], course.directory.source_directory
    if is_plain(course.root, lesson, source):
        names = [path.stem for path in notebooks(course.root / source / lesson)]
    pages = [folder / f"{name}.html" for name in names]
    return [page for page in pages if page.is_file() and not page.is_symlink()]
