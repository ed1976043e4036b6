# Misconceptions of lesson 6. Each must lose its task, and be told why in the words given here.

# %%
import torch

# %% the sum of y is enough task="splice" en="the gradient of the sum of y" ko="y의 합의 gradient입니다"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y.sum(), x)[0]


# %% fills the buffers as the text does task="splice" en="torch.autograd.grad returns a gradient and fills none" ko="torch.autograd.grad는 gradient를 돌려줄 뿐"
def splice(f, g, x):
    held, x.grad = x.grad, None
    y = f(x)
    w = y.detach().requires_grad_()
    g(w).backward(inputs=[w])
    y.backward(gradient=w.grad)
    found, x.grad = x.grad, held
    return found


# %% never cuts task="splice" en="so the graph is not cut" ko="그래프가 끊기지 않았습니다"
def splice(f, g, x):
    return torch.autograd.grad(g(f(x)), x)[0]


# %% returns the slopes at the cut task="splice" en="only half of the way back" ko="아직 반만 거슬러 왔습니다"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    slopes = torch.autograd.grad(g(w), w)[0]
    return slopes if slopes.shape == x.shape else torch.autograd.grad(y, x, slopes)[0]


# %% adds to x.grad task="splice" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    y.backward(gradient=v, inputs=[x])
    return x.grad.clone()


# %% leaves a graph behind the result task="splice" en="so it is still part of a graph" ko="아직 그래프에 연결되어 있습니다"
def splice(f, g, x):
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y, x, v, create_graph=True)[0]


# %% computes everything twice task="splice" en="how often f and g were called" ko="f와 g를 부른 횟수"
def splice(f, g, x):
    w = f(x).detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(f(x), x, v)[0]


# %% a central quotient of the first half task="splice" en="nearly: a difference quotient" ko="거의 맞습니다. 차분몫"
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


# %% fails where f returns x itself task="splice" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def splice(f, g, x):
    y = f(x)
    w = y if y is x else y.detach().requires_grad_()
    held = w.grad
    g(w).backward(inputs=[w])
    v = w.grad - held if held is not None else w.grad
    return v.clone() if y is x else torch.autograd.grad(y, x, v)[0]


# %% sends the numbers as a list task="splice" en="of another shape or dtype than y" ko="shape나 dtype이 y와 다릅니다"
def splice(f, g, x):
    y = f(x)
    w = torch.tensor(y.tolist(), dtype=y.dtype, requires_grad=True)
    (v,) = torch.autograd.grad(g(w), w)
    return torch.autograd.grad(y, x, v.reshape(y.shape))[0]


# %% gives the name p to a new tensor task="sgd_step_" en="it has not moved" ko="움직이지 않았습니다"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p = p - lr * p.grad


# %% puts new tensors into the list task="sgd_step_" en="it has not moved" ko="움직이지 않았습니다"
def sgd_step_(params, lr):
    if isinstance(params, list):
        for i, p in enumerate(params):
            if p.grad is not None:
                params[i] = (p - lr * p.grad).detach().requires_grad_()


# %% in place but recorded task="sgd_step_" en="only where nothing is recorded" ko="기록하지 않을 때만"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


# %% goes uphill task="sgd_step_" en="it went uphill" ko="올라가는 방향으로"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p += lr * p.grad


# %% forgets that a gradient may be missing task="sgd_step_" en="was not passed over" ko="건너뛰지 않았습니다"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad


# %% empties the buffers too task="sgd_step_" en="p.grad is not what it was" ko="p.grad가 부르기 전과 다릅니다"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
                p.grad = None


# %% puts new memory behind the tensor task="sgd_step_" en="The new numbers are in other memory" ko="새 값이 다른 메모리에"
def sgd_step_(params, lr):
    for p in params:
        if p.grad is not None:
            p.data = p.data - lr * p.grad


# %% scales the gradients themselves task="sgd_step_" en="p.grad is not what it was" ko="p.grad가 부르기 전과 다릅니다"
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


# %% stops at the first without a gradient task="sgd_step_" en="though another parameter has" ko="다른 파라미터는 움직였는데"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is None:
                break
            p -= lr * p.grad


# %% goes through the parameters twice task="sgd_step_" en="A generator can be gone through only once" ko="제너레이터는 한 번만 지나갈 수 있습니다"
def sgd_step_(params, lr):
    missing = sum(p.grad is None for p in params)
    with torch.no_grad():
        for p in params:
            if not missing or p.grad is not None:
                p -= lr * p.grad


# %% takes the numbers through float32 task="sgd_step_" en="nearly: was something rounded" ko="거의 맞습니다. lr 같은 것이"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                moved = [a - lr * b for a, b in zip(p.flatten().tolist(), p.grad.flatten().tolist(), strict=True)]
                p.copy_(torch.tensor(moved).reshape(p.shape))


# %% makes lr a float32 tensor task="sgd_step_" en="nearly: was something rounded" ko="거의 맞습니다. lr 같은 것이"
def sgd_step_(params, lr):
    lr = torch.tensor(lr)
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p.sub_(lr * p.grad)


# %% switches the recording on after the step task="sgd_step_" en="it left the recording switched on" ko="끝난 뒤 기록이 켜져 있습니다"
def sgd_step_(params, lr):
    torch.set_grad_enabled(False)
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad
    torch.set_grad_enabled(True)


# %% asks whether a gradient is not 0 task="sgd_step_" en="Write `if p.grad is not None:`" ko="`if p.grad is not None:`이라고 쓰세요"
def sgd_step_(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad:
                p -= lr * p.grad


# %% empties the list task="sgd_step_" en="the list params was changed" ko="리스트 params가 바뀌었습니다"
def sgd_step_(params, lr):
    left = params if isinstance(params, list) else list(params)
    while left:
        p = left.pop()
        if p.grad is not None:
            p.data -= lr * p.grad


# %% by index task="sgd_step_" en="params may be a generator" ko="params는 제너레이터일 수 있고"
def sgd_step_(params, lr):
    with torch.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i] -= lr * params[i].grad


# %% returns the parameters task="sgd_step_" en="return nothing" ko="아무것도 돌려주지 마세요"
def sgd_step_(params, lr):
    params = list(params)
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
    return params


# %% evaluation mode alone task="evaluate" en="evaluation mode does not switch that off" ko="평가 모드는 기록을 끄지 않고"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% no_grad alone task="evaluate" en="did Dropout still drop" ko="Dropout이 아직"
def evaluate(model, x):
    with torch.no_grad():
        return model(x)


# %% leaves evaluation mode on task="evaluate" en="the training mode of model was changed" ko="model의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    model.eval()
    with torch.no_grad():
        return model(x)


# %% sets all of it to training task="evaluate" en="the training mode of model.1 was changed" ko="model.1의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    model.eval()
    try:
        with torch.no_grad():
            return model(x)
    finally:
        model.train()


# %% puts back only the outermost mode task="evaluate" en="the training mode of model.1 was changed" ko="model.1의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    was = model.training
    model.eval()
    try:
        with torch.no_grad():
            return model(x)
    finally:
        model.train(was)


# %% detaches the finished result task="evaluate" en="detaching the result comes too late" ko="결과를 나중에 detach해도 이미 늦습니다"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        return model(x).detach()
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% an inference tensor task="evaluate" en="the result is an inference tensor" ko="결과가 inference 텐서입니다"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.inference_mode():
            return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% forgets the modes when there is an error task="evaluate" en="where model(x) raises ValueError" ko="ValueError가 날 때"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    with torch.no_grad():
        result = model(x)
    for module, mode in modes.items():
        module.training = mode
    return result


# %% switches the recording on at the end task="evaluate" en="it left the recording switched on" ko="끝난 뒤 기록이 켜져 있습니다"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    torch.set_grad_enabled(False)
    try:
        return model(x)
    finally:
        torch.set_grad_enabled(True)
        for module, mode in modes.items():
            module.training = mode


# %% puts back the modes of the outer layers only task="evaluate" en="the training mode of model.1.0 was changed" ko="model.1.0의 학습 모드가 바뀌었습니다"
def evaluate(model, x):
    modes = [(module, module.training) for module in (model, *model.children())]
    model.eval()
    try:
        with torch.no_grad():
            return model(x)
    finally:
        for module, mode in modes:
            module.train(mode)


# %% two kinds of layers alone task="evaluate" en="did Dropout still drop" ko="Dropout이 아직"
def evaluate(model, x):
    modes = {module: module.training for module in model.modules()}
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout | torch.nn.BatchNorm1d):
            module.eval()
    try:
        with torch.no_grad():
            return model(x)
    finally:
        for module, mode in modes.items():
            module.training = mode


# %% cut or not is all the same task="stop_gradient" en="the first is the true slope" ko="첫째가 진짜 기울기입니다"
def stop_gradient(x):
    return 3.0 * x**2, 3.0 * x**2


# %% believes autograd task="stop_gradient" en="the second is what autograd says" ko="둘째가 autograd의 값입니다"
def stop_gradient(x):
    return float(x**2), float(x**2)


# %% the wrong way round task="stop_gradient" en="the order is (autograd, truth)" ko="순서는 (autograd, truth)입니다"
def stop_gradient(x):
    return 3.0 * x**2, float(x**2)


# %% the other factor cut task="stop_gradient" en="the slope with the other factor cut" ko="다른 인수를 끊은"
def stop_gradient(x):
    return 2.0 * x**2, 3.0 * x**2


# %% a cut stops everything task="stop_gradient" en="only one of the two factors is cut" ko="두 인수 중 하나만"
def stop_gradient(x):
    return 0.0, 3.0 * x**2


# %% the values of f task="stop_gradient" en="these are values of f" ko="f의 값입니다"
def stop_gradient(x):
    return float(x**2), float(x**3)


# %% ints for an int task="stop_gradient" en="there is an int in it" ko="int가 들어 있습니다"
def stop_gradient(x):
    return x**2, 3 * x**2


# %% in float32 task="stop_gradient" en="which neither a quotient nor float32 has" ko="차분몫이나 float32로는 모자랍니다"
def stop_gradient(x):
    t = torch.tensor(float(x), requires_grad=True)
    (t * (t**2).detach()).backward()
    return t.grad.item(), 3 * t.grad.item()


# %% a list task="stop_gradient" en="The result is a list" ko="결과가 list입니다"
def stop_gradient(x):
    return [float(x**2), 3.0 * x**2]


# %% rounds to six places task="stop_gradient" en="nearly: 11 digits are asked for" ko="거의 맞습니다. 11자리까지"
def stop_gradient(x):
    return round(float(x**2), 6), round(3.0 * x**2, 6)


# %% adds up the tensors task="running_loss" en="when each step begins: [0, 1, 2]. Whoever keeps" ko="앞선 loss의 그래프 수: [0, 1, 2]. 추적되는"
def running_loss(step, n):
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(n):
        total = total + step().double().sum()
    return total.item()


# %% keeps all losses until the end task="running_loss" en="keeps the whole graph behind it" ko="그 뒤의 그래프가 통째로 남습니다"
def running_loss(step, n):
    losses = [step() for _ in range(n)]
    return float(sum(loss.item() for loss in losses))


# %% returns a tensor task="running_loss" en="The result is a float64 tensor" ko="결과가 float64 텐서입니다"
def running_loss(step, n):
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(n):
        total += step().detach().sum()
    return total


# %% records nothing around the step task="running_loss" en="gradient mode was off while step ran" ko="gradient 모드가 꺼져 있어서"
def running_loss(step, n):
    with torch.no_grad():
        return float(sum(step().item() for _ in range(n)))


# %% the mean task="running_loss" en="that is the mean" ko="평균입니다"
def running_loss(step, n):
    return sum(step().item() for _ in range(n)) / max(n, 1)


# %% one step too many task="running_loss" en="how often step was called" ko="step을 부른 횟수"
def running_loss(step, n):
    step()
    return float(sum(step().item() for _ in range(n)))


# %% only the last loss task="running_loss" en="that is the last loss alone" ko="마지막 loss 하나입니다"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        total = step().item()
    return total


# %% adds in float32 task="running_loss" en="nearly: were they added in float32" ko="거의 맞습니다. float32로"
def running_loss(step, n):
    total = torch.zeros(())
    for _ in range(n):
        total = total + step().detach().float().sum()
    return total.item()


# %% one step whatever n task="running_loss" en="how often step was called" ko="step을 부른 횟수"
def running_loss(step, n):
    total = step().item()
    for _ in range(n - 1):
        total += step().item()
    return total


# %% an int for no steps task="running_loss" en="begin the sum with 0.0" ko="합을 0.0에서 시작하세요"
def running_loss(step, n):
    return sum(step().item() for _ in range(n))


# %% keeps the last loss as an attribute task="running_loss" en="a graph is still in memory after the call" ko="함수가 끝난 뒤에도 그래프가"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        running_loss.last = step()
        total += running_loss.last.item()
    return total


# %% goes backward itself task="running_loss" en="training is for step to do" ko="학습은 step이 합니다"
def running_loss(step, n):
    total = 0.0
    for _ in range(n):
        loss = step()
        loss.backward()
        total += loss.item()
    return total


# %% no_grad over the first layer task="freeze_first" en="nothing has come back to x" ko="x까지 거슬러 오지 못했습니다"
def freeze_first(model, x):
    with torch.no_grad():
        hidden = model[0](x)
    model[1:](hidden).sum().backward()


# %% detaches after the first layer task="freeze_first" en="nothing has come back to x" ko="x까지 거슬러 오지 못했습니다"
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


# %% freezes nothing task="freeze_first" en="the first layer was not frozen" ko="첫 층이 동결되지 않았습니다"
def freeze_first(model, x):
    model(x).sum().backward()


# %% empties the first layer's buffers afterwards task="freeze_first" en="leave the buffers of model[0] alone" ko="model[0]의 버퍼는 비우지 말고"
def freeze_first(model, x):
    model(x).sum().backward()
    for p in model[0].parameters():
        p.grad = None


# %% empties every buffer first task="freeze_first" en="what the buffer held before is gone" ko="버퍼에 들어 있던 값이 사라졌습니다"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in list(model.parameters())[len(list(model[0].parameters())) :]:
        p.grad = None
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% the mean over the outputs task="freeze_first" en="that is the gradient of the mean" ko="평균의 gradient입니다"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).mean().backward()
    for p in frozen:
        p.requires_grad_(True)


# %% puts copies of the buffers back task="freeze_first" en="model.0.0.weight.grad: the first layer was not frozen" ko="model.0.0.weight.grad: 첫 층이 동결되지 않았습니다"
def freeze_first(model, x):
    held = [None if p.grad is None else p.grad.clone() for p in model[0].parameters()]
    model(x).sum().backward()
    for p, grad in zip(model[0].parameters(), held, strict=True):
        p.grad = grad


# %% returns the loss task="freeze_first" en="return nothing, and call it once" ko="아무것도 돌려주지 말고"
def freeze_first(model, x):
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    loss = model(x).sum()
    loss.backward()
    for p in frozen:
        p.requires_grad_(True)
    return loss.item()


# %% overwrites the buffer of x task="freeze_first" en="what the buffer held before is gone" ko="버퍼에 들어 있던 값이 사라졌습니다"
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


# %% begins with zero_grad task="freeze_first" en="leave the buffers of model[0] alone" ko="model[0]의 버퍼는 비우지 말고"
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
