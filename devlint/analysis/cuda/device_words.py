"""Names like ``device`` that hold a program's own word for a device, which torch does not know: ``"gpu"``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import ACCELERATORS, DEVICE_TYPES

_WORDS = ACCELERATORS - DEVICE_TYPES


def is_own_word(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a name, or attribute, that is compared with ``"gpu"`` keeps that word at ``at``.

    Where it gets another value, ``if device == "gpu": device = "cuda"``, it may be a device.
    """
    if "." in name:
        given = [ctx.tree.parent(one) for one in targets_named(ctx, name)]
        is_kept = all(isinstance(one, cst.Assign) and isinstance(one.value, cst.Name) for one in given)
        return is_kept and any(dotted_name(one) == name for one in ctx.fact(_compared_with_words))
    scope = scopes(ctx).binder(name, at)
    if scope is None or len(scope.bindings[name]) != 1:
        return False
    return any(scopes(ctx).binder(name, one) is scope for one in _reads_of_word(ctx, name))


def _reads_of_word(ctx: FileContext, name: str) -> Iterator[cst.CSTNode]:
    """Where a name is compared with a word, or given to an attribute that is: ``self.device = device``."""
    for one in ctx.fact(_compared_with_words):
        compared = dotted_name(one) or ""
        if compared == name:
            yield one
        elif "." in compared:
            given = (ctx.tree.parent(target) for target in targets_named(ctx, compared))
            yield from (each for each in given if isinstance(each, cst.Assign) and dotted_name(each.value) == name)


def _compared_with_words(ctx: FileContext) -> list[cst.BaseExpression]:
    """What a file compares with a word that is no type of torch's devices."""
    found = []
    for one in ctx.tree.of_type(cst.Comparison):
        values = compared_values(one)
        if any(_is_word(value) for value in values):
            found += [value for value in values if dotted_name(value) is not None]
    return found


def _is_word(value: cst.BaseExpression) -> bool:
    """Whether a value is ``"gpu"`` or ``"CUDA"``, or a list of words with such a one."""
    if isinstance(value, (cst.Tuple, cst.List, cst.Set)):
        return any(_is_word(one.value) for one in value.elements)
    word = (string_value(value) or "").partition(":")[0]
    return word.lower() in _WORDS or (word.lower() in DEVICE_TYPES and word not in DEVICE_TYPES)
