"""A step of the release process: add a link for problem reports to a lesson's last text cell."""

import hashlib
from typing import Any

from nbformat import NotebookNode

from autograder.build.lesson_step import LessonStep
from autograder.course.settings import problem_address
from secant.address import report_url
from secant.language import supported_language

_WORDS = {
    "en": "Is something in this lesson wrong or unclear? [Report a problem]({url}).",
    "ko": "이 수업에 틀린 내용이나 이해하기 어려운 부분이 있나요? [문제 알리기]({url})",
}


class ReportLink(LessonStep):
    """A step that adds a link to the last ungraded text cell. It runs after all other changes to the text.

    The link names the lesson and a hash of its text. It does not name Secant's version, because an update of
    Secant must not change the release of an unchanged lesson.
    """

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with the link for problem reports."""
        text = hashlib.sha256("\0".join(cell.source for cell in nb.cells).encode()).hexdigest()[:8]
        prose = [
            cell for cell in nb.cells if cell.cell_type == "markdown" and "nbgrader" not in cell.metadata
        ]
        if prose:
            lesson = resources["nbgrader"]["assignment"]
            url = report_url(lesson, version_text=f"text {text}", address=problem_address(self.config))
            prose[-1].source += "\n\n" + _WORDS[supported_language(nb.metadata["lang"])].format(url=url)
        return nb, resources
