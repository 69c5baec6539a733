"""Whether what a function sends to other processes is certainly not on a GPU: ``pool.map(rank, zip(scores, ids))``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.module import Function, ProjectModule
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below, root_name

_GIVES = frozenset("cpu item keys numpy tolist".split())
"""Methods whose result is on the CPU, whatever they are of."""
_COUNTS = frozenset("int float len range str".split())
_KEEPS = frozenset("enumerate list reversed set sorted tuple zip".split())
_PUTS_IN = frozenset("add append extend insert setdefault update".split())
_ARRAYS = frozenset({"json", "math", "numpy", "scipy"})
"""Libraries whose functions give nothing that is on a GPU."""


class SentValues:
    """What a function gives its names; a name is on the CPU if all that it is given, and that is put into it, is."""

    def __init__(self, module: ProjectModule, function: Function | ast.Module) -> None:
        self._module = module
        self._nodes = nodes_below(function)
        self._own = {one.id for one in self._nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        self._asked: set[str] = set()

    def on_cpu(self, value: ast.expr) -> bool:
        """Whether a value is certainly no tensor on a GPU, and holds none."""
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            return all(map(self.on_cpu, value.elts))
        if isinstance(value, (ast.Subscript, ast.Starred)):
            return self.on_cpu(value.value)
        if isinstance(value, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            return self.on_cpu(value.elt)
        if isinstance(value, ast.BinOp):
            return self.on_cpu(value.left) and self.on_cpu(value.right)
        if isinstance(value, ast.Call):
            return self._made(value)
        return isinstance(value, ast.Name) and self._name(value.id)

    def _made(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute):
            root = root_name(call.func)
            return call.func.attr in _GIVES or (root not in self._own and library_of(self._module, root) in _ARRAYS)
        name = dotted_text(call.func)
        if name in self._own:
            return False
        return name in _COUNTS or (name in _KEEPS and not call.keywords and all(map(self.on_cpu, call.args)))

    def _name(self, name: str) -> bool:
        if name in self._asked:
            return True
        self._asked.add(name)
        values = list(self._values(name))
        return bool(values) and all(one is not None and self.on_cpu(one) for one in values)

    def _values(self, name: str) -> Iterator[ast.expr | None]:
        """What a name of the function is given, and what is put into it; None for what nobody follows."""
        found = {id(one) for one in self._nodes if isinstance(one, ast.Name) and one.id == name and _stores(one)}
        for node in self._nodes:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                if isinstance(target, (ast.Subscript, ast.Attribute)) and _root(target) == name:
                    yield getattr(node, "value", None)
                if id(target) in found:
                    found.remove(id(target))
                    yield node.iter if isinstance(node, (ast.For, ast.comprehension)) else getattr(node, "value", None)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS_IN:
                if _root(node.func) == name:
                    yield from node.args
        yield from (None for _ in found)


def _root(target: ast.expr) -> str:
    """The name that an item, or an item of an item, is of."""
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def library_of(module: ProjectModule, name: str) -> str:
    """The library that a name of a module is imported from; empty for all else."""
    found = module.bindings.get(name, ())
    return found[0].origin.partition(".")[0] if len(found) == 1 and found[0].alias is not None else ""


def _stores(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)
