# Right answers to the tasks of lesson 5, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% columns times rows task="matrix_vjp"
def matrix_vjp(W1, W2, inp, v):
    g1 = (v @ W2)[:, None] * inp[None, :]
    g2 = v[:, None] @ (W1 @ inp)[None, :]
    return g1, g2


# %% on copies, with autograd task="matrix_vjp"
def matrix_vjp(W1, W2, inp, v):
    A, B = W1.detach().clone().requires_grad_(), W2.detach().clone().requires_grad_()
    (B @ (A @ inp.detach())).backward(v.detach())
    return A.grad, B.grad


# %% einsum, without tracking task="matrix_vjp"
@torch.no_grad()
def matrix_vjp(W1, W2, inp, v):
    return torch.einsum("m,mk,n->kn", v, W2, inp), torch.einsum("m,kn,n->mk", v, W1, inp)


# %% jacrev task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    return torch.func.jacrev(f)(x.detach()).detach()


# %% jacfwd task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    return torch.func.jacfwd(f)(x.detach()).detach()


# %% backward on a leaf of its own task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    leaf = x.detach().clone().requires_grad_()
    rows = []
    for i in range(len(f(leaf))):
        leaf.grad = None
        f(leaf)[i].backward(inputs=[leaf]) if f(leaf)[i].requires_grad else None
        rows.append(torch.zeros_like(leaf) if leaf.grad is None else leaf.grad)
    return torch.stack(rows)


# %% all rows at once task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    y = f(x)
    return torch.autograd.grad(y, x, torch.eye(len(y), dtype=y.dtype), is_grads_batched=True)[0]


# %% the library's own task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    return torch.autograd.functional.jacobian(f, x)


# %% the Jacobian times v task="directional_derivative"
def directional_derivative(f, x, v):
    return torch.func.jacrev(f)(x) @ v


# %% row by row task="directional_derivative"
def directional_derivative(f, x, v):
    leaf = x.clone().requires_grad_()
    y = f(leaf)
    rows = [torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)]
    return torch.stack([row @ v for row in rows])


# %% dual numbers task="directional_derivative"
def directional_derivative(f, x, v):
    import torch.autograd.forward_ad as forward

    with forward.dual_level():
        moved = forward.unpack_dual(f(forward.make_dual(x.clone(), v))).tangent
    return moved.clone()


# %% backward of backward task="directional_derivative"
def directional_derivative(f, x, v):
    return torch.autograd.functional.jvp(f, x, v)[1]


# %% along the line x + t v task="directional_derivative"
def directional_derivative(f, x, v):
    start = torch.zeros((), dtype=x.dtype)
    return torch.func.jacfwd(lambda t: f(x + t * v))(start)


# %% a product of vectors task="weighted_backward"
def weighted_backward(y, v):
    if tuple(y.shape) != tuple(v.shape):
        raise ValueError("v must have the shape of y")
    torch.dot(y.reshape(-1), v.reshape(-1)).backward()


# %% PyTorch's own check, renamed task="weighted_backward"
def weighted_backward(y, v):
    try:
        torch.autograd.backward([y], [v])
    except RuntimeError as error:
        raise ValueError(str(error)) from error


# %% weighs each number task="weighted_backward"
def weighted_backward(y, v):
    if y.size() != v.size():
        raise ValueError(f"{y.size()} and {v.size()}")
    total = torch.mul(y, v).flatten().sum(dim=0)
    return torch.autograd.backward(total)


# %% a hook for a while task="weighted_backward"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("no broadcasting here")
    same = y.view_as(y)
    handle = same.register_hook(lambda g: g * v)
    same.sum().backward()
    handle.remove()


# %% the formula task="per_sample_grads"
def per_sample_grads(w, X, Y):
    return 2 * X * (X @ w - Y).unsqueeze(1)


# %% a loop over samples task="per_sample_grads"
def per_sample_grads(w, X, Y):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for x, y in zip(X, Y, strict=True):
        (row,) = torch.autograd.grad((torch.dot(x, leaf) - y).square(), leaf)
        rows.append(row)
    return torch.stack(rows)


# %% the Jacobian of the losses task="per_sample_grads"
def per_sample_grads(w, X, Y):
    return torch.func.jacrev(lambda w: (X @ w - Y) ** 2)(w.detach())


# %% a copy of w for each sample task="per_sample_grads"
def per_sample_grads(w, X, Y):
    copies = w.detach().repeat(len(X), 1).requires_grad_()
    torch.nn.functional.mse_loss((copies * X).sum(dim=1), Y, reduction="sum").backward()
    return copies.grad


# %% sums over the weights of y2 task="matrix_vjp"
def matrix_vjp(W1, W2, inp, v):
    y1 = torch.mv(W1, inp)
    reaches_y1 = (v.unsqueeze(1) * W2).sum(dim=0)
    return reaches_y1.reshape(-1, 1) * inp.reshape(1, -1), v.reshape(-1, 1) * y1.reshape(1, -1)


# %% entry by entry task="matrix_vjp"
def matrix_vjp(W1, W2, inp, v):
    g1, g2, y1 = torch.zeros_like(W1.detach()), torch.zeros_like(W2.detach()), (W1 @ inp).detach()
    for a in range(len(v)):
        g2[a] = v[a].detach() * y1
        for b in range(len(y1)):
            g1[b] += v[a].detach() * W2[a, b].detach() * inp.detach()
    return g1, g2


# %% with warnings switched off, for the call task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = f(x)
        rows = [
            torch.autograd.grad(number, x, retain_graph=True, allow_unused=True)[0] for number in y.unbind()
        ]
    return torch.stack([torch.zeros_like(x) if row is None else row for row in rows]).detach()


# %% pushed to the right twice task="directional_derivative"
def directional_derivative(f, x, v):
    _, pull_back = torch.func.vjp(f, x)
    m = f(x).shape
    return torch.func.vjp(lambda u: pull_back(u)[0], torch.zeros(m, dtype=x.dtype))[1](v)[0]


# %% watched by anomaly mode, for the call task="weighted_backward"
def weighted_backward(y, v):
    if v.shape != y.shape:
        raise ValueError(f"expected {tuple(y.shape)}, got {tuple(v.shape)}")
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        torch.einsum("i,i->", y.flatten(), v.flatten()).backward()


# %% row after row into a matrix task="per_sample_grads"
def per_sample_grads(w, X, Y):
    G = torch.empty(X.shape, dtype=X.dtype)
    for i in range(len(Y)):
        G[i] = 2 * (X[i].dot(w.detach()) - Y[i]) * X[i]
    return G


# %% a ValueError of its own kind task="weighted_backward"
class ShapeError(ValueError):
    pass


def weighted_backward(y, v):
    if list(y.shape) != list(v.shape):
        raise ShapeError(f"{list(y.shape)} is not {list(v.shape)}")
    (v * y).sum().backward()


# %% rows of products, transposed tensors and all task="per_sample_grads"
def per_sample_grads(w, X, Y):
    with torch.no_grad():
        return torch.stack([2 * (x @ w - y) * x for x, y in zip(X.unbind(), Y.unbind(), strict=True)])


# %% sets .grad aside and puts it back task="jacobian_by_rows"
def jacobian_by_rows(f, x):
    kept, y, rows = x.grad, f(x), []
    for e in torch.eye(len(y), dtype=y.dtype):
        x.grad = None
        y.backward(e, retain_graph=True, inputs=[x])
        rows.append(x.grad)
    x.grad = kept
    return torch.stack(rows)


# %% walks the graph, with a new tensor for .grad task="weighted_backward"
def weighted_backward(y, v):
    if y.shape != v.shape:
        raise ValueError("shapes differ")
    nodes = [y.grad_fn]
    for node in nodes:
        nodes += [n for n, _ in node.next_functions if n is not None and n not in nodes]
    leaves = [node.variable for node in nodes if hasattr(node, "variable")]
    for leaf, g in zip(leaves, torch.autograd.grad(y, leaves, v), strict=True):
        leaf.grad = g if leaf.grad is None else leaf.grad + g


# %% a length that overflows task="directional_derivative"
def directional_derivative(f, x, v):
    length = v.norm() if v.abs().max() > 1e-100 else 1.0
    return torch.func.jvp(f, (x,), (v / length,))[1] * length
