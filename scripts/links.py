"""Write the address where text needs it: `python -m scripts.links`, after a change in pyproject.toml.

These are the tables of lessons in both READMEs, with their badges, and CITATION.cff.
"""

import re
import sys
from pathlib import Path
from urllib.parse import quote

from secant.address import urls
from secant.files import replace_file
from secant.language import Language
from secant.progress.course import read_course

ROOT = Path(__file__).resolve().parent.parent
READMES: dict[str, Language] = {"README.md": "en", "README.ko.md": "ko"}
BEGIN, END = "<!-- lessons: written by scripts/links.py -->", "<!-- end of lessons -->"
HEADS = {"en": "| | lesson | min | open it alone |", "ko": "| | 수업 | 분 | 수업 하나만 열기 |"}
ALL = {
    "en": "All lessons, with nothing to install on your computer: {codespaces} or {binder}.",
    "ko": "컴퓨터에 아무것도 설치하지 않고 모든 수업을 열 수도 있습니다: {codespaces}, {binder}.",
}
COLAB = "https://colab.research.google.com/assets/colab-badge.svg"
KAGGLE = "https://kaggle.com/static/images/open-in-kaggle.svg"


def table(language: Language) -> str:
    """Return the table of lessons, a badge each for Colab and for Kaggle."""
    repository = urls()["Repository"]
    name = repository.removeprefix("https://github.com/")
    rows = [HEADS[language], "|---:|---|---:|---|"]
    for lesson in read_course(ROOT, language):
        path = f"release/{language}/{lesson.folder}/{lesson.folder}.ipynb"
        kaggle = quote(f"{repository}/blob/main/{path}", safe="")
        badges = (
            f"[![Open in Colab]({COLAB})](https://colab.research.google.com/github/{name}/blob/main/{path}) "
            f"[![Open in Kaggle]({KAGGLE})](https://kaggle.com/kernels/welcome?src={kaggle})"
        )
        rows.append(f"| {lesson.number} | [{lesson.title}]({path}) | {lesson.minutes} | {badges} |")
    codespaces = f"[GitHub Codespaces](https://codespaces.new/{name})"
    binder = f"[Binder](https://mybinder.org/v2/gh/{name}/main?urlpath=lab/tree/release/{language})"
    return "\n".join(rows) + "\n\n" + ALL[language].format(codespaces=codespaces, binder=binder)


def written() -> dict[Path, str]:
    """Return what each file has to say, in full."""
    found = {}
    for name, language in READMES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        found[ROOT / name] = f"{before}{BEGIN}\n\n{table(language)}\n\n{END}{after}"
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    place = f"repository-code: {urls()['Repository']}"
    found[ROOT / "CITATION.cff"] = re.sub(r"(?m)^repository-code: .*$", place, cited)
    return found


def main() -> int:
    """Write the files."""
    for path, text in written().items():
        replace_file(path, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
