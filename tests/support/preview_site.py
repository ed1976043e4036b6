"""A static page with explorers, a prediction and a wide formula, served by a plain web server."""

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from rich.console import Console

from scripts.preview import __main__ as preview
from scripts.preview import page as pages
from scripts.preview.run import run
from secant.language import language
from secant.progress.course import read_course

TITLE = "# A page"
FORMULA = "$$" + " + ".join(f"\\frac{{\\partial f}}{{\\partial x_{n}}}" for n in range(10)) + ".$$"
CELLS = (
    "import torch\nfrom secant import explore, explore_buffer, predict, predicted",
    "predict('p', A='up', B='down')",
    "explore({'log x³': lambda x: (x**3).log(), 'sin x': torch.sin}, dtype='float32')",
    "predicted('p', right='A', A='it is up', B='a sign')",
    "explore_buffer()",
)
KOREAN = """<!doctype html><html lang="ko"><head><title>미분</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="../style.css">
<script type="module" src="../search.js"></script></head>
<body><button class="search">검색</button><main><h1>미분</h1>
<p>할선을 미분으로</p></main></body></html>"""


class _Silent(http.server.SimpleHTTPRequestHandler):
    """A handler that serves files without logging requests."""

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def preview_site(out: Path) -> Iterator[str]:
    """Write the site to a folder, serve it, and yield the address of its English page."""
    notebook = new_notebook(
        cells=[*map(new_markdown_cell, (TITLE, FORMULA)), *map(new_code_cell, CELLS)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    language("en")
    place = pages.SyllabusPlace(1, read_course(preview.ROOT, language()))
    page, files = pages.lesson_page(*run(notebook, "en", 600), place, "0123456789abcdef")
    for folder, text in (("en", page), ("ko", KOREAN)):
        (out / folder).mkdir()
        (out / folder / "page.html").write_text(text, encoding="utf-8")
    for name, content in files.contents.items():
        (out / "en" / name).write_bytes(content)
    preview.build(out, (), 1, Console(quiet=True))
    handler = functools.partial(_Silent, directory=str(out))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/en/page.html"
        server.shutdown()
        thread.join()
