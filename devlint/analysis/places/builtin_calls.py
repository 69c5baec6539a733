"""The values of calls of Python's own functions, of methods of dictionaries, and of objects that others keep."""

from __future__ import annotations

import ast

from devlint.analysis.places.operations import iterated
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import (
    NUMBERS,
    PLAIN,
    UNKNOWN,
    Device,
    Instance,
    Items,
    Many,
    Mapping,
    Tensor,
    UnknownValue,
    Value,
)
from devlint.torch_api.tensor_places import NUMPY_REDUCTIONS, OF_NUMPY_NUMBERS, RANKED

_GIVE_PLAIN = frozenset("int float len str bool round isinstance hasattr type print id repr hash callable".split())
_LISTS = frozenset("list tuple reversed sorted".split())


def of_mapping(mapping: Mapping, name: str, given: Given) -> Value:
    """A method of a dictionary."""
    if name in ("get", "pop") and given.node.args and isinstance(given.node.args[0], ast.Constant):
        default = given.arguments[1] if len(given.arguments) > 1 else UNKNOWN
        return mapping.items.get(given.node.args[0].value, default)
    if name == "values":
        return Items(mapping.items.values())
    if name == "items":
        return Items(Items([PLAIN, one]) for one in mapping.items.values())
    return mapping if name == "copy" else UNKNOWN


def builtin_call(name: str, given: Given) -> Value:
    """A call of a function that Python has without an import."""
    first = given.arguments[0] if given.arguments else UNKNOWN
    if name in _LISTS and given.arguments:
        if isinstance(first, Tensor):
            return Many(iterated(first))
        return first if isinstance(first, (Items, Many)) else NUMBERS
    if name == "enumerate" and given.arguments:
        return Many(Items([PLAIN, iterated(first)]))
    if name == "zip":
        return Many(Items(map(iterated, given.arguments)))
    if name == "dict" and all(isinstance(one, Mapping) for one in given.arguments):
        items: dict[object, Value] = {}
        for each in given.arguments:
            items.update(each.items if isinstance(each, Mapping) else {})
        items.update(given.keywords)
        return Mapping(items)
    if name == "range":
        return NUMBERS
    if name == "abs" or (name == "str" and isinstance(first, Device)):
        return first
    if name in ("sum", "max", "min") and any(isinstance(one, (Tensor, Items, Many)) for one in given.arguments):
        return UNKNOWN
    return PLAIN if name in _GIVE_PLAIN or name in ("sum", "max", "min", "any", "all") else UNKNOWN


def numpy_call(name: str, given: Given) -> Value:
    """A call of a function of NumPy."""
    if name in OF_NUMPY_NUMBERS and given.values and all(one is PLAIN for one in given.values):
        return PLAIN
    most = 2 if name in RANKED else 1
    is_whole = name in NUMPY_REDUCTIONS and len(given.arguments) <= most and not given.is_open
    if not is_whole or not given.keywords.keys().isdisjoint({"axis", "keepdims"}):
        return NUMBERS
    ranks = [*given.arguments[1:], *(given.keywords[one] for one in ("q",) if one in given.keywords)]
    return NUMBERS if any(one is NUMBERS or isinstance(one, (Items, Many)) for one in ranks) else PLAIN


def of_kept(owner: Value, value: Value) -> Value:
    """What an object gives that another keeps; if nothing is known of it, detectors collect what they find on the CPU.

    What a module keeps is mostly a module, and gives what is where its input is.
    """
    return UnknownValue() if value is UNKNOWN and isinstance(owner, Instance) else value
