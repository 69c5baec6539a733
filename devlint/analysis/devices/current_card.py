"""Whether a card is the current one, because its number is None or the program chose it: ``set_device(args.gpu)``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.devices.card_numbers import is_number
from devlint.analysis.devices.parsed_options import is_called_here_only
from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.implications import torch_says_cuda
from devlint.analysis.legacy_types.other_cards import CHOICES_OF_CARDS
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import block_path, exits, statements
from devlint.analysis.names.given_arguments import given_arguments
from devlint.analysis.names.resolution import attributes_named, implies_not_none, is_torch, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import module_name
from devlint.analysis.project.searches import search
from devlint.syntax.file_context import FileContext, fact

_CHOOSING = ("device", "device_of", "set_device")
_LOOPS = (cst.For, cst.While)
_MOST_CALLS = 3
"""Functions that are followed to those who call them."""


def is_current_card(ctx: FileContext, number: cst.BaseExpression) -> bool:
    """Whether the number of a card, an option of the program, is None or that of the current card in every run.

    So it is with ``args.gpu`` below ``if args.gpu is not None: torch.cuda.set_device(args.gpu)``, also in what is
    called there, and with 0 in a function below ``torch.cuda.set_device(0)``, where the file chooses no other card.
    """
    if isinstance(number, cst.Integer):
        return _is_chosen_above(ctx, number)
    name = dotted_name(number)
    if not isinstance(number, cst.Attribute) or name is None or name.count(".") != 1:
        return False
    return _is_chosen_once(ctx, number.attr.value) and is_number(ctx, number) and _is_current(ctx, name, number)


def _is_chosen_above(ctx: FileContext, number: cst.Integer) -> bool:
    """Whether statements above a literal number make its card the current one, and the file never another."""
    chosen = _literal_choices(ctx)
    if chosen is None or {card for _, card in chosen} != {number.evaluated_value}:
        return False
    calls = {id(call) for call, _ in chosen}
    path = block_path(ctx, number, scopes(ctx).function_of(number) or ctx.module)
    above = (line for block, index in path for line in statements(block)[:index])
    lines = (line.body for line in above if isinstance(line, cst.SimpleStatementLine))
    found = [one for line in lines for one in line if isinstance(one, cst.Expr) and id(one.value) in calls]
    return any(not _may_choose_between(ctx, one, number) for one in found)


def _may_choose_between(ctx: FileContext, start: cst.CSTNode, end: cst.CSTNode) -> bool:
    """Whether something is called between two places that comes from a file of the project that chooses cards."""
    found = search(project_around(ctx), CHOICES_OF_CARDS, "")
    modules = {module_name(one.path).decode("utf-8", "surrogatepass") for one in found or ()}
    first, last = ctx.span(start).end, ctx.span(end).start
    between = (one for one in ctx.tree.of_type(cst.Call) if modules and first <= ctx.span(one).start < last)
    return found is None or any(modules & set((origin(ctx, one.func) or "").split(".")) for one in between)


def may_be_other_card(ctx: FileContext, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether two places of a function may have different current cards: something between them chooses one.

    Or a block, ``with torch.cuda.device(k):``, a loop, or a function of the file or of another one that is called.
    """
    first, last = sorted((one, other), key=lambda node: ctx.span(node).start)
    start, end = ctx.span(first).start, ctx.span(last).start
    loops = [up for up in ctx.tree.ancestors(last) if isinstance(up, _LOOPS) and not ctx.tree.is_around(up, first)]
    function, choosers = scopes(ctx).function_of(one), set[str]()
    for call in _choices_of_card(ctx):
        owner = scopes(ctx).function_of(call)
        block = next((up for up in ctx.tree.ancestors(call) if isinstance(up, (cst.With, cst.BaseSuite))), None)
        if owner is not function:
            choosers |= {owner.name.value} if owner is not None else set()
        elif start <= ctx.span(call).start < end or any(ctx.tree.is_around(loop, call) for loop in loops):
            return True
        elif isinstance(block, cst.With) and ctx.tree.is_around(block, first) is not ctx.tree.is_around(block, last):
            return True
    between = (call for call in ctx.tree.of_type(cst.Call) if choosers and start <= ctx.span(call).start < end)
    called = {(dotted_name(call.func) or "").rpartition(".")[2] for call in between}
    return bool(choosers & called) or _may_choose_between(ctx, first, last)


@fact
def _choices_of_card(ctx: FileContext) -> list[cst.Call]:
    """The calls that choose the current card, for good or for a block."""
    calls = ctx.tree.of_type(cst.Call)
    return [one for one in calls if any(is_torch(ctx, one.func, f"cuda.{name}") for name in _CHOOSING)]


@fact
def _calls_that_choose(ctx: FileContext) -> tuple[tuple[cst.Call, cst.BaseExpression], ...] | None:
    """The calls that choose the current card, and what they are given; None where a block or another call does."""
    found = []
    for call in ctx.tree.of_type(cst.Call):
        if is_torch(ctx, call.func, "cuda.device"):
            return None
        if is_torch(ctx, call.func, "cuda.set_device"):
            if len(call.args) != 1:
                return None
            found.append((call, call.args[0].value))
    return tuple(found)


@fact
def _literal_choices(ctx: FileContext) -> tuple[tuple[cst.Call, int], ...] | None:
    """The calls that choose the current card by literal numbers; None where one does in another way."""
    chosen = _calls_that_choose(ctx)
    found = [(call, card.evaluated_value) for call, card in chosen or () if isinstance(card, cst.Integer)]
    return tuple(found) if chosen is not None and len(found) == len(chosen) else None


def _is_chosen_once(ctx: FileContext, attribute: str) -> bool:
    """Whether nothing but an option of this name chooses the current card, and only before it does."""
    chosen = ctx.fact(_choices)
    if chosen is None or {name.rpartition(".")[2] for _, name in chosen} != {attribute}:
        return False
    first = {id(scopes(ctx).function_of(call)): ctx.span(call).start for call, _ in reversed(chosen)}
    given = [one for one in attributes_named(ctx, attribute) if is_target(ctx, one)]
    return all(ctx.span(one).start < first.get(id(scopes(ctx).function_of(one)), -1) for one in given)


@fact
def _choices(ctx: FileContext) -> tuple[tuple[cst.Call, str], ...] | None:
    """The calls that choose the current card, and what they are given; None where that is not a name, or a block."""
    chosen = _calls_that_choose(ctx)
    named = ((call, dotted_name(card)) for call, card in chosen or ())
    found = [(call, name) for call, name in named if name is not None]
    return tuple(found) if chosen is not None and len(found) == len(chosen) else None


def _is_current(ctx: FileContext, name: str, at: cst.CSTNode, calls: int = _MOST_CALLS) -> bool:
    """Whether a card has become the current one, or is known to be None, wherever ``at`` is reached."""
    function = scopes(ctx).function_of(at)
    for block, index in reversed(block_path(ctx, at, function or ctx.module)):
        if _block_settles(ctx, statements(block)[:index], name) or _is_none_in(ctx, block, name):
            return True
    root, _, attribute = name.partition(".")
    scope = scopes(ctx).opened_by(function) if function is not None else None
    found = scope.bindings[root] if scope is not None and root in scope.bindings else []
    param = found[0].node if len(found) == 1 and found[0].how is How.PARAMETER else None
    if not isinstance(param, cst.Param) or calls == 0 or not is_called_here_only(ctx, param):
        return False
    given = given_arguments(ctx, param)
    return bool(given) and all(
        isinstance(one, cst.Name) and _is_current(ctx, f"{one.value}.{attribute}", one, calls - 1)
        for one in given or ()
    )


def _is_none_in(ctx: FileContext, block: cst.CSTNode, name: str) -> bool:
    """Whether the test of an ``if`` says that a name is None in one of its blocks."""
    owner = ctx.tree.parent(block)
    if isinstance(owner, cst.Else):
        block, owner = owner, ctx.tree.parent(owner)
    return isinstance(owner, cst.If) and says_none(owner.test, name, owner.body is block)


def unset_numbers(ctx: FileContext, at: cst.CSTNode) -> Iterator[str]:
    """The names that are None at a place by a test around it: ``gpu`` in the ``else`` of ``if gpu is not None:``."""
    for child, parent in ctx.tree.path_up(at):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            return
        if isinstance(parent, cst.If) and child is not parent.test and isinstance(parent.test, cst.Comparison):
            name = dotted_name(parent.test.left)
            if name is not None and says_none(parent.test, name, child is parent.body):
                yield name


def is_test_for_none(test: cst.BaseExpression, name: str) -> bool:
    """Whether a test asks whether a name is None, and nothing else."""
    return says_none(test, name, True) or says_none(test, name, False)


def says_none(test: cst.BaseExpression, name: str, holds: bool) -> bool:
    """Whether a name is None where a test is true, or (``holds=False``) false: ``x is None``, ``x is not None``."""
    return isinstance(test, cst.Comparison) and implies_not_none(test, name, not holds)


def _block_settles(ctx: FileContext, lines: Sequence[cst.CSTNode], name: str) -> bool:
    return any(_settles(ctx, line, name) for line in lines)


def _settles(ctx: FileContext, line: cst.CSTNode, name: str) -> bool:
    """Whether a card is the current one, None, or of no use, whenever a statement has run."""
    if isinstance(line, cst.SimpleStatementLine):
        calls = [one.value for one in line.body if isinstance(one, cst.Expr)]
        return any(call is one and name == card for one in calls for call, card in ctx.fact(_choices) or ())
    if not isinstance(line, cst.If):
        return False
    there = (
        says_none(line.test, name, True)
        or torch_says_cuda(ctx, line.test, False)
        or exits(line.body)
        or _block_settles(ctx, statements(line.body), name)
    )
    if not there or says_none(line.test, name, False):
        return there
    other = line.orelse.body if isinstance(line.orelse, cst.Else) else line.orelse
    if isinstance(other, cst.If):
        return _settles(ctx, other, name)
    return other is not None and (exits(other) or _block_settles(ctx, statements(other), name))
