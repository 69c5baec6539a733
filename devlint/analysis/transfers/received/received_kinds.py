"""Whether a value may be what nothing moves, such as a tuple or a function: followed to where it is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.classes import instance_of
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.plain_results import is_decided_by_caller
from devlint.analysis.project.project import Project
from devlint.analysis.transfers.received.bound_in_scope import ANY_DEPTH, GivenValue
from devlint.analysis.transfers.received.received_instances import ReceivedInstances
from devlint.analysis.transfers.received.standings import Standing, inner_function
from devlint.syntax.python_tree.ast_names import names_bound_by, nodes_of_scope, parameters_of
from devlint.syntax.python_tree.nodes import dotted_text, last_name, parameters_with_defaults
from devlint.torch_api.tensor_functions import FUNCTIONAL

_DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAKERS = frozenset("tuple list dict set frozenset int float str len range zip sorted map filter enumerate".split())
_BLOCKS = ("body", "orelse", "finalbody")
_METHODS = frozenset("numpy tolist item".split())
"""Methods of tensors that give something else."""


class ReceivedKinds(ReceivedInstances):
    """Follows the values of one program to what has no ``to``."""

    def __init__(self, project: Project, module: ProjectModule) -> None:
        super().__init__(project, module)
        self._plain: list[ast.expr] = []
        self._bindings: dict[int, tuple[ast.AST, set[str], set[int]]] = {}

    def plain(self, value: ast.expr, at: Standing) -> list[ast.expr]:
        """The expressions that a value may come from and that no tensor is, and no module."""
        self._plain = []
        self.classes(value, at)
        return self._plain

    def of(self, value: ast.expr, at: Standing, depth: int = 0) -> Iterator[Definition]:
        """The classes of a value, as for instances; what no instance is of any is kept."""
        if depth == ANY_DEPTH:
            return
        if depth == 0 and self._is_plain(value, at):
            self._plain.append(value)
        yield from super().of(value, at, depth)

    def _owners(self, value: ast.expr, at: Standing) -> list[Definition]:
        kept, self._plain = self._plain, []
        found = super()._owners(value, at)
        self._plain = kept
        return found

    def _of_name(self, name: ast.Name, at: Standing, depth: int) -> Iterator[Definition]:
        """As for instances, but without what another value has replaced above the place."""
        for count in range(len(at.scopes), 0, -1):
            scope, owner = at.scopes[count - 1], at.scopes[count - 2] if count > 1 else None
            if not isinstance(scope, _FUNCTIONS):
                continue
            given = self._given_in(scope, name.id)
            is_parameter = name.id in {one.arg for one in parameters_of(scope.args)}
            if not given and not is_parameter:
                continue
            last = _last_line(scope, name)
            yield from self._given(self._reaching(scope, name, last), at.replace(scopes=at.scopes[:count]), depth)
            if is_parameter and not last and not isinstance(scope, ast.Lambda):
                cls = owner if isinstance(owner, ast.ClassDef) else None
                if cls is None or name.id != instance_of(scope):
                    yield from self._of_parameter(name.id, scope, cls, at.module, depth)
                elif depth == 0:
                    yield Definition(at.module, cls, cls.name)
            return
        if not at.scopes and self._given_in(at.module.tree, name.id):
            given = self._reaching(at.module.tree, name, _last_line(at.module.tree, name))
            yield from self._given(given, at, depth)
            return
        yield from self._of_global(name.id, at.module, depth)

    def _of_parameter(
        self, name: str, function: Function, owner: ast.ClassDef | None, module: ProjectModule, depth: int
    ) -> Iterator[Definition]:
        """As for instances, with what a parameter is by default, unless that is None: others ask for that."""
        yield from super()._of_parameter(name, function, owner, module, depth)
        defaults = {one.arg: default for one, default in parameters_with_defaults(function.args)}
        default = defaults.get(name)
        if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
            yield from self.of(default, Standing(module), depth)

    def _reaching(self, scope: ast.AST, name: ast.Name, last: int) -> list[GivenValue]:
        """What a scope gives a name from a line on, without the pieces of what is unpacked."""
        if id(scope) not in self._bindings:
            self._bindings[id(scope)] = (scope, *_added_and_assigned(scope))
        _, added, assigned = self._bindings[id(scope)]
        if name.id in added:
            return []  # ``h = 0`` and then ``h += x``
        given = (one for one in self._given_in(scope, name.id) if last <= one.value.lineno <= name.lineno)
        return [one for one in given if one.depth <= 0 or id(one.value) not in assigned]  # not of ``h, c = f()``

    def _of_attribute(self, value: ast.Attribute, at: Standing, depth: int) -> Iterator[Definition]:
        """As for instances, but for what an attribute may only begin with."""
        count = len(self._plain)
        yield from super()._of_attribute(value, at, depth)
        self._plain[count:] = [one for one in self._plain[count:] if _is_function_itself(one)]

    def _of_global(self, dotted: str, module: ProjectModule, depth: int) -> Iterator[Definition]:
        count = len(self._plain)
        yield from super()._of_global(dotted, module, depth)
        self._plain[count:] = [one for one in self._plain[count:] if _is_function_itself(one)]

    def _of_results(self, function: Function, at: Standing, depth: int) -> Iterator[Definition]:
        """As for instances, but for results that a caller chooses by what it gives: whoever calls knows.

        A loss is called wherever it comes from, be it a function or a module.
        """
        count = len(self._plain)
        yield from super()._of_results(function, at, depth)
        if is_decided_by_caller(function):
            self._plain[count:] = [one for one in self._plain[count:] if _is_function_itself(one)]

    def _is_plain(self, value: ast.expr, at: Standing) -> bool:
        if isinstance(value, (*_DISPLAYS, ast.Constant, ast.JoinedStr, ast.Lambda)):
            return True
        if isinstance(value, (ast.Name, ast.Attribute)):
            return self._is_function(value, at)
        return isinstance(value, ast.Call) and self._makes_plain(value, at)

    def _is_function(self, value: ast.expr, at: Standing) -> bool:
        """Whether a name or attribute is a function itself, or a class, of the project or of torch."""
        dotted = dotted_text(value)
        root = dotted.partition(".")[0]
        if not dotted or self._is_local(root, at):
            return bool(dotted) and inner_function(dotted, at) is not None
        if self._given_in(at.module.tree, root):
            return False  # ``Net = Net()``
        if at.module.origin(value).startswith((*FUNCTIONAL, "numpy.")):
            return True
        found = self.index.resolve(at.module, dotted)
        return found is not None and isinstance(found.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))

    def _makes_plain(self, call: ast.Call, at: Standing) -> bool:
        called, name = at.module.origin(call.func), last_name(call.func)
        if called.startswith("numpy.") or called == "functools.partial":
            return True
        if isinstance(call.func, ast.Name) and name not in at.module.bindings and not self._is_local(name, at):
            return name in _MAKERS or (name == "getattr" and self._is_module(call.args[0], at))
        return isinstance(call.func, ast.Attribute) and name in _METHODS and not call.args

    def _is_module(self, owner: ast.expr, at: Standing) -> bool:
        """Whether something is a module of the project or torch's functions: what is taken of it has no ``to``."""
        found = self.index.resolve(at.module, dotted_text(owner))
        is_own = found is not None and isinstance(found.node, ast.Module)
        return is_own or f"{at.module.origin(owner)}." in FUNCTIONAL

    def _is_local(self, name: str, at: Standing) -> bool:
        for scope in at.scopes:
            if isinstance(scope, _FUNCTIONS):
                if self._given_in(scope, name) or name in {one.arg for one in parameters_of(scope.args)}:
                    return True
        return False


def _last_line(scope: ast.AST, name: ast.Name) -> int:
    """The line of the last statement above a name that always gives it another value; or 0."""
    lines, waiting = [0], [getattr(scope, "body", [])]
    while waiting:
        block = waiting.pop()
        for one in block if isinstance(block, list) else []:
            if one.end_lineno < name.lineno and not hasattr(one, "body") and name.id in names_bound_by(one):
                lines.append(one.lineno)
            if one.lineno <= name.lineno <= one.end_lineno:
                waiting += [inner for inner in (getattr(one, kind, []) for kind in _BLOCKS) if _holds(inner, name)]
    return max(lines)


def _holds(block: list[ast.stmt], name: ast.Name) -> bool:
    return bool(block) and block[0].lineno <= name.lineno <= (block[-1].end_lineno or 0)


def _added_and_assigned(scope: ast.AST) -> tuple[set[str], set[int]]:
    """The names that a scope adds something to (``h += x``), and the ``id`` of each value that it assigns."""
    added: set[str] = set()
    assigned: set[int] = set()
    body = getattr(scope, "body", [])
    for one in nodes_of_scope(body if isinstance(body, list) else [body]):
        if isinstance(one, ast.AugAssign):
            added.update(names_bound_by(one))
        elif isinstance(one, ast.Assign):
            assigned.add(id(one.value))
    return added, assigned


def _is_function_itself(value: ast.expr) -> bool:
    """Whether something plain is a function: attributes may have begun with all else, and get a tensor later."""
    return isinstance(value, (ast.Name, ast.Attribute, ast.Lambda))
