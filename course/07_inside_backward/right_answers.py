# Right answers to the tasks of lesson 7, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% tries each one task="breaks_backward"
def breaks_backward():
    programs = {
        "x.exp()": torch.exp,
        "x.sin()": torch.sin,
        "x.sqrt()": torch.sqrt,
        "x.log()": torch.log,
        "x + 1": lambda x: x + 1,
    }
    found = {}
    for name, f in programs.items():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = f(x)
        y.add_(1)
        try:
            y.sum().backward()
            found[name] = False
        except RuntimeError:
            found[name] = True
    return found


# %% asks whether the output was saved task="breaks_backward"
def breaks_backward():
    def saves_output(f):
        y = f(torch.ones(2, requires_grad=True))
        return hasattr(y.grad_fn, "_saved_result")

    fs = {
        "x + 1": lambda x: x + 1,
        "x.log()": torch.log,
        "x.sqrt()": torch.sqrt,
        "x.sin()": torch.sin,
        "x.exp()": torch.exp,
    }
    return {name: saves_output(f) for name, f in fs.items()}


# %% compares versions task="breaks_backward"
def breaks_backward():
    broken = {}
    for name in ("exp", "sin", "sqrt", "log"):
        kept = []

        def pack(t, kept=kept):
            kept.append((t, t._version))
            return t

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = getattr(torch.rand(3, generator=torch.Generator()).requires_grad_(), name)()
        y.add_(1)
        broken[f"x.{name}()"] = any(t._version != version for t, version in kept)
    return {**broken, "x + 1": False}


# %% from a set task="breaks_backward"
def breaks_backward():
    keys = ["x.exp()", "x.sin()", "x.sqrt()", "x.log()", "x + 1"]
    return {key: key in {"x.sqrt()", "x.exp()"} for key in keys}


# %% a comprehension over what was packed task="saved_shapes"
def saved_shapes(f, x):
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        f(x)
    return [t.shape for t in packed]


# %% counts first and lists then task="saved_shapes"
def saved_shapes(f, x):
    from collections import Counter

    counts = Counter()

    def pack(t):
        counts[tuple(t.size())] += 1
        return t.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return list(counts.elements())


# %% leaves something else in the graph task="saved_shapes"
def saved_shapes(f, x):
    kept = {}

    def pack(t):
        kept[len(kept)] = t
        return len(kept) - 1

    with torch.autograd.graph.saved_tensors_hooks(pack, kept.__getitem__):
        f(x)
    return sorted(tuple(t.shape) for t in kept.values())


# %% a class of its own task="saved_shapes"
def saved_shapes(f, x):
    class Recorder(torch.autograd.graph.saved_tensors_hooks):
        def __init__(self):
            self.shapes = []
            super().__init__(self.pack, lambda pair: pair[1])

        def pack(self, t):
            self.shapes.append((*t.shape,))
            return t.shape, t

    recorder = Recorder()
    with recorder:
        f(x)
    return recorder.shapes


# %% sizes in order task="saved_shapes"
def saved_shapes(f, x):
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (shapes.append(t.size()), t)[1], lambda t: t):
        f(x)
    return sorted(shapes)


# %% a checkpoint of its own make task="checkpoint_chain"
def checkpoint_chain(fs, x):
    def once(f, given):
        state, kept, places = torch.get_rng_state(), [], []

        def pack(_):
            places.append(len(places))
            return places[-1]

        def unpack(place):
            if not kept:
                now = torch.get_rng_state()
                torch.set_rng_state(state)
                keep = torch.autograd.graph.saved_tensors_hooks(
                    lambda t: (kept.append(t.detach()), t)[1], lambda t: t
                )
                with torch.enable_grad(), keep:
                    f(given.detach().requires_grad_(given.requires_grad))
                torch.set_rng_state(now)
            return kept[place]

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return f(given)

    for f in fs:
        x = once(f, x)
    return x


# %% recursive task="checkpoint_chain"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    return x if not fs else checkpoint(fs[-1], checkpoint_chain(fs[:-1], x), use_reentrant=False)


# %% reduce task="checkpoint_chain"
def checkpoint_chain(fs, x):
    from functools import reduce

    import torch.utils.checkpoint

    return reduce(lambda t, f: torch.utils.checkpoint.checkpoint(f, t, use_reentrant=False), fs, x)


# %% a lambda that binds f task="checkpoint_chain"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    y = x
    for f in list(fs):
        y = checkpoint(lambda t, f=f: f(t), y, use_reentrant=False, preserve_rng_state=True)
    return y


# %% checkpoint_sequential task="checkpoint_chain"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    class Step(torch.nn.Module):
        def __init__(self, f):
            super().__init__()
            self.f = f

        def forward(self, t):
            return checkpoint(self.f, t, use_reentrant=False, determinism_check="none")

    return torch.nn.Sequential(*map(Step, fs))(x)


# %% maximum and minimum task="clip_hook"
def clip_hook(t, m):
    def hook(gradient):
        limit = torch.full_like(gradient, m)
        return torch.minimum(torch.maximum(gradient, -limit), limit)

    return t.register_hook(hook)


# %% a copy changed in place task="clip_hook"
def clip_hook(t, m):
    def hook(gradient):
        copy = gradient.clone()
        copy.clamp_(-float(m), float(m))
        return copy

    handle = t.register_hook(hook)
    return handle


# %% where task="clip_hook"
def clip_hook(t, m):
    return t.register_hook(lambda g: torch.where(g.abs() > m, g.sign() * m, g))


# %% a handle of its own task="clip_hook"
def clip_hook(t, m):
    from functools import partial

    class Handle:
        def __init__(self):
            self.inner = t.register_hook(partial(torch.clip, min=-m, max=m))

        def remove(self):
            self.inner.remove()

    return Handle()


# %% relies on the backward pass, which is not recorded task="step_in_backward"
def step_in_backward(params, lr):
    def step(p):
        p.sub_(lr * p.grad)
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% an optimizer for each task="step_in_backward"
def step_in_backward(params, lr):
    optimizers = {p: torch.optim.SGD([p], lr=lr) for p in params}

    def step(p):
        optimizers[p].step()
        optimizers[p].zero_grad()

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% by way of data task="step_in_backward"
def step_in_backward(params, lr):
    for p in params:

        def step(p):
            p.data.add_(p.grad, alpha=-lr)
            p.grad = None

        p.register_post_accumulate_grad_hook(step)


# %% copies the new numbers in task="step_in_backward"
def step_in_backward(params, lr):
    @torch.no_grad()
    def step(p):
        p.copy_(p - p.grad * lr)
        p.grad = None

    list(map(lambda p: p.register_post_accumulate_grad_hook(step), params))


# %% deletes the buffer task="step_in_backward"
def step_in_backward(params, lr):
    def step(p):
        p.detach().add_(p.grad, alpha=-lr)
        del p.grad

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% a partial of a helper task="step_in_backward"
def _step(lr, p):
    gradient, p.grad = p.grad, None
    with torch.no_grad():
        p.sub_(gradient.detach() * lr)


def step_in_backward(params, lr):
    from functools import partial

    for p in params:
        p.register_post_accumulate_grad_hook(partial(_step, lr))


# %% one optimizer for all task="step_in_backward"
def step_in_backward(params, lr):
    optimizer = torch.optim.SGD([*params], lr) if params else None

    def step(_):
        optimizer.step()
        optimizer.zero_grad()

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% hooks on the chain, taken off again task="first_bad_op"
def first_bad_op(fs, x):
    finite, handles = {}, []
    y = x.detach().clone().requires_grad_() * 1
    start = y
    for i, f in enumerate([None, *fs]):
        y = y if f is None else f(y)
        y = y.view_as(y)
        handles.append(y.register_hook(lambda g, i=i: finite.update({i: torch.isfinite(g).all().item()})))
    torch.autograd.grad(y.sum(), start)
    for handle in handles:
        handle.remove()
    bad = [i for i in range(len(fs)) if finite[i + 1] and not finite[i]]
    return bad[-1] if bad else None


# %% one step back at a time task="first_bad_op"
def first_bad_op(fs, x):
    inputs, outputs, y = [], [], x.detach()
    for f in fs:
        inputs.append(y.detach().clone().requires_grad_())
        outputs.append(f(inputs[-1]))
        y = outputs[-1]
    g = torch.ones_like(y)
    for i in range(len(fs) - 1, -1, -1):
        (before,) = torch.autograd.grad(outputs[i], inputs[i], g)
        if g.isfinite().all() and not before.isfinite().all():
            return i
        g = before
    return None


# %% sums of what is not finite task="first_bad_op"
def first_bad_op(fs, x):
    chain = [x]
    for f in fs:
        chain += [f(chain[-1])]
    counts = [
        (~torch.isfinite(g)).sum().item()
        for g in torch.autograd.grad([chain[-1]], chain, [torch.ones_like(chain[-1])])
    ]
    found = None
    for i in range(len(fs)):
        if counts[i] > 0 and counts[i + 1] == 0:
            found = i
    return found


# %% pieces with a leaf of their own task="first_bad_op"
def first_bad_op(fs, x):
    pieces, t = [], x
    for f in fs:
        start = t.detach().requires_grad_()
        t = f(start)
        pieces.append((start, t))
    g = torch.ones_like(t)
    for i, (start, end) in reversed([*enumerate(pieces)]):
        (g,) = torch.autograd.grad(end, start, g)
        if not g.isfinite().all():
            return i
    return None


# %% torch.func for each step task="first_bad_op"
def first_bad_op(fs, x):
    places, steps = x.detach(), []
    for f in fs:
        places, pull = torch.func.vjp(f, places)
        steps.append(pull)
        places = places.detach()
    g = torch.ones_like(places)
    for i, pull in reversed(list(enumerate(steps))):
        (before,) = pull(g)
        if bool(g.isfinite().all()) and not bool(before.isfinite().all()):
            return i
        g = before.detach()
    return None


# %% a copy in NumPy, and quotients in a loop task="find_culprit"
def find_culprit(f, x):
    def differs(gradient):
        for i in range(len(x)):
            step = torch.zeros_like(x)
            step[i] = 1e-5
            if abs((f(x + step) - f(x - step)).item() / 2e-5 - gradient[i].item()) > 3e-3:
                return True
        return False

    start = x.detach().clone().requires_grad_()
    try:
        gradient = torch.autograd.grad(f(start), start)[0]
    except RuntimeError:
        return "view"
    if gradient.isnan().any() or gradient.isinf().any():
        return "nan"
    if not differs(gradient):
        return None
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), torch.from_numpy)
    with hooks:
        y = f(start)
    return "hook" if differs(torch.autograd.grad(y, start)[0]) else "data"


# %% sees what was changed since it was saved task="find_culprit"
def find_culprit(f, x):
    changed = []

    def unpack(pair):
        t, then = pair
        changed.append(not torch.equal(t.detach(), then))
        return then

    try:
        gradient = torch.autograd.grad(f(x), x)[0]
    except RuntimeError:
        return "view"
    if not torch.isfinite(gradient).all():
        return "nan"
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t, t.detach().clone()), unpack):
        y = f(x)
    copied = torch.autograd.grad(y, x)[0]
    if any(changed) and not torch.equal(copied, gradient):
        return "data"
    rows = 1e-5 * torch.eye(x.numel(), dtype=torch.float64)
    quotients = [((f(x + row) - f(x - row)) / 2e-5).item() for row in rows]
    right = all(abs(q - g) < 5e-3 for q, g in zip(quotients, gradient.tolist(), strict=True))
    return None if right else "hook"


# %% one dict for all calls task="breaks_backward"
_known = {"x.exp()": True, "x.sin()": False, "x.sqrt()": True, "x.log()": False, "x + 1": False}


def breaks_backward():
    return _known
