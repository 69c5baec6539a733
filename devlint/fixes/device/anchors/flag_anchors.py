"""Where a device can be built from a flag: right after the statements that give the flag its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile

import libcst as cst

from devlint.analysis.apis.forked_processes import is_made_before_fork
from devlint.analysis.apis.placed_before_fork import asks_before_fork
from devlint.analysis.apis.visible_devices import sets_visible_devices, visible_devices_set_after
from devlint.analysis.devices.device_conditions import is_handed_on
from devlint.analysis.devices.parsed_options import are_parsed_options
from devlint.analysis.guards.changing_flags import attribute_targets, is_literal, is_set_by_name
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.option_flags import is_constant, set_without_asking
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.control_flow import block_path, is_main_guard, statements
from devlint.analysis.names.program_options import may_lack_option
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import reads_named, targets_named
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.owners.changed_since import has_changed
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.fixes.device.anchors.first_use import near_use
from devlint.fixes.device.anchors.flag_changes import after_changes, item_targets
from devlint.fixes.device.anchors.flag_setters import below_setters, global_setter
from devlint.fixes.device.anchors.later_changes import changes_later
from devlint.fixes.device.anchors.local_flag_anchor import is_flag_of_all
from devlint.fixes.device.anchors.placement import Anchor, function_start, outermost_function, runs_before
from devlint.syntax.file_context import FileContext


def flag_anchor(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> Anchor | None:
    """The place right after the flags of ``condition``, if they decide at ``at``; None where they may not."""
    best: Anchor | None = None
    for dotted in sorted(condition.names):
        root = dotted.partition(".")[0]
        scope = _giver(ctx, dotted, scopes(ctx).binder(root, at))
        if scope is None or not certainly_bound_or_read(ctx, dotted, scope, at):
            return None
        if not _is_known_here(ctx, dotted, scope, at):
            return None
        if any(one.how is How.IMPORT for one in scope.bindings[root]):
            return None
        anchor = _after_flag(ctx, condition, dotted, scope, at)
        if anchor is None:
            return None
        if best is None or _is_later(ctx, anchor, best):
            best = anchor
    if best is None or not has_changed(ctx, condition.text, best.statement, at):
        return best
    own = _in_function(ctx, at) if isinstance(best.scope.node, cst.Module) else None
    return own if own is not None and not has_changed(ctx, condition.text, own.statement, at) else None


def _giver(ctx: FileContext, dotted: str, scope: Scope | None) -> Scope | None:
    """The module where a flag is a parameter that a script only ever gives its own variable, else ``scope``.

    One device is then enough for ``def train(net, use_cuda)`` and ``def test(net, use_cuda)``.
    """
    root, module = dotted.partition(".")[0], scopes(ctx).module
    if scope is None or not is_script(ctx) or not module.bindings.get(root) or not scope.is_function:
        return scope
    changed = (
        any(scopes(ctx).binder(root, one) is scope for one in attribute_targets(ctx, dotted))
        if "." in dotted
        else False
    )
    if changed or _is_sole_user(ctx, root, scope):
        return scope
    return module if is_handed_on(ctx, root, module, scope, dotted) else scope


def _is_sole_user(ctx: FileContext, root: str, function: Scope) -> bool:
    """Whether nothing but one function uses CUDA, and the main part binds the flag: it need not define a device."""
    bound = scopes(ctx).module.bindings[root]
    if not all(any(map(is_main_guard, ctx.tree.ancestors(one.node))) for one in bound):
        return False
    return all(outermost_function(ctx, one) is function.node for one in cuda_mentions(ctx))


def _is_known_here(ctx: FileContext, dotted: str, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether an attribute of a parameter is one that the same class, or the same function, uses itself.

    ``self.use_gpu`` of another class, or ``args.cuda`` of another function's ``args``, need not exist here.
    """
    root = dotted.partition(".")[0]
    if "." not in dotted or all(one.how is not How.PARAMETER for one in scope.bindings[root]):
        return True
    method = method_of(ctx, at)
    definition = class_of(ctx, at) if method is not None and self_name(method) == root else None
    where = definition if definition is not None else scope.node
    return any(isinstance(node, cst.Attribute) and dotted_name(node) == dotted for node in ctx.tree.below(where))


def _is_later(ctx: FileContext, one: Anchor, other: Anchor) -> bool:
    return ctx.span(one.statement).start > ctx.span(other.statement).start


def certainly_bound_or_read(ctx: FileContext, dotted: str, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether a flag's name is bound at ``at``, or its function relies on that anyway by reading it."""
    root = dotted.partition(".")[0]
    if certainly_bound(ctx, root, scope, at):
        return True
    function = scopes(ctx).function_of(at)
    if function is None or scopes(ctx).opened_by(function) is scope:
        return False
    return any(True for _ in _reads(ctx, function, dotted))


def _reads(ctx: FileContext, function: cst.FunctionDef, dotted: str) -> Iterator[cst.CSTNode]:
    """Where a function reads a name, or an attribute by its full name; ``cuda`` of ``x.cuda()`` is none."""
    owners = ctx.tree.below(function) if "." in dotted else reads_named(ctx, dotted)
    return (one for one in owners if dotted_name(one) == dotted and ctx.tree.is_around(function, one))


def _changes(ctx: FileContext, found: Sequence[Binding]) -> Sequence[Binding]:
    """The bindings of a name that may change it: the first, where all give it True, or all False, as cells repeat."""
    first = found[0].value if found else None
    if first is None or not is_constant(first):
        return found
    same = all(one.value is not None and ctx.text_of(one.value) == ctx.text_of(first) for one in found)
    return found[:1] if same else found


def _after_flag(ctx: FileContext, condition: Condition, dotted: str, scope: Scope, at: cst.CSTNode) -> Anchor | None:
    """The place after the last statement of ``scope`` that gives the flag its value."""
    root = dotted.partition(".")[0]
    nodes = [one.node for one in _changes(ctx, scope.bindings[root]) if one.how is not How.PARAMETER]
    nodes += [*_attribute_targets(ctx, dotted, scope), *item_targets(ctx, condition.text, dotted, scope)]
    scope = global_setter(ctx, root, nodes, at) or scope
    own = [node for node in nodes if scopes(ctx).scope_of(node) is scope]
    if len(own) < len(nodes):
        return None
    if any(isinstance(up, (cst.For, cst.While)) for node in own for up in _within(ctx, node, scope)):
        return _in_loop(ctx, own, scope, root, at) if is_flag_of_all(ctx, condition, at) else None
    if (
        isinstance(scope.node, cst.Module)
        and not is_script(ctx)
        and _is_for_functions(ctx, condition, scope, dotted, at)
    ):
        return _in_function(ctx, at)
    if not own:
        start = function_start(ctx, scope.node, at) if isinstance(scope.node, cst.FunctionDef) else None
        return near_use(ctx, below_setters(ctx, dotted, start, at), at) if start is not None else None
    anchor = _after_all(ctx, own, scope)
    if anchor is None:
        return None
    if "." in dotted or f"{dotted}[" in condition.text:
        anchor = after_changes(ctx, anchor, root)
    if "." in dotted and may_lack_option(ctx, dotted.rpartition(".")[2]):
        return _in_function(ctx, at) if isinstance(scope.node, cst.Module) else near_use(ctx, anchor, at)
    if isinstance(scope.node, cst.Module) and changes_later(ctx, condition.text, dotted, scope, anchor.statement):
        return _in_function(ctx, at)
    return anchor if runs_before(ctx, anchor, at) or _under_main_guard(ctx, anchor, dotted, at) else None


def _in_function(ctx: FileContext, at: cst.CSTNode) -> Anchor | None:
    """The place for a device of the function around ``at``."""
    function = outermost_function(ctx, at)
    return near_use(ctx, function_start(ctx, function, at), at) if function is not None else None


def _in_loop(ctx: FileContext, nodes: Sequence[cst.CSTNode], scope: Scope, root: str, at: cst.CSTNode) -> Anchor | None:
    """The place in a loop's body below what gives a flag its value there each time, if all of CUDA is below that."""
    for child, block in ctx.tree.path_up(at):
        loop = ctx.tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
        if not isinstance(loop, (cst.For, cst.While)) or scopes(ctx).scope_of(loop) is not scope:
            continue
        body = statements(block)
        giving = [one for one in body if any(ctx.tree.is_around(one, node) for node in nodes)]
        if not giving or block is not loop.body:
            continue
        if not all(isinstance(one, cst.SimpleStatementLine) for one in giving):
            return None
        anchor = after_changes(ctx, Anchor(scope, giving[-1]), root)
        function = outermost_function(ctx, at)
        uses = (one for one in cuda_mentions(ctx) if outermost_function(ctx, one) is function)
        return anchor if all(runs_before(ctx, anchor, one) for one in uses) and child not in giving else None
    return None


def _is_for_functions(ctx: FileContext, condition: Condition, scope: Scope, dotted: str, at: cst.CSTNode) -> bool:
    """Whether a library's device is built in its functions: another file may set the flag, or CUDA is asked for."""
    bound = scope.bindings[dotted.partition(".")[0]]
    begins_as_constant = all(one.how is How.ASSIGN and is_literal(one.value) for one in bound)
    if begins_as_constant or set_without_asking(ctx, dotted, at) or f"{dotted}[" in condition.text:
        return True
    return "." in dotted and _may_be_set_later(ctx, bound, dotted)


def _may_be_set_later(ctx: FileContext, bound: Sequence[Binding], dotted: str) -> bool:
    """Whether another file may set an attribute of what a module makes: one of an object, or one that some file sets.

    The command line has said what it says once the module is imported.
    """
    attribute = dotted.rpartition(".")[2]
    if is_set_by_name(ctx, attribute) or set_from_outside(project_around(ctx), attribute) != []:
        return True
    return not targets_named(ctx, dotted) and not all(are_parsed_options(ctx, one.value) for one in bound)


def _within(ctx: FileContext, node: cst.CSTNode, scope: Scope) -> Iterator[cst.CSTNode]:
    """The nodes around ``node`` that belong to the scope's own code."""
    for up in ctx.tree.ancestors(node):
        if up is scope.node:
            return
        yield up


def _attribute_targets(ctx: FileContext, dotted: str, scope: Scope) -> list[cst.Attribute]:
    """Assignments to an attribute of a name that ``scope`` binds; for ``self.args.cuda`` to ``self.args`` as well."""
    root, *attributes = dotted.split(".")
    names = [".".join([root, *attributes[:count]]) for count in range(1, len(attributes) + 1)]
    return [one for name in names for one in attribute_targets(ctx, name) if scopes(ctx).binder(root, one) is scope]


def _after_all(ctx: FileContext, nodes: list[cst.CSTNode], scope: Scope) -> Anchor | None:
    """The place after the last of ``nodes``, in the innermost block that holds them all."""
    paths = [
        [
            (block, index)
            for block, index in block_path(ctx, node, scope.node)
            if not isinstance(block, cst.SimpleStatementLine)
        ]
        for node in nodes
    ]
    anchor = None
    for level in zip(*paths):
        blocks = {id(block) for block, _ in level}
        if len(blocks) > 1:
            break
        last = max(index for _, index in level)
        anchor = Anchor(scope, statements(level[0][0])[last])
        if len({index for _, index in level}) > 1:
            break
    return anchor


def _under_main_guard(ctx: FileContext, anchor: Anchor, dotted: str, at: cst.CSTNode) -> bool:
    """Whether the flag is set in the script's main part and the function of ``at`` relies on it already.

    What is given to the function is not read: who imports it gives its own.
    """
    function = scopes(ctx).function_of(at)
    if function is None or not isinstance(anchor.scope.node, cst.Module):
        return False
    holder = ctx.tree.parent(anchor.statement)
    if holder is None or not is_main_guard(ctx.tree.parent(holder) or holder):
        return False
    module, root = anchor.scope, dotted.partition(".")[0]
    return any(scopes(ctx).binder(root, one) is module for one in _reads(ctx, function, dotted))


def asks_too_early(ctx: FileContext, anchor: Anchor, condition: str | None) -> bool:
    """Whether a device asks for CUDA where the program may not have chosen its visible GPUs yet, or may fork later."""
    if condition is not None and "is_available" not in condition:
        return False
    if visible_devices_set_after(ctx, anchor.statement, anchor.after) or is_made_before_fork(ctx, anchor.statement):
        return True
    return asks_before_fork(ctx, anchor.statement, anchor.after, condition)


def after_visible_devices(ctx: FileContext, anchor: Anchor, at: cst.CSTNode) -> Anchor | None:
    """The place below the statements after an anchor that choose the visible GPUs, if it is above ``at``."""
    block, last = ctx.tree.parent(anchor.statement), None
    below = dropwhile(lambda one: one is not anchor.statement, statements(block) if block is not None else ())
    for statement in list(below)[1:]:
        if not isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and sets_visible_devices(ctx, statement):
            last = Anchor(anchor.scope, statement)
    return last if last is not None and runs_before(ctx, last, at) else None
