"""What is known of one function: what it gives, and what meets in it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from devlint.analysis.places.values import UNKNOWN, Names, Places, Site, TensorPlace, Value, site_of
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.analysis.places.written.flags import Flag


class Meeting(NamedTuple):
    """An operation where a tensor that was made on the CPU meets one that lives elsewhere."""

    sites: frozenset[Site]
    """Where it was made."""
    partner: Places
    """Where the other lives."""
    place: Site
    """Where the operation stands."""
    kind: str
    """What it is: ``+``, ``torch.cat``."""
    operation: ast.expr | ast.stmt
    """The operation, or the call in whose function it stands."""
    function: FunctionDefinition
    is_evident: bool = False
    """Whether the function itself shows where both tensors are."""

    @property
    def call_row(self) -> int:
        """The line of the call that leads to the operation; 0 if the function itself has the operation."""
        return self.operation.lineno if site_of(self.operation) != self.place else 0


class Mixture(NamedTuple):
    """An operation where two tensors meet that are certainly on two different devices."""

    one: TensorPlace
    other: TensorPlace
    place: Site
    """Where the operation stands."""
    kind: str


class Operation(NamedTuple):
    """What meets arguments of a function."""

    kind: str
    place: Site | None
    """Where it stands; None for one of another file."""


class FunctionSummary:
    """What a call of a function does with places, in terms of its arguments."""

    def __init__(self) -> None:
        self.result: Value = UNKNOWN
        self.meetings: list[Meeting] = []
        """Certain ones."""
        self.mixtures: list[Mixture] = []
        """Where devices are told apart by their names."""
        self.arguments: dict[tuple[str, Places], Operation] = {}
        """Arguments that meet tensors of other places, by the name of the argument and these places."""
        self.conditions: dict[tuple[frozenset[Site], Places], Operation] = {}
        """Tensors made on the CPU that meet arguments of which nothing shows that they are on a device."""
        self.open: dict[tuple[frozenset[Site], Places], Operation] = {}
        """Those of which the function shows everything but where the argument is."""
        self.flags: dict[tuple[object, Places], frozenset[Flag]] = {}
        """For each of these, the parameters that must be true, or false, where it meets the other."""
        self.attributes: Names = {}
        """What ``__init__`` leaves in the attributes of its instance."""
        self.made: dict[Site, Names] = {}
        """The values of names where a tensor was made on the CPU."""
        self.may_give_number = False
        """Whether it gives a number, or the like, on some path."""
