"""One walk over a LibCST tree: nodes by type in source order, and their parents.

LibCST's own visitors rebuild every node they pass and walk white space too: about 1,165 µs per KB of source against
about 30 here. The order of children is LibCST's own visiting order; tests/syntax/test_tree.py compares the two.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar, cast

import libcst as cst

N = TypeVar("N", bound=cst.CSTNode)
Parents = dict[int, cst.CSTNode]
Visit = Callable[[cst.CSTNode, Parents, Callable[[cst.CSTNode], None]], None]

# Punctuation, operators and blank lines: nothing that a rule asks about hangs below them.
_SKIPPED_FIELDS = frozenset(
    "lpar rpar comma semicolon lbracket rbracket lbrace rbrace leading_lines header footer trailing_whitespace "
    "first_line empty_lines indent newline comment dot equal lines_after_decorators lines_after_module "
    "asynchronous operator tilde_or_dash star_token separator colon first_colon second_colon".split()
)
_NO_NODES = (str, bool, "str", "bool")
# Where the order of the dataclass fields is not the order of visits.
_VISIT_ORDER: dict[str, tuple[str, ...]] = {
    "IfExp": ("body", "test", "orelse"),
    "FunctionDef": ("decorators", "name", "type_parameters", "params", "returns", "body"),
    "ClassDef": ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    "Arg": ("keyword", "value"),
    "ImportFrom": ("module", "names"),
    "Parameters": ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    "ExceptHandler": ("type", "name", "body"),
    "ExceptStarHandler": ("type", "name", "body"),
    "MatchCase": ("pattern", "guard", "body"),
    "TypeAlias": ("name", "type_parameters", "value"),
}


def _child_fields(node_type: type[cst.CSTNode]) -> list[str]:
    """The fields of ``node_type`` that may hold children worth visiting, in LibCST's visiting order."""
    order = _VISIT_ORDER.get(node_type.__name__)
    if order is not None:
        return list(order)
    names = [field.name for field in dataclasses.fields(cast(Any, node_type)) if field.type not in _NO_NODES]
    return [name for name in names if name not in _SKIPPED_FIELDS and "whitespace" not in name]


def _push_children(fields: Sequence[str]) -> Visit:
    """A function that pushes the children held by ``fields``, last first, and notes their parent."""
    kinds = _KINDS

    def push(node: cst.CSTNode, parents: Parents, append: Callable[[cst.CSTNode], None]) -> None:
        for name in fields:
            value = getattr(node, name)
            kind = kinds[value.__class__]
            if kind == _NODE:
                parents[id(value)] = node
                append(value)
            elif kind == _NODES:
                for child in reversed(value):
                    parents[id(child)] = node
                    append(child)

    return push


_NODE, _NODES, _OTHER = 1, 2, 0


class _Kinds(dict[type, int]):
    """Whether what a field holds is a node, or several, by its class: to ask ``isinstance`` takes ten times as long."""

    def __missing__(self, of: type) -> int:
        # Not issubclass, which asks every type of node for a string.
        kind = self[of] = _NODE if cst.CSTNode in of.__mro__ else _NODES if of in (list, tuple) else _OTHER
        return kind


class _Pushers(dict[type, Visit | None]):
    """Visit functions, made when a node type is first met; None for types without children."""

    def __missing__(self, node_type: type) -> Visit | None:
        fields = _child_fields(node_type)[::-1]
        pusher = self[node_type] = _push_children(fields) if fields else None
        return pusher


_KINDS = _Kinds()
_PUSHERS = _Pushers()


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What stands directly below ``node``, in source order."""
    found: list[cst.CSTNode] = []
    push = _PUSHERS[node.__class__]
    if push is not None:
        push(node, {}, found.append)
    return found[::-1]


class Tree:
    """The nodes of a module, without its white space and punctuation."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.nodes: list[cst.CSTNode] = []
        """Every node in source order (pre-order)."""
        self._parents: Parents = {}
        self._places: defaultdict[type, list[int]] = defaultdict(list)
        """By type, where in ``nodes`` they are: to look at all nodes for their types takes as long as to walk."""
        stack: list[cst.CSTNode] = [module]
        pop, append, parents = stack.pop, stack.append, self._parents
        nodes, places = self.nodes, self._places
        while stack:
            node = pop()
            node_type = node.__class__
            places[node_type].append(len(nodes))
            nodes.append(node)
            push = _PUSHERS[node_type]
            if push is not None:
                push(node, parents, append)
        self._by_type: dict[type, list[cst.CSTNode]] = {}

    def of_type(self, node_type: type[N]) -> list[N]:
        """Every node that is exactly of ``node_type``, in source order."""
        found = self._by_type.get(node_type)
        if found is None:
            found = self._by_type[node_type] = self.of_types((node_type,))
        return cast("list[N]", found)

    def of_types(self, node_types: Iterable[type]) -> list[cst.CSTNode]:
        """Every node that is exactly of one of ``node_types``, in source order."""
        places = sorted(chain.from_iterable(self._places.get(one, ()) for one in node_types))
        return [self.nodes[place] for place in places]

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node that holds ``node``; None for the module."""
        return self._parents.get(id(node))

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The parents of ``node``, innermost first."""
        parent = self._parents.get(id(node))
        while parent is not None:
            yield parent
            parent = self._parents.get(id(parent))

    def is_around(self, owner: cst.CSTNode, node: cst.CSTNode) -> bool:
        """Whether ``owner`` holds ``node``, directly or not."""
        return any(one is owner for one in self.ancestors(node))

    def path_up(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """Pairs of (child, parent) from ``node`` up to the module."""
        child = node
        for parent in self.ancestors(node):
            yield child, parent
            child = parent

    def below(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """``node`` and every node under it, in source order."""
        stack = [node]
        scratch: Parents = {}
        while stack:
            current = stack.pop()
            yield current
            push = _PUSHERS[current.__class__]
            if push is not None:
                push(current, scratch, stack.append)
