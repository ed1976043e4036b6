# Right answers to lesson 4 in other styles. Each must get full points.

# %%
import torch

# %% backwards in topological order task="total_derivative"
from collections import defaultdict
from graphlib import TopologicalSorter


def total_derivative(edges, src, out):
    before = defaultdict(set)
    for start, end, _ in edges:
        before[start].add(end)
    gradients = defaultdict(float, {out: 1.0})
    for node in TopologicalSorter(before).static_order():
        if node != out:
            gradients[node] = sum(slope * gradients[end] for start, end, slope in edges if start == node)
    return float(gradients[src])


# %% forwards, when all has arrived task="total_derivative"
from collections import defaultdict, deque


def total_derivative(edges, src, out):
    waiting, leaving = defaultdict(int), defaultdict(list)
    for start, end, slope in edges:
        waiting[end] += 1
        leaving[start].append((end, slope))
    value = defaultdict(float)
    value[src] = 1.0
    ready = deque(node for node in {start for start, _, _ in edges} if not waiting[node])
    while ready:
        node = ready.popleft()
        for end, slope in leaving[node]:
            value[end] += slope * value[node]
            waiting[end] -= 1
            if not waiting[end]:
                ready.append(end)
    return value[out]


# %% a cached function task="total_derivative"
import functools


def total_derivative(edges, src, out):
    @functools.cache
    def derivative(node):
        if node == src:
            return 1.0
        return sum(slope * derivative(start) for start, end, slope in edges if end == node)

    return float(derivative(out))


# %% takes out one node after another task="total_derivative"
def total_derivative(edges, src, out):
    if src == out:
        return 1.0
    slopes = {}
    for start, end, slope in edges:
        slopes.setdefault(end, {})
        row = slopes.setdefault(start, {})
        row[end] = row.get(end, 0.0) + slope
    for node in list(slopes):
        if node not in (src, out):
            beyond = slopes.pop(node)
            for row in slopes.values():
                into = row.pop(node, 0.0)
                for end, slope in beyond.items():
                    row[end] = row.get(end, 0.0) + into * slope
    return float(slopes.get(src, {}).get(out, 0.0))


# %% a whole number for no path task="total_derivative"
def total_derivative(edges, src, out):
    memo = {out: 1.0}
    children = {}
    for start, end, slope in edges:
        children.setdefault(start, []).append((end, slope))

    def visit(node):
        if node not in memo:
            memo[node] = sum(slope * visit(end) for end, slope in children.get(node, []))
        return memo[node]

    return visit(src)


# %% one call of sum task="unbroadcast"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    dims = [*range(added), *(added + i for i, size in enumerate(shape) if size == 1)]
    return (g.sum(dims, keepdim=True) if dims else g).reshape(shape)


# %% PyTorch's own task="unbroadcast"
def unbroadcast(g, shape):
    return g.sum_to_size(*shape) if len(shape) else g.sum()


# %% what autograd says task="unbroadcast"
def unbroadcast(g, shape):
    leaf = torch.zeros(shape, dtype=g.dtype, requires_grad=True)
    return torch.autograd.grad(leaf.expand(g.shape), leaf, g.detach())[0]


# %% number by number task="unbroadcast"
def unbroadcast(g, shape):
    places = torch.arange(torch.Size(shape).numel()).reshape(shape).expand(g.shape)
    flat = torch.zeros(torch.Size(shape).numel(), dtype=g.dtype)
    return flat.index_add(0, places.reshape(-1), g.detach().reshape(-1)).reshape(shape)


# %% xlogy task="pow_backward"
def pow_backward(x, q, g):
    gq = g * torch.special.xlogy(x**q, x)
    return (g * q * x ** (q - 1)).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% where, after the fact task="pow_backward"
def pow_backward(x, q, g):
    slope = torch.where(x == 0, torch.zeros_like(x), x**q * torch.log(x))
    gx, gq = g * (q * x ** (q - 1)), g * slope
    return gx.sum_to_size(x.size()), gq.sum_to_size(q.size())


# %% its own helper, broadcast first task="pow_backward"
def down(t, shape):
    while t.dim() > len(shape):
        t = t.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            t = t.sum(i, keepdim=True)
    return t


def pow_backward(x, q, g):
    a, b = torch.broadcast_tensors(x, q)
    log = torch.log(a.masked_fill(a == 0, 1.0))
    return down(g * b * a.pow(b - 1), x.shape), down(g * a.pow(b) * log, q.shape)


# %% autograd on copies task="pow_backward"
def pow_backward(x, q, g):
    a, b = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    return torch.autograd.grad(a**b, (a, b), g)


# %% position by position task="shared_weight_grad"
def shared_weight_grad(x, w, g):
    total = torch.zeros_like(w)
    for i in range(len(g)):
        total = total + g[i] * x[i : i + len(w)]
    return total


# %% a convolution of the data with g task="shared_weight_grad"
def shared_weight_grad(x, w, g):
    return torch.nn.functional.conv1d(x[None, None], g[None, None])[0, 0]


# %% windows task="shared_weight_grad"
def shared_weight_grad(x, w, g):
    return x.unfold(0, len(g), 1) @ g


# %% autograd on a copy task="shared_weight_grad"
def shared_weight_grad(x, w, g):
    leaf = torch.zeros_like(w).detach().requires_grad_()
    y = x.detach().unfold(0, len(w), 1) @ leaf
    return torch.autograd.grad(y, leaf, g)[0]
