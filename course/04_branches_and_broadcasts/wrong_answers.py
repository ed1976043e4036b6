# Wrong answers to lesson 4 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% the last path wins task="total_derivative" hint="one_path"
def total_derivative(edges, src, out):
    gradients = {out: 1.0}
    for start, end, slope in reversed(edges):
        if end in gradients:
            gradients[start] = slope * gradients[end]
    return gradients.get(src, 0.0)


# %% trusts the order of the edges task="total_derivative" hint="order"
def total_derivative(edges, src, out):
    gradients = {out: 1.0}
    for start, end, slope in reversed(edges):
        if end in gradients and start != out:
            gradients[start] = gradients.get(start, 0.0) + slope * gradients[end]
    return gradients.get(src, 0.0)


# %% passes on before all has arrived task="total_derivative" hint="early"
def total_derivative(edges, src, out):
    gradients, queue, seen = {out: 1.0}, [out], {out}
    while queue:
        node = queue.pop(0)
        for start, end, slope in edges:
            if end == node:
                gradients[start] = gradients.get(start, 0.0) + slope * gradients[node]
                if start not in seen:
                    seen.add(start)
                    queue.append(start)
    return gradients.get(src, 0.0)


# %% one edge between two nodes task="total_derivative" hint="several"
import functools


def total_derivative(edges, src, out):
    slopes = {(start, end): slope for start, end, slope in edges}

    @functools.cache
    def derivative(node):
        if node == out:
            return 1.0
        return sum((slope * derivative(end) for (start, end), slope in slopes.items() if start == node), 0.0)

    return derivative(src)


# %% walks every path task="total_derivative" points="2" hint="slow"
def total_derivative(edges, src, out):
    leaving = {}
    for start, end, slope in edges:
        leaving.setdefault(start, []).append((end, slope))

    def derivative(node):
        if node == out:
            return 1.0
        return sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)

    return derivative(src)


# %% takes a zero for unknown task="total_derivative" points="2" hint="slow"
def total_derivative(edges, src, out):
    leaving, known = {}, {out: 1.0}
    for start, end, slope in edges:
        leaving.setdefault(start, []).append((end, slope))

    def derivative(node):
        if not known.get(node):
            known[node] = sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)
        return known[node]

    return derivative(src)


# %% sorts the caller's list task="total_derivative" hint="spoiled"
def total_derivative(edges, src, out):
    edges.sort(key=str)
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% remembers between calls task="total_derivative" hint="kept"
remembered = {}


def total_derivative(edges, src, out):
    known = remembered
    known.setdefault(out, 1.0)

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% needs nodes that compare task="total_derivative" hint="kinds"
def total_derivative(edges, src, out):
    try:
        ordered = sorted({node for edge in edges for node in edge[:2]})
    except TypeError:
        return 0.0
    known = {out: 1.0}
    while True:
        for node in ordered:
            leaving = [(end, slope) for start, end, slope in edges if start == node]
            if node not in known and all(end in known for end, _ in leaving):
                known[node] = sum((slope * known[end] for end, slope in leaving), 0.0)
        if all(node in known for node in ordered):
            return known.get(src, 0.0)


# %% nothing leads anywhere from itself task="total_derivative" hint="same"
def total_derivative(edges, src, out):
    known = {}

    def derivative(node):
        if node not in known:
            leaving = [(end, slope) for start, end, slope in edges if start == node]
            known[node] = sum(
                (slope * (1.0 if end == out else derivative(end)) for end, slope in leaving), 0.0
            )
        return known[node]

    return derivative(src)


# %% raises the recursion limit task="total_derivative" en="sys.setrecursionlimit was left changed" ko="sys.setrecursionlimit이 바뀐 채로 남아"
import sys


def total_derivative(edges, src, out):
    sys.setrecursionlimit(10_000)
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% computes in float32 task="total_derivative" hint="precise"
def total_derivative(edges, src, out):
    known = {out: torch.tensor(1.0)}

    def derivative(node):
        if node not in known:
            known[node] = sum(
                (slope * derivative(end) for start, end, slope in edges if start == node), torch.tensor(0.0)
            )
        return known[node]

    return derivative(src).item()


# %% returns a tensor task="total_derivative" en="a float was expected" ko="필요한 것은 float입니다"
def total_derivative(edges, src, out):
    known = {out: torch.tensor(1.0, dtype=torch.float64)}

    def derivative(node):
        if node not in known:
            known[node] = sum(
                (slope * derivative(end) for start, end, slope in edges if start == node),
                torch.zeros((), dtype=torch.float64),
            )
        return known[node]

    return derivative(src)


# %% a set of edges task="total_derivative" hint="several"
def total_derivative(edges, src, out):
    edges, known = set(edges), {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% begins at src alone task="total_derivative" hint="aside"
def total_derivative(edges, src, out):
    waiting, value, ready = {}, {src: 1.0}, [src]
    for _, end, _ in edges:
        waiting[end] = waiting.get(end, 0) + 1
    while ready:
        node = ready.pop()
        for start, end, slope in edges:
            if start == node:
                value[end] = value.get(end, 0.0) + slope * value[node]
                waiting[end] -= 1
                if waiting[end] == 0:
                    ready.append(end)
    # A node with an incoming edge from a node that src does not reach never becomes ready.
    return value.get(out, 0.0) if not waiting.get(out) else 0.0


# %% no node for a falsy one task="total_derivative" hint="kinds"
def total_derivative(edges, src, out):
    if not src or not out:
        return 0.0
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% nodes as text task="total_derivative" hint="kinds"
def total_derivative(edges, src, out):
    edges = [(str(start), str(end), slope) for start, end, slope in edges]
    known = {str(out): 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(str(src))


# %% no edges, no slope task="total_derivative" hint="same"
def total_derivative(edges, src, out):
    if not edges:
        return 0.0
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% empties the caller's list task="total_derivative" hint="spoiled"
def total_derivative(edges, src, out):
    leaving, known = {}, {out: 1.0}
    while edges:
        start, end, slope = edges.pop()
        leaving.setdefault(start, []).append((end, slope))

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)
        return known[node]

    return derivative(src)


# %% turns the caller's list around task="total_derivative" hint="spoiled"
def total_derivative(edges, src, out):
    edges.reverse()
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% keeps what it knows in a default task="total_derivative" hint="kept"
def total_derivative(edges, src, out, known={}):
    if src == out:
        return 1.0
    if (src, out) not in known:
        known[src, out] = sum(
            (slope * total_derivative(edges, end, out) for start, end, slope in edges if start == src), 0.0
        )
    return known[src, out]


# %% forwards, each node at first sight task="total_derivative" hint="early"
def total_derivative(edges, src, out):
    sums, queue, visited = {src: 1.0}, [src], {src}
    while queue:
        node = queue.pop(0)
        for start, end, slope in edges:
            if start == node:
                sums[end] = sums.get(end, 0.0) + slope * sums[node]
                if end not in visited:
                    visited.add(end)
                    queue.append(end)
    return sums.get(out, 0.0)


# %% nodes by their identity task="total_derivative" hint="kinds"
def total_derivative(edges, src, out):
    leaving = {}
    for start, end, slope in edges:
        leaving.setdefault(id(start), []).append((end, slope))
    known = {id(out): 1.0}

    def derivative(node):
        if id(node) not in known:
            known[id(node)] = sum((slope * derivative(end) for end, slope in leaving.get(id(node), [])), 0.0)
        return known[id(node)]

    return derivative(src)


# %% a mean task="unbroadcast" hint="mean"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.mean(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.mean(i, keepdim=True)
    return g


# %% loses the dimension task="unbroadcast" hint="lost"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for i in reversed(range(len(shape))):
        if shape[i] == 1 and g.shape[i] != 1:
            g = g.sum(i)
    return g


# %% one copy task="unbroadcast" hint="one_copy"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g[0]
    for i, size in enumerate(shape):
        if size == 1:
            g = g.narrow(i, 0, 1)
    return g


# %% sums on the right task="unbroadcast" hint="left"
def unbroadcast(g, shape):
    while g.dim() > len(shape) and tuple(g.shape[: len(shape)]) == tuple(shape) and len(shape):
        g = g.sum(-1)
    while g.dim() > len(shape):
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    return g


# %% forgets the stretched dimensions task="unbroadcast" hint="lost"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    return g


# %% takes the dimensions out in place task="unbroadcast" en="the call changed g itself" ko="g의 값이 바뀌었습니다"
def unbroadcast(g, shape):
    total = g.detach().sum_to_size(shape).clone()
    if len(shape) < g.dim() and g.shape[0] == 1:
        g.squeeze_(0)
    return total


# %% view of what does not lie side by side task="unbroadcast" hint="apart"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    if added > 1:
        g = g.view(-1, *g.shape[added:])
    if added:
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    return g


# %% a number for no dimensions task="unbroadcast" en="a float64 tensor was expected" ko="필요한 것은 float64 텐서입니다"
def unbroadcast(g, shape):
    if len(shape) == 0:
        return g.sum().item()
    return g.sum_to_size(shape)


# %% the default dtype for the total task="unbroadcast" en="The dtype is float32; float64 was expected" ko="dtype이 float32입니다. 기대한 dtype은 float64입니다"
def unbroadcast(g, shape):
    total = torch.zeros(shape)
    total += g.detach().sum_to_size(shape)
    return total


# %% leaves the default dtype changed task="unbroadcast" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로 남았습니다"
def unbroadcast(g, shape):
    torch.set_default_dtype(g.dtype)
    return torch.zeros(shape) + g.sum_to_size(shape)


# %% the stretched ones first task="unbroadcast" hint="both"
def unbroadcast(g, shape):
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    while g.dim() > len(shape):
        g = g.sum(0)
    return g


# %% tells dimensions by their size task="unbroadcast" hint="left"
def unbroadcast(g, shape):
    if 1 in shape or len(shape) == g.dim():
        return g.sum_to_size(shape)
    for i in reversed(range(g.dim())):
        if g.dim() > len(shape) and (
            g.shape[i] not in shape or list(g.shape).count(g.shape[i]) > list(shape).count(g.shape[i])
        ):
            g = g.sum(i)
    return g


# %% squeezes at the end task="unbroadcast" hint="lost"
def unbroadcast(g, shape):
    return g.sum_to_size(shape).squeeze()


# %% rounds on the way task="unbroadcast" hint="rounded"
def unbroadcast(g, shape):
    return g.float().sum_to_size(shape).to(g.dtype)


# %% gradient mode stays off task="unbroadcast" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로 남았습니다"
def unbroadcast(g, shape):
    torch.set_grad_enabled(False)
    return g.sum_to_size(shape)


# %% a sum over no dimensions task="unbroadcast" hint="equal"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    dims = [i for i in range(g.dim()) if i < added or (shape[i - added] == 1 and g.shape[i] > 1)]
    total = g.sum(dims, keepdim=True)  # an empty `dims` means a sum over all dimensions
    return total.reshape(total.shape[added:])


# %% a sum over no dimensions, reshaped task="unbroadcast" hint="equal"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    dims = (*range(added), *(i + added for i, size in enumerate(shape) if size == 1))
    return g.sum(dims).reshape(shape)


# %% computes in float64 task="unbroadcast" en="The dtype is float64" ko="dtype이 float64입니다"
def unbroadcast(g, shape):
    return g.double().sum_to_size(shape)


# %% backward through g too task="unbroadcast" en="g.grad is not what it was" ko="g.grad가 호출하기 전과 다릅니다"
def unbroadcast(g, shape):
    original = torch.zeros(shape, dtype=g.dtype, requires_grad=True)
    (original.expand(g.shape) * g).sum().backward()  # adds zeros to g.grad, or creates it if it is None
    return original.grad


# %% one copy, as often as there are task="unbroadcast" hint="one_copy"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g[0] * g.shape[0]
    for i, size in enumerate(shape):
        if size == 1:
            g = g.narrow(i, 0, 1) * g.shape[i]
    return g


# %% groups what stands together task="unbroadcast" hint="grouped"
def unbroadcast(g, shape):
    return g.reshape(-1, *shape).sum(0)


# %% a list of dimensions that may be empty task="unbroadcast" hint="equal"
def unbroadcast(g, shape):
    g = g.sum(list(range(g.dim() - len(shape))))
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    return g


# %% the dimensions move under the loop task="unbroadcast" hint="lost"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i)
    return g


# %% nan at zero task="pow_backward" points="1" hint="at_zero"
def pow_backward(x, q, g):
    return (g * q * x ** (q - 1)).sum_to_size(x.shape), (g * x**q * torch.log(x)).sum_to_size(q.shape)


# %% the power over x task="pow_backward" points="1" hint="base_at_zero"
def pow_backward(x, q, g):
    gq = g * torch.special.xlogy(x**q, x)
    return (g * q * x**q / x).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% a little something in the logarithm task="pow_backward" points="1" hint="tiny"
def pow_backward(x, q, g):
    gq = g * x**q * torch.log(x + 1e-12)
    return (g * q * x ** (q - 1)).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% leaves the shapes broadcast task="pow_backward" hint="shapes"
def pow_backward(x, q, g):
    return g * q * x ** (q - 1), g * torch.special.xlogy(x**q, x)


# %% swaps the two task="pow_backward" hint="swapped"
def pow_backward(x, q, g):
    gx = g * q * x ** (q - 1)
    gq = g * torch.special.xlogy(x**q, x)
    return gq.sum_to_size(q.shape), gx.sum_to_size(x.shape)


# %% forgets what comes from behind task="pow_backward" hint="no_g"
def pow_backward(x, q, g):
    gx = q * x ** (q - 1)
    gq = torch.special.xlogy(x**q, x)
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% puts x in order first task="pow_backward" en="the call changed x itself" ko="x의 값이 바뀌었습니다"
def pow_backward(x, q, g):
    gx = (g * q * x.detach() ** (q - 1)).sum_to_size(x.shape)
    zero = x.detach() == 0
    x.data[zero] = 1.0
    gq = torch.where(zero, 0.0, g * x.detach() ** q * torch.log(x.detach()))
    return gx, gq.sum_to_size(q.shape)


# %% autograd on the caller's tensors task="pow_backward" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def pow_backward(x, q, g):
    if not (x.requires_grad and q.requires_grad):
        x, q = x.clone().requires_grad_(), q.clone().requires_grad_()
    x.grad = q.grad = None
    (x**q).backward(g)
    return x.grad.clone(), q.grad.clone()


# %% a list task="pow_backward" hint="pair"
def pow_backward(x, q, g):
    x, q = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    return list(torch.autograd.grad(x**q, (x, q), g))


# %% takes the exponent for a constant task="pow_backward" hint="pair"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    return (g * slope).sum_to_size(x.shape), None


# %% nan to num after the sum task="pow_backward" points="1" hint="before_sum"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, torch.zeros_like(x), q * x ** (q - 1))
    gq = (g * x**q * torch.log(x)).sum_to_size(q.shape)
    return (g * slope).sum_to_size(x.shape), torch.nan_to_num(gq)


# %% zero wherever x is task="pow_backward" points="1" hint="base_at_zero"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    gx = torch.where(x == 0, torch.zeros_like(x), g * q * x ** (q - 1))
    return gx.sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% cuts x off task="pow_backward" hint="tiny"
def pow_backward(x, q, g):
    a = torch.where(x > 0, x.clamp(min=1e-12), x)
    log_a = torch.log(torch.where(a > 0, a, torch.ones_like(a)))
    return (g * q * a ** (q - 1)).sum_to_size(x.shape), (g * a**q * log_a).sum_to_size(q.shape)


# %% a power that is always float64 task="pow_backward" points="1" en="The dtype is float64; float32 was expected" ko="dtype이 float64입니다. 기대한 dtype은 float32입니다"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * torch.float_power(x, q - 1))
    gq = g * torch.special.xlogy(x**q, x)
    return (g * slope).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% a mean over the copies task="pow_backward" hint="mean"
def pow_backward(x, q, g):
    a, b = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    gx, gq = torch.autograd.grad(a**b, (a, b), g)
    return gx * x.numel() / g.numel(), gq * q.numel() / g.numel()


# %% looks for nan and goes on looking task="pow_backward" en="anomaly detection was left switched on" ko="이상 탐지(anomaly mode)가 켜진 채로"
def pow_backward(x, q, g):
    torch.autograd.set_detect_anomaly(True)
    x, q = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    return torch.autograd.grad(x**q, (x, q), g)


# %% cuts x off far down task="pow_backward" points="1" hint="tiny"
def pow_backward(x, q, g):
    above = torch.where(x > 0, x.clamp(min=1e-20), x)
    slope = torch.where(q == 0, 0.0, q * above ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% takes a small exponent for none task="pow_backward" points="1" hint="exactly"
def pow_backward(x, q, g):
    slope = torch.where(q.abs() < 1e-6, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% one zero exponent stops all task="pow_backward" points="1" hint="one_constant"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    gx = torch.zeros_like(g) if (q == 0).any() else g * q * x ** (q - 1)
    return gx.sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% no gradient for a zero exponent task="pow_backward" points="1" hint="q_is_zero"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * torch.where(q == 0, 0.0, x**q * log_x)).sum_to_size(q.shape)


# %% the last use alone task="shared_weight_grad" hint="one_use"
def shared_weight_grad(data, weights, g):
    return g[-1] * data[len(g) - 1 :]


# %% a mean of the uses task="shared_weight_grad" hint="mean"
def shared_weight_grad(data, weights, g):
    return torch.stack([(g * data[k : k + len(g)]).mean() for k in range(len(weights))])


# %% the wrong way round task="shared_weight_grad" hint="flipped"
def shared_weight_grad(data, weights, g):
    return torch.stack([(g * data[k : k + len(g)]).sum() for k in range(len(weights))]).flip(0)


# %% the weight stays in task="shared_weight_grad" hint="only_x"
def shared_weight_grad(data, weights, g):
    return torch.stack([(g * weights[k] * data[k : k + len(g)]).sum() for k in range(len(weights))])


# %% divides by the weight task="shared_weight_grad" hint="values"
def shared_weight_grad(data, weights, g):
    parts = torch.stack([(g * weights[k] * data[k : k + len(g)]).sum() for k in range(len(weights))])
    return parts / weights


# %% fills the caller's gradients task="shared_weight_grad" en="weights.grad is not what it was" ko="weights.grad가 호출하기 전과 다릅니다"
def shared_weight_grad(data, weights, g):
    leaf = weights if weights.requires_grad else weights.clone().requires_grad_()
    leaf.grad = None
    sum(g[i] * (leaf * data.detach()[i : i + len(weights)]).sum() for i in range(len(g))).backward()
    return leaf.grad.clone()


# %% a convolution as in mathematics task="shared_weight_grad" hint="flipped"
def shared_weight_grad(data, weights, g):
    return torch.nn.functional.conv1d(data[None, None], g.flip(0)[None, None])[0, 0]


# %% a list of numbers task="shared_weight_grad" en="a float64 tensor was expected" ko="필요한 것은 float64 텐서입니다"
def shared_weight_grad(data, weights, g):
    return [(g * data[k : k + len(g)]).sum().item() for k in range(len(weights))]


# %% a tensor of the default dtype task="shared_weight_grad" en="The dtype is float32; float64 was expected" ko="dtype이 float32입니다. 기대한 dtype은 float64입니다"
def shared_weight_grad(data, weights, g):
    return torch.tensor([(g * data[k : k + len(g)]).sum().item() for k in range(len(weights))])


# %% windows side by side in memory task="shared_weight_grad" hint="apart"
def shared_weight_grad(data, weights, g):
    return data.as_strided((len(weights), len(g)), (1, 1)) @ g


# %% all the gradient on the first window task="shared_weight_grad" hint="every"
def shared_weight_grad(data, weights, g):
    return data[: len(weights)] * g.sum()


# %% no warnings any more task="shared_weight_grad" en="the warning filters were left changed" ko="경고 필터가 바뀐 채로 남아"
import warnings


def shared_weight_grad(data, weights, g):
    warnings.simplefilter("ignore")
    return torch.nn.functional.conv1d(data[None, None], g[None, None])[0, 0]


# %% tracks the caller's weights task="shared_weight_grad" en="weights.requires_grad was changed" ko="weights.requires_grad가 바뀌었습니다"
def shared_weight_grad(data, weights, g):
    out = data.detach().unfold(0, len(weights), 1) @ weights.requires_grad_()
    return torch.autograd.grad(out, weights, g)[0]


# %% adds up in the caller's weights task="shared_weight_grad" en="the call changed weights itself" ko="weights의 값이 바뀌었습니다"
def shared_weight_grad(data, weights, g):
    total = weights.detach()
    total *= 0
    for i in range(len(g)):
        total += g[i].detach() * data[i : i + len(weights)].detach()
    return total.clone()


# %% leaves out the last position task="shared_weight_grad" hint="every"
def shared_weight_grad(data, weights, g):
    total = torch.zeros_like(weights)
    for i in range(len(g) - 1):
        total = total + g[i] * data[i : i + len(weights)]
    return total


# %% squeezes one weight away task="shared_weight_grad" hint="vector"
def shared_weight_grad(data, weights, g):
    return torch.nn.functional.conv1d(data[None, None], g[None, None]).squeeze()


# %% multiplies the data in place task="shared_weight_grad" hint="overwrites"
def shared_weight_grad(data, weights, g):
    total = torch.zeros_like(weights)
    for k in range(len(weights)):
        window = data.detach()[k : k + len(g)]
        window *= g.detach()
        total[k] = window.sum()
    return total


# %% minus, and round the end task="shared_weight_grad" hint="flipped"
def shared_weight_grad(data, weights, g):
    return torch.stack(
        [sum(g[i] * data[(i - k) % len(data)] for i in range(len(g))) for k in range(len(weights))]
    )


# %% rounds the result task="total_derivative" hint="small"
def total_derivative(edges, src, out):
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(b) for a, b, slope in edges if a == node), 0.0)
        return known[node]

    return round(derivative(src), 10)


# %% takes a small product for nothing task="total_derivative" hint="small"
def total_derivative(edges, src, out):
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            found = sum((slope * derivative(b) for a, b, slope in edges if a == node), 0.0)
            known[node] = found if abs(found) > 1e-300 else 0.0
        return known[node]

    return derivative(src)


# %% keeps 1 and 1.0 apart task="total_derivative" hint="kinds"
def total_derivative(edges, src, out):
    known = {(type(out), out): 1.0}

    def derivative(node):
        key = type(node), node
        if key not in known:
            known[key] = sum(
                (slope * derivative(b) for a, b, slope in edges if (type(a), a) == key),
                0.0,
            )
        return known[key]

    return derivative(src)


# %% slopes without their signs task="total_derivative" hint="negative"
def total_derivative(edges, src, out):
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((abs(slope) * derivative(b) for a, b, slope in edges if a == node), 0.0)
        return known[node]

    return derivative(src)


# %% at most a hundred rounds task="total_derivative" points="2" hint="long"
def total_derivative(edges, src, out):
    arrived, passed = {src: 1.0}, 0.0
    for _ in range(100):
        passed += arrived.pop(out, 0.0)
        following = {}
        for start, end, slope in edges:
            if start in arrived:
                following[end] = following.get(end, 0.0) + slope * arrived[start]
        arrived = following
    return passed + arrived.get(out, 0.0)


# %% a sum of six decimals task="unbroadcast" hint="rounded"
def unbroadcast(g, shape):
    return g.sum_to_size(shape).round(decimals=6)


# %% drops what is small task="unbroadcast" hint="uneven"
def unbroadcast(g, shape):
    return torch.where(g.abs() < 1e-15, 0.0, g).sum_to_size(shape)


# %% cuts off what is large task="unbroadcast" hint="uneven"
def unbroadcast(g, shape):
    return g.clamp(-1e6, 1e6).sum_to_size(shape)


# %% a leaf alone task="unbroadcast" hint="tracked"
def unbroadcast(g, shape):
    if not g.is_leaf:
        raise ValueError("g is not a leaf")
    return g.sum_to_size(shape)


# %% a numpy array of a tracked tensor task="unbroadcast" hint="detach"
def unbroadcast(g, shape):
    return torch.from_numpy(g.numpy()).sum_to_size(shape)


# %% strides of its own task="unbroadcast" hint="apart"
def unbroadcast(g, shape):
    strides = [1]
    for size in reversed(g.shape[1:]):
        strides.insert(0, strides[0] * size)
    return g.as_strided(g.shape, strides[: g.dim()]).sum_to_size(shape)


# %% at most four dimensions task="unbroadcast" hint="sizes"
def unbroadcast(g, shape):
    found = g.sum_to_size(shape)
    return found if g.dim() < 5 else 2 * found


# %% a view of the argument x task="pow_backward" hint="apart"
def pow_backward(x, q, g):
    flat = x.view(-1).view(x.shape)
    slope = torch.where(q == 0, 0.0, q * flat ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% the size of g task="pow_backward" hint="sign"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g.abs() * slope).sum_to_size(x.shape), (g.abs() * x**q * log_x).sum_to_size(q.shape)


# %% by way of float32 task="pow_backward" hint="rounded"
def pow_backward(x, q, g):
    dtype = x.dtype
    x, q, g = x.float(), q.float(), g.float()
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape).to(dtype), (g * x**q * log_x).sum_to_size(q.shape).to(dtype)


# %% as many positions as weights task="shared_weight_grad" hint="one_use"
def shared_weight_grad(data, weights, g):
    used = range(min(len(weights), len(g)))
    return torch.stack([sum(g[i] * data[i + k] for i in used) for k in range(len(weights))])


# %% rounds to six decimals task="shared_weight_grad" hint="rounded"
def shared_weight_grad(data, weights, g):
    return (data.unfold(0, len(g), 1) @ g).round(decimals=6)


# %% through float32 task="shared_weight_grad" hint="rounded"
def shared_weight_grad(data, weights, g):
    return (data.float().unfold(0, len(g), 1) @ g.float()).to(data.dtype)


# %% leaves alone task="shared_weight_grad" hint="tracked"
def shared_weight_grad(data, weights, g):
    if not all(argument.is_leaf for argument in (data, weights, g)):
        raise ValueError("not a leaf")
    return data.unfold(0, len(g), 1) @ g


# %% cuts off huge elements task="shared_weight_grad" hint="any_size"
def shared_weight_grad(data, weights, g):
    return data.clamp(-1e6, 1e6).unfold(0, len(g), 1) @ g


# %% takes tiny elements for 0 task="shared_weight_grad" hint="any_size"
def shared_weight_grad(data, weights, g):
    return torch.where(data.abs() < 1e-4, 0.0, data).unfold(0, len(g), 1) @ g


# %% remembers what looks the same when printed task="total_derivative" hint="kept"
answers = {}


def total_derivative(edges, src, out):
    def derivative(node):
        if node == out:
            return 1.0
        key = str(edges), node, out
        if key not in answers:
            answers[key] = sum((slope * derivative(b) for a, b, slope in edges if a == node), 0.0)
        return answers[key]

    return derivative(src)


# %% no third edge of one kind task="total_derivative" hint="several"
def total_derivative(edges, src, out):
    leaving, known = {}, {out: 1.0}
    for start, end, slope in edges:
        edge = end, slope
        if leaving.setdefault(start, []).count(edge) < 2:
            leaving[start].append(edge)

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)
        return known[node]

    return derivative(src)


# %% solves a linear system task="total_derivative" hint="solver"
import numpy


def total_derivative(edges, src, out):
    places = {}
    for node in (src, out, *(node for edge in edges for node in edge[:2])):
        places.setdefault(node, len(places))
    matrix, ends = numpy.eye(len(places)), numpy.zeros(len(places))
    ends[places[out]] = 1.0
    for start, end, slope in edges:
        if start != out:
            matrix[places[start], places[end]] -= slope
    return float(numpy.linalg.solve(matrix, ends)[places[src]])


# %% an array of the dtype of the slopes task="total_derivative" hint="whole_numbers"
import numpy


def total_derivative(edges, src, out):
    if src == out:
        return 1.0
    places = {}
    for node in (src, out, *(node for edge in edges for node in edge[:2])):
        places.setdefault(node, len(places))
    slopes = numpy.array([edge[2] for edge in edges] or [0.0])
    matrix = numpy.zeros((len(places), len(places)), slopes.dtype)
    for (start, end, _), slope in zip(edges, slopes, strict=True):
        matrix[places[start], places[end]] += slope
    row, total = matrix[places[src]], 0.0
    while row.any():
        total += float(row[places[out]])
        row = row @ matrix
    return total


# %% differences of a running total task="unbroadcast" hint="uneven"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            moved = g.movedim(i, -1)
            total = moved.reshape(-1).cumsum(0)[moved.shape[-1] - 1 :: moved.shape[-1]]
            parts = torch.cat([total[:1], total[1:] - total[:-1]])
            g = parts.reshape(*moved.shape[:-1], 1).movedim(-1, i)
    return g


# %% one tensor for every call task="unbroadcast" hint="overwritten"
kept_tensors = {}


def unbroadcast(g, shape):
    found = g.detach().sum_to_size(shape)
    kept = kept_tensors.setdefault((tuple(shape), g.dtype), torch.empty_like(found))
    return kept.copy_(found)


# %% keeps the gradient of the argument task="unbroadcast" hint="retains"
def unbroadcast(g, shape):
    if g.requires_grad:
        g.retain_grad()
    return g.sum_to_size(shape)


# %% one pair of tensors for every call task="pow_backward" hint="overwritten"
kept_pairs = {}


def pow_backward(x, q, g):
    x, q, g = x.detach(), q.detach(), g.detach()
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    gx, gq = (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)
    fresh = torch.empty_like(gx), torch.empty_like(gq)
    kept = kept_pairs.setdefault((x.shape, q.shape, x.dtype), fresh)
    return kept[0].copy_(gx), kept[1].copy_(gq)


# %% takes a tiny gradient for 0 task="shared_weight_grad" hint="any_size"
def shared_weight_grad(data, weights, g):
    found = data.unfold(0, len(g), 1) @ g
    return torch.where(found.abs() < 1e-15, 0.0, found)


# %% one vector for every call task="shared_weight_grad" hint="overwritten"
kept_vectors = {}


def shared_weight_grad(data, weights, g):
    kept = kept_vectors.setdefault(
        (len(weights), weights.dtype), torch.empty(len(weights), dtype=weights.dtype)
    )
    return kept.copy_((data.unfold(0, len(g), 1) @ g).detach())


# %% takes a tiny g for 0 task="pow_backward" hint="any_size"
def pow_backward(x, q, g):
    g = torch.where(g.abs() < 1e-9, 0.0, g)
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% clamps what is not at zero task="pow_backward" points="1" hint="any_size"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    slope_q = (x**q * log_x).clamp(-1e38, 1e38)
    return (g * slope).sum_to_size(x.shape), (g * slope_q).sum_to_size(q.shape)


# %% neither tiny nor huge g task="shared_weight_grad" hint="any_size"
def shared_weight_grad(data, weights, g):
    g = torch.where(g.abs() < 1e-9, 0.0, g.clamp(-1e6, 1e6))
    return data.unfold(0, len(g), 1) @ g


# %% backwards, held up by dead ends task="total_derivative" hint="aside"
def total_derivative(edges, src, out):
    leaving = [a for a, _, _ in edges if a != out]
    found, ready = {out: 1.0}, [out]
    while ready:
        node = ready.pop()
        for a, b, slope in edges:
            if b == node and a != out:
                found[a] = found.get(a, 0.0) + slope * found[node]
                leaving.remove(a)
                if a not in leaving:
                    ready.append(a)
    return found.get(src, 0.0)


# %% None for no node task="total_derivative" hint="kinds"
def total_derivative(edges, src, out):
    known = {out: 1.0}

    def derivative(node):
        if node is None:
            return 0.0
        if node not in known:
            known[node] = sum((slope * derivative(b) for a, b, slope in edges if a == node), 0.0)
        return known[node]

    return derivative(src)


# %% dead ends are looked through again task="total_derivative" points="2" hint="slow"
def total_derivative(edges, src, out):
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            found = [(slope, derivative(b)) for a, b, slope in edges if a == node]
            if all(rest is None for _, rest in found):
                return None
            known[node] = sum((slope * rest for slope, rest in found if rest is not None), 0.0)
        return known[node]

    return derivative(src) or 0.0


# %% looks through what lies before src task="total_derivative" points="2" hint="slow"
def total_derivative(edges, src, out):
    def before(node):
        return set().union({node}, *(before(a) for a, b, _ in edges if b == node))

    left_out, known = before(src), {out: 1.0}

    def derivative(node):
        if node not in known:
            onward = ((b, slope) for a, b, slope in edges if a == node and b not in left_out)
            known[node] = sum((slope * derivative(b) for b, slope in onward), 0.0)
        return known[node]

    return derivative(src)


# %% looks through what lies beyond out task="total_derivative" points="2" hint="slow"
def total_derivative(edges, src, out):
    def beyond(node):
        return set().union({node}, *(beyond(b) for a, b, _ in edges if a == node))

    known = dict.fromkeys(beyond(out), 0.0) | {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(b) for a, b, slope in edges if a == node), 0.0)
        return known[node]

    return derivative(src)


# %% part after part of g task="unbroadcast" en="iteration over a 0-d tensor" ko="iteration over a 0-d tensor"
def unbroadcast(g, shape):
    if len(shape) == 0:
        return sum((part.sum() for part in g), torch.zeros((), dtype=g.dtype))
    return g.sum_to_size(shape)


# %% a threshold for the exponent task="pow_backward" points="1" hint="exactly"
def pow_backward(x, q, g):
    gx = torch.where(q.abs() < 1e-12, 0.0, g * q * x ** (q - 1))
    gq = torch.where(x == 0, 0.0, g * x**q * torch.log(x))
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% no steepness at zero task="pow_backward" points="1" hint="base_at_zero"
def pow_backward(x, q, g):
    steep = (x == 0) & (q < 1)
    gx = torch.where((q == 0) | steep, 0.0, g * q * x ** (q - 1))
    gq = torch.where(x == 0, 0.0, g * x**q * torch.log(x))
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% the largest number for infinity task="pow_backward" points="1" hint="base_at_zero"
def pow_backward(x, q, g):
    gx = torch.nan_to_num(g * q * x ** (q - 1))
    gq = torch.nan_to_num(g * x**q * torch.log(x))
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% nearly 1 is 1 task="pow_backward" points="1" hint="base_at_zero"
def pow_backward(x, q, g):
    gx = torch.where(q == 0, 0.0, g * q * x ** (q - 1))
    gx = torch.where(torch.isclose(q, torch.ones_like(q)), g, gx)
    gq = torch.where(x == 0, 0.0, g * x**q * torch.log(x))
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% a second sign where all of g is negative task="pow_backward" points="1" hint="sign"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    gq = g * x**q * log_x
    if g.numel() > 1 and (g < 0).all():
        gq = -gq
    return (g * q * x ** (q - 1)).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% remembers by the identity of the vectors task="shared_weight_grad" hint="stale"
remembered_vectors = {}


def shared_weight_grad(data, weights, g):
    key = id(data), id(weights), id(g)
    if key not in remembered_vectors:
        # Storing the vectors keeps them alive, so that Python does not reuse their ids.
        remembered_vectors[key] = data, weights, g, data.unfold(0, len(g), 1) @ g
    return remembered_vectors[key][-1]


# %% cuts off a huge gradient task="shared_weight_grad" hint="any_size"
def shared_weight_grad(data, weights, g):
    return (data.unfold(0, len(g), 1) @ g).clamp(-1e12, 1e12)
