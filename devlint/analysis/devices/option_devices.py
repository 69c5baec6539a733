"""Devices that the program's options hold: ``args.device``, where the file uses it as one."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.used_devices import accelerator_devices, is_asked_otherwise, names_used_as_device
from devlint.analysis.devices.which_device import MAY_BE_NONE, DeviceValue
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.main_part import is_bound_by_main_part
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.reaching_definitions import certainly_bound, is_read_beside, is_used_anyway
from devlint.analysis.names.resolution import (
    attributes_named,
    bindings,
    implies_not_none,
    is_none,
    origin,
    reads_named,
    targets_named,
    uses_of,
)
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.classes import imported_family, is_none_by_default
from devlint.analysis.project.mentions import is_imported
from devlint.analysis.slots.argument_devices import is_always_given_name
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options, is_plainly_device, looks_like_device


def device_of_options(ctx: FileContext, scope: Scope, at: cst.CSTNode) -> tuple[str, DeviceValue] | None:
    """``args.device`` where ``args`` is a name of ``scope`` and the file uses it as a device, or made it one above."""
    used = ctx.fact(_used_attributes)
    for dotted in (*used, *ctx.fact(_assigned_attributes)):
        root = dotted.partition(".")[0]
        if root not in scope.bindings:
            continue
        found = scope.bindings[root]
        if any(one.how in (How.LOOP, How.IMPORT) for one in found) or root in ("self", "cls"):
            continue
        if scopes(ctx).binder(root, at) is not scope or not is_bound(ctx, root, scope, at, found):
            continue
        if not holds_options(root) or any(_is_left_out(ctx, one, at) for one in found):
            continue
        if any(
            is_asked_otherwise(ctx, one)
            for one in attributes_named(ctx, dotted.rpartition(".")[2])
            if dotted_name(one) == dotted
        ):
            continue
        if dotted in used and _set_before(ctx, dotted, at):
            if _is_of_others(ctx, dotted, scope) or _is_of_another_function(ctx, dotted, scope):
                continue
            caveat = f"`{dotted}` {MAY_BE_NONE}" if may_lack_device(ctx, dotted, at) else option_caveat(ctx, dotted)
            return dotted, DeviceValue(None, index=_card_of_option(ctx, dotted), caveat=caveat)
        value = _given_above(ctx, dotted, at) if dotted not in used and len(found) == 1 else None
        if value is not None:
            return dotted, value
    return None


def _is_of_others(ctx: FileContext, dotted: str, scope: Scope) -> bool:
    """Whether a function's options need not be those whose device the file uses: other files call it with theirs.

    ``args.device`` of the main part, which never calls the function, says nothing about what other files give it.
    """
    root, function = dotted.partition(".")[0], scope.node
    if not isinstance(function, cst.FunctionDef) or any(one.how is not How.PARAMETER for one in scope.bindings[root]):
        return False
    if ctx.tree.parent(function) is not ctx.module or reads_named(ctx, function.name.value):
        return False
    owners = [scopes(ctx).binder(root, one) for one in reads_named(ctx, root) if _is_within(ctx, one, dotted)]
    return not any(
        owner is not None and any(one.how is How.PARAMETER for one in owner.bindings[root]) for owner in owners
    )


def _is_of_another_function(ctx: FileContext, dotted: str, scope: Scope) -> bool:
    """Whether a function gets its options itself, and only others that do so, too, use their device.

    What ``train`` does with ``cfg = load(…)`` says nothing of ``test``, which has asked no option where it runs.
    """
    root = dotted.partition(".")[0]
    if scope is scopes(ctx).module or any(one.how is How.PARAMETER for one in scope.bindings[root]):
        return False
    if dotted in accelerator_devices(ctx):  # each of a program has the same
        return False
    reads = (one for one in reads_named(ctx, root) if _is_within(ctx, one, dotted))
    owners = [owner for owner in (scopes(ctx).binder(root, one) for one in reads) if owner is not None]
    return not any(owner is scope or any(one.how is How.PARAMETER for one in owner.bindings[root]) for owner in owners)


def _is_within(ctx: FileContext, root: cst.Name, dotted: str) -> bool:
    """Whether a name is the first of a dotted one: the ``args`` of ``args.device``."""
    return any(dotted_name(up) == dotted for _, up in zip(range(dotted.count(".")), ctx.tree.ancestors(root)))


def _is_left_out(ctx: FileContext, binding: Binding, at: cst.CSTNode) -> bool:
    """Whether options are a parameter that is None by default, and nothing says that they are given at ``at``."""
    if not isinstance(binding.node, cst.Param) or not is_none(binding.node.default):
        return False
    name = binding.node.name.value
    for child, parent in ctx.tree.path_up(at):
        if isinstance(parent, (cst.If, cst.IfExp)) and child is parent.body and implies_not_none(parent.test, name):
            return False
    return not is_used_anyway(ctx, name, at)


def may_lack_device(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether ``context.device`` is None by default: the class that annotates ``context``, of another file, says so."""
    owner, _, attribute = dotted.rpartition(".")
    for one in bindings(ctx, owner, at)[1] if owner.isidentifier() else ():
        param = one.node if isinstance(one.node, cst.Param) else None
        named = origin(ctx, param.annotation.annotation) if param is not None and param.annotation is not None else None
        family = imported_family(project_around(ctx), named) if named is not None else None
        if family is not None and is_none_by_default(family, attribute):
            return True
    return False


def _used_attributes(ctx: FileContext) -> list[str]:
    """Attributes that look like a device and are used as one, and the device of each ``Accelerator()``."""
    used = {one for one in names_used_as_device(ctx) if "." in one and is_plainly_device(one.rpartition(".")[2])}
    return sorted(used | accelerator_devices(ctx))


def _assigned_attributes(ctx: FileContext) -> list[str]:
    """Attributes that look like a device and are assigned by the file, which uses them as none."""
    found = {dotted_name(one.target) or "" for one in ctx.tree.of_type(cst.AssignTarget)} - names_used_as_device(ctx)
    return sorted(one for one in found if "." in one and looks_like_device(one.rpartition(".")[2]))


def _given_above(ctx: FileContext, dotted: str, at: cst.CSTNode) -> DeviceValue | None:
    """The device that an attribute certainly got above ``at`` in the same function, and nowhere else another."""
    assign = _sole_assignment(ctx, dotted)
    lines = statements_above(ctx, at, scopes(ctx).function_of(at) or ctx.module)
    if assign is None or not any(one is ctx.tree.parent(assign) for one in lines):
        return None
    return _gpu(ctx, assign)


def device_of_given_options(ctx: FileContext, at: cst.CSTNode) -> tuple[str, DeviceValue] | None:
    """``args.device`` in a function whose callers in the file all give it the ``args`` of which they set the device."""
    function = scopes(ctx).function_of(at)
    scope = scopes(ctx).opened_by(function) if isinstance(function, cst.FunctionDef) else None
    for dotted in ctx.fact(_assigned_attributes) if scope is not None else ():
        root, _, _ = dotted.partition(".")
        found = scope.bindings.get(root, ()) if scope is not None and holds_options(root) else ()
        value = _given_by_callers(ctx, dotted, found[0]) if len(found) == 1 else None
        if value is not None:
            return dotted, value
    return None


def _given_by_callers(ctx: FileContext, dotted: str, binding: Binding) -> DeviceValue | None:
    """The device that an attribute of options got above all calls of a function, which are given these options."""
    assign, param, table = _sole_assignment(ctx, dotted), binding.node, scopes(ctx)
    if assign is None or not isinstance(param, cst.Param) or table.scope_of(param) is table.scope_of(assign):
        return None
    function, owner = table.scope_of(param).node, table.binder(param.name.value, assign)
    if not isinstance(function, cst.FunctionDef) or owner is None or not is_always_given_name(ctx, param, owner):
        return None
    if any(ctx.span(one.node).start > ctx.span(assign).start for one in owner.bindings[param.name.value]):
        return None
    for call in uses_of(ctx, table.module, function.name.value):
        lines = statements_above(ctx, call, table.function_of(call) or ctx.module)
        if not any(one is ctx.tree.parent(assign) for one in lines):
            return None
    return _gpu(ctx, assign) if not is_imported(project_around(ctx)) else None


def _sole_assignment(ctx: FileContext, dotted: str) -> cst.Assign | None:
    """The one assignment of an attribute in a file, alone on its line."""
    target, *others = targets_named(ctx, dotted)
    assign = ctx.tree.parent(target)
    return assign if not others and isinstance(assign, cst.Assign) else None


def _gpu(ctx: FileContext, assign: cst.Assign) -> DeviceValue | None:
    """What an assignment gives, if that is CUDA where there is CUDA."""
    value = device_value(ctx, assign.value)
    return value if value is not None and value.cuda and value.caveat is None else None


def _set_before(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether no assignment to ``args.device`` in the same function comes only after ``at``."""
    table = scopes(ctx)
    here = table.function_of(at)
    rows = [target for target in targets_named(ctx, dotted) if table.function_of(target) is here]
    return not rows or ctx.span(rows[0]).start < ctx.span(at).start


def option_caveat(ctx: FileContext, dotted: str, at: cst.CSTNode | None = None) -> str | None:
    """Why an option may not be a GPU where the program used one: its default is not CUDA.

    An assignment says that it may be; with ``at`` only one to what the name means there.
    """
    root, binder = dotted.partition(".")[0], scopes(ctx).binder
    targets = targets_named(ctx, dotted)
    if any(at is None or binder(root, one) is binder(root, at) for one in targets):
        return None
    if dotted in accelerator_devices(ctx):
        return None
    for option in program_options(ctx):
        if option.of_parser and option.destination == dotted.rpartition(".")[2]:
            value = device_value(ctx, option.default.value) if option.default is not None else None
            if value is None or not value.cuda:
                return f"`{dotted}` is not a GPU by default"
    return f"`{dotted}` may be the CPU where there is CUDA, too" if may_be_cpu_by_choice(ctx, dotted) else None


def _card_of_option(ctx: FileContext, dotted: str) -> str | None:
    """The card that an option names by its default, ``default="cuda:1"``, or that the file sets it to."""
    name = dotted.rpartition(".")[2]
    assigns = [ctx.tree.parent(one) for one in targets_named(ctx, dotted)]
    given = [device_value(ctx, one.value) for one in assigns if isinstance(one, cst.Assign)]
    if given:
        return next((one.index for one in given if one is not None and one.index is not None), None)
    defaults = [one.default for one in program_options(ctx) if one.of_parser and one.destination == name]
    values = [device_value(ctx, one.value) for one in defaults if one is not None]
    return next((one.index for one in values if one is not None), None) if not targets_named(ctx, dotted) else None


def may_be_cpu_by_choice(ctx: FileContext, dotted: str) -> bool:
    """Whether another file chooses the CPU for another reason than CUDA: to keep data out of the GPU's memory."""
    given = set_from_outside(project_around(ctx), dotted.rpartition(".")[2])
    return any(one.chooses_cpu for one in given or ())


def is_bound(ctx: FileContext, name: str, scope: Scope, at: cst.CSTNode, by: list[Binding]) -> bool:
    """Whether a name is certainly bound at ``at`` by one of these; in a function it is what that function reads."""
    if certainly_bound(ctx, name, scope, at, by):
        return True
    if scope is not scopes(ctx).module or len(by) != len(scope.bindings[name]):
        return False
    return is_read_beside(ctx, name, at) or _is_bound_by_program(ctx, at, by)


def _is_bound_by_program(ctx: FileContext, at: cst.CSTNode, by: list[Binding]) -> bool:
    """Whether the main part of a script, which no other file imports, binds a name before it calls a function."""
    return is_bound_by_main_part(ctx, at, by) and not is_imported(project_around(ctx))
