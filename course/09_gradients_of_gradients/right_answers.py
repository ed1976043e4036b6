# Right answers to the tasks of lesson 9, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% torch.func twice task="second_derivative"
def second_derivative(f, x):
    return torch.func.grad(torch.func.grad(f))(x.detach()).detach()


# %% zeros where there is None task="second_derivative"
def second_derivative(f, x):
    leaf = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad([f(leaf)], [leaf], create_graph=True)
    second = torch.autograd.grad(first, leaf, allow_unused=True)[0] if first.requires_grad else None
    return torch.zeros_like(leaf).detach() if second is None else second


# %% adds a path that gives nothing task="second_derivative"
def second_derivative(f, x):
    first = torch.autograd.grad(f(x), x, create_graph=True)[0]
    return torch.autograd.grad(first + 0 * x, x)[0]


# %% the hessian of one number task="second_derivative"
def second_derivative(f, x):
    return torch.autograd.functional.hessian(f, x.detach()).detach()


# %% forward over reverse task="second_derivative"
def second_derivative(f, x):
    import warnings

    t = x.detach()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch itself warns when it creates its forward-mode formulas
        _, second = torch.func.jvp(torch.func.grad(f), (t,), (torch.ones_like(t),))
    return second.detach()


# %% backward on the gradient, in a buffer of its own task="second_derivative"
def second_derivative(f, x):
    t = x.detach().clone().requires_grad_()
    first = torch.autograd.grad(f(t), t, create_graph=True)[0] + 0 * t
    first.backward(inputs=[t])
    return t.grad


# %% the gradient weighed and summed task="hvp"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    weighed = (first * v).sum() + 0 * x.sum()
    return torch.autograd.grad(weighed, x)[0]


# %% forward over reverse, by torch.func task="hvp"
def hvp(f, x, v):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.func.jvp(torch.func.grad(f), (x.detach(),), (v,))[1].detach()


# %% reverse over reverse, by torch.func task="hvp"
def hvp(f, x, v):
    _, pull = torch.func.vjp(torch.func.grad(f), x.detach())
    return pull(v)[0].detach()


# %% torch's own product task="hvp"
def hvp(f, x, v):
    return torch.autograd.functional.vhp(f, x, v)[1]


# %% the double backward trick task="hvp"
def hvp(f, x, v):
    return torch.autograd.functional.hvp(f, x.detach(), v)[1]


# %% forward mode with dual numbers task="hvp"
def hvp(f, x, v):
    import warnings

    import torch.autograd.forward_ad as forward

    with forward.dual_level(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dual = forward.make_dual(x.detach().clone().requires_grad_(), v)
        (first,) = torch.autograd.grad(f(dual), dual, create_graph=True)
        tangent = forward.unpack_dual(first).tangent
    return torch.zeros_like(v) if tangent is None else tangent.detach()


# %% a new tensor from the number task="newton_step"
def newton_step(f, x):
    g = torch.autograd.grad(f(x), x, create_graph=True)[0]
    h = torch.autograd.grad(g, x)[0]
    return torch.tensor(x.item() - g.item() / h.item(), dtype=x.dtype, requires_grad=True)


# %% torch.func task="newton_step"
def newton_step(f, x):
    t = x.detach()
    slope = torch.func.grad(f)
    return (t - slope(t) / torch.func.grad(slope)(t)).detach().clone().requires_grad_(True)


# %% without recording the step task="newton_step"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    with torch.no_grad():
        new = x - first / second
    new.requires_grad = True
    return new


# %% moves a copy task="newton_step"
def newton_step(f, x):
    t = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad(f(t), t, create_graph=True)
    first.backward(inputs=[t])
    with torch.no_grad():
        t -= first / t.grad
    t.grad = None
    return t


# %% sums of squares task="gradient_penalty"
def gradient_penalty(model, x):
    x = x.clone().requires_grad_(True)
    out = model(x)
    gradients = torch.autograd.grad(
        out, x, grad_outputs=torch.ones_like(out), create_graph=True, retain_graph=True
    )[0]
    norms = gradients.reshape(len(x), -1).pow(2).sum(dim=1).sqrt()
    return torch.mean((norms - 1).square())


# %% one sample at a time task="gradient_penalty"
def gradient_penalty(model, x):
    total = 0
    for sample in x:
        leaf = sample.detach()[None].clone().requires_grad_()
        (slope,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
        total = total + (torch.linalg.vector_norm(slope) - 1) ** 2
    return total / len(x)


# %% torch.func.vmap task="gradient_penalty"
def gradient_penalty(model, x):
    slopes = torch.func.vmap(torch.func.grad(lambda sample: model(sample[None]).sum()))(x)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% the norm over all dimensions but the first task="gradient_penalty"
def gradient_penalty(model, x):
    leaf = torch.empty_like(x).copy_(x).requires_grad_()
    with torch.enable_grad():
        slopes = torch.autograd.grad([model(leaf).sum()], [leaf], create_graph=True)[0]
    norms = torch.linalg.vector_norm(slopes, dim=tuple(range(1, x.ndim)))
    return torch.nn.functional.mse_loss(norms, torch.ones_like(norms))


# %% backward into a leaf of its own task="gradient_penalty"
def gradient_penalty(model, x):
    import warnings

    leaf = x.detach().clone().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model(leaf).sum().backward(create_graph=True, inputs=[leaf])
    slopes, leaf.grad = leaf.grad, None
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% the jacobian of the sum task="gradient_penalty"
def gradient_penalty(model, x):
    J = torch.autograd.functional.jacobian(lambda t: model(t).sum(), x, create_graph=True)
    return ((J.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% tracks the data for a while task="gradient_penalty"
def gradient_penalty(model, x):
    x.requires_grad_()
    (slopes,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    x.requires_grad_(False)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% everything in forward and backward task="Cube"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad_output


# %% a Function for the backward too task="Cube"
class _Slope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, g):
        ctx.save_for_backward(x, g)
        return g * 3 * x**2

    @staticmethod
    def backward(ctx, u):
        x, g = ctx.saved_tensors
        return u * 6 * x * g, u * 3 * x**2


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow(3)

    @staticmethod
    def backward(ctx, g):
        return _Slope.apply(ctx.saved_tensors[0], g)


# %% the input as an attribute task="Cube"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x = inputs[0]

    @staticmethod
    def backward(ctx, g):
        return g * (3 * ctx.x.square())


# %% only where it is needed task="Cube"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.pow(x, 3)

    @staticmethod
    def backward(ctx, g):
        if not ctx.needs_input_grad[0]:
            return None
        (x,) = ctx.saved_tensors
        return torch.mul(g, 3 * torch.pow(x, 2))


# %% torch.func takes each gradient task="loss_after"
def loss_after(f, x, lr, steps):
    slope = torch.func.grad(f)
    for _ in range(steps):
        x = x - lr * slope(x)
    return f(x)


# %% one step, and the rest from there task="loss_after"
def loss_after(f, x, lr, steps):
    loss = f(x)
    if steps == 0:
        return loss
    slope = torch.autograd.grad([loss], [x], create_graph=True, retain_graph=True)[0]
    return loss_after(f, torch.sub(x, slope * lr), lr, steps - 1)


# %% a list of places task="loss_after"
def loss_after(f, x, lr, steps):
    places = [x]
    while len(places) <= steps:
        _, pull = torch.func.vjp(f, places[-1])
        (slope,) = pull(torch.ones((), dtype=x.dtype))
        places.append(torch.addcmul(places[-1], lr.expand(x.shape), slope, value=-1))
    return f(places[-1])


# %% backward into the place alone task="loss_after"
def loss_after(f, x, lr, steps):
    import warnings

    place = x.clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of a reference cycle, which the loop breaks
        for _ in range(steps):
            place.retain_grad()
            f(place).backward(create_graph=True, inputs=[place])
            slope, place.grad = place.grad, None
            place = place - lr * slope
    return f(place)
