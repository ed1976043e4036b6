"""Update the files that contain the repository's address: `python -m scripts.links`.

Run this script after changing the address in pyproject.toml. It rewrites the tables of lessons in both
READMEs, the links in docs/online.md, and CITATION.cff.
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
ONLINE = "docs/online.md"
BEGIN, END = "<!-- lessons: written by scripts/links.py -->", "<!-- end of lessons -->"
HEADS = {"en": "| | lesson | minutes |", "ko": "| | 수업 | 분 |"}


def lessons_table(language: Language) -> str:
    """Return the table of lessons for a README in this language."""
    rows = [HEADS[language], "|---:|---|---:|"]
    for lesson in read_course(ROOT, language):
        path = f"release/{language}/{lesson.folder}/{lesson.folder}.ipynb"
        rows.append(f"| {lesson.number} | [{lesson.title}]({path}) | {lesson.minutes} |")
    return "\n".join(rows)


def online_links() -> str:
    """Return the links that open one lesson in Colab or Kaggle, or all lessons in Codespaces or Binder."""
    repository = urls()["Repository"]
    name = repository.removeprefix("https://github.com/")
    rows = ["| | lesson | in English | in Korean |", "|---:|---|---|---|"]
    for lesson in read_course(ROOT, "en"):
        cells = [_notebook_links(repository, language, lesson.folder) for language in READMES.values()]
        rows.append(f"| {lesson.number} | {lesson.title} | {' | '.join(cells)} |")
    codespaces = f"[GitHub Codespaces](https://codespaces.new/{name})"
    binder = ", ".join(
        f"[{language}](https://mybinder.org/v2/gh/{name}/main?urlpath=lab/tree/release/{code})"
        for language, code in (("English", "en"), ("Korean", "ko"))
    )
    return "\n".join(rows) + f"\n\nAll lessons: {codespaces}, or Binder in {binder}."


def _notebook_links(repository: str, language: Language, folder: str) -> str:
    name = repository.removeprefix("https://github.com/")
    path = f"release/{language}/{folder}/{folder}.ipynb"
    kaggle = quote(f"{repository}/blob/main/{path}", safe="")
    return (
        f"[Colab](https://colab.research.google.com/github/{name}/blob/main/{path}), "
        f"[Kaggle](https://kaggle.com/kernels/welcome?src={kaggle})"
    )


def updated_texts() -> dict[Path, str]:
    """Return the complete new text of each file, keyed by path."""
    parts = {name: lessons_table(language) for name, language in READMES.items()} | {ONLINE: online_links()}
    texts = {}
    for name, part in parts.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        texts[ROOT / name] = f"{before}{BEGIN}\n\n{part}\n\n{END}{after}"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    address = f"repository-code: {urls()['Repository']}"
    texts[ROOT / "CITATION.cff"] = re.sub(r"(?m)^repository-code: .*$", address, citation)
    return texts


def main() -> int:
    """Rewrite all files that contain the repository's address."""
    for path, text in updated_texts().items():
        replace_file(path, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
