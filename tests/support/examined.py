"""The examination of a submission after the intake, whether the intake accepted or rejected it."""

from autograder.exam.examiner import Examiner
from autograder.exam.report import Report, uniform_report
from autograder.intake.submission import Rejected, Submission
from autograder.sandbox.client import Candidates


def examine_submission(
    examiner: Examiner, candidates: Candidates, submission: Submission | Rejected, secret: bytes = b""
) -> Report:
    """Grade a submission; if the intake rejected it, the report has the outcome `rejected` for every task."""
    if isinstance(submission, Rejected):
        return uniform_report(examiner.lesson, examiner.tasks, "rejected", submission.message)
    return examiner.grade(candidates, submission.script, secret)
