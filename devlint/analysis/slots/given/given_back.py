"""Functions of a project that never give None back."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devlint.analysis.project.module import Definition
from devlint.analysis.project.project import Project
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below

_DEPTH = 4
"""How many names are followed."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SOMETHING = (ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set)
_KEEP_ITEMS = frozenset({"reverse", "sort"})


def result_is_never_none(project: Project, path: str, call: ast.Call) -> bool:
    """Whether a call in a file of the project is of a function of the project that gives something back each time."""
    module = project.index.module(path)
    name = dotted_text(call.func)
    if module is None or len(module.bindings.get(name.partition(".")[0], ())) != 1:
        return False
    found = project.index.resolve(module, name)
    return found is not None and _is_sole(found) and _gives_something(found.node)


def _is_sole(found: Definition) -> bool:
    """Whether its module binds the function's name once."""
    name = found.node.name if isinstance(found.node, ast.FunctionDef) else ""
    return len(found.module.bindings.get(name, ())) == 1


def _gives_something(function: ast.AST) -> bool:
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or not _ends(function.body):
        return False
    inside = _Inside(tuple(_own_nodes(function)), tuple(one.arg for one in _parameters(function)))
    if any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)) for one in inside.nodes):
        return False
    given = [one.value for one in inside.nodes if isinstance(one, ast.Return)]
    return bool(given) and all(inside.is_something(one) for one in given)


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [one for one in nodes_below(function.args) if isinstance(one, ast.arg)]


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, but not what is in the functions and classes in it."""
    for one in ast.iter_child_nodes(node):
        yield one
        if not isinstance(one, (*_FUNCTIONS, ast.ClassDef)):
            yield from _own_nodes(one)


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing runs on below a block."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.With):
        return False  # what it enters may swallow an error
    if isinstance(last, ast.Try):
        blocks = [last.orelse or last.body, *(one.body for one in last.handlers)]
        return all(map(_ends, blocks)) or _ends(last.finalbody)
    return isinstance(last, (ast.Return, ast.Raise))


class _Inside(Record):
    """What a function does with its names."""

    nodes: tuple[ast.AST, ...]
    parameters: tuple[str, ...]

    def is_something(self, value: ast.expr | None, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly not None."""
        if isinstance(value, ast.IfExp):
            return self.is_something(value.body, depth) and self.is_something(value.orelse, depth)
        if isinstance(value, ast.Call):
            return last_name(value.func) == "device"
        if isinstance(value, ast.Constant):
            return value.value is not None
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            return depth > 0 and not isinstance(value.slice, ast.Slice) and self._items(value.value.id, depth - 1)
        if isinstance(value, ast.Name):
            values = self._assigned(value.id)
            return depth > 0 and bool(values) and all(self.is_something(one, depth - 1) for one in values)
        return isinstance(value, _SOMETHING)

    def _assigned(self, name: str) -> list[ast.expr]:
        """All that a name is bound to; nothing where it is bound by anything but plain assignments."""
        if name in self.parameters:
            return []
        named = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == name]
        bound = sum(not isinstance(one.ctx, ast.Load) for one in named)
        assigns = [one for one in self.nodes if isinstance(one, ast.Assign) and len(one.targets) == 1]
        values = [one.value for one in assigns if isinstance(one.targets[0], ast.Name) and one.targets[0].id == name]
        others = any(name in (getattr(one, "name", None), getattr(one, "asname", None)) for one in self.nodes)
        inner = [one for one in self.nodes if isinstance(one, (*_FUNCTIONS, ast.ClassDef))]
        hidden = any(isinstance(one, ast.Name) and one.id == name for each in inner for one in nodes_below(each))
        return values if bound == len(values) and not others and not hidden else []

    def _items(self, name: str, depth: int) -> bool:
        """Whether a list of the function's own holds nothing but what is not None."""
        lists = self._assigned(name)
        if not lists or not all(isinstance(one, ast.List) for one in lists):
            return False
        items = [item for one in lists if isinstance(one, ast.List) for item in one.elts]
        known = {id(one) for one in self.nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        for one in self.nodes:
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load):
                known.add(id(one.value))
            elif isinstance(one, (ast.Return, ast.IfExp)):
                known.update(id(part) for part in ast.iter_child_nodes(one))
            elif isinstance(one, ast.Call):
                known.update(self._kept(one, name, items))
        named = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == name]
        return all(id(one) in known for one in named) and all(self.is_something(one, depth) for one in items)

    def _kept(self, call: ast.Call, name: str, items: list[ast.expr]) -> list[int]:
        """The mention of a list by a call that adds to it, orders it or counts its items; what it adds is noted."""
        if dotted_text(call.func) == "len":
            return list(map(id, call.args))
        if not isinstance(call.func, ast.Attribute) or dotted_text(call.func.value) != name or call.keywords:
            return []
        if call.func.attr == "append":
            items.extend(call.args)
        return [id(call.func.value)] if call.func.attr in _KEEP_ITEMS or call.func.attr == "append" else []
