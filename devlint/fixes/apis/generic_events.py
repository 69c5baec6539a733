"""Events of any accelerator in the place of CUDA's: all of a file, if it only takes the time with them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import attributes_named, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_functions import STREAM_FUNCTIONS
from devlint.torch_api.cuda_members import CUDA, cuda_member

CAVEAT = "the time is taken on other accelerators, too"
_METHODS = frozenset({"elapsed_time", "query", "record", "synchronize"})
_KEYWORDS = frozenset({"blocking", "enable_timing", "interprocess"})


@fact
def generic_events(ctx: FileContext) -> Fix | None:
    """The fix of every ``torch.cuda.Event(…)`` of a file; None where they are used with streams, or handed on."""
    names = ((cuda_member(origin(ctx, node.func)), node) for node in ctx.tree.of_type(cst.Call))
    used = [(one.name, node) for one, node in names if one is not None and one.name in STREAM_FUNCTIONS]
    events = [node for name, node in used if name == "Event"]
    if len(events) < len(used) or ctx.target.torch_min_version < CUDA["Event"].counterpart_since:
        return None
    made: list[Edit | None] = []
    for event in events:
        torch = torch_name(ctx, event)
        if torch is None or not _is_plain(event) or not _is_timer(ctx, event):
            return None
        made += [edits.replace_outer(ctx, event.func, f"{torch[0]}.Event"), *torch[1]]
    return edits.as_fix("Take the time with `torch.Event`", made, CAVEAT) if made else None


def _is_plain(event: cst.Call) -> bool:
    """Whether an event is told nothing that ``torch.Event`` takes in another way."""
    return all(arg.keyword is not None and arg.keyword.value in _KEYWORDS for arg in event.args)


def _is_timer(ctx: FileContext, event: cst.Call) -> bool:
    """Whether an event has a name that holds nothing but events, and only takes the time."""
    target = event_target(ctx, event)
    uses = list(event_uses(ctx, target)) if target is not None else [None]
    return bool(uses) and all(use is not None and _takes_time(ctx, use) for use in uses)


def event_target(ctx: FileContext, event: cst.Call) -> cst.BaseExpression | None:
    """What an event is assigned to: ``start = …``, ``self.start = …``, ``start, end = …, …``."""
    parent, index = ctx.tree.parent(event), None
    if isinstance(parent, cst.Element):
        values = ctx.tree.parent(parent)
        if not isinstance(values, cst.Tuple):
            return None
        index = next(at for at, one in enumerate(values.elements) if one is parent)
        parent = ctx.tree.parent(values)
    if not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
        return None
    target: cst.BaseAssignTargetExpression | cst.BaseExpression = parent.targets[0].target
    if index is None:
        return target
    return target.elements[index].value if isinstance(target, cst.Tuple) and index < len(target.elements) else None


def event_uses(ctx: FileContext, target: cst.BaseExpression) -> Iterator[cst.BaseExpression | None]:
    """Where what is assigned is read; None for what cannot be followed."""
    if isinstance(target, cst.Name):
        scope = scopes(ctx).binder(target.value, target)
        found = scope.bindings[target.value] if scope is not None else []
        if any(one.how is not How.ASSIGN for one in found):
            yield None
        yield from (one for one in uses_of(ctx, scope, target.value) if not _is_assigned(ctx, one))
    elif isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and target.value.value == "self":
        yield from (one for one in attributes_named(ctx, target.attr.value) if not _is_assigned(ctx, one))
    else:
        yield None


def _is_assigned(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a name or attribute is given a value, by itself or in a tuple."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Element):
        values = ctx.tree.parent(parent)
        parent = ctx.tree.parent(values) if values is not None else None
    return isinstance(parent, cst.AssignTarget)


def _takes_time(ctx: FileContext, use: cst.BaseExpression) -> bool:
    """Whether a use is ``start.record()``, ``start.elapsed_time(end)``, or the ``end`` of that."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        function = call.func if isinstance(call, cst.Call) else None
        return isinstance(function, cst.Attribute) and function.attr.value == "elapsed_time"
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Attribute) and parent.value is use else None
    if not isinstance(call, cst.Call) or not isinstance(parent, cst.Attribute) or call.func is not parent:
        return False
    return parent.attr.value in _METHODS and (parent.attr.value == "elapsed_time" or not call.args)
