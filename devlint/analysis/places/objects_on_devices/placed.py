"""What is known of an object that was made on a device."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.analysis.places.values import TensorPlace, UnknownPart
from devlint.analysis.places.written.definitions import ClassDefinition


class Placed(UnknownPart):
    """An object that was made on a device, or moved there, with its class where that is known."""

    __slots__ = ("definition",)

    def __init__(self, places: Iterable[TensorPlace], definition: ClassDefinition | None = None) -> None:
        super().__init__(places)
        self.definition = definition
