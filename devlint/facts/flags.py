"""Flags of the program that already mean "use the GPU", and where a device can be built from them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.facts.conditions import condition_text, flag_polarity, is_repeatable, is_strict_flag
from devlint.facts.flow import block_path, certainly_bound, is_main_guard, statements
from devlint.facts.guards import Guard, guards_of
from devlint.facts.modules import class_of, method_of, self_name
from devlint.facts.names import bindings, origin
from devlint.facts.placement import Anchor, function_start, roots, runs_before
from devlint.facts.scopes import How, Scope, bound_values, dotted_name, scopes


@dataclass(frozen=True)
class Condition:
    """A test that means "use the GPU", as source text, and the dotted names it is made of."""

    text: str
    names: frozenset[str]


def conditions(ctx: FileContext) -> list[Condition]:
    """The conditions under which the file uses CUDA, the most frequent first."""
    return ctx.fact(_conditions)


def _conditions(ctx: FileContext) -> list[Condition]:
    counted: Counter[Condition] = Counter()
    for node in cuda_uses(ctx):
        for guard in guards_of(ctx, node):
            condition = as_condition(ctx, guard.test, guard.holds)
            if condition is not None:
                counted[condition] += 1
    for assign in ctx.tree.of_type(cst.Assign):
        target = assign.targets[0].target
        if flag_polarity(target) is True and _asks_availability(ctx, assign.value) and dotted_name(target):
            counted[Condition(dotted_name(target) or "", frozenset({dotted_name(target) or ""}))] += 1
    refuted = _refuted(ctx)
    return [condition for condition, _ in counted.most_common() if condition.text not in refuted]


def _refuted(ctx: FileContext) -> frozenset[str]:
    """Tests that cannot mean "use the GPU": the program uses CUDA where they do not hold, too."""
    return ctx.fact(_find_refuted)


def _find_refuted(ctx: FileContext) -> frozenset[str]:
    found = set()
    for node in cuda_uses(ctx):
        for child, parent in ctx.tree.path_up(node):
            if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
                found.add(condition_text(ctx, parent.test, holds=child is not parent.body))
    return frozenset(found)


def cuda_uses(ctx: FileContext) -> list[cst.CSTNode]:
    """Moves, tensor types and strings that name CUDA."""
    found: list[cst.CSTNode] = []
    for one in ctx.tree.of_type(cst.Attribute):
        parent = ctx.tree.parent(one)
        moves = isinstance(parent, cst.Call) and parent.func is one
        names_type = isinstance(parent, cst.Attribute) and parent.attr.value.endswith("Tensor")
        if one.attr.value == "cuda" and (moves or names_type):
            found.append(one)
    return found + [one for one in ctx.tree.of_type(cst.SimpleString) if one.value[1:5] == "cuda"]


def _asks_availability(ctx: FileContext, value: cst.CSTNode) -> bool:
    if isinstance(value, cst.BooleanOperation):
        return _asks_availability(ctx, value.left) or _asks_availability(ctx, value.right)
    return _is_answer(ctx, value)


def _is_answer(ctx: FileContext, value: Optional[cst.CSTNode]) -> bool:
    """Whether a value is ``torch.cuda.is_available()``, also as ``True if … else False``."""
    if isinstance(value, cst.IfExp):
        branches = [one.value if isinstance(one, cst.Name) else "" for one in (value.body, value.orelse)]
        return branches == ["True", "False"] and _is_answer(ctx, value.test)
    return isinstance(value, cst.Call) and origin(ctx, value.func) == "torch.cuda.is_available"


def as_condition(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> Optional[Condition]:
    """The condition a guard's test stands for; None where it means more, or cannot be asked again."""
    if not is_strict_flag(ctx, test) or not is_repeatable(ctx, test):
        return None
    names = frozenset(
        name
        for name in roots(ctx, test)
        if not (_root_origin(ctx, name, test) or "").startswith("torch") and name != "len"
    )
    text = condition_text(ctx, test, holds)
    return Condition(text, names) if not names or text not in _refuted(ctx) else None


def _root_origin(ctx: FileContext, dotted: str, at: cst.CSTNode) -> Optional[str]:
    from devlint.facts.names import import_origin

    return import_origin(ctx, dotted.partition(".")[0], at)


def is_availability(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether a condition is nothing but torch's own answer: the call itself, or a name bound to it alone."""
    if not condition.names:
        return "is_available()" in condition.text and " " not in condition.text
    if condition.text not in condition.names or "." in condition.text:
        return False
    _, found = bindings(ctx, condition.text, at)
    return len(found) == 1 and _is_answer(ctx, found[0].value)


def anchor_for(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> Optional[Anchor]:
    """The place right after the flags of ``condition``, from which they decide at ``at``; None where they may not."""
    best: Optional[Anchor] = None
    for dotted in sorted(condition.names):
        root = dotted.partition(".")[0]
        scope = scopes(ctx).binder(root, at)
        if scope is None or not certainly_bound_or_read(ctx, dotted, scope, at):
            return None
        if not _is_known_here(ctx, dotted, scope, at):
            return None
        if any(one.how is How.IMPORT for one in scope.bindings[root]):
            return None
        anchor = _after_flag(ctx, dotted, scope, at)
        if anchor is None:
            return None
        if best is None or _is_later(ctx, anchor, best):
            best = anchor
    return best


def _is_known_here(ctx: FileContext, dotted: str, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether an attribute of a parameter is one that the same class, or the same function, uses itself.

    ``self.use_gpu`` of another class, or ``args.cuda`` of another function's ``args``, need not exist here.
    """
    root = dotted.partition(".")[0]
    if "." not in dotted or all(one.how is not How.PARAMETER for one in scope.bindings[root]):
        return True
    method = method_of(ctx, at)
    definition = class_of(ctx, at) if method is not None and self_name(method) == root else None
    where = definition if definition is not None else scope.node
    return any(isinstance(node, cst.Attribute) and dotted_name(node) == dotted for node in ctx.tree.below(where))


def _is_later(ctx: FileContext, one: Anchor, other: Anchor) -> bool:
    return ctx.span(one.statement).start > ctx.span(other.statement).start


def certainly_bound_or_read(ctx: FileContext, dotted: str, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether a flag's name is bound at ``at``, or its function relies on that anyway by reading it."""
    root = dotted.partition(".")[0]
    if certainly_bound(ctx, root, scope, at):
        return True
    function = scopes(ctx).function_of(at)
    if function is None or scopes(ctx).opened_by(function) is scope:
        return False
    return any(dotted_name(node) == dotted for node in ctx.tree.below(function))


def _after_flag(ctx: FileContext, dotted: str, scope: Scope, at: cst.CSTNode) -> Optional[Anchor]:
    """The place after the last statement of ``scope`` that gives the flag its value."""
    root = dotted.partition(".")[0]
    nodes = [one.node for one in scope.bindings[root] if one.how is not How.PARAMETER]
    nodes += _attribute_targets(ctx, dotted, scope)
    own = [node for node in nodes if scopes(ctx).scope_of(node) is scope]
    if len(own) < len(nodes):
        return None
    if not own:
        return function_start(ctx, scope.node, at) if isinstance(scope.node, cst.FunctionDef) else None
    anchor = _after_all(ctx, own, scope)
    if anchor is None:
        return None
    if "." in dotted:
        anchor = _settled(ctx, anchor, root)
    return anchor if runs_before(ctx, anchor, at) or _under_main_guard(ctx, anchor, dotted, at) else None


def _attribute_targets(ctx: FileContext, dotted: str, scope: Scope) -> list[cst.CSTNode]:
    """Assignments to an attribute of a name that ``scope`` binds."""
    if "." not in dotted:
        return []
    targets = [one for one in ctx.tree.of_type(cst.AssignTarget) if dotted_name(one.target) == dotted]
    root = dotted.partition(".")[0]
    return [one for one in targets if scopes(ctx).binder(root, one) is scope]


def _after_all(ctx: FileContext, nodes: list[cst.CSTNode], scope: Scope) -> Optional[Anchor]:
    """The place after the last of ``nodes``, in the innermost block that holds them all."""
    paths = [
        [
            (block, index)
            for block, index in block_path(ctx, node, scope.node)
            if not isinstance(block, cst.SimpleStatementLine)
        ]
        for node in nodes
    ]
    anchor = None
    for level in zip(*paths):
        blocks = {id(block) for block, _ in level}
        if len(blocks) > 1:
            break
        last = max(index for _, index in level)
        anchor = Anchor(scope, statements(level[0][0])[last])
        if len({index for _, index in level}) > 1:
            break
    return anchor


def _settled(ctx: FileContext, anchor: Anchor, root: str) -> Anchor:
    """The place after what may still change the options: ``cfg.merge_from_file(path)``, ``reset_config(cfg)``."""
    block = ctx.tree.parent(anchor.statement)
    following = statements(block) if block is not None else ()
    uses = {id(node) for node in cuda_uses(ctx)}
    seen = False
    for statement in following:
        if seen and not isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            below = list(ctx.tree.below(statement))
            if any(id(node) in uses for node in below):
                break
            if any(isinstance(node, cst.Expr) and _may_change(node.value, root) for node in below):
                anchor = Anchor(anchor.scope, statement)
        seen = seen or statement is anchor.statement
    return anchor


def _may_change(call: cst.CSTNode, root: str) -> bool:
    """Whether a call whose value nobody uses is a method of ``root`` or is given it, and does not just print it."""
    if not isinstance(call, cst.Call):
        return False
    called = dotted_name(call.func) or ""
    if called.startswith(f"{root}."):
        return True
    passed = any(isinstance(arg.value, cst.Name) and arg.value.value == root for arg in call.args)
    return passed and re.search(r"print|log|info|debug|write|dump|save|main|train|test|run|eval", called) is None


def _under_main_guard(ctx: FileContext, anchor: Anchor, dotted: str, at: cst.CSTNode) -> bool:
    """Whether the flag is set in the script's main part and the function of ``at`` relies on it already."""
    function = scopes(ctx).function_of(at)
    if function is None or not isinstance(anchor.scope.node, cst.Module):
        return False
    holder = ctx.tree.parent(anchor.statement)
    if holder is None or not is_main_guard(ctx.tree.parent(holder) or holder):
        return False
    return any(dotted_name(node) == dotted for node in ctx.tree.below(function))


def set_without_asking(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether the file gives a flag its value, as a constant or an option, and never asks whether there is CUDA.

    A parameter is the caller's business.
    """
    values = bound_values(ctx, dotted, at)
    if any("is_available" in ctx.text_of(one) for one in values):
        return False
    root, _, rest = dotted.partition(".")
    if any(isinstance(one, (cst.Name, cst.Attribute, cst.Subscript)) and not is_constant(one) for one in values):
        return False
    if values and rest == "":
        _, found = bindings(ctx, root, at)
        return all(one.how is How.ASSIGN for one in found)
    option = rest.rpartition(".")[2].replace("_", "[-_]")
    return bool(values) or re.search(rf"[\"']--{option}[\"']", ctx.source.text) is not None


def is_constant(node: cst.CSTNode) -> bool:
    """Whether a name is True, False or None."""
    return isinstance(node, cst.Name) and node.value in ("True", "False", "None")


def same_condition(ctx: FileContext, condition: str, guard: Guard) -> bool:
    """Whether a device's condition is the guard's: the same words, or both nothing but torch's own answer."""
    if guard.holds and condition == condition_text(ctx, guard.test):
        return True
    own = as_condition(ctx, guard.test, guard.holds)
    if own is None:
        return False
    plain = re.sub(r" and [\w.]+\.is_available\(\)\Z", "", condition)
    if own.text in (condition, plain):
        return True
    answer = re.compile(r"[\w.]*cuda\.is_available\(\)\Z")
    asks = answer.match(condition) or _names_answer(ctx, condition, guard.test)
    return bool(asks) and is_availability(ctx, own, guard.test)


def _names_answer(ctx: FileContext, condition: str, at: cst.CSTNode) -> bool:
    """Whether a name is bound to ``torch.cuda.is_available()`` alone."""
    return condition.isidentifier() and is_availability(ctx, Condition(condition, frozenset({condition})), at)
