"""An exporter for `nbgrader export` that leaves a score empty, instead of zero, if no score was given."""

from collections import Counter
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, Student, SubmittedAssignment
from nbgrader.plugins import ExportPlugin

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.gradebook.freshness import CurrentSubmissions
from autograder.gradebook.records import stored_results_in
from autograder.gradebook.tables import Table, as_csv

_BATCH_SIZE = 50  # maximum number of submissions whose results are held in memory at once
_COLUMNS = [
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
]


class ScoresGiven(ExportPlugin):
    """An export plugin that writes a row for each student and lesson, as nbgrader's `CsvExportPlugin` does.

    nbgrader's plugin writes 0.0 for a missing submission and for an unreadable file. Here the score is empty
    if there is no submission, if the files in submitted/ have changed since grading, or if an answer needs
    manual grading.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the table to the file `to`, or to grades.csv if `to` is not set."""
        try:
            self._export(gradebook)
        except (CourseError, OSError) as error:
            self.parent.fail(str(error))

    def _export(self, gradebook: Gradebook) -> None:
        course = Course.at(Path(self.parent.coursedir.root))
        path, rows, empty_counts = Path(self.to or "grades.csv"), [], Counter[str]()
        selected, lessons = set(map(str, self.student)), set(map(str, self.assignment))
        for assignment in gradebook.assignments:
            if lessons and assignment.name not in lessons:
                continue
            current = CurrentSubmissions(course, assignment.name)
            newer = self._students_with_old_grade(gradebook, assignment.name, current)
            submissions = {
                submission.student_id: submission
                for submission in gradebook.assignment_submissions(assignment.name)
            }
            for student in gradebook.students:
                if selected and student.id not in selected:
                    continue
                submission = submissions.get(student.id)
                ungraded = student.id in newer or (submission is None and student.id in current.students)
                empty_counts["not graded yet"] += ungraded
                empty_counts["handed in nothing"] += submission is None and not ungraded
                empty_counts["needs manual grading"] += (
                    submission is not None and submission.needs_manual_grade and not ungraded
                )
                rows.append(
                    [
                        *_as_cells(assignment.name, assignment.duedate, submission and submission.timestamp),
                        *_person(student),
                        *_scores(None if ungraded else submission),
                        *_as_cells(assignment.max_score),
                    ]
                )
        path.write_bytes(as_csv(Table(_COLUMNS, rows)))
        self.log.info("%s: %s rows", path, len(rows))
        for reason, number in (+empty_counts).items():
            self.log.info("Scores left empty, %s: %s", reason, number)

    def _students_with_old_grade(
        self, gradebook: Gradebook, lesson: str, current: CurrentSubmissions
    ) -> set[str]:
        """Return the students whose grade is out of date.

        Their files, the tests or the grader have changed since the grading.
        """
        outdated: set[str] = set()
        students = sorted(current.students)
        for start in range(0, len(students), _BATCH_SIZE):
            results = stored_results_in(
                gradebook, [(student, lesson) for student in students[start : start + _BATCH_SIZE]]
            )
            outdated |= {
                student for (student, _), stored in results.items() if current.is_newer(student, stored)
            }
        return outdated


def _person(student: Student) -> list[str]:
    return _as_cells(student.id, student.last_name, student.first_name, student.email)


def _scores(submission: SubmittedAssignment | None) -> list[str]:
    """Return the score before the late penalty, the penalty, and the score after the penalty.

    All three are empty if there is no submission, or if the submission needs manual grading.
    """
    if submission is None or submission.needs_manual_grade:
        return ["", "", ""]
    penalty = submission.late_submission_penalty or 0.0
    return _as_cells(submission.score, penalty, max(0.0, submission.score - penalty))


def _as_cells(*cells: Any) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]
