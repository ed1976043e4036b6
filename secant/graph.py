"""The graph that autograd recorded, as a picture."""

import unicodedata
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any, Literal

import networkx as nx
import torch

from secant._language import say

LIMIT = 100  # nodes drawn; a picture of more is not read any longer
ROWS = 8  # saved values written under a node; the hover text has them all
LONG = 40  # characters of one line in a picture

# Okabe and Ito's colours that stand out from white and from black; the shapes differ too.
FUNCTION, ACCUMULATE, LEAF = "#0072B2", "#D55E00", "#009E73"
INK = "currentColor"

SIZE, SMALL = 13, 11  # of the letters
EM = 0.62  # a monospace letter's width over its size: the widest of the usual fonts, and a little more
LINE, PAD = 15, 9
BOX = 26  # height of a box with one line
ACROSS, DOWN = 26, 30  # free room between boxes and between rows
BESIDE = 8  # free room beside an edge that passes
WIDE = 1000  # a row wider than this is parted
STUB = 14  # from a node to the tensor that belongs to it
TRACK = 6  # half the width of an edge that passes a row

ACCUMULATOR = "torch::autograd::AccumulateGrad"

State = Literal["kept", "freed", "changed", "hooked", "unreadable"]
Kind = Literal["function", "accumulate", "more"]
Point = tuple[float, float]
Link = tuple[int, int]


@dataclass(frozen=True)
class Saved:
    """One value that a node keeps for backward: the text of it, or why there is none."""

    name: str
    text: str = ""
    state: State = "kept"

    def __str__(self) -> str:
        states = {
            "kept": self.text,
            "freed": ": " + say(en="freed", ko="해제됨"),
            "changed": ": " + say(en="changed in place since", ko="그 뒤 제자리에서 바뀜"),
            "hooked": ": " + say(en="packed by a hook", ko="hook이 보관"),
            "unreadable": ": " + say(en="not readable", ko="읽을 수 없음"),
        }
        return self.name + states[self.state]


@dataclass(frozen=True)
class Node:
    """A node of the graph as it was when it was drawn; `inputs` are positions in `AutogradGraph.nodes`.

    `next_functions` holds the inputs in this order, without its None; `left_out` counts those not drawn.
    """

    name: str
    inputs: tuple[int, ...]
    left_out: int
    shapes: tuple[str, ...]
    tensors: tuple[str, ...]
    leaf: str | None
    saved: tuple[Saved, ...]
    output: bool

    @property
    def kind(self) -> Kind:
        return "function" if self.leaf is None else "accumulate"

    @property
    def shape(self) -> str:
        return ", ".join(self.shapes[:3]) + (", …" if len(self.shapes) > 3 else "")


@dataclass(frozen=True)
class Loose:
    """A tensor that no node of the graph belongs to: a constant, or a leaf that was not used."""

    label: str
    constant: bool


class AutogradGraph:
    """The graph behind some tensors, as it was when it was made: nothing in here keeps the graph alive.

    A notebook shows a picture; as text it is one line for each of the `nodes`, those nearest the outputs
    first: its number, name, the shapes of its results with the names of those that were given, its inputs.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        loose: Sequence[Loose] = (),
        left_out: int = 0,
        missing: Sequence[str] = (),
        saved: bool = False,
    ) -> None:
        self.nodes = tuple(nodes)
        self.loose = tuple(loose)
        self.left_out = left_out
        self.missing = tuple(missing)
        self.saved = saved

    def __str__(self) -> str:
        cells = [(str(i), node.name, _tensors(node), _arrow(node)) for i, node in enumerate(self.nodes, 1)]
        widths = [max((_cells(row[i]) for row in cells), default=0) for i in range(3)]
        lines = []
        for row, node in zip(cells, self.nodes, strict=True):
            first, *rest = (_padded(cell, width) for cell, width in zip(row, widths, strict=False))
            lines.append("  ".join([first.strip().rjust(widths[0]), *rest, row[3]]).rstrip())
            if self.saved:
                lines += [" " * (widths[0] + 4) + str(saved) for saved in node.saved]
        lines += [f"{'-':>{widths[0] or 1}}  {_kind_of(box)}  {box.label}" for box in self.loose]
        return "\n".join([*lines, *self._remarks()])

    __repr__ = __str__

    def _remarks(self) -> Iterator[str]:
        """Yield what the picture cannot show, a sentence each."""
        if not self.nodes:
            yield say(
                en="None of these tensors has a graph: no node made them.",
                ko="이 텐서들에는 계산 그래프가 없습니다. 만든 노드가 하나도 없습니다.",
            )
        if self.left_out:
            count, more = len(self.nodes), self.left_out
            yield say(
                en=f"Drawn are the {count} nodes nearest the outputs; {more} more follow.",
                ko=f"출력에서 가까운 노드 {count}개만 그렸습니다. 그 뒤로 {more}개가 더 있습니다.",
            )
        if self.missing:
            names = ", ".join(self.missing)
            yield say(en=f"Among those not drawn: {names}.", ko=f"그리지 않은 것 중에 {names}도 있습니다.")

    def _described(self) -> str:
        """Return the graph in words, for those who do not see the picture."""
        count = len(self.nodes)
        parts = [say(en=f"Autograd graph, nodes: {count}", ko=f"autograd 계산 그래프, 노드 {count}개")]
        for number, node in enumerate(self.nodes, 1):
            words = f"{number} {node.name} {_tensors(node)}".rstrip()
            if node.inputs:
                inputs = ", ".join(f"{i + 1} {self.nodes[i].name}" for i in node.inputs)
                words += say(en=f" leads to {inputs}", ko=f"에서 {inputs}(으)로")
            if self.saved and node.saved:
                words += say(en="; saved ", ko="; 저장한 값 ") + ", ".join(map(str, node.saved))
            parts.append(words)
        parts += [f"{_kind_of(box)} {box.label}" for box in self.loose]
        return ". ".join([*parts, *self._remarks()])

    def _repr_html_(self) -> str:
        scene = lay_out(self)
        width, height = round(scene.width), round(scene.height)
        # Wide graphs shrink to the page, but not to less than what can be read: then they scroll.
        style = f"max-width:100%;min-width:{round(0.5 * width)}px;height:auto;display:block"
        drawn = "".join(_drawn(scene, self))
        picture = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" role="img" aria-label="{escape(self._described())}"'
            f' font-family="Menlo, Consolas, &#39;DejaVu Sans Mono&#39;, monospace" style="{style}">'
            f"{drawn}</svg>"
        )
        remarks = "".join(f"<div>{escape(remark)}</div>" for remark in self._remarks())
        words = '<div style="font-size:90%;line-height:1.6;margin:6px 0">'
        return (
            (f"{words}{remarks}</div>" if remarks else "")  # first: a tall picture may hide what follows it
            + f'<div style="overflow-x:auto">{picture}</div>{words}{_legend(self)}</div>'
        )


def draw_graph(*, saved: bool = False, **tensors: torch.Tensor) -> AutogradGraph:
    """Draw the graph that autograd recorded for some tensors: `draw_graph(loss=loss, w=w, x=x)`.

    All nodes that backward can reach from the tensors are drawn, each once, named as PyTorch names them;
    the tensors' names stand where they belong. A model's parameters get theirs with
    `draw_graph(loss=loss, **dict(model.named_parameters()))`. Of a large graph only the LIMIT nodes
    nearest the outputs are drawn.

    Args:
        saved: write under each node what it keeps for backward; else that is shown only on hovering.
        tensors: the tensors and the names to show.

    Raises:
        TypeError: if one of the arguments is not a tensor, or none is given.
    """
    if not isinstance(saved, bool):
        raise TypeError(f"saved is True or False, not a {type(saved).__name__}: give a tensor another name")
    if not tensors:
        raise TypeError("draw_graph needs the tensors whose graph to draw: draw_graph(loss=loss, x=x)")
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"draw_graph shows tensors; {name} is a {type(tensor).__name__}")

    makers = {name: tensor.grad_fn for name, tensor in tensors.items()}
    found, inputs = _walk(makers.values())  # holds the nodes, so that their ids stay theirs
    fed = {i for row in inputs for i in row}
    chosen = _nearest([i for i in range(len(found)) if i not in fed], inputs)
    place = {old: new for new, old in enumerate(chosen)}

    home = {id(node): i for i, node in enumerate(found)}
    leaves = {id(node.variable): i for i, node in enumerate(found) if node.name() == ACCUMULATOR}
    named: dict[int, list[tuple[str, torch.Tensor]]] = {}
    loose, missing = [], []
    for name, tensor in tensors.items():
        here = leaves.get(id(tensor)) if makers[name] is None else home[id(makers[name])]
        if here is None:
            loose.append(Loose(f"{name} {_shape(tensor)}", not tensor.requires_grad))
        elif here not in place:
            missing.append(name)
        else:
            named.setdefault(here, []).append((name, tensor))

    known = {key: name for name, tensor in reversed(tensors.items()) if (key := _memory(tensor))}
    nodes = []
    for old in chosen:
        node, names = found[old], named.get(old, [])
        drawn = tuple(place[i] for i in inputs[old] if i in place)
        shapes = tuple(_shape(entry) for entry in getattr(node, "_input_metadata", ()))
        results = tuple(_named(name, tensor, len(shapes)) for name, tensor in names)
        leaf = None
        if node.name() == ACCUMULATOR:
            leaf = " ".join([", ".join(name for name, _ in names), _shape(node.variable)]).strip()
        nodes.append(
            Node(
                name=node.name().removeprefix("torch::autograd::"),
                inputs=drawn,
                left_out=len(inputs[old]) - len(drawn),
                shapes=shapes if leaf is None else (),
                tensors=results if leaf is None else (),
                leaf=leaf,
                saved=tuple(sorted(_saved(node, known), key=lambda one: one.text.startswith(" ="))),
                output=old not in fed,
            )
        )
    return AutogradGraph(nodes, loose, len(found) - len(nodes), missing, saved)


# The graph


def _walk(starts: Iterable[Any]) -> tuple[list[Any], list[list[int]]]:
    """Return every node that can be reached, each once, and the positions of each one's inputs."""
    found: list[Any] = []
    place: dict[int, int] = {}

    def at(node: Any) -> int:
        if id(node) not in place:
            place[id(node)] = len(found)
            found.append(node)
        return place[id(node)]

    for node in starts:
        if node is not None:
            at(node)
    inputs: list[list[int]] = []
    while len(inputs) < len(found):
        inputs.append([at(node) for node, _ in found[len(inputs)].next_functions if node is not None])
    return found, inputs


def _nearest(roots: Sequence[int], inputs: Sequence[Sequence[int]]) -> list[int]:
    """Return the LIMIT nodes nearest the roots, nearest first."""
    seen, queue = set(roots), deque(roots)
    order: list[int] = []
    while queue and len(order) < LIMIT:
        order.append(queue.popleft())
        for i in inputs[order[-1]]:
            if i not in seen:
                seen.add(i)
                queue.append(i)
    return order


def _shape(thing: Any) -> str:
    """Return the shape of a tensor or of a node's metadata, as Python writes it."""
    try:
        return str(tuple(thing.shape))
    except (RuntimeError, AttributeError):  # nested tensors have none
        return "?"


def _named(name: str, tensor: torch.Tensor, results: int) -> str:
    """Return the label of a node's result; the node shows the shape itself if it has but one."""
    return name if results == 1 else f"{name} {_shape(tensor)}"


def _memory(tensor: torch.Tensor) -> tuple[Any, ...] | None:
    """Return what only the same values in the same memory share; nothing for tensors without memory."""
    try:
        if tensor.numel():
            return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype
    except RuntimeError:  # sparse and nested tensors have no single memory
        pass
    return None


def _saved(node: Any, known: dict[tuple[Any, ...], str]) -> Iterator[Saved]:
    """Yield what a node keeps for backward. What a hook packed stays packed: unpacking may recompute it."""
    names = [name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")]
    for name in names:
        what, _, detail = name.partition("_sym_")
        if detail and (what in names or detail == "strides"):
            continue  # the tensor itself tells
        yield from _saved_at(node, f"_saved_{name}", f"_raw_saved_{name}", name, known)
    if isinstance(node, torch.autograd.function.BackwardCFunction):  # the ctx of a custom Function
        yield from _saved_at(node, "saved_tensors", "_raw_saved_tensors", "saved_tensors", known)
        for name, value in vars(node).items():
            if not name.startswith("_"):
                yield from _shown(name, value, known)


def _saved_at(node: Any, at: str, raw: str, name: str, known: dict[tuple[Any, ...], str]) -> Iterator[Saved]:
    try:
        packed = getattr(node, raw, ())
        for one in packed if isinstance(packed, tuple) else (packed,):
            if getattr(one, "unpack_hook", None) is not None:
                yield Saved(name, state="hooked")
                return
        value = getattr(node, at)
    except RuntimeError as error:
        message = str(error)
        if "been freed" in message:
            yield Saved(name, state="freed")
        elif "inplace operation" in message:
            yield Saved(name, state="changed")
        else:
            yield Saved(name, state="unreadable")
        return
    yield from _shown(name, value, known)


def _shown(name: str, value: Any, known: dict[tuple[Any, ...], str]) -> Iterator[Saved]:
    """Yield the text of one kept value, or of each tensor in a tuple of them."""
    if isinstance(value, torch.Tensor):
        words = [known.get(_memory(value) or (), ""), _shape(value)]
        if value.dim() == 0 and value.device.type != "meta":
            words.append(f"= {_short(value.detach().item())}")
        yield Saved(name, ": " + " ".join(filter(None, words)))
    elif isinstance(value, list | tuple) and any(isinstance(one, torch.Tensor) for one in value):
        for i, one in enumerate(value):
            yield from _shown(f"{name}[{i}]", one, known)
    elif isinstance(value, int | float | complex | str | list | tuple) and value != ():
        text = _short(value)
        if len(text) <= LONG:
            yield Saved(name, f" = {text}")


def _short(value: Any) -> str:
    if isinstance(value, int) and value >= 2**63:
        return str(value - 2**64)  # PyTorch hands out a negative dim as if it had no sign
    return f"{value:.4g}" if isinstance(value, float | complex) else repr(value)


# The words


def _cells(text: str) -> int:
    """Return how many letters' room a text takes; a Korean letter takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _tensors(node: Node) -> str:
    if node.leaf is not None:
        return node.leaf
    if len(node.shapes) == 1:
        return " ".join(filter(None, [", ".join(node.tensors), node.shape]))
    return ", ".join(node.tensors) or node.shape


def _arrow(node: Node) -> str:
    inputs = [str(i + 1) for i in node.inputs] + ["…"] * bool(node.left_out)
    return f"-> {', '.join(inputs)}" if inputs else ""


def _kind_of(box: Loose) -> str:
    if box.constant:
        return say(en="constant leaf", ko="상수 leaf")
    return say(en="unused leaf", ko="쓰이지 않은 leaf")


# The layout


@dataclass
class Place:
    """A node with the tensors that belong to it, or a spot where a long edge passes a row.

    `x` and `y` are the middle of the box's upper side; `left`, `right` and `depth` reach as far as
    everything that belongs to it, `half` and `height` only as far as the box.
    """

    node: int | None
    half: float = TRACK
    height: float = 0
    left: float = TRACK
    right: float = TRACK
    depth: float = 0
    x: float = 0
    y: float = 0


@dataclass
class Scene:
    """Where everything stands. The places of `graph.nodes` come first; then "⋯" and passing edges."""

    places: list[Place]
    rows: list[list[int]]
    edges: list[Link]  # between neighbouring rows; parallel ones stand here twice
    width: float = 0
    height: float = 0
    bottoms: list[float] = field(default_factory=list)
    loose: list[tuple[float, float, float]] = field(default_factory=list)  # x, y, width


def text_width(text: str, size: float) -> float:
    """Return an upper estimate of a text's width in a monospace font."""
    return _cells(text) * EM * size


def _clipped(text: str) -> str:
    return text if _cells(text) <= LONG else text[: LONG - 1] + "…"


def _saved_lines(node: Node, shown: bool) -> list[str]:
    if not shown:
        return []
    lines = [_clipped(str(saved)) for saved in node.saved]
    return lines if len(lines) <= ROWS else [*lines[: ROWS - 1], "…"]


def _tag_size(lines: Sequence[str]) -> Point:
    return max(text_width(_clipped(line), SIZE) for line in lines) + 2 * PAD, BOX + LINE * (len(lines) - 1)


def _measured(number: int, node: Node, saved: bool) -> Place:
    lines = _saved_lines(node, saved)
    head = text_width(_clipped(node.name), SIZE) + (8 + text_width(node.shape, SMALL) if node.shape else 0)
    width = max([head, *(text_width(line, SMALL) for line in lines)]) + 2 * PAD
    if node.kind == "accumulate":
        width += 10  # its pointed ends
    height = BOX + (LINE * len(lines) + 6 if lines else 0)
    place = Place(number, width / 2, height, width / 2, width / 2, height)
    if node.leaf is not None:
        across, deep = _tag_size([node.leaf])
        place.left = place.right = max(width, across) / 2
        place.depth += STUB + deep
    elif node.tensors:
        across, deep = _tag_size(node.tensors)
        if node.output:
            place.left = place.right = max(width, across) / 2
        else:
            place.left += STUB + across
            place.depth = max(height, deep)
    return place


def lay_out(graph: AutogradGraph) -> Scene:
    """Give every node a place: rows by the longest way from the outputs, few crossings, no overlaps."""
    places = [_measured(i, node, graph.saved) for i, node in enumerate(graph.nodes)]
    links = [(i, j) for i, node in enumerate(graph.nodes) for j in node.inputs]
    for i, node in enumerate(graph.nodes):
        if node.left_out:
            links.append((i, len(places)))
            places.append(Place(None, 12, BOX, 12, 12, BOX))
    net = nx.MultiDiGraph()
    net.add_nodes_from(range(len(places)))
    net.add_edges_from(links)
    ends = {i for i, leading in net.out_degree() if not leading}
    rows = [part for row in nx.topological_generations(net) for part in _parted(sorted(row), ends, places)]
    scene = Scene(places, rows, _routed(links, places, rows))
    _order(scene)
    _space(scene)
    _finish(scene, graph)
    return scene


def _parted(row: list[int], ends: set[int], places: Sequence[Place]) -> Iterator[list[int]]:
    """Yield a row; of one wider than a page, those from which no edge leads on may go to further rows."""
    width = sum(places[i].left + places[i].right + ACROSS for i in row)
    parts = int(width // WIDE) + 1
    last = [i for i in row if i in ends]
    yield [i for i in row if i not in ends] + last[::parts]
    yield from (part for k in range(1, parts) if (part := last[k::parts]))


def _routed(links: Sequence[Link], places: list[Place], rows: list[list[int]]) -> list[Link]:
    """Cut long edges at the rows they pass. Those that lead to one node share their way once they meet."""
    row_of = {i: r for r, row in enumerate(rows) for i in row}
    tracks: dict[tuple[int, int, int], int] = {}
    edges = []
    copies: dict[tuple[int, int], int] = {}
    for start, end in links:
        copy = copies[start, end] = copies.get((start, end), -1) + 1
        at = start
        for row in range(row_of[start] + 1, row_of[end]):
            key = (end, copy, row)
            known = key in tracks
            if not known:
                tracks[key] = len(places)
                rows[row].append(len(places))
                places.append(Place(None))
            edges.append((at, tracks[key]))
            at = tracks[key]
            if known:
                break  # from here on the way is drawn already
        else:
            edges.append((at, end))
    return edges


def _order(scene: Scene) -> None:
    """Order each row so that few edges cross: each place near the mean of its neighbours, up and down."""
    above, below = _neighbours(scene)
    ports: dict[int, list[tuple[int, float]]] = {}
    for start, ends in below.items():
        for k, end in enumerate(ends):
            ports.setdefault(end, []).append((start, (k + 1) / (len(ends) + 1)))
    rank = {i: float(k) for row in scene.rows[:1] for k, i in enumerate(row)}
    for row in scene.rows[1:]:  # first the inputs from left to right as the operation took them
        row.sort(key=lambda i: sum(rank[up] + port for up, port in ports[i]) / len(ports[i]))
        rank |= {i: float(k) for k, i in enumerate(row)}
    best, fewest = [list(row) for row in scene.rows], _crossings(scene)
    for sweep in range(12):
        if not fewest:
            break
        near, rows = (below, scene.rows[-2::-1]) if sweep % 2 == 0 else (above, scene.rows[1:])
        for row in rows:
            goal = {i: sum(rank[j] for j in near[i]) / len(near[i]) if near[i] else rank[i] for i in row}
            row.sort(key=goal.__getitem__)
            rank |= {i: float(k) for k, i in enumerate(row)}
        if (count := _crossings(scene)) < fewest:
            best, fewest = [list(row) for row in scene.rows], count
    scene.rows = best


def _neighbours(scene: Scene) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    above: dict[int, list[int]] = {i: [] for i in range(len(scene.places))}
    below: dict[int, list[int]] = {i: [] for i in range(len(scene.places))}
    for start, end in scene.edges:
        above[end].append(start)
        below[start].append(end)
    return above, below


def _crossings(scene: Scene) -> int:
    rank = {i: k for row in scene.rows for k, i in enumerate(row)}
    row_of = {i: r for r, row in enumerate(scene.rows) for i in row}
    ends: dict[int, list[int]] = {}
    count = 0
    for start, end in sorted(scene.edges, key=lambda edge: (rank[edge[0]], rank[edge[1]])):
        passed = ends.setdefault(row_of[start], [])
        count += len(passed) - bisect_left(passed, rank[end] + 1)
        insort(passed, rank[end])
    return count


def _space(scene: Scene) -> None:
    """Place each row so that edges are short and upright, in the row's order and without overlaps."""
    above, below = _neighbours(scene)
    places = scene.places
    near: dict[int, list[tuple[float, int]]] = {i: [] for i in range(len(places))}
    for start, end in scene.edges:
        # What is alone on its way, a passing edge or a chain of operations, had better go straight.
        weight = 8.0 if len(below[start]) == 1 and (len(above[end]) == 1 or not places[end].height) else 1.0
        near[start].append((weight, end))
        near[end].append((weight, start))
    for row in scene.rows:
        _spread(places, row, [places[i].x for i in row], [1.0] * len(row))
    for sweep in range(60):
        for row in scene.rows if sweep % 2 == 0 else reversed(scene.rows):
            weights = [sum(weight for weight, _ in near[i]) or 1e-3 for i in row]
            goals = [
                sum(weight * places[j].x for weight, j in near[i]) / total if near[i] else places[i].x
                for i, total in zip(row, weights, strict=True)
            ]
            _spread(places, row, goals, weights)


def _spread(
    places: list[Place], row: Sequence[int], goals: Sequence[float], weights: Sequence[float]
) -> None:
    """Set a row's x as near the goals as its neighbours allow (isotonic regression)."""
    offsets = [0.0]
    for i, j in pairwise(row):
        gap = ACROSS if places[i].height and places[j].height else BESIDE
        offsets.append(offsets[-1] + places[i].right + gap + places[j].left)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for goal, offset, weight in zip(goals, offsets, weights, strict=True):
        blocks.append((goal - offset, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, mass, count), (mean_2, mass_2, count_2) = blocks[-2:]
            both = mass + mass_2
            blocks[-2:] = [((mean * mass + mean_2 * mass_2) / both, both, count + count_2)]
    means = [mean for mean, _, count in blocks for _ in range(count)]
    for i, mean, offset in zip(row, means, offsets, strict=True):
        places[i].x = mean + offset


def _finish(scene: Scene, graph: AutogradGraph) -> None:
    """Set every y, the loose boxes and the picture's size."""
    places, margin = scene.places, 6.0
    left = min((place.x - place.left for place in places), default=0)
    for place in places:
        place.x += margin - left
    scene.width = max((place.x + place.right for place in places), default=0) + margin
    y = margin
    outputs = [node.tensors for node in graph.nodes if node.output and node.tensors]
    if outputs:
        y += max(_tag_size(tensors)[1] for tensors in outputs) + STUB
    for row in scene.rows:
        for i in row:
            places[i].y = y
        y += max(places[i].depth for i in row)
        scene.bottoms.append(y)
        y += DOWN
    scene.height = (scene.bottoms[-1] if scene.bottoms else 0) + margin
    x, y, room = margin, scene.height + (10 if scene.rows else 0), max(scene.width, 560)
    for box in graph.loose:
        across, deep = _tag_size([box.label])
        if x > margin and x + across + margin > room:
            x, y = margin, y + deep + 10
        scene.loose.append((x, y, across))
        x += across + ACROSS
        scene.width = max(scene.width, x - ACROSS + margin)
        scene.height = y + deep + margin


# The picture


def _drawn(scene: Scene, graph: AutogradGraph) -> Iterator[str]:
    for points in _ways(scene):
        yield _edge(points)
    for place in scene.places:
        if place.node is not None:
            yield from _node(place, graph.nodes[place.node], graph.saved)
        elif place.height:
            yield _text("⋯", place.x, place.y + 17, SIZE, anchor="middle")
    for (x, y, width), box in zip(scene.loose, graph.loose, strict=True):
        yield f"<g>{_title(f'{box.label}: {_kind_of(box)}')}"
        yield from _tag([box.label], x, y, width, BOX, "constant" if box.constant else "leaf")
        yield "</g>"


def _ways(scene: Scene) -> Iterator[list[Point]]:
    """Yield for each edge where it leaves, where it passes the row's lower end, and where it arrives."""
    places = scene.places
    row_of = {i: r for r, row in enumerate(scene.rows) for i in row}
    leaving = _ports(scene, [(start, end) for start, end in scene.edges])
    arriving = _ports(scene, [(end, start) for start, end in scene.edges])
    for k, (start, end) in enumerate(scene.edges):
        low = places[start].y + places[start].height
        way = [(leaving[k], low), (leaving[k], scene.bottoms[row_of[start]]), (arriving[k], places[end].y)]
        yield way if places[end].height else [*way, (arriving[k], scene.bottoms[row_of[end]])]


def _ports(scene: Scene, ends: Sequence[Link]) -> list[float]:
    """Return the x at which each edge meets its first end: side by side, in the order of the others' x."""
    places = scene.places
    meeting: dict[int, list[int]] = {}
    for k, (here, _) in enumerate(ends):
        meeting.setdefault(here, []).append(k)
    ports = [0.0] * len(ends)
    for here, edges in meeting.items():
        place = places[here]
        edges.sort(key=lambda k: (places[ends[k][1]].x, k))
        apart = 0.0
        if place.height and len(edges) > 1:
            apart = min(16, (2 * place.half - 24) / (len(edges) - 1))
        for rank, k in enumerate(edges):
            ports[k] = place.x + (rank - (len(edges) - 1) / 2) * apart
    return ports


def _edge(points: list[Point]) -> str:
    (x0, y0), (_, y1), (x2, y2), *rest = points
    end = y2 if rest else y2 - 7  # room for the head
    middle = (y1 + end) / 2
    path = f"M{x0:.1f} {y0:.1f}V{y1:.1f}C{x0:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {end:.1f}"
    head = ""
    if rest:
        path += f"V{rest[0][1]:.1f}"
    else:
        head = f'<path d="M{x2:.1f} {y2:.1f}l-4 -8h8z" fill="{INK}" fill-opacity="0.75"{_ink("fill")}/>'
    line = f'stroke="{INK}" stroke-opacity="0.75" stroke-width="1.3"{_ink("stroke")}'
    return f'<path d="{path}" fill="none" {line}/>{head}'


def _ink(what: str) -> str:
    """Return JupyterLab's colour of text, for places that know it; others take the attribute's."""
    return f' style="{what}:var(--jp-ui-font-color1, currentColor)"'


def _text(text: str, x: float, y: float, size: int, *, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    at = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {at} fill="{INK}"{weight}{_ink("fill")}>{escape(text)}</text>'


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _outline(kind: str, x: float, y: float, width: float, height: float) -> str:
    """Return the shape that stands for a kind of node or tensor; the legend draws the same."""

    def rect(colour: str, more: str, inset: float = 0) -> str:
        return (
            f'<rect x="{x + inset:.1f}" y="{y + inset:.1f}" width="{width - 2 * inset:.1f}"'
            f' height="{height - 2 * inset:.1f}" stroke="{colour}" fill="{colour}" {more}/>'
        )

    if kind == "function":
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
        yield _text(_clipped(line), x + width / 2, y + 17.5 + k * LINE, SIZE, anchor="middle", bold=True)


def _stub(x0: float, y0: float, x1: float, y1: float) -> str:
    path = f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
    return f'<path d="{path}" stroke="{INK}" stroke-width="1.3"{_ink("stroke")}/>'


def _node(place: Place, node: Node, saved: bool) -> Iterator[str]:
    x, y, width = place.x - place.half, place.y, 2 * place.half
    yield f"<g>{_title(_hover(node))}"
    yield _outline(node.kind, x, y, width, place.height)
    room = text_width(_clipped(node.name), SIZE)
    head = room + (8 + text_width(node.shape, SMALL) if node.shape else 0)
    yield _text(_clipped(node.name), place.x - head / 2 + room / 2, y + 17.5, SIZE, anchor="middle")
    if node.shape:
        yield _text(node.shape, place.x + head / 2, y + 17.5, SMALL, anchor="end")
    lines = _saved_lines(node, saved)
    if lines:
        inside = FUNCTION if node.kind == "function" else ACCUMULATE
        yield f'<path d="M{x:.1f} {y + BOX:.1f}h{width:.1f}" stroke="{inside}" stroke-opacity="0.6"/>'
        for k, line in enumerate(lines):
            yield _text(line, x + PAD, y + BOX + 14 + k * LINE, SMALL)
    if node.leaf is not None:
        across, deep = _tag_size([node.leaf])
        below = y + place.height
        yield _stub(place.x, below, place.x, below + STUB)
        yield from _tag([node.leaf], place.x - across / 2, below + STUB, across, deep, "leaf")
    elif node.tensors:
        across, deep = _tag_size(node.tensors)
        if node.output:
            yield _stub(place.x, y - STUB, place.x, y)
            yield from _tag(node.tensors, place.x - across / 2, y - STUB - deep, across, deep, "output")
        else:
            yield _stub(x - STUB, y + BOX / 2, x, y + BOX / 2)
            yield from _tag(node.tensors, x - STUB - across, y, across, deep, "named")
    yield "</g>"


def _hover(node: Node) -> str:
    lines = [f"{node.name} {_tensors(node)}".rstrip()]
    if node.saved:
        lines.append(say(en="saved for backward:", ko="backward를 위해 저장한 값:"))
        lines += [f"  {saved}" for saved in node.saved]
    elif node.kind == "function" and node.name != "CopySlices":  # that one keeps its values out of sight
        lines.append(say(en="saved nothing", ko="저장한 값 없음"))
    return "\n".join(lines)


def _legend(graph: AutogradGraph) -> str:
    """Return what the shapes and the arrows mean, of those that occur."""
    nodes, loose = graph.nodes, graph.loose
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
            any(node.leaf is not None for node in nodes) or any(not box.constant for box in loose),
        ),
        "constant": (
            say(en="constant leaf: no gradient goes there", ko="상수 leaf: gradient가 가지 않음"),
            any(box.constant for box in loose),
        ),
    }
    items = "".join(
        f'<span style="display:inline-block;margin-right:1.4em">{_swatch(kind)} {escape(words)}</span> '
        for kind, (words, occurs) in kinds.items()
        if occurs
    )
    if not nodes:
        return f"<div>{items}</div>"
    way = say(
        en="Arrows go the way backward() walks (next_functions): from the output at the top to the leaves.",
        ko="화살표는 backward()가 지나가는 방향(next_functions)으로, 맨 위의 출력에서 leaf로 내려갑니다.",
    )
    return f"<div>{items}</div><div>{way}</div>"


def _swatch(kind: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="16" viewBox="0 0 30 16"'
        f' aria-hidden="true" style="vertical-align:-3px">{_outline(kind, 2, 2, 26, 12)}</svg>'
    )
