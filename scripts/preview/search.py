"""Index the pages for search by Pagefind: an index a language, since each language has its own word forms."""

import shutil
import subprocess
import sys
from pathlib import Path

from scripts.preview.run import PreviewError

FOLDER = "search"
#: The pages of each language's index; the documents are in English.
PAGES = {"en": "{en,docs}/*.html", "ko": "ko/*.html"}
#: What is not text that somebody looks for: pictures with their numbers, folded tests, what cells print.
LEFT_OUT = ("figure", ".folded", ".output_area", ".contents")


def index(out: Path) -> None:
    """Write the indexes of a site's pages, and the script that searches them, into out/search/LANGUAGE.

    Raises:
        PreviewError: they could not be written.
    """
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    for language, pages in PAGES.items():
        options = {
            "site": str(out),
            "output-path": str(out / FOLDER / language),
            "glob": pages,
            "force-language": language,
            "root-selector": "main",
            "exclude-selectors": ",".join(LEFT_OUT),
            "include-characters": "_",
        }
        command = [part for name, value in options.items() for part in (f"--{name}", value)]
        done = subprocess.run(
            [sys.executable, "-m", "pagefind", "--silent", "--keep-index-url", *command],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise PreviewError(f"the pages could not be indexed for search: {done.stderr or done.stdout}")
