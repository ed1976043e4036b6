"""Tests of the layers in ARCHITECTURE.md, in which a package imports only from those below it, and of rules.

The rules hold for every module of the product.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

#: The packages that each package may import. A package is listed after the packages that it may import.
ALLOWED_IMPORTS: dict[str, set[str]] = {
    "secant": set(),
    "secant.checking": {"secant"},
    "secant.graph": {"secant"},
    "secant.explorers.kit": {"secant", "secant.graph"},
    "secant.explorers": {"secant", "secant.graph", "secant.explorers.kit"},
    "secant.progress": {"secant"},
    "secant.lab": {"secant", "secant.progress"},
    "autograder.sandbox.inside": {"secant", "secant.checking"},
    "autograder.course": {"secant"},
    "autograder.build": {"secant", "secant.checking", "autograder.course"},
    "autograder.intake": {"secant", "autograder.course"},
    "autograder.sandbox": {"secant", "autograder.sandbox.inside"},
    "autograder.kernels": {"autograder.sandbox.inside"},
    "autograder.exam": {
        "secant",
        "secant.checking",
        "autograder.course",
        "autograder.intake",
        "autograder.sandbox",
        "autograder.sandbox.inside",
    },
    "autograder.page": {
        "secant",
        "autograder.course",
        "autograder.intake",
        "autograder.sandbox.inside",
        "autograder.exam",
    },
    "autograder.workers": {
        "autograder.page",
        "secant",
        "autograder.course",
        "autograder.intake",
        "autograder.sandbox",
        "autograder.sandbox.inside",
        "autograder.exam",
    },
    "autograder.gradebook": {
        "secant",
        "autograder.course",
        "autograder.intake",
        "autograder.sandbox",
        "autograder.exam",
        "autograder.page",
    },
    "autograder.overrides": {
        "secant",
        "autograder.course",
        "autograder.intake",
        "autograder.gradebook",
    },
    "autograder.grading": {
        "autograder.workers",
        "autograder.gradebook",
        "autograder.overrides",
        "autograder.page",
        "secant",
        "autograder.course",
        "autograder.intake",
        "autograder.sandbox",
        "autograder.exam",
    },
    "autograder.report": {
        "secant",
        "autograder.course",
        "autograder.page",
        "autograder.gradebook",
        "autograder.grading",
    },
    "autograder.lms": {"secant", "autograder.course", "autograder.intake", "autograder.gradebook"},
    "autograder.service": {
        "secant",
        "secant.lab",
        "secant.progress",
        "autograder.course",
        "autograder.sandbox",
        "autograder.sandbox.inside",
        "autograder.kernels",
        "autograder.exam",
    },
    "autograder.edition": {"secant", "secant.lab", "autograder.course"},
    "autograder": {
        "secant",
        "autograder.course",
        "autograder.build",
        "autograder.sandbox",
        "autograder.sandbox.inside",
        "autograder.exam",
        "autograder.workers",
        "autograder.gradebook",
        "autograder.overrides",
        "autograder.grading",
        "autograder.report",
        "autograder.lms",
        "autograder.service",
        "autograder.edition",
    },
}
#: Further packages that the modules directly in `secant` may import. Notebooks import names from `secant`,
#: which loads these packages only when they are used (`secant.progress` when a prediction is clicked). The
#: command `secant` needs some of them to open the lab and to show the progress.
LAZY_IMPORTS = {
    "secant": {"secant.checking", "secant.explorers", "secant.graph", "secant.lab", "secant.progress"}
}


def package_of(module: str) -> str:
    """Return the innermost package in `ALLOWED_IMPORTS` that contains a module."""
    return max((name for name in ALLOWED_IMPORTS if f"{module}.".startswith(f"{name}.")), key=len)


@cache
def product_trees() -> dict[Path, ast.Module]:
    """Parse every module of the product, of the scripts and of the benchmarks."""
    return {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("secant", "autograder", "scripts", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    }


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(product_trees()[path]):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def edges() -> set[tuple[str, str]]:
    """Return the pairs of different packages in which the first imports the second."""
    pairs = set()
    for package in ("autograder", "secant"):
        for path in (ROOT / package).rglob("*.py"):
            importer = package_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
            product_modules = (
                name for name in imports(path) if name.partition(".")[0] in ("autograder", "secant")
            )
            pairs |= {(importer, package_of(name)) for name in product_modules if name != "autograder"}
    return {(importer, imported) for importer, imported in pairs if importer != imported}


def test_every_package_is_listed_in_the_architecture() -> None:
    packages = {
        path.parent for package in ("autograder", "secant") for path in (ROOT / package).rglob("*.py")
    }
    assert {".".join(path.relative_to(ROOT).parts) for path in packages} == set(ALLOWED_IMPORTS)


@pytest.mark.costly("parses every module of the product")
def test_packages_import_what_the_architecture_table_lists() -> None:
    allowed = {
        (importer, imported) for importer, packages in ALLOWED_IMPORTS.items() for imported in packages
    }
    lazy = {(importer, imported) for importer, packages in LAZY_IMPORTS.items() for imported in packages}
    assert edges() - allowed == lazy
    assert allowed - edges() == set()


def test_packages_import_only_packages_listed_before_them() -> None:
    order = list(ALLOWED_IMPORTS)
    assert all(
        order.index(imported) < order.index(importer)
        for importer, packages in ALLOWED_IMPORTS.items()
        for imported in packages
    )


def test_modules_of_secant_checking_have_no_circular_imports() -> None:
    paths = {f"secant.checking.{path.stem}": path for path in (ROOT / "secant/checking").glob("*.py")}
    imported = {
        name: {text for line in imports(path) for text in (line, line.rpartition(".")[0])}
        for name, path in paths.items()
    }
    TopologicalSorter({name: modules & paths.keys() for name, modules in imported.items()}).prepare()


#: Further files that use names of the product: settings, entry points and lessons.
USERS = ("nbgrader_config.py", "pyproject.toml", "course/*/*.py", "secant/lab/*.json", "autograder/**/*.toml")
#: Names of functions that Jupyter looks for.
HOOKS = {
    "_jupyter_server_extension_points",
    "_link_jupyter_server_extension",
    "_load_jupyter_server_extension",
}


@pytest.mark.costly("parses every module of the product")
def test_every_public_name_of_a_module_is_used() -> None:
    trees = product_trees()
    users = [path.read_text(encoding="utf-8") for pattern in USERS for path in ROOT.glob(pattern)]
    used = {word for text in users for word in re.findall(r"\w+", text)} | HOOKS
    for tree in trees.values():
        used |= set(names_used(tree))
    unused = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in trees.items()
        for node in tree.body
        for name in names_bound(node)
        if name not in used and not name.startswith("__")
    ]
    assert not unused


@pytest.mark.costly("parses every module of the product")
def test_dataclass_is_frozen_unless_its_module_assigns_a_field() -> None:
    unfrozen = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path, tree in product_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(re.match(r"dataclass(?!.*frozen=True)", ast.unparse(item)) for item in node.decorator_list)
        and not fields_of(node) & attributes_assigned(tree)
    ]
    assert unfrozen == ["secant/explorers/kit/widget.py: Findings"]  # explorers assign its fields


def fields_of(node: ast.ClassDef) -> set[str]:
    fields = (line.target for line in node.body if isinstance(line, ast.AnnAssign))
    return {target.id for target in fields if isinstance(target, ast.Name)}


def attributes_assigned(tree: ast.Module) -> set[str]:
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}


def names_used(tree: ast.Module) -> Iterator[str]:
    """Yield each name that a module reads or imports, and the words in its strings, such as entry points."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\w+", node.value)


def names_bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds, except names of imports and commands."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        if not any("command" in ast.unparse(decorator) for decorator in node.decorator_list):
            yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
