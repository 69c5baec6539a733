"""What stands under each key that a loop walks over, in a dictionary that the function itself makes and fills."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.syntax.tree import children

_ON_THE_CPU = frozenset(
    ["torch.from_numpy", *(f"torch.{kind}Tensor" for kind in "Bool Byte Double Float Int Long".split())]
)
"""What makes a tensor on the CPU, whatever it is given, or fails."""
_SAME_PLACE = frozenset("bool byte contiguous double float half int long squeeze unsqueeze view".split())


class _Filling(Record, eq=False):
    """``batch["x"] = …``, or ``batch["x"] += …``."""

    key: str
    statement: cst.CSTNode
    value: cst.BaseExpression | None
    """None for what is added to."""


def is_filled(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether ``batch[key]`` in a loop over keys is a tensor that a line above made on the CPU, under each of them.

    ``batch["x"] = torch.from_numpy(x)`` above ``for key in batch:``. Whatever else is done with the dictionary above,
    in whole or under another name, may change what stands there.
    """
    batch, key = _parts(receiver)
    loop = next((one for one in ctx.tree.ancestors(receiver) if isinstance(one, cst.For)), None)
    function = scopes(ctx).function_of(receiver)
    if batch is None or key is None or loop is None or function is None or not _is_named(loop.target, key.value):
        return False
    made = _made_above(ctx, batch, loop, function)
    scope = scopes(ctx).binder(batch.value, batch)
    if made is None or scope is not scopes(ctx).scope_of(batch):
        return False
    uses = (one for one in uses_of(ctx, scope, batch.value) if ctx.span(made).start < ctx.span(one).start)
    above = [one for one in uses if ctx.span(one).start < ctx.span(loop).start]
    if not all(_is_entry(ctx, one) and scopes(ctx).function_of(one) is function for one in above):
        return False
    fillings = [one for one in (_filling(ctx, use) for use in above) if one is not None]
    texts = list(_written(loop, batch, made, fillings))
    certain = {id(one) for line in statements_above(ctx, loop, function) for one in children(line)}
    return bool(texts) and all(text is not None and _is_tensor(ctx, text, fillings, certain) for text in texts)


def _is_tensor(ctx: FileContext, key: str, fillings: list[_Filling], certain: set[int]) -> bool:
    """Whether a line that always runs puts a tensor under a key, and so do all that may replace it."""
    own = sorted((one for one in fillings if one.key == key), key=lambda one: ctx.span(one.statement).start)
    last = max((at for at, one in enumerate(own) if id(one.statement) in certain), default=None)
    return last is not None and all(_is_on_the_cpu(ctx, one.value) for one in own[last:])


def _parts(receiver: cst.BaseExpression) -> tuple[cst.Name | None, cst.Name | None]:
    """``batch`` and ``key`` of ``batch[key]``."""
    index = receiver.slice[0].slice if isinstance(receiver, cst.Subscript) and len(receiver.slice) == 1 else None
    key = index.value if isinstance(index, cst.Index) else None
    batch = receiver.value if isinstance(receiver, cst.Subscript) else None
    return (batch if isinstance(batch, cst.Name) else None, key if isinstance(key, cst.Name) else None)


def _is_named(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _made_above(ctx: FileContext, batch: cst.Name, loop: cst.For, function: cst.CSTNode) -> cst.Dict | None:
    """The dictionary that a line above a loop writes down, once for each time that the loop is reached."""
    found = reaching_definitions(ctx, batch)
    value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None
    if not isinstance(value, cst.Dict):
        return None
    around = [one for one in ctx.tree.ancestors(loop) if isinstance(one, (cst.For, cst.While))]
    inside = all(ctx.tree.is_around(one, value) for one in around if ctx.tree.is_around(function, one))
    above = any(ctx.tree.is_around(one, value) for one in statements_above(ctx, loop, function))
    return value if inside and above else None


def _is_entry(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a use only reads or sets an entry under a text."""
    entry = ctx.tree.parent(use)
    if not isinstance(entry, cst.Subscript) or entry.value is not use or _key_of(entry) is None:
        return False
    around = ctx.tree.parent(entry)
    if isinstance(around, cst.Attribute):
        return not isinstance(ctx.tree.parent(around), cst.AssignTarget)
    return isinstance(around, (cst.AssignTarget, cst.AugAssign, cst.Arg, cst.Assign))


def _filling(ctx: FileContext, use: cst.Name) -> _Filling | None:
    """The statement that sets the entry that a use names."""
    entry = ctx.tree.parent(use)
    around = ctx.tree.parent(entry) if entry is not None else None
    key = _key_of(entry) if isinstance(entry, cst.Subscript) else None
    if key is not None and isinstance(around, cst.AssignTarget):
        assign = ctx.tree.parent(around)
        return _Filling(key, assign, assign.value) if isinstance(assign, cst.Assign) else None
    if key is not None and isinstance(around, cst.AugAssign) and around.target is entry:
        return _Filling(key, around, None)
    return None


def _key_of(entry: cst.Subscript) -> str | None:
    """The text of ``batch["x"]``."""
    index = entry.slice[0].slice if len(entry.slice) == 1 else None
    return string_value(index.value) if isinstance(index, cst.Index) else None


def _written(loop: cst.For, batch: cst.Name, made: cst.Dict, fillings: list[_Filling]) -> Iterator[str | None]:
    """The keys that a loop walks over: those of the dictionary, or those of a list that is written down."""
    if _is_named(loop.iter, batch.value):
        yield from (one.key for one in fillings)
        yield from (string_value(one.key) if isinstance(one, cst.DictElement) else None for one in made.elements)
    elif isinstance(loop.iter, (cst.List, cst.Tuple)):
        yield from (string_value(one.value) for one in loop.iter.elements)
    else:
        yield None


def _is_on_the_cpu(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    """Whether a value is ``torch.from_numpy(x)`` or the like, in another type or shape, or as a ``Variable``."""
    while isinstance(value, cst.Call):
        called = origin(ctx, value.func)
        if called in _ON_THE_CPU:
            return True
        if called == "torch.autograd.Variable" and value.args and value.args[0].keyword is None:
            value = value.args[0].value
        elif isinstance(value.func, cst.Attribute) and value.func.attr.value in _SAME_PLACE and called is None:
            value = value.func.value
        else:
            return False
    return False
