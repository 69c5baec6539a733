"""Whether the program expects an exception at a place: a ``try`` with a handler for it, ``suppress`` or ``raises``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

Handler = cst.ExceptHandler | cst.ExceptStarHandler
_EVERY = frozenset({"Exception", "BaseException"})
_MANAGERS = regex(r"suppress|raises|warns", re.IGNORECASE)
_LEAVE = (cst.Return, cst.Continue, cst.Break)
_ABOUT_DEVICES = regex(r"cuda|gpu|device|nvidia", re.IGNORECASE)


def is_caught(ctx: FileContext, node: cst.CSTNode, *exceptions: str) -> bool:
    """Whether one of the ``exceptions``, raised at ``node``, is caught in the function (or module) around it.

    Without names, whether any exception is. A handler that raises it again when it has said so catches nothing.
    """
    wanted = _EVERY.union(exceptions)
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if child is not getattr(parent, "body", None):
            continue
        kinds: list[cst.BaseExpression | None] = []
        if isinstance(parent, (cst.Try, cst.TryStar)):
            kinds += [handler.type for handler in parent.handlers if not _raises_again(ctx, handler)]
        elif isinstance(parent, cst.With):
            managers = [item.item for item in parent.items if goes_on_after_exception(item.item)]
            kinds += [arg.value for one in managers if isinstance(one, cst.Call) for arg in one.args]
        if kinds and (not exceptions or any(one is None or not wanted.isdisjoint(_names(ctx, one)) for one in kinds)):
            return True
    return False


def _raises_again(ctx: FileContext, handler: Handler) -> bool:
    """Whether a handler ends by raising what it has caught, and leaves in no other way: ``except E as e: raise e``."""
    last = handler.body.body[-1]
    end = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    if not isinstance(end, cst.Raise) or any(isinstance(one, _LEAVE) for one in ctx.tree.below(handler.body)):
        return False
    caught = dotted_name(handler.name.name) if handler.name is not None else None
    return end.exc is None or (caught is not None and dotted_name(end.exc) == caught)


def is_suppressed(ctx: FileContext, node: cst.CSTNode, exception: str) -> bool:
    """Whether the function (or module) around ``node`` ignores that it raises ``exception``: ``with suppress(…):``."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        for item in parent.items if isinstance(parent, cst.With) and child is parent.body else ():
            call = item.item
            if isinstance(call, cst.Call) and (dotted_name(call.func) or "").rpartition(".")[2] == "suppress":
                if any(not {exception, *_EVERY}.isdisjoint(_names(ctx, one.value)) for one in call.args):
                    return True
    return False


def header_of(ctx: FileContext, handler: Handler) -> str:
    """How a handler begins: ``except RuntimeError:``."""
    return f"except {ctx.one_line_of(handler.type)}:" if handler.type is not None else "except:"


def handlers_around(ctx: FileContext, node: cst.CSTNode, exception: str) -> Iterator[Handler]:
    """What the function (or module) around ``node`` does where that raises ``exception``, innermost first."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return
        if not isinstance(parent, (cst.Try, cst.TryStar)) or child is not parent.body:
            continue
        for one in parent.handlers:
            if one.type is None or not {exception, *_EVERY}.isdisjoint(_names(ctx, one.type)):
                yield one
                break


def fails_as_expected(ctx: FileContext, node: cst.CSTNode, *exceptions: str) -> bool:
    """Whether a test wants one of the ``exceptions`` at ``node``, by ``pytest.raises``, and says no other reason."""
    wanted = _EVERY.union(exceptions)
    for child, parent in ctx.tree.path_up(node):
        managers = [one.item for one in parent.items] if isinstance(parent, cst.With) and child is parent.body else []
        if isinstance(parent, cst.Lambda):
            managers = [one for one in islice(ctx.tree.ancestors(parent), 1, 2) if isinstance(one, cst.Call)]
        for one in managers:
            call = one if isinstance(one, cst.Call) and one.args else None
            if call is None or "raises" not in (dotted_name(call.func) or "").lower():
                continue
            reasons = [ctx.text_of(one.value) for one in call.args[1:]]
            if isinstance(parent, cst.Lambda) or all(_ABOUT_DEVICES.search(one) for one in reasons):
                return not wanted.isdisjoint(_names(ctx, call.args[0].value))
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
    return False


def handles_full_card(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only after a card's memory was full: ``except torch.cuda.OutOfMemoryError:``."""
    handlers = (
        one
        for child, one in ctx.tree.path_up(node)
        if isinstance(one, cst.ExceptHandler) and child is one.body and one.type is not None
    )
    return any(set(_names(ctx, one.type)) == {"OutOfMemoryError"} for one in handlers if one.type is not None)


def goes_on_after_exception(manager: cst.BaseExpression) -> bool:
    """Whether a context manager catches exceptions: ``contextlib.suppress(...)``, ``pytest.raises(...)``."""
    called = dotted_name(manager.func) if isinstance(manager, cst.Call) else None
    return _MANAGERS.search((called or "").rpartition(".")[2]) is not None


def _names(ctx: FileContext, handled: cst.BaseExpression) -> Iterator[str]:
    """The last parts of the names of the exceptions in a handler."""
    for one in [element.value for element in handled.elements] if isinstance(handled, cst.Tuple) else [handled]:
        yield (origin(ctx, one) or dotted_name(one) or "").rpartition(".")[2]
