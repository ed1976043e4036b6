"""A step from source to release: a lesson in further languages, each a notebook beside the first one.

`autograder add` writes a lesson's languages into its source notebook. nbgrader's gradebook knows the first
one alone: graded cells are the same in all of them.
"""

import copy
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import SaveCells

from autograder.build.lesson_step import LessonStep
from autograder.course.assignment import languages_of


class OtherLanguages(LessonStep):
    """Have nbgrader write NAME.ko.ipynb beside NAME.ipynb. Comes right before SelectLanguage."""

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook as it is, and the resources with the notebooks in the other languages."""
        name = resources["nbgrader"]["notebook"]
        for language in languages_of(nb)[1:]:
            released = self._in_language(nb, resources, language)
            files = resources.setdefault("outputs", {})  # nbconvert writes them beside the notebook
            files[f"{name}.{language}.ipynb"] = f"{nbformat.writes(released)}\n".encode()
        return nb, resources

    def _in_language(self, nb: NotebookNode, resources: Any, language: str) -> NotebookNode:
        """Return the notebook as the steps that follow release it in a language."""
        released, resources = copy.deepcopy(nb), copy.deepcopy(resources)
        released.metadata["secant"]["languages"] = [language]
        steps = self.config.GenerateAssignment.preprocessors
        for step in steps[steps.index(OtherLanguages) + 1 :]:
            if step is not SaveCells:
                released, resources = step(parent=self.parent)(released, resources)
        return released
