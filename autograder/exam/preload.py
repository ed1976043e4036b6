"""Collect the modules that plain assignments import. The sandbox imports them once for all submissions.

The modules are collected from the instructor's notebooks. The course's settings can list more modules, or
turn off the collection from notebooks:

    c.Secant.preload = ["scipy.stats"]
    c.Secant.preload_learnt = False
"""

import ast
import site
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from traitlets.config import Config

from autograder.course.errors import CourseError
from autograder.course.plain import is_plain, notebooks, python_of, read_instructors_notebook
from autograder.sandbox.visible import extra_packages

MAX_MODULES = 24  # maximum number of modules collected from the notebooks
_MAX_SETTING = 100  # maximum number of modules that a course's settings may list
_MAX_NAME_CHARS = 200  # maximum number of characters of a module's name
_OWN_PACKAGES = frozenset({"autograder", "secant"})


def modules_to_preload(root: Path, names: Iterable[str], config: Config, source: str = "source") -> list[str]:
    """Return the modules to import before any submission runs, starting with those in the settings.

    Args:
        root: the course directory.
        names: the assignments to grade. Lessons among them are ignored.
        config: the settings of the course.
        source: the folder of the instructor's notebooks.

    Raises:
        CourseError: a setting has the wrong type, or lists too many modules.
    """
    chosen_modules, collects_imports = _settings(config)
    folders = [root / source / name for name in names if is_plain(root, name, source)]
    if not folders:
        return []
    modules = imported_modules(folders) if collects_imports else []
    return list(dict.fromkeys([*chosen_modules, *modules]))


def imported_modules(folders: Iterable[Path]) -> list[str]:
    """Return the installed modules that the notebooks in these folders import.

    Modules of the standard library are skipped, because they import quickly. Modules next to a notebook are
    also skipped, because they may differ between students.

    Args:
        folders: the folders of the instructor's notebooks.

    Returns:
        At most `MAX_MODULES` modules, starting with those that most notebooks import.
    """
    counts: Counter[str] = Counter()
    for folder in folders:
        for path in notebooks(folder):
            modules = _find_imports(_sources(path))
            counts.update(sorted(module for module in modules if not _is_local(folder, module)))
    return [module for module, _ in counts.most_common(MAX_MODULES)]


def preload_warnings(refusals: Mapping[str, str]) -> list[str]:
    """Return a warning for each module that could not be preloaded.

    Args:
        refusals: the reasons why modules could not be preloaded, keyed by module name; see `Wall.preload`.
    """
    return [
        f"The module {module} was not imported in advance, so submissions import it themselves: {reason}."
        for module, reason in refusals.items()
    ]


def _settings(config: Config) -> tuple[list[str], bool]:
    """Return the modules listed in the course's settings, and whether to collect more from the notebooks.

    Raises:
        CourseError: a setting has the wrong type, or lists too many modules.
    """
    section = config.get("Secant", {})
    chosen_modules, collects_imports = section.get("preload", []), section.get("preload_learnt", True)
    if not isinstance(chosen_modules, list | tuple | set) or not all(map(_is_name, chosen_modules)):
        raise CourseError('c.Secant.preload is a list of modules, such as ["pandas", "scipy.stats"].')
    if len(chosen_modules) > _MAX_SETTING:
        raise CourseError(f"c.Secant.preload has {len(chosen_modules)} modules; it may have {_MAX_SETTING}.")
    if not isinstance(collects_imports, bool):
        raise CourseError("c.Secant.preload_learnt is True or False.")
    return list(chosen_modules), collects_imports


def _is_name(module: object) -> bool:
    if not isinstance(module, str) or len(module) > _MAX_NAME_CHARS:
        return False
    return all(part.isidentifier() for part in module.split("."))


def _sources(path: Path) -> Iterator[str]:
    """Yield the code cells of a notebook. If the file cannot be read, yield nothing.

    The error is reported later by the examiner.
    """
    with suppress(Exception):
        yield from (cell.source for cell in read_instructors_notebook(path).cells if cell.cell_type == "code")


def _find_imports(sources: Iterable[str]) -> set[str]:
    """Return the installed modules that cells import outside of functions and classes."""
    modules: set[str] = set()
    for source in sources:
        # skips cells that do not parse, such as stubs
        with suppress(SyntaxError, ValueError, RecursionError):
            tree = ast.parse(python_of(source))
            modules.update(module for node in tree.body for module in _modules(node) if module)
    return modules


def _modules(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Import(names):
            yield from (_longest_installed(alias.name) for alias in names)
        case ast.ImportFrom(str(module), names, 0):
            yield from (_longest_installed(f"{module}.{alias.name}") for alias in names)


@cache
def _longest_installed(dotted_name: str) -> str:
    """Return the longest prefix of a dotted name that is an installed module, without importing anything.

    The result is empty if no prefix is installed, or if the module belongs to the standard library or Secant.
    """
    top, *parts = dotted_name.split(".")
    if top in _OWN_PACKAGES or top in sys.stdlib_module_names:
        return ""
    spec = PathFinder.find_spec(top, _folders())
    if spec is None:
        return ""
    prefix = top
    for part in parts:
        spec = _find_submodule(spec, f"{prefix}.{part}")
        if spec is None:
            break
        prefix = f"{prefix}.{part}"
    return prefix


def _find_submodule(package: ModuleSpec, name: str) -> ModuleSpec | None:
    locations = package.submodule_search_locations
    return PathFinder.find_spec(name, list(locations)) if locations else None


def _folders() -> Sequence[str]:
    """Return the folders of installed packages that are also visible inside the sandbox."""
    package_folders = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    site_folders = site.getsitepackages() if hasattr(site, "getsitepackages") else []
    return list(dict.fromkeys([*package_folders, *site_folders, *extra_packages()]))


def _is_local(folder: Path, module: str) -> bool:
    top = module.partition(".")[0]
    return (folder / top).exists() or any(folder.glob(f"{top}.*"))
