"""The names of a notebook: which cell bound a name, what the name refers to now, or why it is missing.

If an answer uses a name that is missing or whose meaning has changed, this module makes a finding, and the
verdict reports it. The module runs both in a notebook's kernel and, during grading, in the student's process.
Findings from the student's process cannot be trusted, so they are only shown as text.
"""

import ast
import builtins
import dis
import linecache
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from itertools import islice
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType, TracebackType
from typing import Any

from secant.language import say

#: Python's builtins and their values, as they were when this module was imported.
BUILTINS: Mapping[str, Any] = dict(vars(builtins))
#: The suffix of the names under which an ordinary nbgrader test reads builtins. It is a space, because a
#: notebook's code cannot bind a name that contains one.
PRISTINE = " "
# The names that IPython and Python's `site` module add for interactive use; they do not count as builtins.
_NOT_BUILTIN = {"_", "copyright", "credits", "display", "exit", "get_ipython", "help", "license", "quit"}
_BUILTIN_NAMES = {name for name in BUILTINS if name not in _NOT_BUILTIN and not name.startswith("__")}

#: The kinds of findings about a name that is still bound, but whose meaning has changed.
REBOUND = ("python", "lesson", "own")
_MAX_FINDINGS = 3  # maximum number of findings reported for one error
# Maximum numbers of characters of a value, and of a line of code, in a message.
_VALUE_LENGTH, _LINE_LENGTH = 40, 200
_MAX_CODE = 500_000  # maximum number of characters of code parsed to explain missing or rebound names
_DEPTH = 4  # maximum depth to which nested calls and nested code objects are searched
_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_PLAIN = (bool, int, float, str, type(None))
_MAGIC = re.compile(r"\s*%%(\w[\w.]*)")
_BINDS_ANYTHING = re.compile(r"\s*(?:from\s+\S+\s+import\s+\*|%run\b|get_ipython\(\)\.run_line_magic\('run')")
_SHELL_ESCAPE = re.compile(r"\s*%%?(\w+)|\s*!")


@dataclass(frozen=True)
class Finding:
    """A reason why a name does not mean what an answer expects.

    Attributes:
        name: the name, as it is written in the answer.
        kind: the kind of reason. If the meaning of the name has changed: "python" for one of Python's
            builtins, "lesson" for a name that the lesson imports, "own" for any other name of the notebook.
            If the name was bound and then deleted: "deleted". If the name was never bound, the kind tells
            where its binding is: "stopped" (below the line at which its cell stopped), "perhaps" (perhaps in
            an `import *` or a %run at which a cell stopped), "branch" (in code that did not run), "magic" (in
            a cell with a magic command that does not run the code in this kernel), "inside" (in a function or
            class), "comment" (in a comment), "text" (in a text cell), "below" (in a later cell), "endless"
            (in a cell that did not end).
        cell: the label of the cell that explains the finding, such as "cell 7".
        line, text: the number of the line in that cell, and its code; 0 and "" if unknown.
        more: a description of the name's current value; for "stopped" and "perhaps" the error; for "magic"
            and "inside" the name of the magic or of the surrounding definition.
    """

    name: str
    kind: str
    cell: str
    line: int = 0
    text: str = ""
    more: str = ""

    def data(self) -> tuple[str, str, str, int, str, str]:
        """Return the fields as plain data, from which `Finding(*data)` restores the finding."""
        return astuple(self)


class Bindings:
    """A record of a notebook's names, updated after each cell.

    Args:
        names: the notebook's namespace, as it is before the first cell runs.
        label: a function that returns the label of the cell that a frame belongs to, or "" for a frame
            outside the notebook.
        python: the notebook's builtins, if it has its own copy of them.
        transform: a function that turns a cell's text with magics into Python.
        initial_names: the names that existed before any cell ran; by default all names in the namespace.
    """

    def __init__(
        self,
        names: dict[str, Any],
        label: Callable[[FrameType], str],
        python: Mapping[str, Any] = BUILTINS,
        transform: Callable[[str], str] = str,
        initial_names: Collection[str] | None = None,
    ) -> None:
        self._names, self._python_names = names, python
        self._label, self._transform = label, transform
        self._sources: dict[str, str] = {}
        self._readings: dict[str, tuple[dict[str, int], dict[str, str]]] = {}
        self._code_budget = _MAX_CODE
        self._errors: dict[str, tuple[int, str, str]] = {}
        # For each cell that an error stopped: the name that was missing, or the findings at the time of the
        # error.
        self._causes: dict[str, str | list[Finding]] = {}
        self._bound: dict[str, list[str]] = {}
        self._deleted: dict[str, str] = {}
        self._kinds: dict[str, str] = {}  # the kind of each name's first value, e.g. "function"
        # For each name, the types of its values before and after the name was last bound.
        self._types: dict[str, tuple[str, str]] = {}
        self._lesson: dict[str, Any] = {}
        identities = self._identities()
        self._last_identities = (
            identities
            if initial_names is None
            else {name: identities[name] for name in identities.keys() & initial_names}
        )
        self._python_ids = list(map(id, python.values()))

    def begin(self, sources: Iterable[tuple[str, str]]) -> None:
        """Store the text of all cells, keyed by label, before the first cell runs."""
        self._sources = dict(sources)

    def note(self, cell: str, source: str = "", *, imports: bool = False) -> None:
        """Record the names that a cell bound, rebound or deleted, right after the cell has run.

        Args:
            cell: the cell's label.
            source: the cell's text; not needed if `begin` has stored it.
            imports: whether the cell holds the lesson's own imports.
        """
        if source:
            self._sources[cell] = source
            self._readings.pop(cell, None)
        if self._python_ids != (ids := list(map(id, self._python_names.values()))):
            self._python_ids = ids
            for name in _BUILTIN_NAMES:
                if self._python_names.get(name) is not BUILTINS[name]:
                    self._bound.setdefault(f"builtins.{name}", [cell])
        identities = self._identities()
        if identities == self._last_identities:
            return
        for name in identities.keys() - self._last_identities.keys():
            self._deleted.pop(name, None)
        for name, _ in identities.items() - self._last_identities.items():
            self._bound.setdefault(name, []).append(cell)
            value = self._names.get(name)
            self._kinds.setdefault(name, _kind(value))
            kind = type(value).__name__
            self._types[name] = self._types.get(name, ("", kind))[1], kind
            if imports:
                self._lesson[name] = value
        for name in self._last_identities.keys() - identities.keys():
            self._deleted[name] = cell
        self._last_identities = identities

    def fail(self, cell: str, error: BaseException, line: int, text: str, message: str) -> None:
        """Record the error that stopped a cell, and the line that raised it."""
        self._errors[cell] = line, text.strip()[:_LINE_LENGTH], message[:_LINE_LENGTH]
        # The exception is not stored, because its frames would keep the notebook's tensors alive.
        self._causes[cell] = _missing_name(error) or self.explain_error(error)

    def causes(self, cells: Collection[str]) -> dict[str, list[Finding]]:
        """Return the findings for each of the given cells that an error stopped.

        Call this method after all cells have run.
        """
        by_cell = {
            cell: self.explain_missing(cause) if isinstance(cause, str) else cause
            for cell, cause in self._causes.items()
            if cell in cells
        }
        return {cell: findings for cell, findings in by_cell.items() if findings}

    def _identities(self) -> dict[str, int]:
        # Only ids are stored, not references, because a notebook may check when its tensors are freed.
        # The namespace is copied, because another thread may bind names at the same time.
        names = dict(self._names)
        return dict(zip(names, map(id, names.values()), strict=True))

    # --- Names whose meaning has changed --------------------------------------------------------------------

    def rebound(self) -> dict[str, Finding]:
        """Return a finding for each name whose meaning has changed.

        The name may come from Python, the lesson or the notebook. A name from the notebook counts only if
        its first value was a function, a class or a module and it now holds an object of another kind.
        """
        findings = {}
        for name in _BUILTIN_NAMES:
            value = self._names.get(name, self._python_names.get(name))
            if value is not BUILTINS[name]:
                findings[name] = self._finding(name, "python")
        for name, value in self._lesson.items():
            if (
                name in self._names
                and name not in findings
                and not _is_same_or_extends(self._names[name], value)
            ):
                findings[name] = self._finding(name, "lesson")
        for name, kind in self._kinds.items():
            if name in findings or name not in self._names or kind == "value":
                continue
            if len(self._bound[name]) > 1 and _kind(self._names[name]) != kind:
                findings[name] = self._finding(name, "own")
        return findings

    def used_by(self, name: str, cell: str, rebound: Mapping[str, Finding]) -> list[Finding]:
        """Return findings for the names that an answer uses and whose meaning has changed.

        If the answer's own name is undefined or was rebound, only the finding for that name is returned.

        Args:
            name: the name of the function or class that a task asks for.
            cell: the label of the answer's cell. All names that this cell defines are examined, because some
                answers define a name other than the task's.
            rebound: the findings that the method `rebound` returned.
        """
        defined_names = [
            other for other, cells in self._bound.items() if cell in cells and other in self._names
        ]
        if name not in self._names and (reasons := self.explain_missing(name)):
            return reasons
        causes = {**self._defined_again(cell), **rebound}
        if name in causes:
            return [causes[name]]
        if not causes:
            return []
        objects = [self._names[other] for other in {name, *defined_names} & self._names.keys()]
        used_names = _globals_of(objects, self._names, causes.keys())
        return [causes[other] for other in causes if other in used_names][:_MAX_FINDINGS]

    def _defined_again(self, cell: str) -> dict[str, Finding]:
        """Return findings for functions and classes that a cell can use and that a later cell rebinds.

        Classes that extend the lesson's own class of the same name are skipped, because lesson 10 asks for
        several of them.
        """
        order = {label: place for place, label in enumerate(self._sources)}
        if cell not in order:
            return {}
        findings = {}
        for name, cells in self._bound.items():
            first, last = order.get(cells[0], -1), order.get(cells[-1], -1)
            if (
                name in self._names
                and first <= order[cell] < last
                and self._kinds[name] in ("function", "class")
                and not (name in self._lesson and _is_same_or_extends(self._names[name], self._lesson[name]))
            ):
                findings[name] = self._finding(name, "own")
        return findings

    def explain_error(self, error: BaseException) -> list[Finding]:
        """Return findings for the names in a failing expression that are undefined or have been rebound."""
        if missing_name := _missing_name(error):
            return self.explain_missing(missing_name)
        own_steps = [step for step in _steps(error.__traceback__) if self._label(step.tb_frame)]
        if not own_steps:
            return []
        rebound = self.rebound()
        used_names = _names_at(own_steps[-1])
        findings = [rebound[name] for name in used_names if name in rebound]
        # A name that several cells have bound may now hold a value of an unexpected type.
        for name in used_names:
            before, after = self._types.get(name, ("", ""))
            has_several_cells = len(set(self._bound.get(name, ()))) > 1
            # If the error message contains `name()`, the parameters of the function `name` may have changed.
            may_explain_error = before != after or f"{name}()" in str(error)
            if name not in rebound and name in self._names and has_several_cells and may_explain_error:
                findings.append(self._finding(name, "own"))
        return findings[:_MAX_FINDINGS]

    def _finding(self, name: str, kind: str) -> Finding:
        key = name if name in self._names else f"builtins.{name}"
        cell = (self._bound.get(key) or [""])[-1]
        line, text = self._line(cell, key)
        value = self._names.get(name, self._python_names.get(name))
        return Finding(name, kind, cell, line, text, describe(value))

    def _line(self, cell: str, name: str) -> tuple[int, str]:
        """Return the number and the code of the last line in a cell on which a name is bound or deleted."""
        source = self._sources.get(cell, "")
        line = self._read(cell)[0].get(name, 0) or _magic_line(source)
        lines = source.splitlines()
        return (line, lines[line - 1].strip()[:_LINE_LENGTH]) if 0 < line <= len(lines) else (0, "")

    def _read(self, cell: str) -> tuple[dict[str, int], dict[str, str]]:
        """Return the names that a cell's text binds, and the names of its nested functions and classes.

        The text of each cell is parsed only once.
        """
        if cell not in self._readings:
            source = self._sources.get(cell, "")
            self._code_budget -= len(source)
            with suppress(Exception):  # IPython's transformers may fail on a cell with a syntax error
                source = self._transform(source)
            self._readings[cell] = (bindings(source), _nested(source)) if self._code_budget > 0 else ({}, {})
        return self._readings[cell]

    # --- Missing names --------------------------------------------------------------------------------------

    def explain_missing(self, name: str) -> list[Finding]:
        """Return a list with the finding that explains why a name is not bound, or an empty list."""
        if name in self._deleted:
            cell = self._deleted[name]
            return [Finding(name, "deleted", cell, *self._line(cell, name))]
        for find in (
            self._find_stopped,
            self._find_under_magic,
            self._find_below,
            self._find_in_branch,
            self._find_nested,
        ):
            if finding := find(name):
                return [finding]
        return []

    def _find_stopped(self, name: str) -> Finding | None:
        for cell, (line, text, error) in self._errors.items():
            if name in self._read(cell)[0]:
                return Finding(name, "stopped", cell, line, text, error)
        for cell, (line, text, error) in self._errors.items():  # `import *` or %run could have bound any name
            if _BINDS_ANYTHING.match(text):
                return Finding(name, "perhaps", cell, line, text, error)
        return None

    def _find_in_branch(self, name: str) -> Finding | None:
        for cell in self._sources:
            if name in self._read(cell)[0]:
                line, text = self._line(cell, name)
                return Finding(name, "deleted" if text.startswith("del ") else "branch", cell, line, text)
        return None

    def _find_under_magic(self, name: str) -> Finding | None:
        for cell, source in self._sources.items():
            magic = _MAGIC.match(source)
            if magic and name in defined_by_line(source):
                return Finding(name, "magic", cell, *_definition(source, name), magic[1])
        return None

    def _find_nested(self, name: str) -> Finding | None:
        for cell, source in self._sources.items():
            if outer := self._read(cell)[1].get(name):
                return Finding(name, "inside", cell, *_definition(source, name), outer)
            if re.search(rf"^\s*#+\s*(?:def|class)\s+{re.escape(name)}\b", source, re.MULTILINE):
                return Finding(name, "comment", cell, *_definition(source, name))
        return None

    def _find_below(self, name: str) -> Finding | None:
        cell = next(iter(self._bound.get(name, ())), "")
        return Finding(name, "below", cell, *self._line(cell, name)) if cell else None


# --- Finding names in code ----------------------------------------------------------------------------------


def bindings(source: str) -> dict[str, int]:
    """Return the names that code binds or deletes at module level, each with the last line that does so.

    Code that does not parse is read line by line.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return defined_by_line(source)
    last_lines: dict[str, int] = {}
    for node in _of_module(tree):
        for name in _bound_by(node):
            last_lines[name] = max(last_lines.get(name, 0), getattr(node, "lineno", 0))
    return last_lines


def _of_module(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may bind module-level names: top-level code, `global` statements, `:=` targets."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.Global))
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            yield from (inner.target for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        else:
            yield from _of_module(node)


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.Attribute(value=ast.Name(id="builtins"), attr=name, ctx=ast.Store() | ast.Del()):
            return [f"builtins.{name}"]
        case ast.alias(name=name, asname=asname):
            return [asname or name.partition(".")[0]]
        case ast.Global(names=names):
            return names
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
    return []


_DEFINED = re.compile(r"^\s*(?:async\s+def|def|class)\s+(\w+)")
_ASSIGNED = re.compile(r"^(\w+)\s*(?::[^=]+)?=(?!=)")
_IMPORTED = re.compile(r"^(?:from\s+\S+\s+)?import\s+(.+)")


def defined_by_line(source: str) -> dict[str, int]:
    """Return the names that code seems to bind, with their line numbers, even if the code does not parse."""
    last_lines: dict[str, int] = {}
    for number, line in enumerate(source.splitlines(), 1):
        if match := _DEFINED.match(line) or _ASSIGNED.match(line):
            last_lines[match[1]] = number
        elif match := _IMPORTED.match(line):
            names = (part.split() for part in match[1].strip("()").split(","))
            last_lines |= {words[-1].partition(".")[0]: number for words in names if words}
    return last_lines


def _nested(source: str) -> dict[str, str]:
    """Return the names of nested functions and classes, each with the name of the definition around it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {
        inner.name: outer.name
        for outer in ast.walk(tree)
        if isinstance(outer, kinds)
        for inner in ast.walk(outer)
        if isinstance(inner, kinds) and inner is not outer
    }


def _definition(source: str, name: str) -> tuple[int, str]:
    """Return the number and the code of the line that seems to define a name; 0 and "" if none does."""
    pattern = re.compile(rf"^[\s#]*(?:async\s+def|def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*=")
    for number, line in enumerate(source.splitlines(), 1):
        if pattern.match(line):
            return number, line.strip()[:_LINE_LENGTH]
    return 0, ""


def _magic_line(source: str) -> int:
    """Return the number of a cell's first line with a magic or a star import; 0 if there is none."""
    for number, line in enumerate(source.splitlines(), 1):
        if _SHELL_ESCAPE.match(line) or re.match(r"\s*from\s+\S+\s+import\s+\*", line):
            return number
    return 0


def _missing_name(error: BaseException) -> str:
    """Return the global name that a NameError reports as not defined; an empty string for other errors."""
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError):
        return ""
    return error.name if isinstance(error.name, str) else ""


def _globals_of(objects: Iterable[Any], names: Mapping[str, Any], wanted: Iterable[str]) -> set[str]:
    """Return those of the `wanted` names that the given functions and classes read as globals.

    Functions that they call, and classes that they use, are searched as well.
    """
    wanted_names, matches = set(wanted), set[str]()
    todo, visited = [(item, 0) for item in objects], set[int]()
    while todo:
        item, depth = todo.pop()
        if id(item) in visited or depth > _DEPTH:
            continue
        visited.add(id(item))
        for code in _codes(item):
            used_names = {text for text in _loaded_names(code, wanted_names | names.keys())}
            matches |= used_names & wanted_names
            todo += [(names[text], depth + 1) for text in used_names if text in names]
    return matches


def _codes(value: Any) -> Iterator[CodeType]:
    """Yield the code objects of a function, or of the methods of a class and its bases."""
    if isinstance(value, type):
        for base in value.__mro__:
            if base.__module__ == "__main__":
                for part in vars(base).values():
                    yield from _codes(part) if not isinstance(part, type) else ()
        return
    if isinstance(value, property):
        yield from (code for part in (value.fget, value.fset) if part for code in _codes(part))
        return
    if isinstance(value, staticmethod | classmethod | MethodType):
        value = value.__func__
    if isinstance(value, FunctionType):
        yield from _all_codes(value.__code__)
        for cell in value.__closure__ or ():  # a decorator holds the wrapped function in its closure
            try:
                inner = cell.cell_contents
            except ValueError:
                continue
            if isinstance(inner, FunctionType):
                yield from _all_codes(inner.__code__)


def _all_codes(code: CodeType, depth: int = 0) -> Iterator[CodeType]:
    yield code
    if depth < _DEPTH:
        for part in code.co_consts:
            if isinstance(part, CodeType):
                yield from _all_codes(part, depth + 1)


def _loaded_names(code: CodeType, wanted: set[str]) -> set[str]:
    if not wanted & set(code.co_names):
        return set()
    return {str(step.argval) for step in dis.get_instructions(code) if step.opname in _LOADS} & wanted


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace:
        yield trace
        trace = trace.tb_next


def _names_at(step: TracebackType) -> list[str]:
    """Return the global names in the expression that a traceback entry points at, in order of appearance."""
    code = step.tb_frame.f_code
    text = _expression(step)
    identifiers = dict.fromkeys(re.findall(r"(?<![\w.])[^\W\d]\w*", text))
    return [name for name in identifiers if name in code.co_names]


def _expression(step: TracebackType) -> str:
    """Return the expression that a traceback entry points at; its whole line if the columns are unknown."""
    code, filename = step.tb_frame.f_code, step.tb_frame.f_code.co_filename
    place = next(islice(code.co_positions(), step.tb_lasti // 2, None), (None,) * 4)
    first, last, begin, end = place
    if first is None or last is None:
        return linecache.getline(filename, step.tb_lineno)
    lines = [linecache.getline(filename, number).encode() for number in range(first, last + 1)]
    if len(lines) == 1:
        return lines[0][begin:end].decode(errors="replace")
    return b"".join([lines[0][begin:], *lines[1:-1], lines[-1][:end]]).decode(errors="replace")


def _is_same_or_extends(value: Any, original: Any) -> bool:
    """Return whether a name still holds the object that the lesson imported, or a class that extends it."""
    return value is original or (
        isinstance(value, type) and any(base is original for base in type.mro(value))
    )


def _kind(value: Any) -> str:
    if isinstance(value, ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    return "function" if callable(value) else "value"


def describe(value: Any) -> str:
    """Return a short description of a value: "int (80)", "function (torch.sum)", "list"."""
    try:
        return _description(value)
    except Exception:  # reading a student's object may raise any error
        return type(value).__name__[:_VALUE_LENGTH]


def _description(value: Any) -> str:
    kind = type(value).__name__
    if type(value) in _PLAIN:
        text = repr(value if not isinstance(value, str) else value[:_VALUE_LENGTH])
        return f"{kind} ({text[:_VALUE_LENGTH]})" if value is not None else "None"
    if isinstance(value, ModuleType | type) or callable(value):
        kind = _kind(value)
        name, module = str(getattr(value, "__name__", ""))[:_VALUE_LENGTH], getattr(value, "__module__", None)
        if isinstance(module, str) and module not in ("__main__", "builtins") and kind != "module":
            name = f"{module}.{name}"[: 2 * _VALUE_LENGTH]
        return f"{kind} ({name})" if name else kind
    if (text := type(value).__module__) in ("torch", "numpy") and kind == "dtype":
        return f"{text}.{kind} ({str(value)[:_VALUE_LENGTH]})"
    return kind[:_VALUE_LENGTH]


# --- Wording of the findings --------------------------------------------------------------------------------


def describe_finding(finding: Finding) -> str:
    """Return a finding as a sentence in the current language. It has no full stop: it may end with code."""
    name, info, place = f"`{finding.name}`", finding.more, _place(finding)
    match finding.kind:
        case "python":
            return say(
                en=f"{name} is not Python's own {name} any more but {_with_article(info)}, since {place}",
                ko=f"{name}: 이제 파이썬의 원래 {name} 대신 {info}입니다. 바꾼 곳은 {place}",
            )
        case "lesson":
            return say(
                en=f"{name} is not what the lesson imports any more but {_with_article(info)}, since {place}",
                ko=f"{name}: 이제 수업에서 import한 것 대신 {info}입니다. 바꾼 곳은 {place}",
            )
        case "own":
            return say(
                en=f"what is bound last counts, and {name} is now {_with_article(info)}, since {place}",
                ko=f"{name}: 마지막에 정한 것이 쓰이는데, 이제 {info}입니다. 바꾼 곳은 {place}",
            )
        case "deleted":
            return say(en=f"{name} was deleted in {place}", ko=f"{name}: 지워졌습니다. 지운 곳은 {place}")
        case "stopped":
            return say(
                en=f"before it defined {name}, a cell stopped with {info}: {place}",
                ko=f"{name}: 정의하는 셀이 그 전에 오류로 멈추었습니다({info}). 멈춘 곳은 {place}",
            )
        case "perhaps":
            return say(
                en=f"no other cell defines {name}, and this one stopped with {info}: {place}",
                ko=f"{name}: 다른 셀에는 정의가 없고, 이 셀은 오류로 멈추었습니다({info}). 멈춘 곳은 {place}",
            )
        case "branch":
            return say(
                en=f"{name} is bound only in a part of a cell that did not run here: {place}",
                ko=f"{name}: 여기서는 실행되지 않은 부분에서만 정의됩니다. 있는 곳은 {place}",
            )
        case "magic":
            return say(
                en=f"nothing is defined below %%{info}, where {name} stands: {place}",
                ko=f"{name}: %%{info} 아래에 쓴 것은 정의되지 않습니다. 있는 곳은 {place}",
            )
        case "inside":
            return say(
                en=f"{name} is defined only inside `{info}`: {place}",
                ko=f"{name}: `{info}` 안에서만 정의됩니다. 있는 곳은 {place}",
            )
        case "comment":
            return say(
                en=f"the definition of {name} is a comment: {place}",
                ko=f"{name}: 정의가 주석으로 되어 있습니다. 있는 곳은 {place}",
            )
        case "text":
            return say(
                en=f"the definition of {name} stands in a text cell; make that a code cell: {place}",
                ko=f"{name}: 정의가 텍스트 셀에 있습니다. 코드 셀로 바꾸세요. 있는 곳은 {place}",
            )
        case "endless":
            return say(
                en=f"the cell that defines {name} did not end and was left out: {place}",
                ko=f"{name}: 정의하는 셀이 끝나지 않아 빼고 실행했습니다. 그 셀은 {place}",
            )
    return say(
        en=f"cells run from top to bottom, and {name} is defined only in {place}",
        ko=f"{name}: 셀은 위에서부터 차례로 실행되는데, 더 아래에서 정의됩니다. 있는 곳은 {place}",
    )


def _with_article(kind: str) -> str:
    """Return the name of a type with its indefinite article."""
    if kind == "None":
        return kind
    return f"an {kind}" if kind[:1].lower() in "aeiou" else f"a {kind}"


def _place(finding: Finding) -> str:
    cell = finding.cell or say(en="the beginning", ko="맨 처음")
    if not finding.line:
        return cell
    return say(
        en=f"{cell}, line {finding.line}: {finding.text}",
        ko=f"{cell}, {finding.line}번째 줄: {finding.text}",
    )
