"""A step of the release process: add a first cell, which installs Secant on a computer that lacks it."""

from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.build.lesson_step import LessonStep
from secant.address import urls
from secant.language import supported_language

#: The code of the cell that installs Secant. It names no version, because an update of Secant must not change
#: the release of an unchanged lesson.
_CODE = """try:
    import secant
except ModuleNotFoundError:  # {why}
    get_ipython().run_line_magic("pip", "install --quiet 'secant @ git+{repository}'")
    try:
        import secant
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            {failed}
        ) from None"""
_REASON = {
    "en": "opened on its own, as in Colab or Kaggle: install what it needs",
    "ko": "Colab이나 Kaggle처럼 수업 파일만 열었을 때: 필요한 것을 설치합니다",
}
#: The message if Secant could not be installed. Each string becomes one line of the cell's code.
_FAILURE_MESSAGE = {
    "en": (
        "Secant could not be installed from {repository}. pip says why, above. ",
        "If pip could not reach that address, connect to the internet and run this cell again. ",
        "If you have Secant's folder, open a terminal in it, run `pip install -r requirements.txt` ",
        "with the Python of this notebook, and restart the kernel.",
    ),
    "ko": (
        "{repository}에서 Secant를 설치하지 못했습니다. 이유는 위의 pip 메시지에 있습니다. ",
        "pip가 이 주소에 연결하지 못했다면 인터넷 연결을 확인하고 이 셀을 다시 실행하세요. ",
        "Secant 폴더가 있다면 그 폴더에서 터미널을 열고, 이 노트북과 같은 Python으로 ",
        "`pip install -r requirements.txt`를 실행한 뒤 커널을 다시 시작하세요.",
    ),
}


class InstallCell(LessonStep):
    """A step that inserts, at the top of the notebook, a cell that installs Secant.

    If Secant is already installed, the cell does nothing, and Secant's JupyterLab extension hides it.
    """

    def release(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with a first cell that installs Secant."""
        lang, repository = supported_language(nb.metadata["lang"]), urls()["Repository"]
        failure_message = "\n            ".join(f'"{line}"' for line in _FAILURE_MESSAGE[lang]).format(
            repository=repository
        )
        code = _CODE.format(why=_REASON[lang], repository=repository, failed=failure_message)
        metadata = {"jupyter": {"source_hidden": True}, "installs": "secant"}
        nb.cells.insert(0, new_code_cell(code, id="install-secant", metadata=metadata))
        return nb, resources
