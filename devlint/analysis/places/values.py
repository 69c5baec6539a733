"""What is known of a value of a program: whether it is or holds tensors, and where these live."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition


class Site(NamedTuple):
    """A call that makes a tensor, by its place in the file; ``column`` counts bytes."""

    row: int
    column: int
    end_row: int
    end_column: int


class Kind(Enum):
    """What is known of a place where a tensor may live."""

    CPU = "made on the CPU, by some calls together"
    ARGUMENT = "where the tensor is that the function was given as this argument"
    DEVICE = "on the device that the function was given as this argument"
    MODULE = "where the parameters of the module are"
    ELSEWHERE = "on a device that the program names, and that is not certainly the CPU"
    NAMED = "on the device that the program names there, where names are followed: cpu, cuda, cuda:1"
    ANYWHERE = "nobody knows where"


class TensorPlace(NamedTuple):
    """A place where a tensor may live."""

    kind: Kind
    name: str = ""
    sites: frozenset[Site] = frozenset()


Places = frozenset[TensorPlace]
ELSEWHERE, MODULE, ANYWHERE = TensorPlace(Kind.ELSEWHERE), TensorPlace(Kind.MODULE), TensorPlace(Kind.ANYWHERE)
NOWHERE_KNOWN: Places = frozenset({ANYWHERE})
NOWHERE: Places = frozenset()
LEFT_ON_CPU: Places = NOWHERE_KNOWN | {TensorPlace(Kind.ANYWHERE, "cpu")}
"""Where a tensor is after ``.cpu()``: what meets it is meant to be on the CPU."""
AT_MODULE: Places = frozenset({MODULE})
_OPEN = (Kind.CPU, Kind.ANYWHERE)
CHOSEN = (Kind.ELSEWHERE, Kind.DEVICE)
"""Places that a program puts tensors at by a device."""
PLACEHOLDER = "placeholder"
"""The name of the place of a tensor that is made with no element, or one, of constants."""
PERHAPS_COPY = "tensor of what may be one"
"""The name of the place of ``torch.tensor(data)`` where nobody knows whether the data is a tensor on a device."""
OTHER_MODULE = "module of another file"
"""The kind of the call of a module whose class is known, but not what it does: it may move what it is given."""
GENERATOR = "generator"
"""The kind of the call that makes a tensor with a generator."""
SOME, ANY = -1, -2
"""Numbers of dimensions: at least one; perhaps none."""


class Value:
    """What is known of a value; compared by content with ``same``."""

    __slots__ = ()


class Plain(Value):
    """A value without tensors in it."""

    __slots__ = ()


class UnknownValue(Value):
    """A value of which nothing is known."""

    __slots__ = ()


class UnknownPart(UnknownValue):
    """A value of which is only known where it lives if it is a tensor: where what it was taken from, or made of, is."""

    __slots__ = ("places",)

    def __init__(self, places: Iterable[TensorPlace]) -> None:
        self.places: Places = frozenset(places)


class UnknownArgument(UnknownPart):
    """An argument of which nothing is known; where it is computed with, it may be a tensor."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__([TensorPlace(Kind.ARGUMENT, name)])
        self.name = name


class Numbers(Value):
    """A list or an array of numbers."""

    __slots__ = ()


PLAIN, UNKNOWN, NUMBERS = Plain(), UnknownValue(), Numbers()


class Tensor(Value):
    """A tensor that lives at one of several places."""

    __slots__ = ("is_made", "is_output", "may_be_list", "places", "rank")

    def __init__(
        self,
        places: Iterable[TensorPlace],
        rank: int = SOME,
        is_output: bool = False,
        is_made: bool = False,
        may_be_list: bool = False,
    ) -> None:
        self.places: Places = frozenset(places)
        self.rank = rank
        """Its number of dimensions, or SOME, or ANY."""
        self.is_output = is_output
        """Whether it may be an object, or a tuple, of tensors that a module gave."""
        self.is_made = is_made
        """Whether it is what a call of torch has made, on the CPU or on a device that the call is given."""
        self.may_be_list = may_be_list
        """Whether the annotation of the argument that it is allows a list of other things as well."""

    @property
    def is_on_cpu(self) -> bool:
        """Whether it was made on the CPU on some path."""
        return any(one.kind is Kind.CPU for one in self.places)

    @property
    def is_certainly_on_cpu(self) -> bool:
        """Whether it was made on the CPU on every path."""
        return bool(self.places) and all(one.kind is Kind.CPU for one in self.places)

    @property
    def is_placeholder(self) -> bool:
        """Whether it has no elements, or one, so that another takes its place before it is used."""
        return bool(self.places) and all(one.name == PLACEHOLDER for one in self.places)

    @property
    def is_known(self) -> bool:
        """Whether it lives, on every path, at a known place that is not the CPU."""
        return bool(self.places) and not any(one.kind in _OPEN for one in self.places)

    def at(self, rank: int) -> Tensor:
        """Another tensor at the same places."""
        return Tensor(self.places, rank)


class Device(Value):
    """A device."""

    __slots__ = ("places",)

    def __init__(self, places: Iterable[TensorPlace]) -> None:
        self.places: Places = frozenset(places)


class Items(Value):
    """A tuple or list of known length."""

    __slots__ = ("elements",)

    def __init__(self, elements: Iterable[Value]) -> None:
        self.elements = [*elements]


class Many(Value):
    """A tuple or list of unknown length."""

    __slots__ = ("added", "by_length", "element", "ends", "mixed")

    def __init__(
        self,
        element: Value,
        mixed: Iterable[tuple[Tensor, Tensor]] = (),
        added: Iterable[Tensor] = (),
        ends: list[Value] | None = None,
        by_length: dict[int, Value] | None = None,
    ) -> None:
        self.element = element
        self.by_length = by_length or {}
        """The lists of known length that it is one of, and no other."""
        self.ends = ends
        """One of those that it begins with, nobody knows how many, and the values after them: ``*x.shape, device``."""
        self.added = [*added][:4]
        """Different tensors that were added to it, one by one."""
        self.mixed = [*mixed][:4]
        """Tensors of several places that are certainly in it together."""


class Mapping(Value):
    """A dictionary with the values of its constant keys."""

    __slots__ = ("items",)

    def __init__(self, items: dict[object, Value]) -> None:
        self.items = items


class Module(Value):
    """A module: of a class of the file, of torch.nn, or of neither."""

    __slots__ = ("definition", "is_new", "kind")

    def __init__(self, definition: ClassDefinition | None = None, kind: str = "", is_new: bool = False) -> None:
        self.definition = definition
        self.kind = kind
        self.is_new = is_new
        """Whether the function has made it, and not moved it: its parameters are not where those of others are."""


class Instance(Value):
    """An instance of a class of the file that is no module."""

    __slots__ = ("definition",)

    def __init__(self, definition: ClassDefinition) -> None:
        self.definition = definition


class Function(Value):
    """A function of the file, or one in a function with the names around it."""

    __slots__ = ("definition", "names")

    def __init__(self, definition: FunctionDefinition, names: Names | None = None) -> None:
        self.definition = definition
        self.names = names


class InlineFunction(Value):
    """A lambda with the names around it."""

    __slots__ = ("names", "node")

    def __init__(self, node: ast.Lambda, names: Names) -> None:
        self.node = node
        self.names = names


class Alternatives(Value):
    """One of several modules."""

    __slots__ = ("modules",)

    def __init__(self, modules: list[Module]) -> None:
        self.modules = modules


Names = dict[str, Value]
"""The values of local names, and of attributes of local names: ``x``, ``self.x``."""


def tensors_in(value: Value) -> Iterator[Tensor]:
    """The tensors in a value."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Items):
        for each in value.elements:
            yield from tensors_in(each)
    elif isinstance(value, Many):
        yield from tensors_in(value.element)
    elif isinstance(value, Mapping):
        for each in value.items.values():
            yield from tensors_in(each)


def site_of(node: ast.expr | ast.stmt) -> Site:
    """Where a node stands."""
    return Site(node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)
