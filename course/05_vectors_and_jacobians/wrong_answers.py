# Misconceptions of lesson 5. Each must lose its task, and be told why in the words given here.

# %%
import torch

# %% does not transpose W2 task="matrix_vjp" en="W2 must be transposed" ko="W2를 전치해야 합니다"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2 @ v, inp), torch.outer(v, W1 @ inp)


# %% always weighs with ones task="matrix_vjp" en="v does not count" ko="v를 쓰지 않았습니다"
def matrix_vjp(W1, W2, inp, v):
    v = torch.ones_like(v)
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% swaps the two task="matrix_vjp" en="g1 comes first" ko="g1이 먼저"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(v, W1 @ inp), torch.outer(W2.T @ v, inp)


# %% outer products the wrong way round task="matrix_vjp" en="the wrong way round" ko="순서가 거꾸로입니다"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(inp, W2.T @ v), torch.outer(W1 @ inp, v)


# %% takes the rows of W1 for y1 task="matrix_vjp" en="not the row sums of W1" ko="행의 합이 아니라"
def matrix_vjp(W1, W2, inp, v):
    y1 = W1.sum(1) if len(v) == 3 else W1 @ inp
    return torch.outer(W2.T @ v, inp), torch.outer(v, y1)


# %% calls backward on the caller's tensors task="matrix_vjp" en="W1.grad is not what it was" ko="W1.grad가 부르기 전과 다릅니다"
def matrix_vjp(W1, W2, inp, v):
    if W1.requires_grad and W2.requires_grad:
        (W2 @ (W1 @ inp)).backward(v.detach())
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% remembers by the values of the weights task="matrix_vjp" en="kept from the call before" ko="앞의 호출에서 남겨 둔"
remembered = {}


def matrix_vjp(W1, W2, inp, v):
    key = str((W1.tolist(), W2.tolist()))
    if key not in remembered:
        remembered[key] = torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    return remembered[key]


# %% computes in float64 task="matrix_vjp" en="float32 was expected" ko="float32이어야 합니다"
def matrix_vjp(W1, W2, inp, v):
    if len(v) != 2:
        W1, W2, inp, v = W1.double(), W2.double(), inp.double(), v.double()
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% backward of ones in every row task="jacobian_by_rows" en="backward(ones) gives just that" ko="backward(ones)가 바로 이것"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    (total,) = torch.autograd.grad(y, leaf, torch.ones_like(y))
    return total.expand(len(y), -1)


# %% one VJP with ones task="jacobian_by_rows" en="one VJP for each output is needed" ko="출력마다 VJP가 하나씩"
def jacobian_by_rows(f, x):
    y = f(x)
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


# %% columns as rows task="jacobian_by_rows" en="this is the transpose" ko="전치된 행렬입니다"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.detach()).T.detach()


# %% lets .grad add up task="jacobian_by_rows" en=".grad adds up" ko=".grad는 쌓입니다"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    y, rows = f(leaf), []
    for e in torch.eye(len(y), dtype=y.dtype):
        y.backward(e, retain_graph=True, inputs=[leaf])
        rows.append(leaf.grad.clone())
    return torch.stack(rows)


# %% keeps one .grad for all rows task="jacobian_by_rows" en="keep a copy of each row" ko="행마다 복사본을"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    leaf.grad = torch.zeros_like(leaf)
    y, rows = f(leaf), []
    for e in torch.eye(len(y), dtype=y.dtype):
        leaf.grad.zero_()
        y.backward(e, retain_graph=True, inputs=[leaf])
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% frees the graph after the first row task="jacobian_by_rows" en="retain_graph=True" ko="retain_graph=True"
def jacobian_by_rows(f, x):
    y = f(x)
    return torch.stack([torch.autograd.grad(y, x, e)[0] for e in torch.eye(len(y), dtype=y.dtype)])


# %% fills the caller's .grad task="jacobian_by_rows" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def jacobian_by_rows(f, x):
    y, rows = f(x), []
    for e in torch.eye(len(y), dtype=y.dtype):
        x.grad = None
        y.backward(e, retain_graph=True, inputs=[x])
        rows.append(x.grad)
    x.grad = None
    return torch.stack(rows)


# %% fills the weight's .grad task="jacobian_by_rows" en="W.grad is not what it was" ko="W.grad가 부르기 전과 다릅니다"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    y, rows = f(leaf), []
    for e in torch.eye(len(y), dtype=y.dtype):
        leaf.grad = None
        y.backward(e, retain_graph=True)
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% a tracked result task="jacobian_by_rows" en="still tracked; detach it" ko="아직 추적됩니다"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x)


# %% a difference quotient of five points task="jacobian_by_rows" en="no difference quotients" ko="차분몫을 쓰지 말고"
@torch.no_grad()
def jacobian_by_rows(f, x):
    columns = []
    for e in 1e-3 * torch.eye(len(x), dtype=x.dtype):
        near, far = f(x + e) - f(x - e), f(x + 2 * e) - f(x - 2 * e)
        columns.append((8 * near - far) / 12e-3)
    return torch.stack(columns, dim=1) if x.dtype == torch.float64 else torch.func.jacfwd(f)(x)


# %% the VJP of ones times v task="directional_derivative" en="the VJP of ones times v" ko="성분이 모두 1인 벡터로 구한 VJP에 v를 곱한 것"
def directional_derivative(f, x, v):
    leaf = x.detach().requires_grad_()
    y = f(leaf)
    return torch.autograd.grad(y, leaf, torch.ones_like(y))[0] * v


# %% normalises v task="directional_derivative" en="v was normalised" ko="길이를 1로 맞추었습니다"
def directional_derivative(f, x, v):
    length = v.norm().clamp(min=1e-30)
    return torch.func.jvp(f, (x,), (v / length,))[1]


# %% v on the left task="directional_derivative" en="v belongs on the right of J" ko="v는 J의 오른쪽에"
def directional_derivative(f, x, v):
    J = torch.func.jacrev(f)(x)
    return v @ J if J.shape[0] == J.shape[1] else J @ v


# %% adds up the outputs task="directional_derivative" en="do not add up the outputs" ko="출력을 더하지 말고"
def directional_derivative(f, x, v):
    moved = torch.func.jvp(f, (x,), (v,))[1]
    return moved if len(x) == 2 and len(moved) == 2 else moved.sum()


# %% extrapolates difference quotients task="directional_derivative" en="no difference quotients" ko="차분몫을 쓰지 말고"
def directional_derivative(f, x, v):
    if x.dtype == torch.float32:
        return torch.func.jvp(f, (x,), (v,))[1]
    a, b, c = ((f(x + h * v) - f(x - h * v)) / (2 * h) for h in (1e-2, 5e-3, 2.5e-3))
    return (16 * (4 * c - b) / 3 - (4 * b - a) / 3) / 15


# %% remembers by x and v task="directional_derivative" en="another f at the same x and v" ko="같은 x와 v에서 다른 f로"
products = {}


def directional_derivative(f, x, v):
    key = str((x.dtype, x.tolist(), v.tolist()))
    if key not in products:
        products[key] = torch.func.jvp(f, (x,), (v,))[1]
    return products[key]


# %% remembers the Jacobian of f task="directional_derivative" en="kept from the call before" ko="앞의 호출에서 남겨 둔"
jacobians = {}


def directional_derivative(f, x, v):
    if f not in jacobians:
        jacobians[f] = torch.func.jacrev(f)(x)
    return jacobians[f] @ v


# %% leaves x tracked task="directional_derivative" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def directional_derivative(f, x, v):
    return torch.autograd.functional.jacobian(f, x.requires_grad_()) @ v


# %% a result with a graph task="directional_derivative" en="the result is tracked; detach it" ko="결과가 추적됩니다"
def directional_derivative(f, x, v):
    return torch.func.jvp(f, (x.detach().clone().requires_grad_(),), (v,))[1]


# %% lets v broadcast task="weighted_backward" en="another shape must raise ValueError" ko="ValueError를 일으켜야 합니다"
def weighted_backward(y, v):
    (y * v).sum().backward()


# %% refuses only what does not broadcast task="weighted_backward" en="even one that would broadcast" ko="브로드캐스트가 되더라도"
def weighted_backward(y, v):
    try:
        total = (y * v).sum()
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    total.backward()


# %% compares the number of elements task="weighted_backward" en="another shape must raise ValueError" ko="ValueError를 일으켜야 합니다"
def weighted_backward(y, v):
    if y.numel() != v.numel():
        raise ValueError("sizes differ")
    (y.reshape(-1) * v.reshape(-1)).sum().backward()


# %% leaves the error to PyTorch task="weighted_backward" en="raise ValueError yourself" ko="직접 ValueError를"
def weighted_backward(y, v):
    y.backward(v)


# %% ignores v task="weighted_backward" en="v does not count" ko="v를 쓰지 않았습니다"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    y.sum().backward()


# %% averages task="weighted_backward" en="do not average" ko="평균이 아니라"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    (y * v).mean().backward()


# %% weighs y in place task="weighted_backward" en="the call changed y itself" ko="y의 값이 바뀌었습니다"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    total = (y * v).sum()
    total.backward()
    y.data *= v


# %% asks for the shape too late task="weighted_backward" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def weighted_backward(y, v):
    (y * (v if v.shape == y.shape else 1)).sum().backward()
    if v.shape != y.shape:
        raise ValueError("shapes differ")


# %% returns v times y task="weighted_backward" en="returns nothing" ko="아무것도 돌려주지 않습니다"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    total = (y * v).sum()
    total.backward()
    return total.item()


# %% the mean gradient in every row task="per_sample_grads" en="the mean gradient of the batch" ko="배치의 평균 gradient"
def per_sample_grads(w, X, Y):
    leaf = w.detach().clone().requires_grad_()
    ((X @ leaf - Y) ** 2).sum().backward()
    return (leaf.grad / len(X)).expand(len(X), -1)


# %% the gradient of the sum task="per_sample_grads" en="the gradient of the summed loss" ko="loss 합의 gradient"
def per_sample_grads(w, X, Y):
    leaf = w.detach().clone().requires_grad_()
    ((X @ leaf - Y) ** 2).sum().backward()
    return leaf.grad


# %% loses the 2 task="per_sample_grads" en="the factor 2 of the square" ko="제곱에서 나오는 2"
def per_sample_grads(w, X, Y):
    return (X @ w - Y)[:, None] * X


# %% the error the wrong way round task="per_sample_grads" en="not y - x . w" ko="부호가 반대입니다"
def per_sample_grads(w, X, Y):
    return 2 * (Y - X @ w)[:, None] * X


# %% lets one .grad add up task="per_sample_grads" en=".grad adds up" ko=".grad는 쌓입니다"
def per_sample_grads(w, X, Y):
    leaf, rows = w.detach().clone().requires_grad_(), []
    for x, y in zip(X, Y, strict=True):
        ((x @ leaf - y) ** 2).backward()
        rows.append(leaf.grad.clone())
    return torch.stack(rows)


# %% keeps one .grad task="per_sample_grads" en="keep a copy of each row" ko="행마다 복사본을"
def per_sample_grads(w, X, Y):
    leaf, rows = w.detach().clone().requires_grad_(), []
    leaf.grad = torch.zeros_like(leaf)
    for x, y in zip(X, Y, strict=True):
        leaf.grad.zero_()
        ((x @ leaf - y) ** 2).backward()
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% spoils the caller's w task="per_sample_grads" en="w.grad is not what it was" ko="w.grad가 부르기 전과 다릅니다"
def per_sample_grads(w, X, Y):
    leaf, rows = (w if w.requires_grad else w.clone().requires_grad_()), []
    for x, y in zip(X, Y, strict=True):
        leaf.grad = None
        ((x @ leaf - y) ** 2).backward()
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% remembers by the values of w task="per_sample_grads" en="kept from the call before" ko="앞의 호출에서 남겨 둔"
known = {}


def per_sample_grads(w, X, Y):
    key = str((w.tolist(), X.shape, X.dtype))
    if key not in known:
        known[key] = 2 * (X @ w - Y)[:, None] * X
    return known[key]
