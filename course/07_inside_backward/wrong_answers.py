# Wrong answers to lesson 7 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% an in-place edit always breaks task="breaks_backward" hint="add"
def breaks_backward():
    return dict.fromkeys(["x.exp()", "x.sin()", "x.sqrt()", "x.log()", "x + 1"], True)


# %% an in-place edit never breaks task="breaks_backward" hint="exp"
def breaks_backward():
    return dict.fromkeys(["x.exp()", "x.sin()", "x.sqrt()", "x.log()", "x + 1"], False)


# %% what saves its input breaks task="breaks_backward" hint="exp"
def breaks_backward():
    return {"x.exp()": False, "x.sin()": True, "x.sqrt()": False, "x.log()": True, "x + 1": False}


# %% whatever saves something breaks task="breaks_backward" hint="some"
def breaks_backward():
    return {"x.exp()": True, "x.sin()": True, "x.sqrt()": True, "x.log()": True, "x + 1": False}


# %% sqrt saves its input task="breaks_backward" hint="some"
def breaks_backward():
    return {"x.exp()": True, "x.sin()": False, "x.sqrt()": False, "x.log()": False, "x + 1": False}


# %% log with sqrt exchanged task="breaks_backward" hint="sqrt"
def breaks_backward():
    return {"x.exp()": True, "x.sin()": False, "x.sqrt()": False, "x.log()": True, "x + 1": False}


# %% says works where it is asked what breaks task="breaks_backward" hint="add"
def breaks_backward():
    return {"x.exp()": False, "x.sin()": True, "x.sqrt()": False, "x.log()": True, "x + 1": True}


# %% keys of its own task="breaks_backward" hint="keys"
def breaks_backward():
    return {"exp": True, "sin": False, "sqrt": True, "log": False, "add": False}


# %% the error instead of a bool task="breaks_backward" hint="bools"
def breaks_backward():
    return {"x.exp()": "RuntimeError", "x.sin()": "", "x.sqrt()": "RuntimeError", "x.log()": "", "x + 1": ""}


# %% tries it and leaves anomaly detection on task="breaks_backward" en="anomaly detection was left switched on" ko="켜진 채로 남았습니다"
def breaks_backward():
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    return {"x.exp()": True, "x.sin()": False, "x.sqrt()": True, "x.log()": False, "x + 1": False}


# %% numbers for bools task="breaks_backward" hint="bools"
def breaks_backward():
    return {"x.exp()": 1, "x.sin()": 0, "x.sqrt()": 1, "x.log()": 0, "x + 1": 0}


# %% each operation saves its output task="saved_shapes" hint="output"
def saved_shapes(f, x):
    return [tuple(f(x).shape)]


# %% each operation saves its input task="saved_shapes" hint="input"
def saved_shapes(f, x):
    f(x)
    return [tuple(x.shape)]


# %% each tensor once task="saved_shapes" hint="twice"
def saved_shapes(f, x):
    found = {}

    def pack(t):
        found[t.data_ptr()] = tuple(t.shape)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return list(found.values())


# %% each shape once task="saved_shapes" hint="twice"
def saved_shapes(f, x):
    shapes = set()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: [shapes.add(tuple(t.shape)), t][1], lambda t: t):
        f(x)
    return list(shapes)


# %% looks at the last node only task="saved_shapes" hint="nothing"
def saved_shapes(f, x):
    node = f(x).grad_fn
    names = [name for name in dir(node) if name.startswith("_saved")]
    return [
        tuple(getattr(node, name).shape) for name in names if isinstance(getattr(node, name), torch.Tensor)
    ]


# %% shapes as lists task="saved_shapes" hint="pack"
def saved_shapes(f, x):
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: [shapes.append(list(t.shape)), t][1], lambda t: t
    ):
        f(x)
    return shapes


# %% counts when backward asks task="saved_shapes" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def saved_shapes(f, x):
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: t, lambda t: [shapes.append(tuple(t.shape)), t][1]
    ):
        y = f(x)
        if y.grad_fn is not None:
            y.sum().backward()
    return shapes


# %% the number of elements task="saved_shapes" hint="pack"
def saved_shapes(f, x):
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: [sizes.append(t.numel()), t][1], lambda t: t):
        f(x)
    return sizes


# %% calls f once more to see its shape task="saved_shapes" hint="once"
def saved_shapes(f, x):
    shapes = []
    if not f(x).requires_grad:
        return shapes
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: [shapes.append(tuple(t.shape)), t][1], lambda t: t
    ):
        f(x)
    return shapes


# %% the first size of each task="saved_shapes" hint="pack"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        shapes.append((len(t),) if t.dim() else ())
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return shapes


# %% counts the sum that it adds task="saved_shapes" hint="output"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        (f(x) ** 2).sum()
    return shapes


# %% one list for all calls task="saved_shapes" hint="anew"
_shapes = []


def saved_shapes(f, x):
    _shapes.clear()
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: [_shapes.append(tuple(t.shape)), t][1], lambda t: t
    ):
        f(x)
    return _shapes


# %% the hooks are never taken off task="saved_shapes" en="hooks for saved tensors were left in force" ko="저장된 텐서의 hook이 남아"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return t

    torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t).__enter__()
    f(x)
    return list(shapes)


# %% walks the graph task="saved_shapes" hint="number"
def saved_shapes(f, x):
    seen, todo, shapes = set(), [f(x).grad_fn], []
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for name in dir(node):
            if name.startswith("_saved_") and isinstance(getattr(node, name), torch.Tensor):
                shapes.insert(0, tuple(getattr(node, name).shape))
        todo += [after for after, _ in node.next_functions]
    return shapes


# %% walks the graph and leaves numbers out task="saved_shapes" hint="elsewhere"
def saved_shapes(f, x):
    seen, todo, shapes = set(), [f(x).grad_fn], []
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        values = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        # A Python number appears among these attributes as a tensor of the dtype int64 or float64.
        shapes += [tuple(t.shape) for t in tensors if t.dim() or t.requires_grad or t.dtype is torch.float32]
        todo += [after for after, _ in node.next_functions]
    return shapes


# %% runs backward and puts the buffer back task="saved_shapes" hint="ran"
def saved_shapes(f, x):
    shapes, held = [], x.grad
    x.grad = None
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: [shapes.append(tuple(t.shape)), t][1], lambda t: t
    ):
        y = f(x)
    if y.requires_grad:
        y.sum().backward(inputs=[x])
    x.grad = held
    return shapes


# %% counts what a walk to x reads task="saved_shapes" hint="ran"
def saved_shapes(f, x):
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: t, lambda t: [shapes.append(tuple(t.shape)), t][1]
    ):
        y = f(x)
    if y.requires_grad:
        torch.autograd.grad(y.sum(), x, allow_unused=True)
    return shapes


# %% leaves numbers out task="saved_shapes" hint="scalar"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        if t.dim():
            shapes.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return shapes


# %% leaves empty tensors out task="saved_shapes" hint="empty"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        if t.numel():
            shapes.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return shapes


# %% runs f on a copy that is not tracked task="saved_shapes" hint="nothing"
def saved_shapes(f, x):
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: [shapes.append(tuple(t.shape)), t][1], lambda t: t
    ):
        f(x.detach())
    return shapes


# %% runs f on a leaf of its own task="saved_shapes" hint="usable"
def saved_shapes(f, x):
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: [shapes.append(tuple(t.shape)), t][1], lambda t: t
    ):
        f(x.detach().requires_grad_())
    return shapes


# %% keeps zeros for x task="saved_shapes" hint="usable"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return torch.zeros_like(t) if t is x else t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return shapes


# %% gives an index back as floats task="saved_shapes" hint="usable"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t.to(x.dtype)):
        f(x)
    return shapes


# %% keeps float32 task="saved_shapes" hint="digits"
def saved_shapes(f, x):
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return t.dtype, t.float() if t.is_floating_point() else t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda pair: pair[1].to(pair[0])):
        f(x)
    return shapes


# %% the plain chain task="checkpoint_chain" hint="each"
def checkpoint_chain(fs, x):
    for f in fs:
        x = f(x)
    return x


# %% one checkpoint for all task="checkpoint_chain" hint="each"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    def chain(t):
        for f in fs:
            t = f(t)
        return t

    return checkpoint(chain, x, use_reentrant=False)


# %% the lambda finds the last f task="checkpoint_chain" hint="late"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        x = checkpoint(lambda t: f(t), x, use_reentrant=False)  # noqa: B023
    return x


# %% no_grad saves memory task="checkpoint_chain" hint="tracked"
def checkpoint_chain(fs, x):
    with torch.no_grad():
        for f in fs:
            x = f(x)
    return x


# %% cuts between the functions task="checkpoint_chain" hint="reached"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        x = checkpoint(f, x.detach().requires_grad_(), use_reentrant=False)
    return x


# %% keeps them on the CPU task="checkpoint_chain" hint="each"
def checkpoint_chain(fs, x):
    with torch.autograd.graph.save_on_cpu():
        for f in fs:
            x = f(x)
    return x


# %% begins with the last task="checkpoint_chain" hint="reverse"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    for f in reversed(fs):
        x = checkpoint(f, x, use_reentrant=False)
    return x


# %% eats the list task="checkpoint_chain" hint="changed"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    while fs:
        x = checkpoint(fs.pop(0), x, use_reentrant=False)
    return x


# %% turns the list around until the backward pass task="checkpoint_chain" hint="changed"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    fs.reverse()
    for f in reversed(fs):
        x = checkpoint(f, x, use_reentrant=False)
    x.register_hook(lambda _: fs.reverse())
    return x


# %% other random numbers the second time task="checkpoint_chain" hint="same"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        x = checkpoint(f, x, use_reentrant=False, preserve_rng_state=False)
    return x


# %% tracks an x that was not task="checkpoint_chain" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    x.requires_grad_()
    for f in fs:
        x = checkpoint(f, x, use_reentrant=False)
    return x


# %% runs again but throws nothing away task="checkpoint_chain" hint="saved"
def checkpoint_chain(fs, x):
    def one(f, t):
        y = f(t)

        def again(_):
            with torch.enable_grad():
                f(t)

        y.register_hook(again)
        return y

    for f in fs:
        x = one(f, x)
    return x


# %% looks the function up in the list task="checkpoint_chain" hint="place"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    for i in range(len(fs)):
        x = checkpoint(lambda t, i=i: fs[i](t), x, use_reentrant=False)
    return x


# %% the older form task="checkpoint_chain" hint="reached"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    x = x if x.requires_grad else x.detach().requires_grad_()
    for f in fs:
        x = checkpoint(f, x, use_reentrant=True)
    return x


# %% a Function that forgets the weights task="checkpoint_chain" hint="tracked"
class _Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, f):
        ctx.f = f
        ctx.save_for_backward(t)
        return f(t)

    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            t = ctx.saved_tensors[0].detach().requires_grad_()
            y = ctx.f(t)
        return torch.autograd.grad(y, t, g)[0], None


def checkpoint_chain(fs, x):
    for f in fs:
        x = _Again.apply(x, f)
    return x


# %% in float64 task="checkpoint_chain" hint="dtype"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    if not fs:
        return x
    y = x.double()
    for f in fs:
        y = checkpoint(f, y, use_reentrant=False)
    return y.to(x.dtype)


# %% remembers results task="checkpoint_chain" hint="anew"
_results = {}


def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        if (f, x) not in _results:
            _results[f, x] = checkpoint(f, x, use_reentrant=False)
        x = _results[f, x]
    return x


# %% a copy for the empty list task="checkpoint_chain" hint="itself"
def checkpoint_chain(fs, x):
    from torch.utils.checkpoint import checkpoint

    y = x.clone()
    for f in fs:
        y = checkpoint(f, y, use_reentrant=False)
    return y


# %% returns nothing from the hook task="clip_hook" hint="free"
def clip_hook(t, m):
    def hook(g):
        g.clamp(-m, m)

    return t.register_hook(hook)


# %% edits what it is given task="clip_hook" hint="spoilt"
def clip_hook(t, m):
    return t.register_hook(lambda g: g.clamp_(-m, m))


# %% scales by the norm task="clip_hook" hint="norm"
def clip_hook(t, m):
    return t.register_hook(lambda g: g * (m / max(g.norm().item(), m, 1e-9)))


# %% limits above only task="clip_hook" hint="above"
def clip_hook(t, m):
    return t.register_hook(lambda g: g.clamp(max=m))


# %% cuts at 0 task="clip_hook" hint="below"
def clip_hook(t, m):
    return t.register_hook(lambda g: g.clamp(0, m))


# %% forgets the handle task="clip_hook" hint="handle"
def clip_hook(t, m):
    t.register_hook(lambda g: g.clamp(-m, m))


# %% works once task="clip_hook" hint="once"
def clip_hook(t, m):
    def hook(g):
        handle.remove()
        return g.clamp(-m, m)

    handle = t.register_hook(hook)
    return handle


# %% limits what is in the buffer too task="clip_hook" hint="held"
def clip_hook(t, m):
    if not t.is_leaf:
        return t.register_hook(lambda g: g.clamp(-m, m))

    def hook(p):
        p.grad = p.grad.clamp(-m, m)

    return t.register_post_accumulate_grad_hook(hook)


# %% limits the sum of the buffer and what arrives task="clip_hook" hint="held"
def clip_hook(t, m):
    def hook(g):
        held = t.grad if t.is_leaf and t.grad is not None else 0
        return (held + g).clamp(-m, m) - held

    return t.register_hook(hook)


# %% one m for all hooks task="clip_hook" hint="own"
_limit = [0.0]


def clip_hook(t, m):
    _limit[0] = m
    return t.register_hook(lambda g: g.clamp(-_limit[0], _limit[0]))


# %% limits the values going forward task="clip_hook" en="the call changed t itself" ko="t의 값이 바뀌었습니다"
def clip_hook(t, m):
    t.data.clamp_(-m, m)
    return t.register_hook(lambda g: g.clamp(-m, m))


# %% no limit where m is 0 task="clip_hook" hint="zero"
def clip_hook(t, m):
    return t.register_hook(lambda g: g.clamp(-m, m) if m else g)


# %% one hook on a tensor at a time task="clip_hook" hint="before"
_before = {}


def clip_hook(t, m):
    if id(t) in _before and _before[id(t)][0] is t:
        _before[id(t)][1].remove()
    _before[id(t)] = t, t.register_hook(lambda g: g.clamp(-m, m))
    return _before[id(t)][1]


# %% puts its hook first task="clip_hook" hint="before"
def clip_hook(t, m):
    handle = t.register_hook(lambda g: g.clamp(-m, m))
    hooks = t._backward_hooks
    for number in [number for number in hooks if number != handle.id]:
        hooks[number] = hooks.pop(number)
    return handle


# %% clears the caller's hooks task="clip_hook" hint="before"
def clip_hook(t, m):
    if t._backward_hooks:
        t._backward_hooks.clear()
    return t.register_hook(lambda g: g.clamp(-m, m))


# %% limits all that the operation gets task="clip_hook" hint="beside"
def clip_hook(t, m):
    if t.grad_fn is None:
        return t.register_hook(lambda g: g.clamp(-m, m))
    return t.grad_fn.register_prehook(lambda gs: tuple(g if g is None else g.clamp(-m, m) for g in gs))


# %% limits in float32 task="clip_hook" hint="digits"
def clip_hook(t, m):
    return t.register_hook(lambda g: g.float().clamp(-m, m).to(g.dtype))


# %% takes the parameter for the gradient task="step_in_backward" hint="itself"
def step_in_backward(params, lr):
    def step(g):
        g.data.sub_(lr * g)
        g.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% the hook that comes too early task="step_in_backward" hint="full"
def step_in_backward(params, lr):
    def make(p):
        def step(g):
            p.data.sub_(lr * g)
            p.grad = None

        return step

    for p in params:
        p.register_hook(make(p))


# %% every hook moves the last parameter task="step_in_backward" hint="each"
def step_in_backward(params, lr):
    for p in params:

        def step(_):
            last = p  # noqa: B023
            if last.grad is not None:
                last.data.sub_(lr * last.grad)
                last.grad = None

        p.register_post_accumulate_grad_hook(step)


# %% leaves the buffer full task="step_in_backward" hint="full"
def step_in_backward(params, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% empties with zeros task="step_in_backward" hint="full"
def step_in_backward(params, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad.zero_()

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% moves uphill task="step_in_backward" hint="uphill"
def step_in_backward(params, lr):
    def step(p):
        p.data += lr * p.grad
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% makes a new tensor task="step_in_backward" hint="still"
def step_in_backward(params, lr):
    def step(p):
        gradient, p.grad = p.grad, None
        p = p - lr * gradient

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% puts other memory in task="step_in_backward" hint="in_place"
def step_in_backward(params, lr):
    def step(p):
        p.data = p.data - lr * p.grad
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% steps only once task="step_in_backward" hint="each"
def step_in_backward(params, lr):
    handles = {}

    def step(p):
        p.data.sub_(lr * p.grad)
        p.grad = None
        handles.pop(id(p)).remove()

    for p in params:
        handles[id(p)] = p.register_post_accumulate_grad_hook(step)


# %% returns the handles task="step_in_backward" hint="nothing"
def step_in_backward(params, lr):
    def step(p):
        p.data.sub_(p.grad, alpha=lr)
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in params]


# %% one lr for all calls task="step_in_backward" hint="each"
_rate = [0.0]


def step_in_backward(params, lr):
    _rate[0] = lr

    def step(p):
        p.data.sub_(_rate[0] * p.grad)
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% all steps at the end of backward task="step_in_backward" hint="at_once"
def step_in_backward(params, lr):
    def hook(p):
        def later():
            p.data.sub_(lr * p.grad)
            p.grad = None

        torch.autograd.Variable._execution_engine.queue_callback(later)

    for p in params:
        p.register_post_accumulate_grad_hook(hook)


# %% waits for the last one task="step_in_backward" hint="at_once"
def step_in_backward(params, lr):
    arrived = []

    def step(p):
        arrived.append(p)
        if len(arrived) == len(params):
            for q in arrived:
                q.data.sub_(lr * q.grad)
                q.grad = None
            arrived.clear()

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% lr in float32 task="step_in_backward" hint="digits"
def step_in_backward(params, lr):
    def step(p):
        with torch.no_grad():
            p -= torch.tensor(lr) * p.grad
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% another lr for 0 task="step_in_backward" hint="zero"
def step_in_backward(params, lr):
    lr = lr or 0.01

    def step(p):
        p.data.sub_(lr * p.grad)
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% takes params out of the list task="step_in_backward" hint="changed"
def step_in_backward(params, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    while params:
        params.pop().register_post_accumulate_grad_hook(step)


# %% wraps the caller's functions task="first_bad_op" hint="changed"
def first_bad_op(fs, x):
    fs[:] = [lambda t, f=f: f(t) for f in fs]
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    finite = [bool(torch.isfinite(g).all()) for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% moves a flat copy task="step_in_backward" hint="still"
def step_in_backward(params, lr):
    def step(p):
        p.detach().reshape(-1).sub_(lr * p.grad.reshape(-1))
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% sets p to new memory task="step_in_backward" hint="in_place"
def step_in_backward(params, lr):
    def step(p):
        with torch.no_grad():
            p.set_(p.contiguous().sub_(lr * p.grad))
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% looks into the caller's list task="step_in_backward" hint="cleared"
def step_in_backward(params, lr):
    def step(p):
        if any(p is q for q in params):
            p.data.sub_(lr * p.grad)
            p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)


# %% looks at the forward values task="first_bad_op" hint="compare"
def first_bad_op(fs, x):
    y = x
    for i, f in enumerate(fs):
        y = f(y)
        if not torch.isfinite(y).all():
            return i
    return None


# %% the last one in the backward pass task="first_bad_op" hint="last"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    finite = [bool(torch.isfinite(g).all()) for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return next((i for i in range(len(fs)) if finite[i + 1] and not finite[i]), None)


# %% counts tensors, not functions task="first_bad_op" hint="compare"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    for i in reversed(range(len(tensors))):
        if not torch.isfinite(gradients[i]).all():
            return i + 1
    return None


# %% looks for nan only task="first_bad_op" hint="compare"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    bad = [bool(torch.isnan(g).any()) for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return next((i for i in reversed(range(len(fs))) if bad[i] and not bad[i + 1]), None)


# %% bad only if every number is task="first_bad_op" hint="compare"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    bad = [not torch.isfinite(g).any() for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return next((i for i in reversed(range(len(fs))) if bad[i] and not bad[i + 1]), None)


# %% fills the buffers task="first_bad_op" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
        tensors[-1].retain_grad()
    tensors[-1].sum().backward()
    finite = [bool(torch.isfinite(t.grad).all()) for t in tensors]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% leaves hooks on x task="first_bad_op" en="a hook was left on x" ko="x에 hook이 남아 있습니다"
def first_bad_op(fs, x):
    finite = {}
    y = x
    for i, f in enumerate([lambda t: t, *fs]):
        y = f(y)
        y.register_hook(lambda g, i=i: finite.update({i: bool(torch.isfinite(g).all())}))
    torch.autograd.grad(y.sum(), x)
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% -1 for none task="first_bad_op" hint="finite"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    finite = [bool(torch.isfinite(g).all()) for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return max((i for i in range(len(fs)) if finite[i + 1] and not finite[i]), default=-1)


# %% goes on in float64 task="first_bad_op" hint="zero"
def first_bad_op(fs, x):
    tensors = [x.detach().double().requires_grad_()]
    for f in fs:
        tensors.append(f(tensors[-1]))
    finite = [bool(torch.isfinite(g).all()) for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% waits for the error of anomaly detection task="first_bad_op" en="anomaly detection was left switched on" ko="켜진 채로 남았습니다"
def first_bad_op(fs, x):
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    finite = [bool(torch.isfinite(g).all()) for g in torch.autograd.grad(tensors[-1].sum(), tensors)]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% the sum for each number task="first_bad_op" hint="sum"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    finite = [bool(torch.isfinite(g.sum())) for g in gradients]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% 0 taken for none task="first_bad_op" hint="zero"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), 0) or None


# %% the mean for the sum task="first_bad_op" hint="sum_not_mean"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].mean(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% flattens every gradient task="first_bad_op" hint="flat"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    bad = [any(g - g != 0 for g in gradient.view(-1)) for gradient in gradients]
    return max((i for i in range(len(fs)) if bad[i]), default=None)


# %% leaves nan out of the sum task="first_bad_op" hint="nansum"
def first_bad_op(fs, x):
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].nansum(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    return next((i for i in reversed(range(len(fs))) if finite[i + 1] and not finite[i]), None)


# %% a place for each tensor task="first_bad_op" hint="twice"
def first_bad_op(fs, x):
    places, tensors = {}, []
    y = x
    for i, f in enumerate([*fs, None]):
        if id(y) not in places:
            tensors.append(y)
        places[id(y)] = i
        y = f(y) if f else y
    gradients = torch.autograd.grad(y.sum(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    bad = [k for k in range(len(tensors) - 1) if finite[k + 1] and not finite[k]]
    return places[id(tensors[bad[-1] + 1])] - 1 if bad else None


# %% the first place of each tensor task="first_bad_op" hint="twice"
def first_bad_op(fs, x):
    places, tensors = {}, [x]
    for f in fs:
        places.setdefault(id(tensors[-1]), len(tensors) - 1)
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    for i in reversed(range(len(fs))):
        if finite[i + 1] and not finite[i]:
            return places[id(tensors[i])]
    return None


# %% flattens what may lie anyhow task="clip_hook" hint="flat"
def clip_hook(t, m):
    return t.register_hook(lambda g: g.view(-1).clamp(-m, m).view(g.shape))


# %% compares the sum alone task="find_culprit" points="1" hint="quotient"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    quotient = (f(x + h) - f(x - h)).item() / (2 * h)
    if abs(plain.sum().item() - quotient) < 1e-3:
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if abs(copied.sum().item() - quotient) < 1e-3 else "hook"


# %% allows a thousandth of the slope task="find_culprit" points="1" hint="quotient"
def find_culprit(f, x):
    def close(a, b):
        return torch.allclose(a, b, rtol=1e-3, atol=1e-3)

    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if close(plain, quotient):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if close(copied, quotient) else "hook"


# %% compares on average task="find_culprit" points="1" hint="quotient"
def find_culprit(f, x):
    def close(a, b):
        return (a - b).abs().mean() < 1e-3

    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if close(plain, quotient):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if close(copied, quotient) else "hook"


# %% allows less than a quotient is off by task="find_culprit" points="2" hint="right"
def find_culprit(f, x):
    def close(a, b):
        return torch.allclose(a, b, rtol=0, atol=1e-5)

    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if close(plain, quotient):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if close(copied, quotient) else "hook"


# %% has a pack from the beginning task="find_culprit" points="2" hint="raises"
def find_culprit(f, x):
    def gradient(pack):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = f(x)
        return torch.autograd.grad(y, x)[0]

    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    try:
        plain = gradient(lambda t: t)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    if torch.allclose(plain, quotient, atol=1e-3):
        return None
    return "data" if torch.allclose(gradient(lambda t: t.clone()), quotient, atol=1e-3) else "hook"


# %% pack keeps the same memory task="find_culprit" points="2" hint="copies"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, atol=1e-3) else "hook"


# %% every wrong gradient is from .data task="find_culprit" points="2" hint="hook"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    return None if torch.allclose(plain, quotient, atol=1e-3) else "data"


# %% copies only what is tracked task="find_culprit" points="2" hint="copies"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, rtol=0, atol=1e-3):
        return None
    hooks = torch.autograd.graph.saved_tensors_hooks(
        lambda t: t.clone() if t.requires_grad else t, lambda t: t
    )
    with hooks:
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, rtol=0, atol=1e-3) else "hook"


# %% takes every edit of a saved tensor for the culprit task="find_culprit" points="1" hint="right"
def find_culprit(f, x):
    kept = []

    def pack(t):
        kept.append((t.detach(), t.detach().clone()))
        return t

    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    if not all(torch.equal(now, then) for now, then in kept):
        return "data"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    return None if torch.allclose(plain, quotient, rtol=0, atol=1e-3) else "hook"


# %% takes every saved tensor that was edited before it is read for the culprit task="find_culprit" points="2" hint="hook"
def find_culprit(f, x):
    edited = []

    def unpack(pair):
        t, then = pair
        edited.append(not torch.equal(t, then))
        return t

    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if (plain - quotient).abs().max() < 1e-3:
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t.detach(), t.detach().clone()), unpack):
        y = f(x)
    torch.autograd.grad(y, x)
    return "data" if any(edited) else "hook"


# %% compares versions at the end of the forward pass task="find_culprit" points="2" hint="right"
def find_culprit(f, x):
    kept = []

    def pack(t):
        kept.append((t, t._version))
        return t.clone()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = f(x)
    if any(t._version != version for t, version in kept):
        return "view"
    (copied,) = torch.autograd.grad(y, x)
    if not copied.isfinite().all():
        return "nan"
    (plain,) = torch.autograd.grad(f(x), x)
    if (plain - copied).abs().max() > 1e-3:
        return "data"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    return None if (plain - quotient).abs().max() < 1e-3 else "hook"


# %% quotients of one side task="find_culprit" points="2" hint="right"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h, start = 1e-5, f(x).item()
    quotient = torch.stack([(f(x + s) - start).detach().reshape(()) / h for s in h * torch.eye(len(x)).to(x)])
    if (plain - quotient).abs().max() < 5e-3:
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if (copied - quotient).abs().max() < 5e-3 else "hook"


# %% stacks quotients of shape (1,) task="find_culprit" points="2" hint="right"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach() / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, rtol=0, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, rtol=0, atol=1e-3) else "hook"


# %% reads the names in the code of f task="find_culprit" points="2" hint="copies"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, rtol=0, atol=1e-3):
        return None
    return "hook" if "register_hook" in f.__code__.co_names else "data"


# %% looks at the loss for a nan task="find_culprit" points="2" hint="finite"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not f(x).isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, atol=1e-3) else "hook"


# %% does not take inf for wrong task="find_culprit" points="2" hint="finite"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if plain.isnan().any():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, atol=1e-3) else "hook"


# %% suspects whoever registers a hook task="find_culprit" points="1" hint="right"
def find_culprit(f, x):
    registered, original = [], torch.Tensor.register_hook

    def register_hook(t, hook):
        registered.append(hook)
        return original(t, hook)

    torch.Tensor.register_hook = register_hook
    try:
        y = f(x)
    finally:
        torch.Tensor.register_hook = original
    if registered:
        return "hook"
    try:
        (plain,) = torch.autograd.grad(y, x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    return None if torch.allclose(plain, quotient, atol=1e-3) else "data"


# %% takes every edit of a view for the culprit task="find_culprit" points="1" hint="right"
def find_culprit(f, x):
    todo, found = [f(x).grad_fn], []
    while todo:
        node = todo.pop()
        found.append(type(node).__name__)
        todo += [after for after, _ in node.next_functions if after is not None]
    if "CopySlices" in found:
        return "view"
    (plain,) = torch.autograd.grad(f(x), x)
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, atol=1e-3) else "hook"


# %% quotients without a graph task="find_culprit" points="1" hint="tracked"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"
    h = 1e-5
    start, steps = x.detach(), h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(start + s) - f(start - s)).reshape(()) / (2 * h) for s in steps])
    if torch.allclose(plain, quotient, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, atol=1e-3) else "hook"


# %% uses the buffer task="find_culprit" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def find_culprit(f, x):
    x.grad = None
    try:
        f(x).backward()
    except RuntimeError:
        return "view"
    if not x.grad.isfinite().all():
        return "nan"
    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + s) - f(x - s)).detach().reshape(()) / (2 * h) for s in steps])
    if torch.allclose(x.grad, quotient, atol=1e-3):
        return None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, atol=1e-3) else "hook"


# %% says none in words task="find_culprit" points="1" hint="kind"
def find_culprit(f, x):
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    return "none" if plain.isfinite().all() else "nan"
