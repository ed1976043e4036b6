"""Take screenshots of the start page, and of a lesson's explorer and panel, in windows of several sizes.

The screenshots are for people to look at: `python -m scripts.windows 6`. They are saved below
screenshots/windows for each language, theme and size. Each page is opened in a new window of that size.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from itertools import product
from pathlib import Path
from unittest.mock import patch

import nbformat
from playwright.sync_api import Browser, Page

from autograder.course.lesson import Lesson, choose_lessons, find_lessons
from scripts.screenshots import THEMES, ignore_failing_tests
from secant.lab.launch import prepare, write_lab_config
from secant.language import LANGUAGES, Language
from secant.language import language as show_in
from secant.workspace_state import OWN_WORKSPACE
from tests.support import jupyterlab as lab

ROOT = Path(__file__).resolve().parents[1]
SIZES = ("1440x900", "1024x768", "720x450")
EXPLORER = ".secant-explorer .secant-picture img[src]"
TO_EXPLORER = "() => document.querySelector('.secant-explorer').scrollIntoView({block: 'start'})"


@contextmanager
def learners_lab(language: Language, *, dark: bool) -> Iterator[tuple[str, Path]]:
    """Serve a new workspace as `secant lab` does.

    Yields:
        the address of its start page, and its folder.
    """
    with tempfile.TemporaryDirectory(prefix="secant-windows-") as temporary:
        show_in(language)
        with patch.dict(os.environ, {"SECANT_DATA": str(Path(temporary, "data"))}):
            workspace, page = prepare(ROOT, date.today(), Path(temporary, "work"))
            settings = {
                "JUPYTER_CONFIG_PATH": str(write_lab_config(Path(temporary, "settings"), page)),
                OWN_WORKSPACE: str(workspace),
            }
            with (
                patch.dict(os.environ, settings),
                lab.jupyterlab(workspace, language=language, dark=dark) as address,
            ):
                yield f"{address}/lab/tree/{page}", workspace


def take(browser: Browser, start: str, path: str, size: str, name: Path) -> None:
    """Take the screenshots of one window.

    They show the start page, the explorer, the explorer next to the panel, and one of the explorer's
    questions.

    Args:
        browser: the browser.
        start: the address of the start page.
        path: the notebook's path in the workspace.
        size: the size of the window, as in "1440x900".
        name: the beginning of the screenshots' paths.
    """
    width, height = map(int, size.split("x"))
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US")
    page = context.new_page()
    try:
        page.goto(f"{start}?reset")
        page.locator(".secant-card").first.wait_for(timeout=60_000)
        page.wait_for_timeout(1000)
        page.screenshot(path=f"{name}_1_start.png")
        page.evaluate(lab.RUN_ALL, path)
        page.locator(EXPLORER).first.wait_for(timeout=120_000)
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:interrupt-kernel')")
        _take_screenshot(page, f"{name}_2_lesson.png")
        page.evaluate("() => window.jupyterapp.commands.execute('secant:check')")
        page.locator(".secant-buttons .secant-primary:visible").wait_for(timeout=120_000)
        _take_screenshot(page, f"{name}_3_panel.png")
        page.locator(".secant-explorer button", has_text="1").first.click()
        _take_screenshot(page, f"{name}_4_question.png")
    finally:
        context.close()
        lab.shut_down(start.partition("/lab/")[0], path)


def _take_screenshot(page: Page, name: str) -> None:
    for _ in range(3):  # scroll repeatedly, because new output above the explorer pushes it down
        page.wait_for_timeout(1000)
        page.evaluate(TO_EXPLORER)
    page.wait_for_timeout(500)
    page.screenshot(path=name)


def take_all(
    out: Path, lesson: Lesson, languages: Sequence[Language], themes: Sequence[str], sizes: Sequence[str]
) -> None:
    """Take the screenshots of a lesson, with one JupyterLab for each language and theme."""
    out.mkdir(parents=True, exist_ok=True)
    with lab.chromium() as browser:
        for language, theme in product(languages, themes):
            with learners_lab(language, dark=theme == "dark") as (start, workspace):
                path = f"{lesson.name}/{lesson.name}.ipynb"
                notebook = ignore_failing_tests(nbformat.read(workspace / path, as_version=4))
                nbformat.write(notebook, workspace / path)
                for size in sizes:
                    take(browser, start, path, size, out / f"{lesson.name[:2]}_{language}_{theme}_{size}")


def main() -> int:
    """Take the screenshots requested on the command line."""
    parser = argparse.ArgumentParser(prog="python -m scripts.windows", description=__doc__)
    parser.add_argument("lesson", nargs="?", default="1", help="by number or name; the first if left out")
    parser.add_argument("--lang", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--theme", nargs="+", choices=THEMES, default=THEMES)
    parser.add_argument("--size", nargs="+", default=SIZES, metavar="WIDTHxHEIGHT")
    parser.add_argument("--out", type=Path, default=ROOT / "screenshots" / "windows")
    options = parser.parse_args()
    (lesson,) = choose_lessons(find_lessons(ROOT), [options.lesson])
    take_all(options.out, lesson, options.lang, options.theme, options.size)
    print(f"Look at {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
