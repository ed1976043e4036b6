"""A step from source to release: the first cell installs Secant where a lesson was opened without it."""

from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import NbGraderPreprocessor

from secant.address import urls
from secant.language import ours

#: Names no version: a lesson that has not changed must not look changed after an update.
_CODE = """try:
    import secant
except ModuleNotFoundError:  # {why}
    get_ipython().run_line_magic("pip", "install --quiet 'secant @ git+{repository}'")"""
_WHY = {
    "en": "opened on its own, as in Colab or Kaggle: install what it needs",
    "ko": "Colab이나 Kaggle처럼 수업 파일만 열었을 때: 필요한 것을 설치합니다",
}


class InstallCell(NbGraderPreprocessor):
    """Put the cell first. Where Secant is installed it does nothing, and Secant's JupyterLab hides it."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with the cell."""
        code = _CODE.format(why=_WHY[ours(nb.metadata["lang"])], repository=urls()["Repository"])
        metadata = {"jupyter": {"source_hidden": True}, "installs": "secant"}
        nb.cells.insert(0, new_code_cell(code, id="install-secant", metadata=metadata))
        return nb, resources
