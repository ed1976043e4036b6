# Right answers to the tasks of lesson 2, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% by is_leaf task="classify"
def classify(t):
    if not t.is_leaf:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% as a table task="classify"
kinds = {(False, False): "constant leaf", (True, False): "leaf", (True, True): "intermediate"}


def classify(t):
    return kinds[t.requires_grad, t.grad_fn is not None]


# %% one expression task="classify"
classify = lambda t: (
    "constant leaf" if not t.requires_grad else "leaf" if t.grad_fn is None else "intermediate"
)


# %% breadth first, with names kept by node task="graph_nodes"
from collections import deque


def graph_nodes(t):
    names = {}
    waiting = deque([t.grad_fn] if t.grad_fn else [])
    while waiting:
        node = waiting.popleft()
        if node not in names:
            names[node] = node.name()
            waiting.extend(edge[0] for edge in node.next_functions if edge[0] is not None)
    return list(names.values())


# %% layer by layer, with short names task="graph_nodes"
def graph_nodes(t):
    found, layer = set(), {t.grad_fn} - {None}
    while layer:
        found |= layer
        layer = {following for node in layer for following, _ in node.next_functions} - found - {None}
    return [type(node).__name__ for node in found]


# %% a generator, by identity task="graph_nodes"
def walk(node):
    kept, stack = {}, [node]
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in kept:
            kept[id(node)] = node
            stack.extend(following for following, number in node.next_functions)
            yield node


def graph_nodes(t):
    return [node.name() for node in walk(t.grad_fn)]


# %% a list of nodes, compared one by one task="graph_nodes"
def graph_nodes(t):
    found, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and not any(node is other for other in found):
            found.append(node)
            todo += [following for following, _ in node.next_functions]
    return [node.name() for node in found]


# %% breadth first, by name task="leaves_of"
from collections import deque


def leaves_of(t):
    seen, waiting = {t.grad_fn}, deque([t.grad_fn])
    leaves = []
    while waiting:
        node = waiting.popleft()
        if node.name().endswith("AccumulateGrad"):
            leaves.append(node.variable)
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return leaves


# %% collected in a dict of objects task="leaves_of"
def leaves_of(t):
    nodes, i = [t.grad_fn], 0
    known, leaves = set(nodes), {}
    while i < len(nodes):
        for following, _ in nodes[i].next_functions:
            if following and following not in known:
                known.add(following)
                nodes.append(following)
        leaf = getattr(nodes[i], "variable", None)
        if leaf is not None:
            leaves[id(leaf)] = leaf
        i += 1
    return [*leaves.values()]


# %% floats, step by step task="derivatives_by_hand"
def derivatives_by_hand():
    x = 1.0
    z = 2 * x + 3
    dz = 2 * z
    return {"loss/z": dz, "loss/y": dz * 1, "loss/x": dz * 1 * 2, "y.grad": None}


# %% in another order task="derivatives_by_hand"
def derivatives_by_hand():
    return dict([("y.grad", None), ("loss/x", 20.0), ("loss/z", 10), ("loss/y", 10.0)])


# %% tries each task="second_backward_works"
def second_backward_works():
    found = {}
    for text in ("x + 1", "x * x", "x.sum()", "x.exp()", "x + x"):
        y = eval(text, {"x": torch.tensor(2.0, requires_grad=True)})
        y.backward()
        try:
            y.backward()
            found[text] = True
        except RuntimeError:
            found[text] = False
    return found


# %% looks for saved tensors task="second_backward_works"
def second_backward_works():
    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    results = {"x + x": x + x, "x + 1": x + 1, "x * x": x * x, "x.exp()": x.exp(), "x.sum()": x.sum()}
    return {
        text: not any(
            isinstance(getattr(y.grad_fn, name), torch.Tensor)
            for name in dir(y.grad_fn)
            if name.startswith("_saved_")
        )
        for text, y in results.items()
    }


# %% looks at .grad, and puts the warnings back task="classify"
import warnings


def classify(t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t.grad
    names = {(True, True): "leaf", (True, False): "constant leaf", (False, True): "intermediate"}
    return names[t.is_leaf, t.requires_grad]


# %% a recursion that puts the limit back task="graph_nodes"
import sys


def graph_nodes(t):
    names = {}

    def go(node):
        if node is not None and node not in names:
            names[node] = node.name()
            for following, _ in node.next_functions:
                go(following)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        go(t.grad_fn)
    finally:
        sys.setrecursionlimit(before)
    return [*names.values()]


# %% a set that begins with None task="leaves_of"
def leaves_of(t):
    seen, todo = {None}, {t.grad_fn}
    while todo:
        seen |= todo
        todo = {following for node in todo for following, _ in node.next_functions} - seen
    return [node.variable for node in seen if type(node).__name__ == "AccumulateGrad"]


# %% lets autograd do it task="derivatives_by_hand"
def derivatives_by_hand():
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    z = y + 3
    gradients = torch.autograd.grad(z**2, (x, y, z))
    return dict(zip(["loss/x", "loss/y", "loss/z"], [g.item() for g in gradients], strict=True)) | {
        "y.grad": None
    }


# %% says which save something task="second_backward_works"
def second_backward_works():
    saving = {"x * x", "x.exp()"}
    return {text: text not in saving for text in ["x + 1", "x + x", "x * x", "x.sum()", "x.exp()"]}


# %% marks the nodes, and takes its marks away task="graph_nodes"
def graph_nodes(t):
    nodes, todo, mark = [], [t.grad_fn], object()
    while todo:
        node = todo.pop()
        if node is None or mark in node.metadata:
            continue
        node.metadata[mark] = True
        nodes.append(node)
        todo += [following for following, _ in node.next_functions]
    for node in nodes:
        del node.metadata[mark]
    return [node.name() for node in nodes]


# %% level by level, each a set, with leaves kept by id task="leaves_of"
def leaves_of(t):
    leaves, level = {}, {t.grad_fn}
    while level:
        leaves |= {id(node.variable): node.variable for node in level if hasattr(node, "variable")}
        level = {following for node in level for following, _ in node.next_functions} - {None}
    return list(leaves.values())
