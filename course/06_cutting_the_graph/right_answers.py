# Right answers to the tasks of lesson 6, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% backward on leaves of its own task="splice"
def splice(f, g, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    w = y.clone().detach().requires_grad_(True)
    g(w).backward(inputs=[w])
    y.backward(gradient=w.grad, inputs=[leaf])
    return leaf.grad


# %% pulls back with torch.func task="splice"
def splice(f, g, x):
    y, pull_back = torch.func.vjp(f, x.detach())
    v = torch.func.grad(g)(y.detach())
    return pull_back(v.detach())[0].detach()


# %% a dot product in the place of v task="splice"
def splice(f, g, x):
    y = f(x)
    w = y.data.clone().requires_grad_()
    slopes = torch.autograd.grad(g(w), w)[0]
    return torch.autograd.grad((y * slopes).sum(), x)[0].clone()


# %% sends the numbers through numpy task="splice"
def splice(f, g, x):
    sent = f(x)
    received = torch.from_numpy(sent.detach().numpy().copy()).requires_grad_()
    (back,) = torch.autograd.grad(g(received), received)
    return torch.autograd.grad([sent], [x], grad_outputs=[back])[0].detach()


# %% puts the buffer back task="splice"
def splice(f, g, x):
    held, x.grad = x.grad, None
    y = f(x)
    w = y.detach().clone()
    w.requires_grad = True
    g(w).backward(inputs=[w])
    torch.autograd.backward([y], [w.grad], inputs=[x])
    found, x.grad = x.grad.clone(), held
    return found


# %% subtracts with sub_ task="sgd_step_"
@torch.no_grad()
def sgd_step_(params, lr):
    for p in params:
        if p.grad is None:
            continue
        p.sub_(p.grad, alpha=lr)


# %% the optimizer of torch task="sgd_step_"
def sgd_step_(params, lr):
    torch.optim.SGD(list(params), lr=lr).step()


# %% by way of data task="sgd_step_"
def sgd_step_(params, lr):
    for p in list(params):
        if p.grad is not None:
            p.data -= lr * p.grad.data


# %% copies the moved numbers back in task="sgd_step_"
def sgd_step_(params, lr):
    with torch.inference_mode():
        moved = [(p, p - lr * p.grad) for p in params if p.grad is not None]
    with torch.no_grad():
        for p, numbers in moved:
            p.copy_(numbers)


# %% through a detached view task="sgd_step_"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p.detach().add_(p.grad.detach() * -lr)


# %% modes in a list task="evaluate"
def evaluate(model, x):
    modules = list(model.modules())
    modes = [module.training for module in modules]
    try:
        for module in modules:
            module.training = False
        with torch.set_grad_enabled(False):
            return model(x.detach())
    finally:
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode


# %% a deep copy does the work task="evaluate"
def evaluate(model, x):
    from copy import deepcopy

    with torch.no_grad():
        return deepcopy(model).eval()(x.detach())


# %% inference mode, then a clone task="evaluate"
def evaluate(model, x):
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            result = model(x)
    finally:
        for module in training:
            module.training = True
    return result.detach().clone()


# %% untracked parameters by functional call task="evaluate"
def evaluate(model, x):
    trained = [m for m in model.modules() if m.training]
    constants = {
        name: tensor.detach() for name, tensor in (*model.named_parameters(), *model.named_buffers())
    }
    try:
        model.eval()
        return torch.func.functional_call(model, constants, (x.detach(),))
    finally:
        for module in trained:
            module.training = True


# %% a decorator task="evaluate"
@torch.no_grad()
def evaluate(model, x):
    before = {name: module.training for name, module in model.named_modules()}
    try:
        result = model.eval()(x)
    finally:
        for name, module in model.named_modules():
            module.training = before[name]
    return result.detach()


# %% asks autograd task="stop_gradient"
def stop_gradient(x):
    t = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    slopes = [torch.autograd.grad(f, t)[0].item() for f in (t * (t**2).detach(), t**3)]
    return slopes[0], slopes[1]


# %% both paths added task="stop_gradient"
def stop_gradient(x):
    t = float(x)
    kept, lost = t * t, t * (2 * t)
    return kept, kept + lost


# %% math.pow task="stop_gradient"
def stop_gradient(x):
    import math

    c = math.pow(x, 2)
    return (c, 3.0 * c)


# %% absolute values task="stop_gradient"
def stop_gradient(x):
    size = abs(1.0 * x)
    return size * size, 3 * size * size


# %% torch.func twice task="stop_gradient"
def stop_gradient(x):
    t = torch.tensor(x, dtype=torch.double)
    cut = torch.func.grad(lambda s: s * (s.square()).detach())(t)
    return float(cut), float(torch.func.grad(lambda s: s.pow(3))(t))


# %% numbers of numpy task="stop_gradient"
def stop_gradient(x):
    import numpy as np

    x = np.float64(x)
    return x**2, 3 * x**2


# %% names the loss task="running_loss"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        loss = step()
        total = total + loss.detach().item()
    return total


# %% a generator into sum task="running_loss"
def running_loss(step, n):
    return float(sum(step().item() for _ in range(n)))


# %% a detached float64 tensor task="running_loss"
def running_loss(step, n):
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(n):
        total += step().detach().double().sum()
    return total.item()


# %% a list of numbers task="running_loss"
def running_loss(step, n):
    import math

    losses = []
    while len(losses) < n:
        losses.append(step().detach().cpu().reshape(-1).tolist()[0])
    return math.fsum(losses)


# %% recursion on what is left task="running_loss"
def running_loss(step, n):
    if n < 1:
        return 0.0
    return running_loss(step, n - 1) + step().item()


# %% names the inputs of backward task="freeze_first"
def freeze_first(model, x):
    inside = {id(p) for p in model[0].parameters()}
    wanted = [p for p in model.parameters() if p.requires_grad and id(p) not in inside]
    if x.requires_grad:
        wanted.append(x)
    model(x).sum().backward(inputs=wanted)


# %% flags kept in a dict task="freeze_first"
def freeze_first(model, x):
    flags = {p: p.requires_grad for p in model[0].parameters()}
    try:
        model[0].requires_grad_(False)
        out = model(x)
        out.backward(torch.ones_like(out))
    finally:
        for p, flag in flags.items():
            p.requires_grad_(flag)


# %% layer by layer task="freeze_first"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad = False
    out = x
    for layer in model:
        out = layer(out)
    torch.autograd.backward(out.sum())
    for p in frozen:
        p.requires_grad = True


# %% constants in the first layer by functional call task="freeze_first"
def freeze_first(model, x):
    first = next(name for name, layer in model.named_children())
    constants = {f"{first}.{name}": p.detach() for name, p in model[0].named_parameters()}
    torch.func.functional_call(model, constants, (x,)).sum().backward()


# %% adds returned gradients task="freeze_first"
def freeze_first(model, x):
    later = [p for layer in list(model)[1:] for p in layer.parameters() if p.requires_grad]
    later += [x] if x.requires_grad else []
    for p, g in zip(later, torch.autograd.grad(model(x).sum(), later), strict=True):
        if p.grad is None:
            p.grad = g.clone()
        else:
            p.grad += g


# %% the first layer, then the rest task="freeze_first"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model[1:](model[0](x)).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% by names of layers, whatever they are task="freeze_first"
def freeze_first(model, x):
    name = next(iter(model._modules))
    frozen = [p for n, p in model.named_parameters() if n.partition(".")[0] == name and p.requires_grad]
    try:
        for p in frozen:
            p.requires_grad = False
        model(x).sum().backward()
    finally:
        for p in frozen:
            p.requires_grad = True


# %% mse_loss on constants task="agreement_loss"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    losses = (torch.nn.functional.mse_loss(h(z), target.data) for z, target in ((z_a, z_b), (z_b, z_a)))
    return sum(losses) / 2


# %% targets copied without a record task="agreement_loss"
def agreement_loss(f, h, a, b):
    seen = {"a": f(a), "b": f(b)}
    with torch.no_grad():
        targets = {"a": seen["b"].clone(), "b": seen["a"].clone()}
    errors = [h(seen[view]).sub(targets[view]).square().mean() for view in "ab"]
    return torch.stack(errors).mean()


# %% multiplied out task="agreement_loss"
def agreement_loss(f, h, a, b):
    def half(prediction, target):
        c = target.detach()
        return (prediction * prediction - 2 * c * prediction + c * c).sum() / (2 * c.numel())

    z_a, z_b = f(a), f(b)
    return half(h(z_a), z_b) + half(h(z_b), z_a)


# %% a symmetric quotient of exact fractions task="stop_gradient"
from fractions import Fraction


def stop_gradient(x):
    x, h = Fraction(x), Fraction(1, 10**20)
    held = ((x + h) * x**2 - (x - h) * x**2) / (2 * h)
    return float(held), float(((x + h) ** 3 - (x - h) ** 3) / (2 * h))


# %% the sum in a tensor of float64 task="running_loss"
def running_loss(step, n):
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(n):
        total += step().detach().double().reshape(())
    return total.item()


# %% by writing into the transposed and the sliced through numpy task="sgd_step_"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            numbers = p.detach().numpy()
            numbers[...] = numbers - lr * p.grad.numpy()


# %% in inference mode task="sgd_step_"
def sgd_step_(params, lr):
    with torch.inference_mode():
        for p in params:
            if p.grad is not None:
                p.sub_(p.grad, alpha=lr)


# %% only the layers of these kinds task="evaluate"
def evaluate(model, x):
    kinds = torch.nn.modules.batchnorm._NormBase, torch.nn.modules.dropout._DropoutNd
    found = [m for m in model.modules() if isinstance(m, kinds) and m.training]
    for m in found:
        m.training = False
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m in found:
            m.training = True


# %% sets the buffers of the first layer aside task="freeze_first"
def freeze_first(model, x):
    kept = [(p, p.grad) for p in model[0].parameters()]
    for p, _ in kept:
        p.grad = None
    model(x).sum().backward()
    for p, grad in kept:
        p.grad = grad


# %% switches the recording on after the step task="sgd_step_"
def sgd_step_(params, lr):
    torch.set_grad_enabled(False)
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad
    torch.set_grad_enabled(True)


# %% switches the recording on at the end task="evaluate"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    torch.set_grad_enabled(False)
    try:
        return model(x).detach()
    finally:
        torch.set_grad_enabled(True)
        for module, mode in modes.items():
            module.training = mode


# %% ints for an int task="stop_gradient"
def stop_gradient(x):
    return x**2, 3 * x**2


# %% an int for no steps task="running_loss"
def running_loss(step, n):
    return sum(step().item() for _ in range(n))


# %% switches the recording on for good task="running_loss"
def running_loss(step, n):
    torch.set_grad_enabled(True)
    total = 0.0
    for _ in range(n):
        total += step().item()
    return total
