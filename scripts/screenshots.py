"""Take screenshots of whole lessons in JupyterLab, for people to look at: `make screenshots`.

The screenshots are saved below screenshots/, in a folder for each lesson, language and theme. The page
index.html shows all of them.
"""

import argparse
import html
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page
from rich.progress import track

from autograder.course.cells import is_test
from autograder.course.lesson import Lesson, choose_lessons, find_lessons
from secant.language import LANGUAGES
from tests.support import jupyterlab as lab

ROOT = Path(__file__).resolve().parents[1]
THEMES = ("light", "dark")
WIDTH, HEIGHT = 1200, 1500
# By default, JupyterLab draws only the cells in view; this setting makes it draw all of them.
WINDOWING = "/lab/api/settings/@jupyterlab/notebook-extension:tracker"
ALL_CELLS = b'{"raw": "{\\"windowingMode\\": \\"none\\"}"}'
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code')"
ALL_CELLS_RAN = (
    f"() => {CELLS}.every(cell => cell.model.executionCount || !cell.model.sharedModel.getSource().trim())"
)
HIDE_FILE_BROWSER = "() => window.jupyterapp.commands.execute('application:toggle-left-area')"
SCROLLER = """() => [...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook, '
  + '.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook *')]
  .find(e => e.scrollHeight > e.clientHeight + 100 && /auto|scroll/.test(getComputedStyle(e).overflowY))"""


def ignore_failing_tests(notebook: NotebookNode) -> NotebookNode:
    """Let test cells of a released notebook fail without stopping its execution; return the notebook."""
    for cell in filter(is_test, notebook.cells):
        cell.metadata["tags"] = ["raises-exception"]
    return notebook


def photograph(page: Page, folder: Path) -> None:
    """Scroll through the open notebook and save a screenshot of each screenful."""
    scroller = page.evaluate_handle(SCROLLER)
    place = scroller.as_element()
    if place is None:
        raise RuntimeError("no notebook that can be scrolled is on the page")
    step = int(scroller.evaluate("e => e.clientHeight")) - 40
    top, number = -1, 0
    while top < (top := int(scroller.evaluate(f"e => (e.scrollTop = {number * step}, e.scrollTop)"))):
        page.wait_for_timeout(400)
        number += 1
        place.screenshot(path=folder / f"{number:02}.png")


def take(browser: Browser, address: str, lesson: str, folder: Path) -> None:
    """Run a lesson and take its screenshots."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.png"):
        file.unlink()
    with (
        lab.open_lab(browser, address, width=WIDTH, height=HEIGHT) as page,
        lab.running(page, address, f"{lesson}.ipynb"),
    ):
        page.evaluate(HIDE_FILE_BROWSER)
        page.wait_for_function(ALL_CELLS_RAN, timeout=300_000)
        page.wait_for_timeout(2000)  # gives the last explorer time to show its figure and numbers
        photograph(page, folder)


def take_all(out: Path, lessons: Sequence[Lesson], languages: Sequence[str], themes: Sequence[str]) -> None:
    """Take the screenshots of lessons, with one JupyterLab for each language and theme."""
    with lab.chromium() as browser:
        for language, theme in product(languages, themes):
            with tempfile.TemporaryDirectory(prefix="secant-pictures-") as place:
                for lesson in lessons:
                    release = ROOT / "release" / language / lesson.name / f"{lesson.name}.ipynb"
                    notebook = ignore_failing_tests(nbformat.read(release, as_version=4))
                    nbformat.write(notebook, Path(place, f"{lesson.name}.ipynb"))
                with lab.jupyterlab(Path(place), language=language, dark=theme == "dark") as address:
                    request = urllib.request.Request(address + WINDOWING, ALL_CELLS, method="PUT")
                    urllib.request.urlopen(request, timeout=30).close()
                    for lesson in track(lessons, f"{language}, {theme}", transient=True):
                        take(browser, address, lesson.name, out / f"{lesson.name}_{language}_{theme}")


def contact_sheet(out: Path) -> str:
    """Return an HTML page with a row of screenshots for each folder; clicking a screenshot opens it."""
    rows = []
    for folder in sorted(path for path in out.iterdir() if path.is_dir()):
        links = [html.escape(path.relative_to(out).as_posix()) for path in sorted(folder.glob("*.png"))]
        images = "".join(f'<a href="{link}"><img src="{link}" loading="lazy" alt=""></a>' for link in links)
        rows.append(f"<h2>{html.escape(folder.name)}</h2><div>{images}</div>")
    style = "body{font-family:sans-serif} div{display:flex;gap:6px;overflow-x:auto} img{width:420px}"
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Secant: pictures of the lessons</title>'
        f"<style>{style}</style><h1>Pictures of the lessons</h1>{''.join(rows)}</html>\n"
    )


def main() -> int:
    """Take the screenshots requested on the command line."""
    parser = argparse.ArgumentParser(prog="python -m scripts.screenshots", description=__doc__)
    parser.add_argument("lessons", nargs="*", help="lessons, by number or name; all for none")
    parser.add_argument("--lang", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--theme", nargs="+", choices=THEMES, default=THEMES)
    parser.add_argument("--out", type=Path, default=ROOT / "screenshots")
    options = parser.parse_args()
    lessons = choose_lessons(find_lessons(ROOT), options.lessons)
    take_all(options.out, lessons, options.lang, options.theme)
    sheet = options.out / "index.html"
    sheet.write_text(contact_sheet(options.out), encoding="utf-8")
    print(f"Look at {sheet}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
