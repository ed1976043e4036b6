"""One assignment of nbgrader's exchange for all languages: a class shares it, and each student chooses."""

import os
import shutil
from glob import glob
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseAssignment, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from autograder.intake.files import EXCHANGE_SECRET
from secant.language import LANGUAGES

_MOST = 20  # copies of a page: each is a file more in the exchange, and a student may hand in any number


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


class ReleasePages(ExchangeReleaseFeedback):
    """nbgrader's own; a submission's page goes out under the name of each notebook in it, whatever that is.

    `nbgrader fetch_feedback` looks for a page of every notebook that was handed in, and warns of each that it
    does not find. A submission has one page: of two languages, of a renamed notebook, or of several.
    """

    def copy_files(self) -> None:
        """Release the pages."""
        super().copy_files()
        for page in map(Path, glob(f"{self.src_path}/*.html")):
            student, secret = page.parent.parent.name, (page.parent / EXCHANGE_SECRET).read_text()
            settings = self.coursedir
            handed_in = Path(settings.format_path(settings.submitted_directory, student, page.parent.name))
            released = self._released(secret, page.stem)
            for name in _notebooks(handed_in, page.stem):
                if released.is_file():
                    shutil.copy(released, part := self._released(secret, f"{name}-tmp"))
                    part.replace(self._released(secret, name))

    def _released(self, secret: str, notebook: str) -> Path:
        """The page of a notebook in the exchange, where nbgrader looks for it."""
        return Path(self.dest_path, f"{notebook_hash(secret=secret, notebook_id=notebook)}.html")


def _notebooks(folder: Path, lesson: str) -> list[str]:
    """The names of the notebooks in a submission, without the ending: not the lesson's, and few others."""
    try:
        found = [Path(entry.name) for entry in os.scandir(folder) if entry.is_file()]
    except OSError:  # it is not here any more, or no folder
        return []
    names = {path.stem for path in found if path.suffix == ".ipynb" and _is_text(path.name)} - {lesson}
    return sorted(names, key=lambda name: (not name.startswith(lesson), name))[:_MOST]


def _is_text(name: str) -> bool:
    """Whether nbgrader can make a hash of a name: one of other bytes than text has half characters in it."""
    return not any("\ud800" <= char <= "\udfff" for char in name)
