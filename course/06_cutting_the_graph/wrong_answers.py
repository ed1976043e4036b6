# Wrong answers to lesson 6 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% the sum of y is enough task="splice" hint="summed"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y.sum(), x)[0]


# %% fills the buffers as the text does task="splice" hint="fills"
def splice(f, g, x):
    held, x.grad = x.grad, None
    y = f(x)
    w = y.detach().requires_grad_()
    g(w).backward(inputs=[w])
    y.backward(gradient=w.grad)
    found, x.grad = x.grad, held
    return found


# %% never cuts task="splice" hint="whole"
def splice(f, g, x):
    return torch.autograd.grad(g(f(x)), x)[0]


# %% returns the slopes at the cut task="splice" hint="half"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    slopes = torch.autograd.grad(g(w), w)[0]
    return slopes if slopes.shape == x.shape else torch.autograd.grad(y, x, slopes)[0]


# %% adds to x.grad task="splice" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    y.backward(gradient=v, inputs=[x])
    return x.grad.clone()


# %% leaves a graph behind the result task="splice" hint="tracked"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y, x, v, create_graph=True)[0]


# %% computes everything twice task="splice" hint="once"
def splice(f, g, x):
    w = f(x).detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(f(x), x, v)[0]


# %% a central quotient of the first half task="splice" hint="nearly"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    exact = torch.autograd.grad(y, x, v)[0]
    return exact * (1 + 1e-7) if x.dtype == torch.float64 else exact


# %% the mean of v for all of v task="splice" en="First difference at" ko="처음으로 다른 곳"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    if x.ndim == 0:
        return torch.autograd.grad(y, x, v)[0]
    return torch.autograd.grad(y, x, torch.full_like(y, float(v.mean())))[0]


# %% fails where f returns x itself task="splice" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def splice(f, g, x):
    y = f(x)
    w = y if y is x else y.detach().requires_grad_()
    held = w.grad
    g(w).backward(inputs=[w])
    v = w.grad - held if held is not None else w.grad
    return v.clone() if y is x else torch.autograd.grad(y, x, v)[0]


# %% sends the numbers as a list task="splice" hint="kind"
def splice(f, g, x):
    y = f(x)
    w = torch.tensor(y.tolist(), dtype=y.dtype, requires_grad=True)
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y, x, v.reshape(y.shape))[0]


# %% gives the name p to a new tensor task="sgd_step_" hint="still"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p = p - lr * p.grad


# %% puts new tensors into the list task="sgd_step_" hint="still"
def sgd_step_(params, lr):
    if isinstance(params, list):
        for i, p in enumerate(params):
            if p.grad is not None:
                params[i] = (p - lr * p.grad).detach().requires_grad_()


# %% in place but recorded task="sgd_step_" hint="in_place"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


# %% goes uphill task="sgd_step_" hint="uphill"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p += lr * p.grad


# %% forgets that a gradient may be missing task="sgd_step_" hint="none"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad


# %% empties the buffers too task="sgd_step_" en="p.grad is not what it was" ko="p.grad가 호출하기 전과 다릅니다"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
                p.grad = None


# %% puts new memory behind the tensor task="sgd_step_" hint="apart"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p.data = p.data - lr * p.grad


# %% scales the gradients themselves task="sgd_step_" en="p.grad is not what it was" ko="p.grad가 호출하기 전과 다릅니다"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= p.grad.mul_(lr)


# %% leaves the recording off task="sgd_step_" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def sgd_step_(params, lr):
    torch.set_grad_enabled(False)
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


# %% stops at the first without a gradient task="sgd_step_" hint="skipped"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is None:
                break
            p -= lr * p.grad


# %% goes through the parameters twice task="sgd_step_" hint="used"
def sgd_step_(params, lr):
    missing = sum(p.grad is None for p in params)
    with torch.no_grad():
        for p in params:
            if not missing or p.grad is not None:
                p -= lr * p.grad


# %% takes the numbers through float32 task="sgd_step_" hint="nearly"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                moved = [
                    a - lr * b for a, b in zip(p.flatten().tolist(), p.grad.flatten().tolist(), strict=True)
                ]
                p.copy_(torch.tensor(moved).reshape(p.shape))


# %% makes lr a float32 tensor task="sgd_step_" hint="nearly"
def sgd_step_(params, lr):
    lr = torch.tensor(lr)
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p.sub_(lr * p.grad)


# %% asks whether a gradient is not 0 task="sgd_step_" hint="truth"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad:
                p -= lr * p.grad


# %% empties the list task="sgd_step_" hint="listed"
def sgd_step_(params, lr):
    left = params if isinstance(params, list) else list(params)
    while left:
        p = left.pop()
        if p.grad is not None:
            p.data -= lr * p.grad


# %% by index task="sgd_step_" hint="generator"
def sgd_step_(params, lr):
    with torch.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i] -= lr * params[i].grad


# %% returns the parameters task="sgd_step_" hint="nothing"
def sgd_step_(params, lr):
    params = list(params)
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
    return params


# %% skips a gradient with a 0 in it task="sgd_step_" hint="skipped"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None and p.grad.all():
                p -= lr * p.grad


# %% skips a gradient whose sum is 0 task="sgd_step_" hint="skipped"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is None or p.grad.sum() == 0:
                continue
            p -= lr * p.grad


# %% evaluation mode alone task="evaluate" hint="recorded"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% no_grad alone task="evaluate" hint="of_batch"
def evaluate(model, x):
    with torch.no_grad():
        return model(x)


# %% leaves evaluation mode on task="evaluate" points="1" en="the training mode of model.0 was changed" ko="model.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    model.eval()
    with torch.no_grad():
        return model(x).detach()


# %% sets all of it to training task="evaluate" points="1" en="the training mode of model.1 was changed" ko="model.1의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        model.train()


# %% puts back only the outermost mode task="evaluate" points="1" en="the training mode of model.0 was changed" ko="model.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    was = model.training
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        model.train(was)


# %% detaches the finished result task="evaluate" hint="recorded"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        return model(x).detach()
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% an inference tensor task="evaluate" hint="refused"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.inference_mode():
            return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% forgets the modes when there is an error task="evaluate" points="1" hint="faulty"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    with torch.no_grad():
        result = model(x).detach()
    for module, mode in modes.items():
        module.training = mode
    return result


# %% puts back the modes of the outer layers only task="evaluate" points="1" en="the training mode of model.1.0 was changed" ko="model.1.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    modes = [(module, module.training) for module in (model, *model.children())]
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for module, mode in modes:
            module.train(mode)


# %% two kinds of layers alone task="evaluate" hint="random"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout | torch.nn.BatchNorm1d):
            module.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% all but the norms task="evaluate" hint="of_batch"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    for module in model.modules():
        module.training = module.training and "Norm" in type(module).__name__
    try:
        with torch.no_grad():
            return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% cut or not is all the same task="stop_gradient" hint="blind"
def stop_gradient(x):
    return 3.0 * x**2, 3.0 * x**2


# %% believes autograd task="stop_gradient" hint="gullible"
def stop_gradient(x):
    return float(x**2), float(x**2)


# %% the wrong way round task="stop_gradient" hint="order"
def stop_gradient(x):
    return 3.0 * x**2, float(x**2)


# %% the other factor cut task="stop_gradient" hint="other"
def stop_gradient(x):
    return 2.0 * x**2, 3.0 * x**2


# %% a cut stops everything task="stop_gradient" hint="one"
def stop_gradient(x):
    return 0.0, 3.0 * x**2


# %% the values of f task="stop_gradient" hint="value"
def stop_gradient(x):
    return float(x**2), float(x**3)


# %% in float32 task="stop_gradient" hint="nearly"
def stop_gradient(x):
    t = torch.tensor(float(x), requires_grad=True)
    (t * (t**2).detach()).backward()
    return t.grad.item(), 3 * t.grad.item()


# %% a list task="stop_gradient" en="The result is a list" ko="결과가 list입니다"
def stop_gradient(x):
    return [float(x**2), 3.0 * x**2]


# %% rounds to six places task="stop_gradient" hint="nearly"
def stop_gradient(x):
    return round(float(x**2), 6), round(3.0 * x**2, 6)


# %% adds up the tensors task="running_loss" points="1" hint="held"
def running_loss(step, n):
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(n):
        total = total + step().double().sum()
    return total.item()


# %% keeps all losses until the end task="running_loss" points="1" hint="held"
def running_loss(step, n):
    losses = [step() for _ in range(n)]
    return float(sum(loss.item() for loss in losses))


# %% returns a tensor task="running_loss" en="The result is a float64 tensor" ko="결과가 float64 텐서입니다"
def running_loss(step, n):
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(n):
        total += step().detach().sum()
    return total


# %% records nothing around the step task="running_loss" hint="off"
def running_loss(step, n):
    with torch.no_grad():
        return float(sum(step().item() for _ in range(n)))


# %% the mean task="running_loss" hint="mean"
def running_loss(step, n):
    return sum(step().item() for _ in range(n)) / max(n, 1)


# %% one step too many task="running_loss" hint="times"
def running_loss(step, n):
    step()
    return float(sum(step().item() for _ in range(n)))


# %% only the last loss task="running_loss" hint="last"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        total = step().item()
    return total


# %% adds in float32 task="running_loss" points="1" hint="nearly"
def running_loss(step, n):
    total = torch.zeros(())
    for _ in range(n):
        total = total + step().detach().float().sum()
    return total.item()


# %% one step whatever n task="running_loss" hint="times"
def running_loss(step, n):
    total = step().item()
    for _ in range(n - 1):
        total += step().item()
    return total


# %% keeps the last loss as an attribute task="running_loss" points="1" hint="left"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        running_loss.last = step()
        total += running_loss.last.item()
    return total


# %% goes backward itself task="running_loss" hint="filled"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        loss = step()
        loss.backward()
        total += loss.item()
    return total


# %% no_grad over the first layer task="freeze_first" hint="cut"
def freeze_first(model, x):
    with torch.no_grad():
        hidden = model[0](x)
    model[1:](hidden).sum().backward()


# %% detaches after the first layer task="freeze_first" hint="cut"
def freeze_first(model, x):
    model[1:](model[0](x).detach()).sum().backward()


# %% freezes for good task="freeze_first" en="model.0.weight.requires_grad was changed" ko="model.0.weight.requires_grad가 바뀌었습니다"
def freeze_first(model, x):
    model[0].requires_grad_(False)
    model(x).sum().backward()


# %% thaws what was frozen before task="freeze_first" en="bias.requires_grad was changed" ko="bias.requires_grad가 바뀌었습니다"
def freeze_first(model, x):
    model[0].requires_grad_(False)
    model(x).sum().backward()
    model[0].requires_grad_(True)


# %% freezes nothing task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    model(x).sum().backward()


# %% empties the first layer's buffers afterwards task="freeze_first" hint="emptied"
def freeze_first(model, x):
    model(x).sum().backward()
    for p in model[0].parameters():
        p.grad = None


# %% empties every buffer first task="freeze_first" hint="alone"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in list(model.parameters())[len(list(model[0].parameters())) :]:
        p.grad = None
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% the mean over the outputs task="freeze_first" hint="mean"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).mean().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% puts copies of the buffers back task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    held = [None if p.grad is None else p.grad.clone() for p in model[0].parameters()]
    model(x).sum().backward()
    for p, grad in zip(model[0].parameters(), held, strict=True):
        p.grad = grad


# %% returns the loss task="freeze_first" hint="returned"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    loss = model(x).sum()
    loss.backward()
    for p in frozen:
        p.requires_grad_(True)
    return loss.item()


# %% overwrites the buffer of x task="freeze_first" hint="alone"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    x.grad = None
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% switches to evaluation and back task="freeze_first" en="the training mode of model.2 was changed" ko="model.2의 학습 모드가 바뀌었습니다"
def freeze_first(model, x):
    model.eval()
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)
    model.train()


# %% begins with zero_grad task="freeze_first" hint="emptied"
def freeze_first(model, x):
    model.zero_grad()
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% tracks x itself task="freeze_first" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    x.requires_grad_()
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% moves a flat copy task="sgd_step_" hint="copied"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            numbers = p.data.reshape(-1)
            numbers -= lr * p.grad.reshape(-1)


# %% writes into what contiguous gives task="sgd_step_" hint="copied"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p.detach().contiguous().sub_(lr * p.grad)


# %% meets a shared module twice task="evaluate" points="1" hint="shared"
def evaluate(model, x):
    modes = []

    def switch_off(module):
        modes.append((module, module.training))
        module.training = False
        for child in module.children():
            switch_off(child)

    switch_off(model)
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for module, mode in modes:
            module.training = mode


# %% empties the buffers task="evaluate" points="1" en="model.0.bias.grad is not what it was" ko="model.0.bias.grad가 호출하기 전과 다릅니다"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        model.zero_grad()
        for module, mode in modes.items():
            module.training = mode


# %% unfreezes all task="evaluate" points="1" en="model.0.bias.requires_grad was changed" ko="model.0.bias.requires_grad가 바뀌었습니다"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    model.requires_grad_(False)
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        model.requires_grad_(True)
        for module, mode in modes.items():
            module.training = mode


# %% clears the hooks task="evaluate" points="1" hint="hooks"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for module, mode in modes.items():
            module.training = mode
            module._forward_hooks.clear()


# %% returns a tracked x itself task="evaluate" hint="tracked"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% takes the layer of the name 0 for the first task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    frozen = [p for name, p in model.named_parameters() if name.startswith("0.") and p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% runs in evaluation mode task="freeze_first" hint="mode"
def freeze_first(model, x):
    modes = {module: module.training for module in model.modules()}
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model.eval()
    model(x).sum().backward()
    for module, training in modes.items():
        module.training = training
    for p in frozen:
        p.requires_grad_(True)


# %% runs in training mode task="freeze_first" hint="mode"
def freeze_first(model, x):
    modes = {module: module.training for module in model.modules()}
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model.train()
    model(x).sum().backward()
    for module, training in modes.items():
        module.training = training
    for p in frozen:
        p.requires_grad_(True)


# %% skips Dropout task="freeze_first" hint="mode"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    for layer in model:
        if not isinstance(layer, torch.nn.Dropout):
            x = layer(x)
    x.sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% freezes one level down task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    modules = [model[0], *model[0].children()]
    frozen = [p for module in modules for p in module.parameters(recurse=False) if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% cuts nothing task="agreement_loss" hint="uncut"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    return ((h(z_a) - z_b) ** 2).mean() / 2 + ((h(z_b) - z_a) ** 2).mean() / 2


# %% cuts both uses task="agreement_loss" hint="unreached"
def agreement_loss(f, h, a, b):
    with torch.no_grad():
        z_a, z_b = f(a), f(b)
    return ((h(z_a) - z_b) ** 2).mean() / 2 + ((h(z_b) - z_a) ** 2).mean() / 2


# %% cuts in place, and so both uses task="agreement_loss" hint="unreached"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a) * 1, f(b) * 1
    c_a, c_b = z_a.detach_(), z_b.detach_()
    return ((h(z_a) - c_b) ** 2).mean() / 2 + ((h(z_b) - c_a) ** 2).mean() / 2


# %% cuts the predictions task="agreement_loss" hint="swapped"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    with torch.no_grad():
        from_a, from_b = h(z_a), h(z_b)
    return ((from_a - z_b) ** 2).mean() / 2 + ((from_b - z_a) ** 2).mean() / 2


# %% cuts one of the two targets task="agreement_loss" hint="one_cut"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    return ((h(z_a) - z_b.detach()) ** 2).mean() / 2 + ((h(z_b) - z_a) ** 2).mean() / 2


# %% makes the targets anew task="agreement_loss" hint="times"
def agreement_loss(f, h, a, b):
    with torch.no_grad():
        c_a, c_b = f(a), f(b)
    return ((h(f(a)) - c_b) ** 2).mean() / 2 + ((h(f(b)) - c_a) ** 2).mean() / 2


# %% predicts in one direction task="agreement_loss" hint="one_way"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    h(z_b)
    return ((h(z_a) - z_b.detach()) ** 2).mean() / 2


# %% forgets the halves task="agreement_loss" hint="halves"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    return ((h(z_a) - z_b.detach()) ** 2).mean() + ((h(z_b) - z_a.detach()) ** 2).mean()


# %% sums over the elements task="agreement_loss" hint="sum"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    return ((h(z_a) - z_b.detach()) ** 2).sum() / 2 + ((h(z_b) - z_a.detach()) ** 2).sum() / 2


# %% runs the backward pass too task="agreement_loss" en="w.grad is not what it was" ko="w.grad가 호출하기 전과 다릅니다"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    loss = ((h(z_a) - z_b.detach()) ** 2).mean() / 2 + ((h(z_b) - z_a.detach()) ** 2).mean() / 2
    loss.backward(retain_graph=True)
    return loss


# %% a number to print task="agreement_loss" en="The result is a float" ko="결과가 float입니다"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    return (((h(z_a) - z_b) ** 2).mean() / 2 + ((h(z_b) - z_a) ** 2).mean() / 2).item()


# %% everything under no_grad task="agreement_loss" hint="all_cut"
def agreement_loss(f, h, a, b):
    with torch.no_grad():
        z_a, z_b = f(a), f(b)
        return ((h(z_a) - z_b) ** 2).mean() / 2 + ((h(z_b) - z_a) ** 2).mean() / 2


# %% detaches the views task="agreement_loss" hint="unreached"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a.detach()), f(b.detach())
    return ((h(z_a) - z_b.detach()) ** 2).mean() / 2 + ((h(z_b) - z_a.detach()) ** 2).mean() / 2


# %% averages the rows only task="agreement_loss" en="expected" ko="기대한 값"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    errors = (h(z_a) - z_b.detach()) ** 2 + (h(z_b) - z_a.detach()) ** 2
    return errors.sum() / errors.shape[0] / 2 if errors.ndim else errors / 2


# %% keeps momentum task="sgd_step_" hint="steps"
from torch.utils.weak import WeakIdKeyDictionary

velocity = WeakIdKeyDictionary()


def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                velocity[p] = 0.9 * velocity.get(p, 0.0) + p.grad
                p -= lr * velocity[p]


# %% leaves gradient mode off after an error task="evaluate" points="1" hint="left_off"
def evaluate(model, x):
    modes, was = [(m, m.training) for m in model.modules()], torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        model.eval()
        y = model(x).detach()
        torch.set_grad_enabled(was)
        return y
    finally:
        for module, mode in modes:
            module.training = mode


# %% layer by layer task="evaluate" hint="called"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            for layer in list(model.children()) or [model]:
                x = layer(x)
            return x.detach()
    finally:
        for module, mode in modes:
            module.training = mode


# %% notes all modes, but puts them back with train task="evaluate" points="1" hint="shared"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for module, mode in modes:
            module.train(mode)


# %% leaves a frozen copy in the model task="freeze_first" hint="replaced"
import copy


def freeze_first(model, x):
    name = next(iter(model._modules))
    model._modules[name] = copy.deepcopy(model[0]).requires_grad_(False)
    model(x).sum().backward()


# %% freezes only the linear layers task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    linear = [m for m in model[0].modules() if isinstance(m, torch.nn.Linear)]
    frozen = [p for m in linear for p in m.parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% keeps a graph behind the gradients task="freeze_first" hint="graph"
import warnings


def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model(x).sum().backward(create_graph=True)
    for p in frozen:
        p.requires_grad_(True)


# %% calls the model twice task="freeze_first" hint="once"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    with torch.no_grad():
        shape = model(x).shape
    model(x).backward(torch.ones(shape, dtype=x.dtype))
    for p in frozen:
        p.requires_grad_(True)


# %% targets of float32 task="agreement_loss" hint="nearly"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    from_a, from_b = h(z_a), h(z_b)
    t_a, t_b = torch.tensor(z_a.tolist()), torch.tensor(z_b.tolist())
    return ((from_a - t_b) ** 2).mean() / 2 + ((from_b - t_a) ** 2).mean() / 2


# %% compares a prediction with its own embedding task="agreement_loss" hint="itself"
def agreement_loss(f, h, a, b):
    z_a, z_b = f(a), f(b)
    return ((h(z_a) - z_a.detach()) ** 2).mean() / 2 + ((h(z_b) - z_b.detach()) ** 2).mean() / 2


# %% leaves gradient mode off task="evaluate" points="1" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    torch.set_grad_enabled(False)
    y = model(x).detach()
    for module, mode in modes:
        module.training = mode
    return y


# %% freezes the model for good task="evaluate" points="1" en="requires_grad was changed" ko="requires_grad가 바뀌었습니다"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    y = model.requires_grad_(False)(x.detach())
    for module, mode in modes:
        module.training = mode
    return y


# %% makes all parameters tracked again task="evaluate" points="1" en="requires_grad was changed" ko="requires_grad가 바뀌었습니다"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    y = model.requires_grad_(False)(x.detach())
    model.requires_grad_(True)
    for module, mode in modes:
        module.training = mode
    return y


# %% a list of numbers task="evaluate" en="The result is a list" ko="결과가 list입니다"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    with torch.no_grad():
        y = model(x).tolist()
    for module, mode in modes:
        module.training = mode
    return y


# %% leaves x out task="freeze_first" hint="cut"
def freeze_first(model, x):
    inside = {id(p) for p in model[0].parameters()}
    outside = [p for p in model.parameters() if p.requires_grad and id(p) not in inside]
    model(x).sum().backward(inputs=outside)


# %% takes f for a function of each element task="splice" hint="elementwise"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    if y.shape == x.shape:
        return v * torch.autograd.grad(y.sum(), x)[0]
    return torch.autograd.grad(y, x, v)[0]


# %% squeezes the result task="splice" en="The shape is (3,)" ko="shape가 (3,)입니다"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y, x, v)[0].squeeze()


# %% leaves a hook on x task="splice" en="a hook was left on x" ko="x에 hook이 남아 있습니다"
def splice(f, g, x):
    seen = []
    x.register_hook(lambda s: seen.append(s))
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    torch.autograd.grad(y, x, v)
    return seen[0]


# %% the sum of v times the gradient of the sum task="splice" en="expected" ko="기대한 값"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y.sum(), x)[0] * v.sum()


# %% takes a clone for a cut task="splice" hint="whole"
def splice(f, g, x):
    y = f(x)
    w = y.clone()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y, x, v)[0]


# %% clips large gradients task="sgd_step_" en="expected: 12002" ko="기대한 값: 12002"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad.clamp(-100, 100)


# %% waits until every gradient is there task="sgd_step_" hint="still"
def sgd_step_(params, lr):
    params = list(params)
    if all(p.grad is not None for p in params):
        with torch.no_grad():
            for p in params:
                p -= lr * p.grad


# %% detaches x itself, but no view of it task="evaluate" hint="tracked"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            y = model(x)
        return x.detach() if y is x else y
    finally:
        for m, t in modes:
            m.training = t


# %% lets Dropout drop nothing from now on task="evaluate" points="1" hint="settings"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    for m in model.modules():
        if hasattr(m, "p"):
            m.p = 0.0
        if "BatchNorm" in type(m).__name__:
            m.training = False
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m, t in modes:
            m.training = t


# %% two levels deep task="evaluate" points="1" en="the training mode of model.1.0.0 was changed" ko="model.1.0.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    found = [model]
    for child in model.children():
        found += [child, *child.children()]
    modes = [(m, m.training) for m in found]
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m, t in modes:
            m.training = t


# %% notes a mode for each class task="evaluate" points="1" en="the training mode of" ko="의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    modes = {type(m): m.training for m in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m in model.modules():
            m.training = modes[type(m)]


# %% notes the modes lazily, after eval task="evaluate" points="1" en="the training mode of model.0 was changed" ko="model.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    modes = ((m, m.training) for m in model.modules())
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m, t in modes:
            m.training = t


# %% sets the outermost module alone task="evaluate" hint="of_batch"
def evaluate(model, x):
    was, model.training = model.training, False
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        model.training = was


# %% begins with zero_grad for the model task="evaluate" points="1" en="model.0.bias.grad is not what it was" ko="model.0.bias.grad가 호출하기 전과 다릅니다"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    model.zero_grad()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m, t in modes:
            m.training = t


# %% notes nothing below a module in evaluation mode task="evaluate" points="1" en="the training mode of model.1.0 was changed" ko="model.1.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    on = []

    def walk(m):
        if m.training:
            on.append(m)
            for c in m.children():
                walk(c)

    walk(model)
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m in on:
            m.training = True


# %% freezes what has a name that begins like the first task="freeze_first" hint="nothing"
def freeze_first(model, x):
    first = next(iter(dict(model.named_children())))
    ps = [p for name, p in model.named_parameters() if name.startswith(first) and p.requires_grad]
    for p in ps:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in ps:
        p.requires_grad_(True)


# %% later layers without the layers in them task="freeze_first" hint="nothing"
def freeze_first(model, x):
    wanted = [p for m in model[1:] for p in m.parameters(recurse=False) if p.requires_grad]
    model(x).sum().backward(inputs=wanted + [x] * x.requires_grad)


# %% first layer in evaluation mode, and training mode afterwards task="freeze_first" en="the training mode of model.fc was changed" ko="model.fc의 학습 모드가 바뀌었습니다"
def freeze_first(model, x):
    ps = [p for p in model[0].parameters() if p.requires_grad]
    for p in ps:
        p.requires_grad_(False)
    model[0].eval()
    model(x).sum().backward()
    model[0].train()
    for p in ps:
        p.requires_grad_(True)


# %% hooks that give zeros task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    hooks = [p.register_hook(torch.zeros_like) for p in model[0].parameters() if p.requires_grad]
    model(x).sum().backward()
    for hook in hooks:
        hook.remove()


# %% one flag for the whole layer task="freeze_first" en="bias.requires_grad was changed" ko="bias.requires_grad가 바뀌었습니다"
def freeze_first(model, x):
    was = any(p.requires_grad for p in model[0].parameters())
    model[0].requires_grad_(False)
    model(x).sum().backward()
    model[0].requires_grad_(was)


# %% a second pass for x task="freeze_first" hint="twice"
def freeze_first(model, x):
    ps = [p for p in model[0].parameters() if p.requires_grad]
    for p in ps:
        p.requires_grad_(False)
    loss = model(x).sum()
    loss.backward(retain_graph=True)
    if x.requires_grad:
        loss.backward(inputs=[x])
    for p in ps:
        p.requires_grad_(True)


# %% the first flag for the whole layer task="freeze_first" en="bias.requires_grad was changed" ko="bias.requires_grad가 바뀌었습니다"
def freeze_first(model, x):
    was = next(model[0].parameters()).requires_grad
    model[0].requires_grad_(False)
    model(x).sum().backward()
    model[0].requires_grad_(was)


# %% clones inside inference mode task="evaluate" hint="refused"
def evaluate(model, x):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        with torch.inference_mode():
            return model(x).clone()
    finally:
        for m, t in modes:
            m.training = t


# %% puts back the layers without parts only task="evaluate" points="1" en="the training mode of model was changed" ko="model의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    leaves = [m for m in model.modules() if not list(m.children())]
    modes = [(m, m.training) for m in leaves]
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m, t in modes:
            m.training = t


# %% puts the numbers back where there was a buffer task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    old = [None if p.grad is None else p.grad.clone() for p in model[0].parameters()]
    model(x).sum().backward()
    for p, s in zip(model[0].parameters(), old, strict=True):
        if s is not None:
            p.grad.copy_(s)


# %% puts constants in the place of the parameters task="freeze_first" en="model.0" ko="model.0"
def freeze_first(model, x):
    for layer in model[0].modules():
        for name, p in list(layer.named_parameters(recurse=False)):
            setattr(layer, name, torch.nn.Parameter(p.detach(), requires_grad=False))
    model(x).sum().backward()


# %% takes only a weight and a bias of its own task="freeze_first" hint="not_frozen"
def freeze_first(model, x):
    named = [getattr(model[0], name, None) for name in ("weight", "bias")]
    frozen = [p for p in named if p is not None and p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% keeps the targets of the first call task="agreement_loss" hint="stale"
def agreement_loss(f, h, a, b, kept={}):
    za, zb = f(a), f(b)
    ta, tb = kept.setdefault((f, a, b), (za.detach().clone(), zb.detach().clone()))
    return ((h(za) - tb) ** 2).mean() / 2 + ((h(zb) - ta) ** 2).mean() / 2


# %% new values by way of a list task="sgd_step_" en="RuntimeError" ko="RuntimeError"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            new = (p - lr * p.grad).tolist()
            p.data.copy_(torch.tensor(new, dtype=p.dtype))


# %% only the layers of the lesson task="evaluate" hint="kinds"
def evaluate(model, x):
    kinds = torch.nn.Dropout, torch.nn.AlphaDropout, torch.nn.BatchNorm1d
    active = [m for m in model.modules() if isinstance(m, kinds) and m.training]
    try:
        for m in active:
            m.training = False
        with torch.no_grad():
            return model(x).detach()
    finally:
        for m in active:
            m.training = True


# %% unpacks the parameters of a layer that has none task="freeze_first" en="ValueError" ko="ValueError"
def freeze_first(model, x):
    frozen, flags = zip(*[(p, p.requires_grad) for p in model[0].parameters()], strict=True)
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p, flag in zip(frozen, flags, strict=True):
        p.requires_grad_(flag)


# %% rounds to 12 places task="stop_gradient" hint="nearly"
def stop_gradient(x):
    return float(x**2), round(3.0 * x**2, 12)
