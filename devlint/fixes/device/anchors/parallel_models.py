"""Models that are in ``DataParallel``: it needs them on CUDA wherever there is CUDA, whatever a flag says."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.guards.cuda_flags import Condition, as_condition, is_only_question, only_asks_for_cuda
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases, class_of, classes_named
from devlint.analysis.names.resolution import bindings, origin, sole_value
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import holds_options

_DATA_PARALLEL = frozenset(
    {
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.data_parallel.DataParallel",
        "torch.nn.parallel.data_parallel",
    }
)
_WORD = regex(r"(?i)data_?parallel|balanced")
_SEVERAL = regex(r"> *[1-9]|>= *[2-9]")
_DEPTH = 4
"""How many calls are followed."""


def leaves_data_parallel_on(ctx: FileContext, condition: Condition, anchor: Anchor) -> bool:
    """Whether a model goes to CUDA in DataParallel whatever a flag says: where there is CUDA, it must be there."""
    if _WORD.search(ctx.source.text) is None or only_asks_for_cuda(ctx, condition, anchor.statement):
        return False
    # What an instance keeps chooses where its own methods put things, and no device for other models.
    owner = class_of(ctx, anchor.statement) if any("." in name for name in condition.names) else None
    moves = (one for one in _moves_of_parallel(ctx) if owner is None or class_of(ctx, one) is owner)
    others_ask = owner is None and _asks_everywhere(ctx)  # what an instance keeps, heirs in other files use as well
    if not others_ask and any(not _is_governed(ctx, condition, move) for move in moves):
        return True
    late = (one for one in _late_moves(ctx) if owner is None or class_of(ctx, one[0]) is owner)
    return any(_is_governed(ctx, condition, one) and not _is_governed(ctx, condition, two) for one, two in late)


@fact
def _asks_everywhere(ctx: FileContext) -> bool:
    """Whether nothing goes to CUDA without a test, and so no test decides about what is under none, or another one."""
    tests = ([as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, each)] for each in cuda_mentions(ctx))
    return all(found and None not in found for found in tests)


def _is_governed(ctx: FileContext, condition: Condition, move: cst.CSTNode) -> bool:
    """Whether a test around a move asks the flag of a condition, alone or with others: ``if use_cuda and several:``."""
    asked = (as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, move))
    return any(one is not None and not condition.names.isdisjoint(one.names) for one in asked)


def leaves_parallel_model(ctx: FileContext, device: str, condition: str | None, call: cst.CSTNode) -> bool:
    """Whether a ``DataParallel`` that a call moves to CUDA would stay on the CPU of a device that a flag chooses."""
    if _WORD.search(ctx.source.text) is None or all(
        ctx.tree.parent(one) is not call for one in _moves_of_parallel(ctx)
    ):
        return False
    values, owner = bound_values(ctx, device, call), device.rpartition(".")[0].rpartition(".")[2]
    if condition is None and not values and holds_options(owner):
        return True  # whoever gives the program its options may choose the CPU
    tests = [condition] if condition is not None else [_test_of(ctx, one) for one in values]
    return not all(is_only_question(ctx, one, call) for one in tests if one is not None)


def is_on_sole_card(ctx: FileContext, guard: Condition | None, call: cst.CSTNode) -> bool:
    """Whether what a call moves under a flag is in a ``DataParallel`` by then, which puts it on a sole card."""
    if guard is None or not guard.names or _WORD.search(ctx.source.text) is None:
        return False
    makers = (maker for move, maker in _late_moves(ctx) if ctx.tree.parent(move) is call)
    return any(not _is_governed(ctx, guard, one) for one in makers) and not only_asks_for_cuda(ctx, guard, call)


def _test_of(ctx: FileContext, device: cst.BaseExpression) -> str | None:
    """The test by which an expression is a GPU or the CPU, in words where it is known; None where it has none."""
    value, text = device_value(ctx, device), ctx.text_of(device)
    known = value.condition if value is not None else None
    return known if known is not None or not ("cpu" in text and " if " in text) else text


@fact
def _moves_of_parallel(ctx: FileContext) -> list[cst.Attribute]:
    """``x.cuda`` of what is a ``DataParallel``, or becomes the model of one, at once or by its name."""
    calls = [one for one in ctx.tree.of_type(cst.Call) if _is_parallel(ctx, one)]
    targets = [target for one in ctx.tree.of_type(cst.Assign) if _gives(ctx, one.value) for target in one.targets]
    named = [*(one.target for one in targets), *(one.args[0].value for one in calls if one.args)]
    known = {_variable(ctx, one) for one in named} - {None}  # what has no dotted name is unlike all others
    moves = (one for one in cuda_mentions(ctx) if isinstance(one, cst.Attribute))
    return [
        one
        for one in moves
        if _variable(ctx, one.value) in known
        or _gives(ctx, one.value)
        or _is_made_parallel(ctx, one)
        or _variable(ctx, _target_of(ctx, one)) in known
    ]


@fact
def _late_moves(ctx: FileContext) -> list[tuple[cst.Attribute, cst.Call]]:
    """``x.cuda`` of what is a ``DataParallel`` by then, or comes from one, and what made it: it uses a sole card."""
    made: dict[tuple[str, int] | None, list[cst.Call]] = {}
    for assign in (one for one in ctx.tree.of_type(cst.Assign) if _gives(ctx, one.value)):
        calls = (one for one in (assign.value, *ctx.tree.below(assign.value)) if isinstance(one, cst.Call))
        makers = [one for one in calls if _gives(ctx, one) and not _is_for_several(ctx, one)]
        for target in assign.targets:
            made.setdefault(_variable(ctx, target.target), []).extend(makers)
    for assign in ctx.tree.of_type(cst.Assign) if made else ():
        called = _variable(ctx, assign.value.func) if isinstance(assign.value, cst.Call) else None
        for target in assign.targets if called is not None and called in made else ():
            made.setdefault(_variable(ctx, target.target), []).extend(made[called])
    made.pop(None, None)  # what has no dotted name is unlike all others
    moves = (one for one in cuda_mentions(ctx) if isinstance(one, cst.Attribute))
    pairs = ((move, maker) for move in moves for maker in made.get(_variable(ctx, move.value), ()))
    return [(one, two) for one, two in pairs if not _runs_before(ctx, one, two)]


def _runs_before(ctx: FileContext, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether a place of a function stands above another one of it."""
    is_same = scopes(ctx).function_of(one) is scopes(ctx).function_of(other)
    return is_same and ctx.span(one).start < ctx.span(other).start


def _is_for_several(ctx: FileContext, maker: cst.Call) -> bool:
    """Whether a ``DataParallel`` is made only for several cards: it leaves a model where it is then."""
    tests = (up.test for up in ctx.tree.ancestors(maker) if isinstance(up, (cst.If, cst.IfExp)))
    values = ((sole_value(ctx, one) if isinstance(one, cst.Name) else None) or one for one in tests)
    return any(_SEVERAL.search(ctx.text_of(one)) for one in values)


def _variable(ctx: FileContext, node: cst.CSTNode | None) -> tuple[str, int] | None:
    """The name of a variable, or of an attribute of one, and the scope that binds it."""
    dotted = dotted_name(node) if node is not None else None
    if dotted is None or node is None:
        return None
    return (dotted, 0 if "." in dotted else id(scopes(ctx).binder(dotted, node)))


def _gives(ctx: FileContext, value: cst.BaseExpression, depth: int = _DEPTH) -> bool:
    """Whether a value may be a ``DataParallel``: made here, by a function of the file, or by a chain of calls."""
    if isinstance(value, cst.IfExp):
        return _gives(ctx, value.body, depth) or _gives(ctx, value.orelse, depth)
    if not isinstance(value, cst.Call) or depth == 0:
        return False
    if _is_parallel(ctx, value):
        return True
    if isinstance(value.func, cst.Attribute) and isinstance(value.func.value, cst.Call):
        return _gives(ctx, value.func.value, depth - 1)
    found = bindings(ctx, value.func.value, value.func)[1] if isinstance(value.func, cst.Name) else []
    functions = [one.node for one in found if isinstance(one.node, cst.FunctionDef)]
    returned = (two for one in functions for two in ctx.tree.below(one.body) if isinstance(two, cst.Return))
    return any(one.value is not None and _gives(ctx, one.value, depth - 1) for one in returned)


def _is_parallel(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a call makes a ``DataParallel``, or one of a class that inherits from it, or runs a model like one."""
    if not isinstance(value, cst.Call):
        return False
    called = origin(ctx, value.func)
    if called in _DATA_PARALLEL:
        return True
    own = classes_named(ctx, [dotted_name(value.func) or ""])
    if any(not _DATA_PARALLEL.isdisjoint(bases(ctx, one)) for one in own):
        return True
    is_others = called is not None and not called.startswith("torch.")
    family = imported_family(project_around(ctx), called) if is_others and called is not None else None
    return family is not None and not _DATA_PARALLEL.isdisjoint(family.others)


def _is_made_parallel(ctx: FileContext, move: cst.Attribute) -> bool:
    """Whether what a method gives is the model of a ``DataParallel``."""
    call = ctx.tree.parent(move)
    arg = ctx.tree.parent(call) if call is not None else None
    maker = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    return isinstance(maker, cst.Call) and maker.args[0] is arg and _is_parallel(ctx, maker)


def _target_of(ctx: FileContext, move: cst.Attribute) -> cst.CSTNode | None:
    """What the result of a move is assigned to: ``net = Net().cuda()``."""
    call = ctx.tree.parent(move)
    assign = ctx.tree.parent(call) if call is not None else None
    return assign.targets[0].target if isinstance(assign, cst.Assign) else None
