"""Expressions in a form that both syntax trees can be read into: Python's own, quick to have, and LibCST's, exact.

What a rule decides by the form of an expression is written once over terms. This module knows neither tree.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Term:
    """An expression; ``node`` is the node of either tree that it was read from."""

    __slots__ = ("node",)
    __match_args__: tuple[str, ...] = ()
    node: Any

    def __init__(self, node: object, *parts: object) -> None:
        self.node = node
        for name, part in zip(self.__match_args__, parts):
            setattr(self, name, part)

    @property
    def dotted(self) -> str:
        """``a.b.c`` for names and attributes of names; empty for anything else."""
        return ""

    @property
    def last_name(self) -> str:
        """The last part of a name, an attribute or a subscript by a string: ``c`` of ``a.b.c`` and ``a["c"]``."""
        return ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in self.__match_args__)})"


class Unknown(Term):
    """Any expression that is none of the others."""

    __slots__ = ()


class Not(Term):
    """``not operand``."""

    __slots__ = ("operand",)
    __match_args__ = ("operand",)
    operand: Term


class And(Term):
    """``a and b and c``."""

    __slots__ = ("parts",)
    __match_args__ = ("parts",)
    parts: tuple[Term, ...]


class Or(Term):
    """``a or b or c``."""

    __slots__ = ("parts",)
    __match_args__ = ("parts",)
    parts: tuple[Term, ...]


class Compare(Term):
    """A comparison of two values; ``a < b < c`` is Unknown."""

    __slots__ = ("left", "operator", "right")
    __match_args__ = ("left", "operator", "right")
    left: Term
    operator: str
    """As it is written: ``==``, ``is not``, ``in``."""
    right: Term


class Call(Term):
    """A call; keywords count among its arguments, ``*args`` and ``**options`` are Unknown."""

    __slots__ = ("arguments", "function")
    __match_args__ = ("function", "arguments")
    function: Term
    arguments: tuple[Term, ...]


class Name(Term):
    """A name that stands alone."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    @property
    def dotted(self) -> str:
        """The name."""
        return self.name

    @property
    def last_name(self) -> str:
        """The name."""
        return self.name


class Attribute(Term):
    """``value.name``."""

    __slots__ = ("name", "value")
    __match_args__ = ("value", "name")
    value: Term
    name: str

    @property
    def dotted(self) -> str:
        """``a.b.c`` where the first part is a name."""
        before = self.value.dotted
        return f"{before}.{self.name}" if before else ""

    @property
    def last_name(self) -> str:
        """The name of the attribute."""
        return self.name


class Subscript(Term):
    """``value[index]``, with one index that is no slice."""

    __slots__ = ("index", "value")
    __match_args__ = ("value", "index")
    value: Term
    index: Term

    @property
    def last_name(self) -> str:
        """The index, where that is a string, or its last part: ``c`` of ``a["b.c"]``."""
        return self.index.text.rpartition(".")[2] if isinstance(self.index, String) else ""


class String(Term):
    """A string written in one piece, without holes."""

    __slots__ = ("text",)
    __match_args__ = ("text",)
    text: str


class Number(Term):
    """A whole number, with its sign."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: int


class Constant(Term):
    """``True``, ``False`` or ``None``."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: bool | None


class Collection(Term):
    """A tuple, list or set."""

    __slots__ = ("parts",)
    __match_args__ = ("parts",)
    parts: tuple[Term, ...]


class Choice(Term):
    """``body if test else orelse``."""

    __slots__ = ("body", "orelse", "test")
    __match_args__ = ("test", "body", "orelse")
    test: Term
    body: Term
    orelse: Term


class Assigned(Term):
    """``(name := value)``."""

    __slots__ = ("target", "value")
    __match_args__ = ("target", "value")
    target: Term
    value: Term


def is_given(test: Term, name: str, holds: bool = True) -> bool:
    """Whether a name is not None where a test is true, or (``holds=False``) false: ``x is not None``, ``not x``."""
    if isinstance(test, Not):
        return is_given(test.operand, name, not holds)
    if isinstance(test, (And, Or)):
        return isinstance(test, And) is holds and any(is_given(one, name, holds) for one in test.parts)
    if not isinstance(test, Compare):
        return holds and test.dotted == name
    is_none = isinstance(test.right, Constant) and test.right.value is None
    return is_none and test.left.dotted == name and (test.operator in ("is not", "!=")) is holds
