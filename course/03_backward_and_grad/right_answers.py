# Right answers to the tasks of lesson 3, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% backward on a leaf of its own task="fresh_grad"
def fresh_grad(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).sum().backward(inputs=[leaf])
    return leaf.grad


# %% puts the buffer back task="fresh_grad"
def fresh_grad(f, x):
    held, x.grad = x.grad, None
    y = f(x)
    y.backward(torch.ones_like(y), inputs=x)
    found, x.grad = x.grad, held
    return found


# %% torch.func task="fresh_grad"
def fresh_grad(f, x):
    return torch.func.grad(lambda t: f(t).sum())(x.detach()).detach()


# %% weighs the outputs with ones task="fresh_grad"
def fresh_grad(f, x):
    y = f(x)
    return torch.autograd.grad([y], [x], grad_outputs=[torch.ones_like(y)], retain_graph=True)[0].clone()


# %% asks with a retained copy task="fresh_grad"
def fresh_grad(f, x):
    copy = x.detach().clone().requires_grad_() * 1
    copy.retain_grad()
    f(copy).sum().backward(inputs=[copy])
    return copy.grad.detach()


# %% anomaly detection switched on and off again task="fresh_grad"
def fresh_grad(f, x):
    with torch.autograd.set_detect_anomaly(True):
        return torch.autograd.grad(outputs=f(x).sum(), inputs=x)[0].clone()


# %% by way of a list, with the shape task="fresh_grad"
def fresh_grad(f, x):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype).reshape(x.shape).requires_grad_()
    return torch.autograd.grad(f(leaf).sum(), leaf)[0]


# %% torch.func, and the data of its result task="fresh_grad"
def fresh_grad(f, x):
    gradient = torch.func.grad(lambda t: f(t).sum())(x.detach())
    return gradient.data


# %% copies by way of numpy task="grad_history"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(torch.from_numpy(x.grad.numpy().copy()))
    return history


# %% adds the gradients itself task="grad_history"
def grad_history(fs, x):
    history = []
    for f in fs:
        (gradient,) = torch.autograd.grad(f(x), x)
        history.append(gradient + history[-1] if history else gradient)
    x.grad = history[-1].clone() if history else None
    return history


# %% a comprehension and a deep copy task="grad_history"
def grad_history(fs, x):
    from copy import deepcopy

    def after(f):
        f(x).backward()
        return deepcopy(x.grad)

    return [after(f) for f in fs]


# %% a sum makes the copy task="grad_history"
def grad_history(fs, x):
    values = []
    for f in fs:
        torch.autograd.backward(f(x))
        values += [x.grad.detach() + 0]
    return values


# %% new tensors by a list task="grad_history"
def grad_history(fs, x):
    history = [torch.zeros_like(x)]
    for f in list(fs):
        f(x).backward()
        history.append(torch.empty_like(x).detach().copy_(x.grad))
    return history[1:]


# %% the optimizer steps and resets task="train5"
def train5(w0, lr, zero):
    w = torch.nn.Parameter(torch.as_tensor(w0, dtype=torch.float64))
    optimizer = torch.optim.SGD([w], lr=lr)
    norms = []
    for _ in range(5):
        if zero:
            optimizer.zero_grad(set_to_none=False)
        w.square().backward()
        optimizer.step()
        norms.append(w.detach().norm().item())
    return norms


# %% plain numbers task="train5"
def train5(w0, lr, zero):
    w, buffer, norms = w0, 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w = w - lr * buffer
        norms.append(float(abs(w)))
    return norms


# %% a new leaf each step that inherits the buffer task="train5"
def train5(w0, lr, zero):
    w = torch.tensor([float(w0)], dtype=torch.float64).requires_grad_()
    norms = []
    for _ in range(5):
        (w * w).sum().backward()
        held = w.grad
        w = (w.detach() - lr * held).requires_grad_()
        w.grad = None if zero else held
        norms.append(torch.linalg.vector_norm(w.detach()).item())
    return norms


# %% empties after the step task="train5"
def train5(w0, lr, zero):
    w = torch.tensor(w0, dtype=torch.double, requires_grad=True)
    norms = []
    while len(norms) < 5:
        (w * w).backward()
        w.data.sub_(w.grad, alpha=lr)
        norms.append(float(w.detach().abs()))
        if zero:
            w.grad.zero_()
    return norms


# %% sums divided by the number of elements task="accumulate"
def accumulate(model, batches):
    elements = sum(Y.numel() for _, Y in batches)
    for X, Y in batches:
        loss = torch.nn.functional.mse_loss(model(X), Y, reduction="sum")
        loss.backward(torch.tensor(1 / elements, dtype=loss.dtype))


# %% scales the buffers at the end task="accumulate"
def accumulate(model, batches):
    rows = 0
    for X, Y in batches:
        rows += X.shape[0]
        ((model(X) - Y) ** 2).sum(0).mean().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad /= rows


# %% returned gradients, added by hand task="accumulate"
def accumulate(model, batches):
    tracked = [p for p in model.parameters() if p.requires_grad]
    total = sum(X.size(0) for X, Y in batches)
    for X, Y in reversed(batches):
        loss = torch.nn.MSELoss()(model(X), Y)
        for p, g in zip(tracked, torch.autograd.grad(loss, tracked), strict=True):
            share = g * (X.size(0) / total)
            p.grad = share if p.grad is None else p.grad + share


# %% rescales while it goes task="accumulate"
def accumulate(model, batches):
    rows = 0
    for X, Y in batches:
        rows += len(Y)
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad *= 1 - len(Y) / rows
        (torch.nn.functional.mse_loss(model(X), Y) * (len(Y) / rows)).backward()


# %% weights that are a float64 tensor task="accumulate"
def accumulate(model, batches):
    sizes = torch.tensor([len(X) for X, _ in batches], dtype=torch.float64)
    for (X, Y), share in zip(batches, sizes / sizes.sum(), strict=True):
        loss = torch.nn.functional.mse_loss(model(X), Y)
        loss.backward(gradient=share.to(loss.dtype))


# %% autograd.grad for all three task="all_grads"
def all_grads(x0):
    x = torch.scalar_tensor(x0, dtype=torch.float64).requires_grad_()
    y = x.pow(3)
    z = y.log()
    return tuple(g.item() for g in torch.autograd.grad(z, (x, y, z)))


# %% hooks task="all_grads"
def all_grads(x0):
    found = {}
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = y.log()
    for name, tensor in (("x", x), ("y", y), ("z", z)):
        tensor.register_hook(lambda g, name=name: found.update({name: g.item()}))
    z.backward()
    return found["x"], found["y"], found["z"]


# %% warnings caught and put back task="all_grads"
def all_grads(x0):
    import warnings

    x = torch.tensor([x0], dtype=torch.float64, requires_grad=True)
    y = x * x * x
    z = torch.log(y).sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tensor in (y, z):
            tensor.retain_grad()
        z.backward()
    return tuple(tensor.grad.sum().item() for tensor in (x, y, z))


# %% the pieces from last to first, and the losses for a log task="accumulate"
def accumulate(model, batches):
    elements, losses = sum(Y.numel() for _, Y in batches), []
    for X, Y in reversed(batches):
        losses.append(torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements)
        losses[-1].backward()


# %% the largest pieces first task="accumulate"
def accumulate(model, batches):
    elements = sum(Y.numel() for _, Y in batches)
    for X, Y in sorted(batches, key=lambda pair: len(pair[0]), reverse=True):
        (torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements).backward()


# %% a hook that is taken off again task="grad_history"
def grad_history(fs, x):
    history = []
    handle = x.register_post_accumulate_grad_hook(lambda t: history.append(t.grad.clone()))
    for f in fs:
        f(x).backward()
    handle.remove()
    return history


# %% the square root of the loss is the norm task="train5"
def train5(w0, lr, zero):
    w = torch.tensor([float(w0)], dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).sum().backward()
        w.data -= lr * w.grad
        norms.append((w**2).sum().sqrt().item())
    return norms


# %% an int for dz/dz task="all_grads"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    return *(g.item() for g in torch.autograd.grad(z, (x, y))), 1


# %% ints in, ints out task="train5"
def train5(w0, lr, zero):
    w, buffer, norms = w0, 0, []
    for _ in range(5):
        buffer = 2 * w + (0 if zero else buffer)
        w = w - lr * buffer
        norms.append(abs(w))
    return norms
