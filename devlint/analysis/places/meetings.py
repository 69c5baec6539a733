"""Operations that want their tensors on one device, and what was found to meet there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Protocol, TypeVar

from devlint.analysis.places.certain.evidence import (
    Evidence,
    evidence_beside,
    evidence_of,
    evidence_of_places,
    may_be_certain,
    may_be_elsewhere,
    note_place,
)
from devlint.analysis.places.device_names import are_apart, is_on_named_cpu
from devlint.analysis.places.function_summary import FunctionSummary, Meeting, Mixture, Operation
from devlint.analysis.places.parameters import shown_tensors
from devlint.analysis.places.statements.device_tests import is_without_cuda
from devlint.analysis.places.values import (
    ANY,
    NOWHERE,
    Kind,
    Names,
    Places,
    Site,
    Tensor,
    TensorPlace,
    UnknownArgument,
    Value,
    site_of,
    tensors_in,
)
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.analysis.places.written.flags import Flag, flag_of
from devlint.analysis.places.written.moves import is_for_cpu
from devlint.torch_api.tensor_places import CHANGES, JOINS, OF_TENSORS, STRICT_KINDS

_MOST_MEETINGS = 200  # of the arguments of one function
_Noted = TypeVar("_Noted", bound=tuple[object, Places])
_Given = TypeVar("_Given")
BESIDE = "beside"
"""The kind of a meeting of two tensors that only go together: the one is made on a device, the other is not."""


class Summaries(Protocol):
    """What is known of the other functions and classes of a file."""

    program: FileDefinitions
    names_devices: bool
    """Whether devices are told apart by their names."""
    may_guess: bool
    """Whether what an object computes with is likely to be where the object is."""
    reads_called: bool
    """Whether what is called is read for whether it goes to the CPU."""

    def summary(self, function: FunctionDefinition) -> FunctionSummary | None:
        """What a call of a function does; None where it is asked for that very function."""

    def attributes(self, cls: ClassDefinition) -> Names:
        """The attributes of instances of a class."""

    def method(self, cls: ClassDefinition, name: str, is_inherited: bool = False) -> FunctionDefinition | None:
        """The method that an instance of a class has; ``is_inherited`` for that of its base classes."""

    def is_module(self, cls: ClassDefinition) -> bool:
        """Whether a class is an nn.Module."""

    def imported(self, origin: str) -> ClassDefinition | FunctionDefinition | None:
        """What the file imports of another file of its project, where such files are asked."""

    def written(self, origin: str) -> ClassDefinition | FunctionDefinition | None:
        """The same, also where only base classes are asked: only to read it."""

    def is_kernel(self, origin: str) -> bool:
        """Whether the file imports a kernel of Triton of another file of its project."""


class MeetingRecorder:
    """Notes what meets in one function."""

    def __init__(self, summaries: Summaries, function: FunctionDefinition) -> None:
        self.summary = FunctionSummary()
        self.program = program = summaries.program
        self.function = function
        self.names_devices = summaries.names_devices
        self.is_in_module = (
            function.owner is not None
            and function.is_method
            and summaries.is_module(function.owner)
            and "classmethod" not in function.decorators
        )
        self.is_in_autograd = function.owner is not None and function.owner.is_autograd
        """Whether the function computes a step forward or backward, whose arguments live where those of modules do."""
        self.is_silent = function.is_initializer
        """Whether this makes a module, which has not been moved yet."""
        self.is_before_move = self.is_silent and (function.owner is None or program.may_be_module(function.owner))
        """Whether what meets here is of no interest for that."""
        self.moved: ast.expr | None = None
        """What is moved as soon as it is made: its parts may be on the CPU still."""
        self.asked: set[str] = set()
        """The arguments that are asked for their device, or of which a part is, or what is computed of them."""
        self.handed: set[str] = set()
        """Those that are given to functions which say that they are tensors."""
        self.placed: set[str] = set()
        """The arguments that are computed with what the program puts on a device."""
        self.arrays: set[TensorPlace] = set()
        """Where tensors are that become arrays as they are, which only those on the CPU can: ``x.numpy()``."""
        self._open: list[tuple[frozenset[Site], Places, ast.expr | ast.stmt, Operation]] = []
        """What meets arguments of which nothing shows yet that they are on a device."""
        self.depth = 0
        """How many functions inside of this one are run just now."""
        self._flags: list[Flag] = []
        self._is_without_cuda = False
        self.called: Site | None = None
        """Where the operation stands in a function that is called, while this is asked what meets there."""

    @cached_property
    def may_be_certain(self) -> bool:
        """Whether the function may show where its tensors are."""
        return may_be_certain(self.function)

    @cached_property
    def shown_tensors(self) -> frozenset[str]:
        """The parameters that are certainly tensors."""
        return shown_tensors(self.program, self.function, self.is_in_module)

    def under(self, test: ast.expr, holds: bool, run: Callable[..., Names | None], *given: object) -> Names | None:
        """Run a branch: what meets in it only meets in calls that give a parameter this truth value."""
        flag = flag_of(test, holds)
        is_given = flag is not None and any(one.arg == flag[0] for one in self.function.parameters)
        flags = [flag] if flag is not None and is_given else []
        after: Names | None = self.where(flags, self.on_branch, test, holds, run, *given)
        return after

    def on_branch(self, test: ast.expr, holds: bool, run: Callable[..., _Given], *given: object) -> _Given:
        """Run a branch: what meets where the program is not on CUDA, need not be moved."""
        outer = self._is_without_cuda
        self._is_without_cuda = outer or is_without_cuda(test, holds)
        try:
            return run(*given)
        finally:
            self._is_without_cuda = outer

    def where(self, flags: list[Flag], run: Callable[..., _Given], *given: object) -> _Given:
        """Run what only happens in calls that give parameters these truth values."""
        outer, self._flags = self._flags, [*self._flags, *flags] if flags else self._flags
        try:
            return run(*given)
        finally:
            self._flags = outer

    def _site(self, node: ast.expr | ast.stmt) -> Site:
        """Where an operation stands that a node is, or that it leads to by a call."""
        return self.called or site_of(node)

    def _note(self, notes: dict[_Noted, Operation], key: _Noted, kind: str, node: ast.expr | ast.stmt) -> None:
        """Note what meets arguments, with what must be true where it does."""
        notes[key] = Operation(kind, self._site(node))
        flags = frozenset(self._flags)
        self.summary.flags[key] = flags & self.summary.flags.get(key, flags)

    def made(self, tensor: Tensor, names: Names) -> None:
        """A tensor is made on the CPU: only in calls that give parameters the truth values of the branches around."""
        flags = frozenset(self._flags)
        for site in (site for place in tensor.places for site in place.sites):
            self.summary.made.setdefault(site, dict(names))
            if tensor.is_made:
                self.summary.flags[site, NOWHERE] = flags & self.summary.flags.get((site, NOWHERE), flags)

    def meet(self, one: Tensor, other: Tensor, node: ast.expr | ast.stmt, kind: str) -> None:
        """Two tensors are operands of one operation."""
        if self.names_devices and are_apart(one, other, kind.startswith(STRICT_KINDS)):
            self._mixed(one, other, node, kind)
        for tensor, partner in ((one, other), (other, one)):
            note_place(self, tensor, partner)
            is_changed = tensor is one and tensor.rank == 0 and kind in CHANGES
            if tensor.rank in (0, ANY) and not (is_changed or kind.startswith(STRICT_KINDS)):
                continue
            if partner.is_known:
                self._meets(tensor, partner.places, node, kind, partner)

    def is_indexed(self, tensor: Tensor, index: Tensor, node: ast.expr) -> None:
        """A tensor is indexed by another: the index may be on the CPU, but not the tensor alone."""
        if self.names_devices and not is_on_named_cpu(index) and are_apart(tensor, index):
            self._mixed(tensor, index, node, "index")
        if tensor.rank == 0 or index.rank == 0 or not index.is_known or (tensor.rank == ANY and not tensor.is_on_cpu):
            return
        self._meets(tensor, index.places, node, "index", index)

    def _mixed(self, one: Tensor, other: Tensor, node: ast.expr | ast.stmt, kind: str) -> None:
        method = kind.removeprefix("Tensor.")
        if self._is_without_cuda or (method != kind and method.rstrip("_") not in OF_TENSORS):
            return  # a module that was moved, perhaps
        self.summary.mixtures.append(Mixture(min(one.places), min(other.places), self._site(node), kind))

    def goes_with(self, tensor: Tensor, partner: Places, node: ast.expr | ast.stmt, kind: str) -> None:
        """A tensor and another whose place is known go together."""
        for place in tensor.places:
            if place.kind is Kind.CPU and not is_for_cpu(self.function, place.sites):
                evident = evidence_beside(self, place.sites, partner) is Evidence.WHOLE
                self.found(place.sites, partner, node, kind, evident)

    def _meets(self, tensor: Tensor, partner: Places, node: ast.expr | ast.stmt, kind: str, other: Tensor) -> None:
        around = self._flags
        # What is made where an argument is None, or else is that argument, is not made where that is given.
        self._flags = [*around, *((one.name, False) for one in tensor.places if one.kind is Kind.ARGUMENT)]
        for place in tensor.places if not self._is_without_cuda else ():
            if place.kind is Kind.CPU:
                evidence = evidence_of(self, place.sites, tensor, other, kind)
                self.found(place.sites, partner, node, kind, evidence is Evidence.WHOLE)
                if evidence is Evidence.OPEN and not self.is_moved_at_once(node, partner, kind):
                    self._note(self.summary.open, (place.sites, partner), kind, node)
                    self._open.append((place.sites, partner, node, Operation(kind, self._site(node))))
        self._flags = around
        if self._is_without_cuda or any(place.kind in (Kind.DEVICE, Kind.ELSEWHERE) for place in tensor.places):
            return  # the function moves what it is given, on one of its paths
        for place in tensor.places:
            if place.kind is Kind.ARGUMENT and partner - {place} and len(self.summary.arguments) < _MOST_MEETINGS:
                self._note(self.summary.arguments, (place.name, partner), kind, node)

    def argument_meets(self, name: str, partner: Tensor, node: ast.expr | ast.stmt, kind: str) -> None:
        """An argument that may be a tensor is an operand beside one."""
        if partner.is_known and len(self.summary.arguments) < _MOST_MEETINGS and not self._is_without_cuda:
            self._note(self.summary.arguments, (name, partner.places), kind, node)

    def found(
        self, sites: frozenset[Site], partner: Places, node: ast.expr | ast.stmt, kind: str, evident: bool = False
    ) -> None:
        """A tensor made on the CPU meets a partner: for certain, or under a condition that a caller may fulfil."""
        if self.is_before_move and any(one.kind is not Kind.DEVICE for one in partner):
            return
        if self._is_without_cuda or self.is_moved_at_once(node, partner, kind):
            return
        if evident or all(may_be_elsewhere(self, one) for one in partner):
            self.summary.meetings.append(Meeting(sites, partner, self._site(node), kind, node, self.function, evident))
        else:
            self._note(self.summary.conditions, (sites, partner), kind, node)

    def is_moved_at_once(self, node: ast.expr | ast.stmt, partner: Places, kind: str) -> bool:
        """Whether what is joined or compared with an argument is moved at once, which may be on the CPU until then."""
        is_simple = kind == "comparison" or kind.rpartition(".")[2] in JOINS
        return node is self.moved and is_simple and all(one.kind is Kind.ARGUMENT for one in partner)

    def decide(self) -> None:
        """Note what has met arguments that are on a device, as the function has shown since; not those on the CPU."""
        if self.arrays:
            on_cpu = {one.place for one in self.summary.meetings if one.partner & self.arrays}
            self.summary.meetings = [one for one in self.summary.meetings if one.place not in on_cpu]
            self.summary.open = {key: one for key, one in self.summary.open.items() if not key[1] & self.arrays}
            self._open = [one for one in self._open if not one[1] & self.arrays]
        for sites, partner, node, (kind, place) in self._open if self.asked or self.placed else ():
            if evidence_of_places(self, partner) is Evidence.WHOLE:
                self.called = place
                self.found(sites, partner, node, kind, True)
        self.called = None

    def found_by_call(self, sites: frozenset[Site], partner: Places, node: ast.expr | ast.stmt, kind: str) -> None:
        """What is called shows that a tensor it makes meets an argument, which is at these places."""
        evidence = evidence_of_places(self, partner) if not self._is_without_cuda else Evidence.NONE
        if evidence is Evidence.WHOLE:
            self.summary.meetings.append(Meeting(sites, partner, self._site(node), kind, node, self.function, True))
        elif evidence is Evidence.OPEN:
            self._note(self.summary.open, (sites, partner), kind, node)

    def meet_all(self, values: Iterable[Value], node: ast.expr | ast.stmt, kind: str) -> list[Tensor]:
        """All tensors in some values are operands of one operation; returns them."""
        every = [*values]
        tensors = [tensor for value in every for tensor in tensors_in(value)]
        for index, one in enumerate(tensors):
            for other in tensors[index + 1 :]:
                self.meet(one, other, node, kind)
        for name in (one.name for one in every if isinstance(one, UnknownArgument)) if tensors else ():
            for tensor in tensors:
                self.argument_meets(name, tensor, node, kind)
        return tensors
