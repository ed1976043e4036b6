# Wrong answers to lesson 5 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% does not transpose W2 task="matrix_vjp" hint="rows"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2 @ v, inp), torch.outer(v, W1 @ inp)


# %% always weighs with ones task="matrix_vjp" hint="no_v"
def matrix_vjp(W1, W2, inp, v):
    v = torch.ones_like(v)
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% swaps the two task="matrix_vjp" hint="order"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(v, W1 @ inp), torch.outer(W2.T @ v, inp)


# %% outer products the wrong way round task="matrix_vjp" hint="around"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(inp, W2.T @ v), torch.outer(W1 @ inp, v)


# %% takes the rows of W1 for y1 task="matrix_vjp" points="1" hint="sums"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1.sum(1))


# %% calls backward on the caller's tensors task="matrix_vjp" en="W1.grad is not what it was" ko="W1.grad가 호출하기 전과 다릅니다"
def matrix_vjp(W1, W2, inp, v):
    if W1.requires_grad and W2.requires_grad:
        (W2 @ (W1 @ inp)).backward(v.detach())
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% remembers by the values of the weights task="matrix_vjp" hint="stale"
remembered = {}


def matrix_vjp(W1, W2, inp, v):
    key = str((W1.tolist(), W2.tolist()))
    if key not in remembered:
        remembered[key] = torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    return remembered[key]


# %% computes in float64 task="matrix_vjp" en="float32 was expected" ko="기대한 dtype은 float32입니다"
def matrix_vjp(W1, W2, inp, v):
    if len(v) != 2:
        W1, W2, inp, v = W1.double(), W2.double(), inp.double(), v.double()
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% backward of ones in every row task="jacobian_by_rows" hint="total"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    (total,) = torch.autograd.grad(y, leaf, torch.ones_like(y))
    return total.expand(len(y), -1)


# %% one VJP with ones task="jacobian_by_rows" hint="once"
def jacobian_by_rows(f, x):
    y = f(x)
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


# %% columns as rows task="jacobian_by_rows" hint="transposed"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.detach()).T.detach()


# %% lets .grad add up task="jacobian_by_rows" hint="before"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    y, rows = f(leaf), []
    for e in torch.eye(len(y), dtype=y.dtype):
        y.backward(e, retain_graph=True, inputs=[leaf])
        rows.append(leaf.grad.clone())
    return torch.stack(rows)


# %% keeps one .grad for all rows task="jacobian_by_rows" hint="last"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    leaf.grad = torch.zeros_like(leaf)
    y, rows = f(leaf), []
    for e in torch.eye(len(y), dtype=y.dtype):
        leaf.grad.zero_()
        y.backward(e, retain_graph=True, inputs=[leaf])
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% frees the graph after the first row task="jacobian_by_rows" hint="graph"
def jacobian_by_rows(f, x):
    y = f(x)
    return torch.stack([torch.autograd.grad(y, x, e)[0] for e in torch.eye(len(y), dtype=y.dtype)])


# %% fills the caller's .grad task="jacobian_by_rows" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def jacobian_by_rows(f, x):
    y, rows = f(x), []
    for e in torch.eye(len(y), dtype=y.dtype):
        x.grad = None
        y.backward(e, retain_graph=True, inputs=[x])
        rows.append(x.grad)
    x.grad = None
    return torch.stack(rows)


# %% fills the weight's .grad task="jacobian_by_rows" en="W.grad is not what it was" ko="W.grad가 호출하기 전과 다릅니다"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    y, rows = f(leaf), []
    for e in torch.eye(len(y), dtype=y.dtype):
        leaf.grad = None
        y.backward(e, retain_graph=True)
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% a tracked result task="jacobian_by_rows" hint="tracked"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x)


# %% a difference quotient of five points task="jacobian_by_rows" hint="digits"
@torch.no_grad()
def jacobian_by_rows(f, x):
    columns = []
    for e in 1e-3 * torch.eye(len(x), dtype=x.dtype):
        near, far = f(x + e) - f(x - e), f(x + 2 * e) - f(x - 2 * e)
        columns.append((8 * near - far) / 12e-3)
    return torch.stack(columns, dim=1) if x.dtype == torch.float64 else torch.func.jacfwd(f)(x)


# %% the VJP of ones times v task="directional_derivative" hint="ones"
def directional_derivative(f, x, v):
    leaf = x.detach().requires_grad_()
    y = f(leaf)
    return torch.autograd.grad(y, leaf, torch.ones_like(y))[0] * v


# %% normalises v task="directional_derivative" hint="length"
def directional_derivative(f, x, v):
    length = v.norm().clamp(min=1e-30)
    return torch.func.jvp(f, (x,), (v / length,))[1]


# %% v on the left task="directional_derivative" hint="left"
def directional_derivative(f, x, v):
    J = torch.func.jacrev(f)(x)
    return v @ J if J.shape[0] == J.shape[1] else J @ v


# %% adds up the outputs task="directional_derivative" hint="added"
def directional_derivative(f, x, v):
    moved = torch.func.jvp(f, (x,), (v,))[1]
    return moved if len(x) == 2 and len(moved) == 2 else moved.sum()


# %% extrapolates difference quotients task="directional_derivative" hint="digits"
def directional_derivative(f, x, v):
    if x.dtype == torch.float32:
        return torch.func.jvp(f, (x,), (v,))[1]
    a, b, c = ((f(x + h * v) - f(x - h * v)) / (2 * h) for h in (1e-2, 5e-3, 2.5e-3))
    return (16 * (4 * c - b) / 3 - (4 * b - a) / 3) / 15


# %% remembers by x and v task="directional_derivative" hint="other_function"
products = {}


def directional_derivative(f, x, v):
    key = str((x.dtype, x.tolist(), v.tolist()))
    if key not in products:
        products[key] = torch.func.jvp(f, (x,), (v,))[1]
    return products[key]


# %% remembers the Jacobian of f task="directional_derivative" hint="stale"
jacobians = {}


def directional_derivative(f, x, v):
    if f not in jacobians:
        jacobians[f] = torch.func.jacrev(f)(x)
    return jacobians[f] @ v


# %% leaves x tracked task="directional_derivative" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def directional_derivative(f, x, v):
    return torch.autograd.functional.jacobian(f, x.requires_grad_()) @ v


# %% a result with a graph task="directional_derivative" hint="tracked"
def directional_derivative(f, x, v):
    return torch.func.jvp(f, (x.detach().clone().requires_grad_(),), (v,))[1]


# %% lets v broadcast task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    (y * v).sum().backward()


# %% refuses only what does not broadcast task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    try:
        total = (y * v).sum()
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    total.backward()


# %% compares the number of elements task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if y.numel() != v.numel():
        raise ValueError("sizes differ")
    (y.reshape(-1) * v.reshape(-1)).sum().backward()


# %% leaves the error to PyTorch task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    y.backward(v)


# %% ignores v task="weighted_backward" points="1" hint="no_v"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    y.sum().backward()


# %% averages task="weighted_backward" hint="mean" points="1"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    (y * v).mean().backward()


# %% weighs y in place task="weighted_backward" points="1" en="the call changed y itself" ko="y의 값이 바뀌었습니다"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    total = (y * v).sum()
    total.backward()
    y.data *= v


# %% asks for the shape too late task="weighted_backward" points="1" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def weighted_backward(y, v):
    (y * (v if v.shape == y.shape else 1)).sum().backward()
    if v.shape != y.shape:
        raise ValueError("shapes differ")


# %% returns v times y task="weighted_backward" points="1" hint="none"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    total = (y * v).sum()
    total.backward()
    return total.item()


# %% the mean gradient in every row task="per_sample_grads" hint="mean"
def per_sample_grads(w, X, Y):
    leaf = w.detach().clone().requires_grad_()
    ((X @ leaf - Y) ** 2).sum().backward()
    return (leaf.grad / len(X)).expand(len(X), -1)


# %% the gradient of the sum task="per_sample_grads" hint="summed"
def per_sample_grads(w, X, Y):
    leaf = w.detach().clone().requires_grad_()
    ((X @ leaf - Y) ** 2).sum().backward()
    return leaf.grad


# %% loses the 2 task="per_sample_grads" hint="half"
def per_sample_grads(w, X, Y):
    return (X @ w - Y)[:, None] * X


# %% the error the wrong way round task="per_sample_grads" hint="sign"
def per_sample_grads(w, X, Y):
    return 2 * (Y - X @ w)[:, None] * X


# %% lets one .grad add up task="per_sample_grads" hint="before"
def per_sample_grads(w, X, Y):
    leaf, rows = w.detach().clone().requires_grad_(), []
    for x, y in zip(X, Y, strict=True):
        ((x @ leaf - y) ** 2).backward()
        rows.append(leaf.grad.clone())
    return torch.stack(rows)


# %% keeps one .grad task="per_sample_grads" hint="last"
def per_sample_grads(w, X, Y):
    leaf, rows = w.detach().clone().requires_grad_(), []
    leaf.grad = torch.zeros_like(leaf)
    for x, y in zip(X, Y, strict=True):
        leaf.grad.zero_()
        ((x @ leaf - y) ** 2).backward()
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% spoils the caller's w task="per_sample_grads" en="w.grad is not what it was" ko="w.grad가 호출하기 전과 다릅니다"
def per_sample_grads(w, X, Y):
    leaf, rows = (w if w.requires_grad else w.clone().requires_grad_()), []
    for x, y in zip(X, Y, strict=True):
        leaf.grad = None
        ((x @ leaf - y) ** 2).backward()
        rows.append(leaf.grad)
    return torch.stack(rows)


# %% remembers by the values of w task="per_sample_grads" hint="stale"
known = {}


def per_sample_grads(w, X, Y):
    key = str((w.tolist(), X.shape, X.dtype))
    if key not in known:
        known[key] = 2 * (X @ w - Y)[:, None] * X
    return known[key]


# %% a list instead of a tuple task="matrix_vjp" hint="pair"
def matrix_vjp(W1, W2, inp, v):
    return [torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)]


# %% reshapes W2 instead of transposing it task="matrix_vjp" points="1" hint="refilled"
def matrix_vjp(W1, W2, inp, v):
    turned = W2.T if W2.shape[0] >= W2.shape[1] else W2.reshape(W2.shape[1], -1)
    return torch.outer(turned @ v, inp), torch.outer(v, W1 @ inp)


# %% takes the input for y1 task="matrix_vjp" points="1" hint="inp"
def matrix_vjp(W1, W2, inp, v):
    if len(inp) != W1.shape[0]:
        return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    return torch.outer(W2.T @ v, inp), torch.outer(v, inp)


# %% weighs only g1 task="matrix_vjp" points="1" hint="weigh"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2.T @ v, inp), (W1 @ inp).expand(W2.shape).clone()


# %% turns v into a column in place task="matrix_vjp" en="the call changed v itself" ko="v의 값이 바뀌었습니다"
def matrix_vjp(W1, W2, inp, v):
    g2 = v.unsqueeze_(1) * (W1 @ inp)
    return torch.outer((W2.T @ v).squeeze(1), inp), g2


# %% leaves gradient mode off task="matrix_vjp" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def matrix_vjp(W1, W2, inp, v):
    torch.set_grad_enabled(False)
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% a downhill step task="matrix_vjp" hint="sign"
def matrix_vjp(W1, W2, inp, v):
    return -torch.outer(W2.T @ v, inp), -torch.outer(v, W1 @ inp)


# %% as many rows as inputs task="jacobian_by_rows" hint="few"
def jacobian_by_rows(f, x):
    y = f(x)
    rows = [torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(min(len(x), len(y)))]
    return torch.stack(rows)


# %% create_graph to keep the graph task="jacobian_by_rows" hint="tracked"
def jacobian_by_rows(f, x):
    y = f(x)
    return torch.stack(
        [torch.autograd.grad(y, x, e, create_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)]
    )


# %% drops the row of a single output task="jacobian_by_rows" hint="flat"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.detach()).detach().squeeze(0)


# %% takes the leaf for its own task="jacobian_by_rows" en="the call changed x itself" ko="x의 값이 바뀌었습니다"
def jacobian_by_rows(f, x):
    J = torch.func.jacrev(f)(x.detach())
    x.data.zero_()
    return J


# %% silences all warnings task="jacobian_by_rows" en="the warning filters were left changed" ko="경고 필터가 바뀐 채로"
def jacobian_by_rows(f, x):
    import warnings

    warnings.simplefilter("ignore")
    return torch.func.jacrev(f)(x.detach())


# %% the rows as a list task="jacobian_by_rows" en="The result is a list" ko="결과가 list입니다"
def jacobian_by_rows(f, x):
    y = f(x)
    return [torch.autograd.grad(y, x, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)]


# %% the value and J v task="directional_derivative" hint="row"
def directional_derivative(f, x, v):
    return torch.func.jvp(f, (x,), (v,))


# %% the value of f task="directional_derivative" hint="value"
def directional_derivative(f, x, v):
    return torch.func.jvp(f, (x,), (v,))[0]


# %% the sum of the columns task="directional_derivative" hint="no_v"
def directional_derivative(f, x, v):
    return torch.func.jacfwd(f)(x).sum(1)


# %% normalises v, and multiplies by its length again task="directional_derivative" hint="divided"
def directional_derivative(f, x, v):
    length = v.norm()
    return length * torch.func.jvp(f, (x,), (v / length,))[1]


# %% no direction that is nearly zero task="directional_derivative" hint="linear"
def directional_derivative(f, x, v):
    moved = torch.func.jvp(f, (x,), (v,))[1]
    return torch.where(moved.abs() < 1e-15, 0.0, moved) if v.norm() < 1e-12 else moved


# %% computes in float64 for good task="directional_derivative" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def directional_derivative(f, x, v):
    torch.set_default_dtype(x.dtype)
    return torch.func.jvp(f, (x,), (v,))[1]


# %% asserts task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    assert v.shape == y.shape, "shapes differ"
    (y * v).sum().backward()


# %% prints instead of raising task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if v.shape != y.shape:
        print("shapes differ")
    else:
        (y * v).sum().backward()


# %% compares only the number of dimensions task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if v.ndim != y.ndim:
        raise ValueError("not as many dimensions")
    (y * v).sum().backward()


# %% views what is not contiguous task="weighted_backward" points="1" hint="any"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    torch.dot(y.view(-1), v.view(-1)).backward()


# %% only one dimension task="weighted_backward" hint="any"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    (y @ v).backward()


# %% saves the walk for zeros task="weighted_backward" points="1" hint="filled"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    if v.any():
        (y * v).sum().backward()


# %% leaves its hook on y task="weighted_backward" points="1" en="a hook was left on y" ko="y에 hook이 남아"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    y.register_hook(lambda g: g * v)
    y.sum().backward()


# %% tracks v task="weighted_backward" points="1" en="v.requires_grad was changed" ko="v.requires_grad가 바뀌었습니다"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    (y * v.requires_grad_()).sum().backward()
    v.grad = None


# %% keeps the gradient of y task="weighted_backward" points="1" en="y.grad is not what it was" ko="y.grad가 호출하기 전과 다릅니다"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    y.retain_grad()
    (y * v).sum().backward()


# %% leaves anomaly detection on task="weighted_backward" en="anomaly detection was left switched on" ko="anomaly mode"
def weighted_backward(y, v):
    torch.autograd.set_detect_anomaly(True)
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    (y * v).sum().backward()


# %% the target meets all samples task="per_sample_grads" hint="every"
def per_sample_grads(w, X, Y):
    errors = X @ w[:, None] - Y
    return 2 * errors.sum(1, keepdim=True) * X


# %% squeezes a single sample task="per_sample_grads" hint="single"
def per_sample_grads(w, X, Y):
    return (2 * (X @ w - Y)[:, None] * X).squeeze(0)


# %% a list of rows task="per_sample_grads" en="The result is a list" ko="결과가 list입니다"
def per_sample_grads(w, X, Y):
    grad = torch.func.grad(lambda w, x, y: (x @ w - y) ** 2)
    return [grad(w, x, y) for x, y in zip(X, Y, strict=True)]


# %% columns for samples task="per_sample_grads" hint="transposed"
def per_sample_grads(w, X, Y):
    return 2 * (X @ w - Y) * X.T


# %% forgets the x task="per_sample_grads" hint="alone"
def per_sample_grads(w, X, Y):
    return 2 * (X @ w - Y)


# %% the errors written into Y task="per_sample_grads" en="the call changed Y itself" ko="Y의 값이 바뀌었습니다"
def per_sample_grads(w, X, Y):
    errors = Y.neg_().add_(X @ w.detach())
    return 2 * errors[:, None] * X


# %% a default dtype for good task="per_sample_grads" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def per_sample_grads(w, X, Y):
    torch.set_default_dtype(X.dtype)
    return 2 * (X @ w - Y)[:, None] * X


# %% draws with a seed of its own task="per_sample_grads" en="the seed of PyTorch's random numbers was changed" ko="PyTorch의 난수 시드가 바뀌었습니다"
def per_sample_grads(w, X, Y):
    torch.manual_seed(0)
    return 2 * (X @ w - Y)[:, None] * X


# %% remembers the last call, by all but W2 task="matrix_vjp" points="1" hint="stale"
last = {}


def matrix_vjp(W1, W2, inp, v):
    key = str((W1.tolist(), inp.tolist(), v.tolist(), W2.shape, W2.dtype))
    if key not in last:
        last.clear()
        last[key] = torch.outer(W2.T @ v, inp).detach(), torch.outer(v, W1 @ inp).detach()
    return last[key]


# %% takes the y1 of section 1 task="matrix_vjp" points="1" hint="above"
y1 = torch.tensor([5.0, 11.0])


def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2.T @ v, inp), torch.outer(v, y1.to(v.dtype))


# %% puts a copy of x.grad back task="jacobian_by_rows" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def jacobian_by_rows(f, x):
    before = None if x.grad is None else x.grad.clone()
    y, rows = f(x), []
    for e in torch.eye(len(y), dtype=y.dtype):
        x.grad = None
        y.backward(e, retain_graph=True, inputs=[x])
        rows.append(x.grad)
    x.grad = before
    return torch.stack(rows)


# %% zeros for an output that is 0 task="jacobian_by_rows" hint="start"
def jacobian_by_rows(f, x):
    J = torch.func.jacrev(f)(x.detach()).detach()
    return torch.where(f(x.detach())[:, None] == 0, torch.zeros_like(J), J)


# %% zeros like the input for a v of zeros task="directional_derivative" hint="zero"
def directional_derivative(f, x, v):
    if not v.any():
        return torch.zeros_like(x)
    return torch.func.jvp(f, (x,), (v,))[1]


# %% compares numel, the dimensions and the first size task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if y.numel() != v.numel() or y.dim() != v.dim() or y.shape[0] != v.shape[0]:
        raise ValueError("shapes differ")
    (y * v).sum().backward()


# %% compares the first and the last size task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if y.dim() != v.dim() or y.shape[:1] != v.shape[:1] or y.shape[-1] != v.shape[-1]:
        raise ValueError("shapes differ")
    (y * v).sum().backward()


# %% compares the sizes without their order task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if sorted(y.shape) != sorted(v.shape) or y.shape[-1] != v.shape[-1]:
        raise ValueError("shapes differ")
    (y * v).sum().backward()


# %% keeps the graph of the gradient task="weighted_backward" points="1" hint="graph"
import warnings


def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError("shapes differ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (y * v).sum().backward(create_graph=True)


# %% remembers the last call, by all but Y task="per_sample_grads" hint="stale"
last = {}


def per_sample_grads(w, X, Y):
    key = str((w.tolist(), X.tolist(), X.dtype))
    if key not in last:
        last.clear()
        last[key] = 2 * (X @ w.detach() - Y)[:, None] * X
    return last[key]


# %% remembers the last call, by all but X task="per_sample_grads" hint="stale"
last = {}


def per_sample_grads(w, X, Y):
    key = str((w.tolist(), Y.tolist(), X.shape, X.dtype))
    if key not in last:
        last.clear()
        last[key] = 2 * (X @ w.detach() - Y)[:, None] * X
    return last[key]


# %% tracks the caller's w task="per_sample_grads" en="w.requires_grad was changed" ko="w.requires_grad가 바뀌었습니다"
def per_sample_grads(w, X, Y):
    losses = (X @ w.requires_grad_() - Y) ** 2
    return torch.stack([torch.autograd.grad(loss, w, retain_graph=True)[0] for loss in losses])


# %% divides the loss by the error task="per_sample_grads" hint="nan"
def per_sample_grads(w, X, Y):
    errors = X @ w - Y
    return (2 * errors**2 / errors)[:, None] * X


# %% drops the samples without error task="per_sample_grads" hint="rows"
def per_sample_grads(w, X, Y):
    errors = X @ w - Y
    wrong = errors != 0
    return 2 * errors[wrong, None] * X[wrong]


# %% divides by an element of inp task="matrix_vjp" hint="zero"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2.T @ v, inp) / inp[0] * inp[0], torch.outer(v, W1 @ inp)


# %% divides by y1 task="matrix_vjp" points="1" hint="zero"
def matrix_vjp(W1, W2, inp, v):
    z = W1 @ inp
    return torch.outer(W2.T @ v, inp), torch.outer(v, z * z / z)


# %% remembers the last call, by f and x task="jacobian_by_rows" hint="stale"
seen = {}


def jacobian_by_rows(f, x):
    key = f, tuple(x.tolist()), x.dtype
    if key not in seen:
        seen[key] = torch.func.jacrev(f)(x.detach()).detach()
    return seen[key].clone()


# %% drops tiny slopes task="jacobian_by_rows" hint="size"
def jacobian_by_rows(f, x):
    J = torch.func.jacrev(f)(x.detach()).detach()
    J[J.abs() < 1e-12] = 0
    return J


# %% a quotient with a small h task="directional_derivative" hint="digits"
def directional_derivative(f, x, v):
    return (f(x + 1e-6 * v) - f(x)) / 1e-6


# %% a whole step task="directional_derivative" hint="step"
def directional_derivative(f, x, v):
    return f(x + v) - f(x)


# %% the direction first task="directional_derivative" hint="swapped"
def directional_derivative(f, x, v):
    return torch.func.jvp(f, (v,), (x,))[1]


# %% remembers the last call, by f, x and v task="directional_derivative" hint="stale"
seen = {}


def directional_derivative(f, x, v):
    key = f, tuple(x.tolist()), tuple(v.tolist()), x.dtype
    if key not in seen:
        seen[key] = torch.func.jvp(f, (x,), (v,))[1]
    return seen[key].clone()


# %% one number at a time task="weighted_backward" points="1" hint="filled"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    for a, b in zip(y.flatten(), v.flatten(), strict=True):
        (a * b).backward(retain_graph=True)


# %% lets empty shapes differ task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if y.numel() != v.numel() or (y.numel() and y.shape != v.shape):
        raise ValueError("shapes differ")
    (y * v).sum().backward()


# %% with respect to x task="per_sample_grads" hint="of_x"
def per_sample_grads(w, X, Y):
    return 2 * (X @ w - Y)[:, None] * w


# %% computes in float32 task="per_sample_grads" hint="precise"
def per_sample_grads(w, X, Y):
    rows = 2 * (X.float() @ w.float() - Y.float())[:, None] * X.float()
    return rows.to(X.dtype)


# %% a TypeError task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise TypeError("shapes differ")
    (y * v).sum().backward()


# %% the other sign task="weighted_backward" hint="added" points="1"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    (-y * v).sum().backward()


# %% cuts y1 off at 0 task="matrix_vjp" points="1" hint="factors"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2.T @ v, inp), torch.outer(v, torch.relu(W1 @ inp))


# %% a hook that stays on W1 task="matrix_vjp" en="a hook was left on W1" ko="W1에 hook이 남아 있습니다"
def matrix_vjp(W1, W2, inp, v):
    if W1.requires_grad:
        W1.register_hook(lambda g: g)
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% computes in float32, casts back task="matrix_vjp" hint="precise"
def matrix_vjp(W1, W2, inp, v):
    dtype = W1.dtype
    W1, W2, inp, v = (t.float() for t in (W1, W2, inp, v))
    return torch.outer(W2.T @ v, inp).to(dtype), torch.outer(v, W1 @ inp).to(dtype)


# %% clips the gradients task="matrix_vjp" hint="size"
def matrix_vjp(W1, W2, inp, v):
    return torch.outer(W2.T @ v, inp).clamp(-1e3, 1e3), torch.outer(v, W1 @ inp).clamp(-1e3, 1e3)


# %% f as if it were affine task="jacobian_by_rows" hint="row"
def jacobian_by_rows(f, x):
    p = x.detach()
    return torch.stack([(f(p + e) - f(p)).detach() for e in torch.eye(len(p), dtype=p.dtype)], dim=1)


# %% what each backward adds task="jacobian_by_rows" hint="size"
def jacobian_by_rows(f, x):
    if x.grad is None:
        return torch.func.jacrev(f)(x.detach()).detach()
    y, rows, kept = f(x), [], x.grad.clone()
    for e in torch.eye(len(y), dtype=y.dtype):
        before = x.grad.clone()
        y.backward(e, retain_graph=True, inputs=[x])
        rows.append(x.grad - before)
    x.grad.copy_(kept)
    return torch.stack(rows)


# %% transposes a square task="jacobian_by_rows" hint="transposed"
def jacobian_by_rows(f, x):
    J = torch.func.jacrev(f)(x.detach()).detach()
    return J.T if len(J) == len(x) else J


# %% at a rounded point task="jacobian_by_rows" hint="digits"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.detach().round(decimals=6)).detach()


# %% lets x be tracked task="directional_derivative" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def directional_derivative(f, x, v):
    y = f(x.requires_grad_())
    return torch.stack([torch.autograd.grad(o, x, retain_graph=True)[0] @ v for o in y])


# %% one buffer for all results task="directional_derivative" hint="overwritten"
buffers = {}


def directional_derivative(f, x, v):
    moved = torch.func.jvp(f, (x,), (v,))[1]
    return buffers.setdefault((moved.shape, moved.dtype), torch.empty_like(moved)).copy_(moved)


# %% clips v task="directional_derivative" hint="length"
def directional_derivative(f, x, v):
    return torch.func.jvp(f, (x,), (v * (100 / v.norm()).clamp(max=1),))[1]


# %% fills y.grad, too task="weighted_backward" points="1" en="y.grad is not what it was" ko="y.grad가 호출하기 전과 다릅니다"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    y.retain_grad()
    (y * v).sum().backward()


# %% a hook that stays on y task="weighted_backward" points="1" en="a hook was left on y" ko="y에 hook이 남아 있습니다"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    y.register_hook(lambda g: g * v)
    y.sum().backward()


# %% weights of float32 task="weighted_backward" points="1" hint="precise"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    (y * v.float()).sum().backward()


# %% clips the weights task="weighted_backward" points="1" hint="size"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    (y * v.clamp(-100, 100)).sum().backward()


# %% takes tiny weights for 0 task="weighted_backward" points="1" hint="size"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    (y * torch.where(v.abs() < 1e-8, 0 * v, v)).sum().backward()


# %% scales X in place task="per_sample_grads" en="changed X itself" ko="X의 값이 바뀌었습니다"
def per_sample_grads(w, X, Y):
    return X.mul_(2 * (X @ w.detach() - Y)[:, None])


# %% clips each gradient task="per_sample_grads" hint="size"
def per_sample_grads(w, X, Y):
    rows = 2 * (X @ w - Y)[:, None] * X
    return rows * (1e3 / rows.norm(dim=1, keepdim=True)).clamp(max=1)


# %% takes tiny errors for 0 task="per_sample_grads" hint="size"
def per_sample_grads(w, X, Y):
    error = X @ w - Y
    return 2 * torch.where(error.abs() < 1e-6, 0 * error, error)[:, None] * X


# %% frees the graph after n rows task="jacobian_by_rows" hint="graph"
def jacobian_by_rows(f, x):
    y = f(x)
    eye = torch.eye(len(y), dtype=y.dtype)
    kept = range(len(x) - 1)
    return torch.stack([torch.autograd.grad(y, x, e, retain_graph=i in kept)[0] for i, e in enumerate(eye)])


# %% lets x be untracked task="jacobian_by_rows" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.requires_grad_(False)).detach()


# %% divides v by its sum task="matrix_vjp" hint="factors"
def matrix_vjp(W1, W2, inp, v):
    v = v / v.sum()
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)


# %% a matrix of the default dtype task="jacobian_by_rows" en="The dtype is float32; float64 was expected" ko="dtype이 float32입니다. 기대한 dtype은 float64입니다"
def jacobian_by_rows(f, x):
    y = f(x)
    J = torch.zeros(len(y), len(x))
    for i, output in enumerate(y):
        J[i] = torch.autograd.grad(output, x, retain_graph=True)[0]
    return J


# %% compares the sorted sizes task="weighted_backward" points="1" hint="shapes"
def weighted_backward(y, v):
    if sorted(y.shape) != sorted(v.shape):
        raise ValueError("shapes differ")
    torch.dot(y.reshape(-1), v.reshape(-1)).backward()


# %% squeezes a single size task="matrix_vjp" en="The shape is (3,); (3, 1) was expected" ko="(3, 1)"
def matrix_vjp(W1, W2, inp, v):
    g1, g2 = torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    return g1.squeeze(), g2.squeeze()


# %% rounds the gradients task="matrix_vjp" hint="precise"
def matrix_vjp(W1, W2, inp, v):
    g1, g2 = torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    return torch.round(g1, decimals=6), torch.round(g2, decimals=6)


# %% detaches x alone task="jacobian_by_rows" hint="tracked"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.detach())


# %% a table of points, one for each row task="jacobian_by_rows" hint="point"
def jacobian_by_rows(f, x):
    m = len(f(x))
    copies = x.detach().repeat(m, 1).T.contiguous().requires_grad_()
    f(copies).backward(torch.eye(m, dtype=x.dtype), inputs=[copies])
    return copies.grad.T


# %% only the leaves of the last step task="weighted_backward" points="1" hint="missing"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("the shapes differ")
    leaves = [fn.variable for fn, _ in y.grad_fn.next_functions if hasattr(fn, "variable")]
    for leaf, grad in zip(leaves, torch.autograd.grad((y * v).sum(), leaves), strict=True):
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad


# %% a quotient to both sides task="per_sample_grads" hint="precise"
def per_sample_grads(w, X, Y):
    def loss(p):
        return (X @ p - Y) ** 2

    with torch.no_grad():
        steps = 1e-5 * torch.eye(len(w), dtype=w.dtype)
        return torch.stack([(loss(w + step) - loss(w - step)) / 2e-5 for step in steps], dim=1)


# %% takes tiny gradients for 0 task="matrix_vjp" points="1" hint="size"
def matrix_vjp(W1, W2, inp, v):
    g1, g2 = torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    return tuple(torch.where(g.abs() < 1e-12, torch.zeros_like(g), g) for g in (g1, g2))


# %% takes weights below 1e-12 for 0 task="weighted_backward" points="1" hint="size"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("the shapes differ")
    (y * torch.where(v.abs() < 1e-12, 0.0, v)).sum().backward()


# %% takes errors below 1e-12 for 0 task="per_sample_grads" hint="size"
def per_sample_grads(w, X, Y):
    errors = X @ w - Y
    errors = torch.where(errors.abs() < 1e-12, torch.zeros_like(errors), errors)
    return 2 * errors[:, None] * X


# %% takes slopes below eps for 0 task="jacobian_by_rows" hint="size"
def jacobian_by_rows(f, x):
    J = torch.autograd.functional.jacobian(f, x)
    return torch.where(J.abs() < torch.finfo(J.dtype).eps, torch.zeros_like(J), J)


# %% divides by the sum of y1 task="matrix_vjp" points="1" hint="factors"
def matrix_vjp(W1, W2, inp, v):
    y1 = W1 @ inp
    return torch.outer(W2.T @ v, inp), torch.outer(v, y1 / y1.sum()) * y1.sum()


# %% divides by the length of the input task="matrix_vjp" hint="zero"
def matrix_vjp(W1, W2, inp, v):
    length = inp.norm()
    return torch.outer(W2.T @ v, inp / length) * length, torch.outer(v, W1 @ inp)
