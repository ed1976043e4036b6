"""Escape the text that nbgrader's formgrader puts into its pages, and add a button to them.

Formgrader's templates print names, ids and file names unescaped, and two of its scripts pass such text to
jQuery as HTML (docs/upstream.md). A first name such as `<img src=x onerror=...>` would run as the instructor.
None of nbgrader's files is changed. Instead, a Jinja extension rewrites the templates when they are loaded:

- A value in a page is escaped, and a value in a script is written as JSON.
- The two calls of jQuery's `append` receive text.
- MathJax gets its settings as a function. Otherwise it would run the text of any element that has the type of
  its settings.
- Markdown keeps only the HTML tags and attributes that prose may contain. Otherwise Bootstrap would show an
  attribute's text as HTML in a tooltip, and formgrader would take any element of the class `full-credit` for
  its own button.
- Outputs that are scripts are removed, because nbconvert's template would print them into its own scripts.
- A Content-Security-Policy blocks every script that is not part of a template.
- A picture is no wider than its column.
- Formgrader's keyboard shortcuts work without MathJax.
- A button leads to the next answer that waits for manual grading (to_grade.js). A notebook with one such
  answer is up to thirty screens long.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bleach import ALLOWED_TAGS
from bleach.css_sanitizer import CSSSanitizer
from bleach.sanitizer import ALLOWED_PROTOCOLS, Cleaner
from jinja2 import Environment, pass_context
from jinja2.ext import Extension
from jinja2.runtime import Context
from nbconvert.exporters import HTMLExporter

# Formgrader's own event handlers, such as onclick="toggleAllNames()". The Content-Security-Policy allows them
# by their hashes.
HANDLERS = (
    "createAssignmentModal();",
    "createStudentModal();",
    "toggleAllNames()",
    "toggle_name(true);",
    "toggle_name(false);",
)
_TAGS = {
    *ALLOWED_TAGS,
    *("br", "dd", "del", "details", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "p"),
    *("pre", "s", "span", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr"),
}
_ATTRIBUTES = ("alt", "colspan", "height", "href", "open", "rowspan", "src", "style", "title", "width")
# The CSS classes that remain in rendered Markdown: those of highlighted code, and that of the link next to a
# heading. Formgrader's style sheet hides this link.
_CLASSES = re.compile(r"highlight( hl-\w+)?|[a-z]{1,2}\d?|anchor-link")
_VALUE = re.compile(r"\{\{\s*([a-z]\w*(?:\.\w+)*)\s*\}\}")
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
_IN_QUOTES = re.compile(rf'"{_VALUE.pattern}([^"\n{{]*)"')
_UTILITIES = re.compile(r'<script src="[^"]*/static/js/utils\.js"></script>')
_MATHJAX = re.compile(r'<script type="text/x-mathjax-config">(.*?)</script>', re.DOTALL)
_MATHJAX_FUNCTION = r"""<script>
(init => {
  const AuthorInit = () => MathJax.Hub.Register.StartupHook("Begin Config", init);
  window.MathJax ? init() : window.MathJax = {AuthorInit};
})(() => {\1});
</script>"""
# nbgrader shows a picture at its full width, in a red frame. This style limits the width and makes the frame
# grey.
_STYLE = """<style>
.rendered_html img, .output_area img { max-width: 100%; height: auto; border: 1px solid #ccc; }
body > .secant-to-grade { position: fixed; right: 80px; bottom: 22px; z-index: 1030; }
.secant-to-grade + button { margin-left: 1em; }
</style>"""
_TO_GRADE = f"<script>\n{Path(__file__).with_name('to_grade.js').read_text(encoding='utf-8')}</script>"
# Without MathJax, for example on a computer that is offline, formgrade.js stops before it sets up its
# keyboard shortcuts. A stand-in for MathJax lets it continue.
_WITHOUT_MATHJAX = """<script>
document.addEventListener("readystatechange", () => {  // "complete" comes right before the page's load event
  if (document.readyState !== "complete" || window.MathJax?.Hub) return;
  const Interest = act => setTimeout(() => act("End"));
  window.MathJax = {Hub: {Startup: {signal: {Interest}}}};
});
</script>"""
# nbgrader's createModal and its list of a student's notebooks append a sentence with names as HTML. This
# script makes jQuery append it as text.
_APPEND_TEXT = """<script>
(append => {
  $.fn.append = function (...content) {
    const isText = typeof content[0] === "string" && this.is(".modal-body, .name");
    return append.apply(this, isText ? [document.createTextNode(content[0])] : content);
  };
})($.fn.append);
</script>"""


class EscapedValues(Extension):
    """A Jinja extension that rewrites formgrader's templates so that no value acts as markup."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._nonce = secrets.token_urlsafe(16)

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template's source with its values escaped and a Content-Security-Policy added."""
        source = _UTILITIES.sub(lambda match: match[0] + _APPEND_TEXT + _WITHOUT_MATHJAX + _TO_GRADE, source)
        source = _MATHJAX.sub(_MATHJAX_FUNCTION, source)
        parts, position = [], 0
        for script in _SCRIPT.finditer(source):
            parts += [_escape(source[position : script.start()]), self._allow(script[0])]
            position = script.end()
        source = "".join([*parts, _escape(source[position:])])
        policy = f'<meta http-equiv="Content-Security-Policy" content="{content_policy(self._nonce)}">'
        return source.replace("<head>", f"<head>\n{policy}\n{_STYLE}", 1)

    def _allow(self, script: str) -> str:
        """Return one of formgrader's scripts with its values written as JSON, and with the policy's nonce."""
        tag, end, body = script.partition(">")
        body = _IN_QUOTES.sub(lambda match: f"{{{{ ({match[1]} ~ '{match[2]}') | tojson }}}}", body)
        return _escape(tag).replace("<script", f'<script nonce="{self._nonce}"', 1) + end + body


def content_policy(nonce: str) -> str:
    """Return the Content-Security-Policy of formgrader's pages.

    It allows the scripts in formgrader's templates, and the scripts that they load.
    """
    hashes = (base64.b64encode(hashlib.sha256(handler.encode()).digest()).decode() for handler in HANDLERS)
    scripts = [f"'nonce-{nonce}'", "'strict-dynamic'", "'unsafe-hashes'", *(f"'sha256-{h}'" for h in hashes)]
    return f"script-src {' '.join(scripts)}; object-src 'none'; frame-src 'none'; base-uri 'none'"


def plain_prose(render: Callable[[Context, str], str]) -> Callable[[Context, str], str]:
    """Return a filter that renders Markdown and keeps only the HTML that prose may contain."""
    cleaner = Cleaner(
        tags=_TAGS,
        attributes=_is_kept,
        protocols={*ALLOWED_PROTOCOLS, "data"},  # `data:` is the URL scheme of embedded pictures
        css_sanitizer=CSSSanitizer(["text-align", "white-space"]),
    )

    @pass_context
    def prose(context: Context, source: str) -> str:
        return str(cleaner.clean(render(context, source)))

    return prose


def _is_kept(tag: str, name: str, value: str) -> bool:
    """Return whether to keep an HTML attribute. SVG pictures and classes not in `_CLASSES` are dropped."""
    if name == "class":
        return bool(_CLASSES.fullmatch(value))
    return name in _ATTRIBUTES and not value.strip().casefold().startswith("data:image/svg")


def _escape(source: str) -> str:
    """Return a part of a template in which each `{{ name }}` has become `{{ name | e }}`.

    Jinja's filter `e` escapes the value.
    """
    return _VALUE.sub(r"{{ \1 | e }}", source)


def protect_formgrader(settings: dict[str, Any]) -> None:
    """Add `EscapedValues` to formgrader's two template environments, if this server has formgrader."""
    if "nbgrader_formgrader" not in settings:
        return
    pages: Environment = settings["nbgrader_jinja2_env"]
    pages.autoescape = True
    exporter: HTMLExporter = settings["nbgrader_exporter"]
    exporter.sanitize_html = True
    exporter.register_filter("markdown2html", plain_prose(exporter.markdown2html))
    for environment in (pages, exporter.environment):
        environment.add_extension(EscapedValues)
