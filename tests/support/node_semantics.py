"""Prints what LibCST's node types and their nodes do, so that two ways to import it can be compared."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from devlint.syntax import fast_libcst_import

if __name__ == "__main__":
    assert sys.argv[1] == "plain" or fast_libcst_import.load()

import libcst as cst

from tests.support.every_node import EVERY_NODE, NEW_SYNTAX

_ODD: tuple[Any, ...] = (None, "", "a b", b"x", 1, (), [cst.LeftParen()], cst.Name("q"))
"""What may be no value of a field."""


def types() -> list[type[cst.CSTNode]]:
    """All types of nodes, with abstract ones."""
    found, waiting = [], [cst.CSTNode]
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].__subclasses__()
    return sorted(dict.fromkeys(found), key=lambda one: (one.__name__, str(one.__dict__.get("__slots__"))))


def said_of_type(node_type: Any) -> Iterator[object]:
    """What a type is, and how it takes arguments."""
    names = ("__slots__", "__match_args__", "__dataclass_params__")
    yield node_type.__name__, node_type.__module__, [base.__name__ for base in node_type.__mro__]
    yield [repr(getattr(node_type, name, None)) for name in names], sorted(node_type.__abstractmethods__)
    yield [getattr(node_type, name) is getattr(cst.CSTNode, name) for name in ("__eq__", "__hash__", "__repr__")]
    if dataclasses.is_dataclass(node_type):
        yield [re.sub(" at 0x.*?>", "", str(field)) for field in dataclasses.fields(node_type)]
    for arguments in ((), (cst.Name("x"),), ("",), ("\n",), ("#",), ("a",), range(99)):
        yield tried(lambda arguments=arguments: node_type(*arguments))
    for named in ({"nonsense": 1}, {"value": "x", "lpar": [cst.LeftParen()]}):
        yield tried(lambda named=named: node_type(**named))


def said_of_node(node: Any) -> Iterator[object]:
    """What a node does when it is copied, changed or ill-treated."""
    fields = [field.name for field in dataclasses.fields(node)]
    values = {name: getattr(node, name) for name in fields}
    yield (
        repr(node),
        repr(node.with_changes()),
        node.deep_equals(node.with_changes()),
        dataclasses.replace(node) == node,
    )
    yield copy.deepcopy(node).deep_equals(node), pickle.loads(pickle.dumps(node)).deep_equals(node), node == node
    yield tried(lambda: type(node)(*values.values())), tried(lambda: dataclasses.replace(node, nonsense=1))
    for name in fields:
        yield tried(lambda name=name: type(node)(**{other: values[other] for other in fields if other != name}))
        for odd in _ODD:
            yield tried(lambda name=name, odd=odd: node.with_changes(**{name: odd}))
    for name in (*fields, "nonsense"):
        yield is_refused(lambda name=name: setattr(node, name, 1)), is_refused(lambda name=name: delattr(node, name))
    yield repr(node)


def tried(what: Callable[[], object]) -> str:
    """The result, or the error."""
    try:
        return repr(what())
    except Exception as error:
        return f"{type(error).__mro__} {error}"


def is_refused(what: Callable[[], object]) -> bool:
    """Whether it fails; how it does, ``dataclasses`` gets wrong where slots are added to a class."""
    try:
        what()
    except (dataclasses.FrozenInstanceError, TypeError):
        return True
    return False


def nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all below it."""
    yield node
    for child in node.children:
        yield from nodes(child)


@dataclasses.dataclass(frozen=True)
class Richer(cst.Name):
    """A derived node type with a field more."""

    extra: int = 3

    def _validate(self) -> None:
        if self.extra == 4:
            raise ValueError("four")


class Refusing(cst.SimpleWhitespace):
    """One that validates, and is no dataclass."""

    def _validate(self) -> None:
        raise ValueError(self.value)


class Quiet(cst.Name):
    """One with a constructor of its own."""

    def __init__(self) -> None:
        super().__init__("four")


def said() -> Iterator[object]:
    """All there is to say."""
    for node_type in types():
        yield from said_of_type(node_type)
    for code in (EVERY_NODE, NEW_SYNTAX):
        try:
            module = cst.parse_module(code)
        except cst.ParserSyntaxError as error:  # an older LibCST
            yield str(error)
            continue
        yield module.code == code, module.deep_clone().deep_equals(module)
        seen: dict[type, int] = {}
        for node in nodes(module):
            seen[type(node)] = seen.get(type(node), 0) + 1
            if seen[type(node)] <= 3 and not isinstance(node, cst.Module):
                yield from said_of_node(node)
    space = cst.SimpleWhitespace(" ")
    for make in (Richer, Refusing, Quiet):
        yield tried(lambda make=make: make("a")), tried(lambda make=make: make()), tried(lambda make=make: make(" "))
    yield tried(lambda: Richer("a", extra=4)), repr(Richer("a").extra), is_refused(lambda: setattr(Richer("a"), "q", 1))
    yield is_refused(lambda: setattr(Quiet(), "value", "q")), repr(space), hash(space) == id(space)


if __name__ == "__main__":
    for one in said():
        sys.stdout.write(json.dumps(one) + "\n")
