"""Tests of the search for names that a cell binds and uses; all Python versions must find the same names."""

import ast

import pytest

from autograder.build.scopes import bound_names, used_names


@pytest.mark.parametrize(
    ("source", "bound", "used"),
    [
        ("_y = [x for x in a]", "_y", "a"),
        ("_y = {x for x in a} | {1: x for x in b}", "_y", "a b"),
        ("_y = [[y for y in x] for x in a]", "_y", "a"),
        ("_y = [x for x in a], x", "_y", "a x"),
        ("x = 1\n_y = {x: z for x in a}", "x _y", "a z"),
        ("print(_y := x for x in a)", "_y", "a"),
        ("[_y := x for x in a]", "_y", "a"),
        ("def _f():\n    return [x for x in a if x in b]", "_f", "a b"),
        ("def _f():\n    global g\n    g = {x: x for x in a}", "_f g", "a"),
        ("def _f(x):\n    def _g():\n        nonlocal x\n        x = [x for x in a]", "_f", "a"),
        ("class _A(B):\n    z = [x for x in a]\n    def m(self):\n        return z", "_A", "B a z"),
        ("_f = lambda x: [x for y in a]", "_f", "a"),
        ("def _f(x: T = d) -> R: ...", "_f", "R T d"),
        ("if a:\n    x: T = 1", "x", "T a"),
        ("for i in a:\n    k += i", "i k", "a i"),
        ("import a.b as c, d.e\nfrom m import n as o", "c d o", ""),
        ("try:\n    a\nexcept E as e:\n    pass", "e", "E a"),
        ("match a:\n    case [b, *c]: pass\n    case {'k': d, **e}: pass", "b c d e", "a"),
    ],
)
def test_names_that_a_cell_binds_and_uses_are_found(source: str, bound: str, used: str) -> None:
    code = ast.parse(source)
    assert bound_names(code) == set(bound.split())
    assert used_names(code) == set(used.split())
    assert ast.unparse(code) == ast.unparse(ast.parse(source))  # the search leaves the syntax tree unchanged
