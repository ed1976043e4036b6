"""Pictures of the graph that autograd recorded.

The SVG is embedded in an <img>, because JupyterLab shows images even in a notebook that it does not trust. An
inline SVG would be reduced to its text.
"""

import base64
from collections.abc import Iterator, Sequence
from html import escape

import torch

from secant.graph.flow import Kind
from secant.graph.layout import (
    BOX,
    LINE,
    PAD,
    SIZE,
    SMALL,
    STUB,
    Link,
    PlacedBox,
    Point,
    Scene,
    cells,
    clip,
    lay_out,
    saved_lines,
    tag_size,
    text_width,
)
from secant.graph.record import GraphSnapshot, Node, Unattached, record
from secant.graph.troubles import sentences
from secant.graph.values import record_values
from secant.language import say
from secant.value import TorchValue, Value

# Colours from Okabe and Ito's palette that stand out on white and on black. For colour-blind readers, the
# shapes differ as well.
FUNCTION, ACCUMULATE, LEAF = "#0072B2", "#D55E00", "#009E73"
INK = "#000"
# For each kind of node, the colour of the line above the numbers in its box, and the indent of these numbers
# in pixels.
_INSIDE = {
    "function": (FUNCTION, 0),
    "value": (FUNCTION, 0),
    "accumulate": (ACCUMULATE, 5),
    "leaf": (LEAF, 0),
}
# In JupyterLab's dark theme, white becomes the page's dark grey and black becomes white; hues stay.
STYLE = (
    '<style>[data-jp-theme-light="false"] .secant-graph img {filter: invert(93%) hue-rotate(180deg)}</style>'
)


class AutogradGraph:
    """A snapshot of the graph behind some tensors, without references that keep the graph alive.

    A notebook shows the snapshot as a picture. As text, it has one line for each of the `nodes`, with those
    nearest the outputs first. A line contains the node's number and name, the shapes and the given names of
    its results, and the numbers of its inputs.
    """

    def __init__(self, snapshot: GraphSnapshot, saved: bool = False) -> None:
        self.snapshot = snapshot
        self.nodes = snapshot.nodes
        self.saved = saved

    def __str__(self) -> str:
        table = [(str(i), node.name, _tensors(node), _arrow(node)) for i, node in enumerate(self.nodes, 1)]
        widths = [max((cells(row[i]) for row in table), default=0) for i in range(3)]
        lines = []
        for row, node in zip(table, self.nodes, strict=True):
            first, *rest = (_pad(cell, width) for cell, width in zip(row, widths, strict=False))
            lines.append("  ".join([first.strip().rjust(widths[0]), *rest, row[3]]).rstrip())
            details = (*node.facts, *(node.saved if self.saved else ()))
            lines += [" " * (widths[0] + 4) + str(line) for line in details]
        lines += [
            f"{'-':>{widths[0] or 1}}  {_kind_of(box)}  {box.label}" for box in self.snapshot.unattached
        ]
        return "\n".join([*lines, *self._remarks()])

    __repr__ = __str__

    def _remarks(self) -> Iterator[str]:
        """Yield sentences about everything that the picture cannot show."""
        if not self.nodes:
            yield say(
                en="None of these tensors has a graph: no node made them.",
                ko="이 텐서들에는 계산 그래프가 없습니다. 만든 노드가 하나도 없습니다.",
            )
        if self.snapshot.left_out:
            count, left_out_count = len(self.nodes), self.snapshot.left_out
            yield say(
                en=f"Only the {count} nodes nearest the outputs are drawn; {left_out_count} more follow.",
                ko=f"출력에서 가까운 노드 {count}개만 그렸습니다. 그 뒤로 {left_out_count}개가 더 있습니다.",
            )
        if self.snapshot.missing:
            names = ", ".join(self.snapshot.missing)
            yield say(en=f"Among those not drawn: {names}.", ko=f"그리지 않은 것 중에 {names}도 있습니다.")
        yield from sentences(self.snapshot.troubles)

    def _alt_text(self) -> str:
        """Return a description of the graph in words, as the picture's alternative text."""
        count = len(self.nodes)
        parts = [say(en=f"Autograd graph, nodes: {count}", ko=f"autograd 계산 그래프, 노드 {count}개")]
        for number, node in enumerate(self.nodes, 1):
            words = f"{number} {node.name} {_tensors(node)}".rstrip()
            if node.inputs:
                inputs = ", ".join(f"{i + 1} {self.nodes[i].name}" for i in node.inputs)
                words += say(en=f" leads to {inputs}", ko=f", 다음 노드: {inputs}")
            words += "".join(f", {fact}" for fact in node.facts)
            if self.saved and node.saved:
                words += say(en="; saved ", ko="; 저장한 값 ") + ", ".join(map(str, node.saved))
            parts.append(words)
        parts += [f"{_kind_of(box)} {box.label}" for box in self.snapshot.unattached]
        return ". ".join([*parts, *self._remarks()])

    def _repr_html_(self) -> str:
        scene = lay_out(self.snapshot, self.saved)
        width, height = round(scene.width), round(scene.height)
        # A wide graph shrinks with the page, but to no less than half its width: below that, the text would
        # be unreadable, so the picture scrolls instead.
        style = f"position:relative;width:{width}px;max-width:100%;min-width:{round(0.5 * width)}px"
        image = _image(
            "".join(_svg_elements(scene, self.snapshot, self.saved)),
            (width, height),
            'style="width:100%;max-width:none;height:auto;display:block"',
            self._alt_text(),
        )
        tooltips = "".join(_tooltips(scene, self.snapshot))
        picture = f'{STYLE}<div style="{style}">{image}{tooltips}</div>'
        remarks = "".join(f"<div>{escape(remark)}</div>" for remark in self._remarks())
        words = '<div style="font-size:90%;line-height:1.6;margin:6px 0">'
        return (
            # Remarks come first, because a tall picture may push text below it out of sight.
            (f"{words}{remarks}</div>" if remarks else "")
            + f'<div class="secant-graph"><div style="overflow-x:auto">{picture}</div>'
            + f"{words}{_legend(self.snapshot)}</div></div>"
        )


def draw_graph(
    *,
    saved: bool = False,
    values: bool = False,
    slopes: bool = False,
    gradients: bool = False,
    **tensors: torch.Tensor | Value,
) -> AutogradGraph:
    """Draw the graph that autograd recorded for some tensors: `draw_graph(loss=loss, w=w, x=x)`.

    Every node that backward can reach from the tensors is drawn once, under PyTorch's name for it. Each
    tensor's name is shown at the node it belongs to. To show the names of a model's parameters, call
    `draw_graph(loss=loss, **dict(model.named_parameters()))`. For a large graph, only the 100 nodes
    nearest the outputs are drawn. Values of lesson 10 are drawn too, with their own slopes and grad.

    Args:
        saved: write under each node the values it saved for backward; otherwise they appear only on hovering.
        values: write in each node the value of its result, if that value is still in memory.
        slopes: write in each node the gradients that it passes to its inputs when it receives a gradient of 1
            (a tensor of ones). With one number in and one number out, this is its local slope.
        gradients: write in each node the gradient that it receives when backward() starts at the outputs with
            a gradient of 1. The nodes are called one by one, so no .grad is filled and nothing is freed. A
            hook, or a backward written in Python, is called only if its code shows that it has no side
            effects. Otherwise the gradients beyond it are not shown, and a sentence above the picture
            explains this.
        tensors: the tensors, or the Values, keyed by the names to show.

    Raises:
        TypeError: if an argument is not a tensor, if there are no tensors, or if Values are mixed with
            tensors.
    """
    options = {"saved": saved, "values": values, "slopes": slopes, "gradients": gradients}
    for option, flag in options.items():
        if not isinstance(flag, bool):
            kind = type(flag).__name__
            raise TypeError(f"{option} is True or False, not a {kind}: give a tensor another name")
    if not tensors:
        raise TypeError("draw_graph needs the tensors whose graph to draw: draw_graph(loss=loss, x=x)")
    kinds: dict[Kind, bool] = {"value": values, "slope": slopes, "gradient": gradients}
    kinds_to_show = [kind for kind, is_shown in kinds.items() if is_shown]
    unwrapped = {
        n: tensor.tensor if isinstance(tensor, TorchValue) else tensor for n, tensor in tensors.items()
    }
    only_values = {name: tensor for name, tensor in unwrapped.items() if isinstance(tensor, Value)}
    if len(only_values) == len(unwrapped):
        return AutogradGraph(record_values(only_values, kinds_to_show))
    only_tensors = {name: tensor for name, tensor in unwrapped.items() if isinstance(tensor, torch.Tensor)}
    for name, tensor in unwrapped.items():
        if name not in only_tensors:
            raise TypeError(f"draw_graph shows tensors; {name} is a {type(tensor).__name__}")
    return AutogradGraph(record(only_tensors, kinds_to_show), saved)


# --- The graph as text ---


def _pad(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _tensors(node: Node) -> str:
    if node.leaf is not None:
        return node.leaf
    if len(node.shapes) == 1:
        return " ".join(filter(None, [", ".join(node.tensors), node.shape]))
    return ", ".join(node.tensors) or node.shape


def _arrow(node: Node) -> str:
    inputs = [str(i + 1) for i in node.inputs] + ["…"] * bool(node.left_out)
    return f"-> {', '.join(inputs)}" if inputs else ""


def _kind_of(box: Unattached) -> str:
    if box.constant:
        return say(en="constant leaf", ko="상수 leaf")
    return say(en="unused leaf", ko="쓰이지 않은 leaf")


# --- The picture as SVG ---


def _image(elements: str, size: tuple[int, int], attributes: str, alt: str) -> str:
    """Return an <img> that shows SVG elements on a white background."""
    width, height = size
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}"'
        ' font-family="Menlo, Consolas, &#39;DejaVu Sans Mono&#39;, monospace">'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{elements}</svg>'
    )
    address = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{address}" {attributes} alt="{escape(alt)}">'


def _tooltips(scene: Scene, graph: GraphSnapshot) -> Iterator[str]:
    """Yield a transparent overlay for each box, with details about the box in its tooltip."""

    def field(text: str, x: float, y: float, width: float, height: float) -> str:
        x, width = 100 * x / scene.width, 100 * width / scene.width
        y, height = 100 * y / scene.height, 100 * height / scene.height
        position = f"left:{x:.2f}%;top:{y:.2f}%;width:{width:.2f}%;height:{height:.2f}%"
        return f'<span title="{escape(text)}" style="position:absolute;{position}"></span>'

    for place in scene.places:
        if place.node is not None:
            box_width, text = place.left + place.right, _tooltip_text(graph.nodes[place.node])
            yield field(text, place.x - place.left, place.y, box_width, place.depth)
    for (x, y, width), box in zip(scene.unattached, graph.unattached, strict=True):
        yield field(f"{box.label}: {_kind_of(box)}", x, y, width, BOX)


def _svg_elements(scene: Scene, graph: GraphSnapshot, show_saved: bool) -> Iterator[str]:
    for points in _edge_points(scene):
        yield _edge(points)
    for place in scene.places:
        if place.node is not None:
            yield from _node(place, graph.nodes[place.node], show_saved)
        elif place.height:
            yield _text("⋯", place.x, place.y + 17, SIZE, anchor="middle")
    for (x, y, width), box in zip(scene.unattached, graph.unattached, strict=True):
        yield "<g>"
        yield from _tag([box.label], x, y, width, BOX, "constant" if box.constant else "leaf")
        yield "</g>"


def _edge_points(scene: Scene) -> Iterator[list[Point]]:
    """Yield the points of each edge, from top to bottom.

    They are the points where the edge leaves a box, where it crosses the bottom of that box's row, and where
    it arrives. An edge that passes another row has a fourth point at the bottom of that row.
    """
    places = scene.places
    row_of = {i: r for r, row in enumerate(scene.rows) for i in row}
    start_ports = _ports(scene, [(start, end) for start, end in scene.edges])
    end_ports = _ports(scene, [(end, start) for start, end in scene.edges])
    for k, (start, end) in enumerate(scene.edges):
        bottom = places[start].y + places[start].height
        edge_points = [
            (start_ports[k], bottom),
            (start_ports[k], scene.bottoms[row_of[start]]),
            (end_ports[k], places[end].y),
        ]
        yield (
            edge_points if places[end].height else [*edge_points, (end_ports[k], scene.bottoms[row_of[end]])]
        )


def _ports(scene: Scene, ends: Sequence[Link]) -> list[float]:
    """Return the x coordinate at which each edge meets the first of the two places in its `ends`.

    Edges that meet the same place are spread out, in the order of the x coordinates of their other ends.
    """
    places = scene.places
    edges_by_place: dict[int, list[int]] = {}
    for k, (place_index, _) in enumerate(ends):
        edges_by_place.setdefault(place_index, []).append(k)
    ports = [0.0] * len(ends)
    for place_index, edges in edges_by_place.items():
        place = places[place_index]
        edges.sort(key=lambda k: (places[ends[k][1]].x, k))
        spacing = 0.0
        if place.height and len(edges) > 1:
            spacing = min(16, (2 * place.half - 24) / (len(edges) - 1))
        for rank, k in enumerate(edges):
            ports[k] = place.x + (rank - (len(edges) - 1) / 2) * spacing
    return ports


def _edge(points: list[Point]) -> str:
    (x0, y0), (_, y1), (x2, y2), *rest = points
    end = y2 if rest else y2 - 7  # the last 7 pixels are for the arrowhead
    middle = (y1 + end) / 2
    path = f"M{x0:.1f} {y0:.1f}V{y1:.1f}C{x0:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {end:.1f}"
    head = ""
    if rest:
        path += f"V{rest[0][1]:.1f}"
    else:
        head = f'<path d="M{x2:.1f} {y2:.1f}l-4 -8h8z" fill="{INK}" fill-opacity="0.75"/>'
    line = f'stroke="{INK}" stroke-opacity="0.75" stroke-width="1.3"'
    return f'<path d="{path}" fill="none" {line}/>{head}'


def _text(text: str, x: float, y: float, size: int, *, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    attributes = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {attributes} fill="{INK}"{weight}>{escape(text)}</text>'


def _outline(kind: str, x: float, y: float, width: float, height: float) -> str:
    """Return the SVG shape for a kind of node or tensor, both in the picture and in its legend."""

    def rect(colour: str, attributes: str, inset: float = 0) -> str:
        return (
            f'<rect x="{x + inset:.1f}" y="{y + inset:.1f}" width="{width - 2 * inset:.1f}"'
            f' height="{height - 2 * inset:.1f}" stroke="{colour}" fill="{colour}" {attributes}/>'
        )

    if kind in ("function", "value"):
        return rect(FUNCTION, 'rx="7" fill-opacity="0.13" stroke-width="1.8"')
    if kind == "accumulate":
        side = min(10, height / 2)
        return (
            f'<path d="M{x:.1f} {y + height / 2:.1f}l{side:.1f} {-height / 2:.1f}h{width - 2 * side:.1f}'
            f'l{side:.1f} {height / 2:.1f}l{-side:.1f} {height / 2:.1f}h{2 * side - width:.1f}z"'
            f' stroke="{ACCUMULATE}" fill="{ACCUMULATE}" fill-opacity="0.13" stroke-width="1.8"/>'
        )
    if kind == "leaf":
        return rect(LEAF, 'fill-opacity="0.13" stroke-width="3"', 1)
    if kind == "constant":
        return rect(INK, 'fill-opacity="0" stroke-width="1.3" stroke-dasharray="4 3"', 0.5)
    thin = rect(INK, 'fill-opacity="0" stroke-width="1.2"', 0.5)
    return thin + rect(INK, 'fill-opacity="0" stroke-width="1.2"', 3.5) if kind == "output" else thin


def _tag(lines: Sequence[str], x: float, y: float, width: float, height: float, kind: str) -> Iterator[str]:
    yield _outline(kind, x, y, width, height)
    for k, line in enumerate(lines):
        yield _text(clip(line), x + width / 2, y + 17.5 + k * LINE, SIZE, anchor="middle", bold=True)


def _stub(x0: float, y0: float, x1: float, y1: float) -> str:
    path = f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
    return f'<path d="{path}" stroke="{INK}" stroke-width="1.3"/>'


def _node(place: PlacedBox, node: Node, show_saved: bool) -> Iterator[str]:
    x, y, width = place.x - place.half, place.y, 2 * place.half
    yield "<g>"
    yield _outline(node.kind, x, y, width, place.height)
    room = text_width(clip(node.name), SIZE)
    head = room + (8 + text_width(node.shape, SMALL) if node.shape else 0)
    yield _text(clip(node.name), place.x - head / 2 + room / 2, y + 17.5, SIZE, anchor="middle")
    if node.shape:
        yield _text(node.shape, place.x + head / 2, y + 17.5, SMALL, anchor="end")
    lines = saved_lines(node, show_saved)
    if lines:
        colour, indent = _INSIDE[node.kind]
        yield f'<path d="M{x:.1f} {y + BOX:.1f}h{width:.1f}" stroke="{colour}" stroke-opacity="0.6"/>'
        for k, line in enumerate(lines):
            yield _text(line, x + indent + PAD, y + BOX + 14 + k * LINE, SMALL)
    if node.leaf is not None:
        tag_width, tag_height = tag_size([node.leaf])
        bottom = y + place.height
        yield _stub(place.x, bottom, place.x, bottom + STUB)
        yield from _tag([node.leaf], place.x - tag_width / 2, bottom + STUB, tag_width, tag_height, "leaf")
    elif node.tensors:
        tag_width, tag_height = tag_size(node.tensors)
        if node.output:
            yield _stub(place.x, y - STUB, place.x, y)
            yield from _tag(
                node.tensors, place.x - tag_width / 2, y - STUB - tag_height, tag_width, tag_height, "output"
            )
        else:
            yield _stub(x - STUB, y + BOX / 2, x, y + BOX / 2)
            yield from _tag(node.tensors, x - STUB - tag_width, y, tag_width, tag_height, "named")
    yield "</g>"


def _tooltip_text(node: Node) -> str:
    lines = [f"{node.name} {_tensors(node)}".rstrip()]
    if node.saved:
        lines.append(say(en="saved for backward:", ko="backward를 위해 저장한 값:"))
        lines += [f"  {value}" for value in node.saved]
    elif node.kind == "function" and node.name != "CopySlices":  # CopySlices hides the values it saved
        lines.append(say(en="saved nothing", ko="저장한 값 없음"))
    return "\n".join(lines)


def _legend(graph: GraphSnapshot) -> str:
    """Return the legend: the meaning of the arrows, and of each shape that occurs in the picture."""
    nodes, unattached = graph.nodes, graph.unattached
    if any(node.value for node in nodes):
        return _legend_of_values()
    kinds = {
        "output": (
            say(en="output: backward() starts here", ko="출력: backward()가 여기서 시작"),
            any(node.output for node in nodes),
        ),
        "named": (
            say(en="named result of a node", ko="이름을 준 노드의 결과"),
            any(node.tensors and not node.output for node in nodes),
        ),
        "function": (
            say(
                en="backward function (grad_fn) and the shape of its result",
                ko="backward 함수(grad_fn)와 그 결과의 shape",
            ),
            any(node.kind == "function" for node in nodes),
        ),
        "accumulate": (
            say(en="AccumulateGrad: adds to its leaf's .grad", ko="AccumulateGrad: leaf의 .grad에 더함"),
            any(node.kind == "accumulate" for node in nodes),
        ),
        "leaf": (
            say(en="leaf with requires_grad", ko="requires_grad인 leaf"),
            any(node.leaf is not None for node in nodes) or any(not box.constant for box in unattached),
        ),
        "constant": (
            say(en="constant leaf: no gradient goes there", ko="상수 leaf: gradient가 가지 않음"),
            any(box.constant for box in unattached),
        ),
    }
    items = "".join(
        f'<span style="display:inline-block;margin-right:1.4em">{_legend_shape(kind)} {escape(words)}</span> '
        for kind, (words, is_present) in kinds.items()
        if is_present
    )
    if not nodes:
        return f"<div>{items}</div>"
    direction = say(
        en="Arrows follow the backward pass (next_functions): from the output at the top to the leaves.",
        ko="화살표는 역방향 계산의 방향(next_functions)으로, 맨 위의 출력에서 leaf로 내려갑니다.",
    )
    return f"<div>{items}</div><div>{direction}</div>"


def _legend_of_values() -> str:
    value = say(en="Value: arrows lead to its parents", ko="Value: 화살표는 부모로 향함")
    leaf = say(en="leaf: a Value without parents", ko="leaf: 부모가 없는 Value")
    return f"<div>{_legend_shape('value')} {escape(value)} &emsp;{_legend_shape('leaf')} {escape(leaf)}</div>"


def _legend_shape(kind: str) -> str:
    return _image(_outline(kind, 2, 2, 26, 12), (30, 16), 'style="display:inline;vertical-align:-3px"', "")
