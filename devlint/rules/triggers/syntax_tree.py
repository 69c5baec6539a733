"""Python's own syntax tree of a file, with what a name may stand for anywhere in it.

It knows no scopes and no order of statements: a name may have any value that any place of the file gives to a name
spelled so. What it says is therefore never less than what a rule's own facts would say.
"""

from __future__ import annotations

import _ast as ast
from collections import defaultdict
from functools import cached_property

from devlint.syntax.python_tree.nodes import FIELDS, dotted_text, last_name, parameters_with_defaults
from devlint.syntax.python_tree.python_ast import syntax_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
    from typing import TypeVar

    from devlint.rules.prefilter.code import GivesProject

    Node = TypeVar("Node", bound=ast.AST)
    Fact = TypeVar("Fact")
    May = Callable[["SyntaxTree", ast.AST, Container[str]], bool]
    """Whether a value may be something, if these names may be."""

DEPTH = 5
"""How many values of values rules follow at most."""


class SyntaxTree:
    """The nodes of a program by their types, their parents, and the values of names."""

    def __init__(self, module: ast.Module, data: bytes, device: str = "", gives_project: GivesProject = None) -> None:
        self.device = device
        """What the project calls its own device, if the configuration says so."""
        self.gives_project = gives_project
        """Gives the project of the file, where that may be asked."""
        self.module = module
        self.data = data
        self._by_type: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        self._parents: dict[ast.AST, ast.AST] = {}
        self._names: dict[May, set[str]] = {}
        self._facts: dict[object, object] = {}
        self._walk()

    def _walk(self) -> None:
        """Note the type of each node and the node around it: in one walk, for almost every tree is asked for both."""
        nodes: list[ast.AST] = [self.module]
        add, by_type, parents = nodes.append, self._by_type, self._parents
        for node in nodes:  # which grows meanwhile
            kind = node.__class__
            by_type[kind].append(node)
            for name in FIELDS[kind]:
                value = getattr(node, name)
                if value.__class__ is list:
                    for child in value:
                        if isinstance(child, ast.AST):
                            parents[child] = node
                            add(child)
                elif isinstance(value, ast.AST):
                    parents[value] = node
                    add(value)

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
        return possible_names(expression, self.imported)

    def fact(self, find: Callable[[SyntaxTree], Fact]) -> Fact:
        """What a function finds out about the tree, worked out once."""
        if find not in self._facts:
            self._facts[find] = find(self)
        return self._facts[find]  # type: ignore[return-value]  # what this function has given

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
        for last in {one.rpartition(".")[2] for one in origins}:
            yield from (one for one in self.attributes.get(last, ()) if not origins.isdisjoint(self.called(one)))
        aliases = {name for name, found in self.imported.items() if not found.isdisjoint(origins)}
        if aliases:
            yield from (one for one in self.of_type(ast.Name) if one.id in aliases)

    def calls(self, names: Iterable[str]) -> Iterator[ast.Call]:
        """The calls of what has one of these names, last in a chain of attributes or alone."""
        for name in names:
            yield from self._calls.get(name, ())

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """All attributes, by their names."""
        found: dict[str, list[ast.Attribute]] = {}
        for one in self.of_type(ast.Attribute):
            found.setdefault(one.attr, []).append(one)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for one in self.of_type(ast.Call):
            found.setdefault(last_name(one.func), []).append(one)
        return found

    @cached_property
    def strings(self) -> list[tuple[ast.Constant, str]]:
        """The string constants, pieces of f-strings among them, with their values."""
        return [(one, one.value) for one in self.of_type(ast.Constant) if isinstance(one.value, str)]

    @cached_property
    def _lines(self) -> list[str]:
        return self.data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @cached_property
    def given(self) -> list[tuple[str, ast.expr]]:
        """Each name or attribute with what one spelled so is assigned, has as a parameter's default, or returns."""
        return [*self._given()]

    @cached_property
    def parameters(self) -> list[tuple[ast.arg, ast.expr | None]]:
        """The parameters of all functions, with their defaults."""
        return [pair for one in self.of_type(ast.arguments) for pair in parameters_with_defaults(one)]

    @property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions, methods among them."""
        return [*self.of_type(ast.FunctionDef), *self.of_type(ast.AsyncFunctionDef)]

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
    def imported(self) -> dict[str, set[str]]:
        """The names that imports bind to other ones than their own, with what they may stand for."""
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


def possible_names(expression: ast.AST, imported: Mapping[str, Iterable[str]]) -> set[str]:
    """The dotted names that an expression may stand for, with what imports bind names to."""
    dotted = dotted_text(expression)
    root, dot, rest = dotted.partition(".")
    return {dotted, *(f"{origin}{dot}{rest}" for origin in imported.get(root, ()))}


def parse(data: bytes, device: str = "", gives_project: GivesProject = None) -> SyntaxTree | None:
    """The syntax tree of a program; None where the Python that runs has none, and LibCST may have one."""
    try:
        module = syntax_tree(data)
        return SyntaxTree(module, data, device, gives_project) if module is not None else None
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
