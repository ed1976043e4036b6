"""What the examiner says of what the intake took in, readable or not."""

from autograder.exam.examiner import Examiner
from autograder.exam.report import Report, uniform_report
from autograder.intake.submission import Rejected, Submission
from autograder.sandbox.client import Candidates


def examined(
    examiner: Examiner, candidates: Candidates, taken: Submission | Rejected, secret: bytes = b""
) -> Report:
    """Grade a submission; one that was rejected meets that fate in every task."""
    if isinstance(taken, Rejected):
        return uniform_report(examiner.lesson, examiner.tasks, "rejected", taken.message)
    return examiner.grade(candidates, taken.script, secret)
