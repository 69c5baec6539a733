"""Where tensors come from: each CPU tensor remembers where its values were made."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any, NamedTuple

import torch

from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.watch.places import UserCode

MARK = "_devlint_origin"
"""The attribute in which a tensor keeps its origin."""
SOURCE = "_devlint_source"
"""The attribute in which what a module of torch made of one tensor refers to that tensor, which a variable may hold."""
_MOST_BIRTHS = 8
_MOST_SIBLINGS = 64
Tensor = torch.Tensor
Parameter = torch.nn.Parameter


class Birth(NamedTuple):
    """One expression that made a CPU tensor."""

    kind: str
    """factory; library (by a module of torch); module (a module was constructed); loader (a batch was taken); loaded
    (read from a file); moved (brought from a device); unknown (first seen here)."""
    operation: str
    place: ExpressionPlace | None


class Origin:
    """What a tensor remembers: the births of its values, and the expression that last joined several of them."""

    __slots__ = ("births", "joined", "siblings", "values")

    def __init__(
        self,
        births: tuple[Birth, ...],
        joined: ExpressionPlace | None = None,
        values: Origin | None = None,
        siblings: list[weakref.ref[Any]] | None = None,
    ) -> None:
        """``values`` is the origin of a parameter's data, ``siblings`` are other parameters of its module."""
        self.births = births
        self.joined = joined
        self.values = values
        self.siblings = siblings

    def __copy__(self) -> Origin:
        return self

    def __deepcopy__(self, _: object) -> Origin:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, (self.births, self.joined)

    @property
    def of_module_left_behind(self) -> bool:
        """Whether the rest of a parameter's module has moved to a device without it."""
        if self.values is None or self.siblings is None:
            return False
        return any(one is not None and one.is_cuda for one in (reference() for reference in self.siblings))


class Origins:
    """Gives tensors their origins."""

    def __init__(self, code: UserCode) -> None:
        self._code = code
        self._known: dict[Birth, Origin] = {}
        self._families: dict[Birth, list[weakref.ref[Any]]] = {}

    def born(self, kind: str, operation: str, frame: FrameType | None) -> Origin:
        """The origin of what is made by the expression that the user's code is at."""
        place = self._code.loop(frame) if kind == "loader" else self._code.place(frame)
        birth = Birth(kind, operation, place)
        known = self._known.get(birth)
        if known is None:
            known = self._known[birth] = Origin((birth,))
        return known

    def derive(self, result: Any, operands: Sequence[Any], operation: str, frame: FrameType) -> None:
        """Mark the result of an operation: it is made here, or comes from where its operands come from."""
        several: list[Origin] = []
        any_device = False
        for operand in operands:
            if not operand.is_cpu:
                any_device = True
            elif operand is not result:
                origin = getattr(operand, MARK, None)
                if origin is not None and origin not in several:
                    several.append(origin)
        if len(several) == 1:
            result._devlint_origin = several[0]
            if "/torch/" in frame.f_code.co_filename:
                operand = next(one for one in operands if getattr(one, MARK, None) is several[0])
                result._devlint_source = getattr(operand, SOURCE, None) or weakref.ref(operand)
        elif several:
            births = dict.fromkeys(birth for origin in several for birth in origin.births)
            result._devlint_origin = Origin(tuple(births)[:_MOST_BIRTHS], self._code.place(frame))
        else:
            kind = "moved" if any_device else "unknown" if operands else "factory"
            if kind == "factory" and "/torch/nn/" in frame.f_code.co_filename:
                kind = "library"
            result._devlint_origin = origin = self.born(kind, operation, frame)
            if kind == "unknown":
                for operand in operands:
                    if operand.is_cpu:
                        operand._devlint_origin = origin

    def adopt(self, tensor: Any, frame: FrameType | None) -> None:
        """Mark a parameter or buffer: it belongs to the module that is being constructed."""
        before = getattr(tensor, MARK, None)
        if before is not None and before.values is not None:
            return
        birth = Birth("module", "Module", self._code.place(self._construction(frame)))
        family = self._families.setdefault(birth, [])
        if len(family) < _MOST_SIBLINGS:
            family.append(weakref.ref(tensor))
        is_own = before is not None and any(one.kind != "library" for one in before.births)
        tensor._devlint_origin = Origin((birth,), None, before if is_own else None, family)

    def _construction(self, frame: FrameType | None) -> FrameType | None:
        """The user's frame that constructs the outermost module."""
        frame = found = self._code.frame(frame)
        while frame is not None:
            code = frame.f_code
            if code.co_name != "__init__" or not code.co_argcount:
                break
            if not isinstance(frame.f_locals.get(code.co_varnames[0]), torch.nn.Module):
                break
            frame = self._code.frame(frame.f_back)
            found = frame or found
        return found


def origin_of(tensor: Any) -> Origin | None:
    """Where a tensor comes from, if that was seen."""
    found: Origin | None = getattr(tensor, MARK, None)
    return found


def tensors_among(value: Any) -> list[Any]:
    """The tensors in arguments or results."""
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind is Tensor or kind is Parameter:
        found.append(value)
    elif kind is tuple or kind is list:
        for part in value:
            _collect(part, found)
    elif kind is dict:
        for part in value.values():
            _collect(part, found)
    elif isinstance(value, Tensor):
        found.append(value)
    elif isinstance(value, tuple):  # a named one, such as PackedSequence
        for part in value:
            _collect(part, found)


def replaced(value: Any, others: dict[int, Any]) -> Any:
    """The same arguments with other tensors in the place of some, by their ids."""
    if isinstance(value, Tensor):
        return others.get(id(value), value)
    if isinstance(value, (list, tuple)):
        parts = [replaced(part, others) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: replaced(part, others) for key, part in value.items()}
    return value


def source_tensor(tensor: Any) -> Any:
    """The tensor of which a module of torch made another; None where it is gone, or there is none."""
    source = getattr(tensor, SOURCE, None)
    return source() if source is not None else None
