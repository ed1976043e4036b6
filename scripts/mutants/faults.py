"""One-line faults, which are chosen at random (with a seed) and written into a copy of the code.

Cosmic Ray makes the faults. `draw` sorts all lines of the files by a hash of the seed, the file's path and
the line's text. It then takes lines from the top until enough of them have a fault. Every line is therefore
equally likely to be chosen, and a line keeps its rank when other lines change. After a commit, almost all
chosen faults are the same as before.
"""

import ast
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import islice, takewhile
from pathlib import Path
from types import CodeType

#: A function that returns a mutated copy of a module's source, or None if there is nothing to mutate.
Mutation = Callable[[], str | None]


@dataclass(frozen=True)
class Fault:
    """A line of a file and its replacement.

    Attributes:
        name: a short hash that identifies the fault; it is the same in every run with the same seed.
        path: the file's path relative to the repository's root.
        line: the line's number, from 1.
        old: the line, with its line ending.
        new: the replacement of the line, or "" if the line is removed.
    """

    name: str
    path: str
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        new = self.new.strip() or "(removed)"
        return f"{self.path}:{self.line}  {self.old.strip()}  ->  {new}"


def product_files(root: Path, folders: Sequence[str]) -> list[str]:
    """List the Python files in the folders and their subfolders, as paths relative to the root."""
    files = (path for folder in folders for path in (root / folder).rglob("*.py"))
    return sorted(path.relative_to(root).as_posix() for path in files)


def draw(
    root: Path,
    paths: Iterable[str],
    seed: int,
    number: int,
    mutations: Callable[[str], dict[int, list[Mutation]]],
) -> list[Fault]:
    """Choose faults at random, at most one for each line.

    Args:
        root: the folder that the paths are relative to.
        paths: the files in which to choose lines.
        seed: the seed of the random choice; another seed chooses other lines.
        number: how many faults to choose; fewer are returned if the files have fewer lines with a fault.
        mutations: a function that returns the mutations of a module, keyed by line number.
    """
    mutations = cache(mutations)
    lines = sorted(line for path in paths for line in _ranked_lines(root, path, seed))
    faults = (_fault_of(root, rank, path, line, mutations) for rank, path, line in lines)
    return sorted(
        islice((fault for fault in faults if fault), number), key=lambda fault: (fault.path, fault.line)
    )


def write(root: Path, faults: Iterable[Fault]) -> None:
    """Write faults into the files of a folder and its subfolders.

    Faults are written from the last line of a file to the first, so that removing a line does not change the
    numbers of the lines that are still to be replaced.

    Raises:
        ValueError: if a line is not the one for which the fault was chosen.
    """
    for fault in sorted(faults, key=lambda fault: fault.line, reverse=True):
        file = root / fault.path
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        if lines[fault.line - 1] != fault.old:
            raise ValueError(f"{fault.path}:{fault.line} is not the line that the fault was drawn for.")
        lines[fault.line - 1] = fault.new
        file.write_text("".join(lines), encoding="utf-8")


def cosmic_ray_mutations(source: str) -> dict[int, list[Mutation]]:
    """Return the mutations that Cosmic Ray's operators make in a module, keyed by line number.

    Operators with arguments are not used, because they choose a variable or a number at random, without a
    seed.
    """
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(source)))
    by_line: dict[int, list[Mutation]] = defaultdict(list)
    for operator in (cls() for cls in map(get_operator, sorted(operator_names())) if not cls.arguments()):
        positions = (position for node in nodes for position in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            by_line[start[0]].append(partial(mutate_code, source, operator, occurrence))
    return by_line


def _ranked_lines(root: Path, path: str, seed: int) -> Iterator[tuple[str, str, int]]:
    """Yield each line's rank in the random order, its file and its line number.

    Identical lines in a file get different ranks, because the rank depends on how often the line has occurred
    before.
    """
    repeats: Counter[str] = Counter()
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        repeats[line] += 1
        yield sha256(repr((seed, path, line, repeats[line])).encode()).hexdigest(), path, number


def _fault_of(
    root: Path, rank: str, path: str, line: int, mutations: Callable[[str], dict[int, list[Mutation]]]
) -> Fault | None:
    """Return a fault in this line, or None if no mutation of the line is a fault.

    A fault is a mutation that changes only this line of the source, and that changes the compiled code.
    """
    source = (root / path).read_text(encoding="utf-8")
    old = source.splitlines(keepends=True)[line - 1]
    if "TYPE_CHECKING" in old:
        return None
    choices = list(mutations(source).get(line, ()))
    random.Random(rank).shuffle(choices)
    for mutation in choices:
        mutated = mutation()
        if mutated is not None and _changed_line(source, mutated) == line and _is_noticeable(source, mutated):
            source_lines = source.splitlines(keepends=True)
            new = (
                mutated.splitlines(keepends=True)[line - 1]
                if len(mutated.splitlines()) == len(source_lines)
                else ""
            )
            return Fault(sha256((rank + new).encode()).hexdigest()[:10], path, line, old, new)
    return None


def _changed_line(source: str, mutated: str) -> int | None:
    """Return the number of the line that was changed or removed, or None if several lines differ."""
    old, new = source.splitlines(), mutated.splitlines()
    before = _common_prefix_length(old, new)
    after = _common_prefix_length(old[before:][::-1], new[before:][::-1])
    one_line = len(old) - before - after == 1 and len(new) - before - after <= 1
    return before + 1 if one_line else None


def _common_prefix_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Count the lines that both sequences have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def _is_noticeable(source: str, mutated: str) -> bool:
    """Return whether the mutated module compiles to code that differs from the original's."""
    try:
        return _compile_plain(mutated) != _compile_plain(source)
    except (SyntaxError, ValueError):
        return False


def _compile_plain(source: str) -> CodeType:
    """Compile a module without its annotations and line numbers, so that only behaviour is compared."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    for node in ast.walk(tree):
        for name in set(node._attributes) & {"lineno", "end_lineno", "col_offset", "end_col_offset"}:
            setattr(node, name, 1)
    return compile(tree, "module", "exec", dont_inherit=True)
