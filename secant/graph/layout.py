"""Where the nodes of a graph stand in its picture: in rows, few edges crossing, nothing overlapping."""

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import networkx as nx

from secant.graph.record import Node, Recorded

ROWS = 8  # saved values written under a node; the hover text has them all
LONG = 40  # characters of one line in a picture

SIZE, SMALL = 13, 11  # of the letters
EM = 0.62  # a monospace letter's width over its size: the widest of the usual fonts, and a little more
LINE, PAD = 15, 9
BOX = 26  # height of a box with one line
ACROSS, DOWN = 26, 30  # free room between boxes and between rows
BESIDE = 8  # free room beside an edge that passes
WIDE = 1000  # a row wider than this is parted
STUB = 14  # from a node to the tensor that belongs to it
TRACK = 6  # half the width of an edge that passes a row

Point = tuple[float, float]
Link = tuple[int, int]


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


def cells(text: str) -> int:
    """Return how many letters' room a text takes; a Korean letter takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def text_width(text: str, size: float) -> float:
    """Return an upper estimate of a text's width in a monospace font."""
    return cells(text) * EM * size


def clipped(text: str) -> str:
    """Return a text cut to the length of a line."""
    return text if cells(text) <= LONG else text[: LONG - 1] + "…"


def saved_lines(node: Node, shown: bool) -> list[str]:
    """Return what is written under a node: its numbers, and what it keeps."""
    lines = [clipped(str(line)) for line in (*node.facts, *(node.saved if shown else ()))]
    return lines if len(lines) <= ROWS else [*lines[: ROWS - 1], "…"]


def tag_size(lines: Sequence[str]) -> Point:
    """Return width and height of a tensor's box."""
    return max(text_width(clipped(line), SIZE) for line in lines) + 2 * PAD, BOX + LINE * (len(lines) - 1)


def _measured(number: int, node: Node, saved: bool) -> Place:
    lines = saved_lines(node, saved)
    head = text_width(clipped(node.name), SIZE) + (8 + text_width(node.shape, SMALL) if node.shape else 0)
    width = max([head, *(text_width(line, SMALL) for line in lines)]) + 2 * PAD
    if node.kind == "accumulate":
        width += 10  # its pointed ends
    height = BOX + (LINE * len(lines) + 6 if lines else 0)
    place = Place(number, width / 2, height, width / 2, width / 2, height)
    if node.leaf is not None:
        across, deep = tag_size([node.leaf])
        place.left = place.right = max(width, across) / 2
        place.depth += STUB + deep
    elif node.tensors:
        across, deep = tag_size(node.tensors)
        if node.output:
            place.left = place.right = max(width, across) / 2
        else:
            place.left += STUB + across
            place.depth = max(height, deep)
    return place


def lay_out(graph: Recorded, saved: bool) -> Scene:
    """Give every node a place: rows by the longest way from the outputs, few crossings, no overlaps."""
    places = [_measured(i, node, saved) for i, node in enumerate(graph.nodes)]
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


def _finish(scene: Scene, graph: Recorded) -> None:
    """Set every y, the loose boxes and the picture's size."""
    places, margin = scene.places, 6.0
    left = min((place.x - place.left for place in places), default=0)
    for place in places:
        place.x += margin - left
    scene.width = max((place.x + place.right for place in places), default=0) + margin
    y = margin
    outputs = [node.tensors for node in graph.nodes if node.output and node.tensors]
    if outputs:
        y += max(tag_size(tensors)[1] for tensors in outputs) + STUB
    for row in scene.rows:
        for i in row:
            places[i].y = y
        y += max(places[i].depth for i in row)
        scene.bottoms.append(y)
        y += DOWN
    scene.height = (scene.bottoms[-1] if scene.bottoms else 0) + margin
    x, y, room = margin, scene.height + (10 if scene.rows else 0), max(scene.width, 560)
    for box in graph.loose:
        across, deep = tag_size([box.label])
        if x > margin and x + across + margin > room:
            x, y = margin, y + deep + 10
        scene.loose.append((x, y, across))
        x += across + ACROSS
        scene.width = max(scene.width, x - ACROSS + margin)
        scene.height = y + deep + margin
