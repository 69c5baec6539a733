"""Code that tries CUDA and goes on with something else where that fails: ``try: x.cuda()``, ``except Exception: …``.

Without CUDA the program runs what handles the exception, and would no longer with a device that is always there.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from devlint.analysis.guards.cuda_flags import asks_for_cuda
from devlint.analysis.guards.guards import guards_of, runs_guarded
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import exits, statements, statements_above
from devlint.analysis.names.exception_handling import Handler, handlers_around, header_of, is_suppressed
from devlint.analysis.names.resolution import is_none, origin, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.tree import children
from devlint.torch_api.cuda_naming import CAUGHT

_REPORTS = regex(
    r"(?i)print|log|warn|info|debug|error|exception|traceback|exit|critical|write|flush|message|notif|alert"
    r"|close|clean_?up|erase|unlink|rmtree|destroy|shut_?down"
)
"""What a program calls to say that it failed, and to leave nothing behind."""
GOES_ON = "without CUDA the program goes on with `{}`"
_SPEAKS = regex(r"(?i)cuda|gpu")


def handled_otherwise(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """Why code that fails without CUDA must go on failing: the program goes on with what handles that."""
    handler = fallback(ctx, node, _goes_on) if not _is_asked_first(ctx, node) else None
    if handler is None:
        ignores = any(is_suppressed(ctx, node, one) for one in CAUGHT)
        return "without CUDA the program goes on below the `with`" if ignores else None
    return GOES_ON.format(header_of(ctx, handler))


def _is_asked_first(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a place is reached only where there is CUDA, as far as anybody asks.

    A constant flag does not: a ``try`` below it is there for want of CUDA.
    """
    if not runs_guarded(ctx, node):
        return False
    is_tried = any(any(handlers_around(ctx, node, one)) for one in CAUGHT)
    return not is_tried or asks_for_cuda(ctx, node) or not any(guards_of(ctx, node))


def fallback(ctx: FileContext, node: cst.CSTNode, goes_on: Callable[[FileContext, Handler], bool]) -> Handler | None:
    """The handler that the program goes on with where ``node`` fails, in its function or where that is called."""
    for exception in sorted(CAUGHT):
        handlers = list(handlers_around(ctx, node, exception))
        if handlers:
            return handlers[0] if goes_on(ctx, handlers[0]) and not _fails_above(ctx, handlers[-1]) else None
    function = scopes(ctx).function_of(node)
    scope = scopes(ctx).scope_of(function) if isinstance(function, cst.FunctionDef) else None
    if scope is None or not isinstance(function, cst.FunctionDef) or not _is_seen_here(ctx, scope):
        return None
    name = function.name.value
    if [one.how for one in scope.bindings[name]] != [How.FUNCTION]:
        return None
    uses = [one for one in uses_of(ctx, scope, name) if not ctx.tree.is_around(function, one)]
    calls = [ctx.tree.parent(one) for one in uses]
    if not all(isinstance(call, cst.Call) and call.func is one for call, one in zip(calls, uses)):
        return None
    found = [fallback(ctx, call, goes_on) for call in calls if call is not None]
    return found[0] if found and all(one is not None for one in found) else None


def _is_seen_here(ctx: FileContext, scope: Scope) -> bool:
    """Whether all that uses a function of a scope is in this file: one of a function, or of a script."""
    return scope.is_function or (scope is scopes(ctx).module and is_script(ctx))


def _fails_above(ctx: FileContext, handler: Handler) -> bool:
    """Whether the function (or module) fails without CUDA before it comes to the ``try`` of a handler."""
    function = scopes(ctx).function_of(handler)
    tried = ctx.tree.parent(handler)
    above = statements_above(ctx, tried, function or ctx.module) if tried is not None else ()
    return any(_fails(ctx, one) for one in above)


def _fails(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether a line moves something to CUDA, whatever there is: ``x = x.cuda()``."""
    if not isinstance(statement, cst.SimpleStatementLine) or runs_guarded(ctx, statement):
        return False
    waiting: list[cst.CSTNode] = [statement]
    while waiting:
        node = waiting.pop()
        move = cuda_move(ctx, node) if isinstance(node, cst.Call) else None
        if move is not None and move.device is None:
            return True
        if not isinstance(node, (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)):
            waiting += children(node)
    return False


def _goes_on(ctx: FileContext, handler: Handler) -> bool:
    """Whether a handler does something else, and does not only say that something failed, or fail as well."""
    if any(_fails(ctx, one) for one in statements(handler.body)):
        return False
    below = list(ctx.tree.below(handler.body))
    if _ends_quietly(handler, below):
        return True
    if exits(handler.body) and not _ends_with(handler, cst.Return):
        return False
    if any(isinstance(one, cst.Raise) for one in below):
        return False
    if _tries_only_moves(ctx, handler) and not exits(handler.body):
        return True
    if any(isinstance(one, cst.Pass) or _gives(one) or _is_kept(ctx, one, handler) for one in below):
        return True
    lines = (one.value for one in below if isinstance(one, cst.Expr))
    calls = [one for one in lines if isinstance(one, cst.Call)]
    if any(_SPEAKS.search(ctx.text_of(one)) for one in calls):
        return True
    return any(not _REPORTS.search((dotted_name(one.func) or "print").rpartition(".")[2]) for one in calls)


def _tries_only_moves(ctx: FileContext, handler: Handler) -> bool:
    """Whether all that is tried is to move something, and the program goes on with that, wherever it is."""
    tried = ctx.tree.parent(handler)
    body = tried.body if isinstance(tried, (cst.Try, cst.TryStar)) else None
    if body is None or exits(body):
        return False
    return all(_says_or_moves(ctx, one) for one in ctx.tree.below(body) if isinstance(one, cst.Call))


def _says_or_moves(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call moves something to CUDA, asks CUDA something, or prints."""
    asked = origin(ctx, call.func) or dotted_name(call.func) or ""
    return cuda_move(ctx, call) is not None or asked == "print" or asked.startswith("torch.cuda.")


def _ends_quietly(handler: Handler, below: list[cst.CSTNode]) -> bool:
    """Whether a handler ends its function, or a round of its loop, and tells nobody of a failure."""
    speaks = any(isinstance(one, (cst.Call, cst.Raise)) for one in below)
    return not speaks and _ends_with(handler, cst.Return, cst.Continue, cst.Break)


def _ends_with(handler: Handler, *kinds: type[cst.BaseSmallStatement]) -> bool:
    """Whether the last statement of a handler is one of some kinds."""
    last: cst.CSTNode = handler.body.body[-1]
    return isinstance(last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last, kinds)


def _gives(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Return) and node.value is not None and not is_none(node.value)


def _is_kept(ctx: FileContext, node: cst.CSTNode, handler: Handler) -> bool:
    """Whether a node gives a value to what something outside the handler may read."""
    if not isinstance(node, (cst.AssignTarget, cst.AnnAssign)):
        return False
    name = node.target
    if not isinstance(name, cst.Name):
        return True
    uses = uses_of(ctx, scopes(ctx).binder(name.value, name), name.value)
    return any(one is not name and not ctx.tree.is_around(handler, one) for one in uses)
