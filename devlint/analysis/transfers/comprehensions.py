"""Comprehensions that make something of each element of a collection: ``[y.cuda() for y in x]``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.core.record import Record


class EachElement(Record, eq=False):
    """What a comprehension walks, how it calls an element, and what it makes of it."""

    walked: cst.BaseExpression
    name: str
    made: cst.BaseExpression


def each_element(value: cst.CSTNode) -> EachElement | None:
    """What ``[f(y) for y in x]``, ``tuple(f(y) for y in x)`` or ``{k: f(y) for k, y in x.items()}`` does."""
    if isinstance(value, cst.DictComp):
        return _of_items(value.for_in, value.key, value.value)
    if isinstance(value, cst.Call) and dotted_name(value.func) in ("tuple", "list", "dict") and len(value.args) == 1:
        is_dict, value = dotted_name(value.func) == "dict", value.args[0].value
        pair = value.elt if is_dict and isinstance(value, (cst.ListComp, cst.GeneratorExp)) else None
        if isinstance(pair, cst.Tuple) and len(pair.elements) == 2 and isinstance(value, cst.BaseSimpleComp):
            return _of_items(value.for_in, *(one.value for one in pair.elements))
        if is_dict:
            return None
    elif not isinstance(value, cst.ListComp):
        return None
    if not isinstance(value, (cst.ListComp, cst.GeneratorExp)) or not _is_plain(value.for_in):
        return None
    name = value.for_in.target
    return EachElement(value.for_in.iter, name.value, value.elt) if isinstance(name, cst.Name) else None


def _of_items(loop: cst.CompFor, key: cst.BaseExpression, made: cst.BaseExpression) -> EachElement | None:
    pair, items = loop.target, loop.iter
    if not _is_plain(loop) or not isinstance(pair, cst.Tuple) or not isinstance(items, cst.Call) or items.args:
        return None
    names = [one.value.value for one in pair.elements if isinstance(one.value, cst.Name)]
    if len(names) != 2 or len(pair.elements) != 2 or dotted_name(key) != names[0]:
        return None
    method = items.func
    if not isinstance(method, cst.Attribute) or method.attr.value != "items":
        return None
    return EachElement(method.value, names[1], made)


def _is_plain(loop: cst.CompFor) -> bool:
    """Whether a comprehension takes all elements of one collection."""
    return not loop.ifs and loop.inner_for_in is None and loop.asynchronous is None
