"""Which variables of the user's functions that are running hold a tensor, or the one that it was made of."""

from __future__ import annotations

import json
from collections import UserDict
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, ModuleType
from typing import Any

import torch

from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.watch.origins import Tensor, origin_of, source_tensor
from devlint.verify.watch.places import UserCode

_MOST_FRAMES = 6
_MOST_HOLDERS = 8
_MOST_PARTS = 200
_WITHOUT_PARTS = (Tensor, ModuleType, type, str, bytes, int, float)

Holder = tuple[str, "ExpressionPlace | None", bool]
"""An expression, what its function is evaluating, and whether it is the input of a module."""


def holders_of(tensor: Any, frame: FrameType | None, code: UserCode) -> list[Holder]:
    """The innermost first; where nothing holds the tensor, those that hold others with the same birth."""
    known = [one for one in (tensor, source_tensor(tensor)) if one is not None]
    found = _holders(lambda value: any(value is one for one in known), frame, code)
    origin = origin_of(tensor)
    if found or origin is None:
        return found
    return _holders(lambda value: isinstance(value, Tensor) and origin_of(value) is origin, frame, code)


def partners_of(tensors: Sequence[Any], frame: FrameType | None, code: UserCode) -> list[Holder]:
    """Which variables hold the tensors on the device that another met, then which arguments are tensors there."""
    device = tensors[0].device if tensors else None
    if device is None:
        return []
    found = _holders(lambda value: any(value is one for one in tensors), frame, code)
    beside = _holders(lambda value: isinstance(value, Tensor) and value.device == device, frame, code, True)
    return list(dict.fromkeys((*found, *beside)))[:_MOST_HOLDERS]


def _holders(
    is_held: Callable[[Any], bool], frame: FrameType | None, code: UserCode, arguments_only: bool = False
) -> list[Holder]:
    found: list[Holder] = []
    frame, left = code.frame(frame), _MOST_FRAMES
    while frame is not None and left:
        left -= 1
        function, variables = frame.f_code, frame.f_locals
        arguments = function.co_varnames[: function.co_argcount]
        is_method = bool(arguments) and isinstance(variables.get(arguments[0]), torch.nn.Module)
        place = code.place(frame)
        if arguments_only:
            variables = {name: variables[name] for name in arguments if name in variables}
        pairs = variables.items() if arguments_only else _expressions(variables)
        names = dict.fromkeys(name for name, value in pairs if is_held(value))
        found += [(name, place, is_method and name in arguments) for name in names]
        frame = code.frame(frame.f_back)
    return found[:_MOST_HOLDERS]


def _expressions(variables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Variables, then what they have as attributes, items and elements."""
    values = list(variables.items())
    yield from values
    for name, value in values:
        if not issubclass(type(value), _WITHOUT_PARTS):
            yield from _parts(name, value)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if issubclass(type(value), UserDict):
        value = _attributes(value).get("data", {})
    kind = type(value)
    if issubclass(kind, (tuple, list)):
        pairs = [(f"[{number}]", part) for number, part in enumerate(value[:_MOST_PARTS])]
    elif issubclass(kind, dict):
        pairs = [(f"[{json.dumps(key)}]", part) for key, part in dict.items(value) if type(key) in (str, int)]
    else:
        table = _attributes(value)
        tables = [table, table.get("_parameters", {}), table.get("_buffers", {})]
        wanted = tables if issubclass(kind, torch.nn.Module) else tables[:1]
        pairs = [(f".{attribute}", part) for one in wanted for attribute, part in list(one.items())]
    yield from ((name + suffix, part) for suffix, part in pairs[:_MOST_PARTS])


def _attributes(value: Any) -> dict[str, Any]:
    """Those in an object's table; an object's own methods, which may do anything, are not asked."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}
