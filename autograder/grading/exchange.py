"""One assignment of nbgrader's exchange for all languages: a class shares it, and each student chooses."""

import shutil
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseAssignment

from secant.language import LANGUAGES


class ReleaseLanguages(ExchangeReleaseAssignment):
    """nbgrader's own, with the lesson's other languages beside its notebook: 03_x.ipynb and 03_x.ko.ipynb.

    `nbgrader release_assignment` and formgrader use it where the configuration names it. What is handed in
    goes through the intake, which takes the notebook that was worked on.
    """

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        """Copy a release, before its permissions are set; the languages lie beside it, release/LANGUAGE."""
        super().do_copy(src, dest, log=log)
        folder = Path(src)
        name, release = folder.name, folder.parent.parent
        for language in LANGUAGES:
            notebook = release / language / name / f"{name}.ipynb"
            if language != folder.parent.name and folder.parent.name in LANGUAGES and notebook.is_file():
                shutil.copy(notebook, Path(dest, f"{name}.{language}.ipynb"))
                self.log.info("Released with it: %s", notebook)
