"""Questions about single nodes of Python's own syntax tree."""

from __future__ import annotations

import _ast as ast

_NO_NODES = frozenset("arg asname attr conversion ctx id is_async kind level module op ops simple type_comment".split())
"""Fields that hold no nodes, or such as are the same object everywhere."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type of nodes that may hold others."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = () if kind is ast.Constant else kind._fields
        found = self[kind] = tuple(name for name in fields if name not in _NO_NODES)
        return found


FIELDS = _Fields()


def dotted_text(node: ast.AST) -> str:
    """``a.b.c`` for a name or an attribute of one; empty for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def root_name(node: ast.AST) -> str:
    """``a`` of ``a.b.c``; empty for any other expression."""
    while node.__class__ is ast.Attribute:
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.AST) -> str:
    """``c`` of ``a.b.c`` and of ``f(x).c``; ``""`` for what is no name and no attribute."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def text_of(node: ast.AST | None) -> str | None:
    """The value of a string constant."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def begin_of_text(node: ast.AST) -> str:
    """What a text that is put together begins with: ``models.`` of ``"models." + name``; empty for anything else."""
    while node.__class__ in (ast.BinOp, ast.JoinedStr, ast.Call):
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            node = node.func.value
        else:
            return ""
    return text_of(node) or ""


def plain_text(node: ast.expr) -> str | None:
    """The value of a string constant that is written in one piece, with no prefix and nothing escaped."""
    text = text_of(node)
    if text is None or node.end_col_offset is None or node.lineno != node.end_lineno:
        return None
    return text if node.end_col_offset - node.col_offset <= len(text) + 2 else None


def nodes_below(root: ast.AST) -> list[ast.AST]:
    """A node and all nodes in it, as ``ast.walk`` gives them, in a third of the time."""
    found = [root]
    add = found.append
    for node in found:  # which grows meanwhile
        for name in FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                for child in value:
                    if isinstance(child, ast.AST):
                        add(child)
            elif isinstance(value, ast.AST):
                add(value)
    return found


def parameters_with_defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """The parameters of a function that have names of their own, each with its default."""
    plain = [*arguments.posonlyargs, *arguments.args]
    without: list[None] = [None] * (len(plain) - len(arguments.defaults))
    return [*zip(plain, (*without, *arguments.defaults)), *zip(arguments.kwonlyargs, arguments.kw_defaults)]


def names_of_import(statement: ast.Import | ast.ImportFrom) -> list[str]:
    """The full names that an import may mean modules by."""
    names = [alias.name for alias in statement.names]
    if isinstance(statement, ast.Import):
        return names
    start = "." * statement.level + (statement.module or "")
    return [start, *(f"{start}{'' if start.endswith('.') else '.'}{name}" for name in names)]


def arguments(call: ast.Call) -> list[ast.expr]:
    """All that a call is given, by position and by keyword."""
    return [*call.args, *(one.value for one in call.keywords)]
