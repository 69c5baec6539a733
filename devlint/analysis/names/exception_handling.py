"""Whether the program expects an exception at a place: a ``try`` with a handler for it, ``suppress`` or ``raises``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.syntax.file_context import FileContext

_EVERY = frozenset({"Exception", "BaseException"})
_MANAGERS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})


def is_caught(ctx: FileContext, node: cst.CSTNode, *exceptions: str) -> bool:
    """Whether one of the ``exceptions``, raised at ``node``, is caught in the function (or module) around it."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(parent, (cst.Try, cst.TryStar)) and child is parent.body:
            for handler in parent.handlers:
                if handler.type is None or _names(handler.type) & _EVERY.union(exceptions):
                    return True
        if isinstance(parent, cst.With) and child is parent.body:
            if any(_expects(item.item, exceptions) for item in parent.items):
                return True
    return False


def _names(handled: cst.BaseExpression) -> set[str]:
    """The last parts of the names of the exceptions in a handler."""
    return {(dotted_name(one) or "").rpartition(".")[2] for one in _each(handled)}


def _each(handled: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(handled, cst.Tuple):
        for element in handled.elements:
            yield element.value
    else:
        yield handled


def _expects(manager: cst.BaseExpression, exceptions: tuple[str, ...]) -> bool:
    if not isinstance(manager, cst.Call) or (dotted_name(manager.func) or "").rpartition(".")[2] not in _MANAGERS:
        return False
    return any(_names(arg.value) & _EVERY.union(exceptions) for arg in manager.args)
