"""Which device an expression is: decided once, for LibCST's tree and for Python's, which other files have."""

from __future__ import annotations

from abc import ABC, abstractmethod

from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.terms import And, Attribute, Call, Choice, Name, Number, Or, String, Term, is_given
from devlint.torch_api.device_naming import CURRENT, NOT_FOR_CUDA, looks_like_device, mentions_device

_KINDS = NOT_FOR_CUDA | {"cpu", "cuda"}
"""The devices that a string may name."""
_NUMBERED = regex(r"\(?[fF]?[\"']cuda:")

RUNTIME_INDEX = "?"
"""An index that is only known at run time."""
FUNCTION_INDEX = "*"
"""An index that a function chose, perhaps that of the current device."""
MAY_BE_NONE = "may be None"

Given = tuple[tuple[Term, bool], ...]
"""Tests around an expression, and how they turned out."""


class DeviceValue(Record):
    """What is known of a device."""

    is_string: bool | None = None
    """None where it may be a string or a torch.device."""
    cuda: bool = True
    """Whether it may be a GPU."""
    index: str | None = None
    """The index as source text, ``RUNTIME_INDEX``, ``FUNCTION_INDEX``, or None for the current device."""
    condition: str | None = None
    """The test that decides between GPU and CPU."""
    caveat: str | None = None


def may_be_none(value: DeviceValue) -> bool:
    """Whether a device may be None, as a parameter by default."""
    return value.caveat is not None and MAY_BE_NONE in value.caveat


def merge_values(values: list[DeviceValue | None]) -> DeviceValue | None:
    """What is known of a device that is one of ``values``; None if one of them is no device."""
    known = [value for value in values if value is not None]
    if not known or len(known) != len(values):
        return None
    strings = {value.is_string for value in known}
    indices = {value.index for value in known if value.cuda}
    conditions = {value.condition for value in known}
    return DeviceValue(
        strings.pop() if len(strings) == 1 else None,
        any(value.cuda for value in known),
        _index(indices),
        conditions.pop() if len(conditions) == 1 else None,
        next((value.caveat for value in known if value.caveat), None),
    )


def _index(indices: set[str | None]) -> str | None:
    """The index of a device that has one of these."""
    if len(indices) <= 1:
        return next(iter(indices), None)
    return FUNCTION_INDEX if indices == {None, FUNCTION_INDEX} else RUNTIME_INDEX


def is_class(name: str) -> bool:
    """Whether a name is written as those of classes are."""
    return name[:1].isupper()


class WhichDevice(ABC):
    """Works out which device an expression is; what names stand for, the file knows in which it is."""

    unknown = DeviceValue()
    """What ``torch.device(x)`` gives of which nothing else is known."""
    called_index = FUNCTION_INDEX
    """The index of what a function gives that is called after devices."""

    @abstractmethod
    def called(self, function: Term) -> str:
        """The full name of what is called."""

    @abstractmethod
    def of_name(self, name: Name, depth: int, given: Given) -> DeviceValue | None:
        """What device a name stands for."""

    @abstractmethod
    def of_attribute(self, attribute: Attribute) -> DeviceValue | None:
        """What device an attribute is that is called after one."""

    def gives_cpu(self, call: Call) -> bool:
        """Whether a function that is called after devices gives the CPU in any case."""
        return False

    def asked_by(self, call: Call) -> str | None:
        """By what test a function that is called after devices chooses CUDA."""
        return None

    @abstractmethod
    def condition(self, test: Term, holds: bool) -> str | None:
        """What is asked by a test that means that there is a GPU where it turns out so."""

    @abstractmethod
    def text_of(self, term: Term) -> str:
        """How a text with holes, or two that are joined, is written; empty for anything else."""

    def of(self, term: Term, depth: int, given: Given = ()) -> DeviceValue | None:
        """What device an expression is; None where it is not known to be one."""
        if depth == 0:
            return None
        if isinstance(term, String):
            return self._named(term)
        if isinstance(term, Choice):
            return self._either(term, depth, given)
        if isinstance(term, (And, Or)):
            return self._joined(term, depth, given)
        if isinstance(term, Call):
            return self._call(term, depth, given)
        if isinstance(term, Name):
            value = self.of_name(term, depth, given)
            surely = value is not None and may_be_none(value) and is_given_by(given, term.name)
            return value.replace(caveat=None) if value is not None and surely else value
        if isinstance(term, Attribute):
            return self.of_attribute(term) if looks_like_device(term.name) else None
        return DeviceValue(True, index=RUNTIME_INDEX) if _NUMBERED.match(self.text_of(term)) else None

    def _named(self, term: String) -> DeviceValue | None:
        """``"cuda"``, ``"cuda:1"``."""
        kind, _, index = term.text.partition(":")
        return DeviceValue(True, kind == "cuda", index or None) if kind in _KINDS else None

    def _either(self, choice: Choice, depth: int, given: Given) -> DeviceValue | None:
        body = self.of(choice.body, depth - 1, (*given, (choice.test, True)))
        orelse = self.of(choice.orelse, depth - 1, (*given, (choice.test, False)))
        both = merge_values([body, orelse])
        if both is None or body is None or orelse is None or body.cuda is orelse.cuda:
            return both
        condition = self.condition(choice.test, body.cuda)
        return both.replace(condition=condition) if condition is not None else both

    def _joined(self, term: And | Or, depth: int, given: Given) -> DeviceValue | None:
        """``device or "cuda"``; what is called after a device is one, or None."""
        first, *others = term.parts
        values = [self.of(one, depth - 1, given) for one in others]
        if isinstance(first, Name) and looks_like_device(first.name):
            return merge_values(values)
        return merge_values([self.of(first, depth - 1, given), *values])

    def _call(self, call: Call, depth: int, given: Given) -> DeviceValue | None:
        """``torch.device("cuda", 1)``, ``"cuda:{}".format(i)``, ``get_device()``."""
        function = call.function
        if isinstance(function, Attribute) and isinstance(function.value, String):
            is_numbered = function.name == "format" and ":" in function.value.text
            return DeviceValue(True, index=RUNTIME_INDEX) if is_numbered else None
        called = self.called(function)
        if called == "torch.device":
            return self._made(call, depth, given) if call.arguments else None
        if called in CURRENT:
            return DeviceValue(False)
        last = called.rpartition(".")[2]
        if not mentions_device(last) or is_class(last):
            return None
        if self.gives_cpu(call):
            return DeviceValue(cuda=False)
        return DeviceValue(index=self.called_index, condition=self.asked_by(call))

    def _made(self, call: Call, depth: int, given: Given) -> DeviceValue:
        """``torch.device(...)``."""
        first = call.arguments[0]
        inner = self.of(first, depth - 1, given) or self.unknown
        index = inner.index if len(call.arguments) == 1 else RUNTIME_INDEX
        return inner.replace(is_string=False, index=str(first.value) if isinstance(first, Number) else index)


def is_given_by(given: Given, name: str) -> bool:
    """Whether some tests say that a name is not None."""
    return any(is_given(test, name, holds) for test, holds in given)
