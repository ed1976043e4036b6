"""The summary at the end of a grading run. It lists what the instructor still has to handle."""

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.find_assignments import Gradable
from autograder.gradebook.class_list import ListedStudent
from autograder.gradebook.entries import Entry
from autograder.gradebook.result import Result
from autograder.intake.files import valid_student_id
from secant.visible import visible

if TYPE_CHECKING:
    from autograder.grading.batch import RunOutcome

_EXPORTED = "An LMS's download was unpacked here. Move it away and use autograder collect DOWNLOAD.zip."
_SEVERAL = "{} counted; other answers are in {}. Delete what should not count, then grade again."
_NUMBERED = re.compile(r"(?:lesson|수업)?[ _-]*([0-9]{1,4})", re.IGNORECASE)
_NOTEBOOK = re.compile(r"\.ipynb(?:\.txt|\.json)?$", re.IGNORECASE)
_MAX_LISTED = 3  # maximum number of submissions named on one line; the others are only counted
# Minimum similarity (difflib's ratio) between an unknown name and the name that is suggested instead.
_MIN_SIMILARITY = 0.6


@dataclass(frozen=True)
class RunSummary:
    """The summary of a grading run.

    Attributes:
        graded: the number of submissions that have points or only need manual grading.
        notes: the number of text answers that need manual grading, and the number of submissions with such
            answers.
        overruled: the number of code answers that changed after an instructor gave points, and the number of
            submissions with such answers.
        unread: submissions that could not be read and have no manual score, with the reason for each.
        several: submissions that contain several notebooks with different answers; for each of them, the
            notebook that counted.
        unknown: files and folders in submitted/ that are not submissions, with advice for each.
        absent: the students without a submission, keyed by lesson.
        strangers: ids that have graded submissions but are not on the class list, with advice for each.
        packages: packages that were not installed where the notebooks ran, with the students who import them.
        unclear_times: submissions whose time of submission is unclear, with advice for each. These
            submissions count as on time.
        late: submissions with a late penalty, with the points and the times.
    """

    graded: int
    notes: tuple[int, int]
    overruled: tuple[int, int]
    unread: Mapping[str, str]
    several: Mapping[str, str]
    unknown: Mapping[str, str]
    absent: Mapping[str, Sequence[str]]
    strangers: Mapping[str, str]
    packages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unclear_times: Mapping[str, str] = field(default_factory=dict)
    late: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """True if every submission was read, and it is clear which notebooks count."""
        return not self.unread and not self.several and not self.unknown


def summarize_run(
    outcome: "RunOutcome",
    submitted: Path,
    gradable: Gradable,
    students: Collection[str],
    is_exported: Callable[[str], bool],
) -> RunSummary:
    """Summarize a grading run.

    Args:
        outcome: the outcome of the run.
        submitted: the folder of the submissions.
        gradable: all lessons and assignments that can be graded.
        students: the students that the user selected; empty for all students.
        is_exported: a function that returns whether a file or folder name is that of an LMS export.
    """
    results, late = outcome.results, outcome.late
    notes, overruled, unread, several, graded = [], [], {}, {}, 0
    for entry in results:
        result = results[entry]
        if result.is_unread:
            unread[str(Entry(result.student, entry.lesson))] = _unread_reason(result)
        elif entry not in outcome.failed:
            graded += 1
        if other_files := list(result.flag_subjects("other_answers")):
            counted_file = next(result.flag_subjects("counted"))
            several[str(entry)] = _SEVERAL.format(counted_file, ", ".join(other_files))
        waiting = [task for task in result.tasks if task.outcome == "manual" and task.auto is None]
        notes.append(sum(task.is_note for task in waiting))
        overruled.append(len(waiting) - notes[-1])
    lessons = sorted({entry.lesson for entry in results})
    expected = [student for student in outcome.students if not students or student in students]
    absent = {
        lesson: sorted(student for student in expected if Entry(student, lesson) not in results)
        for lesson in lessons
    }
    return RunSummary(
        graded,
        (sum(notes), sum(map(bool, notes))),
        (sum(overruled), sum(map(bool, overruled))),
        unread,
        several,
        dict(unknown_folders(submitted, gradable, is_exported, students)),
        {lesson: names for lesson, names in absent.items() if names},
        _strangers(
            {entry.student for entry in results if valid_student_id(entry.student)}, outcome.students_before
        ),
        _packages(results.missing),
        {shortened_list(entries): problem for problem, entries in outcome.unclear_times.items()},
        {str(entry): late[entry] for entry in sorted(late, key=str)},
    )


def _packages(missing: Mapping[Entry, Collection[str]]) -> dict[str, list[str]]:
    """Map each missing package to the students who import it; the most imported package comes first."""
    students: dict[str, set[str]] = {}
    for entry, packages in missing.items():
        for package in packages:
            students.setdefault(package, set()).add(entry.student)
    ranked = sorted(students, key=lambda package: (-len(students[package]), package))
    return {package: sorted(students[package]) for package in ranked}


def shortened_list(entries: Sequence[Entry]) -> str:
    """Return a string that names the first submissions and says how many more there are."""
    text = ", ".join(map(str, entries[:_MAX_LISTED]))
    return f"{text} and {len(entries) - _MAX_LISTED} more" if len(entries) > _MAX_LISTED else text


def _strangers(submitted_ids: Collection[str], before: Sequence[ListedStudent]) -> dict[str, str]:
    """Return advice about each id that has a submission but is not on the class list.

    The gradebook contains a class list if some student in it has a name or has no submission, because
    grading never adds such students. Without a class list, there is no advice. Grading does add unknown ids
    to the gradebook, where later runs find them. Therefore, if most students have names, those without a name
    are treated as unknown.
    """
    on_class_list = {
        listed_student.id
        for listed_student in before
        if listed_student.is_named or not listed_student.has_work
    }
    named_ids = {listed_student.id for listed_student in before if listed_student.is_named}
    known_ids = (
        named_ids if 2 * len(named_ids) > len(before) else {listed_student.id for listed_student in before}
    )
    if not on_class_list:
        return {}
    missing = sorted(on_class_list - set(submitted_ids))
    return {student: _advise_about_id(student, missing) for student in sorted(set(submitted_ids) - known_ids)}


def _advise_about_id(student: str, missing: Sequence[str]) -> str:
    """Return advice about an unknown id, which may be the misspelt id of a student without a submission."""
    if matches := difflib.get_close_matches(student, missing, 1, _MIN_SIMILARITY):
        return (
            f"Not in the class; did you mean {matches[0]}? Then rename the folder, grade again, "
            f"and run: autograder forget {student}"
        )
    command = f"nbgrader db student add {student} --last-name NAME"
    return f"Not in the class. Rename the folder, or enter the student: {command}"


def _unread_reason(result: Result) -> str:
    """Return the reason why a file could not be read and, if there is an earlier file, its points."""
    reason = result.tasks[0].message.partition("\n")[0]
    if result.earlier_points is None:
        return reason
    points, max_points = result.earlier_points
    return f"{reason} The earlier file had {points:g} of {max_points:g} points."


def unknown_folders(
    submitted: Path,
    gradable: Gradable,
    is_exported: Callable[[str], bool],
    students: Collection[str] = (),
) -> Iterable[tuple[str, str]]:
    """Yield the files and folders in submitted/ that are not submissions, each with advice."""
    lessons = gradable.names
    unknown_name_advice = (
        f"No {'lesson or assignment' if gradable.plain else 'lesson'} has this name; {gradable.listing}."
    )
    for student in _entries(submitted):
        if students and student.name not in students:
            continue
        student_name = visible(student.name)
        contents = list(_entries(Path(student.path)))
        if is_exported(student.name) and not any(entry.name in lessons for entry in contents):
            yield student_name, _EXPORTED
            continue
        if not student.is_dir():
            yield (
                student_name,
                "It is a file. A submission is a folder inside the student's: student/lesson/.",
            )
            continue
        if not contents:
            continue
        unknown_entries = [entry for entry in contents if entry.name not in lessons and entry.is_dir()]
        for entry in unknown_entries:
            matches = _lesson_of_number(entry.name, lessons) or difflib.get_close_matches(
                entry.name, lessons, 1, _MIN_SIMILARITY
            )
            advice = f"Did you mean {matches[0]}? Then rename it." if matches else unknown_name_advice
            yield f"{student_name}/{visible(entry.name)}", advice
        loose_notebooks = [entry for entry in contents if _NOTEBOOK.search(entry.name) and not entry.is_dir()]
        for entry in loose_notebooks:
            yield (
                f"{student_name}/{visible(entry.name)}",
                _advise_move(Path(student.path), entry.name, lessons),
            )
        if (
            not unknown_entries
            and not loose_notebooks
            and not any(entry.name in lessons for entry in contents)
        ):
            yield student_name, "It contains no lesson's folder. Put the notebook into student/lesson/."


def _advise_move(student: Path, notebook: str, lessons: Sequence[str]) -> str:
    """Return advice on where to move a notebook that is directly in a student's folder."""
    stem = _NOTEBOOK.sub("", notebook)
    matches = [lesson for lesson in lessons if stem.startswith(lesson)] or _lesson_of_number(stem, lessons)
    matches = matches or difflib.get_close_matches(stem, lessons, 1, _MIN_SIMILARITY)
    if not matches:
        return "A notebook is looked for in a lesson's folder only. Move it into student/lesson/."
    folder = f"{visible(student.name)}/{matches[0]}/"
    if os.path.lexists(student / matches[0]):
        return f"Move it into {folder} if it should count there; if not, delete it."
    return f"Move it into {folder}, a folder that you make."


def _lesson_of_number(name: str, lessons: Sequence[str]) -> list[str]:
    """Return the lesson to which a name such as 3, 03 or lesson_3 refers."""
    match = _NUMBERED.fullmatch(name)
    return [lesson for lesson in lessons if match and lesson.startswith(f"{int(match[1]):02}_")]


def similar_folder(name: str, submitted: Path) -> str:
    """Return the student folder whose name is most similar to `name`; "" if none is similar enough."""
    matches = difflib.get_close_matches(
        name, [entry.name for entry in _entries(submitted)], 1, _MIN_SIMILARITY
    )
    return matches[0] if matches else ""


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (entry for entry in entries if not entry.name.startswith(".")), key=lambda entry: entry.name
            )
    except OSError:
        return []
