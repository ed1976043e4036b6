"""The commands `autograder enroll`, `autograder collect` and `autograder export`, with their output."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table
from rich.text import Text

from autograder.course.errors import CourseError
from autograder.course.find_assignments import choose_gradable, find_gradable
from autograder.course.settings import Course
from autograder.gradebook import class_list
from autograder.gradebook.book import STALE, Book
from autograder.gradebook.entries import Entry, find_submissions
from autograder.gradebook.errors import GradebookBusy
from autograder.gradebook.tables import as_csv
from autograder.lms import collect as lms_collect
from autograder.lms import export as lms_export
from autograder.lms.attempts import OUTCOMES
from autograder.lms.roster import Person, read_roster
from autograder.terminal import Terminal, err, out, warn_of_readable_files
from secant.files import move_aside, replace_file
from secant.language import counted, say

_ROWS = 40  # maximum number of rows in a table
_NAMES = 3  # maximum number of ids in a line


def enroll(root: Path, table: Path) -> None:
    """Enter a class list into the gradebook; print which students are new, and which are not in the list.

    Raises:
        CourseError: the list cannot be read, or nothing could be entered.
    """
    course = Course.at(root)
    people = read_roster(table).people
    with Book(course.directory, course.config) as book:
        try:
            before = set(class_list.students(book))
            _refuse_lost_zeros(table, [person.id for person in people], before)
            class_list.enter_people(book, map(_row, people))
        except GradebookBusy as error:
            raise CourseError(
                say(en=f"Nothing was entered: {error}.", ko=f"아무것도 입력하지 못했습니다: {error}.")
            ) from error
    new = [person.id for person in people if person.id not in before]
    missing = sorted(before - {person.id for person in people})
    out.print(
        say(
            en=f"{table}: {counted(len(people), 'student')}, {len(new)} of them new{_first_ids(new)}.",
            ko=f"{table}: 학생 {len(people)}명, 그중 새로 입력 {len(new)}명{_first_ids(new)}.",
        )
    )
    if missing:
        out.print(
            say(
                en=f"In the gradebook, but not in this list: {len(missing)}{_first_ids(missing)}.",
                ko=f"성적부에는 있지만 이 명단에 없는 학생: {len(missing)}명{_first_ids(missing)}.",
            )
        )


def _refuse_lost_zeros(table: Path, ids: Sequence[str], gradebook_ids: Collection[str]) -> None:
    """Refuse a list in which a spreadsheet has removed the zeros at the beginning of ids.

    Raises:
        CourseError: the gradebook contains an id of the list with zeros in front of it.
    """
    padded = {
        gradebook_id.lstrip("0"): gradebook_id
        for gradebook_id in gradebook_ids
        if gradebook_id.startswith("0")
    }
    for student in ids:
        if student not in gradebook_ids and student in padded:
            raise CourseError(
                say(
                    en=f"{table}: {student} is {padded[student]} in the gradebook; a spreadsheet may have "
                    "taken the zeros. Give the column the format Text, enter the ids again and save.",
                    ko=f"{table}: {student}은(는) 성적부에 {padded[student]}(으)로 있습니다. 스프레드시트가 "
                    "앞의 0을 지웠을 수 있습니다. 열의 서식을 텍스트로 바꾸고 학번을 다시 입력해 저장하세요.",
                )
            )


def _first_ids(students: Sequence[str]) -> str:
    """Return the first few ids of a list, in brackets, or "" if the list is empty."""
    id_list = ", ".join(students[:_NAMES]) + (", …" if len(students) > _NAMES else "")
    return f" ({id_list})" if students else ""


def collect(
    root: Path,
    downloads: Sequence[Path],
    roster: Path | None,
    lesson: str,
    system: str,
    json_file: Path | None,
) -> int:
    """Collect archives, and print the outcome of each file.

    Returns:
        The exit status: 0 if everything is in place, 1 if a person has to look at something, 2 if there was
        nothing to collect.

    Raises:
        CourseError: nothing can be collected, or the students could not be entered into the gradebook.
    """
    course = Course.at(root)
    chosen = _choose_lesson(course, lesson) if lesson else ""
    people = read_roster(roster) if roster else None
    # the gradebook stays open, so that no other command can grade while files are collected
    with Book(course.directory, course.config) as book:
        collected = lms_collect.collect(course, downloads, people, chosen, lms_collect.system_named(system))
        try:
            warning = _strangers_warning(collected, class_list.students(book)) if people is None else ""
            class_list.enter_people(book, map(_row, collected.people))
            for student, name in collected.collected_entries:
                # the grade of a replaced file must not be exported
                book.mark_stale(student, name, STALE)
        except GradebookBusy as error:
            raise CourseError(
                say(
                    en=f"The files were collected, but the gradebook could not save the names: {error}.",
                    ko=f"파일은 옮겼지만 이름을 성적부에 넣지 못했습니다: {error}.",
                )
            ) from error
    if json_file:
        rows = json.dumps([asdict(line) for line in collected.lines], ensure_ascii=False, indent=1)
        replace_file(json_file.absolute(), rows.encode())
    _show_collected(collected)
    if warning:
        err.print(warning, style="yellow")
    warn_of_readable_files(course)
    if not any(line.path for line in collected.lines):
        return 2
    return int(any(line.needs_a_person for line in collected.lines))


def _strangers_warning(collected: lms_collect.CollectResult, students: Sequence[str]) -> str:
    """Return a warning if most students in an archive are not in the gradebook, or "" otherwise."""
    archive_students = {line.student for line in collected.lines if line.student}
    new_students = sorted(archive_students - set(students))
    if not students or 2 * len(new_students) <= len(archive_students):
        return ""
    examples = ", ".join(new_students[:3])
    return say(
        en=f"The gradebook knows {counted(len(students), 'student')}, but not {len(new_students)} of the "
        f"{len(archive_students)} in this archive ({examples}). Without --roster CSV their ids come "
        "from the system's names. If they are in your class under other ids, delete these folders in "
        "submitted/, then collect with --roster.",
        ko=f"성적부에 학생 {len(students)}명이 있는데, 압축 파일의 {len(archive_students)}명 중 "
        f"{len(new_students)}명({examples})은 거기에 없습니다. --roster CSV가 없으면 시스템에 나오는 "
        "이름으로 학번을 만듭니다. 이미 다른 학번으로 등록된 학생이라면 submitted/에서 이 폴더들을 "
        "지우고 --roster를 붙여 다시 옮기세요.",
    )


def _row(person: Person) -> Mapping[str, str]:
    """Return a person's data as nbgrader's gradebook stores it."""
    return {
        "id": person.id,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "email": person.email,
        "lms_user_id": person.lms_id,
    }


def _show_collected(collected: lms_collect.CollectResult) -> None:
    """Print a table of at most _ROWS files; the files that a person has to look at come first."""
    words = _outcome_words()
    title = say(en="Outcome of each file", ko="파일별 결과")
    heads = (
        say(en="Outcome", ko="결과"),
        say(en="Student/lesson", ko="학생/수업"),
        say(en="File", ko="파일"),
        "",
    )
    table = Table(*heads, title=title, title_justify="left", title_style="bold")
    lines = sorted(collected.lines, key=lambda line: not line.needs_a_person)
    for line in lines[:_ROWS]:
        target = f"{line.student}/{line.lesson}" if line.student else ""
        table.add_row(
            *map(Text, (words[line.outcome], target, line.file or line.path or line.archive, line.message))
        )
    if len(lines) > _ROWS:
        remainder = say(en=f"and {len(lines) - _ROWS} more", ko=f"그 밖에 {len(lines) - _ROWS}개")
        table.add_row(
            "…", "", remainder, say(en="--json FILE lists every file", ko="--json 파일에 모두 적습니다")
        )
    Terminal().print(table)
    counts = ", ".join(f"{number} {words[outcome]}" for outcome, number in collected.counts.items())
    students = len({line.student for line in collected.lines if line.student})
    out.print(
        say(
            en=f"{counted(len(collected.lines), 'line')}, {counted(students, 'student')}: {counts}.",
            ko=f"{len(collected.lines)}줄, 학생 {students}명: {counts}.",
        )
    )
    if collected.collected_entries:
        out.print(say(en="Next: autograder grade", ko="다음: autograder grade"))


def _outcome_words() -> Mapping[str, str]:
    """Return the word for each outcome in the user's language."""
    korean = {
        "collected": "옮김",
        "unchanged": "그대로",
        "kept aside": "따로 보관",
        "ignored": "건너뜀",
        "could not be read": "읽을 수 없음",
        "whose?": "누구?",
        "which lesson?": "어느 수업?",
        "not written": "쓰지 못함",
    }
    return {outcome: say(en=outcome, ko=korean[outcome]) for outcome in OUTCOMES}


def export(
    root: Path,
    system: lms_export.ExportSystem,
    lesson: str,
    fill: Path | None,
    column: str,
    output: Path | None,
) -> None:
    """Write a lesson's grades and feedback in the format of an LMS, and print which students have no points.

    Raises:
        CourseError: the grades or the feedback cannot be written.
    """
    course = Course.at(root)
    name = _choose_lesson(course, lesson) if lesson else _only_lesson(course)
    path = (output or root / lms_export.EXPORTED / f"{name}.{system}.csv").absolute()
    try:
        exported = lms_export.export(course, system, name, fill, column)
    except GradebookBusy as error:
        raise CourseError(
            say(en=f"The gradebook could not be read: {error}.", ko=f"성적부를 읽지 못했습니다: {error}.")
        ) from error
    _write(path, as_csv(exported.table), fill)
    if exported.feedback:
        _write(path.with_name(f"{path.stem}.feedback.zip"), exported.feedback, fill)
    table = Table(say(en="Student", ko="학생"), say(en="Why no points", ko="점수가 없는 이유"))
    for student, reason in list(exported.blank.items())[:_ROWS]:
        table.add_row(Text(student), Text(reason))
    if exported.blank:
        Terminal().print(table)
    for note in exported.notes:
        out.print(note)
    out.print(
        say(
            en=f"{name}: {exported.graded} with points, {len(exported.blank)} left blank.",
            ko=f"{name}: 점수 있음 {exported.graded}명, 비워 둠 {len(exported.blank)}명.",
        )
    )


def _write(path: Path, data: bytes, fill: Path | None) -> None:
    """Write a file. If a file with different contents exists at the path, rename the existing file first.

    Raises:
        CourseError: the LMS's own table, from which the new one is made, is at this path.
    """
    if not path.parent.is_dir() and path.parent.name == lms_export.EXPORTED:
        path.parent.mkdir()
    if fill is not None and path == fill.absolute():
        raise CourseError(
            say(
                en=f"--output {path}: that is the table to fill. Name another file.",
                ko=f"--output {path}: 채울 표와 같은 파일입니다. 다른 이름을 쓰세요.",
            )
        )
    if path.exists() and path.read_bytes() != data:
        old_path = move_aside(path, "before")
        out.print(
            say(
                en=f"The earlier file is now {old_path.name}.",
                ko=f"전에 있던 파일은 {old_path.name}(으)로 바꿨습니다.",
            )
        )
    replace_file(path, data, private=True)
    out.print(say(en=f"wrote {path}", ko=f"파일을 썼습니다: {path}"))


def _choose_lesson(course: Course, name: str) -> str:
    (lesson,) = choose_gradable(course.root, [name], course.directory.source_directory)
    return lesson


def _only_lesson(course: Course) -> str:
    """Return the lesson that all submissions belong to.

    Raises:
        CourseError: the submissions belong to several lessons, or there are no submissions.
    """
    lesson_names = find_gradable(course.root, course.directory.source_directory).names
    submissions: list[Entry] = find_submissions(course, lesson_names)
    lessons = sorted({entry.lesson for entry in submissions})
    if len(lessons) != 1:
        choices = ", ".join(lessons) or "-"
        raise CourseError(
            say(
                en=f"Which lesson? Add --lesson with one of: {choices}.",
                ko=f"어느 수업인가요? --lesson으로 지정하세요: {choices}.",
            )
        )
    return lessons[0]
