"""Adapters that turn code for walking through one kind of graph into answers to tasks about another kind.

They present a task's graph to the code as torch nodes, as lesson 10's Values, and as a recipe (see
`secant.checking.recipes`). They translate the code's result into the answer that the task asks for.
Tests use them to find out whether a student could call the course's own code to solve a task.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import torch

from secant.value import Value

NamedFunction = tuple[str, Callable[..., Any]]
Edges = Callable[[Any], Sequence[tuple[Any, float]]]

#: Ids of the tasks whose answers walk through a graph.
GRAPH_TASKS = ("graph_nodes", "leaves_of", "total_derivative", "value_order", "backward_twice")


class Graph:
    """A task's graph, presented as `Node` objects.

    Args:
        edges: a function that returns the parents of one of the task's nodes, each with its slope.
    """

    def __init__(self, edges: Edges) -> None:
        self.edges = edges
        self._nodes: dict[Any, Node] = {}

    def node(self, task_node: Any) -> "Node":
        """Return the `Node` for one of the task's nodes: the same object every time."""
        if task_node not in self._nodes:
            self._nodes[task_node] = Node(task_node, self)
        return self._nodes[task_node]

    def __getitem__(self, task_node: Any) -> tuple[list[Any], list[float]]:
        """Return a node's parents and slopes in the form of a recipe in `secant.checking.recipes`."""
        edges = self.edges(task_node)
        return [parent for parent, _ in edges], [slope for _, slope in edges]


class Node:
    """A graph node with the attributes of torch's nodes and of lesson 10's Values."""

    def __init__(self, task_node: Any, graph: Graph) -> None:
        self.task_node = task_node
        self.node = self.grad_fn = self
        self.data, self.grad = 1.0, 0.0
        self._graph = graph

    @cached_property
    def parents(self) -> tuple["Node", ...]:
        return tuple(self._graph.node(parent) for parent in self._graph[self.task_node][0])

    @cached_property
    def slopes(self) -> tuple[float, ...]:
        return tuple(self._graph[self.task_node][1])

    @cached_property
    def next_functions(self) -> tuple[tuple["Node", int], ...]:
        return tuple((parent, 0) for parent in self.parents)

    def __call__(self, arrived: Any) -> tuple[torch.Tensor, ...]:
        return tuple(torch.as_tensor(slope * arrived) for slope in self.slopes)


def accepts(function: Callable[..., Any], count: int) -> bool:
    """Return whether a function can be called with `count` positional arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return True


def walking_answers(
    task: str, functions: Iterable[NamedFunction], classes: Iterable[tuple[str, type[Any]]]
) -> Iterator[NamedFunction]:
    """Yield answers to a task of `GRAPH_TASKS`, each built from one of Secant's functions or classes."""
    if task in ("graph_nodes", "leaves_of", "value_order"):
        for (name, function), (call_name, call) in product(functions, CALLS.items()):
            if inspect.isclass(function) or not accepts(function, 1 + call_name.count(",")):
                continue
            if task == "value_order":
                for is_reversed in (False, True):
                    yield (
                        f"{name} {call_name} {is_reversed}",
                        _with_method("order", _order(call, function, is_reversed)),
                    )
            else:
                yield f"{name} {call_name}", _listing_answer(task, call, function)
    else:
        for (name, cls), method in (
            (named_class, method) for named_class in classes for method in _methods(named_class[1])
        ):
            slopes = _slopes(cls, method)
            if task == "total_derivative":
                yield f"{name}.{method}", _total(slopes)
            else:
                yield f"{name}.{method}", _with_method("backward", _backward(slopes))


#: The ways to call a function that walks a graph: with its first node, or with a recipe and its first node.
CALLS: dict[str, Callable[[Callable[..., Any], Any, Graph], Any]] = {
    "(node)": lambda walk, root, graph: walk(graph.node(root)),
    "(node, False)": lambda walk, root, graph: walk(graph.node(root), False),
    "(recipe, node)": lambda walk, root, graph: walk(graph, root),
    "(node, recipe)": lambda walk, root, graph: walk(root, graph),
}


def _task_nodes(result: Any) -> list[Any]:
    return [node.task_node if isinstance(node, Node) else node for node in result]


def _torch_edges(node: Any) -> list[tuple[Any, float]]:
    return [(parent, 1.0) for parent, _ in node.next_functions if parent is not None]


def _value_edges(value: Any) -> list[tuple[Any, float]]:
    return list(zip(value.parents, value.slopes, strict=True))


def _listing_answer(task: str, call: Callable[..., Any], walk: Callable[..., Any]) -> Callable[..., Any]:
    """Return an answer to a task of lesson 2 that lists the nodes found by `walk`, as names or as leaves."""

    def answer(t: Any) -> list[Any]:
        nodes = _task_nodes(call(walk, t.grad_fn, Graph(_torch_edges))) if t.grad_fn is not None else []
        if task == "graph_nodes":
            return [node.name() for node in nodes]
        return [node.variable for node in nodes if hasattr(node, "variable")]

    return answer


def _order(call: Callable[..., Any], walk: Callable[..., Any], is_reversed: bool) -> Callable[..., Any]:
    return lambda self: _task_nodes(call(walk, self, Graph(_value_edges)))[:: -1 if is_reversed else 1]


def _with_method(name: str, method: Callable[..., Any]) -> type[Any]:
    return type("Value", (Value,), {name: method})


def _methods(cls: type[Any]) -> Iterator[str]:
    """Yield the names of methods that Secant defines for a class and that take no arguments."""
    bases = (base for base in cls.__mro__ if base.__module__.startswith("secant"))
    for name in {name for base in bases for name in vars(base) if name[:2] != "__"}:
        method = getattr(cls, name, None)
        if inspect.isfunction(method) and len(inspect.signature(method).parameters) == 1:
            yield name


def _slopes(cls: type[Any], method: str) -> Callable[[Any, Iterable[Any], Edges], list[float]]:
    """Return a function that calls a class's method on a graph's root and returns given nodes' gradients."""

    def instance(node: Node) -> Any:
        result = cls.__new__(cls)
        for name in ("node", "tensor", "parents", "slopes", "grad", "data"):
            try:
                setattr(result, name, getattr(node, name, node))
            except (AttributeError, TypeError, ValueError, KeyError):
                continue
        return result

    def slopes(root: Any, task_nodes: Iterable[Any], edges: Edges) -> list[float]:
        graph = Graph(edges)
        first = instance(graph.node(root))
        nodes = [first if task_node is root else instance(graph.node(task_node)) for task_node in task_nodes]
        getattr(first, method)()
        return [node.grad for node in nodes]

    return slopes


def _total(slopes: Callable[..., list[float]]) -> Callable[..., Any]:
    def total(edges: Any, src: Any, out: Any) -> float:
        def edges_from(node: Any) -> list[tuple[Any, float]]:
            return [(end, slope) for start, end, slope in edges if start == node]

        return float(slopes(src, [out], edges_from)[0])

    return total


def _backward(slopes: Callable[..., list[float]]) -> Callable[..., Any]:
    def backward(self: Any) -> None:
        order = self.order()
        for value, slope in zip(order, slopes(self, order, _value_edges), strict=True):
            value.grad = slope if value.parents else value.grad + slope

    return backward
