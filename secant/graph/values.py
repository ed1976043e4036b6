"""Snapshots of graphs of lesson 10's Values, in the format that `record` uses for graphs of tensors."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from secant.graph.flow import Fact, Kind
from secant.graph.record import LIMIT, GraphSnapshot, Node
from secant.value import Value


def record_values(values: Mapping[str, Value], kinds: Collection[Kind] = ()) -> GraphSnapshot:
    """Return a snapshot of the given Values and of all Values they were computed from.

    The Values nearest the given ones come first. Values beyond the LIMIT are only counted.

    Args:
        values: the Values, keyed by the names to show.
        kinds: the kinds of number to include. "value" is a Value's `data`, "slope" its slopes, and
            "gradient" its `grad`.
    """
    names = {id(value): name for name, value in values.items()}
    reachable: dict[int, Value] = {id(value): value for value in values.values()}
    parents = {id(parent) for value in values.values() for parent in _ancestors(value)}
    todo = [value for place, value in reachable.items() if place not in parents]
    reachable = {id(value): value for value in todo}
    for value in todo:  # the loop appends to this list
        new_values = {id(parent): parent for parent in value.parents if id(parent) not in reachable}
        reachable |= new_values
        todo += new_values.values()
    snapshot = todo[:LIMIT]
    position = {id(value): place for place, value in enumerate(snapshot)}
    nodes = tuple(
        Node(
            name=names.get(id(value), "Value"),
            inputs=tuple(position[id(parent)] for parent in value.parents if id(parent) in position),
            left_out=sum(id(parent) not in position for parent in value.parents),
            shapes=(),
            tensors=(),
            leaf=None,
            saved=(),
            output=id(value) not in parents,
            facts=tuple(fact for fact in _facts(value, names) if fact.kind in kinds),
            value=True,
        )
        for value in snapshot
    )
    missing = tuple(name for place, name in names.items() if place not in position)
    return GraphSnapshot(nodes, left_out=len(todo) - len(snapshot), missing=missing)


def _ancestors(value: Value) -> Iterable[Value]:
    """Return all Values that the given one was computed from, each once."""
    ancestors: dict[int, Value] = {}
    layer = [value]
    while layer:
        new_values = {
            id(parent): parent for child in layer for parent in child.parents if id(parent) not in ancestors
        }
        ancestors |= new_values
        layer = list(new_values.values())
    return ancestors.values()


def _facts(value: Value, names: Mapping[int, str]) -> Iterator[Fact]:
    yield Fact("value", f"{value.data:.4g}")
    yield Fact("gradient", f"{value.grad:.4g}")
    for parent, slope in zip(value.parents, value.slopes, strict=False):
        yield Fact("slope", f"{slope:.4g}", names.get(id(parent), "Value"))
