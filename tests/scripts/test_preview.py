"""Tests of the lessons' static pages: what they show, and that they load nothing from other hosts."""

import gzip
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from scripts.preview import __main__ as preview
from scripts.preview import docs, instructors, render
from scripts.preview import page as pages
from scripts.preview.run import PreviewError, run
from scripts.preview.search import index
from secant.language import language
from secant.progress.course import read_course
from tests.support.settings import in_english, preserve_settings  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
MARK = "0123456789abcdef"
TEST = {"nbgrader": {"grade": True, "grade_id": "test_f", "points": 1, "solution": False}}
HIDDEN = {"source_hidden": True}
SMALL_LESSON = new_notebook(
    cells=[
        new_markdown_cell(
            "# Ein\n\nOf $x^2$, and\n\n$$\\frac{1}{h}$$\n\n# Tasks\n\nSee [there](https://pytorch.org)."
        ),
        new_code_cell("from secant import explore, predict, predicted\npredict('p', A='`up`', B='down')"),
        new_code_cell("explore(x=3, h=1)"),
        new_code_cell("predicted('p', right='A', A='it is up', B='a sign')", metadata={"jupyter": HIDDEN}),
        new_code_cell("raise RuntimeError('a test was run')", metadata=TEST | {"jupyter": HIDDEN}),
        new_code_cell("print('printed')"),
    ],
    metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
)


def syllabus_place(number: int = 1) -> pages.SyllabusPlace:
    return pages.SyllabusPlace(number, read_course(ROOT, language()))


@pytest.fixture(scope="module")
def small_page(quick_kernels: None) -> SimpleNamespace:
    """Run a small lesson and return its page in Korean."""
    with preserve_settings():
        language("ko")
        text, files = pages.lesson_page(*run(SMALL_LESSON, "ko", 100), syllabus_place(), MARK)
    return SimpleNamespace(text=text, soup=BeautifulSoup(text, "html.parser"), files=files.contents)


def loaded_addresses(text: str) -> list[str]:
    """Return the addresses that a browser would load for a page or a style sheet, except data URLs."""
    soup = BeautifulSoup(text, "html.parser")
    names = ("src", "srcset", "data", "poster", "background")
    values = [tag[name] for name in names for tag in soup.select(f"[{name}]")]
    values += [tag["href"] for tag in soup.find_all(["link", "use", "image"], href=True)]
    values += re.findall(r"url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)", text)
    addresses = [part for entry in values for part in ((entry,) if isinstance(entry, str) else entry) if part]
    return [address for address in addresses if not address.startswith("data:")]


def test_the_small_lesson_shows_its_widgets_without_a_kernel(small_page: SimpleNamespace) -> None:
    assert "widget-view" not in small_page.text
    picture = small_page.soup.select_one(".still img")
    assert picture["src"].startswith("data:image/png;base64,")
    assert "할선" in picture["alt"]
    assert "슬라이더" in small_page.soup.select_one(".still figcaption").text
    assert small_page.soup.select_one(".still .secant-gradient").text == "1"


def test_an_explorer_comes_with_its_recording(small_page: SimpleNamespace) -> None:
    name = small_page.soup.select_one(".still")["data-frames"]
    assert {name, "01_what_autograd_does.png"} == set(small_page.files)
    recording = json.loads(gzip.decompress(small_page.files[name]))
    assert [axis["name"] for axis in recording["axes"]] == ["function", "dtype", "scheme", "x", "h"]
    assert recording["words"]["reset"] == "처음으로"
    assert "PyTorch 2." in recording["caption"]
    assert len(recording["asks"]) == len(recording["questions"]) == 4
    assert all(
        "<math" in question and "$" not in question
        for question in (recording["asks"][0], recording["asks"][3])
    )


def test_a_prediction_has_an_answer_to_each_choice(small_page: SimpleNamespace) -> None:
    question, answer = (
        small_page.soup.select_one("fieldset.choices"),
        small_page.soup.select_one("div.choices"),
    )
    assert question["data-prediction"] == answer["data-answers"] == "p"
    assert [choice.text.strip() for choice in question.find_all("label")] == ["A. up", "B. down"]
    assert question.code.text == "up"
    texts = {tag["data-choice"]: tag.text.strip() for tag in answer.select("[data-choice]")}
    assert texts == {
        "A": "맞게 골랐습니다. A (up). it is up",
        "B": "고른 답: B (down). a sign정답은 A (up). it is up",
    }
    assert all(tag.has_attr("hidden") for tag in answer.select("[data-choice], .not-yet"))
    assert not answer.details.has_attr("open")
    assert "it is up" in answer.details.text


def test_test_cell_is_folded_and_not_run_in_the_preview(small_page: SimpleNamespace) -> None:
    assert [fold.summary.text for fold in small_page.soup.select("details.folded")] == [
        "이 셀의 코드",
        "보이는 테스트 (JupyterLab에서 실행합니다)",
    ]
    assert small_page.soup.select(".output_error") == []
    assert "printed" in small_page.soup.select_one(".output_stdout").text


def test_preview_page_has_all_its_parts(small_page: SimpleNamespace) -> None:
    assert small_page.soup.html["lang"] == "ko"
    assert "Autograd가 실제로 하는 일" in small_page.soup.title.text
    assert "차분몫" in small_page.soup.find("meta", attrs={"name": "description"})["content"]
    assert [heading.name for heading in small_page.soup.select("main h1, main h2")] == ["h1", "h2"]
    assert [formula["display"] for formula in small_page.soup.find_all("math")] == ["inline", "block"]
    assert "$" not in small_page.soup.select_one("main").text
    assert small_page.soup.find("a", hreflang="en", lang="en")["href"] == "../en/01_what_autograd_does.html"
    assert small_page.soup.find("a", rel="next")["href"] == "02_graph_and_grad_fn.html"
    assert small_page.soup.find("a", rel="prev") is None


def test_preview_pages_load_only_local_files(small_page: SimpleNamespace) -> None:
    scripts = ["../theme.js", "../search.js", "../explorer.js", "../predictions.js"]
    assert loaded_addresses(small_page.text) == [*scripts, "../style.css"]
    assert small_page.soup.find("a", href="https://pytorch.org") is not None
    lessons = syllabus_place().lessons
    assert loaded_addresses(pages.index_page(lessons)) == ["../theme.js", "../search.js", "../style.css"]
    assert loaded_addresses(pages.front_page(lessons[0])) == ["theme.js", "search.js", "style.css"]
    assert loaded_addresses(f"<style>{render.style()}</style>") == []
    script_names = {script.name for script in pages.SCRIPTS}
    for script in pages.SCRIPTS:
        text = script.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert re.findall(r"XMLHttp|//\w", text) == []
        assert {
            name.removeprefix("./") for name in re.findall(r'^import .* from "(.*)"', text, re.M)
        } < script_names


def test_the_first_pages_have_the_first_explorer(small_page: SimpleNamespace) -> None:
    name = small_page.soup.select_one(".still")["data-frames"]
    index = BeautifulSoup(
        pages.index_page(syllabus_place().lessons, pages.first_explorer(small_page.text)), "html.parser"
    )
    front = BeautifulSoup(
        pages.front_page(syllabus_place().lesson, pages.first_explorer(small_page.text, "ko/")), "html.parser"
    )
    for page, frames, script in ((index, name, "../explorer.js"), (front, f"ko/{name}", "explorer.js")):
        (figure,) = page.select("figure")
        assert figure["data-frames"] == frames
        assert figure.img["alt"] == small_page.soup.select_one(".still img")["alt"]
        assert figure.figcaption.text
        assert script in [tag["src"] for tag in page.find_all("script")]
    assert pages.first_explorer("<p>no explorer</p>") == ""


def test_a_shared_link_has_a_picture_where_the_site_is_known(small_page: SimpleNamespace) -> None:
    assert small_page.files["01_what_autograd_does.png"].startswith(b"\x89PNG")
    assert small_page.soup.find("meta", property="og:title")["content"] == small_page.soup.title.text
    assert small_page.soup.find("meta", property="og:image") is None
    lesson = syllabus_place().lesson
    url = pages.link_picture("https://example.org/secant/", "ko", lesson)
    assert url == "https://example.org/secant/ko/01_what_autograd_does.png"
    for page in (pages.front_page(lesson, "", url), pages.index_page([lesson], "", url)):
        assert BeautifulSoup(page, "html.parser").find("meta", property="og:image")["content"] == url


def test_every_kind_of_loaded_address_is_found() -> None:
    page = "<img src=https://a><link href=b><style>@import 'c'; p{background:url(d)}</style><a href=e>e</a>"
    assert loaded_addresses(page) == ["https://a", "b", "c", "d"]


def test_a_lesson_is_shown_without_answers_and_hidden_tests(tmp_path: Path) -> None:
    """Pages are made from the released notebooks, which contain neither."""
    tasks = list(preview.pending_pages(tmp_path, ("en", "ko")))
    assert len(tasks) == 20
    assert {task.notebook.relative_to(ROOT).parts[0] for task in tasks} == {"release"}
    task = tasks[-1]
    language(task.language)
    notebook = nbformat.read(task.notebook, as_version=4)
    page, _ = pages.lesson_page(notebook, {}, syllabus_place(task.number), MARK)
    text = BeautifulSoup(page, "html.parser").text
    secret_lines = secret_lines_of(task.notebook, nbformat.read(task.notebook, as_version=4))
    assert len(secret_lines) > 20
    assert [line for line in secret_lines if line in text] == []


def secret_lines_of(path: Path, notebook: Any) -> list[str]:
    """Return the longer lines of a lesson's answers and hidden tests that its released notebook lacks."""
    source = nbformat.read(ROOT / "source" / path.stem / path.name, as_version=4)
    released_text = "\n".join(cell.source for cell in notebook.cells)
    blocks = re.findall(
        r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END",
        "\n".join(cell.source for cell in source.cells),
        re.S,
    )
    lines = {line.strip() for part in blocks for line in part.splitlines()}
    return sorted(line for line in lines if len(line) > 12 and line not in released_text)


def test_only_changed_pages_are_written_again(tmp_path: Path) -> None:
    first, *rest = preview.pending_pages(tmp_path, ("en",))
    first.page.parent.mkdir()
    first.page.write_text(f'<meta name="secant-made-from" content="{first.mark}">', encoding="utf-8")
    assert list(preview.pending_pages(tmp_path, ("en",))) == rest
    first.page.write_text('<meta name="secant-made-from" content="older">', encoding="utf-8")
    assert list(preview.pending_pages(tmp_path, ("en",))) == [first, *rest]


def test_a_link_to_another_lesson_leads_to_its_page() -> None:
    text = "[on](../02_next/02_next.ipynb), [data](../02_next/data.ipynb)"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    page, _ = pages.lesson_page(notebook, {}, syllabus_place(), MARK)
    soup = BeautifulSoup(page, "html.parser")
    links = [link["href"] for link in soup.find_all("a") if link.text in ("on", "data")]
    assert links == ["02_next.html", "../02_next/data.ipynb"]


def test_every_formula_of_the_lessons_can_be_typeset() -> None:
    formulas = set()
    for path in (ROOT / "release").glob("*/*/*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                formulas |= {
                    a or b for a, b in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", cell.source, re.DOTALL)
                }
    assert len(formulas) > 300
    for formula in formulas:
        assert render.formula(formula, "inline").startswith("<math")


def test_formula_that_cannot_be_typeset_is_reported() -> None:
    with pytest.raises(PreviewError, match=r"\\nonsense"):
        render.formula(r"\nonsense{x}", "inline")


@pytest.mark.usefixtures("quick_kernels")
def test_preview_of_a_failing_cell_names_the_error() -> None:
    with pytest.raises(PreviewError, match="ZeroDivisionError: division by zero"):
        run(new_notebook(cells=[new_code_cell("1 / 0")]), "en")


def test_every_document_is_a_page_whose_links_lead_somewhere() -> None:
    documents = {document.name: document for document in docs.documents()}
    assert set(documents) == {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert set(docs.ORDER) == set(documents)
    soups = {
        name: BeautifulSoup(docs.document_page(document), "html.parser")
        for name, document in documents.items()
    }
    anchors = {name: {tag["id"] for tag in page.select("[id]")} for name, page in soups.items()}
    links = [(name, str(link["href"])) for name, page in soups.items() for link in page.select("main a")]
    inner_links = [(name, *href.partition("#")[::2]) for name, href in links if "//" not in href]
    assert len(inner_links) > 30
    for name, target, anchor in inner_links:
        page_name = target.removesuffix(".html") or name
        assert page_name in documents, (name, target)
        assert not anchor or anchor in anchors[page_name], (name, target, anchor)
    repository_paths = [href.split("/blob/main/")[1] for _, href in links if "/secant/blob/main/" in href]
    assert len(repository_paths) > 3
    assert [path for path in repository_paths if not (ROOT / path.partition("#")[0]).exists()] == []
    index_soup = BeautifulSoup(docs.documents_page(list(documents.values())), "html.parser")
    assert [link["href"] for link in index_soup.select("main a")] == [f"{name}.html" for name in documents]
    assert loaded_addresses(docs.document_page(documents["trust"])) == [
        "../theme.js",
        "../search.js",
        "../style.css",
    ]


def test_sections_are_listed_below_the_title() -> None:
    renderer = render.PageRenderer()
    text = "# Title\n\n## One, `two`\n\n## Same\n\n### Deep\n\n## Same\n"
    soup = BeautifulSoup(
        render.with_contents(MarkdownWithMath(renderer).render(text), renderer), "html.parser"
    )
    links = [(link["href"], link.text) for link in soup.select(".contents a")]
    assert links == [("#one-two", "One, two"), ("#same", "Same"), ("#same-1", "Same")]
    assert all(soup.find(id=anchor.removeprefix("#")) for anchor, _ in links)
    assert soup.h1.find_next_sibling()["class"] == ["contents"]


@pytest.mark.parametrize("name", ["en", "ko"])
def test_the_instructors_page_links_to_the_report_if_there_is_one(name: str, tmp_path: Path) -> None:
    language(name)
    empty_page = BeautifulSoup(instructors.instructors_page(tmp_path), "html.parser")
    assert empty_page.select("a[href^='class/']") == []
    folder = tmp_path / name / "class"
    folder.mkdir(parents=True)
    suffix = {"en": "", "ko": ".ko"}[name]
    for file in (
        f"01_what_autograd_does{suffix}.html",
        f"course{suffix}.html",
        "feedback.html",
        "report.png",
    ):
        (folder / file).touch()
    page = BeautifulSoup(instructors.instructors_page(tmp_path), "html.parser")
    paths = [str(link["href"]) for link in page.select("a[href^='class/']")]
    paths.append(str(page.select("img.report")[0]["src"]))
    assert len(paths) == 5
    assert all((tmp_path / name / path).is_file() for path in paths)
    documents = {Path(str(link["href"])).stem for link in page.select("main a[href^='../docs/']")}
    assert documents <= {path.stem for path in (ROOT / "docs").glob("*.md")} | {"index"}
    assert len(documents) > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--lesson", "99"], "takes numbers from 1 to 10, not 99"), (["--out", __file__], "is a file")],
)
def test_bad_options_of_preview_are_named(
    options: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["preview", *options])
    with pytest.raises(SystemExit, match="2"):
        preview.main()
    assert message in capsys.readouterr().err


def test_a_language_without_pages_has_no_index(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "page.html").write_text(
        "<html><body><main><h1>할선</h1></main></body></html>", "utf-8"
    )
    index(tmp_path)
    assert [path.name for path in (tmp_path / "search").iterdir()] == ["ko"]
