"""Calls that put something on a GPU by name: ``x.cuda()``, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import libcst as cst

from devlint import edits
from devlint.context import FileContext
from devlint.diagnostic import Edit
from devlint.facts.cuda_literals import is_index
from devlint.facts.modules import bases, class_of, methods
from devlint.facts.names import bindings, origin
from devlint.facts.scopes import How, dotted_name, scopes

_FOREIGN = ("chainer", "cupy", "numba", "pycuda", "jax", "tensorflow", "cudf", "cuml", "paddle", "mxnet", "cv2", "tvm")


@dataclass(frozen=True, eq=False)
class CudaMove:
    """One ``receiver.cuda(...)``."""

    call: cst.Call
    receiver: cst.BaseExpression
    method: cst.Name
    device: Optional[cst.Arg] = None
    """The argument that names a device, unless it is None."""
    rest: tuple[cst.Arg, ...] = ()
    """``non_blocking`` and ``memory_format``."""
    whole: bool = True
    """Whether all arguments are understood."""


def cuda_move(ctx: FileContext, call: cst.Call) -> Optional[CudaMove]:
    """The move that ``call`` is; None for what is not torch's, or is the business of the project's own ``cuda``."""
    function = call.func
    if not isinstance(function, cst.Attribute) or function.attr.value != "cuda":
        return None
    receiver = function.value
    if _is_foreign(ctx, receiver) or _in_own_cuda(ctx, call) or _defines_cuda(ctx, receiver, call):
        return None
    positional = [arg for arg in call.args if arg.keyword is None]
    starred = any(arg.star for arg in call.args) or len(positional) > 2
    named = {arg.keyword.value: arg for arg in call.args if arg.keyword is not None}
    device = positional[0] if positional else named.pop("device", None)
    rest = (*positional[1:], *named.values())
    if device is not None and isinstance(device.value, cst.Name) and device.value.value == "None":
        device = None
    known = set(named) <= {"non_blocking", "memory_format"}
    return CudaMove(call, receiver, function.attr, device, rest, known and not starred)


def _is_foreign(ctx: FileContext, receiver: cst.CSTNode) -> bool:
    """Whether a receiver is a module of another library, or ``super()``."""
    if isinstance(receiver, cst.Call) and dotted_name(receiver.func) == "super":
        return True
    root: cst.CSTNode = receiver
    while isinstance(root, (cst.Attribute, cst.Call, cst.Subscript)):
        root = root.func if isinstance(root, cst.Call) else root.value
    imported = origin(ctx, root)
    if imported is None:
        return False
    return imported.partition(".")[0] in _FOREIGN or (receiver is root and imported == "torch")


def _in_own_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is inside a method called ``cuda``: there CUDA is meant."""
    return any(isinstance(one, cst.FunctionDef) and one.name.value == "cuda" for one in ctx.tree.ancestors(node))


def _defines_cuda(ctx: FileContext, receiver: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether the receiver is, or is named like, an instance of a class of this file with its own ``cuda``."""
    owners = ctx.fact(_classes_with_cuda)
    if not owners:
        return False
    if isinstance(receiver, cst.Name) and receiver.value in ("self", "cls"):
        definition = class_of(ctx, at)
        return definition is not None and _inherits(ctx, definition, owners)
    made = _constructed(ctx, receiver)
    if made is not None:
        return made in owners
    name = (dotted_name(receiver) or "").rpartition(".")[2].lower().strip("_")
    return len(name) > 2 and any(name in owner.lower() or owner.lower() in name for owner in owners)


def _classes_with_cuda(ctx: FileContext) -> frozenset[str]:
    """Names of the file's classes that define ``cuda``, or inherit it from one that does."""
    own = {one.name.value for one in ctx.tree.of_type(cst.ClassDef) if any(m.name.value == "cuda" for m in methods(one))}
    if not own:
        return frozenset()
    return frozenset(own | {one.name.value for one in ctx.tree.of_type(cst.ClassDef) if own & set(bases(ctx, one))})


def _inherits(ctx: FileContext, definition: cst.ClassDef, owners: frozenset[str]) -> bool:
    return definition.name.value in owners or bool(owners & set(bases(ctx, definition)))


def _constructed(ctx: FileContext, receiver: cst.CSTNode) -> Optional[str]:
    """The name of the function or class whose call made the receiver, where that is certain."""
    if isinstance(receiver, cst.Name):
        _, found = bindings(ctx, receiver.value, receiver)
        values = [one.value for one in found if one.how is How.ASSIGN]
        calls = {_constructed(ctx, one) for one in values if isinstance(one, cst.Call)}
        calls.discard(None)
        return calls.pop() if len(calls) == 1 and len(found) == len(values) else None
    if isinstance(receiver, cst.Call):
        called = dotted_name(receiver.func)
        if called is not None and "." not in called:
            scope = scopes(ctx).binder(called, receiver)
            return called if scope is not None else None
    return None


def names_index(ctx: FileContext, move: CudaMove) -> bool:
    """Whether the move names a card by its number, which is another rule's finding."""
    return move.device is not None and is_index(ctx, move.device.value)


def move_edits(ctx: FileContext, move: CudaMove, device: str) -> list[Edit]:
    """``x.cuda(...)`` to ``x.to(device, ...)``."""
    renamed = edits.replace(ctx, move.method, "to")
    if move.device is None and move.rest and len(move.rest) == len(move.call.args) and _all_named(move):
        return [renamed, edits.insert_before_argument(ctx, move.call.args[0], f"{device}, ")]
    texts = [device]
    for arg in move.rest:
        text = edits.argument_text(ctx, arg)
        texts.append(text if arg.keyword is not None else f"non_blocking={text}")
    return [renamed, edits.replace_arguments(ctx, move.call, ", ".join(texts))]


def _all_named(move: CudaMove) -> bool:
    return all(arg.keyword is not None for arg in move.rest)
