"""What names, attributes and elements are given."""

from __future__ import annotations

import ast
from typing import TypeGuard

from devlint.analysis.places.calls import Calls
from devlint.analysis.places.joins import element_of
from devlint.analysis.places.meetings import MeetingRecorder, Summaries
from devlint.analysis.places.operations import indexed
from devlint.analysis.places.parameters import as_used
from devlint.analysis.places.statements.lists import unpacked, with_stored
from devlint.analysis.places.values import (
    ANY,
    CHOSEN,
    UNKNOWN,
    Items,
    Many,
    Mapping,
    Names,
    Tensor,
    UnknownArgument,
    Value,
)


class Bindings(Calls):
    """Gives targets their values."""

    assigned: ast.expr | None = None
    """What stands at the right of the assignment that was run last."""

    def __init__(self, summaries: Summaries, recorder: MeetingRecorder) -> None:
        super().__init__(summaries, recorder)
        self.attributed: set[str] = set()
        """The names whose attributes were given values."""

    def bind(self, target: ast.expr, value: Value, names: Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = as_used(self.recorder.function, target.id, value)
            self.together.rebound(target.id)
            if target.id in self.attributed:
                for attribute in [one for one in names if one.startswith(f"{target.id}.")]:
                    del names[attribute]
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, names)
        elif isinstance(target, ast.Attribute):
            self.value(target.value, names)
            if isinstance(target.value, ast.Name):
                self.attributed.add(target.value.id)
                names[f"{target.value.id}.{target.attr}"] = value
                self.together.attribute(target.value.id, target.attr, value, target)
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value, names)

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, names: Names) -> None:
        """Give the names of a tuple what is in a value."""
        parts = unpacked(value, len(target.elts))
        is_open = any(isinstance(each, ast.Starred) for each in target.elts)
        for each, part in zip(target.elts, parts, strict=True):
            if isinstance(each, ast.Starred):
                self.bind(each.value, Many(element_of(value)) if isinstance(value, (Items, Many)) else UNKNOWN, names)
            else:
                is_any = is_open and getattr(value, "ends", None) is None
                self.bind(each, element_of(value) if is_any and isinstance(value, (Items, Many)) else part, names)

    def _set_item(self, target: ast.Subscript, value: Value, names: Names) -> None:
        """``x[index] = value``."""
        owner, index = self.value(target.value, names), self.index(target.slice, names)
        if isinstance(owner, Tensor):
            indexed(self.recorder, owner, target, index)
            indices = index.elements if isinstance(index, Items) else [index]
            is_advanced = any(_has_dimension(each) for each in indices)
            if is_advanced and _has_dimension(value) and not value.is_placeholder:
                self.recorder.meet(owner, value, target, "[...] =")
        elif isinstance(target.value, ast.Name):
            name = target.value.id
            if isinstance(owner, Mapping) and isinstance(target.slice, ast.Constant):
                self.together.item(name, owner, target.slice.value, value, target)
                names[name] = Mapping({**owner.items, target.slice.value: value})
            elif isinstance(owner, (Items, Many, Mapping)):
                names[name] = with_stored(owner, value, target, self.assigned)
            elif isinstance(owner, UnknownArgument) and isinstance(value, Tensor) and _is_placed(value):
                names[name] = UNKNOWN  # a dictionary, perhaps, each entry of which gets a device


def _has_dimension(value: Value) -> TypeGuard[Tensor]:
    """Whether a value is a tensor that is no single number: such a one may be on another device."""
    return isinstance(value, Tensor) and value.rank not in (0, ANY)


def _is_placed(tensor: Tensor) -> bool:
    """Whether a tensor is where the program has put it."""
    return bool(tensor.places) and all(one.kind in CHOSEN for one in tensor.places)
