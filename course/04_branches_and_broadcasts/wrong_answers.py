# Misconceptions of lesson 4. Each must lose its task, and be told why in the words given here.

# %%
import torch

# %% the last path wins task="total_derivative" en="all of them are added (+=, not =)" ko="모두 더하세요 (=가 아니라 +=)"
def total_derivative(edges, src, out):
    gradients = {out: 1.0}
    for start, end, slope in reversed(edges):
        if end in gradients:
            gradients[start] = slope * gradients[end]
    return gradients.get(src, 0.0)


# %% trusts the order of the edges task="total_derivative" en="the edges come in any order" ko="간선의 순서는 정해져 있지 않습니다"
def total_derivative(edges, src, out):
    gradients = {out: 1.0}
    for start, end, slope in reversed(edges):
        if end in gradients and start != out:
            gradients[start] = gradients.get(start, 0.0) + slope * gradients[end]
    return gradients.get(src, 0.0)


# %% passes on before all has arrived task="total_derivative" en="paths may have different lengths" ko="경로의 길이는 서로 다를 수 있습니다"
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


# %% one edge between two nodes task="total_derivative" en="two nodes may be joined by several edges" ko="두 노드를 잇는 간선이 여러 개일 수 있습니다"
import functools


def total_derivative(edges, src, out):
    slopes = {(start, end): slope for start, end, slope in edges}

    @functools.cache
    def derivative(node):
        if node == out:
            return 1.0
        return sum((slope * derivative(end) for (start, end), slope in slopes.items() if start == node), 0.0)

    return derivative(src)


# %% walks every path task="total_derivative" en="as slow as walking each path by itself" ko="경로를 하나씩 걷는 만큼 느립니다"
def total_derivative(edges, src, out):
    leaving = {}
    for start, end, slope in edges:
        leaving.setdefault(start, []).append((end, slope))

    def derivative(node):
        if node == out:
            return 1.0
        return sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)

    return derivative(src)


# %% takes a zero for unknown task="total_derivative" en="as slow as walking each path by itself" ko="경로를 하나씩 걷는 만큼 느립니다"
def total_derivative(edges, src, out):
    leaving, known = {}, {out: 1.0}
    for start, end, slope in edges:
        leaving.setdefault(start, []).append((end, slope))

    def derivative(node):
        if not known.get(node):
            known[node] = sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)
        return known[node]

    return derivative(src)


# %% sorts the caller's list task="total_derivative" en="the call changed the list edges" ko="호출한 쪽의 리스트인 edges가 바뀌었습니다"
def total_derivative(edges, src, out):
    edges.sort(key=str)
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% remembers between calls task="total_derivative" en="this is the answer to an earlier call" ko="앞의 호출의 답입니다"
remembered = {}


def total_derivative(edges, src, out):
    known = remembered
    known.setdefault(out, 1.0)

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% needs nodes that compare task="total_derivative" en="do not sort them or turn them into text" ko="정렬하지 말고, 문자열로 바꾸지 말고"
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


# %% nothing leads anywhere from itself task="total_derivative" en="its derivative with respect to itself is 1" ko="자기 자신에 대한 미분은"
def total_derivative(edges, src, out):
    known = {}

    def derivative(node):
        if node not in known:
            leaving = [(end, slope) for start, end, slope in edges if start == node]
            known[node] = sum((slope * (1.0 if end == out else derivative(end)) for end, slope in leaving), 0.0)
        return known[node]

    return derivative(src)


# %% a mean task="unbroadcast" en="this is the mean over the copies" ko="복사본의 평균입니다"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.mean(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.mean(i, keepdim=True)
    return g


# %% loses the dimension task="unbroadcast" en="stays, with size 1 (keepdim=True)" ko="크기 1로 남아야 합니다 (keepdim=True)"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for i in reversed(range(len(shape))):
        if shape[i] == 1 and g.shape[i] != 1:
            g = g.sum(i)
    return g


# %% one copy task="unbroadcast" en="this is the gradient of one copy" ko="복사본 하나의 gradient입니다"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g[0]
    for i, size in enumerate(shape):
        if size == 1:
            g = g.narrow(i, 0, 1)
    return g


# %% sums on the right task="unbroadcast" en="the dimensions that were added stand on the left" ko="새로 붙은 차원은 왼쪽에 있습니다"
def unbroadcast(g, shape):
    while g.dim() > len(shape) and tuple(g.shape[: len(shape)]) == tuple(shape) and len(shape):
        g = g.sum(-1)
    while g.dim() > len(shape):
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    return g


# %% forgets the stretched dimensions task="unbroadcast" en="(keepdim=True)" ko="(keepdim=True)"
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


# %% computes in float64 task="unbroadcast" en="The dtype is float64" ko="dtype이 float64입니다"
def unbroadcast(g, shape):
    return g.double().sum_to_size(shape)


# %% backward through g too task="unbroadcast" en="g.grad is not what it was" ko="g.grad가 부르기 전과 다릅니다"
def unbroadcast(g, shape):
    original = torch.zeros(shape, dtype=g.dtype, requires_grad=True)
    (original.expand(g.shape) * g).sum().backward()  # adds 0 to g.grad, and makes one where there was none
    return original.grad


# %% nan at zero task="pow_backward" en="0 * (-inf), which is nan" ko="0 * (-inf), 곧 nan"
def pow_backward(x, q, g):
    return (g * q * x ** (q - 1)).sum_to_size(x.shape), (g * x**q * torch.log(x)).sum_to_size(q.shape)


# %% the power over x task="pow_backward" en="q * x**q / x is 0/0" ko="q * x**q / x는 0/0"
def pow_backward(x, q, g):
    gq = g * torch.special.xlogy(x**q, x)
    return (g * q * x**q / x).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% a little something in the logarithm task="pow_backward" en="adding something to x inside the logarithm" ko="로그 안에서 x에 무엇을 더하거나"
def pow_backward(x, q, g):
    gq = g * x**q * torch.log(x + 1e-12)
    return (g * q * x ** (q - 1)).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% leaves the shapes broadcast task="pow_backward" en="sum over the dimensions that were broadcast" ko="브로드캐스트된 차원을 따라 더하세요"
def pow_backward(x, q, g):
    return g * q * x ** (q - 1), g * torch.special.xlogy(x**q, x)


# %% swaps the two task="pow_backward" en="the two gradients are swapped" ko="두 gradient의 순서가 바뀌었습니다"
def pow_backward(x, q, g):
    gx = g * q * x ** (q - 1)
    gq = g * torch.special.xlogy(x**q, x)
    return gq.sum_to_size(q.shape), gx.sum_to_size(x.shape)


# %% forgets what comes from behind task="pow_backward" en="multiply by g" ko="gradient g를 곱하세요"
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


# %% autograd on the caller's tensors task="pow_backward" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def pow_backward(x, q, g):
    if not (x.requires_grad and q.requires_grad):
        x, q = x.clone().requires_grad_(), q.clone().requires_grad_()
    x.grad = q.grad = None
    (x**q).backward(g)
    return x.grad.clone(), q.grad.clone()


# %% the last use alone task="shared_weight_grad" en="every position uses the weights" ko="위치마다 가중치를 쓰므로"
def shared_weight_grad(x, w, g):
    return g[-1] * x[len(g) - 1 :]


# %% a mean of the uses task="shared_weight_grad" en="not their mean" ko="평균이 아니라 합입니다"
def shared_weight_grad(x, w, g):
    return torch.stack([(g * x[k : k + len(g)]).mean() for k in range(len(w))])


# %% the wrong way round task="shared_weight_grad" en="the wrong way round" ko="순서가 뒤집혔습니다"
def shared_weight_grad(x, w, g):
    return torch.stack([(g * x[k : k + len(g)]).sum() for k in range(len(w))]).flip(0)


# %% the weight stays in task="shared_weight_grad" en="the slope of w x with respect to w is x" ko="w로 미분한 기울기는"
def shared_weight_grad(x, w, g):
    return torch.stack([(g * w[k] * x[k : k + len(g)]).sum() for k in range(len(w))])


# %% divides by the weight task="shared_weight_grad" en="the values of w do not matter" ko="w의 값은 상관없습니다"
def shared_weight_grad(x, w, g):
    parts = torch.stack([(g * w[k] * x[k : k + len(g)]).sum() for k in range(len(w))])
    return parts / w


# %% fills the caller's gradients task="shared_weight_grad" en="w.grad is not what it was" ko="w.grad가 부르기 전과 다릅니다"
def shared_weight_grad(x, w, g):
    leaf = w if w.requires_grad else w.clone().requires_grad_()
    leaf.grad = None
    sum(g[i] * (leaf * x.detach()[i : i + len(w)]).sum() for i in range(len(g))).backward()
    return leaf.grad.clone()
