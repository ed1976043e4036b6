"""Formulas as MathML, which browsers set without a script; latex2mathml reads the LaTeX.

What it returns is built anew: it copies the text of `\\text{<b>}` and the address of `\\href` into its HTML
as they are. Only the tags and attributes that mathematics needs are kept, and all text is escaped.
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
#: A formula in a line that is of this many signs or more is broken after its relations, as TeX breaks it.
LONG = 16
_RELATIONS = set("=<>≈≤≥≠→")
# A formula in the line with what touches it, a bracket before it, a full stop or a Korean particle after it.
_TOUCHING = re.compile(r'[("]*<math [^>]*display="inline"[^>]*>(?:(?!</math>).)*</math>[^\s<]+', re.DOTALL)


def mathml(latex: str, display: Display) -> str:
    """Return a formula as MathML, a long one in a line as several between which the line may end.

    Raises:
        ValueError: it cannot be set, or holds a command that is not known.
    """
    try:
        formula = convert_to_element(latex.strip(), display=display)
        for node in formula.iter():
            _clean(node)
        for row in formula.iter("mrow"):
            _space(row)
        parts = _broken(formula) if display == "inline" else [formula]
        return "<wbr>".join(tostring(part, encoding="unicode") for part in parts)
    except Exception as error:  # the library names no errors of its own
        raise ValueError(f"a formula cannot be set: {latex.strip()}") from error


def _clean(node: Element) -> None:
    """Keep what mathematics needs of a node.

    Raises:
        ValueError: it is something else, or shows a command.
    """
    if node.tag not in _TAGS:
        raise ValueError(f"unknown tag {node.tag}")
    for name in node.attrib.keys() - _ATTRIBUTES:
        del node.attrib[name]
    for part in (node.text, node.tail):
        if part and "\\" in part:
            raise ValueError(f"unknown command {part}")
    # The library writes a sign as its number, which ElementTree would escape once more.
    node.text = html.unescape(node.text) if node.text else node.text


def _space(row: Element) -> None:
    """Put TeX's thin space between a function's name, as in sin x, and the letters and numbers beside it."""
    nodes = list(row)
    pairs = [(left, right) for left, right in pairwise(nodes) if "mo" not in (left.tag, right.tag)]
    for left, right in reversed(pairs):
        if _is_name(left) or _is_name(right):
            row.insert(nodes.index(right), Element("mspace", width="0.1667em"))


def _is_name(node: Element) -> bool:
    """Whether a node is a function's name, also one with an index or a power."""
    while node.tag in _WITH_SCRIPTS and len(node):
        node = node[0]
    return node.tag == "mi" and len(node.text or "") > 1


def _broken(formula: Element) -> list[Element]:
    """Break a formula that is long: a browser keeps each on one line, and a phone's is short."""
    row = formula[0]
    if row.tag != "mrow" or len("".join(row.itertext())) < LONG:
        return [formula]
    parts = [Element("math", formula.attrib)]
    for node in row:
        parts[-1].append(node)
        if node.text in _RELATIONS:
            parts.append(Element("math", formula.attrib))
    return [part for part in parts if len(part)]


def together(page: str) -> str:
    """Keep each formula in a line with the signs that touch it."""
    return _TOUCHING.sub(r'<span class="whole">\g<0></span>', page)


class Renderer(IPythonRenderer):
    """nbconvert's own, but formulas are set here, not by a script that the page fetches."""

    def formula(self, latex: str, display: Display) -> str:
        """Return a formula as HTML; one that cannot be set as it is written."""
        try:
            return mathml(latex, display)
        except ValueError:
            return f"<code>{html.escape(latex.strip())}</code>"

    def inline_math(self, body: str) -> str:
        return self.formula(body, "inline")

    def block_math(self, body: str) -> str:
        return self.formula(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        return self.formula(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")
