"""What a system exports, into submitted/STUDENT/LESSON/, with a line for each file.

The lesson is what most notebooks of an assignment are of, by their graded cells; whoever handed in another has
handed in that for it, and `autograder grade` says so. So does it of what cannot be read: the student's folder is
there all the same. The newest attempt counts. What it replaces, and older attempts, are kept in collected/kept/.
"""

import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from autograder.course.assignment import built_lessons, read_notebook
from autograder.course.cells import grade_id
from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.intake.exported import Handed, System, read_path, system_of
from autograder.intake.files import MAX_FILE_BYTES, MAX_SIDE_FILES, names_of, read_side_files
from autograder.intake.parse import parse
from autograder.intake.submission import Refused
from autograder.intake.timestamp import handed_in
from autograder.lms.archive import Archive, Member, Unreadable, opened
from autograder.lms.roster import Ambiguous, Person, Roster, student_id
from secant.files import replace_file
from secant.language import say
from secant.visible import visible

PLACE = "collected"  # beside submitted/: what was replaced, and what each system calls a submission
TIMESTAMP = "timestamp.txt"
NOTE = "collect.txt"  # in the folder of whom nothing could be read

_RESERVED = (TIMESTAMP, "submission_secret.txt", NOTE)  # of nbgrader's exchange and ours, not a student's
_MAX_ATTEMPT_BYTES = 3 * MAX_FILE_BYTES
_MAX_DEPTH, _MAX_NAME = 5, 100
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
_RECEIPT = re.compile(r"[^:]*:\s*(?P<name>.+?)\s*\((?P<user>[^()]+)\)")
_INDEX = "index.html"  # Brightspace's own list of what it exports

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
    """What became of a file of an archive."""

    archive: str
    path: str
    outcome: str = "collected"
    student: str = ""
    lesson: str = ""
    message: str = ""

    @property
    def needs_a_person(self) -> bool:
        """Whether somebody has to look at it."""
        return OUTCOMES[self.outcome]

    def say(self, outcome: str, message: str) -> None:
        """Settle what became of the file."""
        self.outcome, self.message = outcome, message


@dataclass
class _File:
    """A file of an archive whose owner is known."""

    line: Line
    member: Member
    handed: Handed
    lesson: str = ""  # the one that its cells are of
    refused: str = ""


@dataclass
class _Attempt:
    """What one person handed in at once.

    Attributes:
        when: in UTC; None if that is not known.
    """

    student: str
    handed: Handed
    files: list[_File] = field(default_factory=list)
    lesson: str = ""

    @property
    def when(self) -> datetime | None:
        return self.handed.when.astimezone(UTC).replace(tzinfo=None) if self.handed.when else None


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


def _graded_cells(course: Course) -> dict[str, frozenset[str]]:
    """The names of each built lesson's graded cells."""
    source = course.directory.source_directory
    lessons = built_lessons(course.root, source)
    if not lessons:
        raise CourseError(
            say(
                en="No lesson is built: run `autograder build`.",
                ko="빌드한 단원이 없습니다. `autograder build`를 실행하세요.",
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
        files = list(self._owned(_receipts(archive, files)))
        for file in files:
            self._look(archive, file)
        attempts = _attempts(files)
        self._choose_lessons(attempts)
        places: dict[tuple[str, str], list[_Attempt]] = {}
        for one in attempts:
            places.setdefault((one.lesson, one.student), []).append(one)
        for (lesson, _), these in sorted(places.items()):
            if lesson:
                self._write(archive, these)
        self._remember([one for one in attempts if one.lesson])

    def _file(self, member: Member, system: System | None) -> _File | None:
        """The file that an entry is; None where it is nobody's, which is said."""
        line = Line(self.name, visible(member.path)[:300])
        self.lines.append(line)
        if member.ignored or (system == "brightspace" and PurePosixPath(member.path).name == _INDEX):
            line.say("ignored", say(en="The system's own, nobody's work.", ko="시스템이 만든 파일입니다."))
            return None
        if member.stray:
            line.say("could not be read", member.refused)
            return None
        handed = read_path(member.path, system) if system else None
        if handed is None:
            line.say(
                "whose?",
                say(
                    en="Moodle, Canvas, Brightspace and Blackboard name no file so. Collect the archive as it was downloaded.",
                    ko="Moodle, Canvas, Brightspace, Blackboard가 붙이는 이름이 아닙니다. 내려받은 압축 파일 그대로 지정하세요.",
                ),
            )
            return None
        return _File(line, member, handed, refused=member.refused)

    def _owned(self, files: Sequence[_File]) -> Iterator[_File]:
        """Say whose each file is; yield those of whom that is known."""
        same: dict[str, set[str]] = {}
        for handed in (file.handed for file in files):
            # Blackboard's user may be "kim_minji", of which its names alone show "minji".
            told_by = handed.group if handed.system == "blackboard" else handed.keys[-1]
            same.setdefault(_own_id(handed), set()).add(told_by)
        for file in files:
            try:
                file.line.student = self._owner(file.handed, same)
                yield file
            except Ambiguous as error:
                file.line.say("whose?", str(error))

    def _owner(self, handed: Handed, same: Mapping[str, set[str]]) -> str:
        """The student's id.

        Raises:
            Ambiguous: it is not known; the text says why, and what to do.
        """
        shown = visible(handed.name or handed.keys[0])
        if self.roster is not None:
            try:
                person = self.roster.find(handed.keys, handed.name)
            except Ambiguous as error:
                raise Ambiguous(
                    say(
                        en=f"In the roster {shown} may be {error}. Give the roster a column of this system's ids.",
                        ko=f"명단에서 {shown}은(는) {error} 가운데 누구인지 알 수 없습니다. 명단에 이 시스템의 id 열을 넣으세요.",
                    )
                ) from None
            if person is None:
                raise Ambiguous(
                    say(
                        en=f"{shown} is not in the roster. Add a row, then collect again.",
                        ko=f"{shown}: 명단에 없습니다. 명단에 추가한 뒤 다시 옮기세요.",
                    )
                )
            return person.id
        own = _own_id(handed)
        if not own or len(same[own]) > 1:
            raise Ambiguous(
                say(
                    en=f"More than one is called {shown}, or nothing tells who it is: --roster CSV says who is who.",
                    ko=f"이름이 {shown}인 사람이 여럿이거나 누구인지 알 수 없습니다. --roster CSV로 알려 주세요.",
                )
            )
        is_canvas = handed.system == "canvas"
        name = "" if is_canvas else handed.name  # which has no spaces there
        lms_id = handed.keys[-1] if is_canvas else ""
        self.people.setdefault(own, Person(own, name, last_name=name, lms_id=lms_id))
        return own

    def _look(self, archive: Archive, file: _File) -> None:
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

    def _choose_lessons(self, attempts: Sequence[_Attempt]) -> None:
        """Say of which lesson each attempt is: the one of most notebooks of its assignment."""
        groups: dict[str, list[_Attempt]] = {}
        for one in attempts:
            groups.setdefault(one.handed.group, []).append(one)
        for these in groups.values():
            lesson = self.asked or self._most([file for one in these for file in one.files])
            for one in these:
                one.lesson = lesson
                for file in one.files:
                    file.line.lesson = lesson
                    if not lesson:
                        file.line.say(
                            "which lesson?",
                            say(
                                en="No notebook shows which lesson this is: --lesson says it.",
                                ko="어느 단원인지 알 수 있는 노트북이 없습니다. --lesson으로 알려 주세요.",
                            ),
                        )

    def _most(self, files: Sequence[_File]) -> str:
        found = Counter(file.lesson for file in files if file.lesson)
        found = found or Counter(
            lesson
            for file in files
            for lesson in self.known
            if PurePosixPath(file.handed.file).name in names_of(lesson)
        )
        best = found.most_common(2)
        return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""

    def _write(self, archive: Archive, attempts: Sequence[_Attempt]) -> None:
        """Put one student's newest attempt in place, and the others aside."""
        *older, newest = sorted(attempts, key=lambda one: one.when or datetime.min)
        try:
            for one in older:
                self._aside(
                    archive,
                    one,
                    say(en="A newer attempt is in the archive.", ko="더 새로운 제출이 있습니다."),
                )
            self._place(archive, newest)
        except OSError as error:
            reason = error.strerror or str(error)
            for file in newest.files:
                file.line.say(
                    "not written",
                    say(en=f"It could not be written: {reason}.", ko=f"쓸 수 없습니다: {reason}."),
                )

    def _place(self, archive: Archive, attempt: _Attempt) -> None:
        root, folder = self.course.submitted, self.course.folder("submitted", attempt.student, attempt.lesson)
        if folder.parent.is_symlink():
            raise OSError(
                0,
                say(
                    en=f"submitted/{attempt.student} is a link",
                    ko=f"submitted/{attempt.student}은(는) 링크입니다",
                ),
            )
        there = handed_in(folder, root) if os.path.lexists(folder) else None
        if there and attempt.when and there > attempt.when:
            self._aside(
                archive,
                attempt,
                say(en="What lies in submitted/ is newer.", ko="submitted/에 있는 것이 더 새롭습니다."),
            )
            return
        content = self._content(archive, attempt)
        if os.path.lexists(folder):
            if _content_of(folder, root) == content:
                for file in attempt.files:
                    if file.line.outcome == "collected":
                        file.line.say("unchanged", "")
                return
            kept = _free(self._kept(attempt) / "before")
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(folder, kept)
            place = kept.relative_to(self.course.root)
            for file in attempt.files:
                before = say(
                    en=f"What lay there is kept in {place}.", ko=f"전에 있던 것은 {place}에 두었습니다."
                )
                file.line.message = f"{file.line.message} {before}".strip()
        _write_folder(folder, content)

    def _aside(self, archive: Archive, attempt: _Attempt, why: str) -> None:
        """Keep an attempt that does not count."""
        content = self._content(archive, attempt)
        stem = f"{attempt.when:%Y-%m-%d_%H-%M-%S}" if attempt.when else "older"
        place = self._kept(attempt) / stem
        if not place.is_dir() or _content_of(place, place.parent) != content:
            place = _free(place)
            _write_folder(place, content)
        for file in attempt.files:
            if file.line.outcome == "collected":
                file.line.say("kept aside", f"{why} ({place.relative_to(self.course.root)})")

    def _kept(self, attempt: _Attempt) -> Path:
        return self.course.root / PLACE / "kept" / attempt.student / attempt.lesson

    def _content(self, archive: Archive, attempt: _Attempt) -> dict[PurePosixPath, bytes]:
        """The files of an attempt as they are written, by path; what is wrong with one is said in its line."""
        content: dict[PurePosixPath, bytes] = {}
        room, notebooks = _MAX_ATTEMPT_BYTES, _notebook_names(attempt)
        for file in attempt.files:
            if not file.handed.file:
                file.line.say(
                    "ignored",
                    say(
                        en="The system's own text beside a submission.",
                        ko="제출물에 시스템이 덧붙인 글입니다.",
                    ),
                )
                continue
            why = file.refused
            try:
                data = archive.read(file.member) if not why else b""
            except Unreadable as error:
                why = str(error)
            if not why and (len(content) >= MAX_SIDE_FILES or len(data) > room):
                why = say(
                    en="It is one file too many, or all are too large.", ko="파일이 너무 많거나 너무 큽니다."
                )
            if why:
                file.line.say("could not be read", why)
                continue
            room -= len(data)
            content[_free_path(notebooks.get(id(file)) or safe_path(file.handed.file), content)] = data
            file.line.message = self._remark(file, attempt)
        if attempt.when:
            content[PurePosixPath(TIMESTAMP)] = f"{attempt.when:%Y-%m-%d %H:%M:%S.%f} UTC".encode()
        if not set(content) - {PurePosixPath(TIMESTAMP)}:
            content[PurePosixPath(NOTE)] = _note(attempt).encode()
        return content

    def _remark(self, file: _File, attempt: _Attempt) -> str:
        said = []
        if file.lesson and file.lesson != attempt.lesson:
            said.append(
                say(en=f"This notebook is of {file.lesson}.", ko=f"이 노트북은 {file.lesson}의 것입니다.")
            )
        if file.handed.late:
            said.append(say(en="Late, as the system says.", ko="시스템에 따르면 늦은 제출입니다."))
        if PurePosixPath(file.handed.file).suffix.casefold() in (".zip", ".7z", ".rar", ".tar", ".gz"):
            said.append(
                say(
                    en="An archive in the archive: it is not opened.",
                    ko="압축 파일 안의 압축 파일은 열지 않습니다.",
                )
            )
        return " ".join(said)

    def _remember(self, attempts: Sequence[_Attempt]) -> None:
        """Note what the system calls each submission, which `autograder export` has to say again."""
        for lesson in sorted({one.lesson for one in attempts}):
            known = dict(remembered(self.course, lesson))
            for one in sorted(attempts, key=lambda one: one.when or datetime.min):
                if one.lesson == lesson:
                    known[one.student] = {
                        "system": one.handed.system,
                        "key": one.handed.keys[-1],
                        "name": one.handed.name,
                        "label": one.handed.label,
                    }
            place = self.course.root / PLACE
            place.mkdir(exist_ok=True)
            replace_file(
                place / f"{lesson}.json",
                json.dumps(known, ensure_ascii=False, indent=1).encode(),
                private=True,
            )


def remembered(course: Course, lesson: str) -> Mapping[str, Mapping[str, str]]:
    """What systems call the submissions of a lesson, by student: `system`, `key`, `name` and `label`."""
    try:
        found = json.loads((course.root / PLACE / f"{lesson}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _members(archive: Archive) -> tuple[list[Member], str]:
    """The files of an archive, and why there are no more; of two with one name the last counts, as for unzip."""
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
        en="Its name is there twice, and the last one counts.",
        ko="같은 이름이 두 번 있어서 마지막 것만 씁니다.",
    )
    return [m if last[m.path] == m.number else replace(m, refused=m.refused or twice) for m in found], cut


def _own_id(handed: Handed) -> str:
    """The id that is made of what the system's name says; empty if it says nothing that stays.

    Moodle's number is another in each assignment, and so is Canvas's of somebody anonymous.
    """
    if handed.system in ("moodle", "brightspace"):
        return student_id(handed.name)
    return student_id(handed.keys[-1]) if handed.system == "blackboard" or handed.keys[-1].isdecimal() else ""


def _receipts(archive: Archive, files: Sequence[_File]) -> list[_File]:
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


def _attempts(files: Sequence[_File]) -> list[_Attempt]:
    """What was handed in at once. Where the name holds no time, an archive has one attempt of each."""
    found: dict[tuple[str, ...], _Attempt] = {}
    for file in files:
        key = (file.handed.group, file.line.student, _attempt_label(file.handed))
        found.setdefault(key, _Attempt(file.line.student, file.handed)).files.append(file)
    return list(found.values())


def _notebook_names(attempt: _Attempt) -> dict[int, PurePosixPath]:
    """The name that the one notebook of the lesson gets, unless one has it already: then the intake chooses."""
    names = {PurePosixPath(file.handed.file).name for file in attempt.files}
    of_it = [file for file in attempt.files if file.lesson == attempt.lesson and not file.refused]
    if names & {*names_of(attempt.lesson)} or len(of_it) != 1:
        return {}
    return {id(of_it[0]): PurePosixPath(f"{attempt.lesson}.ipynb")}


def _note(attempt: _Attempt) -> str:
    """What stands in the folder of whom nothing could be read."""
    lines = [f"{file.line.path}: {file.line.message}" for file in attempt.files]
    return "\n".join(
        [say(en="Nothing of this could be collected:", ko="옮길 수 있는 파일이 없습니다:"), *lines, ""]
    )


def safe_path(path: str) -> PurePosixPath:
    """A student's path without what could mean something to a system, nbgrader or us."""
    parts = [_safe(part) for part in path.split("/") if part.strip(" .")][:_MAX_DEPTH] or ["file"]
    if parts[0].casefold() in _RESERVED:
        parts[0] = f"handed in {parts[0]}"
    return PurePosixPath(*parts)


def _safe(part: str) -> str:
    """A part of a path: no hidden name, nothing that is not seen, short."""
    text = unicodedata.normalize("NFC", part)
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Cs", "Cc"))
    text = _UNSAFE.sub("_", text).strip(" ").lstrip(". ").rstrip(". ") or "file"
    stem, dot, suffix = text.rpartition(".")
    return text if len(text) <= _MAX_NAME else f"{(stem or suffix)[: _MAX_NAME - 12]}{dot}{suffix[:10]}"


def _free_path(path: PurePosixPath, content: Mapping[PurePosixPath, bytes]) -> PurePosixPath:
    """A path that no file of the attempt has, on a disk that does not tell capitals either."""
    files = {str(each).casefold() for each in content}
    folders = {str(parent).casefold() for each in content for parent in each.parents}

    def is_free(each: PurePosixPath) -> bool:
        return str(each).casefold() not in files | folders and not files & {
            str(p).casefold() for p in each.parents
        }

    number, best = 1, path
    while not is_free(best):
        number += 1
        best = PurePosixPath(f"{path.stem} ({number}){path.suffix}")
    return best


def _free(path: Path) -> Path:
    """A path at which nothing is."""
    number, best = 1, path
    while os.path.lexists(best):
        number += 1
        best = path.with_name(f"{path.name} ({number})")
    return best


def _content_of(folder: Path, root: Path) -> dict[PurePosixPath, bytes] | None:
    """What lies in a folder; None if that cannot be told, as with links in it."""
    found, left_out = read_side_files(folder, root, lambda path: True)
    return None if left_out else found


def _write_folder(folder: Path, content: Mapping[PurePosixPath, bytes]) -> None:
    """Write a folder in one step, at a place where nothing is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".collect-", dir=folder.parent))
    try:
        for path, data in content.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_bytes(data)
        new.chmod(0o755)
        new.rename(folder)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
