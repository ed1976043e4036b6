"""Two steps of the release process, which write hints into the test cells in the notebook's language.

The first step puts hints into the test cells in all languages. The second step keeps the hints in one
language only. In between, nbgrader saves the cells in its gradebook, including the hidden tests and all
hints.
"""

from typing import Any

from nbformat import NotebookNode

from autograder.build.lesson_step import LessonStep
from autograder.build.select_language import IMPORTED_SAY, SAY, in_language
from autograder.course.cells import is_test
from autograder.course.hints import in_one_language, with_hints


class KeepHints(LessonStep):
    """A step that puts the hints of a source notebook into its test cells, in every language."""

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with hints in its test cells."""
        return with_hints(nb), resources


class ReleaseHints(LessonStep):
    """A step that keeps only the hints of each test cell's visible part, in the notebook's language.

    It runs after ClearHiddenTests, and before the last ComputeChecksums.
    """

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with the hints in its test cells reduced to one language."""
        for cell in filter(is_test, nb.cells):
            cell.source = in_language(in_one_language(cell.source, nb.metadata["lang"]), nb.metadata["lang"])
            if not SAY.search(cell.source):
                cell.source = IMPORTED_SAY.sub("", cell.source)
        return nb, resources
