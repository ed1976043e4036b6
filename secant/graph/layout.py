"""The layout of a graph's picture: nodes in rows, with few edges that cross and no boxes that overlap."""

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import networkx as nx

from secant.graph.record import GraphSnapshot, Node

# Maximum number of lines below a node's name, for its numbers (such as gradients) and its saved values. The
# tooltip lists every saved value.
ROWS = 8
LONG = 40  # maximum number of letters in a line of a picture

SIZE, SMALL = 13, 11  # font sizes in pixels
EM = 0.62  # width of a monospace letter divided by its font size; slightly more than in any common font
LINE, PAD = 15, 9
BOX = 26  # height in pixels of a box with one line
BOX_GAP, ROW_GAP = 26, 30  # free space in pixels between boxes and between rows
EDGE_GAP = 8  # free space in pixels next to an edge that crosses a row
WIDE = 1000  # maximum width of a row in pixels; a wider row is split
STUB = 14  # distance in pixels from a node to the box of its tensor
TRACK = 6  # half the width in pixels of the space for an edge that crosses a row

Point = tuple[float, float]
Link = tuple[int, int]


@dataclass
class PlacedBox:
    """A node and its tensors, or the spot where a long edge crosses a row.

    The point (`x`, `y`) is the middle of the box's upper side. From there, `left`, `right` and `depth` are
    the distances to the edges of the box and its tensors together; `half` and `height` are those to the edges
    of the box alone.
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
    """The positions of everything in a picture.

    In `places`, the nodes of the graph come first, then the "⋯" boxes that stand for nodes left out of the
    picture, then the spots where edges cross rows.
    """

    places: list[PlacedBox]
    rows: list[list[int]]
    edges: list[Link]  # edges between neighbouring rows; parallel edges are listed separately
    width: float = 0
    height: float = 0
    bottoms: list[float] = field(default_factory=list)
    # (x, y, width) of the box of each unattached tensor
    unattached: list[tuple[float, float, float]] = field(default_factory=list)


def cells(text: str) -> int:
    """Return the width of a string in letters of a monospace font; a Korean letter counts as two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def text_width(text: str, size: float) -> float:
    """Return an upper estimate, in pixels, of a string's width in a monospace font."""
    return cells(text) * EM * size


def clip(text: str) -> str:
    """Return the text, truncated with "…" if it is longer than one line of the picture."""
    return text if cells(text) <= LONG else text[: LONG - 1] + "…"


def saved_lines(node: Node, show_saved: bool) -> list[str]:
    """Return the lines under a node's name: its facts (such as gradients) and, if shown, its saved values."""
    lines = [clip(str(line)) for line in (*node.facts, *(node.saved if show_saved else ()))]
    return lines if len(lines) <= ROWS else [*lines[: ROWS - 1], "…"]


def tag_size(lines: Sequence[str]) -> Point:
    """Return the width and height of a tensor's box."""
    return max(text_width(clip(line), SIZE) for line in lines) + 2 * PAD, BOX + LINE * (len(lines) - 1)


def _sized_box(number: int, node: Node, show_saved: bool) -> PlacedBox:
    lines = saved_lines(node, show_saved)
    head = text_width(clip(node.name), SIZE) + (8 + text_width(node.shape, SMALL) if node.shape else 0)
    width = max([head, *(text_width(line, SMALL) for line in lines)]) + 2 * PAD
    if node.kind == "accumulate":
        width += 10  # room for the pointed ends of an AccumulateGrad box
    height = BOX + (LINE * len(lines) + 6 if lines else 0)
    place = PlacedBox(number, width / 2, height, width / 2, width / 2, height)
    if node.leaf is not None:
        tag_width, tag_height = tag_size([node.leaf])
        place.left = place.right = max(width, tag_width) / 2
        place.depth += STUB + tag_height
    elif node.tensors:
        tag_width, tag_height = tag_size(node.tensors)
        if node.output:
            place.left = place.right = max(width, tag_width) / 2
        else:
            place.left += STUB + tag_width
            place.depth = max(height, tag_height)
    return place


def lay_out(graph: GraphSnapshot, show_saved: bool) -> Scene:
    """Place every node, with few edges that cross and no boxes that overlap.

    The number of a node's row is the length of the longest path from an output to the node.
    """
    places = [_sized_box(i, node, show_saved) for i, node in enumerate(graph.nodes)]
    links = [(i, j) for i, node in enumerate(graph.nodes) for j in node.inputs]
    for i, node in enumerate(graph.nodes):
        if node.left_out:
            links.append((i, len(places)))
            places.append(PlacedBox(None, 12, BOX, 12, 12, BOX))
    net = nx.MultiDiGraph()
    net.add_nodes_from(range(len(places)))
    net.add_edges_from(links)
    ends = {i for i, degree in net.out_degree() if not degree}
    rows = [part for row in nx.topological_generations(net) for part in _split_row(sorted(row), ends, places)]
    scene = Scene(places, rows, _split_long_edges(links, places, rows))
    _order(scene)
    _space(scene)
    _set_heights(scene, graph)
    return scene


def _split_row(row: list[int], ends: set[int], places: Sequence[PlacedBox]) -> Iterator[list[int]]:
    """Yield a row, split into several if it is too wide.

    Only boxes without outgoing edges move to the additional rows.
    """
    width = sum(places[i].left + places[i].right + BOX_GAP for i in row)
    parts = int(width // WIDE) + 1
    ends_of_paths = [i for i in row if i in ends]
    yield [i for i in row if i not in ends] + ends_of_paths[::parts]
    yield from (part for k in range(1, parts) if (part := ends_of_paths[k::parts]))


def _split_long_edges(links: Sequence[Link], places: list[PlacedBox], rows: list[list[int]]) -> list[Link]:
    """Return the edges, with long ones split at the rows they cross.

    Long edges that lead to the same node share the rest of their path once they meet.
    """
    row_of = {i: r for r, row in enumerate(rows) for i in row}
    tracks: dict[tuple[int, int, int], int] = {}
    edges = []
    copies: dict[tuple[int, int], int] = {}
    for start, end in links:
        copy = copies[start, end] = copies.get((start, end), -1) + 1
        start_of_part = start
        for row in range(row_of[start] + 1, row_of[end]):
            key = (end, copy, row)
            is_shared = key in tracks
            if not is_shared:
                tracks[key] = len(places)
                rows[row].append(len(places))
                places.append(PlacedBox(None))
            edges.append((start_of_part, tracks[key]))
            start_of_part = tracks[key]
            if is_shared:
                break  # an earlier edge to the same node already has the rest of the path
        else:
            edges.append((start_of_part, end))
    return edges


def _order(scene: Scene) -> None:
    """Sort the places in each row so that few edges cross.

    Sweeps up and down alternate. Each sorts the places of a row by the mean position of their neighbours in
    the row that the sweep visited before.
    """
    above, below = _neighbours(scene)
    ports: dict[int, list[tuple[int, float]]] = {}
    for start, ends in below.items():
        for k, end in enumerate(ends):
            ports.setdefault(end, []).append((start, (k + 1) / (len(ends) + 1)))
    # In the initial order, the inputs of each operation are placed from left to right.
    rank = {i: float(k) for row in scene.rows[:1] for k, i in enumerate(row)}
    for row in scene.rows[1:]:
        row.sort(key=lambda i: sum(rank[start] + port for start, port in ports[i]) / len(ports[i]))
        rank |= {i: float(k) for k, i in enumerate(row)}
    best_rows, fewest_crossings = [list(row) for row in scene.rows], _crossings(scene)
    for sweep in range(12):
        if not fewest_crossings:
            break
        neighbours, rows = (below, scene.rows[-2::-1]) if sweep % 2 == 0 else (above, scene.rows[1:])
        for row in rows:
            goal = {
                i: sum(rank[j] for j in neighbours[i]) / len(neighbours[i]) if neighbours[i] else rank[i]
                for i in row
            }
            row.sort(key=goal.__getitem__)
            rank |= {i: float(k) for k, i in enumerate(row)}
        if (count := _crossings(scene)) < fewest_crossings:
            best_rows, fewest_crossings = [list(row) for row in scene.rows], count
    scene.rows = best_rows


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
        previous_ends = ends.setdefault(row_of[start], [])
        count += len(previous_ends) - bisect_left(previous_ends, rank[end] + 1)
        insort(previous_ends, rank[end])
    return count


def _space(scene: Scene) -> None:
    """Set the x coordinate of each place so that edges are short and nearly vertical.

    Each row keeps its order, and its boxes do not overlap.
    """
    above, below = _neighbours(scene)
    places = scene.places
    neighbours: dict[int, list[tuple[float, int]]] = {i: [] for i in range(len(places))}
    for start, end in scene.edges:
        # A path without branches, such as a long edge or a chain of operations, should be straight.
        weight = 8.0 if len(below[start]) == 1 and (len(above[end]) == 1 or not places[end].height) else 1.0
        neighbours[start].append((weight, end))
        neighbours[end].append((weight, start))
    for row in scene.rows:
        _spread(places, row, [places[i].x for i in row], [1.0] * len(row))
    for sweep in range(60):
        for row in scene.rows if sweep % 2 == 0 else reversed(scene.rows):
            weights = [sum(weight for weight, _ in neighbours[i]) or 1e-3 for i in row]
            goals = [
                sum(weight * places[j].x for weight, j in neighbours[i]) / total
                if neighbours[i]
                else places[i].x
                for i, total in zip(row, weights, strict=True)
            ]
            _spread(places, row, goals, weights)


def _spread(
    places: list[PlacedBox], row: Sequence[int], goals: Sequence[float], weights: Sequence[float]
) -> None:
    """Set each x coordinate in a row as near to its goal as its neighbours allow (isotonic regression)."""
    offsets = [0.0]
    for i, j in pairwise(row):
        gap = BOX_GAP if places[i].height and places[j].height else EDGE_GAP
        offsets.append(offsets[-1] + places[i].right + gap + places[j].left)
    blocks: list[tuple[float, float, int]] = []  # each block is (mean, weight, number of places)
    for goal, offset, weight in zip(goals, offsets, weights, strict=True):
        blocks.append((goal - offset, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, mass, count), (mean_2, mass_2, count_2) = blocks[-2:]
            total_mass = mass + mass_2
            blocks[-2:] = [((mean * mass + mean_2 * mass_2) / total_mass, total_mass, count + count_2)]
    means = [mean for mean, _, count in blocks for _ in range(count)]
    for i, mean, offset in zip(row, means, offsets, strict=True):
        places[i].x = mean + offset


def _set_heights(scene: Scene, graph: GraphSnapshot) -> None:
    """Set the y coordinate of every place, the position of each unattached tensor, and the picture's size."""
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
        y += ROW_GAP
    scene.height = (scene.bottoms[-1] if scene.bottoms else 0) + margin
    x, y, room = margin, scene.height + (10 if scene.rows else 0), max(scene.width, 560)
    for box in graph.unattached:
        tag_width, tag_height = tag_size([box.label])
        if x > margin and x + tag_width + margin > room:
            x, y = margin, y + tag_height + 10
        scene.unattached.append((x, y, tag_width))
        x += tag_width + BOX_GAP
        scene.width = max(scene.width, x - BOX_GAP + margin)
        scene.height = y + tag_height + margin
