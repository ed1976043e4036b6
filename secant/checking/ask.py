"""A small language in which tests ask the student's process a question and judge the answer.

    answer = ask("fresh_grad(f, x)", f="lambda t: t**2", x=leaf([1.0, 2.0, 3.0], grad=9.0))
    answer.returns(tensor([2.0, 4.0, 6.0]), mistakes={hint.adds_up: tensor([11.0, 13.0, 15.0])})
    answer.changes_nothing().is_untracked()
    answer.again().returns(tensor([2.0, 4.0, 6.0]))
    answer.after("x.data += 1").returns(tensor([4.0, 6.0, 8.0]))

If a grader keeps students' code in another process, `ask` sends only the question's description to that
process; the expected values stay in the process of the test. In a notebook, and so under stock nbgrader, one
process runs both the test and the question.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypedDict, Unpack, cast

import torch

from secant.catalogue import Hints
from secant.checking import check, graphs, situation
from secant.language import say
from secant.verdict import Parts

Transport = Callable[[dict[str, Any]], dict[str, Any]]
Sign = Callable[[Any], Any]
Mistakes = Mapping[str, Any] | Callable[[], Mapping[str, Any]]

# Relative and absolute tolerances for tests that have a hint for "nearly" right results. The results of exact
# formulas agree this closely, whatever the order of the operations.
_EXACT_TOLERANCE = {torch.float64: (1e-11, 1e-12), torch.float32: (1e-4, 1e-5)}
# Options that are not part of the request to the student's process. Only messages use them, or the request
# contains them in another form.
_NOT_SENT = ("ahead", "before", "below", "errors", "words")
# Options that later questions about the same arguments do not inherit.
_FIRST_ONLY = ("words", "ahead", "noting")
# Default values for the entries that `situation.answer_request` omits when it has nothing to report.
_DEFAULTS: Mapping[str, Any] = {
    **{"place": 0, "tracked": False, "aliases": [], "changes": [], "replaced": [], "stopped": ""},
    **{"count": 0, "largest": 0, "given": {}, "ran": [], "warned": []},
}
_transports: list[Transport] = []
_shared_hints = Hints({})


class Options(TypedDict, total=False):
    """Options of a question. Below, "the call" means the code that the question runs.

    All options except `before`, `words` and `ahead` also apply to later questions about the same
    objects (`again`, `after` and `then`).

    Attributes:
        before: statements to run once the arguments are made, such as "t.retain_grad()".
        by_name: replace each argument in the result by its name, and any other object by "?".
        errors: a hint for an error that the call raises, or hints keyed by a substring of the error's text.
            Without this option, an error ends the task and shows the student's own lines.
        steps: the maximum number of Python steps for the call; `ends` fails if the call took more.
        counted: count torch's operations, for `costs`.
        warned: catch warnings, for `warns_nothing`, including those that torch gives once per process.
        noting: the names of arguments that are functions of one argument. `given` returns what each function
            was called with, and `ran` the order of all their calls.
        ahead: the questions that the test asks next, in order. They are sent together with this question, to
            save round trips to the student's process. The test must still ask them with `then`, `again` or
            `after`. An entry is the text of the next question (for `then`), the text of this question (for
            `again`), or a pair of a statement and the text of this question (for `after`). If one of these
            questions raises an error, the error is raised when the test asks that question. Omit this option
            when you are unsure, because it affects only the speed.
        words: the call as a message shows it. By default, this is the question with the arguments filled in.
        below: code that a message shows below the call, such as the formula that a model computes.
    """

    before: str
    by_name: bool
    errors: str | Mapping[str, str]
    steps: int
    counted: bool
    warned: bool
    noting: tuple[str, ...]
    ahead: tuple[str | tuple[str, str], ...]
    words: str
    below: str


@dataclass(frozen=True)
class Leaf:
    """The description of a tensor that a question creates; see `leaf`."""

    value: torch.Tensor
    grad: float | None
    layout: str
    tracked: bool


def leaf(
    value: Any,
    dtype: str = "float64",
    grad: float | None = None,
    *,
    layout: str = "",
    tracked: bool = True,
) -> Leaf:
    """Describe a leaf tensor, which requires grad unless `tracked` is False.

    Args:
        value: the elements of the leaf.
        dtype: "float64" or the name of another torch dtype.
        grad: the value of every element of the leaf's .grad; by default .grad is None.
        layout: "slice", "transposed" or "expanded" for elements that are not contiguous in memory.
        tracked: False for a tensor that does not require grad.
    """
    return Leaf(tensor(value, dtype), grad, layout, tracked)


def tensor(value: Any, dtype: str = "float64") -> torch.Tensor:
    """Return a tensor without a graph; its dtype is float64 by default."""
    return torch.as_tensor(value, dtype=getattr(torch, dtype)).detach().clone()


def ask(text: str, options: Options | None = None, /, **arguments: Any) -> "Answer":
    """Ask a question with these arguments, which are created in the given order.

    Args:
        text: the code that a student would type: "f(x)", "y = f(x)" to give the result a name for a later
            question, "a + b", "t.backward()".
        options: how to ask: see `Options`.
        **arguments: the arguments, keyed by name. Each is a `leaf`, a tensor, a number, a bool, None, or a
            list, tuple or dict of these; or a string of code, which may use earlier arguments, `torch`, `nn`,
            `math`, `leaf`, `strided`, `formula`, and the modules `graphs`, `custom`, `engines` and `recipes`.

    Returns:
        The answer, to be judged.
    """
    transport = _transports[-1] if _transports else _local_transport(sys._getframe(1).f_globals)
    question_options = options or {}

    def words() -> str:
        return question_options.get("words") or call_of(text, arguments) + _after(
            question_options.get("before", "")
        )

    return _answer(_Session(transport), text, arguments, arguments, question_options, words)


@contextmanager
def use_transport(transport: Transport) -> Iterator[None]:
    """Send all questions in the `with` block to another process through `transport`.

    The function `transport` takes a request and returns the same report as `situation.answer_request`.
    """
    _transports.append(transport)
    try:
        yield
    finally:
        _transports.pop()


def _local_transport(names: dict[str, Any]) -> Transport:
    return lambda request: situation.answer_request(request, names)


@dataclass
class _Session:
    """The state shared by all answers about the same objects.

    Attributes:
        send: the function that sends a request and returns the report.
        reports_ahead: the reports on questions that were asked in advance, each with its (statement, text)
            pair.
    """

    send: Transport
    reports_ahead: list[tuple[tuple[str, str], Mapping[str, Any]]] = field(default_factory=list)

    def ask(self, request: dict[str, Any]) -> Mapping[str, Any]:
        if self.reports_ahead and self.reports_ahead[0][0] == (request.get("before", ""), request["text"]):
            return self.reports_ahead.pop(0)[1]
        report = self.send(request)
        reports = [{**_DEFAULTS, **report_ahead} for report_ahead in report.get("ahead", ())]
        self.reports_ahead = list(zip(request.get("ahead", ()), reports, strict=False))
        return {**_DEFAULTS, **report}


@dataclass(frozen=True)
class Answer:
    """The answer to a question. Each check returns the answer itself, so that checks can be chained.

    Attributes:
        result: the returned value, without a graph.
        tracked: whether a tensor in the result requires grad.
        seen: everything else that `situation.answer_request` reports.
    """

    result: Any
    tracked: bool
    seen: Mapping[str, Any]
    _words: Callable[[], str] = field(repr=False)
    _session: "_Session" = field(repr=False)
    _text: str = field(repr=False)
    _arguments: Mapping[str, Any] = field(repr=False)
    _options: Options = field(repr=False)
    _default_hint: str = ""

    @property
    def call(self) -> str:
        """The question as a student would type it. Every message about the answer begins with this text."""
        return self._words()

    # --- Further questions about the same objects --------------------------------------------------------

    def again(self, hint: str = "") -> "Answer":
        """Ask the same question again.

        This method compares nothing; call `returns` on the answer to check the new result. If that check
        fails, its message shows `hint` (by default, a general explanation), unless `returns` recognises a
        mistake or has a `hint` itself.
        """

        def words() -> str:
            return self._line + say(en=", called a second time", ko=", 두 번째 호출")

        return self._ask(self._text, words, default_hint=hint or _shared_hints.again)

    def after(self, statement: str, hint: str = "") -> "Answer":
        """Run a statement, such as "x.data += 1", and ask the same question again; `hint` is as for `again`.

        `changes_nothing` then compares with the state right after the statement.
        """

        def words() -> str:
            return self._line + say(en=f", again after {statement}", ko=f", {statement} 다음에 다시")

        return self._ask(self._text, words, default_hint=hint or _shared_hints.stale, before=statement)

    def then(self, text: str, hint: str = "", **options: Unpack[Options]) -> "Answer":
        """Ask another question about the same objects, such as "torch.autograd.grad(y, x, g)".

        Messages show the value of an argument, such as g, unless the previous question already shows the
        value. `hint` is as for `again`. If the call raises an error, the task ends; the option `errors`
        explains such an error.
        """
        own_words = options.pop("words", "")

        def words() -> str:
            if own_words:
                return own_words
            line = self._line
            names_in_line = (name for name in self._arguments if re.search(rf"\b{name} ?= ?", line))
            shown_names = {*_needed_arguments(self._text, self._arguments), *names_in_line}
            new_arguments = {
                name: a
                for name, a in _needed_arguments(text, self._arguments).items()
                if name not in shown_names
            }
            values = "".join(
                f", {name} = {a if isinstance(a, str) else _literal(a)}" for name, a in new_arguments.items()
            )
            return line + say(en=", then ", ko=", 이어서 ") + text + values

        return self._ask(text, words, default_hint=hint, options=options)

    def parts(self, *names: str, hint: str) -> "list[Answer]":
        """Return an answer for each entry of the result, so that each is judged separately under its name.

        `hint` explains what is wrong if the result is not a tuple with one entry for each name, or contains
        None.
        """
        entries = self.result if isinstance(self.result, tuple) else ()
        self.holds(len(entries) == len(names) and all(part is not None for part in entries), hint)
        pairs = zip(names, entries, strict=True)
        return [self.named(partial(self._call_with, f", {name}"), part) for name, part in pairs]

    def gradient(self, of: str = "x", arriving: str = "g", hint: str = "") -> "Answer":
        """Ask for the gradient of an argument, given the result's gradient (a vector-Jacobian product).

        The graph is kept for later questions. The question must have named the result, as in "y = f(x)".
        """

        def words() -> str:
            words = self._line + say(en=f": gradient of {of}", ko=f": {of}의 gradient")
            if arriving in self._arguments:
                words += say(en=", arriving: ", ko=", 도착한 값: ") + _literal(self._arguments[arriving])
            return words

        name = self._text.partition(" = ")[0]
        text = f"torch.autograd.grad({name}, {of}, {arriving}, retain_graph=True, allow_unused=True)[0]"
        return self._ask(text, words, default_hint=hint)

    def _ipython_display_(self) -> None:
        """Display nothing, because nbgrader takes a cell's output as points, or warns if it is no number."""

    @property
    def ran(self) -> list[str]:
        """The names of the recorded functions, one for each call so far, in order; see option `noting`."""
        return list(self.seen["ran"])

    def given(self, function: str, *facts: str) -> "Answer":
        """Return an answer whose result lists the calls to a function, with facts about each call's argument.

        Args:
            function: the function's name, which must be listed in the option `noting` of the question.
            *facts: the facts to list for each call: "requires_grad", "dtype", "shape", "grad_fn"; see
                `functions.RecordedFunction`.
        """
        parts = f" [{', '.join(facts)}]" if facts else ""

        def words() -> str:
            return self._line + say(
                en=f": what {function} was given{parts}", ko=f": {function}에 넘긴 것{parts}"
            )

        result = [[call[part] for part in facts] for call in self.seen["given"][function]]
        return replace(self.named(words, result), _default_hint="")

    def named(self, words: Callable[[], str], result: Any) -> "Answer":
        """Return a copy of this answer with another result, such as a part of the original result.

        `words` is a function that returns the call as a message shows it.
        """
        return replace(self, result=result, _words=words)

    def _call_with(self, suffix: str) -> str:
        return self.call + suffix

    @property
    def _line(self) -> str:
        """The first line of the call, without the code that a message shows below it."""
        return self.call.partition("\n")[0]

    def _ask(
        self,
        text: str,
        words: Callable[[], str],
        *,
        default_hint: str,
        before: str = "",
        options: Options | None = None,
    ) -> "Answer":
        all_options: Options = {**self._options, **(options or {})}
        return _answer(self._session, text, None, self._arguments, all_options, words, default_hint, before)

    # --- Judging the answer ------------------------------------------------------------------------------

    def returns(
        self,
        want: Any,
        *,
        nearly: str | None = None,
        hint: str = "",
        mistakes: Mistakes | None = None,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> "Answer":
        """Check that the result is the expected value, up to rounding.

        Args:
            want: the expected value, as for `check.close`.
            nearly: the hint for a result that is right to only three digits; near 0, the absolute difference
                counts. If it is given, even as an empty string, a right result must agree in all but the last
                few digits of want's dtype.
            hint: the hint to give if no mistake is recognised.
            mistakes: for each hint, the wrong value that the mistake produces, a tuple of such values, or a
                function that recognises the mistake in a wrong result, such as torch.isnan. Values are
                compared first, then `nearly` is considered, then the functions are called. A missing result,
                or one of another dtype, is reported as such. `mistakes` may also be a function that returns
                this mapping and is called only when the result is wrong.
            rtol, atol: tolerances, as for `check.close`.
        """
        if nearly is not None and rtol is None:
            rtol, atol = _EXACT_TOLERANCE[want.dtype if isinstance(want, torch.Tensor) else torch.float64]
        options: dict[str, Any] = {"rtol": rtol, "atol": atol, "hint": hint or self._default_hint}
        judge(self.result, want, self._words, mistakes=mistakes, nearly=nearly or "", **options)
        return self

    def equals(self, want: Any, *, hint: str = "", mistakes: Mapping[str, Any] | None = None) -> "Answer":
        """Check that the result is exactly `want`: a bool, string, number, None, or a container of these."""
        options: dict[str, Any] = {"rtol": 0.0, "atol": 0.0, "hint": hint or self._default_hint}
        judge(self.result, want, self._words, mistakes=mistakes, **options)
        return self

    def lists(
        self,
        want: Iterable[str],
        *,
        key: Callable[[str], str] = str,
        hint: str = "",
        mistakes: Mistakes | None = None,
    ) -> "Answer":
        """Check that the result is a list of these strings, in any order.

        `key` returns the part of a string that is compared. `hint` and `mistakes` are as for `returns`, but
        they apply only if the result is a list. The strings of a mistake must be in alphabetical order.
        """
        got, names = self.result, sorted(want)
        if not isinstance(got, list):
            return self.equals(names)
        if all(isinstance(name, str) for name in got):
            got = sorted(map(key, got))
        judge(got, names, self._words, mistakes=mistakes, hint=hint or self._default_hint)
        return self

    def still_returns(self, want: Any, hint: str = "") -> "Answer":
        """Check that the result is still right after all later questions."""
        with check.asking(self._words):
            current = self._session.send({"kept": self.seen["place"]})["result"]
        with suppress(check.CheckFailed):
            check.close(current, want)
            return self
        later_call = self._line + say(
            en=": the result, looked at after a later call", ko=": 결과를 뒤의 호출 다음에 다시 본 값"
        )
        check.close(
            current, want, later_call + _code_below(self._options), hint=hint or _shared_hints.overwritten
        )
        return self

    def changes_nothing(
        self, *, but: Iterable[Sequence[str]] = (), hints: Mapping[str, str] | None = None
    ) -> "Answer":
        """Check that the call changed neither its arguments nor the settings of torch and Python.

        `but` and `hints` are as for `check.untouched`.
        """
        if self.seen["changes"]:
            check.untouched(self.seen["changes"], self.call, but=but, hints=hints)
        return self

    def keeps_buffers(self, hint: str = "") -> "Answer":
        """Check that no .grad of an argument was replaced by another tensor with the same numbers.

        Call this method before `changes_nothing`, which also fails for such a .grad, but reports only that
        .grad is not what it was. Only `changes_nothing` detects a .grad that was emptied or has new numbers.
        """
        return self.holds(not self.seen["replaced"], hint or _shared_hints.replaced)

    def is_untracked(self, hint: str = "") -> "Answer":
        """Check that the result does not require grad."""
        return self.holds(not self.tracked, hint or _shared_hints.tracked)

    def is_tracked(self, hint: str = "") -> "Answer":
        """Check that the result requires grad."""
        return self.holds(self.tracked, hint or _shared_hints.cut)

    def and_again(self, want: Any, text: str, other_want: Any, hint: str = "", **options: Any) -> "Answer":
        """Ask another question, repeat the first one, and check that both results are right and stay right.

        Args:
            want: the expected result of the first question.
            text: the other question, about the same objects.
            other_want: the expected result of the other question.
            hint: the likely cause if the other result is wrong.
            **options: further arguments of `returns`, for both questions.

        Returns:
            The answer to the first question, asked again.
        """
        other = self.then(text, hint)
        other.changes_nothing().returns(other_want, **options)
        second_answer = self.again().changes_nothing().returns(want, **options)
        other.still_returns(other_want)
        return second_answer

    def owns_its_memory(self, hint: str = "") -> "Answer":
        """Check that the result shares no memory with an argument or a .grad."""
        return self.holds(not self.seen["aliases"], hint or _shared_hints.alias)

    def ends(self, hint: str = "") -> "Answer":
        """Check that the call ended within its maximum number of `steps`."""
        check.ended(not self.seen["stopped"], self.call, hint or _shared_hints.endless)
        return self

    def warns_nothing(self, hint: str) -> "Answer":
        """Check that the call gave no warning; the question needs the option `warned=True`."""
        messages = self.seen["warned"]
        return self.holds(not messages, ", ".join(messages), hint)

    def costs(self, limit: int, hint: str) -> "Answer":
        """Check that the call ran at most `limit` torch operations; the question needs `counted=True`."""
        return self.holds(self.seen["count"] <= limit, hint)

    def holds(self, condition: bool, problem: str | Parts, cause: str = "") -> "Answer":
        """Check any other condition; `problem` describes what is wrong if it does not hold."""
        if not condition:
            check.refuse(self.call, problem, cause)
        return self


def judge(
    got: Any,
    want: Any,
    call: str | Callable[[], str],
    *,
    mistakes: Mistakes | None = None,
    hint: str = "",
    rtol: float | None = None,
    atol: float | None = None,
    **options: Any,
) -> None:
    """Check a value that is not the answer to a question, such as the result of a probe.

    Args:
        got, want, rtol, atol, **options: as for `check.close`.
        call: the call with which a message begins, or a function that returns it. Such a function is called
            only if a message is needed.
        mistakes, hint: as for `Answer.returns`.
    """
    try:
        check.close(got, want, rtol=rtol, atol=atol)
    except check.CheckFailed:
        words = call() if callable(call) else call
        values, signs = _split(mistakes() if callable(mistakes) else mistakes or {})
        hint = next((mistake_hint for mistake_hint, sign in signs if _shows(sign, got)), hint)
        check.close(got, want, words, mistakes=values, hint=hint, rtol=rtol, atol=atol, **options)


def _split(mistakes: Mapping[str, Any]) -> tuple[list[tuple[Any, str]], list[tuple[str, Sign]]]:
    """Split mistakes into (wrong value, hint) pairs and (hint, function) pairs; see `Answer.returns`."""
    signs = [(hint, value) for hint, value in mistakes.items() if callable(value)]
    value_groups = (
        (w if isinstance(w, tuple) else (w,), hint) for hint, w in mistakes.items() if not callable(w)
    )
    return [(value, hint) for values, hint in value_groups for value in values], signs


def _shows(sign: Sign, result: Any) -> bool:
    with suppress(Exception):  # the function may fail on a result of an unexpected type
        outcome = sign(result)
        return bool(outcome.any() if isinstance(outcome, torch.Tensor) else outcome)
    return False


def _answer(
    session: _Session,
    text: str,
    arguments: Mapping[str, Any] | None,
    arguments_shown: Mapping[str, Any],
    options: Options,
    words: Callable[[], str],
    default_hint: str = "",
    before: str = "",
) -> Answer:
    def call() -> str:  # a function, because this text is needed only for a message about a wrong answer
        return words() + _code_below(options)

    errors = options.get("errors")
    request: dict[str, Any] = {"text": text}
    if arguments is not None:
        request["arguments"] = {name: _describe(argument) for name, argument in arguments.items()}
        before = options.get("before", "")
    if before:
        request["before"] = before
    if errors is not None:
        request["attempt"] = True
    if questions_ahead := options.get("ahead"):
        request["ahead"] = [
            ("", question) if isinstance(question, str) else question for question in questions_ahead
        ]
    request.update((key, value) for key, value in options.items() if key not in _NOT_SENT)
    with check.asking(call):
        report = session.ask(request)
    if errors is not None and isinstance(report["result"], dict):
        check.no_error([report["result"]], call(), errors)
    inherited_options = cast(
        Options, {key: value for key, value in options.items() if key not in _FIRST_ONLY}
    )
    return Answer(
        report["result"],
        report["tracked"],
        report,
        call,
        session,
        text,
        arguments_shown,
        inherited_options,
        default_hint,
    )


def _code_below(options: Options) -> str:
    code = options.get("below", "")
    return f"\n    {code}" if code else ""


def _after(statement: str) -> str:
    return say(en=f", after {statement}", ko=f", {statement} 다음에") if statement else ""


def _describe(argument: Any) -> Any:
    """Return the description of an argument as plain data."""
    if isinstance(argument, str):
        return {situation.CODE: argument}
    if isinstance(argument, Leaf):
        return {situation.LEAF: (argument.value, argument.grad, argument.layout, argument.tracked)}
    if isinstance(argument, list | tuple):
        return type(argument)(_describe(part) for part in argument)
    if isinstance(argument, dict):
        return {key: _describe(part) for key, part in argument.items()}
    return argument


def call_of(text: str, arguments: Mapping[str, Any]) -> str:
    """Return a question as a student would type it, followed by settings that the call does not show.

    An example is `fresh_grad(lambda t: t**2, x=[1, 2, 3]), float32, x.grad = 9.0`. An argument that only
    wraps the student's function of the same name, such as `fit_line="recipes.on_torch(fit_line)"`, is not
    shown.
    """
    needed_arguments = {
        name: a for name, a in _needed_arguments(text, arguments).items() if not _wraps(name, a)
    }
    suffixes, shown_by_name = [], False
    for name, argument in needed_arguments.items():
        code = argument if isinstance(argument, str) else _literal(argument)
        # Once an argument is shown by name, all later ones are too, because Python allows no positional
        # argument after a keyword argument.
        by_name = shown_by_name or isinstance(argument, torch.Tensor | Leaf)
        # If the call itself creates a list, as in f([p, q, r]), the names in the list are not replaced by
        # values.
        ends = r"(?=[,)])(?![^][()]*])"
        parts = re.split(rf"(?<=[(,] ){name}{ends}|(?<=\(){name}{ends}", text, maxsplit=1)
        if by_name or not _is_named(name, needed_arguments):
            text = (f"{name}={code}" if by_name else code).join(parts)
        else:
            # Keep the name, because the message shows the code of another argument that uses this name.
            parts = [text]
        if len(parts) == 1:
            suffixes.append(f"{name} = {code}")
        else:
            shown_by_name = by_name
    leaves = {name: argument for name, argument in needed_arguments.items() if isinstance(argument, Leaf)}
    suffixes += sorted({str(t.dtype)[6:] for t in _tensors(needed_arguments.values())} - {"int64", "bool"})
    suffixes += [
        f"{name}.grad = {argument.grad}" for name, argument in leaves.items() if argument.grad is not None
    ]
    return ", ".join([text, *suffixes]) + "".join(
        graphs.arrangement(argument.layout, name) for name, argument in leaves.items()
    )


def _is_named(name: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether the code of another argument uses this argument's name."""
    codes = [code for other, code in arguments.items() if isinstance(code, str) and other != name]
    return any(re.search(rf"\b{name}\b", code) for code in codes)


def _wraps(name: str, argument: Any) -> bool:
    return isinstance(argument, str) and bool(re.search(rf"\({name}[,)]", argument))


def _needed_arguments(text: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a question needs.

    An argument is needed if the question's text contains its name, or if the code of another needed argument
    does.
    """
    needed_names: set[str] = set()
    while new_names := (arguments.keys() - needed_names) & set(re.findall(r"\w+", text)):
        needed_names |= new_names
        codes = (arguments[name] for name in new_names)
        text = " ".join(str(code) for code in codes if isinstance(code, str | list | tuple))
    return {name: argument for name, argument in arguments.items() if name in needed_names}


def _tensors(arguments: Iterable[Any]) -> Iterator[torch.Tensor]:
    for argument in arguments:
        if isinstance(argument, Leaf):
            yield argument.value
        elif isinstance(argument, torch.Tensor):
            yield argument
        elif isinstance(argument, list | tuple):
            yield from _tensors(argument)


def _literal(argument: Any) -> str:
    if isinstance(argument, Leaf):
        return check.numbers(argument.value)
    if isinstance(argument, torch.Tensor):
        return check.numbers(argument)
    if isinstance(argument, list | tuple):
        parts = ", ".join(part if isinstance(part, str) else _literal(part) for part in argument)
        end = "," if len(argument) == 1 else ""
        return f"[{parts}]" if isinstance(argument, list) else f"({parts}{end})"
    return repr(argument)
