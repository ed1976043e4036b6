"""Make a static page of a lesson: its pictures and texts, formulas as MathML, nothing from elsewhere."""

import base64
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, pass_context
from jinja2.runtime import Context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from autograder.course.cells import is_test
from autograder.page.formulas import Display, Renderer, mathml, together
from scripts.preview.run import PreviewError, Widgets
from secant.explorers import kit as explorers
from secant.language import LANGUAGES, language, say
from secant.progress.course import Lesson

HERE = Path(__file__).parent
KIT = Path(explorers.__file__).parent
#: The pages' scripts, and JupyterLab's own picture.
SCRIPTS = (
    *(HERE / f"{name}.js" for name in ("theme", "explorer", "frames", "stacked", "predictions")),
    KIT / "picture.js",
)
VIEW = "application/vnd.jupyter.widget-view+json"
NAMES = {"en": "English", "ko": "한국어"}
_LIVE = re.compile(r' (role="status"|aria-live="polite")')
#: Of what an explorer says: its legend, and its numbers.
_PARTS = ("secant-legend", "secant-words")
# A link to another lesson's notebook.
_LESSON = re.compile(r"^\.\./(\w+)/\1\.ipynb$")
#: Pygments' styles whose letters have a contrast of 4.5 or more on the page's grounds, light and dark.
LIGHT, DARK = "xcode", "github-dark"


@dataclass(frozen=True)
class Place:
    """Where a page stands: its lesson's number, from 1, in the syllabus."""

    number: int
    lessons: Sequence[Lesson]

    @property
    def lesson(self) -> Lesson:
        """The page's own lesson."""
        return self.lessons[self.number - 1]

    @property
    def before(self) -> Lesson | None:
        """The lesson before this one."""
        return self.lessons[self.number - 2] if self.number > 1 else None

    @property
    def after(self) -> Lesson | None:
        """The lesson after this one."""
        return self.lessons[self.number] if self.number < len(self.lessons) else None


@dataclass
class Files:
    """What stands beside a page, by name: its explorers' recordings, and a picture for links to it."""

    stem: str
    contents: dict[str, bytes] = field(default_factory=dict)


def lesson_page(
    notebook: NotebookNode, widgets: Widgets, place: Place, mark: str, site: str = ""
) -> tuple[str, Files]:
    """Return a lesson that was run as a page in the language in use, and the files that it fetches.

    Args:
        notebook: with outputs; it is changed.
        widgets: what its kernel knew of them.
        place: where the page stands.
        mark: what the page is made from, written into it, so that it need not be made twice.
        site: where the pages will be, as in "https://example.org/secant/": a shared link to this one then
            shows its first picture.

    Raises:
        PreviewError: for a formula or a widget that a page cannot show.
    """
    files = Files(place.lesson.folder)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if VIEW in output.get("data", {}):
                output.data = {"text/html": _live(output.data, widgets, files)}
    picture = link_picture(site, language(), place.lesson) if _picture(files.stem) in files.contents else ""
    resources = {"place": place, "mark": mark, "picture": picture, "words": _words(), **_common()}
    page, _ = _Exporter().from_notebook_node(notebook, resources=resources)
    return str(page), files


def link_picture(site: str, name: str, lesson: Lesson) -> str:
    """Return the address of the picture that stands for a lesson in one language; nothing without a site."""
    return f"{site}{name}/{_picture(lesson.folder)}" if site else ""


def _picture(stem: str) -> str:
    return f"{stem}.png"


def index_page(lessons: Sequence[Lesson], explorer: str = "", picture: str = "") -> str:
    """Return the list of lessons in the language in use, below an explorer, if there is one."""
    page = _environment().get_template("index.html.j2")
    return page.render(lessons=lessons, explorer=explorer, picture=picture, words=_words(), **_common())


def front_page(explorer: str = "", picture: str = "") -> str:
    """Return the page that leads to each language's list, with an explorer to move, if there is one."""
    page = _environment().get_template("front.html.j2")
    return page.render(names=NAMES, explorer=explorer, picture=picture, words=_words())


def first_explorer(page: str, up: str = "") -> str:
    """Return the first explorer of a lesson's page, for a page elsewhere; nothing if there is none.

    Args:
        page: the lesson's page.
        up: what leads from the other page to the lesson's folder, as in "en/".
    """
    found = re.search(r'(<figure class="still" data-frames=")(.*?</figure>)', page, re.DOTALL)
    return f"{found[1]}{up}{found[2]}" if found else ""


def style() -> str:
    """Return the pages' style sheet. Paper is light."""
    dark = (HERE / "dark.css").read_text(encoding="utf-8") + _code_colours(DARK)
    return "\n".join(
        [
            (KIT / "picture.css").read_text(encoding="utf-8"),
            (HERE / "style.css").read_text(encoding="utf-8"),
            _code_colours(LIGHT),
            f'@media screen {{\n:root[data-theme="dark"] {{\n{dark}\n}}\n}}',
            '@media screen and (prefers-color-scheme: dark) {\n:root:not([data-theme="light"]) {\n'
            f"{dark}\n}}\n}}\n",
        ]
    )


def _code_colours(name: str) -> str:
    """Return a Pygments style's rules for letters, without its ground and its line height."""
    rules = HtmlFormatter(style=name).get_style_defs(".highlight").splitlines()
    return "\n".join(rule for rule in rules if rule.startswith(".highlight ."))


class _Renderer(Renderer):
    """For one page; a formula that cannot be set ends it."""

    titled = False

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        """Set a heading; a page has one of the first level, whatever its notebook has."""
        level, self.titled = (2 if level == 1 and self.titled else level), True
        return str(super().heading(text, level, **attrs))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Set a link; that to another lesson's notebook leads to its page."""
        return str(super().link(text, _LESSON.sub(r"\1.html", url), title))

    def formula(self, latex: str, display: Display) -> str:
        return _formula(latex, display)


class _Exporter(HTMLExporter):
    """nbconvert's plainest page in our frame."""

    def __init__(self) -> None:
        super().__init__(template_name="basic", template_file=str(HERE / "lesson.html.j2"))
        self.exclude_input_prompt = self.exclude_output_prompt = True
        # Our own lessons need no cleaning, which takes a third of the time.
        self.environment.filters |= {"is_test": is_test, "clean_html": str}
        self._renderer = _Renderer(escape=False, exclude_anchor_links=True)

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:
        return together(MarkdownWithMath(self._renderer).render(source))


def _formula(latex: str, display: Display) -> str:
    try:
        return mathml(latex, display)
    except ValueError as error:
        raise PreviewError(str(error)) from error


def _live(data: NotebookNode, widgets: Widgets, files: Files) -> str:
    """Return what a page without a kernel has of a widget, as HTML; its recording goes into the files."""
    state = widgets[data[VIEW]["model_id"]]["state"]
    own = state.get("_dom_classes", [])
    if "image/png" in data:
        return _explorer(data, widgets, files)
    if "secant-prediction" in own:
        return _environment().get_template("prediction.html.j2").render(state=state, words=_words())
    if "secant-answer" in own:
        lines = data["text/plain"].splitlines()
        return _environment().get_template("answer.html.j2").render(state=state, lines=lines, words=_words())
    raise PreviewError(f"a widget has no picture: {data['text/plain'].splitlines()[0][:60]}")


def _explorer(data: NotebookNode, widgets: Widgets, files: Files) -> str:
    """Return an explorer's still picture, with the name of the recording that makes it move."""
    states = list(_tree(data[VIEW]["model_id"], widgets))
    if not (alt := states[0].get("alt")):
        raise PreviewError("a widget has a picture, but no words for those who cannot see it")
    texts = [_LIVE.sub("", str(state.get("value"))) for state in states]
    legend, numbers = ("".join(text for text in texts if f'class="{one}"' in text) for one in _PARTS)
    number = sum(name.endswith(".frames") for name in files.contents) + 1
    name = f"{files.stem}.{number}.frames"
    files.contents[name] = base64.b64decode(states[0]["frames"])
    files.contents.setdefault(_picture(files.stem), base64.b64decode(data["image/png"]))
    picture = f'<img src="data:image/png;base64,{data["image/png"].strip()}" alt="{html.escape(alt)}">'
    still = f'<div class="problems"></div><div class="wide">{picture}</div>'
    shown = f'{still}{legend}<div class="numbers">{numbers}</div>'
    return (
        f'<figure class="still" data-frames="{name}">{shown}'
        f"<figcaption>{_words()['moves']}</figcaption></figure>"
    )


def _tree(model_id: str, widgets: Widgets) -> Iterator[dict[str, Any]]:
    """Yield the states of a widget and of all that it holds, in order."""
    state = dict(widgets[model_id]["state"])
    yield state
    for child in state.get("children", []):
        yield from _tree(child.removeprefix("IPY_MODEL_"), widgets)


def _environment() -> Environment:
    return Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True)


def _common() -> dict[str, Any]:
    other = next(name for name in LANGUAGES if name != language())
    return {"language": language(), "other": other, "names": NAMES}


def _words() -> dict[str, str]:
    """Return what the pages say besides the lessons, in the language in use."""
    return {
        "course": say(
            en="Secant: PyTorch's autograd in ten lessons", ko="Secant: 수업 열 개로 배우는 PyTorch autograd"
        ),
        "about": say(
            en="Ten lessons on PyTorch's autograd as Jupyter notebooks, with sliders that turn a secant into "
            "the tangent and tests that tell you what is wrong with your function.",
            ko="PyTorch의 autograd를 다루는 주피터 노트북 수업 열 개입니다. "
            "슬라이더로 할선을 접선으로 바꾸어 보고, 직접 쓴 함수의 어디가 틀렸는지 테스트로 확인합니다.",
        ),
        "look": say(
            en="These pages are for a look: the sliders move, but nothing is graded. "
            "To write your own answers, clone the repository and run",
            ko="이 페이지는 미리 보기입니다. 슬라이더는 움직이지만 채점은 하지 않습니다. "
            "직접 답을 쓰려면 저장소를 복제한 뒤 다음 명령을 실행하세요.",
        ),
        "try": say(
            en="Drag h to the left, towards 0: the secant turns into the tangent, and its slope into "
            "autograd's gradient. Drag it further, and the quotient goes wrong.",
            ko="h를 왼쪽으로, 0에 가깝게 끌어 보세요. 할선은 접선이 되고, 할선의 기울기는 "
            "autograd의 gradient가 됩니다. 더 끌면 차분몫이 어긋나기 시작합니다.",
        ),
        "command": say(en="make lab", ko="make lab lang=ko"),
        "lessons": say(en="Lessons", ko="수업 목록"),
        "lesson": say(en="Lesson", ko="수업"),
        "minutes": say(en=" min", ko="분"),
        "theme": say(en="Light or dark", ko="밝게 또는 어둡게"),
        "skip": say(en="To the lesson", ko="본문으로"),
        "tests": say(
            en="Visible tests (you run them in JupyterLab)", ko="보이는 테스트 (JupyterLab에서 실행합니다)"
        ),
        "code": say(en="Code of this cell", ko="이 셀의 코드"),
        "moves": say(
            en="In JupyterLab you move this picture with sliders.",
            ko="JupyterLab에서는 슬라이더로 이 그림을 움직일 수 있습니다.",
        ),
        "choose": say(en="Choose one before you read on.", ko="하나를 고른 뒤에 계속 읽으세요."),
        "chosen": say(
            en="Your choice is {choice}. It stays in this browser, and the lesson comes back to it.",
            ko="고른 답은 {choice}입니다. 이 브라우저에만 남습니다. 뒤에서 다시 다룹니다.",
        ),
        "not_yet": say(
            en="You have not answered the prediction above yet. Choose there; the solution appears here.",
            ko="위의 예상에서 아직 답을 고르지 않았습니다. 먼저 고르면 여기에 설명이 나옵니다.",
        ),
        "answer": say(en="The answer, and what leads to the others", ko="정답과 다른 답에 대한 설명"),
        "output": say(en="Output", ko="출력"),
        "before": say(en="Before", ko="이전"),
        "after": say(en="Next", ko="다음"),
    }
