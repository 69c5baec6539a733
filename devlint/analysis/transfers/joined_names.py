"""Which variables of a script may be in one computation: what one gives another, however far, until it is taken away.

A number, an array, or a tensor on the CPU (``x.cpu()``) takes nothing of the place where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import import_origin, reads
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.moves import LEAVES, MOVES

_COMPUTES_NOTHING = frozenset("print info debug warning write save dump".split())
"""What is called with several values and does nothing with them together: each stays for itself."""
_DISPLAYS = (cst.Tuple, cst.List, cst.Dict)
_WHOLE = (cst.BaseSmallStatement, cst.For, cst.With, cst.FunctionDef, cst.Decorator, cst.If, cst.While)
"""In what names belong together: a simple statement, or what stands before the block of another one."""


def may_be_joined(ctx: FileContext, one: cst.CSTNode, others: Iterable[cst.CSTNode]) -> bool:
    """Whether the variables beside a moved value may be in one computation with those beside any of some others.

    So they are where nobody knows: beside no variable.
    """
    groups = ctx.fact(_groups)
    own = groups.get(id(_around(ctx, one)))
    theirs = [groups.get(id(_around(ctx, other))) for other in others]
    return own is None or None in theirs or own in theirs


def _around(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode | None:
    """The largest expression or statement around a node in which all has to do with it."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(child, _WHOLE):
            return child
        if isinstance(parent, cst.Call) and child is parent.func and _leaves(ctx, parent):
            return child
        if _is_apart(ctx, parent):
            return child
    return None


def _is_apart(ctx: FileContext, place: cst.CSTNode) -> bool:
    """Whether what stands at a place is only shown or kept: ``print(x, y)``, ``torch.save({"x": x, "y": y}, f)``."""
    while isinstance(place, (cst.Element, cst.DictElement, *_DISPLAYS)):
        place = ctx.tree.parent(place) or ctx.module
    call = ctx.tree.parent(place) if isinstance(place, cst.Arg) else None
    return isinstance(call, cst.Call) and (dotted_name(call.func) or "").rpartition(".")[2] in _COMPUTES_NOTHING


def _leaves(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the result of a method may be elsewhere than its tensor."""
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    return method in LEAVES or (method in MOVES and isinstance(ctx.tree.parent(call), cst.Arg))


def _groups(ctx: FileContext) -> dict[int, object]:
    """The group of each expression or statement that has a variable, by its ``id``."""
    table: dict[object, object] = {}
    for one, other in _links(ctx):
        table[_root(table, one)] = _root(table, other)
    return {one: _root(table, one) for one in table if isinstance(one, int)}


def _root(table: dict[object, object], one: object) -> object:
    while table.setdefault(one, one) != one:
        one = table[one]
    return one


def _links(ctx: FileContext) -> Iterator[tuple[object, object]]:
    """What belongs together: expressions by their ``id``, variables by their names, wherever these are bound."""
    for name in reads(ctx):
        around = _around(ctx, name)
        if around is not None and _is_variable(ctx, name):
            yield id(around), name.value
            definition = class_of(ctx, name)
            if definition is not None:
                yield id(around), definition.name.value
    for function in ctx.tree.of_type(cst.FunctionDef):
        params = function.params
        every = (*params.posonly_params, *params.params, *params.kwonly_params)
        yield from ((function.name.value, one.name.value) for one in every)
    for one in (*ctx.tree.of_type(cst.Return), *ctx.tree.of_type(cst.Yield)):
        giver, around = scopes(ctx).function_of(one), _around(ctx, one)
        if giver is not None and around is not None:
            yield giver.name.value, id(around)


def _is_variable(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name may stand for what a program computes: no module, builtin, or options of the program."""
    if import_origin(ctx, name.value, name) is not None:
        return False
    return scopes(ctx).binder(name.value, name) is not None and not holds_options(name.value)
