# Wrong answers to lesson 9 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import torch


# %% takes backward with create_graph for harmless task="second_derivative" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def second_derivative(f, x):
    x.grad = None
    f(x).backward(create_graph=True, inputs=[x])
    if not x.grad.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(x.grad, x, allow_unused=True, materialize_grads=True)[0]


# %% the reference cycle on a leaf of its own task="second_derivative" hint="circle"
def second_derivative(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward(create_graph=True, inputs=[leaf])
    if not leaf.grad.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(leaf.grad, leaf, allow_unused=True, materialize_grads=True)[0]


# %% stops at the first derivative task="second_derivative" hint="first"
def second_derivative(f, x):
    return torch.autograd.grad(f(x), x)[0]


# %% forgets create_graph and catches the error task="second_derivative" hint="zero"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, retain_graph=True)
    try:
        return torch.autograd.grad(first, x)[0]
    except RuntimeError:
        return torch.zeros_like(x)


# %% leaves a graph behind the result task="second_derivative" hint="graph"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, create_graph=True, allow_unused=True, materialize_grads=True)[0]


# %% a second difference task="second_derivative" hint="nearly"
def second_derivative(f, x):
    with torch.no_grad():
        h, t = 1e-3, x.double()
        return ((f(t + h) - 2 * f(t) + f(t - h)) / h**2).to(x.dtype)


# %% returns the tuple task="second_derivative" en="The result is a tuple" ko="결과가 tuple입니다"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, allow_unused=True, materialize_grads=True)


# %% computes in float32 task="second_derivative" en="The dtype is float32" ko="dtype이 float32입니다"
def second_derivative(f, x):
    t = x.detach().float().requires_grad_()
    (first,) = torch.autograd.grad(f(t).float(), t, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(t)
    return torch.autograd.grad(first, t, allow_unused=True, materialize_grads=True)[0]


# %% adds into the buffer task="second_derivative" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (first + 0 * x).backward(inputs=[x])
    return x.grad.clone()


# %% a quotient made exact by extrapolation task="second_derivative" hint="kink"
def second_derivative(f, x):
    def d(t):
        leaf = torch.tensor(t, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(f(leaf).double(), leaf)[0].item()

    a = x.item()

    def q(h):
        return (d(a + h) - d(a - h)) / (2 * h)

    h = 0.01
    T = [[q(h / 2**i)] for i in range(4)]
    for i in range(1, 4):
        for j in range(1, i + 1):
            T[i].append((4**j * T[i][j - 1] - T[i - 1][j - 1]) / (4**j - 1))
    return torch.tensor(T[3][3], dtype=x.dtype)


# %% takes a slope of 0 for a constant task="second_derivative" hint="zero"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if first == 0 or not first.requires_grad:
        return torch.zeros_like(x)
    (second,) = torch.autograd.grad(first, x, allow_unused=True)
    return torch.zeros_like(x) if second is None else second


# %% returns the None task="second_derivative" hint="none"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, allow_unused=True)[0]


# %% builds H first task="hvp" hint="large"
def hvp(f, x, v):
    H = torch.func.jacrev(torch.func.grad(f))(x.detach()).detach()
    return (H.reshape(v.numel(), v.numel()) @ v.reshape(-1)).reshape(v.shape)


# %% one backward pass for each row task="hvp" hint="grows"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    rows = [
        torch.autograd.grad(g, x, retain_graph=True, allow_unused=True, materialize_grads=True)[0]
        for g in first.reshape(-1)
    ]
    return torch.stack([(row * v).sum() for row in rows]).reshape(x.shape)


# %% builds H where it is small task="hvp" hint="large"
def hvp(f, x, v):
    if x.numel() <= 64:
        H = torch.func.hessian(f)(x.detach()).detach()
        return (H.reshape(v.numel(), v.numel()) @ v.reshape(-1)).reshape(v.shape)
    return torch.func.jvp(torch.func.grad(f), (x.detach(),), (v,))[1].detach()


# %% forgets v task="hvp" hint="ones"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first.sum(), x, allow_unused=True, materialize_grads=True)[0]


# %% the diagonal alone task="hvp" hint="diagonal"
def hvp(f, x, v):
    H = torch.func.jacrev(torch.func.grad(f))(x.detach()).detach().reshape(x.numel(), x.numel())
    return H.diagonal().reshape(x.shape) * v


# %% weighs the first backward pass task="hvp" hint="gradient"
def hvp(f, x, v):
    return torch.autograd.grad(f(x), x)[0] * v


# %% one number for all task="hvp" hint="number"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(first, x, v, allow_unused=True, materialize_grads=True)
    return (product * v).sum().expand(x.shape).clone()


# %% a quotient of the gradient task="hvp" hint="nearly"
def hvp(f, x, v):
    h = 1e-6

    def gradient(t):
        t = t.detach().double().requires_grad_()
        return torch.autograd.grad(f(t), t)[0]

    return ((gradient(x.double() + h * v) - gradient(x)) / h).to(x.dtype)


# %% a quotient with a step too small task="hvp" hint="step"
def hvp(f, x, v):
    h = 1e-6

    def gradient(t):
        t = t.detach().requires_grad_()
        return torch.autograd.grad(f(t), t)[0]

    return (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)


# %% fills x.grad task="hvp" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    x.grad = None
    (first * v).sum().backward(inputs=[x])
    return x.grad.clone()


# %% a quotient of the gradient, extrapolated task="hvp" hint="kink"
def hvp(f, x, v):
    def g(s):
        leaf = (x.detach().double() + s * v.double()).requires_grad_()
        return torch.autograd.grad(f(leaf).double(), leaf)[0]

    def q(h):
        return (g(h) - g(-h)) / (2 * h)

    h = 1e-2
    T = [[q(h / 2**i)] for i in range(3)]
    for i in range(1, 3):
        for j in range(1, i + 1):
            T[i].append((4**j * T[i][j - 1] - T[i - 1][j - 1]) / (4**j - 1))
    return T[2][2].to(x.dtype)


# %% weighs the sums of the rows task="hvp" hint="rows"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (rows,) = torch.autograd.grad(first.sum(), x, allow_unused=True, materialize_grads=True)
    return rows * v


# %% a unit direction first task="hvp" hint="zeros"
def hvp(f, x, v):
    size = v.norm()
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(
        first, x, grad_outputs=v / size, allow_unused=True, materialize_grads=True
    )
    return product * size


# %% steps chain one graph task="newton_step" hint="not_leaf"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return x - first / second


# %% looks for a root task="newton_step" hint="root"
def newton_step(f, x):
    value = f(x)
    (first,) = torch.autograd.grad(value, x)
    return (x - value / first).detach().requires_grad_()


# %% uphill task="newton_step" hint="sign"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x + first / second).detach().requires_grad_()


# %% always downhill task="newton_step" hint="size"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - first / second.abs()).detach().requires_grad_()


# %% gradient descent task="newton_step" hint="descent"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x)
    return (x - 0.1 * first).detach().requires_grad_()


# %% not tracked task="newton_step" hint="untracked"
def newton_step(f, x):
    t = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad(f(t), t, create_graph=True)
    (second,) = torch.autograd.grad(first, t)
    return (t - first / second).detach()


# %% moves x itself task="newton_step" hint="shares"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    with torch.no_grad():
        x -= first / second
    return x


# %% a leaf with a full buffer task="newton_step" hint="full"
def newton_step(f, x):
    t = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad(f(t), t, create_graph=True)
    (second,) = torch.autograd.grad(first, t)
    t.grad = first.detach()
    t.data -= (first / second).detach()
    return t


# %% fills x.grad on the way task="newton_step" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    first.backward(inputs=[x])
    return (x - first / x.grad).detach().requires_grad_()


# %% returns a number task="newton_step" en="The result is a float" ko="결과가 float입니다"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - first / second).item()


# %% adds a little to the second derivative task="newton_step" hint="nearly"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - first / (second + 1e-8)).detach().requires_grad_()


# %% goes on to the end task="newton_step" hint="many"
def newton_step(f, x):
    for _ in range(50):
        (first,) = torch.autograd.grad(f(x), x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        new = (x - first / second).detach().requires_grad_()
        if abs(new - x) < 1e-7:
            break
        x = new
    return new


# %% without the record task="gradient_penalty" hint="cut" points="1"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% a graph that leads nowhere task="gradient_penalty" hint="cut" points="1"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.detach().flatten(1).norm(dim=1) - 1) ** 2).mean().requires_grad_()


# %% the sum over the samples task="gradient_penalty" hint="sum"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).sum()


# %% one norm of all task="gradient_penalty" hint="one"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return (slopes.norm() - 1) ** 2


# %% the gradient of the mean task="gradient_penalty" hint="shrunk"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).mean(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% the norm over one dimension task="gradient_penalty" hint="dim"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()


# %% the square of the norm task="gradient_penalty" hint="square"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return (((slopes**2).flatten(1).sum(1) - 1) ** 2).mean()


# %% tracks the caller's data task="gradient_penalty" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def gradient_penalty(model, x):
    x.requires_grad_()
    (slopes,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% fills the model's buffers task="gradient_penalty" en=".grad is not what it was" ko=".grad가 호출하기 전과 다릅니다"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    penalty = ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()
    penalty.backward(retain_graph=True)
    return penalty


# %% a plain number task="gradient_penalty" en="The result is a float" ko="결과가 float입니다"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean().item()


# %% switches the model to eval task="gradient_penalty" en="training mode of model was changed" ko="model의 학습 모드가"
def gradient_penalty(model, x):
    model.eval()
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% only norms above 1 task="gradient_penalty" hint="side"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1).clamp(min=0) ** 2).mean()


# %% adds a little under the root task="gradient_penalty" hint="nearly"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((torch.sqrt(slopes.flatten(1).pow(2).sum(1) + 1e-8) - 1) ** 2).mean()


# %% keeps x detached task="Cube" base="own" hint="cut"
class Cube(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x = inputs[0].detach()

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.x**2


# %% saves the slope task="Cube" hint="cut"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3 * x**2)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


# %% divides the result by x task="Cube" hint="zero"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x**3
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return 3 * g * y / x


# %% divides, and hides the nan task="Cube" base="divides the result by x" hint="zero"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * torch.where(x == 0, 0.0, 3 * y / x)


# %% forgets what comes in task="Cube" hint="chain"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2


# %% records nothing in backward task="Cube" base="forgets what comes in" hint="cut"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            return g * 3 * x**2


# %% changes what comes in task="Cube" base="forgets what comes in" en="the call changed g itself" ko="g의 값이 바뀌었습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        g.data.mul_(3)
        return g * x**2


# %% changes what comes in where nothing is recorded task="Cube" base="forgets what comes in" en="the call changed g itself" ko="g의 값이 바뀌었습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if torch.is_grad_enabled():
            return g * 3 * x**2
        return g.mul_(3).mul_(x).mul_(x)


# %% a wrong slope task="Cube" base="forgets what comes in" hint="slope"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x**2


# %% cuts one of two paths task="Cube" base="forgets what comes in" hint="half"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x.detach()


# %% takes what comes in for a constant task="Cube" base="forgets what comes in" hint="half"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.detach() * 3 * x**2


# %% divides, in forward, what backward needs task="Cube" hint="cut"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.square = x**2
        return ctx.square * x

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.square * g


# %% no backward of its own task="Cube" hint="own"
class Cube(torch.autograd.Function):
    @staticmethod
    def apply(x):
        return x**3


# %% takes a shortcut where what comes in is 0 task="Cube" base="own" hint="half"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if not g.any():
            return torch.zeros_like(x)
        return g * 3 * x**2


# %% records nothing task="loss_after" hint="constant" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x)
        x = x - lr * slope
    return f(x)


# %% keeps the graph, but records nothing task="loss_after" hint="constant" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, retain_graph=True)
        x = x - lr * slope
    return f(x)


# %% cuts every step, as newton_step does task="loss_after" hint="last" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        x = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
    return f(x)


# %% records all gradients but the first task="loss_after" hint="path" points="1"
def loss_after(f, x, lr, steps):
    for step in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=step > 0)
        x = x - lr * slope
    return f(x)


# %% records the first gradient alone task="loss_after" hint="constant" points="1"
def loss_after(f, x, lr, steps):
    for step in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=step == 0)
        x = x - lr * slope
    return f(x)


# %% takes the rate for a number task="loss_after" hint="rate" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr.detach() * slope
    return f(x)


# %% starts from a copy task="loss_after" hint="start" points="1"
def loss_after(f, x, lr, steps):
    place = x.detach().clone().requires_grad_()
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(place), place, create_graph=True)
        place = place - lr * slope
    return f(place)


# %% trains in place, as an optimizer does task="loss_after" en="the call changed x itself" ko="x의 값이 바뀌었습니다"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x)
        with torch.no_grad():
            x -= lr * slope
    return f(x)


# %% returns the loss before the last step task="loss_after" hint="count"
def loss_after(f, x, lr, steps):
    loss = f(x)
    for _ in range(steps):
        loss = f(x)
        (slope,) = torch.autograd.grad(loss, x, create_graph=True)
        x = x - lr * slope
    return loss


# %% one gradient for all steps task="loss_after" hint="once"
def loss_after(f, x, lr, steps):
    (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
    return f(x - steps * lr * slope)


# %% steps uphill task="loss_after" hint="sign"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x + lr * slope
    return f(x)


# %% a loss without a graph task="loss_after" en="The result is a float" ko="결과가 float입니다"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
    return f(x).item()


# %% the last loss cut off task="loss_after" hint="cut" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
    return f(x.detach())


# %% goes through the buffer of x task="loss_after" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def loss_after(f, x, lr, steps):
    import warnings

    place = x
    for _ in range(steps):
        place.retain_grad()
        place.grad = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(place).backward(create_graph=True, inputs=[place])
        place = place - lr * place.grad
    return f(place)


# %% asks for the rate's gradient at once task="loss_after" en="lr.grad is not what it was" ko="lr.grad가 호출하기 전과 다릅니다"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
    loss = f(x)
    if steps:
        loss.backward(retain_graph=True, inputs=[lr])
    return loss


# %% takes at least one step task="loss_after" hint="count"
def loss_after(f, x, lr, steps):
    while True:
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x, steps = x - lr * slope, steps - 1
        if steps <= 0:
            return f(x)


# %% one rate for all task="loss_after" hint="mean"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr.mean() * slope
    return f(x)


# %% uses the graph up task="loss_after" hint="used" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
    loss = f(x)
    if steps:
        torch.autograd.grad(loss, lr)
    return loss


# %% stops where the gradient has no graph task="loss_after" hint="count"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
        if not slope.requires_grad:
            break
    return f(x)


# %% keeps the lowest loss task="loss_after" hint="start_value"
def loss_after(f, x, lr, steps):
    lowest = f(x)
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
        lowest = torch.minimum(lowest, f(x))
    return lowest


# %% adds zeros where the gradient has no graph task="loss_after" hint="start_value"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * (slope if slope.requires_grad else torch.zeros_like(x))
    return f(x)


# %% copies the place, and moves its data task="loss_after" hint="rate" points="1"
def loss_after(f, x, lr, steps):
    place = x.clone()
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(place), place)
        place.data -= (lr * slope).data
    return f(place)


# %% a learning rate without its sign task="loss_after" hint="mean"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr.abs() * slope
    return f(x)


# %% ends each step as newton_step does task="loss_after" hint="rate" points="1"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = (x - lr * slope).detach().requires_grad_()
    return f(x)


# %% zeros in one row for a straight line task="hvp" en="The shape is (" ko="shape"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros(x.numel(), dtype=x.dtype)
    return torch.autograd.grad(first, x, grad_outputs=v, allow_unused=True, materialize_grads=True)[0]


# %% guards against a small second derivative task="newton_step" hint="still"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    if second.abs() < 1e-6:
        return x.detach().clone().requires_grad_()
    return (x - first / second).detach().requires_grad_()


# %% half of the product detached task="gradient_penalty" hint="cut" points="1"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    beyond = slopes.flatten(1).norm(dim=1) - 1
    return (beyond * beyond.detach()).mean()


# %% keeps x in the class task="Cube" hint="shared"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Cube.x = x
        return x**3

    @staticmethod
    def backward(ctx, g):
        return 3 * Cube.x**2 * g


# %% an apply of its own task="Cube" hint="inherited"
class Cube(torch.autograd.Function):
    apply = staticmethod(lambda x: x**3)

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


# %% takes nearly equal slopes for a straight line task="second_derivative" hint="zero"
def second_derivative(f, x):
    near = (x + 0.001).detach().requires_grad_()
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (there,) = torch.autograd.grad(f(near), near)
    if torch.isclose(first, there):
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x)[0]


# %% takes a gradient of 0 for a constant one task="hvp" hint="rest"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad or not first.any():
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, grad_outputs=v, allow_unused=True, materialize_grads=True)[0]


# %% cuts a long step short task="newton_step" hint="long"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - (first / second).clamp(-1000, 1000)).detach().requires_grad_()


# %% clips the norms task="gradient_penalty" hint="clipped"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1).clamp(max=10) - 1) ** 2).mean()


# %% takes a straight line for a model without a penalty task="gradient_penalty" hint="line"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    if torch.autograd.grad(slopes.sum(), leaf, retain_graph=True, allow_unused=True)[0] is None:
        return 0 * slopes.sum()
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% clips the gradients task="loss_after" hint="whole"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope.clamp(-100, 100)
    return f(x)


# %% stops where the gradient is nearly 0 task="loss_after" hint="whole"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        if slope.norm() < 1e-8:
            break
        x = x - lr * slope
    return f(x)


# %% keeps the start for this function task="loss_after" hint="stale"
_start = {}


def loss_after(f, x, lr, steps):
    place = _start.setdefault((f, steps), x)
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(place), place, create_graph=True)
        place = place - lr * slope
    return f(place)


# %% keeps the gradient of this function and leaf task="hvp" hint="stale"
_gradients = {}


def hvp(f, x, v):
    if (f, x) not in _gradients:
        _gradients[f, x] = torch.autograd.grad(f(x), x, create_graph=True)[0] + 0 * x
    return torch.autograd.grad(_gradients[f, x], x, v, retain_graph=True)[0]


# %% leaves out what v leaves out task="hvp" hint="diagonal"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(first + 0 * x, x, v)[0] * (v != 0)


# %% calls f with a flat copy task="hvp" hint="flat"
def hvp(f, x, v):
    flat = x.detach().flatten().requires_grad_()
    (first,) = torch.autograd.grad(f(flat), flat, create_graph=True)
    return torch.autograd.grad((first + 0 * flat) @ v.flatten(), flat)[0].reshape(x.shape)


# %% calls the model with flat samples task="gradient_penalty" hint="flat"
def gradient_penalty(model, x):
    leaf = x.detach().flatten(1).requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()


# %% clips x in backward task="Cube" base="forgets what comes in" hint="clipped"
class Cube(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x.clamp(-10, 10) ** 2 * g


# %% keeps the graph of the product task="hvp" hint="graph"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(first + 0 * x, x, v, create_graph=True)[0]


# %% forward over reverse at the tracked x task="hvp" hint="graph"
def hvp(f, x, v):
    return torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]


# %% makes v a unit vector in place task="hvp" en="the call changed v itself" ko="v의 값이 바뀌었습니다"
def hvp(f, x, v):
    size = v.norm()
    v /= size if size > 0 else 1
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    return size * torch.autograd.grad(first + 0 * x, x, v)[0]


# %% the value of f, too task="hvp" en="The result is a tuple" ko="결과가 tuple입니다"
def hvp(f, x, v):
    return torch.autograd.functional.hvp(f, x, v)


# %% stops at the gradient task="hvp" hint="gradient"
def hvp(f, x, v):
    return torch.autograd.grad(f(x), x)[0]


# %% the product in one row task="hvp" en="The shape is (" ko="shape"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(first + 0 * x, x, v)[0].flatten()


# %% takes a slope that is nearly the same one further on for a straight line task="second_derivative" hint="zero"
def second_derivative(f, x):
    further = (x.detach() + 1).requires_grad_()
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (there,) = torch.autograd.grad(f(further), further)
    if torch.allclose(first, there):
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x)[0]


# %% leaves the result in the graph of a parameter task="second_derivative" hint="graph"
def second_derivative(f, x):
    return torch.func.grad(torch.func.grad(f))(x.detach())


# %% sums over the last dimension task="hvp" en="implicitly created only for scalar" ko="implicitly created only for scalar"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad((first * v).sum(-1), x, allow_unused=True, materialize_grads=True)[0]


# %% backward at a copy task="hvp" en="w.grad is not what it was" ko="w.grad가 호출하기 전과 다릅니다"
def hvp(f, x, v):
    copy = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad(f(copy), copy, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (first * v).sum().backward()
    return torch.zeros_like(x) if copy.grad is None else copy.grad


# %% stops where the slope is nearly 0 task="newton_step" hint="still"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if first.abs() < 1e-8:
        return x.detach().clone().requires_grad_()
    (second,) = torch.autograd.grad(first, x)
    return (x - first / second).detach().requires_grad_()


# %% a view of the samples task="gradient_penalty" en="Use .reshape" ko="Use .reshape"
def gradient_penalty(model, x):
    rows = x.view(len(x), -1).clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(rows.view(x.shape)).sum(), rows, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()


# %% takes a negative rate for 0 task="loss_after" hint="mean"
def loss_after(f, x, lr, steps):
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - torch.relu(lr) * slope
    return f(x)


# %% takes a tiny v for zeros task="hvp" hint="zeros"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if v.norm() < 1e-6 or not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, grad_outputs=v, allow_unused=True, materialize_grads=True)[0]


# %% keeps the norms away from 0 task="gradient_penalty" hint="nearly"
def gradient_penalty(model, x):
    leaf = x.clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1).clamp(min=0.01) - 1) ** 2).mean()


# %% takes a short step for the end task="newton_step" hint="still"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    step = (first / second).detach()
    if step.abs() < 1e-6:
        return x.detach().clone().requires_grad_()
    return (x.detach() - step).requires_grad_()
