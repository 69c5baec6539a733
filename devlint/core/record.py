"""Frozen value classes, named values and lazy attributes, for what starts with every run.

``dataclasses`` takes as long to import as Python to start; ``enum`` and ``functools`` longer than a look at a file.
"""

from __future__ import annotations

__all__ = ["NamedValue", "Record", "dataclass_transform", "lazy_attribute"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import cached_property as lazy_attribute  # what it is to type checkers
    from operator import attrgetter, ge, gt, le, lt
    from typing import Any, ClassVar

    from typing_extensions import Self, dataclass_transform
else:
    from _operator import attrgetter, ge, gt, le, lt  # what the module operator stands on; CPython has it

    def dataclass_transform(**_: object) -> object:
        """What makes type checkers read a class as a dataclass."""
        return lambda cls: cls

    class lazy_attribute:
        """What ``functools.cached_property`` is."""

        def __init__(self, compute: object) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, _owner: object, name: str) -> None:
            self._name = name

        def __get__(self, instance: object, _owner: object = None) -> object:
            if instance is None:
                return self
            found = instance.__dict__[self._name] = self._compute(instance)
            return found


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


class NamedValue:
    """One of the values that the annotations of its class name; each is there once, also after it was pickled."""

    def __init_subclass__(cls) -> None:
        for name in cls.__annotations__:
            setattr(cls, name, cls(name))

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return getattr, (type(self), self.name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
