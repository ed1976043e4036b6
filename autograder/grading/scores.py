"""`nbgrader export`: nbgrader's own table, in which a score that nobody has given is empty and no zero."""

from collections import Counter
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, Student, SubmittedAssignment
from nbgrader.plugins import ExportPlugin

from autograder.grading.tables import Sheet, as_csv

_HEAD = [
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
]


class ScoresGiven(ExportPlugin):
    """Writes a row for each student and lesson, as nbgrader's `CsvExportPlugin` does.

    That one writes 0.0 for who handed in nothing and for a file that could not be read. Here the score is
    empty until something was handed in and no answer of it waits for a person.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the table to `to`, else to grades.csv."""
        place, rows, empty = Path(self.to or "grades.csv"), [], Counter[str]()
        wanted, lessons = set(map(str, self.student)), set(map(str, self.assignment))
        for assignment in gradebook.assignments:
            if lessons and assignment.name not in lessons:
                continue
            handed = {one.student_id: one for one in gradebook.assignment_submissions(assignment.name)}
            for student in gradebook.students:
                if wanted and student.id not in wanted:
                    continue
                one = handed.get(student.id)
                empty["handed in nothing"] += one is None
                empty["needs manual grading"] += one is not None and one.needs_manual_grade
                rows.append(
                    [
                        *_shown(assignment.name, assignment.duedate, one and one.timestamp),
                        *_person(student),
                        *_scores(one),
                        *_shown(assignment.max_score),
                    ]
                )
        place.write_bytes(as_csv(Sheet(_HEAD, rows)))
        self.log.info("%s: %s rows", place, len(rows))
        for why, number in (+empty).items():
            self.log.info("Scores left empty, %s: %s", why, number)


def _person(student: Student) -> list[str]:
    return _shown(student.id, student.last_name, student.first_name, student.email)


def _scores(one: SubmittedAssignment | None) -> list[str]:
    """The score before the late penalty, the penalty, and the score after it; empty if none was given."""
    if one is None or one.needs_manual_grade:
        return ["", "", ""]
    penalty = one.late_submission_penalty or 0.0
    return _shown(one.score, penalty, max(0.0, one.score - penalty))


def _shown(*cells: Any) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]
