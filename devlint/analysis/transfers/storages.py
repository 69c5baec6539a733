"""Which moves are of a storage, not of a tensor: what ``map_location`` gets, and what is made as one.

A storage's ``to`` takes its device by keyword alone, in the torch versions where it has one at all.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.transfers.cuda_method_calls import CudaMove
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import LOADS, URL_LOADS

_LOCATION = "map_location"


def storage_lambda(ctx: FileContext, move: CudaMove) -> cst.Lambda | None:
    """The ``lambda storage, loc: storage.cuda()`` whose body the move is: storages have no ``.to(device)``.

    As ``map_location`` of ``torch.load`` a device says the same.
    """
    function = ctx.tree.parent(move.call)
    if not isinstance(function, cst.Lambda) or not is_storage(ctx, move):
        return None
    is_called = any(not _is_location(ctx, one) for one in _given(ctx, function) if one is not function)
    return function if not is_called else None


def is_storage(ctx: FileContext, move: CudaMove) -> bool:
    """Whether the receiver is made as a storage, is one that is loaded, or is named like one."""
    receiver = move.receiver
    if (dotted_name(receiver) or "").rpartition(".")[2] in ("storage", "storages"):
        return True
    values = [receiver] if not isinstance(receiver, cst.Name) else bound_values(ctx, receiver.value, receiver)
    if any(isinstance(one, cst.Call) and _makes_storage(ctx, one) for one in values):
        return True
    return isinstance(receiver, cst.Name) and _is_loaded(ctx, receiver)


def _makes_storage(ctx: FileContext, made: cst.Call) -> bool:
    asked = made.func.attr.value if isinstance(made.func, cst.Attribute) and not made.args else None
    called = (origin(ctx, made.func) or "").split(".")
    of_torch = called[0] == "torch" and any(one.endswith("Storage") for one in called)
    return of_torch or asked in ("storage", "typed_storage", "untyped_storage")


def _is_loaded(ctx: FileContext, receiver: cst.Name) -> bool:
    """Whether a name is the first parameter of a function that ``torch.load`` calls for each storage."""
    binder = scopes(ctx).binder(receiver.value, receiver)
    function = binder.node if binder is not None else None
    if not isinstance(function, (cst.FunctionDef, cst.Lambda)):
        return False
    first = function.params.params[:1]
    return [one.name.value for one in first] == [receiver.value] and any(
        _is_location(ctx, one) for one in _given(ctx, function)
    )


def _given(ctx: FileContext, function: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """Where a function is used: the lambda itself, and each use of the name that a function or a lambda is given."""
    yield function
    parent = ctx.tree.parent(function)
    name = parent.targets[0].target if isinstance(parent, cst.Assign) else None
    if isinstance(function, cst.FunctionDef):
        name = function.name
    if isinstance(name, cst.Name):
        uses = uses_of(ctx, scopes(ctx).binder(name.value, name), name.value)
        yield from (one for one in uses if one is not name)


def _is_location(ctx: FileContext, value: cst.CSTNode) -> bool:
    """Whether a value is an argument that says where what is loaded goes, by keyword or by its place."""
    arg = ctx.tree.parent(value)
    while isinstance(arg, cst.IfExp):
        arg = ctx.tree.parent(arg)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(arg, cst.Arg) or not isinstance(call, cst.Call):
        return False
    if arg.keyword is not None:
        return arg.keyword.value == _LOCATION
    called = origin(ctx, call.func) or dotted_name(call.func) or ""
    return called in LOADS or called.rpartition(".")[2] in {*URL_LOADS, "load"}
