"""Make the site's pages from the documents in docs/, which are in English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup
from nbconvert.filters.markdown_mistune import MarkdownWithMath

from scripts.preview.render import PageRenderer, render, with_contents
from secant.address import urls

ROOT = Path(__file__).resolve().parents[2]
#: The documents in the order in which the site lists them: first those for learners, then those for classes,
#: then those on the grader and the course.
ORDER = (
    *("learning", "online", "first-week", "teaching", "hub", "lms", "grading", "scale"),
    *(
        "trust",
        "performance",
        "support",
        "dependencies",
        "sources",
        "real-cases",
        "writing-lessons",
        "real-functions",
        "upstream",
    ),
)
_DOCUMENT = re.compile(r"^([\w-]+)\.md(#.*)?$")
_TITLE = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)


@dataclass(frozen=True)
class Document:
    """A document as HTML, without the parts that all pages of the site share, such as the navigation."""

    name: str
    body: str

    @property
    def title(self) -> str:
        """The document's heading, as HTML."""
        match = _TITLE.search(self.body)
        return match[1] if match else self.name

    @property
    def summary(self) -> str:
        """The document's first paragraph, as plain text."""
        match = _PARAGRAPH.search(self.body)
        return Markup(match[1]).striptags() if match else ""


class _DocumentRenderer(PageRenderer):
    """A renderer for the Markdown of one document."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Render a link; a link to a file that is not on the site leads to the repository."""
        return str(super().link(text, address(url), title))


def address(url: str) -> str:
    """Return the address that a document's link gets when the document becomes a page of the site.

    A link to another document leads to that document's page. A link that begins with "../" leads to the file
    in the online repository. All other addresses stay unchanged.
    """
    if match := _DOCUMENT.match(url):
        return f"{match[1]}.html{match[2] or ''}"
    if url.startswith("../"):
        return f"{urls()['Repository']}/blob/main/{url.removeprefix('../')}"
    return url


def documents(folder: Path = ROOT / "docs") -> Iterator[Document]:
    """Yield the documents in the order of ORDER; documents that ORDER does not contain come last."""
    names = sorted(path.stem for path in folder.glob("*.md"))
    for name in sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER)):
        renderer = _DocumentRenderer()
        body = MarkdownWithMath(renderer).render((folder / f"{name}.md").read_text(encoding="utf-8"))
        yield Document(name, with_contents(body, renderer))


def document_page(document: Document) -> str:
    """Return the page of a document."""
    return render("document.html.j2", document=document)


def documents_page(all_documents: list[Document]) -> str:
    """Return the page that lists the documents."""
    return render("documents.html.j2", documents=all_documents)
