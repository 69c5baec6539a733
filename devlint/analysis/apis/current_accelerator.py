"""Uses of what ``torch.accelerator.current_accelerator()`` gives, which is None where there is no accelerator."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.accelerator_members import accelerator_member
from devlint.analysis.guards.guards import has_accelerator
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import attributes_named, bindings, origin, uses_of
from devlint.analysis.slots.device_arguments import device_slot
from devlint.syntax.file_context import FileContext

_WANT_DEVICE = frozenset(
    "torch.device torch.autocast torch.amp.autocast torch.amp.GradScaler torch.get_autocast_dtype "
    "torch.distributed.get_default_backend_for_device".split()
)
_TESTS = (cst.UnaryOperation, cst.BooleanOperation, cst.Assert, cst.Comparison)
_QUESTIONS = frozenset({"bool", "isinstance", "getattr", "hasattr"})


def is_unchecked(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call of ``current_accelerator`` runs where there may be no accelerator, and no error is caught."""
    if accelerator_member(ctx, call.func) != "current_accelerator":
        return False
    return not has_accelerator(ctx, call) and not is_caught(ctx, call, "AttributeError", "TypeError", "RuntimeError")


def needs_device(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` stands where None is not enough: an attribute of it is read, or something is put on it."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Attribute):
        return parent.value is node
    if isinstance(parent, cst.FormattedStringExpression):
        return _is_device_text(ctx.tree.parent(parent), parent)
    if not isinstance(parent, cst.Arg):
        return False
    call = ctx.tree.parent(parent)
    if not isinstance(call, cst.Call) or parent.star:
        return False
    wants = (origin(ctx, call.func) or "") in _WANT_DEVICE and call.args[0] is parent
    return wants or device_slot(ctx, call) is parent


def _is_device_text(text: cst.CSTNode | None, part: cst.CSTNode) -> bool:
    """Whether an f-string is a device string that begins with ``part``: ``f"{accelerator}:{rank}"``."""
    if not isinstance(text, cst.FormattedString) or text.parts[0] is not part:
        return False
    words = "".join(one.value for one in text.parts if isinstance(one, cst.FormattedStringText))
    return len(text.parts) > 1 and words.startswith(":") and " " not in words


def is_checked_for_none(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the program tests at ``node`` whether it is None."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.If, cst.IfExp, cst.While)):
        return parent.test is node
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        return isinstance(call, cst.Call) and dotted_name(call.func) in _QUESTIONS
    return isinstance(parent, _TESTS)


def later_uses(ctx: FileContext, assign: cst.Assign) -> list[cst.CSTNode] | None:
    """Where the name or attribute that an assignment alone binds is used; None where it is bound elsewhere, too."""
    target = assign.targets[0].target
    dotted = dotted_name(target)
    if len(assign.targets) != 1 or dotted is None:
        return None
    if isinstance(target, cst.Name):
        scope, found = bindings(ctx, dotted, target)
        if len(found) != 1 or found[0].how is not How.ASSIGN:
            return None
        return [one for one in uses_of(ctx, scope, dotted) if one is not target]
    called = attributes_named(ctx, dotted.rpartition(".")[2])
    same = [one for one in called if dotted_name(one) == dotted and one is not target]
    assigned = any(isinstance(ctx.tree.parent(one), (cst.AssignTarget, cst.AnnAssign, cst.AugAssign)) for one in same)
    return None if assigned else list(same)
