"""Collect submissions from LMS exports into submitted/STUDENT/LESSON/, and report each file's outcome.

A file is assigned to a student only if the LMS's own part of its path, or the roster, identifies the student
(`_Collector._assign_owners`). An LMS assignment belongs to the lesson whose graded cells the students'
notebooks contain. Each student has one vote; if the votes differ, the user has to name the lesson. Unreadable
files are also placed in submitted/, so that `autograder grade` reports them. The newest attempt counts
(placing.py).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.course.assignment import built_lessons, read_notebook
from autograder.course.cells import grade_id
from autograder.course.errors import CourseError
from autograder.course.plain import instructors_notebooks, plain_assignments
from autograder.course.settings import Course
from autograder.intake.files import MAX_FILE_BYTES, is_named_after, names_of
from autograder.intake.kinds import kind_of
from autograder.intake.parse import parse
from autograder.intake.submission import Refused
from autograder.lms.archive import Archive, Member, Unreadable, open_archive
from autograder.lms.attempts import OUTCOMES, Attempt, File, Line, attempts_of, is_notebook, with_receipts
from autograder.lms.filenames import SYSTEMS, PathReading, System, readings, system_of
from autograder.lms.placing import Places, record_names, recorded_names
from autograder.lms.roster import Ambiguous, Person, Roster, name_forms, student_id
from secant.language import counted, say
from secant.visible import visible

_INDEX = "index.html"  # name of the index of exported files that Brightspace adds to an archive
_PERMANENT_ID_SYSTEMS = (
    "canvas",
    "blackboard",
)  # LMSs in which a person's id stays the same from lesson to lesson
_FOLDER = "submitted/STUDENT/LESSON/"
_MONTH, _DAY = "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12][0-9]|3[01])"
_CLOCK = "(?:[01]?[0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?"
_DATE = re.compile(rf"20[0-9]{{2}}_{_MONTH}_{_DAY}(?![0-9])|20[0-9]{{2}}{_MONTH}{_DAY}_{_CLOCK}_")


@dataclass(frozen=True)
class CollectResult:
    """The result of collecting archives.

    Attributes:
        lines: one line for each file, and one for each archive that could not be read completely.
        people: the students with submissions in the archives, and everyone in the roster.
    """

    lines: Sequence[Line]
    people: Sequence[Person]

    @property
    def collected_entries(self) -> Sequence[tuple[str, str]]:
        """The pairs of student and lesson that have a new submission in submitted/."""
        return sorted({(line.student, line.lesson) for line in self.lines if line.outcome == "collected"})

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of files with each outcome."""
        counter = Counter(line.outcome for line in self.lines)
        return {outcome: counter[outcome] for outcome in OUTCOMES if counter[outcome]}


def collect(
    course: Course,
    downloads: Iterable[Path],
    roster: Roster | None = None,
    lesson: str = "",
    system: System | None = None,
) -> CollectResult:
    """Collect the submissions in LMS archives into submitted/, where `autograder grade` looks for them.

    Args:
        course: the course directory.
        downloads: the archives, as downloaded.
        roster: the students of the course; without a roster, ids are made from the names in the archives.
        lesson: the lesson that all submissions belong to, even if the notebooks match another one.
        system: the LMS that made the archives, if their file names do not show it.

    Raises:
        CourseError: if an archive does not exist, or no lesson is built.
    """
    cells_by_lesson = _graded_cells(course)
    lines: list[Line] = []
    people = {person.id: person for person in (roster.people if roster else ())}
    for download in downloads:
        try:
            with open_archive(download) as archive:
                _Collector(
                    course, cells_by_lesson, roster, lesson, people, lines, download.name
                ).collect_archive(archive, system)
        except Unreadable as error:
            lines.append(Line(download.name, "", "could not be read", message=str(error)))
    return CollectResult(lines, list(people.values()))


def system_named(name: str) -> System | None:
    """Return the LMS with this name; None for an empty name.

    Raises:
        CourseError: if the name is not that of a supported LMS.
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
    """Return the names of the graded cells, keyed by the name of the built lesson or plain assignment.

    Raises:
        CourseError: if there is neither a built lesson nor a plain assignment.
    """
    source = course.directory.source_directory
    lessons, plain = built_lessons(course.root, source), plain_assignments(course.root, source)
    lessons = [name for name in lessons if name not in plain]
    if not lessons and not plain:
        raise CourseError(
            say(
                en="No lesson is built: run `autograder build`.",
                ko="빌드한 수업이 없습니다. `autograder build`를 실행하세요.",
            )
        )
    notebooks = {name: read_notebook(course.root / source / name / f"{name}.ipynb") for name in lessons}
    sources = {name: [book] for name, book in notebooks.items()}
    sources |= {name: [*instructors_notebooks(course.root, name, source).values()] for name in plain}
    return {
        name: frozenset(grade_id(cell) for book in books for cell in book.cells if grade_id(cell))
        for name, books in sources.items()
    }


def lesson_of(data: bytes, cells_by_lesson: Mapping[str, frozenset[str]]) -> str:
    """Return the lesson that shares the most graded cells with a notebook; empty if no lesson shares any.

    Raises:
        Refused: if the notebook cannot be read.
    """
    cells = {cell.grade_id for cell in parse(data).cells}
    best = max(cells_by_lesson, key=lambda name: len(cells_by_lesson[name] & cells))
    return best if cells_by_lesson[best] & cells else ""


@dataclass(frozen=True)
class _Collector:
    """A collector that places one archive's files in submitted/.

    Attributes:
        cells_by_lesson: the names of the graded cells, keyed by lesson.
        named_lesson: the lesson that the user named; empty if the notebooks determine the lesson.
        people: the students found so far, keyed by id; shared by all archives.
        lines: the lines of the report; shared by all archives.
        name: the archive's file name.
    """

    course: Course
    cells_by_lesson: Mapping[str, frozenset[str]]
    roster: Roster | None
    named_lesson: str
    people: dict[str, Person]
    lines: list[Line]
    name: str

    def collect_archive(self, archive: Archive, system: System | None) -> None:
        """Collect the files of an archive."""
        members, problem = _members(archive)
        system = system or system_of(member.path for member in members if not member.ignored | member.stray)
        files = [file for member in members if (file := self._file(member, system)) is not None]
        if problem:
            self.lines.append(Line(self.name, "", "could not be read", message=problem))
        if self.roster is None:
            _settle_institution_ids(files)
        clock = self.course.clock
        owned_files = list(self._assign_owners(with_receipts(archive, files)))
        attempts = attempts_of(owned_files, clock.display_zone if clock.is_set else None)
        for file in _in_fair_order(attempts):
            self._inspect(archive, file)
        self._choose_lessons(attempts)
        attempts = [attempt for attempt in attempts if attempt.lesson and not self._has_other_owner(attempt)]
        places = Places(self.course, archive)
        by_target: dict[tuple[str, str], list[Attempt]] = {}
        for attempt in attempts:
            by_target.setdefault((attempt.lesson, attempt.student), []).append(attempt)
        for _, student_attempts in sorted(by_target.items()):
            places.write(student_attempts)
        record_names(self.course, attempts)

    def _file(self, member: Member, system: System | None) -> File | None:
        """Return an entry as a `File`, or report the entry and return None if no student can own it."""
        line = Line(self.name, visible(member.path)[:300])
        self.lines.append(line)
        if member.ignored or (system == "brightspace" and PurePosixPath(member.path).name == _INDEX):
            line.set_outcome(
                "ignored", say(en="The system made this file, not a student.", ko="시스템이 만든 파일입니다.")
            )
            return None
        if member.stray:
            line.set_outcome("could not be read", member.refusal)
            return None
        path_readings = readings(member.path, system) if system else []
        path_readings = [
            path_reading for path_reading in path_readings if not self._is_lesson_number(path_reading)
        ]
        if not path_readings:
            line.set_outcome(
                "whose?",
                say(
                    en="Moodle, Canvas, Brightspace and Blackboard do not give files such names. "
                    "Collect the archive as you downloaded it, or say with --from which system it comes "
                    f"from. If it comes from another, put each student's notebook into {_FOLDER} yourself.",
                    ko="Moodle, Canvas, Brightspace, Blackboard가 붙이는 이름이 아닙니다. "
                    "내려받은 압축 파일 그대로 지정하거나 어느 시스템의 것인지 --from으로 알려 주세요. "
                    "다른 시스템에서 받은 것이라면 학생마다 노트북을 "
                    f"{_FOLDER}에 직접 넣으세요.",
                ),
            )
            return None
        line.file = visible(path_readings[0].file)[:100]
        return File(line, member, path_readings, refusal=member.refusal)

    def _is_lesson_number(self, reading: PathReading) -> bool:
        """Return whether the supposed Canvas number of a file is really the number of a lesson.

        In `..._71_8_10_build.ipynb`, for example, 10 may be the number of lesson 10_build.
        """
        return bool(reading.number) and any(
            is_named_after(lesson, f"{reading.number}_{reading.file}") for lesson in self.cells_by_lesson
        )

    def _assign_owners(self, files: Sequence[File]) -> Iterator[File]:
        """Determine the owner of each file; yield the files with a known owner, and report the others."""
        ids_by_student: dict[tuple[str, str], set[str]] = {}
        owners: dict[str, Person] = {}
        for file in files:
            try:
                file.reading, person = self._owner(file)
            except Ambiguous as error:
                file.line.set_outcome("whose?", str(error))
                continue
            file.line.file = visible(file.reading.file)[:100]
            file.line.student = person.id
            owners.setdefault(person.id, person)
            ids_by_student.setdefault((person.id, _id_scope(file.reading)), set()).add(file.reading.keys[-1])
        owned_files = [file for file in files if file.line.student]
        impossible_paths, counts = (
            _impossible_canvas_paths(owned_files),
            Counter(file.line.student for file in owned_files),
        )
        for file in owned_files:
            student = file.line.student
            ids = ids_by_student[student, _id_scope(file.reading)]
            if len(ids) > 1:
                id_list = visible(", ".join(sorted(ids)))
                file.mark_owner_unknown(_shared_id_message(visible(student), id_list, file.reading.system))
            elif file.line.path in impossible_paths:
                file.mark_owner_unknown(_two_people_message(visible(file.reading.keys[-1])))
            elif owners[student].contradicts(file.reading.system, file.reading.keys):
                system, key = file.reading.system, visible(file.reading.keys[-1])
                number = visible(owners[student].numbers[system])
                file.mark_owner_unknown(_number_conflict_message(visible(student), key, number, system))
            elif len(file.readings) > 1 and file.reading.system == "canvas" and counts[student] > 1:
                # Perhaps a user who is not in the roster imitates this student's name and number. Such a user
                # must not be able to replace or add to the student's submission.
                file.mark_owner_unknown(_imitation_message(file.readings))
            else:
                self.people.setdefault(student, owners[student])
                yield file

    def _owner(self, file: File) -> tuple[PathReading, Person]:
        """Return the correct interpretation of a file's path, and the student who owns the file.

        Raises:
            Ambiguous: if the student is unknown; the error message gives the reason and a remedy.
        """
        if self.roster is not None:
            return _find_in_roster(self.roster, file)
        if len(file.readings) > 1:
            raise Ambiguous(_imitation_message(file.readings))
        reading = file.reading
        path_id = _path_id(reading)
        if _is_date(reading):
            raise Ambiguous(_date_message())
        if not path_id:
            name = visible(reading.name or reading.keys[0])
            raise Ambiguous(
                say(
                    en=f"It is not clear who {name} is: add --roster CSV, with ids and names.",
                    ko=f"{name}: 누구인지 알 수 없습니다. 명단을 --roster CSV로 지정하세요.",
                )
            )
        is_canvas = reading.system == "canvas"
        # A name written by Canvas has no spaces, so it is not used as the student's name.
        name = "" if is_canvas else reading.name
        return reading, Person(path_id, name, last_name=name, lms_id=reading.keys[-1] if is_canvas else "")

    def _has_other_owner(self, attempt: Attempt) -> bool:
        """Return whether the student had a different id in an earlier archive of the LMS; if so, report it.

        If the roster contains the LMS's id of the student, earlier archives are ignored.
        """
        system, keys = attempt.reading.system, attempt.reading.keys
        if system in self.people[attempt.student].numbers:
            return False
        lessons = self.cells_by_lesson if system in _PERMANENT_ID_SYSTEMS else [attempt.lesson]
        earlier = [recorded_names(self.course, lesson).get(attempt.student, {}) for lesson in lessons]
        other_keys = {record["key"] for record in earlier if record.get("system") == system} - {keys[-1]}
        for file in attempt.files if other_keys else ():
            file.mark_owner_unknown(
                _number_conflict_message(
                    visible(attempt.student), visible(keys[-1]), visible(min(other_keys)), system
                )
            )
        return bool(other_keys)

    def _inspect(self, archive: Archive, file: File) -> None:
        """Read a file once; determine its lesson or file type, or the reason why it cannot be read."""
        if not file.reading.file:
            return
        try:
            data = archive.read(file.member)
        except Unreadable as error:
            file.refusal = str(error)
            return
        if not is_notebook(file):
            file.kind = kind_of(data)
            return
        try:
            file.lesson = lesson_of(data, self.cells_by_lesson)
        except Refused as refusal:
            file.problem = refusal.outcome.message

    def _choose_lessons(self, attempts: Sequence[Attempt]) -> None:
        """Set the lesson of each attempt to the one on which the votes of all students agree.

        The students who submitted files for the same LMS assignment vote (see `_votes`). If there are no
        votes, or votes for several lessons, report the files as "which lesson?". If the user named a lesson,
        use that lesson without a vote.
        """
        groups: dict[str, list[Attempt]] = {}
        for attempt in attempts:
            groups.setdefault(attempt.reading.group, []).append(attempt)
        for group in groups.values():
            votes = Counter({self.named_lesson: 1}) if self.named_lesson else self._votes(group)
            lesson = next(iter(votes)) if len(votes) == 1 else ""
            for attempt in group:
                attempt.lesson = lesson
                for file in attempt.files:
                    file.line.lesson = lesson
                    if not lesson:
                        kind = say(en=file.kind.en, ko=file.kind.ko) if file.kind else ""
                        reasons = (file.refusal, file.problem or kind, _lesson_message(votes))
                        file.line.set_outcome("which lesson?", " ".join(filter(None, reasons)))

    def _votes(self, attempts: Sequence[Attempt]) -> Counter[str]:
        """Count the votes for each lesson; a student votes for the lesson of the student's notebooks.

        Graded cells determine the lesson of a notebook. If no notebook contains such cells, file names do. A
        student with notebooks of several lessons has no vote, unless all students have notebooks of several
        lessons.
        """
        by_cells: dict[str, set[str]] = {}
        by_names: dict[str, set[str]] = {}
        for file in (file for attempt in attempts for file in attempt.files):
            name = PurePosixPath(file.reading.file).name
            by_cells.setdefault(file.line.student, set()).update({file.lesson} - {""})
            by_names.setdefault(file.line.student, set()).update(
                lesson for lesson in self.cells_by_lesson if name in names_of(lesson)
            )
        for lessons_by_student in (by_cells, by_names):
            clear_votes = Counter(
                next(iter(student_lessons))
                for student_lessons in lessons_by_student.values()
                if len(student_lessons) == 1
            )
            if votes := clear_votes or Counter(
                lesson for student_lessons in lessons_by_student.values() for lesson in student_lessons
            ):
                return votes
        return Counter()


def _lesson_message(votes: Mapping[str, int]) -> str:
    """Return the message that asks the user to name an archive's lesson with --lesson."""
    if not votes:
        return say(
            en="No notebook shows which lesson this is: name it with --lesson.",
            ko="어느 수업인지 알 수 있는 노트북이 없습니다. --lesson으로 알려 주세요.",
        )
    lessons = sorted(votes, key=lambda lesson: (-votes[lesson], lesson))
    english = ", ".join(f"{lesson} ({counted(votes[lesson], 'student')})" for lesson in lessons)
    korean = ", ".join(f"{lesson}({votes[lesson]}명)" for lesson in lessons)
    return say(
        en=f"The notebooks belong to different lessons: {english}. Name the one that the assignment is for: "
        f"--lesson {lessons[0]}.",
        ko=f"노트북이 서로 다른 수업의 것입니다: {korean}. 과제의 수업을 지정하세요: --lesson {lessons[0]}.",
    )


def _in_fair_order(attempts: Sequence[Attempt]) -> Iterator[File]:
    """Yield the files to be read, ordered by student: the student with the fewest bytes comes first.

    At most `MAX_FILE_BYTES` of each attempt are read: its notebooks first, then its smallest files.
    Therefore, if an archive is too large, only files of the students with the most bytes are skipped.
    """
    too_much = say(
        en="There are too many files, or they are too large together.", ko="파일이 너무 많거나 너무 큽니다."
    )
    files_by_student: dict[str, list[File]] = {}
    for attempt in attempts:
        bytes_left = MAX_FILE_BYTES
        for file in sorted(attempt.files, key=lambda file: (not is_notebook(file), file.member.size)):
            if file.refusal or file.member.size > bytes_left:
                file.refusal = file.refusal or too_much
                continue
            bytes_left -= file.member.size
            files_by_student.setdefault(attempt.student, []).append(file)
    for files in sorted(files_by_student.values(), key=lambda files: sum(file.member.size for file in files)):
        yield from files


def _members(archive: Archive) -> tuple[list[Member], str]:
    """Return an archive's entries, and the reason why entries are missing ("" if the list is complete).

    If several entries have the same name, the last one counts, and the others are marked as refused.
    """
    members: list[Member] = []
    problem = ""
    try:
        for member in archive.members():
            members.append(member)
    except Unreadable as error:
        problem = str(error)
    if not members and not problem:
        problem = say(en="There is no file in this archive.", ko="압축 파일에 아무 파일도 없습니다.")
    last = {member.path: member.number for member in members}
    duplicate = say(
        en="Two entries have this name; the last one counts.",
        ko="같은 이름이 두 번 있어서 마지막 것만 씁니다.",
    )
    return [
        m if last[m.path] == m.number else replace(m, refusal=m.refusal or duplicate) for m in members
    ], problem


def _id_scope(reading: PathReading) -> str:
    """Return the assignment within which a person's LMS id stays the same; "" for the whole archive."""
    return "" if reading.system in _PERMANENT_ID_SYSTEMS else reading.group


def _settle_institution_ids(files: Sequence[File]) -> None:
    """Decide whether these files' paths contain an institution's id; drop interpretations that disagree.

    The paths contain such an id if every one of them can be interpreted that way. Only Brightspace's paths
    may contain an institution's id.
    """
    all_have_id = all(len(file.readings[0].keys) == 2 for file in files)
    for file in files:
        file.readings = [reading for reading in file.readings if (len(reading.keys) == 2) == all_have_id]
        file.reading = file.readings[0]


def _impossible_canvas_paths(files: Sequence[File]) -> Collection[str]:
    """Return the paths that look like Canvas's but cannot come from Canvas.

    Canvas always writes the same name for a user, and never gives two files of a user the same number.
    """
    certain_files = [file for file in files if file.reading.system == "canvas" and len(file.readings) == 1]
    names: dict[str, set[str]] = {}
    numbers = Counter((file.reading.keys, file.reading.number) for file in certain_files if file.reading.file)
    for file in certain_files:
        names.setdefault(file.reading.keys[-1], set()).add(file.reading.name)
    return {
        file.line.path
        for file in certain_files
        if len(names[file.reading.keys[-1]]) > 1 or numbers[file.reading.keys, file.reading.number] > 1
    }


def _is_date(reading: PathReading) -> bool:
    """Return whether supposed Canvas numbers may be a date, as in ann_2026_11_10_x or ann_20261110_0930_x."""
    numbers = f"{reading.keys[-1]}_{reading.number}_{reading.file}"
    return reading.system == "canvas" and bool(_DATE.match(numbers))


def _find_in_roster(roster: Roster, file: File) -> tuple[PathReading, Person]:
    """Find a file's owner in the roster; return the correct interpretation of the path, and the owner.

    Raises:
        Ambiguous: if no person in the roster matches, or if several people match.
    """
    label = visible(file.reading.name or file.reading.keys[0])
    matches: list[tuple[PathReading, Person]] = []
    for reading in file.readings:
        try:
            person = roster.find(reading.keys, reading.name, reading.system) or _find_after_group(
                roster, reading
            )
        except Ambiguous as error:
            raise Ambiguous(_ambiguity_message(label, str(error), reading)) from None
        if person is not None:
            matches.append((reading, person))
    people = sorted({person.id for _, person in matches})
    if len(people) > 1:
        raise Ambiguous(_ambiguity_message(label, " / ".join(people), file.reading))
    if not matches:
        raise Ambiguous(
            say(
                en=f"{label} is not in the roster. Add a row, then collect again.",
                ko=f"{label}: 명단에 없습니다. 명단에 추가한 뒤 다시 옮기세요.",
            )
        )
    if len(file.readings) > 1:
        matches = [
            (reading, person) for reading, person in matches if _is_certain(roster, file, reading, person)
        ]
        if len({(reading.when, reading.file) for reading, _ in matches}) != 1:
            raise Ambiguous(_imitation_message(file.readings))
    return matches[0]


def _is_certain(roster: Roster, file: File, reading: PathReading, person: Person) -> bool:
    """Return whether one of several interpretations of a path identifies the person with certainty.

    On Canvas, both the id and the name have to match the person. On Brightspace, all interpretations have the
    same id, so each of them is certain. On Blackboard, only a receipt makes a username certain.
    """
    if reading.system == "canvas":
        by_name = name_forms(person.name) | name_forms(f"{person.first_name} {person.last_name}")
        return bool(roster.with_keys(reading.keys, reading.system) and by_name & name_forms(reading.name))
    return reading.system == "brightspace"


def _ambiguity_message(label: str, people: str, reading: PathReading) -> str:
    """Return the message about a path that may belong to several people in the roster."""
    fix = (
        _worksheet_advice(reading.keys[-1])
        if reading.system == "moodle"
        else say(
            en="Add a column with this system's ids to the roster.",
            ko="명단에 이 시스템의 id 열을 넣으세요.",
        )
    )
    return say(
        en=f"{label} could be any of these in the roster: {people}. {fix}",
        ko=f"{label}: 명단에서 {people} 가운데 누구인지 알 수 없습니다. {fix}",
    )


def _imitation_message(path_readings: Sequence[PathReading]) -> str:
    """Return the message about a path that the LMS could have written for several people."""
    keys = " / ".join(visible(key) for key in dict.fromkeys(reading.keys[-1] for reading in path_readings))
    if path_readings[0].system == "blackboard":
        return say(
            en=f"The username could be any of these: {keys}. Collect the archive with its .txt receipts, "
            f"or put the notebook into {_FOLDER} yourself.",
            ko=f"사용자 이름이 {keys} 가운데 어느 것인지 알 수 없습니다. .txt 영수증이 든 압축 파일을 "
            f"지정하거나 노트북을 {_FOLDER}에 직접 넣으세요.",
        )
    return say(
        en=f"A name in this path looks like the system's own part, so it could belong to several people or "
        f"times ({keys}). Add --roster CSV with the ids and names of {path_readings[0].system.title()}, or "
        f"put the notebook into {_FOLDER} yourself.",
        ko=f"이름의 일부가 시스템이 쓰는 부분과 같아서 누구의 언제 파일인지 알 수 없습니다({keys}). "
        f"{path_readings[0].system.title()}의 id와 이름이 있는 명단을 --roster CSV로 지정하거나 노트북을 "
        f"{_FOLDER}에 직접 넣으세요.",
    )


def _date_message() -> str:
    """Return the message about a file name whose numbers look like Canvas's but may be a date."""
    return say(
        en="The numbers in this name may be a date, and not Canvas's. Add --roster CSV with Canvas's ids, or "
        f"put the notebook into {_FOLDER} yourself.",
        ko="이 이름의 숫자는 Canvas의 번호가 아니라 날짜일 수 있습니다. Canvas의 id가 있는 명단을 --roster "
        f"CSV로 지정하거나 노트북을 {_FOLDER}에 직접 넣으세요.",
    )


def _two_people_message(key: str) -> str:
    """Return the message about paths that look like Canvas's but cannot come from Canvas."""
    return say(
        en=f"This is no name of Canvas's: {key} stands for several people, or twice for one file. Put each "
        f"student's notebook into {_FOLDER} yourself.",
        ko=f"Canvas가 붙인 이름이 아닙니다. {key}이(가) 여러 사람을 가리키거나 같은 파일이 두 번 있습니다. "
        f"학생마다 노트북을 {_FOLDER}에 직접 넣으세요.",
    )


def _number_conflict_message(student: str, key: str, other: str, system: System) -> str:
    """Return the message about a path whose name and id belong to different people."""
    return say(
        en=f"The name means {student}, whose id was {other}, but the id here is {key}. If it is the same "
        f"person, put {key} into a column `{system}` of the roster (--roster). If not, the name imitates "
        "another's.",
        ko=f"이름은 {student}이지만 이 학생의 id는 {other}였고 여기서는 {key}입니다. 같은 사람이면 명단의 "
        f"`{system}` 열에 {key}을(를) 넣으세요(--roster). 아니라면 다른 사람의 이름을 흉내 낸 것입니다.",
    )


def _find_after_group(roster: Roster, reading: PathReading) -> Person | None:
    """Return the person whose name follows a group's name in a Moodle path; None if there is no such person.

    An example is "Group A-Kim Minji". A group's name may also contain dashes. A single Latin word after a
    dash does not count as a name, so "Kim Min-Ann" is not mistaken for Ann.

    Raises:
        Ambiguous: if several people match.
    """
    parts = reading.name.split("-") if reading.system == "moodle" else []
    names = ["-".join(parts[start:]).strip() for start in range(1, len(parts))]
    people = {
        person.id: person
        for name in names
        if (" " in name or not name.isascii()) and (person := roster.find((), name)) is not None
    }
    if len(people) > 1:
        raise Ambiguous(" / ".join(sorted(people)))
    return next(iter(people.values()), None)


def _worksheet_advice(numbers: str) -> str:
    """Return the advice on how to tell apart two Moodle students with the same name."""
    return say(
        en=f"Moodle's number in the folder's name is {numbers}: pass this assignment's grading worksheet as "
        "--roster, or copy its Identifier column into a column `moodle` of the roster.",
        ko=f"폴더 이름에 있는 Moodle 번호는 {numbers}입니다. 이 과제의 채점 워크시트를 --roster로 "
        "지정하거나, 워크시트의 식별자를 명단의 `moodle` 열에 옮기세요.",
    )


def _shared_id_message(student: str, ids: str, system: System) -> str:
    """Return the message about several people in an archive who would get the same student id."""
    if system == "moodle":
        fix = _worksheet_advice(ids)
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


def _path_id(reading: PathReading) -> str:
    """Return a student id made from an LMS path; empty if the path contains no lasting id or name.

    Moodle's number differs between assignments, and so does Canvas's id of an anonymous student.
    """
    if reading.system in ("moodle", "brightspace"):
        return student_id(reading.name)
    return (
        student_id(reading.keys[-1]) if reading.system == "blackboard" or reading.keys[-1].isdecimal() else ""
    )
