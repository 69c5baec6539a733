"""Tensors that a program makes and keeps side by side: what is made on the CPU beside one on a device lacks it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from devlint.analysis.places.meetings import BESIDE, MeetingRecorder
from devlint.analysis.places.values import ANY, PLAIN, Items, Kind, Mapping, Names, Places, Tensor, Value


class _Forgotten(NamedTuple):
    """A tensor on the CPU that goes with others."""

    tensor: Tensor
    node: ast.expr | ast.stmt
    """Where it goes with them."""
    names: Names
    """The values of names there, where that matters."""


class _Group:
    """What goes to one place: the attributes of an object, the values of a dictionary, the results of a function."""

    def __init__(self) -> None:
        self.partner: Places | None = None
        """Where one of them is made that is made on a device."""
        self.forgotten: dict[object, _Forgotten] = {}
        """Those that are made on the CPU, by the attribute, the key or the position."""

    def put(self, key: object, value: Value, node: ast.expr | ast.stmt, names: Names) -> None:
        """Give a place in the group a value; what is put in the place of another is a choice, or a move."""
        self.forgotten.pop(key, None)
        if not isinstance(value, Tensor) or not value.is_made:
            return
        if value.is_known:
            self.partner = self.partner or value.places
        elif _is_forgotten(value):
            self.forgotten[key] = _Forgotten(value, node, names)


class MadeTogether:
    """Notes what one function makes and keeps, gives or returns together."""

    def __init__(self, recorder: MeetingRecorder) -> None:
        self.recorder = recorder
        self.looped: ast.expr | None = None
        """What a loop goes over, the elements of which it takes one by one."""
        self._kept: dict[str, _Group] = {}
        self._results: list[tuple[int, Tensor, _Forgotten]] = []

    def given(self, values: Iterable[Value], node: ast.expr) -> None:
        """Some values are elements of one list, or arguments of one call."""
        made = [one for one in values if isinstance(one, Tensor) and one.is_made and node is not self.looped]
        partner = next((one.places for one in made if one.is_known), None) if len(made) > 1 else None
        for one in made if partner is not None else ():
            if _is_forgotten(one):
                self._note(one, partner, node)

    def attribute(self, owner: str, name: str, value: Value, node: ast.expr) -> None:
        """An attribute of an object is given a value."""
        function = self.recorder.function
        is_own = function.is_initializer and function.owner is not None and owner == function.instance
        if not (is_own and function.owner is not None and name in function.owner.stored_later):
            self._group(owner).put(name, value, node, {})

    def item(self, owner: str, before: Mapping, key: object, value: Value, node: ast.expr) -> None:
        """A dictionary is given a value for a key."""
        name = f"{owner}[]"
        if name not in self._kept:
            for other, held in before.items.items():
                self._group(name).put(other, held, node, {})
        self._group(name).put(key, value, node, {})

    def rebound(self, name: str) -> None:
        """A name stands for another object from here on, which may be the one it stood for, moved."""
        if self._kept:
            self._kept.pop(name, None)
            self._kept.pop(f"{name}[]", None)

    def returned(self, value: Value, node: ast.stmt, names: Names) -> None:
        """The function gives a value, on one of its paths."""
        for index, one in enumerate(value.elements if isinstance(value, Items) else [value]):
            if isinstance(one, Tensor) and (one.is_made or _is_computed_there(one.places)):
                self._results.append((index, one, _Forgotten(one, node, names)))

    def finish(self) -> None:
        """Note what was forgotten, now that the function is at its end."""
        self.recorder.decide()
        for group in self._kept.values():
            for one in group.forgotten.values() if group.partner is not None else ():
                self._note(one.tensor, group.partner, one.node)
        partners = {index: one.places for index, one, _ in self._results if one.is_known and _is_near(one.places)}
        for index, tensor, one in self._results:
            if index in partners and _is_forgotten(tensor) and not _is_none(partners[index], one.names):
                self._note(tensor, partners[index], one.node)

    def _group(self, owner: str) -> _Group:
        return self._kept.setdefault(owner, _Group())

    def _note(self, tensor: Tensor, partner: Places | None, node: ast.expr | ast.stmt) -> None:
        self.recorder.goes_with(tensor, partner or frozenset(), node, BESIDE)


def _is_forgotten(tensor: Tensor) -> bool:
    """Whether a tensor with dimensions is made on the CPU on every path, and nothing takes its place."""
    return tensor.is_certainly_on_cpu and tensor.rank not in (0, ANY) and not tensor.is_placeholder


def _is_computed_there(places: Places) -> bool:
    """Whether something is computed of what is made on the CPU only, or on a device that the function is given."""
    kinds = {one.kind for one in places}
    return kinds in ({Kind.CPU}, {Kind.DEVICE})


def _is_near(places: Places) -> bool:
    """Whether places are those of arguments, of the module or of an attribute, and not a choice of the program."""
    return all(one.kind is not Kind.ELSEWHERE or "." in one.name for one in places)


def _is_none(places: Places, names: Names) -> bool:
    """Whether the device, or the tensor, that a function is given is None on this path."""
    return any(one.kind in (Kind.DEVICE, Kind.ARGUMENT) and names.get(one.name) is PLAIN for one in places)
