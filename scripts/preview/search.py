"""Make the site's search indexes with Pagefind, one for each language, because word forms differ."""

import shutil
import subprocess
import sys
from pathlib import Path

from scripts.preview.run import PreviewError

FOLDER = "search"
#: The folders that contain each language's pages. English has the folder docs, because the documents are in
#: English.
PAGES = {"en": ("en", "docs"), "ko": ("ko",)}
#: CSS selectors for the parts that are not indexed: pictures with their numbers, folded tests, outputs of
#: cells, and tables of contents.
LEFT_OUT = ("figure", ".folded", ".output_area", ".contents")


def index(out: Path) -> None:
    """Write the indexes of a site's pages, and the script that searches them, into out/search/LANGUAGE.

    A language without pages has no index.

    Raises:
        PreviewError: if an index could not be written.
    """
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    for language, folders in PAGES.items():
        if not any((out / folder).is_dir() for folder in folders):
            continue
        options = {
            "site": str(out),
            "output-path": str(out / FOLDER / language),
            "glob": f"{{{','.join(folders)}}}/*.html",
            "force-language": language,
            "root-selector": "main",
            "exclude-selectors": ",".join(LEFT_OUT),
            "include-characters": "_",
        }
        command = [part for name, value in options.items() for part in (f"--{name}", value)]
        process = subprocess.run(
            [sys.executable, "-m", "pagefind", "--silent", "--keep-index-url", *command],
            capture_output=True,
            text=True,
        )
        if process.returncode:
            raise PreviewError(
                f"the pages could not be indexed for search: {process.stderr or process.stdout}"
            )
