r"""Convert formulas from LaTeX to MathML, so that browsers show them without a script.

latex2mathml reads the LaTeX, but copies the text of `\text{<b>}` and the address of `\href` into its HTML
as they are. So its result is rebuilt: only the tags and attributes that mathematics needs are kept, and all
text is escaped.
"""

import html
import re
from itertools import pairwise
from typing import Literal
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from nbconvert.filters.markdown_mistune import IPythonRenderer

Display = Literal["inline", "block"]

_TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle", "mpadded", "mphantom", "menclose"),
    *("mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
    *("mtable", "mtr", "mtd"),
}
_WITH_SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
_ATTRIBUTES = {
    *("display", "displaystyle", "scriptlevel", "mathvariant", "mathsize", "mathcolor", "linethickness"),
    *("accent", "accentunder", "movablelimits", "largeop", "stretchy", "symmetric", "fence", "form"),
    *("separator", "width", "height", "depth", "voffset", "lspace", "rspace", "minsize", "maxsize"),
    *("notation", "align", "columnalign", "columnlines", "columnspacing", "rowlines", "rowspacing"),
}
#: An inline formula with at least this many characters may break after a relation sign such as "=", as in
#: TeX.
LONG = 16
_RELATIONS = set("=<>≈≤≥≠→")
# A pattern for an inline formula together with the characters that touch it, such as a bracket before it, or
# a full stop or a Korean particle after it.
_TOUCHING = re.compile(r'[("]*<math [^>]*display="inline"[^>]*>(?:(?!</math>).)*</math>[^\s<]+', re.DOTALL)


def mathml(latex: str, display: Display) -> str:
    """Convert a formula to MathML. A long inline formula is split into parts, between which a line may break.

    Raises:
        ValueError: the formula cannot be converted, or contains an unknown command.
    """
    try:
        formula = convert_to_element(latex.strip(), display=display)
        for node in formula.iter():
            _clean(node)
        for row in formula.iter("mrow"):
            _add_thin_spaces(row)
        parts = _split(formula) if display == "inline" else [formula]
        return "<wbr>".join(tostring(part, encoding="unicode") for part in parts)
    except Exception as error:  # catch any error, because latex2mathml's errors have no common base class
        raise ValueError(f"a formula cannot be set: {latex.strip()}") from error


def _clean(node: Element) -> None:
    """Remove an element's attributes that are not in _ATTRIBUTES, and unescape the element's text.

    Raises:
        ValueError: the element has an unknown tag, or its text contains an unknown command.
    """
    if node.tag not in _TAGS:
        raise ValueError(f"unknown tag {node.tag}")
    for name in node.attrib.keys() - _ATTRIBUTES:
        del node.attrib[name]
    for part in (node.text, node.tail):
        if part and "\\" in part:
            raise ValueError(f"unknown command {part}")
    # latex2mathml writes a character as a numeric reference, which ElementTree would escape again.
    node.text = html.unescape(node.text) if node.text else node.text


def _add_thin_spaces(row: Element) -> None:
    """Insert TeX's thin space between a function's name, as in sin x, and an adjacent letter or number."""
    nodes = list(row)
    pairs = [(left, right) for left, right in pairwise(nodes) if "mo" not in (left.tag, right.tag)]
    for left, right in reversed(pairs):
        if _is_name(left) or _is_name(right):
            row.insert(nodes.index(right), Element("mspace", width="0.1667em"))


def _is_name(node: Element) -> bool:
    """Return whether a MathML element is a function's name, possibly with an index or a power."""
    while node.tag in _WITH_SCRIPTS and len(node):
        node = node[0]
    return node.tag == "mi" and len(node.text or "") > 1


def _split(formula: Element) -> list[Element]:
    """Split a long formula into several `math` elements.

    A browser never breaks a `math` element, so a long one would be wider than the lines on a phone.
    """
    row = formula[0]
    if row.tag != "mrow" or len("".join(row.itertext())) < LONG:
        return [formula]
    parts = [Element("math", formula.attrib)]
    for node in row:
        parts[-1].append(node)
        if node.text in _RELATIONS:
            parts.append(Element("math", formula.attrib))
    return [part for part in parts if len(part)]


def keep_together(page: str) -> str:
    """Put each inline formula and the characters that touch it into a `span` in which no line breaks."""
    return _TOUCHING.sub(r'<span class="whole">\g<0></span>', page)


class Renderer(IPythonRenderer):
    """A version of nbconvert's Markdown renderer that converts formulas to MathML.

    A page with MathML needs no script to show its formulas.
    """

    def formula(self, latex: str, display: Display) -> str:
        """Return a formula as HTML, or its source if it cannot be converted."""
        try:
            return mathml(latex, display)
        except ValueError:
            return f"<code>{html.escape(latex.strip())}</code>"

    def inline_math(self, body: str) -> str:
        """Return an inline formula as HTML."""
        return self.formula(body, "inline")

    def block_math(self, body: str) -> str:
        """Return a displayed formula as HTML."""
        return self.formula(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        """Return a LaTeX environment as HTML."""
        return self.formula(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")
