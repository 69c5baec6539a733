"""Statements that do nothing but move tensors and modules, which change nothing where they do not move."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import is_none, origin, targets_named, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.collection_kinds import changes_kind
from devlint.analysis.transfers.comprehensions import each_element
from devlint.analysis.transfers.guarded_transfers import differs_only_in_moves, guarded_move, has_own_cpu
from devlint.analysis.transfers.present_receivers import may_be_missing
from devlint.analysis.transfers.received.filled_entries import is_filled
from devlint.analysis.transfers.unmovable_receivers import may_be_unmovable
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.syntax.stripped_calls import takes_to_cpu, without_space


def is_needless(ctx: FileContext, statement: cst.If) -> bool:
    """Whether the body of an ``if`` holds nothing but moves, or differs from its ``else`` only in moves."""
    if isinstance(ctx.tree.parent(statement), cst.If) or isinstance(statement.orelse, cst.If):
        return False
    if statement.orelse is None:
        return holds_only_moves(ctx, statement.body)
    other = statement.orelse.body
    return differs_only_in_moves(ctx, statement.body, other) or _differs_in_order(ctx, statement.body, other)


def _differs_in_order(ctx: FileContext, moved: cst.BaseSuite, kept: cst.BaseSuite) -> bool:
    """Whether two branches differ only in moves if those of what is there already are left out of both.

    Only what the first moves may be moved to the CPU by the second.
    """
    if "#" in ctx.text_of(moved) or "#" in ctx.text_of(kept):
        return False
    rest = [one for one in moved.body if not is_only_moves(ctx, one)]
    there = moved_below(ctx, moved)
    others = [one for one in kept.body if not _goes_to_cpu(ctx, one, there)]
    pairs = list(zip(rest, others))
    return len(rest) == len(others) < max(len(moved.body), len(kept.body)) and all(
        differs_only_in_moves(ctx, one, other) or without_space(ctx.text_of(one)) == without_space(ctx.text_of(other))
        for one, other in pairs
    )


def _goes_to_cpu(ctx: FileContext, statement: cst.CSTNode, moved: set[str | None]) -> bool:
    """Whether a statement is ``x.cpu()`` or ``x = x.cpu()`` for one of some names."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
    value = small.value if isinstance(small, (cst.Expr, cst.Assign)) else None
    if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Attribute) or not takes_to_cpu(value):
        return False
    if has_own_cpu(ctx):
        return False
    receiver = _target_text(ctx, value.func.value)
    targets = [one.target for one in small.targets] if isinstance(small, cst.Assign) else []
    return receiver in moved and receiver is not None and all(_target_text(ctx, one) == receiver for one in targets)


def holds_only_moves(ctx: FileContext, block: cst.BaseSuite) -> bool:
    """Whether a block holds nothing but ``x.cuda()`` and ``x = x.cuda()``, which change nothing without CUDA."""
    return all(is_only_moves(ctx, one) for one in block.body)


def is_only_moves(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether a statement of a block is nothing but moves, a loop over them or a choice, or without gradients."""
    if isinstance(statement, cst.SimpleStatementLine):
        return all(_is_plain(ctx, one) for one in statement.body)
    if isinstance(statement, cst.For) and statement.orelse is None and statement.asynchronous is None:
        is_plain = _is_plain_loop(ctx, statement.iter) or _goes_over_keys(ctx, statement)
        is_plain = is_plain or _goes_over_list(ctx, statement) or _goes_over_texts(ctx, statement)
        return is_plain and holds_only_moves(ctx, statement.body)
    if isinstance(statement, cst.With) and statement.asynchronous is None:
        return all(_changes_gradients(ctx, one) for one in statement.items) and holds_only_moves(ctx, statement.body)
    if isinstance(statement, cst.If):
        other = statement.orelse
        if isinstance(other, cst.If) and not is_only_moves(ctx, other):
            return False
        if isinstance(other, cst.Else) and not holds_only_moves(ctx, other.body):
            return False
        return is_plain_test(ctx, statement.test, moved_below(ctx, statement)) and holds_only_moves(ctx, statement.body)
    return _is_plain(ctx, statement)


def _changes_gradients(ctx: FileContext, item: cst.WithItem) -> bool:
    """Whether a block under ``with`` is ``torch.no_grad()`` or ``torch.enable_grad()``, and has no name."""
    called = item.item.func if isinstance(item.item, cst.Call) and not item.item.args and item.asname is None else None
    return called is not None and origin(ctx, called) in ("torch.no_grad", "torch.enable_grad")


def is_plain_test(ctx: FileContext, test: cst.BaseExpression, moved: Collection[str | None] = ()) -> bool:
    """Whether a test only asks, and may be left out or asked on every machine: names, constants, what compares them.

    So are tests for tensors. Whether something that is ``moved`` is true, or equal to something, may be an error.
    """
    if isinstance(test, cst.BooleanOperation):
        return is_plain_test(ctx, test.left, moved) and is_plain_test(ctx, test.right, moved)
    if isinstance(test, cst.UnaryOperation):
        return is_plain_test(ctx, test.expression, moved)
    if isinstance(test, cst.Comparison):
        compared = compared_values(test)
        if all(isinstance(one.operator, (cst.Is, cst.IsNot)) for one in test.comparisons) or is_none(compared[-1]):
            return all(dotted_name(one) for one in compared)
        return all(is_plain_test(ctx, one, moved) for one in compared)
    if isinstance(test, (cst.Tuple, cst.List, cst.Set)):
        return all(is_plain_test(ctx, one.value, moved) for one in test.elements)
    if isinstance(test, cst.Call):
        return _asks_for_kind(ctx, test, moved)
    dotted = dotted_name(test)
    return dotted not in moved if dotted is not None else _is_constant(test)


def moved_below(ctx: FileContext, statement: cst.CSTNode) -> set[str | None]:
    """The names and attributes that a statement moves."""
    calls = (one for one in ctx.tree.below(statement) if isinstance(one, cst.Call))
    return {_target_text(ctx, one.func.value) for one in calls if isinstance(one.func, cst.Attribute)}


def _is_plain_loop(ctx: FileContext, values: cst.BaseExpression) -> bool:
    """Whether looping over something uses nothing up: ``range(n)``, ``range(len(x))``, ``x.items()``."""
    if not isinstance(values, cst.Call):
        return False
    if isinstance(values.func, cst.Attribute) and values.func.attr.value in ("items", "keys", "values"):
        return not values.args and dotted_name(values.func.value) is not None
    if dotted_name(values.func) not in ("range", "len"):
        return False
    plain = (_is_constant(arg.value) or dotted_name(arg.value) or _is_plain_loop(ctx, arg.value) for arg in values.args)
    return all(plain)


def _goes_over_keys(ctx: FileContext, loop: cst.For) -> bool:
    """Whether a loop is ``for key in batch``, and takes ``batch[key]`` each time: nothing is used up so."""
    name, key = dotted_name(loop.iter), dotted_name(loop.target)
    taken = (one for one in ctx.tree.below(loop.body) if isinstance(one, cst.Subscript))
    return None not in (name, key) and any(_target_text(ctx, one) == f"{name}[{key}]" for one in taken)


def _goes_over_list(ctx: FileContext, loop: cst.For) -> bool:
    """Whether a loop takes each element of a list that the file makes, under a name that is for such loops alone."""
    walked, target = dotted_name(loop.iter), dotted_name(loop.target)
    if walked is None or target is None or "." in target:
        return False
    made: list[cst.BaseExpression | None] = [*assigned_values(ctx, walked, loop.iter)]
    if isinstance(loop.iter, cst.Name):
        made = [one.value if one.how is How.ASSIGN else None for one in reaching_definitions(ctx, loop.iter)]
    elif len(made) != len(targets_named(ctx, walked)):
        return False
    return bool(made) and all(_is_list(ctx, one) for one in made) and _is_for_loops(ctx, loop, target)


def _goes_over_texts(ctx: FileContext, loop: cst.For) -> bool:
    """Whether a loop is ``for key in ["x", "y"]``, and moves what lines above put there as tensors."""
    if not isinstance(loop.iter, (cst.List, cst.Tuple)) or not isinstance(loop.target, cst.Name):
        return False
    taken = [one for one in ctx.tree.below(loop.body) if isinstance(one, cst.Subscript)]
    is_known = bool(taken) and all(is_filled(ctx, one) for one in taken)
    return is_known and _is_for_loops(ctx, loop, loop.target.value)


def _is_for_loops(ctx: FileContext, loop: cst.For, target: str) -> bool:
    """Whether the name that a loop binds is read in such loops alone."""
    uses = uses_of(ctx, scopes(ctx).binder(target, loop), target)
    return all(any(_is_loop_of(up, target) for up in ctx.tree.ancestors(one)) for one in uses)


def _is_loop_of(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.For) and dotted_name(node.target) == name


def _is_list(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    """Whether an expression makes a list or a tuple, or torch's list of modules."""
    is_modules = isinstance(value, cst.Call) and origin(ctx, value.func) == "torch.nn.ModuleList"
    return is_modules or isinstance(value, (cst.ListComp, cst.List, cst.Tuple))


def _asks_for_kind(ctx: FileContext, test: cst.Call, moved: Collection[str | None]) -> bool:
    """Whether a test is ``torch.is_tensor(x)`` or ``isinstance(x, torch.Tensor)``, or ``isinstance`` of what stays."""
    if not test.args:
        return False
    asked, *kinds = [one.value for one in test.args]
    name = _target_text(ctx, asked)
    if name is None or len(kinds) != (dotted_name(test.func) == "isinstance"):
        return False
    if not kinds:
        return origin(ctx, test.func) == "torch.is_tensor"
    named = [one.value for one in kinds[0].elements] if isinstance(kinds[0], cst.Tuple) else kinds
    origins = [origin(ctx, one) or "" for one in named if dotted_name(one) is not None]
    is_known = origins == ["torch.Tensor"] or name not in moved
    return len(origins) == len(named) and is_known and not any(one.startswith("torch.cuda.") for one in origins)


def _is_plain(ctx: FileContext, statement: cst.CSTNode) -> bool:
    if isinstance(statement, cst.Expr):
        values = (
            [one.value for one in statement.value.elements]
            if isinstance(statement.value, cst.Tuple)
            else [statement.value]
        )
        return all(isinstance(one, cst.Call) and _moved(ctx, one) is not None for one in values)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return False
    return _moves_itself(ctx, statement.targets[0].target, statement.value)


def _moves_itself(ctx: FileContext, target: cst.CSTNode, value: cst.CSTNode) -> bool:
    """Whether ``target = value`` gives each target its own value, moved, or a collection of its own values, moved."""
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
        return all(_moves_itself(ctx, one.value, other.value) for one, other in zip(target.elements, value.elements))
    if isinstance(value, cst.IfExp) and is_none(value.body) and isinstance(value.test, cst.Comparison):
        sole, asked = value.test.comparisons[0], [_target_text(ctx, one) for one in compared_values(value.test)]
        asks = isinstance(sole.operator, cst.Is) and asked == [_target_text(ctx, target), "None"]
        return asks and _moves_itself(ctx, target, value.orelse)  # ``x = None if x is None else x.cuda()``
    each = each_element(value)
    if each is not None:
        receiver = _moved(ctx, each.made) if isinstance(each.made, cst.Call) else None
        walked, same = _named(ctx, each.walked), _named(ctx, target)
        if receiver is None or dotted_name(receiver) != each.name or walked != same or None in same:
            return False
        return isinstance(target, (cst.Tuple, cst.List)) or not changes_kind(ctx, value, each.walked)
    moved = _moved(ctx, value) if isinstance(value, cst.Call) else value
    if moved is None or _target_text(ctx, target) is None:
        return False
    return _target_text(ctx, target) == _target_text(ctx, moved) or _is_item(ctx, target, moved)


def _named(ctx: FileContext, node: cst.CSTNode) -> list[str | None]:
    """What a name or attribute is called, or each of a display of such: ``a, b = [x.cuda() for x in [a, b]]``."""
    if not isinstance(node, (cst.Tuple, cst.List)):
        return [_target_text(ctx, node)]
    plain = (
        one.value for one in node.elements if isinstance(one, cst.Element) and not may_be_unmovable(ctx, one.value)
    )
    found = [_target_text(ctx, one) for one in plain]
    return found if 1 < len(found) == len(node.elements) else [None]


def _is_item(ctx: FileContext, target: cst.CSTNode, moved: cst.CSTNode) -> bool:
    """Whether ``target`` is ``x[k]`` and ``moved`` is ``v`` in ``for k, v in x.items()``."""
    loop = next((one for one in ctx.tree.ancestors(target) if isinstance(one, cst.For)), None)
    if loop is None or not isinstance(loop.target, cst.Tuple) or not isinstance(target, cst.Subscript):
        return False
    pair = [dotted_name(one.value) for one in loop.target.elements]
    index = target.slice[0].slice
    key = dotted_name(index.value) if isinstance(index, cst.Index) else None
    items = f"{dotted_name(target.value)}.items"
    walks = isinstance(loop.iter, cst.Call) and dotted_name(loop.iter.func) == items
    return walks and pair == [key, dotted_name(moved)]


def _moved(ctx: FileContext, call: cst.Call) -> cst.BaseExpression | None:
    """The receiver of a move, if evaluating it has no side effects."""
    move = guarded_move(ctx, call)
    if move is None or not move.understood or _target_text(ctx, move.receiver) is None:
        return None
    if move.move is not None and not all(_is_constant(arg.value) for arg in move.move.rest):
        return None
    if is_filled(ctx, move.receiver):
        return move.receiver
    if may_be_missing(ctx, move.receiver) or may_be_unmovable(ctx, move.receiver):
        return None
    return move.receiver


def _target_text(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """A name, attribute or constant subscript as text; None where evaluating it may have side effects."""
    if isinstance(node, cst.Subscript):
        plain = all(isinstance(one.slice, cst.Index) and _is_constant(one.slice.value) for one in node.slice)
        return ctx.text_of(node) if plain and _target_text(ctx, node.value) is not None else None
    return dotted_name(node)


def _is_constant(node: cst.CSTNode) -> bool:
    return isinstance(node, (cst.Integer, cst.SimpleString, cst.Name))
