"""Find the names that a cell binds or looks up at module level, independently of the Python version."""

import ast
import builtins
import copy
import symtable
from collections.abc import Iterator

# In Python 3.14, symtable also lists a name that the compiler adds to modules with annotated variables.
_NOT_LOOKED_UP = {*dir(builtins), "__conditional_annotations__"}


class _AsGenerators(ast.NodeTransformer):
    """A transformer that replaces comprehensions with generator expressions.

    From Python 3.12 on, a comprehension is inlined (PEP 709), so symtable lists its variables in the
    enclosing scope. A generator expression has a separate scope in every Python version.
    """

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        return ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)


def bound_names(code: ast.Module) -> set[str]:
    """Return the names that the code binds at module level."""
    module = _table(code)
    return {
        symbol.get_name()
        for scope in _scopes(module)
        for symbol in scope.get_symbols()
        if (symbol.is_assigned() or symbol.is_imported()) and (scope is module or symbol.is_declared_global())
    }


def used_names(code: ast.Module) -> set[str]:
    """Return the names that the code looks up at module level, except builtins."""
    return {
        symbol.get_name()
        for scope in _scopes(_table(code))
        for symbol in scope.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or scope.get_type() == "module")
    } - _NOT_LOOKED_UP


def _table(code: ast.Module) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(_AsGenerators().visit(copy.deepcopy(code))), "test", "exec")


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)
