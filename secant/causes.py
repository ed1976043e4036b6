"""Descriptions of the likely causes of common Python and torch errors in these lessons.

An entry is selected by the exception's name and by pieces of its message that torch has not changed for
years. Each piece is a short fixed string, so a message of any length is searched in one pass.
tests/secant/provoked.py raises every one of these errors with real code.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from secant.language import say

#: The filename under which the code of a test's question is compiled (see secant/checking/situation.py).
QUESTION = "<question>"
#: The message of the NotImplementedError that a release puts in place of each answer.
STUB = "Write your answer here / 여기에 답을 쓰세요"
_MAX_SEARCHED = 2_000  # maximum number of characters of a message that are searched


@dataclass(frozen=True)
class Cause:
    """A likely cause of an error, described in English and in Korean.

    Attributes:
        kinds: the names of the exceptions, separated by spaces; empty for any exception.
        pieces: the strings that must all occur in the message.
    """

    kinds: str
    pieces: tuple[str, ...]
    en: str
    ko: str


# The messages with which `math` reports an argument outside a function's domain. Up to Python 3.13, all
# functions share the first message. In later versions, each function has its own.
_OUTSIDE_THE_DOMAIN = (
    "math domain error",
    "expected a positive input",
    "expected a nonnegative input",
    "expected a finite input",
    "expected a noninteger or positive integer",
    "expected a number in range from -1 up to 1",
    "expected a number between -1 and 1",
    "expected argument value",
)

#: The first entry that matches is shown, so specific causes come before general ones.
CAUSES: Sequence[Cause] = (
    # Errors about the graph.
    Cause(
        "RuntimeError",
        ("backward through the graph a second time",),
        en="an earlier backward pass has freed what the graph had saved. Is a value carried over from the "
        "step before, such as a state or a running sum? Then detach() it. Otherwise compute the result "
        "again, or, to walk one graph twice, pass retain_graph=True to the first backward() or grad()",
        ko="앞선 역방향 계산이 그래프에 저장된 값을 비웠습니다. 상태나 누적 합처럼 앞 단계에서 넘겨받은 값이 "
        "있다면 detach()로 떼어 내세요. 그렇지 않다면 결과를 다시 계산하거나, 한 그래프를 두 번 지나려면 "
        "첫 번째 backward()나 grad()에 retain_graph=True를 주세요",
    ),
    Cause(
        "RuntimeError",
        ("does not require grad and does not have a grad_fn",),
        en="there is no graph behind this tensor: no input had requires_grad=True, it was cut by "
        "detach(), no_grad() or a Python number, or a gradient was computed without "
        "create_graph=True",
        ko="이 텐서에는 그래프가 없습니다. 입력에 requires_grad=True가 없거나, detach()나 no_grad()로, "
        "또는 파이썬 수로 바꾸면서 끊겼거나, create_graph=True 없이 구한 gradient입니다",
    ),
    Cause(
        "RuntimeError",
        ("implicitly created only for scalar outputs",),
        en="backward() and grad() start from one element unless they are given a vector. Sum the result "
        "first, or pass gradient=v (grad: grad_outputs=v)",
        ko="backward()와 grad()는 벡터를 주지 않으면 원소가 하나인 결과에서만 출발합니다. 먼저 더해서 "
        "하나로 만들거나 gradient=v(grad에는 grad_outputs=v)를 주세요",
    ),
    Cause(
        "RuntimeError",
        ("leaf Variable that requires grad", "in-place"),
        en="a tracked leaf is changed in place. Do that under torch.no_grad(), or make a new tensor",
        ko="추적되는 leaf를 제자리에서 바꾸었습니다. torch.no_grad() 안에서 바꾸거나 새 텐서를 만드세요",
    ),
    Cause(
        "RuntimeError",
        ("modified by an inplace operation",),
        en="a tensor that the backward pass needs was changed in place after it had been saved. Use "
        "the operation that makes a new tensor",
        ko="역방향 계산에 필요해서 저장해 둔 텐서를 그 뒤에 제자리에서 바꾸었습니다. 새 텐서를 만드는 "
        "연산을 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("appears to not have been used in the graph",),
        en="the result does not depend on this very tensor: it was computed from another one or from "
        "a copy. Where that is meant, pass allow_unused=True",
        ko="결과가 바로 이 텐서에서 나오지 않았습니다. 다른 텐서나 복사본으로 계산했을 수 있습니다. "
        "일부러 그런 것이라면 allow_unused=True를 주세요",
    ),
    Cause(
        "RuntimeError",
        ("numpy()", "requires grad"),
        en="a tracked tensor has to leave the graph before it becomes a NumPy array: t.detach().numpy()",
        ko="추적되는 텐서는 그래프에서 떼어 낸 뒤에 NumPy 배열로 바꿀 수 있습니다. t.detach().numpy()",
    ),
    Cause(
        "RuntimeError",
        ("Inference tensors",),
        en="a tensor made under torch.inference_mode() cannot be saved for a backward pass. Use "
        "torch.no_grad(), or clone it outside",
        ko="torch.inference_mode() 안에서 만든 텐서는 역방향 계산을 위해 저장할 수 없습니다. "
        "torch.no_grad()를 쓰거나 그 바깥에서 clone()으로 복사하세요",
    ),
    Cause(
        "RuntimeError",
        ("of floating point", "require gradients"),
        en="only floating-point tensors have gradients. Write 3.0 instead of 3, or convert with .double()",
        ko="gradient는 부동소수점 텐서에만 있습니다. 3 대신 3.0을 쓰거나 .double()로 바꾸세요",
    ),
    Cause(
        "RuntimeError",
        ("deepcopy", "graph leaves"),
        en="a result of a computation is copied together with its graph. Copy its values: t.detach().clone()",
        ko="계산 결과를 그래프째 복사하려 했습니다. 값만 복사하세요. t.detach().clone()",
    ),
    Cause(
        "RuntimeError",
        ("Mismatch in shape: grad_output",),
        en="v, the gradient that backward() is given, does not have the shape of the result",
        ko="backward()에 준 gradient v의 shape가 결과의 shape와 다릅니다",
    ),
    Cause(
        "RuntimeError",
        (
            "derivative for",
            "is not implemented",
        ),
        en="this operation has no derivative, and it makes no differentiable result from tracked "
        "tensors. Use another operation, or detach() what goes in if no gradient is needed",
        ko="이 연산에는 미분이 구현되어 있지 않습니다. 다른 연산을 쓰거나, gradient가 필요 "
        "없다면 들어가는 텐서를 detach()로 떼어 내세요",
    ),
    Cause(
        "RuntimeError",
        ("implicitly created only for real scalar outputs",),
        en="the result is complex, and backward() starts only from a real number. Take its .real or "
        ".abs() first",
        ko="결과가 복소수입니다. backward()는 실수에서만 출발하므로 먼저 .real이나 .abs()를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("differentiated Tensors does not require grad",),
        en="a gradient is asked for with respect to a tensor that is not tracked: give it "
        "requires_grad=True before the result is computed",
        ko="추적되지 않는 텐서에 대한 gradient를 구하려 했습니다. 결과를 계산하기 전에 그 텐서에 "
        "requires_grad=True를 주세요",
    ),
    Cause(
        "RuntimeError",
        ("only change requires_grad flags of leaf",),
        en="this tensor is the result of a tracked computation, so requires_grad cannot be switched "
        "off on it. Take detach() of it, or compute it under torch.no_grad()",
        ko="추적되는 계산의 결과여서 requires_grad를 끌 수 없습니다. detach()로 떼어 "
        "내거나 torch.no_grad() 안에서 계산하세요",
    ),
    Cause(
        "RuntimeError",
        ("returned nan values in its",),
        en="anomaly mode found the first operation whose backward gives nan. Often it is 0 times "
        "inf: a sqrt at 0, a log of 0 or a division by 0, perhaps in the branch that where() does "
        "not choose",
        ko="anomaly mode가 찾은, 역방향 계산에서 처음 nan을 낸 연산입니다. 0에서의 "
        "sqrt, 0의 log, 0으로 나누기처럼 0 * inf가 된 경우가 많습니다. "
        "where()가 고르지 않은 쪽에 있을 수도 있습니다",
    ),
    Cause(
        "RuntimeError",
        (
            "is a view and is being modified inplace",
            "multiple views",
        ),
        en="this tensor came from unbind, split, chunk or a loop over another tensor, and autograd "
        "cannot follow an in-place change of it. Use an operation that makes a new tensor, such "
        "as t = t * 2",
        ko="unbind, split, chunk나 텐서를 도는 반복문에서 나온 텐서입니다. "
        "autograd가 이런 텐서의 제자리 변경을 따라갈 수 없으니 t = t * 2처럼 새 텐서를 "
        "만드는 연산을 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("view was created in no_grad mode",),
        en="a view that was made under torch.no_grad() is changed in place outside of it. Make the "
        "view outside, or make the change under no_grad(), too",
        ko="torch.no_grad() 안에서 만든 view를 밖에서 제자리 변경했습니다. view를 "
        "밖에서 만들거나 변경도 no_grad() 안에서 하세요",
    ),
    Cause(
        "RuntimeError",
        ("view was created in inference mode",),
        en="a view that was made under torch.inference_mode() is changed in place outside of it. "
        "Clone it first",
        ko="torch.inference_mode() 안에서 만든 view를 밖에서 제자리 변경했습니다. "
        "먼저 clone()으로 복사하세요",
    ),
    Cause(
        "RuntimeError",
        ("Inplace update to inference tensor",),
        en="a tensor that was made under torch.inference_mode() cannot be changed in place outside "
        "of it. Clone it first, or use torch.no_grad() instead",
        ko="torch.inference_mode() 안에서 만든 텐서는 밖에서 제자리 변경을 할 수 "
        "없습니다. 먼저 clone()으로 복사하거나 torch.no_grad()를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("requires_grad=True on inference tensor",),
        en="a tensor that was made under torch.inference_mode() cannot be tracked later. Clone it "
        "outside, or use torch.no_grad() instead",
        ko="torch.inference_mode() 안에서 만든 텐서는 나중에 추적할 수 없습니다. "
        "밖에서 clone()으로 복사하거나 torch.no_grad()를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("Can't detach views in-place",),
        en="detach_() cuts a tensor in place, which is not possible for a view. Use t = t.detach()",
        ko="detach_()는 텐서를 제자리에서 떼어 내는데, view에는 쓸 수 없습니다. t = t.detach()를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("functions with out=... arguments don't support automatic",),
        en="out= writes into an existing tensor, which autograd does not record. Leave out= away and "
        "use the result",
        ko="out=은 이미 있는 텐서에 쓰는 것이어서 autograd가 기록하지 못합니다. out=을 "
        "빼고 결과를 그대로 쓰세요",
    ),
    Cause(
        "RuntimeError",
        (
            "use_reentrant=True",
            "incompatible with .grad()",
        ),
        en="checkpoint(..., use_reentrant=True) works only with a plain backward(). Pass use_reentrant=False",
        ko="checkpoint(..., use_reentrant=True)는 인자 없는 "
        "backward()에서만 쓸 수 있습니다. use_reentrant=False를 주세요",
    ),
    Cause(
        "CheckpointError RuntimeError",
        ("torch.utils.checkpoint", "during"),
        en="the function under checkpoint did something else when it was run again for the backward "
        "pass: its operations must be the same at both runs",
        ko="checkpoint에 준 함수가 역방향 계산을 위해 다시 실행될 때 처음과 다른 일을 "
        "했습니다. 두 번 모두 같은 연산을 해야 합니다",
    ),
    # Errors about .grad buffers and hooks.
    Cause(
        "RuntimeError",
        ("assign a gradient of size",),
        en="what is put into .grad does not have the shape of its tensor",
        ko=".grad에 넣으려는 텐서의 shape가 원래 텐서와 다릅니다",
    ),
    Cause(
        "RuntimeError",
        ("hook", "changed the size"),
        en="the hook returns a gradient whose shape is not that of the one it was given",
        ko="hook이 받은 gradient와 shape가 다른 것을 돌려주었습니다",
    ),
    Cause(
        "TypeError",
        ("hook returned",),
        en="the hook returns something other than a tensor or None",
        ko="hook이 텐서도 None도 아닌 것을 돌려주었습니다",
    ),
    Cause(
        "RuntimeError",
        ("cannot register a hook",),
        en="a hook can only be registered on a tracked tensor: one with requires_grad",
        ko="hook은 추적되는 텐서(requires_grad가 True인 것)에만 등록할 수 있습니다",
    ),
    Cause(
        "RuntimeError",
        ("retain_grad on Tensor", "requires_grad=False"),
        en="retain_grad() or backward(inputs=...) asks for the gradient of a tensor that is not tracked: its "
        "requires_grad is False",
        ko="추적되지 않는 텐서(requires_grad가 False)에 retain_grad()를 호출했거나 그런 텐서를 "
        "backward(inputs=...)에 넘겼습니다",
    ),
    # Errors in a custom autograd Function.
    Cause(
        "RuntimeError",
        ("incorrect number of gradients",),
        en="backward returns one gradient for each argument of forward, not counting ctx; None for those "
        "without one",
        ko="backward는 forward의 인자마다(ctx 제외) gradient를 하나씩 돌려줍니다. 없는 것은 None입니다",
    ),
    Cause(
        "RuntimeError",
        ("returned an invalid gradient at index",),
        en="backward returns a gradient whose shape is not that of its input. Was a broadcast or a sum not "
        "undone?",
        ko="backward가 입력과 shape가 다른 gradient를 돌려주었습니다. 브로드캐스트나 합을 되돌리지 않았나요?",
    ),
    Cause(
        "NotImplementedError",
        ("implement either the backward or vjp",),
        en="the Function has no static method backward(ctx, g)",
        ko="Function에 정적 메서드 backward(ctx, g)가 없습니다",
    ),
    Cause(
        "RuntimeError",
        ("expected Variable or None",),
        en="backward returns a Python number where a tensor or None is expected",
        ko="backward가 텐서나 None 대신 파이썬 수를 돌려주었습니다",
    ),
    Cause(
        "TypeError",
        ("save_for_backward can only save",),
        en="save_for_backward takes only tensors. Keep a number as an attribute: ctx.n = n",
        ko="save_for_backward에는 텐서만 넣을 수 있습니다. 수는 ctx.n = n처럼 속성으로 남기세요",
    ),
    Cause(
        "AttributeError",
        ("Backward' object has no attribute",),
        en="backward reads something that is not on ctx: forward and setup_context did not put it there, or "
        "an earlier backward pass removed it",
        ko="backward가 ctx에 없는 것을 읽고 있습니다. forward나 setup_context가 넣지 않았거나, "
        "앞선 역방향 계산이 지웠습니다",
    ),
    Cause(
        "RuntimeError",
        ("Legacy autograd function",),
        en="a Function is not called directly: write Name.apply(...)",
        ko="Function은 직접 호출하지 않습니다. 이름.apply(...)로 쓰세요",
    ),
    Cause(
        "TypeError",
        (".forward() takes 1 positional argument but 2",),
        en="forward gets ctx as its first argument, unless the class has a setup_context of its own",
        ko="클래스에 setup_context가 없으면 forward의 첫 인자는 ctx입니다",
    ),
    Cause(
        "RuntimeError",
        ("gradient different than None at position",),
        en="backward returns a gradient for an argument that is no tensor, such as a number: return "
        "None in its place",
        ko="backward가 수처럼 텐서가 아닌 인자에 gradient를 돌려주었습니다. 그 자리에는 None을 돌려주세요",
    ),
    # Errors from gradcheck and torch.func.
    Cause(
        "GradcheckError",
        ("Jacobian mismatch",),
        en="the gradient and the difference quotient do not agree. Check that the input is float64, that the "
        "function gives the same result at each call, and that there is no kink near the input; otherwise a "
        "formula in backward is wrong",
        ko="gradient와 차분몫이 맞지 않습니다. 입력이 float64인지, 함수가 호출할 때마다 같은 결과를 내는지, "
        "입력 근처에 꺾인 점이 없는지 확인하세요. 모두 아니라면 backward의 공식이 틀린 것입니다",
    ),
    Cause(
        "ValueError",
        ("gradcheck expects at least one input",),
        en="gradcheck needs an input with requires_grad=True, in float64",
        ko="gradcheck에는 requires_grad=True인 float64 입력이 하나는 있어야 합니다",
    ),
    Cause(
        "RuntimeError",
        ("vmap", "data-dependent control flow"),
        en="under vmap a condition is many values at once, so an if cannot test it. Use torch.where",
        ko="vmap 안에서는 조건이 여러 값을 한꺼번에 담고 있어 if로 판단할 수 없습니다. torch.where를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("vmap", ".item()"),
        en="under vmap a tensor stands for all samples at once, so it cannot become a Python number",
        ko="vmap 안의 텐서는 모든 샘플을 한꺼번에 나타내므로 파이썬 수로 바꿀 수 없습니다",
    ),
    Cause(
        "RuntimeError",
        ("to return a scalar",),
        en="torch.func.grad needs a function with one element as its result. Sum it, or use vjp or jacrev",
        ko="torch.func.grad에 주는 함수의 결과는 원소가 하나여야 합니다. 더해서 하나로 만들거나 vjp나 "
        "jacrev를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("forward gradient that has a different size",),
        en="the direction v of jvp does not have the shape of the point x",
        ko="jvp에 준 방향 v의 shape가 점 x의 shape와 다릅니다",
    ),
    Cause(
        "RuntimeError",
        (
            "requires_grad_()",
            "inside of a function being transformed",
        ),
        en="torch.func tracks the input by itself: leave requires_grad_() out of the function",
        ko="torch.func는 입력을 스스로 추적합니다. 함수 안의 requires_grad_()를 빼세요",
    ),
    Cause(
        "RuntimeError",
        ("backward() called inside a functorch transform",),
        en="inside a function given to torch.func, backward() is not possible. Return the value, and "
        "let torch.func.grad find the gradient",
        ko="torch.func에 준 함수 안에서는 backward()를 호출할 수 없습니다. 값을 "
        "돌려주고 gradient는 torch.func.grad로 구하세요",
    ),
    Cause(
        "RuntimeError",
        (
            "vmap",
            "randomness error mode",
        ),
        en="under vmap it has to be said whether all samples draw the same random numbers: vmap(..., "
        "randomness='different') or 'same'",
        ko="vmap 안에서 난수를 쓰려면 샘플마다 다른 난수인지 정해야 합니다. vmap(..., "
        "randomness='different')나 'same'을 주세요",
    ),
    Cause(
        "RuntimeError",
        ("vmap: inplace arithmetic",),
        en="under vmap a plain tensor is changed in place by one that stands for all samples, and it "
        "is too small. Build a new tensor, for example with torch.stack",
        ko="vmap 안에서 보통 텐서를 모든 샘플을 나타내는 텐서로 제자리 변경했는데, 담을 자리가 "
        "모자랍니다. torch.stack 등으로 새 텐서를 만드세요",
    ),
    Cause(
        "TypeError RuntimeError",
        ("user-provided function given to",),
        en="the function whose derivative is asked for must return a tensor, not a Python number or "
        "a list: leave float(), .item() and .tolist() out of it",
        ko="미분할 함수는 파이썬 수나 리스트가 아니라 텐서를 돌려주어야 합니다. 함수 안에서 "
        "float(), .item(), .tolist()를 빼세요",
    ),
    Cause(
        "RuntimeError",
        ("to return only tensors, got unsupported type",),
        en="the function whose derivative is asked for must return a tensor, not a Python number or "
        "a list: leave float(), .item() and .tolist() out of it",
        ko="미분할 함수는 파이썬 수나 리스트가 아니라 텐서를 돌려주어야 합니다. 함수 안에서 "
        "float(), .item(), .tolist()를 빼세요",
    ),
    # Errors about shapes and dtypes.
    Cause(
        "RuntimeError",
        ("same dtype",),
        en="two dtypes meet, such as float32 and float64: make new tensors with dtype=x.dtype",
        ko="float32와 float64처럼 서로 다른 dtype을 섞었습니다. 새 텐서는 dtype=x.dtype으로 만드세요",
    ),
    Cause(
        "RuntimeError",
        ("shapes cannot be multiplied",),
        en="the inner sizes of the two shapes differ. Is a transpose (.T) missing, or the order reversed?",
        ko="두 행렬의 shape에서 안쪽 크기가 다릅니다. 전치(.T)를 빠뜨렸거나 순서가 바뀌지 않았나요?",
    ),
    Cause(
        "RuntimeError",
        ("size mismatch",),
        en="the shapes cannot be multiplied. Is a transpose (.T) missing?",
        ko="shape가 맞지 않아 곱할 수 없습니다. 전치(.T)를 빠뜨리지 않았나요?",
    ),
    Cause(
        "RuntimeError",
        ("must match the size of tensor",),
        en="the shapes cannot be broadcast to each other: from the right, sizes are equal or one of "
        "them is 1",
        ko="두 shape를 브로드캐스트할 수 없습니다. 오른쪽부터 크기가 같거나 한쪽이 1이어야 합니다",
    ),
    Cause(
        "RuntimeError",
        ("is invalid for input of size",),
        en="the new shape does not have as many elements as the tensor",
        ko="새 shape의 원소 수가 텐서와 다릅니다",
    ),
    Cause(
        "",
        ("one element tensors can be converted",),
        en="only a tensor of one element becomes a Python number. Is a sum or an index missing? (torch.stack "
        "makes one tensor of several.)",
        ko="원소가 하나인 텐서만 파이썬 수로 바꿀 수 있습니다. 합이나 인덱스를 빠뜨리지 않았나요? "
        "(텐서 여럿을 하나로 만드는 것은 torch.stack입니다.)",
    ),
    Cause(
        "RuntimeError",
        ("cannot be converted to Scalar",),
        en="only a tensor of one element becomes a Python number. Is a sum or an index missing?",
        ko="원소가 하나인 텐서만 파이썬 수로 바꿀 수 있습니다. 합이나 인덱스를 빠뜨리지 않았나요?",
    ),
    Cause(
        "RuntimeError",
        ("Boolean value of Tensor with more than one",),
        en="an if cannot test many elements at once. Use torch.where, .all() or .any()",
        ko="if로는 여러 원소를 한꺼번에 판단할 수 없습니다. torch.where나 .all(), .any()를 쓰세요",
    ),
    Cause(
        "TypeError",
        ("iteration over a 0-d tensor",),
        en="a 0-dim tensor is a single value: it cannot be iterated over",
        ko="0차원 텐서는 값이 하나뿐이어서 원소를 하나씩 꺼낼 수 없습니다",
    ),
    Cause(
        "IndexError",
        ("Dimension out of range",),
        en="the tensor has no such dim: they are counted from 0, or from -1 backwards",
        ko="텐서에 그런 dim이 없습니다. 0부터, 뒤에서는 -1부터 셉니다",
    ),
    Cause(
        "RuntimeError",
        (
            "result type",
            "can't be cast to the desired output type",
        ),
        en="an in-place operation would put floats into a tensor of another dtype, such as ints. "
        "Make the tensor with floats (1.0 instead of 1), or write w = w - ... to get a new one",
        ko="정수 텐서처럼 dtype이 다른 텐서에 제자리 연산으로 소수를 넣으려 했습니다. 처음부터 "
        "소수로(1 대신 1.0) 만들거나, w = w - ...처럼 새 텐서를 만드세요",
    ),
    Cause(
        "RuntimeError",
        ("doesn't match the broadcast shape",),
        en="an in-place operation cannot make a tensor larger: the result of the broadcast does not "
        "fit into it. Compare the shapes",
        ko="제자리 연산으로는 텐서가 커질 수 없는데, 브로드캐스트한 결과가 들어가지 않습니다. 두 "
        "shape를 비교해 보세요",
    ),
    Cause(
        "RuntimeError",
        ("could not infer output dtype",),
        en="the mean of whole numbers is not a whole number: convert with .float() or .double() first",
        ko="정수의 평균은 정수가 아닐 수 있습니다. 먼저 .float()나 .double()로 바꾸세요",
    ),
    Cause(
        "RuntimeError",
        ("view size is not compatible",),
        en="the elements do not lie one after another in memory, for example after .T or a slice, so "
        "view cannot be used. Use reshape",
        ko="전치(.T)나 슬라이스 뒤처럼 원소가 메모리에 차례대로 놓여 있지 않아 view를 쓸 수 "
        "없습니다. reshape를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        (
            "zero-dimensional tensor",
            "cannot be concatenated",
        ),
        en="cat joins along a dim, and a single number has none. Use torch.stack",
        ko="cat은 차원을 따라 잇는데 수 하나에는 차원이 없습니다. torch.stack을 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("stack expects each tensor to be equal size",),
        en="stack puts tensors of one shape together. These have different shapes: use cat, or make "
        "them alike",
        ko="stack은 shape가 같은 텐서만 쌓습니다. shape가 다르면 cat을 쓰거나 먼저 shape를 맞추세요",
    ),
    Cause(
        "TypeError",
        ("expected Tensor as element",),
        en="the list holds something other than tensors, such as Python numbers: make tensors of "
        "them, or use torch.tensor(list)",
        ko="리스트에 파이썬 수처럼 텐서가 아닌 것이 있습니다. 텐서로 바꾸거나 torch.tensor(리스트)를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("both arguments to matmul need to be at least 1D",),
        en="@ multiplies vectors and matrices. For a single number use *",
        ko="@는 벡터와 행렬의 곱입니다. 수 하나를 곱할 때는 *를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("1D tensors expected, but got",),
        en="dot takes two vectors. For matrices use @",
        ko="dot에는 벡터 두 개를 넣습니다. 행렬에는 @를 쓰세요",
    ),
    Cause(
        "RuntimeError",
        ("inconsistent tensor size, expected tensor",),
        en="dot takes two vectors of the same length",
        ko="dot에는 길이가 같은 벡터 두 개를 넣습니다",
    ),
    Cause(
        "RuntimeError",
        ("more than one element of the written-to tensor refers to a single memory location",),
        en="the tensor was made by expand: several of its elements are one and the same number in "
        "memory. Clone it before you change it",
        ko="expand로 만든 텐서여서 여러 원소가 메모리의 한 수를 함께 씁니다. 바꾸기 전에 "
        "clone()으로 복사하세요",
    ),
    Cause(
        "RuntimeError",
        ("Index put requires the source and destination dtypes match",),
        en="what is written into the tensor has another dtype than the tensor: convert it first, or "
        "make the tensor with that dtype",
        ko="텐서에 써 넣는 값의 dtype이 텐서와 다릅니다. 먼저 바꾸거나, 텐서를 그 dtype으로 만드세요",
    ),
    Cause(
        "RuntimeError",
        ("expected target dtype to be",),
        en="the targets of this loss are class numbers: a tensor of ints, as torch.tensor([0, 2])",
        ko="이 손실 함수의 정답은 클래스 번호입니다. torch.tensor([0, 2])처럼 정수 텐서를 넣으세요",
    ),
    Cause(
        "RuntimeError",
        ("expected scalar type",),
        en="two dtypes meet, such as float32 and float64, or ints where floats are needed: convert "
        "one of them",
        ko="float32와 float64, 정수와 소수처럼 서로 다른 dtype을 섞었습니다. 한쪽을 바꾸세요",
    ),
    Cause(
        "TypeError",
        ("only integer tensors of a single element can be converted to an index",),
        en="an index or a count must be a whole number: use int(...), or .item() of a tensor of ints",
        ko="인덱스나 개수는 정수여야 합니다. int(...)나 정수 텐서의 .item()을 쓰세요",
    ),
    Cause(
        "ValueError",
        ("cannot convert float NaN to integer",),
        en="the number is nan, which no int can hold. Where did the nan arise: 0/0, inf - inf, the "
        "log or root of a negative number?",
        ko="수가 nan이어서 정수로 바꿀 수 없습니다. nan이 어디에서 생겼나요? 0/0, inf - "
        "inf, 음수의 log나 제곱근이 아닌가요?",
    ),
    Cause(
        "OverflowError",
        ("cannot convert float infinity to integer",),
        en="the number is inf, which no int can hold. Where did it become so large?",
        ko="수가 inf여서 정수로 바꿀 수 없습니다. 어디에서 그렇게 커졌나요?",
    ),
    Cause(
        "ValueError",
        ("too many dimensions 'str'",),
        en="a tensor holds numbers, not strings",
        ko="텐서에는 문자열이 아니라 수를 담습니다",
    ),
    Cause(
        "NotImplementedError",
        ("bitwise_xor",),
        en="^ is not the power in Python: write **",
        ko="파이썬에서 ^는 거듭제곱이 아닙니다. **를 쓰세요",
    ),
    Cause(
        "TypeError",
        ("unsupported operand type(s) for ^",),
        en="^ is not the power in Python: write **",
        ko="파이썬에서 ^는 거듭제곱이 아닙니다. **를 쓰세요",
    ),
    Cause(
        "IndexError",
        ("too many indices",),
        en="there are more indices than the tensor has dims",
        ko="인덱스가 텐서의 차원보다 많습니다",
    ),
    Cause(
        "IndexError",
        ("invalid index of a 0-dim tensor",),
        en="a 0-dim tensor is a single value and takes no index",
        ko="0차원 텐서는 값이 하나뿐이어서 인덱스를 쓸 수 없습니다",
    ),
    Cause(
        "IndexError",
        ("tensors used as indices must be",),
        en="a tensor used as an index holds floats. Convert it with .long()",
        ko="인덱스로 쓴 텐서가 소수입니다. .long()으로 바꾸세요",
    ),
    Cause(
        "IndexError",
        ("The shape of the mask",),
        en="the mask does not have the shape of the tensor",
        ko="마스크의 shape가 텐서와 다릅니다",
    ),
    Cause(
        "IndexError",
        ("pop from empty",),
        en="an element is taken from a list that is empty",
        ko="비어 있는 리스트에서 원소를 꺼내려 했습니다",
    ),
    # Errors about None and other values that are not tensors.
    Cause(
        "AttributeError",
        ("'NoneType' object has no attribute",),
        en="something is None here: a .grad before the first backward(), of an intermediate tensor, "
        "or of one that the result does not depend on; or a function without a return",
        ko="None인 것을 썼습니다. 첫 backward() 전이거나 중간 텐서이거나 결과와 상관없는 텐서의 .grad, "
        "또는 return이 없는 함수의 결과입니다",
    ),
    Cause(
        "TypeError",
        ("NoneType",),
        en="something is None here: a .grad that is still empty, or the result of a function without "
        "a return",
        ko="None인 것을 썼습니다. 아직 비어 있는 .grad이거나 return이 없는 함수의 결과입니다",
    ),
    Cause(
        "AttributeError",
        ("'float' object has no attribute",),
        en="a Python number stands where a tensor is needed. Was it made with float() or .item()?",
        ko="텐서가 있어야 할 자리에 파이썬 수가 있습니다. float()나 .item()으로 바꾸지 않았나요?",
    ),
    Cause(
        "TypeError",
        ("must be Tensor, not",),
        en="torch's functions take tensors: make one with torch.tensor(...), or use math for a Python number",
        ko="torch의 함수에는 텐서를 넣습니다. torch.tensor(...)로 만들거나, 파이썬 수라면 math를 쓰세요",
    ),
    Cause(
        "TypeError",
        ("'float' object is not iterable",),
        en="a Python number stands where a tensor or a list is needed",
        ko="텐서나 리스트가 있어야 할 자리에 파이썬 수가 있습니다",
    ),
    Cause(
        "TypeError",
        ("'Tensor' object is not callable",),
        en="a tensor stands before the brackets. .grad, .T, .data, .shape and .dtype are no methods: "
        "write them without ()",
        ko="괄호 앞에 텐서가 있습니다. .grad, .T, .data, .shape, .dtype은 메서드가 아니니 () 없이 쓰세요",
    ),
    Cause(
        "AttributeError",
        ("'tuple' object has no attribute",),
        en="this is a tuple. torch.autograd.grad returns a tuple with a gradient for each input, "
        "even for one: take it with [0], or write (g,) = torch.autograd.grad(...)",
        ko="튜플입니다. torch.autograd.grad는 입력이 하나여도 gradient를 튜플에 "
        "담아 돌려줍니다. [0]으로 꺼내거나 (g,) = "
        "torch.autograd.grad(...)로 받으세요",
    ),
    Cause(
        "TypeError",
        ("can only concatenate tuple",),
        en="one of the two is a tuple. torch.autograd.grad returns a tuple with a gradient for each "
        "input, even for one: take it with [0], or write (g,) = torch.autograd.grad(...)",
        ko="둘 중 하나가 튜플입니다. torch.autograd.grad는 입력이 하나여도 "
        "gradient를 튜플에 담아 돌려줍니다. [0]으로 꺼내거나 (g,) = "
        "torch.autograd.grad(...)로 받으세요",
    ),
    Cause(
        "TypeError",
        ("can't multiply sequence by non-int",),
        en="a list or a tuple is multiplied by a number. Make a tensor of it, or, if it is the tuple "
        "that torch.autograd.grad returns, take its element with [0]",
        ko="리스트나 튜플에 수를 곱했습니다. 텐서로 바꾸세요. torch.autograd.grad가 "
        "돌려준 튜플이라면 [0]으로 원소를 꺼내세요",
    ),
    Cause(
        "TypeError",
        (
            "unsupported operand type(s)",
            "'tuple'",
        ),
        en="one of the two is a tuple. torch.autograd.grad returns a tuple with a gradient for each "
        "input, even for one: take it with [0], or write (g,) = torch.autograd.grad(...)",
        ko="둘 중 하나가 튜플입니다. torch.autograd.grad는 입력이 하나여도 "
        "gradient를 튜플에 담아 돌려줍니다. [0]으로 꺼내거나 (g,) = "
        "torch.autograd.grad(...)로 받으세요",
    ),
    Cause(
        "TypeError",
        (
            "unsupported operand type(s)",
            "'list'",
        ),
        en="one of the two is a list. Make a tensor of it, with torch.tensor(...) or torch.stack(...)",
        ko="둘 중 하나가 리스트입니다. torch.tensor(...)나 torch.stack(...)으로 텐서를 만드세요",
    ),
    Cause(
        "AttributeError",
        ("'torch.return_types.",),
        en="with a dim, max, min, median and sort return two tensors: the values and their indices. "
        "Take .values",
        ko="dim을 준 max, min, median, sort는 값과 인덱스 두 텐서를 돌려줍니다. .values를 쓰세요",
    ),
    Cause(
        "AttributeError",
        ("'list' object has no attribute",),
        en="this is a list. Take an element of it, or make one tensor with torch.stack(...)",
        ko="리스트입니다. 원소를 꺼내거나 torch.stack(...)으로 텐서를 만드세요",
    ),
    Cause(
        "AttributeError",
        ("'numpy.",),
        en="this is NumPy's, which autograd does not follow. Compute it with torch, or make a tensor "
        "with torch.tensor(...)",
        ko="NumPy의 값이어서 autograd가 따라가지 못합니다. torch로 계산하거나 "
        "torch.tensor(...)로 텐서를 만드세요",
    ),
    Cause(
        "AttributeError",
        ("'int' object has no attribute",),
        en="a Python number stands where a tensor is needed. Was it made with int() or .item()?",
        ko="텐서가 있어야 할 자리에 파이썬 수가 있습니다. int()나 .item()으로 바꾸지 않았나요?",
    ),
    Cause(
        "TypeError",
        ("'int' object is not iterable",),
        en="a Python number stands where a tensor or a list is needed",
        ko="텐서나 리스트가 있어야 할 자리에 파이썬 수가 있습니다",
    ),
    Cause(
        "TypeError",
        (
            "cannot assign",
            "as parameter",
        ),
        en="a module's parameter can only be replaced by another parameter: torch.nn.Parameter(t). "
        "To change its values, use p.copy_(t) under torch.no_grad()",
        ko="모듈의 파라미터는 torch.nn.Parameter(t)로만 바꿔 넣을 수 있습니다. 값만 "
        "바꾸려면 torch.no_grad() 안에서 p.copy_(t)를 쓰세요",
    ),
    # Errors in the student's own autograd engine (lesson 10).
    Cause(
        "TypeError",
        ("unsupported operand type(s)", ": 'Value' and 'Value'"),
        en="the class Value lacks the method of this operation: __add__ for +, __mul__ for *, __pow__ for **",
        ko="Value 클래스에 이 연산의 메서드가 없습니다. +는 __add__, *는 __mul__, **는 __pow__입니다",
    ),
    Cause(
        "TypeError",
        ("unsupported operand type(s)", ": 'Value'"),
        en="the right-hand side is not a Value: wrap a Python number first, as in Value(2.0)",
        ko="오른쪽이 Value가 아닙니다. 파이썬 수는 Value(2.0)처럼 먼저 감싸세요",
    ),
    Cause(
        "TypeError",
        ("unsupported operand type(s)", "'Value'"),
        en="a number on the left calls __radd__ or __rmul__ of the Value, which is missing",
        ko="수가 왼쪽에 오면 Value의 __radd__나 __rmul__을 호출하는데, 그 메서드가 없습니다",
    ),
    # General errors of Python.
    Cause(
        "TypeError",
        ("must be real number, not Value",),
        en="math takes numbers: give it the Value's number, x.data, and wrap the result in a new Value",
        ko="math는 수만 받습니다. Value의 수인 x.data를 주고, 결과를 새 Value로 감싸세요",
    ),
    Cause(
        "TypeError",
        ("not supported between instances of", "'Value'"),
        en="a Value has no order: compare its number, x.data",
        ko="Value끼리는 크기를 비교할 수 없습니다. 그 수인 x.data를 비교하세요",
    ),
    Cause(
        "TypeError",
        ("not supported between instances of",),
        en="the two sides of a comparison have types without an order, such as a number and a tuple or None",
        ko="수와 튜플, 수와 None처럼 크기를 비교할 수 없는 두 값을 비교했습니다",
    ),
    *(
        Cause(
            "ValueError",
            (piece,),
            en="a function of math got a number that it has no value for: sqrt takes 0 and above, log only "
            "numbers above 0, asin and acos those from -1 to 1",
            ko="math의 함수에 값이 없는 수를 넣었습니다. sqrt에는 0 이상, log에는 0보다 큰 수, "
            "asin과 acos에는 -1부터 1까지의 수를 넣습니다",
        )
        for piece in _OUTSIDE_THE_DOMAIN
    ),
    Cause(
        "OverflowError",
        ("math range error",),
        en="a number is too large for a float. Is there an unnecessary power or exp?",
        ko="float에 담기에 너무 큰 수입니다. 필요 없는 거듭제곱이나 exp가 있지 않나요?",
    ),
    Cause(
        "OverflowError",
        ("Numerical result out of range",),
        en="a number is too large for a float. Is there an unnecessary power or exp?",
        ko="float에 담기에 너무 큰 수입니다. 필요 없는 거듭제곱이나 exp가 있지 않나요?",
    ),
    Cause(
        "OverflowError",
        ("too large to convert to float",),
        en="a number is too large for a float. Is there an unnecessary power or exp?",
        ko="float에 담기에 너무 큰 수입니다. 필요 없는 거듭제곱이나 exp가 있지 않나요?",
    ),
    Cause(
        "ZeroDivisionError",
        (),
        en="a division by zero. Is a special case missing, or has a step h become 0?",
        ko="0으로 나누었습니다. 특별한 경우를 빠뜨렸거나 h가 0이 되지 않았나요?",
    ),
    Cause(
        "RecursionError",
        (),
        en="a function calls itself too deeply. Write a loop, with a list of what is still to do",
        ko="함수가 자기 자신을 너무 깊이 호출합니다. 남은 일을 리스트에 두고 반복문으로 쓰세요",
    ),
    Cause(
        "UnboundLocalError",
        (),
        en="a name that is assigned in a function is local to it, not the global one. Pass it as an argument",
        ko="함수 안에서 값을 넣는 이름은 바깥의 이름이 아니라 그 함수의 것입니다. 인자로 넘기세요",
    ),
    Cause(
        "NameError",
        (),
        en="the name is misspelled, or the cell that defines it was not run",
        ko="이름의 철자가 다르거나, 그 이름을 정의한 셀을 실행하지 않았습니다",
    ),
    Cause(
        "TypeError",
        ("required positional argument",),
        en="a function is called with too few arguments, or requires more than the task says",
        ko="함수를 호출할 때 인자가 모자라거나, 과제에 없는 인자를 더 요구합니다",
    ),
    Cause(
        "TypeError",
        ("unexpected keyword argument",),
        en="a function is called with a name that is not one of its arguments",
        ko="함수에 없는 인자 이름을 썼습니다",
    ),
    Cause(
        "TypeError",
        ("positional argument", "were given"),
        en="a function is called with more arguments than it takes. The first argument of a method is self",
        ko="함수가 받는 것보다 인자가 많습니다. 메서드의 첫 인자는 self입니다",
    ),
    Cause(
        "ValueError",
        ("not enough values to unpack",),
        en="there are fewer values than names on the left. In backward: were all passed to "
        "save_for_backward?",
        ko="왼쪽의 이름보다 값이 적습니다. backward에서라면 save_for_backward에 모두 넣었나요?",
    ),
    Cause(
        "ValueError",
        ("too many values to unpack",),
        en="there are more values to unpack than names on the left",
        ko="왼쪽의 이름보다 값이 많습니다",
    ),
    Cause(
        "IndexError RuntimeError",
        ("index out of range",),
        en="the index is beyond the last element, whose index is length - 1",
        ko="인덱스가 마지막 원소를 넘었습니다. 마지막 번호는 길이 - 1입니다",
    ),
    Cause(
        "IndexError RuntimeError",
        ("is out of bounds for dimension",),
        en="the index is beyond the last element, whose index is length - 1",
        ko="인덱스가 마지막 원소를 넘었습니다. 마지막 번호는 길이 - 1입니다",
    ),
    Cause(
        "KeyError",
        (),
        en="the dict has no such key. Are all keys spelled as the task spells them?",
        ko="딕셔너리에 그런 키가 없습니다. 과제에 적힌 대로 키를 썼나요?",
    ),
    Cause(
        "AttributeError",
        ("object has no attribute",),
        en="the name after the dot is misspelled, or the object is not of the type you expect",
        ko="점 뒤의 이름 철자가 다르거나, 생각한 것과 다른 자료형입니다",
    ),
)


def likely_cause(kind: str, message: str) -> str:
    """Return the likely cause of an error, in the current language; an empty string if it is not known.

    Args:
        kind: the name of the exception.
        message: the exception's message, which may be any text.
    """
    searched_text = message[:_MAX_SEARCHED]
    for cause in CAUSES:
        if (not cause.kinds or kind in cause.kinds.split()) and all(
            piece in searched_text for piece in cause.pieces
        ):
            return say(en=cause.en, ko=cause.ko)
    return ""
