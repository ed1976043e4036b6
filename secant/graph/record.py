"""A snapshot of the graph that autograd recorded, as plain data that keeps no tensor or node alive."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch

from secant.graph.flow import Fact, Flow, Kind, Trouble, dry_run, numbers
from secant.graph.nodes import ACCUMULATOR, result_metadata
from secant.language import say

LIMIT = 100  # maximum number of nodes in a snapshot; a picture with more would be unreadable
LONG = 40  # maximum length in characters of the text of a saved value that is not a tensor

State = Literal["available", "freed", "changed", "hooked", "unreadable"]
Role = Literal["function", "accumulate", "value", "leaf"]


@dataclass(frozen=True)
class Saved:
    """One value that a node saved for backward: its description, or the reason why there is none."""

    name: str
    text: str = ""
    state: State = "available"

    def __str__(self) -> str:
        states = {
            "available": self.text,
            "freed": ": " + say(en="freed", ko="해제됨"),
            "changed": ": " + say(en="changed in place since", ko="그 뒤 제자리에서 바뀜"),
            "hooked": ": " + say(en="packed by a hook", ko="hook이 보관"),
            "unreadable": ": " + say(en="not readable", ko="읽을 수 없음"),
        }
        return self.name + states[self.state]


@dataclass(frozen=True)
class Node:
    """A node of the graph, as plain data read at the time of the snapshot.

    Attributes:
        inputs: the positions of the node's inputs in `GraphSnapshot.nodes`, in the order of `next_functions`.
            Entries of `next_functions` without a node are skipped.
        left_out: the number of inputs beyond the LIMIT, which are not in the snapshot.
        value: True if the node stands for a Value of lesson 10.
    """

    name: str
    inputs: tuple[int, ...]
    left_out: int
    shapes: tuple[str, ...]
    tensors: tuple[str, ...]
    leaf: str | None
    saved: tuple[Saved, ...]
    output: bool
    facts: tuple[Fact, ...] = ()
    value: bool = False

    @property
    def kind(self) -> Role:
        """The kind of box that stands for the node in a picture."""
        if self.value:
            return "value" if self.inputs or self.left_out else "leaf"
        return "function" if self.leaf is None else "accumulate"

    @property
    def shape(self) -> str:
        """The shapes of the node's first three results, separated by commas."""
        return ", ".join(self.shapes[:3]) + (", …" if len(self.shapes) > 3 else "")


@dataclass(frozen=True)
class Unattached:
    """A tensor that belongs to no node of the graph: a constant or an unused leaf."""

    label: str
    constant: bool


@dataclass(frozen=True)
class GraphSnapshot:
    """The graph behind some tensors at the time it was read, with the nodes nearest the outputs first.

    Attributes:
        left_out: the number of nodes beyond the LIMIT.
        missing: the names of the tensors that belong to nodes beyond the LIMIT.
        troubles: the reasons why numbers are missing, each with the names of the nodes concerned.
    """

    nodes: tuple[Node, ...]
    unattached: tuple[Unattached, ...] = ()
    left_out: int = 0
    missing: tuple[str, ...] = ()
    troubles: Mapping[Trouble, tuple[str, ...]] = field(default_factory=dict)


def record(tensors: Mapping[str, torch.Tensor], kinds: Collection[Kind] = ()) -> GraphSnapshot:
    """Read every node that backward can reach from the tensors, and match the tensors to the nodes.

    Args:
        tensors: the tensors, keyed by the names to show.
        kinds: the kinds of numbers to read in addition: values, slopes, gradients.
    """
    grad_fns = {name: tensor.grad_fn for name, tensor in tensors.items()}
    graph_nodes, inputs = _walk(grad_fns.values())  # keeps the nodes alive, so that no id is reused
    input_positions = {i for row in inputs for i in row}
    nearest_positions = _nearest_positions(
        [i for i in range(len(graph_nodes)) if i not in input_positions], inputs
    )
    new_position = {place: new_place for new_place, place in enumerate(nearest_positions)}

    position_of = {id(node): i for i, node in enumerate(graph_nodes)}
    leaves = {id(node.variable): i for i, node in enumerate(graph_nodes) if node.name() == ACCUMULATOR}
    tensors_of: dict[int, list[tuple[str, torch.Tensor]]] = {}
    unattached, missing = [], []
    for name, tensor in tensors.items():
        position = leaves.get(id(tensor)) if grad_fns[name] is None else position_of[id(grad_fns[name])]
        if position is None:
            unattached.append(Unattached(f"{name} {_shape(tensor)}", not tensor.requires_grad))
        elif position not in new_position:
            missing.append(name)
        else:
            tensors_of.setdefault(position, []).append((name, tensor))

    flow = Flow([{} for _ in graph_nodes], [()] * len(graph_nodes))
    if "slope" in kinds or "gradient" in kinds:
        outputs = [
            (position_of[id(grad_fn)], tensors[name].output_nr)
            for name, grad_fn in grad_fns.items()
            if grad_fn
        ]
        flow = dry_run(
            graph_nodes,
            [start for start in outputs if start[0] not in input_positions],
            gradients="gradient" in kinds,
        )
    results = _results(graph_nodes, tensors_of) if "value" in kinds else []
    labels_of = {id(node): _input_label(node, tensors_of.get(i, [])) for i, node in enumerate(graph_nodes)}

    names_of = {key: name for name, tensor in reversed(list(tensors.items())) if (key := _memory(tensor))}
    nodes = []
    for place in nearest_positions:
        node, names = graph_nodes[place], tensors_of.get(place, [])
        drawn_inputs = tuple(new_position[i] for i in inputs[place] if i in new_position)
        shapes = tuple(_shape(entry) for entry in getattr(node, "_input_metadata", ()))
        tags = tuple(_result_label(name, tensor, len(shapes)) for name, tensor in names)
        values = list(_values(results[place], len(shapes))) if results else []
        if "value" in kinds and not values:
            flow.troubles.add(("no_value", place))
        gradients = _gradients(flow.arriving[place]) if "gradient" in kinds else ()
        slopes = _slopes(node, flow.slopes[place], labels_of) if "slope" in kinds else ()
        leaf = None
        if node.name() == ACCUMULATOR:
            leaf = " ".join([", ".join(name for name, _ in names), _shape(node.variable)]).strip()
        nodes.append(
            Node(
                name=node.name().removeprefix("torch::autograd::"),
                inputs=drawn_inputs,
                left_out=len(inputs[place]) - len(drawn_inputs),
                shapes=shapes if leaf is None else (),
                tensors=tags if leaf is None else (),
                leaf=leaf,
                saved=tuple(
                    sorted(
                        _saved_entries(node, names_of),
                        key=lambda saved_value: saved_value.text.startswith(" ="),
                    )
                ),
                output=place not in input_positions,
                facts=(*values, *gradients, *slopes),
            )
        )
    troubles: dict[Trouble, tuple[str, ...]] = {}
    for trouble, i in sorted(flow.troubles):
        troubles[trouble] = (*troubles.get(trouble, ()), _node_label(graph_nodes[i], tensors_of.get(i, [])))
    return GraphSnapshot(
        tuple(nodes), tuple(unattached), len(graph_nodes) - len(nodes), tuple(missing), troubles
    )


def _has_many_numbers(node: Any) -> bool:
    """Return whether a node's results hold more than one number."""
    return [tuple(metadata.shape) for metadata in node._input_metadata] != [()]


def _input_label(node: Any, tensors: Sequence[tuple[str, torch.Tensor]]) -> str:
    """Return the label for the node at the end of an edge: its tensor's name, or else the node's name."""
    return tensors[0][0] if tensors else node.name().removeprefix("torch::autograd::")


def _node_label(node: Any, tensors: Sequence[tuple[str, torch.Tensor]]) -> str:
    """Return the label that a message about a missing number uses for a node."""
    name = str(node.name()).removeprefix("torch::autograd::")
    if not tensors:
        return name
    return tensors[0][0] if node.name() == ACCUMULATOR else f"{tensors[0][0]} ({name})"


def _results(
    graph_nodes: Sequence[Any], tensors_of: Mapping[int, Sequence[tuple[str, torch.Tensor]]]
) -> list[dict[int, torch.Tensor]]:
    """Return the results of each node that are still available, keyed by the index of the result.

    A result is available if the learner passed it to `draw_graph`, or if it was saved by its own node or by a
    node that used it.
    """
    place = {id(node): i for i, node in enumerate(graph_nodes)}
    results: list[dict[int, torch.Tensor]] = [{} for _ in graph_nodes]
    for i, node in enumerate(graph_nodes):
        if node.name() == ACCUMULATOR:
            results[i][0] = node.variable
        for name, owner, number in (("result", i, 0), *_saved_inputs(node, place)):
            value = _read_saved_tensor(node, name)
            if value is not None and _has_expected_shape(value, graph_nodes[owner], number):
                results[owner].setdefault(number, value)
    for i, pairs in tensors_of.items():
        results[i] |= {tensor.output_nr if tensor.grad_fn else 0: tensor for _, tensor in pairs}
    return results


def _saved_inputs(node: Any, place: Mapping[int, int]) -> Iterator[tuple[str, int, int]]:
    for name, (next_node, number) in zip(("self", "other"), node.next_functions, strict=False):
        if next_node is not None:
            yield name, place[id(next_node)], number


def _read_saved_tensor(node: Any, name: str) -> torch.Tensor | None:
    """Return a tensor that a node saved, or None if there is none, or if the tensor was freed or packed.

    A tensor is packed if a saved-tensor hook stores something else in its place. The function does not call
    the hook that would unpack the tensor.
    """
    try:
        handle = getattr(node, f"_raw_saved_{name}", None)
        if handle is None or getattr(handle, "unpack_hook", None) is not None:
            return None
        value = getattr(node, f"_saved_{name}")
    except RuntimeError:
        return None
    return value if isinstance(value, torch.Tensor) else None


def _has_expected_shape(value: torch.Tensor, node: Any, number: int) -> bool:
    metadata = getattr(node, "_input_metadata", ())
    return number < len(metadata) and _shape(metadata[number]) == _shape(value)


def _values(results: Mapping[int, torch.Tensor], count: int) -> Iterator[Fact]:
    for number, value in sorted(results.items()):
        yield Fact("value", numbers(value), str(number) if count > 1 else "")


def _gradients(gradients: Mapping[int, torch.Tensor]) -> Iterator[Fact]:
    for number, gradient in sorted(gradients.items()):
        yield Fact("gradient", numbers(gradient), str(number) if len(gradients) > 1 else "")


def _slopes(node: Any, slopes: Sequence[torch.Tensor | None], labels: Mapping[int, str]) -> Iterator[Fact]:
    for (next_node, number), slope in zip(node.next_functions, slopes, strict=False):
        if next_node is not None and slope is not None:
            copies = _shape(slope) != _shape(result_metadata(next_node, number))
            yield Fact("slope", numbers(slope), labels[id(next_node)], _has_many_numbers(node), copies)


def _walk(starts: Iterable[Any]) -> tuple[list[Any], list[list[int]]]:
    """Return all nodes that can be reached from the given nodes, and the positions of each node's inputs."""
    graph_nodes: list[Any] = []
    place: dict[int, int] = {}

    def add_node(node: Any) -> int:
        if id(node) not in place:
            place[id(node)] = len(graph_nodes)
            graph_nodes.append(node)
        return place[id(node)]

    for node in starts:
        if node is not None:
            add_node(node)
    inputs: list[list[int]] = []
    while len(inputs) < len(graph_nodes):
        inputs.append(
            [add_node(node) for node, _ in graph_nodes[len(inputs)].next_functions if node is not None]
        )
    return graph_nodes, inputs


def _nearest_positions(roots: Sequence[int], inputs: Sequence[Sequence[int]]) -> list[int]:
    """Return the positions of at most LIMIT nodes, those nearest the roots, nearest first."""
    seen, queue = set(roots), deque(roots)
    order: list[int] = []
    while queue and len(order) < LIMIT:
        order.append(queue.popleft())
        for i in inputs[order[-1]]:
            if i not in seen:
                seen.add(i)
                queue.append(i)
    return order


def _shape(value: Any) -> str:
    """Return the shape of a tensor or of a node's metadata, written as a Python tuple."""
    try:
        return str(tuple(value.shape))
    except (RuntimeError, AttributeError):  # a nested tensor has no shape
        return "?"


def _result_label(name: str, tensor: torch.Tensor, results: int) -> str:
    """Return the label of a node's result: its name, and its shape if the node has several results.

    The box of a node with a single result already shows the shape.
    """
    return name if results == 1 else f"{name} {_shape(tensor)}"


def _memory(tensor: torch.Tensor) -> tuple[Any, ...] | None:
    """Return a key that two tensors share only if they hold the same values in the same memory.

    Return None for a tensor without elements or without a single block of memory.
    """
    try:
        if tensor.numel():
            return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype
    except RuntimeError:  # sparse and nested tensors have no single block of memory
        pass
    return None


def _saved_entries(node: Any, names_of: dict[tuple[Any, ...], str]) -> Iterator[Saved]:
    """Yield the values that a node saved for backward.

    A value that a saved-tensor hook packed is not unpacked, because unpacking may recompute the value.
    """
    names = [name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")]
    for name in names:
        attribute, _, detail = name.partition("_sym_")
        if detail and (attribute in names or detail == "strides"):
            continue  # the saved tensor already shows its sizes
        yield from _saved_values(node, f"_saved_{name}", f"_raw_saved_{name}", name, names_of)
    if isinstance(node, torch.autograd.function.BackwardCFunction):  # the node is a custom Function's ctx
        yield from _saved_values(node, "saved_tensors", "_raw_saved_tensors", "saved_tensors", names_of)
        for name, value in vars(node).items():
            if not name.startswith("_"):
                yield from _saved_texts(name, value, names_of)


def _saved_values(
    node: Any, attribute: str, raw_attribute: str, name: str, names_of: dict[tuple[Any, ...], str]
) -> Iterator[Saved]:
    try:
        handles = getattr(node, raw_attribute, ())
        for handle in handles if isinstance(handles, tuple) else (handles,):
            if getattr(handle, "unpack_hook", None) is not None:
                yield Saved(name, state="hooked")
                return
        value = getattr(node, attribute)
    except RuntimeError as error:
        message = str(error)
        if "been freed" in message:
            yield Saved(name, state="freed")
        elif "inplace operation" in message:
            yield Saved(name, state="changed")
        else:
            yield Saved(name, state="unreadable")
        return
    yield from _saved_texts(name, value, names_of)


def _saved_texts(name: str, value: Any, names_of: dict[tuple[Any, ...], str]) -> Iterator[Saved]:
    """Yield the text of one saved value, or of each item if the value is a list or tuple with tensors."""
    if isinstance(value, torch.Tensor):
        words = [names_of.get(_memory(value) or (), ""), _shape(value)]
        if value.dim() == 0 and value.device.type != "meta":
            words.append(f"= {_short_text(value.detach().item())}")
        yield Saved(name, ": " + " ".join(filter(None, words)))
    elif isinstance(value, list | tuple) and any(isinstance(item, torch.Tensor) for item in value):
        for i, item in enumerate(value):
            yield from _saved_texts(f"{name}[{i}]", item, names_of)
    elif isinstance(value, int | float | complex | str | list | tuple) and value != ():
        text = _short_text(value)
        if len(text) <= LONG:
            yield Saved(name, f" = {text}")


def _short_text(value: Any) -> str:
    if isinstance(value, int) and value >= 2**63:
        return str(value - 2**64)  # PyTorch returns a negative dim as an unsigned 64-bit number
    return f"{value:.4g}" if isinstance(value, float | complex) else repr(value)
