"""The verdict of a test cell: right, or what was expected, what was returned, and the likely cause.

Every check raises CheckFailed with a message in the language in use. It writes nothing to stderr, because
nbgrader would count that against the student. Types, dtypes and shapes are compared before values.
"""

import contextlib
import hashlib
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import torch

from secant.catalogue import name_of
from secant.causes import likely
from secant.checking.credit import PartialCredit
from secant.language import say
from secant.verdict import Note, Part, Parts, Verdict, because, called

# Relative and absolute tolerance for a computation in that dtype done in another, equally good, order.
_TOLERANCE: dict[torch.dtype, tuple[float, float]] = {
    torch.float64: (1e-7, 1e-9),
    torch.complex128: (1e-7, 1e-9),
    torch.float32: (1e-4, 1e-5),
    torch.complex64: (1e-4, 1e-5),
}
_COARSE = (2e-2, 1e-2)
# What is right to three digits is nearly right.
_NEARLY = 1e-3
# How many simpler cases `smallest` tries.
_TRIES = 24
# How much of a value, and of what is wrong with it, a message shows. No more work is done than that takes.
_CHARACTERS, _NUMBERS, _LINES = 200, 12, 10
_random = random.Random()
_asked: list[str | Callable[[], str]] = []

Known = Mapping[Any, str] | Sequence[tuple[Any, str]]
Mistakes = Known | Callable[[], Known]


class CheckFailed(AssertionError):
    """A check did not hold. Its message, which is its verdict's, is all that a notebook shows of it.

    Attributes:
        verdict: its parts, and the name of the hint that is its cause.
        cause: why the check did not hold; the same for two inputs that show the same mistake.
    """

    def __init__(self, parts: Parts, cause: str = "") -> None:
        self.verdict = Verdict(parts, name_of(cause))
        super().__init__(self.verdict)
        self.cause = cause

    def _render_traceback_(self) -> list[str]:
        return str(self).split("\n")


def seed(value: bytes) -> None:
    """Make the numbers of `draw` repeatable: the same bytes, the same numbers."""
    _random.seed(hashlib.sha256(value).digest())
    _asked.clear()


def draw(low: float, high: float) -> float:
    """Return a random number between low and high, with three decimals so that it is easy to retype."""
    return round(_random.uniform(low, high), 3)


def draws(n: int, low: float, high: float) -> list[float]:
    """Return n distinct random numbers between low and high, with three decimals each."""
    if (high - low) * 1000 < 2 * n:
        raise ValueError(f"{low}..{high} is too narrow for {n} different numbers of three decimals")
    found: set[float] = set()
    while len(found) < n:
        found.add(draw(low, high))
    numbers = sorted(found)
    _random.shuffle(numbers)
    return numbers


def draw_tensor(*shape: int, low: float = -3, high: float = 3) -> torch.Tensor:
    """Return a float64 tensor of different random numbers between low and high."""
    return torch.tensor(draws(math.prod(shape), low, high), dtype=torch.float64).reshape(shape)


def draw_layouts() -> list[tuple[str, str, list[list[float]]]]:
    """Return for each layout of `ask.leaf` a dtype and random numbers, two rows of three."""
    return [
        ("slice", "float32", [draws(3, -3, 3), draws(3, -3, 3)]),
        ("transposed", "float64", [draws(3, -3, 3), draws(3, -3, 3)]),
        ("expanded", "float32", [[draw(1, 3)] * 3, [draw(-3, -1)] * 3]),
    ]


def draw_again(**shapes: tuple[int, ...]) -> tuple[list[torch.Tensor], str]:
    """Return float64 tensors of random numbers, and the line of code that makes them again.

    For what is too large to be shown. The shapes come by the names of the tensors, two or more.
    """
    seed, rng = _random.randrange(10_000), torch.Generator()
    rng.manual_seed(seed)
    # Drawn in float64, or a detour by way of float32 would lose nothing.
    made = [torch.randn(shape, generator=rng, dtype=torch.float64) for shape in shapes.values()]
    sizes = f"({', '.join(map(str, shapes.values()))})"
    again = f"[torch.randn(s, dtype=torch.float64) for s in {sizes}]"
    return made, f"torch.manual_seed({seed}); {', '.join(shapes)} = {again}"


def close(
    got: Any,
    want: Any,
    what: str = "",
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    mistakes: Mistakes = (),
    nearly: str = "",
    hint: str = "",
) -> None:
    """Check that got is want, up to rounding.

    Args:
        got: the student's result.
        want: a float, a tensor, or a list, tuple or dict of them. A float asks for a plain Python number,
            a tensor for a tensor of the same dtype and shape; a graph behind it does not matter.
        what: the call that gave `got`, as the student would type it.
        rtol, atol: tolerances; by default those of want's dtype.
        equal_nan: whether nan is right where want is nan.
        mistakes: wrong values that reveal their cause, each with its hint. A number is expanded to a tensor
            like want; a list, or a tensor of another dtype, is converted to want's dtype. A value that cannot
            be distinguished from the right one is ignored. A function that returns the mistakes is called
            only when got is wrong.
        nearly: what to say when no mistake is recognised and got is right to three digits: float32, rounding,
            or a difference quotient. Give rtol with it.
        hint: what to say otherwise.

    Raises:
        CheckFailed: with expected, got and, if known, the likely cause.
    """

    def differs(a: Any, b: Any, coarser: float = 1.0) -> str:
        try:
            rel, absolute = (None if t is None else coarser * t for t in (rtol, atol))
            return _difference(a, b, rel, absolute, equal_nan)
        except Exception as error:  # an object may raise anything when it is read
            why = type(error).__name__
            return say(en=f"It cannot be compared ({why}).", ko=f"비교할 수 없습니다({why}).")

    problem = differs(got, want)
    if not problem:
        return
    known = mistakes() if callable(mistakes) else mistakes
    pairs = known.items() if isinstance(known, Mapping) else known
    wrongs = [(_like(want, wrong), why) for wrong, why in pairs]
    cause = next((why for wrong, why in wrongs if differs(want, wrong) and not differs(got, wrong)), "")
    if nearly and rtol and not cause and not differs(got, want, _NEARLY / rtol):
        cause = nearly
    if got is None is not want:  # of what was returned; a None inside it says nothing about the return
        problem += say(en=" Is a return missing?", ko=" return을 빠뜨리지 않았나요?")
        hint = ""
    elif _is_of_another_dtype(got, want):
        hint = ""  # that is cause enough
    right, wrong = _pair(want, got)
    parts = (Part("expected", right), Part("got", wrong), Part("text", problem), *because(cause or hint))
    measured = what if name_of(what) else problem.partition(" ")[0]
    raise CheckFailed((*called(what), *parts), cause or hint or measured)


def equal(got: Any, want: Any, what: str = "", *, mistakes: Mistakes = (), hint: str = "") -> None:
    """Check that got is exactly want, type included: strings, bools, integers, None, and nests of them."""
    close(got, want, what, rtol=0.0, atol=0.0, mistakes=mistakes, hint=hint)


def holds(condition: bool, call: str, problem: str | Parts, cause: str = "") -> None:
    """Check any other condition on a call's result; `problem` says what is wrong if it does not hold."""
    if condition is not True:
        refuse(call, problem, cause)


def refuse(call: str, problem: str | Parts, cause: str = "") -> NoReturn:
    """Fail, with the call, what is wrong with its result, and the likely cause."""
    parts = (Part("text", problem),) if isinstance(problem, str) else problem
    reason = problem if isinstance(problem, str) else "\n".join(part.text for part in parts)
    raise CheckFailed((*called(call), *parts, *because(cause)), cause or reason)


def numbers(value: torch.Tensor) -> str:
    """Return a tensor's elements as a message shows them: `[1, 2, 3]`, or its shape if it is large."""
    return _listing(value.detach(), 7)


def no_error(results: Iterable[Any], what: str, hint: str | Mapping[str, str] = "") -> None:
    """Check that none of the calls that `observe.attempt` made raised.

    Args:
        results: what the calls gave.
        what: the call, as the student would type it.
        hint: what to say; or hints by a part of the error's text: the first that fits is given.

    Raises:
        CheckFailed: with the call, what it raised, and the hint.
    """
    for result in results:
        if isinstance(result, dict) and "raised" in result:
            said, *own = str(result["raised"]).split("\n", 1)
            hints = {"": hint} if isinstance(hint, str) else hint
            kind, _, message = said.partition(": ")
            cause = next((why for part, why in hints.items() if part in said and why), likely(kind, message))
            intro = Part("text", say(en="the call raised an error:", ko="오류가 났습니다:"))
            parts = (intro, Part("trace", said), *(Part("code", each.strip()) for each in own[:1]))
            raise CheckFailed((*called(what), *parts, *because(cause)), cause)


def ended(did: bool, what: str, hint: str = "") -> None:
    """Check that a call under `graphs.limit_steps` came to its end.

    Raises:
        CheckFailed: with the call, and the hint.
    """
    if not did:
        stopped = say(en="The call did not end and was stopped.", ko="호출이 끝나지 않아 멈추었습니다.")
        refuse(what, stopped, hint or say(en="a loop that does not end", ko="끝나지 않는 반복문"))


def untouched(
    changes: Iterable[Sequence[str]],
    what: str = "",
    *,
    but: Iterable[Sequence[str]] = (),
    hints: Mapping[str, str] | None = None,
) -> None:
    """Check that a call did not change what belongs to its caller.

    Args:
        changes: (kind, name) pairs from `secant.watch` or `secant.observe`.
        what: the call, as the student would type it.
        but: the changes that the task asks for, like ("grad", "x").
        hints: what to say below, by the kind of a change, like "grad"; the first that fits.
    """
    asked = {tuple(change) for change in but}
    found = list(islice(((kind, name) for kind, name in changes if (kind, name) not in asked), _LINES))
    lines = [_side_effect(kind, name[:_CHARACTERS]) for kind, name in found]
    if lines:
        kinds = {kind for kind, _ in found}
        cause = next((hint for kind, hint in (hints or {}).items() if kind in kinds), "")
        parts = (Part("text", line) for line in lines)
        raise CheckFailed((*called(what), *parts, *because(cause)), cause or lines[0])


@contextlib.contextmanager
def asking(call: str | Callable[[], str]) -> Iterator[None]:
    """Name the call that the body makes, as a student would type it, in case it raises or does not end.

    A function that returns it is called only then.
    """
    _asked.append(call)
    try:
        yield
    except CheckFailed:
        _asked.pop()
        raise
    except Exception as error:
        name = asked()
        error.add_note(Note(say(en=f"The call was {name}", ko=f"호출: {name}")))
        raise
    _asked.pop()


def asked() -> str:
    """Return the call that was being asked for when a test stopped; an empty string if it named none."""
    call = _asked[-1] if _asked else ""
    return call() if callable(call) else call


def smallest(compare: Callable[..., None], *case: Any) -> None:
    """Compare, and where that fails, fail with the simplest case that fails for the same reason.

    Args:
        compare: a comparison of the test cell; it may ask for the student's function.
        *case: its arguments. Simpler is a float with fewer digits, also in lists and tuples; signs stay, and
            so do numbers that are equal to others or differ from them.

    Raises:
        CheckFailed: the first one's, or that of the simplest case found.
    """
    try:
        compare(*case)
    except CheckFailed as failure:
        raise _shrunk(compare, case, failure) from None


def fewest(compare: Callable[..., None], items: Sequence[Any], *case: Any) -> None:
    """Compare, and where that fails, fail with the fewest items that fail for the same reason (`smallest`).

    Args:
        compare: a comparison of the test cell, of a list, like the edges of a graph, and of what follows it.
        items: that list; any part of it has to be a case too.
        *case: what follows.
    """
    try:
        return compare(items, *case)
    except CheckFailed as failure:
        cause = failure.cause
    for place in range(len(items)):
        fewer = [*items[:place], *items[place + 1 :]]
        try:
            compare(fewer, *case)
        except CheckFailed as failure:
            if failure.cause == cause:
                return fewest(compare, fewer, *case)
    return smallest(compare, items, *case)


def _shrunk(compare: Callable[..., None], case: tuple[Any, ...], failure: CheckFailed) -> CheckFailed:
    numbers = sorted(set(_floats(case)))
    choices = [{n: _rounded(n, places) for n in numbers} for places in (0, 1, 2)]
    choices += [{n: _rounded(n, places)} for n in numbers for places in (0, 1)]
    for choice in choices[:_TRIES]:
        now = {n: choice.get(n, n) for n in set(_floats(case))}
        if all(a == b for a, b in now.items()) or len(set(now.values())) < len(now):
            continue
        simpler = _with_floats(case, now)
        try:
            compare(*simpler)
        except CheckFailed as smaller:
            if smaller.cause == failure.cause:
                case, failure = simpler, smaller
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            break  # no case of this test: leave it at what was found
    return failure


def _floats(value: Any) -> Iterator[float]:
    if isinstance(value, float) and math.isfinite(value):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _floats(part)


def _with_floats(value: Any, numbers: Mapping[float, float]) -> Any:
    if isinstance(value, float):
        return numbers.get(value, value)
    if type(value) in (list, tuple):
        return type(value)(_with_floats(part, numbers) for part in value)
    return value


def _rounded(number: float, places: int) -> float:
    """Return a number with so many decimals, or itself where that would be 0 or more than half away."""
    near = round(number, places)
    return near if near and abs(near - number) <= abs(number) / 2 else number


def visible_passed(credit: PartialCredit | None = None) -> None:
    """Print that the visible tests have passed; nothing if a part of the cell has failed.

    Args:
        credit: the parts of the test cell, if it gives partial credit.
    """
    if credit is not None and credit.failures:
        return  # `credit.points()`, the cell's last line, reports it
    print(  # never "all tests": there are hidden ones
        say(
            en="Visible tests passed. The hidden tests check more (see the list at the end). If you teach "
            f"yourself, press Check above the notebook to run them now (in a terminal: {_command()}).",
            ko="보이는 테스트를 통과했습니다. 숨은 테스트는 더 많은 것을 확인합니다(목록은 맨 뒤에 있습니다)."
            " 혼자 공부한다면 노트북 위의 ‘답 확인’을 눌러 바로 실행해 보세요"
            f"(터미널에서는 {_command()}).",
        )
    )


def _command() -> str:
    """Return how to check the notebook of this lesson; its folder's name begins with its number."""
    number = Path.cwd().name[:2]
    return f"autograder check {int(number)}" if number.isdecimal() else "autograder check"


def _difference(got: Any, want: Any, rtol: float | None, atol: float | None, equal_nan: bool) -> str:
    """Return what is wrong with got, or an empty string."""
    if isinstance(want, torch.Tensor):
        return _tensor_difference(got, want, rtol, atol, equal_nan)
    if isinstance(want, float):
        return _float_difference(got, want, rtol, atol, equal_nan)
    if isinstance(want, Mapping):
        return _mapping_difference(got, want, rtol, atol, equal_nan)
    if isinstance(want, list | tuple):
        return _sequence_difference(got, want, rtol, atol, equal_nan)
    if type(got) is not type(want):
        return _wrong_type(got, kind(want))
    return "" if got == want else _differs()


def _float_difference(got: Any, want: float, rtol: float | None, atol: float | None, equal_nan: bool) -> str:
    if isinstance(got, bool) or not isinstance(got, int | float):
        return _wrong_type(got, kind(want))
    try:
        got = float(got)
    except OverflowError:  # an int beyond every float
        return _differs()
    if math.isnan(got) and not math.isnan(want):
        return say(en="The result is nan.", ko="결과가 nan입니다.")
    rel, absolute = _tolerance(torch.float64, rtol, atol)
    near = abs(got - want) <= absolute + rel * abs(want) < math.inf
    return "" if near or got == want or (equal_nan and math.isnan(got)) else _differs()


def _tensor_difference(
    got: Any, want: torch.Tensor, rtol: float | None, atol: float | None, equal_nan: bool
) -> str:
    if not isinstance(got, torch.Tensor):
        return _wrong_type(got, kind(want))
    if not _is_ordinary(got):
        return say(
            en=f"The result is a {got.layout} tensor on {got.device}; an ordinary CPU tensor was expected.",
            ko=f"결과가 {got.device}에 있는 {got.layout} 텐서입니다. 보통의 CPU 텐서여야 합니다.",
        )
    if got.dtype != want.dtype:
        return say(
            en=f"The dtype is {_short(got.dtype)}; {_short(want.dtype)} was expected.",
            ko=f"dtype이 {_short(got.dtype)}입니다. 기대한 dtype은 {_short(want.dtype)}입니다.",
        )
    if got.shape != want.shape:
        return say(
            en=f"The shape is {tuple(got.shape)}; {tuple(want.shape)} was expected.",
            ko=f"shape가 {tuple(got.shape)}입니다. 기대한 shape는 {tuple(want.shape)}입니다.",
        )
    got, want = got.detach(), want.detach()
    if torch.equal(got, want):  # most are, and it takes less than to look how near they are
        return ""
    rel, absolute = _tolerance(want.dtype, rtol, atol)
    if want.dtype.is_floating_point or want.dtype.is_complex:
        same = torch.isclose(got, want, rtol=rel, atol=absolute, equal_nan=equal_nan)
    else:
        same = got == want
    if bool(same.all()):
        return ""
    index = tuple((~same).nonzero()[0].tolist())
    if not index:
        return _not_a_number(got) or _differs()
    place = f"[{', '.join(map(str, index))}]"
    right, wrong = _pair(want[index].item(), got[index].item())
    return say(
        en=f"First difference at {place}: expected {right}, got {wrong}.",
        ko=f"처음으로 다른 곳 {place}: 기대한 값 {right}, 나온 값 {wrong}.",
    )


def _mapping_difference(
    got: Any, want: Mapping[Any, Any], rtol: float | None, atol: float | None, equal_nan: bool
) -> str:
    if not isinstance(got, dict):
        return _wrong_type(got, kind(want))
    missing = [k for k in want if k not in got]
    extra = list(islice((k for k in got if k not in want), _NUMBERS))
    if missing or extra:
        return say(
            en=f"Keys missing: {_brief(missing)}; unexpected keys: {_brief(extra)}.",
            ko=f"빠진 키: {_brief(missing)}, 필요 없는 키: {_brief(extra)}.",
        )
    return _first((f"[{k!r}]", _difference(got[k], want[k], rtol, atol, equal_nan)) for k in want)


def _sequence_difference(
    got: Any, want: Sequence[Any], rtol: float | None, atol: float | None, equal_nan: bool
) -> str:
    # A subclass will do: torch.Size is a tuple, and so is what torch.max(x, dim=0) returns.
    if not isinstance(got, list if isinstance(want, list) else tuple):
        return _wrong_type(got, kind(want))
    if len(got) != len(want):
        return say(
            en=f"It has {len(got)} {'entry' if len(got) == 1 else 'entries'}; {len(want)} expected.",
            ko=f"원소가 {len(got)}개입니다. {len(want)}개여야 합니다.",
        )
    pairs = enumerate(zip(got, want, strict=True))
    return _first((f"[{i}]", _difference(g, w, rtol, atol, equal_nan)) for i, (g, w) in pairs)


def _first(parts: Iterable[tuple[str, str]]) -> str:
    return next((f"{where} {problem}" for where, problem in parts if problem), "")


def _is_of_another_dtype(got: Any, want: Any) -> bool:
    return isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor) and got.dtype != want.dtype


def _like(want: Any, wrong: Any) -> Any:
    if isinstance(want, torch.Tensor) and isinstance(wrong, int | float):
        return torch.full_like(want, wrong)
    if isinstance(want, torch.Tensor) and isinstance(wrong, list | torch.Tensor):
        return torch.as_tensor(wrong, dtype=want.dtype).detach()  # a list by way of float32 would lose digits
    return wrong


def _not_a_number(got: torch.Tensor) -> str:
    if got.dtype.is_floating_point and bool(got.isnan().any()):
        return say(en="The result is nan.", ko="결과가 nan입니다.")
    return ""


def _differs() -> str:
    return say(en="The value differs.", ko="값이 다릅니다.")


def _wrong_type(got: Any, want: str) -> str:
    return say(
        en=f"The result is {kind(got)}; {want} was expected.",
        ko=f"결과가 {kind(got)}입니다. 필요한 것은 {want}입니다.",
    )


def kind(value: Any) -> str:
    """Say what a value is, for a sentence: "a float64 tensor", "an int"."""
    if isinstance(value, torch.Tensor):
        dtype = _short(value.dtype)
        return say(en=f"{'an' if dtype.startswith('int') else 'a'} {dtype} tensor", ko=f"{dtype} 텐서")
    # What another process could not send as plain data describes itself.
    with contextlib.suppress(Exception):
        if hasattr(value, "describe") and hasattr(value, "type_name"):
            return str(value.describe())
    name = "None" if value is None else type(value).__name__ or "object"
    return say(en=name if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}", ko=name)


def _tolerance(dtype: torch.dtype, rtol: float | None, atol: float | None) -> tuple[float, float]:
    rel, absolute = _TOLERANCE.get(dtype, _COARSE if dtype.is_floating_point else (0.0, 0.0))
    return (rel if rtol is None else rtol, absolute if atol is None else atol)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _value(value: Any, digits: int = 10) -> str:
    try:
        return _text(value, digits)
    except Exception:  # an object may raise anything when it is read
        return kind(value)


def _text(value: Any, digits: int) -> str:
    if isinstance(value, torch.Tensor):
        if not _is_ordinary(value):
            return kind(value)
        body = _value(value.item(), digits) if value.ndim == 0 else _listing(value.detach(), min(digits, 7))
        return f"{body}  ({_short(value.dtype)})"
    return _digits(value, digits) if isinstance(value, float) else _brief(value)


def _brief(value: Any) -> str:
    """Return the beginning of a value's repr."""
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > _CHARACTERS:
            return text[: _CHARACTERS - 3] + "..."
    return text


def _pieces(value: Any) -> Iterator[str]:
    """Yield a value's repr piece by piece, so that whoever has seen enough may stop."""
    if type(value) is torch.Tensor and _is_larger(value, _CHARACTERS):
        yield _of_shape(value)
    elif type(value) is torch.Tensor:
        yield " ".join(repr(value.detach()).split())
    elif type(value) is str:
        yield repr(value[:_CHARACTERS])
    elif type(value) in (list, tuple):
        opening, closing = "[]" if type(value) is list else "()"
        yield opening
        for number, part in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(part)
        yield ",)" if type(value) is tuple and len(value) == 1 else closing
    elif type(value) is dict:
        yield "{"
        for number, (key, part) in enumerate(value.items()):
            yield ", " if number else ""
            yield from _pieces(key)
            yield ": "
            yield from _pieces(part)
        yield "}"
    elif hasattr(value, "describe") and hasattr(value, "type_name"):
        yield str(value.describe())
    else:
        yield repr(value)


def _is_larger(tensor: torch.Tensor, most: int) -> bool:
    """Whether a tensor has more numbers than that, if an empty dimension counted as one."""
    return math.prod(max(size, 1) for size in tensor.shape) > most


def _of_shape(tensor: torch.Tensor) -> str:
    return say(en=f"a tensor of shape {tuple(tensor.shape)}", ko=f"shape {tuple(tensor.shape)}인 텐서")


def _pair(want: Any, got: Any) -> tuple[str, str]:
    """Return both as text, with as many digits as it takes to see a difference."""
    pair = _value(want), _value(got)
    return pair if pair[0] != pair[1] else (_value(want, 17), _value(got, 17))


def _is_ordinary(tensor: torch.Tensor) -> bool:
    odd = tensor.is_quantized or tensor.is_nested
    return tensor.layout is torch.strided and not odd and tensor.device.type == "cpu"


def _listing(value: torch.Tensor, digits: int) -> str:
    if _is_larger(value, _NUMBERS):
        return _of_shape(value)
    return _nest(value.double().tolist() if value.dtype.is_floating_point else value.tolist(), digits)


def _nest(values: Any, digits: int) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_nest(v, digits) for v in values)}]"
    return _digits(values, digits) if isinstance(values, float) else str(values)


def _digits(value: float, digits: int) -> str:
    return f"{value + 0.0:.{digits}g}"  # -0.0 is shown as 0: no check tells them apart


def _side_effect(kind: str, name: str) -> str:
    texts = {
        "value": say(
            en=f"the call changed {name} itself: work on a new tensor, not in place",
            ko=f"{name}의 값이 바뀌었습니다. 제자리에서 고치지 말고 새 텐서를 만드세요",
        ),
        "grad": say(
            en=f"{name}.grad is not what it was before the call: another value, or another tensor (a copy?)",
            ko=f"{name}.grad가 호출하기 전과 다릅니다. 값이 다르거나 다른 텐서(복사본)입니다",
        ),
        **{
            field: say(en=f"{name}.{field} was changed", ko=f"{name}.{field}가 바뀌었습니다")
            for field in ("data", "parents", "slopes")
        },
        "fields": say(en=f"something was left on {name}", ko=f"{name}에 무언가가 남아 있습니다"),
        "requires_grad": say(
            en=f"{name}.requires_grad was changed", ko=f"{name}.requires_grad가 바뀌었습니다"
        ),
        "hooks": say(en=f"a hook was left on {name}", ko=f"{name}에 hook이 남아 있습니다"),
        "training": say(
            en=f"the training mode of {name} was changed", ko=f"{name}의 학습 모드가 바뀌었습니다"
        ),
        "grad_mode": say(en="gradient mode was left changed", ko="gradient 모드가 바뀐 채로 남았습니다"),
        "default_dtype": say(en="the default dtype was left changed", ko="기본 dtype이 바뀐 채로 남았습니다"),
        "random_state": say(en="the random state was changed", ko="난수 상태가 바뀌었습니다"),
        "anomaly_mode": say(
            en="torch's anomaly detection was left switched on",
            ko="torch의 이상 탐지(anomaly mode)가 켜진 채로 남았습니다",
        ),
        "saved_hooks": say(
            en="hooks for saved tensors were left in force, for the whole notebook: use `with`",
            ko="저장된 텐서의 hook이 남아 노트북 전체에 영향을 줍니다. `with`를 쓰세요",
        ),
        "recursion_limit": say(
            en="sys.setrecursionlimit was left changed, for the whole notebook",
            ko="sys.setrecursionlimit이 바뀐 채로 남아 노트북 전체에 영향을 줍니다",
        ),
        "warning_filters": say(
            en="the warning filters were left changed, for the whole notebook: use warnings.catch_warnings()",
            ko="경고 필터가 바뀐 채로 남아 노트북 전체에 영향을 줍니다. warnings.catch_warnings()를 쓰세요",
        ),
        "warning_functions": say(
            en="warnings.warn or warnings.showwarning was left replaced, for the whole notebook",
            ko="warnings.warn이나 warnings.showwarning이 다른 함수로 바뀐 채로 남아 노트북 전체에 영향을 "
            "줍니다",
        ),
        "warn_always": say(
            en="torch.set_warn_always was left changed, for the whole notebook",
            ko="torch.set_warn_always가 바뀐 채로 남아 노트북 전체에 영향을 줍니다",
        ),
        "threads": say(
            en="torch.set_num_threads was left changed, for the whole notebook",
            ko="torch.set_num_threads가 바뀐 채로 남아 노트북 전체에 영향을 줍니다",
        ),
    }
    return texts.get(kind, f"{kind}: {name}")
