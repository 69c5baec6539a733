"""What functions of the project make that loads a state as torch's own do: ``build_model(options)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.checkpoints.handed_states import hands_on
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import ClassFamily, class_family, defined_method, is_pythons
from devlint.analysis.project.module import Definition, ProjectModule, statements_of_scope
from devlint.analysis.project.overrides import WAYS
from devlint.analysis.project.project import Index
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below, root_name
from devlint.torch_api.module_makers import MAKES_MODULES
from devlint.torch_api.moves import RETURNS_MODULE

_MOST_CALLS = 3
"""Through how many functions what is returned is followed."""


def called_on(value: cst.BaseExpression) -> cst.BaseExpression:
    """What methods that return their module are called on: ``net`` of ``net.to(device).eval()``."""
    while (
        isinstance(value, cst.Call)
        and isinstance(value.func, cst.Attribute)
        and value.func.attr.value in RETURNS_MODULE
    ):
        value = value.func.value
    return value


def is_made_by_project(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is what a function of the project returns, which makes a module or an optimizer."""
    value = called_on(value)
    called = (origin(ctx, value.func) or dotted_name(value.func) or "") if isinstance(value, cst.Call) else ""
    index, module = project_around(ctx).index, own_module(ctx)
    if "." in called:
        return gives_module(index, project_around(ctx).imported(called))
    if not called or module is None or scopes(ctx).binder(called, value) is not scopes(ctx).module:
        return False
    return gives_module(index, index.resolve(module, called))


def gives_module(index: Index, found: Definition | None, calls: int = _MOST_CALLS) -> bool:
    """Whether a call of what a name stands for gives a module or an optimizer that copies a state as torch's do."""
    if found is None or calls == 0 or len(found.module.bindings.get(found.name, ())) != 1:
        return False
    if isinstance(found.node, ast.ClassDef):
        return copies_as_torch_does(class_family(index, found))
    if not isinstance(found.node, ast.FunctionDef) or found.node.decorator_list:
        return False
    function = _Maker(index, found.module, found.node, calls)
    returned = [one.value for one in function.statements if isinstance(one, ast.Return)]
    makes = [one is not None and function.makes_module(one) for one in returned]
    return bool(makes) and all(makes) and not function.yields


def copies_as_torch_does(family: ClassFamily) -> bool:
    """Whether a class of another file is an nn.Module that has no way of its own to load a state, or hands it on."""
    whole = defined_method(family, WAYS[0])
    if whole is not None and all(map(is_pythons, family.others)):
        return isinstance(whole.node, ast.FunctionDef) and hands_on(whole.node)
    is_torchs = bool(family.others) and all(one.startswith(("torch.nn.", "torch.optim.")) for one in family.others)
    hands = whole is None or (isinstance(whole.node, ast.FunctionDef) and hands_on(whole.node))
    return is_torchs and hands and defined_method(family, WAYS[1]) is None


class _Maker:
    """A function that may return what it makes."""

    def __init__(self, index: Index, module: ProjectModule, node: ast.FunctionDef, calls: int) -> None:
        self.index = index
        self.module = module
        self.calls = calls
        self.statements = list(statements_of_scope(node.body))
        self.yields = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes_below(node))
        self._given = [name for one in nodes_below(node) for name in _names_given(one)]

    def makes_module(self, value: ast.expr, itself: str = "") -> bool:
        """Whether an expression of the function is a new module, or a name that has nothing else."""
        while (
            isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in RETURNS_MODULE
        ):
            value = value.func.value
        if isinstance(value, ast.Name):
            return value.id == itself or self._is_always_module(value.id)
        if not isinstance(value, ast.Call):
            return False
        called, dotted = value.func, dotted_text(value.func)
        if isinstance(called, ast.Call) and dotted_text(called.func) == "getattr":  # getattr(torch.optim, name)(…)
            return bool(called.args) and f"{self._origin(called.args[0])}.".startswith(MAKES_MODULES)
        if self._origin(called).startswith(MAKES_MODULES):
            return True
        if not dotted or root_name(called) in self._given:
            return False
        return gives_module(self.index, self.index.resolve(self.module, dotted), self.calls - 1)

    def _origin(self, node: ast.expr) -> str:
        return "" if root_name(node) in self._given else self.module.origin(node)

    def _is_always_module(self, name: str) -> bool:
        """Whether all that the function gives to one of its names is a module."""
        assigns = [one for one in self.statements if isinstance(one, ast.Assign)]
        values = [one.value for one in assigns if len(one.targets) == 1 and dotted_text(one.targets[0]) == name]
        is_known = bool(values) and self._given.count(name) == len(values)
        return is_known and all(self.makes_module(one, name) for one in values)


def _names_given(node: ast.AST) -> Iterator[str]:
    """The names to which a node gives a value, or which it is itself."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs)):
        yield node.name or ""
