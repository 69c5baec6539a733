"""Frozen values as dataclasses are, for what every run loads: to load dataclasses takes as long as to start Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """What makes type checkers read a class as a dataclass."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True)
class Record:
    """A value whose fields are the annotations of its class, in order; what is assigned to one there is its default."""

    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(dict.fromkeys((*cls._fields, *cls.__annotations__)))

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(self._fields, values), **named)

    def replace(self, **changes: Any) -> Self:
        """The same with other values in some fields."""
        assert changes.keys() <= set(self._fields)
        return type(self)(**{**self._values(), **changes})

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(tuple(self._values().values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values().items())})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be set")
