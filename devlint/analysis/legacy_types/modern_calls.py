"""The modern form of a call that makes or casts a tensor by its legacy type."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.checkpoints.made_modules import is_made_by_project
from devlint.analysis.checkpoints.used_modules import is_used_as_module
from devlint.analysis.legacy_types.other_cards import may_be_on_other_card
from devlint.analysis.legacy_types.sizes_above import is_size_above
from devlint.analysis.legacy_types.tensor_types import TensorType
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import making_call, origin
from devlint.analysis.tensors.constructor_arguments import ArgumentKind, argument_kind, is_shape
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.edits import (
    add_argument,
    cut_after,
    insert_after,
    insert_before,
    keep_only,
    replace,
    replace_argument,
    replace_arguments,
    replace_outer,
)
from devlint.syntax.file_context import FileContext

_FILLS = frozenset(
    "fill_ zero_ normal_ uniform_ random_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ copy_ set_".split()
)

_LAYER = regex(r"torch\.nn\.[A-Z]\w+\Z(?<!Parameter)|torchvision\.models\.")
"""What makes a module, wherever it is called."""

_OTHER_CARD = "a tensor on another card stays there now, and would be taken to the current one"

_KEEPING = (cst.Assign, cst.AnnAssign, cst.NamedExpr, cst.Return, cst.Expr, cst.Attribute)
"""What may change a tensor that a call has made, and shall not change the one that it was given."""


class Rewrite(Record):
    """Edits of one call."""

    edits: tuple[Edit, ...]
    message: str
    """What replaces it, for a message: ``torch.empty(..., device=device)``."""
    caveat: str | None = None
    uses_device: bool = True


def modern_constructor(ctx: FileContext, call: cst.Call, kind: TensorType, torch: str, device: str) -> Rewrite | None:
    """``torch.cuda.FloatTensor(...)`` as a modern call on ``device``; None where its meaning is not certain."""
    own = next((arg for arg in call.args if arg.keyword is not None and arg.keyword.value == "device"), None)
    given = [arg for arg in call.args if arg is not own]
    by_size = [arg for arg in given if arg.keyword is not None and arg.keyword.value == "size"]
    if len(given) == len(by_size) == 1 and own is None and not kind.sparse:
        return _call_of(ctx, call, f"{torch}.empty", f"{torch}.{kind.dtype}", device)
    if any(arg.keyword is not None or arg.star == "**" for arg in given):
        return None
    if kind.sparse:
        return _sparse(ctx, call, kind, torch, device) if own is None else None
    return _made(ctx, call, given, kind, torch, device if own is None else None)


def _made(
    ctx: FileContext, call: cst.Call, given: list[cst.Arg], kind: TensorType, torch: str, device: str | None
) -> Rewrite | None:
    """The modern call for the positional arguments ``given``; ``device`` is None where the call has one of its own."""
    dtype = f"{torch}.{kind.dtype}"
    filled = _filled_range(ctx, call) if device is not None else None
    if filled is not None:
        edit = replace_argument(ctx, filled, f"dtype={dtype}, device={device}")
        return Rewrite((edit,), f"{torch}.arange(..., device={_short(device or '')})")
    if not given and device is None:
        return None
    if len(given) != 1:
        return _call_of(ctx, call, f"{torch}.empty", dtype, device)
    arg = given[0]
    found = ArgumentKind.UNKNOWN if arg.star else argument_kind(ctx, arg.value)
    of_sizes = _holds_sizes(arg.value) if arg.star else is_shape(arg.value) and _is_filled(ctx, call)
    if found is ArgumentKind.UNKNOWN and not arg.star and is_size_above(ctx, call, arg.value):
        found = ArgumentKind.INT
    if of_sizes or found in (ArgumentKind.INT, ArgumentKind.SIZE):
        return _call_of(ctx, call, f"{torch}.empty", dtype, device)
    if found is ArgumentKind.DATA:
        return _call_of(ctx, call, f"{torch}.tensor", dtype, device)
    if device is None:
        return None
    if found is ArgumentKind.UNKNOWN and _is_given_back(ctx, call, arg):
        return _given_back(ctx, call, arg.value)
    name = f"{torch}.{kind.name}"
    edits = (replace_outer(ctx, call.func, name), insert_after(ctx, call, f".to({device})"))
    caveat = None
    if found is ArgumentKind.UNKNOWN and not _is_filled(ctx, call):
        caveat = f"raises if `{_short(ctx.text_of(arg.value))}` is a tensor that is already on the GPU"
    return Rewrite(edits, f"{name}(...).to({_short(device)})", caveat)


def _filled_range(ctx: FileContext, call: cst.Call) -> cst.Arg | None:
    """The argument ``out=`` of ``torch.arange(0, n, out=torch.cuda.LongTensor(n))`` that is ``call``, of any size."""
    arg = ctx.tree.parent(call)
    owner = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is not None else None
    if not isinstance(arg, cst.Arg) or not isinstance(owner, cst.Call) or origin(ctx, owner.func) != "torch.arange":
        return None
    keywords = [one.keyword.value for one in owner.args if one.keyword is not None]
    known = {ctx.text_of(one.value) for one in owner.args if one is not arg}
    is_known = all(not one.star and ctx.text_of(one.value) in known for one in call.args)
    return arg if keywords == ["out"] and is_known else None


def _is_given_back(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> bool:
    """Whether a call gives back the tensor that it is given, and refuses others, and nobody keeps what it gives."""
    if arg.star or not isinstance(arg.value, (cst.Name, cst.Attribute, cst.Subscript, cst.Call)):
        return False
    return not isinstance(ctx.tree.parent(call), _KEEPING) and is_tensor(ctx, arg.value)


def _given_back(ctx: FileContext, call: cst.Call, tensor: cst.BaseExpression) -> Rewrite | None:
    """The tensor itself in the place of a call that gives it back."""
    edits = keep_only(ctx, call, tensor)
    return Rewrite(tuple(edits), _short(ctx.text_of(tensor)), uses_device=False) if edits is not None else None


def _call_of(ctx: FileContext, call: cst.Call, func: str, dtype: str, device: str | None) -> Rewrite | None:
    """A call of ``func`` with ``dtype`` and ``device`` after the arguments it has; without any, an empty tensor."""
    if call.args:
        placed = [] if device is None else [("device", device)]
        added = add_argument(ctx, call, ("dtype", dtype), *placed)
    else:
        added = replace_arguments(ctx, call, f"0, dtype={dtype}, device={device}")
    if added is None:
        return None
    where = f"device={_short(device)}" if device is not None else f"dtype={dtype}"
    return Rewrite((replace_outer(ctx, call.func, func), added), f"{func}(..., {where})", None, device is not None)


def _holds_sizes(node: cst.BaseExpression) -> bool:
    """Whether the values of ``node`` are sizes, by its name or its making."""
    name = (dotted_name(node) or "").rpartition(".")[2].lower()
    return is_shape(node) or any(word in name for word in ("size", "shape", "dim"))


def _is_filled(ctx: FileContext, call: cst.Call) -> bool:
    """Whether every value is overwritten at once, so that the argument was no tensor, and a shape was a size."""
    parent = ctx.tree.parent(call)
    return isinstance(parent, cst.Attribute) and parent.attr.value in _FILLS


def _sparse(ctx: FileContext, call: cst.Call, kind: TensorType, torch: str, device: str) -> Rewrite | None:
    """Indices, values and a size, where device and dtype are those of the values; or just sizes."""
    values = [arg.value for arg in call.args]
    if any(arg.star for arg in call.args) or len(values) < 2:
        return None
    name = f"{torch}.sparse_coo_tensor"
    renamed = replace_outer(ctx, call.func, name)
    if len(values) == 3 and (
        _holds_sizes(values[2]) or argument_kind(ctx, values[2]) in (ArgumentKind.SIZE, ArgumentKind.DATA)
    ):
        return Rewrite((renamed,), f"{name}(...)", uses_device=False)
    if any(argument_kind(ctx, value) is not ArgumentKind.INT for value in values):
        return None
    where = f"dtype={torch}.{kind.dtype}, device={device}"
    inserted = (insert_before(ctx, values[0], "("), insert_after(ctx, values[-1], f"), {where}"))
    return Rewrite((renamed, *inserted), f"{name}((...), device={_short(device)})")


def modern_cast(ctx: FileContext, call: cst.Call, kind: TensorType, torch: str, device: str) -> Rewrite | None:
    """``x.type(torch.cuda.FloatTensor, non_blocking=...)`` as a move to ``device`` and a dtype."""
    given = cast_argument(call)
    if given is None or not isinstance(call.func, cst.Attribute):
        return None
    if len(call.args) == 1 and _casts_module(ctx, call, call.func.value):
        dtype = f"{torch}.{kind.dtype}"
        made = [replace_argument(ctx, given, dtype), insert_after(ctx, call, f".to({device})")]
        return Rewrite(tuple(made), f".type({dtype}).to({_short(device)})")
    stays = device == f"{ctx.text_of(call.func.value)}.device"
    target = f"{torch}.{kind.dtype}" if stays else f"{device}, {torch}.{kind.dtype}"
    edits = [replace(ctx, call.func.attr, "to"), replace_argument(ctx, given, target)]
    moved = moved_before(ctx, call, device)
    cut = cut_after(ctx, moved[0], moved[1]) if moved is not None and not stays else None
    edits += [cut] if cut is not None else []
    for other in call.args:
        if other is given:
            continue
        if other.keyword is None:
            edits.append(insert_before(ctx, other.value, "non_blocking="))
        elif other.keyword.value != "non_blocking":
            return None
    is_elsewhere = not stays and moved is None and may_be_on_other_card(ctx, call.func.value)
    return Rewrite(tuple(edits), f".to({_short(target)})", _OTHER_CARD if is_elsewhere else None)


def _casts_module(ctx: FileContext, call: cst.Call, receiver: cst.BaseExpression) -> bool:
    """Whether a cast is of a module, whose ``type`` casts integer buffers as well, and whose ``to`` does not."""
    if isinstance(ctx.tree.parent(call), cst.Expr):
        return True
    made = making_call(ctx, receiver)
    if made is not None and (_LAYER.match(origin(ctx, made.func) or "") or is_made_by_project(ctx, made)):
        return True
    dotted = dotted_name(receiver)
    return dotted is not None and not is_tensor(ctx, receiver) and is_used_as_module(ctx, dotted, receiver)


def moved_before(
    ctx: FileContext, cast: cst.CSTNode, device: str | None = None
) -> tuple[cst.Call, cst.BaseExpression] | None:
    """``x.cuda()``, or ``x.to(device)``, of ``x.cuda().type(torch.cuda.FloatTensor)``, and ``x``: the cast moves."""
    moved = cast.func.value if isinstance(cast, cst.Call) and isinstance(cast.func, cst.Attribute) else None
    if not isinstance(moved, cst.Call) or not isinstance(moved.func, cst.Attribute):
        return None
    given = [ctx.text_of(one) for one in moved.args]
    moves = (moved.func.attr.value, given) in (("cuda", []), ("to", [device]))
    return (moved, moved.func.value) if moves else None


def cast_argument(call: cst.Call) -> cst.Arg | None:
    """The type in ``x.type(T)``, ``x.type(dtype=T)``, ``x.type(T, True)``; None for any other call."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "type" or not 1 <= len(call.args) <= 2:
        return None
    if any(arg.star for arg in call.args):
        return None
    first = call.args[0]
    return first if first.keyword is None or first.keyword.value == "dtype" else None


def _short(text: str) -> str:
    """An expression on one line, cut to a readable length."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."
