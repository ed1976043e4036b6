"""The base class of the release steps that change only lessons built by `autograder build`.

Any other assignment of the course is released exactly as nbgrader itself would release it.
"""

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor

from autograder.course.assignment import is_built, not_built_message
from autograder.course.errors import CourseError
from secant.causes import STUB

# The key that marks a lesson in nbconvert's resources. The metadata in the notebook itself also marks a
# lesson, but it is removed before the last release steps.
_LESSON = "secant_lesson"


def is_lesson(resources: Any) -> bool:
    """Return whether the notebook that is being released belongs to a lesson."""
    return bool(resources.get(_LESSON))


class MarkLesson(NbGraderPreprocessor):
    """The first release step, which records for the later steps whether the notebook belongs to a lesson."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook unchanged, and resources that record whether it belongs to a lesson.

        Raises:
            CourseError: the course has a lesson of this name, but the notebook was not built from it.
        """
        name = str(resources.get("nbgrader", {}).get("assignment", ""))
        # If the settings name no course directory, the working directory is used, because nbgrader has
        # changed to the course directory.
        root = Path(self.config.CourseDirectory.get("root", ""))
        if not is_built(nb) and name and (root / "course" / name).is_dir():
            raise CourseError(not_built_message(name))
        resources[_LESSON] = is_built(nb)
        return nb, resources


class LessonStep(NbGraderPreprocessor):
    """A release step that changes only lessons and leaves every other assignment exactly as it is."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook, changed by this step if it belongs to a lesson."""
        return self.release(nb, resources) if is_lesson(resources) else (nb, resources)

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return a lesson's notebook after this step.

        The default is to apply `preprocess_cell` to each cell.
        """
        result: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        return result


class ClearAnswers(NbGraderPreprocessor):
    """A version of nbgrader's ClearSolutions that uses the same stub in all languages of a lesson.

    All other options of ClearSolutions are those in the course's settings.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook without its solutions."""
        clear_solutions = ClearSolutions(parent=self)
        if is_lesson(resources):
            # The stub is the same in every language, so that a graded cell is the same in all releases.
            clear_solutions.code_stub = {"python": f'raise NotImplementedError("{STUB}")'}
            clear_solutions.text_stub = STUB
        result: tuple[NotebookNode, Any] = clear_solutions(nb, resources)
        return result
