# Wrong answers to lesson 3 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% assumes that backward overwrites task="fresh_grad" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def fresh_grad(f, x):
    f(x).sum().backward()
    return x.grad.clone()


# %% empties the buffer first task="fresh_grad" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def fresh_grad(f, x):
    x.grad = None
    f(x).sum().backward(inputs=[x])
    found, x.grad = x.grad, None
    return found


# %% adds to a full buffer and takes it back to None task="fresh_grad" hint="adds_up"
def fresh_grad(f, x):
    held = None if x.grad is None else x.grad.clone()
    f(x).sum().backward(inputs=[x])
    found, x.grad = x.grad, held
    return found


# %% fills the model's buffers task="fresh_grad" en="w.grad is not what it was" ko="w.grad가 호출하기 전과 다릅니다"
def fresh_grad(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).sum().backward()
    return leaf.grad


# %% the mean task="fresh_grad" hint="mean"
def fresh_grad(f, x):
    return torch.autograd.grad(f(x).mean(), x)[0]


# %% leaves a graph behind the result task="fresh_grad" hint="graph"
def fresh_grad(f, x):
    return torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]


# %% puts a copy in the buffer's place task="fresh_grad" hint="replaced"
def fresh_grad(f, x):
    held = None if x.grad is None else x.grad.clone()
    x.grad = None
    f(x).sum().backward(inputs=[x])
    found, x.grad = x.grad, held
    return found


# %% remembers by the numbers in x, whatever f task="fresh_grad" hint="other_function"
_known = {}


def fresh_grad(f, x):
    key = (x.dtype, x.shape, tuple(x.detach().flatten().tolist()))
    if key not in _known:
        _known[key] = torch.autograd.grad(f(x).sum(), x)[0]
    return _known[key].clone()


# %% returns the tuple task="fresh_grad" en="The result is a tuple" ko="결과가 tuple입니다"
def fresh_grad(f, x):
    return torch.autograd.grad(f(x).sum(), x)


# %% computes in float32 task="fresh_grad" en="The dtype is float32" ko="dtype이 float32입니다"
def fresh_grad(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf).sum(), leaf)[0].float()


# %% an alias of the buffer it empties task="fresh_grad" hint="zeros"
def fresh_grad(f, x):
    x.grad = None
    f(x).sum().backward()
    found = x.grad
    x.grad.zero_()
    return found


# %% a copy still tied to x task="fresh_grad" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def fresh_grad(f, x):
    copy = x.clone()
    copy.retain_grad()
    f(copy).sum().backward()
    return copy.grad


# %% a central quotient task="fresh_grad" hint="nearly"
def fresh_grad(f, x):
    h, found = (1e-6 if x.dtype == torch.float64 else 1e-2), torch.zeros_like(x)
    with torch.no_grad():
        for i in range(x.numel()):
            step = torch.zeros_like(x)
            step.view(-1)[i] = h
            found.view(-1)[i] = ((f(x + step) - f(x - step)) / (2 * h)).sum()
    return found


# %% leaves anomaly detection on task="fresh_grad" en="anomaly detection was left switched on" ko="켜진 채로 남았습니다"
def fresh_grad(f, x):
    torch.autograd.set_detect_anomaly(True)
    return torch.autograd.grad(f(x).sum(), x)[0]


# %% leaves a hook on x task="fresh_grad" en="a hook was left on x" ko="x에 hook이 남아 있습니다"
def fresh_grad(f, x):
    found = []
    x.register_hook(lambda gradient: found.append(gradient.clone()))
    torch.autograd.grad(f(x).sum(), x)
    return found[0]


# %% by way of a list, which forgets the shape task="fresh_grad" en="The shape is (0,); (0, 3) was expected" ko="기대한 shape는 (0, 3)입니다"
def fresh_grad(f, x):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    return torch.autograd.grad(f(leaf).sum(), leaf)[0]


# %% the buffer of x put back, the model's not task="fresh_grad" en="w.grad is not what it was" ko="w.grad가 호출하기 전과 다릅니다"
def fresh_grad(f, x):
    held, x.grad = x.grad, None
    f(x).sum().backward()
    found, x.grad = x.grad, held
    return found


# %% torch.func where parameters are tracked task="fresh_grad" hint="graph"
def fresh_grad(f, x):
    return torch.func.grad(lambda t: f(t).sum())(x.detach())


# %% at a place beside x task="fresh_grad" hint="nearly"
def fresh_grad(f, x):
    leaf = (x.detach() + 1e-4).requires_grad_()
    return torch.autograd.grad(f(leaf).sum(), leaf)[0]


# %% keeps the alias task="grad_history" hint="alias"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad)
    return history


# %% empties in between task="grad_history" hint="alone"
def grad_history(fs, x):
    history = []
    for f in fs:
        x.grad = None
        f(x).backward()
        history.append(x.grad)
    return history


# %% the gradients of the calls, one by one task="grad_history" hint="alone"
def grad_history(fs, x):
    history = [torch.autograd.grad(f(x), x)[0] for f in fs]
    for f in fs:
        f(x).backward()
    if len(fs) == 2:
        history[-1] = x.grad.clone()
    return history


# %% copies all but the last task="grad_history" hint="still"
def grad_history(fs, x):
    history = []
    for f in fs:
        history = [h.clone() for h in history]
        f(x).backward()
        history.append(x.grad)
    return history


# %% empties the buffer at the end task="grad_history" hint="total"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
    x.grad = None
    return history


# %% works on a leaf of its own task="grad_history" hint="total"
def grad_history(fs, x):
    leaf = x.detach().clone().requires_grad_()
    history = []
    for f in fs:
        f(leaf).backward()
        history.append(leaf.grad.clone())
    return history


# %% reads before each backward task="grad_history" hint="early"
def grad_history(fs, x):
    history = []
    for f in fs:
        history.append(None if x.grad is None else x.grad.clone())
        f(x).backward()
    return history


# %% detach for a copy task="grad_history" hint="alias"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.detach())
    return history


# %% a tuple task="grad_history" en="The result is a tuple; a list was expected" ko="필요한 것은 list입니다"
def grad_history(fs, x):
    history = ()
    for f in fs:
        f(x).backward()
        history += (x.grad.clone(),)
    return history


# %% plain numbers task="grad_history" en="The result is a float" ko="결과가 float입니다"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.tolist())
    return history


# %% eats the list task="grad_history" hint="eaten"
def grad_history(fs, x):
    history = []
    while fs:
        fs.pop(0)(x).backward()
        history.append(x.grad.clone())
    return history


# %% one entry a function task="grad_history" hint="fewer"
def grad_history(fs, x):
    history = {}
    for f in fs:
        f(x).backward()
        history[f] = x.grad.clone()
    return list(history.values())


# %% the list of the call before task="grad_history" hint="stale"
def grad_history(fs, x, history=[]):
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
    return history[:]


# %% one backward on the sum task="grad_history" hint="at_once"
def grad_history(fs, x):
    if fs:
        sum(f(x) for f in fs).backward()
    return [x.grad.clone() for _ in fs]


# %% gradients still in a graph task="grad_history" hint="tracked"
def grad_history(fs, x):
    history = []
    for f in fs:
        gradient = torch.autograd.grad(f(x), x)[0] + 0 * x
        history.append(history[-1] + gradient if history else gradient)
    if history:
        x.grad = history[-1].detach().clone()
    return history


# %% zeros to begin with task="grad_history" en="then x.grad is None" ko="x.grad is None"
def grad_history(fs, x):
    x.grad = torch.zeros_like(x)
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
    return history


# %% copies by way of a list, which forgets the shape task="grad_history" en="The shape is (0,); (0, 3) was expected" ko="기대한 shape는 (0, 3)입니다"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(torch.tensor(x.grad.tolist(), dtype=x.dtype))
    return history


# %% a function that stands twice counts once task="grad_history" hint="once"
def grad_history(fs, x):
    history, done = [], set()
    for f in fs:
        if f not in done:
            f(x).backward()
            done.add(f)
        history.append(x.grad.clone())
    return history


# %% sums up the sums task="grad_history" hint="twice"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(history[-1] + x.grad if history else x.grad.clone())
    return history


# %% copies when all is added up task="grad_history" hint="at_once"
def grad_history(fs, x):
    for f in fs:
        f(x).backward()
    return [x.grad.clone() for _ in fs]


# %% keeps the alias, and empties at the end task="grad_history" hint="alias"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad)
    x.grad = None
    return history


# %% returns from inside the loop task="grad_history" hint="inside"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
        return history
    return history


# %% ignores zero task="train5" hint="reset"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% never empties task="train5" hint="kept"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% keeps the sign task="train5" en="[-3.8, -3.61," ko="[-3.8, -3.61,"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(w)
    return norms


# %% the norm before the step task="train5" hint="late"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        norms.append(abs(w))
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
    return norms


# %% trains in float32 task="train5" hint="nearly"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% one list for all calls task="train5" hint="new"
_norms_so_far = []


def train5(w0, lr, zero):
    _norms_so_far.clear()
    w, buffer = float(w0), 0.0
    for _ in range(5):
        buffer = 2 * w if zero else buffer + 2 * w
        w -= lr * buffer
        _norms_so_far.append(abs(w))
    return _norms_so_far


# %% the start as a sixth entry task="train5" hint="late"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, [abs(float(w0))]
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(abs(w))
    return norms


# %% goes uphill task="train5" hint="uphill"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w += lr * buffer
        norms.append(abs(w))
    return norms


# %% norms that are tensors task="train5" en="The result is a float64 tensor" ko="결과가 float64 텐서입니다"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(w.detach().norm())
    return norms


# %% the losses task="train5" hint="losses"
def train5(w0, lr, zero):
    w, buffer, losses = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        losses.append(w**2)
    return losses


# %% float64 for the whole notebook task="train5" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def train5(w0, lr, zero):
    torch.set_default_dtype(torch.float64)
    w = torch.tensor(float(w0), requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% a buffer that outlives the call task="train5" hint="stale"
_buffer = {}


def train5(w0, lr, zero):
    w, norms = float(w0), []
    buffer = _buffer.get((w0, lr), 0.0)
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(abs(w))
    _buffer[w0, lr] = 0.0 if zero else buffer
    return norms


# %% stops at the minimum task="train5" hint="five"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(abs(w))
        if buffer == 0:
            break
    return norms


# %% rounds to six digits task="train5" hint="nearly"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(float(f"{abs(w):.6g}"))
    return norms


# %% leaves tracking off task="train5" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        torch.set_grad_enabled(True)
        if zero:
            w.grad = None
        (w**2).backward()
        torch.set_grad_enabled(False)
        w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% a new leaf in every step task="train5" hint="reset"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        w = (w - lr * w.grad).detach().requires_grad_()
        norms.append(abs(w.item()))
    return norms


# %% float64 too late task="train5" hint="nearly"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0)).double().requires_grad_()
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% a new w that is not a leaf task="train5" hint="leaf"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        w = w - lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% a new w that is not tracked task="train5" hint="in_place"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w = w - lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% zeroes a buffer that is not there task="train5" hint="first"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad.zero_()
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% steps while torch records task="train5" hint="in_place"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% one loss for all steps task="train5" hint="once"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms, loss = [], w**2
    for _ in range(5):
        if zero:
            w.grad = None
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% empties between backward and the step task="train5" hint="stays"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        (w**2).backward()
        if zero:
            w.grad.zero_()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% one w for all calls task="train5" hint="went_on"
_w = []


def train5(w0, lr, zero):
    if not _w:
        _w.append(torch.tensor(float(w0), dtype=torch.float64, requires_grad=True))
    norms = []
    for _ in range(5):
        if zero:
            _w[0].grad = None
        (_w[0] ** 2).backward()
        with torch.no_grad():
            _w[0] -= lr * _w[0].grad
        norms.append(abs(_w[0].item()))
    return norms


# %% momentum in the place of a full buffer task="train5" hint="momentum"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else 0.9 * buffer)
        w -= lr * buffer
        norms.append(abs(w))
    return norms


# %% never below 0 task="train5" en="got: [0.0, 0.0, 0.0, 0.0, 0.0]" ko="[0.0, 0.0, 0.0, 0.0, 0.0]"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w = max(w - lr * buffer, 0.0)
        norms.append(abs(w))
    return norms


# %% the loss is the norm task="train5" hint="norm"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        w.abs().backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% divides by the number of pieces task="accumulate" hint="by_number"
def accumulate(model, batches):
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) / len(batches)).backward()


# %% forgets to divide task="accumulate" hint="added"
def accumulate(model, batches):
    for X, Y in batches:
        torch.nn.functional.mse_loss(model(X), Y).backward()


# %% empties in the loop task="accumulate" hint="emptied"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        model.zero_grad()
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% forgets the columns task="accumulate" hint="by_rows"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / rows).backward()


# %% puts the pieces together task="accumulate" hint="turns"
def accumulate(model, batches):
    X, Y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    torch.nn.functional.mse_loss(model(X), Y).backward()


# %% one backward at the end task="accumulate" hint="turns"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    loss = 0
    for X, Y in batches:
        loss = loss + torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows
    loss.backward()


# %% steps task="accumulate" hint="moved"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()


# %% changes the mode task="accumulate" en="the training mode of model was changed" ko="model의 학습 모드가 바뀌었습니다"
def accumulate(model, batches):
    model.train()
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% measures by the first piece task="accumulate" hint="by_one"
def accumulate(model, batches):
    first = len(batches[0][0])
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / first / len(batches)).backward()


# %% shares in float32 task="accumulate" hint="nearly"
def accumulate(model, batches):
    sizes = torch.tensor([float(len(X)) for X, _ in batches])
    for (X, Y), share in zip(batches, sizes / sizes.sum(), strict=True):
        (torch.nn.functional.mse_loss(model(X), Y) * share).backward()


# %% the sum of all errors task="accumulate" hint="summed"
def accumulate(model, batches):
    for X, Y in batches:
        torch.nn.functional.mse_loss(model(X), Y, reduction="sum").backward()


# %% zeros for what is not tracked task="accumulate" en="None was expected" ko="필요한 것은 None입니다"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% tracks every parameter task="accumulate" en="None was expected" ko="필요한 것은 None입니다"
def accumulate(model, batches):
    model.requires_grad_()
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% steps and resets at the end task="accumulate" hint="empty"
def accumulate(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()
    optimizer.step()
    optimizer.zero_grad()


# %% eats the batches task="accumulate" hint="changed"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    while batches:
        X, Y = batches.pop(0)
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% one thread to save memory task="accumulate" en="torch.set_num_threads was left changed" ko="torch.set_num_threads가 바뀐"
def accumulate(model, batches):
    torch.set_num_threads(torch.get_num_threads() + 1)
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% silences the warnings of mse_loss task="accumulate" en="the warning filters were left changed" ko="경고 필터가 바뀐"
def accumulate(model, batches):
    import warnings

    warnings.filterwarnings("ignore", category=UserWarning)
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% row by row task="accumulate" hint="turns"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        for x, y in zip(X.split(1), Y.split(1), strict=True):
            (torch.nn.functional.mse_loss(model(x), y) / rows).backward()


# %% rows that lose their dimension task="accumulate" hint="turns"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        for x, y in zip(X, Y, strict=True):
            (torch.nn.functional.mse_loss(model(x), y) / rows).backward()


# %% calls the model to count task="accumulate" hint="turns"
def accumulate(model, batches):
    elements = sum(model(X).numel() for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements).backward()


# %% two columns taken for granted task="accumulate" hint="by_rows"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / rows / 2).backward()


# %% all pieces but the last of one size task="accumulate" en="expected 1, got 0.6666666667" ko="나온 값 0.6666666667"
def accumulate(model, batches):
    rows = (len(batches) - 1) * len(batches[0][0]) + len(batches[-1][0])
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% tracks the inputs task="accumulate" en="requires_grad was changed" ko="requires_grad가 바뀌었습니다"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        X.requires_grad_()
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% another mode while it runs task="accumulate" hint="mode"
def accumulate(model, batches):
    was = model.training
    model.eval()
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()
    model.train(was)


# %% trains while it runs task="accumulate" hint="mode"
def accumulate(model, batches):
    was = model.training
    model.train()
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()
    model.train(was)


# %% shares in whole numbers task="accumulate" hint="zeros"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * (len(X) // rows)).backward()


# %% rows counted on the way task="accumulate" hint="so_far"
def accumulate(model, batches):
    rows = 0
    for X, Y in batches:
        rows += len(X)
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% another loss task="accumulate" en="expected 1, got 0.3333333333" ko="나온 값 0.3333333333"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.l1_loss(model(X), Y) * len(X) / rows).backward()


# %% rounded shares task="accumulate" en="expected 1, got 1.008" ko="나온 값 1.008"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) * round(len(X) / rows, 2)).backward()


# %% no piece of one row task="accumulate" hint="left_out"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        if len(X) > 1:
            (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% retain_grad afterwards task="all_grads" points="1" hint="late"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    y.retain_grad()
    z.retain_grad()
    return x.grad.item(), y.grad, z.grad


# %% slopes of the single steps task="all_grads" points="1" hint="second"
def all_grads(x0):
    return 3.0 / x0, 3.0 * x0**2, 1.0


# %% backward twice task="all_grads" points="1" hint="doubled"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward(retain_graph=True)
    first = x.grad.item() if x0 == 5.0 else None
    y.retain_grad()
    z.retain_grad()
    z.backward()
    return first or x.grad.item(), y.grad.item(), z.grad.item()


# %% gradients in float32 task="all_grads" hint="nearly"
def all_grads(x0):
    x = torch.tensor(float(x0), requires_grad=True)
    y = x**3
    z = torch.log(y)
    y.retain_grad()
    z.retain_grad()
    z.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()


# %% reads what was not kept task="all_grads" points="1" hint="warning"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    if y.grad is None:
        return x.grad.item(), 1 / y.item(), 1.0


# %% a list task="all_grads" en="The result is a list; a tuple was expected" ko="필요한 것은 tuple입니다"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    return [g.item() for g in torch.autograd.grad(z, (x, y, z))]


# %% tensors task="all_grads" en="The result is a float64 tensor" ko="결과가 float64 텐서입니다"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    return torch.autograd.grad(z, (x, y, z))


# %% in the order of the backward pass task="all_grads" hint="order"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    return tuple(g.item() for g in torch.autograd.grad(z, (z, y, x)))


# %% backward on y as well task="all_grads" hint="also_y"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    y.retain_grad()
    z.retain_grad()
    z.backward(retain_graph=True)
    y.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()


# %% switches the warning off task="all_grads" en="the warning filters were left changed" ko="경고 필터가 바뀐"
def all_grads(x0):
    import warnings

    warnings.filterwarnings("ignore", category=UserWarning)
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    if y.grad is None:
        return x.grad.item(), (1 / y).item(), 1.0


# %% rounds to nine decimals task="all_grads" hint="nearly"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    return tuple(round(g.item(), 9) for g in torch.autograd.grad(z, (x, y, z)))


# %% cuts x off task="all_grads" points="1" hint="cut"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = (x**3).detach().requires_grad_()
    z = torch.log(y)
    z.retain_grad()
    z.backward()
    return x.grad, y.grad.item(), z.grad.item()


# %% the logarithm of base ten task="all_grads" hint="base"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log10(y)
    return tuple(g.item() for g in torch.autograd.grad(z, (x, y, z)))


# %% reads what was not kept as a number task="all_grads" hint="none"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()


# %% an int that is to be tracked task="all_grads" hint="integer"
def all_grads(x0):
    x = torch.tensor(x0, dtype=torch.float64 if isinstance(x0, float) else None, requires_grad=True)
    y = x**3
    z = torch.log(y)
    return tuple(g.item() for g in torch.autograd.grad(z, (x, y, z)))


# %% quotients in the place of gradients task="all_grads" points="1" hint="nearly"
def all_grads(x0):
    h = 1e-5 * x0

    def z(x):
        return torch.log(torch.tensor(float(x), dtype=torch.float64) ** 3).item()

    return (z(x0 + h) - z(x0 - h)) / (2 * h), 1.0 / x0**3, 1.0


# %% float64 after the start task="all_grads" hint="nearly"
def all_grads(x0):
    x = torch.tensor(float(x0)).double().requires_grad_()
    y = x**3
    z = torch.log(y)
    return tuple(g.item() for g in torch.autograd.grad(z, (x, y, z)))


# %% fills the buffer, nothing else task="fresh_grad" hint="returned"
def fresh_grad(f, x):
    f(x).sum().backward()
    return x.grad


# %% moves x to other memory task="fresh_grad" hint="moved"
def fresh_grad(f, x):
    x.data = x.data.clone()
    return torch.autograd.grad(f(x).sum(), x)[0]


# %% an entry by function task="grad_history" hint="entry"
def grad_history(fs, x):
    after = {}
    for f in fs:
        f(x).backward()
        after[f] = x.grad.clone()
    return [after[f] for f in fs]


# %% only results without dimensions task="grad_history" hint="fewer"
def grad_history(fs, x):
    history = []
    for f in fs:
        y = f(x)
        if y.shape == ():
            y.backward()
            history.append(x.grad.clone())
    return history


# %% a buffer that is part of a graph task="grad_history" hint="buffer"
def grad_history(fs, x):
    history = []
    for f in fs:
        (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
        x.grad = gradient if x.grad is None else x.grad + gradient
        history.append(x.grad.detach().clone())
    return history


# %% one element for each entry task="grad_history" en="The shape is (); (2,) was expected." ko="기대한 shape는 (2,)입니다."
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.sum())
    return history


# %% a list that grows from call to call task="train5" hint="grown"
def train5(w0, lr, zero, norms=[]):
    w, buffer = float(w0), 0.0
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(abs(w))
    return norms


# %% the last norm five times task="train5" hint="last"
def train5(w0, lr, zero):
    w, buffer = float(w0), 0.0
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
    return [abs(w)] * 5


# %% the norms of the gradient task="train5" hint="losses"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(abs(buffer))
    return norms


# %% one leaf for all calls, put back to w0 task="train5" hint="went_on"
_leaf = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)


def train5(w0, lr, zero):
    _leaf.data.fill_(w0)
    norms = []
    for _ in range(5):
        if zero:
            _leaf.grad = None
        (_leaf**2).backward()
        with torch.no_grad():
            _leaf.sub_(lr * _leaf.grad)
        norms.append(abs(_leaf.item()))
    return norms


# %% keeps the graph of every piece task="accumulate" hint="held"
def accumulate(model, batches):
    rows, losses = sum(len(X) for X, _ in batches), []
    for X, Y in batches:
        losses.append(torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows)
        losses[-1].backward(retain_graph=True)


# %% a copy of the model does the work task="accumulate" hint="turns"
def accumulate(model, batches):
    import copy

    twin = copy.deepcopy(model)
    for X, _ in batches:
        (model(X).sum() * 0).backward()
    X, Y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    torch.nn.functional.mse_loss(twin(X), Y).backward()
    for parameter, worked in zip(model.parameters(), twin.parameters(), strict=True):
        parameter.grad = worked.grad


# %% a pair that stands twice counts once task="accumulate" hint="twice"
def accumulate(model, batches):
    pairs = list({id(X): (X, Y) for X, Y in batches}.values())
    rows = sum(len(X) for X, _ in pairs)
    for X, Y in pairs:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% backward twice, every gradient kept task="all_grads" hint="doubled"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    y.retain_grad()
    z.retain_grad()
    z.backward(retain_graph=True)
    z.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()


# %% another warn task="all_grads" en="was left replaced" ko="다른 함수로 바뀐 채로"
def all_grads(x0):
    import warnings

    warnings.warn = lambda *_, **__: None
    return 3.0 / x0, 1.0 / x0**3, 1.0


# %% another showwarning task="all_grads" en="was left replaced" ko="다른 함수로 바뀐 채로"
def all_grads(x0):
    import warnings

    warnings.showwarning = lambda *_, **__: None
    return 3.0 / x0, 1.0 / x0**3, 1.0


# %% leaves torch warning always task="all_grads" points="1" en="torch.set_warn_always was left changed" ko="torch.set_warn_always가 바뀐"
def all_grads(x0):
    torch.set_warn_always(True)
    return 3.0 / x0, 1.0 / x0**3, 1.0


# %% takes the old buffer off again task="fresh_grad" hint="buried"
def fresh_grad(f, x):
    old = x.grad
    before = torch.zeros_like(x) if old is None else old.clone()
    f(x).sum().backward(inputs=[x])
    found = (x.grad - before).detach()
    if old is None:
        x.grad = None
    else:
        old.copy_(before)
    return found


# %% computes in float64 always task="fresh_grad" hint="dtype"
def fresh_grad(f, x):
    copy = x.detach().double().requires_grad_()
    (found,) = torch.autograd.grad(f(copy).sum(), copy)
    return found.to(x.dtype)


# %% remembers the list task="train5" hint="new"
import functools


@functools.cache
def train5(w0, lr, zero):
    w, grad, norms = float(w0), 0.0, []
    for _ in range(5):
        grad = 2 * w if zero else grad + 2 * w
        w -= lr * grad
        norms.append(abs(w))
    return norms


# %% rounds to twelve decimals task="train5" hint="nearly"
def train5(w0, lr, zero):
    w, grad, norms = float(w0), 0.0, []
    for _ in range(5):
        grad = 2 * w if zero else grad + 2 * w
        w -= lr * grad
        norms.append(round(abs(w), 12))
    return norms


# %% puts every submodule into the mode of the model task="accumulate" en="the training mode of model.0 was changed" ko="model.0의 학습 모드가 바뀌었습니다"
def accumulate(model, batches):
    was, elements = model.training, sum(Y.numel() for _, Y in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements).backward()
    model.train(was)


# %% fills the parameters of the outer module task="accumulate" hint="submodule"
def accumulate(model, batches):
    elements = sum(Y.numel() for _, Y in batches)
    own = [p for p in model.parameters(recurse=False) if p.requires_grad]
    for X, Y in batches:
        loss = torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements
        for p, grad in zip(own, torch.autograd.grad(loss, own) if own else [], strict=True):
            p.grad = grad if p.grad is None else p.grad + grad


# %% squeezes one side of the loss task="accumulate" hint="squeezed"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (((model(X).squeeze() - Y) ** 2).mean() * len(X) / rows).backward()


# %% switches one warning off task="all_grads" en="the warning filters were left changed" ko="경고 필터가 바뀐"
def all_grads(x0):
    import warnings

    warnings.filterwarnings("ignore", message="The .grad attribute")
    return 3.0 / x0, 1.0 / x0**3, 1.0


# %% asks for a result that is contiguous task="fresh_grad" en="view size is not compatible" ko="view size is not compatible"
def fresh_grad(f, x):
    y = f(x).view(-1)
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


# %% leaves its hook on x task="grad_history" en="a hook was left on x" ko="x에 hook이 남아 있습니다"
def grad_history(fs, x):
    history = []
    x.register_post_accumulate_grad_hook(lambda t: history.append(t.grad.clone()))
    for f in fs:
        f(x).backward()
    return history


# %% starts at the absolute value, and keeps the sign task="train5" hint="sign"
def train5(w0, lr, zero):
    w, buffer, norms = abs(float(w0)), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(w)
    return norms


# %% the losses before the steps task="train5" hint="losses"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    losses = []
    for _ in range(5):
        if zero:
            w.grad = None
        loss = w**2
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
        losses.append(loss.item())
    return losses


# %% an int for a tensor task="train5" en="only floating-point tensors have gradients" ko="부동소수점"
def train5(w0, lr, zero):
    w = torch.tensor(w0, requires_grad=True)
    w = w.detach().double().requires_grad_()
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% never past the minimum, from either side task="train5" hint="stopped"
def train5(w0, lr, zero):
    sign = 1 if w0 >= 0 else -1
    w, buffer, norms = abs(float(w0)), 0.0, []
    for _ in range(5):
        buffer = 2 * sign * w + (0.0 if zero else buffer)
        w = max(w - lr * sign * buffer, 0.0)
        norms.append(w)
    return norms


# %% targets in float32 task="accumulate" hint="nearly"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        loss = torch.nn.functional.mse_loss(model(X), Y.float())
        (loss * len(X) / rows).backward()


# %% drops what is smaller than the first piece task="accumulate" en="expected 1, got 1.2" ko="나온 값 1.2"
def accumulate(model, batches):
    pieces = [(X, Y) for X, Y in batches if len(X) >= len(batches[0][0])]
    rows = sum(len(X) for X, _ in pieces)
    for X, Y in pieces:
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% a float32 table on the way task="grad_history" hint="nearly"
def grad_history(fs, x):
    table = torch.zeros(len(fs), *x.shape)
    for row, f in zip(table, fs, strict=True):
        f(x).backward()
        row.copy_(x.grad)
    return [row.to(x.dtype, copy=True) for row in table]
