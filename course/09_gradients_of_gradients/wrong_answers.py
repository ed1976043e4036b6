# Misconceptions of lesson 9. Each must lose its task, and be told why in the words given here.

# %%
import torch


# %% takes backward with create_graph for harmless task="second_derivative" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def second_derivative(f, x):
    x.grad = None
    f(x).backward(create_graph=True, inputs=[x])
    if not x.grad.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(x.grad, x, allow_unused=True, materialize_grads=True)[0]


# %% the circle on a leaf of its own task="second_derivative" en="ties x and x.grad in a circle" ko="서로 붙들게 됩니다"
def second_derivative(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward(create_graph=True, inputs=[leaf])
    if not leaf.grad.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(leaf.grad, leaf, allow_unused=True, materialize_grads=True)[0]


# %% stops at the first derivative task="second_derivative" en="this is the first derivative" ko="일계 미분계수입니다"
def second_derivative(f, x):
    return torch.autograd.grad(f(x), x)[0]


# %% forgets create_graph and catches the error task="second_derivative" en="and the error caught" ko="오류를 잡아 0을 돌려주지"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, retain_graph=True)
    try:
        return torch.autograd.grad(first, x)[0]
    except RuntimeError:
        return torch.zeros_like(x)


# %% leaves a graph behind the result task="second_derivative" en="still part of a graph" ko="아직 그래프에 연결되어"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, create_graph=True, allow_unused=True, materialize_grads=True)[0]


# %% a second difference task="second_derivative" en="nearly: a difference quotient" ko="거의 맞습니다. 차분몫"
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


# %% adds into the buffer task="second_derivative" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (first + 0 * x).backward(inputs=[x])
    return x.grad.clone()


# %% a quotient made exact by extrapolation task="second_derivative" en="a difference quotient reaches over it" ko="차분몫은 그 너머의 값까지 씁니다"
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


# %% takes a slope of 0 for a constant task="second_derivative" en="0 is right only where" ko="0은 gradient가 x에 의존하지 않을 때만"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if first == 0 or not first.requires_grad:
        return torch.zeros_like(x)
    (second,) = torch.autograd.grad(first, x, allow_unused=True)
    return torch.zeros_like(x) if second is None else second


# %% hands on the None task="second_derivative" en="the result is None: allow_unused" ko="결과가 None입니다. x로"
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first, x, allow_unused=True)[0]


# %% builds H first task="hvp" en="was H itself built" ko="H 자체를 만들지"
def hvp(f, x, v):
    H = torch.func.jacrev(torch.func.grad(f))(x.detach()).detach()
    return (H.reshape(v.numel(), v.numel()) @ v.reshape(-1)).reshape(v.shape)


# %% one walk for each row task="hvp" en="the number of operations grows with n" ko="연산의 수가 n에 따라 늘어납니다"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    rows = [
        torch.autograd.grad(g, x, retain_graph=True, allow_unused=True, materialize_grads=True)[0]
        for g in first.reshape(-1)
    ]
    return torch.stack([(row * v).sum() for row in rows]).reshape(x.shape)


# %% forgets v task="hvp" en="v is not used" ko="v를 쓰지 않았습니다"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(first.sum(), x, allow_unused=True, materialize_grads=True)[0]


# %% the diagonal alone task="hvp" en="this is the diagonal of H times v" ko="H의 대각 성분에만"
def hvp(f, x, v):
    H = torch.func.jacrev(torch.func.grad(f))(x.detach()).detach().reshape(x.numel(), x.numel())
    return H.diagonal().reshape(x.shape) * v


# %% weighs the first walk task="hvp" en="this is the gradient, or the gradient times v" ko="gradient에 v를 곱한 것입니다"
def hvp(f, x, v):
    return torch.autograd.grad(f(x), x)[0] * v


# %% one number for all task="hvp" en="v·Hv, a single number" ko="v·Hv, 곧 전체를 더한 수 하나"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(first, x, v, allow_unused=True, materialize_grads=True)
    return (product * v).sum().expand(x.shape).clone()


# %% a quotient of the gradient task="hvp" en="nearly: a difference quotient" ko="거의 맞습니다. 차분몫"
def hvp(f, x, v):
    h = 1e-6

    def gradient(t):
        t = t.detach().double().requires_grad_()
        return torch.autograd.grad(f(t), t)[0]

    return ((gradient(x.double() + h * v) - gradient(x)) / h).to(x.dtype)


# %% a quotient with a step too small task="hvp" en="a difference quotient whose step is too small" ko="차분몫을 썼는데 h가 이 dtype에 너무 작거나"
def hvp(f, x, v):
    h = 1e-6

    def gradient(t):
        t = t.detach().requires_grad_()
        return torch.autograd.grad(f(t), t)[0]

    return (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)


# %% fills x.grad task="hvp" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    x.grad = None
    (first * v).sum().backward(inputs=[x])
    return x.grad.clone()


# %% a quotient of the gradient, extrapolated task="hvp" en="a difference quotient reaches over it" ko="차분몫은 그 너머의 값까지 씁니다"
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


# %% weighs the sums of the rows task="hvp" en="begin the second walk with v instead" ko="두 번째로 거슬러 갈 때 v에서 출발하세요"
def hvp(f, x, v):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (rows,) = torch.autograd.grad(first.sum(), x, allow_unused=True, materialize_grads=True)
    return rows * v


# %% a unit direction first task="hvp" en="do not divide by its norm" ko="v의 노름으로 나누지 마세요"
def hvp(f, x, v):
    size = v.norm()
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(
        first, x, grad_outputs=v / size, allow_unused=True, materialize_grads=True
    )
    return product * size


# %% steps chain one graph task="newton_step" en="the result is not a leaf" ko="결과가 leaf가 아닙니다"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return x - first / second


# %% looks for a root task="newton_step" en="Newton's step for a root of f" ko="f의 근을 찾는 스텝입니다"
def newton_step(f, x):
    value = f(x)
    (first,) = torch.autograd.grad(value, x)
    return (x - value / first).detach().requires_grad_()


# %% uphill task="newton_step" en="away from the place: subtract" ko="반대쪽으로 갑니다"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x + first / second).detach().requires_grad_()


# %% always downhill task="newton_step" en="do not change the sign of f''" ko="f''의 부호를 바꾸지 마세요"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - first / second.abs()).detach().requires_grad_()


# %% gradient descent task="newton_step" en="this is gradient descent" ko="경사 하강법입니다"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x)
    return (x - 0.1 * first).detach().requires_grad_()


# %% not tracked task="newton_step" en="so the next step cannot be taken" ko="다음 스텝을 갈 수 없습니다"
def newton_step(f, x):
    t = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad(f(t), t, create_graph=True)
    (second,) = torch.autograd.grad(first, t)
    return (t - first / second).detach()


# %% moves x itself task="newton_step" en="shares memory with x" ko="x와 메모리를 함께 쓰거나"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    with torch.no_grad():
        x -= first / second
    return x


# %% a leaf with a full buffer task="newton_step" en=".grad of the result is not None" ko="결과의 .grad가 None이 아닙니다"
def newton_step(f, x):
    t = x.detach().clone().requires_grad_()
    (first,) = torch.autograd.grad(f(t), t, create_graph=True)
    (second,) = torch.autograd.grad(first, t)
    t.grad = first.detach()
    t.data -= (first / second).detach()
    return t


# %% fills x.grad on the way task="newton_step" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
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


# %% adds a little to the second derivative task="newton_step" en="was something added to f''" ko="f''에 무엇을 더하거나"
def newton_step(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - first / (second + 1e-8)).detach().requires_grad_()


# %% walks on to the end task="newton_step" en="many steps end there" ko="여러 스텝을 가면 닿는 곳입니다"
def newton_step(f, x):
    for _ in range(50):
        (first,) = torch.autograd.grad(f(x), x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        new = (x - first / second).detach().requires_grad_()
        if abs(new - x) < 1e-7:
            break
        x = new
    return new


# %% without the record task="gradient_penalty" en="the penalty has no graph" ko="penalty에 그래프가 없거나"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% a graph that leads nowhere task="gradient_penalty" en="the penalty has no graph" ko="penalty에 그래프가 없거나"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.detach().flatten(1).norm(dim=1) - 1) ** 2).mean().requires_grad_()


# %% the sum over the samples task="gradient_penalty" en="this is the sum over the samples" ko="샘플에 대한 합입니다"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).sum()


# %% one norm of all task="gradient_penalty" en="one norm of all samples together" ko="모든 샘플의 gradient를 한데 모아"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return (slopes.norm() - 1) ** 2


# %% the gradient of the mean task="gradient_penalty" en="n times too small" ko="n배 작습니다"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).mean(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% the norm over one dimension task="gradient_penalty" en="over one dimension only" ko="한 차원에 대해서만"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()


# %% the square of the norm task="gradient_penalty" en="it is (norm - 1)²" ko="(노름 - 1)²이어야 합니다"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return (((slopes**2).flatten(1).sum(1) - 1) ** 2).mean()


# %% tracks the caller's data task="gradient_penalty" en="x.requires_grad was changed" ko="x.requires_grad가 바뀌었습니다"
def gradient_penalty(model, x):
    x.requires_grad_()
    (slopes,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()


# %% fills the model's buffers task="gradient_penalty" en=".grad is not what it was" ko=".grad가 부르기 전과 다릅니다"
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


# %% only norms above 1 task="gradient_penalty" en="do not cut norm - 1 off at 0" ko="노름 - 1을 0에서 자르지 마세요"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1).clamp(min=0) ** 2).mean()


# %% adds a little under the root task="gradient_penalty" en="was something added under the root" ko="제곱근 안에 무엇을 더하거나"
def gradient_penalty(model, x):
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((torch.sqrt(slopes.flatten(1).pow(2).sum(1) + 1e-8) - 1) ** 2).mean()


# %% keeps x detached task="Cube" en="the second derivative is lost" ko="이계 미분계수가 사라졌습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x = inputs[0].detach()

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.x**2


# %% saves the slope task="Cube" en="the second derivative is lost" ko="이계 미분계수가 사라졌습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3 * x**2)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


# %% divides the result by x task="Cube" en="0 / 0 is nan" ko="0 / 0이 되어 nan"
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


# %% divides, and hides the nan task="Cube" en="not from the next derivative: lesson 8" ko="한 번 더 미분하면 다시 나타납니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x**3
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * torch.where(x == 0, 0.0, 3 * y / x)


# %% forgets what comes in task="Cube" en="multiply by g" ko="g를 곱하세요"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2


# %% records nothing in backward task="Cube" en="the second derivative is lost" ko="이계 미분계수가 사라졌습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            return g * 3 * x**2


# %% changes what comes in task="Cube" en="the call changed g itself" ko="g의 값이 바뀌었습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        g.data.mul_(3)
        return g * x**2


# %% a wrong slope task="Cube" en="the slope of x³ is 3x²" ko="x³의 기울기는 3x²입니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x**2


# %% cuts one of two paths task="Cube" en="one of the paths is cut" ko="경로 하나가 끊어졌습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x.detach()


# %% takes what comes in for a constant task="Cube" en="one of the paths is cut" ko="경로 하나가 끊어졌습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.detach() * 3 * x**2


# %% divides, in forward, what backward needs task="Cube" en="the second derivative is lost" ko="이계 미분계수가 사라졌습니다"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.square = x**2
        return ctx.square * x

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.square * g


# %% no backward of its own task="Cube" en="with a backward of its own" ko="자신의 backward가 있는"
class Cube(torch.autograd.Function):
    @staticmethod
    def apply(x):
        return x**3


# %% takes a short cut where what comes in is 0 task="Cube" en="nor a 0 returned without a graph" ko="그래프 없는 0을 돌려주면"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if not g.any():
            return torch.zeros_like(x)
        return g * 3 * x**2
