"""Chains that ask for one accelerator after the other, and take the device of the first that is there."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import in_torch_device, origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact, fact_of
from devlint.torch_api.device_naming import NOT_FOR_CUDA

_KINDS = ("cuda", "mps", "xpu", "npu", "mlu", "musa", "hpu", "sdaa", "mtia")
_KIND = rf"({'|'.join(_KINDS)})"
"""The accelerators that torch.accelerator knows where their backend is there."""
_ASKED = regex(rf"torch\.(?:backends\.)?{_KIND}\.is_available\Z|(?:.*\.)?is_(?:torch_)?{_KIND}_available\Z")
_OTHER = regex(rf"(?:^|_)(?:{'|'.join(sorted(NOT_FOR_CUDA))})(?:_|$)", re.IGNORECASE)
_FEWEST = 2


class VendorChain(Record, eq=False):
    """A chain that chooses among accelerators, and the CPU in the end."""

    first: cst.CSTNode
    last: cst.CSTNode
    """The first and the last statement of it; the same expression twice for conditional expressions."""
    target: str | None
    """What is given the device, as written; empty where it is returned, None where it is an expression."""
    as_device: bool
    """Whether the choices are of type torch.device, and not strings."""
    card: str | None = None
    """The number of the card that is meant of each accelerator."""
    is_known: bool = True
    """Whether each test only asks whether its accelerator is there, and not for an option of the program, too."""
    end: cst.CSTNode | None = None
    """What ends the last choice."""
    kept: cst.Else | None = None
    """What runs without an accelerator, where it does more than to take the CPU, or the chain begins in the middle."""


class _Choice(Record):
    """One device, and what takes it."""

    target: str
    kind: str
    card: str | None
    as_device: bool


@fact
def vendor_chains(ctx: FileContext) -> list[VendorChain]:
    """The chains of a file that are understood as a whole."""
    found = [_of_statement(ctx, one) for one in ctx.tree.of_type(cst.If) if not is_branch(ctx, one)]
    found += [_of_branches(ctx, one) for one in ctx.tree.of_type(cst.If) if _begins(ctx, one)]
    found += [_of_expression(ctx, one) for one in ctx.tree.of_type(cst.IfExp) if not is_branch(ctx, one)]
    inside: set[int] = set()
    chains = []
    for one in found:
        if one is not None and id(one.first) not in inside:
            chains.append(one)
            inside.add(id(one.first))
            block = ctx.tree.parent(one.first)
            if one.first is not one.last and block is not None:
                inside |= {id(two) for two in statements(block)}
    return chains


def in_vendor_chain(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a test belongs to such a chain."""
    if not any(isinstance(one, (cst.If, cst.IfExp)) for one in ctx.tree.ancestors(node)):
        return False
    return any(
        node is one for chain in vendor_chains(ctx) for part in _parts(ctx, chain) for one in ctx.tree.below(part)
    )


def _parts(ctx: FileContext, chain: VendorChain) -> list[cst.CSTNode]:
    """The statements of a chain, or its expression."""
    block = ctx.tree.parent(chain.first)
    if chain.first is chain.last or block is None:
        return [chain.first]
    several = list(statements(block))
    at = [index for index, one in enumerate(several) if one is chain.first or one is chain.last]
    return list(several[at[0] : at[-1] + 1])


@fact_of
def names_other_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether something below ``node`` is for another accelerator than CUDA, by its name."""
    for one in ctx.tree.below(node):
        if isinstance(one, cst.SimpleString):
            if (string_value(one) or "").partition(":")[0] in NOT_FOR_CUDA:
                return True
        elif isinstance(one, cst.Name) and _OTHER.search(one.value):
            return True
    return False


def beside_other_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is in a branch of a choice whose other branches, or their tests, are for another accelerator."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.If, cst.IfExp)):
            others = [one for one in (parent.test, parent.body, parent.orelse) if one is not None and one is not child]
            if any(names_other_accelerator(ctx, one) for one in others):
                return True
        elif isinstance(parent, (cst.FunctionDef, cst.ClassDef)):
            return False
    return False


@fact_of
def asks_for_others(ctx: FileContext, block: cst.IndentedBlock | cst.Module) -> bool:
    """Whether a statement of a block asks for another accelerator, as those of a chain do."""
    choices = (one for one in block.body if isinstance(one, cst.If))
    return any(names_other_accelerator(ctx, one.test) for one in choices)


def is_branch(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a choice is what another one falls back to."""
    parent = ctx.tree.parent(node)
    return isinstance(parent, (cst.If, cst.IfExp)) and parent.orelse is node


def asked_kind(ctx: FileContext, test: cst.BaseExpression) -> str | None:
    """The kind of accelerator that a test asks for: ``torch.cuda.is_available()``, ``is_torch_npu_available()``."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        checked = isinstance(test.left, cst.Call) and dotted_name(test.left.func) == "hasattr"
        return asked_kind(ctx, test.right) if checked else None
    if not isinstance(test, cst.Call) or test.args:
        return None
    found = _ASKED.match(origin(ctx, test.func) or dotted_name(test.func) or "")
    return (found.group(1) or found.group(2)) if found else None


def _device(ctx: FileContext, value: cst.BaseExpression | None) -> tuple[str, str | None, bool] | None:
    """The kind of a device, the number of its card, and whether it is a torch.device."""
    text = in_torch_device(ctx, value) if value is not None else None
    made = text is not value
    if isinstance(text, cst.FormattedString):
        return _numbered(ctx, text, made)
    named = string_value(text) if text is not None else None
    if named is None:
        return None
    kind, _, card = named.partition(":")
    return kind, card or None, made


def _numbered(ctx: FileContext, text: cst.FormattedString, made: bool) -> tuple[str, str | None, bool] | None:
    """``f"cuda:{rank}"``."""
    first, last = text.parts[0], text.parts[-1]
    plain = isinstance(first, cst.FormattedStringText) and isinstance(last, cst.FormattedStringExpression)
    if len(text.parts) != 2 or not plain or not isinstance(last, cst.FormattedStringExpression):
        return None
    assert isinstance(first, cst.FormattedStringText)
    card = dotted_name(last.expression)
    is_whole = first.value.endswith(":") and last.conversion is None and last.format_spec is None
    return (first.value[:-1], card, made) if is_whole and card is not None else None


def _cards(devices: Iterable[tuple[str, str | None]]) -> set[str | None]:
    """The numbers of the cards of several accelerators; MPS has no other card than its first."""
    found = [(kind, card) for kind, card in devices if kind != "cpu"]
    first = {card for kind, card in found if kind != "mps"} == {"0"}
    return {card for kind, card in found if not (first and kind == "mps" and card is None)}


def _choice(ctx: FileContext, block: cst.CSTNode) -> _Choice | None:
    """The device that a branch takes, if it does nothing else."""
    lines = [block] if isinstance(block, cst.SimpleStatementLine) else list(statements(block))
    line = lines[0] if len(lines) == 1 else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    small = line.body[0]
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        device, target = _device(ctx, small.value), ctx.text_of(small.targets[0].target)
    elif isinstance(small, cst.Return):
        device, target = _device(ctx, small.value), ""
    else:
        return None
    return _Choice(target, *device) if device is not None else None


def _of_statement(ctx: FileContext, statement: cst.If) -> VendorChain | None:
    """``if torch.cuda.is_available(): device = "cuda"`` with its ``elif`` and ``else``, or more such that return."""
    choices: list[tuple[str | None, _Choice | None]] = []
    last: cst.CSTNode = statement
    branch: cst.CSTNode | None = statement
    while isinstance(branch, cst.If):
        choices.append((asked_kind(ctx, branch.test), _choice(ctx, branch.body)))
        if branch.orelse is None:
            following = _next(ctx, last) if choices[-1][1] and choices[-1][1].target == "" else None
            branch = last = following or last
            if following is None:
                return None
        else:
            branch = branch.orelse
    choices.append(("cpu", _choice(ctx, branch.body if isinstance(branch, cst.Else) else branch or statement)))
    kinds = [one.kind for asked, one in choices if one is not None and asked in (one.kind, None)]
    shapes = {(one.target, one.as_device) for _, one in choices if one is not None}
    cards = _cards((one.kind, one.card) for _, one in choices if one is not None)
    if len(kinds) != len(choices) or len(shapes) != 1 or len(cards) != 1 or not _is_several(kinds):
        return None
    target, as_device = shapes.pop()
    is_known = all(asked is not None for asked, _ in choices)
    end = statements(branch.body)[-1] if isinstance(branch, cst.Else) else branch
    return VendorChain(statement, last, target, as_device, cards.pop(), is_known, end)


def _begins(ctx: FileContext, statement: cst.If) -> bool:
    """Whether a test for an accelerator is the first of a choice, or the first after tests for something else."""
    above = ctx.tree.parent(statement)
    is_first = not isinstance(above, cst.If) or above.orelse is not statement or asked_kind(ctx, above.test) is None
    return is_first and asked_kind(ctx, statement.test) is not None


def _of_branches(ctx: FileContext, statement: cst.If) -> VendorChain | None:
    """The branches of a chain that take an accelerator, above an ``else`` that stays as it is."""
    choices: list[tuple[str | None, _Choice | None]] = []
    branch: cst.If | cst.Else | None = statement
    while isinstance(branch, cst.If):
        choices.append((asked_kind(ctx, branch.test), _choice(ctx, branch.body)))
        branch = branch.orelse
    known = [one for asked, one in choices if one is not None and asked == one.kind]
    cards = _cards((one.kind, one.card) for one in known)
    shapes = {(one.target, one.as_device) for one in known}
    if branch is None or len(known) != len(choices) or len(shapes) != 1 or len(cards) != 1:
        return None
    if not _is_several([*(one.kind for one in known), "cpu"]) or names_other_accelerator(ctx, branch):
        return None
    target, as_device = shapes.pop()
    last = statements(branch.body)[-1]
    return VendorChain(statement, statement, target, as_device, cards.pop(), True, last, branch)


def _next(ctx: FileContext, statement: cst.CSTNode) -> cst.CSTNode | None:
    """The statement below one in the same block."""
    block = ctx.tree.parent(statement)
    several = list(statements(block)) if block is not None else []
    at = next((index for index, one in enumerate(several) if one is statement), len(several))
    return several[at + 1] if at + 1 < len(several) else None


def _is_several(kinds: list[str]) -> bool:
    return "cuda" in kinds and len(set(kinds)) == len(kinds) > _FEWEST and {*kinds} <= {*_KINDS, "cpu"}


def _of_expression(ctx: FileContext, choice: cst.IfExp) -> VendorChain | None:
    """``"cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"``."""
    found: list[tuple[str | None, tuple[str, str | None, bool] | None]] = []
    value: cst.BaseExpression = choice
    while isinstance(value, cst.IfExp):
        found.append((asked_kind(ctx, value.test), _device(ctx, value.body)))
        value = value.orelse
    found.append(("cpu", _device(ctx, value)))
    kinds = [device[0] for asked, device in found if device is not None and device[0] == asked]
    shapes = {device[2] for _, device in found if device is not None}
    cards = _cards(device[:2] for _, device in found if device is not None)
    if len(kinds) != len(found) or len(shapes) != 1 or len(cards) != 1 or not _is_several(kinds):
        return None
    return VendorChain(choice, choice, None, shapes.pop(), cards.pop())
