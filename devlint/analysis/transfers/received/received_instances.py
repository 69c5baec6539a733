"""Of which classes of the project a value may be an instance: through lists, loops, attributes and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.classes import class_family, defined_method, instance_of, methods_of
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Project
from devlint.analysis.transfers.received.bound_in_scope import ANY_DEPTH, GivenValue, KnownValues, elements_below
from devlint.analysis.transfers.received.callers import callers
from devlint.analysis.transfers.received.chosen_classes import (
    classes_with_cuda_alone,
    entries_of_table,
    is_chosen_by_name,
    is_context_manager,
)
from devlint.analysis.transfers.received.displays import displayed, named_entries
from devlint.analysis.transfers.received.standings import Standing, calls_with_scopes, given_by_call, inner_function
from devlint.syntax.python_tree import collection_words as words
from devlint.syntax.python_tree.ast_names import nodes_of_scope, parameters_of
from devlint.syntax.python_tree.nodes import dotted_text, last_name

_MOST_STEPS = 200


class ReceivedInstances:
    """Follows the values of one program."""

    def __init__(self, project: Project, module: ProjectModule) -> None:
        self.project, self.index, self.module = project, project.index, module
        self._seen: dict[tuple[int, int], ast.expr] = {}
        self._values = module.fact(KnownValues)
        self._known: dict[int, tuple[ast.expr, list[Definition]]] = {}
        self._parameters: dict[tuple[int, str], tuple[Function, list[tuple[ast.expr, Standing]]]] = {}
        """These keep their nodes, whose ``id`` another could have once the index forgets the tree."""

    def classes(self, value: ast.expr, at: Standing) -> list[Definition]:
        """The classes that a value may be an instance of, as far as it can be followed."""
        self._seen, self._steps = {}, 0
        return [*self.of(value, at)]

    def _owners(self, value: ast.expr, at: Standing) -> list[Definition]:
        """The classes of what has an attribute or a method; none where they are asked for meanwhile."""
        if id(value) not in self._known:
            self._known[id(value)] = (value, [])
            seen, self._seen = self._seen, {}
            self._known[id(value)] = (value, [*self.of(value, at)])
            self._seen = seen
        return self._known[id(value)][1]

    def _given_in(self, scope: ast.AST, dotted: str) -> list[GivenValue]:
        return self._values.of(scope).get(dotted, [])

    def of(self, value: ast.expr, at: Standing, depth: int = 0) -> Iterator[Definition]:
        """The classes of a value, or of what is in it: in 1 of its elements, in ``ANY_DEPTH`` anywhere."""
        self._steps += 1
        if (id(value), depth) in self._seen or self._steps > _MOST_STEPS:
            return
        self._seen[id(value), depth] = value
        if isinstance(value, ast.Name):
            yield from self._of_name(value, at, depth)
        elif isinstance(value, ast.Attribute):
            yield from self._of_attribute(value, at, depth)
        elif isinstance(value, ast.Call):
            yield from self._of_call(value, at, depth)
        elif isinstance(value, ast.Subscript):
            yield from self._all([value.value], at, min(depth + 1, ANY_DEPTH))
        elif isinstance(value, ast.IfExp):
            yield from self._all([value.body, value.orelse], at, depth)
        elif isinstance(value, ast.BoolOp):
            yield from self._all(value.values, at, depth)
        elif isinstance(value, (ast.NamedExpr, ast.Await)):
            yield from self.of(value.value, at, depth)
        elif depth:
            yield from self._of_display(value, at, depth)

    def _all(self, values: Iterable[ast.expr], at: Standing, depth: int) -> Iterator[Definition]:
        for one in values:
            yield from self.of(one, at, depth)

    def _of_display(self, value: ast.expr, at: Standing, depth: int) -> Iterator[Definition]:
        for one in displayed(value):
            if isinstance(one, ast.Starred):
                yield from self.of(one.value, at, depth)
                continue
            for below in elements_below(depth):
                yield from self.of(one, at, below)

    def _given(self, given: Iterable[GivenValue], at: Standing, depth: int) -> Iterator[Definition]:
        for one in given:
            for inner in elements_below(depth) if one.depth < 0 else (min(depth + one.depth, ANY_DEPTH),):
                yield from self.of(one.value, at, inner)

    def _of_name(self, name: ast.Name, at: Standing, depth: int) -> Iterator[Definition]:
        for count in range(len(at.scopes), 0, -1):
            scope, owner = at.scopes[count - 1], at.scopes[count - 2] if count > 1 else None
            if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                continue
            given = self._given_in(scope, name.id)
            is_parameter = name.id in {one.arg for one in parameters_of(scope.args)}
            if not given and not is_parameter:
                continue
            yield from self._given(given, at.replace(scopes=at.scopes[:count]), depth)
            if is_parameter and not isinstance(scope, ast.Lambda):
                cls = owner if isinstance(owner, ast.ClassDef) else None
                if cls is None or name.id != instance_of(scope):
                    yield from self._of_parameter(name.id, scope, cls, at.module, depth)
                elif depth == 0:
                    yield Definition(at.module, cls, cls.name)
            return
        yield from self._of_global(name.id, at.module, depth)

    def _of_parameter(
        self, name: str, function: Function, owner: ast.ClassDef | None, module: ProjectModule, depth: int
    ) -> Iterator[Definition]:
        """What the calls of a function, in this file and in others, give to a parameter of it."""
        for given, at in self._arguments(name, function, owner, module):
            yield from self.of(given, at, depth)

    def _arguments(
        self, name: str, function: Function, owner: ast.ClassDef | None, module: ProjectModule
    ) -> list[tuple[ast.expr, Standing]]:
        """What calls give to a parameter, found once; nothing more where it is asked for meanwhile."""
        if (id(function), name) in self._parameters:
            return self._parameters[id(function), name][1]
        found: list[tuple[ast.expr, Standing]] = []
        self._parameters[id(function), name] = (function, found)
        cls = owner.name if owner is not None else ""
        called = cls if function.name == "__init__" and cls else function.name
        for one in callers(self.project, called, module, self.module):
            for call, scopes in one.fact(calls_with_scopes).get(called, ()):
                given, at = given_by_call(call, function, name, owner is not None), Standing(one, scopes)
                if given is not None and self._is_call_of(call, at, module.path, cls or function.name):
                    found.append((given, at))
        return found

    def _is_call_of(self, call: ast.Call, at: Standing, path: str, name: str) -> bool:
        """Whether a call is one of the function or class of this name of a file, or of a method of that class."""
        found = self.index.resolve(at.module, dotted_text(call.func))
        owners = [found] if found is not None else []
        if found is None and isinstance(call.func, ast.Attribute):
            owners = self._owners(call.func.value, at)
        if found is None or isinstance(found.node, ast.ClassDef):
            owners = [each for one in owners for each in class_family(self.index, one).classes]
        return any(one.module.path == path and one.name == name for one in owners)

    def _of_global(self, dotted: str, module: ProjectModule, depth: int) -> Iterator[Definition]:
        given = self._given_in(module.tree, dotted)
        if given:
            yield from self._given(given, Standing(module), depth)
            return
        found = self.index.resolve(module, dotted) if "." in dotted or dotted in module.bindings else None
        if found is not None and found.module is not module and isinstance(found.node, ast.stmt):
            yield from self._given(self._given_in(found.module.tree, found.name), Standing(found.module), depth)

    def _of_attribute(self, value: ast.Attribute, at: Standing, depth: int) -> Iterator[Definition]:
        dotted = dotted_text(value)
        for scope in (*at.scopes[::-1], at.module.tree) if dotted else ():
            given = self._given_in(scope, dotted)
            inner = at.scopes[: at.scopes.index(scope) + 1] if scope in at.scopes else ()
            yield from self._given(given, at.replace(scopes=inner), depth)
        if dotted and self.index.resolve(at.module, dotted) is not None:
            yield from self._of_global(dotted, at.module, depth)
            return
        for owner in self._owners(value.value, at):
            for cls in class_family(self.index, owner).classes:
                yield from self._given(self._given_in(cls.node, value.attr), Standing(cls.module, (cls.node,)), depth)
                for method in methods_of(cls):
                    given = self._given_in(method, f"{instance_of(method)}.{value.attr}")
                    yield from self._given(given, Standing(cls.module, (cls.node, method)), depth)

    def _of_call(self, call: ast.Call, at: Standing, depth: int) -> Iterator[Definition]:
        function, name = call.func, getattr(call.func, "attr", getattr(call.func, "id", ""))
        first, is_known = call.args[:1], self.index.resolve(at.module, dotted_text(function)) is not None
        if is_known:
            yield from self._of_called(function, at, depth)
        elif name in words.PAIRS and depth:
            yield from self._all([*first, named_entries(call)], at, ANY_DEPTH)
        elif name in words.COLLECTIONS and depth or name == "deepcopy":
            yield from self._all(first, at, depth)
        elif name in words.JOINED and depth:
            yield from self._all(call.args, at, ANY_DEPTH)
        elif name == "next":
            yield from self._all(first, at, min(depth + 1, ANY_DEPTH))
        elif name == "DataLoader" and depth:
            for one in call.keywords:
                if one.arg == "collate_fn":
                    yield from self._of_called(one.value, at, depth - 1)
        elif isinstance(function, ast.Attribute) and (name in words.SAME or (name in words.WALKED and depth)):
            yield from self.of(function.value, at, depth)
        elif isinstance(function, ast.Attribute) and name in words.ELEMENTS:
            yield from self.of(function.value, at, min(depth + 1, ANY_DEPTH))
        else:
            yield from self._of_called(function, at, depth)

    def _of_called(self, function: ast.expr, at: Standing, depth: int) -> Iterator[Definition]:
        """What a call of a class or a function gives."""
        dotted = dotted_text(function)
        inner = inner_function(dotted, at)
        found = self.index.resolve(at.module, dotted) if dotted and inner is None else None
        if inner is not None:
            yield from self._of_results(inner, at, depth)
        elif found is not None and isinstance(found.node, ast.ClassDef):
            yield from self._of_instance(Definition(found.module, found.node, found.name), depth)
        elif found is not None and isinstance(found.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from self._of_results(found.node, Standing(found.module), depth)
        elif found is None and isinstance(function, ast.Attribute):
            for owner in self._owners(function.value, at):
                yield from self._of_method(owner, function.attr, depth)
        if found is None or isinstance(found.node, ast.Assign):
            for value in [function, *self._bound_to(function, at)]:
                yield from self._of_chosen(value, at, depth)

    def _bound_to(self, function: ast.expr, at: Standing) -> Iterator[ast.expr]:
        """What a name that is called is given: a class under another name, an entry of a table, a lambda."""
        name = function.id if isinstance(function, ast.Name) else ""
        for scope in (*at.scopes[::-1], at.module.tree) if name else ():
            yield from (one.value for one in self._given_in(scope, name) if one.depth == 0)

    def _of_chosen(self, function: ast.expr, at: Standing, depth: int) -> Iterator[Definition]:
        """What a call gives of what the program chooses at run time: any class with a ``cuda`` and no ``to``."""
        called = last_name(function.func) if isinstance(function, ast.Call) else ""
        if isinstance(function, ast.Lambda):
            yield from self.of(function.body, at, depth)
        elif isinstance(function, ast.IfExp):
            for one in (function.body, function.orelse):
                yield from self._of_called(one, at, depth)
        elif called == "partial" and isinstance(function, ast.Call):
            for one in function.args[:1]:
                yield from self._of_called(one, at, depth)
        elif entries := entries_of_table(self.index, at.module, function):
            for module, one in entries:
                yield from self._of_called(one, Standing(module), depth)
        elif depth == 0 and is_chosen_by_name(function, [*self._bound_to(getattr(function, "value", function), at)]):
            yield from classes_with_cuda_alone(self.project, self.module)
        elif isinstance(function, ast.Call):
            yield from self._of_returned(function, at, depth)

    def _of_returned(self, call: ast.Call, at: Standing, depth: int) -> Iterator[Definition]:
        """What a call gives of what a function of the project returns: ``get_loss(name)(options)``."""
        dotted = dotted_text(call.func)
        found = self.index.resolve(at.module, dotted) if dotted else None
        if found is None or not isinstance(found.node, ast.FunctionDef) or (id(call), -1) in self._seen:
            return
        self._seen[id(call), -1] = call
        around = Standing(found.module, (found.node,))
        for node in nodes_of_scope(found.node.body):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from self._of_called(node.value, around, depth)

    def _of_instance(self, cls: Definition, depth: int) -> Iterator[Definition]:
        if depth == 0:
            yield cls
            return
        for name in words.ASKED_FOR_ELEMENTS:
            yield from self._of_method(cls, name, depth if name == "__iter__" else depth - 1)

    def _of_method(self, cls: Definition, name: str, depth: int) -> Iterator[Definition]:
        family = class_family(self.index, cls)
        method = defined_method(family, name)
        if method is None or not isinstance(method.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        owner = next(one.node for one in family.classes if method.node in one.node.body)  # type: ignore[attr-defined]
        yield from self._of_results(method.node, Standing(method.module, (owner,)), depth)

    def _of_results(self, function: Function, at: Standing, depth: int) -> Iterator[Definition]:
        """What a function returns, or a generator yields."""
        around, is_manager = at.replace(scopes=(*at.scopes, function)), is_context_manager(function)
        for node in nodes_of_scope(function.body):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from self.of(node.value, around, depth)
            elif isinstance(node, ast.Yield) and node.value is not None and (depth or is_manager):
                for below in (depth,) if is_manager else elements_below(depth):
                    yield from self.of(node.value, around, below)
