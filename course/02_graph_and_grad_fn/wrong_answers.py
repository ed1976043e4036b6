# Wrong answers to lesson 2 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% a leaf is what somebody marked task="classify" hint="constant"
def classify(t):
    return "leaf" if t.requires_grad and t.is_leaf else "intermediate"


# %% whatever was computed is an intermediate task="classify" hint="leaf"
def classify(t):
    if t._is_view() or t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% a leaf is what has a .grad task="classify" hint="leaf"
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.grad is not None or (t.ndim == 0 and t.requires_grad) else "constant leaf"


# %% what keeps its gradient is a leaf task="classify" hint="intermediate"
def classify(t):
    if not t.requires_grad:
        return "constant leaf"
    return "leaf" if t.is_leaf or t.retains_grad else "intermediate"


# %% tries it out by tracking task="classify" en="requires_grad was changed" ko="requires_grad가 바뀌었습니다"
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    if t.requires_grad:
        return "leaf"
    if t.is_floating_point():
        t.requires_grad_()
    return "constant leaf"


# %% remembers a tensor's kind task="classify" hint="anew"
kinds = {}


def classify(t):
    if t not in kinds:
        kinds[t] = "intermediate" if t.grad_fn is not None else "leaf" if t.requires_grad else "constant leaf"
    return kinds[t]


# %% asks for the gradient to be kept task="classify" hint="retained"
def classify(t):
    try:
        t.retain_grad()
    except RuntimeError:
        return "constant leaf"
    return "intermediate" if t.retains_grad else "leaf"


# %% knows intermediates by Backward0 task="classify" hint="intermediate"
def classify(t):
    if t.grad_fn is not None and t.grad_fn.name().endswith("Backward0"):
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% knows intermediates by Backward and a digit task="classify" hint="intermediate"
def classify(t):
    if "Backward" in str(t.grad_fn) and type(t.grad_fn).__name__[-1].isdigit():
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% silences the warning about .grad task="classify" en="the warning filters were left" ko="경고 필터가 바뀐 채로"
import warnings


def classify(t):
    warnings.filterwarnings("ignore", category=UserWarning)
    if t.grad is None and t.grad_fn is not None:
        return "intermediate"
    if t.requires_grad:
        return "leaf" if t.grad_fn is None else "intermediate"
    return "constant leaf"


# %% only floats are tracked task="classify" hint="leaf"
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.is_floating_point() and t.requires_grad else "constant leaf"


# %% prints the kind task="classify" en="Is a return missing?" ko="return을 빠뜨리지 않았나요?"
def classify(t):
    if t.grad_fn is not None:
        print("intermediate")
    else:
        print("leaf" if t.requires_grad else "constant leaf")


# %% goes backward and looks for .grad task="classify" en="x.grad is not what it was" ko="x.grad가 호출하기 전과"
def classify(t):
    if not t.requires_grad:
        return "constant leaf"
    t.sum().backward(retain_graph=True)
    return "leaf" if t.is_leaf else "intermediate"


# %% hides tracking while it looks task="classify" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def classify(t):
    torch.set_grad_enabled(False)
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% an empty tensor holds nothing to track task="classify" hint="leaf"
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad and t.numel() > 0 else "constant leaf"


# %% knows intermediates by Backward task="classify" hint="intermediate"
def classify(t):
    if t.grad_fn is not None and "Backward" in t.grad_fn.name():
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% a cache of kinds task="classify" hint="anew"
import functools


@functools.cache
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% the graph is a tree task="graph_nodes" hint="twice"
def graph_nodes(t):
    out = []

    def go(node):
        if node is not None:
            out.append(node.name())
            for following, _ in node.next_functions:
                go(following)

    go(t.grad_fn)
    return out


# %% names instead of nodes task="graph_nodes" hint="same_name"
def graph_nodes(t):
    names, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node.name() not in names:
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% edges instead of nodes task="graph_nodes" hint="twice"
def graph_nodes(t):
    names, seen, todo = [], set(), [(t.grad_fn, 0)]
    while todo:
        edge = todo.pop()
        if edge[0] is not None and edge not in seen:
            seen.add(edge)
            names.append(edge[0].name())
            todo += edge[0].next_functions
    return names


# %% calls itself task="graph_nodes" points="2" hint="too_deep"
def graph_nodes(t):
    seen = set()

    def go(node):
        if node is not None and node not in seen:
            seen.add(node)
            for following, _ in node.next_functions:
                go(following)

    go(t.grad_fn)
    return [node.name() for node in seen]


# %% walks every path task="graph_nodes" points="2" hint="paths"
def graph_nodes(t):
    seen, todo = {}, [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None:
            seen[node] = node.name()
            todo += [following for following, _ in node.next_functions]
    return list(seen.values())


# %% never takes a node off its list task="graph_nodes" hint="endless"
def graph_nodes(t):
    seen, todo = {None}, [t.grad_fn]
    while todo:
        node = todo[-1]
        if node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    seen.remove(None)
    return [node.name() for node in seen]


# %% only the first edge task="graph_nodes" hint="missing"
def graph_nodes(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return names


# %% forgets the constants task="graph_nodes" hint="none"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn] if t.grad_fn else []
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% only the first result of an operation task="graph_nodes" hint="whatever"
def graph_nodes(t):
    seen, todo = {}, [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen[node] = node.name()
            todo += [following for following, number in node.next_functions if number == 0]
    return list(seen.values())


# %% leaves are no nodes task="graph_nodes" hint="missing"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen and not hasattr(node, "variable"):
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% goes backward to see task="graph_nodes" en="x.grad is not what it was" ko="x.grad가 호출하기 전과"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            name = node.name()
            node.register_hook(lambda *_, name=name: names.append(name))
            todo += [following for following, _ in node.next_functions]
    if t.requires_grad:
        t.sum().backward(retain_graph=True)
    return names[: len(seen)] if len(names) >= len(seen) else names


# %% goes backward and frees task="graph_nodes" hint="looking"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    if len(names) > 1:
        inputs = [node.variable for node in seen if hasattr(node, "variable")]
        torch.autograd.grad(t.sum(), inputs)
    return names


# %% breaks at a constant task="graph_nodes" hint="none"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            break
        if node in seen:
            continue
        seen.add(node)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% breaks at a constant, in a queue task="graph_nodes" hint="none"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop(0)
        if node is None:
            break
        if node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% raises the recursion limit task="graph_nodes" en="setrecursionlimit was left" ko="setrecursionlimit이 바뀐"
import sys


def graph_nodes(t):
    sys.setrecursionlimit(100_000)
    seen = set()

    def go(node):
        if node is not None and node not in seen:
            seen.add(node)
            for following, _ in node.next_functions:
                go(following)

    go(t.grad_fn)
    return [node.name() for node in seen]


# %% a default that remembers task="graph_nodes" hint="again"
def graph_nodes(t, seen=set()):
    names, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% a set of names task="graph_nodes" en="a list was expected" ko="필요한 것은 list입니다"
def graph_nodes(t):
    seen, todo = {None}, [t.grad_fn]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return {node.name() for node in seen - {None}}


# %% forgets the node it begins with task="graph_nodes" hint="missing"
def graph_nodes(t):
    if t.grad_fn is None:
        return []
    names, seen, todo = [], set(), [following for following, _ in t.grad_fn.next_functions]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% None where there is no graph task="graph_nodes" en="Is a return missing?" ko="return을 빠뜨리지 않았나요?"
def graph_nodes(t):
    if t.grad_fn is None:
        return None
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% takes a tracked tensor for a graph task="graph_nodes" hint="no_graph"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn] if t.grad_fn else [(t + 0).grad_fn] if t.requires_grad else []
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% leaves a hook on each leaf task="graph_nodes" en="a hook was left on x" ko="x에 hook이 남아 있습니다"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            if hasattr(node, "variable"):
                node.variable.register_hook(lambda g: None)
            todo += [following for following, _ in node.next_functions]
    return names


# %% the text of a node for its name task="graph_nodes" hint="given"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(str(node))
            todo += [following for following, _ in node.next_functions]
    return names


# %% the nodes themselves task="graph_nodes" hint="given"
def graph_nodes(t):
    nodes, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            todo += [following for following, _ in node.next_functions]
    return nodes


# %% an operation has two inputs task="graph_nodes" hint="three"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions[:2]]
    return names


# %% asks for the gradient of t to be kept task="graph_nodes" hint="retained"
def graph_nodes(t):
    if t.requires_grad:
        t.retain_grad()
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% tracks what is not tracked task="graph_nodes" en="t.requires_grad was" ko="t.requires_grad가 바뀌었습니다"
def graph_nodes(t):
    t.requires_grad_()
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% goes on only from Backward0 task="graph_nodes" hint="any_name"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            if node.name().endswith("Backward0"):
                todo += [following for following, _ in node.next_functions]
    return names


# %% goes on only from Backward task="graph_nodes" hint="any_name"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            if "Backward" in node.name():
                todo += [following for following, _ in node.next_functions]
    return names


# %% a cache of graphs task="graph_nodes" hint="anew"
import functools


@functools.cache
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% a leaf for each use task="leaves_of" hint="once"
def leaves_of(t):
    out = []

    def go(node):
        if node is not None:
            if hasattr(node, "variable"):
                out.append(node.variable)
            for following, _ in node.next_functions:
                go(following)

    go(t.grad_fn)
    return out


# %% copies task="leaves_of" hint="stranger"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves.append(node.variable.detach().requires_grad_())
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% compares numbers task="leaves_of" hint="objects"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and node.variable not in leaves:
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% one leaf for each memory task="leaves_of" hint="objects"
def leaves_of(t):
    leaves, seen, todo = {}, set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves[node.variable.data_ptr()] = node.variable
            todo += [following for following, _ in node.next_functions]
    return list(leaves.values())


# %% looks at the first level only task="leaves_of" hint="missing"
def leaves_of(t):
    nodes = {node for node, _ in t.grad_fn.next_functions}
    return [node.variable for node in nodes if hasattr(node, "variable")]


# %% takes every path task="leaves_of" points="1" hint="paths"
def leaves_of(t):
    leaves, todo = {}, [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None:
            if hasattr(node, "variable"):
                leaves[node] = node.variable
            todo += [following for following, _ in node.next_functions]
    return list(leaves.values())


# %% takes no node off its list task="leaves_of" hint="endless"
def leaves_of(t):
    seen, todo = {None}, [t.grad_fn]
    while todo:
        node = todo[-1]
        if node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    seen.remove(None)
    return [node.variable for node in seen if hasattr(node, "variable")]


# %% a set task="leaves_of" en="a list was expected" ko="필요한 것은 list입니다"
def leaves_of(t):
    seen, todo = {None}, [t.grad_fn]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return {node.variable for node in seen if hasattr(node, "variable")}


# %% breaks at a constant, and loses leaves task="leaves_of" hint="none"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            break
        if node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% passes over a leaf that has a .grad task="leaves_of" hint="graded"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and node.variable.grad is None:
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% asks a leaf for its number task="leaves_of" hint="zero"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            leaf = getattr(node, "variable", None)
            if leaf:
                leaves.append(leaf)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% a default that remembers nodes task="leaves_of" hint="again"
def leaves_of(t, seen=set()):
    leaves, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% only parameters are leaves task="leaves_of" hint="missing"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and isinstance(node.variable, torch.nn.Parameter):
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% a tuple task="leaves_of" en="a list was expected" ko="필요한 것은 list입니다"
def leaves_of(t):
    leaves, seen, todo = (), set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            leaves += (node.variable,) if hasattr(node, "variable") else ()
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% raises the limit for good task="leaves_of" en="setrecursionlimit was left" ko="setrecursionlimit이 바뀐"
import sys


def leaves_of(t):
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 50_000))
    found = {}

    def go(node):
        if node is not None and node not in found:
            found[node] = getattr(node, "variable", None)
            for following, _ in node.next_functions:
                go(following)

    go(t.grad_fn)
    return [leaf for leaf in found.values() if leaf is not None]


# %% empties the buffers on the way task="leaves_of" en="w.grad is not what it was" ko="w.grad가 호출하기 전과"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                node.variable.grad = None
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% finds them by what backward fills task="leaves_of" en="x.grad is not what it was" ko="x.grad가 호출하기 전과"
def leaves_of(t):
    found = []
    nodes, seen = [t.grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is not None and node not in seen:
            seen.add(node)
            found += [node.variable] if hasattr(node, "variable") else []
            nodes += [following for following, _ in node.next_functions]
    t.sum().backward(retain_graph=True)
    return [leaf for leaf in found if leaf.grad is not None]


# %% an empty leaf is none task="leaves_of" hint="empty"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and len(node.variable.flatten()) > 0:
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% asks every node for its variable task="leaves_of" hint="variable"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if node.variable is not None:
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% only tensors that lie side by side task="leaves_of" hint="view"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and node.variable.is_contiguous():
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% the left and the right input task="leaves_of" hint="three"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        if node.next_functions:
            todo.append(node.next_functions[0][0])
        if len(node.next_functions) > 1:
            todo.append(node.next_functions[1][0])
    return leaves


# %% goes on only from Backward0, and loses leaves task="leaves_of" hint="any_name"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves.append(node.variable)
            if node.name().endswith("Backward0"):
                todo += [following for following, _ in node.next_functions]
    return leaves


# %% goes on only from Backward, and loses leaves task="leaves_of" hint="any_name"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves.append(node.variable)
            if "Backward" in node.name():
                todo += [following for following, _ in node.next_functions]
    return leaves


# %% a cache of leaves task="leaves_of" hint="anew"
import functools


@functools.cache
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% only real numbers have a gradient task="leaves_of" hint="complex"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and node.variable.is_floating_point():
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% a view is never a leaf task="leaves_of" hint="view"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable") and node.variable._base is None:
                leaves.append(node.variable)
            todo += [following for following, _ in node.next_functions]
    return leaves


# %% loses the 2 task="derivatives_by_hand" hint="double"
def derivatives_by_hand():
    return {"loss/x": 10.0, "loss/y": 10.0, "loss/z": 10.0, "y.grad": 10.0}


# %% an intermediate keeps its gradient task="derivatives_by_hand" hint="intermediate"
def derivatives_by_hand():
    return {"loss/x": 20.0, "loss/y": 10.0, "loss/z": 10.0, "y.grad": 10.0}


# %% the slope of the square is z task="derivatives_by_hand" hint="both"
def derivatives_by_hand():
    return {"loss/x": 5, "loss/y": 5, "loss/z": 5, "y.grad": None}


# %% the 3 becomes a factor task="derivatives_by_hand" hint="passes"
def derivatives_by_hand():
    return {"loss/x": 20, "loss/y": 30, "loss/z": 10, "y.grad": None}


# %% tensors task="derivatives_by_hand" en="a float was expected" ko="필요한 것은 float입니다"
def derivatives_by_hand():
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    z = y + 3
    gx, gy, gz = torch.autograd.grad(z**2, (x, y, z))
    return {"loss/x": gx, "loss/y": gy, "loss/z": gz, "y.grad": None}


# %% leaves gradients off task="derivatives_by_hand" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def derivatives_by_hand():
    torch.set_grad_enabled(False)
    return {"loss/x": 20, "loss/y": 10, "loss/z": 10, "y.grad": None}


# %% prints it and returns nothing task="derivatives_by_hand" en="Is a return missing?" ko="return을 빠뜨리지 않았나요?"
def derivatives_by_hand():
    print({"loss/x": 20, "loss/y": 10, "loss/z": 10, "y.grad": None})


# %% each step's own slope task="derivatives_by_hand" hint="alone"
def derivatives_by_hand():
    return {"loss/x": 2, "loss/y": 1, "loss/z": 10, "y.grad": None}


# %% takes z^2 at x = 1 task="derivatives_by_hand" hint="program"
def derivatives_by_hand():
    return {"loss/x": 4, "loss/y": 2, "loss/z": 2, "y.grad": None}


# %% keys of its own task="derivatives_by_hand" hint="keys"
def derivatives_by_hand():
    return {"x": 20, "y": 10, "z": 10, "y.grad": None}


# %% None in quotes task="derivatives_by_hand" hint="intermediate"
def derivatives_by_hand():
    return {"loss/x": 20, "loss/y": 10, "loss/z": 10, "y.grad": "None"}


# %% a list task="derivatives_by_hand" hint="keys"
def derivatives_by_hand():
    return [20, 10, 10, None]


# %% a complex number task="derivatives_by_hand" hint="plain"
def derivatives_by_hand():
    return {"loss/x": 20 + 0j, "loss/y": 10, "loss/z": 10, "y.grad": None}


# %% takes the 2 for the slope at y task="derivatives_by_hand" hint="before"
def derivatives_by_hand():
    return {"loss/x": 20, "loss/y": 2, "loss/z": 10, "y.grad": None}


# %% leaves every slope open task="derivatives_by_hand" hint="plain"
def derivatives_by_hand():
    return dict.fromkeys(("loss/x", "loss/y", "loss/z", "y.grad"))


# %% leaves every answer open task="second_backward_works" hint="bool"
def second_backward_works():
    return dict.fromkeys(("x + 1", "x * x", "x.sum()", "x.exp()", "x + x"))


# %% backward destroys the graph task="second_backward_works" hint="nothing"
def second_backward_works():
    return dict.fromkeys(("x + 1", "x * x", "x.sum()", "x.exp()", "x + x"), False)


# %% always task="second_backward_works" hint="factor"
def second_backward_works():
    return dict.fromkeys(("x + 1", "x * x", "x.sum()", "x.exp()", "x + x"), True)


# %% what uses x twice saves it task="second_backward_works" hint="edges"
def second_backward_works():
    return {"x + 1": True, "x * x": False, "x.sum()": True, "x.exp()": False, "x + x": False}


# %% exp is its own derivative task="second_backward_works" hint="exp"
def second_backward_works():
    return {"x + 1": True, "x * x": False, "x.sum()": True, "x.exp()": True, "x + x": True}


# %% seeds the generator task="second_backward_works" en="the seed of PyTorch's random numbers was changed" ko="PyTorch의 난수 시드가 바뀌었습니다"
def second_backward_works():
    torch.manual_seed(0)
    return {"x + 1": True, "x * x": False, "x.sum()": True, "x.exp()": False, "x + x": True}


# %% words task="second_backward_works" hint="bool"
def second_backward_works():
    return {"x + 1": "yes", "x * x": "no", "x.sum()": "yes", "x.exp()": "no", "x + x": "yes"}


# %% 1 and 0 task="second_backward_works" hint="bool"
def second_backward_works():
    return {"x + 1": 1, "x * x": 0, "x.sum()": 1, "x.exp()": 0, "x + x": 1}


# %% a sum keeps the shape, so it is freed task="second_backward_works" hint="sum"
def second_backward_works():
    return {"x + 1": True, "x * x": False, "x.sum()": False, "x.exp()": False, "x + x": True}


# %% tries it with retain_graph task="second_backward_works" hint="factor"
def second_backward_works():
    found = {}
    for text in ("x + 1", "x * x", "x.sum()", "x.exp()", "x + x"):
        y = eval(text, {"x": torch.tensor(2.0, requires_grad=True)})
        try:
            y.backward(retain_graph=True)
            y.backward()
            found[text] = True
        except RuntimeError:
            found[text] = False
    return found


# %% leaves anomaly detection on task="second_backward_works" en="anomaly detection was left" ko="이상 탐지(anomaly mode)"
def second_backward_works():
    torch.autograd.set_detect_anomaly(True)
    return {"x + 1": True, "x * x": False, "x.sum()": True, "x.exp()": False, "x + x": True}


# %% says what fails task="second_backward_works" hint="nothing"
def second_backward_works():
    return {"x + 1": False, "x * x": True, "x.sum()": False, "x.exp()": True, "x + x": False}


# %% keys without blanks task="second_backward_works" hint="keys"
def second_backward_works():
    return {"x+1": True, "x*x": False, "x.sum()": True, "x.exp()": False, "x+x": True}


# %% does not know one task="second_backward_works" hint="bool"
def second_backward_works():
    return {"x + 1": True, "x * x": False, "x.sum()": None, "x.exp()": False, "x + x": True}


# %% gives up after so many steps task="graph_nodes" points="2" hint="too_deep"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    for _ in range(2500):
        node = todo.pop() if todo else None
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% only while recording is on task="classify" hint="off"
def classify(t):
    if t.requires_grad and not t.is_leaf and torch.is_grad_enabled():
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% computes with it to see its node task="classify" hint="off"
def classify(t):
    if not t.requires_grad:
        return "constant leaf"
    name = (t * 1).grad_fn.next_functions[0][0].name()
    return "leaf" if name.endswith("AccumulateGrad") else "intermediate"


# %% a string of its own task="classify" hint="spelt"
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant_leaf"


# %% doubles what arrives task="graph_nodes" hint="hooked"
def graph_nodes(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not hasattr(node, "variable"):
            node.register_prehook(lambda g: tuple(part if part is None else 2 * part for part in g))
        found.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return found


# %% nothing while recording is off task="graph_nodes" hint="off"
def graph_nodes(t):
    if not torch.is_grad_enabled():
        return []
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        found.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return found


# %% the first three edges task="graph_nodes" hint="three"
def graph_nodes(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        found.append(node.name())
        todo += [following for following, _ in node.next_functions[:3]]
    return found


# %% the first two results task="graph_nodes" hint="whatever"
def graph_nodes(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        found.append(node.name())
        todo += [following for following, k in node.next_functions if k <= 1]
    return found


# %% reads what nodes saved task="graph_nodes" hint="freed"
def graph_nodes(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        found.append(node.name())
        [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
        todo += [following for following, _ in node.next_functions]
    return found


# %% doubles what arrives at a leaf task="leaves_of" hint="hooked"
def leaves_of(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not hasattr(node, "variable"):
            node.register_prehook(lambda g: tuple(part if part is None else 2 * part for part in g))
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return found


# %% no leaves while recording is off task="leaves_of" hint="off"
def leaves_of(t):
    if not torch.is_grad_enabled():
        return []
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return found


# %% the first three edges to leaves task="leaves_of" hint="three"
def leaves_of(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [following for following, _ in node.next_functions[:3]]
    return found


# %% nodes apart by name task="leaves_of" hint="missing"
def name_of(node):
    return node if hasattr(node, "variable") else node.name()


def leaves_of(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or name_of(node) in seen:
            continue
        seen.add(name_of(node))
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return found


# %% runs backward and puts .grad back task="leaves_of" hint="ran"
def leaves_of(t):
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    torch.autograd.grad(t.sum(), found, retain_graph=True, allow_unused=True)
    return found


# %% the slope of the square without its 2 task="derivatives_by_hand" hint="double"
def derivatives_by_hand():
    return {"loss/x": 10, "loss/y": 5, "loss/z": 5, "y.grad": None}


# %% turns recording on task="classify" hint="mode"
def classify(t):
    torch.set_grad_enabled(True)
    if not t[..., None].requires_grad:
        return "constant leaf"
    return "leaf" if t.grad_fn is None else "intermediate"


# %% leaves a hook on each node task="graph_nodes" hint="left"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        node.register_hook(lambda *gradients: None)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% marks the nodes it has seen task="graph_nodes" hint="left"
import itertools

calls = itertools.count()


def graph_nodes(t):
    mark, names, todo = next(calls), [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node.metadata.get("mark") == mark:
            continue
        node.metadata["mark"] = mark
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% one list for all calls task="graph_nodes" hint="kept"
names = []


def graph_nodes(t):
    names.clear()
    seen, todo = set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% names that pile up task="graph_nodes" hint="given"
def graph_nodes(t, names=[], seen=set()):
    todo = [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% one node for each memory task="graph_nodes" hint="twins"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        key = node.variable.data_ptr() if hasattr(node, "variable") else node
        if key in seen:
            continue
        seen.add(key)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% takes the end of a path for a leaf task="leaves_of" hint="variable"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if all(following is None for following, _ in node.next_functions):
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% leaves a hook on the node of each leaf task="leaves_of" hint="left"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            node.register_prehook(lambda gradients: None)
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% reads every attribute of a node task="leaves_of" hint="freed"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        attributes = {name: getattr(node, name) for name in dir(node) if not name.startswith("__")}
        if "variable" in attributes:
            leaves.append(attributes["variable"])
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% one list of leaves for all calls task="leaves_of" hint="kept"
leaves = []


def leaves_of(t):
    leaves.clear()
    seen, todo = set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% no edges after a constant task="leaves_of" hint="none"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        for following, _ in node.next_functions:
            if following is None:
                break
            todo.append(following)
    return leaves


# %% a gradient of 0 is none task="leaves_of" hint="zero_slope"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    gradients = torch.autograd.grad(t.sum(), leaves, retain_graph=True)
    return [leaf for leaf, gradient in zip(leaves, gradients, strict=True) if gradient.any()]


# %% leaves that pile up task="leaves_of" hint="stranger"
def leaves_of(t, leaves=[], seen=set()):
    todo = [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% puts the usual recursion limit back task="graph_nodes" en="setrecursionlimit was left" ko="setrecursionlimit이 바뀐"
import sys


def graph_nodes(t):
    sys.setrecursionlimit(100_000)
    names, seen = [], set()

    def visit(node):
        if node is not None and node not in seen:
            seen.add(node)
            names.append(node.name())
            for following, _ in node.next_functions:
                visit(following)

    visit(t.grad_fn)
    sys.setrecursionlimit(1000)
    return names


# %% one node for each name and its edges task="graph_nodes" hint="same_name"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or (node.next_functions and (node.name(), node.next_functions) in seen):
            continue
        if node not in seen:
            seen |= {node, (node.name(), node.next_functions)}
            names.append(node.name())
            todo += [following for following, _ in node.next_functions]
    return names


# %% ignores the digit task="graph_nodes" hint="given"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name().rstrip("0123456789"))
        todo += [following for following, _ in node.next_functions]
    return names


# %% looks for leaves among the saved tensors task="leaves_of" hint="stranger"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        saved = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
        leaves += [value for value in saved if isinstance(value, torch.Tensor) and value.is_leaf]
        todo += [following for following, _ in node.next_functions]
    return list(set(leaves))


# %% the nodes of the leaves task="leaves_of" hint="stranger"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% leaves a hook on the leaves task="leaves_of" en="a hook was left on" ko="hook이 남아 있습니다"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            node.variable.register_hook(lambda gradient: gradient)
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% asks for gradients, and frees task="leaves_of" hint="looking"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    gradients = torch.autograd.grad(t.sum(), leaves, allow_unused=True)
    return [leaf for leaf, gradient in zip(leaves, gradients, strict=True) if gradient is not None]


# %% a generator task="leaves_of" en="a list was expected" ko="필요한 것은 list입니다"
def leaves_of(t):
    seen, todo = set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        todo += [following for following, _ in node.next_functions]


# %% the data of the leaves task="leaves_of" hint="stranger"
def leaves_of(t):
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable.data)
        todo += [following for following, _ in node.next_functions]
    return leaves


# %% one leaf for each place in memory task="leaves_of" hint="objects"
def leaves_of(t):
    leaves, seen, todo = {}, set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaf = node.variable
            leaves[leaf.data_ptr(), leaf.shape, leaf.stride()] = leaf
        todo += [following for following, _ in node.next_functions]
    return list(leaves.values())


# %% a view of a tracked tensor is an intermediate task="classify" hint="leaf"
def classify(t):
    if t.grad_fn is not None or (t.requires_grad and t._base is not None and t._base.requires_grad):
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% looks at a clone task="classify" hint="leaf"
def classify(t):
    looked_at = t.clone()
    if looked_at.grad_fn is not None:
        return "intermediate"
    return "leaf" if looked_at.requires_grad else "constant leaf"


# %% looks at what is detached task="classify" hint="leaf"
def classify(t):
    looked_at = t.detach()
    if looked_at.grad_fn is not None:
        return "intermediate"
    return "leaf" if looked_at.requires_grad else "constant leaf"


# %% hands out its cache task="graph_nodes" hint="kept"
cache = {}


def graph_nodes(t):
    if t.grad_fn is None:
        return []
    if t.grad_fn not in cache:
        seen, todo = {t.grad_fn: t.grad_fn.name()}, [t.grad_fn]
        while todo:
            for following, _ in todo.pop().next_functions:
                if following is not None and following not in seen:
                    seen[following] = following.name()
                    todo.append(following)
        cache[t.grad_fn] = list(seen.values())
    return cache[t.grad_fn]


# %% begins at the sum task="graph_nodes" hint="given"
def graph_nodes(t):
    names, seen, todo = [], set(), [t.sum().grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names


# %% takes y^2 for z^2 task="derivatives_by_hand" hint="at_z"
def derivatives_by_hand():
    return {"loss/x": 20, "loss/y": 4, "loss/z": 10, "y.grad": None}


# %% every parameter is a leaf task="classify" hint="constant"
def classify(t):
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if isinstance(t, torch.nn.Parameter) or t.requires_grad else "constant leaf"


# %% the first edge has to lead to a node task="classify" hint="intermediate"
def classify(t):
    if t.grad_fn is not None and t.grad_fn.next_functions[0][0] is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% some edge has to lead to a node task="classify" hint="intermediate"
def classify(t):
    if t.grad_fn is not None and any(node is not None for node, _ in t.grad_fn.next_functions):
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"


# %% asks only whether a node still waits task="graph_nodes" hint="twice"
def graph_nodes(t):
    names, todo = [], [t.grad_fn] if t.grad_fn is not None else []
    while todo:
        node = todo.pop(0)
        names.append(node.name())
        for following, _ in node.next_functions:
            if following is not None and following not in todo:
                todo.append(following)
    return names


# %% level by level, with no memory of earlier levels task="graph_nodes" hint="twice"
def graph_nodes(t):
    names, level = [], {t.grad_fn} - {None}
    while level:
        names += [node.name() for node in level]
        level = {following for node in level for following, _ in node.next_functions} - {None}
    return names


# %% swallows the RecursionError task="graph_nodes" points="2" hint="too_deep"
from contextlib import suppress


def graph_nodes(t):
    seen = {}

    def go(node):
        if node is not None and node not in seen:
            seen[node] = node.name()
            for following, _ in node.next_functions:
                go(following)

    with suppress(RecursionError):
        go(t.grad_fn)
    return list(seen.values())


# %% wipes the marks of all task="graph_nodes" hint="left"
def graph_nodes(t):
    nodes, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or "seen" in node.metadata:
            continue
        node.metadata["seen"] = True
        nodes.append(node)
        todo += [following for following, _ in node.next_functions]
    for node in nodes:
        node.metadata.clear()
    return [node.name() for node in nodes]


# %% calls itself on each node task="leaves_of" points="1" hint="too_deep"
def leaves_of(t):
    leaves, seen = [], set()

    def go(node):
        if node is None or node in seen:
            return
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        for following, _ in node.next_functions:
            go(following)

    go(t.grad_fn)
    return leaves


# %% asks only whether the node of a leaf still waits task="leaves_of" hint="once"
def leaves_of(t):
    leaves, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop(0)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        for following, _ in node.next_functions:
            if following is not None and following not in todo:
                todo.append(following)
    return leaves


# %% no gradient kept, so no derivative task="derivatives_by_hand" hint="plain"
def derivatives_by_hand():
    return {"loss/x": 20.0, "loss/y": None, "loss/z": None, "y.grad": None}
