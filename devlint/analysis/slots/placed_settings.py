"""Devices in dictionaries of settings, which the program reads where torch takes a device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import is_torch, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import entry_key, string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.slots.copied_settings import copied_names
from devlint.analysis.slots.device_arguments import makes_dict, slot_owner
from devlint.analysis.slots.placed_items import places_item, spreads_item
from devlint.analysis.slots.project_slots import called_definition
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_device


def placed_setting(ctx: FileContext, node: cst.BaseExpression) -> cst.Assign | None:
    """The statement ``settings = {"run": {"device": node}}`` of a file that places by ``settings["run"]["device"]``.

    Or it hands ``settings`` to a function of the project that does, or places by a copy. The key is given nothing else
    in the file, nor is the name but for what a test decides.
    """
    path, whole = _path_to(ctx, node)
    statement = ctx.tree.parent(whole)
    if not path or not holds_device(path[-1]) or not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0].target
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if scope is None or not isinstance(target, cst.Name):
        return None
    others = [one for one in scope.bindings[target.value] if one.node is not statement]
    if any(one.how is not How.ASSIGN or not _is_decided(ctx, one.node) for one in others):
        return None
    if any(_is_set(ctx, one) and entry_key(one) in path for one in ctx.tree.of_type(cst.Subscript)):
        return None
    return statement if _is_used(ctx, scope, target, path, not others) else None


def _is_used(ctx: FileContext, scope: Scope, name: cst.Name, path: list[str], is_sole: bool, depth: int = 3) -> bool:
    """Whether something is placed by the item of a dictionary, of a copy of it, or by a function that gets it."""
    read = [one for one in uses_of(ctx, scope, name.value) if one is not name]
    items = (_item(ctx, one, path) for one in read)
    if is_sole and any(one is not None and places_unasked(ctx, one) for one in items):
        return True
    if any(_is_handed_on(ctx, one, path) for one in read):
        return True
    copies = [one for use in read for one in copied_names(ctx, use, path)] if is_sole and depth else []
    return any(_is_used(ctx, *one, path, True, depth - 1) for one in copies)


def _is_decided(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a test decides on an assignment."""
    around = next((one for one in ctx.tree.ancestors(node) if isinstance(one, (cst.If, cst.FunctionDef))), None)
    return isinstance(around, cst.If)


def _is_handed_on(ctx: FileContext, use: cst.Name, path: list[str]) -> bool:
    """Whether a function of the project gets the whole dictionary, and places by the item."""
    arg = ctx.tree.parent(use)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(arg, cst.Arg) or not isinstance(call, cst.Call) or arg.star == "*" or runs_guarded(ctx, call):
        return False
    definition = called_definition(ctx, call.func)
    if definition is None:
        return False
    index = project_around(ctx).index
    if arg.star:
        return len(path) == 1 and spreads_item(index, definition, path[0])
    position = next(at for at, one in enumerate(call.args) if one is arg)
    if any(one.star for one in call.args[:position]):
        return False
    return places_item(index, definition, arg.keyword.value if arg.keyword else None, position, path)


def _path_to(ctx: FileContext, node: cst.BaseExpression) -> tuple[list[str], cst.BaseExpression]:
    """The keys that lead from the outermost dictionary to ``node``, and that dictionary."""
    keys: list[str] = []
    while True:
        entry = ctx.tree.parent(node)
        around = ctx.tree.parent(entry) if entry is not None else None
        key: str | None = None
        if isinstance(entry, cst.DictElement) and entry.value is node:
            key = string_value(entry.key)
        elif isinstance(entry, cst.Arg) and entry.keyword is not None and isinstance(around, cst.Call):
            key = entry.keyword.value if makes_dict(ctx, around) else None
        if key is None or not isinstance(around, (cst.Dict, cst.Call)):
            return keys, node
        keys.insert(0, key)
        node = around


def _is_set(ctx: FileContext, item: cst.Subscript) -> bool:
    """Whether an item is given a value, or deleted."""
    return isinstance(ctx.tree.parent(item), (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.Del))


def _item(ctx: FileContext, use: cst.Name, path: list[str]) -> cst.Subscript | None:
    """The ``settings["run"]["device"]`` that begins with ``use``."""
    node: cst.CSTNode = use
    for key in path:
        item = ctx.tree.parent(node)
        if not isinstance(item, cst.Subscript) or item.value is not node or entry_key(item) != key:
            return None
        node = item
    return node if isinstance(node, cst.Subscript) else None


def places_unasked(ctx: FileContext, item: cst.BaseExpression) -> bool:
    """Whether an expression is the device of a call of torch's that no test for CUDA guards."""
    arg = ctx.tree.parent(item)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    makes = isinstance(call, cst.Call) and is_torch(ctx, call.func, "device") and call.args[0] is arg
    return (makes or slot_owner(ctx, item) is not None) and not runs_guarded(ctx, item)
