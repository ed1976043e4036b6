"""Classes for lessons and their submissions. They implement the batch grader's protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from nbformat import NotebookNode, v4

from autograder.course.assignment import read_assignment
from autograder.course.cells import tasks
from autograder.course.lesson import Lesson
from autograder.course.settings import Course
from autograder.course.solutions import worked_solutions
from autograder.exam import leaks
from autograder.exam.report import Outcome, Report, uniform_report
from autograder.gradebook.book import Book
from autograder.gradebook.entries import Entry
from autograder.gradebook.freshness import find_submitted_file, result_key
from autograder.gradebook.recorded_grades import RecordedGrades
from autograder.gradebook.result import Result, make_result
from autograder.gradebook.tasks import register
from autograder.grading.feedback import graded_notebook, locate_outputs, page_head
from autograder.intake.submission import Rejected, Submission
from autograder.intake.take_in import SubmittedFile, parse_submission
from autograder.page.facts import PageHead
from autograder.workers.jobs import Job
from secant.language import Language


class GradedLesson:
    """A lesson that is entered into the gradebook and ready to be graded.

    Args:
        course: the course directory.
        book: the course's gradebook.
        secret: the course's secret key.
        name: the lesson's name.
        shows_solutions: True if feedback pages include the worked solutions.

    Raises:
        CourseError: if the lesson is not built, or the gradebook has grades for other tasks.
    """

    notebooks: Sequence[str] = ("",)

    def __init__(self, course: Course, book: Book, secret: bytes, name: str, shows_solutions: bool) -> None:
        self.course, self.secret, self.name = course, secret, name
        self.shows_solutions = shows_solutions
        self.assignment = read_assignment(course.root, name, course.directory.source_directory)
        register(book, self.assignment)
        # The source notebook as text, for the workers' jobs.
        self.source = v4.writes(self.assignment.source)
        self.secrets = leaks.LessonSecrets(name, self.assignment.source)
        lesson = Lesson(name, course.root / "course" / name)
        self.solutions = worked_solutions(lesson, self.assignment.source)
        self.tasks = tasks(self.assignment.source)

    def read_submission(self, entry: Entry) -> "LessonSubmission":
        """Read a student's submission of the lesson."""
        return LessonSubmission(self, entry.student, find_submitted_file(self.course, entry))

    def uniform_result(self, student: str, outcome: Outcome, message: str, flag: str) -> Result:
        """Return a result with the same outcome and message for every task."""
        report = uniform_report(self.name, self.tasks, outcome, message)
        return make_result(student, report, self.tasks, None, flags=[flag])

    def is_secret(self, data: bytes) -> bool:
        """Return whether a file quotes hidden tests."""
        return bool(self.secrets.hidden_tests_in(data))


@dataclass(frozen=True)
class LessonSubmission:
    """A student's submission of a lesson."""

    lesson: GradedLesson
    student: str
    submitted_file: SubmittedFile | Rejected

    @property
    def absent(self) -> frozenset[str]:
        """The missing notebooks: always empty, because a submission without a notebook is rejected."""
        return frozenset()

    @cached_property
    def key(self) -> str:
        """A hash of everything that determines a result."""
        return result_key(self.submitted_file, self.lesson.assignment)

    @cached_property
    def _intake_result(self) -> Submission | Rejected:
        """The intake's result for the submitted file: a submission, or a rejection."""
        if isinstance(self.submitted_file, Rejected):
            return self.submitted_file
        files = (self.submitted_file, *self.submitted_file.other_files)
        secrets = self.lesson.secrets
        quoted_tasks = dict.fromkeys(task for file in files for task in secrets.hidden_tests_in(file.data))
        if quoted_tasks:
            return _hidden_tests_rejection(list(quoted_tasks))
        return parse_submission(self.submitted_file, self.lesson.name, self.lesson.assignment.releases)

    @property
    def _submission(self) -> Submission | None:
        return self._intake_result if isinstance(self._intake_result, Submission) else None

    @property
    def rejected(self) -> Rejected | None:
        """The reason why the submission cannot be graded; None if it can."""
        return self._intake_result if isinstance(self._intake_result, Rejected) else None

    @property
    def language(self) -> Language:
        """The language of the submitted notebook; English if the submission was rejected."""
        return self._submission.language if self._submission else "en"

    def job(self) -> Job:
        """Return the worker's job for grading the submission."""
        assert self._submission is not None
        return Job(
            student=self.student,
            lesson=self.lesson.name,
            source=self.lesson.source,
            script=self._submission.script,
            secret=self.lesson.secret,
            hidden=self.lesson.course.hidden,
        )

    def result(self, report: Report) -> Result:
        """Return the result of the submission, made from a worker's report."""
        assert self._submission is not None
        cells = locate_outputs(self._submission, report.cells)
        return make_result(self.student, report, self.lesson.tasks, self._submission, cells)

    def rejection_result(self, earlier: Language | None) -> Result:
        """Return the result of a submission that was rejected."""
        rejection = self.rejected
        assert rejection is not None
        # The message is in both languages, because the instructor has to decide what to do with the file and
        # may read either language.
        message = f"{rejection.en}\n{rejection.ko}"
        report = uniform_report(self.lesson.name, self.lesson.tasks, "rejected", message)
        flags = [f"rejected:{rejection.reason}"]
        return make_result(self.student, report, self.lesson.tasks, None, flags=flags, earlier=earlier)

    def relocate_outputs(self, result: Result) -> Result:
        """Return the result with the cells' outputs at the cells' current positions.

        If the lesson's text has changed since the submission was graded, the positions may be different.
        """
        if self._submission is None:
            return result
        return replace(
            result, cells=locate_outputs(self._submission, [cell_output.cell for cell_output in result.cells])
        )

    def notebooks(self, result: Result) -> Mapping[str, NotebookNode]:
        """Return the notebook for staff, with the results as outputs."""
        words = {task: solution.words for task, solution in self.lesson.solutions.items()}
        return {"": graded_notebook(self.lesson.assignment, self._submission, result, words)}

    def without_secrets(self, notebook: NotebookNode) -> NotebookNode:
        """Return the notebook unchanged, because the feedback page's preprocessors hide the hidden tests."""
        return notebook

    def head(
        self, name: str, result: Result, grades: RecordedGrades, times: tuple[str, ...] | None
    ) -> PageHead:
        """Return the head of the feedback page: scores, tasks and comments."""
        lesson = self.lesson
        return page_head(
            lesson.assignment,
            self._intake_result,
            result,
            grades,
            lesson.solutions,
            lesson.shows_solutions,
            times,
        )


def _hidden_tests_rejection(tasks: Sequence[str]) -> Rejected:
    """Return the rejection of a file that quotes hidden tests; released notebooks do not contain them."""
    names = ", ".join(tasks)
    return Rejected(
        "hidden_tests",
        en=f"The file contains lines of hidden tests ({names}), which the notebook that students get does "
        "not have. It is not graded until a person has looked at it.",
        ko=f"학생에게 준 노트북에는 없는 숨은 테스트의 코드가 파일에 들어 있습니다({names}). "
        "사람이 확인하기 전에는 채점하지 않습니다.",
    )
