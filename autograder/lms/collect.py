"""What a system exports, into submitted/STUDENT/LESSON/, with a line for each file.

The lesson is what most notebooks of an assignment are of, by their graded cells; whoever handed in another
has handed in that for it, and `autograder grade` says so. So it does of what cannot be read, since the
student's folder is there all the same. The newest attempt counts (placing.py).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.course.assignment import built_lessons, read_notebook
from autograder.course.cells import grade_id
from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.grading.exported import SYSTEMS, Handed, System, read_path, system_of
from autograder.intake.files import names_of
from autograder.intake.parse import parse
from autograder.intake.submission import Refused
from autograder.lms.archive import Archive, Member, Unreadable, opened
from autograder.lms.attempts import OUTCOMES, Attempt, File, Line, attempts_of, with_receipts
from autograder.lms.placing import Places, remember
from autograder.lms.roster import Ambiguous, Person, Roster, student_id
from secant.language import say
from secant.visible import visible

_INDEX = "index.html"  # Brightspace's own list of what it exports


@dataclass(frozen=True)
class Collected:
    """What became of the archives.

    Attributes:
        lines: one for each file, and for each archive that could not be read to its end.
        people: whose submissions were found, and who is in the roster.
    """

    lines: Sequence[Line]
    people: Sequence[Person]

    @property
    def placed(self) -> Sequence[tuple[str, str]]:
        """The students and lessons of which something new lies in submitted/."""
        return sorted({(line.student, line.lesson) for line in self.lines if line.outcome == "collected"})

    @property
    def counts(self) -> Mapping[str, int]:
        """How many files had which outcome."""
        found = Counter(line.outcome for line in self.lines)
        return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}


def collect(
    course: Course,
    downloads: Iterable[Path],
    roster: Roster | None = None,
    lesson: str = "",
    system: System | None = None,
) -> Collected:
    """Put what archives hold where `autograder grade` looks for it.

    Args:
        course: the course directory.
        downloads: the archives, as downloaded.
        roster: who is who; without it, ids are made of what the system's names say.
        lesson: the lesson that all is of, whatever the notebooks say.
        system: where the archives come from, if their names do not show it.

    Raises:
        CourseError: an archive does not exist, or no lesson is built.
    """
    known = _graded_cells(course)
    lines: list[Line] = []
    people = {person.id: person for person in (roster.people if roster else ())}
    for download in downloads:
        try:
            with opened(download) as archive:
                _Collector(course, known, roster, lesson, people, lines, download.name).take(archive, system)
        except Unreadable as error:
            lines.append(Line(download.name, "", "could not be read", message=str(error)))
    return Collected(lines, list(people.values()))


def system_named(name: str) -> System | None:
    """The system that a word means; None for no word.

    Raises:
        CourseError: it means none.
    """
    for system in SYSTEMS:
        if name == system:
            return system
    if name:
        raise CourseError(
            say(
                en=f"--from {name}: choose one of {', '.join(SYSTEMS)}.",
                ko=f"--from {name}: {', '.join(SYSTEMS)} 가운데 하나여야 합니다.",
            )
        )
    return None


def _graded_cells(course: Course) -> dict[str, frozenset[str]]:
    """The names of each built lesson's graded cells."""
    source = course.directory.source_directory
    lessons = built_lessons(course.root, source)
    if not lessons:
        raise CourseError(
            say(
                en="No lesson is built: run `autograder build`.",
                ko="빌드한 수업이 없습니다. `autograder build`를 실행하세요.",
            )
        )
    notebooks = {name: read_notebook(course.root / source / name / f"{name}.ipynb") for name in lessons}
    return {name: frozenset(filter(None, map(grade_id, book.cells))) for name, book in notebooks.items()}


def lesson_of(data: bytes, known: Mapping[str, frozenset[str]]) -> str:
    """The lesson that a notebook has most graded cells of; empty if it has none, or is none."""
    try:
        found = {cell.grade_id for cell in parse(data).cells}
    except Refused:
        return ""
    best = max(known, key=lambda name: len(known[name] & found))
    return best if known[best] & found else ""


@dataclass
class _Collector:
    """One archive on its way into submitted/."""

    course: Course
    known: Mapping[str, frozenset[str]]
    roster: Roster | None
    asked: str
    people: dict[str, Person]
    lines: list[Line]
    name: str

    def take(self, archive: Archive, system: System | None) -> None:
        """Collect what the archive holds."""
        members, cut = _members(archive)
        system = system or system_of(member.path for member in members if not member.ignored | member.stray)
        files = [file for member in members if (file := self._file(member, system)) is not None]
        if cut:
            self.lines.append(Line(self.name, "", "could not be read", message=cut))
        files = list(self._owned(with_receipts(archive, files)))
        for file in files:
            self._look(archive, file)
        attempts = attempts_of(files)
        self._choose_lessons(attempts)
        places = Places(self.course, archive)
        by_place: dict[tuple[str, str], list[Attempt]] = {}
        for one in attempts:
            by_place.setdefault((one.lesson, one.student), []).append(one)
        for (lesson, _), these in sorted(by_place.items()):
            if lesson:
                places.write(these)
        remember(self.course, [one for one in attempts if one.lesson])

    def _file(self, member: Member, system: System | None) -> File | None:
        """The file that an entry is; None where it is nobody's, which is said."""
        line = Line(self.name, visible(member.path)[:300])
        self.lines.append(line)
        if member.ignored or (system == "brightspace" and PurePosixPath(member.path).name == _INDEX):
            line.say(
                "ignored", say(en="The system made this file, not a student.", ko="시스템이 만든 파일입니다.")
            )
            return None
        if member.stray:
            line.say("could not be read", member.refused)
            return None
        handed = read_path(member.path, system) if system else None
        if handed is None:
            line.say(
                "whose?",
                say(
                    en="Moodle, Canvas, Brightspace and Blackboard do not give files such names. "
                    "Collect the archive as you downloaded it.",
                    ko="Moodle, Canvas, Brightspace, Blackboard가 붙이는 이름이 아닙니다. "
                    "내려받은 압축 파일 그대로 지정하세요.",
                ),
            )
            return None
        line.file = visible(handed.file)[:100]
        return File(line, member, handed, refused=member.refused)

    def _owned(self, files: Sequence[File]) -> Iterator[File]:
        """Say whose each file is; yield those of whom that is known."""
        told: dict[tuple[str, str], set[str]] = {}
        found: dict[str, Person] = {}
        for file in files:
            try:
                person = self._owner(file.handed)
            except Ambiguous as error:
                file.line.say("whose?", str(error))
                continue
            found.setdefault(person.id, person)
            file.line.student = person.id
            told.setdefault(self._one(file), set()).add(self._told_by(file.handed))
        for file in files:
            if not file.line.student:
                continue
            if len(told[self._one(file)]) == 1:
                self.people.setdefault(file.line.student, found[file.line.student])
                yield file
                continue
            several = ", ".join(sorted(told[self._one(file)]))
            student, system = visible(file.line.student), file.handed.system
            file.line.say("whose?", _several(student, visible(several), system))
            file.line.student = ""

    def _one(self, file: File) -> tuple[str, str]:
        """Of whom the system must have one id: of a student in an assignment."""
        by_name = self.roster is None and file.handed.system == "blackboard"
        return file.line.student, "" if by_name else file.handed.group

    def _told_by(self, handed: Handed) -> str:
        """The system's id. Of Blackboard's "kim_minji" the names alone show "minji", after "Homework_kim"."""
        by_name = self.roster is None and handed.system == "blackboard"
        return f"{handed.group}_{handed.keys[-1]}" if by_name else handed.keys[-1]

    def _owner(self, handed: Handed) -> Person:
        """The student.

        Raises:
            Ambiguous: it is not known who; the text says why, and what to do.
        """
        shown = visible(handed.name or handed.keys[0])
        if self.roster is not None:
            return _in_roster(self.roster, handed, shown)
        own = _own_id(handed)
        if not own:
            raise Ambiguous(
                say(
                    en=f"It is not clear who {shown} is: add --roster CSV, with ids and names.",
                    ko=f"{shown}: 누구인지 알 수 없습니다. 명단을 --roster CSV로 지정하세요.",
                )
            )
        is_canvas = handed.system == "canvas"
        name = "" if is_canvas else handed.name  # which has no spaces there
        return Person(own, name, last_name=name, lms_id=handed.keys[-1] if is_canvas else "")

    def _look(self, archive: Archive, file: File) -> None:
        """Read a file once, to see that it can be read and what it is of."""
        if not file.handed.file:
            return
        try:
            data = archive.read(file.member)
        except Unreadable as error:
            file.refused = str(error)
            return
        if ".ipynb" in file.handed.file.casefold():
            file.lesson = lesson_of(data, self.known)

    def _choose_lessons(self, attempts: Sequence[Attempt]) -> None:
        """Say of which lesson each attempt is: the one of most notebooks of its assignment."""
        groups: dict[str, list[Attempt]] = {}
        for one in attempts:
            groups.setdefault(one.handed.group, []).append(one)
        for these in groups.values():
            lesson = self.asked or self._most([file for one in these for file in one.files])
            for one in these:
                one.lesson = lesson
                for file in one.files:
                    file.line.lesson = lesson
                    if not lesson:
                        which = say(
                            en="No notebook shows which lesson this is: name it with --lesson.",
                            ko="어느 수업인지 알 수 있는 노트북이 없습니다. --lesson으로 알려 주세요.",
                        )
                        file.line.say("which lesson?", f"{file.refused} {which}".strip())

    def _most(self, files: Sequence[File]) -> str:
        found = Counter(file.lesson for file in files if file.lesson)
        found = found or Counter(
            lesson
            for file in files
            for lesson in self.known
            if PurePosixPath(file.handed.file).name in names_of(lesson)
        )
        best = found.most_common(2)
        return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def _members(archive: Archive) -> tuple[list[Member], str]:
    """The files of an archive, and why there are no more. Of two with one name the last counts."""
    found: list[Member] = []
    cut = ""
    try:
        for member in archive.members():
            found.append(member)
    except Unreadable as error:
        cut = str(error)
    if not found and not cut:
        cut = say(en="There is no file in this archive.", ko="압축 파일에 아무 파일도 없습니다.")
    last = {member.path: member.number for member in found}
    twice = say(
        en="Two entries have this name; the last one counts.",
        ko="같은 이름이 두 번 있어서 마지막 것만 씁니다.",
    )
    return [m if last[m.path] == m.number else replace(m, refused=m.refused or twice) for m in found], cut


def _in_roster(roster: Roster, handed: Handed, shown: str) -> Person:
    """Whom a roster knows by the system's ids and name.

    Raises:
        Ambiguous: nobody, or several.
    """
    try:
        person = roster.find(handed.keys, handed.name) or _after_group(roster, handed)
    except Ambiguous as error:
        fix = (
            _worksheet(handed.keys[-1])
            if handed.system == "moodle"
            else say(
                en="Add a column with this system's ids to the roster.",
                ko="명단에 이 시스템의 id 열을 넣으세요.",
            )
        )
        raise Ambiguous(
            say(
                en=f"{shown} could be any of these in the roster: {error}. {fix}",
                ko=f"{shown}: 명단에서 {error} 가운데 누구인지 알 수 없습니다. {fix}",
            )
        ) from None
    if person is None:
        raise Ambiguous(
            say(
                en=f"{shown} is not in the roster. Add a row, then collect again.",
                ko=f"{shown}: 명단에 없습니다. 명단에 추가한 뒤 다시 옮기세요.",
            )
        )
    return person


def _after_group(roster: Roster, handed: Handed) -> Person | None:
    """Whom Moodle's name means behind a group's, as in "Group A-Kim Minji"; a group may have dashes, too.

    One Latin word alone is no name here: the end of "Kim Min-Ann" is not Ann.

    Raises:
        Ambiguous: several.
    """
    parts = handed.name.split("-") if handed.system == "moodle" else []
    names = ["-".join(parts[at:]).strip() for at in range(1, len(parts))]
    people = {
        person.id: person
        for name in names
        if (" " in name or not name.isascii()) and (person := roster.find((), name)) is not None
    }
    if len(people) > 1:
        raise Ambiguous(" / ".join(sorted(people)))
    return next(iter(people.values()), None)


def _worksheet(numbers: str) -> str:
    """What tells two students of one name apart on Moodle."""
    return say(
        en=f"Moodle's number in the folder's name is {numbers}: pass this assignment's grading worksheet as "
        "--roster, or copy its Identifier column into a column `moodle` of the roster.",
        ko=f"폴더 이름에 있는 Moodle 번호는 {numbers}입니다. 이 과제의 채점 워크시트를 --roster로 "
        "지정하거나, 워크시트의 식별자를 명단의 `moodle` 열에 옮기세요.",
    )


def _several(student: str, ids: str, system: System) -> str:
    """What is said of several in an archive who would be one student."""
    if system == "moodle":
        fix = _worksheet(ids)
        return say(
            en=f"Several people in the archive would get the id {student}. {fix}",
            ko=f"압축 파일의 여러 사람이 같은 학번이 됩니다: {student}. {fix}",
        )
    return say(
        en=f"Several people in the archive would get the id {student}: {ids}. "
        "Add --roster CSV with these ids.",
        ko=f"압축 파일의 여러 사람이 같은 학번({student})이 됩니다: {ids}. "
        "이 id가 있는 명단을 --roster CSV로 지정하세요.",
    )


def _own_id(handed: Handed) -> str:
    """The id that is made of what the system's name says; empty if it says nothing that stays.

    Moodle's number is another in each assignment, and so is Canvas's of somebody anonymous.
    """
    if handed.system in ("moodle", "brightspace"):
        return student_id(handed.name)
    return student_id(handed.keys[-1]) if handed.system == "blackboard" or handed.keys[-1].isdecimal() else ""
