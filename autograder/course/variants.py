"""Recorded answers that are written as changes to the methods of another answer's class."""

import ast

from autograder.course.cells import without_marks


def variant(base: str, changes: str) -> str:
    """Return an answer in which members of its class are replaced with those of the same name in `changes`.

    Args:
        base: the answer to start from.
        changes: code that defines a class of the same name with only the members that differ. Members that
            the answer's class lacks are added to it. Code before or after the class in `changes` is put
            before or after the whole answer.

    Raises:
        ValueError: `base` or `changes` is not valid Python, or they do not define a class of the same name.
    """
    old, new = without_marks(base).splitlines(), changes.splitlines()
    new_class = next((definition for definition in _classes(changes)), None)
    old_class = next(
        (
            definition
            for definition in _classes("\n".join(old))
            if new_class and definition.name == new_class.name
        ),
        None,
    )
    if new_class is None or old_class is None:
        raise ValueError("both need a class of the same name")
    members = {_name(member): _lines(member, new) for member in new_class.body}
    old_names = {_name(member) for member in old_class.body}
    added_lines = [line for name in members if name not in old_names for line in ("", *members[name])]
    end = _span(old_class)[1]
    old[end:end] = added_lines
    for member in reversed(old_class.body):
        first, last = _span(member)
        old[first:last] = members.get(_name(member), old[first:last])
    first, last = _span(new_class)
    return "\n".join([*new[:first], *old, *new[last:]])


def _classes(source: str) -> list[ast.ClassDef]:
    try:
        return [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    except SyntaxError as error:
        raise ValueError(f"its line {error.lineno} is not Python: {error.msg}") from error


def _name(member: ast.stmt) -> str:
    """Return a method's name, or the code of any other statement in a class."""
    return member.name if isinstance(member, ast.FunctionDef) else ast.unparse(member)


def _lines(node: ast.stmt, source: list[str]) -> list[str]:
    first, last = _span(node)
    return source[first:last]


def _span(node: ast.stmt) -> tuple[int, int]:
    """Return a statement's span: the index of its first line, decorators included, and the index after it."""
    starts = [node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]
    return min(starts) - 1, node.end_lineno or node.lineno
