"""Moves under a test for CUDA, and whether the test guards anything else."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.guards.implications import torch_says_cuda
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, methods
from devlint.analysis.names.control_flow import calls_exit, statements
from devlint.analysis.names.resolution import origin, sole_value
from devlint.analysis.names.test_code import is_test
from devlint.analysis.transfers.cuda_method_calls import CudaMove, cuda_move, move_edits, names_device_index
from devlint.analysis.transfers.queried_tensors import queried_tensor
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


class GuardedMove(Record, eq=False):
    """``x.cuda()`` or ``x.to("cuda")`` where a test for CUDA holds."""

    call: cst.Call
    receiver: cst.BaseExpression
    first: cst.CSTNode
    """The method's name."""
    written: str
    """How a message shows it."""
    move: CudaMove | None = None
    """None for ``.to``."""
    literal: cst.BaseExpression | None = None
    """The device that ``.to`` is given."""

    @property
    def understood(self) -> bool:
        """Whether the call can be rewritten."""
        return self.move is None or (self.move.whole and self.move.device is None)

    def edits(self, ctx: FileContext, device: str) -> list[Edit]:
        """The edits that move to ``device`` instead."""
        if self.move is not None:
            return move_edits(ctx, self.move, device)
        assert self.literal is not None, "a `.to` has a device"
        return [edits.replace_outer(ctx, self.literal, device)]


def guarded_move(ctx: FileContext, call: cst.Call) -> GuardedMove | None:
    """The guarded move that ``call`` is; None for all else."""
    if not isinstance(call.func, cst.Attribute):
        return None
    name = call.func.attr
    if name.value == "cuda":
        move = cuda_move(ctx, call)
        if move is None or names_device_index(ctx, move) or not is_guarded(ctx, call):
            return None
        return GuardedMove(call, move.receiver, name, ".cuda()", move)
    if name.value == "to" and call.args and isinstance(ctx.tree.parent(call), (cst.Expr, cst.Assign)):
        first = call.args[0]
        literal = cuda_literal(ctx, first.value) if not first.star else None
        in_slot = first.keyword is None or first.keyword.value == "device"
        if literal is not None and literal.index is None and in_slot and is_guarded(ctx, call):
            return GuardedMove(call, call.func.value, name, f".to({ctx.text_of(first.value)})", literal=first.value)
    return None


def stays_for_cuda(ctx: FileContext, move: cst.CSTNode, guard: Guard) -> bool:
    """Whether a move runs only where torch has CUDA, and still would after a fix, which is then of no use.

    So it is for a test that is skipped elsewhere, for one of two different values, after ``on_gpu = x.is_cuda``, and
    where the program ends without CUDA.
    """
    owner, test = guard.owner, guard.test
    if isinstance(owner, (cst.Decorator, cst.Assign)):
        return True
    value = sole_value(ctx, test) if isinstance(test, cst.Name) else None
    if value is not None and guard.holds and queried_tensor(ctx, value) is not None:
        return True
    if not torch_says_cuda(ctx, test, guard.holds):
        return False
    if isinstance(owner, cst.Assert) or _ends_program(ctx, guard, move):
        return True
    if isinstance(owner, cst.IfExp):
        moved, kept = (owner.body, owner.orelse) if guard.holds else (owner.orelse, owner.body)
        return not differs_only_in_moves(ctx, moved, kept)
    return _is_in_test(ctx, move) and not (isinstance(owner, cst.If) and is_needless(ctx, owner))


def _ends_program(ctx: FileContext, guard: Guard, move: cst.CSTNode) -> bool:
    """Whether an ``if`` above a move raises an exception, or leaves the program, where its test says no CUDA."""
    test = guard.owner
    if not isinstance(test, cst.If) or any(one is test for one in ctx.tree.ancestors(move)):
        return False
    other = test.orelse if guard.holds else test
    body = statements(other.body) if isinstance(other, (cst.If, cst.Else)) else ()
    last = body[-1].body[-1] if body and isinstance(body[-1], cst.SimpleStatementLine) else None
    return isinstance(last, cst.Raise) or (isinstance(last, cst.Expr) and calls_exit(last))


def _is_in_test(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether code is part of a test, or of a class of tests."""
    definition = class_of(ctx, node)
    own = methods(definition) if definition is not None else ()
    around = (one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef))
    return any(is_test(ctx, one) for one in (*around, *own))


def is_needless(ctx: FileContext, statement: cst.If) -> bool:
    """Whether the body of an ``if`` holds nothing but moves, or differs from its ``else`` only in moves."""
    if isinstance(ctx.tree.parent(statement), cst.If) or isinstance(statement.orelse, cst.If):
        return False
    if statement.orelse is None:
        return holds_only_moves(ctx, statement.body)
    return differs_only_in_moves(ctx, statement.body, statement.orelse.body)


def holds_only_moves(ctx: FileContext, block: cst.BaseSuite) -> bool:
    """Whether a block holds nothing but ``x.cuda()`` and ``x = x.cuda()``, which change nothing without CUDA."""
    return all(is_only_moves(ctx, one) for one in block.body)


def is_only_moves(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether a statement of a block is nothing but moves, or a loop over them, which may test for tensors."""
    if isinstance(statement, cst.SimpleStatementLine):
        return all(_is_plain(ctx, one) for one in statement.body)
    if isinstance(statement, cst.For) and statement.orelse is None and statement.asynchronous is None:
        return _is_plain_loop(ctx, statement.iter) and holds_only_moves(ctx, statement.body)
    if isinstance(statement, cst.If) and statement.orelse is None:
        return _asks_for_tensor(ctx, statement.test) and holds_only_moves(ctx, statement.body)
    return _is_plain(ctx, statement)


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


def _asks_for_tensor(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test is ``torch.is_tensor(x)`` or ``isinstance(x, torch.Tensor)``."""
    if not isinstance(test, cst.Call) or not all(dotted_name(arg.value) for arg in test.args):
        return False
    if dotted_name(test.func) == "isinstance":
        return len(test.args) == 2 and origin(ctx, test.args[1].value) == "torch.Tensor"
    return origin(ctx, test.func) == "torch.is_tensor"


def _is_plain(ctx: FileContext, statement: cst.CSTNode) -> bool:
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, cst.Call) and _moved(ctx, statement.value) is not None
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return False
    return _moves_itself(ctx, statement.targets[0].target, statement.value)


def _moves_itself(ctx: FileContext, target: cst.CSTNode, value: cst.CSTNode) -> bool:
    """Whether ``target = value`` gives each target its own value, moved."""
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
        return all(_moves_itself(ctx, one.value, other.value) for one, other in zip(target.elements, value.elements))
    moved = _moved(ctx, value) if isinstance(value, cst.Call) else value
    if moved is None or _target_text(ctx, target) is None:
        return False
    return _target_text(ctx, target) == _target_text(ctx, moved) or _is_item(ctx, target, moved)


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
    return move.receiver


def _target_text(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """A name, attribute or constant subscript as text; None where evaluating it may have side effects."""
    if isinstance(node, cst.Subscript):
        plain = all(isinstance(one.slice, cst.Index) and _is_constant(one.slice.value) for one in node.slice)
        return ctx.text_of(node) if plain and _target_text(ctx, node.value) is not None else None
    return dotted_name(node)


def _is_constant(node: cst.CSTNode) -> bool:
    return isinstance(node, (cst.Integer, cst.SimpleString, cst.Name))


def differs_only_in_moves(ctx: FileContext, moved: cst.CSTNode, kept: cst.CSTNode) -> bool:
    """Whether two pieces of code differ only in that the first moves what the second keeps, or moves to the CPU."""
    one = _without(ctx, moved, lambda call: guarded_move(ctx, call) is not None)
    return one is not None and one in ("".join(ctx.text_of(kept).split()), _without(ctx, kept, _takes_to_cpu))


def _takes_to_cpu(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "cpu" and not call.args


def _without(ctx: FileContext, node: cst.CSTNode, goes: Callable[[cst.Call], bool]) -> str | None:
    """The source of ``node`` without some method calls and without white space; None if it has none, or a comment."""
    span = ctx.outer_span(node)
    text = ctx.source.text[span.start : span.end]
    if "#" in text:
        return None
    cuts = []
    for one in ctx.tree.below(node):
        if isinstance(one, cst.Call) and isinstance(one.func, cst.Attribute) and goes(one):
            cuts.append((ctx.outer_span(one.func.value).end - span.start, ctx.span(one).end - span.start))
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return "".join(text.split()) if cuts else None
