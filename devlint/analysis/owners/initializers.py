"""What the ``__init__`` of a class does first: it may be that of its base."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import classes_named, methods_named
from devlint.analysis.names.control_flow import statements
from devlint.syntax.file_context import FileContext


def initializes_base(statement: cst.CSTNode) -> bool:
    """Whether a statement is ``super().__init__(...)`` or ``Base.__init__(self, ...)``."""
    call = _call_of(statement)
    return call is not None and isinstance(call.func, cst.Attribute) and call.func.attr.value == "__init__"


def _call_of(statement: cst.CSTNode) -> cst.Call | None:
    """The call that a statement is."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    value = small.value if isinstance(small, cst.Expr) else None
    return value if isinstance(value, cst.Call) else None


def body_of_init(init: cst.FunctionDef) -> Sequence[cst.CSTNode]:
    """The statements of an ``__init__`` below its docstring."""
    body = statements(init.body)
    small = body[0].body[0] if body and isinstance(body[0], cst.SimpleStatementLine) else None
    is_text = isinstance(small, cst.Expr) and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))
    return body[1:] if is_text else body


def initialized_base(ctx: FileContext, definition: cst.ClassDef) -> cst.ClassDef | None:
    """The one base of a class, in this file, with whose ``__init__`` that of the class begins."""
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    body = body_of_init(init) if init is not None else ()
    call = _call_of(body[0]) if body and initializes_base(body[0]) else None
    if call is None or not isinstance(call.func, cst.Attribute) or len(definition.bases) != 1:
        return None
    owner, name = call.func.value, dotted_name(definition.bases[0].value) or ""
    if isinstance(owner, cst.Call):
        own = (definition.name.value, "self.__class__", "__class__")  # of an heir the second never ends
        asks_base = dotted_name(owner.func) == "super" and (not owner.args or dotted_name(owner.args[0].value) in own)
    else:
        asks_base = dotted_name(owner) == name
    return next(iter(classes_named(ctx, [name])), None) if asks_base else None


def given_to_base(init: cst.FunctionDef, inner: cst.FunctionDef, name: str) -> str | None:
    """The parameter of a base's ``__init__`` that is given a variable of the ``__init__`` that begins with it."""
    call = _call_of(body_of_init(init)[0])
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    parameters = [one.name.value for one in (*inner.params.posonly_params, *inner.params.params)]
    by_position = iter(parameters[1:] if isinstance(call.func.value, cst.Call) else parameters)
    for arg in call.args:
        if arg.star:
            return None
        given = arg.keyword.value if arg.keyword is not None else next(by_position, None)
        if dotted_name(arg.value) == name:
            return given
    return None
