"""Python's own syntax tree of a file, with what a name may stand for anywhere in it.

It knows no scopes and no order of statements: a name may have any value that any place of the file gives to a name
spelled so. What it says is therefore never less than what a rule's own facts would say.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Set
from functools import cached_property
from typing import TypeVar, cast

from devlint.syntax.python_ast import syntax_tree

Node = TypeVar("Node", bound=ast.AST)
Fact = TypeVar("Fact")
May = Callable[["SyntaxTree", ast.expr, Container[str]], bool]
"""Whether a value may be something, if these names may be."""
DEPTH = 5
"""How many values of values rules follow at most."""
_NO_NODES = frozenset("arg asname attr conversion ctx id is_async kind level module op ops simple type_comment".split())
"""Fields that hold no nodes, or such as are the same object everywhere."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type of nodes that may hold others."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        found = self[kind] = tuple(name for name in kind._fields if name not in _NO_NODES)
        return found


_FIELDS = _Fields()


class SyntaxTree:
    """The nodes of a program by their types, their parents, and the values of names."""

    def __init__(self, module: ast.Module, data: bytes, device: str = "") -> None:
        self.device = device
        """What the project calls its own device, if the configuration says so."""
        self._data = data
        self._by_type: dict[type[ast.AST], list[ast.AST]] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        self._names: dict[May, set[str]] = {}
        self._facts: dict[object, object] = {}
        nodes: list[ast.AST] = [module]
        for node in nodes:  # which grows meanwhile
            kind = node.__class__
            if kind in self._by_type:
                self._by_type[kind].append(node)
            else:
                self._by_type[kind] = [node]
            for name in _FIELDS[kind]:
                value = getattr(node, name)
                if value.__class__ is list:
                    for child in value:
                        if isinstance(child, ast.AST):
                            self._parents[child] = node
                            nodes.append(child)
                elif isinstance(value, ast.AST):
                    self._parents[value] = node
                    nodes.append(value)

    def of_type(self, kind: type[Node]) -> list[Node]:
        """All nodes of exactly this type."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]  # each list holds one type only

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around one."""
        return self._parents.get(node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, innermost first."""
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def lines(self, first: int, last: int) -> str:
        """The lines of the file from one to another."""
        return "\n".join(self._lines[first - 1 : last])

    def called(self, expression: ast.AST) -> set[str]:
        """The dotted names that an expression may stand for: as it is written, and by any import of its first part."""
        dotted = dotted_name(expression)
        root, dot, rest = dotted.partition(".")
        return {dotted, *(f"{origin}{dot}{rest}" for origin in self._imported.get(root, ()))}

    def fact(self, find: Callable[[SyntaxTree], Fact]) -> Fact:
        """What a function finds out about the tree, worked out once."""
        if find not in self._facts:
            self._facts[find] = find(self)
        return cast(Fact, self._facts[find])

    def names(self, may: May, known: Callable[[SyntaxTree], Iterable[str]] = lambda _: ()) -> set[str]:
        """The names that may be what ``may`` asks for: those ``known`` to be, and those with a value that may be.

        The values of values are followed as deep as rules do, so that many rounds are enough. Worked out once.
        """
        if may not in self._names:
            found = self._names[may] = set(known(self))
            for _ in range(DEPTH):
                more = [name for name, value in self.given if name not in found and may(self, value, found)]
                found.update(more)
                if not more:
                    break
        return self._names[may]

    def named(self, origins: Set[str]) -> Iterator[ast.expr]:
        """The names and attributes that may stand for one of these members of modules."""
        last = {one.rpartition(".")[2] for one in origins}
        aliases = {name for name, found in self._imported.items() if not found.isdisjoint(origins)}
        yield from (
            one for one in self.of_type(ast.Attribute) if one.attr in last and not origins.isdisjoint(self.called(one))
        )
        yield from (one for one in self.of_type(ast.Name) if one.id in aliases)

    @cached_property
    def _lines(self) -> list[str]:
        return self._data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @cached_property
    def given(self) -> list[tuple[str, ast.expr]]:
        """Each name or attribute with what one spelled so is assigned, has as a parameter's default, or returns."""
        return [*self._given()]

    @cached_property
    def parameters(self) -> list[tuple[ast.arg, ast.expr | None]]:
        """The parameters of all functions, with their defaults."""
        found: list[tuple[ast.arg, ast.expr | None]] = []
        for one in self.of_type(ast.arguments):
            plain = [*one.posonlyargs, *one.args]
            without: list[None] = [None] * (len(plain) - len(one.defaults))
            found += zip(plain, (*without, *one.defaults))
            found += zip(one.kwonlyargs, one.kw_defaults)
        return found

    @property
    def loops(self) -> list[ast.For | ast.AsyncFor | ast.comprehension]:
        """The loops, those of comprehensions among them."""
        return [*self.of_type(ast.For), *self.of_type(ast.AsyncFor), *self.of_type(ast.comprehension)]

    @cached_property
    def modules(self) -> set[str]:
        """The modules that are imported, or imported from, as they are written."""
        found = {alias.name for one in self.of_type(ast.Import) for alias in one.names}
        return found | {one.module or "" for one in self.of_type(ast.ImportFrom)}

    @cached_property
    def _imported(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for one in self.of_type(ast.Import):
            for alias in one.names:
                if alias.asname:
                    found.setdefault(alias.asname, set()).add(alias.name)
        for other in self.of_type(ast.ImportFrom):
            for alias in other.names:
                found.setdefault(alias.asname or alias.name, set()).add(f"{other.module or ''}.{alias.name}")
        return found

    def _given(self) -> Iterator[tuple[str, ast.expr]]:
        for one in self.of_type(ast.Assign):
            for target in one.targets:
                yield from _pairs(target, one.value)
        for noted in self.of_type(ast.AnnAssign):
            if noted.value is not None:
                yield from _pairs(noted.target, noted.value)
        for named in self.of_type(ast.NamedExpr):
            yield from _pairs(named.target, named.value)
        for parameter, default in self.parameters:
            if default is not None:
                yield parameter.arg, default
        for leave in self.of_type(ast.Return):
            owner = next((one for one in self.around(leave) if isinstance(one, ast.FunctionDef)), None)
            if leave.value is not None and owner is not None:
                yield owner.name, leave.value


def parse(data: bytes, device: str = "") -> SyntaxTree | None:
    """The syntax tree of a program; None where the Python that runs has none, and LibCST may have one."""
    try:
        module = syntax_tree(data)
        return SyntaxTree(module, data, device) if module is not None else None
    except MemoryError:
        return None


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives a value to; a tuple on both sides is matched piece by piece."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        if len(target.elts) == len(value.elts):
            for left, right in zip(target.elts, value.elts):
                yield from _pairs(left, right)
    elif last_name(target):
        yield last_name(target), value


def dotted_name(node: ast.AST) -> str:
    """``a.b.c`` for names and attributes of names; ``""`` for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def last_name(node: ast.AST) -> str:
    """``c`` of ``a.b.c`` and of ``f(x).c``; ``""`` for what is no name and no attribute."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def text_of(node: ast.AST | None) -> str | None:
    """The value of a string constant."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def plain_text(node: ast.expr) -> str | None:
    """The value of a string constant that is written in one piece, with no prefix and nothing escaped."""
    text = text_of(node)
    if text is None or node.end_col_offset is None or node.lineno != node.end_lineno:
        return None
    return text if node.end_col_offset - node.col_offset <= len(text) + 2 else None


def arguments(call: ast.Call) -> list[ast.expr]:
    """All that a call is given, by position and by keyword."""
    return [*call.args, *(one.value for one in call.keywords)]
