"""Devices that the guard of a place asks: that of a tensor with ``is_cuda``, or one whose type it compares.

Or a word: ``if mode == "gpu":`` has nothing to do with the flag that a device was built from.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from devlint.analysis.devices.device_conditions import devices_at
from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.transfers.queried_tensors import guarding_device, guarding_tensor
from devlint.core.lazy_regex import regex
from devlint.fixes.device.cards.card_stability import index_caveat
from devlint.fixes.device.choice import DeviceChoice, device_of_tensor
from devlint.syntax.comparisons import compared_values, joined_parts
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import is_plainly_device

_WORD = regex(r"(?i)(?:cuda|gpu)(?::?\d*)$")


def of_guarding_tensor(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """``x.device`` where ``x.is_cuda`` guards the place."""
    guard = next(guards_of(ctx, at), None)
    queried = guarding_tensor(ctx, guard, at, part=True) if guard is not None else None
    return device_of_tensor(ctx, queried) if queried is not None else None


def of_guarding_device(ctx: FileContext, at: cst.CSTNode, index: str | None = None) -> DeviceChoice | None:
    """``x.device`` where its type guards the place; not where a test that is skipped without CUDA asserts it."""
    guard, outer = (*islice(guards_of(ctx, at), 2), None, None)[:2]
    if guard is not None and isinstance(guard.owner, cst.Assert) and outer is not None:
        return None
    device = guarding_device(ctx, guard, at) if guard is not None else None
    text = ctx.text_of(device) if device is not None else ""
    if device is None or "\n" in text:
        return None
    comparison = next(one for one in ctx.tree.ancestors(device) if isinstance(one, cst.Comparison))
    asked = guard.test if guard is not None and isinstance(guard.test, cst.Name) else comparison
    known = next((value for name, value in devices_at(ctx, at) if name == text), None)
    caveat = index_caveat(ctx, text, known, index, at) if known is not None else None
    return DeviceChoice(text, condition=ctx.text_of(asked), caveat=caveat)


def decides_otherwise(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice) -> str | None:
    """Why a device may not be CUDA where ``if mode == "gpu":`` asks for it: a flag of another name decides about it.

    Or nothing is gained by a device that torch alone chooses, where the test that stays asks the program's own.
    """
    if choice.condition is None:
        return None
    words = {name for name in _asked_by_word(ctx, at) if name not in choice.condition and name != choice.expression}
    if choice.condition.endswith(f"{AVAILABLE}()") and " " not in choice.condition:
        devices = {one for one in words if is_plainly_device(one.rpartition(".")[2]) or one.startswith("sys.argv")}
        return f"`{min(devices)}` decides here, and stays" if devices else None
    words.update(_asked_instead(ctx, at, choice.condition))
    return f"`{min(words)}` decides here, and `{choice.condition}` about `{choice.expression}`" if words else None


def _asked_instead(ctx: FileContext, at: cst.CSTNode, condition: str) -> Iterator[str]:
    """``args.mix`` of ``if args.mix:`` around a place, where the file asks ``if args.cuda or args.mix:`` somewhere.

    The condition is ``args.cuda``, and so the other part asks for CUDA as well.
    """
    flag = condition.removesuffix(f" and {AVAILABLE}()")
    other = {part for parts in ctx.fact(_alternatives) if flag in parts for part in parts if part != flag}
    for child, parent in ctx.tree.path_up(at) if other else ():
        if isinstance(parent, cst.If) and child is parent.body:
            yield from other.intersection(_parts(ctx, parent.test))


def _alternatives(ctx: FileContext) -> list[frozenset[str]]:
    """The parts of every test that is an ``or``."""
    found = [_parts(ctx, one.test) for one in ctx.tree.of_type(cst.If) if isinstance(one.test, cst.BooleanOperation)]
    return [parts for parts in found if len(parts) > 1]


def _parts(ctx: FileContext, test: cst.BaseExpression) -> frozenset[str]:
    return frozenset(map(ctx.text_of, joined_parts(test, cst.Or)))


def _asked_by_word(ctx: FileContext, at: cst.CSTNode) -> Iterator[str]:
    """What the tests around a place compare with a word for CUDA."""
    for child, parent in ctx.tree.path_up(at):
        if not isinstance(parent, (cst.If, cst.IfExp)) or child is not parent.body:
            continue
        for one in ctx.tree.below(parent.test):
            if isinstance(one, cst.Comparison) and asks_for_word(one):
                yield from (ctx.text_of(two) for two in compared_values(one) if string_value(two) is None)


def asks_for_word(test: cst.Comparison) -> bool:
    """Whether a test is ``mode == "gpu"``."""
    words = [string_value(side) or "" for side in compared_values(test)]
    return len(words) == 2 and isinstance(test.comparisons[0].operator, cst.Equal) and any(map(_WORD.match, words))


def device_beside_cpu(guard: Guard) -> str | None:
    """The device that a test compares with the CPU, and that is none there: ``if device != "cpu":``."""
    test = guard.test
    sole = test.comparisons[0] if isinstance(test, cst.Comparison) and len(test.comparisons) == 1 else None
    if not isinstance(test, cst.Comparison) or sole is None or string_value(sole.comparator) != "cpu":
        return None
    name = dotted_name(test.left) or ""
    differs = isinstance(sole.operator, cst.NotEqual if guard.holds else cst.Equal)
    return name if differs and is_plainly_device(name.rpartition(".")[2]) else None
