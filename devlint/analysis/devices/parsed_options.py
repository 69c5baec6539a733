"""Values that are what the parser of a file returned, wherever they have been handed on."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_by_name, is_set_elsewhere, is_target
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.given_arguments import Given, Rank, given_arguments, given_to_instances
from devlint.analysis.names.program_options import holds_parsed_options
from devlint.analysis.names.resolution import attributes_named, bindings
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.calls import function_calls_elsewhere
from devlint.syntax.file_context import FileContext


def are_parsed_options(ctx: FileContext, node: cst.BaseExpression | None) -> bool:
    """Whether the file's own parser returned a value: a call, a name of what it gave, ``self.args``, a parameter."""
    return _Options(ctx).are_parsed(node)


def is_called_here_only(ctx: FileContext, param: cst.Param) -> bool:
    """Whether no other file calls the function of a parameter; a script that is in no project is not imported."""
    function = next(up for up in ctx.tree.ancestors(param) if isinstance(up, cst.FunctionDef))
    owner = class_of(ctx, function) if function.name.value == "__init__" else None
    project = project_around(ctx)
    if project.root is None and is_script(ctx):
        return True
    return function_calls_elsewhere(project, (owner or function).name.value) == []


def values_given_to(ctx: FileContext, attribute: str) -> list[cst.BaseExpression] | None:
    """What the file assigns to an attribute of this name, of whatever object; None where nobody knows."""
    found: list[cst.BaseExpression] = []
    for one in attributes_named(ctx, attribute):
        target = ctx.tree.parent(one)
        statement = ctx.tree.parent(target) if isinstance(target, cst.AssignTarget) else target
        if isinstance(statement, (cst.Assign, cst.AnnAssign)) and statement.value is not one:
            found += [statement.value] if statement.value is not None else []
        elif is_target(ctx, one):
            return None
    return found


class _Options:
    """One question; names that are asked for already are taken for options until something else shows."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self._asked: set[tuple[int, str]] = set()

    def are_parsed(self, owner: cst.BaseExpression | None) -> bool:
        if isinstance(owner, cst.Call):
            return self._gives_options(owner)
        if isinstance(owner, cst.Attribute):
            return self._are_kept(owner)
        if not isinstance(owner, cst.Name) or holds_parsed_options(self.ctx, owner):
            return isinstance(owner, cst.Name)
        scope, found = bindings(self.ctx, owner.value, owner)
        if scope is None or (id(scope), owner.value) in self._asked:
            return scope is not None
        self._asked.add((id(scope), owner.value))
        if all(one.how is How.ASSIGN for one in found):
            return all(isinstance(one.value, cst.Call) and self.are_parsed(one.value) for one in found)
        param = found[0].node if len(found) == 1 else None
        if not isinstance(param, cst.Param) or not is_called_here_only(self.ctx, param):
            return False
        given: list[Given] | None = given_arguments(self.ctx, param) or given_to_instances(self.ctx, param)
        return bool(given) and all(not isinstance(one, Rank) and self.are_parsed(one) for one in given or ())

    def _are_kept(self, owner: cst.Attribute) -> bool:
        """Whether options are all that an instance keeps under a name: ``self.args`` of ``self.args = args``."""
        method, definition = method_of(self.ctx, owner), class_of(self.ctx, owner)
        if method is None or definition is None or dotted_name(owner.value) != self_name(method):
            return False
        attribute = owner.attr.value
        values = values_given_to(self.ctx, attribute)
        if not values or is_set_by_name(self.ctx, attribute) or is_set_elsewhere(self.ctx, definition, attribute):
            return False
        return all(isinstance(one, cst.Name) and self.are_parsed(one) for one in values)

    def _gives_options(self, call: cst.Call) -> bool:
        """Whether a call is of a function of this file that returns them: ``args = parse_option()``."""
        if isinstance(call.func, cst.Attribute):
            return call.func.attr.value == "parse_args"
        _, found = bindings(self.ctx, call.func.value, call) if isinstance(call.func, cst.Name) else (None, [])
        function = found[0].node if len(found) == 1 else None
        if not isinstance(function, cst.FunctionDef) or function.decorators:
            return False
        here = scopes(self.ctx).opened_by(function)
        returned = [one for one in self.ctx.tree.below(function.body) if isinstance(one, cst.Return)]
        own = [one.value for one in returned if scopes(self.ctx).scope_of(one) is here]
        return bool(own) and all(self.are_parsed(one) for one in own)
