# Misconceptions of lesson 3. Each must lose its task, and be told why in the words given here.

# %%
import torch

# %% takes it that backward overwrites task="fresh_grad" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def fresh_grad(f, x):
    f(x).sum().backward()
    return x.grad.clone()


# %% empties the buffer first task="fresh_grad" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def fresh_grad(f, x):
    x.grad = None
    f(x).sum().backward(inputs=[x])
    found, x.grad = x.grad, None
    return found


# %% adds to a full buffer and takes it back to None task="fresh_grad" en="backward() added to it" ko="backward()가 더했습니다"
def fresh_grad(f, x):
    held = None if x.grad is None else x.grad.clone()
    f(x).sum().backward(inputs=[x])
    found, x.grad = x.grad, held
    return found


# %% fills the model's buffers task="fresh_grad" en="model.w.grad is not what it was" ko="model.w.grad가 부르기 전과 다릅니다"
def fresh_grad(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).sum().backward()
    return leaf.grad


# %% the mean task="fresh_grad" en="the gradient of the mean" ko="평균의 gradient입니다"
def fresh_grad(f, x):
    return torch.autograd.grad(f(x).mean(), x)[0]


# %% leaves a graph behind the result task="fresh_grad" en="Is create_graph set" ko="create_graph를 쓰지 않았나요"
def fresh_grad(f, x):
    return torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]


# %% puts a copy in the buffer's place task="fresh_grad" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def fresh_grad(f, x):
    held = None if x.grad is None else x.grad.clone()
    x.grad = None
    f(x).sum().backward(inputs=[x])
    found, x.grad = x.grad, held
    return found


# %% remembers by the numbers in x, whatever f task="fresh_grad" en="whatever the function" ko="함수가 달라졌는데도"
_known = {}


def fresh_grad(f, x):
    key = (x.dtype, x.shape, tuple(x.detach().flatten().tolist()))
    if key not in _known:
        _known[key] = torch.autograd.grad(f(x).sum(), x)[0]
    return _known[key].clone()


# %% keeps the alias task="grad_history" en="is an alias, and each backward() changes it" ko="`x.grad`는 별명이고"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad)
    return history


# %% empties in between task="grad_history" en="12 is the gradient of the last call alone" ko="12는 마지막 호출만의 gradient입니다"
def grad_history(fs, x):
    history = []
    for f in fs:
        x.grad = None
        f(x).backward()
        history.append(x.grad)
    return history


# %% the gradients of the calls, one by one task="grad_history" en="the gradients of the single calls" ko="호출 하나하나의 gradient입니다"
def grad_history(fs, x):
    history = [torch.autograd.grad(f(x), x)[0] for f in fs]
    for f in fs:
        f(x).backward()
    if len(fs) == 2 and x.grad.dtype == torch.float32:
        history[-1] = x.grad.clone()
    return history


# %% copies all but the last task="grad_history" en="the last one needs a copy too" ko="마지막 원소도 사본이어야"
def grad_history(fs, x):
    history = []
    for f in fs:
        history = [h.clone() for h in history]
        f(x).backward()
        history.append(x.grad)
    return history


# %% empties the buffer at the end task="grad_history" en="x.grad must hold the sum" ko="모든 gradient의 합이 있어야"
def grad_history(fs, x):
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
    x.grad = None
    return history


# %% works on a leaf of its own task="grad_history" en="x.grad must hold the sum" ko="모든 gradient의 합이 있어야"
def grad_history(fs, x):
    leaf = x.detach().clone().requires_grad_()
    history = []
    for f in fs:
        f(leaf).backward()
        history.append(leaf.grad.clone())
    return history


# %% ignores zero task="train5" en="these are the norms with a reset" ko="버퍼를 비웠을 때의 값"
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


# %% never empties task="train5" en="these are the norms without a reset" ko="버퍼를 비우지 않았을 때의 값"
def train5(w0, lr, zero):
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms


# %% keeps the sign task="train5" en="a norm is never negative" ko="노름은 음수가 될 수 없습니다"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
        norms.append(w)
    return norms


# %% the norm before the step task="train5" en="before the first step" ko="첫 걸음 전의"
def train5(w0, lr, zero):
    w, buffer, norms = float(w0), 0.0, []
    for _ in range(5):
        norms.append(abs(w))
        buffer = 2 * w + (0.0 if zero else buffer)
        w -= lr * buffer
    return norms


# %% trains in float32 task="train5" en="compute in float64" ko="float64로 계산하세요"
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


# %% one list for all calls task="train5" en="begin a new list in every call" ko="호출할 때마다 리스트를 새로 만드세요"
_norms_so_far = []


def train5(w0, lr, zero):
    _norms_so_far.clear()
    w, buffer = float(w0), 0.0
    for _ in range(5):
        buffer = 2 * w if zero else buffer + 2 * w
        w -= lr * buffer
        _norms_so_far.append(abs(w))
    return _norms_so_far


# %% divides by the number of pieces task="accumulate" en="right only when all are of the same size" ko="크기가 모두 같을 때만"
def accumulate(model, batches):
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y) / len(batches)).backward()


# %% forgets to divide task="accumulate" en="the means are simply added" ko="평균을 그냥 더했습니다"
def accumulate(model, batches):
    for X, Y in batches:
        torch.nn.functional.mse_loss(model(X), Y).backward()


# %% empties in the loop task="accumulate" en="only the last piece is left" ko="마지막 조각만 남았습니다"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        model.zero_grad()
        (torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows).backward()


# %% forgets the columns task="accumulate" en="the mean over all elements, columns too" ko="열까지 포함한"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        (torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / rows).backward()


# %% puts the pieces together task="accumulate" en="with that piece alone" ko="그 조각만 넣어"
def accumulate(model, batches):
    X, Y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    torch.nn.functional.mse_loss(model(X), Y).backward()


# %% one backward at the end task="accumulate" en="before backward() was called on the one before" ko="backward()를 부르기 전에 다음 조각을"
def accumulate(model, batches):
    rows = sum(len(X) for X, _ in batches)
    loss = 0
    for X, Y in batches:
        loss = loss + torch.nn.functional.mse_loss(model(X), Y) * len(X) / rows
    loss.backward()


# %% steps task="accumulate" en="the call changed model.inner itself" ko="model.inner의 값이 바뀌었습니다"
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


# %% retain_grad afterwards task="all_grads" en="retain_grad() afterwards is too late" ko="나중에 retain_grad()를 부르면"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    y.retain_grad()
    z.retain_grad()
    return x.grad.item(), y.grad, z.grad


# %% slopes of the single steps task="all_grads" en="the second is dy/dx" ko="둘째 값이 dy/dx입니다"
def all_grads(x0):
    return 3.0 / x0, 3.0 * x0**2, 1.0


# %% backward twice task="all_grads" en="x.grad added up" ko="x.grad에 쌓였습니다"
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


# %% gradients in float32 task="all_grads" en="nearly: compute in float64" ko="거의 맞습니다. float64로 계산하고"
def all_grads(x0):
    x = torch.tensor(float(x0), requires_grad=True)
    y = x**3
    z = torch.log(y)
    y.retain_grad()
    z.retain_grad()
    z.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()


# %% reads what was not kept task="all_grads" en="but a warning appeared" ko="경고가 떴습니다"
def all_grads(x0):
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    if y.grad is None:
        return x.grad.item(), 1 / y.item(), 1.0
