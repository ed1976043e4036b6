"""Write the static site in preview/: `python -m scripts.preview`, or `make preview`.

Any web server can serve the site.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from scripts.demo.__main__ import DemoError
from scripts.preview.docs import document_page, documents, documents_page
from scripts.preview.instructors import instructors_page, write_class
from scripts.preview.page import (
    SCRIPTS,
    SyllabusPlace,
    first_explorer,
    front_page,
    index_page,
    lesson_page,
    link_picture,
)
from scripts.preview.render import HERE, style
from scripts.preview.run import PreviewError, Widgets, run
from scripts.preview.search import index
from secant.files import replace_file
from secant.language import LANGUAGES, Language, language
from secant.progress.course import read_course

#: The name of the file with a digest of the code that made the reports on the demo's class.
CLASS = ".class"
ROOT = Path(__file__).resolve().parents[2]
#: The libraries that a page's outputs and appearance depend on, in addition to the course's own code.
LIBRARIES = ("torch", "matplotlib", "ipywidgets", "nbconvert", "latex2mathml")


@dataclass(frozen=True)
class PendingPage:
    """A page of the preview that has yet to be made."""

    language: Language
    number: int
    notebook: Path
    page: Path
    mark: str


def pending_pages(out: Path, languages: tuple[Language, ...], site: str = "") -> Iterator[PendingPage]:
    """Yield the pages of a preview that are missing or outdated.

    A page is outdated if its lesson, the site's address, or the code that makes pages has changed.
    """
    files = _files(ROOT / "secant")
    code = _digest_of(sorted([*files, *HERE.glob("*.py"), *HERE.glob("*.j2")])) + site.encode()
    for name in languages:
        language(name)
        for number, lesson in enumerate(read_course(ROOT, language()), 1):
            notebook = ROOT / "release" / name / lesson.folder / f"{lesson.folder}.ipynb"
            mark = hashlib.sha256(code + notebook.read_bytes() + repr(lesson).encode()).hexdigest()[:16]
            page = out / name / f"{lesson.folder}.html"
            if not page.is_file() or f'content="{mark}"' not in page.read_text(encoding="utf-8")[:4000]:
                yield PendingPage(name, number, notebook, page, mark)


def build(
    out: Path,
    languages: tuple[Language, ...],
    workers: int,
    console: Console,
    lessons: Sequence[int] = (),
    site: str = "",
) -> int:
    """Make the lessons' missing or outdated pages and the rest of the site; return how many pages failed.

    The reason for each failure is printed.

    Args:
        out: the folder of the preview.
        languages: the languages of the pages.
        workers: the number of lessons to run at the same time.
        console: the console for progress and reasons.
        lessons: the numbers of the lessons to make; if empty, all lessons are made.
        site: the address at which the preview will be served. Without it, shared links to the pages show no
            picture.
    """
    for name in languages:
        (out / name).mkdir(parents=True, exist_ok=True)
    tasks = [task for task in pending_pages(out, languages, site) if not lessons or task.number in lessons]
    failure_count = 0
    with (
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as progress,
        ThreadPoolExecutor(workers) as pool,
    ):
        bar = progress.add_task("Running lessons", total=len(tasks))
        task_of_future = {pool.submit(_run, task): task for task in tasks}
        for future in as_completed(task_of_future):
            try:
                _write_page(task_of_future[future], future, site)
            except PreviewError as error:
                failure_count += 1
                progress.console.print(
                    f"{task_of_future[future].notebook.relative_to(ROOT)}: {error}", markup=False
                )
            progress.advance(bar)
    _write_frame(out, languages, site)
    return failure_count


def _run(task: PendingPage) -> tuple[NotebookNode, Widgets]:
    return run(nbformat.read(task.notebook, as_version=4), task.language)


def _write_page(task: PendingPage, future: Future[tuple[NotebookNode, Widgets]], site: str) -> None:
    # All threads share the current language, so only the thread that writes pages changes it.
    language(task.language)
    notebook, widgets = future.result()
    place = SyllabusPlace(task.number, read_course(ROOT, language()))
    page, files = lesson_page(notebook, widgets, place, task.mark, site)
    for name, content in files.contents.items():
        replace_file(task.page.with_name(name), content)
    replace_file(task.page, page.encode())  # written last, so that a page never lacks the files it needs


def _write_frame(out: Path, languages: tuple[Language, ...], site: str) -> None:
    """Write everything in the preview except the lessons' pages.

    This includes the file that makes GitHub Pages serve all files unprocessed.
    """
    for name in languages:
        language(name)
        lessons = read_course(ROOT, language())
        explorer = first_explorer(_page(out, name, lessons[0].folder))
        page = index_page(lessons, explorer, link_picture(site, name, lessons[0]))
        replace_file(out / name / "index.html", page.encode())
        replace_file(out / name / "instructors.html", instructors_page(out).encode())
    language("en")
    _write_documents(out / "docs")
    first_lesson = read_course(ROOT, "en")[0]
    explorer = first_explorer(_page(out, "en", first_lesson.folder), "en/")
    replace_file(
        out / "index.html",
        front_page(first_lesson, explorer, link_picture(site, "en", first_lesson)).encode(),
    )
    replace_file(out / "style.css", style().encode())
    for script in SCRIPTS:
        replace_file(out / script.name, script.read_bytes())
    replace_file(out / ".nojekyll", b"")
    index(out)


def _write_documents(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    all_documents = list(documents())
    for document in all_documents:
        replace_file(folder / f"{document.name}.html", document_page(document).encode())
    replace_file(folder / "index.html", documents_page(all_documents).encode())


def _page(out: Path, name: Language, folder: str) -> str:
    """Return a lesson's page, or "" if it has not been made."""
    path = out / name / f"{folder}.html"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _files(folder: Path) -> list[Path]:
    """Return the paths of a folder's Python files, TOML files, notebooks and templates."""
    return [path for end in ("py", "toml", "ipynb", "j2") for path in folder.rglob(f"*.{end}")]


def _digest_of(paths: list[Path]) -> bytes:
    digest = hashlib.sha256(" ".join(version(name) for name in LIBRARIES).encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.digest()


def _grade_class(out: Path, languages: tuple[Language, ...], console: Console) -> int:
    """Make the reports on the demo's class unless they are up to date, and return 1 if that fails, else 0."""
    code = sorted(
        path
        for folder in ("secant", "autograder", "scripts/demo", "source")
        for path in _files(ROOT / folder)
    )
    mark, mark_file = _digest_of(code), out / CLASS
    if mark_file.is_file() and mark_file.read_bytes() == mark:
        return 0
    try:
        write_class(out, languages)
        replace_file(mark_file, mark)
    except DemoError as error:
        console.print(f"no reports on a class: {error}", markup=False)
        return 1
    return 0


def main() -> int:
    """Write the site requested on the command line and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.preview", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "preview", help="the folder to write")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="lessons run side by side")
    parser.add_argument(
        "--lesson", type=int, nargs="*", default=[], help="these lessons, by number; else all"
    )
    parser.add_argument("--lang", nargs="*", choices=LANGUAGES, default=LANGUAGES, help="in these languages")
    parser.add_argument("--site", default="", help="the address of --out, for the pictures of shared links")
    options = parser.parse_args()
    count = len(read_course(ROOT, "en"))
    if unknown_numbers := [number for number in options.lesson if not 1 <= number <= count]:
        parser.error(f"--lesson takes numbers from 1 to {count}, not {unknown_numbers[0]}")
    if options.out.exists() and not options.out.is_dir():
        parser.error(f"--out is a folder; {options.out} is a file")
    site = options.site and f"{options.site.rstrip('/')}/"
    console = Console(stderr=True)
    failure_count = 0 if options.lesson else _grade_class(options.out, tuple(options.lang), console)
    try:
        failure_count += build(
            options.out, tuple(options.lang), options.workers, console, options.lesson, site
        )
    except PreviewError as error:
        console.print(f"{error}", markup=False)
        return 1
    size = sum(path.stat().st_size for path in options.out.rglob("*") if path.is_file())
    print(f"{options.out}: {size / 1e6:.1f} MB. Look at it: python -m http.server --directory {options.out}")
    return 1 if failure_count else 0


if __name__ == "__main__":
    sys.exit(main())
