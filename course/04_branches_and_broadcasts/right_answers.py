# Right answers to the tasks of lesson 4, in styles other than the course's own. Each must get full points.

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


# %% a float at the very end task="total_derivative"
def total_derivative(edges, src, out):
    memo = {out: 1}
    children = {}
    for start, end, slope in edges:
        children.setdefault(start, []).append((end, slope))

    def visit(node):
        if node not in memo:
            memo[node] = sum(slope * visit(end) for end, slope in children.get(node, []))
        return memo[node]

    return float(visit(src))


# %% the recursion limit is put back task="total_derivative"
import sys


def total_derivative(edges, src, out):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    known = {out: 1}

    def derivative(node):
        if node not in known:
            known[node] = sum(slope * derivative(end) for start, end, slope in edges if start == node)
        return known[node]

    try:
        return float(derivative(src))
    finally:
        sys.setrecursionlimit(before)


# %% round after round until nothing changes task="total_derivative"
def total_derivative(edges, src, out):
    after = {out: 1.0}
    for _ in range(len(edges)):
        before, after = after, {out: 1.0}
        for start, end, slope in edges:
            if start != out:
                after[start] = after.get(start, 0.0) + slope * before.get(end, 0.0)
        if after == before:
            break
    return after.get(src, 0.0)


# %% looks for the next edge in all of them task="total_derivative"
def total_derivative(edges, src, out):
    found, left = {src: 1.0}, list(edges)
    while left:
        start, end, slope = next(edge for edge in left if not any(edge[0] == other[1] for other in left))
        left.remove((start, end, slope))
        if start in found:
            found[end] = found.get(end, 0.0) + slope * found[start]
    return found.get(out, 0.0)


# %% fractions, then a float task="total_derivative"
def total_derivative(edges, src, out):
    from fractions import Fraction

    known = {out: Fraction(1)}

    def derivative(node):
        if node not in known:
            known[node] = sum(
                (Fraction(slope) * derivative(b) for a, b, slope in edges if a == node), Fraction(0)
            )
        return known[node]

    return float(derivative(src))


# %% one call of sum task="unbroadcast"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    dims = [*range(added), *(added + i for i, size in enumerate(shape) if size == 1)]
    return (g.sum(dims, keepdim=True) if dims else g).reshape(shape)


# %% reshape, which copies where it must task="unbroadcast"
def unbroadcast(g, shape):
    g = g.reshape(-1, *g.shape[g.dim() - len(shape) :]).sum(0)
    for i in range(len(shape)):
        if shape[i] == 1 and g.shape[i] > 1:
            g = g.sum(i, keepdim=True)
    return g


# %% the default dtype is put back task="unbroadcast"
def unbroadcast(g, shape):
    before = torch.get_default_dtype()
    torch.set_default_dtype(g.dtype)
    try:
        total = torch.zeros(shape)
    finally:
        torch.set_default_dtype(before)
    return total + g.sum_to_size(shape)


# %% PyTorch's own task="unbroadcast"
def unbroadcast(g, shape):
    return g.sum_to_size(*shape) if len(shape) else g.sum()


# %% what autograd says task="unbroadcast"
def unbroadcast(g, shape):
    leaf = torch.zeros(shape, dtype=g.dtype, requires_grad=True)
    return torch.autograd.grad(leaf.expand(g.shape), leaf, g.detach())[0]


# %% element by element task="unbroadcast"
def unbroadcast(g, shape):
    places = torch.arange(torch.Size(shape).numel()).reshape(shape).expand(g.shape)
    flat = torch.zeros(torch.Size(shape).numel(), dtype=g.dtype)
    return flat.index_add(0, places.reshape(-1), g.detach().reshape(-1)).reshape(shape)


# %% xlogy task="pow_backward"
def pow_backward(x, q, g):
    gx = g * torch.where(q == 0, torch.zeros_like(x), q * x ** (q - 1))
    gq = g * torch.special.xlogy(x**q, x)
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% where, after the fact task="pow_backward"
def pow_backward(x, q, g):
    slope = torch.where(x == 0, torch.zeros_like(x), x**q * torch.log(x))
    gx, gq = g * (q * x ** (q - 1)).masked_fill(q == 0, 0), g * slope
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
    steep = b * torch.where(b == 0, 0.0, a.pow(b - 1))
    return down(g * steep, x.shape), down(g * a.pow(b) * log, q.shape)


# %% nan to num before the sum task="pow_backward"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, torch.nan_to_num(q * x ** (q - 1), nan=0.0), q * x ** (q - 1))
    gx, gq = g * slope, torch.nan_to_num(g * x**q * torch.log(x), nan=0.0)
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% one number after another task="pow_backward"
def pow_backward(x, q, g):
    gx, gq = x.new_zeros(x.numel()), q.new_zeros(q.numel())
    at_x = torch.arange(x.numel()).reshape(x.shape).expand(g.shape).reshape(-1)
    at_q = torch.arange(q.numel()).reshape(q.shape).expand(g.shape).reshape(-1)
    for i, j, gradient in zip(at_x.tolist(), at_q.tolist(), g.reshape(-1).tolist(), strict=True):
        a, b = x.detach().reshape(-1)[i], q.detach().reshape(-1)[j]
        if b != 0:
            gx[i] += gradient * b * a ** (b - 1)
        if a > 0:
            gq[j] += gradient * a**b * torch.log(a)
    return gx.reshape(x.shape), gq.reshape(q.shape)


# %% autograd on copies task="pow_backward"
def pow_backward(x, q, g):
    a, b = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    return torch.autograd.grad(a**b, (a, b), g)


# %% the vjp of pow task="pow_backward"
def pow_backward(x, q, g):
    _, vjp = torch.func.vjp(torch.pow, x, q)
    return vjp(g)


# %% through exp and log, zeros apart task="pow_backward"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    gx = torch.where(x > 0, g * q * torch.exp((q - 1) * log_x), g * q * x ** (q - 1))
    gx = torch.where(q == 0, 0.0, gx)
    gq = torch.where(x > 0, g * torch.exp(q * log_x) * log_x, 0.0)
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% position by position task="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    total = torch.zeros_like(weights)
    for i in range(len(g)):
        total = total + g[i] * data[i : i + len(weights)]
    return total


# %% a convolution of the data with g task="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    return torch.nn.functional.conv1d(data[None, None], g[None, None])[0, 0]


# %% windows task="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    return data.unfold(0, len(g), 1) @ g


# %% windows by their own strides task="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    (step,) = data.stride()
    return data.as_strided((len(weights), len(g)), (step, step)) @ g


# %% numbers, then a tensor of the dtype task="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    data, g, n = data.tolist(), g.tolist(), len(weights)
    return torch.tensor(
        [sum(a * b for a, b in zip(g, data[k:], strict=False)) for k in range(n)], dtype=weights.dtype
    )


# %% autograd on a copy task="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    leaf = torch.zeros_like(weights).detach().requires_grad_()
    out = data.detach().unfold(0, len(weights), 1) @ leaf
    return torch.autograd.grad(out, leaf, g)[0]


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


# %% begins with a whole one task="total_derivative"
def total_derivative(edges, src, out):
    known = {out: 1}

    def derivative(node):
        if node not in known:
            known[node] = sum(slope * derivative(end) for start, end, slope in edges if start == node)
        return known[node]

    return derivative(src)


# %% the logarithm of a safe argument task="pow_backward"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    gx = g * q * x ** (q - 1)
    gq = g * x**q * log_x
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% only a single exponent may be 0 task="pow_backward"
def pow_backward(x, q, g):
    slope = torch.zeros_like(g) if q.numel() == 1 and q.item() == 0 else q * x ** (q - 1)
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% the power over x, but not at zero task="pow_backward"
def pow_backward(x, q, g):
    y = x**q
    slope = torch.where(x > 0, q * y / torch.where(x > 0, x, 1.0), q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * torch.where(q == 0, 0.0, slope)).sum_to_size(x.shape), (g * y * log_x).sum_to_size(q.shape)
