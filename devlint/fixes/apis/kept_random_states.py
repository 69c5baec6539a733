"""What keeps the state of CUDA's random numbers and gives it back: without CUDA there is none to keep, nor to give."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.visible_devices import visible_devices_set_after
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.resolution import attributes_named, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import entry_key, string_value
from devlint.core.diagnostic import Edit
from devlint.fixes.apis.failing_cuda_calls import CudaCall, availability_test_for, cuda_call
from devlint.fixes.guard_statements import under_guard
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import cuda_member

_SETTERS = frozenset({"torch.cuda.set_rng_state", "torch.cuda.random.set_rng_state"})


def edits_giving_back(ctx: FileContext, kept: cst.Call) -> list[Edit] | None:
    """The edits that put what gives a kept state back under a test for CUDA; None where anything else may read it.

    A state is kept by a name of a function, an attribute or an entry, and all that the file reads it for is
    ``torch.cuda.set_rng_state(…)``, at least once.
    """
    reads = _reads(ctx, kept)
    setters = [_setter(ctx, one) for one in reads] if reads else []
    made: list[Edit] = []
    for one in setters:
        statement = ctx.tree.parent(one) if one is not None else None
        if one is None or not isinstance(statement, cst.Expr) or visible_devices_set_after(ctx, one):
            return None
        member = cuda_member(origin(ctx, one.func))
        test = availability_test_for(ctx, CudaCall(one, member, statement)) if member is not None else None
        around = under_guard(ctx, statement, test.text) if test is not None else None
        if runs_guarded(ctx, one):
            continue
        if test is None or around is None:
            return None
        made += [*test.imports, *around]
    return made if setters else None


def _reads(ctx: FileContext, kept: cst.Call) -> list[cst.CSTNode] | None:
    """Where a file reads what keeps the value of a call; None where nobody knows."""
    parent = ctx.tree.parent(kept)
    if isinstance(parent, cst.DictElement) and parent.value is kept:
        return _reads_of_key(ctx, string_value(parent.key))
    target = parent.targets[0].target if isinstance(parent, cst.Assign) and len(parent.targets) == 1 else None
    if isinstance(target, cst.Name):
        scope = scopes(ctx).binder(target.value, target)
        uses = uses_of(ctx, scope, target.value) if scope is not None and scope.is_function else []
        return [one for one in uses if not _is_target(ctx, one)]
    if isinstance(target, cst.Attribute):
        return [one for one in attributes_named(ctx, target.attr.value) if not _is_target(ctx, one)]
    if isinstance(target, cst.Subscript):
        return _reads_of_key(ctx, entry_key(target))
    return None


def _reads_of_key(ctx: FileContext, key: str | None) -> list[cst.CSTNode] | None:
    """Where a file reads the entries with a key; None where something else may be done with that word."""
    found: list[cst.CSTNode] = []
    for word in ctx.tree.of_type(cst.SimpleString) if key is not None else ():
        if string_value(word) != key:
            continue
        parent = ctx.tree.parent(word)
        if isinstance(parent, cst.DictElement) and parent.key is word:
            if not _takes_state(ctx, parent.value):
                return None
            continue
        if isinstance(parent, cst.Comparison) and isinstance(parent.comparisons[0].operator, (cst.In, cst.NotIn)):
            continue
        entry = next((one for one in ctx.tree.ancestors(word) if isinstance(one, cst.Subscript)), None)
        if entry is None or entry_key(entry) != key:
            return None
        found += [] if _is_target(ctx, entry) else [entry]
    return found


def _takes_state(ctx: FileContext, value: cst.BaseExpression) -> bool:
    call = cuda_call(ctx, value) if isinstance(value, cst.Call) else None
    return call is not None and call.member.name == "get_rng_state"


def _is_target(ctx: FileContext, node: cst.CSTNode) -> bool:
    return isinstance(ctx.tree.parent(node), cst.AssignTarget)


def _setter(ctx: FileContext, read: cst.CSTNode) -> cst.Call | None:
    """The call of ``torch.cuda.set_rng_state`` that is given what is read, or what its methods make of it."""
    for child, parent in ctx.tree.path_up(read):
        if isinstance(parent, cst.Arg):
            call = ctx.tree.parent(parent)
            is_setter = isinstance(call, cst.Call) and call.args[0] is parent
            if isinstance(call, cst.Call) and is_setter and origin(ctx, call.func) in _SETTERS:
                return call
            return None
        is_method = isinstance(parent, cst.Attribute) or (isinstance(parent, cst.Call) and parent.func is child)
        if not is_method:
            return None
    return None
