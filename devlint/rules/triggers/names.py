"""Leaves that are names: of methods, of keywords, of members of modules."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import CALL, CLOSED, DOT, GAP, OPENED, any_of, brackets, imported
from devlint.rules.triggers.trigger import Leaf
from devlint.syntax.python_tree.nodes import arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree

_USUAL = frozenset({"is_available", "device_count", "empty_cache", "manual_seed", "manual_seed_all"})
"""What is asked of ``torch.cuda`` in most files that ask anything of it, besides types of tensors."""
_SHORT, _FEW = 4, 3
"""A name of a module that has fewer letters, or is that of a library, is in more files than so few of its members."""


class Method(Leaf):
    """``x.name(...)``; with ``empty`` only calls that are given nothing."""

    nodes = ("Call",)

    def __init__(self, *names: str, empty: bool = False) -> None:
        self.names = names
        self.empty = empty
        self.words = tuple(name.encode() for name in names)

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        for name in self.names:
            yield called(name) + rf"{GAP}\)" * self.empty

    def find(self, tree: SyntaxTree) -> Iterator[ast.Call]:
        for call in tree.calls(self.names):
            if isinstance(call.func, ast.Attribute) and not (self.empty and arguments(call)):
                yield call

    def is_at(self, node: object) -> bool:
        return _name_of(getattr(node, "func", None)) in self.names


def called(name: str) -> str:
    """A method up to the opening parenthesis of its call: a dot before it, or white space that may be after one."""
    return rf"{name}(?<=[.\s\\]{name})(?<![^.\s\\] {name}){CALL}"


class Name(Leaf):
    """An attribute, a variable or an import of this name, whatever it belongs to."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.words = tuple(name.encode() for name in names)

    def patterns(self) -> Iterator[str]:
        return (rf"{name}(?!\w)" for name in self.names)

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        for name in self.names:
            yield from tree.attributes.get(name, ())
        yield from (one for one in tree.of_type(ast.Name) if one.id in self.names)
        yield from (one for one in tree.of_type(ast.ImportFrom) if any(alias.name in self.names for alias in one.names))


class Keyword(Leaf):
    """``name=value`` in a call, where the value begins with one of what a regular expression says."""

    nodes = ("Arg",)

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self.value = value
        self.words = (name.encode(),)

    def patterns(self) -> Iterator[str]:
        yield rf"{self.name}{GAP}={OPENED}{self.value}"

    def find(self, tree: SyntaxTree) -> Iterator[ast.keyword]:
        return (one for one in tree.of_type(ast.keyword) if one.arg == self.name)


class Member(Leaf):
    """What a module has, under any name that an import gives it; without names all that is in the module."""

    nodes: tuple[str, ...] = ("Attribute", "Name")

    def __init__(self, module: str, *names: str) -> None:
        self.module = module
        self.names = frozenset(names)
        self._last = module.rpartition(".")[2]
        is_rarer = len(self._last) < _SHORT or (self._last == module and 0 < len(names) <= _FEW)
        self.words = tuple(name.encode() for name in sorted(names)) if is_rarer else (self._last.encode(),)

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        names = any_of(self.names) if self.names else r"(?=\w)"
        yield (*self._rarer(), rf"{self._last}(?:{DOT}\w++)??{DOT}{names}")
        if self._last == self.module:
            yield rf"{self.module}[\s\\]++as[\s\\]++(?!{self.module}\b)", names
            yield imported(rf"{self.module}[\w.]*+", self.names)
        else:
            yield _imported_from(self.module), names

    def _rarer(self) -> Iterator[str]:
        """What is looked for faster than many names, and is in fewer files."""
        if self.module == "torch.cuda" and self.names and self.names.isdisjoint(_USUAL):
            are_types = all(name.endswith("Tensor") for name in self.names)
            yield "Tensor" if are_types else rf"cuda{DOT}(?!{any_of(_USUAL)}|\w*?Tensor(?!\w))\w"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        yield from self.uses(tree)
        for statement in tree.of_type(ast.ImportFrom):
            if any(self._is(f"{statement.module}.{alias.name}") for alias in statement.names):
                yield statement

    def uses(self, tree: SyntaxTree) -> Iterator[ast.expr]:
        """The names and attributes that may be such a member."""
        for name in self.names or tree.attributes:
            yield from (one for one in tree.attributes.get(name, ()) if any(map(self._is, tree.called(one))))
        aliases = {name for name, origins in tree.imported.items() if any(map(self._is, origins))}
        if aliases:
            yield from (one for one in tree.of_type(ast.Name) if one.id in aliases)

    def _is(self, origin: str) -> bool:
        """Whether a dotted name is one of the names, or in one of them, below the module."""
        below = origin[len(self.module) :]
        if not origin.startswith(self.module) or below[:1] != ".":
            return False
        return not self.names or not self.names.isdisjoint(below[1:].split("."))


class Call(Member):
    """A call of a function of a module; ``without`` is a keyword that it is not given."""

    nodes = ("Call",)

    def __init__(self, module: str, *names: str, without: str = "") -> None:
        super().__init__(module, *names)
        self.without = without

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        asked, *others = super().patterns()
        yield (*asked, rf"{any_of(self.names)}{_given_no(self.without)}") if self.without else asked
        yield from others

    def find(self, tree: SyntaxTree) -> Iterator[ast.Call]:
        for use in self.uses(tree):
            function: ast.AST = use
            call = tree.parent(function)
            while isinstance(call, ast.Attribute):
                function, call = call, tree.parent(call)
            if isinstance(call, ast.Call) and call.func is function and self._may_lack(call):
                yield call

    def _may_lack(self, call: ast.Call) -> bool:
        return not (self.without and any(one.arg in (self.without, None) for one in call.keywords))


def _given_no(keyword: str) -> str:
    """The brackets of a call without a keyword."""
    first, rest = keyword[0], keyword[1:]
    return CLOSED + brackets(rf"(?:[^()\[\]{{}}\"'#{first}]|{first}(?!{rest}{GAP}=(?!=)))")


def _imported_from(module: str) -> str:
    """A module in an import that may give something of it another name; none that another package has."""
    package, _, last = module.rpartition(".")
    return rf"{last}(?<![^{package[-1]}\s]\.{last})(?:{DOT}\w++)*+{GAP}(?:as|import)\b"


def _name_of(function: object) -> object:
    """The name of a LibCST attribute."""
    return getattr(getattr(function, "attr", None), "value", None)
