"""Steps from source to release that are for lessons alone: those that `autograder build` wrote.

Any other assignment of the course is released exactly as nbgrader itself would release it.
"""

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor

from autograder.course.assignment import is_built, not_built
from autograder.course.errors import CourseError
from secant.causes import STUB

_LESSON = "secant_lesson"  # in nbconvert's resources, since the notebook's own mark is not released


def is_lesson(resources: Any) -> bool:
    """Return whether the notebook on its way to release is a lesson's."""
    return bool(resources.get(_LESSON))


class MarkLesson(NbGraderPreprocessor):
    """Tell the steps that follow whether this is a lesson. Comes first."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook as it is, and the resources with the mark.

        Raises:
            CourseError: the course has a lesson of this name, and the notebook was not built from it.
        """
        name = str(resources.get("nbgrader", {}).get("assignment", ""))
        # Where the settings name no folder, the course is the current one: nbgrader has changed to it.
        root = Path(self.config.CourseDirectory.get("root", ""))
        if not is_built(nb) and name and (root / "course" / name).is_dir():
            raise CourseError(not_built(name))
        resources[_LESSON] = is_built(nb)
        return nb, resources


class LessonStep(NbGraderPreprocessor):
    """A step that leaves every assignment but lessons exactly as it is."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return a lesson's notebook changed, and any other as it is."""
        return self.release(nb, resources) if is_lesson(resources) else (nb, resources)

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return a lesson's notebook; by default, with `preprocess_cell` applied to its cells."""
        changed: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        return changed


class ClearAnswers(NbGraderPreprocessor):
    """nbgrader's ClearSolutions, as it is configured, but with one stub for all languages of a lesson."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook without its solutions."""
        clear = ClearSolutions(parent=self)
        if is_lesson(resources):
            # The same stub in every language, so that a graded cell is the same in all releases.
            clear.code_stub = {"python": f'raise NotImplementedError("{STUB}")'}
            clear.text_stub = STUB
        cleared: tuple[NotebookNode, Any] = clear(nb, resources)
        return cleared
