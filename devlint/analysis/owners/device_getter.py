"""What a property ``device`` may give: decided once, for LibCST's tree and for Python's, which other files have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from devlint.core.record import Record
from devlint.syntax.terms import Attribute, Call, Term


class DeviceGetter(Record):
    """A method ``device``, as either tree shows it."""

    decorators: tuple[str, ...]
    instance: str
    """What it calls its instance."""
    returned: tuple[Term | None, ...]
    raises: bool
    decides: bool
    """Whether it has conditions or assignments."""

    @property
    def is_property(self) -> bool:
        """Whether reading the attribute calls it."""
        return any(one.endswith("property") for one in self.decorators)

    def may_give_gpu(
        self,
        is_device: Callable[[Any], bool],
        is_no_gpu: Callable[[Any], bool],
        assigned: Callable[[str], Iterable[Any]],
    ) -> bool:
        """Whether all that it returns is a device, and none certainly no GPU.

        One that only fails is another class's to define. The questions are asked in nodes of its tree: ``assigned``
        says what the class gives an attribute.
        """
        if not self.returned:
            return self.raises or any(one.endswith("abstractmethod") for one in self.decorators)
        if any(value is None or not is_device(value.node) or is_no_gpu(value.node) for value in self.returned):
            return False
        kept = self._kept
        return kept is None or not any(map(is_no_gpu, assigned(kept)))

    @property
    def gives_device_of_parameter(self) -> bool:
        """Whether all that it returns is ``next(self.parameters()).device``, as a tensor has it."""
        return bool(self.returned) and all(map(self._is_of_parameter, self.returned))

    def _is_of_parameter(self, value: Term | None) -> bool:
        first = value.value if isinstance(value, Attribute) and value.name == "device" else None
        if not isinstance(first, Call) or first.function.dotted != "next" or len(first.arguments) != 1:
            return False
        every = first.arguments[0]
        asked = every.function.dotted if isinstance(every, Call) and not every.arguments else ""
        return asked == f"{self.instance}.parameters"

    @property
    def _kept(self) -> str | None:
        """The attribute that is all it returns: ``_device`` in ``return self._device``."""
        value = self.returned[0] if len(self.returned) == 1 and not self.decides else None
        is_own = isinstance(value, Attribute) and value.value.dotted == self.instance and self.instance
        return value.name if isinstance(value, Attribute) and is_own else None
