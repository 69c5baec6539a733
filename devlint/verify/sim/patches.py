"""Sets attributes of torch, and puts the old ones back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ABSENT = object()


class Patches:
    """Changes that can be undone, the last one first."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute of a module or a class."""
        before = vars(owner).get(name, _ABSENT)
        setattr(owner, name, value)

        def restore() -> None:
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(restore)

    def update(self, owner: Any, values: dict[str, Any]) -> None:
        """Set several attributes."""
        for name, value in values.items():
            self.set(owner, name, value)

    def on_undo(self, action: Callable[[], None]) -> None:
        """Have something called when all is undone."""
        self._undo.append(action)

    def undo(self) -> None:
        """Put everything back."""
        while self._undo:
            self._undo.pop()()
