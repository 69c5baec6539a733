"""Flags that may get another value after a device was built from them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import entry_key, string_value
from devlint.analysis.owners.named_at_run_time import set_by_any_name
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_by_instances, set_from_outside
from devlint.analysis.project.classes import inherits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options

_STATES = frozenset("__getstate__ __setstate__ __reduce__ __reduce_ex__ __copy__ __deepcopy__".split())
_LITERALS = (cst.Integer, cst.Float, cst.SimpleString)
_TARGETS = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor, cst.AsName, cst.Del)


def sole_assignment(ctx: FileContext, flag: str, family: Collection[cst.ClassDef]) -> cst.Assign | None:
    """What gives an attribute (``self.use_cuda``) of the classes of a family its only value.

    None where it may have another later: one that begins as a constant is there to be set, by other code of this file
    or by another file. What classes that are not of the family do to their own instances does not count.
    """
    attribute = flag.rpartition(".")[2]
    targets = [one for one in attributes_named(ctx, attribute) if is_target(ctx, one)]
    own = [one for one in targets if not _is_of_others(ctx, one, family)]
    assign = ctx.tree.parent(ctx.tree.parent(own[0]) or own[0]) if own else None
    if not isinstance(assign, cst.Assign) or dotted_name(own[0]) != flag or is_literal(assign.value):
        return None
    settling = settles_none(ctx, assign)
    if not all(_gives_the_same(ctx, one, assign) or _is_in(ctx, one, settling) for one in own[1:]):
        return None
    return None if is_set_by_name(ctx, attribute) else assign


def settles_none(ctx: FileContext, assign: cst.Assign) -> cst.If | None:
    """The ``if self.flag is None: self.flag = …`` right below what assigns a flag, which then has its value."""
    flag, line = dotted_name(assign.targets[0].target), ctx.tree.parent(assign)
    block = ctx.tree.parent(line) if line is not None else None
    body = statements(block) if isinstance(block, cst.IndentedBlock) else ()
    below = next((two for one, two in pairwise(body) if one is line), None)
    if flag is None or not isinstance(below, cst.If) or below.orelse is not None:
        return None
    test, inner = below.test, statements(below.body)
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or dotted_name(test.left) != flag:
        return None
    asked = test.comparisons[0]
    if not isinstance(asked.operator, cst.Is) or dotted_name(asked.comparator) != "None" or len(inner) != 1:
        return None
    again = inner[0].body[0] if isinstance(inner[0], cst.SimpleStatementLine) and len(inner[0].body) == 1 else None
    if not isinstance(again, cst.Assign) or len(again.targets) != 1 or is_literal(again.value):
        return None
    return below if dotted_name(again.targets[0].target) == flag else None


def _is_in(ctx: FileContext, node: cst.CSTNode, block: cst.CSTNode | None) -> bool:
    return block is not None and ctx.tree.is_around(block, node)


def _gives_the_same(ctx: FileContext, target: cst.Attribute, first: cst.Assign) -> bool:
    """Whether a statement of the same method gives an attribute once more the parameter that ``first`` gave it."""
    again, given = ctx.tree.parent(ctx.tree.parent(target) or target), first.value
    if not isinstance(again, cst.Assign) or not isinstance(given, cst.Name) or not again.value.deep_equals(given):
        return False
    scope = scopes(ctx).scope_of(first)
    bound = scope.bindings.get(given.value, [])
    return scopes(ctx).scope_of(again) is scope and [one.how for one in bound] == [How.PARAMETER]


def _is_of_others(ctx: FileContext, target: cst.Attribute, family: Collection[cst.ClassDef]) -> bool:
    """Whether a method of a class that is not of the family sets an attribute of its own instance.

    Or somebody one of the options of the program, which are another object.
    """
    if holds_options((dotted_name(target.value) or "").rpartition(".")[2]):
        return True
    definition, method = class_of(ctx, target), method_of(ctx, target)
    if definition is None or method is None or any(one is definition for one in family):
        return False
    return isinstance(target.value, cst.Name) and target.value.value == self_name(method)


def is_set_by_name(ctx: FileContext, attribute: str) -> bool:
    """Whether ``setattr`` or ``__dict__`` may set an attribute somewhere in the file."""
    return not ctx.fact(_set_by_name).isdisjoint({attribute, None})


def is_literal(value: cst.BaseExpression | None) -> bool:
    """Whether a value is written as a constant: ``False``, ``-1``, ``""``."""
    if isinstance(value, cst.UnaryOperation):
        return is_literal(value.expression)
    return isinstance(value, _LITERALS) or (isinstance(value, cst.Name) and value.value in ("True", "False", "None"))


def attribute_targets(ctx: FileContext, dotted: str) -> list[cst.Attribute]:
    """The attributes, written so, that statements give a value, or delete: ``args.cuda &= …``."""
    named = attributes_named(ctx, dotted.rpartition(".")[2])
    return [one for one in named if dotted_name(one) == dotted and is_target(ctx, one)]


def is_target(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an attribute or an entry is a target of a statement, alone or among others."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, _TARGETS):
            return child is not getattr(parent, "value", None) and child is not getattr(parent, "iter", None)
        if not isinstance(parent, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
            return False
    return False


def _set_by_name(ctx: FileContext) -> frozenset[str | None]:
    """The attributes that ``setattr`` and ``__dict__`` set; None where it may be any."""
    found: set[str | None] = set()
    for call in ctx.tree.of_type(cst.Call):
        called = dotted_name(call.func) or ""
        if called == "setattr" and len(call.args) == 3:
            found.add(string_value(call.args[1].value))
        elif called.endswith(".__dict__.update"):
            found.add(None)
    for one in ctx.tree.of_type(cst.AssignTarget):
        if isinstance(one.target, cst.Subscript) and _is_state(ctx, one.target):
            found.add(entry_key(one.target))
    return frozenset(found)


def _is_state(ctx: FileContext, entry: cst.Subscript) -> bool:
    """Whether a dictionary is that of the attributes of an instance, or becomes one where it is copied or pickled."""
    method, owner = method_of(ctx, entry), dotted_name(entry.value) or ""
    is_made = isinstance(entry.value, cst.Call) and dotted_name(entry.value.func) == "vars"
    return is_made or owner.endswith(".__dict__") or (method is not None and method.name.value in _STATES)


def is_set_elsewhere(ctx: FileContext, definition: cst.ClassDef, attribute: str) -> bool:
    """Whether another file of the project may set an attribute of the instances of a class, or nobody knows.

    Options of a program are another object: ``opt.gpu_ids`` is not ``self.gpu_ids``.
    """
    project = project_around(ctx)
    owners = {one.owner.rpartition(".")[2] for one in set_by_any_name(project)} - {"self"}
    if not all(map(holds_options, owners)):
        return True
    outside, by_heirs = set_from_outside(project, attribute), set_by_instances(project, attribute)
    if outside is None or by_heirs is None:
        return True
    if any(not holds_options(one.owner.rpartition(".")[2]) for one in outside):
        return True
    name = definition.name.value
    return any(one.in_class and inherits(project, one.in_class, one.path, name) for one in by_heirs)
