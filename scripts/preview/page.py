"""Make static lesson pages with pictures, text and MathML formulas; they load nothing from other sites."""

import base64
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from nbformat import NotebookNode

from autograder.course.cells import is_test
from autograder.page.formulas import keep_together
from scripts.preview.render import (
    HERE,
    KIT,
    PageRenderer,
    common_values,
    environment,
    render,
    with_contents,
)
from scripts.preview.run import PreviewError, Widgets
from scripts.preview.words import words
from secant.language import language
from secant.progress.course import SyllabusLesson

#: The scripts of the pages, including the one that draws an explorer's figure in JupyterLab.
SCRIPTS = (
    *(HERE / f"{name}.js" for name in ("theme", "search", "explorer", "frames", "stacked", "predictions")),
    KIT / "picture.js",
)
VIEW = "application/vnd.jupyter.widget-view+json"
_LIVE = re.compile(r' (role="status"|aria-live="polite")')
#: The CSS classes of an explorer's legend and of its numbers.
_PARTS = ("secant-legend", "secant-words")
# Matches a link to another lesson's notebook.
_LESSON = re.compile(r"^\.\./(\w+)/\1\.ipynb$")


@dataclass(frozen=True)
class SyllabusPlace:
    """The position of a page in the syllabus.

    Attributes:
        number: the number of the page's lesson, from 1.
        lessons: all lessons, in order.
    """

    number: int
    lessons: Sequence[SyllabusLesson]

    @property
    def lesson(self) -> SyllabusLesson:
        """The lesson of this page."""
        return self.lessons[self.number - 1]

    @property
    def before(self) -> SyllabusLesson | None:
        """The previous lesson, or None if this page's lesson is the first."""
        return self.lessons[self.number - 2] if self.number > 1 else None

    @property
    def after(self) -> SyllabusLesson | None:
        """The next lesson, or None if this page's lesson is the last."""
        return self.lessons[self.number] if self.number < len(self.lessons) else None


@dataclass(frozen=True)
class Files:
    """The files that a page needs: its explorers' recordings, and the picture that a shared link shows.

    Attributes:
        stem: the page's name without ".html".
        contents: the contents of the files, keyed by file name.
    """

    stem: str
    contents: dict[str, bytes] = field(default_factory=dict)


def lesson_page(
    notebook: NotebookNode, widgets: Widgets, place: SyllabusPlace, mark: str, site: str = ""
) -> tuple[str, Files]:
    """Return a lesson's page in the current language, and the files that the page fetches.

    Args:
        notebook: the lesson's notebook with the outputs of its cells. It is modified in place.
        widgets: the states of the notebook's widgets.
        place: the page's position in the syllabus.
        mark: a digest of everything that the page is made from. It is written into the page; if it has not
            changed, the page is not made again.
        site: the address of the site, as in "https://example.org/secant/", or "" if it is unknown. A shared
            link to the page shows its first picture only if this address is known.

    Raises:
        PreviewError: if a page cannot show one of the formulas or widgets.
    """
    files = Files(place.lesson.folder)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if VIEW in output.get("data", {}):
                output.data = {"text/html": _widget_html(output.data, widgets, files)}
    picture = link_picture(site, language(), place.lesson) if _picture(files.stem) in files.contents else ""
    resources = {
        "place": place,
        "mark": mark,
        "picture": picture,
        "words": words(),
        **common_values(),
    }
    exporter = _Exporter()
    page, _ = exporter.from_notebook_node(notebook, resources=resources)
    return with_contents(str(page), exporter.renderer), files


def link_picture(site: str, name: str, lesson: SyllabusLesson) -> str:
    """Return the address of the picture that a shared link to a lesson shows, in the given language.

    Return "" if the address of the site is unknown.
    """
    return f"{site}{name}/{_picture(lesson.folder)}" if site else ""


def _picture(stem: str) -> str:
    return f"{stem}.png"


def index_page(lessons: Sequence[SyllabusLesson], explorer: str = "", picture: str = "") -> str:
    """Return the page with the list of lessons in the current language, and an explorer above it if given."""
    return render("index.html.j2", lessons=lessons, explorer=explorer, picture=picture, **common_values())


def front_page(first_lesson: SyllabusLesson, explorer: str = "", picture: str = "") -> str:
    """Return the front page, with an explorer and links to the first lesson and to each list of lessons."""
    return render("front.html.j2", first=first_lesson, explorer=explorer, picture=picture)


def first_explorer(page: str, prefix: str = "") -> str:
    """Return the HTML of a lesson's first explorer for use in another page, or "" if there is none.

    Args:
        page: the lesson's page.
        prefix: the relative path from the other page to the lesson's folder, as in "en/".
    """
    match = re.search(r'(<figure class="still" data-frames=")(.*?</figure>)', page, re.DOTALL)
    return f"{match[1]}{prefix}{match[2]}" if match else ""


class _LessonRenderer(PageRenderer):
    """A renderer for the Markdown of one lesson."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Render a link; a link to another lesson's notebook becomes one to that lesson's page."""
        return str(super().link(text, _LESSON.sub(r"\1.html", url), title))


class _Exporter(HTMLExporter):
    """An exporter that puts the HTML of nbconvert's `basic` template into the frame of our pages."""

    def __init__(self) -> None:
        super().__init__(template_name="basic", template_file=str(HERE / "lesson.html.j2"))
        self.exclude_input_prompt = self.exclude_output_prompt = True
        self.environment.globals |= environment().globals
        # Skip HTML cleaning, which takes a third of the time, because our own lessons are safe.
        self.environment.filters |= {"is_test": is_test, "clean_html": str}
        self.renderer = _LessonRenderer()

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:
        return keep_together(MarkdownWithMath(self.renderer).render(source))


def _widget_html(data: NotebookNode, widgets: Widgets, files: Files) -> str:
    """Return the HTML that shows a widget on a page without a kernel.

    An explorer's recording (the frames that animate its picture) is added to `files`. So is the picture of
    the page's first explorer, which a shared link shows.

    Raises:
        PreviewError: if a page cannot show the widget.
    """
    state = widgets[data[VIEW]["model_id"]]["state"]
    classes = state.get("_dom_classes", [])
    if "image/png" in data:
        return _explorer(data, widgets, files)
    if "secant-prediction" in classes:
        return render("prediction.html.j2", state=state)
    if "secant-answer" in classes:
        lines = data["text/plain"].splitlines()
        return render("answer.html.j2", state=state, lines=lines)
    raise PreviewError(f"a widget has no picture: {data['text/plain'].splitlines()[0][:60]}")


def _explorer(data: NotebookNode, widgets: Widgets, files: Files) -> str:
    """Return the HTML of an explorer: a still picture, and the name of the recording that animates it."""
    states = list(_tree(data[VIEW]["model_id"], widgets))
    if not (alt := states[0].get("alt")):
        raise PreviewError("a widget has a picture, but no words for those who cannot see it")
    texts = [_LIVE.sub("", str(state.get("value"))) for state in states]
    legend, numbers = (
        "".join(text for text in texts if f'class="{css_class}"' in text) for css_class in _PARTS
    )
    number = sum(name.endswith(".frames") for name in files.contents) + 1
    name = f"{files.stem}.{number}.frames"
    files.contents[name] = base64.b64decode(states[0]["frames"])
    files.contents.setdefault(_picture(files.stem), base64.b64decode(data["image/png"]))
    picture = f'<img src="data:image/png;base64,{data["image/png"].strip()}" alt="{html.escape(alt)}">'
    picture_area = f'<div class="problems"></div><div class="wide">{picture}</div>'
    content = f'{picture_area}{legend}<div class="numbers">{numbers}</div>'
    return (
        f'<figure class="still" data-frames="{name}">{content}'
        f"<figcaption>{words()['moves']}</figcaption></figure>"
    )


def _tree(model_id: str, widgets: Widgets) -> Iterator[dict[str, Any]]:
    """Yield the state of a widget, then the states of all widgets inside it, in order."""
    state = dict(widgets[model_id]["state"])
    yield state
    for child in state.get("children", []):
        yield from _tree(child.removeprefix("IPY_MODEL_"), widgets)
