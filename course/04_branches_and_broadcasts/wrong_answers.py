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


# %% walks every path task="total_derivative" en="as slow as walking each path by itself" ko="경로를 하나씩 따라가는 것만큼 느립니다"
def total_derivative(edges, src, out):
    leaving = {}
    for start, end, slope in edges:
        leaving.setdefault(start, []).append((end, slope))

    def derivative(node):
        if node == out:
            return 1.0
        return sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)

    return derivative(src)


# %% takes a zero for unknown task="total_derivative" en="as slow as walking each path by itself" ko="경로를 하나씩 따라가는 것만큼 느립니다"
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


# %% remembers between calls task="total_derivative" en="this is the answer to an earlier call" ko="앞에서 호출했을 때의 답입니다"
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


# %% nothing leads anywhere from itself task="total_derivative" en="its derivative with respect to itself is 1" ko="자기 자신으로 미분한 값은"
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


# %% computes in float32 task="total_derivative" en="right to some digits only" ko="앞의 몇 자리만 맞습니다"
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


# %% a set of edges task="total_derivative" en="two nodes may be joined by several edges" ko="두 노드를 잇는 간선이 여러 개일 수 있습니다"
def total_derivative(edges, src, out):
    edges, known = set(edges), {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% begins at src alone task="total_derivative" en="some edges lie on no path from src to out" ko="경로에 들지 않는 간선이 있습니다"
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
    # A node that waits for what does not come from src never gets its turn.
    return value.get(out, 0.0) if not waiting.get(out) else 0.0


# %% no node for a falsy one task="total_derivative" en="do not take 0 or None" ko="0이나 None을"
def total_derivative(edges, src, out):
    if not src or not out:
        return 0.0
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% nodes as text task="total_derivative" en="do not sort them or turn them into text" ko="문자열로 바꾸지 말고"
def total_derivative(edges, src, out):
    edges = [(str(start), str(end), slope) for start, end, slope in edges]
    known = {str(out): 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(str(src))


# %% no edges, no slope task="total_derivative" en="its derivative with respect to itself is 1" ko="자기 자신으로 미분한 값은"
def total_derivative(edges, src, out):
    if not edges:
        return 0.0
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for start, end, slope in edges if start == node), 0.0)
        return known[node]

    return derivative(src)


# %% empties the caller's list task="total_derivative" en="the call changed the list edges" ko="호출한 쪽의 리스트인 edges가 바뀌었습니다"
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


# %% keeps what it knows in a default task="total_derivative" en="this is the answer to an earlier call" ko="앞에서 호출했을 때의 답입니다"
def total_derivative(edges, src, out, known={}):
    if src == out:
        return 1.0
    if (src, out) not in known:
        known[src, out] = sum(
            (slope * total_derivative(edges, end, out) for start, end, slope in edges if start == src), 0.0
        )
    return known[src, out]


# %% a whole number for no path task="total_derivative" en="this is an int" ko="int가 아니라 float"
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


# %% begins with a whole one task="total_derivative" en="this is an int" ko="int가 아니라 float"
def total_derivative(edges, src, out):
    known = {out: 1}

    def derivative(node):
        if node not in known:
            known[node] = sum(slope * derivative(end) for start, end, slope in edges if start == node)
        return known[node]

    return derivative(src)


# %% forwards, each node at first sight task="total_derivative" en="before all of it had arrived" ko="아직 다 들어오지 않은 합을 넘겼습니다"
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


# %% nodes by their identity task="total_derivative" en="compare them with ==, not with is or id" ko="is나 id가 아니라 ==로 비교하세요"
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


# %% view of what does not lie side by side task="unbroadcast" en="view fails there, reshape and sum do not" ko="view는 쓸 수 없지만 reshape와 sum은 쓸 수 있습니다"
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


# %% the stretched ones first task="unbroadcast" en="sum over both kinds, and over no other" ko="둘 다 더하고, 다른 차원은 더하지 마세요"
def unbroadcast(g, shape):
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    while g.dim() > len(shape):
        g = g.sum(0)
    return g


# %% tells dimensions by their size task="unbroadcast" en="the dimensions that were added stand on the left" ko="새로 붙은 차원은 왼쪽에 있습니다"
def unbroadcast(g, shape):
    if 1 in shape or len(shape) == g.dim():
        return g.sum_to_size(shape)
    for i in reversed(range(g.dim())):
        if g.dim() > len(shape) and (
            g.shape[i] not in shape or list(g.shape).count(g.shape[i]) > list(shape).count(g.shape[i])
        ):
            g = g.sum(i)
    return g


# %% squeezes at the end task="unbroadcast" en="stays, with size 1 (keepdim=True)" ko="크기 1로 남아야 합니다 (keepdim=True)"
def unbroadcast(g, shape):
    return g.sum_to_size(shape).squeeze()


# %% rounds on the way task="unbroadcast" en="compute in the dtype of g" ko="g의 dtype으로 계산하세요"
def unbroadcast(g, shape):
    return g.float().sum_to_size(shape).to(g.dtype)


# %% gradient mode stays off task="unbroadcast" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로 남았습니다"
def unbroadcast(g, shape):
    torch.set_grad_enabled(False)
    return g.sum_to_size(shape)


# %% a sum over no dimensions task="unbroadcast" en="sum over an empty list of dimensions" ko="sum에 빈 차원 리스트를 주면"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    dims = [i for i in range(g.dim()) if i < added or (shape[i - added] == 1 and g.shape[i] > 1)]
    total = g.sum(dims, keepdim=True)  # over no dimensions means over all of them
    return total.reshape(total.shape[added:])


# %% a sum over no dimensions, reshaped task="unbroadcast" en="sum over an empty list of dimensions" ko="sum에 빈 차원 리스트를 주면"
def unbroadcast(g, shape):
    added = g.dim() - len(shape)
    dims = (*range(added), *(i + added for i, size in enumerate(shape) if size == 1))
    return g.sum(dims).reshape(shape)


# %% computes in float64 task="unbroadcast" en="The dtype is float64" ko="dtype이 float64입니다"
def unbroadcast(g, shape):
    return g.double().sum_to_size(shape)


# %% backward through g too task="unbroadcast" en="g.grad is not what it was" ko="g.grad가 부르기 전과 다릅니다"
def unbroadcast(g, shape):
    original = torch.zeros(shape, dtype=g.dtype, requires_grad=True)
    (original.expand(g.shape) * g).sum().backward()  # adds 0 to g.grad, and makes one where there was none
    return original.grad


# %% one copy, as often as there are task="unbroadcast" en="the copies have different gradients" ko="복사본마다 gradient가 다르니"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g[0] * g.shape[0]
    for i, size in enumerate(shape):
        if size == 1:
            g = g.narrow(i, 0, 1) * g.shape[i]
    return g


# %% groups what stands together task="unbroadcast" en="sum over that dimension" ko="그 차원을 따라 더하세요"
def unbroadcast(g, shape):
    return g.reshape(-1, *shape).sum(0)


# %% a list of dimensions that may be empty task="unbroadcast" en="sum over an empty list of dimensions" ko="sum에 빈 차원 리스트를 주면"
def unbroadcast(g, shape):
    g = g.sum(list(range(g.dim() - len(shape))))
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    return g


# %% the dimensions move under the loop task="unbroadcast" en="stays, with size 1 (keepdim=True)" ko="크기 1로 남아야 합니다 (keepdim=True)"
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i)
    return g


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


# %% nan where x is next to nothing task="pow_backward" en="so its slope in x is 0" ko="x에 대한 기울기는 0입니다"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    gx = g * q * x ** (q - 1)
    gq = g * x**q * log_x
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% a list task="pow_backward" en="not a tuple of two tensors" ko="텐서 두 개의 튜플 (gx, gq)가 아닙니다"
def pow_backward(x, q, g):
    x, q = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    return list(torch.autograd.grad(x**q, (x, q), g))


# %% takes the exponent for a constant task="pow_backward" en="not a tuple of two tensors" ko="텐서 두 개의 튜플 (gx, gq)가 아닙니다"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    return (g * slope).sum_to_size(x.shape), None


# %% nan to num after the sum task="pow_backward" en="put the 0 in before the sum, not after" ko="합을 구한 뒤가 아니라 그 전에 0으로 바꾸세요"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, torch.zeros_like(x), q * x ** (q - 1))
    gq = (g * x**q * torch.log(x)).sum_to_size(q.shape)
    return (g * slope).sum_to_size(x.shape), torch.nan_to_num(gq)


# %% zero wherever x is task="pow_backward" en="at x = 0 use q * 0**(q - 1) as it is" ko="x = 0에서는 q * 0**(q - 1)을 그대로 쓰세요"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    gx = torch.where(x == 0, torch.zeros_like(x), g * q * x ** (q - 1))
    return gx.sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% cuts x off task="pow_backward" en="or cutting x off, spoils the value" ko="x를 잘라 내면 값이 틀립니다"
def pow_backward(x, q, g):
    a = torch.where(x > 0, x.clamp(min=1e-12), x)
    log_a = torch.log(torch.where(a > 0, a, torch.ones_like(a)))
    return (g * q * a ** (q - 1)).sum_to_size(x.shape), (g * a**q * log_a).sum_to_size(q.shape)


# %% a power that is always float64 task="pow_backward" en="The dtype is float64; float32 was expected" ko="dtype이 float64입니다. 기대한 dtype은 float32입니다"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * torch.float_power(x, q - 1))
    gq = g * torch.special.xlogy(x**q, x)
    return (g * slope).sum_to_size(x.shape), gq.sum_to_size(q.shape)


# %% a mean over the copies task="pow_backward" en="sum over the dimensions that were broadcast" ko="브로드캐스트된 차원을 따라 더하세요"
def pow_backward(x, q, g):
    a, b = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    gx, gq = torch.autograd.grad(a**b, (a, b), g)
    return gx * x.numel() / g.numel(), gq * q.numel() / g.numel()


# %% looks for nan and goes on looking task="pow_backward" en="anomaly detection was left switched on" ko="이상 탐지(anomaly mode)가 켜진 채로"
def pow_backward(x, q, g):
    torch.autograd.set_detect_anomaly(True)
    x, q = x.detach().clone().requires_grad_(), q.detach().clone().requires_grad_()
    return torch.autograd.grad(x**q, (x, q), g)


# %% the power over x, but not at zero task="pow_backward" en="compute x**(q - 1) itself" ko="x**(q - 1)을 직접 계산하세요"
def pow_backward(x, q, g):
    y = x**q
    slope = torch.where(x > 0, q * y / torch.where(x > 0, x, 1.0), q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * torch.where(q == 0, 0.0, slope)).sum_to_size(x.shape), (g * y * log_x).sum_to_size(q.shape)


# %% cuts x off far down task="pow_backward" en="or cutting x off, spoils the value" ko="x를 잘라 내면 값이 틀립니다"
def pow_backward(x, q, g):
    above = torch.where(x > 0, x.clamp(min=1e-30), x)
    slope = torch.where(q == 0, 0.0, q * above ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% takes a small exponent for none task="pow_backward" en="only where q is exactly 0" ko="q가 정확히 0일 때만"
def pow_backward(x, q, g):
    slope = torch.where(q.abs() < 1e-6, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% one zero exponent stops all task="pow_backward" en="the other elements keep theirs" ko="다른 원소는 그대로입니다"
def pow_backward(x, q, g):
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    gx = torch.zeros_like(g) if (q == 0).any() else g * q * x ** (q - 1)
    return gx.sum_to_size(x.shape), (g * x**q * log_x).sum_to_size(q.shape)


# %% no gradient for a zero exponent task="pow_backward" en="that of q is g log x" ko="q의 gradient는 g log x입니다"
def pow_backward(x, q, g):
    slope = torch.where(q == 0, 0.0, q * x ** (q - 1))
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    return (g * slope).sum_to_size(x.shape), (g * torch.where(q == 0, 0.0, x**q * log_x)).sum_to_size(q.shape)


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


# %% a convolution as in mathematics task="shared_weight_grad" en="the wrong way round" ko="순서가 뒤집혔습니다"
def shared_weight_grad(x, w, g):
    return torch.nn.functional.conv1d(x[None, None], g.flip(0)[None, None])[0, 0]


# %% a list of numbers task="shared_weight_grad" en="a float64 tensor was expected" ko="필요한 것은 float64 텐서입니다"
def shared_weight_grad(x, w, g):
    return [(g * x[k : k + len(g)]).sum().item() for k in range(len(w))]


# %% a tensor of the default dtype task="shared_weight_grad" en="The dtype is float32; float64 was expected" ko="dtype이 float32입니다. 기대한 dtype은 float64입니다"
def shared_weight_grad(x, w, g):
    return torch.tensor([(g * x[k : k + len(g)]).sum().item() for k in range(len(w))])


# %% windows side by side in memory task="shared_weight_grad" en="as_strided with stride 1 reads others" ko="stride 1인 as_strided는 다른 수를 읽지만"
def shared_weight_grad(x, w, g):
    return x.as_strided((len(w), len(g)), (1, 1)) @ g


# %% all the gradient on the first window task="shared_weight_grad" en="the sum over all positions i" ko="모든 위치 i에 대해"
def shared_weight_grad(x, w, g):
    return x[: len(w)] * g.sum()


# %% no warnings any more task="shared_weight_grad" en="the warning filters were left changed" ko="경고 필터가 바뀐 채로 남아"
import warnings


def shared_weight_grad(x, w, g):
    warnings.simplefilter("ignore")
    return torch.nn.functional.conv1d(x[None, None], g[None, None])[0, 0]


# %% tracks the caller's weights task="shared_weight_grad" en="w.requires_grad was changed" ko="w.requires_grad가 바뀌었습니다"
def shared_weight_grad(x, w, g):
    y = x.detach().unfold(0, len(w), 1) @ w.requires_grad_()
    return torch.autograd.grad(y, w, g)[0]


# %% adds up in the caller's weights task="shared_weight_grad" en="the call changed w itself" ko="w의 값이 바뀌었습니다"
def shared_weight_grad(x, w, g):
    total = w.detach()
    total *= 0
    for i in range(len(g)):
        total += g[i].detach() * x[i : i + len(w)].detach()
    return total.clone()


# %% leaves out the last position task="shared_weight_grad" en="the sum over all positions i" ko="모든 위치 i에 대해"
def shared_weight_grad(x, w, g):
    total = torch.zeros_like(w)
    for i in range(len(g) - 1):
        total = total + g[i] * x[i : i + len(w)]
    return total


# %% squeezes one weight away task="shared_weight_grad" en="squeeze takes its dimension away" ko="squeeze는 그 차원까지 없앱니다"
def shared_weight_grad(x, w, g):
    return torch.nn.functional.conv1d(x[None, None], g[None, None]).squeeze()


# %% multiplies the data in place task="shared_weight_grad" en="x was overwritten on the way" ko="계산하는 동안 x가 덮어쓰였습니다"
def shared_weight_grad(x, w, g):
    total = torch.zeros_like(w)
    for k in range(len(w)):
        window = x.detach()[k : k + len(g)]
        window *= g.detach()
        total[k] = window.sum()
    return total


# %% minus, and round the end task="shared_weight_grad" en="the wrong way round" ko="순서가 뒤집혔습니다"
def shared_weight_grad(x, w, g):
    return torch.stack([sum(g[i] * x[(i - k) % len(x)] for i in range(len(g))) for k in range(len(w))])
