"""Frozen value classes without ``dataclasses``, whose import takes as long as starting Python."""

from __future__ import annotations

from operator import attrgetter, ge, gt, le, lt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """What makes type checkers read a class as a dataclass."""
        return lambda cls: cls


class _DataclassFields:
    """Makes ``dataclasses.asdict`` and ``fields`` work on a record, whose fields it computes when asked."""

    def __get__(self, _record: object, cls: type[Record]) -> dict[str, Any]:
        from dataclasses import make_dataclass

        made: Any = make_dataclass(cls.__name__, cls._fields)
        found: dict[str, Any] = made.__dataclass_fields__
        return found


@dataclass_transform(frozen_default=True)
class Record:
    """A frozen value whose fields are the annotations of its class, in order; what is assigned to one is its default.

    ``order`` and ``eq`` mean what they mean to ``dataclasses.dataclass``.
    """

    __dataclass_fields__ = _DataclassFields()
    _fields: ClassVar[tuple[str, ...]] = ()
    _values: ClassVar[attrgetter[Any]]

    def __init_subclass__(cls, *, order: bool = False, eq: bool = True) -> None:
        cls._fields = tuple(dict.fromkeys((*cls._fields, *cls.__annotations__)))
        cls._values = attrgetter(*cls._fields)
        if order:
            for by in (lt, le, gt, ge):
                setattr(cls, f"__{by.__name__}__", _ordering(by))
        if not eq:
            cls.__eq__ = object.__eq__  # type: ignore[method-assign]
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(self._fields, values), **named)

    def replace(self, **changes: Any) -> Self:
        """The same with other values in some fields."""
        assert changes.keys() <= set(self._fields)
        return type(self)(**{**self._as_dict(), **changes})

    def _as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self._values(self) == self._values(other)

    def __hash__(self) -> int:
        return hash(self._values(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._as_dict().items())})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be set")


def _ordering(by: Callable[[Any, Any], bool]) -> Callable[[Record, object], bool]:
    """A comparison of records of one class."""

    def compare(self: Record, other: object) -> bool:
        return by(self._values(self), self._values(other)) if self.__class__ is other.__class__ else NotImplemented

    return compare
