"""Whether a card may be named by its number: the look of DEV106."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.rules.prefilter.looks.devices import assigned_by, cards, is_made, is_used
from devlint.rules.prefilter.looks.guards import is_guarded
from devlint.rules.prefilter.looks.slots import may_be_slot
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, arguments
from devlint.rules.prefilter.looks.values import may_be_number


def may_name_card(tree: SyntaxTree) -> bool:
    """Whether a card is named that the program puts something on, and no test says that there is such a card."""
    if any(_is_pinned(one) for one in tree.of_type(ast.keyword)):
        return True
    named = (one for one in tree.fact(cards) if _has_role(tree, one))
    return any(not (_is_computed(one) and is_guarded(tree, one)) for one in (*named, *_numbers(tree)))


def _has_role(tree: SyntaxTree, card: ast.expr) -> bool:
    """Whether a card stands where torch takes a device, or is one, or is given to what holds one."""
    return may_be_slot(tree, card) or bool(assigned_by(tree, card)) or (is_made(tree, card) and is_used(tree, card))


def _numbers(tree: SyntaxTree) -> Iterator[ast.expr]:
    """``.cuda(rank)``, ``.to(0)`` and ``device=0``."""
    for call in tree.of_type(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
            yield from (one for one in arguments(call) if may_be_number(tree, one))
        else:
            numbers = (one for one in arguments(call) if isinstance(one, ast.Constant) and may_be_number(tree, one))
            yield from (one for one in numbers if may_be_slot(tree, one))


def _is_pinned(argument: ast.keyword) -> bool:
    """Whether an argument is ``device_ids=[0, 1]``."""
    several = argument.value.elts if isinstance(argument.value, (ast.List, ast.Tuple)) else ()
    return argument.arg == "device_ids" and any(isinstance(one, ast.Constant) for one in several)


def _is_computed(card: ast.expr) -> bool:
    """Whether the number is not written down as such."""
    pieces = arguments(card) if isinstance(card, ast.Call) else [card]
    inside = [one for piece in pieces for one in ast.walk(piece)]
    return any(isinstance(one, ast.Name) and one.id != "str" for one in inside)
