"""The first step from source to release: keep one of the two languages."""

import os
import re
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum, default

#: The call in a lesson's setup cell that says which language the notebook is in.
LANGUAGE_CALL = re.compile(r"""\blanguage\((["'])(?:en|ko)\1\)""")


class SelectLanguage(NbGraderPreprocessor):
    """Keep the cells that are in `lang` or in no language, and have the setup cell say which it is.

    Graded cells are the same in both releases, so that one gradebook takes submissions in either.
    """

    lang = Enum(("en", "ko"), help="The language to keep; by default SECANT_LANG, else en.").tag(config=True)

    @default("lang")
    def _lang_default(self) -> str:
        return "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook in one language."""
        if any("lang" in cell.metadata and "nbgrader" in cell.metadata for cell in nb.cells):
            raise ValueError("a graded cell must not carry a language")
        nb.cells = [cell for cell in nb.cells if cell.metadata.get("lang", self.lang) == self.lang]
        for cell in nb.cells:
            self._settle(cell)
        nb.metadata.pop("secant", None)
        nb.metadata["lang"] = self.lang
        return nb, resources

    def _settle(self, cell: NotebookNode) -> None:
        # The marks have done their work, and a student need not see them.
        cell.metadata.pop("lang", None)
        cell.metadata.pop("en", None)
        if cell.cell_type == "code" and "nbgrader" not in cell.metadata:
            cell.source = LANGUAGE_CALL.sub(f'language("{self.lang}")', cell.source)
