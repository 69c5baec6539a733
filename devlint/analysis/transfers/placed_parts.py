"""Instances that put parts of themselves on CUDA when they are made, without asking the flag that moves them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from devlint.analysis.apis.unasked_moves import asked_around, asks_flag
from devlint.analysis.guards.questions import Guard
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import class_family, instance_of, methods_of, values_of
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.project import Index
from devlint.analysis.transfers.guarded_transfers import moves_below
from devlint.analysis.transfers.received.bound_in_scope import values_in
from devlint.analysis.transfers.received.received_classes import received_classes
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of

_MOST_CLASSES = 30
_DEPTH = 4
_REGISTER = frozenset({"Parameter", "Buffer", "register_buffer", "register_parameter"})


def has_placed_parts(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves an instance of a class of the project with parts that are on CUDA whatever the test says."""
    index = project_around(ctx).index
    classes = [cls for one in moves_below(ctx, guard.owner) for cls in received_classes(ctx, one.receiver)]
    flags = _last_names(ast.parse(f"({ctx.text_of(guard.test)})", mode="eval").body) if classes else ()
    return any(_places_parts(index, cls, frozenset(flags)) for cls in classes)


def _last_names(test: ast.expr) -> Iterator[str]:
    """The names in a test, without what only owns another: ``mode`` of ``args.mode``."""
    parts = [test, *nodes_below(test)]
    owners = {id(one.value) for one in parts if isinstance(one, ast.Attribute)}
    yield from (last_name(one) for one in parts if isinstance(one, (ast.Name, ast.Attribute)) and id(one) not in owners)


def _places_parts(index: Index, cls: Definition, flags: Collection[str]) -> bool:
    """Whether what makes the instances of a class, or a part of them, puts a part on CUDA that no such flag is for."""
    waiting, seen = [cls], dict[int, Definition]()
    while waiting and len(seen) < _MOST_CLASSES:
        one = waiting.pop()
        if id(one.node) in seen:
            continue
        seen[id(one.node)] = one
        for method in _making(index, one):
            placements = _Placements(index, one, method)
            if any(asked.isdisjoint(flags) for asked in asked_around(method.node, placements.puts_part)):
                return True
            for call in nodes_below(method.node):
                made = index.resolve(method.module, dotted_text(call.func)) if isinstance(call, ast.Call) else None
                if made is not None and isinstance(made.node, ast.ClassDef):
                    waiting.append(made)
    return False


def _making(index: Index, cls: Definition) -> Iterator[Definition]:
    """The methods that run when an instance is made: ``__init__``, and what it calls on the instance."""
    methods = [(each.module, method) for each in class_family(index, cls).classes for method in methods_of(each)]
    names = ["__init__"]
    for name in names:
        for module, method in methods:
            if method.name == name:
                yield Definition(module, method, name)
                own = (_own_method(one, instance_of(method)) for one in nodes_below(method))
                names += [one for one in dict.fromkeys(own) if one and one not in names]


def _own_method(node: ast.AST, instance: str) -> str:
    """The name of the method of the instance that is called."""
    function = node.func if isinstance(node, ast.Call) else None
    owned = isinstance(function, ast.Attribute) and dotted_text(function.value) == instance
    return last_name(function) if owned and function is not None else ""


class _Placements:
    """Which calls of a method put a part of the instance on CUDA."""

    def __init__(self, index: Index, cls: Definition, method: Definition) -> None:
        self.index, self.cls, self.module = index, cls, method.module
        self.given = values_in(method.node)
        self.instance = instance_of(method.node)  # type: ignore[arg-type]  # it is a method

    def puts_part(self, node: ast.AST) -> bool:
        """Whether a node is such a call; of tensors, only of those that the module registers."""
        if not isinstance(node, ast.Call):
            return False
        if last_name(node.func) in _REGISTER:
            named = (one for part in nodes_below(node) for one in self.given.get(dotted_text(part), ()))
            parts = [*nodes_below(node), *(below for one in named for below in nodes_below(one.value))]
            calls = [one for one in parts if isinstance(one, ast.Call)]
            return any(self._is_made_there(one) or self._moves(one) is not None for one in calls)
        moved = self._moves(node)
        if moved is not None:
            return self._is_part(moved, _DEPTH)
        return self.module.origin(node.func).startswith("torch.nn.") and self._is_made_there(node)

    def _is_made_there(self, call: ast.Call) -> bool:
        return any(one.arg == "device" and self._is_cuda(one.value, _DEPTH) for one in call.keywords)

    def _moves(self, call: ast.Call) -> ast.expr | None:
        """What a call moves to CUDA."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        devices = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "device")]
        goes = name == "cuda" or (name == "to" and any(self._is_cuda(one, _DEPTH) for one in devices))
        return call.func.value if goes and isinstance(call.func, ast.Attribute) else None

    def _is_part(self, value: ast.expr, depth: int) -> bool:
        """Whether a value may be a module: what no function has made."""
        if isinstance(value, ast.Call):
            return last_name(value.func)[:1].isupper() and not _makes_tensor(self.module.origin(value.func))
        dotted = dotted_text(value)
        given = [one.value for one in self.given.get(dotted, ()) if value not in nodes_below(one.value)]
        if not given or not depth:
            return bool(dotted)
        return any(self._is_part(one, depth - 1) for one in given)

    def _is_cuda(self, value: ast.expr, depth: int) -> bool:
        """Whether a device is CUDA, at least where torch has it, whatever a flag says."""
        dotted = dotted_text(value)
        given = [one.value for one in self.given.get(dotted, ())] if dotted else []
        if not given and dotted and dotted == f"{self.instance}.{last_name(value)}":
            family = class_family(self.index, self.cls).classes
            given = [one for cls in family for _, one in values_of(cls, last_name(value))]
        if given:
            return depth > 0 and any(self._is_cuda(one, depth - 1) for one in given)
        return _is_cuda(self.index, self.module, value, depth)


def _makes_tensor(origin: str) -> bool:
    """Whether a class of torch is one of tensors, which a module does not move with itself: ``torch.LongTensor``."""
    return origin.startswith("torch.") and (origin.endswith("Tensor") or origin == "torch.autograd.Variable")


def _is_cuda(index: Index, module: ProjectModule, value: ast.expr, depth: int) -> bool:
    """Whether a device that no function has a name for is CUDA."""
    if dotted := dotted_text(value):
        found = index.resolve(module, dotted)
        sole = found.module.sole_value(found.name) if found is not None else None
        return found is not None and sole is not None and depth > 0 and _is_cuda(index, found.module, sole, depth - 1)
    called = index.resolve(module, dotted_text(value.func)) if isinstance(value, ast.Call) else None
    if called is not None and isinstance(called.node, ast.FunctionDef):
        returned = [one.value for one in nodes_below(called.node) if isinstance(one, ast.Return)]
        return depth > 0 and any(_is_cuda(index, called.module, one, depth - 1) for one in returned if one is not None)
    parts = nodes_below(value)
    texts = (text_of(one) or "" for one in parts)
    return any(one.partition(":")[0] == "cuda" for one in texts) and not any(map(asks_flag, parts))
