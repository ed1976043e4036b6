"""A step of the release process: write an additional notebook for each additional language of a lesson.

`autograder add` writes the list of a lesson's languages into its source notebook. nbgrader's gradebook
contains only the notebook in the first language. This is enough, because graded cells are the same in all
languages.
"""

import copy
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import SaveCells

from autograder.build.lesson_step import LessonStep
from autograder.course.assignment import languages_of


class OtherLanguages(LessonStep):
    """A step that adds a notebook such as NAME.ko.ipynb next to NAME.ipynb for each additional language.

    It runs immediately before SelectLanguage.
    """

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook unchanged, and add its versions in other languages to the resources."""
        name = resources["nbgrader"]["notebook"]
        for language in languages_of(nb)[1:]:
            notebook = self._in_language(nb, resources, language)
            # nbconvert writes the files in `outputs` next to the notebook
            files = resources.setdefault("outputs", {})
            files[f"{name}.{language}.ipynb"] = f"{nbformat.writes(notebook)}\n".encode()
        return nb, resources

    def _in_language(self, nb: NotebookNode, resources: Any, language: str) -> NotebookNode:
        """Return the notebook that the later release steps would produce for another language."""
        notebook, resources = copy.deepcopy(nb), copy.deepcopy(resources)
        notebook.metadata["secant"]["languages"] = [language]
        steps = self.config.GenerateAssignment.preprocessors
        for step in steps[steps.index(OtherLanguages) + 1 :]:
            if step is not SaveCells:
                notebook, resources = step(parent=self.parent)(notebook, resources)
        return notebook
